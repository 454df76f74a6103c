//! Benchmarks that cards describe: the examples of `docs/cards.md`, what is wrong with rows and cards, and the released
//! sets with their counts and shortcuts where their files are there.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::context::{Run, TestContext};
use crate::support::released::{absent, count_by, counts, data, find, flag_names};
use tomeval::internal::{LabelSet, LoadError, Loaded, compare_counts};
use tomeval::{Benchmark, Item, Language, LoadOptions};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn examples() -> PathBuf {
    Path::new(ROOT).join("tests/data/cards")
}

fn items(folder: &Path, card: &Path) -> (Vec<Value>, String, i32) {
    let output = TestContext::new().command(&["data", "items", "--data"]).arg(folder).arg("--card").arg(card).run();
    let items = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (items, output.stderr.clone(), output.status.code().unwrap())
}

/// Files and a card in a folder of their own, and what becomes of them.
fn read(files: &[(&str, &str)], card: &str) -> (Vec<Value>, String, i32) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let path = folder.path().join("card.toml");
    fs::write(&path, card).unwrap();
    items(folder.path(), &path)
}

#[test]
fn the_cards_of_the_page_are_those_of_the_examples_and_find_what_they_expect() {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/cards.md")).unwrap();
    for name in ["pairs", "joined", "knowledge"] {
        let folder = examples().join(name);
        let card = fs::read_to_string(folder.join("card.toml")).unwrap();
        assert!(page.contains(&format!("```toml\n{card}```")), "{name}: the page shows another card");
        let command =
            format!("tomeval data check --data tests/data/cards/{name} --card tests/data/cards/{name}/card.toml");
        assert!(page.contains(&command), "{name}");
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        let output = TestContext::new().command(&words).current_dir(ROOT).run().success();
        assert!(output.stdout.contains("as published") && !output.stdout.contains("DIFFERS"), "{}", output.stdout);
    }
}

#[test]
fn a_row_becomes_several_items_that_count_together() {
    let folder = examples().join("pairs");
    let (items, _, code) = items(&folder, &folder.join("card.toml"));
    let ids: Vec<&str> = items.iter().map(|item| item["id"].as_str().unwrap()).collect();
    let expected = ["1/en/feeling", "1/en/cause", "1/zh/feeling", "1/zh/cause"].map(|id| format!("custom/{id}"));
    assert_eq!((&ids[..4], ids.len(), code), (&expected.each_ref().map(String::as_str)[..], 8, 0));
    let (first, cause, zh) = (&items[0], &items[1], &items[2]);
    assert_eq!((&first["question"], &first["gold"]), (&json!("What does Bram feel?"), &json!([1])));
    assert_eq!((&first["story"], &first["facets"]["question_set"]), (&cause["story"], &json!("1")));
    assert_eq!((&first["parallel"], &zh["parallel"]), (&json!("custom/1/feeling"), &json!("custom/1/feeling")));
    assert_ne!(first["story"], zh["story"]);
}

#[test]
fn joined_rows_and_lists_of_names_are_read() {
    let folder = examples().join("joined");
    let (joined, ..) = items(&folder, &folder.join("card.toml"));
    let second = joined.iter().find(|item| item["id"] == "custom/t1/places_second/0").unwrap();
    assert_eq!((&second["options"], &second["gold"]), (&json!(["the cellar", "the attic"]), &json!([0])));
    assert_eq!((&second["facets"]["seen"], &second["facets"]["order"]), (&json!("false"), &json!("2")));
    let folder = examples().join("knowledge");
    let (known, ..) = items(&folder, &folder.join("card.toml"));
    let list = known.iter().find(|item| item["id"] == "custom/k2/list").unwrap();
    assert_eq!((&list["options"], &list["gold"]), (&json!(["Dirk", "Els", "Fem"]), &json!([0, 1])));
    assert_eq!(list["context"][1], json!({"kind": "target", "text": "Information: Dirk broke the vase"}));
    let belief = known.iter().find(|item| item["id"] == "custom/k1/belief/0").unwrap();
    let right = belief["gold"][0].as_u64().unwrap() as usize;
    assert_eq!((&belief["options"][right], belief["options"].as_array().unwrap().len()), (&json!("It is fine."), 3));
}

