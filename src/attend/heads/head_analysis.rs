//! What is looked at beside keywords: roles, maps of heads, contributions, sensitivity, chosen heads switched off.

use serde::{Deserialize, Serialize};

use super::quantity::HeadQuantity;
use super::top_heads::TopHeads;
use crate::attend::groups::Grouping;
use crate::name::as_texts;

/// What is asked for; nothing by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HeadAnalysisSettings {
    /// Whether attention on roles was summed.
    pub roles: bool,
    /// What was mapped over heads of two groups, as on the command line.
    #[serde(with = "as_texts")]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub head_maps: Vec<HeadQuantity>,
    /// Whether logits were taken apart by head.
    pub contributions: bool,
    /// Whether keywords were compared with those of other views.
    pub sensitivity: bool,
    /// Heads that are chosen over all items and switched off, which takes a second reading: no part of a folder.
    #[serde(skip)]
    pub strongest: Vec<TopHeads>,
    /// Random sets of heads beside each of these.
    #[serde(skip)]
    pub random_heads: usize,
}

impl HeadAnalysisSettings {
    /// Everything that is mapped or chosen by, each once.
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

    /// How cases are told apart: by verdict, by belief, by the facet asked for, and by what heads are chosen by.
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
