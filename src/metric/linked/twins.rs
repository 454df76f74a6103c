//! Twins: versions of one question, credited only together.

use std::borrow::Cow;

use indexmap::{IndexMap, IndexSet};

use super::pairs::{FEWEST, TOO_FEW};
use crate::answer::Outcome;
use crate::benchmark::{Answer, Item, Rule, StoryWords};
use crate::metric::figure::Figure;
use crate::metric::link::Twins;
use crate::metric::linked_answers::{TwinMoves, TwinPart, TwinResult, TwinRule, TwinSize};
use crate::metric::respondent::Header;
use crate::metric::world::{Group, World};
use crate::prompt::Condition;
use crate::stats::{clustered_mean, clustered_wilson, paired_change, wilson};

/// The questions of one set, by version.
pub(super) type Set<'a> = Vec<Vec<&'a Item>>;

/// The result of twins in one row; `None` without sets.
pub(super) fn result<'a>(
    twins: &'a Twins,
    header: Header,
    key: &'a [(String, String)],
    items: &[Item],
    worlds: &'a [World<'a>],
) -> Option<TwinResult> {
    let world = worlds.first()?;
    let groups: Vec<Group<'_>> = twins.parts.iter().map(|part| Group::new(world, vec![&part.filter], key)).collect();
    let sets = sets(twins, items, |item| groups.iter().position(|group| group.wants(item)));
    let mut answered: Vec<Vec<Vec<&Outcome<'_>>>> = Vec::new();
    let mut incomplete = 0;
    for world in worlds {
        for set in &sets {
            let outcome = |item: &&Item| world.outcome(&item.id).filter(|outcome| !outcome.failed());
            let part = |part: &Vec<&Item>| part.iter().map(outcome).collect::<Option<Vec<_>>>();
            match set.iter().map(part).collect() {
                Some(set) => answered.push(set),
                None => incomplete += 1,
            }
        }
    }
    if answered.is_empty() && incomplete == 0 {
        return None;
    }
    let mut stories: IndexSet<&str> = IndexSet::new();
    let numbers: Vec<usize> = answered.iter().map(|set| stories.insert_full(&set[0][0].item.story).0).collect();
    let all = |set: &[Vec<&Outcome<'_>>]| f64::from(set.iter().flatten().all(|outcome| outcome.is_right()));
    let right: Vec<f64> = answered.iter().map(|set| all(set)).collect();
    let guessed: Vec<f64> =
        answered.iter().map(|set| set.iter().flatten().map(|outcome| outcome.item.chance()).product()).collect();
    let parts = (0..twins.parts.len()).map(|at| part(twins, at, &answered, &numbers)).collect();
    let mut sizes: IndexMap<usize, Vec<usize>> = IndexMap::new();
    for (at, set) in answered.iter().enumerate() {
        sizes.entry(set.iter().map(Vec::len).sum()).or_default().push(at);
    }
    sizes.sort_unstable_keys();
    let of =
        |sets: &[usize], values: &[f64]| sets.iter().map(|&set| values[set]).sum::<f64>() / sets.len() as f64 * 100.0;
    let by_size = sizes.into_iter().map(|(questions, sets)| TwinSize {
        questions,
        sets: sets.len(),
        all_right: of(&sets, &right),
        chance: of(&sets, &guessed),
        rules: rules(&sets.iter().map(|&set| &answered[set]).collect::<Vec<_>>()),
    });
    Some(TwinResult {
        id: twins.id.clone(),
        title: twins.title.clone(),
        header,
        key: key.iter().cloned().collect(),
        parts,
        sets: answered.len(),
        incomplete,
        all_right: Figure::from(share(&right)),
        all_right_interval: interval(&right, &numbers),
        chance: Figure::from(share(&guessed)),
        by_size: by_size.collect(),
        rules: rules(&answered.iter().collect::<Vec<_>>()),
    })
}

/// The sets of the data with the original and another version; `part_of` tells which version an item is, by number.
pub(super) fn sets<'a>(twins: &Twins, items: &'a [Item], part_of: impl Fn(&Item) -> Option<usize>) -> Vec<Set<'a>> {
    let mut sets: IndexMap<Vec<String>, Set<'a>> = IndexMap::new();
    for item in items {
        let value = |name: &String| match name.as_str() {
            "story" => Some(item.story.clone()),
            "parallel" => Some(item.parallel.clone()),
            _ => item.grouped_by(name).map(String::from),
        };
        let Some(at) = part_of(item) else { continue };
        let Some(name) = twins.set.iter().map(value).collect::<Option<Vec<String>>>() else { continue };
        sets.entry(name).or_insert_with(|| vec![Vec::new(); twins.parts.len()])[at].push(item);
    }
    let is_whole = |set: &Set<'_>| !set[0].is_empty() && set[1..].iter().any(|part| !part.is_empty());
    sets.into_values().filter(is_whole).collect()
}

