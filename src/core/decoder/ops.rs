//! The arithmetic of a forward pass. There are two implementations: [`cpu`](super::cpu), fused and threaded loops over
//! slices for the CPU, and [`portable`](super::portable), plain tensor operations for any device and as the reference.

use std::ops::Range;

use candle_core::Tensor;
use candle_core::quantized::QTensor;

use super::DecoderError;
use super::capture::LayerQuery;
use super::experts::{Experts, Share};
use super::pass::Layout;
use super::rotary::{Angles, Pairing};
use super::spec::Activation;
use super::weights::Stack;

/// A weight matrix as read from a file: one row per output, one column per input of its product.
pub enum Weight {
    /// To be expanded to floating point.
    Dense(Stack),
    /// GGUF blocks, multiplied without expansion.
    Blocks(QTensor),
}

/// Layout of one token's queries, keys and values side by side, and scoring parameters.
#[derive(Debug, Clone, Copy)]
pub struct Heads {
    pub heads: usize,
    pub kv_heads: usize,
    pub head_dim: usize,
    /// Columns of a head's values; the remaining columns are zero.
    pub value_dim: usize,
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

/// Source of columns of new activations.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Columns {
    /// A range of columns of the input with this number.
    Of(usize, Range<usize>),
    /// A number of zero columns.
    Zeros(usize),
}

impl Columns {
    /// Number of columns.
    pub fn width(&self) -> usize {
        match self {
            Columns::Of(_, range) => range.len(),
            Columns::Zeros(width) => *width,
        }
    }
}

/// Inputs of one layer's attention: the pass's queries, keys and values, and the cache they are stored in.
pub struct AttentionInput<'a, R, C> {
    pub qkv: &'a R,
    pub cache: &'a C,
    pub heads: &'a Heads,
}

/// The arithmetic of a forward pass.
///
/// `Rows` are activations `(tokens, width)`. All other types hold weights, or data prepared once per pass.
pub trait Ops {
    /// Activations.
    type Rows;
    /// The embedding matrix, and the head if tied.
    type Table: Clone;
    /// A matrix product with its bias.
    type Linear;
    /// The matrix that produces the logits.
    type Head;
    /// The weight of a norm.
    type Norm;
    /// Keys and values of one layer.
    type LayerCache;
    /// The keys each query sees: a mask, or the pass cut into parts.
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
    /// `x W^T + b`, of the rows after the norm if one is given.
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
    /// Rotates queries and keys in place.
    fn rotate(
        &self,
        qkv: &mut Self::Rows,
        angles: &Self::Angles,
        pairing: Pairing,
        heads: &Heads,
    ) -> Result<(), DecoderError>;
    /// Appends the keys and values of the pass to the cache.
    fn store(&self, cache: &mut Self::LayerCache, qkv: &Self::Rows, heads: &Heads) -> Result<(), DecoderError>;
    /// Drops all rows of a cache.
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
    /// `activation(gate) * up`, where each row holds gate, then up.
    fn gate(&self, gate_up: Self::Rows, activation: Activation) -> Result<Self::Rows, DecoderError>;
    /// `onto[rows[i]] += weights[i] * x[i]`; `rows` has no duplicates.
    fn add_rows(
        &self,
        onto: &mut Self::Rows,
        x: &Self::Rows,
        rows: &[usize],
        weights: &[f32],
    ) -> Result<(), DecoderError>;
    /// `onto[rows[i]] += scale * weights[i] * network(x[rows])[i]` for each share in turn. An override gives the same
    /// up to rounding.
    fn add_shares(
        &self,
        onto: &mut Self::Rows,
        x: &Self::Rows,
        shares: Vec<Share>,
        scale: f32,
        network: &ExpertNetwork<Self>,
    ) -> Result<(), DecoderError>
    where
        Self: Sized,
    {
        for Share { expert, rows, mut weights } in shares {
            let y = network(expert, &self.select(x, &rows)?)?;
            weights.iter_mut().for_each(|weight| *weight *= scale);
            self.add_rows(onto, &y, &rows, &weights)?;
        }
        Ok(())
    }
    /// A copy.
    fn copy(&self, x: &Self::Rows) -> Result<Self::Rows, DecoderError>;
    /// Zeros of the same shape.
    fn zeros_like(&self, x: &Self::Rows) -> Result<Self::Rows, DecoderError>;
    /// All values, row by row.
    fn values(&self, x: &Self::Rows) -> Result<Vec<f32>, DecoderError>;
    /// Activations with these values, row by row; `like` is another activation of the same pass.
    fn rows(&self, like: &Self::Rows, values: Vec<f32>, width: usize) -> Result<Self::Rows, DecoderError>;
    /// `x[i, columns] *= factors[i]`.
    fn scale_columns(&self, x: &mut Self::Rows, columns: Range<usize>, factors: &[f32]) -> Result<(), DecoderError>;
    /// Columns of several activations with the same rows, side by side.
    fn columns(&self, x: &[&Self::Rows], columns: &[Columns]) -> Result<Self::Rows, DecoderError>;
    /// The given rows, in that order.
    fn select(&self, x: &Self::Rows, rows: &[usize]) -> Result<Self::Rows, DecoderError>;
    /// Computes the attention rows of some queries, each separately, and their value-weighted norms if the output
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
    /// The embedding matrix used as head.
    fn tied(&self, table: &Self::Table) -> Result<Self::Head, DecoderError>;
    /// The head's row for a token, in f32.
    fn head_row(&self, head: &Self::Head, token: u32) -> Result<Vec<f32>, DecoderError>;
    /// `(rows, vocab)` in f32, scaled and capped.
    fn logits(&self, hidden: &Tensor, head: &Self::Head, logits: &Logits) -> Result<Tensor, DecoderError>;
    /// Natural log-probabilities of `(row of hidden, token)` pairs.
    fn log_probs(
        &self,
        hidden: &Tensor,
        head: &Self::Head,
        logits: &Logits,
        targets: &[(usize, u32)],
    ) -> Result<Vec<f32>, DecoderError>;
}

