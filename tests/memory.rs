//! What is held in memory, measured on the heap: of a long prompt whose attention is captured (a model with the ratios of a 7B one
//! at a sixteenth of its width, and half of a prompt of 2,500 tokens), and of a run whose records are read.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use candle_core::Device;
use peak_alloc::PeakAlloc;
use tomeval::internal::Recorded;
use tomeval::internal::Shown;
use tomeval::internal::Weights;
use tomeval::internal::read_config;
use tomeval::internal::{AttentionProbe, Weighting};
use tomeval::internal::{ReadOptions, read_records};
use tomeval::{Decoder, Pass, Precision, Tokenizer, TrialRecord, read_run};

#[path = "../benches/large/data.rs"]
mod data;
#[allow(dead_code)]
#[path = "../benches/large/made.rs"]
mod made;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// Llama 2 7B has 32 layers of 32 heads of 128, keys of their own for each, 4,096 wide with an MLP of 11,008. A model
/// without shared key heads is the hardest case: its keys and values alone would take 2.6 GB in f32.
const CONFIG: &str = r#"{
    "model_type": "llama", "vocab_size": 320, "hidden_size": 256, "intermediate_size": 688, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 32, "max_position_embeddings": 4096, "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0, "hidden_act": "silu", "tie_word_embeddings": true
}"#;
const NARROWER: usize = 16;
const SHORTER: usize = 2;
const TOKENS: usize = 2500 / SHORTER;
/// Bytes beside the weights that a 7B model may take.
const LIMIT: usize = 2 << 30;

/// One measurement at a time: all tests share the heap.
fn alone() -> MutexGuard<'static, ()> {
    static MEASURING: Mutex<()> = Mutex::new(());
    MEASURING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Most bytes on the heap during `work`, above those before it.
fn peak(work: impl FnOnce()) -> usize {
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    work();
    HEAP.peak_usage().saturating_sub(before)
}

fn probe<'a>(decoder: &'a Decoder, tokenizer: &'a Tokenizer, budget: u64) -> AttentionProbe<'a> {
    AttentionProbe { decoder, tokenizer, template: None, variables: Default::default(), now: None, budget }
}

#[test]
fn a_long_prompt_on_a_7b_shape_stays_within_two_gibibytes() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.json");
    std::fs::write(&config, CONFIG).unwrap();
    let spec = read_config(&config).unwrap();
    // A model keeps the memory of activations and caches for its next pass, so each measurement takes a fresh one.
    let model = || Decoder::random(spec.clone(), 1, &Device::Cpu, Precision::F32).unwrap();
    let fixture = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/llama");
    let tokenizer = Tokenizer::from_folder(&fixture).unwrap();
    let ids: Vec<u32> = (0..TOKENS as u32).map(|index| index * 7 % 320).collect();
    // The answer position and four options.
    let queries: Vec<usize> = (0..5).map(|option| TOKENS - 1 - 15 * option).collect();
    let rows: usize = queries.iter().map(|query| 32 * 32 * (query + 1) * size_of::<f32>()).sum();

    // Everything grows with the length; rows have their full size in the narrow model, the rest is a sixteenth.
    let at_full_size = |peak: usize, rows: usize| ((peak - rows) * NARROWER + rows) * SHORTER;
    for (weighting, copies) in [(Weighting::Attention, 1), (Weighting::ValueNorms, 2)] {
        let mut held = 0;
        let decoder = model();
        let peak = peak(|| {
            let captures = probe(&decoder, &tokenizer, 1 << 30).captures(&ids, &queries, weighting).unwrap();
            held = captures.iter().map(|capture| size_of_val(capture.weights())).sum();
        });
        assert_eq!(held, rows, "no other rows than those asked for");
        let full = at_full_size(peak, copies * rows);
        println!("{weighting:?}: {peak} bytes here, {full} at full size");
        assert!(full < LIMIT, "{weighting:?}: {peak} bytes here, {full} at full size");
    }

    // Scoring falls back to the same kind of pass where the cache would not fit.
    let text = "a ".repeat(600);
    let labels = ["A".to_string(), "B".to_string()];
    let scores_within = |budget| {
        let (decoder, mut scores) = (model(), Vec::new());
        let peak = peak(|| {
            let texts = std::slice::from_ref(&text);
            scores = probe(&decoder, &tokenizer, budget).log_likelihoods(texts, &labels, true).unwrap();
        });
        (peak, scores.concat())
    };
    let ((roomy, roomy_scores), (narrow, narrow_scores)) = (scores_within(1 << 30), scores_within(24 << 20));
    for (one, other) in roomy_scores.iter().zip(narrow_scores) {
        assert!((one - other).abs() < 1e-4, "{one} {other}");
    }
    assert!(narrow < roomy, "{narrow} bytes without a cache, {roomy} with one");

    // The measure sees what it should: with the keys and values of all layers kept, the limit is passed.
    let decoder = model();
    let kept = peak(|| {
        let pass = Pass { rows: Vec::new(), ..Pass::sequence(&ids, 0) };
        decoder.forward(&mut decoder.cache(), &pass).unwrap();
    });
    assert!(at_full_size(kept, 0) > LIMIT, "{kept} bytes with a cache");
}

