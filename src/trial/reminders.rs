//! Reminders of items: the answers that an earlier run gave to the questions that they are linked to.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use indexmap::IndexMap;
use rand::Rng;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::dataset::Dataset;
use super::loaded::LoadedItems;
use crate::benchmark::{Answer, Item, OptionIx, TiedStories};
use crate::counted::counted;
use crate::language::Language;
use crate::prompt::{FIRST_ANSWER, FIRST_ANSWERS, Reminder};
use crate::seed::seeded;

/// The reminders of a run, as stored in the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Reminding {
    /// The card's link, to whose first questions the answers are.
    pub link: String,
    /// Whose answers items are asked with, beside being asked plainly.
    pub kinds: Vec<Reminder>,
    /// The model that gave the answers.
    pub model: String,
    /// SHA-256 that identifies it regardless of its name, as far as known.
    pub model_sha256: String,
    /// Style in which it was asked.
    pub style: String,
    /// How it answered, in a few words.
    pub answers: String,
    /// SHA-256 of the answers, in the order of their items.
    pub sha256: String,
    /// Items of the second side that are not asked, by the reason.
    pub left_out: IndexMap<String, usize>,
    /// Items linked to several questions, of which one was drawn; absent if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub drawn: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Reminding {
    /// Returns the reminders with which each item is asked, each with the link.
    pub(super) fn each(&self) -> impl Iterator<Item = (Reminder, Arc<str>)> {
        let link: Arc<str> = Arc::from(self.link.as_str());
        self.kinds.iter().map(move |&kind| (kind, Arc::clone(&link)))
    }

    /// Says whose answers these are, and which items have none.
    pub fn notes(&self) -> Vec<String> {
        let Reminding { link, model, style, answers, left_out, drawn, .. } = self;
        let mut notes = vec![format!("answers of {model} in the style {style}, {answers}.")];
        if !left_out.is_empty() {
            let all = counted(left_out.values().sum(), "item");
            notes.push(format!("{all} not asked ({}).", reasons(left_out)));
        }
        if *drawn > 0 {
            let items = counted(*drawn, "item");
            notes.push(format!("{items} linked to several answered questions, of which one was drawn."));
        }
        notes.into_iter().map(|note| format!("Reminders ({link}): {note}")).collect()
    }

    /// Says that the answers are not those of the model of this name and hash; `None` if they are.
    pub fn of_another(&self, name: &str, sha256: &str) -> Option<String> {
        let Reminding { link, model, model_sha256, .. } = self;
        if (model.as_str(), model_sha256.as_str()) == (name, sha256) {
            return None;
        }
        let other = match model == name {
            true => format!("another model of the name {model}"),
            false => format!("{model}, not of {name}"),
        };
        Some(format!("Reminders ({link}): what is called the model's own answer is that of {other}."))
    }
}

fn reasons(left_out: &IndexMap<String, usize>) -> String {
    left_out.iter().map(|(why, items)| format!("{items}: {why}")).collect::<Vec<_>>().join("; ")
}

/// Answers to the first questions of links, and the items that are linked to them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FirstAnswers {
    /// The answer to each first question, by its id; `None` where there is none.
    pub answers: IndexMap<String, Option<Answer>>,
    /// The first questions of each item of the second side, by their ids.
    pub linked: HashMap<String, Vec<String>>,
}

impl FirstAnswers {
    /// SHA-256 of the answers.
    pub fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        for (id, answer) in &self.answers {
            let answer = answer.as_ref().map(|answer| (answer.kind(), answer.options()));
            hash.update(format!("{}\n{id}{answer:?}\n", id.len()));
        }
        hex::encode(hash.finalize())
    }
}

/// Items that cannot be reminded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReminderError {
    /// There are no words in the language of an item.
    #[error(
        "--remind: item `{item}` is in {language}, and reminders are worded in {} only; name languages with --language",
        Language::ALL.map(Language::name).join(", ")
    )]
    NoWords { item: String, language: &'static str },
    /// No item is left.
    #[error("--remind: nothing is left to ask: {0}")]
    NothingLeft(String),
}

/// An answered first question.
struct First<'a> {
    item: &'a Item,
    answer: &'a Answer,
    /// The answer in its words.
    words: String,
    /// Number of its story.
    story: usize,
}

