//! Human keyword annotations, from a JSON file or from an export of a `tomeval annotate mark` page.
//!
//! ```json
//! {
//!   "format": "tomeval-human-keywords/2",
//!   "items": [
//!     {
//!       "id": "demo/3/en",
//!       "readers": [{
//!         "name": "reader 1",
//!         "keywords": ["red box", {"text": "left", "part": "story", "occurrence": 2}],
//!         "read_to": "Anna left.",
//!         "roles": {"believed": ["red box"], "actual": ["basket"], "agent": ["Anna"]}
//!       }]
//!     }
//!   ]
//! }
//! ```
//!
//! Keywords are in order of importance and spelled as in the story. A keyword with a place marks that place only: the
//! exact text, the kind of text (`story`, `dialogue`, ..., `question`), and which occurrence of exactly these
//! characters it is, counted from 1. A keyword without a place marks every place where its words occur in sequence, in
//! any case. `read_to` is optional: the last words of the story that the reader needed to be sure of the answer;
//! without a place, their first occurrence. `roles` is optional too: words or phrases, spelled as in the story, by role
//! ([`Role`]); they are used for benchmarks that do not track roles. Files of version 1 have no places.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde::Deserialize;

use super::Scope;
use super::keywords::{self, KeywordOptions};
use crate::annotate::{Export, ExportError, Place, is_export};
use crate::attend::prompts::{AnnotatedPrompt, WordIx, WordKind};
use crate::benchmark::Role;
use crate::parse_error::in_words;
use crate::segment::segment_names;

const FORMATS: [&str; 2] = ["tomeval-human-keywords/2", "tomeval-human-keywords/1"];

/// Human keywords, by item id.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HumanKeywords {
    items: IndexMap<String, Vec<Reader>>,
}

/// One person's annotations of one item. Its `Debug` output is hashed in manifests of `attend --out`, so renaming a
/// field would invalidate existing folders.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Reader {
    /// Name of the reader, for instance `author`; shown beside the model.
    pub name: String,
    /// Words and phrases, most important first.
    pub keywords: Vec<Mark>,
    /// The last words read before the answer was certain.
    #[serde(default)]
    pub read_to: Option<Mark>,
    /// Words and phrases by role, spelled as in the text.
    #[serde(default)]
    pub roles: IndexMap<Role, Vec<String>>,
}

/// Marked words.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "a text, or a text with `part` and `occurrence`")]
pub enum Mark {
    /// All occurrences.
    Anywhere(String),
    /// One place.
    At(Place),
}

impl Mark {
    /// The words.
    pub fn text(&self) -> &str {
        match self {
            Mark::Anywhere(text) => text,
            Mark::At(place) => &place.text,
        }
    }
}

impl From<&str> for Mark {
    fn from(text: &str) -> Self {
        Mark::Anywhere(text.to_string())
    }
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HumanFile {
    /// Name and version, `tomeval-human-keywords/2`; files of version 1, without places, are still read.
    format: String,
    /// The canary line; see the end of this page. Files without it are read.
    #[serde(default, rename = "canary")]
    _canary: String,
    /// Annotated items.
    items: Vec<FileItem>,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FileItem {
    /// An item.
    id: String,
    /// Its readers.
    readers: Vec<Reader>,
}

/// A file of human keywords that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HumanError {
    /// The file cannot be read.
    #[error("{path}: cannot be read: {source}")]
    Unreadable {
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// It is not JSON of the documented shape.
    #[error("{}: not a keyword file: {}", path.display(), in_words(source))]
    Malformed {
        path: PathBuf,
        /// Position and reason.
        source: serde_json::Error,
    },
    /// The file has another format or version.
    #[error("{path}: `format` is `{found}`, expected `{}`", FORMATS[0])]
    Format {
        path: PathBuf,
        /// The format named in the file.
        found: String,
    },
    /// An export that was altered after the page wrote it.
    #[error("{}: {source}", path.display())]
    Export {
        path: PathBuf,
        /// The line, and the error.
        source: ExportError,
    },
    /// An export of another annotation mode.
    #[error(
        "{}: an export of `tomeval annotate {mode}`, which contains no marks; pass an export of `annotate mark`",
        path.display()
    )]
    NoMarks {
        path: PathBuf,
        /// The mode of the export.
        mode: &'static str,
    },
}

