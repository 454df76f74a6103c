//! Examples with their answers before each question: which ones, in which form, and what a reader is told of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use predicates::str::contains;
use serde_json::Value;

use crate::support::context::{Run, TestContext};
use crate::support::files::{manifest, records};
use crate::support::tiny_models::shared_tiny_model;

fn command(context: &TestContext, out: &Path, more: &[&str]) -> Command {
    let mut command = context.command(&["run", "--offline", "--benchmark", "demo", "--limit", "6", "--device", "cpu"]);
    command.args(["--language", "en", "--orders", "random:2", "--threads", "1", "--model"]).arg(shared_tiny_model());
    command.args(more).arg("--out").arg(out);
    command
}

fn run(context: &TestContext, out: &Path, more: &[&str]) -> Vec<Value> {
    command(context, out, more).run().success();
    records(out)
}

/// The turns of a record, as roles and texts.
fn turns(record: &Value) -> Vec<(String, String)> {
    let turns = record["asks"][0]["shown"]["messages"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_string();
    turns.iter().map(|turn| (text(&turn["role"]), text(&turn["content"]))).collect()
}

fn story(id: &str) -> String {
    id.rsplitn(3, '/').nth(2).unwrap().to_string()
}

#[test]
fn examples_are_of_other_stories_and_the_same_in_all_orders() {
    let context = TestContext::new();
    let out = context.path("turns");
    let records = run(&context, &out, &["--shots", "3"]);
    let mut answers = Vec::new();
    let question = |text: &str| text.split("\n\nA. ").next().unwrap().to_string();
    let asked: BTreeMap<String, String> = records
        .iter()
        .map(|record| (question(&turns(record).last().unwrap().1), story(record["id"].as_str().unwrap())))
        .collect();
    for record in &records {
        assert_eq!(record["condition"], "3-shots");
        let turns = turns(record);
        let roles: Vec<&str> = turns.iter().map(|(role, _)| role.as_str()).collect();
        assert_eq!(roles, ["system", "user", "assistant", "user", "assistant", "user", "assistant", "user"]);
        let own = story(record["id"].as_str().unwrap());
        for (role, text) in &turns[1..turns.len() - 1] {
            match role.as_str() {
                "assistant" => {
                    assert!(text.starts_with("[[") && text.ends_with("]]"), "{text}");
                    answers.push(text.clone());
                }
                _ => assert!(asked.get(&question(text)).is_none_or(|other| *other != own), "{text}"),
            }
        }
    }
    let orders: BTreeMap<&str, BTreeSet<String>> = records.iter().fold(BTreeMap::new(), |mut seen, record| {
        let shown = turns(record);
        let entry: &mut BTreeSet<String> = seen.entry(record["id"].as_str().unwrap()).or_default();
        entry.insert(format!("{:?}", &shown[..shown.len() - 1]));
        seen
    });
    assert!(orders.values().all(|shown| shown.len() == 1), "the same before every order of an item");
    assert!(answers.iter().collect::<BTreeSet<_>>().len() > 1, "right answers stand in several slots: {answers:?}");
    let settings = &manifest(&out)["settings"]["shots"];
    assert_eq!((settings["count"].as_u64(), settings["form"].as_str()), (Some(3), Some("turns")));
    let results = fs::read_to_string(out.join("results.json")).unwrap();
    assert!(results.contains("3 before each question, of other stories of the benchmark, as chat turns"), "{results}");

    let inline = run(&context, &context.path("inline"), &["--shots", "3", "--shots-as", "inline"]);
    let by_key = |records: &[Value]| -> BTreeMap<String, Vec<(String, String)>> {
        records.iter().map(|record| (format!("{}{}", record["id"], record["order"]), turns(record))).collect()
    };
    for (key, turns) in by_key(&records) {
        let shown = &by_key(&inline)[&key];
        assert_eq!(shown.len(), 2, "{key}");
        let texts: Vec<&str> = turns[1..].iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(shown[1].1, texts.join("\n\n"), "{key}");
    }
}

#[test]
fn a_file_of_examples_serves_styles_that_reason() {
    let context = TestContext::new();
    let file = context.path("examples.jsonl");
    let row = |number: usize, more: &str| {
        format!(
            "{{\"id\":\"e{number}\",\"story\":\"Example story {number}.\",\"question\":\"What is {number}?\",\
             \"options\":[\"right {number}\",\"wrong {number}\"],\"answer\":\"A\"{more}}}\n"
        )
    };
    let with_reasons: String = (0..4).map(|n| row(n, &format!(",\"reasoning\":\"Since {n} is {n}.\""))).collect();
    fs::write(&file, with_reasons).unwrap();
    let from = ["--shots", "2", "--shots-from", file.to_str().unwrap()];
    let written = ["--scoring", "generate", "--style", "cot", "--max-new-tokens", "3"];
    let records = run(&context, &context.path("cot"), &[&from[..], &written].concat());
    for record in &records {
        let turns = turns(record);
        let examples: Vec<&str> =
            turns.iter().filter(|(role, _)| role == "assistant").map(|(_, text)| text.as_str()).collect();
        assert_eq!(examples.len(), 2);
        for (question, answer) in [(1, 2), (3, 4)] {
            let (question, answer) = (&turns[question].1, &turns[answer].1);
            let letter = if question.contains("A. right") { "A" } else { "B" };
            assert!(
                answer.starts_with("Since ") && answer.ends_with(&format!("\n[[{letter}]]")),
                "{question}\n{answer}"
            );
        }
    }
    let settings = &manifest(&context.path("cot"))["settings"]["shots"]["file"];
    assert_eq!(settings["sha256"].as_str().unwrap().len(), 64);

    let refused = |more: &[&str]| command(&context, &context.path("refused"), more).run().code(2);
    fs::write(&file, (0..4).map(|n| row(n, "")).collect::<String>()).unwrap();
    refused(&[&from[..], &written].concat()).with_stderr(contains("has no reasoning to show"));
    refused(&["--shots", "2", "--scoring", "generate", "--style", "cot"])
        .with_stderr(contains("name a file with --shots-from"));
    refused(&["--shots", "5", "--shots-from", file.to_str().unwrap()])
        .with_stderr(contains("examples.jsonl has 4 items"));
    refused(&["--shots", "2", "--scoring", "generate", "--questions-per-prompt", "all"])
        .with_stderr(contains("leave out one of them"));
    refused(&["--shots", "2", "--shots-from", "no-such-file.jsonl"])
        .with_stderr(contains("--shots-from no-such-file.jsonl"));
    refused(&["--shots-as", "inline"]).with_stderr(contains("--shots"));
}
