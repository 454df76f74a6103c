//! Few-shot examples: items with their right answers before the question.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::build::asks;
use super::style::Style;
use super::{Order, PromptError, Scoring, SlotIx};
use crate::benchmark::{Answer, Item};
use crate::chat::{Message, Role};
use crate::name::named;

/// Separator between examples that share a turn.
const SHOT_BREAK: &str = "\n\n";

/// Presentation of examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ShotForm {
    /// Each as a user turn and an assistant turn.
    #[default]
    Turns,
    /// All in the turn of the question.
    Inline,
}

named!(ShotForm, "form of examples");

/// An example as shown.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shot {
    /// The question.
    pub question: String,
    /// The right answer.
    pub answer: String,
}

impl Shot {
    /// An item with its right answer in the style's format, after `reasoning` if given.
    pub fn new(
        style: &Style,
        item: &Item,
        order: &Order,
        scoring: Scoring,
        reasoning: Option<&str>,
    ) -> Result<Shot, PromptError> {
        let ask = asks(style, item, order, scoring)?.into_iter().next().unwrap_or_default();
        let question = ask.prompt.messages.into_iter().rfind(|message| message.role == Role::User);
        let answer = answer(style, item, order, scoring);
        Ok(Shot {
            question: question.map(|message| message.content).unwrap_or_default(),
            answer: match reasoning {
                Some(reasoning) => format!("{}\n{answer}", reasoning.trim()),
                None => answer,
            },
        })
    }
}

/// The right answer in the style's format: labels enclosed by the style's answer prefix, or texts.
fn answer(style: &Style, item: &Item, order: &Order, scoring: Scoring) -> String {
    let by_label = matches!(scoring, Scoring::Letter | Scoring::Generate) && !style.labels.is_empty();
    let shown = |slot: usize| match style.labels.get(slot) {
        Some(label) if by_label => label.clone(),
        _ => item.options.get(order.option_at(SlotIx(slot)).0).cloned().unwrap_or_default(),
    };
    let slot_of = |option: usize| order.as_slice().iter().position(|&shown| shown == option);
    let mut slots: Vec<usize> = item.gold.options().into_iter().filter_map(slot_of).collect();
    if matches!(item.gold, Answer::Labels(_)) {
        slots.sort_unstable();
    }
    let text = slots.into_iter().map(shown).collect::<Vec<_>>().join(&style.slot_join);
    match by_label {
        true => format!("{}{text}{}", style.answer_prefix, closing(&style.answer_prefix)),
        false => text,
    }
}

/// The closing brackets for an answer prefix.
fn closing(prefix: &str) -> String {
    let close = |open: char| match open {
        '[' => Some(']'),
        '(' => Some(')'),
        '{' => Some('}'),
        '<' => Some('>'),
        _ => None,
    };
    prefix.chars().rev().map_while(close).collect()
}

/// Inserts examples before the question of the messages, in order.
pub fn with_shots(messages: Vec<Message>, shots: &[Shot], form: ShotForm) -> Vec<Message> {
    let mut shown = Vec::with_capacity(messages.len() + 2 * shots.len());
    let last = messages.iter().rposition(|message| message.role == Role::User);
    for (at, mut message) in messages.into_iter().enumerate() {
        if Some(at) == last {
            match form {
                ShotForm::Turns => shown.extend(
                    shots.iter().flat_map(|shot| [Message::user(&shot.question), Message::assistant(&shot.answer)]),
                ),
                ShotForm::Inline => {
                    let before = shots.iter().flat_map(|shot| [&shot.question, SHOT_BREAK, &shot.answer, SHOT_BREAK]);
                    message.content.insert_str(0, &before.collect::<String>());
                }
            }
        }
        shown.push(message);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Benchmark, OptionIx};
    use crate::language::Language;
    use crate::prompt::{Instructions, Pack, Placeholders};

    const PACK: &str = r#"
        benchmark = "b"
        source = "s"
        [[style]]
        name = "vanilla"
        language = "en"
        system = "Answer."
        user = "{question}\n{options}"
        labels = ["A", "B", "C"]
        answer_prefix = "[["
    "#;

    fn item(gold: Answer) -> Item {
        Item {
            id: "b/1".into(),
            benchmark: Benchmark::Custom,
            language: Language::En,
            parallel: "b/1".into(),
            story: "b".into(),
            context: Vec::new(),
            question: "Where?".into(),
            options: ["bag", "tin", "oven"].map(String::from).to_vec(),
            gold,
            facets: Default::default(),
            fields: Default::default(),
            flags: Vec::new(),
        }
    }

    #[test]
    fn the_right_answer_stands_in_the_form_that_is_asked_for() {
        let pack = Pack::parse("p.toml", PACK, Placeholders::OfItems).unwrap();
        let order = Order::try_from(vec![2, 0, 1]).unwrap();
        let answer_of = |gold: Answer, scoring: Scoring, reasoning: Option<&str>| {
            let item = item(gold);
            let style = pack.style_for(&item, "vanilla", Scoring::Generate, Instructions::Item).unwrap();
            Shot::new(style, &item, &order, scoring, reasoning).unwrap()
        };
        let single = answer_of(Answer::Single(OptionIx(0)), Scoring::Letter, None);
        assert_eq!((single.question.as_str(), single.answer.as_str()), ("Where?\nA. oven\nB. bag\nC. tin", "[[B]]"));
        let single = |scoring, reasoning| answer_of(Answer::Single(OptionIx(0)), scoring, reasoning).answer;
        assert_eq!(single(Scoring::Hybrid, None), "bag");
        assert_eq!(single(Scoring::Generate, Some("Ada put it there. ")), "Ada put it there.\n[[B]]");
        let slots = Answer::Slots([2, 0, 2].map(OptionIx).to_vec());
        assert_eq!(answer_of(slots, Scoring::Generate, None).answer, "[[A, B, A]]");
        let labels = Answer::Labels([OptionIx(1), OptionIx(2)].into());
        assert_eq!(answer_of(labels, Scoring::Generate, None).answer, "[[A, C]]");
    }

    #[test]
    fn examples_stand_behind_the_instructions_and_in_front_of_the_question() {
        let shots = [("q1", "a1"), ("q2", "a2")]
            .map(|(question, answer)| Shot { question: question.into(), answer: answer.into() });
        let messages = || vec![Message::system("s"), Message::user("q")];
        let turns: Vec<(Role, String)> =
            with_shots(messages(), &shots, ShotForm::Turns).into_iter().map(|turn| (turn.role, turn.content)).collect();
        let expected = [
            (Role::System, "s"),
            (Role::User, "q1"),
            (Role::Assistant, "a1"),
            (Role::User, "q2"),
            (Role::Assistant, "a2"),
            (Role::User, "q"),
        ];
        assert_eq!(turns, expected.map(|(role, text)| (role, text.to_string())));
        let inline = with_shots(messages(), &shots, ShotForm::Inline);
        assert_eq!(inline, [Message::system("s"), Message::user("q1\n\na1\n\nq2\n\na2\n\nq")]);
    }
}
