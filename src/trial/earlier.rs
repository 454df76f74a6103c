//! Texts that an earlier run wrote for the prompts of this one: the model's own reasoning, after which answers are
//! scored, its thoughts, cut to several lengths, or its replies to the first phase of a style.

use std::borrow::Cow;
use std::collections::HashMap;

use sha2::{Digest, Sha256};

use super::settings::{EarlierRun, Settings, ThoughtBudget};
use super::writing::GenerationSettings;
use crate::counted::counted;
use crate::extract::{Outcome, visible};
use crate::model::{Tokenizer, TokenizerError, marks_of, thought_of};
use crate::record::{AskRecord, ReplyRecord, TrialKey, TrialRecord};

/// The text for each trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierTexts {
    source: Source,
    /// Its description in the manifest.
    pub about: EarlierRun,
    /// What is unusual about the replies, in one sentence.
    pub note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    /// The reasoning of each trial: its reply up to the stated answer.
    Reasoning(HashMap<TrialKey, String>),
    /// The thought of each trial, if its reply has one; and how a thought is cut.
    Thoughts(HashMap<TrialKey, Option<Thought>>, ThoughtEnds),
    /// The reply to the first phase, which shows no options: one for all orders.
    FirstPhase(HashMap<TrialKey, String>),
    /// Nothing is written yet; this many tokens are assumed for each, and this end of a thought.
    Assumed(usize, String),
}

/// A thought that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Thought {
    /// Its text, without marks.
    text: String,
    /// For each budget, the length in bytes of its part.
    cuts: Vec<(usize, usize)>,
    /// Whether the prompt opens the section.
    opened: bool,
}

/// How sections of thoughts begin and end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThoughtEnds {
    /// The text that ends one, as the chat template does.
    pub end: String,
    /// Whether the template has a switch for thinking.
    pub has_switch: bool,
}

/// The text before an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Before<'t> {
    pub text: Cow<'t, str>,
    /// Whether the template's switch for thinking is off.
    pub switched_off: bool,
}

impl EarlierTexts {
    /// Extracts the thoughts of a run with written replies, to be cut to each of these numbers of tokens. Replies without a
    /// thought have an empty one.
    ///
    /// # Errors
    /// A thought cannot be tokenized.
    pub fn of_thoughts(
        records: &[TrialRecord],
        writing: &GenerationSettings,
        budgets: &[usize],
        ends: ThoughtEnds,
        tokenizer: &Tokenizer,
    ) -> Result<EarlierTexts, TokenizerError> {
        let (mut texts, mut hash) = (HashMap::new(), Sha256::new());
        let mut cuts: Vec<ThoughtBudget> =
            budgets.iter().map(|&tokens| ThoughtBudget { tokens, ..ThoughtBudget::default() }).collect();
        let mut without = 0;
        for record in records {
            let Some(reply) = record.asks.first().and_then(|ask| ask.reply.as_ref()) else { continue };
            let found = thought_of(reply.thinking.as_deref(), &reply.text);
            without += usize::from(found.is_none());
            let text = found.unwrap_or_default();
            hash.update(text.len().to_le_bytes());
            hash.update(text);
            let starts: Vec<usize> =
                tokenizer.encode_with_offsets(text, false)?.iter().map(|(_, range)| range.start).collect();
            let mut of_budgets = Vec::new();
            let most = budgets.last().copied().unwrap_or_default();
            for budget in &mut cuts {
                // The largest held when it was written; read again, a thought may have other tokens.
                let start = starts.get(budget.tokens).filter(|_| budget.tokens < most).copied().unwrap_or(text.len());
                let end = (0..=start).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
                // A thought that reached the largest budget was ended there when it was written.
                let is_cut = starts.len() > budget.tokens || starts.len() == most && budget.tokens == most;
                budget.cut += usize::from(is_cut);
                budget.used += starts.len().min(budget.tokens);
                budget.replies += 1;
                of_budgets.push((budget.tokens, end));
            }
            let thought =
                found.map(|_| Thought { text: text.to_string(), cuts: of_budgets, opened: reply.thinking.is_some() });
            texts.insert(TrialKey::from_record(record), thought);
        }
        let about = EarlierRun {
            samples: writing.samples,
            written: writing.described(),
            sha256: hex::encode(hash.finalize()),
            budgets: cuts,
            without_thought: without,
            ..EarlierRun::default()
        };
        let note = (without > 0)
            .then(|| format!("{} without a thought: their answers follow an empty one.", counted(without, "reply")));
        Ok(EarlierTexts { source: Source::Thoughts(texts, ends), about, note })
    }

    /// Extracts the texts from the records of a run with written replies; `settings` are that run's.
    pub fn of_records(records: &[TrialRecord], settings: &Settings, writing: &GenerationSettings) -> EarlierTexts {
        let (mut texts, mut hash) = (HashMap::new(), Sha256::new());
        let mut add = |record: &TrialRecord, text: String| {
            hash.update(text.len().to_le_bytes());
            hash.update(&text);
            texts.insert(TrialKey::from_record(record), text);
        };
        let asks = records.iter().filter_map(|record| Some((record, record.asks.first()?)));
        let mut about = EarlierRun { style: None, samples: writing.samples, ..EarlierRun::default() };
        about.written = writing.described();
        let mut without_answer = 0;
        for (record, ask) in asks {
            let Some(reply) = &ask.reply else { continue };
            if settings.is_first_phase() {
                let text = first_reply(reply);
                about.cut += usize::from(reply.cut);
                about.empty += usize::from(text.is_empty());
                add(record, text);
            } else if let Some((text, whole)) = before_answer(ask) {
                without_answer += usize::from(whole);
                add(record, text);
            }
        }
        about.sha256 = hex::encode(hash.finalize());
        match settings.is_first_phase() {
            true => {
                about.style = Some(settings.style.clone());
                let note = about
                    .unusual()
                    .map(|unusual| format!("Replies to the first phase: {unusual}; they are used as they are."));
                EarlierTexts { source: Source::FirstPhase(texts), about, note }
            }
            false => {
                let note = (without_answer > 0).then(|| {
                    format!(
                        "Replies that state no answer: {without_answer}; their options are scored after the whole reply."
                    )
                });
                EarlierTexts { source: Source::Reasoning(texts), about, note }
            }
        }
    }

