//! Continuations tokenized as one text with their prompt, at the cost of the prompt's last few words.
//!
//! The tokenizer sees context and continuation as one text, so the ids around the boundary depend on both. To score
//! many continuations without tokenizing the whole prompt for each, the text is cut at the last place of the context
//! where nothing after the cut can change a token before it:
//!
//! - at a special token: added tokens are found first, and the text between them is tokenized separately;
//! - between a line break and a letter, where the pre-tokenizer always cuts, or where no vocabulary entry spans the
//!   two.
//!
//! ```text
//! context   <|im_start|>system\n...<|im_end|>\n<|im_start|>assistant\n     + continuation "A"
//! kept ids  '--------------------------------'
//! tokenized again                             '-----------------------------------------'
//! ```

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use tokenizers::ModelWrapper;
use tokenizers::normalizers::NormalizerWrapper;

use super::pipeline::{Normalization, Pipeline};
use super::pretokenizer::{LineBreak, line_break};
use super::{Tokenizer, TokenizerError};

/// Safe cuts in a tokenizer's text.
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
    /// A cut in front of letters that are tokens of the vocabulary: others may join an unknown token before them.
    KnownLetter,
    /// No cut at line breaks.
    Never,
}

impl Splitting {
    pub(super) fn from_inner(inner: &Pipeline) -> Self {
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
        let rule = if harmless { LineBreakRule::from_inner(inner) } else { LineBreakRule::Never };
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

/// Whether added tokens that are searched in normalised text are found exactly at their position in the raw text.
fn keeps_added_tokens(normalizer: Option<&Normalization>) -> bool {
    normalizer.is_none()
}

/// Whether a normalizer treats the text after a line break and letter as if it were alone, and keeps both.
fn keeps_line_breaks(normalizer: Option<&Normalization>) -> bool {
    match normalizer {
        None | Some(Normalization::Plain(NormalizerWrapper::NFC(_) | NormalizerWrapper::Prepend(_))) => true,
        Some(Normalization::Plain(NormalizerWrapper::Replace(replace))) => {
            *replace == super::sentencepiece::space_to_mark()
        }
        Some(Normalization::Steps(steps)) => steps.iter().all(|step| keeps_line_breaks(Some(step))),
        Some(Normalization::Plain(_) | Normalization::Replace(..)) => false,
    }
}

impl LineBreakRule {
    fn from_inner(inner: &Pipeline) -> Self {
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

/// The cut of a context's text.
#[derive(Debug, Clone, Copy)]
struct Cut {
    /// Number of unchanged leading ids of the context.
    keep: usize,
    /// Byte at which the retokenized text begins.
    from: usize,
    /// Bytes of that text whose tokens are among the kept ones.
    skip: usize,
}

/// A token sequence whose tail is scored.
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

/// A tokenized prompt to which continuations can be appended.
#[derive(Debug)]
pub struct EncodedContext<'t> {
    tokenizer: &'t Tokenizer,
    text: String,
    ids: Vec<u32>,
    /// The byte range of each id in `text`.
    ranges: Vec<Range<usize>>,
    leading: usize,
    cut: Option<Cut>,
}

/// Ids, each with its byte range.
type Tokens = (Vec<u32>, Vec<Range<usize>>);

/// The continuation of a context, without the ids in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tail {
    /// Number of the context's own ids kept before it.
    pub keep: usize,
    /// The scored ids.
    pub tokens: Vec<u32>,
}

impl Tokenizer {
    /// Tokenize a prompt once, so that continuations cost only the text after its last safe cut.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`].
    pub fn context(&self, text: impl Into<String>, add_special: bool) -> Result<EncodedContext<'_>, TokenizerError> {
        let text = text.into();
        let tokens = self.encode_with_offsets(&text, add_special)?.into_iter().unzip();
        Ok(self.encoded(text, tokens, self.leading(add_special).len()))
    }

    /// The same for a prompt that begins like an earlier one: only the text after the last safe cut of their common
    /// beginning is tokenized again.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`].
    pub fn context_like(
        &self,
        earlier: &EncodedContext<'_>,
        text: impl Into<String>,
        add_special: bool,
    ) -> Result<EncodedContext<'_>, TokenizerError> {
        let text = text.into();
        let leading = self.leading(add_special).len();
        let tokens = match leading == earlier.leading {
            true => self.tokens_like(earlier, &text)?,
            false => None,
        };
        match tokens {
            Some(tokens) => Ok(self.encoded(text, tokens, leading)),
            None => self.context(text, add_special),
        }
    }

