//! Keywords marked by people, from a JSON file.
//!
//! ```json
//! {
//!   "format": "tomeval-human-keywords/1",
//!   "items": [
//!     {
//!       "id": "demo/3/en",
//!       "readers": [{"name": "reader 1", "keywords": ["red box", "Anna", "left"], "read_to": "Anna left.",
//!                    "roles": {"believed": ["red box"], "actual": ["basket"], "agent": ["Anna"]}}]
//!     }
//!   ]
//! }
//! ```
//!
//! Keywords stand in order of importance and are written as in the story; a phrase counts as its words. `read_to` is
//! optional: the last words of the story the reader needed in order to be sure of the answer. `roles` is optional too: words or
//! phrases, as the story writes them, by what they are ([`Role`]); they take the place of roles that no benchmark tracks.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde::Deserialize;

use super::keywords::{self, KeywordOptions};
use super::{AnnotatedPrompt, WordIx};
use crate::benchmark::Role;
use crate::plain::in_words;
use crate::segment::segment_names;

const FORMAT: &str = "tomeval-human-keywords/1";

/// A file of human keywords, by item id.
#[derive(Debug, Clone, PartialEq)]
pub struct HumanKeywords {
    items: IndexMap<String, Vec<Reader>>,
}

/// What one person marked in one item.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reader {
    /// Who, for instance `author`; shown beside the model.
    pub name: String,
    /// Words and phrases, most important first.
    pub keywords: Vec<String>,
    /// The last words read before the answer was certain.
    #[serde(default)]
    pub read_to: Option<String>,
    /// Words and phrases by the role they play, as they stand in the text.
    #[serde(default)]
    pub roles: IndexMap<Role, Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    items: Vec<FileItem>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileItem {
    id: String,
    readers: Vec<Reader>,
}

/// A file of human keywords that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HumanError {
    /// The file cannot be read.
    #[error("{path}: cannot be read: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason given by the system.
        source: std::io::Error,
    },
    /// It is not JSON of the documented shape.
    #[error("{}: not a keyword file: {}", path.display(), in_words(source))]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
    /// It is of another format or version.
    #[error("{path}: `format` is `{found}`, expected `{FORMAT}`")]
    Format {
        /// The file.
        path: PathBuf,
        /// What the file says.
        found: String,
    },
}

impl HumanKeywords {
    /// The built-in file for the demo inventory.
    pub fn demo() -> Self {
        let text = include_str!("../../datasets/demo/keywords.json");
        HumanKeywords::parse(Path::new("datasets/demo/keywords.json"), text).expect("a test parses the built-in file")
    }

    /// Read a file.
    pub fn read(path: &Path) -> Result<Self, HumanError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| HumanError::Unreadable { path: path.to_path_buf(), source })?;
        HumanKeywords::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, HumanError> {
        let file: File = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|source| HumanError::Malformed { path: path.to_path_buf(), source })?;
        if file.format != FORMAT {
            return Err(HumanError::Format { path: path.to_path_buf(), found: file.format });
        }
        let mut items: IndexMap<String, Vec<Reader>> = IndexMap::new();
        for item in file.items {
            items.entry(item.id).or_default().extend(item.readers);
        }
        Ok(HumanKeywords { items })
    }

    /// What people marked in an item; empty when nobody did.
    pub fn readers(&self, item: &str) -> &[Reader] {
        self.items.get(item).map_or(&[], Vec::as_slice)
    }
}

/// A reader's marks in the words of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Marks {
    /// Keys of the marked words (see [`keywords::key`]), most important first, each once.
    pub keys: Vec<String>,
    /// Every occurrence of a marked word in scope.
    pub words: Vec<WordIx>,
    /// Marked words that do not occur in scope.
    pub missing: Vec<String>,
    /// How far into the scope half of the marked occurrences lie, as for a model.
    pub half_way: Option<f64>,
    /// How far into the scope the reader had to read, from 0 to 1.
    pub read_to: Option<f64>,
}

