//! What the arithmetic of GPUs hands to the device: launches, copies, transfers and bytes of a layer, by family, counted on the
//! CPU by the rules of candle's CUDA backend (`portable/array.rs`). No count may grow beyond the ones in `launches.toml`.
//!
//! `cargo test --test it launches:: -- --nocapture` prints the counts as that file has them.

use crate::support::fixture;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use candle_core::Device;
use tomeval::ModelFiles;
use tomeval::internal::generate_all;
use tomeval::internal::{
    Branch, Capture, DecoderSpec, DecoderWork, Packing, RowRanges, Weights, counted_calls, profiled_calls, read_trie,
    score_trials,
};
use tomeval::{Decoder, GenerateRequest, KvCache, Limits, Pass, Precision, Sampling};

/// One family of each kind of layer.
const FAMILIES: [&str; 10] =
    ["llama", "qwen2", "qwen3", "phi3", "olmo2", "gemma2", "gemma3_text", "mixtral", "deepseek_v2", "baichuan2_13b"];

/// Rows in the cache before the passes that are counted.
const CACHED: usize = 200;

/// Launches, copies, uploads, downloads, bytes, scores of attention.
type Counts = [i64; 6];

fn counts(work: DecoderWork) -> Counts {
    [work.launches, work.copies, work.uploads, work.downloads, work.bytes, work.scores].map(|count| count as i64)
}

fn spec(family: &str) -> DecoderSpec {
    let (mut spec, _) = ModelFiles::from_path(&fixture(family)).unwrap().open().unwrap();
    spec.max_position = 4096;
    spec
}

/// The same layers twice over.
fn doubled(spec: &DecoderSpec) -> DecoderSpec {
    let mut spec = spec.clone();
    spec.layers *= 2;
    spec.attention = spec.attention.repeat(2);
    if let Some(experts) = &mut spec.experts {
        experts.layers = experts.layers.repeat(2);
    }
    spec
}

/// Drawn weights, in the type GPUs compute in.
fn decoder(spec: DecoderSpec) -> Decoder {
    Decoder::load_portable(spec, Weights::random(1), &Device::Cpu, Precision::BF16).unwrap()
}

fn tokens(count: usize) -> Vec<u32> {
    (0..count as u32).map(|at| (at * 37 + 11) % 250).collect()
}

/// A trie in depth-first order: a stem of 16 tokens under all `cached` rows, four branches of 12 under it, and two leaves of 4
/// under each of these.
fn trie(cached: usize) -> Pass {
    let mut pass = Pass::default();
    let mut branch = |length: usize, prefix: Vec<Range<usize>>| {
        let start = pass.tokens.len();
        pass.tokens.extend(tokens(length));
        pass.branches.push(Branch { tokens: start..start + length, prefix: prefix.into_iter().collect() });
        pass.rows.push(start + length - 1);
        cached + start..cached + start + length
    };
    let stem = branch(16, vec![0..cached]);
    for _ in 0..4 {
        let middle = branch(12, vec![0..cached, stem.clone()]);
        for _ in 0..2 {
            branch(4, vec![0..cached, stem.clone(), middle.clone()]);
        }
    }
    pass
}

fn cache(decoder: &Decoder) -> KvCache {
    let mut cache = decoder.cache();
    cache.reserve(2 * CACHED);
    decoder.forward(&mut cache, &Pass::sequence(&tokens(CACHED), 0)).unwrap();
    cache
}

fn step(cached: usize) -> Pass {
    Pass::sequence(&tokens(1), cached)
}

/// What is counted, by name.
const CASES: [&str; 4] = ["trie", "trie after a path is kept", "decode", "decode after a branch is dropped"];

/// Work of each case.
fn work(decoder: &Decoder) -> Vec<DecoderWork> {
    let forward = |cache: &mut KvCache, pass: &Pass| counted_calls(|| decoder.forward(cache, pass).unwrap()).1;
    let path: RowRanges = [0..150, 170..CACHED].into_iter().collect();
    let mut whole = cache(decoder);
    let mut of_path = cache(decoder);
    of_path.keep(&path);
    let mut grown = cache(decoder);
    decoder.forward(&mut grown, &trie(CACHED)).unwrap();
    grown.keep(&RowRanges::first(CACHED + 16));
    vec![
        forward(&mut whole, &trie(CACHED)),
        forward(&mut of_path, &trie(path.len())),
        forward(&mut cache(decoder), &step(CACHED)),
        forward(&mut grown, &step(CACHED + 16)),
    ]
}

