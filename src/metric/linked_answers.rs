//! Results of questions that belong together.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::figure::Figure;
use super::respondent::Header;

/// Answers to questions that belong together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Linked {
    /// Answers to linked questions of one story; absent if the card links none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkResult>,
    /// Versions of the same questions; absent if the card names none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub twins: Vec<TwinResult>,
}

impl Linked {
    /// Whether the card names nothing that belongs together, or nothing of it was answered.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty() && self.twins.is_empty()
    }

    /// Adds the results of another run.
    pub fn add(&mut self, more: Linked) {
        self.links.extend(more.links);
        self.twins.extend(more.twins);
    }

    /// Keeps the rows whose facet values pass.
    pub fn retain(&mut self, mut keeps: impl FnMut(&IndexMap<String, String>) -> bool) {
        self.links.retain(|each| keeps(&each.key));
        self.twins.retain(|each| keeps(&each.key));
    }

    /// The headers of all results.
    pub(super) fn headers(&mut self) -> impl Iterator<Item = &mut Header> {
        let links = self.links.iter_mut().map(|each| &mut each.header);
        links.chain(self.twins.iter_mut().map(|each| &mut each.header))
    }
}

/// Answers to two linked questions of one story: an association, which does not say that one was used for the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LinkResult {
    /// The link's id in the card.
    pub id: String,
    /// The respondent and the presentation.
    #[serde(flatten)]
    pub header: Header,
    /// Facet values of the row.
    pub key: IndexMap<String, String>,
    /// Name of the first question.
    pub first: String,
    /// Name of the second question.
    pub second: String,
    /// Pairs of answers.
    pub pairs: usize,
    /// Stories of the pairs.
    pub stories: usize,
    /// Pairs left out: an item could not be asked, or its answer is not that of its tracked story.
    pub left_out: usize,
    /// Pairs with both answers right.
    pub both_right: usize,
    /// Pairs with only the first right.
    pub only_first_right: usize,
    /// Pairs with only the second right.
    pub only_second_right: usize,
    /// Pairs with neither right.
    pub neither_right: usize,
    /// Share of pairs whose second answer is right if it is guessed, in percent.
    pub chance: f64,
    /// Share of second answers that are right where the first is; null for fewer than ten.
    pub second_if_first: Figure,
    /// The same where the first is wrong.
    pub second_if_not_first: Figure,
    /// The former minus the latter, in percentage points.
    pub difference: Figure,
    /// 95 % interval of the difference, clustered by story.
    pub interval: Option<(f64, f64)>,
    /// The difference that is expected if second answers are exchanged at random among stories of the same condition and
    /// the same right answers: the part of it that follows from which answers are right where. Exact mean over all
    /// exchanges.
    pub expected: Figure,
    /// The difference within the same condition and right answers, averaged over these with the weights of Mantel and
    /// Haenszel: an answer that is always the same has none.
    pub within_gold: Figure,
    /// Its 95 % interval, clustered by story.
    pub within_gold_interval: Option<(f64, f64)>,
    /// P-value, from 0 to 1, of the test that it is zero, adjusted by Holm's procedure among all links of the style and
    /// condition; null where it does not vary.
    pub within_gold_p: Option<f64>,
    /// Whether the answers fit together, be they right or wrong; absent if the card does not ask, or no pair has choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consistency: Option<Consistency>,
}

/// How often the answers of linked questions name the same thing where they must, and other things where they must, be
/// they right or wrong. A constant answer always agrees, so the mean of both parts is what counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Consistency {
    /// Pairs whose right answers are the same, so that the answers must agree.
    pub agree: ConsistencyPart,
    /// Pairs whose right answers differ, so that the answers must differ.
    pub differ: ConsistencyPart,
    /// Mean of the shares of both parts, in percent.
    pub mean: Figure,
    /// Mean of what both parts are expected to have.
    pub expected: Figure,
    /// Pairs left out: an item has no choice, could not be asked, or its answer is not that of its tracked story.
    pub left_out: usize,
}

