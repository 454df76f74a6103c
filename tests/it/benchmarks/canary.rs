//! What holds items carries the line that marks it, and is read with it.

use std::fs;
use std::path::Path;

use tomeval::internal::CANARY;

use crate::support::context::{Run, TestContext};
use crate::support::files::{json_lines, manifest, read_json};
use crate::support::tiny_models::shared_tiny_model;
use crate::support::tiny_run::TinyRun;

fn printed(arguments: &[&str], more: &[&Path]) -> String {
    TestContext::new().command(arguments).args(more).run().success().stdout
}

/// The first of some lines holds it as a key, and no other one does.
fn check_lines(text: &str) {
    let lines = json_lines(text);
    assert!(lines.len() > 1 && lines[0]["canary"] == CANARY, "{}", lines[0]);
    assert!(lines[1..].iter().all(|line| line.get("canary").is_none()));
}

#[test]
fn runs_and_their_items_carry_it_and_are_read_with_it() {
    let context = TestContext::new();
    let run = TinyRun::get().copy(&context.path("run"));
    assert_eq!(manifest(&run)["canary"], CANARY);
    let items = printed(&["report", "--format", "items"], &[&run]);
    check_lines(&items);
    let listed = context.write("items.jsonl", items.replace("\"label\":\"qwen3\"", "\"label\":\"other\""));
    assert!(printed(&["compare"], &[&run, &listed]).contains("other"), "the lines are a side of a comparison");
    check_lines(&printed(&["data", "items", "--benchmark", "demo"], &[]));
    // A folder of before has none, and goes on all the same.
    let path = run.join("manifest.json");
    let mut earlier = manifest(&run);
    earlier.as_object_mut().unwrap().retain(|key, _| !["canary", "sha256"].contains(&key.as_str()));
    fs::write(&path, format!("{earlier:#}\n")).unwrap();
    let records = fs::read_to_string(run.join("trials.jsonl")).unwrap();
    fs::write(run.join("trials.jsonl"), records.lines().take(1).map(|line| format!("{line}\n")).collect::<String>())
        .unwrap();
    let again = TinyRun::get().run(&run, &[]);
    assert!(again.status.success(), "{}", again.stderr);
    assert_eq!(fs::read_to_string(run.join("trials.jsonl")).unwrap(), records);
}

#[test]
fn every_view_of_attention_carries_it_but_cells_and_pictures() {
    let context = TestContext::new();
    let places = ["a.html", "a.svg", "a.tex", "a.safetensors", "a.csv"].map(|name| context.path(name));
    let [html, svg, latex, tensors, csv] = places.each_ref().map(|place| place.as_path());
    let mut attend = context.command(&["attend", "--offline", "--benchmark", "demo", "--limit", "1"]);
    attend.args(["--deletion-draws", "0", "--json"]).arg("--model").arg(shared_tiny_model());
    for (argument, place) in
        [("--html", html), ("--svg", svg), ("--latex", latex), ("--tensors", tensors), ("--csv", csv)]
    {
        attend.arg(argument).arg(place);
    }
    let document = attend.run().success().json();
    assert_eq!(document["canary"], CANARY);
    let holds = |place: &Path| String::from_utf8_lossy(&fs::read(place).unwrap()).contains(CANARY);
    assert!([html, svg, latex, tensors].into_iter().all(holds));
    assert!(!holds(csv), "the header stands in the first line");
}

#[test]
fn made_stories_carry_it_and_are_read_with_it() {
    let context = TestContext::new();
    let made = context.path("Hi-ToM_data.json");
    let arguments = ["make", "hi-tom", "--stories", "1", "--chapters", "1", "--deception", "without"];
    printed(&[&arguments[..], &["--out"]].concat(), &[&made]);
    let file = read_json(&made);
    assert_eq!(file["canary"], CANARY);
    assert_eq!(printed(&["data", "items", "--benchmark", "hi-tom", "--data"], &[&made]).lines().count(), 5);
    let text = printed(&[&arguments[..], &["--format", "text"]].concat(), &[]);
    assert_eq!(text.lines().next(), Some(CANARY));
}