/// Output of an expert, given its number, for its tokens.
pub type ExpertNetwork<'a, O> = dyn Fn(usize, &<O as Ops>::Rows) -> Result<<O as Ops>::Rows, DecoderError> + 'a;

/// A feed-forward network between its norms.
pub struct FeedForwardBlock<O: Ops> {
    pub before: Option<O::Norm>,
    pub network: FeedForward<O>,
    pub after: Option<O::Norm>,
}

/// The feed-forward network of a layer.
pub enum FeedForward<O: Ops> {
    /// One gated network for every token.
    Dense(GatedNetwork<O>),
    /// Several networks; a router chooses among them for each token.
    Mixture(Box<Mixture<O>>),
}

/// Experts with their router.
pub struct Mixture<O: Ops> {
    /// Routing of the experts.
    pub experts: Experts,
    /// D to the number of experts.
    pub router: O::Linear,
    /// Corrections added to the scores of experts for the choice but not to their weights; empty if there are none.
    pub correction: Vec<f32>,
    /// The routed experts, in order.
    pub networks: Vec<Expert<O>>,
    /// The expert that every token goes through.
    pub shared: Option<Shared<O>>,
}

/// A network whose weights can be read repeatedly.
pub trait ReadNetwork<O: Ops>: Send + Sync {
    /// Reads the network.
    fn network(&self, ops: &O) -> Result<GatedNetwork<O>, DecoderError>;
}

/// A routed expert.
pub enum Expert<O: Ops> {
    /// In memory.
    Loaded(GatedNetwork<O>),
    /// Read from its file in each pass that uses it.
    Mapped(Box<dyn ReadNetwork<O>>),
}

/// The expert that every token goes through.
pub struct Shared<O: Ops> {
    pub network: GatedNetwork<O>,
    /// D to 1: the sigmoid weighs its output.
    pub gate: Option<O::Linear>,
}

/// `down(activation(gate) * up)`.
pub struct GatedNetwork<O: Ops> {
    /// D to F + F: gate and up in one product.
    pub gate_up: O::Linear,
    /// F to D.
    pub down: O::Linear,
}

impl<O: Ops> FeedForwardBlock<O> {
    /// `residual += scale * after(network(before(residual)))`, one operation at a time.
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
            FeedForward::Mixture(mixture) => {
                let x = self.normed(ops, residual)?; // (T, D)
                match &self.after {
                    None => mixture.add(ops, residual, &x, activation, scale),
                    Some(norm) => {
                        let mut sum = ops.zeros_like(&x)?;
                        mixture.add(ops, &mut sum, &x, activation, 1.0)?;
                        ops.add(residual, &ops.norm(&sum, norm)?, scale)
                    }
                }
            }
        }
    }

    /// The network's input: `before(residual)`.
    fn normed(&self, ops: &O, residual: &O::Rows) -> Result<O::Rows, DecoderError> {
        match &self.before {
            Some(norm) => ops.norm(residual, norm),
            None => ops.copy(residual),
        }
    }

    /// The experts that [`FeedForwardBlock::forward`] routes each row to, ascending; empty for a dense network.
    pub fn choices(&self, ops: &O, residual: &O::Rows, rows: usize) -> Result<Vec<Vec<usize>>, DecoderError> {
        let mut experts = vec![Vec::new(); rows];
        if let FeedForward::Mixture(mixture) = &self.network {
            for share in mixture.shares(ops, &self.normed(ops, residual)?)? {
                share.rows.iter().for_each(|&row| experts[row].push(share.expert));
            }
        }
        Ok(experts)
    }
}

