//! Which tables of a report are shown, with which published rows, and how wide.

use strum::{IntoStaticStr, VariantArray};

use crate::name::{did_you_mean, named};
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
    pub(super) given: String,
    pub(super) nearest: Option<String>,
    pub(super) known: Vec<String>,
}

/// Beginning of the ids of tables by language of training and test.
pub(super) const TRANSFER: &str = "transfer";
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
}
