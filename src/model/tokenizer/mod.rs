//! Text to token ids and back, for every tokenizer file of the supported models.
//!
//! A [`Tokenizer`] is read from a `tokenizer.json`, from the metadata of a GGUF file, from a SentencePiece
//! `tokenizer.model`, or from byte ranks in tiktoken and Tekken files; all become one pipeline of the `tokenizers`
//! library. [`EncodedContext`] tokenizes a prompt once and then any number of continuations, giving the ids of context
//! and continuation as one text.

mod audit;
mod context;
mod error;
mod expression;
mod gguf;
mod huggingface;
mod model_file;
mod pipeline;
mod pretokenizer;
mod ranks;
mod sentencepiece;
mod special;
mod tekken;
mod tiktoken;

use std::fmt;
use std::ops::Range;

use tokenizers::{Encoding, ModelWrapper, PostProcessorWrapper};

pub(crate) use context::common_length;
pub use context::{EncodedContext, Sequence, Tail};
pub use error::TokenizerError;
pub(super) use huggingface::files_in;
use pipeline::{Pipeline, within_time};
pub use special::SpecialTokens;

use crate::catch_panic::contained;

/// Type of the vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
pub enum TokenizerKind {
    /// Pairs merged by rank, over bytes.
    #[strum(serialize = "byte-level BPE")]
    ByteLevelBpe,
    /// Pairs merged by rank, over characters, with bytes for unknown ones (SentencePiece BPE and similar).
    #[strum(serialize = "SentencePiece BPE")]
    CharacterBpe,
    /// The most likely segmentation under a unigram model (SentencePiece Unigram).
    #[strum(serialize = "SentencePiece Unigram")]
    Unigram,
    /// Another model of the `tokenizers` library.
    #[strum(serialize = "other")]
    Other,
}

/// A tokenizer with its special tokens.
///
/// ```
/// let tokenizer = tomeval::Tokenizer::from_folder("tests/fixtures/llama".as_ref())?;
/// let tokens = tokenizer.encode("Ada naps.", true)?;
/// assert_eq!(tokenizer.decode(&tokens[1..])?, "Ada naps.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Tokenizer {
    inner: Pipeline,
    kind: TokenizerKind,
    special: SpecialTokens,
    stop_ids: Vec<u32>,
    leading: Vec<u32>,
    splitting: context::Splitting,
    largest_id: u32,
    longest_token: usize,
    /// Its file.
    file: String,
    /// Other tokenizer files beside it.
    passed_over: Vec<&'static str>,
}

/// Maximum number of tokens that a tokenizer may put in front of a text.
const MOST_LEADING: usize = 100;

/// Bytes per piece when counting the tokens of a possibly far too long text, and minimum length of such a text.
const PIECE: usize = 1 << 18;
const LONG: usize = 1 << 20;

/// Maximum bytes of a text tokenized as one; each takes some hundred bytes of memory.
const LONGEST: usize = 32 << 20;

/// Message for a file on which the library panicked.
fn unusable(panic: &str) -> String {
    format!("it cannot be used ({panic}); fetch the file again")
}

impl fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokenizer").field("kind", &self.kind).field("largest_id", &self.largest_id).finish()
    }
}

impl Tokenizer {
    /// Complete a pipeline. `leading` are the ids put in front of a text with special tokens; `None` uses those of the
    /// pipeline's own post-processor.
    fn complete(
        mut inner: Pipeline,
        special: SpecialTokens,
        mut stop_ids: Vec<u32>,
        leading: Option<Vec<u32>>,
    ) -> Result<Self, TokenizerError> {
        keep_whole_offsets(&mut inner);
        let leading = match leading {
            Some(ids) => ids,
            None => leading_ids(&inner)?,
        };
        if leading.len() > MOST_LEADING {
            return Err(TokenizerError::encode(format!(
                "more than {MOST_LEADING} tokens are put in front of each text"
            )));
        }
        if inner.get_added_tokens_decoder().values().any(|token| token.content.is_empty()) {
            return Err(TokenizerError::encode("an empty added token would match everywhere"));
        }
        let splitting = context::Splitting::from_inner(&inner);
        let vocabulary = inner.get_vocab(true);
        let largest_id = vocabulary.values().copied().max().ok_or(TokenizerError::EmptyVocabulary)?;
        let longest_token = vocabulary.keys().map(String::len).max().unwrap_or(0);
        let kind = kind_of(&inner, &vocabulary);
        if let Some(eos) = special.eos().and_then(|eos| inner.token_to_id(eos))
            && !stop_ids.contains(&eos)
        {
            stop_ids.insert(0, eos);
        }
        Ok(Tokenizer {
            inner,
            kind,
            special,
            stop_ids,
            leading,
            splitting,
            largest_id,
            longest_token,
            file: "GGUF metadata".to_string(),
            passed_over: Vec::new(),
        })
    }

