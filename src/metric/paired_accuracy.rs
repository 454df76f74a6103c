//! Accuracies over the same items, and what each changes from the first.

use serde::{Deserialize, Serialize};

use super::figure::{Figure, adjust, percent};
use crate::stats::{clustered_mean, clustered_wilson};

/// Accuracy of one row of a comparison over the items that all its rows have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PairedAccuracy {
    /// Number of items; those that failed in some row of the comparison are left out.
    pub items: usize,
    /// Number of their stories.
    pub stories: usize,
    /// Accuracy, in percent.
    pub accuracy: Figure,
    /// Its 95 % interval, clustered by story.
    pub interval: Option<(f64, f64)>,
    /// Accuracy minus that of the first row (the smallest budget, options shown before), item by item, in percentage points;
    /// null in that row.
    pub change: Figure,
    /// Its 95 % interval, clustered by story.
    pub change_interval: Option<(f64, f64)>,
    /// P-value, from 0 to 1, of the test that the change is zero, adjusted by Holm over the rows of the comparison; null
    /// where nothing changes.
    pub p: Option<f64>,
}

/// The rows of a comparison. `right` has for each the same items, right (1) or wrong (0), and `stories` their stories, as
/// numbers from 0. Rows change from the first one: `base` names it, or has the reason why it is none to compare with.
pub(super) fn paired(
    right: &[Vec<f64>],
    base: Result<&str, &str>,
    stories: &[usize],
    no_items: &str,
) -> Vec<PairedAccuracy> {
    let row = |(at, row): (usize, &Vec<f64>)| {
        let changes: Result<Vec<f64>, &str> = match base {
            Ok(name) if at == 0 => Err(name),
            Ok(_) => Ok(row.iter().zip(&right[0]).map(|(right, base)| right - base).collect()),
            Err(reason) => Err(reason),
        };
        let accuracy = clustered_mean(row, stories);
        let change = changes.as_ref().ok().and_then(|changes| clustered_mean(changes, stories));
        PairedAccuracy {
            items: row.len(),
            stories: stories.iter().max().map_or(0, |last| last + 1),
            accuracy: Figure::mean(row, 1, no_items),
            interval: accuracy.and_then(|mean| clustered_wilson(&mean)).map(percent),
            change: match changes {
                Ok(changes) => Figure::mean(&changes, 1, no_items),
                Err(reason) => Figure::from(Err(reason)),
            },
            change_interval: change.map(|mean| percent(mean.interval())),
            p: change.and_then(|mean| mean.p_value()),
        }
    };
    let mut rows: Vec<PairedAccuracy> = right.iter().enumerate().map(row).collect();
    adjust(rows.iter_mut().map(|row| &mut row.p));
    rows
}
