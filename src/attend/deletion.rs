//! Does the model need the words it looks at? The heaviest words are left out, and, many times, as many random ones.
//!
//! Attention alone is no explanation (Jain and Wallace 2019). If leaving out the keywords lowers the log-likelihood of
//! the chosen option no more than leaving out random words of the same story does, the keywords did not carry it.
//!
//! Random words are as many occurrences as the keywords have, drawn from all words of the scope, so that the keywords are
//! one of all sets of that size: the null hypothesis is that they are no special one. Where keywords recur and make up
//! much of a short story, every draw holds some of them and the check has little power.

use rand::seq::SliceRandom;

use super::{AnnotatedPrompt, WordIx};
use crate::answer::middle_95;
use crate::seed::seeded;

/// Outcome of a deletion check. Drops are in nats: log-likelihood of the full prompt minus that without the words.
#[derive(Debug, Clone, PartialEq)]
pub struct Deletion {
    /// Log-likelihood of the chosen option for the full prompt.
    pub full: f64,
    /// How many word occurrences were left out each time.
    pub words: usize,
    /// Drop without the keywords.
    pub keywords: f64,
    /// Drops without random words, one per draw, in order of draw.
    pub random: Vec<f64>,
    /// The middle 95 % of the random drops.
    pub interval: (f64, f64),
    /// Share of draws, the keywords counted as one of them, that lower the log-likelihood at least as much as the
    /// keywords do: a one-sided Monte Carlo p value.
    pub p: f64,
}

/// What is left out and how often.
#[derive(Debug, Clone, Copy)]
pub struct DeletionPlan<'a> {
    /// Occurrences of the keywords.
    pub keywords: &'a [WordIx],
    /// All word occurrences of the same scope; random ones are drawn from all of them, keywords included.
    pub scope: &'a [WordIx],
    /// Number of random draws, at least 1.
    pub draws: usize,
    /// Seed of the run.
    pub seed: u64,
    /// Id of the item: with the seed and the draw's number it fixes the draw.
    pub item: &'a str,
}

/// Run the check. `score` gives the log-likelihood of the chosen option after each of several prompts.
///
/// `Ok(None)` when nothing can be tested: no draws, no keywords, or no words beside them.
pub fn deletion<E>(
    prompt: &AnnotatedPrompt,
    plan: DeletionPlan<'_>,
    mut score: impl FnMut(&[String]) -> Result<Vec<f64>, E>,
) -> Result<Option<Deletion>, E> {
    let words = plan.keywords.len();
    if plan.draws == 0 || words == 0 || plan.scope.len() <= words {
        return Ok(None);
    }
    let mut prompts = vec![prompt.text().to_string(), prompt.without(plan.keywords)];
    for draw in 0..plan.draws {
        let mut generator = seeded(plan.seed, &format!("deletion/{}", plan.item), draw);
        let mut shuffled = plan.scope.to_vec();
        let (drawn, _) = shuffled.partial_shuffle(&mut generator, words);
        prompts.push(prompt.without(drawn));
    }
    let scores = score(&prompts)?;
    assert_eq!(scores.len(), prompts.len(), "one log-likelihood per prompt");
    let full = scores[0];
    let keywords = full - scores[1];
    let random: Vec<f64> = scores[2..].iter().map(|score| full - score).collect();
    let interval = middle_95(random.clone());
    let as_low = random.iter().filter(|&&drop| drop >= keywords).count();
    let p = (1 + as_low) as f64 / (1 + random.len()) as f64;
    Ok(Some(Deletion { full, words, keywords, random, interval, p }))
}

