//! What the end of a run says of its rows: what each value rests on, whom a warning is about, and commands that can be typed.

use std::fs;

use serde_json::Value;
use tomeval::internal::summary;
use tomeval::internal::{TrialOutcome, TrialReading};
use tomeval::{Answer, Benchmark, Item, OptionIx, Outcome, ReadingOutcome, Ties};
use tomeval::{Format, Language, Layout, Order, Report, Respondent, Screen, Setting, View, evaluate, render};

use crate::support::context::{Run, TestContext};
use crate::support::released::released;
use crate::support::tiny_models::shared_tiny_model;

const PLAIN: Screen = Screen { width: None };

const CARD: &str = r#"
[[tables]]
id = "tasks"
title = "Accuracy by task"
rows = ["language"]
columns = [
  { name = "A", where = { task = "a" } },
  { name = "B", where = { task = "b" } },
  { name = "C", where = { task = "c" } },
  { name = "AVG", mean = ["A", "B", "C"] },
]
"#;

const BY_HALF: &str = r#"
[[tables]]
id = "halves"
title = "Accuracy by half"
rows = ["half"]
columns = [{ name = "AVG" }]
"#;

/// Twelve questions in English and Chinese: six of the task a, four of b, two of c; in two halves.
fn items() -> Vec<Item> {
    items_of(12)
}

fn items_of(questions: usize) -> Vec<Item> {
    let item = |language: Language, n: usize| Item {
        id: format!("small/{n}/{language}"),
        benchmark: Benchmark::Custom,
        language,
        parallel: format!("small/{n}"),
        story: format!("small/{n}"),
        context: Vec::new(),
        question: "?".into(),
        options: ["one", "two", "three", "four"].map(String::from).to_vec(),
        gold: Answer::Single(OptionIx(0)),
        facets: [
            (
                "task".to_string(),
                if n < 6 {
                    "a"
                } else if n < 10 {
                    "b"
                } else {
                    "c"
                }
                .to_string(),
            ),
            ("half".to_string(), if n.is_multiple_of(2) { "VP" } else { "CoTP" }.to_string()),
        ]
        .into(),
        fields: Default::default(),
        flags: Vec::new(),
    };
    [Language::En, Language::Zh]
        .into_iter()
        .flat_map(|language| (0..questions).map(move |n| item(language, n)))
        .collect()
}

/// An answer; `reading` is what was read of a written one.
fn answered<'a>(item: &'a Item, style: &str, right: bool, reading: Option<TrialReading>) -> Outcome<'a> {
    let chosen = Answer::Single(OptionIx(if right { 0 } else { 3 }));
    let unread = reading.as_ref().is_some_and(|reading| reading.outcome != ReadingOutcome::Answer);
    let trial = TrialOutcome {
        order: Some(Order::identity(4)),
        count: 1,
        choice: (!unread).then_some(chosen),
        logprobs: None,
        tied: false,
        failure: None,
        reading,
    };
    Outcome::new(item, style, None, vec![trial], Ties::default())
}

fn report(card: &str, items: &[Item], outcomes: &[Outcome<'_>]) -> Report {
    let layout = Layout::parse(card).unwrap();
    let setting = Setting {
        benchmark: Benchmark::Custom,
        title: "Small",
        by: Respondent { label: "model-a", answers: "letters" },
        items,
        layout: &layout,
        seed: 0,
    };
    Report::new("model-a", Default::default(), vec![evaluate(&setting, outcomes)])
}

/// Every second question: of the tasks three, two and one.
fn half_of<'a>(items: &'a [Item]) -> Vec<Outcome<'a>> {
    items.iter().step_by(2).map(|item| answered(item, "vanilla", item.parallel != "small/0", None)).collect()
}

#[test]
fn n_is_that_of_the_rows_own_figure_in_every_format() {
    let items = items();
    let report = report(CARD, &items, &half_of(&items));
    let text = summary(&report, PLAIN);
    assert!(text.contains("6 questions, 12 items, 12 trials"), "{text}");
    let english = text.lines().find(|line| line.contains("en  model-a")).unwrap();
    let words: Vec<&str> = english.split_whitespace().collect();
    assert!(english.contains("model-a (letters), 6 of 12 items"), "{text}");
    assert!(words.ends_with(&["6", "C:", "1", "25.0", "100.0"]), "n, smallest cell, chance, always A: {text}");
    let json: Value = serde_json::from_str(&report.to_json()).unwrap();
    let row = &json["results"][0]["tables"][0]["rows"][0];
    assert_eq!(row["part"], serde_json::json!({ "asked": 6, "of": 12 }));
    assert_eq!(row["cells"][3]["smallest"], serde_json::json!({ "column": "C", "n": 1 }));
    assert!(row["cells"][0].get("smallest").is_none());
    for format in [Format::Terminal, Format::Markdown, Format::Latex, Format::Html] {
        let text = render(&report, format, &View::WHOLE);
        assert!(text.to_lowercase().contains("smallest cell") && text.contains("C: 1"), "{format}: {text}");
    }
    let csv = render(&report, Format::Csv, &View::WHOLE);
    let average = csv.lines().find(|line| line.contains("language=en,AVG")).unwrap();
    assert!(average.contains(",6,items,") && average.ends_with(",C,1,6,12,,,"), "{average}");
}

