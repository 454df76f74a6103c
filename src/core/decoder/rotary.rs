//! Rotary position embeddings (Su et al. 2021, "RoFormer", section 3.4) and their context extensions.

use serde::{Deserialize, Serialize};

use super::DecoderError;

/// One rotary embedding: which dimensions rotate, how fast, and how they are paired.
#[derive(Debug, Clone, PartialEq)]
pub struct Rotary {
    /// Number of leading dimensions of each head that are rotated; even.
    pub width: usize,
    /// Base of the geometric series of frequencies.
    pub theta: f64,
    /// Which dimensions form a pair.
    pub pairing: Pairing,
    /// Frequency scaling for longer contexts.
    pub scaling: Scaling,
}

/// Which two dimensions rotate together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// Dimension `i` with `i + width / 2`.
    Halves,
    /// Dimension `2 i` with `2 i + 1`.
    Interleaved,
}

/// Changes to the frequencies.
#[derive(Debug, Clone, PartialEq)]
pub enum Scaling {
    /// None.
    Unscaled,
    /// All frequencies divided by a factor (Chen et al. 2023, "Position interpolation").
    Linear {
        /// The divisor.
        factor: f64,
    },
    /// Frequencies that change with the sequence once it exceeds the original context; only accepted up to that length.
    Dynamic {
        /// The original context in tokens.
        original: usize,
    },
    /// Low frequencies divided, high ones kept, a ramp between (Llama 3.1).
    Llama3 {
        /// Divisor of the low frequencies.
        factor: f64,
        /// Wavelengths above `original / low` count as low.
        low: f64,
        /// Wavelengths below `original / high` count as high.
        high: f64,
        /// The original context in tokens.
        original: f64,
    },
    /// YaRN (Peng et al. 2023, section 3.2 and equation 15).
    Yarn {
        /// Divisor of the low frequencies.
        factor: f64,
        /// Rotations over the original context above which a frequency is kept.
        beta_fast: f64,
        /// Rotations below which a frequency is divided.
        beta_slow: f64,
        /// The original context in tokens.
        original: f64,
        /// Factor on cosines and sines.
        attention: f64,
        /// Whether the ramp's ends are rounded to whole dimensions.
        truncate: bool,
    },
    /// One divisor per frequency, as GGUF files store it.
    Divisors {
        /// `width / 2` divisors.
        divisors: Vec<f32>,
    },
    /// LongRoPE (Ding et al. 2024): one set of divisors within the original context, another beyond it.
    Long {
        /// Divisors within the original context.
        short: Vec<f64>,
        /// Divisors beyond it.
        long: Vec<f64>,
        /// The original context in tokens.
        original: usize,
        /// Factor on cosines and sines.
        attention: f64,
    },
    /// Dynamic NTK of the first Qwen: the base grows with the stage of a sequence (arXiv:2309.16609, section 2.3, and
    /// the modelling file published with the weights).
    Ntk {
        /// The original context in tokens.
        original: usize,
    },
}

/// Lengths at which the rotary factors of all tokens of a sequence change: sequences of different stages share no keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Stages {
    /// Once, beyond this many tokens.
    Once(usize),
    /// Beyond this many tokens, twice as many, four times as many, and so on.
    Doubling {
        /// Tokens of the original context.
        doubling: usize,
    },
}

impl Stages {
    /// Tokens of the original context.
    pub fn original(self) -> usize {
        match self {
            Stages::Once(original) | Stages::Doubling { doubling: original } => original,
        }
    }

    /// The stage of a sequence of `length` tokens; 0 within the original context.
    pub fn of(self, length: usize) -> u8 {
        match self {
            Stages::Once(original) => u8::from(length > original),
            Stages::Doubling { doubling: original } => {
                let mut ends = std::iter::successors(Some(original.max(1)), |end| end.checked_mul(2));
                ends.position(|end| length <= end).unwrap_or(usize::BITS as usize) as u8
            }
        }
    }
}

impl Rotary {
    /// Angular frequencies for sequences of a stage: `width / 2` radians per position, in f32 as in the training of
    /// published checkpoints.
    fn frequencies(&self, stage: u8) -> Vec<f32> {
        let (half, width) = (self.width / 2, self.width as f64);
        let of_base = |base: f64, i: usize| base.powf(-((2 * i) as f64) / width);
        let plain = |i: usize| of_base(self.theta, i);
        let scaled = |i: usize| match &self.scaling {
            Scaling::Unscaled | Scaling::Dynamic { .. } => plain(i),
            Scaling::Linear { factor } => plain(i) / factor,
            Scaling::Llama3 { factor, low, high, original } => {
                let turns = original * plain(i) / std::f64::consts::TAU;
                let keep = ((turns - low) / (high - low)).clamp(0.0, 1.0);
                plain(i) * (keep + (1.0 - keep) / factor)
            }
            Scaling::Yarn { factor, beta_fast, beta_slow, original, truncate, .. } => {
                let dimension = |turns: f64| {
                    let width = self.width as f64;
                    width * (original / (turns * std::f64::consts::TAU)).ln() / (2.0 * self.theta.ln())
                };
                let (mut from, mut to) = (dimension(*beta_fast), dimension(*beta_slow));
                if *truncate {
                    (from, to) = (from.floor(), to.ceil());
                }
                (from, to) = (from.max(0.0), to.min(self.width as f64 - 1.0));
                let ramp = ((i as f64 - from) / (to - from).max(0.001)).clamp(0.0, 1.0);
                plain(i) * (1.0 - ramp + ramp / factor)
            }
            Scaling::Divisors { divisors } => plain(i) / f64::from(divisors[i]),
            Scaling::Long { short, long, .. } => plain(i) / if stage > 0 { long[i] } else { short[i] },
            Scaling::Ntk { .. } => {
                let alpha = 2f64.powi(i32::from(stage) + 1) - 1.0;
                // With width 2 the only frequency is 1, whatever the base.
                let base = if width > 2.0 { self.theta * alpha.powf(width / (width - 2.0)) } else { self.theta };
                of_base(if stage > 0 { base } else { self.theta }, i)
            }
        };
        (0..half).map(|i| scaled(i) as f32).collect()
    }

