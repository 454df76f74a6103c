//! Reading written replies: what the rules make of a corpus that was labelled by hand, and the `extract` command.

use std::collections::BTreeMap;
use std::path::Path;

use assert_cmd::Command;
use serde::Deserialize;
use serde_json::{Value, json};
use tomeval::extract::{Kind, Outcome, Question, Rules, read};
use tomeval::language::Language;

/// A row of the corpus: the input of `extract`, and what a person read in it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    language: Language,
    kind: Kind,
    labels: Vec<String>,
    options: Vec<String>,
    text: String,
    #[serde(default = "one")]
    count: usize,
    #[serde(default)]
    cut: bool,
    expected: Expected,
    source: String,
    trap: String,
    #[serde(default)]
    #[expect(dead_code, reason = "for the reader of the corpus")]
    model: Option<String>,
    #[serde(default)]
    #[expect(dead_code, reason = "for the reader of the corpus")]
    style: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    outcome: Outcome,
    slots: Vec<usize>,
}

fn one() -> usize {
    1
}

fn corpus() -> Vec<Row> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/replies");
    let rows = |name: &str| {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let row = |(line, text): (usize, &str)| {
            serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}, line {}: {error}", line + 1))
        };
        text.lines().enumerate().map(row).collect::<Vec<Row>>()
    };
    ["written.jsonl", "real.jsonl"].into_iter().flat_map(rows).collect()
}

/// What was counted of the replies in one language.
#[derive(Default)]
struct Count {
    /// Replies that state an answer.
    stated: usize,
    /// Those of them that were read.
    covered: usize,
    /// Replies in which an answer was read.
    read: usize,
    /// Those of them that say just that.
    right: usize,
    /// Replies without an answer.
    silent: usize,
    /// Those of them whose reason is told as labelled.
    named: usize,
}

#[test]
fn what_is_read_is_right_and_what_is_stated_is_read() {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let mut misses = Vec::new();
    let rows = corpus();
    for row in &rows {
        let question = Question {
            language: row.language,
            kind: row.kind,
            labels: &row.labels,
            options: &row.options,
            count: row.count,
        };
        let found = read(Rules::Ours, &question, &row.text, row.cut);
        let states = row.expected.outcome == Outcome::Answer;
        let reads = found.outcome == Outcome::Answer;
        let right = reads && states && found.slots == row.expected.slots;
        for language in [row.language.code().to_string(), "all".to_string()] {
            let count = counts.entry(language).or_default();
            count.stated += usize::from(states);
            count.covered += usize::from(states && reads);
            count.read += usize::from(reads);
            count.right += usize::from(right);
            count.silent += usize::from(!states);
            count.named += usize::from(!states && found.outcome == row.expected.outcome);
        }
        if found.outcome != row.expected.outcome || found.slots != row.expected.slots {
            misses.push(format!(
                "{} ({}, {}): {:?} {:?} where {:?} {:?} is said, by {:?}: {:?}",
                row.id,
                row.language,
                row.trap,
                found.outcome,
                found.slots,
                row.expected.outcome,
                row.expected.slots,
                found.rule,
                row.text
            ));
        }
    }
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    for (language, count) in &counts {
        let Count { stated, covered, read, right, silent, named } = count;
        println!(
            "{language}: precision {right}/{read} ({:.1} %), coverage {covered}/{stated} ({:.1} %), reasons {named}/{silent}",
            percent(*right, *read),
            percent(*covered, *stated)
        );
    }
    misses.iter().for_each(|miss| println!("{miss}"));
    let real = rows.iter().filter(|row| row.source == "real").count();
    assert!(rows.len() >= 400 && real >= 150 && counts.len() == 10, "{} replies, {real} real", rows.len());
    for (language, count) in &counts {
        assert!(percent(count.right, count.read) >= 99.5, "precision in {language}; {}", misses.join("\n"));
        assert!(percent(count.covered, count.stated) >= 95.0, "coverage in {language}; {}", misses.join("\n"));
    }
    let Count { silent, named, .. } = counts["all"];
    assert!(percent(named, silent) >= 95.0, "reasons; {}", misses.join("\n"));
}

fn extract(input: &str) -> Command {
    let mut command = Command::cargo_bin("tomeval").unwrap();
    command.args(["extract", "--input", "-"]).write_stdin(input.to_string());
    command
}

const ROW: &str =
    r#"{"id":"q1","language":"en","kind":"single","labels":["A","B"],"options":["tin","fridge"],"text":"x [[B]]"}"#;

#[test]
fn the_command_gives_outcome_slots_rule_and_place() {
    let input = [
        ROW,
        &ROW.replace("x [[B]]", "Hello.").replace("q1", "q2"),
        &ROW.replace("x [[B]]", "Let").replace("}", ",\"cut\":true}"),
    ]
    .join("\n");
    let done = extract(&input).assert().success();
    let output = done.get_output();
    let rows: Vec<Value> =
        String::from_utf8_lossy(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        rows[0],
        json!({"id": "q1", "outcome": "answer", "slots": [1], "rule": "brackets", "start": 4, "end": 5})
    );
    assert_eq!(rows[1], json!({"id": "q2", "outcome": "none", "slots": [], "rule": null, "start": null, "end": null}));
    assert_eq!(rows[2]["outcome"], "cut-off");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("3 replies read by the rules `ours`"), "{told}");
    assert!(told.contains("en: answer 1, none 1, cut-off 1") && told.contains("brackets 1"), "{told}");
}

#[test]
fn rows_that_cannot_be_read_are_named_and_the_others_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.jsonl");
    let rows = [
        ROW.to_string(),
        ROW.replace("\"single\"", "\"slots\""),
        ROW.replace("\"tin\",", ""),
        ROW.replace("single", "several"),
        "{".to_string(),
        ROW.replace("\"text\"", "\"reply\""),
    ];
    let output_path = output.to_str().unwrap();
    let done = extract(&rows.join("\n")).args(["--output", output_path, "--json"]).assert().code(1);
    let told = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    for part in [
        "standard input, line 2: `count` is missing",
        "line 3: 2 `labels` for 1 `options`",
        "line 4: unknown value `several`; use `single`, `labels`, `slots`",
        "line 5: the text ends",
        "line 6: the key `text` is missing",
    ] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    let summary: Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    assert_eq!((&summary["rows"], &summary["failed"]), (&json!(1), &json!(5)));
    assert_eq!(summary["outcomes"]["en"]["answer"], 1);
    assert_eq!(std::fs::read_to_string(&output).unwrap().lines().count(), 1);
}

#[test]
fn the_released_rules_fall_back_to_the_first_option_and_read_nothing_else_than_one_answer() {
    let done =
        extract(&ROW.replace("x [[B]]", "the tin or the fridge")).args(["--rules", "released"]).assert().success();
    let row: Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    assert_eq!((&row["slots"], &row["rule"]), (&json!([0]), &json!("released-fallback")));
    let labels = ROW.replace("single", "labels");
    let refused = extract(&labels).args(["--rules", "released"]).assert().code(1);
    let told = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(told.contains("single answers only"), "{told}");
}
