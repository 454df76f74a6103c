//! A tracked story sentence by sentence: to whom each is known, and where every mind then takes the object to be.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::tracked::Told;
use super::{Item, NoRoles, agreed, tracked};
use crate::story::{Event, NoVersion, Perceived, Version, Wording};

/// What a story tells, and to whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The object asked for.
    pub object: String,
    /// The agents asked about, outermost first; empty for a question of fact.
    pub chain: Vec<String>,
    /// The sentences of the item's only text, in order.
    pub sentences: Vec<WitnessedSentence>,
    /// The container that is the right answer by the story.
    pub answer: String,
    /// The item's own right answer, where it is another.
    pub released: Option<String>,
    /// Whether the belief asked about is true; `None` for a question of fact.
    pub belief: Option<bool>,
}

/// One sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WitnessedSentence {
    /// Its bytes in the text, without the number of the line.
    pub bytes: Range<usize>,
    pub kind: SentenceKind,
    /// It in few words.
    pub short: String,
    /// Who comes, acts, speaks or leaves.
    pub agents: Vec<String>,
    /// The container that it tells of as the place of an object.
    pub container: Option<String>,
    /// Whether that is the object asked for.
    pub of_object: bool,
    /// What each agent asked about gets to know of it.
    pub perceived: Vec<Perceived>,
    /// Where the object is after it, then where each mind takes it to be: for agents Q, R, S, S; R about S; Q about R about
    /// S. `None` as long as there is no place.
    pub lanes: Vec<Option<String>>,
}

/// What a sentence tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SentenceKind {
    /// Agents enter a room.
    Enter,
    /// Agents enter the waiting room.
    Gather,
    /// Where an object is.
    Announce,
    /// An agent moves an object.
    Move,
    /// An agent passes his turn.
    Stay,
    /// An agent leaves.
    Exit,
    /// An agent says where an object is.
    Claim,
    /// An agent looks into a room unnoticed.
    Peek,
    /// A remark that changes nothing.
    Aside,
}

/// An item told so that its belief is true, with the sentence by which it had become false.
#[derive(Debug, Clone)]
pub struct TrueBelief {
    pub item: Item,
    /// The last move of the object that somebody asked about does not perceive, by number from 0.
    pub moved: usize,
    /// The same sentence where the belief is true.
    pub counterpart: usize,
}

/// What the story of an item tells, also where its right answer is another than the story's.
///
/// # Errors
/// The reason why the story is not tracked.
pub fn witness(item: &Item) -> Result<Witness, NoRoles> {
    let told = tracked::tracked(item)?;
    let released = match agreed(&told, item) {
        Ok(()) => None,
        Err(NoRoles::Disputed { gold, .. }) => Some(gold),
        Err(other) => return Err(other),
    };
    told.witness(item, released)
}

/// The item with its story told so that those asked about see the move.
///
/// # Errors
/// Why there is no such version.
pub fn true_belief(item: &Item) -> Result<TrueBelief, NoVersion> {
    let told = super::told(item).map_err(|_| NoVersion::NotTracked)?;
    let made = told.version(item, Version::TrueBelief)?;
    let moved = told.moved_unseen().ok_or(NoVersion::NothingUnseen)?;
    let counterpart = told.place_in(item, Version::TrueBelief, moved)?.ok_or(NoVersion::OtherAnswer)?;
    Ok(TrueBelief { item: made, moved, counterpart })
}

impl Told {
    fn witness(&self, item: &Item, released: Option<String>) -> Result<Witness, NoRoles> {
        let text = &item.context[0].text;
        let mut at = 0;
        let lines = text.split_inclusive('\n').filter_map(|line| {
            let start = at;
            at += line.len();
            let sentence = line.trim().trim_start_matches(|letter: char| letter.is_ascii_digit()).trim_start();
            let end = start + line.trim_end().len();
            (!sentence.is_empty()).then(|| end - sentence.len()..end)
        });
        let lines: Vec<Range<usize>> = lines.collect();
        let events = &self.story.events;
        if lines.len() != events.len() {
            return Err(NoRoles::NoStory);
        }
        let chain = &self.question.chain;
        let perceived: Vec<Vec<Perceived>> = chain.iter().map(|member| self.story.perceived(member)).collect();
        let lanes = self.story.lanes(&self.question, self.rules);
        let sentence = |(number, (bytes, event)): (usize, (Range<usize>, &Event))| WitnessedSentence {
            kind: event.into(),
            short: match self.wording {
                Wording::English => short(event),
                Wording::Chinese => text[bytes.clone()].to_string(),
            },
            agents: agents(event),
            container: event.container().map(str::to_string),
            of_object: object(event).is_some_and(|named| *named == self.question.object),
            perceived: perceived.iter().map(|each| each[number]).collect(),
            lanes: lanes.iter().map(|lane| lane[number].map(str::to_string)).collect(),
            bytes,
        };
        Ok(Witness {
            object: self.question.object.clone(),
            chain: chain.clone(),
            sentences: lines.into_iter().zip(events).enumerate().map(sentence).collect(),
            answer: self.asked().to_string(),
            released,
            belief: (!chain.is_empty()).then(|| !self.is_about_a_false_belief()),
        })
    }

