//! Deletion check: does the choice depend on the words that the model attends to? These words are left out
//! (comprehensiveness) or kept alone (sufficiency; both DeYoung et al. 2020, ERASER), and compared with many random
//! word sets.
//!
//! Attention alone is no explanation (Jain and Wallace 2019). The measure is the choice: the log-odds of the chosen
//! option among the options shown. The total probability of all labels, which changes with any edit of the text, is
//! reported separately.
//!
//! Random sets have as many word types as the tested one, nearly as many tokens, and other matched properties on
//! request (see [`WordSets`]). p comes from a Monte Carlo test that stops early once [`EXCEEDING`] random sets have
//! reached the tested one (Besag and Clifford 1991, "Sequential Monte Carlo p-values"): then p is their number over the
//! number of draws, with a standard error of at most a third of p; otherwise it is one more than their number over one
//! more than all draws. It is exact for any number of draws, and equals the p without early stopping wherever that is
//! below `EXCEEDING` over that number. The test never stops by the clock or because p is small.

use std::collections::HashMap;

use super::keywords::Keyword;
use super::stopwords::is_stop_word;
use super::word_sets::{Match, WordSets, WordType};
use crate::answer::softmax;
use crate::attend::prompts::{AnnotatedPrompt, Merge, WordIx};
use crate::stats::{middle_95, quantile};

/// Number of random sets that must reach the tested one to end a test early.
pub const EXCEEDING: usize = 10;

/// Draws that are always made and that the statistics of random words cover: this many or a quarter of all, whichever
/// is more.
const DESCRIBING: usize = 50;

/// Batch size of later draws. No result depends on it.
const AT_ONCE: usize = 25;

/// The model's preferences among the options after a prompt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// Log-odds of the chosen option among the options shown, nats.
    pub log_odds: f64,
    /// Its probability among them.
    pub probability: f64,
    /// Probability of all their labels together.
    pub label_mass: f64,
    /// The likeliest option; the first on ties.
    best: usize,
}

impl Outcome {
    /// Whether the likeliest option differs from that in `whole`.
    pub fn differs_from(&self, whole: Outcome) -> bool {
        self.best != whole.best
    }

    /// Creates an outcome from the log-likelihoods of at least two labels, of which `chosen` is one.
    pub fn new(logprobs: &[f64], chosen: usize) -> Option<Outcome> {
        let own = *logprobs.get(chosen)?;
        let others: Vec<f64> = (0..logprobs.len()).filter(|&at| at != chosen).map(|at| logprobs[at]).collect();
        let highest = others.iter().copied().reduce(f64::max)?;
        let rest = highest + others.iter().map(|other| (other - highest).exp()).sum::<f64>().ln();
        let best = (0..logprobs.len()).fold(0, |best, at| if logprobs[at] > logprobs[best] { at } else { best });
        Some(Outcome {
            log_odds: own - rest,
            probability: softmax(logprobs)[chosen],
            label_mass: logprobs.iter().map(|logprob| logprob.exp()).sum(),
            best,
        })
    }
}

/// Effect of a random set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draw {
    /// Fall of the log-odds, nats.
    pub fall: f64,
    /// Whether the likeliest option differs from that for the whole prompt.
    pub flips: bool,
}

/// Effect of one change of the prompt on the choice, compared with the same change for random words.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// The outcome after the change.
    pub outcome: Outcome,
    /// Fall of the log-odds, nats: whole prompt minus changed prompt.
    pub fall: f64,
    /// Whether another option becomes the likeliest.
    pub flips: bool,
    /// Random sets in the order of their draws.
    pub random: Vec<Draw>,
    /// Number of these, from the first, that the statistics of random words cover. It does not depend on their effects.
    pub described: usize,
    /// Mean fall of these.
    pub mean: f64,
    /// Middle 95 % of their falls.
    pub interval: (f64, f64),
    /// The fall that only 5 % of these reach: the size an effect needs to stand out.
    pub rare: f64,
    /// One-sided p value.
    pub p: f64,
    /// The smallest possible p.
    pub smallest_p: f64,
    /// Draws that p is based on: all, or those up to the one that ended the test. The statistics of random words may
    /// cover more.
    pub counted: usize,
    /// Whether the test ended before all draws were made.
    pub ended_early: bool,
}

