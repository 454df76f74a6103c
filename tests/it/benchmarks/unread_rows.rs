//! Rows that cannot be read are told of wherever their file is used, and of two rows with one id one is such a row.

use std::fs;
use std::path::Path;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

use crate::support::context::{Run, TestContext};
use crate::support::model_is_here;
use crate::support::released::small;

const MIXED: &str = "id,question,option_a,option_b,answer\n\
                     1,Where?,box,bed,A\n\
                     2,Where?,box,bed,Z\n\
                     3,Where?,box,,B\n\
                     1,Where?,box,bed,B\n";

/// A file with one row that can be read, and three that cannot.
fn mixed(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("own.csv");
    fs::write(&path, MIXED).unwrap();
    path
}

/// Problems of `tomeval data check` in the files of one benchmark.
fn problems(context: &TestContext, benchmark: &str, data: &Path) -> Vec<String> {
    let output = context.command(&["data", "check", "--json", "--benchmark", benchmark]).arg("--data").arg(data).run();
    let document = output.code(1).json();
    let problems = document["benchmarks"][0]["problems"].as_array().unwrap();
    problems.iter().map(|problem| problem["message"].as_str().unwrap().to_string()).collect()
}

#[test]
fn a_report_names_the_rows_that_were_left_out() {
    let context = TestContext::new();
    let (data, answers) = (mixed(context.folder()), context.path("answers.jsonl"));
    fs::write(&answers, "{\"id\":\"custom/1/en\",\"choice\":0}\n").unwrap();
    let score = |format: &str| {
        let mut command = context.command(&["score", "--benchmark", "custom", "--format", format]);
        command.arg("--data").arg(&data).arg("--answers").arg(&answers);
        let all: &[&str] = if ["csv", "json"].contains(&format) { &[] } else { &["--table", "all", "--wide"] };
        command.args(all).run().code(1).stdout
    };
    for format in ["terminal", "markdown", "latex"] {
        let text = score(format).replace('\\', "");
        assert!(text.contains("3 rows of the data could not be read and are left out:"), "{format}: {text}");
        assert!(text.contains("own.csv, line 3, answer: `Z`"), "{format}: {text}");
        assert!(text.contains("own.csv, line 5, id: the id `custom/1/en` is already used in"), "{format}: {text}");
        assert!(!text.contains(&format!("{}, line 3", data.display())), "the folder is no part of a report");
    }
    let lines: Vec<String> =
        score("csv").lines().filter(|line| line.contains("unread-rows")).map(str::to_string).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    let document: Value = serde_json::from_str(&score("json")).unwrap();
    let rows = document["results"][0]["unread_rows"].as_array().unwrap();
    let places: Vec<_> = rows.iter().map(|row| (row["row"].as_u64(), row["field"].as_str())).collect();
    assert_eq!(places, [(Some(3), Some("answer")), (Some(4), Some("options")), (Some(5), Some("id"))]);
}

#[test]
fn a_run_says_what_it_leaves_out_and_so_does_every_later_report() {
    if !model_is_here() {
        return;
    }
    let context = TestContext::new();
    let (data, out) = (mixed(context.folder()), context.path("run"));
    let named = contains("own.csv, line 3, answer");
    context
        .command(&["run", "--offline", "--orders", "identity"])
        .arg("--data")
        .arg(&data)
        .arg("--out")
        .arg(&out)
        .run()
        .code(1)
        .with_stderr(contains("3 rows could not be read and will be left out:").and(named.clone()))
        .with_stdout(contains("Custom questions").and(named.clone()));
    context.command(&["report"]).arg(&out).run().code(1).with_stdout(named.clone());
    context.command(&["report"]).arg(&out).arg("--data").arg(&data).run().code(1).with_stdout(named.clone());
    context.command(&["plan", "--offline"]).arg("--data").arg(&data).run().code(1).with_stderr(named.clone());
    context
        .command(&["attend", "--offline", "--deletion-draws", "0"])
        .arg("--data")
        .arg(&data)
        .run()
        .with_stderr(named);
}

#[test]
fn a_file_without_a_row_that_can_be_read_says_why() {
    let context = TestContext::new();
    let data = context.write("own.csv", "question,option_a,option_b,answer\nWhere?,box,bed,Z\n");
    let plan = ["plan", "--offline", "--model", "nowhere", "--benchmark", "custom"];
    context.command(&plan).arg("--data").arg(&data).run().code(2).with_stderr(contains("own.csv, line 2, answer"));
}

#[test]
fn a_column_or_key_that_stands_there_twice_is_refused() {
    let context = TestContext::new();
    let data = context.write("own.csv", "question,option_a,option_b,answer,answer\nWhere?,box,bed,A,B\n");
    let items = ["data", "items", "--benchmark", "custom", "--data"];
    context.command(&items).arg(&data).run().code(2).with_stderr(contains("columns 4 and 5 are both named `answer`"));
    let data = context.path("own.jsonl");
    let line = |answer: &str| format!("{{\"question\":\"q\",\"options\":[\"x\",\"y\"],{answer}}}\n");
    fs::write(&data, line("\"answer\":\"A\"") + &line("\"answer\":\"A\",\"answer\":\"B\"")).unwrap();
    context
        .command(&items)
        .arg(&data)
        .run()
        .code(1)
        .with_stderr(contains("line 2: ").and(contains("duplicate key `answer`")));
}

