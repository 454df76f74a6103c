//! Rule-based questions about a changing mind, made from a sketch in the style of ToMValley (section 3, step 4).
//!
//! A [`Sketch`] states the main character's belief, emotion, intention and action in each scenario, how these influence
//! each other, and why they change. [`questions`] asks about all of it; every option is text of the sketch:
//!
//! | kind | right option | wrong options |
//! |---|---|---|
//! | influence | how the items influence the other here | the same influence elsewhere; the other influences here |
//! | influence | how the items move the other here | the same influence elsewhere; the other influences here |
//! | whether | `No`, or from what to what | `No`; the changes between the other neighbouring scenarios |
//! | why | the reason of this change | the reasons of all other changes of all items |
//! | how | the sequence over all scenarios | see [`questions`] |
//! The wording of the questions is ours. Options never repeat within a question; their positions are drawn from the
//! seed, the main character's name and the question's id.
//! seed, the main character's name and the question's id.

mod key;
mod sketch;

use indexmap::IndexSet;
use rand::Rng;
use rand::seq::SliceRandom;

pub use self::key::{QuestionKey, QuestionKind, ReasoningItem};
pub(crate) use self::sketch::RELATIONS;
pub use self::sketch::{RELATION, Scenario, Sketch};
use crate::name::option_letter;
use crate::seed::seeded;

/// Separator between the states of a sequence.
const THEN: &str = " -> ";

/// Attempts to find a changed sequence that is not yet among the options.
const TRIES: usize = 64;

/// A question made from a sketch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeQuestion {
    /// Its key.
    pub key: QuestionKey,
    pub question: String,
    /// The options as stored, without labels.
    pub options: Vec<String>,
    /// Index of the right option, from 0.
    pub answer: usize,
}

impl MadeQuestion {
    /// The question in the format of the release's `question_new.json`, with labelled options.
    pub fn released_form(&self) -> serde_json::Value {
        let label = |at: usize| option_letter(at).to_lowercase();
        let options: Vec<String> =
            self.options.iter().enumerate().map(|(at, option)| format!("{}. {option}", label(at))).collect();
        serde_json::json!({
            "question": self.question,
            "true answer": label(self.answer),
            "options": options,
            "question type": self.key.kind.released_type(),
        })
    }
}

/// Every question of a sketch: 71 for five scenarios. Where an item stays the same between two scenarios, the answer to
/// `whether` is `No` and there is no `why` question.
///
/// The wrong options of a `how` question: the sequence reversed, with two states swapped, and shuffled; the sequence
/// without one state; and the sequence with one state replaced by another item's state of the same scenario, once for
/// each of the three other items.
pub fn questions(sketch: &Sketch, seed: u64) -> Vec<MadeQuestion> {
    let scenarios = sketch.scenarios().len();
    let asked = QuestionKey::all(scenarios).filter(|key| key.kind != QuestionKind::Why || sketch.changes(*key));
    asked
        .map(|key| {
            let mut draw = seeded(seed, &format!("{}/{}", sketch.main_character(), key.id(scenarios)), 0);
            let (right, wrong) = options(sketch, key, &mut draw);
            let mut options: Vec<String> = wrong.into_iter().filter(|option| *option != right).collect();
            let answer = draw.random_range(0..=options.len());
            options.shuffle(&mut draw);
            options.insert(answer, right);
            MadeQuestion { key, question: wording(sketch, key), options, answer }
        })
        .collect()
}

fn wording(sketch: &Sketch, key: QuestionKey) -> String {
    let (name, item, scenario) = (sketch.main_character(), key.item.name(), key.scenario);
    let next = scenario + 1;
    match key.kind {
        QuestionKind::What => format!("What is {name}'s {item} in scenario {scenario}?"),
        QuestionKind::Influence => {
            let (causes, effect) = key.item.influence().unwrap_or((&[], key.item));
            let causes: Vec<&str> = causes.iter().map(|cause| cause.name()).collect();
            let verb = if causes.len() == 1 { "does" } else { "do" };
            let (causes, effect) = (causes.join(" and "), effect.name());
            format!("In scenario {scenario}, how {verb} {name}'s {causes} shape {name}'s {effect}?")
        }
        QuestionKind::Whether => format!(
            "Does {name}'s {item} change between scenario {scenario} and scenario {next}? If so, from what to what?"
        ),
        QuestionKind::Why => {
            format!("Why does {name}'s {item} change between scenario {scenario} and scenario {next}?")
        }
        QuestionKind::How => {
            format!("How does {name}'s {item} develop over the {} scenarios?", sketch.scenarios().len())
        }
    }
}

