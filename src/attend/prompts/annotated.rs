//! A prompt with its tokens, parts and words; words take over the weights of their tokens.

use std::ops::Range;

use strum::{IntoStaticStr, VariantArray};

use super::leaving_out::leaving_out;
use super::parts::{PartKind, PromptPart};
use super::word::{Word, WordKind};
use crate::language::Language;
use crate::name::named;
use crate::segment::segment_names;

/// Index of a word in an [`AnnotatedPrompt`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WordIx(pub usize);

/// A token and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptToken {
    /// Number in the vocabulary.
    pub id: u32,
    /// Its bytes in the text; empty for tokens without text, such as an added start token.
    pub range: Range<usize>,
}

/// How the weights of a word's tokens are combined.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, IntoStaticStr, VariantArray, serde::Serialize, serde::Deserialize,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Merge {
    /// Sum: the attention mass on the word. Favours long words.
    #[default]
    Sum,
    /// Mean: average attention per token of the word. Masses no longer add up.
    Mean,
}

named!(Merge, "way to merge tokens");

/// A prompt as given to the model.
///
/// Words tile the text and never cross a part's border. A token's weight is split over the words it overlaps in
/// proportion to bytes; white space gets a share only if the token contains nothing else. Mass is therefore conserved:
/// the sum over words equals the sum over tokens, and a part's words sum to the part.
#[derive(Debug, Clone)]
pub struct AnnotatedPrompt {
    text: String,
    language: Language,
    parts: Vec<PromptPart>,
    tokens: Vec<PromptToken>,
    words: Vec<Word>,
    /// For each token, the words it belongs to, with fractions that sum to 1.
    shares: Vec<Vec<(WordIx, f64)>>,
}

impl AnnotatedPrompt {
    /// Cuts `text` into words. `parts` must tile it (as from [`crate::attend::prompts::parts::place`]); token ranges
    /// must lie inside it and start in ascending order.
    pub fn new(text: String, parts: Vec<PromptPart>, tokens: Vec<PromptToken>, language: Language) -> Self {
        let mut words = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let inside = &text[part.range.clone()];
            words.extend(segment_names(inside, language).into_iter().map(|range| Word {
                kind: kind_of(&inside[range.clone()]),
                range: part.range.start + range.start..part.range.start + range.end,
                part: Some(index),
            }));
        }
        let tiled = words.len();
        let mut shares = Vec::with_capacity(tokens.len());
        for token in &tokens {
            if token.range.is_empty() {
                words.push(Word { range: token.range.clone(), kind: WordKind::Special, part: None });
                shares.push(vec![(WordIx(words.len() - 1), 1.0)]);
            } else {
                shares.push(share(&words[..tiled], &token.range));
            }
        }
        AnnotatedPrompt { text, language, parts, tokens, words, shares }
    }

    /// The whole text, template included.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Language whose rules were used to cut the text into words.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Parts, tiling the text.
    pub fn parts(&self) -> &[PromptPart] {
        &self.parts
    }

    /// Tokens in order.
    pub fn tokens(&self) -> &[PromptToken] {
        &self.tokens
    }

    /// Vocabulary numbers of the tokens.
    pub fn token_ids(&self) -> Vec<u32> {
        self.tokens.iter().map(|token| token.id).collect()
    }

    /// Words: first those that tile the text, in order, then tokens without text.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// The text of a word.
    pub fn word_text(&self, word: WordIx) -> &str {
        &self.text[self.words[word.0].range.clone()]
    }

    /// The kind of part that contains a word; template for tokens without text.
    pub fn part_kind(&self, word: WordIx) -> PartKind {
        self.words[word.0].part.map_or(PartKind::Template, |part| self.parts[part].kind)
    }

    /// Converts one weight per position to one per word. `profile` may be shorter than the tokens: a query sees only
    /// the positions up to itself, and later ones have weight 0.
    pub fn word_weights(&self, profile: &[f64], merge: Merge) -> Vec<f64> {
        let mut sums = vec![0.0; self.words.len()];
        let mut tokens = vec![0.0; self.words.len()];
        for (shares, weight) in self.shares.iter().zip(profile) {
            for &(word, fraction) in shares {
                sums[word.0] += fraction * weight;
                tokens[word.0] += fraction;
            }
        }
        if merge == Merge::Mean {
            for (sum, tokens) in sums.iter_mut().zip(&tokens) {
                if *tokens > 0.0 {
                    *sum /= tokens;
                }
            }
        }
        sums
    }

    /// Sum of word weights per part, in the order of [`AnnotatedPrompt::parts`], and of tokens without text.
    pub fn part_masses(&self, word_weights: &[f64]) -> (Vec<f64>, f64) {
        let mut masses = vec![0.0; self.parts.len()];
        let mut special = 0.0;
        for (word, weight) in self.words.iter().zip(word_weights) {
            match word.part {
                Some(part) => masses[part] += weight,
                None => special += weight,
            }
        }
        (masses, special)
    }

    /// Share of each token, from 0 to 1, that lies in words that satisfy a condition.
    pub fn token_shares(&self, wanted: impl Fn(WordIx) -> bool) -> Vec<f64> {
        let sum =
            |shares: &Vec<(WordIx, f64)>| shares.iter().filter(|(word, _)| wanted(*word)).map(|(_, part)| part).sum();
        self.shares.iter().map(sum).collect()
    }

    /// The last token that a word has a share of; `None` for white space inside tokens of words.
    pub fn last_token(&self, word: WordIx) -> Option<usize> {
        self.shares.iter().rposition(|shares| shares.iter().any(|(own, _)| *own == word))
    }

    /// The text with some words left out, with the gaps repaired.
    pub fn without(&self, left_out: &[WordIx]) -> String {
        let tiled = self.words.partition_point(|word| word.kind != WordKind::Special);
        let mut gone = vec![false; tiled];
        for word in left_out {
            if let Some(gone) = gone.get_mut(word.0) {
                *gone = true;
            }
        }
        leaving_out(&self.text, &self.words[..tiled], &gone)
    }
}

