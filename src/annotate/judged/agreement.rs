//! Agreement between judges, and their disagreements.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde::Serialize;

use super::group::{Group, groups};
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
}

/// A question that people answered differently for a unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Disagreement {
    /// Unit of an unsettled disagreement.
    pub unit: String,
    /// The question.
    pub question: String,
    /// Judgement of each person, by code: a label, a list of labels, a number, or a list of spans.
    pub by: IndexMap<String, Value>,
}

/// Value of each person for each unit.
fn ratings<'u, C>(units: &[&'u Unit<'_>], value: impl Fn(&JudgeRecord) -> C) -> Vec<(&'u str, &'u str, C)> {
    let of_unit = |unit: &&'u Unit<'_>| {
        let all = unit.by.iter().map(|(rater, record)| (unit.id, *rater, value(record)));
        all.collect::<Vec<_>>()
    };
    units.iter().flat_map(of_unit).collect()
}

/// Agreement between judges who did not settle: on each label, on ratings, or on passing (also by group, as in XToM,
/// Table 7) and on the presence of each kind of fault.
pub(super) fn agreement(scheme: &Scheme, question: &Question, units: &[Unit<'_>]) -> Vec<AgreementOn> {
    let all: Vec<&Unit<'_>> = units.iter().collect();
    let on = |what: &str, agreement: RaterAgreement| AgreementOn {
        what: what.to_string(),
        group: "all".to_string(),
        agreement,
    };
    let each_label = |given: &dyn Fn(&JudgeRecord, &str) -> bool| -> Vec<AgreementOn> {
        let of_label = |id: &str| on(id, rater_agreement(&ratings(&all, |record| given(record, id)), Weights::Equal));
        question.labels.iter().map(|label| of_label(&label.id)).collect()
    };
    match question.kind {
        Kind::Labels => each_label(&|record, id| labels_of(record, question).contains(id)),
        Kind::Label => {
            vec![on("label", rater_agreement(&ratings(&all, |record| labels_of(record, question)), Weights::Equal))]
        }
        Kind::Scale => {
            let ratings = ratings(&all, |record| number_of(record, question).unwrap_or_default());
            let (low, high) = question.scale.unwrap_or_default();
            let scale: Vec<i64> = (low..=high).collect();
            vec![on("rating", rater_agreement_among(&scale, &ratings, Weights::Quadratic))]
        }
        Kind::Spans => {
            let passed = |group: Group<'_, '_>| AgreementOn {
                what: "passed".to_string(),
                agreement: rater_agreement(&ratings(&group.units, |record| passes(record, question)), Weights::Equal),
                group: group.name,
            };
            let has_fault = |record: &JudgeRecord, id: &str| match record.judgements.get(&question.id) {
                Some(Value::Spans(spans)) => spans.iter().any(|span| span.label == id),
                _ => false,
            };
            groups(scheme, units).into_iter().map(passed).chain(each_label(&has_fault)).collect()
        }
    }
}

/// Whether a text reaches the pass mark; always true without a pass mark.
fn passes(record: &JudgeRecord, question: &Question) -> bool {
    let pass = question.pass.unwrap_or(f64::NEG_INFINITY);
    score_of(record, question).is_some_and(|score| score >= pass)
}

/// Disagreements on a unit. Spans differ if their scores are on different sides of the pass mark.
pub(super) fn disagreements(scheme: &Scheme, unit: &Unit<'_>) -> Vec<Disagreement> {
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
                Kind::Spans => passes(record, question).to_string(),
            })
            .collect();
        said.len() > 1
    };
    let rendered = |question: &Question| Disagreement {
        unit: unit.id.to_string(),
        question: question.id.clone(),
        by: unit
            .by
            .iter()
            .filter_map(|(rater, record)| Some((rater.to_string(), record.judgements.get(&question.id)?.clone())))
            .collect(),
    };
    scheme.questions.iter().filter(differs).map(rendered).collect()
}
