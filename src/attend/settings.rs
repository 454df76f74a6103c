//! Settings of an experiment: what it measures, averages and checks.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::groups::GroupSettings;
use super::heads::HeadAnalysisSettings;
use super::measure::Contrast;
use super::results::{Document, FORMAT, Findings, Measure, Method, ModelRecord};
use super::words::{Match, ModelPart};
use crate::benchmark::{Benchmark, joined};
use crate::canary::CANARY;
use crate::name::as_texts;
use crate::prompt::{Condition, Instructions, Scoring};

/// Answers are scored by their label, as in the paper.
pub const SCORING: Scoring = Scoring::Letter;

/// Words whose own attention is kept beside that of the queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookingWords {
    /// Those of the question and the options.
    QuestionAndOptions,
    /// All of the prompt.
    All,
}

/// All settings of an experiment except its prompts and models, as given by arguments and stored in a folder's
/// manifest. Settings that only select extra output files are not stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExperimentSettings {
    /// Benchmarks by name.
    pub benchmarks: Vec<Benchmark>,
    /// What is measured, and how it is reduced.
    pub method: Method,
    /// Whether the last token of each option is also used as a query.
    pub query_options: bool,
    /// Requested contrasts, as on the command line.
    #[serde(with = "as_texts")]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub contrasts: Vec<Contrast>,
    /// Most random draws of each test; 0 skips the deletion check.
    pub deletion_draws: usize,
    /// Questions of each benchmark on which the check is made, drawn by seed within strata as `--limit` draws; absent
    /// where it is made on all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_items: Option<usize>,
    /// Properties in which random words match the tested ones.
    #[serde(rename = "deletion_match", with = "as_texts")]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub deletion_matching: Vec<Match>,
    /// Parts of the model that are switched off, as on the command line.
    #[serde(with = "as_texts")]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub knock_out: Vec<ModelPart>,
    /// Whether the answer position was read at every layer.
    pub lens: bool,
    /// Facet whose values form groups; null if none.
    pub group: Option<String>,
    /// Facets within whose values groups are compared, by benchmark.
    pub strata: IndexMap<Benchmark, Vec<String>>,
    /// Analyses besides keywords.
    pub inside: HeadAnalysisSettings,
    /// Prompt style.
    pub style: String,
    /// Language of the instructions.
    pub instructions: Instructions,
    /// Changed presentation of every item; null for the plain one.
    pub condition: Option<Condition>,
    /// The date that chat templates print, if the run had one; else null.
    pub now: Option<String>,
    /// Hash of the human keyword annotations of these items.
    pub human_sha256: String,
    /// Differences from the run whose items were read, in sentences.
    pub departures: Vec<String>,
    /// Whether to keep the mass of each head on each word, which only the page shows.
    #[serde(skip)]
    pub keep_heads: bool,
    /// Whether one forward pass gives both attention and likelihoods of a prompt with single-token labels, in half the
    /// time of two passes; likelihoods then differ by rounding.
    #[serde(skip)]
    pub read_once: bool,
    /// Words whose own attention is kept, which only a page of one file shows.
    #[serde(skip)]
    pub positions: Option<LookingWords>,
    /// Whether to keep captured rows, which only the tensor output contains.
    #[serde(skip)]
    pub keep_captures: bool,
    /// Whether to keep the residual stream of the answer position, which has a file of its own.
    #[serde(skip)]
    pub keep_states: bool,
}

impl ExperimentSettings {
    /// Creates a document without cases.
    pub(super) fn document(&self, models: Vec<ModelRecord>) -> Document {
        let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
        Document {
            format: FORMAT.to_string(),
            program: concat!("tomeval ", env!("CARGO_PKG_VERSION")).to_string(),
            canary: CANARY.to_string(),
            title: format!("What {} looked at: {}", names.join(" and "), joined(&self.benchmarks, ", ")),
            notes: notes(self),
            settings: self.method.clone(),
            models,
            cases: Vec::new(),
            contrasts: Vec::new(),
            groups: Vec::new(),
            shifts: Vec::new(),
            differences: Vec::new(),
            findings: Findings::default(),
            departures: self.departures.clone(),
        }
    }

    /// How cases are grouped.
    pub(super) fn grouping(&self) -> GroupSettings {
        GroupSettings { top: self.method.top, deletion_draws: self.deletion_draws, facet: self.group.clone() }
    }
}

/// Notes for readers of the document.
fn notes(settings: &ExperimentSettings) -> Vec<String> {
    let Method { keywords, measure, .. } = &settings.method;
    let mut notes = vec![
        "Words are segmented by jieba in Chinese and by Unicode's rules and ICU's dictionaries elsewhere. A token \
             that spans several words is split among them by bytes.",
    ];
    if !keywords.keep_sink && *measure != Measure::Occlusion {
        notes.push(
            "The first token draws much attention whatever it is (the attention sink). Its share is reported but \
                 excluded; template, instructions and punctuation are reported but not ranked.",
        );
    }
    if matches!(measure, Measure::Attention | Measure::Value) {
        notes.push(
            "ToMBench (section 4.3) averages over heads and 20 layers without naming them; the default here is \
                 the last 20.",
        );
    }
    let mut notes: Vec<String> = notes.into_iter().map(String::from).collect();
    if let Some(most) = settings.deletion_items.filter(|_| settings.deletion_draws > 0) {
        notes.push(format!(
            "The deletion check was made on at most {most} questions of each benchmark, drawn by seed within its \
             strata; the others have attention alone (--deletion-items)."
        ));
    }
    notes
}
