//! From trials to token sequences: prompts are rendered by the model's template and tokenized, in parallel.

use std::time::{Duration, Instant};

use indexmap::IndexMap;
use rayon::prelude::*;

use super::{Settings, Trial};
use crate::benchmark::{Answer, Item};
use crate::engine::{ContextRequest, Request, RequestError, TokenScores, TrialRequests, TrialScores};
use crate::model::{ChatTemplate, RenderSettings, TemplateError, Tokenizer, render_or_merge};
use crate::prompt::{Ask, Pack, Scoring, asks, unconditional};
use crate::record::{AskRecord, ContinuationRecord, Failure, FailureKind, Shown, TrialRecord, Turn, VERSION};

/// Everything that turns a trial into tokens.
pub struct Preparation<'a> {
    /// The items.
    pub items: &'a [Item],
    /// Prompt packs by benchmark.
    pub packs: &'a IndexMap<String, Pack>,
    /// The model's tokenizer.
    pub tokenizer: &'a Tokenizer,
    /// The model's chat template.
    pub template: Option<&'a ChatTemplate>,
    /// The date that templates print.
    pub now: jiff::civil::DateTime,
    /// Longest sequence the model takes, in tokens.
    pub context_length: usize,
    /// What was asked.
    pub settings: &'a Settings,
}

/// Trials with their token sequences. A trial that cannot be asked has a failure instead, and no requests.
#[derive(Debug, Default)]
pub struct Prepared {
    /// The requests of each trial.
    pub requests: Vec<TrialRequests>,
    /// Why a trial has no sequences.
    pub failures: Vec<Option<Failure>>,
    /// What rendering and tokenizing took.
    pub tokenizing: Duration,
    /// Whether the system text had to be merged into the user turn, by trial.
    system_merged: Vec<bool>,
}

