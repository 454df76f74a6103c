//! From trials to what is asked, and from what came back to records.

use std::borrow::Cow;

use indexmap::IndexMap;
use rayon::prelude::*;

use super::folder::LineKey;
use super::reasoning::Reasoning;
use super::settings::Settings;
use super::together::together;
use super::trial::{Trial, style_of};
use crate::answer::answer_in;
use crate::backend::{AskKeeper, AskScores, KeptAsk, Together, TrialAsks, WrittenReply, by_story};
use crate::benchmark::{Answer, Benchmark, Item};
use crate::extract::Part;
use crate::progress::Tracker;
use crate::prompt::{Order, Pack, Scoring, ask_several, asks, unconditional};
use crate::record::{
    AskRecord, ContinuationRecord, Failure, FailureKind, ReplyRecord, Shown, TrialRecord, Turn, VERSION,
};

/// What is asked in each trial, or why it cannot be put. Where the settings want scores after a neutral context, that ask
/// is a trial's last. `tracker` is told how far this is.
pub fn asks_of(
    trials: &[Trial],
    items: &[Item],
    packs: &IndexMap<Benchmark, Pack>,
    settings: &Settings,
    reasoning: Option<&Reasoning>,
    tracker: &Tracker,
) -> Vec<Result<TrialAsks, Failure>> {
    tracker.count("writing prompts", trials.len(), "trials");
    if trials.iter().any(|trial| trial.questions.is_some()) {
        return asks_together(trials, items, packs, settings, tracker);
    }
    let of_some = |trials: &[Trial]| {
        let mut keeper = AskKeeper::default();
        let build = |trial| asks_of_one(trial, items, packs, settings, reasoning, &mut keeper);
        let asks = trials.iter().map(build).collect::<Vec<_>>();
        tracker.step(trials.len());
        asks
    };
    let same_story = |one: &Trial, next: &Trial| items[one.item].story == items[next.item].story;
    by_story(trials, same_story).into_par_iter().flat_map_iter(of_some).collect()
}

/// The same where prompts hold the questions of several trials.
fn asks_together(
    trials: &[Trial],
    items: &[Item],
    packs: &IndexMap<Benchmark, Pack>,
    settings: &Settings,
    tracker: &Tracker,
) -> Vec<Result<TrialAsks, Failure>> {
    let groups = together(trials, items);
    let of_some = |groups: &[Vec<usize>]| {
        let mut keeper = AskKeeper::default();
        let mut asks = Vec::new();
        for group in groups {
            match asks_of_group(group, trials, items, packs, settings, &mut keeper) {
                Ok(together) => asks.extend(group.iter().copied().zip(together.into_iter().map(Ok))),
                Err(failure) => asks.extend(group.iter().map(|&trial| (trial, Err(failure.clone())))),
            }
            tracker.step(group.len());
        }
        asks
    };
    let story = |group: &[usize]| group.first().map(|&trial| &items[trials[trial].item].story);
    let same_story = |one: &Vec<usize>, next: &Vec<usize>| story(one) == story(next);
    let pieces = by_story(&groups, same_story);
    let mut asks: Vec<(usize, Result<TrialAsks, Failure>)> = pieces.into_par_iter().flat_map_iter(of_some).collect();
    asks.sort_unstable_by_key(|(trial, _)| *trial);
    asks.into_iter().map(|(_, asks)| asks).collect()
}

/// What is asked in each of some trials that have one prompt.
fn asks_of_group(
    group: &[usize],
    trials: &[Trial],
    items: &[Item],
    packs: &IndexMap<Benchmark, Pack>,
    settings: &Settings,
    keeper: &mut AskKeeper,
) -> Result<Vec<TrialAsks>, Failure> {
    let failed = |message: String| Failure { kind: FailureKind::Prompt, message };
    let Some(&first) = group.first() else { return Ok(Vec::new()) };
    let Trial { instructions, condition, .. } = trials[first];
    let first_item = &items[trials[first].item];
    let style = style_of(&packs[&first_item.benchmark], first_item, instructions, settings)
        .map_err(|error| failed(error.to_string()))?;
    let shown: Vec<Cow<'_, Item>> = group
        .iter()
        .map(|&trial| &items[trials[trial].item])
        .map(|item| condition.map_or(Cow::Borrowed(item), |condition| condition.apply(item)))
        .collect();
    let questions: Vec<(&Item, &Order)> =
        shown.iter().zip(group).map(|(item, &trial)| (item.as_ref(), &trials[trial].order)).collect();
    let ask = ask_several(style, &questions).map_err(|error| failed(error.to_string()))?;
    let ask = keeper.keep(ask);
    let of = group.len();
    let own_limit = settings.writing.as_ref().and_then(|writing| writing.max_new_tokens);
    let most_tokens = own_limit.unwrap_or(style.max_new_tokens + TOKENS_OF_AN_ENTRY * of);
    let each = group.iter().enumerate().map(|(at, &trial)| TrialAsks {
        story: first_item.story.clone(),
        // Forwarded once, whatever the number of questions.
        draws: if at == 0 { trials[trial].count } else { 0 },
        labels: keeper.list(style.labels.iter().take(trials[trial].order.len()).cloned().collect()),
        asks: vec![ask.clone()],
        most_tokens,
        together: Some(Together { first, part: Part { question: at + 1, of } }),
    });
    Ok(each.collect())
}

