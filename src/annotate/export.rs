//! Reads the exports of annotation pages.
//!
//! ```text
//! {"format":"tomeval-annotation/1","mode":"answer","rater":"p1","page":"...",...,"check":"5f0c1a2b"}
//! {"id":"demo/cake-tin/0/en","rater":"p1","choice":2,"order":[1,2,0,3],"seconds":8.1,...,"check":"..."}
//! {"end":1,"check":"..."}
//! ```
//!
//! A line's `check` is the CRC-32 (as in zlib), in eight hexadecimal digits, of the check of the line before (nothing
//! for the first) and of the line's own bytes before `,"check"`. It detects changed, missing and moved lines, and
//! truncated files. It guards against accidents, not against forgery.

use indexmap::IndexMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Code, Mode};
use crate::benchmark::{Benchmark, joined};
use crate::parse_error::in_words_of_line;
use crate::prompt::Order;

/// Name and version of the format.
pub const FORMAT: &str = "tomeval-annotation/1";

/// Maximum number of words in an item's texts: enough for a prompt of millions of tokens. An impossible word count
/// would make statistics of the marks meaningless.
const MOST_WORDS: usize = 1_000_000;

/// A file that a page exported.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// Its first line.
    pub header: Header,
    /// Records, by mode.
    pub records: Records,
    /// The lines of the records, unchanged.
    pub lines: String,
}

/// The first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Header {
    /// Head: name and version, `tomeval-annotation/1`.
    pub format: String,
    /// Head: the canary line; see the end of this page.
    pub canary: String,
    /// Head: program and version that made the page.
    pub program: String,
    /// Head: `answer`, `mark` or `judge`.
    pub mode: Mode,
    /// Head: a hash of the page's units and texts; only files of the same page can continue one another.
    pub page: String,
    /// Everywhere except at the end: the person's code.
    pub rater: Code,
    /// Head: benchmarks by name.
    pub benchmarks: Vec<Benchmark>,
    /// Head: language of the page's interface.
    pub interface: String,
    /// Head: units dealt to the person.
    pub items: usize,
    /// Head: units that follow.
    pub done: usize,
    /// Head, judgements: the scheme's name.
    #[serde(default)]
    pub scheme: Option<String>,
    /// Head, judgements: SHA-256 of its file.
    #[serde(default)]
    pub scheme_sha256: Option<String>,
    /// Head, judgements: true if it adjudicates disagreements of others; otherwise absent.
    // Pages of 0.1.0 before its release say `settles`.
    #[serde(default, alias = "settles")]
    pub adjudicates: bool,
}

/// The records of an export.
#[derive(Debug, Clone, PartialEq)]
pub enum Records {
    /// Answers.
    Answers(Vec<AnswerRecord>),
    /// Marks.
    Marks(Vec<MarkRecord>),
    /// Judgements.
    Judgements(Vec<JudgeRecord>),
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AnswerRecord {
    /// The unit: the item's or story's id; for answers of runs, also what distinguishes them.
    pub id: String,
    pub rater: Code,
    /// Answers: the canonical option (from 0); a list of them for label sets and slots; null if the person does not
    /// know.
    pub choice: serde_json::Value,
    /// Answers: the canonical option that each slot showed.
    pub order: Order,
    /// Answers and marks: true if the person does not know, or says that no words decide; otherwise absent.
    #[serde(default)]
    pub unknown: bool,
    /// Seconds that the unit was in view.
    pub seconds: f64,
}

/// Marks in an item.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MarkRecord {
    /// The item.
    pub id: String,
    pub rater: Code,
    /// Marks: words and phrases, most important first, each with its place.
    pub keywords: Vec<Place>,
    /// Marks: the last word read before the person was sure; absent if not given.
    #[serde(default)]
    pub read_to: Option<Place>,
    /// Whether the person said that no words decide.
    #[serde(default)]
    pub unknown: bool,
    /// Words of the text marked or judged: context and question, reply, or translation.
    pub words: usize,
    /// Seconds that the item was in view.
    pub seconds: f64,
}

