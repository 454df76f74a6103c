//! The specification of a model: sizes, and the differences between families as data.

use super::experts::Experts;
use super::latent::Latent;
use super::rotary::{Rotary, Stages};

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
    /// The family as named in configurations, for instance `llama`; does not affect the computation.
    pub family: &'static str,
    /// Number of token ids, including padding entries of the embedding matrix.
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
    /// Sizes of latent attention, if queries, keys and values are projected from latents.
    pub latent: Option<Latent>,
    /// Width of the feed-forward block, in layers without experts.
    pub intermediate: usize,
    /// The experts of some or all layers, if the model is a mixture.
    pub experts: Option<Experts>,
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
    /// Whether the embedding matrix is also the head.
    pub tied_head: bool,
    /// Rotary embeddings in use; layers refer to them by index.
    pub rotaries: Vec<Rotary>,
    /// Window and rotary embedding of each layer.
    pub attention: Vec<LayerAttention>,
    /// Factor on the embedding.
    pub embedding_scale: f32,
    /// Factor on what each block adds to the residual stream.
    pub residual_scale: f32,
    /// One slope per head: a score falls by it for every token of distance (ALiBi, arXiv:2108.12409).
    pub linear_biases: Option<Vec<f32>>,
    /// Queries beyond this many tokens are multiplied by the logarithm of their position to this base (the first Qwen,
    /// arXiv:2309.16609, section 2.3).
    pub log_scaled_beyond: Option<usize>,
    /// Factor on the attention scores before softmax.
    pub score_scale: f32,
    /// Soft cap on the attention scores: `cap * tanh(score / cap)`.
    pub score_cap: Option<f32>,
    /// Factor on the logits.
    pub logit_scale: f32,
    /// Soft cap on the logits.
    pub logit_cap: Option<f32>,
    /// Whether the rows of the head are divided by their Euclidean norms (Baichuan 2, arXiv:2309.10305, section 2.6).
    pub normalised_head: bool,
    /// Number of layers in the files after those of the model that predict further tokens; they are not read.
    pub prediction_layers: usize,
    /// Tensor names and fusing.
    pub naming: Naming,
}

/// Number of columns that linear biases add to a head.
pub(super) const BIAS_COLUMNS: usize = 4;

/// Attention settings that vary by layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerAttention {
    /// A query sees itself and the `window - 1` positions before it; all positions before it if absent.
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

    /// Bytes of KV cache per token on CPU, where keys and values are f32.
    pub fn kv_bytes_per_token(&self) -> usize {
        2 * self.layers * self.kv_heads * self.attention_dim() * size_of::<f32>()
    }

    /// Stages of sequences, if longer ones have other rotary factors (LongRoPE, dynamic NTK): the length of a sequence
    /// determines all of its keys, so that sequences of different stages share none.
    pub fn stages(&self) -> Option<Stages> {
        self.rotaries.iter().find_map(Rotary::stages)
    }

    /// Number of weights, including norms and biases; a tied head counts once.
    pub fn weights(&self) -> usize {
        let attention = self.attention_weights();
        let biases = usize::from(self.qkv_bias) * self.biased_columns()
            + usize::from(self.output_bias) * self.hidden
            + usize::from(self.mlp_bias) * (2 * self.intermediate + self.hidden);
        let block_norms = self.naming.norms.iter().flatten().count() * self.hidden;
        let query_key_norms = match self.query_key_norm {
            QueryKeyNorm::Absent => 0,
            QueryKeyNorm::EachHead => 2 * self.head_dim,
            QueryKeyNorm::WholeProjection => self.query_width() + self.kv_width(),
        };
        let latent_norms = self.latent.map_or(0, |latent| latent.rank + latent.query_rank.unwrap_or(0));
        let tables = self.vocab_size * self.hidden * if self.tied_head { 1 } else { 2 };
        let networks: usize = (0..self.layers).map(|layer| self.network_weights(layer, |experts| experts.count)).sum();
        let in_layer = attention + biases + block_norms + query_key_norms + latent_norms;
        self.layers * in_layer + networks + self.hidden + tables
    }

    /// Multiplications and additions of the matrix products for one token, excluding the head and attention.
    pub fn flops_per_token(&self) -> usize {
        let attention = self.layers * self.attention_weights();
        let networks: usize = (0..self.layers).map(|layer| self.network_weights(layer, |experts| experts.active)).sum();
        2 * (attention + networks)
    }

    /// Width of a head in attention, including the columns for linear biases.
    pub fn attention_dim(&self) -> usize {
        self.head_dim + if self.linear_biases.is_some() { BIAS_COLUMNS } else { 0 }
    }

    /// Columns of a head's values; the rest of a head is padding.
    pub fn value_dim(&self) -> usize {
        self.latent.map_or(self.head_dim, |latent| latent.value)
    }

    /// Number of weights in a layer's attention matrices.
    fn attention_weights(&self) -> usize {
        let output = self.heads * self.value_dim() * self.hidden;
        let Some(Latent { query_rank, rank, rotated, still, value }) = self.latent else {
            return self.hidden * (self.query_width() + 2 * self.kv_width()) + output;
        };
        let queries = self.heads * (rotated + still);
        let query = query_rank.map_or(self.hidden * queries, |width| width * (self.hidden + queries));
        query + self.hidden * (rank + rotated) + rank * self.heads * (still + value) + output
    }

    /// Number of bias elements of the query, key and value products, if they have a bias.
    fn biased_columns(&self) -> usize {
        match self.latent {
            None => self.query_width() + 2 * self.kv_width(),
            Some(latent) => latent.query_rank.unwrap_or(0) + latent.rank + latent.rotated,
        }
    }

    /// Number of weights in all routed experts.
    pub(super) fn expert_weights(&self) -> usize {
        let of_layer = |layer: usize| {
            self.experts_of(layer).map_or(0, |experts| 3 * self.hidden * experts.intermediate * experts.count)
        };
        (0..self.layers).map(of_layer).sum()
    }

    /// The largest feed-forward width of any network.
    pub fn widest_network(&self) -> usize {
        let dense = (0..self.layers).any(|layer| self.experts_of(layer).is_none()).then_some(self.intermediate);
        let shared = |experts: &Experts| experts.shared.map_or(0, |shared| shared.intermediate);
        let mixture = self.experts.as_ref().map(|experts| experts.intermediate.max(shared(experts)));
        dense.max(mixture).unwrap_or(0)
    }

    /// The experts of a layer, if it has any.
    pub fn experts_of(&self, layer: usize) -> Option<&Experts> {
        self.experts.as_ref().filter(|experts| experts.layers.get(layer).copied().unwrap_or(false))
    }

    /// Number of weights in a layer's feed-forward matrices, counting `counted` of its experts.
    fn network_weights(&self, layer: usize, counted: impl Fn(&Experts) -> usize) -> usize {
        let Some(experts) = self.experts_of(layer) else { return 3 * self.hidden * self.intermediate };
        let shared = experts.shared.map_or(0, |shared| 3 * shared.intermediate + usize::from(shared.gated));
        let corrections = usize::from(experts.corrected) * experts.count;
        self.hidden * (experts.count + 3 * experts.intermediate * counted(experts) + shared) + corrections
    }
}

