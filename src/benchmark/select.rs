//! Selects items by id and by facet.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Item;
use super::custom::plain;
use crate::name::{did_you_mean, nearest};

/// Name of an item's language in rules.
const LANGUAGE: &str = "language";

/// A condition on an item's facet: `task=False Belief,Desire` or `order!=0`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
pub struct FacetRule {
    facet: String,
    values: String,
    excludes: bool,
}

/// An invalid rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid filter `{given}`; write FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE")]
pub struct NotARule {
    /// The text as given.
    pub given: String,
}

impl FromStr for FacetRule {
    type Err = NotARule;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let bad = || NotARule { given: given.to_string() };
        let (facet, values) = given.split_once('=').ok_or_else(bad)?;
        let (facet, excludes) = facet.strip_suffix('!').map_or((facet, false), |facet| (facet, true));
        if facet.trim().is_empty() || values.split(',').any(|value| value.trim().is_empty()) {
            return Err(bad());
        }
        Ok(FacetRule { facet: facet.trim().to_string(), values: values.trim().to_string(), excludes })
    }
}

impl TryFrom<String> for FacetRule {
    type Error = NotARule;

    fn try_from(given: String) -> Result<Self, Self::Error> {
        given.parse()
    }
}

impl From<FacetRule> for String {
    fn from(rule: FacetRule) -> String {
        rule.to_string()
    }
}

impl fmt::Display for FacetRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}={}", self.facet, if self.excludes { "!" } else { "" }, self.values)
    }
}

impl FacetRule {
    /// An item's value for the facet, which is named as in items or as spelled in a file's header; the language code
    /// for `language`, unless that is a column.
    fn value_in<'a>(&self, item: &'a Item) -> Option<&'a str> {
        let facet = item.facet(&self.facet).or_else(|| item.facet(&plain(&self.facet)));
        facet.or_else(|| (self.facet == LANGUAGE).then(|| item.language.code()))
    }

    /// Whether an item satisfies the rule. An item without the facet has none of its values.
    pub fn holds(&self, item: &Item) -> bool {
        self.value_in(item).is_some_and(|value| self.names(value)) != self.excludes
    }

    /// Whether a value is one of those named. A value may contain commas, so the whole text is one of them too.
    fn names(&self, value: &str) -> bool {
        value == self.values || self.values.split(',').any(|named| named.trim() == value)
    }
}

/// A selection of items; empty selects all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    /// Ids; empty allows any.
    pub ids: Vec<String>,
    /// Rules that must all hold.
    pub rules: Vec<FacetRule>,
}

/// A selection that no item can meet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// An id that no item has.
    #[error("--item {id}: no such item{}", hint_at_id(.like))]
    Item {
        /// The id asked for.
        id: String,
        /// The most similar id.
        like: Option<String>,
    },
    /// A facet that no item has.
    #[error("--where {rule}: no item has the facet `{facet}`{}; the facets are {known}", did_you_mean(.like.as_deref()))]
    Facet {
        rule: Box<FacetRule>,
        facet: String,
        /// The most similar facet.
        like: Option<String>,
        /// All known facets.
        known: String,
    },
    /// A value that the facet has in no item.
    #[error("--where {rule}: no item has {facet}={value}{}", did_you_mean(.like.as_deref()))]
    Value {
        rule: Box<FacetRule>,
        facet: String,
        value: String,
        /// The most similar value.
        like: Option<String>,
    },
}

/// Which id may have been meant, or where ids are to be found.
pub(crate) fn hint_at_id(like: &Option<String>) -> String {
    match like {
        Some(like) => did_you_mean(Some(like)),
        None => "; `tomeval data items` prints the ids".to_string(),
    }
}

/// The name of a facet in items; also found by its spelling in a file's header.
pub fn facet_name(given: &str, items: &[Item]) -> Option<String> {
    let is_there = |name: &String| items.iter().any(|item| item.facet(name).is_some());
    [given.to_string(), plain(given)].into_iter().find(is_there)
}

impl Choice {
    /// Whether the selection is empty.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.rules.is_empty()
    }

    /// Whether an item is selected.
    pub fn takes(&self, item: &Item) -> bool {
        (self.ids.is_empty() || self.ids.contains(&item.id)) && self.rules.iter().all(|rule| rule.holds(item))
    }

    /// Refuse ids, facets and values that none of these items has.
    pub fn check(&self, items: &[Item]) -> Result<(), ChoiceError> {
        for id in &self.ids {
            if !items.iter().any(|item| item.id == *id) {
                let like = nearest(id, items.iter().map(|item| item.id.as_str())).map(str::to_string);
                return Err(ChoiceError::Item { id: id.clone(), like });
            }
        }
        self.rules.iter().try_for_each(|rule| rule.check(items))
    }
}

