//! Styles: presentations of items to a model, as written in a prompt pack.

use std::fmt;

use serde::Deserialize;

use super::ask::{Prompt, SpanKind};
use super::error::PackError;
use super::pattern::{PARAGRAPH_BREAK, Pattern, Value};
use super::{Instructions, Scoring};
use crate::benchmark::Item;
use crate::chat::{Message, Role};
use crate::counted::counted;
use crate::language::Language;
use crate::name::option_letter;

/// Placeholders that items can fill.
const ITEM_PLACEHOLDERS: [&str; 12] = [
    "story",
    "context",
    "dialogue",
    "profile",
    "background",
    "note",
    "target",
    "utterance",
    "question",
    "options",
    "option",
    "description",
];

/// Placeholders that only some benchmarks' items fill, from [`Item::fields`], or that occur in prompts which no single
/// item can fill (all questions of a context at once, templates for generating questions).
const FIELD_PLACEHOLDERS: [&str; 14] = [
    FIRST_REPLY,
    "agent",
    "agent_number",
    "other_number",
    "characters_information",
    "question_count",
    "questions",
    "main_character",
    "mental_key",
    "start_mental",
    "target_mental",
    "scenario_number",
    "next_scenario",
    "scenario_count",
];

/// The letters after `option_` that name a displayed slot.
const SLOT_LETTERS: &str = "abcdefghijklmnop";

/// The slot named by a placeholder like `option_b`.
pub(super) fn slot_named(placeholder: &str) -> Option<usize> {
    let letter = placeholder.strip_prefix("option_")?;
    (letter.len() == 1).then(|| SLOT_LETTERS.find(letter)).flatten()
}

/// Which placeholders a pack may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placeholders {
    /// Placeholders that items fill.
    OfItems,
    /// Any; the caller fills them ([`Style::fill`]).
    Any,
}

/// Maximum number of tokens of a reply with an answer: room for a letter with its option's text in scripts that a
/// tokenizer covers poorly, where one character may take three tokens.
const TOKENS_OF_AN_ANSWER: usize = 128;

/// Maximum number of tokens of a reply that reasons first.
const TOKENS_OF_REASONING: usize = 512;

/// Name of the style that reasons by default.
const REASONING_STYLE: &str = "cot";

/// Default format of each of several questions: with its id, which replies in a map need.
const QUESTION_LINE: &str = "{id}. {question}\n{options}";

/// The placeholder for several questions.
const QUESTIONS: &str = "questions";

/// The placeholder for the reply to the first phase.
pub const FIRST_REPLY: &str = "first_reply";

/// The same in the beginning of an answer.
pub(super) const FIRST_REPLY_BLANK: &str = "{first_reply}";

/// The style in which questions are answered freely, without their options.
const OPEN_ANSWER: &str = "open-answer";

/// Style of imported answers that name no style.
pub const UNNAMED_STYLE: &str = "given";

/// A presentation of items to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    /// Name, for instance `vanilla`.
    pub name: String,
    /// Language of the template.
    pub language: Language,
    /// Part of a family of benchmarks this style is for; `None` for any.
    pub subset: Option<String>,
    /// Value of the item's `dimension` facet this style is for; `None` for any.
    pub dimension: Option<String>,
    /// Number of options this style is for; `None` for any.
    pub options: Option<usize>,
    /// Kind of answer this style is for (`single`, `labels`, `slots`); `None` for any.
    pub answer: Option<String>,
    /// Scorings that this style serves.
    pub scoring: Vec<Scoring>,
    /// Number of the wording of its instruction, from 2; `None` for the first one, which is looked up by item.
    pub wording: Option<usize>,
    /// Source of the wording.
    pub source: String,
    /// Displayed labels in order; items with fewer options use the first ones.
    pub labels: Vec<String>,
    /// Beginning of an answer if labels are scored.
    pub answer_prefix: String,
    /// The expected answer in words; not part of the prompt.
    pub answer_hint: Option<String>,
    /// Separator between the parts of an answer with several slots.
    pub slot_join: String,
    /// The words for yes and no, if the style asks about one option at a time.
    pub yes_no: Option<[String; 2]>,
    /// Value of `{note}` for items without a note.
    pub note: Option<String>,
    /// Meaning of each option, in canonical order: the values of `{description}`.
    pub descriptions: Vec<String>,
    /// The user's turn for scoring an answer without its item.
    pub neutral: String,
    /// Whether the model reasons before it answers.
    pub reasoning: bool,
    /// The style of the first phase, if the prompt contains the reply to another one.
    pub first: Option<String>,
    /// Whether it is the first phase of other styles: its replies are texts for their prompts and state no answer.
    pub is_first: bool,
    /// Default maximum number of tokens of a written reply.
    pub max_new_tokens: usize,
    /// File, style and the items it is for, for messages.
    pub(super) place: String,
    pub(super) system: Option<Pattern>,
    pub(super) user: Pattern,
    pub(super) option_line: Pattern,
    pub(super) option_join: String,
    pub(super) question_line: Pattern,
}

