//! Findings over many cases.

use super::document::{Case, ModelRecord};
use super::findings::Findings;
use super::head_maps::{HeadFinding, head_maps};
use super::inside::InsideSettings;
use super::role_groups::{RoleFinding, role_groups, without_roles};
use super::sensitivity_groups::{SensitivityFinding, sensitivity_groups};
use super::sides::Way;
use super::strongest::ChosenHeads;
use super::strongest_groups::{StrongestFinding, strongest_groups};
use super::twins::{TwinFinding, twins};

/// What cases tell together, collected case by case. Each adds what is from it alone, so that cases can be read one after the
/// other.
pub(super) struct Collected<'a> {
    inside: &'a InsideSettings,
    ways: Vec<Way>,
    roles: Vec<RoleFinding>,
    pairs: Vec<TwinFinding>,
    heads: Vec<HeadFinding>,
    views: Vec<SensitivityFinding>,
    off: Vec<StrongestFinding>,
}

impl<'a> Collected<'a> {
    /// Nothing yet; `facet` is the one whose values are groups.
    pub fn new(inside: &'a InsideSettings, facet: Option<&String>) -> Self {
        Collected {
            inside,
            ways: inside.ways(facet),
            roles: Vec::new(),
            pairs: Vec::new(),
            heads: Vec::new(),
            views: Vec::new(),
            off: Vec::new(),
        }
    }

    /// Take what a case adds.
    pub fn add(&mut self, case: &Case) {
        self.roles.extend(RoleFinding::of(case, &self.ways));
        if self.inside.roles {
            self.pairs.extend(TwinFinding::of(case));
        }
        if !self.inside.head_maps.is_empty() {
            self.heads.extend(HeadFinding::of(case, &self.ways, &self.inside.head_maps));
        }
        self.views.extend(SensitivityFinding::of(case));
        self.off.extend(StrongestFinding::of(case, &self.ways));
    }

    /// What all of them tell; `chosen` are the heads that were switched off in them.
    pub fn findings(&self, models: &[ModelRecord], chosen: &[ChosenHeads]) -> Findings {
        Findings {
            roles: role_groups(&self.roles),
            without_roles: without_roles(&self.roles),
            twins: twins(&self.pairs, models),
            head_maps: head_maps(&self.heads, &self.ways, &self.inside.head_maps),
            sensitivity: sensitivity_groups(&self.views),
            strongest: strongest_groups(chosen, &self.off),
        }
    }
}
