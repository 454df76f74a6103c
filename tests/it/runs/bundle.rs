//! Runs in one file, with and without texts, and run folders as data.

use std::collections::HashSet;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::context::{Run, TestContext};
use crate::support::files::{copy_folder, read_json_lines};
use crate::support::released::small;
use crate::support::tiny_models::tiny_model;
use crate::support::tiny_run::TinyRun;

/// Two runs in one folder, in which the program runs.
fn two_runs() -> (TestContext, [PathBuf; 2]) {
    let context = TestContext::new();
    fs::create_dir(context.path("runs")).unwrap();
    let runs = ["one", "other"].map(|name| TinyRun::get().copy(&context.path("runs").join(name)));
    for run in &runs {
        copy_folder(&TinyRun::get().finished().join("inputs"), &run.join("inputs"));
    }
    (context, runs)
}

#[test]
fn a_bundle_is_read_as_its_folders_are() {
    let (context, runs) = two_runs();
    let told = context.run(&["bundle", "runs", "--out", "all.zip"]).success().stderr;
    assert!(told.contains("2 runs") && told.contains("tomeval report all.zip"), "{told}");
    context.run(&["bundle", "runs/one", "--out", "one.zip"]).success();
    let [one, other] = runs.each_ref().map(|run| run.strip_prefix(context.folder()).unwrap().to_str().unwrap());
    let same = |bundle: &[&str], folders: &[&str]| {
        let [bundle, folders] = [bundle, folders].map(|arguments| context.run(arguments).success().stdout);
        assert!(!folders.is_empty());
        assert_eq!(bundle, folders);
    };
    for format in ["json", "items", "markdown", "csv"] {
        same(&["report", "--format", format, "all.zip"], &["report", "--format", format, one, other]);
        same(&["report", "--format", format, "one.zip"], &["report", "--format", format, one]);
    }
    same(&["compare", "--json", "all.zip/one", "all.zip/other"], &["compare", "--json", one, other]);
    same(&["compare", "--json", "all.zip"], &["compare", "--json", one, other]);
    for (command, page) in [("mark", "mark.html"), ("answer", "answer.html")] {
        let page_of = |run: &str| {
            context.run(&["annotate", command, "--run", run, "--people", "2", "--out", page]).success();
            fs::read_to_string(context.path(page)).unwrap()
        };
        assert_eq!(page_of("one.zip"), page_of(one));
    }
    let refused = context.run(&["attend", "--offline", "--run", "one.zip"]).code(2).stderr;
    assert!(refused.contains("read-only") && refused.contains("--html FILE"), "{refused}");
    let attend = ["attend", "--offline", "--deletion-draws", "0", "--limit", "1", "--html", "attention.html", "--run"];
    context.run(&[&attend[..], &["one.zip"]].concat()).success();
    assert!(context.path("attention.html").is_file());
    same(&["data", "items", "--data", "one.zip"], &["data", "items", "--data", one]);
    // An empty variable is none, and one that is set asks for nothing.
    for (data, command) in [
        ("", &["report", "--json", one][..]),
        ("", &["compare", "--json", one, other]),
        ("nowhere", &["bundle", one, "--out", "x.zip"]),
    ] {
        context.command(command).env("TOMEVAL_DATA", data).run().success();
    }
    // Of equal folders the same bytes.
    let bytes = fs::read(context.path("all.zip")).unwrap();
    context.run(&["bundle", one, other, "--out", "all.zip"]).success();
    assert_eq!(fs::read(context.path("all.zip")).unwrap(), bytes);
    let temporary = context.path("temporary");
    fs::create_dir(&temporary).unwrap();
    context.command(&["compare", "all.zip"]).env("TMPDIR", &temporary).run().success();
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
}

