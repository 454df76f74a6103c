//! Option orders: checked bijections between canonical options and displayed slots, and the policies that draw them.

use std::fmt;
use std::str::FromStr;

use rand::seq::SliceRandom;

use crate::benchmark::OptionIx;
use crate::seed::seeded;

/// Index of a displayed position: slot 0 carries the first label (`A`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotIx(pub usize);

/// A bijection between displayed slots and canonical options; the only conversion between them.
///
/// ```
/// use tomeval::Order;
/// let order = Order::try_from(vec![2, 0, 1])?;
/// assert_eq!(order.to_canonical(&["of C", "of A", "of B"]), ["of A", "of B", "of C"]);
/// assert!(Order::try_from(vec![0, 0, 1]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<usize>", into = "Vec<usize>")]
pub struct Order {
    /// `canonical[slot]` is the option shown there.
    canonical: Vec<usize>,
}

/// The numbers of an order are not a permutation of `0..n`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{numbers:?} is not an order: it must contain each of 0 to {last} exactly once", last = numbers.len().saturating_sub(1))]
pub struct NotAPermutation {
    /// The numbers as given.
    pub numbers: Vec<usize>,
}

impl TryFrom<Vec<usize>> for Order {
    type Error = NotAPermutation;

    fn try_from(canonical: Vec<usize>) -> Result<Self, Self::Error> {
        let mut seen = vec![false; canonical.len()];
        for &option in &canonical {
            match seen.get_mut(option) {
                Some(mark) if !*mark => *mark = true,
                _ => return Err(NotAPermutation { numbers: canonical }),
            }
        }
        Ok(Order { canonical })
    }
}

impl From<Order> for Vec<usize> {
    fn from(order: Order) -> Self {
        order.canonical
    }
}

impl Order {
    /// The order of the file.
    pub fn identity(options: usize) -> Self {
        Order { canonical: (0..options).collect() }
    }

    /// Number of options.
    pub fn len(&self) -> usize {
        self.canonical.len()
    }

    /// Whether there are no options.
    pub fn is_empty(&self) -> bool {
        self.canonical.is_empty()
    }

    /// The option shown in `slot`. Panics if the slot does not exist.
    pub fn option_at(&self, slot: SlotIx) -> OptionIx {
        OptionIx(self.canonical[slot.0])
    }

    /// The slot that shows `option`. Panics if the option does not exist.
    pub fn slot_of(&self, option: OptionIx) -> SlotIx {
        let slot = self.canonical.iter().position(|&shown| shown == option.0);
        SlotIx(slot.expect("an order holds every option of its item"))
    }

    /// Canonical options in slot order.
    pub fn as_slice(&self) -> &[usize] {
        &self.canonical
    }

    /// Rearranges values per slot into values per canonical option.
    pub fn to_canonical<T: Clone>(&self, by_slot: &[T]) -> Vec<T> {
        assert_eq!(by_slot.len(), self.canonical.len(), "one value per slot");
        (0..self.len()).map(|option| by_slot[self.slot_of(OptionIx(option)).0].clone()).collect()
    }

    /// The order in which two options have changed places.
    pub fn exchanged(&self, one: OptionIx, other: OptionIx) -> Self {
        let exchange = |&option: &usize| match OptionIx(option) {
            it if it == one => other.0,
            it if it == other => one.0,
            it => it.0,
        };
        Order { canonical: self.canonical.iter().map(exchange).collect() }
    }

    /// Whether two options have changed places between the orders, and nothing else has.
    pub fn is_one_exchange_from(&self, other: &Order) -> bool {
        self.len() == other.len()
            && self.canonical.iter().zip(&other.canonical).filter(|(one, other)| one != other).count() == 2
    }

    /// An order of `free` options, as numbered there, among the slots of these; the others of `all` stay.
    fn around(&self, free: &[usize], all: usize) -> Self {
        let mut canonical: Vec<usize> = (0..all).collect();
        for (&slot, &option) in free.iter().zip(&self.canonical) {
            canonical[slot] = free[option];
        }
        Order { canonical }
    }

    fn rotated(&self, by: usize) -> Self {
        let mut canonical = self.canonical.clone();
        if !canonical.is_empty() {
            canonical.rotate_left(by % self.len());
        }
        Order { canonical }
    }
}

