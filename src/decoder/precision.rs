//! The number formats in which weights are kept.

use std::fmt;
use std::str::FromStr;

/// How weights are kept. Softmax, norms and log-probabilities are computed in f32 in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 32-bit floating point; GGUF blocks are expanded when they are loaded.
    F32,
    /// IEEE half precision. On CPU the weights alone; activations are f32 there.
    F16,
    /// bfloat16. On CPU the weights alone; activations are f32 there.
    BF16,
    /// GGUF blocks, which must come from a GGUF file. On CPU, integer products are used where they are fast, with
    /// activations rounded to 8 bits: that moves the scores, and by other amounts on other processors. All other
    /// products, among them those behind every log-probability, are of the weights dequantized to f32. On other devices
    /// candle multiplies the blocks.
    Quantized,
}

impl Precision {
    /// All precisions.
    pub const ALL: [Precision; 4] = [Precision::F32, Precision::F16, Precision::BF16, Precision::Quantized];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::F16 => "f16",
            Precision::BF16 => "bf16",
            Precision::Quantized => "quantized",
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
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
        let known = Precision::ALL.into_iter().find(|precision| precision.name() == given);
        known.ok_or_else(|| UnknownPrecision { given: given.to_string() })
    }
}
