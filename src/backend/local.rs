//! The local backend: renders prompts with the model's template, tokenizes them, plans them as one token trie, and
//! computes them in batches.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::{AskScores, Backend, BackendError, Batch, ContinuationScores, Scorer, TrialReplies};
use crate::decoder::Decoder;
use crate::engine::{Encoder, Engine, PassTime, Plan, Request, RequestError, Timing, TokenScores, TrialRequests};
use crate::model::{
    ChatTemplate, RenderSettings, Rendered, TemplateError, TemplateVariables, Tokenizer, open_thinking, render_or_merge,
};
use crate::progress::Tracker;
use crate::record::{Failure, FailureKind};
use crate::trial::{KeptAsk, TrialAsks, by_story};

/// Settings for turning prompts into a model's tokens.
#[derive(Clone, Copy)]
pub struct TextSetup<'a> {
    /// The model's tokenizer.
    pub tokenizer: &'a Tokenizer,
    /// The model's chat template.
    pub template: Option<&'a ChatTemplate>,
    /// Variables of the template besides the messages.
    pub variables: &'a TemplateVariables,
    /// The same with thinking switched off, for trials that say so.
    pub switched_off: &'a TemplateVariables,
    /// Date printed by templates.
    pub now: jiff::civil::DateTime,
    /// Longest sequence of the model, in tokens.
    pub context_length: usize,
}

/// Trials as token sequences, one entry per trial in each list.
#[derive(Debug, Default)]
pub struct Prepared {
    /// Prompts and continuations of the trials; empty for a failure.
    pub requests: Vec<TrialRequests>,
    /// Why a trial cannot be asked.
    pub failures: Vec<Option<Failure>>,
    /// Time spent on rendering and tokenizing.
    pub tokenizing: Duration,
    /// For trials whose reply begins within a thinking section, the mark that opens it.
    opened: Vec<Option<&'static str>>,
    /// Whether the system text was merged into the user turn.
    system_merged: Vec<bool>,
    /// Whether a chat template wrote the prompts.
    chat: bool,
}

impl TextSetup<'_> {
    /// Renders and tokenizes the prompts of every trial; `tracker` receives the progress.
    pub fn prepare(&self, asked: &[Result<TrialAsks, Failure>], tracker: &Tracker) -> Prepared {
        tracker.count("tokenizing", asked.len(), "trials");
        let started = Instant::now();
        let some = |asked: &[Result<TrialAsks, Failure>]| {
            let mut encoder = Encoder::new(self.tokenizer);
            let one = |asked: &Result<TrialAsks, Failure>| match asked {
                Ok(asked) => self.prepare_one(asked, &mut encoder),
                Err(failure) => Err(failure.clone()),
            };
            let prepared = asked.iter().map(one).collect::<Vec<_>>();
            tracker.step(asked.len());
            prepared
        };
        let each: Vec<Result<PreparedTrial, Failure>> =
            by_story(asked, same_story).into_par_iter().flat_map_iter(some).collect();
        let mut all = Prepared { chat: self.template.is_some(), ..Prepared::default() };
        for prepared in each {
            let (prepared, failure) = match prepared {
                Ok(prepared) => (prepared, None),
                Err(failure) => (PreparedTrial::default(), Some(failure)),
            };
            all.requests.push(prepared.requests);
            all.opened.push(prepared.opened);
            all.system_merged.push(prepared.system_merged);
            all.failures.push(failure);
        }
        all.tokenizing = started.elapsed();
        all
    }

    fn prepare_one(&self, asked: &TrialAsks, encoder: &mut Encoder<'_>) -> Result<PreparedTrial, Failure> {
        let mut prepared = PreparedTrial::default();
        let mut requests = Vec::with_capacity(asked.asks.len());
        for ask in &asked.asks {
            let rendered = self.render(ask, asked.switched_off)?;
            prepared.system_merged |= rendered.system_merged;
            if ask.continuations.is_empty() {
                let messages = ask.messages();
                let last = messages.last().map_or("", |message| &message.content);
                prepared.opened = open_thinking(&rendered.text, last);
            }
            requests.push(self.request(ask, rendered, asked.has_several(), encoder)?);
        }
        prepared.requests = TrialRequests { story: asked.story.clone(), draws: asked.draws, requests };
        Ok(prepared)
    }

    /// Returns the mark of the thinking section within which an ask's answers would be; `None` if there is none.
    pub fn open_thinking(&self, ask: &KeptAsk, switched_off: bool) -> Option<&'static str> {
        let messages = ask.messages();
        let text = self.render(ask, switched_off).ok()?.text + &ask.answer_prefix;
        open_thinking(&text, messages.last().map_or("", |message| &message.content))
    }

    fn render(&self, ask: &KeptAsk, switched_off: bool) -> Result<Rendered, TemplateError> {
        let variables = if switched_off { self.switched_off } else { self.variables }.clone();
        let settings = RenderSettings { now: Some(self.now), variables, ..RenderSettings::for_generation() };
        render_or_merge(self.template, &ask.messages(), &settings)
    }

    fn request(
        &self,
        ask: &KeptAsk,
        rendered: Rendered,
        several: bool,
        encoder: &mut Encoder<'_>,
    ) -> Result<Request, Failure> {
        let prompt = rendered.text + &ask.answer_prefix;
        let limit = self.context_length;
        let too_long = |tokens: String| {
            let what =
                if ask.continuations.is_empty() { "the first token of a reply" } else { "its longest continuation" };
            let mend = if several { "fewer --questions-per-prompt" } else { "a shorter style" };
            let message = format!(
                "the prompt with {what} has {tokens} tokens, the model's limit is {limit}; use {mend} or a model with a longer context"
            );
            Failure { kind: FailureKind::TooLong, message }
        };
        if let Some(tokens) = encoder.tokenizer().far_more_than(limit, &prompt).map_err(RequestError::from)? {
            return Err(too_long(format!("at least {tokens}")));
        }
        let request = encoder.encode(prompt, &ask.continuations, rendered.add_special)?;
        let request = if ask.continuations.is_empty() { request.for_reply() } else { request };
        match request.longest() {
            tokens if tokens > limit => Err(too_long(tokens.to_string())),
            _ => Ok(request),
        }
    }
}

