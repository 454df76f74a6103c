//! Reads gold answers: letters, option texts or numbers, one or several.

use serde_json::Value;

use crate::benchmark::choices::without_label;
use crate::benchmark::own::{AnswerKind, GoldBase};
use crate::benchmark::{Answer, OptionIx};
use crate::counted::counted;
use crate::name::option_letter as letter;

/// Marks around a letter.
const OPENING: [char; 7] = ['(', '[', '{', '"', '\'', '（', '【'];
const CLOSING: [char; 11] = [')', ']', '}', '"', '\'', '）', '】', '.', ':', '．', '：'];

/// Separators between several answers in one text.
const BETWEEN: [char; 5] = [',', ';', '|', '，', '、'];

/// An answer, as far as its row determines it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::benchmark) struct Gold {
    kind: AnswerKind,
    named: Vec<Named>,
}

/// An option as the data name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Option(usize),
    /// A number counted from 0 or from 1, depending on the whole file.
    Number(usize),
}

impl Gold {
    /// Read a cell. Without `kind`, a list is a label set and anything else one option.
    pub fn read(value: &Value, kind: Option<AnswerKind>, options: &Shown<'_>) -> Result<Self, String> {
        let parsed = match value {
            // An option may be in quotes itself.
            Value::String(text)
                if text.trim_start().starts_with(['[', '"'])
                    && !options.options.iter().any(|option| option.trim() == text.trim()) =>
            {
                serde_json::from_str(text).ok().filter(|parsed| matches!(parsed, Value::Array(_) | Value::String(_)))
            }
            _ => None,
        };
        let value = parsed.as_ref().unwrap_or(value);
        let kind = kind.unwrap_or(if value.is_array() { AnswerKind::Labels } else { AnswerKind::Single });
        let one = |value: &Value| named(value, options);
        let named = match (value, kind) {
            (Value::Array(list), AnswerKind::Single) if list.len() != 1 => {
                return Err(format!(
                    "{} where one is needed; pass --answers-are labels or --answers-are slots",
                    counted(list.len(), "answer")
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

    /// These options.
    pub fn of(kind: AnswerKind, options: Vec<usize>) -> Self {
        Gold { kind, named: options.into_iter().map(Named::Option).collect() }
    }

    /// The options with the highest score; `scores` has one entry per option.
    pub fn scored(scores: &[f64], kind: Option<AnswerKind>) -> Result<Self, String> {
        let most = scores.iter().copied().fold(0.0, f64::max);
        let best: Vec<usize> = (0..scores.len()).filter(|&option| scores[option] == most).collect();
        let kind = kind.unwrap_or(AnswerKind::Single);
        match best.len() {
            _ if most <= 0.0 => {
                return Err("no option has a number above 0; give the right one the highest".to_string());
            }
            several if several > 1 && kind == AnswerKind::Single => {
                return Err(format!(
                    "{several} options have the highest number, but one is right; pass --answers-are labels if all are"
                ));
            }
            _ => {}
        }
        Ok(Gold::of(kind, best))
    }

    /// The option numbers in it.
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

/// A row's options and their labels, for resolving answers.
#[derive(Debug, Clone, Copy)]
pub(in crate::benchmark) struct Shown<'a> {
    /// The texts of the options.
    pub options: &'a [String],
    /// The labels of the options in the row, one each.
    pub labels: Option<&'a [String]>,
    /// Whether digits are always numbers and never the text of an option.
    pub numbers: bool,
}

/// The option that one value names.
fn named(value: &Value, &Shown { options, labels, numbers }: &Shown<'_>) -> Result<Named, String> {
    let text = match value {
        Value::String(text) => text.trim().to_string(),
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return Err(format!("{value} where an option is needed")),
    };
    // Spreadsheets and data frames write whole numbers as 1.0.
    let whole = text.strip_suffix(".0").unwrap_or(&text);
    let number = whole.parse::<usize>().ok();
    if let (Some(number), true) = (number, numbers) {
        return Ok(Named::Number(number));
    }
    if let Some(labels) = labels {
        let like = |label: &&String| label.trim().eq_ignore_ascii_case(&text);
        match &labels.iter().enumerate().filter(|(_, label)| like(label)).map(|(at, _)| at).collect::<Vec<_>>()[..] {
            [option] => return Ok(Named::Option(*option)),
            [] if option_with_text(&text, options)?.is_none() && (number.is_some() || letter_of(&text).is_some()) => {
                return Err(format!("`{text}` is not among the options' labels: {}", beginning(&labels.join(", "))));
            }
            [] => {}
            [..] => return Err(format!("`{text}` is the label of two options; make labels unique")),
        }
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
            "`{text}` is the text of option {} and could also be a number; write the letter, or pass --gold-base",
            letter(option)
        )),
        (Some(option), _, None) | (None, Some(option), _) => Ok(Named::Option(option)),
        (None, None, Some(number)) => Ok(Named::Number(number)),
        (None, None, None) if text == "-1" => {
            Err("`-1` is not an answer but marks files without public answers; use the file with answers".to_string())
        }
        (None, None, None) => Err(format!(
            "`{}` is neither a letter from A to {} nor the text of an option nor a number",
            beginning(&text),
            letter(options.len().saturating_sub(1))
        )),
    }
}

/// A text, truncated for messages.
fn beginning(text: &str) -> String {
    const SHOWN: usize = 80;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} ..", &text[..end]),
        None => text.to_string(),
    }
}

/// The option with this text, exactly or ignoring case.
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
            let text = beginning(text);
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

/// Determines the number of the first option where answers are numbers: 0 if a 0 occurs, 1 if an option count does.
#[derive(Debug, Default)]
pub(in crate::benchmark) struct Counting {
    any: bool,
    /// The first line with a 0, and the first with the number of options.
    zero: Option<usize>,
    last: Option<usize>,
}

impl Counting {
    /// Record the answer of a row with this many options.
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

