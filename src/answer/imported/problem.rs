//! What is wrong with a row of an answer file.

use std::fmt;

/// Where in a file a row stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A line, counted from 1.
    Line(usize),
    /// A sample of a log, by its id and epoch.
    Sample {
        /// Its id in the log.
        id: String,
        /// Which of the replies to it, from 1.
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
    /// The row is to be corrected.
    Mistake,
    /// No item is the one that it answers.
    Unmatched,
    /// Several items, or several options, may be what it means.
    Ambiguous,
}

/// A row of an answer file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}{}: {message}", field.map_or_else(String::new, |field| format!(", `{field}`")))]
pub struct ImportedProblem {
    /// Where the row stands.
    pub place: Place,
    /// What kind of problem it is.
    pub kind: ProblemKind,
    /// The key at fault, where there is one.
    pub field: Option<&'static str>,
    /// What was found and what was expected.
    pub message: String,
    /// The id, where the row names an item that is not among those given.
    pub unknown_id: Option<String>,
}

impl ImportedProblem {
    /// A mistake in a row whose place the reader of the file knows.
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

    /// The same, of another kind.
    pub(super) fn of_kind(mut self: Box<Self>, kind: ProblemKind) -> Box<Self> {
        self.kind = kind;
        self
    }

    /// The same, with the id of an item that is not there.
    pub(super) fn of_unknown(mut self: Box<Self>, id: &str) -> Box<Self> {
        self.unknown_id = Some(id.to_string());
        self
    }

    /// The same, at its place.
    pub(super) fn at(self, place: Place) -> Self {
        ImportedProblem { place, ..self }
    }
}

/// A row that says why there is no answer.
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
