//! A model on a server: each trial is one or several requests, many trials are in flight at a time, and each is passed
//! on when its last answer arrives.
//!
//! A server is a backend that answers trial by trial ([`Answerer`]), as replies are written: each is recorded when it
//! arrives, and `run/written.rs` puts all into the plan's order at the end. Its plan (`run/served.rs`) is the order of
//! sending: stories in their order, and within one the order of the prompts' text, for hits in a prefix cache. Of trials
//! that share a prefix (`prefixes.rs`), one is sent first and the others once it is answered (`schedule.rs`).
//! Abilities of a server are probed before use (`server/abilities.rs`), since no server announces them. Several threads
//! send requests, one thread records. Failures are of three kinds (`server::Grade`): temporary (retried), of the
//! request (its trial fails), or of the run (it stops). Failures of trials are held back until another trial is
//! answered: ten in a row are attributed to the server and are not recorded. `backend` and `model` (its Hub) use
//! `address`, so that one definition decides who may see a key.
//!
//! Several servers of one model ([`Peer`]) share the trials, story by story. A trial that one does not answer is asked
//! at another before it fails, and one that fails as a whole is left out.
//!
//! Prompts written here are compared with those the server reads: text that it puts in front by itself is left out
//! (`backend/server/prompts.rs`), and every count of tokens is checked. Its defaults for replies are disabled
//! (`server/neutral.rs`).

mod choice;
mod inquiry;
mod prefixes;
mod prompts;
mod schedule;
mod source;
mod state;
mod token_trie;
mod trial;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::mpsc;
use std::time::{Duration, Instant};

pub use inquiry::Inquiry;
pub use prompts::{PromptWriter, Route, ServedTrials};
use serde_json::{Map, Value};
pub use source::choose_source;

use self::schedule::{Schedule, SharedSchedule};
use self::state::{State, Verdict, failure_of};
use super::{Answerer, Backend, BackendError, Batch, Replies, TrialReplies};
use crate::engine::{GenerateProgress, GenerationTotals, Timing};
use crate::record::{Failure, Served};
use crate::server::{Answered, Client, Draws, ScoreMode, ServerError};
use crate::trial::TrialAsks;

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
    /// Smaller numbers of tokens to which replies are also cut, by the model's tokenizer.
    pub budgets: Vec<usize>,
}

/// A model on a server that answers prepared trials.
pub struct Server<'a> {
    setup: ServerSetup<'a>,
    asked: &'a [Result<TrialAsks, Failure>],
    prepared: &'a ServedTrials,
    timing: Timing,
    /// Other servers with the same model.
    peers: Vec<Server<'a>>,
    /// Whether records name the server.
    named: bool,
    on_left_out: Option<&'a OnLeftOut>,
}

/// Receives a sentence about a server that is asked no more.
type OnLeftOut = dyn Fn(&str) + Sync;

impl<'a> Server<'a> {
    /// Creates a backend for trials prepared for the server.
    pub fn new(setup: ServerSetup<'a>, asked: &'a [Result<TrialAsks, Failure>], prepared: &'a ServedTrials) -> Self {
        Server { setup, asked, prepared, timing: Timing::default(), peers: Vec::new(), named: false, on_left_out: None }
    }

    /// Spreads the trials over other servers, too, with as many in flight at each. `named` says whether records name the
    /// server; `on_left_out` is called when one is asked no more.
    pub fn with_peers(mut self, peers: &[Peer], named: bool, on_left_out: &'a OnLeftOut) -> Self {
        let peer = |Peer { client, answered, version }: &Peer| {
            let (client, answered, version) = (client.clone(), answered.clone(), version.clone());
            let setup = ServerSetup { client, answered, version, ..self.setup.clone() };
            Server { named, ..Server::new(setup, self.asked, self.prepared) }
        };
        self.peers = peers.iter().map(peer).collect();
        (self.named, self.on_left_out) = (named, Some(on_left_out));
        self
    }

    fn all(&self) -> impl Iterator<Item = &Server<'a>> {
        std::iter::once(self).chain(&self.peers)
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
        let served = Served {
            server: self.named.then(|| self.setup.client.server().base().to_string()),
            version: self.setup.version.clone(),
            fingerprint: answered.fingerprint,
        };
        (served.server.is_some() || served.version.is_some() || served.fingerprint.is_some()).then_some(served)
    }
}

