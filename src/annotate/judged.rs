//! What several people judged: tables as in the papers, agreement, and what they disagree on.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::{IndexMap, IndexSet};
use serde::Serialize;

use super::marked::median;
use super::{Export, JudgeRecord, Kind, Question, Scheme, Value, overall_quality, penalty};
use crate::canary::CANARY;
use crate::metric::stats::{Weights, clustered_mean, clustered_wilson};
use crate::metric::{RaterAgreement, rater_agreement};

/// What was judged by a scheme.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// Name and version of the format.
    pub format: &'static str,
    /// [`CANARY`].
    pub canary: &'static str,
    /// The scheme's name.
    pub scheme: String,
    /// Where it comes from.
    pub source: String,
    /// The facet of the groups.
    pub by: Option<String>,
    /// Who judged, in the order of their files.
    pub raters: Vec<RaterFacts>,
    /// Units judged by anybody.
    pub units: usize,
    /// Units that somebody settled.
    pub settled: usize,
    /// The questions.
    pub questions: Vec<QuestionResult>,
    /// What people disagree on and nobody settled, in the order of the units.
    pub disagreements: Vec<Disagreement>,
}

/// One person.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RaterFacts {
    /// Their code.
    pub rater: String,
    /// Units judged.
    pub units: usize,
    /// Units dealt to them.
    pub dealt: usize,
    /// Whether they settle what others disagree on.
    pub settles: bool,
    /// Median of the seconds a unit was in view.
    pub median_seconds: Option<f64>,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QuestionResult {
    /// Its id.
    pub id: String,
    /// What people read, in English.
    pub title: String,
    /// How it is answered.
    pub kind: Kind,
    /// Each run (where answers were judged) and value of the scheme's facet; then all of the run.
    pub groups: Vec<GroupResult>,
    /// How far people agree.
    pub agreement: Vec<AgreementOn>,
}

/// What was judged of some units. A unit that somebody settled counts as settled, any other with the mean of those who judged
/// it: of a label that is the share of them that gave it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupResult {
    /// The run; `None` where no answers were judged.
    pub run: Option<String>,
    /// The value of the scheme's facet; `all`.
    pub group: String,
    /// Units.
    pub units: usize,
    /// Percent of the units with each label; empty for scales and spans.
    pub labels: Vec<Share>,
    /// Of ratings, percent with each number of the scale; empty elsewhere.
    pub ratings: Vec<Share>,
    /// Mean rating, or mean overall quality score.
    pub mean: Option<f64>,
    /// Its 95 % interval, clustered by story; `None` for fewer than two stories.
    pub mean_interval: Option<(f64, f64)>,
    /// Of spans: percent of units that reach the pass mark.
    pub passed: Option<f64>,
    /// Of spans: the score of all texts as one, from all penalties and all words.
    pub pooled: Option<f64>,
    /// Of spans: words of the texts.
    pub words: Option<usize>,
    /// Of spans: faults of each label and severity, mean over those who judged.
    pub faults: Vec<Faults>,
}

/// How often something was given.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Share {
    /// What, by its id or number.
    pub label: String,
    /// Percent of the units.
    pub percent: f64,
    /// 95 % interval, clustered by story; `None` for fewer than two stories.
    pub interval: Option<(f64, f64)>,
}

/// Faults of a kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Faults {
    /// The label.
    pub label: String,
    /// The severity.
    pub severity: String,
    /// How many.
    pub count: f64,
}

/// Agreement on something.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgreementOn {
    /// A label (given or not), `rating`, `label`, or `passed`.
    pub what: String,
    /// The value of the scheme's facet, or `all`.
    pub group: String,
    /// How far people agree.
    pub agreement: RaterAgreement,
}

/// A question that people answered differently for a unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Disagreement {
    /// The unit.
    pub unit: String,
    /// The question.
    pub question: String,
    /// What each said.
    pub by: IndexMap<String, Value>,
}

/// Exports that cannot be put together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JudgedError {
    /// No judgements.
    #[error("there are no judgements in these files")]
    Nothing,
    /// Judgements by another scheme.
    #[error("{rater} judged by `{found}`, and the scheme here is `{scheme}`; pass its file with --scheme")]
    OtherScheme {
        /// Whose file it is.
        rater: String,
        /// The scheme of the file.
        found: String,
        /// The scheme here.
        scheme: String,
    },
    /// The scheme's file changed meanwhile.
    #[error("the scheme `{0}` is not the file that {1} judged by: it was changed since the page was made")]
    ChangedScheme(String, String),
    /// A value that the scheme does not know.
    #[error("{rater}, unit `{unit}`: {message}")]
    Value {
        /// Whose file it is.
        rater: String,
        /// The unit.
        unit: String,
        /// What is wrong.
        message: String,
    },
}

