//! Every benchmark's tables for answers made up so that the values are known beforehand: all right, all wrong, always
//! the first option, always the first letter. On the released files where they are there, and on the small files of this
//! project for sets that are not released.

use std::collections::BTreeMap;

use serde_json::Value;
use tomeval::internal::LoadError;
use tomeval::internal::TrialOutcome;
use tomeval::internal::{Cell, ResultRow, TableResult};
use tomeval::{
    Answer, Benchmark, Format, Item, Language, Layout, LoadOptions, OptionIx, Order, Outcome, Report, Respondent,
    Results, Setting, Ties, View, evaluate, render,
};

use crate::support::files::read_json;
use crate::support::released::{absent, data, released, small};

const RELEASED: [Benchmark; 5] =
    [Benchmark::HiToM, Benchmark::MultiToM, Benchmark::ToMi, Benchmark::NegotiationToM, Benchmark::ToMValley];

const SMALL: [(Benchmark, &str); 4] = [
    (Benchmark::XToMi, "paper"),
    (Benchmark::XFanToM, "all"),
    (Benchmark::FanToM, ""),
    (Benchmark::XNegotiationToM, ""),
];

/// The released items; `None` with a line that says so where the files are absent.
fn items(benchmark: Benchmark) -> Option<Vec<Item>> {
    match benchmark.load(&data(), &LoadOptions::default()) {
        Ok(loaded) => Some(loaded.items),
        Err(LoadError::Absent { .. }) => {
            absent(benchmark.name());
            None
        }
        Err(error) => panic!("{benchmark}: {error}"),
    }
}

fn small_items(benchmark: Benchmark, questions: &str) -> Vec<Item> {
    let choices = match questions {
        "" => Default::default(),
        _ => [("questions".to_string(), questions.to_string())].into_iter().collect(),
    };
    benchmark.load(&small(), &LoadOptions { choices, ..LoadOptions::default() }).unwrap().items
}

/// One answer to every item.
fn answer<'a>(items: &'a [Item], condition: Option<&str>, choose: impl Fn(&Item) -> Answer) -> Vec<Outcome<'a>> {
    let outcome = |item| {
        let choice = Some(choose(item));
        let trial =
            TrialOutcome { order: None, count: 1, choice, logprobs: None, tied: false, failure: None, reading: None };
        Outcome::new(item, "vanilla", condition.map(str::to_string), vec![trial], Ties::default())
    };
    items.iter().map(outcome).collect()
}