impl HumanKeywords {
    /// The built-in file for the demo inventory.
    pub fn demo() -> Self {
        let text = include_str!("../../../datasets/demo/keywords.json");
        HumanKeywords::parse(Path::new("datasets/demo/keywords.json"), text).expect("a test parses the built-in file")
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, HumanError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| HumanError::Unreadable { path: path.to_path_buf(), source })?;
        match is_export(&text) {
            true => HumanKeywords::exported(path, &text),
            false => HumanKeywords::parse(path, &text),
        }
    }

    fn parse(path: &Path, text: &str) -> Result<Self, HumanError> {
        let file: HumanFile = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|source| HumanError::Malformed { path: path.to_path_buf(), source })?;
        if !FORMATS.contains(&file.format.as_str()) {
            return Err(HumanError::Format { path: path.to_path_buf(), found: file.format });
        }
        let mut items: IndexMap<String, Vec<Reader>> = IndexMap::new();
        for item in file.items {
            items.entry(item.id).or_default().extend(item.readers);
        }
        Ok(HumanKeywords { items })
    }

    fn exported(path: &Path, text: &str) -> Result<Self, HumanError> {
        let export = Export::read(text).map_err(|source| HumanError::Export { path: path.to_path_buf(), source })?;
        let mode = export.header.mode.name();
        let marks = export.marks().ok_or_else(|| HumanError::NoMarks { path: path.to_path_buf(), mode })?;
        let mut items: IndexMap<String, Vec<Reader>> = IndexMap::new();
        for record in marks.iter().filter(|record| !record.unknown) {
            items.entry(record.id.clone()).or_default().push(Reader {
                name: record.rater.to_string(),
                keywords: record.keywords.iter().cloned().map(Mark::At).collect(),
                read_to: record.read_to.clone().map(Mark::At),
                roles: IndexMap::new(),
            });
        }
        Ok(HumanKeywords { items })
    }

    /// Adds the readers of another file.
    pub fn append(&mut self, other: HumanKeywords) {
        for (id, readers) in other.items {
            self.items.entry(id).or_default().extend(readers);
        }
    }

    /// Readers of an item; empty if none.
    pub fn readers(&self, item: &str) -> &[Reader] {
        self.items.get(item).map_or(&[], Vec::as_slice)
    }

    /// Ids of the annotated items.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.items.keys().map(String::as_str)
    }
}

/// A reader's marks in the words of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Marks {
    /// Keys of the marked words (see [`keywords::key`]), most important first, each once.
    pub keys: Vec<String>,
    /// The occurrences marked in scope.
    pub words: Vec<WordIx>,
    /// Marked words and phrases that do not occur in scope.
    pub missing: Vec<String>,
    /// Position in the scope at which half of the marked occurrences are reached, as for a model.
    pub half_way: Option<f64>,
    /// Position in the scope up to which the reader had to read, from 0 to 1.
    pub read_to: Option<f64>,
    /// The last words read, if they do not occur in scope.
    pub read_to_missing: Option<String>,
}

