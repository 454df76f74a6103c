//! Every supported family against transformers: logits at every position, attentions, hidden states, batches and greedy
//! continuations of the tiny models in `tests/fixtures`, on the fused and on the plain arithmetic.
//!
//! Tolerances are those of `tests/fixtures/README.md`.

use crate::support::fixture;
use std::collections::HashMap;

use candle_core::{DType, Device, Tensor};
use tomeval::ModelFiles;
use tomeval::internal::read_config;
use tomeval::internal::{Branch, Capture, CapturedQuery, DecoderSpec, RowRanges, Weights};
use tomeval::{Decoder, KvCache, Pass, Precision};

/// Largest absolute difference of logits, hidden states and log-probabilities in f32.
const TOLERANCE: f32 = 1e-4;
/// Largest absolute difference of attention probabilities.
const ATTENTION_TOLERANCE: f32 = 1e-5;

type Expected = HashMap<String, Tensor>;

fn expected(file: &str) -> Expected {
    candle_core::safetensors::load(fixture("").join(file), &Device::Cpu).unwrap()
}

fn tokens(expected: &Expected, name: &str) -> Vec<u32> {
    let ids: Vec<i64> = expected[name].flatten_all().unwrap().to_vec1().unwrap();
    ids.into_iter().map(|id| id as u32).collect()
}

fn values(tensor: &Tensor) -> Vec<f32> {
    tensor.to_dtype(DType::F32).unwrap().flatten_all().unwrap().to_vec1().unwrap()
}

fn largest_difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    // `max` would pass over NaN.
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, |largest, next| if next > largest || next.is_nan() { next } else { largest })
}

fn assert_close(what: &str, actual: &[f32], expected: &[f32], tolerance: f32) {
    let difference = largest_difference(actual, expected);
    println!("{what}: largest difference {difference:.2e}");
    assert!(difference <= tolerance, "{what}: largest difference {difference:e}, tolerance {tolerance:e}");
}

/// Settings and weights of a fixture folder, by the name of its configuration file, or of a GGUF file.
fn open(path: &str, config: Option<&str>) -> (DecoderSpec, Weights) {
    let (spec, weights) = ModelFiles::from_path(&fixture(path)).unwrap().open().unwrap();
    let spec = config.map_or(spec, |config| read_config(&fixture(path).join(config)).unwrap());
    (spec, weights)
}

/// The forms of a model: fused, plain, and plain on a GPU where this build and machine have one.
fn forms(path: &str, config: Option<&str>) -> Vec<(&'static str, Decoder)> {
    let load = |device| {
        let (spec, weights) = open(path, config);
        Decoder::load(spec, weights, device, Precision::F32).unwrap()
    };
    let (spec, weights) = open(path, config);
    let mut forms = vec![
        ("fused", load(&Device::Cpu)),
        ("plain", Decoder::load_portable(spec, weights, &Device::Cpu, Precision::F32).unwrap()),
    ];
    match Device::new_cuda(0) {
        Ok(device) => forms.push(("cuda", load(&device))),
        Err(error) if cfg!(feature = "cuda") => println!("skipped on a GPU: {error}"),
        Err(_) => {}
    }
    forms
}

fn logits_of(decoder: &Decoder, ids: &[u32]) -> Vec<f32> {
    let output = decoder.forward(&mut decoder.cache(), &Pass::sequence(ids, 0)).unwrap();
    values(&decoder.logits(&output.hidden).unwrap())
}

fn check_logits_and_hidden(name: &str, decoder: &Decoder, expected: &Expected) {
    let ids = tokens(expected, "input_ids");
    let output = decoder.forward(&mut decoder.cache(), &Pass::sequence(&ids, 0)).unwrap();
    if let Some(hidden) = expected.get("hidden_last") {
        assert_close(&format!("{name} hidden"), &values(&output.hidden), &values(hidden), TOLERANCE);
    }
    let logits = values(&decoder.logits(&output.hidden).unwrap());
    assert_close(&format!("{name} logits"), &logits, &values(&expected["logits"]), TOLERANCE);

    // Log-probabilities are those of the logits.
    let vocab = decoder.spec().vocab_size;
    let targets: Vec<(usize, u32)> = (0..ids.len()).flat_map(|row| [(row, ids[row]), (row, 7)]).collect();
    let normalised = |row: usize, token: u32| {
        let row = &logits[row * vocab..(row + 1) * vocab];
        let sum: f64 = row.iter().map(|&logit| f64::from(logit).exp()).sum();
        (f64::from(row[token as usize]) - sum.ln()) as f32
    };
    let direct: Vec<f32> = targets.iter().map(|&(row, token)| normalised(row, token)).collect();
    let scored = decoder.log_probs(&output.hidden, &targets).unwrap();
    assert_close(&format!("{name} log-probabilities"), &scored, &direct, 1e-5);
}

