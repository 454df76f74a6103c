//! Expected ranges over languages (or other parts) if the parts did not differ: the largest of several equal values
//! exceeds the smallest by chance alone, so a range is never near zero, and an interval for it would never contain
//! zero.

use std::collections::{BTreeMap, HashMap};

use rand::seq::SliceRandom;

use super::Measure;
use super::compute::Unit;
use crate::benchmark::TiedStories;
use crate::stats::RESAMPLES;

/// Ranges under exchanged parts, as fractions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PermutedRange {
    /// Their mean.
    pub(super) mean: f64,
    /// The value that 95 % of them do not exceed.
    pub(super) high: f64,
}

/// Ranges of a measure over `parts` when the parts of each story are exchanged at random, [`RESAMPLES`] times: all
/// answers to the versions of a story in one part move to another part together. `None` if parts are not versions of
/// the same questions, for a single story, and if the measure is undefined.
pub(super) fn permuted_range(
    measure: Measure,
    parts: &[&[Unit<'_>]],
    mut rng: impl rand::Rng,
) -> Option<PermutedRange> {
    let mut stories = TiedStories::default();
    let mut places: Vec<usize> = Vec::new();
    let mut versions: HashMap<(&str, Option<&str>), usize> = HashMap::new();
    for unit in parts.iter().flat_map(|units| units.iter()) {
        let item = unit.members.first()?.item;
        places.push(stories.add(item.benchmark.name(), unit.story, &item.parallel));
        *versions.entry((&item.parallel, item.facet("variant"))).or_default() += 1;
    }
    // Exchanging parts is meaningless if each question is in one part only.
    if versions.values().all(|count| *count < 2) {
        return None;
    }
    let width = parts.iter().flat_map(|units| units.iter()).next()?.adds.len();
    if parts.iter().flat_map(|units| units.iter()).any(|unit| unit.adds.len() != width) {
        return None;
    }
    // Contribution of each story in each part.
    let mut numbers = stories.numbers(&places).into_iter();
    let mut adds: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (part, units) in parts.iter().enumerate() {
        for (unit, number) in units.iter().zip(&mut numbers) {
            let story = adds.entry(number).or_insert_with(|| vec![0.0; width * parts.len()]);
            for (index, value) in unit.adds.iter().enumerate() {
                story[part * width + index] += value;
            }
        }
    }
    let range = |sums: &[f64]| {
        let values = sums.chunks_exact(width).map(|sums| measure.value(sums)).collect::<Option<Vec<f64>>>()?;
        let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Some(largest - values.iter().copied().fold(f64::INFINITY, f64::min))
    };
    let mut order: Vec<usize> = (0..parts.len()).collect();
    let mut draw = || {
        let mut sums = vec![0.0; width * parts.len()];
        for story in adds.values() {
            order.shuffle(&mut rng);
            for (from, to) in order.iter().enumerate() {
                (0..width).for_each(|index| sums[to * width + index] += story[from * width + index]);
            }
        }
        range(&sums)
    };
    let mut found = (0..RESAMPLES).map(|_| draw()).collect::<Option<Vec<f64>>>()?;
    found.sort_by(f64::total_cmp);
    let mean = found.iter().sum::<f64>() / found.len() as f64;
    let high = *found.get((found.len() * 95).div_ceil(100).saturating_sub(1))?;
    (adds.len() > 1).then_some(PermutedRange { mean, high })
}
