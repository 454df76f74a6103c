//! The local backend for generation.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Answerer, Backend, BackendError, Batch, GeneratedReply, Prepared, Replies, TrialReplies};
use crate::decoder::Decoder;
use crate::engine::{
    GenerateProgress, GenerateRequest, GenerationTotals, Limits, Plan, Reply as Generated, Sampling, Timing, generate,
};
use crate::model::{Tokenizer, split_thinking};
use crate::record::{Failure, FailureKind};

/// Settings for writing replies.
pub struct WritingSetup<'a> {
    /// The model's tokenizer.
    pub tokenizer: &'a Tokenizer,
    /// Sampling of tokens, and the end of a reply.
    pub sampling: Sampling,
    /// Limits of concurrent replies.
    pub limits: Limits,
    /// For each trial, the key of its draws, its reply number, and the maximum tokens of its reply.
    pub requests: Vec<(String, usize, usize)>,
    /// Smaller numbers of tokens to which replies are also cut.
    pub budgets: Vec<usize>,
}

/// A local model that writes replies to prepared trials.
pub struct Generator<'a> {
    decoder: &'a Decoder,
    prepared: &'a Prepared,
    plan: &'a Plan,
    setup: WritingSetup<'a>,
    timing: Timing,
}

impl<'a> Generator<'a> {
    /// Creates a backend with this setup; `plan` gives the order of the work.
    pub fn new(decoder: &'a Decoder, prepared: &'a Prepared, plan: &'a Plan, setup: WritingSetup<'a>) -> Self {
        Generator { decoder, prepared, plan, setup, timing: Timing::default() }
    }

    fn request(&self, trial: usize) -> GenerateRequest {
        let (key, sample, max_tokens) = self.setup.requests[trial].clone();
        let prompt = match self.prepared.requests[trial].requests.first() {
            Some(request) => Arc::from(&*request.context()),
            None => Arc::from([]),
        };
        GenerateRequest { prompt, key, sample, max_tokens }
    }

    fn reply(&self, trial: usize, reply: Generated, prompt_tokens: usize) -> TrialReplies<Replies> {
        let written = |text: String, tokens: usize, cut: bool| {
            let (thinking, text) = split_thinking(text, self.prepared.open_thinking(trial));
            GeneratedReply { prompt_tokens, text, thinking, tokens: Some(tokens), cut, shorter: Vec::new() }
        };
        let mut replies = Ok(written(reply.text.clone().unwrap_or_default(), reply.tokens.len(), reply.end.is_cut()));
        for &most in &self.setup.budgets {
            let (Ok(whole), Some(shorter)) = (&mut replies, reply.within(most, self.setup.tokenizer).transpose())
            else {
                continue;
            };
            match shorter {
                Ok(text) => whole.shorter.push((most, written(text, most, true))),
                Err(error) => replies = Err(Failure { kind: FailureKind::Tokens, message: error.to_string() }),
            }
        }
        let replies = replies.map(Replies::Text);
        TrialReplies { trial, system_merged: self.prepared.system_merged(trial), replies, served: None }
    }
}

impl Backend for Generator<'_> {
    fn is_chat(&self) -> bool {
        self.prepared.is_chat()
    }

    fn refusal(&self, trial: usize) -> Option<&Failure> {
        self.prepared.failures[trial].as_ref()
    }

    fn batches(&self) -> Vec<Batch> {
        Batch::planned(self.plan)
    }

    fn timing(&self) -> Timing {
        self.timing
    }
}

impl Answerer for Generator<'_> {
    fn answer(
        &mut self,
        trials: &[usize],
        on_reply: &mut dyn FnMut(TrialReplies<Replies>) -> ControlFlow<()>,
        after_step: &mut dyn FnMut(&GenerateProgress) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, BackendError> {
        let requests: Vec<GenerateRequest> = trials.iter().map(|&trial| self.request(trial)).collect();
        let started = Instant::now();
        let mut last = GenerateProgress::default();
        let mut handed_over = Duration::ZERO;
        let ended = {
            let this = &*self;
            let mut on_reply = |number: usize, reply: Generated| {
                let handing = Instant::now();
                let end = on_reply(this.reply(trials[number], reply, requests[number].prompt.len()));
                handed_over += handing.elapsed();
                end
            };
            let mut after_step = |progress: &GenerateProgress| {
                last = *progress;
                after_step(progress)
            };
            let (tokenizer, limits) = (Some(self.setup.tokenizer), self.setup.limits);
            generate(self.decoder, tokenizer, &requests, &self.setup.sampling, limits, &mut on_reply, &mut after_step)?
        };
        self.timing.forward += started.elapsed().saturating_sub(handed_over);
        self.timing.tokens += last.prompt_tokens_forwarded + last.ended_tokens + last.live_tokens + last.tokens_again;
        self.timing.passes += last.passes;
        let before = self.timing.written.unwrap_or_default();
        self.timing.written = Some(GenerationTotals {
            replies: before.replies + last.ended,
            tokens: before.tokens + last.ended_tokens + last.live_tokens,
            prompt_tokens: before.prompt_tokens + last.prompt_tokens,
            prompt_tokens_forwarded: before.prompt_tokens_forwarded + last.prompt_tokens_forwarded,
        });
        Ok(ended)
    }
}
