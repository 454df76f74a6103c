//! The scoring engine: token sequences in, log-likelihoods out, independent of benchmarks.
//!
//! All sequences of a run are known before it starts. They form a token trie, each of whose edges is forwarded once:
//!
//! 1. [`Request`]: one tokenized prompt with its continuations; a [`TrialRequests`] groups those recorded together.
//! 2. [`Plan`]: trials in trie order, cut into batches, with prefixes shared between neighbours.
//! 3. `trie`: the edges of one batch, in depth-first order.
//! 4. `schedule`: edges packed into passes of bounded size, each branch with the cache rows of its own path.
//! 5. [`Engine`]: passes through the decoder, log-probabilities of the wanted tokens back to their sequences.
//!
//! [`generate`] continues prompts on the same tries, for replies that are written rather than scored.
//!
//! # How a token becomes a log-likelihood
//!
//! All sequences of a run are known before it starts, so each distinct prefix is forwarded once.
//!
//! - **Encoder** (`engine/encode.rs`): prompts of a story are tokenized in sequence. A prefix shared with an earlier
//!   prompt is cut at the last place where no later text can change the tokens before it
//!   (`model/tokenizer/context.rs`), and is neither tokenized nor stored again.
//! - **Trial requests**: all prompts of one trial, recorded together, sorted in depth-first order of their token trie.
//! - **Batch**: consecutive trial requests, cut at the first change of story after `batch_tokens` fresh tokens (within
//!   a story at four times as many, since ToMValley asks 71 questions per context). Recorded whole or redone whole.
//! - **Shared prefix**: tokens shared by neighbouring batches (instructions, sometimes a story). It is forwarded in
//!   passes of its own that depend only on the plan, never on which batches ran before. So a resumed or sharded run
//!   computes the same bits: `tests/it/engine/scoring.rs` starts at every batch and compares exactly. It never reaches
//!   a row whose logits are wanted, so every target belongs to one batch.
//! - **Schedule**: the edges of a batch's trie in depth-first order, packed into passes of at most `pass_tokens`. A
//!   child may share its parent's pass, because a layer stores keys and values before its attention. Between passes
//!   only the path to the next token is kept, so the cache holds one path and one pass. Position is depth; each branch
//!   of a pass lists the cache rows of its own path, and attends to those.
//! - **Stages**: if rotary factors depend on sequence length (LongRoPE: one threshold; dynamic NTK: that and its
//!   doublings), each path has the stage of its whole sequence, prompt and continuation. The trie shares nothing
//!   between stages, a pass holds one stage, and the cache records the stage of each row. A reply that grows into the
//!   next stage is recomputed.
//! - **Head**: log-softmax in f32 over the whole vocabulary, only at the wanted rows, 512 vocabulary tokens at a time.
//!
//! The plan (batches, shared prefixes, packing, budget) is part of the manifest. On resume it is read, not derived. A
//! shared prefix that a later batch cuts in the middle is forwarded again up to the cut; nothing else is forwarded
//! twice. Generation (`engine/generate/`) runs on the same tries: each reply is a branch of one token per step.
//!
//! `engine/cost.rs` solves measured probes for the cost of a pass, a token, a query-key pair and a head row. A run
//! compares each pass with its prediction: the median ratio is the machine's current speed, the rest is model error.
//! The configuration reader turns a card's shape into a `DecoderSpec` (`model/spec/shaped.rs`), so that memory is
//! predicted before any file exists (`engine/memory_estimate.rs`). Predicted memory is what the process holds before
//! the weights, plus the stored weights, plus the larger of the plan's peak of keys, values and activations and the
//! temporary cost of loading (`Decoder::loading_bytes`): matrices are read, drawn and rounded some rows at a time, so
//! that is the blocks of the widest product. On a GPU, costs are in bytes of its dtype, including masks and the scores
//! of some tokens at a time. Its budget follows from the model's shape and is checked against free memory before
//! weights are loaded; a pass that still runs out of memory is done in halves (`engine/oom_split.rs`), counted in the
//! manifest.

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
mod states;
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
pub use states::last_states;

#[cfg(test)]
mod tests;
