//! The page of a run, opened in headless Chromium: what it shows, finds and leaves out, whatever its texts hold.

use std::fs;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde_json::{Value, json};
use tomeval::internal::{
    CANARY, PageFacts, PageFiles, PageItem, PageWriter, ShownPrompt, ShownReply, ShownTrial, is_chunk_name,
};
use tomeval::internal::{TrialOutcome, TrialReading};
use tomeval::{Answer, Benchmark, Item, LoadOptions, OptionIx, Outcome, ReadingOutcome, Segment, SegmentKind, Ties};
use tomeval::{Language, Order, OrderPolicy, Report};

use crate::support::browser::{all_unpacked, browser, told_by, unpacked};
use crate::support::context::TestContext;
use crate::support::released::released;
use crate::support::tiny_models::tiny_model;

/// Texts that would be markup, commands or another reading direction anywhere else.
const HOSTILE: [&str; 6] = [
    "</script><script>document.title = 'broken'</script>",
    "<img src=x onerror=\"document.title = 'broken'\">",
    "<!-- <script> ]]> &lt; {{ title }} {% raw %}",
    "a\u{2028}b\u{2029}c\0d\u{1b}[2J",
    "left \u{202e}thgir\u{202c} \u{2066}x\u{2069}",
    "\"'`\\u003c${document.title = 'broken'}",
];

fn item(number: usize, story: &str, task: &str) -> Item {
    Item {
        id: format!("made/{task}/{number}/en"),
        benchmark: Benchmark::Custom,
        language: Language::En,
        parallel: format!("made/{task}/{number}"),
        story: format!("made/{task}"),
        context: vec![Segment { kind: SegmentKind::Story, text: story.into() }],
        question: format!("Where does she look, number {number}?"),
        options: vec!["In the box".into(), "In the bag".into(), "In the boxroom".into()],
        gold: Answer::Single(OptionIx(0)),
        facets: IndexMap::from([("task".to_string(), task.to_string())]),
        fields: IndexMap::new(),
        flags: Vec::new(),
    }
}

fn trial(order: [usize; 3], choice: usize) -> TrialOutcome {
    let logprobs = (0..3).map(|option| if option == choice { -0.25 } else { -2.5 }).collect();
    TrialOutcome {
        order: Some(Order::try_from(order.to_vec()).unwrap()),
        count: 1,
        choice: Some(Answer::Single(OptionIx(choice))),
        logprobs: Some(logprobs),
        tied: false,
        failure: None,
        reading: None,
    }
}

/// What such a trial shows: the story, the question, and the options by the letters of their slots.
fn shown(item: &Item, order: [usize; 3]) -> ShownTrial {
    let lines: Vec<String> = order
        .iter()
        .zip(["A", "B", "C"])
        .map(|(&option, label)| format!("{label}. {}", item.options[option]))
        .collect();
    let user = format!("Story: {}\n\n{}\n{}", item.context[0].text, item.question, lines.join("\n"));
    let turns = vec![("system".to_string(), "Answer.".to_string()), ("user".to_string(), user)];
    ShownTrial {
        labels: ["A", "B", "C"].map(String::from).to_vec(),
        prompts: vec![ShownPrompt { turns, answer_prefix: "[[".into() }],
        ..ShownTrial::default()
    }
}

const ORDERS: [[usize; 3]; 2] = [[0, 1, 2], [2, 0, 1]];

/// An item as the page tells it: in each way the choices under two orders.
fn rendered(item: &Item, ways: &[[usize; 2]]) -> PageItem {
    let mut rendered = PageItem::from_item(item);
    for (way, choices) in ways.iter().enumerate() {
        let trials = ORDERS.iter().zip(choices).map(|(order, choice)| trial(*order, *choice)).collect();
        let outcome = Outcome::new(item, "vanilla", None, trials, Ties::default());
        rendered.add(way, &outcome, ORDERS.iter().map(|order| shown(item, *order)).collect());
    }
    rendered
}

fn report() -> Report {
    Report::new(HOSTILE[1], IndexMap::from([("model".to_string(), HOSTILE[1].to_string())]), Vec::new())
}

