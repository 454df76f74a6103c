//! The pipeline of the `tokenizers` library, with regular expressions limited to time linear in the text.
//!
//! The library runs a file's expression regardless of time, and silently stops splitting after a million steps at one
//! place. Here the same engine finds the same matches; exceeding a text's time or those steps is an error.

use std::cell::Cell;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use fancy_regex::{Regex, RegexBuilder};
use serde::{Deserialize, Deserializer};
use tokenizers::normalizers::Replace;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::tokenizer::pattern::{Invert, Pattern};
use tokenizers::{
    DecoderWrapper, ModelWrapper, NormalizedString, Normalizer, NormalizerWrapper, Offsets, PostProcessorWrapper,
    PreTokenizedString, PreTokenizer, PreTokenizerWrapper, TokenizerImpl,
};

/// A pipeline whose expressions are limited in time.
pub(super) type Pipeline =
    TokenizerImpl<ModelWrapper, Normalization, PreTokenization, PostProcessorWrapper, DecoderWrapper>;

/// Time limit of a text: a constant plus a time per byte, some hundred times what expressions of known tokenizers take.
const SHORTEST: Duration = Duration::from_secs(1);
const EACH_BYTE: Duration = Duration::from_micros(20);

/// Matches between two checks of the clock.
const MATCHES: usize = 64;

/// Initial and maximum number of steps at one place; the maximum is the library's.
const FEW_STEPS: usize = 1000;
const MOST_STEPS: usize = 1_000_000;

thread_local! {
    /// Deadline of the text that this thread works on.
    static UNTIL: Cell<Option<Instant>> = const { Cell::new(None) };
    /// The timeout message. The library drops errors of normalizers.
    static SLOW: Cell<Option<String>> = const { Cell::new(None) };
}

/// Run the pipeline on a text of `bytes` bytes.
pub(super) fn within_time<T>(bytes: usize, call: impl FnOnce() -> tokenizers::Result<T>) -> tokenizers::Result<T> {
    let allowed = SHORTEST + EACH_BYTE.saturating_mul(u32::try_from(bytes).unwrap_or(u32::MAX));
    UNTIL.set(Some(Instant::now() + allowed));
    let result = call();
    UNTIL.set(None);
    match SLOW.take() {
        Some(slow) => Err(slow.into()),
        None => result,
    }
}

/// Steps applied before a text is cut.
#[derive(Debug)]
pub(super) enum Normalization {
    /// A library step without an expression.
    Plain(NormalizerWrapper),
    /// Replaces all matches of an expression.
    Replace(Expression, String),
    /// One after the other.
    Steps(Vec<Normalization>),
}

/// Steps that cut a text into words.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a tokenizer has a few of them")]
pub(super) enum PreTokenization {
    /// A library step without an expression from the file.
    Plain(PreTokenizerWrapper),
    /// Cuts by an expression, namely [`Split::pattern`].
    Split(Split, Expression),
    /// One after the other.
    Steps(Vec<PreTokenization>),
}

impl From<NormalizerWrapper> for Normalization {
    fn from(step: NormalizerWrapper) -> Self {
        match step {
            NormalizerWrapper::Sequence(steps) => Normalization::Steps(steps.into_iter().map(Into::into).collect()),
            NormalizerWrapper::Replace(replace) => match expression_of(&replace) {
                Some(expression) => Normalization::Replace(expression, replace.content),
                None => Normalization::Plain(replace.into()),
            },
            other => Normalization::Plain(other),
        }
    }
}

/// The expression of a replacement step, which the library does not expose otherwise.
fn expression_of(replace: &Replace) -> Option<Expression> {
    let written = serde_json::to_value(replace).ok()?;
    Expression::new(written.get("pattern")?.get("Regex")?.as_str()?)
}

impl From<PreTokenizerWrapper> for PreTokenization {
    fn from(step: PreTokenizerWrapper) -> Self {
        match step {
            PreTokenizerWrapper::Sequence(steps) => PreTokenization::Steps(steps.into_iter().map(Into::into).collect()),
            PreTokenizerWrapper::Split(split) => {
                let expression = match &split.pattern {
                    SplitPattern::Regex(pattern) => Expression::new(pattern),
                    SplitPattern::String(_) => None,
                };
                match expression {
                    Some(expression) => PreTokenization::Split(split, expression),
                    None => PreTokenization::Plain(split.into()),
                }
            }
            other => PreTokenization::Plain(other),
        }
    }
}

impl<'de> Deserialize<'de> for Normalization {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        NormalizerWrapper::deserialize(deserializer).map(Into::into)
    }
}

impl<'de> Deserialize<'de> for PreTokenization {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        PreTokenizerWrapper::deserialize(deserializer).map(Into::into)
    }
}