impl LoadedItems {
    /// Gives each item that is linked to an answered question its reminders, leaves out the others, and limits what is left
    /// as the dataset is limited. Returns why items were left out, and how many are linked to several questions.
    ///
    /// # Errors
    /// No item is left, or there are no words in the language of one.
    pub fn remind(
        &mut self,
        firsts: &FirstAnswers,
        dataset: &Dataset,
    ) -> Result<(IndexMap<String, usize>, usize), ReminderError> {
        let all = self.in_data().to_vec();
        let (stories, _) = TiedStories::of_items(all.iter());
        let places: HashMap<&str, (&Item, usize)> =
            all.iter().zip(stories).map(|(item, story)| (item.id.as_str(), (item, story))).collect();
        let mut answered: IndexMap<&str, First<'_>> = IndexMap::new();
        for (id, answer) in &firsts.answers {
            if let (Some(&(item, story)), Some(answer)) = (places.get(id.as_str()), answer)
                && let Some(words) = words_of(item, answer)
            {
                answered.insert(id, First { item, answer, words, story });
            }
        }
        let (mut left_out, mut drawn) = (IndexMap::new(), 0);
        let mut reminded: Vec<Item> = Vec::new();
        for item in std::mem::take(&mut self.items) {
            let Some(linked) = firsts.linked.get(&item.id) else { continue };
            let own: Vec<&First<'_>> = linked.iter().filter_map(|id| answered.get(id.as_str())).collect();
            let Some(&first) = draw(dataset.seed, "linked question", &item, &own) else {
                let why = if linked.is_empty() { NOT_LINKED } else { NOT_ANSWERED };
                *left_out.entry(why.to_string()).or_default() += 1;
                continue;
            };
            drawn += usize::from(own.len() > 1);
            let story = places.get(item.id.as_str()).map_or(first.story, |(_, story)| *story);
            reminded.push(with_reminders(item, story, first, &answered, dataset.seed)?);
        }
        left_out.sort_keys();
        if reminded.is_empty() {
            return Err(ReminderError::NothingLeft(if left_out.is_empty() {
                "no item is on the second side of the link".to_string()
            } else {
                reasons(&left_out)
            }));
        }
        self.unlimited.get_or_insert(all);
        for of_benchmark in reminded.chunk_by(|one, next| one.benchmark == next.benchmark) {
            self.items.extend(dataset.limited(of_benchmark[0].benchmark, of_benchmark.to_vec()));
        }
        Ok((left_out, drawn))
    }
}

const NOT_LINKED: &str = "no question of its story that the link names is in the run of the answers";
const NOT_ANSWERED: &str = "its linked question has no answer there";

/// The item with its reminders, and whether the answer that was given is right.
fn with_reminders(
    mut item: Item,
    story: usize,
    first: &First<'_>,
    answered: &IndexMap<&str, First<'_>>,
    seed: u64,
) -> Result<Item, ReminderError> {
    let others = others(first.item, first.answer, &first.words);
    let other = draw(seed, "another answer", &item, &others);
    let unrelated: Vec<&First<'_>> = answered
        .values()
        .filter(|each| {
            each.story != story && (each.item.benchmark, each.item.language) == (item.benchmark, item.language)
        })
        .collect();
    // An answer that is an option here could itself be right or wrong.
    let elsewhere: Vec<&First<'_>> =
        unrelated.iter().copied().filter(|each| !item.options.contains(&each.words)).collect();
    let unrelated = draw(seed, "unrelated answer", &item, if elsewhere.is_empty() { &unrelated } else { &elsewhere });
    let reminders = [
        (Reminder::Own, Some((first.item, &first.words))),
        (Reminder::Other, other.map(|words| (first.item, words))),
        (Reminder::Unrelated, unrelated.map(|each| (each.item, &each.words))),
    ];
    let mut fields = IndexMap::new();
    for (reminder, said) in reminders {
        let Some((asked, answer)) = said else { continue };
        let no_words = || ReminderError::NoWords { item: item.id.clone(), language: item.language.name() };
        fields.insert(reminder.field(), Reminder::text(asked, answer).ok_or_else(no_words)?);
    }
    item.fields.extend(fields);
    let value = FIRST_ANSWERS[usize::from(*first.answer != first.item.gold)];
    item.facets.insert(FIRST_ANSWER.to_string(), value.to_string());
    Ok(item)
}

/// One of these, by the seed, what is drawn, and the question in all its languages; `None` of none.
fn draw<'t, T>(seed: u64, what: &str, item: &Item, among: &'t [T]) -> Option<&'t T> {
    match among.len() {
        0 | 1 => among.first(),
        several => {
            let mut random = seeded(seed, &format!("reminder, {what}\n{}", item.parallel), 0);
            among.get(random.random_range(0..several))
        }
    }
}

/// An answer in words: an option, or several joined; `None` of no option, and of several slots.
fn words_of(item: &Item, answer: &Answer) -> Option<String> {
    let text = |option: &OptionIx| item.options.get(option.0).map(|text| text.trim());
    let join = if matches!(item.language, Language::Zh | Language::Ja) { "、" } else { ", " };
    let words = match answer {
        Answer::Single(option) => text(option)?.to_string(),
        Answer::Labels(options) => options.iter().map(text).collect::<Option<Vec<&str>>>()?.join(join),
        Answer::Slots(_) => return None,
    };
    (!words.is_empty()).then_some(words)
}

/// The words of other answers to a question: other options, or sets that have one option more or less.
fn others(item: &Item, answer: &Answer, given: &str) -> Vec<String> {
    let other = |option: OptionIx| match answer {
        Answer::Labels(options) => Answer::Labels(options ^ &BTreeSet::from([option])),
        Answer::Single(_) | Answer::Slots(_) => Answer::Single(option),
    };
    let words = (0..item.options.len()).filter_map(|option| words_of(item, &other(OptionIx(option))));
    words.filter(|words| words != given).collect()
}
