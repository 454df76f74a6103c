//! The work of a run, settled before anything is computed: [`Settings`] and a [`Dataset`] make [`trials`], one per
//! item, condition and option order, and [`asks_of`] the prompts and continuations of each.

mod ask;
mod asks;
mod dataset;
mod dataset_error;
mod earlier;
mod examples;
mod kept;
mod left_out;
mod list;
mod loaded;
mod notes;
mod packs;
mod paths;
mod presented;
mod questions;
mod reminders;
mod reminding;
mod settings;
mod shots;
mod show;
mod swaps;
mod together;
mod variant;
mod writing;

pub use ask::{AskKeeper, KeptAsk, TrialAsks, by_story};
pub use asks::asks_of;
pub use dataset::Dataset;
pub use dataset_error::DatasetError;
pub use earlier::{EarlierTexts, ThoughtEnds};
pub(crate) use examples::add_shots;
pub use examples::{ShotError, shots_in};
#[cfg(test)]
pub(crate) use kept::KeptData;
pub use kept::are_items_kept;
pub(crate) use kept::{KeptFile, copy_kept, keep_items, kept_file};
pub use left_out::{LeftOut, left_out};
pub use list::{Trial, TrialError, trials};
pub(crate) use loaded::items_sha256;
pub use loaded::{Data, DataCheck, LoadedItems};
pub use packs::{PackFileError, PromptPack, benchmarks_with_packs, export_packs, pack_in, packs, read_pack};
pub use paths::{recorded_path, resolved_path};
pub use presented::Presented;
pub use questions::QuestionsPerPrompt;
pub use reminders::FirstAnswers;
pub use reminding::Reminding;
pub use settings::{Phase, Settings};
pub use shots::Shots;
pub use show::{Presentation, Reader, ShownAsk, ShownItem, show};
pub use swaps::Swaps;
pub use variant::{RunPart, Variant, Variants};
pub use writing::{GenerationSettings, ThinkingArgument, ThinkingChoice, ThinkingFault};
