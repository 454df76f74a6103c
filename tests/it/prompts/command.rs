//! `tomeval prompts`: what is listed, shown and exported is what a run asks.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

use crate::attend::command::model;
use crate::support::fixture;

const ITEM: &str = "demo/cake-tin/0/en";

fn prompts(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("tomeval").unwrap();
    command.arg("prompts").args(arguments).env_remove("TOMEVAL_DATA");
    command
}

fn text(command: &mut Command) -> String {
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}

fn refused(arguments: &[&str], message: &str) {
    let output = prompts(arguments).assert().code(2).get_output().stderr.clone();
    let text = String::from_utf8(output).unwrap();
    assert!(text.contains(message), "{arguments:?}: {text}");
}

#[test]
fn styles_are_listed_with_language_scoring_and_source() {
    let document: Value = serde_json::from_str(&text(&mut prompts(&["list", "--json"]))).unwrap();
    let styles = document["styles"].as_array().unwrap();
    let of = |name: &str| styles.iter().filter(|style| style["benchmark"] == name).collect::<Vec<_>>();
    for benchmark in ["demo", "tombench", "hi-tom", "multi-tom", "tomi", "xfantom", "negotiationtom", "tomvalley"] {
        assert!(of(benchmark).iter().any(|style| style["style"] == "vanilla"), "{benchmark}");
    }
    assert!(of("demo").iter().any(|style| style["language"] == "zh"));
    assert_ne!(of("tomi"), of("negotiationtom"), "each has its part of the family's pack");
    let table = text(&mut prompts(&["list", "--benchmark", "demo"]));
    for word in ["vanilla", "letter hybrid generate", "written for tomeval"] {
        assert!(table.contains(word), "{table}");
    }
    assert!(!table.contains("tombench"), "{table}");
}

#[test]
fn a_folder_that_holds_some_packs_lists_those() {
    let folder = TempDir::new().unwrap();
    prompts(&["export", folder.path().join("all").to_str().unwrap()]).assert().success();
    let some = folder.path().join("some");
    fs::create_dir(&some).unwrap();
    let list = ["list", "--json", "--prompts", some.to_str().unwrap()];
    refused(&list, "there is no prompt pack of a benchmark");
    for pack in ["hi-tom.toml", "tombench.toml"] {
        fs::copy(folder.path().join("all").join(pack), some.join(pack)).unwrap();
    }
    fs::write(some.join("notes.toml"), "of ours").unwrap();
    let document: Value = serde_json::from_str(&text(&mut prompts(&list))).unwrap();
    let mut listed: Vec<&str> =
        document["styles"].as_array().unwrap().iter().map(|style| style["benchmark"].as_str().unwrap()).collect();
    listed.dedup();
    assert_eq!(listed, ["tombench", "hi-tom"]);
    refused(&[&list[..], &["--benchmark", "multi-tom"]].concat(), "multi-tom.toml");
}

#[test]
fn an_item_is_shown_as_a_run_puts_it() {
    let folder = TempDir::new().unwrap();
    let (model, run) = (model(&folder), folder.path().join("run"));
    let model = model.to_str().unwrap();
    let mut evaluate = Command::cargo_bin("tomeval").unwrap();
    evaluate.args([
        "run",
        "--offline",
        "--benchmark",
        "demo",
        "--orders",
        "random:1",
        "--limit",
        "4",
        "--model",
        model,
    ]);
    evaluate.arg("--out").arg(&run).env_remove("TOMEVAL_DATA").assert().success();
    let trials = fs::read_to_string(run.join("trials.jsonl")).unwrap();
    let mut compared = 0;
    for record in trials.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        if record["asks"].as_array().is_none_or(Vec::is_empty) {
            continue;
        }
        let id = record["id"].as_str().unwrap();
        let arguments = ["show", "--item", id, "--orders", "random:1", "--model", model, "--offline", "--json"];
        let shown: Value = serde_json::from_str(&text(&mut prompts(&arguments))).unwrap();
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
    let plain = text(&mut prompts(&["show", "--item", ITEM]));
    for part in [ITEM, "style `vanilla`, language en", "[system]\n", "[user]\n", "[[", "Scored after it: A | B | C | D"]
    {
        assert!(plain.contains(part), "{part}: {plain}");
    }
    let rendered = text(&mut prompts(&["show", "--item", ITEM, "--model", fixture("llama").to_str().unwrap()]));
    assert!(rendered.contains(" tokens, ") && rendered.contains("\nQuestion: "), "{rendered}");
    let written = text(&mut prompts(&["show", "--item", ITEM, "--scoring", "generate"]));
    assert!(written.contains("A written answer is wanted."), "{written}");
    let reasoned = text(&mut prompts(&["show", "--item", ITEM, "--style", "cot", "--scoring", "generate"]));
    assert!(reasoned.contains("A written answer is wanted.") && reasoned.contains("step by step"), "{reasoned}");
}

#[test]
fn mistakes_are_named() {
    refused(&["show", "--item", "demo/cake-tin/9/en"], "did you mean `demo/cake-tin/");
    refused(&["show", "--item", ITEM, "--style", "cot-of-mine"], "`vanilla`");
    refused(&["show", "--item", ITEM, "--style", "cot"], "--scoring generate, or --after-reasoning");
    refused(&["show", "--item", ITEM, "--model", "./nowhere"], "no such file or folder");
    refused(&["show", "--benchmark", "tombench", "--item", "x"], "--data DIR");
    refused(&["list", "--prompts", "nowhere"], "there is no prompt pack of a benchmark");
}

#[test]
fn exported_packs_ask_the_same_and_are_never_overwritten() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("new/packs");
    let export = |out: &Path| prompts(&["export", out.to_str().unwrap()]);
    export(&out).assert().success();
    export(&out).assert().success();
    let arguments = ["show", "--item", ITEM, "--json"];
    let mut of_files: Value = serde_json::from_str(&text(prompts(&arguments).arg("--prompts").arg(&out))).unwrap();
    let built_in: Value = serde_json::from_str(&text(&mut prompts(&arguments))).unwrap();
    of_files["style"] = built_in["style"].clone();
    assert_eq!(of_files, built_in);

    let mine = out.join("demo.toml");
    fs::write(&mine, "mine").unwrap();
    fs::remove_file(out.join("xtom.toml")).unwrap();
    let output = export(&out).assert().code(2).get_output().stderr.clone();
    assert!(String::from_utf8(output).unwrap().contains("demo.toml is there and differs"));
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
    assert!(!out.join("xtom.toml").exists(), "nothing was written");
}
