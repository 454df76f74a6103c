//! What several tests need: files, the demo model, and a record of what had to be skipped.

pub mod attention_page;
pub mod browser;
pub mod context;
pub mod damage;
pub mod documents;
pub mod files;
pub mod generation;
#[cfg(unix)]
pub mod hands;
pub mod hub_server;
#[cfg(feature = "server")]
pub mod model_server;
#[cfg(target_os = "linux")]
pub mod peak;
pub mod prompts;
pub mod released;
pub mod tiny_chatglm;
pub mod tiny_models;
pub mod tiny_run;
pub mod trials;

use std::io::Write;
use std::path::{Path, PathBuf};

use candle_core::Device;
use tomeval::{Decoder, ModelFiles, Precision};

use self::context::TestContext;

/// A file or folder of the golden fixtures.
pub fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(path)
}

/// The model in a folder or GGUF file, in f32 on the CPU.
pub fn decoder(path: &Path) -> Decoder {
    ModelFiles::from_path(path).unwrap().decoder(&Device::Cpu, Precision::F32).unwrap()
}

/// Whether the demo model is on this machine; a test that needs it ends quietly otherwise, unless
/// `TOMEVAL_REQUIRE_MODEL` is set.
pub fn model_is_here() -> bool {
    let inspect = ["models", "inspect", "smollm2-135m-instruct", "--offline"];
    let here = TestContext::new().run(&inspect).status.success();
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
