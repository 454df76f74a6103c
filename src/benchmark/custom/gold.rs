//! Reads gold answers: letters, option texts or numbers, one or several.

use serde_json::Value;

use crate::benchmark::choices::without_label;
use crate::benchmark::own::{AnswerKind, GoldBase};
use crate::benchmark::{Answer, OptionIx};
use crate::name::option_letter as letter;

/// Marks around a letter.
const OPENING: [char; 7] = ['(', '[', '{', '"', '\'', '（', '【'];
const CLOSING: [char; 11] = [')', ']', '}', '"', '\'', '）', '】', '.', ':', '．', '：'];

/// Marks between several answers in one text.
const BETWEEN: [char; 5] = [',', ';', '|', '，', '、'];

/// An answer as far as one row tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gold {
    kind: AnswerKind,
    named: Vec<Named>,
}

/// An option as the data name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Option(usize),
    /// A number that counts from 0 or from 1: the whole file tells which.
    Number(usize),
}

impl Gold {
    /// Read a cell. Without `kind`, a list is a label set and anything else one option. Where `numbers` is set, digits are
    /// always numbers and never the text of an option.
    pub fn read(value: &Value, kind: Option<AnswerKind>, options: &[String], numbers: bool) -> Result<Self, String> {
        let parsed = match value {
            Value::String(text) if text.trim_start().starts_with(['[', '"']) => {
                serde_json::from_str(text).ok().filter(|parsed| matches!(parsed, Value::Array(_) | Value::String(_)))
            }
            _ => None,
        };
        let value = parsed.as_ref().unwrap_or(value);
        let kind = kind.unwrap_or(if value.is_array() { AnswerKind::Labels } else { AnswerKind::Single });
        let one = |value: &Value| named(value, options, numbers);
        let named = match (value, kind) {
            (Value::Array(list), AnswerKind::Single) if list.len() != 1 => {
                return Err(format!(
                    "{} answers where one is needed; pass --answers labels or --answers slots",
                    list.len()
                ));
            }
            (Value::Array(list), _) => list.iter().map(one).collect::<Result<_, _>>()?,
            (value, AnswerKind::Single) => vec![one(value)?],
            (Value::String(text), _) => match one(value) {
                Ok(single) => vec![single],
                Err(_) => {
                    let parts = text.split(BETWEEN).map(str::trim).filter(|part| !part.is_empty());
                    parts.map(|part| one(&Value::from(part))).collect::<Result<_, _>>()?
                }
            },
            (value, _) => vec![one(value)?],
        };
        if named.is_empty() && kind == AnswerKind::Slots {
            return Err("empty list, but each slot needs an answer".to_string());
        }
        Ok(Gold { kind, named })
    }

    /// The numbers it holds.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        self.named.iter().filter_map(|named| match named {
            Named::Number(number) => Some(*number),
            Named::Option(_) => None,
        })
    }

    /// The answer, where options are numbered from `base`.
    pub fn answer(&self, base: GoldBase, options: usize) -> Result<Answer, String> {
        let option = |named: &Named| match *named {
            Named::Option(option) => Ok(OptionIx(option)),
            Named::Number(number) => base
                .position(number)
                .filter(|&position| position < options)
                .map(OptionIx)
                .ok_or_else(|| format!("`{number}`, but the {options} options count from {}", base.name())),
        };
        let mut chosen = self.named.iter().map(option).collect::<Result<Vec<OptionIx>, String>>()?;
        match self.kind {
            AnswerKind::Single => chosen.pop().map(Answer::Single).ok_or_else(|| "no answer".to_string()),
            AnswerKind::Labels => Ok(Answer::Labels(chosen.into_iter().collect())),
            AnswerKind::Slots => Ok(Answer::Slots(chosen)),
        }
    }
}

/// The option that one value names.
fn named(value: &Value, options: &[String], numbers: bool) -> Result<Named, String> {
    let text = match value {
        Value::String(text) => text.trim().to_string(),
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return Err(format!("{value} where an option is needed")),
    };
    let number = text.parse::<usize>().ok();
    if let (Some(number), true) = (number, numbers) {
        return Ok(Named::Number(number));
    }
    let by_text = match option_with_text(&text, options)? {
        None => options.iter().enumerate().position(|(at, option)| {
            without_label(&text, &letter(at)).is_some_and(|rest| rest.trim() == option.trim())
        }),
        found => found,
    };
    let by_letter = letter_of(&text).filter(|&option| option < options.len());
    match (by_text, by_letter, number) {
        (Some(one), Some(other), _) if one != other => Err(format!(
            "`{text}` is the text of option {} and the letter of another; write the right option's letter in brackets, ({}) \
             or ({})",
            letter(one),
            letter(one),
            letter(other)
        )),
        (Some(option), _, Some(_)) => Err(format!(
            "`{text}` is the text of option {} and could be a number; write the letter, or pass --gold-base",
            letter(option)
        )),
        (Some(option), _, None) | (None, Some(option), _) => Ok(Named::Option(option)),
        (None, None, Some(number)) => Ok(Named::Number(number)),
        (None, None, None) => Err(format!(
            "`{text}` is neither a letter from A to {} nor the text of an option nor a number",
            letter(options.len().saturating_sub(1))
        )),
    }
}

/// The option with this text, exactly or but for case.
fn option_with_text(text: &str, options: &[String]) -> Result<Option<usize>, String> {
    let with = |same: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (0..options.len()).filter(|&option| same(options[option].trim())).collect()
    };
    let mut found = with(&|option| option == text);
    if found.is_empty() {
        let folded = text.to_lowercase();
        found = with(&|option| option.to_lowercase() == folded);
    }
    match found[..] {
        [] => Ok(None),
        [option] => Ok(Some(option)),
        [one, other, ..] => {
            Err(format!("`{text}` is the text of the options {} and {}; write the letter", letter(one), letter(other)))
        }
    }
}

