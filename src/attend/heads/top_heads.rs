//! The strongest heads over all cases, and random heads of the same layers as controls.

use std::fmt;
use std::str::FromStr;

use rand::seq::SliceRandom;

use super::maps::{HeadFinding, head_maps};
use super::quantity::HeadQuantity;
use crate::attend::groups::{Grouping, Place};
use crate::attend::words::{ModelPart, ParseModelPartError};
use crate::decoder::Ablation;
use crate::seed::seeded;

/// Most heads that can be switched off together.
const MOST: usize = 1000;

/// The `count` heads with the largest mean of a quantity, or with the largest difference of its means between two
/// groups. On the command line: `strongest:5`, `strongest:5=original-actual` or `strongest:5=scope@verdict`. The
/// default quantity is the mass on the scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopHeads {
    pub count: usize,
    /// Quantity that ranks the heads.
    pub quantity: HeadQuantity,
    /// Groups to compare, if heads are ranked by a difference.
    pub way: Option<Grouping>,
}

/// Parts to switch off: named parts, or the strongest heads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AblationTarget {
    /// Named parts.
    ModelPart(ModelPart),
    /// The strongest heads.
    TopHeads(TopHeads),
}

/// An invalid `--knock-out` argument.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseOffError {
    /// Does not name model parts.
    #[error("{0}, or strongest:K, strongest:K=QUANTITY, strongest:K=QUANTITY@GROUPS")]
    ModelPart(#[from] ParseModelPartError),
    /// Does not name strongest heads.
    #[error(
        "invalid heads `{given}`: give strongest:K, strongest:K=QUANTITY or strongest:K=QUANTITY@GROUPS, with K from 1 to {MOST}, \
         QUANTITY as for --head-maps and GROUPS verdict, belief or a facet (as strongest:5=original-actual@belief): {reason}"
    )]
    TopHeads {
        /// The argument.
        given: String,
        reason: String,
    },
}

impl FromStr for AblationTarget {
    type Err = ParseOffError;

    fn from_str(given: &str) -> Result<Self, ParseOffError> {
        let Some(rest) = given.strip_prefix("strongest:") else { return Ok(AblationTarget::ModelPart(given.parse()?)) };
        let error = |reason: String| ParseOffError::TopHeads { given: given.to_string(), reason };
        let (count, what) = rest.split_once('=').map_or((rest, None), |(count, what)| (count, Some(what)));
        let count = count.parse().ok().filter(|count| (1..=MOST).contains(count));
        let count = count.ok_or_else(|| error("K is not in that range".to_string()))?;
        let (quantity, way) = match what {
            None => (HeadQuantity::Scope, None),
            Some(what) => {
                let (quantity, way) = what.split_once('@').map_or((what, None), |(what, way)| (what, Some(way)));
                let way = way.map(str::parse).transpose();
                (
                    quantity.parse().map_err(|wrong| error(format!("{wrong}")))?,
                    way.map_err(|wrong| error(format!("{wrong}")))?,
                )
            }
        };
        Ok(AblationTarget::TopHeads(TopHeads { count, quantity, way }))
    }
}

impl fmt::Display for TopHeads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "strongest:{}={}", self.count, self.quantity)?;
        self.way.iter().try_for_each(|way| write!(f, "@{way}"))
    }
}

/// Chosen heads, and matching random sets.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenHeads {
    /// How they were chosen, as on the command line.
    pub name: String,
    /// Index of the model.
    pub model: usize,
    /// Layer and head, strongest first, each with its value.
    pub heads: Vec<((usize, usize), f64)>,
    /// Random sets with as many heads of each layer; without chosen heads where the layer has enough others.
    pub random: Vec<Vec<(usize, usize)>>,
}

impl ChosenHeads {
    /// Ablations for the chosen heads, then for each random set.
    pub fn sets(&self) -> Vec<Ablation> {
        let chosen = self.heads.iter().map(|(head, _)| *head).collect::<Vec<_>>();
        let sets = std::iter::once(&chosen).chain(&self.random);
        sets.map(|heads| Ablation { heads: heads.clone(), ..Ablation::default() }).collect()
    }

    /// Mean number of chosen heads in random sets.
    pub fn shared(&self) -> f64 {
        let chosen = |head: &&(usize, usize)| self.heads.iter().any(|(known, _)| known == *head);
        let shared: usize = self.random.iter().map(|set| set.iter().filter(chosen).count()).sum();
        shared as f64 / self.random.len().max(1) as f64
    }
}

