//! Questions outside a run (`logprob`, `probe`): each is a trial of which only the answer is kept.

use std::ops::ControlFlow;

use super::prefixes::SharedPrefixes;
use super::{PromptWriter, Server, ServerSetup};
use crate::backend::{Answerer, AskScores, GeneratedReply, Replies, TrialReplies};
use crate::progress::Tracker;
use crate::prompt::Ask;
use crate::record::{Failure, FailureKind};
use crate::trial::{AskKeeper, TrialAsks};

/// Questions for a server.
pub struct Inquiry {
    asked: Vec<Result<TrialAsks, Failure>>,
}

impl Inquiry {
    /// Creates questions; answers come in their order.
    pub fn new(asks: impl IntoIterator<Item = Ask>) -> Self {
        let mut keeper = AskKeeper::default();
        let trial = |ask| {
            Ok(TrialAsks {
                story: String::new(),
                draws: 1,
                labels: keeper.list(Vec::new()),
                asks: vec![keeper.keep(ask)],
                most_tokens: 0,
                together: None,
                switched_off: false,
            })
        };
        Inquiry { asked: asks.into_iter().map(trial).collect() }
    }

    /// Returns the tokens of a question's prompt, if it is written here and its tokenizer is known.
    pub fn prompt_ids(&self, question: usize, prompts: &PromptWriter<'_>) -> Option<Vec<u32>> {
        prompts.prompt_ids(self.asked[question].as_ref().ok()?.asks.first()?)
    }

    /// Returns the scores of each question's continuations. If the server stops answering, the remaining ones fail with
    /// the reason. `after` receives the numbers of answered and asked questions.
    pub fn scores(
        &self,
        setup: ServerSetup<'_>,
        tracker: &Tracker,
        after: &mut dyn FnMut(usize, usize),
    ) -> Vec<Result<AskScores, Failure>> {
        self.answers(setup, tracker, after, |replies| match replies {
            Replies::Scores(mut scores) => scores.pop(),
            Replies::Text(_) => None,
        })
    }

    /// Returns a reply to each question, like [`Inquiry::scores`].
    pub fn replies(
        &self,
        setup: ServerSetup<'_>,
        tracker: &Tracker,
        after: &mut dyn FnMut(usize, usize),
    ) -> Vec<Result<GeneratedReply, Failure>> {
        self.answers(setup, tracker, after, |replies| match replies {
            Replies::Text(reply) => Some(reply),
            Replies::Scores(_) => None,
        })
    }

    fn answers<R>(
        &self,
        setup: ServerSetup<'_>,
        tracker: &Tracker,
        after: &mut dyn FnMut(usize, usize),
        wanted: fn(Replies) -> Option<R>,
    ) -> Vec<Result<R, Failure>> {
        let mut prepared = setup.prompts.prepare(&self.asked, setup.mode, tracker);
        if setup.mode.is_none() {
            // A few replies take longer than all of their prompts.
            prepared.prefixes = SharedPrefixes::default();
        }
        let trials: Vec<usize> = prepared.batches.concat();
        let mut answers: Vec<Option<Result<R, Failure>>> =
            prepared.failures.iter().map(|failure| failure.clone().map(Err)).collect();
        let mut server = Server::new(setup, &self.asked, &prepared);
        let mut answered = 0;
        after(answered, trials.len());
        let mut on_reply = |replies: TrialReplies<Replies>| {
            answered += 1;
            after(answered, trials.len());
            answers[replies.trial] = match replies.replies {
                Ok(replies) => wanted(replies).map(Ok),
                Err(failure) => Some(Err(failure)),
            };
            ControlFlow::Continue(())
        };
        let ended = server.answer(&trials, &mut on_reply, &mut |_| ControlFlow::Continue(()));
        let why = ended.err().map_or_else(|| "the server gives no answer".to_string(), |error| error.to_string());
        let missing = || Err(Failure { kind: FailureKind::Server, message: why.clone() });
        answers.into_iter().map(|answer| answer.unwrap_or_else(missing)).collect()
    }
}
