//! Reports: turns results into text for people and files for programs. A report is a pure function of its results.

mod agreement;
mod budgets;
mod calibration;
mod cells;
mod comparison;
mod csv;
pub mod figures;
mod html;
mod items;
mod label;
mod latex;
mod linked;
mod markdown;
mod models;
mod options;
pub mod page;
#[cfg(feature = "parquet")]
pub mod parquet;
mod people;
mod perspective;
mod problems;
mod reminders;
mod reply_length;
mod sections;
mod sheets;
mod summary;
mod swaps;
mod terminal;
mod transfer;
mod unseen;
mod variance;
mod view;
mod words;
mod yardsticks;

use std::borrow::Borrow;
use std::fmt;

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};

use crate::benchmark::Benchmark;
use crate::counted::counted;
use crate::language::Language;
use crate::metric::{Agreement, BY, Cell, Header, OptionsResult, RESULTS_VERSION, ResultRow, Results};
use crate::page::words::{self as page_words, Said};
use crate::parse_error::in_words;
use crate::safe_text::for_terminal;
use crate::table::Format;

pub use cells::render_cells;
pub use comparison::{render_comparison, render_published};
pub use items::ItemOutcome;
#[cfg(test)]
pub(crate) use items::Line as ItemLine;
pub use label::{Nameable, file_name, labels};
pub use page::{
    PageFacts, PageFiles, PageItem, PageWriter, Rank, ShownPrompt, ShownReply, ShownTrial, TestedPair, TestedRuns,
};
#[cfg(feature = "parquet")]
pub use parquet::{Continuation, ParquetError, ParquetFiles, Recorded, RunColumns, TrialRow, WrittenReply};
pub use sections::{check, protocol_tables};
pub use summary::summary;
pub use transfer::ReportedModel;
pub use variance::ID as VARIANCE;
pub use view::{Published, Tables, View};

pub(crate) use label::shortened;
pub(crate) use people::{agreement_grid, agreements_grid};
pub(crate) use words::{interval, number};

/// The content of `results.json`: what was run, and the results of each benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Format version of results, 2; version 1, with `header` and `subject` for `provenance` and `label`, is also read.
    pub version: u32,
    /// Name of the run: the name given, else the model; empty for several runs side by side.
    #[serde(default)]
    pub label: String,
    /// Null where every trial of the run is recorded.
    #[serde(default)]
    pub unfinished: Option<Unfinished>,
    /// The model, used to recognise runs of one base; absent for answers from elsewhere and for several runs side by
    /// side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ReportedModel>,
    /// Settings of the run, line by line: model, weights, data, prompts, orders, scoring, seed, arithmetic, ...
    #[serde(alias = "header")]
    pub provenance: IndexMap<String, String>,
    /// One entry per benchmark.
    pub results: Vec<Results>,
    /// Outcome of every item, if [`Format::Items`] is wanted; not part of `results.json`.
    #[serde(skip)]
    pub items: Vec<ItemOutcome>,
}

/// A run that is only partly recorded: it was stopped, is one of several shards, or lost records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Unfinished {
    /// Trials recorded.
    pub done: usize,
    /// Trials of the whole run.
    pub planned: usize,
}

/// Name of the sentence on what to do with an unfinished run.
const ADVICE: &str = "say_unfinished_advice";

impl Unfinished {
    /// Progress of a run with `done` of `planned` trials recorded; `None` if all are.
    pub fn from_counts(done: usize, planned: usize) -> Option<Self> {
        (done < planned).then_some(Unfinished { done, planned })
    }

    /// What this means for the numbers and how to fix it.
    fn advice(self) -> &'static str {
        page_words::english(ADVICE).unwrap_or_default()
    }

    /// It in a sentence; `which` are the unfinished ones of several runs.
    fn said(self, which: Option<&String>) -> Said {
        let advice = ("advice", ADVICE.to_string());
        match which {
            Some(which) => Said::new("say_unfinished_runs", [("which", which.clone()), advice]),
            None => {
                let counts = [("done", self.done), ("planned", self.planned)];
                let [done, planned] = counts.map(|(name, count)| (name, count.to_string()));
                Said::new("say_unfinished", [done, planned, advice])
            }
        }
    }
}

impl fmt::Display for Unfinished {
    /// The mark shown in every format.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UNFINISHED {} of {}", self.done, counted(self.planned, "trial"))
    }
}

/// Format versions that are read; version 1 has `header` and `subject` for `provenance` and `label`.
const READ: std::ops::RangeInclusive<u32> = 1..=RESULTS_VERSION;

/// A `results.json` that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// Not JSON, or JSON of another shape.
    #[error("not a results file: {}", in_words(source))]
    Malformed {
        /// The parser's reason, with line and column.
        #[from]
        source: serde_json::Error,
    },
    /// Written in another format version.
    #[error("results format {found}, but this program reads format {expected}; run `tomeval report` of the version that wrote it, or score again", expected = RESULTS_VERSION)]
    Version {
        /// The version found.
        found: u32,
    },
}

