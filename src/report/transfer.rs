//! Transfer across languages: runs of one base model with adapters trained in different languages, side by side (as
//! Figure 9 of Chan et al. 2025, XToM).

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};

use super::{Report, sheets};
use crate::benchmark::Benchmark;
use crate::language::Language;
use crate::metric::{AskedPart, BY, Cell, Drawing, Header, ResultRow, Results, TableResult};

/// The model of a run, used to recognise runs of one base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReportedModel {
    /// Name without its adapter.
    pub base: String,
    /// SHA-256 over the sorted hashes of its files, one per line, excluding those of its adapter.
    pub base_sha256: String,
    /// Adapter merged into it; absent if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<String>,
    /// Training languages of the adapter; absent if not stated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trained_in: Vec<Language>,
}

/// Facet of the rows.
const TRAINED_IN: &str = "trained in";

/// Row of the model without an adapter.
const BASE: &str = "base";

/// Facet of the columns.
const ASKED_IN: &str = "language";

/// Provenance lines in which the runs of a table may differ: names, and the subject of the table.
const FREE: [&str; 8] = ["name", "model", "adapter", "files", "source", "answers", "style", "tomeval"];

/// A run that becomes a row.
struct Trained<'a> {
    name: String,
    report: &'a Report,
}

/// The tables by training and test language, each with its benchmark.
pub(super) fn tables(reports: &[Report]) -> Vec<(Benchmark, TableResult)> {
    let mut bases: IndexMap<&str, Vec<(&ReportedModel, &Report)>> = IndexMap::new();
    for report in reports {
        if let Some(model) = &report.model {
            bases.entry(&model.base_sha256).or_default().push((model, report));
        }
    }
    bases.retain(|_, runs| {
        // Adapters in folders of the same name may differ in training languages.
        let adapters: IndexSet<_> = runs.iter().map(|(model, _)| (model.adapter.as_ref(), &model.trained_in)).collect();
        adapters.len() > 1 && runs.iter().any(|(model, _)| !model.trained_in.is_empty())
    });
    let several = bases.len() > 1;
    bases.values().flat_map(|runs| of_base(runs, several)).collect()
}

/// The tables of one base.
fn of_base(runs: &[(&ReportedModel, &Report)], several: bool) -> Vec<(Benchmark, TableResult)> {
    let (rendered, untold): (Vec<_>, Vec<_>) =
        runs.iter().copied().partition(|(model, _)| model.adapter.is_none() || !model.trained_in.is_empty());
    let trained = trained(&rendered);
    let mut untold: Vec<&str> = untold.iter().filter_map(|(model, _)| model.adapter.as_deref()).collect();
    untold.dedup();
    let Some((first, _)) = runs.first() else { return Vec::new() };
    let about = About { base: &first.base, base_sha256: &first.base_sha256, several, untold: &untold };
    let mut of_benchmark: IndexMap<Benchmark, Vec<(&Trained<'_>, &Results)>> = IndexMap::new();
    for each in &trained {
        for results in &each.report.results {
            of_benchmark.entry(results.benchmark).or_default().push((each, results));
        }
    }
    let tables = |(benchmark, runs): (Benchmark, Vec<(&Trained<'_>, &Results)>)| {
        let mut wanted: IndexMap<&str, &str> = IndexMap::new();
        for (table, column) in runs.iter().flat_map(|(_, results)| sources_of(results)) {
            wanted.entry(&table.id).or_insert(&table.columns[column]);
        }
        let of_column = |(id, name): (&str, &str)| {
            let sources = runs.iter().filter_map(|(run, results)| Source::new(run, results, id, name));
            Some((benchmark, table(&sources.collect::<Vec<_>>(), &about)?))
        };
        wanted.into_iter().filter_map(of_column).collect::<Vec<_>>()
    };
    of_benchmark.into_iter().flat_map(tables).collect()
}

/// Facts shared by all rows.
struct About<'a> {
    base: &'a str,
    base_sha256: &'a str,
    /// Whether another base has tables too.
    several: bool,
    /// Adapters without a stated training language.
    untold: &'a [&'a str],
}

/// Source of a run's row: a column of one of its tables.
struct Source<'a> {
    run: &'a Trained<'a>,
    table: &'a TableResult,
    column: usize,
}

impl<'a> Source<'a> {
    /// The column of this name in the table with this id, if the run has it.
    fn new(run: &'a Trained<'a>, results: &'a Results, id: &str, name: &str) -> Option<Self> {
        let table = results.tables.iter().find(|table| table.id == id)?;
        let column = table.columns.iter().position(|column| column == name)?;
        Some(Source { run, table, column })
    }
}

