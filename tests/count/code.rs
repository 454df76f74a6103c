//! Counts the code of the program by part: `cargo run --example count`.
//!
//! Counted are the Rust files outside `tests` and `benches`, without `#[cfg(test)]` items, the files that only those bring in, comments
//! and documentation. A line counts where a token of code stands on it; a string over several lines counts with all of
//! them. A pair of brackets is two tokens. What stands beside Rust in `src/` (scripts, styles, pages) is counted by lines that hold
//! anything.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

#[derive(Default, Clone, Copy)]
struct Count {
    files: usize,
    lines: usize,
    tokens: usize,
    macros: usize,
}

impl std::ops::AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.files += other.files;
        self.lines += other.lines;
        self.tokens += other.tokens;
        self.macros += other.macros;
    }
}

/// What is read of one file.
#[derive(Default)]
struct Read {
    lines: BTreeSet<usize>,
    tokens: usize,
    macros: usize,
    /// Modules with a file of their own that only tests have.
    only_tests: Vec<String>,
}

/// What the tokens of an attribute say.
enum Attribute {
    Documentation,
    OnlyTests,
    Other,
}

fn attribute(group: &TokenTree) -> Option<Attribute> {
    let TokenTree::Group(group) = group else { return None };
    let text = group.stream().to_string();
    let is = |wanted: &str| text.split_whitespace().collect::<String>() == wanted;
    (group.delimiter() == Delimiter::Bracket).then(|| match () {
        () if text.starts_with("doc =") => Attribute::Documentation,
        () if is("cfg(test)") => Attribute::OnlyTests,
        () => Attribute::Other,
    })
}

/// The end of the item that begins at `at`, behind its attributes.
fn end_of_item(trees: &[TokenTree], at: usize) -> usize {
    let word = |tree: &TokenTree| matches!(tree, TokenTree::Ident(name) if ["use", "const", "static", "type", "let"].iter().any(|word| name == word));
    let function = |tree: &TokenTree| matches!(tree, TokenTree::Ident(name) if name == "fn");
    let mut closed_by_mark = false;
    for (index, tree) in trees.iter().enumerate().skip(at) {
        match tree {
            tree if function(tree) => closed_by_mark = false,
            tree if word(tree) => closed_by_mark = true,
            TokenTree::Punct(mark) if [';', ','].contains(&mark.as_char()) => return index + 1,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && !closed_by_mark => return index + 1,
            _ => {}
        }
    }
    trees.len()
}

impl Read {
    fn stream(&mut self, stream: TokenStream) {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        while at < trees.len() {
            let hash = matches!(&trees[at], TokenTree::Punct(mark) if mark.as_char() == '#');
            let inner = matches!(trees.get(at + 1), Some(TokenTree::Punct(mark)) if mark.as_char() == '!');
            let behind = at + 1 + usize::from(inner);
            match trees.get(behind).filter(|_| hash).and_then(attribute) {
                Some(Attribute::Documentation) => at = behind + 1,
                Some(Attribute::OnlyTests) if inner => return,
                Some(Attribute::OnlyTests) => {
                    let end = end_of_item(&trees, behind + 1);
                    if let [.., TokenTree::Ident(module), TokenTree::Ident(name), TokenTree::Punct(_)] =
                        &trees[behind..end]
                        && module == "mod"
                    {
                        self.only_tests.push(name.to_string());
                    }
                    at = end;
                }
                _ => {
                    self.tree(&trees[at]);
                    at += 1;
                }
            }
        }
    }

    fn tree(&mut self, tree: &TokenTree) {
        match tree {
            TokenTree::Group(group) => {
                self.tokens += if group.delimiter() == Delimiter::None { 0 } else { 2 };
                self.lines.extend([group.span_open().start().line, group.span_close().end().line]);
                self.stream(group.stream());
            }
            leaf => {
                self.tokens += 1;
                self.macros += usize::from(matches!(leaf, TokenTree::Ident(name) if name == "macro_rules"));
                self.lines.extend(leaf.span().start().line..=leaf.span().end().line);
            }
        }
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match path.is_dir() {
            true if ["tests", "benches", "target"].contains(&name.as_str()) || name.starts_with('.') => {}
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    files(root, &mut found);
    let is = |path: &Path, endings: &[&str]| {
        path.extension().is_some_and(|extension| endings.iter().any(|ending| *ending == extension))
    };
    let mut reads: BTreeMap<PathBuf, Read> = BTreeMap::new();
    let mut only_tests: Vec<PathBuf> = Vec::new();
    for path in found.iter().filter(|path| is(path, &["rs"])) {
        let text = std::fs::read_to_string(path).unwrap();
        let mut read = Read::default();
        read.stream(text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display())));
        let beside = match path.file_stem().and_then(|stem| stem.to_str()) {
            Some("mod" | "lib" | "main") | None => path.parent().unwrap().to_path_buf(),
            Some(_) => path.with_extension(""),
        };
        only_tests.extend(read.only_tests.iter().map(|name| beside.join(name)));
        reads.insert(path.clone(), read);
    }
    reads.retain(|path, _| !only_tests.iter().any(|test| path.starts_with(test) || *path == test.with_extension("rs")));

    let mut parts: BTreeMap<String, Count> = BTreeMap::new();
    for (path, read) in &reads {
        let below: Vec<_> = path.strip_prefix(root).unwrap().iter().map(|name| name.to_string_lossy()).collect();
        let part = below.iter().take(2).map(|name| name.as_ref()).collect::<Vec<_>>().join("/");
        let count = Count { files: 1, lines: read.lines.len(), tokens: read.tokens, macros: read.macros };
        *parts.entry(part).or_default() += count;
    }
    println!("{:<24}{:>7}{:>9}{:>10}", "part", "files", "lines", "tokens");
    let mut total = Count::default();
    for (part, count) in parts {
        println!("{part:<24}{:>7}{:>9}{:>10}", count.files, count.lines, count.tokens);
        total += count;
    }
    println!("{:<24}{:>7}{:>9}{:>10}", "all", total.files, total.lines, total.tokens);
    let beside = found.iter().filter(|path| path.starts_with(root.join("src")) && is(path, &["js", "css", "html"]));
    let filled =
        |path: &PathBuf| std::fs::read_to_string(path).unwrap().lines().filter(|line| !line.trim().is_empty()).count();
    println!("macro_rules! {}, lines of scripts, styles and pages {}", total.macros, beside.map(filled).sum::<usize>());
}
