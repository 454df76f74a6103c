//! Linear biases (ALiBi, Press et al. 2022, arXiv:2108.12409) as columns of queries and keys: the penalty on a score
//! for its key's distance is, up to a constant that softmax ignores, a product of the head's slope and the key's
//! position.

use super::DecoderError;
use super::ops::{Columns, Heads, Ops};
use super::spec::BIAS_COLUMNS;

/// Base of the two digits of a position, each exact in 16 bits up to position 65,535.
const DIGIT: usize = 256;

/// Slopes for a number of heads: for a power of two `n` they are `2^(-8/n)`, `2^(-16/n)` and so on; other numbers use
/// the slopes of the power below, then every other one of the power above.
pub fn slopes(heads: usize) -> Vec<f32> {
    let below = 1 << heads.max(1).ilog2();
    let slope = |step: usize, of: usize| 2f64.powf(-8.0 * step as f64 / of as f64) as f32;
    let of_below = (1..=below).map(|step| slope(step, below));
    of_below.chain((0..heads.saturating_sub(below)).map(|head| slope(2 * head + 1, 2 * below))).collect()
}

/// Columns added to those of a pass: the query columns of each head, then the key columns shared by all heads.
pub(super) struct Biases<R> {
    columns: R,
}

impl<R> Biases<R> {
    /// The columns for tokens at these positions.
    pub fn new<O: Ops<Rows = R>>(
        ops: &O,
        like: &R,
        slopes: &[f32],
        positions: &[usize],
        heads: &Heads,
    ) -> Result<Self, DecoderError> {
        let mut of_queries = Vec::with_capacity(BIAS_COLUMNS * slopes.len());
        for slope in slopes {
            let factor = slope / heads.scale;
            // Split in two parts, the first exact in 16 bits.
            let first = half::bf16::from_f32(factor).to_f32();
            let rest = factor - first;
            of_queries.extend([first * DIGIT as f32, first, rest * DIGIT as f32, rest]);
        }
        let mut values = Vec::with_capacity(positions.len() * (of_queries.len() + BIAS_COLUMNS));
        for position in positions {
            let [high, low] = [position / DIGIT, position % DIGIT].map(|digit| digit as f32);
            values.extend_from_slice(&of_queries);
            values.extend([high, low, high, low]);
        }
        Ok(Biases { columns: ops.rows(like, values, of_queries.len() + BIAS_COLUMNS)? })
    }

    /// Queries, keys and values with these columns appended to each head. `own` describes the heads before, `heads`
    /// those after.
    pub fn widen<O: Ops<Rows = R>>(&self, ops: &O, qkv: &R, own: &Heads, heads: &Heads) -> Result<R, DecoderError> {
        let at = |start: usize, head: usize| start + head * own.head_dim..start + (head + 1) * own.head_dim;
        let added = |place: usize| Columns::Of(1, place * BIAS_COLUMNS..(place + 1) * BIAS_COLUMNS);
        let queries = (0..heads.heads).flat_map(|head| [Columns::Of(0, at(0, head)), added(head)]);
        let start = own.keys().start;
        let keys = (0..heads.kv_heads).flat_map(|head| [Columns::Of(0, at(start, head)), added(heads.heads)]);
        let start = own.values().start;
        let zeros = Columns::Zeros(BIAS_COLUMNS);
        let values = (0..heads.kv_heads).flat_map(|head| [Columns::Of(0, at(start, head)), zeros.clone()]);
        let columns: Vec<Columns> = queries.chain(keys).chain(values).collect();
        ops.columns(&[qkv, &self.columns], &columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_the_powers_of_two() {
        assert_eq!(slopes(8), [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625]);
        // 4 of four heads, then the first of eight.
        assert_eq!(slopes(5), [0.25, 0.0625, 0.015625, 0.00390625, 0.5]);
        assert_eq!(slopes(40).len(), 40);
    }
}
