//! Attention rows returned with the hidden states.

use super::DecoderError;
use super::pass::{Capture, Layout};
use super::rows::RowRanges;

/// The attention rows of one pass.
#[derive(Debug, Clone, PartialEq)]
pub struct CapturedAttention {
    /// Layers of the second index, counted from 0.
    pub layers: Vec<usize>,
    /// Heads of the third index, counted from 0.
    pub heads: Vec<usize>,
    /// One entry per requested query, in that order.
    pub queries: Vec<CapturedQuery>,
}

/// The positions one token attends to.
#[derive(Debug, Clone, PartialEq)]
pub struct CapturedQuery {
    /// The pass token.
    pub token: usize,
    /// Number of positions on its path: its depth + 1. The last one is the token itself.
    pub keys: usize,
    /// Attention probabilities, `(layers, heads, keys)` in path order; each row sums to one.
    pub weights: Vec<f32>,
    /// `|a_ij W_o v_j|` with the same shape, if requested.
    pub value_norms: Option<Vec<f32>>,
}

impl CapturedQuery {
    /// Attention probabilities of the `layer`-th captured layer and `head`-th captured head of `heads`.
    pub fn row(&self, layer: usize, head: usize, heads: usize) -> &[f32] {
        let row = layer * heads + head;
        &self.weights[row * self.keys..(row + 1) * self.keys]
    }
}

/// A query whose attention rows of one layer are requested.
#[derive(Debug)]
pub struct LayerQuery<'a> {
    /// The pass token.
    pub token: usize,
    /// Cache rows of its path in depth order, its own last.
    pub path: RowRanges,
    /// Number of its first rows that lie before the layer's window.
    pub unseen: usize,
    /// The requested heads, counted from 0.
    pub heads: &'a [usize],
    /// Positions of the layer in the result.
    places: Vec<usize>,
    answer: &'a mut CapturedQuery,
}

impl LayerQuery<'_> {
    /// Length of the path.
    pub fn keys(&self) -> usize {
        self.answer.keys
    }

    /// Stores the row of the `number`-th requested head.
    pub fn write(&mut self, number: usize, weights: &[f32], norms: Option<&[f32]>) {
        let (query, heads) = (&mut *self.answer, self.heads.len());
        for place in &self.places {
            let row = (place * heads + number) * query.keys..(place * heads + number + 1) * query.keys;
            query.weights[row.clone()].copy_from_slice(weights);
            if let (Some(all), Some(norms)) = (&mut query.value_norms, norms) {
                all[row].copy_from_slice(norms);
            }
        }
    }
}

/// A checked request and the result computed so far.
#[derive(Debug)]
pub struct OngoingCapture {
    pub answer: CapturedAttention,
    pub value_norms: bool,
}

impl OngoingCapture {
    /// Checks a request against the model and the pass.
    pub fn begin(
        capture: &Capture,
        layers: usize,
        heads: usize,
        positions: &[usize],
    ) -> Result<OngoingCapture, DecoderError> {
        let chosen = |asked: &Option<Vec<usize>>, count: usize, what: &str| match asked {
            None => Ok((0..count).collect()),
            Some(numbers) => match numbers.iter().find(|&&number| number >= count) {
                Some(number) => {
                    Err(DecoderError::Pass(format!("{what} {number} was requested, but the model has {count}")))
                }
                None => Ok(numbers.clone()),
            },
        };
        let layers: Vec<usize> = chosen(&capture.layers, layers, "layer")?;
        let heads: Vec<usize> = chosen(&capture.heads, heads, "head")?;
        let queries = capture.queries.iter().map(|&token| {
            let depth = positions.get(token).ok_or_else(|| {
                let tokens = positions.len();
                DecoderError::Pass(format!("attention of token {token} was requested in a pass of {tokens} tokens"))
            })?;
            let keys = depth + 1;
            let size = layers.len() * heads.len() * keys;
            let value_norms = capture.value_norms.then(|| vec![0.0; size]);
            Ok(CapturedQuery { token, keys, weights: vec![0.0; size], value_norms })
        });
        let queries = queries.collect::<Result<Vec<_>, DecoderError>>()?;
        Ok(OngoingCapture { answer: CapturedAttention { layers, heads, queries }, value_norms: capture.value_norms })
    }

    /// The queries whose rows of `layer` are requested; empty if the layer is not.
    pub fn queries(&mut self, layer: usize, layout: &Layout, window: Option<usize>) -> Vec<LayerQuery<'_>> {
        let CapturedAttention { layers, heads, queries } = &mut self.answer;
        let places: Vec<usize> = (0..layers.len()).filter(|&place| layers[place] == layer).collect();
        if places.is_empty() {
            return Vec::new();
        }
        let of_layer = queries.iter_mut().map(|answer| LayerQuery {
            token: answer.token,
            path: layout.branch_of(answer.token).path.slice(0..answer.keys),
            unseen: window.map_or(0, |window| answer.keys.saturating_sub(window)),
            heads,
            places: places.clone(),
            answer,
        });
        of_layer.collect()
    }
}
