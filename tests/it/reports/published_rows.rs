//! What stands beside measured rows of what papers printed, and what is said of it.

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::{Value, json};
use tomeval::Language;
use tomeval::internal::TrialOutcome;
use tomeval::internal::summary;
use tomeval::internal::{Method, OF_PAPER, TableResult};
use tomeval::{
    Answer, Benchmark, Format, Item, Layout, OptionIx, Outcome, Published, Report, Respondent, Results, Screen,
    Setting, Ties, View, evaluate, render,
};

use crate::support::context::{Run, TestContext};
use crate::support::released::released;
use crate::support::tiny_models::shared_tiny_model;

const PLAIN: Screen = Screen { width: None };

#[test]
fn every_card_with_published_rows_says_how_they_came_about() {
    let mut rows = 0;
    for benchmark in Benchmark::ALL {
        let card: toml::Table = benchmark.card_text().parse().unwrap();
        let layout = Layout::parse(benchmark.card_text()).unwrap();
        let models = layout.tables.iter().flat_map(|table| &table.published).filter(|row| !row.human);
        let models: Vec<_> = models.collect();
        if models.is_empty() {
            continue;
        }
        let said = card["published"].as_table().unwrap_or_else(|| panic!("{benchmark}"));
        assert_eq!(said.keys().collect::<Vec<_>>(), ["style", "scoring", "orders", "wording"], "{benchmark}");
        for row in &models {
            assert_eq!(row.method.scoring.as_deref(), Some("written answers"), "{benchmark}: {}", row.label);
            assert_eq!(row.method.wording.as_deref(), Some(OF_PAPER), "{benchmark}: {}", row.label);
            let style = row.style.as_deref();
            // A change is of two styles.
            let is_change = row.average && style == Some("cot - vanilla");
            assert!(is_change || matches!(style, None | Some("vanilla" | "cot")), "{benchmark}: {}", row.label);
            assert!(!row.label.contains("CoT"), "the style says it: {}", row.label);
        }
        let cot = models.iter().filter(|row| row.style.as_deref() == Some("cot")).count();
        assert_eq!(cot > 0, benchmark != Benchmark::MultiToM, "{benchmark}: {cot}");
        rows += models.len();
    }
    assert!(rows > 600, "{rows}");
    // ToMBench asked all but GPT-4 in five orders.
    let layout = Layout::parse(Benchmark::ToMBench.card_text()).unwrap();
    for row in layout.tables.iter().flat_map(|table| &table.published).filter(|row| !row.human && !row.average) {
        let orders = if row.label.starts_with("GPT-4") { "one order" } else { "five orders" };
        assert_eq!(row.method.orders.as_deref(), Some(orders), "{}", row.label);
    }
}

/// Items with these facets, four of each, in English.
fn items(benchmark: Benchmark, facets: &[&[(&str, &str)]]) -> Vec<Item> {
    let item = |group: usize, n: usize| Item {
        id: format!("{benchmark}/{group}/{n}"),
        benchmark,
        language: Language::En,
        parallel: format!("{group}/{n}"),
        story: format!("{group}/{n}"),
        context: Vec::new(),
        question: "?".into(),
        options: ["one", "two", "three", "four"].map(String::from).to_vec(),
        gold: Answer::Single(OptionIx(0)),
        facets: facets[group].iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
        fields: Default::default(),
        flags: Vec::new(),
    };
    (0..facets.len()).flat_map(|group| (0..4).map(move |n| item(group, n))).collect()
}