/// Drop of each word left out alone, in nats: gradient-free occlusion. One prompt per word and one for the whole.
pub fn occlusion<E>(
    prompt: &AnnotatedPrompt,
    words: &[WordIx],
    mut score: impl FnMut(&[String]) -> Result<Vec<f64>, E>,
) -> Result<Vec<f64>, E> {
    let mut prompts = vec![prompt.text().to_string()];
    prompts.extend(words.iter().map(|&word| prompt.without(&[word])));
    let scores = score(&prompts)?;
    assert_eq!(scores.len(), prompts.len(), "one log-likelihood per prompt");
    Ok(scores[1..].iter().map(|score| scores[0] - score).collect())
}

#[cfg(test)]
mod tests {
    use super::super::annotated::tests::{STORY, prompt};
    use super::*;
    use crate::language::Language;

    const TEXT: &str = "Ann put tea in the box and left";

    /// A scorer whose log-likelihood falls by 2 without `box` and by 0.5 without `tea`.
    fn score(prompts: &[String]) -> Result<Vec<f64>, String> {
        let has = |prompt: &String, word: &str| prompt.split(' ').any(|found| found == word);
        Ok(prompts
            .iter()
            .map(|prompt| -1.0 - 2.0 * f64::from(!has(prompt, "box")) - 0.5 * f64::from(!has(prompt, "tea")))
            .collect())
    }

    fn words() -> (AnnotatedPrompt, Vec<WordIx>) {
        let prompt = prompt(&[(STORY, TEXT)], &[TEXT.len()], Language::En);
        let words = (0..prompt.words().len()).step_by(2).map(WordIx).collect();
        (prompt, words)
    }

    #[test]
    fn needed_words_fall_below_random_ones() {
        let (prompt, scope) = words();
        let plan = DeletionPlan { keywords: &[scope[5]], scope: &scope, draws: 40, seed: 1, item: "a" };
        let found = deletion(&prompt, plan, score).unwrap().unwrap();
        assert_eq!((found.full, found.keywords, found.words), (-1.0, 2.0, 1));
        // One word is drawn of eight: `box` itself, `tea`, or one that carries nothing.
        assert!(found.random.iter().all(|drop| [0.0, 0.5, 2.0].contains(drop)));
        assert!(found.random.contains(&0.5) && found.random.contains(&0.0));
        let as_low = found.random.iter().filter(|&&drop| drop == 2.0).count();
        assert_eq!(found.p, (1 + as_low) as f64 / 41.0);
        assert_eq!(found.interval.0, 0.0);
    }

    #[test]
    fn useless_words_do_not() {
        let (prompt, scope) = words();
        let plan = DeletionPlan { keywords: &[scope[0]], scope: &scope, draws: 9, seed: 1, item: "a" };
        assert_eq!(deletion(&prompt, plan, score).unwrap().unwrap().p, 1.0);
    }

    #[test]
    fn draws_depend_on_seed_and_item() {
        let (prompt, scope) = words();
        let run = |seed, item| {
            let plan = DeletionPlan { keywords: &[scope[0]], scope: &scope, draws: 20, seed, item };
            deletion(&prompt, plan, score).unwrap().unwrap().random
        };
        assert_eq!(run(1, "a"), run(1, "a"));
        assert_ne!(run(1, "a"), run(2, "a"));
        assert_ne!(run(1, "a"), run(1, "b"));
    }

    #[test]
    fn a_story_of_keywords_alone_cannot_be_tested() {
        let (prompt, scope) = words();
        let plan = |keywords| DeletionPlan { keywords, scope: &scope, draws: 5, seed: 1, item: "a" };
        assert_eq!(deletion(&prompt, plan(&scope[..]), score), Ok(None));
        assert_eq!(deletion(&prompt, plan(&scope[..0]), score), Ok(None));
        assert!(deletion(&prompt, plan(&scope[1..]), score).unwrap().is_some());
    }

    #[test]
    fn occlusion_finds_what_each_word_carries() {
        let (prompt, scope) = words();
        assert_eq!(occlusion(&prompt, &scope, score).unwrap(), [0.0, 0.0, 0.5, 0.0, 0.0, 2.0, 0.0, 0.0]);
    }
}
