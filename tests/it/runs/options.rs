//! Options shown before the reasoning, after it, or never, in one command.

use std::fs;
use std::path::{Path, PathBuf};

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::{Value, json};

use crate::support::context::{Run, TestContext};
use crate::support::files::{manifest, read_json_lines, records};
use crate::support::tiny_models::tiny_model;

const FOLDERS: [&str; 4] = ["letter-vanilla", "generate-open-answer", "letter-options-after", "text-options-never"];

fn run(context: &TestContext, model: &Path, out: &Path, more: &str) -> std::process::Command {
    let mut command = context.command(&["run", "--offline", "--orders", "identity"]);
    command.args(more.split(' ')).arg("--model").arg(model).arg("--out").arg(out);
    command
}

fn trials(out: &Path) -> Vec<u8> {
    fs::read(out.join("trials.jsonl")).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// The user's turn of a record.
fn user(record: &Value) -> &str {
    text(&record["asks"][0]["shown"]["messages"].as_array().unwrap().last().unwrap()["content"])
}

/// The option with the largest sum of log-probabilities, less that after the neutral prompt if wanted; the first of equals.
fn best(record: &Value, less_neutral: bool) -> u64 {
    let sums = |results: &Value| -> Vec<f64> {
        let sum = |result: &Value| {
            let tokens = result["logprobs"].as_array().unwrap();
            tokens.iter().map(|token| token.as_f64().unwrap()).sum()
        };
        results.as_array().unwrap().iter().map(sum).collect()
    };
    let (scores, neutral) =
        (sums(&record["asks"][0]["results"]), if less_neutral { sums(&record["unconditional"]) } else { Vec::new() });
    let scores: Vec<f64> =
        scores.iter().enumerate().map(|(at, score)| score - neutral.get(at).copied().unwrap_or(0.0)).collect();
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    scores.iter().position(|&score| score == most).unwrap() as u64
}

#[test]
fn three_ways_stand_in_one_table_whose_answers_are_those_of_the_records() {
    let context = TestContext::new();
    let (model, out) = (tiny_model(context.folder()), context.path("out"));
    let demo = "--benchmark demo --language en --limit 12 --max-new-tokens 12";
    run(&context, &model, &out, &format!("{demo} --options before,after,never")).run().success();
    // Records stand in the order of the plan of their run.
    let [before, first, after, never] = FOLDERS.map(|name| {
        let mut records = records(&out.join(name));
        records.sort_by_key(|record| text(&record["id"]).to_string());
        records
    });
    let items: Vec<Value> = read_json_lines(&out.join(FOLDERS[0]).join("items.jsonl"));
    let item = |record: &Value| items.iter().find(|item| item["id"] == record["id"]).unwrap();

    // What each prompt shows.
    for (at, reply) in first.iter().enumerate() {
        let (item, after, never) = (item(reply), &after[at], &never[at]);
        // A story stands with the first of its items.
        let told = items.iter().find(|other| other["story"] == item["story"]).unwrap();
        let story = text(&told["context"][0]["text"]);
        let written = text(&reply["asks"][0]["reply"]["text"]).trim();
        assert!(user(reply).contains(story) && user(reply).contains(text(&item["question"])));
        assert_eq!(never["asks"][0]["shown"], reply["asks"][0]["shown"], "the free reply's own prompt");
        assert_eq!(text(&never["asks"][0]["answer_prefix"]), format!("{written}\n\nAnswer: "));
        assert!(user(after).contains(written) && !user(after).contains(story), "{}", user(after));
        for option in item["options"].as_array().unwrap().iter().map(text).filter(|option| !story.contains(*option)) {
            let shown = |record: &Value| user(record).lines().any(|line| line.ends_with(&format!(". {option}")));
            assert_eq!(
                [shown(&before[at]), shown(reply), shown(after), shown(never)],
                [true, false, true, false],
                "{option}"
            );
        }
    }
    let phase = |name: &str| manifest(&out.join(name))["settings"]["phase"].clone();
    assert_eq!((phase(FOLDERS[0]), phase(FOLDERS[1])), (Value::Null, json!("first")));
    for second in [FOLDERS[2], FOLDERS[3]] {
        assert_eq!(phase(second)["second"]["style"], "open-answer");
    }

    // The table, from the records.
    let report = context.command(&["report"]).arg(&out).json();
    let rows = report["results"][0]["options"].as_array().unwrap();
    let gold = |record: &Value| item(record)["gold"][0].as_u64().unwrap();
    let expected = [("before", "letters", &before, false), ("after", "letters", &after, false)];
    let never = [("never", "texts, sum", &never, false), ("never", "texts, pmi", &never, true)];
    let right = |records: &[Value], by_pmi| -> Vec<f64> {
        records.iter().map(|record| f64::from(u8::from(best(record, by_pmi) == gold(record)))).collect()
    };
    let mean = |values: &[f64]| 100.0 * values.iter().sum::<f64>() / values.len() as f64;
    let base = right(&before, false);
    assert_eq!(rows.len(), 4);
    for (row, (options, by, records, by_pmi)) in rows.iter().zip(expected.into_iter().chain(never)) {
        assert_eq!((text(&row["options"]), text(&row["by"]), row["items"].as_u64()), (options, by, Some(12)));
        let right = right(records, by_pmi);
        let value = |name: &str| row[name]["value"].as_f64();
        assert!((value("accuracy").unwrap() - mean(&right)).abs() < 1e-9, "{row} {right:?}");
        let change = mean(&right) - mean(&base);
        assert_eq!(
            value("change").map(|found| (found - change).abs() < 1e-9),
            (options != "before").then_some(true),
            "{row}"
        );
    }
    let table = contains("Options shown before the reasoning, after it, or never").and(contains("texts, pmi"));
    context.command(&["report", "--table", "options"]).arg(&out).run().success().with_stdout(table);
    let csv = contains("language=en;options=never;by=texts, sum");
    context.command(&["report", "--format", "csv"]).arg(&out).run().success().with_stdout(csv);

    // Options before are what they were without the argument; what was begun in another command goes on.
    let [plain, later] = ["plain", "later"].map(|name| context.path(name));
    run(&context, &model, &plain, "--benchmark demo --language en --limit 12").run().success();
    assert!(trials(&plain) == trials(&out.join(FOLDERS[0])));
    assert!(manifest(&plain)["settings"] == manifest(&out.join(FOLDERS[0]))["settings"]);
    run(&context, &model, &later, &format!("{demo} --options never")).run().success();
    for name in ["trials.jsonl", "trials.sha256"].map(|name| later.join(FOLDERS[3]).join(name)) {
        let kept: String = fs::read_to_string(&name).unwrap().split_inclusive('\n').take(5).collect();
        fs::write(name, kept).unwrap();
    }
    let reused = contains("generate-open-answer is already complete");
    run(&context, &model, &later, &format!("{demo} --options before,after,never")).run().success().with_stderr(reused);
    for name in FOLDERS {
        assert!(trials(&out.join(name)) == trials(&later.join(name)), "{name}");
    }
}

/// Own questions of which the second and third need their options.
fn own(context: &TestContext) -> PathBuf {
    let rows = [
        json!({ "id": "open", "story": "Ann puts the fig in the box.", "question": "Where is it?", "options": ["box", "bed"], "answer": "A" }),
        json!({ "id": "which", "story": "Ann sleeps.", "question": "Which of the following is true?", "options": ["Ann naps.", "Ann runs."], "answer": "A" }),
        json!({ "id": "point", "story": "Ann sleeps.", "question": "Point to her bed.", "options": ["1", "2"], "answer": "B" }),
    ];
    context.write("own.jsonl", rows.map(|row| row.to_string() + "\n").concat())
}

#[test]
fn questions_that_need_their_options_are_left_out_named_and_counted() {
    let context = TestContext::new();
    let (model, out, data) = (tiny_model(context.folder()), context.path("out"), own(&context));
    let card = context.write("card.toml", "title = 'T'\nlicence = 'L'\n[needs_options]\nphrases = ['^point to']\n");
    let asked = |out: &Path, more: &str| {
        let mut command = run(&context, &model, out, more);
        command.arg("--data").arg(&data).arg("--card").arg(&card).run()
    };
    let noted = contains(
        "2 of 3 items left out: 1 item (first custom/which/en), since the question speaks of its options (\"which of the following\")",
    );
    asked(&out, "--options before,after,never --max-new-tokens 8").success().with_stderr(noted);
    assert_eq!(FOLDERS.map(|name| records(&out.join(name)).len()), [3, 1, 1, 1]);
    let left = |name: &str| manifest(&out.join(name))["left_out"].clone();
    assert_eq!(left(FOLDERS[0]), Value::Null);
    for name in &FOLDERS[1..] {
        let ids: Vec<Value> = left(name).as_array().unwrap().iter().map(|left| left["items"].clone()).collect();
        assert_eq!(ids, [json!(["custom/which/en"]), json!(["custom/point/en"])], "{name}");
    }
    let report = context.command(&["report"]).arg(&out).json();
    let items: Vec<u64> =
        report["results"][0]["options"].as_array().unwrap().iter().map(|row| row["items"].as_u64().unwrap()).collect();
    assert_eq!(items, [1; 4], "those asked in all ways");
    assert!(text(&report["provenance"]["left out"]).starts_with("2 of 3 items left out"), "{report}");
    let mut check = context.command(&["data", "check"]);
    let check = check.arg("--data").arg(&data).arg("--card").arg(&card).json();
    let counted: Vec<&str> =
        check["benchmarks"][0]["needs_options"].as_array().unwrap().iter().map(|count| text(&count["first"])).collect();
    assert_eq!(counted, ["custom/which/en", "custom/point/en"]);

    // Nothing to ask, and a pack without the styles.
    let refused = contains("custom: nothing can be asked with its options hidden");
    asked(&context.path("none"), "--options before,never --item custom/which/en").code(2).with_stderr(refused);
    assert!(!context.path("none").exists(), "nothing was asked before");
    let packs = context.path("packs");
    fs::create_dir_all(&packs).unwrap();
    let style = "benchmark = 'custom'\nsource = 's'\n[[style]]\nname = 'vanilla'\nlanguage = 'en'\nuser = '{question} {options}'\nlabels = ['A', 'B']\n";
    fs::write(packs.join("custom.toml"), style).unwrap();
    let refused = contains("--options after needs the style `options-after`, which this pack has not");
    asked(&context.path("packless"), "--options after --prompts packs").code(2).with_stderr(refused);
}
