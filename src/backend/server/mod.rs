//! A model on a server: each trial is one or several requests, many trials are in flight at a time, and each is passed
//! on when its last answer arrives.
//!
//! A server is a backend that answers trial by trial ([`Answerer`]), as replies are written: each is recorded when it
//! arrives, and `run/written.rs` puts all into the plan's order at the end. Its plan (`run/served.rs`) is the order of
//! sending: stories in their order, and within one the order of the prompts' text, for hits in a prefix cache.
//! Abilities of a server are probed before use (`server/abilities.rs`), since no server announces them. Several threads
//! send requests, one thread records. Failures are of three kinds (`server::Grade`): temporary (retried), of the
//! request (its trial fails), or of the run (it stops). Failures of trials are held back until another trial is
//! answered: ten in a row are attributed to the server and are not recorded. `backend` and `model` (its Hub) use
//! `address`, so that one definition decides who may see a key.
//!
//! Prompts written here are compared with those the server reads: text that it puts in front by itself is left out
//! (`backend/server/prompts.rs`), and every count of tokens is checked. Its defaults for replies are disabled
//! (`server/neutral.rs`).

mod choice;
mod inquiry;
mod prompts;
mod source;
mod token_trie;
mod trial;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

pub use inquiry::Inquiry;
pub use prompts::{PromptWriter, Route, ServedTrials};
use serde_json::{Map, Value};
pub use source::choose_source;

use super::{Answerer, Backend, BackendError, Batch, Replies, TrialReplies};
use crate::engine::{GenerateProgress, GenerationTotals, Timing};
use crate::record::{Failure, FailureKind, Served};
use crate::server::{Answered, Client, Draws, Grade, ScoreMode, ServerError, Usage};
use crate::trial::TrialAsks;

/// Number of consecutive trials without an answer that ends the work: the cause is then not the trials.
const IN_A_ROW: usize = 10;

/// Interval of checks for the end of the work.
const LOOK: Duration = Duration::from_millis(50);

/// Server and settings of requests.
#[derive(Clone)]
pub struct ServerSetup<'a> {
    /// Client that sends requests.
    pub client: Client,
    /// The model's name on the server.
    pub model: String,
    /// Source of log-likelihoods; `None` if replies are written.
    pub mode: Option<ScoreMode>,
    /// Sampling of replies, if they are written.
    pub draws: Option<ReplyDraws>,
    /// Writer of prompts.
    pub prompts: PromptWriter<'a>,
    /// Trials in flight at a time.
    pub concurrency: usize,
    /// Model and configuration named in the server's first answer.
    pub answered: Answered,
    /// Version of its program, if reported.
    pub version: Option<String>,
    /// Whether a different fingerprint ends the work.
    pub strict: bool,
}

/// Sampling of a run's replies.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplyDraws {
    /// Common sampling settings.
    pub all: Draws,
    /// Keys accepted by the server, with the values at which they have no effect.
    pub neutral: Map<String, Value>,
    /// The run's seed, if replies are sampled.
    pub seed: Option<u64>,
    /// For each trial, the key of its draws, its reply number, and the maximum tokens of its reply.
    pub requests: Vec<(String, usize, usize)>,
}

/// A model on a server that answers prepared trials.
pub struct Server<'a> {
    setup: ServerSetup<'a>,
    asked: &'a [Result<TrialAsks, Failure>],
    prepared: &'a ServedTrials,
    timing: Timing,
}

impl<'a> Server<'a> {
    /// Creates a backend for trials prepared for the server.
    pub fn new(setup: ServerSetup<'a>, asked: &'a [Result<TrialAsks, Failure>], prepared: &'a ServedTrials) -> Self {
        Server { setup, asked, prepared, timing: Timing::default() }
    }

    /// Checks that an answer came from the model of the run.
    fn check(&self, found: &Answered) -> Result<(), ServerError> {
        let known = &self.setup.answered;
        let differs = |known: &Option<String>, found: &Option<String>| match (known, found) {
            (Some(known), Some(found)) if known != found => Some((known.clone(), found.clone())),
            _ => None,
        };
        if let Some((known, found)) = differs(&known.model, &found.model) {
            return Err(ServerError::OtherModel { known, found });
        }
        match differs(&known.fingerprint, &found.fingerprint).filter(|_| self.setup.strict) {
            Some((known, found)) => Err(ServerError::OtherVersion { known, found }),
            None => Ok(()),
        }
    }

