//! Sources of variance of answers to items that were asked several times: in several wordings (crossed with items), in
//! several option orders (drawn for each item), with several replies to each prompt.
//!
//! An answer is right (1) or wrong (0): mean + item + wording + item x wording + order within item + wording x order within
//! item + reply. The variances of the terms are estimated by the method of moments, from the mean squares of a balanced
//! design (Searle, Casella and McCulloch 1992, chapter 4). Estimates below zero are not cut. Wordings are those asked, and not
//! a sample of others. Items may share stories: the noise in means of wordings and of items is that of sums over stories
//! (see [`super::clustered_mean`]), which with one item per story is the mean square of the analysis of variance.

use rand::Rng;
use rand::seq::SliceRandom;

use super::bootstrap::{Cluster, RESAMPLES, clustered_bootstrap};

/// How often each item was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Design {
    /// Wordings, the same for all items.
    pub wordings: usize,
    /// Option orders of an item, the same in all its wordings.
    pub orders: usize,
    /// Replies to each prompt.
    pub replies: usize,
}

/// A variance with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variance {
    /// The estimate, which may be below zero.
    pub value: f64,
    /// From resampling stories; `None` for few stories.
    pub interval: Option<(f64, f64)>,
}

/// Variances by source; `None` where the design has one level of it. With one reply to each prompt, the variance of replies
/// is within that of the finest other source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VarianceSources {
    /// Between items.
    pub items: Option<Variance>,
    /// Between wordings, the same for all items.
    pub wordings: Option<Variance>,
    /// Between wordings, of each item on its own.
    pub items_by_wordings: Option<Variance>,
    /// Between the orders of an item.
    pub orders: Option<Variance>,
    /// Between the orders of an item, in each wording on its own.
    pub wordings_by_orders: Option<Variance>,
    /// Between replies to one prompt.
    pub replies: Option<Variance>,
    /// Variances of the accuracy of as many items, each asked once.
    pub of_accuracy: AccuracyVariance,
}

/// Variance of the accuracy of so many items, each asked in one wording, one order, with one reply.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AccuracyVariance {
    /// From the choice of one of the wordings for these items.
    pub wording: Option<Variance>,
    /// From drawing an order for each of these items.
    pub orders: Option<Variance>,
    /// From writing another reply to each prompt.
    pub replies: Option<Variance>,
    /// From drawing other stories.
    pub items: Option<Variance>,
    /// From all of these.
    pub all: Option<Variance>,
}

/// Positions of sums over stories; those of each wording follow.
const STORIES: usize = 0;
const ITEMS: usize = 1;
const ITEMS_SQUARED: usize = 2;
const MEANS: usize = 3;
const MEANS_SQUARED: usize = 4;
const ITEMS_BY_MEANS: usize = 5;
const OF_ITEMS: usize = 6;
const OF_WORDINGS: usize = 7;
const OF_ORDERS: usize = 8;
const OF_BOTH: usize = 9;
const OF_REPLIES: usize = 10;
const EFFECTS_SQUARED: usize = 11;
const EFFECTS: usize = 12;

impl Design {
    /// Number of answers to an item.
    pub fn answers(self) -> usize {
        self.wordings * self.orders * self.replies
    }

    /// Means of an item's answers by wording, or by any other part of their index.
    fn means(self, answers: &[f64], levels: usize, level: impl Fn(usize, usize) -> usize) -> Vec<f64> {
        let mut means = vec![0.0; levels];
        let weight = levels as f64 / self.answers() as f64;
        for (at, answer) in answers.iter().enumerate() {
            let prompt = at / self.replies;
            means[level(prompt / self.orders, prompt % self.orders)] += answer * weight;
        }
        means
    }

    /// Means of an item's answers by wording.
    pub fn by_wording(self, answers: &[f64]) -> Vec<f64> {
        self.means(answers, self.wordings, |wording, _| wording)
    }

