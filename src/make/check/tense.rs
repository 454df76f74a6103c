//! Narration in the past, for a pipeline that asks for the present tense in English, as ToMBench's translation does
//! (Table 19).

use std::sync::LazyLock;

use regex::Regex;

use super::words::{of, words_of};
use super::{Check, Flag};
use crate::language::Language;
use crate::make::texts::{Part, Texts};

/// Speech, which may be in any tense.
static SPEECH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#""[^"]*"|“[^”]*”|(?:^|[\s:,])'[^\n]*?[.,!?]'"#).expect("an expression of this program")
});

/// Words after which a form in -ed is no past tense of its own.
const BEFORE_PARTICIPLES: [&str; 20] = [
    "is", "are", "be", "been", "being", "was", "were", "has", "have", "had", "get", "gets", "a", "the", "very", "his",
    "her", "so", "feels", "an",
];

/// Fewest verbs in the past for a story told in it.
const FEWEST: usize = 2;

/// Returns a note where more verbs of an English story, outside of speech, are in the past than in the present. Rules know
/// common forms only, so this is for people and no failure.
pub fn past_narration(texts: &Texts) -> Option<Flag> {
    let lists = of(Language::En)?;
    let story = SPEECH.replace_all(&texts.story, " ");
    let words = words_of(&story);
    let (mut past, mut present) = (Vec::new(), 0);
    for (at, (word, range)) in words.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |before| words[before].0.as_str());
        let regular = word.len() > 4 && word.ends_with("ed") && !BEFORE_PARTICIPLES.contains(&before);
        if lists.past.contains(word) || regular {
            past.push(&story[range.clone()]);
        } else if lists.present.contains(word) {
            present += 1;
        }
    }
    (past.len() >= FEWEST && past.len() > present).then(|| {
        let shown: Vec<&str> = past.iter().copied().take(5).collect();
        let message = format!("told in the past: {} verbs, {present} in the present", past.len());
        Flag::new(Check::Tense, Part::Story, &shown.join(", "), message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narration_counts_and_speech_does_not() {
        let told = |story: &str| past_narration(&Texts { story: story.into(), questions: Vec::new() });
        assert!(told("Nora puts 3 lemons in the tin. She says: 'I was there and took them.' Piet is tired.").is_none());
        let flag = told("Nora put 3 lemons in the tin and left. Piet moved them. He says nothing.").unwrap();
        assert_eq!((flag.span.as_str(), flag.is_note()), ("left, moved", true));
        assert!(told("The box is closed and the locked door was painted.").is_none());
    }
}
