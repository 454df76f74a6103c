//! Made items as lines of a file of one's own questions (`docs/own-data.md`).

use serde::Serialize;

use crate::benchmark::{Answer, Facets, Item, SegmentKind};
use crate::language::Language;
use crate::name::option_letter;

/// A made item, with all that a file of one's own questions may hold, and how it came about.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OwnItem<'a, M> {
    /// Id of the item it comes from.
    id: &'a str,
    /// Language code.
    language: Language,
    /// Equal for all versions of a question.
    parallel: &'a str,
    /// Id of its story, shared with other items.
    story_id: &'a str,
    /// What is shown before the question, a segment a line.
    story: String,
    /// The question.
    question: &'a str,
    /// Options in the order of the data.
    options: &'a [String],
    /// Letters of the right options: one, or of a set or of slots a list.
    answer: Letters,
    /// `single`, `labels` or `slots`.
    kind: &'static str,
    /// Facets that divide tables.
    #[serde(flatten)]
    facets: Facets,
    /// How it came about: a list of one entry, which readers of own files do not take for facets.
    made: [M; 1],
    /// The canary line, only in the first line of the file; see the end of this page.
    #[serde(skip_serializing_if = "Option::is_none")]
    canary: Option<&'static str>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Letters {
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
    /// The line of an item; `canary` in the first line of a file.
    pub fn new(item: &'a Item, made: M, canary: Option<&'static str>) -> Self {
        let letters: Vec<String> =
            item.gold.options().into_iter().map(|option| option_letter(option).to_string()).collect();
        OwnItem {
            id: &item.id,
            language: item.language,
            parallel: &item.parallel,
            story_id: &item.story,
            story: item.context.iter().map(|segment| &*segment.text).collect::<Vec<_>>().join("\n"),
            question: &item.question,
            options: &item.options,
            answer: match &item.gold {
                Answer::Single(option) => Letters::One(option_letter(option.0).to_string()),
                Answer::Labels(_) | Answer::Slots(_) => Letters::Several(letters),
            },
            kind: item.gold.kind(),
            facets: item.facets.iter().map(|(name, value)| (own_name(name), value.clone())).collect(),
            made: [made],
            canary,
        }
    }

    /// Whether the line loses what tells kinds of context apart, for instance profiles from dialogues.
    pub fn joins_segments(item: &Item) -> bool {
        item.context.len() > 1 || item.context.iter().any(|segment| segment.kind != SegmentKind::Story)
    }
}
