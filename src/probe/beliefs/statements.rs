//! Statements about where an object is, each after its story, and whether they hold.

use std::collections::HashSet;

use crate::benchmark::{Benchmark, Item, Told, hi_tom, standing, told, tomi, version};
use crate::language::Language;
use crate::probe::FreshError;
use crate::probe::score::{Skip, SkippedRow};
use crate::probe::text::context;
use crate::seed::seeded;
use crate::story::hi_tom::{Settings as HiToMSettings, generate as make_hi_tom};
use crate::story::tomi::generate as make_tomi;
use crate::story::{ClaimRule, Question, Rules, Version, Wording};
use indexmap::IndexMap;
use rand::seq::IndexedRandom;

/// A story that ends in a statement that a chain of minds takes the object to be in a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Id of the item whose story and question it is made of.
    pub id: String,
    pub benchmark: Benchmark,
    pub language: Language,
    /// Number of its story; the two versions of a made story have one number.
    pub story: usize,
    /// The story without the statement, as the item has it.
    pub told: String,
    /// The statement.
    pub statement: String,
    pub question: Question,
    pub container: String,
    /// Whether the chain has it so at the end of the story.
    pub belief: bool,
    /// Whether it is so.
    pub reality: bool,
    /// Whether it names the container that the story named last.
    pub last_named: bool,
}

impl Statement {
    /// The text whose last token is read: the story, a line break, the statement.
    pub fn text(&self) -> String {
        format!("{}\n{}", self.told, self.statement)
    }

    /// The agents and the container that it names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.container).chain(&self.question.chain).map(String::as_str)
    }
}

/// The statements of a story and its question, one for each container in which an event has the object.
fn statements(item: &Item, tracked: &Told, story: usize) -> Vec<Statement> {
    let Told { wording, question, rules, .. } = tracked;
    let fact = Question { chain: Vec::new(), ..question.clone() };
    let believed = tracked.story.answer(question, *rules);
    let actual = tracked.story.answer(&fact, Rules::default());
    let mut containers: Vec<&str> = Vec::new();
    for container in tracked.story.places(&question.object) {
        if !containers.contains(&container) {
            containers.push(container);
        }
    }
    let text = context(item);
    let last_at = |container: &str| standing(&text, container).last().map(|range| range.start);
    let last = containers.iter().copied().max_by_key(|container| last_at(container));
    let statement = |container: &str| Statement {
        id: item.id.clone(),
        benchmark: item.benchmark,
        language: item.language,
        story,
        told: text.clone(),
        statement: wording.state(question, container),
        question: question.clone(),
        container: container.to_string(),
        belief: believed == Some(container),
        reality: actual == Some(container),
        last_named: last == Some(container),
    };
    containers.iter().map(|container| statement(container)).collect()
}

/// The statements of the items about false beliefs, by story; a chain is asked about once in a story.
pub fn released(items: &[Item]) -> (Vec<Statement>, Vec<SkippedRow>) {
    let (mut found, mut skipped) = (Vec::new(), Vec::new());
    let mut asked: HashSet<(String, Vec<String>, String)> = HashSet::new();
    let mut by_story: IndexMap<(Benchmark, Language, String), Vec<(&Item, Told)>> = IndexMap::new();
    for item in items {
        let tracked = match told(item) {
            Ok(tracked) if tracked.is_about_a_false_belief() => tracked,
            Ok(_) => {
                skipped.push(SkippedRow::new(item, Skip::NoFalseBelief));
                continue;
            }
            Err(_) => {
                skipped.push(SkippedRow::new(item, Skip::Untracked));
                continue;
            }
        };
        let text = context(item);
        let Question { object, chain } = tracked.question.clone();
        match asked.insert((text.clone(), chain, object)) {
            true => by_story.entry((item.benchmark, item.language, text)).or_default().push((item, tracked)),
            false => skipped.push(SkippedRow::new(item, Skip::SameChain)),
        }
    }
    for (number, items) in by_story.values().enumerate() {
        found.extend(items.iter().flat_map(|(item, tracked)| statements(item, tracked, number)));
    }
    (found, skipped)
}

/// Statements of made stories: each story as drawn, with a false belief, and in the version in which whoever is asked about
/// sees every move. There are as many versions as `stories`, half of each kind, or fewer where so many cannot be made;
/// `kinds` says whether Hi-ToM's stories hold claims, each in equal parts.
///
/// # Errors
/// There is no generator for the benchmark in the language.
pub fn made(
    benchmark: Benchmark,
    language: Language,
    kinds: &[bool],
    stories: usize,
    seed: u64,
) -> Result<Vec<Statement>, FreshError> {
    let none = || FreshError::NoGenerator { benchmark, language };
    let wording = Wording::from_language(language).ok_or_else(none)?;
    let draw = |deception: bool, stories: usize| match benchmark {
        Benchmark::ToMi if language == Language::En => Ok(tomi::items(&make_tomi(stories, seed))),
        Benchmark::HiToM => {
            let settings = HiToMSettings {
                chapters: 1,
                size: Default::default(),
                deception,
                stories,
                seed,
                answers: 15,
                wording,
                claims: ClaimRule::Published,
            };
            Ok(hi_tom::items(&make_hi_tom(&settings)?))
        }
        _ => Err(none()),
    };
    let kinds = if benchmark == Benchmark::HiToM { kinds } else { &[false] };
    let wanted = stories / 2 / kinds.len().max(1);
    let mut found = Vec::new();
    let mut number = 0;
    for &deception in kinds {
        // Not every story has a question about a false belief that can be made true.
        let mut drawn = 2 * wanted;
        let pairs = loop {
            let pairs = pairs(&draw(deception, drawn)?, seed);
            if pairs.len() >= wanted || drawn > 16 * wanted {
                break pairs;
            }
            drawn *= 2;
        };
        for pair in pairs.into_iter().take(wanted) {
            let of_one = |(item, tracked): &(Item, Told)| statements(item, tracked, number);
            found.extend(pair.iter().flat_map(of_one));
            number += 1;
        }
    }
    Ok(found)
}

