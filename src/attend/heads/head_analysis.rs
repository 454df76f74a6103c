//! Settings of the analyses besides keywords: roles, head maps, contributions, sensitivity, and ablation of chosen
//! heads.

use serde::{Deserialize, Serialize};

use super::quantity::HeadQuantity;
use super::top_heads::TopHeads;
use crate::attend::groups::Grouping;
use crate::name::as_texts;

/// Requested analyses; none by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HeadAnalysisSettings {
    /// Whether attention on roles was summed.
    pub roles: bool,
    /// Whether stories were told sentence by sentence, with who perceives what.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub witness: bool,
    /// Quantities mapped over the heads of two groups, as on the command line.
    #[serde(with = "as_texts")]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub head_maps: Vec<HeadQuantity>,
    /// Whether logits were decomposed by head.
    pub contributions: bool,
    /// Whether keywords were compared with those of other views.
    pub sensitivity: bool,
    /// Heads chosen over all items and then switched off. This needs a second reading, so folders do not support it.
    #[serde(skip)]
    pub strongest: Vec<TopHeads>,
    /// Number of random head sets compared with each choice.
    #[serde(skip)]
    pub random_heads: usize,
}

impl HeadAnalysisSettings {
    /// All quantities that are mapped or used to choose heads, without duplicates.
    pub fn quantities(&self) -> Vec<HeadQuantity> {
        let mut all: Vec<HeadQuantity> = Vec::new();
        for quantity in self.head_maps.iter().copied().chain(self.strongest.iter().map(|asked| asked.quantity)) {
            if !all.contains(&quantity) {
                all.push(quantity);
            }
        }
        all
    }

    /// Whether roles are needed.
    pub fn finds_roles(&self) -> bool {
        let by_belief = self.strongest.iter().any(|asked| asked.way == Some(Grouping::Belief));
        self.roles || by_belief || self.quantities().iter().any(|quantity| quantity.needs_roles())
    }

    /// Whether contributions are needed.
    pub fn finds_contributions(&self) -> bool {
        self.contributions || self.quantities().contains(&HeadQuantity::Contribution)
    }

    /// Groupings of cases: by verdict, by belief, by the requested facet, and by the groupings used to choose heads.
    pub fn ways(&self, facet: Option<&String>) -> Vec<Grouping> {
        let mut ways = vec![Grouping::Verdict, Grouping::Belief];
        let facets = facet.map(|facet| Grouping::Facet(facet.clone()));
        for way in facets.into_iter().chain(self.strongest.iter().filter_map(|asked| asked.way.clone())) {
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        ways
    }
}