impl Effect {
    /// Random sets among those covered that make another option the likeliest.
    pub fn random_flips(&self) -> usize {
        self.random[..self.described].iter().filter(|draw| draw.flips).count()
    }
}

/// Result of a deletion check.
#[derive(Debug, Clone, PartialEq)]
pub struct Deletion {
    /// The outcome for the whole prompt.
    pub whole: Outcome,
    /// Word types tested.
    pub types: usize,
    /// Their occurrences.
    pub occurrences: usize,
    /// Their tokens.
    pub tokens: f64,
    /// Mean number of tokens of random sets.
    pub random_tokens: f64,
    /// Mean number of tested word types in random sets; if it is near all of them, the check has little power.
    pub shared: f64,
    /// Without these words. A large fall supports them.
    pub without: Effect,
    /// With no other words of the scope. A small fall supports them.
    pub only: Effect,
}

/// Plan of a deletion check.
#[derive(Debug, Clone, Copy)]
pub struct DeletionPlan<'a> {
    /// All words of the scope, in ranked order.
    pub words: &'a [Keyword],
    /// Indices of the tested words.
    pub tested: &'a [usize],
    /// Properties matched by random sets besides the number of word types.
    pub matching: &'a [Match],
    /// Most random draws of a test, at least 1.
    pub draws: usize,
    /// Seed of the run.
    pub seed: u64,
    /// Id of the item and the tested words. Together with the seed and the draw's number it determines the draw.
    pub key: &'a str,
}

/// Whether large or small falls support the tested words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Telling {
    Large,
    Small,
}

/// Runs the check. `score` gives the outcome after each of several prompts.
///
/// `Ok(None)` when nothing can be tested: no draws, no words to test, or no other words.
pub fn deletion<E>(
    prompt: &AnnotatedPrompt,
    plan: DeletionPlan<'_>,
    score: impl FnMut(&[String]) -> Result<Vec<Outcome>, E>,
) -> Result<Option<Deletion>, E> {
    let types = word_types(prompt, plan.words);
    let Some(sets) = WordSets::like(&types, plan.tested, plan.matching).filter(|_| plan.draws > 0) else {
        return Ok(None);
    };
    let mut scores = Scores { known: HashMap::new(), score };
    let whole = scores.of(&[prompt.text().to_string()])?[0];
    let draws: Vec<Vec<usize>> = (0..plan.draws).map(|draw| sets.draw(plan.seed, plan.key, draw)).collect();
    let occurrences = |set: &[usize]| -> Vec<WordIx> {
        set.iter().flat_map(|&index| plan.words[index].occurrences.iter().copied()).collect()
    };
    let others = |set: &[usize]| -> Vec<usize> { (0..types.len()).filter(|index| !set.contains(index)).collect() };
    let without = |set: &[usize]| prompt.without(&occurrences(set));
    let only = |set: &[usize]| prompt.without(&occurrences(&others(set)));
    let without = effect(whole, plan.tested, &draws, Telling::Large, without, &mut scores)?;
    let only = effect(whole, plan.tested, &draws, Telling::Small, only, &mut scores)?;
    let described = &draws[..without.described];
    let mean = |value: &dyn Fn(&Vec<usize>) -> f64| described.iter().map(value).sum::<f64>() / described.len() as f64;
    Ok(Some(Deletion {
        whole,
        types: plan.tested.len(),
        occurrences: occurrences(plan.tested).len(),
        tokens: sets.tokens(plan.tested),
        random_tokens: mean(&|set| sets.tokens(set)),
        shared: mean(&|set| set.iter().filter(|index| plan.tested.contains(index)).count() as f64),
        without,
        only,
    }))
}

/// Caches outcomes of texts, so that each distinct text is scored once.
struct Scores<F> {
    known: HashMap<String, Outcome>,
    score: F,
}

impl<E, F: FnMut(&[String]) -> Result<Vec<Outcome>, E>> Scores<F> {
    fn of(&mut self, texts: &[String]) -> Result<Vec<Outcome>, E> {
        let mut new: Vec<String> = Vec::new();
        for text in texts {
            if !self.known.contains_key(text) && !new.contains(text) {
                new.push(text.clone());
            }
        }
        if !new.is_empty() {
            let found = (self.score)(&new)?;
            assert_eq!(found.len(), new.len(), "one outcome per prompt");
            self.known.extend(new.into_iter().zip(found));
        }
        Ok(texts.iter().map(|text| self.known[text]).collect())
    }
}