/// Tensor names of a family. Names within a layer stand between `layer`, its number and `.weight` or `.bias`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Naming {
    /// Embedding of tokens.
    pub embedding: &'static str,
    /// Norm behind the last layer.
    pub final_norm: &'static str,
    /// From hidden states to logits.
    pub head: &'static str,
    /// Prefix of the layer's number.
    pub layer: &'static str,
    /// Norms before and after attention, before and after the feed-forward block, if the family has them.
    pub norms: [Option<&'static str>; 4],
    /// Queries, keys and values in one matrix, if the family stores them so.
    pub fused_qkv: Option<&'static str>,
    /// Queries.
    pub query: &'static str,
    /// Keys.
    pub key: &'static str,
    /// Values.
    pub value: &'static str,
    /// From what attention reads back to the residual stream.
    pub output: &'static str,
    /// Gate rows, then up rows, in one matrix, if the family stores them so.
    pub fused_gate_up: Option<&'static str>,
    /// Gate of the feed-forward network.
    pub gate: &'static str,
    /// From the residual stream into the network.
    pub up: &'static str,
    /// From the network back.
    pub down: &'static str,
    /// Norm of queries.
    pub query_norm: &'static str,
    /// Norm of keys.
    pub key_norm: &'static str,
    /// Whether query and key rows of each head are in the pair order of GGUF's `llama` files.
    pub paired_rows: bool,
    /// Names of the matrices of latent attention, in families that have it.
    pub latent: Option<LatentNaming>,
    /// Names of experts, in families that may have them.
    pub experts: Option<ExpertNaming>,
}

/// A family's names for the tensors of experts within a layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpertNaming {
    /// From the residual stream to the scores of experts.
    pub router: &'static str,
    /// Prefix of an expert's number, if each expert has its own tensors; else all experts of a layer are concatenated
    /// in one tensor per product.
    pub numbered: Option<&'static str>,
    /// Gate, up and down of an expert.
    pub products: [&'static str; 3],
    /// Gate, up and down of the shared expert.
    pub shared: [&'static str; 3],
    /// Gate of the whole shared expert.
    pub shared_gate: &'static str,
    /// The corrections to the scores of experts, with suffix.
    pub correction: &'static str,
}

/// A family's names for the tensors of latent attention within a layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatentNaming {
    /// From the residual stream to the latent of queries, its norm, and from there to queries.
    pub query: [&'static str; 3],
    /// From the residual stream to the latent of keys and values, its norm, and from there to keys and values.
    pub key_value: [&'static str; 3],
    /// Keys and values of all heads from the latent in separate tensors, if the family stores them so: keys as
    /// `(heads, rank, columns)`, values as `(heads, columns, rank)`.
    pub apart: Option<[&'static str; 2]>,
}
