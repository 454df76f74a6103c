//! `tomeval attend --out`: an analysis kept item by item ends in the same bytes however it was stopped, split or continued, and
//! what was changed or damaged is told. Needs the tiny models of the fixtures alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::browser::{browser, told_by};
use crate::support::context::{Output, Run, TestContext};
use crate::support::files::edit_json;
use crate::support::tiny_models::shared_tiny_model;

const ITEMS: usize = 3;

fn command(context: &TestContext, out: &Path, more: &[&str]) -> Command {
    let mut command =
        context.command(&["attend", "--offline", "--benchmark", "demo", "--language", "en", "--language", "zh"]);
    command.args(["--limit", &ITEMS.to_string(), "--group", "task", "--contrast", "options"]);
    if !more.contains(&"--deletion-draws") {
        command.args(["--deletion-draws", "2"]);
    }
    command.arg("--model").arg(shared_tiny_model()).arg("--out").arg(out).args(more);
    command
}

fn attend(context: &TestContext, out: &Path, more: &[&str]) -> Output {
    command(context, out, more).run()
}

/// An unbroken analysis, made once.
fn whole() -> PathBuf {
    static WHOLE: OnceLock<TestContext> = OnceLock::new();
    let context = WHOLE.get_or_init(|| {
        let context = TestContext::new();
        attend(&context, &context.path("whole"), &[]).success();
        context
    });
    context.path("whole")
}

/// Every file below a folder with its bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = PathBuf::from(path.file_name().unwrap());
        match path.is_dir() {
            true => found.extend(files(&path).into_iter().map(|(below, bytes)| (name.join(below), bytes))),
            false => drop(found.insert(name, fs::read(&path).unwrap())),
        }
    }
    found
}

