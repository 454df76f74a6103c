//! How the texts of two items differ, word by word.

use serde::Serialize;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use strum::{IntoStaticStr, VariantArray};

use super::Item;
use crate::language::Language;
use crate::name::named;
use crate::segment::segment;

/// A part of an item's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, IntoStaticStr, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum TextPart {
    Context,
    Question,
    /// The options in the order of the data, one a line.
    Options,
}

named!(TextPart);

/// A stretch of words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Stretch {
    /// In both texts.
    Both(String),
    /// In the first text alone.
    First(String),
    /// In the second text alone.
    Second(String),
}

/// A part of two items that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TextDifference {
    /// The part.
    pub part: TextPart,
    /// Words that only one of both texts has.
    pub words: usize,
    /// Both texts from the beginning to the end.
    pub text: Vec<Stretch>,
}

/// The parts in which two items differ. White space does not count, nor does another order of the same options.
pub fn text_differences(first: &Item, second: &Item) -> Vec<TextDifference> {
    let of = |item: &Item, part| match part {
        TextPart::Context => item.context.iter().map(|segment| &*segment.text).collect::<Vec<_>>().join("\n"),
        TextPart::Question => item.question.clone(),
        TextPart::Options => item.options.join("\n"),
    };
    let same_options = first.has_options_of(second);
    let difference = |part| {
        let text = stretches((&of(first, part), first.language), (&of(second, part), second.language));
        let words = text.iter().map(|(words, _)| words).sum();
        let is_same = words == 0 || (part == TextPart::Options && same_options);
        (!is_same).then(|| TextDifference { part, words, text: text.into_iter().map(|(_, text)| text).collect() })
    };
    TextPart::ALL.into_iter().filter_map(difference).collect()
}

/// Words and punctuation marks, each with the white space behind it.
fn words(text: &str, language: Language) -> Vec<&str> {
    let mut ends: Vec<usize> = Vec::new();
    for range in segment(text, language) {
        match ends.last_mut() {
            Some(end) if text[range.clone()].trim().is_empty() => *end = range.end,
            _ => ends.push(range.end),
        }
    }
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(&ends).map(|(start, &end)| &text[start..end]).collect()
}

/// Stretches of both texts, each with its number of words that only one of them has; marks alone count as a word.
fn stretches(first: (&str, Language), second: (&str, Language)) -> Vec<(usize, Stretch)> {
    let [first, second] = [first, second].map(|(text, language)| words(text, language));
    let [one, other] = [&first, &second].map(|words| words.iter().map(|word| word.trim()).collect::<Vec<_>>());
    let mut found = Vec::new();
    for change in capture_diff_slices(Algorithm::Myers, &one, &other) {
        let (tag, old, new) = change.as_tag_tuple();
        if tag == DiffTag::Equal {
            // White space of whichever text has more of it there.
            let longer = |(one, other): (&&str, &&str)| {
                if one.len() > other.len() { one.to_string() } else { other.to_string() }
            };
            found.push((0, Stretch::Both(first[old].iter().zip(&second[new]).map(longer).collect())));
            continue;
        }
        let alone = |words: &[&str]| words.iter().filter(|word| word.chars().any(char::is_alphanumeric)).count().max(1);
        let (old, new) = (&first[old], &second[new]);
        found.extend((!old.is_empty()).then(|| (alone(old), Stretch::First(old.concat()))));
        found.extend((!new.is_empty()).then(|| (alone(new), Stretch::Second(new.concat()))));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Benchmark, LoadOptions};

    #[test]
    fn words_that_only_one_text_has_are_counted_by_part() {
        let items = Benchmark::Demo.load(std::path::Path::new(""), &LoadOptions::default()).unwrap().items;
        let mut item = items.into_iter().find(|item| item.language == Language::En).unwrap();
        item.question = "Where is  the red box, then?".into();
        let mut other = item.clone();
        assert_eq!(text_differences(&item, &other), []);
        other.question = "Where was the green and round box, then?".into();
        let found = text_differences(&item, &other);
        let [TextDifference { part: TextPart::Question, words: 6, text }] = &found[..] else { panic!("{found:?}") };
        let of = |text: &str| text.to_string();
        let expected = [
            Stretch::Both(of("Where ")),
            Stretch::First(of("is  ")),
            Stretch::Second(of("was ")),
            Stretch::Both(of("the ")),
            Stretch::First(of("red ")),
            Stretch::Second(of("green and round ")),
            Stretch::Both(of("box, then?")),
        ];
        assert_eq!(*text, expected);
        // Chinese is cut into words too.
        let (zh, one, other) = (Language::Zh, "安宁把核桃放进盒子里。", "安宁把核桃放进箱子里。");
        let words: usize = stretches((one, zh), (other, zh)).iter().map(|(words, _)| words).sum();
        assert!((2..5).contains(&words), "{words}");
    }
}
