//! Reads the answer from a reply, and rereads replies of records by other rules.

use super::read::ReadError;
use crate::benchmark::{Answer, Item};
use crate::extract::{Kind, Question, QuestionPart, Reading, Rules, read, read_part};
use crate::prompt::Order;
use crate::record::TrialRecord;

/// Kind and number of answers that a reply must give.
pub fn answers_wanted(gold: &Answer) -> (Kind, usize) {
    match gold {
        Answer::Single(_) => (Kind::Single, 1),
        Answer::Labels(_) => (Kind::Labels, 1),
        Answer::Slots(slots) => (Kind::Slots, slots.len()),
    }
}

/// Reads the answer to an item from a reply; its options were shown in `order` under `labels`; `part` is its question
/// of several, `cut` whether a length limit ended the reply.
pub fn answer_in(
    text: &str,
    cut: bool,
    (item, order, labels): (&Item, &Order, &[String]),
    part: Option<QuestionPart>,
    rules: Rules,
) -> Reading {
    let (kind, count) = answers_wanted(&item.gold);
    let options: Vec<String> =
        order.as_slice().iter().filter_map(|&option| item.options.get(option).cloned()).collect();
    let question = Question { language: item.language, kind, labels, options: &options, count };
    match part {
        Some(part) => read_part(rules, &question, part, item.name_in_story(), text, cut),
        None => read(rules, &question, text, cut),
    }
}

/// A reply that other rules read differently.
#[derive(Debug, Clone, PartialEq)]
pub struct Reread {
    /// Id of the item.
    pub id: String,
    /// Prompt style.
    pub style: String,
    /// Changed presentation; `None` for the unchanged one.
    pub condition: Option<String>,
    /// The canonical option shown in each slot.
    pub order: Order,
    /// Number of the sample, if there are several.
    pub sample: Option<usize>,
    /// Previous reading.
    pub before: Reading,
    /// New reading.
    pub after: Reading,
}

impl Reread {
    /// Whether outcome or answer differ, rather than only the rule or position.
    pub fn is_other_answer(&self) -> bool {
        (self.before.outcome, &self.before.slots) != (self.after.outcome, &self.after.slots)
    }
}

/// Rereads the reply of a record and replaces its reading. Returns the previous and new readings if the record has a
/// reply; `item` is the record's, as the model was shown it.
pub fn reread(record: &mut TrialRecord, item: &Item, rules: Rules) -> Result<Option<Reread>, ReadError> {
    let (kind, _) = answers_wanted(&item.gold);
    let Some(reply) = record.asks.first_mut().and_then(|ask| ask.reply.as_mut()) else { return Ok(None) };
    let Some(reading) = &mut reply.reading else { return Ok(None) };
    if !rules.read(kind) {
        return Err(ReadError::NoRules { id: record.id.clone(), rules, kind });
    }
    let (order, options) = (&record.order, item.options.len());
    if order.len() != options {
        return Err(ReadError::Shape {
            id: record.id.clone(),
            what: "options in its order",
            found: order.len(),
            expected: options,
        });
    }
    let after = answer_in(&reply.text, reply.cut, (item, order, &record.labels), reply.part, rules);
    let before = std::mem::replace(reading, after.clone());
    Ok(Some(Reread {
        id: record.id.clone(),
        style: record.style.clone(),
        condition: record.condition.clone(),
        order: record.order.clone(),
        sample: record.sample,
        before,
        after,
    }))
}
