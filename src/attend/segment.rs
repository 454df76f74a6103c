//! Words of a text: jieba for Chinese, Unicode rules and ICU's dictionaries for every other language.

use std::ops::Range;
use std::sync::LazyLock;

use icu_segmenter::WordSegmenter;
use icu_segmenter::options::WordBreakInvariantOptions;
use jieba_rs::Jieba;

use crate::benchmark::Language;

static JIEBA: LazyLock<Jieba> = LazyLock::new(Jieba::new);

/// Byte ranges that tile `text`: words, punctuation and white space alike.
///
/// Chinese is cut by jieba with its model for unknown words; Japanese by ICU's dictionary; the languages that write
/// spaces by the rules of Unicode Standard Annex 29. Runs of white space stay together.
pub fn segment(text: &str, language: Language) -> Vec<Range<usize>> {
    let pieces: Vec<usize> = match language {
        Language::Zh => JIEBA
            .cut(text, true)
            .iter()
            .scan(0, |end, word| {
                *end += word.len();
                Some(*end)
            })
            .collect(),
        _ => WordSegmenter::new_auto(WordBreakInvariantOptions::default())
            .segment_str(text)
            .filter(|&at| at > 0)
            .collect(),
    };
    let mut ranges: Vec<Range<usize>> = Vec::with_capacity(pieces.len());
    for end in pieces {
        let start = ranges.last().map_or(0, |range| range.end);
        let blank = |range: &Range<usize>| text[range.clone()].chars().all(char::is_whitespace);
        match ranges.last_mut() {
            Some(last) if blank(last) && blank(&(start..end)) => last.end = end,
            _ => ranges.push(start..end),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, language: Language, expected: &[&str]) {
        let words: Vec<&str> = segment(text, language).into_iter().map(|range| &text[range]).collect();
        assert_eq!(words, expected);
    }

    #[test]
    fn words_of_each_script() {
        check(
            "Ann didn't see the red_box.",
            Language::En,
            &["Ann", " ", "didn't", " ", "see", " ", "the", " ", "red_box", "."],
        );
        check("小明把苹果放进抽屉。", Language::Zh, &["小明", "把", "苹果", "放进", "抽屉", "。"]);
        check("وضعت سارة الكتاب", Language::Ar, &["وضعت", " ", "سارة", " ", "الكتاب"]);
        check("राम ने किताब", Language::Hi, &["राम", " ", "ने", " ", "किताब"]);
        check("猫は箱の中にいる", Language::Ja, &["猫", "は", "箱", "の", "中", "に", "いる"]);
        check("a \n b", Language::En, &["a", " \n ", "b"]);
    }

    proptest! {
        #[test]
        fn the_text_is_tiled(text in "[a-zé 。\n箱のم.]{0,40}", chinese: bool) {
            let language = if chinese { Language::Zh } else { Language::Ja };
            let mut at = 0;
            for range in segment(&text, language) {
                prop_assert_eq!(range.start, at);
                prop_assert!(range.end > at);
                at = range.end;
            }
            prop_assert_eq!(at, text.len());
        }
    }
}
