//! A small run of a tiny model, recorded once and copied by the tests that need one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use assert_cmd::cargo::CommandCargoExt;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::fixture;

/// A copy of a tiny model that takes prompts of ordinary length.
pub fn tiny_model(folder: &Path, family: &str) -> PathBuf {
    let copy = folder.join(family);
    copy_folder(&fixture(family), &copy);
    edit_json(&copy.join("config.json"), |config| config["max_position_embeddings"] = json!(16384));
    copy
}

/// Such a model of the family Qwen 3, which several tests read and none changes.
pub fn shared_tiny_model() -> &'static Path {
    static MODEL: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, model) = MODEL.get_or_init(|| {
        let folder = TempDir::new().unwrap();
        let model = tiny_model(folder.path(), "qwen3");
        (folder, model)
    });
    model
}

/// Copy the files of a folder.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::write(to.join(entry.file_name()), fs::read(entry.path()).unwrap()).unwrap();
    }
}

/// Change a JSON file.
pub fn edit_json(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut json: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    change(&mut json);
    fs::write(path, format!("{json:#}\n")).unwrap();
}

/// What a run folder's manifest says.
pub fn manifest(run: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(run.join("manifest.json")).unwrap()).unwrap()
}

/// A tiny model and a finished run of it, of several batches and with option orders that were drawn more than once.
pub struct TinyRun {
    folder: TempDir,
    model: PathBuf,
}

impl TinyRun {
    /// The one that all tests share.
    pub fn get() -> &'static TinyRun {
        static RUN: OnceLock<TinyRun> = OnceLock::new();
        RUN.get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            let model = tiny_model(folder.path(), "qwen3");
            let run = TinyRun { folder, model };
            let output = run.run(&run.folder.path().join("run"), &[]);
            assert!(output.status.success(), "{}", stderr(&output));
            run
        })
    }

    /// Its folder, not to be changed.
    pub fn finished(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    /// A copy of its folder.
    pub fn copy(&self, to: &Path) -> PathBuf {
        copy_folder(&self.finished(), to);
        to.to_path_buf()
    }

    /// The same run again, or with other arguments.
    pub fn run(&self, out: &Path, more: &[&str]) -> Output {
        self.command(out, more).output().unwrap()
    }

    /// The command of a run with more arguments.
    pub fn command(&self, out: &Path, more: &[&str]) -> Command {
        let mut command = tomeval(&["run", "--offline", "--benchmark", "demo", "--limit", "4", "--device", "cpu"]);
        command.args(["--pass-tokens", "64", "--batch-tokens", "200", "--model"]).arg(&self.model);
        for (name, value) in [("--orders", "random:3"), ("--threads", "1")] {
            if !more.contains(&name) {
                command.args([name, value]);
            }
        }
        command.args(more).arg("--out").arg(out);
        command
    }
}

/// The program, away from any cluster and data of this machine.
pub fn tomeval(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("tomeval").unwrap();
    command.args(arguments).env_remove("TOMEVAL_DATA");
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("SLURM_") || name.starts_with("JOB_COMPLETION")) {
            command.env_remove(name);
        }
    }
    command
}

/// What a command wrote for people.
pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}