const CARD: &str = "[rows]\nfiles = 'rows.jsonl'\nid = '{id}'\nquestion = '{q}'\noptions = '{o}'\nanswer = '{a}'\n";

#[test]
fn rows_that_do_not_fit_are_named_and_the_others_are_kept() {
    let rows = r#"{"id": 1, "q": "Who?", "o": ["x", "y"], "a": "B"}
{"id": 2, "q": " ", "o": ["x", "y"], "a": "B"}
{"id": 3, "q": "Who?", "o": ["x"], "a": "A"}
{"id": 4, "q": "Who?", "o": "['x', \"y's\"]", "a": "y's"}
{"id": 5, "q": "Who?", "o": ["x", "y"], "a": "C"}
{"id": 6, "q": "Who?", "o": ["x", "y"], "a": 1}
{"id": 7, "q": {"text": "Who?"}, "o": ["x", "y"], "a": "A"}
{"id": 1, "q": "Who?", "o": ["x", "y"], "a": "B"}
{"id": 8,
"#;
    let (items, said, code) = read(&[("rows.jsonl", rows)], CARD);
    let ids: Vec<&str> = items.iter().map(|item| item["id"].as_str().unwrap()).collect();
    assert_eq!((&ids[..], code), (&["custom/1", "custom/4"][..], 1));
    assert_eq!(items[1]["options"], json!(["x", "y's"]));
    for problem in [
        "line 2, q: question: missing or empty",
        "line 3, options: 1 option; from 2 to 26 are needed",
        "line 5, answer: `C` is neither",
        "line 6, answer: a number; the card says by `gold-base = 0` or `1`",
        "line 7, q: question: a list or an object where a text is needed",
        "line 8, id: the id `custom/1` is already used",
        "line 9: not JSON",
    ] {
        assert!(said.contains(problem), "{problem}\n{said}");
    }
}

#[test]
fn entries_and_joins_that_do_not_fit_are_named() {
    let rows = r#"{"id": "a", "on": "s1", "list": [{"q": "Who?", "a": "yes"}, {"q": "Who?", "a": "maybe"}]}
{"id": "b", "on": "gone", "list": [{"q": "Who?", "a": "no"}]}
{"id": "c", "on": "s1", "list": 3}
{"id": "d", "on": "s1"}
"#;
    let card = "[rows]\nfiles = 'rows.jsonl'\neach = 'list'\nid = '{row.id}{n}'\ncontext.story = '{story.text}'\n\
        question = '{q}'\noptions = ['yes', 'no']\nanswer = '{a}'\n\
        join.story = { file = 'stories.csv', key = '{name}', on = '{on}' }\n";
    let stories = "name,text\ns1,Rain.\ns1,Snow.\n";
    let (items, said, code) = read(&[("rows.jsonl", rows), ("stories.csv", stories)], card);
    assert_eq!((items.len(), code), (1, 1), "{said}");
    assert_eq!(items[0]["context"][0]["text"], "Rain.");
    for problem in [
        "line 1, answer: `maybe` is neither a letter from A to B nor the text of an option nor a number (entry 2 of list)",
        "line 2, story.text: story: missing or empty",
        "line 3, list: not a list",
        "stories.csv, line 3: the key `s1` stands twice",
    ] {
        assert!(said.contains(problem), "{problem}\n{said}");
    }
}

#[test]
fn slips_of_a_card_are_named() {
    let rows = "{\"id\": 1, \"q\": \"Who?\", \"o\": [\"x\", \"y\"], \"a\": \"B\", \"lang\": \"en\"}\n";
    let said = |keys: &str| {
        let (_, said, code) = read(&[("rows.jsonl", rows)], &format!("{CARD}{keys}"));
        (said, code)
    };
    for (keys, expected, code) in [
        ("facets.level = '{levl}'\n", "rows.jsonl, level: no row has this facet of the card", 1),
        ("when = [{ of = '{lang}', is = 'fr' }]\n", "the card asks a question that no row has", 1),
        ("optoins = '{o}'\n", "unknown key `optoins`", 2),
        ("context.story = '{x'\n", "unmatched `{`", 2),
        ("right = '{a}'\n", "either `options` with `answer`, or `right` with `wrong`", 2),
        ("language = 'xx'\n", "unknown language `xx`", 1),
        ("choices.part = []\n", "choices: `part` has no value", 2),
    ] {
        let (said, found) = said(keys);
        assert!(said.contains(expected) && found == code, "{keys}: {found}\n{said}");
    }
    let two = "{\"id\": 1, \"q\": \"Who?\", \"o\": [\"x\", \"y\"], \"a\": \"B\", \"lang\": \"en\"}\n\
        {\"id\": 2, \"q\": \"Qui?\", \"o\": [\"x\", \"y\"], \"a\": \"B\", \"lang\": \"fr\"}\n";
    let (_, said, code) = read(&[("rows.jsonl", two)], &format!("{CARD}language = '{{lang}}'\nstory-id = 's'\n"));
    assert!(said.contains("has questions in two languages; put the language into `story-id`"), "{said}");
    assert_eq!(code, 1);
    let (_, said, code) = read(&[], CARD);
    assert!(said.contains("rows.jsonl does not exist") && code == 2, "{said}");
}

#[test]
fn a_card_of_your_own_repairs_items_and_its_canary_stands_in_each() {
    let rows = r#"{"id": 1, "q": "Who?", "o": ["x", "y"], "a": "A"}
{"id": 2, "q": "Who?", "o": ["x", "y"], "a": "A"}
{"id": 3, "q": "Who?", "o": ["x", "y"], "a": "A"}
"#;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rows.jsonl"), rows).unwrap();
    let repairs = "\n[[rows.repairs]]\nname = 'other-answer'\ndetail = 'y did it'\nwhen = [{ of = '{id}', is = 2 }]\nanswer = 'y'\n\
        \n[[rows.repairs]]\nname = 'unanswerable'\ndetail = 'nobody did'\nwhen = [{ of = '{id}', is = 3 }]\n";
    let card = folder.path().join("card.toml");
    fs::write(&card, format!("canary = 'canary GUID 0'\n{CARD}{repairs}")).unwrap();
    let read = |labels: &str| {
        let output = TestContext::new()
            .command(&["data", "items", "--labels", labels, "--data"])
            .arg(folder.path())
            .arg("--card")
            .arg(&card)
            .run()
            .success();
        output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    };
    let (published, repaired) = (read("published"), read("repaired"));
    let golds = |items: &[Value]| items.iter().map(|item| item["gold"][0].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!((golds(&published), golds(&repaired)), (vec![0, 0, 0], vec![0, 1]));
    let flags = |item: &Value| item["flags"][0]["name"].clone();
    assert_eq!((flags(&published[1]), flags(&published[2])), (json!("other-answer"), json!("unanswerable")));
    assert_eq!((flags(&repaired[1]), &published[0]["flags"]), (json!("other-answer"), &json!([])));
    assert!(published.iter().chain(&repaired).all(|item| item["fields"]["canary"] == "canary GUID 0"));
    let apart = "[rows]\nfiles = 'rows.jsonl'\nid = '{id}'\nquestion = '{q}'\nright = 'x'\nwrong = 'y'\n";
    let (_, said, code) = self::read(&[("rows.jsonl", rows)], &format!("{apart}{repairs}"));
    assert!(said.contains("repairs: an `answer` needs `options`") && code == 2, "{said}");
}

