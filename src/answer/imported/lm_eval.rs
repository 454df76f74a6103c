//! Rows that lm-evaluation-harness writes with `--log_samples`: one line per document and filter.
//!
//! For scored continuations, `filtered_resps` holds pairs of texts (the log-likelihood, and whether the continuation is
//! the greedy one) in the order of `arguments`; for generated answers, each reply as filtered. `doc_id` is a row number
//! and does not identify an item.

use indexmap::IndexSet;
use serde_json::Value;

use super::known::Names;
use super::problem::{ImportedProblem, Place};
use super::row::{Row, Said};

/// Document keys that may hold its id.
const IDS: [&str; 4] = ["id", "qid", "question_id", "item_id"];

/// Whether a line has the keys of a sample.
pub(super) fn is_sample(line: &Value) -> bool {
    ["doc_id", "doc", "filtered_resps"].iter().all(|key| line.get(key).is_some())
}

/// The filter of a line; files of older versions have no filter.
pub(super) fn filter_of(line: &Value) -> &str {
    line.get("filter").and_then(Value::as_str).unwrap_or("none")
}

/// Chooses the filter of a file whose rows are read.
///
/// # Errors
/// The file has several filters and none was chosen, or lacks the chosen one.
pub(super) fn chosen_filter<'a>(filters: &'a IndexSet<String>, wanted: Option<&str>) -> Result<&'a str, String> {
    let names = || filters.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    match (wanted, filters.len()) {
        (Some(wanted), _) => filters
            .get(wanted)
            .map(String::as_str)
            .ok_or_else(|| format!("no rows of the filter `{wanted}`; --filter takes one of {}", names())),
        (None, 1) => Ok(filters.first().map_or("none", String::as_str)),
        (None, _) => Err(format!("each document has rows of several filters; choose one with --filter: {}", names())),
    }
}

/// Parses one sample.
pub(super) fn row(line: &Value, place: Place) -> Result<Row, Box<ImportedProblem>> {
    let missing = |field: &'static str| ImportedProblem::mistake(Some(field), "is missing");
    let document = line.get("doc").ok_or_else(|| missing("doc"))?;
    let answers = line.get("filtered_resps").and_then(Value::as_array).ok_or_else(|| missing("filtered_resps"))?;
    let mut names = Names::default();
    let ids = IDS.iter().filter_map(|key| document.get(key).and_then(Value::as_str));
    names.ids.extend(ids.map(str::to_string));
    gather(document, &mut names);
    let pairs: Option<Vec<f64>> = answers.iter().map(log_likelihood).collect();
    let said = match pairs {
        Some(logprobs) if !logprobs.is_empty() => {
            let (continuations, logprobs) = scored(line, logprobs)?;
            names.lists.push(continuations.clone());
            vec![Said::Scores { continuations, logprobs }]
        }
        _ => answers.iter().flat_map(replies).collect(),
    };
    if said.is_empty() {
        return Err(ImportedProblem::mistake(Some("filtered_resps"), "contains neither log-likelihoods nor replies"));
    }
    Ok(Row { place, names, lettered: true, shown_so: true, said })
}

/// Collects texts and lists of texts of a document, at any depth.
fn gather(value: &Value, names: &mut Names) {
    match value {
        Value::String(text) => names.texts.push(text.clone()),
        Value::Array(values) => {
            let texts: Option<Vec<String>> = values.iter().map(|text| text.as_str().map(str::to_string)).collect();
            match texts {
                Some(texts) if texts.len() > 1 => names.lists.push(texts),
                _ => values.iter().for_each(|value| gather(value, names)),
            }
        }
        Value::Object(values) => values.values().for_each(|value| gather(value, names)),
        _ => {}
    }
}

/// The log-likelihood of a pair; files hold both parts as texts.
fn log_likelihood(pair: &Value) -> Option<f64> {
    let [value, greedy] = &pair.as_array()?[..] else { return None };
    let value = value.as_f64().or_else(|| value.as_str()?.parse().ok()).filter(|value| !value.is_nan())?;
    (greedy.is_boolean() || matches!(greedy.as_str(), Some("True" | "False"))).then_some(value)
}

/// Continuations with their log-likelihoods, without those after an empty prompt, which normalise the others.
fn scored(line: &Value, logprobs: Vec<f64>) -> Result<(Vec<String>, Vec<f64>), Box<ImportedProblem>> {
    let arguments = line.get("arguments");
    let argument = |at: usize| -> Option<(String, String)> {
        let pair = match arguments? {
            Value::Array(all) => all.get(at)?.as_array()?.iter().collect::<Vec<_>>(),
            all => {
                let pair = all.get(format!("gen_args_{at}"))?;
                vec![pair.get("arg_0")?, pair.get("arg_1")?]
            }
        };
        let [prompt, continuation] = &pair[..] else { return None };
        Some((prompt.as_str()?.to_string(), continuation.as_str()?.to_string()))
    };
    let all: Option<Vec<(String, String)>> = (0..logprobs.len()).map(argument).collect();
    let all = all.ok_or_else(|| {
        ImportedProblem::mistake(Some("arguments"), "must contain a prompt and a continuation for each log-likelihood")
    })?;
    let prompted = all.iter().any(|(prompt, _)| !prompt.is_empty());
    let kept = all.into_iter().zip(logprobs).filter(|((prompt, _), _)| !(prompted && prompt.is_empty()));
    Ok(kept.map(|((_, continuation), logprob)| (continuation, logprob)).unzip())
}

fn replies(answer: &Value) -> Vec<Said> {
    match answer {
        Value::String(text) => vec![Said::Reply { text: text.clone(), cut: false }],
        Value::Array(several) => several.iter().flat_map(replies).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn scores_behind_no_prompt_are_left_out() {
        let line = json!({"doc_id": 0, "doc": {"question": "?", "choices": ["x", "y"]},
            "arguments": [["p", " x"], ["p", " y"], ["", " x"], ["", " y"]],
            "filtered_resps": [["-1.5", "True"], ["-inf", "False"], ["-3", "False"], ["-4", "False"]]});
        let row = row(&line, Place::Line(1)).unwrap();
        let expected = Said::Scores {
            continuations: vec![" x".to_string(), " y".to_string()],
            logprobs: vec![-1.5, f64::NEG_INFINITY],
        };
        assert_eq!(row.said, [expected]);
        assert!(row.names.ids.is_empty() && row.names.lists.len() == 2);
    }

    #[test]
    fn several_filters_are_told_apart() {
        let filters: IndexSet<String> = ["strict", "flexible"].map(String::from).into();
        assert_eq!(chosen_filter(&filters, Some("flexible")).unwrap(), "flexible");
        assert!(chosen_filter(&filters, None).unwrap_err().ends_with("--filter: strict, flexible"));
        assert!(chosen_filter(&filters, Some("loose")).unwrap_err().contains("one of strict, flexible"));
    }

    #[test]
    fn malformed_rows_are_mistakes() {
        for line in [
            json!({"doc_id": 0, "doc": {}, "filtered_resps": []}),
            json!({"doc_id": 0, "doc": {}, "filtered_resps": [["-1", "True"]], "arguments": {}}),
            json!({"doc_id": 0, "doc": {}, "filtered_resps": [3]}),
            json!({"doc_id": 0, "doc": {}, "filtered_resps": "B"}),
        ] {
            assert!(row(&line, Place::Line(1)).is_err(), "{line}");
        }
    }
}
