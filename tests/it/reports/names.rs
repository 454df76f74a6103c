//! What results say of themselves: names, the screen at a run's end, data that are not the released files, progress for
//! programs.

use std::fs;
use std::path::Path;
use std::process::Command;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

use crate::support::context::{Output, Run, TestContext};
use crate::support::files::{manifest, read_json};
use crate::support::tiny_models::shared_tiny_model;

fn run(context: &TestContext, out: &Path, more: &[&str]) -> Command {
    let mut command = context.command(&["run", "--offline", "--benchmark", "demo", "--limit", "6", "--device", "cpu"]);
    command.args(["--orders", "random:2", "--threads", "1", "--model"]).arg(shared_tiny_model());
    command.args(more).arg("--out").arg(out);
    command
}

fn results(out: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(out.join("results.json")).unwrap()).unwrap()
}

#[test]
fn a_run_is_called_what_its_user_calls_it() {
    let context = TestContext::new();
    let [one, other] = ["one", "other"].map(|name| context.path(name));
    run(&context, &one, &["--name", "my model, first try"]).run().success();
    assert_eq!(manifest(&one)["name"], "my model, first try");
    let found = results(&one);
    assert_eq!(found["label"], "my model, first try");
    assert_eq!(found["provenance"]["name"], "my model, first try");
    assert!(found["provenance"]["model"].is_string() && found["provenance"]["prompts"].is_string(), "{found}");
    assert_eq!(found["results"][0]["tables"][0]["rows"][0]["label"], "my model, first try");
    assert_eq!(found["results"][0]["tables"][0]["rows"][0]["part"]["asked"], 6);
    assert!(one.join("report.html").is_file());

    // The same run under another name is no other work.
    run(&context, &one, &["--name", "second name"]).run().success().with_stderr(contains("already complete"));
    assert_eq!(results(&one)["label"], "second name");
    run(&context, &one, &[]).run().success();
    assert_eq!(results(&one)["label"], "second name", "without a name it keeps the one it has");
    run(&context, &context.path("none"), &["--name", " "])
        .run()
        .code(2)
        .with_stderr(contains("a name must be one line of text"));

    // Without names the settings that differ tell runs apart.
    let three = context.path("three");
    run(&context, &other, &[]).run().success();
    run(&context, &three, &["--scoring", "text"]).run().success();
    let merged = context.command(&["report", "--json"]).args([&one, &other, &three]).run().success().json();
    let rows = merged["results"][0]["tables"][0]["rows"].as_array().unwrap();
    let labels: Vec<&str> = rows.iter().map(|row| row["label"].as_str().unwrap()).collect();
    assert_eq!(labels[0], "second name");
    assert!(labels[1].ends_with(", letters"), "{labels:?}");
    assert!(labels[2].ends_with(", texts"), "{labels:?}");
}

#[test]
fn a_run_ends_with_one_screen_and_prints_all_tables_where_they_are_wanted() {
    let context = TestContext::new();
    let out = context.path("run");
    let summary = run(&context, &out, &[]).run().success();
    let text = summary.stdout;
    assert!(text.starts_with("qwen3; log-likelihood of letters; vanilla; random:2"), "{text}");
    assert!(
        text.contains("Demo inventory: Accuracy by task\n") && text.contains("- AVG of en: no value for "),
        "{text}"
    );
    assert!(text.lines().count() <= 24, "{} lines", text.lines().count());
    let rendered = summary.stderr;
    assert!(
        rendered.contains("report.html")
            && rendered.contains("tomeval report ")
            && rendered.contains("tomeval attend --run ")
    );

    let all = run(&context, &out, &["--tables"]).run().success().stdout;
    assert!(all.contains("Accuracy by dimension of ability") && all.contains("arithmetic"), "{all}");
    assert!(all.lines().count() > 100);
}

