//! Requests of a local model: tokens, and a plan of passes over them.

use crate::ledger::FolderError;
use std::path::Path;

use super::manifest::{LocalModel, Machine, Manifest, Model, ModelIdentity};
use super::records::RUN;
use super::workload::{Preparation, Preparing, Workload, WorkloadError};
use crate::backend::{Prepared, TextSetup};
use crate::decoder::{Arithmetic, DecoderSpec};
use crate::engine::{MemoryCosts, Packing, Plan, fit_packing};
use crate::model::{ChatTemplate, Tokenizer};
use crate::record::Failure;
use crate::trial::{KeptAsk, TrialAsks};

/// A local model with everything known except the weights.
#[derive(Clone, Copy)]
pub struct LocalPreparation<'a> {
    /// Identity of the model.
    pub identity: &'a ModelIdentity,
    /// Its shape.
    pub spec: &'a DecoderSpec,
    /// Arithmetic of its computation.
    pub arithmetic: Arithmetic,
    /// Its tokenizer.
    pub tokenizer: &'a Tokenizer,
    /// Its chat template, if any.
    pub template: Option<&'a ChatTemplate>,
    /// The machine it runs on.
    pub machine: &'a Machine,
    /// Bytes for keys, values and activations.
    pub memory_budget: u64,
    /// Partition of the work.
    pub cut: Cut,
}

/// Partition of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Maximum tokens in one pass; by default what the budget allows.
    pub pass_tokens: Option<usize>,
    /// Tokens after which a batch ends at the next story.
    pub batch_tokens: usize,
    /// Whether shared prefixes are forwarded once.
    pub sharing: bool,
}

impl Preparation for LocalPreparation<'_> {
    type Prepared = Prepared;
    type Plan = Plan;

    fn name(&self) -> &str {
        &self.identity.name
    }

    fn decides(&self) -> String {
        let Machine { device, dtype, .. } = self.machine;
        let Cut { pass_tokens, batch_tokens, sharing } = self.cut;
        // Exactly the text of earlier versions: other text would make runs begin anew.
        let cut = format!("Cut {{ pass_tokens: {pass_tokens:?}, batch_tokens: {batch_tokens}, sharing: {sharing} }}");
        format!("{dtype} {device} {cut}")
    }

    fn plan_of(&self, existing: &Manifest) -> Option<Plan> {
        let Cut { pass_tokens, batch_tokens, sharing } = self.cut;
        let LocalModel { memory_budget, plan, .. } = existing.model.local()?;
        let alike = *memory_budget == self.memory_budget
            && plan.packing.sharing == sharing
            && plan.packing.batch_tokens == batch_tokens
            && pass_tokens.is_none_or(|tokens| tokens == plan.packing.pass_tokens);
        alike.then(|| plan.clone())
    }

    fn model(&self, plan: Plan) -> Model {
        Model::Local(Box::new(LocalModel {
            identity: self.identity.clone(),
            machine: self.machine.clone(),
            memory_budget: self.memory_budget,
            plan,
            cuts: 0,
        }))
    }

    fn prepare(&self, of: &Preparing<'_>) -> Result<Prepared, WorkloadError> {
        let text = TextSetup {
            tokenizer: self.tokenizer,
            template: self.template,
            variables: &of.settings.template_variables,
            switched_off: &of.settings.switched_off,
            now: of.now,
            context_length: self.spec.max_position,
        };
        if text.template.is_some() {
            of.check_thinking(|ask, switched_off| text.open_thinking(ask, switched_off))?;
        }
        Ok(text.prepare(of.asked, of.tracker))
    }

    fn failures(prepared: &Prepared) -> &[Option<Failure>] {
        &prepared.failures
    }

    fn plan(&self, prepared: &Prepared, of: &Preparing<'_>, folder: &Path) -> Result<Plan, WorkloadError> {
        let Cut { pass_tokens, batch_tokens, sharing } = self.cut;
        let costs = MemoryCosts::new(self.spec, self.arithmetic);
        if let Some(plan) = of.existing.and_then(|existing| self.plan_of(existing)) {
            // The plan may have been edited, or made for another model.
            let packing = fit_packing(&prepared.requests, plan.packing, &costs, self.memory_budget)?;
            let fits = plan.check(&prepared.requests, &costs).map_err(|fault| fault.to_string());
            let fits = fits.and_then(|()| match packing == plan.packing {
                true => Ok(()),
                false => Err(format!("the plan has passes of {} tokens for this memory", plan.packing.pass_tokens)),
            });
            return match fits {
                Ok(()) => Ok(plan),
                Err(fault) => Err(bad_plan(folder, &fault).into()),
            };
        }
        let pass_tokens = pass_tokens.unwrap_or(Packing::on(self.arithmetic).pass_tokens);
        let wanted = Packing { pass_tokens, batch_tokens, sharing };
        let packing = fit_packing(&prepared.requests, wanted, &costs, self.memory_budget)?;
        Ok(Plan::tracked(&prepared.requests, packing, &costs, of.tracker))
    }
}

/// Workload for a local model.
pub type LocalWorkload<'a> = Workload<'a, LocalPreparation<'a>>;

impl LocalWorkload<'_> {
    /// Estimates the bytes of all trials' records: every text once, and for each continuation its token ids and
    /// log-probabilities.
    pub fn record_bytes(&self) -> u64 {
        const OF_A_TRIAL: usize = 300;
        const OF_A_CONTINUATION: usize = 60;
        let of_ask = |ask: &KeptAsk| ask.text_bytes() + OF_A_CONTINUATION * ask.continuations.len();
        let of_trial = |asked: &TrialAsks| asked.asks.iter().map(of_ask).sum::<usize>();
        let texts: usize = self.asked.iter().flatten().map(of_trial).sum();
        (texts + OF_A_TRIAL * self.asked.len()) as u64
    }

    /// Returns the tokens of all replies at maximum length; 0 if none are written.
    pub fn most_written(&self) -> usize {
        let asked = self.asked.iter().zip(&self.prepared.failures).enumerate();
        let asked = asked.filter(|(_, (_, failure))| failure.is_none());
        // A reply to several trials is written once.
        let written = asked.filter_map(|(trial, (asked, _))| {
            asked.as_ref().ok().filter(|asked| asked.together.is_none_or(|together| together.first == trial))
        });
        written.map(|asked| asked.most_tokens).sum()
    }

    /// Returns the peak bytes of keys, values and activations: for scoring as planned, for writing with as many
    /// concurrent replies as the budget allows.
    pub fn peak_bytes(&self) -> u64 {
        let LocalPreparation { spec, arithmetic, memory_budget, .. } = self.inputs.model;
        let counts = &self.plan.counts;
        match self.most_written() {
            0 => counts.peak_bytes,
            written => {
                let costs = MemoryCosts::new(spec, arithmetic);
                let all = costs.pass_bytes(counts.forwarded.saturating_add(written), self.plan.packing.pass_tokens);
                all.min(memory_budget).max(counts.peak_bytes)
            }
        }
    }
}

/// Returns the error for a manifest's plan that does not fit the current work.
fn bad_plan(folder: &Path, fault: &str) -> FolderError {
    let message = format!("{fault}: it was changed, or made for a model with other tokens");
    FolderError::BadManifest { path: folder.join(RUN.manifest), message }
}
