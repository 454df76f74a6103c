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
//!
//! # How a token becomes a log-likelihood
//!
//! All sequences of a run are known before it starts, so each distinct prefix is forwarded once.
//!
//! - **Encoder** (`engine/encode.rs`): prompts are tokenized one after the other within a story; what a prompt has in
//!   common with one before is cut at the last place where nothing after it can change a token before it
//!   (`model/tokenizer/context.rs`), and neither tokenized nor held again.
//! - **Trial requests**: all prompts of one trial, recorded together, sorted as their token trie, which is depth-first
//!   order.
//! - **Batch**: consecutive trial requests, cut at the first change of story after `batch_tokens` fresh tokens (inside a
//!   story at four times as many, since ToMValley asks 71 questions a context). Recorded whole or redone whole.
//! - **Shared prefix**: what neighbouring batches share (instructions, sometimes a story). It is forwarded in passes of its
//!   own that depend on the plan alone and never on which batches ran before. That is why a resumed or sharded run computes
//!   the same bits: `tests/it/engine/scoring.rs` starts at every batch and compares exactly. It never reaches a row whose
//!   logits are wanted, so every target belongs to one batch.
//! - **Schedule**: the edges of a batch's trie in depth-first order, packed into passes of at most `pass_tokens`. A child
//!   may be in its parent's pass, because keys and values of a layer are stored before its attention. Between passes only
//!   the path to the next token is kept, so the cache holds one path and one pass. Position is depth; each branch of a pass
//!   lists the cache rows of its own path, and attention runs over those.
//! - **Stages**: where rotary factors depend on the length of a sequence (LongRoPE: one length; dynamic NTK: that and its
//!   doublings), a path knows the stage of its sequence, prompt and continuation together; the trie shares nothing across,
//!   a pass holds one stage, the cache knows the stage of each row. A reply that grows into the next one is computed anew.
//! - **Head**: log-softmax in f32 over the whole vocabulary, only at the rows wanted, 512 tokens of the vocabulary at a
//!   time.
//!
//! The plan (batches, shared prefixes, packing, budget) is part of the manifest. On resume it is read, not derived. A
//! shared prefix that a later batch cuts in its middle is forwarded again up to the cut; nothing else is forwarded twice.
//! Generation (`engine/generate/`) runs on the same tries: each reply is a branch of one token a step.
//!
//! `engine/cost.rs` solves measured probes for the cost of a pass, a token, a query-key pair and a head row. A run compares
//! each pass with what was predicted: the median ratio is the machine's speed since, what is left the fault of the model. A
//! card's shape becomes a `DecoderSpec` through the reader of configurations (`model/spec/shaped.rs`), so that memory is
//! predicted before a file is there (`engine/memory_estimate.rs`). Memory is predicted as what the process holds before the
//! weights, the weights as they are kept, and the plan's keys, values and activations at their peak, or what loading takes
//! for a time where that is more (`Decoder::loading_bytes`): matrices are read, drawn and rounded some rows at a time, so
//! that it is the blocks of the widest product. On a GPU costs are in the bytes of its type, with masks and the scores of
//! some tokens at a time; the budget there follows from the model's shape, is checked against what is free before weights
//! are loaded, and a pass that finds no memory all the same is done in halves (`engine/oom_split.rs`), which the manifest
//! counts.

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
