//! How results look in each format: a small benchmark with two languages, published rows, empty cells and option orders.

use std::collections::BTreeSet;

use tomeval::internal::Flag;
use tomeval::internal::TrialOutcome;
use tomeval::internal::summary;
use tomeval::{
    Answer, Benchmark, Format, Item, Language, Layout, OptionIx, Order, Outcome, Report, Respondent, Screen, Setting,
    Ties, View, evaluate, render,
};
use unicode_width::UnicodeWidthStr;

const CARD: &str = r#"
notes = ["The released files hold one story more than the paper counts."]

[[tables]]
id = "tasks"
title = "Accuracy by task"
paper = "Writer et al. 2024, Table 2"
rows = ["language"]
columns = [
  { name = "Ünexpected", where = { task = "one" } },
  { name = "信念", where = { task = "two" } },
  { name = "none_yet", where = { task = "three" } },
  { name = "AVG", mean = ["Ünexpected", "信念"] },
  { name = "ALL*", unavailable = "needs written answers" },
]

[[tables.published]]
label = "Human"
human = true
source = "Table 2"
values = { "Ünexpected" = 89.3, AVG = 85.4 }

[[tables.published]]
label = "Model X"
source = "Table 2"
rows = { language = "ar" }
values = [71.25, 60, "-", 65.6, "-"]

[[tables]]
id = "stories"
title = "Coherent stories"
measure = "coherent"
transpose = true
columns = [{ name = "one", where = { task = "one" } }, { name = "two", where = { task = "two" } }]
note = "A story counts when all its questions are right."
"#;

fn items() -> Vec<Item> {
    let item = |language: Language, n: usize| Item {
        id: format!("small/{n}/{language}"),
        benchmark: Benchmark::Custom,
        language,
        parallel: format!("small/{n}"),
        story: format!("small/{}/{language}", n / 2),
        context: Vec::new(),
        question: "?".into(),
        options: ["نعم", "不", "क"].map(String::from).to_vec(),
        gold: Answer::Single(OptionIx(n % 3)),
        facets: [("task".to_string(), if n < 4 { "one" } else { "two" }.to_string())].into(),
        fields: Default::default(),
        flags: if n == 5 {
            vec![Flag { name: "duplicate-options".into(), detail: "two are equal".into() }]
        } else {
            Vec::new()
        },
    };
    [Language::En, Language::Ar].into_iter().flat_map(|language| (0..8).map(move |n| item(language, n))).collect()
}

/// Every item in two orders; the model prefers the first slot, and one item in English was too long.
fn report(subject: &str, taste: f64) -> Report {
    let items = items();
    let outcomes: Vec<Outcome<'_>> = items
        .iter()
        .enumerate()
        .map(|(n, item)| {
            let trial = |order: [usize; 3], count| {
                let order = Order::try_from(order.to_vec()).unwrap();
                let scores: Vec<f64> = (0..3)
                    .map(|option| {
                        let liking = if Answer::Single(OptionIx(option)) == item.gold { taste } else { 0.0 };
                        let first = if order.as_slice()[0] == option { 1.0 } else { 0.0 };
                        liking + first + ((n * 7 + option * 3) % 5) as f64 / 10.0
                    })
                    .collect();
                let best = (0..3).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap();
                let choice = Some(Answer::Single(OptionIx(best)));
                TrialOutcome {
                    order: Some(order),
                    count,
                    choice,
                    logprobs: Some(scores),
                    tied: false,
                    failure: None,
                    reading: None,
                }
            };
            let failed = TrialOutcome {
                order: Some(Order::identity(3)),
                count: 5,
                choice: None,
                logprobs: None,
                tied: false,
                failure: Some("too-long".into()),
                reading: None,
            };
            let trials = if n == 3 { vec![failed] } else { vec![trial([0, 1, 2], 3), trial([2, 0, 1], 2)] };
            Outcome::new(item, "vanilla", None, trials, Ties::default())
        })
        .collect();
    let layout = Layout::parse(CARD).unwrap();
    let setting = Setting {
        benchmark: Benchmark::Custom,
        title: "Small",
        by: Respondent { label: subject, answers: "letters" },
        items: &items,
        layout: &layout,
        seed: 7,
    };
    let header = [("model", subject), ("orders", "random:5"), ("scoring", "letter")];
    let header = header.into_iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    Report::new(subject, header, vec![evaluate(&setting, &outcomes)])
}

