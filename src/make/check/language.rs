//! The language of a text by its script and its most frequent words, stretches left in the source language, leftovers of
//! the form, and marks of writing direction.

use std::sync::LazyLock;

use regex::Regex;

use super::words::{of, words_of};
use super::{Check, Flag, is_unspaced};
use crate::language::Language;
use crate::make::texts::Part;

/// Scripts of the languages of benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Cyrillic,
    Arabic,
    Devanagari,
    Bengali,
    /// Chinese characters, and kana in Japanese.
    Han,
    Kana,
}

fn script_of(letter: char) -> Option<Script> {
    Some(match letter {
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' => Script::Latin,
        '\u{400}'..='\u{52f}' => Script::Cyrillic,
        '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' => {
            Script::Arabic
        }
        '\u{900}'..='\u{97f}' => Script::Devanagari,
        '\u{980}'..='\u{9ff}' => Script::Bengali,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' => Script::Han,
        '\u{3040}'..='\u{30ff}' => Script::Kana,
        _ => return None,
    })
}

/// Returns the script of a language; `None` where it is not known here.
fn script(language: Language) -> Option<Script> {
    Some(match language.code() {
        "en" | "fr" | "de" | "es" | "it" | "pt" | "nl" | "pl" | "tr" | "vi" | "sv" | "da" | "id" => Script::Latin,
        "ru" | "uk" | "bg" | "sr" => Script::Cyrillic,
        "ar" | "fa" | "ur" => Script::Arabic,
        "hi" | "mr" | "ne" => Script::Devanagari,
        "bn" | "as" => Script::Bengali,
        "zh" => Script::Han,
        "ja" => Script::Kana,
        _ => return None,
    })
}

fn is_of(letter: char, script: Script) -> bool {
    match script_of(letter) {
        Some(found) => found == script || (script == Script::Kana && found == Script::Han),
        None => false,
    }
}

/// Finds a text that is not in the target language: without a letter of its script, or in a shared script with more of
/// the source's most frequent words. Whether it is in it.
pub(super) fn check(
    part: Part,
    source: &str,
    target: &str,
    from: Language,
    to: Language,
    flags: &mut Vec<Flag>,
) -> bool {
    let Some(wanted) = script(to) else { return true };
    let letters: Vec<char> = target.chars().filter(|letter| script_of(*letter).is_some()).collect();
    // A Chinese character is as much text as a few letters.
    let weight = if is_unspaced(to) { 3 } else { 1 };
    let own = weight * letters.iter().filter(|letter| is_of(**letter, wanted)).count();
    let foreign = letters.iter().filter(|letter| !is_of(**letter, wanted)).count();
    let wrong = |flags: &mut Vec<Flag>, message: String| {
        let end = target.char_indices().nth(40).map_or(target.len(), |(at, _)| at);
        flags.push(Flag::new(Check::Language, part, &target[..end], message));
        false
    };
    let mut by_script: Vec<(Script, usize)> = Vec::new();
    for letter in &letters {
        if let Some(script) = script_of(*letter) {
            match by_script.iter_mut().find(|(known, _)| *known == script) {
                Some((_, count)) => *count += 1,
                None => by_script.push((script, 1)),
            }
        }
    }
    // A name, a brand or a letter may stand as it is.
    if own < foreign && letters.len() > 3 && target.split_whitespace().count() + letters.len() / 12 > 1 {
        return wrong(flags, format!("this is not in {}", to.name()));
    }
    // Chinese characters alone are Chinese where a whole sentence has no kana.
    let kana = by_script.iter().any(|(script, _)| *script == Script::Kana);
    if (to.code() == "ja" && !kana && letters.len() > 20) || (to.code() == "zh" && kana) {
        return wrong(flags, format!("this is not in {}", to.name()));
    }
    if script(from) == Some(wanted) && from != to {
        let (Some(theirs), Some(ours)) = (of(from), of(to)) else { return true };
        let words = words_of(target);
        let count = |list: &[String]| words.iter().filter(|(word, _)| list.contains(word)).count();
        let (theirs, ours) = (count(&theirs.common), count(&ours.common));
        if theirs > ours + 1 && source.split_whitespace().count() > 3 {
            return wrong(flags, format!("this is in {}, not in {}", from.name(), to.name()));
        }
    }
    true
}

/// Fewest letters of a single word that counts as untranslated; of shorter ones it takes two in a row.
const SHORTEST_WORD: usize = 4;

