//! Whether a model takes "none of these" when it is right, and leaves it when it is wrong.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::Outcome;
use super::figure::percent;
use super::respondent::{Header, Respondent};
use super::ways::{Way, by_way};
use crate::benchmark::{Answer, TiedStories};
use crate::prompt::Condition;
use crate::stats::clustered_mean;

const PERCENT: f64 = 100.0;

/// "None of these" in the place of the right option and in that of a wrong one, over the single-choice items of one
/// language asked both ways, in the same slots.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NoneOfThese {
    /// The respondent and the presentation, without the two conditions.
    #[serde(flatten)]
    pub header: Header,
    /// Language of the items.
    pub language: String,
    /// Number of items; those that failed under either condition are left out.
    pub items: usize,
    /// Number of their stories.
    pub stories: usize,
    /// Share of the items whose choice is "none of these" where it is right, in percent.
    pub hits: f64,
    /// The share where it is wrong.
    pub false_alarms: f64,
    /// Hits minus false alarms, in percentage points: 0 for whoever does not read the options.
    pub difference: f64,
    /// 95 % interval of the difference, clustered by story; null with fewer than two stories.
    pub interval: Option<(f64, f64)>,
}

/// Outcomes of one way of asking in one language, by item.
#[derive(Default)]
struct Asked<'a> {
    right: HashMap<&'a str, &'a Outcome<'a>>,
    wrong: HashMap<&'a str, &'a Outcome<'a>>,
}

/// Hits and false alarms over the items asked under both conditions, by way of asking and language; items whose trials
/// all failed under either are left out.
pub(super) fn none_of_these<'a>(outcomes: &[&'a Outcome<'a>], by: Respondent<'_>) -> Vec<NoneOfThese> {
    let split = |outcome: &'a Outcome<'a>| {
        let (condition, rest) = Condition::and_rest(outcome.condition.as_deref());
        let condition = condition.filter(|it| matches!(it, Condition::DropGold | Condition::DropDistractor))?;
        Some((condition, rest))
    };
    let compared = |(way, outcomes): (Way<'a>, Vec<(Condition, &'a Outcome<'a>)>)| {
        let mut asked = Asked::default();
        for (condition, outcome) in outcomes {
            let of = if condition == Condition::DropGold { &mut asked.right } else { &mut asked.wrong };
            of.insert(&outcome.item.id, outcome);
        }
        asked.compared(way.header(by), way.language)
    };
    by_way(outcomes, split).into_iter().filter_map(compared).collect()
}

impl Asked<'_> {
    /// Figures over the items asked under both conditions; `None` without such items.
    fn compared(&self, header: Header, language: &str) -> Option<NoneOfThese> {
        let takes = |outcome: &Outcome<'_>, condition: Condition| {
            let replaced = condition.replaces(outcome.item).map(Answer::Single);
            f64::from(u8::from(replaced.is_some() && outcome.choice == replaced))
        };
        let mut pairs: Vec<(&Outcome<'_>, &Outcome<'_>)> =
            self.right.iter().filter_map(|(id, right)| Some((*right, *self.wrong.get(id)?))).collect();
        pairs.sort_by(|(one, _), (other, _)| one.item.id.cmp(&other.item.id));
        if pairs.is_empty() {
            return None;
        }
        let share = |taken: &[f64]| taken.iter().sum::<f64>() / taken.len() as f64 * PERCENT;
        let hits: Vec<f64> = pairs.iter().map(|(right, _)| takes(right, Condition::DropGold)).collect();
        let false_alarms: Vec<f64> = pairs.iter().map(|(_, wrong)| takes(wrong, Condition::DropDistractor)).collect();
        let (stories, of_stories) = TiedStories::of_items(pairs.iter().map(|(right, _)| right.item));
        let differences: Vec<f64> = hits.iter().zip(&false_alarms).map(|(hit, alarm)| hit - alarm).collect();
        let mean = clustered_mean(&differences, &stories);
        Some(NoneOfThese {
            header,
            language: language.to_string(),
            items: pairs.len(),
            stories: of_stories,
            hits: share(&hits),
            false_alarms: share(&false_alarms),
            difference: share(&differences),
            interval: mean.map(|mean| percent(mean.interval())),
        })
    }
}
