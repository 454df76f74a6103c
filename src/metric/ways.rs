//! Outcomes by way of asking and answering, and the rows of their tables.

use indexmap::IndexMap;

use super::Outcome;
use super::respondent::{Header, Respondent};
use crate::benchmark::Item;

/// How items of one language were asked and answered.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Way<'a> {
    style: &'a str,
    /// The presentation, without what tells its members apart.
    presentation: Option<String>,
    /// Code of the language.
    pub language: &'a str,
    rater: Option<&'a str>,
}

impl Way<'_> {
    pub fn header(&self, by: Respondent<'_>) -> Header {
        by.header(self.style, self.presentation.as_deref())
    }
}

/// The outcomes that did not fail, by way, in the order of their first. `split` has what tells the members of a way apart,
/// and the name of the presentation without it; `None` leaves an outcome out.
pub(super) fn by_way<'a, T>(
    outcomes: &[&'a Outcome<'a>],
    split: impl Fn(&'a Outcome<'a>) -> Option<(T, Option<String>)>,
) -> IndexMap<Way<'a>, Vec<(T, &'a Outcome<'a>)>> {
    by_way_with_failed(outcomes, |outcome| split(outcome).filter(|_| !outcome.failed()))
}

/// Like [`by_way`], with outcomes that failed.
pub(super) fn by_way_with_failed<'a, T>(
    outcomes: &[&'a Outcome<'a>],
    split: impl Fn(&'a Outcome<'a>) -> Option<(T, Option<String>)>,
) -> IndexMap<Way<'a>, Vec<(T, &'a Outcome<'a>)>> {
    let mut ways: IndexMap<Way<'a>, Vec<(T, &'a Outcome<'a>)>> = IndexMap::new();
    for outcome in outcomes.iter().copied() {
        let Some((member, presentation)) = split(outcome) else { continue };
        let (language, rater) = (outcome.item.language.code(), outcome.rater.as_deref());
        let way = Way { style: &outcome.style, presentation, language, rater };
        ways.entry(way).or_default().push((member, outcome));
    }
    ways
}

/// The key of the row of all items, and those of a row for each value of these facets, sorted; of a facet with a single value
/// there is none.
pub(super) fn keys<'i>(
    items: impl Iterator<Item = &'i Item> + Clone,
    facets: &[&str],
) -> Vec<IndexMap<String, String>> {
    let of_facet = |&facet: &&str| {
        let mut values: Vec<&str> = items.clone().filter_map(|item| item.facet(facet)).collect();
        values.sort_unstable();
        values.dedup();
        let key = |value: &str| IndexMap::from([(facet.to_string(), value.to_string())]);
        if values.len() < 2 { Vec::new() } else { values.into_iter().map(key).collect() }
    };
    std::iter::once(IndexMap::new()).chain(facets.iter().flat_map(of_facet)).collect()
}

/// Whether an item belongs to a row.
pub(super) fn fits(item: &Item, key: &IndexMap<String, String>) -> bool {
    key.iter().all(|(facet, value)| item.facet(facet) == Some(value))
}
