//! Which items depend on each other: those of one story, and those whose versions share one.

use std::collections::HashMap;

use crate::answer::Outcome;

/// The story of each item as a number, counted from 0 in the order of first occurrence. Stories of several languages or
/// variants are one where any of their questions is the same question.
pub(super) fn stories(asked: &[Vec<&Outcome<'_>>]) -> Vec<usize> {
    let mut names: HashMap<(bool, &str, &str), usize> = HashMap::new();
    let mut parents: Vec<usize> = Vec::new();
    let mut first: Vec<usize> = Vec::with_capacity(asked.len());
    for outcomes in asked {
        let mut before: Option<usize> = None;
        for outcome in outcomes {
            let item = outcome.item;
            for name in [(true, &item.benchmark, &item.story), (false, &item.benchmark, &item.parallel)] {
                let node = *names.entry((name.0, name.1, name.2)).or_insert_with(|| {
                    parents.push(parents.len());
                    parents.len() - 1
                });
                let root = root(&mut parents, node);
                match before {
                    Some(before) => {
                        let other = self::root(&mut parents, before);
                        parents[root.max(other)] = root.min(other);
                    }
                    None => first.push(node),
                }
                before = Some(node);
            }
        }
    }
    let mut numbers: HashMap<usize, usize> = HashMap::new();
    first
        .into_iter()
        .map(|node| {
            let root = root(&mut parents, node);
            let next = numbers.len();
            *numbers.entry(root).or_insert(next)
        })
        .collect()
}

/// The root of a node's tree; what is passed on the way points there afterwards.
fn root(parents: &mut [usize], mut node: usize) -> usize {
    while parents[node] != node {
        parents[node] = parents[parents[node]];
        node = parents[node];
    }
    node
}
