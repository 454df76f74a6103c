//! Models with a thinking switch: it is off where answers are scored, what is set stands in the manifest, and a prompt that
//! ends in the midst of thinking is refused. Needs the tiny models of the fixtures alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::context::{Output, Run, TestContext};
use crate::support::files::{read_json, records};
use crate::support::tiny_models::tiny_model_of;

/// A command on two questions of the demo inventory in one order.
fn on_two_questions(context: &TestContext, command: &str, model: &Path, more: &[&str]) -> Output {
    let demo = [command, "--offline", "--benchmark", "demo", "--limit", "2", "--orders", "identity", "--model"];
    context.command(&demo).arg(model).args(more).run()
}

/// Tokens of the prompts that a run showed, in file order.
fn prompt_tokens(run: &Path) -> Vec<u64> {
    records(run).iter().map(|record| record["asks"][0]["prompt_tokens"].as_u64().unwrap()).collect()
}

#[test]
fn thinking_is_off_where_answers_are_scored() {
    let context = TestContext::new();
    for family in ["qwen3", "smollm3"] {
        let model = tiny_model_of(context.folder(), family);
        let [off, on] = ["off", "on"].map(|name| context.path(format!("{family}-{name}")));
        let run = on_two_questions(&context, "run", &model, &["--out", off.to_str().unwrap()]).success();
        assert_eq!(run.stderr.matches("(enable_thinking=false)").count(), 1, "{}", run.stderr);
        let manifest = read_json(&off.join("manifest.json"));
        assert_eq!(manifest["settings"]["template_variables"], json!({"enable_thinking": false}));

        let switched = ["--template-var", "enable_thinking=true", "--out", on.to_str().unwrap()];
        let run = on_two_questions(&context, "run", &model, &switched);
        assert!(run.status.success() && !run.stderr.contains("thinking is switched off"), "{}", run.stderr);
        let manifest = read_json(&on.join("manifest.json"));
        assert_eq!(manifest["settings"]["template_variables"], json!({"enable_thinking": true}));
        assert_eq!(prompt_tokens(&off).len(), prompt_tokens(&on).len());
        assert_ne!(prompt_tokens(&off), prompt_tokens(&on), "the switch changes the prompt");

        // A run is not continued with another switch.
        let other =
            on_two_questions(&context, "run", &model, &["--template-var", "x=1", "--out", on.to_str().unwrap()])
                .code(2);
        assert!(other.stderr.contains("settings.template_variables"), "{}", other.stderr);
    }
}

#[test]
fn plan_and_attend_switch_thinking_off_too() {
    let context = TestContext::new();
    let model = tiny_model_of(context.folder(), "qwen3");
    let plan = on_two_questions(&context, "plan", &model, &[]);
    assert!(plan.stderr.contains("(enable_thinking=false)"), "{}", plan.stderr);

    let attend = on_two_questions(&context, "attend", &model, &["--deletion-draws", "0", "--json"]).success();
    assert!(attend.stderr.contains("(enable_thinking=false)"), "{}", attend.stderr);
    let document: Value = attend.json();
    assert_eq!(document["models"][0]["template_variables"], json!({"enable_thinking": false}));
    let case = &document["cases"][0];
    assert!(case["text"].as_str().unwrap().contains("<think>\n\n</think>"));

    let show = ["prompts", "show", "--offline", "--json", "--item", case["item"].as_str().unwrap(), "--model"];
    let shown = context.command(&show).arg(&model).run().json();
    assert_eq!(shown["asks"][0]["rendered"]["text"], case["text"]);
}

#[test]
fn a_prompt_that_ends_inside_thinking_is_refused() {
    let context = TestContext::new();
    let model = tiny_model_of(context.folder(), "qwen3");
    fs::write(model.join("chat_template.jinja"), "{{ messages[-1].content }}\nAnswer: <think>\n").unwrap();
    let out = context.path("out");
    for (command, more) in [("run", ["--out", out.to_str().unwrap()]), ("plan", ["--style", "vanilla"])] {
        let refused = on_two_questions(&context, command, &model, &more).code(2);
        assert!(refused.stderr.contains("thinking section (<think>)"), "{}", refused.stderr);
        assert!(!out.exists());
    }
    let refused = on_two_questions(&context, "attend", &model, &[]).code(1);
    assert!(refused.stderr.contains("thinking section (<think>)"), "{}", refused.stderr);
}

