//! Calibration: calibration error, reliability, and accuracy at high confidence.

use super::ln_choose;

/// Answers in one confidence bin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReliabilityBin {
    /// Number of answers; never zero.
    pub n: usize,
    /// Their mean confidence.
    pub confidence: f64,
    /// Their accuracy.
    pub accuracy: f64,
}

/// Binning of answers by confidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binning {
    /// Bins of equal width, each closed above: with ten, (0, 0.1], (0.1, 0.2], ... (Guo et al. 2017).
    EqualWidth,
    /// Bins with as equal counts as ties allow: answers of equal confidence share a bin.
    EqualMass,
}

/// Bins of `answers` (confidence between 0 and 1, and whether it was right), lowest first; empty bins are left out.
/// Empty without bins.
pub fn reliability(answers: &[(f64, bool)], bins: usize, binning: Binning) -> Vec<ReliabilityBin> {
    let mut sorted = answers.to_vec();
    sorted.sort_by(|left, right| left.0.total_cmp(&right.0));
    let mut found: Vec<(usize, f64, usize)> = vec![(0, 0.0, 0); bins];
    let mut first = 0;
    for (rank, &(confidence, right)) in sorted.iter().enumerate() {
        if confidence != sorted[first].0 {
            first = rank;
        }
        let bin = match binning {
            Binning::EqualWidth => ((confidence * bins as f64).ceil() as usize).saturating_sub(1),
            Binning::EqualMass => first * bins / sorted.len(),
        };
        if let Some((n, sum, hits)) = found.get_mut(bin.min(bins.saturating_sub(1))) {
            *n += 1;
            *sum += confidence;
            *hits += usize::from(right);
        }
    }
    let mean = |(n, sum, hits): (usize, f64, usize)| ReliabilityBin {
        n,
        confidence: sum / n as f64,
        accuracy: hits as f64 / n as f64,
    };
    found.into_iter().filter(|(n, ..)| *n > 0).map(mean).collect()
}

/// Expected calibration error: the mean over answers of the distance between their bin's confidence and accuracy
/// (Naeini et al. 2015; Guo et al. 2017). `None` without bins.
pub fn expected_calibration_error(bins: &[ReliabilityBin]) -> Option<f64> {
    let all: usize = bins.iter().map(|bin| bin.n).sum();
    let gaps = bins.iter().map(|bin| bin.n as f64 * (bin.confidence - bin.accuracy).abs());
    (all > 0).then(|| gaps.sum::<f64>() / all as f64)
}

/// Calibration error expected of these bins if every answer were right with the probability of its confidence: the part
/// due to the finite number of answers. A bin's mean distance is that of a binomial count of n answers with the bin's
/// mean confidence p (De Moivre 1730, by way of Diaconis and Zabell 1991): 2 v C(n, v) p^v (1 - p)^(n - v + 1) with v
/// the whole part of n p, plus 1. `None` without bins.
pub fn calibrated_error(bins: &[ReliabilityBin]) -> Option<f64> {
    let all: usize = bins.iter().map(|bin| bin.n).sum();
    let distance = |bin: &ReliabilityBin| {
        let (n, p) = (bin.n as u64, bin.confidence);
        let above = (n as f64 * p).floor() as u64 + 1;
        match p > 0.0 && p < 1.0 && above <= n {
            true => {
                let ln = ln_choose(n, above) + above as f64 * p.ln() + (n - above + 1) as f64 * (-p).ln_1p();
                2.0 * above as f64 * ln.exp()
            }
            false => 0.0,
        }
    };
    (all > 0).then(|| bins.iter().map(distance).sum::<f64>() / all as f64)
}

/// Accuracy of the most confident answers, taking the same share of every group, so that a group with higher confidence
/// for other reasons than knowledge, for instance fewer options, is not preferred. `None` if [`selective_accuracy`] of
/// all answers is.
pub fn selective_accuracy_within(groups: &[Vec<(f64, bool)>], coverage: f64) -> Option<f64> {
    let (mut right, mut all) = (0.0, 0.0);
    for group in groups.iter().filter(|group| !group.is_empty()) {
        let kept = kept(group.len(), coverage) as f64;
        right += selective_accuracy(group, coverage)? * kept;
        all += kept;
    }
    (all > 0.0).then(|| right / all)
}

/// Number of answers in a share of them, rounded up, at least one.
fn kept(answers: usize, coverage: f64) -> usize {
    // Rounding error on a whole product must not add an answer.
    ((coverage * answers as f64 - 1e-9).ceil() as usize).max(1)
}

