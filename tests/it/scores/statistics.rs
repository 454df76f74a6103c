//! The statistics against scipy, statsmodels and scikit-learn, on the cases of `fixtures/stats.json`.
//!
//! Tolerance: 1e-9 relative, 1e-6 for p-values below 1e-8, whose tails depend on the survival function used.

use serde_json::Value;
use tomeval::internal::{fleiss_kappa, ks_normal, micro_f1, weighted_f1};
use tomeval::{
    KappaWeights, LabelCounts, PMethod, ZeroMethod, benjamini_hochberg, cohen_kappa, holm, macro_f1, mcnemar_exact,
    wilcoxon, wilson,
};

fn cases(section: &str) -> Vec<Value> {
    let text = include_str!("../../fixtures/stats.json");
    let fixtures: Value = serde_json::from_str(text).expect("the fixtures are JSON");
    let cases = fixtures[section].as_array().cloned().unwrap_or_default();
    assert_eq!(cases.len(), 6, "{section} has six cases");
    cases
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|each| each.as_f64().unwrap()).collect()
}

fn counts(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|each| each.as_u64().unwrap() as usize).collect()
}

#[track_caller]
fn close(found: f64, expected: &Value, what: &str) {
    let expected = expected.as_f64().unwrap_or_else(|| panic!("{what}: no expected number"));
    let tolerance = if expected.abs() < 1e-8 { 1e-6 } else { 1e-9 };
    let difference = (found - expected).abs();
    assert!(difference <= tolerance * expected.abs() || difference < 1e-14, "{what}: {found}, expected {expected}");
}

#[test]
fn wilcoxon_agrees_with_scipy() {
    for case in cases("wilcoxon") {
        let differences = numbers(&case["differences"]);
        for result in case["results"].as_array().unwrap() {
            let zeros = match result["zero_method"].as_str().unwrap() {
                "wilcox" => ZeroMethod::Wilcox,
                "pratt" => ZeroMethod::Pratt,
                _ => ZeroMethod::Split,
            };
            let method = match result["method"].as_str().unwrap() {
                "auto" => PMethod::Auto,
                "exact" => PMethod::Exact,
                _ => PMethod::Normal { continuity: result["correction"].as_bool().unwrap() },
            };
            let what = format!("{} {result}", case["name"]);
            let found = wilcoxon(&differences, zeros, method).unwrap();
            close(found.statistic, &result["statistic"], &what);
            close(found.p_value, &result["pvalue"], &what);
            if !result["zstatistic"].is_null() {
                close(found.z.unwrap(), &result["zstatistic"], &what);
            }
        }
    }
    assert_eq!(wilcoxon(&[0.0, 0.0], ZeroMethod::Wilcox, PMethod::Auto), None);
    assert_eq!(wilcoxon(&[], ZeroMethod::Pratt, PMethod::Exact), None);
}

#[test]
fn kolmogorov_smirnov_agrees_with_scipy() {
    for case in cases("ks_normal") {
        let sample = numbers(&case["sample"]);
        for result in case["results"].as_array().unwrap() {
            // The limit for large samples is scipy's alone.
            if result["method"] == "asymp" {
                continue;
            }
            let found = ks_normal(&sample, result["ddof"].as_u64().unwrap() as usize).unwrap();
            let what = format!("{} {result}", case["name"]);
            close(found.statistic, &result["statistic"], &what);
            close(found.p_value, &result["pvalue"], &what);
        }
    }
    assert_eq!(ks_normal(&[1.0, 1.0, 1.0], 0), None);
}

#[test]
fn mcnemar_agrees_with_statsmodels() {
    for case in cases("mcnemar") {
        let table: Vec<Vec<usize>> = case["table"].as_array().unwrap().iter().map(counts).collect();
        let (first, second) = (table[0][1] as u64, table[1][0] as u64);
        let exact = mcnemar_exact(first, second);
        close(exact.statistic, &case["exact"]["statistic"], "statistic");
        close(exact.p_value, &case["exact"]["pvalue"], "p-value");
    }
}

#[test]
fn wilson_agrees_with_statsmodels() {
    for case in cases("wilson") {
        let part = |key: &str| case[key].as_u64().unwrap() as usize;
        let (low, high) = wilson(part("successes"), part("trials")).unwrap();
        close(low, &case["low"], "low");
        close(high, &case["high"], "high");
    }
    assert_eq!(wilson(0, 0), None);
}

#[test]
fn fleiss_kappa_agrees_with_statsmodels() {
    for case in cases("fleiss_kappa") {
        let table: Vec<Vec<usize>> = case["table"].as_array().unwrap().iter().map(counts).collect();
        match fleiss_kappa(&table) {
            Some(kappa) => close(kappa, &case["kappa"], "kappa"),
            None => assert!(case["kappa"].is_null(), "{case}"),
        }
    }
}

#[test]
fn cohen_kappa_agrees_with_statsmodels() {
    for case in cases("cohen_kappa") {
        let (first, second) = (counts(&case["first"]), counts(&case["second"]));
        let categories = case["categories"].as_u64().unwrap() as usize;
        let kinds = [
            (KappaWeights::Equal, "kappa"),
            (KappaWeights::Linear, "kappa_linear"),
            (KappaWeights::Quadratic, "kappa_quadratic"),
        ];
        for (weights, key) in kinds {
            match cohen_kappa(&first, &second, categories, weights) {
                Some(kappa) => close(kappa, &case[key], key),
                None => assert!(case[key].is_null(), "{key} {case}"),
            }
        }
    }
}

#[test]
fn f1_agrees_with_scikit_learn() {
    for case in cases("multilabel") {
        let matrix = |key: &str| case[key].as_array().unwrap().iter().map(counts).collect::<Vec<_>>();
        let (gold, chosen) = (matrix("true"), matrix("predicted"));
        let mut labels = vec![LabelCounts::default(); gold[0].len()];
        for (gold, chosen) in gold.iter().zip(&chosen) {
            for (label, pair) in labels.iter_mut().zip(gold.iter().zip(chosen)) {
                match pair {
                    (1, 1) => label.hits += 1.0,
                    (0, 1) => label.false_alarms += 1.0,
                    (1, 0) => label.misses += 1.0,
                    _ => {}
                }
            }
        }
        close(micro_f1(&labels).unwrap(), &case["f1_micro"], "micro");
        close(macro_f1(&labels).unwrap(), &case["f1_macro"], "macro");
        close(weighted_f1(&labels).unwrap_or(0.0), &case["f1_weighted"], "weighted");
        for (label, expected) in labels.iter().zip(case["f1_per_label"].as_array().unwrap()) {
            close(label.f1(), expected, "label");
        }
    }
}

#[test]
fn adjusted_p_values_agree_with_statsmodels() {
    for case in cases("adjusted_pvalues") {
        let p_values = numbers(&case["pvalues"]);
        for (found, key) in [(holm(&p_values), "holm"), (benjamini_hochberg(&p_values), "benjamini_hochberg")] {
            for (found, expected) in found.iter().zip(case[key].as_array().unwrap()) {
                close(*found, expected, key);
            }
        }
    }
}
