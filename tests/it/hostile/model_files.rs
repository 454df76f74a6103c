//! Seeded damage to model files: each one is refused, or read as what it was. No panic, no hang.
//!
//! A test ends after some seconds or [`MOST`] mutations; `TOMEVAL_MUTATIONS=N` makes it N, however long they take.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use candle_core::Device;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use tomeval::ModelFiles;
use tomeval::internal::ModelError;
use tomeval::internal::seeded;
use tomeval::internal::{DecoderError, DecoderSpec};
use tomeval::{Decoder, Pass, Precision};

use crate::support::fixture;

/// Mutations of one test unless the variable says otherwise.
const MOST: usize = 1000;
/// Time after which a test ends unless the variable is set.
const LONGEST: Duration = Duration::from_secs(10);
/// Longest time that reading a damaged file may take.
const HANG: Duration = Duration::from_secs(20);

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

/// Damage a file of a copied model again and again, and read it each time; `judge` looks at what was read, beside what the
/// sound file holds. Returns how many were refused.
pub fn try_out<M: Send + 'static>(
    name: &str,
    model: &Path,
    file: &str,
    tests: u32,
    mutate: impl Fn(&[u8], &mut ChaCha8Rng) -> (Vec<u8>, String),
    meaning: fn(&Path) -> Result<M, ModelError>,
    judge: impl Fn(&M, &M, &str),
) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let copied = match model.is_dir() {
        true => {
            for entry in fs::read_dir(model).unwrap() {
                let path = entry.unwrap().path();
                fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
            }
            folder.path().to_path_buf()
        }
        false => {
            fs::copy(model, folder.path().join(file)).unwrap();
            folder.path().join(file)
        }
    };
    let damaged = folder.path().join(file);
    let whole = fs::read(&damaged).unwrap();
    let original = meaning(&copied).unwrap();
    let wanted: Option<usize> = std::env::var("TOMEVAL_MUTATIONS").ok().and_then(|number| number.parse().ok());
    let (started, mut refused, mut harmless) = (Instant::now(), 0, 0);
    for draw in 0..wanted.unwrap_or(MOST) / tests as usize {
        if wanted.is_none() && started.elapsed() > LONGEST / tests {
            break;
        }
        let (bytes, what) = mutate(&whole, &mut seeded(1, name, draw));
        fs::write(&damaged, bytes).unwrap();
        let (send, receive) = mpsc::channel();
        let path = copied.clone();
        std::thread::spawn(move || drop(send.send(meaning(&path))));
        match receive.recv_timeout(HANG) {
            Ok(Err(_)) => refused += 1,
            Ok(Ok(read)) => {
                judge(&read, &original, &format!("{name} {draw}: {what}"));
                harmless += 1;
            }
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("{name} {draw}: {what}: hangs"),
            Err(mpsc::RecvTimeoutError::Disconnected) => panic!("{name} {draw}: {what}: panics"),
        }
    }
    println!("{name}: {refused} refused, {harmless} read");
    refused
}

/// Numbers that break what trusts them.
const EXTREMES: [u64; 8] = [0, 1, 0x7fff_ffff, 0xffff_ffff, 1 << 32, i64::MAX as u64, u64::MAX, 1 << 40];

/// Damage some bytes of `header`, but none in `spared`.
pub fn damage(
    whole: &[u8],
    header: Range<usize>,
    spared: &[Range<usize>],
    random: &mut ChaCha8Rng,
) -> (Vec<u8>, String) {
    let mut bytes = whole.to_vec();
    let at = loop {
        let at = random.random_range(header.clone());
        if !spared.iter().any(|spared| spared.start < at + 8 && at < spared.end) {
            break at;
        }
    };
    let what = match random.random_range(0..7) {
        0 => {
            bytes[at] ^= 1 << random.random_range(0..8);
            "a bit is turned"
        }
        1 => {
            bytes[at] = random.random();
            "a byte is another"
        }
        2 => {
            let width = [4, 8][random.random_range(0..2)];
            let number = EXTREMES[random.random_range(0..EXTREMES.len())].to_le_bytes();
            bytes[at..at + width].copy_from_slice(&number[..width]);
            "a number is extreme"
        }
        3 => {
            bytes.truncate(at);
            "cut off"
        }
        4 => {
            bytes.remove(at);
            "a byte is missing"
        }
        5 => {
            bytes.insert(at, random.random());
            "a byte too many"
        }
        _ => {
            let length = random.random_range(1..64);
            let again: Vec<u8> = bytes[at..at + length].to_vec();
            bytes.splice(at..at, again);
            "bytes are there twice"
        }
    };
    (bytes, format!("{what} at {at}"))
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

/// Values of a wrong kind or size.
pub fn absurd(value: &Value, random: &mut ChaCha8Rng) -> Value {
    let absurd = [
        json!("text"),
        json!([1, 2]),
        json!({"a": 1}),
        json!(-1),
        json!(1e300),
        json!(u64::MAX),
        json!(!value.as_bool().unwrap_or(false)).as_str().map_or(json!("false"), Value::from),
        value.as_f64().map_or(json!([value]), |number| json!(-number.abs() - 1e-3)),
    ];
    absurd[random.random_range(0..absurd.len())].clone()
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