/// Accuracy of the most confident share `coverage` of answers (El-Yaniv and Wiener 2010), rounded up to whole answers.
/// Ties at the cut-off are averaged over all choices among them. `None` without answers, or unless 0 < `coverage` <= 1.
pub fn selective_accuracy(answers: &[(f64, bool)], coverage: f64) -> Option<f64> {
    if answers.is_empty() || !(coverage > 0.0 && coverage <= 1.0) {
        return None;
    }
    let kept = kept(answers.len(), coverage);
    let mut sorted = answers.to_vec();
    sorted.sort_by(|left, right| right.0.total_cmp(&left.0));
    let border = sorted[kept - 1].0;
    let count = |keep: &dyn Fn(f64) -> bool| {
        let kept = sorted.iter().filter(|(confidence, _)| keep(*confidence));
        kept.fold((0.0, 0.0), |(n, hits), (_, right)| (n + 1.0, hits + f64::from(*right)))
    };
    let (above, hits_above) = count(&|confidence| confidence > border);
    let (level, hits_level) = count(&|confidence| confidence == border);
    Some((hits_above + hits_level * (kept as f64 - above) / level) / kept as f64)
}

/// Brier score of one answer: the sum over options of the squared distance between its probability and 1 for the right
/// option, 0 for others (Brier 1950); from 0 to 2.
pub fn brier(probabilities: &[f64], gold: usize) -> f64 {
    let distance = |(option, p): (usize, &f64)| (p - f64::from(option == gold)).powi(2);
    probabilities.iter().enumerate().map(distance).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_calibrated_answer_is_as_far_off_as_its_confidence_says() {
        // One answer of confidence 0.8: 0.8 * 0.2 + 0.2 * 0.8.
        let bins = reliability(&[(0.8, true)], 10, Binning::EqualWidth);
        assert!((calibrated_error(&bins).unwrap() - 0.32).abs() < 1e-12);
    }

    #[test]
    fn confidence_that_is_borne_out_has_no_error() {
        let answers = [(0.5, true), (0.5, false), (1.0, true)];
        for binning in [Binning::EqualWidth, Binning::EqualMass] {
            assert_eq!(expected_calibration_error(&reliability(&answers, 10, binning)), Some(0.0));
        }
        assert_eq!(expected_calibration_error(&[]), None);
    }

    #[test]
    fn a_calibrated_answerer_shows_an_error_that_falls_with_the_number_of_answers() {
        let bins = |n: usize| reliability(&vec![(0.75, true); n], 10, Binning::EqualWidth);
        // Two answers of confidence 3/4: 0, 1, 2 right with 1/16, 6/16, 9/16; distances of the share 12/16, 4/16, 4/16.
        assert!((calibrated_error(&bins(2)).unwrap() - (12.0 + 24.0 + 36.0) / 256.0).abs() < 1e-12);
        // For many answers, the mean distance of a normal count.
        let normal = (0.75 * 0.25 / 4000.0 * 2.0 / std::f64::consts::PI).sqrt();
        assert!((calibrated_error(&bins(4000)).unwrap() / normal - 1.0).abs() < 1e-3);
        let sure = reliability(&[(1.0, true), (0.0, false)], 10, Binning::EqualWidth);
        assert_eq!((calibrated_error(&sure), calibrated_error(&[])), (Some(0.0), None));
    }

    #[test]
    fn a_group_of_surer_answers_does_not_come_first() {
        let two = vec![(0.9, true), (0.8, true), (0.7, false), (0.6, false)];
        let four = vec![(0.5, false), (0.4, true), (0.3, false), (0.2, false)];
        let all = [two.clone(), four.clone()].concat();
        assert_eq!((selective_accuracy(&all, 0.25), selective_accuracy(&all, 0.5)), (Some(1.0), Some(0.5)));
        // Most confident of each group: one right, one wrong; the more confident half: two right, and one of two.
        let within = |coverage| selective_accuracy_within(&[two.clone(), Vec::new(), four.clone()], coverage);
        assert_eq!((within(0.25), within(0.5), within(1.0)), (Some(0.5), Some(0.75), Some(0.375)));
        assert_eq!(selective_accuracy_within(&[], 0.5), None);
    }

    #[test]
    fn a_border_belongs_to_the_bin_below() {
        let bins = reliability(&[(0.1, true), (0.11, false), (0.0, false), (1.0, true)], 10, Binning::EqualWidth);
        assert_eq!(bins.iter().map(|bin| bin.n).collect::<Vec<_>>(), [2, 1, 1]);
    }

    #[test]
    fn coverage_is_of_the_most_confident() {
        let answers = [(0.9, true), (0.4, false), (0.8, true), (0.4, true)];
        let at = |coverage| selective_accuracy(&answers, coverage);
        assert_eq!((at(0.5), at(0.75), at(1.0)), (Some(1.0), Some(2.5 / 3.0), Some(0.75)));
        assert_eq!((at(0.0), at(1.1), selective_accuracy(&[], 0.5)), (None, None, None));
    }
}
