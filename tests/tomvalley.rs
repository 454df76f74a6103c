//! ToMValley: the released archive and sample where they are present.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use tomeval::benchmark::tomvalley::{QuestionKey, QuestionKind};
use tomeval::benchmark::{Benchmark, Item, LoadOptions, Loaded, SegmentKind};

/// The folder of the released files, `None` with a line that says so where it is absent.
fn released() -> Option<PathBuf> {
    let root = std::env::var_os("TOMEVAL_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
    let path = root.join("tomvalley");
    if !path.is_dir() {
        println!("skipped: {} is not there; set TOMEVAL_DATA to the folder of the benchmarks", path.display());
        return None;
    }
    Some(path)
}

fn load(folder: &Path, choices: &[(&str, &str)]) -> Loaded {
    let choices = choices.iter().map(|(choice, value)| (choice.to_string(), value.to_string())).collect();
    Benchmark::ToMValley.load(folder, &LoadOptions { choices, ..LoadOptions::default() }).unwrap()
}

fn count_by<'a>(items: &'a [Item], key: impl Fn(&'a Item) -> String) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    items.iter().for_each(|item| *counts.entry(key(item)).or_default() += 1);
    counts
}

fn counts<const N: usize>(expected: [(&str, usize); N]) -> BTreeMap<String, usize> {
    expected.map(|(value, count)| (value.to_string(), count)).into()
}

/// What the words of a released question ask, to be compared with what its id says.
fn asked_in_words(question: &str) -> (QuestionKind, String, usize) {
    let number_after = |words: &str| {
        let digits = question.split_once(words).map_or("", |(_, rest)| rest);
        digits.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap_or(1)
    };
    let item_after = |words: &str| {
        let rest = question.split_once(words).map_or("", |(_, rest)| rest);
        rest.split([' ', '&']).next().unwrap_or_default().to_string()
    };
    if question.starts_with("What is the ") {
        (QuestionKind::What, item_after("What is the "), number_after(" in scenario "))
    } else if question.starts_with("In scenario ") {
        let sources = question.split_once("how does the ").map_or("", |(_, rest)| rest);
        let item = if sources.starts_with("belief&") { "emotion".into() } else { item_after("how does the ") };
        (QuestionKind::Influence, item, number_after("In scenario "))
    } else if question.starts_with("Whether the ") {
        (QuestionKind::Whether, item_after("Whether the "), number_after(" from scenario "))
    } else if question.starts_with("Why does the ") {
        (QuestionKind::Why, item_after("Why does the "), number_after(" from scenario "))
    } else {
        (QuestionKind::How, item_after("How does the "), 1)
    }
}

#[test]
fn the_archive_has_the_papers_counts() {
    let Some(folder) = released() else { return };
    let loaded = load(&folder, &[]);
    assert!(loaded.problems.is_empty());
    assert_eq!(loaded.items.len(), 78_100);
    let stories: BTreeSet<&str> = loaded.items.iter().map(|item| item.story.as_str()).collect();
    assert_eq!(stories.len(), 1_100);
    let facet = |name: &'static str| move |item: &Item| item.facet(name).unwrap_or("-").to_string();
    let kinds = [("how", 4_400), ("influence", 16_500), ("what", 22_000), ("whether", 17_600), ("why", 17_600)];
    assert_eq!(count_by(&loaded.items, facet("kind")), counts(kinds));
    let items = [("action", 15_400), ("belief", 20_900), ("emotion", 20_900), ("intention", 20_900)];
    assert_eq!(count_by(&loaded.items, facet("item")), counts(items));
    assert_eq!(count_by(&loaded.items, facet("column")).len(), 11);
    let options = count_by(&loaded.items, |item| format!("{} {}", item.facet("kind").unwrap(), item.options.len()));
    let expected = [("how 8", 4_400), ("influence 6", 13_200), ("influence 7", 3_300), ("what 7", 18)];
    for (key, count) in counts(expected) {
        assert_eq!(options[&key], count, "{key}");
    }
    assert_eq!((options["whether 5"], options["why 16"]), (17_600, 17_467));
    let flagged = |name: &str| {
        let items = loaded.items.iter().filter(|item| item.flags.iter().any(|flag| flag.name == name));
        count_by(&items.cloned().collect::<Vec<_>>(), facet("kind"))
    };
    assert_eq!(flagged("duplicate-options"), counts([("how", 82), ("what", 20), ("why", 748)]));
    assert_eq!(flagged("gold-text-twice"), counts([("why", 13)]));
    let never_no = loaded.items.iter().filter(|item| item.facet("kind") == Some("whether"));
    assert!(never_no.clone().all(|item| item.options.iter().any(|option| option == "No")));
    assert!(!never_no.clone().any(|item| item.options[item.gold.options()[0]] == "No"));
}

#[test]
fn every_question_says_what_its_id_says() {
    let Some(folder) = released() else { return };
    let loaded = load(&folder, &[("trials", "all")]);
    assert_eq!(loaded.items.len(), 83_031);
    assert!(loaded.problems.is_empty());
    let ids: HashSet<&str> = loaded.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids.len(), loaded.items.len());
    for item in &loaded.items {
        let scenarios = item.facet("scenarios").unwrap().parse().unwrap();
        let key = QuestionKey::parse(item.id.rsplit('/').next().unwrap(), scenarios).unwrap();
        let named = (key.kind, key.item.name().to_string(), key.scenario);
        assert_eq!(asked_in_words(&item.question), named, "{}: {}", item.id, item.question);
        for what in item.facet("depends").into_iter().flat_map(|depends| depends.split('|')) {
            assert!(ids.contains(what), "{} rests on {what}", item.id);
        }
        let kinds: Vec<_> = item.context.iter().map(|segment| segment.kind).collect();
        assert_eq!(kinds.len(), 1 + 2 * scenarios);
        assert_eq!(kinds[..3], [SegmentKind::Profile, SegmentKind::Background, SegmentKind::Dialogue]);
    }
}

