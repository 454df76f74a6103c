//! Pages on which people work, opened in headless Chromium: what they show, what they export, and what becomes of it.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use predicates::str::contains;
use serde_json::{Value, json};
use tomeval::internal::AnnotationExport;
use tomeval::internal::CANARY;

use crate::support::browser::{self, browser, unpacked};
use crate::support::context::{Run, TestContext};
use crate::support::released::released;
use crate::support::tiny_models::shared_tiny_model;

/// What a command prints of some files.
fn printed(arguments: &[&str], paths: &[&Path]) -> String {
    TestContext::new().command(arguments).args(paths).run().done().stdout
}

/// What a script returns in a page that has unpacked its units.
fn told_by(browser: &Path, page: &Path, script: &str) -> Value {
    let begun = "await until(() => document.getElementById('begin'));";
    browser::told_by(browser, page, &format!("{begun} {script}"))
}

fn page(context: &TestContext, name: &str, arguments: &[&str]) -> PathBuf {
    let page = context.path(format!("{name}.html"));
    context.command(&["annotate"]).args(arguments).arg("--out").arg(&page).run().done();
    page
}

/// What a page holds packed.
pub fn units(page: &Path) -> Value {
    let text = fs::read_to_string(page).unwrap();
    let start = text.find("id=\"units\">").unwrap() + "id=\"units\">".len();
    let packed = &text[start..start + text[start..].find("</script>").unwrap()];
    serde_json::from_str(&unpacked(packed)).unwrap()
}

/// Save what a page told as its export.
fn save(context: &TestContext, name: &str, text: &Value) -> PathBuf {
    context.write(format!("{name}.jsonl"), text.as_str().unwrap())
}

/// Answers by the text of an option, for each unit of the person in view: the first option of the data, but for `other`.
const ANSWERS: &str = r#"
    document.getElementById("begin").click();
    for (let at = 0; at < state.hand.length; at++) {
      const { unit, order } = unitAt(at);
      const wanted = other.includes(at) ? 1 : 0;
      const rows = main.querySelectorAll('.options input');
      if (unknown.includes(at)) rows[rows.length - 1].click(); else rows[order.indexOf(wanted)].click();
      document.getElementById("next").click();
    }
    return exported();"#;

#[test]
fn pages_carry_their_licence_and_the_canary_and_blind_ones_no_gold() {
    let context = TestContext::new();
    let demo = ["--benchmark", "demo", "--language", "en", "--limit", "6"];
    let blind =
        page(&context, "blind", &[&["answer"], &demo[..], &["--blind", "--people", "3", "--per-item", "2"]].concat());
    let open = page(&context, "open", &[&["answer"], &demo[..]].concat());
    for path in [&blind, &open] {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains(CANARY) && text.contains("Apache-2.0 OR MIT"), "{}", path.display());
        assert!(text.contains("default-src 'none'"), "{}", path.display());
    }
    let gold =
        |page: &Path| units(page)["units"].as_array().unwrap().iter().filter(|unit| unit.get("gold").is_some()).count();
    assert_eq!((gold(&blind), gold(&open)), (0, 6));
    assert!(!units(&blind).to_string().contains("gold"));
    let hands = units(&blind)["hands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hand| hand.as_array().unwrap().len())
        .collect::<Vec<_>>();
    assert_eq!(hands, [4, 4, 4]);
    let refused = context
        .command(&["annotate", "answer", "--benchmark", "demo", "--people", "2", "--per-item", "3", "--out"])
        .arg(context.path("x.html"))
        .run();
    assert!(refused.stderr.contains("--per-item 3 exceeds the number of people, 2"), "{}", refused.stderr);
}

