//! What the cells of a table hold; [`fmt::Display`] is how a terminal, Markdown and JSON print it.

use std::borrow::Cow;
use std::fmt;

use indicatif::HumanCount;
use serde::{Serialize, Serializer};

/// Content of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// There should be a value; below the table stands why there is none, if it is known.
    Missing(Option<String>),
    /// Words; empty where nothing belongs.
    Text(String),
    /// A number.
    Number(Number),
    /// From one number to another.
    Range(Number, Number),
    /// A number with its interval in brackets.
    Estimate(Number, Number, Number),
}

/// A number and how it is printed.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    value: f64,
    digits: Digits,
    /// What stands in front of it, such as `<`.
    mark: &'static str,
    /// What stands behind it, such as ` %`.
    unit: Cow<'static, str>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Digits {
    /// All that tell it from other numbers.
    All,
    /// As many after the point.
    Places(usize),
    /// The same, positive numbers with their sign.
    Signed(usize),
    /// In scientific notation, as many after the point.
    Exponent(usize),
    /// A count, with commas between thousands.
    Grouped,
}

impl Number {
    fn new(value: f64, digits: Digits) -> Number {
        Number { value, digits, mark: "", unit: Cow::Borrowed("") }
    }

    /// `-`, `+` where positive numbers have a sign, or nothing.
    pub fn sign(&self) -> &'static str {
        match self.digits {
            _ if self.value.is_nan() => "",
            _ if self.value.is_sign_negative() => "-",
            Digits::Signed(_) => "+",
            _ => "",
        }
    }

    /// All after the sign.
    pub fn unsigned(&self) -> String {
        let size = self.value.abs();
        let digits = match self.digits {
            Digits::All => size.to_string(),
            Digits::Places(places) | Digits::Signed(places) => format!("{size:.places$}"),
            Digits::Exponent(places) => format!("{size:.places$e}"),
            Digits::Grouped => HumanCount(size as u64).to_string(),
        };
        format!("{}{digits}{}", self.mark, self.unit)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.sign(), self.unsigned())
    }
}

impl Value {
    fn new(value: Option<f64>, digits: Digits) -> Value {
        value.map_or(Value::Missing(None), |value| Value::Number(Number::new(value, digits)))
    }

    /// A number with as many digits after the point.
    pub fn places(value: impl Into<Option<f64>>, places: usize) -> Value {
        Value::new(value.into(), Digits::Places(places))
    }

    /// A difference: positive ones have their sign, too.
    pub fn signed(value: impl Into<Option<f64>>, places: usize) -> Value {
        Value::new(value.into(), Digits::Signed(places))
    }

    /// A number with all its digits, for programs.
    pub fn exact(value: impl Into<Option<f64>>) -> Value {
        Value::new(value.into(), Digits::All)
    }

    /// A number in scientific notation, with as many digits after the point.
    pub fn exponent(value: f64, places: usize) -> Value {
        Value::new(Some(value), Digits::Exponent(places))
    }

    /// A count with commas between thousands.
    pub fn grouped(count: usize) -> Value {
        Value::new(Some(count as f64), Digits::Grouped)
    }

    /// A p-value with as many digits after the point; one that these cannot show is given as a bound.
    pub fn p(p: Option<f64>, places: usize) -> Value {
        let least = 10f64.powi(-(places as i32));
        match p {
            Some(p) if p < least => Value::places(least, places).marked("<"),
            p => Value::places(p, places),
        }
    }

    /// An interval whose ends have as many digits after the point.
    pub fn range(ends: Option<(f64, f64)>, places: usize) -> Value {
        Value::between(ends, Digits::Places(places))
    }

    /// The same of a difference.
    pub fn signed_range(ends: Option<(f64, f64)>, places: usize) -> Value {
        Value::between(ends, Digits::Signed(places))
    }

    fn between(ends: Option<(f64, f64)>, digits: Digits) -> Value {
        let range = |(low, high)| Value::Range(Number::new(low, digits), Number::new(high, digits));
        ends.map_or(Value::Missing(None), range)
    }

