//! Benchmark cases: workloads of fixed size, with the operations and bytes they require.

use serde::{Deserialize, Serialize};

use super::{BenchError, Scored, trie};
use crate::decoder::{Decoder, DecoderSpec, Pass, Precision};
use crate::engine::{GenerateRequest, Limits, Sampling, generate_all};

/// A workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Case {
    /// One sequence of `tokens` tokens in one pass, with the logits of its last token.
    Prefill {
        /// Its length.
        tokens: usize,
    },
    /// Greedy decoding of several sequences, one token of each per pass, from an empty KV cache.
    Decode {
        /// Sequences decoded together, for cases that have them.
        batch: usize,
        /// Tokens per sequence.
        tokens: usize,
    },
    /// The built-in questions, from trials to scores.
    Score {
        /// Whether shared prefixes are forwarded once; otherwise every prompt from its first token, one per pass.
        sharing: bool,
    },
    /// Prompts of random tokens for weights without a tokenizer: either the lengths and shared prefixes of a run, or
    /// stories with questions, each in several orders, with four letters after each.
    Trie {
        /// Number of prompts, if they come from a run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompts: Option<usize>,
        /// Tokens per prompt, the mean rounded down.
        tokens: usize,
        /// As for [`Case::Score`].
        sharing: bool,
    },
}

/// Amount of work of a case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Work {
    /// Tokens or questions.
    pub amount: usize,
    /// Floating-point operations of linear layers, attention and head.
    pub flops: f64,
    /// Minimum bytes moved: the weights and the keys and values of each sequence, once per pass. `None` if unknown.
    pub bytes: Option<f64>,
}

impl Case {
    /// Name in reports, equal for equal workloads.
    pub fn name(self) -> String {
        match self {
            Case::Prefill { tokens } => format!("prefill {tokens}"),
            Case::Decode { batch, tokens } => format!("decode {batch} x {tokens}"),
            Case::Score { sharing: true } => "score, shared".to_string(),
            Case::Score { sharing: false } => "score, naive".to_string(),
            Case::Trie { prompts, tokens, sharing } => {
                let what = prompts.map_or("trie".to_string(), |prompts| format!("{prompts} prompts of"));
                format!("{what} {tokens}, {}", if sharing { "shared" } else { "naive" })
            }
        }
    }

    /// Unit of its rate.
    pub fn unit(self) -> &'static str {
        match self {
            Case::Prefill { .. } | Case::Decode { .. } => "tokens/s",
            Case::Score { .. } => "items/s",
            Case::Trie { .. } => "prompts/s",
        }
    }

    /// Its longest sequence, if known in advance.
    pub(super) fn depth(self) -> Option<usize> {
        match self {
            Case::Prefill { tokens } | Case::Decode { tokens, .. } => Some(tokens),
            Case::Trie { tokens, .. } => Some(tokens + 1),
            Case::Score { .. } => None,
        }
    }

    /// Whether prompts are scored.
    pub fn scores(self) -> bool {
        matches!(self, Case::Score { .. } | Case::Trie { .. })
    }

    /// Runs the case once.
    pub(super) fn run(
        self,
        decoder: &Decoder,
        precision: Precision,
        scored: Option<&Scored<'_>>,
    ) -> Result<Work, BenchError> {
        let spec = decoder.spec();
        let weights = decoder.bytes_per_pass().map(|bytes| bytes as f64).or_else(|| weight_bytes(spec, precision));
        match self {
            Case::Prefill { tokens } => {
                prefill(decoder, tokens)?;
                Ok(Work {
                    amount: tokens,
                    flops: layer_flops(spec, tokens, attention_pairs(spec, tokens)) + head_flops(spec, 1),
                    bytes: weights.map(|weights| weights + (spec.kv_bytes_per_token() * tokens) as f64),
                })
            }
            Case::Decode { batch, tokens } => {
                decode(decoder, batch, tokens)?;
                let cached = spec.kv_bytes_per_token() * batch * tokens * (tokens + 1) / 2;
                Ok(Work {
                    amount: batch * tokens,
                    flops: layer_flops(spec, batch * tokens, batch as f64 * attention_pairs(spec, tokens))
                        + head_flops(spec, batch * tokens),
                    bytes: weights.map(|weights| weights * tokens as f64 + cached as f64),
                })
            }
            Case::Score { sharing } | Case::Trie { sharing, .. } => {
                let (amount, counts) = match scored {
                    Some(Scored::Questions(set)) => (set.items(), set.score(decoder, sharing)?),
                    Some(Scored::Prompts(trials)) => (trials.len(), trie::score(decoder, trials, sharing)?),
                    None => return Err(BenchError::Unasked("nothing to score is loaded".to_string())),
                };
                let pairs = counts.attention_pairs as f64 * spec.layers as f64;
                let flops = layer_flops(spec, counts.forwarded, pairs) + head_flops(spec, counts.head_rows);
                Ok(Work { amount, flops, bytes: None })
            }
        }
    }
}

