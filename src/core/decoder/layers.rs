//! A model's weights on one arithmetic.

use candle_core::Tensor;

use super::DecoderError;
use super::ops::{FeedForwardBlock, Heads, Logits, Ops};
use super::projection::Projection;
use super::spec::{DecoderSpec, QueryKeyNorm};

/// The weights and the arithmetic that computes on them. D: residual width, Q and K: total widths of the query and of
/// the key heads, V: vocabulary.
pub struct Model<O: Ops> {
    pub ops: O,
    pub spec: DecoderSpec,
    /// `(V, D)`.
    pub embedding: O::Table,
    pub layers: Vec<Layer<O>>,
    pub final_norm: O::Norm,
    /// D to V.
    pub head: O::Head,
}

/// The weights of one layer.
pub struct Layer<O: Ops> {
    pub before_attention: Option<O::Norm>,
    /// D to Q + K + K: queries, keys and values.
    pub query_key_value: Projection<O>,
    pub query_norm: Option<O::Norm>,
    pub key_norm: Option<O::Norm>,
    /// Q to D, without the columns that pad values.
    pub output: O::Linear,
    pub after_attention: Option<O::Norm>,
    pub feed_forward: FeedForwardBlock<O>,
}

impl<O: Ops> Model<O> {
    /// Some rows of the residual stream after the final norm, as the head reads them.
    pub(super) fn read(&self, x: &O::Rows) -> Result<Tensor, DecoderError> {
        self.ops.tensor(self.ops.norm(x, &self.final_norm)?)
    }

    /// Head sizes for attention.
    pub fn heads(&self) -> Heads {
        Heads { head_dim: self.spec.attention_dim(), ..self.projected_heads() }
    }

    /// Head sizes before linear biases are added.
    pub(super) fn projected_heads(&self) -> Heads {
        let spec = &self.spec;
        let (heads, kv_heads, head_dim, value_dim) = (spec.heads, spec.kv_heads, spec.head_dim, spec.value_dim());
        Heads { heads, kv_heads, head_dim, value_dim, scale: spec.score_scale, cap: spec.score_cap }
    }

    /// Transformation of the head's products to logits.
    pub fn logits(&self) -> Logits {
        Logits { scale: self.spec.logit_scale, cap: self.spec.logit_cap }
    }

    /// Width over which a query or key norm takes its mean.
    pub(super) fn norm_width(&self, projection: usize) -> usize {
        match self.spec.query_key_norm {
            QueryKeyNorm::WholeProjection => projection,
            _ => self.spec.head_dim,
        }
    }
}
