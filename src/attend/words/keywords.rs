//! Ranks the heaviest words of a part of the prompt.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};
use unicode_normalization::UnicodeNormalization;

use super::stopwords::is_stop_word;
use crate::attend::measure::reduce;
use crate::attend::prompts::{AnnotatedPrompt, Merge, PartKind, WordIx, WordKind};
use crate::name::{as_text, named};

/// Parts of the prompt that words are taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Scope {
    /// Story, dialogue, profile: everything told before the question (as in the paper).
    #[default]
    Story,
    /// The story and the question.
    #[strum(serialize = "story+question")]
    StoryAndQuestion,
    /// The displayed options.
    Options,
    /// Everything, template included.
    #[strum(serialize = "all")]
    Everything,
}

named!(Scope, "scope");

impl Scope {
    /// Whether words of a part are in scope.
    pub fn holds(self, kind: PartKind) -> bool {
        match self {
            Scope::Story => kind.is_story(),
            Scope::StoryAndQuestion => kind.is_story() || kind == PartKind::Question,
            Scope::Options => matches!(kind, PartKind::Option(_)),
            Scope::Everything => true,
        }
    }
}

/// Whether a word that occurs several times is one keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(from = "bool", into = "bool")]
pub enum Repeats {
    /// Occurrences are added up: total attention to a name.
    #[default]
    Together,
    /// Occurrences are ranked separately: where the model attends.
    Apart,
}

impl From<bool> for Repeats {
    fn from(together: bool) -> Self {
        if together { Repeats::Together } else { Repeats::Apart }
    }
}

impl From<Repeats> for bool {
    fn from(repeats: Repeats) -> Self {
        repeats == Repeats::Together
    }
}

/// Settings of keyword selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KeywordOptions {
    /// Part of the prompt that keywords come from.
    #[serde(with = "as_text")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub scope: Scope,
    /// `sum` or `mean` of a word's tokens.
    pub merge: Merge,
    /// Whether occurrences of a word are added up.
    #[serde(rename = "repeats_together")]
    pub repeats: Repeats,
    /// Whether the first token's weight was kept and weights are shares of the whole row.
    pub keep_sink: bool,
    /// Whether function words were left out.
    pub drop_stop_words: bool,
}

/// A word with its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Keyword {
    /// The text of its first occurrence.
    pub text: String,
    /// Text without case, width variants and the English possessive; words with equal keys are the same.
    pub key: String,
    /// Share of the scope's words (of the whole row with `keep_sink`), from 0 to 1.
    pub weight: f64,
    /// Its occurrences, in order.
    pub occurrences: Vec<WordIx>,
}

/// Distribution of one row's attention, as shares of the whole row.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// The first token: the attention sink.
    pub sink: f64,
    /// Other tokens without text of their own.
    pub special: f64,
    /// Each part of the prompt, in order, without the first token.
    pub parts: Vec<f64>,
    /// Words in scope that are ranked.
    pub words: f64,
    /// The rest of the scope: punctuation, white space, stop words.
    pub marks: f64,
}

/// Words of one row by weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// All words in scope, heaviest first; the earlier one on ties.
    pub words: Vec<Keyword>,
    /// One weight per word of the prompt, on the scale of [`Keyword::weight`]; 0 outside the scope.
    pub weights: Vec<f64>,
    /// Distribution of the whole row's attention.
    pub account: Account,
    /// Entropy over the scope's word occurrences in bits.
    pub entropy_bits: f64,
    /// Position in the scope at which half of its weight is reached, from 0 (start) to 1 (end), counted in words;
    /// `None` without words.
    pub half_way: Option<f64>,
    /// Share of the scope's weight in each tenth of its words.
    pub tenths: [f64; 10],
}

/// Ranks the words of a prompt by a row of attention. `profile` holds one weight per position, summing to 1.
pub fn rank(prompt: &AnnotatedPrompt, profile: &[f64], options: KeywordOptions) -> Ranking {
    let sink = profile.first().copied().unwrap_or(0.0);
    let mut kept = profile.to_vec();
    if !options.keep_sink && !kept.is_empty() {
        kept[0] = 0.0;
    }
    let masses = prompt.word_weights(&kept, Merge::Sum);
    let weighed = prompt.word_weights(&kept, options.merge);
    rank_weights(prompt, &masses, &weighed, sink, options)
}

