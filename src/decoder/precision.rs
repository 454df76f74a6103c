//! The number formats in which weights are kept.

use strum::{IntoStaticStr, VariantArray};

use crate::name::named;

/// How weights are kept. Softmax, norms and log-probabilities are computed in f32 in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Precision {
    /// 32-bit floating point; GGUF blocks are expanded when they are loaded.
    F32,
    /// IEEE half precision. On CPU the weights alone; activations are f32 there.
    F16,
    /// bfloat16. On CPU the weights alone; activations are f32 there.
    BF16,
    /// GGUF blocks, which must come from a GGUF file. On CPU, integer products are used where they are fast, with
    /// activations rounded to 8 bits: that moves the scores, and by other amounts on other processors. All other
    /// products, among them those that give log-probabilities, are of the weights dequantized to f32. On other devices
    /// blocks are dequantized for each product, on NVIDIA GPUs to 16 bits, in which activations are too.
    Quantized,
    /// Weights of any file, rounded to GGUF's 8-bit blocks of 32 when they are loaded, then computed with as
    /// [`Precision::Quantized`].
    #[strum(serialize = "q8_0")]
    Q8_0,
    /// The same with 4-bit blocks of 32 in the layers, and 8-bit blocks in embedding and head.
    #[strum(serialize = "q4_0")]
    Q4_0,
    /// The same with 4-bit blocks of 256 in the layers, and 8-bit blocks in embedding and head.
    #[strum(serialize = "q4_k")]
    Q4K,
}

impl Precision {
    /// Whether weights are quantised when they are loaded.
    pub fn quantises(self) -> bool {
        matches!(self, Precision::Q8_0 | Precision::Q4_0 | Precision::Q4K)
    }

    /// Whether weights are kept in GGUF blocks.
    pub fn is_quantised(self) -> bool {
        self == Precision::Quantized || self.quantises()
    }
}

named!(Precision, "precision");

/// Where the weights of routed experts are while a model computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum ExpertPlacement {
    /// In memory, as all other weights.
    #[default]
    Loaded,
    /// In their files: an expert is read and converted in each pass that has tokens for it, to the same
    /// numbers. For models that are larger than memory.
    Mapped,
}

named!(ExpertPlacement, "placement of experts");
