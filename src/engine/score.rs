//! Runs a plan: shared prefixes, passes, head, scores.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::cost::{PassTime, Work};
use super::memory::MemoryCosts;
use super::oom_split::forward_in_halves;
use super::plan::{Counts, Packing, Plan, PlanError, TrialRequests, fit_packing, prefix_pass, reusable};
use super::request::{Path, Request, TokenScores};
use super::schedule::{ScheduledPass, Target, schedule};
use super::trie::{Shared, Trie};
use crate::decoder::{Decoder, DecoderError, DeviceMemory, KvCache, Pass, PassOutput};

/// Scores of one trial: per request, per continuation.
pub type TrialScores = Vec<Vec<TokenScores>>;

/// Time spent on the parts of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timing {
    /// Building tries and passes.
    pub planning: Duration,
    /// Transformer layers, attention included.
    pub forward: Duration,
    /// Attention alone.
    pub attention: Duration,
    /// Output head and log-softmax.
    pub head: Duration,
    /// Tokens forwarded.
    pub tokens: usize,
    /// Passes run.
    pub passes: usize,
    /// Number of passes split in half because device memory ran out.
    pub cuts: usize,
    /// Peak memory in use on the device after a pass, in bytes, by any program; `None` if the device has no memory of
    /// its own.
    pub device_bytes: Option<u64>,
    /// Prompt tokens found in a server's prefix cache, if reported.
    pub cached_tokens: Option<usize>,
    /// Prompt tokens that a server's prefix cache could have, if known.
    pub shared_tokens: Option<usize>,
    /// Totals of generation, if any replies were written.
    pub written: Option<GenerationTotals>,
}

/// Totals of generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GenerationTotals {
    /// Finished replies.
    pub replies: usize,
    /// Generated tokens.
    pub tokens: usize,
    /// Prompt tokens, counted as if each prompt were forwarded on its own.
    pub prompt_tokens: usize,
    /// Prompt tokens forwarded; the rest was shared.
    pub prompt_tokens_forwarded: usize,
}

/// Runs a plan on a decoder. Batches may run in any order, any number of times, with the same results.
pub struct Engine<'a> {
    decoder: &'a Decoder,
    trials: &'a [TrialRequests],
    plan: &'a Plan,
    cache: KvCache,
    /// Tokens whose keys and values are cached from depth 0, and the ends of the passes that computed them.
    shared: Shared,
    prefix_ends: Vec<usize>,
    timing: Timing,
}

impl<'a> Engine<'a> {
    /// An engine with an empty cache, sized for the plan's largest pass.
    pub fn new(decoder: &'a Decoder, trials: &'a [TrialRequests], plan: &'a Plan) -> Self {
        let mut cache = decoder.cache();
        cache.reserve(plan.counts.peak_rows);
        Engine {
            decoder,
            trials,
            plan,
            cache,
            shared: Shared::default(),
            prefix_ends: Vec::new(),
            timing: Timing::default(),
        }
    }

    /// Timing so far.
    pub fn timing(&self) -> Timing {
        self.timing
    }

    /// Scores one batch of the plan. `after_pass` is called after each pass and may stop the batch, which then has no
    /// scores (`None`).
    pub fn run_batch(
        &mut self,
        batch: usize,
        mut after_pass: impl FnMut(PassTime) -> ControlFlow<()>,
    ) -> Result<Option<Vec<TrialScores>>, DecoderError> {
        let started = Instant::now();
        let shared = self.plan.shared_prefix(self.trials, batch);
        let planned = &self.plan.batches[batch];
        let paths = planned.paths(self.trials, self.plan.stages);
        let packing = self.plan.packing;
        let trie = Trie::new(&paths, &shared, packing.sharing);
        let passes = schedule(&paths, &trie, shared.tokens.len(), packing.pass_tokens, !packing.sharing);
        let mut logprobs: Vec<Vec<f32>> = paths.iter().map(|path| vec![0.0; path.targets().len()]).collect();
        self.timing.planning += started.elapsed();

        if self.grow_prefix(shared, &planned.shared_prefix, &mut after_pass)?.is_break() {
            return Ok(None);
        }
        for scheduled in passes {
            let done = self.run_pass(&scheduled, &mut logprobs)?;
            if after_pass(done).is_break() {
                self.cache.truncate(self.shared.tokens.len());
                return Ok(None);
            }
        }
        self.cache.truncate(self.shared.tokens.len());

        let mut scores = logprobs.into_iter().map(|logprobs| TokenScores { logprobs });
        let of_request = |request: &Request, scores: &mut dyn Iterator<Item = TokenScores>| {
            scores.take(request.continuations().len()).collect::<Vec<_>>()
        };
        let trials = planned.trials.iter().map(|&trial| &self.trials[trial]);
        Ok(Some(
            trials
                .map(|trial| trial.requests.iter().map(|request| of_request(request, &mut scores)).collect())
                .collect(),
        ))
    }

