//! Validates a plan read from a manifest, which may have been edited.

use std::fmt;

use super::memory::MemoryCosts;
use super::plan::{Plan, TrialRequests};

/// Most tokens per pass that a plan may request.
const MOST_PASS_TOKENS: usize = 1 << 24;

/// A plan that does not match its trials.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the plan{} {what}", .batch.map_or(String::new(), |batch| format!(", batch {batch} (from 0),")))]
pub struct PlanFault {
    /// The invalid batch, if it is one.
    pub batch: Option<usize>,
    /// Description of the fault.
    pub what: String,
}

fn fault(batch: impl Into<Option<usize>>, what: impl fmt::Display) -> PlanFault {
    PlanFault { batch: batch.into(), what: what.to_string() }
}

impl Plan {
    /// Checks a plan of `trials` trials as far as possible without their tokens.
    pub fn check_shape(&self, trials: usize) -> Result<(), PlanFault> {
        let pass_tokens = self.packing.pass_tokens;
        if !(1..=MOST_PASS_TOKENS).contains(&pass_tokens) {
            return Err(fault(None, format!("has passes of {pass_tokens} tokens, expected 1 to {MOST_PASS_TOKENS}")));
        }
        let mut tokens = 0usize;
        for (number, batch) in self.batches.iter().enumerate() {
            let Some(&first) = batch.trials.first() else { return Err(fault(number, "holds no trial")) };
            if let Some(beyond) = batch.trials.iter().find(|&&trial| trial >= trials) {
                return Err(fault(number, format!("names trial {beyond} (from 0), but there are {trials}")));
            }
            if batch.prefix_trial != first {
                return Err(fault(number, format!("takes its prefix from trial {}, not {first}", batch.prefix_trial)));
            }
            if !batch.shared_prefix.is_sorted_by(|left, right| left < right) || batch.shared_prefix.first() == Some(&0)
            {
                return Err(fault(
                    number,
                    format!("shares prefixes of {:?} tokens, which must increase", batch.shared_prefix),
                ));
            }
            if !self.packing.sharing && !batch.shared_prefix.is_empty() {
                return Err(fault(number, "shares a prefix although sharing is off"));
            }
            tokens = tokens.saturating_add(batch.tokens);
        }
        let mut planned: Vec<usize> = self.batches.iter().flat_map(|batch| batch.trials.iter().copied()).collect();
        planned.sort_unstable();
        if let Some(pair) = planned.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(fault(None, format!("holds trial {} (from 0) twice", pair[0])));
        }
        if tokens != self.counts.forwarded {
            return Err(fault(None, format!("counts {} tokens, but its batches have {tokens}", self.counts.forwarded)));
        }
        Ok(())
    }

    /// Checks that the plan holds each answerable trial once and shares only common prefixes, for a model with these
    /// costs.
    pub fn check(&self, trials: &[TrialRequests], costs: &MemoryCosts) -> Result<(), PlanFault> {
        self.check_shape(trials.len())?;
        if self.stages != costs.stages {
            return Err(fault(None, "is for a model with other rotary scaling"));
        }
        let mut planned = vec![false; trials.len()];
        self.batches.iter().flat_map(|batch| &batch.trials).for_each(|&trial| planned[trial] = true);
        for (trial, (work, planned)) in trials.iter().zip(planned).enumerate() {
            match (work.first_path(self.stages).is_some(), planned) {
                (true, false) => return Err(fault(None, format!("leaves out trial {trial} (from 0)"))),
                (false, true) => {
                    return Err(fault(None, format!("holds trial {trial} (from 0), which cannot be asked")));
                }
                _ => {}
            }
        }
        let mut kept = 0;
        for (number, batch) in self.batches.iter().enumerate() {
            let paths = batch.paths(trials, self.stages);
            // A path of another stage does not follow the shared prefix.
            let shared = batch.shared_prefix.last().copied().unwrap_or(0);
            kept = paths.iter().map(|path| path.len().saturating_add(shared)).fold(kept, usize::max);
            let Some(&depth) = batch.shared_prefix.last() else { continue };
            let Some(prefix) = trials[batch.prefix_trial].first_path(self.stages) else { continue };
            let wanted = |path: &super::request::Path<'_>| path.common_prefix(&prefix).min(depth) > path.first_row();
            if depth > prefix.len() || paths.iter().any(wanted) {
                return Err(fault(number, format!("shares {depth} tokens, which its prompts do not have in common")));
            }
        }
        // The cache holds a shared prefix, one path and one pass; these rows are allocated before anything else.
        let (rows, most) = (self.counts.peak_rows, kept.saturating_add(self.packing.pass_tokens));
        if rows > most {
            return Err(fault(None, format!("allocates {rows} rows, but holds at most {most} at once")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoder::Stages;
    use crate::engine::{Packing, Request};
    use crate::model::Sequence;

    const COSTS: MemoryCosts = MemoryCosts {
        kv_bytes_per_token: 8,
        activation_bytes_per_token: 16,
        row_bytes: 0,
        mask_bytes_per_pair: 0,
        score_bytes_per_pair: 0,
        most_score_bytes: 0,
        head_bytes: 0,
        stages: None,
    };

    fn trials() -> Vec<TrialRequests> {
        let trial = |story: u32, question: u32| {
            let context: Vec<u32> =
                (0..40).map(|at| if at < 20 { at } else { 100 * story + at }).chain([question]).collect();
            let sequence =
                |answer: u32| Sequence { tokens: [&context[..], &[answer]].concat(), scored_from: context.len() };
            let sequences = vec![sequence(7), sequence(8)];
            TrialRequests {
                story: story.to_string(),
                ..TrialRequests::from_request(Request::new(context, sequences).unwrap())
            }
        };
        (1..5).flat_map(|story| [trial(story, 1), trial(story, 2)]).chain([TrialRequests::default()]).collect()
    }

    fn plan() -> Plan {
        let packing = Packing { pass_tokens: 16, batch_tokens: 30, sharing: true };
        Plan::new(&trials(), packing, &COSTS)
    }

    #[test]
    fn a_plan_fits_what_it_was_made_for() {
        let plan = plan();
        assert!(plan.batches.len() > 2 && plan.batches.iter().any(|batch| !batch.shared_prefix.is_empty()));
        assert_eq!(plan.check(&trials(), &COSTS), Ok(()));
    }

    #[test]
    fn a_changed_plan_is_told() {
        type Change = (&'static str, fn(&mut Plan));
        let changes: [Change; 12] = [
            ("allocates", |plan| plan.counts.peak_rows = usize::MAX),
            ("other rotary scaling", |plan| plan.stages = Some(Stages::Once(30))),
            ("holds no trial", |plan| plan.batches[1].trials.clear()),
            ("leaves out trial", |plan| plan.batches[1].trials.truncate(1)),
            ("names trial 99", |plan| plan.batches[0].trials[1] = 99),
            ("twice", |plan| plan.batches[1].trials[1] = plan.batches[0].trials[1]),
            ("takes its prefix", |plan| plan.batches[1].prefix_trial = 0),
            ("must increase", |plan| plan.batches[0].shared_prefix = vec![4, 4]),
            ("have in common", |plan| plan.batches[0].shared_prefix = vec![41]),
            ("have in common", |plan| plan.batches[0].shared_prefix = vec![1 << 40]),
            ("passes of 0", |plan| plan.packing.pass_tokens = 0),
            ("counts", |plan| plan.batches[0].tokens += 1),
        ];
        for (rendered, change) in changes {
            let mut plan = plan();
            change(&mut plan);
            let fault = plan.check(&trials(), &COSTS).unwrap_err().to_string();
            assert!(fault.contains(rendered), "{rendered}: {fault}");
        }
    }
}
