//! An analysis on disk: all data for the views in one versioned JSON document.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::differences::{DifferencesRecord, ShiftRecord};
use super::findings::Findings;
use super::heads::{ContributionsRecord, TopHeadsCaseRecord};
use super::measure::Measure;
use super::roles::RolesRecord;
use super::sensitivity::SensitivityRecord;
use super::witness::WitnessRecord;
use crate::attend::measure::{Heads, Layers};
use crate::attend::prompts::WordKind;
use crate::attend::words::{
    AblationGroupRecord, AblationRecord, ChecksRecord, DeletionRecord, KeywordOptions, LensRecord,
};
use crate::benchmark::Facets;
use crate::language::Language;
use crate::model::{ChosenTemplate, TemplateVariables};
use crate::name::as_text;
use crate::page::words::Said;

/// Name and version of the format. The version rises when the meaning of a field changes.
pub const FORMAT: &str = "tomeval-attention/3";

/// One analysis: some prompts, read by one or two models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Document {
    /// Name and version of the format: `tomeval-attention/3`.
    pub format: String,
    /// Name and version of the program.
    pub program: String,
    /// The canary line; see the end of this page.
    #[serde(default)]
    pub canary: String,
    /// Title.
    pub title: String,
    /// How weights were read and reduced.
    pub settings: Method,
    /// Models, in the order of their index.
    pub models: Vec<ModelRecord>,
    /// Analysed prompts.
    pub cases: Vec<Case>,
    /// Comparisons between rows of cases.
    pub contrasts: Vec<ContrastRecord>,
    /// Means and recurring keywords of groups of cases; empty for a single case.
    pub groups: Vec<GroupRecord>,
    /// Words that are keywords more often in one group than in another.
    pub shifts: Vec<ShiftRecord>,
    /// Comparisons of numbers between two groups within strata; absent if none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<DifferencesRecord>,
    /// Findings over many cases besides groups and shifts; absent if not requested.
    #[serde(default, skip_serializing_if = "Findings::is_empty")]
    pub findings: Findings,
    /// Differences from the run whose items were read, in sentences; absent if none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub departures: Vec<String>,
    /// Notes for readers, in sentences.
    pub notes: Vec<String>,
}

/// How weights were read and reduced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Method {
    /// The measure.
    pub measure: Measure,
    /// Layers averaged, as on the command line, counted from 0.
    #[serde(with = "as_text")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub layers: Layers,
    /// Heads averaged.
    #[serde(with = "as_text")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub heads: Heads,
    /// How keywords are selected.
    #[serde(flatten)]
    pub keywords: KeywordOptions,
    /// Number of keywords.
    pub top: usize,
    /// Seed of all random draws.
    pub seed: u64,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ModelRecord {
    /// Its given name.
    pub name: String,
    /// SHA-256 of its files by name.
    pub sha256: IndexMap<String, String>,
    /// Number of layers.
    pub layers: usize,
    /// Heads per layer.
    pub heads: usize,
    /// dtype of the forward pass.
    pub dtype: String,
    /// Variables passed to the chat template besides the messages.
    #[serde(default, skip_serializing_if = "TemplateVariables::is_empty")]
    pub template_variables: TemplateVariables,
    /// Chat template that replaces the model's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat_template: Option<ChosenTemplate>,
}

