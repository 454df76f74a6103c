//! One line of an answer file: what it says of which item, or what is wrong with it.

use std::collections::HashMap;

use indexmap::IndexMap;
use serde::Deserialize;

use crate::answer::{TrialReading, answers_wanted, displayed_answers};
use crate::benchmark::{Answer, Item, OptionIx};
use crate::extract::{self, Question, Reading, Rules};
use crate::name::option_letter;
use crate::parse_error::in_words;
use crate::prompt::{Order, UNNAMED_STYLE};

/// A line of an answer file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}{}: {message}", field.map_or_else(String::new, |field| format!(", `{field}`")))]
pub struct ImportedProblem {
    /// The line, counted from 1.
    pub line: usize,
    /// The key at fault, where there is one.
    pub field: Option<&'static str>,
    /// What was found and what was expected.
    pub message: String,
    /// The id, where the line names an item that is not among those given.
    pub unknown_id: Option<String>,
}

/// How replies are read: by which rules, and with which labels where a line names none.
pub struct ReplyReading<'a> {
    pub rules: Rules,
    /// The labels of an item's slots under a style.
    pub labels: Box<dyn Fn(&Item, &str) -> Vec<String> + 'a>,
}

impl Default for ReplyReading<'_> {
    /// This program's rules, and capital letters.
    fn default() -> Self {
        let labels = |item: &Item, _: &str| (0..item.options.len()).map(option_letter).collect();
        ReplyReading { rules: Rules::default(), labels: Box::new(labels) }
    }
}

/// What one usable line says of one item.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ImportedTrial {
    /// Position of the item among those it was read with.
    pub(super) item: usize,
    pub(super) style: String,
    pub(super) condition: Option<String>,
    pub(super) rater: Option<String>,
    pub(super) order: Option<Order>,
    /// What was chosen; `None` for no answer.
    pub(super) choice: Option<Answer>,
    /// Natural logarithms, where they are known: per option, or per joint choice for slots; log-odds of yes for labels.
    pub(super) logprobs: Option<Vec<f64>>,
    pub(super) reading: Option<TrialReading>,
}

#[derive(Deserialize)]
struct Line {
    id: String,
    #[serde(default, deserialize_with = "present")]
    choice: Option<RawChoice>,
    text: Option<String>,
    labels: Option<Vec<String>>,
    cut: Option<bool>,
    answers: Option<IndexMap<String, Option<String>>>,
    order: Option<Vec<usize>>,
    logprobs: Option<Vec<f64>>,
    style: Option<String>,
    condition: Option<String>,
    rater: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "`choice` is an option number from 0, a list of them, or null for no answer")]
enum RawChoice {
    None(()),
    One(usize),
    Many(Vec<usize>),
}

/// Tells `"choice": null` (no answer) from an absent key (a mistake).
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<RawChoice>, D::Error> {
    RawChoice::deserialize(deserializer).map(Some)
}

fn problem(field: Option<&'static str>, message: String) -> Box<ImportedProblem> {
    Box::new(ImportedProblem { line: 0, field, message, unknown_id: None })
}

/// The parser counts lines within the one it was given.
fn without_line(message: &str) -> String {
    message.replace(" at line 1 column ", " at column ")
}

/// The items that lines may name.
pub(super) struct Known<'a> {
    items: &'a [Item],
    by_id: HashMap<&'a str, usize>,
    stories: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Known<'a> {
    pub(super) fn from_items(items: &'a [Item]) -> Self {
        let mut stories: HashMap<&str, Vec<usize>> = HashMap::new();
        for (position, item) in items.iter().enumerate() {
            stories.entry(item.story.as_str()).or_default().push(position);
        }
        let by_id = items.iter().enumerate().map(|(position, item)| (item.id.as_str(), position)).collect();
        Known { items, by_id, stories }
    }

    /// The item that a key of a map under `id` names: by its whole id, or by what follows `id` in it.
    fn question(&self, id: &str, key: &str) -> Option<usize> {
        self.by_id.get(key).or_else(|| self.by_id.get(format!("{id}/{key}").as_str())).copied()
    }
}

