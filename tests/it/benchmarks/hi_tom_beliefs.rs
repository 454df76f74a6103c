//! The belief tracker against the specified example and against a second implementation that shares no code with it:
//! sight by replaying only the lines that all members of a chain saw, claims by a table.

use std::collections::HashMap;

use tomeval::internal::{ClaimRule, StoryQuestion, StoryRules, Wording};
use tomeval::internal::{HiToMSettings, make_hi_tom};

/// What happens in the example of the belief rules.
const EXAMPLE: &str = "\
1 Ada, Bo, Cy, Di and Eve entered the loft.
2 The plum is in the red_box.
3 Ada moved the plum to the blue_bag.
4 Ada exited the loft.
5 Bo made no movements and stayed in the loft for 1 minute.
6 Bo exited the loft.
7 Cy moved the plum to the red_jar.
8 Cy exited the loft.
9 Di made no movements and stayed in the loft for 1 minute.
10 Di exited the loft.
11 Eve made no movements and stayed in the loft for 1 minute.
12 Eve exited the loft.
13 Ada, Bo, Cy, Di and Eve entered the waiting_room.
14 Di publicly claimed that plum is in the green_tin.";

fn check(claims: ClaimRule, expected: &[(&[&str], &str)]) {
    let story = Wording::English.story(EXAMPLE).unwrap();
    for (chain, container) in expected {
        let chain: Vec<String> = chain.iter().map(|name| name.to_string()).collect();
        let question = StoryQuestion { object: "plum".to_string(), chain: chain.clone() };
        let rules = StoryRules { claims, ..StoryRules::default() };
        assert_eq!(story.answer(&question, rules), Some(*container), "{chain:?}");
        assert_eq!(Replay::of(EXAMPLE).answer("plum", &chain, claims), *container, "{chain:?}, replayed");
    }
}

#[test]
fn the_specified_example_has_the_specified_answers() {
    let common_to_both: [(&[&str], &str); 8] = [
        (&[], "red_jar"),
        (&["Ada"], "green_tin"),
        (&["Eve"], "red_jar"),
        (&["Di"], "red_jar"),
        (&["Di", "Eve"], "green_tin"),
        (&["Eve", "Di"], "red_jar"),
        (&["Ada", "Di"], "green_tin"),
        (&["Eve", "Cy", "Eve"], "red_jar"),
    ];
    check(ClaimRule::Published, &common_to_both);
    check(ClaimRule::CommonKnowledge, &common_to_both[..7]);
    check(ClaimRule::Published, &[(&["Bo", "Ada"], "blue_bag"), (&["Eve", "Cy", "Bo"], "blue_bag")]);
    check(ClaimRule::CommonKnowledge, &[(&["Bo", "Ada"], "green_tin")]);
}

#[test]
fn the_tracker_equals_the_replay_on_two_thousand_generated_stories() {
    let (mut stories, mut answers, mut differing) = (0, 0, 0);
    for chapters in 1..=3 {
        for deception in [false, true] {
            let settings = |claims| HiToMSettings {
                chapters,
                size: Default::default(),
                deception,
                stories: 334,
                seed: 20_260,
                answers: 15,
                wording: Wording::English,
                claims,
            };
            let published = make_hi_tom(&settings(ClaimRule::Published)).unwrap();
            for made in &published {
                let text = Wording::English.tell(&made.story);
                let replay = Replay::of(&text);
                for asked in &made.questions {
                    let StoryQuestion { object, chain } = &asked.question;
                    assert_eq!(
                        asked.choices[asked.answer],
                        replay.answer(object, chain, ClaimRule::Published),
                        "{text}"
                    );
                    let common = StoryRules { claims: ClaimRule::CommonKnowledge, ..StoryRules::default() };
                    let tracked = made.story.answer(&asked.question, common).unwrap();
                    assert_eq!(tracked, replay.answer(object, chain, ClaimRule::CommonKnowledge), "{chain:?}\n{text}");
                    differing += usize::from(tracked != asked.choices[asked.answer]);
                    answers += 1;
                }
                stories += 1;
            }
        }
    }
    assert_eq!((stories, answers), (2004, 10_020));
    assert!(differing > 500, "the two claim rules must differ often enough to be told apart: {differing}");
}

/// A story as a film: who saw each line, where everything really was before it, and how each chapter was left.
struct Replay<'t> {
    shots: Vec<Shot<'t>>,
}

struct Shot<'t> {
    words: Vec<&'t str>,
    witnesses: Vec<&'t str>,
    /// Room and container of each object before this line.
    before: HashMap<&'t str, (&'t str, &'t str)>,
    /// The names of the chapter in their order of leaving.
    leaving: Vec<&'t str>,
}