    fn served(&self, answered: Answered) -> Option<Served> {
        let served = Served { version: self.setup.version.clone(), fingerprint: answered.fingerprint };
        (served.version.is_some() || served.fingerprint.is_some()).then_some(served)
    }
}

/// Progress and failures of the work.
#[derive(Default)]
struct State {
    progress: GenerateProgress,
    /// Trials that failed permanently, not recorded until another trial is answered.
    held: Vec<(usize, ServerError)>,
    unanswered: usize,
    first_unanswered: Option<ServerError>,
    in_a_row: usize,
    answered: usize,
    cached: Option<usize>,
    /// Error that ends the work.
    fatal: Option<BackendError>,
}

fn failure_of(error: &ServerError) -> Failure {
    Failure { kind: FailureKind::Server, message: error.to_string() }
}

impl State {
    /// Returns the failure to record at once, if any; others are held back.
    fn failed(&mut self, trial: usize, error: ServerError) -> Option<Failure> {
        match error.grade() {
            Grade::Run => {
                self.fatal.get_or_insert(error.into());
                return None;
            }
            Grade::Passing if error == ServerError::Stopped => return None,
            Grade::Request if matches!(error, ServerError::TooLong { .. }) => {
                return Some(Failure { kind: FailureKind::TooLong, message: error.to_string() });
            }
            Grade::Request => {
                self.held.push((trial, error.clone()));
            }
            Grade::Passing => {
                self.unanswered += 1;
                self.first_unanswered.get_or_insert_with(|| error.clone());
            }
        }
        self.in_a_row += 1;
        if self.in_a_row >= IN_A_ROW {
            self.fatal.get_or_insert(BackendError::InARow { failed: self.in_a_row, error });
        }
        None
    }

    fn took(&mut self, usage: &[Usage]) {
        self.answered += 1;
        self.in_a_row = 0;
        for usage in usage {
            self.progress.prompt_tokens += usage.prompt_tokens;
            self.progress.prompt_tokens_forwarded +=
                usage.prompt_tokens - usage.cached_tokens.unwrap_or(0).min(usage.prompt_tokens);
            self.progress.ended_tokens += usage.completion_tokens;
            if let Some(cached) = usage.cached_tokens {
                *self.cached.get_or_insert(0) += cached;
            }
        }
        self.progress.passes += usage.len();
    }
}

impl Backend for Server<'_> {
    fn is_chat(&self) -> bool {
        self.prepared.chat
    }

    fn refusal(&self, trial: usize) -> Option<&Failure> {
        self.prepared.failures[trial].as_ref()
    }

    fn batches(&self) -> Vec<Batch> {
        self.prepared.batches.iter().map(|trials| Batch { trials: trials.clone(), tokens: 0 }).collect()
    }

    fn timing(&self) -> Timing {
        self.timing
    }
}