/// The right option and the wrong ones without duplicates, possibly with the right one among them.
fn options(sketch: &Sketch, key: QuestionKey, draw: &mut impl Rng) -> (String, IndexSet<String>) {
    let here = &sketch.scenarios()[key.scenario - 1];
    let state = |item: ReasoningItem, scenario: &Scenario| scenario.state(item).to_string();
    match key.kind {
        QuestionKind::What => {
            let elsewhere = sketch.scenarios().iter().map(|scenario| state(key.item, scenario));
            let others = ReasoningItem::ALL.into_iter().map(|item| state(item, here));
            (state(key.item, here), elsewhere.chain(others).collect())
        }
        QuestionKind::Influence => {
            let influence = |item: ReasoningItem, scenario: &Scenario| scenario.influence_of(item).map(str::to_string);
            let elsewhere = sketch.scenarios().iter().filter_map(|scenario| influence(key.item, scenario));
            let others = ReasoningItem::ALL.into_iter().filter_map(|item| influence(item, here));
            (influence(key.item, here).unwrap_or_default(), elsewhere.chain(others).collect())
        }
        QuestionKind::Whether => {
            let changes = (1..sketch.scenarios().len()).map(|scenario| change(sketch, QuestionKey { scenario, ..key }));
            (change(sketch, key), changes.chain([NO.to_string()]).collect())
        }
        QuestionKind::Why => {
            let reasons =
                ReasoningItem::ALL.into_iter().flat_map(|item| sketch.reasons(item).iter().flatten().cloned());
            (sketch.reasons(key.item)[key.scenario - 1].clone().unwrap_or_default(), reasons.collect())
        }
        QuestionKind::How => {
            let right: Vec<&str> = sketch.scenarios().iter().map(|scenario| scenario.state(key.item)).collect();
            let mut wrong = changed_sequences(sketch, key.item, &right, draw);
            let right = right.join(THEN);
            wrong.shift_remove(&right);
            (right, wrong)
        }
    }
}

/// The option for an item that stays the same.
const NO: &str = "No";

fn change(sketch: &Sketch, key: QuestionKey) -> String {
    let state = |scenario: usize| sketch.scenarios()[scenario - 1].state(key.item);
    if sketch.changes(key) {
        format!("Yes, from {} to {}", state(key.scenario), state(key.scenario + 1))
    } else {
        NO.to_string()
    }
}