    /// Factor on cosines and sines.
    fn magnitude(&self) -> f32 {
        match self.scaling {
            Scaling::Yarn { attention, .. } | Scaling::Long { attention, .. } => attention as f32,
            _ => 1.0,
        }
    }

    /// Rejects sequences for which the frequencies would have to change midway.
    pub fn check_depth(&self, depth: usize) -> Result<(), DecoderError> {
        match self.scaling {
            Scaling::Dynamic { original } if depth > original => Err(DecoderError::TooLong {
                depth,
                limit: original,
                what: "original context; rope type `dynamic` is not supported beyond it",
            }),
            _ => Ok(()),
        }
    }

    /// The stages, if the frequencies depend on the length of a sequence.
    pub fn stages(&self) -> Option<Stages> {
        match self.scaling {
            Scaling::Long { original, .. } => Some(Stages::Once(original)),
            Scaling::Ntk { original } => Some(Stages::Doubling { doubling: original }),
            _ => None,
        }
    }
}

/// Cosines and sines for the tokens of one pass.
#[derive(Debug)]
pub struct Angles {
    /// Number of tokens.
    pub tokens: usize,
    /// `(tokens, width / 2)`.
    pub cos: Vec<f32>,
    /// `(tokens, width / 2)`.
    pub sin: Vec<f32>,
}

impl Angles {
    /// One row per position. `stages` holds the stage of each position's sequence; empty if all are 0.
    pub fn at(rotary: &Rotary, positions: &[usize], stages: &[u8]) -> Angles {
        let last = stages.iter().copied().max().unwrap_or(0);
        let frequencies: Vec<Vec<f32>> = (0..=last).map(|stage| rotary.frequencies(stage)).collect();
        let magnitude = rotary.magnitude();
        let size = positions.len() * rotary.width / 2;
        let (mut cos, mut sin) = (Vec::with_capacity(size), Vec::with_capacity(size));
        for (token, &position) in positions.iter().enumerate() {
            let stage = stages.get(token).copied().unwrap_or(0);
            for &frequency in &frequencies[usize::from(stage)] {
                // The reference implementations compute the angle in f32; at high positions the rounding is visible.
                let (s, c) = f64::from(position as f32 * frequency).sin_cos();
                cos.push(c as f32 * magnitude);
                sin.push(s as f32 * magnitude);
            }
        }
        Angles { tokens: positions.len(), cos, sin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotary(scaling: Scaling) -> Rotary {
        Rotary { width: 8, theta: 10000.0, pairing: Pairing::Halves, scaling }
    }

    #[test]
    fn frequencies_fall_geometrically() {
        assert_eq!(rotary(Scaling::Unscaled).frequencies(0), [1.0, 0.1, 0.01, 0.001]);
        assert_eq!(rotary(Scaling::Linear { factor: 4.0 }).frequencies(0), [0.25, 0.025, 0.0025, 0.00025]);
    }

    #[test]
    fn llama3_keeps_fast_and_divides_slow_frequencies() {
        let scaled = rotary(Scaling::Llama3 { factor: 8.0, low: 1.0, high: 4.0, original: 128.0 }).frequencies(0);
        assert_eq!(scaled[0], 1.0);
        assert!(scaled[1] < 0.1 && scaled[1] > 0.1 / 8.0, "128 positions are 2.04 turns, within the ramp");
        assert_eq!(scaled[3], 0.001 / 8.0);
    }

    #[test]
    fn dynamic_ends_with_the_original_context() {
        let dynamic = rotary(Scaling::Dynamic { original: 64 });
        assert!(dynamic.check_depth(64).is_ok());
        let message = dynamic.check_depth(65).unwrap_err().to_string();
        assert!(message.contains("65 tokens exceeds the 64"), "{message}");
    }

    #[test]
    fn stages_begin_behind_the_original_context_and_its_doublings() {
        let once = Stages::Once(24);
        assert_eq!([1, 24, 25, 1000].map(|length| once.of(length)), [0, 0, 1, 1]);
        let doubling = Stages::Doubling { doubling: 24 };
        assert_eq!([1, 24, 25, 48, 49, 96, 97].map(|length| doubling.of(length)), [0, 0, 1, 1, 2, 2, 3]);
        // Manifests hold the length alone where the factors change once.
        let written = [once, doubling].map(|stages| serde_json::to_string(&stages).unwrap());
        assert_eq!(written, ["24", r#"{"doubling":24}"#]);
        assert_eq!([once, doubling], written.map(|text| serde_json::from_str::<Stages>(&text).unwrap()));
    }

    #[test]
    fn long_factors_apply_to_the_tokens_of_long_sequences() {
        let scaling = Scaling::Long { short: vec![1.0; 4], long: vec![2.0; 4], original: 16, attention: 1.5 };
        let long = rotary(scaling);
        assert_eq!(Angles::at(&long, &[0], &[1]).cos, [1.5; 4]);
        let angles = Angles::at(&long, &[1, 1], &[0, 1]);
        assert_eq!([angles.sin[0], angles.sin[4]], [1.5 * 1f32.sin(), 1.5 * 0.5f32.sin()]);
        assert_eq!(Angles::at(&long, &[1], &[]).sin, angles.sin[..4]);
    }
}