/// The trials that a line tells of.
pub(super) fn read_line(
    line: &str,
    known: &Known<'_>,
    reading: &ReplyReading<'_>,
) -> Result<Vec<ImportedTrial>, Box<ImportedProblem>> {
    let line: Line = serde_json::from_str(line).map_err(|error| problem(None, without_line(&in_words(error))))?;
    let given =
        [line.choice.is_some(), line.text.is_some(), line.answers.is_some()].iter().filter(|given| **given).count();
    if given > 1 {
        let message = "`choice`, `text` and `answers` exclude each other; give one of them";
        return Err(problem(None, message.into()));
    }
    let style = line.style.clone().unwrap_or_else(|| UNNAMED_STYLE.to_string());
    let story = known.stories.get(line.id.as_str()).filter(|_| !known.by_id.contains_key(line.id.as_str()));
    let answers = match (&line.answers, &line.text, story) {
        (Some(answers), _, _) => Some(answers.clone()),
        (None, Some(text), Some(_)) => Some(map_in(text)),
        _ => None,
    };
    if let Some(answers) = answers {
        return read_answers(&line, &style, &answers, story, known, reading);
    }
    let Some(&position) = known.by_id.get(line.id.as_str()) else {
        let message = format!("no item `{}`; `tomeval data items` prints the ids", line.id);
        return Err(Box::new(ImportedProblem { line: 0, field: Some("id"), message, unknown_id: Some(line.id) }));
    };
    let item = &known.items[position];
    let order = line.order.map(|numbers| order_of(numbers, item)).transpose();
    let order = order.map_err(|message| problem(Some("order"), message))?;
    if let Some(logprobs) = &line.logprobs {
        let options = item.options.len();
        let expected = match &item.gold {
            Answer::Slots(slots) => options.pow(slots.len() as u32),
            Answer::Single(_) | Answer::Labels(_) => options,
        };
        if logprobs.len() != expected {
            return Err(problem(Some("logprobs"), format!("has {} values, {expected} are needed", logprobs.len())));
        }
    }
    let (choice, read) = match (&line.text, line.choice) {
        (Some(text), _) => {
            let (choice, read) = read_reply(
                text,
                line.cut == Some(true),
                line.labels.as_deref(),
                order.as_ref(),
                item,
                &style,
                reading,
            )?;
            (choice, Some(read))
        }
        (None, Some(choice)) => (choice_of(choice, item).map_err(|message| problem(Some("choice"), message))?, None),
        (None, None) => {
            return Err(problem(Some("choice"), "is missing; write null for no answer, or `text` for a reply".into()));
        }
    };
    let condition = line.condition.filter(|condition| condition != "plain");
    let Line { logprobs, rater, .. } = line;
    Ok(vec![ImportedTrial { item: position, style, condition, rater, order, choice, logprobs, reading: read }])
}

/// The trials of a line that answers several questions. Those of its story that it does not name were asked and not answered.
fn read_answers(
    line: &Line,
    style: &str,
    answers: &IndexMap<String, Option<String>>,
    story: Option<&Vec<usize>>,
    known: &Known<'_>,
    reading: &ReplyReading<'_>,
) -> Result<Vec<ImportedTrial>, Box<ImportedProblem>> {
    for (field, given) in
        [("order", line.order.is_some()), ("logprobs", line.logprobs.is_some()), ("labels", line.labels.is_some())]
    {
        if given {
            let message = "cannot be given for several questions at once; write a line for each of them".to_string();
            return Err(problem(Some(field), message));
        }
    }
    let mut trials: IndexMap<usize, ImportedTrial> = IndexMap::new();
    let mut add = |position: usize, choice: Option<Answer>, read: TrialReading| {
        let condition = line.condition.clone().filter(|condition| condition != "plain");
        trials.insert(
            position,
            ImportedTrial {
                item: position,
                style: style.to_string(),
                condition,
                rater: line.rater.clone(),
                order: None,
                choice,
                logprobs: None,
                reading: Some(read),
            },
        );
    };
    for &position in story.into_iter().flatten() {
        let outcome = if line.cut == Some(true) { extract::Outcome::CutOff } else { extract::Outcome::None };
        add(position, None, TrialReading { outcome, rule: Some("not-named".to_string()) });
    }
    for (key, answer) in answers {
        let Some(position) = known.question(&line.id, key) else {
            // What a model wrote is no mistake in the file.
            if line.answers.is_none() {
                continue;
            }
            let message = format!("no question `{key}` below `{}`; `tomeval data items` prints the ids", line.id);
            return Err(Box::new(ImportedProblem {
                line: 0,
                field: Some("answers"),
                message,
                unknown_id: Some(key.clone()),
            }));
        };
        let item = &known.items[position];
        let text = answer.as_deref().unwrap_or_default();
        let (choice, read) = read_reply(text, false, None, None, item, style, reading)?;
        add(position, choice, read);
    }
    Ok(trials.into_values().collect())
}

