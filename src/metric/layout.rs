//! The tables of a benchmark as its card declares them. `datasets/README.md` explains the format to card writers.

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};

use super::link::{self, Link, Twins};
use super::{Across, Drawing, Filter, Measure, Method};
use crate::benchmark::Scalar;
use crate::parse_error::in_words;

/// The part of a card that describes tables; the rest of the card is handled by [`crate::benchmark::Card`].
#[derive(Debug, Clone, Default)]
pub struct Layout {
    /// The tables, in the order of the report.
    pub tables: Vec<Table>,
    /// Notes shown in every report of this benchmark.
    pub notes: Vec<String>,
    /// The facet by which samples are stratified; `None` if the card names none.
    pub stratum: Option<String>,
    /// Items of a story that belong together.
    pub links: Vec<Link>,
    /// Versions of the same questions.
    pub twins: Vec<Twins>,
    /// Facets within whose values groups of items are compared, and shortcuts looked for.
    pub strata: Vec<String>,
}

/// Prefix of the ids of tables requested by the user.
pub const BY: &str = "by-";

/// One table: measured rows by facet, columns by filter, published rows beside them.
#[derive(Debug, Clone)]
pub struct Table {
    /// Short name, unique within the card.
    pub id: String,
    /// Heading.
    pub title: String,
    /// The paper's table or figure that this repeats.
    pub paper: Option<String>,
    /// Facets whose values form the rows. Style and condition always separate rows and need not be named.
    pub rows: Vec<String>,
    /// Filter for the table's items.
    pub filter: Filter,
    /// The columns, including hidden ones; derived columns come after those they are computed from.
    pub columns: Vec<Column>,
    /// Whether a report prints columns downwards, for tables with many columns.
    pub transpose: bool,
    /// Kinds of figures; empty if they follow from the values.
    pub figures: Vec<Drawing>,
    /// Parts of the visible columns that figures with an axis a column draw apart, each with its first column.
    pub parts: IndexMap<String, usize>,
    /// A remark printed under the table.
    pub note: Option<String>,
    /// Rows from the paper.
    pub published: Vec<Published>,
    /// Tests over these rows whose results are printed in the paper.
    pub tests: Vec<PaperTest>,
    /// What is computed across rows.
    pub across: Across,
}

impl Table {
    /// The columns to count as measurements of their own: visible ones that are not means or differences of other
    /// visible ones.
    pub fn measured(&self) -> Vec<usize> {
        let visible = |column: &usize| !self.columns[*column].hidden;
        // A mean of hidden columns counts as measured; a mean of visible columns would count them twice.
        let measured = |column: &usize| {
            visible(column)
                && match &self.columns[*column].source {
                    Source::Group { .. } | Source::Unavailable(_) => true,
                    Source::Both(part) => !visible(part),
                    Source::Mean(parts) | Source::Range(parts) => !parts.iter().any(visible),
                    Source::Difference(left, right) => ![left, right].into_iter().any(visible),
                }
        };
        (0..self.columns.len()).filter(measured).collect()
    }
}

/// A paper's printed result of a test over its table, and why ours differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PaperTest {
    /// The facet of a test printed in the paper; `paper` is null if it prints none.
    pub between: String,
    /// Where it is printed.
    pub source: String,
    /// Its p-value for normality, as printed.
    pub normality_p: Option<String>,
    /// Its p-value for the signed-rank test, as printed.
    pub rank_p: Option<String>,
    /// Why ours differs, as far as known.
    pub remark: String,
}

/// One column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Heading, unique within the table.
    pub name: String,
    /// Whether it only serves other columns and is not printed.
    pub hidden: bool,
    /// Source of its cells.
    pub source: Source,
}

