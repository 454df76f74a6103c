//! The two sides of a comparison between cases.

use std::fmt;
use std::str::FromStr;

use indexmap::IndexMap;

use super::places::Place;

/// Criterion that divides cases into groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grouping {
    /// Wrong answers against right ones.
    Verdict,
    /// False beliefs against true ones.
    Belief,
    /// The two most frequent languages.
    Language,
    /// The two most frequent models.
    Model,
    /// The two most frequent values of a facet.
    Facet(String),
}

/// An invalid grouping.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("empty group name; use verdict, belief or the name of a facet")]
pub struct ParseGroupingError;

impl Grouping {
    /// The group of a case; `None` if it has none.
    pub fn group(&self, place: &Place) -> Option<String> {
        match self {
            Grouping::Verdict => {
                place.right.map(|right| if right { "right answers" } else { "wrong answers" }.to_string())
            }
            Grouping::Belief => {
                place.belief.map(|belief| if belief { "true belief" } else { "false belief" }.to_string())
            }
            Grouping::Language => Some(place.language.name().to_string()),
            Grouping::Model => Some(place.model_name.clone()),
            Grouping::Facet(facet) => place.facets.get(facet).map(|value| format!("{facet}: {value}")),
        }
    }

    /// The facet that defines the groups, which compared cases then need not share.
    pub fn facet(&self) -> Option<&str> {
        match self {
            Grouping::Verdict | Grouping::Belief | Grouping::Model => None,
            Grouping::Language => Some("language"),
            Grouping::Facet(facet) => Some(facet),
        }
    }

    /// Names of the two sides among the groups of cases: wrong before right, false before true, and otherwise the two
    /// most frequent, the more frequent first (on ties the one seen first). `None` if there are not two.
    pub fn sides<'a>(&self, groups: impl Iterator<Item = &'a str>) -> Option<(String, String)> {
        let mut counts: IndexMap<&str, usize> = IndexMap::new();
        for group in groups {
            *counts.entry(group).or_default() += 1;
        }
        let pair = |first: &str, second: &str| {
            (counts.contains_key(first) && counts.contains_key(second)).then(|| (first.to_string(), second.to_string()))
        };
        match self {
            Grouping::Verdict => pair("wrong answers", "right answers"),
            Grouping::Belief => pair("false belief", "true belief"),
            Grouping::Language | Grouping::Model | Grouping::Facet(_) => {
                let mut by_size: Vec<(&str, usize)> = counts.iter().map(|(name, count)| (*name, *count)).collect();
                by_size.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
                pair(by_size.first()?.0, by_size.get(1)?.0)
            }
        }
    }
}

impl fmt::Display for Grouping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Grouping::Verdict => f.write_str("verdict"),
            Grouping::Belief => f.write_str("belief"),
            Grouping::Language => f.write_str("language"),
            Grouping::Model => f.write_str("model"),
            Grouping::Facet(facet) => f.write_str(facet),
        }
    }
}

impl FromStr for Grouping {
    type Err = ParseGroupingError;

    fn from_str(given: &str) -> Result<Self, ParseGroupingError> {
        match given {
            "" => Err(ParseGroupingError),
            "verdict" => Ok(Grouping::Verdict),
            "belief" => Ok(Grouping::Belief),
            facet => Ok(Grouping::Facet(facet.to_string())),
        }
    }
}
