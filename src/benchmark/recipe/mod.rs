//! Benchmarks whose rows a card describes: what stands in its section `[rows]` makes items of the rows of files
//! (`docs/cards.md`).

pub(super) mod draft;
pub(super) mod gold;
mod python;
mod question;
mod scope;
mod spec;
pub(super) mod template;
mod text;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use indexmap::{IndexMap, IndexSet};

use self::draft::Stories;
use self::question::Seen;
use self::scope::{Joined, Scope};
pub(super) use self::spec::Recipe;
use self::spec::{Files, Join, Question};
use self::template::scalar;
use super::definition::Definition;
use super::folder::absent;
use super::own::Delimiter;
use super::rows::{RowFile, Shape};
use super::unique::Ids;
use super::{LoadError, LoadOptions, Loaded, RowProblem};
use crate::language::Language;

/// Whether files of a benchmark are at a path: its own folder or that folder's parent.
pub(super) fn is_at(recipe: &Recipe, data: &Path) -> bool {
    recipe.folder_in(data).is_some()
}

/// Load a benchmark from its own folder or that folder's parent.
pub(super) fn load(
    definition: &Definition,
    recipe: &Recipe,
    data: &Path,
    options: &LoadOptions,
) -> Result<Loaded, LoadError> {
    let Some(folder) = recipe.folder_in(data) else {
        return Err(absent(definition, recipe.looked_for(data)));
    };
    let chosen = recipe.chosen(definition, options)?;
    let mut loaded = Loaded::default();
    let mut joined: IndexMap<&str, Joined<'_>> = IndexMap::new();
    for (name, join) in &recipe.joins {
        joined.insert(name, Joined { on: &join.on, rows: join.rows(&folder, &mut loaded.problems)? });
    }
    let (mut ids, mut stories) = (Ids::default(), Stories::default());
    let mut seen: Vec<Seen> = recipe.questions.iter().map(|_| Seen::default()).collect();
    for (files, questions) in recipe.by_files() {
        for path in files.paths(&folder, &mut loaded.problems)? {
            RowFile::open(&path, files.shape())?.each(&mut |row| {
                let row = match row {
                    Ok(row) => row,
                    Err(problem) => return loaded.problems.push(problem),
                };
                for &number in &questions {
                    let question = &recipe.questions[number];
                    let of_row = Scope { row: &row, entry: None, joined: &joined, chosen: &chosen };
                    let entries = match question.entries(&of_row) {
                        Ok(entries) => entries,
                        Err(problem) => {
                            loaded.problems.push(problem);
                            continue;
                        }
                    };
                    let scopes = match &entries {
                        None => vec![of_row],
                        Some(list) => {
                            let of_entry = |entry| Scope { entry: Some(entry), ..of_row };
                            list.iter().enumerate().map(of_entry).collect()
                        }
                    };
                    for scope in scopes.iter().filter(|scope| question.is_asked(scope)) {
                        seen[number].items += 1;
                        match question.item(definition.benchmark, options.labels, scope, &seen[number], &mut stories) {
                            Ok(Some(item)) => loaded.add(item, &mut ids, &path, Some(row.line)),
                            Ok(None) => {}
                            Err(problem) => loaded.problems.push(problem),
                        }
                    }
                }
            })?;
        }
    }
    for (question, seen) in recipe.questions.iter().zip(&seen).filter(|(question, _)| question.is_chosen(&chosen)) {
        loaded.problems.extend(question.slips(seen, &folder));
    }
    loaded.problems.extend(shared_stories(&loaded, &folder));
    loaded.items.retain(|item| options.wants(item.language));
    Ok(loaded)
}

/// A story of several languages would be one unit of the tables, though questions in two languages have no text in common.
fn shared_stories(loaded: &Loaded, folder: &Path) -> Option<RowProblem> {
    let mut languages: HashMap<&str, Language> = HashMap::new();
    let shared =
        loaded.items.iter().find(|item| *languages.entry(&item.story).or_insert(item.language) != item.language)?;
    Some(RowProblem {
        file: folder.to_path_buf(),
        row: None,
        field: Some("story-id".to_string()),
        message: format!(
            "the story `{}` has questions in two languages; put the language into `story-id` of the card",
            shared.story
        ),
    })
}

impl Recipe {
    /// The folder with the files: the path itself, or the one below it that the card names.
    fn folder_in(&self, data: &Path) -> Option<PathBuf> {
        let below = self.folder.as_ref().map(|name| data.join(name));
        let is_there = |folder: &PathBuf| {
            self.questions.iter().any(|question| {
                question
                    .files
                    .patterns
                    .iter()
                    .any(|pattern| matching(folder, pattern).is_ok_and(|found| !found.is_empty()))
            })
        };
        std::iter::once(data.to_path_buf()).chain(below).find(is_there)
    }

