//! Styles in two phases: the prompts of the second run hold the replies of the first, which state no answers.

use std::fs;
use std::path::Path;
use std::process::Command;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

use crate::support::context::{Run, TestContext};
use crate::support::files::{manifest, records};
use crate::support::tiny_models::tiny_model;

const BOTH: &str = "--limit 3 --orders random:2 --style simtom --scoring letter,generate --max-new-tokens 12";

fn tomeval(context: &TestContext, command: &str, model: &Path, more: &str) -> Command {
    let mut command = context.command(&[command, "--offline", "--benchmark", "demo", "--language", "en"]);
    command.args(more.split(' ')).arg("--model").arg(model);
    command
}

fn run(context: &TestContext, model: &Path, out: &Path, more: &str) -> Command {
    let mut command = tomeval(context, "run", model, more);
    command.arg("--out").arg(out);
    command
}

fn user(record: &Value) -> &str {
    let turns = record["asks"][0]["shown"]["messages"].as_array().unwrap();
    turns.last().unwrap()["content"].as_str().unwrap()
}

#[test]
fn the_second_phase_shows_what_the_first_one_wrote_and_not_the_story() {
    let context = TestContext::new();
    let (model, out) = (tiny_model(context.folder()), context.path("out"));
    let said = contains("1 of 3: generate-simtom-perspective")
        .and(contains("3 of 3: generate-simtom"))
        .and(contains("Replies to the first phase: 3 cut off at the length limit; they are used as they are."));
    run(&context, &model, &out, BOTH).run().success().with_stderr(said);
    let folder = |name: &str| out.join(name);
    let first = records(&folder("generate-simtom-perspective"));
    assert_eq!(first.len(), 3, "one reply an item");
    for record in &first {
        assert!(record["asks"][0]["reply"].get("reading").is_none(), "nothing is read: {record}");
    }
    let stories: Vec<Value> = records_of_items(&out);
    for second in ["letter-simtom", "generate-simtom"].map(folder) {
        let records = records(&second);
        assert_eq!(records.len(), 6);
        for record in records {
            let written = first.iter().find(|first| first["id"] == record["id"]).unwrap();
            let reply = written["asks"][0]["reply"]["text"].as_str().unwrap().trim();
            assert!(user(&record).starts_with(reply), "{reply:?}: {}", user(&record));
            let item = stories.iter().find(|item| item["id"] == record["id"]).unwrap();
            let story = item["context"][0]["text"].as_str().unwrap();
            assert!(user(written).contains(story) && !user(&record).contains(story));
        }
        let phase = &manifest(&second)["settings"]["phase"]["second"];
        assert_eq!(phase["style"], "simtom-perspective");
        assert_eq!((phase["cut"].as_u64(), phase["sha256"].as_str().map(str::len)), (Some(3), Some(64)));
    }

    // The first phase has no tables, and is beside the second one on the page of both.
    let alone = context.command(&["report"]).arg(folder("generate-simtom-perspective")).json();
    assert_eq!((alone["results"].as_array().map(Vec::len), &alone["unfinished"]), (Some(0), &Value::Null));
    assert!(alone["provenance"]["phase"].as_str().unwrap().contains("state no answer"));
    let report = context.command(&["report"]).arg(&out).json();
    let rows = report["results"][0]["tables"][0]["rows"].as_array().unwrap();
    let answers: Vec<&str> = rows.iter().map(|row| row["answers"].as_str().unwrap()).collect();
    assert_eq!(answers, ["written, greedy", "letters"]);
    assert_eq!(report["results"][0]["counts"]["trials"], 12, "replies to the first phase are no answers");
    let left_out = contains("generate-simtom-perspective: left out");
    context.command(&["compare"]).arg(&out).run().success().with_stderr(left_out);
    let text = fs::read_to_string(folder("generate-simtom-perspective").join("report.md")).unwrap();
    assert!(text.contains("state no answer") && !text.contains("could not be read"), "{text}");
}