fn effect<E>(
    whole: Outcome,
    tested: &[usize],
    draws: &[Vec<usize>],
    telling: Telling,
    changed: impl Fn(&[usize]) -> String,
    scores: &mut Scores<impl FnMut(&[String]) -> Result<Vec<Outcome>, E>>,
) -> Result<Effect, E> {
    let described = described_of(draws.len());
    let outcome = scores.of(&[changed(tested)])?[0];
    let fall = whole.log_odds - outcome.log_odds;
    let reaches = |draw: &Draw| match telling {
        Telling::Large => draw.fall >= fall,
        Telling::Small => draw.fall <= fall,
    };
    let mut random: Vec<Draw> = Vec::with_capacity(draws.len());
    while random.len() < draws.len() && random.iter().filter(|draw| reaches(draw)).count() < EXCEEDING {
        let batch = if random.is_empty() { described } else { AT_ONCE };
        let next = &draws[random.len()..draws.len().min(random.len() + batch)];
        let texts: Vec<String> = next.iter().map(|set| changed(set)).collect();
        let found = scores.of(&texts)?;
        random.extend(
            found.iter().map(|found| Draw { fall: whole.log_odds - found.log_odds, flips: found.best != whole.best }),
        );
    }
    let (p, counted) = sequential_p(random.iter().map(reaches), draws.len());
    random.truncate(counted.max(described));
    let falls: Vec<f64> = random[..described].iter().map(|draw| draw.fall).collect();
    let share = match telling {
        Telling::Large => 0.95,
        Telling::Small => 0.05,
    };
    Ok(Effect {
        outcome,
        fall,
        flips: outcome.differs_from(whole),
        described,
        mean: falls.iter().sum::<f64>() / described as f64,
        interval: middle_95(falls.clone()),
        rare: quantile(falls, share),
        p,
        smallest_p: 1.0 / (draws.len() + 1) as f64,
        counted,
        ended_early: counted < draws.len(),
        random,
    })
}

/// Fewest and most prompts of a check of at most `draws` draws a test; none without draws.
pub fn prompts_of_check(draws: usize) -> (usize, usize) {
    if draws == 0 {
        return (0, 0);
    }
    (2 * (described_of(draws) + 1), 2 * (draws + 1))
}

/// Draws that are always made.
fn described_of(draws: usize) -> usize {
    DESCRIBING.max(draws / 4).min(draws)
}

/// p of a test of at most `most` draws that ends at the [`EXCEEDING`]th draw that reaches the tested words, and the
/// number of draws made.
fn sequential_p(reaching: impl Iterator<Item = bool>, most: usize) -> (f64, usize) {
    let mut reached = 0;
    for (index, reaches) in reaching.enumerate() {
        reached += usize::from(reaches);
        if reached == EXCEEDING {
            return (EXCEEDING as f64 / (index + 1) as f64, index + 1);
        }
    }
    ((reached + 1) as f64 / (most + 1) as f64, most)
}

/// The largest p below 0.05 that a test of at most `most` draws can give: the share of tests that fall below 0.05 by
/// chance.
pub fn chance_below_5_percent(most: usize) -> f64 {
    let whole = (1..=EXCEEDING).map(|reached| reached as f64 / (most + 1) as f64);
    let early = (EXCEEDING..=most).map(|draws| EXCEEDING as f64 / draws as f64);
    whole.chain(early).filter(|p| *p < 0.05).fold(0.0, f64::max)
}

/// Words with the properties that random sets match. Places count words of the scope.
fn word_types(prompt: &AnnotatedPrompt, words: &[Keyword]) -> Vec<WordType> {
    let tokens = prompt.word_weights(&vec![1.0; prompt.tokens().len()], Merge::Sum);
    let mut scope: Vec<WordIx> = words.iter().flat_map(|word| word.occurrences.iter().copied()).collect();
    scope.sort_unstable();
    let last = scope.len().saturating_sub(1).max(1) as f64;
    let place = |word: &WordIx| scope.partition_point(|other| other < word) as f64 / last;
    let of = |word: &Keyword| WordType {
        tokens: word.occurrences.iter().map(|word| tokens[word.0]).sum(),
        occurrences: word.occurrences.len(),
        places: word.occurrences.iter().map(place).sum(),
        is_function: is_stop_word(&word.key, prompt.language()),
    };
    words.iter().map(of).collect()
}

