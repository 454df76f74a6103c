//! Parses one line of an answer file into the answers it gives, or an error.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::known::{Found, KnownItems, Names, order_of_texts};
use super::problem::{ImportedProblem, ProblemKind};
use super::reply_key::{REPLY_KEYS, reply_in};
use crate::answer::{TrialReading, answers_wanted, displayed_answers};
use crate::benchmark::{Answer, Item, OptionIx};
use crate::counted::counted;
use crate::extract::{self, Question, Reading, Rules};
use crate::json::{MOST_VALUES, within};
use crate::name::option_letter;
use crate::parse_error::in_words_of_line;
use crate::prompt::{Order, SlotIx, UNNAMED_STYLE};

/// Rules for reading replies, and the labels for lines that name none.
pub struct ReplyReading<'a> {
    pub rules: Rules,
    /// The labels of an item's slots under a style.
    pub labels: Box<dyn Fn(&Item, &str) -> Vec<String> + 'a>,
}

impl Default for ReplyReading<'_> {
    /// This program's rules, and capital letters as labels.
    fn default() -> Self {
        let labels = |item: &Item, _: &str| (0..item.options.len()).map(option_letter).collect();
        ReplyReading { rules: Rules::default(), labels: Box::new(labels) }
    }
}

/// The answer of a valid line to one item.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ImportedTrial {
    /// Index into the known items.
    pub(super) item: usize,
    pub(super) style: String,
    pub(super) condition: Option<String>,
    pub(super) rater: Option<String>,
    pub(super) order: Option<Order>,
    /// The choice; `None` for no answer.
    pub(super) choice: Option<Answer>,
    /// Natural logarithms, if known: per option, or per joint choice for slots; log-odds of yes for labels.
    pub(super) logprobs: Option<Vec<f64>>,
    /// Whether the choice is the option with the highest of them.
    pub(super) scored: bool,
    pub(super) reading: Option<TrialReading>,
    /// Kind of failure, if there is no answer.
    pub(super) failure: Option<&'static str>,
    /// Number of times its order was drawn.
    pub(super) count: usize,
}

impl ImportedTrial {
    /// An item without an answer.
    pub(super) fn of(item: usize) -> Self {
        ImportedTrial {
            item,
            style: UNNAMED_STYLE.to_string(),
            condition: None,
            rater: None,
            order: None,
            choice: None,
            logprobs: None,
            scored: false,
            reading: None,
            failure: None,
            count: 1,
        }
    }
}

/// The answers of a valid line, with its form unless it is the simplest one.
pub(super) struct ReadLine {
    pub(super) trials: Vec<ImportedTrial>,
    /// `letters`, or the key of answers or replies, in words.
    pub(super) form: Option<String>,
    /// Short id of the request that it answers, if any.
    pub(super) request: Option<String>,
}

#[derive(Deserialize)]
struct Line {
    id: Option<String>,
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
#[serde(
    untagged,
    expecting = "an answer is an option number from 0 or a letter, a list of them, or null for no answer"
)]
enum RawChoice {
    None(()),
    One(RawOption),
    Many(Vec<RawOption>),
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "an answer is an option number from 0 or a letter, a list of them, or null for no answer"
)]
enum RawOption {
    /// A canonical option.
    Number(usize),
    /// The displayed label of a slot.
    Letter(String),
}

impl RawChoice {
    fn options(&self) -> &[RawOption] {
        match self {
            RawChoice::None(()) => &[],
            RawChoice::One(option) => std::slice::from_ref(option),
            RawChoice::Many(options) => options,
        }
    }

    fn has_letters(&self) -> bool {
        self.options().iter().any(|option| matches!(option, RawOption::Letter(_)))
    }

    fn has_numbers(&self) -> bool {
        self.options().iter().any(|option| matches!(option, RawOption::Number(_)))
    }
}

/// Distinguishes `"choice": null` (no answer) from an absent key (a mistake).
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<RawChoice>, D::Error> {
    RawChoice::deserialize(deserializer).map(Some)
}