fn kind_of(piece: &str) -> WordKind {
    if piece.chars().all(char::is_whitespace) {
        WordKind::Space
    } else if piece.chars().any(char::is_alphanumeric) {
        WordKind::Word
    } else {
        WordKind::Mark
    }
}

/// The words that a token overlaps, with fractions by bytes; white space only if the token contains nothing else.
fn share(words: &[Word], token: &Range<usize>) -> Vec<(WordIx, f64)> {
    let first = words.partition_point(|word| word.range.end <= token.start);
    let overlapping: Vec<(usize, usize, WordKind)> = words[first..]
        .iter()
        .enumerate()
        .take_while(|(_, word)| word.range.start < token.end)
        .map(|(offset, word)| {
            (first + offset, word.range.end.min(token.end) - word.range.start.max(token.start), word.kind)
        })
        .collect();
    let blank = overlapping.iter().all(|(.., kind)| *kind == WordKind::Space);
    let counts = |kind: WordKind| blank || kind != WordKind::Space;
    let bytes: usize = overlapping.iter().filter(|(.., kind)| counts(*kind)).map(|(_, bytes, _)| bytes).sum();
    overlapping
        .into_iter()
        .filter(|(.., kind)| counts(*kind))
        .map(|(index, part, _)| (WordIx(index), part as f64 / bytes as f64))
        .collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::benchmark::SegmentKind;
    use crate::prompt::SlotIx;
    use proptest::prelude::*;

    /// A prompt of `(kind, text)` parts with tokens of the given lengths in bytes.
    pub(crate) fn prompt(parts: &[(PartKind, &str)], token_bytes: &[usize], language: Language) -> AnnotatedPrompt {
        let mut text = String::new();
        let mut placed = Vec::new();
        for (kind, piece) in parts {
            let start = text.len();
            text.push_str(piece);
            placed.push(PromptPart { kind: *kind, range: start..text.len() });
        }
        let mut at = 0;
        let tokens = token_bytes
            .iter()
            .enumerate()
            .map(|(id, bytes)| {
                at += bytes;
                PromptToken { id: id as u32, range: at - bytes..at }
            })
            .collect();
        assert_eq!(at, text.len(), "tokens tile the text");
        AnnotatedPrompt::new(text, placed, tokens, language)
    }

    pub(crate) const STORY: PartKind = PartKind::Context(SegmentKind::Story);

    #[test]
    fn subwords_join_and_leading_space_takes_no_share() {
        // Tokens: "An", "na", " has", " ", " tea."
        let prompt = prompt(&[(STORY, "Anna has  tea.")], &[2, 2, 4, 1, 5], Language::En);
        let weights = prompt.word_weights(&[0.1, 0.2, 0.3, 0.1, 0.4], Merge::Sum);
        let by_word: Vec<(&str, f64)> =
            (0..weights.len()).map(|word| (prompt.word_text(WordIx(word)), weights[word])).collect();
        // " tea." is one token of four visible bytes: three quarters go to the word, one to the full stop.
        let expected = [("Anna", 0.3), (" ", 0.0), ("has", 0.3), ("  ", 0.1), ("tea", 0.3), (".", 0.1)];
        for (found, expected) in by_word.iter().zip(expected) {
            assert_eq!(found.0, expected.0);
            assert!((found.1 - expected.1).abs() < 1e-12, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn mean_divides_by_the_tokens_of_the_word() {
        let prompt = prompt(&[(STORY, "Anna has")], &[2, 2, 4], Language::En);
        let weights = prompt.word_weights(&[0.1, 0.3, 0.6], Merge::Mean);
        assert_eq!(weights, [0.2, 0.0, 0.6]);
    }

    #[test]
    fn tokens_without_text_have_words_of_their_own() {
        let prompt = prompt(&[(STORY, "Anna")], &[0, 4], Language::En);
        let weights = prompt.word_weights(&[0.75, 0.25], Merge::Sum);
        assert_eq!(prompt.words()[1].kind, WordKind::Special);
        assert_eq!(prompt.part_masses(&weights), (vec![0.25], 0.75));
    }

    #[test]
    fn positions_after_the_query_weigh_nothing() {
        let prompt = prompt(&[(STORY, "Anna has")], &[4, 4], Language::En);
        assert_eq!(prompt.word_weights(&[1.0], Merge::Sum), [1.0, 0.0, 0.0]);
    }

    #[test]
    fn a_token_over_two_chinese_words_is_split_by_bytes() {
        let prompt = prompt(&[(STORY, "小明把")], &[6, 3], Language::Zh);
        assert_eq!(prompt.word_weights(&[0.5, 0.5], Merge::Sum), [0.5, 0.5]);
        let prompt = super::tests::prompt(&[(STORY, "小明把")], &[9], Language::Zh);
        let weights = prompt.word_weights(&[0.9], Merge::Sum);
        assert!((weights[0] - 0.6).abs() < 1e-12 && (weights[1] - 0.3).abs() < 1e-12);
    }

    #[test]
    fn leaving_out_a_word_leaves_single_spaces() {
        let prompt = prompt(&[(STORY, "Anna has warm tea.")], &[18], Language::En);
        assert_eq!(prompt.without(&[WordIx(4)]), "Anna has tea.");
        assert_eq!(prompt.without(&[WordIx(2), WordIx(4)]), "Anna tea.");
        assert_eq!(prompt.without(&[WordIx(6)]), "Anna has warm.");
        assert_eq!(prompt.without(&[]), "Anna has warm tea.");
    }

    #[test]
    fn token_shares_tell_how_much_of_a_token_is_wanted() {
        let prompt = prompt(&[(STORY, "tea."), (PartKind::Option(SlotIx(0)), "Tea")], &[4, 3], Language::En);
        let shares = prompt.token_shares(|word| prompt.part_kind(word) == STORY);
        assert_eq!(shares, [1.0, 0.0]);
        let shares = prompt.token_shares(|word| prompt.words()[word.0].kind == WordKind::Mark);
        assert_eq!(shares, [0.25, 0.0]);
    }

    proptest! {
        #[test]
        fn word_mass_sums_to_segment_mass(
            texts in proptest::collection::vec("[a-c .小明]{1,12}", 1..5),
            cuts in proptest::collection::vec(1usize..6, 1..40),
            weights in proptest::collection::vec(0.0f64..1.0, 60),
        ) {
            // Tokens of random lengths at character borders, not aligned with words or parts.
            let text: String = texts.concat();
            let mut lengths = vec![0];
            let (mut count, mut wanted) = (0, cuts.iter().cycle());
            let mut limit = *wanted.next().unwrap();
            for character in text.chars() {
                if count == limit {
                    lengths.push(0);
                    count = 0;
                    limit = *wanted.next().unwrap();
                }
                *lengths.last_mut().unwrap() += character.len_utf8();
                count += 1;
            }
            let parts: Vec<(PartKind, &str)> = texts.iter().map(|text| (STORY, text.as_str())).collect();
            let prompt = prompt(&parts, &lengths, Language::Zh);
            let profile = &weights[..lengths.len().min(weights.len())];
            let words = prompt.word_weights(profile, Merge::Sum);
            let total: f64 = profile.iter().sum();
            prop_assert!((words.iter().sum::<f64>() - total).abs() < 1e-9);
            let (masses, special) = prompt.part_masses(&words);
            prop_assert!((masses.iter().sum::<f64>() + special - total).abs() < 1e-9);
            for (index, part) in prompt.parts().iter().enumerate() {
                let inside: f64 = prompt.words().iter().zip(&words).filter(|(word, _)| word.part == Some(index)).map(|(_, w)| w).sum();
                prop_assert!((inside - masses[index]).abs() < 1e-9);
                let whole: f64 = prompt.tokens().iter().zip(profile)
                    .filter(|(token, _)| token.range.start >= part.range.start && token.range.end <= part.range.end)
                    .map(|(_, weight)| weight).sum();
                prop_assert!(masses[index] >= whole - 1e-9, "tokens wholly inside a part count for it");
            }
            let shares = prompt.token_shares(|_| true);
            prop_assert!(shares.iter().all(|share| (share - 1.0).abs() < 1e-9));
        }
    }
}
