//! Label audit: the released answers against the belief tracker.

use std::path::Path;

use serde::Serialize;

use super::Prompting;
use super::released::{Entry, Released};
use crate::benchmark::{LoadError, RowProblem};
use crate::story::{ClaimRule, MoveRule, Rules};

/// Agreement of the released answers with the tracker, and with each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Audit {
    /// The tracker's claim rule.
    pub claims: ClaimRule,
    /// The counts of each prompting type.
    pub styles: Vec<StyleAudit>,
    /// Pairs of equal questions whose two released answers differ, in file order.
    pub twins: Vec<Counterparts>,
    /// Rows whose released answer is not the tracker's, in file order.
    pub disagreements: Vec<Disagreement>,
    /// Ids of rows whose story or question has an unknown form; excluded from all other counts.
    pub unread: Vec<String>,
    /// Rows that could not be read at all.
    pub problems: Vec<RowProblem>,
}

/// Agreement of one prompting type's answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StyleAudit {
    /// The prompting type.
    pub prompting: Prompting,
    /// Rows for which the tracker has an answer.
    pub rows: usize,
    /// Of these, rows whose answer follows the rules.
    pub by_rules: usize,
    /// Rows whose answer follows the narrower rule for moves that the VP answers obey ([`MoveRule::VanillaLabels`]).
    pub by_vanilla_rule: usize,
    /// Rows and agreement by question order.
    pub orders: Vec<OrderAudit>,
}

/// Agreement at one question order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OrderAudit {
    pub order: usize,
    /// Rows for which the tracker has an answer.
    pub rows: usize,
    /// Of these, rows whose answer follows the rules.
    pub by_rules: usize,
}

/// A question whose released answers for the two prompting types differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counterparts {
    /// Ids of the CoTP and of the VP row.
    pub ids: [String; 2],
    /// Order of the question.
    pub order: usize,
    pub question: String,
    /// Released answer of the CoTP row.
    pub cotp: String,
    /// Released answer of the VP row.
    pub vp: String,
    /// The tracker's answer.
    pub tracker: Option<String>,
}

/// A released answer that does not follow the rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Disagreement {
    /// Id of the row.
    pub id: String,
    /// Its prompting type.
    pub prompting: Prompting,
    /// Chapters of its story.
    pub length: usize,
    /// Whether the story contains claims.
    pub deception: bool,
    /// Order of its question.
    pub order: usize,
    pub question: String,
    /// The released answer.
    pub released: String,
    /// The tracker's answer.
    pub tracker: String,
}

/// Compare the released answers in `data` with the tracker under a claim rule.
pub fn audit(data: &Path, claims: ClaimRule) -> Result<Audit, LoadError> {
    let released = Released::read(data)?;
    let rules = Rules { claims, ..Rules::default() };
    let styles = [Prompting::CoTP, Prompting::Vp].map(|prompting| style(&released, prompting, claims));
    let cotp = released.entries.iter().filter(|entry| entry.prompting == Prompting::CoTP);
    let twins = cotp.filter_map(|entry| {
        let twin = released.twin_of(entry).filter(|twin| twin.gold_text() != entry.gold_text())?;
        Some(Counterparts {
            ids: [entry.id.clone(), twin.id.clone()],
            order: entry.order,
            question: entry.question_text.clone(),
            cotp: entry.gold_text().to_string(),
            vp: twin.gold_text().to_string(),
            tracker: entry.by_rules(rules).map(str::to_string),
        })
    });
    let disagreement = |entry: &Entry| {
        let tracker = entry.by_rules(rules).filter(|answer| *answer != entry.gold_text())?;
        Some(Disagreement {
            id: entry.id.clone(),
            prompting: entry.prompting,
            length: entry.length,
            deception: entry.deception,
            order: entry.order,
            question: entry.question_text.clone(),
            released: entry.gold_text().to_string(),
            tracker: tracker.to_string(),
        })
    };
    let unread = released.entries.iter().filter(|entry| entry.by_rules(rules).is_none());
    Ok(Audit {
        claims,
        styles: styles.into_iter().filter(|style| style.rows > 0).collect(),
        twins: twins.collect(),
        disagreements: released.entries.iter().filter_map(disagreement).collect(),
        unread: unread.map(|entry| entry.id.clone()).collect(),
        problems: released.problems,
    })
}

fn style(released: &Released, prompting: Prompting, claims: ClaimRule) -> StyleAudit {
    let vanilla = Rules { claims, moves: MoveRule::VanillaLabels };
    let rules = Rules { claims, moves: MoveRule::Seen };
    let follows = |entry: &&Entry, rules| entry.by_rules(rules) == Some(entry.gold_text());
    let read: Vec<&Entry> = released
        .entries
        .iter()
        .filter(|entry| entry.prompting == prompting && entry.by_rules(rules).is_some())
        .collect();
    let mut orders: Vec<usize> = read.iter().map(|entry| entry.order).collect();
    orders.sort_unstable();
    orders.dedup();
    let at_order = |order| {
        let rows: Vec<&Entry> = read.iter().filter(|entry| entry.order == order).copied().collect();
        OrderAudit { order, rows: rows.len(), by_rules: rows.iter().filter(|entry| follows(entry, rules)).count() }
    };
    StyleAudit {
        prompting,
        rows: read.len(),
        by_rules: read.iter().filter(|entry| follows(entry, rules)).count(),
        by_vanilla_rule: read.iter().filter(|entry| follows(entry, vanilla)).count(),
        orders: orders.into_iter().map(at_order).collect(),
    }
}
