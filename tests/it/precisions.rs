//! 16-bit arithmetic against f32: no further off than 1.2 times what transformers' own 16-bit arithmetic is.

use crate::support::fixture;

use candle_core::{D, DType, Device, Tensor};
use serde_json::Value;
use tomeval::decoder::{Decoder, Pass, Precision, fallbacks};
use tomeval::model::ModelFiles;

/// How much further from f32 than transformers the arithmetic may be.
const FACTOR: f64 = 1.2;

/// Log-probabilities of the whole vocabulary at every position of the sequences of a fixture.
fn log_probs(decoder: &Decoder, family: &str) -> Vec<f64> {
    let stored = candle_core::safetensors::load(fixture(family).join("expected.safetensors"), &Device::Cpu).unwrap();
    let of_sequence = |name: &str| -> Vec<f64> {
        let ids: Vec<i64> = stored[name].flatten_all().unwrap().to_vec1().unwrap();
        let ids: Vec<u32> = ids.into_iter().map(|id| id as u32).collect();
        let output = decoder.forward(&mut decoder.cache(), &Pass::sequence(&ids, 0)).unwrap();
        let logits: Tensor = decoder.logits(&output.hidden).unwrap().to_dtype(DType::F64).unwrap();
        let normaliser = logits.log_sum_exp(D::Minus1).unwrap().unsqueeze(1).unwrap();
        logits.broadcast_sub(&normaliser).unwrap().flatten_all().unwrap().to_vec1().unwrap()
    };
    ["input_ids", "ids_b0", "ids_b1", "ids_b2"].into_iter().flat_map(of_sequence).collect()
}

/// Mean and 99th percentile of the absolute differences.
fn differences(found: &[f64], exact: &[f64]) -> (f64, f64) {
    assert_eq!(found.len(), exact.len());
    let mut differences: Vec<f64> = found.iter().zip(exact).map(|(found, exact)| (found - exact).abs()).collect();
    assert!(differences.iter().all(|difference| difference.is_finite()));
    differences.sort_by(f64::total_cmp);
    let mean = differences.iter().sum::<f64>() / differences.len() as f64;
    (mean, differences[(0.99 * (differences.len() - 1) as f64) as usize])
}

type Load = fn(tomeval::decoder::DecoderSpec, tomeval::decoder::Weights, &Device, Precision) -> LoadResult;
type LoadResult = Result<Decoder, tomeval::decoder::DecoderError>;

#[test]
fn bf16_and_f16_are_as_close_to_f32_as_those_of_transformers() {
    let text = std::fs::read_to_string(fixture("precisions.json")).unwrap();
    let reference: Value = serde_json::from_str(&text).unwrap();
    let families = reference["families"].as_object().unwrap();
    assert!(families.len() >= 17);
    let mut missed = Vec::new();
    for (family, measured) in families {
        let load = |load: Load, precision| {
            let (spec, weights) = ModelFiles::from_path(&fixture(family)).unwrap().open().unwrap();
            load(spec, weights, &Device::Cpu, precision).unwrap()
        };
        let exact = log_probs(&load(Decoder::load, Precision::F32), family);
        for precision in [Precision::BF16, Precision::F16] {
            // Its default attention where the family has one beside the plain one.
            let of_dtype = measured[precision.name()].as_object().unwrap();
            let own = of_dtype.get("sdpa").unwrap_or(&of_dtype["eager"]);
            let [own_mean, own_p99] = ["mean", "p99"].map(|figure| own[figure].as_f64().unwrap());
            for (form, loader) in [("plain", Decoder::load_portable as Load), ("fused", Decoder::load as Load)] {
                let (mean, p99) = differences(&log_probs(&load(loader, precision), family), &exact);
                let line = format!(
                    "{family} {} {form}: mean {mean:.5}, {:.2} of transformers'; 99th percentile {p99:.5}, {:.2}",
                    precision.name(),
                    mean / own_mean,
                    p99 / own_p99
                );
                println!("{line}");
                if mean > FACTOR * own_mean || p99 > FACTOR * own_p99 {
                    missed.push(line);
                }
                // The fused operations round weights alone, and those of a bf16 checkpoint are rounded already.
                assert!(form == "fused" || mean > 0.0, "{family}: nothing was rounded");
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Blocks made at load against those that a quantised file holds: the same values of the same matrices.
#[test]
fn weights_quantised_at_load_are_those_of_their_blocks() {
    let cases = [("llama", Precision::Q8_0), ("llama", Precision::Q4_0), ("baichuan2_7b", Precision::Q8_0)];
    for (family, precision) in cases {
        let (spec, weights) = ModelFiles::from_path(&fixture(family)).unwrap().open().unwrap();
        let exact = log_probs(&Decoder::load(spec, weights, &Device::Cpu, Precision::F32).unwrap(), family);
        for loader in [Decoder::load_portable as Load, Decoder::load as Load] {
            let (spec, weights) = ModelFiles::from_path(&fixture(family)).unwrap().open().unwrap();
            let bytes = Decoder::weight_bytes(&spec, &weights, &Device::Cpu, precision).unwrap();
            let whole = Decoder::weight_bytes(&spec, &weights, &Device::Cpu, Precision::F32).unwrap();
            let rounded = loader(spec, weights, &Device::Cpu, precision).unwrap();
            let (mean, p99) = differences(&log_probs(&rounded, family), &exact);
            println!("{family} {precision}: mean {mean:.4}, 99 % {p99:.4}, {bytes} of {whole} bytes");
            assert!(mean > 1e-4, "nothing was rounded");
            let most = if precision == Precision::Q8_0 { 0.1 } else { 1.5 };
            assert!(mean < most, "{family} {precision}: {mean}");
            assert!(2 * bytes < whole, "{family} {precision}: {bytes} of {whole} bytes");
        }
    }
}

#[test]
fn rows_that_blocks_do_not_divide_are_told() {
    let (spec, _) = ModelFiles::from_path(&fixture("llama")).unwrap().open().unwrap();
    let found = fallbacks(&spec, Precision::Q4K);
    assert!(!found.is_empty() && found.iter().all(|fallback| fallback.block == 256), "{found:?}");
    assert!(fallbacks(&spec, Precision::F32).is_empty());
}