#[test]
fn plain_text() {
    insta::assert_snapshot!(render(&report("model-a", 0.8), Format::Terminal, &View::WHOLE));
}

#[test]
fn narrow_terminal() {
    let text =
        render(&report("model-a", 0.8), Format::Terminal, &View { screen: Screen { width: Some(60) }, ..View::WHOLE });
    insta::assert_snapshot!(text);
}

#[test]
fn a_summary_fits_a_screen() {
    let merged = Report::merge([report("model-a", 0.8), report("model-b", 2.0)]);
    for (report, name) in [(report("model-a", 0.8), "one"), (merged, "two")] {
        let text = summary(&report, Screen { width: Some(80) });
        assert!(text.lines().all(|line| line.width() <= 80), "{text}");
        insta::assert_snapshot!(format!("summary_of_{name}"), text);
    }
}

#[test]
fn markdown() {
    insta::assert_snapshot!(render(&report("model-a", 0.8), Format::Markdown, &View::WHOLE));
}

#[test]
fn csv() {
    let text = render(&report("model-a", 0.8), Format::Csv, &View::WHOLE);
    let fields = text.lines().next().unwrap().split(',').count();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    assert!(reader.records().all(|record| record.unwrap().len() == fields));
    insta::assert_snapshot!(text);
}

#[test]
fn latex() {
    insta::assert_snapshot!(render(&report("model-a", 0.8), Format::Latex, &View::WHOLE));
}

#[test]
fn json_is_read_back_whole() {
    let report = report("model-a", 0.8);
    let json = render(&report, Format::Json, &View::WHOLE);
    assert_eq!(Report::parse(&json).unwrap(), report);
    assert_eq!(Report::parse(&json).unwrap().to_json(), json);
    assert!(
        Report::parse(&json.replace("\"version\": 2", "\"version\": 3")).unwrap_err().to_string().contains("format 3")
    );
    assert!(Report::parse(&json.replace("\"unanswered\"", "\"unheard\"")).is_err());
}

#[test]
fn results_of_the_first_format_are_read() {
    let report = report("model-a", 0.8);
    let mut old: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    let top = old.as_object_mut().unwrap();
    top["version"] = 1.into();
    top.remove("label");
    let header = top.remove("provenance").unwrap();
    top.insert("header".to_string(), header);
    let old = old.to_string().replace("\"label\":\"model-a\"", "\"subject\":\"model-a\"");
    assert!(old.contains("subject"));
    assert_eq!(Report::parse(&old).unwrap(), report);
}

#[test]
fn runs_of_one_model_are_told_apart_by_their_settings() {
    let of = |scoring: &str| {
        let mut report = report("model-a", 0.8);
        report.provenance.insert("scoring".to_string(), scoring.to_string());
        report
    };
    let merged = Report::merge([of("letter"), of("text"), of("text")]);
    let rows = &merged.results[0].tables[0].rows;
    let labels: Vec<&str> = rows.iter().step_by(2).map(|row| row.header.label.as_str()).collect();
    assert_eq!(labels, ["model-a, letter", "model-a, text", "model-a, text (2)"]);
    let keys = |text: &str| -> BTreeSet<String> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let measured = reader.records().map(Result::unwrap).filter(|line| &line[2] == "measured");
        let mut seen = BTreeSet::new();
        for line in measured {
            let key = [0, 1, 3, 4, 5, 6, 7, 17].map(|column| line[column].to_string()).join("|");
            assert!(seen.insert(key.clone()), "{key} stands there twice");
        }
        seen
    };
    assert!(!keys(&render(&merged, Format::Csv, &View::WHOLE)).is_empty());
}

#[test]
fn runs_side_by_side_share_tables_and_published_rows() {
    let merged = Report::merge([report("model-a", 0.8), report("model-b", 2.0)]);
    assert_eq!(merged.results.len(), 1);
    assert_eq!(merged.provenance["model"], "model-a; model-b");
    assert_eq!(merged.provenance["orders"], "random:5");
    let table = &merged.results[0].tables[0];
    let labels: Vec<&str> = table.rows.iter().map(|row| row.header.label.as_str()).collect();
    assert_eq!(labels, ["model-a", "model-a", "model-b", "model-b"]);
    assert_eq!(table.published.len(), 2);
    assert_eq!(merged.results[0].counts.items, 32);
    insta::assert_snapshot!(render(&merged, Format::Terminal, &View::WHOLE));
}

