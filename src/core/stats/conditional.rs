//! Conditional logistic regression on one covariate.
//!
//! Within a stratum of n cases of which m are right, the chance that just these are right, given m, is
//!
//! ```text
//! exp(slope * sum of x over the right ones) / sum over all sets of m cases of exp(slope * sum of x over the set)
//! ```
//!
//! so that whatever makes a stratum easy or hard cancels (Cox 1970; Breslow and Day 1980, section 7.2). The sums over sets are
//! elementary symmetric functions of exp(slope x), built up case by case with their first two derivatives (Gail, Lubin and
//! Rubinstein 1981). The likelihood is concave, and is maximised by Newton's method. Its standard error is cluster-robust: the
//! scores of strata are summed by story (Liang and Zeger 1986), with the correction G / (G - 1) for G stories; quantiles are
//! Student's t with G - 1 degrees of freedom, as for [`super::clustered_mean`].

use super::student::{exceeded_by, upper_tail};

/// Least number of stories with strata that tell something.
pub const FEWEST_STORIES_OF_SLOPE: usize = 10;

/// Cases that are compared with each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Stratum {
    /// Number of its story.
    pub story: usize,
    /// The covariate of each case, and whether it is right.
    pub cases: Vec<(f64, bool)>,
}

impl Stratum {
    /// Whether it tells something: it has right and wrong cases, and different values.
    pub fn tells(&self) -> bool {
        let right = self.cases.iter().filter(|(_, right)| *right).count();
        (1..self.cases.len()).contains(&right) && self.cases.iter().any(|(value, _)| *value != self.cases[0].0)
    }
}

/// A fitted regression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConditionalLogit {
    /// Change in the log-odds of a right case by one unit of the covariate, within a stratum.
    pub slope: f64,
    /// Its cluster-robust standard error.
    pub standard_error: f64,
    /// Its standard error if strata were independent.
    pub model_error: f64,
    /// Strata with right and wrong cases.
    pub strata: usize,
    /// Number of their stories.
    pub stories: usize,
}

/// Why a slope cannot be estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSlope {
    /// Strata with right and wrong cases, and different values of the covariate, are of too few stories.
    FewStories {
        /// Their number.
        stories: usize,
    },
    /// In every stratum, the right cases are those with the highest values (or the lowest): the estimate is infinite.
    Separated {
        /// Whether it is those with the highest.
        rising: bool,
    },
    /// The scores of all stories are the same, so that their variation is unknown.
    NoVariation,
}

impl ConditionalLogit {
    /// 95 % interval of the slope.
    pub fn interval(&self) -> (f64, f64) {
        let half = exceeded_by(0.025, self.stories as f64 - 1.0) * self.standard_error;
        (self.slope - half, self.slope + half)
    }

    /// Two-sided p-value of the test that the slope is zero.
    pub fn p_value(&self) -> f64 {
        2.0 * upper_tail((self.slope / self.standard_error).abs(), self.stories as f64 - 1.0)
    }
}

/// Fits the regression. Strata whose cases are all right, all wrong, or all of one value tell nothing, and are left out.
pub fn conditional_logit(strata: &[Stratum]) -> Result<ConditionalLogit, NoSlope> {
    let told: Vec<(usize, Centred)> =
        strata.iter().filter(|it| it.tells()).map(|it| (it.story, Centred::new(&it.cases))).collect();
    let mut numbers: Vec<usize> = told.iter().map(|(story, _)| *story).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let stories = numbers.len();
    if stories < FEWEST_STORIES_OF_SLOPE {
        return Err(NoSlope::FewStories { stories });
    }
    for rising in [true, false] {
        if told.iter().all(|(_, stratum)| stratum.is_extreme(rising)) {
            return Err(NoSlope::Separated { rising });
        }
    }
    let slope = maximum(&told);
    let mut scores = vec![0.0; stories];
    let mut information = 0.0;
    for (story, stratum) in &told {
        let at = stratum.at(slope);
        scores[numbers.binary_search(story).unwrap_or_default()] += at.score;
        information += at.information;
    }
    let groups = stories as f64;
    let squares: f64 = scores.iter().map(|score| score * score).sum();
    let standard_error = (groups / (groups - 1.0) * squares).sqrt() / information;
    if !standard_error.is_finite() || standard_error <= 0.0 {
        return Err(NoSlope::NoVariation);
    }
    Ok(ConditionalLogit { slope, standard_error, model_error: information.sqrt().recip(), strata: told.len(), stories })
}

