//! The best constant answer: the score reached without reading the questions, by always giving one answer, or by one
//! rule that looks only at the options. Chance is the score of guessing; if right answers are unevenly distributed, a
//! constant answer scores more.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Measure;
use super::compute::{Unit, label_adds};
use crate::answer::Outcome;
use crate::benchmark::{Answer, Item, OptionIx, Rule, StoryWords};
use crate::language::Language;

/// Most rules of each kind to try: the most frequent right answers.
const MOST: usize = 8;

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
        let answers = |rule: &Rule| rule.name_for(items.iter().filter(|item| answer(rule, item).is_some()));
        let rules: Vec<(Rule, String)> =
            rules.into_iter().filter_map(|rule| answers(&rule).map(|name| (rule, name))).collect();
        let of_item = |item: &'a Item| {
            let right = rules.iter().map(|(rule, _)| answer(rule, item).as_ref() == Some(&item.gold)).collect();
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

    /// Adds, for each rule, the contribution of a unit if everything is answered by it, to the sums from `offset` on.
    /// Nothing for measures where more is not better.
    pub(super) fn add(&self, measure: Measure, unit: &Unit<'_>, sums: &mut [Vec<f64>], offset: usize) {
        if measure.is_all_right() {
            let known = |outcome: &&Outcome<'_>| self.right.get(&*outcome.item.id);
            let members: Vec<Option<&Vec<bool>>> = unit.members.iter().map(known).collect();
            for (rule, sums) in sums.iter_mut().enumerate() {
                let is_right = members.iter().all(|right| right.is_some_and(|right| right[rule]));
                sums[offset] += f64::from(is_right);
                sums[offset + 1] += 1.0;
            }
        } else if let ([outcome], true) = (&unit.members[..], measure.is_f1()) {
            for ((rule, _), sums) in self.rules.iter().zip(sums) {
                let adds = label_adds(outcome.item, answer(rule, outcome.item).as_ref()).unwrap_or_default();
                adds.iter().zip(&mut sums[offset..]).for_each(|(value, sum)| *sum += value);
            }
        }
    }
}

/// Answer of a constant rule, which looks at no words.
fn answer(rule: &Rule, item: &Item) -> Option<Answer> {
    rule.answer(item, &mut StoryWords::default())
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
