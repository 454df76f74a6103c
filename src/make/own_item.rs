//! Made items as lines of a file of one's own questions (`docs/own-data.md`).

use std::borrow::Cow;

use serde::Serialize;

use super::texts::QuestionTexts;
use crate::benchmark::{Answer, Facets, Item, SegmentKind};
use crate::language::Language;
use crate::name::option_letter;

/// A made item, with all that a file of one's own questions may hold, and how it came about.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OwnItem<'a, M> {
    /// Id, by default that of the item it comes from.
    pub id: Cow<'a, str>,
    /// Language code.
    pub language: Language,
    /// Equal for all versions of a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel: Option<&'a str>,
    /// Id of its story, shared with other items.
    pub story_id: Cow<'a, str>,
    /// What is shown before the question, a segment a line; absent if nothing is.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub story: Cow<'a, str>,
    /// The question.
    pub question: &'a str,
    /// Options in the order of the data.
    pub options: &'a [String],
    /// Letters of the right options: one, or of a set or of slots a list.
    pub answer: Letters,
    /// `single`, `labels` or `slots`.
    pub kind: &'static str,
    /// Facets that divide tables.
    #[serde(flatten)]
    pub facets: Facets,
    /// How it came about: a list, which readers of own files do not take for facets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<M>,
    /// The canary line, only in the first line of the file; see the end of this page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canary: Option<&'static str>,
}

/// The letters of a right answer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Letters {
    One(String),
    Several(Vec<String>),
}

/// The name of a facet in the file; one that would be taken for a part of the question has `source` in front.
fn own_name(facet: &str) -> String {
    match PARTS.contains(&facet) {
        true => format!("source {facet}"),
        false => facet.to_string(),
    }
}

/// Keys that are not facets.
const PARTS: [&str; 11] =
    ["id", "language", "parallel", "story_id", "story", "question", "options", "answer", "kind", "made", "canary"];

/// How an item of a sample came about.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Origin<'a> {
    /// Program and version that drew it.
    pub program: &'a str,
    /// The table of quotas.
    pub quotas: &'a str,
    /// SHA-256 of that table.
    pub quotas_sha256: &'a str,
    /// The quota it belongs to.
    pub quota: &'a str,
    /// Its category within the quota.
    pub category: &'a str,
    /// Seed of all draws.
    pub seed: u64,
    /// The story to which distances are measured; `null` in random draws.
    pub baseline: Option<&'a str>,
    /// Cosine distance of its story to the baseline.
    pub distance: Option<f64>,
    /// Quantile bin of that distance, from 1; `null` of the baseline.
    pub bin: Option<usize>,
    /// Number of bins.
    pub bins: Option<usize>,
    /// SHA-256 of the vectors.
    pub embeddings_sha256: Option<&'a str>,
    /// The model of the vectors.
    pub embedded_by: Option<&'a str>,
}

impl<'a, M> OwnItem<'a, M> {
    /// The line of an item as it is.
    pub fn new(item: &'a Item) -> Self {
        OwnItem {
            id: Cow::from(&item.id),
            language: item.language,
            parallel: Some(&item.parallel),
            story_id: Cow::from(&item.story),
            story: item.context.iter().map(|segment| &*segment.text).collect::<Vec<_>>().join("\n").into(),
            question: &item.question,
            options: &item.options,
            answer: match &item.gold {
                Answer::Single(option) => Letters::One(option_letter(option.0)),
                gold => Letters::Several(gold.options().into_iter().map(option_letter).collect()),
            },
            kind: item.gold.kind(),
            facets: item.facets.iter().map(|(name, value)| (own_name(name), value.clone())).collect(),
            made: Vec::new(),
            canary: None,
        }
    }

    /// The line with other texts in the places of the item's; its right answer stays.
    pub fn with_texts(self, story: &'a str, question: &'a QuestionTexts) -> Self {
        let QuestionTexts { question, options } = question;
        OwnItem { story: Cow::from(story), question, options, ..self }
    }

    /// Whether the line loses what tells kinds of context apart, for instance profiles from dialogues.
    pub fn joins_segments(item: &Item) -> bool {
        item.context.len() > 1 || item.context.iter().any(|segment| segment.kind != SegmentKind::Story)
    }
}