/// Headline figure of a benchmark, in percent.
#[derive(Debug, Clone, PartialEq)]
pub struct Headline {
    pub benchmark: Benchmark,
    /// Its column, and the facet values of its row: `AVG, en`.
    pub name: String,
    pub value: Option<f64>,
    /// 95 % interval.
    pub interval: Option<(f64, f64)>,
    /// Number of units.
    pub n: usize,
    /// Chance level of uniform guessing.
    pub chance: Option<f64>,
}

/// A language missing from a report.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("--language {}: the report has no results in it; its languages are {known}", missing.code())]
pub struct NoLanguage {
    missing: Language,
    known: String,
}

impl Report {
    /// A report of this program's format version.
    pub fn new(label: impl Into<String>, provenance: IndexMap<String, String>, results: Vec<Results>) -> Self {
        let label = label.into();
        Report {
            version: RESULTS_VERSION,
            label,
            unfinished: None,
            model: None,
            provenance,
            results,
            items: Vec::new(),
        }
    }

    /// Read the content of a `results.json`.
    pub fn parse(json: &str) -> Result<Self, ReportError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let Versioned { version } = serde_json::from_str(json)?;
        if !READ.contains(&version) {
            return Err(ReportError::Version { found: version });
        }
        let mut report: Report = serde_json::from_str(json)?;
        report.version = RESULTS_VERSION;
        if let (true, Some(results)) = (report.label.is_empty(), report.results.first()) {
            report.label = results.label.clone();
        }
        Ok(report)
    }

    /// The content of `results.json`: indented, keys in a fixed order, a newline at the end.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("results hold only strings, numbers and lists");
        json.push('\n');
        json
    }

    /// Returns the headline figures of the benchmarks, one per row of their main tables; if these lack parts, the
    /// accuracies of a table by language.
    pub fn headlines(&self) -> Vec<Headline> {
        let by_language = format!("{BY}language");
        let of = |results: &Results| {
            let whole = sheets::headline(results).filter(|(table, column)| sheets::has_value(table, *column));
            let accuracies = || results.tables.iter().find(|table| table.id == by_language).map(|table| (table, 0));
            let Some((table, column)) = whole.or_else(accuracies) else { return Vec::new() };
            let named = |row: &ResultRow| {
                let key = row.key.values().map(String::as_str);
                let name = std::iter::once(table.columns[column].as_str()).chain(key).collect::<Vec<_>>().join(", ");
                let Cell { value, interval, n, chance, .. } = row.cells[column];
                Headline { benchmark: results.benchmark, name, value, interval, n, chance }
            };
            table.rows.iter().filter(|row| row.over.is_none()).map(named).collect()
        };
        self.results.iter().flat_map(of).collect()
    }

    /// Restricts the report to results in some languages; results not split by language stay.
    pub fn in_languages(mut self, wanted: &[Language]) -> Result<Report, NoLanguage> {
        const LANGUAGE: &str = "language";
        let mut known = IndexSet::new();
        let mut keeps = |language: &str| {
            known.insert(language.to_string());
            wanted.iter().any(|wanted| wanted.code() == language)
        };
        for results in &mut self.results {
            for table in &mut results.tables {
                table.rows.retain(|row| row.key.get(LANGUAGE).is_none_or(|language| keeps(language)));
            }
            results.tables.retain(|table| !table.rows.is_empty());
            results.order_effects.retain(|each| keeps(&each.language));
            results.none_of_these.retain(|each| keeps(&each.language));
            results.unseen.retain(|each| keeps(&each.language));
            results.budgets.retain(|each| keeps(&each.language));
            results.reply_length.retain(|each| keeps(&each.language));
            results.variance.retain(|each| keeps(&each.language));
            results.options.retain(|each| keeps(&each.language));
            results.swaps.retain(|each| keeps(&each.language));
            results.reminded.retain(|each| keeps(&each.language));
            results.wrong_choices.retain(|each| keeps(&each.language));
            results.perspective.retain(|each| keeps(&each.language));
            results.calibration.retain(|each| keeps(&each.language));
            results.replies.retain(|each| keeps(&each.language));
            results.agreement.retain(|each| keeps(&each.language));
            results.linked.retain(|key| key.get(LANGUAGE).is_none_or(|language| keeps(language)));
            results.shortcuts.retain(|each| wanted.contains(&each.language));
        }
        match wanted.iter().find(|wanted| !known.is_empty() && !known.contains(wanted.code())) {
            None if known.iter().all(|code| wanted.iter().any(|wanted| wanted.code() == code)) => Ok(self),
            None => {
                let codes: Vec<&str> = wanted.iter().map(|language| language.code()).collect();
                let shown = format!("only {}; counts of items and trials cover all languages", codes.join(", "));
                self.provenance.insert(label::SHOWN.to_string(), shown);
                Ok(self)
            }
            Some(missing) => {
                Err(NoLanguage { missing: *missing, known: known.into_iter().collect::<Vec<_>>().join(", ") })
            }
        }
    }

    /// Whether rows of the data could not be read.
    pub fn has_unread_rows(&self) -> bool {
        self.results.iter().any(|results| !results.unread_rows.is_empty())
    }

    /// Whether the number of rows differs from that of the released files.
    pub fn has_changed_data(&self) -> bool {
        self.results.iter().any(|results| !results.changed_data.is_empty())
    }

    /// Whether trials failed.
    pub fn has_failed_trials(&self) -> bool {
        self.results.iter().any(|results| !results.counts.failures.is_empty())
    }

    /// Adds a notice about records changed after writing to the top of the report.
    pub fn with_changed_records(mut self, changed: Option<String>) -> Self {
        self.provenance.shift_remove(label::CHANGED);
        if let Some(changed) = changed {
            self.provenance.shift_insert(0, label::CHANGED.to_string(), changed);
        }
        self
    }

    /// Adds a warning about numbers that do not repeat themselves to the top of the report, after changed records.
    pub fn with_unsteady(mut self, warning: Option<String>) -> Self {
        self.provenance.shift_remove(label::UNSTEADY);
        if let Some(warning) = warning {
            let at = usize::from(self.has_changed_records());
            self.provenance.shift_insert(at, label::UNSTEADY.to_string(), warning);
        }
        self
    }

    /// Whether records were changed after writing.
    pub fn has_changed_records(&self) -> bool {
        self.provenance.contains_key(label::CHANGED)
    }

    fn nameable(&self) -> Nameable<'_> {
        let mut rows = self.results.iter().flat_map(|results| &results.tables).flat_map(|table| &table.rows);
        let answers = rows.next().map_or("", |row| row.header.answers.as_str());
        Nameable { label: &self.label, answers, provenance: &self.provenance }
    }

    /// Gives the rows and items of one run another label.
    fn relabel(&mut self, label: &str) {
        self.label = label.to_string();
        for results in &mut self.results {
            results.relabel(label);
        }
        self.items.iter_mut().for_each(|item| item.header.label = label.to_string());
    }

    /// Merges several reports: tables of the same benchmark get the rows of all, in the order given, each under a
    /// distinct label ([`labels`]). Provenance lines that agree are kept, others become a list. If the reports include
    /// items, written answers are compared with log-likelihood choices. Runs of one base whose adapters have training
    /// languages make tables by language of training and test. Trials of unfinished runs are added up. Runs without
    /// results, the first phases of styles, are left out if others have some.
    pub fn merge(reports: impl IntoIterator<Item = Report>) -> Report {
        let mut reports: Vec<Report> = reports.into_iter().collect();
        // The first phase of a style has no results beside those of the second.
        if reports.iter().any(|report| !report.results.is_empty()) {
            reports.retain(|report| !report.results.is_empty());
        }
        let mut merged = Report::new("", IndexMap::new(), Vec::new());
        // Agreement is per model, whatever its runs are named, and so are ways of showing options.
        let mut agreements: IndexMap<Benchmark, Vec<Agreement>> = IndexMap::new();
        let mut options: IndexMap<Benchmark, Vec<OptionsResult>> = IndexMap::new();
        for results in reports.iter().flat_map(|report| &report.results) {
            if !agreements.contains_key(&results.benchmark) {
                let items = reports.iter().flat_map(|report| &report.items);
                let found = agreement::agreements(items.filter(|item| item.benchmark == results.benchmark));
                agreements.insert(results.benchmark, found);
                options.insert(results.benchmark, options::compared(&reports, results.benchmark));
            }
        }
        perspective::join_right_cuts(&mut reports);
        let transfers = transfer::tables(&reports);
        let given: Vec<String> = reports.iter().map(|report| report.label.clone()).collect();
        // Reports merged before already have distinct labels.
        if reports.iter().all(|report| report.results.iter().all(|results| results.label == report.label)) {
            let names = labels_of(&reports);
            reports.iter_mut().zip(names).for_each(|(report, name)| report.relabel(&name));
        }
        let models = models::behind(&reports, given);
        if let [only] = &reports[..] {
            merged.label = only.label.clone();
            merged.model = only.model.clone();
        }
        let several = reports.len() > 1;
        let mut provenance: IndexMap<String, IndexSet<String>> = IndexMap::new();
        for report in reports {
            if let Some(Unfinished { done, planned }) = report.unfinished {
                let sum = merged.unfinished.get_or_insert(Unfinished { done: 0, planned: 0 });
                sum.done += done;
                sum.planned += planned;
                if several {
                    let part = format!("{} ({done}/{planned} trials)", report.label);
                    provenance.entry(label::UNFINISHED.to_string()).or_default().insert(part);
                }
            }
            for (name, value) in report.provenance {
                provenance.entry(name).or_default().extend(Some(value).filter(|value| !value.is_empty()));
            }
            merged.items.extend(report.items);
            for results in report.results {
                match merged.results.iter_mut().find(|known| known.benchmark == results.benchmark) {
                    Some(known) => add_results(known, results),
                    None => merged.results.push(results),
                }
            }
        }
        let rendered =
            provenance.into_iter().map(|(name, values)| (name, values.into_iter().collect::<Vec<_>>().join("; ")));
        merged.provenance = rendered.collect();
        let changed = merged.provenance.get(label::CHANGED).cloned();
        let unsteady = merged.provenance.get(label::UNSTEADY).cloned();
        merged = merged.with_changed_records(changed).with_unsteady(unsteady);
        for results in &mut merged.results {
            let own = transfers.iter().filter(|(benchmark, _)| *benchmark == results.benchmark);
            results.tables.extend(own.map(|(_, table)| table.clone()));
            results.tables.iter_mut().for_each(|table| table.combine(&models));
            results.agreement = agreements.shift_remove(&results.benchmark).unwrap_or_default();
            results.options.extend(options.shift_remove(&results.benchmark).unwrap_or_default());
        }
        merged
    }
}

