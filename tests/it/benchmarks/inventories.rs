//! ToMBench, Multi-ToM and the demo inventory: small files of this project, and the released ones where present.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::Path;

use crate::support::released::{find, flag_names, released, small};
use tomeval::internal::{LabelSet, LoadError, Loaded, compare_counts, limit_items};
use tomeval::{Benchmark, Item, Language, LoadOptions};

fn load(benchmark: Benchmark, data: &Path) -> Loaded {
    benchmark.load(data, &LoadOptions::default()).unwrap()
}

fn repaired(benchmark: Benchmark, data: &Path) -> Loaded {
    benchmark.load(data, &LoadOptions { labels: LabelSet::Repaired, ..LoadOptions::default() }).unwrap()
}

fn of(items: &[Item], language: Language) -> impl Iterator<Item = &Item> {
    items.iter().filter(move |item| item.language == language)
}

fn flagged(items: &[Item], language: Language, flag: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for item in of(items, language).filter(|item| flag_names(item).contains(&flag)) {
        *counts.entry(item.facet("file").unwrap().to_string()).or_default() += 1;
    }
    counts
}

fn assert_as_expected(benchmark: Benchmark, items: &[Item]) {
    let comparisons = compare_counts(&benchmark.card().expected, items).unwrap();
    assert!(!comparisons.is_empty());
    let differing: Vec<_> = comparisons.iter().filter(|count| count.found != count.expected).collect();
    assert!(differing.is_empty(), "{differing:?}");
}

#[test]
fn every_card_is_valid_and_named_after_its_benchmark() {
    for benchmark in Benchmark::ALL {
        let card = benchmark.card();
        assert_eq!(card.name, benchmark);
        assert!(!card.languages.is_empty() && !card.source.trim().is_empty());
        compare_counts(&card.expected, &[]).unwrap();
        tomeval::Layout::parse(benchmark.card_text()).unwrap();
    }
}

#[test]
fn the_demo_inventory_is_complete_in_both_languages() {
    let loaded = load(Benchmark::Demo, Path::new(""));
    assert_eq!(loaded.problems, []);
    assert_as_expected(Benchmark::Demo, &loaded.items);
    let item = find(&loaded.items, "demo/cake-tin/0/zh");
    assert_eq!(item.parallel, "demo/cake-tin/0");
    assert_eq!(item.facet("dimension"), Some("Belief"));
    assert_eq!(item.story, find(&loaded.items, "demo/cake-tin/1/zh").story);
    assert_ne!(item.story, find(&loaded.items, "demo/cake-tin/0/en").story);
}

#[test]
fn small_tombench_rows_become_items_of_both_languages() {
    let loaded = load(Benchmark::ToMBench, &small());
    assert_eq!(loaded.problems.len(), 18, "one for each file that is not there");
    let ids: Vec<&str> = loaded.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "tombench/False Belief Task/0/en",
            "tombench/False Belief Task/1/en",
            "tombench/Strange Story Task/0/en",
            "tombench/False Belief Task/0/zh",
            "tombench/False Belief Task/1/zh",
            "tombench/Strange Story Task/0/zh",
        ]
    );
    let item = find(&loaded.items, "tombench/False Belief Task/1/zh");
    assert_eq!(item.question, "莉娜会先去哪里找球？");
    assert_eq!(item.options, ["绿色袋子", "蓝色篮子", "红色盒子", "柜子"]);
    assert_eq!(item.gold.options(), [1]);
    assert_eq!(item.facet("ability"), Some("Second-order beliefs"));
    assert_eq!(flag_names(item), ["two-abilities"]);
    let lie = find(&loaded.items, "tombench/Strange Story Task/0/en");
    assert_eq!(lie.options, ["Yes", "No"]);
    assert_eq!(lie.facet("dimension"), Some("Non-Literal Communication"));
    assert_eq!(flag_names(lie), ["ability-spelling", "nan-tokens"]);
}

