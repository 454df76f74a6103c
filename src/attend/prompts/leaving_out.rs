//! Leaves words out of a text so that it still reads as a text: no doubled white space, no unmatched closing marks, no
//! sentences of marks alone, and a capital where a sentence now starts with another word.
//!
//! Only text beside a gap is repaired, and only marks in a part that lost words.

use std::iter::Peekable;
use std::ops::Range;
use std::slice::Iter;

use super::word::{Word, WordKind};

/// Role of a punctuation mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// Divides a sentence: comma, semicolon, colon.
    Divider,
    /// Ends a sentence.
    End,
    /// Opens quotes or brackets.
    Opening,
    /// Closes them.
    Closing,
    /// Anything else, words included.
    Other,
}

impl Sign {
    fn from_piece(piece: &str) -> Sign {
        let all = |signs: &str| piece.chars().all(|character| signs.contains(character));
        match piece {
            _ if all(",;:\u{2013}\u{2014}、，；：،؛") => Sign::Divider,
            _ if all(".!?…。！？؟।") => Sign::End,
            _ if all("([{«“‘„「『《（【") => Sign::Opening,
            _ if all(")]}»”’」』》）】") => Sign::Closing,
            _ => Sign::Other,
        }
    }
}

/// A piece that is kept.
struct Kept {
    range: Range<usize>,
    part: Option<usize>,
    sign: Sign,
    is_space: bool,
    /// Whether its first letter becomes a capital.
    raised: bool,
}

/// The text of `words`, which tile it, without the words marked as `gone`.
pub fn leaving_out(text: &str, words: &[Word], gone: &[bool]) -> String {
    let mut kept: Vec<Kept> = Vec::with_capacity(words.len());
    let mut pieces = words.iter().zip(gone).peekable();
    while let Some((word, &is_gone)) = pieces.next() {
        match is_gone {
            true => mend(text, &mut kept, word, &mut pieces),
            false => kept.push(piece(text, word)),
        }
    }
    let mut out = String::with_capacity(text.len());
    for piece in &kept {
        let piece_text = &text[piece.range.clone()];
        let mut characters = piece_text.chars();
        match characters.next().filter(|_| piece.raised) {
            Some(first) => out.extend(first.to_uppercase().chain(characters)),
            None => out.push_str(piece_text),
        }
    }
    out
}

/// A straight quote opens if text follows and none precedes.
fn straight_quote(text: &str, range: &Range<usize>) -> Sign {
    let before = text[..range.start].chars().next_back();
    let after = text[range.end..].chars().next();
    let free = before.is_none_or(|before| {
        before.is_whitespace() || Sign::from_piece(before.encode_utf8(&mut [0; 4])) == Sign::Opening
    });
    if free && after.is_some_and(|after| !after.is_whitespace()) { Sign::Opening } else { Sign::Closing }
}

fn piece(text: &str, word: &Word) -> Kept {
    let inside = &text[word.range.clone()];
    let sign = match word.kind {
        WordKind::Mark if inside == "\"" => straight_quote(text, &word.range),
        WordKind::Mark => Sign::from_piece(inside),
        _ => Sign::Other,
    };
    let (range, part) = (word.range.clone(), word.part);
    Kept { range, part, sign, is_space: word.kind == WordKind::Space, raised: false }
}

/// Closes the gap that starts with a removed word, up to and including the next kept piece that is not white space.
fn mend<'a>(
    text: &str,
    kept: &mut Vec<Kept>,
    first: &'a Word,
    pieces: &mut Peekable<std::iter::Zip<Iter<'a, Word>, Iter<'_, bool>>>,
) {
    let part = first.part;
    // White space before and within the gap.
    let mut spaces: Vec<Range<usize>> = Vec::new();
    let take_spaces = |kept: &mut Vec<Kept>, spaces: &mut Vec<Range<usize>>| {
        while let Some(space) = kept.pop_if(|last| last.is_space) {
            spaces.insert(0, space.range);
        }
    };
    take_spaces(kept, &mut spaces);
    let before_gap = spaces.len();
    // The start of a line counts as the start of a part.
    let on_the_left = |kept: &[Kept], spaces: &[Range<usize>]| {
        let breaks = spaces.iter().any(|space| text[space.clone()].contains('\n'));
        kept.last().filter(|left| left.part == part && !breaks).map(|left| left.sign)
    };
    let begins = matches!(on_the_left(kept, &spaces), None | Some(Sign::End));
    let capital = begins && text[first.range.clone()].starts_with(char::is_uppercase);
    let mut own_space = None;
    let next = loop {
        let Some((word, &is_gone)) = pieces.next() else {
            if kept.last().is_some_and(|left| left.part == part && left.sign == Sign::Divider) {
                kept.pop();
            }
            break None;
        };
        if is_gone {
            own_space = None;
        } else if word.kind == WordKind::Space {
            spaces.push(word.range.clone());
            own_space = Some(word.range.clone());
        } else {
            let right = piece(text, word);
            let beside = right.part == part;
            let left = on_the_left(kept, &spaces);
            match (left, right.sign) {
                // The part now ends with a divider.
                (Some(Sign::Divider), _) if !beside => {
                    kept.pop();
                    take_spaces(kept, &mut spaces);
                }
                (Some(Sign::Divider), Sign::End | Sign::Closing) => {
                    kept.pop();
                    take_spaces(kept, &mut spaces);
                    // The new left neighbour may make this mark redundant too.
                    if matches!(on_the_left(kept, &spaces), None | Some(Sign::End)) && right.sign == Sign::End {
                        own_space = None;
                        continue;
                    }
                }
                (None | Some(Sign::Divider | Sign::End | Sign::Opening), Sign::Divider) if beside => {
                    own_space = None;
                    continue;
                }
                (None | Some(Sign::End | Sign::Opening), Sign::End) if beside => {
                    own_space = None;
                    continue;
                }
                (Some(Sign::Opening), Sign::Closing) if beside => {
                    kept.pop();
                    take_spaces(kept, &mut spaces);
                    own_space = None;
                    continue;
                }
                _ => {}
            }
            break Some(right);
        }
    };
    let left = on_the_left(kept, &spaces);
    let lines = |space: &&Range<usize>| text[(*space).clone()].matches('\n').count();
    let broken = spaces.iter().filter(|space| lines(space) > 0).max_by_key(lines).cloned();
    let right_sign = next.as_ref().filter(|next| next.part == part).map(|next| next.sign);
    let space = match (left, right_sign) {
        _ if broken.is_some() => broken,
        (_, Some(Sign::Divider | Sign::End | Sign::Closing)) => own_space,
        (None | Some(Sign::Opening), _) => spaces.iter().take(before_gap).next().cloned(),
        _ if next.is_none() => None,
        _ => spaces.first().cloned(),
    };
    let raised = capital
        && next
            .as_ref()
            .is_some_and(|next| next.part == part && text[next.range.clone()].starts_with(char::is_lowercase));
    if let Some(range) = space {
        kept.push(Kept { range, part, sign: Sign::Other, is_space: true, raised: false });
    }
    kept.extend(next.map(|next| Kept { raised, ..next }));
}

