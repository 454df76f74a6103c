//! F1 scores over labels. Ratios without a denominator are 0, as in scikit-learn with `zero_division=0`.

/// Counts of hits, false alarms and misses of one label. Weighted resampling makes them fractional.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LabelCounts {
    /// Gold and chosen.
    pub hits: f64,
    /// Chosen but not gold.
    pub false_alarms: f64,
    /// Gold but not chosen.
    pub misses: f64,
}

impl LabelCounts {
    /// The label's F1: twice the hits over twice the hits plus all errors.
    pub fn f1(self) -> f64 {
        let denominator = 2.0 * self.hits + self.false_alarms + self.misses;
        if denominator > 0.0 { 2.0 * self.hits / denominator } else { 0.0 }
    }
}

/// F1 of the counts summed over all labels; `None` without labels.
pub fn micro_f1(labels: &[LabelCounts]) -> Option<f64> {
    let sum = |part: fn(&LabelCounts) -> f64| labels.iter().map(part).sum();
    let all = LabelCounts { hits: sum(|l| l.hits), false_alarms: sum(|l| l.false_alarms), misses: sum(|l| l.misses) };
    (!labels.is_empty()).then(|| all.f1())
}

/// Unweighted mean of the labels' F1; `None` without labels.
///
/// ```
/// # use tomeval_core::stats as tomeval;
/// use tomeval::{LabelCounts, macro_f1};
/// let often = LabelCounts { hits: 3.0, false_alarms: 1.0, misses: 1.0 };
/// let never_found = LabelCounts { hits: 0.0, false_alarms: 0.0, misses: 2.0 };
/// assert_eq!(macro_f1(&[often, never_found]), Some(0.375));
/// ```
pub fn macro_f1(labels: &[LabelCounts]) -> Option<f64> {
    (!labels.is_empty()).then(|| labels.iter().map(|label| label.f1()).sum::<f64>() / labels.len() as f64)
}

/// Mean of the labels' F1 weighted by how often each is gold; `None` if no label is ever gold.
pub fn weighted_f1(labels: &[LabelCounts]) -> Option<f64> {
    let gold = |label: &LabelCounts| label.hits + label.misses;
    let total: f64 = labels.iter().map(gold).sum();
    (total > 0.0).then(|| labels.iter().map(|label| label.f1() * gold(label)).sum::<f64>() / total)
}
