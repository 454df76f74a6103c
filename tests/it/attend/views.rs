//! The page of `tomeval attend` in headless Chromium: the order of its parts, what is folded and printed, addresses, and what else
//! a word or a head can be asked.

use serde_json::json;
use tempfile::TempDir;

use crate::support::attention_page::{Written, sharp_model};
use crate::support::browser::{browser, told_by};

/// The parts in their order, what is folded before, on and after paper, and what has no name for those who do not see it.
const PARTS: &str = r##"
    await until(() => document.querySelector("main .card"));
    const told = { parts: [...document.querySelectorAll(".part-title")].map((title) => title.textContent) };
    told.first = main.querySelector("h1").textContent;
    const folds = () => [...main.querySelectorAll(".fold > details")];
    const shut = () => folds().filter((fold) => !fold.open).length;
    told.folded = folds().length > 3 && shut() === folds().length;
    folds()[0].open = true;
    await until(() => location.hash.includes("open=heads"));
    told.maps = main.querySelectorAll(".small-maps button").length;
    main.querySelector('[data-focus="small-2"]').click();
    told.head = [state.from === state.to, state.head];
    told.pressed = main.querySelector('[data-focus="small-2"]').getAttribute("aria-pressed");
    dispatchEvent(new Event("beforeprint"));
    told.printed = [folds().length > 6, shut()];
    told.heads = [...main.querySelectorAll("thead th")].filter((head) => !head.textContent.trim()).length;
    dispatchEvent(new Event("afterprint"));
    told.kept = folds().filter((fold) => fold.open).length;
    told.captions = [...main.querySelectorAll("table")].filter((table) => !table.caption?.textContent).length;
    told.pictures = [...main.querySelectorAll('svg[role="img"]')].filter((picture) => !picture.querySelector("title")?.textContent).length;
    return told;
"##;

#[test]
fn parts_stand_in_the_order_of_the_question_and_all_else_is_folded() {
    let Some(browser) = browser() else { return };
    let folder = TempDir::new().unwrap();
    let arguments = ["--contrast", "options", "--lens", "--knock-out", "heads=1.0"];
    let written = Written::new(&sharp_model(folder.path()), &arguments);
    let told = told_by(&browser, &written.page(), PARTS);
    let parts = ["What was chosen", "What was looked at", "Against what", "Does it matter", "More"];
    assert_eq!(told["parts"], json!(parts));
    assert_eq!(told["folded"], true);
    let heads = &written.document["cases"][0]["rows"][0]["heads_map"]["heads"];
    assert_eq!((&told["maps"], &told["head"], &told["pressed"]), (heads, &json!([true, 2]), &json!("true")));
    assert_eq!((&told["printed"], &told["kept"]), (&json!([true, 0]), &json!(1)), "on paper nothing is folded");
    assert_eq!((&told["heads"], &told["captions"], &told["pictures"]), (&json!(0), &json!(0), &json!(0)));
}

/// Steps through prompts and back, and what addresses written by hand open.
const ADDRESSES: &str = r##"
    await until(() => document.querySelector("main .card"));
    const title = () => main.querySelector("h1").textContent;
    const told = { titles: [title()] };
    document.querySelectorAll("#list button")[1].click();
    told.titles.push(title());
    const slide = document.querySelector('[data-focus="head"]');
    slide.value = 2;
    slide.dispatchEvent(new Event("input"));
    await until(() => location.hash.includes("head=2"));
    told.hash = location.hash;
    history.back();
    await until(() => title() === told.titles[0]);
    // The page is slow, and notes nothing that would keep the browser from going forward.
    history.forward();
    for (const end = performance.now() + 1000; performance.now() < end;);
    await until(() => title() === told.titles[1]);
    told.head = state.head;
    const opened = async (hash, until_) => {
        location.hash = hash;
        await until(until_);
        return [title(), state.from, state.to, state.head, state.contrast >= 0, [...state.unfolded].join()];
    };
    told.number = await opened("0", () => title() === told.titles[0]);
    told.item = await opened(encodeURIComponent(told.titles[1]), () => title() === told.titles[1]);
    told.view = await opened(`item=${encodeURIComponent(told.titles[0])}&layers=1&head=3&contrast=${encodeURIComponent(data.contrasts[0].name)}&open=parts&view=matters`, () => title() === told.titles[0]);
    told.part = document.activeElement.textContent;
    told.wild = await opened(`item=${encodeURIComponent(told.titles[1])}&layers=7-99&head=x&query=word%209999&contrast=none&word=-4&map=__proto__&view=constructor`, () => title() === told.titles[1]);
    told.lost = await opened("item=no%2Fsuch", () => document.getElementById("lost"));
    told.says = document.getElementById("lost").textContent;
    return told;
