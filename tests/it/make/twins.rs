//! Made twins, answered in planted ways: their tables say what an answerer is sensitive to.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::context::{Run, TestContext};
use crate::support::files::read_json_lines;

/// What is scored of answers to a set: the results of its twins by order, first and second.
fn scored(test: &TestContext, items: &[Value], choose: impl Fn(&Value) -> usize) -> Vec<Value> {
    let answer = |item: &Value| format!("{}\n", json!({ "id": item["id"], "choice": choose(item) }));
    test.write("answers.jsonl", items.iter().map(answer).collect::<String>());
    let score = ["score", "-b", "custom", "--data", "set/items.jsonl", "--card", "set/card.toml"];
    let document = test.command(&[&score[..], &["--answers", "answers.jsonl"]].concat()).json();
    document["results"][0]["linked"]["twins"].as_array().unwrap().clone()
}

fn options(item: &Value) -> Vec<&str> {
    item["options"].as_array().unwrap().iter().map(|option| option.as_str().unwrap()).collect()
}

fn gold(item: &Value) -> usize {
    item["answer"].as_str().unwrap().bytes().next().map(|letter| usize::from(letter - b'A')).unwrap()
}

/// The option that the story names last.
fn last_named(item: &Value) -> usize {
    let story = item["story"].as_str().unwrap();
    let options = options(item);
    (0..options.len()).max_by_key(|&at| story.rfind(options[at]).map_or(0, |place| place + 1)).unwrap()
}

/// Shares, by edit, of right answers and of answers that move where the right one does, and where it does not.
fn by_edit(twins: &Value) -> BTreeMap<&str, [Option<f64>; 3]> {
    let of = |part: &Value| {
        [&part["accuracy"], &part["where_gold_moves"]["moved"], &part["where_gold_stays"]["moved"]]
            .map(|figure| figure["value"].as_f64())
    };
    let parts = twins["parts"].as_array().unwrap().iter().filter(|part| part["items"] != 0);
    parts.map(|part| (part["name"].as_str().unwrap(), of(part))).collect()
}

#[test]
fn planted_answerers_have_the_tables_that_they_must() {
    let test = TestContext::new();
    // Edits of each kind; told by another only where somebody says whom agents believe.
    for (kind, edits) in [("hi-tom", 9), ("tomi", 7), ("contents", 15)] {
        test.run(&["make", "twins", "--of", kind, "--stories", "30", "--out", "set"]).success();
        let items = read_json_lines(&test.path("set/items.jsonl"));

        let perfect = scored(&test, &items, gold);
        assert_eq!(perfect.len(), 2, "{kind}");
        for twins in &perfect {
            assert_eq!((&twins["sets"], &twins["all_right"]["value"]), (&json!(30), &json!(100.0)), "{kind}");
            let edits_of = by_edit(twins);
            assert_eq!(edits_of.len(), edits, "{kind}");
            for (edit, [right, moved, stayed]) in edits_of {
                assert_eq!(right, Some(100.0), "{kind} {edit}");
                assert!(moved.is_none_or(|share| share == 100.0) && stayed.is_none_or(|share| share == 0.0), "{edit}");
                assert!(edit == "original" || moved.is_some() || stayed.is_some(), "{kind} {edit}");
            }
        }

        // A letter moves nowhere. At first order no set is right by it, since the right answer moves in each.
        for (at, twins) in scored(&test, &items, |_| 0).iter().enumerate() {
            assert!(at > 0 || twins["all_right"]["value"] == 0.0, "{kind}");
            assert!(by_edit(twins).values().all(|[_, moved, stayed]| {
                moved.is_none_or(|share| share == 0.0) && stayed.is_none_or(|share| share == 0.0)
            }));
        }

        // What stands last is a rule that the table has too.
        for (twins, order) in scored(&test, &items, last_named).iter().zip(["1", "2"]) {
            let is_named = |rule: &&Value| rule["answer"] == "the option named last";
            let rule = twins["rules"].as_array().unwrap().iter().find(is_named).unwrap();
            assert_eq!(rule["all_right"], twins["all_right"]["value"], "{kind}");
            for (edit, [right, ..]) in by_edit(twins) {
                let asked: Vec<&Value> =
                    items.iter().filter(|item| item["edit"] == edit && item["order"] == order).collect();
                let hits = asked.iter().filter(|item| last_named(item) == gold(item)).count();
                let share = hits as f64 / asked.len() as f64 * 100.0;
                assert!((right.unwrap() - share).abs() < 1e-9, "{kind} {edit}: {right:?}, counted {share}");
            }
            // Reality is always named last in ToMi: nothing is right where the belief is false.
            if kind == "tomi" {
                assert_eq!(by_edit(twins)["original"][0], Some(0.0));
            }
        }
    }
}
