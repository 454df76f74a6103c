//! Replies that are written once and read cut to several numbers of tokens.

use std::fs;
use std::path::Path;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::{Value, json};

use crate::support::context::{Run, TestContext};
use crate::support::files::{keep_some, manifest, read_json, records};
use crate::support::tiny_models::tiny_model_of;

/// What a run recorded under a condition, without what names the condition, by item, order and sample.
fn replies(run: &Path, condition: Option<&str>) -> Vec<Value> {
    let of = |mut record: Value| {
        let own = record.as_object_mut().unwrap().remove("condition");
        (own.as_ref().and_then(Value::as_str) == condition).then_some(record)
    };
    let mut found: Vec<Value> = records(run).into_iter().filter_map(of).collect();
    found.sort_by_key(|record| format!("{} {} {}", record["id"], record["order"], record["sample"]));
    found
}

#[test]
fn each_cut_is_what_a_run_within_so_many_tokens_writes() {
    let context = TestContext::new();
    let model = tiny_model_of(context.folder(), "qwen3");
    let opened = "{{ messages[-1].content }}\n<think>\n";
    fs::write(model.join("chat_template.jinja"), opened).unwrap();
    let run = |out: &str, drawn: &str, tokens: &str| {
        let arguments =
            ["run", "--offline", "--benchmark", "demo", "--language", "en", "--limit", "3", "--scoring", "generate"];
        let mut command = context.command(&arguments);
        command.args(drawn.split(' ')).args(["--max-new-tokens", tokens, "--model"]).arg(&model);
        command.arg("--out").arg(context.path(out)).run().done()
    };
    for (name, drawn) in [
        ("greedy", "--orders random:2"),
        ("sampled", "--orders identity --temperature 1 --samples 2 --stop e"),
        ("thinking", "--orders identity --temperature 1 --thinking 2"),
    ] {
        let sweep = context.path(name);
        run(name, drawn, "9,3,27");
        let before = fs::read(sweep.join("trials.jsonl")).unwrap();
        run(name, drawn, "27,9,3");
        assert_eq!(fs::read(sweep.join("trials.jsonl")).unwrap(), before, "nothing is written again");
        let writing = &manifest(&sweep)["settings"]["writing"];
        assert_eq!((&writing["max_new_tokens"], &writing["reply_budgets"]), (&json!(27), &json!([3, 9, 27])));
        let mut cut = 0;
        for tokens in ["3", "9", "27"] {
            let alone = format!("{name}-{tokens}");
            run(&alone, drawn, tokens);
            assert!(!fs::read_to_string(context.path(&alone).join("manifest.json")).unwrap().contains("reply_budgets"));
            let (cuts, alone) =
                (replies(&sweep, Some(&format!("reply-{tokens}"))), replies(&context.path(&alone), None));
            assert!(!alone.is_empty());
            assert_eq!(cuts, alone, "{name} {tokens}");
            cut += cuts.iter().filter(|record| record["asks"][0]["reply"]["end"] == "length").count();
        }
        assert!(cut > 0, "some reply is cut");
        if name == "sampled" {
            let ended = |record: &Value| record["asks"][0]["reply"]["end"] == "stop";
            assert!(records(&sweep).iter().any(ended), "a stop string ends some");
            for kept in [1, 7, records(&sweep).len() - 1] {
                let out = context.path(format!("kept-{kept}"));
                keep_some(&sweep, &out, kept);
                run(&format!("kept-{kept}"), drawn, "9,3,27");
                assert!(fs::read(out.join("trials.jsonl")).unwrap() == before, "{kept} records were left");
            }
        }
    }

    // What was read stands in all reports, and is read again like any reply.
    let sweep = context.path("greedy");
    let report = |more: &[&str]| context.command(&["report"]).args(more).arg(&sweep).run().success().stdout;
    let table = report(&["--table", "budgets", "--wide"]);
    assert!(table.contains("Accuracy by budget of tokens") && table.contains("replies"), "{table}");
    let found = context.command(&["report"]).arg(&sweep).json();
    let rows = found["results"][0]["budgets"].as_array().unwrap();
    assert_eq!(
        rows.iter().map(|row| (&row["of"], &row["tokens"])).collect::<Vec<_>>(),
        [(&json!("reply"), &json!(3)), (&json!("reply"), &json!(9)), (&json!("reply"), &json!(27)),]
    );
    for row in rows {
        let tokens = row["tokens"].as_u64().unwrap();
        let of_budget = replies(&sweep, Some(&format!("reply-{tokens}")));
        let reply = |record: &Value| record["asks"][0]["reply"].clone();
        let used: Vec<f64> = of_budget.iter().map(|record| reply(record)["tokens"].as_f64().unwrap()).collect();
        let cut = of_budget.iter().filter(|record| reply(record)["end"] == "length").count();
        assert!((row["used"].as_f64().unwrap() - used.iter().sum::<f64>() / used.len() as f64).abs() < 1e-9);
        assert!((row["cut"].as_f64().unwrap() - 100.0 * cut as f64 / used.len() as f64).abs() < 1e-9);
    }
    assert!(report(&["--format", "csv"]).contains("of=reply;tokens=9"));
    assert_eq!(report(&["--table", "budgets", "--extract", "ours"]), report(&["--table", "budgets"]));
    assert!(fs::read_to_string(sweep.join("report.html")).unwrap().contains("reply-9"));
}