/// The last map from names to short texts in a reply; empty where there is none.
fn map_in(text: &str) -> IndexMap<String, Option<String>> {
    let visible: String = extract::visible(text).parts.into_iter().map(|part| &text[part]).collect();
    let starts = visible.match_indices('{').map(|(at, _)| at);
    let maps = starts.filter_map(|at| {
        let mut values =
            serde_json::Deserializer::from_str(&visible[at..]).into_iter::<IndexMap<String, serde_json::Value>>();
        values.next()?.ok()
    });
    let texts = |map: IndexMap<String, serde_json::Value>| {
        map.into_iter().map(|(key, value)| (key, value.as_str().map(str::to_string))).collect()
    };
    maps.max_by_key(IndexMap::len).map(texts).unwrap_or_default()
}

/// What a reply says of an item: its answer in canonical options, and how it was read.
fn read_reply(
    text: &str,
    cut: bool,
    labels: Option<&[String]>,
    order: Option<&Order>,
    item: &Item,
    style: &str,
    reading: &ReplyReading<'_>,
) -> Result<(Option<Answer>, TrialReading), Box<ImportedProblem>> {
    let options = item.options.len();
    let identity = Order::identity(options);
    let order = order.unwrap_or(&identity);
    let labels = labels.map_or_else(|| (reading.labels)(item, style), <[String]>::to_vec);
    if labels.len() != options {
        let message = format!("has {} labels, but the item has {options} options; give one for each", labels.len());
        return Err(problem(Some("labels"), message));
    }
    let shown: Vec<String> = order.as_slice().iter().map(|&option| item.options[option].clone()).collect();
    let (kind, count) = answers_wanted(&item.gold);
    if !reading.rules.read(kind) {
        let message = format!(
            "the {} rules read single answers only, and `{}` takes {}",
            reading.rules.name(),
            item.id,
            kind.name()
        );
        return Err(problem(Some("text"), message));
    }
    let question = Question { language: item.language, kind, labels: &labels, options: &shown, count };
    let Reading { outcome, slots, rule, .. } = extract::read(reading.rules, &question, text, cut);
    let answer = (outcome == extract::Outcome::Answer).then(|| displayed_answers(&slots, &item.gold, order)).flatten();
    Ok((answer, TrialReading { outcome, rule }))
}

fn choice_of(choice: RawChoice, item: &Item) -> Result<Option<Answer>, String> {
    let options = item.options.len();
    let option = |number: usize| match number < options {
        true => Ok(OptionIx(number)),
        false => Err(format!("is {number}, but the item has options 0 to {}", options.saturating_sub(1))),
    };
    match (choice, &item.gold) {
        (RawChoice::None(()), _) => Ok(None),
        (RawChoice::One(number), Answer::Single(_)) => Ok(Some(Answer::Single(option(number)?))),
        (RawChoice::Many(numbers), Answer::Labels(_)) => {
            Ok(Some(Answer::Labels(numbers.into_iter().map(option).collect::<Result<_, _>>()?)))
        }
        (RawChoice::Many(numbers), Answer::Slots(slots)) if numbers.len() == slots.len() => {
            Ok(Some(Answer::Slots(numbers.into_iter().map(option).collect::<Result<_, _>>()?)))
        }
        (_, Answer::Single(_)) => Err("is a list, but the item takes one option number".into()),
        (_, Answer::Labels(_)) => Err("is one number, but the item takes a list of options".into()),
        (_, Answer::Slots(slots)) => Err(format!("must be a list of {} option numbers, one per slot", slots.len())),
    }
}

fn order_of(numbers: Vec<usize>, item: &Item) -> Result<Order, String> {
    let order = Order::try_from(numbers).map_err(|error| error.to_string())?;
    match order.len() == item.options.len() {
        true => Ok(order),
        false => Err(format!("has {} slots, but the item has {} options", order.len(), item.options.len())),
    }
}
