//! Probes learned from made stories: layer and penalty by cross-validation over stories.

use rand::seq::SliceRandom;
use rayon::prelude::*;

use crate::seed::seeded;
use crate::stats::{Logistic, auc, logistic_path};

/// Parts of the made stories; each is left out once.
pub const FOLDS: usize = 5;

/// Penalties tried, the strongest first.
pub const PENALTIES: [f64; 5] = [1.0, 0.1, 0.01, 1e-3, 1e-4];

/// No component of a fit's gradient exceeds it.
const TOLERANCE: f64 = 1e-4;

/// Features of cases at several layers, `(cases, layers, width)`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Features {
    /// Number of layers.
    pub layers: usize,
    /// Number of features.
    pub width: usize,
    /// All values.
    pub values: Vec<f32>,
}

impl Features {
    /// The features of a case at a layer.
    pub fn row(&self, case: usize, layer: usize) -> &[f32] {
        let start = (case * self.layers + layer) * self.width;
        &self.values[start..start + self.width]
    }

    fn rows(&self, cases: &[usize], layer: usize) -> Vec<&[f32]> {
        cases.iter().map(|&case| self.row(case, layer)).collect()
    }
}

/// A probe of one layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// The penalty chosen.
    pub penalty: f64,
    /// Area by cross-validation with it, mean over folds.
    pub cross_validated: f64,
    /// Learned from all made stories with it.
    pub fitted: Logistic,
}

/// The fold of each case, from 0: stories are dealt out in random order, so that no story is in two folds.
pub fn folds(stories: &[usize], seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = stories.to_vec();
    order.sort_unstable();
    order.dedup();
    order.shuffle(&mut seeded(seed, "beliefs/folds", 0));
    let mut fold = vec![0; order.iter().max().map_or(0, |most| most + 1)];
    order.iter().enumerate().for_each(|(at, &story)| fold[story] = at % FOLDS);
    stories.iter().map(|&story| fold[story]).collect()
}

/// Learns a probe of each layer for each list of labels; `after` is called after each layer. The stronger of two penalties
/// that are as good is chosen. `None` if a fold lacks a label.
pub fn learn(
    features: &Features,
    labels: &[Vec<bool>],
    folds: &[usize],
    mut after: impl FnMut(),
) -> Option<Vec<Vec<Probe>>> {
    let mut found = vec![Vec::with_capacity(features.layers); labels.len()];
    for layer in 0..features.layers {
        let parts: Vec<(usize, usize)> =
            (0..labels.len()).flat_map(|lane| (0..FOLDS).map(move |fold| (lane, fold))).collect();
        let areas: Vec<Vec<f64>> = parts
            .par_iter()
            .map(|&(lane, fold)| left_out(features, layer, &labels[lane], folds, fold))
            .collect::<Option<_>>()?;
        let chosen = |areas: &[Vec<f64>]| -> (usize, f64) {
            let mean = |at: usize| areas.iter().map(|of_fold| of_fold[at]).sum::<f64>() / FOLDS as f64;
            let all = (0..PENALTIES.len()).map(|at| (at, mean(at)));
            all.reduce(|best, next| if next.1 > best.1 { next } else { best }).expect("there are penalties")
        };
        let probes: Vec<Probe> = labels
            .par_iter()
            .zip(areas.par_chunks(FOLDS))
            .map(|(labels, areas)| {
                let (at, cross_validated) = chosen(areas);
                Some(Probe { penalty: PENALTIES[at], cross_validated, fitted: fit(features, layer, labels, at)? })
            })
            .collect::<Option<_>>()?;
        found.iter_mut().zip(probes).for_each(|(lane, probe)| lane.push(probe));
        after();
    }
    Some(found)
}

/// The areas of a fold's cases, for each penalty, by probes learned from the others.
fn left_out(features: &Features, layer: usize, labels: &[bool], folds: &[usize], fold: usize) -> Option<Vec<f64>> {
    let (own, others): (Vec<usize>, Vec<usize>) = (0..labels.len()).partition(|&case| folds[case] == fold);
    let of = |cases: &[usize]| cases.iter().map(|&case| labels[case]).collect::<Vec<bool>>();
    let path = logistic_path(&features.rows(&others, layer), &of(&others), &PENALTIES, TOLERANCE)?;
    path.iter().map(|fitted| area(&own, labels, |case| fitted.log_odds(features.row(case, layer)))).collect()
}

fn area(cases: &[usize], labels: &[bool], score: impl Fn(usize) -> f64) -> Option<f64> {
    let (positive, negative): (Vec<usize>, Vec<usize>) = cases.iter().partition(|&&case| labels[case]);
    let scores = |cases: Vec<usize>| cases.into_iter().map(&score).collect::<Vec<f64>>();
    auc(&scores(positive), &scores(negative))
}

/// The probe of a layer from all cases, with the penalty at this place of [`PENALTIES`].
pub fn fit(features: &Features, layer: usize, labels: &[bool], penalty: usize) -> Option<Logistic> {
    let all: Vec<usize> = (0..labels.len()).collect();
    logistic_path(&features.rows(&all, layer), labels, &PENALTIES[..=penalty], TOLERANCE)?.pop()
}

/// The layer whose area by cross-validation is largest, the lowest of equal ones.
pub fn best(probes: &[Probe]) -> usize {
    let all = probes.iter().enumerate();
    all.fold(0, |best, (layer, probe)| if probe.cross_validated > probes[best].cross_validated { layer } else { best })
}
