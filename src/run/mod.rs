//! Runs: what is asked is settled in a manifest, what comes back is appended to records, and nothing is lost by a stop.
//!
//! 1. [`Settings`] and items make [`trials`], and [`asks_of`] what is asked in each.
//! 2. [`Workload`]: all that a run on a local model needs but the weights.
//! 3. [`Manifest`] holds everything the numbers depend on, the plan included.
//! 4. [`RunFolder`] keeps manifest and records; [`Run::execute`] fills it from a backend; [`merge`] joins shards.
//!
//! Where answers are written (`run/written.rs`) each reply is recorded as it ends, so the records stand in no order until
//! the last one is there; `trials.unordered` marks that, and at the end they are put into the plan's order. A command that
//! names several styles and scorings (`trial/variant.rs`) is that many runs with one load of the weights; answers behind
//! reasoning (`trial/reasoning.rs`) are asked with the recorded reply up to its answer as the beginning of the model's
//! turn. The manifest holds the hash of all these replies. Several questions in one prompt (`trial/together.rs`) are
//! planned as equal sequences, written once and recorded each; examples (`trial/examples.rs`) stand in front of asks that
//! were made, and are the same within a story so that the trie shares them.

mod answered;
mod begin;
mod execute;
mod folder;
mod format1;
mod how_asked;
mod in_memory;
mod local;
mod manifest;
mod merge;
mod pack_lookup;
mod reasoned;
mod reasons;
mod recorded;
mod records;
#[cfg(feature = "server")]
mod served;
mod served_model;
mod time_summary;
mod timings;
mod verify;
mod without_texts;
mod workload;
mod written;

pub use begin::{Beginning, Begun, begin};
pub use execute::{Answering, Progress, Run, RunError};
pub use folder::{ATTENTION_PAGE, ClaimedFolder, RunFolder, attention_page_of};
pub use how_asked::HowAsked;
pub use in_memory::score_items;
pub use local::{Cut, LocalPreparation, LocalWorkload};
pub(crate) use manifest::sha256_of;
pub use manifest::{AdapterIdentity, LocalModel, Machine, Manifest, Model, ModelIdentity, NotAShard, Program, Shard};
pub(crate) use merge::absent_shards;
pub use merge::merge;
pub use pack_lookup::{AgainError, LOCAL_FILES, packs_again};
pub use reasoned::read_reasoning;
pub use recorded::{Place, ReadToEnd, Recorded, RecordedRun, RecordsAgain, read_run};
#[cfg(feature = "server")]
pub use served::ServedPreparation;
#[cfg(feature = "server")]
pub use served_model::NamedTokenizer;
pub use served_model::ServerIdentity;
pub use time_summary::Spent;
pub use timings::{Started, Timings};
pub use verify::{Verification, verify};
pub use without_texts::copy_without_texts;
pub use workload::{Inputs, Preparation, Workload};