/// Policy that draws the option orders of an item.
///
/// ```
/// use tomeval::OrderPolicy;
/// let policy: OrderPolicy = "random:5".parse()?;
/// // A draw depends only on seed, item and draw number.
/// assert_eq!(policy.draw(0, "demo/cake-tin/0/en", 4)?, policy.draw(0, "demo/cake-tin/0/en", 4)?);
/// assert_eq!("all".parse::<OrderPolicy>()?.draw(0, "demo/cake-tin/0/en", 3)?.len(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OrderPolicy {
    /// The order of the file, once.
    Identity,
    /// The given number of independent uniform draws (five in ToMBench, section 4.1).
    Random(usize),
    /// Every rotation of the file's order.
    Cyclic,
    /// The given number of orders in which each option appears equally often in each slot, as far as possible:
    /// rotations of random orders, with a new random order after each full turn.
    Balanced(usize),
    /// Every permutation.
    All,
}

/// Maximum number of options for which every permutation is run (7! = 5,040).
const MAX_OPTIONS_FOR_ALL: usize = 7;

/// Maximum number of draws per item: more would only repeat the orders that `all` runs once.
const MOST_DRAWS: usize = 10_000;

/// A policy that cannot be applied to an item.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("item `{item}` has {options} options: `--orders all` stops at {MAX_OPTIONS_FOR_ALL}; use cyclic or balanced:K")]
pub struct TooManyOrders {
    /// The item's id.
    pub item: String,
    /// Its number of options.
    pub options: usize,
}

/// An order and how often the policy drew it; equal draws are scored once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnOrder {
    pub order: Order,
    /// Number of times it was drawn, at least one.
    pub count: usize,
}

impl OrderPolicy {
    /// The distinct orders for one item with their counts, in order of first draw.
    ///
    /// Draw `k` depends only on the seed, the item's id and `k`, never on the file order, limits or shards.
    pub fn draw(self, seed: u64, item_id: &str, options: usize) -> Result<Vec<DrawnOrder>, TooManyOrders> {
        self.draw_around(seed, item_id, options, &[])
    }

    /// Like [`OrderPolicy::draw`], of the options besides these, which keep the slots of the file's order.
    pub fn draw_around(
        self,
        seed: u64,
        item_id: &str,
        all: usize,
        anchored: &[usize],
    ) -> Result<Vec<DrawnOrder>, TooManyOrders> {
        let free: Vec<usize> = (0..all).filter(|option| !anchored.contains(option)).collect();
        let options = free.len();
        let orders: Vec<Order> = match self {
            OrderPolicy::Identity => vec![Order::identity(options)],
            OrderPolicy::Random(draws) => (0..draws).map(|k| random_order(seed, item_id, k, options)).collect(),
            OrderPolicy::Cyclic => (0..options.max(1)).map(|by| Order::identity(options).rotated(by)).collect(),
            OrderPolicy::Balanced(draws) => (0..draws)
                .map(|k| {
                    let turn = options.max(1);
                    random_order(seed, item_id, k / turn, options).rotated(k % turn)
                })
                .collect(),
            OrderPolicy::All if options > MAX_OPTIONS_FOR_ALL => {
                return Err(TooManyOrders { item: item_id.to_string(), options });
            }
            OrderPolicy::All => all_orders(options),
        };
        let mut drawn: Vec<DrawnOrder> = Vec::new();
        for order in orders {
            let order = order.around(&free, all);
            match drawn.iter_mut().find(|known| known.order == order) {
                Some(known) => known.count += 1,
                None => drawn.push(DrawnOrder { order, count: 1 }),
            }
        }
        Ok(drawn)
    }
}

fn random_order(seed: u64, item_id: &str, draw: usize, options: usize) -> Order {
    let mut canonical: Vec<usize> = (0..options).collect();
    canonical.shuffle(&mut seeded(seed, item_id, draw));
    Order { canonical }
}

fn all_orders(options: usize) -> Vec<Order> {
    let mut orders = vec![Vec::new()];
    for _ in 0..options {
        orders = orders
            .into_iter()
            .flat_map(|start: Vec<usize>| {
                (0..options)
                    .filter(|option| !start.contains(option))
                    .map(|option| [&start[..], &[option]].concat())
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    orders.into_iter().map(|canonical| Order { canonical }).collect()
}

impl fmt::Display for OrderPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OrderPolicy::Identity => f.write_str("identity"),
            OrderPolicy::Random(draws) => write!(f, "random:{draws}"),
            OrderPolicy::Cyclic => f.write_str("cyclic"),
            OrderPolicy::Balanced(draws) => write!(f, "balanced:{draws}"),
            OrderPolicy::All => f.write_str("all"),
        }
    }
}

/// An unknown policy name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown option order `{given}`; use identity, random:K, cyclic, balanced:K or all, with K from 1 to {MOST_DRAWS}"
)]
pub struct UnknownPolicy {
    /// The text as given.
    pub given: String,
}