    /// The number of the first option, with the evidence in words; `None` where no answer is a number. `Err` where the
    /// evidence is missing or contradictory. `unit` is a record's name: line or row.
    pub fn base(&self, unit: &str) -> Result<Option<(GoldBase, String)>, String> {
        let said = |base: GoldBase, line, what: &str| {
            Some((base, format!("answers are numbers that count from {base}: {unit} {line} has {what}")))
        };
        match (self.zero, self.last) {
            (Some(zero), None) => Ok(said(GoldBase::Zero, zero, "a 0")),
            (None, Some(last)) => Ok(said(GoldBase::One, last, "the number of its options")),
            (Some(zero), Some(last)) => Err(format!(
                "answers are numbers that count from 0 at {unit} {zero} and from 1 at {unit} {last}; correct one of them, or pass \
                 --gold-base 0 or --gold-base 1"
            )),
            (None, None) if self.any => {
                Err("answers are numbers, and it is unclear whether the first option is 0 or 1; pass \
                     --gold-base 0 or --gold-base 1"
                    .to_string())
            }
            (None, None) => Ok(None),
        }
    }

    /// Refuse numbers that contradict a shape's numbering.
    pub fn check(&self, base: GoldBase, shape: &str, unit: &str) -> Result<(), String> {
        let contradiction = match base {
            GoldBase::Zero => self.last.map(|line| (line, "the number of its options", GoldBase::One)),
            GoldBase::One => self.zero.map(|line| (line, "0", GoldBase::Zero)),
        };
        match contradiction {
            None => Ok(()),
            Some((line, what, other)) => Err(format!(
                "the answers of {shape} count from {base}, but that of {unit} {line} is {what}; correct it, or pass --gold-base \
                 {other} if this file differs"
            )),
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

    fn shown(options: &[String], numbers: bool) -> Shown<'_> {
        Shown { options, labels: None, numbers }
    }

    fn check(value: Value, kind: Option<AnswerKind>, expected: &[usize]) {
        let options = options(&["Red box", "blue", "a"]);
        let gold = Gold::read(&value, kind, &shown(&options, false)).unwrap_or_else(|error| panic!("{value}: {error}"));
        assert_eq!(gold.answer(GoldBase::One, 3).unwrap().options(), expected, "{value}");
    }

    #[test]
    fn an_answer_is_a_letter_a_text_or_a_number() {
        for value in [json!("B"), json!("b"), json!("(b)"), json!("[B]"), json!("B."), json!(" b) "), json!("\"B\"")] {
            check(value, None, &[1]);
        }
        check(json!("red box"), None, &[0]);
        let quoted = self::options(&["\"Come in\"", "Come in"]);
        let gold = Gold::read(&json!("\"Come in\""), None, &shown(&quoted, false)).unwrap();
        assert_eq!(gold.answer(GoldBase::One, 2).unwrap().options(), [0]);
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
    fn labels_of_the_row_name_options() {
        let (texts, labels) = (options(&["x", "y"]), options(&["2", "1"]));
        let read = |value: Value, numbers| {
            Gold::read(&value, None, &Shown { options: &texts, labels: Some(&labels), numbers })
        };
        let option = |gold: Gold| gold.answer(GoldBase::One, 2).unwrap().options();
        assert_eq!(option(read(json!("1"), false).unwrap()), [1]);
        assert_eq!(option(read(json!(2.0), true).unwrap()), [1], "numbers were said");
        assert_eq!(option(read(json!("y"), false).unwrap()), [1]);
        assert!(read(json!(3), false).unwrap_err().contains("not among the options' labels: 2, 1"));
    }

    #[test]
    fn the_highest_score_is_right() {
        let scored =
            |scores: &[f64], kind| Gold::scored(scores, kind).map(|gold| gold.answer(GoldBase::One, 3).unwrap());
        assert_eq!(scored(&[0.0, 1.0, 0.5], None).unwrap().options(), [1]);
        assert_eq!(scored(&[1.0, 1.0, 0.0], Some(AnswerKind::Labels)).unwrap().options(), [0, 1]);
        assert!(scored(&[1.0, 1.0], None).unwrap_err().contains("2 options have the highest number"));
        assert!(scored(&[0.0, 0.0], None).unwrap_err().contains("no option has a number above 0"));
    }

    #[test]
    fn what_is_unclear_is_refused() {
        let error =
            |value: Value, texts: &[&str]| Gold::read(&value, None, &shown(&options(texts), false)).unwrap_err();
        assert!(error(json!("B"), &["B", "A"]).contains("and the letter of another"));
        assert!(error(json!("x"), &["x", "y", "x"]).contains("options A and C"));
        assert!(error(json!("2"), &["1", "2"]).contains("--gold-base"));
        assert!(error(json!("Z"), &["x", "y"]).contains("neither a letter from A to B"));
        assert!(error(json!(null), &["x", "y"]).contains("null"));
        let two = Gold::read(&json!(["A", "B"]), Some(AnswerKind::Single), &shown(&options(&["x", "y"]), false));
        assert!(two.unwrap_err().contains("--answers-are labels"));
        let number = Gold::read(&json!("2"), None, &shown(&options(&["1", "2"]), true)).unwrap();
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
            counting.base("line").map(|base| base.map(|(base, _)| base))
        };
        assert_eq!(base_of(&[]), Ok(None));
        assert_eq!(base_of(&[1, 0, 2]), Ok(Some(GoldBase::Zero)));
        assert_eq!(base_of(&[1, 3]), Ok(Some(GoldBase::One)));
        assert!(base_of(&[1, 2]).unwrap_err().contains("--gold-base 0 or --gold-base 1"));
        assert!(base_of(&[1, 3, 0]).unwrap_err().contains("from 0 at line 4 and from 1 at line 3"));
    }
}