/// Words that can be keywords: in scope, with a letter or digit, and not stop words if those are dropped.
pub fn candidates(prompt: &AnnotatedPrompt, options: KeywordOptions) -> Vec<WordIx> {
    let counts = |word: WordIx| {
        options.scope.holds(prompt.part_kind(word))
            && prompt.words()[word.0].kind == WordKind::Word
            && !(options.drop_stop_words && is_stop_word(&key(prompt.word_text(word)), prompt.language()))
    };
    (0..prompt.words().len()).map(WordIx).filter(|&word| counts(word)).collect()
}

/// Ranks the words of a prompt by weights per word, as [`rank`] does after merging tokens.
///
/// `masses` are used for the account, `weighed` for the ranking; `sink` is the first token's share.
pub fn rank_weights(
    prompt: &AnnotatedPrompt,
    masses: &[f64],
    weighed: &[f64],
    sink: f64,
    options: KeywordOptions,
) -> Ranking {
    let counted = candidates(prompt, options);
    let (parts, special) = prompt.part_masses(masses);
    let words: f64 = counted.iter().map(|word| masses[word.0]).sum();
    let in_scope = |index: &usize| options.scope.holds(prompt.part_kind(WordIx(*index)));
    let scope: f64 = (0..masses.len()).filter(in_scope).map(|index| masses[index]).sum();
    let account = Account { sink, special, parts, words, marks: (scope - words).max(0.0) };

    let total: f64 = counted.iter().map(|word| weighed[word.0]).sum();
    let scale = match options.keep_sink {
        true => 1.0,
        false if total > 0.0 => 1.0 / total,
        false => 0.0,
    };
    let mut weights = vec![0.0; prompt.words().len()];
    for word in &counted {
        weights[word.0] = weighed[word.0] * scale;
    }
    let in_order: Vec<f64> = counted.iter().map(|word| weights[word.0]).collect();
    Ranking {
        words: gather(prompt, &counted, &weights, options.repeats),
        account,
        entropy_bits: reduce::entropy_bits(in_order.iter().copied()),
        half_way: half_way(&in_order),
        tenths: tenths(&in_order),
        weights,
    }
}

/// Key that identifies equal keywords: ignores compatibility forms, case and the English possessive.
pub fn key(word: &str) -> String {
    let folded: String = word.nfkc().flat_map(char::to_lowercase).collect::<String>().replace('\u{2019}', "'");
    folded.strip_suffix("'s").or_else(|| folded.strip_suffix('\'')).unwrap_or(&folded).to_string()
}

fn gather(prompt: &AnnotatedPrompt, counted: &[WordIx], weights: &[f64], repeats: Repeats) -> Vec<Keyword> {
    let mut found: IndexMap<(String, usize), Keyword> = IndexMap::new();
    for &word in counted {
        let text = prompt.word_text(word);
        let place = if repeats == Repeats::Apart { word.0 } else { 0 };
        let entry = found.entry((key(text), place)).or_insert_with_key(|(key, _)| Keyword {
            text: text.to_string(),
            key: key.clone(),
            weight: 0.0,
            occurrences: Vec::new(),
        });
        entry.weight += weights[word.0];
        entry.occurrences.push(word);
    }
    let mut words: Vec<Keyword> = found.into_values().collect();
    words.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.occurrences[0].cmp(&b.occurrences[0])));
    words
}

/// Position at which the cumulative weight reaches one half, as a share of the words, interpolated within a word.
pub fn half_way(weights: &[f64]) -> Option<f64> {
    let total: f64 = weights.iter().sum();
    let mut sum = 0.0;
    for (index, &weight) in weights.iter().enumerate() {
        if weight > 0.0 && sum + weight >= total / 2.0 {
            return Some((index as f64 + (total / 2.0 - sum) / weight) / weights.len() as f64);
        }
        sum += weight;
    }
    None
}