impl MarkRecord {
    fn check(&self) -> Result<(), String> {
        if self.words == 0 {
            return Err(format!("`words` of `{}` is 0, but marking needs words", self.id));
        }
        self.keywords.iter().chain(&self.read_to).try_for_each(|place| place.check(&self.id, Some(self.words)))
    }
}

impl Place {
    /// Checks that it lies within a text of `words` words, if known.
    pub(super) fn check(&self, unit: &str, words: Option<usize>) -> Result<(), String> {
        let Some((first, last)) = self.words else { return Ok(()) };
        match words {
            _ if first > last => {
                Err(format!("`{}` of `{unit}` ends before it begins: words {first} to {last}", self.text))
            }
            Some(words) if last >= words => {
                Err(format!("`{}` of `{unit}` is at word {last}, counted from 0, of {words}", self.text))
            }
            _ => Ok(()),
        }
    }
}

/// Words at one place of an item's texts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The words in the text. In files of human keywords, a text alone marks every occurrence of its words in sequence.
    pub text: String,
    /// The kind of the text: `story`, `dialogue`, ..., `question`.
    pub part: String,
    /// Number of the occurrence of exactly these characters in texts of this kind, from 1.
    pub occurrence: usize,
    /// Indices of its first and last word among all words of the texts, from 0; optional in files of human keywords.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<(usize, usize)>,
}

/// Judgements of a unit.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JudgeRecord {
    /// The unit.
    pub id: String,
    pub rater: Code,
    /// Judgements by question: a label, a list of labels, a number, or a list of spans.
    pub judgements: IndexMap<String, Value>,
    /// Judgements: a remark; absent if there is none.
    #[serde(default)]
    pub comment: Option<String>,
    /// Judgements: corrected texts; absent if there are none.
    #[serde(default)]
    pub edits: Vec<Edit>,
    /// Judgements: facts about the unit, by name: `item`, `story`, `benchmark`, `language`, `run`, `style`, and the
    /// facet of the scheme's tables.
    #[serde(default)]
    pub facts: IndexMap<String, String>,
    /// Words of the text judged.
    #[serde(default)]
    pub words: usize,
    /// Seconds that the unit was in view.
    pub seconds: f64,
}

/// A text that a person corrected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// Number of the text in the unit, from 0: story, then each question with its options.
    pub at: usize,
    /// Its kind: `story`, `question` or `option`.
    pub part: String,
    /// The text as shown.
    pub before: String,
    /// The text as corrected.
    pub after: String,
    /// Whether the other translation was taken in its place, corrected or not; absent where it was not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub taken: bool,
}

impl JudgeRecord {
    fn check(&self) -> Result<(), String> {
        for (question, value) in &self.judgements {
            match value {
                Value::Labels(labels) => {
                    if let Some((_, twice)) =
                        labels.iter().enumerate().find(|&(at, label)| labels[..at].contains(label))
                    {
                        return Err(format!("question `{question}` of `{}` has the label `{twice}` twice", self.id));
                    }
                }
                Value::Spans(spans) => spans.iter().try_for_each(|span| span.place.check(&self.id, None))?,
                Value::Number(_) | Value::Label(_) => {}
            }
        }
        Ok(())
    }
}

/// The answer to one question of a scheme.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "a label, a list of labels, a number, or a list of spans")]
pub enum Value {
    /// A number on a scale.
    Number(i64),
    /// One label.
    Label(String),
    /// Any number of labels.
    Labels(Vec<String>),
    /// Spans of the text.
    Spans(Vec<SpanJudged>),
}

/// A span with its fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SpanJudged {
    pub place: Place,
    /// Kind of fault, by the scheme's labels.
    pub label: String,
    /// Severity of the fault, by the scheme's severities.
    pub severity: String,
}

/// A file that is not an intact export.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ExportError {
    /// The line, counted from 1.
    pub line: usize,
    /// The problem and its fix.
    pub message: String,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct End {
    /// At the end: the number of lines between head and end.
    end: usize,
}

/// Whether a text begins like an export.
pub fn is_export(text: &str) -> bool {
    first_line(text).is_some_and(|line| line.contains("\"format\":\"tomeval-annotation/"))
}

fn first_line(text: &str) -> Option<&str> {
    text.trim_start_matches('\u{feff}').lines().find(|line| !line.trim().is_empty())
}

