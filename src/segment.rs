//! Word segmentation: jieba for Chinese, Unicode rules and ICU's dictionaries for every other language.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use icu_segmenter::WordSegmenter;
use icu_segmenter::options::WordBreakInvariantOptions;
use jieba_rs::Jieba;

use crate::language::Language;

static JIEBA: LazyLock<Jieba> = LazyLock::new(Jieba::new);

/// Name of the word segmenter of a language.
pub fn segmenter(language: Language) -> &'static str {
    match language {
        Language::Zh => "jieba (jieba-rs)",
        _ => "ICU word segmenter (icu_segmenter)",
    }
}

/// Byte ranges that tile `text`: words, punctuation and white space.
///
/// Jieba with its model for unknown words segments Chinese, ICU's dictionary Japanese, and the rules of Unicode
/// Standard Annex 29 languages that write spaces. Runs of white space stay together.
pub fn segment(text: &str, language: Language) -> Vec<Range<usize>> {
    tile(text, language, |text| JIEBA.cut(text, true))
}

/// Like [`segment`], but separates Chinese names from the text after them; the words of an analysis.
pub fn segment_names(text: &str, language: Language) -> Vec<Range<usize>> {
    tile(text, language, chinese_names)
}

fn tile<'a>(text: &'a str, language: Language, chinese: impl Fn(&'a str) -> Vec<&'a str>) -> Vec<Range<usize>> {
    let pieces: Vec<usize> = match language {
        Language::Zh => chinese(text)
            .iter()
            .scan(0, |end, word| {
                *end += word.len();
                Some(*end)
            })
            .collect(),
        _ => WordSegmenter::new_dictionary(WordBreakInvariantOptions::default())
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

/// The words that jieba finds. Its model for unknown words sometimes joins a name and the text after it; such a word is
/// split if its beginning is a word of its own elsewhere in the text.
fn chinese_names(text: &str) -> Vec<&str> {
    let words = JIEBA.cut(text, true);
    let alone: HashSet<&str> = words.iter().copied().filter(|word| word.chars().count() > 1).collect();
    let beginning = |word: &str| {
        let ends = word.char_indices().map(|(at, _)| at).filter(|&at| at > 0);
        ends.rev().find(|&end| alone.contains(&word[..end]))
    };
    let mut found = Vec::with_capacity(words.len());
    for word in &words {
        match beginning(word).filter(|_| !JIEBA.has_word(word)) {
            Some(end) => {
                found.push(&word[..end]);
                found.extend(JIEBA.cut(&word[end..], true));
            }
            None => found.push(word),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, language: Language, expected: &[&str]) {
        let words: Vec<&str> = segment_names(text, language).into_iter().map(|range| &text[range]).collect();
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
        // Alone, the first three characters are treated as one unknown word.
        check("李华是新来的", Language::Zh, &["李华是", "新来", "的"]);
        check(
            "老师问李华。李华是新来的。",
            Language::Zh,
            &["老师", "问", "李华", "。", "李华", "是", "新来", "的", "。"],
        );
        // As jieba segments it; lengths are counted in these words.
        let text = "老师问李华。李华是新来的。";
        let words: Vec<&str> = segment(text, Language::Zh).into_iter().map(|range| &text[range]).collect();
        assert_eq!(words, ["老师", "问", "李华", "。", "李华是", "新来", "的", "。"]);
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