/// Parses a line.
pub(super) fn read_line(
    text: &str,
    known: &KnownItems<'_>,
    reading: &ReplyReading<'_>,
) -> Result<ReadLine, Box<ImportedProblem>> {
    let in_line = |error: serde_json::Error| ImportedProblem::mistake(None, in_words_of_line(error));
    let mut line: Line = serde_json::from_str(text).map_err(in_line)?;
    let given = [line.choice.is_some(), line.text.is_some(), line.answers.is_some()];
    if given.iter().filter(|given| **given).count() > 1 {
        let message = "`choice`, `text` and `answers` exclude each other; give one of them";
        return Err(ImportedProblem::mistake(None, message));
    }
    // Other keys were always allowed, so they are read only for lines that need them.
    let own_options = || line.order.is_none() && (text.contains("\"options\"") || text.contains("\"choices\""));
    let of_letters = line.choice.as_ref().is_some_and(RawChoice::has_letters) || line.text.is_some();
    let mapped = known.requests.is_some();
    let more = match mapped || line.id.is_none() || given == [false; 3] || (of_letters && own_options()) {
        true => match within(text.as_bytes(), MOST_VALUES).map_err(in_line)? {
            Value::Object(more) => more,
            _ => Map::new(),
        },
        false => Map::new(),
    };
    let mut form = None;
    if given == [false; 3] {
        (line.choice, line.text, form) = answer_in(&more)?;
    }
    if line.choice.as_ref().is_some_and(RawChoice::has_letters) {
        form = Some("letters".to_string());
    }
    let custom_id = more.get("custom_id").and_then(Value::as_str);
    let request =
        known.requests.and_then(|all| custom_id.into_iter().chain(line.id.as_deref()).find_map(|id| all.get(id)));
    line.id = line.id.or_else(|| custom_id.map(str::to_string));
    if let Some(request) = request {
        line.id = Some(request.id.clone());
        line.order = Some(request.order.as_slice().to_vec());
        line.labels = Some(request.labels.clone());
        line.style = Some(request.style.clone());
        line.condition = request.condition.clone();
    }
    let style = line.style.clone().unwrap_or_else(|| UNNAMED_STYLE.to_string());
    let id = line.id.as_deref();
    let story = id.filter(|id| !known.by_id.contains_key(id)).and_then(|id| known.stories.get(id));
    let answers = match (&line.answers, &line.text, story) {
        (Some(answers), _, _) => Some(answers.clone()),
        (None, Some(text), Some(_)) => Some(map_in(text)),
        _ => None,
    };
    let trials = match (answers, id) {
        (Some(answers), Some(id)) => read_answers(&line, id, &style, &answers, story, known, reading)?,
        (Some(_), None) => {
            return Err(ImportedProblem::mistake(Some("id"), "is missing; `answers` needs the id of a story"));
        }
        (None, _) => {
            let trial = read_answer(line, style, &more, known, reading)?;
            vec![ImportedTrial { count: request.map_or(1, |request| request.count), ..trial }]
        }
    };
    Ok(ReadLine { trials, form, request: request.map(|request| request.custom_id.clone()) })
}

/// An answer as an option or a reply under an alternative key, and its form.
fn answer_in(
    more: &Map<String, Value>,
) -> Result<(Option<RawChoice>, Option<String>, Option<String>), Box<ImportedProblem>> {
    let reply = reply_in(more).map_err(|message| ImportedProblem::mistake(None, message))?;
    match (more.get("answer"), reply) {
        (Some(_), Some((key, _))) => {
            let message = format!("`answer` and `{key}` exclude each other; remove the one that is not the model's");
            Err(ImportedProblem::mistake(None, message))
        }
        (Some(answer), None) => {
            let choice = RawChoice::deserialize(answer.clone());
            let choice =
                choice.map_err(|error| ImportedProblem::mistake(Some("answer"), format!("is invalid: {error}")))?;
            Ok((Some(choice), None, Some("answers under `answer`".to_string())))
        }
        (None, Some((key, text))) => Ok((None, Some(text.to_string()), Some(format!("replies under `{key}`")))),
        (None, None) => Ok((None, None, None)),
    }
}