impl Export {
    /// Reads an export; refuses anything not written by a page, naming the line.
    pub fn read(text: &str) -> Result<Self, ExportError> {
        let text = text.trim_start_matches('\u{feff}');
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let fail = |line: usize, message: String| ExportError { line: line + 1, message };
        let Some((first, line)) = lines.next() else {
            return Err(fail(0, "the file is empty; export it again on the page".into()));
        };
        if !is_export(text) {
            return Err(fail(first, "not an export of a page of `tomeval annotate`".into()));
        }
        let (body, mut check) = checked(line, "").map_err(|message| fail(first, message))?;
        let header: Header = parsed(&body).map_err(|message| fail(first, message))?;
        if header.format != FORMAT {
            let message = format!("unsupported `format` `{}`: this program reads {FORMAT}", header.format);
            return Err(fail(first, message));
        }
        let mut bodies: Vec<(usize, String, &str)> = Vec::new();
        let mut end = None;
        for (number, line) in lines {
            if end.is_some() {
                return Err(fail(number, "follows the end of the export; do not join files, pass each of them".into()));
            }
            let (body, own) = checked(line, &check).map_err(|message| fail(number, message))?;
            check = own;
            match serde_json::from_str::<End>(&body) {
                Ok(found) => end = Some((number, found.end)),
                Err(_) => bodies.push((number, body, line.trim())),
            }
        }
        let last = bodies.last().map_or(first, |(number, ..)| *number);
        match end {
            None => {
                let message = "the last line is missing: the file was cut; export it again on the page";
                return Err(fail(last, message.into()));
            }
            Some((number, count)) if count != bodies.len() || header.done != count => {
                let message = format!("expected {count} lines, found {}", bodies.len());
                return Err(fail(number, message));
            }
            Some(_) => {}
        }
        let lines = bodies.iter().map(|(.., line)| format!("{line}\n")).collect();
        let records = match header.mode {
            Mode::Answer => Records::Answers(all(&bodies)?),
            Mode::Mark => Records::Marks(all(&bodies)?),
            Mode::Judge => Records::Judgements(all(&bodies)?),
        };
        let words: Vec<usize> = match &records {
            Records::Answers(_) => Vec::new(),
            Records::Marks(records) => records.iter().map(|record| record.words).collect(),
            Records::Judgements(records) => records.iter().map(|record| record.words).collect(),
        };
        if let Some(at) = words.iter().position(|&words| words > MOST_WORDS) {
            let message = format!(
                "`words` is {}, but no item has more than {MOST_WORDS}; export it again on the page",
                words[at]
            );
            return Err(fail(bodies[at].0, message));
        }
        let export = Export { header, records, lines };
        let raters = export.raters();
        if let Some(at) = raters.iter().position(|rater| **rater != export.header.rater) {
            let message = format!("belongs to {}, but the file to {}", raters[at], export.header.rater);
            return Err(fail(bodies[at].0, message));
        }
        for (at, fault) in export.faults().into_iter().enumerate() {
            fault.map_err(|message| fail(bodies[at].0, message))?;
        }
        Ok(export)
    }

    /// Checks each record for contents that no page writes, even with a correct check.
    fn faults(&self) -> Vec<Result<(), String>> {
        let of_benchmark = |id: &str| {
            let own = id.split('/').next().and_then(|name| name.parse::<Benchmark>().ok());
            let known = own.is_none_or(|own| self.header.benchmarks.contains(&own));
            // Ids of the user's own questions are arbitrary.
            let custom = self.header.benchmarks.contains(&Benchmark::Custom);
            match known || custom {
                true => Ok(()),
                false => Err(format!(
                    "`{id}` does not belong to a benchmark of the first line ({})",
                    joined(&self.header.benchmarks, ", ")
                )),
            }
        };
        match &self.records {
            Records::Answers(records) => records.iter().map(|record| of_benchmark(&record.id)).collect(),
            Records::Marks(records) => {
                records.iter().map(|record| of_benchmark(&record.id).and_then(|()| record.check())).collect()
            }
            Records::Judgements(records) => records.iter().map(JudgeRecord::check).collect(),
        }
    }

