//! Finds the sets of Multi-ToM in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::{MULTI_TOM, keys_of};
use crate::benchmark::inventory::TextKeys;
use crate::benchmark::{LoadError, LoadOptions};
use crate::language::Language;

/// Search depth for sets below the benchmark's folder.
const DEPTH: usize = 3;

/// Names of the languages in file and folder names, besides their ISO codes.
const NAMES: [(&str, Language); 8] = [
    ("english", Language::En),
    ("chinese", Language::Zh),
    ("arabic", Language::Ar),
    ("french", Language::Fr),
    ("hindi", Language::Hi),
    ("bangla", Language::Bn),
    ("bengali", Language::Bn),
    ("russian", Language::Ru),
];

/// Directly translated, or adapted to a culture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    Direct,
    Cultural,
}

impl Variant {
    pub fn name(self) -> &'static str {
        match self {
            Variant::Direct => "direct",
            Variant::Cultural => "cultural",
        }
    }
}

/// Storage format of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A folder of JSON lines files with the base set's names.
    JsonLines,
    /// One CSV file.
    Csv,
}

/// A set found in the folder.
pub(super) struct Source {
    pub path: PathBuf,
    pub shape: Shape,
    pub variant: Variant,
    /// Whether it is the released base set.
    pub base: bool,
    /// Its languages with the keys of their texts, to be tried in order.
    pub languages: Vec<(Language, Vec<TextKeys>)>,
}

/// All sets in a folder, the base set first, then by path.
pub(super) fn find(folder: &Path) -> Result<Vec<Source>, LoadError> {
    let mut sources = Vec::new();
    let raw = folder.join("RawData");
    if raw.is_dir() {
        let languages = [Language::En, Language::Zh].map(|language| (language, keys_of(language))).to_vec();
        sources.push(Source { path: raw, shape: Shape::JsonLines, variant: Variant::Direct, base: true, languages });
    }
    let refined = ["data.csv", "data_2.csv"].map(|name| folder.join("RefinedData").join(name));
    if let Some(path) = refined.into_iter().find(|path| path.is_file()) {
        let languages = vec![(Language::En, keys_of(Language::En))];
        sources.push(Source { path, shape: Shape::Csv, variant: Variant::Direct, base: true, languages });
    }
    if folder.is_dir() {
        walk(folder, Path::new(""), &mut sources)?;
    }
    Ok(sources)
}

fn walk(root: &Path, below: &Path, sources: &mut Vec<Source>) -> Result<(), LoadError> {
    let folder = root.join(below);
    let unreadable = |source| LoadError::Unreadable { path: folder.clone(), source };
    let mut names: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(&folder).map_err(unreadable)? {
        names.push(below.join(entry.map_err(unreadable)?.file_name()));
    }
    names.sort();
    let extension = |path: &Path, wanted: &str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(wanted));
    if let Some(language) = language_of(below)
        && names.iter().any(|name| extension(name, "jsonl"))
    {
        sources.push(found(folder.clone(), Shape::JsonLines, below, language));
    }
    for name in names {
        let path = root.join(&name);
        if path.is_dir() {
            if name.components().count() <= DEPTH && !matches!(name.to_str(), Some("RawData" | "RefinedData")) {
                walk(root, &name, sources)?;
            }
        } else if extension(&name, "csv")
            && let Some(language) = language_of(&name)
        {
            sources.push(found(path, Shape::Csv, &name, language));
        }
    }
    Ok(())
}

fn found(path: PathBuf, shape: Shape, named: &Path, language: Language) -> Source {
    let name = named.to_string_lossy().to_lowercase();
    let cultural = name.contains("cultur") || name.contains("tomfiltration");
    let variant = if cultural { Variant::Cultural } else { Variant::Direct };
    Source { path, shape, variant, base: false, languages: vec![(language, keys_of(language))] }
}

/// The language of the last path component that names one, by its English name or ISO code.
fn language_of(path: &Path) -> Option<Language> {
    let components: Vec<String> =
        path.components().map(|part| part.as_os_str().to_string_lossy().to_lowercase()).collect();
    components.iter().rev().find_map(|component| {
        component.split(|letter: char| !letter.is_alphanumeric()).find_map(|word| {
            NAMES
                .iter()
                .find(|(name, language)| *name == word || language.code() == word)
                .map(|(_, language)| *language)
        })
    })
}

/// The requested variants.
pub(super) fn wanted(options: &LoadOptions) -> Result<Vec<Variant>, LoadError> {
    match options.choices.get("variant").map(String::as_str) {
        None | Some("both") => Ok(vec![Variant::Direct, Variant::Cultural]),
        Some("direct") => Ok(vec![Variant::Direct]),
        Some("cultural") => Ok(vec![Variant::Cultural]),
        Some(other) => Err(MULTI_TOM.unknown_choice("variant", other, "direct, cultural or both")),
    }
}

/// Keep one of the two forms of the base set: JSON lines if present, unless CSV is requested.
pub(super) fn choose_base(sources: &mut Vec<Source>, options: &LoadOptions) -> Result<(), LoadError> {
    let preferred = match options.choices.get("base").map(String::as_str) {
        None | Some("jsonl") => Shape::JsonLines,
        Some("csv") => Shape::Csv,
        Some(other) => return Err(MULTI_TOM.unknown_choice("base", other, "jsonl or csv")),
    };
    if sources.iter().any(|source| source.base && source.shape == preferred) {
        sources.retain(|source| !source.base || source.shape == preferred);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_language_and_variant() {
        let check = |path: &str, language: Option<Language>, cultural: bool| {
            assert_eq!(language_of(Path::new(path)), language, "{path}");
            if let Some(language) = language {
                let source = found(PathBuf::new(), Shape::Csv, Path::new(path), language);
                assert_eq!(source.variant == Variant::Cultural, cultural, "{path}");
            }
        };
        check("ToMFiltration-russian", Some(Language::Ru), true);
        check("hindi_data_destructured.csv", Some(Language::Hi), false);
        check("cultural/bengali_data_destructured.csv", Some(Language::Bn), true);
        check("translated/ar", Some(Language::Ar), false);
        check("data_3.csv", None, false);
        check("frenchness", None, false);
    }
}
