//! `tomeval probe` end to end on a tiny model with random weights, which has met nothing.

use serde_json::Value;

use crate::support::context::{Output, Run, TestContext};
use crate::support::files::{edit_json, read_json_lines};
use crate::support::fixture;
use crate::support::tiny_models::tiny_model_of;

fn probe(context: &TestContext, arguments: &[&str]) -> Output {
    let model = tiny_model_of(context.folder(), "llama");
    context.command(&["probe"]).args(arguments).args(["--offline", "--device", "cpu", "--model"]).arg(model).run()
}

/// Stories as a benchmark would have released them.
fn hi_tom_file(context: &TestContext) -> String {
    let file = context.path("Hi-ToM_data.json");
    context
        .command(&["make", "hi-tom", "--chapters", "1", "--stories", "4", "--seed", "77", "--out"])
        .arg(&file)
        .run()
        .success();
    file.display().to_string()
}

#[test]
fn orders_of_the_demo_are_ranked_and_told_by_item() {
    let context = TestContext::new();
    let rows = context.path("rows.jsonl");
    let out = rows.display().to_string();
    let arguments = ["orders", "--limit", "6", "--orders", "5", "--draws", "99", "--seed", "3", "--out", &out];
    let document = probe(&context, &[&arguments[..], &["--json"]].concat()).success().json();
    assert_eq!((&document["probe"], &document["settings"]["seed"]), (&"orders".into(), &3.into()));
    let group = &document["groups"][0];
    assert_eq!((&group["benchmark"], &group["language"]), (&"demo".into(), &"en".into()));
    let items = read_json_lines(&rows);
    assert_eq!(items.len(), 6);
    let probed: Vec<&Value> = items.iter().filter(|row| row.get("skipped").is_none()).collect();
    assert_eq!(group["items"], probed.len());
    for row in &probed {
        let rank = row["rank"].as_f64().unwrap();
        assert_eq!(row["p"].as_f64().unwrap(), rank / row["orders"].as_f64().unwrap(), "{row}");
        assert!(row["released"].as_f64().unwrap() < 0.0);
    }
    // The same seed finds the same, on a screen as well.
    let again = probe(&context, &[&arguments[..], &["--json"]].concat()).success().json();
    assert_eq!(document["groups"], again["groups"]);
    let rendered = probe(&context, &arguments).stdout;
    assert!(rendered.contains("mean z") && rendered.replace('\n', " ").contains("It does not say why"), "{rendered}");
    assert!(rendered.lines().all(|line| line.len() <= 80), "{rendered}");
}

#[test]
fn a_model_that_met_nothing_does_not_tell_released_stories_from_fresh_ones() {
    let context = TestContext::new();
    let data = hi_tom_file(&context);
    let rows = context.path("rows.jsonl");
    let out = rows.display().to_string();
    let arguments = ["min-k", "--benchmark", "hi-tom", "--data", &data, "--seed", "5", "--out", &out];
    let document = probe(&context, &[&arguments[..], &["--json"]].concat()).success().json();
    let group = &document["groups"][0];
    assert_eq!((&group["stories"], &group["skipped"].as_object().unwrap().len()), (&8.into(), &1));
    let p = group["test"]["p"].as_f64().unwrap();
    assert!(p > 0.01, "both sets are from one generator: {group}");
    let sets: Vec<Value> = read_json_lines(&rows).iter().filter_map(|row| row.get("set").cloned()).collect();
    assert_eq!(sets.len(), 16);
    let markdown = probe(&context, &[&arguments[..], &["--format", "markdown"]].concat()).stdout;
    assert!(markdown.contains("| hi-tom | en | 8 |"), "{markdown}");
}

#[test]
fn what_cannot_be_probed_is_refused_with_what_to_do() {
    let context = TestContext::new();
    let refused = |arguments: &[&str], part: &str| {
        let output = probe(&context, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stderr.contains(part), "{}", output.stderr);
    };
    refused(&["min-k", "--limit", "2"], "no fresh items can be made for demo in en");
    refused(&["min-k", "--percent", "0"], "above 0 and at most 100");
    refused(&["orders", "--limit", "2", "--format", "csv"], "terminal, markdown or json");
    let tomi = fixture("../data/tomi").display().to_string();
    refused(&["orders", "--benchmark", "tomi", "--data", &tomi], "give the options no order of their own");
}

