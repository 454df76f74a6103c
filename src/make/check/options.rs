//! Options: distinct, in their places, unmarked, not given away by their length, and called as in the story.

use std::sync::LazyLock;

use regex::Regex;

use super::numbers::is_number;
use super::words::words_of;
use super::{Check, Flag, Made, contains_word, is_unspaced};
use crate::language::Language;
use crate::make::chrf::ChrF;
use crate::make::texts::{Part, QuestionTexts};
use crate::name::option_letter;

static MARK: LazyLock<Regex> = LazyLock::new(|| {
    let marks = r"[✓✔√☑✅★☆◎]|\*\*|^\*|\*$|<b>|[(（\[【](?:correct|right|answer|true|正确|正确答案|答案|对|bonne réponse|correcte?|صحيح|الإجابة الصحيحة|richtig|верно|правильно|правильный ответ|सही|सही उत्तर|সঠিক|সঠিক উত্তর|正解)[^)）\]】]{0,12}[)）\]】]|[<←]-*\s*(?:correct|answer|正确)";
    Regex::new(&format!("(?i){marks}")).expect("an expression of this program")
});

/// How much longer, in relation to the other options and to the source, the right option may be.
const LONGEST: f64 = 2.5;

/// Fewest characters by which it must be longer than every other one.
const MARGIN: usize = 8;

/// How much more alike than its own source an option's back-translation must be to another one, in points of chrF.
const ALIKE: f64 = 15.0;

/// Checks the options of every question.
pub(super) fn check(made: &Made<'_>, flags: &mut Vec<Flag>) {
    for (at, (source, target)) in made.source.questions.iter().zip(&made.target.questions).enumerate() {
        missing(at, source, target, flags);
        equal(at, source, target, flags);
        for (option, (before, after)) in source.options.iter().zip(&target.options).enumerate() {
            if let Some(mark) = MARK.find(after).filter(|_| !MARK.is_match(before)) {
                let part = Part::Option(at, option);
                flags.push(Flag::new(Check::OptionMarked, part, mark.as_str(), "the option is marked"));
            }
        }
        if let Some(Some(gold)) = made.gold.get(at) {
            longest(at, *gold, source, target, flags);
        }
        if let Some(back) = made.back.and_then(|back| back.questions.get(at)) {
            swapped(at, source, back, flags);
        }
    }
}

/// Finds options that are not there, empty, or one too many.
fn missing(at: usize, source: &QuestionTexts, target: &QuestionTexts, flags: &mut Vec<Flag>) {
    for option in 0..source.options.len().max(target.options.len()) {
        let [before, after] = [source, target].map(|texts| texts.options.get(option).map_or("", |text| text.trim()));
        let letter = option_letter(option);
        let message = match (before.is_empty(), after.is_empty()) {
            (false, true) => format!("option {letter} is missing"),
            (true, false) => format!("option {letter} is not in the source"),
            _ => continue,
        };
        let span = if after.is_empty() { before } else { after };
        flags.push(Flag::new(Check::OptionMissing, Part::Option(at, option), span, message));
    }
}

/// A text without what makes no difference: case, space and marks.
fn plain(text: &str) -> String {
    text.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect()
}

fn equal(at: usize, source: &QuestionTexts, target: &QuestionTexts, flags: &mut Vec<Flag>) {
    for (later, text) in target.options.iter().enumerate() {
        let Some(earlier) = target.options[..later].iter().position(|known| plain(known) == plain(text)) else {
            continue;
        };
        let were_equal =
            source.options.get(earlier).map(|text| plain(text)) == source.options.get(later).map(|text| plain(text));
        if !were_equal && !plain(text).is_empty() {
            let message = format!("options {} and {} are equal", option_letter(earlier), option_letter(later));
            flags.push(Flag::new(Check::OptionsEqual, Part::Option(at, later), text, message));
        }
    }
}

/// Finds a right option that became the longest one by far.
fn longest(at: usize, gold: usize, source: &QuestionTexts, target: &QuestionTexts, flags: &mut Vec<Flag>) {
    let share = |options: &[String]| {
        let length = |text: &String| text.chars().count();
        let own = options.get(gold).map(length)?;
        let others: Vec<usize> =
            options.iter().enumerate().filter(|(option, _)| *option != gold).map(|(_, text)| length(text)).collect();
        let most = others.iter().copied().max()?;
        let mean = others.iter().sum::<usize>() as f64 / others.len() as f64;
        Some((own, most, own as f64 / mean.max(1.0)))
    };
    let (Some((before, before_most, before_share)), Some((after, after_most, after_share))) =
        (share(&source.options), share(&target.options))
    else {
        return;
    };
    if after > after_most + MARGIN && before <= before_most && after_share > LONGEST * before_share {
        let message = "the right option has become the longest by far";
        flags.push(Flag::new(Check::GoldLength, Part::Option(at, gold), &target.options[gold], message));
    }
}

