//! Problems with rows of an answer file.

use std::fmt;

/// Location of a row in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A line, counted from 1.
    Line(usize),
    /// A sample of a log, by its id and epoch.
    Sample {
        /// Its id in the log.
        id: String,
        /// Number of its reply, from 1.
        epoch: u64,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Sample { id, epoch } => write!(f, "sample `{id}`, epoch {epoch}"),
        }
    }
}

/// Kinds of problems with rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// The row must be corrected.
    Mistake,
    /// No item matches the row.
    Unmatched,
    /// Several items or several options match the row.
    Ambiguous,
}

/// An invalid row of an answer file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}{}: {message}", field.map_or_else(String::new, |field| format!(", `{field}`")))]
pub struct ImportedProblem {
    /// Location of the row.
    pub place: Place,
    /// Kind of problem.
    pub kind: ProblemKind,
    /// The key at fault, if any.
    pub field: Option<&'static str>,
    /// Found and expected values.
    pub message: String,
    /// The id, if the row names an unknown item.
    pub unknown_id: Option<String>,
}

impl ImportedProblem {
    /// A mistake in a row; the caller sets its location.
    pub(super) fn mistake(field: Option<&'static str>, message: impl Into<String>) -> Box<Self> {
        let place = Place::Line(0);
        Box::new(ImportedProblem {
            place,
            kind: ProblemKind::Mistake,
            field,
            message: message.into(),
            unknown_id: None,
        })
    }

    /// Sets the kind.
    pub(super) fn of_kind(mut self: Box<Self>, kind: ProblemKind) -> Box<Self> {
        self.kind = kind;
        self
    }

    /// Sets the id of an unknown item.
    pub(super) fn of_unknown(mut self: Box<Self>, id: &str) -> Box<Self> {
        self.unknown_id = Some(id.to_string());
        self
    }

    /// Sets the location.
    pub(super) fn at(self, place: Place) -> Self {
        ImportedProblem { place, ..self }
    }
}

/// A row with the reason for a missing answer.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedRow {
    pub place: Place,
    pub reason: String,
    /// The short ids of its request.
    pub requests: Vec<String>,
}

impl std::fmt::Display for FailedRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}
