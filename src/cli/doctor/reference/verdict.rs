//! Whether a server's numbers are those of the reference: its moves beside those of the reference against itself in
//! fewer bits.
//!
//! A server may compute in other bits and other kernels than the reference, so its numbers move. How far they may move
//! depends on the model and the texts, so the measure is the reference itself, computed in bf16 and in q4_0: the larger
//! of these two moves is the control. A small model in q4_0 moves further than one with a wrong rotary base does, though:
//! rounding moves all tokens, a lost setting some of them far. So the server is compared with whichever of f32, bf16 and
//! q4_0 it lies nearest to, and their correlation decides as well.
//!
//! Measured on the demo model, texts of 1,700 tokens: another rotary base (10,000 for 100,000) correlates by 0.967 with
//! the nearest, by 0.973 over the next tokens alone; llama.cpp's Q4_0 by 0.9997, its Q4_K_M by 0.992, bf16 by 1.0000.
//! Beside a real llama-server, which gives the hundred likeliest next tokens alone, these few positions correlate less:
//! Q4_0 by 0.998 (short texts) and 0.991 (long ones), Q4_K_M by 0.956 and 0.962, F32 with the other rotary base by 0.928
//! and 0.818. So next tokens have limits of their own.

use serde::Serialize;

/// A server that moves further than this many controls runs something else. Formats of four bits differ from q4_0 by
/// less than a factor of two, of three bits by less than four.
const FAULT_TIMES: f64 = 5.0;

/// A server that moves no further than this many controls runs the reference; between the two it remains open.
const SAME_TIMES: f64 = 2.0;

/// Correlation of log-probabilities with the nearest of the reference's precisions below which a server runs something
/// else. It lies between a wrong rotary base (0.967) and four bits in another format (0.992).
const LEAST_CORRELATION: f64 = 0.98;

/// Correlation from which a server runs the reference; between the two it remains open.
const CLEAR_CORRELATION: f64 = 0.985;

/// The two limits where only the likeliest next tokens are known: between a wrong rotary base on long texts (0.818) and
/// four bits in another format (0.956).
const NEXT_CORRELATIONS: (f64, f64) = (0.9, 0.95);

/// Control moves smaller than this, in nats, count as this: log-probabilities of servers in f32 were measured up to
/// 2.2e-4 nats apart, by the order of their sums alone.
const LEAST_MOVE: f64 = 1e-3;

/// The same for the mean margin of replies, in nats: about one reply in twenty-four that differs where two tokens are
/// half a nat apart.
const LEAST_MARGIN: f64 = 0.02;

/// Fewer values than this decide nothing.
const LEAST_VALUES: usize = 40;

/// Fewer replies than this decide nothing.
const LEAST_REPLIES: usize = 4;

/// Distances of values from those of the reference, in nats.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Moves {
    /// Median of the absolute differences; of replies, of the margins.
    pub median: f64,
    /// Their mean.
    pub mean: f64,
    /// The largest.
    pub largest: f64,
    /// Pearson correlation with the reference; null for replies, and where all values are equal.
    pub correlation: Option<f64>,
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Log-probabilities of all tokens: their median difference counts.
    Values,
    /// The same of the likeliest next tokens alone.
    Next,
    /// Margins of replies at their first difference, 0 without one: their mean counts, since most are 0.
    Replies,
}

/// The conclusion; of several, the last in this order counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The server runs the reference, as far as its numbers tell.
    Same,
    /// It cannot be told.
    Open,
    /// The server runs something else, or runs it wrongly.
    Other,
}

impl Verdict {
    /// Describes the verdict in a word or two.
    pub fn in_words(self) -> &'static str {
        match self {
            Verdict::Same => "same",
            Verdict::Open => "cannot tell",
            Verdict::Other => "other",
        }
    }
}

