//! What reminders of answers to linked questions do to accuracy.

use std::collections::HashMap;

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};

use super::Outcome;
use super::figure::{Figure, adjust, percent};
use super::respondent::{Header, Respondent};
use super::ways::{Way, by_way, fits, keys};
use crate::benchmark::TiedStories;
use crate::prompt::{FIRST_ANSWER, FIRST_ANSWERS, Reminder, reminder_and_rest};
use crate::stats::{Membership, Stratified, clustered_mean, clustered_wilson};

/// Fewest items of a difference.
const FEWEST: usize = 10;

/// Accuracy with reminders of answers to linked questions, over the items of one language asked plainly and with every
/// reminder of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Reminded {
    /// The respondent and the presentation, without the reminder.
    #[serde(flatten)]
    pub header: Header,
    /// Language of the items.
    pub language: String,
    /// The card's link.
    pub link: String,
    /// `first_answer` of the row: whether the answer that was given to the linked question is `right` or `wrong`; empty for all
    /// items.
    pub key: IndexMap<String, String>,
    /// Number of items.
    pub items: usize,
    /// Number of their stories.
    pub stories: usize,
    /// Items asked plainly that failed or were not asked with some reminder.
    pub left_out: usize,
    /// Each presentation; the plain one first.
    pub asked: Vec<AskedWith>,
    /// Accuracy with the own answer minus that with an unrelated one: what is not the effect of any reminder.
    pub beyond_unrelated: Shift,
    /// That difference where the own answer is right, minus that where it is wrong: above 0 where answers follow what they
    /// are reminded of. Null but for all items.
    pub right_beyond_wrong: Shift,
    /// Whose answers these are, and which items have none, in the first row of a run; absent in others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Accuracy in one presentation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AskedWith {
    /// Whose answer items are asked with (`own`, `other`, `unrelated`); null for none.
    pub reminder: Option<String>,
    /// Accuracy, in percent.
    pub accuracy: Figure,
    /// Its 95 % interval, clustered by story.
    pub interval: Option<(f64, f64)>,
    /// Accuracy minus that of the plain presentation, item by item; null there.
    pub change: Shift,
}

/// A difference of accuracies, item by item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Shift {
    /// The difference, in percentage points.
    pub points: Figure,
    /// Its 95 % interval, clustered by story.
    pub interval: Option<(f64, f64)>,
    /// P-value, from 0 to 1, of the test that it is zero, adjusted by Holm over all differences of all rows; null where it
    /// does not vary.
    pub p: Option<f64>,
}

/// Outcomes of an item by reminder.
type ByReminder<'a> = HashMap<Option<Reminder>, &'a Outcome<'a>>;

/// The rows of each link, way of asking and language: all items first, then by whether the own answer is right; empty
/// without reminders.
pub(super) fn reminded<'a>(outcomes: &[&'a Outcome<'a>], by: Respondent<'_>) -> Vec<Reminded> {
    let split = |outcome: &'a Outcome<'a>| Some(reminder_and_rest(outcome.condition.as_deref()));
    let mut rows = Vec::new();
    for (way, outcomes) in by_way(outcomes, split) {
        let links: IndexSet<&str> = outcomes.iter().filter_map(|(reminder, _)| Some(reminder.as_ref()?.1)).collect();
        for link in links {
            let mut items: IndexMap<&str, ByReminder<'a>> = IndexMap::new();
            for (reminder, outcome) in &outcomes {
                if reminder.is_none_or(|(_, of)| of == link) {
                    items.entry(&outcome.item.id).or_default().insert(reminder.map(|(kind, _)| kind), outcome);
                }
            }
            rows.extend(of_link(&way, link, items.into_values().collect(), by));
        }
    }
    let differences = rows.iter_mut().flat_map(|row: &mut Reminded| {
        let changes = row.asked.iter_mut().map(|asked| &mut asked.change);
        changes.chain([&mut row.beyond_unrelated, &mut row.right_beyond_wrong])
    });
    adjust(differences.map(|difference| &mut difference.p));
    rows
}

