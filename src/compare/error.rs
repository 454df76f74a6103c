//! Errors of comparisons.

use std::fmt;

use crate::benchmark::Benchmark;

/// A difference between sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Description, for instance `items that a has but another side lacks`.
    pub what: String,
    /// Number of items.
    pub count: usize,
    /// The first items.
    pub first: Vec<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = if self.count > self.first.len() { ", ..." } else { "" };
        write!(f, "{} {}: {}{more}", self.count, self.what, self.first.join(", "))
    }
}

/// Sides that cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// Fewer than two sides.
    #[error(
        "a comparison needs at least two sides, found {0}; name another run, or compare within this one with --between language, variant, style or condition"
    )]
    TooFew(usize),
    /// Two sides with the same name.
    #[error("two sides are called `{0}`; give the runs different names")]
    SameLabel(String),
    /// A property for which all outcomes have the same value, or no value.
    #[error("--between {between}: {}; nothing is left to compare with", match value { Some(value) => format!("everything is `{value}`"), None => "no item has one".to_string() })]
    OneValue {
        /// The property.
        between: &'static str,
        /// The only value.
        value: Option<String>,
    },
    /// Models without answers for some value of the compared property.
    #[error(
        "--between {between} compares within each model, but some lack a side: {}; leave these out, or add their runs; \
         different models are compared without --between",
        lacking.join("; ")
    )]
    Lacking {
        /// The property.
        between: &'static str,
        /// Each such model with the values that it lacks.
        lacking: Vec<String>,
    },
    /// A value of the compared property that no item has.
    #[error("--against {value}: nothing is `{value}`; known are {known}")]
    Against {
        /// The given value.
        value: String,
        /// The values found.
        known: String,
    },
    /// No cell of right answers.
    #[error("--cells: {benchmark} has no table whose columns are shares of right answers; --by FACET makes one")]
    NoCells {
        /// The benchmark.
        benchmark: Benchmark,
    },
    /// Several outcomes of one side match one outcome of another.
    #[error(
        "{label} answers {id} more than once; compare runs in which each item is asked once, or one property at a time"
    )]
    Twice {
        /// The side.
        label: String,
        /// The item.
        id: String,
    },
    /// Sides with different items.
    #[error("the sides have different items:{}\n--common compares only items that are the same on all sides", differences.iter().map(|difference| format!("\n  {difference}")).collect::<String>())]
    Different {
        /// The differences.
        differences: Vec<Difference>,
    },
    /// Sides without common items.
    #[error("the sides have no item in common: {0}")]
    NothingInCommon(String),
    /// Every pair contains a failure.
    #[error("for every common item, all trials failed on some side; nothing is left to compare")]
    AllFailed,
}
