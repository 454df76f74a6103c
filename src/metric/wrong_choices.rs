//! Whose place wrong answers about false beliefs name: where the object is, where a mind inside the chain has it, or neither.

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::Outcome;
use super::figure::{Figure, adjust};
use super::respondent::{Header, Respondent};
use crate::benchmark::{Answer, OptionIx, Standing, TiedStories, standings};
use crate::name::named;
use crate::prompt::Condition;
use crate::stats::clustered_mean;

const PERCENT: f64 = 100.0;

/// Fewest wrong choices of a row with figures.
const FEWEST: usize = 10;

/// A kind of wrong container in the story of a question about a chain of minds, whose own place is right. The first four
/// exclude each other; the others are rules that ignore minds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum WrongPlace {
    /// Where the object is, and no inner mind takes it to be.
    Reality,
    /// Where a mind inside the chain takes it to be, and it is not.
    InnerMind,
    /// Both.
    RealityAndInnerMind,
    /// No mind of the chain takes it to be there, and it is not.
    NoLane,
    /// Where the object is, in stories that name another wrong container last.
    RealityNotLast,
    /// The wrong container named last.
    LastNamed,
    /// The one named first.
    FirstNamed,
    /// The one named most often; of several, that named first.
    MostNamed,
}

named!(WrongPlace, "kind of wrong container");

/// How often wrong choices name a kind of container, over questions about false beliefs in stories that name at least two
/// wrong containers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WrongChoices {
    /// The respondent and the presentation.
    #[serde(flatten)]
    pub header: Header,
    /// Language of the items.
    pub language: String,
    /// Order of the questions; empty for all.
    pub key: IndexMap<String, String>,
    /// The kind of container.
    pub place: WrongPlace,
    /// Number of wrong choices that name a container of the story.
    pub items: usize,
    /// Number of their stories.
    pub stories: usize,
    /// Number of wrong choices that name no container of the story; they are left out.
    pub not_named: usize,
    /// Share of the choices that are of this kind, in percent; null for fewer than ten.
    pub share: Figure,
    /// The share if each were drawn from the wrong containers that its story names.
    pub drawn: Figure,
    /// Share minus that, in percentage points.
    pub difference: Figure,
    /// Its 95 % interval, clustered by story.
    pub interval: Option<(f64, f64)>,
    /// P-value, from 0 to 1, of the test that the difference is zero, adjusted by Holm over all rows of this presentation.
    pub p: Option<f64>,
}

/// A wrong choice that names a container of its story.
struct Wrong<'a> {
    outcome: &'a Outcome<'a>,
    chosen: OptionIx,
    /// The wrong options that the story names, in order of first mention, with their standing.
    wrong: Vec<(OptionIx, Standing)>,
}

impl<'a> Wrong<'a> {
    /// The wrong choice of an item; an error for one that names no container of its story. `None` for other items.
    fn new(outcome: &'a Outcome<'a>) -> Option<Result<Self, ()>> {
        let (Answer::Single(gold), Some(Answer::Single(chosen))) = (&outcome.item.gold, &outcome.choice) else {
            return None;
        };
        if chosen == gold {
            return None;
        }
        let mut wrong: Vec<(OptionIx, Standing)> = standings(outcome.item)?;
        wrong.retain(|(option, _)| option != gold);
        if wrong.len() < 2 {
            return None;
        }
        match wrong.iter().any(|(option, _)| option == chosen) {
            true => Some(Ok(Wrong { outcome, chosen: *chosen, wrong })),
            false => Some(Err(())),
        }
    }

    /// The options of a kind; `None` where the story has no say in it.
    fn of_kind(&self, place: WrongPlace) -> Option<Vec<OptionIx>> {
        let with = |fits: fn(&Standing) -> bool| -> Vec<OptionIx> {
            self.wrong.iter().filter(|(_, standing)| fits(standing)).map(|(option, _)| *option).collect()
        };
        let last = self.wrong.iter().max_by_key(|(_, standing)| standing.last_mention).map(|(option, _)| *option);
        Some(match place {
            WrongPlace::Reality => with(|of| of.is_actual && !of.is_of_inner_mind),
            WrongPlace::InnerMind => with(|of| !of.is_actual && of.is_of_inner_mind),
            WrongPlace::RealityAndInnerMind => with(|of| of.is_actual && of.is_of_inner_mind),
            WrongPlace::NoLane => with(|of| !of.is_actual && !of.is_of_inner_mind),
            WrongPlace::RealityNotLast => {
                let actual = with(|of| of.is_actual);
                if actual.is_empty() || actual.first().copied() == last {
                    return None;
                }
                actual
            }
            WrongPlace::LastNamed => last.into_iter().collect(),
            WrongPlace::FirstNamed => self.wrong.first().map(|(option, _)| *option).into_iter().collect(),
            WrongPlace::MostNamed => {
                let most = self.wrong.iter().rev().max_by_key(|(_, standing)| standing.mentions);
                most.map(|(option, _)| *option).into_iter().collect()
            }
        })
    }
}

