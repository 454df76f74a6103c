//! What a plan will take: a cost per pass, token, attention pair and head row, measured on the machine at hand.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::plan::Counts;
use crate::decoder::{Branch, Decoder, DecoderError, Pass};

/// Seconds for each kind of work. The sum over a plan's counts predicts its forward and head time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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

/// One thing to measure: tokens behind a prefix, and head rows.
#[derive(Debug, Clone, Copy)]
struct Probe {
    prefix: usize,
    tokens: usize,
    head_rows: usize,
}

/// Measured shapes: they differ in one kind of work at a time.
const PROBES: [Probe; 5] = [
    Probe { prefix: 0, tokens: 8, head_rows: 0 },
    Probe { prefix: 0, tokens: 128, head_rows: 0 },
    Probe { prefix: 0, tokens: 512, head_rows: 0 },
    Probe { prefix: 768, tokens: 256, head_rows: 0 },
    Probe { prefix: 0, tokens: 128, head_rows: 64 },
];

impl CostModel {
    /// Predicted seconds for a plan.
    pub fn seconds(&self, counts: &Counts) -> f64 {
        self.seconds_per_pass * counts.passes as f64
            + self.seconds_per_token * counts.forwarded as f64
            + self.seconds_per_pair * counts.attention_pairs as f64
            + self.seconds_per_head_row * counts.head_rows as f64
    }

    /// Measure a decoder for a few seconds: the median of `repeats` turns over all probes, solved by least squares with
    /// no cost below zero.
    pub fn calibrate(decoder: &Decoder, repeats: usize) -> Result<CostModel, DecoderError> {
        let limit = decoder.spec().max_position;
        let probes: Vec<Probe> = PROBES.into_iter().filter(|probe| probe.prefix + probe.tokens <= limit).collect();
        let mut seconds: Vec<Vec<f64>> = vec![Vec::new(); probes.len()];
        for turn in 0..=repeats.max(1) {
            for (probe, seconds) in probes.iter().zip(&mut seconds) {
                let measured = time(decoder, probe)?;
                // The first turn warms caches and threads.
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
                let pairs = probe.tokens * probe.prefix + probe.tokens * (probe.tokens + 1) / 2;
                ([1.0, probe.tokens as f64, pairs as f64, probe.head_rows as f64], seconds[seconds.len() / 2])
            })
            .collect();
        let [seconds_per_pass, seconds_per_token, seconds_per_pair, seconds_per_head_row] = least_squares(&rows);
        Ok(CostModel { seconds_per_pass, seconds_per_token, seconds_per_pair, seconds_per_head_row })
    }
}

fn time(decoder: &Decoder, probe: &Probe) -> Result<f64, DecoderError> {
    let vocabulary = decoder.spec().vocab_size;
    let token = |index: usize| (index * 7919 % vocabulary) as u32;
    let mut cache = decoder.cache();
    if probe.prefix > 0 {
        decoder.forward(&mut cache, &Pass::sequence(&(0..probe.prefix).map(token).collect::<Vec<_>>(), 0))?;
    }
    let pass = Pass {
        tokens: (0..probe.tokens).map(token).collect(),
        branches: vec![Branch {
            tokens: 0..probe.tokens,
            prefix: if probe.prefix > 0 { vec![0..probe.prefix] } else { Vec::new() },
        }],
        rows: (0..probe.head_rows).collect(),
        capture: None,
    };
    let started = Instant::now();
    let output = decoder.forward(&mut cache, &pass)?;
    if probe.head_rows > 0 {
        let targets: Vec<(usize, u32)> = (0..probe.head_rows).map(|row| (row, token(row))).collect();
        decoder.log_probs(&output.hidden, &targets)?;
    }
    Ok(started.elapsed().as_secs_f64())
}

/// Weighted least squares with non-negative solutions: relative errors count, and a variable that would turn negative
/// is held at zero.
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
                let pairs = probe.tokens * probe.prefix + probe.tokens * (probe.tokens + 1) / 2;
                let values = [1.0, probe.tokens as f64, pairs as f64, probe.head_rows as f64];
                (values, values.iter().zip(costs).map(|(value, cost)| value * cost).sum())
            })
            .collect();
        for (found, expected) in least_squares(&rows).into_iter().zip(costs) {
            assert!((found - expected).abs() < 1e-6 * expected, "{found} {expected}");
        }
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
