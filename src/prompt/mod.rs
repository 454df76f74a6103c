//! Prompts: option orders, styles and packs, chat templates.

mod order;

pub use crate::seed::seeded;
pub use order::{DrawnOrder, NotAPermutation, Order, OrderPolicy, SlotIx, TooManyOrders, UnknownPolicy};
