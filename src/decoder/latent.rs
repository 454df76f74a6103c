//! Sizes of latent attention.

/// Latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1): keys and values are products of one narrow row per token,
/// and only some columns of each head are rotated. Those of the keys are the same for all heads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Latent {
    /// Width of the row that queries are products of; absent where they are products of the residual stream.
    pub query_rank: Option<usize>,
    /// Width of the row that keys and values are products of.
    pub rank: usize,
    /// Rotated columns of a head's queries and keys.
    pub rotated: usize,
    /// Columns of a head's queries and keys that are not rotated.
    pub still: usize,
    /// Columns of a head's values.
    pub value: usize,
}

impl Latent {
    /// Width of a head, as attention works with it: keys and values are padded to the wider of both.
    pub fn head_dim(&self) -> usize {
        (self.rotated + self.still).max(self.value)
    }
}
