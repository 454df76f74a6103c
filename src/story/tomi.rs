//! Generator of fresh ToMi stories (Le et al. 2019) in English, with answers from the belief tracker.
//!
//! A story has a mover, another agent and often a bystander, one object and two containers. Three story types are drawn
//! in turn: in `true_belief` stories both see the move or have returned before it; in `false_belief` stories the other
//! agent left before it; in `second_order_false_belief` stories he also returns once the mover has left, and finds the
//! object, unknown to the mover. Each has ToMi's six questions: memory, reality, and the beliefs of the two at first
//! and second order, typed `_tom` where the answer is not the object's real location.
//!
//! Answers follow sight alone. Some second-order answers of the released files do not: they are the object's real
//! location as soon as a third agent enters its room or one of the two comes back to it, whoever sees that.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use strum::{IntoStaticStr, VariantArray};

use super::hi_tom::draw;
use super::{Aside, Event, Lexicon, Question, Rules, Story, Wording};
use crate::name::named;
use crate::seed::seeded;

/// Chance that a third agent passes through.
const BYSTANDER: f64 = 0.5;
/// Maximum number of distractors in a story.
const MAX_ASIDES: usize = 2;

/// The other agent's final belief.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
// Names in the literature.
#[allow(clippy::enum_variant_names)]
pub enum StoryType {
    /// He knows where the object is, and both know that.
    TrueBelief,
    /// He does not know about the move.
    FalseBelief,
    /// He knows about the move, and the mover does not know that.
    SecondOrderFalseBelief,
}

named!(StoryType);

/// A generated story with its six questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeStory {
    /// The events.
    pub story: Story,
    pub story_type: StoryType,
    /// The questions, in ToMi's order.
    pub questions: Vec<MadeQuestion>,
}

/// A generated question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeQuestion {
    pub text: String,
    /// The right container.
    pub answer: String,
    /// Its type as in trace files, for instance `second_order_0_tom`.
    pub question_type: String,
}

/// Generate stories, the three types in turn. Story number k depends only on the seed and k.
pub fn generate(stories: usize, seed: u64) -> Vec<MadeStory> {
    let make = |number| make(StoryType::ALL[number % StoryType::ALL.len()], &mut seeded(seed, "tomi/story", number));
    (0..stories).map(make).collect()
}

/// The text file: every question preceded by its story.
pub fn text(stories: &[MadeStory]) -> String {
    let mut text = String::new();
    for made in stories {
        let told = Wording::English.tell(&made.story);
        let number = made.story.events.len() + 1;
        for MadeQuestion { text: question, answer, .. } in &made.questions {
            text.push_str(&format!("{told}\n{number} {question}\t{answer}\t1\n"));
        }
    }
    text
}

/// The trace file: per question the kinds of events in its story, its type and the story's type.
pub fn trace(stories: &[MadeStory]) -> String {
    let mut trace = String::new();
    for made in stories {
        let kinds: Vec<&str> = made.story.events.iter().map(kind).collect();
        for MadeQuestion { question_type, .. } in &made.questions {
            trace.push_str(&format!("{},{question_type},{}\n", kinds.join(","), made.story_type.name()));
        }
    }
    trace
}

fn kind(event: &Event) -> &'static str {
    match event {
        Event::Enter { .. } | Event::Gather { .. } => "enter",
        Event::Announce { .. } => "announce",
        Event::Move { .. } => "move",
        Event::Stay { .. } => "stay",
        Event::Exit { .. } => "exit",
        Event::Claim { .. } => "claim",
        Event::Peek { .. } => "peek",
        Event::Aside { .. } => "noise",
    }
}

