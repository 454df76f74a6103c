//! Selects the tables of a report, their published rows and the width.

use strum::{IntoStaticStr, VariantArray};

use crate::name::{did_you_mean, named};
use crate::table::Screen;

/// Published rows to show next to measured ones: models by this choice, and people unless `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Published {
    /// No published rows, not even of people.
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
    /// The main table of each benchmark, those requested with `--by`, and those by training language.
    #[default]
    Main,
    /// Every table, and all details of the run.
    All,
    /// Only these.
    Named(Vec<String>),
}

/// Selects what a report shows.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// Tables.
    pub tables: Tables,
    /// Published rows next to measured ones.
    pub published: Published,
    /// Whether rows are values alone, with what they stand beside once for all of them.
    pub only_values: bool,
    /// Width of the terminal; matters to [`Format::Terminal`](crate::table::Format::Terminal) only.
    pub screen: Screen,
}

/// A table that the report does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("--table {given}: no such table{}; the tables are {}, and `all`", did_you_mean(nearest.as_deref()), known.join(", "))]
pub struct UnknownTable {
    pub(super) given: String,
    pub(super) nearest: Option<String>,
    pub(super) known: Vec<String>,
}

/// Prefix of the ids of tables by training and test language.
pub(super) const TRANSFER: &str = "transfer";
/// Id of the lines with settings of the run.
pub(super) const SETTINGS: &str = "settings";
/// Id of the sentences on trials asked and failed.
pub(super) const COUNTS: &str = "counts";
/// Id of the remarks on data and run.
pub(super) const NOTES: &str = "notes";
/// Id of the lists of items to look at.
pub(super) const LISTINGS: &str = "listings";

impl View {
    /// Every table, as in the files of a run.
    pub const WHOLE: View =
        View { tables: Tables::All, published: Published::Best, only_values: false, screen: Screen { width: None } };

    /// Whether everything is shown.
    pub(super) fn is_whole(&self) -> bool {
        self.tables == Tables::All
    }

    /// Whether this view shows a section that every report has.
    pub(super) fn shows(&self, id: &str) -> bool {
        match &self.tables {
            Tables::Main => false,
            Tables::All => true,
            Tables::Named(ids) => ids.iter().any(|named| named == id),
        }
    }
}
