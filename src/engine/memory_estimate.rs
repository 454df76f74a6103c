//! Estimates the memory of a model from its shape: weights at a precision, and one prompt.

use serde::Serialize;
use strum::{IntoStaticStr, VariantArray};

use super::memory::MemoryCosts;
use super::plan::Packing;
use crate::decoder::{Arithmetic, DecoderSpec};
use crate::name::named;

/// Prompt length for which memory is estimated: the longest usual one of the benchmarks.
pub const PROMPT_TOKENS: usize = 2500;

/// Storage formats of weights, from the widest to the narrowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray, Serialize)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    /// 32-bit floating point.
    F32,
    /// bfloat16; f16 takes the same.
    Bf16,
    /// GGUF blocks of 32 weights in 34 bytes.
    #[strum(serialize = "q8_0")]
    #[serde(rename = "q8_0")]
    Q80,
    /// GGUF blocks of 256 weights in 144 bytes. Q4_K_M files keep some matrices in wider blocks and are about an eighth
    /// larger.
    #[strum(serialize = "q4_k")]
    #[serde(rename = "q4_k")]
    Q4K,
}

named!(Kept);

impl Kept {
    /// Bytes of `weights` weights.
    pub fn bytes(self, weights: u64) -> u64 {
        let (bytes, block) = match self {
            Kept::F32 => (4, 1),
            Kept::Bf16 => (2, 1),
            Kept::Q80 => (34, 32),
            Kept::Q4K => (144, 256),
        };
        weights.div_ceil(block).saturating_mul(bytes)
    }
}

/// Memory of a model on the CPU, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Room {
    /// Storage format of the weights.
    pub precision: Kept,
    /// Bytes of weights.
    pub weights: u64,
    /// Keys, values, activations and logits of one prompt; `None` if the family is not supported.
    pub prompt: Option<u64>,
}

impl Room {
    /// Memory of a model at every precision, with a prompt of `tokens`. Keys and values are f32 on the CPU, whatever
    /// the weights' precision.
    pub fn at_all_precisions(weights: u64, spec: Option<&DecoderSpec>, tokens: usize) -> Vec<Room> {
        let prompt = spec.map(|spec| {
            let pass_tokens = Packing::on(Arithmetic::CPU).pass_tokens.min(tokens);
            MemoryCosts::new(spec, Arithmetic::CPU).pass_bytes(tokens, pass_tokens)
        });
        Kept::ALL.into_iter().map(|precision| Room { precision, weights: precision.bytes(weights), prompt }).collect()
    }

    /// Weights and prompt together.
    pub fn bytes(&self) -> u64 {
        self.weights.saturating_add(self.prompt.unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_billion_weights_take_what_their_files_do() {
        let card = crate::model::card("llama-3.1-8b-instruct").expect("cards can be read").expect("the card is there");
        let spec = card.spec().expect("it has a shape").expect("its family is built in");
        let rooms = Room::at_all_precisions(8_030_261_248, Some(&spec), PROMPT_TOKENS);
        let weights: Vec<u64> = rooms.iter().map(|room| room.weights >> 20).collect();
        assert_eq!(weights, [30633, 15316, 8136, 4307]);
        // 32 layers of 1,024 keys and as many values in f32, plus the activations of a pass.
        let prompt = rooms[0].prompt.expect("the family is built in");
        assert!((2500 * 32 * 2 * 1024 * 4..1 << 30).contains(&prompt), "{prompt}");
        assert!(rooms.iter().all(|room| room.prompt == Some(prompt) && room.bytes() == room.weights + prompt));
        assert_eq!(Room::at_all_precisions(256, None, PROMPT_TOKENS)[3].bytes(), 144);
    }
}
