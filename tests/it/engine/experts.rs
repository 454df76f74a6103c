//! Mixtures of experts whose stacks are GGUF blocks, and experts that stay in their files.

use std::fs::File;
use std::path::Path;

use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tomeval::internal::ExpertPlacement;
use tomeval::{Decoder, ModelFiles, Pass, Precision};

use crate::support::fixture;

const HIDDEN: usize = 256;
const VOCABULARY: usize = 96;
const LAYERS: usize = 2;
const EXPERTS: usize = 8;

/// A mixture of Qwen's shape with random weights; matrices of experts are in blocks of `kind`. With `expanded` they are what
/// these blocks stand for, in f32.
fn write(path: &Path, kind: GgmlDType, expanded: bool) {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut tensors: Vec<(String, QTensor)> = Vec::new();
    let mut add = |name: String, shape: &[usize], blocks: bool| {
        let inputs = *shape.last().unwrap();
        let spread = if shape.len() == 1 { 0.1 } else { (3.0 / inputs as f32).sqrt() };
        let around = if shape.len() == 1 { 1.0 } else { 0.0 };
        let values: Vec<f32> =
            (0..shape.iter().product()).map(|_| around + random.random_range(-spread..spread)).collect();
        let values = Tensor::from_vec(values, shape, &Device::Cpu).unwrap();
        let tensor = if blocks { QTensor::quantize(&values, kind) } else { QTensor::quantize(&values, GgmlDType::F32) };
        let tensor = tensor.unwrap();
        let tensor = match blocks && expanded {
            true => QTensor::quantize(&tensor.dequantize(&Device::Cpu).unwrap(), GgmlDType::F32).unwrap(),
            false => tensor,
        };
        tensors.push((name, tensor));
    };
    add("token_embd.weight".to_string(), &[VOCABULARY, HIDDEN], false);
    add("output_norm.weight".to_string(), &[HIDDEN], false);
    for layer in 0..LAYERS {
        let mut add = |name: &str, shape: &[usize], blocks| add(format!("blk.{layer}.{name}.weight"), shape, blocks);
        add("attn_norm", &[HIDDEN], false);
        add("ffn_norm", &[HIDDEN], false);
        for (name, outputs) in [("attn_q", HIDDEN), ("attn_k", 128), ("attn_v", 128), ("attn_output", HIDDEN)] {
            add(name, &[outputs, HIDDEN], false);
        }
        add("attn_q_norm", &[64], false);
        add("attn_k_norm", &[64], false);
        add("ffn_gate_inp", &[EXPERTS, HIDDEN], false);
        for name in ["ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"] {
            add(name, &[EXPERTS, HIDDEN, HIDDEN], true);
        }
    }
    let count = |number: usize| Value::U32(number as u32);
    let own = [
        ("block_count", count(LAYERS)),
        ("embedding_length", count(HIDDEN)),
        ("feed_forward_length", count(4 * HIDDEN)),
        ("expert_feed_forward_length", count(HIDDEN)),
        ("expert_count", count(EXPERTS)),
        ("expert_used_count", count(3)),
        ("attention.head_count", count(4)),
        ("attention.head_count_kv", count(2)),
        ("attention.key_length", count(64)),
        ("attention.value_length", count(64)),
        ("context_length", count(512)),
        ("attention.layer_norm_rms_epsilon", Value::F32(1e-6)),
        ("rope.freq_base", Value::F32(1e6)),
    ];
    let mut metadata = vec![("general.architecture".to_string(), Value::String("qwen3moe".to_string()))];
    metadata.extend(own.map(|(key, value)| (format!("qwen3moe.{key}"), value)));
    let metadata: Vec<(&str, &Value)> = metadata.iter().map(|(key, value)| (key.as_str(), value)).collect();
    let tensors: Vec<(&str, &QTensor)> = tensors.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
    gguf_file::write(&mut File::create(path).unwrap(), &metadata, &tensors).unwrap();
}