    /// The last move of the object that a member of the chain does not perceive.
    fn moved_unseen(&self) -> Option<usize> {
        let perceived: Vec<Vec<Perceived>> =
            self.question.chain.iter().map(|member| self.story.perceived(member)).collect();
        let is_it = |event: &Event| matches!(event, Event::Move { object, .. } if *object == self.question.object);
        let missed = |number: usize| perceived.iter().any(|each| each[number] == Perceived::Missed);
        (0..self.story.events.len()).rev().find(|&number| is_it(&self.story.events[number]) && missed(number))
    }
}

impl From<&Event> for SentenceKind {
    fn from(event: &Event) -> Self {
        match event {
            Event::Enter { .. } => SentenceKind::Enter,
            Event::Gather { .. } => SentenceKind::Gather,
            Event::Announce { .. } => SentenceKind::Announce,
            Event::Move { .. } => SentenceKind::Move,
            Event::Stay { .. } => SentenceKind::Stay,
            Event::Exit { .. } => SentenceKind::Exit,
            Event::Claim { .. } => SentenceKind::Claim,
            Event::Peek { .. } => SentenceKind::Peek,
            Event::Aside { .. } => SentenceKind::Aside,
        }
    }
}

fn agents(event: &Event) -> Vec<String> {
    match event {
        Event::Enter { agents, .. } | Event::Gather { agents } => agents.clone(),
        Event::Move { agent, .. }
        | Event::Stay { agent, .. }
        | Event::Exit { agent, .. }
        | Event::Peek { agent, .. }
        | Event::Aside { agent, .. }
        | Event::Claim { speaker: agent, .. } => vec![agent.clone()],
        Event::Announce { .. } => Vec::new(),
    }
}

fn object(event: &Event) -> Option<&String> {
    match event {
        Event::Announce { object, .. } | Event::Move { object, .. } | Event::Claim { object, .. } => Some(object),
        _ => None,
    }
}

