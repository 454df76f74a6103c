//! Shared by XToM's three parts: one JSON file per language, parallel by row.

use std::path::{Path, PathBuf};

use super::definition::Definition;
use super::folder::{absent, holds, is_there, own_folder};
use super::{LoadError, LoadOptions};
use crate::language::Language;

/// XToM's languages, English first.
const LANGUAGES: [Language; 5] = [Language::En, Language::Zh, Language::De, Language::Fr, Language::Ja];

/// Names of their folder.
const FOLDERS: [&str; 3] = ["xtom", "XToM_DataSet", "xtom/XToM_DataSet"];

/// The possible names of a language's file.
fn names(stem: &str, language: Language) -> Vec<String> {
    let codes: &[&str] = if language == Language::Zh { &["cn", "ch", "zh"] } else { &[language.code()] };
    codes.iter().map(|code| format!("{stem}_{code}.json")).collect()
}

/// Whether a file of any language is at a path.
pub(super) fn are_at(data: &Path, stem: &str) -> bool {
    let names: Vec<String> = LANGUAGES.into_iter().flat_map(|language| names(stem, language)).collect();
    holds(data, &FOLDERS, &names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// XToM's files `<stem>_<language>.json` of the wanted languages, English first. An existing English file is included
/// even if it is not wanted: it fills gaps of the translations. Chinese files are named `cn` or `ch`.
pub(super) fn files(
    benchmark: &Definition,
    stem: &str,
    data: &Path,
    options: &LoadOptions,
) -> Result<Vec<(Language, PathBuf)>, LoadError> {
    let names = |language: Language| names(stem, language);
    let marks: Vec<String> =
        LANGUAGES.into_iter().filter(|&language| options.wants(language)).flat_map(names).collect();
    if marks.is_empty() {
        return Ok(Vec::new());
    }
    let marks: Vec<&str> = marks.iter().map(String::as_str).collect();
    let folder = own_folder(benchmark, data, &FOLDERS, &marks)?;
    let mut found = Vec::new();
    for language in LANGUAGES {
        let paths: Vec<PathBuf> = names(language).iter().map(|name| folder.join(name)).collect();
        let mut there = None;
        for path in &paths {
            if there.is_none() && is_there(path)? {
                there = Some(path.clone());
            }
        }
        match there {
            Some(path) if options.wants(language) || language == Language::En => found.push((language, path)),
            None if options.wants(language) => return Err(absent(benchmark, paths[0].clone())),
            _ => {}
        }
    }
    Ok(found)
}
