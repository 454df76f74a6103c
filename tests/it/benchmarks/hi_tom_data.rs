//! Hi-ToM's loader and label audit on the released file, where it is there.

use std::collections::{BTreeMap, BTreeSet};

use tomeval::Layout;
use tomeval::internal::LabelSet;
use tomeval::internal::{ClaimRule, StoryRules, Wording};
use tomeval::internal::{Prompting, audit_hi_tom};
use tomeval::{Answer, Benchmark, Item, LoadOptions, OptionIx};

use crate::support::context::{Run, TestContext};
use crate::support::released::released;

fn load(labels: LabelSet, prompting: &str) -> Option<Vec<Item>> {
    let mut options = LoadOptions { labels, ..LoadOptions::default() };
    options.choices.insert("prompting".to_string(), prompting.to_string());
    let loaded = Benchmark::HiToM.load(&released("hi-tom")?, &options).unwrap();
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    Some(loaded.items)
}

fn count(items: &[Item], is: impl Fn(&Item) -> bool) -> usize {
    items.iter().filter(|item| is(item)).count()
}

fn flagged(items: &[Item], name: &str) -> usize {
    count(items, |item| item.flags.iter().any(|flag| flag.name == name))
}

#[test]
fn every_cell_holds_twenty_questions_of_fifteen_choices() {
    let Some(items) = load(LabelSet::Published, "both") else { return };
    assert_eq!(items.len(), 1200);
    assert_eq!(items.iter().map(|item| &item.id).collect::<BTreeSet<_>>().len(), 1200);
    let mut cells: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for item in &items {
        *cells.entry((item.facet("prompting").unwrap(), item.facet("cell").unwrap())).or_default() += 1;
        assert_eq!(item.options.len(), 15);
        assert!(item.context[0].text.lines().all(|line| line.starts_with(|letter: char| letter.is_ascii_digit())));
    }
    assert_eq!(cells.len(), 60);
    assert!(cells.values().all(|&questions| questions == 20));
}

#[test]
fn stories_have_five_orders_and_twins_share_only_the_question() {
    let Some(items) = load(LabelSet::Published, "both") else { return };
    let mut stories: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut questions: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
    for item in &items {
        stories.entry(&item.story).or_default().push(item.facet("order").unwrap());
        questions.entry(&item.parallel).or_default().push(item);
    }
    assert_eq!(stories.len(), 240);
    assert!(stories.values().all(|orders| orders[..] == ["0", "1", "2", "3", "4"]));
    assert_eq!(questions.len(), 600);
    for twins in questions.values() {
        assert_eq!(twins.len(), 2);
        assert_ne!(twins[0].story, twins[1].story);
        assert_eq!(twins[0].options, twins[1].options);
        assert_ne!(twins[0].facet("prompting"), twins[1].facet("prompting"));
    }
}

#[test]
fn the_known_anomalies_are_flagged() {
    let Some(items) = load(LabelSet::Published, "both") else { return };
    assert_eq!(flagged(&items, "instruction-in-story"), 600);
    assert_eq!(flagged(&items, "twin-labels-differ"), 276);
    assert_eq!(flagged(&items, "label-against-rules"), 17 + 130);
    assert_eq!(flagged(&items, "claims-elsewhere"), 15 * 5 * 2);
    for unknown in ["unread-story", "unread-question", "order-differs", "duplicate-options", "unnumbered-line"] {
        assert_eq!(flagged(&items, unknown), 0, "{unknown}");
    }
    let marked = items.iter().filter(|item| item.flags.iter().any(|flag| flag.name == "marks-in-story"));
    let marked: Vec<&str> = marked.map(|item| item.id.as_str()).collect();
    assert_eq!(marked, ["hi-tom/42", "hi-tom/60", "hi-tom/61", "hi-tom/62", "hi-tom/80", "hi-tom/81"]);
}

#[test]
fn claims_and_positions_are_as_in_the_file() {
    let Some(items) = load(LabelSet::Published, "cotp") else { return };
    let stories: Vec<Item> = items.iter().filter(|item| item.facet("order") == Some("0")).cloned().collect();
    for (claims, expected) in [("0", 60), ("2", 40), ("4", 20)] {
        assert_eq!(count(&stories, |item| item.facet("claims") == Some(claims)), expected);
    }
    let named: usize = stories.iter().map(|item| item.facet("containers").unwrap().parse::<usize>().unwrap()).sum();
    assert_eq!(named, 684, "5.7 containers per story");
    let on_l = count(&items, |item| item.facet("gold-letter") == Some("L"));
    assert_eq!(on_l, 93);
    let first = count(&items, |item| item.facet("first-container") == Some("yes"));
    assert_eq!(first, count(&items, |item| item.facet("gold-place") == Some("1")));
    for (order, same) in [("2", 58), ("3", 46), ("4", 41)] {
        let repeats =
            |item: &Item| item.facet("order") == Some(order) && item.facet("gold-is-first-order") == Some("yes");
        assert_eq!(count(&items, repeats), same);
    }
    assert_eq!(
        count(&items, |item| item.facet("order") == Some("1") && item.facet("gold-is-first-order").is_some()),
        0
    );
}

