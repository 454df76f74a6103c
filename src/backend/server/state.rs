//! Progress and failures of the work, and what becomes of trials that were not answered.

use std::collections::HashMap;

use crate::backend::BackendError;
use crate::engine::GenerateProgress;
use crate::record::{Failure, FailureKind};
use crate::server::{Grade, ServerError, Usage};

/// Number of consecutive trials without an answer that ends the work: the cause is then not the trials.
const IN_A_ROW: usize = 10;

/// Progress and failures of the work.
#[derive(Default)]
pub(super) struct State {
    pub progress: GenerateProgress,
    /// Trials that failed permanently, not recorded until another trial is answered.
    pub held: Vec<(usize, ServerError)>,
    pub unanswered: usize,
    pub first_unanswered: Option<ServerError>,
    /// Consecutive failures of each server.
    pub in_a_row: Vec<usize>,
    pub answered: usize,
    pub cached: Option<usize>,
    pub shared: usize,
    /// For trials that a server did not answer, all that did not.
    pub tried: HashMap<usize, Vec<usize>>,
    /// Error that ends the work.
    pub fatal: Option<BackendError>,
}

/// What becomes of a trial that was not answered.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// Its failure is recorded.
    Recorded(Failure),
    /// Its failure is held back, or it stays open.
    Open,
    /// Another server is asked.
    Elsewhere(Vec<usize>),
}

pub(super) fn failure_of(error: &ServerError) -> Failure {
    Failure { kind: FailureKind::Server, message: error.to_string() }
}

impl State {
    /// Creates the state of work by several servers.
    pub fn new(servers: usize) -> Self {
        State { in_a_row: vec![0; servers], ..State::default() }
    }

    /// Returns what becomes of a trial that a server did not answer, and why that server is asked no more, if so;
    /// `others` are the other servers in use.
    pub fn failed(
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

    /// Notes a trial that a server answered.
    pub fn took(&mut self, server: usize, usage: &[Usage], shared: usize) {
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
