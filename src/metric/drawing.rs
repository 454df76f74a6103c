//! Kinds of figures for tables.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// A kind of figure that a card can request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Drawing {
    /// Bars, one for each row in each column.
    Bars,
    /// Columns as axes around a centre, rows as lines.
    Radar,
    /// Heat map: the last facet downwards, columns across, values as shades.
    Heat,
    /// Columns across, rows as lines.
    Lines,
    /// The last facet of the rows across, columns as lines.
    LinesByRow,
    /// Columns as shares of a whole; columns named `what: share` form a whole for each `what`.
    Stack,
}

impl Drawing {
    /// The name in cards and file names.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