pub(super) fn make(story_type: StoryType, rng: &mut ChaCha8Rng) -> MadeStory {
    let lexicon = &Lexicon::ENGLISH;
    let agents = draw(lexicon.agents, 3, rng);
    let [mover, other] = [&agents[0], &agents[1]];
    let rooms = draw(lexicon.rooms, 2, rng);
    let containers = draw(lexicon.containers, 2, rng);
    let object = draw(lexicon.objects, 1, rng).remove(0);

    let enter = |agent: &String, room: &String| Event::Enter { agents: vec![agent.clone()], room: room.clone() };
    let exit = |agent: &String| Event::Exit { agent: agent.clone(), room: rooms[0].clone() };
    let moved = Event::Move { agent: mover.clone(), object: object.clone(), container: containers[1].clone() };
    let mut events = vec![enter(mover, &rooms[0]), enter(other, &rooms[0])];
    if rng.random_bool(0.5) {
        events.swap(0, 1);
    }
    let announced = events.len();
    events.push(Event::Announce { object: object.clone(), container: containers[0].clone() });
    match story_type {
        StoryType::TrueBelief if rng.random_bool(0.5) => {
            events.extend([exit(other), enter(other, &rooms[0]), moved]);
        }
        StoryType::TrueBelief => events.extend([moved, exit(other)]),
        StoryType::FalseBelief => {
            events.extend([exit(other), moved]);
            if rng.random_bool(0.5) {
                events.push(enter(other, &rooms[1]));
            }
        }
        StoryType::SecondOrderFalseBelief => events.extend([exit(other), moved, exit(mover), enter(other, &rooms[0])]),
    }
    if rng.random_bool(BYSTANDER) {
        let leaves = rng.random_range(announced..=events.len());
        let comes = rng.random_range(0..=announced);
        events.insert(leaves, exit(&agents[2]));
        events.insert(comes, enter(&agents[2], &rooms[0]));
    }
    for _ in 0..rng.random_range(0..=MAX_ASIDES) {
        let agent = draw(&agents, 1, rng).remove(0);
        let thing = draw(lexicon.objects, 1, rng).remove(0);
        let aside = if rng.random_bool(0.5) { Aside::Likes(thing) } else { Aside::Dislikes(thing) };
        let place = rng.random_range(0..=events.len());
        events.insert(place, Event::Aside { agent, aside });
    }
    let story = Story { events };
    let questions = questions(&story, &object, [mover, other], &containers);
    MadeStory { story, story_type, questions }
}

fn questions(story: &Story, object: &str, agents: [&String; 2], containers: &[String]) -> Vec<MadeQuestion> {
    let reality = &containers[1];
    let fact = |text: String, answer: &String, question_type: &str| MadeQuestion {
        text,
        answer: answer.clone(),
        question_type: question_type.to_string(),
    };
    let belief = |text: String, order: &str, first: usize, chain: Vec<String>| {
        let question = Question { object: object.to_string(), chain };
        let answer = story.answer(&question, Rules::default()).expect("both agents see the announcement").to_string();
        let tom = if answer == *reality { "no_tom" } else { "tom" };
        MadeQuestion { text, answer, question_type: format!("{order}_order_{first}_{tom}") }
    };
    let first_order = |first: usize| {
        let text = format!("Where will {} look for the {object}?", agents[first]);
        belief(text, "first", first, vec![agents[first].clone()])
    };
    let second_order = |first: usize| {
        let [outer, inner] = [agents[first], agents[1 - first]];
        let text = format!("Where does {outer} think {inner} will look for the {object}?");
        belief(text, "second", first, vec![outer.clone(), inner.clone()])
    };
    vec![
        fact(format!("Where was the {object} at first?"), &containers[0], "memory"),
        first_order(0),
        second_order(0),
        fact(format!("Where is the {object} really?"), reality, "reality"),
        first_order(1),
        second_order(1),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether each of the six answers is where the object was at first, by story type.
    fn expected(story_type: StoryType) -> [bool; 6] {
        match story_type {
            StoryType::TrueBelief => [true, false, false, false, false, false],
            StoryType::FalseBelief => [true, false, true, false, true, true],
            StoryType::SecondOrderFalseBelief => [true, false, true, false, false, true],
        }
    }

    #[test]
    fn beliefs_are_those_of_the_story_type_whatever_the_bystander_does() {
        for made in generate(600, 4) {
            let first = made.story.events.iter().find_map(|event| match event {
                Event::Announce { container, .. } => Some(container),
                _ => None,
            });
            let at_first: Vec<bool> = made.questions.iter().map(|asked| Some(&asked.answer) == first).collect();
            assert_eq!(at_first, expected(made.story_type), "{}", Wording::English.tell(&made.story));
        }
    }

    #[test]
    fn types_are_even_and_a_story_does_not_depend_on_how_many_follow() {
        let stories = generate(30, 1);
        for story_type in StoryType::ALL {
            assert_eq!(stories.iter().filter(|made| made.story_type == story_type).count(), 10);
        }
        assert_eq!(generate(7, 1), stories[..7]);
        assert_ne!(generate(7, 2), stories[..7]);
    }

    #[test]
    fn a_question_is_typed_by_whether_its_answer_is_true() {
        for made in generate(60, 9) {
            let types: Vec<&str> = made.questions.iter().map(|asked| asked.question_type.as_str()).collect();
            let at_first = expected(made.story_type);
            assert_eq!((types[0], types[3]), ("memory", "reality"));
            for (at, start) in
                [(1, "first_order_0"), (2, "second_order_0"), (4, "first_order_1"), (5, "second_order_1")]
            {
                assert_eq!(types[at], format!("{start}_{}", if at_first[at] { "tom" } else { "no_tom" }));
            }
        }
    }
}
