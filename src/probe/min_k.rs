//! Min-k % probability of released items against fresh ones.
//!
//! Min-k % probability (Shi et al. 2024, "Detecting Pretraining Data from Large Language Models", section 3): the mean
//! log-probability of the k % of a text's tokens that the model finds least likely. Text seen in training has fewer
//! surprises, hence a higher value. The meaning of the value depends on the comparison: here with fresh items of the
//! same form, one for each released one, by a permutation test that reshuffles the values of each form between the two.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use indexmap::IndexMap;
use serde::Serialize;

use super::fresh::matched;
use super::overlap::words;
use super::permutation::{PValue, Stratum, released_are_larger};
use super::score::{After, ProbeError, Scores, Skip, SkippedRow, answered, skips};
use super::text::{context, whole};
use crate::benchmark::{Benchmark, Item};
use crate::language::Language;
use crate::seed::seeded;
use crate::stats::auc;

/// Settings of the probe.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Settings {
    /// `min-k`: percentage of the tokens that count.
    pub percent: f64,
    /// Arrangements sampled for the test if there are too many to enumerate.
    pub draws: usize,
    /// Seed of all draws and of the fresh items.
    pub seed: u64,
}

/// Origin of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Set {
    /// The benchmark's files.
    Released,
    /// The generator.
    Fresh,
}

/// Result for one text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MinKRow {
    /// Its item; fresh items have the ids they would have in a file.
    pub id: String,
    /// Released or fresh.
    pub set: Set,
    pub benchmark: Benchmark,
    pub language: Language,
    /// The form it shares with the items it is compared with.
    pub form: String,
    /// Tokens scored.
    pub tokens: usize,
    /// Mean log-probability of the least likely tokens.
    pub min_k: f64,
    /// Mean log-probability of all tokens.
    pub mean: f64,
}

/// Results for a benchmark in a language.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Group {
    pub benchmark: Benchmark,
    pub language: Language,
    /// `min-k`: released stories, and as many fresh ones.
    pub stories: usize,
    /// Skipped items, by reason.
    pub skipped: IndexMap<String, usize>,
    /// `min-k`: mean value of released stories.
    pub released: f64,
    /// `min-k`: mean value of fresh stories.
    pub fresh: f64,
    /// `min-k`: probability that a released story has the higher value.
    pub auc: f64,
    /// `min-k`: the same probability for scores of words alone, which know no model: how far the wording of the sets
    /// differs.
    pub by_words: f64,
    /// Test whether released stories have higher values.
    pub test: Option<PValue>,
}

/// All results.
#[derive(Debug, Clone, PartialEq)]
pub struct MinK {
    /// By benchmark and language, in the order of the items.
    pub groups: Vec<Group>,
    /// Each released text before its fresh one.
    pub rows: Vec<MinKRow>,
    /// Skipped items.
    pub skipped: Vec<SkippedRow>,
}

/// The mean of the `percent` % lowest log-probabilities, at least one. `None` for an empty list.
pub fn min_k(logprobs: &[f32], percent: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = logprobs.iter().map(|&logprob| f64::from(logprob)).collect();
    sorted.sort_by(f64::total_cmp);
    let count = ((sorted.len() as f64 * percent / 100.0).ceil() as usize).clamp(1, sorted.len().max(1));
    let lowest = sorted.get(..count)?;
    Some(lowest.iter().sum::<f64>() / count as f64)
}

/// A released item and the fresh one it is compared with.
struct Pair<'a> {
    released: &'a Item,
    fresh: Item,
    form: String,
}

/// Probes items of benchmarks with a generator. Each story counts once, by its first question. `after` receives the
/// amount scored so far and the total.
///
/// # Errors
/// A benchmark without a generator, no items to probe, and errors of the scorer.
pub fn probe(model: &dyn Scores, items: &[Item], settings: &Settings, after: After<'_>) -> Result<MinK, ProbeError> {
    let (pairs, mut skipped) = pairs(items, settings.seed)?;
    let texts: Vec<String> = pairs.iter().flat_map(|pair| [pair.released, &pair.fresh]).map(whole).collect();
    let mut found = model.whole(&texts, after)?.into_iter();
    let both = std::iter::from_fn(|| {
        let (released, fresh) = (found.next()?, found.next()?);
        Some(released.and_then(|released| Ok([released, fresh?])))
    });
    let (scored, scores) = answered(pairs, both, |pair| pair.released, &mut skipped)?;
    let logprobs: Vec<&[f32]> =
        scores.iter().flatten().map(|text| text.first().map_or(&[][..], |one| &one.logprobs)).collect();
    let found = judge(&scored, &logprobs, skipped, settings);
    if found.groups.is_empty() { Err(ProbeError::Nothing(skips(&found.skipped))) } else { Ok(found) }
}