impl fmt::Display for Style {
    /// File, style and language, for messages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place)
    }
}

/// A style as written in a file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    pub(super) name: String,
    language: Language,
    subset: Option<String>,
    dimension: Option<String>,
    options: Option<usize>,
    answer: Option<String>,
    scoring: Option<Vec<Scoring>>,
    wording: Option<usize>,
    source: Option<String>,
    system: Option<String>,
    user: Option<String>,
    option_line: Option<String>,
    option_join: Option<String>,
    question_line: Option<String>,
    labels: Option<Vec<String>>,
    answer_prefix: Option<String>,
    answer_hint: Option<String>,
    slot_join: Option<String>,
    yes_no: Option<[String; 2]>,
    note: Option<String>,
    descriptions: Option<Vec<String>>,
    neutral: Option<String>,
    like: Option<String>,
    reasoning: Option<bool>,
    max_new_tokens: Option<usize>,
    pub(super) first: Option<String>,
}

impl Written {
    /// The style with missing keys copied from another one of `all`, if it names one.
    pub(super) fn completed(self, file: &str, all: &[Written]) -> Result<Written, PackError> {
        let Some(like) = &self.like else { return Ok(self) };
        let same_items = |other: &&Written| {
            other.name == *like
                && other.like.is_none()
                && other.language == self.language
                && other.subset == self.subset
                && other.dimension == self.dimension
                && other.options == self.options
                && other.answer == self.answer
                && other.wording.is_none()
                && !other.names_questions()
                && other.scoring.as_ref().is_none_or(|ways| ways.contains(&Scoring::Generate))
        };
        let Some(base) = all.iter().find(same_items).cloned() else {
            return Err(PackError::Key {
                place: self.place(file),
                key: "like",
                message: format!(
                    "no style `{like}` for written answers has the same language, subset, dimension, options and answer \
                     and spells out its keys; name one that does, or write all keys here"
                ),
            });
        };
        Ok(Written {
            scoring: self.scoring.or(base.scoring),
            source: self.source.or(base.source),
            system: self.system.or(base.system),
            user: self.user.or(base.user),
            option_line: self.option_line.or(base.option_line),
            option_join: self.option_join.or(base.option_join),
            question_line: self.question_line.or(base.question_line),
            labels: self.labels.or(base.labels),
            answer_prefix: self.answer_prefix.or(base.answer_prefix),
            answer_hint: self.answer_hint.or(base.answer_hint),
            slot_join: self.slot_join.or(base.slot_join),
            yes_no: self.yes_no.or(base.yes_no),
            note: self.note.or(base.note),
            descriptions: self.descriptions.or(base.descriptions),
            neutral: self.neutral.or(base.neutral),
            reasoning: self.reasoning.or(base.reasoning),
            max_new_tokens: self.max_new_tokens.or(base.max_new_tokens),
            first: self.first.or(base.first),
            ..self
        })
    }

    /// Whether it puts several questions into one prompt.
    fn names_questions(&self) -> bool {
        self.system.iter().chain(&self.user).any(|text| text.contains("{questions}"))
    }

    /// File, style and the items it is for.
    fn place(&self, file: &str) -> String {
        let mut place = format!("{file}: style `{}`, language {}", self.name, self.language);
        for (key, value) in [("subset", &self.subset), ("dimension", &self.dimension), ("answer", &self.answer)] {
            if let Some(value) = value {
                place.push_str(&format!(", {key} {value}"));
            }
        }
        if let Some(options) = self.options {
            place.push_str(&format!(", {options} options"));
        }
        if let Some(wording) = self.wording {
            place.push_str(&format!(", wording {wording}"));
        }
        if self.names_questions() {
            place.push_str(", several questions");
        }
        place
    }

