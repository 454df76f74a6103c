//! `tomeval make translate` with recorded replies.

use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::replay::{self, Recorded, killed_after_each_reply};
use super::stories::{Story, stories, write};
use crate::support::context::TestContext;
use crate::support::files::read_json_lines;
use crate::support::model_server::{Asked, ModelServer};

/// The reply of models that translate as the stories say, with a few faults.
pub fn scripted(stories: &[Story], asked: &Asked) -> (String, bool) {
    let turns: Vec<&str> =
        asked.body["messages"].as_array().unwrap().iter().map(|turn| turn["content"].as_str().unwrap()).collect();
    let (system, user) = (turns[0], turns[1]);
    let story = stories.iter().find(|story| user.contains(&story.en.story) || user.contains(&story.zh.story));
    let story = story.expect("every request is about a story");
    let whole = story.zh.tagged();
    let is_again = turns.len() > 2;
    let text = match story.id.as_str() {
        _ if system.contains("from Chinese into English") => story.en.tagged(),
        // A review neither okay nor feedback.
        "s4" if system.contains("You check") => "Looks fine to me.".to_string(),
        "s5" if system.contains("You check") => "###Feedback: The vase is called a bottle.".to_string(),
        _ if system.contains("You check") => "###Quality: okay".to_string(),
        // A tag lost once, and one lost for good.
        "s2" if !is_again => whole.replace("###OPTIONS 1\n", ""),
        "s6" => whole.replace("###QUESTION 1\n", ""),
        "s5" if system.contains("You translate") => whole.replace("花瓶", "瓶子"),
        "s7" => "I'm sorry, but I cannot help with that.".to_string(),
        "s8" => return (whole.chars().take(30).collect(), true),
        _ => whole,
    };
    (text, false)
}

/// Records what the scripted models reply.
pub fn record(stories: Vec<Story>) -> (ModelServer, Arc<Mutex<Recorded>>) {
    replay::record(move |asked| scripted(&stories, asked))
}

pub fn arguments<'a>(data: &'a str, model: &'a str, out: &'a str) -> Vec<&'a str> {
    vec![
        "make",
        "translate",
        "-b",
        "custom",
        "--data",
        data,
        "--to",
        "zh",
        "--translator",
        model,
        "--back-translator",
        model,
        "--concurrency",
        "1",
        "-o",
        out,
    ]
}

