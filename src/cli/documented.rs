//! Tests that the commands in the documentation can be parsed.

use clap::{CommandFactory, Parser};

use super::Arguments;

#[path = "../../tests/it/support/documents.rs"]
mod documents;

#[test]
fn the_documents_commands_are_taken() {
    let commands = documents::documented();
    assert!(commands.len() > 10, "the README has more commands than {}", commands.len());
    let mut wrong = Vec::new();
    for command in &commands {
        if let Err(error) = Arguments::try_parse_from(&command.words) {
            wrong.push(format!("{}: {}\n{error}", command.document.display(), command.line));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(commands.iter().any(|command| command.demo), "no document shows commands on the demo");
}

/// Checks every command named by a message of the program or between backquotes in a document.
#[test]
fn the_commands_that_texts_name_exist() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    let mut folders = vec![root.join("src"), root.join("docs"), root.join("datasets"), root.join("models")];
    files.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root.join(name)));
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.expect("a folder of the project can be read").path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    let program = Arguments::command();
    let mut named = 0;
    let mut wrong = Vec::new();
    for path in files {
        // Files that are not text name no commands.
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        for words in text.split("`tomeval ").skip(1) {
            let mut level = &program;
            let words = words.split('`').next().unwrap_or_default();
            for word in words.split_whitespace() {
                let is_name = word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-');
                if !is_name || level.get_subcommands().next().is_none() {
                    break;
                }
                named += 1;
                match level.find_subcommand(word) {
                    Some(next) => level = next,
                    None => {
                        wrong.push(format!("{}: `tomeval {words}`", path.display()));
                        break;
                    }
                }
            }
        }
    }
    assert!(named > 20, "the program's messages name more commands than {named}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