"##;

#[test]
fn every_view_has_an_address_and_back_returns() {
    let Some(browser) = browser() else { return };
    let folder = TempDir::new().unwrap();
    let written = Written::new(&sharp_model(folder.path()), &["--contrast", "options"]);
    let told = told_by(&browser, &written.page(), ADDRESSES);
    let [first, second] = [0, 1].map(|at| written.document["cases"][at]["item"].as_str().unwrap());
    assert_eq!(told["titles"], json!([first, second]));
    assert_eq!(told["hash"], format!("#item={}&head=2", second.replace('/', "%2F")));
    assert_eq!(told["head"], 2, "forward shows the head again");
    assert_eq!(told["number"], json!([first, 0, 1, -1, false, ""]));
    assert_eq!(told["item"], json!([second, 0, 1, -1, false, ""]));
    assert_eq!(told["view"], json!([first, 1, 1, 3, true, "parts"]));
    assert_eq!(told["part"], "Does it matter");
    assert_eq!(told["wild"], json!([second, 0, 1, -1, false, ""]), "what a prompt has not is left as it is");
    assert_eq!(told["says"], "This page holds no prompt of no/such.");
}

/// A word of the question is asked, with a table made here: it looks at one word of the story alone.
const ASKED: &str = r##"
    await until(() => document.querySelector("main .card"));
    const one = data.cases[0], told = {};
    for (const each of data.cases) delete each.positions;
    draw();
    const columns = one.words.map((_, at) => at).filter((at) => one.words[at][1] !== 2);
    const inPart = (name) => columns.filter((at) => one.parts[one.words[at][2]]?.[0] === name && one.words[at][1] === 0);
    const word = inPart("question")[1], content = (at) => one.words[at][3] !== 1, seen = inPart("story").filter(content)[4];
    told.none = main.querySelectorAll(".ask").length;
    const cells = columns.map((at) => (at === seen ? 255 : 0));
    one.positions = { words: [word], table: { bytes: 1, top: [0.5], cells: btoa(String.fromCharCode(...cells)) } };
    draw();
    const asks = main.querySelectorAll(".ask");
    told.asks = [asks.length, asks[0].textContent === one.words[word][0], getComputedStyle(asks[0]).textDecorationStyle];
    asks[0].click();
    const top = () => [...document.querySelectorAll("section.card")].find((card) => card.querySelector("h2")?.textContent.startsWith("First ")).querySelector("tbody tr").cells;
    told.top = [top()[1].textContent === one.words[seen][0], top()[2].textContent, main.querySelectorAll(".story .w.tint").length];
    await until(() => location.hash.includes(`query=word%20${word}`));
    told.csv = viewCsv().split("\r\n").filter((line) => line.includes(",part,story,")).map((line) => line.split(",part,story,")[1].replaceAll(",", ""));
    const kept = location.hash;
    document.querySelector('[data-focus="back"]').click();
    told.back = [state.asked, main.querySelectorAll(".story .w.tint").length > 1];
    await until(() => !location.hash.includes("query="));
    location.hash = kept;
    await until(() => state.asked === word);
    return told;
