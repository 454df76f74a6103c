//! Published tables between languages or variants: of a paper's rows only the figures are known.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::Trend;
use crate::metric::{Layout, Published, Source, Table};

/// Format version of this document.
pub const VERSION: u32 = 1;

/// Tests on the published tables of a benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedComparison {
    /// Format version.
    pub version: u32,
    /// The benchmark's name.
    pub benchmark: String,
    /// The facet that is compared.
    pub between: String,
    /// One entry for each table and value of the facet beside the first.
    pub tests: Vec<PublishedTest>,
}

/// A table with one value of a facet beside another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedTest {
    /// The table's id in the card.
    pub table: String,
    /// Where the paper has it.
    pub source: Option<String>,
    /// The first value.
    pub a: String,
    /// The second value.
    pub b: String,
    /// Rows with figures for both.
    pub rows: usize,
    /// Columns that are no means or differences of other columns of the table.
    pub columns: usize,
    /// The tests on the differences of all cells, second value minus first.
    pub trend: Trend,
}

impl PublishedComparison {
    /// The document as JSON: indented, keys in a fixed order, a newline at the end.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("it holds only strings, numbers and lists");
        json.push('\n');
        json
    }
}

/// Compare published rows whose facet `between` is the first value with those of every other, table by table. Rows that
/// are averages of others are no subjects and are left out, and so are people.
pub fn published(benchmark: &str, layout: &Layout, between: &str) -> PublishedComparison {
    PublishedComparison {
        version: VERSION,
        benchmark: benchmark.to_string(),
        between: between.to_string(),
        tests: layout.tables.iter().flat_map(|table| tests(table, between)).collect(),
    }
}

fn tests(table: &Table, between: &str) -> Vec<PublishedTest> {
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
    let mut by_value: IndexMap<&str, IndexMap<(&str, Vec<(&str, &str)>), &Published>> = IndexMap::new();
    for row in table.published.iter().filter(|row| !row.human && !row.average) {
        if let Some(value) = row.rows.get(between) {
            let others = row.rows.iter().filter(|(facet, _)| *facet != between);
            let key = (row.label.as_str(), others.map(|(facet, value)| (facet.as_str(), value.as_str())).collect());
            by_value.entry(value).or_default().insert(key, row);
        }
    }
    let Some((a, first)) = by_value.first() else { return Vec::new() };
    let test = |(b, second): (&&str, &IndexMap<_, &Published>)| {
        let mut differences = Vec::new();
        let mut rows = 0;
        for (before, after) in first.iter().filter_map(|(key, row)| Some((row, second.get(key)?))) {
            let known = differences.len();
            let cells = columns.iter().filter_map(|&column| Some((before.values[column]?, after.values[column]?)));
            differences.extend(cells.map(|(before, after)| tenths(after - before)));
            rows += usize::from(differences.len() > known);
        }
        Some(PublishedTest {
            table: table.id.clone(),
            source: table.paper.clone(),
            a: a.to_string(),
            b: b.to_string(),
            rows,
            columns: columns.len(),
            trend: Trend::of("cells", &differences)?,
        })
    };
    by_value.iter().skip(1).filter_map(test).collect()
}

/// A difference of printed figures without what binary fractions add to it: equal differences must be ties.
fn tenths(difference: f64) -> f64 {
    (difference * 1e6).round() / 1e6
}