#[test]
fn nobody_is_asked_the_same_question_in_two_languages() {
    let context = TestContext::new();
    let both = ["annotate", "answer", "--benchmark", "demo", "--language", "en", "--language", "zh", "--limit", "6"];
    let made = |more: &[&str]| {
        let mut command = context.command(&both);
        command.args(more).arg("--out").arg(context.path("both.html")).run()
    };
    let alone = made(&[]).stderr;
    assert!(alone.contains("versions of the same question") && alone.contains("pass --people 2, or"), "{alone}");
    let three = made(&["--people", "3", "--per-item", "2"]).stderr;
    assert!(three.contains("pass --people 4 or a lower --per-item"), "{three}");
    let two = made(&["--people", "2"]).stderr;
    assert!(two.contains("12 units are versions of 6 questions") && two.contains("goes to 1 of 2 people"), "{two}");
    let dealt = units(&context.path("both.html"));
    for hand in dealt["hands"].as_array().unwrap() {
        let ids = hand
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| dealt["units"][entry[0].as_u64().unwrap() as usize]["id"].as_str().unwrap());
        let questions: HashSet<&str> = ids.map(|id| id.rsplit_once('/').unwrap().0).collect();
        assert_eq!(questions.len(), 6, "{hand}");
    }
}

#[test]
fn digits_judge_and_enter_goes_on() {
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let page = page(
        &context,
        "digits",
        &["judge", "--scheme", "tomvalley-questions", "--benchmark", "demo", "--language", "en", "--limit", "3"],
    );
    let rendered = told_by(
        &browser,
        &page,
        r#"
        document.getElementById("begin").click();
        const press = (key) => (document.activeElement || document.body).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        const skip = document.getElementById("next").textContent;
        press("2"); press("5");
        const judged = { ...judgementsOf(unitAt(0).unit) };
        press("Enter");
        const at = state.at;
        press("1"); press("Enter");
        showHelp();
        const help = document.getElementById("help").textContent;
        return { skip, judged: Object.values(judged), at, stays: state.at, help };"#,
    );
    assert_eq!((&rendered["skip"], &rendered["judged"]), (&json!("Skip"), &json!([2, 5])));
    assert_eq!((&rendered["at"], &rendered["stays"]), (&json!(1), &json!(1)), "half a judgement does not go on");
    let help = rendered["help"].as_str().unwrap();
    assert!(help.contains("choose a label") && help.contains("Enter go on to the next"), "{help}");
}

