//! Two readings of one item against each other: right minus wrong option, order against order, model against model,
//! with against without a sentence.

use super::keywords::{Ranking, Scope, key};
use super::{Reading, WordIx, WordKind};

/// A word that stands in both readings.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The word in the first reading.
    pub first: WordIx,
    /// The same word in the second.
    pub second: WordIx,
    /// Weight in the first minus weight in the second.
    pub difference: f64,
}

/// What changed between two readings.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrast {
    /// Words of both, in text order.
    pub pairs: Vec<Pair>,
    /// Words of the first alone, for instance of a sentence left out in the second.
    pub only_first: Vec<WordIx>,
    /// Words of the second alone.
    pub only_second: Vec<WordIx>,
    /// Half the sum of absolute differences, words of one reading included: 0 for equal weights, 1 for disjoint ones.
    pub distance: f64,
}

impl Contrast {
    /// Pairs by absolute difference, largest first; among equals the earlier one.
    pub fn largest(&self) -> Vec<&Pair> {
        let mut pairs: Vec<&Pair> = self.pairs.iter().collect();
        pairs.sort_by(|a, b| b.difference.abs().total_cmp(&a.difference.abs()));
        pairs
    }
}

/// Compare the weights of two rankings over the words of `scope`, aligned by a longest common subsequence of words.
pub fn contrast(first: (&Reading, &Ranking), second: (&Reading, &Ranking), scope: Scope) -> Contrast {
    let words_of = |reading: &Reading| -> Vec<(WordIx, String)> {
        (0..reading.words().len())
            .map(WordIx)
            .filter(|&word| reading.words()[word.0].kind == WordKind::Word && scope.holds(reading.part_kind(word)))
            .map(|word| (word, key(reading.word_text(word))))
            .collect()
    };
    let (left, right) = (words_of(first.0), words_of(second.0));
    let matches = common_subsequence(&left, &right);
    let weight = |ranking: &Ranking, word: WordIx| ranking.weights[word.0];

    let pairs: Vec<Pair> = matches
        .iter()
        .map(|&(l, r)| {
            let (first_word, second_word) = (left[l].0, right[r].0);
            let difference = weight(first.1, first_word) - weight(second.1, second_word);
            Pair { first: first_word, second: second_word, difference }
        })
        .collect();
    let alone = |words: &[(WordIx, String)], taken: Vec<usize>| -> Vec<WordIx> {
        let free = words.iter().enumerate().filter(|(index, _)| taken.binary_search(index).is_err());
        free.map(|(_, (word, _))| *word).collect()
    };
    let only_first = alone(&left, matches.iter().map(|pair| pair.0).collect());
    let only_second = alone(&right, matches.iter().map(|pair| pair.1).collect());
    let distance = pairs.iter().map(|pair| pair.difference.abs()).sum::<f64>()
        + only_first.iter().map(|&word| weight(first.1, word)).sum::<f64>()
        + only_second.iter().map(|&word| weight(second.1, word)).sum::<f64>();
    Contrast { pairs, only_first, only_second, distance: distance / 2.0 }
}

/// Indices of a longest common subsequence, ascending on both sides. Equal starts and ends cost nothing.
fn common_subsequence(left: &[(WordIx, String)], right: &[(WordIx, String)]) -> Vec<(usize, usize)> {
    let same = |l: usize, r: usize| left[l].1 == right[r].1;
    let shorter = left.len().min(right.len());
    let start = (0..shorter).take_while(|&at| same(at, at)).count();
    let end = (0..shorter - start).take_while(|&at| same(left.len() - 1 - at, right.len() - 1 - at)).count();
    let (rows, columns) = (left.len() - start - end, right.len() - start - end);
    // `length[row][column]`: longest common subsequence of what follows.
    let mut length = vec![vec![0u32; columns + 1]; rows + 1];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            length[row][column] = match same(start + row, start + column) {
                true => length[row + 1][column + 1] + 1,
                false => length[row + 1][column].max(length[row][column + 1]),
            };
        }
    }
    let mut pairs: Vec<(usize, usize)> = (0..start).map(|at| (at, at)).collect();
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        if same(start + row, start + column) {
            pairs.push((start + row, start + column));
            (row, column) = (row + 1, column + 1);
        } else if length[row + 1][column] >= length[row][column + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs.extend((0..end).rev().map(|at| (left.len() - 1 - at, right.len() - 1 - at)));
    pairs
}

#[cfg(test)]
mod tests {
    use super::super::keywords::{KeywordOptions, rank};
    use super::super::reading::tests::{STORY, reading};
    use super::*;
    use crate::language::Language;

    #[test]
    fn the_same_text_is_compared_word_by_word() {
        let reading = reading(&[(STORY, "x Ann saw Bob")], &[1, 4, 4, 4], Language::En);
        let options = KeywordOptions::default();
        let first = rank(&reading, &[0.0, 0.5, 0.25, 0.25], options);
        let second = rank(&reading, &[0.0, 0.25, 0.25, 0.5], options);
        let contrast = contrast((&reading, &first), (&reading, &second), Scope::Story);
        let differences: Vec<f64> = contrast.pairs.iter().map(|pair| pair.difference).collect();
        assert_eq!(differences, [0.0, 0.25, 0.0, -0.25]);
        assert_eq!(contrast.distance, 0.25);
        assert_eq!(reading.word_text(contrast.largest()[0].first), "Ann");
        assert!(contrast.only_first.is_empty() && contrast.only_second.is_empty());
    }

    #[test]
    fn a_sentence_left_out_stands_alone() {
        let with = reading(&[(STORY, "x Ann left. Bob saw Ann")], &[1, 4, 5, 1, 4, 4, 4], Language::En);
        let without = reading(&[(STORY, "x Bob saw Ann")], &[1, 4, 4, 4], Language::En);
        let options = KeywordOptions::default();
        let first = rank(&with, &[0.0, 0.2, 0.2, 0.0, 0.2, 0.2, 0.2], options);
        let second = rank(&without, &[0.0, 0.5, 0.25, 0.25], options);
        let contrast = contrast((&with, &first), (&without, &second), Scope::Story);
        let words = |reading: &Reading, list: &[WordIx]| -> Vec<String> {
            list.iter().map(|&word| reading.word_text(word).to_string()).collect()
        };
        assert_eq!(words(&with, &contrast.only_first), ["Ann", "left"]);
        assert!(contrast.only_second.is_empty());
        let names: Vec<&str> = contrast.pairs.iter().map(|pair| with.word_text(pair.first)).collect();
        assert_eq!(names, ["x", "Bob", "saw", "Ann"]);
        // |0.2 - 0.5| + 2 |0.2 - 0.25| + 0.2 + 0.2, halved.
        assert!((contrast.distance - 0.4).abs() < 1e-12);
    }
}
