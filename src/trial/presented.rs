//! How an item is presented.

use std::borrow::Cow;
use std::sync::Arc;

use super::questions::QuestionsPerPrompt;
use super::shots::Shots;
use crate::benchmark::{Item, Swapper};
use crate::prompt::{Budgeted, Condition, Instructions, Reminder, TokenBudget, wording_part};

/// How an item is presented; all else being the style and the option order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Presented {
    /// Omitted context or replaced option, if any.
    pub condition: Option<Condition>,
    /// Other persons, if any, which [`super::trials`] found to be settled in the item.
    pub swap: Option<Arc<Swapper>>,
    /// Language of the instructions.
    pub instructions: Instructions,
    /// Maximum questions in its prompt, if not only its own.
    pub questions: Option<QuestionsPerPrompt>,
    /// Examples before its question, if any.
    pub shots: Option<Arc<Shots>>,
    /// Number of the wording of its instruction, from 2; `None` for the pack's own.
    pub wording: Option<usize>,
    /// Whose answer to the question of which link stands before its own question, if any.
    pub reminder: Option<(Reminder, Arc<str>)>,
    /// The number of tokens to which the thought before its answer, or its reply, is cut, if it is.
    pub budget: Option<TokenBudget>,
}

impl Presented {
    /// Under a condition, with instructions in a language.
    pub fn under(condition: Option<Condition>, instructions: Instructions) -> Presented {
        Presented { condition, instructions, ..Presented::default() }
    }

    /// Returns the name under which answers are reported: the condition, other persons, English instructions, several
    /// questions in a prompt, the number of examples, a further wording (`wording-2`), the reminder (`remind-own-LINK`), and
    /// the budget of a thought or reply (`thinking-128`, `reply-128`), joined by `+`; `None` for the plain presentation.
    pub fn name(&self) -> Option<String> {
        let mut parts: Vec<String> = self.condition.map(Condition::name).map(str::to_string).into_iter().collect();
        parts.extend(self.swap.as_ref().map(|swapper| swapper.swap.name()));
        parts.extend(self.instructions.condition().map(str::to_string));
        parts.extend(self.questions.map(QuestionsPerPrompt::condition));
        parts.extend(self.shots.as_deref().map(Shots::condition));
        parts.extend(self.wording.map(wording_part));
        parts.extend(self.reminder.as_ref().map(|(kind, link)| kind.part(link)));
        parts.extend(self.budget.map(TokenBudget::part));
        (!parts.is_empty()).then(|| parts.join("+"))
    }

    /// Returns the item as it is asked about, borrowed where nothing changes.
    pub fn shown<'i>(&self, item: &'i Item) -> Cow<'i, Item> {
        let swapped = self.swap.as_ref().and_then(|swapper| swapper.swapped(item).ok());
        let mut shown = changed(self.condition, swapped.map_or(Cow::Borrowed(item), Cow::Owned));
        if let Some((kind, _)) = &self.reminder {
            kind.add_to(&mut shown);
        }
        shown
    }

    /// The number of tokens of the budget, if it is one of these.
    pub fn tokens_of(&self, of: Budgeted) -> Option<usize> {
        self.budget.filter(|budget| budget.of == of).map(|budget| budget.tokens)
    }

    /// The presentation in whose place it stands where these are not cut.
    pub fn uncut(&self, of: Budgeted) -> Presented {
        Presented { budget: self.budget.filter(|budget| budget.of != of), ..self.clone() }
    }

    /// Whether it is one of the item: a reminder needs an answer.
    pub fn is_of(&self, item: &Item) -> bool {
        self.reminder.as_ref().is_none_or(|(kind, _)| kind.is_of(item))
    }
}

/// An item as it is asked under a condition, if any.
pub(super) fn changed(condition: Option<Condition>, item: Cow<'_, Item>) -> Cow<'_, Item> {
    match item {
        Cow::Borrowed(item) => Condition::shown(condition, item),
        Cow::Owned(item) => Cow::Owned(Condition::shown(condition, &item).into_owned()),
    }
}