#[test]
fn a_thought_that_is_cut_ends_as_the_template_ends_it() {
    let context = TestContext::new();
    let model = tiny_model_of(context.folder(), "qwen3");
    let template = "{{ messages[-1].content }}\n<think>\n\
                    {% if enable_thinking is defined and not enable_thinking %}\n</think>\n\n{% endif %}";
    fs::write(model.join("chat_template.jinja"), template).unwrap();
    let out = context.path("out");
    // Always taking its likeliest token, this model says nothing.
    let drawn = ["--scoring", "generate", "--temperature", "1", "--thinking", "4", "--max-new-tokens", "12"];
    let more = [&drawn[..], &["--out", out.to_str().unwrap()]].concat();
    on_two_questions(&context, "run", &model, &more).done();
    let writing = read_json(&out.join("manifest.json"))["settings"]["writing"].clone();
    assert_eq!((&writing["thinking"], &writing["end_of_thought"]), (&json!({"tokens": 4}), &json!("\n</think>\n\n")));
    let records = fs::read_to_string(out.join("trials.jsonl")).unwrap();
    for line in records.lines() {
        let reply = &serde_json::from_str::<Value>(line).unwrap()["asks"][0]["reply"];
        let (thought, answer) = (reply["thinking"].as_str().unwrap(), reply["text"].as_str().unwrap());
        assert!(thought.ends_with('\n') && answer.starts_with("\n\n"), "{reply}");
    }
}

/// Answers behind each budget, by item and presentation, as the records show their beginnings.
fn beginnings(run: &Path) -> BTreeMap<(String, String), String> {
    let of = |record: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        ((text(&record["id"]), text(&record["condition"])), text(&record["asks"][0]["answer_prefix"]))
    };
    records(run).iter().map(of).collect()
}

#[test]
fn thoughts_are_written_once_and_answers_follow_each_cut() {
    let context = TestContext::new();
    let model = tiny_model_of(context.folder(), "qwen3");
    let switched = "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}";
    let opened = "<think>\n{% if enable_thinking is defined and not enable_thinking %}\n</think>\n\n{% endif %}";
    for (name, section, opens) in [("own", switched, false), ("opened", opened, true)] {
        fs::write(model.join("chat_template.jinja"), format!("{{{{ messages[-1].content }}}}\n{section}")).unwrap();
        let out = context.path(name);
        let sweep =
            ["--scoring", "letter,generate", "--temperature", "1", "--thinking", "6,0,2", "--max-new-tokens", "24"];
        let more = [&sweep[..], &["--out", out.to_str().unwrap()]].concat();
        on_two_questions(&context, "run", &model, &more).done();
        let scored = out.join("letter-vanilla-cut-thoughts");
        let before = fs::read(scored.join("trials.jsonl")).unwrap();
        on_two_questions(&context, "run", &model, &more).done();
        assert_eq!(fs::read(scored.join("trials.jsonl")).unwrap(), before, "nothing is asked again");

        let beginnings = beginnings(&scored);
        let written = records(&out.join("generate-vanilla"));
        assert_eq!((written.len(), beginnings.len()), (2, 6));
        for record in &written {
            let (reply, id) = (&record["asks"][0]["reply"], record["id"].as_str().unwrap());
            let behind = |budget: &str| &beginnings[&(id.to_string(), format!("thinking-{budget}"))];
            assert_eq!(behind("0"), "[[", "the switch is off: the template writes the section, if any");
            let thought = reply["thinking"].as_str().unwrap_or_default().split("\n</think>").next().unwrap().trim_end();
            let whole = if opens { format!("{thought}\n</think>\n\n[[") } else { behind("6").clone() };
            let open = if opens { "" } else { "<think>\n" };
            assert_eq!(behind("6"), &whole);
            assert!(behind("2").starts_with(open) && behind("2").ends_with("\n</think>\n\n[["), "{}", behind("2"));
            let inner = behind("2").trim_end_matches("\n</think>\n\n[[");
            assert!(thought.starts_with(inner.trim_start_matches(open)), "{inner:?} of {thought:?}");
            assert!(!opens || inner.len() < thought.len(), "{inner:?} of {thought:?}");
        }
        let phase = &read_json(&scored.join("manifest.json"))["settings"]["phase"]["cut-thoughts"]["budgets"];
        assert_eq!(phase[1]["tokens"], 2);
        assert_eq!(phase[1]["cut"], json!(if opens { 2 } else { 0 }), "{phase}");

        let report = context.command(&["report", "--table", "budgets"]).arg(&scored).run().success().stdout;
        assert!(report.contains("Accuracy by budget of tokens"), "{report}");
        let again = records(&out.join("generate-vanilla-cut-thoughts"));
        assert_eq!(again.len(), 6);
        assert!(again.iter().all(|record| record["asks"][0]["reply"]["text"].is_string()));
    }
    let sharded = ["--thinking", "0,2", "--shard", "1/2", "--out", "shard"];
    let refused = on_two_questions(&context, "run", &model, &sharded).code(2);
    assert!(refused.stderr.contains("needs all thoughts at once"), "{}", refused.stderr);
    let refused = on_two_questions(&context, "run", &model, &["--style", "simtom", "--thinking", "0,2"]).code(2);
    assert!(refused.stderr.contains("asks in two phases"), "{}", refused.stderr);
}

