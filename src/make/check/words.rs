//! Word lists of the checks.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::language::Language;

/// Words of one language.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    #[serde(default)]
    pub numbers: BTreeMap<String, u64>,
    #[serde(default)]
    pub loose: BTreeMap<String, u64>,
    #[serde(default)]
    pub negations: Vec<String>,
    /// Those of the negations that a translation must have a counterpart of; all if there is no such list.
    pub firm: Option<Vec<String>>,
    #[serde(default)]
    pub common: Vec<String>,
    #[serde(default)]
    pub past: Vec<String>,
    #[serde(default)]
    pub present: Vec<String>,
}

#[derive(Deserialize)]
struct File {
    refusals: Vec<String>,
    #[serde(flatten)]
    languages: BTreeMap<String, Words>,
}

static FILE: LazyLock<File> =
    LazyLock::new(|| toml::from_str(include_str!("words.toml")).expect("the file is part of the program"));

/// Returns the words of a language, if there are any.
pub(super) fn of(language: Language) -> Option<&'static Words> {
    FILE.languages.get(language.code())
}

/// Characters at the beginning of a text in which a refusal is looked for.
const BEGINNING: usize = 80;

/// Returns the refusal at the beginning of a text, if any.
pub fn refusal(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let end = text.char_indices().nth(BEGINNING).map_or(text.len(), |(at, _)| at);
    let beginning = &text[..end];
    let plain = beginning.to_lowercase().replace('’', "'");
    // Quotes are speech of a character.
    let quoted = beginning.starts_with(['"', '“', '「', '«', '\'']);
    let found = FILE.refusals.iter().any(|refusal| plain.starts_with(refusal.as_str()));
    (found && !quoted).then_some(beginning)
}

/// Returns the words of a text with their places, in lower case.
pub(super) fn words_of(text: &str) -> Vec<(String, std::ops::Range<usize>)> {
    let mut words = Vec::new();
    let mut start = None;
    let is_part = |letter: char| letter.is_alphanumeric() || is_mark(letter);
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|&(_, next)| next);
        let joins =
            matches!(letter, '\'' | '’' | '-') && start.is_some() && next.is_some_and(|next| next.is_alphanumeric());
        match (is_part(letter) || joins, start) {
            (true, None) => start = Some(at),
            (false, Some(begun)) => {
                words.push((text[begun..at].to_lowercase(), begun..at));
                start = None;
            }
            _ => {}
        }
    }
    if let Some(begun) = start {
        words.push((text[begun..].to_lowercase(), begun..text.len()));
    }
    words
}

/// Whether a character is a mark of the letter before, as vowel signs of Indic scripts are.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{0300}'..='\u{036f}' | '\u{0610}'..='\u{061a}' | '\u{064b}'..='\u{065f}' | '\u{0900}'..='\u{0903}'
        | '\u{093a}'..='\u{094f}' | '\u{0951}'..='\u{0957}' | '\u{0962}'..='\u{0963}' | '\u{0981}'..='\u{0983}'
        | '\u{09bc}'..='\u{09cd}' | '\u{09d7}' | '\u{09e2}'..='\u{09e3}' | '\u{200c}' | '\u{200d}')
}
