//! Statistics of a set as its paper prints them, beside the same of the files. `datasets/README.md` explains the format
//! to card writers.

use std::collections::BTreeSet;

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};

use super::count::CountKey;
use super::stats::{Length, Ruler};
use super::{Benchmark, Filter, Item};
use crate::language::Language;

/// A table of statistics that a paper prints.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PrintedTable {
    title: String,
    /// The paper's table or figure.
    source: String,
    /// Facet whose values name the rows; absent for a table of one row.
    by: Option<String>,
    /// Whether a mean in the row `*` is the plain mean over the values of the facet instead of that over questions.
    #[serde(default)]
    plain_means: bool,
    columns: Vec<PrintedColumn>,
    /// Figures as printed, in the order of the columns, by facet value; `*` is the row of all items with the facet.
    rows: IndexMap<String, Vec<f64>>,
    /// Reasons of differences, by row or column.
    #[serde(default)]
    remarks: IndexMap<String, String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenColumn {
    name: String,
    count: Option<String>,
    share: Option<String>,
    mean: Option<String>,
    sum: Option<String>,
    unavailable: Option<String>,
    #[serde(default, rename = "where")]
    filter: Filter,
    tokenizer: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "WrittenColumn")]
struct PrintedColumn {
    name: String,
    quantity: Quantity,
    filter: Filter,
    /// The tokenizer of the paper.
    tokenizer: Option<String>,
}

#[derive(Debug, Clone)]
enum Quantity {
    Count(CountKey),
    /// Questions counted, in percent of all.
    Share(CountKey),
    /// Mean over questions.
    MeanLength(Length),
    /// Mean over questions of a facet that is a number.
    MeanFacet(String),
    /// Sum over stories of a facet that is a number.
    Sum(String),
    Unavailable(String),
}

impl TryFrom<WrittenColumn> for PrintedColumn {
    type Error = String;

    fn try_from(written: WrittenColumn) -> Result<Self, String> {
        let WrittenColumn { name, count, share, mean, sum, unavailable, filter, tokenizer } = written;
        let key = |text: String| text.parse::<CountKey>().map_err(|error| error.to_string());
        let of_mean = |text: String| text.parse().map_or(Quantity::MeanFacet(text), Quantity::MeanLength);
        let quantity = match (count, share, mean.map(of_mean), sum, unavailable) {
            (Some(text), None, None, None, None) => Quantity::Count(key(text)?),
            (None, Some(text), None, None, None) => Quantity::Share(key(text)?),
            (None, None, Some(mean), None, None) => mean,
            (None, None, None, Some(facet), None) => Quantity::Sum(facet),
            (None, None, None, None, Some(reason)) => Quantity::Unavailable(reason),
            _ => return Err(format!("column `{name}` needs one of count, share, mean, sum and unavailable")),
        };
        Ok(PrintedColumn { name, quantity, filter, tokenizer })
    }
}

/// A paper's table of statistics, with the same statistics of the files.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SetTable {
    /// Name of the benchmark.
    pub benchmark: Benchmark,
    /// Heading.
    pub title: String,
    /// The paper's table or figure.
    pub source: String,
    /// Facet whose values name the rows; null for a table of one row.
    pub by: Option<String>,
    /// Names of the statistics.
    pub columns: Vec<String>,
    /// Rows in the order of the paper.
    pub rows: Vec<SetRow>,
}

/// One row of a paper's statistics.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SetRow {
    /// The facet's value, or `*` for all items with the facet.
    pub name: String,
    /// One figure per column.
    pub figures: Vec<PrintedFigure>,
}

/// A printed figure and the found one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PrintedFigure {
    /// The figure of the files; null with a `reason`.
    pub found: Option<f64>,
    /// The figure as the paper prints it.
    pub printed: f64,
    /// Decimals that the paper prints in this column.
    pub decimals: usize,
    /// Whether the two differ at these decimals.
    pub differs: bool,
    /// Reasons of the difference, as far as known; absent if unknown, or if they agree.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// Reason why nothing was found; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The statistics of a card, found in these items; `languages` are those of the card.
pub fn set_tables<'a>(
    benchmark: Benchmark,
    languages: &[Language],
    tables: &[PrintedTable],
    items: &'a [Item],
    ruler: &mut Ruler<'a>,
) -> Vec<SetTable> {
    let read: BTreeSet<Language> = items.iter().map(|item| item.language).collect();
    let lacks_languages = !languages.iter().all(|language| read.contains(language));
    let mut all = Vec::new();
    for table in tables {
        let decimals: Vec<usize> = (0..table.columns.len())
            .map(|column| table.rows.values().filter_map(|row| row.get(column)).map(decimals).max().unwrap_or(0))
            .collect();
        let row = |(name, printed): (&String, &Vec<f64>)| {
            let of_row = table.by.as_ref().map(|facet| Filter::of(facet, name)).unwrap_or_default();
            let figure = |((column, &printed), &decimals): ((&PrintedColumn, &f64), &usize)| {
                let is_of = |item: &&Item| passes(&of_row, item) && passes(&column.filter, item);
                let of_cell: Vec<&Item> = items.iter().filter(is_of).collect();
                let all_languages = !column.filter.facets().any(|facet| facet == LANGUAGE);
                let found = match all_languages && lacks_languages && languages.len() > 1 {
                    true => Err("over all languages of the benchmark".to_string()),
                    false => table.found(column, name, &of_cell, ruler),
                };
                let differs = found.as_ref().is_ok_and(|found| !agree(*found, printed, decimals));
                let remarks = [name, &column.name].into_iter().filter_map(|key| table.remarks.get(key)).cloned();
                let remarks = remarks.filter(|_| differs).collect();
                let (found, reason) = found.map_or_else(|reason| (None, Some(reason)), |found| (Some(found), None));
                PrintedFigure { found, printed, decimals, differs, remarks, reason }
            };
            let figures = table.columns.iter().zip(printed).zip(&decimals).map(figure).collect();
            SetRow { name: name.clone(), figures }
        };
        all.push(SetTable {
            benchmark,
            title: table.title.clone(),
            source: table.source.clone(),
            by: table.by.clone(),
            columns: table.columns.iter().map(|column| column.name.clone()).collect(),
            rows: table.rows.iter().map(row).collect(),
        });
    }
    all
}