fn results(benchmark: Benchmark, items: &[Item], outcomes: &[Outcome<'_>]) -> Results {
    let layout = Layout::parse(benchmark.card_text()).unwrap();
    let setting = Setting {
        benchmark,
        title: benchmark.name(),
        by: Respondent { label: "made up", answers: "letters" },
        items,
        layout: &layout,
        seed: 0,
    };
    evaluate(&setting, outcomes)
}

fn right(item: &Item) -> Answer {
    item.gold.clone()
}

/// An answer without any right part, the same in every language.
fn wrong(item: &Item) -> Answer {
    let next = |option: &OptionIx| OptionIx((option.0 + 1) % item.options.len());
    match &item.gold {
        Answer::Single(option) => Answer::Single(next(option)),
        Answer::Slots(options) => Answer::Slots(options.iter().map(next).collect()),
        Answer::Labels(gold) => {
            Answer::Labels((0..item.options.len()).map(OptionIx).filter(|option| !gold.contains(option)).collect())
        }
    }
}

fn first(item: &Item) -> Answer {
    match &item.gold {
        Answer::Single(_) => Answer::Single(OptionIx(0)),
        Answer::Slots(options) => Answer::Slots(vec![OptionIx(0); options.len()]),
        Answer::Labels(_) => Answer::Labels([OptionIx(0)].into_iter().collect()),
    }
}

/// What a column of a card holds, read from the card without the program's own types.
fn kinds(benchmark: Benchmark) -> BTreeMap<(String, String), String> {
    let card: toml::Table = benchmark.card_text().parse().unwrap();
    let mut kinds = BTreeMap::new();
    for table in card["tables"].as_array().unwrap() {
        let text = |value: &toml::Value, key: &str| value.get(key).map(|text| text.as_str().unwrap().to_string());
        for column in table["columns"].as_array().unwrap() {
            let derived =
                ["mean", "difference", "range", "unavailable"].into_iter().find(|key| column.get(key).is_some());
            let measure = text(column, "measure").or_else(|| text(table, "measure")).unwrap_or("accuracy".to_string());
            let kind = derived.map_or(measure, str::to_string);
            kinds.insert((text(table, "id").unwrap(), text(column, "name").unwrap()), kind);
        }
    }
    kinds
}

/// Compare every cell that has a value with what its kind of column must hold; return how many there were.
fn check_all(benchmark: Benchmark, results: &Results, expected: impl Fn(&str) -> Option<f64>) -> usize {
    let kinds = kinds(benchmark);
    let mut checked = 0;
    for table in &results.tables {
        for row in &table.rows {
            for (column, cell) in table.columns.iter().zip(&row.cells) {
                let kind = &kinds[&(table.id.clone(), column.clone())];
                let (Some(value), Some(expected)) = (cell.value, expected(kind)) else { continue };
                let place = format!("{benchmark}, {}, {:?}, {column}", table.id, row.key);
                assert!((value - expected).abs() < 1e-9, "{place}: {value}, expected {expected}");
                checked += 1;
            }
        }
    }
    checked
}

fn when_all_are_right(kind: &str) -> Option<f64> {
    match kind {
        "accuracy" | "exact-match" | "joint-accuracy" | "coherent" | "micro-f1" | "weighted-f1" | "same-and-right"
        | "fully-correct" | "answered" | "mean" => Some(100.0),
        "coherent-drop"
        | "same-and-wrong"
        | "mixed"
        | "direct-right-cultural-wrong"
        | "local-error"
        | "restoration-error"
        | "full-error"
        | "difference"
        | "range" => Some(0.0),
        // Macro F1 counts labels that a cell never has; the others are facts about the data.
        "macro-f1" | "repeats-first-order" | "gold-repeats-first-order" | "irrelevant" | "unavailable" => None,
        other => panic!("say what `{other}` is when all answers are right"),
    }
}

fn when_all_are_wrong(kind: &str) -> Option<f64> {
    match kind {
        "same-and-wrong" | "full-error" | "answered" => Some(100.0),
        "repeats-first-order" | "gold-repeats-first-order" | "unavailable" => None,
        _ => Some(0.0),
    }
}

#[test]
fn right_and_wrong_answers_give_the_ends_of_every_scale() {
    let released = RELEASED.into_iter().filter_map(|benchmark| Some((benchmark, items(benchmark)?)));
    let small = SMALL.into_iter().map(|(benchmark, questions)| (benchmark, small_items(benchmark, questions)));
    for (benchmark, items) in released.chain(small) {
        let all_right = results(benchmark, &items, &answer(&items, None, right));
        assert!(check_all(benchmark, &all_right, when_all_are_right) > 0, "{benchmark}");
        assert_eq!(all_right.counts.accuracy_bounds, Some((100.0, 100.0)), "{benchmark}");
        let all_wrong = results(benchmark, &items, &answer(&items, None, wrong));
        assert!(check_all(benchmark, &all_wrong, when_all_are_wrong) > 0, "{benchmark}");
        assert_eq!(all_wrong.counts.accuracy_bounds, Some((0.0, 0.0)), "{benchmark}");
    }
}

fn table<'a>(results: &'a Results, id: &str) -> &'a TableResult {
    results.tables.iter().find(|table| table.id == id).unwrap_or_else(|| panic!("no table {id}"))
}

