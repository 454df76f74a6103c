//! Word overlap of a reply with a released text.

use serde::Serialize;

use crate::language::Language;
use crate::segment::segment;

/// Similarity of a reply to a released text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Overlap {
    /// Whether the reply contains all words of the released text in sequence.
    pub exact: bool,
    /// ROUGE-L (Lin 2004): F1 of the longest common subsequence of words.
    pub rouge_l: f64,
    /// Length of the longest common run, in words.
    pub run: usize,
    /// The longest run as a share of the released text.
    pub run_share: f64,
}

/// The words of a text in lower case, without punctuation and white space.
pub fn words(text: &str, language: Language) -> Vec<String> {
    let pieces = segment(text, language).into_iter().map(|range| &text[range]);
    pieces.filter(|piece| piece.chars().any(char::is_alphanumeric)).map(|piece| piece.trim().to_lowercase()).collect()
}

/// Compares a reply's words with those of a released text; `None` if either has none.
pub fn overlap(reply: &[String], released: &[String]) -> Option<Overlap> {
    if reply.is_empty() || released.is_empty() {
        return None;
    }
    // Row by row over the reply: longest common subsequence up to a word, and longest common run ending with it.
    let mut subsequence = vec![0usize; released.len() + 1];
    let mut runs = vec![0usize; released.len() + 1];
    let mut run = 0;
    for word in reply {
        let (mut above_left, mut run_above_left) = (0, 0);
        for (at, other) in released.iter().enumerate() {
            let same = word == other;
            let (above, run_above) = (subsequence[at + 1], runs[at + 1]);
            subsequence[at + 1] = if same { above_left + 1 } else { above.max(subsequence[at]) };
            runs[at + 1] = if same { run_above_left + 1 } else { 0 };
            run = run.max(runs[at + 1]);
            (above_left, run_above_left) = (above, run_above);
        }
    }
    let common = subsequence[released.len()] as f64;
    Some(Overlap {
        exact: run == released.len(),
        rouge_l: 2.0 * common / (reply.len() + released.len()) as f64,
        run,
        run_share: run as f64 / released.len() as f64,
    })
}

/// Splits a text at the end of the sentence or line nearest to its middle, otherwise at a word. `None` for a text of
/// one word.
pub fn halves(text: &str, language: Language) -> Option<(&str, &str)> {
    let text = text.trim();
    let after = |(at, character): (usize, char)| {
        let end = at + character.len_utf8();
        match character {
            '\n' | '。' | '！' | '？' | '।' | '؟' => Some(end),
            '.' | '!' | '?' if text[end..].starts_with(char::is_whitespace) => Some(end),
            _ => None,
        }
    };
    let nearest = |cuts: &mut dyn Iterator<Item = usize>| {
        let parts = cuts.map(|cut| (text[..cut].trim_end(), text[cut..].trim_start()));
        let parts = parts.filter(|(first, second)| !first.is_empty() && !second.is_empty());
        parts.min_by_key(|(first, second)| first.len().abs_diff(second.len()))
    };
    nearest(&mut text.char_indices().filter_map(after))
        .or_else(|| nearest(&mut segment(text, language).into_iter().map(|range| range.end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(reply: &str, released: &str, expected: Overlap) {
        let [reply, released] = [reply, released].map(|text| words(text, Language::En));
        assert_eq!(overlap(&reply, &released), Some(expected), "{reply:?} {released:?}");
    }

    #[test]
    fn overlaps_are_those_counted_by_hand() {
        // police killed the gunman / police kill the gunman: Lin's example, three of four words in order.
        check(
            "police kill the gunman",
            "Police killed the gunman.",
            Overlap { exact: false, rouge_l: 0.75, run: 2, run_share: 0.5 },
        );
        check(
            "the gunman kill police",
            "police killed the gunman",
            Overlap { exact: false, rouge_l: 0.5, run: 2, run_share: 0.5 },
        );
        // Five words and three, all three common.
        check("It is: Ann went out", "Ann went out", Overlap { exact: true, rouge_l: 0.75, run: 3, run_share: 1.0 });
        check("a b x c d y", "a b c d", Overlap { exact: false, rouge_l: 0.8, run: 2, run_share: 0.5 });
        check("one", "two", Overlap { exact: false, rouge_l: 0.0, run: 0, run_share: 0.0 });
        assert_eq!(overlap(&[], &words("two", Language::En)), None);
    }

    #[test]
    fn words_are_found_in_scripts_without_spaces() {
        assert_eq!(words("小明把球放进篮子。", Language::Zh).concat(), "小明把球放进篮子");
        assert!(words("小明把球放进篮子。", Language::Zh).len() > 3);
        assert_eq!(words("The cat-\n sat, \"down\"!", Language::En), ["the", "cat", "sat", "down"]);
    }

    #[test]
    fn texts_are_cut_at_the_sentence_nearest_the_middle() {
        let halves = |text| halves(text, Language::En);
        assert_eq!(halves("One two. Three four. Five."), Some(("One two.", "Three four. Five.")));
        assert_eq!(halves("a line\nand another"), Some(("a line", "and another")));
        assert_eq!(halves("It costs 3.5 today"), Some(("It costs", "3.5 today")));
        assert_eq!(super::halves("他走了。她来了。", Language::Zh), Some(("他走了。", "她来了。")));
        assert_eq!(halves("word"), None);
        assert_eq!(halves("  "), None);
    }
}