#[test]
fn no_line_is_wider_than_the_terminal_unless_one_column_is() {
    use unicode_width::UnicodeWidthStr;
    for width in [60, 80, 120] {
        let text = render(
            &report("model-a", 0.8),
            Format::Terminal,
            &View { screen: Screen { width: Some(width) }, ..View::WHOLE },
        );
        let tables = text.lines().filter(|line| line.starts_with(' ') || line.starts_with('─'));
        for line in tables.filter(|line| !line.starts_with("  ")) {
            assert!(line.width() <= width, "{} > {width}: {line}", line.width());
        }
    }
}

/// What data and models may call themselves is shown as text, whatever it would do where it is read.
#[test]
fn names_of_data_command_nothing() {
    let hostile = "=1+1 \u{1b}]0;x\u{7}\u{9b}2J \u{202e} a|b_c \\input{x} & <b>\n% y";
    let mut report = report(hostile, 0.8);
    report.results[0].title = hostile.to_string();
    report.results[0].tables[0].rows[0].key.insert("language".to_string(), hostile.to_string());
    for format in Format::ALL {
        let text = render(&report, format, &View::WHOLE);
        let allowed = |character: char| character == '\n' || (format == Format::Json && !character.is_ascii_control());
        let commands: Vec<char> = text
            .chars()
            .filter(|&c| (c.is_control() || c == '\u{202e}') && !allowed(c))
            // Programs read the text itself again.
            .filter(|_| !matches!(format, Format::Json | Format::Csv))
            .collect();
        assert!(commands.is_empty(), "{format}: {commands:?}");
    }
    let markdown = render(&report, Format::Markdown, &View::WHOLE);
    assert!(markdown.contains("a\\|b\\_c \\\\input{x} \\& \\<b\\> % y"), "{markdown}");
    let latex = render(&report, Format::Latex, &View::WHOLE);
    assert!(
        latex.contains("a\\textbar{}b\\_c \\textbackslash{}input\\{x\\} \\& \\textless{}b\\textgreater{} \\% y"),
        "{latex}"
    );
    let comments = latex.lines().filter(|line| line.contains("input{x}"));
    assert!(comments.clone().count() > 0 && comments.into_iter().all(|line| line.starts_with('%')), "{latex}");
    let text = render(&report, Format::Csv, &View::WHOLE);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert!(records.iter().flatten().any(|field| field == format!("'{hostile}")), "the same text, and no formula");
    for record in records {
        for (name, field) in
            ["value", "low", "high", "n", "chance"].iter().zip([8, 9, 10, 11, 13].map(|at| &record[at]))
        {
            assert!(field.is_empty() || field.parse::<f64>().is_ok(), "{name}: {field}");
        }
        assert!(record.iter().all(|field| !field.starts_with(['=', '+', '@', '\t', '\r'])), "{record:?}");
        assert!(record[3].starts_with("'=1+1") || !record[3].contains("1+1"), "{record:?}");
    }
}

#[test]
fn an_unfinished_run_is_told_in_every_format() {
    use tomeval::internal::Unfinished;
    let part = |subject| Report { unfinished: Unfinished::from_counts(128, 400), ..report(subject, 0.8) };
    for format in [Format::Terminal, Format::Markdown, Format::Csv, Format::Latex] {
        let text = render(&part("model-a"), format, &View::WHOLE);
        assert!(text.contains("UNFINISHED 128 of 400 trials"), "{format}: {text}");
    }
    let captions = render(&part("model-a"), Format::Latex, &View::WHOLE);
    let captions: Vec<&str> = captions.lines().filter(|line| line.contains("\\caption")).collect();
    assert!(!captions.is_empty() && captions.iter().all(|line| line.contains("UNFINISHED")), "{captions:?}");
    assert_eq!(Unfinished::from_counts(400, 400), None);
    let merged = Report::merge([report("model-b", 2.0), part("model-a"), part("model-c")]);
    assert_eq!(merged.unfinished, Unfinished::from_counts(256, 800));
    assert_eq!(merged.provenance["unfinished"], "model-a (128/400 trials); model-c (128/400 trials)");
    let page = render(&merged, Format::Html, &View::WHOLE).replace("&#x2f;", "/");
    assert!(page.contains("UNFINISHED: model-a (128/400 trials); model-c (128/400 trials); numbers"));
    assert!(!Report::merge([part("model-a")]).provenance.contains_key("unfinished"), "one run needs no name");
    assert_eq!(Report::parse(&merged.to_json()).unwrap().unfinished, merged.unfinished);
}
