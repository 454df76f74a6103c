//! Short summary of why trials cannot be asked.

use std::fmt;

use indexmap::IndexMap;

use crate::benchmark::Item;
use crate::counted::counted;
use crate::record::{Failure, FailureKind};

/// First failure of each kind, with counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reasons {
    kinds: IndexMap<FailureKind, Reason>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Reason {
    trials: usize,
    item: String,
    message: String,
}

impl Reasons {
    /// Collects the reasons of failed trials, each with its item.
    pub fn from_failures<'a>(failures: impl IntoIterator<Item = (&'a Item, &'a Failure)>) -> Self {
        let mut kinds: IndexMap<FailureKind, Reason> = IndexMap::new();
        for (item, Failure { kind, message }) in failures {
            let first = || Reason { trials: 0, item: item.id.clone(), message: message.clone() };
            kinds.entry(*kind).or_insert_with(first).trials += 1;
        }
        Reasons { kinds }
    }
}

impl fmt::Display for Reasons {
    /// One line for each kind, each after a line break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, Reason { trials, item, message }) in &self.kinds {
            let trials = counted(*trials, "trial");
            write!(f, "\n  {trials} ({}), first of item `{item}`: {message}", kind.name())?;
        }
        Ok(())
    }
}