fn part(twins: &Twins, at: usize, sets: &[Vec<Vec<&Outcome<'_>>>], numbers: &[usize]) -> TwinPart {
    let (mut right, mut guessed, mut stories) = (Vec::new(), Vec::new(), Vec::new());
    let (mut changes, mut changed, mut moves) = (Vec::new(), Vec::new(), [Vec::new(), Vec::new()]);
    for (set, &story) in sets.iter().zip(numbers) {
        for outcome in &set[at] {
            right.push(f64::from(outcome.is_right()));
            guessed.push(outcome.item.chance());
            stories.push(story);
        }
        for (original, outcome) in set[0].iter().zip(&set[at]).filter(|_| at > 0) {
            changes.push(i32::from(outcome.is_right()) - i32::from(original.is_right()));
            changed.push(story);
            let differ = |one: Option<&Answer>, other: Option<&Answer>| {
                // The same options may stand in another order.
                match one.zip(other).filter(|_| original.item.has_options_of(outcome.item)) {
                    Some((one, other)) => texts(original.item, one) != texts(outcome.item, other),
                    None => one != other,
                }
            };
            let gold_moves = differ(Some(&original.item.gold), Some(&outcome.item.gold));
            let moved = differ(original.choice.as_ref(), outcome.choice.as_ref());
            moves[usize::from(gold_moves)].push(f64::from(moved));
        }
    }
    let change = (!changes.is_empty()).then(|| paired_change(&changes, &changed));
    let mean = changes.iter().map(|&change| f64::from(change)).sum::<f64>() / changes.len() as f64;
    let percent = |(low, high): (f64, f64)| (low * 100.0, high * 100.0);
    TwinPart {
        name: twins.parts[at].name.clone(),
        edit: twins.parts[at].edit.clone(),
        items: right.len(),
        accuracy: Figure::from(share(&right)),
        interval: interval(&right, &stories),
        chance: Figure::from(share(&guessed)),
        pairs: changes.len(),
        change: Figure::from(if change.is_some() { Ok(mean * 100.0) } else { Err("no pairs with the original") }),
        change_interval: change.and_then(|change| change.interval()).map(percent),
        change_p: change.map(|change| change.p_stories),
        where_gold_moves: answers_that_moved(&moves[1]),
        where_gold_stays: answers_that_moved(&moves[0]),
    }
}

/// The texts of the options of an answer.
fn texts<'a>(item: &'a Item, answer: &Answer) -> Vec<Option<&'a String>> {
    answer.options().iter().map(|&option| item.options.get(option)).collect()
}

fn answers_that_moved(moved: &[f64]) -> TwinMoves {
    let share = if moved.len() < FEWEST { Err(TOO_FEW) } else { share(moved) };
    TwinMoves { pairs: moved.len(), moved: Figure::from(share) }
}

/// Mean in percent.
fn share(values: &[f64]) -> Result<f64, &'static str> {
    match values.len() {
        0 => Err("no items"),
        n => Ok(values.iter().sum::<f64>() / n as f64 * 100.0),
    }
}

/// 95 % interval of a share, in percent; of a single story there is none.
fn interval(values: &[f64], stories: &[usize]) -> Option<(f64, f64)> {
    let mean = clustered_mean(values, stories)?;
    let independent = mean.stories == mean.items;
    let found = match independent {
        true => wilson(values.iter().filter(|value| **value > 0.5).count(), values.len()),
        false => clustered_wilson(&mean),
    };
    found.map(|(low, high)| (low * 100.0, high * 100.0))
}

/// What rules get on the items as asked, the best place and the others, the best first.
fn rules<'a>(sets: &[&Vec<Vec<&'a Outcome<'a>>>]) -> Vec<TwinRule> {
    let mut asked: Vec<Vec<Cow<'_, Item>>> = Vec::new();
    for set in sets {
        let shown = |outcome: &&'a Outcome<'a>| {
            Condition::shown(Condition::of_presentation(outcome.condition.as_deref()), outcome.item)
        };
        asked.push(set.iter().flatten().map(shown).collect());
    }
    let items = || asked.iter().flatten();
    let places = items().map(|item| item.options.len()).max().unwrap_or(0);
    let mut words = StoryWords::default();
    let mut of = |rule: &Rule| {
        // A rule by which options are equal everywhere decides nothing.
        let mut items = items();
        let decides = items.find(|item| rule.credit(item, &mut words).is_some_and(|credit| credit != item.chance()));
        let named = rule.name(decides?);
        let mut credit = |item: &Item| rule.credit(item, &mut words).unwrap_or_else(|| item.chance());
        let sum: f64 = asked.iter().map(|set| set.iter().map(|item| credit(item)).product::<f64>()).sum();
        Some(TwinRule { answer: named, all_right: sum / sets.len() as f64 * 100.0 })
    };
    let better = |best: TwinRule, other: TwinRule| if other.all_right > best.all_right { other } else { best };
    let best_place = (0..places.min(26)).filter_map(|place| of(&Rule::Place(place))).reduce(better);
    let mut found: Vec<TwinRule> = best_place.into_iter().collect();
    found.extend([Rule::FirstNamed, Rule::LastNamed, Rule::Longest, Rule::MostShared].iter().filter_map(of));
    found.sort_by(|one, other| other.all_right.total_cmp(&one.all_right));
    found
}
