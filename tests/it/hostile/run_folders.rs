//! Seeded damage to run folders: each is refused, told with a warning, or read as what it was; a run that goes on ends with
//! the records of an undamaged one. No panic, no hang.
//!
//! A test ends after some seconds; `TOMEVAL_MUTATIONS=N` makes it N mutations, however long they take.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{OnceLock, mpsc};
use std::time::{Duration, Instant};

use candle_core::Device;
use indexmap::IndexMap;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use tempfile::TempDir;
use tomeval::internal::DecoderSpec;
use tomeval::internal::Local;
use tomeval::internal::Tracker;
use tomeval::internal::seeded;
use tomeval::internal::{
    Answering, Beginning, Begun, Cut, Dataset, Inputs, LoadedItems, LocalPreparation, Machine, Manifest, ModelIdentity,
    RecordedRun, begin_run, read_packs,
};
use tomeval::{
    Benchmark, Decoder, Language, LoadOptions, OrderPolicy, Pack, Precision, Settings, Tokenizer, TrialRecord, read_run,
};

use crate::support::fixture;

/// Mutations of one test unless the variable says otherwise.
const MOST: usize = 1000;
/// Time after which a test ends unless the variable is set.
const LONGEST: Duration = Duration::from_secs(6);
/// Longest time that a damaged folder may take.
const HANG: Duration = Duration::from_secs(20);

const MANIFEST: &str = "manifest.json";
const TRIALS: &str = "trials.jsonl";
const SUMS: &str = "trials.sha256";

/// All that a run of a tiny model needs, and a finished one.
struct Recorded {
    folder: TempDir,
    settings: Settings,
    loaded: LoadedItems,
    packs: IndexMap<Benchmark, Pack>,
    identity: ModelIdentity,
    spec: DecoderSpec,
    tokenizer: Tokenizer,
    machine: Machine,
    decoder: Decoder,
}

impl Recorded {
    fn get() -> &'static Recorded {
        static RECORDED: OnceLock<Recorded> = OnceLock::new();
        RECORDED.get_or_init(|| {
            let settings =
                Settings { limit: Some(4), ..Settings::letters(Benchmark::Demo, Language::En, OrderPolicy::Random(3)) };
            let options = LoadOptions { languages: vec![Language::En], ..LoadOptions::default() };
            let dataset = Dataset::new(vec![Benchmark::Demo], None, options).unwrap();
            let loaded = Dataset { limit: Some(4), ..dataset }.load().unwrap();
            let mut spec = tomeval::internal::read_config(&fixture("llama/config.json")).unwrap();
            spec.max_position = 8192;
            let recorded = Recorded {
                folder: tempfile::tempdir().unwrap(),
                settings,
                loaded,
                packs: read_packs(&[Benchmark::Demo], None).unwrap(),
                identity: ModelIdentity {
                    name: "tiny".to_string(),
                    source: "nowhere".to_string(),
                    path: None,
                    revision: None,
                    family: spec.family.to_string(),
                    sha256: [("weights".to_string(), "0".to_string())].into(),
                    adapter: None,
                },
                decoder: Decoder::random(spec.clone(), 1, &Device::Cpu, Precision::F32).unwrap(),
                tokenizer: Tokenizer::from_folder(&fixture("llama")).unwrap(),
                machine: Machine {
                    device: "cpu".into(),
                    dtype: "f32".into(),
                    cpu: "any".into(),
                    threads: 1,
                    products: Default::default(),
                },
                spec,
            };
            recorded.go_on(&recorded.path()).unwrap();
            recorded
        })
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    /// Begin or go on with the run in a folder, to its end; what was odd about it.
    fn go_on(&self, out: &Path) -> Result<Vec<String>, String> {
        let tracker = Tracker::default();
        let inputs = Inputs {
            name: None,
            earlier: None,
            settings: &self.settings,
            loaded: &self.loaded,
            packs: &self.packs,
            model: LocalPreparation {
                identity: &self.identity,
                spec: &self.spec,
                tokenizer: &self.tokenizer,
                template: None,
                machine: &self.machine,
                memory_budget: 1 << 30,
                arithmetic: tomeval::internal::Arithmetic::CPU,
                cut: Cut { pass_tokens: Some(256), batch_tokens: 300, sharing: true },
            },
            tracker: &tracker,
        };
        match begin_run(inputs, Some(out), Beginning::default()).map_err(|error| error.to_string())? {
            Begun::Finished(folder) => Ok(folder.warnings().to_vec()),
            Begun::Ready(workload, mut folder) | Begun::Again(workload, mut folder) => {
                let mut backend = Local::new(&self.decoder, &workload.prepared, &workload.plan);
                let work = workload.run(None);
                let done = work.execute(Answering::Batches(&mut backend), &mut folder, &AtomicBool::new(false), |_| ());
                assert!(done.map_err(|error| error.to_string())?.finished);
                Ok(folder.warnings().to_vec())
            }
        }
    }
}

