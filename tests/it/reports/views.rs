//! What a report shows by default, and what its arguments add.

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::support::context::TestContext;
use crate::support::released::{released, small};

/// Every item of ToMBench in a folder with an answer: right, or wrong by the item's number.
fn answers(context: &TestContext, data: &str) -> String {
    let items = context.run(&["data", "items", "--benchmark", "tombench", "--data", data]);
    let answer = |(number, item): (usize, Value)| {
        let gold = item["gold"][0].as_u64().unwrap();
        let count = item["options"].as_array().unwrap().len() as u64;
        let choice = if number % 3 == 0 { gold } else { (gold + number as u64) % count };
        json!({ "id": item["id"], "choice": choice }).to_string() + "\n"
    };
    let lines: String = items.json_lines().into_iter().enumerate().map(answer).collect();
    context.write("answers.jsonl", lines).to_str().unwrap().to_string()
}

#[test]
fn a_report_of_two_languages_fits_two_screens() {
    let Some(data) = released("ToMBench") else { return };
    let data = data.to_str().unwrap();
    let context = TestContext::new();
    let answers = answers(&context, data);
    let score = ["score", "-b", "tombench", "--data", data, "--answers", &answers, "--name", "smollm2-135m-instruct"];
    let run = context.run(&score).success();
    let (lines, widest) = (run.stdout.lines().count(), run.stdout.lines().map(|line| line.width()).max().unwrap());
    assert!(lines <= 100 && widest <= 100, "{lines} lines, {widest} columns:\n{}", run.stdout);
    for said in ["Accuracy by task", "best constant", "Human", "--table coherent-drop", "--published all"] {
        let words = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(said), "{said}: {}", run.stdout);
    }
    let all = context.run(&[&score[..], &["--table", "all", "--published", "all", "--wide"]].concat()).success();
    assert!(all.stdout.lines().count() > 300, "{}", all.stdout);
}

#[test]
fn arguments_choose_what_is_shown() {
    let data = small().join("tombench");
    let context = TestContext::new();
    let answers = answers(&context, data.to_str().unwrap());
    let base =
        ["score", "-b", "tombench", "--data", data.to_str().unwrap(), "--answers", &answers, "--allow-changed-data"];
    let score = |more: &[&str]| context.run(&[&base[..], more].concat());
    // Most files of the benchmark are not there.
    score(&["--table", "coherent,notes"])
        .code(1)
        .with_stdout(contains("Coherent test").and(contains("Accuracy by task").not()).and(contains("\nNotes\n")));
    score(&["--table", "coherant"])
        .failure()
        .with_stderr(contains("did you mean `coherent`?").and(contains("order-effects")));
    score(&["--published", "none"]).code(1).with_stdout(contains("GPT-4").not().and(contains("Human").not()));
    score(&["--table", "tasks", "--format", "json"]).failure().with_stderr(contains("json holds everything"));
    let latex = score(&["--format", "latex"]).code(1).stdout;
    assert!(latex.contains("\\label{tab:tombench-tasks") && !latex.contains("resizebox"), "{latex}");
    assert!(latex.contains("% --table coherent:"), "{latex}");
}