impl<O: Ops> FeedForward<O> {
    /// An expert that is not in memory, if any; the layer's others have the same shape.
    pub fn mapped(&self) -> Option<&dyn ReadNetwork<O>> {
        let FeedForward::Mixture(mixture) = self else { return None };
        mixture.networks.iter().find_map(|expert| match expert {
            Expert::Mapped(expert) => Some(&**expert),
            Expert::Loaded(_) => None,
        })
    }

    /// All its products that are in memory.
    pub fn products(&self) -> Vec<&O::Linear> {
        fn both<O: Ops>(network: &GatedNetwork<O>) -> [&O::Linear; 2] {
            [&network.gate_up, &network.down]
        }
        match self {
            FeedForward::Dense(network) => both(network).into(),
            FeedForward::Mixture(mixture) => {
                let shared = mixture.shared.iter();
                let loaded = mixture.networks.iter().filter_map(|expert| match expert {
                    Expert::Loaded(network) => Some(network),
                    Expert::Mapped(_) => None,
                });
                let networks = loaded.chain(shared.clone().map(|shared| &shared.network));
                let gates = shared.filter_map(|shared| shared.gate.as_ref());
                std::iter::once(&mixture.router).chain(networks.flat_map(both)).chain(gates).collect()
            }
        }
    }
}

impl<O: Ops> GatedNetwork<O> {
    /// `down(activation(gate) * up)` of some rows.
    fn of(&self, ops: &O, x: &O::Rows, activation: Activation) -> Result<O::Rows, DecoderError> {
        let gated = ops.gate(ops.product(x, None, &self.gate_up)?, activation)?; // (T, F)
        ops.product(&gated, None, &self.down)
    }
}

impl<O: Ops> Mixture<O> {
    /// Assigns rows to experts.
    fn shares(&self, ops: &O, x: &O::Rows) -> Result<Vec<Share>, DecoderError> {
        let products = ops.values(&ops.product(x, None, &self.router)?)?; // (T, experts)
        Ok(self.experts.route(&products, &self.correction))
    }

    /// `onto += scale * mixture(x)`. Each expert computes all its tokens at once; experts without tokens are skipped.
    fn add(
        &self,
        ops: &O,
        onto: &mut O::Rows,
        x: &O::Rows,
        activation: Activation,
        scale: f32,
    ) -> Result<(), DecoderError> {
        let shares = self.shares(ops, x)?;
        let network = |expert: usize, tokens: &O::Rows| match &self.networks[expert] {
            Expert::Loaded(network) => network.of(ops, tokens, activation),
            Expert::Mapped(expert) => expert.network(ops)?.of(ops, tokens, activation),
        };
        ops.add_shares(onto, x, shares, scale, &network)?;
        let Some(Shared { network, gate }) = &self.shared else { return Ok(()) };
        let y = network.of(ops, x, activation)?;
        match gate {
            None => ops.add(onto, &y, scale),
            Some(gate) => {
                let weigh = |product: &f32| scale / (1.0 + (-product).exp());
                let weights: Vec<f32> = ops.values(&ops.product(x, None, gate)?)?.iter().map(weigh).collect();
                let rows: Vec<usize> = (0..weights.len()).collect();
                ops.add_rows(onto, &y, &rows, &weights)
            }
        }
    }
}

/// `residual += scale * after(y W^T + b)`.
pub fn add_block<O: Ops>(
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

/// Transformation of the head's products to logits.
#[derive(Debug, Clone, Copy)]
pub struct Logits {
    pub scale: f32,
    pub cap: Option<f32>,
}

impl Logits {
    /// The logit for a product.
    #[inline(always)]
    pub fn of(&self, product: f32) -> f32 {
        let logit = product * self.scale;
        self.cap.map_or(logit, |cap| soft_cap(logit, cap))
    }
}

/// `cap * tanh(value / cap)`, by the library function.
#[inline(always)]
pub fn soft_cap(value: f32, cap: f32) -> f32 {
    cap * (value / cap).tanh()
}
