//! Checks by rule on a made text against its source. Each finding names the place and the span, and is for a person to
//! look at: rules see what is lost, marked or exchanged, not whether the sense is right.

mod language;
mod names;
mod negation;
mod numbers;
mod options;
mod tense;
mod words;

use indexmap::IndexMap;

use self::names::Names;
use super::flag::{Check, Flag};
use super::texts::{Part, Texts};
use crate::language::Language;

pub use tense::past_narration;
pub use words::refusal;

/// Texts to check.
#[derive(Debug, Clone, Copy)]
pub struct Made<'a> {
    pub source: &'a Texts,
    pub target: &'a Texts,
    /// The target translated back, if it was.
    pub back: Option<&'a Texts>,
    /// The one right option of each question, where there is one. No prompt has it.
    pub gold: &'a [Option<usize>],
}

/// Checks the texts of one set, from one language into another.
pub struct Checker {
    source: Language,
    target: Language,
    names: Names,
    terms: IndexMap<String, String>,
    /// Median of a story's length over that of its source, in characters; `None` for too few stories.
    usual_length: Option<f64>,
}

/// Shortest story whose length is compared, in characters.
const SHORTEST: usize = 80;

/// Fewest stories for a usual length.
const FEWEST: usize = 5;

/// A story this much shorter or longer than usual has lost or gained something.
const FACTOR: f64 = 2.0;

/// A story of this share of the usual length has lost something if it has fewer sentences, too.
const SHORTER: f64 = 0.75;

impl Checker {
    /// Learns the names and the usual lengths of a set from all its pairs of source and target.
    pub fn new(
        source: Language,
        target: Language,
        pairs: &[(&Texts, &Texts)],
        terms: &IndexMap<String, String>,
    ) -> Self {
        let length = |text: &str| text.chars().count();
        let is_translated = |one: &Texts, other: &Texts| {
            language::check(Part::Story, &one.story, &other.story, source, target, &mut Vec::new())
        };
        let mut ratios: Vec<f64> = pairs
            .iter()
            .filter(|(source, target)| length(&source.story) >= SHORTEST && is_translated(source, target))
            .map(|(source, target)| length(&target.story) as f64 / length(&source.story) as f64)
            .collect();
        ratios.sort_by(f64::total_cmp);
        let usual_length = (ratios.len() >= FEWEST).then(|| ratios[ratios.len() / 2]);
        Checker { source, target, names: Names::learn(source, target, pairs), terms: terms.clone(), usual_length }
    }

    /// Returns all findings, by place.
    pub fn check(&self, made: &Made<'_>) -> Vec<Flag> {
        let mut flags = Vec::new();
        options::check(made, &mut flags);
        options::labels(made, self.source, self.target, &mut flags);
        for (part, source) in made.source.parts() {
            let target = made.target.at(part);
            if target.is_empty() {
                continue;
            }
            language::marks(part, source, target, &mut flags);
            language::leftovers(part, source, target, &mut flags);
            if !language::check(part, source, target, self.source, self.target, &mut flags) {
                continue;
            }
            language::untranslated(part, source, target, self.source, self.target, &mut flags);
            numbers::check(part, source, target, self.source, self.target, &mut flags);
            negation::check(part, source, target, self.source, self.target, &mut flags);
            for (term, wanted) in &self.terms {
                if contains_word(source, term) && !target.contains(wanted.as_str()) {
                    flags.push(Flag::new(Check::Term, part, term, format!("{term} should be {wanted}")));
                }
            }
            if let Some(span) = refusal(target).filter(|_| refusal(source).is_none()) {
                flags.push(Flag::new(Check::Refusal, part, span, "the text refuses"));
            }
        }
        self.names.check(made, &mut flags);
        self.length(made, &mut flags);
        flags.sort_by(|one, next| (one.check, &one.part, &one.span).cmp(&(next.check, &next.part, &next.span)));
        flags.dedup_by(|next, one| next.check == one.check && next.part == one.part && next.span == one.span);
        flags
    }

    /// Finds a story that ends before its source does: within a sentence, or with fewer sentences and shorter than usual.
    fn length(&self, made: &Made<'_>, flags: &mut Vec<Flag>) {
        let (source, target) = (&made.source.story, &made.target.story);
        let end = target.char_indices().rev().nth(19).map_or(0, |(at, _)| at);
        let mut cut = |message: String| flags.push(Flag::new(Check::Cut, Part::Story, &target[end..], message));
        if ends_sentence(source) && !target.is_empty() && !ends_sentence(target) {
            return cut("the story ends within a sentence, and its source does not".to_string());
        }
        let length = |text: &str| text.chars().count() as f64;
        let Some(usual) = self.usual_length.filter(|_| length(source) >= SHORTEST as f64) else { return };
        let ratio = length(target) / length(source) / usual;
        if !(1.0 / FACTOR..=FACTOR).contains(&ratio) {
            let what = if ratio < 1.0 { "shorter" } else { "longer" };
            let times = if ratio < 1.0 { 1.0 / ratio } else { ratio };
            cut(format!("the story is {times:.1} times {what} than usual in this set"));
        } else if ratio < SHORTER && sentences(target) < sentences(source) {
            cut("the story has fewer sentences than its source, and is shorter than usual in this set".to_string());
        }
    }
}

/// Marks of the end of a sentence.
const ENDS: [char; 10] = ['.', '!', '?', '…', '。', '！', '？', '؟', '۔', '।'];

/// Whether a text ends with the mark of a sentence's end, quotes and brackets aside.
fn ends_sentence(text: &str) -> bool {
    let around = |letter: char| letter.is_whitespace() || "\"'“”’‘»«」』)）]~～*".contains(letter);
    text.trim_end_matches(around).ends_with(ENDS)
}

/// Number of sentences by their marks; several marks in a row are one.
fn sentences(text: &str) -> usize {
    let is_end = |letter: char| ENDS.contains(&letter);
    let (mut count, mut before) = (0, false);
    for letter in text.chars() {
        count += usize::from(is_end(letter) && !before);
        before = is_end(letter);
    }
    count
}

/// Whether a text contains a word or phrase between word boundaries, whatever its case, also in the plural with s.
pub(super) fn contains_word(text: &str, word: &str) -> bool {
    let (text, word) = (text.to_lowercase(), word.to_lowercase());
    let is_word = |letter: char| letter.is_alphanumeric();
    text.match_indices(&word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = &text[at + word.len()..];
        let after = after
            .strip_prefix("es")
            .or(after.strip_prefix('s'))
            .filter(|rest| !rest.starts_with(is_word))
            .unwrap_or(after);
        !before.is_some_and(is_word) && !after.starts_with(is_word)
    })
}

/// Whether words of a language are not separated by spaces.
pub(super) fn is_unspaced(language: Language) -> bool {
    matches!(language.code(), "zh" | "ja" | "th" | "yue")
}
