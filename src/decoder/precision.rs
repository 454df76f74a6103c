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
}

named!(Precision, "precision");
