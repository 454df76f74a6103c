//! Number formats of weights.

use strum::{IntoStaticStr, VariantArray};

use crate::name::named;

/// Number format of weights. Softmax, norms and log-probabilities are always computed in f32.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Precision {
    /// 32-bit floating point; GGUF blocks are expanded at load.
    F32,
    /// IEEE half precision. On CPU only the weights; activations are f32 there.
    F16,
    /// bfloat16. On CPU only the weights; activations are f32 there.
    BF16,
    /// GGUF blocks, which must come from a GGUF file. On CPU, integer products are used where they are fast, with
    /// activations rounded to 8 bits; this shifts the scores, by amounts that depend on the processor. All other
    /// products, including those for log-probabilities, use the weights dequantized to f32. On other devices blocks are
    /// dequantized for each product; on NVIDIA GPUs to 16 bits, as are activations.
    Quantized,
    /// Weights of any file, rounded to GGUF's 8-bit blocks of 32 at load, then computed with as
    /// [`Precision::Quantized`].
    #[strum(serialize = "q8_0")]
    Q8_0,
    /// Like `Q8_0`, with 4-bit blocks of 32 in the layers and 8-bit blocks in embedding and head.
    #[strum(serialize = "q4_0")]
    Q4_0,
    /// Like `Q8_0`, with 4-bit blocks of 256 in the layers and 8-bit blocks in embedding and head.
    #[strum(serialize = "q4_k")]
    Q4K,
}

impl Precision {
    /// Whether weights are quantised at load.
    pub fn quantises(self) -> bool {
        matches!(self, Precision::Q8_0 | Precision::Q4_0 | Precision::Q4K)
    }

    /// Whether weights are kept in GGUF blocks.
    pub fn is_quantised(self) -> bool {
        self == Precision::Quantized || self.quantises()
    }
}

named!(Precision, "precision");

/// Where the weights of routed experts are during computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum ExpertPlacement {
    /// In memory, like all other weights.
    #[default]
    Loaded,
    /// In their files: an expert is read and converted in each pass that has tokens for it, with identical results. For
    /// models that are larger than memory.
    Mapped,
}

named!(ExpertPlacement, "placement of experts");
