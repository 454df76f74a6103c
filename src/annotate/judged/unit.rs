//! Judgements of one unit, checked against the scheme.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use crate::annotate::{Export, JudgeRecord, Kind, Question, Scheme, Subject, Value, overall_quality, penalty};

/// Exports that cannot be combined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JudgedError {
    /// No judgements.
    #[error("there are no judgements in these files")]
    Nothing,
    /// Judgements by another scheme.
    #[error("{rater} used scheme `{found}`, not `{scheme}`; pass its file with --scheme")]
    OtherScheme {
        /// Owner of the file.
        rater: String,
        /// The scheme of the file.
        found: String,
        /// The expected scheme.
        scheme: String,
    },
    /// The scheme's file changed since.
    #[error("scheme `{0}` differs from the one {1} used: it changed since the page was made")]
    ChangedScheme(String, String),
    /// A unit adjudicated in two ways.
    #[error("{0} and {1} adjudicate unit `{2}` differently; pass the file of one of them")]
    AdjudicatedTwice(String, String, String),
    /// A value outside the scheme.
    #[error("{rater}, unit `{unit}`: {message}")]
    Value {
        /// Owner of the file.
        rater: String,
        unit: String,
        message: String,
    },
}

/// All judgements of a unit.
pub(super) struct Unit<'a> {
    pub(super) id: &'a str,
    pub(super) first: &'a JudgeRecord,
    pub(super) by: IndexMap<&'a str, &'a JudgeRecord>,
    pub(super) adjudicated: Option<&'a JudgeRecord>,
}

impl<'a> Unit<'a> {
    /// The judgements that count: the adjudicating one, otherwise all.
    pub(super) fn counted(&self) -> Vec<&'a JudgeRecord> {
        match self.adjudicated {
            Some(adjudicated) => vec![adjudicated],
            None => self.by.values().copied().collect(),
        }
    }

    /// A value of each person's record.
    pub(super) fn values<C>(&self, value: impl Fn(&JudgeRecord) -> C) -> IndexMap<&'a str, C> {
        self.by.iter().map(|(rater, record)| (*rater, value(record))).collect()
    }

    pub(super) fn fact(&self, name: &str) -> Option<&'a str> {
        self.first.facts.get(name).map(String::as_str)
    }

    pub(super) fn story(&self) -> &'a str {
        self.fact("story").unwrap_or(self.id)
    }
}

/// All judgements, by unit.
pub(super) fn units<'a>(scheme: &Scheme, exports: &'a [Export]) -> Result<Vec<Unit<'a>>, JudgedError> {
    let mut units: IndexMap<&str, Unit<'_>> = IndexMap::new();
    for export in exports {
        check(scheme, export)?;
        for record in export.judgements().unwrap_or_default() {
            let unit = units.entry(&record.id).or_insert_with(|| Unit {
                id: &record.id,
                first: record,
                by: IndexMap::new(),
                adjudicated: None,
            });
            match export.header.adjudicates {
                true => match unit.adjudicated.replace(record) {
                    Some(other) if other.judgements != record.judgements => {
                        let raters = (other.rater.to_string(), record.rater.to_string());
                        return Err(JudgedError::AdjudicatedTwice(raters.0, raters.1, record.id.clone()));
                    }
                    _ => {}
                },
                false => drop(unit.by.insert(record.rater.as_str(), record)),
            }
        }
    }
    if units.is_empty() { Err(JudgedError::Nothing) } else { Ok(units.into_values().collect()) }
}

/// Checks that an export uses this scheme and every value belongs to it.
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
            // For whole questions, `words` counts only the question, but places refer to all texts.
            if let (Value::Spans(spans), true) = (value, scheme.of != Subject::Items) {
                let words = Some(record.words);
                spans.iter().try_for_each(|span| span.place.check(&record.id, words)).map_err(fail)?;
            }
        }
    }
    Ok(())
}

fn fits(question: &Question, value: &Value) -> Result<(), String> {
    let known = |id: &String| question.labels.iter().any(|label| label.id == *id);
    let unknown = |id: &String| format!("question `{}` has no label `{id}`", question.id);
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
        _ => Err(format!("value of question `{}` has the wrong kind", question.id)),
    }
}

/// The labels that a record gives.
pub(super) fn labels_of(record: &JudgeRecord, question: &Question) -> BTreeSet<String> {
    match record.judgements.get(&question.id) {
        Some(Value::Label(label)) => [label.clone()].into(),
        Some(Value::Labels(labels)) => labels.iter().cloned().collect(),
        _ => BTreeSet::new(),
    }
}

pub(super) fn number_of(record: &JudgeRecord, question: &Question) -> Option<i64> {
    match record.judgements.get(&question.id) {
        Some(Value::Number(number)) => Some(*number),
        _ => None,
    }
}

pub(super) fn penalty_of(record: &JudgeRecord, question: &Question) -> f64 {
    match record.judgements.get(&question.id) {
        // Checked on reading.
        Some(Value::Spans(spans)) => penalty(question, spans).unwrap_or_default(),
        _ => 0.0,
    }
}

pub(super) fn score_of(record: &JudgeRecord, question: &Question) -> Option<f64> {
    overall_quality(question, penalty_of(record, question), record.words)
}