fn row<'a>(table: &'a TableResult, key: &[(&str, &str)]) -> &'a ResultRow {
    let wanted = |row: &&ResultRow| key.iter().all(|(facet, value)| row.key[*facet] == **value);
    table.rows.iter().find(wanted).unwrap_or_else(|| panic!("no row {key:?} in {}", table.id))
}

fn cell<'a>(results: &'a Results, id: &str, key: &[(&str, &str)], column: &str) -> &'a Cell {
    let table = table(results, id);
    let at = table.columns.iter().position(|name| name == column).unwrap_or_else(|| panic!("no column {column}"));
    &row(table, key).cells[at]
}

#[track_caller]
fn check(cell: &Cell, value: f64, n: usize) {
    let found = cell.value.unwrap_or_else(|| panic!("no value: {:?}", cell.reason));
    assert!((found - value).abs() < 1e-9 && cell.n == n, "{found} of {}, expected {value} of {n}", cell.n);
}

#[track_caller]
fn check_count(cell: &Cell, right: usize, n: usize) {
    check(cell, 100.0 * right as f64 / n as f64, n);
}

/// Letter counts are those of the data's description.
#[test]
fn the_first_option_of_hi_tom_and_multi_tom_is_right_as_often_as_a_is_the_answer() {
    if let Some(items) = items(Benchmark::HiToM) {
        let results = results(Benchmark::HiToM, &items, &answer(&items, None, first));
        for (prompting, a) in [("CoTP", 51), ("VP", 88)] {
            let halves =
                ["w/o dec.", "w/ dec."].map(|name| cell(&results, "accuracy", &[("prompting", prompting)], name));
            assert_eq!(halves.map(|half| half.n), [300, 300]);
            let right: f64 = halves.iter().map(|half| half.value.unwrap() * 3.0).sum();
            assert!((right - f64::from(a)).abs() < 1e-9, "{prompting}: {right}");
            // Whoever always takes the first option repeats himself.
            for order in ["order 2", "order 3", "order 4"] {
                check(cell(&results, "repeats", &[("prompting", prompting)], order), 100.0, 120);
            }
        }
    }
    if let Some(items) = items(Benchmark::MultiToM) {
        let results = results(Benchmark::MultiToM, &items, &answer(&items, None, first));
        for language in ["en", "zh"] {
            check_count(cell(&results, "averages", &[("language", language)], "all questions"), 115, 502);
        }
        check_count(cell(&results, "consistency", &[("variant", "direct")], "same and right"), 115, 502);
        check_count(cell(&results, "consistency", &[("variant", "direct")], "same and wrong"), 387, 502);
    }
}

/// The first container of a ToMi story is where the object was at first: never where it is really.
#[test]
fn the_first_container_answers_memory_and_false_beliefs() {
    let Some(items) = items(Benchmark::ToMi) else { return };
    let results = results(Benchmark::ToMi, &items, &answer(&items, None, first));
    let column = |name: &str| cell(&results, "questions", &[], name);
    for (name, value, n) in [
        ("Memory", 100.0, 999),
        ("Reality", 0.0, 999),
        ("1st belief", 100.0, 404),
        ("2nd belief", 100.0, 550),
        ("Belief", 100.0, 954),
        ("1st, no false belief", 0.0, 1594),
        ("2nd, no false belief", 0.0, 1448),
    ] {
        check(column(name), value, n);
    }
    check_count(column("All"), 999 + 954, 5994);
}

