//! The commands that the project's documents tell people to type.
//!
//! A fenced block marked `sh` holds commands; one marked `sh demo` holds commands that need no more than the demo model and
//! the built-in inventory, and that a test runs in order, in an empty folder.

use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// A command line of a document.
#[derive(Debug)]
pub struct Documented {
    /// The document, from the project's root.
    pub document: PathBuf,
    /// The command as the document has it, continuation lines joined.
    pub line: String,
    /// Its words, the program's name first and without what the shell redirects.
    pub words: Vec<String>,
    /// Whether it stands in a block that needs only the demo model.
    pub demo: bool,
}

/// All `tomeval` commands of the documents, in the order of the documents' names.
pub fn documented() -> Vec<Documented> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut documents = Vec::new();
    for folder in ["", "docs", "datasets", "datasets/demo", "datasets/prompts", "benches", "models", "tests/fixtures"] {
        let Ok(entries) = fs::read_dir(root.join(folder)) else { continue };
        let paths = entries.map(|entry| entry.expect("a folder of the project can be read").path());
        documents.extend(paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    documents.sort();
    documents.iter().flat_map(|path| commands(root, path)).collect()
}

fn commands(root: &Path, path: &Path) -> Vec<Documented> {
    let text = fs::read_to_string(path).expect("a document is text");
    let document = path.strip_prefix(root).expect("a document of the project").to_path_buf();
    let mut block = None;
    let mut found = Vec::new();
    for event in Parser::new(&text) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let mut marks = info.split_whitespace();
                block = (marks.next() == Some("sh")).then(|| (marks.next() == Some("demo"), String::new()));
            }
            Event::Text(part) => {
                if let Some((_, script)) = &mut block {
                    script.push_str(&part);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                let Some((demo, script)) = block.take() else { continue };
                let script = script.replace("\\\n", " ");
                found.extend(script.lines().filter_map(|line| command(&document, line, demo)));
            }
            _ => {}
        }
    }
    found
}

/// The `tomeval` command of a line; none where it is a comment or another program's.
fn command(document: &Path, line: &str, demo: bool) -> Option<Documented> {
    let cannot = || panic!("{}: no shell could read `{line}`", document.display());
    // The last part of a pipeline that is ours, without variables set before it.
    let words = shlex::split(line).unwrap_or_else(cannot);
    let cargo = ["cargo", "run", "--release", "--"];
    let (start, skip) = if words.starts_with(&cargo.map(String::from)) {
        (0, cargo.len())
    } else {
        (words.iter().position(|word| word == "tomeval")?, 1)
    };
    let end = |word: &String| matches!(word.as_str(), "|" | ">" | ">>" | "2>" | "<" | "&&" | ";");
    let ours = words[start + skip..].iter().take_while(|word| !end(word));
    let words = std::iter::once("tomeval".to_string()).chain(ours.cloned()).collect();
    Some(Documented { document: document.to_path_buf(), line: line.trim().to_string(), words, demo })
}