#[test]
fn what_is_no_bundle_is_refused_by_name() {
    let (context, runs) = two_runs();
    let refused = |arguments: &[&str]| context.run(arguments).code(2).stderr;
    let check = |text: String, expected: &str| assert!(text.contains(expected), "{text}");
    check(refused(&["bundle", "runs/one", "--out", "one.tar"]), "ends in .zip");
    check(refused(&["bundle", "none", "--out", "none.zip"]), "none");
    fs::create_dir(context.path("more")).unwrap();
    copy_folder(&runs[0], &context.path("more/one"));
    check(refused(&["bundle", "runs/one", "more/one", "--out", "two.zip"]), "have the same name");
    context.write("broken.zip", "PK no archive");
    check(refused(&["report", "broken.zip"]), "not a zip archive");
    check(refused(&["report", "absent.zip"]), "absent.zip");
    context.run(&["bundle", "runs/one", "--out", "one.zip"]).success();
    check(refused(&["report", "one.zip/other"]), "contains no folder other");
    let whole = fs::read(context.path("one.zip")).unwrap();
    context.write("cut.zip", &whole[..whole.len() / 2]);
    check(refused(&["report", "cut.zip"]), "not a zip archive");
    let mut damaged = whole.clone();
    damaged[200] ^= 0xff;
    context.write("damaged.zip", &damaged);
    check(refused(&["report", "damaged.zip"]), "damaged.zip");
    // Names that lead elsewhere, and more than any run unpacks to.
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("../outside.txt", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(b"x").unwrap();
    context.write("slip.zip", archive.finish().unwrap().into_inner());
    check(refused(&["report", "slip.zip"]), "is a link or lies outside the folder");
    assert!(!context.path("outside.txt").exists());
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("run/manifest.json", zip::write::SimpleFileOptions::default()).unwrap();
    for _ in 0..200 {
        archive.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    context.write("bomb.zip", archive.finish().unwrap().into_inner());
    check(refused(&["report", "bomb.zip"]), "unpacks to more than");
}

/// All stretches of so many characters.
fn stretches(texts: &[String]) -> HashSet<Vec<char>> {
    let mut all = HashSet::new();
    for text in texts {
        let letters: Vec<char> = text.chars().collect();
        all.extend(letters.windows(20).map(<[char]>::to_vec));
    }
    all
}

/// Every text in a JSON value, but for those under `except`.
fn texts_in(value: &Value, except: &[&str], found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| texts_in(value, except, found)),
        Value::Object(values) => {
            let kept = values.iter().filter(|(key, _)| !except.contains(&key.as_str()));
            kept.for_each(|(_, value)| texts_in(value, except, found));
        }
        _ => {}
    }
}

/// What a file holds, with what is packed in a page or a compressed file.
fn unpacked(bytes: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        flate2::read::GzDecoder::new(bytes).read_to_string(&mut text).unwrap();
    }
    let packed: Vec<String> = text
        .split(|letter: char| !letter.is_ascii_alphanumeric() && !"+/=".contains(letter))
        .filter(|word| word.len() > 60)
        .map(str::to_string)
        .collect();
    for word in packed {
        let Ok(bytes) = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, word) else { continue };
        let mut inside = String::new();
        if flate2::read::ZlibDecoder::new(&bytes[..]).read_to_string(&mut inside).is_ok() {
            text.push_str(&inside);
        }
    }
    text
}

