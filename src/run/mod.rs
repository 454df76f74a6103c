//! Runs: a manifest fixes the work, records are append-only, and a stop loses nothing.
//!
//! 1. [`Settings`] and items make [`trials`], and [`asks_of`] the prompts of each.
//! 2. [`Workload`]: everything for a run on a local model except the weights.
//! 3. [`Manifest`] contains everything the numbers depend on, including the plan.
//! 4. [`RunFolder`] stores manifest and records; [`Run::execute`] fills it from a backend; [`merge`] joins shards.
//!
//! For written answers (`run/written.rs`) each reply is recorded when it ends, so the records are unordered until the
//! last one; `trials.unordered` marks this, and at the end they are put into the plan's order. A command with several
//! styles and scorings (`trial/variant.rs`) makes as many runs with one load of the weights. Answers after reasoning
//! (`trial/earlier.rs`) are scored with the recorded reply up to its answer as the beginning of the model's turn, and a
//! style in two phases shows the replies to its first one; the manifest contains the hash of all these replies. Several questions in one prompt (`trial/together.rs`) are planned
//! as equal sequences, written once and recorded separately. Examples (`trial/examples.rs`) are put before finished
//! prompts, and are the same within a story so that the trie shares them.

mod answered;
mod audit;
mod audit_line;
mod audit_summary;
mod begin;
mod earlier;
mod execute;
mod folder;
mod format1;
mod how_asked;
mod in_memory;
mod local;
mod manifest;
mod merge;
mod pack_lookup;
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

pub use audit::{Audit, audit_of, join_audits};
#[cfg(test)]
pub use audit_line::AuditLine;
#[cfg(feature = "server")]
pub use audit_line::Cell;
#[cfg(feature = "server")]
pub use audit_summary::{Asked, AuditSummary, Compared, Conditions, MOVE_LIMIT, nats};
pub use begin::{Beginning, Begun, begin};
pub use earlier::{read_earlier, read_thoughts};
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
pub use recorded::{Place, ReadToEnd, Recorded, RecordedRun, RecordsAgain, read_run};
#[cfg(feature = "server")]
pub use served::{OtherSource, ServedPreparation};
#[cfg(feature = "server")]
pub use served_model::NamedTokenizer;
#[cfg(feature = "server")]
pub use served_model::ServerAtEnd;
pub use served_model::{ServerIdentity, server_changes};
pub use time_summary::Spent;
pub use timings::{Started, Timings};
pub use verify::{Verification, verify};
pub use without_texts::copy_without_texts;
pub use workload::WorkloadError;
pub use workload::{Inputs, Preparation, Workload};
