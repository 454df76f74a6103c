//! Executes work that is answered trial by trial, as replies are written and servers answer: records each when it ends,
//! and puts all into the plan's order at the end.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indexmap::IndexMap;

use super::answered::written_record;
use super::execute::{Progress, Run, RunError};
use super::folder::RunFolder;
use super::timings::{Outside, Timings};
use crate::backend::{Answerer, Replies, TrialReplies};
use crate::engine::{GenerateProgress, LengthEstimate};
use crate::progress::WorkPart;
use crate::prompt::Budgeted;
use crate::record::{TrialKey, TrialRecord};

/// Interval of syncing records against a crash of the machine; a crash of the program loses none.
const SYNC: Duration = Duration::from_secs(1);

/// Returns the key on which the draws of a trial depend, besides the seed and the number of its reply: item,
/// presentation and order.
pub(super) fn reply_key(key: &TrialKey) -> String {
    let TrialKey { id, condition, order, .. } = key;
    format!("{id}\n{}\n{order:?}", condition.as_deref().unwrap_or_default())
}

impl Run<'_> {
    /// Returns for each trial the key of its draws, its reply number, and the maximum tokens of its reply.
    pub fn reply_requests(&self) -> Vec<(String, usize, usize)> {
        (0..self.trials.len())
            .map(|trial| {
                let most_tokens = self.asked[trial].as_ref().map_or(0, |asked| asked.most_tokens);
                // A reply to several trials is drawn as that to the first of them, and one that is cut as if it were not.
                let first = &self.trials[self.together(trial)];
                let key = first.uncut_key(&self.items[first.item], Budgeted::Reply);
                (reply_key(&key), self.trials[trial].sample.unwrap_or(0), most_tokens)
            })
            .collect()
    }

    /// Returns the number of the first trial that shares this trial's prompt.
    fn together(&self, trial: usize) -> usize {
        self.asked[trial].as_ref().ok().and_then(|asked| asked.together).map_or(trial, |together| together.first)
    }

    /// Answers trials one by one and records those not recorded yet. `stop` ends the run after the current step;
    /// [`Timings::finished`] is then false.
    pub(super) fn answer(
        &self,
        backend: &mut dyn Answerer,
        folder: &mut RunFolder,
        stop: &AtomicBool,
        observe: &mut dyn FnMut(&Progress),
    ) -> Result<Timings, RunError> {
        let started = Instant::now();
        let order: Vec<usize> = self.trials_in_order(backend);
        let keys: Vec<TrialKey> = order.iter().map(|&trial| self.key(trial)).collect();
        let recorded = folder.resume_written(&keys)?;
        let done: HashSet<usize> = recorded.iter().map(|&at| order[at]).collect();
        let planned = order.len();
        let (refused, asked): (Vec<usize>, Vec<usize>) =
            order.iter().filter(|trial| !done.contains(trial)).partition(|&&trial| backend.refusal(trial).is_some());
        // A reply to several questions is requested once, and recorded for each of them that is not recorded yet.
        let mut sharing: IndexMap<usize, Vec<usize>> = IndexMap::new();
        for &trial in &asked {
            sharing.entry(self.together(trial)).or_default().push(trial);
        }
        let asked: Vec<usize> = sharing.values().filter_map(|trials| trials.first().copied()).collect();
        let mut state = State {
            done: done.len(),
            planned,
            benchmarks: self.by_benchmark(order.iter().copied()),
            records: Duration::ZERO,
            synced: Instant::now(),
        };
        done.iter().for_each(|&trial| self.count(trial, &mut state.benchmarks, |part| part.done += 1));
        if !refused.is_empty() {
            let records = self.refused(backend, &refused);
            state.append(folder, &records)?;
            refused.iter().for_each(|&trial| self.count(trial, &mut state.benchmarks, |part| part.done += 1));
        }

        let most_tokens = self.asked.iter().flatten().map(|asked| asked.most_tokens).max().unwrap_or(0);
        let chat = backend.is_chat();
        let mut progress = Progress {
            benchmarks: state.benchmarks.clone(),
            writing: self.settings.writing.is_some(),
            asking: self.settings.writing.is_none(),
            ..Progress::default()
        };
        observe(&progress);
        // Both callbacks may end the work, but cannot return an error.
        let mut failed: Option<RunError> = None;
        let shared = std::cell::RefCell::new((&mut state, &mut *folder));
        let mut on_reply = |answer: TrialReplies<Replies>| {
            let (state, folder) = &mut *shared.borrow_mut();
            let trials = sharing.get(&self.together(answer.trial)).map_or(&[][..], Vec::as_slice);
            match state.append(folder, &self.answered_records(chat, answer, trials)) {
                Ok(()) => {
                    let done = trials.iter();
                    done.for_each(|&trial| self.count(trial, &mut state.benchmarks, |part| part.done += 1));
                    return ControlFlow::Continue(());
                }
                Err(error) => failed = Some(error),
            }
            ControlFlow::Break(())
        };
        let mut after_step = |now: &GenerateProgress| {
            let (state, _) = &*shared.borrow();
            let estimate = LengthEstimate::new(now, most_tokens);
            progress.benchmarks.clone_from(&state.benchmarks);
            progress.prompt_tokens = now.prompt_tokens_forwarded;
            match progress.writing {
                true => {
                    progress.tokens_done = now.ended_tokens + now.live_tokens;
                    progress.tokens_total = progress.tokens_done + estimate.remaining.round() as usize;
                }
                // The backend that reads the prompts knows their lengths.
                false => {
                    progress.tokens_done = now.ended;
                    progress.tokens_total = now.ended + now.live + now.waiting;
                }
            }
            observe(&progress);
            if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let written = backend.answer(&asked, &mut on_reply, &mut after_step);
        let _ = shared;
        let broken = |done: usize, reason: RunError| RunError::Broken { done, planned, reason: Box::new(reason) };
        folder.sync()?;
        if let Some(error) = failed {
            return Err(broken(state.done, error));
        }
        let finished = match written {
            Ok(end) => end.is_continue() && state.done == planned,
            Err(error) => return Err(broken(state.done, error.into())),
        };
        if finished {
            folder.put_in_order(&keys)?;
        }
        let Run { tokenizing, planning, .. } = *self;
        let outside = Outside { tokenizing, planning, records: state.records, all: started.elapsed() };
        let timings = Timings::new(finished, backend.timing(), outside, Vec::new());
        folder.note_timing(&timings)?;
        Ok(timings)
    }

    /// Returns the records of these trials, which one reply answers.
    pub(super) fn answered_records(
        &self,
        chat: bool,
        answer: TrialReplies<Replies>,
        trials: &[usize],
    ) -> Vec<TrialRecord> {
        let TrialReplies { trial, system_merged, replies, served } = answer;
        let reply = match replies {
            Ok(Replies::Text(reply)) => reply,
            Ok(Replies::Scores(scores)) => {
                return vec![self.scored(chat, TrialReplies { trial, system_merged, replies: Ok(scores), served })];
            }
            Err(failure) => {
                let failed =
                    |&trial: &usize| TrialRecord { served: served.clone(), ..self.record(trial, Err(&failure)) };
                return trials.iter().map(failed).collect();
            }
        };
        let record = |&trial: &usize| match &self.asked[trial] {
            Ok(asked) => {
                let made = &self.trials[trial];
                let item = &self.items[made.item];
                let record = written_record(made, item, self.settings, asked, &reply, (system_merged, chat));
                TrialRecord { served: served.clone(), ..record }
            }
            Err(failure) => self.record(trial, Err(failure)),
        };
        trials.iter().map(record).collect()
    }
}

/// Progress of recording.
struct State {
    done: usize,
    planned: usize,
    /// Recorded trials by benchmark.
    benchmarks: Vec<WorkPart>,
    records: Duration,
    synced: Instant,
}

impl State {
    fn append(&mut self, folder: &mut RunFolder, records: &[TrialRecord]) -> Result<(), RunError> {
        let (done, planned) = (self.done, self.planned);
        let broken =
            |error: crate::ledger::FolderError| RunError::Broken { done, planned, reason: Box::new(error.into()) };
        let writing = Instant::now();
        folder.append(records).map_err(broken)?;
        if self.synced.elapsed() > SYNC {
            folder.sync().map_err(broken)?;
            self.synced = Instant::now();
        }
        self.records += writing.elapsed();
        self.done += records.len();
        Ok(())
    }
}
