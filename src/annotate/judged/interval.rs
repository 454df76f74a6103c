//! Intervals of agreement between people, over stories.

use indexmap::{IndexMap, IndexSet};
use serde::Serialize;

use super::unit::Unit;
use crate::annotate::JudgeRecord;
use crate::metric::{RaterAgreement, RaterPair};
use crate::stats::{FEWEST_STORIES, clustered_mean, clustered_wilson};

/// Most blocks of stories that the jackknife leaves out in turn.
const MOST_BLOCKS: usize = 100;

/// Intervals of the agreement of two people, or of all.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AgreementIntervals {
    /// 95 % interval of the percentage of pairs that agree: Wilson's, clustered by story; null for fewer than two stories.
    pub same: Option<(f64, f64)>,
    /// 95 % interval of the kappa: jackknife over stories (at most 100 blocks of them) with Student's t, on the scale of the
    /// inverse hyperbolic tangent; null for fewer than five stories, where the kappa is undefined without one of them,
    /// and where leaving stories out never changes it.
    pub kappa: Option<(f64, f64)>,
}

/// Agreement on a value of each record, with the intervals of each pair of people in its order, and those of all.
pub(super) fn agreement_with_intervals<C: Clone + PartialEq>(
    units: &[&Unit<'_>],
    value: impl Fn(&JudgeRecord) -> C,
    agree: impl Fn(&[(&str, &str, C)]) -> RaterAgreement,
) -> (RaterAgreement, Vec<AgreementIntervals>, AgreementIntervals) {
    let all: Vec<(String, String, IndexMap<&str, C>)> =
        units.iter().map(|unit| (unit.story().to_string(), unit.id.to_string(), unit.values(&value))).collect();
    let mut numbers: IndexSet<&str> = IndexSet::new();
    let several: Vec<(usize, &IndexMap<&str, C>)> = all
        .iter()
        .filter(|(.., by)| by.len() > 1)
        .map(|(story, _, by)| (numbers.insert_full(story.as_str()).0, by))
        .collect();
    let blocks = numbers.len().min(MOST_BLOCKS);
    let agreement_without = |block: Option<usize>| {
        let is_left_out = |story: &str| {
            block.is_some_and(|block| numbers.get_index_of(story).is_some_and(|number| number % blocks == block))
        };
        let kept = all.iter().filter(|(story, ..)| !is_left_out(story));
        let ratings =
            kept.flat_map(|(_, unit, by)| by.iter().map(move |(rater, it)| (unit.as_str(), *rater, it.clone())));
        agree(&ratings.collect::<Vec<_>>())
    };
    let whole = agreement_without(None);
    let without: Vec<RaterAgreement> = (0..blocks).map(|block| agreement_without(Some(block))).collect();
    let same = |share: &dyn Fn(&IndexMap<&str, C>) -> Option<f64>| {
        let (stories, shares): (Vec<usize>, Vec<f64>) =
            several.iter().filter_map(|(story, by)| Some((*story, share(by)?))).unzip();
        let interval = clustered_mean(&shares, &stories).and_then(|share| clustered_wilson(&share));
        interval.map(|(low, high)| (100.0 * low, 100.0 * high))
    };
    let pairs = whole.pairs.iter().map(|pair| {
        let is_it = |other: &&RaterPair| (&other.first, &other.second) == (&pair.first, &pair.second);
        let kappas: Vec<Option<f64>> =
            without.iter().map(|left| left.pairs.iter().find(is_it).and_then(|pair| pair.kappa)).collect();
        let both =
            |by: &IndexMap<&str, C>| Some(f64::from(by.get(pair.first.as_str())? == by.get(pair.second.as_str())?));
        AgreementIntervals { same: same(&both), kappa: jackknife(pair.kappa, &kappas) }
    });
    let pairs = pairs.collect();
    let of_as_many = |left: &RaterAgreement| left.fleiss.filter(|_| left.fleiss_raters == whole.fleiss_raters);
    let all = AgreementIntervals {
        same: same(&|by| Some(share_alike(by))),
        kappa: jackknife(whole.fleiss, &without.iter().map(of_as_many).collect::<Vec<_>>()),
    };
    (whole, pairs, all)
}

/// The share of pairs of people who say the same.
fn share_alike<C: PartialEq>(by: &IndexMap<&str, C>) -> f64 {
    let alike = |(at, one): (usize, &C)| by.values().skip(at + 1).filter(|other| *other == one).count();
    by.values().enumerate().map(alike).sum::<usize>() as f64 / (by.len() * (by.len() - 1) / 2) as f64
}

/// Interval of an estimate within -1 and 1 from its values without each block.
fn jackknife(estimate: Option<f64>, without: &[Option<f64>]) -> Option<(f64, f64)> {
    let (estimate, count) = (estimate?, without.len() as f64);
    if without.len() < FEWEST_STORIES {
        return None;
    }
    let pseudo = without.iter().map(|left| Some(count * estimate - (count - 1.0) * (*left)?));
    let pseudo = pseudo.collect::<Option<Vec<f64>>>()?;
    let mean = clustered_mean(&pseudo, &(0..pseudo.len()).collect::<Vec<_>>())?;
    // The derivative of the inverse hyperbolic tangent.
    let slope = 1.0 / (1.0 - estimate * estimate);
    if mean.standard_error <= f64::EPSILON || !slope.is_finite() {
        return None;
    }
    let (low, high) = mean.unbounded_interval();
    let (middle, half) = (estimate.atanh(), slope * (high - low) / 2.0);
    Some(((middle - half).tanh(), (middle + half).tanh()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jackknife_of_a_mean_is_its_t_interval_on_the_other_scale() {
        let values = [1.0, 0.0, 1.0, -1.0, 1.0, 1.0, 0.0, 1.0];
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let without: Vec<Option<f64>> =
            (0..values.len()).map(|left| Some(mean(&[&values[..left], &values[left + 1..]].concat()))).collect();
        let (low, high) = jackknife(Some(mean(&values)), &without).unwrap();
        let t = clustered_mean(&values, &[0, 1, 2, 3, 4, 5, 6, 7]).unwrap();
        let half = (t.unbounded_interval().1 - t.mean) / (1.0 - t.mean * t.mean);
        assert!((low - (t.mean.atanh() - half).tanh()).abs() < 1e-12, "{low}");
        assert!((high - (t.mean.atanh() + half).tanh()).abs() < 1e-12, "{high}");
        assert!(low > -1.0 && high < 1.0);
    }

    #[test]
    fn what_never_varies_and_what_rests_on_four_stories_has_no_interval() {
        assert_eq!(jackknife(Some(1.0), &[Some(1.0); 30]), None);
        assert_eq!(jackknife(Some(0.5), &[Some(0.4), Some(0.5), Some(0.6), Some(0.5)]), None);
        assert_eq!(jackknife(Some(0.5), &[Some(0.4), None, Some(0.6), Some(0.5), Some(0.5)]), None);
    }
}
