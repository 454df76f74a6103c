//! Whether two answers of one story fit together, be they right or wrong.

use indexmap::IndexMap;

use super::pairs::{FEWEST, Pair, Pairs, TOO_FEW};
use crate::answer::Outcome;
use crate::benchmark::{Answer, Item};
use crate::metric::figure::Figure;
use crate::metric::linked_answers::{Consistency, ConsistencyPart};
use crate::stats::clustered_mean;

/// The consistency of the pairs of a row; `None` where none has choices.
pub(super) fn consistency(found: &Pairs<'_>) -> Option<Consistency> {
    let chosen: Vec<Chosen<'_>> = found.pairs.iter().filter_map(Chosen::new).collect();
    let left_out = found.left_out + found.pairs.len() - chosen.len();
    let [agree, differ] = [true, false].map(|must_agree| part(&chosen, must_agree));
    let mean = |of: fn(&ConsistencyPart) -> &Figure| match (of(&agree).value, of(&differ).value) {
        (Some(one), Some(other)) => Ok((one + other) / 2.0),
        _ => Err("a part has no share"),
    };
    let [mean, expected] = [mean(|part| &part.share), mean(|part| &part.expected)].map(Figure::from);
    (agree.pairs + differ.pairs > 0).then_some(Consistency { agree, differ, mean, expected, left_out })
}

/// A pair of single choices.
struct Chosen<'a> {
    pair: &'a Pair<'a>,
    must_agree: bool,
    agree: bool,
    /// Role of the first choice, with the number of options that share it, and role of the second.
    roles: ((String, usize), String),
}

impl<'a> Chosen<'a> {
    fn new(pair: &'a Pair<'a>) -> Option<Self> {
        let text = |item: &'a Item, answer: &Answer| match answer {
            Answer::Single(option) => item.options.get(option.0).map(|text| (option.0, text.as_str())),
            Answer::Labels(_) | Answer::Slots(_) => None,
        };
        let both = |outcome: &'a Outcome<'a>| {
            Some((text(outcome.item, outcome.choice.as_ref()?)?, text(outcome.item, &outcome.item.gold)?.1))
        };
        let ((first, gold), (second, other_gold)) = (both(pair.first)?, both(pair.second)?);
        Some(Chosen {
            pair,
            must_agree: gold == other_gold,
            agree: first.1 == second.1,
            roles: (pair.roles[0].role(first.0), pair.roles[1].role(second.0).0),
        })
    }
}

fn part(chosen: &[Chosen<'_>], must_agree: bool) -> ConsistencyPart {
    let own: Vec<&Chosen<'_>> = chosen.iter().filter(|each| each.must_agree == must_agree).collect();
    // Second answers of each stratum by role, and those of each story among them.
    let mut counts: IndexMap<(usize, Option<usize>), IndexMap<&str, f64>> = IndexMap::new();
    for each in &own {
        for place in [(each.pair.stratum, None), (each.pair.stratum, Some(each.pair.story))] {
            *counts.entry(place).or_default().entry(&each.roles.1).or_default() += 1.0;
        }
    }
    let (mut fits, mut expected, mut excess, mut stories) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for each in &own {
        let fit = f64::from(each.agree == must_agree);
        fits.push(fit);
        let of = |story: Option<usize>| &counts[&(each.pair.stratum, story)];
        let others =
            |of_role: &dyn Fn(&IndexMap<&str, f64>) -> f64| of_role(of(None)) - of_role(of(Some(each.pair.story)));
        let all = others(&|counts| counts.values().sum());
        if all < 1.0 {
            continue;
        }
        let (role, sharing) = &each.roles.0;
        let same = others(&|counts| counts.get(role.as_str()).copied().unwrap_or(0.0)) / all / *sharing as f64;
        let likely = if must_agree { same } else { 1.0 - same };
        expected.push(likely);
        excess.push(fit - likely);
        stories.push(each.pair.story);
    }
    let mean = |values: &[f64]| match values.len() {
        0..FEWEST => Err(TOO_FEW),
        n => Ok(values.iter().sum::<f64>() / n as f64 * 100.0),
    };
    let clustered = clustered_mean(&excess, &stories).filter(|_| excess.len() >= FEWEST);
    ConsistencyPart {
        pairs: own.len(),
        stories: own.iter().map(|each| each.pair.story).collect::<std::collections::BTreeSet<_>>().len(),
        share: Figure::from(mean(&fits)),
        expected: Figure::from(mean(&expected)),
        excess: Figure::from(mean(&excess)),
        excess_interval: clustered.map(|mean| mean.interval()).map(|(low, high)| (low * 100.0, high * 100.0)),
    }
}
