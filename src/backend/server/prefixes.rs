//! Prefixes that several trials share, in the blocks in which servers keep them.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use indexmap::IndexSet;

/// Tokens of a block: vLLM's default. A server keeps and finds whole blocks only.
pub(super) const BLOCK: usize = 16;

/// Bytes that stand for a block where no tokenizer is known, at four bytes a token.
const BLOCK_BYTES: usize = 4 * BLOCK;

/// Minimum blocks that a prefix has beyond a shorter shared one: for less, no trial waits.
const LEAST: usize = 2;

/// What trials share.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharedPrefixes {
    /// Number of different shared prefixes.
    pub(super) count: usize,
    /// For each trial, the shared prefixes with which its prompts begin.
    pub(super) of_trial: Vec<Vec<usize>>,
    /// For each trial, the prompt tokens of whole blocks that stand in earlier prompts of the plan.
    pub(super) cached: Vec<usize>,
}

/// Finds the prefixes; trials are added in the order of the plan.
#[derive(Default)]
pub(super) struct PrefixFinder {
    nodes: HashMap<u64, Node>,
    /// The blocks of each prompt, each as the hash of all blocks up to it, by trial.
    paths: HashMap<usize, Vec<Vec<u64>>>,
    cached: HashMap<usize, usize>,
}

/// A block that prompts have in common with all blocks before it.
struct Node {
    trials: usize,
    last: usize,
}

impl PrefixFinder {
    /// Adds a trial: the tokens of its prompts, or their text where no tokenizer is known.
    pub fn add(&mut self, trial: usize, prompts: &[Vec<u32>], text: &str) {
        let (paths, lengths): (Vec<_>, Vec<_>) = match prompts {
            [] => (vec![path(text.as_bytes().chunks_exact(BLOCK_BYTES))], vec![0]),
            prompts => prompts.iter().map(|prompt| (path(prompt.chunks_exact(BLOCK)), prompt.len())).unzip(),
        };
        let mut cached = 0;
        for (path, length) in paths.iter().zip(lengths) {
            let known = path.iter().take_while(|node| self.nodes.contains_key(node)).count();
            // The last token of a prompt is always computed.
            cached += known.min(length.saturating_sub(1) / BLOCK) * BLOCK;
            for &node in path {
                let node = self.nodes.entry(node).or_insert(Node { trials: 0, last: trial });
                if node.trials == 0 || node.last != trial {
                    (node.trials, node.last) = (node.trials + 1, trial);
                }
            }
        }
        self.cached.insert(trial, cached);
        self.paths.insert(trial, paths);
    }

    /// Adds a trial with the prompts of another.
    pub fn add_same(&mut self, trial: usize, first: usize) {
        let paths = self.paths.get(&first).cloned().unwrap_or_default();
        self.paths.insert(trial, paths);
        self.cached.insert(trial, self.cached.get(&first).copied().unwrap_or(0));
    }

    /// Returns what `trials` trials share.
    pub fn found(self, trials: usize) -> SharedPrefixes {
        let mut all = IndexSet::new();
        let mut of_trial = Vec::with_capacity(trials);
        for trial in 0..trials {
            let paths = self.paths.get(&trial).map_or(&[][..], Vec::as_slice);
            let mut own: Vec<usize> =
                paths.iter().flat_map(|path| self.shared(path)).map(|end| all.insert_full(end).0).collect();
            own.sort_unstable();
            own.dedup();
            of_trial.push(own);
        }
        let cached = (0..trials).map(|trial| self.cached.get(&trial).copied().unwrap_or(0)).collect();
        SharedPrefixes { count: all.len(), of_trial, cached }
    }

    /// Returns the last blocks of the shared prefixes of a prompt.
    fn shared(&self, path: &[u64]) -> Vec<u64> {
        let trials = |at: usize| path.get(at).map_or(0, |node| self.nodes[node].trials);
        let (mut ends, mut before) = (Vec::new(), 0);
        for length in 1..=path.len() {
            // Trials only become fewer along a prompt, and a prefix is as long as its trials go together.
            if trials(length - 1) > 1 && trials(length) != trials(length - 1) && length - before >= LEAST {
                ends.push(path[length - 1]);
                before = length;
            }
        }
        ends
    }
}

/// Returns for each block a hash of it and all before it.
fn path<'a, T: Hash + 'a>(blocks: impl Iterator<Item = &'a [T]>) -> Vec<u64> {
    let mut hash = DefaultHasher::new();
    let each = blocks.map(|block| {
        block.hash(&mut hash);
        hash.finish()
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A prompt of whole blocks, each named by a number.
    pub fn prompt(blocks: &[u32]) -> Vec<u32> {
        blocks.iter().flat_map(|&block| std::iter::repeat_n(block, BLOCK)).collect()
    }

    fn found(trials: &[&[u32]]) -> SharedPrefixes {
        let mut finder = PrefixFinder::default();
        trials.iter().enumerate().for_each(|(trial, blocks)| finder.add(trial, &[prompt(blocks)], ""));
        finder.found(trials.len())
    }

    #[test]
    fn prefixes_of_two_blocks_and_more_are_found_within_each_other() {
        // Two stories after common instructions, the first with a question in two orders.
        let shared = found(&[&[1, 2, 3, 4, 5, 6, 7], &[1, 2, 3, 4, 5, 6, 8], &[1, 2, 3, 4, 9], &[1, 2, 5, 5], &[4]]);
        assert_eq!(shared.of_trial, [vec![0, 1, 2], vec![0, 1, 2], vec![0, 1], vec![0], vec![]]);
        assert_eq!(shared.count, 3);
        // The first of each has nothing to find.
        assert_eq!(shared.cached, [0, 6 * BLOCK, 4 * BLOCK, 2 * BLOCK, 0]);
    }

    #[test]
    fn one_block_is_not_waited_for() {
        let shared = found(&[&[1, 2, 3, 4], &[1, 2, 3, 5], &[1, 2, 6, 7], &[8, 1], &[8, 2]]);
        // The third block of the first two is one more than what all three share.
        assert_eq!(shared.of_trial, [vec![0], vec![0], vec![0], vec![], vec![]]);
        assert_eq!(shared.cached, [0, 3 * BLOCK, 2 * BLOCK, 0, BLOCK]);
    }

    #[test]
    fn the_same_prompt_is_found_but_for_its_last_token() {
        assert_eq!(found(&[&[1, 2, 3], &[1, 2, 3]]).cached, [0, 2 * BLOCK]);
        // Options of one trial are no other trial.
        let mut finder = PrefixFinder::default();
        finder.add(0, &[prompt(&[1, 2, 3]), prompt(&[1, 2, 4])], "");
        finder.add_same(1, 0);
        let shared = finder.found(3);
        assert_eq!(
            shared,
            SharedPrefixes { count: 0, of_trial: vec![vec![]; 3], cached: vec![2 * BLOCK, 2 * BLOCK, 0] }
        );
    }

    #[test]
    fn texts_are_compared_where_tokens_are_not_known() {
        let story = "Anna puts the ball into the basket. ".repeat(8);
        let mut finder = PrefixFinder::default();
        for (trial, question) in ["Where is it?", "Where does Ben look?"].iter().enumerate() {
            finder.add(trial, &[], &format!("{story}{question}"));
        }
        let shared = finder.found(2);
        assert_eq!((shared.of_trial, shared.cached), (vec![vec![0]; 2], vec![0; 2]));
    }
}
