//! The commands that the documents show on the demo model and the built-in inventory, run as they stand.

use std::process::Command;

use assert_cmd::cargo::CommandCargoExt;

use crate::support::documents::documented;
use crate::support::model_is_here;

#[test]
fn the_documents_commands_on_the_demo_run_as_they_stand() {
    if !model_is_here() {
        return;
    }
    // One folder a document: a later command may read what an earlier one of the same document wrote.
    let mut folders = std::collections::BTreeMap::new();
    let mut wrong = Vec::new();
    for command in documented().into_iter().filter(|command| command.demo) {
        let folder = folders.entry(command.document.clone()).or_insert_with(|| tempfile::tempdir().unwrap());
        let mut ours = Command::cargo_bin("tomeval").unwrap();
        ours.args(&command.words[1..]).current_dir(folder.path()).env_remove("TOMEVAL_DATA");
        let output = ours.output().unwrap();
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            wrong.push(format!("{}: {}\n{errors}", command.document.display(), command.line));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
