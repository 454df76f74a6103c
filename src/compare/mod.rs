//! Comparisons: the same items answered by two or more sides, paired.
//!
//! 1. A [`Side`] is a set of outcomes with a name; [`split`] splits outcomes into sides by language, variant, style or
//!    condition.
//! 2. [`compare`] pairs the sides on the same items and refuses sides with different items.
//! 3. A [`Comparison`] holds the differences with their intervals and tests, the agreement of choices, and the changes
//!    of log-probabilities.
//!
//! [`published`] does the same with the rows of a paper's table, without items.

mod agree;
mod cells;
mod error;
mod flip;
mod headline;
mod pair;
pub mod published;
mod ranks;
mod row;
mod scores;
mod side;
mod trend;
mod types;
mod verdict;

pub use cells::{CellComparison, CellRow, CellTest, MeanOfCells, cells};
pub use error::CompareError;
pub use headline::BenchmarkItems;
pub use ranks::{PairTest, Standing, standings};
pub use side::{Between, Side, split};
pub use types::{
    ChoiceAgreement, Comparison, ComparisonRow, Flip, OrderAgreement, PairResult, ScoreChange, SideResult, Trend,
    VERSION as COMPARISON_VERSION,
};

use indexmap::IndexMap;

use crate::benchmark::Benchmark;
use crate::stats::{benjamini_hochberg, holm};
use pair::{Paired, paired};

const PERCENT: f64 = 100.0;

/// Settings of a comparison.
#[derive(Debug, Clone)]
pub struct Settings<'a> {
    /// Differences of accuracies below this count as none, in percentage points.
    pub margin: f64,
    /// Skips items that are not the same on all sides, instead of refusing them.
    pub common: bool,
    /// Facets that make rows, besides the row over all items.
    pub facets: Vec<String>,
    /// Whether a facet makes rows even if it has only one value, or very many.
    pub every_value: bool,
    /// Compares each side with the first one of its model instead of the first of all.
    pub within: bool,
    /// Number of items to list per pair of sides that only one side answers correctly.
    pub flips: usize,
    /// Benchmarks whose headlines are compared in addition to the mean over items.
    pub benchmarks: Vec<BenchmarkItems<'a>>,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        let (facets, benchmarks) = (Vec::new(), Vec::new());
        Settings { margin: 5.0, common: false, facets, every_value: false, within: false, flips: 0, benchmarks }
    }
}

/// Compares every side with the first, or the first of its model. A pure function: the same input gives the same bits.
pub fn compare(sides: &[Side<'_>], settings: &Settings<'_>) -> Result<Comparison, CompareError> {
    let paired = paired(sides, settings.common)?;
    let mut rows: Vec<ComparisonRow> = Vec::new();
    let mut pairs = Vec::new();
    let first_of = |side: &Side<'_>| match settings.within {
        true => sides.iter().position(|first| first.model == side.model).unwrap_or(0),
        false => 0,
    };
    for other in 1..sides.len() {
        let first = first_of(&sides[other]);
        if first == other {
            continue;
        }
        let pair = row::SidePair::new(&paired, [first, other], sides, settings.margin);
        let own = row::rows(&pair, settings);
        let headlines = headline::headlines(&pair, &settings.benchmarks);
        pairs.push(PairResult {
            a: sides[first].label.clone(),
            b: sides[other].label.clone(),
            verdict: verdict::verdicts(own.first(), &headlines, settings.margin),
            headlines,
            agreement: agree::choices(&pair),
            scores: scores::change(&pair),
            trends: trend::trends(&own),
            flips: flip::flips(&pair, settings.flips),
        });
        rows.extend(own);
    }
    let family = adjust(&mut rows, |row| row.facet != row::ALL);
    if pairs.len() > 1 {
        adjust(&mut rows, |row| row.facet == row::ALL);
    }
    Ok(Comparison {
        version: COMPARISON_VERSION,
        benchmarks: benchmarks(&paired),
        differs: paired.differs.iter().map(|name| name.to_string()).collect(),
        margin: settings.margin,
        family,
        sides: side_results(sides, &paired),
        rows,
        pairs,
    })
}

/// Adjusts the p-values over stories of the rows in a family for multiple testing; returns the number of rows.
fn adjust(rows: &mut [ComparisonRow], member: impl Fn(&ComparisonRow) -> bool) -> usize {
    let members: Vec<usize> = (0..rows.len()).filter(|&row| member(&rows[row])).collect();
    let p_values: Vec<f64> = members.iter().map(|&row| rows[row].p_stories).collect();
    for ((&row, holm), bh) in members.iter().zip(holm(&p_values)).zip(benjamini_hochberg(&p_values)) {
        rows[row].p_holm = Some(holm);
        rows[row].p_bh = Some(bh);
    }
    members.len()
}

/// Number of items compared, by benchmark.
fn benchmarks(paired: &Paired<'_>) -> IndexMap<Benchmark, usize> {
    let mut counts: IndexMap<Benchmark, usize> = IndexMap::new();
    for asked in &paired.asked {
        *counts.entry(asked.outcomes[0].item.benchmark).or_default() += 1;
    }
    counts
}

fn side_results(sides: &[Side<'_>], paired: &Paired<'_>) -> Vec<SideResult> {
    let result = |(position, side): (usize, &Side<'_>)| {
        let outcomes = || paired.asked.iter().map(|asked| asked.outcomes[position]);
        let right = outcomes().filter(|outcome| outcome.is_right()).count();
        SideResult {
            label: side.label.clone(),
            answers: side.answers.clone(),
            items: paired.asked.len(),
            accuracy: right as f64 / paired.asked.len() as f64 * PERCENT,
            unanswered: outcomes().filter(|outcome| outcome.choice.is_none()).count(),
            failed: paired.failed[position],
            fell_out: paired.fell_out[position],
            first_fell_out: paired.first_fell_out[position].clone(),
            orders: agree::orders(outcomes()),
        }
    };
    sides.iter().enumerate().map(result).collect()
}

#[cfg(test)]
mod tests;
