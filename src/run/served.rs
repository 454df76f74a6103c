//! Requests to a server's model: its prompts, and the order in which they are sent.

use std::path::Path;

use jiff::civil::DateTime;

use super::manifest::{Manifest, Model};
use super::served_model::{ServedPlan, ServerIdentity, ServerModel};
use super::workload::{Preparation, Preparing, Workload, WorkloadError};
use crate::backend::{PromptWriter, ServedTrials, ServerSetup, choose_source};
use crate::record::{Failure, FailureKind};
use crate::server::ScoreMode;

/// A server's model and the route to it.
#[derive(Clone, Copy)]
pub struct ServedPreparation<'a> {
    /// Identity of the model.
    pub identity: &'a ServerIdentity,
    /// Source of log-likelihoods; `None` if replies are written.
    pub mode: Option<ScoreMode>,
    /// Another source of the same log-likelihoods, if there is a choice.
    pub other: Option<OtherSource<'a>>,
    /// Writer of prompts, with the date of the run.
    pub prompts: PromptWriter<'a>,
}

/// A source of log-likelihoods that may be faster than the usual one.
#[derive(Clone, Copy)]
pub struct OtherSource<'a> {
    /// The source.
    pub mode: ScoreMode,
    /// Settings by which trials of a new run are asked both ways; without them, the usual source is kept.
    pub setup: Option<&'a ServerSetup<'a>>,
}

/// The source of log-likelihoods and the order of sending.
#[derive(Debug, Clone)]
pub struct SendingPlan {
    mode: Option<ScoreMode>,
    order: ServedPlan,
}

impl<'a> ServedPreparation<'a> {
    /// Returns the source by which an earlier run began, if it is one of those available now.
    fn begun_by(&self, existing: &Manifest) -> Option<ScoreMode> {
        let Model::Server(model) = &existing.model else { return None };
        let known = model.identity.scores.as_deref()?;
        let available = self.mode.into_iter().chain(self.other.map(|other| other.mode));
        available.into_iter().find(|mode| mode.name().0 == known)
    }

    fn prompts(&self, now: DateTime) -> PromptWriter<'a> {
        PromptWriter { now: Some(now), ..self.prompts }
    }
}

impl Preparation for ServedPreparation<'_> {
    type Prepared = ServedTrials;
    type Plan = SendingPlan;

    fn name(&self) -> &str {
        &self.identity.name
    }

    fn decides(&self) -> String {
        let ServerIdentity { address, route, scores, .. } = self.identity;
        format!("{address} {route} {scores:?}")
    }

    fn plan_of(&self, existing: &Manifest) -> Option<SendingPlan> {
        match &existing.model {
            Model::Server(model) => {
                Some(SendingPlan { mode: self.begun_by(existing).or(self.mode), order: model.plan.clone() })
            }
            Model::Local(_) => None,
        }
    }

    fn model(&self, SendingPlan { mode, order }: SendingPlan) -> Model {
        let scores = mode.map(|mode| mode.name().0.to_string());
        let identity = ServerIdentity { scores, ..self.identity.clone() };
        Model::Server(Box::new(ServerModel { identity, plan: order }))
    }

    fn prepare(&self, of: &Preparing<'_>) -> Result<ServedTrials, WorkloadError> {
        let prompts = self.prompts(of.now);
        if prompts.template.is_some() {
            of.check_thinking(|ask, _| prompts.open_thinking(ask))?;
        }
        let earlier = of.existing.and_then(|existing| self.plan_of(existing));
        let mode = earlier.as_ref().map_or(self.mode, |plan| plan.mode);
        let mut prepared = prompts.prepare(of.asked, mode, of.tracker);
        match (of.existing, self.other) {
            (None, Some(OtherSource { mode: other, setup: Some(setup) })) => {
                let setup = ServerSetup { mode, prompts, ..setup.clone() };
                let choice = choose_source(&setup, other, of.asked, &prepared, of.tracker)?;
                if choice.as_ref().is_some_and(|choice| choice.taken == other) {
                    prepared = prompts.prepare(of.asked, Some(other), of.tracker);
                }
                prepared.choice = choice;
            }
            (None, Some(OtherSource { mode: other, setup: None })) => prepared.undecided = Some(other),
            _ => {}
        }
        if let Some(SendingPlan { order, .. }) = earlier {
            prepared.batches.clone_from(&order.batches);
            let mut planned = vec![false; of.trials.len()];
            order.batches.iter().flatten().for_each(|&trial| planned[trial] = true);
            // The lines of the folder are fixed, whatever current checks say of a prompt.
            for (failure, planned) in prepared.failures.iter_mut().zip(planned) {
                match planned {
                    true => *failure = None,
                    false => {
                        let message = "it could not be asked when the run was begun".to_string();
                        failure.get_or_insert(Failure { kind: FailureKind::Prompt, message });
                    }
                }
            }
        }
        Ok(prepared)
    }

    fn failures(prepared: &ServedTrials) -> &[Option<Failure>] {
        &prepared.failures
    }

    fn plan(&self, prepared: &ServedTrials, _: &Preparing<'_>, _: &Path) -> Result<SendingPlan, WorkloadError> {
        Ok(SendingPlan { mode: prepared.mode, order: ServedPlan { batches: prepared.batches.clone() } })
    }
}

impl<'a> Workload<'a, ServedPreparation<'a>> {
    /// Returns the writer of its prompts.
    pub fn prompts(&self) -> PromptWriter<'a> {
        self.inputs.model.prompts(self.now())
    }
}