    /// The value of each choice: that of the options, else the first of the card.
    fn chosen<'a>(
        &'a self,
        definition: &Definition,
        options: &'a LoadOptions,
    ) -> Result<IndexMap<&'a str, &'a str>, LoadError> {
        let value = |(name, values): (&'a String, &'a Vec<String>)| match options.choices.get(name) {
            None => Ok((name.as_str(), values[0].as_str())),
            Some(given) if values.contains(given) => Ok((name.as_str(), given.as_str())),
            Some(given) => Err(definition.unknown_choice(name, given, values.join(", "))),
        };
        self.choices.iter().map(value).collect()
    }

    /// The first path looked for.
    fn looked_for(&self, data: &Path) -> PathBuf {
        let below = self.folder.as_ref().map(|name| data.join(name)).filter(|folder| folder.is_dir());
        let folder = below.unwrap_or_else(|| data.to_path_buf());
        let first = self.questions.first().and_then(|question| question.files.patterns.first());
        match (folder.is_dir(), first) {
            (true, Some(first)) => folder.join(first),
            _ => folder,
        }
    }

    /// The numbers of the questions of the same files, so that items stand in the order of rows.
    fn by_files(&self) -> IndexMap<&Files, Vec<usize>> {
        let mut by_files: IndexMap<&Files, Vec<usize>> = IndexMap::new();
        for (number, question) in self.questions.iter().enumerate() {
            by_files.entry(&question.files).or_default().push(number);
        }
        by_files
    }
}

impl Question {
    /// Problems of the card that only the whole files show: a question that no row has, a facet that none has.
    fn slips(&self, seen: &Seen, folder: &Path) -> Vec<RowProblem> {
        let problem = |field: &str, message: String| RowProblem {
            file: folder.join(&self.files.patterns[0]),
            row: None,
            field: Some(field.to_string()),
            message,
        };
        if seen.items == 0 {
            let each = self.each.as_deref().unwrap_or("when");
            return vec![problem(each, "the card asks a question that no row has; correct the card".to_string())];
        }
        let facets = seen.facets.borrow();
        let never = self.facets.keys().filter(|name| !facets.contains(*name));
        never.map(|name| problem(name, "no row has this facet of the card; correct the card".to_string())).collect()
    }
}

impl Join {
    /// The rows of the file by their keys.
    fn rows(
        &self,
        folder: &Path,
        problems: &mut Vec<RowProblem>,
    ) -> Result<HashMap<String, serde_json::Map<String, serde_json::Value>>, LoadError> {
        let mut rows = HashMap::new();
        let (none, no_choice) = (IndexMap::new(), IndexMap::new());
        for path in self.files.paths(folder, problems)? {
            RowFile::open(&path, self.files.shape())?.each(&mut |row| {
                let row = match row {
                    Ok(row) => row,
                    Err(problem) => return problems.push(problem),
                };
                let scope = Scope { row: &row, entry: None, joined: &none, chosen: &no_choice };
                let key = self.key.value(&|name| scope.value(name)).ok().as_ref().and_then(scalar);
                let problem = match key {
                    None => row.problem(None, "it has no key to be joined by"),
                    Some(key) => match rows.contains_key(key.trim()) {
                        true => row.problem(None, format!("the key `{}` stands twice; remove one", key.trim())),
                        false => {
                            rows.insert(key.trim().to_string(), row.cells);
                            return;
                        }
                    },
                };
                problems.push(problem);
            })?;
        }
        Ok(rows)
    }
}

impl Files {
    fn shape(&self) -> Shape {
        Shape { delimiter: self.delimiter.map(Delimiter::byte), header: self.header, members: self.members }
    }

    /// The files that are there, in the order of the card; those that are not are problems.
    fn paths(&self, folder: &Path, problems: &mut Vec<RowProblem>) -> Result<Vec<PathBuf>, LoadError> {
        let mut paths = IndexSet::new();
        for pattern in &self.patterns {
            let found = matching(folder, pattern)
                .map_err(|source| LoadError::Unreadable { path: folder.join(pattern), source })?;
            if found.is_empty() {
                problems.push(RowProblem {
                    file: folder.join(pattern),
                    row: None,
                    field: None,
                    message: "there is no such file; fetch it again".to_string(),
                });
            }
            paths.extend(found);
        }
        Ok(Vec::from_iter(paths))
    }
}

/// The files of a pattern below a folder, sorted by name.
fn matching(folder: &Path, pattern: &str) -> std::io::Result<Vec<PathBuf>> {
    let path = folder.join(pattern);
    let name = pattern.rsplit('/').next().unwrap_or(pattern);
    let Some((start, end)) = name.split_once('*') else {
        return Ok(if path.is_file() { vec![path] } else { Vec::new() });
    };
    let parent = path.parent().unwrap_or(folder);
    if !parent.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(parent)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let fits = name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end);
        if fits && path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