/// Chooses heads of a model from its cases; otherwise returns the reason why none can be chosen.
pub fn choose(
    asked: &TopHeads,
    model: usize,
    (places, findings): (&[Place], &[HeadFinding]),
    quantities: &[HeadQuantity],
    (draws, seed): (usize, u64),
) -> Result<ChosenHeads, String> {
    let lacks = || "no case has the quantity (no roles of false beliefs, or a measure without heads)".to_string();
    let own: Vec<&HeadFinding> = findings.iter().filter(|finding| places[finding.place].model == model).collect();
    let at = quantities.iter().position(|quantity| *quantity == asked.quantity).ok_or_else(lacks)?;
    let (layers, heads, values) = match &asked.way {
        Some(way) => {
            let only =
                |finding: &&HeadFinding| HeadFinding { values: vec![finding.values[at].clone()], ..(*finding).clone() };
            let only: Vec<HeadFinding> = own.iter().map(only).collect();
            let map = head_maps(places, &only, std::slice::from_ref(way), &[asked.quantity]).pop();
            let map = map.ok_or_else(|| format!("the cases with this quantity do not form two groups by {way}"))?;
            if let Some(reason) = map.within.reason {
                return Err(reason);
            }
            (map.layers, map.heads, map.difference)
        }
        None => {
            let with: Vec<&Vec<f64>> = own.iter().filter_map(|finding| finding.values[at].as_ref()).collect();
            let (layers, heads) = own.iter().find_map(|finding| finding.shape.clone()).ok_or_else(lacks)?;
            let mean = |head: usize| with.iter().map(|values| values[head]).sum::<f64>() / with.len() as f64;
            let fits = !with.is_empty() && with.iter().all(|values| values.len() == layers.len() * heads);
            let values = fits.then(|| (0..layers.len() * heads).map(mean).collect::<Vec<f64>>()).ok_or_else(lacks)?;
            (layers, heads, values)
        }
    };
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&one, &other| values[other].abs().total_cmp(&values[one].abs()));
    order.truncate(asked.count);
    let chosen: Vec<((usize, usize), f64)> =
        order.into_iter().map(|index| ((layers[index / heads], index % heads), values[index])).collect();
    let name = asked.to_string();
    let random = (0..draws).map(|draw| like(&chosen, heads, seed, &name, draw)).collect();
    Ok(ChosenHeads { name, model, heads: chosen, random })
}

/// Draws as many heads of each layer as are chosen there from the other heads; if those are too few, takes all of them
/// and fills up with chosen ones.
fn like(chosen: &[((usize, usize), f64)], heads: usize, seed: u64, name: &str, draw: usize) -> Vec<(usize, usize)> {
    let mut rng = seeded(seed, &format!("heads/{name}"), draw);
    let mut layers: Vec<usize> = chosen.iter().map(|((layer, _), _)| *layer).collect();
    layers.sort_unstable();
    layers.dedup();
    let mut drawn = Vec::new();
    for layer in layers {
        let is_chosen = |head: &usize| chosen.iter().any(|(known, _)| *known == (layer, *head));
        let (mut own, mut others): (Vec<usize>, Vec<usize>) = (0..heads).partition(is_chosen);
        let count = own.len();
        others.shuffle(&mut rng);
        own.shuffle(&mut rng);
        drawn.extend(others.into_iter().chain(own).take(count).map(|head| (layer, head)));
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attend::groups::within::tests::place;
    use crate::benchmark::Role;

    #[test]
    fn what_is_switched_off_reads_as_it_is_written() {
        let check = |given: &str, shown: &str, way: Option<Grouping>| {
            let AblationTarget::TopHeads(found) = given.parse().unwrap() else { panic!("{given}") };
            assert_eq!((found.to_string(), found.way), (shown.to_string(), way));
        };
        check("strongest:5", "strongest:5=scope", None);
        check("strongest:1=agent", "strongest:1=agent", None);
        check("strongest:3=original-actual@belief", "strongest:3=original-actual@belief", Some(Grouping::Belief));
        check("strongest:3=scope@order", "strongest:3=scope@order", Some(Grouping::Facet("order".into())));
        assert!(matches!("heads=1.0".parse().unwrap(), AblationTarget::ModelPart(_)));
        for wrong in ["strongest:", "strongest:0", "strongest:x", "strongest:2=box", "strongest:2=scope@", "strong:2"] {
            let rendered = wrong.parse::<AblationTarget>().unwrap_err().to_string();
            assert!(rendered.contains(&format!("`{wrong}`")) && rendered.contains("strongest:K"), "{rendered}");
        }
    }

    #[test]
    fn the_strongest_heads_are_chosen_by_mean_or_by_difference() {
        // Five stories of each side, wrong before right.
        let values = |right: bool| match right {
            false => vec![0.9, 0.1, 0.1, 0.1, 0.5, 0.1],
            true => vec![0.9, 0.1, 0.1, 0.1, 0.1, 0.3],
        };
        let made = (0..10).map(|story| {
            let (right, shape) = (story > 4, Some((vec![4, 5], 3)));
            (
                place("tomi", story, right),
                HeadFinding { place: story, values: vec![Some(values(right))], label: None, shape },
            )
        });
        let (places, findings): (Vec<Place>, Vec<HeadFinding>) = made.unzip();
        let quantities = [HeadQuantity::Role(Role::Agent)];
        let choose = |way, findings: &[HeadFinding]| {
            let asked = TopHeads { count: 2, quantity: quantities[0], way };
            choose(&asked, 0, (&places, findings), &quantities, (30, 7))
        };
        let heads = |way| {
            let chosen = choose(way, &findings).unwrap();
            for set in &chosen.random {
                let layers = |heads: &mut dyn Iterator<Item = usize>| {
                    let mut layers: Vec<usize> = heads.collect();
                    layers.sort_unstable();
                    layers
                };
                let own = layers(&mut chosen.heads.iter().map(|((layer, _), _)| *layer));
                assert_eq!(layers(&mut set.iter().map(|(layer, _)| *layer)), own, "as many heads of each layer");
            }
            (chosen.heads.iter().map(|(head, _)| *head).collect::<Vec<_>>(), chosen.shared())
        };
        assert_eq!(heads(None), (vec![(4, 0), (5, 1)], 0.0));
        // Of three heads two are chosen, so that a random set of two shares one with them.
        assert_eq!(heads(Some(Grouping::Verdict)), (vec![(5, 1), (5, 2)], 1.0));
        let rendered = choose(Some(Grouping::Belief), &findings).unwrap_err();
        assert_eq!(rendered, "the cases with this quantity do not form two groups by belief");
        let few = choose(Some(Grouping::Verdict), &findings[2..]).unwrap_err();
        assert!(few.starts_with("3 stories of wrong answers"), "{few}");
    }
}
