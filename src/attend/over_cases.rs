//! Findings over many cases.

use super::groups::{
    GroupSettings, GroupedFinding, Grouping, MatchedPairFinding, Place, Places, RoleFinding, SensitivityFinding,
    compare_groups, matched_pairs, role_differences, role_means, sensitivity_groups, without_roles,
};
use super::heads::{ChosenHeads, HeadAnalysisSettings, HeadFinding, TopHeadsFinding, head_maps, top_heads_groups};
use super::results::{Case, Document, Findings, ModelRecord};
use super::witness::{StripChances, WitnessFinding, WitnessTable};

/// Collects findings over many cases. Each case contributes only its own data, so cases can be read one at a time.
pub(super) struct Collected<'a> {
    inside: &'a HeadAnalysisSettings,
    grouping: GroupSettings,
    ways: Vec<Grouping>,
    places: Places,
    grouped: Vec<GroupedFinding>,
    roles: Vec<RoleFinding>,
    witness: Vec<WitnessFinding>,
    pairs: Vec<MatchedPairFinding>,
    heads: Vec<HeadFinding>,
    views: Vec<SensitivityFinding>,
    off: Vec<TopHeadsFinding>,
}

impl<'a> Collected<'a> {
    /// Creates an empty collection.
    pub fn new(inside: &'a HeadAnalysisSettings, grouping: GroupSettings) -> Self {
        Collected {
            inside,
            ways: inside.ways(grouping.facet.as_ref()),
            grouping,
            places: Places::default(),
            grouped: Vec::new(),
            roles: Vec::new(),
            witness: Vec::new(),
            pairs: Vec::new(),
            heads: Vec::new(),
            views: Vec::new(),
            off: Vec::new(),
        }
    }

    /// Adds the findings of a case.
    pub fn add(&mut self, case: &Case, models: &[ModelRecord]) {
        let place = self.places.add(case, models);
        self.grouped.extend(GroupedFinding::new(case, place, &self.grouping));
        self.roles.extend(RoleFinding::new(case, place));
        self.witness.extend(WitnessFinding::new(case, place));
        if self.inside.roles {
            self.pairs.extend(MatchedPairFinding::new(case, place));
        }
        if !self.inside.head_maps.is_empty() {
            self.heads.extend(HeadFinding::new(case, place, &self.inside.head_maps));
        }
        self.views.extend(SensitivityFinding::new(case, place));
        self.off.extend(TopHeadsFinding::new(case, place));
    }

    /// Writes the combined findings into the document; `chosen` are the heads switched off in the cases. Returns what is known
    /// of each case's strip beside the others, in order.
    pub fn add_to(&self, document: &mut Document, chosen: &[ChosenHeads]) -> Vec<StripChances> {
        let places: Vec<Place> = self.places.settled();
        let compared = compare_groups(&places, &self.grouped, self.grouping.facet.as_ref());
        (document.groups, document.shifts, document.differences) =
            (compared.groups, compared.shifts, compared.differences);
        let witness = WitnessTable::new(&places, &self.witness);
        document.findings = Findings {
            roles: role_means(&places, &self.roles),
            role_differences: role_differences(&places, &self.roles, &self.ways),
            without_roles: without_roles(&self.roles),
            witness: witness.rows,
            without_witness: witness.left_out,
            twins: matched_pairs(&self.places, &self.pairs, &document.models),
            head_maps: head_maps(&places, &self.heads, &self.ways, &self.inside.head_maps),
            sensitivity: sensitivity_groups(&places, &self.views),
            strongest: top_heads_groups(chosen, &places, &self.off, &self.ways),
        };
        let mut strips = vec![StripChances::default(); places.len()];
        for (finding, strip) in self.witness.iter().zip(witness.strips) {
            strips[finding.place] = strip;
        }
        strips
    }
}