/// The number, from 0, of a letter in any case, with or without brackets, full stop or colon.
fn letter_of(text: &str) -> Option<usize> {
    let bare = text.trim_start_matches(OPENING).trim_end_matches(CLOSING).trim();
    match bare.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(usize::from(letter.to_ascii_lowercase() - b'a')),
        _ => None,
    }
}

/// What tells from which number options count, where answers are numbers: from 0 if a 0 occurs, from 1 if an option count does.
#[derive(Debug, Default)]
pub(super) struct Counting {
    any: bool,
    /// The first lines with a 0, and with the number of options.
    zero: Option<usize>,
    last: Option<usize>,
}

impl Counting {
    /// Note the answer of a row with so many options.
    pub fn add(&mut self, line: usize, gold: &Gold, options: usize) {
        for number in gold.numbers() {
            self.any = true;
            if number == 0 {
                self.zero.get_or_insert(line);
            }
            if number == options {
                self.last.get_or_insert(line);
            }
        }
    }

    /// From which number they count, `None` where no answer is a number; `Err` where nothing tells, or both are told.
    pub fn base(&self) -> Result<Option<GoldBase>, String> {
        match (self.zero, self.last) {
            (Some(_), None) => Ok(Some(GoldBase::Zero)),
            (None, Some(_)) => Ok(Some(GoldBase::One)),
            (Some(zero), Some(last)) => Err(format!(
                "answers are numbers that count from 0 at line {zero} and from 1 at line {last}; correct one of them, or pass \
                 --gold-base 0 or --gold-base 1"
            )),
            (None, None) if self.any => {
                Err("answers are numbers, and nothing tells whether the first option is 0 or 1; pass \
                     --gold-base 0 or --gold-base 1"
                    .to_string())
            }
            (None, None) => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn options(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| text.to_string()).collect()
    }

    fn check(value: Value, kind: Option<AnswerKind>, expected: &[usize]) {
        let options = options(&["Red box", "blue", "a"]);
        let gold = Gold::read(&value, kind, &options, false).unwrap_or_else(|error| panic!("{value}: {error}"));
        assert_eq!(gold.answer(GoldBase::One, 3).unwrap().options(), expected, "{value}");
    }

    #[test]
    fn an_answer_is_a_letter_a_text_or_a_number() {
        for value in [json!("B"), json!("b"), json!("(b)"), json!("[B]"), json!("B."), json!(" b) "), json!("\"B\"")] {
            check(value, None, &[1]);
        }
        check(json!("red box"), None, &[0]);
        check(json!("Red box"), None, &[0]);
        check(json!("B. blue"), None, &[1]);
        check(json!(2), None, &[1]);
        check(json!("3"), None, &[2]);
        check(json!(["B"]), Some(AnswerKind::Single), &[1]);
    }

    #[test]
    fn several_answers_are_a_set_or_slots() {
        check(json!(["c)", "B"]), None, &[1, 2]);
        check(json!("[\"Red box\", \"blue\"]"), None, &[0, 1]);
        check(json!([]), None, &[]);
        check(json!("B; (C)"), Some(AnswerKind::Labels), &[1, 2]);
        check(json!("B, red box, B"), Some(AnswerKind::Slots), &[1, 0, 1]);
        check(json!("blue"), Some(AnswerKind::Labels), &[1]);
    }

    #[test]
    fn what_is_unclear_is_refused() {
        let error = |value: Value, texts: &[&str]| Gold::read(&value, None, &options(texts), false).unwrap_err();
        assert!(error(json!("B"), &["B", "A"]).contains("and the letter of another"));
        assert!(error(json!("x"), &["x", "y", "x"]).contains("options A and C"));
        assert!(error(json!("2"), &["1", "2"]).contains("--gold-base"));
        assert!(error(json!("Z"), &["x", "y"]).contains("neither a letter from A to B"));
        assert!(error(json!(null), &["x", "y"]).contains("null"));
        let two = Gold::read(&json!(["A", "B"]), Some(AnswerKind::Single), &options(&["x", "y"]), false);
        assert!(two.unwrap_err().contains("--answers labels"));
        let number = Gold::read(&json!("2"), None, &options(&["1", "2"]), true).unwrap();
        assert_eq!(number.answer(GoldBase::One, 2).unwrap().options(), [1]);
        assert!(number.answer(GoldBase::Zero, 2).unwrap_err().contains("`2`, but the 2 options count from 0"));
    }

    #[test]
    fn numbers_tell_where_they_count_from() {
        let base_of = |numbers: &[usize]| {
            let golds: Vec<Gold> = numbers
                .iter()
                .map(|&number| Gold { kind: AnswerKind::Single, named: vec![Named::Number(number)] })
                .collect();
            let mut counting = Counting::default();
            golds.iter().enumerate().for_each(|(at, gold)| counting.add(at + 2, gold, 3));
            counting.base()
        };
        assert_eq!(base_of(&[]), Ok(None));
        assert_eq!(base_of(&[1, 0, 2]), Ok(Some(GoldBase::Zero)));
        assert_eq!(base_of(&[1, 3]), Ok(Some(GoldBase::One)));
        assert!(base_of(&[1, 2]).unwrap_err().contains("--gold-base 0 or --gold-base 1"));
        assert!(base_of(&[1, 3, 0]).unwrap_err().contains("from 0 at line 4 and from 1 at line 3"));
    }
}
