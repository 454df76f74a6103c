//! Predicts the time of a plan from measured costs per pass, token, attention pair and head row.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::decoder::{Branch, Decoder, DecoderError, Pass, RowRanges};

/// Seconds per unit of each kind of work. Summed over a plan's counts, they predict its forward and head time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CostModel {
    /// Fixed cost of a pass.
    pub seconds_per_pass: f64,
    /// Linear layers of one token.
    pub seconds_per_token: f64,
    /// Attention of one query token to one key, over all layers and heads.
    pub seconds_per_pair: f64,
    /// Output head and log-softmax of one row.
    pub seconds_per_head_row: f64,
}

/// Amounts of work, for one pass or many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    pub passes: usize,
    /// Tokens forwarded.
    pub tokens: usize,
    /// Query-key pairs of attention, per head and layer.
    pub attention_pairs: u64,
    /// Rows for which the head is computed.
    pub head_rows: usize,
}

impl Work {
    /// The work of one pass.
    pub(crate) fn from_pass(pass: &Pass) -> Work {
        let pairs = |branch: &Branch| {
            let (tokens, above) = (branch.tokens.len(), branch.prefix.len());
            (tokens * above + tokens * (tokens + 1) / 2) as u64
        };
        Work {
            passes: 1,
            tokens: pass.tokens.len(),
            attention_pairs: pass.branches.iter().map(pairs).sum(),
            head_rows: pass.rows.len(),
        }
    }
}

/// Measured time of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassTime {
    /// Its work.
    pub work: Work,
    /// Time taken, head included.
    pub took: Duration,
}

/// Accuracy of a cost model on a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Fit {
    /// Median over passes of actual over predicted time: the machine's speed relative to the measurement.
    pub factor: f64,
    /// For each quarter of the run by predicted time: actual time over `factor` times predicted time.
    pub quarters: [f64; 4],
}

/// A shape to measure: tokens after a prefix, and head rows.
#[derive(Debug, Clone, Copy)]
struct Probe {
    prefix: usize,
    tokens: usize,
    head_rows: usize,
}

/// Measured shapes, differing in one kind of work at a time.
const PROBES: [Probe; 5] = [
    Probe { prefix: 0, tokens: 8, head_rows: 0 },
    Probe { prefix: 0, tokens: 128, head_rows: 0 },
    Probe { prefix: 0, tokens: 512, head_rows: 0 },
    Probe { prefix: 768, tokens: 256, head_rows: 0 },
    Probe { prefix: 0, tokens: 128, head_rows: 64 },
];

impl CostModel {
    /// Predicted seconds.
    pub fn seconds(&self, work: &Work) -> f64 {
        self.seconds_per_pass * work.passes as f64
            + self.seconds_per_token * work.tokens as f64
            + self.seconds_per_pair * work.attention_pairs as f64
            + self.seconds_per_head_row * work.head_rows as f64
    }

    /// Fit of the model to executed passes; `None` for fewer than four passes, or a model without costs.
    pub fn fit(&self, passes: &[PassTime]) -> Option<Fit> {
        let predicted: Vec<f64> = passes.iter().map(|pass| self.seconds(&pass.work)).collect();
        let total: f64 = predicted.iter().sum();
        if passes.len() < 4 || predicted.iter().any(|&seconds| seconds <= 0.0) {
            return None;
        }
        let mut ratios: Vec<f64> =
            passes.iter().zip(&predicted).map(|(pass, predicted)| pass.took.as_secs_f64() / predicted).collect();
        ratios.sort_by(f64::total_cmp);
        let factor = ratios[ratios.len() / 2];
        let (mut took, mut foretold, mut before) = ([0.0; 4], [0.0; 4], 0.0);
        for (pass, predicted) in passes.iter().zip(predicted) {
            // The quarter that contains the middle of the pass.
            let quarter = ((4.0 * (before + predicted / 2.0) / total) as usize).min(3);
            took[quarter] += pass.took.as_secs_f64();
            foretold[quarter] += predicted * factor;
            before += predicted;
        }
        let quarters = std::array::from_fn(|quarter| took[quarter] / foretold[quarter]);
        quarters.iter().all(|ratio| ratio.is_finite()).then_some(Fit { factor, quarters })
    }

