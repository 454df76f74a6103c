//! The plan of a scoring run: batches, shared prefixes between them, and counts, all before any forward.

use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::cost::Work;
use super::memory::MemoryCosts;
use super::request::{Path, Request};
use super::schedule::schedule;
use super::trie::{Shared, Trie, distinct_tokens};
use crate::decoder::{Arithmetic, Branch, Pass, RowRanges, Stages};
use crate::progress::Tracker;

/// Requests of one trial, scored and recorded together.
#[derive(Debug, Clone, Default)]
pub struct TrialRequests {
    /// Story it belongs to; batches are cut between stories where possible.
    pub story: String,
    /// Number of draws; repeated draws are scored once. 0 if another trial with the same sequences is counted.
    pub draws: usize,
    /// Its prompts with their continuations.
    pub requests: Vec<Request>,
}

impl TrialRequests {
    /// A single request without a story.
    pub fn from_request(request: Request) -> TrialRequests {
        TrialRequests { story: String::new(), draws: 1, requests: vec![request] }
    }

    pub(super) fn first_path(&self, stages: Option<Stages>) -> Option<Path<'_>> {
        self.paths(stages).next()
    }

    fn paths(&self, stages: Option<Stages>) -> impl Iterator<Item = Path<'_>> {
        self.requests.iter().flat_map(move |request| request.paths(stages))
    }

    /// Distinct paths in trie order; one-token continuations forward the same path.
    fn distinct_paths(&self, stages: Option<Stages>) -> Vec<Path<'_>> {
        let mut paths: Vec<Path<'_>> = self.paths(stages).collect();
        paths.sort_by(Path::compare);
        paths.dedup_by(|left, right| left.compare(right).is_eq());
        paths
    }
}

/// Sizes of passes and batches. Part of the manifest: only another plan may change rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Packing {
    /// Most tokens in one pass.
    pub pass_tokens: usize,
    /// A batch ends at the first change of story after this many tokens.
    pub batch_tokens: usize,
    /// Whether shared prefixes are forwarded once. If off, every prompt is forwarded from its first token, one per
    /// pass.
    pub sharing: bool,
}

impl Default for Packing {
    fn default() -> Self {
        Packing { pass_tokens: 512, batch_tokens: 2048, sharing: true }
    }
}

impl Packing {
    /// Default packing. A GPU reads all weights for every pass, so short passes waste time.
    pub fn on(arithmetic: Arithmetic) -> Packing {
        match arithmetic == Arithmetic::CPU {
            true => Packing::default(),
            false => Packing { pass_tokens: 4096, batch_tokens: 16384, sharing: true },
        }
    }
}

/// A batch: recorded whole or redone whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlannedBatch {
    /// Trials in the order of the trie, as indices into the plan's input.
    pub trials: Vec<usize>,
    /// Ends of the shared prefix's own passes: depths along the path shared with neighbouring batches.
    pub shared_prefix: Vec<usize>,
    /// The trial whose first tokens are the shared prefix.
    pub prefix_trial: usize,
    /// Tokens forwarded for the batch, including its additions to the previous batch's shared prefix.
    pub tokens: usize,
}

/// Totals of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Counts {
    /// Scored sequences.
    pub sequences: usize,
    /// Tokens forwarded if every distinct prompt (with continuation) started from its first token.
    pub prompt_by_prompt: usize,
    /// The same, with repeated draws of an option order forwarded each time.
    pub every_draw: usize,
    /// Distinct trie tokens: the minimum to forward.
    pub distinct: usize,
    /// Tokens this plan forwards.
    pub forwarded: usize,
    /// Passes.
    pub passes: usize,
    /// Rows for which the head is computed.
    pub head_rows: usize,
    /// Query-key pairs of attention (per head and layer).
    pub attention_pairs: u64,
    /// Largest number of cache rows during a pass, its own included.
    pub peak_rows: usize,
    /// Bytes of keys, values and activations at the peak.
    pub peak_bytes: u64,
}

impl Counts {
    /// The plan's work, for predicting its time.
    pub fn work(&self) -> Work {
        Work {
            passes: self.passes,
            tokens: self.forwarded,
            attention_pairs: self.attention_pairs,
            head_rows: self.head_rows,
        }
    }

