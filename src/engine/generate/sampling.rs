//! From logits to the next token.
//!
//! The order follows transformers: repetition penalty, temperature, top-k, top-p, min-p, then the draw. Logits are f32
//! from the decoder; all later computation is f64.

use rand::Rng;

use super::thinking::ThinkingBudget;
use crate::decoder::argmax;

/// Sampling settings and stop conditions.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampling {
    /// Divisor of the logits; at 0 the likeliest token is chosen, on ties the one with the lower id, and the filters
    /// below have no effect.
    pub temperature: f64,
    /// Keep the likeliest tokens that together reach this probability, including the one that reaches it; 1 keeps all.
    pub top_p: f64,
    /// Keep this many of the likeliest tokens, and ties with the last of them.
    pub top_k: Option<usize>,
    /// Keep tokens at least this likely, relative to the likeliest one's probability; 0 keeps all.
    pub min_p: f64,
    /// Logits of tokens already in the prompt or reply are divided by it if positive and multiplied if negative (Keskar
    /// et al. 2019, "CTRL", section 4.1); 1 has no effect.
    pub repetition_penalty: f64,
    /// Seed of all draws. A reply depends on it and on its request's key and sample, never on other draws.
    pub seed: u64,
    /// Tokens that end a reply; they are not part of it.
    pub stop: Vec<u32>,
    /// Texts that end a reply, which need a tokenizer; the reply's text ends before them.
    pub stop_strings: Vec<String>,
    /// Thinking sections, if the model has them.
    pub thinking: Option<ThinkingBudget>,
}

/// A sampling setting out of range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{setting} is {value}, but must be {range}")]
pub struct SamplingFault {
    pub setting: &'static str,
    /// Its value.
    pub value: f64,
    /// Its range.
    pub range: &'static str,
}

/// Tokens this much less likely than the likeliest, in natural log, are left out of a draw: at 53 bits, no random
/// number falls within their share.
const FAINT: f64 = 40.0;

/// A candidate token.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Candidate {
    token: u32,
    /// Log-probability minus that of the likeliest.
    below: f64,
}

impl Sampling {
    /// Always the likeliest token, until a stop token.
    pub fn greedy(stop: Vec<u32>) -> Sampling {
        Sampling {
            temperature: 0.0,
            top_p: 1.0,
            top_k: None,
            min_p: 0.0,
            repetition_penalty: 1.0,
            seed: 0,
            stop,
            stop_strings: Vec::new(),
            thinking: None,
        }
    }

    /// Whether the likeliest token is always chosen, so that samples of one prompt are equal.
    pub fn is_greedy(&self) -> bool {
        self.temperature == 0.0 || self.top_k == Some(1)
    }

    /// Whether the next token is the argmax of the raw logits, so that nothing else of them is needed.
    pub(super) fn takes_likeliest(&self) -> bool {
        self.temperature == 0.0 && self.repetition_penalty == 1.0
    }

    /// Checks that all settings are in range.
    pub fn check(&self) -> Result<(), SamplingFault> {
        let fault = |setting, value, range| Err(SamplingFault { setting, value, range });
        if !(self.temperature >= 0.0 && self.temperature.is_finite()) {
            return fault("the temperature", self.temperature, "a finite number of at least 0");
        }
        if !(self.top_p > 0.0 && self.top_p <= 1.0) {
            return fault("top-p", self.top_p, "above 0 and at most 1");
        }
        if !(self.min_p >= 0.0 && self.min_p <= 1.0) {
            return fault("min-p", self.min_p, "from 0 to 1");
        }
        if !(self.repetition_penalty > 0.0 && self.repetition_penalty.is_finite()) {
            return fault("the repetition penalty", self.repetition_penalty, "above 0");
        }
        if self.top_k == Some(0) {
            return fault("top-k", 0.0, "at least 1; leave it out to keep all tokens");
        }
        if self.stop_strings.iter().any(String::is_empty) {
            return fault("the length of a stop string", 0.0, "at least 1");
        }
        if let Some(thinking) = &self.thinking
            && thinking.budget.is_some()
            && thinking.forced.is_empty()
        {
            return fault("the number of tokens that close a thinking section", 0.0, "at least 1");
        }
        Ok(())
    }

