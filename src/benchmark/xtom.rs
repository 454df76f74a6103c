//! What XToM's three parts share: one JSON file a language, parallel by row.

use std::path::{Path, PathBuf};

use super::files::{find, folders};
use super::folder::absent;
use super::{Benchmark, Language, LoadError, LoadOptions};

/// XToM's languages, English first.
const LANGUAGES: [Language; 5] = [Language::En, Language::Zh, Language::De, Language::Fr, Language::Ja];

/// XToM's files `<stem>_<language>.json` of the wanted languages, English first. The English file is given, where it is
/// there, even if it is not wanted: it fills gaps of the translations. Chinese files are named `cn` or `ch`.
pub(super) fn files(
    benchmark: Benchmark,
    stem: &str,
    data: &Path,
    options: &LoadOptions,
) -> Result<Vec<(Language, PathBuf)>, LoadError> {
    let folders = folders(data, &["xtom", "XToM_DataSet", "xtom/XToM_DataSet"]);
    let mut found = Vec::new();
    for language in LANGUAGES {
        let codes: &[&str] = if language == Language::Zh { &["cn", "ch", "zh"] } else { &[language.code()] };
        let names: Vec<String> = codes.iter().map(|code| format!("{stem}_{code}.json")).collect();
        match find(&folders, &names.iter().map(String::as_str).collect::<Vec<_>>()) {
            Some(path) if options.wants(language) || language == Language::En => found.push((language, path)),
            None if options.wants(language) => return Err(absent(benchmark, data.join(&names[0]))),
            _ => {}
        }
    }
    Ok(found)
}