#[test]
fn data_with_other_rows_than_the_released_files_are_no_silent_success() {
    let context = TestContext::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/multi-tom");
    let answers = context.write("answers.jsonl", "");
    let score = |more: &[&str]| {
        let mut command = context.command(&["score", "--benchmark", "multi-tom", "--answers"]);
        command.arg(&answers).arg("--data").arg(&data).args(more);
        command.run()
    };
    let warned = || contains("the data are not the released files").and(contains("here, "));
    score(&[]).code(1).with_stdout(warned());
    score(&["--allow-changed-data"]).code(0).with_stdout(warned());
    score(&["--format", "csv"]).code(1).with_stdout(contains("changed-data"));
    // What is chosen or corrected is not what the card counts.
    fs::write(
        &answers,
        "{\"id\": \"CULTURAL\", \"choice\": null}\n".replace("CULTURAL", &cultural_item(&context, &data)),
    )
    .unwrap();
    score(&["--choose", "variant=direct"])
        .code(0)
        .with_stderr(contains("leave out their items: 1, the first of multi-tom/"));
    score(&["--choose", "variant=direct"]).code(0).with_stdout(contains("released files").not());
    score(&["--labels", "repaired"]).code(0);

    let found = score(&["--json", "--name", "nobody"]).code(1).json();
    assert_eq!(found["label"], "nobody");
    assert!(
        found["results"][0]["changed_data"][0]["expected"].as_u64()
            > found["results"][0]["changed_data"][0]["found"].as_u64()
    );
}

/// An item of the cultural variant.
fn cultural_item(context: &TestContext, data: &Path) -> String {
    let items = context.command(&["data", "items", "--benchmark", "multi-tom", "--data"]).arg(data).run().stdout;
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_string();
    items.lines().map(id).find(|id| id.ends_with("/cultural")).unwrap()
}

#[test]
fn answers_that_a_limit_leaves_out_are_told() {
    let context = TestContext::new();
    let items = context.run(&["data", "items", "--benchmark", "demo", "--language", "en"]);
    let lines = items.stdout;
    let answer = |line: &str| {
        let item: Value = serde_json::from_str(line).unwrap();
        serde_json::json!({ "id": item["id"], "choice": item["gold"][0] }).to_string() + "\n"
    };
    let answers = context.write("answers.jsonl", lines.lines().map(answer).collect::<String>());
    let all = lines.lines().count();
    let left_out = format!("{} answered items are not among those drawn by --limit", all - 6);
    let score = |more: &[&str]| {
        let mut command = context.command(&["score", "--benchmark", "demo", "--language", "en", "--answers"]);
        command.arg(&answers).args(more).run().success()
    };
    score(&["--limit", "6"]).with_stderr(contains(left_out));
    score(&[]).with_stderr(contains("left out").not());
}

#[test]
fn progress_is_json_or_nothing_where_that_is_asked_for() {
    let context = TestContext::new();
    let out = context.path("run");
    let output = run(&context, &out, &["--progress", "json"]).env("TOMEVAL_PROGRESS_SECONDS", "0.001").run().success();
    let lines: Vec<Value> = output.stderr.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let stages: Vec<&str> = lines.iter().filter_map(|line| line["stage"].as_str()).collect();
    assert!(stages.contains(&"forwarding"), "{stages:?}");
    assert!(lines.iter().any(|line| line["over"] == true));
    assert!(lines.iter().any(|line| line["folder"].as_str() == out.to_str()), "{lines:?}");
    let forwarded = lines.iter().rfind(|line| line["stage"] == "forwarding").unwrap();
    assert!(forwarded["done"].as_u64() <= forwarded["total"].as_u64(), "{forwarded}");

    let out = context.path("quiet");
    let output = run(&context, &out, &["--quiet"]).env("TOMEVAL_PROGRESS_SECONDS", "0.001").run();
    assert!(output.status.success());
    assert!(!output.stderr.contains("forwarding"), "{}", output.stderr);
}