#[test]
fn the_first_label_of_negotiations_scores_what_its_count_gives() {
    let Some(folder) = released("negotiationtom") else { return };
    let raw = read_json(&folder.join("NegotiationToM.json"));
    let not_given = |mind: &str| {
        let rows = raw.as_array().unwrap().iter();
        let agents = rows.flat_map(|row| ["agent1", "agent2"].map(|agent| (row, agent)));
        let empty = |(row, agent): &(&Value, &str)| {
            ["high", "medium", "low"].iter().all(|level| row[format!("{agent}_{mind}_{level}")] == "Not Given")
        };
        agents.filter(empty).count()
    };
    let items = items(Benchmark::NegotiationToM).unwrap();
    let results = results(Benchmark::NegotiationToM, &items, &answer(&items, None, first));
    let column = |name: &str| cell(&results, "dimensions", &[], name);
    check_count(column("Belief"), not_given("belief"), 4604);
    check_count(column("Desire"), not_given("desire"), 4604);
    // Build-Rapport is right 1,054 times; 4,618 utterances have 5,620 labels.
    check(column("Intention (micro F1)"), 100.0 * 2.0 * 1054.0 / (4618.0 + 5620.0), 4618);
    check(column("Intention (macro F1)"), 100.0 * (2.0 * 1054.0 / (4618.0 + 1054.0)) / 9.0, 4618);
}

/// What a constant answer has stands beside every value, and is that answer's own value.
#[test]
fn the_best_constant_answer_stands_beside_chance() {
    let constant = |cell: &Cell| (cell.constant.unwrap(), cell.constant_answer.clone().unwrap());
    if let Some(items) = items(Benchmark::ToMi) {
        let results = results(Benchmark::ToMi, &items, &answer(&items, None, right));
        let second = cell(&results, "questions", &[], "2nd belief");
        assert_eq!((second.chance, constant(second)), (Some(50.0), (100.0, "option A".to_string())));
        // Where the object was and where it is are two containers: no constant answer has a whole story.
        assert_eq!(results.tables[0].id, "together");
        assert!(results.tables[0].rows[0].cells.iter().all(|cell| cell.constant == Some(0.0)));
    }
    if let Some(items) = items(Benchmark::HiToM) {
        let results = results(Benchmark::HiToM, &items, &answer(&items, None, right));
        let key = [("prompting", "VP"), ("deception", "no"), ("length", "1")];
        let (value, answer) = constant(cell(&results, "joint", &key, "order 0"));
        assert!(value >= 90.0 && answer == "the option named last", "{value} {answer}");
    }
    if let Some(items) = items(Benchmark::NegotiationToM) {
        let results = results(Benchmark::NegotiationToM, &items, &answer(&items, None, right));
        let first = table(&results, "rounds").rows.first().unwrap();
        let (value, answer) = constant(&first.cells[0]);
        assert_eq!(answer, "Not given + Not given + Not given");
        assert!((first.cells[0].chance.unwrap() - 100.0 / 64.0).abs() < 0.1 && (value - 59.8).abs() < 0.1, "{value}");
        let micro = cell(&results, "dimensions", &[], "Intention (micro F1)");
        assert!((micro.constant.unwrap() - 37.4).abs() < 0.05, "{micro:?}");
        assert!(micro.chance.is_some_and(|chance| chance > 15.0 && chance < 25.0), "{micro:?}");
    }
}

/// A context is answered with the first option of every question: counts are taken from the raw files.
#[test]
fn the_first_option_of_tomvalley_scores_its_share_of_each_column() {
    let Some(folder) = released("tomvalley") else { return };
    let folder = folder.join("sample");
    let loaded = Benchmark::ToMValley.load(&folder, &LoadOptions::default()).unwrap();
    let mut raw: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let trials: std::collections::BTreeSet<&str> =
        loaded.items.iter().filter_map(|item| item.id.split('/').nth(1)).collect();
    for trial in trials {
        let path = folder.join(format!("trial{trial}/question_new.json"));
        let questions: BTreeMap<String, Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        for (id, question) in questions {
            let count = raw.entry(id[..id.rfind('_').unwrap()].to_string()).or_default();
            count.0 += usize::from(question["true answer"] == "a");
            count.1 += 1;
        }
    }
    let results = results(Benchmark::ToMValley, &loaded.items, &answer(&loaded.items, None, first));
    let sum =
        |families: &[&str]| families.iter().fold((0, 0), |(a, n), family| (a + raw[*family].0, n + raw[*family].1));
    let of = |column: &str, (right, n)| check_count(cell(&results, "items", &[], column), right, n);
    of("Understanding", sum(&["type_a_what"]));
    of("Influence", sum(&["type_c_how"]));
    of("Transformation", sum(&["type_d_whether", "type_d_why", "type_d_how"]));
    let all = raw.values().fold((0, 0), |(a, n), count| (a + count.0, n + count.1));
    check_count(cell(&results, "columns", &[], "AVG"), all.0, all.1);
    let shares = ["Fully correct", "Local error", "Restoration error", "Full error"]
        .map(|status| cell(&results, "composition", &[], status).value.unwrap());
    assert!((shares.iter().sum::<f64>() - 100.0).abs() < 1e-9, "{shares:?}");
}

