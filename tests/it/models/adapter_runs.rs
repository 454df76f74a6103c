//! Several adapters in one command: each run is, byte for byte, what it would be alone, also after a kill; what cannot be is
//! refused before anything is scored; reports make a table by language of training and test of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

use crate::support::context::{Run, TestContext};
use crate::support::files::read_json;
use crate::support::fixture;
use crate::support::tiny_models::tiny_model;

fn adapter(label: &str, name: &str) -> String {
    format!("{label}{}", fixture("adapters").join(name).display())
}

/// A run in two languages with some batches.
fn run(context: &TestContext, base: &Path, adapters: &[&str], out: &Path) -> Command {
    let arguments = "run --offline --benchmark demo -l en,zh --limit 10 --orders random:2 --threads 1 --pass-tokens 64 \
                     --batch-tokens 64";
    let mut command = context.command(&arguments.split_whitespace().collect::<Vec<_>>());
    command.arg("--model").arg(base).arg("--out").arg(out);
    for adapter in adapters {
        command.args(["--adapter", adapter]);
    }
    command
}

fn files(out: &Path) -> [Vec<u8>; 3] {
    ["trials.jsonl", "trials.sha256", "results.json"].map(|name| fs::read(out.join(name)).unwrap())
}

/// A manifest without what no two runs have in common.
fn manifest(out: &Path) -> Value {
    let mut manifest = read_json(&out.join("manifest.json"));
    ["created", "sha256"].iter().for_each(|key| drop(manifest.as_object_mut().unwrap().remove(*key)));
    manifest
}

#[test]
fn adapters_of_one_command_are_what_each_is_alone_also_after_a_kill() {
    let context = TestContext::new();
    let (base, at) = (tiny_model(context.folder()), |name: &str| context.path(name));
    let all = ["none".to_string(), adapter("en=", "llama"), adapter("zh=", "llama_embedding")];
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let joint = at("joint");
    let text = contains("tiny + llama").and(contains("All runs on one page"));
    run(&context, &base, &all, &joint)
        .run()
        .success()
        .with_stderr(text)
        .with_stdout(contains("by language of training and test"));
    let names = ["base", "llama", "llama_embedding"];
    for (name, adapter) in names.iter().zip(&all) {
        run(&context, &base, &[adapter], &at(name)).run().success();
        assert_eq!(files(&joint.join(name)), files(&at(name)), "{name}");
        assert_eq!(manifest(&joint.join(name)), manifest(&at(name)), "{name}");
    }
    let trials = |name: &str| fs::read(joint.join(name).join("trials.jsonl")).unwrap();
    assert!(trials("base") != trials("llama") && trials("llama") != trials("llama_embedding"));
    // Each can be gone on with alone.
    run(&context, &base, &all[1..2], &joint.join("llama")).run().success().with_stderr(contains("already complete"));

    let killed = at("killed");
    let mut child = run(&context, &base, &all, &killed).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let lines =
        |name: &str| fs::read_to_string(killed.join(name).join("trials.jsonl")).map_or(0, |text| text.lines().count());
    let started = Instant::now();
    while lines("llama") == 0 && started.elapsed() < Duration::from_secs(300) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(lines("llama") > 0 && lines("llama_embedding") == 0, "killed in the middle");
    run(&context, &base, &all, &killed).run().success().with_stderr(contains("base is already complete"));
    for name in names {
        assert_eq!(files(&killed.join(name)), files(&joint.join(name)), "{name}");
    }
}