    /// Sums over the items of each story: their number, squares, and how far each wording is above the item's mean.
    fn sums(self, items: &[&[f64]], stories: &[usize]) -> Vec<Vec<f64>> {
        let Design { wordings, orders, replies } = self;
        let count = stories.iter().max().map_or(0, |last| last + 1);
        let mut sums = vec![vec![0.0; EFFECTS + 2 * wordings]; count];
        for (answers, &story) in items.iter().zip(stories) {
            let sums = &mut sums[story];
            let by_wording = self.by_wording(answers);
            let by_order = self.means(answers, orders, |_, order| order);
            let by_prompt = self.means(answers, wordings * orders, |wording, order| wording * orders + order);
            let mean = by_wording.iter().sum::<f64>() / wordings as f64;
            sums[ITEMS] += 1.0;
            sums[MEANS] += mean;
            sums[OF_ITEMS] += mean * mean;
            for (wording, of_wording) in by_wording.iter().enumerate() {
                sums[EFFECTS + wording] += of_wording - mean;
                sums[OF_WORDINGS] += (of_wording - mean).powi(2);
            }
            sums[OF_ORDERS] += by_order.iter().map(|of_order| (of_order - mean).powi(2)).sum::<f64>();
            for (prompt, of_prompt) in by_prompt.iter().enumerate() {
                let additive = by_wording[prompt / orders] + by_order[prompt % orders] - mean;
                sums[OF_BOTH] += (of_prompt - additive).powi(2);
                let of_replies = &answers[prompt * replies..(prompt + 1) * replies];
                sums[OF_REPLIES] += of_replies.iter().map(|answer| (answer - of_prompt).powi(2)).sum::<f64>();
            }
        }
        sums.retain(|sums| sums[ITEMS] > 0.0);
        for sums in &mut sums {
            let items = sums[ITEMS];
            sums[STORIES] = 1.0;
            sums[ITEMS_SQUARED] = items * items;
            sums[MEANS_SQUARED] = sums[MEANS] * sums[MEANS];
            sums[ITEMS_BY_MEANS] = items * sums[MEANS];
            for wording in EFFECTS..EFFECTS + wordings {
                sums[EFFECTS_SQUARED] += sums[wording] * sums[wording];
                sums[wording + wordings] = items * sums[wording];
            }
        }
        sums
    }

    /// The variances from sums over all stories, in the order of their types. A resample adds `more` times the noise to
    /// means of wordings that have it already.
    fn variances(self, sums: &[f64], more: f64) -> Vec<Option<f64>> {
        let Design { wordings, orders, replies } = self;
        let [several_wordings, several_orders, several_replies] = [wordings, orders, replies].map(|levels| levels > 1);
        let [a, b, r] = [wordings, orders, replies].map(|levels| levels as f64);
        let (n, stories) = (sums[ITEMS], sums[STORIES]);
        let mean = sums[MEANS] / n;
        let effects: Vec<f64> = sums[EFFECTS..EFFECTS + wordings].iter().map(|effect| effect / n).collect();
        let effects_squared: f64 = effects.iter().map(|effect| effect * effect).sum();
        // Mean squares; zero where there is one level.
        let square = |applies: bool, sum: f64, freedom: f64| if applies { sum / freedom } else { 0.0 };
        let of_items = a * b * r * (sums[OF_ITEMS] - n * mean * mean) / (n - 1.0);
        let of_wordings = b * r * (sums[OF_WORDINGS] - n * effects_squared);
        let of_wordings = square(several_wordings, of_wordings, (n - 1.0) * (a - 1.0));
        let of_orders = square(several_orders, a * r * sums[OF_ORDERS], n * (b - 1.0));
        let has_both = several_wordings && several_orders;
        let of_both = square(has_both, r * sums[OF_BOTH], n * (a - 1.0) * (b - 1.0));
        let of_replies = square(several_replies, sums[OF_REPLIES], n * a * b * (r - 1.0));
        // What the mean squares have beside their own variance.
        let below_wordings = if several_orders { of_both } else { of_replies };
        let below_orders = if several_wordings { of_both } else { of_replies };
        let below_items = match (several_wordings, several_orders) {
            (true, true) => of_wordings + of_orders - of_both,
            (false, false) => of_replies,
            _ => of_wordings + of_orders,
        };
        // Squares of sums by story, around the means of all items.
        let deviations = |squares: f64, products: &[f64], means: &[f64]| {
            let of_each =
                products.iter().zip(means).map(|(product, mean)| mean * (mean * sums[ITEMS_SQUARED] - 2.0 * product));
            (squares + of_each.sum::<f64>()) * stories / (stories - 1.0) / (n * n)
        };
        let products = &sums[EFFECTS + wordings..EFFECTS + 2 * wordings];
        let noise = deviations(sums[EFFECTS_SQUARED], products, &effects) / (a - 1.0);
        let of_accuracy = deviations(sums[MEANS_SQUARED], &[sums[ITEMS_BY_MEANS]], &[mean]);
        let between = effects_squared / (a - 1.0);
        let when = |applies: bool, value: f64| (applies && value.is_finite()).then_some(value);
        let both = when(has_both, (of_both - of_replies) / r);
        let in_order = when(several_orders, (of_orders - below_orders) / (a * r));
        let replies = when(several_replies, of_replies);
        let accuracies = [
            when(several_wordings, between - more * noise - below_wordings / (n * b * r)),
            in_order.map(|in_order| (in_order + both.unwrap_or(0.0)) / n),
            replies.map(|replies| replies / n),
            when(true, of_accuracy - below_items / (n * a * b * r)),
        ];
        let all = accuracies.iter().flatten().sum();
        let components = [
            when(true, (of_items - below_items) / (a * b * r)),
            when(several_wordings, between - (1.0 + more) * noise),
            when(several_wordings, (of_wordings - below_wordings) / (b * r)),
            in_order,
            both,
            replies,
        ];
        components.into_iter().chain(accuracies).chain([when(true, all)]).collect()
    }
}

