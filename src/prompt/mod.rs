//! Prompts: option orders, styles and packs.
//!
//! A [`Pack`] contains [`Style`]s; [`asks`] builds the messages for an item in a style and an [`Order`], and the
//! continuations to score after them. [`ask_several`] puts several questions about one context into one prompt.

mod anchored;
mod ask;
mod build;
mod choice;
mod condition;
mod error;
mod order;
mod pack;
mod pattern;
mod reminder;
mod several;
mod shots;
mod style;
mod wordings;

pub use anchored::{Anchor, anchored, lettered};
pub use ask::{Ask, Prompt, Span, SpanKind};
pub use build::{PromptError, asks, unconditional};
pub use choice::{InstructionChoice, Instructions, OptionsShown, Scoring};
pub use condition::{Budgeted, Condition, TokenBudget, none_of_these, wording_and_rest, wording_part};
pub use error::PackError;

pub use order::{DrawnOrder, NotAPermutation, Order, OrderPolicy, SlotIx, TooManyOrders};
pub use pack::Pack;
pub use reminder::{FIRST_ANSWER, FIRST_ANSWERS, Reminder, reminder_and_rest};
pub use several::ask_several;
pub use shots::{Shot, ShotForm, with_shots};
pub use style::{FIRST_REPLY, Placeholders, Style, UNNAMED_STYLE};
