//! The walls between the parts of the program: every path in `src/` leads where `arrows.toml` allows, and no files form a
//! circle.
//!
//! Paths that begin with `crate`, `super`, `self`, `tomeval` or the name of a child module are followed, through
//! re-exports, to the file that defines what they name. Comments and `#[cfg(test)]` items are left out. A file may use what
//! the `mod.rs` above it defines, and a `mod.rs` what stands in its folder: those two are one thing told in parts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use serde::Deserialize;
use syn::visit::Visit;

/// `arrows.toml`: what each room of the program may use, rooms in order.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arrows {
    may_use: BTreeMap<String, Vec<String>>,
}

/// Source files by path below `src/`.
type Sources = BTreeMap<String, String>;

/// A module, as the names after `crate`.
type Module = Vec<String>;

/// What a file holds, as far as paths lead into it.
struct Source {
    file: String,
    /// Names brought in or handed on by `use`, with the path each stands for.
    uses: BTreeMap<String, Vec<String>>,
    /// Paths of `use path::*`.
    globs: Vec<Vec<String>>,
    /// All other paths.
    paths: Vec<Vec<String>>,
}

/// The module that a file is the body of; none for crate roots. The modules of `core`, a crate of its own, are brought
/// into the other by its root, so that both have the same paths.
fn module_of(file: &str) -> Module {
    let stem = file.trim_start_matches("core/").trim_end_matches(".rs").trim_end_matches("/mod");
    match stem {
        "lib" | "main" => Module::new(),
        stem => stem.split('/').map(str::to_string).collect(),
    }
}

#[derive(Default)]
struct Reader {
    /// Modules within the file that are being read, one in the other.
    inside: usize,
    uses: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    paths: Vec<Vec<String>>,
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

fn attributes_of(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Const(item) => &item.attrs,
        _ => &[],
    }
}

impl Reader {
    /// A path as it would stand outside of the modules within the file.
    fn beside_the_file(&self, path: Vec<String>) -> Vec<String> {
        let steps = path.iter().take(self.inside).take_while(|name| *name == "super").count();
        match steps {
            0 => path,
            steps => [&["self".to_string()], &path[steps..]].concat(),
        }
    }

    fn tree(&mut self, before: &mut Vec<String>, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.tree(before, &path.tree);
                before.pop();
            }
            syn::UseTree::Name(name) if name.ident == "self" => {
                let last = before.last().expect("`self` stands in braces after a path").clone();
                self.uses.insert(last, before.clone());
            }
            syn::UseTree::Name(name) => {
                let name = name.ident.to_string();
                self.uses.insert(name.clone(), [&before[..], &[name]].concat());
            }
            syn::UseTree::Rename(rename) => {
                let path = [&before[..], &[rename.ident.to_string()]].concat();
                self.uses.insert(rename.rename.to_string(), path);
            }
            syn::UseTree::Glob(_) => self.globs.push(before.clone()),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(before, tree)),
        }
    }

    /// Paths within the arguments of a macro, which are no syntax tree yet.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) if colons == 2 && !path.is_empty() => path.push(name.to_string()),
                TokenTree::Ident(name) => {
                    self.paths.push(std::mem::replace(&mut path, vec![name.to_string()]));
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                TokenTree::Group(group) => self.tokens(group.stream()),
                _ => self.paths.push(std::mem::take(&mut path)),
            }
            colons = 0;
        }
        self.paths.push(path);
        self.paths.retain(|path| path.len() > 1);
    }
}

impl<'a> Visit<'a> for Reader {
    fn visit_item(&mut self, item: &'a syn::Item) {
        if !is_test(attributes_of(item)) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            syn::visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        let mut read = Reader::default();
        read.tree(&mut Vec::new(), &item.tree);
        for (name, path) in read.uses {
            let path = self.beside_the_file(path);
            self.uses.insert(name, path);
        }
        for path in read.globs {
            let path = self.beside_the_file(path);
            self.globs.push(path);
        }
    }

    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        self.inside += 1;
        syn::visit::visit_item_mod(self, item);
        self.inside -= 1;
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.paths.push(self.beside_the_file(names));
        syn::visit::visit_path(self, path);
    }

    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}

    fn visit_macro(&mut self, called: &'a syn::Macro) {
        self.tokens(called.tokens.clone());
        syn::visit::visit_macro(self, called);
    }
}

struct Program {
    modules: BTreeMap<Module, Source>,
}

impl Program {
    fn read(sources: &Sources) -> Program {
        let mut modules: BTreeMap<Module, Source> = BTreeMap::new();
        for (file, text) in sources {
            let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{file}: {error}"));
            let mut reader = Reader::default();
            reader.visit_file(&parsed);
            let Reader { uses, globs, paths, .. } = reader;
            let module = modules.entry(module_of(file)).or_insert(Source {
                file: file.clone(),
                uses: BTreeMap::new(),
                globs: Vec::new(),
                paths: Vec::new(),
            });
            module.uses.extend(uses);
            module.globs.extend(globs);
            module.paths.extend(paths);
        }
        Program { modules }
    }

