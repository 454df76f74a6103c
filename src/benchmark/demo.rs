//! The demo inventory: questions written for this project, built into the program.
//!
//! Ids are `demo/<story id>/<number of the question, from 0>/<language>`. Facets: `task` (where the question has one of
//! ToMBench's), `dimension`, `ability`, `index`. `datasets/demo/README.md` describes the file.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde::Deserialize;

use super::ability::ABILITIES;
use super::choices::{answer_letter, duplicate_options};
use super::definition::{Definition, card};
use super::{Answer, Benchmark, Facets, Item, LoadError, LoadOptions, Loaded, RowProblem, Segment, SegmentKind};
use crate::language::Language;

pub(super) static DEMO: Definition =
    Definition { benchmark: Benchmark::Demo, card: card!("demo"), choices: &[], is_at: |_| false, load };

const FILE: &str = "datasets/demo/inventory.toml";
const INVENTORY: &str = include_str!("../../datasets/demo/inventory.toml");

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

/// The inventory, all English items before all Chinese ones.
fn load(_: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let inventory: Inventory = toml::from_str(INVENTORY)
        .map_err(|error| LoadError::Malformed { path: PathBuf::from(FILE), message: error.to_string() })?;
    let mut loaded = Loaded::default();
    for language in [Language::En, Language::Zh] {
        if !options.wants(language) {
            continue;
        }
        for story in &inventory.story {
            for (number, question) in story.question.iter().enumerate() {
                match item(story, number, question, language) {
                    Ok(item) => loaded.items.push(item),
                    Err(message) => loaded.problems.push(RowProblem {
                        file: PathBuf::from(FILE),
                        row: None,
                        field: Some(format!("{}/{number}", story.id)),
                        message,
                    }),
                }
            }
        }
    }
    Ok(loaded)
}

fn item(story: &Story, number: usize, question: &Question, language: Language) -> Result<Item, String> {
    let (text, words) = match language {
        Language::Zh => (&story.zh, &question.zh),
        _ => (&story.en, &question.en),
    };
    let answer = answer_letter(&question.answer)
        .filter(|answer| answer.option.0 < words.options.len())
        .ok_or_else(|| format!("`{}` names none of the {} options", question.answer, words.options.len()))?;
    let (dimension, _) = ABILITIES
        .iter()
        .find(|(_, abilities)| abilities.contains(&question.ability.as_str()))
        .ok_or_else(|| format!("`{}` is none of the 31 abilities", question.ability))?;
    let mut facets = Facets::new();
    let mut facet = |name: &str, value: &str| facets.insert(name.to_string(), value.to_string());
    if let Some(task) = &question.task {
        facet("task", task);
    }
    facet("dimension", dimension);
    facet("ability", &question.ability);
    facet("index", &(number + 1).to_string());
    let parallel = format!("demo/{}/{number}", story.id);
    Ok(Item {
        id: format!("{parallel}/{language}"),
        benchmark: Benchmark::Demo,
        language,
        parallel,
        story: format!("demo/{}/{language}", story.id),
        context: vec![Segment { kind: SegmentKind::Story, text: text.as_str().into() }],
        question: words.question.clone(),
        flags: duplicate_options(&words.options).into_iter().collect(),
        options: words.options.clone(),
        gold: Answer::Single(answer.option),
        facets,
        fields: IndexMap::new(),
    })
}
