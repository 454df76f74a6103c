//! Sources of variance of answers: components as numpy finds them, wordings that matter are found and others are not, and what
//! is incomplete is left out and counted.

use crate::support::trials::chosen;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use tomeval::internal::{Anew, Design, Source, Sources, TrialOutcome, seeded, sources, variance_sources, wording_part};
use tomeval::{Benchmark, Item, Language, LoadOptions, Order, Outcome, Respondent, Ties};

const REPETITIONS: u64 = 20;

#[test]
fn components_are_those_of_the_equations_of_mean_squares() {
    let fixtures: Value = serde_json::from_str(include_str!("../../fixtures/repeated_stats.json")).unwrap();
    let cases = fixtures["variance"].as_array().unwrap();
    assert_eq!(cases.len(), 6);
    for case in cases {
        let count = |name: &str| case[name].as_u64().unwrap() as usize;
        let numbers = |value: &Value| value.as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect();
        let design = Design { wordings: count("wordings"), orders: count("orders"), replies: count("replies") };
        let answers: Vec<Vec<f64>> = case["answers"].as_array().unwrap().iter().map(numbers).collect();
        let items: Vec<&[f64]> = answers.iter().map(Vec::as_slice).collect();
        let stories: Vec<f64> = numbers(&case["stories"]);
        let stories: Vec<usize> = stories.into_iter().map(|story| story as usize).collect();
        let found = variance_sources(design, &items, &stories, seeded(0, "", 0)).unwrap();
        let found = [
            ("items", found.items),
            ("wordings", found.wordings),
            ("items_by_wordings", found.items_by_wordings),
            ("orders", found.orders),
            ("wordings_by_orders", found.wordings_by_orders),
            ("replies", found.replies),
        ];
        for (name, found) in found {
            let expected = case["components"].get(name).map(|value| value.as_f64().unwrap());
            assert_eq!(found.is_some(), expected.is_some(), "{}: {name}", case["name"]);
            if let (Some(found), Some(expected)) = (found, expected) {
                assert!(
                    (found.value - expected).abs() < 1e-12,
                    "{}: {name}: {}, {expected}",
                    case["name"],
                    found.value
                );
            }
        }
    }
}

/// One question of each of a hundred stories.
fn items() -> Vec<Item> {
    let made = Benchmark::Demo.load(std::path::Path::new(""), &LoadOptions::default()).unwrap().items;
    let is_of_four = |item: &&Item| item.gold.kind() == "single" && item.options.len() == 4;
    let english = made.iter().filter(|item| item.language == Language::En).filter(is_of_four);
    let numbered = english.cycle().take(100).enumerate().map(|(number, item)| Item {
        id: format!("{number}"),
        parallel: format!("{number}"),
        story: format!("{number}"),
        ..item.clone()
    });
    numbered.collect()
}

const ORDERS: [[usize; 4]; 2] = [[0, 1, 2, 3], [3, 2, 1, 0]];

/// Trials of an item in two orders, of which the second was drawn twice.
fn trials(item: &Item, right: impl Fn(usize) -> bool) -> Vec<TrialOutcome> {
    let gold = item.gold.options()[0];
    let trial = |(at, order): (usize, [usize; 4])| TrialOutcome {
        order: Some(Order::try_from(order.to_vec()).unwrap()),
        count: at + 1,
        ..chosen(if right(at) { gold } else { (gold + 1) % item.options.len() })
    };
    ORDERS.into_iter().enumerate().map(trial).collect()
}

fn outcome(item: &Item, wording: usize, trials: Vec<TrialOutcome>) -> Outcome<'_> {
    Outcome::new(item, "vanilla", (wording > 1).then(|| wording_part(wording)), trials, Ties::default())
}

