//! A run's folder holds the items and files that it was made of: whatever reads it later says the same without them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::context::{Run, TestContext};
use crate::support::files::copy_folder;
use crate::support::released::small;
use crate::support::skipped;
use crate::support::tiny_models::tiny_model;
use crate::support::tiny_run::TinyRun;

const OWN: &str = "id,story,question,option_a,option_b,answer,Level\n\
                   1,Ann hid it.,Where?,box,bed,A,1\n\
                   2,Ann hid it.,Who?,Ann,Bob,A,2\n\
                   3,Bob ate.,Who?,Ann,Bob,B,1\n\
                   4,Bob ate.,What?,pie,jam,Z,1\n\
                   5,Eve ran.,Who?,Eve,Bob,A,2\n\
                   6,Eve ran.,Where?,home,off,B,2\n";

const SHOTS: &str = "id,story,question,option_a,option_b,answer,Level\n9,Sue sat.,Who?,Sue,Bob,A,1\n";

/// Runs of questions of one's own, by a pack of one's own: one behind an example, one without.
struct Made {
    context: TestContext,
    files: PathBuf,
    runs: [PathBuf; 2],
}

impl Made {
    fn new() -> Made {
        let context = TestContext::new();
        let model = tiny_model(context.folder());
        let files = context.path("files");
        fs::create_dir(&files).unwrap();
        fs::write(files.join("own.csv"), OWN).unwrap();
        fs::write(files.join("shots.csv"), SHOTS).unwrap();
        let pack = include_str!("../../../datasets/prompts/custom.toml");
        fs::create_dir(files.join("packs")).unwrap();
        fs::write(files.join("packs/custom.toml"), format!("# Ours\n{pack}")).unwrap();
        let runs = ["cyclic", "identity"].map(|orders| {
            let run = context.path(format!("run-{orders}"));
            let mut command = context.command(&["run", "--offline", "--limit", "4", "--orders", orders]);
            command.arg("--model").arg(&model).arg("--out").arg(&run);
            command.arg("--data").arg(files.join("own.csv")).arg("--prompts").arg(files.join("packs"));
            if orders == "cyclic" {
                command.args(["--shots", "1", "--shots-from"]).arg(files.join("shots.csv"));
            }
            command.run().code(1);
            run
        });
        Made { context, files, runs }
    }

    /// What every command that reads runs prints of them.
    fn readings(&self, [one, other]: [&Path; 2], more: &[&str], with_prompts: &[&str]) -> Vec<(String, String)> {
        let mut all = Vec::new();
        let mut read = |arguments: &[&str], runs: &[&Path], more: &[&[&str]]| {
            let mut command = self.context.command(arguments);
            command.args(runs).args(more.concat());
            all.push((arguments.join(" "), command.run().done().stdout));
        };
        for format in ["terminal", "markdown", "csv", "latex", "json", "items", "html"] {
            read(&["report", "--format", format], &[one], &[more]);
        }
        read(&["report", "--by", "level"], &[one, other], &[more]);
        read(&["compare", "--json"], &[one, other], &[more]);
        read(&["compare", "--format", "markdown"], &[one, other], &[more]);
        let attend = ["attend", "--offline", "--deletion-draws", "0", "--json", "--run"];
        read(&attend, &[other], &[more, with_prompts]);
        let page = self.context.path("page.html");
        let mut annotate = self.context.command(&["annotate", "mark", "--run"]);
        annotate.arg(one).args(more).arg("--out").arg(&page).run().done();
        all.push(("annotate mark".to_string(), fs::read_to_string(page).unwrap()));
        all
    }
}

/// Without what tells of its folder, of the page that lies in it, and of when it was read.
fn without_places(text: &str, made: &Made) -> String {
    text.replace(&made.context.folder().display().to_string(), "FOLDER").replace("old-", "run-")
}

