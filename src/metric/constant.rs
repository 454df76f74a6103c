//! The best constant answer: the score reached without reading the questions, by always giving one answer, or by one
//! rule that looks only at the options. Chance is the score of guessing; if right answers are unevenly distributed, a
//! constant answer scores more.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Measure;
use super::compute::{Unit, label_adds};
use crate::answer::Outcome;
use crate::benchmark::{Answer, Item, OptionIx, Rule, StoryWords};
use crate::language::Language;
use crate::prompt::Condition;

/// Most rules of each kind to try: the most frequent right answers.
const MOST: usize = 8;

/// The rules tried on the items of a benchmark as shown under a condition, and the items that each answers rightly.
pub(super) struct Constants<'a> {
    condition: Option<Condition>,
    rules: Vec<(Rule, String)>,
    right: HashMap<&'a str, Vec<bool>>,
}

impl<'a> Constants<'a> {
    /// Builds the rules for these items, which must be all items of the data: the best rule is chosen on them, not on a
    /// sample.
    pub(super) fn new(items: &'a [Item], condition: Option<Condition>) -> Self {
        let shown: Vec<Cow<'a, Item>> = items.iter().map(|item| Condition::shown(condition, item)).collect();
        let places = items.iter().map(|item| item.options.len()).max().unwrap_or(0);
        // The first of equally good rules is reported.
        let mut rules = wholes(items);
        rules.extend((0..places.min(26)).map(Rule::Place));
        rules.extend([Rule::FirstNamed, Rule::LastNamed]);
        rules.extend(texts(&shown));
        let answers = |rule: &Rule| {
            rule.name_for(shown.iter().filter(|item| answer(rule, item).is_some()).map(|item| item.as_ref()))
        };
        let rules: Vec<(Rule, String)> =
            rules.into_iter().filter_map(|rule| answers(&rule).map(|name| (rule, name))).collect();
        let of_item = |(item, shown): (&'a Item, &Cow<'_, Item>)| {
            let right = rules.iter().map(|(rule, _)| answer(rule, shown).as_ref() == Some(&item.gold)).collect();
            (item.id.as_str(), right)
        };
        let right = items.iter().zip(&shown).map(of_item).collect();
        Constants { condition, rules, right }
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
            let shown = Condition::shown(self.condition, outcome.item);
            for ((rule, _), sums) in self.rules.iter().zip(sums) {
                let adds = label_adds(outcome.item, answer(rule, &shown).as_ref()).unwrap_or_default();
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
fn texts(items: &[Cow<'_, Item>]) -> Vec<Rule> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Segment, SegmentKind};
    use crate::metric::Cell;
    use crate::metric::tests::{cells, item, outcomes};
    use crate::prompt::none_of_these;

    /// An item with this right option and story.
    fn right_at(id: &str, gold: usize, story: &str) -> Item {
        let segment = Segment { kind: SegmentKind::Story, text: story.into() };
        Item { gold: Answer::Single(OptionIx(gold)), context: vec![segment], ..item(id, id, &[]) }
    }

    fn constant(cell: &Cell) -> (Option<f64>, Option<&str>) {
        (cell.constant, cell.constant_answer.as_deref())
    }

    #[test]
    fn the_best_constant_answer_is_chosen_on_all_items_of_the_data() {
        let items: Vec<Item> =
            [2, 2, 2, 0].iter().enumerate().map(|(n, gold)| right_at(&n.to_string(), *gold, "")).collect();
        let columns = "{name='a'}, {name='d', measure='answered'}";
        let found = cells(&items, &outcomes(&items, &[false; 4]), columns);
        assert_eq!(constant(&found[0]), (Some(75.0), Some("option C")));
        assert_eq!(constant(&found[1]), (None, None), "of answers there are no constant ones");
        // For the single item asked, it is wrong.
        let found = cells(&items, &outcomes(&items, &[false; 4])[3..], columns);
        assert_eq!(constant(&found[0]), (Some(0.0), Some("option C")));
    }

    #[test]
    fn what_the_story_names_last_and_the_same_text_are_constant_answers() {
        let story = "The ball is in the red box. Then it is in the green box.";
        let mut items: Vec<Item> = (0..4).map(|n| right_at(&n.to_string(), 1, story)).collect();
        for (at, item) in items.iter_mut().enumerate() {
            item.options.rotate_left(at);
            item.gold = Answer::Single(OptionIx((1 + 4 - at) % 4));
        }
        let found = cells(&items, &outcomes(&items, &[true; 4]), "{name='a'}");
        assert_eq!(constant(&found[0]), (Some(100.0), Some("the option named last")));
        items.iter_mut().for_each(|item| item.context.clear());
        let found = cells(&items, &outcomes(&items, &[true; 4]), "{name='a'}");
        assert_eq!(constant(&found[0]), (Some(100.0), Some("\"green\"")));
    }

    #[test]
    fn one_constant_answer_serves_all_parts_of_a_mean_and_of_a_story() {
        // The first task is right at the first option, the other at the second.
        let of = |id: &str, story: &str, gold: usize, task: &str| Item {
            gold: Answer::Single(OptionIx(gold)),
            ..item(id, story, &[("task", task)])
        };
        let items = [
            of("a", "s", 0, "x"),
            of("b", "s", 1, "y"),
            of("c", "t", 0, "x"),
            of("d", "t", 0, "y"),
            of("e", "t", 0, "y"),
        ];
        let columns = "{name='x', where={task='x'}}, {name='y', where={task='y'}}, {name='m', mean=['x', 'y']}, \
            {name='c', measure='coherent'}, {name='r', range=['x', 'y']}";
        let found = cells(&items, &outcomes(&items, &[true; 5]), columns);
        let values: Vec<Option<f64>> = found.iter().map(|cell| cell.constant).collect();
        let two_thirds = 100.0 * (2.0 / 3.0);
        assert_eq!(values[..2], [Some(100.0), Some(two_thirds)]);
        assert!((values[2].unwrap() - (100.0 + two_thirds) / 2.0).abs() < 1e-9);
        assert_eq!(values[3..], [Some(50.0), None]);
    }

    #[test]
    fn constant_answers_are_those_to_the_items_as_shown() {
        // The right option is named last, and stands in other places.
        let story = "The ball is in the red box. Then it is in the green box.";
        let mut items: Vec<Item> = (0..4).map(|n| right_at(&n.to_string(), 1, story)).collect();
        items[0].options.swap(0, 1);
        items[0].gold = Answer::Single(OptionIx(0));
        let of = |condition: Option<Condition>| {
            let mut outcomes = outcomes(&items, &[true; 4]);
            outcomes.iter_mut().for_each(|outcome| outcome.condition = condition.map(|it| it.name().to_string()));
            let cell = cells(&items, &outcomes, "{name='a'}").remove(0);
            (cell.constant, cell.constant_answer.unwrap_or_default())
        };
        let none = none_of_these(Language::En).unwrap();
        assert_eq!(of(None), (Some(100.0), "the option named last".to_string()));
        // The right option is named no more, and every right answer is the same text.
        assert_eq!(of(Some(Condition::DropGold)), (Some(100.0), format!("\"{none}\"")));
        assert_eq!(of(Some(Condition::DropDistractor)), (Some(100.0), "the option named last".to_string()));
    }
}
