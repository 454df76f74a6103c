//! SimToM beside the tracker: planted replies to the first phase get the numbers that they must.
#![cfg(feature = "server")]

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;
use tomeval::internal::{Condition, Perceived, Wording};
use tomeval::{Benchmark, LoadOptions};

use crate::support::context::{Run, TestContext};
use crate::support::model_server::{Asked, Reply, serve_chats};
use crate::support::tiny_models::shared_tiny_model;

/// What the first phase replies to a story, a question and the sentences that all minds asked about perceive.
type Planted = fn(&str, &[String]) -> String;

/// A run in both styles whose first phase is planted and which answers with the first option; its row of all items, and
/// for each item with unseen events its sentences without asides and those perceived.
fn row(context: &TestContext, name: &str, planted: Planted) -> (Value, Vec<[usize; 2]>) {
    let data = context.path("Hi-ToM_data.json");
    if !data.exists() {
        let mut made =
            context.command(&["make", "hi-tom", "--chapters", "1", "--stories", "6", "--seed", "5", "--out"]);
        made.arg(&data).run().success();
    }
    let items = items(context.folder());
    let known: HashMap<(String, String), Vec<String>> = items
        .iter()
        .map(|(story, question, perceived, _)| ((story.clone(), question.clone()), perceived.clone()))
        .collect();
    let reply = move |asked: &Asked| {
        let turns = asked.body["messages"].as_array().ok_or("no turns")?;
        let system = turns[0]["content"].as_str().unwrap_or_default();
        let user = turns[turns.len() - 1]["content"].as_str().unwrap_or_default();
        if !system.contains("Do not answer the question.") {
            return Ok(("[[A]]".to_string(), false));
        }
        let (story, question) = user.split_once("\n\nQuestion: ").ok_or("no question")?;
        let perceived = known.get(&(story.trim().to_string(), question.trim().to_string()));
        Ok((planted(story, perceived.map_or(&[][..], Vec::as_slice)), false))
    };
    let server = serve_chats(shared_tiny_model(), reply, |asked, mut honest| {
        honest["usage"]["prompt_tokens"] = (asked.body.to_string().len() / 4).into();
        Reply::Json(honest)
    });
    let out = context.path(name);
    let mut run = context.command(&["run", "--offline", "--scoring", "generate", "--orders", "random:2"]);
    run.args(["--benchmark", "hi-tom", "--style", "simtom", "--style", "vanilla", "--max-new-tokens", "900"]);
    run.args(["--condition", "plain", "--condition", "seen-only", "--model", &server.name(), "--data"]).arg(&data);
    run.arg("--out").arg(&out).run().success();
    let mut report = context.command(&["report"]);
    let report = report.arg(&out).json();
    let rows = report["results"][0]["perspective"].as_array().unwrap();
    let is_own = |row: &&Value| row["style"] == "simtom" && row["key"].as_object().unwrap().is_empty();
    let right = |row: &&Value| row["style"] == "vanilla" && row["key"].as_object().unwrap().is_empty();
    let own = rows.iter().find(is_own).unwrap().clone();
    let right = rows.iter().find(right).unwrap();
    assert_eq!(own["items"], right["items"], "{own} {right}");
    assert_eq!(own["right_cut"], right["right_cut"], "the other style's accuracy stands in the row");
    let text = context.command(&["report", "--table", "perspective"]).arg(&out).run().success().stdout;
    assert!(text.contains("right cut") && text.contains("perception fails"), "{text}");
    assert_eq!(own["items"], items.len());
    (own, items.into_iter().map(|(_, _, perceived, all)| [all, perceived.len()]).collect())
}

/// Of each question whose minds miss something: story, question, sentences that all of them perceive (asides left out), and
/// number of all sentences but asides.
fn items(folder: &Path) -> Vec<(String, String, Vec<String>, usize)> {
    let items = Benchmark::HiToM.load(folder, &LoadOptions::default()).unwrap().items;
    let mut found = Vec::new();
    for item in items.iter().filter(|item| matches!(Condition::SeenOnly.apply(item), Cow::Owned(_))) {
        let story = item.context[0].text.trim().to_string();
        let events = Wording::English.story(&story).unwrap();
        let chain = Wording::English.question(&item.question).unwrap().chain;
        let missed: Vec<Vec<Perceived>> = chain.iter().map(|member| events.perceived(member)).collect();
        let sentences: Vec<String> = story.lines().map(|line| line.split_once(' ').unwrap().1.to_string()).collect();
        let is_aside =
            |sentence: &str| [" likes ", " dislikes ", " saw ", " lost "].iter().any(|verb| sentence.contains(verb));
        let all: Vec<usize> = (0..sentences.len()).filter(|&at| !is_aside(&sentences[at])).collect();
        let perceived = all.iter().filter(|&&at| missed.iter().all(|of| of[at] != Perceived::Missed));
        let perceived = perceived.map(|&at| sentences[at].clone()).collect();
        found.push((story.clone(), item.question.trim().to_string(), perceived, all.len()));
    }
    found
}

fn share(row: &Value, name: &str) -> f64 {
    row[name]["share"]["value"].as_f64().unwrap_or_else(|| panic!("{name}: {row}"))
}

#[test]
fn a_perfect_cut_the_whole_story_and_nothing_get_the_numbers_that_they_must() {
    let context = TestContext::new();
    let (perfect, counts) = row(&context, "perfect", |_, perceived| perceived.join("\n"));
    for name in ["f1", "precision", "recall"] {
        assert_eq!(share(&perfect, name), 100.0, "{name}");
    }
    assert_eq!((&perfect["others"], &perfect["empty"]), (&0.into(), &0.into()));
    // The answers are the same whatever is shown.
    assert_eq!(share(&perfect, "own_cut"), share(&perfect, "right_cut"));

    let (whole, _) = row(&context, "whole", |story, _| story.to_string());
    assert_eq!(share(&whole, "recall"), 100.0);
    let [all, perceived] = [0, 1].map(|at: usize| counts.iter().map(|of| of[at] as f64).sum::<f64>());
    assert!((share(&whole, "precision") - 100.0 * perceived / all).abs() < 1e-9, "{whole} {perceived} {all}");
    assert!(whole["precision"]["interval"][0].as_f64().unwrap() < share(&whole, "precision"));

    let (nothing, _) = row(&context, "nothing", |_, _| "I do not know. Nobody does!".to_string());
    assert_eq!(share(&nothing, "recall"), 0.0);
    assert!(nothing["precision"]["share"]["value"].is_null() && nothing["precision"]["share"]["reason"].is_string());
    assert_eq!((&nothing["empty"], &nothing["others"]), (&nothing["items"], &(2 * counts.len()).into()));
}