impl Reader {
    /// Finds the marked words among those that are ranked for a model.
    pub fn marks(&self, prompt: &AnnotatedPrompt, options: KeywordOptions) -> Marks {
        let counted = keywords::candidates(prompt, options);
        let competes: HashSet<WordIx> = counted.iter().copied().collect();
        let text = Text::new(prompt, options.scope);
        let (mut keys, mut missing): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        let mut marked: HashSet<WordIx> = HashSet::new();
        for mark in &self.keywords {
            let found: Vec<WordIx> = text.find(mark).into_iter().flatten().filter(|it| competes.contains(it)).collect();
            if found.is_empty() && !missing.iter().any(|known| known == mark.text()) {
                missing.push(mark.text().to_string());
            }
            for word in found {
                marked.insert(word);
                let key = keywords::key(prompt.word_text(word));
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
        let even: Vec<f64> = counted.iter().map(|word| f64::from(u8::from(marked.contains(word)))).collect();
        let last =
            self.read_to.as_ref().map(|mark| text.find(mark).into_iter().next().and_then(|run| run.last().copied()));
        let read_to = last.flatten().map(|last| {
            let before = counted.iter().filter(|&&word| word <= last).count();
            before as f64 / counted.len().max(1) as f64
        });
        let unread = self.read_to.as_ref().filter(|_| read_to.is_none());
        Marks {
            keys,
            words: counted.iter().copied().filter(|word| marked.contains(word)).collect(),
            missing,
            half_way: keywords::half_way(&even),
            read_to,
            read_to_missing: unread.map(|mark| mark.text().to_string()),
        }
    }
}

/// The parts of a prompt in scope, with their words.
struct Text<'a> {
    prompt: &'a AnnotatedPrompt,
    /// Kind, bytes and words of each part.
    parts: Vec<(String, Range<usize>, Vec<WordIx>)>,
}

impl<'a> Text<'a> {
    fn new(prompt: &'a AnnotatedPrompt, scope: Scope) -> Self {
        let words = prompt.words();
        let of_part = |part: usize| {
            let is = |word: &WordIx| words[word.0].part == Some(part) && words[word.0].kind == WordKind::Word;
            (0..words.len()).map(WordIx).filter(is).collect()
        };
        let held = prompt.parts().iter().enumerate().filter(|(_, part)| scope.holds(part.kind));
        let parts = held.map(|(number, part)| (part.kind.name(), part.range.clone(), of_part(number))).collect();
        Text { prompt, parts }
    }

    /// Words of each place that a mark names, in text order.
    fn find(&self, mark: &Mark) -> Vec<Vec<WordIx>> {
        match mark {
            Mark::At(place) => {
                let parts = self.parts.iter().filter(|(kind, ..)| *kind == place.part);
                let all = parts.flat_map(|part| places(self.whole(&part.1), &place.text).map(move |at| (part, at)));
                let found = all.skip(place.occurrence.saturating_sub(1)).take(usize::from(place.occurrence > 0));
                found.map(|(part, at)| self.overlapped(part, at, place.text.len())).collect()
            }
            Mark::Anywhere(phrase) => {
                let runs: Vec<Vec<WordIx>> = self.parts.iter().flat_map(|part| self.runs(part, phrase)).collect();
                if !runs.is_empty() {
                    return runs;
                }
                // The phrase alone may be cut into different words than within the story.
                let quote = phrase.trim();
                let parts = self.parts.iter();
                let all = parts.flat_map(|part| places(self.whole(&part.1), quote).map(move |at| (part, at)));
                all.map(|(part, at)| self.overlapped(part, at, quote.len())).collect()
            }
        }
    }

    fn whole(&self, range: &Range<usize>) -> &'a str {
        &self.prompt.text()[range.clone()]
    }

    /// Sequences of words in a part that match the words of the phrase.
    fn runs(&self, (_, _, words): &(String, Range<usize>, Vec<WordIx>), phrase: &str) -> Vec<Vec<WordIx>> {
        let pieces = segment_names(phrase, self.prompt.language()).into_iter().map(|range| &phrase[range]);
        let wanted: Vec<String> =
            pieces.filter(|piece| piece.chars().any(char::is_alphanumeric)).map(keywords::key).collect();
        if wanted.is_empty() {
            return Vec::new();
        }
        let is = |run: &&[WordIx]| {
            run.iter().zip(&wanted).all(|(word, wanted)| keywords::key(self.prompt.word_text(*word)) == *wanted)
        };
        words.windows(wanted.len()).filter(is).map(<[WordIx]>::to_vec).collect()
    }