    /// Saving: tokens prompt by prompt over tokens forwarded.
    pub fn ratio(&self) -> f64 {
        self.prompt_by_prompt as f64 / self.forwarded.max(1) as f64
    }
}

/// Batches in order, with totals.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Plan {
    /// Sizes of passes and batches.
    pub packing: Packing,
    /// Batches, in execution order.
    pub batches: Vec<PlannedBatch>,
    /// Totals over all batches.
    pub counts: Counts,
    /// Lengths above which a sequence shares no keys and values with shorter ones, if the model has any.
    #[serde(default, rename = "original_context", skip_serializing_if = "Option::is_none")]
    pub stages: Option<Stages>,
}

/// A plan that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The budget is below what the longest sequence needs.
    #[error(
        "the memory budget of {budget} bytes is too small: the longest sequence has {tokens} tokens and needs {needed} bytes for keys, values and activations; pass --memory {mib}M or more",
        mib = needed.div_ceil(1 << 20)
    )]
    BudgetTooSmall {
        /// The budget in bytes.
        budget: u64,
        /// Tokens of the longest sequence.
        tokens: usize,
        /// Bytes needed at least.
        needed: u64,
    },
}

/// The smallest pass a budget may force.
const SMALLEST_PASS: usize = 16;

/// The largest packing not above `wanted` whose peak stays within `budget` bytes.
pub fn fit_packing(
    trials: &[TrialRequests],
    wanted: Packing,
    costs: &MemoryCosts,
    budget: u64,
) -> Result<Packing, PlanError> {
    let longest = trials.iter().flat_map(|trial| trial.paths(None)).map(|path| path.len()).max().unwrap_or(0);
    let needed = |pass_tokens: usize| costs.pass_bytes(longest + pass_tokens, pass_tokens);
    let mut pass_tokens = wanted.pass_tokens.max(SMALLEST_PASS);
    while needed(pass_tokens) > budget {
        if pass_tokens <= SMALLEST_PASS {
            return Err(PlanError::BudgetTooSmall { budget, tokens: longest, needed: needed(SMALLEST_PASS) });
        }
        pass_tokens = (pass_tokens / 2).max(SMALLEST_PASS);
    }
    Ok(Packing { pass_tokens, ..wanted })
}

impl Plan {
    /// Sorts the trials in trie order, cuts them into batches, and counts.
    pub fn new(trials: &[TrialRequests], packing: Packing, costs: &MemoryCosts) -> Plan {
        Plan::tracked(trials, packing, costs, &Tracker::default())
    }