    /// Extends the cached shared prefix to `tokens` in the planned segments, reusing cached ones.
    fn grow_prefix(
        &mut self,
        wanted: Shared,
        ends: &[usize],
        after_pass: &mut impl FnMut(PassTime) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, DecoderError> {
        let reused = reusable(&self.prefix_ends, ends, self.shared.common(&wanted));
        self.prefix_ends.truncate(reused);
        let mut done = self.prefix_ends.last().copied().unwrap_or(0);
        self.cache.truncate(done);
        self.shared.tokens.truncate(done);
        self.shared.stage = wanted.stage;
        for &end in &ends[reused..] {
            while done < end {
                let next = end.min(done + self.plan.packing.pass_tokens);
                let started = Instant::now();
                let pass = prefix_pass(&wanted, done..next);
                self.forward(&pass, &[], &mut [])?;
                let stop = after_pass(PassTime { work: Work::from_pass(&pass), took: started.elapsed() });
                done = next;
                if stop.is_break() {
                    // An unfinished segment is forwarded again.
                    let whole = self.prefix_ends.last().copied().unwrap_or(0);
                    self.cache.truncate(whole);
                    return Ok(ControlFlow::Break(()));
                }
            }
            self.shared.tokens.extend_from_slice(&wanted.tokens[self.shared.tokens.len()..end]);
            self.prefix_ends.push(end);
        }
        Ok(ControlFlow::Continue(()))
    }

    fn run_pass(&mut self, scheduled: &ScheduledPass, logprobs: &mut [Vec<f32>]) -> Result<PassTime, DecoderError> {
        let started = Instant::now();
        self.cache.keep(&scheduled.keep);
        self.forward(&scheduled.pass, &scheduled.targets, logprobs)?;
        Ok(PassTime { work: Work::from_pass(&scheduled.pass), took: started.elapsed() })
    }

    /// Forwards a pass and reads its targets. If that fails, the cache is unchanged.
    fn forward(&mut self, pass: &Pass, targets: &[Target], logprobs: &mut [Vec<f32>]) -> Result<(), DecoderError> {
        let Engine { decoder, cache, timing, .. } = self;
        let cached = cache.rows();
        let mut one = |pass: &Pass, targets: &[Target]| {
            let started = Instant::now();
            let output = decoder.forward(cache, pass)?;
            let memory = DeviceMemory::from_device(&decoder.device()).map(|memory| memory.used());
            timing.device_bytes = timing.device_bytes.max(memory);
            // Without reading rows, a pass would return before the GPU has started it, and its time be charged to the
            // next.
            decoder.wait()?;
            timing.forward += started.elapsed();
            timing.attention += output.attending;
            timing.tokens += pass.tokens.len();
            timing.passes += 1;
            if !targets.is_empty() {
                let head = Instant::now();
                read_targets(decoder, &output, targets, logprobs)?;
                timing.head += head.elapsed();
            }
            Ok(())
        };
        match forward_in_halves(pass, targets, cached, &mut one) {
            Ok(cuts) => {
                self.timing.cuts += cuts;
                Ok(())
            }
            Err(error) => {
                self.cache.truncate(cached);
                Err(error)
            }
        }
    }
}

/// Assigns a pass's log-probabilities to their paths.
fn read_targets(
    decoder: &Decoder,
    output: &PassOutput,
    targets: &[Target],
    logprobs: &mut [Vec<f32>],
) -> Result<(), DecoderError> {
    let wanted: Vec<(usize, u32)> = targets.iter().map(|target| (target.row, target.token)).collect();
    for (target, logprob) in targets.iter().zip(decoder.log_probs(&output.hidden, &wanted)?) {
        logprobs[target.path][target.index] = logprob;
    }
    Ok(())
}

/// A scoring run that could not be planned or finished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScoreError {
    /// No plan fits.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The decoder failed.
    #[error(transparent)]
    Decoder(#[from] DecoderError),
}

/// Scores of a set of trials.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// Scores of each trial, in the order given.
    pub trials: Vec<TrialScores>,
    /// Counts of the plan.
    pub counts: Counts,
}