impl<'t> Replay<'t> {
    fn of(text: &'t str) -> Self {
        let mut shots = Vec::new();
        let (mut inside, mut leaving, mut room): (Vec<&str>, Vec<&str>, &str) = (Vec::new(), Vec::new(), "");
        let mut places: HashMap<&str, (&str, &str)> = HashMap::new();
        for line in text.lines() {
            let words: Vec<&str> = line.split([' ', '.', ',']).filter(|word| !word.is_empty()).skip(1).collect();
            let before = places.clone();
            if let Some(at) = words.iter().position(|word| *word == "entered") {
                let group: Vec<&str> = words[..at].iter().filter(|word| **word != "and").copied().collect();
                let waiting = *words.last().unwrap() == "waiting_room";
                (inside, room) = if waiting { (Vec::new(), "") } else { (group.clone(), words[at + 2]) };
                if !waiting {
                    leaving = group;
                }
            }
            match words[..] {
                ["The", object, "is", "in", "the", container] => places.insert(object, (room, container)),
                [_, "moved", "the", object, "to", "the", container] => places.insert(object, (room, container)),
                _ => None,
            };
            shots.push(Shot { words: words.clone(), witnesses: inside.clone(), before, leaving: leaving.clone() });
            if words.get(1) == Some(&"exited") {
                inside.retain(|name| *name != words[0]);
            }
        }
        Replay { shots }
    }

    /// The last piece of evidence that counts for the chain.
    fn answer(&self, object: &str, chain: &[String], claims: ClaimRule) -> &str {
        let seen_by_all = |shot: &Shot| chain.iter().all(|member| shot.witnesses.contains(&member.as_str()));
        let evidence = |shot: &'_ Shot<'t>| -> Option<&'t str> {
            let sight = seen_by_all(shot).then(|| match shot.words[..] {
                ["The", named, "is", "in", "the", container] if named == object => Some(container),
                [_, "moved", "the", named, "to", "the", container] if named == object => Some(container),
                [.., "entered", "the", room] => shot
                    .before
                    .get(object)
                    .filter(|(where_it_is, _)| *where_it_is == room)
                    .map(|(_, container)| *container),
                _ => None,
            });
            let rendered = match shot.words[..] {
                [speaker, "publicly", "claimed", "that", ref rest @ ..] => Some((speaker, None, rest.to_vec())),
                [speaker, "privately", "told", listener, "that", ref rest @ ..] => {
                    Some((speaker, Some(listener), rest.to_vec()))
                }
                _ => None,
            };
            let rendered = rendered.and_then(|(speaker, listener, rest)| {
                let rest: Vec<&str> = rest.into_iter().filter(|word| *word != "the").collect();
                let counts = rest[0] == object && !chain.is_empty() && {
                    let claim = Claim { speaker, listener, leaving: &shot.leaving };
                    let members: Vec<&str> = chain.iter().map(String::as_str).collect();
                    match claims {
                        ClaimRule::Published => claim.by_table(&members),
                        ClaimRule::CommonKnowledge => claim.by_perspective(&members),
                    }
                };
                counts.then(|| rest[3])
            });
            sight.flatten().or(rendered)
        };
        // Without a chain everything is seen; claims never count there.
        self.shots.iter().rev().find_map(evidence).unwrap()
    }
}

struct Claim<'c> {
    speaker: &'c str,
    listener: Option<&'c str>,
    leaving: &'c [&'c str],
}

impl Claim<'_> {
    fn heard_by(&self, agent: &str) -> bool {
        match self.listener {
            None => agent != self.speaker,
            Some(listener) => agent == listener,
        }
    }

    fn accepted_by(&self, agent: &str) -> bool {
        let last = |name: &str| self.leaving.iter().rposition(|left| *left == name);
        self.heard_by(agent) && last(agent).is_none_or(|left| last(self.speaker).is_some_and(|speaker| speaker > left))
    }

    /// Row by row: (L), (S, L), (L, S), all else never.
    fn by_table(&self, chain: &[&str]) -> bool {
        let table: [(usize, bool); 3] = [
            (1, chain[0] != self.speaker && self.accepted_by(chain[0])),
            (2, chain[0] == self.speaker && chain.len() == 2 && self.heard_by(chain[1])),
            (2, chain.last() == Some(&self.speaker) && chain[0] != self.speaker && self.accepted_by(chain[0])),
        ];
        table.iter().any(|(length, counts)| *length == chain.len() && *counts)
    }

    /// From outside inwards: the speaker thinks everybody who hears believes him; a believer thinks the speaker means
    /// it; a hearer knows what the other hearers make of it.
    fn by_perspective(&self, chain: &[&str]) -> bool {
        match chain {
            [only] => self.accepted_by(only),
            [outer, inner @ ..] if *outer == self.speaker => inner.iter().all(|agent| self.heard_by(agent)),
            [outer, inner] if *inner == self.speaker => self.accepted_by(outer),
            [outer, inner @ ..] => self.heard_by(outer) && self.by_perspective(inner),
            [] => false,
        }
    }
}
