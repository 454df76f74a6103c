//! From the answers of an earlier run to reminders of the items that are linked to its questions.

use std::collections::{BTreeSet, HashMap};

use indexmap::IndexMap;
use rand::Rng;
use sha2::{Digest, Sha256};

use super::dataset::Dataset;
use super::loaded::LoadedItems;
use super::reminding::reasons;
use crate::benchmark::{Answer, Item, OptionIx, TiedStories};
use crate::language::Language;
use crate::prompt::{FIRST_ANSWER, FIRST_ANSWERS, Reminder};
use crate::seed::seeded;

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

const NOT_LINKED: &str = "linked question not in that run";
const NOT_ANSWERED: &str = "linked question not answered";

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Benchmark, Segment, SegmentKind};
    use crate::trial::Dataset;

    fn item(id: &str, story: &str, options: &[&str], gold: Answer) -> Item {
        Item {
            id: id.into(),
            benchmark: Benchmark::Custom,
            language: Language::En,
            parallel: id.into(),
            story: story.into(),
            context: vec![Segment { kind: SegmentKind::Story, text: story.into() }],
            question: format!("{id}?"),
            options: options.iter().map(|option| option.to_string()).collect(),
            gold,
            facets: Default::default(),
            fields: Default::default(),
            flags: Vec::new(),
        }
    }

    fn single(option: usize) -> Answer {
        Answer::Single(OptionIx(option))
    }

    fn labels(options: &[usize]) -> Answer {
        Answer::Labels(options.iter().copied().map(OptionIx).collect())
    }

    /// Items as reminded of these answers to the first of each story.
    fn reminded(
        items: &[Item],
        answers: &[(&str, Option<Answer>)],
    ) -> Result<(LoadedItems, IndexMap<String, usize>), ReminderError> {
        let of_story = |second: &Item| {
            let firsts = answers.iter().map(|(id, _)| items.iter().find(|item| item.id == *id).unwrap());
            firsts.filter(|first| first.story == second.story).map(|first| first.id.clone()).collect::<Vec<_>>()
        };
        let seconds = items.iter().filter(|item| item.id.starts_with("second"));
        let firsts = FirstAnswers {
            answers: answers.iter().map(|(id, answer)| (id.to_string(), answer.clone())).collect(),
            linked: seconds.map(|second| (second.id.clone(), of_story(second))).collect(),
        };
        let dataset = Dataset::new(vec![Benchmark::Custom], None, Default::default()).unwrap();
        let mut loaded = LoadedItems::new(items.to_vec(), None);
        let (left_out, _) = loaded.remind(&firsts, &dataset)?;
        Ok((loaded, left_out))
    }

    #[test]
    fn items_have_the_answers_to_their_questions_and_others_are_counted() {
        let yes_no = ["yes", "no"];
        let both = |story: &str| {
            let first = item(&format!("first-{story}"), story, &yes_no, single(0));
            [first, item(&format!("second-{story}"), story, &["go", "stay"], single(1))]
        };
        let items = ["a", "b", "c", "d"].map(both).concat();
        let answers = [("first-a", Some(single(0))), ("first-b", Some(single(1))), ("first-c", None)];
        let (loaded, left_out) = reminded(&items, &answers).unwrap();
        let ids: Vec<&str> = loaded.items.iter().map(|item| item.id.as_str()).collect();
        assert_eq!((ids, loaded.in_data().len()), (vec!["second-a", "second-b"], 8));
        assert_eq!(left_out, IndexMap::from([(NOT_ANSWERED.to_string(), 1), (NOT_LINKED.to_string(), 1)]));
        for (item, [own, other, unrelated], value) in [
            (&loaded.items[0], [("first-a", "yes"), ("first-a", "no"), ("first-b", "no")], "right"),
            (&loaded.items[1], [("first-b", "no"), ("first-b", "yes"), ("first-a", "yes")], "wrong"),
        ] {
            assert_eq!(item.facet(FIRST_ANSWER), Some(value));
            let said = Reminder::ALL.into_iter().zip([own, other, unrelated]);
            for (reminder, (question, answer)) in said {
                let text = &item.fields[&reminder.field()];
                assert!(text.contains(&format!("{question}?")) && text.ends_with(&format!("\"{answer}\"")), "{text}");
            }
        }
        assert!(matches!(reminded(&items, &[("first-c", None)]), Err(ReminderError::NothingLeft(_))));
        let mut foreign = items;
        foreign[0].language = "sw".parse().unwrap();
        assert!(matches!(reminded(&foreign, &answers), Err(ReminderError::NoWords { .. })));
    }

    #[test]
    fn other_answers_are_other_options_or_sets_with_one_more_or_less() {
        let who = item("who", "a", &["Ann", "Bo", "Bo"], labels(&[0]));
        assert_eq!(words_of(&who, &labels(&[0, 1])).as_deref(), Some("Ann, Bo"));
        assert_eq!((words_of(&who, &labels(&[])), words_of(&who, &Answer::Slots(vec![OptionIx(0)]))), (None, None));
        assert_eq!(others(&who, &labels(&[0]), "Ann"), ["Ann, Bo", "Ann, Bo"], "no empty set");
        assert_eq!(others(&who, &single(1), "Bo"), ["Ann"], "another option of the same words is no other answer");
    }

    #[test]
    fn an_unrelated_answer_is_no_option_where_others_are_left() {
        let items = [
            item("first-a", "a", &["box", "bag"], single(0)),
            item("second-a", "a", &["box", "bag"], single(0)),
            item("first-b", "b", &["box", "tin"], single(0)),
            item("first-c", "c", &["jar", "tin"], single(0)),
        ];
        let answers = ["first-a", "first-b", "first-c"].map(|id| (id, Some(single(0))));
        let (loaded, _) = reminded(&items, &answers).unwrap();
        assert!(loaded.items[0].fields[&Reminder::Unrelated.field()].contains("\"jar\""));
        let (loaded, _) = reminded(&items, &answers[..2]).unwrap();
        assert!(loaded.items[0].fields[&Reminder::Unrelated.field()].contains("\"box\""), "there is no other");
    }
}
