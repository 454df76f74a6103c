//! People correct made texts on a page; their corrections make a set.

use super::stories::{stories, write};
use super::translate::{arguments, record};
use super::{adapt, replay};
use crate::support::browser::browser;
use crate::support::context::TestContext;
use crate::support::files::read_json_lines;
use crate::support::hands::{Hands, Seen};

#[test]
fn corrections_on_the_page_become_a_corrected_set() {
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let all: Vec<_> = stories().into_iter().take(2).collect();
    let data = write(&context, "en.jsonl", &all, "en");
    let (server, _) = record(all.clone());
    context.run(&arguments(&data, &server.name(), "set")).success();
    let judge = ["annotate", "judge", "--scheme", "xtom-mqm", "--made", "set/made.jsonl", "--interface", "en"];
    context.run(&[&judge[..], &["--people", "2", "--out", "page.html"]].concat()).success();
    // Two people: both correct the first question, differently the story, and one an option.
    let work = |code: usize, story: &str, option: Option<&str>| {
        let mut hands = Hands::open(&browser, &context.path("page.html"), Seen { width: 1200, dark: false });
        hands.press(&format!("document.querySelectorAll('main .codes button')[{code}]"));
        hands.press("document.getElementById('begin')");
        for _ in 0..2 {
            let is_first = hands.value("unitAt(state.at).unit.id") == "custom/s1/en";
            let shown = hands.value("document.querySelector('main').innerText").as_str().unwrap().to_string();
            assert!(shown.contains("Translated back") && shown.contains("Original"), "{shown}");
            if is_first {
                assert!(shown.contains(&all[0].en.story), "{shown}");
                hands.write("document.getElementById('edit/0')", story);
                hands.write("document.getElementById('edit/1')", "娜拉先去哪儿找柠檬？");
                if let Some(option) = option {
                    hands.write("document.getElementById('edit/2')", option);
                }
            }
            hands.press("document.querySelector('[data-question] [data-digit=\"0\"]')");
            hands.press("document.getElementById('next')");
        }
        hands.until("atEnd() && document.getElementById('save') !== null");
        let text = hands.download("document.getElementById('save')");
        assert_eq!(hands.problems, [] as [&str; 0]);
        context.write(format!("p{}.jsonl", code + 1), text);
    };
    work(0, "娜拉和皮特在厨房里。", None);
    work(1, "皮特和娜拉在厨房里。", Some("大篮子"));
    let correct = ["make", "correct", "p1.jsonl", "p2.jsonl", "--set", "set"];
    let open = context.run(&[&correct[..], &["-o", "open"]].concat()).code(1);
    assert!(open.stdout.contains("2 corrections carried out."), "{}", open.stdout);
    assert!(open.stdout.contains("custom/s1/en, story: p1, p2 differ"), "{}", open.stdout);
    context.run(&[&correct[..], &["--prefer", "p2", "-o", "done"]].concat());
    let lines = read_json_lines(&context.path("done/items.jsonl"));
    assert_eq!(lines[0]["story"], "皮特和娜拉在厨房里。");
    assert_eq!(lines[0]["question"], "娜拉先去哪儿找柠檬？");
    assert_eq!(lines[0]["options"][0], "大篮子");
    // All questions of a story have the same story, and each says who changed what.
    assert_eq!(lines[1]["story"], lines[0]["story"]);
    let edits = |line: &serde_json::Value| {
        let all = line["made"].as_array().unwrap().iter();
        all.filter(|one| one["step"] == "edit" && one["worker"].is_string() && one["part"].is_string()).count()
    };
    assert_eq!((edits(&lines[0]), edits(&lines[1]), edits(&lines[2])), (3, 1, 0));
    context.run(&["data", "check", "--data", "done/items.jsonl"]).success();
}

#[test]
fn the_sketch_stands_beside_the_dialogues_and_the_direct_story_beside_the_adapted_one() {
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let page = |given: &[&str]| {
        let judge = ["annotate", "judge", "--interface", "en", "--out", "page.html"];
        context.run(&[&judge[..], given].concat()).success();
    };
    let shown = || {
        let mut hands = Hands::open(&browser, &context.path("page.html"), Seen { width: 1200, dark: false });
        hands.press("document.getElementById('begin')");
        let shown = hands.value("document.querySelector('main').innerText").as_str().unwrap().to_string();
        assert_eq!(hands.problems, [] as [&str; 0]);
        shown
    };
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/tomvalley");
    page(&["--scheme", "tomvalley-contexts", "-b", "tomvalley", "--data", data]);
    let text = shown();
    assert!(text.contains("Sketch of the mind") && text.contains("Why the belief changes"), "{text}");
    assert_eq!(text.matches("strongly agree").count(), 5, "{text}");
    let all: Vec<_> = stories().into_iter().take(1).collect();
    let data = write(&context, "en.jsonl", &all, "en");
    let direct = all[0].en.story.clone();
    let (server, _) = replay::record(move |asked| adapt::scripted(&all, asked));
    context.run(&adapt::arguments(&data, &server.name(), "set")).code(1);
    page(&["--scheme", "adaptation", "--made", "set/made.jsonl"]);
    let text = shown();
    assert!(text.contains(&direct) && text.contains(&adapt::changed(&direct)), "{text}");
}