/// Under all cyclic orders of each question, the first letter is each option once.
#[test]
fn a_constant_letter_has_full_recall_in_its_slot_and_none_elsewhere() {
    for benchmark in [Benchmark::HiToM, Benchmark::MultiToM, Benchmark::ToMi] {
        let Some(items) = items(benchmark) else { continue };
        let outcomes: Vec<Outcome<'_>> = items
            .iter()
            .map(|item| {
                let options = item.options.len();
                let trial = |shift: usize| {
                    let order: Vec<usize> = (0..options).map(|slot| (slot + shift) % options).collect();
                    let choice = Some(Answer::Single(OptionIx(shift)));
                    let order = Some(Order::try_from(order).unwrap());
                    TrialOutcome { order, count: 1, choice, logprobs: None, tied: false, failure: None, reading: None }
                };
                Outcome::new(item, "vanilla", None, (0..options).map(trial).collect(), Ties::default())
            })
            .collect();
        for effects in results(benchmark, &items, &outcomes).order_effects {
            let chance = 100.0 / effects.options as f64;
            assert!((effects.single_order.value.unwrap() - chance).abs() < 1e-9, "{benchmark}");
            let recall: Vec<f64> = effects.recall.iter().map(|slot| slot.value.unwrap()).collect();
            assert!(recall[0] == 100.0 && recall[1..].iter().all(|&other| other == 0.0), "{benchmark}: {recall:?}");
        }
    }
}

/// Right in English only: no question has the same answer everywhere, and English is preferred by the whole scale.
#[test]
fn answers_right_in_one_language_are_mixed_in_all() {
    let english_only = |item: &Item| if item.language == Language::En { right(item) } else { wrong(item) };
    for (benchmark, questions) in
        [(Benchmark::XToMi, "paper"), (Benchmark::XFanToM, ""), (Benchmark::XNegotiationToM, "")]
    {
        let items = small_items(benchmark, questions);
        let results = results(benchmark, &items, &answer(&items, None, english_only));
        for (column, cell) in
            table(&results, "consistency").columns.iter().zip(&row(table(&results, "consistency"), &[]).cells)
        {
            let expected = if column.ends_with("mixed") { 100.0 } else { 0.0 };
            assert_eq!(cell.value, Some(expected), "{benchmark}: {column}");
            assert_eq!(cell.unit, "questions");
        }
        check(cell(&results, "preference", &[], "en"), 100.0, cell(&results, "preference", &[], "en").n);
        assert_eq!(cell(&results, "preference", &[], "zh").value, Some(0.0));
        assert_eq!(cell(&results, "preference", &[], "range").value, Some(100.0));
    }
}

#[test]
fn english_instructions_have_a_table_of_their_own_beside_the_papers_figures() {
    let items = small_items(Benchmark::XToMi, "paper");
    let mut outcomes = answer(&items, None, wrong);
    outcomes.extend(answer(&items, Some("english-instructions"), right));
    let results = results(Benchmark::XToMi, &items, &outcomes);
    for (id, value) in [("accuracy", 0.0), ("english-instructions", 100.0)] {
        assert_eq!(table(&results, id).rows.len(), 5, "{id}");
        assert_eq!(cell(&results, id, &[("language", "ja")], "Average").value, Some(value), "{id}");
    }
    assert!(table(&results, "accuracy").published.iter().all(|row| row.source == "Table 9"));
    let published = &table(&results, "english-instructions").published;
    assert_eq!(published.len(), 12, "of the style asked in");
    assert!(published.iter().all(|row| row.source == "Table 11" && row.key["language"] != "en"));
}