#[test]
fn a_card_of_your_own_offers_choices() {
    let rows = r#"{"id": 1, "text": {"short": "Rain.", "long": "Rain all day."}, "seen": [{"Bo entered": ["Bo"]}, {"Bo left": ["Al"]}]}"#;
    let card = "[rows]\nfiles = 'rows.jsonl'\noptions = ['yes', 'no']\ncontext.story = { of = '{choice.part}', \
        map = { short = '{row.text.short}', long = '{row.text.long}' } }\nchoices.part = ['short', 'long']\n\
        choices.ask = ['plain', 'seen']\n\n[[rows.item]]\nid = '{id}'\nquestion = 'Does it rain?'\nanswer = 'yes'\n\n\
        [[rows.item]]\neach = 'seen'\nid = '{row.id}/{n}'\nwhen = [{ of = '{choice.ask}', is = 'seen' }]\n\
        question = 'Does Bo see that {key}?'\nanswer = { of = 'Bo', among = '{value}', map = { true = 'yes', false = 'no' } }\n";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rows.jsonl"), rows).unwrap();
    fs::write(folder.path().join("card.toml"), card).unwrap();
    let context = TestContext::new();
    let chosen = |choices: &[&str]| {
        let mut command = context.command(&["data", "items", "--data"]);
        command.arg(folder.path()).arg("--card").arg(folder.path().join("card.toml"));
        choices.iter().fold(&mut command, |command, choice| command.args(["--choose", choice])).run()
    };
    let plain = chosen(&[]).success().stdout;
    assert!(plain.lines().count() == 1 && plain.contains("\"Rain.\""), "{plain}");
    let all = chosen(&["part=long", "ask=seen"]).success().stdout;
    let golds: Vec<Value> =
        all.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["gold"][0].clone()).collect();
    assert!(golds == [0, 0, 1] && all.contains("Does Bo see that Bo left?") && !all.contains("\"Rain.\""), "{all}");
    let unknown = chosen(&["part=whole"]);
    assert!(unknown.stderr.contains("unknown part `whole`; use short, long"), "{}", unknown.stderr);
    assert!(chosen(&["prat=long"]).stderr.contains("custom has language, part, ask"));
}

