//! Attention on roles over groups of cases.

use indexmap::IndexMap;

use super::document::Case;
use super::records::rounded;
use super::role_records::RoleGroupRecord;
use super::sides::Way;
use super::stories::Stories;
use crate::metric::stats::clustered_mean;

/// What a case adds: its groups and its masses. Everything is from the case alone.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleFinding {
    model: usize,
    story: String,
    groups: Vec<Option<String>>,
    masses: Vec<Mass>,
    absent: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
struct Mass {
    role: String,
    mentions: usize,
    story: f64,
    question: f64,
    options: f64,
}

impl RoleFinding {
    /// What a case adds; `None` without a record of roles, and for one that is there only to be compared.
    pub fn of(case: &Case, ways: &[Way]) -> Option<Self> {
        let roles = case.roles.as_ref().filter(|_| !case.compared_only)?;
        let masses = roles.roles.iter().filter(|record| record.mentions > 0);
        Some(RoleFinding {
            model: case.model,
            story: case.story.clone(),
            groups: ways.iter().map(|way| way.group(case)).collect(),
            masses: masses
                .map(|record| Mass {
                    role: record.role.clone(),
                    mentions: record.mentions,
                    story: record.story,
                    question: record.question,
                    options: record.options,
                })
                .collect(),
            absent: roles.absent.clone(),
        })
    }
}

/// Means by model, group and role.
pub fn role_groups(findings: &[RoleFinding]) -> Vec<RoleGroupRecord> {
    let mut members: IndexMap<(usize, &str, &str), Vec<(&str, &Mass)>> = IndexMap::new();
    let ways = findings.first().map_or(0, |finding| finding.groups.len());
    for way in 0..=ways {
        for finding in findings {
            let group = if way == 0 { Some("all") } else { finding.groups[way - 1].as_deref() };
            let Some(group) = group else { continue };
            for mass in &finding.masses {
                members.entry((finding.model, group, &mass.role)).or_default().push((&finding.story, mass));
            }
        }
    }
    let record = |((model, group, role), members): ((usize, &str, &str), Vec<(&str, &Mass)>)| {
        let mean = |value: &dyn Fn(&Mass) -> f64| {
            rounded(members.iter().map(|(_, mass)| value(mass)).sum::<f64>() / members.len() as f64)
        };
        let mut stories = Stories::default();
        let numbers: Vec<usize> = members.iter().map(|(story, _)| stories.number(story)).collect();
        let values: Vec<f64> = members.iter().map(|(_, mass)| mass.story).collect();
        let interval = clustered_mean(&values, &numbers).map(|mean| mean.unbounded_interval());
        RoleGroupRecord {
            model,
            group: group.to_string(),
            role: role.to_string(),
            items: members.len(),
            stories: numbers.iter().max().map_or(0, |last| last + 1),
            story: mean(&|mass| mass.story),
            interval: interval.map(|(low, high)| (rounded(low), rounded(high))),
            mentions: mean(&|mass| mass.mentions as f64),
            per_mention: mean(&|mass| mass.story / mass.mentions as f64),
            question: mean(&|mass| mass.question),
            options: mean(&|mass| mass.options),
        }
    };
    members.into_iter().map(record).collect()
}

/// Why cases have no roles, with how many there are of each reason.
pub fn without_roles(findings: &[RoleFinding]) -> Vec<(String, usize)> {
    let mut reasons: IndexMap<&str, usize> = IndexMap::new();
    for reason in findings.iter().filter_map(|finding| finding.absent.as_deref()) {
        *reasons.entry(reason).or_default() += 1;
    }
    reasons.into_iter().map(|(reason, count)| (reason.to_string(), count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masses_are_averaged_by_group_and_role() {
        let finding = |story: &str, belief: &str, share: f64, mentions| RoleFinding {
            model: 0,
            story: story.into(),
            groups: vec![Some(belief.into())],
            masses: vec![Mass { role: "actual".into(), mentions, story: share, question: 0.0, options: 0.5 }],
            absent: None,
        };
        let lost = RoleFinding {
            model: 0,
            story: "c".into(),
            groups: vec![None],
            masses: Vec::new(),
            absent: Some("not tracked".into()),
        };
        let findings = [finding("a", "false belief", 0.5, 1), finding("b", "true belief", 0.25, 2), lost.clone(), lost];
        let found = role_groups(&findings);
        let groups: Vec<(&str, usize, f64, f64)> =
            found.iter().map(|group| (group.group.as_str(), group.items, group.story, group.per_mention)).collect();
        assert_eq!(groups, [("all", 2, 0.375, 0.3125), ("false belief", 1, 0.5, 0.5), ("true belief", 1, 0.25, 0.125)]);
        assert!(found[0].interval.is_some() && found[1].interval.is_none());
        assert_eq!(without_roles(&findings), [("not tracked".to_string(), 2)]);
    }
}
