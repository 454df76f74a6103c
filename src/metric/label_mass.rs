//! Probability mass of the labels, as results have it.

use serde::{Deserialize, Serialize};

use super::figure::Figure;
use super::respondent::{Header, Respondent};
use crate::answer::{LOW_LABEL_MASS, LabelMass};

/// Total probability that a model gives the labels after a prompt, see [`crate::answer::label_mass`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LabelMassResult {
    /// The respondent and the presentation.
    #[serde(flatten)]
    pub header: Header,
    /// Number of prompts.
    pub prompts: usize,
    /// Median over the prompts, in percent.
    pub median: Figure,
}

impl LabelMassResult {
    /// Creates the result of a respondent.
    pub fn new(by: Respondent<'_>, mass: LabelMass) -> Self {
        let LabelMass { style, condition, prompts, median } = mass;
        let median = median.map(|median| median * 100.0).ok_or("only letters and other labels have one");
        LabelMassResult { header: by.header(&style, condition.as_deref()), prompts, median: Figure::from(median) }
    }

    /// Whether the model prefers other continuations to the labels.
    pub fn is_low(&self) -> bool {
        self.median.value.is_some_and(|percent| percent < LOW_LABEL_MASS * 100.0)
    }
}
