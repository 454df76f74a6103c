//! Benchmarks: one [`Item`] type serves them all; a benchmark is a loader plus a card, never a path of its own.

mod ability;
mod card;
mod check;
mod choices;
mod count;
mod custom;
mod definition;
mod demo;
mod fantom;
mod files;
mod folder;
pub mod hi_tom;
mod inventory;
mod item;
mod limit;
mod load;
mod multi_tom;
mod negotiationtom;
mod registry;
mod rows;
mod stats;
mod tombench;
pub mod tomi;
mod tomvalley;
mod unique;
mod xtom;

pub use ability::ABILITIES;
pub use card::{Card, PromptsOf, Repair, RepairAction};
pub use check::{Check, FlagCount, Size};
pub use count::{Comparison, CountKey, UnknownCount, Version, compare, versions};
pub use item::{Answer, Facets, Flag, Item, OptionIx, Segment, SegmentKind};
pub use limit::{limit, limit_stories};
pub use load::{LabelSet, LoadError, LoadOptions, Loaded, RowProblem};
pub use registry::{Benchmark, UnknownBenchmark};
pub use stats::{PartStats, Stats, stats};
