//! How answers were produced, as far as published and measured figures differ in it.

use serde::{Deserialize, Serialize};

/// How answers were produced, besides their style. `None` means unknown: the paper does not state it, or the answers
/// came from elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Method {
    /// Kind of answer; null if not stated.
    pub scoring: Option<String>,
    /// Number of option orders in which each item was shown, as text; null if not stated.
    pub orders: Option<String>,
    /// Source of the prompts' wording; null if unknown.
    pub wording: Option<String>,
}

/// The wording of the paper's own prompts.
pub const OF_PAPER: &str = "the paper's prompts";

impl Method {
    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        *self == Method::default()
    }

    /// Describes a number of option orders.
    pub fn orders(count: usize) -> String {
        const WORDS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
        let word = count.checked_sub(1).and_then(|at| WORDS.get(at)).map(|word| word.to_string());
        format!("{} {}", word.unwrap_or_else(|| count.to_string()), if count == 1 { "order" } else { "orders" })
    }
}
