//! Versions of a story for one question: what a chain of minds does not perceive is left out, and the controls of that.

use std::collections::{BTreeSet, HashSet};

use strum::{IntoStaticStr, VariantArray};

use super::{Aside, Event, Perceived, Question, Rules, Story};
use crate::name::named;

/// What is changed of a story for a question about a chain of minds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Version {
    /// Without the announcements, moves and claims that a member of the chain does not perceive.
    SeenOnly,
    /// Each of these is an aside that names its container instead.
    MentionKept,
    /// Without as many lines that change nothing and name no container, those nearest to them.
    OthersLeftOut,
    /// All members of the chain leave last, and so see every move of the room.
    TrueBelief,
}

named!(Version, "version of a story");

/// A line of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// The event of this number in the original.
    Kept(usize),
    /// Another event.
    Said(Event),
}

/// Why a story has no such version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum NoVersion {
    /// Stories of its kind are not tracked, or the right answer is not the tracker's.
    #[error("its story is not tracked")]
    NotTracked,
    /// Everybody asked about perceives everything, or nobody is asked about.
    #[error("nothing is unseen")]
    NothingUnseen,
    /// The belief is true already.
    #[error("its belief is true")]
    BeliefIsTrue,
    /// Its right answer by the tracker would be another one.
    #[error("its answer would be another")]
    OtherAnswer,
    /// Fewer lines change nothing than are unseen.
    #[error("too few lines that change nothing")]
    TooFewLines,
    /// Whoever is asked about believes what is not the case even after staying.
    #[error("its belief cannot be made true")]
    NotTrue,
}

impl Story {
    /// A version of the story. Apart from [`Version::TrueBelief`], after which the answer is where the object is, the
    /// tracker's answer to the question is the same as before. `containers` are names beside those of the story's places.
    ///
    /// # Errors
    /// Why there is none.
    pub fn version(
        &self,
        question: &Question,
        rules: Rules,
        version: Version,
        containers: &[String],
    ) -> Result<Vec<Line>, NoVersion> {
        let fact = Question { chain: Vec::new(), ..question.clone() };
        let (believed, actual) = (self.answer(question, rules), self.answer(&fact, rules));
        if version != Version::SeenOnly && believed == actual {
            return Err(NoVersion::BeliefIsTrue);
        }
        let lines = match version {
            Version::SeenOnly => self.without(&self.unseen(question)?),
            Version::MentionKept => self.mentioning(&self.unseen(question)?),
            Version::OthersLeftOut => self.without(&self.nearest_idle(&self.unseen(question)?, containers)?),
            Version::TrueBelief => self.staying(question)?,
        };
        let made = self.of_lines(&lines);
        let wanted = if version == Version::TrueBelief { actual } else { believed };
        match (made.answer(question, rules) == wanted, version) {
            (true, _) => Ok(lines),
            (false, Version::TrueBelief) => Err(NoVersion::NotTrue),
            (false, _) => Err(NoVersion::OtherAnswer),
        }
    }

    /// The story of some lines.
    pub fn of_lines(&self, lines: &[Line]) -> Story {
        let event = |line: &Line| match line {
            Line::Kept(number) => self.events[*number].clone(),
            Line::Said(event) => event.clone(),
        };
        Story { events: lines.iter().map(event).collect() }
    }

    /// Numbers of the announcements, moves and claims that a member of the chain does not perceive.
    fn unseen(&self, question: &Question) -> Result<BTreeSet<usize>, NoVersion> {
        let perceived: Vec<Vec<Perceived>> = question.chain.iter().map(|member| self.perceived(member)).collect();
        let tells = |event: &Event| matches!(event, Event::Announce { .. } | Event::Move { .. } | Event::Claim { .. });
        let missed = |number: usize| perceived.iter().any(|each| each[number] == Perceived::Missed);
        let found: BTreeSet<usize> =
            (0..self.events.len()).filter(|&number| tells(&self.events[number]) && missed(number)).collect();
        if found.is_empty() { Err(NoVersion::NothingUnseen) } else { Ok(found) }
    }

    fn without(&self, left_out: &BTreeSet<usize>) -> Vec<Line> {
        (0..self.events.len()).filter(|number| !left_out.contains(number)).map(Line::Kept).collect()
    }