#[test]
fn two_rows_with_one_id_are_refused_in_every_benchmark_that_reads_ids() {
    let context = TestContext::new();
    let check = |benchmark: &str, expected: usize| {
        let found = problems(&context, benchmark, context.folder());
        let twice = found.iter().filter(|message| message.contains("is already used in")).count();
        assert_eq!(twice, expected, "{benchmark}: {found:?}");
    };
    let write = |name: &str, text: &str| fs::write(context.path(name), text).unwrap();

    let row = |answer: &str| {
        format!(
            "{{\"prompting_type\":\"VP\",\"deception\":false,\"story_length\":1,\"question_order\":0,\"sample_id\":7,\
             \"story\":\"1 Mia entered the attic.\",\"question\":\"Where is the key really?\",\
             \"choices\":\"A. red_box, B. blue_bag\",\"answer\":\"{answer}\"}}"
        )
    };
    write("Hi-ToM_data.json", &format!("{{\"data\":[{},{}]}}", row("red_box"), row("blue_bag")));
    check("hi-tom", 1);

    let row = |answer: &str| {
        format!(
            "{{\"id\":3,\"story\":\"The key is in the box.\",\"question_types\":{{\"reality\":\
             {{\"question\":\"Where?\",\"answer\":\"{answer}\",\"containers\":[\"box\",\"bag\"]}}}}}}"
        )
    };
    for code in ["en", "cn", "de", "fr", "ja"] {
        write(&format!("XToMi_{code}.json"), &format!("[{},{}]", row("box"), row("bag")));
    }
    check("xtomi", 5);

    let round = |high: &str| {
        format!(
            "{{\"dialogue_id\":\"4-0\",\"dialogue\":[\"agent_1: Hi.\",\"agent_2: Hello.\"],\"agent1_desire_high\":\"{high}\",\
             \"agent1_desire_medium\":\"Water\",\"agent1_desire_low\":\"Not Given\"}}"
        )
    };
    let rounds = format!("[{},{}]", round("Food"), round("Firewood"));
    write("NegotiationToM.json", &rounds);
    check("negotiationtom", 1);
    for code in ["en", "ch", "de", "fr", "ja"] {
        write(&format!("Xnegtom_{code}.json"), &rounds);
    }
    check("xnegotiationtom", 5);
}

#[test]
fn two_questions_of_one_name_in_a_trial_are_refused() {
    let context = TestContext::new();
    let sample = small().join("tomvalley");
    let trial = fs::read_dir(&sample).unwrap().flatten().map(|entry| entry.path()).find(|path| path.is_dir()).unwrap();
    let copy = |name: &str| {
        let copied = context.path(name);
        fs::create_dir(&copied).unwrap();
        for file in ["story.json", "question_new.json"] {
            fs::copy(trial.join(file), copied.join(file)).unwrap();
        }
        copied
    };
    let copied = copy("trial7");
    let questions = fs::read_to_string(copied.join("question_new.json")).unwrap();
    let inner = questions.trim().strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap();
    fs::write(copied.join("question_new.json"), format!("{{{inner},{inner}}}")).unwrap();
    let found = problems_of_trials(&context, context.folder());
    assert!(found.iter().any(|message| message.contains("duplicate key")), "{found:?}");

    fs::write(copied.join("question_new.json"), questions).unwrap();
    copy("trial07");
    let found = problems_of_trials(&context, context.folder());
    assert!(!found.is_empty() && found.iter().all(|message| message.contains("is already used in")), "{found:?}");
}

fn problems_of_trials(context: &TestContext, data: &Path) -> Vec<String> {
    let check = ["data", "check", "--json", "--benchmark", "tomvalley", "--choose", "trials=all", "--data"];
    let document = context.command(&check).arg(data).run().code(1).json();
    let problems = document["benchmarks"][0]["problems"].as_array().unwrap();
    problems.iter().map(|problem| problem["message"].as_str().unwrap().to_string()).collect()
}

#[test]
fn a_row_of_a_translation_that_stands_there_twice_is_refused() {
    let context = TestContext::new();
    let refined = small().join("multi-tom/RefinedData/data.csv");
    let text = fs::read_to_string(&refined).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let first = reader.records().next().unwrap().unwrap();
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in [&header, &first, &first] {
        writer.write_record(record).unwrap();
    }
    fs::create_dir(context.path("RefinedData")).unwrap();
    context.write("RefinedData/data.csv", writer.into_inner().unwrap());
    let found = problems(&context, "multi-tom", context.folder());
    assert_eq!(found.iter().filter(|message| message.contains("is already used in")).count(), 1, "{found:?}");
}

#[test]
fn files_named_without_a_benchmark_are_never_passed_over() {
    let context = TestContext::new();
    let data = mixed(context.folder());
    let items = context.command(&["data", "items"]).arg("--data").arg(&data).run().code(1);
    assert_eq!(items.stdout.lines().count(), 1);
    context.command(&["data", "check"]).arg("--data").arg(&data).run().code(1).with_stdout(contains("custom"));
    let other = context.path("own.txt");
    fs::copy(&data, &other).unwrap();
    context
        .command(&["run", "--offline"])
        .arg("--data")
        .arg(&other)
        .run()
        .code(2)
        .with_stderr(contains("--benchmark NAME"));
    context
        .command(&["run", "--offline"])
        .arg("--data")
        .arg(small())
        .run()
        .code(2)
        .with_stderr(contains("it contains files of"));
    let tomi = small().join("tomi");
    let items = context.command(&["data", "items"]).arg("--data").arg(&tomi).run().success();
    assert!(items.stdout.starts_with("{\"id\":\"tomi/"));
    // The environment names a place to look in, and no benchmark.
    let items = context.command(&["data", "items"]).env("TOMEVAL_DATA", &tomi).run().success();
    assert!(items.stdout.starts_with("{\"id\":\"demo/"));
}
