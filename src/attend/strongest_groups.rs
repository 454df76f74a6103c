//! Chosen heads switched off, over groups of cases.

use super::document::Case;
use super::head_records::{StrongestGroupRecord, StrongestHeadsRecord, StrongestRecord};
use super::records::rounded;
use super::sides::Way;
use super::stories::Stories;
use super::strongest::ChosenHeads;
use crate::metric::stats::clustered_mean;

/// What a case adds: everything is from the case alone.
#[derive(Debug, Clone, PartialEq)]
pub struct StrongestFinding {
    model: usize,
    story: String,
    groups: Vec<Option<String>>,
    records: Vec<StrongestRecord>,
}

impl StrongestFinding {
    /// What a case adds; `None` where no chosen heads were switched off.
    pub fn of(case: &Case, ways: &[Way]) -> Option<Self> {
        (!case.strongest.is_empty()).then(|| StrongestFinding {
            model: case.model,
            story: case.story.clone(),
            groups: ways.iter().map(|way| way.group(case)).collect(),
            records: case.strongest.clone(),
        })
    }
}

type Member<'a> = (&'a StrongestFinding, &'a StrongestRecord);

/// Each choice of heads over all cases of its model and their groups.
pub fn strongest_groups(chosen: &[ChosenHeads], findings: &[StrongestFinding]) -> Vec<StrongestHeadsRecord> {
    let record = |chosen: &ChosenHeads| {
        let members: Vec<Member<'_>> = findings
            .iter()
            .filter(|finding| finding.model == chosen.model)
            .filter_map(|finding| Some((finding, finding.records.iter().find(|one| one.chosen == chosen.name)?)))
            .collect();
        let mut groups = vec![group("all", &members)?];
        for way in 0..members.first()?.0.groups.len() {
            let mut names: Vec<&str> = Vec::new();
            for name in members.iter().filter_map(|(finding, _)| finding.groups[way].as_deref()) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            for name in names {
                let of_it = |(finding, _): &&Member<'_>| finding.groups[way].as_deref() == Some(name);
                let own: Vec<Member<'_>> = members.iter().filter(of_it).copied().collect();
                groups.extend(group(name, &own));
            }
        }
        let draws = chosen.random.len();
        let mean = |value: &dyn Fn(&StrongestRecord) -> f64| {
            members.iter().map(|(_, record)| value(record)).sum::<f64>() / members.len() as f64
        };
        let own = mean(&|record| record.fall);
        let reached = (0..draws).filter(|&draw| mean(&|record| record.random[draw]) >= own).count();
        Some(StrongestHeadsRecord {
            chosen: chosen.name.clone(),
            model: chosen.model,
            heads: chosen.heads.iter().map(|(head, _)| *head).collect(),
            values: chosen.heads.iter().map(|(_, value)| rounded(*value)).collect(),
            draws,
            shared: rounded(chosen.shared()),
            p: rounded((1 + reached) as f64 / (1 + draws) as f64),
            smallest_p: rounded(1.0 / (1 + draws) as f64),
            groups,
        })
    };
    chosen.iter().filter_map(record).collect()
}

fn group(name: &str, members: &[Member<'_>]) -> Option<StrongestGroupRecord> {
    if members.is_empty() {
        return None;
    }
    let mut stories = Stories::default();
    let numbers: Vec<usize> = members.iter().map(|(finding, _)| stories.number(&finding.story)).collect();
    let count = members.len() as f64;
    let random = |record: &StrongestRecord| record.random.iter().sum::<f64>() / record.random.len().max(1) as f64;
    let mean = |value: &dyn Fn(&StrongestRecord) -> f64| {
        let values: Vec<f64> = members.iter().map(|(_, record)| value(record)).collect();
        let interval = clustered_mean(&values, &numbers).map(|mean| mean.unbounded_interval());
        (rounded(values.iter().sum::<f64>() / count), interval.map(|(low, high)| (rounded(low), rounded(high))))
    };
    let (fall, interval) = mean(&|record| record.fall);
    let (difference, difference_interval) = mean(&|record| record.fall - random(record));
    Some(StrongestGroupRecord {
        name: name.to_string(),
        items: members.len(),
        stories: numbers.iter().max().map_or(0, |last| last + 1),
        fall,
        interval,
        random: mean(&|record| random(record)).0,
        difference,
        difference_interval,
        flips: members.iter().filter(|(_, record)| record.flips).count(),
        random_flips: mean(&|record| record.random_flips as f64 / record.random.len().max(1) as f64).0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_heads_stand_beside_random_ones() {
        let chosen = ChosenHeads {
            name: "strongest:1=scope".into(),
            model: 0,
            heads: vec![((1, 0), 0.5)],
            random: vec![vec![(1, 1)], vec![(1, 2)], vec![(1, 3)]],
        };
        let finding = |story: &str, group: &str, fall: f64, random: [f64; 3]| StrongestFinding {
            model: 0,
            story: story.into(),
            groups: vec![Some(group.into())],
            records: vec![StrongestRecord {
                chosen: chosen.name.clone(),
                fall,
                flips: fall > 1.0,
                random: random.to_vec(),
                random_flips: 0,
            }],
        };
        let findings = [finding("a", "wrong", 1.5, [0.5, 0.0, 2.5]), finding("b", "right", 0.5, [0.0, 0.0, 0.0])];
        let found = strongest_groups(std::slice::from_ref(&chosen), &findings).remove(0);
        assert_eq!((found.draws, found.p, found.smallest_p), (3, 0.5, 0.25));
        let names: Vec<(&str, f64, f64, usize)> =
            found.groups.iter().map(|group| (group.name.as_str(), group.fall, group.difference, group.flips)).collect();
        assert_eq!(names, [("all", 1.0, 0.5, 1), ("wrong", 1.5, 0.5, 1), ("right", 0.5, 0.5, 0)]);
        assert_eq!(found.groups[0].difference_interval, Some((0.5, 0.5)));
        assert_eq!(found.groups[1].interval, None);
    }
}
