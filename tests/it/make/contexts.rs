//! `tomeval make contexts` with scripted replies: what is kept, refused, asked once, and read back.

use std::fs;

use serde_json::{Value, json};
use tomeval::{Benchmark, LoadOptions};

use crate::support::context::TestContext;
use crate::support::files::{read_json, read_json_lines};
use crate::support::model_server::{Asked, ModelServer, Reply, serve_chats};
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
    let turns = asked.body["messages"].as_array().unwrap();
    let user = turns.last().unwrap()["content"].as_str().unwrap();
    let (trial, story) = stories.iter().find(|(_, story)| user.contains(&story["sketch"].to_string())).unwrap();
    if turns[0]["content"].as_str().unwrap().contains("You check") {
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

fn server(stories: Vec<(u32, Value)>) -> ModelServer {
    serve_chats(shared_tiny_model(), move |asked| Ok(scripted(asked, &stories)), |_, honest| Reply::Json(honest))
}

#[test]
fn dialogues_are_new_and_questions_and_answers_are_not() {
    let Some(data) = released("tomvalley") else { return };
    let data = data.join("sample");
    let context = TestContext::new();
    let stories = (50..56).map(|trial| (trial, read_json(&data.join(format!("trial{trial}/story.json")))));
    let server = server(stories.collect());
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