    /// Draws the next token; `seen` are the distinct tokens of the text before it. `None` if the logits are not finite.
    pub(super) fn next(&self, logits: &mut [f32], seen: &[u32], random: &mut impl Rng) -> Option<u32> {
        if self.repetition_penalty != 1.0 {
            for &token in seen {
                if let Some(logit) = logits.get_mut(token as usize) {
                    let value = f64::from(*logit);
                    let penalty = self.repetition_penalty;
                    *logit = if value < 0.0 { value * penalty } else { value / penalty } as f32;
                }
            }
        }
        let (likeliest, largest) = argmax(logits)?;
        if self.temperature == 0.0 {
            return Some(likeliest);
        }
        let mut candidates = self.candidates(logits, largest);
        self.filter(&mut candidates);
        let weights = candidates.iter().map(|candidate| candidate.below.exp());
        let mut left = random.random::<f64>() * weights.clone().sum::<f64>();
        for (candidate, weight) in candidates.iter().zip(weights) {
            left -= weight;
            if left < 0.0 {
                return Some(candidate.token);
            }
        }
        // Rounding can leave a small remainder.
        candidates.last().map(|candidate| candidate.token)
    }

    /// Tokens likely enough to be drawn, in the order of their ids.
    fn candidates(&self, logits: &[f32], largest: f32) -> Vec<Candidate> {
        let least = f64::from(largest) - FAINT * self.temperature;
        let candidate = |(token, &logit): (usize, &f32)| {
            let logit = f64::from(logit);
            let below = (logit - f64::from(largest)) / self.temperature;
            (logit >= least).then_some(Candidate { token: token as u32, below })
        };
        logits.iter().enumerate().filter_map(candidate).collect()
    }

    /// Applies top-k, top-p and min-p, in that order.
    fn filter(&self, candidates: &mut Vec<Candidate>) {
        if let Some(most) = self.top_k.filter(|most| (1..candidates.len()).contains(most)) {
            let mut likeliest: Vec<f64> = candidates.iter().map(|candidate| candidate.below).collect();
            let (_, &mut last, _) = likeliest.select_nth_unstable_by(most - 1, |one, other| other.total_cmp(one));
            candidates.retain(|candidate| candidate.below >= last);
        }
        if self.top_p < 1.0 {
            let total: f64 = candidates.iter().map(|candidate| candidate.below.exp()).sum();
            let last = last_within(candidates, self.top_p * total);
            candidates.retain(|candidate| !likelier(&last, candidate));
        }
        if self.min_p > 0.0 {
            let least = self.min_p.ln();
            candidates.retain(|candidate| candidate.below >= least);
        }
    }
}

/// Whether `one` comes before `other`: likelier, or as likely with a lower id.
fn likelier(one: &Candidate, other: &Candidate) -> bool {
    order(one, other).is_lt()
}

fn order(one: &Candidate, other: &Candidate) -> std::cmp::Ordering {
    other.below.total_cmp(&one.below).then(one.token.cmp(&other.token))
}