/// Fall of the chosen option's log-odds when each word is left out alone, in nats: gradient-free occlusion. Scores one
/// prompt per word and the whole prompt.
pub fn occlusion<E>(
    prompt: &AnnotatedPrompt,
    words: &[WordIx],
    mut score: impl FnMut(&[String]) -> Result<Vec<Outcome>, E>,
) -> Result<Vec<f64>, E> {
    let mut prompts = vec![prompt.text().to_string()];
    prompts.extend(words.iter().map(|&word| prompt.without(&[word])));
    let found = score(&prompts)?;
    assert_eq!(found.len(), prompts.len(), "one outcome per prompt");
    Ok(found[1..].iter().map(|outcome| found[0].log_odds - outcome.log_odds).collect())
}

#[cfg(test)]
mod tests {
    use super::super::keywords::{KeywordOptions, rank};
    use super::*;
    use crate::attend::prompts::annotated::tests::{STORY, prompt};
    use crate::language::Language;
    use crate::seed::seeded;
    use rand::Rng;
    use std::convert::Infallible;

    const TEXT: &str = "Ann put tea in the red box and then left home";

    /// A model that chooses the first of two options: by 3 nats, less 2 without `box` and 0.5 without `tea`. Any
    /// deletion halves the mass of both labels.
    fn score(prompts: &[String]) -> Result<Vec<Outcome>, Infallible> {
        let has = |prompt: &String, word: &str| prompt.split(' ').any(|found| found.to_lowercase() == word);
        let outcome = |prompt: &String| {
            let log_odds: f64 = 3.0 - 4.0 * f64::from(!has(prompt, "box")) - 0.5 * f64::from(!has(prompt, "tea"));
            let probability = 1.0 / (1.0 + (-log_odds).exp());
            let mass: f64 = if prompt == TEXT { 0.5 } else { 0.25 };
            Outcome::new(&[(mass * probability).ln(), (mass * (1.0 - probability)).ln()], 0).unwrap()
        };
        Ok(prompts.iter().map(outcome).collect())
    }

    fn words() -> (AnnotatedPrompt, Vec<Keyword>) {
        let prompt = prompt(&[(STORY, TEXT)], &[TEXT.len()], Language::En);
        let words = rank(&prompt, &[1.0], KeywordOptions { keep_sink: true, ..Default::default() }).words;
        (prompt, words)
    }

    fn check(tested: &[&str], draws: usize, seed: u64, key: &str) -> Option<Deletion> {
        let (prompt, words) = words();
        let tested: Vec<usize> =
            tested.iter().map(|text| words.iter().position(|word| word.text == *text).unwrap()).collect();
        let plan = DeletionPlan { words: &words, tested: &tested, matching: &[], draws, seed, key };
        deletion(&prompt, plan, score).unwrap()
    }

    #[test]
    fn outcomes_are_those_of_the_choice() {
        let found = Outcome::new(&[0.2f64.ln(), 0.1f64.ln(), 0.1f64.ln()], 0).unwrap();
        assert!(found.log_odds.abs() < 1e-12 && (found.probability - 0.5).abs() < 1e-12);
        assert!((found.label_mass - 0.4).abs() < 1e-12);
        assert_eq!(found.best, 0);
        assert_eq!(Outcome::new(&[-1.0], 0), None);
    }

    /// A change of the mass of all labels alone has no effect.
    #[test]
    fn needed_words_stand_out() {
        let found = check(&["box"], 200, 1, "a").unwrap();
        assert!((found.without.fall - 4.0).abs() < 1e-9 && found.without.flips);
        assert!((found.whole.label_mass - 0.5).abs() < 1e-9 && (found.without.outcome.label_mass - 0.25).abs() < 1e-9);
        assert!(
            found.without.random.iter().all(|draw| [0.0, 0.5, 4.0].iter().any(|fall| (draw.fall - fall).abs() < 1e-9))
        );
        assert!(found.without.random.iter().all(|draw| draw.flips == (draw.fall > 3.0)));
        // One of eleven words is drawn, sometimes `box` itself.
        let (p, counted) = sequential_p(found.without.random.iter().map(|draw| draw.fall > 3.9), 200);
        assert_eq!((found.without.p, found.without.ended_early), (p, counted < 200));
        assert!((0.04..0.2).contains(&p), "{p}");
        assert_eq!(found.without.described, 50);
        // `box` alone loses only the contribution of `tea`; no other word keeps more.
        assert!((found.only.fall - 0.5).abs() < 1e-9 && !found.only.flips);
        assert!(found.only.p < 0.2 && found.only.rare <= found.only.mean);
    }

