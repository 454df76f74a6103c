//! Causal checks inside the model: ablation of parts, and the answer position read at every layer.
//!
//! Ablation is causal, not correlational, but the model was never trained without the part, so a change may come from
//! how later layers treat an unusual residual stream (Zhang and Nanda 2024, section 2, on choices of ablation). The
//! logit lens reads the stream with a head trained for the last layer, which may not fit early layers (Belrose et al.
//! 2023).

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::deletion::Outcome;
use crate::answer::softmax;
use crate::decoder::Ablation;

/// Parts of a model to switch off, as on the command line: `heads=3.1,5.0` (layer and head, counted from 0) or
/// `layers=4-6,9`, whose attention then adds nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelPart {
    name: String,
    off: Ablation,
}

/// An invalid list of parts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid parts `{given}`; give heads=LAYER.HEAD,... (as heads=3.1,5.0) or layers=LAYERS (as layers=4-6,9), counted from 0"
)]
pub struct ParseModelPartError {
    given: String,
}

/// Most layers or heads that one argument may name.
const MOST: usize = 100_000;

impl ModelPart {
    /// The ablation.
    pub fn off(&self) -> &Ablation {
        &self.off
    }
}

impl fmt::Display for ModelPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl FromStr for ModelPart {
    type Err = ParseModelPartError;

    fn from_str(given: &str) -> Result<Self, ParseModelPartError> {
        let off = match given.split_once('=') {
            Some(("heads", heads)) => heads
                .split(',')
                .map(|pair| {
                    let (layer, head) = pair.split_once('.')?;
                    Some((layer.parse().ok()?, head.parse().ok()?))
                })
                .collect::<Option<Vec<(usize, usize)>>>()
                .map(|heads| Ablation { heads, ..Ablation::default() }),
            Some(("layers", layers)) => layers
                .split(',')
                .map(|layers| {
                    let (from, to) = layers.split_once('-').unwrap_or((layers, layers));
                    let range: RangeInclusive<usize> = from.parse().ok()?..=to.parse().ok()?;
                    (!range.is_empty() && *range.end() < MOST).then_some(range)
                })
                .collect::<Option<Vec<_>>>()
                .map(|layers| Ablation { attention: layers.into_iter().flatten().collect(), ..Ablation::default() }),
            _ => None,
        };
        let name = given.to_string();
        off.map(|off| ModelPart { name, off }).ok_or(ParseModelPartError { given: given.to_string() })
    }
}

/// Choice of the model with parts switched off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AblationRecord {
    /// The parts, as on the command line.
    pub parts: String,
    /// Fall of the chosen option's log-odds among the options shown, nats.
    pub fall: f64,
    /// Its probability among them with the parts off.
    pub probability: f64,
    /// Probability of all labels together with the parts off.
    pub label_mass: f64,
    /// Whether another option becomes the likeliest.
    pub flips: bool,
}

impl AblationRecord {
    pub fn new(parts: &ModelPart, whole: Outcome, left: Outcome) -> Self {
        AblationRecord {
            parts: parts.to_string(),
            fall: whole.log_odds - left.log_odds,
            probability: left.probability,
            label_mass: left.label_mass,
            flips: left.differs_from(whole),
        }
    }
}

/// Output of the model's head at the answer position after the embedding and after each layer: the logit lens
/// (nostalgebraist 2020, "interpreting GPT: the logit lens").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LensRecord {
    /// Probabilities of the options' labels among themselves, in slot order, from the embedding to the last layer.
    pub probabilities: Vec<Vec<f64>>,
    /// Probability of all labels together, in the same order.
    pub label_mass: Vec<f64>,
    /// Whether some label has more than one token, in which case its first token was used.
    pub first_tokens_only: bool,
}

impl LensRecord {
    /// Creates a record from the log-likelihoods of labels at each layer.
    pub fn new(layers: &[Vec<f64>], first_tokens_only: bool) -> Self {
        LensRecord {
            probabilities: layers.iter().map(|logprobs| softmax(logprobs)).collect(),
            label_mass: layers.iter().map(|logprobs| logprobs.iter().map(|logprob| logprob.exp()).sum()).collect(),
            first_tokens_only,
        }
    }
}

/// One ablation over the items of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AblationGroupRecord {
    /// The parts.
    pub parts: String,
    /// Items.
    pub items: usize,
    /// Their stories.
    pub stories: usize,
    /// Mean fall of the log-odds, nats.
    pub fall: f64,
    /// Its 95 % interval, clustered by story; null for fewer than two stories.
    pub interval: Option<(f64, f64)>,
    /// Items in which another option becomes the likeliest.
    pub flips: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_they_stand_on_the_command_line() {
        let heads: ModelPart = "heads=3.1,5.0".parse().unwrap();
        assert_eq!(heads.off(), &Ablation { heads: vec![(3, 1), (5, 0)], attention: vec![] });
        assert_eq!(heads.to_string(), "heads=3.1,5.0");
        let layers: ModelPart = "layers=4-6,9".parse().unwrap();
        assert_eq!(layers.off(), &Ablation { heads: vec![], attention: vec![4, 5, 6, 9] });
        for wrong in
            ["", "heads", "heads=", "heads=3", "heads=3.x", "layers=", "layers=6-4", "layers=0-99999999999", "head=1.1"]
        {
            let rendered = wrong.parse::<ModelPart>().unwrap_err().to_string();
            assert!(rendered.starts_with(&format!("invalid parts `{wrong}`; give heads=")), "{rendered}");
        }
    }
}