#[test]
fn a_perfect_reasoner_is_right_on_583_and_on_470_and_on_all_repaired_answers() {
    let reasoned = |item: &Item| {
        let story = Wording::English.story(&item.context[0].text).unwrap();
        let question = Wording::English.question(&item.question).unwrap();
        let answer = story.answer(&question, StoryRules::default()).unwrap();
        Answer::Single(OptionIx(item.options.iter().position(|option| option == answer).unwrap()))
    };
    let right =
        |labels, prompting| load(labels, prompting).map(|items| count(&items, |item| reasoned(item) == item.gold));
    if released("hi-tom").is_some() {
        assert_eq!(right(LabelSet::Published, "cotp"), Some(583));
        assert_eq!(right(LabelSet::Published, "vp"), Some(470));
        assert_eq!(right(LabelSet::Repaired, "both"), Some(1200));
    }
}

#[test]
fn the_audit_finds_the_known_counts() {
    let Some(folder) = released("hi-tom") else { return };
    let audit = audit_hi_tom(&folder, ClaimRule::Published).unwrap();
    let styles: Vec<_> = audit.styles.iter().map(|style| (style.prompting, style.by_rules, style.rows)).collect();
    assert_eq!(styles, [(Prompting::CoTP, 583, 600), (Prompting::Vp, 470, 600)]);
    assert_eq!(audit.styles[1].by_vanilla_rule, 600);
    assert_eq!(audit.twins.len(), 138);
    let by_order = [0, 1, 2, 3, 4].map(|order| audit.twins.iter().filter(|twins| twins.order == order).count());
    assert_eq!(by_order, [0, 0, 35, 48, 55]);
    assert_eq!(audit.disagreements.len(), 17 + 130);
    assert!(audit.unread.is_empty() && audit.problems.is_empty());
}

#[test]
fn an_unknown_choice_and_an_absent_folder_are_named() {
    let mut options = LoadOptions::default();
    options.choices.insert("prompting".to_string(), "few-shot".to_string());
    let error = Benchmark::HiToM.load("nowhere".as_ref(), &options).unwrap_err().to_string();
    assert!(error.contains("few-shot") && error.contains("vp, cotp or both"), "{error}");
    let error = Benchmark::HiToM.load("nowhere".as_ref(), &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("nowhere") && error.contains("github.com/ying-hui-he"), "{error}");
}

#[test]
fn the_audit_command_prints_the_counts_and_all_differing_twins() {
    let context = TestContext::new();
    let Some(folder) = released("hi-tom") else { return };
    let run = |arguments: &[&str]| {
        let mut command = context.command(&["data", "audit", "--data"]);
        command.arg(&folder).args(arguments).run().code(0).stdout
    };
    let text = run(&["--benchmark", "hi-tom"]);
    for expected in ["583 of 600", "470 of 600", "from the rules: 147", "as CoTP and as VP: 138"] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    let json: serde_json::Value = serde_json::from_str(&run(&["--json"])).unwrap();
    let counts: Vec<_> = (0..2).map(|style| json["styles"][style]["by_rules"].as_u64()).collect();
    assert_eq!(counts, [Some(583), Some(470)]);
    assert_eq!(json["twins"].as_array().unwrap().len(), 138);
}

#[test]
fn the_tables_of_the_card_name_facets_of_the_items() {
    let card = Benchmark::HiToM.card_text();
    assert_eq!(Layout::parse(card).unwrap().tables.len(), 9);
    let Some(items) = load(LabelSet::Published, "both") else { return };
    let card: toml::Table = card.parse().unwrap();
    let mut named = BTreeSet::new();
    for table in card["tables"].as_array().unwrap() {
        let rows = table.get("rows").and_then(|rows| rows.as_array()).into_iter().flatten();
        named.extend(rows.map(|row| row.as_str().unwrap().to_string()));
        let columns = table["columns"].as_array().unwrap().iter().filter_map(|column| column.get("where"));
        for filter in columns.chain(table.get("where")) {
            named.extend(filter.as_table().unwrap().keys().cloned());
        }
    }
    for facet in named {
        assert!(items.iter().any(|item| item.facet(&facet).is_some()), "no item has `{facet}`");
    }
}

#[test]
fn the_file_holds_what_the_card_counts() {
    let context = TestContext::new();
    let Some(folder) = released("hi-tom") else { return };
    let mut command = context.command(&["data", "check", "--benchmark", "hi-tom", "--data"]);
    command.arg(folder).run().code(0);
}
