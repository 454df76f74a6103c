//! Head maps over two groups of cases: their difference within strata, with a test for each head.

use std::collections::BTreeMap;

use super::quantity::HeadQuantity;
use crate::attend::groups::{Grouping, Place, Sides};
use crate::attend::results::{Case, HeadMapRecord, LabelCount, rounded, unlike_labels};
use crate::stats::holm_of_known;

/// Contribution of a case to head maps: one number per head for each quantity. Uses that case only, so cases can be
/// read one at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct HeadFinding {
    /// Index of its place.
    pub place: usize,
    /// Values `(layer, head)` for each quantity.
    pub values: Vec<Option<Vec<f64>>>,
    /// Label of the right option, if contributions were computed.
    pub label: Option<String>,
    /// Numbers of the captured layers, and heads per layer.
    pub shape: Option<(Vec<usize>, usize)>,
}

impl HeadFinding {
    /// Collects the values of a case; `None` for a case read only for comparison.
    pub fn new(case: &Case, place: usize, quantities: &[HeadQuantity]) -> Option<Self> {
        let row = case.rows.first().filter(|_| !case.compared_only)?;
        Some(HeadFinding {
            place,
            values: quantities.iter().map(|quantity| quantity.of(case)).collect(),
            label: case.contributions.as_ref().map(|contributions| contributions.first.clone()),
            shape: row.heads_map.as_ref().map(|map| (map.layers.clone(), map.heads)),
        })
    }
}

/// Computes a map for each model, grouping and quantity that has two groups.
pub fn head_maps(
    places: &[Place],
    findings: &[HeadFinding],
    ways: &[Grouping],
    quantities: &[HeadQuantity],
) -> Vec<HeadMapRecord> {
    let mut models: Vec<usize> = findings.iter().map(|finding| places[finding.place].model).collect();
    models.sort_unstable();
    models.dedup();
    let mut maps = Vec::new();
    for model in models {
        let own: Vec<&HeadFinding> = findings.iter().filter(|finding| places[finding.place].model == model).collect();
        let own_places: Vec<&Place> = own.iter().map(|finding| &places[finding.place]).collect();
        for way in ways {
            let Some(sides) = Sides::new(way, &own_places) else { continue };
            for (at, quantity) in quantities.iter().enumerate() {
                let sides = sides.only(|number| own[number].values[at].is_some());
                maps.extend(map(*quantity, at, model, &sides, &own));
            }
        }
    }
    maps
}

/// Maps the quantity at index `at` of each finding over heads. `None` if a side has no case with it.
fn map(
    quantity: HeadQuantity,
    at: usize,
    model: usize,
    sides: &Sides<'_>,
    own: &[&HeadFinding],
) -> Option<HeadMapRecord> {
    let members: Vec<&[f64]> =
        sides.members.iter().filter_map(|(number, ..)| own[*number].values[at].as_deref()).collect();
    let (layers, heads) = own[sides.members.first()?.0].shape.clone()?;
    let count = layers.len() * heads;
    if !sides.are_two() || members.iter().any(|values| values.len() != count) {
        return None;
    }
    let within = sides.within();
    let column = |head: usize| members.iter().map(|values| values[head]).collect::<Vec<f64>>();
    let found: Vec<_> = (0..count).map_while(|head| within.difference(&column(head))).collect();
    let p: Vec<Option<f64>> = found.iter().map(|found| found.p_value()).collect();
    let holm = holm_of_known(&p);
    let labels = match quantity {
        HeadQuantity::Contribution => {
            let compared = within.compared().map(|place| sides.members[place]);
            label_counts(compared.filter_map(|(number, _, second)| Some((own[number].label.as_deref()?, second))))
        }
        _ => Vec::new(),
    };
    Some(HeadMapRecord {
        quantity: quantity.to_string(),
        unit: quantity.unit().to_string(),
        model,
        groups: sides.names.clone(),
        layers,
        heads,
        first: found.iter().map(|found| rounded(found.first)).collect(),
        second: found.iter().map(|found| rounded(found.second)).collect(),
        difference: found.iter().map(|found| rounded(found.difference())).collect(),
        warning: unlike_labels(&labels),
        labels,
        significant: holm.iter().flatten().filter(|p| **p < 0.05).count(),
        p,
        holm,
        within: within.record,
    })
}

