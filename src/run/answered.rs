//! Builds the record of a trial from its answers.

use crate::answer::answer_in;
use crate::backend::{AskScores, GeneratedReply};
use crate::benchmark::{Answer, Item};
use crate::prompt::{Budgeted, Scoring};
use crate::record::{
    AskRecord, ContinuationRecord, Failure, FailureKind, ReplyRecord, Shown, TrialRecord, Turn, VERSION,
};
use crate::trial::{KeptAsk, Settings, Trial, TrialAsks};

/// Answers of a trial.
pub(super) struct Answered {
    /// Scores of each ask.
    pub asks: Vec<AskScores>,
    pub system_merged: bool,
    /// Whether the model was shown chat turns.
    pub chat: bool,
}

/// Returns the record of a trial with a written reply.
pub(super) fn written_record(
    trial: &Trial,
    item: &Item,
    settings: &Settings,
    asked: &TrialAsks,
    reply: &GeneratedReply,
    (system_merged, chat): (bool, bool),
) -> TrialRecord {
    let mut record = empty_record(trial, item, settings);
    record.labels = asked.labels.to_vec();
    record.system_merged = system_merged;
    let Some(ask) = asked.asks.first() else { return record };
    let rules = settings.writing.as_ref().map(|writing| writing.extract).unwrap_or_default();
    let part = asked.together.and_then(|together| together.part);
    let reply = reply.within(trial.presented.tokens_of(Budgeted::Reply));
    let GeneratedReply { prompt_tokens, text, thinking, tokens, cut, .. } = reply;
    let shown = settings.lettered(trial.presented.shown(item), &trial.order, &record.labels);
    let read = || answer_in(&text, cut, (&shown, &trial.order, &record.labels), part, rules);
    let reading = (!settings.is_first_phase()).then(read);
    let reply = ReplyRecord { text, thinking, tokens, cut, part, reading };
    record.asks = vec![AskRecord {
        shown: shown_text(ask, chat),
        answer_prefix: ask.answer_prefix.clone(),
        prompt_tokens,
        results: Vec::new(),
        reply: Some(reply),
    }];
    record
}

/// Returns a record of a trial without its answers.
fn empty_record(trial: &Trial, item: &Item, settings: &Settings) -> TrialRecord {
    TrialRecord {
        version: VERSION,
        id: item.id.clone(),
        style: settings.style.clone(),
        condition: trial.presented.name(),
        language: item.language,
        order: trial.order.clone(),
        count: trial.count,
        sample: trial.sample,
        scoring: settings.scoring,
        labels: Vec::new(),
        system_merged: false,
        asks: Vec::new(),
        unconditional: None,
        failure: None,
        served: None,
    }
}

/// Returns the record of a trial, or of its failure.
pub(super) fn record(
    trial: &Trial,
    item: &Item,
    settings: &Settings,
    outcome: Result<(&TrialAsks, Answered), &Failure>,
) -> TrialRecord {
    let mut record = empty_record(trial, item, settings);
    let (asked, Answered { asks: scores, system_merged, chat }) = match outcome {
        Ok(scored) => scored,
        Err(failure) => {
            record.failure = Some(failure.clone());
            return record;
        }
    };
    record.labels = asked.labels.to_vec();
    record.system_merged = system_merged;
    let mut asks: Vec<AskRecord> =
        asked.asks.iter().zip(scores).map(|(ask, scores)| ask_record(ask, scores, chat)).collect();
    if settings.unconditional {
        record.unconditional = asks.pop().map(|neutral| {
            // Option texts are in canonical order there and in slot order here; labels are the same in both.
            let by_slot = matches!(item.gold, Answer::Single(_)) && settings.scoring != Scoring::Letter;
            match by_slot {
                true => trial.order.as_slice().iter().map(|&option| neutral.results[option].clone()).collect(),
                false => neutral.results,
            }
        });
    }
    if asks.iter().flat_map(|ask| &ask.results).flat_map(|result| &result.logprobs).all(|value| value.is_finite()) {
        record.asks = asks;
    } else {
        record.unconditional = None;
        record.failure = Some(Failure {
            kind: FailureKind::NotFinite,
            message: "a log-probability is not a finite number; try --dtype f32, or check the weights".to_string(),
        });
    }
    record
}

fn ask_record(ask: &KeptAsk, scores: AskScores, chat: bool) -> AskRecord {
    let results = ask.continuations.iter().zip(scores.continuations).map(|(text, scores)| ContinuationRecord {
        text: text.clone(),
        token_ids: scores.token_ids,
        logprobs: scores.scores.logprobs,
        at_most: scores.at_most,
        bytes: text.len(),
    });
    AskRecord {
        shown: shown_text(ask, chat),
        answer_prefix: ask.answer_prefix.clone(),
        prompt_tokens: scores.prompt_tokens,
        results: results.collect(),
        reply: None,
    }
}

fn shown_text(ask: &KeptAsk, chat: bool) -> Shown {
    let messages = ask.messages().into_iter();
    match chat {
        true => Shown::Messages(
            messages.map(|message| Turn { role: message.role.name().to_string(), content: message.content }).collect(),
        ),
        false => Shown::Text(messages.map(|message| message.content).collect::<Vec<_>>().join("\n\n")),
    }
}

#[cfg(test)]
mod tests {
    use indexmap::IndexMap;

    use super::*;
    use crate::benchmark::{Benchmark, LoadOptions, NameLists, SwapKind};
    use crate::language::Language;
    use crate::prompt::{Condition, OrderPolicy, Pack};
    use crate::trial::{Swaps, trials};

    #[test]
    fn an_item_is_shown_again_as_it_was() {
        let items = Benchmark::Demo.load(std::path::Path::new(""), &LoadOptions::default()).unwrap().items;
        let text = "[p]\na = [\"Ivan\", \"Lena\", \"Sam\", \"Kim\", \"Jo\", \"Ida\"]\nb = [\"Amina\", \"Kofi\", \"Nia\", \"Omar\"]\n";
        let mut swaps = Swaps::default();
        swaps.kinds.push(SwapKind::Names);
        swaps.named("names.toml".to_string(), text, NameLists::parse(text).unwrap());
        let conditions = vec![None, Some(Condition::DropGold)];
        let letters = Settings::letters(Benchmark::Demo, Language::En, OrderPolicy::Random(2));
        let settings = Settings { conditions, swaps: Some(swaps), ..letters };
        let packs = IndexMap::from([(Benchmark::Demo, Pack::built_in(Benchmark::Demo))]);
        let mut swapped = 0;
        for trial in trials(&items, &packs, &settings).unwrap() {
            let item = &items[trial.item];
            let shown = trial.presented.shown(item);
            swapped += usize::from(trial.presented.swap.is_some() && shown.context != item.context);
            assert_eq!(
                settings.shown_again(item, &empty_record(&trial, item, &settings)),
                shown,
                "{:?}",
                trial.presented
            );
        }
        assert!(swapped > 0);
    }
}
