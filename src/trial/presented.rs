//! How an item is presented.

use std::borrow::Cow;
use std::sync::Arc;

use super::questions::QuestionsPerPrompt;
use super::shots::Shots;
use crate::benchmark::Item;
use crate::prompt::{Condition, Instructions, budget_part};

/// How an item is presented; all else being the style and the option order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Presented {
    /// Omitted context or replaced option, if any.
    pub condition: Option<Condition>,
    /// Language of the instructions.
    pub instructions: Instructions,
    /// Maximum questions in its prompt, if not only its own.
    pub questions: Option<QuestionsPerPrompt>,
    /// Examples before its question, if any.
    pub shots: Option<Arc<Shots>>,
    /// The number of tokens to which the thought before its answer is cut, if it follows one.
    pub thinking: Option<usize>,
}

impl Presented {
    /// Under a condition, with instructions in a language.
    pub fn under(condition: Option<Condition>, instructions: Instructions) -> Presented {
        Presented { condition, instructions, ..Presented::default() }
    }

    /// Returns the name under which answers are reported: the condition, English instructions, several questions in a
    /// prompt, the number of examples, and the budget of a thought (`thinking-128`), joined by `+`; `None` for the plain
    /// presentation.
    pub fn name(&self) -> Option<String> {
        let parts = [self.condition.map(Condition::name), self.instructions.condition()];
        let mut parts: Vec<String> = parts.into_iter().flatten().map(str::to_string).collect();
        parts.extend(self.questions.map(QuestionsPerPrompt::condition));
        parts.extend(self.shots.as_deref().map(Shots::condition));
        parts.extend(self.thinking.map(budget_part));
        (!parts.is_empty()).then(|| parts.join("+"))
    }

    /// Returns the item as it is asked about, borrowed where nothing changes.
    pub fn shown<'i>(&self, item: &'i Item) -> Cow<'i, Item> {
        Condition::shown(self.condition, item)
    }
}