    /// The story with asides in the place of some events. An announcement has no speaker: whoever entered first likes its
    /// container.
    fn mentioning(&self, replaced: &BTreeSet<usize>) -> Vec<Line> {
        let mut entered = self.agents().first().map(|agent| agent.to_string()).unwrap_or_default();
        let mut line = |(number, event): (usize, &Event)| {
            if let Event::Enter { agents, .. } = event
                && let Some(first) = agents.first()
            {
                entered.clone_from(first);
            }
            let (agent, container) = match event {
                _ if !replaced.contains(&number) => return Line::Kept(number),
                Event::Move { agent, container, .. } | Event::Claim { speaker: agent, container, .. } => {
                    (agent, container)
                }
                Event::Announce { container, .. } => (&entered, container),
                _ => return Line::Kept(number),
            };
            Line::Said(Event::Aside { agent: agent.clone(), aside: Aside::Likes(container.clone()) })
        };
        self.events.iter().enumerate().map(&mut line).collect()
    }

    /// As many lines as `left_out` that change nothing and name no container: for each the nearest that is not taken, by
    /// distance in lines, the earlier of two.
    fn nearest_idle(&self, left_out: &BTreeSet<usize>, containers: &[String]) -> Result<BTreeSet<usize>, NoVersion> {
        let of_events = self.events.iter().filter_map(Event::container);
        let containers: HashSet<&str> = of_events.chain(containers.iter().map(String::as_str)).collect();
        let is_idle = |event: &Event| match event {
            Event::Stay { .. } => true,
            Event::Aside { aside, .. } => match aside {
                Aside::Saw(thing) | Aside::Lost(thing) | Aside::Likes(thing) | Aside::Dislikes(thing) => {
                    !containers.contains(thing.as_str())
                }
            },
            _ => false,
        };
        let mut idle: Vec<usize> = (0..self.events.len()).filter(|&number| is_idle(&self.events[number])).collect();
        let mut taken = BTreeSet::new();
        for &number in left_out {
            let nearest = idle.iter().enumerate().min_by_key(|(_, idle)| idle.abs_diff(number));
            let (at, _) = nearest.ok_or(NoVersion::TooFewLines)?;
            taken.insert(idle.remove(at));
        }
        Ok(taken)
    }

    /// The story in which every member of the chain stays in the object's room until its chapter ends, and goes nowhere else
    /// before.
    fn staying(&self, question: &Question) -> Result<Vec<Line>, NoVersion> {
        let room = self.room_of(&question.object).ok_or(NoVersion::NotTrue)?;
        let mut numbers: Vec<usize> = (0..self.events.len()).collect();
        for member in &question.chain {
            self.stay(&mut numbers, member, room);
        }
        Ok(numbers.into_iter().map(Line::Kept).collect())
    }

    /// Orders events, by their numbers, so that an agent who leaves a room stays until its chapter ends, and goes nowhere
    /// else before.
    pub(super) fn stay(&self, numbers: &mut Vec<usize>, member: &str, room: &str) {
        let leaves = |number: &usize| match &self.events[*number] {
            Event::Exit { agent, room: left } => agent == member && left == room,
            _ => false,
        };
        let goes = |number: &usize| match &self.events[*number] {
            Event::Enter { agents, .. } => agents.len() == 1 && agents[0] == member,
            Event::Exit { agent, .. } => agent == member,
            _ => false,
        };
        let Some(exit) = numbers.iter().position(leaves) else { return };
        let gathers = |number: &usize| matches!(self.events[*number], Event::Gather { .. });
        let end = numbers[exit..].iter().position(gathers).map_or(numbers.len(), |at| exit + at);
        let mut chapter: Vec<usize> = numbers[exit..end].iter().copied().filter(|number| !goes(number)).collect();
        chapter.push(numbers[exit]);
        numbers.splice(exit..end, chapter);
    }
}

