//! What parts of a model add to the residual stream, and to the difference of two logits; `parts` finds it.

/// What each part of a model added to the residual stream of one row. Vectors are as wide as the stream.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StreamParts {
    /// The embedding, scaled as the model scales it.
    pub embedding: Vec<f32>,
    /// Of each layer, of each head.
    pub heads: Vec<Vec<Vec<f32>>>,
    /// Of each layer, the bias of the output product; zeros without one.
    pub biases: Vec<Vec<f32>>,
    /// Of each layer, the feed-forward block.
    pub networks: Vec<Vec<f32>>,
    /// The stream after the last layer.
    pub last: Vec<f32>,
}

/// Contributions to the difference of two logits, in nats. They add up to [`Contributions::difference`].
#[derive(Debug, Clone, PartialEq)]
pub struct Contributions {
    /// The first token's logit minus the second's.
    pub difference: f64,
    pub embedding: f64,
    /// Of each head, `(layer, head)`.
    pub heads: Vec<Vec<f64>>,
    /// Of the bias of each layer's output product.
    pub biases: Vec<f64>,
    /// Of each layer's feed-forward block.
    pub networks: Vec<f64>,
}