/// What a folder says.
#[derive(Debug, PartialEq)]
struct Meaning {
    manifest: Manifest,
    records: Vec<TrialRecord>,
}

fn meaning(run: RecordedRun) -> Meaning {
    Meaning { manifest: Manifest { sha256: None, ..run.manifest }, records: run.records }
}

/// What became of a damaged folder.
enum Fate {
    Refused,
    Told,
    Unharmed,
}

/// Damage a file of a copied run again and again, and have `judge` see what becomes of it.
fn check(file: &'static str, lines: Option<usize>, judge: fn(&Path) -> Result<Fate, String>) {
    let original = Recorded::get().path();
    let whole = |name: &str| -> Vec<u8> {
        let bytes = fs::read(original.join(name)).unwrap();
        let kept = bytes.split_inclusive(|&byte| byte == b'\n').take(lines.unwrap_or(usize::MAX));
        if name == MANIFEST { bytes } else { kept.flatten().copied().collect() }
    };
    let wanted: Option<usize> = std::env::var("TOMEVAL_MUTATIONS").ok().and_then(|number| number.parse().ok());
    let started = Instant::now();
    let (mut refused, mut rendered, mut unharmed) = (0, 0, 0);
    for draw in 0..wanted.unwrap_or(MOST) {
        if wanted.is_none() && started.elapsed() > LONGEST {
            break;
        }
        let folder = tempfile::tempdir().unwrap();
        for name in [MANIFEST, TRIALS, SUMS] {
            fs::write(folder.path().join(name), whole(name)).unwrap();
        }
        let (bytes, what) = damage(&whole(file), &mut seeded(1, file, draw));
        fs::write(folder.path().join(file), bytes).unwrap();
        let (send, receive) = mpsc::channel();
        let path = folder.path().to_path_buf();
        std::thread::spawn(move || drop(send.send(judge(&path))));
        match receive.recv_timeout(HANG) {
            Ok(Ok(Fate::Refused)) => refused += 1,
            Ok(Ok(Fate::Told)) => rendered += 1,
            Ok(Ok(Fate::Unharmed)) => unharmed += 1,
            Ok(Err(message)) => panic!("{file} {draw}: {what}: {message}"),
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("{file} {draw}: {what}: hangs"),
            Err(mpsc::RecvTimeoutError::Disconnected) => panic!("{file} {draw}: {what}: panics"),
        }
    }
    println!("{file}: {refused} refused, {rendered} told, {unharmed} as they were");
    assert!(refused + rendered > 0, "nothing was noticed");
}

/// The folder is read as `report`, `merge` and `attend` do.
fn is_read(folder: &Path) -> Result<Fate, String> {
    let run = match read_run(folder) {
        Err(_) => return Ok(Fate::Refused),
        Ok(run) if !run.read.warnings.is_empty() => return Ok(Fate::Told),
        Ok(run) => run,
    };
    let original = meaning(read_run(&Recorded::get().path()).unwrap());
    match meaning(run) == original {
        true => Ok(Fate::Unharmed),
        false => Err("another meaning was read in silence".to_string()),
    }
}

/// The run goes on as `run` does.
fn goes_on(folder: &Path) -> Result<Fate, String> {
    let recorded = Recorded::get();
    match recorded.go_on(folder) {
        Err(_) => Ok(Fate::Refused),
        Ok(warnings) if !warnings.is_empty() => Ok(Fate::Told),
        Ok(_) => match fs::read(folder.join(TRIALS)).unwrap() == fs::read(recorded.path().join(TRIALS)).unwrap() {
            true => Ok(Fate::Unharmed),
            false => Err("other records were made in silence".to_string()),
        },
    }
}

/// Damage a file as disks, editors and people do.
fn damage(whole: &[u8], random: &mut ChaCha8Rng) -> (Vec<u8>, String) {
    match random.random_range(0..3) {
        0 => damaged_bytes(whole, random),
        1 => damaged_lines(whole, random),
        _ => damaged_json(whole, random),
    }
}

fn damaged_bytes(whole: &[u8], random: &mut ChaCha8Rng) -> (Vec<u8>, String) {
    let mut bytes = whole.to_vec();
    let at = random.random_range(0..bytes.len());
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
            bytes.truncate(at);
            "cut off"
        }
        3 => {
            bytes.remove(at);
            "a byte is missing"
        }
        4 => {
            bytes.insert(at, b"0123456789,-e \n\"]}"[random.random_range(0..18)]);
            "a byte too many"
        }
        5 => {
            bytes[at..].fill(0);
            "zeros to the end"
        }
        _ => {
            let again: Vec<u8> = bytes[at..bytes.len().min(at + random.random_range(1..200))].to_vec();
            bytes.splice(at..at, again);
            "bytes are there twice"
        }
    };
    (bytes, format!("{what} at {at}"))
}

