//! Files of the user's own: every command of `docs/own-data.md` reads its example, and what was said of the columns is kept
//! with a run.

use std::path::Path;

use serde_json::Value;

use crate::support::context::{Output, Run, TestContext};
use crate::support::model_is_here;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The program in the project's root, below which the page names its files.
fn at_root(arguments: &[&str]) -> Output {
    TestContext::new().command(arguments).current_dir(ROOT).run()
}

/// The items that arguments lead to.
fn items(arguments: &[&str]) -> Vec<Value> {
    at_root(&[&["data", "items"], arguments].concat()).success().json_lines()
}

/// The commands of the page that begin with these words, as words, without them.
fn documented(beginning: &str) -> Vec<Vec<String>> {
    let page = std::fs::read_to_string(Path::new(ROOT).join("docs/own-data.md")).unwrap().replace("\\\n", " ");
    let lines = page.lines().filter_map(|line| line.strip_prefix(beginning).map(str::to_string));
    lines.map(|line| words(&line)).collect()
}

/// The words of a line, of which double quotes hold several together.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for character in line.trim().chars() {
        match character {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            other => words.last_mut().unwrap().push(other),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn check(file: &str, golds: &[(&str, &[u64])], first: (&str, &str, &[&str])) {
    let all = documented("tomeval plan ");
    let arguments =
        all.iter().find(|words| words[1].ends_with(file)).unwrap_or_else(|| panic!("{file} is on the page"));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let items = items(&arguments);
    let found: Vec<(&str, Vec<u64>)> = items
        .iter()
        .map(|item| {
            let gold = item["gold"].as_array().unwrap().iter().map(|option| option.as_u64().unwrap()).collect();
            (item["id"].as_str().unwrap(), gold)
        })
        .collect();
    let expected: Vec<(&str, Vec<u64>)> = golds.iter().map(|(id, gold)| (*id, gold.to_vec())).collect();
    assert_eq!(found, expected, "{file}");
    let (question, story, options) = first;
    assert_eq!(items[0]["question"], question, "{file}");
    assert!(items[0]["context"][0]["text"].as_str().unwrap().starts_with(story), "{file}");
    assert_eq!(items[0]["options"], serde_json::json!(options), "{file}");
}

#[test]
fn files_like_known_benchmarks_are_read_as_the_page_says() {
    check(
        "questions.csv",
        &[("custom/q1/en", &[0]), ("custom/q2/en", &[0]), ("custom/q3/en", &[1])],
        ("Where will Mia look for the key?", "Mia puts the key", &["in the box", "on the hook"]),
    );
    check(
        "emobench.jsonl",
        &[("custom/e1/en", &[0]), ("custom/e1/zh", &[0]), ("custom/e2/en", &[1])],
        ("What does Ilse feel?", "Ilse's twin", &["Pride and disappointment", "Boredom", "Relief", "Disgust"]),
    );
    check(
        "simpletom.jsonl",
        &[("custom/s1_state/en", &[1]), ("custom/s1_act/en", &[0]), ("custom/s2_state/en", &[1])],
        ("Is Ono likely to be aware that the tin is full of buttons?", "The tin of biscuits", &["Yes", "No"]),
    );
    check(
        "bigtom.csv",
        &[("custom/0/en", &[0]), ("custom/1/en", &[0])],
        (
            "Does Tove believe that the pan holds oil?",
            "Tove, the baker, has",
            &["Tove believes that the pan holds oil.", "Tove believes that the pan is empty."],
        ),
    );
    check(
        "opentom.json",
        &[("custom/0/en", &[0]), ("custom/1/en", &[0]), ("custom/2/en", &[1])],
        (
            "From Edda's perspective, where are the pears at the end?",
            "Edda likes the pears",
            &["cellar basket", "attic chest"],
        ),
    );
    check(
        "socialiqa.jsonl",
        &[("custom/0/en", &[0]), ("custom/1/en", &[2])],
        ("How would Alma describe Femke?", "Femke lent Alma", &["generous", "forgetful", "careless"]),
    );
    check(
        "labels.jsonl",
        &[("custom/0/es", &[0, 2]), ("custom/1/es", &[1])],
        ("¿Qué intenciones expresa Pilar?", "Pilar: ", &["pedir ayuda", "agradecer", "despedirse"]),
    );
    check(
        "slots.jsonl",
        &[("custom/0/en", &[1, 0])],
        ("What does Kim need most, and what least?", "Kim: I have", &["water", "food", "firewood"]),
    );
    assert_eq!(
        items(&[
            "--data",
            "tests/data/own/opentom.json",
            "--column",
            "question=question.question",
            "--column",
            "answer=question.answer",
            "--column",
            "story=narrative",
            "--column",
            "option_a=plot_info.original_place",
            "--column",
            "option_b=plot_info.move_to_place"
        ])[1]["facets"]["question.type"],
        "location-so"
    );
}

#[test]
fn every_command_of_the_page_works() {
    for arguments in documented("tomeval data ") {
        let arguments: Vec<&str> = ["data"].into_iter().chain(arguments.iter().map(String::as_str)).collect();
        let output = at_root(&arguments).success();
        assert!(output.stdout.contains("as published") && output.stdout.contains("level (3)"), "{}", output.stdout);
    }
    if !model_is_here() {
        return;
    }
    for arguments in documented("tomeval plan ") {
        let arguments: Vec<&str> =
            ["plan", "--offline"].into_iter().chain(arguments.iter().map(String::as_str)).collect();
        let output = at_root(&arguments).success();
        assert!(!output.stdout.contains("cannot be asked  1"), "{}", output.stdout);
        if arguments[3].ends_with("labels.jsonl") {
            assert!(output.stderr.contains("in Spanish; its questions get English instructions"), "{}", output.stderr);
        }
    }
}

#[test]
fn a_run_keeps_how_its_file_was_read_and_reports_by_any_facet() {
    if !model_is_here() {
        return;
    }
    let context = TestContext::new();
    let rows = "q,a,b,gold,level,story\nWho?,Mia,Ben,1,x,Mia and Ben wait.\nWhere?,here,there,2,y,Mia and Ben wait.\n";
    let data = context.write("mine.csv", rows);
    let (data, out) = (data.to_str().unwrap(), context.path("run"));
    let out = out.to_str().unwrap();
    let columns = ["question=q", "option_a=a", "option_b=b", "answer=gold"].map(|column| ["--column", column]).concat();
    let card = "tests/data/own/card.toml";
    let run = [
        &[
            "run",
            "--tables",
            "--offline",
            "--data",
            data,
            "--orders",
            "identity",
            "--by",
            "level",
            "--card",
            card,
            "--out",
            out,
        ][..],
        &columns,
    ]
    .concat();
    let output = at_root(&run).success();
    assert!(output.stderr.contains("Facets of your questions, from their other columns: level"), "{}", output.stderr);
    for text in ["Levels of belief", "Accuracy by level", "--column answer=gold"] {
        assert!(output.stdout.contains(text), "{text}: {}", output.stdout);
    }
    let report = at_root(&["report", out, "--data", data, "--by", "options,level", "--json"]).success().json();
    let table =
        report["results"][0]["tables"].as_array().unwrap().iter().find(|table| table["id"] == "by-options-level");
    assert_eq!(table.expect("the table asked for")["rows"].as_array().unwrap().len(), 2);
    let wrong = at_root(&["report", out, "--data", data, "--by", "levle"]).code(2);
    assert!(
        wrong.stderr.contains("--by levle: no item has this facet; known facets: language, options"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_line_and_mend() {
    let context = TestContext::new();
    let error = |name: &str, text: &str, more: &[&str]| {
        let path = context.write(name, text);
        let output = at_root(&[&["data", "check", "--data", path.to_str().unwrap()], more].concat());
        assert_ne!(output.status.code(), Some(0), "{text}");
        output.stdout + &output.stderr
    };
    let check =
        |said: String, parts: &[&str]| parts.iter().for_each(|part| assert!(said.contains(part), "{part}: {said}"));
    let row = r#"{"question": "?", "option_a": "x", "option_b": "y", "answer": "A""#;
    check(
        error("a.jsonl", &format!("{row}}}\n{row}, \"option_aa\": \"z\"}}\n"), &[]),
        &["line 2", "`option_aa`", "--facet option_aa"],
    );
    check(error("a.jsonl", &format!("{row}, \"stroy\": \"z\"}}\n"), &[]), &["line 1", "--column story=stroy"]);
    check(error("a.jsonl", &format!("{row}, \"passage\": \"z\"}}\n"), &[]), &["line 1", "--column story=passage"]);
    check(error("a.jsonl", &format!("{row}, \"answer\": \"B\"}}\n"), &[]), &["duplicate key `answer`", "line 1"]);
    check(error("a.csv", "question,option_a,option_a,answer\n", &[]), &["columns 2 and 3 are both named `option_a`"]);
    check(
        error("a.csv", "question,first,second,key\n?,x,y,1\n", &[]),
        &["no column for: options", "answer", "`key`", "--column answer=NAME"],
    );
    let said = ["--column", "option_a=a", "--column", "option_b=b", "--column", "answer=gold"];
    check(
        error("a.csv", "question,a,b,c,gold\n?,x,y,z,1\n", &[&said[..], &["--column", "option_c=c"]].concat()),
        &["--gold-base 0 or --gold-base 1"],
    );
    check(error("a.csv", "question,a,b,gold\n?,x,y,Z\n", &said), &["line 2", "gold", "neither a letter from A to B"]);
    check(
        error("a.csv", "question,a,b,gold\n?,x,y,A\n", &["--column", "answer=glod"]),
        &["no column `glod`", "`gold`"],
    );
    check(
        error("a.csv", "question;option_a;option_b;answer;language\n?;x;y;A;es\n", &["-l", "de"]),
        &["no questions in the requested languages; it has es"],
    );
    let own = at_root(&["data", "items", "-b", "demo", "--column", "answer=gold"]);
    assert!(own.stderr.contains("--column") && own.stderr.contains("--benchmark custom"), "{}", own.stderr);
    check(
        error("a.csv", "question,option_a,option_b,answer\n?,x,y,A\n", &["--card", "Cargo.toml"]),
        &["--card Cargo.toml", "unknown key `package`"],
    );
}

#[test]
fn a_spreadsheet_reads_names_as_text() {
    let context = TestContext::new();
    let answers = context.write("answers.jsonl", "{\"id\": \"custom/q1/en\", \"choice\": 0}\n");
    let output = at_root(&[
        "score",
        "-b",
        "custom",
        "--data",
        "tests/data/own/questions.csv",
        "--answers",
        answers.to_str().unwrap(),
        "--subject",
        "=1+1",
        "--by",
        "level",
        "--format",
        "csv",
    ]);
    let text = output.stdout;
    assert!(text.contains(",'=1+1,") && !text.contains(",=1+1,"), "{text}{}", output.stderr);
    assert!(text.contains("by-level"), "{text}");
}

#[test]
fn data_cannot_command_the_terminal() {
    let context = TestContext::new();
    let row = r#"{"id": "\u001b[2Jx", "question": "?", "option_a": "x", "option_b": "x", "answer": "A", "\u001b]0;t\u0007": "\u009b1m"}"#;
    let path = context.write("a.jsonl", format!("{row}\n{row}\n"));
    let path = path.to_str().unwrap();
    for command in ["check", "stats", "items"] {
        let output = at_root(&["data", command, "--data", path]);
        let shown = if command == "items" { output.stderr } else { output.stdout + &output.stderr };
        assert!(!shown.contains(['\u{1b}', '\u{9b}', '\u{7}']), "{command}: {shown:?}");
        if command == "check" {
            assert!(shown.contains("\\u{1b}[2Jx") && shown.contains("\\u{1b}]0;t"), "{shown}");
        }
    }
}
