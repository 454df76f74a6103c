//! Which tables of a report are shown, with which published rows, and how wide.

use strum::{IntoStaticStr, VariantArray};

use super::sheets::{self, Section};
use super::{Report, transfer};
use crate::metric::{BY, PublishedRow, Results, TableResult};
use crate::name::{did_you_mean, named, nearest};
use crate::table::Screen;

/// Rows of a paper's models beside measured ones; people and chance stand there anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Published {
    /// No published row, of people neither.
    None,
    /// The model with the best average.
    #[default]
    Best,
    /// Every model.
    All,
}

named!(Published, "choice of published rows");

/// Tables of a report, by id.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Tables {
    /// The main table of each benchmark, those asked for with `--by`, and those by language of training.
    #[default]
    Main,
    /// Every table, and all that is known of the run.
    All,
    /// These alone.
    Named(Vec<String>),
}

/// What of a report is shown.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// Tables.
    pub tables: Tables,
    /// Published rows beside measured ones.
    pub published: Published,
    /// Width of the terminal; matters to [`Format::Terminal`](crate::table::Format::Terminal) only.
    pub screen: Screen,
}

/// A table that no benchmark of a report has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("--table {given}: no such table{}; the tables are {}, and `all`", did_you_mean(nearest.as_deref()), known.join(", "))]
pub struct UnknownTable {
    given: String,
    nearest: Option<String>,
    known: Vec<String>,
}

/// Id of the lines on what was run.
pub(super) const SETTINGS: &str = "settings";
/// Id of the sentences on what was asked and what failed.
pub(super) const COUNTS: &str = "counts";
/// Id of the remarks on data and run.
pub(super) const NOTES: &str = "notes";
/// Id of the lists of items to look at.
pub(super) const LISTINGS: &str = "listings";

impl View {
    /// Every table, as files of a run hold them.
    pub const WHOLE: View = View { tables: Tables::All, published: Published::Best, screen: Screen { width: None } };

    /// Whether all is shown.
    pub(super) fn is_whole(&self) -> bool {
        self.tables == Tables::All
    }

    /// Whether this view shows a part that every report has.
    pub(super) fn shows(&self, id: &str) -> bool {
        match &self.tables {
            Tables::Main => false,
            Tables::All => true,
            Tables::Named(ids) => ids.iter().any(|named| named == id),
        }
    }

    /// The tables of a benchmark that are shown, and the others.
    pub(super) fn sections(&self, results: &Results) -> (Vec<Section>, Vec<Section>) {
        let main = match sheets::headline(results) {
            Some((table, _)) => Some(table),
            None => results.tables.first(),
        };
        let is_main =
            |id: &str| id.starts_with(BY) || id.starts_with(transfer::ID) || main.is_some_and(|table| table.id == id);
        let mains = self.tables == Tables::Main;
        let is_shown = |section: &Section| if mains { is_main(&section.id) } else { self.shows(&section.id) };
        sheets::sections(results, self.published).into_iter().partition(is_shown)
    }

    /// Check that every table named is there.
    pub fn check(&self, report: &Report) -> Result<(), UnknownTable> {
        let Tables::Named(ids) = &self.tables else { return Ok(()) };
        let sections = report.results.iter().flat_map(|results| sheets::sections(results, self.published));
        let mut known: Vec<String> = sections.map(|section| section.id).collect();
        known.extend([LISTINGS, SETTINGS, COUNTS, NOTES].map(str::to_string));
        let mut seen = std::collections::HashSet::new();
        known.retain(|id| seen.insert(id.clone()));
        match ids.iter().find(|id| !known.contains(id)) {
            None => Ok(()),
            Some(given) => Err(UnknownTable {
                given: given.clone(),
                nearest: nearest(given, known.iter().map(String::as_str)).map(str::to_string),
                known,
            }),
        }
    }
}

/// The published rows of models that are shown of those that stand beside some measured rows, in their order.
pub(super) fn of_models<'a>(
    published: Published,
    table: &TableResult,
    rows: Vec<&'a PublishedRow>,
) -> Vec<&'a PublishedRow> {
    match published {
        Published::None => Vec::new(),
        // Of drops and changes none is the best.
        Published::Best if !sheets::are_shares(table) => rows,
        Published::All => rows,
        Published::Best => {
            let average = sheets::average(table);
            let standing = |row: &PublishedRow| match average.and_then(|column| *row.values.get(column)?) {
                Some(average) => Some(average),
                None => {
                    let values: Vec<f64> = row.values.iter().copied().flatten().collect();
                    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
                }
            };
            let best = |best: &'a PublishedRow, other| if standing(other) > standing(best) { other } else { best };
            rows.into_iter().reduce(best).into_iter().collect()
        }
    }
}
