//! Arguments for examples before questions.

use std::path::PathBuf;

use clap::Args;

use super::numbers::{TURNS, within};
use crate::prompt::ShotForm;
use crate::trial::{LoadedItems, Shots, shots_in};

/// Examples to show with their answers.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Prompts")]
pub struct ShotArgs {
    /// Show K other items with their right answers before each question: drawn by the seed from other stories of the
    /// benchmark, of the same language, kind of answer, task and dimension; the same for all such questions of a story.
    #[arg(long, value_name = "K", value_parser = within(TURNS))]
    pub shots: Option<usize>,
    /// Draw examples from a file of your own questions instead; its texts `reasoning` are shown if the style reasons.
    #[arg(long, value_name = "FILE", requires = "shots")]
    pub shots_from: Option<PathBuf>,
    /// Show examples as chat turns (turns) or within the turn of the question (inline) [default: turns].
    #[arg(long, value_name = "turns|inline", requires = "shots")]
    pub shots_as: Option<ShotForm>,
}

impl ShotArgs {
    /// Returns the settings of the examples; items of a file are added to those loaded.
    pub fn shots(&self, loaded: &mut LoadedItems) -> anyhow::Result<Option<Shots>> {
        let Some(count) = self.shots else { return Ok(None) };
        let file = match &self.shots_from {
            Some(path) => {
                let (items, file) = shots_in(path)?;
                loaded.shots = Some(items);
                Some(file)
            }
            None => None,
        };
        Ok(Some(Shots { count, form: self.shots_as.unwrap_or_default(), file }))
    }
}
