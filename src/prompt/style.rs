//! Styles: one way of putting an item to a model, as a prompt pack writes it down.

use std::fmt;

use serde::Deserialize;

use super::ask::Prompt;
use super::error::PackError;
use super::pattern::{Pattern, Value};
use super::{Instructions, Scoring};
use crate::benchmark::Item;
use crate::chat::{Message, Role};
use crate::counted::counted;
use crate::language::Language;

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

/// Placeholders that only some benchmarks' items fill, from [`Item::fields`], or that stand in prompts which no single
/// item can fill (all questions of a context at once, templates for making questions).
const FIELD_PLACEHOLDERS: [&str; 13] = [
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

/// The slot that a placeholder like `option_b` names.
pub(super) fn slot_named(placeholder: &str) -> Option<usize> {
    let letter = placeholder.strip_prefix("option_")?;
    (letter.len() == 1).then(|| SLOT_LETTERS.find(letter)).flatten()
}

/// Which placeholders a pack may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placeholders {
    /// Those that items fill.
    OfItems,
    /// Any; the caller fills them ([`Style::fill`]).
    Any,
}

/// The most tokens of a reply that holds an answer: room for a letter with its option's text in scripts of which a
/// tokenizer knows little, where one character may take three tokens.
const TOKENS_OF_AN_ANSWER: usize = 128;

/// The most tokens of a reply that reasons first.
const TOKENS_OF_REASONING: usize = 512;

/// The style that reasons in packs that do not say so.
const REASONING_STYLE: &str = "cot";

/// How each of several questions is shown where the pack does not say it: by its id, as replies in a map need it.
const QUESTION_LINE: &str = "{id}. {question}\n{options}";

/// The placeholder of several questions.
const QUESTIONS: &str = "questions";

/// Style of answers from elsewhere that name none.
pub const UNNAMED_STYLE: &str = "given";

/// One way of putting items to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    /// Name, for instance `vanilla`.
    pub name: String,
    /// Language of the template.
    pub language: Language,
    /// Part of a family of benchmarks this style is for; `None` is any.
    pub subset: Option<String>,
    /// Value of the item's `dimension` facet this style is for; `None` is any.
    pub dimension: Option<String>,
    /// Number of options this style is for; `None` is any.
    pub options: Option<usize>,
    /// Kind of answer this style is for (`single`, `labels`, `slots`); `None` is any.
    pub answer: Option<String>,
    /// Ways of scoring this style serves.
    pub scoring: Vec<Scoring>,
    /// Where the wording comes from.
    pub source: String,
    /// Displayed labels in order; items with fewer options use the first ones.
    pub labels: Vec<String>,
    /// What an answer begins with where labels are scored.
    pub answer_prefix: String,
    /// The expected answer in words; not part of the prompt.
    pub answer_hint: Option<String>,
    /// What stands between the parts of an answer that has several slots.
    pub slot_join: String,
    /// The words for yes and no, where the style asks about one option at a time.
    pub yes_no: Option<[String; 2]>,
    /// What `{note}` stands for in items without a note of their own.
    pub note: Option<String>,
    /// What each option means, in canonical order: the values of `{description}`.
    pub descriptions: Vec<String>,
    /// The user's turn when an answer's likelihood without its item is wanted.
    pub neutral: String,
    /// Whether the model is to reason before it answers.
    pub reasoning: bool,
    /// The most tokens of a written reply, where nothing else is asked for.
    pub max_new_tokens: usize,
    /// File and place, for messages.
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
    name: String,
    language: Language,
    subset: Option<String>,
    dimension: Option<String>,
    options: Option<usize>,
    answer: Option<String>,
    scoring: Option<Vec<Scoring>>,
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
}