#[test]
fn what_one_reply_cannot_tell_is_refused() {
    let context = TestContext::new();
    let refused = |more: &str, why: &str| {
        let mut command = context.command(&["run", "--offline", "--max-new-tokens"]);
        command.args(more.split(' ')).run().code(2).with_stderr(contains(why));
    };
    refused("8,8 --scoring generate", "several numbers must differ");
    refused("8,16", "needs written answers");
    refused("8,16 --scoring generate --thinking 0,4", "several budgets of --thinking");
    refused("8,16 --scoring letter,generate --style cot --after-reasoning", "--after-reasoning");
    refused("8,16 --scoring generate --questions-per-prompt all", "--questions-per-prompt");
    refused("8,16 --scoring generate --options after", "--options after and never");
    #[cfg(feature = "server")]
    refused(
        "8,16 --scoring generate --model openai:http://127.0.0.1:9#m",
        "name the model's tokenizer with --tokenizer",
    );
}

/// A server that thinks in every way in which models do: recorded replies in the place of its own.
#[cfg(feature = "server")]
#[test]
fn thoughts_of_a_server_are_cut_in_all_their_shapes() {
    use crate::runs::servers::Place;
    use crate::support::model_server::{Reply, TOP, serve_changed};

    /// The thought in a channel of its own, the content, and the outcome of reading all of it.
    const SHAPES: [(Option<&str>, &str, &str); 5] = [
        (None, "<think>\nIt is A or B.\n</think> No. </think>\n\n[[A]]", "answer"),
        (None, "It may be the one, or not.\n</think>\n\n[[B]]", "answer"),
        (Some("It may be the one, or not."), "[[A]]", "answer"),
        (None, "<think>\nIt never ends, and never will", "cut-off"),
        (None, "[[A]]", "answer"),
    ];
    let place = Place::new();
    for (number, (apart, content, outcome)) in SHAPES.into_iter().enumerate() {
        let server = serve_changed(&place.model, TOP, move |asked, mut honest| {
            if asked.is_of_a_trial() && asked.path.contains("chat") {
                honest["choices"][0]["message"] = json!({"content": content, "reasoning_content": apart});
                honest["choices"][0]["finish_reason"] = json!(if outcome == "answer" { "stop" } else { "length" });
                honest["usage"]["completion_tokens"] = json!(90);
            }
            Reply::Json(honest)
        });
        let out = place.out(&format!("shape-{number}"));
        let budgets: Vec<usize> = (1..40).chain([90]).collect();
        let given = budgets.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        let [name, tokenizer] = place.tokenizer();
        let more = ["--scoring", "generate", "--max-new-tokens", &given, name, tokenizer];
        let ran = place.run(&server, &out, &more).run();
        assert!(ran.status.code().is_some_and(|code| code < 2), "{}", ran.stderr);
        let trials = replies(&out, Some("reply-90")).len();
        assert_eq!(server.of_trials(), trials, "each reply is asked for once");
        let whole = [apart.unwrap_or_default(), content].concat();
        let mut before = 0;
        for tokens in budgets {
            for record in replies(&out, Some(&format!("reply-{tokens}"))) {
                let reply = &record["asks"][0]["reply"];
                let [thinking, text] = ["thinking", "text"].map(|part| reply[part].as_str().unwrap_or_default());
                let kept = [thinking, text].concat();
                assert!(whole.starts_with(&kept) && kept.len() >= before, "{kept:?} of {whole:?}");
                before = kept.len();
                let read = reply["reading"]["outcome"].as_str().unwrap();
                if kept == whole {
                    assert_eq!(read, outcome, "{kept:?}");
                } else {
                    assert_eq!((&reply["end"], &reply["tokens"]), (&json!("length"), &json!(tokens)));
                    // Nothing in a section, closed or not, and no half of a tag, is an answer.
                    let open = kept.starts_with("<think") || text.is_empty();
                    assert!(!open || text.contains("</think>") || read != "answer", "{kept:?}");
                }
            }
        }
        assert_eq!(before, whole.len(), "the largest budget has all of it");
    }
}

#[test]
fn lengths_are_told_of_every_way_of_writing() {
    let context = TestContext::new();
    let model = tiny_model_of(context.folder(), "qwen3");
    let out = context.path("out");
    let arguments =
        ["run", "--offline", "--benchmark", "demo", "--language", "en", "--limit", "12", "--orders", "identity"];
    let mut command = context.command(&arguments);
    command.args("--scoring generate --temperature 1 --samples 8 --max-new-tokens 6,12 --stop e --model".split(' '));
    command.arg(&model).arg("--out").arg(&out).run().done();
    let both = contains("per doubling").and(contains("Accuracy by length of the reply"));
    context.command(&["report", "--table", "reply-length", "--wide"]).arg(&out).run().success().with_stdout(both);
    let results = read_json(&out.join("results.json"));
    let [row] = &results["results"][0]["reply_length"].as_array().unwrap()[..] else { panic!("one row: the largest") };
    assert_eq!(row["condition"], "reply-12");
    let recorded = replies(&out, Some("reply-12"));
    let cut = recorded.iter().filter(|record| record["asks"][0]["reply"]["end"] == "length").count();
    assert_eq!((row["replies"].as_u64(), row["cut"].as_u64()), (Some((recorded.len() - cut) as u64), Some(cut as u64)));
    let quarters = row["quarters"].as_array().unwrap();
    let counted: u64 = quarters.iter().map(|quarter| quarter["replies"].as_u64().unwrap()).sum();
    assert_eq!(Some(counted), row["replies"].as_u64());
}