    /// Checks everything that can be checked without an item.
    ///
    /// `before` is literal text in front of the system turn; `is_first` says that other styles name it as their first
    /// phase.
    pub(super) fn checked(
        self,
        file: &str,
        source: &str,
        before: Option<&str>,
        allowed: Placeholders,
        is_first: bool,
    ) -> Result<Style, PackError> {
        let place = self.place(file);
        let literal = before.map(|text| text.replace('{', "{{").replace('}', "}}"));
        let system: Vec<String> = literal.into_iter().chain(self.system.clone()).collect();
        let system = (!system.is_empty()).then(|| system.join(PARAGRAPH_BREAK));
        let pattern = |key: &'static str, text: &str, allowed: &dyn Fn(&str) -> bool| {
            let parsed = Pattern::parse(text).map_err(|error| PackError::Key {
                place: place.clone(),
                key,
                message: error.to_string(),
            })?;
            let unknown = parsed.names().find(|name| !allowed(name)).map(str::to_string);
            match unknown {
                None => Ok(parsed),
                Some(name) => Err(PackError::Key {
                    place: place.clone(),
                    key,
                    message: format!("unknown placeholder `{{{name}}}`; write literal braces as {{{{ and }}}}"),
                }),
            }
        };
        let known = |name: &str| {
            allowed == Placeholders::Any
                || ITEM_PLACEHOLDERS.contains(&name)
                || FIELD_PLACEHOLDERS.contains(&name)
                || slot_named(name).is_some()
        };
        let wrong = |key, message: String| PackError::Key { place: place.clone(), key, message };
        if let Some(kind) = &self.answer
            && !["single", "labels", "slots"].contains(&kind.as_str())
        {
            return Err(wrong("answer", format!("unknown kind `{kind}`; use single, labels or slots")));
        }
        let labels = self.labels.unwrap_or_default();
        if let Some(label) = labels.iter().enumerate().find(|&(at, label)| labels[..at].contains(label)) {
            return Err(wrong("labels", format!("duplicate `{}`; labels must differ", label.1)));
        }
        if labels.iter().any(String::is_empty) {
            return Err(wrong("labels", "a label is empty; an empty text cannot be scored".to_string()));
        }
        if let Some(options) = self.options
            && !labels.is_empty()
            && labels.len() < options
        {
            return Err(wrong(
                "labels",
                format!("{} for {options} options; add labels", counted(labels.len(), "label")),
            ));
        }
        let Some(user) = &self.user else {
            return Err(wrong("user", "is missing; write the text of the user's turn".to_string()));
        };
        if self.max_new_tokens == Some(0) {
            return Err(wrong("max_new_tokens", "is 0; expected at least 1".to_string()));
        }
        if self.wording.is_some_and(|wording| wording < 2) {
            return Err(wrong("wording", "expected at least 2; the first is the style without this key".to_string()));
        }
        let reasoning = self.reasoning.unwrap_or(self.name == REASONING_STYLE);
        let style = Style {
            system: system.as_deref().map(|text| pattern("system", text, &known)).transpose()?,
            user: pattern("user", user, &known)?,
            option_line: pattern("option_line", self.option_line.as_deref().unwrap_or("{label}. {text}"), &|name| {
                name == "label" || name == "text"
            })?,
            option_join: self.option_join.unwrap_or_else(|| "\n".to_string()),
            question_line: pattern("question_line", self.question_line.as_deref().unwrap_or(QUESTION_LINE), &|name| {
                ["number", "id", "question", "options"].contains(&name)
            })?,
            name: self.name,
            language: self.language,
            subset: self.subset,
            dimension: self.dimension,
            options: self.options,
            answer: self.answer,
            scoring: self.scoring.unwrap_or_else(|| match is_first {
                true => vec![Scoring::Generate],
                false => vec![Scoring::Letter, Scoring::Hybrid, Scoring::Generate],
            }),
            wording: self.wording,
            source: self.source.unwrap_or_else(|| source.to_string()),
            labels,
            answer_prefix: self.answer_prefix.unwrap_or_default(),
            answer_hint: self.answer_hint,
            slot_join: self.slot_join.unwrap_or_else(|| ", ".to_string()),
            yes_no: self.yes_no,
            note: self.note,
            descriptions: self.descriptions.unwrap_or_default(),
            neutral: self.neutral.unwrap_or_else(|| "Answer:".to_string()),
            reasoning,
            max_new_tokens: self.max_new_tokens.unwrap_or(if reasoning || is_first {
                TOKENS_OF_REASONING
            } else {
                TOKENS_OF_AN_ANSWER
            }),
            first: self.first,
            is_first,
            place: place.clone(),
        };
        if style.names_value("option") && style.yes_no.is_none() && allowed == Placeholders::OfItems {
            return Err(wrong(
                "yes_no",
                "`{option}` asks about one option at a time; add the words to score".to_string(),
            ));
        }
        let replied = style.names_value(FIRST_REPLY) || style.answer_prefix.contains(FIRST_REPLY_BLANK);
        if allowed == Placeholders::OfItems && replied != style.first.is_some() {
            return Err(wrong(
                "first",
                "a style in two phases names the style of its first phase here, and shows the reply to it as \
                 `{first_reply}`; write both or neither"
                    .to_string(),
            ));
        }
        if is_first {
            style.check_first().map_err(|(key, message)| wrong(key, message))?;
        }
        if style.yes_no.as_ref().is_some_and(|[yes, no]| yes == no || yes.is_empty() || no.is_empty()) {
            return Err(wrong("yes_no", "the two words must differ and not be empty".to_string()));
        }
        Ok(style)
    }
}

