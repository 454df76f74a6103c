//! Replies to several questions: finds the entry of one question by number or name, and reads it by the same
//! rules as a reply to that question alone.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::thinking::{QUESTION, visible};
use super::{Outcome, Question, Reading, Rules, read};

/// The question of a prompt that a reply is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct QuestionPart {
    /// Number of the question, from 1.
    pub question: usize,
    /// Number of questions that the reply answers.
    pub of: usize,
}

/// Maximum length of a word before a number within a line: after a longer word, the number counts something else.
const SHORT_WORD: usize = 1;

/// Digits, in any script, that may number a question: group 1 is the number with the word before it.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    let word = format!(r"(?:{QUESTION}|answer|no\.?|antwort|réponse|第|ответ)");
    let marks = r#"["'*_\])）】]*"#;
    let expression = format!(
        r#"(?i)(?:^|[\s,;，；、|({{\["'*_#>])({word}?[\s#*_]*(\d{{1,4}})\s*[题題問]?){marks}[ \t]*(?:[:.)=：、．）।]|-+>|→|\||-\s|\t)"#
    );
    Regex::new(&expression).expect("a fixed expression")
});

/// Double brackets around a short answer, the format that prompts request.
static BRACKETS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[\[[^\[\]\n]{1,40}\]\]").expect("a fixed expression"));

/// Reads the answer to one question from a reply to several. `name` is an alternative key to its number, as in a map
/// from question ids to answers. Positions are bytes of `text`.
///
/// The entry of a question begins after its number (or name) and ends before the next one; the last entry with content
/// counts. A reply without numbers is split if it has exactly as many lines, bracketed answers or listed answers as
/// there were questions. A question that the reply skips has no answer, regardless of the others.
pub fn read_part(rules: Rules, question: &Question, part: QuestionPart, name: &str, text: &str, cut: bool) -> Reading {
    let parts = visible(text).parts;
    if let Some(reading) = named(rules, question, name, text, &parts) {
        return reading;
    }
    let entries = entries(text, &parts);
    let own = |entry: &Entry| entry.number == part.question;
    let readings = entries.iter().filter(|entry| own(entry)).map(|entry| {
        let last = entries.last().is_some_and(|last| last.place == entry.place);
        read_at(rules, question, text, entry.place.clone(), cut && last)
    });
    let (said, silent): (Vec<Reading>, Vec<Reading>) = readings.partition(|reading| reading.outcome != Outcome::None);
    if let Some(reading) = said.into_iter().next_back().or(silent.into_iter().next_back()) {
        return reading;
    }
    let numbered = entries.iter().any(|entry| (1..=part.of).contains(&entry.number));
    if !numbered {
        if part.of == 1 {
            return read(rules, question, text, cut);
        }
        if let Some(place) = piece(text, &parts, part, cut) {
            return read_at(rules, question, text, place, false);
        }
        let whole = read(rules, question, text, cut);
        if matches!(whole.outcome, Outcome::Refused | Outcome::CutOff) {
            return whole;
        }
    }
    let reached = entries.iter().map(|entry| entry.number).filter(|&number| number <= part.of).max().unwrap_or(0);
    let outcome = if cut && part.question > reached { Outcome::CutOff } else { Outcome::None };
    Reading { rule: Some("not-named".to_string()), ..Reading::without(outcome) }
}

fn read_at(rules: Rules, question: &Question, text: &str, place: Range<usize>, cut: bool) -> Reading {
    let found = read(rules, question, &text[place.clone()], cut);
    let moved = |at: Option<usize>| at.map(|at| at + place.start);
    Reading { start: moved(found.start), end: moved(found.end), ..found }
}