/// All judgements of a unit.
struct Unit<'a> {
    id: &'a str,
    first: &'a JudgeRecord,
    by: IndexMap<&'a str, &'a JudgeRecord>,
    settled: Option<&'a JudgeRecord>,
}

impl<'a> Unit<'a> {
    /// Those who count: who settled it, else all who judged.
    fn counted(&self) -> Vec<&'a JudgeRecord> {
        match self.settled {
            Some(settled) => vec![settled],
            None => self.by.values().copied().collect(),
        }
    }

    fn fact(&self, name: &str) -> Option<&'a str> {
        self.first.facts.get(name).map(String::as_str)
    }

    fn story(&self) -> &'a str {
        self.fact("story").unwrap_or(self.id)
    }
}

impl Judged {
    /// What people judged by a scheme.
    pub fn of(scheme: &Scheme, exports: &[Export]) -> Result<Self, JudgedError> {
        let units = units(scheme, exports)?;
        let rater = |export: &Export| {
            let (header, records) = (&export.header, export.judgements().unwrap_or_default());
            RaterFacts {
                rater: header.rater.to_string(),
                units: records.len(),
                dealt: header.items,
                settles: header.settles,
                median_seconds: median(records.iter().map(|record| record.seconds).collect()),
            }
        };
        let raters = exports.iter().map(rater).collect();
        let questions = scheme.questions.iter().map(|question| question_result(scheme, question, &units)).collect();
        Ok(Judged {
            format: "tomeval-judgements/1",
            canary: CANARY,
            scheme: scheme.name.clone(),
            source: scheme.source.clone(),
            by: scheme.by.clone(),
            raters,
            units: units.len(),
            settled: units.iter().filter(|unit| unit.settled.is_some()).count(),
            questions,
            disagreements: units.iter().flat_map(|unit| disagreements(scheme, unit)).collect(),
        })
    }
}

impl Judged {
    /// How much of what was judged of each run's item has a label, from 0 to 1: the mean over its units.
    pub fn shares(
        scheme: &Scheme,
        exports: &[Export],
        question: &str,
        label: &str,
    ) -> Result<BTreeMap<(String, String), f64>, JudgedError> {
        let Some(question) = scheme.question(question) else { return Ok(BTreeMap::new()) };
        let mut found: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
        for unit in units(scheme, exports)? {
            let given = |record: &JudgeRecord| f64::from(labels_of(record, question).contains(label));
            let of = (unit.fact("run").unwrap_or_default(), unit.fact("item").unwrap_or(unit.id));
            let share = average(unit.counted().into_iter().map(given));
            found.entry((of.0.to_string(), of.1.to_string())).or_default().push(share);
        }
        Ok(found.into_iter().map(|(of, shares)| (of, average(shares.into_iter()))).collect())
    }
}

/// All judgements, by unit.
fn units<'a>(scheme: &Scheme, exports: &'a [Export]) -> Result<Vec<Unit<'a>>, JudgedError> {
    let mut units: IndexMap<&str, Unit<'_>> = IndexMap::new();
    for export in exports {
        check(scheme, export)?;
        for record in export.judgements().unwrap_or_default() {
            let unit = units.entry(&record.id).or_insert_with(|| Unit {
                id: &record.id,
                first: record,
                by: IndexMap::new(),
                settled: None,
            });
            match export.header.settles {
                true => unit.settled = Some(record),
                false => drop(unit.by.insert(record.rater.as_str(), record)),
            }
        }
    }
    if units.is_empty() { Err(JudgedError::Nothing) } else { Ok(units.into_values().collect()) }
}

/// Whether an export is by this scheme, and every value one that it knows.
fn check(scheme: &Scheme, export: &Export) -> Result<(), JudgedError> {
    let rater = export.header.rater.to_string();
    let found = export.header.scheme.clone().unwrap_or_default();
    if found != scheme.name {
        return Err(JudgedError::OtherScheme { rater, found, scheme: scheme.name.clone() });
    }
    if export.header.scheme_sha256.as_ref().is_some_and(|hash| *hash != scheme.sha256) {
        return Err(JudgedError::ChangedScheme(found, rater));
    }
    for record in export.judgements().unwrap_or_default() {
        let fail = |message: String| JudgedError::Value { rater: rater.clone(), unit: record.id.clone(), message };
        for question in &scheme.questions {
            let value = record.judgements.get(&question.id);
            let value = value.ok_or_else(|| fail(format!("question `{}` is not answered", question.id)))?;
            fits(question, value).map_err(fail)?;
        }
    }
    Ok(())
}

