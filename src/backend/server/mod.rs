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

mod inquiry;
mod prefixes;
mod prompts;
mod schedule;
mod trial;

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

pub use inquiry::Inquiry;
pub use prompts::{PromptWriter, Route, ServedTrials};
use serde_json::{Map, Value};

use self::schedule::Schedule;
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

/// Progress and failures of the work.
#[derive(Default)]
struct State {
    progress: GenerateProgress,
    /// Trials that failed permanently, not recorded until another trial is answered.
    held: Vec<(usize, ServerError)>,
    unanswered: usize,
    first_unanswered: Option<ServerError>,
    /// Consecutive failures of each server.
    in_a_row: Vec<usize>,
    answered: usize,
    cached: Option<usize>,
    shared: usize,
    /// For trials that a server did not answer, all that did not.
    tried: HashMap<usize, Vec<usize>>,
    /// Error that ends the work.
    fatal: Option<BackendError>,
}

/// What becomes of a trial that was not answered.
#[derive(Debug, PartialEq)]
enum Verdict {
    /// Its failure is recorded.
    Recorded(Failure),
    /// Its failure is held back, or it stays open.
    Open,
    /// Another server is asked.
    Elsewhere(Vec<usize>),
}

fn failure_of(error: &ServerError) -> Failure {
    Failure { kind: FailureKind::Server, message: error.to_string() }
}

impl State {
    fn new(servers: usize) -> Self {
        State { in_a_row: vec![0; servers], ..State::default() }
    }

    /// Returns what becomes of a trial that a server did not answer, and why that server is asked no more, if so;
    /// `others` are the other servers in use.
    fn failed(
        &mut self,
        trial: usize,
        server: usize,
        error: ServerError,
        others: &[usize],
    ) -> (Verdict, Option<BackendError>) {
        let tried: Vec<usize> = self.tried.get(&trial).into_iter().flatten().copied().chain([server]).collect();
        let elsewhere = others.iter().any(|other| !tried.contains(other));
        let verdict = match error.grade() {
            Grade::Request if matches!(error, ServerError::TooLong { .. }) => {
                let failure = Failure { kind: FailureKind::TooLong, message: error.to_string() };
                return (Verdict::Recorded(failure), None);
            }
            _ if elsewhere => {
                self.tried.insert(trial, tried.clone());
                Verdict::Elsewhere(tried)
            }
            Grade::Request => {
                self.held.push((trial, error.clone()));
                Verdict::Open
            }
            Grade::Passing if error == ServerError::Stopped && others.is_empty() => return (Verdict::Open, None),
            Grade::Passing | Grade::Run => {
                self.unanswered += 1;
                self.first_unanswered.get_or_insert_with(|| error.clone());
                Verdict::Open
            }
        };
        if error == ServerError::Stopped {
            return (verdict, None);
        }
        self.in_a_row[server] += 1;
        let failed = self.in_a_row[server];
        let gone =
            error.grade() == Grade::Run || !others.is_empty() && matches!(error, ServerError::Unreachable { .. });
        let out = match gone {
            true => Some(error.into()),
            false => (failed >= IN_A_ROW).then_some(BackendError::InARow { failed, error }),
        };
        (verdict, out)
    }