    fn encoded(&self, text: String, (ids, ranges): Tokens, leading: usize) -> EncodedContext<'_> {
        let cut = self.last_cut(&text, &ids, &ranges, leading);
        EncodedContext { tokenizer: self, text, ids, ranges, leading, cut }
    }

    /// Tokens of a text, reusing those before the last cut of its common beginning with an earlier one; `None` where
    /// there is no such cut.
    fn tokens_like(&self, earlier: &EncodedContext<'_>, text: &str) -> Result<Option<Tokens>, TokenizerError> {
        let common = &text[..earlier.common_bytes(text)];
        let known = earlier.ranges.partition_point(|range| range.start < common.len());
        let (ids, ranges) = (&earlier.ids[..known], &earlier.ranges[..known]);
        let Some(cut) = self.last_cut(common, ids, ranges, earlier.leading) else { return Ok(None) };
        let rest = self.encode_with_offsets(&text[cut.from..], false)?;
        let Some(first) = cut.first_new(&rest) else { return Ok(None) };
        let (mut ids, mut ranges) = (ids[..cut.keep].to_vec(), ranges[..cut.keep].to_vec());
        for (id, range) in rest.into_iter().skip(first) {
            ids.push(id);
            ranges.push(range.start + cut.from..range.end + cut.from);
        }
        Ok(Some((ids, ranges)))
    }

    fn last_cut(&self, text: &str, ids: &[u32], ranges: &[Range<usize>], leading: usize) -> Option<Cut> {
        for index in (leading..ids.len()).rev() {
            let (id, range) = (&ids[index], &ranges[index]);
            let cut = if let Some(added) = self.splitting.added(*id) {
                let written = text.get(range.clone()) == Some(added.content.as_str());
                (added.plain && written).then_some(Cut { keep: index, from: range.start, skip: 0 })
            } else if index > leading {
                let (before, range_before) = (&ids[index - 1], &ranges[index - 1]);
                let letter = text.get(range.start..).and_then(|rest| rest.chars().next());
                let after_line_break = range.start.checked_sub(1).and_then(|at| text.as_bytes().get(at))
                    == Some(&b'\n')
                    && range_before.end == range.start;
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

    /// Number of leading bytes of a text in common with this context, up to a character boundary.
    pub fn common_bytes(&self, text: &str) -> usize {
        let same = common_length(self.text.as_bytes(), text.as_bytes());
        (0..=same).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0)
    }

    /// The text that is tokenized again with each continuation, and its ids in the context alone: contexts in which
    /// both are equal have equal continuations. `None` where that is the whole context.
    pub fn end(&self) -> Option<(&str, &[u32])> {
        let Cut { keep, from, .. } = self.cut.filter(|cut| cut.keep > 0)?;
        Some((&self.text[from..], &self.ids[keep..]))
    }

    /// The same context with other ids, to see which of them are reused.
    #[cfg(test)]
    pub(super) fn with_ids(self, id: u32) -> Self {
        EncodedContext { ids: vec![id; self.ids.len()], ..self }
    }

    /// The end of the context that is tokenized again with each continuation.
    #[cfg(test)]
    pub(super) fn text_after_cut(&self) -> &str {
        self.cut.map_or(self.text.as_str(), |cut| &self.text[cut.from..])
    }

    /// Ids of context and continuation as one text, and how many of them belong to the continuation: where the boundary
    /// moved, those after the last token in common.
    ///
    /// # Errors
    /// The continuation adds no token, no token precedes its first, or as [`Tokenizer::encode`].
    pub fn continue_with(&self, continuation: &str) -> Result<Sequence, TokenizerError> {
        let Tail { keep, tokens } = self.tail(continuation)?;
        Ok(Sequence { tokens: [&self.ids[..keep], &tokens].concat(), scored_from: keep })
    }

    /// The same without the ids in common with the context.
    ///
    /// # Errors
    /// As [`EncodedContext::continue_with`].
    pub fn tail(&self, continuation: &str) -> Result<Tail, TokenizerError> {
        let after_cut = match self.cut {
            Some(cut) => self.continue_from(cut, continuation)?.map(|tokens| (cut.keep, tokens)),
            None => None,
        };
        let (before, mut tokens) = match after_cut {
            Some(tokens) => tokens,
            None => (self.leading, self.continue_whole(continuation)?),
        };
        let same = common_length(&tokens, &self.ids[before..]);
        let keep = before + same;
        if continuation.is_empty() || same == tokens.len() {
            return Err(TokenizerError::EmptyContinuation { continuation: continuation.to_string() });
        }
        if keep == 0 {
            return Err(TokenizerError::NoContext { continuation: continuation.to_string() });
        }
        tokens.drain(..same);
        Ok(Tail { keep, tokens })
    }

    /// The plain way: everything except the leading ids as one text.
    fn continue_whole(&self, continuation: &str) -> Result<Vec<u32>, TokenizerError> {
        self.tokenizer.encode(&format!("{}{continuation}", self.text), false)
    }

    /// The fast way: ids after the cut. `None` where no token begins right after the skipped text, which the choice of
    /// cuts rules out but which is still checked.
    fn continue_from(&self, cut: Cut, continuation: &str) -> Result<Option<Vec<u32>>, TokenizerError> {
        let rest = format!("{}{continuation}", &self.text[cut.from..]);
        if cut.skip == 0 {
            return Ok(Some(self.tokenizer.encode(&rest, false)?));
        }
        let rest = self.tokenizer.encode_with_offsets(&rest, false)?;
        Ok(cut.first_new(&rest).map(|first| rest[first..].iter().map(|(id, _)| *id).collect()))
    }
}

impl Cut {
    /// Index of the first token of the text after the cut that is not among the kept ones; `None` where no token begins
    /// right after the skipped bytes.
    fn first_new(&self, rest: &[(u32, Range<usize>)]) -> Option<usize> {
        if self.skip == 0 {
            return Some(0);
        }
        let first = rest.iter().position(|(_, range)| range.end > self.skip)?;
        (rest[first].1.start == self.skip).then_some(first)
    }
}

/// Length of the common beginning of two lists. Whole blocks are compared first, which processors do fast.
pub(crate) fn common_length<T: PartialEq>(left: &[T], right: &[T]) -> usize {
    const BLOCK: usize = 32;
    let blocks = left.chunks_exact(BLOCK).zip(right.chunks_exact(BLOCK));
    let start = BLOCK * blocks.take_while(|(left, right)| left == right).count();
    start + left[start..].iter().zip(&right[start..]).take_while(|(left, right)| left == right).count()
}
