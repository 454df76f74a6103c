//! Contamination probes: what a model's likelihoods and texts say of whether it met a benchmark's files in training.
//!
//! - [`orders`]: is the released order of an item's options likelier than other orders of the same options?
//! - [`min_k`]: are released items likelier, token by token, than items made afresh in the same form?
//! - [`recall`]: can the model recite items, or the second half of a story after its first?
//!
//! None of them is a proof, in either direction; `docs/probe.md` says what each number leaves open.
//!
//! Questions that belong to no run (`logprob`, `probe`) are an `Inquiry`: trials of their own, of which nothing but the
//! answers is kept. A probe knows whom it asks by what it wants, `probe::Scores` and `probe::Generates`; `local.rs` has the
//! engine do it, `served.rs` a server, hence the arrows of `probe` to `backend`, `server`, `record` and `progress`.

mod document;
mod fresh;
mod local;
pub mod min_k;
pub mod orders;
mod overlap;
pub mod permutation;
pub mod recall;
mod score;
#[cfg(feature = "server")]
mod served;
mod text;

pub use document::{Document, Found, PROBE_VERSION, Probed, render};
pub use fresh::FreshError;
pub use local::{Scorer, Speaker};
pub use score::{After, Answers, Generates, ProbeError, Scores, SkippedRow};
#[cfg(feature = "server")]
pub use served::ServedModel;
