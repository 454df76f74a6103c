//! From trials to prompts.

use std::borrow::Cow;
use std::collections::HashMap;

use indexmap::IndexMap;
use rayon::prelude::*;

use super::ask::{AskKeeper, Together, TrialAsks, by_story};
use super::earlier::{Before, EarlierTexts};
use super::list::{Trial, style_of};
use super::settings::Settings;
use super::together::together;
use crate::benchmark::{Benchmark, Item};
use crate::extract::QuestionPart;
use crate::progress::Tracker;
use crate::prompt::{Budgeted, FIRST_REPLY, Order, Pack, ask_several, asks, unconditional};
use crate::record::{Failure, FailureKind, TrialKey};

/// Returns the prompts of each trial, or why it cannot be asked. If the settings request scores after a neutral
/// context, that prompt is a trial's last. `tracker` receives the progress.
pub fn asks_of(
    trials: &[Trial],
    items: &[Item],
    packs: &IndexMap<Benchmark, Pack>,
    settings: &Settings,
    earlier: Option<&EarlierTexts>,
    tracker: &Tracker,
) -> Vec<Result<TrialAsks, Failure>> {
    tracker.count("writing prompts", trials.len(), "trials");
    if trials.iter().any(|trial| trial.presented.questions.is_some()) {
        return asks_together(trials, items, packs, settings, tracker);
    }
    let of_some = |trials: &[Trial]| {
        let mut keeper = AskKeeper::default();
        let build = |trial| asks_of_one(trial, items, packs, settings, earlier, &mut keeper);
        let asks = trials.iter().map(build).collect::<Vec<_>>();
        tracker.step(trials.len());
        asks
    };
    let same_story = |one: &Trial, next: &Trial| items[one.item].story == items[next.item].story;
    let mut asked: Vec<Result<TrialAsks, Failure>> =
        by_story(trials, same_story).into_par_iter().flat_map_iter(of_some).collect();
    write_once(trials, items, &mut asked);
    asked
}

/// Has a reply that is read within several budgets written once.
fn write_once(trials: &[Trial], items: &[Item], asked: &mut [Result<TrialAsks, Failure>]) {
    let mut written: HashMap<TrialKey, usize> = HashMap::new();
    for (number, (trial, asked)) in trials.iter().zip(asked).enumerate() {
        if let (Some(_), Ok(asked)) = (trial.presented.tokens_of(Budgeted::Reply), asked) {
            let first = *written.entry(trial.uncut_key(&items[trial.item], Budgeted::Reply)).or_insert(number);
            asked.together = Some(Together { first, part: None });
            if first != number {
                asked.draws = 0;
            }
        }
    }
}

/// Like `asks_of`, for prompts with the questions of several trials.
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

/// Returns the prompts of trials that share one.
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
    let presented = &trials[first].presented;
    let first_item = &items[trials[first].item];
    let style = style_of(&packs[&first_item.benchmark], first_item, presented.instructions, settings)
        .map_err(|error| failed(error.to_string()))?;
    let shown = |&trial: &usize| {
        let Trial { item, order, .. } = &trials[trial];
        settings.lettered(presented.shown(&items[*item]), order, &style.labels)
    };
    let shown: Vec<Cow<'_, Item>> = group.iter().map(shown).collect();
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
        together: Some(Together { first, part: Some(QuestionPart { question: at + 1, of }) }),
        switched_off: false,
    });
    Ok(each.collect())
}

/// Tokens that each question adds to the limit of a reply to several: its number and its answer in brackets, in a
/// language that needs many tokens.
const TOKENS_OF_AN_ENTRY: usize = 16;

fn asks_of_one(
    trial: &Trial,
    items: &[Item],
    packs: &IndexMap<Benchmark, Pack>,
    settings: &Settings,
    earlier: Option<&EarlierTexts>,
    keeper: &mut AskKeeper,
) -> Result<TrialAsks, Failure> {
    let item = &items[trial.item];
    let scoring = settings.scoring;
    let failed = |message: String| Failure { kind: FailureKind::Prompt, message };
    let pack = &packs[&item.benchmark];
    let style = style_of(pack, item, trial.presented.instructions, settings)
        .and_then(|style| pack.worded(style, trial.presented.wording))
        .map_err(|error| failed(error.to_string()))?;
    let mut shown = settings.lettered(trial.presented.shown(item), &trial.order, &style.labels);
    let before = match earlier {
        Some(earlier) => {
            let thinking = Budgeted::Thinking;
            let found = earlier.before(&trial.uncut_key(item, thinking), trial.presented.tokens_of(thinking));
            Some(found.ok_or_else(|| failed("the run before has no reply for it".to_string()))?)
        }
        None => None,
    };
    let (before, switched_off) = before.map(|Before { text, switched_off }| (text, switched_off)).unzip();
    match (&style.first, &before) {
        (Some(_), Some(text)) => drop(shown.to_mut().fields.insert(FIRST_REPLY.to_string(), text.to_string())),
        (Some(first), None) => {
            return Err(failed(format!(
                "it needs the reply to its first phase, the style {first}, which `tomeval run` writes"
            )));
        }
        (None, _) => {}
    }
    let mut asks = asks(style, &shown, &trial.order, scoring).map_err(|error| failed(error.to_string()))?;
    if let (None, Some(before)) = (&style.first, &before) {
        let [ask] = &mut asks[..] else {
            return Err(failed(
                "options that are asked about one by one have no common reasoning; leave out --after-reasoning, or give \
                 --thinking one number"
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
        switched_off: switched_off.unwrap_or(false),
    })
}
