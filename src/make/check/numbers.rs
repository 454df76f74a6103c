//! Numbers in digits of any script, in words, and in Chinese numerals.

use std::sync::LazyLock;

use regex::Regex;

use super::words::{of, words_of};
use super::{Check, Flag, is_unspaced};
use crate::language::Language;
use crate::make::texts::Part;

static DIGITS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\p{Nd}+(?:[,٬]\p{Nd}{3})*").expect("an expression of this program"));

static NUMERALS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("[零〇一二两三四五六七八九十百千万亿]+").expect("an expression of this program"));

/// A number in a text.
struct Number<'a> {
    value: u64,
    span: &'a str,
    /// Whether it is in digits.
    digits: bool,
}

/// First digits of the scripts that have their own.
const ZEROS: [char; 6] = ['0', '\u{0660}', '\u{06f0}', '\u{0966}', '\u{09e6}', '\u{ff10}'];

fn digit(letter: char) -> Option<u64> {
    ZEROS.iter().find_map(|&zero| (letter as u32).checked_sub(zero as u32).filter(|&value| value < 10)).map(u64::from)
}

/// Returns the numbers of a text in digits or in words; `loose` takes other forms that may stand for a number, too.
fn numbers(text: &str, language: Language, loose: bool) -> Vec<Number<'_>> {
    let mut found = Vec::new();
    for digits in DIGITS.find_iter(text) {
        let value = digits
            .as_str()
            .chars()
            .filter_map(digit)
            .try_fold(0u64, |value, digit| value.checked_mul(10)?.checked_add(digit));
        let Some(value) = value else { continue };
        let unit = match text[digits.end()..].chars().next() {
            Some('万') => 10_000,
            Some('千') => 1_000,
            Some('百') => 100,
            _ => 1,
        };
        found.push(Number { value: value.saturating_mul(unit), span: digits.as_str(), digits: true });
    }
    let Some(lists) = of(language) else { return found };
    if is_unspaced(language) {
        for numeral in NUMERALS.find_iter(text) {
            for value in values_of(numeral.as_str()) {
                found.push(Number { value, span: numeral.as_str(), digits: false });
            }
        }
        if loose {
            let of_word = |(word, &value): (&String, &u64)| {
                let at = text.find(word.as_str())?;
                Some(Number { value, span: &text[at..at + word.len()], digits: false })
            };
            found.extend(lists.loose.iter().filter_map(of_word));
        }
        return found;
    }
    let words = words_of(text);
    let value = |word: &str| {
        let known = lists.numbers.get(word).copied();
        known.or_else(|| if loose { lists.loose.get(word).copied() } else { None })
    };
    let mut row: Vec<(u64, std::ops::Range<usize>)> = Vec::new();
    for (word, range) in &words {
        // Arabic joins `and`, `by`, `for` and the article to the word.
        let plain = word.strip_prefix(['و', 'ب', 'ل', 'ف']).unwrap_or(word);
        let plain = plain.strip_prefix("ال").unwrap_or(plain);
        let parts: Vec<&str> = word.split('-').collect();
        let values: Vec<u64> = parts.iter().filter_map(|part| value(part)).collect();
        let values = match values.len() == parts.len() {
            true => values,
            // لست is `is not`, and not six with a preposition.
            false if language == Language::Ar && !lists.negations.contains(word) => value(plain).into_iter().collect(),
            false => Vec::new(),
        };
        // `two hundred and five` is one number, `two, three` are two.
        let goes_on =
            row.last().is_some_and(|(_, last)| matches!(text[last.end..range.start].trim(), "" | "and" | "et"));
        if !goes_on {
            found.extend(numbers_of(text, language, std::mem::take(&mut row)));
        }
        row.extend(values.into_iter().map(|value| (value, range.clone())));
    }
    found.extend(numbers_of(text, language, row));
    if loose && language == Language::Ar {
        // Two of a thing is a form of its own: أسبوعين is two weeks.
        let dual = |(word, _): &&(String, std::ops::Range<usize>)| {
            word.chars().count() >= SHORTEST_DUAL && (word.ends_with("ين") || word.ends_with("ان"))
        };
        let duals = words.iter().filter(dual);
        found.extend(duals.map(|(_, range)| Number { value: 2, span: &text[range.clone()], digits: false }));
    }
    found
}

/// Fewest letters of an Arabic word that may be a dual.
const SHORTEST_DUAL: usize = 5;

/// Whether a text is a number and nothing else.
pub(super) fn is_number(text: &str, language: Language) -> bool {
    numbers(text, language, false).iter().any(|number| number.span.len() == text.trim().len())
}

