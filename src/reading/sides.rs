//! Runs as sides of a comparison.

use indexmap::IndexSet;

use super::{ReadRun, ReadingError};
use crate::benchmark::{Benchmark, OwnData};
use crate::compare::Side;
use crate::metric::Layout;

/// Facets of outcomes rather than of tables.
const OF_OUTCOMES: [&str; 4] = ["benchmark", "language", "style", "condition"];

impl ReadRun<'_> {
    /// The run as a side called `label`.
    pub fn side(&self, label: String) -> Side<'_> {
        Side { label, answers: self.manifest().settings.answers(), outcomes: self.outcomes.iter().collect() }
    }

    /// Whether every planned trial is recorded.
    pub fn is_finished(&self) -> bool {
        self.records.records == self.manifest().trials
    }
}

/// The facets that the tables of some benchmarks tell apart, after those that runs may differ in. What a user's own card
/// says stands beside each name.
pub fn table_facets<'a>(
    benchmarks: impl IntoIterator<Item = (&'a str, &'a OwnData)>,
) -> Result<Vec<String>, ReadingError> {
    let mut facets: IndexSet<String> = OF_OUTCOMES.map(String::from).into();
    for (name, own) in benchmarks {
        let benchmark: Benchmark = name.parse()?;
        facets.extend(Layout::parse(&benchmark.card_text_with(own))?.facets());
    }
    Ok(facets.into_iter().collect())
}
