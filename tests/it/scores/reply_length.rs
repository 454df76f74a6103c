//! Accuracy by length of the reply: slopes as statsmodels finds them, a planted effect within prompts is found, and a
//! difficulty that lengthens replies is none.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use tomeval::internal::{ReplyLength, Stratum, TrialOutcome, TrialReading, conditional_logit, seeded};
use tomeval::{
    Benchmark, Item, Language, Layout, LoadOptions, Order, Outcome, ReadingOutcome, Respondent, Setting, Ties, evaluate,
};

use crate::support::trials::chosen;

#[test]
fn slopes_and_errors_are_those_of_statsmodels() {
    let fixtures: Value = serde_json::from_str(include_str!("../../fixtures/repeated_stats.json")).unwrap();
    let cases = fixtures["conditional_logit"].as_array().unwrap();
    assert_eq!(cases.len(), 3);
    for case in cases {
        let list =
            |value: &Value| -> Vec<f64> { value.as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect() };
        let strata = list(&case["stories"]).into_iter().enumerate().map(|(at, story)| Stratum {
            story: story as usize,
            cases: list(&case["lengths"][at])
                .into_iter()
                .zip(list(&case["right"][at]).iter().map(|&right| right == 1.0))
                .collect(),
        });
        let strata: Vec<Stratum> = strata.collect();
        let expected = ["slope", "model_error", "robust_error"].map(|name| case[name].as_f64().unwrap());
        let found = conditional_logit(&strata).unwrap();
        for (found, expected) in [found.slope, found.model_error, found.standard_error].iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{}: {found}, {expected}", case["name"]);
        }
    }
}

const STORIES: usize = 40;

/// Two questions of each of forty stories.
fn items() -> Vec<Item> {
    let made = Benchmark::Demo.load(std::path::Path::new(""), &LoadOptions::default()).unwrap().items;
    let english = made.iter().filter(|item| item.language == Language::En && item.gold.kind() == "single");
    let numbered = english.cycle().take(2 * STORIES).enumerate().map(|(number, item)| Item {
        id: format!("{number}"),
        parallel: format!("{number}"),
        story: format!("{}", number / 2),
        ..item.clone()
    });
    numbered.collect()
}

/// The lengths table of eight replies to each item. Replies of hard items are longer by `confounded` doublings for each unit of
/// difficulty, and each doubling adds `effect` to the log-odds of a right one; items and stories differ in difficulty.
fn lengths(items: &[Item], (effect, confounded): (f64, f64), seed: u64) -> ReplyLength {
    let normal = |random: &mut ChaCha8Rng| (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
    let trials = |item: &Item| -> Vec<TrialOutcome> {
        let mut random: ChaCha8Rng = seeded(seed, &item.id, 0);
        let of_story = normal(&mut seeded(seed, &format!("story {}", item.story), 0));
        let difficulty = of_story + normal(&mut random);
        let reply = |_| {
            let beyond = normal(&mut random);
            let doublings = 6.0 + confounded * difficulty + beyond;
            // The effect of length within a story varies around its mean, as that of stories does.
            let log_odds = (effect + 0.2 * of_story * effect.abs()) * beyond - difficulty;
            let right = random.random::<f64>() < 1.0 / (1.0 + (-log_odds).exp());
            let gold = item.gold.options()[0];
            let tokens = Some(doublings.exp2().round() as usize);
            TrialOutcome {
                order: Some(Order::identity(item.options.len())),
                reading: Some(TrialReading { outcome: ReadingOutcome::Answer, rule: None, tokens, cut: false }),
                ..chosen(if right { gold } else { (gold + 1) % item.options.len() })
            }
        };
        (0..8).map(reply).collect()
    };
    let outcomes: Vec<Outcome<'_>> =
        items.iter().map(|item| Outcome::new(item, "vanilla", None, trials(item), Ties::default())).collect();
    let layout = Layout::parse("stratum = \"ability\"").unwrap();
    let by = Respondent { label: "made up", answers: "written, sampled, 8 each" };
    let setting = Setting { benchmark: Benchmark::Demo, title: "Demo", by, items, layout: &layout, seed };
    let mut rows = evaluate(&setting, &outcomes).reply_length;
    assert_eq!(rows.len(), 1);
    rows.remove(0)
}

fn rejected(items: &[Item], planted: (f64, f64), repetitions: u64) -> usize {
    (0..repetitions).filter(|&seed| lengths(items, planted, seed).p.is_some_and(|p| p < 0.05)).count()
}

#[test]
fn an_effect_within_prompts_is_found_and_none_is_not() {
    let items = items();
    let null = rejected(&items, (0.0, 0.0), 100);
    assert!(null <= 12, "{null} of 100");
    assert!(rejected(&items, (0.8, 0.0), 20) >= 19);
    let planted = lengths(&items, (0.8, 0.0), 0);
    let (low, high) = planted.interval.unwrap();
    assert!(low < 0.8 && 0.8 < high && low > 0.0, "{planted:?}");
    assert!(planted.items > 40 && planted.stories > 30 && planted.quarters.len() == 4, "{planted:?}");
}

#[test]
fn difficulty_that_lengthens_replies_moves_the_quarters_alone() {
    let items = items();
    let rejections = rejected(&items, (0.0, 1.0), 100);
    assert!(rejections <= 12, "{rejections} of 100");
    for seed in 0..20 {
        let found = lengths(&items, (0.0, 1.0), seed);
        let [first, .., last] = &found.quarters[..] else { panic!("{found:?}") };
        assert!(first.accuracy.value.unwrap() > last.accuracy.value.unwrap() + 20.0, "{found:?}");
        assert!(first.accuracy_interval.unwrap().0 > last.accuracy_interval.unwrap().1, "{found:?}");
    }
}

#[test]
fn what_cannot_be_told_has_a_reason() {
    let items = items();
    let few = lengths(&items[..12], (0.0, 0.0), 0);
    let reason = few.per_doubling.reason.as_deref().unwrap();
    assert!(reason.ends_with("needs 10"), "{reason}");
    assert_eq!((few.p, few.interval), (None, None));
    let endless = lengths(&items, (1e9, 0.0), 0);
    assert_eq!(
        endless.per_doubling.reason.as_deref(),
        Some("infinite: the right replies to each prompt are the longest")
    );
}