    #[test]
    fn useless_words_do_not() {
        let found = check(&["and"], 200, 1, "a").unwrap();
        assert_eq!((found.without.p, found.without.ended_early), (1.0, true));
        assert_eq!(found.without.random.len(), 50, "those that describe random words, and no more");
        assert_eq!((found.types, found.occurrences), (1, 1));
        assert!(found.without.rare > found.without.fall);
    }

    #[test]
    fn draws_depend_on_seed_and_key() {
        let falls = |seed, key| check(&["box", "tea"], 20, seed, key).unwrap().without.random;
        assert_eq!(falls(1, "a"), falls(1, "a"));
        assert_ne!(falls(1, "a"), falls(2, "a"));
        assert_ne!(falls(1, "a"), falls(1, "b"));
    }

    #[test]
    fn what_cannot_be_tested_is_not() {
        let (_, words) = words();
        let all: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(check(&all, 5, 1, "a"), None);
        assert_eq!(check(&[], 5, 1, "a"), None);
        assert_eq!(check(&["box"], 0, 1, "a"), None);
    }

    /// Besag and Clifford's rule, computed by hand.
    #[test]
    fn p_values_are_those_of_the_sequential_test() {
        let pattern = |every: usize, of: usize| (1..=of).map(move |draw| draw % every == 0);
        assert_eq!(sequential_p(pattern(1, 200), 200), (1.0, 10));
        assert_eq!(sequential_p(pattern(4, 200), 200), (0.25, 40));
        assert_eq!(sequential_p(pattern(201, 200), 200), (1.0 / 201.0, 200));
        assert_eq!(sequential_p(pattern(40, 200), 200), (6.0 / 201.0, 200));
        assert_eq!(sequential_p(pattern(20, 200), 200), (0.05, 200));
        assert_eq!(chance_below_5_percent(200), 10.0 / 201.0);
        assert_eq!(chance_below_5_percent(19), 0.0);
        assert_eq!(chance_below_5_percent(20), 1.0 / 21.0);
        assert_eq!(chance_below_5_percent(219), 10.0 / 201.0);
    }

    /// Ten thousand items whose tested words are like any others: p falls below each level as often as the level says,
    /// and is the p of all draws wherever that is small.
    #[test]
    fn stopped_p_values_are_uniform_by_chance() {
        const ITEMS: usize = 10_000;
        let mut generator = seeded(1, "null", 0);
        let mut found = Vec::new();
        for _ in 0..ITEMS {
            let falls: Vec<f64> = (0..=200).map(|_| generator.random()).collect();
            let reaches: Vec<bool> = falls[1..].iter().map(|fall| *fall >= falls[0]).collect();
            let (p, counted) = sequential_p(reaches.iter().copied(), 200);
            let all = (1 + reaches.iter().filter(|reaches| **reaches).count()) as f64 / 201.0;
            assert!(p > 0.05 || (p - all).abs() < 0.01, "{p} {all}");
            assert_eq!(p <= 0.045, all <= 0.045);
            found.push((p, counted));
        }
        for level in [0.01, 0.05, 0.1, 0.25, 0.5, 0.9] {
            let share = found.iter().filter(|(p, _)| *p <= level).count() as f64 / ITEMS as f64;
            let spread = 3.0 * (level * (1.0 - level) / ITEMS as f64).sqrt();
            assert!(share <= level + spread && share >= 0.85 * level - spread, "{level}: {share}");
        }
        let draws = found.iter().map(|(_, counted)| counted).sum::<usize>() as f64 / ITEMS as f64;
        assert!((35.0..45.0).contains(&draws), "{draws} draws decide a test on average");
    }

    #[test]
    fn occlusion_finds_what_each_word_carries() {
        let (prompt, _) = words();
        let scope: Vec<WordIx> = (0..prompt.words().len()).step_by(2).map(WordIx).collect();
        let found = occlusion(&prompt, &scope, score).unwrap();
        let expected = [0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0];
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9), "{found:?}");
    }
}
