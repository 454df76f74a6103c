//! Vectors of texts by a model of this machine.

use candle_core::DType;

use crate::decoder::{Decoder, DecoderError, Pass};
use crate::model::Tokenizer;
use crate::progress::Tracker;

/// A text without a vector.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocalError {
    /// The tokenizer refuses it.
    #[error(transparent)]
    Tokenizer(#[from] crate::model::TokenizerError),
    /// The forward pass failed.
    #[error(transparent)]
    Decoder(#[from] DecoderError),
    /// Reading the states failed.
    #[error(transparent)]
    Tensor(#[from] candle_core::Error),
    /// It has too many tokens, or none; nothing is truncated.
    #[error("text {number} has {tokens} tokens; the model takes 1 to {most}")]
    Length {
        /// Its number, from 1.
        number: usize,
        /// Its tokens.
        tokens: usize,
        /// The model's context.
        most: usize,
    },
}

/// For each text the mean over its tokens of the last layer's hidden states, as the head reads them: (texts, D).
pub fn mean_states(
    decoder: &Decoder,
    tokenizer: &Tokenizer,
    texts: &[String],
    progress: &Tracker,
) -> Result<Vec<Vec<f32>>, LocalError> {
    let most = decoder.spec().max_position;
    let mut rows = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        let tokens = tokenizer.encode(text, true)?;
        if tokens.is_empty() || tokens.len() > most {
            return Err(LocalError::Length { number: at + 1, tokens: tokens.len(), most });
        }
        let states = decoder.forward_once(&Pass::sequence(&tokens, 0))?.hidden; // (T, D)
        rows.push(states.to_dtype(DType::F32)?.mean(0)?.to_vec1()?);
        progress.step(1);
    }
    Ok(rows)
}