/// One trial as token sequences.
#[derive(Default)]
struct PreparedTrial {
    requests: TrialRequests,
    opened: Option<&'static str>,
    system_merged: bool,
}

impl Prepared {
    /// Returns the mark of the thinking section that a trial's prompt leaves open, so that its reply begins within.
    pub fn open_thinking(&self, trial: usize) -> Option<&'static str> {
        self.opened[trial]
    }

    /// Whether the system text was merged into the first user turn.
    pub fn system_merged(&self, trial: usize) -> bool {
        self.system_merged[trial]
    }

    /// Whether a chat template wrote the prompts.
    pub fn is_chat(&self) -> bool {
        self.chat
    }

    /// Selects trials by their numbers.
    pub fn some(&self, trials: &[usize]) -> Prepared {
        Prepared {
            requests: trials.iter().map(|&trial| self.requests[trial].clone()).collect(),
            failures: trials.iter().map(|&trial| self.failures[trial].clone()).collect(),
            opened: trials.iter().map(|&trial| self.opened[trial]).collect(),
            system_merged: trials.iter().map(|&trial| self.system_merged[trial]).collect(),
            ..*self
        }
    }
}

/// A local model that answers prepared trials.
pub struct Local<'a> {
    prepared: &'a Prepared,
    plan: &'a Plan,
    engine: Engine<'a>,
}

impl<'a> Local<'a> {
    /// Creates a backend that answers trials as planned.
    pub fn new(decoder: &'a Decoder, prepared: &'a Prepared, plan: &'a Plan) -> Self {
        Local { prepared, plan, engine: Engine::new(decoder, &prepared.requests, plan) }
    }
}

impl Backend for Local<'_> {
    fn is_chat(&self) -> bool {
        self.prepared.chat
    }

    fn refusal(&self, trial: usize) -> Option<&Failure> {
        self.prepared.failures[trial].as_ref()
    }

    fn batches(&self) -> Vec<Batch> {
        Batch::planned(self.plan)
    }

    fn timing(&self) -> Timing {
        self.engine.timing()
    }
}

impl Scorer for Local<'_> {
    fn score(
        &mut self,
        batch: usize,
        after_step: &mut dyn FnMut(PassTime) -> ControlFlow<()>,
    ) -> Result<Option<Vec<TrialReplies<Vec<AskScores>>>>, BackendError> {
        let Some(scores) = self.engine.run_batch(batch, after_step)? else { return Ok(None) };
        let replies = |(&trial, scores): (&usize, Vec<Vec<TokenScores>>)| TrialReplies {
            trial,
            system_merged: self.prepared.system_merged[trial],
            replies: Ok(self.prepared.requests[trial].requests.iter().zip(scores).map(ask_scores).collect()),
            served: None,
        };
        Ok(Some(self.plan.batches[batch].trials.iter().zip(scores).map(replies).collect()))
    }
}

fn same_story(one: &Result<TrialAsks, Failure>, next: &Result<TrialAsks, Failure>) -> bool {
    matches!((one, next), (Ok(one), Ok(next)) if one.story == next.story)
}

fn ask_scores((request, scores): (&Request, Vec<TokenScores>)) -> AskScores {
    let continuations = request.continuations().zip(scores).map(|(tokens, scores)| ContinuationScores {
        token_ids: Some(tokens.to_vec()),
        scores,
        at_most: None,
    });
    AskScores { prompt_tokens: request.context_tokens(), continuations: continuations.collect() }
}

impl From<TemplateError> for Failure {
    fn from(error: TemplateError) -> Self {
        Failure { kind: FailureKind::Template, message: error.to_string() }
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        Failure { kind: FailureKind::Tokens, message: error.to_string() }
    }
}
