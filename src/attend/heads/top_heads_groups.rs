//! Ablation of chosen heads over many cases.

use super::top_heads::ChosenHeads;
use crate::attend::groups::{Grouping, Place, Sides, distinct, mean_by_story};
use crate::attend::results::{Case, TopHeadsCaseRecord, TopHeadsMeansRecord, TopHeadsRecord, rounded};

/// Contribution of a case; uses that case only.
#[derive(Debug, Clone, PartialEq)]
pub struct TopHeadsFinding {
    /// Index of its place.
    place: usize,
    records: Vec<TopHeadsCaseRecord>,
}

impl TopHeadsFinding {
    /// Collects the values of a case; `None` if no chosen heads were switched off.
    pub fn new(case: &Case, place: usize) -> Option<Self> {
        (!case.strongest.is_empty()).then(|| TopHeadsFinding { place, records: case.strongest.clone() })
    }
}

type Member<'a> = (&'a Place, &'a TopHeadsCaseRecord);

/// Summarises each choice of heads over all cases of its model, and compares groups of cases within strata.
pub fn top_heads_groups(
    chosen: &[ChosenHeads],
    places: &[Place],
    findings: &[TopHeadsFinding],
    ways: &[Grouping],
) -> Vec<TopHeadsRecord> {
    let record = |chosen: &ChosenHeads| {
        let members: Vec<Member<'_>> = findings
            .iter()
            .map(|finding| (&places[finding.place], finding))
            .filter(|(place, _)| place.model == chosen.model)
            .filter_map(|(place, finding)| Some((place, finding.records.iter().find(|one| one.chosen == chosen.name)?)))
            .collect();
        let draws = chosen.random.len();
        let mean = |value: &dyn Fn(&TopHeadsCaseRecord) -> f64| {
            members.iter().map(|(_, record)| value(record)).sum::<f64>() / members.len() as f64
        };
        let own = mean(&|record| record.fall);
        let reached = (0..draws).filter(|&draw| mean(&|record| record.random[draw]) >= own).count();
        let own_places: Vec<&Place> = members.iter().map(|(place, _)| *place).collect();
        let values = |value: &dyn Fn(&TopHeadsCaseRecord) -> f64| {
            members.iter().map(|(_, record)| Some(value(record))).collect::<Vec<_>>()
        };
        let quantities = [
            ("fall".to_string(), "nats", values(&|record| record.fall)),
            ("fall minus random heads".to_string(), "nats", values(&|record| record.fall - random(record))),
            ("changed choices".to_string(), "share", values(&|record| f64::from(record.flips))),
        ];
        let sides = ways.iter().filter_map(|way| Sides::new(way, &own_places));
        Some(TopHeadsRecord {
            chosen: chosen.name.clone(),
            model: chosen.model,
            heads: chosen.heads.iter().map(|(head, _)| *head).collect(),
            values: chosen.heads.iter().map(|(_, value)| rounded(*value)).collect(),
            draws,
            shared: rounded(chosen.shared()),
            p: rounded((1 + reached) as f64 / (1 + draws) as f64),
            smallest_p: rounded(1.0 / (1 + draws) as f64),
            all: means(&members)?,
            differences: sides.map(|sides| sides.differences(Some(chosen.model), &quantities)).collect(),
        })
    };
    chosen.iter().filter_map(record).collect()
}

/// Mean fall for random heads.
fn random(record: &TopHeadsCaseRecord) -> f64 {
    record.random.iter().sum::<f64>() / record.random.len().max(1) as f64
}

fn means(members: &[Member<'_>]) -> Option<TopHeadsMeansRecord> {
    if members.is_empty() {
        return None;
    }
    let stories: Vec<usize> = members.iter().map(|(place, _)| place.story).collect();
    let mean = |value: &dyn Fn(&TopHeadsCaseRecord) -> f64| {
        let values: Vec<f64> = members.iter().map(|(_, record)| value(record)).collect();
        mean_by_story(&values, &stories)
    };
    let (fall, interval) = mean(&|record| record.fall);
    let (difference, difference_interval) = mean(&|record| record.fall - random(record));
    Some(TopHeadsMeansRecord {
        items: members.len(),
        stories: distinct(&stories),
        fall,
        interval,
        random: mean(&random).0,
        difference,
        difference_interval,
        flips: members.iter().filter(|(_, record)| record.flips).count(),
        random_flips: mean(&|record| record.random_flips as f64 / record.random.len().max(1) as f64).0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attend::groups::within::tests::place;

    fn chosen() -> ChosenHeads {
        ChosenHeads {
            name: "strongest:1=scope".into(),
            model: 0,
            heads: vec![((1, 0), 0.5)],
            random: vec![vec![(1, 1)], vec![(1, 2)], vec![(1, 3)]],
        }
    }

    fn finding(place: usize, fall: f64, random: [f64; 3]) -> TopHeadsFinding {
        let record = TopHeadsCaseRecord {
            chosen: chosen().name,
            fall,
            flips: fall > 1.0,
            random: random.to_vec(),
            random_flips: 0,
        };
        TopHeadsFinding { place, records: vec![record] }
    }

    #[test]
    fn chosen_heads_stand_beside_random_ones() {
        let places = [place("tomi", 0, false), place("tomi", 1, true)];
        let findings = [finding(0, 1.5, [0.5, 0.0, 2.5]), finding(1, 0.5, [0.0, 0.0, 0.0])];
        let found = top_heads_groups(&[chosen()], &places, &findings, &[Grouping::Verdict]).remove(0);
        assert_eq!((found.draws, found.p, found.smallest_p), (3, 0.5, 0.25));
        let all = &found.all;
        assert_eq!((all.items, all.fall, all.difference, all.flips), (2, 1.0, 0.5, 1));
        assert_eq!(all.difference_interval, Some((0.5, 0.5)));
        let fall = &found.differences[0].quantities[0];
        assert_eq!(fall.within.reason.as_deref(), Some("no stratum has two stories of each group"));
    }

    #[test]
    fn falls_of_groups_are_compared_within_strata() {
        // Heads matter more in the benchmark with more wrong answers, and within both alike for wrong and right ones.
        let made = (0..40).map(|story| match story < 20 {
            true => {
                (place("tomi", story, story % 4 > 0), finding(story, 0.2 + 0.1 * ((story / 4) % 3) as f64, [0.0; 3]))
            }
            false => {
                (place("hi-tom", story, story % 4 == 0), finding(story, 2.0 + 0.1 * ((story / 4) % 3) as f64, [0.5; 3]))
            }
        });
        let (places, findings): (Vec<Place>, Vec<TopHeadsFinding>) = made.unzip();
        let found = top_heads_groups(&[chosen()], &places, &findings, &[Grouping::Verdict]).remove(0);
        let [fall, beyond, flips] = &found.differences[0].quantities[..] else { panic!("{found:?}") };
        for quantity in [fall, beyond] {
            assert!(quantity.difference.unwrap().abs() < 1e-6 && quantity.p.unwrap() > 0.9, "{quantity:?}");
        }
        assert_eq!((flips.difference, flips.p), (Some(0.0), None));
    }
}
