//! `tomeval make sketches` and `make contexts` with scripted replies: what is kept, refused, asked once, and read back.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tomeval::{Benchmark, LoadOptions};

use super::replay::{killed_after_each_reply, record, turns};
use crate::support::context::TestContext;
use crate::support::files::{read_json, read_json_lines};
use crate::support::model_server::{Asked, VLLM, serve};
use crate::support::released::released;
use crate::support::tiny_models::shared_tiny_model;

/// The dialogues of a trial of five scenarios.
fn dialogues(name: &str, scenarios: usize, words: &str) -> String {
    let scene = |number: usize| {
        let turns = json!([{ name: words }, { "Somebody": "Go on." }]);
        (format!("scenario {number}"), json!({ "background": "A kitchen, later.", "dialogue": turns }))
    };
    Value::Object((1..=scenarios).map(scene).collect()).to_string()
}

/// Writes dialogues for the main character; trial 51 has four scenarios, 52 repeats its sketch, 53 is judged incoherent, 54 is cut, and the
/// verdict on 55 is neither word.
fn scripted(asked: &Asked, stories: &[(u32, Value)]) -> (String, bool) {
    let (system, user) = turns(asked);
    let (trial, story) = stories.iter().find(|(_, story)| user.contains(&story["sketch"].to_string())).unwrap();
    if system.contains("You check") {
        let verdict = match trial {
            53 => "incoherent: scenario 2 is about something else",
            55 => "I think they are mostly coherent.",
            _ => "coherent",
        };
        return (verdict.to_string(), false);
    }
    let main = story["main character"].as_str().unwrap();
    let first = main.split(' ').next().unwrap();
    let influence = &story["sketch"]["mental states analysis in every scenario"]["scenario 1"]["influence"];
    match trial {
        51 => (dialogues(first, 4, "Hello."), false),
        52 => (dialogues(first, 5, influence["belief&emotion->intention"].as_str().unwrap()), false),
        54 => (dialogues(first, 5, "Hello."), true),
        _ => (dialogues(first, 5, "Hello there, shall we begin?"), false),
    }
}

/// A sketch of a mind over some scenarios, in the project's form.
fn sketch(name: &str, scenarios: usize) -> Value {
    let scenario = |number: usize| {
        json!({
            "belief": format!("{name} believes in plan {number}."), "emotion": format!("Feels {number} times braver."),
            "intention": "Intends to ask.", "action": format!("Asks at door {number}."),
            "influence": {
                "emotion": format!("Plan {number} lifts the mood."), "intention": format!("Courage {number} makes one ask."),
                "action": format!("Meaning to ask leads to door {number}."),
            },
        })
    };
    let reasons =
        |item: &str| (1..scenarios).map(|step| json!(format!("Step {step} moves the {item}."))).collect::<Vec<_>>();
    json!({
        "scenarios": (1..=scenarios).map(scenario).collect::<Vec<_>>(),
        "reasons": {
            "belief": reasons("belief"), "emotion": reasons("emotion"),
            "intention": vec![Value::Null; scenarios - 1], "action": reasons("action"),
        },
    })
}

/// Writes the sketches of drawn backgrounds, in their order: the second has a scenario too few, the third lacks a state, the fourth is
/// no JSON alone.
fn scripted_sketch(asked: &Asked, asked_before: &AtomicUsize) -> (String, bool) {
    let (system, user) = turns(asked);
    if system.starts_with("You invent") {
        return ("They share a flat and the rent.".to_string(), false);
    }
    assert!(user.contains("Relation: They share a flat and the rent."), "{user}");
    let (before, _) = user.split_once(" believes about the matter").unwrap();
    let name = before.rsplit_once("what ").unwrap().1;
    let mut whole = sketch(name, 5);
    let text = match asked_before.fetch_add(1, Ordering::SeqCst) {
        1 => sketch(name, 4).to_string(),
        2 => {
            whole["scenarios"][3]["intention"] = json!(" ");
            whole.to_string()
        }
        3 => format!("Here it is: {whole}"),
        _ => whole.to_string(),
    };
    (text, false)
}