impl Moves {
    /// Returns the moves from `reference` to `other`, which have the same length; `None` without values.
    pub fn between(reference: &[f32], other: &[f32]) -> Option<Moves> {
        debug_assert_eq!(reference.len(), other.len());
        let pairs = || reference.iter().zip(other).map(|(&one, &other)| (f64::from(one), f64::from(other)));
        let moves = Moves::from_margins(pairs().map(|(one, other)| (one - other).abs()).collect())?;
        Some(Moves { correlation: correlation(pairs()), ..moves })
    }

    /// Returns the moves of margins that are known already; `None` without any.
    pub fn from_margins(mut margins: Vec<f64>) -> Option<Moves> {
        margins.sort_by(f64::total_cmp);
        let largest = *margins.last()?;
        let median = (margins[(margins.len() - 1) / 2] + margins[margins.len() / 2]) / 2.0;
        let mean = margins.iter().sum::<f64>() / margins.len() as f64;
        Some(Moves { median, mean, largest, correlation: None })
    }

    /// Returns the number that counts.
    pub fn typical(&self, kind: Kind) -> f64 {
        match kind {
            Kind::Values | Kind::Next => self.median,
            Kind::Replies => self.mean,
        }
    }
}

/// Judges a server's moves beside those of the controls; `compared` is the number of values or replies.
pub fn judge(kind: Kind, compared: usize, server: &Moves, controls: &[Moves]) -> Verdict {
    let (floor, least) = match kind {
        Kind::Values | Kind::Next => (LEAST_MOVE, LEAST_VALUES),
        Kind::Replies => (LEAST_MARGIN, LEAST_REPLIES),
    };
    let control = controls.iter().map(|moves| moves.typical(kind)).fold(floor, f64::max);
    let times = server.typical(kind) / control;
    let (wrong, clear) = match kind {
        Kind::Next => NEXT_CORRELATIONS,
        Kind::Values | Kind::Replies => (LEAST_CORRELATION, CLEAR_CORRELATION),
    };
    let below = |limit: f64| server.correlation.is_some_and(|correlation| correlation < limit);
    match () {
        () if compared < least => Verdict::Open,
        () if times > FAULT_TIMES || times.is_nan() || below(wrong) => Verdict::Other,
        () if times > SAME_TIMES || below(clear) => Verdict::Open,
        () => Verdict::Same,
    }
}

