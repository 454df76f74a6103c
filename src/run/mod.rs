//! Runs: what is asked is settled in a manifest, what comes back is appended to records, and nothing is lost by a stop.
//!
//! 1. [`Settings`] and items make [`trials`], and [`asks_of`] what is asked in each.
//! 2. [`Workload`]: all that a run on a local model needs but the weights.
//! 3. [`Manifest`] holds everything the numbers depend on, the plan included.
//! 4. [`RunFolder`] keeps manifest and records; [`Run::execute`] fills it from a backend; [`merge`] joins shards.

mod again;
mod answered;
mod asks;
mod begin;
mod dataset;
mod examples;
mod execute;
mod folder;
mod format1;
mod how_asked;
mod in_memory;
mod local;
mod manifest;
mod merge;
mod notes;
mod packs;
mod paths;
mod questions;
mod reasoned;
mod reasoning;
mod reasons;
mod recorded;
mod records;
#[cfg(feature = "server")]
mod served;
mod served_model;
mod settings;
mod shots;
mod show;
mod spent;
mod timings;
mod together;
mod trial;
mod variant;
mod verify;
mod workload;
mod writing;
mod written;

pub use again::{AgainError, LOCAL_FILES, packs_again};
pub use asks::asks_of;
pub use begin::{Beginning, Begun, begin};
pub use dataset::{DataCheck, Dataset, DatasetError, LoadedItems};
pub use examples::shots_in;
pub use execute::{Answering, Progress, Run, RunError};
pub use folder::{ATTENTION_PAGE, ClaimedFolder, RunFolder, attention_page_of};
pub use how_asked::HowAsked;
pub use in_memory::score_items;
pub use local::{Cut, LocalPreparation, LocalWorkload};
pub use manifest::{AdapterIdentity, LocalModel, Machine, Manifest, Model, ModelIdentity, NotAShard, Program, Shard};
pub(crate) use merge::absent_shards;
pub use merge::merge;
pub use packs::{PackFileError, PromptPack, benchmarks_with_packs, export_packs, pack_in, packs, read_pack};
pub use paths::{recorded_path, resolved_path};
pub use questions::QuestionsPerPrompt;
pub use reasoned::read_reasoning;
pub use reasoning::Reasoning;
pub use recorded::{Place, ReadToEnd, Recorded, RecordedRun, RecordsAgain, read_run};
#[cfg(feature = "server")]
pub use served::ServedPreparation;
#[cfg(feature = "server")]
pub use served_model::NamedTokenizer;
pub use served_model::ServerIdentity;
pub use settings::Settings;
pub use shots::Shots;
pub use show::{Presentation, Reader, ShownAsk, ShownItem, show};
pub use spent::Spent;
pub use timings::Timings;
pub use trial::{Trial, TrialError, trials};
pub use variant::{Variant, Variants};
pub use verify::{Verification, verify};
pub use workload::{Inputs, Preparation, Workload};
pub use writing::{ThinkingChoice, Writing};

pub(crate) use dataset::items_sha256;
pub(crate) use manifest::sha256_of;