/// By letters, texts and both, and written: nothing that may not be passed on is left, and every number is.
#[test]
fn without_texts_no_text_is_left_and_every_number_is() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let own = "id,story,question,option_a,option_b,answer,Remark\n\
        1,Ann hid the golden watch in the wooden drawer and left.,Where will Bob look for the golden watch?,\
        in the wooden drawer of the kitchen,in the box,A,Where will Bob look for the golden watch?\n\
        2,Bob ate the pie before Eve came back to the house.,What does Eve think that Bob has eaten?,pie,jam,B,short\n";
    context.write("own.csv", own);
    let data = small();
    let tombench = data.join("tombench");
    let runs = [
        ("letter", &tombench, &["--scoring", "letter", "--orders", "random:2"][..]),
        ("text", &tombench, &["--scoring", "text", "--orders", "random:2"]),
        ("hybrid", &tombench, &["--scoring", "hybrid", "--orders", "random:2"]),
        ("generate", &tombench, &["--scoring", "generate", "--max-new-tokens", "24", "--orders", "identity"]),
        (
            "own",
            &context.path("own.csv"),
            &["--text", "question=What follows from all of this, in a word: {question}", "--facet", "Remark"],
        ),
    ];
    for (name, files, arguments) in runs {
        let mut command = context.command(&["run", "--offline", "--limit", "6", "--out", name]);
        command.arg("--model").arg(&model).arg("--data").arg(files).args(arguments);
        command.args(["--benchmark", if name == "own" { "custom" } else { "tombench" }]).run().done();
        context.run(&["bundle", name, "--no-texts", "--out", "x.zip"]).success();
        fs::rename(context.path("x.zip"), context.path(format!("{name}.zip"))).unwrap();

        let run = context.path(name);
        let mut secret = vec!["What follows from all of this, in a word: {question}".to_string()];
        for item in read_json_lines(&run.join("items.jsonl")) {
            for key in ["context", "question", "options", "fields"] {
                texts_in(&item[key], &["kind"], &mut secret);
            }
        }
        for record in read_json_lines(&run.join("trials.jsonl")) {
            texts_in(&record["asks"], &["role", "rule"], &mut secret);
        }
        let secret = stretches(&secret);
        assert!(secret.len() > 100, "{name}");
        let mut archive = zip::ZipArchive::new(fs::File::open(context.path(format!("{name}.zip"))).unwrap()).unwrap();
        let mut seen = 0;
        for at in 0..archive.len() {
            let mut member = archive.by_index(at).unwrap();
            let file = member.enclosed_name().unwrap();
            let mut bytes = Vec::new();
            member.read_to_end(&mut bytes).unwrap();
            let letters: Vec<char> = unpacked(&bytes).chars().collect();
            if let Some(found) = letters.windows(20).find(|stretch| secret.contains(*stretch)) {
                panic!("{name}: {}: {}", file.display(), found.iter().collect::<String>());
            }
            assert!(!unpacked(&bytes).contains("token_ids\":["), "{name}: {}", file.display());
            seen += 1;
        }
        assert!(seen >= 8, "{name}: {seen}");

        // Numbers are those of the run, to the bit; names of options and the places of files may differ.
        let numbers = |run: &str| {
            let mut report = context.run(&["report", "--format", "json", run]).done().json();
            without_names(&mut report);
            report
        };
        assert_eq!(numbers(&format!("{name}.zip")), numbers(name), "{name}");
        let items = |run: &str| context.run(&["report", "--format", "items", run]).done().stdout;
        let found = items(&format!("{name}.zip"));
        if name != "own" {
            assert_eq!(found, items(name), "{name}");
        }
    }
    // What needs texts says so.
    for arguments in [
        &["attend", "--offline", "--html", "a.html", "--run", "letter.zip"][..],
        &["annotate", "mark", "--out", "m.html", "--run", "letter.zip"],
        &["report", "--extract", "ours", "generate.zip"],
    ] {
        let text = context.run(arguments).code(2).stderr;
        assert!(text.contains("`tomeval bundle --no-texts` left out"), "{arguments:?}: {text}");
    }
    // Pages and files are made without texts, and compared it can be.
    context.run(&["report", "letter.zip", "--format", "html", "--output", "page.html"]).done();
    assert!(fs::read_to_string(context.path("page.html")).unwrap().contains("letter"));
    context.run(&["compare", "letter.zip", "hybrid.zip"]).done();
    context.run(&["bundle", "letter.zip", "--out", "again.zip"]).success();
}

/// A report without what names options by their texts.
fn without_names(report: &mut Value) {
    match report {
        Value::Object(values) => {
            for key in ["constant_answer", "provenance", "unread_rows", "notes"] {
                values.remove(key);
            }
            values.values_mut().for_each(without_names);
        }
        Value::Array(values) => values.iter_mut().for_each(without_names),
        _ => {}
    }
}

#[test]
fn an_unfinished_run_keeps_its_texts() {
    let (context, [one, _]) = two_runs();
    let lines = fs::read_to_string(one.join("trials.jsonl")).unwrap();
    let shorter: String = lines.lines().take(2).map(|line| format!("{line}\n")).collect();
    fs::write(one.join("trials.jsonl"), shorter).unwrap();
    let text = context.run(&["bundle", "runs/one", "--no-texts", "--out", "one.zip"]).code(2).stderr;
    assert!(text.contains("unfinished, with 2 of"), "{text}");
    assert!(!context.path("one.zip").exists());
    let text = context.run(&["bundle", "runs/one", "--out", "one.zip"]).success().stderr;
    assert!(text.contains("unfinished, with 2 of"), "{text}");
    context.run(&["report", "one.zip"]).code(1);
}

