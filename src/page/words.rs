//! Words of all pages in nine languages, and sentences in English and Chinese.

use std::fmt;
use std::sync::LazyLock;

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use crate::language::Language;
use crate::safe_text::for_terminal;

/// Texts by name, each in its languages by code.
type Words = IndexMap<String, IndexMap<String, String>>;

static WORDS: LazyLock<Words> =
    LazyLock::new(|| toml::from_str(include_str!("words.toml")).expect("a test reads the built-in file"));

/// Names of what cards and this program call rows, columns and facts, and of notes of cards, by their English text.
static CELLS: LazyLock<IndexMap<&'static str, &'static str>> = LazyLock::new(|| {
    let cells = WORDS.iter().filter(|(name, _)| name.starts_with("cell_") || *name == "note_mean_of_tasks");
    cells.filter_map(|(name, texts)| Some((texts.get("en")?.as_str(), name.as_str()))).collect()
});

/// The English text of a name; `None` for an unknown one.
pub fn english(name: &str) -> Option<&'static str> {
    WORDS.get(name)?.get("en").map(String::as_str)
}

/// Name of the words that a table's cell consists of, where they are this program's own.
pub fn cell_name(text: &str) -> Option<&'static str> {
    CELLS.get(text).copied()
}

/// Codes and native names of the languages.
pub fn languages() -> [(&'static str, &'static str); 9] {
    Language::ALL.map(|language| (language.code(), native_name(language)))
}

fn native_name(language: Language) -> &'static str {
    match language.code() {
        "zh" => "中文",
        "ar" => "العربية",
        "fr" => "Français",
        "hi" => "हिन्दी",
        "bn" => "বাংলা",
        "ru" => "Русский",
        "de" => "Deutsch",
        "ja" => "日本語",
        _ => "English",
    }
}

/// Names that scripts, templates or pages use: those of `t("name")`, `sentence("name")` and `data-t="name"`, and all that
/// begin as in `` t(`begin_${..}`) ``; with those of the script of all pages.
pub fn used(sources: &[&str]) -> IndexSet<&'static str> {
    let mut found = IndexSet::new();
    for source in sources.iter().copied().chain([include_str!("base.js")]) {
        let marked = ["data-t=\"", "data-t-label=\""].into_iter().flat_map(|begin| quoted(source, begin));
        for name in ["t(\"", "sentence(\""].into_iter().flat_map(|begin| calls(source, begin)).chain(marked) {
            found.extend(WORDS.get_key_value(name).map(|(name, _)| name.as_str()));
        }
        let computed = ["t(`", "sentence(`"].into_iter().flat_map(|begin| calls(source, begin));
        for begin in computed.filter_map(|text| text.split_once("${")).map(|(begin, _)| begin) {
            found.extend(WORDS.keys().map(String::as_str).filter(|name| !begin.is_empty() && name.starts_with(begin)));
        }
    }
    found
}

/// First arguments of calls that begin so, up to their closing quote.
fn calls<'a>(source: &'a str, begin: &'a str) -> impl Iterator<Item = &'a str> {
    let is_call = move |at: usize| !source[..at].ends_with(|before: char| before.is_alphanumeric() || before == '.');
    let quote = if begin.ends_with('"') { '"' } else { '`' };
    source.match_indices(begin).filter(move |(at, _)| is_call(*at)).filter_map(move |(at, _)| {
        let rest = &source[at + begin.len()..];
        rest.split_once(quote).map(|(name, _)| name)
    })
}

fn quoted<'a>(source: &'a str, begin: &'a str) -> impl Iterator<Item = &'a str> {
    source.split(begin).skip(1).filter_map(|rest| rest.split_once('"')).map(|(name, _)| name)
}

/// Texts of these names: by language code, by name. What has no text in a language is left out of it.
pub fn texts(names: &IndexSet<&'static str>) -> IndexMap<&'static str, IndexMap<&'static str, &'static str>> {
    let of = |code: &'static str| {
        let text = |name: &&'static str| Some((*name, WORDS.get(*name)?.get(code)?.as_str()));
        (code, names.iter().filter_map(text).collect())
    };
    Language::ALL.map(|language| of(language.code())).into_iter().collect()
}

/// Whether this is the name of a sentence, which are in English and Chinese.
fn is_sentence(name: &str) -> bool {
    ["say_", "conclusion_", "headline_", "tell_", "note_"].iter().any(|begin| name.starts_with(begin))
}

/// A sentence: a name of the words with its values, or text of its own. It is displayed and stored in English.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Said {
    name: Option<&'static str>,
    values: Vec<(&'static str, String)>,
    text: String,
}

