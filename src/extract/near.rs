//! Replies that reword an option: inflected, in another order, or with one word changed.

use super::Found;
use super::mention::{Token, tokens, words};
use super::words::Cues;

/// Maximum number of words in a rewording of an option; longer replies tell a story.
const MOST_WORDS: usize = 40;

/// Minimum length of the common prefix of two forms of a word.
const STEM: usize = 3;

/// Whether two words are forms of the same word: they share most of their letters as a prefix, or one is the other plus
/// an ending.
fn is_kin(one: &str, other: &str) -> bool {
    let [short, long] =
        [one.chars().count().min(other.chars().count()), one.chars().count().max(other.chars().count())];
    let common = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    // A Korean syllable is one character.
    let korean = one.starts_with(|letter| matches!(letter, '\u{ac00}'..='\u{d7af}'));
    one == other
        || arabic_stem(one).is_some_and(|stem| arabic_stem(other) == Some(stem))
        || common > 4 && common * 2 + usize::from(!one.is_ascii()) > long
        || common >= STEM && (common * 10 >= long * 6 || common == short && short > STEM)
        || korean && common > 1 && common * 2 >= long
}

/// An Arabic word without its attached conjunction, preposition and article.
fn arabic_stem(word: &str) -> Option<&str> {
    let bare = word.strip_prefix(['و', 'ف']).unwrap_or(word);
    let bare = bare.strip_prefix(['ب', 'ك', 'ل']).unwrap_or(bare);
    let stem = bare.strip_prefix("ال").unwrap_or(bare);
    let arabic = word.starts_with(|letter| matches!(letter, '\u{600}'..='\u{6ff}'));
    (arabic && stem.chars().count() > STEM).then_some(stem)
}

/// Whether a word is meaningful by itself: it is long, or a character or syllable that is a word.
fn is_full(word: &str) -> bool {
    let han = |letter| matches!(letter, '\u{3400}'..='\u{9fff}') && !"的了已经着过在是就都也里上下中".contains(letter);
    let first = word.chars().next().unwrap_or_default();
    word.chars().count() >= STEM || han(first) || matches!(first, '\u{ac00}'..='\u{d7af}')
}

/// The only option that a short text without a denial is near to: the text contains more than half of the words unique
/// to that option or more than half of all its words, at least `fewest` unique ones, and no word unique to another
/// option. With `head`, the first of two such words suffices, for languages in which modifiers follow: `le bois` for
/// `le bois de chauffage`.
pub(super) fn near(cues: &Cues, text: &str, options: &[String], fewest: usize, head: bool) -> Option<Found> {
    let said: Vec<Token> = tokens(text);
    if said.is_empty() || said.len() > MOST_WORDS {
        return None;
    }
    let options: Vec<Vec<String>> = options.iter().map(|option| words(option)).collect();
    let empty: Vec<String> =
        ["lead", "tail"].iter().flat_map(|list| cues.losable(list)).flat_map(|word| words(&word)).collect();
    let known = |token: &Token| options.iter().any(|words| words.contains(&token.word));
    let kin = |token: &&Token, word: &String| token.word == *word || is_kin(&token.word, word) && !known(token);
    let says = |word: &String| said.iter().find(|token| kin(token, word));
    let own = |slot: usize| {
        let elsewhere =
            |word: &String| options.iter().enumerate().any(|(other, words)| other != slot && words.contains(word));
        let own = options[slot]
            .iter()
            .filter(|word| is_full(word) && !empty.contains(word) && !elsewhere(word))
            .collect::<Vec<_>>();
        let found = own.iter().filter_map(|word| says(word)).collect::<Vec<_>>();
        let led = head && own.len() == 2 && says(own[0]).is_some();
        (own.len() - usize::from(led), found)
    };
    let scores: Vec<_> = (0..options.len()).map(own).collect();
    let mut named = (0..options.len()).filter(|&slot| !scores[slot].1.is_empty());
    let slot = named.next().filter(|_| named.next().is_none())?;
    let (own, found) = &scores[slot];
    let whole = options[slot].iter().filter(|word| says(word).is_some()).count();
    let near = found.len() * 2 > *own || options[slot].len() > 2 && whole * 2 > options[slot].len();
    let range = found.iter().map(|token| token.range.start).min()?..found.iter().map(|token| token.range.end).max()?;
    (near && found.len() >= fewest).then(|| Found::answer(vec![slot], "near-text", range))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    fn check(text: &str, slot: Option<usize>) {
        let places =
            ["In the blue drawer", "In the tin box", "He is afraid of the dark", "On the top shelf"].map(String::from);
        assert_eq!(
            near(Cues::for_text(Language::En, text), text, &places, 1, false).map(|found| found.slots),
            slot.map(|slot| vec![slot]),
            "{text}"
        );
    }

    #[test]
    fn a_text_is_near_to_one_option_alone_or_to_none() {
        check("She'll look in the drawer that is blue.", Some(0));
        check("He was scared of the darkness.", Some(2));
        check("On top of the shelves", Some(3));
        check("In the blue box.", None);
        check("To a box.", None);
        check("Somewhere else.", None);
        assert_eq!(
            near(
                Cues::for_text("ko".parse().unwrap(), ""),
                "레오는 실망했습니다.",
                &["실망했다", "자랑스럽다"].map(String::from),
                1,
                false
            )
            .map(|found| found.slots),
            Some(vec![0])
        );
    }
}
