//! Measures as sums: each unit (item, story or question) adds a few numbers to its story's sums, and the value is a
//! function of the sums. Values, chance levels and story resampling all use the same sums.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::world::Group;
use super::{Measure, Outcome};
use crate::benchmark::{Answer, Item, OptionIx};
use crate::language::Language;
use crate::stats::{LabelCounts, macro_f1, micro_f1, weighted_f1};

/// Contribution of one unit, and its story.
pub(super) struct Unit<'a> {
    pub(super) id: &'a str,
    pub(super) story: &'a str,
    pub(super) adds: Vec<f64>,
    /// Its expected contribution under uniform guessing; `None` if undefined or not a useful baseline.
    pub(super) guessed: Option<Vec<f64>>,
    /// The answers it covers; a unit of several is right if all of them are.
    pub(super) members: Vec<&'a Outcome<'a>>,
}

impl Measure {
    /// Name of a unit in reports.
    pub(super) fn unit(self) -> &'static str {
        match self {
            Measure::Coherent | Measure::CoherentDrop => "stories",
            Measure::SameAndRight | Measure::SameAndWrong | Measure::Mixed | Measure::DirectRightCulturalWrong => {
                "questions"
            }
            _ => "items",
        }
    }

    /// Whether the interval has a formula: a plain accuracy, or a share of (independent) stories.
    pub(super) fn has_wilson_interval(self) -> bool {
        matches!(self, Measure::Accuracy | Measure::ExactMatch | Measure::Answered | Measure::Coherent)
    }

    /// Whether a unit passes if all its answers are right, so that more is better.
    pub(super) fn is_all_right(self) -> bool {
        matches!(
            self,
            Measure::Accuracy
                | Measure::ExactMatch
                | Measure::JointAccuracy
                | Measure::Coherent
                | Measure::SameAndRight
                | Measure::FullyCorrect
        )
    }

    /// Whether it is an F1 score.
    pub(super) fn is_f1(self) -> bool {
        matches!(self, Measure::MicroF1 | Measure::MacroF1 | Measure::WeightedF1)
    }

    /// Whether the value is the share of units that pass.
    pub(super) fn is_share(self) -> bool {
        !matches!(self, Measure::MicroF1 | Measure::MacroF1 | Measure::WeightedF1 | Measure::CoherentDrop)
    }

    /// The units of a group, or the reason why there are none.
    pub(super) fn units<'a>(self, group: &Group<'a>) -> Result<Vec<Unit<'a>>, String> {
        if group.outcomes.is_empty() {
            return Err("no items".into());
        }
        if group.outcomes.iter().all(|outcome| outcome.failed()) {
            return Err(ALL_FAILED.into());
        }
        let (units, otherwise) = match self {
            Measure::Accuracy | Measure::ExactMatch => {
                let units = items(group, |outcome| Some(outcome.is_right()), |outcome| guess(outcome.item));
                (units, "no items")
            }
            Measure::Answered => (items(group, |outcome| Some(outcome.choice.is_some()), |_| None), "no items"),
            Measure::JointAccuracy => (joint(group), "no item whose lower orders were all run"),
            Measure::Coherent => (stories(group), "no complete story"),
            Measure::CoherentDrop => {
                // Both are means over stories: a story of many questions counts as much as one of two.
                let drop = |unit: Unit<'a>| {
                    let right = unit.members.iter().filter(|outcome| outcome.is_right()).count();
                    let accuracy = right as f64 / unit.members.len() as f64;
                    Unit { adds: vec![accuracy - unit.adds[0], 1.0], guessed: None, ..unit }
                };
                (stories(group).into_iter().map(drop).collect(), "no complete story")
            }
            Measure::MicroF1 | Measure::MacroF1 | Measure::WeightedF1 => return labels(group),
            Measure::SameAndRight | Measure::SameAndWrong | Measure::Mixed => {
                (consistency(group, self), "no question that was run in all of at least two languages of the data")
            }
            Measure::DirectRightCulturalWrong => {
                (variant_pairs(group).map(|pair| pair.unit()).collect(), "no question that was run in both variants")
            }
            Measure::FullyCorrect => (linked(group, true, true), NO_LINKS),
            Measure::LocalError => (linked(group, true, false), NO_LINKS),
            Measure::RestorationError => (linked(group, false, true), NO_LINKS),
            Measure::FullError => (linked(group, false, false), NO_LINKS),
            Measure::Irrelevant => {
                let judged = |outcome: &'a Outcome<'a>| links(group, outcome).and(outcome.irrelevant);
                (items(group, judged, |_| None), NOT_JUDGED)
            }
            Measure::RepeatsFirstOrder => {
                (repeats(group, |outcome| chosen_text(outcome.item, outcome.choice.as_ref())), NO_FIRST_ORDER)
            }
            Measure::GoldRepeatsFirstOrder => {
                (repeats(group, |outcome| chosen_text(outcome.item, Some(&outcome.item.gold))), NO_FIRST_ORDER)
            }
        };
        if units.is_empty() { Err(otherwise.into()) } else { Ok(units) }
    }

    /// The value, as a fraction, from sums over units. `None` if undefined.
    pub(super) fn value(self, sums: &[f64]) -> Option<f64> {
        let ratio = |over: usize, under: usize| (sums[under] > 0.0).then(|| sums[over] / sums[under]);
        match self {
            // A resample of stories without any of the cell's items.
            _ if self.is_f1() && sums.iter().all(|&sum| sum == 0.0) => None,
            Measure::MicroF1 => micro_f1(&label_counts(sums)),
            Measure::MacroF1 => macro_f1(&label_counts(sums)),
            Measure::WeightedF1 => weighted_f1(&label_counts(sums)),
            _ => ratio(0, 1),
        }
    }
}

