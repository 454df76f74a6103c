//! Logs of inspect_ai: a zip archive with one JSON member per sample (`.eval`), or one JSON document.
//!
//! A sample lists the options in the order of its letters. A numeric id is a row number, used if the dataset has no
//! ids, and does not identify an item.

use std::collections::HashSet;
use std::io::{Cursor, Read};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use zip::ZipArchive;

use super::batch::text_of;
use super::known::Names;
use super::problem::{ImportedProblem, Place};
use super::row::{Row, Said};
use crate::json::{MOST_VALUES, within_without};
use crate::parse_error::in_words;

/// First bytes of an archive.
const ZIP: &[u8] = b"PK\x03\x04";

/// Size limit of an unpacked sample, in bytes.
const MOST_OF_A_SAMPLE: u64 = 256 << 20;

/// Size limit of all unpacked samples of an archive: this many bytes, or `MOST_TIMES` its size if that is more.
const MOST_UNPACKED: u64 = 1 << 30;
const MOST_TIMES: u64 = 100;

/// Keys that describe how replies were produced; they make up most of a log.
const PASSED_OVER: [&str; 8] =
    ["events", "events_data", "attachments", "store", "metadata", "messages", "model_usage", "timelines"];

/// Whether the bytes are an archive.
pub(super) fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(ZIP)
}

/// Whether the text is a document with the keys of a log.
pub(super) fn is_log(text: &str) -> bool {
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only their presence matters")]
    struct Keys {
        version: IgnoredAny,
        status: IgnoredAny,
        eval: IgnoredAny,
    }
    serde_json::from_str::<Keys>(text).is_ok()
}

/// Parses a JSON document, skipping the parts of a log other than its answers.
pub(super) fn document(text: &[u8]) -> Result<Value, String> {
    within_without(text, MOST_VALUES, &PASSED_OVER).map_err(in_words)
}

/// The samples of an archive.
///
/// # Errors
/// It is not an archive of a log, or exceeds the size limits when unpacked.
pub(super) fn of_archive(bytes: &[u8]) -> Result<Vec<Result<Row, ImportedProblem>>, String> {
    let most = MOST_UNPACKED.max(MOST_TIMES.saturating_mul(bytes.len() as u64));
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| format!("a damaged zip archive: {error}"))?;
    let is_sample = |name: &str| name.starts_with("samples/") && name.ends_with(".json");
    let members: Vec<usize> = (0..archive.len())
        .filter(|&at| archive.name_for_index(at).is_some_and(|name| name.is_ok_and(|name| is_sample(&name))))
        .collect();
    if members.is_empty() {
        return Err("a zip archive without `samples/*.json`: not a log of inspect_ai".to_string());
    }
    let (mut rows, mut unpacked) = (Rows::default(), 0);
    for at in members {
        let member = archive.by_index(at).map_err(|error| format!("a damaged zip archive: {error}"))?;
        let name = member.name().map_err(|error| format!("a damaged zip archive: {error}"))?.into_owned();
        let left = MOST_OF_A_SAMPLE.min(most - unpacked);
        let mut text = Vec::new();
        member.take(left + 1).read_to_end(&mut text).map_err(|error| format!("{name}: cannot be unpacked: {error}"))?;
        if text.len() as u64 > left {
            return Err(format!("{name}: unpacks to more than {} MiB, the limit for a log", left >> 20));
        }
        unpacked += text.len() as u64;
        rows.add(&document(&text).map_err(|message| format!("{name}: {message}"))?);
    }
    Ok(rows.rows)
}

/// The samples of a log in one document.
///
/// # Errors
/// It has no samples.
pub(super) fn of_document(log: &Value) -> Result<Vec<Result<Row, ImportedProblem>>, String> {
    let samples = log.get("samples").and_then(Value::as_array);
    let samples = samples.ok_or("a log of inspect_ai without `samples`; log with --log-samples")?;
    let mut rows = Rows::default();
    samples.iter().for_each(|sample| rows.add(sample));
    Ok(rows.rows)
}

#[derive(Default)]
struct Rows {
    seen: HashSet<(String, u64)>,
    rows: Vec<Result<Row, ImportedProblem>>,
}

impl Rows {
    fn add(&mut self, sample: &Value) {
        let (id, named) = match sample.get("id") {
            Some(Value::String(id)) => (id.clone(), true),
            Some(id) => (id.to_string(), false),
            None => ("?".to_string(), false),
        };
        let epoch = sample.get("epoch").and_then(Value::as_u64).unwrap_or(1);
        let place = Place::Sample { id: id.clone(), epoch };
        self.rows.push(match self.seen.insert((id.clone(), epoch)) {
            true => Ok(row(sample, place, named.then_some(id))),
            false => Err(ImportedProblem::mistake(Some("epoch"), "duplicates another sample with this id").at(place)),
        });
    }
}