/// The slope of the highest likelihood, which exists.
fn maximum(strata: &[(usize, Centred)]) -> f64 {
    const MOST_STEPS: usize = 200;
    let at = |slope: f64| {
        strata.iter().map(|(_, stratum)| stratum.at(slope)).fold(At::default(), |sum, at| At {
            likelihood: sum.likelihood + at.likelihood,
            score: sum.score + at.score,
            information: sum.information + at.information,
        })
    };
    let (mut slope, mut now) = (0.0, at(0.0));
    for _ in 0..MOST_STEPS {
        let mut step = now.score / now.information;
        // A step that overshoots is halved.
        let (next, there) = loop {
            let there = at(slope + step);
            if there.likelihood >= now.likelihood - 1e-12 * now.likelihood.abs() || step.abs() < 1e-14 {
                break (slope + step, there);
            }
            step /= 2.0;
        };
        (slope, now) = (next, there);
        if step.abs() < 1e-12 * slope.abs().max(1.0) {
            break;
        }
    }
    slope
}

/// A stratum that tells something: values minus their mean, which cancels.
struct Centred {
    /// Ascending.
    values: Vec<f64>,
    /// Number of right cases, and the sum of their values.
    right: usize,
    sum: f64,
}

/// Logarithm of a stratum's conditional likelihood, its derivative, and minus its second derivative.
#[derive(Default)]
struct At {
    likelihood: f64,
    score: f64,
    information: f64,
}

impl Centred {
    fn new(cases: &[(f64, bool)]) -> Centred {
        let right = cases.iter().filter(|(_, right)| *right).count();
        let mean = cases.iter().map(|(value, _)| value).sum::<f64>() / cases.len() as f64;
        let sum = cases.iter().filter(|(_, right)| *right).map(|(value, _)| value - mean).sum();
        let mut values: Vec<f64> = cases.iter().map(|(value, _)| value - mean).collect();
        values.sort_unstable_by(f64::total_cmp);
        Centred { values, right, sum }
    }

    /// Whether no other set of as many cases has a higher (or lower) sum.
    fn is_extreme(&self, rising: bool) -> bool {
        let (low, high) = (&self.values[..self.right], &self.values[self.values.len() - self.right..]);
        let extreme: f64 = if rising { high } else { low }.iter().sum();
        (extreme - self.sum).abs() <= 1e-9 * (1.0 + extreme.abs())
    }