fn sketches_arguments(model: &str, out: &str, contexts: &str) -> Vec<String> {
    let given =
        ["make", "sketches", "--contexts", contexts, "--seed", "3", "--writer", model, "--concurrency", "1", "-o", out];
    given.map(str::to_string).to_vec()
}

/// Makes sketches in the folder `sketches`; returns their stories by trial.
fn made_sketches(context: &TestContext, contexts: &str, code: i32) -> Vec<(u32, Value)> {
    let before = AtomicUsize::new(if contexts == "3" { 10 } else { 0 });
    let (server, _) = record(move |asked| scripted_sketch(asked, &before));
    let arguments = sketches_arguments(&server.name(), "sketches", contexts);
    let output = context.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).code(code);
    assert!(output.stdout.contains("principle 1: a whole sketch"), "{}", output.stdout);
    let trials = fs::read_dir(context.path("sketches/tomvalley")).unwrap().map(|entry| entry.unwrap().path());
    let story = |folder: std::path::PathBuf| {
        let number = folder.file_name()?.to_str()?.strip_prefix("trial")?.parse().ok()?;
        Some((number, read_json(&folder.join("story.json"))))
    };
    let mut stories: Vec<(u32, Value)> = trials.filter_map(story).collect();
    stories.sort_by_key(|(number, _)| *number);
    stories
}

fn contexts_arguments(data: &Path, model: &str, out: &str) -> Vec<String> {
    let data = data.to_str().unwrap();
    let given = ["make", "contexts", "--choose", "trials=all", "--data", data, "--writer", model, "--judge", model];
    [&given[..], &["--concurrency", "1", "--out", out]].concat().into_iter().map(str::to_string).collect()
}

#[test]
fn sketches_are_drawn_written_and_checked_by_the_first_two_principles() {
    let context = TestContext::new();
    let stories = made_sketches(&context, "5", 1);
    let lines = read_json_lines(&context.path("sketches/sketches.jsonl"));
    let refused: Vec<Option<&str>> = lines.iter().map(|line| line["refused"]["check"].as_str()).collect();
    assert_eq!(refused, [None, Some("scenarios"), Some("sketch"), Some("form"), None]);
    assert!(lines[2]["refused"]["why"].as_str().unwrap().contains("scenario 4 has no intention"), "{}", lines[2]);
    assert_eq!(stories.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [10_001, 10_005]);
    let (_, story) = &stories[0];
    assert_eq!(
        story["sketch"]["relationships among characters"]["main character with supporting character 1"],
        "They share a flat and the rent."
    );
    assert_eq!(story["sketch"]["analysis of mental states across scenarios"]["Intention"]["Changed"], "False");
    assert_eq!((&story["made"]["writer"], &story["made"]["seed"]), (&json!("tiny"), &json!(3)));
    assert_ne!(story["characters information"], stories[1].1["characters information"]);
    let questions = read_json(&context.path("sketches/tomvalley/trial10001/question_new.json"));
    // 71 where everything changes: nobody asks why an intention changes that never does.
    assert_eq!(questions.as_object().unwrap().len(), 71 - 4);

    // Dialogues make contexts of them, and reports say who wrote them.
    let (server, _) = record(move |asked| scripted(asked, &stories));
    let arguments = contexts_arguments(&context.path("sketches"), &server.name(), "made");
    context.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).success();
    assert!(server.log().iter().all(|asked| !asked.body.to_string().contains("true answer")));
    let run = |model: &str, out: &str, more: &[&str]| {
        let given = [
            "run",
            "-b",
            "tomvalley",
            "--choose",
            "trials=all",
            "--data",
            "made",
            "--limit",
            "4",
            "--offline",
            "-m",
            model,
        ];
        context.run(&[&given[..], &["--out", out], more].concat()).success();
        context.run(&["report", out, "--table", "all"]).success().stdout
    };
    let judged = serve(shared_tiny_model(), VLLM);
    let own = run(&judged.name(), "own", &["--tokenizer", shared_tiny_model().to_str().unwrap()]);
    assert!(own.contains("tiny is judged here"), "{own}");
    let conditions = ["--condition", "plain", "--condition", "no-dialogue"];
    let other = run(shared_tiny_model().to_str().unwrap(), "other", &conditions);
    assert!(other.contains("Written by tiny, and not by"), "{other}");
    assert!(other.contains("no-dialogue"), "{other}");
}

