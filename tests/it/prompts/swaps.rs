//! Items asked again with other persons, through the program. Needs the tiny models of the fixtures alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::context::{Output, Run, TestContext};
use crate::support::files::{copy_folder, edit_json, manifest, records};
use crate::support::released::small;
use crate::support::tiny_models::shared_tiny_model;

const PROFILES: &str = "**Main Character**: Rosa Lind, woman, is a Baker whose race is White. Rosa Lind obtained a degree.\
     **Supporting Characters**:- **1**: Emil Farkas, man, is a Conductor whose race is Latino. Emil Farkas obtained a degree.";

/// The small trial with whole profiles, and a question that no rule settles.
fn data(context: &TestContext) -> PathBuf {
    let folder = context.path("data");
    let trial = folder.join("trial50");
    copy_folder(&small().join("tomvalley/trial50"), &trial);
    edit_json(&trial.join("story.json"), |story| story["characters information"] = PROFILES.into());
    edit_json(&trial.join("question_new.json"), |questions| {
        questions["type_a_what_1"]["question"] = "What does Emil offer her support for?".into();
    });
    folder
}

fn run(context: &TestContext, benchmark: &str, more: &[&str]) -> Output {
    let arguments = ["run", "--offline", "--orders", "identity", "--threads", "1", "--benchmark", benchmark];
    context.command(&arguments).arg("--model").arg(shared_tiny_model()).args(more).run()
}

fn text_of(record: &Value) -> String {
    let turns = record["asks"][0]["shown"]["messages"].as_array().unwrap();
    turns.iter().map(|turn| turn["content"].as_str().unwrap()).collect()
}

/// The name before the main character's gender in a prompt.
fn main_character(text: &str) -> String {
    text.split_once("**Main Character**: ").unwrap().1.split_once(',').unwrap().0.to_string()
}

#[test]
fn every_question_of_a_context_is_asked_with_the_same_other_persons() {
    let context = TestContext::new();
    let data = data(&context);
    let out = context.path("out");
    let chosen = ["--where", "kind=what", "--swap", "race,surname,gender", "--data"];
    let arguments = [&chosen[..], &[data.to_str().unwrap(), "--out", out.to_str().unwrap()]].concat();
    let ran = run(&context, "tomvalley", &arguments).done();
    assert!(ran.stderr.contains("--swap gender leaves out 1 of "), "{}", ran.stderr);
    let left_out = &manifest(&out)["settings"]["swaps"]["left_out"];
    let expected = json!([{
        "swap": "gender", "reason": "a gendered word that no rule settles", "items": 1, "stories": 1,
    }]);
    assert_eq!(left_out, &expected);
    let mut items: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut persons: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for record in records(&out) {
        let presentation = record["condition"].as_str().unwrap_or("plain").to_string();
        let text = text_of(&record);
        items.entry(presentation.clone()).or_default().insert(record["id"].as_str().unwrap().to_string());
        persons.entry(presentation.clone()).or_default().insert(main_character(&text));
        let kind = presentation.split_once("-same-").map_or(&*presentation, |(kind, _)| kind);
        match kind {
            "plain" => assert!(text.contains("Rosa Lind") && text.contains("race is White"), "{text}"),
            "swap-race" => assert!(text.contains("Rosa Lind") && !text.contains("race is White"), "{text}"),
            "swap-surname" => assert!(text.contains("Rosa") && !text.contains("Lind"), "{text}"),
            _ => assert!(text.contains("Lind") && !text.contains("Rosa") && !text.contains("Emil"), "{text}"),
        }
    }
    let controls = |kind: &str| (1..=5).map(|number| format!("swap-{kind}-same-{number}")).collect::<Vec<_>>();
    let mut expected: BTreeSet<String> = ["plain", "swap-race", "swap-surname", "swap-gender"].map(String::from).into();
    expected.extend(controls("surname").into_iter().chain(controls("gender")));
    assert_eq!(persons.keys().cloned().collect::<BTreeSet<_>>(), expected);
    for (presentation, names) in &persons {
        assert_eq!(names.len(), 1, "{presentation}: {names:?}");
        let missing = items["plain"].len() - items[presentation].len();
        assert_eq!(missing, usize::from(presentation.contains("gender")), "{presentation}");
    }
    let changed: BTreeSet<&String> = persons.values().flatten().collect();
    assert_eq!(changed.len(), expected.len() - 1, "race alone keeps all names");

    let reported = context.command(&["report", "--table", "swaps"]).arg(&out).run().done().stdout;
    let reported = reported.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["surname", "gender", "race", "a gendered word that no rule settles", "undecided"] {
        assert!(reported.contains(part), "{part}: {reported}");
    }
    let document = context.command(&["report", "--format", "json"]).arg(&out).run().json();
    let rows = document["results"][0]["swaps"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["controls"] == 5));
}

#[test]
fn names_of_a_file_are_exchanged_in_any_benchmark() {
    let context = TestContext::new();
    let lists = context.write(
        "names.toml",
        "[people]\nsome = [\"Rosa\", \"Emil\", \"Zoe\", \"Max\"]\nothers = [\"Amina\", \"Kofi\", \"Nia\", \"Tariq\"]\n",
    );
    let data = data(&context);
    let (out, swap) = (context.path("out"), format!("names={}", lists.display()));
    let arguments = ["--swap", &swap, "--limit", "4", "--data", data.to_str().unwrap(), "--out", out.to_str().unwrap()];
    run(&context, "tomvalley", &arguments).done();
    let records = records(&out);
    let presentations: BTreeSet<&str> = records.iter().filter_map(|record| record["condition"].as_str()).collect();
    assert_eq!(presentations, BTreeSet::from(["swap-names", "swap-names-same-1", "swap-names-same-2"]));
    for record in records.iter().filter(|record| record["condition"] == "swap-names") {
        let text = text_of(record);
        assert!(!text.contains("Rosa") && !text.contains("Emil"), "{text}");
        assert!(["Amina", "Kofi", "Nia", "Tariq"].iter().filter(|name| text.contains(*name)).count() == 2, "{text}");
    }
    assert_eq!(manifest(&out)["settings"]["swaps"]["names"]["lists"]["people"]["some"][0], "Rosa");
}

#[test]
fn swaps_that_change_nothing_are_refused() {
    let context = TestContext::new();
    let out = context.path("out");
    let refused = |swap: &str| {
        run(&context, "demo", &["--swap", swap, "--limit", "2", "--out", out.to_str().unwrap()]).code(2).stderr
    };
    assert!(refused("race").contains("--swap race changes no item: 2 items in 2 stories"), "{}", refused("race"));
    assert!(refused("names").contains("name the file"));
    assert!(refused("age").contains("write race, surname, gender or names=FILE"));
    assert!(refused("names=absent.toml").contains("absent.toml"));
    assert!(refused("gender,gender").contains("given twice"));
    let lists = context.write("one.toml", "[people]\nsome = [\"Ann\"]\n");
    assert!(refused(&format!("names={}", lists.display())).contains("fewer than two groups"));
    assert!(!out.exists());
}
