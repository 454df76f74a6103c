//! The best constant answer: the score reached without reading the questions, by always giving one answer, or by one
//! rule that looks only at the options. Chance is the score of guessing; if right answers are unevenly distributed, a
//! constant answer scores more.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Measure;
use super::compute::{Unit, label_adds, share};
use crate::benchmark::{Answer, Item, LONGEST_NAME, OptionIx};
use crate::language::Language;
use crate::name::option_letter;

/// Most rules of each kind to try: the most frequent right answers.
const MOST: usize = 8;

/// A constant answer.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    /// The option at this index in data order, in every slot.
    Place(usize),
    /// The option that the story mentions first.
    FirstNamed,
    /// The option that the story mentions last.
    LastNamed,
    /// The option with this text.
    Text(String),
    /// This set of labels, or these options for the slots.
    Whole(Answer),
}

impl Rule {
    /// Its answer to an item; `None` if it has none.
    fn answer(&self, item: &Item) -> Option<Answer> {
        let single = |at: usize| matches!(item.gold, Answer::Single(_)).then_some(Answer::Single(OptionIx(at)));
        match (self, &item.gold) {
            (Rule::Place(at), _) if *at >= item.options.len() => None,
            (Rule::Place(at), Answer::Single(_)) => single(*at),
            (Rule::Place(at), Answer::Slots(slots)) => Some(Answer::Slots(vec![OptionIx(*at); slots.len()])),
            (Rule::Place(_), Answer::Labels(_)) => None,
            (Rule::FirstNamed, _) => single(named(item, |found, best| found.0 < best.0)?),
            (Rule::LastNamed, _) => single(named(item, |found, best| found.1 > best.1)?),
            (Rule::Text(text), _) => single(item.options.iter().position(|option| option == text)?),
            (Rule::Whole(answer), gold) => (answer.kind() == gold.kind()).then(|| answer.clone()),
        }
    }

    /// Its answer, for readers.
    fn name(&self, item: &Item) -> String {
        let option = |option: &usize| item.options.get(*option).cloned().unwrap_or_default();
        match self {
            Rule::Place(at) => format!("option {}", option_letter(*at)),
            Rule::FirstNamed => "the option named first".to_string(),
            Rule::LastNamed => "the option named last".to_string(),
            Rule::Text(text) => format!("\"{text}\""),
            Rule::Whole(answer) => answer.options().iter().map(option).collect::<Vec<_>>().join(" + "),
        }
    }
}

/// The option whose places of first and last mention in the story come before all others by `before`.
fn named(item: &Item, before: impl Fn((usize, usize), (usize, usize)) -> bool) -> Option<usize> {
    if item.options.iter().any(|option| option.is_empty() || option.len() > LONGEST_NAME) {
        return None;
    }
    let story = item.story_text();
    let mut best: Option<(usize, (usize, usize))> = None;
    for (at, option) in item.options.iter().enumerate() {
        let Some(found) = story.find(option.as_str()).zip(story.rfind(option.as_str())) else { continue };
        if best.is_none_or(|(_, best)| before(found, best)) {
            best = Some((at, found));
        }
    }
    best.map(|(at, _)| at)
}

/// The rules tried on a benchmark, and the items that each answers rightly.
pub(super) struct Constants<'a> {
    rules: Vec<(Rule, String)>,
    right: HashMap<&'a str, Vec<bool>>,
}

