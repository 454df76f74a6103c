//! Judgements of a group of units: shares of labels, ratings, scores.

use indexmap::{IndexMap, IndexSet};
use serde::Serialize;

use super::unit::{Unit, labels_of, number_of, penalty_of, score_of};
use crate::annotate::{JudgeRecord, Kind, Question, Scheme, SpanJudged, Value, overall_quality};
use crate::stats::{clustered_mean, clustered_wilson};

/// Judgements of a group of units. An adjudicated unit counts as decided, any other with the mean of its judges: for a
/// label, the share of judges who gave it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GroupResult {
    /// The run; null if no answers were judged.
    pub run: Option<String>,
    /// The value of the facet, or `all`; if units belong to several benchmarks, also a benchmark, and `benchmark,
    /// value`.
    pub group: String,
    /// Number of units. A unit counts as its adjudicator decided, otherwise with the mean of its judges.
    pub units: usize,
    /// Percentage of units with each label; empty for scales and spans.
    pub labels: Vec<Share>,
    /// Percentage of ratings with each number of the scale; otherwise empty.
    pub ratings: Vec<Share>,
    /// Mean rating, or mean score of spans; null for labels.
    pub mean: Option<f64>,
    /// Its 95 % interval, by Student's t, clustered by story; null without a mean, and where it is missing.
    pub mean_interval: Option<(f64, f64)>,
    /// Why a mean has no interval: fewer than two stories, or so few that the interval would leave the scale, which runs
    /// from the lowest to the highest rating, or from 0 (or the lowest score, if that is below) to the score of a text
    /// without faults. Otherwise null.
    pub interval_missing: Option<String>,
    /// Spans: percentage of units at or above the pass mark; otherwise null.
    pub passed: Option<f64>,
    /// Spans: the score of all texts combined.
    pub pooled: Option<f64>,
    /// Spans: words of the texts.
    pub words: Option<usize>,
    /// Spans: faults of each label and severity, mean over judges.
    pub faults: Vec<Faults>,
}

/// Frequency of a label or rating.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Share {
    /// A label, or a number of the scale.
    pub label: String,
    /// Percentage of units, or of ratings.
    pub percent: f64,
    /// 95 % interval, clustered by story; null for fewer than two stories.
    pub interval: Option<(f64, f64)>,
}

/// Faults of a kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Faults {
    /// Spans: the kind of a fault.
    pub label: String,
    /// Its severity.
    pub severity: String,
    /// Number of faults, mean over judges.
    pub count: f64,
}

/// Units in one table row.
pub(super) struct Group<'u, 'a> {
    pub(super) run: Option<String>,
    /// The value they share, or `all`.
    pub(super) name: String,
    pub(super) units: Vec<&'u Unit<'a>>,
}

/// The units of each run by the facet's values, in order of occurrence, with numbers sorted; then the whole run. If
/// units belong to several benchmarks, the groups of each benchmark come first.
pub(super) fn groups<'u, 'a>(scheme: &Scheme, units: &'u [Unit<'a>]) -> Vec<Group<'u, 'a>> {
    let mut groups = Vec::new();
    for (run, of_run) in parted(units.iter(), |unit| Some(unit.fact("run"))) {
        let by_facet = |units: &[&'u Unit<'a>], prefix: &str| -> Vec<Group<'u, 'a>> {
            let mut values = parted(units.iter().copied(), |unit| scheme.by.as_ref().and_then(|by| unit.fact(by)));
            let number = |value: &str| value.parse::<i64>().ok();
            values.sort_by(|one, _, other, _| number(one).cmp(&number(other)));
            if values.len() < 2 {
                return Vec::new();
            }
            let named = |(value, units): (&str, Vec<&'u Unit<'a>>)| Group {
                run: run.map(str::to_string),
                name: format!("{prefix}{value}"),
                units,
            };
            values.into_iter().map(named).collect()
        };
        let benchmarks = parted(of_run.iter().copied(), |unit| unit.fact("benchmark"));
        if benchmarks.len() > 1 {
            for (benchmark, units) in benchmarks {
                groups.extend(by_facet(&units, &format!("{benchmark}, ")));
                groups.push(Group { run: run.map(str::to_string), name: benchmark.to_string(), units });
            }
        }
        if scheme.by.as_deref() != Some("benchmark") {
            groups.extend(by_facet(&of_run, ""));
        }
        groups.push(Group { run: run.map(str::to_string), name: "all".to_string(), units: of_run });
    }
    groups
}

/// Groups units by a value; units without one are dropped.
fn parted<'u, 'a, K: std::hash::Hash + Eq>(
    units: impl Iterator<Item = &'u Unit<'a>>,
    value: impl Fn(&'u Unit<'a>) -> Option<K>,
) -> IndexMap<K, Vec<&'u Unit<'a>>>
where
    'a: 'u,
{
    let mut parts: IndexMap<K, Vec<&Unit<'_>>> = IndexMap::new();
    for unit in units {
        if let Some(value) = value(unit) {
            parts.entry(value).or_default().push(unit);
        }
    }
    parts
}

