//! Attention on roles over many cases.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::places::{Place, distinct, mean_by_story};
use super::sides::Grouping;
use super::within::Sides;
use crate::attend::results::{Case, DifferencesRecord, RoleMeansRecord, RoleRecord, rounded};
use crate::benchmark::Role;

/// Role masses of a case. Uses that case only.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleFinding {
    /// Index of its place.
    place: usize,
    masses: Vec<RoleRecord>,
    absent: Option<String>,
}

impl RoleFinding {
    /// Collects the masses of a case; `None` without a record of roles, and for a case read only for comparison.
    pub fn new(case: &Case, place: usize) -> Option<Self> {
        let roles = case.roles.as_ref().filter(|_| !case.compared_only)?;
        let masses = roles.roles.iter().filter(|record| record.mentions > 0);
        Some(RoleFinding {
            place,
            masses: masses
                .cloned()
                .map(|record| RoleRecord { words: Vec::new(), heads: Vec::new(), ..record })
                .collect(),
            absent: roles.absent.clone(),
        })
    }

    fn mass(&self, role: Role) -> Option<&RoleRecord> {
        self.masses.iter().find(|mass| mass.role == role)
    }
}

/// Means over all cases by model and role.
pub fn role_means(places: &[Place], findings: &[RoleFinding]) -> Vec<RoleMeansRecord> {
    let record = |(model, role): (usize, Role)| {
        let of_model = findings.iter().filter(|finding| places[finding.place].model == model);
        let (stories, members): (Vec<usize>, Vec<&RoleRecord>) =
            of_model.filter_map(|finding| Some((places[finding.place].story, finding.mass(role)?))).unzip();
        let mean = |value: &dyn Fn(&RoleRecord) -> f64| {
            members.iter().map(|mass| value(mass)).sum::<f64>() / members.len() as f64
        };
        let (story, interval) = mean_by_story(&members.iter().map(|mass| mass.story).collect::<Vec<_>>(), &stories);
        RoleMeansRecord {
            model,
            role,
            items: members.len(),
            stories: distinct(&stories),
            story,
            interval,
            mentions: rounded(mean(&|mass| mass.mentions as f64)),
            per_mention: rounded(mean(&|mass| mass.story / mass.mentions as f64)),
            question: rounded(mean(&|mass| mass.question)),
            options: rounded(mean(&|mass| mass.options)),
        }
    };
    let models = models(places, findings);
    models
        .into_iter()
        .flat_map(|model| played(places, findings, model).into_iter().map(move |role| (model, role)))
        .map(record)
        .collect()
}

/// Compares roles of two groups of cases within strata, for each model and grouping that has two groups: the share of
/// the row on a role's names, and the share per mention.
pub fn role_differences(places: &[Place], findings: &[RoleFinding], ways: &[Grouping]) -> Vec<DifferencesRecord> {
    let mut found = Vec::new();
    for model in models(places, findings) {
        let own: Vec<&RoleFinding> = findings
            .iter()
            .filter(|finding| places[finding.place].model == model && !finding.masses.is_empty())
            .collect();
        let own_places: Vec<&Place> = own.iter().map(|finding| &places[finding.place]).collect();
        let mut quantities = Vec::new();
        for role in played(places, findings, model) {
            let values =
                |value: &dyn Fn(&RoleRecord) -> f64| own.iter().map(|finding| finding.mass(role).map(value)).collect();
            quantities.push((role.to_string(), "share", values(&|mass| mass.story)));
            quantities.push((
                format!("{role} per mention"),
                "share",
                values(&|mass| mass.story / mass.mentions as f64),
            ));
        }
        let sides = ways.iter().filter_map(|way| Sides::new(way, &own_places));
        found.extend(sides.map(|sides| sides.differences(Some(model), &quantities)));
    }
    found
}

/// Models that have cases with roles.
fn models(places: &[Place], findings: &[RoleFinding]) -> Vec<usize> {
    let models: BTreeSet<usize> = findings.iter().map(|finding| places[finding.place].model).collect();
    models.into_iter().collect()
}

/// Roles that occur in cases of a model, in the order of their definition.
fn played(places: &[Place], findings: &[RoleFinding], model: usize) -> Vec<Role> {
    let own = findings.iter().filter(|finding| places[finding.place].model == model);
    let roles: BTreeSet<Role> = own.flat_map(|finding| &finding.masses).map(|mass| mass.role).collect();
    roles.into_iter().collect()
}

/// Reasons why cases have no roles, with their counts.
pub fn without_roles(findings: &[RoleFinding]) -> Vec<(String, usize)> {
    let mut reasons: IndexMap<&str, usize> = IndexMap::new();
    for reason in findings.iter().filter_map(|finding| finding.absent.as_deref()) {
        *reasons.entry(reason).or_default() += 1;
    }
    reasons.into_iter().map(|(reason, count)| (reason.to_string(), count)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::within::tests::place;
    use super::*;

    fn finding(place: usize, share: f64, mentions: usize) -> RoleFinding {
        let mass = RoleRecord {
            role: Role::Actual,
            names: Vec::new(),
            words: Vec::new(),
            mentions,
            story: share,
            question: 0.0,
            options: 0.5,
            heads: Vec::new(),
        };
        RoleFinding { place, masses: vec![mass], absent: None }
    }

    #[test]
    fn masses_are_averaged_by_role() {
        let places = [place("tomi", 0, true), place("tomi", 1, false), place("tomi", 2, true)];
        let lost = RoleFinding { place: 2, masses: Vec::new(), absent: Some("not tracked".into()) };
        let findings = [finding(0, 0.5, 1), finding(1, 0.25, 2), lost.clone(), lost];
        let found = role_means(&places, &findings);
        let means: Vec<(&str, usize, usize, f64, f64)> = found
            .iter()
            .map(|mean| (mean.role.name(), mean.items, mean.stories, mean.story, mean.per_mention))
            .collect();
        assert_eq!(means, [("actual", 2, 2, 0.375, 0.3125)]);
        assert!(found[0].interval.is_some());
        assert_eq!(without_roles(&findings), [("not tracked".to_string(), 2)]);
    }

    #[test]
    fn roles_of_groups_are_compared_within_strata() {
        // Shares are higher in the benchmark with more right answers, but equal within both.
        let made = (0..40).map(|story| match story < 20 {
            true => (place("tomi", story, story % 4 > 0), finding(story, 0.5 + 0.01 * ((story / 4) % 3) as f64, 1)),
            false => (place("hi-tom", story, story % 4 == 0), finding(story, 0.1 + 0.01 * ((story / 4) % 3) as f64, 2)),
        });
        let (places, findings): (Vec<Place>, Vec<RoleFinding>) = made.unzip();
        let found = role_differences(&places, &findings, &[Grouping::Verdict, Grouping::Belief]);
        let [verdict] = &found[..] else { panic!("no belief is known: {found:?}") };
        let names: Vec<&str> = verdict.quantities.iter().map(|one| one.quantity.as_str()).collect();
        assert_eq!(names, ["actual", "actual per mention"]);
        for quantity in &verdict.quantities {
            assert!(quantity.difference.unwrap().abs() < 1e-6 && quantity.holm.unwrap() > 0.9, "{quantity:?}");
            assert_eq!((quantity.within.strata, quantity.within.items), (2, (20, 20)));
        }
    }
}