/// The item of a line and the order of the line's own options, if it has any.
fn found(
    line: &Line,
    more: &Map<String, Value>,
    known: &KnownItems<'_>,
) -> Result<(usize, Option<Order>), Box<ImportedProblem>> {
    let texts = |value: &Value| -> Option<Vec<String>> {
        value.as_array()?.iter().map(|text| text.as_str().map(str::to_string)).collect()
    };
    let lists: Vec<Vec<String>> = ["options", "choices"].iter().filter_map(|key| texts(more.get(*key)?)).collect();
    if let Some(id) = &line.id {
        let Some(position) = known.by_any_id(id) else {
            let message = format!("no item `{id}`; `tomeval data items` prints the ids");
            return Err(ImportedProblem::mistake(Some("id"), message).of_unknown(id));
        };
        let item = &known.items[position];
        let order = lists.iter().find_map(|list| order_of_texts(list, item));
        let letters = line.choice.as_ref().is_some_and(RawChoice::has_letters);
        if letters && line.order.is_none() && order.is_none() && !lists.is_empty() {
            let message = format!("do not contain each option of `{id}` exactly once, so a letter is ambiguous");
            return Err(ImportedProblem::mistake(Some("options"), message));
        }
        return Ok((position, order));
    }
    let text = |key: &str| more.get(key).and_then(Value::as_str).map(str::to_string);
    let texts: Vec<String> = ["question", "story", "context", "prompt", "input"].into_iter().filter_map(text).collect();
    if texts.is_empty() || lists.is_empty() {
        return Err(ImportedProblem::mistake(Some("id"), "is missing, and so are `question` and `options`"));
    }
    let Found { item, orders } = known.find(&Names { ids: Vec::new(), texts, lists })?;
    match &orders[..] {
        [order] => Ok((item, Some(order.clone()))),
        _ => {
            let message = "`options` and `choices` contain the options in different orders";
            Err(ImportedProblem::mistake(None, message).of_kind(ProblemKind::Ambiguous))
        }
    }
}

/// The trial of a line about one item.
fn read_answer(
    line: Line,
    style: String,
    more: &Map<String, Value>,
    known: &KnownItems<'_>,
    reading: &ReplyReading<'_>,
) -> Result<ImportedTrial, Box<ImportedProblem>> {
    let problem = |field: &'static str, message: String| ImportedProblem::mistake(Some(field), message);
    let (position, own_order) = found(&line, more, known)?;
    let item = &known.items[position];
    let given = line.order.map(|numbers| order_of(numbers, item)).transpose();
    let given = given.map_err(|message| problem("order", message))?;
    let by_own_numbers = line.id.is_none() && line.choice.as_ref().is_some_and(RawChoice::has_numbers);
    let identity = Order::identity(item.options.len());
    if given.is_none() && by_own_numbers && own_order.as_ref().is_some_and(|own| *own != identity) {
        let message = "is a number, which refers to the data's options, but the line's options are in another order; \
                       write the letter";
        return Err(problem("choice", message.to_string()));
    }
    let order = given.or(own_order);
    if let Some(logprobs) = &line.logprobs {
        let options = item.options.len();
        let expected = match &item.gold {
            Answer::Slots(slots) => options.pow(slots.len() as u32),
            Answer::Single(_) | Answer::Labels(_) => options,
        };
        if logprobs.len() != expected {
            return Err(problem("logprobs", format!("has {}, but needs {expected}", counted(logprobs.len(), "value"))));
        }
    }
    let (choice, read) = match (&line.text, line.choice) {
        (Some(text), _) => {
            let cut = line.cut == Some(true);
            let (choice, read) = read_reply(text, cut, line.labels.as_deref(), order.as_ref(), item, &style, reading)?;
            (choice, Some(read))
        }
        (None, Some(choice)) => {
            let labels = line.labels.unwrap_or_else(|| (reading.labels)(item, &style));
            let order = order.as_ref().unwrap_or(&identity);
            (choice_of(&choice, item, &labels, order).map_err(|message| problem("choice", message))?, None)
        }
        (None, None) => {
            let keys = REPLY_KEYS.join("`, `");
            let message = format!("is missing; write null for no answer, or a reply under one of `{keys}`");
            return Err(problem("choice", message));
        }
    };
    let condition = line.condition.filter(|condition| condition != "plain");
    let Line { logprobs, rater, .. } = line;
    Ok(ImportedTrial { style, condition, rater, order, choice, logprobs, reading: read, ..ImportedTrial::of(position) })
}