impl GroupResult {
    /// Sets the mean of values over units, and its interval, clustered by story, if it lies within the scale.
    fn set_mean(&mut self, units: &[&Unit<'_>], values: &[f64], (lowest, highest): (f64, f64)) {
        if values.is_empty() {
            return;
        }
        self.mean = Some(values.iter().sum::<f64>() / values.len() as f64);
        let mean = clustered_mean(values, &stories(units));
        // Rounding of a mean at the end of the scale is not beyond it.
        let margin = (highest - lowest) * 1e-9;
        match mean.as_ref().map(|mean| (mean.stories, mean.unbounded_interval())) {
            None => self.interval_missing = Some("too few units: fewer than two stories".to_string()),
            Some((stories, (low, high))) if low < lowest - margin || high > highest + margin => {
                self.interval_missing = Some(format!(
                    "too few units: the t interval over {stories} stories would leave the scale, {lowest} to {highest}"
                ));
            }
            Some((_, (low, high))) => self.mean_interval = Some((low.max(lowest), high.min(highest))),
        }
    }
}

fn stories(units: &[&Unit<'_>]) -> Vec<usize> {
    let mut numbers: IndexSet<&str> = IndexSet::new();
    units.iter().map(|unit| numbers.insert_full(unit.story()).0).collect()
}

/// The share of units, each counted with a number from 0 to 1.
fn share(label: String, units: &[&Unit<'_>], values: &[f64]) -> Share {
    let interval = clustered_mean(values, &stories(units)).and_then(|share| clustered_wilson(&share));
    Share {
        label,
        percent: values.iter().sum::<f64>() / values.len().max(1) as f64 * 100.0,
        interval: interval.map(|(low, high)| (low * 100.0, high * 100.0)),
    }
}

pub(super) fn average(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Results of a question for a group.
pub(super) fn of_group(question: &Question, group: &Group<'_, '_>) -> GroupResult {
    let units = &group.units[..];
    let per_unit = |value: &dyn Fn(&JudgeRecord) -> f64| -> Vec<f64> {
        units.iter().map(|unit| average(unit.counted().into_iter().map(value))).collect()
    };
    let mut result = GroupResult {
        run: group.run.clone(),
        group: group.name.clone(),
        units: units.len(),
        labels: Vec::new(),
        ratings: Vec::new(),
        mean: None,
        mean_interval: None,
        interval_missing: None,
        passed: None,
        pooled: None,
        words: None,
        faults: Vec::new(),
    };
    match question.kind {
        Kind::Label | Kind::Labels => {
            let of_label = |id: &str| {
                let given = |record: &JudgeRecord| f64::from(labels_of(record, question).contains(id));
                share(id.to_string(), units, &per_unit(&given))
            };
            result.labels = question.labels.iter().map(|label| of_label(&label.id)).collect();
        }
        Kind::Scale => {
            let value = |record: &JudgeRecord| number_of(record, question).unwrap_or_default() as f64;
            let (low, high) = question.scale.unwrap_or_default();
            result.set_mean(units, &per_unit(&value), (low as f64, high as f64));
            let of_number = |number: i64| {
                let is = |record: &JudgeRecord| f64::from(number_of(record, question) == Some(number));
                share(number.to_string(), units, &per_unit(&is))
            };
            result.ratings = (low..=high).map(of_number).collect();
        }
        Kind::Spans => spans_result(question, units, &per_unit, &mut result),
    }
    result
}

fn spans_result(
    question: &Question,
    units: &[&Unit<'_>],
    per_unit: &dyn Fn(&dyn Fn(&JudgeRecord) -> f64) -> Vec<f64>,
    result: &mut GroupResult,
) {
    let with_words: Vec<&Unit<'_>> = units.iter().copied().filter(|unit| unit.first.words > 0).collect();
    let score = |unit: &&Unit<'_>| average(unit.counted().iter().filter_map(|record| score_of(record, question)));
    let scores: Vec<f64> = with_words.iter().map(score).collect();
    let lowest = scores.iter().copied().fold(0.0, f64::min);
    result.set_mean(&with_words, &scores, (lowest, question.maximum.unwrap_or(100.0)));
    let words: usize = units.iter().map(|unit| unit.first.words).sum();
    let penalties: f64 = per_unit(&|record| penalty_of(record, question)).iter().sum();
    result.pooled = overall_quality(question, penalties, words);
    result.words = Some(words);
    result.passed = question
        .pass
        .filter(|_| !scores.is_empty())
        .map(|pass| scores.iter().filter(|score| **score >= pass).count() as f64 / scores.len() as f64 * 100.0);
    for label in &question.labels {
        for severity in &question.severities {
            let count = |record: &JudgeRecord| match record.judgements.get(&question.id) {
                Some(Value::Spans(spans)) => {
                    let is = |span: &&SpanJudged| span.label == label.id && span.severity == severity.id;
                    spans.iter().filter(is).count() as f64
                }
                _ => 0.0,
            };
            let count: f64 = per_unit(&count).iter().sum();
            if count > 0.0 {
                result.faults.push(Faults { label: label.id.clone(), severity: severity.id.clone(), count });
            }
        }
    }
}