    /// Token ids of a text. Special tokens spelled out in the text become those tokens. With `add_special` the ids
    /// that the tokenizer puts in front of a text (usually BOS) come first; an EOS that some tokenizers put after a
    /// text is never added, because every text here is continued.
    ///
    /// # Errors
    /// The pipeline refuses the text, for instance a character without a token in a vocabulary without an unknown
    /// token.
    pub fn encode(&self, text: &str, add_special: bool) -> Result<Vec<u32>, TokenizerError> {
        let encoding = self.encoding(text, || self.inner.encode_fast(text, false))?;
        Ok([self.leading(add_special), encoding.get_ids()].concat())
    }

    /// Token ids of a standalone text, and the index of the first one that is scored: the one after the tokenizer's own
    /// leading tokens (usually BOS), else the second, since nothing precedes the first.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`].
    pub fn encode_whole(&self, text: &str) -> Result<(Vec<u32>, usize), TokenizerError> {
        let tokens = self.encode(text, true)?;
        let scored_from = self.leading.len().max(1).min(tokens.len());
        Ok((tokens, scored_from))
    }

    /// Token ids of a text, each with its byte range. Tokens that share a character (bytes of one letter) each have the
    /// whole character; leading special tokens have the empty range `0..0`.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`].
    pub fn encode_with_offsets(
        &self,
        text: &str,
        add_special: bool,
    ) -> Result<Vec<(u32, Range<usize>)>, TokenizerError> {
        let encoding = self.encoding(text, || self.inner.encode(text, false))?;
        let leading = self.leading(add_special).iter().map(|&id| (id, 0..0));
        let text_tokens = encoding.get_ids().iter().zip(encoding.get_offsets());
        Ok(leading.chain(text_tokens.map(|(&id, &(start, end))| (id, start..end))).collect())
    }

    /// A lower bound on a text's tokens, if it exceeds twice `limit`: counted piece by piece, only as far as needed and
    /// without the memory that all of them would take. `None` where the text may have fewer, so that it is worth
    /// tokenizing.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`].
    pub fn far_more_than(&self, limit: usize, text: &str) -> Result<Option<usize>, TokenizerError> {
        let (mut rest, mut tokens) = (text, 0);
        while text.len() > LONG && !rest.is_empty() {
            let end = PIECE.min(rest.len());
            let end = (end.saturating_sub(3)..=end).rev().find(|&end| rest.is_char_boundary(end)).unwrap_or(rest.len());
            let (piece, after) = rest.split_at(end);
            tokens += self.encode(piece, false)?.len();
            if tokens > 2 * limit {
                return Ok(Some(tokens));
            }
            rest = after;
        }
        Ok(None)
    }

    fn leading(&self, add_special: bool) -> &[u32] {
        if add_special { &self.leading } else { &[] }
    }

    /// The text of some tokens, special tokens spelled out. Bytes that do not form a complete character become U+FFFD.
    ///
    /// # Errors
    /// An id that is not in the vocabulary.
    pub fn decode(&self, ids: &[u32]) -> Result<String, TokenizerError> {
        if let Some(&id) = ids.iter().find(|&&id| self.inner.id_to_token(id).is_none()) {
            return Err(TokenizerError::UnknownId { id, largest: self.largest_id });
        }
        self.contained(|| self.inner.decode(ids, false))
    }

    /// Tokenize with the library, within limits.
    fn encoding(
        &self,
        text: &str,
        call: impl FnOnce() -> tokenizers::Result<Encoding>,
    ) -> Result<Encoding, TokenizerError> {
        if text.len() > LONGEST {
            let (has, most) = (text.len(), LONGEST >> 20);
            return Err(TokenizerError::encode(format!("the text has {has} bytes; the limit is {most} MB")));
        }
        self.contained(|| within_time(text.len(), call))
    }

    /// Call the library, turning panics into errors.
    fn contained<T>(&self, call: impl FnOnce() -> tokenizers::Result<T>) -> Result<T, TokenizerError> {
        let broken = |panic: String| TokenizerError::Broken { file: self.file.clone(), reason: unusable(&panic) };
        contained(call).map_err(broken)?.map_err(TokenizerError::encode)
    }