#[test]
fn three_people_answer_and_are_a_baseline_with_agreement() {
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let demo = ["--benchmark", "demo", "--language", "en", "--limit", "20"];
    let page = page(&context, "answer", &[&["answer"], &demo[..], &["--blind", "--people", "3"]].concat());
    let mut files = Vec::new();
    for (code, other, unknown) in [("p1", "[0, 1]", "[]"), ("p2", "[]", "[5]"), ("p3", "[]", "[]")] {
        let script = format!(
            "const other = {other}, unknown = {unknown}; [...document.querySelectorAll('.codes button')].find((it) => it.textContent === '{code}').click(); {ANSWERS}"
        );
        let text = told_by(&browser, &page, &script);
        files.push(save(&context, code, &text));
    }
    let exports: Vec<AnnotationExport> =
        files.iter().map(|file| AnnotationExport::read(&fs::read_to_string(file).unwrap()).unwrap()).collect();
    assert!(exports.iter().all(|export| export.header.done == 20));
    let (first, second) = (exports[0].answers().unwrap(), exports[1].answers().unwrap());
    assert_ne!(first[0].id, second[0].id, "everybody has an order of their own");
    assert!(first.iter().any(|answer| answer.order.as_slice() != [0, 1, 2, 3]) && second[5].unknown);
    let arguments = ["score", "--benchmark", "demo", "--language", "en", "--json", "--answers"];
    let mut command = context.command(&arguments);
    command.arg(&files[0]).arg("--answers").arg(&files[1]).arg("--answers").arg(&files[2]);
    let report = command.run().json();
    let raters = &report["results"][0]["raters"][0];
    assert_eq!(report["label"], "3 people");
    assert_eq!(
        raters["raters"].as_array().unwrap().iter().map(|it| it["without_choice"].as_u64().unwrap()).sum::<u64>(),
        1
    );
    // p1 chose otherwise twice, p2 did not answer once: of p1 and p3 18 of 20 are alike, of p2 and p3 all 19.
    let pairs: Vec<(u64, f64)> = raters["agreement"]["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| (pair["units"].as_u64().unwrap(), pair["same"].as_f64().unwrap()))
        .collect();
    assert_eq!((pairs[1], pairs[2]), ((20, 90.0), (19, 100.0)));
    let tables = report["results"][0]["tables"].as_array().unwrap();
    assert!(tables.iter().flat_map(|table| table["rows"].as_array().unwrap()).all(|row| row["label"] == "3 people"));
    let mut command =
        context.command(&["score", "--benchmark", "demo", "--language", "en", "--format", "csv", "--answers"]);
    command.arg(&files[0]).arg("--answers").arg(&files[1]).arg("--answers").arg(&files[2]);
    let csv = command.run().stdout;
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let value = |key: &str, column: &str| -> f64 {
        let line = lines.iter().find(|line| line[1] == "people" && line[6] == key && line[7] == column);
        line.unwrap_or_else(|| panic!("{key}, {column}: {csv}"))[8].parse().unwrap()
    };
    assert_eq!((value("rater=p1;other=p3", "same answer"), value("rater=p2", "without choice")), (90.0, 1.0));
    assert_eq!(Some(value("rater=p1;other=p3", "Cohen's kappa")), raters["agreement"]["pairs"][1]["kappa"].as_f64());
    assert_eq!(Some(value("ratings=3", "Fleiss' kappa")), raters["agreement"]["fleiss"].as_f64());
    let items =
        printed(&["score", "--benchmark", "demo", "--language", "en", "--format", "items", "--answers"], &[&files[0]]);
    assert!(items.lines().all(|line| serde_json::from_str::<Value>(line).unwrap()["rater"] == "p1"));

    // The same file on another device, which has nothing: the person goes on where they were, and a changed one is refused.
    let text = fs::read_to_string(&files[0]).unwrap();
    let short: Vec<&str> = text.lines().take(8).collect();
    let other = told_by(
        &browser,
        &page,
        &format!(
            "const text = {}; const told = []; \
             for (const bad of [text.replace('\"choice\":1', '\"choice\":0'), {}, 'hello']) {{ try {{ takeFile(bad); }} catch (error) {{ told.push(error.message); }} }} \
             takeFile(text); told.push(state.code, doneCount()); open(firstOpen()); told.push(exported() === text); return told;",
            json!(text),
            json!(short.join("\n")),
        ),
    );
    let rendered = other.as_array().unwrap();
    assert!(rendered[0].as_str().unwrap().contains("it was changed"), "{other}");
    assert!(rendered[1].as_str().unwrap().contains("the end is missing"), "{other}");
    assert!(rendered[2].as_str().unwrap().contains("line 1: it is not of such a page"), "{other}");
    assert_eq!((&rendered[3], &rendered[4], &rendered[5]), (&json!("p1"), &json!(20), &json!(true)));
    let damaged = context.write("damaged.jsonl", text.replacen("\"choice\":1", "\"choice\":0", 1));
    let refused = context.command(&["score", "--benchmark", "demo", "--answers"]).arg(&damaged).run().code(2);
    refused.with_stderr(contains("was changed since the page wrote it"));
}

#[test]
fn words_marked_on_a_page_stand_beside_a_model_s() {
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let item = "demo/cake-tin/0/en";
    let page = page(&context, "mark", &["mark", "--benchmark", "demo", "--language", "en", "--item", item, "--blind"]);
    // A click, a word dragged to the next, the same word at its second place, and the point of being sure by keyboard.
    let marked = told_by(
        &browser,
        &page,
        r#"
        document.getElementById("begin").click();
        const words = [...main.querySelectorAll(".w")];
        const counts = {};
        for (const word of words) (counts[word.textContent] ||= []).push(word);
        const [name, twice] = Object.entries(counts).find(([text, all]) => all.length > 1 && text.length > 3);
        const press = (kind, word) => { const box = word.getBoundingClientRect(); word.dispatchEvent(new PointerEvent(kind, { bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 })); };
        twice[1].scrollIntoView();
        press("pointerdown", twice[1]); press("pointerup", twice[1]);
        words[0].scrollIntoView();
        press("pointerdown", words[0]); press("pointermove", words[1]); press("pointerup", words[1]);
        main.querySelector('[data-tool="sure"]').click();
        const last = [...main.querySelectorAll(".w")].at(-1);
        last.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
        const shown = [...main.querySelectorAll(".marks li span")].map((node) => node.textContent);
        return { text: exported(), name, shown, ranks: [...main.querySelectorAll(".w[data-rank]")].map((node) => node.textContent) };"#,
    );
    let text = marked["text"].as_str().unwrap();
    let export = AnnotationExport::read(text).unwrap();
    let record = &export.marks().unwrap()[0];
    assert_eq!(
        (record.keywords[0].text.as_str(), record.keywords[0].occurrence),
        (marked["name"].as_str().unwrap(), 2)
    );
    assert!(record.keywords[1].text.contains(' ') && record.keywords[1].words == Some((0, 1)), "{record:?}");
    assert_eq!(record.read_to.as_ref().unwrap().words, Some((record.words - 1, record.words - 1)));
    assert_eq!(marked["shown"].as_array().unwrap().len(), 3);
    let file = save(&context, "p1", &marked["text"]);
    let mut attend = context.command(&["attend", "--offline", "--benchmark", "demo", "--item", item]);
    attend.args(["--deletion-draws", "0", "--json"]).arg("--model").arg(shared_tiny_model()).arg("--human").arg(&file);
    let output = attend.run();
    let document: Value = output.json();
    let human = &document["cases"][0]["humans"][0];
    assert_eq!((human["reader"].as_str(), human["words"].as_array().unwrap().len()), (Some("p1"), 3));
    let chance = human["overlap_by_chance"].as_f64().unwrap();
    assert!(chance > 0.0 && chance < 1.0 && human["missing"].as_array().unwrap().is_empty(), "{human}");
    // The question is not in scope, and that is told.
    assert!(human["read_to_missing"].is_string() && human["read_to"].is_null(), "{human}");
    let keywords = context.path("marks.json");
    printed(&["annotate", "read", "--json"], &[&file, Path::new("--keywords"), &keywords]);
    let mut again = context.command(&["attend", "--offline", "--benchmark", "demo", "--item", item]);
    again.args(["--deletion-draws", "0", "--json"]).arg("--model").arg(shared_tiny_model()).arg("--human");
    again.arg(&keywords);
    assert_eq!(again.run().stdout, output.stdout, "both files say the same");
    fs::write(&keywords, fs::read_to_string(&keywords).unwrap().replace("cake-tin/0", "cake-tn/0")).unwrap();
    let mut absent =
        context.command(&["attend", "--offline", "--benchmark", "demo", "--item", item, "--deletion-draws", "0"]);
    let rendered = absent.arg("--model").arg(shared_tiny_model()).arg("--human").arg(&keywords).run().stderr;
    assert!(rendered.contains("demo/cake-tn/0/en; did you mean demo/cake-tin/0/en?"), "{rendered}");
}

#[test]
fn two_annotators_make_hi_tom_s_table_of_errors_and_a_third_adjudicates() {
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let at = |name: &str| context.path(name);
    printed(&["make", "hi-tom", "--stories", "2", "--chapters", "1", "--out"], &[&at("made")]);
    let asked = [
        "run",
        "--offline",
        "--benchmark",
        "hi-tom",
        "--scoring",
        "generate",
        "--max-new-tokens",
        "4",
        "--orders",
        "identity",
    ];
    printed(
        &asked,
        &[Path::new("--data"), &at("made"), Path::new("--model"), shared_tiny_model(), Path::new("--out"), &at("run")],
    );
    let judge = |name: &str, more: &[&str]| {
        let mut command = context.command(&["annotate", "judge", "--scheme", "hi-tom-errors"]);
        command.arg("--run").arg(at("run")).arg("--data").arg(at("made")).args(more).arg("--out").arg(at(name));
        command.run().success();
        at(name)
    };
    let first = judge("errors.html", &["--people", "2"]);
    // Both see the second error in orders above 1; the second person the fourth in order 4, too.
    let script = |code: &str, fourth: bool| {
        format!(
            r#"
            [...document.querySelectorAll(".codes button")].find((it) => it.textContent === "{code}").click();
            document.getElementById("begin").click();
            for (let at = 0; at < state.hand.length; at++) {{
              const order = Number(unitAt(at).unit.facts.order);
              const box = (number) => main.querySelectorAll("[data-question] input")[number];
              if (order > 1) box(1).click();
              if (order === 4 && {fourth}) box(3).click();
              if (order <= 1) box(5).click();
              document.getElementById("next").click();
            }}
            return exported();"#
        )
    };
    let files: Vec<PathBuf> = [("p1", false), ("p2", true)]
        .into_iter()
        .map(|(code, fourth)| save(&context, code, &told_by(&browser, &first, &script(code, fourth))))
        .collect();
    let read =
        |files: &[&Path]| -> Value { serde_json::from_str(&printed(&["annotate", "read", "--json"], files)).unwrap() };
    let judged = read(&[&files[0], &files[1]]);
    let percent = |judged: &Value, label: usize| -> Vec<f64> {
        let groups = judged["questions"][0]["groups"].as_array().unwrap();
        groups.iter().map(|group| group["labels"][label]["percent"].as_f64().unwrap()).collect()
    };
    assert_eq!(percent(&judged, 1), [0.0, 0.0, 100.0, 100.0, 100.0, 60.0]);
    assert_eq!(percent(&judged, 3), [0.0, 0.0, 0.0, 0.0, 50.0, 10.0]);
    assert_eq!(judged["disagreements"].as_array().unwrap().len(), 4);
    // Temporal ignorance: alike in 16 of 20; by chance 20/20 * 16/20; kappa (0.8 - 0.8) / 0.2.
    let kappa = &judged["questions"][0]["agreement"][3]["agreement"]["pairs"][0];
    assert_eq!((kappa["same"].as_f64(), kappa["kappa"].as_f64()), (Some(80.0), Some(0.0)));
    let text = printed(&["annotate", "read", "--figures"], &[&at("figures"), &files[0], &files[1]]);
    assert!(text.contains("Temporal ignorance") && text.contains("Disagreements to adjudicate"), "{text}");
    assert!(at("figures/hi-tom-errors-errors.svg").is_file() && at("figures/hi-tom-errors-errors.png").is_file());
    let [one, other] = [&files[0], &files[1]].map(|file| file.to_str().unwrap());
    let adjudicate = judge("adjudicate.html", &["--adjudicate", one, other, "--code", "third"]);
    let adjudicated = told_by(
        &browser,
        &adjudicate,
        r#"
        document.getElementById("begin").click();
        const said = [...main.querySelectorAll(".said tbody td")].map((cell) => `${cell.dataset.head}: ${cell.textContent}`).join(" \u00b7 ");
        for (let at = 0; at < state.hand.length; at++) { main.querySelectorAll("[data-question] input")[3].click(); document.getElementById("next").click(); }
        const own = judgementsOf({ id: "nobody" });
        own["__proto__"] = ["a"];
        return { said, text: exported(), kept: JSON.stringify(own), none: own.constructor ?? null };"#,
    );
    assert_eq!(
        (&adjudicated["kept"], &adjudicated["none"]),
        (&r#"{"__proto__":["a"]}"#.into(), &serde_json::Value::Null)
    );
    assert_eq!(adjudicated["said"], "p1: Commonsense error \u{b7} p2: Commonsense error, Temporal ignorance");
    // The page of `read` needs no items: its texts are those of the page that people worked on.
    let results = at("results.html");
    printed(&["annotate", "read", "--html"], &[&results, Path::new("--page"), &first, &files[0], &files[1]]);
    let adjudicated_there = told_by(
        &browser,
        &results,
        r#"
        const shown = {
          lead: main.querySelector(".lead").textContent, people: main.querySelectorAll(".people li").length,
          unnamed: [...main.querySelectorAll("th")].filter((head) => !head.textContent).length,
          caption: main.querySelector("caption").textContent, agreement: main.querySelector("table.results tbody").textContent,
        };
        document.getElementById("begin").click();
        shown.texts = [".reading .text", ".judged .text.of-question", ".judged .text.of-reply"].map((each) => main.querySelector(each) !== null);
        const sides = [...main.querySelectorAll(".side")].map((side) => getComputedStyle(side).overflowY);
        const enter = () => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
        enter();
        shown.stays = state.at;
        for (let at = 0; at < state.hand.length; at++) { document.getElementById("take-p2").click(); enter(); }
        return { ...shown, sides, end: atEnd(), text: exported() };"#,
    );
    assert_eq!(adjudicated_there["lead"], "In dispute: 4 of 20");
    assert_eq!((&adjudicated_there["people"], &adjudicated_there["unnamed"]), (&json!(2), &json!(0)));
    assert_eq!(adjudicated_there["caption"], "Agreement: errors");
    assert!(adjudicated_there["agreement"].as_str().unwrap().contains(" to "), "{adjudicated_there}");
    assert_eq!(adjudicated_there["texts"], json!([true, true, true]));
    assert_eq!(adjudicated_there["sides"], json!(["auto", "auto"]));
    assert_eq!((&adjudicated_there["stays"], &adjudicated_there["end"]), (&json!(0), &json!(true)));
    let adjudicator = save(&context, "adjudicator", &adjudicated_there["text"]);
    let judged = read(&[&files[0], &files[1], &adjudicator]);
    assert_eq!((percent(&judged, 3)[4], judged["adjudicated"].as_u64()), (100.0, Some(4)));
    let decision = &judged["decisions"][0];
    assert_eq!((&decision["adjudicated_by"], &decision["adjudicated"]), (&json!("adjudicator"), &decision["by"]["p2"]));
    let text = printed(&["annotate", "read"], &[&files[0], &files[1], &adjudicator]);
    assert!(
        text.contains("4 adjudicated by adjudicator") && text.contains("Adjudicated: the adjudicator's choice"),
        "{text}"
    );
    let damaged = fs::read_to_string(&first).unwrap().replacen("id=\"units\">", "id=\"units\">A", 1);
    let damaged = context.write("damaged.html", damaged);
    for (page, why) in [(&damaged, "not a page of"), (&results, "none of the files is from this page")] {
        let mut command = context.command(&["annotate", "read", "--html"]);
        let refused = command.arg(at("x.html")).arg("--page").arg(page).args([&files[0], &files[1]]).run();
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
    }
    let third = save(&context, "third", &adjudicated["text"]);
    let judged = read(&[&files[0], &files[1], &third]);
    assert_eq!((percent(&judged, 3)[4], judged["adjudicated"].as_u64()), (100.0, Some(4)));
    assert!(judged["disagreements"].as_array().unwrap().is_empty());
}

#[test]
fn translations_are_shown_whole_and_their_faults_ask_for_kind_and_severity() {
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let small = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let asked = ["judge", "--scheme", "xtom-mqm", "--benchmark", "xtomi", "--language", "en", "--language", "de"];
    let data = ["--data", small.to_str().unwrap()];
    // Two translations of a story are one story, whose interval does not take them for two.
    let both = page(&context, "both", &[&asked[..], &["--language", "ja"], &data].concat());
    let stories: Vec<(String, String)> = units(&both)["units"]
        .as_array()
        .unwrap()
        .iter()
        .map(|unit| (unit["id"].to_string(), unit["facts"]["story"].to_string()))
        .collect();
    let apart: HashSet<&str> = stories.iter().map(|(_, story)| story.as_str()).collect();
    assert!(stories.len() > apart.len() && stories.iter().all(|(_, story)| story.contains("/en")), "{stories:?}");
    let page = page(&context, "mqm", &[&asked[..], &data].concat());
    let rendered = told_by(
        &browser,
        &page,
        r#"
        document.getElementById("begin").click();
        const [option] = main.querySelectorAll(".of-option");
        const whole = [getComputedStyle(option).display, option.getBoundingClientRect().height < 60];
        main.querySelector(".field .w").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
        const dialog = document.getElementById("choose");
        const sets = [...dialog.querySelectorAll("fieldset")].map((set) => set.querySelectorAll("input").length);
        dialog.querySelector("[value=style]").click();
        const early = dialog.querySelector("button.main").disabled;
        dialog.querySelector("[value=major]").click();
        dialog.querySelector("button.main").click();
        return { whole, sets, early, text: exported() };"#,
    );
    assert_eq!(
        (&rendered["whole"], &rendered["sets"], &rendered["early"]),
        (&json!(["block", true]), &json!([9, 3]), &json!(true))
    );
    let export = AnnotationExport::read(rendered["text"].as_str().unwrap()).unwrap();
    let record = &serde_json::to_value(&export.judgements().unwrap()[0].judgements).unwrap()["faults"][0];
    assert_eq!((&record["label"], &record["severity"]), (&json!("style"), &json!("major")));
    let only_originals = context
        .command(&["annotate", "judge", "--scheme", "xtom-mqm", "--benchmark", "demo", "--language", "en", "--out"])
        .arg(context.path("x.html"))
        .run();
    assert!(only_originals.stderr.contains("all items are in en"), "{}", only_originals.stderr);
}

#[test]
fn a_choice_that_is_not_whole_stays_with_the_person_who_made_it() {
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let slots = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/own/slots.jsonl");
    let page = page(
        &context,
        "slots",
        &["answer", "--data", slots.to_str().unwrap(), "--answers-are", "slots", "--people", "2"],
    );
    let rendered = told_by(
        &browser,
        &page,
        r#"
        choosePerson("p1");
        open(0);
        const chosen = () => { draw(); return main.querySelectorAll(".options input:checked").length; };
        main.querySelector(".options input").click();
        const first = chosen();
        choosePerson("p2");
        open(0);
        return [first, chosen()];"#,
    );
    assert_eq!(rendered, json!([1, 0]));
}

#[test]
fn three_hundred_items_are_a_small_page() {
    let Some(data) = released("tombench") else { return };
    let context = TestContext::new();
    let path = context.path("large.html");
    let mut command = context.command(&["annotate", "mark", "--benchmark", "tombench", "--language", "zh"]);
    command.args(["--limit", "300", "--people", "20", "--per-item", "3"]).arg("--data").arg(data).arg("--out");
    command.arg(&path).run().success();
    let bytes = fs::metadata(&path).unwrap().len();
    assert!(bytes < 2_000_000, "{bytes}");
    let Some(browser) = browser() else { return };
    let rendered =
        told_by(&browser, &path, "return [performance.now(), document.documentElement.lang, body.units.length];");
    assert_eq!((&rendered[1], &rendered[2]), (&json!("zh"), &json!(300)));
}
