//! A small run of a tiny model, recorded once and copied by the tests that need one.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::context::{Output, Run, TestContext};
use super::files::copy_folder;
use super::tiny_models::shared_tiny_model;

/// A finished run of a tiny model, of several batches and with option orders that were drawn more than once.
pub struct TinyRun {
    context: TestContext,
}

impl TinyRun {
    /// The one that all tests share.
    pub fn get() -> &'static TinyRun {
        static RUN: OnceLock<TinyRun> = OnceLock::new();
        RUN.get_or_init(|| {
            let run = TinyRun { context: TestContext::new() };
            run.run(&run.finished(), &[]).success();
            run
        })
    }

    /// Its folder, not to be changed.
    pub fn finished(&self) -> PathBuf {
        self.context.path("run")
    }

    /// A copy of its folder.
    pub fn copy(&self, to: &Path) -> PathBuf {
        copy_folder(&self.finished(), to);
        to.to_path_buf()
    }

    /// The same run again, or with other arguments.
    pub fn run(&self, out: &Path, more: &[&str]) -> Output {
        self.command(out, more).run()
    }

    /// The command of a run with more arguments.
    pub fn command(&self, out: &Path, more: &[&str]) -> Command {
        let demo = ["run", "--offline", "--benchmark", "demo", "--limit", "4", "--device", "cpu"];
        let mut command = self.context.command(&demo);
        command.args(["--pass-tokens", "64", "--batch-tokens", "200", "--model"]).arg(shared_tiny_model());
        for (name, value) in [("--orders", "random:3"), ("--threads", "1")] {
            if !more.contains(&name) {
                command.args([name, value]);
            }
        }
        command.args(more).arg("--out").arg(out);
        command
    }
}