/// Returns the numbers of words in a row: one where they make up one, else each.
fn numbers_of(text: &str, language: Language, row: Vec<(u64, std::ops::Range<usize>)>) -> Vec<Number<'_>> {
    let (Some((_, first)), Some((_, last))) = (row.first(), row.last()) else { return Vec::new() };
    let span = &text[first.start..last.end];
    let one = |value: u64| vec![Number { value, span, digits: false }];
    let values: Vec<u64> = row.iter().map(|(value, _)| *value).collect();
    match (language.code(), &values[..]) {
        // Ones come first: خمسة عشر, خمسة وعشرون.
        ("ar", [ones @ 1..10, tens @ 10..100]) if tens % 10 == 0 => return one(tens + ones),
        ("fr", [10, ones @ 7..10]) => return one(10 + ones),
        ("fr", [60, rest @ 10..20]) => return one(60 + rest),
        ("fr", [60, 10, ones @ 7..10]) => return one(70 + ones),
        ("fr", [4, 20]) => return one(80),
        ("fr", [4, 20, rest @ 1..20]) => return one(80 + rest),
        ("fr", [4, 20, 10, ones @ 7..10]) => return one(90 + ones),
        _ => {}
    }
    match &row[..] {
        [(tens @ 20..100, _), (ones @ 1..10, _)] if tens % 10 == 0 => one(tens + ones),
        _ if row.len() > 1 && row.iter().any(|(value, _)| *value >= 100) => {
            let (mut total, mut section) = (0u64, 0u64);
            for (value, _) in &row {
                match value {
                    1_000.. => {
                        total = total.saturating_add(section.max(1).saturating_mul(*value));
                        section = 0;
                    }
                    100 => section = section.max(1).saturating_mul(100),
                    _ => section = section.saturating_add(*value),
                }
            }
            one(total.saturating_add(section))
        }
        _ => row
            .iter()
            .map(|(value, range)| Number { value: *value, span: &text[range.clone()], digits: false })
            .collect(),
    }
}

/// Returns what Chinese numerals may mean: their value, and where they stand in a row, each on its own.
fn values_of(numerals: &str) -> Vec<u64> {
    let digit = |letter: char| {
        "零一二三四五六七八九".chars().position(|known| known == letter).or(match letter {
            '〇' => Some(0),
            '两' => Some(2),
            _ => None,
        })
    };
    let (mut total, mut section, mut last) = (0u64, 0u64, None);
    let mut each = Vec::new();
    for letter in numerals.chars() {
        let unit = match letter {
            '十' => 10,
            '百' => 100,
            '千' => 1_000,
            '万' => 10_000,
            '亿' => 100_000_000,
            _ => 0,
        };
        match (unit, digit(letter)) {
            (0, Some(value)) => {
                each.push(value as u64);
                last = Some(value as u64);
            }
            (10_000.., _) => {
                total =
                    total.saturating_add(section.saturating_add(last.take().unwrap_or(0)).max(1).saturating_mul(unit));
                section = 0;
            }
            (unit, _) => section = section.saturating_add(last.take().unwrap_or(1).saturating_mul(unit)),
        }
    }
    let value = total.saturating_add(section).saturating_add(last.unwrap_or(0));
    if each.len() == numerals.chars().count() && each.len() > 1 { each } else { vec![value] }
}

/// Finds numbers of the source that the target lacks, and numbers in digits of the target that the source lacks.
pub(super) fn check(part: Part, source: &str, target: &str, from: Language, to: Language, flags: &mut Vec<Flag>) {
    let (before, after) = (numbers(source, from, false), numbers(target, to, false));
    let (before_loose, after_loose) = (numbers(source, from, true), numbers(target, to, true));
    let has = |all: &[Number<'_>], value: u64| {
        // Half of the day's hours may be counted from noon, and 10 may be written as part of a larger number.
        all.iter().any(|one| one.value == value || (one.value < 24 && value < 24 && one.value.abs_diff(value) == 12))
    };
    // Words of a language without a list cannot be found.
    let readable = |language: Language| of(language).is_some_and(|words| !words.loose.is_empty());
    for number in before.iter().filter(|number| number.digits || (readable(to) && number.value > 2)) {
        if !has(&after_loose, number.value) {
            let message = format!("the number {} of the source is missing", number.span);
            flags.push(Flag::new(Check::Number, part, number.span, message));
        }
    }
    for number in after.iter().filter(|number| number.digits) {
        if readable(from) && !has(&before_loose, number.value) {
            let message = format!("the number {} is not in the source", number.span);
            flags.push(Flag::new(Check::Number, part, number.span, message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str, language: &str) -> Vec<u64> {
        numbers(text, language.parse().unwrap(), false).into_iter().map(|number| number.value).collect()
    }

    #[test]
    fn digits_words_and_numerals_are_numbers() {
        assert_eq!(values("Twenty-five of 1,200 in two hundred days", "en"), [1200, 25, 200]);
        assert_eq!(values("six thousand five hundred and five, two, three million", "en"), [6505, 2, 3_000_000]);
        assert_eq!(values("第二十三天，两万三千五百元，12万", "zh"), [120_000, 23, 23_500, 10_000]);
        assert_eq!(values("١٢ كتابًا وثلاثة أقلام", "ar"), [12, 3]);
        assert_eq!(values("خمسة عشر صديقًا والاثنا عشر، خمسة وعشرون", "ar"), [15, 12, 25]);
        assert_eq!(
            values("quatre-vingt-dix-sept, soixante-quinze, dix-huit, vingt-cinq, deux cents", "fr"),
            [97, 75, 18, 25, 200]
        );
        assert_eq!(values("१२ और तीन", "hi"), [12, 3]);
        assert_eq!(values("9".repeat(40).as_str(), "en"), [] as [u64; 0]);
    }

    #[test]
    fn lost_and_new_numbers_are_named() {
        let spans = |source: &str, target: &str| {
            let mut flags = Vec::new();
            check(Part::Story, source, target, Language::En, Language::Zh, &mut flags);
            flags.into_iter().map(|flag| flag.span).collect::<Vec<_>>()
        };
        assert!(spans("Mia has three cups and 12 plates.", "米娅有三个杯子和12个盘子。").is_empty());
        assert!(spans("Mia has 3 cups.", "米娅有三个杯子。").is_empty());
        assert_eq!(spans("Mia has three cups.", "米娅有五个杯子。"), ["three"]);
        assert_eq!(spans("Mia has cups.", "米娅有15个杯子。"), ["15"]);
    }
}
