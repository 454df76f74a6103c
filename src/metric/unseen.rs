//! What unseen events do to answers about false beliefs: the pull of the events, and that of their mention.

use std::collections::HashMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::figure::{Figure, adjust, percent};
use super::respondent::{Header, Respondent};
use super::ways::{Way, by_way, fits, keys};
use super::{Outcome, TrialOutcome};
use crate::benchmark::{Answer, OptionIx, TiedStories, actual_place, version};
use crate::prompt::Condition;
use crate::stats::clustered_mean;
use crate::story::NoVersion;

/// Fewest items of a row with effects.
const FEWEST: usize = 10;

const TOO_FEW: &str = "fewer than ten items";
const NO_SCORES: &str = "no log-likelihoods of options";

/// Facets by which rows are made, where items have several values of them.
const FACETS: [&str; 3] = ["order", "deception", "length"];

/// The conditions under which each item is asked, beside the plain presentation.
const CONTROLLED: [Condition; 3] = [Condition::SeenOnly, Condition::MentionKept, Condition::OthersLeftOut];

/// Answers about false beliefs to whole stories and to stories without what those asked about do not perceive, over the
/// items of one language asked in all four ways. Effects are those of leaving the unseen out, on the log-odds of the right
/// container against the one where the object is (nats, mean over option orders), and on accuracy (percentage points).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Unseen {
    /// The respondent and the presentation, without the conditions.
    #[serde(flatten)]
    pub header: Header,
    /// Language of the items.
    pub language: String,
    /// Facet values of the row; empty for all items.
    pub key: IndexMap<String, String>,
    /// Number of items.
    pub items: usize,
    /// Number of their stories.
    pub stories: usize,
    /// Items about false beliefs that are left out since they have no such versions, by the reason.
    pub left_out: IndexMap<String, usize>,
    /// Accuracy on the whole story, in percent; null without items.
    pub plain: Figure,
    /// Accuracy on the story without what is unseen.
    pub seen_only: Figure,
    /// Accuracy on the story with asides that name the containers of what is unseen in its place.
    pub mention_kept: Figure,
    /// Accuracy on the story without as many other lines.
    pub others_left_out: Figure,
    /// Pull of the unseen events: mentions kept, minus others left out.
    pub events: Pull,
    /// Pull of their mention: seen only, minus mentions kept.
    pub mention: Pull,
    /// How many answers change, order by order, when what is unseen is left out.
    pub without_unseen: Changed,
    /// The same when it is only mentioned.
    pub with_mention: Changed,
    /// The same when as many other lines are left out.
    pub without_others: Changed,
    /// The same between two option orders of the whole story.
    pub other_order: Changed,
    /// Answers that change without what is unseen, minus those without other lines, in percentage points.
    pub beyond_others: Figure,
    /// Its 95 % interval, clustered by story.
    pub beyond_others_interval: Option<(f64, f64)>,
    /// Answers that change without what is unseen, minus those between two orders, in percentage points.
    pub beyond_orders: Figure,
    /// Its 95 % interval, clustered by story.
    pub beyond_orders_interval: Option<(f64, f64)>,
    /// Items asked with a true belief, too.
    pub true_belief: usize,
    /// Share of these that are right with the false and with the true belief; null for fewer than ten.
    pub both_right: Figure,
    /// The share expected of guesses.
    pub both_guessed: Figure,
}

/// What leaving something out changes; above 0, it had pulled answers from the right container.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Pull {
    /// Change of the mean log-odds, in nats; null without log-likelihoods.
    pub log_odds: Figure,
    /// Its 95 % interval, clustered by story.
    pub log_odds_interval: Option<(f64, f64)>,
    /// Change of accuracy, in percentage points.
    pub accuracy: Figure,
    /// Its 95 % interval, clustered by story.
    pub accuracy_interval: Option<(f64, f64)>,
    /// P-value, from 0 to 1, of the test that the change of the log-odds, or without these of accuracy, is zero, adjusted by
    /// Holm over both pulls of all rows of this presentation; null where nothing changes.
    pub p: Option<f64>,
}

/// Answers that change from the whole story to another presentation: shares of all answers, mean over items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Changed {
    /// From wrong to right, in percent.
    pub to_right: Figure,
    /// From right to wrong, in percent.
    pub to_wrong: Figure,
}

/// Outcomes of an item by condition; the plain one first.
type Versions<'a> = HashMap<Option<Condition>, &'a Outcome<'a>>;