#[test]
fn lists_with_commas_are_as_good_as_repeated_arguments() {
    let context = TestContext::new();
    let planned = |more: &[&str]| {
        let mut command = context.command(&["plan", "--offline", "--limit", "2"]);
        let text = command.arg("--model").arg(shared_tiny_model()).args(more).run().success().stdout;
        let counts =
            text.lines().filter(|line| ["benchmarks", "items", "trials"].iter().any(|name| line.starts_with(name)));
        counts.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<String>>()
    };
    let listed = planned(&["--benchmark", "demo", "--language", "en,zh"]);
    let repeated = planned(&["--benchmark", "demo", "--language", "en", "--language", "zh"]);
    assert_eq!(listed, repeated);
    assert!(listed[1].starts_with("items 4, the versions of the questions"), "{listed:?}");
}

/// A name with what a terminal obeys, what turns the reading direction, what is no character, and what scripts need.
const HOSTILE: &str = "a\u{202e}b\u{fffe}c\u{1ffff}\u{9b}31m <b>\\^_{x}$ % \u{0645}\u{06cc}\u{200c}\u{062e}\u{200f}";

#[test]
fn names_are_shown_where_people_read_and_kept_where_programs_do() {
    let context = TestContext::new();
    let out = context.path("run");
    run(&context, &out, &[]).run().success();
    let long = format!("{HOSTILE}{}", "x".repeat(300));
    // Nothing of a run is asked of its name, so it may come from anywhere.
    let manifest = out.join("manifest.json");
    let mut json = read_json(&manifest);
    json.as_object_mut().unwrap().remove("sha256");
    json["name"] = long.clone().into();
    fs::write(&manifest, json.to_string()).unwrap();

    let report = |format: &str| context.command(&["report", "--format", format]).arg(&out).run().success().stdout;
    let unseen = |text: &str| {
        let bad = ['\u{202e}', '\u{fffe}', '\u{1ffff}', '\u{9b}'];
        text.lines().find(|line| line.contains(bad)).map(str::to_string)
    };
    let kept = "\u{0645}\u{06cc}\u{200c}\u{062e}\u{200f}";
    for (format, shown) in [
        ("terminal", "a\\u{202e}b\\u{fffe}c\\u{1ffff}\\u{9b}31m"),
        ("markdown", "a\\u{202e}b\\u{fffe}c\\u{1ffff}\\u{9b}31m"),
        ("latex", "a\\textbackslash{}u\\{202e\\}b\\textbackslash{}u\\{fffe\\}c"),
        ("html", "a\\u{202e}b\\u{fffe}c\\u{1ffff}\\u{9b}31m &lt;b&gt;"),
    ] {
        let text = report(format);
        assert!(text.contains(shown) && text.contains(kept), "{format}: {shown}");
        // Data of pages are unpacked by a script, which shows them so.
        let text = text.split("<script").next().unwrap();
        assert_eq!(unseen(text), None, "{format}");
    }
    let json: Value = serde_json::from_str(&report("json")).unwrap();
    assert_eq!(json["label"], long);
    let csv = report("csv");
    let mut lines = csv::Reader::from_reader(csv.as_bytes());
    assert!(lines.records().any(|line| line.unwrap().iter().any(|cell| cell == long)), "the same text");

    let figures = context.path("figures");
    let mut drawn = context.command(&["report", "--figures"]);
    drawn.arg(&figures).arg(&out).run().success();
    let mut count = 0;
    for file in fs::read_dir(&figures).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|ending| ending == "svg") {
            assert_eq!(unseen(&fs::read_to_string(&file).unwrap()), None, "{}", file.display());
            count += 1;
        }
    }
    assert!(count > 0);
    // Two runs stand in figures by their names.
    let other = context.path("other");
    run(&context, &other, &["--name", "other"]).run().success();
    context.command(&["report", "--figures"]).arg(&figures).args([&out, &other]).run().success();
}