    /// The same, reporting progress.
    pub fn tracked(trials: &[TrialRequests], packing: Packing, costs: &MemoryCosts, tracker: &Tracker) -> Plan {
        tracker.say("ordering prompts");
        let stages = costs.stages;
        let first_paths = trials.iter().enumerate();
        let first_paths = first_paths.filter_map(|(trial, work)| Some((trial, work.first_path(stages)?)));
        let mut order: Vec<(usize, Path<'_>)> = first_paths.collect();
        order.par_sort_by(|(left_trial, left), (right_job, right)| left.compare(right).then(left_trial.cmp(right_job)));
        let mut batches = cut_batches(trials, &order, packing.batch_tokens, stages);
        if packing.sharing {
            plan_shared_prefixes(trials, &mut batches, stages);
        }
        let mut plan = Plan { packing, batches, counts: Counts::default(), stages };
        plan.count(trials, costs, tracker);
        plan
    }

    fn count(&mut self, trials: &[TrialRequests], costs: &MemoryCosts, tracker: &Tracker) {
        tracker.count("planning", self.batches.len(), "batches");
        let of_batch = |index| {
            let counts = self.count_batch(trials, index, costs);
            tracker.step(1);
            counts
        };
        let each: Vec<Counts> = (0..self.batches.len()).into_par_iter().map(of_batch).collect();
        let mut counts = Counts::default();
        for (batch, of_batch) in self.batches.iter_mut().zip(&each) {
            batch.tokens = of_batch.forwarded;
            counts.add(of_batch);
        }
        let mut all: Vec<Path<'_>> = Vec::with_capacity(trials.len());
        for trial in trials {
            if trial.draws > 0 {
                counts.sequences += trial.paths(None).count();
            }
            counts.every_draw += trial.draws * trial.distinct_paths(None).iter().map(Path::len).sum::<usize>();
            all.extend(trial.distinct_paths(self.stages));
        }
        all.par_sort_by(Path::compare);
        counts.distinct = distinct_tokens(all.iter().copied());
        all.dedup_by(|left, right| left.compare(right).is_eq());
        counts.prompt_by_prompt = all.iter().map(Path::len).sum();
        self.counts = counts;
    }

    /// A batch's contribution to the counts, given the batches before it.
    fn count_batch(&self, trials: &[TrialRequests], index: usize, costs: &MemoryCosts) -> Counts {
        let mut counts = Counts::default();
        let shared = self.shared_prefix(trials, index);
        let batch = &self.batches[index];
        let held = index.checked_sub(1).map_or(&[][..], |before| &self.batches[before].shared_prefix);
        let reused = self.reused_segments(trials, index, held);
        let mut start = reused.checked_sub(1).map_or(0, |last| batch.shared_prefix[last]);
        for &end in &batch.shared_prefix[reused..] {
            for from in (start..end).step_by(self.packing.pass_tokens) {
                let pass = prefix_pass(&shared, from..end.min(from + self.packing.pass_tokens));
                counts.add_pass(&pass, from, costs);
            }
            start = end;
        }
        let paths = batch.paths(trials, self.stages);
        let trie = Trie::new(&paths, &shared, self.packing.sharing);
        let cached = shared.tokens.len();
        for scheduled in schedule(&paths, &trie, cached, self.packing.pass_tokens, !self.packing.sharing) {
            let base: usize = scheduled.keep.iter().map(ExactSizeIterator::len).sum();
            counts.add_pass(&scheduled.pass, base, costs);
        }
        counts
    }

    /// Tokens of a batch's shared prefix.
    pub(crate) fn shared_prefix(&self, trials: &[TrialRequests], batch: usize) -> Shared {
        let batch = &self.batches[batch];
        let depth = batch.shared_prefix.last().copied().unwrap_or(0);
        let path = trials[batch.prefix_trial].first_path(self.stages);
        path.map(|path| Shared { tokens: path.slice(0..depth).collect(), stage: path.stage() }).unwrap_or_default()
    }

    /// Number of the previous batch's shared prefix segments that can be reused: those ending at the same depths along
    /// the same tokens.
    fn reused_segments(&self, trials: &[TrialRequests], batch: usize, held: &[usize]) -> usize {
        let Some(before) = batch.checked_sub(1) else { return 0 };
        let (old, new) = (self.shared_prefix(trials, before), self.shared_prefix(trials, batch));
        reusable(held, &self.batches[batch].shared_prefix, old.common(&new))
    }
}

/// Number of leading segments that end at the same depths within the first `same` tokens.
pub(crate) fn reusable(held: &[usize], wanted: &[usize], same: usize) -> usize {
    held.iter().zip(wanted).take_while(|(left, right)| left == right && **left <= same).count()
}

impl PlannedBatch {
    pub(crate) fn paths<'a>(&self, trials: &'a [TrialRequests], stages: Option<Stages>) -> Vec<Path<'a>> {
        self.trials.iter().flat_map(|&trial| trials[trial].paths(stages)).collect()
    }
}

impl Counts {
    /// Adds the passes of a batch.
    fn add(&mut self, batch: &Counts) {
        self.forwarded += batch.forwarded;
        self.passes += batch.passes;
        self.head_rows += batch.head_rows;
        self.attention_pairs += batch.attention_pairs;
        self.peak_rows = self.peak_rows.max(batch.peak_rows);
        self.peak_bytes = self.peak_bytes.max(batch.peak_bytes);
    }