/// One prompt as one model read it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Case {
    /// The item's id.
    pub item: String,
    /// Distinguishes this prompt from others of the item, for instance its option order; empty for the first. `in the
    /// written reply`: the prompt and the reply up to its answer letter.
    pub variant: String,
    /// Index into `models`.
    pub model: usize,
    /// Id of the story it shares with others; empty in documents of earlier versions.
    #[serde(default)]
    pub story: String,
    /// Properties that cases must share to be compared across groups: `benchmark`, `language`, `options`, and the
    /// facets named by the benchmark's card.
    pub stratum: Facets,
    /// Whether the prompt was read only for comparison and counts in no group.
    #[serde(default, skip_serializing_if = "is_false")]
    pub compared_only: bool,
    /// Language of the item.
    pub language: Language,
    /// The item's facets.
    pub facets: IndexMap<String, String>,
    /// Whether the choice under this order is the gold answer; null if there is no choice to judge.
    pub right: Option<bool>,
    /// Whether several answers were equally likely, so that the choice was drawn among them as in a run; absent if one
    /// was likeliest.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tied: bool,
    /// The rendered prompt, template and answer prefix included.
    pub text: String,
    /// Parts that tile the text.
    pub parts: Vec<PartRecord>,
    /// Words that tile the text, then tokens without text.
    pub words: Vec<WordRecord>,
    /// Tokens.
    pub tokens: Vec<TokenRecord>,
    /// Displayed options in slot order.
    pub options: Vec<OptionRecord>,
    /// Analysed query positions; the answer position comes first.
    pub rows: Vec<QueryRecord>,
    /// Human annotations.
    pub humans: Vec<HumanRecord>,
    /// Deletion of the answer row's keywords, and of all other words, compared with random words; null if not done.
    pub deletion: Option<DeletionRecord>,
    /// The choice under every rotation of the options, of prompts with a deletion check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orders: Option<OrdersRecord>,
    /// What the analysis shows, by rules; absent where function words compete, and in the lines of a folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<Conclusion>,
    /// The choice with parts of the model switched off (`--knock-out`); absent without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub knocked_out: Vec<AblationRecord>,
    /// The answer position read at every layer (`--lens`); absent without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lens: Option<LensRecord>,
    /// The item's id without language and variant: equal for all versions of one question.
    #[serde(default)]
    pub parallel: String,
    /// Attention of the answer position on story roles (`--roles`); absent without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<RolesRecord>,
    /// The story sentence by sentence (`--witness`); absent without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<WitnessRecord>,
    /// Direct contributions to the difference of two labels' logits at the answer position (`--contributions`), nats;
    /// absent without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contributions: Option<ContributionsRecord>,
    /// The first keywords under other views, compared with those of this document (`--sensitivity`); absent without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitivity: Vec<SensitivityRecord>,
    /// The choice with chosen heads switched off (`--knock-out strongest:K`); absent without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strongest: Vec<TopHeadsCaseRecord>,
    /// What words of the prompt look at, on pages of few prompts. Not in the JSON document.
    #[serde(skip)]
    pub positions: Option<WordAttention>,
}

/// How often an option, and its label, are chosen when the options are rotated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OrdersRecord {
    /// Option orders: one for each rotation.
    pub orders: usize,
    /// Orders in which the option chosen here is chosen.
    pub same_option: usize,
    /// Orders in which the label chosen here is chosen.
    pub same_label: usize,
}

/// What the analysis of a prompt shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Conclusion {
    /// Its kind.
    pub kind: ConclusionKind,
    /// It in words.
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub sentences: Vec<Said>,
}

/// Kind of a conclusion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConclusionKind {
    /// The label won under more option orders than the option.
    Letter,
    /// Leaving the keywords out moved the choice more than leaving random words out.
    MoreThanRandom,
    /// It did not.
    NoMoreThanRandom,
    /// The check could not tell.
    CouldNotTell,
    /// There was no check.
    NotChecked,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A part of the prompt, in bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PartRecord {
    /// Its name: `story`, `question`, `option A`, `template`, ...
    pub name: String,
    /// Whether keywords may come from it.
    pub in_scope: bool,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// A word, in bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WordRecord {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// `word`, `mark`, `space` or `special`.
    pub kind: WordKind,
    /// Index of its part; null for tokens without text.
    pub part: Option<usize>,
}

/// A token, in bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TokenRecord {
    /// Number in the vocabulary.
    pub id: u32,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// A displayed option.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OptionRecord {
    /// Displayed label.
    pub label: String,
    /// Its text.
    pub text: String,
    /// Its canonical (file) number, from 0.
    pub canonical: usize,
    /// Log-likelihood of choosing it, nats.
    pub logprob: Option<f64>,
    /// Softmax of the log-likelihoods over the options.
    pub probability: Option<f64>,
    /// Whether it is right.
    pub gold: bool,
    /// Whether the model chose it.
    pub chosen: bool,
}

impl OptionRecord {
    /// Whether it is chosen or gold, in words; empty if neither.
    pub fn remark(&self) -> &'static str {
        match (self.chosen, self.gold) {
            (true, true) => "chosen, gold",
            (true, false) => "chosen",
            (false, true) => "gold",
            (false, false) => "",
        }
    }
}

/// Weights of one query position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct QueryRecord {
    /// `answer`, or the option whose last token it is.
    pub query: String,
    /// Index of the query's token.
    pub position: usize,
    /// Layers averaged, counted from 0; empty for measures that have none.
    pub layers: Vec<usize>,
    /// Heads averaged, counted from 0.
    pub heads: Vec<usize>,
    /// One weight per word, 0 for words that are not ranked.
    pub weights: Vec<f64>,
    /// All ranked words, heaviest first.
    pub ranking: Vec<KeywordRecord>,
    /// Share of the row on the first token.
    pub sink: f64,
    /// Share on other tokens without text.
    pub special: f64,
    /// Share on each part, without the first token unless it was kept. Occlusion has no row: its shares are of the sum
    /// of all falls.
    pub parts: Vec<f64>,
    /// Share on the ranked words.
    pub on_words: f64,
    /// Share on punctuation and other words in scope.
    pub on_marks: f64,
    /// Entropy over the ranked words, bits.
    pub entropy_bits: f64,
    /// Position in the scope at which half of its weight is reached, 0 to 1.
    pub half_way: Option<f64>,
    /// Share of the scope's weight in each tenth of its words.
    pub tenths: [f64; 10],
    /// Fall of the log-odds in nats when each word is left out alone, for occlusion; null for words not tried, absent
    /// for other measures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drops: Vec<Option<f64>>,
    /// Values of every layer and head; null for measures without heads.
    pub heads_map: Option<HeadsMap>,
}

