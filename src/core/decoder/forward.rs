//! The forward pass: one skeleton for all families, on any arithmetic.
//!
//! Shapes: T tokens of the pass, R requested rows, D residual width, Q and K total widths of the query and of the key
//! heads, F feed-forward width, V vocabulary.

use std::time::{Duration, Instant};

use candle_core::{DType, Device, Tensor};

use super::DecoderError;
use super::ablation::Ablation;
use super::biases::Biases;
use super::layers::Model;
use super::ops::{AttentionInput, Columns, Heads, Ops, add_block};
use super::pass::{Layout, Pass};
use super::readings::{PassOutput, Readings};
use super::rotary::Angles;
use super::spec::DecoderSpec;

/// Keys and values that remain in the cache after a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Keys and values of every layer.
    Everything,
    /// Nothing: the keys and values of a layer are dropped before the next layer is computed. All layers use the first
    /// layer's cache.
    Nothing,
}

impl<O: Ops> Model<O> {
    /// Runs a pass and returns the final hidden states of the requested rows `(R, D)` in f32, and any requested
    /// attention rows. Keys and values of the pass are appended to `cache`, one entry per layer, and kept as `keep`
    /// says. Parts that are `off` add nothing.
    pub fn forward(
        &self,
        cache: &mut [O::LayerCache],
        pass: &Pass,
        layout: &Layout,
        keep: Keep,
        off: &Ablation,
    ) -> Result<PassOutput, DecoderError> {
        let (ops, spec) = (&self.ops, &self.spec);
        let mut readings = Readings::begin(self, pass, layout)?;
        let (heads, projected) = (self.heads(), self.projected_heads());
        let angles = |rotary| ops.angles(Angles::at(rotary, &layout.positions, &layout.stages));
        let angles = spec.rotaries.iter().map(angles);
        let angles = angles.collect::<Result<Vec<_>, DecoderError>>()?;
        let plans = AttentionPlans::new(ops, spec, layout, &heads)?;

        let mut attending = Duration::ZERO;
        let mut x = ops.embed(&self.embedding, &pass.tokens, spec.embedding_scale)?; // (T, D), the residual stream
        readings.embedded(&x)?;
        let biases = match &spec.linear_biases {
            None => None,
            Some(slopes) => Some(Biases::new(ops, &x, slopes, &layout.positions, &heads)?),
        };
        let query_factors = spec.log_scaled_beyond.and_then(|context| log_factors(context, &layout.positions));
        for (number, layer) in self.layers.iter().enumerate() {
            let attention = spec.attention[number];
            let cache = match keep {
                Keep::Everything => &mut cache[number],
                Keep::Nothing => &mut cache[0],
            };

            let before = layer.before_attention.as_ref();
            let mut qkv = layer.query_key_value.of(ops, &x, before, &projected)?; // (T, Q + K + K)
            if let Some(norm) = &layer.query_norm {
                ops.norm_columns(&mut qkv, projected.queries(), self.norm_width(projected.queries().len()), norm)?;
            }
            if let Some(norm) = &layer.key_norm {
                ops.norm_columns(&mut qkv, projected.keys(), self.norm_width(projected.keys().len()), norm)?;
            }
            if let Some(rotary) = attention.rotary {
                ops.rotate(&mut qkv, &angles[rotary], spec.rotaries[rotary].pairing, &projected)?;
            }
            if let Some(factors) = &query_factors {
                ops.scale_columns(&mut qkv, projected.queries(), factors)?;
            }
            if let Some(biases) = &biases {
                qkv = biases.widen(ops, &qkv, &projected, &heads)?;
            }
            ops.store(cache, &qkv, &heads)?;
            let started = Instant::now();
            let input = AttentionInput { qkv: &qkv, cache: &*cache, heads: &heads };
            let mut mixed = ops.attend(&input, plans.of(attention.window))?; // (T, Q)
            attending += started.elapsed();
            readings.attended(number, &input)?;
            if keep == Keep::Nothing {
                ops.clear(cache);
            }
            drop(qkv);
            let mut rows = pass.tokens.len();
            if number + 1 == spec.layers {
                // After the last attention only the requested rows are needed.
                rows = pass.rows.len();
                if rows == 0 {
                    break;
                }
                mixed = ops.select(&mixed, &pass.rows)?; // (R, Q)
                x = ops.select(&x, &pass.rows)?; // (R, D)
                readings.narrowed();
            }
            mixed = without_padding(ops, mixed, &heads)?;
            for head in off.heads_of(number) {
                let columns = head * heads.value_dim..(head + 1) * heads.value_dim;
                ops.scale_columns(&mut mixed, columns, &vec![0.0; rows])?;
            }
            let (scale, silent) = (spec.residual_scale, off.silences(number));
            if !silent {
                add_block(ops, &mut x, &mixed, &layer.output, layer.after_attention.as_ref(), scale)?;
            }
            readings.mixed(number, &x, &mixed, silent)?;
            ops.feed_forward(&mut x, &layer.feed_forward, spec.activation, scale)?;
            readings.layer_done(number, &x)?;
        }
        let hidden = match pass.rows.is_empty() {
            true => Tensor::zeros((0, spec.hidden), DType::F32, &Device::Cpu)?,
            false => self.read(&x)?,
        };
        Ok(PassOutput { attending, ..readings.output(hidden) })
    }
}

/// Attention outputs without the columns that pad values to the size of keys.
fn without_padding<O: Ops>(ops: &O, mixed: O::Rows, heads: &Heads) -> Result<O::Rows, DecoderError> {
    if heads.value_dim == heads.head_dim {
        return Ok(mixed);
    }
    let of_head = |head| head * heads.head_dim..head * heads.head_dim + heads.value_dim;
    let columns: Vec<Columns> = (0..heads.heads).map(|head| Columns::Of(0, of_head(head))).collect();
    ops.columns(&[&mixed], &columns)
}

/// Factors on queries at these positions: beyond `context` tokens, the logarithm of the position, counted from 1, to
/// base `context`. `None` if all are 1.
fn log_factors(context: usize, positions: &[usize]) -> Option<Vec<f32>> {
    let factor = |&position: &usize| (((position + 1) as f64).ln() / (context as f64).ln()).max(1.0) as f32;
    positions.iter().any(|&position| position >= context).then(|| positions.iter().map(factor).collect())
}

/// Attention plans of one pass, one per window in use.
struct AttentionPlans<P> {
    plans: Vec<(Option<usize>, P)>,
}

impl<P> AttentionPlans<P> {
    fn new<O: Ops<AttentionPlan = P>>(
        ops: &O,
        spec: &DecoderSpec,
        layout: &Layout,
        heads: &Heads,
    ) -> Result<AttentionPlans<P>, DecoderError> {
        let mut plans: Vec<(Option<usize>, P)> = Vec::new();
        for attention in &spec.attention {
            if !plans.iter().any(|(window, _)| *window == attention.window) {
                plans.push((attention.window, ops.plan(layout, heads, attention.window)?));
            }
        }
        Ok(AttentionPlans { plans })
    }

    fn of(&self, window: Option<usize>) -> &P {
        let found = self.plans.iter().find(|(known, _)| *known == window);
        &found.expect("a plan was made for every layer's window").1
    }
}
