//! The words of a pipeline's prompts: its styles in a pack, and the texts that fill them.

use indexmap::IndexMap;

use super::form::Form;
use crate::chat::Message;
use crate::language::Language;
use crate::make::flag::Flag;
use crate::make::texts::Texts;
use crate::prompt::{Pack, PackError, Placeholders, Style};

/// The project's own prompts.
const BUILT_IN: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/making/prompts.toml"));

/// What a prompt is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Translate,
    /// A further turn after a reply that lost a tag.
    Again,
    Review,
    Refine,
    /// A story for another culture.
    AdaptStory,
    /// A question for its adapted story.
    AdaptQuestion,
}

impl Kind {
    const ALL: [Kind; 6] =
        [Kind::Translate, Kind::Again, Kind::Review, Kind::Refine, Kind::AdaptStory, Kind::AdaptQuestion];
}

/// Names of styles by purpose: those of the project's own pack, then those of papers as their packs name them.
const NAMES: [(&str, Option<&str>, [Option<&str>; 6]); 5] = [
    (
        "own",
        None,
        [Some("translate"), Some("again"), Some("review"), Some("refine"), Some("adapt-story"), Some("adapt-question")],
    ),
    (
        "multi-tom",
        Some("multi-tom"),
        [Some("translate-1"), Some("translate-correct-released"), Some("translate-2"), Some("translate-3"), None, None],
    ),
    (
        "multi-tom-released",
        Some("multi-tom"),
        [
            Some("translate-1-released"),
            Some("translate-correct-released"),
            Some("translate-2-released"),
            Some("translate-3-released"),
            None,
            None,
        ],
    ),
    (
        "multi-tom-culture",
        Some("multi-tom"),
        [None, None, None, None, Some("culture-assistant"), Some("culture-adapter")],
    ),
    ("tombench", Some("tombench"), [Some("translate"), None, None, None, None, None]),
];

/// The prompts of a pipeline.
#[derive(Debug, Clone)]
pub struct Wording {
    pack: Pack,
    styles: [Option<usize>; 6],
}

/// Prompts that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WordingError {
    /// The file is not a pack.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// No such set of prompts.
    #[error("unknown prompts `{given}`; known are {}", NAMES.map(|(name, ..)| name).join(", "))]
    Unknown {
        /// The name given.
        given: String,
    },
    /// A style is missing.
    #[error("{file} has no style `{style}`{}; name a file that has it with --prompts", of(.subset))]
    NoStyle {
        /// The pack's file.
        file: String,
        /// The style.
        style: &'static str,
        /// Part of a family that it should be for.
        subset: Option<&'static str>,
    },
    /// A style names a placeholder that this pipeline has no text for.
    #[error("{style}: nothing fills the placeholder {{{placeholder}}}")]
    Placeholder {
        /// The style with its file.
        style: String,
        /// The placeholder.
        placeholder: String,
    },
}

fn of(subset: &Option<&'static str>) -> String {
    subset.map(|subset| format!(" for {subset}")).unwrap_or_default()
}

impl Wording {
    /// Returns the prompts of this name from a pack, by default the project's own: `own`, `multi-tom` (Table 1),
    /// `multi-tom-released` (its repository), `multi-tom-culture` (Table 2, for adaptations) or `tombench` (Table 19, one call and
    /// no review).
    ///
    /// # Errors
    /// The pack is malformed, or lacks a style.
    pub fn new(name: &str, file: Option<(&str, &str)>) -> Result<Self, WordingError> {
        let (file, text) = file.unwrap_or(("built-in prompts.toml", BUILT_IN));
        let pack = Pack::parse(file, text, Placeholders::Any)?;
        let (_, subset, names) = NAMES
            .into_iter()
            .find(|(known, ..)| *known == name)
            .ok_or_else(|| WordingError::Unknown { given: name.to_string() })?;
        let mut styles = [None; 6];
        for (place, style) in styles.iter_mut().zip(names) {
            let Some(style) = style else { continue };
            let fits = |known: &Style| known.name == style && known.subset.as_deref() == subset;
            let found = pack.styles.iter().position(fits);
            let missing = || WordingError::NoStyle { file: file.to_string(), style, subset };
            *place = Some(found.ok_or_else(missing)?);
        }
        let wording = Wording { pack, styles };
        let empty = Texts::default();
        let values = Values::new(Language::En, Language::Zh, &IndexMap::new());
        let values = values.with_texts(&empty, &wording).with_both(&empty, &empty).with_feedback("");
        let values = values.with_culture("").with_stories("", "").with_entities(Some(""));
        let values = Values { fault: Some(String::new()), ..values };
        for kind in Kind::ALL {
            if let Some(style) = wording.style(kind)
                && let Err(placeholder) = style.turns(|name| values.of(name))
            {
                let placeholder = placeholder.to_string();
                return Err(WordingError::Placeholder { style: style.to_string(), placeholder });
            }
        }
        Ok(wording)
    }

    fn style(&self, kind: Kind) -> Option<&Style> {
        self.styles[kind as usize].map(|style| &self.pack.styles[style])
    }

    /// Returns the name of the style for a purpose.
    pub fn name(&self, kind: Kind) -> &str {
        self.style(kind).map_or("", |style| &style.name)
    }

    /// Whether there are prompts for a purpose.
    pub fn has(&self, kind: Kind) -> bool {
        self.style(kind).is_some()
    }

