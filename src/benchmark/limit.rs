//! Draws a subset of a benchmark: stratified, seeded, and with the same questions in every language.

use super::{Benchmark, Item};
use std::collections::{BTreeMap, HashMap, HashSet};

use indexmap::{IndexMap, IndexSet};
use rand::Rng;

use crate::seed::seeded;

/// At most `questions` questions of each benchmark among `items`, in their order, with all their languages and variants.
///
/// Strata are the values of the facet `stratum` (items without it form a stratum of their own). Each stratum gets the
/// same number of questions, as far as it has them; the remainder goes to the strata with most questions left, with
/// ties broken by the lowest random rank.
/// The draw within a stratum depends on the seed and the questions' ids only: each has its own random rank, so that
/// adding or removing a question does not affect the others.
pub fn limit(items: Vec<Item>, questions: usize, seed: u64, stratum: &str) -> Vec<Item> {
    let mut strata: IndexMap<(Benchmark, Option<String>), IndexSet<String>> = IndexMap::new();
    let mut placed: HashSet<String> = HashSet::new();
    for item in &items {
        if placed.insert(item.parallel.clone()) {
            let key = (item.benchmark, item.facet(stratum).map(str::to_string));
            strata.entry(key).or_default().insert(item.parallel.clone());
        }
    }
    let mut benchmarks: IndexMap<Benchmark, Vec<(u64, &IndexSet<String>)>> = IndexMap::new();
    for ((benchmark, name), members) in &strata {
        let rank = rank(&format!("stratum {benchmark} {}", name.as_deref().unwrap_or_default()), seed);
        benchmarks.entry(*benchmark).or_default().push((rank, members));
    }
    let mut drawn: HashSet<String> = HashSet::new();
    for members in benchmarks.values() {
        let ranked: Vec<(u64, usize)> = members.iter().map(|&(rank, stratum)| (rank, stratum.len())).collect();
        for ((_, stratum), share) in members.iter().zip(even_shares(&ranked, questions)) {
            drawn.extend(lowest_ranked(stratum.iter(), share, seed));
        }
    }
    items.into_iter().filter(|item| drawn.contains(&item.parallel)).collect()
}

/// All questions of at most `stories` stories or contexts of each benchmark among `items`, in their order.
///
/// The versions of a story in several languages or variants are drawn together: stories that share a question count as
/// one. The draw depends on the seed and on ids only.
pub fn limit_stories(items: Vec<Item>, stories: usize, seed: u64) -> Vec<Item> {
    let names = story_names(&items);
    let mut benchmarks: BTreeMap<Benchmark, IndexSet<String>> = BTreeMap::new();
    for item in &items {
        benchmarks.entry(item.benchmark).or_default().insert(names[&item.story].clone());
    }
    let drawn: HashSet<String> =
        benchmarks.values().flat_map(|names| lowest_ranked(names.iter(), stories, seed)).collect();
    items.into_iter().filter(|item| drawn.contains(&names[&item.story])).collect()
}

/// A name for each story id, equal for stories that share a question in some language or variant: the alphabetically
/// first of these questions' `parallel` ids.
fn story_names(items: &[Item]) -> HashMap<String, String> {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut by_question: HashMap<&str, &str> = HashMap::new();
    loop {
        let mut changed = false;
        for item in items {
            let story = names.get(item.story.as_str()).copied().unwrap_or(&item.parallel);
            let question = by_question.get(item.parallel.as_str()).copied().unwrap_or(&item.parallel);
            let lowest = story.min(question);
            changed |= names.insert(&item.story, lowest) != Some(lowest);
            changed |= by_question.insert(&item.parallel, lowest) != Some(lowest);
        }
        if !changed {
            return names.into_iter().map(|(story, name)| (story.to_string(), name.to_string())).collect();
        }
    }
}

/// Equal shares for all strata, given as rank and size, as far as their sizes allow; `wanted` in total or everything.
fn even_shares(strata: &[(u64, usize)], wanted: usize) -> Vec<usize> {
    let size = |at: usize| strata[at].1;
    let mut shares = vec![0; strata.len()];
    let mut left = wanted.min(strata.iter().map(|(_, size)| size).sum());
    while left > 0 {
        let mut open: Vec<usize> = (0..strata.len()).filter(|&at| shares[at] < size(at)).collect();
        let each = left / open.len();
        if each == 0 {
            open.sort_by_key(|&at| (std::cmp::Reverse(size(at) - shares[at]), strata[at].0));
            for &at in &open[..left] {
                shares[at] += 1;
            }
            return shares;
        }
        for at in open {
            let share = each.min(size(at) - shares[at]);
            shares[at] += share;
            left -= share;
        }
    }
    shares
}

fn rank(name: &str, seed: u64) -> u64 {
    seeded(seed, name, 0).random()
}