fn load(benchmark: Benchmark, labels: LabelSet) -> Option<Loaded> {
    match benchmark.load(&data(), &LoadOptions { labels, ..LoadOptions::default() }) {
        Ok(loaded) => Some(loaded),
        Err(LoadError::Absent { .. }) => {
            absent(benchmark.name());
            None
        }
        Err(error) => panic!("{benchmark}: {error}"),
    }
}

/// The items of a released set, whose rows are all read and whose counts are those of its card.
fn released(benchmark: Benchmark) -> Option<Vec<Item>> {
    let loaded = load(benchmark, LabelSet::Published)?;
    assert_eq!(loaded.problems, [], "{benchmark}");
    let found = compare_counts(&benchmark.card().expected, &loaded.items).unwrap();
    let differing: Vec<_> = found.iter().filter(|count| count.found != count.expected).collect();
    assert!(!found.is_empty() && differing.is_empty(), "{benchmark}: {differing:?}");
    Some(loaded.items)
}

/// The percentage of these items that always this option gets.
fn constant<'a>(items: impl Iterator<Item = &'a Item>, option: usize) -> f64 {
    let right: Vec<bool> = items.map(|item| item.gold.options() == [option]).collect();
    percent(right.iter().filter(|right| **right).count() as f64, right.len())
}

/// The percentage of these items that the longest option gets; several equally long ones share.
fn longest<'a>(items: impl Iterator<Item = &'a Item>) -> f64 {
    let share = |item: &Item| {
        let lengths: Vec<usize> = item.options.iter().map(|option| option.chars().count()).collect();
        let most = lengths.iter().max().unwrap();
        let tied = lengths.iter().filter(|length| *length == most).count();
        if lengths[item.gold.options()[0]] == *most { 1.0 / tied as f64 } else { 0.0 }
    };
    let shares: Vec<f64> = items.map(share).collect();
    percent(shares.iter().sum(), shares.len())
}

fn percent(of: f64, all: usize) -> f64 {
    (1000.0 * of / all as f64).round() / 10.0
}

fn with<'a>(items: &'a [Item], facets: &'a [(&'a str, &'a str)]) -> impl Iterator<Item = &'a Item> {
    items.iter().filter(|item| facets.iter().all(|(name, value)| item.grouped_by(name).as_deref() == Some(*value)))
}

#[test]
fn the_released_sets_have_their_counts() {
    for benchmark in [Benchmark::Ullman, Benchmark::Kosinski, Benchmark::DodellFeder] {
        released(benchmark);
    }
    if let Some(items) = released(Benchmark::Ullman) {
        let item = find(&items, "ullman/2");
        assert_eq!((item.options[item.gold.options()[0]].as_str(), item.options.len()), ("she has no guess", 3));
    }
}

#[test]
fn tomato_has_its_counts_and_shortcuts() {
    let Some(items) = released(Benchmark::ToMato) else { return };
    assert_eq!((constant(items.iter(), 3), longest(items.iter())), (25.7, 24.6));
    assert!(items.iter().all(|item| item.options.len() == 4 && item.flags.is_empty()));
}

