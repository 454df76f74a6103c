//! Lettered choices: option labels inside option texts, answer letters, repeated options.

use super::{Flag, OptionIx};
use crate::name::option_letter;

/// Strip the labels from option texts.
///
/// A label is the option's own capital letter followed by a full stop, a colon, an ideographic comma or a closing
/// bracket (half or full width), with white space around. Labels are stripped only when *every* option has its own:
/// "A. Smith" among unlabelled options stays, and so do "Angry", "Brave" and "Calm".
/// White space at either end of an option is always dropped, because an option is shown on a line of its own and its
/// text may be scored verbatim; inner white space is kept.
///
/// Returns the texts and whether labels were stripped.
pub(super) fn strip_labels(options: &[&str]) -> (Vec<String>, bool) {
    let bare: Option<Vec<String>> = options
        .iter()
        .enumerate()
        .map(|(at, text)| without_label(text, &option_letter(at)).map(str::to_string))
        .collect();
    match bare {
        Some(bare) if !bare.is_empty() => (bare, true),
        _ => (options.iter().map(|text| text.trim().to_string()).collect(), false),
    }
}

/// The text after this letter's label; `None` without such a label or without text after it.
pub(super) fn without_label<'a>(text: &'a str, letter: &str) -> Option<&'a str> {
    let rest = text.trim().strip_prefix(letter)?.trim_start();
    let rest = rest.strip_prefix(['.', ':', ')', '．', '：', '、', '）'])?.trim_start();
    (!rest.is_empty()).then_some(rest)
}

/// A parsed answer cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AnswerLetter {
    pub option: OptionIx,
    /// Whether the cell holds exactly the letter; otherwise white space, a full stop or a colon was ignored.
    pub exact: bool,
}

/// Read an answer letter, by itself or followed by a full stop or colon. `None` for anything else.
pub(super) fn answer_letter(cell: &str) -> Option<AnswerLetter> {
    let bare = cell.trim().trim_end_matches(['.', ':']);
    let mut characters = bare.chars();
    match (characters.next(), characters.next()) {
        (Some(letter @ 'A'..='Z'), None) => {
            Some(AnswerLetter { option: OptionIx(usize::from(letter as u8 - b'A')), exact: cell == bare })
        }
        _ => None,
    }
}

/// A flag for options with identical texts.
pub(super) fn duplicate_options(options: &[String]) -> Option<Flag> {
    let (first, second) = (0..options.len())
        .flat_map(|first| (first + 1..options.len()).map(move |second| (first, second)))
        .find(|&(first, second)| options[first] == options[second])?;
    Some(Flag {
        name: "duplicate-options".into(),
        detail: format!("options {} and {} have the same text; answers are kept by position", first + 1, second + 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(options: &[&str], expected: &[&str], labelled: bool) {
        let (bare, stripped) = strip_labels(options);
        assert_eq!((bare, stripped), (expected.iter().map(|text| text.to_string()).collect(), labelled));
    }

    #[test]
    fn labels_come_off_only_where_all_options_have_them() {
        check(&["A. red", "B. blue"], &["red", "blue"], true);
        check(&["A.red", " B: blue ", "C：绿", "D、 黄"], &["red", "blue", "绿", "黄"], true);
        check(&["A. Smith", "Brown"], &["A. Smith", "Brown"], false);
        check(&["Angry", "Brave", "Calm"], &["Angry", "Brave", "Calm"], false);
        check(&["A box", "B side"], &["A box", "B side"], false);
        check(&["B. red", "A. blue"], &["B. red", "A. blue"], false);
        check(&["A.", "B. blue"], &["A.", "B. blue"], false);
        check(&["one \n two ", "\tthree"], &["one \n two", "three"], false);
    }

    #[test]
    fn answers_are_letters() {
        assert_eq!(answer_letter("C"), Some(AnswerLetter { option: OptionIx(2), exact: true }));
        assert_eq!(answer_letter("A. "), Some(AnswerLetter { option: OptionIx(0), exact: false }));
        for text in ["", "AB", "a", "1", "Red"] {
            assert_eq!(answer_letter(text), None, "{text}");
        }
    }

    #[test]
    fn repeated_options_are_flagged() {
        let texts = |options: &[&str]| options.iter().map(|text| text.to_string()).collect::<Vec<_>>();
        assert!(duplicate_options(&texts(&["a", "b", "a"])).unwrap().detail.contains("1 and 3"));
        assert_eq!(duplicate_options(&texts(&["a", "b", "A"])), None);
    }
}
