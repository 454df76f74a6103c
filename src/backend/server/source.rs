//! The choice between two sources of the same log-likelihoods, by asking a few trials both ways.
//!
//! Which source is faster depends on the server: one that keeps its prefix cache for named tokens alone answers many
//! requests of a token trie sooner than few that forward whole prompts, and a proxy or a small model may not. Both give
//! the same numbers, so the faster one is taken.

use std::ops::ControlFlow;
use std::time::Instant;

use super::choice::{SourceChoice, Tried};
use super::{ServedTrials, Server, ServerSetup};
use crate::backend::{Answerer, AskScores, Backend, BackendError, Replies, TrialReplies};
use crate::progress::Tracker;
use crate::record::Failure;
use crate::server::{SAME, ScoreMode};
use crate::trial::TrialAsks;

/// Share of the first source's time below which the second one is taken: a smaller gain may be chance.
const FASTER: f64 = 0.9;

/// Answers to trials by one source.
struct Answers {
    tried: Tried,
    /// Scores by trial.
    scores: Vec<Option<Vec<AskScores>>>,
}

/// Chooses between the setup's source and `other`, which gives the same log-likelihoods: the first, the middle and the
/// last of the `planned` trials are asked both ways, with `other` before the cache knows their prompts. The source that
/// works is taken; of two, `other` if its median time is below nine tenths of the first one's and no log-probability
/// differs by more than 0.1 nats.
///
/// # Errors
/// Neither source gives an answer.
pub fn choose_source(
    setup: &ServerSetup<'_>,
    other: ScoreMode,
    asked: &[Result<TrialAsks, Failure>],
    planned: &ServedTrials,
    tracker: &Tracker,
) -> Result<Option<SourceChoice>, BackendError> {
    let Some(mode) = setup.mode else { return Ok(None) };
    let all = planned.batches.concat();
    let places = [0, all.len() / 2, all.len().saturating_sub(1)];
    let mut trials: Vec<usize> = places.into_iter().filter_map(|at| all.get(at).copied()).collect();
    trials.sort_unstable();
    trials.dedup();
    if trials.is_empty() {
        return Ok(None);
    }
    let prepared = ServedTrials {
        failures: vec![None; asked.len()],
        batches: trials.iter().map(|&trial| vec![trial]).collect(),
        chat: planned.chat,
        ..ServedTrials::default()
    };
    tracker.count("asking trials both ways", 2 * trials.len(), "trials");
    let answers = |mode| answers(&ServerSetup { mode: Some(mode), ..setup.clone() }, mode, asked, &prepared, tracker);
    let (second, first) = (answers(other), answers(mode));
    let (first, second) = match (first, second) {
        (Err(error), Err(_)) => return Err(error),
        (first, second) => (
            first.unwrap_or_else(|error| Answers::none(mode, &error)),
            second.unwrap_or_else(|error| Answers::none(other, &error)),
        ),
    };
    let apart = first.apart(&second);
    let taken = match (&first.tried.seconds, &second.tried.seconds, apart) {
        (Ok(_), Ok(_), Some(apart)) if apart > f64::from(SAME) => mode,
        (Ok(one), Ok(next), _) if *next < one * FASTER => other,
        (Err(_), Ok(_), _) => other,
        _ => mode,
    };
    Ok(Some(SourceChoice { taken, tried: [first.tried, second.tried], apart }))
}

/// Asks trials by one source.
fn answers(
    setup: &ServerSetup<'_>,
    mode: ScoreMode,
    asked: &[Result<TrialAsks, Failure>],
    prepared: &ServedTrials,
    tracker: &Tracker,
) -> Result<Answers, BackendError> {
    let trials = prepared.batches.concat();
    let mut server = Server::new(setup.clone(), asked, prepared);
    let (mut seconds, mut failed) = (Vec::new(), None);
    let mut scores = vec![None; trials.len()];
    let started = Instant::now();
    let mut on_reply = |TrialReplies { trial, replies, .. }: TrialReplies<Replies>| {
        tracker.step(1);
        match replies {
            Ok(Replies::Scores(each)) => {
                seconds.push(started.elapsed().as_secs_f64());
                if let Some(at) = trials.iter().position(|&known| known == trial) {
                    scores[at] = Some(each);
                }
            }
            Ok(Replies::Text(_)) => {}
            Err(failure) => failed = Some(failure.message),
        }
        ControlFlow::Continue(())
    };
    let _ = server.answer(&trials, &mut on_reply, &mut |_| ControlFlow::Continue(()))?;
    seconds.sort_by(f64::total_cmp);
    let timing = server.timing();
    let seconds = match (failed, seconds.get(seconds.len() / 2)) {
        (None, Some(&median)) => Ok(median),
        (failed, _) => Err(failed.unwrap_or_else(|| "the server gives no answer".to_string())),
    };
    let tokens = timing.tokens.saturating_sub(timing.cached_tokens.unwrap_or(0));
    Ok(Answers { tried: Tried { mode, seconds, tokens, requests: timing.passes }, scores })
}

impl Answers {
    fn none(mode: ScoreMode, error: &BackendError) -> Self {
        let tried = Tried { mode, seconds: Err(error.to_string()), tokens: 0, requests: 0 };
        Answers { tried, scores: Vec::new() }
    }

    /// Returns the largest difference between log-probabilities of the trials that both sources answered.
    fn apart(&self, other: &Answers) -> Option<f64> {
        let values = |asks: &[AskScores]| -> Vec<f32> {
            let each = asks.iter().flat_map(|ask| &ask.continuations);
            each.flat_map(|continuation| continuation.scores.logprobs.clone()).collect()
        };
        let both = self.scores.iter().zip(&other.scores).filter_map(|(one, other)| one.as_ref().zip(other.as_ref()));
        let apart = |(one, other): (&Vec<AskScores>, &Vec<AskScores>)| {
            let (one, other) = (values(one), values(other));
            if one.len() != other.len() {
                return f64::INFINITY;
            }
            one.iter().zip(&other).map(|(one, other)| f64::from((one - other).abs())).fold(0.0, f64::max)
        };
        both.map(apart).reduce(f64::max)
    }
}
