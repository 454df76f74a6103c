//! Runs: what is asked is settled in a manifest, what comes back is appended to records, and nothing is lost by a stop.
//!
//! 1. [`Settings`] and items make [`trials`].
//! 2. [`Preparation`] renders and tokenizes them.
//! 3. [`Manifest`] holds everything the numbers depend on, the plan included.
//! 4. [`RunFolder`] keeps manifest and records; [`Run::execute`] fills it; [`merge`] joins shards.

mod dataset;
mod execute;
mod folder;
mod format1;
mod manifest;
mod merge;
mod packs;
mod prepare;
mod settings;
mod timings;
mod trial;
mod verify;

pub use dataset::{Dataset, DatasetError, LoadedItems, Problems};
pub use execute::{Progress, Run, RunError};
pub use folder::{ATTENTION_PAGE, Block, FolderError, LineKey, RunFolder, read_run};
pub use manifest::{
    Data, FORMAT, LocalModel, Machine, Manifest, Model, ModelIdentity, NotAShard, Program, PromptPack, Shard,
    items_sha256, trials_sha256,
};
pub use merge::{MergeError, merge};
pub use packs::{PackFileError, pack_in, packs, read_pack};
pub use prepare::{Preparation, Prepared};
pub use settings::Settings;
pub use timings::Timings;
pub use trial::{Trial, TrialError, trials};
pub use verify::{Verification, verify};
