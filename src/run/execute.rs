//! Executes the work batch by batch; each is recorded as a whole.

use crate::ledger::FolderError;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::answered::{Answered, record};
use super::folder::RunFolder;
use super::manifest::Shard;
use super::recorded::read_run;
use super::timings::{Outside, Timings};
use crate::backend::{Answerer, AskScores, Backend, BackendError, Batch, Scorer, TrialReplies};
use crate::benchmark::Item;
use crate::engine::PassTime;
use crate::progress::WorkPart;
use crate::record::{Failure, TrialKey, TrialRecord};
use crate::trial::{Settings, Trial, TrialAsks};

/// A run that could not continue. Its records are kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The backend failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// A batch could not be answered or recorded after the work began. The same command continues from there.
    #[error("stopped at {done} of {planned} trials: {reason}")]
    Broken {
        /// Recorded trials.
        done: usize,
        /// Trials of this shard.
        planned: usize,
        /// The cause.
        reason: Box<RunError>,
    },
}

/// Progress of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    /// Tokens of batches recorded earlier.
    pub tokens_before: usize,
    /// Tokens done in this process.
    pub tokens_done: usize,
    /// Tokens of all batches of this shard.
    pub tokens_total: usize,
    /// Trials of this shard by benchmark, and how many of them are recorded.
    pub benchmarks: Vec<WorkPart>,
    /// Prompt tokens forwarded in this process, if replies are written here.
    pub prompt_tokens: usize,
    /// Whether replies are written: tokens are then those written now, and their total is an estimate.
    pub writing: bool,
    /// Whether a server answers, which alone knows how many tokens it reads: the counts are then of trials.
    pub asking: bool,
}

impl Progress {
    /// Returns the number of recorded trials.
    pub fn trials_done(&self) -> usize {
        self.benchmarks.iter().map(|benchmark| benchmark.done).sum()
    }

    /// Returns the number of trials of this shard.
    pub fn trials_total(&self) -> usize {
        self.benchmarks.iter().map(|benchmark| benchmark.total).sum()
    }
}

/// Everything needed for a run except the backend, checked before it starts.
pub struct Run<'a> {
    /// The items.
    pub items: &'a [Item],
    /// The trials.
    pub trials: &'a [Trial],
    /// Prompts of each trial.
    pub asked: &'a [Result<TrialAsks, Failure>],
    /// Settings of the run.
    pub settings: &'a Settings,
    /// Part of the work to do; `None` for all of it.
    pub shard: Option<Shard>,
    /// Time already spent on building and tokenizing prompts, for the timings.
    pub tokenizing: Duration,
    /// Time already spent on planning, for the timings.
    pub planning: Duration,
}

