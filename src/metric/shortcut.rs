//! Shortcuts: what rules that do not read for meaning get in each cell of a set. A rule that must be fitted is fitted on
//! other stories than those it answers.

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::benchmark::{Answer, Facets, Item, Rule, StoryWords, is_negated};
use crate::language::Language;
use crate::name::named;
use crate::stats::{clustered_mean, holm};

/// Fewest stories of a cell: of fewer, bounds say little.
pub const FEWEST_STORIES_OF_CELL: usize = 30;

/// How far above chance the lower bound of a shortcut lies at least.
const MARGIN: f64 = 0.1;

/// Probability that any rule is named in a set without shortcuts.
const LEVEL: f64 = 0.05;

/// Parts of the stories that are answered by a rule fitted on the other parts.
const FOLDS: usize = 10;

/// A kind of rule that does not read for meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum ShortcutRule {
    /// Always the same option in the order of the data, in every slot; fitted.
    SamePlace,
    /// Always the same text, set of labels, or options of the slots; fitted.
    SameText,
    /// The option with most characters.
    Longest,
    /// The option that the story names first.
    FirstNamed,
    /// The option that the story names last.
    LastNamed,
    /// The option that has most words in common with the story.
    MostShared,
    /// One option or text where the question has a word such as "not", and one where it has none; fitted.
    Polarity,
}

named!(ShortcutRule);

/// A rule and its accuracy in one cell: the items of one language, variant and stratum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Shortcut {
    /// Language of the cell.
    pub language: Language,
    /// Variant of the cell, where the benchmark has several.
    pub variant: Option<String>,
    /// Number of options, and the facets of the card's `strata`.
    pub stratum: Facets,
    /// The rule.
    pub rule: ShortcutRule,
    /// Its answer for readers; of a fitted rule the answer fitted on all stories.
    pub answer: String,
    /// Items of the cell.
    pub items: usize,
    /// Stories of the cell.
    pub stories: usize,
    /// Accuracy of a uniform guess, in percent.
    pub chance: f64,
    /// Accuracy of the rule, in percent; what it has no answer to is guessed.
    pub accuracy: f64,
    /// Lower bound of the accuracy, in percent, by stories, at the level that Holm's procedure gives the rule among all
    /// rules and cells of the benchmark.
    pub lower_bound: f64,
    /// P-value of the accuracy being at most 10 points above chance, adjusted by Holm's procedure.
    pub p: f64,
    /// Whether it is a shortcut: the bound lies at least 10 points above chance.
    pub is_shortcut: bool,
}

impl Shortcut {
    /// The cell, for readers.
    pub fn cell(&self) -> String {
        let named = self.stratum.iter().map(|(facet, value)| match facet.as_str() {
            OPTIONS => format!("{value} options"),
            _ if value == "none" => format!("no {facet}"),
            _ if value.parse::<f64>().is_ok() => format!("{facet} {value}"),
            _ => value.clone(),
        });
        let version = [Some(self.language.code().to_string()), self.variant.clone()];
        version.into_iter().flatten().chain(named).collect::<Vec<_>>().join(", ")
    }
}

const OPTIONS: &str = "options";

/// The strongest shortcut: the one whose accuracy lies furthest above chance, of equals the first.
pub fn strongest(shortcuts: &[Shortcut]) -> Option<&Shortcut> {
    let above = |shortcut: &Shortcut| shortcut.accuracy - shortcut.chance;
    let found = shortcuts.iter().filter(|shortcut| shortcut.is_shortcut);
    found.reduce(|best, other| if above(other) > above(best) { other } else { best })
}

/// What every rule gets in every cell of a benchmark with at least [`FEWEST_STORIES_OF_CELL`] stories. `strata` are the facets of the
/// card's strata. A rule without an answer to any item of a cell is left out there.
pub fn shortcuts(items: &[Item], strata: &[String]) -> Vec<Shortcut> {
    let mut cells: IndexMap<(Language, Option<&str>, Vec<&str>, usize), Vec<&Item>> = IndexMap::new();
    for item in items {
        let values = strata.iter().map(|facet| item.facet(facet).unwrap_or("none")).collect();
        let key = (item.language, item.facet("variant"), values, item.options.len());
        cells.entry(key).or_default().push(item);
    }
    let mut words = StoryWords::default();
    let mut found = Vec::new();
    let mut tested = Vec::new();
    for ((language, variant, values, options), items) in cells {
        let stories: IndexSet<&str> = items.iter().map(|item| item.story.as_str()).collect();
        if stories.len() < FEWEST_STORIES_OF_CELL {
            continue;
        }
        let numbers: Vec<usize> = items.iter().filter_map(|item| stories.get_index_of(item.story.as_str())).collect();
        // Of a million rows these are many bytes.
        let stories = stories.len();
        let cell = Cell { items, stories: numbers };
        let chance = cell.items.iter().map(|item| item.chance()).sum::<f64>() / cell.items.len() as f64;
        let stratum: Facets = strata.iter().cloned().zip(values.iter().map(ToString::to_string)).collect();
        for rule in ShortcutRule::ALL {
            let Some((answer, credits)) = cell.credits(rule, &mut words) else { continue };
            let Some(mean) = clustered_mean(&credits, &cell.stories) else { continue };
            found.push(Shortcut {
                language,
                variant: variant.map(str::to_string),
                stratum: stratum.clone().into_iter().chain([(OPTIONS.to_string(), options.to_string())]).collect(),
                rule,
                answer,
                items: cell.items.len(),
                stories,
                chance: chance * 100.0,
                accuracy: mean.mean * 100.0,
                lower_bound: 0.0,
                p: 1.0,
                is_shortcut: false,
            });
            tested.push((mean, mean.p_above(chance + MARGIN)));
        }
    }
    let p_values: Vec<f64> = tested.iter().map(|(_, p)| *p).collect();
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&left, &right| p_values[left].total_cmp(&p_values[right]));
    let adjusted = holm(&p_values);
    for (rank, at) in order.into_iter().enumerate() {
        let shortcut = &mut found[at];
        shortcut.lower_bound = tested[at].0.lower_bound(LEVEL / (tested.len() - rank) as f64) * 100.0;
        shortcut.p = adjusted[at];
        shortcut.is_shortcut = adjusted[at] <= LEVEL;
    }
    found
}

