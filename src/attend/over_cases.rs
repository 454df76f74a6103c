//! Findings over all cases of a document.

use super::document::Document;
use super::findings::Findings;
use super::head_maps::{HeadFinding, head_maps};
use super::role_groups::{RoleFinding, role_groups, without_roles};
use super::sensitivity_groups::{SensitivityFinding, sensitivity_groups};
use super::settings::ExperimentSettings;
use super::strongest::ChosenHeads;
use super::strongest_groups::{StrongestFinding, strongest_groups};
use super::twins::{TwinFinding, twins};

/// What all cases tell together. Each adds a finding that is from the case alone.
pub(super) fn findings(settings: &ExperimentSettings, document: &Document, chosen: &[ChosenHeads]) -> Findings {
    let (cases, inside) = (&document.cases, &settings.inside);
    let ways = inside.ways(settings.group.as_ref());
    let quantities = &inside.head_maps;
    let roles: Vec<RoleFinding> = cases.iter().filter_map(|case| RoleFinding::of(case, &ways)).collect();
    let pairs: Vec<TwinFinding> = match inside.roles {
        true => cases.iter().filter_map(TwinFinding::of).collect(),
        false => Vec::new(),
    };
    let heads: Vec<HeadFinding> = cases.iter().filter_map(|case| HeadFinding::of(case, &ways, quantities)).collect();
    let views: Vec<SensitivityFinding> = cases.iter().filter_map(SensitivityFinding::of).collect();
    let off: Vec<StrongestFinding> = cases.iter().filter_map(|case| StrongestFinding::of(case, &ways)).collect();
    Findings {
        roles: role_groups(&roles),
        without_roles: without_roles(&roles),
        twins: twins(&pairs, &document.models),
        head_maps: head_maps(&heads, &ways, quantities),
        sensitivity: sensitivity_groups(&views),
        strongest: strongest_groups(chosen, &off),
    }
}