const LANGUAGE: &str = "language";

fn passes(filter: &Filter, item: &Item) -> bool {
    filter.passes(|facet| item.grouped_by(facet))
}

/// Decimals of a number as written.
fn decimals(number: &f64) -> usize {
    number.to_string().split_once('.').map_or(0, |(_, after)| after.len())
}

/// Whether two numbers are equal at these decimals; a number halfway between agrees with both neighbours.
fn agree(found: f64, printed: f64, decimals: usize) -> bool {
    let unit = 10f64.powi(-i32::try_from(decimals).unwrap_or(0));
    (found - printed).abs() <= unit / 2.0 + 1e-9
}

impl PrintedTable {
    /// The statistic over the items of a cell, or the reason why there is none.
    fn found<'a>(
        &self,
        column: &PrintedColumn,
        row: &str,
        items: &[&'a Item],
        ruler: &mut Ruler<'a>,
    ) -> Result<f64, String> {
        if let Quantity::Unavailable(reason) = &column.quantity {
            return Err(reason.clone());
        }
        if items.is_empty() {
            return Err("no such items in the data".into());
        }
        let number = |item: &Item, facet: &str| {
            let value = item.grouped_by(facet).and_then(|value| value.parse::<f64>().ok());
            value.ok_or_else(|| format!("{} has no number as `{facet}`", item.id))
        };
        let mean = |items: &[&'a Item], ruler: &mut Ruler<'a>| -> Result<f64, String> {
            let mut sum = 0.0;
            for &item in items {
                sum += match &column.quantity {
                    Quantity::MeanFacet(facet) => number(item, facet)?,
                    Quantity::MeanLength(length) => ruler.measure(item, *length).ok_or_else(|| {
                        let of_paper = column.tokenizer.as_deref().unwrap_or("its own");
                        format!("needs --tokenizer; the paper counts by {of_paper}")
                    })?,
                    _ => 0.0,
                };
            }
            Ok(sum / items.len() as f64)
        };
        match &column.quantity {
            Quantity::Count(key) => Ok(key.count(items) as f64),
            Quantity::Share(key) => Ok(key.count(items) as f64 / items.len() as f64 * 100.0),
            Quantity::Sum(facet) => {
                let mut stories: IndexSet<&str> = IndexSet::new();
                let first = items.iter().filter(|item| stories.insert(&item.story));
                first.map(|item| number(item, facet)).sum()
            }
            _ => match self.by.as_ref().filter(|_| self.plain_means && row == "*") {
                None => mean(items, ruler),
                Some(facet) => {
                    let mut parts: IndexMap<&str, Vec<&Item>> = IndexMap::new();
                    for &item in items {
                        parts.entry(item.facet(facet).unwrap_or_default()).or_default().push(item);
                    }
                    let means = parts.values().map(|items| mean(items, ruler)).collect::<Result<Vec<f64>, String>>()?;
                    Ok(means.iter().sum::<f64>() / means.len() as f64)
                }
            },
        }
    }

    /// What is wrong with the table: rows of another length than the columns, and remarks on neither row nor column.
    #[cfg(test)]
    fn mistakes(&self) -> Vec<String> {
        let short = self.rows.iter().filter(|(_, row)| row.len() != self.columns.len());
        let known = |name: &String| self.rows.contains_key(name) || self.columns.iter().any(|it| it.name == *name);
        let stray = self.remarks.keys().filter(|name| !known(name));
        let short =
            short.map(|(name, row)| format!("{name}: {} figures for {} columns", row.len(), self.columns.len()));
        short.chain(stray.map(|name| format!("a remark on `{name}`, which is no row or column"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statistics_of_every_card_are_valid() {
        let mut tables = 0;
        for benchmark in Benchmark::ALL {
            for table in &benchmark.card().statistics {
                tables += 1;
                assert_eq!(table.mistakes(), [""; 0], "{benchmark}: {}", table.source);
                assert!(table.source.contains(", Table ") || table.source.contains(", section "), "{}", table.source);
            }
        }
        assert!(tables >= 12, "{tables} tables");
    }

    #[test]
    fn a_column_has_one_statistic() {
        let column = |text: &str| toml::from_str::<PrintedColumn>(text).map(drop).map_err(|error| error.to_string());
        assert_eq!(column("name = 'a'\nmean = 'words'\nwhere = { task = 'x' }"), Ok(()));
        assert!(column("name = 'a'").unwrap_err().contains("one of count, share, mean, sum and unavailable"));
        assert!(column("name = 'a'\nmean = 'words'\ncount = 'items'").is_err());
        assert!(column("name = 'a'\nmena = 'words'").unwrap_err().contains("mena"));
    }

    #[test]
    fn figures_agree_at_the_printed_decimals() {
        for (found, printed, decimals, expected) in
            [(61.215, 61.22, 2, true), (61.2, 61.22, 2, false), (5.0, 5.0, 0, true), (934.0, 935.0, 0, false)]
        {
            assert_eq!(agree(found, printed, decimals), expected, "{found} {printed}");
        }
        assert_eq!([5.0, 79.8, 7.39].map(|number| decimals(&number)), [0, 1, 2]);
    }
}