/// Finds options whose back-translations are alike to the sources of each other.
fn swapped(at: usize, source: &QuestionTexts, back: &QuestionTexts, flags: &mut Vec<Flag>) {
    let score = |from: usize, to: usize| match (back.options.get(from), source.options.get(to)) {
        (Some(back), Some(source)) => ChrF::new(&back.to_lowercase(), &source.to_lowercase()).score(),
        _ => 0.0,
    };
    for one in 0..source.options.len() {
        for other in one + 1..source.options.len() {
            let (own, crossed) = (score(one, one) + score(other, other), score(one, other) + score(other, one));
            if crossed > own + 2.0 * ALIKE {
                let letters = [one, other].map(option_letter);
                let message = format!("options {} and {} seem to have changed places", letters[0], letters[1]);
                let span = &back.options[one];
                flags.push(Flag::new(Check::OptionsSwapped, Part::Option(at, one), span, message));
            }
        }
    }
}

/// Longest option that is a thing's name, in characters of the source.
const LONGEST_LABEL: usize = 24;

/// Words of a label that a story need not repeat.
const ARTICLES: [&str; 14] = ["the", "a", "an", "in", "on", "at", "le", "la", "les", "un", "une", "des", "der", "die"];

/// Finds options that are called otherwise than in the story or the question, although the source calls them alike.
pub(super) fn labels(made: &Made<'_>, from: Language, to: Language, flags: &mut Vec<Flag>) {
    for (at, (source, target)) in made.source.questions.iter().zip(&made.target.questions).enumerate() {
        let texts = [
            ("story", made.source.story.as_str(), made.target.story.as_str()),
            ("question", source.question.as_str(), target.question.as_str()),
        ];
        for (option, (before, after)) in source.options.iter().zip(&target.options).enumerate() {
            let label = before.trim_end_matches(['.', '。']);
            let length = label.chars().count();
            if !(2..=LONGEST_LABEL).contains(&length) || is_number(label, from) {
                continue;
            }
            for (name, of_source, of_target) in texts {
                if stands_in(of_source, label, from) && !stands_in_freely(of_target, after, to) {
                    let message =
                        format!("`{before}` stands in the {name}, `{after}` does not stand in its translation");
                    flags.push(Flag::new(Check::Label, Part::Option(at, option), after, message));
                }
            }
        }
    }
}

/// What stands before the name of a thing in English; `Sad` and `No` are called otherwise in other sentences.
const BEFORE_THINGS: [&str; 9] = ["the", "a", "an", "his", "her", "their", "my", "this", "that"];

fn stands_in(text: &str, label: &str, language: Language) -> bool {
    match is_unspaced(language) {
        true => text.contains(label),
        false if language == Language::En => {
            let is_named = BEFORE_THINGS.iter().any(|before| label.to_lowercase().starts_with(&format!("{before} ")));
            is_named && contains_word(text, label)
                || ["s", "es"].iter().any(|end| contains_word(text, &format!("{label}{end}")))
                || BEFORE_THINGS.iter().any(|before| contains_word(text, &format!("{before} {label}")))
        }
        false => contains_word(text, label),
    }
}

/// Whether a label stands in a text in some form: the same characters in unspaced scripts, elsewhere words with the same
/// beginnings.
fn stands_in_freely(text: &str, label: &str, language: Language) -> bool {
    let label = label.trim_end_matches(['.', '。', '،']);
    if is_unspaced(language) {
        let own: Vec<char> = label.chars().filter(|letter| letter.is_alphanumeric()).collect();
        // The end names the thing: 红色的盒子 and 盒子.
        return own.windows(own.len().clamp(1, 2)).any(|pair| text.contains(&pair.iter().collect::<String>()));
    }
    let words: Vec<Vec<char>> = words_of(text).into_iter().map(|(word, _)| word.chars().collect()).collect();
    let own: Vec<Vec<char>> = words_of(label)
        .into_iter()
        .filter(|(word, _)| !ARTICLES.contains(&word.as_str()))
        .map(|(word, _)| word.chars().collect())
        .collect();
    let alike = |one: &[char], other: &[char]| {
        let shorter = one.len().min(other.len());
        let stem = if shorter <= 4 { shorter.saturating_sub(1).max(1) } else { shorter * 3 / 5 };
        one[..stem] == other[..stem]
            // Arabic joins the article and prepositions to the word.
            || (language.is_right_to_left()
                && one.windows(stem.max(2)).any(|piece| other.windows(stem.max(2)).any(|other| piece == other)))
    };
    own.is_empty() || own.iter().any(|own| words.iter().any(|word| alike(own, word)))
}