    fn raters(&self) -> Vec<&Code> {
        match &self.records {
            Records::Answers(records) => records.iter().map(|record| &record.rater).collect(),
            Records::Marks(records) => records.iter().map(|record| &record.rater).collect(),
            Records::Judgements(records) => records.iter().map(|record| &record.rater).collect(),
        }
    }

    /// Marks, if it contains any.
    pub fn marks(&self) -> Option<&[MarkRecord]> {
        match &self.records {
            Records::Marks(marks) => Some(marks),
            _ => None,
        }
    }

    /// Answers, if it contains any.
    pub fn answers(&self) -> Option<&[AnswerRecord]> {
        match &self.records {
            Records::Answers(answers) => Some(answers),
            _ => None,
        }
    }

    /// Judgements, if it contains any.
    pub fn judgements(&self) -> Option<&[JudgeRecord]> {
        match &self.records {
            Records::Judgements(judgements) => Some(judgements),
            _ => None,
        }
    }
}

fn all<T: DeserializeOwned>(bodies: &[(usize, String, &str)]) -> Result<Vec<T>, ExportError> {
    let one = |(number, body, _): &(usize, String, &str)| {
        parsed(body).map_err(|message| ExportError { line: number + 1, message })
    };
    bodies.iter().map(one).collect()
}

fn parsed<T: DeserializeOwned>(body: &str) -> Result<T, String> {
    serde_json::from_str(body).map_err(in_words_of_line)
}

/// Verifies the check of a line and returns the line without it, and the check.
fn checked(line: &str, before: &str) -> Result<(String, String), String> {
    const CHANGED: &str =
        "was changed since the page wrote it, or a line before it is missing; export it again on the page";
    let line = line.trim();
    let cut = || "truncated, or not a line of an export; export it again on the page".to_string();
    let at = line.rfind(",\"check\":\"").ok_or_else(cut)?;
    let (body, rest) = line.split_at(at);
    let check = rest.strip_prefix(",\"check\":\"").and_then(|rest| rest.strip_suffix("\"}")).ok_or_else(cut)?;
    match check == check_of(before, body) {
        true => Ok((format!("{body}}}"), check.to_string())),
        false => Err(CHANGED.to_string()),
    }
}

