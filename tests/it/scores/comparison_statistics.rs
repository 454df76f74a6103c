//! The statistics of comparisons and of calibration, on the cases of `fixtures/comparison_stats.json`.
//!
//! Tolerance: 1e-9 relative; 1e-6 for p-values below 1e-8, whose tails depend on the incomplete beta function used.

use serde_json::Value;
use tomeval::clustered_mean;
use tomeval::internal::{
    Binning, ClusteredMean, brier, clustered_wilson, expected_calibration_error, reliability, selective_accuracy,
};

fn cases(section: &str, expected: usize) -> Vec<Value> {
    let text = include_str!("../../fixtures/comparison_stats.json");
    let fixtures: Value = serde_json::from_str(text).expect("the fixtures are JSON");
    let cases = fixtures[section].as_array().cloned().unwrap_or_default();
    assert_eq!(cases.len(), expected, "{section}");
    cases
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|each| each.as_f64().unwrap()).collect()
}

fn counts(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|each| each.as_u64().unwrap() as usize).collect()
}

fn answers(case: &Value) -> Vec<(f64, bool)> {
    numbers(&case["confidence"]).into_iter().zip(counts(&case["right"]).into_iter().map(|right| right == 1)).collect()
}

#[track_caller]
fn close(found: f64, expected: &Value, what: &str) {
    let expected = expected.as_f64().unwrap_or_else(|| panic!("{what}: no expected number"));
    let tolerance = if expected.abs() < 1e-8 { 1e-6 } else { 1e-9 };
    let difference = (found - expected).abs();
    assert!(difference <= tolerance * expected.abs() || difference < 1e-14, "{what}: {found}, expected {expected}");
}

fn paired(case: &Value) -> ClusteredMean {
    let (first, second) = (numbers(&case["first"]), numbers(&case["second"]));
    let changes: Vec<f64> = first.iter().zip(&second).map(|(a, b)| b - a).collect();
    clustered_mean(&changes, &counts(&case["stories"])).unwrap()
}

#[test]
fn paired_intervals_by_story_agree_with_statsmodels() {
    for case in cases("clustered", 6) {
        let found = paired(&case);
        close(found.mean, &case["difference"], "difference");
        close(found.standard_error, &case["standard_error"], "standard error");
        close(found.design_effect.unwrap(), &case["design_effect"], "design effect");
        let (low, high) = found.interval();
        close(low, &case["low"], "low");
        close(high, &case["high"], "high");
        assert_eq!(found.stories as u64, case["groups"].as_u64().unwrap());
    }
}

#[test]
fn the_interval_of_one_accuracy_takes_the_effective_number_of_items() {
    for case in cases("accuracy", 6) {
        let share = clustered_mean(&numbers(&case["right"]), &counts(&case["stories"])).unwrap();
        close(share.mean, &case["accuracy"], "accuracy");
        close(share.design_effect.unwrap(), &case["design_effect"], "design effect");
        let (low, high) = clustered_wilson(&share).unwrap();
        close(low, &case["low"], "low");
        close(high, &case["high"], "high");
    }
}

/// A mean of which only these figures matter.
fn mean_of(case: &Value) -> ClusteredMean {
    let stories = case["groups"].as_u64().unwrap() as usize;
    ClusteredMean {
        mean: case["difference"].as_f64().unwrap_or(0.0),
        items: stories,
        stories,
        standard_error: case["standard_error"].as_f64().unwrap(),
        design_effect: None,
    }
}

#[test]
fn two_one_sided_tests_agree_with_scipy() {
    for case in cases("equivalence", 18) {
        close(mean_of(&case).equivalence(case["margin"].as_f64().unwrap()), &case["pvalue"], "p-value");
    }
}

#[test]
fn detectable_differences_agree_with_scipy_and_nearly_with_the_noncentral_t() {
    for case in cases("detectable", 6) {
        let found = mean_of(&case).detectable().unwrap();
        close(found, &case["effect"], "effect");
        // The sum of two quantiles is an approximation; with six stories it is 0.7 % off.
        let ratio = found / case["by_noncentral_t"].as_f64().unwrap();
        assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
    }
}

#[test]
fn calibration_errors_agree_with_their_definition() {
    for case in cases("calibration", 4) {
        let bins = case["bins"].as_u64().unwrap() as usize;
        let wide = reliability(&answers(&case), bins, Binning::EqualWidth);
        close(expected_calibration_error(&wide).unwrap(), &case["equal_width"], "equal width");
        let mass = reliability(&answers(&case), bins, Binning::EqualMass);
        close(expected_calibration_error(&mass).unwrap(), &case["equal_mass"], "equal mass");
        let expected = case["reliability"].as_array().unwrap();
        assert_eq!(wide.len(), expected.len());
        for (found, expected) in wide.iter().zip(expected) {
            assert_eq!(found.n as u64, expected["n"].as_u64().unwrap());
            close(found.confidence, &expected["confidence"], "confidence");
            close(found.accuracy, &expected["accuracy"], "accuracy");
        }
    }
}

#[test]
fn brier_scores_agree_with_their_definition() {
    for case in cases("brier", 3) {
        let rows = case["probabilities"].as_array().unwrap();
        let gold = counts(&case["gold"]);
        let sum: f64 = rows.iter().zip(&gold).map(|(row, &gold)| brier(&numbers(row), gold)).sum();
        close(sum / gold.len() as f64, &case["brier"], "brier");
    }
}

#[test]
fn selective_accuracies_agree_with_their_definition() {
    for case in cases("selective", 4) {
        for result in case["results"].as_array().unwrap() {
            let found = selective_accuracy(&answers(&case), result["coverage"].as_f64().unwrap()).unwrap();
            close(found, &result["accuracy"], "accuracy");
        }
    }
}