/// The pulls by way of asking and language: all items first, then by facet.
pub(super) fn unseen<'a>(outcomes: &[&'a Outcome<'a>], by: Respondent<'_>) -> Vec<Unseen> {
    let is_asked = |condition| {
        outcomes.iter().any(|outcome| Condition::of_presentation(outcome.condition.as_deref()) == Some(condition))
    };
    if !CONTROLLED.into_iter().all(is_asked) {
        return Vec::new();
    }
    let split = |outcome: &'a Outcome<'a>| {
        let (condition, rest) = Condition::and_rest(outcome.condition.as_deref());
        condition.is_none_or(|condition| condition.version().is_some()).then_some((condition, rest))
    };
    let rows = |(way, outcomes): (Way<'a>, Vec<(Option<Condition>, &'a Outcome<'a>)>)| {
        let mut items: IndexMap<&str, Versions<'a>> = IndexMap::new();
        for (condition, outcome) in outcomes {
            items.entry(&outcome.item.id).or_default().insert(condition, outcome);
        }
        let asked: Vec<Asked<'_>> = items.into_values().filter_map(Asked::new).collect();
        let keys = keys(asked.iter().map(|each| each.plain.item), &FACETS);
        let mut rows: Vec<Unseen> =
            keys.into_iter().filter_map(|key| row(&asked, &way.header(by), way.language, key)).collect();
        adjust(rows.iter_mut().flat_map(|row| [&mut row.events.p, &mut row.mention.p]));
        rows
    };
    by_way(outcomes, split).into_iter().flat_map(rows).collect()
}

/// An item about a false belief.
struct Asked<'a> {
    plain: &'a Outcome<'a>,
    /// Under [`CONTROLLED`].
    controlled: Result<[&'a Outcome<'a>; 3], NoVersion>,
    true_belief: Option<&'a Outcome<'a>>,
    /// Where the object is.
    actual: OptionIx,
}

impl<'a> Asked<'a> {
    /// `None` for an item that was not asked plainly, or is about no false belief; an item without an outcome under a
    /// condition that it has is left out, too.
    fn new(versions: Versions<'a>) -> Option<Self> {
        let plain = *versions.get(&None)?;
        let actual = actual_place(plain.item)?;
        let controlled = match CONTROLLED.map(|condition| versions.get(&Some(condition)).copied()) {
            [Some(seen), Some(mention), Some(others)] => Ok([seen, mention, others]),
            _ => {
                let why = |condition: Condition| version(plain.item, condition.version()?).err();
                Err(CONTROLLED.into_iter().find_map(why)?)
            }
        };
        let true_belief = versions.get(&Some(Condition::TrueBelief)).copied();
        Some(Asked { plain, controlled, true_belief, actual })
    }

    /// Mean over orders of the log-likelihood of the right container minus that of where the object is.
    fn log_odds(&self, outcome: &Outcome<'_>) -> Option<f64> {
        let Answer::Single(gold) = outcome.item.gold else { return None };
        let (mut sum, mut draws) = (0.0, 0.0);
        for trial in &outcome.trials {
            let Some(scores) = &trial.logprobs else { continue };
            sum += (scores.get(gold.0)? - scores.get(self.actual.0)?) * trial.count as f64;
            draws += trial.count as f64;
        }
        (draws > 0.0).then(|| sum / draws)
    }
}