impl Normalizer for Normalization {
    fn normalize(&self, text: &mut NormalizedString) -> tokenizers::Result<()> {
        match self {
            Normalization::Plain(step) => step.normalize(text),
            Normalization::Replace(expression, content) => text.replace(expression, content),
            Normalization::Steps(steps) => steps.iter().try_for_each(|step| step.normalize(text)),
        }
    }
}

impl PreTokenizer for PreTokenization {
    fn pre_tokenize(&self, text: &mut PreTokenizedString) -> tokenizers::Result<()> {
        match self {
            PreTokenization::Plain(step) => step.pre_tokenize(text),
            PreTokenization::Split(Split { behavior, invert, .. }, expression) => text.split(|_, part| match invert {
                true => part.split(Invert(expression), *behavior),
                false => part.split(expression, *behavior),
            }),
            PreTokenization::Steps(steps) => steps.iter().try_for_each(|step| step.pre_tokenize(text)),
        }
    }
}

/// A regular expression of a tokenizer.
#[derive(Debug)]
pub(super) struct Expression {
    /// With few steps at each place, enough nearly everywhere.
    quick: Regex,
    /// With as many steps as the library allows.
    thorough: OnceLock<Option<Regex>>,
}

/// Reason why matches were not found.
enum Slow {
    /// The time limit was exceeded.
    Time,
    /// The steps at one place were exceeded, after this time.
    Steps(Duration),
}

impl Expression {
    /// `None` for an invalid expression.
    fn new(pattern: &str) -> Option<Self> {
        Some(Expression { quick: with_steps(pattern, FEW_STEPS)?, thorough: OnceLock::new() })
    }

    fn matches(&self, text: &str) -> Result<Vec<(Offsets, bool)>, Slow> {
        match every_match(&self.quick, text) {
            // The maximum number of steps takes proportionally longer; a search that cannot end in time is not started.
            Err(Slow::Steps(took)) if took.saturating_mul((MOST_STEPS / FEW_STEPS) as u32) < left() => {
                let thorough = self.thorough.get_or_init(|| with_steps(self.quick.as_str(), MOST_STEPS));
                every_match(thorough.as_ref().unwrap_or(&self.quick), text)
            }
            found => found,
        }
    }
}

impl Pattern for &Expression {
    fn find_matches(&self, inside: &str) -> tokenizers::Result<Vec<(Offsets, bool)>> {
        if inside.is_empty() {
            return Ok(vec![((0, 0), false)]);
        }
        self.matches(inside).map_err(|_| {
            let pattern = self.quick.as_str();
            let slow = format!(
                "the tokenizer's expression `{pattern}` takes too long on a text of {} bytes; shorten the text, or use a model with \
                 another tokenizer",
                inside.len()
            );
            SLOW.set(Some(slow.clone()));
            slow.into()
        })
    }
}

fn with_steps(pattern: &str, most: usize) -> Option<Regex> {
    RegexBuilder::new(pattern).backtrack_limit(most).build().ok()
}

/// Time left for the text.
fn left() -> Duration {
    UNTIL.get().map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()))
}

