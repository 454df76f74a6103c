//! Requests to a server's model: its prompts, and the order in which they are sent.

use std::path::Path;

use jiff::civil::DateTime;

use super::manifest::{Manifest, Model};
use super::served_model::{ServedPlan, ServerIdentity, ServerModel};
use super::workload::{Preparation, Preparing, Workload, WorkloadError};
use crate::backend::{PromptWriter, ServedTrials};
use crate::record::{Failure, FailureKind};
use crate::server::ScoreMode;

/// A server's model and the route to it.
#[derive(Clone, Copy)]
pub struct ServedPreparation<'a> {
    /// Identity of the model.
    pub identity: &'a ServerIdentity,
    /// Source of log-likelihoods; `None` if replies are written.
    pub mode: Option<ScoreMode>,
    /// Writer of prompts, with the date of the run.
    pub prompts: PromptWriter<'a>,
}

impl<'a> ServedPreparation<'a> {
    fn prompts(&self, now: DateTime) -> PromptWriter<'a> {
        PromptWriter { now: Some(now), ..self.prompts }
    }
}

impl Preparation for ServedPreparation<'_> {
    type Prepared = ServedTrials;
    type Plan = ServedPlan;

    fn name(&self) -> &str {
        &self.identity.name
    }

    fn decides(&self) -> String {
        let ServerIdentity { address, route, scores, .. } = self.identity;
        format!("{address} {route} {scores:?}")
    }

    fn plan_of<'m>(&self, existing: &'m Manifest) -> Option<&'m ServedPlan> {
        match &existing.model {
            Model::Server(model) => Some(&model.plan),
            Model::Local(_) => None,
        }
    }

    fn model(&self, plan: ServedPlan) -> Model {
        Model::Server(Box::new(ServerModel { identity: self.identity.clone(), plan }))
    }

    fn prepare(&self, of: &Preparing<'_>) -> Result<ServedTrials, WorkloadError> {
        let prompts = self.prompts(of.now);
        if prompts.template.is_some() {
            of.check_thinking(|ask| prompts.open_thinking(ask))?;
        }
        let mut prepared = prompts.prepare(of.asked, self.mode, of.tracker);
        if let Some(plan) = of.existing.and_then(|existing| self.plan_of(existing)) {
            prepared.batches.clone_from(&plan.batches);
            let mut planned = vec![false; of.trials.len()];
            plan.batches.iter().flatten().for_each(|&trial| planned[trial] = true);
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

    fn plan(&self, prepared: &ServedTrials, _: &Preparing<'_>, _: &Path) -> Result<ServedPlan, WorkloadError> {
        Ok(ServedPlan { batches: prepared.batches.clone() })
    }
}

impl<'a> Workload<'a, ServedPreparation<'a>> {
    /// Returns the writer of its prompts.
    pub fn prompts(&self) -> PromptWriter<'a> {
        self.inputs.model.prompts(self.now())
    }
}