impl Answerer for Server<'_> {
    fn answer(
        &mut self,
        trials: &[usize],
        on_reply: &mut dyn FnMut(TrialReplies<Replies>) -> ControlFlow<()>,
        after_step: &mut dyn FnMut(&GenerateProgress) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, BackendError> {
        let started = Instant::now();
        self.setup.client.go_on();
        let all: usize = self.prepared.batches.iter().map(Vec::len).sum();
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (sender, answers) = mpsc::channel();
        let mut state = State::default();
        let mut ended = ControlFlow::Continue(());
        let this = &*self;
        std::thread::scope(|scope| {
            for _ in 0..this.setup.concurrency.clamp(1, trials.len().max(1)) {
                let (sender, next, stop) = (sender.clone(), &next, &stop);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let Some(&trial) = trials.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                        if sender.send((trial, this.answered(trial))).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            loop {
                let failed =
                    |trial, failure| TrialReplies { trial, system_merged: false, replies: Err(failure), served: None };
                let mut hand_over = Vec::new();
                match answers.recv_timeout(LOOK) {
                    Ok((trial, Ok((replies, usage)))) => {
                        debug_assert_eq!(trial, replies.trial);
                        state.took(&usage);
                        hand_over.extend(state.held.drain(..).map(|(trial, error)| failed(trial, failure_of(&error))));
                        hand_over.push(replies);
                    }
                    Ok((trial, Err(error))) => {
                        hand_over.extend(state.failed(trial, error).map(|failure| failed(trial, failure)))
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                }
                for replies in hand_over {
                    state.progress.ended += 1;
                    if on_reply(replies).is_break() {
                        ended = ControlFlow::Break(());
                    }
                }
                let done = state.progress.ended + state.held.len() + state.unanswered;
                let begun = next.load(Ordering::Relaxed).min(trials.len());
                state.progress.live = begun.saturating_sub(done);
                state.progress.waiting = trials.len() - begun;
                if after_step(&state.progress).is_break() {
                    ended = ControlFlow::Break(());
                }
                if ended.is_break() || state.fatal.is_some() {
                    stop.store(true, Ordering::Relaxed);
                    this.setup.client.stop();
                }
            }
        });
        self.add_time(started.elapsed(), &state);
        let State { held, unanswered, first_unanswered, answered, fatal, .. } = state;
        if let Some(fatal) = fatal {
            return Err(fatal);
        }
        // If nothing was ever answered, the trials are not at fault.
        if let (Some((_, error)), true) = (held.last(), answered == 0 && trials.len() == all && held.len() > 1) {
            return Err(BackendError::InARow { failed: held.len(), error: error.clone() });
        }
        if ended.is_continue() {
            for (trial, error) in held {
                let replies = Err(failure_of(&error));
                if on_reply(TrialReplies { trial, system_merged: false, replies, served: None }).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        match first_unanswered {
            Some(error) if ended.is_continue() => Err(BackendError::Unanswered { trials: unanswered, error }),
            _ => Ok(ended),
        }
    }
}

impl Server<'_> {
    fn add_time(&mut self, elapsed: Duration, state: &State) {
        let progress = &state.progress;
        self.timing.forward += elapsed;
        self.timing.tokens += progress.prompt_tokens + progress.ended_tokens;
        self.timing.passes += progress.passes;
        if let Some(cached) = state.cached {
            *self.timing.cached_tokens.get_or_insert(0) += cached;
        }
        if self.setup.draws.is_some() {
            let before = self.timing.written.unwrap_or_default();
            self.timing.written = Some(GenerationTotals {
                replies: before.replies + progress.ended,
                tokens: before.tokens + progress.ended_tokens,
                prompt_tokens: before.prompt_tokens + progress.prompt_tokens,
                prompt_tokens_forwarded: before.prompt_tokens_forwarded + progress.prompt_tokens_forwarded,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_trials_wait_until_others_have_answers() {
        let mut state = State::default();
        for trial in 0..3 {
            assert_eq!(state.failed(trial, ServerError::odd("half")), None);
        }
        assert_eq!((state.held.len(), state.in_a_row), (3, 3));
        state.took(&[Usage { prompt_tokens: 3, completion_tokens: 1, cached_tokens: Some(2) }]);
        assert_eq!((state.in_a_row, state.cached, state.progress.prompt_tokens_forwarded), (0, Some(2), 1));
        let long = state.failed(4, ServerError::TooLong { message: "9 tokens".into() });
        assert_eq!(long.map(|failure| failure.kind), Some(FailureKind::TooLong));
    }

    #[test]
    fn failures_in_a_row_end_the_work() {
        let mut state = State::default();
        let silent = || ServerError::Unreachable { place: "http://s:1".into(), reason: "cut".into() };
        (0..IN_A_ROW - 1).for_each(|trial| drop(state.failed(trial, silent())));
        assert!(state.fatal.is_none());
        state.failed(IN_A_ROW, silent());
        let fatal = state.fatal.map(|fatal| fatal.to_string()).unwrap_or_default();
        assert!(
            fatal.starts_with("stopped after 10 consecutive failures") && fatal.contains("http://s:1: cut"),
            "{fatal}"
        );
    }
}