    /// Both ends of a rank, or the only one.
    pub fn rank((from, to): (usize, usize)) -> Value {
        if from == to { from.into() } else { Value::range(Some((from as f64, to as f64)), 0) }
    }

    /// A number with its interval, if there is one.
    pub fn within(self, ends: Option<(f64, f64)>, places: usize) -> Value {
        match (self, Value::range(ends, places)) {
            (Value::Number(number), Value::Range(low, high)) => Value::Estimate(number, low, high),
            (value, _) => value,
        }
    }

    /// The number behind a mark, such as `<`.
    pub fn marked(self, mark: &'static str) -> Value {
        match self {
            Value::Number(number) => Value::Number(Number { mark, ..number }),
            value => value,
        }
    }

    /// The number in front of its unit, such as ` %`.
    pub fn unit(self, unit: impl Into<Cow<'static, str>>) -> Value {
        match self {
            Value::Number(number) => Value::Number(Number { unit: unit.into(), ..number }),
            value => value,
        }
    }

    /// A missing value with the reason for it; any other value as it is.
    pub fn or_reason(self, reason: &Option<String>) -> Value {
        if self == Value::Missing(None) { Value::Missing(reason.clone()) } else { self }
    }

    /// Whether the cell holds neither words nor a value.
    pub fn is_blank(&self) -> bool {
        matches!(self, Value::Missing(_)) || self.is_empty()
    }

    /// Whether nothing belongs in the cell.
    pub fn is_empty(&self) -> bool {
        matches!(self, Value::Text(text) if text.is_empty())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Missing(_) => f.pad("-"),
            Value::Text(text) => f.pad(text),
            Value::Number(number) => f.pad(&number.to_string()),
            Value::Range(low, high) => f.pad(&format!("{low} to {high}")),
            Value::Estimate(number, low, high) => f.pad(&format!("{number} ({low} to {high})")),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Default for Value {
    fn default() -> Value {
        Value::Text(String::new())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Value {
        Value::Text(text.clone())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_string())
    }
}

impl From<usize> for Value {
    fn from(count: usize) -> Value {
        Value::places(count as f64, 0)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Missing(None), Into::into)
    }
}

/// A row of values, each of what a [`Value`] can be made of.
macro_rules! cells {
    ($($cell:expr),* $(,)?) => { vec![$($crate::table::Value::from($cell)),*] };
}
pub(crate) use cells;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_digits_signs_and_marks() {
        let cases = [
            (Value::places(50.04, 1), "50.0"),
            (Value::places(-0.04, 1), "-0.0"),
            (Value::places(None, 1), "-"),
            (Value::places(20.0, 1).unit("*"), "20.0*"),
            (Value::signed(0.0, 2), "+0.00"),
            (Value::exact(-0.1), "-0.1"),
            (Value::exponent(0.00012, 0), "1e-4"),
            (Value::grouped(13826), "13,826"),
            (Value::from(13826), "13826"),
            (Value::p(Some(0.00001), 4), "<0.0001"),
            (Value::p(Some(0.0001), 4), "0.0001"),
            (Value::places(0.0125, 4).marked("~"), "~0.0125"),
            (Value::range(Some((9.5, 90.5)), 1), "9.5 to 90.5"),
            (Value::signed_range(Some((-8.8, 28.8)), 1), "-8.8 to +28.8"),
            (Value::rank((2, 2)), "2"),
            (Value::rank((2, 13)), "2 to 13"),
            (Value::places(50.0, 1).within(Some((40.0, 60.0)), 1), "50.0 (40.0 to 60.0)"),
            (Value::places(50.0, 1).within(None, 1), "50.0"),
            (Value::places(f64::NAN, 1), "NaN"),
        ];
        for (value, text) in cases {
            assert_eq!(value.to_string(), text, "{value:?}");
            assert_eq!(format!("{value:>20}"), format!("{text:>20}"));
        }
    }
}