impl Reader {
    /// Find the marked words among those that compete for a model's attention.
    pub fn marks(&self, prompt: &AnnotatedPrompt, options: KeywordOptions) -> Marks {
        let counted = keywords::candidates(prompt, options);
        let in_text: Vec<String> = counted.iter().map(|&word| keywords::key(prompt.word_text(word))).collect();
        let (mut keys, mut missing): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for phrase in &self.keywords {
            for range in segment_names(phrase, prompt.language()) {
                let word = &phrase[range];
                if !word.chars().any(char::is_alphanumeric) {
                    continue;
                }
                let key = keywords::key(word);
                let list = if in_text.contains(&key) { &mut keys } else { &mut missing };
                if !list.contains(&key) {
                    list.push(key);
                }
            }
        }
        let marked: Vec<bool> = in_text.iter().map(|key| keys.contains(key)).collect();
        let words = counted.iter().zip(&marked).filter(|(_, marked)| **marked).map(|(word, _)| *word).collect();
        let even: Vec<f64> = marked.iter().map(|&marked| f64::from(u8::from(marked))).collect();
        let read_to = self.read_to.as_deref().and_then(|quote| {
            let start = prompt.parts().iter().filter(|part| options.scope.holds(part.kind)).find_map(|part| {
                prompt.text()[part.range.clone()].find(quote.trim()).map(|at| part.range.start + at)
            })?;
            let end = start + quote.trim().len();
            let before = counted.iter().filter(|word| prompt.words()[word.0].range.start < end).count();
            Some(before as f64 / counted.len().max(1) as f64)
        });
        Marks { keys, words, missing, half_way: keywords::half_way(&even), read_to }
    }
}

#[cfg(test)]
mod tests {
    use super::super::annotated::tests::{STORY, prompt};
    use super::*;
    use crate::attend::PartKind;
    use crate::language::Language;

    fn reader(keywords: &[&str], read_to: Option<&str>) -> Reader {
        Reader {
            name: "author".into(),
            keywords: keywords.iter().map(|word| word.to_string()).collect(),
            read_to: read_to.map(String::from),
            roles: IndexMap::new(),
        }
    }

    #[test]
    fn phrases_count_as_their_words_and_absent_words_are_told() {
        let text = "Ann put tea in the red box. Ann left. Bob came.";
        let prompt = prompt(&[(STORY, text), (PartKind::Question, "Cup?")], &[text.len() + 4], Language::En);
        let marks = reader(&["red box", "ann", "cup"], Some("Ann left.")).marks(&prompt, KeywordOptions::default());
        assert_eq!(marks.keys, ["red", "box", "ann"]);
        assert_eq!(marks.missing, ["cup"]);
        assert_eq!(marks.words.len(), 4);
        assert_eq!(marks.read_to, Some(9.0 / 11.0));
        // Marked: words 0, 5, 6, 7 of 11; half the weight ends with word 5.
        assert_eq!(marks.half_way, Some(6.0 / 11.0));
    }

    #[test]
    fn chinese_phrases_are_cut_like_the_story() {
        let text = "小明把苹果放进抽屉。";
        let prompt = prompt(&[(STORY, text)], &[text.len()], Language::Zh);
        let marks = reader(&["苹果放进抽屉"], None).marks(&prompt, KeywordOptions::default());
        assert_eq!(marks.keys, ["苹果", "放进", "抽屉"]);
    }

    #[test]
    fn the_demo_inventory_has_readers() {
        let demo = HumanKeywords::demo();
        assert!(demo.items.len() > 60);
        assert!(demo.items.values().flatten().all(|reader| !reader.keywords.is_empty()));
    }

    #[test]
    fn files_of_another_format_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.json");
        let write = |text: &str| std::fs::write(&path, text).unwrap();
        write(
            r#"{"format": "tomeval-human-keywords/1", "items": [{"id": "a", "readers": [{"name": "r", "keywords": ["x"]}]}]}"#,
        );
        let file = HumanKeywords::read(&path).unwrap();
        assert_eq!(file.readers("a")[0].keywords, ["x"]);
        assert!(file.readers("b").is_empty());
        write(
            r#"{"format": "tomeval-human-keywords/1", "items": [{"id": "a", "readers": [{"name": "r", "keywords": [],
            "roles": {"believed": ["red box"], "agent": ["Ann"]}}]}]}"#,
        );
        assert_eq!(HumanKeywords::read(&path).unwrap().readers("a")[0].roles[&Role::Believed], ["red box"]);
        write(
            r#"{"format": "tomeval-human-keywords/1", "items": [{"id": "a", "readers": [{"name": "r", "keywords": [],
            "roles": {"victim": ["Ann"]}}]}]}"#,
        );
        let told = HumanKeywords::read(&path).unwrap_err().to_string();
        assert!(told.contains("victim") && told.contains("believed"), "{told}");
        write(r#"{"format": "other/1", "items": []}"#);
        assert!(matches!(HumanKeywords::read(&path), Err(HumanError::Format { .. })));
        write(r#"{"format": "tomeval-human-keywords/1", "items": [{"id": "a", "reader": []}]}"#);
        assert!(HumanKeywords::read(&path).unwrap_err().to_string().contains("reader"));
    }
}