#[test]
fn folders_and_archive_give_the_same_items() {
    let Some(folder) = released() else { return };
    let sample = load(&folder.join("sample"), &[("trials", "all")]);
    let trials: BTreeSet<&str> = sample.items.iter().filter_map(|item| item.id.split('/').nth(1)).collect();
    assert_eq!(trials.len(), 34);
    let archive = load(&folder, &[("trials", &trials.into_iter().collect::<Vec<_>>().join(","))]);
    assert_eq!(archive.items, sample.items);
}

#[test]
fn long_contexts_can_be_cut_to_four_scenarios() {
    let Some(folder) = released() else { return };
    let loaded = load(&folder.join("sample"), &[("trials", "1150-1210"), ("scenarios", "both")]);
    let of = |trial: &str, variant: &str| {
        let items = loaded
            .items
            .iter()
            .filter(|item| item.id.split('/').nth(1) == Some(trial) && item.facet("variant") == Some(variant));
        items.collect::<Vec<_>>()
    };
    assert_eq!(["1150", "1160", "1165", "1210"].map(|trial| of(trial, "whole").len()), [101, 86, 56, 71]);
    // 16 what, 12 influence, 12 whether, 12 why; `how` spans all scenarios and cannot be asked.
    assert_eq!(["1150", "1160", "1165", "1210"].map(|trial| of(trial, "first-four").len()), [52, 52, 0, 52]);
    let whole = of("1150", "whole");
    for cut in of("1150", "first-four") {
        assert!(cut.id.ends_with("/first-four"));
        assert_eq!(cut.context.len(), 9);
        let twin = whole.iter().find(|item| item.parallel == cut.parallel).unwrap();
        assert_eq!((&twin.question, &twin.options, &twin.gold), (&cut.question, &cut.options, &cut.gold));
        assert_eq!(twin.context[..9], cut.context[..]);
    }
}

#[test]
fn answer_keys_are_never_shown() {
    let Some(folder) = released() else { return };
    for item in &load(&folder.join("sample"), &[("trials", "all")]).items {
        let shown: String = item.context.iter().map(|segment| segment.text.as_str()).collect();
        for key in ["belief->emotion", "mental states analysis", "relationships among characters", "true answer"] {
            assert!(!shown.contains(key) && !item.question.contains(key), "{}", item.id);
        }
    }
}

#[test]
fn an_unknown_choice_of_trials_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let choices = [("trials".to_string(), "first".to_string())].into_iter().collect();
    let options = LoadOptions { choices, ..LoadOptions::default() };
    let message = Benchmark::ToMValley.load(folder.path(), &options).unwrap_err().to_string();
    assert!(message.contains("`first`") && message.contains("headline"), "{message}");
}
