//! Pages on which people work, walked with real clicks and touches: half on one browser, the rest from the file on another.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tomeval::internal::{AnnotationExport, AnnotationRecords};

use crate::support::browser::browser;
use crate::support::context::{Run, TestContext};
use crate::support::files::json_lines;
use crate::support::hands::{Hands, Seen};

const ITEMS: usize = 20;

/// Questions in Arabic, written for this test.
fn arabic(folder: &Path) -> PathBuf {
    let row = |number: usize| {
        json!({
            "id": number, "language": "ar", "answer": "B",
            "story": format!("وضعت ليلى الكتاب رقم {number} في الدرج وخرجت. نقله سامر إلى الرف ولم تره ليلى."),
            "question": "أين تظن ليلى أن الكتاب؟", "options": ["على الرف", "في الدرج", "على الطاولة"],
        })
    };
    let file = folder.join("arabic.jsonl");
    fs::write(&file, (0..ITEMS).map(|number| row(number).to_string() + "\n").collect::<String>()).unwrap();
    file
}

fn page(context: &TestContext, mode: &[&str], language: &str) -> PathBuf {
    let page = context.path(format!("{}-{language}.html", mode[0]));
    let mut command = context.command(&[&["annotate"], mode].concat());
    match language {
        "ar" => command.arg("--data").arg(arabic(context.folder())),
        _ => command.args(["--benchmark", "demo", "--language", language]),
    };
    command.args(["--limit", &ITEMS.to_string(), "--people", "2", "--out"]).arg(&page).run().success();
    page
}

/// The elements of a selector in the page's main part, one of them by number.
fn nth(selector: &str, number: usize) -> String {
    format!("document.querySelectorAll('main {selector}')[{number}]")
}

/// Do the unit in view, differently by number.
fn work(hands: &mut Hands, mode: &str, at: usize, seen: Seen) {
    match mode {
        "answer" => hands.press(&nth(".options label", at % 3)),
        "mark" => {
            hands.press(&nth(".field .w", 1));
            if seen.width > 600 {
                hands.drag(&nth(".field .w", 3), &nth(".field .w", 4));
            }
            hands.press(&nth("[data-tool=sure]", 0));
            hands.press(&nth(".field .w", 5 + at % 2));
            hands.press(&nth("[data-tool=words]", 0));
        }
        _ => {
            hands.press(&nth("fieldset:nth-of-type(1) .scale label", at % 3));
            hands.press(&nth("fieldset:nth-of-type(2) .scale label", at % 5));
        }
    }
    assert_eq!(hands.value("isDone(idAt(state.at))"), true, "{mode}, {at}");
    assert_eq!(hands.value("document.documentElement.scrollWidth <= innerWidth"), true, "{mode}, {at}: too wide");
    hands.press("document.getElementById('next')");
}

fn records(text: &str) -> (AnnotationExport, Vec<Value>) {
    let lines = json_lines(text);
    (AnnotationExport::read(text).unwrap(), lines[1..lines.len() - 1].to_vec())
}

/// Half of the units on one browser, export, and the rest on another from the file.
fn walk(mode: &[&str], language: &str, seen: Seen) {
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let page = page(&context, mode, language);
    let begun = format!("Boolean({})", nth(".codes button", 1));
    let half = {
        let mut hands = Hands::open(&browser, &page, seen);
        hands.until(&begun);
        let rendered = hands.value("[document.documentElement.lang, document.documentElement.dir]");
        assert_eq!(rendered, json!([language, if language == "ar" { "rtl" } else { "ltr" }]));
        let dark = "matchMedia('(prefers-color-scheme: dark)').matches";
        assert_eq!(hands.value(dark), seen.dark);
        hands.press(&nth(".codes button", 1));
        hands.press("document.getElementById('begin')");
        (0..ITEMS / 2).for_each(|at| work(&mut hands, mode[0], at, seen));
        let text = hands.download("document.getElementById('export')");
        assert_eq!(hands.problems, [] as [&str; 0]);
        text
    };
    let file = context.write("half.jsonl", &half);
    let mut hands = Hands::open(&browser, &page, seen);
    hands.until(&begun);
    hands.choose("#file", &file);
    hands.until("state.at === 10");
    assert_eq!(hands.value("state.code"), "p2");
    (ITEMS / 2..ITEMS).for_each(|at| work(&mut hands, mode[0], at, seen));
    hands.until("atEnd() && document.getElementById('save') !== null");
    let whole = hands.download("document.getElementById('save')");
    assert_eq!(hands.problems, [] as [&str; 0]);
    let ((first, before), (export, after)) = (records(&half), records(&whole));
    assert_eq!((first.header.done, export.header.done, export.header.items), (ITEMS / 2, ITEMS, ITEMS));
    let without_check = |records: &[Value]| -> Vec<Value> {
        let mut records = records.to_vec();
        records.iter_mut().for_each(|record| drop(record.as_object_mut().unwrap().remove("check")));
        records
    };
    assert_eq!(without_check(&after)[..ITEMS / 2], without_check(&before), "what came from the file is kept");
    if let AnnotationRecords::Marks(marks) = &export.records {
        assert!(marks.iter().all(|mark| mark.read_to.is_some() && !mark.keywords.is_empty()));
        let phrases = marks.iter().filter(|mark| mark.keywords.iter().any(|it| it.words == Some((3, 4)))).count();
        assert_eq!(phrases, if seen.width > 600 { ITEMS } else { 0 });
    }
}

const WIDE: u32 = 1280;
const NARROW: u32 = 390;

#[test]
fn questions_are_answered_by_clicks_in_chinese() {
    walk(&["answer"], "zh", Seen { width: WIDE, dark: false });
}

#[test]
fn questions_are_answered_by_touches_in_arabic_and_the_dark() {
    walk(&["answer"], "ar", Seen { width: NARROW, dark: true });
}

#[test]
fn words_are_marked_by_touches_in_chinese_and_the_dark() {
    walk(&["mark"], "zh", Seen { width: NARROW, dark: true });
}

#[test]
fn words_are_marked_by_clicks_and_dragging_in_arabic() {
    walk(&["mark"], "ar", Seen { width: WIDE, dark: false });
}

#[test]
fn texts_are_judged_by_clicks_in_chinese_and_the_dark() {
    walk(&["judge", "--scheme", "tomvalley-questions"], "zh", Seen { width: WIDE, dark: true });
}

#[test]
fn texts_are_judged_by_touches_in_arabic() {
    walk(&["judge", "--scheme", "tomvalley-questions"], "ar", Seen { width: NARROW, dark: false });
}