/// Backend that answers a run's trials.
pub enum Answering<'a> {
    /// Batch by batch, in the order of the plan.
    Batches(&'a mut dyn Scorer),
    /// Trial by trial, in any order.
    Trials(&'a mut dyn Answerer),
}

/// Trials whose lines are written together.
struct Block {
    /// Number of the batch that answers them; `None` for trials that are not asked.
    batch: Option<usize>,
    trials: Vec<usize>,
    tokens: usize,
}

impl Run<'_> {
    /// Returns all trials in file order: those that cannot be asked come first.
    fn blocks(&self, backend: &dyn Backend) -> Vec<Block> {
        let shard = self.shard.unwrap_or(Shard { index: 1, of: 1 });
        let refused: Vec<usize> = (0..self.trials.len()).filter(|&trial| backend.refusal(trial).is_some()).collect();
        let mut blocks = Vec::new();
        if shard.holds(0) && !refused.is_empty() {
            blocks.push(Block { batch: None, trials: refused, tokens: 0 });
        }
        for (number, batch) in backend.batches().into_iter().enumerate().filter(|(number, _)| shard.holds(*number)) {
            let Batch { mut trials, tokens } = batch;
            trials.sort_unstable();
            blocks.push(Block { batch: Some(number), trials, tokens });
        }
        blocks
    }

    /// Returns the trials of this part in file order.
    pub(super) fn trials_in_order(&self, backend: &dyn Backend) -> Vec<usize> {
        self.blocks(backend).into_iter().flat_map(|block| block.trials).collect()
    }

    /// Returns the trials of this part by benchmark, none of them recorded, in the order of the settings.
    pub(super) fn by_benchmark(&self, trials: impl Iterator<Item = usize>) -> Vec<WorkPart> {
        let names = self.settings.benchmarks.iter();
        let mut parts: Vec<WorkPart> =
            names.map(|name| WorkPart { name: name.to_string(), ..WorkPart::default() }).collect();
        trials.for_each(|trial| self.count(trial, &mut parts, |part| part.total += 1));
        parts.retain(|part| part.total > 0);
        parts
    }

    /// Counts a trial for its benchmark.
    pub(super) fn count(&self, trial: usize, parts: &mut [WorkPart], mut count: impl FnMut(&mut WorkPart)) {
        let benchmark = self.items[self.trials[trial].item].benchmark;
        parts.iter_mut().filter(|part| part.name == benchmark.name()).for_each(&mut count);
    }

    pub(super) fn key(&self, trial: usize) -> TrialKey {
        let trial = &self.trials[trial];
        trial.key(&self.items[trial.item])
    }

    /// Answers and records the remaining trials, and returns where the time went. `stop` ends the run after the current
    /// step; [`Timings::finished`] is then false.
    pub fn execute(
        &self,
        backend: Answering<'_>,
        folder: &mut RunFolder,
        stop: &AtomicBool,
        mut observe: impl FnMut(&Progress),
    ) -> Result<Timings, RunError> {
        match backend {
            Answering::Batches(scorer) => self.score(scorer, folder, stop, &mut observe),
            Answering::Trials(answerer) => self.answer(answerer, folder, stop, &mut observe),
        }
    }

    fn score(
        &self,
        backend: &mut dyn Scorer,
        folder: &mut RunFolder,
        stop: &AtomicBool,
        observe: &mut dyn FnMut(&Progress),
    ) -> Result<Timings, RunError> {
        let started = Instant::now();
        let blocks = self.blocks(backend);
        let keys: Vec<Vec<TrialKey>> =
            blocks.iter().map(|block| block.trials.iter().map(|&trial| self.key(trial)).collect()).collect();
        let recorded = folder.resume(&keys)?;

        let tokens_of = |blocks: &[Block]| -> usize { blocks.iter().map(|block| block.tokens).sum() };
        let trials_of = |blocks: &[Block]| blocks.iter().flat_map(|block| block.trials.clone()).collect::<Vec<_>>();
        let mut progress = Progress {
            tokens_before: tokens_of(&blocks[..recorded]),
            tokens_total: tokens_of(&blocks),
            benchmarks: self.by_benchmark(trials_of(&blocks).into_iter()),
            ..Progress::default()
        };
        for trial in trials_of(&blocks[..recorded]) {
            self.count(trial, &mut progress.benchmarks, |part| part.done += 1);
        }
        observe(&progress);

        let mut records = Duration::ZERO;
        let mut each_pass = Vec::new();
        let mut finished = true;
        let mut cuts = backend.timing().cuts;
        for block in &blocks[recorded..] {
            let (done, planned) = (progress.trials_done(), progress.trials_total());
            let answered = self.answered(block, backend, &mut |pass| {
                progress.tokens_done += pass.work.tokens;
                each_pass.push(pass);
                observe(&progress);
                if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            let broken = |reason| RunError::Broken { done, planned, reason: Box::new(reason) };
            let Some(answered) = answered.map_err(broken)? else {
                finished = false;
                break;
            };
            let writing = Instant::now();
            let cuts_so_far = backend.timing().cuts;
            folder.add_cuts(cuts_so_far - cuts).map_err(|error| broken(error.into()))?;
            cuts = cuts_so_far;
            folder.append(&answered).map_err(|error| broken(error.into()))?;
            folder.sync().map_err(|error| broken(error.into()))?;
            records += writing.elapsed();
            for &trial in &block.trials {
                self.count(trial, &mut progress.benchmarks, |part| part.done += 1);
            }
            observe(&progress);
        }
        let Run { tokenizing, planning, .. } = *self;
        let outside = Outside { tokenizing, planning, records, all: started.elapsed() };
        let timings = Timings::new(finished, backend.timing(), outside, each_pass);
        folder.note_timing(&timings)?;
        Ok(timings)
    }

    /// Returns the records of a block; `None` if it was interrupted.
    fn answered(
        &self,
        block: &Block,
        backend: &mut dyn Scorer,
        after_pass: &mut dyn FnMut(PassTime) -> ControlFlow<()>,
    ) -> Result<Option<Vec<TrialRecord>>, RunError> {
        let Some(batch) = block.batch else { return Ok(Some(self.refused(backend, &block.trials))) };
        let Some(answers) = backend.score(batch, after_pass)? else { return Ok(None) };
        Ok(Some(self.records(backend, answers)))
    }

    /// Returns the records of trials that are not asked.
    pub(super) fn refused(&self, backend: &dyn Backend, trials: &[usize]) -> Vec<TrialRecord> {
        let failures = trials.iter().filter_map(|&trial| Some((trial, backend.refusal(trial)?)));
        failures.map(|(trial, failure)| self.record(trial, Err(failure))).collect()
    }

    /// Returns the records of scored trials, in the order of their numbers.
    pub fn records(&self, backend: &dyn Backend, mut scored: Vec<TrialReplies<Vec<AskScores>>>) -> Vec<TrialRecord> {
        scored.sort_unstable_by_key(|scored| scored.trial);
        scored.into_iter().map(|scored| self.scored(backend.is_chat(), scored)).collect()
    }

    /// Returns the record of a scored trial.
    pub(super) fn scored(&self, chat: bool, scored: TrialReplies<Vec<AskScores>>) -> TrialRecord {
        let TrialReplies { trial, system_merged, replies, served } = scored;
        let record = match (&self.asked[trial], replies) {
            (Err(failure), _) => return self.record(trial, Err(failure)),
            (Ok(_), Err(failure)) => self.record(trial, Err(&failure)),
            (Ok(asked), Ok(asks)) => self.record(trial, Ok((asked, Answered { asks, system_merged, chat }))),
        };
        TrialRecord { served, ..record }
    }

    pub(super) fn record(&self, trial: usize, outcome: Result<(&TrialAsks, Answered), &Failure>) -> TrialRecord {
        let trial = &self.trials[trial];
        record(trial, &self.items[trial.item], self.settings, outcome)
    }

    /// Returns the folder's records with their trial numbers.
    pub fn recorded(&self, backend: &dyn Backend, folder: &RunFolder) -> Result<Vec<(usize, TrialRecord)>, RunError> {
        let run = read_run(folder.path())?;
        Ok(self.trials_in_order(backend).into_iter().zip(run.records).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::Benchmark;
    use crate::engine::Timing;
    use crate::language::Language;
    use crate::prompt::{Order, OrderPolicy};
    use crate::run::Manifest;
    use crate::trial::Presented;
    use std::path::Path;

    /// Answers nothing, and fails at its second batch.
    struct Failing;

    impl Backend for Failing {
        fn is_chat(&self) -> bool {
            false
        }

        fn refusal(&self, _: usize) -> Option<&Failure> {
            None
        }

        fn batches(&self) -> Vec<Batch> {
            [0, 1].map(|trial| Batch { trials: vec![trial], tokens: 1 }).to_vec()
        }

        fn timing(&self) -> Timing {
            Timing::default()
        }
    }

    impl Scorer for Failing {
        fn score(
            &mut self,
            batch: usize,
            _: &mut dyn FnMut(PassTime) -> ControlFlow<()>,
        ) -> Result<Option<Vec<TrialReplies<Vec<AskScores>>>>, BackendError> {
            match batch {
                0 => Ok(Some(vec![TrialReplies {
                    trial: 0,
                    system_merged: false,
                    replies: Ok(Vec::new()),
                    served: None,
                }])),
                _ => Err(crate::decoder::DecoderError::from(candle_core::Error::Msg("out of order".into())).into()),
            }
        }
    }

    #[test]
    fn a_batch_that_fails_ends_the_work_and_keeps_what_was_done() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/run-format-1");
        let manifest = Manifest { format: 2, ..RunFolder::manifest(&source).unwrap().unwrap() };
        let folder = tempfile::tempdir().unwrap();
        let mut opened = super::super::folder::ClaimedFolder::claim(&folder.path().join("run"))
            .unwrap()
            .open(&manifest, false)
            .unwrap();
        let loaded = manifest.load_items(Path::new(""), None).unwrap();
        let trial = |item| Trial {
            item,
            presented: Presented::default(),
            order: Order::identity(loaded.items[item].options.len()),
            count: 1,
            sample: None,
        };
        let asked = || Failure { kind: crate::record::FailureKind::Prompt, message: "not asked".into() };
        let run = Run {
            items: &loaded.items,
            trials: &[trial(0), trial(1)],
            asked: &[Err(asked()), Err(asked())],
            settings: &Settings::letters(Benchmark::Demo, Language::En, OrderPolicy::Identity),
            shard: None,
            tokenizing: Duration::ZERO,
            planning: Duration::ZERO,
        };
        let mut seen = Vec::new();
        let observe = |now: &Progress| seen.push(now.benchmarks.clone());
        let broken = run.execute(Answering::Batches(&mut Failing), &mut opened, &AtomicBool::new(false), observe);
        let Err(RunError::Broken { done, planned, reason }) = broken else { panic!("{broken:?}") };
        let rendered = |done| WorkPart { name: "demo".to_string(), done, total: 2 };
        assert_eq!(seen, [vec![rendered(0)], vec![rendered(1)]]);
        assert_eq!((done, planned), (1, 2));
        assert!(matches!(*reason, RunError::Backend(_)), "{reason}");
        let records = std::fs::read_to_string(opened.path().join("trials.jsonl")).unwrap();
        assert_eq!(records.lines().count(), 1, "the first batch stays");
    }
}