/// Names the rows of runs: the base first, then by training languages, adapters of several languages last. Runs of one
/// adapter asked in the same way are numbered.
fn trained<'a>(runs: &[(&ReportedModel, &'a Report)]) -> Vec<Trained<'a>> {
    let mut runs = runs.to_vec();
    runs.sort_by_key(|(model, _)| (model.trained_in.len(), model.trained_in.clone()));
    let codes = |model: &ReportedModel| {
        let codes: Vec<&str> = model.trained_in.iter().map(|language| language.code()).collect();
        if codes.is_empty() { BASE.to_string() } else { codes.join("+") }
    };
    let adapters = |name: &str| -> IndexSet<Option<&String>> {
        runs.iter().filter(|(model, _)| codes(model) == name).map(|(model, _)| model.adapter.as_ref()).collect()
    };
    let name = |model: &ReportedModel| match (codes(model), &model.adapter) {
        (codes, Some(adapter)) if adapters(&codes).len() > 1 => format!("{codes} ({adapter})"),
        (codes, _) => codes,
    };
    let mut given: Vec<(String, Direction<'_>)> = Vec::new();
    let mut rendered = Vec::new();
    for (model, report) in &runs {
        let (name, way) = (name(model), way(report));
        let before = given.iter().filter(|known| **known == (name.clone(), way)).count();
        given.push((name.clone(), way));
        let name = if before == 0 { name } else { format!("{name} ({})", before + 1) };
        rendered.push(Trained { name, report });
    }
    rendered
}

/// Columns that become tables: the headline, and those of tables that a user requested.
fn sources_of(results: &Results) -> Vec<(&TableResult, usize)> {
    let headline = sheets::valued_headline(results);
    let of_user = results.tables.iter().filter(|table| table.id.starts_with(BY) && table.columns.len() == 1);
    let asked = of_user.filter(|table| headline.is_none_or(|(known, _)| known.id != table.id)).map(|table| (table, 0));
    let by_language = |(table, _): &(&TableResult, usize)| table.facets.iter().any(|facet| facet == ASKED_IN);
    headline.into_iter().chain(asked).filter(by_language).collect()
}

/// Turns rows per test language into rows per training language.
fn table(sources: &[Source<'_>], about: &About<'_>) -> Option<TableResult> {
    let first = sources.first()?;
    let others: Vec<&String> = first.table.facets.iter().filter(|facet| *facet != ASKED_IN).collect();
    let named = &first.table.columns[first.column];
    let rows = || sources.iter().flat_map(|source| source.table.rows.iter().map(move |row| (source, row)));
    let languages: IndexSet<&String> = rows().filter_map(|(_, row)| row.key.get(ASKED_IN)).collect();
    let runs: IndexSet<&str> = sources.iter().map(|source| source.run.name.as_str()).collect();
    if runs.len() < 2 || languages.is_empty() {
        return None;
    }
    // Rows of one run that differ only in the test language become one.
    type Key<'a> = (Vec<&'a str>, &'a str, [Option<&'a str>; 3]);
    let mut pivoted: IndexMap<Key<'_>, (usize, Vec<&ResultRow>)> = IndexMap::new();
    for (source, row) in rows() {
        let values: Vec<&str> = others.iter().map(|facet| row.key.get(*facet).map_or("", String::as_str)).collect();
        let Header { label: _, answers, style, condition } = &row.header;
        let key = (values, source.run.name.as_str(), [Some(answers.as_str()), Some(style), condition.as_deref()]);
        pivoted.entry(key).or_insert((source.column, Vec::new())).1.push(row);
    }
    let mut made: Vec<ResultRow> = Vec::new();
    for ((values, name, _), (column, of_languages)) in &pivoted {
        let cell = |language: &&String| {
            let row = of_languages.iter().find(|row| row.key.get(ASKED_IN) == Some(*language));
            row.and_then(|row| row.cells.get(*column))
                .cloned()
                .unwrap_or_else(|| Cell::empty("items".to_string(), format!("{name} was not asked in this language")))
        };
        let key = others.iter().map(|facet| facet.to_string()).zip(values.iter().map(|value| value.to_string()));
        made.push(ResultRow {
            header: Header { label: about.label(), ..of_languages.first()?.header.clone() },
            part: of_languages.iter().map(|row| row.part).reduce(together).flatten(),
            key: key.chain([(TRAINED_IN.to_string(), name.to_string())]).collect(),
            cells: languages.iter().map(cell).collect(),
            ..of_languages.first().map(|row| (*row).clone())?
        });
    }
    // All training languages for one combination of the other facets are adjacent.
    let of_others: IndexSet<Vec<String>> = made.iter().map(before_last).collect();
    made.sort_by_key(|row| of_others.get_index_of(&before_last(row)));
    let by = if others.is_empty() {
        String::new()
    } else {
        format!(", by {}", others.iter().map(|facet| facet.as_str()).collect::<Vec<_>>().join(" and "))
    };
    Some(TableResult {
        id: match first.table.id.strip_prefix(BY) {
            Some(facets) => format!("{ID}-{BY}{facets}{}", about.mark()),
            None => format!("{ID}{}", about.mark()),
        },
        title: format!("{named} by language of training and test{by}"),
        paper: None,
        facets: others.iter().map(|facet| facet.to_string()).chain([TRAINED_IN.to_string()]).collect(),
        columns: languages.iter().map(|language| language.to_string()).collect(),
        transpose: false,
        figures: vec![Drawing::Heat],
        parts: Default::default(),
        across: Default::default(),
        rows: made,
        published: Vec::new(),
        caption: None,
        note: Some(note(sources, about)),
    })
}

