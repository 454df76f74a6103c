//! The input of one forward pass: branches of a token trie, packed side by side.

use std::ops::Range;

use super::DecoderError;
use super::rows::RowRanges;

/// One packed forward pass: several branches of a token trie at once.
///
/// ```text
/// cache rows   0 1 2 3 4 5 6 7            stored by earlier passes; cache.rows() = 8
/// pass tokens  0 1 2 | 3 4 | 5            branches 0..3, 3..5, 5..6
/// their rows   8 9 10  11 12 13
/// prefixes     [0..4]  [0..4, 8..11]  [0..2, 4..8]
/// depths       4 5 6   7 8    6
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pass {
    /// Token ids of all branches, concatenated.
    pub tokens: Vec<u32>,
    /// The branches; they tile `tokens` in order.
    pub branches: Vec<Branch>,
    /// Pass tokens whose final hidden states are returned, in that order.
    pub rows: Vec<usize>,
    /// Attention rows to return with them.
    pub capture: Option<Capture>,
    /// Whether to also return the residual stream of the rows after every layer, as the head would read it (the logit
    /// lens; nostalgebraist 2020, "interpreting GPT: the logit lens").
    pub lens: bool,
    /// Whether to also return the residual stream of the rows after every layer as it is, without any norm.
    pub states: bool,
    /// Whether to also return what the embedding, every head and every feed-forward block add to the residual stream of
    /// the rows, separately. Rejected for families that norm the output of attention, where heads do not add up.
    pub parts: bool,
    /// Whether to also return the experts that the rows go to. Comparisons of mixtures in several dtypes need them,
    /// since a rounded router may choose others.
    #[doc(hidden)]
    pub experts: bool,
    /// Lower bound on the stage of its sequences ([`DecoderSpec::stages`](super::DecoderSpec::stages)), which may be
    /// longer than their part in this pass. With 0, the branches decide: each token belongs to the longest sequence
    /// that runs through it.
    pub stage: u8,
}

/// Consecutive pass tokens on one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Its tokens in the pass.
    pub tokens: Range<usize>,
    /// KV-cache rows of all ancestors in depth order. Rows below `cache.rows()` were stored by earlier passes; row
    /// `cache.rows() + i` is token `i` of this pass, in an earlier branch. The position of the branch's first token is
    /// the total length of the prefix.
    pub prefix: RowRanges,
}

/// Which attention rows to return: query tokens x layers x heads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capture {
    /// Pass tokens whose attention is requested.
    pub queries: Vec<usize>,
    /// Layers, counted from 0, in the order of the result; all if absent.
    pub layers: Option<Vec<usize>>,
    /// Heads, counted from 0, in the order of the result; all if absent.
    pub heads: Option<Vec<usize>>,
    /// Also return the value-weighted norms `|a_ij W_o v_j|` of each head (Kobayashi et al. 2020, "Attention is not
    /// only a weight", equation 3).
    pub value_norms: bool,
}

impl Pass {
    /// A single sequence that continues `cached` rows and returns the hidden states of all its tokens.
    pub fn sequence(tokens: &[u32], cached: usize) -> Pass {
        Pass {
            tokens: tokens.to_vec(),
            branches: vec![Branch { tokens: 0..tokens.len(), prefix: RowRanges::first(cached) }],
            rows: (0..tokens.len()).collect(),
            ..Pass::default()
        }
    }
}

/// A checked pass with the position of each branch.
#[derive(Debug)]
pub struct Layout {
    /// The branches in order.
    pub branches: Vec<Placed>,
    /// Depth of each pass token.
    pub positions: Vec<usize>,
    /// Rows in the cache before the pass.
    pub cached: usize,
    /// Length of the longest path.
    pub depth: usize,
    /// The stage of each pass token's sequence; empty if there is only one stage.
    pub stages: Vec<u8>,
}

/// A branch with its path.
#[derive(Debug)]
pub struct Placed {
    /// Its tokens in the pass.
    pub tokens: Range<usize>,
    /// Rows of the whole path in depth order, the branch's own rows last.
    pub path: RowRanges,
    /// Depth of the first token: length of the path without the branch's own rows.
    pub depth: usize,
}

impl Placed {
    /// Length of the path.
    pub fn length(&self) -> usize {
        self.depth + self.tokens.len()
    }
}