#[cfg(test)]
mod tests {
    use super::super::WordIx;
    use super::super::annotated::tests::{STORY, prompt};
    use crate::attend::prompts::parts::PartKind;
    use crate::language::Language;
    use proptest::prelude::*;

    /// The text without any word in `gone`.
    fn without(text: &str, language: Language, gone: &[&str]) -> String {
        let prompt = prompt(&[(STORY, text)], &[text.len()], language);
        let words: Vec<WordIx> =
            (0..prompt.words().len()).map(WordIx).filter(|&word| gone.contains(&prompt.word_text(word))).collect();
        prompt.without(&words)
    }

    #[test]
    fn sentences_stay_sentences() {
        let cases = [
            ("Anna has warm tea.", &["warm"][..], "Anna has tea."),
            ("Anna has warm tea.", &["tea"], "Anna has warm."),
            ("Anna has warm tea.", &["Anna"], "Has warm tea."),
            ("Anna left. Tom, her brother, came.", &["Tom"], "Anna left. Her brother, came."),
            ("Anna left. Tom, her brother, came.", &["her", "brother"], "Anna left. Tom, came."),
            ("Anna left. Tom came.", &["Anna", "left"], "Tom came."),
            ("Tom came. Anna left.", &["Anna", "left"], "Tom came."),
            ("He saw a box, a cup and tea, quickly.", &["quickly"], "He saw a box, a cup and tea."),
            ("The (red) box.", &["red"], "The box."),
            ("She said: “Go home.”", &["Go", "home"], "She said"),
            ("She said \"Go home.\" Then she left.", &["Go", "home"], "She said Then she left."),
            ("She said \"Go home.\" Then she left.", &["home"], "She said \"Go.\" Then she left."),
            ("Ann:\nTea!\nBen:\nNo.", &["Tea"], "Ann:\nBen:\nNo."),
            ("One.\n\nTwo.\n\nThree.", &["Two"], "One.\n\nThree."),
            ("Anna has  warm tea.", &[], "Anna has  warm tea."),
        ];
        for (text, gone, expected) in cases {
            assert_eq!(without(text, Language::En, gone), expected, "{text} without {gone:?}");
        }
        assert_eq!(without("Où est Anna ? Elle dort !", Language::Fr, &["Anna", "dort"]), "Où est ? Elle !");
        assert_eq!(without("小明，把苹果放进抽屉。", Language::Zh, &["苹果", "小明"]), "把放进抽屉。");
    }

    #[test]
    fn other_parts_stay_as_they_are() {
        let parts = [(PartKind::Template, "User: , "), (STORY, "Anna left, "), (PartKind::Question, ". Where is she?")];
        let prompt = prompt(&parts, &[34], Language::En);
        let words: Vec<WordIx> = (0..prompt.words().len())
            .map(WordIx)
            .filter(|&word| prompt.part_kind(word) == STORY && prompt.word_text(word).chars().any(char::is_alphabetic))
            .collect();
        assert_eq!(prompt.without(&words), "User: , . Where is she?");
    }

    proptest! {
        /// The remaining words keep their order, and none is added.
        #[test]
        fn every_other_word_stays(text in "[A-Ca-c ,.!\n“”()小明]{0,60}", picks in proptest::collection::vec(any::<bool>(), 60)) {
            let lengths = [text.len()];
            let prompt = prompt(&[(STORY, &text)], &lengths, Language::En);
            let is_word = |index: &usize| prompt.words()[*index].kind == super::WordKind::Word;
            let gone: Vec<WordIx> =
                (0..prompt.words().len()).filter(is_word).filter(|index| picks[index % 60]).map(WordIx).collect();
            let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect::<String>();
            let left: String = (0..prompt.words().len())
                .filter(|index| !gone.contains(&WordIx(*index)))
                .map(|index| prompt.word_text(WordIx(index)))
                .collect();
            let found = prompt.without(&gone);
            prop_assert_eq!(letters(&found), letters(&left));
            if gone.is_empty() {
                prop_assert_eq!(&found, &text);
            }
        }
    }
}