/// Reads the text after the last use of a name as a key.
fn named(rules: Rules, question: &Question, name: &str, text: &str, parts: &[Range<usize>]) -> Option<Reading> {
    if name.is_empty() || name.chars().all(char::is_numeric) {
        return None;
    }
    let key = Regex::new(&format!(r#"(?:^|[^\w]){}["'*_`\])]*\s*[:=：.]\s*([^,\n}}]*)"#, regex::escape(name))).ok()?;
    let found = parts.iter().flat_map(|part| {
        key.captures_iter(&text[part.clone()]).filter_map(|captures| {
            let value = captures.get(1)?;
            Some(part.start + value.start()..part.start + value.end())
        })
    });
    let readings = found.map(|place| read_at(rules, question, text, place, false));
    readings.filter(|reading| reading.outcome != Outcome::None).last()
}

/// The text after the number of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    number: usize,
    place: Range<usize>,
}

/// The entries of a reply, in order. A number begins an entry at the beginning of a line, even if no question has that
/// number, and within a line if it continues the previous number.
fn entries(text: &str, parts: &[Range<usize>]) -> Vec<Entry> {
    let mut starts: Vec<(usize, Range<usize>)> = Vec::new();
    for part in parts {
        let (mut from, mut line, mut seen) = (part.start, part.start, part.start);
        while let Some(captures) = NUMBER.captures(&text[from..part.end]) {
            let (Some(whole), Some(mark), Some(digits)) = (captures.get(0), captures.get(1), captures.get(2)) else {
                break;
            };
            let mark = from + mark.start()..from + whole.end();
            line = text[seen..mark.start].rfind('\n').map_or(line, |at| seen + at + 1);
            seen = mark.start;
            // The mark after a number may also precede the next one.
            from += digits.end();
            let Some(number) = number_of(digits.as_str()) else { continue };
            let begins_line = !text[line..mark.start].contains(char::is_alphanumeric);
            let follows = starts.last().map_or(1, |(last, _)| last + 1) == number;
            let goes_on =
                text[mark.end..part.end].trim_start_matches([' ', '\t', '\r']).starts_with(|next| next != '\n');
            let within = follows && goes_on && !counts_a_noun(&text[line..mark.start]);
            if begins_line || within {
                starts.push((number, mark));
            }
        }
    }
    let end = parts.last().map_or(0, |part| part.end);
    let ends = starts.iter().skip(1).map(|(_, mark)| mark.start).chain([end]).collect::<Vec<_>>();
    starts.into_iter().zip(ends).map(|((number, mark), end)| Entry { number, place: mark.end.min(end)..end }).collect()
}

/// Whether the word before a number means that it counts something else, as in `scenario 2`.
fn counts_a_noun(before: &str) -> bool {
    let word = before.trim_end_matches([' ', '\t']).chars().rev().take_while(|letter| letter.is_alphanumeric());
    word.count() > SHORT_WORD
}

/// Parses a number in the digits of any script.
fn number_of(digits: &str) -> Option<usize> {
    const ZEROS: [char; 6] = ['0', '٠', '۰', '०', '০', '０'];
    digits.chars().try_fold(0usize, |number, digit| {
        let value =
            ZEROS.iter().find_map(|&zero| (digit as u32).checked_sub(zero as u32).filter(|value| *value < 10))?;
        Some(number * 10 + value as usize)
    })
}

/// The range of a question in a reply without numbers that has exactly one line, one pair of brackets or one listed
/// answer per question. A reply that was cut off may lack its end, so its pieces cannot be assigned by counting.
fn piece(text: &str, parts: &[Range<usize>], part: QuestionPart, cut: bool) -> Option<Range<usize>> {
    if cut {
        return None;
    }
    let mut brackets = Vec::new();
    let mut lines = Vec::new();
    for visible in parts {
        let shown = &text[visible.clone()];
        brackets
            .extend(BRACKETS.find_iter(shown).map(|found| visible.start + found.start()..visible.start + found.end()));
        let mut at = visible.start;
        for line in shown.split_inclusive('\n') {
            if !line.trim().is_empty() {
                lines.push(at..at + line.len());
            }
            at += line.len();
        }
    }
    let mut listed = Vec::new();
    if let [line] = &lines[..] {
        let mut at = line.start;
        for item in text[line.clone()].split_inclusive([',', ';', '，', '、', '؛', '،']) {
            listed.push(at..at + item.len());
            at += item.len();
        }
    }
    let fitting = [brackets, lines, listed].into_iter().find(|pieces| pieces.len() == part.of)?;
    fitting.get(part.question.checked_sub(1)?).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Kind;
    use crate::language::Language;

    fn reading(text: &str, question: usize, of: usize, cut: bool) -> Reading {
        let labels = ["a", "b", "c", "d"].map(String::from);
        let options = ["In the bag", "In the tin", "In the oven", "In the fridge"].map(String::from);
        let asked =
            Question { language: Language::En, kind: Kind::Single, labels: &labels, options: &options, count: 1 };
        read_part(Rules::Ours, &asked, QuestionPart { question, of }, &format!("type_{question}"), text, cut)
    }

    fn slots(text: &str, of: usize) -> Vec<Option<usize>> {
        (1..=of).map(|question| reading(text, question, of, false).slots.first().copied()).collect()
    }

    #[test]
    fn every_question_has_the_answer_behind_its_number() {
        for text in [
            "1. [[b]]\n2. [[d]]\n3. [[a]]",
            "1: b\n2: d\n3: a",
            "**1.** b\n\n**2.** d\n\n**3.** a",
            "Question 1: b. In the tin\nQuestion 2: d\nQuestion 3: a",
            "{\"1\": \"b\", \"2\": \"d\", \"3\": \"a\"}",
            "{\"type_1\": \"b\", \"type_2\": \"d\", \"type_3\": \"a\"}",
            "Here you are: 1. b 2. d 3. a",
            "1) b, 2) d, 3) a",
            "3. [[a]]\n1. [[b]]\n2. [[d]]",
            "| 1 | b |\n| 2 | d |\n| 3 | a |",
            "<think>1. [[c]]\n2. [[c]]</think>1. [[b]]\n2. [[d]]\n3. [[a]]",
            "1. [[b]]\n2. [[c]]\n3. [[a]]\n\n2. [[d]]",
            "1. In the tin\n2. In the fridge\n3. In the bag",
            "第1题：b\n第2题：d\n第3题：a",
            "১. [[b]]\n২. [[d]]\n৩. [[a]]",
        ] {
            assert_eq!(slots(text, 3), [Some(1), Some(3), Some(0)], "{text}");
        }
    }

    #[test]
    fn answers_without_numbers_are_taken_in_order_where_there_is_one_for_each() {
        for text in ["[[b]]\n[[d]]\n[[a]]", "[[b]], [[d]], [[a]]", "b\nd\na", "b, d, a"] {
            assert_eq!(slots(text, 3), [Some(1), Some(3), Some(0)], "{text}");
        }
        assert_eq!(slots("b, d", 3), [None; 3]);
        assert_eq!(slots("[[b]]", 3), [None; 3], "nobody knows which it answers");
        assert_eq!(slots("[[b]]", 1), [Some(1)]);
    }

    #[test]
    fn what_is_passed_over_has_no_answer_and_says_why() {
        let outcome = |text: &str, question: usize, cut: bool| reading(text, question, 3, cut).outcome;
        assert_eq!(outcome("1. [[b]]\n3. [[a]]", 2, false), Outcome::None);
        assert_eq!(outcome("1. [[b]]\n2. Because", 3, true), Outcome::CutOff);
        assert_eq!(outcome("1. [[b]]\n3. Because", 2, true), Outcome::None);
        assert_eq!(outcome("I'm sorry, but I cannot answer that.", 2, false), Outcome::Refused);
        assert_eq!(outcome("1. a or b\n2. [[d]]\n3. [[a]]", 1, false), Outcome::Ambiguous);
        assert_eq!(outcome("", 1, false), Outcome::None);
        assert_eq!(outcome("", 1, true), Outcome::CutOff);
        assert_eq!(reading("1. [[b]]\n2. [[d]]", 3, 3, false).rule.as_deref(), Some("not-named"));
    }

    #[test]
    fn numbers_of_other_things_begin_no_entry() {
        let text = "1. [[b]] since it moved in scenario 2. Then he left.\n2. [[d]]\n3. [[a]]";
        assert_eq!(slots(text, 3), [Some(1), Some(3), Some(0)]);
        assert_eq!(slots("1. [[b]]\n2. [[d]]\n3. [[a]]\n14. [[c]]", 3), [Some(1), Some(3), Some(0)]);
    }

    #[test]
    fn the_place_is_that_in_the_whole_reply() {
        let text = "Sure:\n1. [[b]]\n2. **[[d]]**\n3. [[a]]";
        let found = reading(text, 2, 3, false);
        assert_eq!(&text[found.start.unwrap()..found.end.unwrap()], "d");
    }

    proptest::proptest! {
        #[test]
        fn any_reply_has_a_reading_within_it(
            parts in proptest::collection::vec(proptest::prop_oneof![
                "\\PC{0,8}",
                proptest::sample::select(vec![
                    "1. ", "2: ", "3)", "[[a]]", "[[", "\n", "b", "<think>", "</think>", "type_2\": \"c\"", "é", "१.", ", ", "|", "Q2 ",
                ]).prop_map(String::from),
            ], 0..14),
            question in 1usize..4,
            cut: bool,
        ) {
            let text = parts.concat();
            let found = reading(&text, question, 3, cut);
            proptest::prop_assert!(found.slots.iter().all(|slot| *slot < 4));
            if let (Some(start), Some(end)) = (found.start, found.end) {
                proptest::prop_assert!(text.get(start..end).is_some(), "{start}..{end} of {text:?}");
            }
        }
    }

    use proptest::strategy::Strategy;
}
