//! "None of these" where it is right and where it is wrong: what answerers with known habits get.

use crate::support::trials::chosen;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::support::context::{Run, TestContext};
use crate::support::files::read_json_lines;
use crate::support::tiny_models::tiny_model_of;
use tomeval::internal::{Condition, SlotIx, TrialOutcome, seeded};
use tomeval::{
    Answer, Benchmark, Item, Layout, LoadOptions, OptionIx, Order, OrderPolicy, Outcome, Respondent, Setting, Ties,
    evaluate,
};

const REPETITIONS: usize = 60;

/// How an answerer chooses a slot of an order, under a condition that replaces an option.
type Habit = fn(&Item, &Order, Condition, &mut ChaCha8Rng) -> SlotIx;

/// Hits, false alarms and whether the interval of their difference holds 0.
fn measured(items: &[Item], habit: Habit, seed: u64) -> (f64, f64, bool) {
    let outcomes: Vec<Outcome<'_>> = [Condition::DropGold, Condition::DropDistractor]
        .into_iter()
        .flat_map(|condition| items.iter().map(move |item| outcome(item, condition, habit, seed)))
        .collect();
    let layout = Layout::parse("stratum = \"ability\"").unwrap();
    let by = Respondent { label: "made up", answers: "letters" };
    let setting = Setting { benchmark: Benchmark::Demo, title: "Demo", by, items, layout: &layout, seed };
    let found = evaluate(&setting, &outcomes).none_of_these;
    let [found] = &found[..] else { panic!("{found:?}") };
    assert_eq!((found.items, found.header.condition.as_deref()), (items.len(), None));
    assert!((found.hits - found.false_alarms - found.difference).abs() < 1e-9);
    let (low, high) = found.interval.unwrap();
    (found.hits, found.false_alarms, low <= 0.0 && 0.0 <= high)
}

fn outcome(item: &Item, condition: Condition, habit: Habit, seed: u64) -> Outcome<'_> {
    let drawn = OrderPolicy::Random(5).draw(seed, &item.id, item.options.len()).unwrap();
    let mut random = seeded(seed, &format!("{}{condition}", item.id), 0);
    let trials = drawn.iter().map(|drawn| {
        let order = condition.order(item, &drawn.order);
        let choice = order.option_at(habit(item, &order, condition, &mut random));
        TrialOutcome { order: Some(order), count: drawn.count, ..chosen(choice.0) }
    });
    let trials: Vec<TrialOutcome> = trials.collect();
    Outcome::new(item, "vanilla", Some(condition.name().to_string()), trials, Ties::default())
}

/// Stories of the inventory four times over, with one question each.
fn stories() -> Vec<Item> {
    let items = Benchmark::Demo.load(std::path::Path::new(""), &LoadOptions::default()).unwrap().items;
    let copies = (0..4).flat_map(|copy| {
        items.iter().filter(|item| item.language == tomeval::Language::En).map(move |item| Item {
            id: format!("{copy}/{}", item.id),
            parallel: format!("{copy}/{}", item.parallel),
            story: format!("{copy}/{}", item.id),
            ..item.clone()
        })
    });
    copies.take(100).collect()
}

fn gold(item: &Item) -> OptionIx {
    match item.gold {
        Answer::Single(gold) => gold,
        _ => panic!("{}", item.id),
    }
}

#[test]
fn only_who_knows_that_the_right_option_is_missing_differs() {
    let items = stories();
    let reader: Habit = |item, order, _, _| order.slot_of(gold(item));
    assert_eq!(measured(&items, reader, 0), (100.0, 0.0, false));
    let refuser: Habit = |item, order, condition, _| order.slot_of(condition.replaces(item).unwrap());
    assert_eq!(measured(&items, refuser, 0), (100.0, 100.0, true));
    // The statement stands in the same slots under both conditions, so that preferring one gives the same votes; only draws
    // between equally many votes differ.
    let first: Habit = |_, _, _, _| SlotIx(0);
    let (hits, false_alarms, holds) = measured(&items, first, 0);
    assert!(holds && (hits - false_alarms).abs() <= 10.0, "{hits} {false_alarms}");
}

#[test]
fn intervals_find_what_was_planted_and_little_else() {
    let items = stories();
    // Recognises the right option where it is shown, and guesses where it is missing.
    let recogniser: Habit = |item, order, condition, random| match condition {
        Condition::DropGold => SlotIx(random.random_range(0..order.len())),
        _ if random.random_bool(0.5) => order.slot_of(gold(item)),
        _ => SlotIx(random.random_range(0..order.len())),
    };
    let guesser: Habit = |_, order, _, random| SlotIx(random.random_range(0..order.len()));
    let knower: Habit = |item, order, _, random| match random.random_bool(0.5) {
        true => order.slot_of(gold(item)),
        false => SlotIx(random.random_range(0..order.len())),
    };
    let missed = |habit: Habit| {
        let holds = (0..REPETITIONS as u64).into_par_iter().filter(|&seed| measured(&items, habit, seed).2);
        holds.count() as f64 / REPETITIONS as f64
    };
    assert!((0.86..=1.0).contains(&missed(guesser)), "{}", missed(guesser));
    assert!(missed(knower) <= 0.05, "{}", missed(knower));
    // Taking a shown right option keeps it from false alarms, which is some knowledge of what is missing.
    let (hits, false_alarms, _) = measured(&items, recogniser, 1);
    assert!(hits > false_alarms, "{hits} {false_alarms}");
}

#[test]
fn a_run_under_both_conditions_is_read_back() {
    let context = TestContext::new();
    let model = tiny_model_of(context.folder(), "llama");
    let model = model.to_str().unwrap();
    for scoring in ["letter", "generate"] {
        let mut command =
            context.command(&["run", "--offline", "--benchmark", "demo", "--limit", "10", "--model", model]);
        command.args(["--condition", "drop-gold", "--condition", "drop-distractor", "--language", "en,zh"]);
        command.args(["--scoring", scoring, "--orders", "random:3", "--out", scoring]);
        if scoring == "generate" {
            command.args(["--max-new-tokens", "4"]);
        }
        command.run().success();
        let report = context.run(&["report", scoring, "--json"]).success().json();
        let found = report["results"][0]["none_of_these"].as_array().unwrap();
        assert_eq!(found.iter().map(|each| each["items"].as_u64().unwrap()).sum::<u64>(), 20, "{found:?}");
        let table = context.run(&["report", scoring, "--table", "none-of-these"]).success().stdout;
        assert!(table.contains("false alarms"), "{table}");
    }
    let shown = context.path("letter/trials.jsonl");
    for record in read_json_lines(&shown) {
        let text = record["asks"][0].to_string();
        let none =
            if record["language"] == "zh" { "其他选项都不对" } else { "None of the other options is right" };
        assert_eq!(text.matches(none).count(), 1, "{text}");
    }
    let refused = context.run(&[
        "run",
        "--offline",
        "--benchmark",
        "demo",
        "--condition",
        "drop-gold",
        "--scoring",
        "text",
        "--model",
        model,
    ]);
    assert!(refused.code(2).stderr.contains("use --scoring letter, hybrid or generate"));
}