/// The check of a line whose bytes before `,"check"` are `body`.
pub(super) fn check_of(before: &str, body: &str) -> String {
    let mut crc = flate2::Crc::new();
    crc.update(before.as_bytes());
    crc.update(body.as_bytes());
    format!("{:08x}", crc.sum())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use serde_json::json;

    /// The export of a person, as a page writes it.
    pub(crate) fn written(mode: &str, rater: &str, more: serde_json::Value, records: &[serde_json::Value]) -> String {
        let mut header = json!({
            "format": FORMAT, "canary": crate::canary::CANARY, "program": "tomeval test", "mode": mode, "page": "0123",
            "rater": rater, "benchmarks": ["demo"], "interface": "en", "items": records.len(), "done": records.len(),
        });
        header.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let end = json!({ "end": records.len() });
        let mut check = String::new();
        let mut text = String::new();
        for value in [&header].into_iter().chain(records).chain([&end]) {
            let line = value.to_string();
            let body = &line[..line.len() - 1];
            check = check_of(&check, body);
            text += &format!("{body},\"check\":\"{check}\"}}\n");
        }
        text
    }

    fn answer(id: &str, rater: &str) -> serde_json::Value {
        json!({ "id": id, "rater": rater, "choice": 1, "order": [1, 0], "seconds": 2.5 })
    }

    #[test]
    fn adjudicators_of_older_pages_are_no_judges() {
        for (more, adjudicates) in
            [(json!({ "adjudicates": true }), true), (json!({ "settles": true }), true), (json!({}), false)]
        {
            let export = Export::read(&written("judge", "p1", more, &[])).unwrap();
            assert_eq!(export.header.adjudicates, adjudicates);
        }
    }

    #[test]
    fn an_export_is_read_whatever_mail_made_of_its_line_ends() {
        let text = written("answer", "p1", json!({}), &[answer("a", "p1"), answer("b", "p1")]);
        let export = Export::read(&text).unwrap();
        assert_eq!(export.answers().unwrap().len(), 2);
        assert_eq!(
            Export::read(&format!("\u{feff}{}", text.replace('\n', "\r\n\r\n"))).unwrap().records,
            export.records
        );
        assert!(is_export(&text) && !is_export("{\"id\":\"a\",\"choice\":1}"));
    }

    #[test]
    fn damaged_and_foreign_files_are_refused_with_the_line() {
        let text = written("answer", "p1", json!({}), &[answer("a", "p1"), answer("b", "p1"), answer("c", "p1")]);
        let lines: Vec<&str> = text.lines().collect();
        let check = |text: &str, line: usize, part: &str| {
            let error = Export::read(text).unwrap_err();
            assert!(error.line == line && error.message.contains(part), "{error}");
        };
        check(&text.replace("\"b\"", "\"x\""), 3, "was changed");
        check(&[lines[0], lines[2], lines[3], lines[4]].join("\n"), 2, "a line before it is missing");
        check(&[lines[0], lines[2], lines[1], lines[3], lines[4]].join("\n"), 2, "was changed");
        check(&lines[..3].join("\n"), 3, "the last line is missing");
        check(&text[..text.len() - 10], 5, "truncated");
        check(&(text.clone() + &text), 6, "do not join files");
        check("", 1, "empty");
        check("{\"id\":\"a\",\"choice\":1}\n", 1, "not an export");
        check("hello", 1, "not an export");
        let other = written("answer", "p1", json!({}), &[answer("a", "p2")]);
        check(&other, 2, "belongs to p2, but the file to p1");
        let later = written("answer", "p1", json!({ "format": "tomeval-annotation/9" }), &[]);
        check(&later, 1, "this program reads");
        for words in [MOST_WORDS + 1, 1 << 60, usize::MAX] {
            let record = json!({ "id": "a", "rater": "p1", "keywords": [], "words": words, "seconds": 1.0 });
            check(&written("mark", "p1", json!({}), &[record]), 2, "no item has more than 1000000");
        }
        let unread = written("answer", "p1", json!({}), &[json!({ "id": "a", "rater": "p1" })]);
        check(&unread, 2, "choice");
        let other = written("answer", "p1", json!({}), &[answer("demo/a/0/en", "p1"), answer("tombench/a/0/en", "p1")]);
        check(&other, 3, "`tombench/a/0/en` does not belong to a benchmark of the first line (demo)");
        let own = written("answer", "p1", json!({ "benchmarks": ["custom"] }), &[answer("tombench/a/0/en", "p1")]);
        assert!(Export::read(&own).is_ok(), "own questions may be called anything");
    }

    #[test]
    fn marks_and_judgements_that_no_page_writes_are_refused_by_name() {
        let check = |mode: &str, record: serde_json::Value, part: &str| {
            let error = Export::read(&written(mode, "p1", json!({}), &[record])).unwrap_err();
            assert!(error.line == 2 && error.message.contains(part), "{error}");
        };
        let mark = |words: usize, place: (usize, usize)| {
            let place = json!({ "text": "tin", "part": "story", "occurrence": 1, "words": [place.0, place.1] });
            json!({ "id": "demo/a/0/en", "rater": "p1", "keywords": [place], "words": words, "seconds": 1.0 })
        };
        assert!(Export::read(&written("mark", "p1", json!({}), &[mark(9, (8, 8))])).is_ok());
        check("mark", mark(0, (0, 0)), "`words` of `demo/a/0/en` is 0");
        check("mark", mark(9, (8, 9)), "is at word 9, counted from 0, of 9");
        check("mark", mark(9, (3, 2)), "ends before it begins");
        let judged = |value: serde_json::Value| json!({ "id": "u", "rater": "p1", "judgements": { "faults": value }, "words": 9, "seconds": 1.0 });
        check("judge", judged(json!(["a", "b", "a"])), "question `faults` of `u` has the label `a` twice");
        let span = json!({ "text": "tin", "part": "story", "occurrence": 1, "words": [3, 2] });
        let span = json!([{ "place": span, "label": "a", "severity": "s" }]);
        check("judge", judged(span), "ends before it begins");
    }
}
