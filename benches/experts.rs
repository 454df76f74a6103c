//! What experts cost: a mixture beside a dense model of equal active size, random weights in f32. Both are forwarded in
//! turns, so that a slow moment of the machine falls on each alike; figures are medians with the middle half of the rounds.
//!
//! Arguments after `--` choose prompt lengths: `cargo bench --bench experts -- 8 512`.

use std::time::Instant;

use candle_core::Device;
use tomeval::{Decoder, Pass, Precision};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: usize = 21;

/// Layers of 1024 with 16 experts of 512, of which 4 are active.
const MIXTURE: &str = r#""model_type": "qwen3_moe", "intermediate_size": 2048, "moe_intermediate_size": 512, "num_experts": 16,
    "num_experts_per_tok": 4, "norm_topk_prob": true"#;

/// The same layers with one network as wide as the active experts together.
const DENSE: &str = r#""model_type": "qwen3", "intermediate_size": 2048"#;

fn decoder(own: &str) -> Decoder {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let config = folder.path().join("config.json");
    let text = format!(
        r#"{{{own}, "vocab_size": 4096, "hidden_size": 1024, "num_hidden_layers": 4, "num_attention_heads": 16,
        "num_key_value_heads": 4, "head_dim": 64, "max_position_embeddings": 8192, "rms_norm_eps": 1e-6,
        "rope_theta": 1000000.0, "hidden_act": "silu", "tie_word_embeddings": true}}"#
    );
    std::fs::write(&config, text).expect("the configuration can be written");
    let spec = tomeval::internal::read_config(&config).expect("the configuration is sound");
    Decoder::random(spec, 1, &Device::Cpu, Precision::F32).expect("the model is made")
}

fn forward(decoder: &Decoder, tokens: &[u32]) -> f64 {
    let start = Instant::now();
    decoder.forward(&mut decoder.cache(), &Pass::sequence(tokens, 0)).expect("the pass is sound");
    start.elapsed().as_secs_f64()
}

/// A quarter, a half and three quarters through the sorted values.
fn quartiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| values[quarter * (values.len() - 1) / 4])
}

fn main() {
    // Test runs of all targets only check that this builds.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let mut lengths: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    if lengths.is_empty() {
        lengths = vec![1, 8, 64, 512];
    }
    let (mixture, dense) = (decoder(MIXTURE), decoder(DENSE));
    for length in lengths {
        let tokens: Vec<u32> = (0..length as u32).map(|at| at * 7919 % 4096).collect();
        let (mut seconds, mut ratios) = (Vec::new(), Vec::new());
        for round in 0..=ROUNDS {
            let (one, other) = (forward(&mixture, &tokens), forward(&dense, &tokens));
            // The first round warms up.
            if round > 0 {
                seconds.push(1e3 * one);
                ratios.push(one / other);
            }
        }
        let ([low, ratio, high], [_, milliseconds, _]) = (quartiles(ratios), quartiles(seconds));
        println!(
            "{length:>5} tokens: {milliseconds:>8.2} ms, {ratio:.2} times the dense model ({low:.2} to {high:.2})"
        );
    }
}
