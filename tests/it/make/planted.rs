//! Planted faults: clean pairs are changed in one way each, and the right check must name it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::stories::{Story, stories, write};
use crate::support::context::{Run, TestContext};
use crate::support::released::released;

/// Faults of each kind.
const EACH: usize = 20;

/// The findings of `tomeval make check --all` in a file with both languages: item, check.
fn findings(context: &TestContext, stories: &[Story], name: &str) -> Vec<(String, String)> {
    let [en, zh] = ["en", "zh"].map(|language| {
        let file = write(context, &format!("{name}-{language}.jsonl"), stories, language);
        std::fs::read_to_string(context.path(file)).unwrap()
    });
    context.write(format!("{name}.jsonl"), en + &zh);
    let output = context.run(&["make", "check", "--data", &format!("{name}.jsonl"), "--to", "zh", "--json"]);
    let found = output.json_lines();
    let text = |value: &Value| value.as_str().unwrap().to_string();
    found.iter().map(|line| (text(&line["item"]), text(&line["check"]))).collect()
}

/// Changes a story in some way; `None` where it cannot be.
type Fault = fn(&mut Story) -> Option<()>;

/// Replaces the first of these stretches that stands in the text.
fn change(text: &mut String, pairs: &[(&str, &str)]) -> Option<()> {
    let (old, new) = pairs.iter().find(|(old, _)| text.contains(old))?;
    *text = text.replace(old, new);
    Some(())
}

const NAMES: [(&str, &str); 8] = [
    ("娜拉", "莉娜"),
    ("皮特", "卡尔"),
    ("奥马尔", "皮特"),
    ("莉娜", "蒂尔达"),
    ("蒂尔达", "伊内丝"),
    ("伊内丝", "娜拉"),
    ("卡尔", "奥马尔"),
    ("朋友", "卡尔"),
];

const NUMBERS: [(&str, &str); 12] = [
    ("3个柠檬", "5个柠檬"),
    ("7颗", "9颗"),
    ("2个星期", "3个星期"),
    ("12个包裹", "22个包裹"),
    ("20个孩子", "30个孩子"),
    ("8个面包", "6个面包"),
    ("6个月", "9个月"),
    ("5岁", "7岁"),
    ("15位", "50位"),
    ("9天", "19天"),
    ("4岁", "14岁"),
    ("三个", "四个"),
];

const NEGATIONS: [(&str, &str); 8] = [
    ("不知道", "知道"),
    ("不记得", "记得"),
    ("没有人", "有人"),
    ("不想", "想"),
    ("不累", "累"),
    ("不怕", "怕"),
    ("不是", "是"),
    ("没有尝过", "尝过"),
];

/// The questions' texts of a story.
fn short_texts(story: &mut Story) -> impl Iterator<Item = &mut String> {
    story.zh.questions.iter_mut().flat_map(|(question, options)| std::iter::once(question).chain(options))
}

/// Kinds of faults with the check that must name each.
fn faults() -> Vec<(&'static str, &'static str, Fault)> {
    vec![
        ("a name changed", "name", |story| change(&mut story.zh.story, &NAMES)),
        ("a name inconsistent", "name", |story| short_texts(story).find_map(|text| change(text, &NAMES[..7]))),
        ("a number changed", "number", |story| {
            let in_story = change(&mut story.zh.story, &NUMBERS);
            in_story.or_else(|| short_texts(story).find_map(|text| change(text, &NUMBERS)))
        }),
        ("a number lost", "number", |story| {
            let none: Vec<(&str, &str)> = NUMBERS
                .iter()
                .map(|(old, _)| {
                    (*old, old.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '三'))
                })
                .collect();
            let in_story = change(&mut story.zh.story, &none);
            in_story.or_else(|| short_texts(story).find_map(|text| change(text, &none)))
        }),
        ("a negation dropped", "negation", |story| short_texts(story).find_map(|text| change(text, &NEGATIONS))),
        ("options equal", "options-equal", |story| {
            let options = &mut story.zh.questions[0].1;
            options[1] = options[0].clone();
            Some(())
        }),
        ("gold marked", "option-marked", |story| {
            let gold = story.gold[0];
            story.zh.questions[0].1[gold].push_str("（正确答案）");
            Some(())
        }),
        ("a span untranslated", "untranslated", |story| {
            let (question, _) = story.en.questions[0].clone();
            let words: Vec<&str> = question.split(' ').collect();
            story.zh.questions[0].0.push_str(&words[words.len() - 3..].join(" "));
            Some(())
        }),
        ("the wrong language", "language", |story| {
            story.zh.story = story.en.story.clone();
            Some(())
        }),
        ("a refusal", "refusal", |story| {
            story.zh.story = "抱歉，我无法翻译这个故事，因为它涉及个人信息。".to_string();
            Some(())
        }),
        ("marks of direction", "direction-marks", |story| {
            story.zh.questions[0].1[0].insert(0, '\u{202e}');
            Some(())
        }),
    ]
}

#[test]
fn planted_faults_are_named_and_clean_texts_are_not() {
    let context = TestContext::new();
    let clean = stories();
    let items: usize = clean.iter().map(|story| story.zh.questions.len()).sum();
    let found = findings(&context, &clean, "clean");
    let flagged = found.iter().map(|(item, _)| item).collect::<std::collections::BTreeSet<_>>().len();
    assert!(50 * flagged <= items, "{flagged} of {items} clean items are flagged: {found:?}");
    let mut told = BTreeMap::new();
    for (kind, check, fault) in faults() {
        let mut planted = Vec::new();
        for (at, story) in clean.iter().enumerate() {
            let mut changed = story.clone();
            if planted.len() < EACH && fault(&mut changed).is_some() {
                planted.push((at, changed));
            }
        }
        assert!(planted.len() >= 9, "{kind}: only {} stories can have it", planted.len());
        // One fault at a time among otherwise clean stories.
        let mut named = 0;
        for (at, changed) in &planted {
            let mut all = clean.clone();
            all[*at] = changed.clone();
            let found = findings(&context, &all, "planted");
            let own = format!("/{}/", changed.id);
            named += usize::from(found.iter().any(|(item, named)| item.contains(&own) && named == check));
        }
        println!("{kind}: {named} of {} named", planted.len());
        told.insert(kind, (named, planted.len()));
    }
    let missed: Vec<_> = told.iter().filter(|(_, (named, of))| 100 * named < 95 * of).collect();
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
fn few_released_translations_have_findings() {
    let Some(folder) = released("tombench") else { return };
    let context = TestContext::new();
    let arguments = ["make", "check", "-b", "tombench", "--to", "zh", "--json", "--data"];
    let mut command = context.command(&arguments);
    let found = command.arg(folder).run().json_lines();
    let flagged: std::collections::BTreeSet<&str> = found.iter().filter_map(|line| line["item"].as_str()).collect();
    println!("{} of 2860 released items have findings", flagged.len());
    assert!(flagged.len() < 400, "{}", flagged.len());
}
