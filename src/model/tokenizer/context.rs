//! Continuations of a prompt: tokenized as one text with it, at the price of its last few words.
//!
//! Context and continuation are one text to the tokenizer, so the ids around the boundary depend on both. To score many
//! continuations without tokenizing the whole prompt for each, the text is cut at the last place of the context where
//! nothing after the cut can change a token before it:
//!
//! - at a special token: added tokens are found before anything else, the stretches between them are tokenized apart;
//! - between a line break and a letter, where the pre-tokenizer always cuts, or where no vocabulary entry spans the two.
//!
//! ```text
//! context   <|im_start|>system\n...<|im_end|>\n<|im_start|>assistant\n     + continuation "A"
//! kept ids  '--------------------------------'
//! tokenized again                             '-----------------------------------------'
//! ```

use std::sync::LazyLock;

use regex::Regex;
use tokenizers::ModelWrapper;
use tokenizers::normalizers::NormalizerWrapper;

use super::pretokenizer::{LineBreak, line_break};
use super::{Tokenizer, TokenizerError};

/// Where a tokenizer's text may be cut.
#[derive(Debug)]
pub(super) struct Splitting {
    /// Spellings of all added tokens, with whether a cut right before one is safe.
    added: Vec<Added>,
    /// Length in bytes of the longest of them.
    longest: usize,
    line_break: LineBreakRule,
}

#[derive(Debug)]
struct Added {
    id: u32,
    content: String,
    plain: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineBreakRule {
    /// A cut in front of any letter.
    Letter,
    /// A cut in front of letters that the vocabulary has as a token: others may join an unknown token before them.
    KnownLetter,
    /// No cut at line breaks.
    Never,
}

impl Splitting {
    pub(super) fn of(inner: &tokenizers::Tokenizer) -> Self {
        let mut added: Vec<Added> = inner
            .get_added_tokens_decoder()
            .into_iter()
            .map(|(id, token)| Added {
                id,
                plain: !token.normalized && !token.single_word && !token.lstrip && !token.rstrip,
                content: token.content,
            })
            .collect();
        added.sort_by_key(|token| token.id);
        let harmless = inner.get_added_tokens_decoder().values().all(|token| {
            let line_breaks_only = token.content.trim_start_matches('\n').is_empty();
            (!token.content.contains('\n') || line_breaks_only)
                && (!token.normalized || keeps_added_tokens(inner.get_normalizer()))
        });
        if !harmless {
            added.iter_mut().for_each(|token| token.plain = false);
        }
        let rule = if harmless { LineBreakRule::of(inner) } else { LineBreakRule::Never };
        let longest = added.iter().map(|token| token.content.len()).max().unwrap_or(0);
        Splitting { added, longest, line_break: rule }
    }

    fn added(&self, id: u32) -> Option<&Added> {
        self.added.binary_search_by_key(&id, |token| token.id).ok().map(|place| &self.added[place])
    }

    /// Whether some added token may begin before `cut` and end past the end of the text once the text is continued.
    fn may_straddle(&self, text: &str, cut: usize) -> bool {
        let first = (text.len() + 1).saturating_sub(self.longest);
        (first..cut).filter(|&start| text.is_char_boundary(start)).any(|start| {
            let rest = &text[start..];
            self.added.iter().any(|token| token.content.len() > rest.len() && token.content.starts_with(rest))
        })
    }

    fn cuts_before(&self, tokenizer: &Tokenizer, letter: char) -> bool {
        static LETTER: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"^\p{L}$").expect("the expression is a constant of this file"));
        let mut buffer = [0; 4];
        let letter = &*letter.encode_utf8(&mut buffer);
        LETTER.is_match(letter)
            && match self.line_break {
                LineBreakRule::Letter => true,
                LineBreakRule::KnownLetter => tokenizer.id_of(letter).is_some(),
                LineBreakRule::Never => false,
            }
    }
}

