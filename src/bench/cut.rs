//! Checks that a device computes correctly: compares the first layers of a shape with the CPU, using the same random
//! weights.

use candle_core::Device;
use serde::{Deserialize, Serialize};

use super::BenchError;
use crate::decoder::{Decoder, DecoderSpec, Pass, Precision, Weights};

/// Tokens of the second pass, which uses the KV cache of the first.
const SECOND: usize = 16;

/// Minimum number of tokens compared, and maximum on devices; a CPU takes minutes for more than the minimum.
const TOKENS: [usize; 2] = [64, 4096];

/// Maximum number of positions per pass at which log-probabilities are compared, and number of tokens compared there.
const POSITIONS: usize = 64;
const TARGETS: usize = 64;

/// Largest allowed difference of a log-probability in f32: ten times that of the golden fixtures, whose sums are
/// shorter.
const BOUND: f64 = 1e-3;

/// Result of checking the first layers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CutCheck {
    /// Layers compared.
    pub layers: usize,
    /// Tokens forwarded; 64 in documents of older programs.
    #[serde(default)]
    pub tokens: Option<usize>,
    /// Log-probabilities compared.
    pub compared: usize,
    /// Largest difference in f32, in nats; null if not a number.
    pub largest: Option<f64>,
    /// Largest allowed difference.
    pub bound: f64,
    /// Mean difference in the measured dtype, if that is not f32. It has no bound: the rounding error of random weights
    /// says nothing about a model.
    pub mean_of_dtype: Option<f64>,
    /// Whether f32 is within the bound and the measured dtype gives finite numbers.
    pub passed: bool,
}

/// Compares log-probabilities of the first layers with those of the CPU in f32, over as many tokens as the longest
/// measured prompt. On the CPU itself, whose own arithmetic is measured, the reference is plain tensor operations.
pub fn check_cut(
    spec: &DecoderSpec,
    seed: u64,
    device: &Device,
    precision: Precision,
    longest: usize,
) -> Result<CutCheck, BenchError> {
    let [least, most] = TOKENS;
    let tokens = if device.is_cpu() { least } else { longest.clamp(least, most).min(spec.max_position.max(least)) };
    let exact = match device.is_cpu() {
        true => Decoder::load_portable(spec.clone(), Weights::random(seed), device, Precision::F32)?,
        false => Decoder::random(spec.clone(), seed, &Device::Cpu, Precision::F32)?,
    };
    let exact = log_probs(&exact, tokens)?;
    let of = |precision| log_probs(&Decoder::random(spec.clone(), seed, device, precision)?, tokens);
    let differences = |found: Vec<f32>| -> Vec<f64> {
        found.iter().zip(&exact).map(|(found, exact)| f64::from((found - exact).abs())).collect()
    };
    let in_f32 = differences(of(Precision::F32)?);
    let sum_is_a_number = in_f32.iter().sum::<f64>().is_finite();
    let largest = sum_is_a_number.then(|| in_f32.iter().copied().fold(0.0, f64::max));
    let of_dtype = match precision {
        Precision::F32 => None,
        _ => Some(differences(of(precision)?)),
    };
    let mean = of_dtype.as_ref().map(|all| all.iter().sum::<f64>() / all.len().max(1) as f64);
    Ok(CutCheck {
        layers: spec.layers,
        tokens: Some(tokens),
        compared: exact.len(),
        largest,
        bound: BOUND,
        mean_of_dtype: mean.filter(|mean| mean.is_finite()),
        passed: largest.is_some_and(|largest| largest <= BOUND) && mean.is_none_or(f64::is_finite),
    })
}

/// Log-probabilities of some tokens at some positions, including the last, of a sequence of `tokens` tokens in two
/// passes.
fn log_probs(decoder: &Decoder, tokens: usize) -> Result<Vec<f32>, BenchError> {
    let vocabulary = decoder.spec().vocab_size;
    let ids: Vec<u32> = (0..tokens).map(|at: usize| (at.wrapping_mul(7919) % vocabulary) as u32).collect();
    let (first, second) = ids.split_at(tokens - SECOND);
    let mut cache = decoder.cache();
    let mut all = Vec::new();
    for (tokens, start) in [(first, 0), (second, first.len())] {
        let positions = tokens.len().min(POSITIONS);
        let rows: Vec<usize> = (1..=positions).map(|place| place * tokens.len() / positions - 1).collect();
        let output = decoder.forward(&mut cache, &Pass { rows, ..Pass::sequence(tokens, start) })?;
        let target = |at: usize| (at.wrapping_mul(104_729) % vocabulary) as u32;
        let targets: Vec<(usize, u32)> =
            (0..positions).flat_map(|row| (0..TARGETS).map(move |at| (row, target(at)))).collect();
        all.extend(decoder.log_probs(&output.hidden, &targets)?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn both_arithmetics_agree_on_random_weights_which_say_something() {
        let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/llama/config.json");
        let spec = crate::model::read_config(&config).unwrap();
        let check = check_cut(&spec, 1, &Device::Cpu, Precision::BF16, 512).unwrap();
        assert!(check.passed && check.compared == 64 * TARGETS, "{check:?}");
        assert!(check.largest.unwrap() > 0.0 && check.mean_of_dtype.unwrap() > check.largest.unwrap(), "{check:?}");
        // Flat log-probabilities would agree regardless of the computation.
        let found = log_probs(&Decoder::random(spec, 1, &Device::Cpu, Precision::F32).unwrap(), 64).unwrap();
        let mean = found.iter().sum::<f32>() / found.len() as f32;
        let variance = found.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / found.len() as f32;
        assert!(variance > 0.2, "{variance}");
    }
}