    /// Measures a decoder for a few seconds: the median of `repeats` rounds over all probes, solved by least squares
    /// without negative costs.
    pub fn calibrate(decoder: &Decoder, repeats: usize) -> Result<CostModel, DecoderError> {
        let limit = decoder.spec().max_position;
        let probes: Vec<Probe> = PROBES.into_iter().filter(|probe| probe.prefix + probe.tokens <= limit).collect();
        let mut seconds: Vec<Vec<f64>> = vec![Vec::new(); probes.len()];
        for turn in 0..=repeats.max(1) {
            for (probe, seconds) in probes.iter().zip(&mut seconds) {
                let measured = time(decoder, probe)?;
                // The first round warms up caches and threads.
                if turn > 0 {
                    seconds.push(measured);
                }
            }
        }
        let rows: Vec<([f64; 4], f64)> = probes
            .iter()
            .zip(seconds)
            .map(|(probe, mut seconds)| {
                seconds.sort_by(f64::total_cmp);
                let Work { tokens, attention_pairs, head_rows, .. } = Work::from_pass(&probe.pass(0));
                ([1.0, tokens as f64, attention_pairs as f64, head_rows as f64], seconds[seconds.len() / 2])
            })
            .collect();
        let [seconds_per_pass, seconds_per_token, seconds_per_pair, seconds_per_head_row] = least_squares(&rows);
        Ok(CostModel { seconds_per_pass, seconds_per_token, seconds_per_pair, seconds_per_head_row })
    }
}

impl Probe {
    fn pass(&self, vocabulary: usize) -> Pass {
        Pass {
            tokens: (0..self.tokens).map(|index| token(index, vocabulary)).collect(),
            branches: vec![Branch { tokens: 0..self.tokens, prefix: RowRanges::first(self.prefix) }],
            rows: (0..self.head_rows).collect(),
            ..Pass::default()
        }
    }
}

/// An arbitrary token of the vocabulary, for measurements.
fn token(index: usize, vocabulary: usize) -> u32 {
    (index * 7919 % vocabulary.max(1)) as u32
}

fn time(decoder: &Decoder, probe: &Probe) -> Result<f64, DecoderError> {
    let vocabulary = decoder.spec().vocab_size;
    let mut cache = decoder.cache();
    if probe.prefix > 0 {
        let prefix: Vec<u32> = (0..probe.prefix).map(|index| token(index, vocabulary)).collect();
        decoder.forward(&mut cache, &Pass::sequence(&prefix, 0))?;
    }
    decoder.wait()?;
    let pass = probe.pass(vocabulary);
    let started = Instant::now();
    let output = decoder.forward(&mut cache, &pass)?;
    if probe.head_rows > 0 {
        let targets: Vec<(usize, u32)> = (0..probe.head_rows).map(|row| (row, token(row, vocabulary))).collect();
        decoder.log_probs(&output.hidden, &targets)?;
    }
    decoder.wait()?;
    Ok(started.elapsed().as_secs_f64())
}

/// Weighted least squares with non-negative solutions: minimises relative errors, and holds a variable that would turn
/// negative at zero.
fn least_squares(rows: &[([f64; 4], f64)]) -> [f64; 4] {
    let mut active = [true; 4];
    loop {
        let solution = solve(rows, active);
        match (0..4)
            .filter(|&variable| active[variable] && solution[variable] < 0.0)
            .min_by(|&left, &right| solution[left].total_cmp(&solution[right]))
        {
            None => return solution,
            Some(negative) => active[negative] = false,
        }
    }
}