/// Items of a cell, with the number of the story of each.
struct Cell<'a> {
    items: Vec<&'a Item>,
    stories: Vec<usize>,
}

impl Cell<'_> {
    /// The answer of a rule for readers, and its expected accuracy on each item; `None` where it has no answer at all.
    fn credits(&self, rule: ShortcutRule, words: &mut StoryWords) -> Option<(String, Vec<f64>)> {
        let all_alike = |_: &Item| false;
        let rules = match rule {
            ShortcutRule::SamePlace => self.fitted(all_alike, &[place]),
            ShortcutRule::SameText => self.fitted(all_alike, &[whole]),
            ShortcutRule::Polarity => self.fitted(is_negated, &[place, whole]),
            ShortcutRule::Longest => self.fixed(Rule::Longest),
            ShortcutRule::FirstNamed => self.fixed(Rule::FirstNamed),
            ShortcutRule::LastNamed => self.fixed(Rule::LastNamed),
            ShortcutRule::MostShared => self.fixed(Rule::MostShared),
        };
        let credits: Vec<Option<f64>> =
            (0..self.items.len()).map(|at| rules.of(at, &self.stories)?.credit(self.items[at], words)).collect();
        let answer = match (&rules.names[..], rule) {
            // A polarity that decides nothing is a constant.
            ([plain, negated], _) if plain == negated => return None,
            ([plain, negated], _) => format!("{negated} where the question has a word such as \"not\", else {plain}"),
            (_, ShortcutRule::Polarity) => return None,
            ([only], ShortcutRule::SamePlace | ShortcutRule::SameText) => format!("always {only}"),
            (names, _) => names.concat(),
        };
        let says = credits.iter().any(Option::is_some);
        says.then(|| {
            let credits = credits.iter().zip(&self.items).map(|(credit, item)| credit.unwrap_or_else(|| item.chance()));
            (answer, credits.collect())
        })
    }

    fn fixed(&self, rule: Rule) -> Rules {
        let names = self.items.first().map(|item| rule.name(item)).into_iter().collect();
        Rules { by_fold: [vec![Some(rule); FOLDS], Vec::new()], is_second: Vec::new(), names }
    }

    /// For each item the rule of its class that is right most often on the other folds of the stories; of equals the
    /// one that is right first.
    fn fitted(&self, class: impl Fn(&Item) -> bool, kinds: &[fn(&Item) -> Option<Rule>]) -> Rules {
        let is_second: Vec<bool> = self.items.iter().map(|item| class(item)).collect();
        let (mut by_fold, mut names) = ([Vec::new(), Vec::new()], Vec::new());
        for wanted in [false, true] {
            let members = || (0..self.items.len()).filter(|&at| is_second[at] == wanted);
            let mut right: IndexMap<Rule, [usize; FOLDS]> = IndexMap::new();
            for at in members() {
                for rule in kinds.iter().filter_map(|kind| kind(self.items[at])) {
                    right.entry(rule).or_default()[self.stories[at] % FOLDS] += 1;
                }
            }
            let best = |without: Option<usize>| {
                let count =
                    |folds: &[usize; FOLDS]| folds.iter().sum::<usize>() - without.map_or(0, |fold| folds[fold]);
                let counted = right.iter().map(|(rule, folds)| (rule, count(folds))).filter(|(_, count)| *count > 0);
                counted.reduce(|best, other| if other.1 > best.1 { other } else { best }).map(|(rule, _)| rule)
            };
            by_fold[usize::from(wanted)] = (0..FOLDS).map(|fold| best(Some(fold)).cloned()).collect();
            names.extend(best(None).and_then(|rule| rule.name_for(members().map(|at| self.items[at]))));
        }
        Rules { by_fold, is_second, names }
    }
}

