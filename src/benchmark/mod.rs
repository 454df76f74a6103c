//! Benchmarks: one [`Item`] type serves them all; a benchmark is a loader plus a card, never a path of its own.

mod item;
mod language;

pub use item::{Facets, Flag, Gold, Item, OptionIx, Segment, SegmentKind};
pub use language::{Language, UnknownLanguage};
