//! `tomeval attend --witness`: stories sentence by sentence, in the document, the terminal, figures, the page and folders, end
//! to end on a tiny model.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use resvg::usvg::roxmltree;
use serde_json::Value;

use crate::support::browser::browser;
use crate::support::context::{Run, TestContext};
use crate::support::hands::{Hands, Seen};
use crate::support::tiny_models::shared_tiny_model;

/// Made Hi-ToM stories of one chapter.
fn made(context: &TestContext) -> PathBuf {
    let data = context.path("made");
    let mut command = context.command(&["make", "hi-tom", "--chapters", "1", "--deception", "without"]);
    command.args(["--stories", "6", "--seed", "3", "--out"]).arg(&data).run().success();
    data
}

fn attend(context: &TestContext, data: &Path, arguments: &[&str]) -> Command {
    let mut command = context.command(&["attend", "--offline", "--deletion-draws", "0", "--benchmark", "hi-tom"]);
    command.args(["--witness", "--where", "order!=0", "--model"]).arg(shared_tiny_model());
    command.arg("--data").arg(data).args(arguments);
    command
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

#[test]
fn attention_per_word_is_recomputed_from_the_weights_and_unseen_sentences_from_the_table() {
    let context = TestContext::new();
    let data = made(&context);
    let csv = context.path("w.csv");
    let mut command = attend(&context, &data, &["--limit", "40", "--function-words", "--witness-csv"]);
    let document = command.arg(&csv).json();
    let (mut unseen, mut lies) = (Vec::new(), 0);
    for case in list(&document["cases"]) {
        let (found, text) = (&case["witness"], case["text"].as_str().unwrap());
        let number = |value: &Value, key: &str| value[key].as_u64().unwrap() as usize;
        // Weights are shares of the words of the story; a line's number is a word of the prompt, but not of its sentence.
        let inside = |sentence: &Value| -> Vec<usize> {
            let (start, end) = (number(sentence, "start"), number(sentence, "end"));
            let words = list(&case["words"]).iter().enumerate();
            let own = words.filter(|(_, word)| word["kind"] == "word" && number(word, "start") >= start);
            own.filter(|(_, word)| number(word, "end") <= end).map(|(at, _)| at).collect()
        };
        let mass = |words: &[usize]| -> f64 {
            words.iter().map(|&word| case["rows"][0]["weights"][word].as_f64().unwrap()).sum()
        };
        let total: f64 = list(&found["sentences"]).iter().map(|sentence| mass(&inside(sentence))).sum();
        let (mut missed, mut words_missed) = (0.0, 0);
        for sentence in list(&found["sentences"]) {
            let words = inside(sentence);
            let (start, end) = (number(sentence, "start"), number(sentence, "end"));
            assert!(!text[start..end].starts_with(|letter: char| letter.is_ascii_digit()), "{}", &text[start..end]);
            assert_eq!(words.len(), number(sentence, "words"), "{}", &text[start..end]);
            let expected = mass(&words) / total / words.len() as f64;
            assert!((sentence["per_word"].as_f64().unwrap() - expected).abs() < 1e-5, "{sentence} {expected}");
            if sentence["perceived"] == "missed" && !sentence["place"].is_null() {
                missed += mass(&words) / total;
                words_missed += words.len();
            }
        }
        if found["belief"] == false && found["released"].is_null() && words_missed > 0 {
            unseen.push(missed / words_missed as f64);
            let told = [&found["true_belief"], &found["no_true_belief"]];
            assert!(told.iter().filter(|told| !told.is_null()).count() == 1, "{found}");
            lies += usize::from(!found["true_belief"].is_null());
        }
    }
    let rows = &document["findings"]["witness"];
    let of_all = &rows[0]["comparisons"];
    assert_eq!((&rows[0]["group"], &rows[0]["items"]), (&"all".into(), &unseen.len().into()));
    let mean = unseen.iter().sum::<f64>() / unseen.len() as f64;
    assert!((of_all[0]["first"].as_f64().unwrap() - mean).abs() < 1e-5, "{of_all} {mean}");
    assert_eq!((&of_all[2]["comparison"], &of_all[2]["items"]), (&"unseen - true belief".into(), &lies.into()));
    assert!(lies > 5 && !of_all[0]["interval"].is_null(), "{of_all}");
    let lines = csv::Reader::from_path(csv).unwrap().records().map(Result::unwrap).count();
    let left_out = list(&document["findings"]["without_witness"]).len();
    assert_eq!(lines, 3 * list(rows).len() + left_out);
}

#[test]
fn the_figure_folds_what_changes_nothing_and_has_five_colours_at_most() {
    let context = TestContext::new();
    let data = made(&context);
    for width in ["77mm", "160mm"] {
        let file = context.path(format!("{width}.svg"));
        let mut command = attend(&context, &data, &["--limit", "12", "--figure", "witness", "--width", width, "--svg"]);
        let document = command.arg(&file).json();
        let mut folds = 0;
        for at in 1..=list(&document["cases"]).len() {
            let figure = fs::read_to_string(context.path(format!("{width}-{at}.svg"))).unwrap();
            let tree = roxmltree::Document::parse(&figure).unwrap();
            let texts: Vec<&str> =
                tree.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text()).collect();
            folds += texts.iter().filter(|text| text.contains(" lines: ")).count();
            let fills: BTreeSet<&str> = tree.descendants().filter_map(|node| node.attribute("fill")).collect();
            let colours = fills.iter().filter(|fill| fill.starts_with("url(") || **fill == "#0072b2").count();
            assert!((1..=5).contains(&colours), "{fills:?}");
            assert!(texts.contains(&"r") && texts.contains(&"1"), "{texts:?}");
            let caption = fs::read_to_string(context.path(format!("{width}-{at}.caption.tex"))).unwrap();
            assert!(caption.contains("The model chose"), "{caption}");
        }
        assert!(folds > 6, "{folds}");
    }
}