#[test]
fn persuasivetom_has_its_counts_and_shortcuts() {
    let Some(items) = released(Benchmark::PersuasiveToM) else { return };
    for (task, option, always, length) in [
        ("judge_qa", 1, 50.0, 50.0),
        ("behavior_qa", 3, 25.9, 23.6),
        ("desire_ee", 0, 50.8, 19.1),
        ("intent_ee", 1, 26.5, 41.8),
    ] {
        let facets = [("task", task)];
        let found = (constant(with(&items, &facets), option), longest(with(&items, &facets)));
        assert_eq!(found, (always, length), "{task}");
    }
    for (polarity, option) in [("negated", 1), ("plain", 0)] {
        assert_eq!(constant(with(&items, &[("polarity", polarity)]), option), 100.0, "{polarity}");
    }
}

#[test]
fn emobench_has_its_counts_and_shortcuts() {
    let Some(items) = released(Benchmark::EmoBench) else { return };
    for (language, part, option, always) in [
        ("en", "choice", 2, 37.0),
        ("zh", "choice", 2, 37.0),
        ("en", "emotion", 0, 36.0),
        ("zh", "emotion", 0, 34.5),
        ("en", "cause", 1, 27.5),
        ("zh", "cause", 0, 66.0),
    ] {
        let facets = [("language", language), ("part", part)];
        assert_eq!(constant(with(&items, &facets), option), always, "{language} {part}");
    }
    let stories = |language: Language| {
        let of_eu = items.iter().filter(|item| item.language == language && item.facet("task") == Some("EU"));
        of_eu.map(|item| &item.story).collect::<std::collections::HashSet<_>>().len()
    };
    assert_eq!((stories(Language::En), stories(Language::Zh)), (140, 137));
}

#[test]
fn opentom_has_its_counts_and_shortcuts() {
    let Some(items) = released(Benchmark::OpenToM) else { return };
    for (facets, option, always) in [
        (&[("kind", "attitude")][..], 0, 35.4),
        (&[("kind", "location-coarse"), ("order", "1")], 1, 71.2),
        (&[("kind", "location-coarse"), ("order", "2")], 0, 61.6),
        (&[("kind", "location-fine"), ("asked", "narrator")], 1, 50.0),
        (&[("kind", "location-fine"), ("order", "2")], 0, 61.6),
        (&[("kind", "fullness"), ("order", "1")], 2, 37.8),
        (&[("kind", "fullness"), ("order", "2")], 1, 58.0),
        (&[("kind", "accessibility"), ("order", "1")], 0, 37.1),
        (&[("kind", "accessibility"), ("order", "2")], 0, 40.8),
    ] {
        assert_eq!(constant(with(&items, facets), option), always, "{facets:?}");
    }
    let item = find(&items, "opentom/71136438/location_fg_fo_new/0");
    assert_eq!((item.gold.options()[0], &flag_names(item)[..]), (1, &["gold-is-no-place"][..]));
}

#[test]
fn tactfultom_has_its_counts_and_shortcuts() {
    let Some(items) = released(Benchmark::TactfulToM) else { return };
    for (dimension, option, always) in
        [("answerability", 0, 66.7), ("lie-detection", 0, 66.7), ("info-access", 1, 58.5)]
    {
        let facets = [("dimension", dimension), ("form", "binary")];
        assert_eq!(constant(with(&items, &facets), option), always, "{dimension}");
    }
    for (dimension, length) in [("justification", 55.0), ("belief", 14.8), ("comprehension", 0.0), ("lie-ability", 0.0)]
    {
        assert_eq!(longest(with(&items, &[("dimension", dimension)])), length, "{dimension}");
    }
    assert_eq!(longest(with(&items, &[("form", "choice")])), 14.7);
    let kinds = count_by(&items, |item| item.gold.kind().to_string());
    assert_eq!(kinds, counts([("labels", 422), ("single", 3832)]));
}

