//! The one warning on a page's first screen.

use crate::metric::{PublishedRow, ResultRow, Results};
use crate::page::words::Said;
use crate::report::label::{CHANGED, UNFINISHED, UNSTEADY};
use crate::report::problems::CHANGED_DATA;
use crate::report::summary::{low_label_mass, preferred_slots, shortcut};
use crate::report::{Report, sheets};

/// Share of items without an answer, in percent, above which a mean is not what it seems.
const MISSING: f64 = 5.0;

/// The first that holds of: unfinished, or altered; an audited server that does not repeat itself; more than 5 % of the
/// answers missing; label mass below 50 %; a shortcut 10 points above chance; some slots preferred; other wording than
/// that of the published rows. A second sentence counts what else the same rule holds of.
pub(super) fn warning(report: &Report) -> Vec<Said> {
    let rules: [fn(&Results) -> Vec<Said>; 5] = [
        |results| Vec::from_iter(missing(results)),
        |results| low_label_mass(results).collect(),
        |results| Vec::from_iter(shortcut(results)),
        |results| Vec::from_iter(preferred_slots(results)),
        |results| Vec::from_iter(wording(results)),
    ];
    let of_results = || {
        let mut found = rules.iter().map(|rule| report.results.iter().flat_map(rule).collect::<Vec<_>>());
        found.find(|found| !found.is_empty()).unwrap_or_default()
    };
    let of_records = unfinished(report).or_else(|| altered(report)).or_else(|| unsteady(report));
    let mut found = of_records.map_or_else(of_results, |said| vec![said]);
    if found.len() > 1 {
        let count = ("count", (found.len() - 1).to_string());
        found.splice(1.., [Said::new("say_more_runs", [count])]);
    }
    found
}

fn unfinished(report: &Report) -> Option<Said> {
    report.unfinished.map(|part| part.said(report.provenance.get(UNFINISHED)))
}

fn altered(report: &Report) -> Option<Said> {
    let records =
        report.provenance.get(CHANGED).map(|changed| Said::new("say_changed_records", [("what", changed.clone())]));
    let data = || {
        let results = report.results.iter().find(|results| !results.changed_data.is_empty())?;
        Some(Said::new(
            "say_changed_data",
            [
                ("title", results.title.clone()),
                ("data", CHANGED_DATA.into()),
                ("what", results.changed_data[0].to_string()),
            ],
        ))
    };
    records.or_else(data)
}

fn unsteady(report: &Report) -> Option<Said> {
    let moves = report.provenance.get(UNSTEADY)?;
    Some(Said::new("say_unsteady", [("what", moves.clone())]))
}

fn missing(results: &Results) -> Option<Said> {
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64 * 100.0;
    let counts = &results.counts;
    let replies = results.replies.iter().map(|each| share(each.items_without_answer, each.items));
    let most = replies.fold(share(counts.unanswered, counts.items), f64::max);
    (most > MISSING)
        .then(|| Said::new("say_missing", [("title", results.title.clone()), ("share", format!("{most:.0}"))]))
}

/// A headline's published rows whose prompts had another wording.
fn wording(results: &Results) -> Option<Said> {
    let (table, _) = sheets::valued_headline(results)?;
    let other = |(published, row): &(&PublishedRow, &ResultRow)| {
        let wordings = (&published.method.wording, &row.method.wording);
        !published.human
            && published.stands_beside(row)
            && matches!(wordings, (Some(there), Some(here)) if there != here)
    };
    let mut pairs = table.published.iter().flat_map(|published| table.rows.iter().map(move |row| (published, row)));
    let (published, row) = pairs.find(other)?;
    let [there, here] = [&published.method, &row.method].map(|method| method.wording.as_deref().unwrap_or_default());
    let values = [("title", results.title.clone()), ("here", here.to_string()), ("there", there.to_string())];
    Some(Said::new("say_wording", values))
}

#[cfg(test)]
mod tests {
    use indexmap::IndexMap;
    use serde_json::{Value, json};

    use super::*;
    use crate::report::Unfinished;

    fn figure(value: f64) -> Value {
        json!({ "value": value, "reason": null })
    }