fn facts() -> PageFacts {
    PageFacts {
        title: HOSTILE[0].into(),
        program: "tomeval test".into(),
        facts: vec![("time".into(), "3 s".into())],
        phases: vec![Some(HOSTILE[0].into())],
        attention: Some("attention.html".into()),
        folder: "report".into(),
        ..PageFacts::default()
    }
}

fn save(files: &PageFiles, folder: &Path) -> PathBuf {
    let page = folder.join("report.html");
    fs::write(&page, &files.html).unwrap();
    fs::create_dir_all(folder.join("report")).unwrap();
    for (name, text) in &files.beside {
        assert!(is_chunk_name(name), "{name}");
        fs::write(folder.join("report").join(name), text).unwrap();
    }
    page
}

#[test]
fn items_are_filtered_and_read_without_a_word_to_the_console() {
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let ways = ["letters".to_string(), "texts".to_string()];
    let mut writer = PageWriter::new(ways.to_vec(), true);
    // By turns: right in both, orders apart and so decided by the tie rule, wrong in both, right in the first way alone.
    let choices = [[[0, 0], [0, 0]], [[0, 1], [0, 1]], [[1, 1], [2, 2]], [[0, 0], [1, 1]]];
    for number in 0..1000 {
        let task = if number % 2 == 0 { "False belief" } else { "Irony" };
        let item = item(number, &format!("Story {}.", number / 10), task);
        writer.add(&rendered(&item, &choices[number % 4])).unwrap();
    }
    let page = save(&writer.finish(&report(), &facts()).unwrap(), context.folder());
    let script = r##"
        const told = {};
        const drawn = () => document.querySelectorAll("#list li").length;
        const pick = (name, own) => {
            const select = document.querySelector(`select[aria-label="${name}"]`);
            select.value = own;
            select.dispatchEvent(new Event("change"));
            const found = Number(count.textContent.split(" ")[0]);
            return found;
        };
        await until(() => document.getElementById("count")?.textContent.includes("1000 of 1000"));
        told.overview = !document.getElementById("overview").hidden;
        location.hash = "items";
        await until(() => !document.getElementById("items").hidden && pane.querySelector("table"));
        told.drawn = drawn();
        told.first = document.querySelector("#list button").textContent.includes("/3/en");
        told.task = pick("task", "Irony");
        pick("task", "False belief");
        told.wrong = pick("right or wrong", "wrong");
        pick("task", "");
        pick("right or wrong", "");
        told.split = pick("votes over orders", "split");
        pick("votes over orders", "");
        told.flips = pick("between runs", "flips");
        told.choice = pick("between runs", "choice");
        told.fall = pick("between runs", "fall");
        told.rise = pick("between runs", "rise");
        pick("between runs", "");
        const search = document.getElementById("search");
        const find = (text) => { search.value = text; search.dispatchEvent(new Event("input")); return Number(count.textContent.split(" ")[0]); };
        told.id = find("belief/998/");
        told.unread = find("number 998?");
        const box = document.getElementById("in-texts");
        box.click();
        await until(() => count.textContent.startsWith("1 of"));
        told.text = find("number 998?");
        find("");
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
        location.hash = "item=" + encodeURIComponent("made/Irony/7/en");
        await until(() => document.getElementById("item-name").textContent === "made/Irony/7/en");
        pane.querySelector("[data-prompts]").open = true;
        await until(() => pane.querySelector("[data-prompts] .prose"));
        const select = pane.querySelector("[data-prompts] select");
        select.value = "1";
        select.dispatchEvent(new Event("change"));
        told.prompt = [...pane.querySelector("[data-prompts]").querySelectorAll(".prose")].map((each) => each.textContent);
        told.cells = [...pane.querySelectorAll("table.choices")].map((table) => [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim())));
        told.link = pane.querySelector("a").getAttribute("href");
        const before = getComputedStyle(document.body).backgroundColor;
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "t", bubbles: true }));
        told.theme = before !== getComputedStyle(document.body).backgroundColor;
        told.title = document.title;
        told.wide = document.documentElement.scrollWidth <= innerWidth;
        return told;
    "##;
    let rendered = told_by(&browser, &page, script);
    let expected = json!({
        "overview": true, "drawn": 200, "first": true, "task": 500, "wrong": 250, "split": 250, "flips": 250, "choice": 500,
        "fall": 250, "rise": 0, "id": 1, "unread": 0, "text": 1, "theme": true, "title": HOSTILE[0], "wide": true,
        "link": "attention.html#made%2FIrony%2F7%2Fen",
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&rendered[name], value, "{name} in {rendered:#}");
    }
    let prompt = "Story: Story 0.\n\nWhere does she look, number 7?\nA. In the boxroom\nB. In the box\nC. In the bag";
    assert_eq!(rendered["prompt"], json!(["Answer.", prompt, "[["]));
    let rows = &rendered["cells"][0];
    assert_eq!(
        rows[1],
        json!(["A", "In the box\u{2713} gold", "2 of 2", "82.6", "\u{25cf} 82.6 A", "\u{25cf} 82.6 B"])
    );
    assert_eq!(
        rendered["cells"][1][2],
        json!(["B", "In the bag", "2 of 2", "82.6", "\u{25cf} 82.6 B", "\u{25cf} 82.6 C"])
    );
}

