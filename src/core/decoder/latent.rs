//! Sizes of latent attention.

/// Latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1): keys and values are projected from one narrow row per
/// token, and only some columns of each head are rotated. The rotated key columns are shared by all heads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Latent {
    /// Width of the latent that queries are projected from; absent if they are projected from the residual stream.
    pub query_rank: Option<usize>,
    /// Width of the latent that keys and values are projected from.
    pub rank: usize,
    /// Rotated columns of a head's queries and keys.
    pub rotated: usize,
    /// Columns of a head's queries and keys that are not rotated.
    pub still: usize,
    /// Columns of a head's values.
    pub value: usize,
}

impl Latent {
    /// Width of a head in attention: keys and values are padded to the wider of the two.
    pub fn head_dim(&self) -> usize {
        (self.rotated + self.still).max(self.value)
    }
}
