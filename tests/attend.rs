//! `tomeval attend` end to end on a tiny model with random weights: what it writes is consistent and complete.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;
use tomeval::attend::{Observer, Weighting};
use tomeval::decoder::{Capture, Decoder, Pass, Precision, WeightFiles};
use tomeval::engine::Tokenizer;

const ITEM: &str = "demo/cake-tin/0/en";

/// The golden Llama with room for a whole prompt: a longer context changes nothing else in a model with plain rotary
/// positions.
fn model(folder: &TempDir) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/llama");
    let target = folder.path().join("tiny");
    fs::create_dir(&target).unwrap();
    for file in ["model.safetensors", "tokenizer.json", "tokenizer_config.json"] {
        fs::copy(source.join(file), target.join(file)).unwrap();
    }
    let config = fs::read_to_string(source.join("config.json")).unwrap();
    let mut config: Value = serde_json::from_str(&config).unwrap();
    config["max_position_embeddings"] = 4096.into();
    fs::write(target.join("config.json"), config.to_string()).unwrap();
    target
}

fn attend(model: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("tomeval").unwrap();
    command.args(["attend", "--offline", "--deletion-draws", "3", "--model"]).arg(model).args(arguments);
    command
}

fn json(command: &mut Command) -> Value {
    let output = command.arg("--json").assert().success().get_output().stdout.clone();
    serde_json::from_slice(&output).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

#[test]
fn every_measure_gives_shares_of_the_same_words() {
    let folder = TempDir::new().unwrap();
    let model = model(&folder);
    for measure in ["attention", "value", "rollout", "occlusion"] {
        let document = json(&mut attend(&model, &["--item", ITEM, "--measure", measure]));
        let case = &document["cases"][0];
        let row = &case["rows"][0];
        let weights: f64 = numbers(&row["weights"]).iter().sum();
        assert!((weights - 1.0).abs() < 1e-5, "{measure}: shares sum to {weights}");
        let ranking = row["ranking"].as_array().unwrap();
        let ranked: f64 = ranking.iter().map(|word| word["weight"].as_f64().unwrap()).sum();
        assert!((ranked - 1.0).abs() < 1e-5, "{measure}: keywords sum to {ranked}");
        if measure != "occlusion" {
            let row_mass = row["sink"].as_f64().unwrap() + row["special"].as_f64().unwrap();
            let row_mass = row_mass + numbers(&row["parts"]).iter().sum::<f64>();
            assert!((row_mass - 1.0).abs() < 1e-5, "{measure}: the account covers {row_mass}");
        }
        let names: Vec<&str> =
            case["parts"].as_array().unwrap().iter().map(|part| part["name"].as_str().unwrap()).collect();
        for name in ["story", "question", "option A", "option D", "template"] {
            assert!(names.contains(&name), "{name} in {names:?}");
        }
        let chosen: Vec<bool> =
            case["options"].as_array().unwrap().iter().map(|option| option["chosen"].as_bool().unwrap()).collect();
        assert_eq!(chosen.iter().filter(|chosen| **chosen).count(), 1);
        assert_eq!(case["humans"][0]["reader"], "author");
        assert_eq!(case["deletion"]["random"].as_array().unwrap().len(), 3);
    }
}

#[test]
fn every_file_is_written_and_the_page_asks_for_nothing() {
    let folder = TempDir::new().unwrap();
    let model = model(&folder);
    let file = |name: &str| folder.path().join(name);
    let names = ["p.html", "f.svg", "f.png", "k.tex", "k.csv", "a.safetensors"];
    let flags = ["--html", "--svg", "--png", "--latex", "--csv", "--tensors"];
    let mut command = attend(&model, &["--item", ITEM, "--queries", "answer,options", "--contrast", "options"]);
    for (flag, name) in flags.iter().zip(names) {
        command.arg(flag).arg(file(name));
    }
    let document = json(&mut command);
    assert_eq!(document["cases"][0]["rows"].as_array().unwrap().len(), 5, "the answer and four options");
    assert_eq!(document["contrasts"].as_array().unwrap().len(), 1);

    let page = fs::read_to_string(file("p.html")).unwrap();
    assert!(page.contains(ITEM) && page.contains("default-src 'none'"));
    let csv = fs::read_to_string(file("k.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 5 * 10);
    let bytes = fs::read(file("a.safetensors")).unwrap();
    let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let weights = tensors.tensor("0/answer/weights").unwrap();
    let tokens = document["cases"][0]["tokens"].as_array().unwrap().len();
    assert_eq!(weights.shape(), [2, 4, tokens]);
    let values: Vec<f32> = weights.data().chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    for row in values.chunks(tokens) {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-4);
    }
    for name in names {
        assert!(fs::metadata(file(name)).unwrap().len() > 100, "{name}");
    }
}

#[test]
fn comparisons_name_what_they_compare() {
    let folder = TempDir::new().unwrap();
    let model = model(&folder);
    let arguments =
        ["--item", ITEM, "--orders", "cyclic", "--contrast", "orders", "--contrast", "without=2", "--language", "en"];
    let document = json(&mut attend(&model, &arguments));
    assert_eq!(document["cases"].as_array().unwrap().len(), 3);
    let names: Vec<&str> =
        document["contrasts"].as_array().unwrap().iter().map(|contrast| contrast["name"].as_str().unwrap()).collect();
    assert_eq!(names[0], "this order minus options in order 1 2 3 0");
    assert!(names[1].starts_with("this minus without \u{201c}While she is out"), "{}", names[1]);
    let left_out = document["contrasts"][1]["only_first"].as_array().unwrap();
    assert!(left_out.len() > 10, "the sentence's words stand in the first prompt only");

    let other = model.to_str().unwrap();
    let document = json(&mut attend(&model, &["--item", ITEM, "--contrast", &format!("model={other}")]));
    assert_eq!(document["contrasts"][0]["distance"], 0.0, "a model does not differ from itself");
}

#[test]
fn mistakes_are_named() {
    let folder = TempDir::new().unwrap();
    let model = model(&folder);
    let check = |arguments: &[&str], message: &str| {
        let output = attend(&model, arguments).assert().code(2).get_output().stderr.clone();
        let text = String::from_utf8(output).unwrap();
        assert!(text.contains(message), "{arguments:?}: {text}");
    };
    check(&["--item", "demo/cake-tin/9/en"], "did you mean `demo/cake-tin/");
    check(&["--where", "task=None"], "no item is left");
    check(&["--item", ITEM, "--layers", "1-7"], "numbered 0 to 1");
    check(&["--item", ITEM, "--heads", "9"], "numbered 0 to 3");
    check(&["--item", ITEM, "--html", "absent/p.html"], "is not there");
    check(&["--item", ITEM, "--human", "absent.json"], "cannot be read");
    check(&["--item", ITEM, "--contrast", "orders"], "--orders random:5");
}

/// Long prompts are forwarded in several passes; the captured rows are those of one pass, to rounding in f32.
#[test]
fn rows_do_not_depend_on_the_passes() {
    let folder = TempDir::new().unwrap();
    let model = model(&folder);
    let weights = WeightFiles::find(&model).unwrap();
    let decoder = Decoder::load(&weights, &candle_core::Device::Cpu, Precision::F32).unwrap();
    let tokenizer = Tokenizer::from_folder(&model).unwrap();
    let observer = Observer { decoder: &decoder, tokenizer: &tokenizer, template: None, now: None, budget: 1 << 28 };
    let ids: Vec<u32> = (0..1200).map(|index| 3 + index * 7 % 300).collect();
    let queries = [1199, 4, 600];
    let found = observer.captures(&ids, &queries, Weighting::Attention).unwrap();

    let capture = Capture { queries: queries.to_vec(), ..Capture::default() };
    let pass = Pass { rows: Vec::new(), capture: Some(capture), ..Pass::sequence(&ids, 0) };
    let whole = decoder.forward(&mut decoder.cache(), &pass).unwrap().attention.unwrap();
    for (found, whole) in found.iter().zip(&whole.queries) {
        assert_eq!(found.tokens(), whole.keys);
        let largest = found.weights().iter().zip(&whole.weights).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(largest < 1e-5, "rows differ by {largest}");
    }

    // Rollout weights are shares, and the query keeps at least its residual half of each of the two layers.
    let rollout = observer.rollout(&ids[..200], 150).unwrap();
    assert_eq!(rollout.len(), 151);
    assert!((rollout.iter().sum::<f64>() - 1.0).abs() < 1e-5);
    assert!(rollout[150] >= 0.25);
}