    /// Results in which every rule holds.
    fn troubled() -> Value {
        let counts = crate::metric::Counts { items: 100, unanswered: 20, ..Default::default() };
        let cell =
            json!({ "value": 50.0, "interval": null, "n": 100, "unit": "items", "chance": 25.0, "reason": null });
        let method = |wording: &str| json!({ "scoring": null, "orders": null, "wording": wording });
        json!({
            "benchmark": "custom", "title": "B", "label": "m", "listings": [], "notes": [],
            "counts": serde_json::to_value(counts).unwrap(),
            "label_mass": [{ "label": "m", "style": "vanilla", "condition": null, "prompts": 9, "median": figure(20.0) }],
            "order_effects": [{
                "label": "m", "style": "vanilla", "condition": null, "language": "en", "options": 4, "items": 60,
                "vote": figure(50.0), "single_order": figure(50.0), "circular": figure(10.0),
                "mean_probability": figure(50.0), "debiased": figure(50.0), "prior": [], "recall": [],
                "recall_deviation": figure(30.0), "recall_p": figure(0.001)
            }],
            "shortcuts": [{
                "language": "en", "variant": null, "stratum": {}, "rule": "longest", "answer": "the longest option",
                "items": 100, "stories": 100, "chance": 25.0, "accuracy": 60.0, "lower_bound": 45.0, "p": 0.001, "is_shortcut": true
            }],
            "tables": [{
                "id": "t", "title": "T", "paper": null, "facets": [], "columns": ["AVG"], "transpose": false, "note": null,
                "rows": [{ "label": "m", "style": "vanilla", "condition": null, "key": {}, "cells": [cell], "method": method("our own") }],
                "published": [{
                    "label": "Theirs", "human": false, "source": "Table 1", "key": {}, "values": [60.0],
                    "method": method("the paper's prompts")
                }]
            }]
        })
    }

    #[test]
    fn the_first_rule_that_holds_is_said() {
        let mut results = troubled();
        let said = |results: &Value, unfinished, changed: Option<&str>| {
            let results = serde_json::from_value(results.clone()).unwrap();
            let report = Report { unfinished, ..Report::new("m", IndexMap::new(), vec![results]) };
            warning(&report.with_changed_records(changed.map(String::from))).first().map(|said| said.to_string())
        };
        let part = Some(Unfinished { done: 1, planned: 2 });
        assert!(said(&results, part, Some("3 records")).unwrap().starts_with("UNFINISHED 1 of 2 trials"));
        assert!(said(&results, None, Some("3 records")).unwrap().starts_with("CHANGED RECORDS: 3 records"));
        let results_of = serde_json::from_value(results.clone()).unwrap();
        let unsteady = Report::new("m", IndexMap::new(), vec![results_of]).with_unsteady(Some("the server".into()));
        assert_eq!(warning(&unsteady)[0].as_str(), "UNSTEADY: the server.");
        let both = unsteady.with_changed_records(Some("3 records".into()));
        assert!(warning(&both)[0].as_str().starts_with("CHANGED RECORDS"));
        let steps = [
            ("20 % of the items have no answer", "counts", json!(crate::metric::Counts::default())),
            ("label mass 20.0 %", "label_mass", json!([])),
            ("the longest option gets 60.0", "shortcuts", json!([])),
            ("recall by slot deviates by 30.0 points", "order_effects", json!([])),
            ("other wording than published: here our own", "tables", json!([])),
        ];
        for (words, key, without) in steps {
            let found = said(&results, None, None).unwrap_or_default();
            assert!(found.contains(words), "{words} in {found}");
            results[key] = without;
        }
        assert_eq!(said(&results, None, None), None);
    }

    #[test]
    fn what_a_rule_holds_of_besides_is_counted() {
        let mut results = troubled();
        results["counts"] = json!(crate::metric::Counts::default());
        let mass = results["label_mass"][0].clone();
        results["label_mass"] = json!([mass.clone(), mass.clone(), mass]);
        let results = serde_json::from_value(results).unwrap();
        let found = warning(&Report::new("m", IndexMap::new(), vec![results]));
        assert_eq!(found.iter().map(Said::as_str).next_back(), Some("The same holds of 2 more"), "{found:?}");
    }

    #[test]
    fn five_percent_missing_is_not_yet_worth_a_warning() {
        let mut results = troubled();
        results["counts"]["unanswered"] = json!(5);
        assert_eq!(missing(&serde_json::from_value(results.clone()).unwrap()), None);
        results["counts"]["unanswered"] = json!(6);
        assert!(missing(&serde_json::from_value(results).unwrap()).is_some());
    }
}