impl<'a> Constants<'a> {
    /// Builds the rules for these items, which must be all items of the data: the best rule is chosen on them, not on a
    /// sample.
    pub(super) fn from_items(items: &'a [Item]) -> Self {
        let places = items.iter().map(|item| item.options.len()).max().unwrap_or(0);
        // The first of equally good rules is reported.
        let mut rules = wholes(items);
        rules.extend((0..places.min(26)).map(Rule::Place));
        rules.extend([Rule::FirstNamed, Rule::LastNamed]);
        rules.extend(texts(items));
        let answers = |rule: &Rule| items.iter().find(|item| rule.answer(item).is_some()).map(|item| rule.name(item));
        let rules: Vec<(Rule, String)> =
            rules.into_iter().filter_map(|rule| answers(&rule).map(|name| (rule, name))).collect();
        let of_item = |item: &'a Item| {
            let right = rules.iter().map(|(rule, _)| rule.answer(item).as_ref() == Some(&item.gold)).collect();
            (item.id.as_str(), right)
        };
        let right = items.iter().map(of_item).collect();
        Constants { rules, right }
    }

    /// Number of rules.
    pub(super) fn len(&self) -> usize {
        self.rules.len()
    }

    /// The answer of a rule, for readers.
    pub(super) fn name(&self, rule: usize) -> &str {
        &self.rules[rule].1
    }

    /// Contribution of a unit if everything is answered by a rule; `None` for measures where more is not better.
    pub(super) fn adds(&self, measure: Measure, rule: usize, unit: &Unit<'_>) -> Option<Vec<f64>> {
        if measure.is_all_right() {
            let right = |id: &str| self.right.get(id).is_some_and(|right| right[rule]);
            return Some(share(unit.members.iter().all(|outcome| right(&outcome.item.id))));
        }
        let [outcome] = &unit.members[..] else { return None };
        measure.is_f1().then(|| label_adds(outcome.item, self.rules[rule].0.answer(outcome.item).as_ref()).ok())?
    }
}

/// Texts that are the right answer of at least two questions, the most frequent of each language first; ties keep data
/// order.
fn texts(items: &[Item]) -> Vec<Rule> {
    let mut counts: BTreeMap<(Language, &str), (usize, usize)> = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        let Answer::Single(option) = &item.gold else { continue };
        let Some(text) = item.options.get(option.0) else { continue };
        counts.entry((item.language, text.as_str())).or_insert((0, at)).0 += 1;
    }
    let mut by_language: BTreeMap<Language, Vec<(usize, usize, &str)>> = BTreeMap::new();
    for ((language, text), (count, first)) in counts.into_iter().filter(|(_, (count, _))| *count > 1) {
        by_language.entry(language).or_default().push((usize::MAX - count, first, text));
    }
    let mut found = BTreeSet::new();
    for mut texts in by_language.into_values() {
        texts.sort_unstable();
        found.extend(texts.into_iter().take(MOST).map(|(.., text)| text));
    }
    found.into_iter().map(|text| Rule::Text(text.to_string())).collect()
}

/// The most frequent label sets and slot answers, and the sets of the one, two, ... most frequent labels, which include
/// the set with the best micro F1.
fn wholes(items: &[Item]) -> Vec<Rule> {
    let mut counts: Vec<(&Answer, usize)> = Vec::new();
    let mut labels: BTreeMap<usize, usize> = BTreeMap::new();
    for item in items.iter().filter(|item| !matches!(item.gold, Answer::Single(_))) {
        match counts.iter_mut().find(|(known, _)| **known == item.gold) {
            Some((_, count)) => *count += 1,
            None => counts.push((&item.gold, 1)),
        }
        if let Answer::Labels(set) = &item.gold {
            set.iter().for_each(|label| *labels.entry(label.0).or_default() += 1);
        }
    }
    counts.sort_by_key(|(_, count)| usize::MAX - count);
    let mut found: Vec<Answer> = counts.into_iter().take(MOST).map(|(answer, _)| answer.clone()).collect();
    let mut by_count: Vec<(usize, usize)> =
        labels.into_iter().map(|(label, count)| (usize::MAX - count, label)).collect();
    by_count.sort_unstable();
    for most in 1..=by_count.len() {
        let set = Answer::Labels(by_count[..most].iter().map(|(_, label)| OptionIx(*label)).collect());
        if !found.contains(&set) {
            found.push(set);
        }
    }
    found.into_iter().map(Rule::Whole).collect()
}