#[test]
fn a_run_is_read_the_same_without_the_files_it_was_made_of() {
    let made = Made::new();
    let [one, other] = &made.runs;
    // As older programs leave a run: everything is looked for where it was.
    let old = [one, other].map(|run| {
        let to = made.context.path(run.file_name().unwrap().to_str().unwrap().replace("run-", "old-"));
        copy_folder(run, &to);
        fs::remove_file(to.join("items.jsonl")).unwrap();
        to
    });
    let (data, packs) = (made.files.join("own.csv"), made.files.join("packs"));
    let data = ["--data", data.to_str().unwrap()];
    let expected = made.readings([&old[0], &old[1]], &data, &["--prompts", packs.to_str().unwrap()]);
    fs::remove_dir_all(&made.files).unwrap();
    let found = made.readings([one, other], &[], &[]);
    for ((command, expected), (_, found)) in expected.iter().zip(&found) {
        let [expected, found] = [expected, found].map(|text| without_places(text, &made));
        assert!(!found.is_empty(), "{command}");
        assert_eq!(found, expected, "{command}");
    }
    assert!(found.iter().any(|(_, text)| text.contains("own.csv, line 5")), "the unread row");
    // It goes on, too: nothing is left to do.
    let again = made.context.command(&["report"]).arg(one).run().code(1);
    assert!(again.stderr.is_empty() || !again.stderr.contains("--data"), "{}", again.stderr);
}

#[test]
fn a_system_text_is_part_of_the_prompts() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let file = context.path("system.txt");
    fs::write(&file, "You watch people.\n").unwrap();
    let run = context.path("run");
    let asked = |system: &str| {
        let mut command =
            context.command(&["run", "--offline", "--limit", "2", "--orders", "identity", "--system", system]);
        command.arg("--model").arg(&model).arg("--out").arg(&run);
        command.run()
    };
    asked(file.to_str().unwrap()).done();
    asked("You watch people.").done();
    let refused = asked("You watch birds.").code(2).stderr;
    assert!(refused.contains("prompts.demo"), "{refused}");
    assert!(asked("no/such.txt").code(2).stderr.contains("no such file"));
    let report = context.command(&["report", "--json"]).arg(&run).run().done().stdout;
    assert!(report.contains("\"system\": \"You watch people.\""), "{report}");
    let report = context.command(&["report"]).arg(&run).run().done().stdout;
    assert!(report.contains("system: You watch people."), "{report}");
    // A template that leaves out system turns would lose the text without a word.
    let template = context.write(
        "users.jinja",
        "{% for m in messages %}{% if m.role != 'system' %}{{ m.content }}{% endif %}{% endfor %}",
    );
    let mut lost =
        context.command(&["run", "--offline", "--limit", "2", "--system", "Look at them.", "--chat-template"]);
    let lost = lost.arg(&template).arg("--model").arg(&model).run().code(2).stderr;
    assert!(lost.contains("--system: the chat template of"), "{lost}");
    // Later commands present items as the run did.
    let page =
        context.command(&["attend", "--offline", "--deletion-draws", "0", "--json", "--run"]).arg(&run).run().done();
    assert!(page.stdout.contains("You watch people."), "the prompt's text");
}

#[test]
fn what_was_changed_or_lost_is_named() {
    let made = Made::new();
    let [run, _] = &made.runs;
    let data = made.files.join("own.csv");
    let told = |more: &[&str]| made.context.command(&["report"]).arg(run).args(more).run();
    let whole = |name: &str| fs::read(run.join(name)).unwrap();
    for name in ["items.jsonl", "inputs/data.jsonl.gz"] {
        let bytes = whole(name);
        let mut changed = bytes.clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        fs::write(run.join(name), &changed).unwrap();
        let text = told(&[]).code(2).stderr;
        assert!(text.contains(name) && text.contains("changed after it was written"), "{text}");
        assert!(text.contains("delete inputs/data.json and pass --data"), "{text}");
        fs::remove_file(run.join(name)).unwrap();
        let text = told(&[]).code(2).stderr;
        assert!(text.contains(name) && text.contains("cannot be read"), "{text}");
        fs::write(run.join(name), bytes).unwrap();
    }
    let known = run.join("inputs/data.json");
    let bytes = fs::read(&known).unwrap();
    for (content, expected) in [("{", "data.json"), ("{\"format\": 9}", "data.json")] {
        fs::write(&known, content).unwrap();
        let text = told(&[]).code(2).stderr;
        assert!(text.contains(expected) && text.contains("delete inputs/data.json"), "{text}");
    }
    fs::remove_file(&known).unwrap();
    let from_files = told(&["--data", data.to_str().unwrap()]).code(1).stdout;
    fs::write(&known, bytes).unwrap();
    assert_eq!(told(&[]).code(1).stdout, from_files);
}