/// Facts right and beliefs wrong are errors of reasoning, the reverse is an error about the fact.
#[test]
fn errors_are_told_apart_by_the_fact_question_of_the_set() {
    let items = small_items(Benchmark::XFanToM, "");
    let by = |fact: bool, belief: bool| {
        answer(&items, None, move |item| match (item.facet("dimension"), fact, belief) {
            (Some("fact"), true, _) | (Some("belief"), _, true) => right(item),
            _ => wrong(item),
        })
    };
    for (fact, belief, column) in [
        (true, true, "Both right"),
        (true, false, "Reasoning error"),
        (false, false, "Language error"),
        (false, true, "Fact error"),
    ] {
        let results = results(Benchmark::XFanToM, &items, &by(fact, belief));
        for row in &table(&results, "errors").rows {
            for (name, cell) in table(&results, "errors").columns.iter().zip(&row.cells) {
                let expected = (name != "Irrelevant").then_some(if name == column { 100.0 } else { 0.0 });
                assert_eq!(cell.value, expected, "{column}: {name}");
            }
        }
    }
}

/// One wrong list spoils its set.
#[test]
fn a_set_counts_only_when_all_its_questions_are_right() {
    let items = small_items(Benchmark::FanToM, "");
    let spoiled = |item: &Item| match item.id.as_str() {
        "fantom/3-0-0/answerability-list/0/en" => wrong(item),
        _ => right(item),
    };
    let before = results(Benchmark::FanToM, &items, &answer(&items, None, right));
    let after = results(Benchmark::FanToM, &items, &answer(&items, None, spoiled));
    let sets = cell(&before, "knowledge", &[], "ALL").n;
    check(cell(&before, "knowledge", &[], "ALL"), 100.0, sets);
    check_count(cell(&after, "knowledge", &[], "ALL"), sets - 1, sets);
    for unavailable in ["ALL*", "Fact token F1", "Belief distance"] {
        assert_eq!(cell(&after, "knowledge", &[], unavailable).value, None);
    }
}

/// Culture makes every question wrong in Hindi and none elsewhere.
#[test]
fn questions_lost_to_culture_are_counted_and_listed() {
    let items = small_items(Benchmark::MultiToM, "");
    let lost = |item: &Item| item.language == Language::Hi && item.facet("variant") == Some("cultural");
    let answers = answer(&items, None, |item| if lost(item) { wrong(item) } else { right(item) });
    let results = results(Benchmark::MultiToM, &items, &answers);
    for (language, value) in [("hi", 100.0), ("ru", 0.0)] {
        let column = |name| cell(&results, "variants", &[("language", language)], name);
        check(column("right on direct, wrong on cultural"), value, 3);
        assert_eq!(column("cultural - direct").value, Some(-value));
    }
    let ids = &results.listings[0].ids;
    assert_eq!(ids.len(), 3);
    assert!(ids.iter().all(|id| id.ends_with("/hi/cultural")), "{ids:?}");
    let report = Report::new("made up", Default::default(), vec![results]);
    let csv = render(&report, Format::Csv, &View::WHOLE);
    let listed = csv.lines().filter(|line| line.contains(",direct-right-cultural-wrong,listed,made up,vanilla,,item="));
    assert_eq!(listed.count(), 3);
    let markdown = render(&report, Format::Markdown, &View::WHOLE);
    assert!(
        markdown.contains("wrong in the cultural variant: made up (letters, vanilla), 3\n\n- `multi-tom/"),
        "{markdown}"
    );
}