fn check_same(found: &Path, what: &str) {
    let (found, expected) = (files(found), files(&whole()));
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{what}");
    for (name, bytes) in &found {
        assert!(*bytes == expected[name], "{what}: {} differs", name.display());
    }
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

fn lines(folder: &Path) -> Vec<Value> {
    text(folder, "items.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Manifest, lines and checksums of the unbroken analysis, without results.
fn begun(to: &Path) -> PathBuf {
    fs::create_dir_all(to).unwrap();
    for name in ["attention.json", "items.jsonl", "items.sha256"] {
        fs::copy(whole().join(name), to.join(name)).unwrap();
    }
    to.to_path_buf()
}

/// Cut a file to its first bytes.
fn cut(folder: &Path, name: &str, bytes: usize) {
    let path = folder.join(name);
    let kept = fs::read(&path).unwrap()[..bytes].to_vec();
    fs::write(path, kept).unwrap();
}

#[test]
fn an_analysis_stopped_anywhere_ends_in_the_same_bytes() {
    let context = TestContext::new();
    let of = |name: &str| text(&whole(), name);
    let (records, sums) = (of("items.jsonl"), of("items.sha256"));
    let end = |number: usize| records.match_indices('\n').nth(number).unwrap().0 + 1;
    let sum_end = |number: usize| sums.match_indices('\n').nth(number).unwrap().0 + 1;
    assert_eq!(lines(&whole()).len(), ITEMS * 2, "{ITEMS} items in each of two languages");
    // Bytes left of the lines and of their checksums, and how many items count as read.
    let places = [
        ("before the first item", 0, 0, 0),
        ("within the first item", 100, 0, 0),
        ("before the end of a line", end(1) - 1, sum_end(0), 1),
        ("between a line and its checksum", end(1), sum_end(0), 2),
        ("within a checksum", end(1), sum_end(1) - 4, 2),
        ("between two items", end(2), sum_end(2), 3),
        ("within the last item", records.len() - 5, sum_end(ITEMS * 2 - 2), ITEMS * 2 - 1),
        ("before the results", records.len(), sums.len(), ITEMS * 2),
    ];
    for (number, (what, lines, sums, read)) in places.into_iter().enumerate() {
        let stopped = begun(&context.path(number.to_string()));
        cut(&stopped, "items.jsonl", lines);
        cut(&stopped, "items.sha256", sums);
        fs::write(stopped.join(".unfinished-abc.tmp"), "torn").unwrap();
        let output = attend(&context, &stopped, &[]);
        assert!(output.status.success(), "{what}: {}", output.stderr);
        let rendered = match read {
            0 => String::new(),
            read if read == ITEMS * 2 => format!("All {read} items are already analysed"),
            read => format!("{read} of {} items are already analysed", ITEMS * 2),
        };
        assert!(
            output.stderr.contains(&rendered) && (read > 0) == output.stderr.contains("already analysed"),
            "{what}"
        );
        check_same(&stopped, what);
    }
    // Nothing but a lock was made.
    let empty = context.path("empty");
    fs::create_dir(&empty).unwrap();
    fs::write(empty.join("items.jsonl"), "").unwrap();
    assert!(attend(&context, &empty, &[]).status.success());
    check_same(&empty, "before the manifest");
    // A crash of the machine may lose lines whose checksums are there.
    let lost = begun(&context.path("lost"));
    cut(&lost, "items.jsonl", end(0));
    let output = attend(&context, &lost, &[]);
    assert!(output.stderr.contains("5 written items were lost; reading them again"), "{}", output.stderr);
    check_same(&lost, "lines lost");
}

#[test]
fn a_killed_analysis_loses_one_item_at_most() {
    let context = TestContext::new();
    let out = context.path("killed");
    for signal in ["KILL", "INT"] {
        let before = if out.is_dir() { lines(&out).len() } else { 0 };
        let mut running = command(&context, &out, &[]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let (began, more) = (Instant::now(), before + 2);
        let count = || fs::read_to_string(out.join("items.jsonl")).map_or(0, |text| text.matches('\n').count());
        while count() < more && running.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(2));
        }
        let there = count();
        Command::new("kill").args(["-s", signal, &running.id().to_string()]).status().unwrap();
        let output = Output::from(running.wait_with_output().unwrap());
        assert!(count() >= there, "nothing that was recorded is lost");
        // Where it ended by itself meanwhile there was nothing to stop.
        if signal == "INT" && output.status.code() != Some(0) {
            let output = output.code(3);
            assert!(output.stderr.contains("run the same command again to continue"), "{}", output.stderr);
        }
        // What a kill tore is not read as a line by this test either.
        let whole = fs::read_to_string(out.join("items.jsonl")).unwrap();
        let kept = whole.rfind('\n').map_or(0, |end| end + 1);
        if kept < whole.len() {
            cut(&out, "items.jsonl", kept);
        }
    }
    assert!(attend(&context, &out, &[]).status.success());
    check_same(&out, "killed and interrupted");
}

#[test]
fn shards_joined_are_the_whole() {
    let context = TestContext::new();
    let shards = ["1", "2", "3"].map(|number| context.path(number));
    for (number, shard) in shards.iter().enumerate() {
        let output = attend(&context, shard, &["--shard", &format!("{}/3", number + 1)]);
        assert!(output.status.success() && output.stderr.contains("Join all shards"), "{}", output.stderr);
        assert!(!shard.join("items.csv").exists(), "a part has no results");
    }
    let merge = |shards: &[&PathBuf], out: &str| {
        let out = context.path(out);
        (context.command(&["merge"]).args(shards).arg("--out").arg(&out).run(), out)
    };
    let [one, two, three] = &shards;
    // In any order, also where an earlier merge was killed.
    let (output, joined) = merge(&[three, one, two], "joined");
    assert!(output.status.success(), "{}", output.stderr);
    check_same(&joined, "joined");
    let records = text(&joined, "items.jsonl");
    cut(&joined, "items.jsonl", records.len() / 2);
    cut(&joined, "items.sha256", 17);
    assert!(merge(&[one, two, three], "joined").0.status.success());
    check_same(&joined, "joined after a kill");

    let refused = |shards: &[&PathBuf], rendered: &str| {
        let (output, out) = merge(shards, "refused");
        let output = output.code(2);
        assert!(output.stderr.contains(rendered), "{rendered}: {}", output.stderr);
        assert!(!out.exists(), "{rendered}");
    };
    refused(&[one, three], "shards 2/3 are missing");
    refused(&[one, two, two], "shard 2/3 is in");
    refused(&[one, &whole()], "is a whole analysis, not a shard");
    let other = context.path("other");
    assert!(attend(&context, &other, &["--shard", "2/3", "--top", "4"]).status.success());
    refused(&[one, &other, three], "settings.method");
    let records = text(three, "items.jsonl");
    cut(three, "items.jsonl", records.len() - 9);
    refused(&[one, two, three], "has 1 of 2");
}

#[test]
fn another_analysis_is_refused_by_name() {
    let context = TestContext::new();
    let begun = begun(&context.path("begun"));
    let before = files(&begun);
    let others: [(&[&str], &str); 9] = [
        (&["--layers", "last:1"], "settings.method"),
        (&["--measure", "value"], "settings.method"),
        (&["--seed", "7"], "settings.method"),
        (&["--deletion-draws", "3"], "settings.deletion_draws"),
        (&["--lens"], "settings.lens"),
        (&["--orders", "random:2"], "items_sha256"),
        (&["--item", "demo/cake-tin/0/en"], "data.demo"),
        (&["--dtype", "bf16"], "model.machine.dtype"),
        (&["--shard", "1/2"], "shard"),
    ];
    for (arguments, rendered) in others {
        let output = attend(&context, &begun, arguments);
        let text = output.stderr;
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains("holds another analysis") && text.contains(rendered), "{arguments:?}: {text}");
        assert_eq!(files(&begun), before, "{arguments:?}");
    }
    // Threads move numbers by rounding alone.
    attend(&context, &begun, &["--threads", "1"]).success();
    let manifest: Value = serde_json::from_str(&text(&begun, "attention.json")).unwrap();
    let mixed = manifest["mixed"].as_array();
    assert!(mixed.is_none_or(|mixed| mixed[0]["key"] == "model.machine.threads"), "{manifest}");
    for (argument, file) in [("--html", "a.html"), ("--csv", "a.csv"), ("--json", "")] {
        let more: Vec<&str> = [argument, file].into_iter().filter(|part| !part.is_empty()).collect();
        assert_eq!(attend(&context, &context.path("new"), &more).status.code(), Some(2), "{argument}");
    }
    let output = attend(&context, &context.path("new"), &["--contrast", "model=other"]);
    assert!(output.stderr.contains("a folder holds one model"), "{}", output.stderr);
    assert!(!context.path("new").exists());
}

#[test]
fn damage_is_told_and_nothing_is_lost() {
    let context = TestContext::new();
    let change = |number: usize, change: fn(&mut Value)| {
        move |folder: &Path| {
            let mut found = lines(folder);
            change(&mut found[number]);
            let text: String = found.iter().map(|line| line.to_string() + "\n").collect();
            fs::write(folder.join("items.jsonl"), text).unwrap();
        }
    };
    let damages: [(&str, Box<dyn Fn(&Path)>); 7] = [
        ("line 2: changed after it was written", Box::new(change(1, |line| line["cases"][0]["right"] = json!(null)))),
        ("line 3: changed after", Box::new(change(2, |line| line["number"] = json!(7)))),
        (
            "line 3: is for item 7, expected item 2",
            Box::new(move |folder: &Path| {
                change(2, |line| line["number"] = json!(7))(folder);
                fs::remove_file(folder.join("items.sha256")).unwrap();
            }),
        ),
        (
            "line 1: ranks words that its text does not have",
            Box::new(move |folder: &Path| {
                change(0, |line| line["cases"][0]["rows"][0]["ranking"][0]["words"] = json!([99999]))(folder);
                fs::remove_file(folder.join("items.sha256")).unwrap();
            }),
        ),
        (
            "line 7: exceeds the 6 items",
            Box::new(|folder: &Path| {
                let text = text(folder, "items.jsonl");
                fs::write(folder.join("items.jsonl"), format!("{text}{}\n", text.lines().last().unwrap())).unwrap();
            }),
        ),
        ("attention.json: ", Box::new(|folder: &Path| fs::write(folder.join("attention.json"), "{").unwrap())),
        (
            "contains items.jsonl but no attention.json",
            Box::new(|folder: &Path| {
                fs::remove_file(folder.join("attention.json")).unwrap();
            }),
        ),
    ];
    for (number, (rendered, damage)) in damages.into_iter().enumerate() {
        let damaged = begun(&context.path(number.to_string()));
        damage(&damaged);
        let before = fs::read(damaged.join("items.jsonl")).unwrap();
        let output = attend(&context, &damaged, &[]);
        assert_eq!(output.status.code(), Some(2), "{rendered}");
        let helps = ["--out", "restore"].into_iter().any(|help| output.stderr.contains(help));
        assert!(output.stderr.contains(rendered) && helps, "{rendered}: {}", output.stderr);
        assert_eq!(fs::read(damaged.join("items.jsonl")).unwrap(), before, "{rendered}");
    }
    let changed = begun(&context.path("manifest"));
    edit_json(&changed.join("attention.json"), |manifest| manifest["program"]["version"] = json!("0.0.0"));
    let output = attend(&context, &changed, &[]);
    assert!(output.status.success() && output.stderr.contains("checksum mismatch"), "{}", output.stderr);
    let foreign = context.path("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("thesis.tex"), "").unwrap();
    assert!(attend(&context, &foreign, &[]).stderr.contains("not a folder of an analysis"));
    let locked = begun(&context.path("locked"));
    let file = fs::File::options().write(true).open(locked.join("items.jsonl")).unwrap();
    file.lock().unwrap();
    let output = attend(&context, &locked, &[]);
    assert!(output.status.code() == Some(2) && output.stderr.contains("in use by another tomeval"));
}

/// The same but for rounding: likelihoods of a folder's prompts come from the forward that gives their attention.
fn check_near(found: &Value, expected: &Value, at: &str) {
    match (found, expected) {
        (Value::Number(found), Value::Number(expected)) => {
            let (found, expected) = (found.as_f64().unwrap(), expected.as_f64().unwrap());
            assert!((found - expected).abs() < 1e-5, "{at}: {found}, not {expected}");
        }
        (Value::Array(found), Value::Array(expected)) if found.len() == expected.len() => {
            found.iter().zip(expected).enumerate().for_each(|(number, (found, expected))| {
                check_near(found, expected, &format!("{at}[{number}]"));
            });
        }
        (Value::Object(found), Value::Object(expected)) if found.len() == expected.len() => {
            expected.iter().for_each(|(key, expected)| check_near(&found[key], expected, &format!("{at}.{key}")));
        }
        _ => assert_eq!(found, expected, "{at}"),
    }
}

#[test]
fn results_are_those_of_an_analysis_in_memory() {
    let context = TestContext::new();
    let (keywords, out) = (context.path("keywords.csv"), context.path("unused"));
    let mut command = command(&context, &out, &[]);
    let arguments: Vec<String> = command.get_args().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let at = arguments.iter().position(|argument| argument == "--out").unwrap();
    command = context.command(&[]);
    command.args(&arguments[..at]).args(&arguments[at + 2..]).arg("--json").arg("--csv").arg(&keywords);
    let document = command.run().success().json();
    assert_eq!(fs::read_to_string(&keywords).unwrap(), text(&whole(), "keywords.csv"));
    let found = lines(&whole());
    let cases: Vec<&Value> = found.iter().flat_map(|line| line["cases"].as_array().unwrap()).collect();
    // What a prompt shows depends on all of them: the lines of a folder have what it rests on, its page has it.
    let without_conclusion = |case: &Value| {
        let mut case = case.clone();
        case.as_object_mut().unwrap().remove("conclusion");
        case
    };
    let expected = document["cases"].as_array().unwrap();
    assert!(expected.iter().any(|case| case["conclusion"]["sentences"].is_array()));
    let expected: Vec<Value> = expected.iter().map(without_conclusion).collect();
    assert_eq!(cases.len(), expected.len());
    cases.iter().zip(&expected).for_each(|(found, expected)| check_near(found, expected, "case"));
    let groups: Value = serde_json::from_str(&text(&whole(), "groups.json")).unwrap();
    for key in ["groups", "shifts", "differences", "settings", "models", "title", "notes"] {
        check_near(&groups[key], &document[key], key);
    }
    assert_eq!(groups["cases"], json!([]));
    let tables = text(&whole(), "groups.tex");
    let names = document["groups"].as_array().unwrap();
    let compared = document["differences"].as_array().map_or(0, Vec::len);
    assert!(names.len() > 3 && compared > 0);
    let goes_on = |line: &&str| (2..9).any(|part| line.contains(&format!(". Part {part} of ")));
    let captions = tables.lines().filter(|line| line.contains("\\caption{"));
    assert_eq!(captions.filter(|line| !goes_on(line)).count(), names.len() + compared);

    let mut table = csv::Reader::from_path(whole().join("items.csv")).unwrap();
    let columns: Vec<String> = table.headers().unwrap().iter().map(str::to_string).collect();
    for name in ["item", "facet_task", "gold", "chosen", "right", "label_mass", "overlap", "without_fall", "failure"] {
        assert!(columns.iter().any(|column| column == name), "{name} in {columns:?}");
    }
    for (row, case) in table.records().zip(&cases) {
        let row = row.unwrap();
        let cell = |name: &str| &row[columns.iter().position(|column| column == name).unwrap()];
        let number = |name: &str| cell(name).parse::<f64>().unwrap();
        let near = |name: &str, value: &Value| assert!((number(name) - value.as_f64().unwrap()).abs() < 1e-6, "{name}");
        assert_eq!(cell("item"), case["item"]);
        assert_eq!(cell("right"), case["right"].to_string());
        assert_eq!(cell("facet_task"), case["facets"]["task"].as_str().unwrap_or_default());
        let label = |key: &str| {
            let options = case["options"].as_array().unwrap();
            options.iter().find(|option| option[key] == true).unwrap()["label"].as_str().unwrap()
        };
        assert_eq!((cell("gold"), cell("chosen")), (label("gold"), label("chosen")));
        near("without_fall", &case["deletion"]["without"]["fall"]);
        near("only_p", &case["deletion"]["only"]["p"]);
        near("label_mass", &case["deletion"]["label_mass"]);
        near("overlap", &case["humans"][0]["overlap"]);
    }
}

/// A failure is recorded, counted and told, also where nothing is read anew.
#[test]
fn items_that_fail_are_recorded_and_stay() {
    let context = TestContext::new();
    let out = context.path("failed");
    let ids: Vec<String> = lines(&whole()).iter().map(|line| line["item"].as_str().unwrap().to_string()).collect();
    // A sentence that only some stories have to lose.
    let long = ["--contrast", "without=9"];
    let first = attend(&context, &out, &long).code(1);
    let found = lines(&out);
    assert_eq!(found.len(), ids.len());
    let failed: Vec<&Value> = found.iter().filter(|line| line["failures"] != json!([])).collect();
    assert!(!failed.is_empty());
    let table = text(&out, "items.csv");
    for line in &failed {
        let item = line["item"].as_str().unwrap();
        assert!(table.lines().any(|row| row.starts_with(item) && row.contains("without sentence 9")), "{table}");
    }
    let again = attend(&context, &out, &long).code(1);
    for output in [&first, &again] {
        assert!(
            output.stderr.contains("not analysed: ")
                && output.stderr.contains("rerunning the command does not retry them")
        );
    }
    assert!(again.stderr.contains("All 6 items are already analysed"));
}

/// Items of a folder become one page without any model, with the numbers and conclusions of the folder.
#[test]
fn chosen_items_of_a_folder_make_one_page() {
    let context = TestContext::new();
    let page = context.path("some.html");
    let some = |items: &[&str]| {
        let mut command = context.command(&["attend", "--single-file"]);
        command.arg(whole()).arg("--html").arg(&page);
        for item in items {
            command.args(["--item", *item]);
        }
        command.run()
    };
    let found = lines(&whole());
    let ids: Vec<&str> = found.iter().map(|line| line["item"].as_str().unwrap()).collect();
    assert!(some(&[ids[1], "demo/none"]).code(2).stderr.contains("no item demo/none"));
    assert!(!page.exists());
    some(&[ids[4], ids[1]]).success();
    let text = fs::read_to_string(&page).unwrap();
    assert!(!text.contains("file:"), "nothing lies beside it");
    let plain = &text[text.find("<noscript>").unwrap()..text.find("</noscript>").unwrap()];
    let names = |id: &str| plain.contains(&id.replace('/', "&#x2f;"));
    assert!(names(ids[1]) && names(ids[4]) && !names(ids[0]), "{plain}");
    let Some(browser) = browser() else { return };
    let script = "return { items: data.cases.map((one) => one.item), contrasts: data.contrasts.map((one) => one.first[0]),
        kinds: data.cases.map((one) => one.rows[0].map.kind), weights: data.cases.map((one) => one.rows[0].weights),
        concluded: data.cases.map((one) => one.conclusion?.sentences), shown: document.querySelectorAll('.story .w').length > 0 };";
    let told = told_by(&browser, &page, script);
    assert_eq!(told["items"], json!([ids[1], ids[4]]), "in the order of the folder");
    assert_eq!((&told["kinds"], &told["shown"]), (&json!(["means", "means"]), &json!(true)));
    // A browser writes 0.0 as 0.
    let numbers = |value: &Value| serde_json::from_value::<Vec<f64>>(value.clone()).unwrap();
    for (place, line) in [1, 4].into_iter().enumerate() {
        let written = &found[line]["cases"][0]["rows"][0]["weights"];
        assert_eq!(numbers(&told["weights"][place]), numbers(written));
    }
    let compared = [1, 4].map(|line| found[line]["contrasts"].as_array().unwrap().len());
    assert_eq!(told["contrasts"], json!([vec![0; compared[0]], vec![1; compared[1]]].concat()));
    let all = told_by(
        &browser,
        &whole_page(&context),
        "return data.cases.map((one) => [one.item, one.conclusion?.sentences]);",
    );
    for (item, sentences) in ids.iter().zip(all.as_array().unwrap()).filter(|(id, _)| [ids[1], ids[4]].contains(*id)) {
        let place = usize::from(*item == ids[4]);
        assert_eq!(told["concluded"][place], sentences[1]);
    }
}

/// A copy of the folder's page, to be opened.
fn whole_page(context: &TestContext) -> PathBuf {
    for (name, bytes) in files(&whole()) {
        let to = context.path(&name);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, bytes).unwrap();
    }
    context.path("attention.html")
}

