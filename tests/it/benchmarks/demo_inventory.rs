//! The demo inventory is complete, balanced and what its README says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use tomeval::internal::ABILITIES;
use tomeval::{Benchmark, Item, Language, LoadOptions};

const TASKS: [&str; 8] = [
    "Unexpected Outcome Test",
    "Scalar Implicature Task",
    "Persuasion Story Task",
    "False Belief Task",
    "Ambiguous Story Task",
    "Hinting Test",
    "Strange Story Task",
    "Faux-pas Recognition Test",
];

fn questions(language: Language) -> Vec<Item> {
    let options = LoadOptions { languages: vec![language], ..LoadOptions::default() };
    let loaded = Benchmark::Demo.load(Path::new(""), &options).unwrap();
    assert_eq!(loaded.problems, []);
    loaded.items
}

/// The questions of each story, in both languages together.
fn stories() -> BTreeMap<String, Vec<(Item, Item)>> {
    let mut stories: BTreeMap<String, Vec<(Item, Item)>> = BTreeMap::new();
    let (english, chinese) = (questions(Language::En), questions(Language::Zh));
    assert_eq!(english.len(), chinese.len());
    for (en, zh) in english.into_iter().zip(chinese) {
        assert_eq!(en.parallel, zh.parallel);
        stories.entry(story(&en).to_string()).or_default().push((en, zh));
    }
    stories
}

/// The story's id in the inventory.
fn story(item: &Item) -> &str {
    item.parallel.split('/').nth(1).unwrap()
}

fn text(item: &Item) -> &str {
    let [story] = &item.context[..] else { panic!("{}: one text", item.id) };
    &story.text
}

fn is_han(character: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&character)
}

#[test]
fn there_are_two_questions_for_each_of_the_31_abilities() {
    let english = questions(Language::En);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    english.iter().for_each(|item| *counts.entry(item.facet("ability").unwrap()).or_default() += 1);
    let abilities: BTreeSet<&str> = ABILITIES.iter().flat_map(|(_, abilities)| abilities.iter().copied()).collect();
    assert_eq!(counts.keys().copied().collect::<BTreeSet<_>>(), abilities);
    assert!(counts.values().all(|&count| count == 2), "{counts:?}");
    assert_eq!(english.len(), 62);
}

#[test]
fn all_eight_tasks_are_there_and_no_other() {
    let english = questions(Language::En);
    let tasks: BTreeSet<&str> = english.iter().filter_map(|item| item.facet("task")).collect();
    assert_eq!(tasks, BTreeSet::from(TASKS));
}

#[test]
fn at_least_15_stories_have_several_questions() {
    let stories = stories();
    assert!(stories.keys().all(|id| id.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
    for (id, questions) in &stories {
        let numbers: Vec<String> = questions.iter().map(|(en, _)| en.parallel.clone()).collect();
        let expected: Vec<String> = (0..questions.len()).map(|number| format!("demo/{id}/{number}")).collect();
        assert_eq!(numbers, expected, "story ids are unique");
    }
    assert!(stories.values().filter(|questions| questions.len() > 1).count() >= 15);
}

#[test]
fn both_languages_are_complete_and_in_their_own_script() {
    for (en, zh) in stories().values().flatten() {
        assert_eq!(en.options.len(), zh.options.len(), "{}", en.id);
        assert_eq!(en.gold, zh.gold, "{}", en.id);
        let texts =
            |item: &Item| [text(item).to_string(), item.question.clone()].into_iter().chain(item.options.clone());
        assert!(texts(en).all(|text| text.is_ascii()), "{}", en.id);
        assert!(texts(zh).all(|text| text.chars().any(is_han)), "{}", zh.id);
        assert!(texts(zh).all(|text| !text.chars().any(|c| c.is_ascii_alphabetic())), "{}", zh.id);
        assert!(texts(en).chain(texts(zh)).all(|text| text.trim() == text && !text.contains('\n')));
    }
}

#[test]
fn options_differ() {
    for item in [questions(Language::En), questions(Language::Zh)].concat() {
        let distinct: BTreeSet<String> = item.options.iter().map(|option| option.to_lowercase()).collect();
        assert_eq!(distinct.len(), item.options.len(), "{}", item.id);
        assert!([2, 4].contains(&item.options.len()), "{}", item.id);
    }
}

#[test]
fn answers_are_spread_evenly_over_the_letters() {
    let english = questions(Language::En);
    for options in [4, 2] {
        let answers: Vec<usize> =
            english.iter().filter(|item| item.options.len() == options).flat_map(|item| item.gold.options()).collect();
        let counts: Vec<usize> =
            (0..options).map(|option| answers.iter().filter(|&&answer| answer == option).count()).collect();
        let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
        assert!(*least > 0 && most - least <= 1, "{options} options: {counts:?}");
    }
}

#[test]
fn texts_are_short() {
    for item in questions(Language::En) {
        let words = text(&item).split_whitespace().count();
        assert!((30..=60).contains(&words), "{}: {words} words", item.id);
        assert!(item.options.iter().all(|option| option.split_whitespace().count() <= 5), "{:?}", item.options);
    }
}

/// The example of human keywords, in the format that `tomeval attend --human` reads.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keywords {
    format: String,
    items: Vec<Marked>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Marked {
    id: String,
    readers: Vec<Reader>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reader {
    name: String,
    keywords: Vec<String>,
}

#[test]
fn every_question_has_keywords_from_its_story() {
    let keywords: Keywords = serde_json::from_str(include_str!("../../../datasets/demo/keywords.json")).unwrap();
    assert_eq!(keywords.format, "tomeval-human-keywords/1");
    let mut marked: BTreeMap<&str, &Marked> = BTreeMap::new();
    for item in &keywords.items {
        assert!(marked.insert(&item.id, item).is_none(), "{} stands there twice", item.id);
    }
    for item in [questions(Language::En), questions(Language::Zh)].concat() {
        let id = &item.id;
        let entry = marked.remove(id.as_str()).unwrap_or_else(|| panic!("{id} is missing"));
        let [reader] = &entry.readers[..] else { panic!("{id}: one reader marked the inventory") };
        assert_eq!(reader.name, "author");
        let words: usize = reader.keywords.iter().map(|keyword| keyword.split_whitespace().count()).sum();
        assert!((3..=8).contains(&words), "{id}: {words} words");
        assert!(reader.keywords.iter().all(|keyword| text(&item).contains(keyword)), "{id}: {:?}", reader.keywords);
    }
    assert!(marked.is_empty(), "keywords for unknown items: {:?}", marked.keys());
}
