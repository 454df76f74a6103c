//! `tomeval make subsample`: quotas on released data, what is written, and where vectors come from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use predicates::str::contains;
use serde_json::json;
use sha2::{Digest, Sha256};
use tomeval::internal::CANARY;
use tomeval::{Benchmark, Item, Language, LoadOptions};

use crate::support::context::{Run, TestContext};
use crate::support::files::{edit_json, json_lines, read_json};
use crate::support::released::released;
use crate::support::tiny_models::shared_tiny_model;

fn english(benchmark: Benchmark, data: &Path) -> Vec<Item> {
    benchmark.load(data, &LoadOptions { languages: vec![Language::En], ..LoadOptions::default() }).unwrap().items
}

/// Writes a vector for each story, drawn from a hash of its text, and the list of stories beside it.
fn embeddings(context: &TestContext, items: &[Item]) -> PathBuf {
    let mut texts: BTreeMap<&str, String> = BTreeMap::new();
    for item in items {
        let text = || item.context.iter().map(|segment| &*segment.text).collect::<Vec<_>>().join("\n");
        texts.entry(&item.story).or_insert_with(text);
    }
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, 8), }}\n", texts.len());
    let mut bytes = [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat();
    let mut stories = Vec::new();
    for (id, text) in texts {
        let hash = Sha256::digest(text.as_bytes());
        bytes.extend(hash.iter().take(8).flat_map(|&byte| (f32::from(byte) + 1.0).to_le_bytes()));
        stories.push(json!({ "id": id, "sha256": hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>() }));
    }
    context.write("v.json", json!({ "model": "hashes", "how": "drawn", "stories": stories }).to_string());
    context.write("v.npy", bytes)
}