/// The rule for each item of a cell, and the names of the different ones for readers.
struct Rules {
    /// For either class of items the rule of each fold.
    by_fold: [Vec<Option<Rule>>; 2],
    /// Whether an item is in the second class; empty if none is.
    is_second: Vec<bool>,
    names: Vec<String>,
}

impl Rules {
    /// The rule for an item, given the stories of all.
    fn of(&self, item: usize, stories: &[usize]) -> Option<&Rule> {
        let class = usize::from(self.is_second.get(item) == Some(&true));
        self.by_fold[class].get(stories[item] % FOLDS)?.as_ref()
    }
}

/// The place that is right.
fn place(item: &Item) -> Option<Rule> {
    let options = item.gold.options();
    let first = *options.first()?;
    let is_one = !matches!(item.gold, Answer::Labels(_)) && options.iter().all(|&option| option == first);
    is_one.then_some(Rule::Place(first))
}

/// The text that is right, or all labels or slots together.
fn whole(item: &Item) -> Option<Rule> {
    Some(match &item.gold {
        Answer::Single(option) => Rule::Text(item.options.get(option.0)?.clone()),
        answer => Rule::Whole(answer.clone()),
    })
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;
    use crate::benchmark::OptionIx;
    use crate::metric::tests::item;
    use crate::seed::seeded;

    /// Items of two cells, two questions a story, with four options of random length and random gold.
    fn random(seed: u64) -> Vec<Item> {
        let mut rng = seeded(seed, "shortcuts", 0);
        let mut items = Vec::new();
        for n in 0..240 {
            let task = if n < 120 { "one" } else { "two" };
            let mut item = item(&n.to_string(), &(n / 2).to_string(), &[("task", task)]);
            item.options = (0..4).map(|at| format!("{at}{}", "x".repeat(rng.random_range(1..30)))).collect();
            item.question = if rng.random_bool(0.5) { "Is it so?".into() } else { "Is it not so?".into() };
            item.gold = Answer::Single(OptionIx(rng.random_range(0..4)));
            items.push(item);
        }
        items
    }

    fn named(items: &[Item]) -> Vec<(ShortcutRule, String)> {
        let found = shortcuts(items, &["task".to_string()]);
        found.into_iter().filter(|it| it.is_shortcut).map(|it| (it.rule, it.stratum["task"].clone())).collect()
    }

    #[test]
    fn nothing_is_named_where_the_right_answers_are_random() {
        let silent = (0..100).filter(|&seed| named(&random(seed)).is_empty()).count();
        assert!(silent >= 95, "{silent} of 100 draws");
    }

    #[test]
    fn planted_shortcuts_are_found_in_their_cell_and_nowhere_else() {
        let plant = |gold: fn(&Item) -> usize| {
            let mut items = random(7);
            // In a tenth of the items the shortcut is wrong.
            for (_, item) in items.iter_mut().enumerate().skip(120).filter(|(n, _)| n % 10 > 0) {
                item.gold = Answer::Single(OptionIx(gold(item)));
            }
            items
        };
        let check = |gold: fn(&Item) -> usize, expected: &[ShortcutRule]| {
            let found = named(&plant(gold));
            let expected: Vec<_> = expected.iter().map(|&rule| (rule, "two".to_string())).collect();
            assert_eq!(found, expected);
        };
        let longest = |item: &Item| (0..4).rev().max_by_key(|&at| item.options[at].len()).unwrap_or(0);
        check(|_| 2, &[ShortcutRule::SamePlace]);
        check(longest, &[ShortcutRule::Longest]);
        check(|item| if is_negated(item) { 3 } else { 1 }, &[ShortcutRule::Polarity]);
        let all = shortcuts(&plant(|_| 2), &["task".to_string()]);
        let best = strongest(&all).unwrap();
        assert_eq!((best.rule, &best.answer[..], best.chance), (ShortcutRule::SamePlace, "always option C", 25.0));
        assert!(best.accuracy > 85.0 && best.lower_bound > 60.0 && best.lower_bound < best.accuracy, "{best:?}");
    }

    #[test]
    fn a_text_that_only_its_own_story_has_is_not_fitted() {
        // Both questions of a story have the same right text, which no other story has.
        let mut items = random(3);
        for (n, item) in items.iter_mut().enumerate() {
            item.options[1] = format!("story {}", n / 2);
            item.gold = Answer::Single(OptionIx(1));
        }
        let found = shortcuts(&items, &["task".to_string()]);
        let of_text = found.iter().filter(|it| it.rule == ShortcutRule::SameText);
        assert!(of_text.clone().all(|it| it.accuracy < 50.0), "{:?}", of_text.collect::<Vec<_>>());
        assert!(found.iter().any(|it| it.rule == ShortcutRule::SamePlace && it.accuracy == 100.0 && it.is_shortcut));
    }

    #[test]
    fn cells_of_few_stories_are_left_out() {
        assert!(shortcuts(&random(1)[..2 * FEWEST_STORIES_OF_CELL - 2], &["task".to_string()]).is_empty());
        assert!(!shortcuts(&random(1)[..2 * FEWEST_STORIES_OF_CELL], &["task".to_string()]).is_empty());
    }
}