/// Source of a column's cells. Numbers are indices of earlier columns.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// A measure over the outcomes that pass the filter.
    Group {
        measure: Measure,
        /// Filter for the table's items.
        filter: Filter,
    },
    /// Plain mean of other columns.
    Mean(Vec<usize>),
    /// First column minus second, in percentage points.
    Difference(usize, usize),
    /// Largest minus smallest of other columns, in percentage points.
    Range(Vec<usize>),
    /// Plain mean of an earlier column over both rows of the table's change.
    Both(usize),
    /// Never measured here, with the reason.
    Unavailable(String),
}

/// A row of published figures.
#[derive(Debug, Clone)]
pub struct Published {
    /// The subject: a model with its prompting, or people.
    pub label: String,
    /// Whether the subject is people.
    pub human: bool,
    /// Whether the figures are means over other rows.
    pub average: bool,
    /// The table that contains the figures.
    pub source: String,
    /// Prompt style; `None` for people, and if the paper does not state it.
    pub style: Option<String>,
    /// How the answers were produced.
    pub method: Method,
    /// Facet values of the measured rows that it is shown with; empty for every row.
    pub rows: IndexMap<String, String>,
    /// One value per column (including hidden ones) in percent; `None` if the paper has none.
    pub values: Vec<Option<f64>>,
}

/// An invalid table description.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// Not TOML, or an unknown key or value.
    #[error("tables of the card: {}", in_words(source))]
    Malformed {
        /// The parser's reason, with line and column.
        #[from]
        source: toml::de::Error,
    },
    /// A contradictory table.
    #[error("table `{table}`: {message}")]
    Contradiction {
        /// The table's id.
        table: String,
        /// The contradiction, and the remedy.
        message: String,
    },
}

impl Layout {
    /// Parses the tables of a card, given the card's text. A card without tables gets one: accuracy by language.
    pub fn parse(card: &str) -> Result<Layout, LayoutError> {
        let card: CardTables = toml::from_str(card)?;
        let CardTables { notes, stratum, strata, mut links, twins, .. } = card;
        link::check(&mut links, &twins).map_err(|(table, message)| LayoutError::Contradiction { table, message })?;
        let mut layout = Layout { tables: Vec::new(), notes, stratum, strata, links, twins };
        for written in card.tables {
            let id = written.id.clone();
            if layout.tables.iter().any(|known| known.id == id) {
                return Err(LayoutError::Contradiction { table: id, message: "the id is used twice".into() });
            }
            let table =
                written.check(&card.published).map_err(|message| LayoutError::Contradiction { table: id, message })?;
            layout.tables.push(table);
        }
        if layout.tables.is_empty() {
            layout.tables.push(accuracy_by("accuracy".into(), "Accuracy".into(), Vec::new()));
        }
        Ok(layout)
    }

    /// Facets used in rows or columns of its tables, in order.
    pub fn facets(&self) -> IndexSet<String> {
        let columns = |table: &Table| {
            let filters = table.columns.iter().filter_map(|column| match &column.source {
                Source::Group { filter, .. } => Some(filter.facets().cloned()),
                _ => None,
            });
            filters.flatten().collect::<Vec<_>>()
        };
        self.tables.iter().flat_map(|table| table.rows.iter().cloned().chain(columns(table))).collect()
    }

    /// Adds a table: accuracy by language and these facets.
    pub fn add_accuracy_by(&mut self, facets: &[String]) {
        let id = format!("{BY}{}", facets.join("-"));
        if self.tables.iter().all(|table| table.id != id) {
            self.tables.push(accuracy_by(id, format!("Accuracy by {}", facets.join(" and ")), facets.to_vec()));
        }
    }
}

fn accuracy_by(id: String, title: String, facets: Vec<String>) -> Table {
    let facets = facets.into_iter().filter(|facet| facet != "language");
    let column = Column {
        name: "Accuracy".into(),
        hidden: false,
        source: Source::Group { measure: Measure::Accuracy, filter: Filter::default() },
    };
    Table {
        id,
        title,
        paper: None,
        rows: std::iter::once("language".to_string()).chain(facets).collect(),
        filter: Filter::default(),
        columns: vec![column],
        transpose: false,
        figures: Vec::new(),
        parts: IndexMap::new(),
        note: None,
        published: Vec::new(),
        tests: Vec::new(),
        across: Across::default(),
    }
}