/// Another server with the same model.
#[derive(Clone)]
pub struct Peer {
    /// Client that sends requests.
    pub client: Client,
    /// Model and configuration named in its first answer.
    pub answered: Answered,
    /// Version of its program, if reported.
    pub version: Option<String>,
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
        self.all().for_each(|server| server.setup.client.go_on());
        let all: usize = self.prepared.batches.iter().map(Vec::len).sum();
        let asked: HashSet<usize> = trials.iter().copied().collect();
        let ServedTrials { batches, prefixes, .. } = self.prepared;
        let story = |batch: &Vec<usize>| batch.iter().copied().filter(|trial| asked.contains(trial)).collect();
        let shared = SharedSchedule::new(Schedule::new(batches.iter().map(story), prefixes, 1 + self.peers.len()));
        let (sender, answers) = mpsc::channel();
        let mut state = State::new(1 + self.peers.len());
        let mut ended = ControlFlow::Continue(());
        let this = &*self;
        std::thread::scope(|scope| {
            for (number, server) in this.all().enumerate() {
                for _ in 0..this.setup.concurrency.clamp(1, trials.len().max(1)) {
                    let (sender, shared) = (sender.clone(), &shared);
                    scope.spawn(move || {
                        while let Some(trial) = shared.take(number) {
                            let answered = server.answered(trial);
                            if answered.is_ok() {
                                shared.change(|schedule| schedule.ended(trial, number, true));
                            }
                            if sender.send((number, trial, answered)).is_err() {
                                break;
                            }
                        }
                    });
                }
            }
            drop(sender);
            loop {
                let failed =
                    |trial, failure| TrialReplies { trial, system_merged: false, replies: Err(failure), served: None };
                let mut hand_over = Vec::new();
                match answers.recv_timeout(LOOK) {
                    Ok((server, trial, Ok((replies, usage)))) => {
                        debug_assert_eq!(trial, replies.trial);
                        let shared = this.prepared.prefixes.cached.get(trial).copied().unwrap_or_default();
                        state.took(server, &usage, shared);
                        hand_over.extend(state.held.drain(..).map(|(trial, error)| failed(trial, failure_of(&error))));
                        hand_over.push(replies);
                    }
                    Ok((server, trial, Err(error))) => {
                        let failure = shared.change(|schedule| this.failed(trial, server, error, schedule, &mut state));
                        hand_over.extend(failure.map(|failure| failed(trial, failure)));
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
                (state.progress.live, state.progress.waiting) = shared.counts();
                if after_step(&state.progress).is_break() {
                    ended = ControlFlow::Break(());
                }
                if ended.is_break() || state.fatal.is_some() {
                    shared.stop();
                    this.all().for_each(|server| server.setup.client.stop());
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
    /// Has a trial asked elsewhere that a server did not answer, and leaves out that server if need be. Returns the
    /// failure to record at once, if any.
    fn failed(
        &self,
        trial: usize,
        server: usize,
        error: ServerError,
        schedule: &mut Schedule<'_>,
        state: &mut State,
    ) -> Option<Failure> {
        let others: Vec<usize> = (0..=self.peers.len()).filter(|&n| n != server && schedule.is_up(n)).collect();
        let (verdict, out) = state.failed(trial, server, error, &others);
        if let Some(why) = out.filter(|_| schedule.is_up(server)) {
            match schedule.leave_out(server) {
                true => {
                    let client = self.all().nth(server).map(|server| &server.setup.client);
                    client.into_iter().for_each(Client::stop);
                    let place = client.map_or("", |client| client.server().place());
                    self.on_left_out.iter().for_each(|tell| tell(&format!("{place} is left out: {why}")));
                }
                false => drop(state.fatal.get_or_insert(why)),
            }
        }
        let failure = match verdict {
            Verdict::Elsewhere(tried) => {
                schedule.again(trial, tried);
                None
            }
            Verdict::Recorded(failure) => Some(failure),
            Verdict::Open => None,
        };
        schedule.ended(trial, server, false);
        failure
    }

    fn add_time(&mut self, elapsed: Duration, state: &State) {
        let progress = &state.progress;
        self.timing.forward += elapsed;
        self.timing.tokens += progress.prompt_tokens + progress.ended_tokens;
        self.timing.passes += progress.passes;
        if let Some(cached) = state.cached {
            *self.timing.cached_tokens.get_or_insert(0) += cached;
        }
        if self.prepared.tokens.is_some() {
            *self.timing.shared_tokens.get_or_insert(0) += state.shared;
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