/// Items whose every text is hostile, with replies in which such a text was read, and a line of a megabyte.
fn hostile(with_texts: bool) -> PageFiles {
    let mut writer = PageWriter::new(HOSTILE.iter().take(1).map(|name| name.to_string()).collect(), with_texts);
    let long = "long ".repeat(200_000);
    for (number, text) in HOSTILE.iter().copied().chain([long.as_str()]).enumerate() {
        let mut item = item(number, text, &text[..10]);
        item.question = format!("secret question {text}");
        item.options = vec![text.into(), format!("{text} too"), "no".into()];
        let reading =
            TrialReading { outcome: ReadingOutcome::Answer, rule: Some("brackets".into()), tokens: None, cut: false };
        let trials = vec![TrialOutcome { logprobs: None, reading: Some(reading), ..trial(ORDERS[1], 2) }];
        let outcome = Outcome::new(&item, "vanilla", None, trials, Ties::default());
        let reply = ShownReply {
            text: format!("{text}[[A]]{text}"),
            thinking: Some(text.into()),
            outcome: Some("answer".into()),
            rule: Some("brackets".into()),
            span: Some((text.len(), text.len() + 5)),
            cut: true,
        };
        let mut rendered = PageItem::from_item(&item);
        rendered.add(0, &outcome, vec![ShownTrial { reply: Some(reply), ..shown(&item, ORDERS[1]) }]);
        writer.add(&rendered).unwrap();
    }
    writer.finish(&report(), &facts()).unwrap()
}