#[test]
fn killed_sketches_and_dialogues_ask_nothing_twice_and_end_with_the_same_bytes() {
    let context = TestContext::new();
    let before = AtomicUsize::new(0);
    let (server, recorded) = record(move |asked| scripted_sketch(asked, &before));
    let given = |model: &str, out: &str| sketches_arguments(model, out, "5");
    killed_after_each_reply(&context, (&server, &recorded), &given, (5 + 5, 1));
    let context = TestContext::new();
    let stories = made_sketches(&context, "3", 0);
    assert_eq!(stories.len(), 3);
    let (server, recorded) = record(move |asked| scripted(asked, &stories));
    let data = context.path("sketches");
    let given = |model: &str, out: &str| contexts_arguments(&data, model, out);
    killed_after_each_reply(&context, (&server, &recorded), &given, (3 + 3, 0));
}

#[test]
fn dialogues_are_new_and_questions_and_answers_are_not() {
    let Some(data) = released("tomvalley") else { return };
    let data = data.join("sample");
    let context = TestContext::new();
    let stories = (50..56).map(|trial| (trial, read_json(&data.join(format!("trial{trial}/story.json")))));
    let stories: Vec<(u32, Value)> = stories.collect();
    let (server, _) = record(move |asked| scripted(asked, &stories));
    let name = server.name();
    let mut arguments = vec!["make", "contexts", "--choose", "trials=50-55", "--writer", &name, "--judge", &name];
    arguments.extend(["--concurrency", "1", "--out", "made", "--data", data.to_str().unwrap()]);
    let output = context.run(&arguments).code(1);
    let lines = read_json_lines(&context.path("made/contexts.jsonl"));
    let refused: Vec<Option<&str>> = lines.iter().map(|line| line["refused"]["check"].as_str()).collect();
    let expected = [None, Some("scenarios"), Some("copied"), Some("coherence"), Some("form"), Some("coherence")];
    assert_eq!(refused, expected, "{}", output.stderr);
    assert!(output.stdout.contains("principle 2: number of scenarios"), "{}", output.stdout);

    // The kept trial: other dialogues, byte-equal questions.
    let questions = |folder: std::path::PathBuf| fs::read(folder.join("trial50/question_new.json")).unwrap();
    assert_eq!(questions(context.path("made/tomvalley")), questions(data.clone()));
    let all = LoadOptions { choices: [("trials".to_string(), "50".to_string())].into(), ..LoadOptions::default() };
    let made = Benchmark::ToMValley.load(&context.path("made"), &all).unwrap();
    let source = Benchmark::ToMValley.load(&data, &all).unwrap();
    assert!(made.problems.is_empty() && made.items.len() == 71, "{:?}", made.problems);
    for (made, source) in made.items.iter().zip(&source.items) {
        assert_eq!((&made.id, &made.options, &made.gold), (&source.id, &source.options, &source.gold));
        assert_ne!(made.context, source.context);
        assert_eq!(made.context[0], source.context[0], "profiles stay");
    }
    assert_eq!(fs::read_dir(context.path("made/tomvalley")).unwrap().count(), 2, "one trial and the mark");

    // Nothing is asked twice, and the files stay.
    let (asked, before) = (server.of_trials(), fs::read(context.path("made/contexts.jsonl")).unwrap());
    assert_eq!(asked, 6 + 3);
    context.run(&arguments).code(1);
    assert_eq!((server.of_trials(), fs::read(context.path("made/contexts.jsonl")).unwrap()), (asked, before));
}
