//! Reading written replies: what the rules make of a corpus that was labelled by hand, and the `extract` command.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
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
