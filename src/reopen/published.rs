//! How a run stands to the published figures of its benchmark: whether they are of the same items, and how its answers came
//! about.

use indexmap::IndexMap;

use crate::benchmark::{Benchmark, LabelSet};
use crate::metric::{Method, OF_PAPER};
use crate::prompt::{OrderPolicy, Scoring};
use crate::trial::Settings;

/// What packs of this program say of their wording.
const OF_PROGRAM: &str = "written for tomeval";

/// How the answers of a run to one benchmark came about; `wording` is what its prompts say of theirs, `paper` how its card names
/// the paper.
pub(super) fn method(settings: &Settings, wording: Option<&String>, paper: &str) -> Method {
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
    // A table or figure without a paper is one of the benchmark's own.
    let of_paper = wording.contains(writers) || ["Table", "Figure"].iter().any(|place| wording.starts_with(place));
    match wording {
        OF_PROGRAM => "tomeval's wording".to_string(),
        _ if of_paper && !wording.contains(OF_PROGRAM) => OF_PAPER.to_string(),
        other => other.to_string(),
    }
}

/// Which items answers are to, as far as it decides whether published figures are of the same or of all of which they are a
/// sample.
#[derive(Debug, Clone, Copy)]
pub struct AskedOf<'a> {
    pub benchmark: Benchmark,
    /// Which gold answers count.
    pub labels: LabelSet,
    /// Choices that only some benchmarks know.
    pub choices: &'a IndexMap<String, String>,
    /// Whether items were chosen by id or facet, or made for the run.
    pub chosen: bool,
}

impl<'a> AskedOf<'a> {
    /// What a run asked of a benchmark.
    pub(super) fn run(settings: &'a Settings, benchmark: Benchmark) -> Self {
        let made = benchmark == Benchmark::HiToM && settings.made_stories.is_some();
        let chosen = made || !settings.facets.is_empty() || !settings.items.is_empty();
        AskedOf { benchmark, labels: settings.labels, choices: &settings.choices, chosen }
    }

    /// Whether published figures may stand in a table with these facets: not beside other gold answers, the user's own data or
    /// items that were not drawn at random. A choice by a facet of the rows takes whole rows.
    pub fn is_of_paper(&self, facets: &[String]) -> bool {
        self.labels == LabelSet::Published
            && self.benchmark != Benchmark::Custom
            && !self.chosen
            && self.choices.keys().all(|name| facets.contains(name))
    }
}
