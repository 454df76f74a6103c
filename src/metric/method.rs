//! How answers came about, as far as published figures and measured ones differ in it.

use serde::{Deserialize, Serialize};

/// How answers came about beside their style. What is `None` is not known: the paper does not state it, or the answers came
/// from elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Method {
    /// What an answer is; null where it is not stated.
    pub scoring: Option<String>,
    /// In how many option orders each item was shown, in words; null where it is not stated.
    pub orders: Option<String>,
    /// Whose wording the prompts have; null where it is not known.
    pub wording: Option<String>,
}

/// The wording of the paper's own prompts.
pub const OF_PAPER: &str = "the paper's prompts";

impl Method {
    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        *self == Method::default()
    }

    /// So many option orders in words.
    pub fn orders(count: usize) -> String {
        const WORDS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
        let word = count.checked_sub(1).and_then(|at| WORDS.get(at)).map(|word| word.to_string());
        format!("{} {}", word.unwrap_or_else(|| count.to_string()), if count == 1 { "order" } else { "orders" })
    }
}