#[test]
fn a_long_name_makes_a_folder_all_the_same() {
    let context = TestContext::new();
    let mut command =
        context.command(&["run", "--offline", "--benchmark", "demo", "--limit", "2", "--device", "cpu", "--model"]);
    command.arg(shared_tiny_model()).args(["--name", &"long ".repeat(100)]).current_dir(context.folder());
    command.run().success();
    assert_eq!(fs::read_dir(context.path("runs")).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn pages_are_written_through_no_link() {
    use std::os::unix::fs::symlink;
    let context = TestContext::new();
    let out = context.path("run");
    run(&context, &out, &[]).run().success();
    let theirs = context.write("theirs", "kept");
    for name in ["report.html", "report.md", "results.json"] {
        fs::remove_file(out.join(name)).unwrap();
        symlink(&theirs, out.join(name)).unwrap();
    }
    run(&context, &out, &[]).run().success();
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "kept");
    assert!(fs::read_to_string(out.join("report.html")).unwrap().contains("<!doctype html>"));
}

/// A command in a folder that takes a few blocks; `None` where this system lets nobody mount one.
#[cfg(target_os = "linux")]
fn on_a_small_disk(folder: &Path, size: &str, script: &str) -> Option<Output> {
    let mount = format!("mount -t tmpfs -o size={size} small {}", folder.display());
    let may =
        Command::new("unshare").args(["-rm", "sh", "-c", &mount]).output().is_ok_and(|output| output.status.success());
    if !may {
        eprintln!("skipped: no small disk can be mounted here");
        return None;
    }
    Some(Command::new("unshare").args(["-rm", "sh", "-c", &format!("{mount} && {script}")]).run())
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_stops_a_run_with_exit_3_and_a_word_on_how_to_go_on() {
    let context = TestContext::new();
    let (disk, whole) = (context.path("disk"), context.path("whole"));
    fs::create_dir(&disk).unwrap();
    run(&context, &whole, &[]).run().success();
    let records = |name: &str| fs::metadata(whole.join(name)).unwrap().len();
    let results: u64 = ["results.json", "report.md", "report.csv", "report.html"].map(records).iter().sum();
    let all: u64 = fs::read_dir(&whole).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
    let program = Path::new(env!("CARGO_BIN_EXE_tomeval"));
    let command = format!(
        "{} run --offline --benchmark demo --limit 6 --device cpu --orders random:2 --threads 1 --model {} --out {}/run",
        program.display(),
        shared_tiny_model().display(),
        disk.display()
    );
    // Too little for anything, for all records, and for the results after them.
    for kept in [8 << 10, (all - results) / 2, all - results / 2] {
        let Some(output) = on_a_small_disk(&disk, &format!("{}k", kept.div_ceil(4096) * 4), &command) else { return };
        let rendered = output.stderr;
        assert_eq!(output.status.code(), Some(3), "{kept} of {all}: {rendered}");
        assert!(
            rendered.contains("Stopped. ") && rendered.contains("run the same command again"),
            "{kept} of {all}: {rendered}"
        );
    }
    let attend = format!(
        "{} attend --offline --benchmark demo --limit 2 --device cpu --threads 1 --model {} --out {}/run",
        program.display(),
        shared_tiny_model().display(),
        disk.display()
    );
    for kept in ["16k", "64k"] {
        let Some(output) = on_a_small_disk(&disk, kept, &attend) else { return };
        let rendered = output.stderr;
        assert_eq!(output.status.code(), Some(3), "{kept}: {rendered}");
        assert!(
            rendered.contains("Stopped. ") && rendered.contains("run the same command again"),
            "{kept}: {rendered}"
        );
    }
    // A page for people is there whole or not at all.
    let (program, place) = (program.display(), disk.display());
    let annotate = format!(
        "{program} annotate answer --benchmark demo --language en --out {place}/page.html; code=$?; ls -A {place}; exit $code"
    );
    let Some(output) = on_a_small_disk(&disk, "16k", &annotate) else { return };
    assert_eq!(output.code(3).stdout, "", "no half file");
}
