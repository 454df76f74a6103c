//! Maps of heads over groups of cases: means, and their difference with a test for each head.

use super::document::Case;
use super::head_quantity::HeadQuantity;
use super::head_records::HeadMapRecord;
use super::records::rounded;
use super::sides::Way;
use super::stories::Stories;
use crate::metric::stats::{clustered_difference, holm};

/// What a case adds to maps of groups: a number of each head for each quantity, and where it belongs. Everything is from the
/// case alone, so that cases can be read one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct HeadFinding {
    /// Its model.
    pub model: usize,
    /// Its story.
    pub story: String,
    /// Its group by each way; `None` where it has none.
    pub groups: Vec<Option<String>>,
    /// For each quantity the numbers `(layer, head)`.
    pub values: Vec<Option<Vec<f64>>>,
    /// Numbers of the captured layers, and heads per layer.
    pub shape: Option<(Vec<usize>, usize)>,
}

impl HeadFinding {
    /// What a case adds; `None` for one that is there only to be compared.
    pub fn of(case: &Case, ways: &[Way], quantities: &[HeadQuantity]) -> Option<Self> {
        let row = case.rows.first().filter(|_| !case.compared_only)?;
        Some(HeadFinding {
            model: case.model,
            story: case.story.clone(),
            groups: ways.iter().map(|way| way.group(case)).collect(),
            values: quantities.iter().map(|quantity| quantity.of(case)).collect(),
            shape: row.heads_map.as_ref().map(|map| (map.layers.clone(), map.heads)),
        })
    }
}

/// A map for each model, way and quantity that has two groups.
pub fn head_maps(findings: &[HeadFinding], ways: &[Way], quantities: &[HeadQuantity]) -> Vec<HeadMapRecord> {
    let mut models: Vec<usize> = findings.iter().map(|finding| finding.model).collect();
    models.sort_unstable();
    models.dedup();
    let mut maps = Vec::new();
    for model in models {
        for (way_at, way) in ways.iter().enumerate() {
            let of_model = || findings.iter().filter(|finding| finding.model == model);
            let groups = of_model().filter_map(|finding| finding.groups[way_at].as_deref());
            let Some(sides) = way.sides(groups) else { continue };
            for (at, quantity) in quantities.iter().enumerate() {
                let side = |name: &str| -> Vec<(&HeadFinding, &[f64])> {
                    of_model()
                        .filter(|finding| finding.groups[way_at].as_deref() == Some(name))
                        .filter_map(|finding| Some((finding, finding.values[at].as_deref()?)))
                        .collect()
                };
                let (first, second) = (side(&sides.0), side(&sides.1));
                maps.extend(map(*quantity, model, sides.clone(), &first, &second));
            }
        }
    }
    maps
}

type Member<'a> = (&'a HeadFinding, &'a [f64]);

fn map(
    quantity: HeadQuantity,
    model: usize,
    groups: (String, String),
    first: &[Member<'_>],
    second: &[Member<'_>],
) -> Option<HeadMapRecord> {
    let (layers, heads) = first.first()?.0.shape.clone()?;
    let count = layers.len() * heads;
    let fits = |side: &[Member<'_>]| !side.is_empty() && side.iter().all(|(_, values)| values.len() == count);
    if !fits(first) || !fits(second) {
        return None;
    }
    let mut stories = Stories::default();
    let numbers = |side: &[Member<'_>], stories: &mut Stories| -> Vec<usize> {
        side.iter().map(|(finding, _)| stories.number(&finding.story)).collect()
    };
    let (of_first, of_second) = (numbers(first, &mut stories), numbers(second, &mut stories));
    let mean =
        |side: &[Member<'_>], head: usize| side.iter().map(|(_, values)| values[head]).sum::<f64>() / side.len() as f64;
    let column = |side: &[Member<'_>], numbers: &[usize], head: usize| -> Vec<(f64, usize)> {
        side.iter().zip(numbers).map(|((_, values), story)| (values[head], *story)).collect()
    };
    let p: Vec<Option<f64>> = (0..count)
        .map(|head| clustered_difference(&column(first, &of_first, head), &column(second, &of_second, head))?.p_value())
        .collect();
    let holm = adjusted(&p);
    let means = |side: &[Member<'_>]| (0..count).map(|head| rounded(mean(side, head))).collect::<Vec<f64>>();
    Some(HeadMapRecord {
        quantity: quantity.to_string(),
        unit: quantity.unit().to_string(),
        model,
        items: (first.len(), second.len()),
        stories: (distinct(&of_first), distinct(&of_second)),
        layers,
        heads,
        first: means(first),
        second: means(second),
        difference: (0..count).map(|head| rounded(mean(first, head) - mean(second, head))).collect(),
        significant: holm.iter().flatten().filter(|p| **p < 0.05).count(),
        p,
        holm,
        groups,
    })
}

/// P-values adjusted by Holm among those that there are.
pub(super) fn adjusted(p: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut adjusted = holm(&p.iter().copied().flatten().collect::<Vec<f64>>()).into_iter();
    p.iter().map(|p| p.and_then(|_| adjusted.next())).collect()
}

fn distinct(numbers: &[usize]) -> usize {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(story: usize, group: &str, values: [f64; 4]) -> HeadFinding {
        HeadFinding {
            model: 0,
            story: format!("story {story}"),
            groups: vec![Some(group.to_string())],
            values: vec![Some(values.to_vec())],
            shape: Some((vec![0, 1], 2)),
        }
    }

    #[test]
    fn a_head_that_differs_stands_out_after_adjustment() {
        let wobble = |story: usize| 0.01 * ((story * 7) % 5) as f64;
        let side = |group, from: usize, third: f64| {
            (from..from + 10).map(move |story| {
                finding(story, group, [0.1 + wobble(story), 0.2, third + wobble(story), wobble(story + 3)])
            })
        };
        let findings: Vec<HeadFinding> = side("wrong answers", 0, 0.5).chain(side("right answers", 10, 0.3)).collect();
        let maps = head_maps(&findings, &[Way::Verdict], &[HeadQuantity::Scope]);
        let [map] = &maps[..] else { panic!("one map: {maps:?}") };
        assert_eq!((map.items, map.stories, map.significant), ((10, 10), (10, 10), 1));
        assert_eq!(map.groups, ("wrong answers".to_string(), "right answers".to_string()));
        assert!((map.difference[2] - 0.2).abs() < 1e-6 && map.by_difference()[0] == (1, 0, 2), "{map:?}");
        assert!(map.holm[2].unwrap() < 1e-6 && map.holm[0] == Some(1.0));
        assert_eq!(map.p[1], None, "values that do not vary have no test");
    }

    #[test]
    fn one_story_a_side_gives_means_and_no_test() {
        let findings = [finding(0, "wrong answers", [0.1; 4]), finding(1, "right answers", [0.2; 4])];
        let map = head_maps(&findings, &[Way::Verdict], &[HeadQuantity::Scope]).remove(0);
        assert_eq!((map.difference[0], map.p[0], map.significant), (-0.1, None, 0));
        assert!(head_maps(&findings[..1], &[Way::Verdict], &[HeadQuantity::Scope]).is_empty());
    }
}