fn fits(question: &Question, value: &Value) -> Result<(), String> {
    let known = |id: &String| question.labels.iter().any(|label| label.id == *id);
    let unknown = |id: &String| format!("`{id}` is no label of question `{}`", question.id);
    match (question.kind, value) {
        (Kind::Scale, Value::Number(number)) => match question.scale {
            Some((low, high)) if (low..=high).contains(number) => Ok(()),
            _ => Err(format!("{number} is not on the scale of question `{}`", question.id)),
        },
        (Kind::Label, Value::Label(id)) if known(id) => Ok(()),
        (Kind::Label, Value::Label(id)) => Err(unknown(id)),
        (Kind::Labels, Value::Labels(ids)) => ids.iter().find(|id| !known(id)).map_or(Ok(()), |id| Err(unknown(id))),
        (Kind::Spans, Value::Labels(ids)) if ids.is_empty() => Ok(()),
        (Kind::Spans, Value::Spans(spans)) => penalty(question, spans).map(drop),
        _ => Err(format!("the value of question `{}` is not of its kind", question.id)),
    }
}

/// The labels that a record gives.
fn labels_of(record: &JudgeRecord, question: &Question) -> BTreeSet<String> {
    match record.judgements.get(&question.id) {
        Some(Value::Label(label)) => [label.clone()].into(),
        Some(Value::Labels(labels)) => labels.iter().cloned().collect(),
        _ => BTreeSet::new(),
    }
}

fn number_of(record: &JudgeRecord, question: &Question) -> Option<i64> {
    match record.judgements.get(&question.id) {
        Some(Value::Number(number)) => Some(*number),
        _ => None,
    }
}

fn penalty_of(record: &JudgeRecord, question: &Question) -> f64 {
    match record.judgements.get(&question.id) {
        // Checked on reading.
        Some(Value::Spans(spans)) => penalty(question, spans).unwrap_or_default(),
        _ => 0.0,
    }
}

fn score_of(record: &JudgeRecord, question: &Question) -> Option<f64> {
    overall_quality(question, penalty_of(record, question), record.words)
}

/// The units of each run and value of the facet, in the order in which these occur; then all of each run.
fn groups<'u, 'a>(scheme: &Scheme, units: &'u [Unit<'a>]) -> Vec<(Option<String>, String, Vec<&'u Unit<'a>>)> {
    let runs: IndexSet<Option<&str>> = units.iter().map(|unit| unit.fact("run")).collect();
    let mut groups = Vec::new();
    for run in runs {
        let of_run: Vec<&Unit<'_>> = units.iter().filter(|unit| unit.fact("run") == run).collect();
        let mut values: IndexMap<&str, Vec<&Unit<'_>>> = IndexMap::new();
        for unit in &of_run {
            let value = scheme.by.as_ref().and_then(|by| unit.fact(by));
            if let Some(value) = value {
                values.entry(value).or_default().push(unit);
            }
        }
        let number = |value: &str| value.parse::<i64>().ok();
        values.sort_by(|one, _, other, _| number(one).cmp(&number(other)));
        if values.len() > 1 {
            let named = values.into_iter().map(|(value, units)| (run.map(str::to_string), value.to_string(), units));
            groups.extend(named);
        }
        groups.push((run.map(str::to_string), "all".to_string(), of_run));
    }
    groups
}

