//! What an experiment measures, averages and checks.

use indexmap::IndexMap;

use super::aggregate::Grouping;
use super::document::{Document, FORMAT, Measure, Method, ModelRecord};
use super::findings::Findings;
use super::inside::InsideSettings;
use super::keywords::{KeywordOptions, Repeats};
use super::versions::Contrast;
use super::{Heads, Layers, Match, Part};
use crate::benchmark::{Benchmark, joined};
use crate::canary::CANARY;
use crate::prompt::Scoring;

/// How an answer is scored here: by its label, as the paper does.
pub const SCORING: Scoring = Scoring::Letter;

/// Everything about an experiment but its prompts and its models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExperimentSettings {
    /// Names of the benchmarks, for the title.
    pub benchmarks: Vec<Benchmark>,
    /// What is measured.
    pub measure: Measure,
    /// Whether the last token of each option is a query beside the answer position.
    pub query_options: bool,
    /// Layers averaged.
    pub layers: Layers,
    /// Heads averaged.
    pub heads: Heads,
    /// How keywords are found.
    pub keywords: KeywordOptions,
    /// Number of keywords.
    pub top: usize,
    /// What rows are set against.
    pub contrasts: Vec<Contrast>,
    /// Most random draws of each test of the deletion check; 0 leaves it out.
    pub deletion_draws: usize,
    /// In what random words are like those tested, beside their number.
    pub deletion_matching: Vec<Match>,
    /// Parts of the model that are switched off, one after the other.
    pub knock_out: Vec<Part>,
    /// Whether the answer position is read at every layer.
    pub lens: bool,
    /// Facet whose values are compared over all prompts.
    pub group: Option<String>,
    /// Facets within whose values groups are compared, by the name of the benchmark.
    pub strata: IndexMap<Benchmark, Vec<String>>,
    /// Seed of all random draws.
    pub seed: u64,
    /// How this differs from the run whose items are read, in sentences.
    pub departures: Vec<String>,
    /// Whether the mass of each head on each word is kept, which only the page shows.
    pub keep_heads: bool,
    /// Whether one forward gives attention and likelihoods of a prompt where labels are single tokens, in half the time of two;
    /// likelihoods then differ by rounding.
    pub read_once: bool,
    /// Whether captured rows are kept, which only the tensors hold.
    pub keep_captures: bool,
    /// What is looked at beside keywords.
    pub inside: InsideSettings,
}

impl ExperimentSettings {
    /// A document without cases yet.
    pub(super) fn document(&self, models: Vec<ModelRecord>) -> Document {
        Document::head(models, &self.benchmarks, self.method(), self.departures.clone())
    }

    /// How cases are grouped.
    pub(super) fn grouping(&self) -> Grouping {
        Grouping { top: self.top, deletion_draws: self.deletion_draws, facet: self.group.clone() }
    }

    /// The method as a document states it.
    pub(super) fn method(&self) -> Method {
        Method {
            measure: self.measure,
            layers: self.layers.to_string(),
            heads: self.heads.to_string(),
            scope: self.keywords.scope.name().to_string(),
            merge: self.keywords.merge.name().to_string(),
            repeats_together: self.keywords.repeats == Repeats::Together,
            keep_sink: self.keywords.keep_sink,
            drop_stop_words: self.keywords.drop_stop_words,
            top: self.top,
            seed: self.seed,
        }
    }
}

impl Document {
    /// A document of an analysis by these models, without cases yet.
    pub(super) fn head(
        models: Vec<ModelRecord>,
        benchmarks: &[Benchmark],
        settings: Method,
        departures: Vec<String>,
    ) -> Document {
        let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
        Document {
            format: FORMAT.to_string(),
            program: concat!("tomeval ", env!("CARGO_PKG_VERSION")).to_string(),
            canary: CANARY.to_string(),
            title: format!("What {} looked at: {}", names.join(" and "), joined(benchmarks, ", ")),
            notes: notes(&settings),
            settings,
            models,
            cases: Vec::new(),
            contrasts: Vec::new(),
            groups: Vec::new(),
            shifts: Vec::new(),
            differences: Vec::new(),
            findings: Findings::default(),
            departures,
        }
    }
}

/// What a reader of the document must know.
fn notes(settings: &Method) -> Vec<String> {
    let mut notes = vec![
        "Words are cut by jieba in Chinese and by Unicode's rules and ICU's dictionaries elsewhere. A token that \
             spans several words gives each its part by bytes.",
    ];
    if !settings.keep_sink && settings.measure != Measure::Occlusion {
        notes.push(
            "The first token draws much attention whatever it is (the attention sink). Its share is reported and \
                 taken out; template, instructions and punctuation are reported and not ranked.",
        );
    }
    if matches!(settings.measure, Measure::Attention | Measure::Value) {
        notes.push(
            "ToMBench (section 4.3) averages over heads and 20 layers without saying which; the default here is \
                 the last 20.",
        );
    }
    notes.into_iter().map(String::from).collect()
}