#[test]
fn stories_are_translated_reviewed_refined_and_translated_back() {
    let context = TestContext::new();
    let all = stories();
    let data = write(&context, "en.jsonl", &all, "en");
    let released = write(&context, "zh.jsonl", &all, "zh");
    let (server, _) = record(all.clone());
    let model = server.name();
    let mut command = arguments(&data, &model, "set");
    command.extend(["--against", &released]);
    let output = context.run(&command).code(1);
    for line in [
        "24 of 27 items made",
        "Reviews: 19 okay, 1 with feedback, of which 1 carried out; 1 neither.",
        "chrF of back-translations against the source: 100.0",
        "chrF against the named translations: 100.0",
    ] {
        assert!(output.stdout.contains(line), "{line}\n{}", output.stdout);
    }
    let units = read_json_lines(&context.path("set/made.jsonl"));
    let flags = |id: &str| -> Vec<String> {
        let unit = units.iter().find(|unit| unit["id"] == format!("custom/{id}/en")).unwrap();
        unit["flags"].as_array().unwrap().iter().map(|flag| flag["check"].as_str().unwrap().to_string()).collect()
    };
    for (id, check) in [("s4", "review"), ("s6", "tag"), ("s7", "refusal"), ("s8", "cut")] {
        assert_eq!(flags(id), [check], "{id}");
    }
    let clean = all.iter().filter(|story| !["s4", "s6", "s7", "s8"].contains(&story.id.as_str()));
    clean.for_each(|story| assert_eq!(flags(&story.id), [] as [&str; 0], "{}", story.id));
    // What was made is read as items, with the right answers at their places, and says how it came about.
    let items = context.run(&["data", "items", "--data", "set/items.jsonl"]).success().json_lines();
    assert_eq!(items.len(), 24);
    for item in &items {
        let id = item["parallel"].as_str().unwrap().strip_prefix("custom/").unwrap();
        let (story, at) = id.split_once('/').unwrap();
        let story = all.iter().find(|known| known.id == story).unwrap();
        let (question, options) = &story.zh.questions[at.parse::<usize>().unwrap()];
        assert_eq!((item["question"].as_str().unwrap(), item["language"].as_str().unwrap()), (question.as_str(), "zh"));
        assert_eq!(item["options"], serde_json::json!(options));
        assert_eq!(item["gold"], serde_json::json!([story.gold[at.parse::<usize>().unwrap()]]));
        assert_eq!(item["facets"]["task"], story.task.as_str());
    }
    let steps = |line: &Value| -> Vec<String> {
        let history = line["made"].as_array().unwrap().iter();
        history.filter_map(|round| Some(round["step"].as_str()?.to_string())).collect()
    };
    let lines = read_json_lines(&context.path("set/items.jsonl"));
    let line = |id: &str| lines.iter().find(|line| line["id"] == format!("{id}/0")).unwrap();
    assert_eq!(steps(line("s2")), ["translate", "translate-again", "review", "back"]);
    assert_eq!(steps(line("s5")), ["translate", "review", "refine", "back"]);
    assert_eq!(line("s4")["checks"], "flagged");
    assert_eq!(line("s1")["checks"], "clean");
    // Nothing sent says which option is right: requests are the same whatever the answers are.
    let mut turned = all.clone();
    turned.iter_mut().for_each(|story| story.gold.iter_mut().for_each(|gold| *gold = 1 - (*gold).min(1)));
    let data = write(&context, "turned.jsonl", &turned, "en");
    let (other, _) = record(all);
    context.run(&arguments(&data, &other.name(), "turned")).code(1);
    let sent = |server: &ModelServer| {
        let log = server.log();
        log.iter().filter(|asked| asked.is_of_a_trial()).map(|asked| asked.body.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(sent(&server), sent(&other));
    assert!(sent(&server).iter().all(|body| !body.contains("gold") && !body.contains("answer")));
}

#[test]
fn a_killed_translation_asks_nothing_twice_and_ends_with_the_same_bytes() {
    let context = TestContext::new();
    let all: Vec<Story> =
        stories().into_iter().filter(|story| ["s1", "s2", "s5"].contains(&story.id.as_str())).collect();
    let data = write(&context, "en.jsonl", &all, "en");
    let (server, recorded) = record(all);
    let given = |model: &str, out: &str| arguments(&data, model, out).into_iter().map(str::to_string).collect();
    killed_after_each_reply(&context, (&server, &recorded), &given, (3 + 1 + 3 + 1 + 3, 0));
}

#[test]
fn other_arguments_are_not_mixed_into_a_folder_and_mistakes_are_named() {
    let context = TestContext::new();
    let all: Vec<Story> = stories().into_iter().take(1).collect();
    let data = write(&context, "en.jsonl", &all, "en");
    let (server, _) = record(all);
    let model = server.name();
    let with = |out: &'static str, more: &[&'static str]| [arguments(&data, &model, out), more.to_vec()].concat();
    context.run(&with("set", &[])).success();
    let other = context.run(&with("set", &["--max-new-tokens", "99"])).code(2);
    assert!(other.stderr.contains("most_tokens is 2048, not 99"), "{}", other.stderr);
    let other = context.run(&with("set", &["--no-review"])).code(2);
    assert!(other.stderr.contains("models.reviewer is \"tiny\", not absent"), "{}", other.stderr);
    let same = context.run(&["make", "translate", "--data", &data, "--to", "en", "--translator", &model, "-o", "x"]);
    assert!(same.code(2).stderr.contains("the items are in English already"));
    let wording = context.run(&with("y", &["--wording", "multi-tom"])).code(2);
    assert!(wording.stderr.contains("translate-1"), "{}", wording.stderr);
    assert!(wording.stderr.contains("--prompts"), "{}", wording.stderr);
}