#[test]
fn the_documented_script_finds_the_accuracy() {
    if Command::new("python3").arg("--version").output().is_err() {
        return skipped("TOMEVAL_REQUIRE_PYTHON", "python3 is not there");
    }
    let run = TinyRun::get().finished();
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/formats.md")).unwrap();
    let script = page.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    let found = Command::new("python3").args(["-c", script]).current_dir(&run).output().unwrap();
    let items = TestContext::new().command(&["report", "--format", "items"]).arg(&run).run().success().json_lines();
    let right = items.iter().filter(|item| item["right"] == true).count();
    let expected = format!("{right} of {} items are right\n", items.len());
    assert_eq!(String::from_utf8(found.stdout).unwrap(), expected, "{}", String::from_utf8_lossy(&found.stderr));
}

/// Tables say how many items a released benchmark has, of which a run asks some.
#[test]
fn a_part_of_a_released_benchmark_knows_the_whole() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let data = context.path("tombench");
    copy_folder(&small().join("tombench"), &data);
    let run = context.path("run");
    let mut command =
        context.command(&["run", "--offline", "--benchmark", "tombench", "--limit", "2", "--language", "en"]);
    command.arg("--model").arg(model).arg("--data").arg(&data).arg("--out").arg(&run).run().done();
    let report = || context.command(&["report", "--format", "json"]).arg(&run).run().done().stdout;
    let before = report();
    fs::remove_dir_all(&data).unwrap();
    assert_eq!(report(), before);
    assert_eq!(before, fs::read_to_string(run.join("results.json")).unwrap());
    assert!(before.contains("\"expected\": 748"), "what the whole data have: {before}");
}

#[test]
fn a_merged_run_has_what_its_shards_have() {
    let run = TinyRun::get();
    let context = TestContext::new();
    let shards = ["1/2", "2/2"].map(|shard| {
        let out = context.path(shard.replace('/', "-"));
        run.run(&out, &["--shard", shard]).success();
        out
    });
    let merged = context.path("merged");
    context.command(&["merge", "--out"]).arg(&merged).args(&shards).run().success();
    let files = |folder: &Path| -> Vec<(String, Vec<u8>)> {
        let names = fs::read_dir(folder.join("inputs")).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = names.chain([folder.join("items.jsonl")]).collect();
        files.sort();
        files.iter().map(|path| (path.file_name().unwrap().to_string_lossy().into(), fs::read(path).unwrap())).collect()
    };
    assert_eq!(files(&merged), files(&run.finished()));
    let items = fs::read_to_string(merged.join("items.jsonl")).unwrap();
    let lines: Vec<Value> = items.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[0]["canary"].is_string() && lines[1].get("canary").is_none());
    // With its tables and page, as a run ends.
    let results = |folder: &Path| fs::read_to_string(folder.join("results.json")).unwrap();
    assert_eq!(results(&merged), results(&run.finished()));
    assert!(merged.join("report.html").is_file() && merged.join("report.md").is_file());
    let tables = context.path("new/tables.csv");
    let written = context.command(&["report", "--format", "csv", "--output"]).arg(&tables).arg(&merged).run().success();
    assert!(written.stdout.is_empty() && written.stderr.contains("tables.csv ("), "{}", written.stderr);
    let printed = context.command(&["report", "--format", "csv"]).arg(&merged).run().success().stdout;
    assert_eq!(fs::read_to_string(&tables).unwrap(), printed);
}
