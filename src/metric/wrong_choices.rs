//! Whose place wrong answers about false beliefs name: where the object is, where a mind inside the chain has it, or neither.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::Outcome;
use super::figure::{Figure, adjust, percent};
use super::respondent::{Header, Respondent};
use super::ways::{Way, by_way, fits, keys};
use crate::benchmark::{Answer, OptionIx, Standing, TiedStories, standings};
use crate::name::named;
use crate::prompt::Condition;
use crate::stats::clustered_mean;

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

/// A wrong choice that names no container of its story.
struct NotNamed;

/// A wrong choice that names a container of its story.
struct Wrong {
    chosen: OptionIx,
    /// The wrong options that the story names, in order of first mention, with their standing.
    wrong: Vec<(OptionIx, Standing)>,
}

impl Wrong {
    /// The wrong choice of an item; an error for one that names no container of its story. `None` for other items.
    fn new(outcome: &Outcome<'_>) -> Option<Result<Self, NotNamed>> {
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
            true => Some(Ok(Wrong { chosen: *chosen, wrong })),
            false => Some(Err(NotNamed)),
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
    let split = |outcome: &'a Outcome<'a>| {
        // Other stories have other lanes.
        let condition = Condition::of_presentation(outcome.condition.as_deref());
        let is_own = condition.is_none_or(|condition| condition.version().is_none());
        Some((Wrong::new(outcome).filter(|_| is_own)?, outcome.condition.clone()))
    };
    let rows = |(way, choices): (Way<'a>, Vec<(Result<Wrong, NotNamed>, &'a Outcome<'a>)>)| {
        let header = way.header(by);
        let row = |key: &IndexMap<String, String>, place: WrongPlace| {
            let own = choices.iter().filter(|(_, outcome)| fits(outcome.item, key));
            row(own, &header, way.language, key, place)
        };
        let keys = keys(choices.iter().map(|(_, outcome)| outcome.item), &["order"]);
        let mut rows: Vec<WrongChoices> =
            keys.iter().flat_map(|key| WrongPlace::ALL.iter().filter_map(move |&place| row(key, place))).collect();
        adjust(rows.iter_mut().map(|row| &mut row.p));
        rows
    };
    by_way(outcomes, split).into_iter().flat_map(rows).collect()
}

/// `None` without a story that has such a container.
fn row<'c, 'a: 'c>(
    choices: impl Iterator<Item = &'c (Result<Wrong, NotNamed>, &'a Outcome<'a>)>,
    header: &Header,
    language: &str,
    key: &IndexMap<String, String>,
    place: WrongPlace,
) -> Option<WrongChoices> {
    let (mut taken, mut drawn, mut items, mut not_named) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for (choice, outcome) in choices {
        let Ok(wrong) = choice else {
            not_named += 1;
            continue;
        };
        let Some(options) = wrong.of_kind(place) else { continue };
        taken.push(f64::from(u8::from(options.contains(&wrong.chosen))));
        drawn.push(options.len() as f64 / wrong.wrong.len() as f64);
        items.push(outcome.item);
    }
    if drawn.iter().all(|&share| share == 0.0) {
        return None;
    }
    let (stories, of_stories) = TiedStories::of_items(items.into_iter());
    let mean = |values: &[f64]| Figure::mean(values, FEWEST, "fewer than ten wrong choices");
    let differences: Vec<f64> = taken.iter().zip(&drawn).map(|(taken, drawn)| taken - drawn).collect();
    let clustered = clustered_mean(&differences, &stories).filter(|_| differences.len() >= FEWEST);
    Some(WrongChoices {
        header: header.clone(),
        language: language.to_string(),
        key: key.clone(),
        place,
        items: taken.len(),
        stories: of_stories,
        not_named,
        share: mean(&taken),
        drawn: mean(&drawn),
        difference: mean(&differences),
        interval: clustered.map(|mean| percent(mean.interval())),
        p: clustered.and_then(|mean| mean.p_value()),
    })
}
