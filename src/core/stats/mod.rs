//! Statistics in f64: intervals, tests, agreement, F1. Every function that can be undefined returns an [`Option`].
//!
//! The results agree with scipy, statsmodels and scikit-learn on the cases of `tests/fixtures/stats.json` and
//! `tests/fixtures/comparison_stats.json`; those of probes with scikit-learn on `tests/fixtures/probe_stats.json`;
//! those of repeated answers with numpy and statsmodels on `tests/fixtures/repeated_stats.json`.

mod adjust;
mod auc;
mod bootstrap;
mod calibration;
mod clustered;
mod conditional;
mod f1;
mod kappa;
mod ks;
mod logistic;
mod mcnemar;
mod overlap;
mod paired;
mod quantile;
mod stratified;
mod student;
mod two_way;
mod variance;
mod wilcoxon;
mod wilson;

pub use adjust::{benjamini_hochberg, holm, holm_of_known};
pub use auc::{ClusteredAuc, auc, clustered_auc};
pub use bootstrap::{Cluster, FEWEST_STORIES, RESAMPLES, clustered_bootstrap};
pub use calibration::{
    Binning, brier, calibrated_error, expected_calibration_error, reliability, selective_accuracy,
    selective_accuracy_within,
};
pub use clustered::{ClusteredMean, clustered_mean, clustered_wilson};
pub use conditional::{ConditionalLogit, FEWEST_STORIES_OF_SLOPE, NoSlope, Stratum, conditional_logit};
pub use f1::{LabelCounts, macro_f1, micro_f1, weighted_f1};
pub use kappa::{Weights, cohen_kappa, fleiss_kappa};
pub use kappa::{cohen_kappa_of, fleiss_kappa_of};
pub use ks::{ks_normal, ks_standard_normal};
pub use logistic::{Logistic, logistic_path};
pub use mcnemar::mcnemar_exact;
pub use overlap::{jaccard_by_chance, overlap_by_chance};
pub use paired::{FEWEST_FLIPPED, PairedChange, WeightedChange, paired_change, weighted_change};
pub use quantile::{median, middle_95, quantile};
pub use stratified::{FEWEST_STORIES_A_GROUP, Membership, Stratified, StratifiedDifference};
pub use two_way::{TwoWayCell, two_way};
pub use variance::{AccuracyVariance, Design, Variance, VarianceSources, variance_sources, wordings_p};
pub use wilcoxon::{PMethod, SignedRank, ZeroMethod, wilcoxon};
pub use wilson::wilson;

/// Upper tail of the standard normal distribution, doubled: the two-sided p-value of a z value.
fn two_sided_normal(z: f64) -> f64 {
    libm::erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// Natural logarithm of a binomial coefficient.
fn ln_choose(n: u64, k: u64) -> f64 {
    let ln_factorial = |n: u64| libm::lgamma(n as f64 + 1.0);
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}
