//! The extraction of the released ToMBench scripts: the first of `[[A]]`, `[[B]]`, `[[C]]`, `[[D]]` in this order that
//! occurs anywhere, otherwise the same with single brackets, otherwise the last capital A to D in any word, otherwise
//! A.

use super::{Kind, Outcome, Question, Reading};

/// The letters that the scripts know, regardless of the display.
const LETTERS: [char; 4] = ['A', 'B', 'C', 'D'];

pub(super) fn read(question: &Question, text: &str) -> Reading {
    if question.kind != Kind::Single {
        return Reading::without(Outcome::None);
    }
    let bracketed = |open: &str, close: &str| {
        LETTERS.iter().enumerate().find_map(|(slot, letter)| {
            let written = format!("{open}{letter}{close}");
            text.find(&written).map(|at| (slot, at, at + written.len()))
        })
    };
    let last_capital = || text.rfind(LETTERS).map(|at| (usize::from(text.as_bytes()[at] - b'A'), at, at + 1));
    let found = [
        ("released-double-brackets", bracketed("[[", "]]")),
        ("released-brackets", bracketed("[", "]")),
        ("released-last-capital", last_capital()),
    ];
    let (rule, slot, place) = match found.into_iter().find_map(|(rule, found)| Some((rule, found?))) {
        Some((rule, (slot, start, end))) => (rule, slot, Some((start, end))),
        None => ("released-fallback", 0, None),
    };
    // A letter that was not displayed is not an option: the scripts count it as wrong.
    let (outcome, slots) = match slot < question.slots() {
        true => (Outcome::Answer, vec![slot]),
        false => (Outcome::None, Vec::new()),
    };
    let (start, end) = place.unzip();
    Reading { outcome, slots, rule: Some(rule.to_string()), start, end }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    fn check(text: &str, slots: usize, expected: Option<usize>, rule: &str) {
        let options: Vec<String> = (0..slots).map(|slot| format!("option {slot}")).collect();
        let question =
            Question { language: Language::En, kind: Kind::Single, labels: &[], options: &options, count: 1 };
        let reading = read(&question, text);
        assert_eq!((reading.slots, reading.rule.as_deref()), (expected.into_iter().collect(), Some(rule)), "{text}");
    }

    #[test]
    fn the_first_letter_of_the_alphabet_in_brackets_wins_then_the_last_capital_and_at_last_a() {
        check("[[C]], no, [[B]]", 4, Some(1), "released-double-brackets");
        check("[D] or [C]", 4, Some(2), "released-brackets");
        check("Because of Dora, C.", 4, Some(2), "released-last-capital");
        check("the blue tin", 4, Some(0), "released-fallback");
        check("[[D]]", 2, None, "released-double-brackets");
    }
}
