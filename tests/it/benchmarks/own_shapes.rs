//! Files in the shapes that people have, in every format: each is read without a flag, and what it was read as is said. The files
//! are written by `tests/data/own/shapes/make.py`.

use crate::support::context::{Output, TestContext};

/// The program on a file of the folder.
fn items(name: &str, more: &[&str]) -> Output {
    let path = format!("{}/tests/data/own/shapes/{name}", env!("CARGO_MANIFEST_DIR"));
    TestContext::new().run(&[&["data", "items", "--data", &path], more].concat())
}

/// The program on a file of this name with this text.
fn items_of(name: &str, text: &str, more: &[&str]) -> Output {
    let context = TestContext::new();
    let path = context.write(name, text);
    context.run(&[&["data", "items", "--data", path.to_str().unwrap()], more].concat())
}

/// A file in each of the formats is read, says so, and has these answers and first question.
fn check(shape: &str, formats: &str, read_as: &str, golds: &[u64], first: (&str, &str)) {
    for format in formats.split_whitespace() {
        let output = items(&format!("{shape}.{format}"), &[]).success();
        assert!(output.stderr.contains(read_as), "{shape}.{format}: {}", output.stderr);
        let items = output.json_lines();
        let found: Vec<u64> = items.iter().map(|item| item["gold"][0].as_u64().unwrap()).collect();
        assert_eq!(found, golds, "{shape}.{format}");
        let text = items[0]["context"][0]["text"].as_str().unwrap_or_else(|| items[0]["question"].as_str().unwrap());
        assert_eq!((text, items[0]["options"][0].as_str().unwrap()), first, "{shape}.{format}");
        let options = items[0]["options"].as_array().unwrap().len();
        assert_eq!(options, if golds.len() == 3 { 4 } else { 2 }, "{shape}.{format}");
        let facets = items[0]["facets"].as_object().unwrap();
        assert!(facets.keys().all(|name| !name.contains("target") && !name.contains("ctx")), "{facets:?}");
    }
}

const FIRST: (&str, &str) = ("Where will Mia look for the key?", "in the box");

#[test]
fn tables_of_questions_are_read_by_their_columns() {
    let said = "read as a table of questions: question in `Question`, options in `A` to `D`, answer in `Answer`";
    check("letters", "csv tsv", said, &[0, 3, 1], FIRST);
    check("letters", "json jsonl snappy.parquet", said, &[0, 3, 1], FIRST);
    let said = "question in `Question`, options in `Choice 1` to `Choice 4`, answer in `Correct`; answers are numbers that \
                count from 1: line 3 has the number of its options";
    check("numbered", "csv tsv", said, &[0, 3, 1], FIRST);
    check("numbered", "json jsonl gzip.parquet", "answers are numbers that count from 1", &[0, 3, 1], FIRST);
    let said =
        "read as MMLU's CSV without a header: question in column 1, options in columns 2 to 5, answer in column 6";
    check("headless", "csv tsv", said, &[0, 3, 1], FIRST);
    let said = "options in `choices`, answer in `answer`; answers are numbers that count from 0: ";
    check("choices", "csv json jsonl zstd.parquet", said, &[0, 3, 1], FIRST);
    let said = "options in `correct` to `distractor3`, the first option is right";
    check("distractors", "csv tsv json jsonl snappy.parquet", said, &[0, 0, 0], FIRST);
    let said = "options in `Correct Answer` to `Incorrect Answer 3`, the first option is right";
    check("incorrect", "csv", said, &[0, 0, 0], FIRST);
}

#[test]
fn files_of_known_benchmarks_are_read_by_their_shape() {
    let said = "read as ARC: question in `question`, options in `choices.text`, answer in `answerKey`";
    check("arc", "json jsonl snappy.parquet zstd.parquet gzip.parquet none.parquet", said, &[0, 3, 1], FIRST);
    check("arc-as-released", "jsonl", "read as ARC: question in `question.stem`", &[0, 3, 1], FIRST);
    let said = "read as HellaSwag: story in `ctx`, question \"How does it go on?\", options in `endings`, answer in `label`, \
                counted from 0";
    check("hellaswag", "csv json jsonl zstd.parquet", said, &[0, 3, 1], FIRST);
    let said = "read as PIQA: question in `goal`, options in `sol1` and `sol2`, answer in `label`, counted from 0";
    let first = ("Keep a secret from Lars.", "Tell it to Lars.");
    check("piqa", "csv tsv json jsonl gzip.parquet", said, &[1, 0], first);
    let said = "read as WinoGrande: story in `sentence`, question \"What belongs in the blank (_)?\", options in `option1` and \
                `option2`, answer in `answer`, counted from 1";
    let first = ("Lars thanked Tove because _ had helped.", "Lars");
    check("winogrande", "csv tsv json jsonl snappy.parquet", said, &[1, 0], first);
    let said = "read as TruthfulQA, one right answer (mc1): question in `question`, options in `mc1_targets.choices`, the \
                right one has the highest number in `mc1_targets.labels`";
    check("truthfulqa", "json jsonl zstd.parquet", said, &[0, 3, 1], FIRST);
    check("truthfulqa-as-released", "json", "options in `mc1_targets`, the right one", &[0, 3, 1], FIRST);
    check("bigbench", "json jsonl", "read as BIG-bench: question in `input`", &[0, 3, 1], FIRST);
    check("bigbench-lists", "jsonl snappy.parquet", "read as BIG-bench: question in `inputs`", &[0, 3, 1], FIRST);
}

