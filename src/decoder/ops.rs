//! The arithmetic a forward is made of. There are two implementations: [`cpu`](super::cpu), fused and threaded loops
//! over slices for the CPU, and [`portable`](super::portable), plain tensor operations for any device and as the
//! reference.

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
    /// Columns of a head's values; those behind are zero.
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

/// Columns of new activations.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Columns {
    /// Those in a range of the one with this number.
    Of(usize, Range<usize>),
    /// So many zeros.
    Zeros(usize),
}

impl Columns {
    /// How many.
    pub fn width(&self) -> usize {
        match self {
            Columns::Of(_, range) => range.len(),
            Columns::Zeros(width) => *width,
        }
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
    /// `onto[rows[i]] += weights[i] * x[i]`; no row is named twice.
    fn add_rows(
        &self,
        onto: &mut Self::Rows,
        x: &Self::Rows,
        rows: &[usize],
        weights: &[f32],
    ) -> Result<(), DecoderError>;
    /// `onto[rows[i]] += scale * weights[i] * network(x[rows])[i]` for each share, one after the other. An override gives the
    /// same up to rounding.
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
    /// As many rows of zeros.
    fn zeros_like(&self, x: &Self::Rows) -> Result<Self::Rows, DecoderError>;
    /// All values, row by row.
    fn values(&self, x: &Self::Rows) -> Result<Vec<f32>, DecoderError>;
    /// Activations with these values, row by row; `like` are others of the same pass.
    fn rows(&self, like: &Self::Rows, values: Vec<f32>, width: usize) -> Result<Self::Rows, DecoderError>;
    /// `x[i, columns] *= factors[i]`.
    fn scale_columns(&self, x: &mut Self::Rows, columns: Range<usize>, factors: &[f32]) -> Result<(), DecoderError>;
    /// Columns of several activations with the same rows, side by side.
    fn columns(&self, x: &[&Self::Rows], columns: &[Columns]) -> Result<Self::Rows, DecoderError>;
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
    /// The head's weights of a token, in f32.
    fn head_row(&self, head: &Self::Head, token: u32) -> Result<Vec<f32>, DecoderError>;
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

/// What an expert, by its number, makes of its tokens.
pub(crate) type ExpertNetwork<'a, O> = dyn Fn(usize, &<O as Ops>::Rows) -> Result<<O as Ops>::Rows, DecoderError> + 'a;

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
    /// Several, of which a router chooses for each token.
    Mixture(Box<Mixture<O>>),
}

/// Experts with their router.
pub(crate) struct Mixture<O: Ops> {
    /// How they are chosen.
    pub experts: Experts,
    /// D to the number of experts.
    pub router: O::Linear,
    /// Added to the scores of experts where they are chosen, and not to their weights; empty where nothing is.
    pub correction: Vec<f32>,
    /// The routed experts, in their order.
    pub networks: Vec<Expert<O>>,
    /// The expert of all tokens.
    pub shared: Option<Shared<O>>,
}

/// Weights of a network that can be read again and again.
pub(crate) trait ReadNetwork<O: Ops>: Send + Sync {
    /// The network, read.
    fn network(&self, ops: &O) -> Result<GatedNetwork<O>, DecoderError>;
}

/// A routed expert.
pub(crate) enum Expert<O: Ops> {
    /// In memory.
    Loaded(GatedNetwork<O>),
    /// Read from its file for each pass that it computes.
    Mapped(Box<dyn ReadNetwork<O>>),
}

/// The expert that every token goes through.
pub(crate) struct Shared<O: Ops> {
    pub network: GatedNetwork<O>,
    /// D to 1: the sigmoid weighs its output.
    pub gate: Option<O::Linear>,
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

    /// What the network reads: `before(residual)`.
    fn normed(&self, ops: &O, residual: &O::Rows) -> Result<O::Rows, DecoderError> {
        match &self.before {
            Some(norm) => ops.norm(residual, norm),
            None => ops.copy(residual),
        }
    }

    /// The experts that [`FeedForwardBlock::forward`] sends each row to, ascending; none where there is one dense network.
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
    /// An expert that is not in memory, where there is any; the others of the layer are of its kind.
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
    /// Which experts compute which rows.
    fn shares(&self, ops: &O, x: &O::Rows) -> Result<Vec<Share>, DecoderError> {
        let products = ops.values(&ops.product(x, None, &self.router)?)?; // (T, experts)
        Ok(self.experts.route(&products, &self.correction))
    }

    /// `onto += scale * mixture(x)`. Each expert computes its tokens in one go; one without tokens is not touched.
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
