//! The item type shared by all benchmarks.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;
use strum::{IntoStaticStr, VariantArray};

use super::Benchmark;
use crate::language::Language;
use crate::name::named;

/// Maximum bytes of an option that is a name; longer ones are sentences, which stories do not name.
pub const LONGEST_NAME: usize = 40;

/// Index of an option in canonical (file) order. Displayed positions are [`crate::prompt::SlotIx`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OptionIx(pub usize);

/// Ordered facets of an item: task, ability, order, deception, ... Every table is a group-by over them.
pub type Facets = IndexMap<String, String>;

/// The kind of a stretch of context.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    IntoStaticStr,
    VariantArray,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum SegmentKind {
    /// The story of a question.
    Story,
    /// A dialogue between characters.
    Dialogue,
    /// Profiles of the characters.
    Profile,
    /// The narrated setting of a dialogue.
    Background,
    /// Assumptions a reader must make, for instance Hi-ToM's note.
    Note,
    /// The fact question or piece of information a question is about (FANToM).
    Target,
    /// One utterance asked about (NegotiationToM).
    Utterance,
}

named!(SegmentKind);

/// A stretch of context with its kind; shown in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Its kind.
    pub kind: SegmentKind,
    /// Its text, as shown. Questions about one story share one copy of it.
    pub text: Arc<str>,
}

/// An answer of one of the three kinds, in canonical options: the right or the chosen one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Answer {
    /// Exactly one option.
    Single(OptionIx),
    /// A set of labels (multi-label questions).
    Labels(BTreeSet<OptionIx>),
    /// One option per slot; all slots choose among the same options.
    Slots(Vec<OptionIx>),
}

impl Answer {
    /// The answer of the kind with this JSON name and these canonical option numbers; `None` where they do not fit.
    pub fn from_options(kind: &str, options: &[usize]) -> Option<Self> {
        let all = options.iter().copied().map(OptionIx);
        match (kind, options) {
            ("single", &[option]) => Some(Answer::Single(OptionIx(option))),
            ("labels", _) => Some(Answer::Labels(all.collect())),
            ("slots", _) => Some(Answer::Slots(all.collect())),
            _ => None,
        }
    }

    /// The kind as written in JSON: `single`, `labels` or `slots`.
    pub fn kind(&self) -> &'static str {
        match self {
            Answer::Single(_) => "single",
            Answer::Labels(_) => "labels",
            Answer::Slots(_) => "slots",
        }
    }

    /// Canonical option numbers: one, the set in ascending order, or one per slot.
    pub fn options(&self) -> Vec<usize> {
        match self {
            Answer::Single(option) => vec![option.0],
            Answer::Labels(set) => set.iter().map(|option| option.0).collect(),
            Answer::Slots(slots) => slots.iter().map(|option| option.0).collect(),
        }
    }
}

/// An anomaly of the released data that affects one item; the item is kept.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Flag {
    /// Name of an anomaly of the data.
    pub name: Cow<'static, str>,
    /// Details of the anomaly.
    pub detail: String,
}

/// A question as the models see it, in one language and variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Stable readable id, for instance `tombench/False Belief Task/17/en`.
    pub id: String,
    /// The benchmark it belongs to.
    pub benchmark: Benchmark,
    /// Language of the item's text.
    pub language: Language,
    /// The id without language and variant: equal for all versions of one question.
    pub parallel: String,
    /// Id of the shared story, dialogue or context: the unit of coherent tests, joint accuracy and clustered intervals.
    /// Equal only within one language and variant.
    pub story: String,
    /// Segments shown before the question, in order.
    pub context: Vec<Segment>,
    /// The question.
    pub question: String,
    /// Option texts in canonical (file) order, labels stripped.
    pub options: Vec<String>,
    /// The right answer under the chosen label set.
    pub gold: Answer,
    /// Ordered facets.
    pub facets: Facets,
    /// Further values that prompt templates may name, for instance `agent_number`.
    pub fields: IndexMap<String, String>,
    /// Anomalies that affect this item.
    pub flags: Vec<Flag>,
}

impl Item {
    /// The value of a facet, `None` where the item does not have it.
    pub fn facet(&self, name: &str) -> Option<&str> {
        self.facets.get(name).map(String::as_str)
    }

    /// The value of a facet by which items are grouped: one of its own, or its language or number of options.
    pub fn grouped_by(&self, name: &str) -> Option<Cow<'_, str>> {
        match name {
            "language" => Some(self.language.code().into()),
            "options" => Some(self.options.len().to_string().into()),
            _ => self.facet(name).map(Cow::from),
        }
    }

    /// Whether it has the same options as another, in any order.
    pub fn has_options_of(&self, other: &Item) -> bool {
        let sorted = |item: &Item| -> Vec<String> {
            let mut options = item.options.clone();
            options.sort_unstable();
            options
        };
        sorted(self) == sorted(other)
    }

    /// The segments that tell the story, one per line.
    pub fn story_text(&self) -> String {
        let story = self.context.iter().filter(|segment| segment.kind == SegmentKind::Story);
        story.map(|segment| &*segment.text).collect::<Vec<_>>().join("\n")
    }

    /// Number of possible answers: options, combinations of one per slot, or sets of labels.
    pub fn possible_answers(&self) -> f64 {
        let options = self.options.len() as f64;
        match &self.gold {
            Answer::Single(_) => options,
            Answer::Slots(slots) => options.powi(i32::try_from(slots.len()).unwrap_or(i32::MAX)),
            Answer::Labels(_) => options.exp2(),
        }
    }

    /// Probability that a uniform guess among all possible answers is right.
    pub fn chance(&self) -> f64 {
        self.possible_answers().recip()
    }

    /// Distinguishes the item from others of its story: its id after the story's id, or else the last part of its id.
    pub fn name_in_story(&self) -> &str {
        let below = self.id.strip_prefix(&self.story).and_then(|rest| rest.strip_prefix('/'));
        below.unwrap_or_else(|| self.id.rsplit('/').next().unwrap_or(&self.id))
    }
}
