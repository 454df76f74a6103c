//! Items with other persons: answers that surnames move are found, and others are not.

use crate::support::trials::chosen;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use tomeval::internal::{SwapConclusion, seeded};
use tomeval::{Benchmark, Item, Language, Layout, LoadOptions, Outcome, Respondent, Setting, Ties, evaluate};

const REPETITIONS: u64 = 20;
const CONTROLS: usize = 5;

/// Two questions about each of some contexts.
fn items(contexts: usize) -> Vec<Item> {
    let made = Benchmark::Demo.load(std::path::Path::new(""), &LoadOptions::default()).unwrap().items;
    let single = made.iter().filter(|item| item.language == Language::En && item.gold.kind() == "single");
    let numbered = single.cycle().take(2 * contexts).enumerate().map(|(number, item)| Item {
        id: format!("{number}"),
        parallel: format!("{number}"),
        story: format!("{}", number / 2),
        ..item.clone()
    });
    numbered.collect()
}

/// How a respondent answers: chances that an answer turns wrong with a surname of another group, and that it is drawn anew
/// with any other name.
#[derive(Clone, Copy)]
struct Moved {
    by_group: f64,
    by_name: f64,
}

fn conclusions(items: &[Item], moved: Moved, seed: u64) -> Vec<SwapConclusion> {
    let ways = std::iter::once((None, 0.0))
        .chain([(Some("swap-surname".to_string()), moved.by_group)])
        .chain((1..=CONTROLS).map(|number| (Some(format!("swap-surname-same-{number}")), 0.0)));
    let ways: Vec<(Option<String>, f64)> = ways.collect();
    let outcome = |item: &'_ Item, (name, turned): &(Option<String>, f64)| {
        let gold = item.gold.options()[0];
        let mut of_item: ChaCha8Rng = seeded(seed, &item.id, 0);
        let own: f64 = of_item.random();
        let mut of_name: ChaCha8Rng = seeded(seed, &format!("{} {name:?}", item.id), 0);
        let drawn = if name.is_some() && of_name.random_bool(moved.by_name) { of_name.random() } else { own };
        let is_right = drawn < 0.7 && !of_name.random_bool(*turned);
        chosen(if is_right { gold } else { (gold + 1) % item.options.len() })
    };
    let of_item = |item| {
        ways.iter()
            .map(|way| Outcome::new(item, "vanilla", way.0.clone(), vec![outcome(item, way)], Ties::default()))
            .collect::<Vec<_>>()
    };
    let outcomes: Vec<Outcome<'_>> = items.iter().flat_map(of_item).collect();
    let layout = Layout::parse("stratum = \"ability\"").unwrap();
    let by = Respondent { label: "made up", answers: "letters" };
    let setting = Setting { benchmark: Benchmark::Demo, title: "Demo", by, items, layout: &layout, seed };
    let rows = evaluate(&setting, &outcomes).swaps;
    let all = &rows[0];
    assert_eq!((all.items, all.stories, all.controls, all.key.len()), (items.len(), items.len() / 2, CONTROLS, 0));
    let right = outcomes.iter().filter(|outcome| outcome.condition.is_none() && outcome.is_right()).count();
    assert!((all.plain.value.unwrap() - right as f64 / items.len() as f64 * 100.0).abs() < 1e-9);
    let change = all.swapped.value.unwrap() - all.plain.value.unwrap();
    assert!((change - all.difference.value.unwrap()).abs() < 1e-9);
    rows.iter().map(|row| row.conclusion).collect()
}

#[test]
fn answers_that_surnames_of_other_groups_move_are_found() {
    let items = items(100);
    let moved = Moved { by_group: 0.25, by_name: 0.1 };
    let found = (0..REPETITIONS).filter(|seed| conclusions(&items, moved, *seed)[0] == SwapConclusion::Differs);
    assert!(found.count() >= 19);
}

#[test]
fn answers_that_any_other_name_moves_are_called_different_in_no_row() {
    let items = items(100);
    let moved = Moved { by_group: 0.0, by_name: 0.3 };
    let differs = |seed: &u64| conclusions(&items, moved, *seed).contains(&SwapConclusion::Differs);
    assert!((0..REPETITIONS).filter(differs).count() <= 1);
}

#[test]
fn answers_that_no_name_moves_are_equivalent_in_many_contexts_alone() {
    let unmoved = Moved { by_group: 0.0, by_name: 0.0 };
    assert_eq!(conclusions(&items(1000), unmoved, 0)[0], SwapConclusion::Equivalent);
    assert_eq!(conclusions(&items(40), unmoved, 0)[0], SwapConclusion::Undecided);
}
