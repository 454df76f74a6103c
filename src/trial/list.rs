//! From items to trials: item x condition x option order.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::benchmark::{Benchmark, Item, Swapper};
use crate::language::Language;
use crate::prompt::{Budgeted, DrawnOrder, Instructions, Order, Pack, PackError, Style, TooManyOrders, none_of_these};
use crate::record::TrialKey;

use super::left_out::Hidden;
use super::presented::Presented;
use super::settings::Settings;
use super::swaps::Swappers;

/// One item in one presentation and option order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// Index of the item.
    pub item: usize,
    /// How it is presented.
    pub presented: Presented,
    /// Order shown.
    pub order: Order,
    /// Number of times the policy drew it.
    pub count: usize,
    /// Number of the reply, from 0, if several are written in this order.
    pub sample: Option<usize>,
}

impl Trial {
    /// Returns the key of its record.
    pub fn key(&self, item: &Item) -> TrialKey {
        TrialKey {
            id: item.id.clone(),
            condition: self.presented.name(),
            order: self.order.as_slice().to_vec(),
            count: self.count,
            sample: self.sample,
        }
    }

    /// Returns the key that it would have if its thought, or its reply, were not cut.
    pub fn uncut_key(&self, item: &Item, of: Budgeted) -> TrialKey {
        Trial { presented: self.presented.uncut(of), ..self.clone() }.key(item)
    }
}

/// A list of trials that cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrialError {
    /// No style of the pack fits an item.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The order policy does not support this many options.
    #[error(transparent)]
    Orders(#[from] TooManyOrders),
    /// "None of these" has no words in the item's language, or no place where options are not shown.
    #[error(
        "item `{item}`: drop-gold and drop-distractor put \"none of these\" among the options that are shown, in English, \
         Chinese and twelve other languages; use --scoring letter, hybrid or generate (this item is in {language})"
    )]
    NoneOfThese { item: String, language: Language },
    /// The prompt has no place for a reminder.
    #[error("{0}: a reminder stands before {{question}}, which the prompt does not show; use another style")]
    NoQuestion(String),
}

/// Returns every trial of a run, by item, language of instructions, condition and first draw of the order.
///
/// Items that need their options have no trials where the style hides them ([`super::left_out`]).
/// If orders make no difference (options not shown, or asked one by one) there is one trial in the identity order. A
/// condition that changes nothing in an item adds no trial for it. English instructions do not change a benchmark whose
/// items are all in English; in others they apply to every item, so that each presentation covers all languages of a
/// question.
pub fn trials(
    items: &[Item],
    packs: &IndexMap<Benchmark, Pack>,
    settings: &Settings,
) -> Result<Vec<Trial>, TrialError> {
    let translated: BTreeSet<Benchmark> =
        items.iter().filter(|item| item.language != Language::En).map(|item| item.benchmark).collect();
    let hidden = Hidden::new(packs, settings);
    let mut trials = Vec::new();
    let mut swappers = settings.swaps.as_ref().map(|swaps| Swappers::new(swaps, settings.seed));
    for (index, item) in items.iter().enumerate().filter(|(_, item)| hidden.reason(item).is_none()) {
        let instructions: &[Instructions] = match translated.contains(&item.benchmark) {
            true => settings.instructions.each(),
            false => &[Instructions::Item],
        };
        let others = swappers.as_mut().map_or_else(Vec::new, |swappers| swappers.of(item).swappers);
        for &instructions in instructions {
            add(&mut trials, (index, item, &others), &packs[&item.benchmark], instructions, settings)?;
        }
    }
    Ok(trials)
}

/// Returns the style in which an item is asked.
pub(super) fn style_of<'p>(
    pack: &'p Pack,
    item: &Item,
    instructions: Instructions,
    settings: &Settings,
) -> Result<&'p Style, PackError> {
    let Settings { style, scoring, after_reasoning, writing, .. } = settings;
    let several = writing.as_ref().is_some_and(|writing| writing.questions_per_prompt.is_some());
    match after_reasoning {
        Some(_) => pack.style_after_reasoning(item, style, *scoring, instructions),
        None if several => pack.style_for_several(item, style, instructions),
        None => pack.style_for(item, style, *scoring, instructions),
    }
}

fn add(
    trials: &mut Vec<Trial>,
    (index, item, others): (usize, &Item, &[Arc<Swapper>]),
    pack: &Pack,
    instructions: Instructions,
    settings: &Settings,
) -> Result<(), TrialError> {
    let shots = settings.shots.clone().map(Arc::new);
    let questions = settings.writing.as_ref().and_then(|writing| writing.questions_per_prompt);
    let style = style_of(pack, item, instructions, settings)?;
    if settings.reminders.is_some() && !style.names_value("question") {
        return Err(TrialError::NoQuestion(style.to_string()));
    }
    let options = item.options.len();
    let drawn = match style.takes_orders(item, settings.scoring) {
        true => settings.draw(&item.id, options)?,
        false => vec![DrawnOrder { order: Order::identity(options), count: 1 }],
    };
    let samples: Vec<Option<usize>> = match settings.samples() {
        0 | 1 => vec![None],
        several => (0..several).map(Some).collect(),
    };
    for &condition in &settings.conditions {
        let replaces = condition.is_some_and(|condition| condition.replaces(item).is_some());
        if replaces && (none_of_these(item.language).is_none() || !style.shows_options()) {
            return Err(TrialError::NoneOfThese { item: item.id.clone(), language: item.language });
        }
        let changes = condition.is_none_or(|condition| matches!(condition.apply(item), Cow::Owned(_)));
        if changes {
            let trial = |DrawnOrder { order, count }: &DrawnOrder, sample, presented: &Presented| Trial {
                item: index,
                presented: presented.clone(),
                order: condition.map_or_else(|| order.clone(), |condition| condition.order(item, order)),
                count: *count,
                sample,
            };
            let base = Presented { condition, instructions, questions, shots: shots.clone(), ..Presented::default() };
            for way in settings.each_way(&base, others).iter().filter(|way| way.is_of(item)) {
                pack.worded(style, way.wording)?;
                let of_draw = |drawn| samples.iter().map(move |&sample| (drawn, sample));
                trials.extend(drawn.iter().flat_map(of_draw).map(|(drawn, sample)| trial(drawn, sample, way)));
            }
        }
    }
    Ok(())
}
