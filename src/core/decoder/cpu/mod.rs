//! The arithmetic on the CPU: loops over f32 slices, threaded with rayon.
//!
//! Each operation has its own file, with a test that compares it with its plain form in `portable`.
//!
//! - **f32** (`cpu/float/`): on processors with AVX2, weights are packed in panels of 32 outputs; a tile of at most
//!   12 rows is packed in strips of 16 inputs, and its sums stay in registers from the first input to the last,
//!   of 512 or 256 bits with the same bits in them. Embedding and head are also in panels. The feed-forward network takes some rows from its norm to its residual
//!   addition, so that gate and up never leave the cache. On other processors weights are stored transposed and
//!   multiplied by `gemm`.
//! - **16 bits and GGUF blocks** (`cpu/quantized/`) stay in memory unchanged or nearly so. With AVX-512 VNNI, AVX-VNNI
//!   or AVX2, Q4_0 to Q8_0 and Q2_K to Q6_K are multiplied in integers, with activations rounded to 8 bits (32 per
//!   scale) and the same bits on each; a row's product does not depend on the other rows. Elsewhere candle multiplies
//!   Q8_0, Q4_K and Q6_K. Everything else, and any head used for log-probabilities, is dequantized some rows at a time
//!   before the product.
//! - **Attention** (`cpu/attention/`): consecutive queries of a pass form a tile or block, which lists the rows that
//!   any of them sees. With AVX2, many queries use packed panels, and few queries read keys and values in the cache
//!   (`tiles.rs`); other processors use `gemm` (`blocks.rs`).
//! - A forward pass runs on one of the threads that share its work. Activations, keys and values stay in reusable
//!   buffers (`cpu/activations.rs`), so that the system need not clear new pages. Loops outside products carry
//!   `#[multiversion]`: they are named functions, because a closure is compiled only for the build's baseline
//!   instruction set.

use std::ops::Range;

use candle_core::{Device, Tensor};

use super::DecoderError;
use super::capture::LayerQuery;
use super::layers::{Layer, Model};
use super::ops::{AttentionInput, Columns, FeedForward, FeedForwardBlock, GatedNetwork, Heads, Logits, Ops, Weight};
use super::pass::Layout;
use super::precision::Precision;
use super::rotary::{Angles, Pairing};
use super::spec::Activation;

mod activations;
mod attention;
mod cache;
mod capture;
mod ceiling;
mod elementwise;
mod float;
mod gate;
mod head;
mod linear;
mod math;
mod matmul;
mod norm;
mod quantized;
mod rotate;
mod vocabulary;

use activations::Buffers;
pub use activations::Rows;
use attention::AttentionPlan;
pub use cache::LayerCache;
pub use float::float_instructions;
use linear::Linear;
use norm::Norm;
pub use quantized::{block_bytes, integer_instructions, product_path};
use vocabulary::Vocabulary;

/// The CPU.
#[derive(Debug)]
pub struct Cpu {
    /// Format of dense weights; activations, keys and values are always f32.
    precision: Precision,
    /// Pool for activations.
    buffers: Buffers,
    /// Pool for keys and values.
    caches: Buffers,
}

impl Cpu {
    /// A CPU arithmetic that stores dense weights in the given precision.
    pub fn new(precision: Precision) -> Cpu {
        Cpu { precision, buffers: Buffers::default(), caches: Buffers::default() }
    }
}

impl Model<Cpu> {
    /// Whether a row's logits are bit-identical whatever else is in its pass: true if all products and attention use
    /// panels.
    pub fn rows_are_independent(&self) -> bool {
        let of_layer = |layer: &Layer<Cpu>| {
            let attention = layer.query_key_value.products().into_iter().chain([&layer.output]);
            let network = &layer.feed_forward.network;
            let mapped = network.mapped().is_none_or(|expert| {
                expert.network(&self.ops).is_ok_and(|GatedNetwork { gate_up, down }| {
                    gate_up.rows_are_independent() && down.rows_are_independent()
                })
            });
            mapped && attention.chain(network.products()).all(Linear::rows_are_independent)
        };
        float::Floats::detect().is_some() && self.layers.iter().all(of_layer) && self.head.rows_are_independent()
    }
}

impl Ops for Cpu {
    type Rows = Rows;
    type Table = Vocabulary;
    type Linear = Linear;
    type Head = Vocabulary;
    type Norm = Norm;
    type LayerCache = LayerCache;
    type AttentionPlan = AttentionPlan;
    type Angles = Angles;

    fn table(&self, weight: Weight, width: usize) -> Result<Vocabulary, DecoderError> {
        Vocabulary::new(weight, width, self.precision)
    }

    fn linear(&self, weights: Vec<Weight>, inputs: usize, bias: Option<Vec<f32>>) -> Result<Linear, DecoderError> {
        Linear::new(weights, inputs, bias, self.precision)
    }

    fn norm_weight(&self, weight: Vec<f32>, eps: f32) -> Result<Norm, DecoderError> {
        Ok(Norm { weight, eps })
    }

    fn layer_cache(&self, heads: &Heads) -> LayerCache {
        LayerCache::new(heads.kv_width(), &self.caches)
    }

    fn plan(&self, layout: &Layout, heads: &Heads, window: Option<usize>) -> Result<AttentionPlan, DecoderError> {
        Ok(AttentionPlan::new(layout, heads, window))
    }

    fn angles(&self, angles: Angles) -> Result<Angles, DecoderError> {
        Ok(angles)
    }