#[test]
fn the_terminal_fits_80_columns_and_what_is_not_tracked_says_so() {
    let context = TestContext::new();
    let data = made(&context);
    let shown = attend(&context, &data, &["--limit", "8"]).run().success().stdout;
    let (mut strips, mut inside) = (Vec::new(), false);
    for line in shown.lines() {
        inside = (inside && !line.is_empty()) || line.ends_with("here chance");
        strips.extend(inside.then_some(line));
    }
    assert!(strips.iter().any(|line| line.contains("  x  ")) && strips.iter().any(|line| line.contains("  o  ")));
    let table = shown.lines().skip_while(|line| !line.starts_with("Attention per word on unseen"));
    assert!(strips.into_iter().chain(table).all(|line| line.chars().count() <= 80), "{shown}");
    let other = context
        .command(&["attend", "--offline", "--deletion-draws", "0", "--limit", "2", "--witness", "--model"])
        .arg(shared_tiny_model())
        .run()
        .success()
        .stdout;
    assert!(other.contains("No witness strip: stories of demo are not tracked"), "{other}");
    assert!(other.contains("2 left out: no strip: stories of demo are not tracked"), "{other}");
}

/// What the page shows of a strip when it is walked through by keys and pointed at.
const WALK: &str = r##"
    const strip = document.querySelector("svg.strip"), card = strip.closest(".card"), readout = card.querySelector(".readout");
    strip.focus();
    const first = readout.textContent;
    strip.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    const second = readout.textContent;
    strip.querySelectorAll("rect[style*=transparent]")[4].dispatchEvent(new MouseEvent("mouseenter"));
    return { first, second, fifth: readout.textContent, wide: document.documentElement.scrollWidth, inner: innerWidth,
        headline: card.querySelector("p").textContent, patterns: strip.querySelectorAll("pattern").length,
        letters: [...strip.querySelectorAll("text")].map((text) => text.textContent), ticks: card.textContent.includes("by chance") };
