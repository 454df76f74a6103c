//! Agreement of written answers with log-likelihood choices on the same items.

use indexmap::IndexMap;

use super::items::ItemOutcome;
use crate::metric::Agreement;

/// Respondent and way of answering.
#[derive(PartialEq, Eq, Hash, Clone)]
struct AnswerMode<'a> {
    label: &'a str,
    language: &'a str,
    condition: Option<&'a str>,
    named: String,
    written: bool,
}

/// Pairs every way of writing with every way of scoring of the same label, in item order; all items are of one
/// benchmark.
pub(super) fn agreements<'a>(items: impl Iterator<Item = &'a ItemOutcome>) -> Vec<Agreement> {
    let mut ways: IndexMap<AnswerMode<'_>, IndexMap<&str, &ItemOutcome>> = IndexMap::new();
    for item in items.filter(|item| item.right.is_some()) {
        let way = AnswerMode {
            label: &item.header.label,
            language: item.language,
            condition: item.header.condition.as_deref(),
            named: format!("{}, {}", item.header.answers, item.header.style),
            written: item.orders.iter().any(|order| order.reading.is_some()),
        };
        ways.entry(way).or_default().insert(&item.id, item);
    }
    let alike = |one: &AnswerMode<'_>, other: &AnswerMode<'_>| {
        (one.label, one.language, one.condition) == (other.label, other.language, other.condition)
    };
    let mut found = Vec::new();
    for (scored, by_scores) in ways.iter().filter(|(way, _)| !way.written) {
        for (written, by_reply) in ways.iter().filter(|(way, _)| way.written && alike(way, scored)) {
            let mut agreement = Agreement {
                label: scored.label.to_string(),
                language: scored.language.to_string(),
                condition: scored.condition.map(str::to_string),
                scored: scored.named.clone(),
                written: written.named.clone(),
                items: 0,
                without_answer: 0,
                same: 0,
                both_right: 0,
                only_scored_right: 0,
                only_written_right: 0,
                neither_right: 0,
            };
            for (scored, written) in by_scores.iter().filter_map(|(id, scored)| Some((scored, by_reply.get(id)?))) {
                agreement.items += 1;
                if written.choice.is_none() {
                    agreement.without_answer += 1;
                    continue;
                }
                agreement.same += usize::from(scored.choice == written.choice);
                let count = match (scored.right == Some(true), written.right == Some(true)) {
                    (true, true) => &mut agreement.both_right,
                    (true, false) => &mut agreement.only_scored_right,
                    (false, true) => &mut agreement.only_written_right,
                    (false, false) => &mut agreement.neither_right,
                };
                *count += 1;
            }
            if agreement.items > 0 {
                found.push(agreement);
            }
        }
    }
    found
}
