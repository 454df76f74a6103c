//! Running the plan: batch by batch, each recorded whole.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::Trial;
use super::folder::{Block, FolderError, LineKey, RunFolder, read_run};
use super::manifest::{Manifest, Model, Shard};
use super::prepare::{Preparation, Prepared};
use super::timings::{Outside, Timings};
use crate::decoder::{Decoder, DecoderError};
use crate::engine::{Engine, Plan, TrialScores};
use crate::record::TrialRecord;

/// A run that could not go on. What was recorded stays.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The folder could not be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The decoder failed.
    #[error(transparent)]
    Decoder(#[from] DecoderError),
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Tokens of batches recorded earlier.
    pub tokens_before: usize,
    /// Tokens forwarded now.
    pub tokens_done: usize,
    /// Tokens of all batches of this shard, trunks included.
    pub tokens_total: usize,
    /// Trials recorded.
    pub trials_done: usize,
    /// Trials of this shard.
    pub trials_total: usize,
}

/// Everything a run needs, checked before it starts.
pub struct Run<'a> {
    /// The trials.
    pub trials: &'a [Trial],
    /// How they became tokens.
    pub preparation: &'a Preparation<'a>,
    /// Their tokens.
    pub prepared: &'a Prepared,
    /// The manifest with the resolved plan.
    pub manifest: &'a Manifest,
    /// What planning took, for the timings.
    pub planning: Duration,
}

impl Run<'_> {
    fn plan(&self) -> &Plan {
        let Model::Local(model) = &self.manifest.model;
        &model.plan
    }

    /// Trials of each block in file order, with their batch: failures found before any forward come first.
    fn blocks(&self) -> Vec<(Option<usize>, Vec<usize>)> {
        let shard = self.manifest.shard.unwrap_or(Shard { index: 1, of: 1 });
        let failed: Vec<usize> =
            (0..self.trials.len()).filter(|&trial| self.prepared.failures[trial].is_some()).collect();
        let mut blocks = Vec::new();
        if shard.holds(0) && !failed.is_empty() {
            blocks.push((None, failed));
        }
        for (batch, planned) in self.plan().batches.iter().enumerate().filter(|(batch, _)| shard.holds(*batch)) {
            let mut trials = planned.trials.clone();
            trials.sort_unstable();
            blocks.push((Some(batch), trials));
        }
        blocks
    }

    fn key(&self, trial: usize) -> LineKey {
        let trial = &self.trials[trial];
        LineKey {
            id: self.preparation.items[trial.item].id.clone(),
            condition: trial.presentation(),
            order: trial.order.as_slice().to_vec(),
        }
    }

    /// Score and record what is not recorded yet, and tell where the time went. `stop` ends the run after the pass at
    /// hand; [`Timings::finished`] is then false.
    pub fn execute(
        &self,
        decoder: &Decoder,
        folder: &mut RunFolder,
        stop: &AtomicBool,
        mut observe: impl FnMut(Progress),
    ) -> Result<Timings, RunError> {
        let started = Instant::now();
        let blocks = self.blocks();
        let keyed: Vec<Block> = blocks
            .iter()
            .map(|(_, trials)| Block { lines: trials.iter().map(|&trial| self.key(trial)).collect() })
            .collect();
        let recorded = folder.resume(&keyed)?;

        let tokens_of = |blocks: &[(Option<usize>, Vec<usize>)]| -> usize {
            blocks.iter().filter_map(|(batch, _)| *batch).map(|batch| self.plan().batches[batch].tokens).sum()
        };
        let trunks =
            self.plan().counts.forwarded.saturating_sub(self.plan().batches.iter().map(|batch| batch.tokens).sum());
        let mut progress = Progress {
            tokens_before: tokens_of(&blocks[..recorded]),
            tokens_done: 0,
            tokens_total: tokens_of(&blocks) + trunks,
            trials_done: blocks[..recorded].iter().map(|(_, trials)| trials.len()).sum(),
            trials_total: blocks.iter().map(|(_, trials)| trials.len()).sum(),
        };
        observe(progress);

        let mut engine = Engine::new(decoder, &self.prepared.requests, self.plan());
        let mut records = Duration::ZERO;
        let mut each_pass = Vec::new();
        let mut finished = true;
        for (batch, trials) in &blocks[recorded..] {
            let scores = match batch {
                None => None,
                Some(batch) => {
                    let scores = engine.run_batch(*batch, |pass| {
                        progress.tokens_done += pass.work.tokens;
                        each_pass.push(pass);
                        observe(progress);
                        if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                    })?;
                    match scores {
                        Some(scores) => Some((&self.plan().batches[*batch].trials, scores)),
                        None => {
                            finished = false;
                            break;
                        }
                    }
                }
            };
            let writing = Instant::now();
            folder.append(&self.records(trials, scores.as_ref()))?;
            records += writing.elapsed();
            progress.trials_done += trials.len();
            observe(progress);
        }
        let Prepared { tokenizing, .. } = *self.prepared;
        let outside = Outside { tokenizing, planning: self.planning, records, all: started.elapsed() };
        let timings = Timings::new(finished, engine.timing(), outside, each_pass);
        folder.note_timing(&timings)?;
        Ok(timings)
    }

    /// The folder's records with the number of their trial.
    pub fn recorded(&self, folder: &RunFolder) -> Result<Vec<(usize, TrialRecord)>, RunError> {
        let (_, records) = read_run(folder.path())?;
        Ok(self.blocks().into_iter().flat_map(|(_, trials)| trials).zip(records).collect())
    }

    fn records(&self, trials: &[usize], scores: Option<&(&Vec<usize>, Vec<TrialScores>)>) -> Vec<TrialRecord> {
        let scores: HashMap<usize, &TrialScores> =
            scores.iter().flat_map(|(trials, scores)| trials.iter().copied().zip(scores)).collect();
        trials
            .iter()
            .map(|&trial| {
                let scores = scores.get(&trial).copied();
                self.preparation.record(&self.trials[trial], trial, self.prepared, scores)
            })
            .collect()
    }
}