    /// Words of a part that overlap a range of its text.
    fn overlapped(
        &self,
        (_, range, words): &(String, Range<usize>, Vec<WordIx>),
        at: usize,
        bytes: usize,
    ) -> Vec<WordIx> {
        let (start, end) = (range.start + at, range.start + at + bytes);
        let touches = |word: &&WordIx| {
            let own = &self.prompt.words()[word.0].range;
            own.start < end && own.end > start
        };
        words.iter().filter(touches).copied().collect()
    }
}

/// Every occurrence of a text within another, including overlapping ones.
fn places<'a>(whole: &'a str, text: &'a str) -> impl Iterator<Item = usize> + 'a {
    let fits = move |at: &usize| !text.is_empty() && whole[*at..].starts_with(text);
    whole.char_indices().map(|(at, _)| at).filter(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attend::prompts::PartKind;
    use crate::attend::prompts::annotated::tests::{STORY, prompt};
    use crate::language::Language;

    fn reader(keywords: &[&str], read_to: Option<&str>) -> Reader {
        Reader {
            name: "author".into(),
            keywords: keywords.iter().map(|word| Mark::from(*word)).collect(),
            read_to: read_to.map(Mark::from),
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
    fn a_mark_with_its_place_marks_that_place_alone() {
        let text = "Ann put tea in the red box. Ann left. The box was left.";
        let prompt = prompt(&[(STORY, text), (PartKind::Question, "Which box?")], &[text.len() + 10], Language::En);
        let at = |text: &str, part: &str, occurrence: usize| {
            Mark::At(Place { text: text.into(), part: part.into(), occurrence, words: None })
        };
        let marks = |keywords: Vec<Mark>, read_to: Option<Mark>| {
            Reader { name: "p1".into(), keywords, read_to, roles: IndexMap::new() }
                .marks(&prompt, KeywordOptions::default())
        };
        // Words: Ann put tea in the red box Ann left The box was left.
        let found = marks(vec![at("left", "story", 2), at("box", "story", 1)], Some(at("box", "story", 2)));
        let words: Vec<&str> = found.words.iter().map(|word| prompt.word_text(*word)).collect();
        assert_eq!((words, found.keys), (vec!["box", "left"], vec!["left".to_string(), "box".to_string()]));
        assert_eq!(found.read_to, Some(11.0 / 13.0));
        // Half of two marks is reached at the first of them, the seventh of 13 words.
        assert_eq!(found.half_way, Some(7.0 / 13.0));
        let absent = marks(vec![at("box", "story", 3), at("box", "question", 1), at("left", "story", 0)], None);
        assert_eq!((absent.words.len(), absent.missing), (0, vec!["box".to_string(), "left".to_string()]));
    }

    #[test]
    fn phrases_mark_their_words_only_where_these_follow_one_another() {
        let text = "Ann has a red box and a red hat.";
        let prompt = prompt(&[(STORY, text)], &[text.len()], Language::En);
        let marks = reader(&["RED box", "blue hat"], Some("ann HAS a")).marks(&prompt, KeywordOptions::default());
        assert_eq!((marks.words.len(), marks.keys), (2, vec!["red".to_string(), "box".to_string()]));
        assert_eq!((marks.missing, marks.read_to), (vec!["blue hat".to_string()], Some(3.0 / 9.0)));
        let unread = reader(&["hat"], Some("Bob left")).marks(&prompt, KeywordOptions::default());
        assert_eq!((unread.read_to, unread.read_to_missing.as_deref()), (None, Some("Bob left")));
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
        assert_eq!(file.readers("a")[0].keywords, [Mark::from("x")]);
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
        let rendered = HumanKeywords::read(&path).unwrap_err().to_string();
        assert!(rendered.contains("victim") && rendered.contains("believed"), "{rendered}");
        write(r#"{"format": "other/1", "items": []}"#);
        assert!(matches!(HumanKeywords::read(&path), Err(HumanError::Format { .. })));
        write(r#"{"format": "tomeval-human-keywords/1", "items": [{"id": "a", "reader": []}]}"#);
        assert!(HumanKeywords::read(&path).unwrap_err().to_string().contains("reader"));
    }
}