#[test]
fn damaged_rows_are_named_and_the_others_load() {
    let folder = tempfile::tempdir().unwrap();
    let row = |answer: &str, options: &str| {
        format!(
            r#"{{"能力\nABILITY": "Emotion: Moral emotions", "序号\nINDEX": 1, "故事": "甲。", "问题": "何？", "选项A": "A. 一", "选项B": "B. 二", "选项C": NaN, "选项D": NaN, "STORY": "One says NaN.", "QUESTION": "What?", {options}, "答案\nANSWER": "{answer}"}}"#
        )
    };
    let two = r#""OPTION-A": "one", "OPTION-B": "two", "OPTION-C": NaN, "OPTION-D": NaN"#;
    let gap = r#""OPTION-A": "one", "OPTION-B": NaN, "OPTION-C": "two", "OPTION-D": NaN"#;
    let same = r#""OPTION-A": "one", "OPTION-B": "one", "OPTION-C": NaN, "OPTION-D": NaN"#;
    let lines = [
        format!("\u{feff}{}", row("A", two)).into_bytes(),
        row("D", two).into_bytes(),
        row("A", gap).into_bytes(),
        b"{\"broken\": \xff}".to_vec(),
        row("B", same).into_bytes(),
    ];
    fs::write(folder.path().join("Moral Emotions.jsonl"), lines.join(&b"\r\n"[..])).unwrap();
    let loaded = load(Benchmark::ToMBench, folder.path());
    let ids: BTreeSet<&str> = loaded.items.iter().map(|item| item.id.as_str()).collect();
    let expected = ["0/en", "0/zh", "2/zh", "4/en", "4/zh"].map(|end| format!("tombench/Moral Emotions/{end}"));
    assert_eq!(ids, expected.iter().map(String::as_str).collect());
    assert_eq!(&*find(&loaded.items, "tombench/Moral Emotions/0/en").context[0].text, "One says NaN.");
    assert_eq!(find(&loaded.items, "tombench/Moral Emotions/0/zh").options, ["一", "二"]);
    assert!(flag_names(find(&loaded.items, "tombench/Moral Emotions/4/en")).contains(&"duplicate-options"));
    let named: BTreeSet<_> = loaded
        .problems
        .iter()
        .filter_map(|problem| Some((problem.row?, problem.field.clone().unwrap_or_default())))
        .collect();
    let expected = [(2, "答案\\nANSWER"), (3, "OPTION-B"), (4, "")];
    assert_eq!(named, expected.map(|(row, field)| (row, field.to_string())).into_iter().collect());
}

#[test]
fn an_absent_folder_is_named_with_where_to_get_it() {
    for benchmark in [Benchmark::ToMBench, Benchmark::MultiToM, Benchmark::Custom] {
        match benchmark.load(Path::new("no/such/folder"), &LoadOptions::default()) {
            Err(LoadError::Absent { path, hint, .. }) => {
                assert!(path.starts_with("no/such/folder"));
                assert_eq!(hint, benchmark.card().source);
            }
            other => panic!("{benchmark}: {other:?}"),
        }
    }
}