#[test]
fn where_numbers_count_from_is_never_guessed() {
    let rows = |answers: &[&str], columns: &str| {
        let row = |answer: &&str| format!("What now?,go,stay,{answer}\n");
        format!("{columns}\n{}", answers.iter().map(row).collect::<String>())
    };
    let golds = |answers: &[&str], columns: &str, more: &[&str]| {
        let output = items_of("a.csv", &rows(answers, columns), more).success();
        output.json_lines().iter().map(|item| item["gold"][0].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let refused = |answers: &[&str], columns: &str, part: &str| {
        let output = items_of("a.csv", &rows(answers, columns), &[]).code(2);
        assert!(output.stderr.contains(part), "{answers:?} {columns}: {}", output.stderr);
    };
    let (own, piqa, winogrande) = ("question,A,B,label", "goal,sol1,sol2,label", "sentence,option1,option2,answer");
    assert_eq!(golds(&["1", "0"], own, &[]), [1, 0]);
    assert_eq!(golds(&["1", "2"], own, &[]), [0, 1]);
    assert_eq!(golds(&["1.0", "2.0"], own, &[]), [0, 1], "as data frames write them");
    refused(&["1", "1"], own, "--gold-base 0 or --gold-base 1");
    refused(&["0", "2"], own, "count from 0 at line 2 and from 1 at line 3");
    assert_eq!(golds(&["1", "1"], own, &["--gold-base", "0"]), [1, 1]);
    assert_eq!(golds(&["1", "1"], own, &["--gold-base", "1"]), [0, 0]);
    assert_eq!(golds(&["1", "1"], piqa, &[]), [1, 1], "by the shape's own definition");
    assert_eq!(golds(&["1", "1"], winogrande, &[]), [0, 0], "by the shape's own definition");
    refused(&["1", "2"], piqa, "the answers of PIQA count from 0, but that of line 3 is the number of its options");
    refused(&["1", "0"], winogrande, "the answers of WinoGrande count from 1, but that of line 3 is 0");
    assert_eq!(golds(&["1", "2"], piqa, &["--gold-base", "1"]), [0, 1]);
    let output = items_of("a.csv", &rows(&["1", "-1"], piqa), &[]).code(1);
    assert!(output.stderr.contains("files without public answers"), "{}", output.stderr);
}

#[test]
fn what_may_be_one_or_another_is_refused_with_both() {
    let refused = |name: &str, text: &str, parts: &[&str]| {
        let output = items_of(name, text, &[]).code(2);
        parts.iter().for_each(|part| assert!(output.stderr.contains(part), "{part}: {}", output.stderr));
    };
    refused(
        "a.csv",
        "Question,A,B,Correct,Label\n?,x,y,A,1\n",
        &["the answer may be in `Correct` or in `Label`", "--column answer=NAME"],
    );
    refused(
        "a.jsonl",
        "{\"question\": \"?\", \"choices\": [\"x\", \"y\"], \"A\": \"x\", \"B\": \"y\", \"answer\": 0}\n",
        &["the options may be in `choices`, or in `A` and `B`", "--column options=NAME"],
    );
    refused(
        "a.csv",
        "goal,question,sol1,sol2,label\n?,!,x,y,0\n",
        &["the question may be in `question` or in `goal`", "--column question=NAME"],
    );
    refused(
        "a.jsonl",
        "{\"goal\": \"?\", \"sol1\": \"x\", \"sol2\": \"y\", \"label\": 0, \"ctx\": \"?\", \"endings\": [\"x\", \"y\"]}\n",
        &["match both HellaSwag and PIQA", "--column"],
    );
    let said = items_of("a.csv", "Question,A,B,Correct,Label\n?,x,y,A,1\n", &["--column", "answer=Correct"]).success();
    assert_eq!(said.json_lines()[0]["facets"]["label"], "1");
}

#[test]
fn numbers_and_labels_that_contradict_are_named() {
    let wrong = |text: &str, part: &str| {
        let output = items_of("a.jsonl", text, &[]).code(1);
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
    };
    wrong(
        "{\"question\": \"?\", \"choices\": {\"text\": [\"x\", \"y\"], \"label\": [\"A\", \"B\"]}, \"answerKey\": \"C\"}\n",
        "line 1, answerkey: `C` is not among the options' labels: A, B",
    );
    wrong(
        "{\"question\": \"?\", \"choices\": {\"text\": [\"x\", \"y\"], \"label\": [\"A\"]}, \"answerKey\": \"A\"}\n",
        "2 options, but 1 label",
    );
    wrong("{\"input\": \"?\", \"target_scores\": {\"x\": 1, \"y\": 1}}\n", "2 options have the highest number");
    wrong("{\"input\": \"?\", \"target_scores\": {\"x\": 0, \"y\": 0}}\n", "no option has a number above 0");
    let labels = items_of(
        "a.jsonl",
        "{\"input\": \"?\", \"target_scores\": {\"x\": 1, \"y\": 1, \"z\": 0}}\n",
        &["--answers-are", "labels"],
    );
    assert_eq!(labels.success().json_lines()[0]["gold"], serde_json::json!([0, 1]));
}

#[test]
fn parquet_that_cannot_be_read_is_refused_in_words() {
    let output = items("arc.brotli.parquet", &[]).code(2);
    assert!(output.stderr.contains("compressed with brotli; write it with snappy, zstd or gzip"), "{}", output.stderr);
    let whole =
        std::fs::read(format!("{}/tests/data/own/shapes/arc.zstd.parquet", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let context = TestContext::new();
    for (at, bytes) in [&whole[..whole.len() / 2], b"PAR1", b"", &[&whole[..], b"x"].concat()].iter().enumerate() {
        let path = context.write(format!("{at}.parquet"), bytes);
        let output = context.run(&["data", "items", "--data", path.to_str().unwrap()]).code(2);
        assert!(output.stderr.contains("not a Parquet file, or damaged or cut off"), "{}", output.stderr);
    }
    // Whatever byte is changed, the file is read, or refused in words.
    for at in (4..whole.len()).step_by(97) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        let path = context.write("changed.parquet", &bytes);
        let output = context.run(&["data", "items", "--data", path.to_str().unwrap()]);
        assert!(output.status.code().is_some_and(|code| code <= 2), "byte {at}: {}", output.stderr);
        assert!(!output.stderr.contains("panicked"), "byte {at}: {}", output.stderr);
    }
}

#[test]
fn facets_are_named_as_the_header_spells_them() {
    let path = format!("{}/tests/data/own/shapes/numbered.csv", env!("CARGO_MANIFEST_DIR"));
    let context = TestContext::new();
    let run = |more: &[&str]| context.run(&[&["data", "stats", "--data", &path], more].concat());
    let stats = run(&["--by", "Level of Belief"]).success();
    assert!(stats.stdout.contains("en       4 "), "{}", stats.stdout);
    let answers = context.write("answers.jsonl", "{\"id\": \"custom/0/en\", \"choice\": 0}\n");
    let score = |by: &str| {
        context.run(&["score", "-b", "custom", "--data", &path, "--answers", answers.to_str().unwrap(), "--by", by])
    };
    for by in ["Level of Belief", "level-of-belief", "level_of_belief"] {
        assert!(score(by).stdout.contains("Accuracy by level_of_belief"), "{by}");
    }
    let wrong = score("Leval").code(2);
    assert!(wrong.stderr.contains("--by Leval: no item has this facet"), "{}", wrong.stderr);
}

#[test]
fn mistakes_are_told_in_words() {
    let said = |name: &str, text: &str, part: &str| {
        let output = items_of(name, text, &[]);
        assert_ne!(output.status.code(), Some(0), "{text}");
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
        for theirs in ["expected `", "EOF", "key must be", "CSV parse error", "TOML parse error"] {
            assert!(!output.stderr.contains(theirs), "{theirs}: {}", output.stderr);
        }
    };
    let row = r#"{"question": "?", "options": ["x", "y"], "answer": "A"}"#;
    said("a.jsonl", &format!("{row}\n{row}\n{{question: 1}}\n"), "line 3: not JSON: a key without quotes at column 2");
    said("a.jsonl", "{\"question\": \"?\"", "line 1: not JSON: the text ends in the middle of a value");
    said("a.json", &format!("[{row} {row}]"), "neither a comma nor a closing ] after a value at line 1 column");
    said(
        "a.json",
        "{\n  \"examples\": [\n    {\"question\": ?}\n  ]\n}\n",
        "neither a text in double quotes, a number",
    );
    said("a.json", "{\n  question: 1\n}\n", "a key without quotes at line 2 column 3");
    said("a.csv", "", "no rows");
    said("a.csv", "Who?,x,y,2\nWhy?,x,y,1\n", "--no-header if the first line of a CSV file is a question");
    said("a.csv", "question,A,B,answer\n?,x\n", "line 2: 2 fields, but the first line has 4");
    said("a.xlsx", "PK", "save a spreadsheet as CSV");
    let long = "z".repeat(300_000);
    let output = items_of("a.csv", &format!("question,A,B,answer\n?,x,y,{long}\n"), &[]).code(1);
    assert!(output.stderr.len() < 1000, "{} bytes", output.stderr.len());
    let absent = TestContext::new().run(&["data", "check", "--data", "absent.csv"]).code(2);
    assert!(absent.stderr.contains("there is no such file or folder; correct the path"), "{}", absent.stderr);
    said("a.csv", "question,A,B\n?,x,y\n", "no column for: answer. The file has `question`, `A`, `B`");
}