fn of_link(way: &Way<'_>, link: &str, items: Vec<ByReminder<'_>>, by: Respondent<'_>) -> Vec<Reminded> {
    let asked_with = |kind: &Reminder| items.iter().any(|item| item.contains_key(&Some(*kind)));
    let kinds: Vec<Option<Reminder>> =
        std::iter::once(None).chain(Reminder::ALL.into_iter().filter(asked_with).map(Some)).collect();
    let plain: Vec<&ByReminder<'_>> = items.iter().filter(|item| item.contains_key(&None)).collect();
    let row = |key: IndexMap<String, String>| {
        let own: Vec<&ByReminder<'_>> = plain.iter().copied().filter(|item| fits(item[&None].item, &key)).collect();
        let whole: Vec<&ByReminder<'_>> =
            own.iter().copied().filter(|item| kinds.iter().all(|kind| item.contains_key(kind))).collect();
        let (stories, of_stories) = TiedStories::of_items(whole.iter().map(|item| item[&None].item));
        let right = |kind: Option<Reminder>| -> Vec<f64> {
            whole.iter().map(|item| f64::from(u8::from(item[&kind].is_right()))).collect()
        };
        let difference = |first: Option<Reminder>, second: Option<Reminder>| -> Vec<f64> {
            right(first).iter().zip(right(second)).map(|(first, second)| first - second).collect()
        };
        let asked_with = |&kind: &Option<Reminder>| {
            let right = right(kind);
            let accuracy = clustered_mean(&right, &stories);
            AskedWith {
                reminder: kind.map(|kind| kind.name().to_string()),
                accuracy: Figure::mean(&right, 1, "no item was asked plainly and with every reminder"),
                interval: accuracy.and_then(|mean| clustered_wilson(&mean)).map(percent),
                change: match kind {
                    None => Shift::missing("the plain presentation"),
                    Some(_) => Shift::of(&difference(kind, None), &stories),
                },
            }
        };
        let both = [Reminder::Own, Reminder::Unrelated].map(Some);
        let beyond = both.iter().all(|kind| kinds.contains(kind)).then(|| difference(both[0], both[1]));
        let is_wrong = |item: &&ByReminder<'_>| item[&None].item.facet(FIRST_ANSWER) == Some(FIRST_ANSWERS[1]);
        let is_whole = key.is_empty();
        Reminded {
            header: way.header(by),
            language: way.language.to_string(),
            link: link.to_string(),
            items: whole.len(),
            stories: of_stories,
            left_out: own.len() - whole.len(),
            asked: kinds.iter().map(asked_with).collect(),
            beyond_unrelated: match &beyond {
                Some(beyond) => Shift::of(beyond, &stories),
                None => Shift::missing(NOT_ASKED),
            },
            right_beyond_wrong: match &beyond {
                Some(beyond) if is_whole => {
                    Shift::between(beyond, &stories, &whole.iter().map(is_wrong).collect::<Vec<bool>>())
                }
                Some(_) => Shift::missing("shown in the row of all items"),
                None => Shift::missing(NOT_ASKED),
            },
            notes: Vec::new(),
            key,
        }
    };
    keys(plain.iter().map(|item| item[&None].item), &[FIRST_ANSWER]).into_iter().map(row).collect()
}

const NOT_ASKED: &str = "not asked with both own and unrelated answers";

impl Shift {
    fn missing(why: &str) -> Self {
        Shift { points: Figure::from(Err(why)), interval: None, p: None }
    }

    /// The mean of differences.
    fn of(differences: &[f64], stories: &[usize]) -> Self {
        let mean = clustered_mean(differences, stories).filter(|_| differences.len() >= FEWEST);
        Shift {
            points: Figure::mean(differences, FEWEST, "fewer than ten items"),
            interval: mean.map(|mean| percent(mean.interval())),
            p: mean.and_then(|mean| mean.p_value()),
        }
    }

    /// The mean of differences of the first group minus that of the second.
    fn between(differences: &[f64], stories: &[usize], second: &[bool]) -> Self {
        let member = |(&story, &second): (&usize, &bool)| Membership { stratum: 0, story, second };
        let members: Vec<Membership> = stories.iter().zip(second).map(member).collect();
        let Some(found) = Stratified::new(&members).difference(differences) else {
            return Shift::missing("fewer than five stories with a right answer, or a wrong one");
        };
        Shift {
            points: Figure::from(Ok::<f64, &str>(found.difference() * 100.0)),
            interval: found.interval().map(percent),
            p: found.p_value(),
        }
    }
}