/// For each story with questions about false beliefs that can be made true, one of these, drawn by the story: as it is, and
/// with the belief made true.
fn pairs(items: &[Item], seed: u64) -> Vec<[(Item, Told); 2]> {
    let mut by_story: IndexMap<String, Vec<&Item>> = IndexMap::new();
    for item in items {
        by_story.entry(context(item)).or_default().push(item);
    }
    let both = |item: &Item| {
        let of_false = told(item).ok().filter(Told::is_about_a_false_belief)?;
        let made_true = version(item, Version::TrueBelief).ok()?;
        let of_true = told(&made_true).ok()?;
        Some([(item.clone(), of_false), (made_true, of_true)])
    };
    let one = |(text, items): (&String, &Vec<&Item>)| {
        let able: Vec<[(Item, Told); 2]> = items.iter().filter_map(|item| both(item)).collect();
        able.choose(&mut seeded(seed, &format!("beliefs/{text}"), 0)).cloned()
    };
    by_story.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn belief_and_reality_are_independent_in_pairs_of_made_stories() {
        for benchmark in [Benchmark::ToMi, Benchmark::HiToM] {
            let made = made(benchmark, Language::En, &[false, true], 200, 3).unwrap();
            let stories: BTreeSet<usize> = made.iter().map(|each| each.story).collect();
            assert_eq!(stories, (0..100).collect(), "{benchmark}");
            for story in stories {
                let own: Vec<&Statement> = made.iter().filter(|each| each.story == story).collect();
                let texts: BTreeSet<&str> = own.iter().map(|each| each.told.as_str()).collect();
                assert_eq!(texts.len(), 2, "one story in two versions");
                let words = |text: &str| {
                    let mut words: Vec<String> = text.split_whitespace().map(str::to_string).collect();
                    words.retain(|word| word.parse::<usize>().is_err());
                    words.sort();
                    words
                };
                let all: BTreeSet<Vec<String>> = texts.iter().map(|text| words(text)).collect();
                assert!(benchmark != Benchmark::HiToM || all.len() == 1, "the versions differ in order alone");
                for text in texts {
                    let of: Vec<&&Statement> = own.iter().filter(|each| each.told == text).collect();
                    assert_eq!(of.iter().filter(|each| each.belief).count(), 1, "{text}");
                    assert_eq!(of.iter().filter(|each| each.reality).count(), 1, "{text}");
                }
                let both = own.iter().filter(|each| each.belief && each.reality).count();
                assert_eq!(both, 1, "the belief is true in one of two versions");
            }
        }
    }

    #[test]
    fn a_chain_is_stated_as_it_is_asked_about() {
        let question = Question { object: "apple".into(), chain: vec!["Ann".into(), "Ben".into()] };
        let stated = Wording::English.state(&question, "green_box");
        assert_eq!(stated, "Ann thinks Ben thinks the apple is in the green_box.");
        let fact = Question { chain: Vec::new(), ..question.clone() };
        assert_eq!(Wording::English.state(&fact, "green_box"), "The apple is in the green_box.");
        assert_eq!(Wording::Chinese.state(&question, "盒子"), "Ann认为Ben认为apple在盒子里。");
    }

    #[test]
    fn made_stories_name_nothing_that_the_releases_name() {
        let Some(data) = std::env::var_os("TOMEVAL_DATA") else {
            eprintln!("skipped: TOMEVAL_DATA names no released data");
            return;
        };
        for benchmark in [Benchmark::ToMi, Benchmark::HiToM] {
            let items = benchmark.load(std::path::Path::new(&data), &Default::default()).unwrap().items;
            let (released, skipped) = released(&items);
            assert!(released.len() > 500 && skipped.len() < items.len(), "{benchmark}: {}", released.len());
            let made = made(benchmark, Language::En, &[false, true], 400, 0).unwrap();
            let of_released: BTreeSet<&str> = released.iter().flat_map(Statement::names).collect();
            let shared: Vec<&str> =
                made.iter().flat_map(Statement::names).filter(|name| of_released.contains(name)).collect();
            assert!(shared.is_empty(), "{benchmark}: {shared:?}");
        }
    }
}
