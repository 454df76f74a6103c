//! Questions that belong to no run: each is a trial of its own, and all that is kept is its answer.

use std::ops::ControlFlow;

use super::{PromptWriter, Server, ServerSetup};
use crate::backend::{AskKeeper, Backend, Reply, TrialAsks, TrialReplies};
use crate::progress::Tracker;
use crate::prompt::Ask;
use crate::record::{Failure, FailureKind};

/// Questions for a server.
pub struct Inquiry {
    asked: Vec<Result<TrialAsks, Failure>>,
}

impl Inquiry {
    /// Questions in an order that their answers keep.
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
            })
        };
        Inquiry { asked: asks.into_iter().map(trial).collect() }
    }

    /// The tokens of a question's prompt, where it is written here and its tokenizer is known.
    pub fn prompt_ids(&self, question: usize, prompts: &PromptWriter<'_>) -> Option<Vec<u32>> {
        prompts.prompt_ids(self.asked[question].as_ref().ok()?.asks.first()?)
    }

    /// One answer to each question. Where the server stops answering, what is still open fails with the reason. `after` is told how
    /// many are answered and how many are asked.
    pub fn answers(
        &self,
        setup: ServerSetup<'_>,
        tracker: &Tracker,
        after: &mut dyn FnMut(usize, usize),
    ) -> Vec<Result<Reply, Failure>> {
        let prepared = setup.prompts.prepare(&self.asked, setup.mode, tracker);
        let trials: Vec<usize> = prepared.batches.concat();
        let mut answers: Vec<Option<Result<Reply, Failure>>> =
            prepared.failures.iter().map(|failure| failure.clone().map(Err)).collect();
        let mut server = Server::new(setup, &self.asked, &prepared);
        let mut answered = 0;
        after(answered, trials.len());
        let mut on_reply = |replies: TrialReplies| {
            answered += 1;
            after(answered, trials.len());
            answers[replies.trial] = match replies.replies {
                Ok(mut replies) => replies.pop().map(Ok),
                Err(failure) => Some(Err(failure)),
            };
            ControlFlow::Continue(())
        };
        let ended = server.answer_each(&trials, &mut on_reply, &mut |_| ControlFlow::Continue(()));
        let why = ended.err().map_or_else(|| "the server gives no answer".to_string(), |error| error.to_string());
        let missing = || Err(Failure { kind: FailureKind::Server, message: why.clone() });
        answers.into_iter().map(|answer| answer.unwrap_or_else(missing)).collect()
    }
}