fn token(decoder: &Decoder, index: usize) -> u32 {
    (index.wrapping_mul(7919) % decoder.spec().vocab_size) as u32
}

fn prefill(decoder: &Decoder, tokens: usize) -> Result<(), BenchError> {
    let ids: Vec<u32> = (0..tokens).map(|index| token(decoder, index)).collect();
    let pass = Pass { rows: vec![tokens - 1], ..Pass::sequence(&ids, 0) };
    let output = decoder.forward(&mut decoder.cache(), &pass)?;
    // Reading back the likeliest token synchronises with the device.
    let likeliest = decoder.argmax(&output.hidden, decoder.spec().vocab_size)?;
    std::hint::black_box(likeliest);
    Ok(())
}

fn decode(decoder: &Decoder, batch: usize, tokens: usize) -> Result<(), BenchError> {
    let request = |index: usize| GenerateRequest {
        prompt: [token(decoder, index + 1)].into(),
        key: String::new(),
        sample: 0,
        max_tokens: tokens,
    };
    let requests: Vec<GenerateRequest> = (0..batch).map(request).collect();
    // Unlimited memory: a benchmark of one batch must not be split.
    let limits = Limits { memory: u64::MAX, replies: batch, ..Limits::default() };
    std::hint::black_box(generate_all(decoder, None, &requests, &Sampling::greedy(Vec::new()), limits)?);
    Ok(())
}

/// Operations of the layers for `tokens` tokens and `pairs` query-key pairs, the latter per head and summed over
/// layers.
fn layer_flops(spec: &DecoderSpec, tokens: usize, pairs: f64) -> f64 {
    spec.flops_per_token() as f64 * tokens as f64 + 4.0 * spec.query_width() as f64 * pairs
}

fn head_flops(spec: &DecoderSpec, rows: usize) -> f64 {
    2.0 * spec.hidden as f64 * spec.vocab_size as f64 * rows as f64
}

/// Query-key pairs of one sequence, summed over layers; a window hides earlier tokens.
fn attention_pairs(spec: &DecoderSpec, tokens: usize) -> f64 {
    let seen = |window: usize| {
        let full = tokens.min(window);
        full * (full + 1) / 2 + (tokens - full) * window
    };
    spec.attention.iter().map(|layer| seen(layer.window.unwrap_or(tokens)) as f64).sum()
}

/// Bytes of the weights that every pass reads, including the head; the embedding is only looked up.
fn weight_bytes(spec: &DecoderSpec, precision: Precision) -> Option<f64> {
    let size = match precision {
        Precision::F32 => 4.0,
        Precision::F16 | Precision::BF16 => 2.0,
        Precision::Quantized | Precision::Q8_0 | Precision::Q4_0 | Precision::Q4K => return None,
    };
    Some(size * (spec.flops_per_token() as f64 / 2.0 + spec.hidden as f64 * spec.vocab_size as f64))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn spec(family: &str) -> DecoderSpec {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(family);
        crate::model::read_config(&folder.join("config.json")).unwrap()
    }

    #[test]
    fn a_window_bounds_the_pairs_of_its_layers() {
        let mut spec = spec("llama");
        let layers = spec.attention.len();
        assert_eq!(attention_pairs(&spec, 10), (layers * 55) as f64);
        spec.attention[0].window = Some(4);
        // 1 + 2 + 3 + 4, then six times four.
        assert_eq!(attention_pairs(&spec, 10), ((layers - 1) * 55 + 34) as f64);
    }

    #[test]
    fn weights_read_in_a_pass_are_all_matrices_but_the_lookup() {
        let spec = spec("llama");
        let read = weight_bytes(&spec, Precision::F32).unwrap();
        let lookup = if spec.tied_head { 0 } else { spec.vocab_size * spec.hidden };
        let norms = (2 * spec.layers + 1) * spec.hidden;
        assert_eq!(read, ((spec.weights() - lookup - norms) * 4) as f64);
        assert_eq!(weight_bytes(&spec, Precision::BF16), Some(read / 2.0));
        assert_eq!(weight_bytes(&spec, Precision::Quantized), None);
    }
}