#[test]
fn what_an_adapter_was_trained_in_can_be_said_later() {
    let context = TestContext::new();
    let (base, out) = (tiny_model(context.folder()), context.path("run"));
    run(&context, &base, &[&adapter("", "llama")], &out).run().success();
    let before = files(&out)[0].clone();
    assert_eq!(manifest(&out)["model"]["adapter"].get("trained_in"), None);
    run(&context, &base, &[&adapter("zh+en=", "llama")], &out)
        .run()
        .success()
        .with_stderr(contains("already complete"));
    assert_eq!(manifest(&out)["model"]["adapter"]["trained_in"], serde_json::json!(["en", "zh"]));
    assert_eq!(manifest(&out).get("mixed"), None);
    run(&context, &base, &[&adapter("", "llama")], &out).run().success();
    assert_eq!(manifest(&out)["model"]["adapter"]["trained_in"], serde_json::json!(["en", "zh"]), "it stays");
    assert_eq!(files(&out)[0], before);
    let report = fs::read_to_string(out.join("report.md")).unwrap();
    assert!(report.contains("llama trained in en and zh, of rank 4"), "{report}");
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_scored() {
    let context = TestContext::new();
    let (base, out) = (tiny_model(context.folder()), context.path("run"));
    let check = |adapters: &[&str], parts: &[&str]| {
        let rendered = run(&context, &base, adapters, &out).run().code(2).stderr;
        assert!(parts.iter().all(|part| rendered.contains(part)), "{adapters:?}: {rendered}");
        assert!(!out.exists(), "{adapters:?}: nothing is begun");
    };
    let (en, other) = (adapter("en=", "llama"), adapter("zh=", "phi3"));
    check(
        &[&en, &other],
        &["--adapter", "adapters/phi3/adapter_model.safetensors: tensor `base_model", "another model"],
    );
    check(&[&en, &adapter("", "llama")], &["adapters/llama is given twice"]);
    check(&["none", "none"], &["--adapter none is given twice"]);
    check(&[&en, "xx=somewhere"], &["unknown language `xx`"]);
    // One name for two adapters, which their languages tell apart.
    let copies: Vec<PathBuf> = ["one", "two"].map(|name| context.path(name).join("checkpoint")).to_vec();
    for copy in &copies {
        fs::create_dir_all(copy).unwrap();
        for file in ["adapter_config.json", "adapter_model.safetensors"] {
            fs::copy(fixture("adapters/llama").join(file), copy.join(file)).unwrap();
        }
    }
    let [one, two] = [0, 1].map(|at| copies[at].display().to_string());
    check(&[&one, &two], &["share the name checkpoint", "as en=DIR"]);
    let (en, zh) = (format!("en={one}"), format!("zh={two}"));
    run(&context, &base, &[&en, &zh], &out).run().success();
    assert!(out.join("en-checkpoint").is_dir() && out.join("zh-checkpoint").is_dir());
    let refused = "two adapters give a model named tiny + checkpoint; pass --out DIR";
    let mut without_out =
        context.command(&["run", "--offline", "--benchmark", "demo", "--limit", "2", "--adapter", &en]);
    without_out.args(["--adapter", &zh, "--model"]).arg(&base).current_dir(context.folder());
    without_out.run().code(2).with_stderr(contains(refused));
    // What computes with one model takes one.
    for command in ["attend", "logprob --input -", "bench", "probe min-k"] {
        let mut several = context.command(&command.split(' ').collect::<Vec<_>>());
        several.args(["--offline", "--adapter", &en, "--adapter", &zh, "--model"]).arg(&base).stdin(Stdio::null());
        let name = command.split(' ').next().unwrap();
        let rendered = format!("--adapter is given 2 times, but `{name}` takes one; name one");
        several.run().code(2).with_stderr(contains(rendered));
    }
}

#[test]
fn plan_tells_each_of_several() {
    let context = TestContext::new();
    let base = tiny_model(context.folder());
    let plan = |more: &[&str]| {
        let mut command =
            context.command(&["plan", "--offline", "--benchmark", "demo", "--limit", "2", "--adapter", "none"]);
        command.args(["--adapter", &adapter("en=", "llama"), "--model"]).arg(&base).args(more);
        command.run().success().with_stderr(contains("The weights are loaded 2 times"))
    };
    let planned = plan(&["--json"]).json();
    let models: Vec<&Value> = ["base", "llama"].iter().map(|name| &planned[name]["model"]).collect();
    assert_eq!(models, ["tiny", "tiny + llama"]);
    let both = plan(&["--json", "--scoring", "letter,text"]).json();
    let names: Vec<&String> = both.as_object().unwrap().keys().collect();
    assert_eq!(names, ["base/letter-vanilla", "base/text-vanilla", "llama/letter-vanilla", "llama/text-vanilla"]);
}

#[test]
fn reports_have_a_table_by_language_of_training_and_test() {
    let context = TestContext::new();
    let (base, out) = (tiny_model(context.folder()), context.path("runs"));
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/xtom");
    let of_xfantom = |seed: &str, adapters: &[&str], out: &Path| {
        let mut command =
            context.command(&["run", "--offline", "--benchmark", "xfantom", "-l", "en,zh,de", "--allow-changed-data"]);
        command.args(["--orders", "identity", "--seed", seed, "--data"]).arg(&data).arg("--model").arg(&base);
        for adapter in adapters {
            command.args(["--adapter", adapter]);
        }
        command.arg("--out").arg(out).run().success();
    };
    let (en, zh) = (adapter("en=", "llama"), adapter("zh=", "llama_embedding"));
    of_xfantom("0", &["none", &en, &zh], &out);
    let report = |format: &str, more: &[&Path]| {
        let mut command = context.command(&["report", "--allow-changed-data", "--format", format, "--data"]);
        command.arg(&data).arg(&out).args(more).run().success().stdout
    };
    let json: Value = serde_json::from_str(&report("json", &[])).unwrap();
    let tables = json["results"][0]["tables"].as_array().unwrap();
    let [of_card, table] = ["accuracy", "transfer"].map(|id| tables.iter().find(|table| table["id"] == id).unwrap());
    assert_eq!(table["columns"], serde_json::json!(["en", "zh", "de"]));
    let rows = table["rows"].as_array().unwrap();
    let names: Vec<&Value> = rows.iter().map(|row| &row["key"]["trained in"]).collect();
    assert_eq!(names, ["base", "en", "zh"]);
    // Every cell is the one of the card's own table, with its interval.
    for (row, label) in rows.iter().zip(["tiny", "tiny + llama", "tiny + llama_embedding"]) {
        for (column, language) in ["en", "zh", "de"].iter().enumerate() {
            let own = of_card["rows"].as_array().unwrap();
            let own = own.iter().find(|row| row["label"] == label && row["key"]["language"] == *language).unwrap();
            assert_eq!(row["cells"][column], own["cells"][0], "{label} {language}");
            assert!(!own["cells"][0]["value"].is_null());
        }
    }
    assert!(!table["note"].to_string().contains("not comparable"), "{table}");
    let title = "Choice by language of training and test";
    for format in ["terminal", "markdown", "latex", "html"] {
        assert!(report(format, &[]).contains(title), "{format}");
    }
    assert!(report("csv", &[]).lines().any(|line| line.starts_with("xfantom,transfer,measured,")));
    let figures = context.path("figures");
    let mut drawn = context.command(&["report", "--allow-changed-data", "--data"]);
    drawn.arg(&data).arg(&out).arg("--figures").arg(&figures).run().success();
    assert!(figures.join("xfantom-transfer-heat.svg").is_file());
    // A run that was made otherwise is not comparable, and the table says so.
    let more = context.path("more");
    of_xfantom("1", &[&adapter("de=", "llama")], &more);
    let rendered = report("terminal", &[&more]);
    assert!(rendered.contains("rows are not comparable as they stand: seed."), "{rendered}");
}

#[test]
fn inspect_tells_what_an_adapter_changes() {
    let context = TestContext::new();
    let inspect = |base: &str, name: &str, code: i32| {
        let mut command = context.command(&["models", "inspect", "--offline", "--json"]);
        command.arg(fixture(base)).arg("--adapter").arg(fixture("adapters").join(name)).run().code(code).json()
    };
    let own = inspect("llama", "llama", 0);
    assert_eq!(own.get("refused"), None);
    let summary = &own["summary"];
    assert_eq!((&summary["rank"], &summary["alpha"]), (&4.into(), &8.0.into()));
    assert_eq!(summary["products"]["self_attn.q_proj"], serde_json::json!([0, 1]));
    assert_eq!(summary["replaced"]["lm_head"], serde_json::json!([]));
    // As many as the file holds.
    let file = fixture("adapters/llama/adapter_model.safetensors");
    let tensors = candle_core::safetensors::load(file, &candle_core::Device::Cpu).unwrap();
    let numbers: usize = tensors.values().map(candle_core::Tensor::elem_count).sum();
    assert_eq!((&summary["tensors"], &summary["parameters"]), (&tensors.len().into(), &numbers.into()));
    // Layers that alone are adapted are told.
    let layers = inspect("qwen2", "qwen2_layer", 0);
    assert!(
        layers["summary"]["products"].as_object().unwrap().values().all(|layers| layers.as_array().unwrap().len() == 1)
    );
    let other = inspect("llama", "phi3", 1);
    assert_eq!(other["refused"], "4 of its tensors or settings cannot be merged into the model");
    let faults = other["summary"]["faults"].as_array().unwrap();
    assert!(faults.iter().all(|fault| fault.to_string().contains("another model")), "{faults:?}");
    let mut rendered = context.command(&["models", "inspect", "--offline"]);
    rendered.arg(fixture("llama")).arg("--adapter").arg(fixture("adapters/llama"));
    let lines = contains("changes     self_attn.q_proj, layers 0-1").and(contains("merging     possible"));
    rendered.run().success().with_stdout(lines.and(contains("adapter_model.safetensors")));
    // Settings that are not computed.
    let mut config = read_json(&fixture("adapters/llama/adapter_config.json"));
    config["use_dora"] = true.into();
    context.write("adapter_config.json", config.to_string());
    let inspect = || {
        let mut command = context.command(&["models", "inspect", "--offline"]);
        command.arg(fixture("llama")).arg("--adapter").arg(context.folder());
        command
    };
    inspect().run().code(2).with_stderr(contains("it has no adapter_model.safetensors"));
    let tensors = fixture("adapters/llama/adapter_model.safetensors");
    fs::copy(tensors, context.path("adapter_model.safetensors")).unwrap();
    inspect().run().code(1).with_stdout(contains("cannot be merged").and(contains("`use_dora` is true")));
}
