//! The arithmetic a forward is made of. There are two implementations: [`cpu`](super::cpu), fused and threaded loops
//! over slices for the CPU, and [`portable`](super::portable), plain tensor operations for any device and as the
//! reference.

use std::ops::Range;

use candle_core::Tensor;
use candle_core::quantized::QTensor;

use super::DecoderError;
use super::capture::LayerQuery;
use super::pass::Layout;
use super::rotary::{Angles, Pairing};
use super::spec::Activation;
use super::weights::Stack;

/// A weight matrix as read from a file: one row per output, one column per input of its product.
pub(crate) enum Weight {
    /// To be expanded to floating point.
    Dense(Stack),
    /// GGUF blocks, multiplied as they are.
    Blocks(QTensor),
}

/// How queries, keys and values of one token stand side by side, and how scores are formed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heads {
    pub heads: usize,
    pub kv_heads: usize,
    pub head_dim: usize,
    /// Factor on the scores.
    pub scale: f32,
    /// Soft cap on the scores.
    pub cap: Option<f32>,
}

impl Heads {
    /// Columns of all queries in a row of queries, keys and values.
    pub fn queries(&self) -> Range<usize> {
        0..self.heads * self.head_dim
    }

    /// Columns of all keys.
    pub fn keys(&self) -> Range<usize> {
        let start = self.heads * self.head_dim;
        start..start + self.kv_width()
    }

    /// Columns of all values.
    pub fn values(&self) -> Range<usize> {
        let start = self.heads * self.head_dim + self.kv_width();
        start..start + self.kv_width()
    }

    /// Width of all keys (or values) of one token.
    pub fn kv_width(&self) -> usize {
        self.kv_heads * self.head_dim
    }

    /// Query heads that share a key head.
    pub fn group(&self) -> usize {
        self.heads / self.kv_heads
    }
}

/// What attention of one layer reads: the pass's queries, keys and values, and the cache they are stored in.
pub(crate) struct AttentionInput<'a, R, C> {
    pub qkv: &'a R,
    pub cache: &'a C,
    pub heads: &'a Heads,
}

/// The arithmetic of a forward.
///
/// `Rows` are activations `(tokens, width)`. All other types hold weights, or what is prepared once per pass.
pub(crate) trait Ops {
    /// Activations.
    type Rows;
    /// The embedding matrix, and the head where it is tied.
    type Table: Clone;
    /// A matrix product with its bias.
    type Linear;
    /// The matrix that gives the logits.
    type Head;
    /// The weight of a norm.
    type Norm;
    /// Keys and values of one layer.
    type LayerCache;
    /// Where each query looks: a mask, or the pass cut into parts.
    type AttentionPlan;
    /// Rotation angles on the device.
    type Angles;

    // Loading.

    fn table(&self, weight: Weight, width: usize) -> Result<Self::Table, DecoderError>;
    fn linear(&self, weights: Vec<Weight>, inputs: usize, bias: Option<Vec<f32>>)
    -> Result<Self::Linear, DecoderError>;
    fn norm_weight(&self, values: Vec<f32>, eps: f32) -> Result<Self::Norm, DecoderError>;

    // Once per pass.

    fn layer_cache(&self, heads: &Heads) -> Self::LayerCache;
    fn plan(&self, layout: &Layout, heads: &Heads, window: Option<usize>) -> Result<Self::AttentionPlan, DecoderError>;
    fn angles(&self, angles: Angles) -> Result<Self::Angles, DecoderError>;

    // Arithmetic.