/// Shares of the weight in ten stretches of equally many words; a word on a border is split in proportion.
fn tenths(weights: &[f64]) -> [f64; 10] {
    let mut shares = [0.0; 10];
    let total: f64 = weights.iter().sum();
    if total <= 0.0 {
        return shares;
    }
    let scale = 10.0 / weights.len() as f64;
    for (index, weight) in weights.iter().enumerate() {
        let (from, to) = (index as f64 * scale, (index + 1) as f64 * scale);
        for (bin, share) in shares.iter_mut().enumerate() {
            let overlap = (to.min(bin as f64 + 1.0) - from.max(bin as f64)).max(0.0);
            *share += weight / total * overlap / scale;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attend::prompts::annotated::tests::{STORY, prompt};
    use crate::language::Language;

    /// `<s>Ann saw Bob. Ann left.Who?` with one token per word.
    fn example() -> (AnnotatedPrompt, Vec<f64>) {
        let parts = [(PartKind::Template, "<s>"), (STORY, "Ann saw Bob. Ann left."), (PartKind::Question, "Who?")];
        //                               <s> Ann saw Bob  .  Ann left  .  Who  ?
        let prompt = prompt(&parts, &[3, 3, 4, 4, 1, 4, 5, 1, 3, 1], Language::En);
        (prompt, vec![0.40, 0.10, 0.02, 0.12, 0.04, 0.10, 0.06, 0.06, 0.06, 0.04])
    }

    fn top(ranking: &Ranking) -> Vec<(&str, f64)> {
        ranking.words.iter().map(|word| (word.text.as_str(), (word.weight * 1e6).round() / 1e6)).collect()
    }

    #[test]
    fn weights_are_shares_of_the_storys_words() {
        let (prompt, profile) = example();
        let ranking = rank(&prompt, &profile, KeywordOptions::default());
        // The story's words hold 0.10 + 0.02 + 0.12 + 0.10 + 0.06 = 0.40 of the row.
        assert_eq!(top(&ranking), [("Ann", 0.5), ("Bob", 0.3), ("left", 0.15), ("saw", 0.05)]);
        assert_eq!(ranking.words[0].occurrences.len(), 2);
        let account = &ranking.account;
        assert!((account.sink - 0.40).abs() < 1e-12);
        assert!((account.words - 0.40).abs() < 1e-12);
        assert!((account.marks - 0.10).abs() < 1e-12);
        let sum: f64 = account.sink + account.special + account.parts.iter().sum::<f64>();
        assert!((sum - 1.0).abs() < 1e-12, "the account covers the row");
    }

    #[test]
    fn occurrences_can_stand_apart() {
        let (prompt, profile) = example();
        let options = KeywordOptions { repeats: Repeats::Apart, ..Default::default() };
        let ranking = rank(&prompt, &profile, options);
        assert_eq!(top(&ranking), [("Bob", 0.3), ("Ann", 0.25), ("Ann", 0.25), ("left", 0.15), ("saw", 0.05)]);
    }

    #[test]
    fn keeping_the_sink_gives_shares_of_the_row() {
        let (prompt, profile) = example();
        let options = KeywordOptions { scope: Scope::Everything, keep_sink: true, ..Default::default() };
        let ranking = rank(&prompt, &profile, options);
        // `<s>` is one token of three bytes; a third of it is the word `s`.
        assert_eq!(top(&ranking)[..2], [("Ann", 0.2), ("s", 0.133333)]);
    }

    #[test]
    fn stop_words_can_be_left_out() {
        let prompt = prompt(&[(STORY, "x The box")], &[1, 4, 4], Language::En);
        let options = KeywordOptions { drop_stop_words: true, ..Default::default() };
        let ranking = rank(&prompt, &[0.2, 0.6, 0.2], options);
        assert_eq!(top(&ranking), [("box", 1.0), ("x", 0.0)]);
        assert!((ranking.account.marks - 0.6).abs() < 1e-12);
    }

    #[test]
    fn half_way_is_interpolated() {
        assert_eq!(half_way(&[1.0, 1.0, 1.0, 1.0]), Some(0.5));
        assert_eq!(half_way(&[0.0, 0.0, 0.0, 1.0]), Some(0.875));
        assert_eq!(half_way(&[3.0, 1.0]), Some(1.0 / 3.0));
        assert_eq!(half_way(&[]), None);
    }

    #[test]
    fn tenths_sum_to_one_and_split_words_on_borders() {
        let shares = tenths(&[1.0, 3.0]);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((shares[0] - 0.05).abs() < 1e-12 && (shares[9] - 0.15).abs() < 1e-12);
    }

    #[test]
    fn keys_ignore_case_width_and_possessive() {
        for word in ["Ann", "ANN", "Ann's", "Ann\u{2019}s", "\u{ff21}nn"] {
            assert_eq!(key(word), "ann");
        }
        assert_eq!(key("James'"), "james");
    }

    #[test]
    fn no_words_in_scope_is_no_division_by_zero() {
        let prompt = prompt(&[(PartKind::Question, "Who?")], &[4], Language::En);
        let ranking = rank(&prompt, &[1.0], KeywordOptions::default());
        assert!(ranking.words.is_empty() && ranking.half_way.is_none() && ranking.entropy_bits == 0.0);
    }
}
