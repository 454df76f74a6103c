//! Options that refer to others or to their place among them ("all of the above", "both A and B"), and to none of the
//! answers ("cannot be determined"): found by rules, kept in their slots, and rewritten to the letters shown.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::order::Order;
use crate::benchmark::{AnchorTexts, Answer, Item, OptionIx};

/// What an anchored option refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Anchor {
    /// All others, or those above it: "none of the above".
    Place,
    /// Others by their letters: "both A and B".
    Letters,
    /// None of the answers: "cannot be determined".
    Open,
    /// What the card says.
    Card,
}

/// Expressions of a language, as in the file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    place: Vec<String>,
    open: Vec<String>,
    before: Vec<String>,
    between: Vec<String>,
    after: Vec<String>,
}

/// Expressions of a language for whole options.
struct Rules {
    place: Regex,
    open: Regex,
    letters: Regex,
    /// Letters alone, joined.
    bare: Regex,
}

static RULES: LazyLock<BTreeMap<String, Rules>> = LazyLock::new(|| {
    let all: BTreeMap<String, Written> =
        toml::from_str(include_str!("anchored.toml")).expect("the file is part of the program");
    all.into_iter().map(|(language, written)| (language, Rules::from(written))).collect()
});

/// A letter as options name it.
const LETTER: &str = r"(?:\(?(?-i:[A-P])\)?|\(?(?-i:[a-p])\))";

/// Marks that join letters.
const MARKS: &str = r"\s*[,，、/&]\s*";

/// An expression that matches nothing.
const NOTHING: &str = r"[^\s\S]";

impl From<Written> for Rules {
    fn from(written: Written) -> Self {
        let any = |list: &[String]| match list {
            [] => NOTHING.to_string(),
            _ => format!("(?:{})", list.join("|")),
        };
        let whole = |inner: &str| Regex::new(&format!("(?i)^(?:{inner})$")).expect("the file is part of the program");
        let (before, between, after) = (any(&written.before), any(&written.between), any(&written.after));
        let joined = format!(r"(?:{MARKS}(?:{between}\s*)?|\s*{between}\s*)");
        let worded = format!(r"(?:{before}\s*)*{LETTER}(?:{joined}(?:{before}\s*)*{LETTER})*(?:[\s,，]*{after})*");
        Rules {
            place: whole(&any(&written.place)),
            open: whole(&any(&written.open)),
            letters: whole(&worded),
            bare: whole(&format!("{LETTER}(?:{joined}{LETTER})*")),
        }
    }
}

/// Places of letters that stand alone in a text, with the options that they name.
fn letters(text: &str) -> Vec<(usize, OptionIx)> {
    // Letters of other scripts stand next to those of options without a space.
    let joins = |other: Option<char>| other.is_some_and(|other| other.is_alphanumeric() && other < '\u{250}');
    let mut before = None;
    let mut found = Vec::new();
    for (at, letter) in text.char_indices() {
        let after = text[at + letter.len_utf8()..].chars().next();
        let in_brackets = after == Some(')');
        let number = match letter {
            'A'..='P' => Some(letter as usize - 'A' as usize),
            'a'..='p' if in_brackets => Some(letter as usize - 'a' as usize),
            _ => None,
        };
        if let Some(number) = number.filter(|_| !joins(before) && !joins(after)) {
            found.push((at, OptionIx(number)));
        }
        before = Some(letter);
    }
    found
}