fn pairs(items: &[Item], seed: u64) -> Result<(Vec<Pair<'_>>, Vec<SkippedRow>), ProbeError> {
    let mut skipped = Vec::new();
    let mut stories = HashSet::new();
    let mut released: IndexMap<(Benchmark, Language), Vec<&Item>> = IndexMap::new();
    for item in items {
        // Some files contain a story twice, under two ids.
        match stories.insert((item.language, context(item))) {
            true => released.entry((item.benchmark, item.language)).or_default().push(item),
            false => skipped.push(SkippedRow::new(item, Skip::SameStory)),
        }
    }
    let mut pairs = Vec::new();
    for ((benchmark, language), released) in released {
        let fresh = matched(benchmark, language, &released, seed)?;
        for (released, fresh) in released.into_iter().zip(fresh) {
            match fresh {
                Some((fresh, form)) => pairs.push(Pair { released, fresh, form }),
                None => skipped.push(SkippedRow::new(released, Skip::NoFresh)),
            }
        }
    }
    Ok((pairs, skipped))
}

/// Computes the results from log-probabilities, with those of each pair adjacent.
fn judge(pairs: &[Pair<'_>], logprobs: &[&[f32]], mut skipped: Vec<SkippedRow>, settings: &Settings) -> MinK {
    let mut rows: Vec<MinKRow> = Vec::new();
    for (pair, logprobs) in pairs.iter().zip(logprobs.chunks(2)) {
        let row = |item: &Item, set: Set, logprobs: &[f32]| {
            let mean = logprobs.iter().map(|&logprob| f64::from(logprob)).sum::<f64>() / logprobs.len() as f64;
            let min_k = min_k(logprobs, settings.percent).filter(|_| mean.is_finite())?;
            Some(MinKRow {
                id: item.id.clone(),
                set,
                benchmark: pair.released.benchmark,
                language: pair.released.language,
                form: pair.form.clone(),
                tokens: logprobs.len(),
                min_k,
                mean,
            })
        };
        match [row(pair.released, Set::Released, logprobs[0]), row(&pair.fresh, Set::Fresh, logprobs[1])] {
            [Some(released), Some(fresh)] => rows.extend([released, fresh]),
            _ => skipped.push(SkippedRow::new(pair.released, Skip::NotFinite)),
        }
    }
    let mut by_group: IndexMap<(Benchmark, Language), IndexMap<&str, Stratum>> = IndexMap::new();
    for row in &rows {
        let strata = by_group.entry((row.benchmark, row.language)).or_default();
        let stratum = strata.entry(&row.form).or_default();
        match row.set {
            Set::Released => stratum.released.push(row.min_k),
            Set::Fresh => stratum.fresh.push(row.min_k),
        }
    }
    let group = |((benchmark, language), strata): ((Benchmark, Language), IndexMap<&str, Stratum>)| {
        let strata: Vec<Stratum> = strata.into_values().collect();
        let released: Vec<f64> = strata.iter().flat_map(|stratum| stratum.released.iter().copied()).collect();
        let fresh: Vec<f64> = strata.iter().flat_map(|stratum| stratum.fresh.iter().copied()).collect();
        let here = skipped.iter().filter(|row| row.benchmark == benchmark && row.language == language);
        let mut rng = seeded(settings.seed, &format!("probe/min-k/{benchmark}/{language}"), 0);
        Group {
            stories: released.len(),
            skipped: skips(here),
            released: mean(&released),
            fresh: mean(&fresh),
            auc: area(&released, &fresh),
            by_words: by_words(
                pairs.iter().filter(|pair| (pair.released.benchmark, pair.released.language) == (benchmark, language)),
            ),
            test: released_are_larger(&strata, settings.draws, &mut rng),
            benchmark,
            language,
        }
    };
    let groups = by_group.into_iter().map(group).collect();
    MinK { groups, rows, skipped }
}

/// The area under the curve of a classifier by words alone: naive Bayes on the words that a text has or lacks, with each
/// pair scored by the others (the blind baselines of Das et al. 2024, arXiv:2406.16201). Where it tells the two sets apart,
/// so may any model that met neither.
fn by_words<'a>(pairs: impl Iterator<Item = &'a Pair<'a>>) -> f64 {
    let words_of = |item: &Item| words(&whole(item), item.language).into_iter().collect::<BTreeSet<String>>();
    let texts: Vec<[BTreeSet<String>; 2]> =
        pairs.map(|pair| [words_of(pair.released), words_of(&pair.fresh)]).collect();
    let mut counts: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
    for (set, word) in
        texts.iter().flat_map(|pair| (0..2).flat_map(move |set| pair[set].iter().map(move |word| (set, word))))
    {
        counts.entry(word).or_default()[set] += 1.0;
    }
    // The other pairs that do and do not have a word, by set, and half a pair each.
    let others = texts.len() as f64 - 1.0;
    let score = |pair: &[BTreeSet<String>; 2], set: usize| -> f64 {
        let of_word = |(&word, count): (&&str, &[f64; 2])| {
            let [released, fresh] = [0, 1].map(|of| {
                let having = count[of] - f64::from(u8::from(pair[of].contains(word)));
                if pair[set].contains(word) { having + 0.5 } else { others - having + 0.5 }
            });
            (released / fresh).ln()
        };
        counts.iter().map(of_word).sum()
    };
    let [released, fresh] = [0, 1].map(|set| texts.iter().map(|pair| score(pair, set)).collect::<Vec<f64>>());
    area(&released, &fresh)
}