/// Normal equations of the active variables, by Gauss-Jordan elimination with pivoting.
fn solve(rows: &[([f64; 4], f64)], active: [bool; 4]) -> [f64; 4] {
    let chosen: Vec<usize> = (0..4).filter(|&variable| active[variable]).collect();
    let size = chosen.len();
    let mut system = vec![vec![0.0; size + 1]; size];
    for (values, seconds) in rows.iter().filter(|(_, seconds)| *seconds > 0.0) {
        for (row, &left) in chosen.iter().enumerate() {
            for (column, &right) in chosen.iter().enumerate() {
                system[row][column] += values[left] / seconds * values[right] / seconds;
            }
            system[row][size] += values[left] / seconds;
        }
    }
    for pivot in 0..size {
        let best = (pivot..size)
            .max_by(|&left, &right| system[left][pivot].abs().total_cmp(&system[right][pivot].abs()))
            .unwrap_or(pivot);
        system.swap(pivot, best);
        let head = system[pivot][pivot];
        if head.abs() < f64::MIN_POSITIVE {
            continue;
        }
        system[pivot].iter_mut().for_each(|value| *value /= head);
        let pivot_row = system[pivot].clone();
        for (_, values) in system.iter_mut().enumerate().filter(|(row, _)| *row != pivot) {
            let factor = values[pivot];
            values.iter_mut().zip(&pivot_row).for_each(|(value, above)| *value -= factor * above);
        }
    }
    let mut solution = [0.0; 4];
    for (row, &variable) in chosen.iter().enumerate() {
        solution[variable] = system[row][size];
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_come_back_from_exact_measurements() {
        let costs = [0.002, 3e-4, 2e-8, 1e-3];
        let rows: Vec<([f64; 4], f64)> = PROBES
            .iter()
            .map(|probe| {
                let Work { tokens, attention_pairs, head_rows, .. } = Work::from_pass(&probe.pass(0));
                let values = [1.0, tokens as f64, attention_pairs as f64, head_rows as f64];
                (values, values.iter().zip(costs).map(|(value, cost)| value * cost).sum())
            })
            .collect();
        for (found, expected) in least_squares(&rows).into_iter().zip(costs) {
            assert!((found - expected).abs() < 1e-6 * expected, "{found} {expected}");
        }
    }

    #[test]
    fn the_work_of_a_pass_is_counted_branch_by_branch() {
        let branch =
            |tokens, prefix: &[std::ops::Range<usize>]| Branch { tokens, prefix: prefix.iter().cloned().collect() };
        let pass = Pass {
            tokens: vec![7; 5],
            branches: vec![branch(0..3, &[0..10]), branch(3..5, &[0..4, 10..11])],
            rows: vec![4],
            ..Pass::default()
        };
        // 11 + 12 + 13, then 6 + 7.
        assert_eq!(Work::from_pass(&pass), Work { passes: 1, tokens: 5, attention_pairs: 49, head_rows: 1 });
    }

    #[test]
    fn a_fit_tells_the_machine_s_speed_from_the_model_s_faults() {
        let costs = CostModel {
            seconds_per_pass: 0.0,
            seconds_per_token: 0.01,
            seconds_per_pair: 0.0,
            seconds_per_head_row: 0.0,
        };
        let pass = |tokens, seconds| PassTime {
            work: Work { passes: 1, tokens, ..Work::default() },
            took: Duration::from_secs_f64(seconds),
        };
        // Everything takes one and a half times as long, the last quarter twice that.
        let passes: Vec<PassTime> = (0..8).map(|number| pass(100, if number < 6 { 1.5 } else { 3.0 })).collect();
        let fit = costs.fit(&passes).unwrap();
        assert!((fit.factor - 1.5).abs() < 1e-9, "{fit:?}");
        for (found, expected) in fit.quarters.into_iter().zip([1.0, 1.0, 1.0, 2.0]) {
            assert!((found - expected).abs() < 1e-9, "{fit:?}");
        }
        assert_eq!(costs.fit(&passes[..3]), None);
        assert_eq!(costs.fit(&[pass(0, 1.0); 4]), None, "nothing was foretold");
    }

    #[test]
    fn no_cost_is_negative() {
        let rows = [
            ([1.0, 1.0, 0.0, 0.0], 1.0),
            ([1.0, 2.0, 0.0, 0.0], 1.0),
            ([1.0, 4.0, 1.0, 0.0], 0.5),
            ([1.0, 4.0, 0.0, 1.0], 2.0),
        ];
        assert!(least_squares(&rows).iter().all(|&cost| cost >= 0.0));
    }
}
