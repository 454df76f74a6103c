//! The residual stream at the end of texts.

use super::request::Path;
use super::schedule::schedule;
use super::trie::{Shared, Trie};
use crate::decoder::{Decoder, DecoderError, Pass};

/// The residual stream of the last token of each text, `(layers + 1, hidden)` row by row: after the embedding and after each
/// layer, before the final norm. Each distinct beginning of the texts is forwarded once, all of them in one pass.
///
/// # Errors
/// A text without tokens, and those of the decoder.
pub fn last_states(decoder: &Decoder, texts: &[Vec<u32>]) -> Result<Vec<Vec<f32>>, DecoderError> {
    if texts.iter().any(Vec::is_empty) {
        return Err(DecoderError::Pass("a text without tokens has no last one".to_string()));
    }
    let (stages, width) = (decoder.spec().stages(), decoder.spec().hidden);
    let paths: Vec<Path<'_>> = texts.iter().map(|text| Path::of_prompt(text, stages)).collect();
    let trie = Trie::new(&paths, &Shared::default(), true);
    let mut found = vec![Vec::new(); texts.len()];
    // Texts of several stages, which share nothing, take a pass each.
    for scheduled in schedule(&paths, &trie, 0, trie.tokens().max(1), false) {
        let output = decoder.forward_once(&Pass { states: true, ..scheduled.pass })?;
        for target in scheduled.targets {
            for layer in &output.states {
                found[target.path].extend_from_slice(&layer[target.row * width..(target.row + 1) * width]);
            }
        }
    }
    Ok(found)
}