    fn at(&self, slope: f64) -> At {
        /// Numbers of this size are scaled down.
        const LARGE: f64 = 1e100;
        // Weights are relative to those at the edge of the likeliest set, so that its size has the largest sums.
        let at = if slope < 0.0 { self.right } else { self.values.len() - self.right };
        let edge = slope * (self.values[at - 1] + self.values[at]) / 2.0;
        // For sets of k cases: the sum of exp(slope * sum of x), and its first and second derivative.
        let mut sums = vec![[0.0; 3]; self.right + 1];
        sums[0][0] = 1.0;
        let mut scale = 0.0;
        for (seen, &x) in self.values.iter().enumerate() {
            let weight = (slope * x - edge).exp();
            for k in (1..=self.right.min(seen + 1)).rev() {
                let [value, first, second] = sums[k - 1];
                let with = [value, first + x * value, second + 2.0 * x * first + x * x * value];
                sums[k].iter_mut().zip(with).for_each(|(sum, with)| *sum += weight * with);
            }
            let largest = sums.iter().map(|[value, ..]| *value).fold(0.0, f64::max);
            if largest > LARGE {
                sums.iter_mut().flatten().for_each(|sum| *sum /= largest);
                scale += largest.ln();
            }
        }
        let [value, first, second] = sums[self.right];
        let mean = first / value;
        At {
            likelihood: slope * self.sum - edge * self.right as f64 - value.ln() - scale,
            score: self.sum - mean,
            information: second / value - mean * mean,
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;
    use crate::seed::seeded;

    #[test]
    fn the_likelihood_is_that_of_all_sets() {
        let mut random = seeded(0, "sets", 0);
        for size in 2..9 {
            let mut cases: Vec<(f64, bool)> =
                (0..size).map(|_| (random.random_range(0.0..9.0), random.random_bool(0.5))).collect();
            (cases[0].1, cases[1].1) = (true, false);
            let stratum = Centred::new(&cases);
            let x = |at: usize| cases[at].0;
            for slope in [-3.0, -0.4, 0.0, 1.7] {
                let (mut total, mut first, mut second) = (0.0, 0.0, 0.0);
                for set in (0u32..1 << size).filter(|set| set.count_ones() as usize == stratum.right) {
                    let sum: f64 = (0..size).filter(|at| set >> at & 1 == 1).map(x).sum();
                    let weight = (slope * sum).exp();
                    total += weight;
                    first += weight * sum;
                    second += weight * sum * sum;
                }
                let right: f64 = cases.iter().filter(|(_, right)| *right).map(|(x, _)| x).sum();
                let found = stratum.at(slope);
                let expected =
                    [slope * right - total.ln(), right - first / total, second / total - (first / total).powi(2)];
                for (found, expected) in [found.likelihood, found.score, found.information].iter().zip(expected) {
                    assert!((found - expected).abs() < 1e-8, "{size} {slope}: {found}, {expected}");
                }
            }
        }
        // Hundreds of cases and steep slopes neither overflow nor vanish.
        let many: Vec<(f64, bool)> = (0..900).map(|at| (f64::from(at % 13), at % 2 == 0)).collect();
        for slope in [-40.0, 0.0, 40.0] {
            let at = Centred::new(&many).at(slope);
            assert!(at.likelihood.is_finite() && at.score.is_finite() && at.information.is_finite());
        }
    }

    #[test]
    fn what_cannot_be_estimated_is_said() {
        let stratum = |story: usize, right: [bool; 4]| Stratum {
            story,
            cases: right.iter().enumerate().map(|(at, &right)| (at as f64, right)).collect(),
        };
        let all = |right: [bool; 4]| (0..12).map(|story| stratum(story, right)).collect::<Vec<_>>();
        assert_eq!(conditional_logit(&all([false, false, true, true])), Err(NoSlope::Separated { rising: true }));
        assert_eq!(conditional_logit(&all([true, false, false, false])), Err(NoSlope::Separated { rising: false }));
        // One set that is not the extreme one makes the estimate finite.
        let mut mixed = all([false, false, true, true]);
        mixed[0] = stratum(0, [true, false, false, true]);
        let found = conditional_logit(&mixed).unwrap();
        assert!(found.slope > 1.0 && found.slope < 20.0 && found.strata == 12, "{found:?}");
        assert_eq!(conditional_logit(&all([true; 4])), Err(NoSlope::FewStories { stories: 0 }));
        assert_eq!(conditional_logit(&mixed[..9]), Err(NoSlope::FewStories { stories: 9 }));
        let level = (0..12).map(|story| Stratum { story, cases: vec![(3.0, true), (3.0, false)] }).collect::<Vec<_>>();
        assert_eq!(conditional_logit(&level), Err(NoSlope::FewStories { stories: 0 }));
    }
}
