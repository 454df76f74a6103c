//! Comparisons of languages or variants in published tables: only the figures of a paper's rows are known.

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};

use super::trend::without_rounding;
use super::{Between, Trend};
use crate::benchmark::Benchmark;
use crate::metric::{Layout, PaperTest, Published, Table};
use crate::stats::ks_standard_normal;

/// Format version of this document.
pub const VERSION: u32 = 1;

/// Tests on the published tables of a benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PublishedComparison {
    /// Format version, 1.
    pub version: u32,
    /// The benchmark.
    pub benchmark: Benchmark,
    /// The facet compared.
    pub between: String,
    /// One entry per table and value of the facet, except the first value.
    pub tests: Vec<PublishedTest>,
}

/// A table, compared between two values of a facet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PublishedTest {
    /// The table's id in the card.
    pub table: String,
    /// Its location in the paper; null if the card does not give it.
    pub source: Option<String>,
    /// The first value.
    pub a: String,
    /// The second value.
    pub b: String,
    /// Models with figures for both.
    pub subjects: usize,
    /// Rows with figures for both: a model may have several, for instance one per language.
    pub rows: usize,
    /// Columns that are not means or differences of others.
    pub columns: usize,
    /// The tests on the differences of all cells, second value minus first.
    pub trend: Trend,
    /// P-value of the Kolmogorov-Smirnov test of the printed values themselves, both sides pooled, against the normal
    /// distribution with mean 0 and standard deviation 1: the default test of some programs.
    pub raw_normality_p: Option<f64>,
    /// The paper's figures for the same test; `None` if it gives none.
    pub paper: Option<PaperTest>,
}

impl PublishedComparison {
    /// The document as JSON: indented, keys in a fixed order, a newline at the end.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("it holds only strings, numbers and lists");
        json.push('\n');
        json
    }
}

/// Compares published rows whose facet `between` (or style) is `against` with those of every other value, table by
/// table. The default of `against` is English for languages, otherwise the first value of a table. Rows that average
/// others, and rows of people, are skipped.
pub fn published(
    benchmark: Benchmark,
    layout: &Layout,
    between: Between,
    against: Option<&str>,
) -> PublishedComparison {
    PublishedComparison {
        version: VERSION,
        benchmark,
        between: between.name().to_string(),
        tests: layout.tables.iter().flat_map(|table| tests(table, between, against)).collect(),
    }
}

/// The values of a facet, or the styles, of published rows, in card order.
pub fn published_values(layout: &Layout, between: Between) -> IndexSet<&str> {
    layout.tables.iter().flat_map(subjects).filter_map(|row| value(row, between)).collect()
}

fn subjects(table: &Table) -> impl Iterator<Item = &Published> {
    table.published.iter().filter(|row| !row.human && !row.average)
}

fn value(row: &Published, between: Between) -> Option<&str> {
    match between {
        Between::Style => row.style.as_deref(),
        facet => row.rows.get(facet.name()).map(String::as_str),
    }
}

/// Key shared by compared rows: the subject, its style and the facets, without the compared property.
type Key<'a> = (&'a str, Option<&'a str>, Vec<(&'a str, &'a str)>);

fn key(row: &Published, between: Between) -> Key<'_> {
    let style = row.style.as_deref().filter(|_| !matches!(between, Between::Style));
    let others = row.rows.iter().filter(|(facet, _)| *facet != between.name());
    (&row.label, style, others.map(|(facet, value)| (facet.as_str(), value.as_str())).collect())
}

fn tests(table: &Table, between: Between, against: Option<&str>) -> Vec<PublishedTest> {
    let columns = table.measured();
    let mut by_value: IndexMap<&str, IndexMap<Key<'_>, &Published>> = IndexMap::new();
    for row in subjects(table) {
        if let Some(value) = value(row, between) {
            by_value.entry(value).or_default().insert(key(row, between), row);
        }
    }
    let Some(a) = against.or_else(|| between.reference(by_value.keys().copied())) else { return Vec::new() };
    let Some(first) = by_value.get(a) else { return Vec::new() };
    let test = |(b, second): (&&str, &IndexMap<Key<'_>, &Published>)| {
        let (mut differences, mut raw) = (Vec::new(), Vec::new());
        let (mut rows, mut subjects) = (0, IndexSet::new());
        for (key, before, after) in first.iter().filter_map(|(key, row)| Some((key, row, second.get(key)?))) {
            let cells = columns.iter().filter_map(|&column| Some((before.values[column]?, after.values[column]?)));
            let known = differences.len();
            for (before, after) in cells {
                differences.push(without_rounding(after - before));
                raw.extend([before, after]);
            }
            if differences.len() > known {
                rows += 1;
                subjects.insert(key.0);
            }
        }
        Some(PublishedTest {
            table: table.id.clone(),
            source: table.paper.clone(),
            a: a.to_string(),
            b: b.to_string(),
            subjects: subjects.len(),
            rows,
            columns: columns.len(),
            trend: Trend::new("cells", &differences)?,
            raw_normality_p: ks_standard_normal(&raw).map(|test| test.p_value),
            paper: table.tests.iter().find(|test| test.between == between.name()).cloned(),
        })
    };
    by_value.iter().filter(|(value, _)| **value != a).filter_map(test).collect()
}
