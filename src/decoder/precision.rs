//! The number formats in which weights are kept.

use std::str::FromStr;

use strum::IntoEnumIterator;

/// How weights are kept. Softmax, norms and log-probabilities are computed in f32 in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display, strum::EnumIter, strum::IntoStaticStr)]
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
    /// candle multiplies the blocks.
    Quantized,
}

impl Precision {
    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A precision that is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown precision `{given}`; use f32, f16, bf16 or quantized")]
pub struct UnknownPrecision {
    /// The text as given.
    pub given: String,
}

impl FromStr for Precision {
    type Err = UnknownPrecision;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let known = Precision::iter().find(|precision| precision.name() == given);
        known.ok_or_else(|| UnknownPrecision { given: given.to_string() })
    }
}