/// Whether added tokens that are looked for in normalised text are found exactly where they stand in the raw text.
fn keeps_added_tokens(normalizer: Option<&NormalizerWrapper>) -> bool {
    normalizer.is_none()
}

/// Whether a normalizer treats the text after a line break and letter as it would treat it alone, and leaves both.
fn keeps_line_breaks(normalizer: Option<&NormalizerWrapper>) -> bool {
    match normalizer {
        None | Some(NormalizerWrapper::NFC(_) | NormalizerWrapper::Prepend(_)) => true,
        Some(NormalizerWrapper::Replace(replace)) => *replace == super::sentencepiece::space_to_mark(),
        Some(NormalizerWrapper::Sequence(sequence)) => {
            sequence.as_ref().iter().all(|step| keeps_line_breaks(Some(step)))
        }
        Some(_) => false,
    }
}

impl LineBreakRule {
    fn of(inner: &tokenizers::Tokenizer) -> Self {
        if !keeps_line_breaks(inner.get_normalizer()) {
            return LineBreakRule::Never;
        }
        let plain_model = match inner.get_model() {
            ModelWrapper::BPE(bpe) => {
                bpe.dropout.is_none() && bpe.continuing_subword_prefix.is_none() && bpe.end_of_word_suffix.is_none()
            }
            ModelWrapper::Unigram(_) => true,
            _ => false,
        };
        match line_break(inner.get_pre_tokenizer()) {
            _ if !plain_model => LineBreakRule::Never,
            LineBreak::Cut => LineBreakRule::Letter,
            // Byte-level spelling of a line break is U+010A.
            LineBreak::Kept if !inner.get_vocab(true).keys().any(|piece| spans_line_break(piece)) => {
                LineBreakRule::KnownLetter
            }
            LineBreak::Kept | LineBreak::Unknown => LineBreakRule::Never,
        }
    }
}

/// Whether a vocabulary entry has a letter right after a line break.
fn spans_line_break(piece: &str) -> bool {
    let mut before = None;
    piece.chars().any(|character| {
        let spans = matches!(before, Some('\n' | '\u{10a}')) && character.is_alphabetic() && character != '\u{10a}';
        before = Some(character);
        spans
    })
}

/// Where the text of a context is cut.
#[derive(Debug, Clone, Copy)]
struct Cut {
    /// Ids of the context that stay as they are.
    keep: usize,
    /// Byte at which the text that is tokenized again begins.
    from: usize,
    /// Bytes of that text whose tokens are among the kept ones.
    skip: usize,
}

/// A token sequence of which a tail is scored.
///
/// ```text
/// tokens       t0 t1 t2 t3 t4 t5        scored_from = 4
///              '---------' '---'
///               context    continuation: log p(t4 | t0..t3), log p(t5 | t0..t4)
/// forwarded    t0 t1 t2 t3 t4           the last token need not be forwarded
/// logits rows           ^  ^            rows 3 and 4 predict tokens 4 and 5
/// ```
///
/// Context and continuation are tokenized as one text and then split; where the boundary moves, `scored_from` is the
/// length of the longest common prefix with the context's own tokens.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sequence {
    /// Context and continuation.
    pub tokens: Vec<u32>,
    /// Index of the first scored token: at least 1 and less than `tokens.len()`.
    pub scored_from: usize,
}

/// A tokenized prompt that continuations can be put after.
#[derive(Debug)]
pub struct EncodedContext<'t> {
    tokenizer: &'t Tokenizer,
    text: String,
    ids: Vec<u32>,
    leading: usize,
    cut: Option<Cut>,
}