/// Counts how often each label is the right one in two groups, in label order.
fn label_counts<'a>(compared: impl Iterator<Item = (&'a str, bool)>) -> Vec<LabelCount> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (label, second) in compared {
        let (of_first, of_second) = counts.entry(label).or_default();
        *(if second { of_second } else { of_first }) += 1;
    }
    let counts = counts.into_iter();
    counts.map(|(label, (first, second))| LabelCount { label: label.to_string(), first, second }).collect()
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;
    use crate::attend::groups::within::tests::place;

    /// Builds findings from stratum, story, correctness, and one value per head.
    fn cases(made: impl IntoIterator<Item = (&'static str, usize, bool, Vec<f64>)>) -> (Vec<Place>, Vec<HeadFinding>) {
        let finding = |(number, (stratum, story, right, values)): (usize, (&str, usize, bool, Vec<f64>))| {
            let shape = Some((vec![0, 1], values.len() / 2));
            (
                place(stratum, story, right),
                HeadFinding { place: number, values: vec![Some(values)], label: None, shape },
            )
        };
        made.into_iter().enumerate().map(finding).unzip()
    }

    fn scope_map(places: &[Place], findings: &[HeadFinding]) -> HeadMapRecord {
        head_maps(places, findings, &[Grouping::Verdict], &[HeadQuantity::Scope]).remove(0)
    }

    #[test]
    fn a_head_that_differs_stands_out_after_adjustment() {
        let wobble = |story: usize| 0.01 * ((story * 7) % 5) as f64;
        let side = |right, from: usize, third: f64| {
            (from..from + 10).map(move |story| {
                ("tomi", story, right, vec![0.1 + wobble(story), 0.2, third + wobble(story), wobble(story + 3)])
            })
        };
        let (places, findings) = cases(side(false, 0, 0.5).chain(side(true, 10, 0.3)));
        let map = scope_map(&places, &findings);
        assert_eq!((map.within.items, map.within.stories, map.significant), ((10, 10), (10, 10), 1));
        assert_eq!(map.groups, ("wrong answers".to_string(), "right answers".to_string()));
        assert!((map.difference[2] - 0.2).abs() < 1e-6 && map.by_difference()[0] == (1, 0, 2), "{map:?}");
        assert!(map.holm[2].unwrap() < 1e-6 && map.holm[0] == Some(1.0));
        assert_eq!(map.p[1], None, "values that do not vary have no test");
    }

    /// Regression test: ToMi is easy, Hi-ToM is hard, and they differ in every head. Without strata, 155 of 270 heads
    /// were reported as different between wrong and right answers.
    #[test]
    fn benchmarks_that_differ_in_difficulty_make_no_heads_differ() {
        let wobble = |story: usize, head: usize| 0.01 * ((story * 7 + head * 3) % 5) as f64;
        let of = |stratum, from: usize, wrong: usize, level: f64| {
            (from..from + 40).map(move |story| {
                let values = (0..6).map(|head| level + wobble(story, head)).collect();
                (stratum, story, story - from >= wrong, values)
            })
        };
        let (places, findings) = cases(of("tomi", 0, 8, 0.6).chain(of("hi-tom", 40, 32, 0.3)));
        let map = scope_map(&places, &findings);
        assert_eq!((map.significant, map.within.strata, map.within.items), (0, 2, (40, 40)));
        assert!(map.difference.iter().all(|difference| difference.abs() < 0.02), "{map:?}");
        let mean = |right: bool| {
            let own = findings.iter().filter(|finding| places[finding.place].right == Some(right));
            own.map(|finding| finding.values[0].as_ref().unwrap()[0]).sum::<f64>() / 40.0
        };
        assert!(mean(true) - mean(false) > 0.15, "taken together they do differ");
    }

    #[test]
    fn groups_with_unlike_right_labels_are_told() {
        let rendered = |labels: [&str; 2]| {
            let made = (0..10).map(|story| ("tomi", story, story > 4, vec![0.1 * story as f64; 4]));
            let (places, mut findings) = cases(made);
            for (story, finding) in findings.iter_mut().enumerate() {
                finding.label = Some(labels[if labels[1] == "B" { story / 5 } else { story % 2 }].to_string());
            }
            let map = head_maps(&places, &findings, &[Grouping::Verdict], &[HeadQuantity::Contribution]).remove(0);
            (map.labels.len(), map.warning)
        };
        assert_eq!(rendered(["A", "C"]), (2, None));
        let (labels, note) = rendered(["A", "B"]);
        assert!(labels == 2 && note.unwrap().contains("A 5 and 0, B 0 and 5"));
    }

    #[test]
    fn few_stories_give_no_difference_and_say_why() {
        let (places, findings) = cases([("tomi", 0, false, vec![0.1; 4]), ("tomi", 1, true, vec![0.2; 4])]);
        let map = scope_map(&places, &findings);
        assert!(map.difference.is_empty() && map.p.is_empty() && map.significant == 0);
        assert_eq!(map.within.reason.as_deref(), Some("no stratum has two stories of each group"));
        assert_eq!(map.within.left_out[0].items, (1, 1));
        assert!(head_maps(&places, &findings[..1], &[Grouping::Verdict], &[HeadQuantity::Scope]).is_empty());
    }

    /// Stories per stratum, chosen so that each group has items from about 40 stories over both strata.
    const STORIES: usize = 28;

    /// A draw from the standard normal distribution, by Box and Muller.
    fn normal(rng: &mut impl Rng) -> f64 {
        let (radius, angle): (f64, f64) = (1.0 - rng.random::<f64>(), rng.random());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }

    /// 270 correlated heads and two strata of stories with one to five questions each, with 20 % and 80 % wrong answers
    /// and shifts per stratum and story. Within a stratum each head has variance 1, half of it between stories. The
    /// first 20 heads differ by `planted` standard deviations.
    fn made(repetition: usize, planted: f64) -> (Vec<Place>, Vec<HeadFinding>) {
        let mut rng = crate::seed::seeded(35, "made heads", repetition);
        let shifts: Vec<[f64; 2]> = (0..270).map(|_| [3.0 * normal(&mut rng), 3.0 * normal(&mut rng)]).collect();
        let (all_of_story, head_of_story) = (0.3f64.sqrt(), 0.2f64.sqrt());
        let (all_of_item, head_of_item) = (0.2f64.sqrt(), 0.3f64.sqrt());
        let mut found = Vec::new();
        for (stratum, (name, wrong)) in [("tomi", 0.2), ("hi-tom", 0.8)].into_iter().enumerate() {
            for story in 0..STORIES {
                let of_story: Vec<f64> = (0..270).map(|_| head_of_story * normal(&mut rng)).collect();
                let common = all_of_story * normal(&mut rng);
                for _ in 0..rng.random_range(1..=5) {
                    let right = rng.random_bool(1.0 - wrong);
                    let shared = common + all_of_item * normal(&mut rng);
                    let head = |head: usize| {
                        let effect = if !right && head < 20 { planted } else { 0.0 };
                        shifts[head][stratum] + shared + of_story[head] + head_of_item * normal(&mut rng) + effect
                    };
                    found.push((name, STORIES * stratum + story, right, (0..270).map(head).collect()));
                }
            }
        }
        cases(found)
    }

    #[test]
    fn without_a_difference_within_strata_few_repetitions_find_any_head() {
        let mut any = 0;
        for repetition in 0..200 {
            let (places, findings) = made(repetition, 0.0);
            let map = scope_map(&places, &findings);
            any += usize::from(map.significant > 0);
            let alone = ["tomi", "hi-tom"].map(|name| {
                let own = findings.iter().filter(|finding| places[finding.place].stratum["benchmark"] == name);
                scope_map(&places, &own.cloned().collect::<Vec<_>>())
            });
            for head in 0..270 {
                let [one, other] = [&alone[0], &alone[1]].map(|map| map.difference[head]);
                let found = map.difference[head];
                assert!(one.min(other) - 2e-7 <= found && found <= one.max(other) + 2e-7, "{one} {found} {other}");
            }
        }
        eprintln!("any head found without a difference: {any} of 200");
        assert!(any <= 18, "{any} of 200");
    }

    #[test]
    fn planted_differences_are_found() {
        let (mut any, mut heads, mut stories) = (0, 0, 0);
        for repetition in 0..200 {
            let (places, findings) = made(repetition, 1.0);
            let map = scope_map(&places, &findings);
            stories += map.within.stories.0 + map.within.stories.1;
            let found = map.holm[..20].iter().flatten().filter(|p| **p < 0.05).count();
            heads += found;
            any += usize::from(found > 0);
        }
        eprintln!("planted heads found in {any} of 200, on average {} of 20", heads as f64 / 200.0);
        assert!((38.0..42.0).contains(&(stories as f64 / 400.0)), "stories a group: {}", stories as f64 / 400.0);
        assert!(any >= 160, "{any} of 200");
    }
}
