//! Negations: a text that denies something is not translated by one that denies nothing.

use super::words::{of, words_of};
use super::{Check, Flag, is_unspaced};
use crate::language::Language;
use crate::make::texts::Part;

/// Longest text whose negations are compared, in characters: longer ones say the same without.
const LONGEST: usize = 120;

/// Returns the negations of a text, `firm` ones alone or all; `None` for a language without a list.
fn negations(text: &str, language: Language, firm: bool) -> Option<Vec<String>> {
    let lists = of(language).filter(|words| !words.negations.is_empty())?;
    let wanted = lists.firm.as_ref().filter(|_| firm).unwrap_or(&lists.negations);
    let found = match is_unspaced(language) {
        true => wanted.iter().filter(|entry| text.contains(entry.as_str())).cloned().collect(),
        false => {
            let is_one = |word: &str| {
                wanted.iter().any(|entry| match (entry.strip_suffix('*'), entry.strip_prefix('*')) {
                    (Some(stem), _) => word.starts_with(stem),
                    (_, Some(end)) => word.ends_with(end),
                    _ => word == entry,
                })
            };
            // French elides before a vowel: n'a.
            let parts =
                |word: String| word.split(['\'', '’']).map(str::to_string).chain([word.clone()]).collect::<Vec<_>>();
            words_of(text).into_iter().flat_map(|(word, _)| parts(word)).filter(|word| is_one(word)).collect()
        }
    };
    Some(found)
}

/// Finds a short text whose source has a negation while it has none.
pub(super) fn check(part: Part, source: &str, target: &str, from: Language, to: Language, flags: &mut Vec<Flag>) {
    if source.chars().count() > LONGEST {
        return;
    }
    let (Some(before), Some(after)) = (negations(source, from, true), negations(target, to, false)) else { return };
    if let (Some(word), true) = (before.first(), after.is_empty()) {
        flags.push(Flag::new(Check::Negation, part, word, format!("`{word}` has no counterpart")));
    }
}