#[test]
fn a_variable_that_no_template_reads_is_told() {
    let context = TestContext::new();
    let model = tiny_model_of(context.folder(), "qwen3");
    let plan = on_two_questions(&context, "plan", &model, &["--template-var", "enable_thinkng=false"]);
    assert!(plan.status.success());
    assert!(plan.stderr.contains("`enable_thinkng`") || plan.stderr.contains("enable_thinkng: "), "{}", plan.stderr);
    assert!(plan.stderr.contains("enable_thinking"), "{}", plan.stderr);
    for (wrong, mend) in [("messages=1", "cannot be set"), ("thinking", "NAME=VALUE")] {
        let refused = on_two_questions(&context, "plan", &model, &["--template-var", wrong]).code(2);
        assert!(refused.stderr.contains(mend), "{}", refused.stderr);
    }
}

#[test]
fn logprob_sets_only_what_it_is_told() {
    let context = TestContext::new();
    let model = tiny_model_of(context.folder(), "qwen3");
    let input = context.path("rows.jsonl");
    let row = json!({"id": 1, "messages": [{"role": "user", "content": "Where?"}], "continuations": ["A", "B"]});
    fs::write(&input, row.to_string()).unwrap();
    let prompt_tokens = |more: &[&str]| {
        let mut tomeval = context.command(&["logprob", "--offline", "--model"]);
        tomeval.arg(&model).arg("--input").arg(&input).args(more);
        let output = tomeval.run();
        assert!(output.status.success() && output.stderr.is_empty(), "{}", output.stderr);
        output.json()["prompt_tokens"].as_u64().unwrap()
    };
    let plain = prompt_tokens(&[]);
    assert_eq!(prompt_tokens(&["--template-var", "enable_thinking=true"]), plain);
    assert!(prompt_tokens(&["--template-var", "enable_thinking=false"]) > plain);
}

#[test]
fn the_report_tells_how_much_the_labels_hold() {
    let context = TestContext::new();
    let model = tiny_model_of(context.folder(), "qwen3");
    let out = context.path("out");
    let run = on_two_questions(&context, "run", &model, &["--tables", "--out", out.to_str().unwrap()]);
    let text = run.stdout;
    // A model with random weights spreads its probability over all of its tokens.
    assert!(text.contains("Label mass: the labels hold ") && text.contains("label mass below 50 %"), "{text}");
    let results = read_json(&out.join("results.json"));
    let mass = &results["results"][0]["label_mass"][0];
    let records = fs::read_to_string(out.join("trials.jsonl")).unwrap();
    let mut expected: Vec<f64> = records.lines().map(label_mass).collect();
    expected.sort_by(f64::total_cmp);
    let median = (expected[(expected.len() - 1) / 2] + expected[expected.len() / 2]) / 2.0;
    assert_eq!(mass["prompts"], json!(expected.len()));
    // Records hold f32 in few digits, so the sums differ by some 1e-8 of themselves.
    assert!((mass["median"]["value"].as_f64().unwrap() - 100.0 * median).abs() < 1e-5, "{mass} {median}");
    for file in ["report.md", "report.csv"] {
        let report = fs::read_to_string(out.join(file)).unwrap();
        assert!(report.contains("Label mass") || report.contains("label-mass"), "{file}");
    }

    let texts = context.path("texts");
    on_two_questions(&context, "run", &model, &["--scoring", "text", "--no-pmi", "--out", texts.to_str().unwrap()]);
    let results = read_json(&texts.join("results.json"));
    assert_eq!(results["results"][0]["label_mass"][0]["median"]["value"], Value::Null);
}

/// The sum of the likelihoods of a record's letters.
fn label_mass(record: &str) -> f64 {
    let record: Value = serde_json::from_str(record).unwrap();
    let likelihood = |result: &Value| -> f64 {
        result["logprobs"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).sum::<f64>().exp()
    };
    record["asks"][0]["results"].as_array().unwrap().iter().map(likelihood).sum()
}