/// The labels that [`Report::merge`] gives these runs.
pub fn labels_of(reports: &[impl Borrow<Report>]) -> Vec<String> {
    labels(&reports.iter().map(|report| report.borrow().nameable()).collect::<Vec<_>>())
}

/// Names of runs shown side by side: label and way of answering.
pub fn names_of(reports: &[Report]) -> Vec<String> {
    let rows = |report: &Report| {
        report.results.iter().flat_map(|results| &results.tables).flat_map(|table| &table.rows).next().cloned()
    };
    let name = |(label, report): (String, &Report)| match rows(report) {
        Some(row) => sheets::row_name(&ResultRow { header: Header { label, ..row.header }, ..row }, false, false),
        None => label,
    };
    labels_of(reports).into_iter().zip(reports).map(name).collect()
}

fn add_results(known: &mut Results, more: Results) {
    if known.label != more.label {
        known.label = format!("{}; {}", known.label, more.label);
    }
    for table in more.tables {
        match known.tables.iter_mut().find(|other| other.id == table.id) {
            Some(other) => other.add(table),
            None => known.tables.push(table),
        }
    }
    known.order_effects.extend(more.order_effects);
    known.none_of_these.extend(more.none_of_these);
    known.unseen.extend(more.unseen);
    known.budgets.extend(more.budgets);
    known.reply_length.extend(more.reply_length);
    known.variance.extend(more.variance);
    known.options.extend(more.options);
    known.swaps.extend(more.swaps);
    known.reminded.extend(more.reminded);
    known.wrong_choices.extend(more.wrong_choices);
    known.perspective.extend(more.perspective);
    known.calibration.extend(more.calibration);
    known.label_mass.extend(more.label_mass);
    known.replies.extend(more.replies);
    known.raters.extend(more.raters);
    known.linked.add(more.linked);
    known.listings.extend(more.listings);
    let notes = more.notes.into_iter().filter(|note| !known.notes.contains(note)).collect::<Vec<_>>();
    known.notes.extend(notes);
    let shortcuts = more.shortcuts.into_iter().filter(|it| !known.shortcuts.contains(it)).collect::<Vec<_>>();
    known.shortcuts.extend(shortcuts);
    let unread = more.unread_rows.into_iter().filter(|row| !known.unread_rows.contains(row)).collect::<Vec<_>>();
    known.unread_rows.extend(unread);
    let changed = more.changed_data.into_iter().filter(|count| !known.changed_data.contains(count)).collect::<Vec<_>>();
    known.changed_data.extend(changed);
    known.counts.add(more.counts);
}

/// Renders the report as text. The view matters to the terminal, Markdown and LaTeX; other formats hold everything.
/// Names and texts of data and models are unchanged, except that terminal control sequences and spreadsheet formulas
/// are escaped.
pub fn render(report: &Report, format: Format, view: &View) -> String {
    match format {
        Format::Terminal => for_terminal(&terminal::report(report, view)).into_owned(),
        Format::Markdown => for_terminal(&markdown::report(report, view)).into_owned(),
        Format::Latex => for_terminal(&latex::report(report, view)).into_owned(),
        // These formats escape value by value.
        Format::Csv => csv::report(report),
        Format::Json => report.to_json(),
        Format::Items => items::report(report),
        Format::Html => html::report(report),
    }
}