fn row(asked: &[Asked<'_>], header: &Header, language: &str, key: IndexMap<String, String>) -> Option<Unseen> {
    let own: Vec<&Asked<'_>> = asked.iter().filter(|each| fits(each.plain.item, &key)).collect();
    let mut left_out: IndexMap<String, usize> = IndexMap::new();
    let mut items: Vec<(&Asked<'_>, [&Outcome<'_>; 3])> = Vec::new();
    for &each in &own {
        match each.controlled {
            Ok(controlled) => items.push((each, controlled)),
            Err(why) => *left_out.entry(why.to_string()).or_default() += 1,
        }
    }
    left_out.sort_keys();
    if own.is_empty() {
        return None;
    }
    let (stories, of_stories) = TiedStories::of_items(items.iter().map(|(each, _)| each.plain.item));
    let right = |outcome: &Outcome<'_>| f64::from(u8::from(outcome.is_right()));
    let share = |shares: Vec<f64>| Figure::mean(&shares, 1, "no items");
    let under = |at: usize| share(items.iter().map(|(_, controlled)| right(controlled[at])).collect());
    let pull = |from: usize, to: usize| {
        let accuracy: Vec<f64> =
            items.iter().map(|(_, outcomes)| right(outcomes[to]) - right(outcomes[from])).collect();
        let odds = |(each, outcomes): &(&Asked<'_>, [&Outcome<'_>; 3])| {
            Some(each.log_odds(outcomes[to])? - each.log_odds(outcomes[from])?)
        };
        Pull::new(&accuracy, items.iter().map(odds).collect::<Option<Vec<f64>>>().as_deref(), &stories)
    };
    let both: Vec<(f64, f64)> = own
        .iter()
        .filter_map(|each| {
            let options = each.plain.item.options.len() as f64;
            Some((right(each.plain) * right(each.true_belief?), 1.0 / (options * options)))
        })
        .collect();
    let of_both =
        |value: fn(&(f64, f64)) -> f64| Figure::mean(&both.iter().map(value).collect::<Vec<_>>(), FEWEST, TOO_FEW);
    let of_orders =
        |(each, _): &(&Asked<'_>, [&Outcome<'_>; 3])| changes(each.plain, each.plain, |one, other| one != other);
    let of_condition = |at: usize| -> Vec<Option<Change>> {
        let of = |(each, outcomes): &(&Asked<'_>, [&Outcome<'_>; 3])| {
            changes(each.plain, outcomes[at], |one, other| one == other)
        };
        items.iter().map(of).collect()
    };
    let between_orders: Vec<Option<Change>> = items.iter().map(of_orders).collect();
    let [without_unseen, with_mention, without_others] = [0, 1, 2].map(of_condition);
    let beyond = |control: &[Option<Change>]| {
        let pairs = without_unseen.iter().zip(control).zip(&stories);
        let of = |((change, control), story): ((&Option<Change>, &Option<Change>), &usize)| {
            let all = |[to_right, to_wrong]: Change| to_right + to_wrong;
            Some((all((*change)?) - all((*control)?), *story))
        };
        let (values, stories): (Vec<f64>, Vec<usize>) = pairs.filter_map(of).unzip();
        let mean = clustered_mean(&values, &stories).filter(|_| values.len() >= FEWEST);
        (Figure::mean(&values, FEWEST, TOO_FEW), mean.map(|mean| percent(mean.interval())))
    };
    let (beyond_others, beyond_others_interval) = beyond(&without_others);
    let (beyond_orders, beyond_orders_interval) = beyond(&between_orders);
    Some(Unseen {
        header: header.clone(),
        language: language.to_string(),
        key,
        items: items.len(),
        stories: of_stories,
        left_out,
        plain: share(items.iter().map(|(each, _)| right(each.plain)).collect()),
        seen_only: under(0),
        mention_kept: under(1),
        others_left_out: under(2),
        events: pull(2, 1),
        mention: pull(1, 0),
        without_unseen: Changed::new(&without_unseen),
        with_mention: Changed::new(&with_mention),
        without_others: Changed::new(&without_others),
        other_order: Changed::new(&between_orders),
        beyond_others,
        beyond_others_interval,
        beyond_orders,
        beyond_orders_interval,
        true_belief: both.len(),
        both_right: of_both(|(right, _)| *right),
        both_guessed: of_both(|(_, guessed)| *guessed),
    })
}

/// Shares of answers that change from wrong to right and from right to wrong, from 0 to 1.
type Change = [f64; 2];

/// The mean change over pairs of trials whose numbers, by order, are `paired`; one without a choice is wrong. `None`
/// without pairs.
fn changes(from: &Outcome<'_>, to: &Outcome<'_>, paired: fn(usize, usize) -> bool) -> Option<Change> {
    let is_right = |trial: &TrialOutcome| trial.choice.as_ref() == Some(&from.item.gold);
    let (from, to) = (from.distinct_orders(), to.distinct_orders());
    let number = |trial: &TrialOutcome| from.iter().position(|known| known.order == trial.order);
    let (mut change, mut pairs) = ([0.0; 2], 0.0);
    for (one, trial) in from.iter().enumerate() {
        for other in to.iter().filter(|other| number(other).is_some_and(|number| paired(one, number))) {
            pairs += 1.0;
            match (is_right(trial), is_right(other)) {
                (false, true) => change[0] += 1.0,
                (true, false) => change[1] += 1.0,
                _ => {}
            }
        }
    }
    (pairs > 0.0).then(|| change.map(|count| count / pairs))
}

impl Changed {
    fn new(changes: &[Option<Change>]) -> Self {
        let share = |at: usize| {
            let shares: Vec<f64> = changes.iter().flatten().map(|change| change[at]).collect();
            Figure::mean(&shares, FEWEST, TOO_FEW)
        };
        Changed { to_right: share(0), to_wrong: share(1) }
    }
}

impl Pull {
    /// From changes of each item, with the number of its story. The p-value is not adjusted yet.
    fn new(accuracy: &[f64], log_odds: Option<&[f64]>, stories: &[usize]) -> Self {
        let clustered = |values: &[f64]| clustered_mean(values, stories).filter(|_| values.len() >= FEWEST);
        let of_accuracy = clustered(accuracy);
        let of_odds = log_odds.and_then(clustered);
        let nats = |values: &[f64]| match values.len() {
            0..FEWEST => Err(TOO_FEW),
            items => Ok(values.iter().sum::<f64>() / items as f64),
        };
        Pull {
            log_odds: Figure::from(log_odds.ok_or(NO_SCORES).and_then(nats)),
            log_odds_interval: of_odds.map(|mean| mean.unbounded_interval()),
            accuracy: Figure::mean(accuracy, FEWEST, TOO_FEW),
            accuracy_interval: of_accuracy.map(|mean| percent(mean.interval())),
            p: of_odds.or(of_accuracy).and_then(|mean| mean.p_value()),
        }
    }
}