impl Style {
    /// Whether the prompt shows the item's options in a given order. A style that prints fixed options or no options
    /// does not.
    pub fn shows_options(&self) -> bool {
        self.names().any(|name| name == "options" || name == QUESTIONS || slot_named(name).is_some())
    }

    /// Whether questions are answered without their options, so that those which need them cannot be asked: the free
    /// answer, and what follows it.
    pub fn hides_options(&self) -> bool {
        self.name == OPEN_ANSWER || self.first.as_deref() == Some(OPEN_ANSWER)
    }

    /// Whether one prompt contains several questions about the same context.
    pub fn asks_several(&self) -> bool {
        self.names_value(QUESTIONS)
    }

    /// Checks that answers in this style may be scored in this way. If the model reasons first, the text directly after
    /// the prompt is the beginning of its reasoning, and a log-likelihood of answers there would measure something
    /// else. Such scoring is refused unless the answers are scored after the model's own reasoning.
    pub fn scorable(&self, scoring: Scoring, after_reasoning: bool) -> Result<(), PackError> {
        match self.reasoning && scoring != Scoring::Generate && !after_reasoning {
            true => Err(PackError::Reasoning { place: self.to_string(), scoring }),
            false => Ok(()),
        }
    }

    /// Whether option orders make a difference: the prompt shows the options and asks about them together. Otherwise,
    /// one trial in the identity order suffices.
    pub fn takes_orders(&self, item: &Item, scoring: Scoring) -> bool {
        let one_by_one = item.gold.kind() == "labels" && scoring != Scoring::Generate;
        self.shows_options() && !one_by_one
    }

    /// Checks that a style which others name as their first phase asks for a text and not for an answer.
    fn check_first(&self) -> Result<(), (&'static str, String)> {
        if self.shows_options() || self.names_value("option") {
            return Err(("user", "a first phase shows no options; it asks for a text, not for an answer".to_string()));
        }
        if self.first.is_some() {
            return Err(("first", "it is a first phase itself; styles have at most two phases".to_string()));
        }
        match self.scoring == [Scoring::Generate] {
            true => Ok(()),
            false => {
                Err(("scoring", "the reply to a first phase is written; use [\"generate\"], or leave it out".into()))
            }
        }
    }

    /// Whether it is for all items that another style is for.
    pub(super) fn covers(&self, other: &Style) -> bool {
        let open = |own: &Option<String>, other: &Option<String>| own.is_none() || own == other;
        self.language == other.language
            && open(&self.subset, &other.subset)
            && open(&self.dimension, &other.dimension)
            && open(&self.answer, &other.answer)
            && (self.options.is_none() || self.options == other.options)
    }

    /// Whether the prompt contains a placeholder of this name.
    pub fn names_value(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.system.iter().chain([&self.user]).flat_map(Pattern::names)
    }

    /// Fills the style's templates with the caller's values. Fails with the name of a placeholder without a value.
    pub fn fill(&self, mut value_of: impl FnMut(&str) -> Option<Value>) -> Result<Prompt, &str> {
        let mut prompt = Prompt::default();
        let turns = self.system.iter().map(|system| (Role::System, system)).chain([(Role::User, &self.user)]);
        for (message, (role, pattern)) in turns.enumerate() {
            let mut filled = pattern.fill(&mut value_of)?;
            filled.spans.iter_mut().for_each(|span| span.message = message);
            prompt.spans.append(&mut filled.spans);
            prompt.messages.push(Message { role, content: filled.text });
        }
        Ok(prompt)
    }

