//! The scoring workload: the first questions of the demo inventory, from trials to scores.

use std::path::PathBuf;

use indexmap::IndexMap;

use super::BenchError;
use crate::backend::{Prepared, TextSetup};
use crate::benchmark::{Benchmark, Item};
use crate::decoder::{Decoder, DecoderSpec};
use crate::engine::{Counts, Packing, TokenScores, TrialRequests, score_trials};
use crate::language::Language;
use crate::model::{ChatTemplate, TemplateVariables, Tokenizer};
use crate::progress::Tracker;
use crate::prompt::{OrderPolicy, Pack};
use crate::trial::{Settings, Trial, asks_of, trials};

/// Orders of each question, as in ToMBench (section 4.1).
const ORDERS: usize = 5;

/// The scoring workload.
pub enum Scored<'a> {
    /// Questions, for a model with a tokenizer.
    Questions(Box<ScoringSet<'a>>),
    /// Prompts of random tokens.
    Prompts(Vec<TrialRequests>),
}

/// Questions, prompts and their tokenization.
pub struct ScoringSet<'a> {
    tokenizer: &'a Tokenizer,
    template: Option<&'a ChatTemplate>,
    context_length: usize,
    /// Bytes for keys, values and activations.
    memory: u64,
    items: Vec<Item>,
    packs: IndexMap<Benchmark, Pack>,
    settings: Settings,
    trials: Vec<Trial>,
}

impl<'a> ScoringSet<'a> {
    /// The set for a model, of at most `questions` questions of the English inventory. Fails if a prompt does not fit.
    pub fn new(
        questions: usize,
        tokenizer: &'a Tokenizer,
        template: Option<&'a ChatTemplate>,
        spec: &DecoderSpec,
        memory: u64,
    ) -> Result<Self, BenchError> {
        let mut settings = Settings::letters(Benchmark::Demo, Language::En, OrderPolicy::Random(ORDERS));
        if let Some(template) = template {
            settings.template_variables = template.without_thinking(&TemplateVariables::new());
        }
        let mut items = Benchmark::Demo.load(&PathBuf::new(), &settings.load_options())?.items;
        items.truncate(questions);
        let packs = IndexMap::from([(Benchmark::Demo, Pack::built_in(Benchmark::Demo))]);
        let trials = trials(&items, &packs, &settings)?;
        let context_length = spec.max_position;
        let set = ScoringSet { tokenizer, template, context_length, memory, items, packs, settings, trials };
        match set.prepare().failures.into_iter().flatten().next() {
            Some(failure) => Err(BenchError::Unasked(failure.message)),
            None => Ok(set),
        }
    }

    /// Number of questions.
    pub fn items(&self) -> usize {
        self.items.len()
    }

    fn prepare(&self) -> Prepared {
        let text = TextSetup {
            tokenizer: self.tokenizer,
            template: self.template,
            variables: &self.settings.template_variables,
            switched_off: &self.settings.switched_off,
            // A fixed date, for templates that print one.
            now: jiff::civil::datetime(2025, 1, 1, 0, 0, 0, 0),
            context_length: self.context_length,
        };
        let untold = Tracker::default();
        text.prepare(&asks_of(&self.trials, &self.items, &self.packs, &self.settings, None, &untold), &untold)
    }

    /// Renders, tokenizes, plans and scores all trials, with or without prefix sharing; returns counts of forwarded
    /// tokens.
    pub(super) fn score(&self, decoder: &Decoder, sharing: bool) -> Result<Counts, BenchError> {
        let packing = Packing { sharing, ..Packing::on(decoder.arithmetic()) };
        let scored = score_trials(decoder, &self.prepare().requests, packing, self.memory, |_, _| ())?;
        std::hint::black_box(scored.trials);
        Ok(scored.counts)
    }

    /// The log-likelihood of each option of each trial.
    pub(super) fn log_likelihoods(&self, decoder: &Decoder) -> Result<Vec<Vec<f64>>, BenchError> {
        let packing = Packing::on(decoder.arithmetic());
        let scored = score_trials(decoder, &self.prepare().requests, packing, self.memory, |_, _| ())?;
        let of_trial = |asks: Vec<Vec<TokenScores>>| asks.iter().flatten().map(TokenScores::sum).collect();
        Ok(scored.trials.into_iter().map(of_trial).collect())
    }
}
