//! `score` on files that other programs wrote: what each shape comes to, on questions of our own (tests/fixtures/elsewhere).

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::context::{Output, Run, TestContext};
use crate::support::model_server::{Reply, TOP, serve_changed};
use crate::support::tiny_models::tiny_model;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/elsewhere").join(name)
}

fn score(answers: &Path, more: &[&str]) -> Output {
    TestContext::new()
        .command(&["score", "--benchmark", "custom", "--language", "en", "--format", "items"])
        .arg("--data")
        .arg(fixture("questions.csv"))
        .arg("--answers")
        .arg(answers)
        .args(more)
        .run()
}

/// The ids of wrong answers, and of those with none, in the order of the data.
fn wrong(output: &Output) -> Vec<String> {
    let rows = output.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let rows = rows.filter(|row| row["right"] == json!(false));
    rows.map(|row| row["id"].as_str().unwrap().to_string()).collect()
}

/// The two of eight questions that the fixtures' model is wrong about.
const WRONG: [&str; 2] = ["custom/ladder/en", "custom/gloves-seen/en"];

#[test]
fn samples_of_lm_evaluation_harness_are_found_by_id_or_question_and_scored_by_likelihood() {
    for name in ["lm_eval_letters.jsonl", "lm_eval_texts.jsonl"] {
        let output = score(&fixture(name), &[]).success();
        assert_eq!(wrong(&output), WRONG, "{name}");
        assert!(
            output.stderr.contains("samples of lm-evaluation-harness under the filter `none`, rows: 8"),
            "{}",
            output.stderr
        );
    }
}

#[test]
fn of_several_filters_one_is_chosen() {
    let replies = fixture("lm_eval_replies.jsonl");
    let refused = score(&replies, &[]).code(2);
    assert!(refused.stderr.contains("choose one with --filter: strict, flexible"), "{}", refused.stderr);
    assert_eq!(wrong(&score(&replies, &["--filter", "flexible"]).success()), WRONG);
    assert_eq!(wrong(&score(&replies, &["--filter", "strict"]).success()).len(), 8);
    let other = score(&replies, &["--filter", "loose"]).code(2);
    assert!(other.stderr.contains("takes one of strict, flexible"), "{}", other.stderr);
    let none = score(&fixture("inspect.json"), &["--filter", "strict"]).code(2);
    assert!(none.stderr.contains("contains none"), "{}", none.stderr);
}

#[test]
fn logs_of_inspect_ai_are_read_with_their_epochs_and_shuffled_choices() {
    for name in ["inspect.eval", "inspect.json"] {
        let output = score(&fixture(name), &[]).code(1);
        assert_eq!(wrong(&output), WRONG, "{name}");
        assert!(output.stderr.contains("log of inspect_ai, rows: 16"), "{}", output.stderr);
        assert!(
            output.stderr.contains("rows without an answer: 1\n  sample `3`, epoch 2: RuntimeError"),
            "{}",
            output.stderr
        );
        let seeds = output.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let seeds = seeds.into_iter().find(|row| row["id"] == "custom/seeds/en").unwrap();
        assert!(seeds.to_string().contains("cut-off"), "{seeds}");
    }
}

#[test]
fn rows_that_match_no_item_are_counted_and_the_others_scored() {
    let context = TestContext::new();
    let text = std::fs::read_to_string(fixture("lm_eval_texts.jsonl")).unwrap();
    let answers = context.write("answers.jsonl", text.replace("Where does Marit think", "Where did Marit think"));
    let output = score(&answers, &[]).code(1);
    assert!(output.stderr.contains("rows that match no item and are left out: 1\n  line 7: "), "{}", output.stderr);
    assert_eq!(wrong(&output).len(), 3);
}

#[test]
fn batch_output_is_found_by_id_and_errors_are_no_answers() {
    let context = TestContext::new();
    let line = |id: &str, status: u16, text: &str, end: &str| {
        let body = json!({"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": end}],
            "error": if status == 200 { Value::Null } else { json!({"message": "slow down"}) }});
        json!({"id": "b", "custom_id": format!("custom/{id}/en"), "error": null,
            "response": {"status_code": status, "request_id": "r", "body": body}})
    };
    let lines = [
        line("kettle", 200, "Answer: A", "stop"),
        line("seeds", 200, "Answer: A", "stop"),
        line("letter", 429, "", "stop"),
        line("ladder", 200, "I think that", "length"),
        line("nobody", 200, "Answer: A", "stop"),
    ];
    let answers = context.write("batch.jsonl", lines.map(|line| format!("{line}\n")).concat());
    let output = score(&answers, &[]).code(1);
    for told in [
        "batch output of the OpenAI protocol, rows: 5",
        "match no item and are left out: 1\n  line 5: no item `custom/nobody/en`",
        "without an answer: 1\n  line 3: status 429: slow down",
    ] {
        assert!(output.stderr.contains(told), "{told}: {}", output.stderr);
    }
    let rows: Vec<Value> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let row = |id: &str| rows.iter().find(|row| row["id"] == format!("custom/{id}/en")).unwrap();
    assert_eq!([&row("kettle")["right"], &row("seeds")["right"]], [&json!(true), &json!(false)]);
    assert!(row("ladder").to_string().contains("cut-off") && row("letter").to_string().contains("server"));
}

