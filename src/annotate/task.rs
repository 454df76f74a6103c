//! The task of a page: units with their texts, and the mode of annotation.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use strum::{IntoStaticStr, VariantArray};

use super::Scheme;
use crate::benchmark::{Benchmark, Card};
use crate::language::Language;
use crate::name::named;

/// Mode of annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Mode {
    /// Answer the questions.
    Answer,
    /// Mark the words that decide the answer.
    Mark,
    /// Judge by a scheme.
    Judge,
}

named!(Mode, "mode");

/// A unit of annotation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    /// Id of the item or story, with a suffix that distinguishes replies.
    pub id: String,
    /// The story it belongs to.
    #[serde(skip)]
    pub story: String,
    /// The question of which it is a version, such as one of several languages, if nobody may see two versions.
    #[serde(skip)]
    pub parallel: Option<String>,
    /// Language of its texts.
    pub language: String,
    /// Whether that language runs from right to left.
    pub rtl: bool,
    /// Its texts by index, in order.
    pub texts: Vec<usize>,
    /// The question, as a text index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<usize>,
    /// Options in canonical order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Kind of answer: `single`, `labels` or `slots`.
    pub kind: String,
    /// The number of slots.
    pub slots: usize,
    /// Canonical options that are right; `None` on a blind page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gold: Option<Vec<usize>>,
    /// Canonical options chosen by a reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Vec<usize>>,
    /// The text judged, as text indices: a reply, or a translation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<usize>,
    /// The text shown beside it, as text indices, with its language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Beside>,
    /// The text judged, translated back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back: Option<Beside>,
    /// Another version of the text judged, to choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<Beside>,
    /// Whether the text judged can be corrected on the page.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub editable: bool,
    /// Facts for tables: item, story, run, language, facet.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub facts: IndexMap<String, String>,
    /// Words of the text judged or marked.
    pub words: usize,
    /// Judgements of others to adjudicate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<serde_json::Value>,
}

/// The original of a translation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beside {
    pub language: String,
    /// Whether that language runs from right to left.
    pub rtl: bool,
    /// Text indices.
    pub texts: Vec<usize>,
}

impl Unit {
    /// What nobody may see twice: the question, or the unit itself.
    pub fn question_id(&self) -> &str {
        self.parallel.as_deref().unwrap_or(&self.id)
    }

    /// A unit without texts.
    pub(super) fn new(id: &str, story: &str) -> Self {
        Unit {
            id: id.to_string(),
            story: story.to_string(),
            parallel: None,
            language: Language::En.code().to_string(),
            rtl: false,
            texts: Vec::new(),
            question: None,
            options: Vec::new(),
            kind: "single".to_string(),
            slots: 1,
            gold: None,
            chosen: None,
            judged: Vec::new(),
            beside: None,
            back: None,
            other: None,
            editable: false,
            facts: IndexMap::new(),
            words: 0,
            before: Vec::new(),
        }
    }
}

/// A text on a page, which units refer to by index.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TextPiece {
    /// Its kind: `story`, `dialogue`, ..., `question`, `option`, `reply`.
    pub kind: String,
    /// The text; split into words, punctuation and white space if words are marked.
    #[serde(flatten)]
    pub text: Pieces,
}

/// A text, whole or split.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Pieces {
    /// Unchanged text.
    #[serde(rename = "text")]
    Whole(String),
    /// Words, punctuation and white space that tile the text.
    #[serde(rename = "words")]
    Cut(Vec<String>),
}

/// All units of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// Mode of annotation.
    pub mode: Mode,
    /// Texts, each once.
    pub texts: Vec<TextPiece>,
    /// Units, in data order.
    pub units: Vec<Unit>,
    /// The scheme, if units are judged.
    pub scheme: Option<Scheme>,
    /// Benchmarks by name, with title and licence.
    pub benchmarks: Vec<(Benchmark, String, String)>,
    /// Whether it adjudicates disagreements of others.
    pub adjudicates: bool,
}

/// A benchmark with the title and licence of its card.
pub fn licensed(benchmark: Benchmark, card: Card) -> (Benchmark, String, String) {
    (benchmark, card.title, card.licence)
}

/// Units that cannot be created.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// No units are left.
    #[error("nothing is left to {0}; loosen --where, --item or --limit")]
    Nothing(&'static str),
    /// The run has no answers to these items.
    #[error("the run has no answers to these items")]
    NoReplies,
    /// All items are originals.
    #[error(
        "all items are in {0}, the language of the originals; add the translations' languages, for instance --language {0} --language de"
    )]
    NoTranslations(String),
    /// The original of a translation is not in the data.
    #[error(
        "no loaded {language} item has an original in {beside}; pass --language {language} --language {beside}, \
         or name another original with --beside"
    )]
    NoOriginal {
        /// Language of the translations.
        language: String,
        /// Language of the originals.
        beside: String,
    },
}

impl Task {
    /// Identifies this page: a hash over its units and texts, independent of the people.
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(self.mode.name());
        for text in &self.texts {
            hash.update(serde_json::to_vec(text).unwrap_or_default());
        }
        for unit in &self.units {
            hash.update([0]);
            hash.update(unit.id.as_bytes());
            for option in &unit.options {
                hash.update([1]);
                hash.update(option.as_bytes());
            }
        }
        hash.update(self.scheme.as_ref().map_or("", |scheme| scheme.sha256.as_str()));
        hex::encode(&hash.finalize()[..8])
    }
}