impl Event {
    /// The container that it tells of as the place of an object.
    pub fn container(&self) -> Option<&str> {
        match self {
            Event::Announce { container, .. } | Event::Move { container, .. } | Event::Claim { container, .. } => {
                Some(container)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::{Wording, hi_tom, tomi};

    const STORY: &str = "1 Ann, Ben and Cleo entered the kitchen.
2 The fig is in the white_box.
3 Cleo saw a cat.
4 Ann moved the fig to the white_tray.
5 Ann exited the kitchen.
6 Ben stayed in the kitchen and moved nothing.
7 Ben exited the kitchen.
8 Cleo moved the fig to the white_bowl.
9 Ben likes the white_jug.
10 Cleo exited the kitchen.
11 Ann, Ben and Cleo entered the waiting_room.";

    fn told(chain: &[&str], version: Version) -> Result<Vec<String>, NoVersion> {
        let story = Wording::English.story(STORY).unwrap();
        let question = Question { object: "fig".into(), chain: chain.iter().map(|&name| name.into()).collect() };
        let lines = story.version(&question, Rules::default(), version, &["white_jug".to_string()])?;
        Ok(Wording::English
            .tell(&story.of_lines(&lines))
            .lines()
            .map(|line| line.split_once(' ').unwrap().1.into())
            .collect())
    }

    #[test]
    fn a_version_leaves_out_what_it_says_and_keeps_the_answer() {
        let whole: Vec<String> = STORY.lines().map(|line| line.split_once(' ').unwrap().1.to_string()).collect();
        let without = |left_out: &[usize]| -> Vec<String> {
            (0..whole.len()).filter(|line| !left_out.contains(&(line + 1))).map(|line| whole[line].clone()).collect()
        };
        assert_eq!(told(&["Ben"], Version::SeenOnly).unwrap(), without(&[8]));
        assert_eq!(told(&["Ben", "Cleo"], Version::SeenOnly).unwrap(), without(&[8]), "one does not see it");
        let kept = told(&["Ann"], Version::MentionKept).unwrap();
        assert_eq!((kept.len(), kept[7].as_str()), (whole.len(), "Cleo likes the white_bowl."));
        // Line 9 names a container that is offered, line 6 is nearer than line 3.
        let others = told(&["Ann"], Version::OthersLeftOut).unwrap();
        assert_eq!((others.len(), others.contains(&whole[2])), (whole.len() - 1, true));
        let stays = told(&["Ann"], Version::TrueBelief).unwrap();
        assert_eq!(stays.iter().position(|line| line == "Ann exited the kitchen."), Some(9));
        assert_eq!(told(&["Cleo"], Version::SeenOnly), Err(NoVersion::NothingUnseen));
        assert_eq!(told(&[], Version::SeenOnly), Err(NoVersion::NothingUnseen));
        assert_eq!(told(&["Cleo"], Version::TrueBelief), Err(NoVersion::BeliefIsTrue));
    }

    /// The right answers by version, counted: false beliefs, and those with each version.
    fn counts(stories: impl Iterator<Item = (Story, Question)>) -> (usize, [usize; 4]) {
        let (mut of_false, mut with) = (0, [0; 4]);
        for (story, question) in stories {
            let fact = Question { chain: Vec::new(), ..question.clone() };
            let answer =
                |story: &Story, question: &Question| story.answer(question, Rules::default()).map(str::to_string);
            let (believed, actual) = (answer(&story, &question), answer(&story, &fact));
            if question.chain.is_empty() || believed == actual {
                continue;
            }
            of_false += 1;
            for (count, version) in with.iter_mut().zip(Version::ALL) {
                let Ok(lines) = story.version(&question, Rules::default(), version, &[]) else { continue };
                let made = story.of_lines(&lines);
                let right = if version == Version::TrueBelief { &actual } else { &believed };
                assert_eq!(&answer(&made, &question), right, "{version}");
                *count += 1;
            }
        }
        (of_false, with)
    }

    #[test]
    fn each_version_can_be_made_of_most_stories_about_false_beliefs() {
        let made = tomi::generate(200, 1);
        let of_tomi = made.iter().flat_map(|made| {
            let object = made.story.first_object().unwrap().to_string();
            made.story
                .agents()
                .into_iter()
                .map(move |agent| {
                    (made.story.clone(), Question { object: object.clone(), chain: vec![agent.to_string()] })
                })
                .collect::<Vec<_>>()
        });
        // Stories without enough other lines, and those whose second move shows the first, lack a version.
        let most = |(of_false, with): (usize, [usize; 4]), least: usize| {
            assert!(with.iter().all(|count| count * 100 >= of_false * least), "{of_false} {with:?}");
        };
        most(counts(of_tomi), 50);
        for chapters in 1..=3 {
            let settings = hi_tom::Settings {
                chapters,
                size: Default::default(),
                deception: false,
                stories: 60,
                seed: 1,
                answers: 15,
                wording: Wording::English,
                claims: Default::default(),
            };
            let made = hi_tom::generate(&settings).unwrap();
            let questions = made.into_iter().flat_map(|made| {
                made.questions.iter().map(|asked| (made.story.clone(), asked.question.clone())).collect::<Vec<_>>()
            });
            most(counts(questions), 70);
        }
    }
}