    /// The absolute form of a path that stands in `module`; `None` where it leads out of the program or to a local name.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        let mut start = match first.as_str() {
            "crate" | "tomeval" | "tomeval_core" => Module::new(),
            "self" if rest.first().is_some_and(|next| next == "super") => return self.absolute(module, rest),
            "self" => module.clone(),
            "super" => module[..module.len().checked_sub(1)?].to_vec(),
            child => {
                let inside = [&module[..], &[child.to_string()]].concat();
                if !self.modules.contains_key(&inside) {
                    return None;
                }
                inside
            }
        };
        for name in rest {
            match name.as_str() {
                "super" => start.pop().map(drop)?,
                name => start.push(name.to_string()),
            }
        }
        Some(start)
    }

    /// The module whose file defines what an absolute path names.
    fn definition(&self, path: &[String], depth: usize) -> Option<Module> {
        let held = (0..=path.len()).rev().find(|&length| self.modules.contains_key(&path[..length]))?;
        let module = path[..held].to_vec();
        let Some(name) = path.get(held).filter(|_| depth < 16) else { return Some(module) };
        let source = &self.modules[&module];
        if let Some(target) = source.uses.get(name).and_then(|target| self.absolute(&module, target)) {
            return self.definition(&[&target[..], &path[held + 1..]].concat(), depth + 1);
        }
        let globs = source.globs.iter().filter_map(|glob| self.absolute(&module, glob));
        let handed_on = globs.filter_map(|glob| {
            let source = self.modules.get(&glob)?;
            source.uses.contains_key(name).then(|| self.definition(&[&glob[..], &path[held..]].concat(), depth + 1))?
        });
        Some(handed_on.into_iter().next().unwrap_or(module))
    }

    /// Which module uses which, each once. What a `mod.rs` only hands on is no use of it.
    fn arrows(&self) -> BTreeSet<(Module, Module)> {
        let mut arrows = BTreeSet::new();
        for (module, source) in &self.modules {
            let within = |target: &Module| target.starts_with(module) || module.starts_with(target);
            for path in source.uses.values().chain(&source.globs).chain(&source.paths) {
                let Some(path) = self.absolute(module, path) else { continue };
                let target = self.definition(&path, 0).expect("the crate root is a module");
                if !within(&target) {
                    arrows.insert((module.clone(), target));
                }
            }
        }
        arrows
    }
}

/// What is wrong, a line each: arrows that `may_use` does not allow, those that it allows and nothing uses, and files that form
/// a circle.
fn faults(sources: &Sources, arrows: &Arrows) -> Vec<String> {
    let program = Program::read(sources);
    let found = program.arrows();
    let file = |module: &Module| program.modules[module].file.clone();
    let part = |module: &Module| module.first().cloned().unwrap_or_default();
    let mut faults = Vec::new();
    for (from, to) in &found {
        let (user, used) = (part(from), part(to));
        let allowed = user == used || arrows.may_use.get(&user).is_some_and(|allowed| allowed.contains(&used));
        if !allowed {
            faults.push(format!("{} uses {}: `{user}` may not use `{used}`", file(from), file(to)));
        }
    }
    let used: BTreeSet<(String, String)> = found.iter().map(|(from, to)| (part(from), part(to))).collect();
    for (user, allowed) in &arrows.may_use {
        let unused = allowed.iter().filter(|allowed| !used.contains(&(user.clone(), allowed.to_string())));
        faults
            .extend(unused.map(|unused| format!("nothing in `{user}` uses `{unused}`: arrows.toml allows it in vain")));
    }
    for module in program.modules.keys().map(part).filter(|part| !part.is_empty()).collect::<BTreeSet<_>>() {
        if !arrows.may_use.contains_key(&module) {
            faults.push(format!("arrows.toml says nothing of `{module}`"));
        }
    }
    faults.extend(circles(&found).into_iter().map(|circle| {
        let files: Vec<String> = circle.iter().map(file).collect();
        format!("a circle of files: {}", files.join(", "))
    }));
    let unit = |module: &Module| module.iter().take(2).cloned().collect::<Module>();
    let units: BTreeSet<(Module, Module)> = found.iter().map(|(from, to)| (unit(from), unit(to))).collect();
    let apart = |(from, to): &(Module, Module)| from != to && from.len() == 2 && to.len() == 2;
    faults.extend(circles(&units.into_iter().filter(apart).collect()).into_iter().map(|circle| {
        let folders: Vec<String> = circle.iter().map(|unit| unit.join("/")).collect();
        format!("a circle of folders: {}", folders.join(", "))
    }));
    faults
}

