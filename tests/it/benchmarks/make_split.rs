//! `tomeval make split`: training data and test items of one benchmark.

use std::collections::BTreeSet;

use predicates::str::contains;
use serde_json::Value;

use crate::support::context::{Run, TestContext};
use crate::support::files::{read_json, read_json_lines};
use crate::support::tiny_models::shared_tiny_model;

fn texts<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|entry| entry[key].as_str().unwrap()).collect()
}

#[test]
fn stories_are_on_one_side_in_all_languages_and_training_data_have_the_gold() {
    let context = TestContext::new();
    let arguments = [
        "make", "split", "-b", "demo", "-l", "en,zh", "--test", "0.25", "--seed", "2", "--orders", "identity", "--out",
        "d",
    ];
    context.run(&arguments).success();
    let items = context.run(&["data", "items", "-b", "demo", "-l", "en,zh"]).success().json_lines();
    let split = read_json(&context.path("d/split.json"));
    let ids = |key: &str| -> BTreeSet<String> {
        split[key].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_string()).collect()
    };
    let (train, test) = (ids("train_items"), ids("test_items"));
    assert!(train.is_disjoint(&test) && train.len() + test.len() == items.len());
    let stories = |ids: &BTreeSet<String>| -> BTreeSet<String> {
        let of = items.iter().filter(|item| ids.contains(item["id"].as_str().unwrap()));
        of.map(|item| item["story"].as_str().unwrap().rsplit_once('/').unwrap().0.to_string()).collect()
    };
    assert!(stories(&train).is_disjoint(&stories(&test)));
    assert_eq!(stories(&test).len(), 6, "a quarter of 24 stories");

    // One file a language, and one of all; each answer is the gold's letter.
    let all = read_json(&context.path("d/train_all.json"));
    assert_eq!(texts(&all, "id").into_iter().map(str::to_string).collect::<BTreeSet<_>>(), train);
    let (en, zh) = (read_json(&context.path("d/train_en.json")), read_json(&context.path("d/train_zh.json")));
    assert_eq!(en.as_array().unwrap().len() + zh.as_array().unwrap().len(), all.as_array().unwrap().len());
    for example in all.as_array().unwrap() {
        let item = items.iter().find(|item| item["id"] == example["id"]).unwrap();
        let letter = char::from(b'A' + item["gold"][0].as_u64().unwrap() as u8);
        assert_eq!(example["output"], format!("[[{letter}]]"));
        let gold = item["options"][item["gold"][0].as_u64().unwrap() as usize].as_str().unwrap();
        assert!(example["instruction"].as_str().unwrap().contains(&format!("{letter}. {gold}")), "{example}");
    }
    let info = read_json(&context.path("d/dataset_info.json"));
    assert_eq!(info["demo_zh"]["file_name"], "train_zh.json");

    // Other orders show the gold elsewhere, and the answer goes with it.
    context.run(&["make", "split", "-b", "demo", "-l", "en", "--orders", "random:3", "--out", "e"]).success();
    for example in read_json(&context.path("e/train_all.json")).as_array().unwrap() {
        let item = items.iter().find(|item| item["id"] == example["id"]).unwrap();
        let gold = item["options"][item["gold"][0].as_u64().unwrap() as usize].as_str().unwrap();
        let letter = &example["output"].as_str().unwrap()[2..3];
        assert!(example["instruction"].as_str().unwrap().contains(&format!("{letter}. {gold}")), "{example}");
    }

    // The same seed gives the same bytes; the test items are those of a run.
    context.run(&arguments.map(|argument| if argument == "d" { "f" } else { argument })).success();
    for file in ["train_all.json", "test.txt", "split.json"] {
        assert_eq!(
            std::fs::read(context.path("d").join(file)).unwrap(),
            std::fs::read(context.path("f").join(file)).unwrap()
        );
    }
    let mut command =
        context.command(&["run", "-b", "demo", "-l", "en,zh", "--item", "@d/test.txt", "--out", "run", "--model"]);
    command.arg(shared_tiny_model()).run().success();
    let asked: BTreeSet<String> = read_json_lines(&context.path("run/trials.jsonl"))
        .iter()
        .map(|record| record["id"].as_str().unwrap().to_string())
        .collect();
    assert_eq!(asked, test);
    context
        .run(&["run", "-b", "demo", "-l", "en,zh", "--item", "@absent.txt"])
        .code(2)
        .with_stderr(contains("absent.txt: cannot be read"));
}