    fn embed(&self, table: &Vocabulary, tokens: &[u32], scale: f32) -> Result<Rows, DecoderError> {
        elementwise::embed(table, tokens, scale, &self.buffers)
    }

    fn norm(&self, x: &Rows, norm: &Norm) -> Result<Rows, DecoderError> {
        Ok(norm.rows(x))
    }

    fn norm_columns(&self, x: &mut Rows, columns: Range<usize>, width: usize, norm: &Norm) -> Result<(), DecoderError> {
        norm.columns(x, columns, width);
        Ok(())
    }

    fn product(&self, x: &Rows, norm: Option<&Norm>, linear: &Linear) -> Result<Rows, DecoderError> {
        linear.product(x, norm)
    }

    fn feed_forward(
        &self,
        x: &mut Rows,
        block: &FeedForwardBlock<Cpu>,
        activation: Activation,
        scale: f32,
    ) -> Result<(), DecoderError> {
        if let FeedForward::Dense(GatedNetwork { gate_up, down }) = &block.network
            && let (Some(gate_up), Some(down), None) = (gate_up.panels(), down.panels(), &block.after)
            && float::feed_forward(x, block.before.as_ref(), gate_up, activation, down, scale)
        {
            return Ok(());
        }
        block.forward(self, x, activation, scale)
    }

    fn add_product(&self, residual: &mut Rows, x: &Rows, linear: &Linear, scale: f32) -> Result<(), DecoderError> {
        linear.add_product(residual, x, scale)
    }

    fn add(&self, residual: &mut Rows, x: &Rows, scale: f32) -> Result<(), DecoderError> {
        elementwise::add(residual, x, scale);
        Ok(())
    }

    fn rotate(&self, qkv: &mut Rows, angles: &Angles, pairing: Pairing, heads: &Heads) -> Result<(), DecoderError> {
        rotate::rotate(qkv, angles, pairing, heads);
        Ok(())
    }

    fn store(&self, cache: &mut LayerCache, qkv: &Rows, heads: &Heads) -> Result<(), DecoderError> {
        cache.store(qkv, heads);
        Ok(())
    }

    fn clear(&self, cache: &mut LayerCache) {
        cache.truncate(0);
    }

    fn attend(&self, input: &AttentionInput<Rows, LayerCache>, plan: &AttentionPlan) -> Result<Rows, DecoderError> {
        Ok(plan.attend(input))
    }

    fn gate(&self, gate_up: Rows, activation: Activation) -> Result<Rows, DecoderError> {
        Ok(gate::gate(gate_up, activation))
    }

    fn add_rows(&self, onto: &mut Rows, x: &Rows, rows: &[usize], weights: &[f32]) -> Result<(), DecoderError> {
        elementwise::add_rows(onto, x, rows, weights);
        Ok(())
    }

    fn copy(&self, x: &Rows) -> Result<Rows, DecoderError> {
        let rows: Vec<usize> = (0..x.len()).collect();
        Ok(elementwise::select(x, &rows))
    }

    fn zeros_like(&self, x: &Rows) -> Result<Rows, DecoderError> {
        let mut zeros = x.beside(x.len(), x.width);
        zeros.values.fill(0.0);
        Ok(zeros)
    }

    fn values(&self, x: &Rows) -> Result<Vec<f32>, DecoderError> {
        Ok((0..x.len()).flat_map(|row| x.row(row)).copied().collect())
    }

    fn rows(&self, like: &Rows, values: Vec<f32>, width: usize) -> Result<Rows, DecoderError> {
        let mut rows = like.beside(values.len() / width.max(1), width);
        rows.values.copy_from_slice(&values);
        Ok(rows)
    }

    fn scale_columns(&self, x: &mut Rows, columns: Range<usize>, factors: &[f32]) -> Result<(), DecoderError> {
        elementwise::scale_columns(x, columns, factors);
        Ok(())
    }

    fn columns(&self, x: &[&Rows], columns: &[Columns]) -> Result<Rows, DecoderError> {
        Ok(elementwise::columns(x, columns))
    }

    fn select(&self, x: &Rows, rows: &[usize]) -> Result<Rows, DecoderError> {
        Ok(elementwise::select(x, rows))
    }

    fn capture(
        &self,
        queries: Vec<LayerQuery>,
        input: &AttentionInput<Rows, LayerCache>,
        output: Option<&Linear>,
    ) -> Result<(), DecoderError> {
        capture::capture(queries, input, output)
    }

    fn tensor(&self, x: Rows) -> Result<Tensor, DecoderError> {
        let shape = (x.len(), x.width);
        Ok(Tensor::from_vec(x.into_values(), shape, &Device::Cpu)?)
    }

    fn head(&self, weight: Weight, inputs: usize) -> Result<Vocabulary, DecoderError> {
        Vocabulary::new(weight, inputs, self.precision)
    }

    fn tied(&self, table: &Vocabulary) -> Result<Vocabulary, DecoderError> {
        Ok(table.clone())
    }

    fn head_row(&self, head: &Vocabulary, token: u32) -> Result<Vec<f32>, DecoderError> {
        let mut row = vec![0.0; head.width()];
        head.token(token as usize, &mut row)?;
        Ok(row)
    }

    fn logits(&self, hidden: &Tensor, head: &Vocabulary, logits: &Logits) -> Result<Tensor, DecoderError> {
        head::logits(hidden, head, logits)
    }

    fn log_probs(
        &self,
        hidden: &Tensor,
        head: &Vocabulary,
        logits: &Logits,
        targets: &[(usize, u32)],
    ) -> Result<Vec<f32>, DecoderError> {
        head::log_probs(hidden, head, logits, targets)
    }
}