/// One number per layer and head, `(layer, head)`, for all captured layers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HeadsMap {
    /// Numbers of the captured layers.
    pub layers: Vec<usize>,
    /// Heads per layer.
    pub heads: usize,
    /// Share of the first token.
    pub sink: Vec<f32>,
    /// Entropy of the row, bits.
    pub entropy_bits: Vec<f32>,
    /// Share of the scope.
    pub scope: Vec<f32>,
    /// Mass on the first token, on other tokens without text, then on each part (including the first token only if it
    /// was kept), `(layer, head, column)`. Not in the JSON document.
    #[serde(skip)]
    pub account: Vec<f32>,
    /// Mass on each word. Not in the JSON document: see the safetensors file for exact numbers per token.
    #[serde(skip)]
    pub words: WordMass,
}

/// Mass on each word, without the first token's.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum WordMass {
    /// Not kept.
    #[default]
    Absent,
    /// For every head, `(layer, head, word)`.
    Full(Vec<f32>),
    /// Means, if the full data would be too large.
    Means {
        /// Over the selected heads, `(layer, word)`.
        layers: Vec<f32>,
        /// Over the selected layers, `(head, word)`.
        heads: Vec<f32>,
    },
}

/// A ranked word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KeywordRecord {
    /// As it first occurs.
    pub text: String,
    /// Folded form.
    pub key: String,
    /// Share of the scope's words.
    pub weight: f64,
    /// Indices of its occurrences in `words`.
    pub words: Vec<usize>,
}

/// Attention of words of the prompt on the words before them.
#[derive(Debug, Clone, PartialEq)]
pub struct WordAttention {
    /// Indices of the words that look, in text order.
    pub words: Vec<usize>,
    /// What the last token of each pays to each word that is not white space, mean over the layers and heads asked for,
    /// `(word that looks, word)`.
    pub weights: Vec<f32>,
}

/// A person's annotations, and their agreement with the answer row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HumanRecord {
    /// Name of the reader.
    pub reader: String,
    /// Marked words found in scope, most important first.
    pub keywords: Vec<String>,
    /// Marked words not found in scope.
    pub missing: Vec<String>,
    /// Occurrences in `words`.
    pub words: Vec<usize>,
    /// Position in the scope at which half of the marks are reached.
    pub half_way: Option<f64>,
    /// Position in the scope up to which the reader had to read.
    pub read_to: Option<f64>,
    /// The last words that the reader had to read, if they are not in scope; else null.
    #[serde(default)]
    pub read_to_missing: Option<String>,
    /// Overlap of the first k keywords, where k is the number of keywords of the analysis.
    pub overlap: Option<f64>,
    /// Expected overlap if the reader had marked as many words at random; this and the other chance values are missing
    /// in documents of earlier versions.
    #[serde(default)]
    pub overlap_by_chance: Option<f64>,
    /// Jaccard index of the first k model keywords and all marks.
    pub jaccard: Option<f64>,
    /// Expected Jaccard index at random.
    #[serde(default)]
    pub jaccard_by_chance: Option<f64>,
    /// Rank-biased overlap at persistence 0.9, whole lists.
    pub rank_biased_overlap: Option<f64>,
    /// Expected rank-biased overlap at random.
    #[serde(default)]
    pub rank_biased_overlap_by_chance: Option<f64>,
    /// Deletion check of the reader's words; absent if not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion: Option<DeletionRecord>,
}

/// Comparison of two rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ContrastRecord {
    /// What is compared, for instance `option C minus option A`.
    pub name: String,
    /// Case and row of the first.
    pub first: (usize, usize),
    /// Case and row of the second.
    pub second: (usize, usize),
    /// Word of the first case, word of the second, first weight minus second.
    pub differences: Vec<(usize, usize, f64)>,
    /// Words of the first case that the second does not have.
    pub only_first: Vec<usize>,
    /// Words of the second case that the first does not have.
    pub only_second: Vec<usize>,
    /// Half the sum of absolute differences, 0 to 1.
    pub distance: f64,
}

