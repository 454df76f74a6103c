//! A question as its row has it, and the item it becomes.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Value;

use super::gold::Gold;
use super::python::from_python;
use super::template::scalar;
use crate::benchmark::choices::duplicate_options;
use crate::benchmark::own::GoldBase;
use crate::benchmark::{Benchmark, Facets, Flag, Item, Segment, SegmentKind};
use crate::counted::counted;
use crate::language::Language;
use crate::name::option_letter;

/// A question as its row has it, except for numeric answers, whose base only the whole file determines.
#[derive(Debug)]
pub(in crate::benchmark) struct Draft {
    pub language: Language,
    pub context: Vec<(SegmentKind, String)>,
    pub question: String,
    pub options: Vec<String>,
    /// Whether labels were taken off the options.
    pub labelled: bool,
    pub gold: Gold,
}

/// What an item is called and grouped by.
#[derive(Debug)]
pub(in crate::benchmark) struct Place {
    pub id: String,
    pub parallel: String,
    /// The id of the story; by default a number for each text.
    pub story: Option<String>,
    pub facets: Facets,
    pub flags: Vec<Flag>,
}

impl Draft {
    /// The item, where options are numbered from `base`; `Err` says what is wrong with the answer.
    pub fn item(
        self,
        benchmark: Benchmark,
        base: GoldBase,
        place: Place,
        stories: &mut Stories,
    ) -> Result<Item, String> {
        let Draft { language, context, question, options, labelled, gold } = self;
        let gold = gold.answer(base, options.len())?;
        let context: Vec<Segment> =
            context.into_iter().map(|(kind, text)| Segment { kind, text: stories.shared(text) }).collect();
        let story = place.story.unwrap_or_else(|| stories.numbered(benchmark, language, &context));
        let mut flags: Vec<Flag> = duplicate_options(&options).into_iter().collect();
        if labelled {
            let detail = "the option texts carried their letters, which were taken off".to_string();
            flags.push(Flag { name: "labelled-options".into(), detail });
        }
        flags.extend(place.flags);
        Ok(Item {
            id: place.id,
            benchmark,
            language,
            parallel: place.parallel,
            story,
            context,
            question,
            options,
            gold,
            facets: place.facets,
            fields: IndexMap::new(),
            flags,
        })
    }
}

/// The stories so far; questions about one story share one copy of its text.
#[derive(Debug, Default)]
pub(in crate::benchmark) struct Stories {
    texts: HashSet<Arc<str>>,
    numbers: HashMap<(Language, Vec<Arc<str>>), usize>,
    count: usize,
}

impl Stories {
    /// The shared copy of a text.
    fn shared(&mut self, text: String) -> Arc<str> {
        if let Some(known) = self.texts.get(text.as_str()) {
            return known.clone();
        }
        let text: Arc<str> = text.into();
        self.texts.insert(text.clone());
        text
    }

    /// The id of a story by its number in a language; a question without context counts as its own.
    fn numbered(&mut self, benchmark: Benchmark, language: Language, context: &[Segment]) -> String {
        let next = self.count;
        let texts: Vec<Arc<str>> = context.iter().map(|segment| segment.text.clone()).collect();
        let number = match texts.is_empty() {
            true => next,
            false => *self.numbers.entry((language, texts)).or_insert(next),
        };
        self.count += usize::from(number == next);
        format!("{benchmark}/s{number}/{language}")
    }
}

/// The value of a text that is a list or object in JSON or Python's notation; anything else unchanged.
pub(in crate::benchmark) fn parsed(value: Value) -> Value {
    let inner = value.as_str().and_then(|text| serde_json::from_str(text).ok().or_else(|| from_python(text)));
    inner.filter(|inner: &Value| inner.is_array() || inner.is_object()).unwrap_or(value)
}

/// Options, unless there are too few or too many for one question.
pub(in crate::benchmark) fn few_enough(options: Vec<String>) -> Result<Vec<String>, String> {
    match options.len() {
        2..=26 => Ok(options),
        count => Err(format!("{}; from 2 to 26 are needed", counted(count, "option"))),
    }
}

/// The texts of a list: texts, objects with a `text`, an object with a text for each letter, or any of these as a text
/// in JSON or Python's notation.
pub(in crate::benchmark) fn listed(value: &Value) -> Result<Vec<String>, String> {
    match value {
        Value::Array(list) => list
            .iter()
            .map(|option| {
                let text = option.get("text").unwrap_or(option);
                scalar(text)
                    .filter(|text| !text.trim().is_empty())
                    .ok_or_else(|| format!("{option} where the text of an option is needed"))
            })
            .collect(),
        Value::Object(lettered) => (0..lettered.len().min(26))
            .map(|at| {
                let (upper, lower) = (option_letter(at), option_letter(at).to_ascii_lowercase());
                let text = lettered.get(&upper).or_else(|| lettered.get(&lower)).and_then(scalar);
                text.ok_or_else(|| {
                    format!("an object without a text for {upper}; options are {{\"A\": .., \"B\": ..}}")
                })
            })
            .collect(),
        Value::String(_) => match parsed(value.clone()) {
            list @ (Value::Array(_) | Value::Object(_)) => listed(&list),
            _ => Err("not a list of texts; write a JSON list with its texts in double quotes, or use the columns option_a, option_b, ..".to_string()),
        },
        other => Err(format!("{other} where a list of texts is needed")),
    }
}