impl FromStr for OrderPolicy {
    type Err = UnknownPolicy;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownPolicy { given: given.to_string() };
        let draws = |text: &str| text.parse().ok().filter(|draws| (1..=MOST_DRAWS).contains(draws)).ok_or_else(unknown);
        match given.split_once(':') {
            None if given == "identity" => Ok(OrderPolicy::Identity),
            None if given == "cyclic" => Ok(OrderPolicy::Cyclic),
            None if given == "all" => Ok(OrderPolicy::All),
            Some(("random", text)) => Ok(OrderPolicy::Random(draws(text)?)),
            Some(("balanced", text)) => Ok(OrderPolicy::Balanced(draws(text)?)),
            _ => Err(unknown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn slots_and_options_round_trip(options in 1usize..16, seed: u64, draw in 0usize..9) {
            let order = random_order(seed, "item", draw, options);
            for option in 0..options {
                prop_assert_eq!(order.option_at(order.slot_of(OptionIx(option))), OptionIx(option));
            }
            let by_slot: Vec<usize> = order.as_slice().to_vec();
            prop_assert_eq!(order.to_canonical(&by_slot), (0..options).collect::<Vec<_>>());
        }

        #[test]
        fn balanced_orders_fill_slots_evenly(options in 1usize..9, draws in 1usize..30, seed: u64) {
            let drawn = OrderPolicy::Balanced(draws).draw(seed, "x", options).unwrap();
            prop_assert_eq!(drawn.iter().map(|d| d.count).sum::<usize>(), draws);
            for option in 0..options {
                for slot in 0..options {
                    let times: usize = drawn.iter().filter(|d| d.order.as_slice()[slot] == option).map(|d| d.count).sum();
                    prop_assert!(times == draws / options || times == draws.div_ceil(options));
                }
            }
        }
    }

    #[test]
    fn anchored_options_keep_their_slots_under_every_policy() {
        for (policy, orders) in [("random:40", 6), ("cyclic", 3), ("balanced:6", 6), ("all", 6), ("identity", 1)] {
            let policy: OrderPolicy = policy.parse().unwrap();
            let drawn = policy.draw_around(3, "q", 4, &[2]).unwrap();
            assert!(drawn.iter().all(|drawn| drawn.order.as_slice()[2] == 2));
            assert_eq!(drawn.len(), orders, "{policy}");
        }
        assert!(OrderPolicy::All.draw_around(0, "q", 9, &[0, 8]).is_ok(), "seven options are free");
        assert_eq!(OrderPolicy::Random(5).draw_around(0, "q", 2, &[0, 1]).unwrap().len(), 1);
    }

    #[test]
    fn a_repeated_number_is_refused() {
        assert!(Order::try_from(vec![0, 0]).is_err());
        assert!(Order::try_from(vec![0, 2]).is_err());
        assert!(Order::try_from(vec![1, 0]).is_ok());
    }

    #[test]
    fn draws_depend_on_seed_item_and_number_only() {
        let five = OrderPolicy::Random(5).draw(7, "a", 4).unwrap();
        let three = OrderPolicy::Random(3).draw(7, "a", 4).unwrap();
        assert_eq!(five[0].order, three[0].order);
        let orders = |seed, id: &str| OrderPolicy::Random(8).draw(seed, id, 5).unwrap();
        assert_ne!(orders(7, "a"), orders(8, "a"));
        assert_ne!(orders(7, "a"), orders(7, "b"));
    }

    #[test]
    fn two_options_have_two_orders_however_often_drawn() {
        let drawn = OrderPolicy::Random(5).draw(1, "q", 2).unwrap();
        assert!(drawn.len() <= 2);
        assert_eq!(drawn.iter().map(|d| d.count).sum::<usize>(), 5);
    }

    #[test]
    fn all_orders_are_distinct_and_complete() {
        assert_eq!(OrderPolicy::All.draw(0, "q", 4).unwrap().len(), 24);
        assert!(OrderPolicy::All.draw(0, "q", 15).is_err());
    }

    #[test]
    fn policies_parse_and_print_alike() {
        for text in ["identity", "random:5", "cyclic", "balanced:8", "all"] {
            assert_eq!(text.parse::<OrderPolicy>().unwrap().to_string(), text);
        }
        for text in ["random", "random:0", "shuffled", "cyclic:2", "random:1000000000", "balanced:10001", "random:-1"] {
            assert!(text.parse::<OrderPolicy>().is_err());
        }
    }
}
