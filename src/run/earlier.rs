//! Replies of a finished run for the prompts of another.

use std::path::Path;

use super::recorded::{RecordedRun, read_run};
use crate::ledger::FolderError;
use crate::model::{Tokenizer, TokenizerError};
use crate::record::TrialRecord;
use crate::trial::{EarlierTexts, GenerationSettings, Settings, ThoughtEnds};

/// A run without replies.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EarlierError {
    /// The folder cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Nothing was written.
    #[error("{folder}: nothing was written there; a run with --scoring generate is needed")]
    NotWritten { folder: String },
    /// A thought cannot be tokenized.
    #[error("a thought cannot be tokenized: {0}")]
    Tokenizer(#[from] TokenizerError),
    /// Records were changed since they were written.
    #[error(
        "{folder}: its records changed since they were written, and replies are used only as written; remove the folder \
         to write them again"
    )]
    Changed { folder: String },
}

/// Reads the replies of a finished run as texts for the prompts of another.
pub fn read_earlier(folder: &Path) -> Result<EarlierTexts, EarlierError> {
    let (records, settings, writing) = written(folder)?;
    Ok(EarlierTexts::of_records(&records, &settings, &writing))
}

/// Reads the thoughts of a finished run, to be cut to numbers of tokens for the prompts of another. `mark` closes them where
/// the chat template shows no other way; `has_switch` says whether it can switch thinking off.
pub fn read_thoughts(
    folder: &Path,
    budgets: &[usize],
    (mark, has_switch): (&str, bool),
    tokenizer: &Tokenizer,
) -> Result<EarlierTexts, EarlierError> {
    let (records, _, writing) = written(folder)?;
    let end = writing.end_of_thought.clone().unwrap_or_else(|| mark.to_string());
    Ok(EarlierTexts::of_thoughts(&records, &writing, budgets, ThoughtEnds { end, has_switch }, tokenizer)?)
}

fn written(folder: &Path) -> Result<(Vec<TrialRecord>, Settings, GenerationSettings), EarlierError> {
    let RecordedRun { manifest, records, read } = read_run(folder)?;
    if read.changed().is_some() {
        return Err(EarlierError::Changed { folder: folder.display().to_string() });
    }
    match manifest.settings.writing.clone() {
        Some(writing) => Ok((records, manifest.settings, writing)),
        None => Err(EarlierError::NotWritten { folder: folder.display().to_string() }),
    }
}