    /// Counts a pass over `cached` rows.
    fn add_pass(&mut self, pass: &Pass, cached: usize, costs: &MemoryCosts) {
        let Work { passes, tokens, attention_pairs, head_rows } = Work::from_pass(pass);
        self.passes += passes;
        self.forwarded += tokens;
        self.attention_pairs += attention_pairs;
        self.head_rows += head_rows;
        let rows = cached + tokens;
        self.peak_rows = self.peak_rows.max(rows);
        self.peak_bytes = self.peak_bytes.max(costs.pass_bytes(rows, tokens));
    }
}

/// The pass that forwards these depths of a shared prefix after the earlier ones.
pub(crate) fn prefix_pass(shared: &Shared, depths: Range<usize>) -> Pass {
    Pass {
        tokens: shared.tokens[depths.clone()].to_vec(),
        branches: vec![Branch { tokens: 0..depths.len(), prefix: RowRanges::first(depths.start) }],
        stage: shared.stage,
        ..Pass::default()
    }
}

/// Cuts at the first change of story after `batch_tokens` fresh tokens, and within a story at four times as many.
fn cut_batches(
    trials: &[TrialRequests],
    order: &[(usize, Path<'_>)],
    batch_tokens: usize,
    stages: Option<Stages>,
) -> Vec<PlannedBatch> {
    let mut batches: Vec<PlannedBatch> = Vec::new();
    let mut fresh = usize::MAX;
    for (place, (trial, path)) in order.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| &order[before]);
        let same_story = before.is_some_and(|(before, _)| trials[*before].story == trials[*trial].story);
        let limit = if same_story { batch_tokens.saturating_mul(4) } else { batch_tokens };
        if fresh >= limit {
            batches.push(PlannedBatch {
                trials: Vec::new(),
                shared_prefix: Vec::new(),
                prefix_trial: *trial,
                tokens: 0,
            });
            fresh = 0;
        }
        let shared = before.map_or(0, |(_, before)| before.common_prefix(path));
        fresh += distinct_tokens(trials[*trial].distinct_paths(stages)).saturating_sub(shared);
        if let Some(batch) = batches.last_mut() {
            batch.trials.push(*trial);
        }
    }
    batches
}

/// Gives each batch the prefix it shares with its neighbours, as depths at which the prefix's passes end.
///
/// A shared prefix pass depends only on the plan, never on which batches ran before, so a resumed or sharded run
/// computes the same bits. A depth inside an earlier segment ends that segment, whose head is forwarded again.
fn plan_shared_prefixes(trials: &[TrialRequests], batches: &mut [PlannedBatch], stages: Option<Stages>) {
    let first_path = |trial: usize| trials[trial].first_path(stages);
    // Depths shared with the next batch, never reaching a row whose logits are wanted.
    let shared: Vec<usize> = batches
        .windows(2)
        .map(|pair| {
            let (Some(left), Some(right)) = (pair[0].trials.last(), pair[1].trials.first()) else { return 0 };
            let (Some(left), Some(right)) = (first_path(*left), first_path(*right)) else { return 0 };
            let common = left.common_prefix(&right);
            pair.iter().flat_map(|batch| batch.paths(trials, stages)).fold(common, |depth, path| {
                if path.common_prefix(&right).min(depth) > path.first_row() {
                    depth.min(path.first_row())
                } else {
                    depth
                }
            })
        })
        .collect();
    let mut ends: Vec<usize> = Vec::new();
    for (index, batch) in batches.iter_mut().enumerate() {
        let inherited = index.checked_sub(1).map_or(0, |before| shared[before]);
        let onward = shared.get(index).copied().unwrap_or(0);
        let (first, last) = (batch.trials[0], batch.trials[batch.trials.len() - 1]);
        end_at(&mut ends, inherited);
        batch.prefix_trial = first;
        if onward > inherited
            && let (Some(left), Some(right)) = (first_path(first), first_path(last))
            && left.common_prefix(&right) >= onward
        {
            end_at(&mut ends, onward);
        }
        batch.shared_prefix = ends.clone();
    }
}

/// Makes `depth` the last end of the chain, dropping deeper ones.
fn end_at(ends: &mut Vec<usize>, depth: usize) {
    while ends.last().is_some_and(|&end| end > depth) {
        ends.pop();
    }
    if depth > 0 && ends.last() != Some(&depth) {
        ends.push(depth);
    }
}
