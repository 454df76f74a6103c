//! What capture costs: capture of attention against a plain forward of the same prompt, on a model of SmolLM2-135M's
//! shape with random weights, in f32. All kinds take turns, so that a slow moment of the machine falls on each alike; the
//! figures are medians and their ratios to the plain forward's.
//!
//! Arguments after `--` choose prompt lengths: `cargo bench --bench capture -- 300 2500`.

use std::time::Instant;

use tomeval::internal::{AttentionProbe, Weighting};
use tomeval::{Decoder, Pass, Tokenizer};

mod smollm2;

use smollm2::{decoder, tokens};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: usize = 7;

/// The prompt in one pass, as the probe forwards it, without capture.
fn plain(decoder: &Decoder, ids: &[u32]) {
    let pass = Pass { rows: Vec::new(), ..Pass::sequence(ids, 0) };
    decoder.forward_once(&pass).expect("the pass is sound");
}

/// The prompt in passes of 512 over a growing cache, as scoring forwards it.
fn in_passes(decoder: &Decoder, ids: &[u32]) {
    let mut cache = decoder.cache();
    for tokens in ids.chunks(512) {
        let pass = Pass { rows: Vec::new(), ..Pass::sequence(tokens, cache.rows()) };
        decoder.forward(&mut cache, &pass).expect("the pass is sound");
    }
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

fn main() {
    // Test runs of all targets only check that this builds.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let mut lengths: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    if lengths.is_empty() {
        lengths = vec![300, 1000];
    }
    let decoder = decoder();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/llama");
    let tokenizer = Tokenizer::from_folder(&folder).expect("the fixture has a tokenizer");
    let probe = AttentionProbe {
        decoder: &decoder,
        tokenizer: &tokenizer,
        template: None,
        variables: Default::default(),
        now: None,
        budget: 1 << 30,
    };
    for length in lengths {
        let ids = tokens(length);
        let last = length - 1;
        let options: Vec<usize> = (0..5).map(|option| last - 15 * option).collect();
        let capture = |queries: &[usize], weighting| {
            probe.captures(&ids, queries, weighting).expect("the prompt is sound");
        };
        let kinds: [(&str, &dyn Fn()); 6] = [
            ("plain forward", &|| plain(&decoder, &ids)),
            ("plain, passes of 512", &|| in_passes(&decoder, &ids)),
            ("answer row", &|| capture(&[last], Weighting::Attention)),
            ("answer and four options", &|| capture(&options, Weighting::Attention)),
            ("answer row, value norms", &|| capture(&[last], Weighting::ValueNorms)),
            ("five rows, value norms", &|| capture(&options, Weighting::ValueNorms)),
        ];
        let mut seconds = vec![Vec::new(); kinds.len()];
        for round in 0..=ROUNDS {
            for (kind, taken) in kinds.iter().zip(&mut seconds) {
                let start = Instant::now();
                kind.1();
                // The first round warms up.
                if round > 0 {
                    taken.push(start.elapsed().as_secs_f64());
                }
            }
        }
        let medians: Vec<f64> = seconds.into_iter().map(median).collect();
        println!("{length} tokens, median of {ROUNDS} rounds");
        for ((name, _), seconds) in kinds.iter().zip(&medians) {
            println!("  {name:24} {:8.1} ms  {:5.3}", 1e3 * seconds, seconds / medians[0]);
        }
    }
}