/// A reply that depends on what is shown alone.
fn reply_to(shown: &str) -> String {
    let letter = ["A", "B"][shown.bytes().map(usize::from).sum::<usize>() % 2];
    format!("Let me think. Answer: {letter}")
}

/// The rows of `--format items` without what names the respondent.
fn outcomes(output: &Output) -> Vec<Value> {
    let rows = output.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let kept = |row: Value| {
        let keys = ["id", "style", "condition", "choice", "right", "tied", "votes", "draws", "orders"];
        keys.iter().map(|key| ((*key).to_string(), row[*key].clone())).collect()
    };
    rows.filter(|row| row["id"].is_string()).map(kept).collect()
}

#[test]
fn requests_answered_elsewhere_come_to_what_a_run_comes_to() {
    let context = TestContext::new();
    let server = serve_changed(&tiny_model(context.folder()), TOP, |asked, mut honest| {
        if let Some(message) = asked.body["messages"].as_array().and_then(|messages| messages.last()) {
            honest["choices"][0]["message"]["content"] = json!(reply_to(message["content"].as_str().unwrap()));
            honest["choices"][0]["finish_reason"] = json!("stop");
        }
        Reply::Json(honest)
    });
    let asked = ["--benchmark", "demo", "--language", "en", "--limit", "6", "--seed", "3"];
    let ways = ["--style", "vanilla", "--orders", "random:5"];
    let run = context.path("run");
    let model = server.name();
    let begun = ["run", "--offline", "--scoring", "generate", "--model", &model, "--out"];
    context.command(&begun).arg(&run).args(asked).args(ways).run().success();
    let expected = outcomes(&context.command(&["report", "--format", "items"]).arg(&run).run().success());
    assert!(
        expected.iter().any(|row| row["orders"].as_array().unwrap().iter().any(|order| order["count"] != json!(1)))
    );

    for (format, more) in [("openai-batch", &["--model", "m"][..]), ("jsonl", &[][..])] {
        let out = context.path(format);
        let write = ["prompts", "write", "--format", format, "--out"];
        context.command(&write).arg(&out).args(asked).args(ways).args(more).run().success();
        let text = std::fs::read_to_string(out.join("requests.jsonl")).unwrap();
        let answer = |line: &str| {
            let request: Value = serde_json::from_str(line).unwrap();
            let messages = request.get("messages").unwrap_or_else(|| &request["body"]["messages"]);
            let reply = reply_to(messages.as_array().unwrap().last().unwrap()["content"].as_str().unwrap());
            let id = &request["custom_id"];
            let body = json!({"choices": [{"message": {"content": reply}, "finish_reason": "stop"}]});
            match format {
                "jsonl" => json!({"custom_id": id, "reply": reply}),
                _ => json!({"custom_id": id, "response": {"status_code": 200, "body": body}, "error": null}),
            }
        };
        // A service gives them back in any order.
        let answers: Vec<String> = text.lines().rev().map(|line| format!("{}\n", answer(line))).collect();
        let map = out.join("map.jsonl");
        let score = |answers: &str| {
            let file = context.write("answers.jsonl", answers);
            let mut command = context.command(&["score", "--format", "items", "--map"]);
            command.arg(&map).arg("--answers").arg(file).args(asked).run()
        };
        let sorted = |mut rows: Vec<Value>| {
            for row in &mut rows {
                row["orders"].as_array_mut().unwrap().sort_by_key(Value::to_string);
            }
            rows
        };
        assert_eq!(sorted(outcomes(&score(&answers.concat()).success())), sorted(expected.clone()), "{format}");
        let short = score(&answers[1..].concat()).code(1);
        let last = format!("requests of the map without a row: 1\n  r{}", answers.len());
        assert!(short.stderr.contains(&last), "{}", short.stderr);
        // A request that failed and was sent again has the later answer; one that failed and was not has none.
        if format == "openai-batch" {
            let failed =
                |id: String| json!({"custom_id": id, "response": {"status_code": 500, "body": {}}, "error": null});
            let first = failed(format!("r{}", answers.len()));
            let again = score(&format!("{first}\n{}", answers.concat())).success();
            assert!(again.stderr.contains("whose request another row answers: 1"), "{}", again.stderr);
            assert_eq!(sorted(outcomes(&again)), sorted(expected.clone()));
            let once = score(&format!("{first}\n{}", answers[1..].concat())).code(1);
            assert!(once.stderr.contains("rows without an answer: 1\n  line 1: status 500"), "{}", once.stderr);
            assert!(!once.stderr.contains("without a row"), "{}", once.stderr);
        }
    }
}
