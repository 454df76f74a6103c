//! The token trie of continuations below their prompt, for servers that give log-probabilities of named tokens.
//!
//! ```text
//! prompt ... tk | the | box          two continuations, three inner nodes: tk, tk the, tk a
//!               | a   | bin          root asks for {the, a}, the next for {box}, the last for {bin}
//! ```
//!
//! Each inner node is a request, or several if it has more children than one can name. A continuation's
//! log-probabilities stand on its path. Nodes are asked in depth-first order, so that each finds the tokens before it
//! in the server's prefix cache.

use std::collections::BTreeMap;

use crate::model::Sequence;
use crate::server::{MOST_NAMED, ServerError};

/// A request: a prompt and the tokens that may follow it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NodeRequest {
    pub prompt: Vec<u32>,
    pub next: Vec<u32>,
}

/// Children of each inner node, by the tokens before them, with their log-probabilities once known.
#[derive(Debug, Default)]
pub(super) struct TokenTrie {
    nodes: BTreeMap<Vec<u32>, BTreeMap<u32, Option<f32>>>,
}

impl TokenTrie {
    /// Builds the trie of scored sequences.
    pub fn new<'a>(sequences: impl IntoIterator<Item = &'a Sequence>) -> Self {
        let mut trie = TokenTrie::default();
        for Sequence { tokens, scored_from } in sequences {
            for at in *scored_from..tokens.len() {
                trie.nodes.entry(tokens[..at].to_vec()).or_default().insert(tokens[at], None);
            }
        }
        trie
    }

    /// Returns the requests in the order of sending.
    pub fn requests(&self) -> Vec<NodeRequest> {
        let of_node = |(prompt, children): (&Vec<u32>, &BTreeMap<u32, Option<f32>>)| {
            let children: Vec<u32> = children.keys().copied().collect();
            let request = |next: &[u32]| NodeRequest { prompt: prompt.clone(), next: next.to_vec() };
            children.chunks(MOST_NAMED).map(request).collect::<Vec<_>>()
        };
        self.nodes.iter().flat_map(of_node).collect()
    }

    /// Stores the log-probability of a token of a request.
    pub fn set(&mut self, request: &NodeRequest, token: u32, logprob: f32) {
        if let Some(known) = self.nodes.get_mut(&request.prompt).and_then(|children| children.get_mut(&token)) {
            *known = Some(logprob);
        }
    }

    /// Returns the log-probability of each scored token of a sequence.
    ///
    /// # Errors
    /// One of them is not known.
    pub fn of(&self, Sequence { tokens, scored_from }: &Sequence) -> Result<Vec<f32>, ServerError> {
        let value = |at: usize| self.nodes.get(&tokens[..at])?.get(&tokens[at]).copied().flatten();
        let values: Option<Vec<f32>> = (*scored_from..tokens.len()).map(value).collect();
        values.ok_or_else(|| ServerError::odd("it lacks the log-probability of a scored token"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(tokens: &[u32], scored_from: usize) -> Sequence {
        Sequence { tokens: tokens.to_vec(), scored_from }
    }

    fn node(prompt: &[u32], next: &[u32]) -> NodeRequest {
        NodeRequest { prompt: prompt.to_vec(), next: next.to_vec() }
    }

    #[test]
    fn each_inner_node_is_asked_once() {
        // The second is a prefix of the first, and the boundary of the last lies a token further in front.
        let all = [&[1, 2, 3, 4][..], &[1, 2, 3], &[1, 2, 5, 4]].map(|tokens| sequence(tokens, 2));
        let last = sequence(&[1, 9], 1);
        let mut trie = TokenTrie::new(all.iter().chain([&last]));
        let requests = trie.requests();
        assert_eq!(
            requests,
            [node(&[1], &[9]), node(&[1, 2], &[3, 5]), node(&[1, 2, 3], &[4]), node(&[1, 2, 5], &[4])]
        );
        assert!(trie.of(&all[0]).is_err());
        for (number, request) in requests.iter().enumerate() {
            for &token in &request.next {
                trie.set(request, token, -(number as f32) - token as f32 / 10.0);
            }
        }
        assert_eq!(trie.of(&all[0]).unwrap(), [-1.3, -2.4]);
        assert_eq!(trie.of(&all[1]).unwrap(), [-1.3]);
        assert_eq!(trie.of(&all[2]).unwrap(), [-1.5, -3.4]);
        assert_eq!(trie.of(&last).unwrap(), [-0.9]);
    }

    #[test]
    fn more_children_than_a_request_names_are_split() {
        let all: Vec<Sequence> = (0..300).map(|token| sequence(&[7, token], 1)).collect();
        let lengths: Vec<usize> = TokenTrie::new(&all).requests().iter().map(|request| request.next.len()).collect();
        assert_eq!(lengths, [128, 128, 44]);
    }
}