#[test]
fn adv_csfb_has_its_counts_and_shortcuts() {
    let Some(items) = released(Benchmark::AdvCsfb) else { return };
    let contents = [("file", "unexpected_contents")];
    let transfer = [("file", "unexpected_transfer")];
    assert_eq!((constant(with(&items, &contents), 0), longest(with(&items, &contents))), (87.9, 45.5));
    assert_eq!((constant(with(&items, &transfer), 1), longest(with(&items, &transfer))), (81.7, 54.1));
    let sets: std::collections::HashSet<_> =
        items.iter().map(|item| (&item.story, item.facet("question_set"))).collect();
    assert_eq!(sets.len(), 183);
    let item = find(&items, "adv-csfb/unexpected_contents/2/fb/q1");
    assert!(item.question.starts_with("Complete the sentence: She opens the "), "{}", item.question);
    assert!(items.iter().all(|item| !item.story_text().contains("[o") && !item.story_text().contains("[ctr]")));
}

#[test]
fn bigtom_has_its_counts_and_shortcuts_and_its_percepts_are_repaired() {
    let Some(items) = released(Benchmark::BigToM) else { return };
    assert_eq!((constant(items.iter(), 1), longest(items.iter())), (72.0, 48.8));
    let prompts: std::collections::HashSet<_> =
        items.iter().map(|item| (item.story_text(), &item.question, &item.options)).collect();
    assert_eq!(prompts.len(), 4600);
    let repaired = load(Benchmark::BigToM, LabelSet::Repaired).unwrap().items;
    let percepts = [("variable", "percept_to_belief")];
    let golds =
        count_by(&with(&repaired, &percepts).cloned().collect::<Vec<_>>(), |item| item.gold.options()[0].to_string());
    assert_eq!((golds, repaired.len()), (counts([("0", 2), ("1", 197)]), 4999));
    assert_eq!(constant(repaired.iter(), 1), 76.0);
}

#[test]
fn percept_tomi_has_its_counts_and_shortcuts() {
    let Some(items) = released(Benchmark::PerceptToMi) else { return };
    assert_eq!((constant(items.iter(), 2), longest(items.iter())), (26.2, 24.5));
    assert_eq!(items.iter().filter(|item| item.options.len() == 2).count(), 1);
    let choices = [("questions".to_string(), "all".to_string())].into_iter().collect();
    let all = Benchmark::PerceptToMi.load(&data(), &LoadOptions { choices, ..LoadOptions::default() }).unwrap();
    let percepts = [("link", "percept")];
    let seen = |kind: &str| with(&all.items, &percepts).filter(|item| item.facet("kind") == Some(kind)).count();
    assert_eq!((all.problems.len(), seen("true belief"), seen("false belief")), (0, 450, 450));
    // In questions of a true belief everybody named perceives the move, in those of a false one somebody does not.
    let all_see = |item: &&Item| item.facet("kind") == Some("true belief");
    assert!(with(&all.items, &percepts).filter(all_see).all(|item| item.gold.options() == [0]));
    let unseen = with(&all.items, &percepts).filter(|item| item.gold.options() == [1]).count();
    assert_eq!(unseen, 298);
}

#[test]
fn simpletom_is_read_by_its_schema() {
    let folder = tempfile::tempdir().unwrap();
    let row = |question: &str, answer: &str| {
        json!({"id": "h1", "story": "The tin of biscuits holds buttons. Ono opens the cupboard.", "question": question,
               "scenario_name": "closed boxes", "choices": {"text": ["Yes", "No"], "label": ["A", "B"]}, "answerKey": answer})
        .to_string()
    };
    for (part, question, answer) in [
        ("mental-state-qa", "Is Ono aware of it?", "B"),
        ("behavior-qa", "Will Ono offer biscuits?", "A"),
        ("judgment-qa", "Is it reasonable that Ono offers biscuits?", "A"),
    ] {
        let part = folder.path().join("simpletom").join(part);
        fs::create_dir_all(&part).unwrap();
        fs::write(part.join("test.jsonl"), row(question, answer)).unwrap();
    }
    let loaded = Benchmark::SimpleToM.load(folder.path(), &LoadOptions::default()).unwrap();
    assert_eq!(loaded.problems, []);
    let ids: Vec<(&str, &str)> = loaded.items.iter().map(|item| (item.id.as_str(), item.story.as_str())).collect();
    let story = "simpletom/s0/en";
    let expected = ["mental-state", "behaviour", "judgement"].map(|kind| format!("simpletom/{kind}/h1"));
    assert_eq!(ids, expected.each_ref().map(|id| (id.as_str(), story)));
}
