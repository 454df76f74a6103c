//! What a model is made of: sizes, and the differences between families as data.

use super::rotary::Rotary;

/// Sizes and settings of a decoder-only transformer.
///
/// ```text
/// x = embedding[token] * embedding_scale
/// for each layer:  x += residual_scale * after(attention(before(x)))
///                  x += residual_scale * after(mlp(before(x)))
/// logits = cap(head(norm(x)) * logit_scale)
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct DecoderSpec {
    /// The family as configurations name it, for instance `llama`; nothing is computed by it.
    pub family: &'static str,
    /// Number of token ids, with padding entries of the embedding matrix.
    pub vocab_size: usize,
    /// Width of the residual stream.
    pub hidden: usize,
    /// Number of layers.
    pub layers: usize,
    /// Number of query heads.
    pub heads: usize,
    /// Number of key and value heads; divides `heads`.
    pub kv_heads: usize,
    /// Width of one head.
    pub head_dim: usize,
    /// Width of the feed-forward block.
    pub intermediate: usize,
    /// Context length: the longest sequence the model was made for, in tokens.
    pub max_position: usize,
    /// Added to the mean square in every norm.
    pub norm_eps: f32,
    /// Added to every norm weight (1 in Gemma, else 0).
    pub norm_offset: f32,
    /// The non-linearity of the feed-forward block.
    pub activation: Activation,
    /// Norms on queries and keys before the rotation.
    pub query_key_norm: QueryKeyNorm,
    /// Whether the query, key and value products have a bias.
    pub qkv_bias: bool,
    /// Whether the attention output product has a bias.
    pub output_bias: bool,
    /// Whether the feed-forward products have biases.
    pub mlp_bias: bool,
    /// Whether the embedding matrix is the head as well.
    pub tied_head: bool,
    /// Rotary embeddings in use; layers refer to them by index.
    pub rotaries: Vec<Rotary>,
    /// Window and rotary embedding of each layer.
    pub attention: Vec<LayerAttention>,
    /// Factor on the embedding.
    pub embedding_scale: f32,
    /// Factor on what each block adds to the residual stream.
    pub residual_scale: f32,
    /// Factor on the attention scores before softmax.
    pub score_scale: f32,
    /// Soft cap on the attention scores: `cap * tanh(score / cap)`.
    pub score_cap: Option<f32>,
    /// Factor on the logits.
    pub logit_scale: f32,
    /// Soft cap on the logits.
    pub logit_cap: Option<f32>,
    /// Layers in the files behind those of the model, which predict further tokens; they are not read.
    pub prediction_layers: usize,
    /// How the weights are named and which of them are fused.
    pub(crate) naming: Naming,
}

/// What differs from layer to layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerAttention {
    /// A query sees itself and the `window - 1` positions before it; everything before it where absent.
    pub window: Option<usize>,
    /// Index into [`DecoderSpec::rotaries`]; absent in layers without rotation.
    pub rotary: Option<usize>,
}

/// The gate's non-linearity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// `x * sigmoid(x)`.
    Silu,
    /// The tanh form of GELU (Hendrycks and Gimpel 2016, section 2).
    GeluTanh,
}

/// RMS norms on queries and keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryKeyNorm {
    /// None.
    Absent,
    /// Over each head on its own, with one weight for all heads.
    EachHead,
    /// Over the whole projection.
    WholeProjection,
}

impl DecoderSpec {
    /// Width of all query heads together.
    pub fn query_width(&self) -> usize {
        self.heads * self.head_dim
    }

    /// Width of all key (or value) heads together.
    pub fn kv_width(&self) -> usize {
        self.kv_heads * self.head_dim
    }

    /// Bytes that the KV cache holds per token on CPU, where keys and values are f32.
    pub fn kv_bytes_per_token(&self) -> usize {
        2 * self.layers * self.kv_width() * size_of::<f32>()
    }

    /// The original context in tokens, where longer sequences have other rotary factors (LongRoPE): the length of a
    /// sequence decides over all of its keys, so that sequences on the two sides share none.
    pub fn original_context(&self) -> Option<usize> {
        self.rotaries.iter().find_map(Rotary::split)
    }

    /// Number of weights, norms and biases included; a tied head counts once.
    pub fn weights(&self) -> usize {
        let qkv = self.query_width() + 2 * self.kv_width();
        let products = self.hidden * (qkv + self.query_width() + 3 * self.intermediate);
        let biases = usize::from(self.qkv_bias) * qkv
            + usize::from(self.output_bias) * self.hidden
            + usize::from(self.mlp_bias) * (2 * self.intermediate + self.hidden);
        let block_norms = self.naming.norms.iter().flatten().count() * self.hidden;
        let query_key_norms = match self.query_key_norm {
            QueryKeyNorm::Absent => 0,
            QueryKeyNorm::EachHead => 2 * self.head_dim,
            QueryKeyNorm::WholeProjection => self.query_width() + self.kv_width(),
        };
        let tables = self.vocab_size * self.hidden * if self.tied_head { 1 } else { 2 };
        self.layers * (products + biases + block_norms + query_key_norms) + self.hidden + tables
    }

    /// Multiplications and additions of the matrix products for one token, without the head and without attention.
    pub fn flops_per_token(&self) -> usize {
        let qkv = self.query_width() + 2 * self.kv_width();
        2 * self.layers * self.hidden * (qkv + self.query_width() + 3 * self.intermediate)
    }
}

/// How a family names its tensors. Names of a layer stand between `layer`, its number and `.weight` or `.bias`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Naming {
    pub embedding: &'static str,
    pub final_norm: &'static str,
    pub head: &'static str,
    /// What stands before the layer's number.
    pub layer: &'static str,
    /// Norms before and after attention, before and after the feed-forward block, where the family has them.
    pub norms: [Option<&'static str>; 4],
    /// Queries, keys and values in one matrix, where the family stores them so.
    pub fused_qkv: Option<&'static str>,
    pub query: &'static str,
    pub key: &'static str,
    pub value: &'static str,
    pub output: &'static str,
    /// Gate rows, then up rows, in one matrix, where the family stores them so.
    pub fused_gate_up: Option<&'static str>,
    pub gate: &'static str,
    pub up: &'static str,
    pub down: &'static str,
    pub query_norm: &'static str,
    pub key_norm: &'static str,
    /// Whether query and key rows of each head stand in the pair order of GGUF's `llama` files.
    pub paired_rows: bool,
}
