//! The symbolic belief tracker: where a chain of agents believes an object to be.
//!
//! A story is read front to back, keeping one container per chain; each piece of evidence that counts for the chain
//! replaces it. The chain is written outermost first; S is a speaker, L and M are listeners.
//!
//! - **Sight.** An announcement or a move counts when every member is in the room at that moment. Agents who enter a
//!   room, together or joining others, see where every object in it is, including one that the chapter does not
//!   mention; this counts when every member of the chain is then in the room. Who looks into a room unseen sees the same,
//!   which counts for the chain of that agent alone.
//! - **Claims.** Everybody except the speaker hears a public claim, only the listener a private one. A listener accepts
//!   it if the speaker left the chapter's room after him, or if he took no part in that chapter. [`ClaimRule`] chooses
//!   the chains for which an accepted claim counts.
//!
//! The rules are the assumptions stated under every Hi-ToM prompt (He et al. 2023, section 3.1 and Table 7); where the
//! assumptions leave a choice, the published answers decide.

use strum::{IntoStaticStr, VariantArray};

use super::scene::Scene;
use super::{Event, Question, Story};
use crate::name::named;

/// Chains for which a claim counts. The chains (L), (S, L) and (L, S) are the same under both rules: a listener who
/// accepts believes the claim, a speaker always thinks his listeners believe him, and anyone who believes a claim
/// thinks the speaker means it. A claim never changes what its speaker himself believes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum ClaimRule {
    /// As in the published answers: no other chain, neither (L, M) nor any chain of three or four.
    #[default]
    Published,
    /// All hearers and the speaker know who hears a claim and who accepts it. The claim counts for every chain of them
    /// whose innermost member
    ///
    /// - is a listener who accepts it, or has the speaker somewhere outside him in the chain, or
    /// - is the speaker, with a listener who accepts it just outside.
    CommonKnowledge,
}

named!(ClaimRule, "claim rule");

/// Moves that count for a chain of two or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MoveRule {
    /// Every move that all members saw.
    #[default]
    Seen,
    /// Reproduces Hi-ToM's released VP answers: a move that all members saw counts only if no member except the
    /// innermost is the mover, and the other members appear in the chain in their leaving order. No reading of the
    /// assumptions yields this; it is used only by the label audit.
    VanillaLabels,
}

/// The choices of the tracker. The default gives the rules that Hi-ToM's CoTP answers follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Rules {
    /// Chains for which claims count.
    pub claims: ClaimRule,
    /// Moves that count.
    pub moves: MoveRule,
}

impl Story {
    /// Where the question's chain believes its object to be at the end of the story; for an empty chain, where it is.
    /// `None` when the story does not tell.
    pub fn answer(&self, question: &Question, rules: Rules) -> Option<&str> {
        self.lane(question, rules).last().copied().flatten()
    }

    /// The same after each event: `None` as long as the chain knows of no place.
    pub fn lane(&self, question: &Question, rules: Rules) -> Vec<Option<&str>> {
        let mut tracker = Tracker { question, rules, scene: Scene::before(self), held: None };
        self.events.iter().map(|event| tracker.read(event)).collect()
    }

    /// The lanes of reality and of every mind that the question names: for a chain Q, R, S what is the case, then S,
    /// then R about S, then Q about R about S.
    pub fn lanes(&self, question: &Question, rules: Rules) -> Vec<Vec<Option<&str>>> {
        let Question { object, chain } = question;
        let inner = |order: usize| Question { object: object.clone(), chain: chain[chain.len() - order..].to_vec() };
        (0..=chain.len()).map(|order| self.lane(&inner(order), rules)).collect()
    }
}

struct Tracker<'s, 'q> {
    question: &'q Question,
    rules: Rules,
    scene: Scene<'s>,
    /// Container believed by the chain; of an empty chain, that of the object.
    held: Option<&'s str>,
}

