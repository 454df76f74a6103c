//! How often the second of two linked answers is right where the first is, and where it is not.

use indexmap::IndexMap;

use super::consistency::consistency;
use super::pairs::{FEWEST, Pair, Pairs, TOO_FEW};
use crate::metric::figure::Figure;
use crate::metric::link::Link;
use crate::metric::linked_answers::LinkResult;
use crate::metric::respondent::Header;
use crate::stats::{Membership, Stratified, StratifiedDifference};

/// The result of a link in one row; `None` without pairs.
pub(super) fn result(link: &Link, header: Header, key: &[(String, String)], found: &Pairs<'_>) -> Option<LinkResult> {
    let Pairs { pairs, stories, left_out } = found;
    if pairs.is_empty() && *left_out == 0 {
        return None;
    }
    let right = |pair: &Pair<'_>| (pair.first.is_right(), pair.second.is_right());
    let count = |wanted: (bool, bool)| pairs.iter().filter(|pair| right(pair) == wanted).count();
    let [both, only_first, only_second, neither] =
        [(true, true), (true, false), (false, true), (false, false)].map(count);
    let values: Vec<f64> = pairs.iter().map(|pair| f64::from(pair.second.is_right())).collect();
    let expected = exchanged(pairs, &values);
    let mean = |of: &[f64], first_right: bool| {
        let own: Vec<f64> =
            pairs.iter().zip(of).filter(|(pair, _)| pair.first.is_right() == first_right).map(|(_, v)| *v).collect();
        match own.len() {
            0..FEWEST => Err(TOO_FEW),
            n => Ok(own.iter().sum::<f64>() / n as f64 * 100.0),
        }
    };
    let difference = |of: &[f64]| Ok::<f64, &str>(mean(of, true)? - mean(of, false)?);
    let membership = |stratum: fn(&Pair<'_>) -> usize| -> Vec<Membership> {
        let member =
            |pair: &Pair<'_>| Membership { stratum: stratum(pair), story: pair.story, second: !pair.first.is_right() };
        pairs.iter().map(member).collect()
    };
    let compared = |stratum: fn(&Pair<'_>) -> usize| Stratified::new(&membership(stratum)).difference(&values);
    let percent = |(low, high): (f64, f64)| ((low * 100.0).max(-100.0), (high * 100.0).min(100.0));
    let whole = compared(|_| 0).filter(|_| difference(&values).is_ok());
    let within = compared(|pair| pair.stratum);
    let within_gold = match within {
        Some(within) => Ok(within.difference() * 100.0),
        None => Err("fewer than five stories with the first right, or wrong, within the same right answers"),
    };
    let interval = |of: Option<StratifiedDifference>| of.and_then(|of| of.interval()).map(percent);
    let chance = pairs.iter().map(|pair| pair.second.item.chance()).sum::<f64>() / pairs.len().max(1) as f64;
    Some(LinkResult {
        id: link.id.clone(),
        header,
        key: key.iter().cloned().collect(),
        first: link.first.name.clone(),
        second: link.second.name.clone(),
        pairs: pairs.len(),
        stories: *stories,
        left_out: *left_out,
        both_right: both,
        only_first_right: only_first,
        only_second_right: only_second,
        neither_right: neither,
        chance: chance * 100.0,
        second_if_first: Figure::from(mean(&values, true)),
        second_if_not_first: Figure::from(mean(&values, false)),
        difference: Figure::from(difference(&values)),
        interval: interval(whole),
        expected: Figure::from(difference(&expected)),
        within_gold: Figure::from(within_gold),
        within_gold_interval: interval(within),
        within_gold_p: within.and_then(|within| within.p_value()),
        consistency: link.consistency.then(|| consistency(found)).flatten(),
    })
}

/// For each pair the mean of the second answers of its stratum: what it gets on average over all exchanges of them.
fn exchanged(pairs: &[Pair<'_>], values: &[f64]) -> Vec<f64> {
    let mut sums: IndexMap<usize, (f64, f64)> = IndexMap::new();
    for (pair, value) in pairs.iter().zip(values) {
        let (sum, count) = sums.entry(pair.stratum).or_default();
        *sum += value;
        *count += 1.0;
    }
    pairs.iter().map(|pair| sums[&pair.stratum].0 / sums[&pair.stratum].1).collect()
}
