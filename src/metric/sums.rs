//! The sums that a row's values are computed from, kept by story where rows of several runs are combined.

use super::Measure;
use super::layout::{Column, Source};
use crate::stats::Cluster;

/// Where the sums of a column stand among those of its row: those of each respondent, one after the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub(super) measure: Measure,
    pub(super) offset: usize,
    /// Number of sums of one respondent.
    pub(super) width: usize,
    /// Number of respondents: people, or one model.
    pub(super) people: usize,
}

impl Span {
    /// The value, as a fraction, from the sums of the row: the mean over respondents.
    pub(super) fn value(&self, sums: &[f64]) -> Option<f64> {
        let of = |person: usize| self.measure.value(&sums[self.offset + person * self.width..][..self.width]);
        mean((0..self.people).filter_map(of))
    }
}

pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / count as f64)
}

/// The value of every column, as a fraction, from the sums of the row.
pub(super) fn values(columns: &[Column], spans: &[Option<Span>], sums: &[f64]) -> Vec<Option<f64>> {
    let mut values: Vec<Option<f64>> = Vec::with_capacity(columns.len());
    for (column, span) in columns.iter().zip(spans) {
        let of = |positions: &[usize]| positions.iter().map(|&position| values[position]).collect::<Option<Vec<f64>>>();
        let value = match (&column.source, span) {
            (_, Some(span)) => span.value(sums),
            (Source::Mean(parts), None) => of(parts).map(|parts| parts.iter().sum::<f64>() / parts.len() as f64),
            (Source::Difference(left, right), None) => of(&[*left, *right]).map(|parts| parts[0] - parts[1]),
            (Source::Range(parts), None) => of(parts).map(|parts| {
                let largest = parts.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                largest - parts.iter().copied().fold(f64::INFINITY, f64::min)
            }),
            (Source::Group { .. } | Source::Both(_) | Source::Unavailable(_), None) => None,
        };
        values.push(value);
    }
    values
}

/// What the values of a row are computed from, story by story.
#[derive(Debug, Clone, PartialEq)]
pub struct RowSums {
    pub(super) columns: Vec<Column>,
    pub(super) spans: Vec<Option<Span>>,
    /// For each column, the smallest number of stories of the columns behind it.
    pub(super) fewest: Vec<usize>,
    pub(super) stories: Vec<String>,
    /// What each story adds to the sums.
    pub(super) clusters: Vec<Cluster>,
    pub(super) width: usize,
    /// Seed of the resampling.
    pub(super) seed: u64,
}

impl RowSums {
    /// Whether two rows cover the same stories with the same kinds of items.
    pub(super) fn covers_the_same(&self, other: &Self) -> bool {
        let positions = |sums: &Self| -> Vec<Vec<usize>> {
            sums.clusters.iter().map(|story| story.adds.iter().map(|(position, _)| *position).collect()).collect()
        };
        self.stories == other.stories && self.width == other.width && positions(self) == positions(other)
    }

    /// The values of its visible columns, as fractions, from sums.
    pub(super) fn visible(&self, sums: &[f64]) -> Vec<Option<f64>> {
        let values = values(&self.columns, &self.spans, sums);
        values.into_iter().zip(&self.columns).filter(|(_, column)| !column.hidden).map(|(value, _)| value).collect()
    }
}
