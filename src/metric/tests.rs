//! Checks every measure against values computed by hand.

use super::{Cell, Layout, Outcome, Results, Setting, evaluate};
use crate::answer::{Ties, TrialOutcome};
use crate::benchmark::{Answer, Benchmark, Item, OptionIx};
use crate::language::Language;
use crate::prompt::Order;

/// An item with four options, given its id, story and facets; the gold option is 1.
pub(super) fn item(id: &str, story: &str, facets: &[(&str, &str)]) -> Item {
    Item {
        id: id.into(),
        benchmark: Benchmark::Custom,
        language: Language::En,
        parallel: id.into(),
        story: story.into(),
        context: Vec::new(),
        question: "?".into(),
        options: ["red", "green", "blue", "grey"].map(String::from).to_vec(),
        gold: Answer::Single(OptionIx(1)),
        facets: facets.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
        fields: Default::default(),
        flags: Vec::new(),
    }
}

pub(super) fn answered(item: &Item, choice: Option<Answer>) -> Outcome<'_> {
    let trial =
        TrialOutcome { order: None, count: 1, choice, logprobs: None, tied: false, failure: None, reading: None };
    Outcome::new(item, "vanilla", None, vec![trial], Ties::default())
}

/// An item whose prompt could not be asked.
pub(super) fn failed(item: &Item) -> Outcome<'_> {
    let mut outcome = answered(item, None);
    outcome.trials[0].failure = Some("too-long".to_string());
    outcome
}

/// Outcomes of all items: where `right` is true the gold option is chosen, otherwise option 3.
pub(super) fn outcomes<'a>(items: &'a [Item], right: &[bool]) -> Vec<Outcome<'a>> {
    let wrong = Answer::Single(OptionIx(3));
    items
        .iter()
        .zip(right)
        .map(|(item, right)| answered(item, Some(if *right { item.gold.clone() } else { wrong.clone() })))
        .collect()
}

