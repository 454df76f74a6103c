//! Errors of loading a dataset.

use std::fmt;
use std::path::PathBuf;

use crate::benchmark::{Benchmark, ChoiceError, LoadError, RowProblem, UnknownCount, hint_at_id};
use crate::story::SettingsError;

/// A dataset that cannot be loaded, or has changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// A benchmark named twice.
    #[error("--benchmark {0} is given twice")]
    Twice(Benchmark),
    /// A choice that none of the benchmarks knows: it would have no effect.
    #[error("unknown choice `{name}`: {known}")]
    UnknownChoice {
        /// The choice as given.
        name: String,
        /// Known choices of each benchmark, in words.
        known: String,
    },
    /// A benchmark that needs files, without a place to look for them.
    #[error("--benchmark {0} needs its files: pass --data DIR or set TOMEVAL_DATA\n\n{source}", source = .0.card().source)]
    NoFiles(Benchmark),
    /// Files of an unknown benchmark.
    #[error("--data {path}: {found}")]
    WhichBenchmark {
        /// The files.
        path: PathBuf,
        /// Findings about the files and the fix, in words.
        found: String,
    },
    /// No benchmark is named, and none was found.
    #[error("no benchmark was found; pass --data DIR, and --benchmark NAME to learn where its files come from")]
    NothingFound,
    /// No item is left.
    #[error(
        "{benchmark}: its files contain no items in the chosen languages; {held} (the benchmark was published in \
         {languages})"
    )]
    NoItems {
        benchmark: Benchmark,
        /// Languages in the files, in words.
        held: String,
        /// Languages of the published benchmark.
        languages: String,
    },
    /// No item is left, and rows could not be read.
    #[error("{benchmark}: no row could be read:{problems}")]
    NothingRead {
        benchmark: Benchmark,
        /// The rows.
        problems: Problems,
    },
    /// An id that no item has.
    #[error("--item {id}: no such item in {benchmarks}{}", hint_at_id(.nearest))]
    UnknownItem {
        /// The id given.
        id: String,
        /// Names of the benchmarks.
        benchmarks: String,
        /// The most similar id.
        nearest: Option<String>,
    },
    /// The selection rules leave no item.
    #[error("no item meets every --where and --item; loosen one of them")]
    NothingChosen,
    /// A choice that no item can meet.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// Arguments for reading a user's own file, without such a file.
    #[error(
        "--column, --text, --facet, --answers-are, --gold-base, --delimiter, --no-header and --card apply to a file of your own; pass it with --data FILE and --benchmark custom, or leave them out"
    )]
    NotOwn,
    /// A run's folder contains its items as they were read.
    #[error(
        "--data {0}: a run's folder contains its items as the run read them; leave out --labels, --choose and \
         arguments for reading a file"
    )]
    AsInRun(PathBuf),
    /// A run's folder contains items of other benchmarks.
    #[error("--data {run}: the run has no items of {benchmark}")]
    NotInRun { run: PathBuf, benchmark: Benchmark },
    /// The files differ from those of the run.
    #[error("the items of {0} differ from those the run was made from; pass --data with the same files")]
    Different(Benchmark),
    /// The items in a run's folder were changed after writing.
    #[error("{path}: {message}; restore it, or delete inputs/data.json and pass --data with the benchmark's files")]
    Kept { path: PathBuf, message: String },
    /// The items have no texts.
    #[error(
        "{what} needs the texts of items, prompts and replies, which `tomeval bundle --no-texts` left out; name the run's own folder"
    )]
    NoTexts {
        /// Task that needs them.
        what: &'static str,
    },
    /// A count in a card that matches nothing.
    #[error(transparent)]
    Count(#[from] UnknownCount),
    /// The files cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The stories cannot be generated.
    #[error(transparent)]
    Stories(#[from] SettingsError),
}

/// Unreadable rows for display: one per line, at most a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems(pub Vec<RowProblem>);

impl Problems {
    /// Maximum rows listed before the rest is only counted.
    const SHOWN: usize = 10;
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in self.0.iter().take(Self::SHOWN) {
            write!(f, "\n  {problem}")?;
        }
        match self.0.len().saturating_sub(Self::SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more; `tomeval data check` lists all"),
        }
    }
}