/// What each question adds to the most tokens of a reply to several: its number and its answer in brackets, in a language
/// that takes many tokens.
const TOKENS_OF_AN_ENTRY: usize = 16;

fn asks_of_one(
    trial: &Trial,
    items: &[Item],
    packs: &IndexMap<Benchmark, Pack>,
    settings: &Settings,
    reasoning: Option<&Reasoning>,
    keeper: &mut AskKeeper,
) -> Result<TrialAsks, Failure> {
    let item = &items[trial.item];
    let scoring = settings.scoring;
    let failed = |message: String| Failure { kind: FailureKind::Prompt, message };
    let style = style_of(&packs[&item.benchmark], item, trial.instructions, settings)
        .map_err(|error| failed(error.to_string()))?;
    let shown = match trial.condition {
        Some(condition) => condition.apply(item),
        None => std::borrow::Cow::Borrowed(item),
    };
    let mut asks = asks(style, &shown, &trial.order, scoring).map_err(|error| failed(error.to_string()))?;
    if let Some(reasoning) = reasoning {
        let before = reasoning.before(&line_key(trial, item));
        let before = before.ok_or_else(|| failed("no reasoning was written to it".to_string()))?;
        let [ask] = &mut asks[..] else {
            return Err(failed(
                "options that are asked about one by one have no common reasoning; leave out --after-reasoning"
                    .to_string(),
            ));
        };
        ask.prompt.answer_prefix.insert_str(0, before);
    }
    if settings.unconditional {
        asks.push(unconditional(style, &shown, scoring).map_err(|error| failed(error.to_string()))?);
    }
    let shown = if style.shows_options() { item.options.len() } else { 0 };
    Ok(TrialAsks {
        story: item.story.clone(),
        draws: trial.count,
        labels: keeper.list(style.labels.iter().take(shown).cloned().collect()),
        asks: asks.into_iter().map(|ask| keeper.keep(ask)).collect(),
        most_tokens: settings
            .writing
            .as_ref()
            .map_or(0, |writing| writing.max_new_tokens.unwrap_or(style.max_new_tokens)),
        together: None,
    })
}

/// What the line of a trial is known by.
pub(super) fn line_key(trial: &Trial, item: &Item) -> LineKey {
    LineKey {
        id: item.id.clone(),
        condition: trial.presentation(),
        order: trial.order.as_slice().to_vec(),
        count: trial.count,
        sample: trial.sample,
    }
}

/// What came back in a trial.
pub(super) struct Answered {
    /// Scores of each ask.
    pub asks: Vec<AskScores>,
    pub system_merged: bool,
    /// Whether the model was shown chat turns.
    pub chat: bool,
}

/// The record of a trial to which a reply was written.
pub(super) fn written_record(
    trial: &Trial,
    item: &Item,
    settings: &Settings,
    asked: &TrialAsks,
    reply: WrittenReply,
    (system_merged, chat): (bool, bool),
) -> TrialRecord {
    let mut record = empty_record(trial, item, settings);
    record.labels = asked.labels.to_vec();
    record.system_merged = system_merged;
    let Some(ask) = asked.asks.first() else { return record };
    let rules = settings.writing.as_ref().map(|writing| writing.extract).unwrap_or_default();
    let part = asked.together.map(|together| together.part);
    let WrittenReply { prompt_tokens, text, thinking, tokens, cut } = reply;
    let reading = answer_in(&text, cut, (item, &trial.order, &record.labels), part, rules);
    let reply = ReplyRecord { text, thinking, tokens, cut, part, reading };
    record.asks = vec![AskRecord {
        shown: shown(ask, chat),
        answer_prefix: ask.answer_prefix.clone(),
        prompt_tokens,
        results: Vec::new(),
        reply: Some(reply),
    }];
    record
}

/// A record of a trial that says nothing yet of what came back.
fn empty_record(trial: &Trial, item: &Item, settings: &Settings) -> TrialRecord {
    TrialRecord {
        version: VERSION,
        id: item.id.clone(),
        style: settings.style.clone(),
        condition: trial.presentation(),
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

/// The record of a trial, or of its failure.
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
            // Option texts stand in canonical order there and in slot order here; labels are the same in both.
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
        shown: shown(ask, chat),
        answer_prefix: ask.answer_prefix.clone(),
        prompt_tokens: scores.prompt_tokens,
        results: results.collect(),
        reply: None,
    }
}

fn shown(ask: &KeptAsk, chat: bool) -> Shown {
    let messages = ask.messages().into_iter();
    match chat {
        true => Shown::Messages(
            messages.map(|message| Turn { role: message.role.name().to_string(), content: message.content }).collect(),
        ),
        false => Shown::Text(messages.map(|message| message.content).collect::<Vec<_>>().join("\n\n")),
    }
}
