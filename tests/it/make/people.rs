//! People correct made texts on a page; their corrections make a set.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::stories::{Story, stories, write};
use super::translate::{arguments, record, scripted};
use super::{adapt, replay};
use crate::support::browser::browser;
use crate::support::context::TestContext;
use crate::support::files::read_json_lines;
use crate::support::hands::{Hands, Seen};
use crate::support::model_server::{ModelServer, NAME, OTHER};

#[test]
fn corrections_on_the_page_become_a_corrected_set() {
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let all: Vec<_> = stories().into_iter().take(2).collect();
    let data = write(&context, "en.jsonl", &all, "en");
    let (server, _) = record(all.clone());
    context.run(&arguments(&data, &server.name(), "set")).success();
    judge_page(&context, "set/made.jsonl", "page.html", "2");
    // Two people: both correct the first question, differently the story, and one an option.
    let work = |code: usize, story: &str, option: Option<&str>| {
        let text = judged(&browser, &context.path("page.html"), code, |hands, id| {
            let shown = hands.value("document.querySelector('main').innerText").as_str().unwrap().to_string();
            assert!(shown.contains("Translated back") && shown.contains("Original"), "{shown}");
            if id == "custom/s1/en" {
                assert!(shown.contains(&all[0].en.story), "{shown}");
                hands.write("document.getElementById('edit/0')", story);
                hands.write("document.getElementById('edit/1')", "娜拉先去哪儿找柠檬？");
                if let Some(option) = option {
                    hands.write("document.getElementById('edit/2')", option);
                }
            }
            no_faults(hands);
        });
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
        hands.until("state.at === 0");
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

/// Works through a page of made texts as one person: `work` is done on each unit, by its id; returns the export.
fn judged(browser: &Path, page: &Path, code: usize, work: impl Fn(&mut Hands, &str)) -> String {
    let mut hands = Hands::open(browser, page, Seen { width: 1200, dark: false });
    hands.until("document.getElementById('begin') !== null || document.querySelector('main .codes button') !== null");
    if hands.value("document.querySelector('main .codes button') !== null") == true {
        hands.press(&format!("document.querySelectorAll('main .codes button')[{code}]"));
    }
    hands.press("document.getElementById('begin')");
    hands.until("state.at === 0");
    for _ in 0..hands.value("state.hand.length").as_u64().unwrap() {
        let id = hands.value("unitAt(state.at).unit.id").as_str().unwrap().to_string();
        work(&mut hands, &id);
        // Under load a click can meet the page while it still moves.
        let at = hands.value("state.at");
        let moved = format!("state.at !== {at}");
        let begun = Instant::now();
        while hands.value(&moved) != true {
            assert!(begun.elapsed() < Duration::from_secs(60), "the page does not go on from {id}");
            hands.press("document.getElementById('next')");
            let pressed = Instant::now();
            while hands.value(&moved) != true && pressed.elapsed() < Duration::from_secs(10) {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
    hands.until("atEnd() && document.getElementById('save') !== null");
    let text = hands.download("document.getElementById('save')");
    assert_eq!(hands.problems, [] as [&str; 0]);
    text
}

/// Says that the translation has no faults.
fn no_faults(hands: &mut Hands) {
    hands.press("document.querySelector('[data-question] [data-digit=\"0\"]')");
}

fn judge_page(context: &TestContext, made: &str, page: &str, people: &str) {
    let judge = ["annotate", "judge", "--scheme", "xtom-mqm", "--made", made, "--interface", "en", "--people", people];
    context.run(&[&judge[..], &["--out", page]].concat()).success();
}

fn checks(unit: &Value) -> Vec<&str> {
    unit["flags"].as_array().unwrap().iter().map(|flag| flag["check"].as_str().unwrap()).collect()
}

/// What a second translator calls otherwise.
fn second(text: &str) -> String {
    text.replace("罐子", "盒子")
}

/// Arguments of a translation by both models of a server.
fn with_two(data: &str, model: &str, out: &str) -> Vec<String> {
    let given = arguments(data, model, out).into_iter().map(str::to_string);
    given.chain(["--second-translator".to_string(), model.replace(NAME, OTHER)]).collect()
}

fn both(all: Vec<Story>) -> (ModelServer, Arc<Mutex<replay::Recorded>>) {
    replay::record(move |asked| {
        let (text, cut) = scripted(&all, asked);
        (if asked.body["model"] == OTHER { second(&text) } else { text }, cut)
    })
}

#[test]
fn people_choose_between_two_translators_and_correct_what_they_chose() {
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let all: Vec<Story> = stories().into_iter().take(2).collect();
    let data = write(&context, "en.jsonl", &all, "en");
    let (server, _) = both(all.clone());
    let translate = with_two(&data, &server.name(), "set");
    let translate: Vec<&str> = translate.iter().map(String::as_str).collect();
    let output = context.run(&translate).code(1);
    assert!(output.stdout.contains("chrF of the second translations against the first: "), "{}", output.stdout);
    let units = read_json_lines(&context.path("set/made.jsonl"));
    assert_eq!((checks(&units[0]), checks(&units[1])), (vec!["translators"; 2], vec![]));
    let first = &all[0].zh;
    assert_eq!(units[0]["texts"]["story"], first.story);
    assert_eq!(units[0]["second"]["story"], second(&first.story));
    assert_eq!((&units[0]["flags"][0]["part"], &units[1]["chrf_second"]), (&json!("story"), &json!(100.0)));
    let rounds = units[1]["rounds"].as_array().unwrap().iter();
    let rounds: Vec<(&str, &str)> =
        rounds.map(|round| (round["step"].as_str().unwrap(), round["model"].as_str().unwrap())).collect();
    let (one, other) = (NAME, OTHER);
    let steps = [("translate", one), ("translate-again", one), ("second", other), ("second-again", other)];
    assert_eq!(rounds, [&steps[..], &[("review", one), ("back", one)]].concat());
    let same = context.run(&[&translate[..translate.len() - 1], &[&server.name()]].concat()).code(2);
    assert!(same.stderr.contains("--second-translator is the translator"), "{}", same.stderr);

    judge_page(&context, "set/made.jsonl", "page.html", "2");
    // One takes the second translation and corrects a word of it and the question; the other leaves the first.
    let chosen = second(&first.story).replace("蓝色", "蓝");
    let take = |hands: &mut Hands, id: &str| {
        if id == "custom/s1/en" {
            let shown = hands.value("document.querySelector('main').innerText").as_str().unwrap().to_string();
            assert!(shown.contains("Another translation") && shown.contains(&second(&first.story)), "{shown}");
            hands.press("document.getElementById('take-other')");
            assert_eq!(hands.value("document.getElementById('edit/0').value"), second(&first.story));
            hands.press("document.getElementById('take-own')");
            assert_eq!(hands.value("document.getElementById('edit/0').value"), *first.story);
            hands.press("document.getElementById('take-other')");
            hands.write("document.getElementById('edit/0')", &chosen);
            hands.write("document.getElementById('edit/1')", "娜拉先去哪儿找柠檬？");
        }
        no_faults(hands);
    };
    context.write("p1.jsonl", judged(&browser, &context.path("page.html"), 0, take));
    context.write("p2.jsonl", judged(&browser, &context.path("page.html"), 1, |hands, _| no_faults(hands)));
    let correct =
        |more: &[&str]| context.run(&[&["make", "correct", "p1.jsonl", "p2.jsonl", "--set", "set"], more].concat());
    let open = correct(&["-o", "open"]).code(1);
    assert!(open.stdout.contains("custom/s1/en, story: p1, p2 differ"), "{}", open.stdout);
    let units = read_json_lines(&context.path("open/made.jsonl"));
    assert!(units[0]["second"].is_object() && units[1].get("second").is_none(), "what is open is still to be chosen");
    assert_eq!(units[0]["texts"]["story"], first.story);

    let taken = correct(&["--prefer", "p1", "-o", "taken"]).code(1);
    assert!(
        taken.stdout.contains("1 unit: the second translation was chosen, and is to be judged."),
        "{}",
        taken.stdout
    );
    let again = read_json_lines(&context.path("taken/again.jsonl"));
    assert_eq!((again.len(), &again[0]["texts"]["story"]), (1, &json!(chosen)));
    assert!(again[0].get("second").is_none() && again[0]["back"].is_null(), "{}", again[0]);
    let lines = read_json_lines(&context.path("taken/items.jsonl"));
    assert_eq!(
        (&lines[0]["story"], &lines[0]["options"][1]),
        (&json!(chosen), &json!(second(&first.questions[0].1[1])))
    );
    let history = lines[0]["made"].as_array().unwrap().iter().filter(|step| step["worker"] == "p1");
    let history: Vec<(&str, &str)> =
        history.map(|step| (step["step"].as_str().unwrap(), step["part"].as_str().unwrap())).collect();
    assert_eq!(history, [("choose", "story"), ("edit", "question 1"), ("choose", "question 1, option B")]);

    let kept = correct(&["--prefer", "p2", "-o", "kept"]).success();
    assert!(kept.stdout.contains("1 correction carried out."), "{}", kept.stdout);
    let units = read_json_lines(&context.path("kept/made.jsonl"));
    assert_eq!((&units[0]["texts"]["story"], checks(&units[0])), (&json!(first.story), vec![]));
    assert!(!context.path("kept/again.jsonl").exists());
}

#[test]
fn a_killed_translation_by_two_asks_nothing_twice_and_ends_with_the_same_bytes() {
    let context = TestContext::new();
    let all: Vec<Story> = stories().into_iter().take(2).collect();
    let data = write(&context, "en.jsonl", &all, "en");
    let (server, recorded) = both(all);
    let given = |model: &str, out: &str| with_two(&data, model, out);
    replay::killed_after_each_reply(&context, (&server, &recorded), &given, (2 * (2 + 1) + 2 + 2, 1));
}

#[test]
fn texts_below_the_pass_mark_go_back_until_they_pass() {
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let all: Vec<Story> = stories().into_iter().take(2).collect();
    let data = write(&context, "en.jsonl", &all, "en");
    let (server, _) = record(all);
    context.run(&arguments(&data, &server.name(), "set")).success();
    judge_page(&context, "set/made.jsonl", "page.html", "1");
    // A critical fault in one text: 25 points over its words.
    let marked = judged(&browser, &context.path("page.html"), 0, |hands, id| match id {
        "custom/s1/en" => {
            hands.press("document.querySelector('main .field .w')");
            hands.press("document.querySelector('#choose [name=span-label][value=accuracy]')");
            hands.press("document.querySelector('#choose [name=span-severity][value=critical]')");
            hands.press("document.querySelector('#choose button.main')");
        }
        _ => no_faults(hands),
    });
    context.write("p1.jsonl", marked);
    let first = context.run(&["make", "correct", "p1.jsonl", "--set", "set", "-o", "first"]).code(1);
    assert!(first.stdout.contains("by MQM, below 95; to be judged again"), "{}", first.stdout);
    assert!(first.stdout.contains("--made first/again.jsonl"), "{}", first.stdout);
    let again = read_json_lines(&context.path("first/again.jsonl"));
    assert_eq!(again.iter().map(|unit| unit["id"].clone()).collect::<Vec<_>>(), ["custom/s1/en"]);
    // The next page has that text alone; corrected and without faults it passes, and the round ends.
    judge_page(&context, "first/again.jsonl", "again.html", "1");
    let mended = judged(&browser, &context.path("again.html"), 0, |hands, id| {
        assert_eq!(id, "custom/s1/en");
        hands.write("document.getElementById('edit/1')", "娜拉先去哪儿找柠檬？");
        no_faults(hands);
    });
    context.write("q1.jsonl", mended);
    context.run(&["make", "correct", "q1.jsonl", "--set", "first", "-o", "second"]).success();
    assert!(!context.path("second/again.jsonl").exists());
    let lines = read_json_lines(&context.path("second/items.jsonl"));
    assert_eq!((lines[0]["question"].as_str(), lines.len()), (Some("娜拉先去哪儿找柠檬？"), 3));
}

#[test]
fn the_five_scales_are_filled_in_by_clicks_and_read_back() {
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/tomvalley");
    let judge = ["annotate", "judge", "--scheme", "tomvalley-contexts", "-b", "tomvalley", "--data", data];
    context.run(&[&judge[..], &["--interface", "en", "--people", "2", "--out", "page.html"]].concat()).success();
    // The steps that each person chooses, scale by scale.
    for (code, steps) in [[5, 4, 3, 2, 1], [5, 5, 3, 4, 1]].into_iter().enumerate() {
        let text = judged(&browser, &context.path("page.html"), code, |hands, _| {
            for (scale, step) in steps.iter().enumerate() {
                let question = format!("document.querySelectorAll('main [data-question]')[{scale}]");
                hands.press(&format!("{question}.querySelectorAll('.scale label')[{step} - 1]"));
            }
            assert_eq!(hands.value("isDone(idAt(state.at))"), true);
        });
        context.write(format!("p{}.jsonl", code + 1), text);
    }
    let read = context.run(&["annotate", "read", "p1.jsonl", "p2.jsonl", "--json"]).json();
    let questions = read["questions"].as_array().unwrap().iter();
    let means: Vec<(&str, f64)> = questions
        .map(|question| (question["id"].as_str().unwrap(), question["groups"][0]["mean"].as_f64().unwrap()))
        .collect();
    assert_eq!(
        means,
        [
            ("coherence-1", 5.0),
            ("coherence-2", 4.5),
            ("authenticity", 3.0),
            ("dynamism", 3.0),
            ("intradependence", 1.0)
        ]
    );
}
