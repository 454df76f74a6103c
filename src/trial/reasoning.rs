//! A model's own reasoning, after which answers are scored.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

use super::settings::AfterReasoning;
use super::writing::GenerationSettings;
use crate::extract::Outcome;
use crate::record::{AskRecord, TrialKey, TrialRecord};

/// The reasoning of each trial: its reply up to the stated answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reasoning {
    texts: HashMap<TrialKey, String>,
    /// Its description in the manifest.
    pub about: AfterReasoning,
    /// Number of replies that state no single answer: they are used as a whole.
    pub without_answer: usize,
}

impl Reasoning {
    /// Extracts the reasoning from the records of a run with written answers.
    pub fn of_records(records: &[TrialRecord], writing: &GenerationSettings) -> Reasoning {
        let mut hash = Sha256::new();
        let (mut texts, mut without_answer) = (HashMap::new(), 0);
        for record in records {
            let Some(text) = record.asks.first().and_then(before_answer) else { continue };
            without_answer += usize::from(text.1);
            hash.update(text.0.len().to_le_bytes());
            hash.update(&text.0);
            texts.insert(TrialKey::from_record(record), text.0);
        }
        let sha256 = hex::encode(hash.finalize());
        let about = AfterReasoning { samples: writing.samples, written: writing.described(), sha256 };
        Reasoning { texts, about, without_answer }
    }

    /// Returns the text before the scored answer of a trial; `None` if no reply was written.
    pub(super) fn before(&self, trial: &TrialKey) -> Option<&str> {
        self.texts.get(trial).map(String::as_str)
    }
}

/// Returns a reply up to its stated answer, and whether it states none and is used as a whole: a new paragraph then
/// begins the answer.
fn before_answer(ask: &AskRecord) -> Option<(String, bool)> {
    let reply = ask.reply.as_ref()?;
    let thought = reply.thinking.as_deref().unwrap_or_default();
    let stated = reply.reading.start.filter(|_| reply.reading.outcome == Outcome::Answer);
    let cut = stated.and_then(|start| reply.text.get(..start));
    Some(match cut {
        // The style's own prefix opens the answer again.
        Some(before) => (format!("{thought}{}", before.trim_end_matches('[')), false),
        None => (format!("{thought}{}\n\n", reply.text.trim_end()), true),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Reading;
    use crate::record::{ReplyRecord, Shown};

    fn ask(text: &str, outcome: Outcome, start: Option<usize>) -> AskRecord {
        let reading = Reading { outcome, slots: Vec::new(), rule: None, start, end: start };
        let reply = ReplyRecord { text: text.into(), thinking: None, tokens: None, cut: false, part: None, reading };
        let shown = Shown::Text(String::new());
        AskRecord { shown, answer_prefix: String::new(), prompt_tokens: 1, results: Vec::new(), reply: Some(reply) }
    }

    #[test]
    fn reasoning_ends_where_the_answer_begins() {
        let text = "Ann saw it.\n[[B]]";
        for start in [12, 14] {
            let found = before_answer(&ask(text, Outcome::Answer, Some(start)));
            assert_eq!(found, Some(("Ann saw it.\n".to_string(), false)));
        }
        let found = before_answer(&ask("Ann saw it, so", Outcome::CutOff, None));
        assert_eq!(found, Some(("Ann saw it, so\n\n".to_string(), true)));
        // An invalid position in the text must not fail.
        let found = before_answer(&ask("日本", Outcome::Answer, Some(1)));
        assert_eq!(found, Some(("日本\n\n".to_string(), true)));
    }
}