    fn took(&mut self, server: usize, usage: &[Usage], shared: usize) {
        self.answered += 1;
        self.in_a_row[server] = 0;
        self.shared += shared;
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
        self.all().for_each(|server| server.setup.client.go_on());
        let all: usize = self.prepared.batches.iter().map(Vec::len).sum();
        let desk = Desk::new(self, trials);
        let (sender, answers) = mpsc::channel();
        let mut state = State::new(1 + self.peers.len());
        let mut ended = ControlFlow::Continue(());
        let this = &*self;
        std::thread::scope(|scope| {
            for (number, server) in this.all().enumerate() {
                for _ in 0..this.setup.concurrency.clamp(1, trials.len().max(1)) {
                    let (sender, desk) = (sender.clone(), &desk);
                    scope.spawn(move || {
                        while let Some(trial) = desk.take(number) {
                            let answered = server.answered(trial);
                            if answered.is_ok() {
                                desk.answered(trial, number);
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
                        state.took(server, &usage, this.prepared.prefixes.cached[trial]);
                        hand_over.extend(state.held.drain(..).map(|(trial, error)| failed(trial, failure_of(&error))));
                        hand_over.push(replies);
                    }
                    Ok((server, trial, Err(error))) => {
                        let failure = this.failed(trial, server, error, &desk, &mut state);
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
                (state.progress.live, state.progress.waiting) = desk.counts();
                if after_step(&state.progress).is_break() {
                    ended = ControlFlow::Break(());
                }
                if ended.is_break() || state.fatal.is_some() {
                    desk.stop();
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

/// What the threads that send share.
struct Desk<'a> {
    schedule: Mutex<Schedule<'a>>,
    /// Told whenever another trial may be sent.
    changed: Condvar,
    stop: AtomicBool,
}

impl<'a> Desk<'a> {
    fn new(server: &Server<'a>, trials: &[usize]) -> Self {
        let ServedTrials { batches, prefixes, .. } = server.prepared;
        let asked: HashSet<usize> = trials.iter().copied().collect();
        let story = |batch: &Vec<usize>| batch.iter().copied().filter(|trial| asked.contains(trial)).collect();
        let schedule = Schedule::new(batches.iter().map(story), prefixes, 1 + server.peers.len());
        Desk { schedule: Mutex::new(schedule), changed: Condvar::new(), stop: AtomicBool::new(false) }
    }

    fn schedule(&self) -> MutexGuard<'_, Schedule<'a>> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next trial to send to a server; `None` if there is none any more.
    fn take(&self, server: usize) -> Option<usize> {
        let mut schedule = self.schedule();
        loop {
            if self.stop.load(Ordering::Relaxed) || !schedule.is_up(server) || schedule.is_over() {
                return None;
            }
            if let Some(trial) = schedule.next(server) {
                // Another server may have fewer in flight now.
                if schedule.has_several() {
                    self.changed.notify_all();
                }
                return Some(trial);
            }
            schedule = self.changed.wait(schedule).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn answered(&self, trial: usize, server: usize) {
        self.schedule().ended(trial, server, true);
        self.changed.notify_all();
    }

    fn stop(&self) {
        let _schedule = self.schedule();
        self.stop.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Returns how many trials are in flight, and how many wait.
    fn counts(&self) -> (usize, usize) {
        let schedule = self.schedule();
        (schedule.in_flight(), schedule.waiting())
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
        desk: &Desk<'_>,
        state: &mut State,
    ) -> Option<Failure> {
        let mut schedule = desk.schedule();
        let others: Vec<usize> = (0..state.in_a_row.len()).filter(|&n| n != server && schedule.is_up(n)).collect();
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
        if let Verdict::Elsewhere(tried) = &verdict {
            schedule.again(trial, tried.clone());
        }
        schedule.ended(trial, server, false);
        desk.changed.notify_all();
        if let Verdict::Recorded(failure) = verdict { Some(failure) } else { None }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn silent() -> ServerError {
        ServerError::Unreachable { place: "http://s:1".into(), reason: "cut".into() }
    }

    #[test]
    fn failures_of_trials_wait_until_others_have_answers() {
        let mut state = State::new(1);
        for trial in 0..3 {
            assert_eq!(state.failed(trial, 0, ServerError::odd("half"), &[]).0, Verdict::Open);
        }
        assert_eq!((state.held.len(), state.in_a_row[0]), (3, 3));
        state.took(0, &[Usage { prompt_tokens: 3, completion_tokens: 1, cached_tokens: Some(2) }], 0);
        assert_eq!((state.in_a_row[0], state.cached, state.progress.prompt_tokens_forwarded), (0, Some(2), 1));
    }

    #[test]
    fn failures_in_a_row_end_the_work_and_prompts_that_are_too_long_do_not_count() {
        let mut state = State::new(1);
        for trial in 0..IN_A_ROW - 1 {
            assert!(state.failed(trial, 0, silent(), &[]).1.is_none());
        }
        for trial in 20..40 {
            let (long, out) = state.failed(trial, 0, ServerError::TooLong { message: "9 tokens".into() }, &[]);
            assert!(matches!(long, Verdict::Recorded(Failure { kind: FailureKind::TooLong, .. })) && out.is_none());
        }
        let why = state.failed(IN_A_ROW, 0, silent(), &[]).1.map(|why| why.to_string()).unwrap_or_default();
        assert!(why.starts_with("stopped after 10 consecutive failures") && why.contains("http://s:1: cut"), "{why}");
        assert_eq!(state.unanswered, IN_A_ROW);
    }

    #[test]
    fn another_server_is_asked_before_a_trial_fails() {
        let mut state = State::new(2);
        assert_eq!(state.failed(7, 0, ServerError::odd("half"), &[1]).0, Verdict::Elsewhere(vec![0]));
        assert_eq!(state.failed(7, 1, ServerError::odd("half"), &[0]).0, Verdict::Open);
        assert_eq!((state.held.len(), state.in_a_row.clone()), (1, vec![1, 1]));
        // One that cannot be reached is left out at once; what it had in flight is asked elsewhere.
        assert!(state.failed(8, 0, silent(), &[1]).1.is_some());
        assert!(state.failed(9, 1, silent(), &[]).1.is_none(), "the last one stays until ten have failed");
        let (verdict, out) = state.failed(10, 0, ServerError::Stopped, &[1]);
        assert!(verdict == Verdict::Elsewhere(vec![0]) && out.is_none());
    }
}