/// Right answers in each style, to every item or to every second one.
fn results(benchmark: Benchmark, items: &[Item], styles: &[&str], step: usize) -> Results {
    let outcome = |item, style: &str| {
        let choice = Some(Answer::Single(OptionIx(0)));
        let trial =
            TrialOutcome { order: None, count: 1, choice, logprobs: None, tied: false, failure: None, reading: None };
        Outcome::new(item, style, None, vec![trial], Ties::default())
    };
    let asked = || items.iter().step_by(step);
    let outcomes: Vec<Outcome<'_>> = styles.iter().flat_map(|style| asked().map(|item| outcome(item, style))).collect();
    let layout = Layout::parse(benchmark.card_text()).unwrap();
    let setting = Setting {
        benchmark,
        title: benchmark.name(),
        by: Respondent { label: "model-a", answers: "letters" },
        items,
        layout: &layout,
        seed: 0,
    };
    let mut results = evaluate(&setting, &outcomes);
    let method = Method {
        scoring: Some("letters".into()),
        orders: Some(Method::orders(1)),
        wording: Some("tomeval's wording".into()),
    };
    results.asked_by(&method, |_| true);
    results
}

fn report(results: Results) -> Report {
    Report::new("model-a", Default::default(), vec![results])
}

/// The models of the paper that stand beside the row of a half in a style.
fn beside(table: &TableResult, half: &str, style: &str) -> usize {
    let row = table.rows.iter().find(|row| row.key["prompting"] == half && row.header.style == style).unwrap();
    table.published.iter().filter(|published| published.stands_beside(row)).count()
}

/// Hi-ToM asked its half VP without and its half CoTP with reasoning.
#[test]
fn another_style_or_half_of_the_data_has_no_published_row() {
    let halves =
        ["VP", "CoTP"].map(|half| ["no", "yes"].map(|deception| [("prompting", half), ("deception", deception)]));
    let facets: Vec<&[(&str, &str)]> = halves.iter().flatten().map(|facets| &facets[..]).collect();
    let items = items(Benchmark::HiToM, &facets);
    let plain = results(Benchmark::HiToM, &items, &["vanilla"], 1);
    let table = &plain.tables[0];
    assert_eq!([beside(table, "VP", "vanilla"), beside(table, "CoTP", "vanilla")], [4, 0]);
    let text = summary(&report(plain.clone()), PLAIN);
    let line = |text: &str, part: &str| text.lines().find(|line| line.contains(part)).unwrap().to_string();
    assert!(line(&text, "VP  model-a").contains("58.1 GPT-4-32k"), "{text}");
    assert!(!line(&text, "CoTP  model-a").contains("GPT-4-32k"), "{text}");
    let both = results(Benchmark::HiToM, &items, &["vanilla", "cot"], 1);
    let table = &both.tables[0];
    assert_eq!([beside(table, "VP", "cot"), beside(table, "CoTP", "cot")], [0, 4]);
    let text = summary(&report(both), PLAIN);
    assert!(!line(&text, "VP  model-a (letters, cot)").contains("GPT-4-32k"), "{text}");
    assert!(line(&text, "CoTP  model-a (letters, cot)").contains("59.9 GPT-4-32k (cot)"), "{text}");
}

fn tombench() -> Vec<Item> {
    let task = |task: &'static str| vec![("task", task)];
    let tasks = [
        "Unexpected Outcome Test",
        "Scalar Implicature Task",
        "Persuasion Story Task",
        "False Belief Task",
        "Ambiguous Story Task",
        "Hinting Test",
        "Strange Story Task",
        "Faux-pas Recognition Test",
    ]
    .map(task);
    items(Benchmark::ToMBench, &tasks.iter().map(|facets| &facets[..]).collect::<Vec<_>>())
}