#[test]
fn a_mean_that_lacks_a_part_stays_empty_on_the_screen_and_names_it() {
    let items = items();
    let some: Vec<Outcome<'_>> = items
        .iter()
        .filter(|item| item.facet("task") != Some("c"))
        .map(|it| answered(it, "vanilla", true, None))
        .collect();
    let text = summary(&report(CARD, &items, &some), PLAIN);
    let header = text.lines().find(|line| line.contains("AVG")).unwrap();
    assert!(!header.contains(" A "), "no other column stands for the average: {text}");
    let english = text.lines().find(|line| line.contains("en  model-a")).unwrap();
    assert!(english.trim_end().ends_with('-'), "{text}");
    assert!(text.contains("- AVG of en: no value for C\n") && text.contains("- AVG of zh: no value for C\n"), "{text}");
    // The tasks that have values are there all the same.
    assert!(text.contains("  A  ") && text.contains("100.0"), "{text}");
}

#[test]
fn warnings_name_row_language_and_style_once() {
    let items = items_of(40);
    let wrong = |style: &'static str| items[..40].iter().map(move |item| answered(item, style, false, None));
    let outcomes: Vec<Outcome<'_>> = wrong("vanilla").chain(wrong("cot")).collect();
    for (card, places) in [(BY_HALF, ["VP, en", "CoTP, en"]), (CARD, ["en", "en"])] {
        let layout = card.replace("{ name = \"AVG\", mean = [\"A\", \"B\", \"C\"] }", "{ name = \"AVG\" }");
        let report = report(&layout, &items, &outcomes);
        let merged = Report::merge([report]);
        let text = summary(&merged, PLAIN);
        for (place, style) in places.into_iter().flat_map(|place| [(place, "vanilla"), (place, "cot")]) {
            let line = format!("- Small ({place}, model-a (letters, {style})): AVG is below chance");
            assert_eq!(text.matches(&line).count(), 1, "{line}\n{text}");
        }
    }
}

#[test]
fn replies_without_an_answer_are_told_by_kind_and_cut_off_ones_with_what_helps() {
    use ReadingOutcome::{Ambiguous, Answer as Stated, CutOff, Refused};
    let items = items();
    let rendered = |kinds: [ReadingOutcome; 12]| {
        let read = |outcome| Some(TrialReading { outcome, rule: None, tokens: None, cut: false });
        let outcomes: Vec<Outcome<'_>> =
            items[..12].iter().zip(kinds).map(|(item, kind)| answered(item, "cot", true, read(kind))).collect();
        summary(&report(CARD, &items, &outcomes), PLAIN)
    };
    let none = ReadingOutcome::None;
    let cut =
        rendered([CutOff, CutOff, CutOff, Refused, Ambiguous, Ambiguous, none, Stated, Stated, Stated, Stated, Stated]);
    let kinds = "of 12 replies 3 cut off, 1 refused, 2 ambiguous, 1 empty or without a statement";
    assert!(cut.contains("Small (en, model-a (letters, cot)): 58 % of the items have no answer"), "{cut}");
    assert!(cut.contains(&format!("{kinds}; raise --max-new-tokens\n")), "{cut}");
    let refused =
        rendered([Refused, Refused, CutOff, Stated, Stated, Stated, Stated, Stated, Stated, Stated, Stated, Stated]);
    assert!(refused.contains("of 12 replies 1 cut off, 2 refused\n"), "no advice that would not help: {refused}");
}

#[test]
fn tables_by_facet_are_on_the_screen_and_printed_commands_bring_them_again() {
    let context = TestContext::new();
    let out = context.path("it's a run; $HOME");
    let by = ["--by", "task", "--by", "options,language", "--tie", "first"];
    let demo = ["run", "--offline", "--benchmark", "demo", "--limit", "6", "--orders", "identity", "--model"];
    let output = context.command(&demo).arg(shared_tiny_model()).args(by).arg("--out").arg(&out).run().success();
    let screen = output.stdout;
    for title in ["\nAccuracy by task\n", "\nAccuracy by options and language\n"] {
        assert!(screen.contains(title), "{title}: {screen}");
    }
    let ending = output.stderr;
    let command = ending.lines().find(|line| line.starts_with("  tomeval report ")).unwrap();
    let words = shlex::split(command).unwrap();
    let typed =
        ["tomeval", "report", &out.display().to_string(), "--by", "task", "--by", "options,language", "--tie", "first"];
    assert_eq!(words, typed, "{ending}");
    let tables = context.command(&[]).args(&words[1..]).run().stdout;
    assert!(tables.contains("Accuracy by task") && tables.contains("Accuracy by options and language"), "{tables}");
}

/// Hi-ToM asks each question under two prompting types, which are items of their own.
#[test]
fn a_limit_counts_questions_and_plan_and_screen_say_so() {
    let Some(data) = released("hi-tom") else { return };
    let context = TestContext::new();
    let with = |command: &str| {
        let mut tomeval =
            context.command(&[command, "--offline", "--benchmark", "hi-tom", "--limit", "3", "--orders", "random:2"]);
        tomeval.arg("--model").arg(shared_tiny_model()).arg("--data").arg(&data);
        tomeval
    };
    let plan = with("plan").run().success().stdout;
    let line =
        |name: &str| plan.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {plan}"));
    assert!(line("questions").ends_with(" 3"), "{plan}");
    assert!(line("items").contains(" 6, the versions of the questions"), "{plan}");
    assert!(line("trials").ends_with(" 12"), "{plan}");
    let output = with("run").arg("--out").arg(context.path("run")).run();
    assert!(output.stderr.contains("hi-tom: 3 questions, 6 items, 12 trials"), "{}", output.stderr);
    assert!(output.stdout.contains("\n3 questions, 6 items, 12 trials\n"), "{}", output.stdout);
    let report = fs::read_to_string(context.path("run/report.md")).unwrap();
    assert!(report.contains("3 questions: 6 items"), "{report}");
}