#[test]
fn multi_toms_quotas_are_met_on_tombench_and_the_sample_reads_back() {
    let (Some(data), Some(other)) = (released("tombench"), released("multi-tom")) else { return };
    let context = TestContext::new();
    let items = english(Benchmark::ToMBench, &data);
    let vectors = embeddings(&context, &items);
    let make = |out: &str, seed: &str| {
        let mut command =
            context.command(&["make", "subsample", "-b", "tombench", "-l", "en", "--seed", seed, "--out", out]);
        command.arg("--data").arg(data.parent().unwrap()).arg("--embeddings").arg(&vectors);
        command.args(["--figures", "figures"]).run().success()
    };
    let printed = make("a", "3").stdout;
    assert!(
        other.is_dir() && printed.contains("multi-tom: 502 questions, 0 of them not in the data; 214 stories"),
        "{printed}"
    );
    let lines = json_lines(&std::fs::read_to_string(context.path("a/items.jsonl")).unwrap());
    assert!(lines[0]["canary"] == CANARY && lines[1].get("canary").is_none());

    let mut counts: BTreeMap<&str, (std::collections::BTreeSet<&str>, usize)> = BTreeMap::new();
    for line in &lines {
        let of = counts.entry(line["file"].as_str().unwrap()).or_default();
        of.0.insert(line["story_id"].as_str().unwrap());
        of.1 += 1;
    }
    // Multi-ToM, Table 3.
    let table = [
        ("Unexpected Outcome Test", 18, 54),
        ("Scalar Implicature Test", 18, 36),
        ("Persuasion Story Task", 18, 18),
        ("False Belief Task", 18, 108),
        ("Ambiguous Story Task", 18, 36),
        ("Hinting Task Test", 17, 20),
        ("Strange Story Task", 36, 72),
        ("Faux-pas Recognition Test", 25, 97),
    ];
    for (file, stories, questions) in table {
        assert_eq!((counts[file].0.len(), counts[file].1), (stories, questions), "{file}");
    }
    assert_eq!((lines.len(), counts.values().map(|(stories, _)| stories.len()).sum::<usize>()), (502, 214));

    // The story is the unit, and texts and gold are those of the data.
    let by_id: BTreeMap<&str, &Item> = items.iter().map(|item| (item.id.as_str(), item)).collect();
    let own = Benchmark::Custom.load(&context.path("a/items.jsonl"), &LoadOptions::default()).unwrap();
    assert!(own.problems.is_empty() && own.items.len() == 502, "{:?}", own.problems);
    for item in &own.items {
        let source = by_id[item.id.strip_prefix("custom/").unwrap().strip_suffix("/en").unwrap()];
        assert_eq!((&item.question, &item.options, &item.gold), (&source.question, &source.options, &source.gold));
        assert_eq!(item.context[0].text, source.context[0].text);
        assert_eq!((item.facet("ability"), item.facets.len()), (source.facet("ability"), source.facets.len()));
    }
    for (story, asked) in lines.iter().fold(BTreeMap::<&str, usize>::new(), |mut counts, line| {
        *counts.entry(line["story_id"].as_str().unwrap()).or_default() += 1;
        counts
    }) {
        let all = items.iter().filter(|item| item.story == story).count();
        let cut = ["Discrepant Intentions", "Moral Emotions"].iter().any(|file| story.contains(file));
        assert!(asked == all || cut && asked == 1, "{story}: {asked} of {all}");
    }

    // The same seed gives the same bytes, another one another sample.
    make("b", "3");
    make("c", "4");
    let read = |name: &str| std::fs::read(context.path(name)).unwrap();
    assert_eq!(read("a/items.jsonl"), read("b/items.jsonl"));
    assert_eq!(read("a/sample.json"), read("b/sample.json"));
    assert_ne!(read("a/items.jsonl"), read("c/items.jsonl"));
    let document = read_json(&context.path("a/sample.json"));
    assert!(document["quotas"].as_array().unwrap().iter().all(|quota| quota["unmet"].is_null()));
    assert_eq!(document["embeddings"]["sha256"], lines[5]["made"][0]["embeddings_sha256"]);
    assert!(document["spread"]["evener"].as_f64().unwrap() < 0.01, "{}", document["spread"]);
    assert!(context.path("figures/sample-distances.svg").is_file());

    // Vectors of other texts are refused.
    edit_json(&context.path("v.json"), |listed| listed["stories"][7]["sha256"] = json!("0"));
    let mut command = context.command(&["make", "subsample", "-b", "tombench", "-l", "en", "--out", "d"]);
    command.arg("--data").arg(data.parent().unwrap()).arg("--embeddings").arg(&vectors);
    command.run().failure().with_stderr(contains("no vector of this text"));
    assert!(!context.path("d").exists());
}

const QUOTAS: &str = r#"
name = "mine"
source = "own"
draw = "distance"
category = ["ability"]

[[quotas]]
name = "some"
stories = 2
questions = 1
"#;

#[test]
fn a_local_model_embeds_and_unmet_quotas_are_told_with_exit_code_1() {
    let context = TestContext::new();
    let quotas = context.write("quotas.toml", QUOTAS);
    let mut command = context.command(&["make", "subsample", "-b", "demo", "-l", "en", "--out", "s", "--quotas"]);
    command.arg(quotas).arg("--model").arg(shared_tiny_model());
    command.run().code(1).with_stdout(contains("some: not met: no 2 stories"));
    let document = read_json(&context.path("s/sample.json"));
    assert_eq!(document["embeddings"]["how"], "mean of the last hidden states over all tokens");
    assert_eq!(document["quotas"][0]["stories"], 2);
    assert!(!document["quotas"][0]["unmet"].is_null());
}