/// The page opens with a table of all prompts, and reads what it shows of one from a file beside it.
#[test]
fn the_page_of_many_prompts_reads_each_when_it_is_opened() {
    let Some(browser) = browser() else { return };
    let script = r#"
        await until(() => document.querySelector(".prompts tbody tr"));
        const rows = () => [...document.querySelectorAll(".prompts tbody tr")];
        const table = rows().length, loadedBefore = document.querySelectorAll("script[src]").length;
        document.querySelector(".prompts th:nth-child(1) button").click();
        document.querySelector(".prompts th:nth-child(1) button").click();
        const names = rows().map((row) => row.cells[0].textContent);
        const sort = document.querySelector(".prompts th:nth-child(1) button");
        rows()[0].cells[0].querySelector("button").click();
        // While the prompt is read there is nothing to draw of it.
        sort.click();
        await until(() => document.querySelector(".story .w.key"));
        const story = document.querySelector(".story").textContent;
        const sliders = document.querySelectorAll(".controls input[type=range]").length;
        const title = main.querySelector("h1").textContent;
        const keywords = [...document.querySelectorAll(".card table tbody tr")].slice(0, 1).map((row) => row.cells[1].textContent);
        const contrasts = document.querySelectorAll(".controls select option").length;
        keys.j();
        await until(() => main.querySelector("h1").textContent !== title);
        [...document.querySelectorAll("nav button")].find((button) => button.textContent === "All prompts").click();
        const facets = [facetOf({ facets: {} }, "constructor") ?? null, facetOf({ facets: JSON.parse('{"__proto__":"x"}') }, "__proto__")];
        return { facets, table, loadedBefore, names, story, sliders, title, keywords, contrasts, back: rows().length, wide: document.documentElement.scrollWidth <= innerWidth };
    "#;
    let context = TestContext::new();
    let rendered = told_by(&browser, &whole_page(&context), script);
    let found = lines(&whole());
    let mut names: Vec<&str> = found.iter().map(|line| line["item"].as_str().unwrap()).collect();
    names.sort_unstable();
    names.reverse();
    assert_eq!(rendered["names"], json!(names));
    assert_eq!((&rendered["table"], &rendered["back"], &rendered["loadedBefore"]), (&json!(6), &json!(6), &json!(0)));
    let case = &found.iter().find(|line| line["item"] == names[0]).unwrap()["cases"][0];
    assert_eq!(rendered["title"], names[0]);
    assert_eq!(rendered["keywords"][0], case["rows"][0]["ranking"][0]["text"]);
    assert!(rendered["story"].as_str().unwrap().len() > 40 && rendered["sliders"] == 3, "{rendered}");
    assert_eq!(rendered["facets"], json!([null, "x"]), "a facet is one of the prompt, whatever all objects have");
    assert_eq!(rendered["wide"], true, "nothing is wider than the window");
}