fn damaged_lines(whole: &[u8], random: &mut ChaCha8Rng) -> (Vec<u8>, String) {
    let mut lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
    let [one, other] = [0, 1].map(|_| random.random_range(0..lines.len()));
    let what = match random.random_range(0..4) {
        0 => {
            lines.remove(one);
            "is missing"
        }
        1 => {
            lines.insert(other, lines[one]);
            "is there twice"
        }
        2 => {
            lines.swap(one, other);
            "is swapped"
        }
        _ => {
            let line = lines.remove(one);
            lines.push(line);
            "comes last"
        }
    };
    (lines.concat(), format!("line {one} {what} ({other})"))
}

/// Change a value, a key or a list of the JSON on some line, or in the whole file.
fn damaged_json(whole: &[u8], random: &mut ChaCha8Rng) -> (Vec<u8>, String) {
    let text = std::str::from_utf8(whole).unwrap();
    let in_lines: Vec<&str> = if text.starts_with("{\n") { vec![text] } else { text.split_inclusive('\n').collect() };
    let at = random.random_range(0..in_lines.len());
    let Ok(mut json) = serde_json::from_str::<Value>(in_lines[at]) else { return damaged_bytes(whole, random) };
    let pretty = in_lines.len() == 1;
    let mut places = Vec::new();
    find_places(&json, String::new(), &mut places);
    let place = places[random.random_range(0..places.len())].clone();
    let what = change(json.pointer_mut(&place).unwrap(), random);
    let changed = if pretty { format!("{json:#}\n") } else { format!("{json}\n") };
    let mut lines: Vec<String> = in_lines.iter().map(|line| line.to_string()).collect();
    lines[at] = changed;
    (lines.concat().into_bytes(), format!("line {at}, `{place}` {what}"))
}

fn find_places(json: &Value, place: String, found: &mut Vec<String>) {
    match json {
        Value::Object(object) => object.iter().for_each(|(key, value)| {
            find_places(value, format!("{place}/{}", key.replace('~', "~0").replace('/', "~1")), found)
        }),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, value)| find_places(value, format!("{place}/{index}"), found))
        }
        _ => {}
    }
    found.push(place);
}

fn change(value: &mut Value, random: &mut ChaCha8Rng) -> String {
    match value {
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or_default();
            let others = [
                json!(number + 1.0),
                json!(-number),
                json!(number as i64 + 1),
                json!((number as i64).saturating_sub(1)),
                json!(0),
                json!(u64::MAX),
                json!(1u64 << 40),
                json!(1e300),
                json!(number * 1.001),
            ];
            *value = others[random.random_range(0..others.len())].clone();
        }
        Value::String(text) => match random.random_range(0..3) {
            0 => text.push('x'),
            1 => text.clear(),
            _ => *text = text.chars().rev().collect(),
        },
        Value::Array(list) if !list.is_empty() => {
            let [one, other] = [0, 1].map(|_| random.random_range(0..list.len()));
            match random.random_range(0..4) {
                0 => drop(list.remove(one)),
                1 => list.insert(other, list[one].clone()),
                2 => list.swap(one, other),
                _ => list.clear(),
            }
        }
        Value::Object(object) if !object.is_empty() => {
            let keys: Vec<String> = object.keys().cloned().collect();
            let [one, other] = [0, 1].map(|_| keys[random.random_range(0..keys.len())].clone());
            match random.random_range(0..3) {
                0 => drop(object.shift_remove(&one)),
                1 => {
                    let value = object.shift_remove(&one).unwrap();
                    object.insert(format!("{one}_"), value);
                }
                _ => {
                    let [first, second] = [&one, &other].map(|key| object[key].clone());
                    object[&one] = second;
                    object[&other] = first;
                }
            }
        }
        Value::Bool(truth) => *truth = !*truth,
        _ => *value = json!("text"),
    }
    format!("is {}", value.to_string().chars().take(80).collect::<String>())
}

#[test]
fn damaged_manifests_are_noticed() {
    check(MANIFEST, None, is_read);
}

#[test]
fn damaged_records_are_noticed() {
    check(TRIALS, None, is_read);
}

#[test]
fn damaged_checksums_are_noticed() {
    check(SUMS, None, is_read);
}

#[test]
fn a_run_with_a_damaged_manifest_never_goes_wrong_in_silence() {
    check(MANIFEST, Some(5), goes_on);
}

#[test]
fn a_run_with_damaged_records_never_goes_wrong_in_silence() {
    check(TRIALS, Some(5), goes_on);
}