/// The matches in a text and the parts between them, cut as by the library's own patterns.
fn every_match(expression: &Regex, text: &str) -> Result<Vec<(Offsets, bool)>, Slow> {
    let mut parts = Vec::new();
    let mut end = 0;
    for (number, found) in expression.find_iter(text).enumerate() {
        let Ok(found) = found else {
            // Repeated, to measure the time.
            let began = Instant::now();
            let _ = expression.find_from_pos(text, end);
            return Err(Slow::Steps(began.elapsed()));
        };
        if number % MATCHES == MATCHES - 1 && left().is_zero() {
            return Err(Slow::Time);
        }
        if end != found.start() {
            parts.push(((end, found.start()), false));
        }
        parts.push(((found.start(), found.end()), true));
        end = found.end();
    }
    if end != text.len() {
        parts.push(((end, text.len()), false));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use tokenizers::normalizers::replace::ReplacePattern;
    use tokenizers::tokenizer::SplitDelimiterBehavior::{
        Contiguous, Isolated, MergedWithNext, MergedWithPrevious, Removed,
    };
    use tokenizers::{OffsetReferential, OffsetType};

    use super::*;

    fn cut(step: &impl PreTokenizer, text: &str) -> Vec<(String, Offsets)> {
        let mut cut = PreTokenizedString::from(text);
        within_time(text.len(), || step.pre_tokenize(&mut cut)).unwrap();
        let splits = cut.get_splits(OffsetReferential::Original, OffsetType::Byte);
        splits.into_iter().map(|(text, offsets, _)| (text.to_string(), offsets)).collect()
    }

    const TEXT: &str = "Anne's  ball\n\n is in 12345 boxes,   aren't they?\t 中文 字。 \u{1f600}e\u{301} _x_  ";

    #[test]
    fn texts_are_cut_as_the_library_cuts_them() {
        let known = super::super::pretokenizer::expressions();
        for pattern in
            known.into_iter().chain([r"\s+(?!\S)|\s+", "", "x*", r"(?=\d)", r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))"])
        {
            for (behavior, invert) in [
                (Isolated, false),
                (Removed, true),
                (MergedWithNext, false),
                (MergedWithPrevious, true),
                (Contiguous, false),
            ] {
                let theirs = || Split::new(SplitPattern::Regex(pattern.to_string()), behavior, invert).unwrap();
                let ours = PreTokenization::from(PreTokenizerWrapper::from(theirs()));
                assert!(matches!(ours, PreTokenization::Split(..)));
                for text in [TEXT, "", "x", &TEXT.repeat(50)] {
                    assert_eq!(cut(&ours, text), cut(&theirs(), text), "{pattern}");
                }
            }
        }
    }

    #[test]
    fn texts_are_replaced_as_the_library_replaces() {
        for (pattern, content) in [("^ +| +$", ""), (" {2,}", " "), (r"\s+(?!\S)", "_"), ("x*", "-")] {
            let theirs = || Replace::new(ReplacePattern::Regex(pattern.to_string()), content).unwrap();
            let ours = Normalization::from(NormalizerWrapper::from(theirs()));
            assert!(matches!(ours, Normalization::Replace(..)));
            let (mut one, mut other) = (NormalizedString::from(TEXT), NormalizedString::from(TEXT));
            ours.normalize(&mut one).unwrap();
            theirs().normalize(&mut other).unwrap();
            assert_eq!(one, other, "{pattern}");
        }
    }

    /// Both engines: the one with look-ahead, and the linear one, in which each match may scan all of the text.
    const QUADRATIC: [&str; 3] = ["[^x]*x|.", r"(?:[^x]*x|[^z]*z)(?!y)|.", r"(?:[^x]*x|[^z]*z)(?!y)"];

    #[test]
    fn what_takes_too_long_is_an_error_in_time() {
        let text = "ab ".repeat(200_000 / 3);
        for pattern in QUADRATIC {
            let split = Split::new(SplitPattern::Regex(pattern.to_string()), Isolated, false).unwrap();
            let replace = Replace::new(ReplacePattern::Regex(pattern.to_string()), "").unwrap();
            let split = PreTokenization::from(PreTokenizerWrapper::from(split));
            let replace = Normalization::from(NormalizerWrapper::from(replace));
            let cut = || split.pre_tokenize(&mut PreTokenizedString::from(text.as_str()));
            // Called like the library does, which drops the error.
            let replaced = || {
                let _ = replace.normalize(&mut NormalizedString::from(text.as_str()));
                Ok(())
            };
            let calls: [&dyn Fn() -> tokenizers::Result<()>; 2] = [&cut, &replaced];
            for call in calls {
                let began = Instant::now();
                let found = within_time(text.len(), call);
                let (took, allowed) = (began.elapsed(), SHORTEST + EACH_BYTE * text.len() as u32);
                assert!(took < allowed + Duration::from_secs(10), "{pattern}: {took:?}");
                // On a fast machine some finish in time.
                match found {
                    Ok(()) => assert!(took <= allowed),
                    Err(error) => assert!(error.to_string().contains("takes too long on a text of"), "{error}"),
                }
            }
        }
    }

    #[test]
    fn many_steps_at_one_place_are_taken_where_there_is_time() {
        // No blank anywhere: each letter is a step of the first search.
        let text = format!("{} x", "中".repeat(50_000));
        let expression = Expression::new(r"(?<=\S)\s+|\s+(?!\S)").unwrap();
        let found = within_time(text.len(), || (&expression).find_matches(&text)).unwrap();
        assert_eq!(found, [((0, 150_000), false), ((150_000, 150_001), true), ((150_001, 150_002), false)]);
        // Few steps for each match, compared with all of them.
        let text = "1".repeat(6000);
        let digits = Expression::new(r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))").unwrap();
        assert_eq!(within_time(text.len(), || (&digits).find_matches(&text)).unwrap().len(), 2000);
        // More steps than the library allows, at which it silently stops.
        let text = format!("{} x", "中".repeat(1_100_000));
        let error = within_time(text.len(), || (&expression).find_matches(&text)).unwrap_err();
        assert!(error.to_string().contains("takes too long"), "{error}");
    }
}