/// Counts of a layer, the mean over the family's, rounded up, and of what is done once a pass, less what the last layer saves by
/// computing the wanted rows alone.
fn split(single: DecoderWork, double: DecoderWork, layers: i64) -> [Counts; 2] {
    let (single, double) = (counts(single), counts(double));
    let of_layers: Counts = std::array::from_fn(|at| double[at] - single[at]);
    [of_layers.map(|count| rounded_up(count, layers)), std::array::from_fn(|at| single[at] - of_layers[at])]
}

fn rounded_up(count: i64, layers: i64) -> i64 {
    (count + layers - 1) / layers
}

type Recorded = BTreeMap<String, BTreeMap<String, Counts>>;

/// Print what was found, and tell what is more than recorded.
fn grown(recorded: &Recorded, family: &str, found: &BTreeMap<String, Counts>) -> Vec<String> {
    println!("\n[{family:?}]");
    let mut grown = Vec::new();
    for (case, counts) in found {
        println!("{case:?} = {counts:?}");
        let most = recorded.get(family).and_then(|cases| cases.get(case));
        if most.is_none_or(|most| counts.iter().zip(most).any(|(count, most)| count > most)) {
            grown.push(format!("{family}, {case}: {counts:?}, recorded {most:?}"));
        }
    }
    grown
}

