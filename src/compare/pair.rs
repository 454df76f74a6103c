//! Pairs the outcomes of all sides by item, style and condition.

use std::collections::HashSet;

use indexmap::IndexMap;

use super::error::{CompareError, Difference};
use super::side::{Between, Side};
use crate::answer::Outcome;
use crate::benchmark::{Benchmark, Item, TiedStories};

/// Number of ids shown per difference.
const SHOWN: usize = 3;

/// One item with the outcome of every side.
pub(super) struct Asked<'a> {
    /// One outcome per side, in order.
    pub(super) outcomes: Vec<&'a Outcome<'a>>,
    /// Number of its story.
    pub(super) story: usize,
}

/// The items that all sides were asked, without failures.
pub(super) struct Paired<'a> {
    pub(super) asked: Vec<Asked<'a>>,
    /// Properties with one value per side, not all equal: items are paired regardless of these.
    pub(super) differs: Vec<&'static str>,
    /// Per side, number of items whose trials all failed.
    pub(super) failed: Vec<usize>,
    /// Per side, number of items skipped because they are not the same on all sides.
    pub(super) fell_out: Vec<usize>,
    /// The first of these.
    pub(super) first_fell_out: Vec<Vec<String>>,
}

/// Key for pairing outcomes, without properties in which the sides differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key<'a> {
    benchmark: Benchmark,
    /// The item's id, or the id shared by its versions if language or variant differ.
    item: &'a str,
    language: Option<&'a str>,
    variant: Option<&'a str>,
    style: Option<&'a str>,
    condition: Option<&'a str>,
}

impl<'a> Key<'a> {
    fn new(outcome: &'a Outcome<'a>, differs: &[Between]) -> Self {
        let part = |between: Between| (!differs.contains(&between)).then(|| between.value(outcome)).flatten();
        let item = outcome.item;
        let same_version = !differs.contains(&Between::Language) && !differs.contains(&Between::Variant);
        Key {
            benchmark: item.benchmark,
            item: if same_version { &item.id } else { &item.parallel },
            language: part(Between::Language),
            variant: part(Between::Variant),
            style: part(Between::Style),
            condition: part(Between::Condition),
        }
    }
}

/// Pairs the sides. Items that are missing or different on some side are an error, or skipped with `common`.
pub(super) fn paired<'a>(sides: &[Side<'a>], common: bool) -> Result<Paired<'a>, CompareError> {
    if sides.len() < 2 {
        return Err(CompareError::TooFew(sides.len()));
    }
    let mut labels = HashSet::new();
    if let Some(side) = sides.iter().find(|side| !labels.insert(&side.label)) {
        return Err(CompareError::SameLabel(side.label.clone()));
    }
    let differs: Vec<Between> = Between::ALL.iter().copied().filter(|&between| differ(sides, between)).collect();
    let found = sides.iter().map(|side| by_key(side, &differs)).collect::<Result<Vec<_>, _>>()?;
    let mut paired = Paired {
        asked: Vec::new(),
        differs: differs.iter().map(|between| between.name()).collect(),
        failed: vec![0; sides.len()],
        fell_out: vec![0; sides.len()],
        first_fell_out: vec![Vec::new(); sides.len()],
    };
    let versions_differ = differs.contains(&Between::Language) || differs.contains(&Between::Variant);
    let mut other_gold = Found::new("items with different right answers; read all with the same --labels");
    let mut other_text = Found::new("items with the same id but different texts; use the data the runs were made from");
    let mut asked: Vec<Vec<&'a Outcome<'a>>> = Vec::new();
    for (key, &first) in &found[0] {
        let Some(outcomes) = found.iter().map(|side| side.get(key).copied()).collect::<Option<Vec<_>>>() else {
            continue;
        };
        let others = || outcomes[1..].iter().map(|outcome| outcome.item);
        if !versions_differ && others().any(|item| item.gold != first.item.gold) {
            other_gold.add(&first.item.id);
        } else if !versions_differ && others().any(|item| !same_text(item, first.item)) {
            other_text.add(&first.item.id);
        } else {
            asked.push(outcomes);
        }
    }
    let kept: HashSet<Key<'_>> = asked.iter().map(|outcomes| Key::new(outcomes[0], &differs)).collect();
    let mut differences = vec![other_gold, other_text];
    for (position, side) in found.iter().enumerate() {
        let mut alone = Found::new(format!("items that {} has but another side lacks", sides[position].label));
        for (key, outcome) in side {
            if !kept.contains(key) {
                paired.fell_out[position] += 1;
                if paired.first_fell_out[position].len() < SHOWN {
                    paired.first_fell_out[position].push(outcome.item.id.clone());
                }
                if found.iter().any(|other| !other.contains_key(key)) {
                    alone.add(&outcome.item.id);
                }
            }
        }
        differences.push(alone);
    }
    let differences: Vec<Difference> = differences.into_iter().filter_map(Found::difference).collect();
    if asked.is_empty() {
        let rendered: Vec<String> = differences.iter().map(Difference::to_string).collect();
        return Err(CompareError::NothingInCommon(rendered.join("; ")));
    }
    if !common && !differences.is_empty() {
        return Err(CompareError::Different { differences });
    }
    for outcomes in &asked {
        outcomes.iter().zip(&mut paired.failed).for_each(|(outcome, failed)| *failed += usize::from(outcome.failed()));
    }
    asked.retain(|outcomes| outcomes.iter().all(|outcome| !outcome.failed()));
    if asked.is_empty() {
        return Err(CompareError::AllFailed);
    }
    let numbers = stories(&asked);
    paired.asked = asked.into_iter().zip(numbers).map(|(outcomes, story)| Asked { outcomes, story }).collect();
    Ok(paired)
}