impl ContrastRecord {
    /// The same comparison where `before` cases stand before those it names.
    pub fn after(&self, before: usize) -> Self {
        let moved = |(case, row): (usize, usize)| (case + before, row);
        ContrastRecord { first: moved(self.first), second: moved(self.second), ..self.clone() }
    }
}

/// Means over a group of cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GroupRecord {
    /// Property that the cases share.
    pub name: String,
    /// Number of cases.
    pub items: usize,
    /// Mean share on the first token.
    pub sink: f64,
    /// Mean share on ranked words.
    pub on_words: f64,
    /// Mean entropy, bits.
    pub entropy_bits: f64,
    /// Mean position in the scope at which half of the weight is reached.
    pub half_way: Option<f64>,
    /// Mean overlap with human keywords.
    pub overlap: Option<f64>,
    /// Deletion checks of the cases; null if none.
    #[serde(default)]
    pub deletion: Option<ChecksRecord>,
    /// Effects of switching off parts of the model; absent without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub knocked_out: Vec<AblationGroupRecord>,
    /// Recurring keywords by language.
    pub keywords: Vec<RecurringRecord>,
}

/// Recurring keywords of a group in one language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RecurringRecord {
    /// The language.
    pub language: Language,
    /// Text, number of items, mean weight.
    pub words: Vec<(String, usize, f64)>,
}

impl QueryRecord {
    /// Number of values held per layer, head and word.
    pub fn full_values(&self) -> usize {
        match self.heads_map.as_ref().map(|map| &map.words) {
            Some(WordMass::Full(words)) => words.len(),
            _ => 0,
        }
    }

    /// Replaces the mass on each word by its means over the selected heads and over the selected layers.
    pub fn condense(&mut self) {
        let Some(map) = &mut self.heads_map else { return };
        let WordMass::Full(words) = &map.words else { return };
        let lines = map.layers.len() * map.heads;
        let width = words.len() / lines.max(1);
        let line = |layer: usize, head: usize| &words[(layer * map.heads + head) * width..][..width];
        let layers = 0..map.layers.len();
        let chosen: Vec<usize> = layers.clone().filter(|&layer| self.layers.contains(&map.layers[layer])).collect();
        map.words = WordMass::Means {
            layers: layers.flat_map(|layer| mean(self.heads.iter().map(|&head| line(layer, head)), width)).collect(),
            heads: (0..map.heads).flat_map(|head| mean(chosen.iter().map(|&layer| line(layer, head)), width)).collect(),
        };
    }
}

fn mean<'a>(lines: impl ExactSizeIterator<Item = &'a [f32]>, width: usize) -> Vec<f32> {
    let count = lines.len().max(1) as f32;
    let mut sums = vec![0.0; width];
    for line in lines {
        sums.iter_mut().zip(line).for_each(|(sum, value)| *sum += value / count);
    }
    sums
}

impl Case {
    /// Indices of all words that are not white space.
    pub fn visible_words(&self) -> Vec<usize> {
        (0..self.words.len()).filter(|&index| self.words[index].kind != WordKind::Space).collect()
    }

    /// The text of a word.
    pub fn word_text(&self, word: usize) -> &str {
        let word = &self.words[word];
        &self.text[word.start..word.end]
    }

    /// Mean over the readers that have a value; `None` if none has.
    pub fn mean_over_readers(&self, value: impl Fn(&HumanRecord) -> Option<f64>) -> Option<f64> {
        let values: Vec<f64> = self.humans.iter().filter_map(value).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }

    /// Probability of all labels together; `None` if options have no likelihoods of their own.
    pub fn label_mass(&self) -> Option<f64> {
        let logprobs: Option<Vec<f64>> = self.options.iter().map(|option| option.logprob).collect();
        logprobs.filter(|found| !found.is_empty()).map(|found| found.into_iter().map(f64::exp).sum())
    }

    /// Id and variant as a heading.
    pub fn heading(&self) -> String {
        match self.variant.is_empty() {
            true => self.item.clone(),
            false => format!("{} ({})", self.item, self.variant),
        }
    }

    /// The answer in words: chosen and right option, by label.
    pub fn verdict(&self) -> String {
        let labels = |wanted: fn(&OptionRecord) -> bool| {
            let found: Vec<&str> =
                self.options.iter().filter(|option| wanted(option)).map(|option| option.label.as_str()).collect();
            if found.is_empty() { "none".to_string() } else { found.join(", ") }
        };
        let state = match self.right {
            Some(true) => "right",
            Some(false) => "wrong",
            None => "not judged",
        };
        let drawn = if self.tied { " (drawn: several were equally likely)" } else { "" };
        format!("{state}: chose {}{drawn}, gold {}", labels(|option| option.chosen), labels(|option| option.gold))
    }
}