/// The options of a single-choice item that refer to others, to their place or to none, in canonical order. An option that names letters
/// is none where the story or the question has such a letter as a name, as in "attractions A and B".
pub fn anchored(item: &Item, card: &AnchorTexts) -> Vec<(OptionIx, Anchor)> {
    if !matches!(item.gold, Answer::Single(_)) {
        return Vec::new();
    }
    let rules = RULES.get(item.language.code());
    let named: Vec<OptionIx> = if item.options.iter().any(|option| letters(option).len() > 1) {
        let texts = item.context.iter().map(|segment| &*segment.text).chain([item.question.as_str()]);
        texts.flat_map(letters).map(|(_, option)| option).collect()
    } else {
        Vec::new()
    };
    let of = |(at, text): (usize, &String)| {
        let plain = text.trim().trim_end_matches(['.', '。', '!', '！']).replace('’', "'");
        if card.never.iter().any(|never| never.trim() == text.trim()) {
            return None;
        }
        if card.also.iter().any(|also| also.trim() == text.trim()) {
            return Some((OptionIx(at), Anchor::Card));
        }
        let rules = rules?;
        let anchor = if rules.place.is_match(&plain) {
            Anchor::Place
        } else if rules.open.is_match(&plain) {
            Anchor::Open
        } else if rules.letters.is_match(&plain) {
            let of: Vec<OptionIx> = letters(&plain).into_iter().map(|(_, option)| option).collect();
            let others = of.iter().all(|option| option.0 < item.options.len() && option.0 != at);
            // "A" begins sentences.
            let is_name = of.iter().any(|option| option.0 > 0 && named.contains(option));
            let says_so = of.len() > 1 || !rules.bare.is_match(&plain);
            (others && !is_name && says_so && !of.is_empty()).then_some(Anchor::Letters)?
        } else {
            return None;
        };
        Some((OptionIx(at), anchor))
    };
    item.options.iter().enumerate().filter_map(of).collect()
}