/// The kinds of wrong choices by way of asking and language: over all orders, then by order.
pub(super) fn wrong_choices<'a>(outcomes: &[&'a Outcome<'a>], by: Respondent<'_>) -> Vec<WrongChoices> {
    type Way<'a> = (&'a str, Option<&'a str>, &'a str, Option<&'a str>);
    let mut ways: IndexMap<Way<'a>, Vec<Result<Wrong<'a>, &'a Outcome<'a>>>> = IndexMap::new();
    for outcome in outcomes.iter().copied().filter(|outcome| !outcome.failed()) {
        // Other stories have other lanes.
        let condition = Condition::of_presentation(outcome.condition.as_deref());
        if condition.is_some_and(|condition| condition.version().is_some()) {
            continue;
        }
        let Some(wrong) = Wrong::new(outcome) else { continue };
        let way = (
            outcome.style.as_str(),
            outcome.condition.as_deref(),
            outcome.item.language.code(),
            outcome.rater.as_deref(),
        );
        ways.entry(way).or_default().push(wrong.map_err(|()| outcome));
    }
    let rows = |((style, condition, language, _), choices): (Way<'a>, Vec<Result<Wrong<'a>, &'a Outcome<'a>>>)| {
        let header = by.header(style, condition);
        let order_of = |choice: &Result<Wrong<'a>, &'a Outcome<'a>>| {
            let outcome = choice.as_ref().map_or_else(|outcome| *outcome, |wrong| wrong.outcome);
            outcome.item.facet("order")
        };
        let mut orders: Vec<&str> =
            choices.iter().filter_map(order_of).collect::<IndexSet<&str>>().into_iter().collect();
        orders.sort_unstable();
        if orders.len() < 2 {
            orders.clear();
        }
        let keys = std::iter::once(None).chain(orders.into_iter().map(Some));
        let row = |key: Option<&str>, place: WrongPlace| {
            let own = choices.iter().filter(|choice| key.is_none() || order_of(choice) == key);
            row(own, &header, language, key, place)
        };
        let mut rows: Vec<WrongChoices> =
            keys.flat_map(|key| WrongPlace::ALL.iter().filter_map(move |&place| row(key, place))).collect();
        adjust(rows.iter_mut().map(|row| &mut row.p));
        rows
    };
    ways.into_iter().flat_map(rows).collect()
}

/// `None` without a story that has such a container.
fn row<'c, 'a: 'c>(
    choices: impl Iterator<Item = &'c Result<Wrong<'a>, &'a Outcome<'a>>>,
    header: &Header,
    language: &str,
    key: Option<&str>,
    place: WrongPlace,
) -> Option<WrongChoices> {
    let (mut taken, mut drawn, mut items, mut not_named) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for choice in choices {
        let Ok(wrong) = choice else {
            not_named += 1;
            continue;
        };
        let Some(options) = wrong.of_kind(place) else { continue };
        taken.push(f64::from(u8::from(options.contains(&wrong.chosen))));
        drawn.push(options.len() as f64 / wrong.wrong.len() as f64);
        items.push(wrong.outcome.item);
    }
    if drawn.iter().all(|&share| share == 0.0) {
        return None;
    }
    let (stories, of_stories) = TiedStories::of_items(items.into_iter());
    let mean = |values: &[f64]| match values.len() {
        0..FEWEST => Figure::from(Err("fewer than ten wrong choices")),
        items => Figure::from(Ok::<f64, &str>(values.iter().sum::<f64>() / items as f64 * PERCENT)),
    };
    let differences: Vec<f64> = taken.iter().zip(&drawn).map(|(taken, drawn)| taken - drawn).collect();
    let clustered = clustered_mean(&differences, &stories).filter(|_| differences.len() >= FEWEST);
    Some(WrongChoices {
        header: header.clone(),
        language: language.to_string(),
        key: key.map(|order| ("order".to_string(), order.to_string())).into_iter().collect(),
        place,
        items: taken.len(),
        stories: of_stories,
        not_named,
        share: mean(&taken),
        drawn: mean(&drawn),
        difference: mean(&differences),
        interval: clustered.map(|mean| mean.interval()).map(|(low, high)| (low * PERCENT, high * PERCENT)),
        p: clustered.and_then(|mean| mean.p_value()),
    })
}
