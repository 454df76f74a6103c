//! Interface texts of the page, in nine languages.

use std::sync::LazyLock;

use indexmap::IndexMap;

use crate::language::Language;

/// Texts by name, in each language by code.
pub(super) type Interface = IndexMap<String, IndexMap<String, String>>;

static INTERFACE: LazyLock<Interface> =
    LazyLock::new(|| toml::from_str(include_str!("page/interface.toml")).expect("a test reads the built-in file"));

/// All texts: by language code, by name.
pub(super) fn interface() -> IndexMap<&'static str, IndexMap<&'static str, &'static str>> {
    let texts = |language: Language| {
        let code = language.code();
        let text = |(name, texts): (&'static String, &'static IndexMap<String, String>)| {
            (name.as_str(), texts.get(code).or_else(|| texts.get("en")).map_or("", String::as_str))
        };
        (code, INTERFACE.iter().map(text).collect())
    };
    Language::ALL.into_iter().map(texts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_text_is_there_in_every_language_with_the_same_places_for_values() {
        let places = |text: &str| -> BTreeSet<String> {
            text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name.to_string()).collect()
        };
        for (name, texts) in INTERFACE.iter() {
            for language in Language::ALL {
                let text = texts.get(language.code()).unwrap_or_else(|| panic!("{name} lacks {language}"));
                assert!(!text.trim().is_empty(), "{name} in {language}");
                assert_eq!(places(text), places(&texts["en"]), "{name} in {language}");
            }
            assert_eq!(texts.len(), Language::ALL.len(), "{name}");
        }
    }

    #[test]
    fn every_text_is_used_and_every_one_used_is_there() {
        let scripts = [
            include_str!("page/start.js"),
            include_str!("page/state.js"),
            include_str!("page/answer.js"),
            include_str!("page/words.js"),
            include_str!("page/mark.js"),
            include_str!("page/judge.js"),
            include_str!("page/results.js"),
        ]
        .concat();
        let used: BTreeSet<&str> =
            scripts.split("t(\"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(name, _)| name).collect();
        let used: BTreeSet<&str> =
            used.into_iter().filter(|name| name.chars().all(|it| it.is_ascii_lowercase() || it == '_')).collect();
        let computed = |name: &str| name.starts_with("part_") || name.starts_with("mode_") || name.starts_with("how_");
        for name in &used {
            assert!(INTERFACE.contains_key(*name), "{name} has no text");
        }
        for name in INTERFACE.keys() {
            assert!(used.contains(name.as_str()) || computed(name), "{name} is nowhere used");
        }
    }
}