/// An item whose anchored options name the letters under which others are shown in this order, the earliest first.
pub fn lettered<'i>(item: Cow<'i, Item>, anchored: &[usize], order: &Order, labels: &[String]) -> Cow<'i, Item> {
    let rules = RULES.get(item.language.code());
    let mut item = item;
    for &at in anchored {
        let Some(text) = item.options.get(at) else { continue };
        if !rules.is_some_and(|rules| rules.letters.is_match(text.trim().trim_end_matches(['.', '。', '!', '！']))) {
            continue;
        }
        let named = letters(text);
        if named.iter().any(|(_, option)| option.0 >= order.len()) {
            continue;
        }
        let mut slots: Vec<usize> = named.iter().map(|&(_, option)| order.slot_of(option).0).collect();
        slots.sort_unstable();
        let Some(shown) = slots.iter().map(|&slot| labels.get(slot)).collect::<Option<Vec<&String>>>() else {
            continue;
        };
        let mut written = String::new();
        let mut from = 0;
        for (&(place, _), label) in named.iter().zip(shown) {
            written.push_str(&text[from..place]);
            written.push_str(label);
            from = place + 1;
        }
        written.push_str(&text[from..]);
        if item.options[at] != written {
            item.to_mut().options[at] = written;
        }
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Benchmark, LoadOptions};
    use crate::language::Language;

    fn item(language: Language, story: &str, options: &[&str]) -> Item {
        let items = Benchmark::Demo.load(std::path::Path::new(""), &LoadOptions::default()).unwrap().items;
        let mut item = items.into_iter().next().unwrap();
        item.language = language;
        item.context.truncate(1);
        item.context[0].text = story.into();
        item.question = "?".to_string();
        item.options = options.iter().map(|option| option.to_string()).collect();
        item
    }

    fn found(language: &str, story: &str, last: &str) -> Option<Anchor> {
        let item = item(language.parse().unwrap(), story, &["x", "y", "z", last]);
        let found = anchored(&item, &AnchorTexts::default());
        assert!(found.iter().all(|(option, _)| option.0 == 3));
        found.first().map(|(_, anchor)| *anchor)
    }

    #[test]
    fn options_that_refer_to_others_are_found_in_each_language() {
        let place = [
            ("en", "None of the above."),
            ("en", "All of the above"),
            ("en", "All of these"),
            ("en", "Both of the above"),
            ("en", "None of the other options is right."),
            ("en", "None of the above are correct"),
            ("en", "All the above are wrong"),
            ("zh", "以上都不对。"),
            ("zh", "以上皆是"),
            ("zh", "以上选项都正确"),
            ("zh", "以上都有可能"),
            ("fr", "Aucune de ces réponses"),
            ("fr", "Toutes les réponses ci-dessus"),
            ("de", "Keine der genannten Antworten"),
            ("de", "Alle oben genannten"),
            ("es", "Ninguna de las anteriores"),
            ("es", "Todas las respuestas anteriores"),
            ("ru", "Ничего из вышеперечисленного"),
            ("ru", "Все варианты верны"),
            ("ar", "كل ما سبق"),
            ("ar", "لا شيء مما سبق"),
            ("hi", "उपरोक्त सभी"),
            ("hi", "इनमें से कोई नहीं"),
            ("bn", "উপরের সবগুলি"),
            ("ja", "上記のすべて"),
            ("ja", "いずれでもない"),
        ];
        let open = [
            ("en", "It cannot be determined"),
            ("en", "Can’t be determined from the story"),
            ("en", "Not enough information"),
            ("en", "I don't know."),
            ("zh", "无法判断"),
            ("zh", "信息不足"),
            ("fr", "On ne peut pas savoir"),
            ("de", "Kann nicht bestimmt werden"),
            ("ru", "Невозможно определить"),
            ("ar", "لا يمكن التحديد"),
            ("ja", "わからない"),
        ];
        let letters = [
            ("en", "Both A and B"),
            ("en", "A and C"),
            ("en", "A, B and C"),
            ("en", "Neither (a) nor (b)"),
            ("en", "Only A"),
            ("en", "A & B"),
            ("en", "Options A and B are correct"),
            ("en", "None of A, B or C"),
            ("en", "Both a) and b)"),
            ("en", "Same as B"),
            ("en", "All of these except A"),
            ("zh", "A和B"),
            ("zh", "选项A、B都正确"),
            ("zh", "只有A"),
            ("fr", "À la fois A et B"),
            ("de", "A und B"),
            ("de", "Sowohl A als auch B"),
            ("ru", "A и B"),
            ("ja", "AとB"),
        ];
        for (list, anchor) in [(&place[..], Anchor::Place), (&open, Anchor::Open), (&letters, Anchor::Letters)] {
            for (language, text) in list {
                assert_eq!(found(language, "Ann left.", text), Some(anchor), "{language} {text}");
            }
        }
    }

    #[test]
    fn other_options_are_not() {
        let texts = [
            ("en", "Attractions A and B"),
            ("en", "Fear of the unknown"),
            ("en", "None of her friends came"),
            ("en", "A"),
            ("en", "AB"),
            ("en", "All of the cake"),
            ("en", "He does not know what she knows"),
            ("en", "A and D"),
            ("en", "A and F"),
            ("en", "Both of them"),
            ("zh", "明明知道A和B景点太拥挤"),
            ("zh", "A景点"),
            ("zh", "因为他的朋友都不参加"),
            ("zh", "以上车为由离开"),
        ];
        for (language, text) in texts {
            assert_eq!(found(language, "Ann left.", text), None, "{language} {text}");
        }
        assert_eq!(found("en", "Between A and B, Ann chose.", "A and B"), None, "names of the story");
        assert_eq!(found("zh", "景点A和景点B都拥挤。", "A和B"), None);
        assert_eq!(found("en", "A man left.", "A and B"), Some(Anchor::Letters));
    }

    #[test]
    fn the_card_has_the_last_word() {
        let item = item(Language::En, "Ann left.", &["x", "Neither", "All of the above"]);
        let card = AnchorTexts { keep: true, also: vec!["Neither".into()], never: vec!["All of the above".into()] };
        assert_eq!(anchored(&item, &card), [(OptionIx(1), Anchor::Card)]);
    }

    #[test]
    fn letters_are_those_shown() {
        let labels: Vec<String> = ["A", "B", "C", "D"].map(String::from).to_vec();
        let item = item(Language::En, "Ann left.", &["x", "y", "z", "Both A and B"]);
        let order = Order::try_from(vec![2, 1, 0, 3]).unwrap();
        let shown = lettered(Cow::Borrowed(&item), &[3], &order, &labels);
        assert_eq!(shown.options[3], "Both B and C");
        assert!(matches!(lettered(Cow::Borrowed(&item), &[3], &Order::identity(4), &labels), Cow::Borrowed(_)));
        let numbers: Vec<String> = ["1", "2", "3", "4"].map(String::from).to_vec();
        assert_eq!(lettered(Cow::Borrowed(&item), &[3], &order, &numbers).options[3], "Both 2 and 3");
    }
}
