//! Tells the program the commit it is built from, where it is built from a checkout: what a run's manifest and report
//! say of the program.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=TOMEVAL_COMMIT");
    // A build for tests would be repeated with every commit, and its runs are published by nobody.
    if std::env::var("PROFILE").as_deref() != Ok("release") || std::env::var_os("TOMEVAL_COMMIT").is_some() {
        return;
    }
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) else { return };
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| Path::new(log).exists()) {
        println!("cargo::rerun-if-changed={log}");
    }
    for sources in ["src", "datasets", "models", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={sources}");
    }
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|changes| !changes.is_empty());
    println!("cargo::rustc-env=TOMEVAL_COMMIT={commit}{}", if changed { " with changes" } else { "" });
}

/// What git prints; `None` where there is no git or no checkout of this program.
fn git(arguments: &[&str]) -> Option<String> {
    // A crate that lies in somebody else's checkout is not of their commit.
    if !Path::new(".git").exists() {
        return None;
    }
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}
