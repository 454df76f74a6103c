//! Summarises what an adapter changes, for `models inspect`.

use indexmap::IndexMap;
use serde::Serialize;

use super::config::Config;
use super::survey::{Changed, Fault, Survey};
use crate::decoder::TensorEntry;

/// Effects of an adapter on a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AdapterSummary {
    /// Name of the model it was made for, from its configuration.
    pub made_for: Option<String>,
    /// Rank of its products, except for modules with a rank of their own.
    pub rank: usize,
    /// Numerator of the products' scale; the denominator is their rank or its square root.
    pub alpha: f64,
    /// The resulting scales, each with its rank, smallest first.
    pub scales: Vec<(f32, usize)>,
    /// The layers in which each module is changed by a product; empty for modules outside of layers.
    pub products: IndexMap<String, Vec<usize>>,
    /// The same for modules that are replaced: weights saved whole, and biases.
    pub replaced: IndexMap<String, Vec<usize>>,
    /// Numbers in its tensors.
    pub parameters: u64,
    pub tensors: usize,
    /// Reasons why it cannot be merged, tensor by tensor; empty if it can.
    pub faults: Vec<String>,
}

impl AdapterSummary {
    pub(super) fn new<'a>(config: &Config, survey: &Survey, entries: impl Iterator<Item = TensorEntry<'a>>) -> Self {
        let sizes: Vec<u64> = entries.map(|entry| entry.shape.iter().product::<usize>() as u64).collect();
        let mut scales: Vec<(f32, usize)> = survey.modules.iter().filter_map(|module| module.product).collect();
        scales.sort_by(|(one, rank), (other, other_rank)| one.total_cmp(other).then(rank.cmp(other_rank)));
        scales.dedup();
        let fault = |fault: &Fault| match fault {
            Fault::Tensor { tensor, problem } => format!("{tensor}: {problem}"),
            Fault::Setting(problem) => problem.clone(),
        };
        AdapterSummary {
            made_for: config.made_for.clone(),
            rank: config.rank,
            alpha: config.alpha,
            scales,
            products: layers(survey.modules.iter().filter(|module| module.product.is_some())),
            replaced: layers(survey.modules.iter().filter(|module| module.product.is_none())),
            parameters: sizes.iter().sum(),
            tensors: sizes.len(),
            faults: survey.faults.iter().map(fault).collect(),
        }
    }
}

/// The layers of each module by its name.
fn layers<'a>(modules: impl Iterator<Item = &'a Changed>) -> IndexMap<String, Vec<usize>> {
    let mut found: IndexMap<String, Vec<usize>> = IndexMap::new();
    for module in modules {
        found.entry(module.name.clone()).or_default().extend(module.layer);
    }
    for layers in found.values_mut() {
        layers.sort_unstable();
        layers.dedup();
    }
    found.sort_unstable_keys();
    found
}