impl Written {
    /// The style with the keys that it leaves to another one of `all`, if it names one.
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
            ..self
        })
    }

    /// Whether it puts several questions into one prompt.
    fn names_questions(&self) -> bool {
        self.system.iter().chain(&self.user).any(|text| text.contains("{questions}"))
    }

    /// File and style, and what items it is for.
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
        if self.names_questions() {
            place.push_str(", several questions");
        }
        place
    }

    /// Check everything that can be checked without an item.
    pub(super) fn checked(self, file: &str, source: &str, allowed: Placeholders) -> Result<Style, PackError> {
        let place = self.place(file);
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
        let reasoning = self.reasoning.unwrap_or(self.name == REASONING_STYLE);
        let style = Style {
            system: self.system.as_deref().map(|text| pattern("system", text, &known)).transpose()?,
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
            scoring: self.scoring.unwrap_or_else(|| vec![Scoring::Letter, Scoring::Hybrid, Scoring::Generate]),
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
            max_new_tokens: self.max_new_tokens.unwrap_or(if reasoning {
                TOKENS_OF_REASONING
            } else {
                TOKENS_OF_AN_ANSWER
            }),
            place: place.clone(),
        };
        if style.names_value("option") && style.yes_no.is_none() && allowed == Placeholders::OfItems {
            return Err(wrong(
                "yes_no",
                "`{option}` asks about one option at a time; add the words to score".to_string(),
            ));
        }
        if style.yes_no.as_ref().is_some_and(|[yes, no]| yes == no || yes.is_empty() || no.is_empty()) {
            return Err(wrong("yes_no", "the two words must differ and not be empty".to_string()));
        }
        Ok(style)
    }
}

impl Style {
    /// Whether the prompt shows the item's options, in whatever order it is given. A style that prints fixed options of
    /// its own, or none, does not.
    pub fn shows_options(&self) -> bool {
        self.names().any(|name| name == "options" || name == QUESTIONS || slot_named(name).is_some())
    }

    /// Whether one prompt holds several questions about the same context.
    pub fn asks_several(&self) -> bool {
        self.names_value(QUESTIONS)
    }

    /// Whether an answer in this style may be scored so. Where the model is to reason first, what stands right after the
    /// prompt is the beginning of its reasoning: a log-likelihood of answers there would measure something else. It is
    /// refused unless the answers are scored after the model's own reasoning.
    pub fn scorable(&self, scoring: Scoring, after_reasoning: bool) -> Result<(), PackError> {
        match self.reasoning && scoring != Scoring::Generate && !after_reasoning {
            true => Err(PackError::Reasoning { place: self.to_string(), scoring }),
            false => Ok(()),
        }
    }

    /// Whether option orders make a difference: options are shown, and asked about together. Where they do not, one
    /// trial in the identity order says everything.
    pub fn takes_orders(&self, item: &Item, scoring: Scoring) -> bool {
        let one_by_one = item.gold.kind() == "labels" && scoring != Scoring::Generate;
        self.shows_options() && !one_by_one
    }

    /// Whether a placeholder of this name stands in the prompt.
    pub(super) fn names_value(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.system.iter().chain([&self.user]).flat_map(Pattern::names)
    }

    /// Fill the style's templates with values of the caller's. Fails with the name of a placeholder without a value.
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

    /// Whether the two could both be found for one item and neither is more particular.
    pub(super) fn rivals(&self, other: &Style) -> bool {
        self.name == other.name
            && self.language == other.language
            && self.subset == other.subset
            && self.dimension == other.dimension
            && self.options == other.options
            && self.answer == other.answer
            && self.asks_several() == other.asks_several()
            && self.scoring.iter().any(|scoring| other.scoring.contains(scoring))
    }
}

/// What a style is looked up by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted<'a> {
    /// Name of the style.
    pub name: &'a str,
    /// Language of the instructions; a pack without it serves English.
    pub language: Language,
    /// Part of the family of benchmarks.
    pub subset: Option<&'a str>,
    /// The item's `dimension` facet, in lower case.
    pub dimension: Option<String>,
    /// Number of options.
    pub options: usize,
    /// Kind of answer: `single`, `labels` or `slots`.
    pub answer: &'a str,
    /// How the answer is scored.
    pub scoring: Scoring,
    /// Whether several questions are put together.
    pub several: bool,
}

impl<'a> Wanted<'a> {
    /// What an item needs.
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

    /// Whether a style is for this kind of item, leaving language and scoring aside.
    pub(super) fn fits(&self, style: &Style) -> bool {
        let open = |key: &Option<String>, value: Option<&str>| key.is_none() || key.as_deref() == value;
        style.name == self.name
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