/// Every group has released and fresh stories.
fn area(released: &[f64], fresh: &[f64]) -> f64 {
    auc(released, fresh).unwrap_or(0.5)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;
    use crate::benchmark::tomi;
    use crate::story::tomi::generate;

    const SETTINGS: Settings = Settings { percent: 20.0, draws: 999, seed: 2 };

    #[test]
    fn the_least_likely_tokens_count() {
        let logprobs = [-1.0, -9.0, -2.0, -4.0, -3.0, -0.5, -0.5, -0.5, -0.5, -0.5];
        assert_eq!(min_k(&logprobs, 20.0), Some(-6.5));
        assert_eq!(min_k(&logprobs, 21.0), Some(-16.0 / 3.0));
        assert_eq!(min_k(&logprobs, 1.0), Some(-9.0));
        assert_eq!(min_k(&logprobs, 100.0), Some(-2.15));
        assert_eq!(min_k(&[], 20.0), None);
    }

    /// Log-probabilities equal in both sets, except that the least likely tokens of released texts are `planted`
    /// likelier.
    fn judged(planted: f32) -> MinK {
        let items = tomi::items(&generate(30, 1));
        let (pairs, skipped) = pairs(&items, SETTINGS.seed).unwrap();
        let mut rng = seeded(9, "noise", 0);
        let mut texts = Vec::new();
        for at in 0..2 * pairs.len() {
            let raised = if at % 2 == 0 { planted } else { 0.0 };
            texts.push(
                (0..100)
                    .map(|token| match token % 5 {
                        0 => -8.0 + raised + rng.random_range(-2.0..2.0),
                        _ => -1.0 + rng.random_range(-0.5..0.5),
                    })
                    .collect::<Vec<f32>>(),
            );
        }
        let logprobs: Vec<&[f32]> = texts.iter().map(Vec::as_slice).collect();
        judge(&pairs, &logprobs, skipped, &SETTINGS)
    }

    #[test]
    fn words_that_only_one_set_has_tell_them_apart() {
        let mut items = tomi::items(&generate(30, 1));
        let area = |items: &[Item]| by_words(pairs(items, SETTINGS.seed).unwrap().0.iter());
        let same = area(&items);
        for item in &mut items {
            item.question = format!("Now tell me: {}", item.question);
        }
        assert!((same - 0.5).abs() < 0.25 && area(&items) > 0.99, "{same} {}", area(&items));
    }

    #[test]
    fn known_stories_are_found_and_unknown_ones_are_not() {
        let known = judged(0.6);
        let group = &known.groups[0];
        assert_eq!((group.stories, known.rows.len()), (30, 60));
        assert_eq!(group.skipped.values().sum::<usize>(), 150, "six questions a story");
        assert!(group.test.unwrap().p <= 0.002 && group.auc > 0.8, "{group:?}");
        assert!((group.by_words - 0.5).abs() < 0.25, "both sets come from one generator: {group:?}");
        let unknown = judged(0.0);
        let group = &unknown.groups[0];
        assert!(group.test.unwrap().p > 0.05 && (group.auc - 0.5).abs() < 0.2, "{group:?}");
    }
}
