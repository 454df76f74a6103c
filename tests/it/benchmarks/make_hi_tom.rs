//! `tomeval make hi-tom`: what it writes is a file the Hi-ToM loader reads.

use std::path::Path;
use std::process::Command;

use tomeval::internal::LabelSet;
use tomeval::internal::{ClaimRule, Wording};
use tomeval::internal::{HiToMSettings, make_hi_tom};
use tomeval::internal::{audit_hi_tom, hi_tom_items};
use tomeval::{Answer, Benchmark, Item, LoadOptions, OptionIx};

use crate::support::context::{Run, TestContext};

fn make(context: &TestContext, arguments: &[&str]) -> Command {
    let mut command = context.command(&["make", "hi-tom"]);
    command.args(arguments);
    command
}

fn load(path: &Path, labels: LabelSet) -> Vec<Item> {
    let loaded = Benchmark::HiToM.load(path, &LoadOptions { labels, ..LoadOptions::default() }).unwrap();
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    loaded.items
}

#[test]
fn a_generated_file_loads_and_its_labels_follow_its_rules() {
    let context = TestContext::new();
    for (language, claims) in [("en", "published"), ("zh", "common-knowledge")] {
        let path = context.path(format!("{language}.json"));
        let out = path.to_str().unwrap();
        make(&context, &["--stories", "3", "--seed", "5", "--language", language, "--claims", claims, "--out", out])
            .run()
            .success();
        let published = load(&path, LabelSet::Published);
        assert_eq!(published.len(), 3 * 2 * 3 * 5);
        assert_eq!(published, load(&path, LabelSet::Repaired));
        assert!(published.iter().all(|item| item.flags.is_empty() && item.language.code() == language));
        assert!(published[0].id.starts_with("hi-tom/made-5/0"));
        let audit = audit_hi_tom(&path, claims.parse().unwrap()).unwrap();
        assert_eq!((audit.styles[0].by_rules, audit.styles[0].rows), (90, 90));
    }
}

#[test]
fn items_of_stories_equal_those_of_their_file() {
    let context = TestContext::new();
    let path = context.path("stories.json");
    let stories = ["--stories", "2", "--chapters", "1", "--deception", "without", "--seed", "9", "--out"];
    make(&context, &stories).arg(&path).run().success();
    let settings = HiToMSettings {
        chapters: 1,
        size: Default::default(),
        deception: false,
        stories: 2,
        seed: 9,
        answers: 15,
        wording: Wording::English,
        claims: ClaimRule::Published,
    };
    assert_eq!(load(&path, LabelSet::Published), hi_tom_items(&make_hi_tom(&settings).unwrap()));
}

#[test]
fn the_same_seed_gives_the_same_file_and_another_seed_does_not() {
    let context = TestContext::new();
    let written = |seed: &str| make(&context, &["--stories", "2", "--seed", seed]).run().stdout;
    assert_eq!(written("1"), written("1"));
    assert_ne!(written("1"), written("2"));
}

#[test]
fn rows_for_both_prompting_types_are_twins_with_equal_labels() {
    let context = TestContext::new();
    let path = context.path("both.json");
    make(&context, &["--stories", "1", "--prompting", "both", "--out", path.to_str().unwrap()]).run().success();
    let items = load(&path, LabelSet::Published);
    assert_eq!(items.len(), 2 * 2 * 3 * 5);
    assert!(items.iter().all(|item| item.facet("twin-labels") == Some("same")));
}

#[test]
fn a_damaged_row_is_named_and_the_others_are_kept() {
    let context = TestContext::new();
    let path = context.path("damaged.json");
    let mut file = make(&context, &["--stories", "1", "--chapters", "1", "--deception", "without"]).run().json();
    file["data"][1]["answer"] = "nowhere".into();
    file["data"][2].as_object_mut().unwrap().remove("choices");
    file["data"][3]["prompting_type"] = 3.into();
    std::fs::write(&path, serde_json::to_vec(&file).unwrap()).unwrap();
    let loaded = Benchmark::HiToM.load(&path, &LoadOptions::default()).unwrap();
    let orders: Vec<_> = loaded.items.iter().map(|item| item.facet("order").unwrap()).collect();
    assert_eq!(orders, ["0", "4"]);
    let problems: Vec<_> = loaded.problems.iter().map(|problem| (problem.row, problem.field.as_deref())).collect();
    assert_eq!(problems, [(Some(2), Some("answer")), (Some(3), Some("choices")), (Some(4), Some("prompting_type"))]);
    assert!(loaded.problems[0].message.contains("nowhere"));
}

#[test]
fn text_is_for_people() {
    let context = TestContext::new();
    let output =
        make(&context, &["--stories", "1", "--chapters", "1", "--deception", "with", "--format", "text"]).run();
    let text = output.stdout;
    assert_eq!(text.matches("A. ").count(), 5);
    assert_eq!(text.matches("\n= ").count(), 5);
    let settings = HiToMSettings {
        chapters: 1,
        size: Default::default(),
        deception: true,
        stories: 1,
        seed: 0,
        answers: 15,
        wording: Wording::English,
        claims: ClaimRule::Published,
    };
    let made = &make_hi_tom(&settings).unwrap()[0];
    assert!(text.contains(&Wording::English.tell(&made.story)));
    let gold = &hi_tom_items(std::slice::from_ref(made))[4];
    let Answer::Single(OptionIx(option)) = gold.gold else { panic!("one option is right") };
    assert!(text.trim_end().ends_with(&format!("= {}", gold.options[option])));
}

#[test]
fn impossible_settings_end_with_the_reason() {
    let context = TestContext::new();
    make(&context, &["--chapters", "8"]).run().code(2).with_stderr(predicates::str::contains("from 1 to 7"));
    make(&context, &["--answers", "1"]).run().code(2).with_stderr(predicates::str::contains("from 2 to 26"));
    make(&context, &["--language", "fr"]).run().code(2).with_stderr(predicates::str::contains("French"));
}

#[test]
fn stories_beyond_the_released_sizes_are_read_with_their_keys() {
    let context = TestContext::new();
    let out = context.path("Hi-ToM_data.json");
    let sizes = ["--agents", "8", "--orders", "7", "--chapters", "5", "--stories", "4", "--seed", "3"];
    let mut command = context.command(&["make", "hi-tom"]);
    command.args(sizes).arg("--out").arg(&out).run().success();
    let loaded = Benchmark::HiToM.load(&out, &LoadOptions::default()).unwrap();
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    assert_eq!(loaded.items.len(), 2 * 4 * 8);
    for item in &loaded.items {
        assert!(item.flags.is_empty(), "{:?}", item.flags);
        assert_eq!((item.facet("rules"), item.facet("agents")), (Some("agree"), Some("8")));
    }
    assert!(loaded.items.iter().any(|item| item.facet("order") == Some("7")));
    let refused = context.run(&["make", "hi-tom", "--orders", "6"]).code(2);
    assert!(refused.stderr.contains("raise --agents"), "{}", refused.stderr);
}
