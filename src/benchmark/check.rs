//! Checking loaded items: counts against the card, anomalies, unreadable rows.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde::Serialize;

use super::count::{Comparison, UnknownCount, Version, compare, versions};
use super::{Benchmark, Card, Item, LabelSet, Loaded, OptionsNeeded, RowProblem};
use crate::language::Language;

/// Result of checking one benchmark's files.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Check {
    /// Name of the benchmark.
    pub benchmark: Benchmark,
    /// Size of each language and variant.
    pub versions: Vec<Size>,
    /// Seed of data that `tomeval make` wrote; absent for other data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<u64>,
    /// Counts of the card, where the labels are the published ones they hold for; none of made data.
    pub counts: Vec<Comparison>,
    /// Facets with their numbers of distinct values, in order of occurrence.
    pub facets: IndexMap<String, usize>,
    /// The anomalies found.
    pub flags: Vec<FlagCount>,
    /// Questions that cannot be asked with their options hidden (`run --options after|never`), by reason; absent if there are
    /// none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs_options: Vec<ReasonCount>,
    /// Rows and files that could not be read.
    pub problems: Vec<RowProblem>,
}

/// Size of one language and variant.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Size {
    /// Language of the items.
    pub language: Language,
    /// Variant, where the benchmark has several.
    pub variant: Option<String>,
    /// Number of items.
    pub items: usize,
    /// Number of distinct stories.
    pub stories: usize,
    /// Items with at least one anomaly.
    pub flagged: usize,
}

/// Number of occurrences of a flag in one language and variant.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FlagCount {
    /// Name of the flag.
    pub flag: String,
    /// Language of the items.
    pub language: Language,
    /// Variant, where the benchmark has several.
    pub variant: Option<String>,
    /// Number of items with it.
    pub items: usize,
    /// Id of the first flagged item.
    pub first: String,
    /// Details of the first item's anomaly.
    pub detail: String,
}

/// Number of items for one reason in one language and variant.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReasonCount {
    /// The reason.
    pub reason: String,
    /// Language of the items.
    pub language: Language,
    /// Variant, where the benchmark has several.
    pub variant: Option<String>,
    /// Number of items.
    pub items: usize,
    /// Id of the first one.
    pub first: String,
    /// Its question.
    pub question: String,
}

impl Check {
    /// Check what was loaded of the card's benchmark with these labels.
    pub fn new(card: &Card, loaded: Loaded, labels: LabelSet, made: Option<u64>) -> Result<Self, UnknownCount> {
        let counts = match (labels, made) {
            (LabelSet::Published, None) => compare(&card.expected, &loaded.items)?,
            _ => Vec::new(),
        };
        let versions = versions(&loaded.items);
        Ok(Check {
            benchmark: card.name,
            made,
            versions: versions.iter().map(size).collect(),
            counts,
            facets: facets(&loaded.items),
            flags: versions.iter().flat_map(flag_counts).collect(),
            needs_options: versions.iter().flat_map(|version| reason_counts(version, &card.needs_options)).collect(),
            problems: loaded.problems,
        })
    }

    /// Whether all rows were read and all counts match the published ones.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
            && self.versions.iter().any(|size| size.items > 0)
            && self.counts.iter().all(|count| count.found == count.expected)
    }
}

fn facets(items: &[Item]) -> IndexMap<String, usize> {
    let mut values: IndexMap<&str, HashSet<&str>> = IndexMap::new();
    for (facet, value) in items.iter().flat_map(|item| &item.facets) {
        values.entry(facet).or_default().insert(value);
    }
    values.into_iter().map(|(facet, values)| (facet.to_string(), values.len())).collect()
}

fn size(version: &Version<'_>) -> Size {
    let stories: HashSet<&str> = version.items.iter().map(|item| item.story.as_str()).collect();
    Size {
        language: version.language,
        variant: version.variant.map(str::to_string),
        items: version.items.len(),
        stories: stories.len(),
        flagged: version.items.iter().filter(|item| !item.flags.is_empty()).count(),
    }
}

fn reason_counts(version: &Version<'_>, needed: &OptionsNeeded) -> Vec<ReasonCount> {
    let mut counts: IndexMap<String, ReasonCount> = IndexMap::new();
    for (item, closed) in version.items.iter().filter_map(|item| Some((item, needed.closed(item)?))) {
        let reason = closed.reason();
        let first = || ReasonCount {
            reason: reason.clone(),
            language: version.language,
            variant: version.variant.map(str::to_string),
            items: 0,
            first: item.id.clone(),
            question: item.question.clone(),
        };
        counts.entry(reason.clone()).or_insert_with(first).items += 1;
    }
    counts.into_values().collect()
}

fn flag_counts(version: &Version<'_>) -> Vec<FlagCount> {
    let mut counts: Vec<FlagCount> = Vec::new();
    let flagged = |item: &&Item| item.flags.iter().map(|flag| (item.id.clone(), flag.clone())).collect::<Vec<_>>();
    for (id, flag) in version.items.iter().flat_map(flagged) {
        match counts.iter_mut().find(|count| count.flag == flag.name) {
            Some(count) => count.items += 1,
            None => counts.push(FlagCount {
                flag: flag.name.into_owned(),
                language: version.language,
                variant: version.variant.map(str::to_string),
                items: 1,
                first: id,
                detail: flag.detail,
            }),
        }
    }
    counts.sort_by(|one, other| one.flag.cmp(&other.flag));
    counts
}