fn row(sample: &Value, place: Place, id: Option<String>) -> Row {
    let input = match sample.get("input") {
        Some(Value::Array(messages)) => {
            messages.iter().filter_map(|message| message.get("content").and_then(text_of)).collect()
        }
        input => input.and_then(Value::as_str).map(str::to_string).into_iter().collect(),
    };
    let choices = sample.get("choices").and_then(Value::as_array);
    let choices = choices.and_then(|texts| texts.iter().map(|text| text.as_str().map(str::to_string)).collect());
    let names = Names { ids: id.into_iter().collect(), texts: input, lists: choices.into_iter().collect() };
    Row { place, names, lettered: true, shown_so: !is_rewritten(sample), said: said(sample) }
}

/// Whether the log was rewritten as if the options had been shown in data order.
fn is_rewritten(sample: &Value) -> bool {
    let scores = sample.get("scores").and_then(Value::as_object);
    let says_so = |score: &Value| {
        let explanation = score.get("explanation").and_then(Value::as_str);
        explanation.is_some_and(|text| text.starts_with("Choices were shuffled before"))
    };
    scores.is_some_and(|scores| scores.values().any(says_so))
}

fn said(sample: &Value) -> Vec<Said> {
    let message = |error: &Value| {
        let text = error.get("message").unwrap_or(error).as_str();
        text.unwrap_or("an error without a message").to_string()
    };
    let output = sample.get("output");
    let errors = [sample.get("error"), output.and_then(|output| output.get("error"))];
    if let Some(error) = errors.into_iter().flatten().find(|error| !error.is_null()) {
        return vec![Said::Failed { reason: message(error) }];
    }
    let choice = output.and_then(|output| output.get("choices")?.get(0));
    let text = choice.and_then(|choice| choice.get("message")?.get("content").and_then(text_of));
    let end = choice.and_then(|choice| choice.get("stop_reason")?.as_str());
    let limited = sample.get("limit").is_some_and(|limit| !limit.is_null());
    vec![match text {
        Some(text) => Said::Reply { text, cut: limited || matches!(end, Some("max_tokens" | "model_length")) },
        None => Said::Failed { reason: "it holds no reply".to_string() },
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::io::Write;
    use zip::write::SimpleFileOptions;

    fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Zstd);
        for (name, text) in members {
            writer.start_file(*name, options).unwrap();
            writer.write_all(text).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    #[test]
    fn ids_that_are_numbers_name_no_item() {
        let output = json!({"choices": [{"message": {"content": [{"type": "reasoning", "reasoning": "hm"},
            {"type": "text", "text": "B"}]}, "stop_reason": "max_tokens"}]});
        let sample = |id: Value| json!({"id": id, "epoch": 2, "input": [{"content": "?"}], "choices": ["x", "y"], "output": output});
        let log =
            json!({"status": "success", "eval": {}, "version": 2, "samples": [sample(json!(1)), sample(json!("q"))]});
        assert!(is_log(&log.to_string()) && !is_log("{}"));
        let rows: Vec<Row> = of_document(&log).unwrap().into_iter().map(Result::unwrap).collect();
        assert_eq!([rows[0].names.ids.len(), rows[1].names.ids.len()], [0, 1]);
        assert_eq!(rows[0].said, [Said::Reply { text: "B".to_string(), cut: true }]);
        assert_eq!(rows[0].place.to_string(), "sample `1`, epoch 2");
        let twice = json!({"status": "success", "eval": {}, "samples": [sample(json!(1)), sample(json!(1))]});
        assert!(of_document(&twice).unwrap()[1].is_err());
    }

    #[test]
    fn archives_are_read_within_bounds_and_damaged_ones_refused() {
        let sample = br#"{"id": "q", "epoch": 1, "input": "?", "choices": ["x", "y"], "output": {"choices": []}}"#;
        let whole = archive(&[("header.json", b"{}"), ("samples/q_epoch_1.json", sample)]);
        assert!(is_archive(&whole));
        assert_eq!(of_archive(&whole).unwrap().len(), 1);
        assert!(of_archive(&archive(&[("header.json", b"{}")])).unwrap_err().contains("not a log of inspect_ai"));
        assert!(of_archive(&archive(&[("samples/q.json", b"{")])).unwrap_err().starts_with("samples/q.json"));
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x55;
            let _ = of_archive(&damaged);
            let _ = of_archive(&whole[..at]);
        }
        let many = [b"{\"input\": [".as_slice(), &b"{},".repeat(8 << 20), b"{}]}"].concat();
        assert!(of_archive(&archive(&[("samples/q.json", &many)])).unwrap_err().contains("MB of memory"));
    }
}
