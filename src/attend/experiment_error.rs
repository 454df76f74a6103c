//! Errors of experiments.

use super::case::Failure;
use super::measure::ChoiceError;
use crate::decoder::DecoderError;

/// Most items that one analysis holds in memory.
pub(super) const MOST_ITEMS: usize = 10_000;

/// An experiment that cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// The model does not have the requested layers or heads.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// Orders are to be compared, but no item has two.
    #[error("--contrast orders needs two orders of an item; add --orders random:5")]
    OneOrder,
    /// More items than one analysis may hold in memory.
    #[error(
        "{0} items exceed the limit of {MOST_ITEMS} per analysis; choose fewer with --item, --where or --limit, or use a folder with --out DIR"
    )]
    TooMany(usize),
    /// The model does not have the parts to be switched off.
    #[error("--knock-out: {0}")]
    NoSuchPart(#[from] DecoderError),
    /// The model's logits are not a sum over heads.
    #[error("--contributions: {0}")]
    NoContributions(#[source] DecoderError),
    /// The residual stream of a prompt cannot be written.
    #[error("--states: {0}")]
    States(#[from] std::io::Error),
    /// No prompt could be analysed.
    #[error("none of the prompts could be analysed")]
    NothingAnalysed(Vec<Failure>),
}
