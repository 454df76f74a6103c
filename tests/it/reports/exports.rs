//! Runs as files for other programs: what stands in them is what `--format items` tells.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::support::context::{Run, TestContext};
use crate::support::files::json_lines;
use crate::support::tiny_models::shared_tiny_model;

/// A value of a row, as JSON writes it.
fn plain(field: &Field) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Bool(value) => json!(value),
        Field::Long(value) => json!(value),
        Field::Double(value) => json!(value),
        Field::Str(value) => json!(value),
        Field::ListInternal(list) => list.elements().iter().map(plain).collect(),
        other => panic!("{other:?}"),
    }
}

fn object(row: &Row) -> Map<String, Value> {
    row.get_column_iter().map(|(name, field)| (name.clone(), plain(field))).collect()
}

/// The rows of a file, and its metadata.
fn rows(path: &Path) -> (Vec<Map<String, Value>>, BTreeMap<String, String>) {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let facts = reader.metadata().file_metadata().key_value_metadata().unwrap();
    let facts = facts.iter().map(|fact| (fact.key.clone(), fact.value.clone().unwrap())).collect();
    (reader.get_row_iter(None).unwrap().map(|row| object(&row.unwrap())).collect(), facts)
}

/// Small runs that differ in how they ask, of three kinds of answers between them.
fn runs(context: &TestContext) -> [PathBuf; 3] {
    let run = |name: &str, arguments: &str, data: Option<&str>| {
        let out = context.path(name);
        let mut command = context.command(&["run", "--offline", "--device", "cpu", "--threads", "1", "--limit", "3"]);
        command.args(arguments.split(' ')).arg("--model").arg(shared_tiny_model()).arg("--out").arg(&out);
        command.args(data.map(|name| format!("--data={}", folder_of(name).display())));
        command.run().done();
        out
    };
    [
        run("letters", "--benchmark demo --orders random:3", None),
        run(
            "written",
            "--benchmark demo -l en --scoring generate --samples 2 --temperature 1 --max-new-tokens 5",
            None,
        ),
        run("kinds", "--benchmark negotiationtom --orders identity --allow-changed-data", Some("negotiationtom")),
    ]
}

fn folder_of(benchmark: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(benchmark)
}

fn report(context: &TestContext, runs: &[PathBuf], arguments: &[&str]) -> String {
    let output =
        context.command(&["report", "--data"]).arg(folder_of("negotiationtom")).args(arguments).args(runs).run();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", output.stderr);
    output.stdout
}

/// The values of some keys.
fn of(row: &Map<String, Value>, names: &[&str]) -> Vec<Value> {
    names.iter().map(|name| row.get(*name).unwrap_or_else(|| panic!("no {name}")).clone()).collect()
}

/// Columns of items that are keys of `--format items`, in its order.
const OF_ITEMS: [&str; 18] = [
    "id",
    "benchmark",
    "label",
    "answers",
    "style",
    "condition",
    "language",
    "story",
    "parallel",
    "flags",
    "gold_kind",
    "gold",
    "choice",
    "right",
    "tied",
    "votes",
    "draws",
    "margin",
];
/// Columns of trials that are keys of their items, and those of its orders.
const OF_ITS_ITEM: [&str; 8] = ["label", "answers", "benchmark", "id", "language", "style", "condition", "gold"];
const OF_ORDERS: [&str; 8] = ["order", "count", "choice", "right", "tied", "margin", "scores", "failure"];