/// The trials of a line that answers several questions. Questions of its story that it does not name count as
/// unanswered.
fn read_answers(
    line: &Line,
    id: &str,
    style: &str,
    answers: &IndexMap<String, Option<String>>,
    story: Option<&Vec<usize>>,
    known: &KnownItems<'_>,
    reading: &ReplyReading<'_>,
) -> Result<Vec<ImportedTrial>, Box<ImportedProblem>> {
    for (field, given) in
        [("order", line.order.is_some()), ("logprobs", line.logprobs.is_some()), ("labels", line.labels.is_some())]
    {
        if given {
            let message = "cannot be given for several questions at once; write a line for each of them".to_string();
            return Err(ImportedProblem::mistake(Some(field), message));
        }
    }
    let mut trials: IndexMap<usize, ImportedTrial> = IndexMap::new();
    let mut add = |position: usize, choice: Option<Answer>, read: TrialReading| {
        let condition = line.condition.clone().filter(|condition| condition != "plain");
        let (style, rater) = (style.to_string(), line.rater.clone());
        let trial =
            ImportedTrial { style, condition, rater, choice, reading: Some(read), ..ImportedTrial::of(position) };
        trials.insert(position, trial);
    };
    for &position in story.into_iter().flatten() {
        let outcome = if line.cut == Some(true) { extract::Outcome::CutOff } else { extract::Outcome::None };
        add(
            position,
            None,
            TrialReading {
                outcome,
                rule: Some("not-named".to_string()),
                tokens: None,
                cut: outcome == extract::Outcome::CutOff,
            },
        );
    }
    for (key, answer) in answers {
        let Some(position) = known.question(id, key) else {
            // A model's text is not a mistake in the file.
            if line.answers.is_none() {
                continue;
            }
            let message = format!("no question `{key}` below `{id}`; `tomeval data items` prints the ids");
            return Err(ImportedProblem::mistake(Some("answers"), message).of_unknown(key));
        };
        let item = &known.items[position];
        let text = answer.as_deref().unwrap_or_default();
        let (choice, read) = read_reply(text, false, None, None, item, style, reading)?;
        add(position, choice, read);
    }
    Ok(trials.into_values().collect())
}

/// The largest map from names to short texts in a reply, the last of equally large ones; empty without one.
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

/// A reply's answer to an item in canonical options, and how it was read.
pub(super) fn read_reply(
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
        let message =
            format!("has {}, but the item has {options} options; give one for each", counted(labels.len(), "label"));
        return Err(ImportedProblem::mistake(Some("labels"), message));
    }
    let shown: Vec<String> = order.as_slice().iter().map(|&option| item.options[option].clone()).collect();
    let (kind, count) = answers_wanted(&item.gold);
    if !reading.rules.read(kind) {
        let message = format!(
            "the {} rules read single answers only, but `{}` takes {}",
            reading.rules.name(),
            item.id,
            kind.name()
        );
        return Err(ImportedProblem::mistake(Some("text"), message));
    }
    let question = Question { language: item.language, kind, labels: &labels, options: &shown, count };
    let Reading { outcome, slots, rule, .. } = extract::read(reading.rules, &question, text, cut);
    let answer = (outcome == extract::Outcome::Answer).then(|| displayed_answers(&slots, &item.gold, order)).flatten();
    Ok((answer, TrialReading { outcome, rule, tokens: None, cut }))
}

/// A choice in canonical options: numbers are canonical already, letters are slot labels.
fn choice_of(choice: &RawChoice, item: &Item, labels: &[String], order: &Order) -> Result<Option<Answer>, String> {
    let options = item.options.len();
    let option = |given: &RawOption| match given {
        RawOption::Number(number) if *number < options => Ok(OptionIx(*number)),
        RawOption::Number(number) => {
            Err(format!("is {number}, but the item has options 0 to {}", options.saturating_sub(1)))
        }
        RawOption::Letter(letter) => {
            let letter = letter.trim();
            let slot = labels.iter().take(options).position(|label| label == letter);
            let slot =
                slot.or_else(|| labels.iter().take(options).position(|label| label.eq_ignore_ascii_case(letter)));
            slot.map(|slot| order.option_at(SlotIx(slot))).ok_or_else(|| {
                let labels = labels.iter().take(options).map(String::as_str).collect::<Vec<_>>().join(", ");
                format!("is `{letter}`, which is not among the labels {labels}; put a whole reply under `reply`")
            })
        }
    };
    let all = |given: &[RawOption]| given.iter().map(option).collect::<Result<Vec<_>, _>>();
    match (choice, &item.gold) {
        (RawChoice::None(()), _) => Ok(None),
        (RawChoice::One(one), Answer::Single(_)) => Ok(Some(Answer::Single(option(one)?))),
        (RawChoice::Many(given), Answer::Labels(_)) => Ok(Some(Answer::Labels(all(given)?.into_iter().collect()))),
        (RawChoice::Many(given), Answer::Slots(slots)) if given.len() == slots.len() => {
            Ok(Some(Answer::Slots(all(given)?)))
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
