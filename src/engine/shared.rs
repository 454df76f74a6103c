//! Lists with shared prefixes: tokens of prompts about one story, texts of its questions.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::model::common_length;

/// Number of recent lists searched for a shared prefix.
const RECENT: usize = 4;

/// A list stored as a prefix shared with other lists and its own remainder.
#[derive(Debug, Clone)]
pub(crate) struct SharedList<T> {
    /// The list that holds the shared prefix.
    pub beginning: Arc<[T]>,
    /// Length of the prefix within `beginning`.
    shared: usize,
    /// The rest.
    pub own: Box<[T]>,
}

impl<T: Copy + PartialEq> SharedList<T> {
    /// A list that others may share.
    pub fn new(list: &[T]) -> Self {
        SharedList { shared: list.len(), beginning: list.into(), own: Box::default() }
    }

    /// The list with its common prefix stored once, or `None` if too little is shared.
    pub fn sharing(list: &[T], with: &Arc<[T]>) -> Option<Self> {
        let shared = common_length(list, with);
        // Sharing less than half is not worth keeping the other list alive.
        let worth = 2 * shared >= list.len();
        worth.then(|| SharedList { beginning: Arc::clone(with), shared, own: list[shared..].into() })
    }

    pub fn len(&self) -> usize {
        self.shared + self.own.len()
    }

    /// The shared prefix and the remainder.
    pub fn pieces(&self) -> [&[T]; 2] {
        [&self.beginning[..self.shared], &self.own]
    }
}

impl<T: Copy + PartialEq> PartialEq for SharedList<T> {
    fn eq(&self, other: &Self) -> bool {
        self.pieces().concat() == other.pieces().concat()
    }
}

impl<T: Copy + Eq> Eq for SharedList<T> {}

/// Remember something new in the place of the oldest.
pub(crate) fn remember<T>(recent: &mut VecDeque<T>, new: T) {
    if recent.len() == RECENT {
        recent.pop_front();
    }
    recent.push_back(new);
}
