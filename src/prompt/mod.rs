//! Prompts: option orders, styles and packs, what is asked, chat templates.
//!
//! A [`Pack`] holds [`Style`]s; [`asks`] puts an item in a style and an [`Order`]: messages, and the continuations whose
//! log-likelihood is wanted after them.

mod build;
mod choice;
mod message;
mod order;
mod pack;
mod pattern;
mod style;
pub mod template;

pub use crate::seed::seeded;
pub use build::{PromptError, asks, unconditional};
pub use choice::{Condition, Instructions, Scoring, UnknownChoice};
pub use message::{Ask, Message, Prompt, Role, Span, SpanKind};
pub use order::{DrawnOrder, NotAPermutation, Order, OrderPolicy, SlotIx, TooManyOrders, UnknownPolicy};
pub use pack::{Pack, PackError};
pub use pattern::{Filled, Pattern, PatternError, Value};
pub use style::{Placeholders, Style, Wanted};