#[test]
fn what_else_differs_stands_in_one_caption_in_every_format() {
    let items = tombench();
    let found = report(results(Benchmark::ToMBench, &items, &["vanilla"], 1));
    let caption = "published: written answers, five orders (one order: GPT-4-0613, GPT-4-1106; five orders, of GPT-4 one: LLM Grand \
                   Mean), the paper's prompts; here: letters, one order, tomeval's wording";
    let json: Value = serde_json::from_str(&found.to_json()).unwrap();
    let table = &json["results"][0]["tables"][0];
    assert_eq!(table["caption"], caption);
    assert_eq!(table["rows"][0]["method"]["orders"], "one order");
    let gpt = table["published"].as_array().unwrap().iter().find(|row| row["label"] == "GPT-4-1106").unwrap();
    assert_eq!(
        (&gpt["style"], &gpt["method"]),
        (&json!("vanilla"), &json!({ "scoring": "written answers", "orders": "one order", "wording": OF_PAPER }))
    );
    assert!(summary(&found, PLAIN).contains(caption));
    for format in [Format::Terminal, Format::Markdown, Format::Csv] {
        assert!(render(&found, format, &View::WHOLE).contains(caption), "{format}");
    }
    let html = render(&found, Format::Html, &View::WHOLE).replace("&#x27;", "'");
    assert!(html.contains(caption), "{html}");
    let latex = render(&found, Format::Latex, &View::WHOLE);
    let captions = latex.lines().filter(|line| line.contains("): Accuracy by task"));
    assert!(captions.clone().count() > 0 && captions.into_iter().all(|line| line.contains(caption)), "{latex}");
    // Answers that came about as the paper's have none, and merging keeps what is left.
    let mut same = results(Benchmark::ToMBench, &items, &["vanilla"], 1);
    let method = Method {
        scoring: Some("written answers".into()),
        orders: Some(Method::orders(5)),
        wording: Some(OF_PAPER.into()),
    };
    same.asked_by(&method, |_| true);
    let left = same.tables[0].caption.clone().unwrap();
    assert!(
        left.starts_with("published: five orders (one order: GPT-4") && left.ends_with("; here: five orders"),
        "{left}"
    );
    let merged = Report::merge([found, report(same)]);
    let both = merged.results[0].tables[0].caption.clone().unwrap();
    assert!(both.contains("here: letters (written answers: model-a"), "{both}");
}

/// Everything, with all rows of the paper.
fn every_row() -> View {
    View { published: Published::All, ..View::WHOLE }
}

#[test]
fn beside_a_sample_published_rows_stand_under_a_head() {
    let items = tombench();
    let found = report(results(Benchmark::ToMBench, &items, &["vanilla"], 2));
    let screen = summary(&found, PLAIN);
    assert!(screen.contains("16 of 32 items") && screen.contains("   paper, all 32"), "{screen}");
    assert!(!screen.contains("best published"), "{screen}");
    let text = render(&found, Format::Terminal, &every_row());
    let (people, head) = (text.find("Human ").unwrap(), text.find("paper, all 32\n").unwrap());
    assert!(people < head && head < text.find("ChatGLM3-6B ").unwrap(), "{text}");
    // Columns downwards have no line of their own for it.
    assert!(text.contains("ChatGLM3-6B (paper, all 32)"), "{text}");
    for format in [Format::Markdown, Format::Latex, Format::Html] {
        assert!(render(&found, format, &every_row()).contains("paper, all 32"), "{format}");
    }
    let csv = render(&found, Format::Csv, &every_row());
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let published: Vec<_> =
        reader.records().map(Result::unwrap).filter(|line| &line[1] == "tasks" && &line[2] == "published").collect();
    assert!(!published.is_empty() && published.iter().all(|line| &line[27] == "32"), "{csv}");
    let whole = render(&report(results(Benchmark::ToMBench, &items, &["vanilla"], 1)), Format::Terminal, &every_row());
    assert!(!whole.contains("paper, all"), "{whole}");
}

#[test]
fn samples_keep_published_rows_and_other_items_have_none() {
    let Some(data) = released("tombench") else { return };
    let context = TestContext::new();
    let run = |name: &str, more: &[&str]| {
        let limit =
            ["run", "--offline", "--benchmark", "tombench", "-l", "en", "--limit", "40", "--orders", "identity"];
        let mut command = context.command(&[&limit[..], more].concat());
        command.arg("--model").arg(shared_tiny_model()).arg("--data").arg(&data).arg("--out").arg(context.path(name));
        command.run().success().stdout
    };
    let sample = run("sample", &[]);
    assert!(sample.contains("40 of 2,860 items") && sample.contains("paper, all 2,860"), "{sample}");
    assert!(sample.contains("the paper's prompts; here: letters, one order, tomeval's wording"), "{sample}");
    for (name, more) in [("where", ["--where", "dimension=Belief"]), ("repaired", ["--labels", "repaired"])] {
        let other = run(name, &more);
        assert!(
            !other.contains("paper, all") && !other.contains("GPT-4") && !other.contains("published"),
            "{name}: {other}"
        );
        let tables = std::fs::read_to_string(context.path(name).join("report.md")).unwrap();
        assert!(!tables.contains("ChatGLM3-6B") && !tables.contains("Human \\["), "{name}");
    }
}