fn decoder(path: &Path, precision: Precision, experts: ExpertPlacement) -> Decoder {
    ModelFiles::from_path(path).unwrap().decoder_with(&Device::Cpu, precision, experts).unwrap()
}

fn logits(decoder: &Decoder, tokens: &[u32]) -> Vec<f32> {
    let output = decoder.forward(&mut decoder.cache(), &Pass::sequence(tokens, 0)).unwrap();
    decoder.logits(&output.hidden).unwrap().flatten_all().unwrap().to_vec1().unwrap()
}

fn root_mean_square(values: impl ExactSizeIterator<Item = f32>) -> f32 {
    let count = values.len();
    (values.map(|value| value * value).sum::<f32>() / count as f32).sqrt()
}

fn difference(one: &[f32], other: &[f32]) -> f32 {
    root_mean_square(one.iter().zip(other).map(|(one, other)| one - other))
}

#[test]
fn stacks_of_blocks_are_those_of_their_experts() {
    let folder = tempfile::tempdir().unwrap();
    let tokens: Vec<u32> = (0..70).map(|at| at * 37 % VOCABULARY as u32).collect();
    for kind in [GgmlDType::Q8_0, GgmlDType::Q4_0, GgmlDType::Q4K, GgmlDType::Q6K] {
        let [blocks, expanded] = [false, true].map(|expanded| {
            let path = folder.path().join(format!("{kind:?}-{expanded}.gguf"));
            write(&path, kind, expanded);
            path
        });
        let expected = logits(&decoder(&expanded, Precision::F32, ExpertPlacement::Loaded), &tokens);
        let spread = root_mean_square(expected.iter().copied());
        let dequantised = logits(&decoder(&blocks, Precision::F32, ExpertPlacement::Loaded), &tokens);
        assert!(difference(&dequantised, &expected) < 1e-5 * spread, "{kind:?}");
        let in_blocks = decoder(&blocks, Precision::Quantized, ExpertPlacement::Loaded);
        let error = difference(&logits(&in_blocks, &tokens), &expected);
        println!("{kind:?}: root mean square of the logits {spread}, of the difference {error}");
        // Rounding activations to 8 bits may send a token to another expert; experts in a wrong order would differ by all.
        assert!(error < 0.15 * spread, "{kind:?}: {error} of {spread}");
    }
}

#[test]
fn experts_in_their_files_give_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let quantised = folder.path().join("q4_k.gguf");
    write(&quantised, GgmlDType::Q4K, false);
    let tokens: Vec<u32> = (0..40).map(|at| at * 31 % VOCABULARY as u32).collect();
    let cases = [
        (quantised.clone(), Precision::Quantized),
        (quantised, Precision::F32),
        (fixture("qwen2_moe"), Precision::F32),
        (fixture("qwen2_moe"), Precision::BF16),
        (fixture("deepseek_v3"), Precision::F32),
        (fixture("gguf/mixtral-f16.gguf"), Precision::F32),
    ];
    for (path, precision) in cases {
        let [loaded, mapped] = [ExpertPlacement::Loaded, ExpertPlacement::Mapped].map(|experts| {
            let (spec, weights) = ModelFiles::from_path(&path).unwrap().open().unwrap();
            let weights = weights.with_experts(experts);
            let bytes = Decoder::weight_bytes(&spec, &weights, &Device::Cpu, precision).unwrap();
            let decoder = Decoder::load(spec, weights, &Device::Cpu, precision).unwrap();
            (bytes, decoder.rows_are_independent(), logits(&decoder, &tokens), logits(&decoder, &tokens[..2]))
        });
        assert!(mapped.0 < loaded.0, "{path:?}: {} and {} bytes", mapped.0, loaded.0);
        assert_eq!((mapped.1, mapped.2, mapped.3), (loaded.1, loaded.2, loaded.3), "{path:?} {precision}");
    }
}