impl Tokenizer {
    /// Tokenize a prompt once, so that continuations cost only the text after its last safe cut.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`].
    pub fn context(&self, text: impl Into<String>, add_special: bool) -> Result<EncodedContext<'_>, TokenizerError> {
        let text = text.into();
        let tokens = self.encode_with_offsets(&text, add_special)?;
        let leading = self.leading(add_special).len();
        let cut = self.last_cut(&text, &tokens, leading);
        let ids = tokens.into_iter().map(|(id, _)| id).collect();
        Ok(EncodedContext { tokenizer: self, text, ids, leading, cut })
    }

    fn last_cut(&self, text: &str, tokens: &[(u32, std::ops::Range<usize>)], leading: usize) -> Option<Cut> {
        for index in (leading..tokens.len()).rev() {
            let (id, range) = &tokens[index];
            let cut = if let Some(added) = self.splitting.added(*id) {
                let written = text.get(range.clone()) == Some(added.content.as_str());
                (added.plain && written).then_some(Cut { keep: index, from: range.start, skip: 0 })
            } else if index > leading {
                let (before, range_before) = &tokens[index - 1];
                let letter = text.get(range.start..).and_then(|rest| rest.chars().next());
                let after_line_break =
                    range.start > 0 && text.as_bytes()[range.start - 1] == b'\n' && range_before.end == range.start;
                let cuts = after_line_break
                    && self.splitting.added(*before).is_none()
                    && letter.is_some_and(|letter| self.splitting.cuts_before(self, letter));
                cuts.then(|| Cut { keep: index, from: range.start - 1, skip: 1 })
            } else {
                None
            };
            if let Some(cut) = cut
                && !self.splitting.may_straddle(text, cut.from)
            {
                return Some(cut);
            }
        }
        None
    }
}

impl EncodedContext<'_> {
    /// Ids of the context alone.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Ids of the context alone.
    pub fn into_ids(self) -> Vec<u32> {
        self.ids
    }

    /// The end of the context that is tokenized again with each continuation.
    #[cfg(test)]
    pub(super) fn tail(&self) -> &str {
        self.cut.map_or(self.text.as_str(), |cut| &self.text[cut.from..])
    }

    /// Ids of context and continuation as one text, and how many of them the continuation has: where the boundary
    /// moved, those after the last token that both have in common.
    ///
    /// # Errors
    /// The continuation adds no token, nothing stands before its first token, or as [`Tokenizer::encode`].
    pub fn continue_with(&self, continuation: &str) -> Result<Sequence, TokenizerError> {
        let tokens = match self.cut {
            Some(cut) => match self.continue_from(cut, continuation)? {
                Some(tokens) => tokens,
                None => self.continue_whole(continuation)?,
            },
            None => self.continue_whole(continuation)?,
        };
        let scored_from = tokens.iter().zip(&self.ids).take_while(|(whole, own)| whole == own).count();
        if continuation.is_empty() || scored_from == tokens.len() {
            return Err(TokenizerError::EmptyContinuation { continuation: continuation.to_string() });
        }
        if scored_from == 0 {
            return Err(TokenizerError::NoContext { continuation: continuation.to_string() });
        }
        Ok(Sequence { tokens, scored_from })
    }

    /// The plain way: everything as one text.
    fn continue_whole(&self, continuation: &str) -> Result<Vec<u32>, TokenizerError> {
        let rest = self.tokenizer.encode(&format!("{}{continuation}", self.text), false)?;
        Ok([&self.ids[..self.leading], &rest].concat())
    }

    /// The fast way; `None` when the text after the cut does not begin with a token there, which the choice of cuts
    /// rules out and which is checked all the same.
    fn continue_from(&self, cut: Cut, continuation: &str) -> Result<Option<Vec<u32>>, TokenizerError> {
        let rest = format!("{}{continuation}", &self.text[cut.from..]);
        let mut tokens = self.ids[..cut.keep].to_vec();
        if cut.skip == 0 {
            tokens.extend(self.tokenizer.encode(&rest, false)?);
            return Ok(Some(tokens));
        }
        let rest = self.tokenizer.encode_with_offsets(&rest, false)?;
        let Some(first) = rest.iter().position(|(_, range)| range.end > cut.skip) else { return Ok(None) };
        if rest[first].1.start != cut.skip {
            return Ok(None);
        }
        tokens.extend(rest[first..].iter().map(|(id, _)| id));
        Ok(Some(tokens))
    }
}