impl Preparation<'_> {
    /// Render and tokenize every trial.
    pub fn prepare(&self, trials: &[Trial]) -> Prepared {
        let started = Instant::now();
        let prepared: Vec<(TrialRequests, Option<Failure>, bool)> =
            trials.par_iter().map(|trial| self.prepare_one(trial)).collect();
        let mut all = Prepared { tokenizing: started.elapsed(), ..Prepared::default() };
        for (trial, failure, merged) in prepared {
            all.requests.push(trial);
            all.failures.push(failure);
            all.system_merged.push(merged);
        }
        all
    }

    fn prepare_one(&self, trial: &Trial) -> (TrialRequests, Option<Failure>, bool) {
        let story = self.items[trial.item].story.clone();
        match self.requests(trial) {
            Ok((requests, merged)) => (TrialRequests { story, draws: trial.count, requests }, None, merged),
            Err(failure) => (TrialRequests { story, draws: trial.count, requests: Vec::new() }, Some(failure), false),
        }
    }

    fn requests(&self, trial: &Trial) -> Result<(Vec<Request>, bool), Failure> {
        let (asks, unconditional) = self.asks(trial)?;
        let mut merged = false;
        let mut requests = Vec::with_capacity(asks.len() + 1);
        for ask in asks.iter().chain(&unconditional) {
            let settings = RenderSettings { now: Some(self.now), ..RenderSettings::for_generation() };
            let rendered = render_or_merge(self.template, &ask.prompt.messages, &settings)?;
            merged |= rendered.system_merged;
            let prompt = ContextRequest {
                context: rendered.text + &ask.prompt.answer_prefix,
                continuations: ask.continuations.clone(),
                add_special: rendered.add_special,
            };
            let request = Request::encode(self.tokenizer, &prompt)?;
            if request.longest() > self.context_length {
                let message = format!(
                    "the prompt with its longest continuation has {} tokens and the model takes {}; use a shorter style or a model with a longer context",
                    request.longest(),
                    self.context_length
                );
                return Err(Failure { kind: FailureKind::TooLong, message });
            }
            requests.push(request);
        }
        Ok((requests, merged))
    }

    /// What is asked in a trial, and the unconditional ask where there is one.
    fn asks(&self, trial: &Trial) -> Result<(Vec<Ask>, Option<Ask>), Failure> {
        let item = &self.items[trial.item];
        let Settings { style, scoring, .. } = self.settings;
        let failed = |message: String| Failure { kind: FailureKind::Prompt, message };
        let style = self.packs[&item.benchmark]
            .style_for(item, style, *scoring, trial.instructions)
            .map_err(|error| failed(error.to_string()))?;
        let shown = match trial.condition {
            Some(condition) => condition.apply(item),
            None => std::borrow::Cow::Borrowed(item),
        };
        let asks = asks(style, &shown, &trial.order, *scoring).map_err(|error| failed(error.to_string()))?;
        let unconditional = match self.settings.unconditional {
            true => Some(unconditional(style, &shown, *scoring).map_err(|error| failed(error.to_string()))?),
            false => None,
        };
        Ok((asks, unconditional))
    }

    /// The record of a trial with its scores; `None` where the trial failed before it was scored.
    pub fn record(
        &self,
        trial: &Trial,
        number: usize,
        prepared: &Prepared,
        scores: Option<&TrialScores>,
    ) -> TrialRecord {
        let item = &self.items[trial.item];
        let mut record = TrialRecord {
            version: VERSION,
            id: item.id.clone(),
            style: self.settings.style.clone(),
            condition: trial.presentation(),
            language: item.language,
            order: trial.order.clone(),
            count: trial.count,
            scoring: self.settings.scoring,
            labels: Vec::new(),
            system_merged: prepared.system_merged[number],
            asks: Vec::new(),
            unconditional: None,
            failure: prepared.failures[number].clone(),
        };
        let (Some(scores), Ok((asks, unconditional))) = (scores, self.asks(trial)) else { return record };
        if let Ok(style) =
            self.packs[&item.benchmark].style_for(item, &self.settings.style, self.settings.scoring, trial.instructions)
            && style.shows_options()
        {
            record.labels = style.labels.iter().take(item.options.len()).cloned().collect();
        }
        let requests = &prepared.requests[number].requests;
        for ((ask, request), scores) in asks.into_iter().zip(requests).zip(scores) {
            let results = continuations(&ask, request, scores);
            record.asks.push(AskRecord {
                shown: match self.template.is_none() {
                    true => Shown::Text(
                        ask.prompt
                            .messages
                            .iter()
                            .map(|message| message.content.as_str())
                            .collect::<Vec<_>>()
                            .join("\n\n"),
                    ),
                    false => Shown::Messages(
                        ask.prompt
                            .messages
                            .into_iter()
                            .map(|message| Turn { role: message.role.name().to_string(), content: message.content })
                            .collect(),
                    ),
                },
                answer_prefix: ask.prompt.answer_prefix,
                prompt_tokens: request.context().len(),
                results,
            });
        }
        if let (Some(ask), Some(request), Some(scores)) = (unconditional, requests.last(), scores.last()) {
            let canonical = continuations(&ask, request, scores);
            // Option texts stand in canonical order there and in slot order here; labels are the same in both.
            let by_slot = matches!(item.gold, Answer::Single(_)) && self.settings.scoring != Scoring::Letter;
            record.unconditional = Some(match by_slot {
                true => trial.order.as_slice().iter().map(|&option| canonical[option].clone()).collect(),
                false => canonical,
            });
        }
        let finite = record
            .asks
            .iter()
            .flat_map(|ask| &ask.results)
            .flat_map(|result| &result.logprobs)
            .all(|value| value.is_finite());
        if !finite {
            record.asks.clear();
            record.unconditional = None;
            record.failure = Some(Failure {
                kind: FailureKind::NotFinite,
                message: "a log-probability is not a finite number; try --dtype f32, or check the weights".to_string(),
            });
        }
        record
    }
}

fn continuations(ask: &Ask, request: &Request, scores: &[TokenScores]) -> Vec<ContinuationRecord> {
    ask.continuations
        .iter()
        .zip(request.continuations())
        .zip(scores)
        .map(|((text, tokens), scores)| ContinuationRecord {
            text: text.clone(),
            token_ids: Some(tokens.to_vec()),
            logprobs: scores.logprobs.clone(),
            bytes: text.len(),
        })
        .collect()
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