impl Said {
    /// The sentence of a name with its values.
    ///
    /// # Panics
    ///
    /// If the words have no such name, which a test of each sentence finds.
    pub fn new<const N: usize>(name: &'static str, values: [(&'static str, String); N]) -> Said {
        let text = english(name).unwrap_or_else(|| panic!("no words are named {name}"));
        let text = filled(text, &values);
        Said { name: Some(name), values: values.into(), text }
    }

    /// A text of data, by its name where the words have it.
    pub fn known(text: &str) -> Said {
        Said { name: cell_name(text), ..Said::from(text) }
    }

    /// Name, values and English text, for a page; invisible characters are shown as by [`for_terminal`].
    pub fn data(&self) -> Value {
        let shown = |(name, value): &(&'static str, String)| (name.to_string(), json!(for_terminal(value)));
        let values: serde_json::Map<String, Value> = self.values.iter().map(shown).collect();
        json!({ "name": self.name, "values": values, "text": for_terminal(&self.text) })
    }

    /// The English text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// A text with its values in their places. A value that is the name of a sentence is that sentence, of the same values.
fn filled(text: &str, values: &[(&'static str, String)]) -> String {
    let mut parts = text.split('{');
    let mut whole = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (name, rest) = part.split_once('}').unwrap_or(("", part));
        let value = values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value.as_str());
        match english(value) {
            Some(text) if is_sentence(value) => {
                let others = values.iter().filter(|(known, _)| *known != name).cloned().collect::<Vec<_>>();
                whole.push_str(&filled(text, &others));
            }
            _ => whole.push_str(value),
        }
        whole.push_str(rest);
    }
    whole
}

impl From<String> for Said {
    fn from(text: String) -> Said {
        Said { text, ..Said::default() }
    }
}

impl From<&str> for Said {
    fn from(text: &str) -> Said {
        Said::from(text.to_string())
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Said {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Said {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Said, D::Error> {
        String::deserialize(deserializer).map(Said::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn places(text: &str) -> BTreeSet<&str> {
        text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
    }

    #[test]
    fn every_text_is_there_in_its_languages_with_the_same_places_for_values() {
        for (name, texts) in WORDS.iter() {
            let all: Vec<&str> = Language::ALL.into_iter().map(Language::code).collect();
            let wanted = if is_sentence(name) { &["en", "zh"][..] } else { &all[..] };
            assert_eq!(texts.keys().map(String::as_str).collect::<Vec<_>>(), wanted, "{name}");
            for (code, text) in texts {
                assert!(!text.trim().is_empty(), "{name} in {code}");
                assert_eq!(places(text), places(&texts["en"]), "{name} in {code}");
            }
        }
    }

    /// Everything that asks for words.
    const SOURCES: [&str; 37] = [
        include_str!("boot.js"),
        include_str!("base.js"),
        include_str!("beside.js"),
        include_str!("export.js"),
        include_str!("shell.html"),
        include_str!("../annotate/page/start.js"),
        include_str!("../annotate/page/state.js"),
        include_str!("../annotate/page/answer.js"),
        include_str!("../annotate/page/words.js"),
        include_str!("../annotate/page/mark.js"),
        include_str!("../annotate/page/judge.js"),
        include_str!("../annotate/page/results.js"),
        include_str!("../report/page/page.html"),
        include_str!("../report/page/items.js"),
        include_str!("../report/page/item.js"),
        include_str!("../report/page/table.js"),
        include_str!("../report/page/figures.js"),
        include_str!("../report/page/start.js"),
        include_str!("../attend/view/page.html"),
        include_str!("../attend/view/numbers.js"),
        include_str!("../attend/view/inside.js"),
        include_str!("../attend/view/overview.js"),
        include_str!("../attend/view/export.js"),
        include_str!("../attend/view/list.js"),
        include_str!("../attend/view/address.js"),
        include_str!("../attend/view/query.js"),
        include_str!("../attend/view/matters.js"),
        include_str!("../attend/view/page.js"),
        include_str!("../report/page/headline.rs"),
        include_str!("../report/page/warning.rs"),
        include_str!("../report/summary.rs"),
        include_str!("../report/sheets.rs"),
        include_str!("../report/calibration.rs"),
        include_str!("../report/yardsticks.rs"),
        include_str!("../report/problems.rs"),
        include_str!("../report/mod.rs"),
        include_str!("../attend/results/conclusion.rs"),
    ];

    #[test]
    fn every_text_is_used_and_every_one_used_is_there() {
        let whole = SOURCES.concat();
        let named: BTreeSet<&str> = calls(&whole, "t(\"")
            .chain(calls(&whole, "sentence(\""))
            .chain(whole.split("Said::new(\"").skip(1).filter_map(|rest| rest.split('"').next()))
            .collect();
        let is_name = |name: &&&str| !name.is_empty() && name.chars().all(|it| it.is_ascii_lowercase() || it == '_');
        for name in named.iter().filter(is_name) {
            assert!(WORDS.contains_key(*name), "{name} has no text");
        }
        let used = used(&SOURCES);
        for name in WORDS.keys() {
            let is_used = used.contains(name.as_str()) || named.contains(name.as_str());
            // Cells and notes have their names by their text, and sentences may be values of others.
            let is_used = is_used
                || name.starts_with("cell_")
                || name.starts_with("note_")
                || whole.contains(&format!("\"{name}\""));
            assert!(is_used, "{name} is nowhere used");
        }
    }

    #[test]
    fn a_text_of_data_has_its_name() {
        let said = Said::known("AVG is the plain mean of the eight tasks.");
        assert_eq!(said.data()["name"], "note_mean_of_tasks");
        assert_eq!(Said::known("A note of a card."), Said::from("A note of a card."));
    }

    #[test]
    fn a_sentence_is_filled_once() {
        assert_eq!(filled("{a} and {b}", &[("a", "{b}".into()), ("b", "c".into())]), "{b} and c");
        let said = Said::from("of its own".to_string());
        assert_eq!((said.data()["name"].clone(), said.to_string()), (Value::Null, "of its own".to_string()));
    }
}
