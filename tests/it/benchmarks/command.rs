//! `tomeval data` as users see it: output, JSON documents, exit codes.

use std::collections::BTreeSet;

use predicates::str::{contains, is_empty};
use serde::Deserialize;
use serde_json::Value;

use crate::support::context::{Output, TestContext};
use crate::support::files::copy_folder;
use crate::support::released::{released, small};
use tomeval::Benchmark;

fn data(arguments: &[&str]) -> Output {
    TestContext::new().run(&[&["data"], arguments].concat())
}

fn output(arguments: &[&str], code: i32) -> String {
    data(arguments).code(code).stdout
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the fields are the interface: reading them is the test")]
struct Line {
    id: String,
    benchmark: String,
    language: String,
    parallel: String,
    story: String,
    context: Vec<Context>,
    question: String,
    options: Vec<String>,
    gold: Vec<usize>,
    gold_kind: String,
    facets: serde_json::Map<String, Value>,
    fields: serde_json::Map<String, Value>,
    flags: Vec<Flag>,
    canary: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Context {
    kind: String,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the fields are the interface: reading them is the test")]
struct Flag {
    name: String,
    detail: String,
}

#[test]
fn items_are_json_lines_with_the_documented_fields() {
    let text = output(&["items", "--benchmark", "demo", "--language", "zh"], 0);
    let lines: Vec<Line> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 62);
    assert!(lines[0].canary.is_some() && lines[1..].iter().all(|line| line.canary.is_none()));
    for line in &lines {
        assert_eq!((line.language.as_str(), line.gold_kind.as_str()), ("zh", "single"));
        assert!(line.gold.iter().all(|&option| option < line.options.len()));
        assert!(!line.context[0].text.is_empty() && line.context[0].kind == "story");
    }
    assert_eq!(lines.iter().map(|line| line.id.as_str()).collect::<BTreeSet<_>>().len(), 62);
}

#[test]
fn right_to_left_and_indic_text_survives() {
    let data = small();
    let text =
        output(&["items", "-b", "multi-tom", "--data", data.to_str().unwrap(), "-l", "ar", "-l", "hi", "-l", "bn"], 0);
    assert_eq!(text.lines().count(), 18);
    for words in ["هل ما تقوله روزا صحيح؟", "लीना गेंद पहले कहाँ ढूँढेगी?", "রোজা যা বলে তা কি সত্যি?"]
    {
        assert!(text.contains(words), "{words}");
    }
}

#[test]
fn languages_that_the_files_lack_are_told_from_those_the_benchmark_lacks() {
    let context = TestContext::new();
    let english = "multi-tom/ToMFiltration-english";
    copy_folder(&small().join(english), &context.path(english));
    data(&["items", "-b", "multi-tom", "--data", context.folder().to_str().unwrap(), "-l", "ar"])
        .code(2)
        .with_stderr(contains("they contain en (the benchmark was published in en, zh, ar, fr, hi, bn, ru)"));
}

#[test]
fn files_that_are_missing_make_exit_code_1_and_are_named() {
    data(&["check", "--benchmark", "tombench", "--data", small().to_str().unwrap()])
        .code(1)
        .with_stdout(contains("DIFFERS"))
        .with_stdout(contains("Hidden Emotions.jsonl"))
        .with_stdout(contains("two-abilities"));
}

#[test]
fn check_as_json_says_what_was_found_and_expected() {
    let document: Value = serde_json::from_str(&output(&["check", "--benchmark", "demo", "--json"], 0)).unwrap();
    assert_eq!((&document["version"], &document["labels"]), (&1.into(), &"published".into()));
    let demo = &document["benchmarks"][0];
    assert_eq!(demo["benchmark"], "demo");
    assert_eq!(demo["problems"].as_array().unwrap().len(), 0);
    let counts = demo["counts"].as_array().unwrap();
    assert!(counts.iter().all(|count| count["found"] == count["expected"]), "{counts:?}");
    assert!(counts.iter().any(|count| count["count"] == "ability" && count["found"] == 31));
}

#[test]
fn an_absent_benchmark_is_exit_code_2_with_where_to_get_it() {
    for (arguments, expected) in [
        (&["check", "--benchmark", "tombench", "--data", "no/such/folder"][..], "github.com/zhchen18/ToMBench"),
        (&["items", "--benchmark", "multi-tom"][..], "Jayanta47/Multi-ToM"),
        (&["stats", "--benchmark", "custom", "--data", "no.csv"][..], "no.csv"),
    ] {
        data(arguments).code(2).with_stdout(is_empty()).with_stderr(contains(expected));
    }
}

#[test]
fn an_unknown_benchmark_is_exit_code_2_with_the_nearest_name() {
    data(&["items", "--benchmark", "tombensh"]).code(2).with_stderr(contains("tombench"));
}

#[test]
fn a_custom_file_is_loaded_checked_and_counted() {
    let context = TestContext::new();
    let rows = "question,option_a,option_b,answer,task\nWho?,Ann,Bo,B,names\nWhy?,fun,,A,reasons\n";
    let path = context.write("mine.csv", rows);
    let path = path.to_str().unwrap();
    let text = output(&["items", "-b", "custom", "--data", path], 1);
    assert_eq!(text.lines().count(), 1);
    let line: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&line["id"], &line["gold"][0], &line["facets"]["task"]),
        (&"custom/0/en".into(), &1.into(), &"names".into())
    );
    data(&["check", "-b", "custom", "--data", path]).code(1).with_stdout(contains("line 3, options"));
}