/// Returns the Pearson correlation of pairs; `None` where one side does not vary.
fn correlation(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> Option<f64> {
    let count = pairs.clone().count() as f64;
    let (sum_x, sum_y) = pairs.clone().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let (xx, yy, xy) = pairs.fold((0.0, 0.0, 0.0), |(xx, yy, xy), (x, y)| {
        let (x, y) = (x - mean_x, y - mean_y);
        (xx + x * x, yy + y * y, xy + x * y)
    });
    let spread = (xx * yy).sqrt();
    (spread > 0.0).then(|| xy / spread)
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Log-probabilities like those of a text: most tokens are likely, some are not.
    fn text(random: &mut ChaCha8Rng, tokens: usize) -> Vec<f32> {
        (0..tokens).map(|_| random.random::<f32>().max(1e-6).ln() * 2.0).collect()
    }

    /// The same with noise of this size, more of it where tokens are less likely.
    fn noisy(random: &mut ChaCha8Rng, of: &[f32], size: f32) -> Vec<f32> {
        of.iter().map(|lp| lp + size * (0.2 + lp.abs()) * (random.random::<f32>() * 2.0 - 1.0)).collect()
    }

    fn verdict(reference: &[f32], server: &[f32], controls: [&[f32]; 2]) -> Verdict {
        let moves = |other: &[f32]| Moves::between(reference, other).unwrap();
        judge(Kind::Values, reference.len(), &moves(server), &controls.map(moves))
    }

    #[test]
    fn noise_of_the_controls_size_is_never_a_fault_and_shifts_always_are() {
        for seed in 0..200 {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let reference = text(&mut random, 400);
            let (bf16, q4_0) = (noisy(&mut random, &reference, 0.005), noisy(&mut random, &reference, 0.1));
            for size in [0.0, 0.0001, 0.005, 0.1] {
                let server = noisy(&mut random, &reference, size);
                assert_eq!(verdict(&reference, &server, [&bf16, &q4_0]), Verdict::Same, "{seed} {size}");
            }
            let between: Vec<f32> = reference.iter().map(|lp| lp - 0.2).collect();
            assert_eq!(verdict(&reference, &between, [&bf16, &q4_0]), Verdict::Open, "{seed}");
            let shifted: Vec<f32> = reference.iter().map(|lp| lp - 0.8).collect();
            assert_eq!(verdict(&reference, &shifted, [&bf16, &q4_0]), Verdict::Other, "{seed}");
            let unrelated = text(&mut random, 400);
            assert_eq!(verdict(&reference, &unrelated, [&bf16, &q4_0]), Verdict::Other, "{seed}");
        }
    }

    #[test]
    fn a_few_tokens_that_are_quite_wrong_show_in_the_correlation() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let reference = text(&mut random, 1000);
        let control = noisy(&mut random, &reference, 0.05);
        let mut server = noisy(&mut random, &reference, 0.05);
        server.iter_mut().step_by(12).for_each(|lp| *lp -= 6.0);
        let moves = Moves::between(&reference, &server).unwrap();
        assert!(moves.median < 0.2 && moves.correlation.unwrap() < 0.95, "{moves:?}");
        assert_eq!(verdict(&reference, &server, [&control, &control]), Verdict::Other);
    }

    #[test]
    fn a_correlation_between_the_limits_is_left_open() {
        let judged = |kind: Kind, correlation: f64| {
            let moves = Moves { median: 0.1, mean: 0.2, largest: 3.0, correlation: Some(correlation) };
            judge(kind, 1000, &moves, &[moves])
        };
        let all = |correlation: f64| judged(Kind::Values, correlation);
        assert_eq!([0.975, 0.982, 0.99].map(all), [Verdict::Other, Verdict::Open, Verdict::Same]);
        // As found of llama-server: F32 with another rotary base on long and short texts, then Q4_K_M and Q4_0.
        let next = |correlation: f64| judged(Kind::Next, correlation);
        let expected = [Verdict::Other, Verdict::Open, Verdict::Same, Verdict::Same];
        assert_eq!([0.8179, 0.9277, 0.9561, 0.9905].map(next), expected);
    }

    #[test]
    fn few_values_decide_nothing_and_equal_ones_correlate_with_nothing() {
        let few = vec![-1.0; LEAST_VALUES - 1];
        assert_eq!(verdict(&few, &few, [&few, &few]), Verdict::Open);
        assert_eq!(Moves::between(&few, &few).unwrap().correlation, None);
        assert_eq!(Moves::between(&[], &[]), None);
    }

    #[test]
    fn replies_are_judged_by_their_mean_margin() {
        let judged = |server: &[f64], control: &[f64]| {
            let moves = |margins: &[f64]| Moves::from_margins(margins.to_vec()).unwrap();
            judge(Kind::Replies, server.len(), &moves(server), &[moves(control)])
        };
        let none = [0.0; 8];
        assert_eq!(judged(&none, &none), Verdict::Same);
        assert_eq!(judged(&[0.0, 0.0, 0.1, 0.0, 0.0, 0.2, 0.0, 0.0], &none), Verdict::Same);
        assert_eq!(
            judged(&[0.0, 2.0, 0.1, 0.0, 0.0, 3.0, 0.0, 0.9], &[0.0, 0.0, 0.1, 0.3, 0.0, 0.0, 0.0, 0.0]),
            Verdict::Other
        );
        assert_eq!(judged(&[0.0; 3], &none), Verdict::Open);
    }
}