"##;

#[test]
fn a_word_of_the_question_shows_what_it_attends_to() {
    let Some(browser) = browser() else { return };
    let folder = TempDir::new().unwrap();
    let written = Written::new(&sharp_model(folder.path()), &[]);
    let told = told_by(
        &browser,
        &written.page().clone(),
        &format!("for (const one of data.cases) delete one.positions; draw();\n{ASKED}"),
    );
    assert_eq!(told["none"], 0);
    assert_eq!(told["asks"], json!([1, true, "dotted"]));
    assert_eq!(told["top"], json!([true, "100.0 %", 1]));
    assert_eq!(told["csv"], json!(["1"]), "the whole row lies on the story");
    assert_eq!(told["back"], json!([-1, true]));
}

/// The same views of a page that was made with function words, and of one that was made without and holds them beside.
const SWITCHED: &str = r##"
    await until(() => document.querySelector("main .card"));
    const told = { before: [], after: [] };
    // Below half a point, which is what a page keeps, the order may be another.
    const keywords = () => [...[...document.querySelectorAll("section.card")].find((card) => card.querySelector("h2")?.textContent.startsWith("First "))
        .querySelectorAll("tbody tr")].map((row) => [row.cells[1].textContent, parseFloat(row.cells[2].textContent)]).filter(([, weight]) => weight >= 0.5);
    const views = [[0, 1, -1], [1, 1, -1], [0, 0, 2], [1, 1, 3]];
    const look = (list) => { for (const [from, to, head] of views) { Object.assign(state, { from, to, head }); draw(); list.push(keywords()); } };
    look(told.before);
    for (const one of data.cases) {
        for (const row of one.rows) {
            row.ranking = row.ranking.filter((word) => !isFunction(one, word.words[0]));
            for (const kept of ["ranked", "others", "columns"]) delete row[kept];
        }
        one.conclusion = { kind: "not-checked", sentences: ["Said by rules."] };
    }
    settings.drop_stop_words = true;
    draw();
    const box = () => document.querySelector("[data-focus=content]");
    told.at_first = [box().checked, box().disabled, main.querySelector(".conclusion").textContent.includes("Said by rules.")];
    box().click();
    told.back = [box().checked, main.querySelector(".conclusion").textContent.includes("Said by rules."), main.querySelector(".conclusion").textContent.includes("while function words compete")];
    look(told.after);
    const table = data.cases[0].rows[0].map.tables.words;
    keys.f();
    told.again = box().checked;
    table.decoded = table.decoded.slice(0, table.bytes * table.top.length);
    for (const row of data.cases[0].rows) delete row.columns;
    told.lacking = canSwitch(data.cases[0], data.cases[0].rows[0]);
    return told;
"##;

#[test]
fn function_words_come_back_on_a_page_made_without_them() {
    let Some(browser) = browser() else { return };
    let folder = TempDir::new().unwrap();
    let written = Written::new(&sharp_model(folder.path()), &["--function-words", "--layers", "all"]);
    let told = told_by(&browser, &written.page(), SWITCHED);
    assert_eq!(told["at_first"], json!([true, false, true]));
    assert_eq!(told["back"], json!([false, false, true]), "no verdict while function words compete");
    let views = |name: &str| -> Vec<Vec<(String, f64)>> { serde_json::from_value(told[name].clone()).unwrap() };
    let (before, after) = (views("before"), views("after"));
    assert_eq!(before.len(), 4);
    for (before, after) in before.iter().zip(&after) {
        assert!(!before.is_empty() && before.len() == after.len(), "{before:?} {after:?}");
        let near = |(one, other): (&(String, f64), &(String, f64))| one.0 == other.0 && (one.1 - other.1).abs() <= 0.5;
        assert!(before.iter().zip(after).all(near), "{before:?} {after:?}");
    }
    assert_eq!((&told["again"], &told["lacking"]), (&json!(true), &json!(false)));
}