const ALL_FAILED: &str = "none of its items could be asked: every trial failed";
const NO_LINKS: &str = "no item whose linked items were all run";
const NOT_JUDGED: &str =
    "nobody judged the replies; `tomeval annotate judge --scheme xtom-irrelevant`, then `tomeval report --judged FILE`";
const NO_FIRST_ORDER: &str = "no item whose story's order-1 item was run";

/// The sums of a share: how many are, of how many.
pub(super) fn share(yes: bool) -> Vec<f64> {
    vec![f64::from(yes), 1.0]
}

/// Probability that a uniform guess is right: over the options, or over all joint choices. Undefined for label sets.
fn guess(item: &Item) -> Option<f64> {
    (!matches!(item.gold, Answer::Labels(_))).then(|| item.chance())
}

/// One unit per outcome with a defined `verdict`.
fn items<'a>(
    group: &Group<'a>,
    verdict: impl Fn(&'a Outcome<'a>) -> Option<bool>,
    chance: impl Fn(&'a Outcome<'a>) -> Option<f64>,
) -> Vec<Unit<'a>> {
    group
        .outcomes
        .iter()
        .filter_map(|&outcome| {
            let item = outcome.item;
            let guessed = |outcome| Some(vec![chance(outcome)?, 1.0]);
            Some(Unit {
                id: &item.id,
                story: &item.story,
                adds: share(verdict(outcome)?),
                guessed: guessed(outcome),
                members: vec![outcome],
            })
        })
        .collect()
}

fn order_of(item: &Item) -> Option<u32> {
    item.facet("order")?.parse().ok()
}

fn joint<'a>(group: &Group<'a>) -> Vec<Unit<'a>> {
    let up_to = |outcome: &'a Outcome<'a>| -> Option<Vec<&'a Outcome<'a>>> {
        let order = order_of(outcome.item)?;
        let lower = group.world.population.story(&outcome.item.story).iter();
        lower
            .filter(|item| order_of(item).is_some_and(|other| other < order))
            .map(|item| group.world.outcome(&item.id))
            .chain([Some(outcome)])
            .collect()
    };
    let unit = |outcome: &&'a Outcome<'a>| Some(all_right(&outcome.item.id, &outcome.item.story, up_to(outcome)?));
    group.outcomes.iter().filter_map(unit).collect()
}

/// A unit that passes if all its answers are right.
fn all_right<'a>(id: &'a str, story: &'a str, members: Vec<&'a Outcome<'a>>) -> Unit<'a> {
    let chance: Option<f64> = members.iter().map(|outcome| guess(outcome.item)).product();
    let adds = share(are_right(&members));
    Unit { id, story, adds, guessed: chance.map(|chance| vec![chance, 1.0]), members }
}

