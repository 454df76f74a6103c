//! The two sides on which the cases of an analysis are set against each other.

use std::fmt;
use std::str::FromStr;

use indexmap::IndexMap;

use super::places::Place;

/// By what cases are told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// Wrong answers against right ones.
    Verdict,
    /// False beliefs against true ones.
    Belief,
    /// The two commonest languages.
    Language,
    /// The two commonest models.
    Model,
    /// The two commonest values of a facet.
    Facet(String),
}

/// A way that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an empty name tells no cases apart; use verdict, belief or the name of a facet")]
pub struct ParseWayError;

impl Way {
    /// The group of a case; `None` where it has none.
    pub fn group(&self, place: &Place) -> Option<String> {
        match self {
            Way::Verdict => place.right.map(|right| if right { "right answers" } else { "wrong answers" }.to_string()),
            Way::Belief => place.belief.map(|belief| if belief { "true belief" } else { "false belief" }.to_string()),
            Way::Language => Some(place.language.name().to_string()),
            Way::Model => Some(place.model_name.clone()),
            Way::Facet(facet) => place.facets.get(facet).map(|value| format!("{facet}: {value}")),
        }
    }

    /// The facet that tells groups apart, which cases that are compared then need not have in common.
    pub fn facet(&self) -> Option<&str> {
        match self {
            Way::Verdict | Way::Belief | Way::Model => None,
            Way::Language => Some("language"),
            Way::Facet(facet) => Some(facet),
        }
    }

    /// The names of the two sides of these groups, each with how many cases have it: wrong before right, false before true, and
    /// else the commoner first, among equals the one met first.
    pub fn sides<'a>(&self, groups: impl Iterator<Item = &'a str>) -> Option<(String, String)> {
        let mut counts: IndexMap<&str, usize> = IndexMap::new();
        for group in groups {
            *counts.entry(group).or_default() += 1;
        }
        let pair = |first: &str, second: &str| {
            (counts.contains_key(first) && counts.contains_key(second)).then(|| (first.to_string(), second.to_string()))
        };
        match self {
            Way::Verdict => pair("wrong answers", "right answers"),
            Way::Belief => pair("false belief", "true belief"),
            Way::Language | Way::Model | Way::Facet(_) => {
                let mut by_size: Vec<(&str, usize)> = counts.iter().map(|(name, count)| (*name, *count)).collect();
                by_size.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
                pair(by_size.first()?.0, by_size.get(1)?.0)
            }
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::Verdict => f.write_str("verdict"),
            Way::Belief => f.write_str("belief"),
            Way::Language => f.write_str("language"),
            Way::Model => f.write_str("model"),
            Way::Facet(facet) => f.write_str(facet),
        }
    }
}

impl FromStr for Way {
    type Err = ParseWayError;

    fn from_str(given: &str) -> Result<Self, ParseWayError> {
        match given {
            "" => Err(ParseWayError),
            "verdict" => Ok(Way::Verdict),
            "belief" => Ok(Way::Belief),
            facet => Ok(Way::Facet(facet.to_string())),
        }
    }
}