/// Variances of the answers of `items`, each a list of answers, 0 or 1, by wording, then by order, then by reply; `stories` has
/// the story of each item as a number. `None` for fewer than two stories, or an item with another number of answers.
pub fn variance_sources(design: Design, items: &[&[f64]], stories: &[usize], rng: impl Rng) -> Option<VarianceSources> {
    let complete = items.iter().all(|answers| answers.len() == design.answers()) && items.len() == stories.len();
    let sums = if complete && design.answers() > 0 { design.sums(items, stories) } else { Vec::new() };
    if sums.len() < 2 {
        return None;
    }
    let width = EFFECTS + 2 * design.wordings;
    let total: Vec<f64> = (0..width).map(|at| sums.iter().map(|sums| sums[at]).sum()).collect();
    let clusters: Vec<Cluster> =
        sums.into_iter().map(|sums| Cluster { adds: sums.into_iter().enumerate().collect() }).collect();
    let intervals = clustered_bootstrap(&clusters, width, rng, |sums| design.variances(sums, 1.0));
    let found = design.variances(&total, 0.0);
    let mut each = found.into_iter().zip(intervals).map(|(value, interval)| Some(Variance { value: value?, interval }));
    let mut next = || each.next().flatten();
    Some(VarianceSources {
        items: next(),
        wordings: next(),
        items_by_wordings: next(),
        orders: next(),
        wordings_by_orders: next(),
        replies: next(),
        of_accuracy: AccuracyVariance { wording: next(), orders: next(), replies: next(), items: next(), all: next() },
    })
}