/// An event in few English words.
fn short(event: &Event) -> String {
    let named = |agents: &[String]| match agents {
        [] => "nobody".to_string(),
        [one] => format!("{one} enters"),
        [one, other] => format!("{one}, {other} enter"),
        [first, others @ ..] => format!("{first} and {} enter", others.len()),
    };
    match event {
        Event::Enter { agents, room } => format!("{} {room}", named(agents)),
        Event::Gather { agents } => format!("{} the waiting room", named(agents)),
        Event::Announce { object, container } => format!("{object}: {container}"),
        Event::Move { agent, object, container } => format!("{agent} moves {object}: {container}"),
        Event::Stay { agent, .. } => format!("{agent} stays"),
        Event::Exit { agent, .. } => format!("{agent} leaves"),
        Event::Peek { agent, room } => format!("{agent} looks into {room}"),
        Event::Claim { speaker, listener: None, object, container } => format!("{speaker} says {object}: {container}"),
        Event::Claim { speaker, listener: Some(listener), object, container } => {
            format!("{speaker} tells {listener} {object}: {container}")
        }
        Event::Aside { .. } => Wording::English.sentence(event).trim_end_matches('.').to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Answer, OptionIx, hi_tom, tomi};
    use crate::story::hi_tom::{Settings, generate};
    use crate::story::{ClaimRule, Question, Rules};

    const STORY: &str = "1 Ann, Ben and Cleo entered the kitchen.
2 The fig is in the white_box.
3 Ann moved the fig to the white_tray.
4 Ann exited the kitchen.
5 Ben saw a cat.
6 Ben moved the fig to the white_bowl.
7 Ben exited the kitchen.
8 Cleo exited the kitchen.
9 Ann, Ben and Cleo entered the waiting_room.
10 Ben privately told Cleo that the fig is in the white_jug.";

    /// A question of second order on a story written out, with the right option of this name.
    fn item(gold: &str) -> Item {
        let settings = Settings {
            chapters: 1,
            size: Default::default(),
            deception: false,
            stories: 1,
            seed: 1,
            answers: 15,
            wording: Wording::English,
            claims: ClaimRule::Published,
        };
        let mut item = hi_tom::items(&generate(&settings).unwrap()).remove(0);
        item.context[0].text = STORY.into();
        item.question = "Where does Cleo think Ann thinks the fig is?".into();
        item.options = ["white_jug", "white_tray", "white_bowl", "white_box"].map(String::from).into();
        let right = item.options.iter().position(|option| option == gold).unwrap();
        item.gold = Answer::Single(OptionIx(right));
        item
    }

    #[test]
    fn each_sentence_has_its_place_its_witnesses_and_where_each_mind_takes_the_object_to_be() {
        let found = witness(&item("white_tray")).unwrap();
        assert_eq!((found.object.as_str(), &found.chain[..]), ("fig", &["Cleo".to_string(), "Ann".to_string()][..]));
        assert_eq!((found.answer.as_str(), found.released, found.belief), ("white_tray", None, Some(false)));
        let text: Vec<&str> = found.sentences.iter().map(|each| &STORY[each.bytes.clone()]).collect();
        assert_eq!((text[1], text[9]), ("The fig is in the white_box.", &STORY.lines().nth(9).unwrap()[3..]));
        let lane = |number: usize| -> Vec<&str> {
            found.sentences.iter().map(|each| each.lanes[number].as_deref().unwrap_or("-")).collect()
        };
        let (none, first, tray, bowl) = ("-", "white_box", "white_tray", "white_bowl");
        assert_eq!(lane(0), [none, first, tray, tray, tray, bowl, bowl, bowl, bowl, bowl], "reality");
        assert_eq!(lane(1), [none, first, tray, tray, tray, tray, tray, tray, tray, tray], "Ann");
        assert_eq!(lane(2), lane(1), "Cleo about Ann: nobody tells Ann");
        let of = |member: usize| -> String {
            let mark = |sentence: &WitnessedSentence| match sentence.perceived[member] {
                Perceived::Seen => 's',
                Perceived::Heard => 'h',
                Perceived::Missed => '-',
            };
            found.sentences.iter().map(mark).collect()
        };
        assert_eq!((of(0).as_str(), of(1).as_str()), ("ssss-ssssh", "ssss----s-"));
        let shorts: Vec<&str> = found.sentences.iter().map(|each| each.short.as_str()).collect();
        assert_eq!(shorts[0], "Ann and 2 enter kitchen");
        assert_eq!(shorts[5..7], ["Ben moves fig: white_bowl", "Ben leaves"]);
        let disputed = witness(&item("white_bowl")).unwrap();
        assert_eq!((disputed.answer.as_str(), disputed.released.as_deref()), ("white_tray", Some("white_bowl")));
    }

    #[test]
    fn the_move_has_a_counterpart_where_the_belief_is_true() {
        let made = true_belief(&item("white_tray")).unwrap();
        let told = witness(&made.item).unwrap();
        let sentence = &told.sentences[made.counterpart];
        assert_eq!((made.moved, sentence.short.as_str()), (5, "Ben moves fig: white_bowl"));
        assert!(sentence.perceived.iter().all(|each| *each == Perceived::Seen), "{sentence:?}");
        assert_eq!((told.belief, told.released), (Some(true), None));
    }

    #[test]
    fn every_sentence_of_generated_stories_is_told_once() {
        let made = crate::story::tomi::generate(40, 3);
        for item in tomi::items(&made) {
            let found = witness(&item).unwrap();
            assert_eq!(found.sentences.len(), item.context[0].text.lines().count());
            let last = found.sentences.last().unwrap();
            let question = Question { object: found.object.clone(), chain: found.chain.clone() };
            let story = Wording::English.story(&item.context[0].text).unwrap();
            assert_eq!(last.lanes.last().unwrap().as_deref(), story.answer(&question, Rules::default()));
        }
    }
}
