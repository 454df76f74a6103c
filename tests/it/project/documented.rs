//! The commands that the documents show on the demo model and the built-in inventory, run as they stand.

use crate::support::context::{Run, TestContext};
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
        let context = folders.entry(command.document.clone()).or_insert_with(TestContext::new);
        let output = context.command(&[]).args(&command.words[1..]).run();
        if !output.status.success() {
            wrong.push(format!("{}: {}\n{}", command.document.display(), command.line, output.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_licences_of_others_are_those_of_the_crates_built() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let written = std::fs::read_to_string(root.join("THIRD-PARTY.md")).unwrap();
    let lock = tomeval::internal::sha256_bytes(std::fs::read(root.join("Cargo.lock")).unwrap());
    assert!(written.contains(&format!("\nCargo.lock: {lock}\n")), "run python3 scripts/third-party.py");
    for name in ["candle-core ", "libmimalloc-sys ", "paste ", "tokenizers "] {
        assert!(written.contains(&format!("\n| {name}")), "{name}");
    }
}

#[test]
fn the_paths_that_architecture_and_recipes_name_exist() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut absent = Vec::new();
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        let quoted = text.split('`').skip(1).step_by(2);
        let paths = quoted.filter(|path| path.contains('/') && !path.contains([' ', '<', '*', '{', '$']));
        let known = |path: &&str| {
            ["src/", "tests/", "datasets/", "docs/", "scripts/"].iter().any(|start| path.starts_with(start))
        };
        let missing = paths.filter(known).filter(|path| !root.join(path).exists());
        absent.extend(missing.map(|path| format!("{document}: {path}")));
    }
    assert!(absent.is_empty(), "{}", absent.join("\n"));
}