impl<'s> Tracker<'s, '_> {
    /// Reads an event and returns the container held after it.
    fn read(&mut self, event: &'s Event) -> Option<&'s str> {
        self.scene.read(event);
        let object = self.question.object.as_str();
        let place = self.scene.places.get(object).copied();
        let seen = match event {
            Event::Enter { .. } => place.filter(|place| place.room == self.scene.room && self.all_in(place.room)),
            Event::Announce { object: named, .. } if named == object => place.filter(|place| self.all_in(place.room)),
            Event::Move { agent, object: named, .. } if named == object => {
                place.filter(|place| self.all_in(place.room) && self.move_counts(agent))
            }
            Event::Peek { agent, room } if self.question.chain == [agent.as_str()] => {
                place.filter(|place| place.room == Some(room))
            }
            _ => None,
        };
        match event {
            _ if self.question.chain.is_empty() => self.held = place.map(|place| place.container),
            Event::Claim { speaker, listener, object: named, container } if named == object => {
                if self.claim_counts(speaker, listener.as_deref()) {
                    self.held = Some(container);
                }
            }
            _ => self.held = seen.map(|place| place.container).or(self.held),
        }
        self.held
    }

    /// Whether every member of the chain is in the room.
    fn all_in(&self, room: Option<&str>) -> bool {
        self.question.chain.iter().all(|member| self.scene.is_in(member, room))
    }

    fn move_counts(&self, mover: &str) -> bool {
        let chain = &self.question.chain;
        match (self.rules.moves, chain.as_slice()) {
            (MoveRule::Seen, _) | (MoveRule::VanillaLabels, [] | [_]) => true,
            (MoveRule::VanillaLabels, [outer @ .., _]) => {
                let others = chain.iter().filter(|member| *member != mover).map(|member| self.scene.turn(member));
                !outer.iter().any(|member| member == mover) && others.is_sorted()
            }
        }
    }

    fn claim_counts(&self, speaker: &str, listener: Option<&str>) -> bool {
        let hears = |agent: &str| agent != speaker && listener.is_none_or(|listener| listener == agent);
        let accepts = |agent: &str| {
            hears(agent)
                && match (self.scene.turn(agent), self.scene.turn(speaker)) {
                    (None, _) => true,
                    (Some(own), Some(speakers)) => speakers > own,
                    (Some(_), None) => false,
                }
        };
        let chain: Vec<&str> = self.question.chain.iter().map(String::as_str).collect();
        match self.rules.claims {
            ClaimRule::Published => match chain[..] {
                [member] => accepts(member),
                [outer, inner] if outer == speaker => hears(inner),
                [outer, inner] if inner == speaker => accepts(outer),
                _ => false,
            },
            ClaimRule::CommonKnowledge => {
                let all_know = chain.iter().all(|&member| member == speaker || hears(member));
                all_know
                    && match chain[..] {
                        [.., outer, inner] if inner == speaker => accepts(outer),
                        [.., inner] if inner == speaker => false,
                        [ref outer @ .., inner] => accepts(inner) || outer.contains(&speaker),
                        [] => false,
                    }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::Wording;

    /// A kitchen with five agents, one move at the start and one in the middle, and a public claim by the fourth.
    const LINES: &str = "\
1 Ann, Ben, Cleo, Dov and Ewa entered the kitchen.
2 The fig is in the white_jug.
3 Ann moved the fig to the white_tray.
4 Ann exited the kitchen.
5 Ben stayed in the kitchen and moved nothing.
6 Ben exited the kitchen.
7 Ewa likes the white_sack.
8 Cleo moved the fig to the white_bowl.
9 Cleo exited the kitchen.
10 Dov stayed in the kitchen and moved nothing.
11 Dov exited the kitchen.
12 Ewa stayed in the kitchen and moved nothing.
13 Ewa exited the kitchen.
14 Ann, Ben, Cleo, Dov and Ewa entered the waiting_room.";

    const PUBLIC: &str = "15 Dov publicly claimed that the fig is in the white_sack.";
    const PRIVATE: &str = "15 Dov privately told Ben that the fig is in the white_sack.";

    fn check(tail: &str, claims: ClaimRule, expected: &[(&[&str], &str)]) {
        let story = Wording::English.story(&format!("{LINES}\n{tail}")).unwrap();
        for (chain, container) in expected {
            let question = Question { object: "fig".into(), chain: chain.iter().map(|&name| name.into()).collect() };
            let rules = Rules { claims, ..Rules::default() };
            assert_eq!(story.answer(&question, rules), Some(*container), "{chain:?} under {claims}");
        }
    }

    #[test]
    fn a_chain_holds_what_was_there_when_its_first_member_left() {
        for claims in [ClaimRule::Published, ClaimRule::CommonKnowledge] {
            check(
                "",
                claims,
                &[
                    (&[], "white_bowl"),
                    (&["Ann"], "white_tray"),
                    (&["Cleo"], "white_bowl"),
                    (&["Ewa", "Cleo"], "white_bowl"),
                    (&["Cleo", "Ewa"], "white_bowl"),
                    (&["Ewa", "Cleo", "Ben"], "white_tray"),
                    (&["Dov", "Ewa", "Cleo", "Ann"], "white_tray"),
                ],
            );
        }
    }

    #[test]
    fn published_claims_reach_listener_speaker_about_listener_and_believer_about_speaker_only() {
        check(
            PUBLIC,
            ClaimRule::Published,
            &[
                (&[], "white_bowl"),
                (&["Ann"], "white_sack"),
                (&["Ewa"], "white_bowl"),
                (&["Dov"], "white_bowl"),
                (&["Dov", "Ewa"], "white_sack"),
                (&["Ewa", "Dov"], "white_bowl"),
                (&["Ann", "Dov"], "white_sack"),
                (&["Ben", "Ann"], "white_tray"),
                (&["Dov", "Ben", "Ann"], "white_tray"),
            ],
        );
    }

    #[test]
    fn common_knowledge_claims_also_reach_listeners_about_listeners_and_longer_chains() {
        check(
            PUBLIC,
            ClaimRule::CommonKnowledge,
            &[
                (&[], "white_bowl"),
                (&["Dov"], "white_bowl"),
                (&["Dov", "Ewa"], "white_sack"),
                (&["Ewa", "Dov"], "white_bowl"),
                (&["Ben", "Ann"], "white_sack"),
                (&["Ewa", "Ann"], "white_sack"),
                (&["Ann", "Ewa"], "white_tray"),
                (&["Dov", "Ann", "Ewa"], "white_sack"),
                (&["Ewa", "Ann", "Dov"], "white_sack"),
                (&["Ann", "Ewa", "Dov"], "white_tray"),
                (&["Ewa", "Cleo", "Ben", "Ann"], "white_sack"),
            ],
        );
    }

    #[test]
    fn private_claims_stay_between_speaker_and_listener() {
        for claims in [ClaimRule::Published, ClaimRule::CommonKnowledge] {
            check(
                PRIVATE,
                claims,
                &[
                    (&["Ben"], "white_sack"),
                    (&["Ann"], "white_tray"),
                    (&["Dov", "Ben"], "white_sack"),
                    (&["Ben", "Dov"], "white_sack"),
                    (&["Ann", "Ben"], "white_tray"),
                    (&["Ben", "Ann"], "white_tray"),
                    (&["Dov", "Ben", "Ann"], "white_tray"),
                ],
            );
        }
    }

    #[test]
    fn entering_again_shows_what_was_moved_meanwhile() {
        let back = "15 Ann, Dov and Ewa entered the kitchen.\n16 The plum is in the white_vase.";
        check(
            back,
            ClaimRule::Published,
            &[
                (&["Ann"], "white_bowl"),
                (&["Ben"], "white_tray"),
                (&["Ann", "Dov"], "white_bowl"),
                (&["Ann", "Ben"], "white_tray"),
            ],
        );
        let elsewhere = "15 Ann, Dov and Ewa entered the attic.\n16 The plum is in the white_vase.";
        check(elsewhere, ClaimRule::Published, &[(&["Ann"], "white_tray"), (&["Ann", "Dov"], "white_tray")]);
    }

    #[test]
    fn an_agent_outside_the_last_chapter_accepts_every_claim() {
        let next = "15 Cleo, Ann and Dov entered the attic.
16 The plum is in the white_vase.
17 Cleo exited the attic.
18 Ann exited the attic.
19 Dov exited the attic.
20 Cleo, Ann and Dov entered the waiting_room.
21 Cleo publicly claimed that the fig is in the white_jug.";
        check(
            next,
            ClaimRule::Published,
            &[(&["Ben"], "white_jug"), (&["Ewa"], "white_jug"), (&["Ann"], "white_tray"), (&["Dov"], "white_bowl")],
        );
    }

    #[test]
    fn the_vanilla_labels_ignore_moves_by_outer_members_and_by_chains_out_of_leaving_order() {
        let story = Wording::English.story(LINES).unwrap();
        let rules = Rules { moves: MoveRule::VanillaLabels, ..Rules::default() };
        let answer = |chain: &[&str]| {
            let chain = chain.iter().map(|&name| name.into()).collect();
            story.answer(&Question { object: "fig".into(), chain }, rules)
        };
        assert_eq!(answer(&["Ann"]), Some("white_tray"));
        assert_eq!(answer(&["Ben", "Cleo"]), Some("white_tray"), "Ann's move counts, in leaving order");
        assert_eq!(answer(&["Cleo", "Ben"]), Some("white_jug"), "out of leaving order");
        assert_eq!(answer(&["Ann", "Ben"]), Some("white_jug"), "the mover is the outer member");
        assert_eq!(answer(&["Ben", "Ann"]), Some("white_tray"), "the mover is the innermost member");
    }

    #[test]
    fn nothing_is_known_of_an_object_no_line_names() {
        let story = Wording::English.story(LINES).unwrap();
        for chain in [vec![], vec!["Ann".to_string()]] {
            assert_eq!(story.answer(&Question { object: "pear".into(), chain }, Rules::default()), None);
        }
    }
}
