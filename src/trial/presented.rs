//! How an item is presented.

use std::borrow::Cow;
use std::sync::Arc;

use super::questions::QuestionsPerPrompt;
use super::shots::Shots;
use crate::benchmark::Item;
use crate::prompt::{Condition, Instructions, Reminder, budget_part};

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
    /// Whose answer to the question of which link stands before its own question, if any.
    pub reminder: Option<(Reminder, Arc<str>)>,
    /// The number of tokens to which the thought before its answer is cut, if it follows one.
    pub thinking: Option<usize>,
}

impl Presented {
    /// Under a condition, with instructions in a language.
    pub fn under(condition: Option<Condition>, instructions: Instructions) -> Presented {
        Presented { condition, instructions, ..Presented::default() }
    }

    /// Returns the name under which answers are reported: the condition, English instructions, several questions in a
    /// prompt, the number of examples, the reminder (`remind-own-LINK`) and the budget of a thought (`thinking-128`), joined by
    /// `+`; `None` for the plain presentation.
    pub fn name(&self) -> Option<String> {
        let parts = [self.condition.map(Condition::name), self.instructions.condition()];
        let mut parts: Vec<String> = parts.into_iter().flatten().map(str::to_string).collect();
        parts.extend(self.questions.map(QuestionsPerPrompt::condition));
        parts.extend(self.shots.as_deref().map(Shots::condition));
        parts.extend(self.reminder.as_ref().map(|(kind, link)| kind.part(link)));
        parts.extend(self.thinking.map(budget_part));
        (!parts.is_empty()).then(|| parts.join("+"))
    }

    /// Returns the item as it is asked about, borrowed where nothing changes.
    pub fn shown<'i>(&self, item: &'i Item) -> Cow<'i, Item> {
        let mut shown = Condition::shown(self.condition, item);
        if let Some((kind, _)) = &self.reminder {
            kind.add_to(&mut shown);
        }
        shown
    }

    /// Whether it is one of the item: a reminder needs an answer.
    pub fn is_of(&self, item: &Item) -> bool {
        self.reminder.as_ref().is_none_or(|(kind, _)| kind.is_of(item))
    }
}
