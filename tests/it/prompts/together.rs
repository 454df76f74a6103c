//! Several questions about one context in a prompt: one reply, a record for each question, and the same bytes after a stop.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;
use tomeval::internal::ask_several;
use tomeval::{Instructions, Order, Pack};

use crate::support::context::{Run, TestContext};
use crate::support::files::{edit_json, keep_some, read_json, records};
use crate::support::prompts::all_kinds;
use crate::support::tiny_models::{shared_tiny_model, tiny_model_of};

const ARGUMENTS: [&str; 6] = ["--scoring", "generate", "--questions-per-prompt", "3", "--max-new-tokens", "6"];

fn command(context: &TestContext, model: &Path, out: &Path, more: &[&str]) -> Command {
    let mut command =
        context.command(&["run", "--offline", "--benchmark", "demo", "--limit-stories", "3", "--device", "cpu"]);
    command.args(["--language", "en", "--orders", "random:3", "--threads", "1", "--model"]).arg(model);
    command.args(more).arg("--out").arg(out);
    command
}

fn run(context: &TestContext, out: &Path, more: &[&str]) {
    command(context, shared_tiny_model(), out, &[&ARGUMENTS[..], more].concat()).run().success();
}

fn files(run: &Path) -> [Vec<u8>; 2] {
    ["trials.jsonl", "results.json"].map(|name| fs::read(run.join(name)).unwrap())
}

#[test]
fn one_reply_answers_the_questions_of_its_prompt_and_each_has_a_record() {
    let context = TestContext::new();
    let out = context.path("run");
    run(&context, &out, &[]);
    let mut prompts: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    let records = records(&out);
    for record in &records {
        assert_eq!(record["condition"], "3-questions");
        let ask = &record["asks"][0];
        prompts.entry(ask["shown"].to_string()).or_default().push(record);
    }
    assert!(prompts.values().any(|records| records.len() > 1), "some prompt holds several questions");
    for (prompt, records) in &prompts {
        let reply = |record: &Value| record["asks"][0]["reply"].clone();
        let mut numbers: Vec<u64> =
            records.iter().map(|record| reply(record)["part"]["question"].as_u64().unwrap()).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=records.len() as u64).collect::<Vec<_>>());
        assert!(records.len() <= 3);
        for record in records {
            assert_eq!(reply(record)["text"], reply(records[0])["text"]);
            assert_eq!(reply(record)["part"]["of"], records.len());
            assert!(prompt.contains(&format!("{}. ", reply(record)["part"]["question"])));
        }
    }
    let header = fs::read_to_string(out.join("results.json")).unwrap();
    assert!(header.contains("3-questions"), "{header}");
}

#[test]
fn a_stop_between_the_records_of_one_reply_changes_nothing() {
    let context = TestContext::new();
    let whole = context.path("whole");
    run(&context, &whole, &["--temperature", "0.8"]);
    let records = records(&whole).len();
    for kept in [1, records / 2, records - 1] {
        let out = context.path(format!("kept-{kept}"));
        keep_some(&whole, &out, kept);
        run(&context, &out, &["--temperature", "0.8"]);
        assert!(files(&out) == files(&whole), "{kept} records were left");
    }
}

#[test]
fn every_pack_of_ours_asks_several_questions_of_one_answer_each() {
    for item in all_kinds().into_iter().filter(|item| item.gold.kind() == "single") {
        let pack = Pack::built_in(item.benchmark);
        for name in ["vanilla", "cot"] {
            let style = pack.style_for_several(&item, name, Instructions::Item).unwrap();
            assert_eq!((style.language, style.reasoning), (item.language, name == "cot"), "{}", item.id);
            let order = Order::identity(item.options.len());
            let ask = ask_several(style, &[(&item, &order), (&item, &order)]).unwrap();
            let text: String = ask.prompt.messages.iter().map(|message| message.content.as_str()).collect();
            for segment in &item.context {
                assert_eq!(text.matches(&*segment.text).count(), 1, "{} {name}: {}", item.id, segment.text);
            }
            assert_eq!(text.matches(&item.question).count(), 2, "{} {name}", item.id);
            assert!(text.contains("1. [[") && text.contains(&format!("\n2. {}", item.question)), "{text}");
            assert!(ask.continuations.is_empty() && ask.prompt.answer_prefix.is_empty());
        }
    }
}

#[test]
fn prompts_that_are_too_long_are_counted_and_bad_numbers_say_what_is_right() {
    let context = TestContext::new();
    let short = tiny_model_of(&context.path("short"), "qwen3");
    edit_json(&short.join("config.json"), |config| config["max_position_embeddings"] = 64.into());
    let out = context.path("too-long");
    command(&context, &short, &out, &ARGUMENTS).run().code(1).with_stderr(contains("use fewer --questions-per-prompt"));
    let records = records(&out);
    assert!(!records.is_empty() && records.iter().all(|record| record["failure"]["kind"] == "too-long"));
    let results = read_json(&out.join("results.json"));
    let counted: u64 = records.iter().map(|record| record["count"].as_u64().unwrap()).sum();
    let failures = &results["results"][0]["counts"]["failures"]["too-long"];
    assert!([counted, records.len() as u64].contains(&failures.as_u64().unwrap()), "{failures}");

    let refused = |more: &[&str]| command(&context, shared_tiny_model(), &context.path("refused"), more).run().code(2);
    refused(&["--scoring", "generate", "--questions-per-prompt", "1"])
        .with_stderr(contains("write `all`, or a number from 2"));
    refused(&["--questions-per-prompt", "all"]).with_stderr(contains("--questions-per-prompt needs written answers"));
    refused(&[&ARGUMENTS[..], &["--style", "perspective"]].concat())
        .with_stderr(contains("several questions").and(contains("leave out --questions-per-prompt")));
}
