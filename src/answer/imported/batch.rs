//! Batch output of the OpenAI protocol: one line per request, with the body of a chat completion, completion or
//! response.

use serde_json::Value;

use super::known::Names;
use super::problem::{ImportedProblem, Place};
use super::row::{Row, Said};

/// Whether a line has the keys of batch output.
pub(super) fn is_batch(line: &Value) -> bool {
    let object = |key: &str| line.get(key).is_some_and(|value| value.is_object() || value.is_null());
    line.get("custom_id").is_some() && object("response") && object("error")
        || line.get("custom_id").is_some() && line.get("response").is_some_and(Value::is_object)
}

/// Parses one line of batch output.
pub(super) fn row(line: &Value, place: Place) -> Result<Row, Box<ImportedProblem>> {
    let missing = |field: &'static str| ImportedProblem::mistake(Some(field), "is missing");
    let id = line.get("custom_id").and_then(Value::as_str).ok_or_else(|| missing("custom_id"))?;
    let names = Names { ids: vec![id.to_string()], ..Names::default() };
    let said = match (message_of(line), line.get("response").filter(|response| !response.is_null())) {
        (Some(reason), _) => vec![Said::Failed { reason }],
        (None, None) => return Err(missing("response")),
        (None, Some(response)) => {
            let status = response.get("status_code").and_then(Value::as_u64).ok_or_else(|| missing("status_code"))?;
            let body = response.get("body").ok_or_else(|| missing("body"))?;
            match (status, message_of(body)) {
                (200, None) => of_body(body)?,
                (200, Some(reason)) => vec![Said::Failed { reason }],
                (status, reason) => {
                    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
                    vec![Said::Failed { reason: format!("status {status}{reason}") }]
                }
            }
        }
    };
    Ok(Row { place, names, lettered: false, shown_so: true, said })
}

/// Message of an object's `error`; `None` without one.
fn message_of(object: &Value) -> Option<String> {
    let error = object.get("error").filter(|error| !error.is_null())?;
    let text = |key: &str| error.get(key).and_then(Value::as_str).map(str::to_string);
    Some(
        text("message")
            .or_else(|| text("code"))
            .or_else(|| error.as_str().map(str::to_string))
            .unwrap_or_else(|| "an error without a message".to_string()),
    )
}

fn of_body(body: &Value) -> Result<Vec<Said>, Box<ImportedProblem>> {
    let choices = body.get("choices").and_then(Value::as_array);
    if let Some(choices) = choices.filter(|choices| !choices.is_empty()) {
        return Ok(choices.iter().map(of_choice).collect());
    }
    match body.get("output").and_then(Value::as_array) {
        Some(output) => Ok(vec![of_response(body, output)]),
        None => Err(ImportedProblem::mistake(Some("body"), "contains neither `choices` nor `output`")),
    }
}

/// One choice of a chat completion or a completion.
fn of_choice(choice: &Value) -> Said {
    let message = choice.get("message").unwrap_or(choice);
    let part = |key: &str| message.get(key).and_then(text_of);
    let end = choice.get("finish_reason").and_then(Value::as_str);
    let cut = end == Some("length");
    match (end, part("content").or_else(|| part("text")).or_else(|| part("refusal"))) {
        (Some(reason @ ("content_filter" | "tool_calls" | "function_call")), _) => {
            Said::Failed { reason: format!("it ended with `{reason}`") }
        }
        (_, Some(text)) => Said::Reply { text, cut },
        // The thoughts used up all tokens.
        (_, None) if cut => Said::Reply { text: String::new(), cut },
        (_, None) => Said::Failed { reason: "it holds no text".to_string() },
    }
}