#[test]
fn the_released_tombench_has_the_published_counts_and_known_anomalies() {
    let Some(data) = released("tombench") else { return };
    let loaded = load(Benchmark::ToMBench, &data);
    assert_eq!(loaded.problems, []);
    assert_as_expected(Benchmark::ToMBench, &loaded.items);
    assert_eq!(loaded.items.iter().map(|item| &item.id).collect::<HashSet<_>>().len(), 5720);
    let options = |language, count| of(&loaded.items, language).filter(|item| item.options.len() == count).count();
    assert_eq!((options(Language::En, 4), options(Language::En, 2)), (2377, 483));
    assert_eq!((options(Language::Zh, 4), options(Language::Zh, 2)), (2376, 484));
    let gold = |option| of(&loaded.items, Language::En).filter(|item| item.gold.options() == [option]).count();
    assert_eq!([0, 1, 2, 3].map(gold), [768, 967, 619, 506]);
    let labels: HashSet<_> = loaded.items.iter().map(|item| (item.facet("dimension"), item.facet("label"))).collect();
    assert_eq!(labels.len(), 32, "31 abilities, one of them split in two");

    let pairs = |counts: &[(&str, usize)]| counts.iter().map(|(file, count)| (file.to_string(), *count)).collect();
    let labelled = flagged(&loaded.items, Language::En, "labelled-options");
    assert_eq!(labelled, pairs(&[("Strange Story Task", 40)]));
    let expected: BTreeMap<String, usize> = pairs(&[
        ("Unexpected Outcome Test", 109),
        ("Scalar Implicature Test", 57),
        ("Strange Story Task", 9),
        ("Hinting Task Test", 10),
        ("Faux-pas Recognition Test", 4),
        ("Ambiguous Story Task", 1),
        ("Percepts-Knowledge Links", 2),
        ("Discrepant Emotions", 1),
        ("Hidden Emotions", 1),
    ]);
    let mut changed = flagged(&loaded.items, Language::En, "story-text-changes");
    changed.retain(|file, _| file != "Discrepant Intentions");
    assert_eq!(changed, expected);

    let both_angry = find(&loaded.items, "tombench/Unexpected Outcome Test/165/en");
    assert_eq!((both_angry.options[0].as_str(), both_angry.options[2].as_str()), ("Angry", "Angry"));
    assert_eq!(both_angry.gold.options(), [3]);
    let trailing = find(&loaded.items, "tombench/Knowledge-Attention Links/10/en");
    assert_eq!(trailing.gold.options(), [0]);
    assert!(flag_names(trailing).contains(&"answer-spelling"));
    assert!(flag_names(find(&loaded.items, "tombench/Strange Story Task/292/zh")).contains(&"option-count-differs"));
}

#[test]
fn repaired_tombench_labels_leave_out_and_regroup_what_the_card_says() {
    let Some(data) = released("tombench") else { return };
    let published = load(Benchmark::ToMBench, &data);
    let repaired = repaired(Benchmark::ToMBench, &data);
    assert_eq!(of(&repaired.items, Language::En).count(), 2856);
    assert_eq!(of(&repaired.items, Language::Zh).count(), 2860);
    let row = |items: &[Item], row: usize| {
        find(items, &format!("tombench/Faux-pas Recognition Test/{}/zh", row - 1)).story.clone()
    };
    let groups = |items: &[Item]| (457..464).map(|line| row(items, line) == row(items, line + 1)).collect::<Vec<_>>();
    assert_eq!(groups(&published.items), [true, true, true, false, true, true, false]);
    assert_eq!(groups(&repaired.items), [true, true, false, true, true, true, false]);
}

#[test]
fn a_limit_draws_the_same_tombench_questions_in_both_languages() {
    let Some(data) = released("tombench") else { return };
    let drawn = limit_items(load(Benchmark::ToMBench, &data).items, 60, 0, "file");
    assert_eq!(drawn.len(), 120);
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for item in of(&drawn, Language::En) {
        *files.entry(item.facet("file").unwrap()).or_default() += 1;
    }
    assert!(files.len() == 20 && files.values().all(|&count| count == 3), "{files:?}");
}

#[test]
fn small_multi_tom_sets_load_in_every_language_and_variant() {
    let loaded = load(Benchmark::MultiToM, &small());
    assert_eq!(loaded.problems, []);
    let languages = [Language::En, Language::Zh, Language::Ar, Language::Fr, Language::Hi, Language::Bn, Language::Ru];
    let mut expected = BTreeSet::new();
    for language in languages {
        for variant in ["direct", "cultural"] {
            for index in [58, 59, 376] {
                expected.insert(format!("multi-tom/{index}/{language}/{variant}"));
            }
        }
    }
    assert_eq!(loaded.items.iter().map(|item| item.id.clone()).collect::<BTreeSet<_>>(), expected);
    assert_eq!(loaded.items.len(), expected.len());
    for item in &loaded.items {
        let yes_or_no = item.parallel == "multi-tom/376";
        assert_eq!(item.options.len(), if yes_or_no { 2 } else { 4 }, "{}", item.id);
        assert_eq!(item.gold.options(), [usize::from(item.parallel != "multi-tom/58")], "{}", item.id);
        assert_eq!(item.facet("task"), Some(if yes_or_no { "Strange Story Task" } else { "False Belief Task" }));
        assert!(!flag_names(item).contains(&"untranslated"), "{}", item.id);
    }
    assert_eq!(find(&loaded.items, "multi-tom/376/ar/direct").question, "هل ما تقوله روزا صحيح؟");
    assert_eq!(find(&loaded.items, "multi-tom/59/hi/direct").options[1], "नीली टोकरी");
    assert_ne!(
        find(&loaded.items, "multi-tom/58/ru/direct").context,
        find(&loaded.items, "multi-tom/58/ru/cultural").context
    );
}

