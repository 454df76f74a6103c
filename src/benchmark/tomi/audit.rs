//! Label audit: the released answers of the English files against the answers by sight.

use std::path::Path;

use serde::Serialize;

use super::sight::{Answers, answers};
use crate::benchmark::{Item, LoadError, LoadOptions, RowProblem};

/// Agreement of the test split's released answers with sight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Audit {
    /// The counts of each type of question, in file order.
    pub types: Vec<TypeAudit>,
    /// Questions whose released answer differs from that by sight, in file order.
    pub disagreements: Vec<Disagreement>,
    /// Ids of questions whose story has a sentence of unknown form; excluded from all other counts.
    pub unread: Vec<String>,
    /// Rows that could not be read at all.
    pub problems: Vec<RowProblem>,
}

/// Agreement of one type of question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TypeAudit {
    /// The type, as in the trace file.
    pub question_type: String,
    /// Questions understood.
    pub rows: usize,
    /// Of these, questions whose answer is that by sight.
    pub by_sight: usize,
    /// Questions whose answer follows the rule of the released second-order answers: the object's real location as soon
    /// as a third agent enters its room or one of the two comes back to it.
    pub by_released_rule: usize,
}

/// A released answer that differs from that by sight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Disagreement {
    /// Id of the item.
    pub id: String,
    /// Its type, as in the trace file.
    pub question_type: String,
    pub question: String,
    /// The released answer.
    pub released: String,
    /// The answer by sight.
    pub sight: String,
}

/// Compare the released answers of the test split in `data` with sight.
pub fn audit(data: &Path) -> Result<Audit, LoadError> {
    let loaded = super::load(data, &LoadOptions::default())?;
    let mut audit =
        Audit { types: Vec::new(), disagreements: Vec::new(), unread: Vec::new(), problems: loaded.problems };
    for item in &loaded.items {
        let question_type = item.facet("question_type").unwrap_or_default();
        let lines: Vec<&str> = item.context.iter().flat_map(|segment| segment.text.lines()).collect();
        match answers(&lines, &item.question, question_type) {
            Some(answers) => audit.count(item, question_type, answers),
            None => audit.unread.push(item.id.clone()),
        }
    }
    Ok(audit)
}

impl Audit {
    fn count(&mut self, item: &Item, question_type: &str, answers: Answers) {
        let released: String = item.gold.options().iter().map(|&option| item.options[option].as_str()).collect();
        let place = self.types.iter().position(|known| known.question_type == question_type).unwrap_or_else(|| {
            let question_type = question_type.to_string();
            self.types.push(TypeAudit { question_type, rows: 0, by_sight: 0, by_released_rule: 0 });
            self.types.len() - 1
        });
        let counts = &mut self.types[place];
        counts.rows += 1;
        counts.by_sight += usize::from(answers.sight == released);
        counts.by_released_rule += usize::from(answers.released_rule == released);
        if answers.sight != released {
            self.disagreements.push(Disagreement {
                id: item.id.clone(),
                question_type: question_type.to_string(),
                question: item.question.clone(),
                released,
                sight: answers.sight,
            });
        }
    }
}