/// Mean of values over units with its interval, clustered by story.
fn mean_of(units: &[&Unit<'_>], values: &[f64]) -> (Option<f64>, Option<(f64, f64)>) {
    let mean = (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let interval = clustered_mean(values, &stories(units)).map(|mean| mean.unbounded_interval());
    (mean, interval)
}

fn stories(units: &[&Unit<'_>]) -> Vec<usize> {
    let mut numbers: IndexSet<&str> = IndexSet::new();
    units.iter().map(|unit| numbers.insert_full(unit.story()).0).collect()
}

/// The share of units, where each counts with a number from 0 to 1.
fn share(label: String, units: &[&Unit<'_>], values: &[f64]) -> Share {
    let interval = clustered_mean(values, &stories(units)).and_then(|share| clustered_wilson(&share));
    Share {
        label,
        percent: values.iter().sum::<f64>() / values.len().max(1) as f64 * 100.0,
        interval: interval.map(|(low, high)| (low * 100.0, high * 100.0)),
    }
}

fn average(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn question_result(scheme: &Scheme, question: &Question, units: &[Unit<'_>]) -> QuestionResult {
    let groups = groups(scheme, units);
    let result = |(run, group, units): &(Option<String>, String, Vec<&Unit<'_>>)| {
        let per_unit = |value: &dyn Fn(&JudgeRecord) -> f64| -> Vec<f64> {
            units.iter().map(|unit| average(unit.counted().into_iter().map(value))).collect()
        };
        let mut result = GroupResult {
            run: run.clone(),
            group: group.clone(),
            units: units.len(),
            labels: Vec::new(),
            ratings: Vec::new(),
            mean: None,
            mean_interval: None,
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
                (result.mean, result.mean_interval) = mean_of(units, &per_unit(&value));
                let (low, high) = question.scale.unwrap_or_default();
                let of_number = |number: i64| {
                    let is = |record: &JudgeRecord| f64::from(number_of(record, question) == Some(number));
                    share(number.to_string(), units, &per_unit(&is))
                };
                result.ratings = (low..=high).map(of_number).collect();
            }
            Kind::Spans => spans_result(question, units, &per_unit, &mut result),
        }
        result
    };
    QuestionResult {
        id: question.id.clone(),
        title: question.title.english().to_string(),
        kind: question.kind,
        groups: groups.iter().map(result).collect(),
        agreement: agreement(scheme, question, units),
    }
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
    (result.mean, result.mean_interval) = mean_of(&with_words, &scores);
    // No text scores above one without faults.
    let most = question.maximum.unwrap_or(100.0);
    result.mean_interval = result.mean_interval.map(|(low, high)| (low, high.min(most)));
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
                    let is = |span: &&super::SpanJudged| span.label == label.id && span.severity == severity.id;
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

/// How far those who did not settle agree: on each label, on ratings, or on passing; the last by group too.
fn agreement(scheme: &Scheme, question: &Question, units: &[Unit<'_>]) -> Vec<AgreementOn> {
    let on =
        |what: &str, group: &str, units: &[&Unit<'_>], weights: Weights, value: &dyn Fn(&JudgeRecord) -> String| {
            let mut ratings: Vec<(&str, &str, String)> = Vec::new();
            for unit in units {
                ratings.extend(unit.by.iter().map(|(rater, record)| (unit.id, *rater, value(record))));
            }
            let agreement = match weights {
                Weights::Equal => rater_agreement(&ratings, weights),
                _ => {
                    let number = |value: &str| value.parse::<i64>().unwrap_or_default();
                    let numbers: Vec<(&str, &str, i64)> =
                        ratings.iter().map(|(unit, rater, value)| (*unit, *rater, number(value))).collect();
                    rater_agreement(&numbers, weights)
                }
            };
            AgreementOn { what: what.to_string(), group: group.to_string(), agreement }
        };
    let all: Vec<&Unit<'_>> = units.iter().collect();
    match question.kind {
        Kind::Labels => {
            let of_label = |id: &String| {
                on(id, "all", &all, Weights::Equal, &|record| labels_of(record, question).contains(id).to_string())
            };
            question.labels.iter().map(|label| of_label(&label.id)).collect()
        }
        Kind::Label => {
            let label = |record: &JudgeRecord| labels_of(record, question).into_iter().next().unwrap_or_default();
            vec![on("label", "all", &all, Weights::Equal, &label)]
        }
        Kind::Scale => {
            let rating = |record: &JudgeRecord| number_of(record, question).unwrap_or_default().to_string();
            vec![on("rating", "all", &all, Weights::Quadratic, &rating)]
        }
        Kind::Spans => {
            let pass = question.pass.unwrap_or(f64::NEG_INFINITY);
            let passed = |record: &JudgeRecord| score_of(record, question).is_some_and(|it| it >= pass).to_string();
            let parts = groups(scheme, units).into_iter();
            parts.map(|(_, group, units)| on("passed", &group, &units, Weights::Equal, &passed)).collect()
        }
    }
}

/// What people said of a unit that is not the same. Spans differ where their score is on another side of the pass mark.
fn disagreements(scheme: &Scheme, unit: &Unit<'_>) -> Vec<Disagreement> {
    if unit.settled.is_some() || unit.by.len() < 2 {
        return Vec::new();
    }
    let differs = |question: &&Question| {
        let said: BTreeSet<String> = unit
            .by
            .values()
            .map(|record| match question.kind {
                Kind::Label | Kind::Labels => labels_of(record, question).into_iter().collect::<Vec<_>>().join("\n"),
                Kind::Scale => number_of(record, question).unwrap_or_default().to_string(),
                Kind::Spans => {
                    let pass = question.pass.unwrap_or(f64::NEG_INFINITY);
                    score_of(record, question).is_some_and(|score| score >= pass).to_string()
                }
            })
            .collect();
        said.len() > 1
    };
    let told = |question: &Question| Disagreement {
        unit: unit.id.to_string(),
        question: question.id.clone(),
        by: unit
            .by
            .iter()
            .filter_map(|(rater, record)| Some((rater.to_string(), record.judgements.get(&question.id)?.clone())))
            .collect(),
    };
    scheme.questions.iter().filter(differs).map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::super::export::tests::written;
    use super::*;
    use serde_json::json;

    /// Judgements of Hi-ToM's errors: per unit the order, and the labels given.
    fn export(rater: &str, more: serde_json::Value, units: &[(&str, &str, &[&str])]) -> Export {
        let scheme = Scheme::named("hi-tom-errors").unwrap();
        let record = |(id, order, labels): &(&str, &str, &[&str])| {
            json!({
                "id": id, "rater": rater, "judgements": { "errors": labels }, "words": 40, "seconds": 9.0,
                "facts": { "item": id, "story": id, "run": "m", "order": order },
            })
        };
        let records: Vec<serde_json::Value> = units.iter().map(record).collect();
        let mut head = json!({ "scheme": scheme.name, "scheme_sha256": scheme.sha256 });
        head.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Export::read(&written("judge", rater, head, &records)).unwrap()
    }

    const DEPTH: &str = "insufficient-depth";
    const TIME: &str = "temporal-ignorance";

    fn two() -> [Export; 2] {
        [
            export(
                "p1",
                json!({}),
                &[("a", "1", &[]), ("b", "1", &[DEPTH]), ("c", "10", &[DEPTH, TIME]), ("d", "2", &[])],
            ),
            export(
                "p2",
                json!({}),
                &[("a", "1", &[]), ("b", "1", &[]), ("c", "10", &[DEPTH, TIME]), ("d", "2", &[DEPTH])],
            ),
        ]
    }

    #[test]
    fn ratios_by_order_are_means_over_units_of_the_share_of_annotators() {
        let judged = Judged::of(&Scheme::named("hi-tom-errors").unwrap(), &two()).unwrap();
        let groups = &judged.questions[0].groups;
        let shown: Vec<(&str, f64, f64)> =
            groups.iter().map(|it| (it.group.as_str(), it.labels[0].percent, it.labels[3].percent)).collect();
        // Orders by number; of order 1, b has the error by one of two.
        assert_eq!(shown, [("1", 25.0, 0.0), ("2", 50.0, 0.0), ("10", 100.0, 100.0), ("all", 50.0, 25.0)]);
        assert_eq!(judged.disagreements.iter().map(|it| it.unit.as_str()).collect::<Vec<_>>(), ["b", "d"]);
        let agreement = &judged.questions[0].agreement;
        assert_eq!((agreement[0].what.as_str(), agreement[0].agreement.same), (DEPTH, Some(50.0)));
        // Depth: both give it twice in four, alike in two: kappa (0.5 - 0.5) / 0.5.
        assert_eq!(agreement[0].agreement.pairs[0].kappa, Some(0.0));
        assert_eq!(agreement[3].agreement.pairs[0].kappa, Some(1.0));
    }

    #[test]
    fn what_is_settled_counts_as_settled() {
        let settled = export("s", json!({ "settles": true }), &[("b", "1", &[DEPTH]), ("d", "2", &[])]);
        let exports = [two().to_vec(), vec![settled]].concat();
        let judged = Judged::of(&Scheme::named("hi-tom-errors").unwrap(), &exports).unwrap();
        let depth: Vec<f64> = judged.questions[0].groups.iter().map(|group| group.labels[0].percent).collect();
        assert_eq!(depth, [50.0, 0.0, 100.0, 50.0]);
        assert!(judged.disagreements.is_empty() && judged.settled == 2);
        assert_eq!(judged.questions[0].agreement[0].agreement.pairs.len(), 1, "who settles is no rater");
    }

    #[test]
    fn other_schemes_and_values_are_refused() {
        let other = Judged::of(&Scheme::named("xtom-irrelevant").unwrap(), &two()).unwrap_err();
        assert!(other.to_string().contains("p1 judged by `hi-tom-errors`"), "{other}");
        let wrong = export("p1", json!({}), &[("a", "1", &["laziness"])]);
        let error = Judged::of(&Scheme::named("hi-tom-errors").unwrap(), &[wrong]).unwrap_err().to_string();
        assert!(error.contains("p1, unit `a`: `laziness` is no label"), "{error}");
        let changed = Scheme { sha256: "0".into(), ..Scheme::named("hi-tom-errors").unwrap() };
        assert!(matches!(Judged::of(&changed, &two()), Err(JudgedError::ChangedScheme(..))));
    }
}