#[test]
fn texts_beyond_the_context_are_counted() {
    let context = TestContext::new();
    let data = hi_tom_file(&context);
    let model = tiny_model_of(context.folder(), "llama");
    edit_json(&model.join("config.json"), |config| {
        config["max_position_embeddings"] = 8.into();
    });
    let output = context
        .command(&["probe", "min-k", "--benchmark", "hi-tom", "--data", &data, "--offline", "--device", "cpu"])
        .arg("--model")
        .arg(model)
        .run()
        .code(2);
    assert!(output.stderr.contains("8: longer than the model's context"), "{}", output.stderr);
}

#[test]
fn recall_asks_once_a_language_and_once_a_story() {
    let context = TestContext::new();
    let rows = context.path("rows.jsonl");
    let out = rows.display().to_string();
    let arguments = ["recall", "-l", "en", "-l", "zh", "--limit-stories", "3", "--trials", "2", "--temperature", "1"];
    let output = probe(&context, &[&arguments[..], &["--out", &out, "--json"]].concat());
    let document = output.success().json();
    let groups = document["groups"].as_array().unwrap();
    let counted: Vec<(&str, &str, u64)> = groups
        .iter()
        .map(|group| {
            let text = |name: &str| group[name].as_str().unwrap();
            (text("protocol"), text("language"), group["replies"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(counted[..2], [("example", "en", 2), ("example", "zh", 2)]);
    assert!(counted[2..].iter().all(|&(protocol, _, replies)| protocol == "completion" && replies <= 3), "{counted:?}");
    let marked: Vec<bool> = read_json_lines(&rows).iter().map(|row| row.get("canary").is_some()).collect();
    assert!(marked[0] && !marked[1..].contains(&true), "the canary line stands in the first line");
    let replies: Vec<Value> = read_json_lines(&rows).into_iter().filter(|row| row.get("skipped").is_none()).collect();
    assert_eq!(replies.len() as u64, counted.iter().map(|(_, _, replies)| replies).sum::<u64>());
    let samples: Vec<&Value> = replies[..2].iter().map(|row| &row["reply"]).collect();
    assert_ne!(samples[0], samples[1], "trials are drawn apart");
    assert!(groups.iter().all(|group| group["matched"] == 0), "random weights recite nothing: {groups:?}");
    let rendered = probe(&context, &arguments).stdout;
    assert!(
        rendered.contains("llama (EN)") && rendered.contains("0 of 2") && rendered.contains("Tables 4 and 5"),
        "{rendered}"
    );
    assert!(rendered.lines().all(|line| line.len() <= 80), "{rendered}");
    let greedy = probe(&context, &["recall", "--trials", "2"]);
    assert!(greedy.stderr.contains("set --temperature above 0"), "{}", greedy.stderr);
}

#[test]
fn classic_tests_and_prompts_of_a_file_are_asked_and_judged_on_a_page() {
    let context = TestContext::new();
    let rows = context.path("rows.jsonl");
    let out = rows.display().to_string();
    let arguments = ["recall", "-l", "en", "-l", "zh", "--protocol", "classic", "--trials", "2", "--temperature", "1"];
    let document = probe(&context, &[&arguments[..], &["--out", &out, "--json"]].concat()).success().json();
    let groups: Vec<(&str, &str, u64)> = document["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| {
            let text = |name: &str| group[name].as_str().unwrap();
            (text("test"), text("language"), group["replies"].as_u64().unwrap())
        })
        .collect();
    let expected = [("sally-anne", "en", 2), ("smarties", "en", 2), ("sally-anne", "zh", 2), ("smarties", "zh", 2)];
    assert_eq!(groups, expected);
    assert_eq!((&document["groups"][0]["share"], &document["groups"][0]["interval"][0]), (&0.0.into(), &0.0.into()));
    let rendered = probe(&context, &arguments).stdout;
    assert!(rendered.contains("asked for a Smarties test") && rendered.contains("textbooks"), "{rendered}");
    assert!(rendered.lines().all(|line| line.len() <= 80), "{rendered}");

    // The replies on a page.
    let page = context.path("page.html");
    let judge = |scheme: &str| {
        let mut command = context.command(&["annotate", "judge", "--scheme", scheme, "--recited", &out, "--out"]);
        command.arg(&page).run()
    };
    assert!(judge("recitations").success().stderr.contains("8 units"));
    let row = &read_json_lines(&rows)[0];
    let released = row["released"].as_str().unwrap().lines().next().unwrap();
    let text = crate::annotate::pages::units(&page).to_string();
    assert!(text.contains(released), "{text}");
    assert!(judge("xtom-mqm").stderr.contains("leave out --recited"));

    // A file of prompts in the form of a pack.
    let file = context.path("prompts.toml");
    let style = |name: &str, text: &str| {
        format!("[[style]]\nname = '{name}'\nlanguage = 'en'\nuser = '{text}'\nanswer_hint = '-'\n")
    };
    let head = "benchmark = 'contamination'\nsource = 'our own'\n";
    std::fs::write(&file, format!("{head}{}", style("example", "An example of {dataset}?"))).unwrap();
    let prompts = file.display().to_string();
    let asked = probe(&context, &["recall", "-l", "en", "-l", "zh", "--prompts", &prompts, "--json"]).success().json();
    assert_eq!(asked["settings"]["protocols"], serde_json::json!(["example"]));
    assert!(asked["settings"]["wording"].as_str().unwrap().starts_with("our own; sha256 "));
    assert_eq!(asked["groups"].as_array().unwrap().len(), 1, "no prompt in Chinese");
    let refused = |arguments: &[&str], part: &str| {
        let output = probe(&context, &[&["recall", "--prompts", &prompts][..], arguments].concat());
        assert!(output.status.code() == Some(2) && output.stderr.contains(part), "{}", output.stderr);
    };
    refused(&["--protocol", "classic"], "has no prompt called `classic`");
    std::fs::write(&file, format!("{head}{}", style("completion", "Go on."))).unwrap();
    refused(&[], "`completion` in en needs {sentence}");
}

#[test]
fn probes_of_beliefs_are_tested_on_false_beliefs_and_say_what_they_learned_from() {
    let context = TestContext::new();
    let data = context.path("stories").display().to_string();
    context.run(&["make", "tomi", "--stories", "24", "--seed", "9", "--out", &data]).success();
    let rows = context.path("rows.jsonl");
    let (out, states) = (rows.display().to_string(), context.path("s.npy").display().to_string());
    let arguments = ["beliefs", "--benchmark", "tomi", "--data", &data, "--stories", "60", "--out", &out];
    let document = probe(&context, &[&arguments[..], &["--json", "--states", &states]].concat()).success().json();
    let group = &document["groups"][0];
    let read: Vec<Value> = read_json_lines(&rows).into_iter().filter(|row| row.get("skipped").is_none()).collect();
    assert_eq!(group["released_statements"], read.len());
    assert!(!group["shared_names"].as_array().unwrap().is_empty(), "made items share the generator's names");
    // On false beliefs with two containers, what is believed is what is not the case.
    for row in &read {
        assert_ne!(row["belief"], row["reality"], "{row}");
        let chain: Vec<&str> = row["chain"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        let begins = format!("{} thinks the {} is in the ", chain.join(" thinks "), row["object"].as_str().unwrap());
        assert!(row["statement"].as_str().unwrap().starts_with(&begins), "{row}");
    }
    let scored = |by: &str| group["scores"].as_array().unwrap().iter().find(|scored| scored["by"] == by).unwrap();
    assert_eq!(
        scored("last-named")["belief"]["auc"].as_f64().unwrap()
            + scored("last-named")["reality"]["auc"].as_f64().unwrap(),
        1.0
    );
    let area = |by: &str, of: &str| scored(by)[of]["auc"].as_f64().unwrap();
    // The area is that of the scores written.
    let scores = |label: bool| -> Vec<f64> {
        read.iter().filter(|row| row["belief"] == label).map(|row| row["belief_score"].as_f64().unwrap()).collect()
    };
    let (yes, no) = (scores(true), scores(false));
    let wins = yes.iter().flat_map(|one| no.iter().map(move |other| if one > other { 1.0 } else { 0.0 })).sum::<f64>();
    assert!((wins / (yes.len() * no.len()) as f64 - area("belief-probe", "belief")).abs() < 1e-3);
    // Every state is of the statement that its row names, made ones first.
    let about: Value = serde_json::from_slice(&std::fs::read(context.path("s.json")).unwrap()).unwrap();
    let sets: Vec<&str> = about["states"].as_array().unwrap().iter().map(|row| row["set"].as_str().unwrap()).collect();
    assert_eq!(sets.iter().filter(|set| **set == "made").count(), group["made_statements"]);
    assert_eq!(sets.iter().filter(|set| **set == "released").count(), read.len());
    assert!(candle_core::Tensor::read_npy(context.path("s.npy")).unwrap().dims()[0] == sets.len());

    let again = probe(&context, &arguments).success().stdout;
    assert!(again.contains("not what the model uses") && again.contains("2402.18496"), "{again}");
    assert!(again.lines().all(|line| line.chars().count() <= 80), "{again}");
    let nothing = probe(&context, &["beliefs", "--limit", "2"]).code(2).stderr;
    assert!(nothing.contains("its story is not tracked"), "{nothing}");
}
