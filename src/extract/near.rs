//! Replies that put an option in other words: inflected, in another order, or with one word changed.

use super::Found;
use super::mention::{Token, tokens, words};

/// Most words of a reply that may be another wording of an option; longer ones tell a story.
const MOST_WORDS: usize = 24;

/// Letters that two forms of one word begin with at least.
const STEM: usize = 3;

/// Whether two words are forms of one: most of both is a common beginning, or one is the other with an ending.
fn is_kin(one: &str, other: &str) -> bool {
    let [short, long] =
        [one.chars().count().min(other.chars().count()), one.chars().count().max(other.chars().count())];
    let common = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    // A syllable of Korean is a letter.
    let korean = one.starts_with(|letter| matches!(letter, '\u{ac00}'..='\u{d7af}'));
    one == other
        || common >= STEM && (common * 10 >= long * 6 || common == short && short > STEM)
        || korean && common > 1 && common * 2 >= long
}

/// The option that a short text without a denial is near to, where it is near to no other: it has more than half of the words of that
/// option alone, `fewest` at least, or of all its words, and none of those of another option alone.
pub(super) fn near(text: &str, options: &[String], fewest: usize) -> Option<Found> {
    let said: Vec<Token> = tokens(text);
    let options: Vec<Vec<String>> = options.iter().map(|option| words(option)).collect();
    if said.is_empty() || said.len() > MOST_WORDS {
        return None;
    }
    let says = |word: &String| said.iter().find(|token| is_kin(&token.word, word));
    let own = |slot: usize| {
        let elsewhere =
            |word: &String| options.iter().enumerate().any(|(other, words)| other != slot && words.contains(word));
        let own =
            options[slot].iter().filter(|word| word.chars().count() >= STEM && !elsewhere(word)).collect::<Vec<_>>();
        let found = own.iter().filter_map(|word| says(word)).collect::<Vec<_>>();
        (own.len(), found)
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

    fn check(text: &str, slot: Option<usize>) {
        let places =
            ["In the blue drawer", "In the tin box", "He is afraid of the dark", "On the top shelf"].map(String::from);
        assert_eq!(near(text, &places, 1).map(|found| found.slots), slot.map(|slot| vec![slot]), "{text}");
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
            near("레오는 실망했습니다.", &["실망했다", "자랑스럽다"].map(String::from), 1).map(|found| found.slots),
            Some(vec![0])
        );
    }
}