/// Sets of modules that can all be reached from one another.
fn circles(arrows: &BTreeSet<(Module, Module)>) -> BTreeSet<BTreeSet<Module>> {
    let mut reached: BTreeMap<&Module, BTreeSet<&Module>> = BTreeMap::new();
    for (from, _) in arrows {
        let mut open = vec![from];
        let seen = reached.entry(from).or_default();
        while let Some(at) = open.pop() {
            let next = arrows.iter().filter(|(from, _)| from == at).map(|(_, to)| to);
            open.extend(next.filter(|to| seen.insert(to)));
        }
    }
    let together = |from: &Module| {
        let both = |to: &&&Module| reached.get(**to).is_some_and(|back| back.contains(from));
        reached[from].iter().filter(both).map(|to| (*to).clone()).collect::<BTreeSet<Module>>()
    };
    reached.keys().map(|from| together(from)).filter(|circle| circle.len() > 1).collect()
}

/// The allowed arrows.
fn arrows() -> Arrows {
    toml::from_str(include_str!("arrows.toml")).expect("arrows.toml is a table of lists")
}

fn sources(folder: &Path, below: &Path, found: &mut Sources) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, below, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(below).unwrap().to_str().unwrap().replace('\\', "/");
            if name.split('/').all(|part| part != "tests.rs" && part != "build.rs") {
                found.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
}

#[test]
fn every_path_leads_where_it_may() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Sources::new();
    sources(&folder, &folder, &mut found);
    let faults = faults(&found, &arrows());
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn each_room_uses_only_rooms_above_it() {
    let text = include_str!("arrows.toml");
    let order: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once(" = [")?.0)).collect();
    let place = |room: &str| order.iter().position(|known| *known == room);
    let Arrows { may_use } = arrows();
    assert_eq!(order.len(), may_use.len());
    for (room, used) in &may_use {
        let below: Vec<&String> = used.iter().filter(|used| place(used) >= place(room)).collect();
        assert!(below.is_empty(), "`{room}` stands above {below:?}");
    }
}

/// A program of three parts, in which `top` may use `middle` and both may use `base`.
fn small(changes: &[(&str, &str)]) -> Vec<String> {
    small_that_allows(&["base"], changes)
}

/// The same, whose `middle` may use `allowed`.
fn small_that_allows(allowed: &[&str], changes: &[(&str, &str)]) -> Vec<String> {
    let files = [
        ("lib.rs", "pub mod base; pub mod middle; pub mod top;"),
        ("base.rs", "pub struct Base;"),
        ("middle/mod.rs", "mod left; mod pair; mod right; pub use left::Left; pub struct Own;"),
        ("middle/left.rs", "use super::Own; use crate::base::Base; pub struct Left(Own, Base);"),
        ("middle/pair/mod.rs", "mod deep; pub struct Pair;"),
        ("middle/pair/deep.rs", "pub struct Deep;"),
        ("middle/right.rs", "use super::Left; pub fn right(_: Left) {}"),
        (
            "top.rs",
            "pub fn top(_: crate::middle::Left, _: crate::base::Base) {} #[cfg(test)] mod tests { use crate::missing::Thing; }",
        ),
    ];
    let mut sources: Sources = files.map(|(file, text)| (file.to_string(), text.to_string())).into();
    for (file, text) in changes {
        *sources.get_mut(*file).unwrap() += text;
    }
    let allowed = [("base", vec![]), ("middle", allowed.to_vec()), ("top", vec!["middle", "base"])];
    let may_use = allowed.map(|(part, used)| (part.to_string(), used.into_iter().map(str::to_string).collect()));
    faults(&sources, &Arrows { may_use: may_use.into() })
}

#[test]
fn an_added_arrow_or_circle_is_found() {
    assert_eq!(small(&[]), Vec::<String>::new());
    let forbidden = "base.rs uses middle/left.rs: `base` may not use `middle`";
    // Through a re-export, renamed, in a macro's arguments, and as an import from afar.
    let circle = "a circle of files: base.rs, middle/left.rs";
    for text in [
        "use crate::middle::Left as Other;",
        "pub fn f() { println!(\"{:?}\", crate::middle::Left::new(1)); }",
        "pub use super::middle::{Left};",
        "pub fn g(_: Option<crate::middle::Left>) {}",
    ] {
        assert_eq!(small(&[("base.rs", text)]), [forbidden, circle], "{text}");
    }
    let within =
        ["a circle of files: middle/left.rs, middle/right.rs", "a circle of folders: middle/left, middle/right"];
    assert_eq!(small(&[("middle/left.rs", "use super::right::right;")]), within);
    let apart = [("middle/left.rs", "use super::pair::Pair;"), ("middle/pair/deep.rs", "use crate::middle::Left;")];
    assert_eq!(small(&apart), ["a circle of folders: middle/left, middle/pair"]);
    let unused = "nothing in `middle` uses `top`: arrows.toml allows it in vain";
    assert_eq!(small_that_allows(&["base", "top"], &[]), [unused]);
    assert_eq!(
        small(&[("base.rs", "// use crate::top::top;\n#[cfg(test)] use crate::top::top;")]),
        Vec::<String>::new()
    );
}