impl Layout {
    /// Checks `pass` against a cache of `cached` rows and a vocabulary.
    pub fn check(pass: &Pass, cached: usize, vocab_size: usize) -> Result<Layout, DecoderError> {
        let malformed = |problem: String| Err(DecoderError::Pass(problem));
        let tokens = pass.tokens.len();
        if let Some(token) = pass.tokens.iter().find(|&&token| token as usize >= vocab_size) {
            return malformed(format!("token {token} is outside the vocabulary of {vocab_size}"));
        }
        if let Some(row) = pass.rows.iter().find(|&&row| row >= tokens) {
            return malformed(format!("row {row} is outside the pass of {tokens} tokens"));
        }
        let mut branches = Vec::with_capacity(pass.branches.len());
        let mut positions = Vec::with_capacity(tokens);
        let mut depth_of_pass = 0;
        for (number, branch) in pass.branches.iter().enumerate() {
            if branch.tokens.start != positions.len() || branch.tokens.is_empty() || branch.tokens.end > tokens {
                return malformed(format!(
                    "branch {number} holds tokens {:?}; expected a non-empty range from {} within {tokens}",
                    branch.tokens,
                    positions.len()
                ));
            }
            let own = cached + branch.tokens.start..cached + branch.tokens.end;
            if let Some(range) = branch.prefix.iter().find(|range| range.end > own.start) {
                return malformed(format!(
                    "branch {number} has prefix rows {range:?}, which do not precede its own {own:?}"
                ));
            }
            let mut path = branch.prefix.clone();
            path.push(own);
            let depth = branch.prefix.len();
            positions.extend(depth..depth + branch.tokens.len());
            depth_of_pass = depth_of_pass.max(depth + branch.tokens.len());
            branches.push(Placed { tokens: branch.tokens.clone(), path, depth });
        }
        if positions.len() != tokens {
            return malformed(format!("the branches hold {} of {tokens} tokens", positions.len()));
        }
        Ok(Layout { branches, positions, cached, depth: depth_of_pass, stages: Vec::new() })
    }

    /// Number of pairs of a query and a key it sees.
    pub fn pairs(&self, window: Option<usize>) -> usize {
        self.positions.iter().map(|position| window.unwrap_or(usize::MAX).min(position + 1)).sum()
    }

    /// The branch that holds pass token `token`.
    pub fn branch_of(&self, token: usize) -> &Placed {
        let after = self.branches.partition_point(|branch| branch.tokens.end <= token);
        &self.branches[after]
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)] // prefixes of one range are meant
mod tests {
    use super::*;

    fn branch(tokens: Range<usize>, prefix: &[Range<usize>]) -> Branch {
        Branch { tokens, prefix: prefix.iter().cloned().collect() }
    }

    fn pass(tokens: usize, branches: Vec<Branch>) -> Pass {
        Pass { tokens: vec![1; tokens], branches, rows: vec![0], ..Pass::default() }
    }

    #[test]
    fn depth_is_the_length_of_the_prefix() {
        let branches = vec![branch(0..3, &[0..4]), branch(3..5, &[0..4, 8..11]), branch(5..6, &[0..2, 4..8])];
        let layout = Layout::check(&pass(6, branches), 8, 10).unwrap();
        assert_eq!(layout.positions, [4, 5, 6, 7, 8, 6]);
        assert_eq!(layout.depth, 9);
        assert_eq!(layout.branches[1].path, [0..4, 8..13].into_iter().collect());
        assert_eq!(layout.branches[2].path, [0..2, 4..8, 13..14].into_iter().collect());
        assert_eq!(layout.branch_of(4).tokens, 3..5);
        assert_eq!((layout.pairs(None), layout.pairs(Some(7))), (5 + 6 + 7 + 8 + 9 + 7, 5 + 6 + 7 + 7 + 7 + 7));
    }

    #[test]
    fn contradictions_are_refused() {
        for (tokens, branches) in [
            (3, vec![branch(0..2, &[])]),
            (3, vec![branch(0..2, &[]), branch(1..3, &[])]),
            (2, vec![branch(0..0, &[]), branch(0..2, &[])]),
            (2, vec![branch(0..3, &[])]),
            (2, vec![branch(0..2, &[0..6])]),
            (2, vec![branch(0..1, &[5..7]), branch(1..2, &[])]),
        ] {
            assert!(Layout::check(&pass(tokens, branches.clone()), 5, 10).is_err(), "{branches:?}");
        }
        let mut wrong_token = pass(1, vec![branch(0..1, &[])]);
        wrong_token.tokens[0] = 10;
        assert!(Layout::check(&wrong_token, 0, 10).is_err());
        let mut wrong_row = pass(1, vec![branch(0..1, &[])]);
        wrong_row.rows = vec![1];
        assert!(Layout::check(&wrong_row, 0, 10).is_err());
    }
}
