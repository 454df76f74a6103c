//! Contamination probes: evidence from a model's likelihoods and texts that it saw a benchmark's files in training.
//!
//! - [`orders`]: is the released order of an item's options likelier than other orders of the same options?
//! - [`min_k`]: are released items likelier, token by token, than fresh items of the same form?
//! - [`recall`]: can the model recite items, the second half of a story after its first, or classic tests?
//!
//! - [`beliefs`]: what its residual stream holds about who takes an object to be where, a question of another kind.
//!
//! None of the first three is proof, in either direction; `docs/probe.md` explains what each number leaves open.
//!
//! Questions outside runs (`logprob`, `probe`) are an `Inquiry`: separate trials of which only the answers are kept. A
//! probe accesses its model through the traits `probe::Scores` and `probe::Generates`, implemented in `local.rs` by the
//! engine and in `served.rs` by a server; hence the arrows of `probe` to `backend`, `server`, `record` and `progress`.

pub mod beliefs;
mod document;
mod fresh;
mod local;
pub mod min_k;
pub mod orders;
mod overlap;
pub mod permutation;
mod prompts;
pub mod recall;
mod score;
#[cfg(feature = "server")]
mod served;
mod text;

pub use document::{Document, Found, PROBE_VERSION, Probed, render};
pub use fresh::FreshError;
pub use local::{Scorer, Speaker};
pub use prompts::{ClassicTest, Prompts, Protocol};
pub use score::{After, Answers, Generates, ProbeError, Scores, SkippedRow};
#[cfg(feature = "server")]
pub use served::ServedModel;
