//! The program in a temporary folder of its own: how tests start it, and what it gives back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use predicates::Predicate;
use serde_json::Value;
use tempfile::TempDir;

/// A temporary folder in which the program runs, away from this machine's data, keys and clusters.
pub struct TestContext {
    folder: TempDir,
    own_caches: bool,
}

/// Beginnings of variables that the program is started without.
const UNSET: [&str; 4] = ["TOMEVAL_DATA", "TOMEVAL_API_KEY", "SLURM_", "JOB_COMPLETION"];

impl TestContext {
    pub fn new() -> Self {
        TestContext { folder: TempDir::new().unwrap(), own_caches: false }
    }

    /// One whose program finds no model of this machine, and reaches neither the Hub nor a package index.
    pub fn with_own_caches() -> Self {
        TestContext { own_caches: true, ..TestContext::new() }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A file or folder in it, there or not.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder().join(name)
    }

    /// A new file in it.
    pub fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// The program with some arguments, not started yet.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tomeval"));
        command.args(arguments).current_dir(self.folder());
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| UNSET.iter().any(|unset| name.starts_with(unset))) {
                command.env_remove(name);
            }
        }
        if self.own_caches {
            command.env("TOMEVAL_CACHE", self.path("cache")).env("HF_HOME", self.path("huggingface"));
            command.env("HF_ENDPOINT", "http://127.0.0.1:1").env("PIP_NO_INDEX", "1");
            for name in ["HF_HUB_CACHE", "HF_HUB_OFFLINE", "HF_TOKEN"] {
                command.env_remove(name);
            }
        }
        command
    }

    /// What the program gives back of some arguments.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).run()
    }
}

/// Commands that are run to their end, once.
pub trait Run {
    fn run(&mut self) -> Output;
    fn run_with_input(&mut self, input: &str) -> Output;
    /// Ended by a signal where it takes longer.
    fn run_within(&mut self, limit: Duration) -> Output;

    /// The document that it prints with `--json`, done.
    fn json(&mut self) -> Value;
}

impl Run for Command {
    fn run(&mut self) -> Output {
        Output::new(format!("{self:?}"), self.output().unwrap())
    }

    fn run_with_input(&mut self, input: &str) -> Output {
        let (name, mut command) = (format!("{self:?}"), owned(self));
        Output::new(name, command.write_stdin(input).output().unwrap())
    }

    fn run_within(&mut self, limit: Duration) -> Output {
        let (name, mut command) = (format!("{self:?}"), owned(self));
        Output::new(name, command.timeout(limit).output().unwrap())
    }

    #[track_caller]
    fn json(&mut self) -> Value {
        self.arg("--json").run().success().json()
    }
}

fn owned(command: &mut Command) -> assert_cmd::Command {
    assert_cmd::Command::from_std(std::mem::replace(command, Command::new("run already")))
}

/// What a command gave back. A check of it that fails shows the command and its standard error.
#[derive(Debug)]
pub struct Output {
    command: String,
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl From<std::process::Output> for Output {
    fn from(output: std::process::Output) -> Self {
        Output::new("started before".to_string(), output)
    }
}

impl Output {
    fn new(command: String, output: std::process::Output) -> Self {
        let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        Output { command, status: output.status, stdout, stderr }
    }

    #[track_caller]
    fn check(self, is: bool, expected: impl std::fmt::Display) -> Self {
        assert!(is, "{}: {}, not {expected}\n{}\n{}", self.command, self.status, self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub fn success(self) -> Self {
        self.code(0)
    }

    /// Done, whether or not items failed.
    #[track_caller]
    pub fn done(self) -> Self {
        let is = matches!(self.status.code(), Some(0 | 1));
        self.check(is, "done")
    }

    #[track_caller]
    pub fn failure(self) -> Self {
        let is = !self.status.success();
        self.check(is, "a failure")
    }

    #[track_caller]
    pub fn code(self, code: i32) -> Self {
        let is = self.status.code() == Some(code);
        self.check(is, format!("exit code {code}"))
    }

    #[track_caller]
    pub fn with_stdout(self, expected: impl Predicate<str>) -> Self {
        let is = expected.eval(&self.stdout);
        self.check(is, format!("standard output with {expected}"))
    }

    #[track_caller]
    pub fn with_stderr(self, expected: impl Predicate<str>) -> Self {
        let is = expected.eval(&self.stderr);
        self.check(is, format!("standard error with {expected}"))
    }

    /// The one document on standard output.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}\n{}", self.stdout, self.stderr))
    }

    /// The documents on standard output, a line each.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        super::files::json_lines(&self.stdout)
    }
}