/// Attentions of all tokens in one pass, again as a chain of three branches of one pass, and again in three passes over one
/// cache.
fn check_attention(name: &str, decoder: &Decoder, expected: &Expected) {
    let ids = tokens(expected, "input_ids");
    let length = ids.len();
    let cuts = [0, 1, length / 2, length];
    let ranges: Vec<_> = cuts.windows(2).map(|cut| cut[0]..cut[1]).collect();
    let captured = |mut pass: Pass, cache: &mut KvCache| {
        pass.capture = Some(Capture { queries: (0..pass.tokens.len()).collect(), ..Capture::default() });
        decoder.forward(cache, &pass).unwrap().attention.unwrap().queries
    };
    let mut largest = 0.0f32;
    let mut check = |queries: &[CapturedQuery], first: usize| {
        let (layers, heads, ..) = expected["attentions"].dims4().unwrap();
        let wanted = values(&expected["attentions"]);
        for query in queries {
            let position = first + query.token;
            assert_eq!(query.keys, position + 1);
            for layer in 0..layers {
                for head in 0..heads {
                    let row = ((layer * heads + head) * length + position) * length;
                    let difference =
                        largest_difference(query.row(layer, head, heads), &wanted[row..row + position + 1]);
                    let place = format!("{name} layer {layer} head {head} query {position}");
                    assert!(difference <= ATTENTION_TOLERANCE, "{place}: {difference:e}");
                    largest = largest.max(difference);
                }
            }
        }
    };
    check(&captured(Pass::sequence(&ids, 0), &mut decoder.cache()), 0);

    let mut chain = Pass::sequence(&ids, 0);
    chain.branches =
        ranges.iter().map(|range| Branch { tokens: range.clone(), prefix: RowRanges::first(range.start) }).collect();
    check(&captured(chain, &mut decoder.cache()), 0);

    let mut cache = decoder.cache();
    let stage = decoder.spec().stages().map_or(0, |stages| stages.of(length));
    for range in ranges {
        let pass = Pass { stage, ..Pass::sequence(&ids[range.clone()], range.start) };
        check(&captured(pass, &mut cache), range.start);
    }
    println!("{name} attention: largest difference {largest:.2e}");
}

/// Three sequences as branches of one pass give what each gives alone.
fn check_batch(name: &str, decoder: &Decoder, expected: &Expected) {
    let sequences: Vec<Vec<u32>> = (0..3).map(|number| tokens(expected, &format!("ids_b{number}"))).collect();
    let mut pass = Pass::default();
    for sequence in &sequences {
        let start = pass.tokens.len();
        pass.tokens.extend(sequence);
        pass.branches.push(Branch { tokens: start..pass.tokens.len(), prefix: RowRanges::default() });
    }
    pass.rows = (0..pass.tokens.len()).collect();
    let output = decoder.forward(&mut decoder.cache(), &pass).unwrap();
    let logits = values(&decoder.logits(&output.hidden).unwrap());
    let alone: Vec<f32> = (0..3).flat_map(|number| values(&expected[&format!("logits_b{number}")])).collect();
    assert_close(&format!("{name} batch"), &logits, &alone, TOLERANCE);
}

