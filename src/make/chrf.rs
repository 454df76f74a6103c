//! chrF, the F-score of character n-grams (Popović 2015), as sacreBLEU computes it by default: n-grams of 1 to 6
//! characters without white space, recall weighted twice, orders averaged before the F-score, no smoothing.

use std::collections::HashMap;

/// Longest n-gram, in characters.
const ORDER: usize = 6;

/// Weight of recall.
const BETA: f64 = 2.0;

/// Counts of n-grams by length: of hypotheses, of references, and common to both. Counts of several texts add up to
/// those of a corpus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChrF {
    counts: [[usize; 3]; ORDER],
}

impl ChrF {
    /// Counts the n-grams of one text against its reference.
    pub fn new(hypothesis: &str, reference: &str) -> Self {
        let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<Vec<char>>();
        let (hypothesis, reference) = (letters(hypothesis), letters(reference));
        let mut counts = [[0; 3]; ORDER];
        for (length, counts) in (1..).zip(&mut counts) {
            let mut known: HashMap<&[char], usize> = HashMap::new();
            reference.windows(length).for_each(|gram| *known.entry(gram).or_default() += 1);
            let of = |text: &[char]| (text.len() + 1).saturating_sub(length);
            // As in sacreBLEU, a hypothesis counts nothing at a length that its reference does not reach.
            *counts = [if known.is_empty() { 0 } else { of(&hypothesis) }, of(&reference), 0];
            for gram in hypothesis.windows(length) {
                if let Some(left) = known.get_mut(gram).filter(|left| **left > 0) {
                    *left -= 1;
                    counts[2] += 1;
                }
            }
        }
        ChrF { counts }
    }

    /// Adds the counts of another text.
    pub fn add(&mut self, other: &ChrF) {
        for (sum, more) in self.counts.iter_mut().flatten().zip(other.counts.iter().flatten()) {
            *sum += more;
        }
    }

    /// Returns the score from 0 to 100; 0 if no length has n-grams on both sides.
    pub fn score(&self) -> f64 {
        let orders = self.counts.iter().filter(|[hypothesis, reference, _]| *hypothesis > 0 && *reference > 0);
        let shares: Vec<[f64; 2]> = orders
            .map(|&[hypothesis, reference, both]| [both as f64 / hypothesis as f64, both as f64 / reference as f64])
            .collect();
        let mean = |which: usize| shares.iter().map(|share| share[which]).sum::<f64>() / shares.len().max(1) as f64;
        let (precision, recall) = (mean(0), mean(1));
        match precision + recall > 0.0 {
            true => 100.0 * (1.0 + BETA * BETA) * precision * recall / (BETA * BETA * precision + recall),
            false => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_sacrebleu() {
        let cases: serde_json::Value = serde_json::from_str(include_str!("../../tests/data/make/chrf.json")).unwrap();
        let mut corpus = ChrF::default();
        for case in cases["pairs"].as_array().unwrap() {
            let [hypothesis, reference] = ["hypothesis", "reference"].map(|key| case[key].as_str().unwrap());
            let found = ChrF::new(hypothesis, reference);
            let expected = case["score"].as_f64().unwrap();
            assert!((found.score() - expected).abs() < 1e-6, "{hypothesis}: {} is not {expected}", found.score());
            corpus.add(&found);
        }
        assert!((corpus.score() - cases["corpus"].as_f64().unwrap()).abs() < 1e-6);
    }
}
