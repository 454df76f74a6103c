//! Seeded damage to files of models, and what becomes of reading them.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use tomeval::internal::{ModelError, seeded};

use super::files::copy_folder;

/// Mutations of one test unless the variable says otherwise.
const MOST: usize = 1000;
/// Time after which a test ends unless the variable is set.
const LONGEST: Duration = Duration::from_secs(10);
/// Longest time that reading a damaged file may take.
const HANG: Duration = Duration::from_secs(20);

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
            copy_folder(model, folder.path());
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
