//! Seeded damage to model files: each one is refused, or read as what it was. No panic, no hang.
//!
//! A test ends after some seconds or a thousand mutations; `TOMEVAL_MUTATIONS=N` makes it N, however long they take.

use std::ops::Range;
use std::path::Path;

use candle_core::Device;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use tomeval::ModelFiles;
use tomeval::internal::ModelError;
use tomeval::internal::{DecoderError, DecoderSpec};
use tomeval::{Decoder, Pass, Precision};

use crate::support::damage::{absurd, damage, try_out};
use crate::support::fixture;

/// What a model is, as far as results depend on it.
#[derive(Debug, PartialEq)]
struct Meaning {
    spec: DecoderSpec,
    logits: Vec<f32>,
}

fn meaning(path: &Path) -> Result<Meaning, ModelError> {
    let (spec, weights) = ModelFiles::from_path(path)?.open()?;
    let decoder = Decoder::load(spec.clone(), weights, &Device::Cpu, Precision::F32)?;
    let output = decoder.forward(&mut decoder.cache(), &Pass::sequence(&[3, 1, 4, 1, 5, 92], 0))?;
    let logits = decoder.logits(&output.hidden)?.flatten_all().and_then(|logits| logits.to_vec1());
    let logits = logits.map_err(DecoderError::from)?;
    Ok(Meaning { spec, logits })
}

/// Damage a file of a copied model again and again: it is refused, or read as the model that it was. `mutate` gives the new
/// bytes and says what was done; the test has `tests` of the kind.
fn check(
    name: &str,
    model: &Path,
    file: &str,
    tests: u32,
    mutate: impl Fn(&[u8], &mut ChaCha8Rng) -> (Vec<u8>, String),
) {
    let refused = try_out(name, model, file, tests, mutate, meaning, |read, original, what| {
        assert!(read == original, "{what}: read as another model: {:?}", read.spec);
    });
    assert!(refused > 0, "nothing was refused");
}

fn gguf(name: &str) {
    let path = fixture(&format!("gguf/{name}.gguf"));
    let family = name.split('-').next().unwrap();
    check(name, &path, "damaged.gguf", 1, |whole, random| {
        // Another number in these is a sound file of another model.
        let free = ["rope.freq_base", "attention.layer_norm_rms_epsilon", "context_length", "rope.dimension_count"];
        let spared = free.iter().filter_map(|key| {
            let key = format!("{family}.{key}");
            let at = whole.windows(key.len()).position(|window| window == key.as_bytes())? + key.len();
            Some(at + 4..at + 8)
        });
        let spared: Vec<Range<usize>> = spared.collect();
        // Names of tensors come last in the header.
        let header = 0..whole.windows(4).rposition(|window| window == b"norm").unwrap() + 32;
        damage(whole, header, &spared, random)
    });
}

#[test]
fn damaged_gguf_headers() {
    gguf("llama-f32");
}

#[test]
fn damaged_gguf_headers_of_blocks() {
    gguf("qwen2-q8_0");
}

#[test]
fn damaged_safetensors_headers() {
    check("safetensors", &fixture("llama"), "model.safetensors", 1, |whole, random| {
        let header = u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
        damage(whole, 0..8 + header, &[], random)
    });
}

/// Keys whose values describe no calculation, or of which every text is understood.
const FREE: [&str; 1] = ["partial_rotary_factor"];

#[test]
fn damaged_configurations() {
    let families = ["llama", "mistral", "qwen3_yarn", "granite", "gemma2", "smollm3", "phi3_longrope", "glm"];
    for family in families {
        let name = format!("configuration of {family}");
        check(&name, &fixture(family), "config.json", families.len() as u32, |whole, random| {
            let mut config: Value = serde_json::from_slice(whole).unwrap();
            let nested = config.get("rope_parameters").is_some_and(Value::is_object) && random.random_bool(0.3);
            let object = if nested { &mut config["rope_parameters"] } else { &mut config };
            let object = object.as_object_mut().unwrap();
            let keys: Vec<String> = object.keys().filter(|key| !FREE.contains(&key.as_str())).cloned().collect();
            let key = keys[random.random_range(0..keys.len())].clone();
            let what = if random.random_bool(0.6) {
                object[&key] = absurd(&object[&key], random);
                format!("`{key}` is {}", object[&key])
            } else {
                let mut misspelt = key.clone();
                let at = random.random_range(0..key.len());
                match random.random_range(0..2) {
                    0 => drop(misspelt.remove(at)),
                    _ => misspelt.insert(at, char::from(random.random_range(b'a'..=b'z'))),
                }
                let value = object.remove(&key).unwrap();
                object.insert(misspelt.clone(), value);
                format!("`{key}` is written `{misspelt}`")
            };
            (config.to_string().into_bytes(), what)
        });
    }
}
