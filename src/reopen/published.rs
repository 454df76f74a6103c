//! Relation of a run to the published figures of its benchmark: whether they are for the same items, and how its
//! answers were produced.

use indexmap::IndexMap;

use crate::benchmark::{Benchmark, LabelSet};
use crate::metric::{Method, OF_PAPER};
use crate::prompt::{OrderPolicy, Scoring};
use crate::trial::Settings;

/// How this program's packs describe their wording.
const OF_PROGRAM: &str = "written for tomeval";

/// How a run's answers to one benchmark were produced; `wording` is the prompts' description of their wording, and
/// `paper` the card's name for the paper.
pub(super) fn method(settings: &Settings, wording: Option<&str>, paper: &str) -> Method {
    let scoring = match settings.scoring {
        Scoring::Generate => "written answers".to_string(),
        _ => settings.answers(),
    };
    let orders = match settings.orders {
        OrderPolicy::Identity => Method::orders(1),
        OrderPolicy::Random(count) | OrderPolicy::Balanced(count) => Method::orders(count),
        OrderPolicy::Cyclic => "all rotations".to_string(),
        OrderPolicy::All => "all orders".to_string(),
    };
    Method { scoring: Some(scoring), orders: Some(orders), wording: wording.map(|wording| worded(wording, paper)) }
}

fn worded(wording: &str, paper: &str) -> String {
    let writers = paper.split(',').next().unwrap_or(paper);
    // A table or figure without a paper belongs to the benchmark's own paper.
    let of_paper = wording.contains(writers) || ["Table", "Figure"].iter().any(|place| wording.starts_with(place));
    match wording {
        OF_PROGRAM => "tomeval's wording".to_string(),
        _ if of_paper && !wording.contains(OF_PROGRAM) => OF_PAPER.to_string(),
        other => other.to_string(),
    }
}

/// Note on data made with a seed.
pub fn made_note(seed: u64) -> String {
    format!(
        "Made by tomeval, seed {seed}: these are not the released items, so no published figure stands beside them."
    )
}

/// Note on data that models wrote: whether the model judged is one of them.
pub(super) fn writers_note(writers: &[String], judged: &str) -> Option<String> {
    let names = writers.join(", ");
    match writers.iter().any(|writer| writer == judged) {
        true => Some(format!(
            "Written by {names}: {judged} is judged here on texts that it wrote itself, so its figures are no fair comparison with those of other models."
        )),
        false if writers.is_empty() => None,
        false => Some(format!("Written by {names}, and not by the model judged here.")),
    }
}

/// Selection of the answered items, as far as it decides whether published figures are for the same items, or for all
/// items of which they are a sample.
#[derive(Debug, Clone, Copy)]
pub struct AskedOf<'a> {
    pub benchmark: Benchmark,
    /// Gold labels in use.
    pub labels: LabelSet,
    /// Choices supported only by some benchmarks.
    pub choices: &'a IndexMap<String, String>,
    /// Whether items were selected by id or facet, or generated for the run.
    pub chosen: bool,
}

impl<'a> AskedOf<'a> {
    /// The selection of a run for a benchmark.
    pub(super) fn run(settings: &'a Settings, benchmark: Benchmark) -> Self {
        let made = benchmark == Benchmark::HiToM && settings.made_stories.is_some();
        let chosen = made || !settings.facets.is_empty() || !settings.items.is_empty();
        AskedOf { benchmark, labels: settings.labels, choices: &settings.choices, chosen }
    }

    /// The same selection of data that may be made: then none of them is the paper's.
    pub fn of_made(self, seed: Option<u64>) -> Self {
        AskedOf { chosen: self.chosen || seed.is_some(), ..self }
    }

    /// Whether published figures may appear in a table with these facets: not beside other gold answers, the user's own
    /// data, or items that were not drawn at random. A selection by a facet of the rows selects whole rows.
    pub fn is_of_paper(&self, facets: &[String]) -> bool {
        self.labels == LabelSet::Published
            && self.benchmark != Benchmark::Custom
            && !self.chosen
            && self.choices.keys().all(|name| facets.contains(name))
    }
}
