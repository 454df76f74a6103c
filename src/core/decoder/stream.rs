//! Contributions of a model's parts to the residual stream and to the difference of two logits; computed in `parts`.

/// Contributions of the model's parts to the residual stream of one row. Vectors have the width of the stream.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StreamParts {
    /// The embedding, scaled as the model scales it.
    pub embedding: Vec<f32>,
    /// Per layer, per head.
    pub heads: Vec<Vec<Vec<f32>>>,
    /// Per layer, the bias of the output product; zeros if it has none.
    pub biases: Vec<Vec<f32>>,
    /// Per layer, the feed-forward block.
    pub networks: Vec<Vec<f32>>,
    /// The stream after the last layer.
    pub last: Vec<f32>,
}

/// Contributions to the difference of two logits, in nats. They add up to [`Contributions::difference`].
#[derive(Debug, Clone, PartialEq)]
pub struct Contributions {
    /// The first token's logit minus the second's.
    pub difference: f64,
    /// Of the embedding of the token at this position.
    pub embedding: f64,
    /// Per layer and head, indexed `[layer][head]`.
    pub heads: Vec<Vec<f64>>,
    /// Per layer, the bias of the output product.
    pub biases: Vec<f64>,
    /// Per layer, the feed-forward block.
    pub networks: Vec<f64>,
}
