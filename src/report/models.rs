//! Which runs are of one model, whatever its precision.

use indexmap::IndexMap;

use super::{Report, ReportedModel};
use crate::metric::Subject;

/// The model behind the label of each report; reports of people are of none. `given` are their labels before they were
/// made distinct.
pub(super) fn behind(reports: &[Report], given: Vec<String>) -> IndexMap<String, Subject> {
    let mut known: Vec<(Subject, Option<&String>)> = Vec::new();
    let mut found = IndexMap::new();
    for (report, name) in reports.iter().zip(given) {
        if report.results.iter().any(|results| !results.raters.is_empty()) {
            continue;
        }
        let (model, adapter) = match &report.model {
            Some(ReportedModel { base, base_sha256, adapter, .. }) => {
                (Subject { name: base.clone(), weights: Some(base_sha256.clone()) }, adapter.as_ref())
            }
            None => (Subject::from(&*name), None),
        };
        let is_it = |(other, its): &(Subject, Option<&String>)| *its == adapter && other.is_same_as(&model);
        let number = known.iter().position(is_it).unwrap_or(known.len());
        if number == known.len() {
            known.push((model, adapter));
        }
        let weights = Some(number.to_string());
        found.insert(report.label.clone(), Subject { weights, name });
    }
    found
}