/// The story of each item as a number, shared by all versions that the sides were asked.
fn stories(asked: &[Vec<&Outcome<'_>>]) -> Vec<usize> {
    let mut stories = TiedStories::default();
    let mut first = Vec::with_capacity(asked.len());
    for outcomes in asked {
        let own: Vec<usize> = outcomes
            .iter()
            .map(|outcome| stories.add(outcome.item.benchmark.name(), &outcome.item.story, &outcome.item.parallel))
            .collect();
        own.windows(2).for_each(|pair| stories.tie(pair[0], pair[1]));
        first.extend(own.first());
    }
    stories.numbers(&first)
}

/// Whether each side has one value of a property, and the values are not all equal.
fn differ(sides: &[Side<'_>], between: Between) -> bool {
    let mut values = HashSet::new();
    for side in sides {
        let own: HashSet<Option<&str>> = side.outcomes.iter().map(|outcome| between.value(outcome)).collect();
        if own.len() != 1 {
            return false;
        }
        values.extend(own);
    }
    values.len() > 1
}

fn by_key<'a>(side: &Side<'a>, differs: &[Between]) -> Result<IndexMap<Key<'a>, &'a Outcome<'a>>, CompareError> {
    let mut found = IndexMap::with_capacity(side.outcomes.len());
    for &outcome in &side.outcomes {
        if found.insert(Key::new(outcome, differs), outcome).is_some() {
            return Err(CompareError::Twice { label: side.label.clone(), id: outcome.item.id.clone() });
        }
    }
    Ok(found)
}

/// Whether two items have the same text, if both have one; items from a list of items have none.
fn same_text(one: &Item, other: &Item) -> bool {
    let unknown = |item: &Item| item.question.is_empty() && item.context.is_empty();
    if unknown(one) || unknown(other) {
        return true;
    }
    one.question == other.question && one.options == other.options && one.context == other.context
}

/// A difference being counted.
struct Found(Difference);

impl Found {
    fn new(what: impl Into<String>) -> Self {
        Found(Difference { what: what.into(), count: 0, first: Vec::new() })
    }

    fn add(&mut self, id: &str) {
        self.0.count += 1;
        if self.0.first.len() < SHOWN {
            self.0.first.push(id.to_string());
        }
    }

    fn difference(self) -> Option<Difference> {
        (self.0.count > 0).then_some(self.0)
    }
}