#[test]
fn settings_that_people_labelled_and_the_sample_lacks_are_listed() {
    let context = TestContext::new();
    let page = context.path("page.html");
    let mut command =
        context.command(&["annotate", "judge", "--scheme", "settings", "-b", "demo", "-l", "en", "--out"]);
    command.arg(&page).run().done();
    let Some(browser) = crate::support::browser::browser() else { return };
    let script = "await until(() => document.getElementById('begin')); document.getElementById('begin').click();
        for (let at = 0; at < state.hand.length; at++) {
          const boxes = main.querySelectorAll('input[type=checkbox]');
          boxes[at === 3 ? 1 : 0].click();
          document.getElementById('next').click();
        }
        return exported();";
    let export = crate::support::browser::told_by(&browser, &page, script);
    let export = context.write("labels.jsonl", export.as_str().unwrap());
    let quotas = context.write("quotas.toml", QUOTAS.replace("questions = 1", "").replace("distance", "random"));
    let mut command = context.command(&["make", "subsample", "-b", "demo", "-l", "en", "--out", "s", "--quotas"]);
    let output = command.arg(quotas).arg("--settings").arg(export).run().code(1);
    let lacks = &read_json(&context.path("s/sample.json"))["settings"];
    assert_eq!(
        (lacks["labelled"].as_u64(), lacks["unlabelled"].as_array().map(Vec::len)),
        (Some(24), Some(0)),
        "{lacks}"
    );
    assert_eq!(
        (lacks["gaps"].as_array().map(Vec::len), &lacks["gaps"][0]["setting"]),
        (Some(1), &json!("school")),
        "{lacks}"
    );
    assert!(output.stdout.contains("Settings that the sample lacks"));
}

#[test]
fn xtoms_quotas_are_met_on_a_file_of_conversations() {
    let context = TestContext::new();
    let belief = |number: usize, order: &str| {
        json!({
            "question": format!("What does Iva believe about errand {number}, {order}?"), "correct_answer": format!("She has not heard of {number}."),
            "wrong_answer": format!("She knows of {number}."), "question_type": "tom:belief:inaccessible", "tom_type": order,
            "missed_info_accessibility": "inaccessible",
        })
    };
    let knowing = |kind: &str| json!({ "question": "Who knows?", "correct_answer": ["Tom"], "wrong_answer": ["Iva"], "question_type": kind });
    // 320 conversations with a fact each, and one inaccessible belief or, of every third, two.
    let sets = (0..320).map(|number| {
        let second = (number % 3 == 0).then(|| belief(number, "second-order:acyclic"));
        let beliefs: Vec<_> = [belief(number, "first-order")].into_iter().chain(second).collect();
        let talk = format!("Tom: Errand {number} is done.\nIva: I was away.");
        json!({
            "set_id": format!("{number}-0-0"), "part_id": format!("{number}-0"), "conv_id": number, "full_context": talk,
            "short_context": talk, "missed_info": "An errand.", "joining_speaker": "Iva", "beliefQAs": beliefs,
            "factQA": {
                "question": "What is done?", "correct_answer": format!("Errand {number}."),
                "wrong_answer": "Nothing.", "question_type": "fact",
            },
            "answerabilityQA_list": knowing("tom:answerability:list"), "infoAccessibilityQA_list": knowing("tom:info_accessibility:list"),
            "answerabilityQAs_binary": [], "infoAccessibilityQAs_binary": [],
        })
    });
    std::fs::create_dir(context.path("fantom")).unwrap();
    context.write("fantom/fantom_v1.json", json!(sets.collect::<Vec<_>>()).to_string());
    let make = |out: &str, seed: &str| {
        let quotas =
            ["--choose", "questions=paper", "--quotas", "xtom", "--data", "fantom", "--seed", seed, "--out", out];
        context.run(&[&["make", "subsample", "-b", "fantom"][..], &quotas].concat()).success();
        let lines = json_lines(&std::fs::read_to_string(context.path(out).join("items.jsonl")).unwrap());
        let mut asked: BTreeMap<String, usize> = BTreeMap::new();
        for line in &lines {
            *asked.entry(line["story_id"].as_str().unwrap().to_string()).or_default() += 1;
        }
        (lines, asked)
    };
    let (lines, asked) = make("a", "1");
    // XToM, section 3.1 and Table 6: 300 stories with 618 questions.
    assert_eq!((asked.len(), lines.len()), (300, 618));
    assert!(asked.values().all(|&questions| (1..=3).contains(&questions)), "{asked:?}");
    assert!(lines.iter().all(|line| ["fact", "belief"].contains(&line["dimension"].as_str().unwrap())));
    assert_eq!((make("b", "1").0, make("c", "2").0 == lines), (lines, false));
}
