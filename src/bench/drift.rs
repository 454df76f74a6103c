//! Measures how quantised weights, and activations rounded to 8 bits with them, change a model's answers.
//!
//! On a CPU, products of quantised weights use integer arithmetic where that is fast, with activations rounded to 8
//! bits. This rounding changes answers more than that of 8-bit weights, and by different amounts on different
//! processors. Three computations of the same questions separate it: in f32, with only the weights rounded, and as
//! requested.

use serde::{Deserialize, Serialize};

use super::{BenchError, Environment, ScoringSet};
use crate::decoder::{Decoder, Precision};
use crate::run::{ModelIdentity, Program};
use crate::table::{Format, Grid, Screen, Value, cells, comma_separated, render_grid};

/// The JSON document of `tomeval bench drift`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Drift {
    /// Format version, 1.
    pub version: u32,
    /// The program that measured.
    pub program: Program,
    /// The model.
    pub model: ModelIdentity,
    /// The environment it ran in.
    pub environment: Environment,
    /// Questions of the built-in English inventory, each in five option orders; an order drawn twice is scored once.
    pub questions: usize,
    /// Effects of each rounding.
    pub steps: Vec<Step>,
}

/// Effects of one rounding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// `weights` (rounded against f32; absent for GGUF blocks, which are already rounded in the file), `activations`
    /// (as the device rounds them, against f32 activations with the same weights) or `both` (against f32).
    pub rounded: Rounded,
    /// Choices compared: one per question and distinct option order.
    pub choices: usize,
    /// Number of choices that changed.
    pub moved: usize,
    /// Mean absolute difference of an option's log-likelihood, in nats.
    pub mean: f64,
    /// Largest absolute difference.
    pub largest: f64,
}

/// Rounded part of the computation, compared with a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Rounded {
    /// The weights, against f32. Not a step for GGUF files, whose weights are already rounded.
    Weights,
    /// The activations, against f32 activations with the same rounded weights.
    Activations,
    /// Both, against f32.
    Both,
}

/// The log-likelihood of each option of each trial.
type Scores = Vec<Vec<f64>>;

/// Measures the steps to a quantised precision. `load` reads the weights in a precision, with exact activations if the
/// flag is set.
///
/// # Errors
/// Errors of loading or scoring.
pub fn measure_drift<E: From<BenchError>>(
    set: &ScoringSet<'_>,
    precision: Precision,
    load: impl Fn(Precision, bool) -> Result<Decoder, E>,
) -> Result<Vec<Step>, E> {
    // Only one decoder is in memory at a time.
    let scores = |precision, exact| -> Result<Scores, E> { Ok(set.log_likelihoods(&load(precision, exact)?)?) };
    let asked = scores(precision, false)?;
    let weights_alone = scores(precision, true)?;
    let mut steps = vec![Step::new(Rounded::Activations, &weights_alone, &asked)];
    if precision != Precision::Quantized {
        let unrounded = scores(Precision::F32, false)?;
        steps.insert(0, Step::new(Rounded::Weights, &unrounded, &weights_alone));
        steps.push(Step::new(Rounded::Both, &unrounded, &asked));
    }
    Ok(steps)
}

impl Step {
    fn new(rounded: Rounded, before: &Scores, after: &Scores) -> Step {
        // The first of equal ones, as when reading answers without a draw.
        let best = |options: &Vec<f64>| {
            (0..options.len()).reduce(|best, next| if options[next] > options[best] { next } else { best })
        };
        let moves: Vec<f64> =
            before.iter().flatten().zip(after.iter().flatten()).map(|(before, after)| (before - after).abs()).collect();
        Step {
            rounded,
            choices: before.len(),
            moved: before.iter().zip(after).filter(|(before, after)| best(before) != best(after)).count(),
            mean: moves.iter().sum::<f64>() / moves.len().max(1) as f64,
            largest: moves.iter().copied().fold(0.0, f64::max),
        }
    }

    /// Changed choices, in percent.
    pub fn share(&self) -> f64 {
        100.0 * self.moved as f64 / self.choices.max(1) as f64
    }
}

/// Renders the document in any format. `screen` matters only to [`Format::Terminal`].
///
/// # Errors
/// The document cannot be written as JSON.
pub fn render_drift(drift: &Drift, format: Format, screen: Screen) -> Result<String, BenchError> {
    let name = |step: &Step| match step.rounded {
        Rounded::Weights => "weights",
        Rounded::Activations => "activations",
        Rounded::Both => "both",
    };
    let header = ["rounded", "choices", "moved", "percent", "mean nats", "largest nats"];
    match format {
        Format::Json => Ok(serde_json::to_string_pretty(drift)? + "\n"),
        Format::Csv => {
            let line = |step: &Step| {
                let numbers = [step.share(), step.mean, step.largest].map(|number| number.to_string());
                [&[name(step).to_string(), step.choices.to_string(), step.moved.to_string()][..], &numbers].concat()
            };
            Ok(comma_separated(&header, drift.steps.iter().map(line)))
        }
        _ => {
            let row = |step: &Step| {
                let share = Value::places(step.share(), 1).unit(" %");
                let [mean, largest] = [step.mean, step.largest].map(|nats| Value::places(nats, 4));
                cells![name(step), step.choices, step.moved, share, mean, largest]
            };
            let title = format!("Moves of {} in {}", drift.model.name, drift.environment.dtype);
            let grid = Grid::new(&title, 1, header, drift.steps.iter().map(row));
            let facts = [
                ("model", format!("{} ({})", drift.model.name, drift.model.family)),
                ("processor", drift.environment.cpu.clone()),
                ("computing", format!("{} on {}", drift.environment.dtype, drift.environment.device)),
            ];
            let mut notes = vec![
                format!(
                    "{} questions of the built-in inventory in several orders, by letters. Weights: rounded against f32; activations: \
                     rounded as this device rounds them, against f32 activations with the same weights; both: against f32.",
                    drift.questions
                ),
                "Share and nats are for this processor; others round activations differently or not at all."
                    .to_string(),
            ];
            if drift.steps.len() == 1 {
                notes.push("The model's file holds rounded weights, so there is no f32 reference.".to_string());
            }
            Ok(render_grid(&facts, &grid, &notes, format, screen))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_counted_by_choice_and_measured_by_option() {
        let before = vec![vec![-1.0, -2.0], vec![-1.0, -1.0, -3.0], vec![-0.5, -4.0]];
        let after = vec![vec![-2.0, -1.0], vec![-1.0, -1.0, -3.0], vec![-0.75, -4.0]];
        let step = Step::new(Rounded::Activations, &before, &after);
        assert_eq!((step.choices, step.moved, step.largest), (3, 1, 1.0));
        assert!((step.mean - 2.25 / 7.0).abs() < 1e-12 && (step.share() - 100.0 / 3.0).abs() < 1e-12);
        let same = Step::new(Rounded::Weights, &before, &before);
        assert_eq!((same.moved, same.mean, same.largest), (0, 0.0, 0.0));
    }
}