    /// Embedding rows of `tokens`, times `scale`.
    fn embed(&self, table: &Self::Table, tokens: &[u32], scale: f32) -> Result<Self::Rows, DecoderError>;
    /// RMS norm of each row.
    fn norm(&self, x: &Self::Rows, norm: &Self::Norm) -> Result<Self::Rows, DecoderError>;
    /// RMS norm of each head, or of all heads together, within `columns`.
    fn norm_columns(
        &self,
        x: &mut Self::Rows,
        columns: Range<usize>,
        width: usize,
        norm: &Self::Norm,
    ) -> Result<(), DecoderError>;
    /// `x W^T + b`, or the same of the rows after a norm.
    fn product(
        &self,
        x: &Self::Rows,
        norm: Option<&Self::Norm>,
        linear: &Self::Linear,
    ) -> Result<Self::Rows, DecoderError>;
    /// `residual += scale * (x W^T + b)`.
    fn add_product(
        &self,
        residual: &mut Self::Rows,
        x: &Self::Rows,
        linear: &Self::Linear,
        scale: f32,
    ) -> Result<(), DecoderError>;
    /// `residual += scale * x`.
    fn add(&self, residual: &mut Self::Rows, x: &Self::Rows, scale: f32) -> Result<(), DecoderError>;
    /// Rotate queries and keys in place.
    fn rotate(
        &self,
        qkv: &mut Self::Rows,
        angles: &Self::Angles,
        pairing: Pairing,
        heads: &Heads,
    ) -> Result<(), DecoderError>;
    /// Append keys and values of the pass to the cache.
    fn store(&self, cache: &mut Self::LayerCache, qkv: &Self::Rows, heads: &Heads) -> Result<(), DecoderError>;
    /// Drop all rows of a cache.
    fn clear(&self, cache: &mut Self::LayerCache);
    /// Attention of every token over its path: `(tokens, heads * head_dim)`.
    fn attend(
        &self,
        input: &AttentionInput<Self::Rows, Self::LayerCache>,
        plan: &Self::AttentionPlan,
    ) -> Result<Self::Rows, DecoderError>;
    /// `residual += scale * block(residual)`. An override gives the results of [`FeedForwardBlock::forward`] up to
    /// rounding.
    fn feed_forward(
        &self,
        residual: &mut Self::Rows,
        block: &FeedForwardBlock<Self>,
        activation: Activation,
        scale: f32,
    ) -> Result<(), DecoderError>
    where
        Self: Sized,
    {
        block.forward(self, residual, activation, scale)
    }
    /// `activation(gate) * up` of rows that hold gate, then up.
    fn gate(&self, gate_up: Self::Rows, activation: Activation) -> Result<Self::Rows, DecoderError>;
    /// The given rows, in that order.
    fn select(&self, x: &Self::Rows, rows: &[usize]) -> Result<Self::Rows, DecoderError>;
    /// Compute the attention rows of some queries, each on its own; their value-weighted norms too where the output
    /// product is given.
    fn capture(
        &self,
        queries: Vec<LayerQuery>,
        input: &AttentionInput<Self::Rows, Self::LayerCache>,
        output: Option<&Self::Linear>,
    ) -> Result<(), DecoderError>;
    /// As an f32 tensor `(rows, width)`.
    fn tensor(&self, x: Self::Rows) -> Result<Tensor, DecoderError>;

    // The head.

    /// A head with weights of its own.
    fn head(&self, weight: Weight, inputs: usize) -> Result<Self::Head, DecoderError>;
    /// The embedding matrix as head.
    fn tied(&self, table: &Self::Table) -> Result<Self::Head, DecoderError>;
    /// `(rows, vocab)` in f32, scaled and capped.
    fn logits(&self, hidden: &Tensor, head: &Self::Head, logits: &Logits) -> Result<Tensor, DecoderError>;
    /// Natural log-probabilities of `(row of hidden, token)`.
    fn log_probs(
        &self,
        hidden: &Tensor,
        head: &Self::Head,
        logits: &Logits,
        targets: &[(usize, u32)],
    ) -> Result<Vec<f32>, DecoderError>;
}

/// A feed-forward network between its norms.
pub(crate) struct FeedForwardBlock<O: Ops> {
    pub before: Option<O::Norm>,
    pub network: FeedForward<O>,
    pub after: Option<O::Norm>,
}

/// The feed-forward network of a layer.
pub(crate) enum FeedForward<O: Ops> {
    /// One gated network for every token.
    Dense(GatedNetwork<O>),
}

/// `down(activation(gate) * up)`.
pub(crate) struct GatedNetwork<O: Ops> {
    /// D to F + F: gate and up in one product.
    pub gate_up: O::Linear,
    /// F to D.
    pub down: O::Linear,
}

impl<O: Ops> FeedForwardBlock<O> {
    /// `residual += scale * after(network(before(residual)))`, one operation after the other.
    pub fn forward(
        &self,
        ops: &O,
        residual: &mut O::Rows,
        activation: Activation,
        scale: f32,
    ) -> Result<(), DecoderError> {
        match &self.network {
            FeedForward::Dense(GatedNetwork { gate_up, down }) => {
                let gate_up = ops.product(residual, self.before.as_ref(), gate_up)?; // (T, F + F)
                let gated = ops.gate(gate_up, activation)?; // (T, F)
                add_block(ops, residual, &gated, down, self.after.as_ref(), scale)
            }
        }
    }
}

/// `residual += scale * after(y W^T + b)`.
pub(crate) fn add_block<O: Ops>(
    ops: &O,
    residual: &mut O::Rows,
    y: &O::Rows,
    linear: &O::Linear,
    after: Option<&O::Norm>,
    scale: f32,
) -> Result<(), DecoderError> {
    match after {
        None => ops.add_product(residual, y, linear, scale),
        Some(norm) => {
            let out = ops.product(y, None, linear)?;
            ops.add(residual, &ops.norm(&out, norm)?, scale)
        }
    }
}

/// From the products of the head to logits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Logits {
    pub scale: f32,
    pub cap: Option<f32>,
}

impl Logits {
    /// A logit from a product.
    #[inline(always)]
    pub fn of(&self, product: f32) -> f32 {
        let logit = product * self.scale;
        self.cap.map_or(logit, |cap| soft_cap(logit, cap))
    }
}

/// `cap * tanh(value / cap)`, by the library function.
#[inline(always)]
pub(crate) fn soft_cap(value: f32, cap: f32) -> f32 {
    cap * (value / cap).tanh()
}