    /// Stand-ins for replies that are not written yet, of this many tokens each, to plan the run that needs them, or that
    /// needs their thoughts, cut to `budgets`.
    pub fn assumed(tokens: usize, writing: &GenerationSettings, budgets: &[usize]) -> EarlierTexts {
        let budgets = budgets.iter().map(|&tokens| ThoughtBudget { tokens, ..ThoughtBudget::default() }).collect();
        let about =
            EarlierRun { samples: writing.samples, written: writing.described(), budgets, ..EarlierRun::default() };
        let end = writing.end_of_thought.clone().unwrap_or_default();
        EarlierTexts { source: Source::Assumed(tokens, end), about, note: None }
    }

    /// Returns the tokens assumed for each reply; `None` if they are written.
    pub fn assumed_tokens(&self) -> Option<usize> {
        match self.source {
            Source::Assumed(tokens, _) => Some(tokens),
            _ => None,
        }
    }

    /// Returns the text before the answer of a trial, cut to a number of tokens if it is a thought; `None` if no reply was
    /// written. `trial` is the key of the reply.
    pub(super) fn before(&self, trial: &TrialKey, thinking: Option<usize>) -> Option<Before<'_>> {
        let text: Cow<'_, str> = match &self.source {
            Source::Reasoning(texts) => texts.get(trial)?.into(),
            Source::FirstPhase(texts) => {
                let order = (0..trial.order.len()).collect();
                texts.get(&TrialKey { order, count: 1, ..trial.clone() })?.into()
            }
            Source::Thoughts(texts, ends) => {
                let thought = texts.get(trial)?.as_ref();
                if thinking == Some(0) && ends.has_switch {
                    return Some(Before { text: "".into(), switched_off: true });
                }
                ends.closed(thought, thinking).into()
            }
            Source::Assumed(most, end) => match thinking {
                Some(tokens) => (assumed(trial, tokens.min(*most)) + end).into(),
                None => assumed(trial, *most).into(),
            },
        };
        Some(Before { text, switched_off: false })
    }
}

impl ThoughtEnds {
    /// A thought as it is cut to a number of tokens, closed, and opened where the prompt does not do so.
    fn closed(&self, thought: Option<&Thought>, tokens: Option<usize>) -> String {
        let end = &self.end;
        let open = match thought {
            Some(Thought { opened: true, .. }) => "",
            _ => marks_of(end).map_or("", |(open, _)| open),
        };
        let kept = thought.map_or("", |thought| {
            let cut = thought.cuts.iter().find(|(budget, _)| Some(*budget) == tokens);
            thought.text[..cut.map_or(thought.text.len(), |(_, end)| *end)].trim_end()
        });
        // An empty section of the reply's own is two line breaks between the marks, as templates write it.
        let kept = if kept.is_empty() && !open.is_empty() && end.starts_with('\n') { "\n" } else { kept };
        format!("{open}{kept}{end}")
    }
}

/// A stand-in for a reply. Replies to different items share no beginning.
fn assumed(trial: &TrialKey, tokens: usize) -> String {
    format!("{} {}{}", trial.sample.unwrap_or_default(), trial.id, " word".repeat(tokens))
}

/// A reply to a first phase as later prompts show it: without thoughts, and without turns invented for others.
fn first_reply(reply: &ReplyRecord) -> String {
    let parts = visible(&reply.text).parts;
    parts.into_iter().filter_map(|part| reply.text.get(part)).collect::<String>().trim().to_string()
}

/// Returns a reply up to its stated answer, and whether it states none and is used as a whole: a new paragraph then
/// begins the answer.
fn before_answer(ask: &AskRecord) -> Option<(String, bool)> {
    let reply = ask.reply.as_ref()?;
    let thought = reply.thinking.as_deref().unwrap_or_default();
    let stated = reply.reading.as_ref().filter(|reading| reading.outcome == Outcome::Answer);
    let cut = stated.and_then(|reading| reading.start).and_then(|start| reply.text.get(..start));
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
        let reply = ReplyRecord {
            text: text.into(),
            thinking: None,
            tokens: None,
            cut: false,
            part: None,
            reading: Some(reading),
        };
        let shown = Shown::Text(String::new());
        AskRecord { shown, answer_prefix: String::new(), prompt_tokens: 1, results: Vec::new(), reply: Some(reply) }
    }

    #[test]
    fn a_reply_to_a_first_phase_is_shown_without_thoughts() {
        let reply = |text: &str| first_reply(&ask(text, Outcome::None, None).reply.unwrap());
        assert_eq!(reply("<think>So ...</think>\n Ann saw it. \n"), "Ann saw it.");
        assert_eq!((reply(" \n"), reply("<think>So")), (String::new(), String::new()));
        let about = EarlierRun { cut: 2, empty: 1, ..EarlierRun::default() };
        assert_eq!(about.unusual().unwrap(), "2 cut off at the length limit, 1 empty");
        assert_eq!(EarlierRun::default().unusual(), None);
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