/// A vocabulary that takes most of the weights, as in small models of today.
#[test]
fn loading_holds_no_matrix_in_f32_and_takes_what_was_told() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.json");
    let wide = CONFIG
        .replace("\"vocab_size\": 320, \"hidden_size\": 256, \"intermediate_size\": 688", WIDE_SIZES)
        .replace("\"num_hidden_layers\": 32", "\"num_hidden_layers\": 2")
        .replace("\"tie_word_embeddings\": true", "\"tie_word_embeddings\": false");
    std::fs::write(&config, wide).unwrap();
    let spec = read_config(&config).unwrap();
    assert_eq!((spec.vocab_size, spec.layers, spec.tied_head), (48_000, 2, false));
    // Before anything is measured: threads are started once.
    Decoder::random(spec.clone(), 1, &Device::Cpu, Precision::Q8_0).unwrap();
    for precision in [Precision::Q4K, Precision::Q4_0, Precision::Q8_0, Precision::BF16, Precision::F32] {
        let kept = Decoder::weight_bytes(&spec, &Weights::random(1), &Device::Cpu, precision).unwrap() as usize;
        let rendered = kept + Decoder::loading_bytes(&spec, &Device::Cpu, precision) as usize;
        let mut decoder = None;
        let peak = peak(|| decoder = Some(Decoder::random(spec.clone(), 1, &Device::Cpu, precision).unwrap()));
        // Some rows of each thread.
        let some_rows = (2 << 20) * rayon::current_num_threads();
        println!("{precision}: {peak} bytes, told {rendered}");
        assert!(peak < rendered + some_rows, "{precision}: {peak} bytes, told {rendered}");
        // A whole vocabulary in f32 would be told by this.
        assert!(some_rows < spec.vocab_size * spec.hidden * size_of::<f32>() / 4);
    }
}

const WIDE_SIZES: &str = "\"vocab_size\": 48000, \"hidden_size\": 512, \"intermediate_size\": 1024";

#[test]
fn texts_of_records_are_read_and_not_held() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let (questions, run) = (folder.path().join("questions.jsonl"), folder.path().join("run"));
    fs::write(&questions, data::questions(60)).unwrap();
    made::run(&questions, &run);
    let peak_of_reading = || {
        let recorded = Recorded::open(&run).unwrap();
        let loaded = recorded.manifest.load_items(&run, Some(questions.clone())).unwrap();
        let mut records = 0;
        let peak = peak(|| {
            let read = read_records(recorded.clone(), &loaded, &ReadOptions::default()).unwrap();
            assert_eq!(read.outcomes.len(), 60);
            assert_eq!(read.report(true).unwrap().items.len(), 60);
            records = read.records.records;
        });
        (records, peak)
    };
    let (records, short) = peak_of_reading();
    const MORE: usize = 200_000;
    lengthen(&run.join("trials.jsonl"), MORE);
    let (_, long) = peak_of_reading();
    // The line, what is made of it, and buffers that grow by doubling: some copies of one text, and not one of each.
    let (held, all) = (long.saturating_sub(short), records * MORE);
    assert!(records > 200 && held < all / 20, "{held} bytes more for {all} more bytes in {records} records");
    // The measure sees what it should.
    let kept = peak(|| assert_eq!(read_run(&run).unwrap().records.len(), records));
    assert!(kept > all, "{kept} bytes with all records, which have {all} more");
}

/// Add so many letters to the prompt of each record.
fn lengthen(trials: &Path, more: usize) {
    let text = fs::read_to_string(trials).unwrap();
    let longer = |line: &str| {
        let mut record = TrialRecord::parse(line).unwrap();
        let Shown::Text(text) = &mut record.asks[0].shown else { panic!("a model without a template is shown text") };
        text.push_str(&"a".repeat(more));
        record.to_line() + "\n"
    };
    fs::write(trials, text.lines().map(longer).collect::<String>()).unwrap();
}
