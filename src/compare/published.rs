//! Published tables between languages or variants: of a paper's rows only the figures are known.

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};

use super::{Between, Trend};
use crate::benchmark::Benchmark;
use crate::metric::{Layout, PaperTest, Published, Source, Table};
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
    /// One entry for each table and value of the facet beside the first.
    pub tests: Vec<PublishedTest>,
}

/// A table with one value of a facet beside another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PublishedTest {
    /// The table's id in the card.
    pub table: String,
    /// Where the paper has it; null where the card does not tell.
    pub source: Option<String>,
    /// The first value.
    pub a: String,
    /// The second value.
    pub b: String,
    /// Models with figures for both.
    pub subjects: usize,
    /// Rows with figures for both: a model may have several, for instance one a language.
    pub rows: usize,
    /// Columns that are no means or differences of others.
    pub columns: usize,
    /// The tests on the differences of all cells, second value minus first.
    pub trend: Trend,
    /// P-value of Kolmogorov and Smirnov's test of the printed values themselves, both sides together, against the normal
    /// distribution of mean 0 and deviation 1: what some programs test where no mean and deviation are given.
    pub raw_normality_p: Option<f64>,
    /// What the paper prints of the same test; `None` where it prints none.
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

/// Compare published rows whose facet `between` (or style) is `against` with those of every other value, table by table.
/// Without `against` it is English between languages, and else the first value of a table. Rows that are averages of others
/// are no subjects and are left out, and so are people.
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

/// The values that published rows have of a facet or as styles, in the order of the card.
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

/// What rows that are compared have in common: the subject, its style and the facets, without what is compared.
type Key<'a> = (&'a str, Option<&'a str>, Vec<(&'a str, &'a str)>);

fn key(row: &Published, between: Between) -> Key<'_> {
    let style = row.style.as_deref().filter(|_| !matches!(between, Between::Style));
    let others = row.rows.iter().filter(|(facet, _)| *facet != between.name());
    (&row.label, style, others.map(|(facet, value)| (facet.as_str(), value.as_str())).collect())
}

fn tests(table: &Table, between: Between, against: Option<&str>) -> Vec<PublishedTest> {
    let visible = |column: &usize| !table.columns[*column].hidden;
    // A mean of hidden columns is as good as measured; one of visible columns would count them again.
    let measured = |column: &usize| {
        visible(column)
            && match &table.columns[*column].source {
                Source::Group { .. } | Source::Unavailable(_) => true,
                Source::Mean(parts) | Source::Range(parts) => !parts.iter().any(visible),
                Source::Difference(left, right) => ![left, right].into_iter().any(visible),
            }
    };
    let columns: Vec<usize> = (0..table.columns.len()).filter(measured).collect();
    let mut by_value: IndexMap<&str, IndexMap<Key<'_>, &Published>> = IndexMap::new();
    for row in subjects(table) {
        if let Some(value) = value(row, between) {
            by_value.entry(value).or_default().insert(key(row, between), row);
        }
    }
    let english = || matches!(between, Between::Language).then_some("en").filter(|en| by_value.contains_key(en));
    let Some(a) = against.or_else(english).or_else(|| by_value.first().map(|(value, _)| *value)) else {
        return Vec::new();
    };
    let Some(first) = by_value.get(a) else { return Vec::new() };
    let test = |(b, second): (&&str, &IndexMap<Key<'_>, &Published>)| {
        let (mut differences, mut raw) = (Vec::new(), Vec::new());
        let (mut rows, mut subjects) = (0, IndexSet::new());
        for (key, before, after) in first.iter().filter_map(|(key, row)| Some((key, row, second.get(key)?))) {
            let cells = columns.iter().filter_map(|&column| Some((before.values[column]?, after.values[column]?)));
            let known = differences.len();
            for (before, after) in cells {
                differences.push(tenths(after - before));
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

/// A difference of printed figures without what binary fractions add to it: equal differences must be ties.
fn tenths(difference: f64) -> f64 {
    (difference * 1e6).round() / 1e6
}
