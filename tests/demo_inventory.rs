//! The demo inventory is complete, balanced and what its README says.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use tomeval::benchmark::ABILITIES;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Inventory {
    story: Vec<Story>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Story {
    id: String,
    en: String,
    zh: String,
    question: Vec<Question>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    ability: String,
    task: Option<String>,
    answer: String,
    en: Text,
    zh: Text,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    question: String,
    options: Vec<String>,
}

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

fn inventory() -> Inventory {
    toml::from_str(include_str!("../datasets/demo/inventory.toml")).unwrap()
}

fn questions(inventory: &Inventory) -> impl Iterator<Item = &Question> {
    inventory.story.iter().flat_map(|story| &story.question)
}

fn is_han(character: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&character)
}

#[test]
fn there_are_two_questions_for_each_of_the_31_abilities() {
    let inventory = inventory();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    questions(&inventory).for_each(|question| *counts.entry(&question.ability).or_default() += 1);
    let abilities: BTreeSet<&str> = ABILITIES.iter().flat_map(|(_, abilities)| abilities.iter().copied()).collect();
    assert_eq!(counts.keys().copied().collect::<BTreeSet<_>>(), abilities);
    assert!(counts.values().all(|&count| count == 2), "{counts:?}");
    assert_eq!(questions(&inventory).count(), 62);
}

#[test]
fn all_eight_tasks_are_there_and_no_other() {
    let inventory = inventory();
    let tasks: BTreeSet<&str> = questions(&inventory).filter_map(|question| question.task.as_deref()).collect();
    assert_eq!(tasks, BTreeSet::from(TASKS));
}

#[test]
fn at_least_15_stories_have_several_questions() {
    let inventory = inventory();
    let ids: BTreeSet<&str> = inventory.story.iter().map(|story| story.id.as_str()).collect();
    assert_eq!(ids.len(), inventory.story.len(), "story ids are unique");
    assert!(ids.iter().all(|id| id.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
    assert!(inventory.story.iter().filter(|story| story.question.len() > 1).count() >= 15);
}

#[test]
fn both_languages_are_complete_and_in_their_own_script() {
    let inventory = inventory();
    for story in &inventory.story {
        assert!(story.en.is_ascii() && story.zh.chars().any(is_han), "{}", story.id);
        for Question { en, zh, .. } in &story.question {
            assert_eq!(en.options.len(), zh.options.len(), "{}", en.question);
            let english = || en.options.iter().chain([&en.question, &story.en]);
            let chinese = || zh.options.iter().chain([&zh.question, &story.zh]);
            assert!(english().all(|text| text.is_ascii()), "{}", en.question);
            assert!(chinese().all(|text| text.chars().any(is_han)), "{}", en.question);
            assert!(chinese().all(|text| !text.chars().any(|c| c.is_ascii_alphabetic())), "{}", en.question);
            assert!(english().chain(chinese()).all(|text| text.trim() == text && !text.contains('\n')));
        }
    }
}

#[test]
fn options_differ_and_answers_name_one_of_them() {
    for Question { en, zh, answer, .. } in questions(&inventory()) {
        for text in [en, zh] {
            let distinct: BTreeSet<String> = text.options.iter().map(|option| option.to_lowercase()).collect();
            assert_eq!(distinct.len(), text.options.len(), "{}", text.question);
            assert!([2, 4].contains(&text.options.len()), "{}", text.question);
        }
        let slot = ["A", "B", "C", "D"].iter().position(|letter| letter == answer).unwrap();
        assert!(slot < en.options.len(), "{}", en.question);
    }
}

#[test]
fn answers_are_spread_evenly_over_the_letters() {
    for (options, letters) in [(4, "ABCD"), (2, "AB")] {
        let inventory = inventory();
        let answers: Vec<&str> = questions(&inventory)
            .filter(|question| question.en.options.len() == options)
            .map(|question| question.answer.as_str())
            .collect();
        let counts: Vec<usize> =
            letters.chars().map(|letter| answers.iter().filter(|answer| answer.starts_with(letter)).count()).collect();
        let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
        assert!(*least > 0 && most - least <= 1, "{options} options: {counts:?}");
    }
}

#[test]
fn texts_are_short() {
    let inventory = inventory();
    for story in &inventory.story {
        let words = story.en.split_whitespace().count();
        assert!((30..=60).contains(&words), "{}: {words} words", story.id);
    }
    for Question { en, .. } in questions(&inventory) {
        assert!(en.options.iter().all(|option| option.split_whitespace().count() <= 5), "{:?}", en.options);
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
    let keywords: Keywords = serde_json::from_str(include_str!("../datasets/demo/keywords.json")).unwrap();
    assert_eq!(keywords.format, "tomeval-human-keywords/1");
    let mut marked: BTreeMap<&str, &Marked> = BTreeMap::new();
    for item in &keywords.items {
        assert!(marked.insert(&item.id, item).is_none(), "{} stands there twice", item.id);
    }
    for story in inventory().story {
        for number in 0..story.question.len() {
            for (language, text) in [("en", &story.en), ("zh", &story.zh)] {
                let id = format!("demo/{}/{number}/{language}", story.id);
                let item = marked.remove(id.as_str()).unwrap_or_else(|| panic!("{id} is missing"));
                let [reader] = &item.readers[..] else { panic!("{id}: one reader marked the inventory") };
                assert_eq!(reader.name, "author");
                let words: usize = reader.keywords.iter().map(|keyword| keyword.split_whitespace().count()).sum();
                assert!((3..=8).contains(&words), "{id}: {words} words");
                assert!(reader.keywords.iter().all(|keyword| text.contains(keyword)), "{id}: {:?}", reader.keywords);
            }
        }
    }
    assert!(marked.is_empty(), "keywords for unknown items: {:?}", marked.keys());
}