fn of_response(body: &Value, output: &[Value]) -> Said {
    let messages = output.iter().filter(|part| part.get("type").and_then(Value::as_str) == Some("message"));
    let text: String = messages.filter_map(|message| message.get("content").and_then(text_of)).collect();
    let why = body.get("incomplete_details").and_then(|details| details.get("reason")).and_then(Value::as_str);
    match (body.get("status").and_then(Value::as_str), why) {
        (Some("completed") | None, _) if text.is_empty() => Said::Failed { reason: "it holds no text".to_string() },
        (Some("completed") | None, _) => Said::Reply { text, cut: false },
        (Some("incomplete"), None | Some("max_output_tokens")) => Said::Reply { text, cut: true },
        (Some(status), why) => Said::Failed {
            reason: format!("its status is `{status}`{}", why.map_or_else(String::new, |why| format!(": {why}"))),
        },
    }
}

/// A text, or the texts of a list of parts.
pub(super) fn text_of(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let text =
                |part: &Value| ["text", "refusal"].iter().find_map(|key| part.get(key)?.as_str().map(str::to_string));
            Some(parts.iter().filter_map(text).collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(line: Value) -> Vec<Said> {
        assert!(is_batch(&line), "{line}");
        row(&line, Place::Line(1)).unwrap().said
    }

    fn answered(body: Value) -> Vec<Said> {
        said(json!({"id": "b", "custom_id": "q1", "response": {"status_code": 200, "body": body}, "error": null}))
    }

    fn reply(text: &str, cut: bool) -> Vec<Said> {
        vec![Said::Reply { text: text.to_string(), cut }]
    }

    fn failed(said: &[Said]) -> &str {
        match said {
            [Said::Failed { reason }] => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn bodies_of_all_three_routes_are_read() {
        let chat = |content: Value, end: &str| {
            answered(json!({"choices": [{"message": {"content": content}, "finish_reason": end}]}))
        };
        assert_eq!(chat(json!("B"), "stop"), reply("B", false));
        assert_eq!(chat(json!("B, bec"), "length"), reply("B, bec", true));
        assert_eq!(chat(json!([{"type": "text", "text": "B"}]), "stop"), reply("B", false));
        assert_eq!(chat(Value::Null, "length"), reply("", true));
        assert_eq!(answered(json!({"choices": [{"text": " B", "finish_reason": "stop"}]})), reply(" B", false));
        let response = |status: &str, why: Value| {
            let output = json!([{"type": "reasoning", "summary": [{"text": "hm"}]},
                {"type": "message", "content": [{"type": "output_text", "text": "B"}]}]);
            answered(
                json!({"object": "response", "status": status, "incomplete_details": why, "output": output, "error": null}),
            )
        };
        assert_eq!(response("completed", Value::Null), reply("B", false));
        assert_eq!(response("incomplete", json!({"reason": "max_output_tokens"})), reply("B", true));
        assert_eq!(
            failed(&response("incomplete", json!({"reason": "content_filter"}))),
            "its status is `incomplete`: content_filter"
        );
        let two = json!({"choices": [{"message": {"content": "A"}, "finish_reason": "stop"},
            {"message": {"content": "B"}, "finish_reason": "stop"}]});
        assert_eq!(answered(two).len(), 2);
    }

    #[test]
    fn errors_are_no_answers_and_say_why() {
        let error =
            json!({"custom_id": "q1", "response": null, "error": {"code": "batch_expired", "message": "too late"}});
        assert_eq!(failed(&said(error)), "too late");
        let status = json!({"custom_id": "q1", "error": null,
            "response": {"status_code": 429, "body": {"error": {"message": "slow down"}}}});
        assert_eq!(failed(&said(status)), "status 429: slow down");
        let filtered = answered(json!({"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]}));
        assert_eq!(failed(&filtered), "it ended with `content_filter`");
    }

    #[test]
    fn a_line_of_another_form_is_a_mistake() {
        for line in [
            json!({"custom_id": "q", "response": {"body": {}}}),
            json!({"custom_id": "q", "response": {"status_code": 200, "body": {}}}),
            json!({"custom_id": "q", "response": null, "error": null}),
            json!({"custom_id": 3, "response": {"status_code": 200, "body": {"choices": []}}}),
        ] {
            assert!(row(&line, Place::Line(1)).is_err(), "{line}");
        }
    }
}