/// Pairs that must agree, or differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ConsistencyPart {
    /// Number of pairs.
    pub pairs: usize,
    /// Number of their stories.
    pub stories: usize,
    /// Share of pairs whose answers do what they must; null for fewer than ten.
    pub share: Figure,
    /// Share expected if the second answer were that of another story of the same condition and right answers: of the
    /// same role there, such as the container in which the object was at first.
    pub expected: Figure,
    /// Share minus expected over the pairs that have such stories, in percentage points.
    pub excess: Figure,
    /// Its 95 % interval, clustered by story.
    pub excess_interval: Option<(f64, f64)>,
}

/// Versions of the same questions: each alone, and all right together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TwinResult {
    /// The id of the twins in the card.
    pub id: String,
    /// Heading.
    pub title: String,
    /// The respondent and the presentation.
    #[serde(flatten)]
    pub header: Header,
    /// Facet values of the row.
    pub key: IndexMap<String, String>,
    /// The versions, the original first.
    pub parts: Vec<TwinPart>,
    /// Sets all of whose questions were answered; all following figures are of these.
    pub sets: usize,
    /// Sets left out: not all of their questions were asked and answered.
    pub incomplete: usize,
    /// Share of sets whose answers are all right, in percent.
    pub all_right: Figure,
    /// Its 95 % interval, clustered by story.
    pub all_right_interval: Option<(f64, f64)>,
    /// The share if all answers were guessed.
    pub chance: Figure,
    /// The same by number of questions of a set.
    pub by_size: Vec<TwinSize>,
    /// Rules that do not read for meaning, the best first.
    pub rules: Vec<TwinRule>,
}

/// One version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TwinPart {
    /// Its name in the card.
    pub name: String,
    /// The edit that makes it of the original; null for the original, and where the card does not say.
    pub edit: Option<String>,
    /// Number of questions.
    pub items: usize,
    /// Share of right answers, in percent.
    pub accuracy: Figure,
    /// Its 95 % interval, clustered by story.
    pub interval: Option<(f64, f64)>,
    /// The share if all answers were guessed.
    pub chance: Figure,
    /// Questions paired with one of the original; 0 for the original itself.
    pub pairs: usize,
    /// Share right minus that of the paired questions of the original, in percentage points.
    pub change: Figure,
    /// Its 95 % interval over pairs, clustered by story.
    pub change_interval: Option<(f64, f64)>,
    /// P-value, from 0 to 1, of the test that flips the signs of the stories' changes, adjusted by Holm's procedure among
    /// all versions and rows of the twins; null without pairs.
    pub change_p: Option<f64>,
    /// Of the pairs whose right answers differ, how many are answered differently: by text where both have the same options,
    /// else by place in the data.
    pub where_gold_moves: TwinMoves,
    /// The same of the pairs whose right answers are the same: of these none should be.
    pub where_gold_stays: TwinMoves,
}

/// Pairs of a version and its original whose answers differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TwinMoves {
    /// Number of pairs.
    pub pairs: usize,
    /// Share of them with another answer, in percent; null for fewer than ten.
    pub moved: Figure,
}

/// Sets with the same number of questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TwinSize {
    /// Questions of each set.
    pub questions: usize,
    /// Number of sets.
    pub sets: usize,
    /// Share of sets whose answers are all right, in percent.
    pub all_right: f64,
    /// The share if all answers were guessed.
    pub chance: f64,
    /// Rules that do not read for meaning, on these sets alone, the best first.
    #[serde(default)]
    pub rules: Vec<TwinRule>,
}

/// A rule that does not read for meaning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TwinRule {
    /// What it answers.
    pub answer: String,
    /// Share of sets that it answers rightly throughout, in percent; what it has no answer to is guessed.
    pub all_right: f64,
}