fn published(context: &TestContext, arguments: &[&str]) -> Value {
    context.command(&["compare", "--json", "--published"]).args(arguments).run().success().json()
}

#[test]
fn what_the_paper_prints_of_a_test_stands_beside_ours_with_the_reason() {
    let context = TestContext::new();
    let found = published(&context, &["tombench"]);
    let test = |table: &str| found["tests"].as_array().unwrap().iter().find(|test| test["table"] == table).unwrap();
    let (tasks, abilities) = (test("tasks"), test("abilities"));
    for (test, rank) in [(tasks, "0.019"), (abilities, "0.016")] {
        assert_eq!((&test["paper"]["normality_p"], &test["paper"]["rank_p"]), (&json!("< 0.01"), &json!(rank)));
        assert!(test["trend"]["normality_p"].as_f64().unwrap() > 0.01 || test["table"] == "abilities");
        assert!(test["raw_normality_p"].as_f64().unwrap() < 0.01, "what the paper's p can be: {test}");
    }
    assert!((abilities["trend"]["rank_p"].as_f64().unwrap() - 0.0029).abs() < 0.00005, "{abilities}");
    assert_eq!(abilities["trend"]["pairs"], 360);
    let rendered = contains("paper: KS p").and(contains("0.016")).and(contains("not legible"));
    context.run(&["compare", "--published", "tombench"]).success().with_stdout(rendered);
}

#[test]
fn published_languages_are_paired_with_english_or_what_is_named() {
    let context = TestContext::new();
    let sides = |found: &Value, side: &str| -> Vec<String> {
        let mut sides: Vec<String> =
            found["tests"].as_array().unwrap().iter().map(|test| test[side].as_str().unwrap().to_string()).collect();
        sides.sort();
        sides.dedup();
        sides
    };
    let found = published(&context, &["multi-tom"]);
    assert_eq!(sides(&found, "a"), ["en"]);
    assert_eq!(sides(&found, "b"), ["ar", "bn", "fr", "hi", "ru", "zh"]);
    assert_eq!(sides(&published(&context, &["multi-tom", "--against", "ar"]), "a"), ["ar"]);
    context
        .run(&["compare", "--published", "multi-tom", "--against", "xx"])
        .code(2)
        .with_stderr(contains("--against xx").and(contains("known are").and(contains("hi"))));
    context.run(&["compare", "a", "b", "--against", "en"]).code(2).with_stderr(contains("--published"));
}

#[test]
fn published_styles_are_paired_and_the_message_names_every_card_that_has_some() {
    let context = TestContext::new();
    let found = published(&context, &["tombench", "--between", "style"]);
    let tasks = &found["tests"][0];
    assert_eq!((&tasks["a"], &tasks["b"]), (&json!("vanilla"), &json!("cot")));
    // Ten models, each in both languages.
    assert_eq!((&tasks["subjects"], &tasks["rows"]), (&json!(10), &json!(20)));
    let by_language = contains("tombench, multi-tom, xtomi, xfantom, xnegotiationtom");
    context.run(&["compare", "--published", "demo"]).code(2).with_stderr(by_language);
    let by_style = contains("tombench, xtomi, xfantom, xnegotiationtom, tomvalley");
    context.run(&["compare", "--published", "multi-tom", "--between", "style"]).code(2).with_stderr(by_style);
}