pub(super) fn results(items: &[Item], outcomes: &[Outcome<'_>], tables: &str) -> Results {
    let layout = Layout::parse(tables).unwrap();
    let setting = Setting {
        benchmark: Benchmark::Custom,
        title: "Test",
        by: crate::metric::Respondent { label: "model", answers: "letters" },
        items,
        layout: &layout,
        seed: 1,
    };
    evaluate(&setting, outcomes)
}

/// The cells of a table with one row.
pub(super) fn cells(items: &[Item], outcomes: &[Outcome<'_>], columns: &str) -> Vec<Cell> {
    let results = results(items, outcomes, &format!("[[tables]]\nid='t'\ntitle='T'\ncolumns=[{columns}]"));
    results.tables[0].rows[0].cells.clone()
}

#[track_caller]
pub(super) fn check(cell: &Cell, value: f64, n: usize) {
    let found = cell.value.unwrap_or_else(|| panic!("no value: {:?}", cell.reason));
    assert!((found - value).abs() < 1e-9, "{found}, expected {value}");
    assert_eq!(cell.n, n);
}

#[track_caller]
pub(super) fn check_none(cell: &Cell, reason: &str) {
    assert_eq!(cell.value, None);
    assert_eq!(cell.interval, None);
    assert!(cell.reason.as_ref().is_some_and(|given| given.contains(reason)), "{:?}", cell.reason);
}

#[test]
fn accuracy_counts_no_answer_as_wrong() {
    let items: Vec<Item> = (0..4).map(|n| item(&format!("q{n}"), &format!("s{n}"), &[])).collect();
    let mut outcomes = outcomes(&items, &[true, true, true, false]);
    outcomes[0] = answered(&items[0], None);
    let cells = cells(&items, &outcomes, "{name='a'}, {name='b', measure='answered'}");
    check(&cells[0], 50.0, 4);
    check(&cells[1], 75.0, 4);
    assert_eq!(cells[0].chance, Some(25.0));
    let (low, high) = cells[0].interval.unwrap();
    // Wilson's interval of 2 of 4.
    assert!((low - 15.0039).abs() < 1e-3 && (high - 84.9961).abs() < 1e-3, "{low} {high}");
}

#[test]
fn rows_are_facet_values_and_columns_are_filters() {
    let facets = |task, level| [("task", task), ("level", level)];
    let items = [
        item("a", "1", &facets("x", "low")),
        item("b", "2", &facets("x", "high")),
        item("c", "3", &facets("y", "low")),
        item("d", "4", &facets("y", "low")),
        item("e", "5", &[("task", "x")]),
    ];
    let outcomes = outcomes(&items, &[true, false, true, false, true]);
    let table = "[[tables]]\nid='t'\ntitle='T'\nrows=['level']\n\
        columns=[{name='x', where={task='x'}}, {name='y', where={task='y'}}, {name='all', where={task=['x', 'y']}}]";
    let results = results(&items, &outcomes, table);
    let rows = &results.tables[0].rows;
    let keys: Vec<&str> = rows.iter().map(|row| row.key["level"].as_str()).collect();
    assert_eq!(keys, ["low", "high"]);
    check(&rows[0].cells[0], 100.0, 1);
    check(&rows[0].cells[1], 50.0, 2);
    check(&rows[0].cells[2], 200.0 / 3.0, 3);
    check(&rows[1].cells[0], 0.0, 1);
    check_none(&rows[1].cells[1], "no items");
}

#[test]
fn derived_columns_are_plain_means_differences_and_ranges() {
    let items: Vec<Item> = [("a", "x"), ("b", "x"), ("c", "x"), ("d", "x"), ("e", "y")]
        .map(|(id, task)| item(id, id, &[("task", task)]))
        .into();
    let outcomes = outcomes(&items, &[true, false, false, false, true]);
    let cells = cells(
        &items,
        &outcomes,
        "{name='x', hidden=true, where={task='x'}}, {name='y', where={task='y'}}, {name='mean', mean=['x', 'y']}, \
         {name='nested', mean=['mean', 'y']}, {name='difference', difference=['x', 'y']}, {name='range', range=['x', 'y']}, \
         {name='z', where={task='z'}}, {name='gap', mean=['x', 'z']}, {name='later', unavailable='needs written answers'}",
    );
    assert_eq!(cells.len(), 8, "the hidden column is not printed");
    check(&cells[0], 100.0, 1);
    check(&cells[1], 62.5, 5);
    check(&cells[2], 81.25, 5);
    check(&cells[3], -75.0, 5);
    check(&cells[4], 75.0, 5);
    check_none(&cells[5], "no items");
    check_none(&cells[6], "no value for z");
    check_none(&cells[7], "needs written answers");
    assert_eq!((cells[1].chance, cells[3].chance), (Some(25.0), None));
}

#[test]
fn joint_accuracy_needs_all_lower_orders_of_the_story() {
    let order = |story: &str, order: &str| item(&format!("{story}{order}"), story, &[("order", order)]);
    let items = [order("s", "0"), order("s", "1"), order("s", "2"), order("t", "0"), order("t", "1"), order("t", "2")];
    let all = outcomes(&items, &[true, false, true, true, true, true]);
    let columns = "{name='0', measure='joint-accuracy', where={order=0}}, \
        {name='1', measure='joint-accuracy', where={order=1}}, {name='2', measure='joint-accuracy', where={order=2}}";
    let found = cells(&items, &all, columns);
    check(&found[0], 100.0, 2);
    check(&found[1], 50.0, 2);
    check(&found[2], 50.0, 2);
    assert_eq!(found[1].chance, Some(6.25));
    // Three of the four answers up to order 1 are right.
    assert_eq!((found[0].expected, found[1].expected), (Some(100.0), Some(50.0)));
    // Without the order-1 item of `t`, only `s` is complete up to order 2.
    let some: Vec<Outcome<'_>> = all.into_iter().filter(|outcome| outcome.item.id != "t1").collect();
    let found = cells(&items, &some, columns);
    check(&found[2], 0.0, 1);
}

#[test]
fn a_story_is_coherent_when_all_its_items_are_right_and_counted_when_all_were_run() {
    let in_task = |id: &str, story: &str, task: &str| item(id, story, &[("task", task)]);
    let items = [
        in_task("a1", "a", "x"),
        in_task("a2", "a", "x"),
        in_task("a3", "a", "y"),
        in_task("b1", "b", "x"),
        in_task("c1", "c", "x"),
        in_task("c2", "c", "x"),
    ];
    let all = outcomes(&items, &[true, true, false, true, true, false]);
    let columns =
        "{name='c', measure='coherent', where={task='x'}}, {name='d', measure='coherent-drop', where={task='x'}}";
    let found = cells(&items, &all, columns);
    check(&found[0], 200.0 / 3.0, 3);
    // Mean accuracy of the stories, which is 1, 1 and 1/2, minus 2 of 3.
    check(&found[1], 250.0 / 3.0 - 200.0 / 3.0, 3);
    // 4 of 5 answers are right: two drawn ones are both right with probability 4/5 * 3/4, one with 4/5.
    let expected = |at: usize| found[at].expected.unwrap();
    assert!((expected(0) - 100.0 * (0.6 + 0.8 + 0.6) / 3.0).abs() < 1e-9);
    assert!((expected(1) - 100.0 * (0.2 + 0.0 + 0.2) / 3.0).abs() < 1e-9);
    assert_eq!(found[0].unit, "stories");
    assert!((found[0].chance.unwrap() - 100.0 * (0.0625 + 0.25 + 0.0625) / 3.0).abs() < 1e-9);
    let some: Vec<Outcome<'_>> = all.into_iter().filter(|outcome| outcome.item.id != "c2").collect();
    check(&cells(&items, &some, columns)[0], 100.0, 2);
    let one: Vec<Outcome<'_>> = some.into_iter().filter(|outcome| outcome.item.id == "c1").collect();
    check_none(&cells(&items, &one, columns)[0], "no complete story");
}

#[test]
fn question_sets_of_a_story_are_coherent_each_and_clustered_by_story() {
    let of_set = |id: &str, story: &str, set: &str| item(id, story, &[("question_set", set)]);
    let items: Vec<Item> = (0..6)
        .flat_map(|story| {
            let name = format!("s{story}");
            ["u1", "u2", "v1", "v2"].map(|id| of_set(&format!("{name}{id}"), &name, &id[..1]))
        })
        .collect();
    // Of each story the first set is right, of every second one the other too.
    let right: Vec<bool> = (0..24).map(|at| at % 4 < 3 || at % 8 == 3).collect();
    let all = outcomes(&items, &right);
    let columns = "{name='c', measure='coherent'}, {name='d', measure='coherent-drop'}";
    let found = cells(&items, &all, columns);
    check(&found[0], 75.0, 12);
    check(&found[1], 12.5, 12);
    assert_eq!(found[0].unit, "sets");
    // A set lacks an answer; the other one of its story is complete.
    let some: Vec<Outcome<'_>> = all.into_iter().filter(|outcome| outcome.item.id != "s0u1").collect();
    check(&cells(&items, &some, columns)[0], 100.0 * 8.0 / 11.0, 11);
}

#[test]
fn intervals_never_claim_certainty() {
    let order = |story: usize, order: &str| item(&format!("{story}/{order}"), &story.to_string(), &[("order", order)]);
    let items: Vec<Item> = (0..10).flat_map(|story| [order(story, "0"), order(story, "1")]).collect();
    let columns = "{name='a', where={order=0}}, {name='j', measure='joint-accuracy'}, {name='c', measure='coherent'}, \
        {name='d', measure='coherent-drop'}, {name='m', mean=['a', 'c']}";
    let none = cells(&items, &outcomes(&items, &[false; 20]), columns);
    // Wilson's interval of 0 of 10: all these shares are based on ten stories.
    for cell in &none[..3] {
        let (low, high) = cell.interval.unwrap();
        assert!(low == 0.0 && (high - 27.7533).abs() < 1e-3, "{low} {high}");
    }
    assert_eq!((none[3].interval, none[4].interval), (None, None));
    let all = cells(&items, &outcomes(&items, &[true; 20]), columns);
    assert!(
        all[..3].iter().all(|cell| cell.interval.is_some_and(|(low, high)| low < 75.0 && (high - 100.0).abs() < 1e-9))
    );
}

#[test]
fn an_interval_rests_on_five_stories_or_more_and_holds_its_value() {
    let micro = |stories: usize| {
        let items: Vec<Item> = (0..stories).map(|n| item(&n.to_string(), &n.to_string(), &[])).collect();
        let right: Vec<bool> = (0..stories).map(|n| n % 2 == 0).collect();
        cells(&items, &outcomes(&items, &right), "{name='mi', measure='micro-f1'}").remove(0)
    };
    check(&micro(4), 50.0, 4);
    assert_eq!(micro(4).interval, None);
    assert!(micro(5).interval.is_some_and(|(low, high)| low < 60.0 && 60.0 < high));
    // Each of five stories has one label; no resample of four distinct ones has all labels, so every resample has a
    // lower macro F1.
    let labels: Vec<Item> = (0..5)
        .map(|n| Item {
            options: ["1", "2", "3", "4", "5"].map(String::from).to_vec(),
            gold: Answer::Single(OptionIx(n)),
            ..item(&n.to_string(), &n.to_string(), &[])
        })
        .collect();
    let right: Vec<Outcome<'_>> = labels.iter().map(|item| answered(item, Some(item.gold.clone()))).collect();
    let cell = &cells(&labels, &right, "{name='ma', measure='macro-f1'}")[0];
    check(cell, 100.0, 5);
    assert_eq!(cell.interval, None);
}

#[test]
fn rows_of_a_sample_stand_in_the_order_of_the_data() {
    let round = |story: &str, round: &str, kind: &str| {
        item(&format!("{story}-{round}-{kind}"), story, &[("round", round), ("kind", kind)])
    };
    let items =
        [round("s", "0", "x"), round("s", "1", "y"), round("s", "2", "x"), round("t", "0", "y"), round("t", "1", "x")];
    let outcomes: Vec<Outcome<'_>> = items[1..].iter().map(|item| answered(item, None)).collect();
    let rows = |facets: &str| {
        let table = format!("[[tables]]\nid='t'\ntitle='T'\nrows={facets}\ncolumns=[{{name='a'}}]");
        let rows = results(&items, &outcomes, &table).tables.remove(0).rows;
        rows.iter().map(|row| row.key.values().cloned().collect::<String>()).collect::<Vec<_>>()
    };
    assert_eq!(rows("['round']"), ["0", "1", "2"]);
    assert_eq!(rows("['kind', 'round']"), ["x1", "x2", "y0", "y1"]);
}

#[test]
fn exact_match_needs_every_slot_and_chance_is_joint() {
    let slots = |options: [usize; 3]| Answer::Slots(options.map(OptionIx).to_vec());
    let items: Vec<Item> = ["a", "b"].map(|id| Item { gold: slots([1, 2, 3]), ..item(id, id, &[]) }).into();
    let outcomes = [answered(&items[0], Some(slots([1, 2, 3]))), answered(&items[1], Some(slots([1, 2, 0])))];
    let cells = cells(&items, &outcomes, "{name='a', measure='exact-match'}, {name='f', measure='micro-f1'}");
    check(&cells[0], 50.0, 2);
    assert_eq!(cells[0].chance, Some(100.0 / 64.0));
    check_none(&cells[1], "label sets and single choices");
}

#[test]
fn f1_counts_labels_over_all_items() {
    let labels = |options: &[usize]| Answer::Labels(options.iter().copied().map(OptionIx).collect());
    let gold = [labels(&[0, 1]), labels(&[2]), labels(&[0])];
    let items: Vec<Item> =
        gold.into_iter().enumerate().map(|(n, gold)| Item { gold, ..item(&n.to_string(), "s", &[]) }).collect();
    let outcomes = [
        answered(&items[0], Some(labels(&[0]))),
        answered(&items[1], Some(labels(&[1, 2]))),
        answered(&items[2], None),
    ];
    let columns = "{name='mi', measure='micro-f1'}, {name='ma', measure='macro-f1'}, {name='w', measure='weighted-f1'}, {name='a'}";
    let cells = cells(&items, &outcomes, columns);
    // Label 0: 1 hit, 1 miss, F1 2/3. Label 1: 1 false alarm, 1 miss, 0. Label 2: 1 hit, 1. Label 3: never, 0.
    check(&cells[0], 100.0 * 4.0 / 7.0, 3);
    check(&cells[1], 100.0 * (2.0 / 3.0 + 1.0) / 4.0, 3);
    check(&cells[2], 100.0 * (2.0 * 2.0 / 3.0 + 1.0) / 4.0, 3);
    check(&cells[3], 0.0, 3);
    // Each label is chosen with probability 1/2: of 4 gold ones 2 are hits, of 8 others 4 are false alarms.
    assert_eq!(cells[0].chance, Some(40.0));
    // Labels 0, 1 and 2 always: 4 hits, 5 false alarms.
    assert!((cells[0].constant.unwrap() - 800.0 / 13.0).abs() < 1e-9, "{:?}", cells[0]);
}

#[test]
fn single_choices_have_f1_with_options_as_labels() {
    let items: Vec<Item> = [0, 0, 0, 1]
        .iter()
        .enumerate()
        .map(|(n, gold)| Item {
            options: ["yes", "no"].map(String::from).to_vec(),
            gold: Answer::Single(OptionIx(*gold)),
            ..item(&n.to_string(), "s", &[])
        })
        .collect();
    let outcomes: Vec<Outcome<'_>> = items
        .iter()
        .zip([0, 0, 1, 1])
        .map(|(item, option)| answered(item, Some(Answer::Single(OptionIx(option)))))
        .collect();
    // yes: 2 hits, 1 miss, F1 4/5, three times gold; no: 1 hit, 1 false alarm, F1 2/3, once gold.
    check(&cells(&items, &outcomes, "{name='w', measure='weighted-f1'}")[0], 100.0 * (3.0 * 0.8 + 2.0 / 3.0) / 4.0, 4);
}

fn in_languages(question: &str, languages: &[Language]) -> Vec<Item> {
    languages
        .iter()
        .map(|&language| Item {
            language,
            parallel: question.into(),
            ..item(&format!("{question}/{language}"), &format!("{question}/{language}"), &[])
        })
        .collect()
}

#[test]
fn consistency_compares_the_languages_of_a_question() {
    let languages = [Language::En, Language::Zh];
    let items: Vec<Item> =
        ["a", "b", "c", "d"].iter().flat_map(|question| in_languages(question, &languages)).collect();
    let option = |n: usize| Some(Answer::Single(OptionIx(n)));
    let choices = [option(1), option(1), option(2), option(2), option(1), option(0), None, None];
    let outcomes: Vec<Outcome<'_>> = items.iter().zip(choices).map(|(item, choice)| answered(item, choice)).collect();
    let columns =
        "{name='r', measure='same-and-right'}, {name='w', measure='same-and-wrong'}, {name='m', measure='mixed'}";
    let found = cells(&items, &outcomes, columns);
    check(&found[0], 25.0, 4);
    check(&found[1], 25.0, 4);
    check(&found[2], 50.0, 4);
    assert_eq!(found[0].unit, "questions");
    // Right in English 2 of 4, in Chinese 1 of 4; wrong answers agree in one of three cases.
    assert_eq!([0, 1, 2].map(|at| found[at].expected), [Some(12.5), Some(12.5), Some(75.0)]);
    // A question available in fewer languages than others is not pooled with them.
    let more = [&items[..], &in_languages("e", &[Language::En, Language::Zh, Language::De])].concat();
    let outcomes_of_more: Vec<Outcome<'_>> = more.iter().map(|item| answered(item, option(1))).collect();
    check(&cells(&more, &outcomes_of_more, columns)[0], 100.0, 1);
    // A question that was not run in some language does not count.
    let found = cells(&items, &outcomes[..3], columns);
    check(&found[0], 100.0, 1);
    let english: Vec<Item> = items.iter().filter(|item| item.language == Language::En).cloned().collect();
    let outcomes: Vec<Outcome<'_>> = english.iter().map(|item| answered(item, option(1))).collect();
    check_none(&cells(&english, &outcomes, columns)[0], "at least two languages");
}

#[test]
fn questions_right_directly_and_wrong_culturally_are_counted_and_listed() {
    let variant = |question: &str, variant: &str| Item {
        parallel: question.into(),
        ..item(&format!("{question}/{variant}"), question, &[("variant", variant)])
    };
    let items = [
        variant("a", "direct"),
        variant("a", "cultural"),
        variant("b", "direct"),
        variant("b", "cultural"),
        variant("c", "direct"),
    ];
    let outcomes = outcomes(&items, &[true, false, false, false, true]);
    check(&cells(&items, &outcomes, "{name='x', measure='direct-right-cultural-wrong'}")[0], 50.0, 2);
    let listings = results(&items, &outcomes, "").listings;
    assert_eq!(listings[0].ids, ["a/cultural"]);
    assert_eq!((listings[0].header.label.as_str(), listings[0].header.style.as_str()), ("model", "vanilla"));
}

#[test]
fn the_four_statuses_of_linked_items_partition_them() {
    let what = |id: &str| item(id, "s", &[]);
    let why = |id: &str, on: &str| item(id, "s", &[("depends", on), ("kind", "why")]);
    let items = [
        what("w1"),
        what("w2"),
        why("a", "w1"),
        why("b", "w1"),
        why("c", "w1|w2"),
        why("d", "w2"),
        why("e", "w1|absent"),
    ];
    let outcomes = outcomes(&items, &[true, false, true, false, true, false, true]);
    let columns = "{name='f', measure='fully-correct', where={kind='why'}}, {name='l', measure='local-error', where={kind='why'}}, \
        {name='r', measure='restoration-error', where={kind='why'}}, {name='e', measure='full-error', where={kind='why'}}";
    let found = cells(&items, &outcomes, columns);
    found.iter().for_each(|cell| check(cell, 25.0, 4));
    check_none(&cells(&items[..2], &outcomes[..2], "{name='f', measure='fully-correct'}")[0], "linked items");
}

#[test]
fn repeating_the_first_order_answer_is_judged_by_text() {
    let order = |n: &str| item(&format!("o{n}"), "s", &[("order", n)]);
    let mut items = vec![order("0"), order("1"), order("2"), order("3")];
    // The third item lists the options the other way round, so its option 2 is the others' option 1.
    items[2].options.reverse();
    let choices = [0, 1, 2, 1].map(|n| Some(Answer::Single(OptionIx(n))));
    let mut outcomes: Vec<Outcome<'_>> =
        items.iter().zip(choices).map(|(item, choice)| answered(item, choice)).collect();
    let columns =
        "{name='r', measure='repeats-first-order', where={order='*'}}, {name='g', measure='gold-repeats-first-order'}";
    let found = cells(&items, &outcomes, columns);
    check(&found[0], 100.0, 2);
    check(&found[1], 50.0, 2);
    outcomes[1] = answered(&items[1], None);
    check(&cells(&items, &outcomes, columns)[0], 0.0, 2);
}

#[test]
fn styles_and_conditions_make_rows_of_their_own() {
    let items = [item("a", "s", &[])];
    let mut outcomes = outcomes(&items, &[true]);
    outcomes.push(Outcome { condition: Some("no-profile".into()), choice: None, ..outcomes[0].clone() });
    let table = "[[tables]]\nid='t'\ntitle='T'\nrows=['condition']\ncolumns=[{name='a'}]";
    let results = results(&items, &outcomes, table);
    let rows: Vec<_> =
        results.tables[0].rows.iter().map(|row| (row.key["condition"].as_str(), row.cells[0].value)).collect();
    assert_eq!(rows, [("plain", Some(100.0)), ("no-profile", Some(0.0))]);
}

#[test]
fn published_rows_stand_beside_measured_ones_only() {
    let items = [item("a", "s", &[])];
    let table = "[[tables]]\nid='t'\ntitle='T'\nrows=['language']\ncolumns=[{name='a'}]\n\
        [[tables.published]]\nlabel='H'\nhuman=true\nsource='Table 1'\nvalues={a=90}\n\
        [[tables.published]]\nlabel='Z'\nsource='Table 1'\nrows={language='zh'}\nvalues={a=50.5}\n\
        [[tables.published]]\nlabel='E'\nsource='Table 1'\nrows={language='en'}\nvalues={a=40.5}\n";
    let results = results(&items, &outcomes(&items, &[true]), table);
    let labels: Vec<&str> = results.tables[0].published.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(labels, ["H", "E"]);
}

#[test]
fn order_effects_are_read_from_the_same_trials() {
    let gold = Answer::Single(OptionIx(0));
    let two =
        |id: &str| Item { options: ["x", "y"].map(String::from).to_vec(), gold: gold.clone(), ..item(id, id, &[]) };
    let items = [two("a"), two("b")];
    // Log-probabilities by canonical option; the model prefers the first slot.
    let trial = |order: [usize; 2], count: usize, choice: usize, scores: [f64; 2]| TrialOutcome {
        order: Some(Order::try_from(order.to_vec()).unwrap()),
        count,
        choice: Some(Answer::Single(OptionIx(choice))),
        logprobs: Some(scores.map(f64::ln).to_vec()),
        tied: false,
        failure: None,
        reading: None,
    };
    let outcomes = [
        Outcome::new(
            &items[0],
            "v",
            None,
            vec![trial([0, 1], 3, 0, [0.9, 0.1]), trial([1, 0], 2, 1, [0.4, 0.6])],
            Ties::default(),
        ),
        Outcome::new(
            &items[1],
            "v",
            None,
            vec![trial([0, 1], 4, 0, [0.8, 0.2]), trial([1, 0], 1, 0, [0.7, 0.3])],
            Ties::default(),
        ),
    ];
    let effects = results(&items, &outcomes, "").order_effects.remove(0);
    let value = |figure: &super::Figure| figure.value.unwrap();
    assert_eq!((effects.options, effects.items), (2, 2));
    assert_eq!(value(&effects.vote), 100.0);
    assert!((value(&effects.single_order) - 80.0).abs() < 1e-9);
    assert_eq!(value(&effects.circular), 50.0);
    assert_eq!(value(&effects.mean_probability), 100.0);
    // Gold in slot A: 3 + 4 draws, all right. In slot B: 2 wrong, 1 right.
    assert!((value(&effects.recall[0]) - 100.0).abs() < 1e-9 && (value(&effects.recall[1]) - 100.0 / 3.0).abs() < 1e-9);
    assert!((value(&effects.recall_deviation) - 100.0 / 3.0).abs() < 1e-9);
    assert!(value(&effects.debiased) > 0.0 && effects.prior.len() == 2);
}

#[test]
fn order_effects_say_why_they_are_missing() {
    let items = [item("a", "s", &[])];
    let effects = results(&items, &outcomes(&items, &[true]), "").order_effects.remove(0);
    let reason = |figure: &super::Figure| figure.reason.clone().unwrap();
    assert!(reason(&effects.circular).contains("two known orders"));
    assert!(reason(&effects.mean_probability).contains("no log-probabilities"));
    assert!(reason(&effects.debiased).contains("cyclic"));
    assert!(reason(&effects.recall_deviation).contains("not known"));
}

#[test]
fn empty_input_gives_no_numbers_and_no_nan() {
    let results = results(&[], &[], "");
    assert!(results.tables.is_empty() && results.order_effects.is_empty());
    assert_eq!(results.counts.accuracy_bounds, None);
    assert!(!serde_json::to_string(&results).unwrap().contains("NaN"));
}

#[test]
fn counts_and_bounds_tell_what_came_to_nothing() {
    let items: Vec<Item> = (0..4).map(|n| item(&n.to_string(), "s", &[])).collect();
    let mut outcomes = outcomes(&items, &[true, false, true, true]);
    outcomes[3] = failed(&items[3]);
    let counts = results(&items, &outcomes, "").counts;
    assert_eq!((counts.items, counts.trials, counts.unanswered), (4, 4, 1));
    assert_eq!(counts.failures["too-long"], 1);
    assert_eq!(counts.accuracy_bounds, Some((50.0, 75.0)));
}

#[test]
fn the_same_input_gives_the_same_bits() {
    let items: Vec<Item> = (0..40).map(|n| item(&n.to_string(), &(n / 3).to_string(), &[("order", "1")])).collect();
    let right: Vec<bool> = (0..40).map(|n| n % 3 == 0).collect();
    let table = "[[tables]]\nid='t'\ntitle='T'\ncolumns=[{name='c', measure='coherent'}, {name='a'}, {name='m', mean=['a', 'c']}]";
    let once = || serde_json::to_string(&results(&items, &outcomes(&items, &right), table)).unwrap();
    assert_eq!(once(), once());
    let cell = &results(&items, &outcomes(&items, &right), table).tables[0].rows[0].cells[2];
    let (low, high) = cell.interval.unwrap();
    assert!(low < cell.value.unwrap() && cell.value.unwrap() < high);
}

#[test]
fn a_range_stands_beside_those_of_exchanged_languages() {
    let items: Vec<Item> = (0..6).flat_map(|n| in_languages(&format!("q{n}"), &[Language::En, Language::Zh])).collect();
    let right: Vec<bool> = items.iter().map(|item| item.language == Language::En).collect();
    let columns = "{name='en', where={language='en'}}, {name='zh', where={language='zh'}}, {name='r', range=['en', 'zh']}, \
        {name='o', range=['en', 'n']}";
    let columns = columns.replace("{name='r'", "{name='n', where={parallel='none'}}, {name='r'");
    let found = cells(&items, &outcomes(&items, &right), &columns);
    check(&found[3], 100.0, 12);
    assert_eq!((found[3].interval, found[3].interval_by), (None, None));
    // Of six signs all agree in 2 of 64 cases, five in 12, four in 30: 120 / 64 / 6 on average, and 4 of 6 at 95 %.
    assert!((found[3].expected.unwrap() - 31.25).abs() < 2.0, "{:?}", found[3]);
    assert!((found[3].expected_up_to.unwrap() - 200.0 / 3.0).abs() < 1e-9);
    check_none(&found[4], "no value for n");
    // Parts with different questions are not versions of each other.
    let facets = |n: usize| [("task", if n.is_multiple_of(2) { "x" } else { "y" })];
    let items: Vec<Item> = (0..12).map(|n| item(&n.to_string(), &n.to_string(), &facets(n))).collect();
    let columns = "{name='x', where={task='x'}}, {name='y', where={task='y'}}, {name='r', range=['x', 'y']}";
    let found = cells(&items, &outcomes(&items, &right), columns);
    assert_eq!((found[2].value, found[2].expected), (Some(100.0), None));
}