/// P-value of the test that wordings do not matter: the share of reassignments of each story's accuracies to the wordings,
/// including the observed one, whose accuracies by wording vary at least as much (as in Cochran's Q, whose items are here
/// stories). `None` if no story's accuracy differs between wordings.
pub fn wordings_p(design: Design, items: &[&[f64]], stories: &[usize], mut rng: impl Rng) -> Option<f64> {
    let wordings = EFFECTS..EFFECTS + design.wordings;
    let sums = design.sums(items, stories).into_iter();
    let mut effects: Vec<Vec<f64>> = sums.map(|sums| sums[wordings.clone()].to_vec()).collect();
    effects.retain(|effects| effects.iter().any(|effect| effect.abs() > 1e-9));
    effects.first()?;
    let spread = |effects: &[Vec<f64>]| {
        let mut total = vec![0.0; design.wordings];
        effects.iter().for_each(|effects| total.iter_mut().zip(effects).for_each(|(total, effect)| *total += effect));
        total.iter().map(|total| total * total).sum::<f64>()
    };
    // Sums of equal effects may differ by rounding.
    let least = spread(&effects) * (1.0 - 1e-9) - 1e-9;
    let mut extreme = 1;
    for _ in 1..RESAMPLES {
        effects.iter_mut().for_each(|effects| effects.shuffle(&mut rng));
        extreme += usize::from(spread(&effects) >= least);
    }
    Some(extreme as f64 / RESAMPLES as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::seeded;

    const REPETITIONS: usize = 100;

    /// Effects of the terms on the probability of a right answer; those of items, orders and of both by wordings are as often
    /// above as below zero.
    struct Planted {
        design: Design,
        wordings: &'static [f64],
        item: f64,
        item_by_wording: f64,
        order: f64,
        wording_by_order: f64,
        /// Whether the items of a story share their effects by wording.
        shared: bool,
    }

    const PLANTED: Planted = Planted {
        design: Design { wordings: 5, orders: 3, replies: 2 },
        wordings: &[-0.06, -0.03, 0.0, 0.03, 0.06],
        item: 0.16,
        item_by_wording: 0.08,
        order: 0.1,
        wording_by_order: 0.06,
        shared: false,
    };

    impl Planted {
        /// Answers of two items in each of a hundred stories.
        fn answers(&self, repetition: usize) -> (Vec<Vec<f64>>, Vec<usize>) {
            let mut rng = seeded(7, "planted variances", repetition);
            let Design { wordings, orders, replies } = self.design;
            let mut items = Vec::new();
            let mut of_story = Vec::new();
            for item in 0..200 {
                let sign = |rng: &mut rand_chacha::ChaCha8Rng| if rng.random::<bool>() { 1.0 } else { -1.0 };
                let base = 0.5 + self.item * sign(&mut rng);
                if item % 2 == 0 || !self.shared {
                    of_story = (0..wordings).map(|_| self.item_by_wording * sign(&mut rng)).collect();
                }
                let by_order: Vec<f64> = (0..orders).map(|_| self.order * sign(&mut rng)).collect();
                let mut answers = Vec::new();
                for (own, of_story) in self.wordings.iter().zip(&of_story) {
                    for of_order in &by_order {
                        let both = self.wording_by_order * sign(&mut rng);
                        let right = base + own + of_story + of_order + both;
                        answers.extend((0..replies).map(|_| f64::from(u8::from(rng.random_bool(right)))));
                    }
                }
                items.push(answers);
            }
            (items, (0..200).map(|item| item / 2).collect())
        }

        fn sources(&self, repetition: usize) -> VarianceSources {
            let (items, stories) = self.answers(repetition);
            let items: Vec<&[f64]> = items.iter().map(Vec::as_slice).collect();
            variance_sources(self.design, &items, &stories, seeded(1, "stories", repetition)).unwrap()
        }

        fn p(&self, repetition: usize) -> f64 {
            let (items, stories) = self.answers(repetition);
            let items: Vec<&[f64]> = items.iter().map(Vec::as_slice).collect();
            wordings_p(self.design, &items, &stories, seeded(1, "wordings", repetition)).unwrap()
        }
    }

    /// Number of repetitions whose interval has the true value.
    fn covering(found: &[VarianceSources], truth: f64, of: fn(&VarianceSources) -> Option<Variance>) -> usize {
        let has = |sources: &&VarianceSources| {
            of(sources).and_then(|it| it.interval).is_some_and(|(low, high)| low <= truth && truth <= high)
        };
        found.iter().filter(has).count()
    }

    #[test]
    fn planted_variances_are_within_their_intervals() {
        let found: Vec<VarianceSources> = (0..REPETITIONS).map(|repetition| PLANTED.sources(repetition)).collect();
        let (wordings, both) = (0.00225, 0.0036);
        // What is left of p (1 - p) with p around one half.
        let replies = 0.25 - 0.0256 - wordings * 0.8 - 0.0064 - 0.01 - both;
        let checks: [(&str, f64, fn(&VarianceSources) -> Option<Variance>); 10] = [
            ("items", 0.0256, |it| it.items),
            ("wordings", wordings, |it| it.wordings),
            ("items by wordings", 0.0064, |it| it.items_by_wordings),
            ("orders", 0.01, |it| it.orders),
            ("wordings by orders", both, |it| it.wordings_by_orders),
            ("replies", replies, |it| it.replies),
            ("accuracy by wording", wordings + 0.0064 / 200.0, |it| it.of_accuracy.wording),
            ("accuracy by orders", (0.01 + both) / 200.0, |it| it.of_accuracy.orders),
            ("accuracy by replies", replies / 200.0, |it| it.of_accuracy.replies),
            ("accuracy by items", 0.0256 / 200.0, |it| it.of_accuracy.items),
        ];
        for (name, truth, of) in checks {
            let covering = covering(&found, truth, of);
            assert!(covering >= REPETITIONS * 9 / 10, "{name}: {covering}");
            let mean = found.iter().filter_map(of).map(|it| it.value).sum::<f64>() / REPETITIONS as f64;
            assert!((mean - truth).abs() < truth * 0.15, "{name}: {mean}, planted {truth}");
        }
    }

    #[test]
    fn intervals_of_absent_variances_have_zero() {
        // The items of a story agree on which wording suits them: that is no difference between wordings.
        let wordings = Planted { wordings: &[0.0; 5], shared: true, ..PLANTED };
        let others = Planted { item: 0.0, item_by_wording: 0.0, order: 0.0, wording_by_order: 0.0, ..PLANTED };
        let found: Vec<VarianceSources> = (0..REPETITIONS).map(|repetition| wordings.sources(repetition)).collect();
        assert!(covering(&found, 0.0, |it| it.wordings) >= REPETITIONS * 9 / 10);
        let found: Vec<VarianceSources> = (0..REPETITIONS).map(|repetition| others.sources(repetition)).collect();
        let absent: [fn(&VarianceSources) -> Option<Variance>; 4] =
            [|it| it.items, |it| it.items_by_wordings, |it| it.orders, |it| it.wordings_by_orders];
        for (at, of) in absent.into_iter().enumerate() {
            let covering = covering(&found, 0.0, of);
            assert!(covering >= REPETITIONS * 9 / 10, "{at}: {covering}");
        }
    }

    #[test]
    fn wordings_that_differ_are_told_from_those_that_do_not() {
        let differing = (0..REPETITIONS).filter(|&repetition| PLANTED.p(repetition) < 0.05).count();
        assert!(differing >= REPETITIONS * 19 / 20, "{differing}");
        let alike = Planted { wordings: &[0.0; 5], shared: true, ..PLANTED };
        let found = (0..REPETITIONS).filter(|&repetition| alike.p(repetition) < 0.05).count();
        assert!(found <= REPETITIONS / 10, "{found}");
    }

    #[test]
    fn what_the_design_cannot_tell_is_absent() {
        let answers = [[1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let items: Vec<&[f64]> = answers.iter().map(|answers| answers.as_slice()).collect();
        let of = |wordings, orders, replies, stories: &[usize]| {
            variance_sources(Design { wordings, orders, replies }, &items, stories, seeded(0, "", 0))
        };
        let found = of(1, 2, 1, &[0, 1, 2, 3]).unwrap();
        assert!(found.wordings.is_none() && found.items_by_wordings.is_none() && found.replies.is_none());
        assert!(found.wordings_by_orders.is_none() && found.of_accuracy.wording.is_none());
        // Mean squares: 1 / 3 between items, 1 / 4 within them.
        let variance = |found: Option<Variance>| found.unwrap().value;
        assert!((variance(found.orders) - 0.25).abs() < 1e-12);
        assert!((variance(found.items) - (1.0 / 3.0 - 0.25) / 2.0).abs() < 1e-12);
        assert_eq!(found.orders.unwrap().interval, None, "four stories are few");
        let found = of(2, 1, 1, &[0, 1, 2, 3]).unwrap();
        assert!(found.orders.is_none() && found.wordings.is_some() && found.items_by_wordings.is_some());
        assert_eq!(of(2, 1, 1, &[0; 4]), None);
        assert_eq!(of(2, 2, 1, &[0, 1, 2, 3]), None, "an answer is missing");
        let alike = [[1.0, 1.0], [0.0, 0.0]];
        let alike: Vec<&[f64]> = alike.iter().map(|answers| answers.as_slice()).collect();
        assert_eq!(wordings_p(Design { wordings: 2, orders: 1, replies: 1 }, &alike, &[0, 1], seeded(0, "", 0)), None);
    }
}