impl FacetRule {
    fn check(&self, items: &[Item]) -> Result<(), ChoiceError> {
        let (rule, facet) = (Box::new(self.clone()), self.facet.clone());
        let known: BTreeSet<&str> = items.iter().filter_map(|item| self.value_in(item)).collect();
        if known.is_empty() {
            let names = items.iter().flat_map(|item| item.facets.keys().map(String::as_str));
            let names: BTreeSet<&str> = names.chain([LANGUAGE]).collect();
            let like = nearest(&facet, names.iter().copied()).map(str::to_string);
            let known = names.into_iter().collect::<Vec<_>>().join(", ");
            return Err(ChoiceError::Facet { rule, facet, like, known });
        }
        if known.contains(self.values.as_str()) {
            return Ok(());
        }
        match self.values.split(',').map(str::trim).find(|value| !known.contains(value)) {
            None => Ok(()),
            Some(value) => {
                let like = nearest(value, known.iter().copied()).map(str::to_string);
                Err(ChoiceError::Value { rule, facet, value: value.to_string(), like })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Benchmark, LoadOptions};

    fn items() -> Vec<Item> {
        Benchmark::Demo.load(std::path::Path::new(""), &LoadOptions::default()).unwrap().items
    }

    fn choice(ids: &[&str], rules: &[&str]) -> Choice {
        Choice {
            ids: ids.iter().map(ToString::to_string).collect(),
            rules: rules.iter().map(|rule| rule.parse().unwrap()).collect(),
        }
    }

    #[test]
    fn rules_are_read_and_printed_alike() {
        for text in ["task=A", "task=A,B C", "order!=0"] {
            let rule: FacetRule = text.parse().unwrap();
            assert_eq!(rule.to_string(), text);
            assert_eq!(serde_json::to_value(&rule).unwrap(), text);
        }
        for text in ["task", "=A", "task=", "task=A,,B", "!=A"] {
            assert!(text.parse::<FacetRule>().is_err(), "{text}");
        }
    }

    #[test]
    fn commas_mean_or_and_an_exclamation_mark_means_not() {
        let items = items();
        let facet = items[0].facets.keys().next().unwrap().clone();
        let values: BTreeSet<&str> = items.iter().filter_map(|item| item.facet(&facet)).collect();
        let [first, second] = [0, 1].map(|at| *values.iter().nth(at).unwrap());
        let count = |rules: &[&str]| {
            let choice = choice(&[], rules);
            choice.check(&items).unwrap();
            items.iter().filter(|item| choice.takes(item)).count()
        };
        let (one, other) = (count(&[&format!("{facet}={first}")]), count(&[&format!("{facet}={second}")]));
        assert!(one > 0 && other > 0);
        assert_eq!(count(&[&format!("{facet}={first},{second}")]), one + other);
        assert_eq!(count(&[&format!("{facet}!={first},{second}")]), items.len() - one - other);
        assert_eq!(count(&[&format!("{facet}={first}"), &format!("{facet}={second}")]), 0);
        let mut with_comma = items[0].clone();
        with_comma.facets.insert("place".to_string(), "Oslo, Norway".to_string());
        assert!(choice(&[], &["place=Oslo, Norway"]).takes(&with_comma));
    }

    #[test]
    fn what_no_item_has_is_refused_with_the_nearest_name() {
        let items = items();
        let id = &items[0].id;
        let facet = items[0].facets.keys().next().unwrap();
        let value = items[0].facet(facet).unwrap();
        let refused = |choice: Choice| choice.check(&items).unwrap_err().to_string();
        let text = refused(choice(&[&format!("{id}x")], &[]));
        assert!(text.contains(&format!("did you mean `{id}`?")), "{text}");
        let text = refused(choice(&[], &[&format!("{facet}s=1")]));
        assert!(text.contains(&format!("did you mean `{facet}`?")) && text.contains("the facets are"), "{text}");
        let text = refused(choice(&[], &[&format!("{facet}={value}x")]));
        assert!(text.contains(&format!("did you mean `{value}`?")), "{text}");
    }
}
