//! Metrics: outcomes grouped by facets. This module never sees a model.
//!
//! A benchmark's card declares its tables ([`Layout`]): which facets make the rows, which filter and [`Measure`] make
//! each column, and which published figures stand beside them.

mod layout;
mod measure;

pub use crate::answer::{Outcome, TrialOutcome};
pub use layout::{Column, Filter, Layout, LayoutError, Published, Source, Table};
pub use measure::Measure;
