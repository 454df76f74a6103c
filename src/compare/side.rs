//! The sides of a comparison.

use indexmap::IndexMap;
use strum::{IntoStaticStr, VariantArray};

use super::CompareError;
use crate::answer::Outcome;
use crate::name::named;

/// One side of a comparison.
#[derive(Debug, Clone)]
pub struct Side<'a> {
    /// Name of the side, unique among all sides.
    pub label: String,
    /// How the answers were obtained, for instance `letters`. Log-probabilities of sides with different methods are not
    /// compared.
    pub answers: String,
    /// Outcome of each item.
    pub outcomes: Vec<&'a Outcome<'a>>,
}

/// Property that splits the outcomes of one or several runs into sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Between {
    /// The language of an item.
    Language,
    /// Its variant, for instance direct or cultural.
    Variant,
    /// The style of the prompt.
    Style,
    /// Changed presentation; `plain` if unchanged.
    Condition,
}

named!(Between, "property that sides differ in");

impl Between {
    /// The value of an outcome; `None` if its item has none.
    pub(super) fn value<'o>(self, outcome: &'o Outcome<'_>) -> Option<&'o str> {
        match self {
            Between::Language => Some(outcome.item.language.code()),
            Between::Variant => outcome.item.facet("variant"),
            Between::Style => Some(&outcome.style),
            Between::Condition => Some(outcome.condition.as_deref().unwrap_or("plain")),
        }
    }
}

/// One side for each value of a property, from the outcomes of all given sides, in order of first occurrence.
/// Outcomes without a value are dropped.
pub fn split<'a>(sides: &[Side<'a>], between: Between) -> Result<Vec<Side<'a>>, CompareError> {
    let mut split: IndexMap<&'a str, Side<'a>> = IndexMap::new();
    for side in sides {
        for &outcome in &side.outcomes {
            let Some(value) = between.value(outcome) else { continue };
            let entry = || Side { label: value.to_string(), answers: side.answers.clone(), outcomes: Vec::new() };
            let of_value = split.entry(value).or_insert_with(entry);
            if of_value.answers != side.answers {
                of_value.answers = format!("{}; {}", of_value.answers, side.answers);
            }
            of_value.outcomes.push(outcome);
        }
    }
    match split.len() {
        0 | 1 => Err(CompareError::OneValue {
            between: between.name(),
            value: split.keys().next().map(|value| value.to_string()),
        }),
        _ => Ok(split.into_values().collect()),
    }
}