    /// The text of one token for display, with its leading space; `None` for an id that is not in the vocabulary.
    pub fn token_text(&self, id: u32) -> Option<String> {
        let piece = self.inner.id_to_token(id)?;
        match self.kind {
            TokenizerKind::CharacterBpe | TokenizerKind::Unigram => {
                let byte = piece.strip_prefix("<0x").and_then(|rest| rest.strip_suffix('>'));
                Some(match byte.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
                    Some(byte) if byte.is_ascii() => char::from(byte).to_string(),
                    Some(_) => char::REPLACEMENT_CHARACTER.to_string(),
                    None => piece.replace('▁', " "),
                })
            }
            TokenizerKind::ByteLevelBpe | TokenizerKind::Other => {
                self.contained(|| self.inner.decode(&[id], false)).ok()
            }
        }
    }

    /// Its file or other origin.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The names of other tokenizer files beside it, which are not read.
    pub fn passed_over(&self) -> &[&'static str] {
        &self.passed_over
    }

    /// Type of the vocabulary.
    pub fn kind(&self) -> TokenizerKind {
        self.kind
    }

    /// One more than the largest id: the least number of embedding rows a model needs for this tokenizer.
    pub fn vocab_size(&self) -> usize {
        self.largest_id as usize + 1
    }

    /// Bytes of the longest token as the vocabulary spells it, which is no shorter than its text.
    pub fn longest_token(&self) -> usize {
        self.longest_token
    }

    /// The id of the token that begins a text, if the tokenizer names one.
    #[cfg(test)]
    fn bos(&self) -> Option<u32> {
        self.special.bos().and_then(|token| self.inner.token_to_id(token))
    }

    /// Every id that ends a generated reply: EOS, and additions from `generation_config.json` or GGUF metadata.
    pub fn stop_ids(&self) -> &[u32] {
        &self.stop_ids
    }

    /// The special tokens by the names that chat templates use.
    pub fn special_tokens(&self) -> &SpecialTokens {
        &self.special
    }

    /// The id of a token by its exact spelling in the vocabulary.
    pub fn id_of(&self, token: &str) -> Option<u32> {
        self.inner.token_to_id(token)
    }

    /// Check that a model has an embedding row for every id.
    ///
    /// # Errors
    /// The model's vocabulary is smaller than the tokenizer's.
    pub fn check_model(&self, model_rows: usize) -> Result<(), TokenizerError> {
        if self.vocab_size() > model_rows {
            return Err(TokenizerError::VocabularyMismatch { tokenizer: self.vocab_size(), model: model_rows });
        }
        Ok(())
    }
}

/// The ids that the post-processor puts in front of a text.
fn leading_ids(inner: &Pipeline) -> Result<Vec<u32>, TokenizerError> {
    const PROBE: &str = "a";
    let encode =
        |special| within_time(PROBE.len(), || inner.encode_fast(PROBE, special)).map_err(TokenizerError::encode);
    let (plain, with_special) = (encode(false)?, encode(true)?);
    let (plain, with_special) = (plain.get_ids(), with_special.get_ids());
    if plain.is_empty() {
        return Err(TokenizerError::PostProcessor);
    }
    let start =
        with_special.windows(plain.len()).position(|window| window == plain).ok_or(TokenizerError::PostProcessor)?;
    Ok(with_special[..start].to_vec())
}

/// Some post-processors trim spaces from the reported offsets; here a token's range covers its whole text.
fn keep_whole_offsets(inner: &mut Pipeline) {
    fn keep(processor: &mut PostProcessorWrapper) {
        match processor {
            PostProcessorWrapper::ByteLevel(byte_level) => byte_level.trim_offsets = false,
            PostProcessorWrapper::Sequence(sequence) => sequence.as_mut().iter_mut().for_each(keep),
            PostProcessorWrapper::Roberta(roberta) => roberta.trim_offsets = false,
            PostProcessorWrapper::Bert(_) | PostProcessorWrapper::Template(_) => {}
        }
    }
    if let Some(mut processor) = inner.get_post_processor().cloned() {
        keep(&mut processor);
        inner.with_post_processor(Some(processor));
    }
}

fn kind_of(inner: &Pipeline, vocabulary: &std::collections::HashMap<String, u32>) -> TokenizerKind {
    match inner.get_model() {
        // A byte-level vocabulary spells the space as U+0120. Large vocabularies of characters have that letter too,
        // beside their own sign for the space.
        ModelWrapper::BPE(_) if vocabulary.contains_key("\u{120}") && !vocabulary.contains_key("\u{2581}") => {
            TokenizerKind::ByteLevelBpe
        }
        ModelWrapper::BPE(_) => TokenizerKind::CharacterBpe,
        ModelWrapper::Unigram(_) => TokenizerKind::Unigram,
        _ => TokenizerKind::Other,
    }
}

#[cfg(test)]
mod tests;