#[derive(Deserialize)]
struct CardTables {
    #[serde(default)]
    tables: Vec<WrittenTable>,
    #[serde(default)]
    notes: Vec<String>,
    stratum: Option<String>,
    #[serde(default)]
    strata: Vec<String>,
    #[serde(default)]
    links: Vec<Link>,
    #[serde(default)]
    twins: Vec<Twins>,
    #[serde(default)]
    published: WrittenMethod,
}

/// How published figures were produced: for all rows of a card, or for one row that differs.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenMethod {
    style: Option<String>,
    scoring: Option<String>,
    orders: Option<Orders>,
    wording: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "orders are a whole number, or a text")]
enum Orders {
    Count(usize),
    Text(String),
}

/// Text in a card for facts that its paper does not state.
const NOT_STATED: &str = "not stated";

impl WrittenMethod {
    /// Style and method of a row, with the card's values where the row has none.
    fn stated(row: WrittenMethod, card: &WrittenMethod) -> (Option<String>, Method) {
        let known = |row: Option<String>, card: &Option<String>| {
            row.or_else(|| card.clone()).filter(|stated| stated != NOT_STATED)
        };
        let orders = row.orders.or_else(|| card.orders.clone()).map(|orders| match orders {
            Orders::Count(count) => Method::orders(count),
            Orders::Text(text) => text,
        });
        let method = Method {
            scoring: known(row.scoring, &card.scoring),
            orders: orders.filter(|stated| stated != NOT_STATED),
            wording: known(row.wording, &card.wording),
        };
        (known(row.style, &card.style), method)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTable {
    id: String,
    title: String,
    paper: Option<String>,
    #[serde(default)]
    measure: Measure,
    #[serde(default)]
    rows: Vec<String>,
    #[serde(default, rename = "where")]
    filter: Filter,
    columns: Vec<WrittenColumn>,
    #[serde(default)]
    transpose: bool,
    #[serde(default)]
    figures: Vec<Drawing>,
    #[serde(default)]
    parts: IndexMap<String, String>,
    note: Option<String>,
    #[serde(default)]
    published: Vec<WrittenPublished>,
    #[serde(default)]
    tests: Vec<PaperTest>,
    #[serde(default)]
    across: Across,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenColumn {
    name: String,
    #[serde(default)]
    hidden: bool,
    #[serde(rename = "where")]
    filter: Option<Filter>,
    measure: Option<Measure>,
    mean: Option<Vec<String>>,
    difference: Option<[String; 2]>,
    range: Option<Vec<String>>,
    both: Option<String>,
    unavailable: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPublished {
    label: String,
    #[serde(default)]
    human: bool,
    #[serde(default)]
    average: bool,
    source: String,
    style: Option<String>,
    scoring: Option<String>,
    orders: Option<Orders>,
    wording: Option<String>,
    #[serde(default)]
    rows: IndexMap<String, Scalar>,
    values: WrittenValues,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "values are figures by the name of the column, or a list of figures in the order of the columns"
)]
enum WrittenValues {
    Named(IndexMap<String, f64>),
    InOrder(Vec<Figure>),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a figure is a number, or \"-\" if there is none")]
enum Figure {
    Value(f64),
    Whole(i64),
    Missing(String),
}

impl WrittenTable {
    fn check(self, method: &WrittenMethod) -> Result<Table, String> {
        let mut columns: Vec<Column> = Vec::new();
        for written in self.columns {
            if columns.iter().any(|known| known.name == written.name) {
                return Err(format!("the column name `{}` is used twice", written.name));
            }
            let column = written.check(self.measure, &columns)?;
            columns.push(column);
        }
        if columns.iter().all(|column| column.hidden) {
            return Err("it has no visible column".into());
        }
        let place = |(part, first): (String, String)| {
            let place = columns.iter().filter(|column| !column.hidden).position(|column| column.name == first);
            place.map(|place| (part, place)).ok_or_else(|| format!("parts: `{first}` is not a visible column"))
        };
        let parts = self.parts.into_iter().map(place).collect::<Result<IndexMap<_, _>, _>>()?;
        if !parts.values().is_sorted() {
            return Err("parts: write them in the order of their columns".into());
        }
        let row = |row: WrittenPublished| row.check(&columns, &self.rows, method);
        let published = self.published.into_iter().map(row).collect::<Result<Vec<_>, _>>()?;
        Ok(Table {
            id: self.id,
            title: self.title,
            paper: self.paper,
            rows: self.rows,
            filter: self.filter,
            columns,
            transpose: self.transpose,
            figures: self.figures,
            parts,
            note: self.note,
            published,
            tests: self.tests,
            across: self.across,
        })
    }
}

impl WrittenColumn {
    fn check(self, measure: Measure, earlier: &[Column]) -> Result<Column, String> {
        let name = self.name;
        let position = |wanted: &String| {
            earlier
                .iter()
                .position(|column| column.name == *wanted)
                .ok_or_else(|| format!("column `{name}` is computed from `{wanted}`, which is not an earlier column"))
        };
        let positions = |names: &[String]| names.iter().map(position).collect::<Result<Vec<_>, _>>();
        let group = self.filter.is_some() || self.measure.is_some();
        let source = match (self.mean, self.difference, self.range, self.both, self.unavailable) {
            (Some(names), None, None, None, None) if !group && !names.is_empty() => Source::Mean(positions(&names)?),
            (None, Some([left, right]), None, None, None) if !group => {
                Source::Difference(position(&left)?, position(&right)?)
            }
            (None, None, Some(names), None, None) if !group && names.len() > 1 => Source::Range(positions(&names)?),
            (None, None, None, Some(of), None) if !group => Source::Both(position(&of)?),
            (None, None, None, None, Some(reason)) if !group => Source::Unavailable(reason),
            (None, None, None, None, None) => {
                Source::Group { measure: self.measure.unwrap_or(measure), filter: self.filter.unwrap_or_default() }
            }
            _ => {
                return Err(format!(
                    "column `{name}` needs either where and measure, or one of mean, difference, range (with names), \
                     both, unavailable"
                ));
            }
        };
        Ok(Column { name, hidden: self.hidden, source })
    }
}

impl WrittenPublished {
    fn check(self, columns: &[Column], facets: &[String], card: &WrittenMethod) -> Result<Published, String> {
        let label = self.label;
        if let Some(facet) = self.rows.keys().find(|facet| !facets.contains(facet)) {
            return Err(format!(
                "published row `{label}` names the facet `{facet}`, which is not among the table's rows"
            ));
        }
        let mut values = vec![None; columns.len()];
        match self.values {
            WrittenValues::Named(named) => {
                for (name, value) in named {
                    let column = columns.iter().position(|column| column.name == name).ok_or_else(|| {
                        format!("published row `{label}` has a value for `{name}`, which is not a column")
                    })?;
                    values[column] = Some(value);
                }
            }
            WrittenValues::InOrder(figures) => {
                let visible: Vec<usize> = (0..columns.len()).filter(|&column| !columns[column].hidden).collect();
                if figures.len() != visible.len() {
                    return Err(format!(
                        "published row `{label}` has {} values for {} visible columns",
                        figures.len(),
                        visible.len()
                    ));
                }
                for (column, figure) in visible.into_iter().zip(figures) {
                    values[column] = match figure {
                        Figure::Value(value) => Some(value),
                        Figure::Whole(value) => Some(value as f64),
                        Figure::Missing(mark) if mark == "-" => None,
                        Figure::Missing(mark) => {
                            return Err(format!(
                                "published row `{label}`: `{mark}` is not a number; write \"-\" for none"
                            ));
                        }
                    };
                }
            }
        }
        if values.iter().flatten().any(|value| !value.is_finite()) {
            return Err(format!("published row `{label}` has a value that is not finite"));
        }
        let rows = self.rows.into_iter().map(|(facet, value)| (facet, value.text())).collect();
        let WrittenPublished { human, average, source, style, scoring, orders, wording, .. } = self;
        let own = WrittenMethod { style, scoring, orders, wording };
        // People have no prompt style.
        let (style, method) = if human { Default::default() } else { WrittenMethod::stated(own, card) };
        Ok(Published { label, human, average, source, style, method, rows, values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The TOML examples of the card writers' guide, in order.
    fn guide_examples() -> String {
        let guide = include_str!("../../datasets/README.md");
        guide.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
    }

    #[test]
    fn the_examples_of_the_guide_are_valid() {
        let layout = Layout::parse(&guide_examples()).unwrap();
        assert!(layout.tables.len() >= 3, "the guide shows at least three tables");
        assert!(!layout.notes.is_empty());
        assert_eq!((layout.links[0].id.as_str(), layout.links[1].id.as_str()), ("percept-belief", "reality-belief"));
        assert_eq!(layout.twins[0].parts.len(), 3);
        assert!(layout.tables.iter().any(|table| table.published.iter().any(|row| row.human)));
    }

    #[test]
    fn every_measure_is_explained_in_the_guide() {
        let guide = include_str!("../../datasets/README.md");
        for measure in Measure::ALL {
            assert!(guide.contains(&format!("| `{}` |", measure.name())), "{} is missing", measure.name());
        }
    }

    const TABLE: &str = "[[tables]]\nid = 't'\ntitle = 'T'\nrows = ['language']\n";

    fn error(text: &str) -> String {
        Layout::parse(&format!("{TABLE}{text}")).unwrap_err().to_string()
    }

    #[test]
    fn contradictions_are_named() {
        let check = |text: &str, part: &str| assert!(error(text).contains(part), "{}", error(text));
        check("columns = [{name='a'}, {name='a'}]", "used twice");
        check("columns = [{name='m', mean=['a']}, {name='a'}]", "not an earlier column");
        check("columns = [{name='a'}, {name='m', mean=['a'], where={task='x'}}]", "either where and measure");
        check("columns = [{name='a', hidden=true}]", "no visible column");
        check("columns = [{name='a', mesure='accuracy'}]", "unknown key `mesure`; known are");
        check("columns = [{name='a', measure='accurate'}]", "unknown value `accurate`; use");
        let row = "columns = [{name='a'}]\n[[tables.published]]\nlabel='L'\nsource='Table 1'\n";
        check(&format!("{row}values = {{ b = 1.0 }}"), "not a column");
        check(&format!("{row}values = [1.0, 2.0]"), "2 values for 1 visible");
        check(&format!("{row}values = 'many'"), "values are figures by the name of the column");
        check(&format!("{row}values = [nan]"), "not finite");
        check(&format!("{row}rows = {{ colour = 'red' }}\nvalues = [1]"), "not among the table's rows");
    }

    #[test]
    fn published_values_by_name_and_in_order_agree() {
        let text = "columns = [{name='h', hidden=true}, {name='a'}, {name='b'}]\n\
            [[tables.published]]\nlabel='L'\nsource='Table 1'\nvalues = { b = 2.5 }\n\
            [[tables.published]]\nlabel='L'\nsource='Table 1'\nvalues = ['-', 2.5]\n";
        let layout = Layout::parse(&format!("{TABLE}{text}")).unwrap();
        let published = &layout.tables[0].published;
        assert_eq!(published[0].values, [None, None, Some(2.5)]);
        assert_eq!(published[0].values, published[1].values);
    }
}