fn found(outcomes: &[Outcome<'_>], always: bool) -> Vec<Sources> {
    let by = Respondent { label: "made up", answers: "letters" };
    sources(&outcomes.iter().collect::<Vec<_>>(), by, 0, always)
}

/// The test of eight wordings, of which the third is right more often by `more`.
fn p(items: &[Item], more: f64, seed: u64) -> f64 {
    let of_item = |item: &'_ Item| {
        // So that exactly this share of the stories is right, before what follows.
        let place = (item.id.parse::<u64>().unwrap() * 37 + seed) % 100;
        let right = |wording: usize, order: usize| {
            // A tenth of the answers depend on wording and order alone.
            let mut other: ChaCha8Rng = seeded(seed, &format!("{}, wording {wording}, order {order}", item.id), 0);
            let drawn = if other.random_bool(0.1) { other.random() } else { (place as f64 + 0.5) / 100.0 };
            drawn < if wording == 3 { 0.5 + more } else { 0.5 }
        };
        (1..=8).map(|wording| (wording, trials(item, |order| right(wording, order)))).collect::<Vec<_>>()
    };
    let outcomes: Vec<Outcome<'_>> = items
        .iter()
        .flat_map(|item| of_item(item).into_iter().map(move |(wording, trials)| outcome(item, wording, trials)))
        .collect();
    let [found] = &found(&outcomes, false)[..] else { panic!("one row") };
    assert_eq!((found.items, found.wordings, found.orders, found.replies, found.left_out), (100, 8, 3, 1, 0));
    for row in &found.by_wording {
        let of_wording =
            outcomes.iter().filter(|it| it.condition == (row.wording > 1).then(|| wording_part(row.wording)));
        let right = |it: &Outcome<'_>| {
            it.trials
                .iter()
                .filter(|trial| trial.choice.as_ref() == Some(&it.item.gold))
                .map(|trial| trial.count)
                .sum::<usize>()
        };
        let right: usize = of_wording.map(right).sum::<usize>();
        assert!((row.accuracy.value.unwrap() - right as f64 / 3.0).abs() < 1e-9);
    }
    found.wordings_p.unwrap()
}

#[test]
fn a_wording_that_is_ten_points_better_is_found_and_wordings_alike_are_not() {
    let items = items();
    let found = |more| (0..REPETITIONS).filter(|&seed| p(&items, more, seed) < 0.05).count();
    let (better, alike) = (found(0.1), found(0.0));
    assert!(better >= 19, "{better}");
    assert!(alike <= 1, "{alike}");
}

#[test]
fn incomplete_items_are_left_out_and_counted() {
    let items = items();
    let mut outcomes = Vec::new();
    for (number, item) in items.iter().enumerate().take(30) {
        for wording in 1..=3 {
            let mut trials = trials(item, |order| (number + order + wording) % 3 > 0);
            match (number, wording) {
                // Failed in one order; failed in all; one order fewer; not asked.
                (3, 2) => trials[1].failure = Some("too-long".to_string()),
                (4, 3) => trials.iter_mut().for_each(|trial| trial.failure = Some("too-long".to_string())),
                (5, _) => drop(trials.pop()),
                (6, 1) => continue,
                _ => {}
            }
            outcomes.push(outcome(item, wording, trials));
        }
    }
    let [left] = &found(&outcomes, false)[..] else { panic!("one row") };
    assert_eq!((left.items, left.left_out, left.orders), (26, 4, 3));
    let complete = |it: &&Outcome<'_>| !["3", "4", "5", "6"].contains(&it.item.id.as_str());
    let complete: Vec<Outcome<'_>> = outcomes.iter().filter(complete).cloned().collect();
    let [all] = &found(&complete, false)[..] else { panic!("one row") };
    assert_eq!((&left.variances, &left.accuracies, all.left_out), (&all.variances, &all.accuracies, 0));
}

#[test]
fn one_wording_has_sources_on_request_and_reasons_for_the_others() {
    let items = items();
    let outcomes: Vec<Outcome<'_>> = items
        .iter()
        .enumerate()
        .map(|(number, item)| outcome(item, 1, trials(item, |order| (number + order) % 3 > 0)))
        .collect();
    assert_eq!(found(&outcomes, false), []);
    let [one] = &found(&outcomes, true)[..] else { panic!("one row") };
    let of = |source: Source| one.variances.iter().find(|it| it.source == source).unwrap();
    assert!(of(Source::Items).variance.value.is_some() && of(Source::Orders).interval.is_some());
    for (source, reason) in [(Source::Wordings, "--paraphrase"), (Source::Replies, "--samples")] {
        let figure = &of(source).variance;
        assert!(figure.value.is_none() && figure.reason.as_ref().unwrap().contains(reason), "{figure:?}");
    }
    let anew = |anew: Anew| one.accuracies.iter().find(|it| it.anew == anew).unwrap();
    assert!(anew(Anew::Wording).asked_once.value.is_none() && anew(Anew::Orders).observed.is_some());
    assert!(one.by_wording.is_empty() && one.wordings_p.is_none());
}