#[test]
fn hostile_texts_stay_texts() {
    let files = hostile(true);
    assert!(files.html.contains(CANARY) && files.html.contains("default-src 'none'"));
    assert_eq!(files.html.matches("<script").count(), files.html.matches("</script>").count());
    assert!(!files.html.contains("<img"));
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let page = save(&files, context.folder());
    let script = r##"
        const items = [];
        location.hash = "items";
        await until(() => state.index && document.getElementById("item-name"));
        for (const id of state.index.ids) {
            location.hash = "item=" + encodeURIComponent(id);
            const plain = (node) => [...node.childNodes].filter((child) => child.className !== "ctl").map((child) => child.textContent).join("");
            await until(() => plain(document.getElementById("item-name")) === id.replace(/[\u0000-\u0008\u000b-\u001f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, ""));
            items.push({
                story: pane.querySelector(".prose").textContent.slice(0, 60),
                named: [...pane.querySelectorAll(".prose")].length,
                mark: pane.querySelector("mark").textContent,
                more: [...pane.querySelectorAll("button")].filter((button) => button.textContent.startsWith("Show 98")).length,
                prompts: pane.querySelectorAll("[data-prompts]").length,
            });
        }
        return { items, images: document.images.length, title: document.title };
    "##;
    let rendered = told_by(&browser, &page, script);
    assert_eq!(rendered["title"], HOSTILE[0]);
    assert_eq!(rendered["images"], 0);
    let items = rendered["items"].as_array().unwrap();
    assert_eq!(items.len(), HOSTILE.len() + 1);
    let story = |at: usize| items[at]["story"].as_str().unwrap();
    assert_eq!(story(0), HOSTILE[0]);
    assert_eq!(story(1), HOSTILE[1]);
    assert_eq!(story(3), "aU+2028bU+2029cU+0000dU+001B[2J");
    assert_eq!(story(4), "left U+202EthgirU+202C U+2066xU+2069");
    assert!(items.iter().all(|item| item["mark"] == "[[A]]"), "{items:#?}");
    assert!(items.last().unwrap()["more"].as_u64().unwrap() >= 1, "a long line is shown in part");
}

/// All that a page and the files beside it hold in packed form.
fn all_of(files: &PageFiles) -> String {
    let beside = files.beside.iter().map(|(_, text)| unpacked(text.split('"').nth(1).unwrap()));
    all_unpacked(&files.html) + &beside.collect::<String>()
}

#[test]
fn without_texts_nothing_of_the_benchmark_is_in_the_page() {
    let (with, without) = (hostile(true), hostile(false));
    let secrets = ["secret question", "[[A]]", "long long long", "Answer."];
    for secret in secrets {
        assert!(all_of(&with).contains(secret), "{secret}");
        assert!(!all_of(&without).contains(secret) && !without.html.contains(secret), "{secret}");
    }
    assert!(without.html.contains(CANARY));
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let page = save(&without, context.folder());
    let script = r##"
        location.hash = "items";
        await until(() => pane.querySelector("table"));
        return pane.textContent.includes("without the texts") && pane.querySelectorAll(".reply").length === 1;
    "##;
    assert_eq!(told_by(&browser, &page, script), Value::Bool(true));
}

#[test]
fn more_than_a_page_holds_lies_beside_it() {
    let mut words = 1u64;
    let mut noise = || {
        words = words.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        format!("{:x}", words >> 8)
    };
    let mut writer = PageWriter::new(vec!["letters".into()], true);
    for number in 0..600 {
        let story = (0..800).map(|_| noise()).collect::<Vec<_>>().join(" ");
        writer.add(&rendered(&item(number, &story, &format!("task {}", number / 3)), &[[0, 0]])).unwrap();
    }
    let files = writer.finish(&report(), &facts()).unwrap();
    assert!(files.beside.len() > 3, "{}", files.beside.len());
    assert!(files.html.len() < 300_000, "{}", files.html.len());
    assert!(files.beside.iter().all(|(_, text)| text.starts_with(&format!("// {CANARY}\n"))));
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let page = save(&files, context.folder());
    let script = r##"
        location.hash = "item=" + encodeURIComponent("made/task 199/599/en");
        await until(() => pane.querySelector(".prose"));
        const story = pane.querySelector(".prose").textContent.length;
        const loaded = document.querySelectorAll("head script[src]").length;
        document.getElementById("in-texts").click();
        const search = document.getElementById("search");
        search.value = "number 4?";
        search.dispatchEvent(new Event("input"));
        await until(() => count.textContent.startsWith("1 of"));
        return { story: story > 5000, loaded };
    "##;
    assert_eq!(told_by(&browser, &page, script), json!({ "story": true, "loaded": 1 }));
    fs::remove_file(context.path("report/items-000.js")).unwrap();
    // The browser itself notes a missing file, so the page is asked by its own words alone.
    let lost = all_unpacked(&fs::read_to_string(&page).unwrap());
    assert!(lost.contains("cannot be read; it belongs beside this page"));
}

#[test]
fn runs_become_a_page_with_what_their_records_hold() {
    let context = TestContext::new();
    let at = context.folder();
    tiny_model(at);
    let run = |scoring: &str| {
        let arguments =
            ["run", "--offline", "--benchmark", "demo", "--limit", "4", "--orders", "cyclic", "--model", "tiny"];
        context.run(&[&arguments[..], &["--scoring", scoring, "--out", scoring]].concat()).success();
    };
    run("letter");
    run("text");
    let records = fs::read_to_string(at.join("letter/trials.jsonl")).unwrap();
    let record: Value = serde_json::from_str(records.lines().next().unwrap()).unwrap();
    let (id, order) = (&record["id"], &record["order"]);
    let shown = record["asks"][0]["shown"]["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();

    let refused = context.run(&["report", "letter", "--no-texts"]).code(2).stderr;
    assert!(refused.contains("--no-texts needs --format html"), "{refused}");
    let stdout = context.run(&["report", "letter", "--format", "html"]).success().stdout;
    assert!(stdout.starts_with("<!doctype html>") && stdout.contains("What was run"));
    assert!(stdout.contains("s without loading, ") && stdout.contains("prompt by prompt"));
    let overview = context.run(&["report", "letter/results.json", "--format", "html"]).success().stdout;
    assert!(overview.contains("Items</bdi> (0)"));
    context.run(&["report", "letter", "--format", "html", "--output", "bare.html", "--no-texts"]).success();
    let bare = PageFiles { html: fs::read_to_string(at.join("bare.html")).unwrap(), beside: Vec::new() };
    let line = shown.lines().next().unwrap();
    assert!(!all_of(&bare).contains(line) && !bare.html.contains(line));

    fs::write(at.join("letter/attention.html"), "<p>attention</p>").unwrap();
    context.run(&["report", "letter", "text", "--format", "html", "--output", "letter/both.html"]).success();
    // Every number of the tables is the string that Markdown has.
    let markdown = context.run(&["report", "letter", "text", "--format", "markdown"]).success().stdout;
    let html = fs::read_to_string(at.join("letter/both.html")).unwrap();
    let cells = markdown.lines().filter(|line| line.starts_with('|')).flat_map(|line| line.split(" | "));
    let numbers: Vec<&str> = cells.filter(|cell| cell.parse::<f64>().is_ok()).collect();
    assert!(numbers.len() > 5);
    for number in numbers {
        let cell = [format!("<td>{number}</td>"), format!("<th scope=\"row\">{number}</th>")];
        assert!(cell.iter().any(|cell| html.contains(cell)), "{number}");
    }
    let Some(browser) = browser() else { return };
    let script = r##"
        location.hash = "item=" + encodeURIComponent(ID);
        await until(() => document.getElementById("item-name")?.textContent === ID);
        const box = pane.querySelector("[data-prompts]");
        box.open = true;
        await until(() => box.querySelector(".turn"));
        const turns = [...box.querySelectorAll(".turn .prose")].map((turn) => turn.textContent);
        const order = (await details(state.item)).answers[0][0].order;
        return { ways: head.ways, items: head.items, turns, order, link: pane.querySelector("a").getAttribute("href") };
    "##;
    let rendered = told_by(&browser, &at.join("letter/both.html"), &script.replace("ID", &id.to_string()));
    assert_eq!(rendered["ways"].as_array().unwrap().len(), 2);
    assert_eq!(rendered["items"], 4);
    assert_eq!(&rendered["order"], order);
    assert!(rendered["turns"].as_array().unwrap().iter().any(|turn| turn == shown), "{shown} in {rendered:#}");
    assert!(rendered["link"].as_str().unwrap().starts_with("attention.html#demo"), "{rendered:#}");
}

#[test]
fn a_page_concludes_first_and_every_state_has_an_address() {
    let context = TestContext::new();
    let at = context.folder();
    tiny_model(at);
    for (name, more) in [
        ("letter", &["--orders", "cyclic"][..]),
        ("text", &["--scoring", "text"][..]),
        ("one", &["--orders", "identity"][..]),
    ] {
        let arguments = ["run", "--offline", "--benchmark", "demo", "--model", "tiny", "--out", name];
        context.run(&[&arguments[..], more].concat()).success();
    }
    let page = |runs: &[&str], name: &str| {
        context.run(&[&["report"][..], runs, &["--format", "html", "--output", name]].concat()).success();
        fs::read_to_string(at.join(name)).unwrap()
    };
    let alone = page(&["letter"], "alone.html");
    let place = |text: &str| alone.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(place("class=\"result\"") < place("<figure") && place("<figure") < place("id=\"settings\""));
    assert!(alone.matches("card warn").count() <= 1);
    let three = page(&["letter", "text", "one"], "three.html");
    assert!(three.contains("Runs by task") && three.contains("possible rank"), "tested pairs give ranks");
    let arguments = ["run", "--offline", "--benchmark", "demo", "--model", "tiny", "--scoring", "letter,text,hybrid"];
    context.run(&[&arguments[..], &["--out", "several"]].concat()).success();
    let beside = fs::read_to_string(at.join("several/report.html")).unwrap();
    assert!(beside.contains("possible rank"), "the page that a run writes has them, too");
    for page in [&three, &beside, &page(&["letter", "text"], "two.html")] {
        assert!(["say_leads", "say_leaders", "say_no_leader"].iter().any(|name| page.contains(name)), "who leads");
    }
    let Some(browser) = browser() else { return };
    let script = r##"
        const [matrix] = tables;
        const told = { id: matrix.id, marks: document.querySelectorAll('[data-table="runs"] .mark, .results .mark').length };
        told.wide = document.documentElement.scrollWidth <= innerWidth;
        const firsts = () => matrix.box.querySelectorAll("tbody tr:not(.under) td:first-of-type");
        const values = () => [...firsts()].map((cell) => parseFloat(cell.textContent)).filter((value) => !Number.isNaN(value));
        const before = values();
        sortBy(matrix, 0);
        const sortedValues = values();
        told.sorted = sortedValues.every((value, at) => at === 0 || value <= sortedValues[at - 1]);
        told.same = [...before].sort().join() === [...sortedValues].sort().join();
        told.address = location.hash;
        history.back();
        await until(() => matrix.sort === null);
        told.back = values().join() === before.join();
        location.hash = "overview&table:runs=s0u,t";
        await until(() => matrix.turned && matrix.sort.column === 0);
        told.turned = matrix.box.querySelector("tbody th").textContent === matrix.head[1];
        location.hash = "overview";
        await until(() => !matrix.turned);
        const lines = asTsv(wanted(matrix)).trimEnd().split("\n");
        told.tsv = lines.every((line) => line.split("\t").length === matrix.head.length) && lines.length > 6;
        told.markdown = asMarkdown(wanted(matrix)).split("\n")[1].startsWith("| --- | --:");
        told.latex = asLatex(wanted(matrix), matrix).includes("\\begin{tabular}{lr");
        const figure = document.querySelector("figure.plotted");
        const picture = barsSvg(figure);
        told.svg = new DOMParser().parseFromString(picture, "image/svg+xml").querySelectorAll("parsererror").length;
        told.pattern = picture.includes("url(\"#series-2\")") || picture.includes("url(#series-2)") || picture.includes("&quot;#series-2&quot;");
        told.png = (await pngOf(picture)).size > 2000;
        told.data = own.data.figures[figure.dataset.figure].tsv.split("\n")[0].split("\t").length;
        await until(() => state.index);
        location.hash = "items&verdict=wrong&run=B";
        await until(() => filters.verdict === "wrong");
        told.filter = [filters.way, document.querySelector('[data-key="verdict"]').value, document.querySelector('[data-key="run"]').value];
        tongue.language = "zh";
        spell();
        const words = (which) => [...document.querySelectorAll(`#overview :is(${which})`)].map((node) => node.textContent).join("\n");
        told.chinese = [/\d to \d/.test(words("td, .value")), /\d 至 \d/.test(words("td")), /没有|领先/.test(words(".leader")), words("p").includes("区间把同一故事")];
        return told;
    "##;
    let told = told_by(&browser, &at.join("three.html"), script);
    let expected = json!({
        "id": "runs", "marks": 3, "wide": true, "sorted": true, "same": true, "address": "#overview&table%3Aruns=s0d", "back": true,
        "turned": true, "tsv": true, "markdown": true, "latex": true, "svg": 0, "pattern": true, "png": true, "data": 11,
        "filter": [1, "wrong", "B"], "chinese": [false, true, true, true],
    });
    assert_eq!(told, expected, "{told:#}");
}

#[test]
fn three_thousand_items_in_five_orders_stay_below_three_megabytes() {
    let Some(data) = released("tombench") else { return };
    let items = Benchmark::ToMBench.load(&data, &LoadOptions::default()).unwrap().items;
    let policy: OrderPolicy = "random:5".parse().unwrap();
    let mut drawn = 7u64;
    let mut chance = || {
        drawn = drawn.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (drawn >> 11) as f64 / (1u64 << 53) as f64
    };
    let [en, zh] = [Language::En, Language::Zh]
        .map(|language| items.iter().filter(|item| item.language == language).take(1500).collect::<Vec<_>>());
    let started = std::time::Instant::now();
    let mut writer = PageWriter::new(vec!["made".into()], true);
    for item in en.into_iter().chain(zh) {
        let orders = policy.draw(0, &item.id, item.options.len()).unwrap();
        let trials: Vec<TrialOutcome> = orders
            .iter()
            .map(|drawn| {
                let logprobs: Vec<f64> = item.options.iter().map(|_| -4.0 * chance()).collect();
                let best = (0..logprobs.len()).max_by(|a, b| logprobs[*a].total_cmp(&logprobs[*b])).unwrap();
                TrialOutcome {
                    order: Some(drawn.order.clone()),
                    count: drawn.count,
                    choice: Some(Answer::Single(OptionIx(best))),
                    logprobs: Some(logprobs),
                    tied: false,
                    failure: None,
                    reading: None,
                }
            })
            .collect();
        let shown = orders.iter().map(|drawn| {
            let options = drawn.order.as_slice().iter().zip(["A", "B", "C", "D"]);
            let lines: Vec<String> =
                options.map(|(&option, label)| format!("{label}. {}", item.options[option])).collect();
            let context: Vec<&str> = item.context.iter().map(|segment| &*segment.text).collect();
            let user = format!("{}\n\nQuestion: {}\n\n{}", context.join("\n"), item.question, lines.join("\n"));
            let system = "Read the story and answer. Write the letter alone.".to_string();
            let turns = vec![("system".to_string(), system), ("user".to_string(), user)];
            let labels = ["A", "B", "C", "D"].into_iter().take(item.options.len()).map(String::from).collect();
            let prompts = vec![ShownPrompt { turns, answer_prefix: "[[".into() }];
            ShownTrial { labels, prompts, ..ShownTrial::default() }
        });
        let mut rendered = PageItem::from_item(item);
        rendered.add(0, &Outcome::new(item, "vanilla", None, trials, Ties::default()), shown.collect());
        writer.add(&rendered).unwrap();
    }
    let files = writer.finish(&report(), &facts()).unwrap();
    println!("{} bytes in {:.1} s", files.html.len(), started.elapsed().as_secs_f64());
    assert!(files.beside.is_empty());
    assert!(files.html.len() < 3_000_000, "{}", files.html.len());
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let page = save(&files, context.folder());
    let script = r##"
        await until(() => state.index);
        const began = performance.now();
        location.hash = "items";
        await until(() => pane.querySelector("table"));
        const select = document.querySelector(`select[aria-label="right or wrong"]`);
        select.value = "wrong";
        select.dispatchEvent(new Event("change"));
        const taken = performance.now() - began;
        // The prompt of every item is what was shown.
        let same = 0;
        for (let item = 0; item < head.items; item += 97) {
            const one = await details(item);
            const trial = one.answers[0].at(-1);
            const [turns] = one.frames[trial.prompts[0]];
            const text = filled(turns[1][1], one, trial);
            const lines = trial.order.map((option, slot) => "ABCD"[slot] + ". " + one.texts[one.options[option]]).join("\n");
            same += text.endsWith("\n\nQuestion: " + one.texts[one.question] + "\n\n" + lines) ? 0 : 1;
        }
        return { taken: taken < 2000, drawn: list.children.length, same };
    "##;
    assert_eq!(told_by(&browser, &page, script), json!({ "taken": true, "drawn": 200, "same": 0 }));
}