/// Words that a stretch of the source in a translation of the same script must have.
const STRETCH: usize = 5;

/// Finds stretches of the source language: in another script, words that are not names; in the same one, several words
/// in a row as they stand in the source.
pub(super) fn untranslated(
    part: Part,
    source: &str,
    target: &str,
    from: Language,
    to: Language,
    flags: &mut Vec<Flag>,
) {
    let (Some(theirs), Some(ours)) = (script(from), script(to)) else { return };
    let shared = theirs == ours || (is_unspaced(from) && is_unspaced(to));
    if from == to || shared {
        if from == to || is_unspaced(to) {
            return;
        }
        let before: Vec<String> = words_of(source).into_iter().map(|(word, _)| word).collect();
        let after = words_of(target);
        let names = |at: usize| target[after[at].1.clone()].starts_with(char::is_uppercase);
        let mut at = 0;
        while at < after.len() {
            let longest = (0..before.len())
                .map(|from| before[from..].iter().zip(&after[at..]).take_while(|(one, (next, _))| *one == next).count())
                .max()
                .unwrap_or(0);
            if longest >= STRETCH && (at..at + longest).filter(|&at| !names(at)).count() >= STRETCH - 1 {
                let span = &target[after[at].1.start..after[at + longest - 1].1.end];
                flags.push(Flag::new(Check::Untranslated, part, span, format!("this is still in {}", from.name())));
            }
            at += longest.max(1);
        }
        return;
    }
    let mut stretch: Option<(std::ops::Range<usize>, usize)> = None;
    let mut close = |stretch: &mut Option<(std::ops::Range<usize>, usize)>| {
        if let Some((range, _)) = stretch.take().filter(|(_, weight)| *weight > 1) {
            let span = &target[range];
            flags.push(Flag::new(Check::Untranslated, part, span, format!("this is still in {}", from.name())));
        }
    };
    // Words of an unspaced script are its runs of letters.
    let runs: Vec<(std::ops::Range<usize>, &str)> = runs_of(target, theirs);
    let in_source = |run: &str| source.to_lowercase().contains(&run.to_lowercase());
    let mut end_before = 0;
    for (range, run) in runs {
        let between = &target[end_before..range.start];
        if between.chars().any(char::is_alphanumeric) {
            close(&mut stretch);
        }
        end_before = range.end;
        let letters = run.chars().count();
        // Names have capitals, where the script has any.
        let word = !run.contains(char::is_uppercase) || is_unspaced(from);
        let weight = match letters {
            _ if !word || !in_source(run) || letters < 2 => 0,
            _ if is_unspaced(from) || letters >= SHORTEST_WORD => 2,
            _ => 1,
        };
        stretch = Some(match stretch.take() {
            Some((begun, before)) => (begun.start..range.end, before + weight),
            None => (range, weight),
        });
    }
    close(&mut stretch);
}

fn runs_of(text: &str, script: Script) -> Vec<(std::ops::Range<usize>, &str)> {
    let mut runs = Vec::new();
    let mut start = None;
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        match (is_of(letter, script), start) {
            (true, None) => start = Some(at),
            (false, Some(begun)) => {
                runs.push((begun..at, &text[begun..at]));
                start = None;
            }
            _ => {}
        }
    }
    runs
}

static LEFTOVER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)#{3,}\s*\w*|</?(?:story|question|options?|translation)\s*\d*>|\[/?(?:story|question|options?)\]")
        .expect("an expression of this program")
});

/// Finds tags that were left in a text.
pub(super) fn leftovers(part: Part, source: &str, target: &str, flags: &mut Vec<Flag>) {
    if let Some(found) = LEFTOVER.find(target).filter(|found| !source.contains(found.as_str())) {
        flags.push(Flag::new(Check::Tag, part, found.as_str(), "a tag stands within the text"));
    }
}

/// Finds invisible marks of writing direction that the source does not have.
pub(super) fn marks(part: Part, source: &str, target: &str, flags: &mut Vec<Flag>) {
    let is_mark = |letter: char| matches!(letter, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if let Some(mark) = target.chars().find(|&letter| is_mark(letter) && !source.contains(letter)) {
        let message = format!("the invisible mark U+{:04X} may turn the order of options or brackets", mark as u32);
        flags.push(Flag::new(Check::DirectionMarks, part, &format!("U+{:04X}", mark as u32), message));
    }
}
