//! What several tests need: files, the demo model, and a record of what had to be skipped.

pub mod browser;
pub mod documents;
#[cfg(unix)]
pub mod hands;
pub mod hub_server;
#[cfg(feature = "server")]
pub mod model_server;
#[cfg(target_os = "linux")]
pub mod peak;
pub mod released;
pub mod tiny_chatglm;
pub mod tiny_run;

use std::io::Write;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use candle_core::Device;
use tomeval::{Decoder, ModelFiles, Precision};

/// A file or folder of the golden fixtures.
pub fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(path)
}

/// The model in a folder or GGUF file, in f32 on the CPU.
pub fn decoder(path: &Path) -> Decoder {
    ModelFiles::from_path(path).unwrap().decoder(&Device::Cpu, Precision::F32).unwrap()
}

/// A tiny model whose context is long enough for the demo inventory.
pub fn tiny_model(folder: &Path) -> PathBuf {
    let model = folder.join("tiny");
    std::fs::create_dir_all(&model).unwrap();
    for file in std::fs::read_dir(fixture("llama")).unwrap() {
        let file = file.unwrap().path();
        if file.is_file() {
            std::fs::copy(&file, model.join(file.file_name().unwrap())).unwrap();
        }
    }
    let path = model.join("config.json");
    let mut config: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    config["max_position_embeddings"] = 16384.into();
    std::fs::write(path, config.to_string()).unwrap();
    model
}

/// Whether the demo model is on this machine; a test that needs it ends quietly otherwise, unless
/// `TOMEVAL_REQUIRE_MODEL` is set.
pub fn model_is_here() -> bool {
    let inspect = ["models", "inspect", "smollm2-135m-instruct", "--offline"];
    let inspected = Command::cargo_bin("tomeval").unwrap().args(inspect).env_remove("TOMEVAL_DATA").output().unwrap();
    let here = inspected.status.success();
    if !here {
        skipped("TOMEVAL_REQUIRE_MODEL", "the demo model is not there; `tomeval models pull` fetches it");
    }
    here
}

/// Says that a test is left out and why; fails it instead where the variable `required` is set. The line also goes to the
/// file that `TOMEVAL_SKIPPED` names, so that the number left out can be told at the end.
pub fn skipped(required: &str, why: &str) {
    assert!(std::env::var_os(required).is_none(), "{required} is set: {why}");
    println!("skipped: {why}");
    if let Some(path) = std::env::var_os("TOMEVAL_SKIPPED") {
        let test = std::thread::current().name().unwrap_or("a test").to_string();
        let opened = std::fs::OpenOptions::new().append(true).create(true).open(path);
        opened.and_then(|mut file| writeln!(file, "{test}: {why}")).expect("TOMEVAL_SKIPPED names a file");
    }
}