fn lowest_ranked<'a>(names: impl Iterator<Item = &'a String>, count: usize, seed: u64) -> Vec<String> {
    let mut ranked: Vec<(u64, &String)> = names.map(|name| (rank(name, seed), name)).collect();
    ranked.sort_unstable();
    ranked.into_iter().take(count).map(|(_, name)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Answer, Facets, OptionIx};
    use crate::language::Language;
    use proptest::prelude::*;

    fn item(file: &str, row: usize, story: usize, language: Language) -> Item {
        Item {
            id: format!("x/{file}/{row}/{language}"),
            benchmark: Benchmark::Custom,
            language,
            parallel: format!("x/{file}/{row}"),
            story: format!("x/{file}/s{story}/{language}"),
            context: Vec::new(),
            question: String::new(),
            options: Vec::new(),
            gold: Answer::Single(OptionIx(0)),
            facets: Facets::from([("file".to_string(), file.to_string())]),
            fields: IndexMap::new(),
            flags: Vec::new(),
        }
    }

    fn items(sizes: &[(&str, usize)]) -> Vec<Item> {
        let languages = [Language::En, Language::Zh];
        let of = |language| {
            sizes.iter().flat_map(move |&(file, size)| (0..size).map(move |row| item(file, row, row / 3, language)))
        };
        languages.into_iter().flat_map(of).collect()
    }

    fn count(items: &[Item], file: &str) -> usize {
        items.iter().filter(|item| item.facet("file") == Some(file)).count()
    }

    #[test]
    fn strata_share_evenly_as_far_as_they_can() {
        let shares = |sizes: &[usize], wanted| {
            let falling_ranks = sizes.iter().enumerate().map(|(at, &size)| (100 - at as u64, size));
            even_shares(&falling_ranks.collect::<Vec<_>>(), wanted)
        };
        assert_eq!(shares(&[100, 100, 2], 12), [5, 5, 2]);
        assert_eq!(shares(&[5, 20, 20], 4), [1, 1, 2]);
        assert_eq!(shares(&[3, 4], 100), [3, 4]);
        assert_eq!(shares(&[3, 4], 0), [0, 0]);
        assert_eq!(shares(&[], 3), [0; 0]);
    }

    #[test]
    fn a_few_questions_come_from_strata_drawn_at_random() {
        let names: Vec<String> = (0..30).map(|n| format!("cell {n}")).collect();
        let sizes: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), 2)).collect();
        let all = items(&sizes);
        let drawn = |seed| limit(all.clone(), 10, seed, "file");
        let files = |items: &[Item]| {
            items.iter().filter_map(|item| item.facet("file")).map(String::from).collect::<HashSet<_>>()
        };
        let first: HashSet<String> = names[..10].iter().cloned().collect();
        assert_eq!(files(&drawn(0)).len(), 10);
        assert_ne!(files(&drawn(0)), first, "not the first of the file");
        assert_ne!(files(&drawn(0)), files(&drawn(1)));
    }

    #[test]
    fn the_same_questions_are_drawn_in_every_language_and_in_file_order() {
        let all = items(&[("a", 40), ("b", 10)]);
        let drawn = limit(all.clone(), 8, 7, "file");
        assert_eq!((count(&drawn, "a"), count(&drawn, "b")), (8, 8));
        let parallels = |language| {
            drawn.iter().filter(|item| item.language == language).map(|item| item.parallel.clone()).collect::<Vec<_>>()
        };
        assert_eq!(parallels(Language::En), parallels(Language::Zh));
        let positions: Vec<usize> =
            drawn.iter().map(|item| all.iter().position(|other| other.id == item.id).unwrap()).collect();
        assert!(positions.is_sorted());
        assert_ne!(drawn, limit(all.clone(), 8, 8, "file"), "another seed");
        let one_language: Vec<Item> = all.into_iter().filter(|item| item.language == Language::Zh).collect();
        let drawn_alone = limit(one_language, 8, 7, "file");
        assert_eq!(drawn_alone.iter().map(|item| item.parallel.clone()).collect::<Vec<_>>(), parallels(Language::Zh));
    }

    #[test]
    fn whole_stories_are_drawn_in_every_language() {
        let all = items(&[("a", 40), ("b", 10)]);
        let drawn = limit_stories(all.clone(), 3, 1);
        let stories: HashSet<&str> = drawn.iter().map(|item| item.story.as_str()).collect();
        assert_eq!(stories.len(), 6, "three stories in two languages");
        for story in stories {
            let whole = |items: &[Item]| items.iter().filter(|item| item.story == story).count();
            assert_eq!(whole(&drawn), whole(&all));
        }
    }

    proptest! {
        #[test]
        fn the_order_of_the_items_does_not_matter(seed: u64, wanted in 0usize..30) {
            let all = items(&[("a", 12), ("b", 5), ("c", 9), ("d", 5)]);
            let reversed: Vec<Item> = all.iter().rev().cloned().collect();
            let ids = |drawn: Vec<Item>| {
                let mut ids: Vec<String> = drawn.into_iter().map(|item| item.id).collect();
                ids.sort();
                ids
            };
            prop_assert_eq!(limit_stories(all.clone(), wanted, seed).len(), limit_stories(reversed.clone(), wanted, seed).len());
            prop_assert_eq!(ids(limit(all.clone(), wanted, seed, "file")), ids(limit(reversed, wanted, seed, "file")));
            prop_assert_eq!(limit(all, wanted, seed, "file").len(), 2 * wanted.min(31));
        }
    }
}