/// A run's folder is taken for its data by whatever reads benchmarks.
#[test]
fn a_run_folder_stands_for_its_data() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let data = context.path("tombench");
    copy_folder(&small().join("tombench"), &data);
    let mut command = context.command(&["run", "--offline", "--benchmark", "tombench", "--limit", "2", "--out", "run"]);
    command.arg("--model").arg(&model).args(["--data", "tombench"]).run().done();
    let said = |from: &str| {
        let mut all = Vec::new();
        all.push(context.run(&["data", "items", "--benchmark", "tombench", "--data", from]).done().stdout);
        all.push(context.run(&["data", "stats", "--benchmark", "tombench", "--data", from, "--json"]).done().stdout);
        let id = json_id(&all[0]);
        let answers = context.write("answers.jsonl", format!("{{\"id\":\"{id}\",\"choice\":0}}\n"));
        let score = ["score", "--benchmark", "tombench", "--data", from, "--json", "--answers"];
        all.push(context.run(&[&score[..], &[answers.to_str().unwrap()]].concat()).done().stdout);
        let mut probe =
            context.command(&["probe", "orders", "--offline", "--json", "--benchmark", "tombench", "--data", from]);
        all.push(probe.args(["--limit", "2", "--draws", "9", "--model"]).arg(&model).run().done().stdout);
        all
    };
    let before = said("tombench");
    fs::rename(&data, context.path("gone")).unwrap();
    for (found, before) in said("run").iter().zip(&before) {
        let other = found.lines().zip(before.lines()).find(|(found, before)| found != before);
        assert!(found == before, "{other:?}");
    }
    // Found out without a name; what would have to be read again is refused.
    let found = context.run(&["data", "check", "--data", "run", "--json"]).done();
    assert!(found.stdout.contains("tombench"), "{}", found.stdout);
    let refused = |more: &[&str]| {
        let all = [&["data", "items", "--data", "run", "--benchmark"], more].concat();
        context.run(&all).code(2).stderr
    };
    assert!(refused(&["tombench", "--labels", "repaired"]).contains("leave out --labels"));
    assert!(refused(&["tomi"]).contains("has no items of tomi"));
}

fn json_id(lines: &str) -> String {
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    first["id"].as_str().unwrap().to_string()
}

#[test]
fn nothing_is_left_behind_in_a_bundle() {
    let (context, [one, _]) = two_runs();
    fs::write(one.join(".unfinished-a1B2c3.tmp"), "x").unwrap();
    context.run(&["bundle", "runs/one", "--out", "one.zip"]).success();
    let archive = zip::ZipArchive::new(fs::File::open(context.path("one.zip")).unwrap()).unwrap();
    let names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    assert!(names.iter().all(|name| Path::new(name).starts_with("one")), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("unfinished")), "{names:?}");
    assert!(names.iter().any(|name| name == "one/inputs/data.json"), "{names:?}");
}

/// As folders were before they held their items.
#[test]
fn a_folder_without_items_is_read_with_its_data() {
    let folder = small().join("run-format-2");
    let folder = folder.to_str().unwrap();
    let context = TestContext::new();
    let results = context.run(&["report", "--json", folder]).success().stdout;
    assert_eq!(results, fs::read_to_string(small().join("run-format-2/results.json")).unwrap());
    context.run(&["annotate", "mark", "--run", folder, "--out", "mark.html"]).success();
    let told = context.run(&["bundle", folder, "--out", "old.zip"]).success().stderr;
    assert!(told.contains("does not contain its items") && told.contains("needs --data"), "{told}");
    assert_eq!(context.run(&["report", "--json", "old.zip"]).success().stdout, results);
    context.run(&["bundle", folder, "--no-texts", "--out", "none.zip"]).success();
    let numbers = |text: &str| {
        let mut report: Value = serde_json::from_str(text).unwrap();
        without_names(&mut report);
        report
    };
    assert_eq!(numbers(&context.run(&["report", "--json", "none.zip"]).success().stdout), numbers(&results));
}