/// Stories whose items in the cell were all run; where items have the facet `question_set`, the sets of each story.
fn stories<'a>(group: &Group<'a>) -> Vec<Unit<'a>> {
    let mut by_story: IndexMap<(&'a str, Option<&'a str>), Vec<&'a Outcome<'a>>> = IndexMap::new();
    for outcome in &group.outcomes {
        by_story.entry((&outcome.item.story, outcome.item.facet(SET))).or_default().push(outcome);
    }
    let complete = |(story, set): (&str, Option<&str>), run: &[&Outcome<'_>]| {
        let of_set = group.world.population.story(story).iter().filter(|item| item.facet(SET) == set);
        of_set.filter(|item| group.wants(item)).count() == run.len()
    };
    let unit = |((story, set), run): ((&'a str, Option<&'a str>), Vec<&'a Outcome<'a>>)| {
        let id = set.and(run.first()).map_or(story, |first| &first.item.id);
        all_right(id, story, run)
    };
    by_story.into_iter().filter(|(set, run)| complete(*set, run)).map(unit).collect()
}

/// The facet of items of one story that count together.
const SET: &str = "question_set";

/// Per label: hits, false alarms, misses.
fn labels<'a>(group: &Group<'a>) -> Result<Vec<Unit<'a>>, String> {
    let count = group.outcomes[0].item.options.len();
    if group.outcomes.iter().any(|outcome| outcome.item.options.len() != count) {
        return Err("F1 needs the same labels in every item".into());
    }
    group
        .outcomes
        .iter()
        .map(|&outcome| {
            let item = outcome.item;
            let adds = label_adds(item, outcome.choice.as_ref())?;
            // A label is chosen with probability 1/2; a single choice is one of the options.
            let said = if matches!(item.gold, Answer::Labels(_)) { 0.5 } else { 1.0 / count as f64 };
            let gold = label_set(&item.gold)?;
            let guessed = (0..count).map(OptionIx).flat_map(|label| match gold.contains(&label) {
                true => [said, 0.0, 1.0 - said],
                false => [0.0, said, 0.0],
            });
            let guessed = Some(guessed.collect());
            Ok(Unit { id: &item.id, story: &item.story, adds, guessed, members: vec![outcome] })
        })
        .collect()
}

/// Hits, false alarms and misses of each label for an answer; no answer counts as no labels chosen.
pub(super) fn label_adds(item: &Item, choice: Option<&Answer>) -> Result<Vec<f64>, String> {
    let gold = label_set(&item.gold)?;
    let chosen = choice.map_or(Ok(Vec::new()), label_set)?;
    let adds = (0..item.options.len()).map(OptionIx).flat_map(|label| {
        let (is_gold, is_chosen) = (gold.contains(&label), chosen.contains(&label));
        [is_gold && is_chosen, is_chosen && !is_gold, is_gold && !is_chosen].map(f64::from)
    });
    Ok(adds.collect())
}

fn label_set(answer: &Answer) -> Result<Vec<OptionIx>, String> {
    match answer {
        Answer::Single(option) => Ok(vec![*option]),
        Answer::Labels(set) => Ok(set.iter().copied().collect()),
        Answer::Slots(_) => Err("F1 is defined for label sets and single choices".into()),
    }
}

fn label_counts(sums: &[f64]) -> Vec<LabelCounts> {
    sums.chunks_exact(3).map(|label| LabelCounts { hits: label[0], false_alarms: label[1], misses: label[2] }).collect()
}

/// One unit per question that was run in every language that the data have in the cell, at least two. Agreement is
/// easier with fewer languages, so questions that lack one are not pooled with the others.
fn consistency<'a>(group: &Group<'a>, measure: Measure) -> Vec<Unit<'a>> {
    let languages = group.languages();
    let mut questions: IndexMap<(&str, Option<&str>), &'a Outcome<'a>> = IndexMap::new();
    for outcome in &group.outcomes {
        questions.entry((&outcome.item.parallel, outcome.item.facet("variant"))).or_insert(outcome);
    }
    let classify = |first: &'a Outcome<'a>| -> Option<Unit<'a>> {
        let versions = group.world.population.versions(first.item).iter().filter(|item| group.wants(item));
        let run: Vec<&'a Outcome<'a>> = versions.map(|item| group.world.outcome(&item.id)).collect::<Option<_>>()?;
        let spoken: BTreeSet<Language> = run.iter().map(|outcome| outcome.item.language).collect();
        if spoken.len() < 2 || spoken != languages {
            return None;
        }
        let same = first.choice.is_some() && run.iter().all(|outcome| outcome.choice == first.choice);
        let class = match same {
            false => Measure::Mixed,
            true if are_right(&run) => Measure::SameAndRight,
            true => Measure::SameAndWrong,
        };
        let (id, story) = (&first.item.id, &first.item.story);
        Some(Unit { id, story, adds: share(class == measure), guessed: None, members: run })
    };
    questions.into_values().filter_map(classify).collect()
}