fn recorded() -> Recorded {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/engine/launches.toml");
    toml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn layers_take_no_more_than_is_recorded() {
    let recorded = recorded();
    let mut more = Vec::new();
    for family in FAMILIES {
        let single = spec(family);
        let layers = single.layers as i64;
        let (one, two) = (decoder(single.clone()), decoder(doubled(&single)));
        let mut found = BTreeMap::new();
        for ((case, single), double) in CASES.into_iter().zip(work(&one)).zip(work(&two)) {
            let [layer, pass] = split(single, double, layers);
            found.insert(format!("{case}: a layer"), layer);
            found.insert(format!("{case}: once a pass"), pass);
        }
        more.extend(grown(&recorded, family, &found));
    }
    assert!(more.is_empty(), "more than launches.toml has: {more:#?}");
}

/// The first prompts of ToMBench in English by their lengths and what they share, as `tomeval plan --benchmark tombench --trie` writes
/// them for the demo model.
const TOMBENCH: &[u8] = include_bytes!("tombench_trie.csv");

#[test]
fn prompts_of_tombench_take_no_more_than_is_recorded() {
    let spec = spec("llama");
    let (heads, layers) = (spec.heads, spec.layers);
    let trials = read_trie(TOMBENCH, spec.vocab_size, spec.max_position).unwrap();
    let decoder = decoder(spec);
    let packing = Packing::on(decoder.arithmetic());
    let score = || score_trials(&decoder, &trials, packing, u64::MAX, |_, _| ()).unwrap();
    let (scored, work) = counted_calls(score);
    let seen = scored.counts.attention_pairs as f64 * (heads * layers) as f64;
    println!("{:?}: {:.2} scores for each that is seen", scored.counts, work.scores as f64 / seen);
    let found = BTreeMap::from([("prompts of ToMBench".to_string(), counts(work))]);
    let more = grown(&recorded(), "a benchmark", &found);
    assert!(more.is_empty(), "more than launches.toml has: {more:#?}");
    assert!(work.scores as f64 >= seen, "{} of {seen} scores", work.scores);
}

#[test]
fn what_is_timed_is_what_is_counted() {
    let decoder = decoder(spec("llama"));
    let pass = Pass::sequence(&tokens(CACHED), 0);
    let forward = || counted_calls(|| decoder.forward(&mut decoder.cache(), &pass).unwrap()).1;
    let (work, times) = profiled_calls(forward);
    let calls: u64 = times.iter().map(|time| time.calls).sum();
    // Joining is one operation, and a launch for each of its parts.
    let parts: u64 = times.iter().filter(|time| time.operation == "cat").map(|time| time.calls).sum();
    assert!(calls + 2 * parts >= work.launches && calls <= work.launches + work.uploads, "{calls} calls, {work:?}");
    assert!(times.iter().all(|time| time.calls > 0 && time.caller.contains(".rs:")), "{times:?}");
    assert!(times.iter().all(|time| !time.caller.starts_with("array.rs")), "{times:?}");
    assert!(times.is_sorted_by(|one, other| one.seconds >= other.seconds), "{times:?}");
    let products = times.iter().filter(|time| time.operation == "product" && time.caller.starts_with("linear.rs"));
    assert!(products.clone().map(|time| time.calls).sum::<u64>() >= 8, "{times:?}");
    assert!(products.clone().any(|time| time.shape.starts_with(&format!("{CACHED}x"))), "{times:?}");
    assert_eq!(profiled_calls(|| ()).1, []);
}

#[test]
fn heads_and_captured_rows_take_no_more_than_is_recorded() {
    let spec = spec("llama");
    let (layers, vocab) = (spec.layers as i64, spec.vocab_size);
    let decoder = decoder(spec);
    let hidden = decoder.forward(&mut decoder.cache(), &Pass::sequence(&tokens(CACHED), 0)).unwrap().hidden;
    let targets: Vec<(usize, u32)> = (0..CACHED).map(|row| (row, 7)).collect();
    let scored = counted_calls(|| decoder.log_probs(&hidden, &targets).unwrap()).1;
    let head_rows = hidden.narrow(0, 0, 64).unwrap();
    let logits = counted_calls(|| decoder.logits(&head_rows).unwrap()).1;
    // What is sent once is sent by the first.
    let argmax = [(); 2].map(|()| counted_calls(|| decoder.argmax(&head_rows, vocab).unwrap()).1)[1];
    let mut pass = Pass::sequence(&tokens(CACHED), 0);
    let plain = counted_calls(|| decoder.forward(&mut decoder.cache(), &pass).unwrap()).1;
    let mut found = BTreeMap::from([
        ("log-probabilities of 200 rows".to_string(), counts(scored)),
        ("likeliest of 64 rows of logits".to_string(), counts(argmax - logits)),
    ]);
    for value_norms in [false, true] {
        pass.capture = Some(Capture { queries: vec![50, 100, 199], value_norms, ..Capture::default() });
        let captured = counted_calls(|| decoder.forward(&mut decoder.cache(), &pass).unwrap()).1;
        let name = if value_norms { "three captured rows with value norms" } else { "three captured rows" };
        found.insert(format!("{name}: a layer"), counts(captured - plain).map(|count| rounded_up(count, layers)));
    }
    let more = grown(&recorded(), "outside layers", &found);
    assert!(more.is_empty(), "more than launches.toml has: {more:#?}");
}

#[test]
fn greedy_replies_copy_one_number_a_token_and_drawn_ones_its_logits() {
    // Its layers copy nothing to the host, which mixtures do for their routers.
    let spec = spec("llama");
    let vocab = spec.vocab_size as u64;
    let decoder = decoder(spec);
    let (prompts, max_tokens) = (70, 9);
    let requests: Vec<GenerateRequest> = (0..prompts)
        .map(|place| GenerateRequest {
            prompt: vec![place, 3, 5].into(),
            key: place.to_string(),
            sample: 0,
            max_tokens,
        })
        .collect();
    let limits = Limits { replies: 100, ..Limits::default() };
    let copied = |sampling: &Sampling| {
        let (replies, work) = counted_calls(|| generate_all(&decoder, None, &requests, sampling, limits).unwrap());
        assert!(replies.iter().all(|reply| reply.tokens.len() == max_tokens));
        (work.downloads, work.downloaded)
    };
    let greedy = Sampling::greedy(Vec::new());
    // Logits of 64 rows exist at one time, so that 70 replies are two copies a step.
    let (steps, rows) = (max_tokens as u64, u64::from(prompts) * max_tokens as u64);
    assert_eq!(copied(&greedy), (2 * steps, 4 * rows));
    for whole_rows in [
        Sampling { temperature: 0.7, ..greedy.clone() },
        Sampling { repetition_penalty: 1.1, ..greedy.clone() },
        Sampling { temperature: 1.0, top_k: Some(1), ..greedy.clone() },
    ] {
        assert_eq!(copied(&whole_rows), (2 * steps, 4 * rows * vocab), "{whole_rows:?}");
    }
}
