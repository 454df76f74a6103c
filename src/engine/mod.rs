//! The scoring engine: token sequences in, log-likelihoods out. It knows nothing of benchmarks.
//!
//! All sequences of a run are known before it starts. They form a token trie whose every edge is forwarded once:
//!
//! 1. [`Tokenizer`]: texts become ids; a context is tokenized once for all its continuations.
//! 2. [`Request`]: one prompt with its continuations; a [`TrialRequests`] is what is recorded together.
//! 3. [`Plan`]: trials in trie order, cut into batches with a shared prefix shared between neighbours.
//! 4. `trie`: the edges of one batch, in depth-first order.
//! 5. `schedule`: edges packed into passes of bounded size, each branch with the cache rows of its own path.
//! 6. [`Engine`]: passes through the decoder, log-probabilities of the wanted tokens back to their sequences.
//!
//! [`generate`] continues prompts on the same tries, for what must be written and not scored.

mod cost;
mod generate;
mod plan;
mod request;
mod schedule;
mod score;
mod tokenizer;
mod trie;

pub use cost::{CostModel, Fit, PassTime, Work};
pub use generate::{GenerateError, Reply, ReplyEnd, Sampling, generate};
pub use plan::{Counts, MemoryCosts, Packing, Plan, PlanError, PlannedBatch, TrialRequests, fit_packing};
pub use request::{Request, RequestError, Sequence, TokenScores};
pub use score::{Engine, ScoreError, Scored, Timing, TrialScores, score, score_once, score_trials};
pub use tokenizer::{ContextRequest, EncodedContext, SpecialTokens, Tokenizer, TokenizerError, TokenizerKind};

#[cfg(test)]
mod tests;
