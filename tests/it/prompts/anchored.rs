//! Options that refer to others keep their slots, and name the letters shown.

use std::collections::BTreeSet;
use std::fs;

use predicates::str::contains;
use serde_json::{Value, json};

use crate::support::context::{Run, TestContext};
use crate::support::files::read_json;
use crate::support::tiny_models::tiny_model;

const QUESTIONS: &str = "question,A,B,C,D,answer\n\
    Where is the key?,drawer,box,shelf,None of the above,A\n\
    What falls?,rain,snow,fog,Both A and B,D\n\
    Which does she like?,Attractions A and B,museum,zoo,park,A\n";

fn records(folder: &std::path::Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("trials.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The order of a record, and its options as shown.
fn shown(record: &Value) -> (Vec<u64>, Vec<String>) {
    let order = record["order"].as_array().unwrap().iter().map(|option| option.as_u64().unwrap()).collect();
    let text = record["asks"][0]["shown"].to_string();
    let of = |label: &str| {
        let from = text.find(&format!("\\n{label}. ")).unwrap() + label.len() + 4;
        let end = text[from..].find(['\\', '"']).unwrap();
        text[from..from + end].to_string()
    };
    (order, ["A", "B", "C", "D"].map(of).to_vec())
}

#[test]
fn anchored_options_keep_their_slots_through_a_run() {
    let context = TestContext::new();
    let (model, data, out) = (tiny_model(context.folder()), context.path("questions.csv"), context.path("run"));
    fs::write(&data, QUESTIONS).unwrap();
    let run = |scoring: &str, out: &std::path::Path, anchored: &[&str]| {
        let mut command = context.command(&["run", "--offline", "--orders", "all"]);
        command.args(["--scoring", scoring]).args(anchored).arg("--data").arg(&data);
        command.arg("--model").arg(&model).arg("--out").arg(out);
        command
    };
    let keep = ["--anchored-options", "keep"];
    run("letter", &out, &keep).run().success().with_stderr(contains("keep their slots in 2 items"));
    let manifest = read_json(&out.join("manifest.json"));
    assert_eq!(manifest["settings"]["anchored"], json!({"custom/0/en": [3], "custom/1/en": [3]}));
    let records = records(&out);
    assert_eq!(records.len(), 6 + 6 + 24);
    let mut seen = BTreeSet::new();
    for record in &records {
        let (order, options) = shown(record);
        match record["id"].as_str().unwrap() {
            "custom/0/en" => assert_eq!((order[3], options[3].as_str()), (3, "None of the above")),
            "custom/1/en" => {
                let slot = |option| ["A", "B", "C"][order.iter().position(|&shown| shown == option).unwrap()];
                let mut named = [slot(0), slot(1)];
                named.sort_unstable();
                assert_eq!(options[3], format!("Both {} and {}", named[0], named[1]));
                seen.insert(options[3].clone());
            }
            _ => assert!(options.iter().any(|option| option == "Attractions A and B")),
        }
    }
    assert_eq!(seen.len(), 3);
    context
        .command(&["report"])
        .arg(&out)
        .args(["--table", "settings"])
        .run()
        .success()
        .with_stdout(contains("in 2 items"));

    // A stopped run goes on to the same bytes, and its orders are checked on the way.
    let whole = fs::read(out.join("trials.jsonl")).unwrap();
    for name in ["trials.jsonl", "trials.sha256"] {
        let kept: String = fs::read_to_string(out.join(name)).unwrap().split_inclusive('\n').take(4).collect();
        fs::write(out.join(name), kept).unwrap();
    }
    run("letter", &out, &keep).run().success();
    assert_eq!(fs::read(out.join("trials.jsonl")).unwrap(), whole);

    let shuffled = context.path("shuffled");
    run("letter", &shuffled, &[]).run().success().with_stderr(contains("--anchored-options keep leaves them"));
    assert!(read_json(&shuffled.join("manifest.json"))["settings"].get("anchored").is_none());

    // The same by a card.
    let card = context.path("card.toml");
    fs::write(&card, "[anchored]\nkeep = true\nalso = [\"park\"]\nnever = [\"None of the above\"]\n").unwrap();
    let by_card = context.path("by-card");
    run("letter", &by_card, &[]).arg("--card").arg(&card).run().success();
    let manifest = read_json(&by_card.join("manifest.json"));
    assert_eq!(manifest["settings"]["anchored"], json!({"custom/1/en": [3], "custom/2/en": [3]}));
}

#[test]
fn a_reply_may_name_the_letters_shown() {
    let context = TestContext::new();
    let (model, data, out) = (tiny_model(context.folder()), context.path("questions.csv"), context.path("run"));
    fs::write(&data, QUESTIONS).unwrap();
    let mut command = context.command(&["run", "--offline", "--orders", "all", "--scoring", "generate"]);
    command.args(["--max-new-tokens", "4", "--anchored-options", "keep"]).arg("--data").arg(&data);
    command.arg("--model").arg(&model).arg("--out").arg(&out).run().success();
    // Replies read again see the options as they were shown.
    let is_it = |record: &Value| record["id"] == "custom/1/en" && record["order"] == json!([2, 0, 1, 3]);
    let record = records(&out).into_iter().find(is_it).unwrap();
    assert_eq!(shown(&record).1[3], "Both B and C");
    context.command(&["report"]).arg(&out).args(["--extract", "released"]).run().success();
}
