//! Compares two rankings of one item's words: right minus wrong option, order against order, model against model, with
//! against without a sentence.

use similar::algorithms::{Capture, diff_slices};
use similar::{Algorithm, DiffTag};

use super::keywords::{Ranking, Scope, key};
use crate::attend::prompts::{AnnotatedPrompt, WordIx, WordKind};

/// A word present in both prompts.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The word in the first prompt.
    pub first: WordIx,
    /// The same word in the second.
    pub second: WordIx,
    /// Weight in the first minus weight in the second.
    pub difference: f64,
}

/// Differences between two rankings.
#[derive(Debug, Clone, PartialEq)]
pub struct WordDifferences {
    /// Words in both, in text order.
    pub pairs: Vec<Pair>,
    /// Words only in the first, for instance in a sentence left out of the second.
    pub only_first: Vec<WordIx>,
    /// Words only in the second.
    pub only_second: Vec<WordIx>,
    /// Half the sum of absolute differences, including words in only one prompt: 0 for equal weights, 1 for disjoint
    /// ones.
    pub distance: f64,
}

/// Compares the weights of two rankings over the words of `scope`, aligned by a longest common subsequence of words.
pub fn compare(
    first: (&AnnotatedPrompt, &Ranking),
    second: (&AnnotatedPrompt, &Ranking),
    scope: Scope,
) -> WordDifferences {
    let words_of = |prompt: &AnnotatedPrompt| -> (Vec<WordIx>, Vec<String>) {
        (0..prompt.words().len())
            .map(WordIx)
            .filter(|&word| prompt.words()[word.0].kind == WordKind::Word && scope.holds(prompt.part_kind(word)))
            .map(|word| (word, key(prompt.word_text(word))))
            .unzip()
    };
    let ((left, left_keys), (right, right_keys)) = (words_of(first.0), words_of(second.0));
    // `similar` 2.7 does not find the longest subsequence after a common prefix, so the prefix is matched here.
    let start = left_keys.iter().zip(&right_keys).take_while(|(l, r)| l == r).count();
    let mut alignment = Capture::new();
    let Ok(()) = diff_slices(Algorithm::Lcs, &mut alignment, &left_keys[start..], &right_keys[start..]);

    let weights = (&first.1.weights, &second.1.weights);
    let pair = |(&first, &second): (&WordIx, &WordIx)| Pair {
        first,
        second,
        difference: weights.0[first.0] - weights.1[second.0],
    };
    let mut pairs: Vec<Pair> = left[..start].iter().zip(&right).map(pair).collect();
    let (mut only_first, mut only_second) = (Vec::new(), Vec::new());
    for step in alignment.ops() {
        let (left, right) = (&left[start..][step.old_range()], &right[start..][step.new_range()]);
        match step.tag() {
            DiffTag::Equal => pairs.extend(left.iter().zip(right).map(pair)),
            _ => {
                only_first.extend_from_slice(left);
                only_second.extend_from_slice(right);
            }
        }
    }
    let distance = pairs.iter().map(|pair| pair.difference.abs()).sum::<f64>()
        + only_first.iter().map(|word: &WordIx| weights.0[word.0]).sum::<f64>()
        + only_second.iter().map(|word: &WordIx| weights.1[word.0]).sum::<f64>();
    WordDifferences { pairs, only_first, only_second, distance: distance / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::super::keywords::{KeywordOptions, rank};
    use super::*;
    use crate::attend::prompts::annotated::tests::{STORY, prompt};
    use crate::language::Language;

    #[test]
    fn the_same_text_is_compared_word_by_word() {
        let prompt = prompt(&[(STORY, "x Ann saw Bob")], &[1, 4, 4, 4], Language::En);
        let options = KeywordOptions::default();
        let first = rank(&prompt, &[0.0, 0.5, 0.25, 0.25], options);
        let second = rank(&prompt, &[0.0, 0.25, 0.25, 0.5], options);
        let found = compare((&prompt, &first), (&prompt, &second), Scope::Story);
        let differences: Vec<f64> = found.pairs.iter().map(|pair| pair.difference).collect();
        assert_eq!(differences, [0.0, 0.25, 0.0, -0.25]);
        assert_eq!(found.distance, 0.25);
        assert!(found.only_first.is_empty() && found.only_second.is_empty());
    }

    #[test]
    fn a_sentence_left_out_stands_alone() {
        let with = prompt(&[(STORY, "x Ann left. Bob saw Ann")], &[1, 4, 5, 1, 4, 4, 4], Language::En);
        let without = prompt(&[(STORY, "x Bob saw Ann")], &[1, 4, 4, 4], Language::En);
        let options = KeywordOptions::default();
        let first = rank(&with, &[0.0, 0.2, 0.2, 0.0, 0.2, 0.2, 0.2], options);
        let second = rank(&without, &[0.0, 0.5, 0.25, 0.25], options);
        let found = compare((&with, &first), (&without, &second), Scope::Story);
        let words = |prompt: &AnnotatedPrompt, list: &[WordIx]| -> Vec<String> {
            list.iter().map(|&word| prompt.word_text(word).to_string()).collect()
        };
        assert_eq!(words(&with, &found.only_first), ["Ann", "left"]);
        assert!(found.only_second.is_empty());
        let names: Vec<&str> = found.pairs.iter().map(|pair| with.word_text(pair.first)).collect();
        assert_eq!(names, ["x", "Bob", "saw", "Ann"]);
        // |0.2 - 0.5| + 2 |0.2 - 0.25| + 0.2 + 0.2, halved.
        assert!((found.distance - 0.4).abs() < 1e-12);
    }

    #[test]
    fn words_after_a_common_beginning_are_aligned_too() {
        let options = KeywordOptions::default();
        let of = |text| {
            let prompt = prompt(&[(STORY, text)], &[1, 2, 2], Language::En);
            let ranking = rank(&prompt, &[0.0, 0.5, 0.5], options);
            (prompt, ranking)
        };
        let ((one, first), (two, second)) = (of("x x y"), of("x z x"));
        let found = compare((&one, &first), (&two, &second), Scope::Story);
        let pairs: Vec<(usize, usize)> = found.pairs.iter().map(|pair| (pair.first.0, pair.second.0)).collect();
        assert_eq!(pairs, [(0, 0), (2, 4)]);
        assert_eq!((found.only_first, found.only_second), (vec![WordIx(4)], vec![WordIx(2)]));
    }
}