/// Twelve greedy steps over one cache.
fn check_greedy(name: &str, decoder: &Decoder, expected: &Expected) {
    let prompt = tokens(expected, "greedy_prompt");
    let (ids, logprobs) = (tokens(expected, "greedy_ids"), values(&expected["greedy_logprobs"]));
    let mut cache = decoder.cache();
    let mut input = prompt;
    for (step, &id) in ids.iter().enumerate() {
        let mut pass = Pass::sequence(&input, cache.rows());
        pass.rows = vec![input.len() - 1];
        let output = decoder.forward(&mut cache, &pass).unwrap();
        let logits = values(&decoder.logits(&output.hidden).unwrap());
        let best = (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap();
        assert_eq!(best as u32, id, "{name} step {step}");
        let scored = decoder.log_probs(&output.hidden, &[(0, id)]).unwrap();
        assert!(
            (scored[0] - logprobs[step]).abs() <= TOLERANCE,
            "{name} step {step}: {} {}",
            scored[0],
            logprobs[step]
        );
        input = vec![id];
    }
}

fn check_family(family: &str) {
    let expected = expected(&format!("{family}/expected.safetensors"));
    // Configurations in formats of their authors have one form only.
    let configs =
        ["config.json", "config_hub.json"].into_iter().filter(|config| fixture(family).join(config).is_file());
    for config in configs {
        for (form, decoder) in forms(family, Some(config)) {
            let name = format!("{family} {form} {config}");
            check_logits_and_hidden(&name, &decoder, &expected);
            check_attention(&name, &decoder, &expected);
            check_batch(&name, &decoder, &expected);
            check_greedy(&name, &decoder, &expected);
        }
    }
}

macro_rules! families {
    ($($family:ident),* $(,)?) => {
        $(#[test] fn $family() { check_family(stringify!($family)); })*

        #[test]
        fn every_fixture_is_tested() {
            let tested = [$(stringify!($family)),*];
            for entry in std::fs::read_dir(fixture("")).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_str().unwrap().to_string();
                if path.join("config.json").is_file() {
                    assert!(tested.contains(&&name[..]), "{name}");
                }
            }
        }
    };
}

families!(
    llama,
    llama_rope_llama3,
    llama_rope_linear,
    mistral,
    qwen2,
    qwen3,
    qwen3_yarn,
    phi3,
    phi3_longrope,
    glm,
    glm4,
    olmo2,
    granite,
    smollm3,
    internlm3,
    gemma2,
    gemma3,
    gemma3_text,
    mixtral,
    qwen2_moe,
    qwen3_moe,
    deepseek_v2,
    deepseek_v3,
    baichuan2_7b,
    baichuan2_13b,
    qwen,
);

#[test]
fn gguf_f32_equals_the_safetensors_reference() {
    for family in ["llama", "qwen2"] {
        let expected = expected(&format!("{family}/expected.safetensors"));
        for (form, decoder) in forms(&format!("gguf/{family}-f32.gguf"), None) {
            let name = format!("{family} gguf {form}");
            check_logits_and_hidden(&name, &decoder, &expected);
            check_attention(&name, &decoder, &expected);
            check_greedy(&name, &decoder, &expected);
        }
    }
}

/// Architectures of GGUF files that `tests/fixtures/make_gguf.py` lays out as llama.cpp's converter does.
const LAID_OUT: [&str; 21] = [
    "gemma2",
    "gemma3",
    "phi3",
    "phi3-longrope",
    "glm4",
    "chatglm",
    "granite",
    "olmo2",
    "smollm3",
    "internlm3",
    "internlm2",
    "llama-rope",
    "mixtral",
    "qwen2-moe",
    "qwen3-moe",
    "deepseek-v2",
    "deepseek-v2-whole",
    "deepseek-v3",
    "baichuan2-7b",
    "baichuan2-13b",
    "qwen",
];

#[test]
fn gguf_architectures_equal_their_reference() {
    for name in LAID_OUT {
        let expected = expected(&format!("gguf/{name}.expected.safetensors"));
        for (file, batch) in [("f32", true), ("f16", false)] {
            for (form, decoder) in forms(&format!("gguf/{name}-{file}.gguf"), None) {
                let named = format!("{name} {file} {form}");
                let wanted = if file == "f32" { "logits" } else { "logits_f16" };
                let logits = logits_of(&decoder, &tokens(&expected, "input_ids"));
                assert_close(&named, &logits, &values(&expected[wanted]), TOLERANCE);
                if batch {
                    let logits = logits_of(&decoder, &tokens(&expected, "ids_b0"));
                    assert_close(&named, &logits, &values(&expected["logits_b0"]), TOLERANCE);
                }
            }
        }
    }
}

#[test]
fn gguf_q8_0_dequantised_equals_its_own_reference() {
    for family in ["llama", "qwen2"] {
        let reference = expected(&format!("gguf/{family}-q8_0.expected.safetensors"));
        let ids = tokens(&expected(&format!("{family}/expected.safetensors")), "input_ids");
        for (form, decoder) in forms(&format!("gguf/{family}-q8_0.gguf"), None) {
            let logits = logits_of(&decoder, &ids);
            assert_close(&format!("{family} q8_0 {form}"), &logits, &values(&reference["logits"]), TOLERANCE);
        }
    }
}
