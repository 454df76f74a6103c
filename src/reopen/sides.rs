//! Runs as sides of a comparison.

use indexmap::IndexSet;

use super::{ItemLines, ReadRun, ReadingError};
use crate::benchmark::{Benchmark, Item, OwnData};
use crate::compare::{self, Side};
use crate::metric::{Layout, Subject};

/// Facets of outcomes rather than of tables.
const OF_OUTCOMES: [&str; 4] = ["benchmark", "language", "style", "condition"];

impl ReadRun<'_> {
    /// The run as a side called `label`.
    pub fn side(&self, label: String) -> Side<'_> {
        let model = &self.manifest().model;
        let weights = model.local().map(|local| local.identity.whole_sha256());
        let model = Subject { name: model.name().to_string(), weights };
        Side { label, answers: self.manifest().settings.answers(), model, outcomes: self.outcomes.iter().collect() }
    }

    /// The benchmarks of the run, with their tables and all items of the data.
    pub fn compared(&self) -> Result<Vec<compare::BenchmarkItems<'_>>, ReadingError> {
        let settings = &self.manifest().settings;
        let chosen = settings.limit_stories.is_some() || !settings.items.is_empty() || !settings.facets.is_empty();
        let of = |&benchmark: &Benchmark| {
            let stratum = || benchmark.card_with(&settings.own).stratum.clone();
            Ok(compare::BenchmarkItems {
                benchmark,
                layout: Layout::parse(&benchmark.card_text_with(&settings.own))?,
                items: self.loaded.in_data_of(benchmark),
                drawn_by: settings.limit.filter(|_| !chosen).map(|_| stratum()),
            })
        };
        settings.benchmarks.iter().map(of).collect()
    }

    /// Whether every planned trial is recorded.
    pub fn is_finished(&self) -> bool {
        self.records.records == self.manifest().trials
    }
}

impl ItemLines {
    /// The benchmarks of the lines, with their tables; the items of each benchmark must be contiguous. The lines do not
    /// tell which other items the data have.
    pub fn compared(&self) -> Result<Vec<compare::BenchmarkItems<'_>>, ReadingError> {
        let of = |items| {
            let items: &[Item] = items;
            let benchmark = items[0].benchmark;
            let layout = Layout::parse(benchmark.card_text())?;
            Ok(compare::BenchmarkItems { benchmark, layout, items, drawn_by: None })
        };
        self.items.chunk_by(|one, next| one.benchmark == next.benchmark).map(of).collect()
    }
}

/// Facets that the tables of some benchmarks distinguish, after those in which runs may differ. Each benchmark comes
/// with the choices for the user's own data.
pub fn table_facets<'a>(
    benchmarks: impl IntoIterator<Item = (Benchmark, &'a OwnData)>,
) -> Result<Vec<String>, ReadingError> {
    let mut facets: IndexSet<String> = OF_OUTCOMES.map(String::from).into();
    for (benchmark, own) in benchmarks {
        facets.extend(Layout::parse(&benchmark.card_text_with(own))?.facets());
    }
    Ok(facets.into_iter().collect())
}
