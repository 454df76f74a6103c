//! The scoring engine: token sequences in, log-likelihoods out. It knows nothing of benchmarks.
//!
//! All sequences of a run are known before it starts. They form a token trie whose every edge is forwarded once:
//!
//! 1. [`Request`]: one tokenized prompt with its continuations; a [`TrialRequests`] is what is recorded together.
//! 2. [`Plan`]: trials in trie order, cut into batches, with prefixes that neighbours share.
//! 3. `trie`: the edges of one batch, in depth-first order.
//! 4. `schedule`: edges packed into passes of bounded size, each branch with the cache rows of its own path.
//! 5. [`Engine`]: passes through the decoder, log-probabilities of the wanted tokens back to their sequences.
//!
//! [`generate`] continues prompts on the same tries, for what must be written and not scored.

mod cost;
mod encode;
mod generate;
mod memory;
mod memory_estimate;
mod oom_split;
mod plan;
mod plan_check;
mod request;
mod schedule;
mod score;
mod shared;
mod trie;

#[cfg(test)]
pub use cost::Work;
pub use cost::{CostModel, PassTime};
pub use encode::Encoder;
pub use generate::{
    GenerateError, GenerateProgress, GenerateRequest, LengthEstimate, Limits, Reply, ReplyEnd, Sampling, SamplingFault,
    ThinkingBudget, generate, generate_all,
};
pub use memory::MemoryCosts;
pub use memory_estimate::{Kept, PROMPT_TOKENS, Room};
pub use plan::{Counts, Packing, Plan, PlanError, TrialRequests, fit_packing};
pub use request::{ContextRequest, Request, RequestError, TokenScores};
pub use score::{Engine, GenerationTotals, ScoreError, Timing, score, score_once, score_trials};
pub(crate) use shared::{SharedList, remember};

#[cfg(test)]
mod tests;