#[test]
fn multi_tom_variants_and_base_can_be_chosen() {
    let with = |choice: &str, value: &str| {
        let choices = [(choice.to_string(), value.to_string())].into_iter().collect();
        Benchmark::MultiToM.load(&small(), &LoadOptions { choices, ..LoadOptions::default() })
    };
    assert_eq!(with("variant", "cultural").unwrap().items.len(), 21);
    let from_csv = with("base", "csv").unwrap();
    let english = find(&from_csv.items, "multi-tom/58/en/direct");
    let loaded = load(Benchmark::MultiToM, &small());
    assert_eq!(english.options, find(&loaded.items, "multi-tom/58/en/direct").options);
    assert!(!from_csv.items.iter().any(|item| item.id == "multi-tom/58/zh/direct"));
    assert!(matches!(with("variant", "both-ways"), Err(LoadError::UnknownChoice { .. })));
}

#[test]
fn texts_in_the_wrong_script_and_misplaced_rows_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let header = "INDEX,ABILITY,ORIGIN_FILE,DATA_INDEX,STORY,QUESTION,OPTION-A,OPTION-B,OPTION-C,OPTION-D,ANSWER\n";
    let ability = "Belief: Location false beliefs";
    let rows = [
        format!("58,{ability},False Belief Task,1,Still English.,Where?,box,bag,nan,nan,A\n"),
        format!("59,{ability},Hidden Emotions,2,Still English.,Where?,box,bag,nan,nan,A\n"),
        format!("502,{ability},False Belief Task,3,Still English.,Where?,box,bag,nan,nan,A\n"),
        "60,,,,Still English.,Where?,box,bag,nan,nan,\n".to_string(),
    ];
    fs::write(folder.path().join("hindi_data_destructured.csv"), header.to_string() + &rows.concat()).unwrap();
    let loaded = load(Benchmark::MultiToM, folder.path());
    assert_eq!(loaded.items.len(), 1);
    assert!(flag_names(&loaded.items[0]).contains(&"untranslated"));
    let fields: Vec<_> = loaded.problems.iter().map(|problem| (problem.row, problem.field.as_deref())).collect();
    assert_eq!(fields, [(Some(3), Some("ORIGIN_FILE")), (Some(4), Some("INDEX")), (Some(5), Some("ABILITY"))]);
}

#[test]
fn the_released_multi_tom_base_has_the_published_counts_in_both_forms() {
    let Some(data) = released("multi-tom") else { return };
    let loaded = load(Benchmark::MultiToM, &data);
    assert_eq!(loaded.problems, []);
    assert_as_expected(Benchmark::MultiToM, &loaded.items);
    let mut stories: BTreeMap<&str, HashSet<&str>> = BTreeMap::new();
    for item in of(&loaded.items, Language::En) {
        stories.entry(item.facet("task").unwrap_or("-")).or_default().insert(&item.story);
    }
    let tasks: Vec<usize> = stories.iter().filter(|(task, _)| **task != "-").map(|(_, set)| set.len()).collect();
    assert_eq!(tasks, [18, 18, 25, 17, 18, 18, 36, 18], "by task in alphabetical order");

    let choices = [("base".to_string(), "csv".to_string())].into_iter().collect();
    let from_csv = Benchmark::MultiToM.load(&data, &LoadOptions { choices, ..LoadOptions::default() }).unwrap();
    assert_eq!(from_csv.problems, []);
    let plain = |item: &Item| {
        (item.id.clone(), item.context.clone(), item.question.clone(), item.options.clone(), item.gold.clone())
    };
    let json: Vec<_> = of(&loaded.items, Language::En).map(plain).collect();
    assert_eq!(json, from_csv.items.iter().map(plain).collect::<Vec<_>>());
}