#[test]
fn parquet_holds_what_the_lines_of_items_hold() {
    let context = TestContext::new();
    let runs = runs(&context);
    let out = context.path("new/files");
    report(&context, &runs, &["--format", "parquet", "--output", out.to_str().unwrap()]);
    let mut names: Vec<_> = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["items.parquet", "trials.parquet"]);
    let (items, facts) = rows(&out.join("items.parquet"));
    let (trials, of_trials) = rows(&out.join("trials.parquet"));
    let lines = report(&context, &runs, &["--format", "items"]);
    let lines = json_lines(&lines);

    assert_eq!(items.len(), lines.len());
    let kinds: BTreeMap<&str, usize> = lines.iter().map(|line| (line["gold_kind"].as_str().unwrap(), 1)).collect();
    assert!(kinds.len() > 1, "{kinds:?}");
    for (row, line) in items.iter().zip(&lines) {
        let line = line.as_object().unwrap();
        assert_eq!(of(row, &OF_ITEMS), of(line, &OF_ITEMS));
        let facets: Map<String, Value> = row
            .iter()
            .filter(|(_, value)| !value.is_null())
            .filter_map(|(name, value)| Some((name.strip_prefix("facet_")?.to_string(), value.clone())))
            .collect();
        assert_eq!(Value::Object(facets), line["facets"]);
        assert!(row["options"].as_array().unwrap().len() > 1 && row["question"].as_str().is_some());
        assert_eq!(row["n_options"], row["options"].as_array().unwrap().len());
        let trial = trials.iter().find(|trial| of(trial, &OF_ITS_ITEM[..7]) == of(row, &OF_ITS_ITEM[..7])).unwrap();
        assert_eq!(of(trial, &["model", "scoring", "n_options"]), of(row, &["model", "scoring", "n_options"]));
    }
    // Trials stand in the order of the records, orders below their item.
    let mut orders: Vec<Vec<Value>> = Vec::new();
    for line in &lines {
        let all = line["orders"].as_array().unwrap().iter().map(|order| {
            let reading = of(order["reading"].as_object().unwrap_or(&unread()), &["outcome", "rule"]);
            [of(line.as_object().unwrap(), &OF_ITS_ITEM), of(order.as_object().unwrap(), &OF_ORDERS), reading].concat()
        });
        orders.extend(all);
    }
    let mut rendered: Vec<Vec<Value>> = trials
        .iter()
        .map(|row| [of(row, &OF_ITS_ITEM), of(row, &OF_ORDERS), of(row, &["reading", "reading_rule"])].concat())
        .collect();
    let text = |values: &Vec<Value>| Value::from(values.clone()).to_string();
    orders.sort_by_key(text);
    rendered.sort_by_key(text);
    assert_eq!(rendered, orders);

    let recorded: Vec<Value> = runs
        .iter()
        .flat_map(|run| {
            fs::read_to_string(run.join("trials.jsonl")).unwrap().lines().map(String::from).collect::<Vec<_>>()
        })
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect();
    assert_eq!(recorded.len(), trials.len());
    for (row, record) in trials.iter().zip(&recorded) {
        let asks = record["asks"].as_array().unwrap();
        let tokens: Value = asks.iter().map(|ask| ask["prompt_tokens"].clone()).collect();
        assert_eq!((&row["id"], &row["labels"], &row["prompt_tokens"]), (&record["id"], &record["labels"], &tokens));
        let reply = &asks.first().unwrap_or(&Value::Null)["reply"];
        assert_eq!((&row["reply"], &row["reply_tokens"]), (&reply["text"], &reply["tokens"]));
        assert_eq!(row["sample"], record.get("sample").cloned().unwrap_or_default());
        let ending = if row["choice"].is_null() { "no-answer" } else { "answered" };
        assert_eq!((&row["ending"], &row["scoring"]), (&Value::from(ending), &record["scoring"]));
        let sums: Vec<f64> =
            asks.iter().flat_map(|ask| ask["results"].as_array().into_iter().flatten()).map(sum).collect();
        let rendered: Vec<f64> =
            row["loglikelihoods"].as_array().into_iter().flatten().map(|sum| sum.as_f64().unwrap()).collect();
        assert_eq!(rendered, sums);
    }
    assert_eq!(facts, of_trials);
    assert!(facts["tomeval.canary"].starts_with("tomeval canary"));
    let rendered: Value = serde_json::from_str(&facts["tomeval.runs"]).unwrap();
    let labels: Vec<&Value> = rendered.as_array().unwrap().iter().map(|run| &run["label"]).collect();
    assert_eq!(labels.len(), 3);
    assert!(items.iter().all(|row| labels.contains(&&row["label"])));
    assert_eq!(rendered[0]["provenance"]["orders"], "random:3, ties by probability");
}

/// What an order without a reading says in its place.
fn unread() -> Map<String, Value> {
    [("outcome", Value::Null), ("rule", Value::Null)]
        .map(|(name, value)| (name.to_string(), value))
        .into_iter()
        .collect()
}

fn sum(result: &Value) -> f64 {
    result["logprobs"].as_array().unwrap().iter().map(|logprob| f64::from(logprob.as_f64().unwrap() as f32)).sum()
}

#[test]
fn without_texts_ids_facets_and_numbers_stay() {
    let context = TestContext::new();
    let [letters, written, _] = runs(&context);
    let out = context.path("files");
    report(&context, &[letters, written], &["--format", "parquet", "--no-texts", "--output", out.to_str().unwrap()]);
    for (name, gone) in [
        ("items.parquet", &["context", "question", "options"][..]),
        ("trials.parquet", &["continuations", "reply", "thinking", "failure_message"]),
    ] {
        let (rows, _) = rows(&out.join(name));
        assert!(gone.iter().all(|column| !rows[0].contains_key(*column)) && rows[0].contains_key("id"), "{name}");
        let bytes = fs::read(out.join(name)).unwrap();
        let holds = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
        assert!(holds("demo/") && !holds("looks"), "{name}");
    }
}