/// The seven wrong sequences of a `how` question; fewer where the states do not allow more different ones.
fn changed_sequences(sketch: &Sketch, item: ReasoningItem, right: &[&str], draw: &mut impl Rng) -> IndexSet<String> {
    let reversed: Vec<&str> = right.iter().rev().copied().collect();
    let mut found = IndexSet::from([right.join(THEN), reversed.join(THEN)]);
    let mut add = |change: &mut dyn FnMut() -> Vec<String>| {
        let _added = (0..TRIES).any(|_| found.insert(change().join(THEN)));
    };
    let owned = || right.iter().map(|state| state.to_string()).collect::<Vec<_>>();
    add(&mut || {
        let mut sequence = owned();
        let first = draw.random_range(0..sequence.len());
        let second = (first + draw.random_range(1..sequence.len())) % sequence.len();
        sequence.swap(first, second);
        sequence
    });
    add(&mut || {
        let mut sequence = owned();
        sequence.shuffle(draw);
        sequence
    });
    add(&mut || {
        let mut sequence = owned();
        sequence.remove(draw.random_range(0..sequence.len()));
        sequence
    });
    for other in ReasoningItem::ALL.into_iter().filter(|other| *other != item) {
        add(&mut || {
            let mut sequence = owned();
            let at = draw.random_range(0..sequence.len());
            sequence[at] = sketch.scenarios()[at].state(other).to_string();
            sequence
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::sketch::{Influences, Reasons};
    use super::*;

    /// A sketch in which every text names its place, so that options can be recognised.
    fn sketch(scenarios: usize, same: &[(ReasoningItem, usize)]) -> Sketch {
        let text = |item: ReasoningItem, at: usize| {
            let at = if same.contains(&(item, at - 1)) { at - 1 } else { at };
            format!("{} {at}", item.name())
        };
        let scenario = |at: usize| Scenario {
            belief: text(ReasoningItem::Belief, at),
            emotion: text(ReasoningItem::Emotion, at),
            intention: text(ReasoningItem::Intention, at),
            action: text(ReasoningItem::Action, at),
            influence: Influences {
                emotion: format!("to emotion {at}"),
                intention: format!("to intention {at}"),
                action: format!("to action {at}"),
            },
        };
        let reasons = |item: ReasoningItem| {
            let reason = |at| (!same.contains(&(item, at))).then(|| format!("{} because {at}", item.name()));
            (1..scenarios).map(reason).collect()
        };
        let [belief, emotion, intention, action] = ReasoningItem::ALL.map(reasons);
        let reasons = Reasons { belief, emotion, intention, action };
        Sketch::new("Ada".into(), (1..=scenarios).map(scenario).collect(), reasons).unwrap()
    }

    fn find<'a>(made: &'a [MadeQuestion], id: &str) -> &'a MadeQuestion {
        let key = QuestionKey::parse(id, 5).unwrap();
        made.iter().find(|question| question.key == key).unwrap()
    }

    fn sorted(options: &[String]) -> Vec<&str> {
        let mut options: Vec<&str> = options.iter().map(String::as_str).collect();
        options.sort_unstable();
        options
    }

    #[test]
    fn five_scenarios_give_71_questions_with_the_papers_numbers_of_options() {
        let made = questions(&sketch(5, &[]), 1);
        assert_eq!(made.len(), 71);
        for question in &made {
            let expected = match question.key.kind {
                QuestionKind::What | QuestionKind::How => 8,
                QuestionKind::Influence => 7,
                QuestionKind::Whether => 5,
                QuestionKind::Why => 16,
            };
            assert_eq!(question.options.len(), expected, "{question:?}");
            let distinct: IndexSet<&String> = question.options.iter().collect();
            assert_eq!(distinct.len(), expected, "{question:?}");
        }
    }

    #[test]
    fn right_and_wrong_options_come_from_the_sketch() {
        let made = questions(&sketch(5, &[]), 1);
        let what = find(&made, "type_a_what_7");
        assert_eq!(what.options[what.answer], "emotion 2");
        let elsewhere = ["emotion 1", "emotion 2", "emotion 3", "emotion 4", "emotion 5"];
        let here = ["action 2", "belief 2", "intention 2"];
        let mut expected: Vec<&str> = elsewhere.into_iter().chain(here).collect();
        expected.sort_unstable();
        assert_eq!(sorted(&what.options), expected);
        let influence = find(&made, "type_c_how_8");
        assert_eq!(influence.options[influence.answer], "to intention 3");
        assert!(influence.options.contains(&"to emotion 3".to_string()));
        assert_eq!(influence.question, "In scenario 3, how do Ada's belief and emotion shape Ada's intention?");
        let whether = find(&made, "type_d_whether_2");
        assert_eq!(whether.options[whether.answer], "Yes, from belief 2 to belief 3");
        let why = find(&made, "type_d_why_16");
        assert_eq!(why.options[why.answer], "action because 4");
        let how = find(&made, "type_d_how_3");
        let right = "intention 1 -> intention 2 -> intention 3 -> intention 4 -> intention 5";
        assert_eq!(how.options[how.answer], right);
        assert_eq!(how.options.iter().filter(|option| option.split(THEN).count() == 4).count(), 1);
        let mixed = how.options.iter().filter(|option| option.split(THEN).any(|state| !state.starts_with("intention")));
        assert_eq!(mixed.count(), 3);
    }

    #[test]
    fn an_item_that_stays_the_same_is_answered_no_and_has_no_why() {
        let made = questions(&sketch(5, &[(ReasoningItem::Belief, 2)]), 1);
        assert_eq!(made.len(), 70);
        let whether = find(&made, "type_d_whether_2");
        assert_eq!((whether.options[whether.answer].as_str(), whether.options.len()), ("No", 4));
        let gone = QuestionKey::parse("type_d_why_2", 5).unwrap();
        assert!(made.iter().all(|question| question.key != gone));
    }

    #[test]
    fn the_right_option_stands_everywhere_about_equally_often() {
        let mut at = [0; 8];
        for seed in 0..60 {
            let made = questions(&sketch(5, &[]), seed);
            made.iter().filter(|made| made.key.kind == QuestionKind::What).for_each(|made| at[made.answer] += 1);
        }
        // 1,200 draws over eight places: 150 expected, standard deviation 11.5.
        assert!(at.iter().all(|&count| (100..200).contains(&count)), "{at:?}");
    }

    #[test]
    fn the_same_seed_makes_the_same_questions() {
        assert_eq!(questions(&sketch(4, &[]), 7), questions(&sketch(4, &[]), 7));
        assert_ne!(questions(&sketch(4, &[]), 7), questions(&sketch(4, &[]), 8));
    }
}
