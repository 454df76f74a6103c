//! The statistics of belief probes, on the cases of `fixtures/probe_stats.json`.

use serde_json::Value;
use tomeval::internal::{clustered_auc, logistic_path};

fn cases(section: &str, expected: usize) -> Vec<Value> {
    let fixtures: Value = serde_json::from_str(include_str!("../../fixtures/probe_stats.json")).unwrap();
    let cases = fixtures[section].as_array().cloned().unwrap_or_default();
    assert_eq!(cases.len(), expected, "{section}");
    cases
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|each| each.as_f64().unwrap()).collect()
}

fn labels(case: &Value) -> Vec<bool> {
    numbers(&case["labels"]).into_iter().map(|label| label == 1.0).collect()
}

/// Tolerance: both programs stop where the gradient is below 1e-9.
#[test]
fn penalised_regressions_are_those_of_scikit_learn() {
    for case in cases("logistic", 6) {
        let rows: Vec<Vec<f32>> = case["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| numbers(row).into_iter().map(|value| value as f32).collect())
            .collect();
        let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
        let penalty = case["penalty"].as_f64().unwrap();
        // Where a path begins does not matter.
        for path in [vec![penalty], vec![3.0, 0.3, penalty]] {
            let fitted = logistic_path(&rows, &labels(&case), &path, 1e-9).unwrap().pop().unwrap();
            for (row, expected) in rows.iter().zip(numbers(&case["log_odds"])) {
                let found = fitted.log_odds(row);
                assert!(
                    (found - expected).abs() < 1e-5 * expected.abs().max(1.0),
                    "{}: {found} {expected}",
                    case["name"]
                );
            }
        }
    }
}

#[test]
fn areas_and_their_errors_over_stories_are_those_of_their_definitions() {
    for case in cases("auc", 4) {
        let stories: Vec<usize> = numbers(&case["stories"]).into_iter().map(|story| story as usize).collect();
        let found = clustered_auc(&numbers(&case["scores"]), &labels(&case), &stories).unwrap();
        let close = |found: f64, name: &str| {
            let expected = case[name].as_f64().unwrap();
            assert!((found - expected).abs() < 1e-9, "{} {name}: {found} {expected}", case["name"]);
        };
        close(found.auc, "auc");
        close(found.standard_error.unwrap(), "standard_error");
        let (low, high) = found.interval.unwrap();
        assert!(0.0 < low && low < found.auc && found.auc < high && high < 1.0);
    }
}