/// Plans and scores trials at once, within `budget` bytes of keys, values and activations. `after_pass` receives the
/// whole plan and each finished pass.
pub fn score_trials(
    decoder: &Decoder,
    trials: &[TrialRequests],
    packing: Packing,
    budget: u64,
    mut after_pass: impl FnMut(&Counts, PassTime),
) -> Result<Scored, ScoreError> {
    let costs = MemoryCosts::new(decoder.spec(), decoder.arithmetic());
    let plan = Plan::new(trials, fit_packing(trials, packing, &costs, budget)?, &costs);
    let mut engine = Engine::new(decoder, trials, &plan);
    let mut scored = Scored { trials: vec![Vec::new(); trials.len()], counts: plan.counts };
    for (number, batch) in plan.batches.iter().enumerate() {
        let scores = engine.run_batch(number, |pass| {
            after_pass(&plan.counts, pass);
            ControlFlow::Continue(())
        })?;
        for (&trial, scores) in batch.trials.iter().zip(scores.into_iter().flatten()) {
            scored.trials[trial] = scores;
        }
    }
    Ok(scored)
}

/// Scores requests together, in their order, within `budget` bytes of keys, values and activations. `after_pass`
/// receives the number of tokens forwarded so far and in total.
pub fn score(
    decoder: &Decoder,
    requests: &[Request],
    budget: u64,
    mut after_pass: impl FnMut(usize, usize),
) -> Result<Vec<Vec<TokenScores>>, ScoreError> {
    let trials: Vec<TrialRequests> = requests.iter().cloned().map(TrialRequests::from_request).collect();
    let mut forwarded = 0;
    let scored = score_trials(decoder, &trials, Packing::default(), budget, |counts, pass| {
        forwarded += pass.work.tokens;
        after_pass(forwarded, counts.forwarded);
    })?;
    Ok(scored.trials.into_iter().flatten().collect())
}

/// Scores one request in a single pass that keeps no keys and values, which needs the least memory for a long prompt on
/// models without shared key heads. The prompt's tokens and continuations are forwarded together.
///
/// # Errors
/// Errors of the decoder, and a budget smaller than the pass needs.
///
/// ```
/// use tomeval::{Device, ModelFiles, Precision, Request, Sequence, score_once};
/// let files = ModelFiles::from_path("tests/fixtures/llama".as_ref())?;
/// let decoder = files.decoder(&Device::Cpu, Precision::F32)?;
/// let context = vec![1, 5, 9];
/// let sequences = [7, 8].map(|token| Sequence { tokens: [&context[..], &[token]].concat(), scored_from: 3 });
/// let scores = score_once(&decoder, &Request::new(context, sequences.into())?, 1 << 30)?;
/// assert!(scores.iter().all(|scores| scores.sum() < 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn score_once(decoder: &Decoder, request: &Request, budget: u64) -> Result<Vec<TokenScores>, ScoreError> {
    let stages = decoder.spec().stages();
    let paths: Vec<Path<'_>> = request.paths(stages).collect();
    let trie = Trie::new(&paths, &Shared::default(), true);
    let tokens = trie.tokens();
    let needed =
        MemoryCosts::new(decoder.spec(), decoder.arithmetic()).bytes_of_one_pass(decoder.spec().layers, tokens);
    if needed > budget {
        return Err(PlanError::BudgetTooSmall { budget, tokens, needed }.into());
    }
    let mut logprobs: Vec<Vec<f32>> = paths.iter().map(|path| vec![0.0; path.targets().len()]).collect();
    for scheduled in schedule(&paths, &trie, 0, tokens.max(1), false) {
        assert!(scheduled.keep.is_empty(), "one pass, or one on either side of the original context");
        let output = decoder.forward_once(&scheduled.pass)?;
        read_targets(decoder, &output, &scheduled.targets, &mut logprobs)?;
    }
    Ok(logprobs.into_iter().map(|logprobs| TokenScores { logprobs }).collect())
}