/// Adds up the parts asked per language; `None` if any language was asked in full.
fn together(one: Option<AskedPart>, other: Option<AskedPart>) -> Option<AskedPart> {
    let (one, other) = one.zip(other)?;
    Some(AskedPart { asked: one.asked + other.asked, of: one.of + other.of })
}

pub(super) use super::view::TRANSFER as ID;

fn before_last(row: &ResultRow) -> Vec<String> {
    let last = row.key.len().saturating_sub(1);
    row.key.values().take(last).cloned().collect()
}

/// How the answers of a run came about, from its report.
type Direction<'a> = [Option<&'a String>; 2];

fn way(report: &Report) -> Direction<'_> {
    ["answers", "style"].map(|line| report.provenance.get(line))
}

impl About<'_> {
    /// Suffix that distinguishes the tables of several bases.
    fn mark(&self) -> String {
        if self.several { format!("-{}", self.short()) } else { String::new() }
    }

    fn short(&self) -> &str {
        self.base_sha256.get(..8).unwrap_or(self.base_sha256)
    }

    fn label(&self) -> String {
        if self.several { format!("{} ({})", self.base, self.short()) } else { self.base.to_string() }
    }
}

/// Note needed to read the table.
fn note(sources: &[Source<'_>], about: &About<'_>) -> String {
    let mut note = format!(
        "Down: the languages that adapters of {} were trained in; {BASE} is without one. Across: the languages asked in. After \
         Chan et al. 2025 (XToM), Figure 9.",
        about.base
    );
    let differing = differing(sources);
    if !differing.is_empty() {
        note.push_str(&format!(
            " The runs differ in more than their adapter, so that rows are not comparable as they stand: {}.",
            differing.iter().copied().collect::<Vec<_>>().join(", ")
        ));
    }
    if !about.untold.is_empty() {
        note.push_str(&format!(
            " Left out, since no language of training is stated: {}; `tomeval run --adapter LANGUAGE=DIR` with the same \
             arguments states it.",
            about.untold.join(", ")
        ));
    }
    note
}

/// Provenance lines that differ between runs asked in the same way.
fn differing<'a>(sources: &'a [Source<'_>]) -> IndexSet<&'a str> {
    let mut ways: IndexMap<Direction<'_>, Vec<&Report>> = IndexMap::new();
    for source in sources {
        ways.entry(way(source.run.report)).or_default().push(source.run.report);
    }
    let mut found = IndexSet::new();
    for runs in ways.values() {
        for line in runs.iter().flat_map(|run| run.provenance.keys()) {
            let value = |run: &Report| run.provenance.get(line).cloned();
            if !FREE.contains(&line.as_str()) && runs.iter().any(|run| value(run) != value(runs[0])) {
                found.insert(line.as_str());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::render;
    use super::*;
    use crate::report::View;
    use crate::table::{Format, Screen};

    /// A run of the base model with hash `base` and an adapter, with accuracies in percent by language.
    fn run(base: &str, adapter: Option<(&str, &[&str])>, seed: &str, values: &[(&str, f64)]) -> Report {
        let row = |(language, value): &(&str, f64)| {
            json!({
                "label": "m", "answers": "letters", "style": "vanilla", "condition": null, "key": { "language": language },
                "cells": [{
                    "value": value, "interval": [value - 5.0, value + 5.0], "n": 40, "unit": "items", "chance": 25.0,
                    "reason": null,
                }, { "value": 1.0, "interval": null, "n": 40, "unit": "items", "chance": 25.0, "reason": null }],
            })
        };
        let rows: Vec<Value> = values.iter().map(row).collect();
        let (name, trained_in) = adapter.unwrap_or_default();
        let mut model = json!({ "base": "tiny", "base_sha256": base.repeat(8), "trained_in": trained_in });
        if !name.is_empty() {
            model["adapter"] = name.into();
        }
        let report = json!({
            "version": 2, "label": format!("tiny + {name}"), "unfinished": null, "model": model,
            "provenance": { "model": format!("tiny + {name}"), "answers": "letters", "style": "vanilla", "seed": seed },
            "results": [{
                "benchmark": "custom", "title": "Small", "label": format!("tiny + {name}"),
                "counts": {
                    "items_in_data": 40, "items": 40, "trials": 40, "draws": 40, "unanswered": 0, "ties": 0, "failures": {},
                    "flags": {}, "accuracy_bounds": null,
                },
                "tables": [{
                    "id": "accuracy", "title": "Belief", "paper": null, "facets": ["language"], "columns": ["Belief", "Fact"],
                    "transpose": false, "rows": rows, "published": [], "note": null,
                }],
                "order_effects": [], "listings": [], "notes": [],
            }],
        });
        Report::parse(&report.to_string()).unwrap()
    }

    const BOTH: [(&str, f64); 2] = [("en", 50.0), ("zh", 40.0)];

    /// The rows of the only table, with their values by column.
    fn rows(reports: &[Report]) -> (TableResult, Vec<(String, Vec<Option<f64>>)>) {
        let table = tables(reports).pop().unwrap().1;
        let line = |row: &ResultRow| (row.key[TRAINED_IN].clone(), row.cells.iter().map(|cell| cell.value).collect());
        let rows = table.rows.iter().map(line).collect();
        (table, rows)
    }

    #[test]
    fn rows_are_training_languages_and_columns_test_languages() {
        let reports = [
            run("a", Some(("multi", &["en", "zh"])), "0", &[("en", 61.0), ("zh", 62.0)]),
            run("a", Some(("z", &["zh"])), "0", &[("zh", 52.0), ("en", 51.0)]),
            run("a", None, "0", &BOTH),
            run("a", Some(("e", &["en"])), "0", &[("en", 71.0)]),
        ];
        let (table, found) = rows(&reports);
        assert_eq!(
            (&table.columns[..], &*table.title),
            (&["en".to_string(), "zh".to_string()][..], "Belief by language of training and test")
        );
        let row = |name: &str, en, zh| (name.to_string(), vec![en, zh]);
        let expected = [
            row("base", Some(50.0), Some(40.0)),
            row("en", Some(71.0), None),
            row("zh", Some(51.0), Some(52.0)),
            row("en+zh", Some(61.0), Some(62.0)),
        ];
        assert_eq!(found, expected);
        assert_eq!(table.rows[1].cells[1].reason.as_deref(), Some("en was not asked in this language"));
        assert_eq!(table.rows[0].cells[0].interval, Some((45.0, 55.0)));
        let text = render(
            &Report::merge(reports),
            Format::Terminal,
            &View { screen: Screen { width: Some(80) }, ..View::WHOLE },
        );
        assert!(text.contains("Belief by language of training and test"), "{text}");
        let tables = text.split("trained in").nth(1).unwrap().lines().take(20);
        assert!(tables.clone().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn what_differs_and_what_is_not_stated_is_said() {
        let en = |seed| run("a", Some(("e", &["en"])), seed, &BOTH);
        let (table, _) = rows(&[run("a", None, "0", &BOTH), en("0"), run("a", Some(("mine", &[])), "0", &BOTH)]);
        let note = table.note.unwrap();
        assert!(!note.contains("not comparable"), "{note}");
        assert!(note.contains("no language of training is stated: mine"), "{note}");
        let (table, found) = rows(&[run("a", None, "0", &BOTH), en("0"), en("1")]);
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["base", "en", "en (2)"]);
        assert!(table.note.unwrap().contains("not comparable as they stand: seed."));
        let other = run("a", Some(("other", &["en"])), "0", &BOTH);
        let names: Vec<String> = rows(&[en("0"), other]).1.into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["en (e)", "en (other)"]);
    }

    #[test]
    fn there_is_no_table_without_a_training_language_or_a_common_base() {
        let base = run("a", None, "0", &BOTH);
        let untold = run("a", Some(("mine", &[])), "0", &BOTH);
        assert_eq!(tables(&[base.clone(), untold]), []);
        let of_other = run("b", Some(("e", &["en"])), "0", &BOTH);
        assert_eq!(tables(&[base.clone(), of_other.clone()]), []);
        // Two bases get one table each, told apart by hash.
        let own = run("a", Some(("e", &["en"])), "0", &BOTH);
        let other_base = run("b", None, "0", &BOTH);
        let found = tables(&[base, own, other_base, of_other]);
        let ids: Vec<&str> = found.iter().map(|(_, table)| table.id.as_str()).collect();
        assert_eq!(ids, ["transfer-aaaaaaaa", "transfer-bbbbbbbb"]);
        assert_eq!(found[1].1.rows[0].header.label, "tiny (bbbbbbbb)");
    }
}