/// All files below a folder, by their path from there.
fn below(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_str().unwrap().to_string();
        if entry.is_dir() {
            files.extend(below(&entry).into_iter().map(|(path, text)| (format!("{name}/{path}"), text)));
        } else {
            files.insert(name, fs::read_to_string(&entry).unwrap());
        }
    }
    files
}

fn is_texts(value: &Value) -> bool {
    value.as_object().unwrap().values().all(Value::is_string)
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// What the schema of Every Eval Ever asks of a document.
fn check_document(document: &Value) {
    let allowed = BTreeSet::from([
        "schema_version",
        "evaluation_id",
        "evaluation_timestamp",
        "retrieved_timestamp",
        "source_metadata",
        "eval_library",
        "model_info",
        "evaluation_results",
        "detailed_evaluation_results",
    ]);
    assert!(keys(document).is_subset(&allowed), "{document:#}");
    for key in ["schema_version", "evaluation_id", "evaluation_timestamp", "retrieved_timestamp"] {
        assert!(document[key].is_string(), "{key}");
    }
    assert_eq!(document["schema_version"], "0.3.0");
    assert!(document["retrieved_timestamp"].as_str().unwrap().parse::<f64>().is_ok());
    let source = &document["source_metadata"];
    assert_eq!(
        (&source["source_type"], &source["evaluator_relationship"]),
        (&json!("evaluation_run"), &json!("other"))
    );
    assert!(is_texts(source) && source["source_organization_name"].is_string());
    assert_eq!(document["eval_library"]["name"], "tomeval");
    assert_eq!(document["eval_library"]["version"], env!("CARGO_PKG_VERSION"));
    let model = &document["model_info"];
    assert!(model["name"].is_string() && model["id"].is_string() && is_texts(&model["additional_details"]));
    assert_eq!(model["additional_details"]["deployment_type"], "self_deployed");
    assert_eq!(model["additional_details"]["model_availability"], "unknown");
    let results = document["evaluation_results"].as_array().unwrap();
    let mut ids = BTreeSet::new();
    for result in results {
        assert!(ids.insert(result["evaluation_result_id"].as_str().unwrap()), "{result:#}");
        assert!(result["evaluation_name"].is_string());
        let source = &result["source_data"];
        assert!(source["dataset_name"].is_string() && source["source_type"] == "other");
        assert!(is_texts(&source["additional_details"]));
        let (metric, score) = (&result["metric_config"], &result["score_details"]);
        assert_eq!((&metric["lower_is_better"], &metric["score_type"]), (&json!(false), &json!("continuous")));
        let [least, most, found] =
            [&metric["min_score"], &metric["max_score"], &score["score"]].map(|number| number.as_f64().unwrap());
        assert!((least, most) == (0.0, 100.0) && (least..=most).contains(&found));
        assert!(is_texts(&score["details"]) && score["uncertainty"]["num_samples"].is_u64());
        if let Some(interval) = score["uncertainty"].get("confidence_interval") {
            assert!(interval["lower"].as_f64().unwrap() <= found && found <= interval["upper"].as_f64().unwrap());
        }
        assert!(is_texts(&result["generation_config"]["additional_details"]));
    }
    assert!(!results.is_empty());
}

/// What it asks of a line.
fn check_sample(sample: &Value, document: &Value) {
    let required = [
        "schema_version",
        "evaluation_id",
        "model_id",
        "evaluation_name",
        "sample_id",
        "interaction_type",
        "input",
        "answer_attribution",
        "evaluation",
        "output",
    ];
    let allowed: BTreeSet<&str> =
        required.into_iter().chain(["evaluation_result_id", "sample_hash", "metadata", "error"]).collect();
    assert!(keys(sample).is_subset(&allowed) && required.iter().all(|key| keys(sample).contains(key)), "{sample:#}");
    assert_eq!(sample["evaluation_id"], document["evaluation_id"]);
    assert_eq!(sample["model_id"], document["model_info"]["id"]);
    assert_eq!(sample["interaction_type"], "single_turn");
    let mut results = document["evaluation_results"].as_array().unwrap().iter();
    let mine = results.find(|result| result["evaluation_result_id"] == sample["evaluation_result_id"]).unwrap();
    assert_eq!(mine["evaluation_name"], sample["evaluation_name"]);
    assert_eq!(mine["score_details"]["details"]["language"], sample["metadata"]["language"]);
    let texts = |value: &Value| value.as_array().unwrap().iter().all(Value::is_string);
    let input = &sample["input"];
    assert!(input["raw"].is_string() && texts(&input["reference"]) && texts(&input["choices"]));
    assert!(texts(&sample["output"]["raw"]) && is_texts(&sample["metadata"]));
    assert!(sample["metadata"]["canary"].as_str().unwrap().starts_with("tomeval canary"));
    for entry in sample["answer_attribution"].as_array().unwrap() {
        assert!(entry["turn_idx"].is_u64() && entry["is_terminal"].is_boolean());
        assert!(["source", "extracted_value", "extraction_method"].iter().all(|key| entry[*key].is_string()));
    }
    assert_eq!(sample["evaluation"]["score"] == 1.0, sample["evaluation"]["is_correct"].as_bool().unwrap());
}

#[test]
fn documents_for_exchange_are_as_their_schema_asks() {
    let context = TestContext::new();
    let runs = runs(&context);
    let out = context.path("exchange");
    let arguments = ["--format", "every-eval-ever", "--output", out.to_str().unwrap()];
    report(&context, &runs, &arguments);
    let files = below(&out);
    assert_eq!(files.len(), 6, "{:?}", files.keys());
    let lines = report(&context, &runs, &["--format", "items"]);
    let mut rights: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|line| json!([line["id"], line["right"] == true]))
        .collect();
    let mut rendered = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".json")) {
        let document: Value = serde_json::from_str(text).unwrap();
        check_document(&document);
        let detailed = &document["detailed_evaluation_results"];
        let samples = path.replace(".json", "_samples.jsonl");
        assert_eq!((&detailed["file_path"], &detailed["format"]), (&json!(samples), &json!("jsonl")));
        let parts: Vec<&str> = path.split('/').collect();
        let uuid = parts[4].trim_end_matches(".json");
        let is_version_4 = |group: &&str| group.starts_with('4') && group.len() == 4;
        assert!(
            parts.len() == 5 && parts[0] == "data" && uuid.split('-').nth(2).as_ref().is_some_and(is_version_4),
            "{path}"
        );
        assert_eq!(detailed["checksum"], hex::encode(Sha256::digest(&files[&samples])));
        assert_eq!(detailed["total_rows"], files[&samples].lines().count());
        for sample in files[&samples].lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
            check_sample(&sample, &document);
            rendered.push(json!([sample["sample_id"], sample["evaluation"]["is_correct"]]));
        }
        // The score over all items of a language is that of its lines.
        for result in document["evaluation_results"].as_array().unwrap() {
            if result["score_details"]["details"]["level"] == "overall" {
                let mine = |sample: &Value| sample["evaluation_result_id"] == result["evaluation_result_id"];
                let samples = files[&samples].lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
                let rights: Vec<bool> =
                    samples.filter(mine).map(|sample| sample["evaluation"]["is_correct"].as_bool().unwrap()).collect();
                let share = rights.iter().filter(|right| **right).count() as f64 / rights.len() as f64;
                assert!((result["score_details"]["score"].as_f64().unwrap() - share * 100.0).abs() < 1e-9);
            }
        }
    }
    rights.sort_by_key(Value::to_string);
    rendered.sort_by_key(Value::to_string);
    assert_eq!(rendered, rights);

    // The same run has the same files, and without texts no lines of items.
    report(&context, &runs, &arguments);
    assert!(below(&out).keys().eq(files.keys()));
    let bare = context.path("bare");
    report(&context, &runs[..1], &["--format", "every-eval-ever", "--no-texts", "--output", bare.to_str().unwrap()]);
    let (path, text) = below(&bare).pop_first().unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert!(
        below(&bare).len() == 1 && path.ends_with(".json") && document.get("detailed_evaluation_results").is_none()
    );
}

#[test]
fn files_are_refused_without_a_folder_or_items() {
    let context = TestContext::new();
    let [run, _, _] = runs(&context);
    let refused = |arguments: &[&str], path: &Path| {
        context.command(&["report", "--format", "parquet"]).args(arguments).arg(path).run().code(2).stderr
    };
    assert!(refused(&[], &run).contains("name their folder with --output DIR"));
    let file = run.join("results.json");
    assert!(refused(&["--output", file.to_str().unwrap()], &run).contains("is a file; name a folder"));
    let out = context.path("out");
    assert!(refused(&["--output", out.to_str().unwrap()], &file).contains("pass both, with --data DIR"));
    assert!(!out.exists());
}