"##;

#[test]
fn the_page_tells_each_sentence_under_pointer_and_keys_and_does_not_scroll_sideways() {
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let (data, page) = (made(&context), context.path("p.html"));
    let document = attend(&context, &data, &["--limit", "4", "--html"]).arg(&page).json();
    let found = &document["cases"][0]["witness"];
    let text = document["cases"][0]["text"].as_str().unwrap();
    let sentence = |at: usize| {
        let sentence = &found["sentences"][at];
        &text[sentence["start"].as_u64().unwrap() as usize..sentence["end"].as_u64().unwrap() as usize]
    };
    for (width, dark) in [(390, false), (390, true), (1200, false), (1200, true)] {
        let mut hands = Hands::open(&browser, &page, Seen { width, dark });
        hands.until("document.querySelector('svg.strip') !== null");
        let told = hands.told(WALK);
        for (key, at) in [("first", 0), ("second", 1), ("fifth", 4)] {
            assert!(told[key].as_str().unwrap().contains(sentence(at)), "{at}: {told}");
        }
        assert!(told["wide"].as_u64() <= told["inner"].as_u64(), "{width}: {told}");
        assert_eq!(told["patterns"], 4);
        assert!(told["headline"].as_str().unwrap().contains("The model chose"), "{told}");
        let letters: Vec<&str> = list(&told["letters"]).iter().map(|text| text.as_str().unwrap()).collect();
        assert!(letters.contains(&found["places"][0]["letter"].as_str().unwrap()), "{letters:?}");
        assert_eq!(hands.problems, [] as [&str; 0]);
    }
}

#[test]
fn a_folder_of_strips_ends_in_the_same_bytes_stopped_or_split() {
    let context = TestContext::new();
    let data = made(&context);
    let whole = context.path("whole");
    let run =
        |out: &Path, more: &[&str]| attend(&context, &data, &["--limit", "6"]).arg("--out").arg(out).args(more).run();
    let shown = run(&whole, &[]).success().stdout;
    assert!(shown.contains("unseen - seen"), "{shown}");
    let read = |folder: &Path, name: &str| fs::read(folder.join(name)).unwrap();
    let check = |folder: &Path| {
        for name in ["items.jsonl", "groups.json", "witness.csv", "attention.html"] {
            assert!(read(folder, name) == read(&whole, name), "{}: {name}", folder.display());
        }
    };
    let stopped = context.path("stopped");
    fs::create_dir(&stopped).unwrap();
    for name in ["attention.json", "items.jsonl", "items.sha256"] {
        fs::copy(whole.join(name), stopped.join(name)).unwrap();
    }
    let half = read(&stopped, "items.jsonl").len() / 2;
    fs::write(stopped.join("items.jsonl"), &read(&whole, "items.jsonl")[..half]).unwrap();
    run(&stopped, &[]).success();
    check(&stopped);
    let parts = [context.path("1"), context.path("2")];
    for (number, part) in parts.iter().enumerate() {
        run(part, &["--shard", &format!("{}/2", number + 1)]).success();
    }
    let merged = context.path("merged");
    context.command(&["merge"]).args(&parts).arg("--out").arg(&merged).run().success();
    check(&merged);
    // The page of chosen items knows the chance that all items give.
    let page = context.path("some.html");
    let line: Value =
        serde_json::from_slice(read(&whole, "items.jsonl").split(|byte| *byte == b'\n').next().unwrap()).unwrap();
    let item = line["item"].as_str().unwrap().to_string();
    context
        .command(&["attend", "--single-file"])
        .arg(&whole)
        .args(["--item", &item, "--html"])
        .arg(&page)
        .run()
        .success();
    assert!(!line["cases"][0]["witness"]["sentences"].as_array().unwrap().is_empty());
}