/// The candidate at which the cumulative weight, by descending likelihood, reaches `share`. Only as many as needed are
/// sorted.
fn last_within(candidates: &[Candidate], share: f64) -> Candidate {
    const FIRST: usize = 64;
    let mut sorted = candidates.to_vec();
    let mut among = FIRST;
    loop {
        let whole = among >= sorted.len();
        if !whole {
            sorted.select_nth_unstable_by(among - 1, order);
        }
        let head_len = among.min(sorted.len());
        let head = &mut sorted[..head_len];
        head.sort_unstable_by(order);
        let mut sum = 0.0;
        for candidate in head.iter() {
            sum += candidate.below.exp();
            if sum >= share {
                return *candidate;
            }
        }
        if whole {
            return head[head.len() - 1];
        }
        among *= 8;
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{Device, Tensor};
    use candle_transformers::generation::{LogitsProcessor, Sampling as Reference};

    use super::*;
    use crate::seed::seeded;

    const LOGITS: [f32; 12] = [1.0, -0.5, 2.2, 0.3, 2.0, -3.0, 0.9, 1.4, -1.0, 0.0, 1.9, -7.0];

    fn drawing(temperature: f64) -> Sampling {
        Sampling { temperature, ..Sampling::greedy(Vec::new()) }
    }

    fn kept(sampling: &Sampling, logits: &[f32]) -> Vec<u32> {
        let (_, largest) = argmax(logits).unwrap();
        let mut candidates = sampling.candidates(logits, largest);
        sampling.filter(&mut candidates);
        candidates.iter().map(|candidate| candidate.token).collect()
    }

    const DRAWS: usize = 20_000;

    fn shares(mut draw: impl FnMut() -> u32) -> Vec<f64> {
        let mut counts = vec![0.0; LOGITS.len()];
        (0..DRAWS).for_each(|_| counts[draw() as usize] += 1.0 / DRAWS as f64);
        counts
    }

    #[test]
    fn draws_are_those_of_candle_where_it_defines_the_same() {
        // After top-k, candle applies top-p to all tokens, transformers to the remaining ones.
        let cases = [
            (drawing(0.7), Reference::All { temperature: 0.7 }),
            (drawing(1.3), Reference::All { temperature: 1.3 }),
            (Sampling { top_k: Some(4), ..drawing(0.7) }, Reference::TopK { k: 4, temperature: 0.7 }),
            (Sampling { top_p: 0.8, ..drawing(0.7) }, Reference::TopP { p: 0.8, temperature: 0.7 }),
        ];
        for (ours, reference) in cases {
            let mut random = seeded(1, "draws", 0);
            let found = shares(|| ours.next(&mut LOGITS.to_vec(), &[], &mut random).unwrap());
            let mut theirs = LogitsProcessor::from_sampling(1, reference.clone());
            let logits = Tensor::new(&LOGITS, &Device::Cpu).unwrap();
            let expected = shares(|| theirs.sample(&logits).unwrap());
            for (token, (found, expected)) in found.iter().zip(&expected).enumerate() {
                // Both are counts, hence five standard errors of their difference.
                let spread = (2.0 * expected.max(1.0 / DRAWS as f64) / DRAWS as f64).sqrt();
                assert!((found - expected).abs() <= 5.0 * spread, "{ours:?}: token {token}, {found} and {expected}");
                let rare = expected * (DRAWS as f64) < 20.0;
                assert!(rare || (*found > 0.0) == (*expected > 0.0), "{ours:?}: token {token}");
            }
        }
    }

    #[test]
    fn the_likeliest_token_is_candle_s_and_the_first_of_equals() {
        let mut theirs = LogitsProcessor::from_sampling(1, Reference::ArgMax);
        let expected = theirs.sample(&Tensor::new(&LOGITS, &Device::Cpu).unwrap()).unwrap();
        let greedy = |logits: &[f32]| drawing(0.0).next(&mut logits.to_vec(), &[], &mut seeded(0, "", 0));
        assert_eq!(greedy(&LOGITS), Some(expected));
        let mut equal = vec![0.0; 40];
        (equal[7], equal[30], equal[39]) = (1.0, 1.0, 1.0);
        assert_eq!(greedy(&equal), Some(7));
        (equal[7], equal[30]) = (0.0, 0.0);
        assert_eq!(greedy(&equal), Some(39));
    }

    #[test]
    fn the_penalty_is_candle_s() {
        let seen = [2u32, 4, 5, 11];
        let logits = Tensor::new(&LOGITS, &Device::Cpu).unwrap();
        let expected: Vec<f32> =
            candle_transformers::utils::apply_repeat_penalty(&logits, 1.3, &seen).unwrap().to_vec1().unwrap();
        let mut found = LOGITS.to_vec();
        let penalised = Sampling { repetition_penalty: 1.3, ..drawing(0.0) };
        assert_eq!(penalised.next(&mut found, &seen, &mut seeded(0, "", 0)), Some(10));
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }

    #[test]
    fn filters_keep_what_transformers_keeps() {
        // Probabilities 0.4, 0.3, 0.2, 0.1 in the order of tokens 2, 0, 3, 1.
        let logits: Vec<f32> = [0.3f32, 0.1, 0.4, 0.2].iter().map(|p| p.ln()).collect();
        let check =
            |sampling: Sampling, expected: &[u32]| assert_eq!(kept(&sampling, &logits), expected, "{sampling:?}");
        check(drawing(1.0), &[0, 1, 2, 3]);
        check(Sampling { top_k: Some(2), ..drawing(1.0) }, &[0, 2]);
        check(Sampling { top_p: 0.6, ..drawing(1.0) }, &[0, 2]);
        check(Sampling { top_p: 0.75, ..drawing(1.0) }, &[0, 2, 3]);
        check(Sampling { top_p: 0.01, ..drawing(1.0) }, &[2]);
        check(Sampling { min_p: 0.45, ..drawing(1.0) }, &[0, 2, 3]);
        check(Sampling { min_p: 0.6, ..drawing(1.0) }, &[0, 2]);
        // Top-p applies to what top-k left: 0.4 and 0.3 become 0.57 and 0.43.
        check(Sampling { top_k: Some(2), top_p: 0.55, ..drawing(1.0) }, &[2]);
        // The temperature comes first: at one half, shares are 16, 9, 4 and 1 of 30.
        check(Sampling { top_p: 0.8, ..drawing(0.5) }, &[0, 2]);
        // Tokens as likely as the last one kept are kept.
        assert_eq!(kept(&Sampling { top_k: Some(2), ..drawing(1.0) }, &[1.0, 2.0, 1.0, 0.0]), [0, 1, 2]);
    }

    #[test]
    fn top_p_is_the_same_however_many_tokens_are_sorted() {
        let logits: Vec<f32> = (0..5000).map(|at| ((at * 7919 % 5003) as f32 / 2500.0).sin()).collect();
        for share in [0.02, 0.1, 0.5, 0.99] {
            let sampling = Sampling { top_p: share, ..drawing(1.0) };
            let (_, largest) = argmax(&logits).unwrap();
            let mut all = sampling.candidates(&logits, largest);
            all.sort_by(order);
            let total: f64 = all.iter().map(|candidate| candidate.below.exp()).sum();
            let mut sum = 0.0;
            let mut expected: Vec<u32> = Vec::new();
            for candidate in &all {
                if sum >= share * total {
                    break;
                }
                sum += candidate.below.exp();
                expected.push(candidate.token);
            }
            expected.sort_unstable();
            assert_eq!(kept(&sampling, &logits), expected, "{share}");
        }
    }

    #[test]
    fn logits_that_are_no_numbers_draw_nothing() {
        let mut random = seeded(0, "", 0);
        for (at, broken) in [(3, f32::NAN), (20, f32::NAN), (33, f32::INFINITY)] {
            let mut logits = vec![0.5; 35];
            logits[at] = broken;
            assert_eq!(drawing(1.0).next(&mut logits.clone(), &[], &mut random), None);
            assert_eq!(drawing(0.0).next(&mut logits, &[], &mut random), None);
        }
        assert_eq!(drawing(0.0).next(&mut [f32::NEG_INFINITY; 3], &[], &mut random), None);
        assert_eq!(drawing(1.0).next(&mut [f32::NEG_INFINITY, 1.0], &[], &mut random), Some(1));
    }

    #[test]
    fn settings_that_draw_nothing_are_refused() {
        let good = || drawing(0.7);
        assert_eq!(good().check(), Ok(()));
        for (bad, rendered) in [
            (Sampling { temperature: -1.0, ..good() }, "temperature"),
            (Sampling { temperature: f64::NAN, ..good() }, "temperature"),
            (Sampling { top_p: 0.0, ..good() }, "top-p"),
            (Sampling { top_p: 1.1, ..good() }, "top-p"),
            (Sampling { min_p: 2.0, ..good() }, "min-p"),
            (Sampling { top_k: Some(0), ..good() }, "top-k"),
            (Sampling { repetition_penalty: 0.0, ..good() }, "penalty"),
            (Sampling { stop_strings: vec![String::new()], ..good() }, "stop string"),
        ] {
            let fault = bad.check().unwrap_err().to_string();
            assert!(fault.contains(rendered), "{fault}");
        }
    }
}