/// A question run in the direct and in the cultural variant.
pub(super) struct VariantPair<'a> {
    pub(super) direct: &'a Outcome<'a>,
    pub(super) cultural: &'a Outcome<'a>,
}

impl<'a> VariantPair<'a> {
    pub(super) fn falls(&self) -> bool {
        self.direct.is_right() && !self.cultural.is_right()
    }

    fn unit(&self) -> Unit<'a> {
        let item = self.direct.item;
        let members = vec![self.direct, self.cultural];
        Unit { id: &item.id, story: &item.story, adds: share(self.falls()), guessed: None, members }
    }
}

pub(super) fn variant_pairs<'a>(group: &Group<'a>) -> impl Iterator<Item = VariantPair<'a>> {
    let key = |outcome: &'a Outcome<'a>| (outcome.item.parallel.as_str(), outcome.item.language);
    let of = |variant: &'static str| {
        let outcomes: Vec<&'a Outcome<'a>> = group.outcomes.clone();
        outcomes.into_iter().filter(move |outcome| outcome.item.facet("variant") == Some(variant))
    };
    let cultural: IndexMap<_, &'a Outcome<'a>> = of("cultural").map(|outcome| (key(outcome), outcome)).collect();
    of("direct").filter_map(move |direct| cultural.get(&key(direct)).map(|cultural| VariantPair { direct, cultural }))
}

/// One unit per item whose linked items were all run, by whether these are all right and whether the item itself is
/// right. A reply judged irrelevant is a class of its own.
fn linked<'a>(group: &Group<'a>, linked_right: bool, item_right: bool) -> Vec<Unit<'a>> {
    let unit = |outcome: &&'a Outcome<'a>| {
        let mut members = links(group, outcome)?;
        let class = are_right(&members) == linked_right && outcome.is_right() == item_right;
        members.push(outcome);
        let (id, story) = (&outcome.item.id, &outcome.item.story);
        Some(Unit { id, story, adds: share(class && outcome.irrelevant != Some(true)), guessed: None, members })
    };
    group.outcomes.iter().filter_map(unit).collect()
}

/// An item's linked items; `None` unless all were run.
fn links<'a>(group: &Group<'a>, outcome: &Outcome<'a>) -> Option<Vec<&'a Outcome<'a>>> {
    outcome.item.facet("depends")?.split('|').map(|id| group.world.outcome(id)).collect()
}

fn are_right(outcomes: &[&Outcome<'_>]) -> bool {
    outcomes.iter().all(|outcome| outcome.is_right())
}

fn chosen_text<'a>(item: &'a Item, answer: Option<&Answer>) -> Option<&'a str> {
    match answer {
        Some(Answer::Single(option)) => item.options.get(option.0).map(String::as_str),
        _ => None,
    }
}

/// One unit per item of an order above 1 whose story's order-1 item was run: whether `text` is the same for both.
fn repeats<'a>(group: &Group<'a>, text: impl Fn(&'a Outcome<'a>) -> Option<&'a str>) -> Vec<Unit<'a>> {
    let first_order = |outcome: &Outcome<'_>| {
        let story = group.world.population.story(&outcome.item.story).iter();
        story.filter(|item| order_of(item) == Some(1)).find_map(|item| group.world.outcome(&item.id))
    };
    items(
        group,
        |outcome| {
            order_of(outcome.item).filter(|&order| order > 1)?;
            let first = text(first_order(outcome)?);
            Some(first.is_some() && first == text(outcome))
        },
        |_| None,
    )
}