/// The items of a run in a folder.
fn records_of_items(out: &Path) -> Vec<Value> {
    let text = fs::read_to_string(out.join("letter-simtom/items.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line.get("question").is_some()).collect()
}

#[test]
fn a_stop_between_the_phases_changes_no_byte_and_a_changed_first_phase_is_refused() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let [whole, stopped] = ["whole", "stopped"].map(|name| context.path(name));
    let sampled =
        "--limit 3 --orders random:2 --style simtom --scoring letter --max-new-tokens 12 --temperature 1 --samples 2";
    run(&context, &model, &whole, sampled).run().success();
    // The first phase alone, and then what is left.
    let first = sampled.replace("--style simtom --scoring letter", "--style simtom-perspective --scoring generate");
    let written = stopped.join("generate-simtom-perspective");
    run(&context, &model, &written, &first).run().success();
    let reused = contains("generate-simtom-perspective is already complete");
    run(&context, &model, &stopped, sampled).run().success().with_stderr(reused);
    for name in ["generate-simtom-perspective", "letter-simtom"] {
        let bytes = |out: &Path| fs::read(out.join(name).join("trials.jsonl")).unwrap();
        assert!(bytes(&whole) == bytes(&stopped), "{name}");
    }
    assert_eq!(records(&whole.join("letter-simtom")).len(), 12, "two replies in each of two orders");

    // Another first phase for a second one that has begun.
    fs::remove_dir_all(&written).unwrap();
    let other = first.replace("--max-new-tokens 12", "--max-new-tokens 9");
    run(&context, &model, &written, &other).run().success();
    let refused = contains("settings.phase");
    run(&context, &model, &stopped, &sampled.replace("12", "9")).run().code(2).with_stderr(refused);
    // Records changed by hand.
    let lines = fs::read_to_string(whole.join("generate-simtom-perspective/trials.jsonl")).unwrap();
    let at = lines.find("\"reply\":{\"text\":\"").unwrap() + 17;
    let changed = format!("{}x{}", &lines[..at], &lines[at..]);
    fs::write(whole.join("generate-simtom-perspective/trials.jsonl"), changed).unwrap();
    let refused = contains("its records changed since they were written");
    run(&context, &model, &whole, sampled).run().code(2).with_stderr(refused);
}

#[test]
fn a_plan_counts_both_phases_and_what_cannot_be_asked_is_named() {
    let context = TestContext::new();
    let (model, out) = (tiny_model(context.folder()), context.path("out"));
    let mut plan = tomeval(&context, "plan", &model, BOTH);
    let plan = plan.json();
    assert_eq!(plan["generate-simtom-perspective"]["trials"], 3);
    assert_eq!(plan["letter-simtom"]["trials"], 6);
    assert_eq!(plan["letter-simtom"]["assumed_reply_tokens"], 12);
    let estimated = contains("letter-simtom: estimated, since the replies in its prompts are not written yet");
    tomeval(&context, "plan", &model, BOTH).run().success().with_stderr(estimated);

    let refused = |more: &str, said: &str| {
        run(&context, &model, &out, &format!("--limit 1 {more}")).run().code(2).with_stderr(contains(said));
    };
    refused("--style simtom --shard 1/2", "the style simtom needs all replies to its first phase at once");
    refused("--style simtom --shots 1", "leave out --shots");
    refused("--style simtom --scoring generate --questions-per-prompt 2", "leave out --questions-per-prompt");
    refused("--style simtom-perspective", "use --scoring generate");
    refused("--style foresee-reflect --scoring letter --after-reasoning", "a style that reasons first");
}

#[test]
fn a_prompt_in_two_phases_is_shown_with_the_first_one() {
    let context = TestContext::new();
    let shown = contains("Do not answer the question.")
        .and(contains("[the model's own reply in the style simtom-perspective]"))
        .and(contains("A written text is wanted"));
    let items =
        context.command(&["data", "items", "--benchmark", "demo", "--language", "en", "--limit", "1"]).run().success();
    let item: Value = serde_json::from_str(items.stdout.lines().next().unwrap()).unwrap();
    let id = item["id"].as_str().unwrap().to_string();
    let show = ["prompts", "show", "--benchmark", "demo", "--item", &id, "--style", "simtom"];
    context.command(&show).run().success().with_stdout(shown);
    let listed = contains("after simtom-perspective").and(contains("a first phase"));
    context.command(&["prompts", "list", "--benchmark", "demo"]).run().success().with_stdout(listed);
    let refused = contains("which a batch service cannot insert");
    let mut write = context.command(&["prompts", "write", "--benchmark", "demo", "--model", "m", "--style", "simtom"]);
    write.arg("--out").arg(context.path("batch")).run().code(2).with_stderr(refused);
}
