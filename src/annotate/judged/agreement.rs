//! Agreement between judges, and their disagreements.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde::Serialize;

use super::group::{Group, groups};
use super::interval::{AgreementIntervals, agreement_with_intervals};
use super::unit::{Unit, labels_of, number_of, score_of};
use crate::annotate::{JudgeRecord, Kind, Question, Scheme, Value};
use crate::metric::{RaterAgreement, rater_agreement, rater_agreement_among};
use crate::stats::Weights;

/// Agreement on something.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AgreementOn {
    /// Subject of the agreement: a label (given or not; for spans, any fault with that label), `label`, `rating` or
    /// `passed`.
    pub what: String,
    /// The group, or `all`.
    pub group: String,
    /// Agreement between judges.
    pub agreement: RaterAgreement,
    /// Intervals of each pair of people, in the order of `agreement`'s.
    pub pairs: Vec<AgreementIntervals>,
    /// Intervals of the agreement of all: of all pairs, and of Fleiss' kappa.
    pub all: AgreementIntervals,
}

/// The decision on a question of a unit, if it is not what everybody said.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Decision {
    /// Adjudicated unit.
    pub unit: String,
    /// The question.
    pub question: String,
    /// Judgement of each person before, by code.
    pub by: IndexMap<String, Value>,
    /// Code of the adjudicator.
    pub adjudicated_by: String,
    /// The adjudicator's judgement, which counts.
    pub adjudicated: Value,
}

/// A question that people answered differently for a unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Disagreement {
    /// Unit of an unadjudicated disagreement.
    pub unit: String,
    /// The question.
    pub question: String,
    /// Judgement of each person, by code: a label, a list of labels, a number, or a list of spans.
    pub by: IndexMap<String, Value>,
}

/// Agreement between judges who did not adjudicate: on each label, on ratings, or on passing (also by group, as in XToM,
/// Table 7) and on the presence of each kind of fault.
pub(super) fn agreement(scheme: &Scheme, question: &Question, units: &[Unit<'_>]) -> Vec<AgreementOn> {
    let all: Vec<&Unit<'_>> = units.iter().collect();
    let each_label = |given: &dyn Fn(&JudgeRecord, &str) -> bool| -> Vec<AgreementOn> {
        let of_label = |id: &str| on(id, "all", &all, |record| given(record, id));
        question.labels.iter().map(|label| of_label(&label.id)).collect()
    };
    match question.kind {
        Kind::Labels => each_label(&|record, id| labels_of(record, question).contains(id)),
        Kind::Label => vec![on("label", "all", &all, |record| labels_of(record, question))],
        Kind::Scale => {
            let (low, high) = question.scale.unwrap_or_default();
            let scale: Vec<i64> = (low..=high).collect();
            let value = |record: &JudgeRecord| number_of(record, question).unwrap_or_default();
            let agree = |ratings: &[(&str, &str, i64)]| rater_agreement_among(&scale, ratings, Weights::Quadratic);
            vec![AgreementOn::new("rating", "all", agreement_with_intervals(&all, value, agree))]
        }
        Kind::Spans => {
            let passed =
                |group: Group<'_, '_>| on("passed", &group.name, &group.units, |record| passes(record, question));
            let has_fault = |record: &JudgeRecord, id: &str| match record.judgements.get(&question.id) {
                Some(Value::Spans(spans)) => spans.iter().any(|span| span.label == id),
                _ => false,
            };
            groups(scheme, units).into_iter().map(passed).chain(each_label(&has_fault)).collect()
        }
    }
}

/// Agreement on categories without an order.
fn on<C: Ord + Clone>(what: &str, group: &str, units: &[&Unit<'_>], value: impl Fn(&JudgeRecord) -> C) -> AgreementOn {
    let agree = |ratings: &[(&str, &str, C)]| rater_agreement(ratings, Weights::Equal);
    AgreementOn::new(what, group, agreement_with_intervals(units, value, agree))
}

impl AgreementOn {
    fn new(
        what: &str,
        group: &str,
        (agreement, pairs, all): (RaterAgreement, Vec<AgreementIntervals>, AgreementIntervals),
    ) -> Self {
        AgreementOn { what: what.to_string(), group: group.to_string(), agreement, pairs, all }
    }
}

/// Whether a text reaches the pass mark; always true without a pass mark.
fn passes(record: &JudgeRecord, question: &Question) -> bool {
    let pass = question.pass.unwrap_or(f64::NEG_INFINITY);
    score_of(record, question).is_some_and(|score| score >= pass)
}

/// Whether people answer a question differently for a unit. Spans differ if their scores are on different sides of the
/// pass mark.
fn differs(question: &Question, unit: &Unit<'_>) -> bool {
    let said = unit.values(|record| match question.kind {
        Kind::Label | Kind::Labels => labels_of(record, question).into_iter().collect::<Vec<_>>().join("\n"),
        Kind::Scale => number_of(record, question).unwrap_or_default().to_string(),
        Kind::Spans => passes(record, question).to_string(),
    });
    said.values().collect::<BTreeSet<_>>().len() > 1
}

/// What each person said to a question.
fn said(question: &Question, unit: &Unit<'_>) -> IndexMap<String, Value> {
    let said = |(rater, record): (&&str, &&JudgeRecord)| {
        Some((rater.to_string(), record.judgements.get(&question.id)?.clone()))
    };
    unit.by.iter().filter_map(said).collect()
}

/// Disagreements on a unit that is not adjudicated.
pub(super) fn disagreements(scheme: &Scheme, unit: &Unit<'_>) -> Vec<Disagreement> {
    if unit.adjudicated.is_some() {
        return Vec::new();
    }
    let rendered = |question: &Question| Disagreement {
        unit: unit.id.to_string(),
        question: question.id.clone(),
        by: said(question, unit),
    };
    scheme.questions.iter().filter(|question| differs(question, unit)).map(rendered).collect()
}

/// The decision on a unit, by question, where it is not what everybody said.
pub(super) fn decisions(scheme: &Scheme, unit: &Unit<'_>) -> Vec<Decision> {
    let Some(record) = unit.adjudicated else { return Vec::new() };
    let decision = |question: &Question| {
        let (adjudicated, by) = (record.judgements.get(&question.id)?.clone(), said(question, unit));
        (differs(question, unit) || by.values().any(|said| *said != adjudicated)).then(|| Decision {
            unit: unit.id.to_string(),
            question: question.id.clone(),
            by,
            adjudicated_by: record.rater.to_string(),
            adjudicated,
        })
    };
    scheme.questions.iter().filter_map(decision).collect()
}
