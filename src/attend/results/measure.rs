//! Attention measures. To add one, see CONTRIBUTING.md, "Add a measure of attention".

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::name::named;

/// The measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Measure {
    /// Attention probabilities of the query (the paper's).
    #[default]
    Attention,
    /// Norms of attention times value through the output projection.
    Value,
    /// Attention rollout through the layers.
    Rollout,
    /// Fall of the chosen option's log-odds among the options shown when a word is left out.
    Occlusion,
}

named!(Measure, "measure");

impl Measure {
    /// Limits of the measure, for every view.
    pub fn caveat(self) -> &'static str {
        match self {
            Measure::Attention => {
                "Raw attention says how the answer position mixed the positions before it, layer by layer. It does not \
                 say what was read there, nor that the answer depends on it: a heavy word may be left out without any \
                 effect, and a first token or delimiter often draws weight because a head has nothing to do. Read it \
                 together with the deletion check."
            }
            Measure::Value => {
                "Value-weighted attention measures the size of the vector each position contributed (Kobayashi et al. \
                 2020), so positions that are attended to but carry nothing fade. It is still one layer at a time: \
                 what the contribution does further up is not seen. Read it together with the deletion \
                 check."
            }
            Measure::Rollout => {
                "Attention rollout (Abnar and Zuidema 2020) follows attention down to the input under the assumption \
                 that each layer passes on half of itself unchanged and half by attention, heads averaged. Values and \
                 MLPs play no part in it. In deep models nearly all of it ends at the first token, so the shares shown \
                 are of a very small remainder. Read it together with the deletion check."
            }
            Measure::Occlusion => {
                "Occlusion leaves out one word and measures by how many nats the log-odds of the chosen option among \
                 the options shown fall. It is causal, not correlational, but a text without a word is a different \
                 text, and two interchangeable words both appear unnecessary. Words whose absence raises the log-odds \
                 count as zero in the shares. The deletion check uses the same quantity that chose these words: it \
                 tests whether they carry the choice together, and is not independent evidence."
            }
        }
    }
}
