//! `tomeval prompts`: what is listed, shown and exported is what a run asks.

use std::fs;
use std::path::Path;

use predicates::str::contains;
use serde_json::Value;

use crate::support::context::{Output, Run, TestContext};
use crate::support::fixture;
use crate::support::tiny_models::tiny_model;

const ITEM: &str = "demo/cake-tin/0/en";

fn prompts(arguments: &[&str]) -> Output {
    TestContext::new().command(&["prompts"]).args(arguments).run()
}

fn refused(arguments: &[&str], message: &str) {
    prompts(arguments).code(2).with_stderr(contains(message));
}

#[test]
fn styles_are_listed_with_language_scoring_and_source() {
    let document = prompts(&["list", "--json"]).success().json();
    let styles = document["styles"].as_array().unwrap();
    let of = |name: &str| styles.iter().filter(|style| style["benchmark"] == name).collect::<Vec<_>>();
    for benchmark in ["demo", "tombench", "hi-tom", "multi-tom", "tomi", "xfantom", "negotiationtom", "tomvalley"] {
        assert!(of(benchmark).iter().any(|style| style["style"] == "vanilla"), "{benchmark}");
    }
    assert!(of("demo").iter().any(|style| style["language"] == "zh"));
    assert_ne!(of("tomi"), of("negotiationtom"), "each has its part of the family's pack");
    let table = prompts(&["list", "--benchmark", "demo"]).success().stdout;
    for word in ["vanilla", "letter hybrid generate", "written for tomeval"] {
        assert!(table.contains(word), "{table}");
    }
    assert!(!table.contains("tombench"), "{table}");
}

#[test]
fn a_folder_that_holds_some_packs_lists_those() {
    let context = TestContext::new();
    prompts(&["export", context.path("all").to_str().unwrap()]).success();
    let some = context.path("some");
    fs::create_dir(&some).unwrap();
    let list = ["list", "--json", "--prompts", some.to_str().unwrap()];
    refused(&list, "no prompt pack of a benchmark found");
    for pack in ["hi-tom.toml", "tombench.toml"] {
        fs::copy(context.path("all").join(pack), some.join(pack)).unwrap();
    }
    fs::write(some.join("notes.toml"), "of ours").unwrap();
    let document = prompts(&list).success().json();
    let mut listed: Vec<&str> =
        document["styles"].as_array().unwrap().iter().map(|style| style["benchmark"].as_str().unwrap()).collect();
    listed.dedup();
    assert_eq!(listed, ["tombench", "hi-tom"]);
    refused(&[&list[..], &["--benchmark", "multi-tom"]].concat(), "multi-tom.toml");
}

#[test]
fn an_item_is_shown_as_a_run_puts_it() {
    let context = TestContext::new();
    let (model, run) = (tiny_model(context.folder()), context.path("run"));
    let model = model.to_str().unwrap();
    let demo = ["run", "--offline", "--benchmark", "demo", "--orders", "random:1", "--limit", "4", "--model", model];
    context.command(&demo).arg("--out").arg(&run).run().success();
    let trials = fs::read_to_string(run.join("trials.jsonl")).unwrap();
    let mut compared = 0;
    for record in trials.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        if record["asks"].as_array().is_none_or(Vec::is_empty) {
            continue;
        }
        let id = record["id"].as_str().unwrap();
        let arguments = ["show", "--item", id, "--orders", "random:1", "--model", model, "--offline", "--json"];
        let shown = prompts(&arguments).success().json();
        assert_eq!(shown["order"], record["order"], "{id}");
        let (ask, asked) = (&shown["asks"][0], &record["asks"][0]);
        assert_eq!(ask["rendered"]["tokens"], asked["prompt_tokens"], "{id}");
        let results = asked["results"].as_array().unwrap();
        let scored: Vec<&Value> = results.iter().map(|result| &result["text"]).collect();
        assert!(ask["continuations"].as_array().unwrap().iter().eq(scored), "{id}");
        compared += 1;
    }
    assert!(compared > 0, "{trials}");
}

#[test]
fn an_item_reads_well_with_and_without_a_model() {
    let plain = prompts(&["show", "--item", ITEM]).success().stdout;
    for part in [ITEM, "style `vanilla`, language en", "[system]\n", "[user]\n", "[[", "Scored after it: A | B | C | D"]
    {
        assert!(plain.contains(part), "{part}: {plain}");
    }
    let rendered = prompts(&["show", "--item", ITEM, "--model", fixture("llama").to_str().unwrap()]).success().stdout;
    assert!(rendered.contains(" tokens, ") && rendered.contains("\nQuestion: "), "{rendered}");
    let written = prompts(&["show", "--item", ITEM, "--scoring", "generate"]).success().stdout;
    assert!(written.contains("A written answer is wanted."), "{written}");
    let reasoned = prompts(&["show", "--item", ITEM, "--style", "cot", "--scoring", "generate"]).success().stdout;
    assert!(reasoned.contains("A written answer is wanted.") && reasoned.contains("step by step"), "{reasoned}");
}

#[test]
fn mistakes_are_named() {
    refused(&["show", "--item", "demo/cake-tin/9/en"], "did you mean `demo/cake-tin/");
    refused(&["show", "--item", ITEM, "--style", "cot-of-mine"], "`vanilla`");
    refused(&["show", "--item", ITEM, "--style", "cot"], "--scoring generate, or --after-reasoning");
    refused(&["show", "--item", ITEM, "--model", "./nowhere"], "no such file or folder");
    refused(&["show", "--benchmark", "tombench", "--item", "x"], "--data DIR");
    refused(&["list", "--prompts", "nowhere"], "no prompt pack of a benchmark found");
}

#[test]
fn exported_packs_ask_the_same_and_are_never_overwritten() {
    let context = TestContext::new();
    let out = context.path("new/packs");
    let export = |out: &Path| prompts(&["export", out.to_str().unwrap()]);
    export(&out).success();
    export(&out).success();
    let arguments = ["show", "--item", ITEM, "--json"];
    let mut of_files = prompts(&[&arguments[..], &["--prompts", out.to_str().unwrap()]].concat()).success().json();
    let built_in = prompts(&arguments).success().json();
    of_files["style"] = built_in["style"].clone();
    assert_eq!(of_files, built_in);

    let mine = out.join("demo.toml");
    fs::write(&mine, "mine").unwrap();
    fs::remove_file(out.join("xtom.toml")).unwrap();
    export(&out).code(2).with_stderr(contains("demo.toml exists and differs"));
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
    assert!(!out.join("xtom.toml").exists(), "nothing was written");
}