    /// Returns the turns with the caller's texts in the placeholders.
    ///
    /// # Errors
    /// The name of a placeholder without a text.
    pub fn turns(&self, mut text_of: impl FnMut(&str) -> Option<String>) -> Result<Vec<Message>, &str> {
        let value = |name: &str| text_of(name).map(|text| vec![(SpanKind::Instruction, text)]);
        Ok(self.fill(value)?.messages)
    }

    /// Returns options as the style lists them, with its labels.
    pub fn listed(&self, options: &[String]) -> String {
        let labelled = options.iter().enumerate().map(|(at, option)| {
            let label = self.labels.get(at).cloned().unwrap_or_else(|| option_letter(at));
            (label, (SpanKind::Instruction, option.clone()))
        });
        self.option_lines(labelled).unwrap_or_default().into_iter().map(|(_, text)| text).collect()
    }

    /// Options behind their labels, each on the style's option line; `None` where the line names another value.
    pub(super) fn option_lines(&self, options: impl Iterator<Item = (String, (SpanKind, String))>) -> Option<Value> {
        let mut value = Value::new();
        for (at, (label, option)) in options.enumerate() {
            if at > 0 {
                value.push((SpanKind::Instruction, self.option_join.clone()));
            }
            let line = self.option_line.fill(|name| match name {
                "label" => Some(vec![(SpanKind::Instruction, label.clone())]),
                _ => Some(vec![option.clone()]),
            });
            let line = line.ok()?;
            value.extend(line.spans.into_iter().map(|span| (span.kind, line.text[span.bytes].to_string())));
        }
        Some(value)
    }

    /// Whether both styles could serve one item and neither is more specific.
    pub(super) fn rivals(&self, other: &Style) -> bool {
        self.name == other.name
            && self.language == other.language
            && self.subset == other.subset
            && self.dimension == other.dimension
            && self.options == other.options
            && self.answer == other.answer
            && self.wording == other.wording
            && self.asks_several() == other.asks_several()
            && self.scoring.iter().any(|scoring| other.scoring.contains(scoring))
    }
}

/// The key for looking up a style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted<'a> {
    /// Name of the style.
    pub name: &'a str,
    /// Language of the instructions; a pack without it falls back to English.
    pub language: Language,
    /// Part of the family of benchmarks.
    pub subset: Option<&'a str>,
    /// The item's `dimension` facet, in lower case.
    pub dimension: Option<String>,
    /// Number of options.
    pub options: usize,
    /// Kind of answer: `single`, `labels` or `slots`.
    pub answer: &'a str,
    /// Scoring of the answer.
    pub scoring: Scoring,
    /// Whether several questions share a prompt.
    pub several: bool,
}

impl<'a> Wanted<'a> {
    /// The key for an item.
    pub fn by(
        item: &'a Item,
        subset: Option<&'a str>,
        name: &'a str,
        scoring: Scoring,
        instructions: Instructions,
    ) -> Self {
        Wanted {
            name,
            language: instructions.language(item.language),
            subset,
            dimension: item.facet("dimension").map(str::to_lowercase),
            options: item.options.len(),
            answer: item.gold.kind(),
            scoring,
            several: false,
        }
    }

    /// Whether a style is for this kind of item, regardless of language and scoring.
    pub(super) fn fits(&self, style: &Style) -> bool {
        let open = |key: &Option<String>, value: Option<&str>| key.is_none() || key.as_deref() == value;
        style.name == self.name
            && style.wording.is_none()
            && style.asks_several() == self.several
            && open(&style.subset, self.subset)
            && open(&style.dimension, self.dimension.as_deref())
            && style.options.is_none_or(|options| options == self.options)
            && open(&style.answer, Some(self.answer))
    }
}

impl fmt::Display for Wanted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "style `{}`, language {}", self.name, self.language)?;
        if let Some(subset) = self.subset {
            write!(f, ", subset {subset}")?;
        }
        if let Some(dimension) = &self.dimension {
            write!(f, ", dimension {dimension}")?;
        }
        write!(f, ", {} options, {} answer, {} scoring", self.options, self.answer, self.scoring)?;
        if self.several { f.write_str(", several questions in a prompt") } else { Ok(()) }
    }
}
