//! Prompts with their right answers, as training data in the format that LLaMA-Factory calls alpaca.

use indexmap::IndexMap;
use serde::Serialize;

use crate::benchmark::{Answer, Benchmark, Item, OptionIx};
use crate::chat::{Message, Role};
use crate::progress::Tracker;
use crate::prompt::{Order, Pack, SlotIx};
use crate::trial::{KeptAsk, Settings, asks_of, trials};

/// A prompt and its right answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Example {
    /// The item asked.
    pub id: String,
    /// The system turn; empty without one.
    pub system: String,
    /// The user's turn.
    pub instruction: String,
    /// Always empty: the whole prompt is in `instruction`.
    pub input: String,
    /// The right answer, as the style asks for it.
    pub output: String,
}

/// Items that cannot be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainingError {
    /// The settings fit no prompt.
    #[error(transparent)]
    Trial(#[from] crate::trial::TrialError),
    /// An item does not fit the style.
    #[error("{item}: cannot be asked: {message}")]
    Prompt {
        /// Id of the item.
        item: String,
        /// The problem and its fix.
        message: String,
    },
}

/// The prompts of these items with their right answers: one for each item and option order, or for each option where a set of
/// labels is asked for option by option.
pub fn examples(
    items: &[Item],
    packs: &IndexMap<Benchmark, Pack>,
    settings: &Settings,
    tracker: &Tracker,
) -> Result<Vec<Example>, TrainingError> {
    let trials = trials(items, packs, settings)?;
    let mut examples = Vec::new();
    for (trial, asked) in trials.iter().zip(asks_of(&trials, items, packs, settings, None, tracker)) {
        let item = &items[trial.item];
        let fail = |message: &str| TrainingError::Prompt { item: item.id.clone(), message: message.to_string() };
        let asked = asked.map_err(|failure| fail(&failure.message))?;
        for (slot, ask) in asked.asks.iter().enumerate() {
            let answer =
                right(ask, item, &trial.order, SlotIx(slot)).ok_or_else(|| fail("its style scores no answer"))?;
            let (system, user) = match &ask.messages()[..] {
                [user] if user.role == Role::User => (String::new(), user.content.clone()),
                [Message { role: Role::System, content }, user] if user.role == Role::User => {
                    (content.clone(), user.content.clone())
                }
                _ => return Err(fail("its prompt is not one user turn; use a style without examples")),
            };
            examples.push(Example {
                id: item.id.clone(),
                system,
                instruction: user,
                input: String::new(),
                output: written(&ask.answer_prefix, answer),
            });
        }
    }
    Ok(examples)
}

/// The continuation that is the right answer; `slot` is the option asked about where options are asked one by one.
fn right<'a>(ask: &'a KeptAsk, item: &Item, order: &Order, slot: SlotIx) -> Option<&'a str> {
    let shown = |option: &OptionIx| order.slot_of(*option).0;
    let at = match &item.gold {
        Answer::Single(option) => shown(option),
        // Joint answers are in lexicographic order of slots.
        Answer::Slots(slots) => slots.iter().fold(0, |joint, option| joint * order.len() + shown(option)),
        Answer::Labels(labels) => usize::from(!labels.contains(&order.option_at(slot))),
    };
    ask.continuations.get(at).map(String::as_str)
}

/// The answer with its beginning, whose brackets are closed.
fn written(prefix: &str, answer: &str) -> String {
    let closing: String = prefix.chars().rev().take_while(|&letter| letter == '[').map(|_| ']').collect();
    format!("{prefix}{answer}{closing}").trim().to_string()
}