#[test]
fn stats_name_their_word_segmenters() {
    let text = output(&["stats", "--benchmark", "demo", "--by", "dimension", "--json"], 0);
    let document: Value = serde_json::from_str(&text).unwrap();
    assert!(document["word_segmentation"]["zh"].as_str().unwrap().contains("jieba"));
    assert!(document["word_segmentation"]["en"].as_str().unwrap().contains("ICU"));
    let groups = document["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 14, "six dimensions and the total, in two languages");
    let total = groups.iter().find(|group| group["by"].is_null() && group["language"] == "en").unwrap();
    assert_eq!((&total["questions"], &total["stories"]), (&62.into(), &24.into()));
    let words = total["mean_words"].as_f64().unwrap();
    assert!((30.0..60.0).contains(&words), "{words}");
}

/// ToMBench's Tables 1 and 18 count a story once for each ability that its questions are about.
#[test]
fn stories_are_counted_as_tombenchs_paper_does_and_once_each() {
    let Some(folder) = released("tombench") else { return };
    let groups = |by: &str| {
        let text = output(
            &["stats", "-b", "tombench", "--data", folder.to_str().unwrap(), "-l", "en", "--by", by, "--json"],
            0,
        );
        let document: Value = serde_json::from_str(&text).unwrap();
        document["groups"].as_array().unwrap().clone()
    };
    let counts = |group: &Value| {
        ["stories", "stories_by_ability", "questions"]
            .map(|key| group[key].as_u64().unwrap_or_else(|| panic!("{group}")))
    };
    let dimensions = groups("dimension");
    for (dimension, published, questions) in [
        ("Emotion", 300, 420),
        ("Desire", 160, 180),
        ("Intention", 273, 340),
        ("Knowledge", 170, 290),
        ("Belief", 440, 882),
        // The paper has 241: its 140 faux-pas stories are 141 in the files.
        ("Non-Literal Communication", 242, 748),
    ] {
        let group = dimensions.iter().find(|group| group["value"] == dimension).unwrap();
        let [_, found, asked] = counts(group);
        assert_eq!((found, asked), (published, questions), "{dimension}");
    }
    assert_eq!(dimensions.len(), 7, "every question is about one dimension");
    assert_eq!(counts(&dimensions[6]), [1185, 1585, 2860]);
    let tasks = groups("task");
    let [in_tasks, all] = &tasks[tasks.len() - 2..] else { unreachable!() };
    assert_eq!((&in_tasks["by"], &in_tasks["value"], &all["by"]), (&"task".into(), &Value::Null, &Value::Null));
    let [stories, _, questions] = counts(in_tasks);
    assert_eq!((stories, questions), (934 + 1, 2470), "the task view leaves out what belongs to no task");
    let text = output(&["stats", "-b", "tombench", "--data", folder.to_str().unwrap(), "-l", "en", "--by", "task"], 0);
    assert!(text.contains("#S/ability") && text.contains("all with task"), "{text}");
}

/// Multi-ToM's Table 3 b counts the direct Chinese set with jieba.
#[test]
fn chinese_story_lengths_are_those_of_multi_toms_paper() {
    let Some(folder) = released("multi-tom") else { return };
    let data = folder.to_str().unwrap();
    let text = output(&["stats", "-b", "multi-tom", "--data", data, "-l", "zh", "--by", "task", "--json"], 0);
    let document: Value = serde_json::from_str(&text).unwrap();
    let published = [
        ("Unexpected Outcome Test", 38.33),
        ("Scalar Implicature Task", 48.78),
        ("Persuasion Story Task", 33.11),
        ("False Belief Task", 44.28),
        ("Ambiguous Story Task", 109.72),
        ("Hinting Test", 54.40),
        ("Strange Story Task", 69.63),
        ("Faux-pas Recognition Test", 93.07),
    ];
    for (task, expected) in published {
        let group = document["groups"].as_array().unwrap().iter().find(|group| group["value"] == task).unwrap();
        let found = group["mean_pieces"].as_f64().unwrap();
        assert!((found - expected).abs() < 0.006, "{task}: {found} against {expected}, which is rounded to 0.01");
    }
}

/// The figures of `data stats --json` for a paper's table, by row: what was found beside what is printed.
fn printed(benchmark: &str, folder: &std::path::Path, source: &str, more: &[&str]) -> Vec<(String, Vec<Value>)> {
    let arguments = [&["stats", "--json", "-b", benchmark, "--data", folder.to_str().unwrap()], more].concat();
    let document: Value = serde_json::from_str(&output(&arguments, 0)).unwrap();
    let tables = document["printed"].as_array().unwrap_or_else(|| panic!("{benchmark}: nothing is printed"));
    let of_source = tables.iter().filter(|table| table["source"] == source);
    let rows = of_source.flat_map(|table| table["rows"].as_array().unwrap());
    rows.map(|row| (row["name"].as_str().unwrap().into(), row["figures"].as_array().unwrap().clone())).collect()
}

fn found(figures: &[Value]) -> Vec<Option<f64>> {
    figures.iter().map(|figure| figure["found"].as_f64().map(|found| (found * 100.0).round() / 100.0)).collect()
}

#[test]
fn statistics_of_the_released_sets_stand_beside_the_printed_ones() {
    if let Some(folder) = released("tombench") {
        let rows = printed("tombench", &folder, "Chen et al. 2024, Table 1", &[]);
        assert_eq!(rows.len(), 9 + 7);
        let (name, all) = &rows[0];
        assert_eq!((&name[..], &found(all)[..2]), ("*", &[Some(935.0), Some(2470.0)][..]));
        assert!(all[0]["differs"] == true && all[0]["remarks"][0].as_str().unwrap().contains("141"), "{all:?}");
        assert!(all[1]["differs"] == false && all[1].get("remarks").is_none() && all[4]["reason"].is_string());
        // Exactly the printed lengths in most tasks.
        assert!(rows.iter().filter(|(_, figures)| figures[3]["differs"] == false).count() >= 6, "{rows:?}");
        assert_eq!(printed("tombench", &folder, "Chen et al. 2024, Table 18", &["-l", "en"]).len(), 31);
    }
    if let Some(folder) = released("hi-tom") {
        let rows = printed("hi-tom", &folder, "He et al. 2023, Table 4", &[]);
        assert_eq!(found(&rows[0].1), [26.25, 5.0, 5.7].map(Some));
        let rows = printed("hi-tom", &folder, "He et al. 2023, section 3.3", &[]);
        let quarters = found(&rows[0].1).into_iter().map(|share| (share.unwrap() * 10.0).round() / 10.0);
        assert_eq!(quarters.collect::<Vec<_>>(), [29.2, 28.8, 15.8, 26.2]);
    }
    if let Some(folder) = released("tomvalley") {
        let rows = printed("tomvalley", &folder, "Anonymous 2024, Table 1", &[]);
        let figures = found(&rows[0].1);
        assert_eq!(figures[..5], [Some(4.0), None, Some(5500.0), Some(1100.0), Some(78100.0)]);
        assert_eq!(figures[6], Some(77.5));
        assert!((518.0..521.0).contains(&figures[5].unwrap()), "{figures:?}");
    }
}

/// Made files hold fewer questions than Table 6 counts, in all five languages.
#[test]
fn statistics_over_all_languages_need_all_of_them() {
    let rows = |more: &[&str]| printed("xtomi", &small(), "Chan et al. 2025, Table 6", more)[0].1.clone();
    let all = rows(&[]);
    assert!(all.iter().all(|figure| figure["found"].as_f64().unwrap() > 0.0 && figure["differs"] == true), "{all:?}");
    assert_eq!(all[0]["printed"], 3235.0);
    let some = rows(&["-l", "en,zh"]);
    assert!(some.iter().all(|figure| figure["found"].is_null() && figure["reason"].is_string()), "{some:?}");
    let words = &printed("xtomi", &small(), "Chan et al. 2025, Table 1", &["-l", "en"])[0].1;
    assert!(words[0]["found"].as_f64().unwrap() > 5.0 && words[1]["found"].is_null(), "{words:?}");
}

#[test]
fn lengths_are_counted_in_tokens_of_any_tokenizer_and_facets_are_crossed() {
    let tokenizer = crate::support::fixture("llama/tokenizer.json");
    let tokenizer = tokenizer.to_str().unwrap();
    let text = output(&["stats", "-b", "demo", "-l", "en", "--tokenizer", tokenizer, "--json"], 0);
    let document: Value = serde_json::from_str(&text).unwrap();
    let total = document["groups"].as_array().unwrap().last().unwrap();
    let [tokens, words] = ["mean_tokens", "mean_words"].map(|key| total[key].as_f64().unwrap());
    assert!(tokens > words && document["tokenizer"].as_str().unwrap().ends_with("tokenizer.json"), "{tokens} {words}");
    data(&["stats", "-b", "demo", "--tokenizer", "no/such.json"])
        .code(2)
        .with_stderr(contains("--tokenizer no/such.json"));

    let text = output(&["stats", "-b", "demo", "-l", "en", "--by", "dimension,ability", "--json"], 0);
    let document: Value = serde_json::from_str(&text).unwrap();
    let table = &document["crossed"][0];
    assert_eq!(table["columns"].as_array().unwrap().len(), 31);
    let counts = table["rows"].as_object().unwrap().values().flat_map(|row| row.as_array().unwrap());
    assert_eq!(counts.map(|count| count.as_u64().unwrap()).sum::<u64>(), 62);
    data(&["stats", "-b", "demo", "--by", "a,b,c"]).code(2).with_stderr(contains("at most two facets"));
}

#[test]
fn shortcuts_are_looked_for_in_parts_of_enough_stories() {
    data(&["check", "-b", "demo"]).code(0).with_stdout(contains("No shortcut was looked for"));
    let context = TestContext::new();
    let row = |n: usize| format!("Ann is at {n}.,Is it so?,{},{},A\n", "long enough ".repeat(n % 3 + 2), n);
    let rows: String = (0..40).map(row).collect();
    let path = context.write("mine.csv", format!("story,question,option_a,option_b,answer\n{rows}"));
    let path = path.to_str().unwrap();
    data(&["check", "-b", "custom", "--data", path])
        .code(0)
        .with_stdout(contains("always option A"))
        .with_stdout(contains("the longest option"));
    let text = output(&["check", "-b", "custom", "--data", path, "--json"], 0);
    let document: Value = serde_json::from_str(&text).unwrap();
    let shortcuts = document["benchmarks"][0]["shortcuts"].as_array().unwrap();
    let place = shortcuts.iter().find(|shortcut| shortcut["rule"] == "same-place").unwrap();
    assert_eq!((&place["accuracy"], &place["chance"], &place["stories"]), (&100.0.into(), &50.0.into(), &40.into()));
    // Runs on these questions say so.
    let answers: String = (0..40).map(|n| format!("{{\"id\": \"custom/{n}/en\", \"choice\": 0}}\n")).collect();
    let answers = context.write("answers.jsonl", answers);
    let score = ["score", "-b", "custom", "--data", path, "--answers", answers.to_str().unwrap()];
    let report = context.run(&score).success();
    assert!(report.stdout.contains("shortcut: always option A gets 100.0 in en, 2 options"), "{}", report.stdout);
}

#[test]
fn the_list_names_every_benchmark() {
    let text = output(&["list"], 0);
    let document: Value = serde_json::from_str(&output(&["list", "--json"], 0)).unwrap();
    let listed: Vec<&str> =
        document["benchmarks"].as_array().unwrap().iter().filter_map(|entry| entry["name"].as_str()).collect();
    assert_eq!(listed, Benchmark::ALL.map(Benchmark::name));
    assert!(listed.len() > 20 && listed.iter().all(|name| text.contains(name)), "{text}");
}

#[test]
fn made_data_are_what_they_are() {
    let context = TestContext::new();
    let data = context.path("made");
    let data = data.to_str().unwrap();
    context.run(&["make", "tomi", "--stories", "3", "--seed", "7", "--out", data]).success();
    let check = context.run(&["data", "check", "--benchmark", "tomi", "--data", data]).success();
    assert!(check.stdout.contains("Made by tomeval, seed 7") && !check.stdout.contains("DIFFERS"), "{}", check.stdout);
    let items = context.run(&["data", "items", "--benchmark", "tomi", "--data", data]).success();
    let answer = |item: &serde_json::Value| serde_json::json!({ "id": item["id"], "choice": 0 }).to_string() + "\n";
    let answers = context.write("answers.jsonl", items.json_lines().iter().map(answer).collect::<String>());
    let score =
        ["score", "--benchmark", "tomi", "--data", data, "--answers", answers.to_str().unwrap(), "--table", "all"];
    let report = context.run(&score).success();
    assert!(report.stdout.contains("Made by tomeval, seed 7"), "{}", report.stdout);
    assert!(!report.stdout.contains("not the released files, row for row"), "{}", report.stdout);
}