    /// Returns the file of the prompts and the SHA-256 of its bytes.
    pub fn file(&self) -> (&str, &str) {
        (self.pack.file(), self.pack.sha256())
    }

    /// Whether one prompt has all questions about a story; else each question has its own.
    pub fn takes_stories(&self) -> bool {
        self.style(Kind::Translate).is_some_and(|style| style.names_value("text") || style.names_value("query"))
    }

    /// Whether the prompt that adapts a story has its first question, too.
    pub fn adapts_first_question(&self) -> bool {
        self.style(Kind::AdaptStory).is_some_and(|style| style.names_value("question"))
    }

    /// Returns the form of texts in prompts and replies.
    pub fn form(&self) -> Form {
        // Adapters of Multi-ToM reply with JSON, too.
        let json = self.style(Kind::Translate).is_none_or(|style| style.names_value("sample"));
        if json { Form::Json } else { Form::Tagged }
    }

    /// Returns the turns of a prompt; none if there is no prompt for the purpose.
    pub fn turns(&self, kind: Kind, values: &Values) -> Vec<Message> {
        let turns = self.style(kind).map(|style| style.turns(|name| values.of(name)));
        turns.and_then(Result::ok).unwrap_or_else(|| {
            let fault = values.fault.clone().unwrap_or_default();
            vec![Message::user(fault)]
        })
    }
}

/// Texts for placeholders.
#[derive(Debug, Clone, Default)]
pub struct Values {
    texts: IndexMap<&'static str, String>,
    terms: Option<String>,
    entities: Option<String>,
    fault: Option<String>,
}

impl Values {
    /// Returns the names of the languages and the fixed translations.
    pub fn new(source: Language, target: Language, terms: &IndexMap<String, String>) -> Self {
        let mut values = Values::default();
        values.texts.insert("source_language", source.name().to_string());
        for name in ["destination_language", "target_language"] {
            values.texts.insert(name, target.name().to_string());
        }
        if !terms.is_empty() {
            let lines: Vec<String> = terms.iter().map(|(source, target)| format!("{source} = {target}")).collect();
            values.terms = Some(format!("Use these translations wherever the term occurs:\n{}", lines.join("\n")));
        }
        values
    }

    /// Adds the texts to be translated.
    pub fn with_texts(mut self, texts: &Texts, wording: &Wording) -> Self {
        let first = texts.questions.first();
        let listed = |style: &Style| first.map(|first| style.listed(&first.options));
        let style = [Kind::Translate, Kind::AdaptStory].into_iter().find_map(|kind| wording.style(kind));
        let options = style.and_then(listed).unwrap_or_default();
        self.texts.insert("text", texts.tagged());
        self.texts.insert("query", texts.marked_questions());
        self.texts.insert("sample", texts.json());
        self.texts.insert("story", texts.story.clone());
        self.texts.insert("question", first.map(|first| first.question.clone()).unwrap_or_default());
        self.texts.insert("options", options);
        self
    }

    /// Adds original and translation.
    pub fn with_both(mut self, original: &Texts, translated: &Texts) -> Self {
        self.texts.insert("original_text", original.tagged());
        self.texts.insert("translated_text", translated.tagged());
        self
    }

    /// Adds a reviewer's feedback.
    pub fn with_feedback(mut self, feedback: &str) -> Self {
        self.texts.insert("feedback", feedback.to_string());
        self
    }

    /// Adds the name of a culture.
    pub fn with_culture(mut self, culture: &str) -> Self {
        for name in ["culture", "language"] {
            self.texts.insert(name, culture.to_string());
        }
        self
    }

    /// Adds names and things of the culture, if any.
    pub fn with_entities(mut self, entities: Option<&str>) -> Self {
        self.entities = entities.map(str::to_string);
        self
    }

    /// Adds a story before and after it was adapted.
    pub fn with_stories(mut self, story: &str, adapted: &str) -> Self {
        self.texts.insert("story", story.to_string());
        self.texts.insert("adapted_story", adapted.to_string());
        self
    }

    /// Adds what a reply lacked.
    pub fn with_fault(mut self, fault: &Flag) -> Self {
        self.fault = Some(format!("Something is missing: {}.", fault.message));
        self
    }

    fn of(&self, name: &str) -> Option<String> {
        match name {
            "terms" => self.terms.clone(),
            "entities" => self.entities.clone(),
            "fault" => self.fault.clone(),
            name => self.texts.get(name).cloned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_prompts_fill_and_others_name_what_they_lack() {
        let own = Wording::new("own", None).unwrap();
        assert!(own.takes_stories() && own.form() == Form::Tagged && own.has(Kind::Review));
        let error = |name: &str, text: &str| Wording::new(name, Some(("x.toml", text))).unwrap_err().to_string();
        let text =
            "benchmark = 'making'\nsource = 'x'\n[[style]]\nname = 'translate'\nlanguage = 'en'\nuser = '{what}'";
        assert!(error("own", text).contains("x.toml has no style `again`"));
        let json = text.replace("name = 'translate'", "name = 'translate'\nsubset = 'tombench'");
        assert!(error("tombench", &json).contains("nothing fills the placeholder {what}"));
        assert!(error("xtom", text).contains("known are own, multi-tom"));
        let json = Wording::new("tombench", Some(("x.toml", &json.replace("{what}", "{sample}")))).unwrap();
        assert!(json.form() == Form::Json && !json.has(Kind::Review) && !json.takes_stories());
    }
}
