//! Texts with blanks: `{field}` stands for a row's value of that name, `{{` and `}}` for braces.

use serde_json::Value;

/// A text with blanks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::benchmark) struct Template {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Words(String),
    Blank(Blank),
}

/// A blank of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::benchmark) struct Blank {
    /// Names of values; the first that is there is taken.
    pub names: Vec<String>,
    /// Whether its first letter becomes a capital.
    pub capital: bool,
}

impl Blank {
    /// The blank of one value, taken as it is.
    pub fn of(name: String) -> Self {
        Blank { names: vec![name], capital: false }
    }

    /// A blank as cards write it: names separated by `|`, and perhaps `:capital`.
    pub fn of_card(inside: &str) -> Self {
        let (names, capital) = match inside.strip_suffix(":capital") {
            Some(names) => (names, true),
            None => (inside, false),
        };
        Blank { names: names.split('|').map(|name| name.trim().to_string()).collect(), capital }
    }
}

impl Template {
    /// A text split at its blanks, which `blank` reads.
    pub fn parse(text: &str, blank: impl Fn(&str) -> Blank) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut words = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            words.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                words.push_str(brace);
                rest = after;
                continue;
            }
            let name = (brace == "{").then(|| rest.split_once('}')).flatten();
            let Some((name, after)) = name else {
                return Err(format!("unmatched `{brace}`; double a literal brace"));
            };
            if !words.is_empty() {
                pieces.push(Piece::Words(std::mem::take(&mut words)));
            }
            pieces.push(Piece::Blank(blank(name)));
            rest = after;
        }
        words.push_str(rest);
        if !words.is_empty() {
            pieces.push(Piece::Words(words));
        }
        Ok(Template { pieces })
    }

    /// A text without blanks.
    pub fn words(words: impl Into<String>) -> Self {
        Template { pieces: vec![Piece::Words(words.into())] }
    }

    /// The text, if it has no blanks.
    pub fn as_words(&self) -> Option<&str> {
        match &self.pieces[..] {
            [Piece::Words(words)] => Some(words),
            _ => None,
        }
    }

    /// The names in its blanks.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let blanks = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Blank(blank) => Some(blank),
            Piece::Words(_) => None,
        });
        blanks.flat_map(|blank| &blank.names).map(String::as_str)
    }

    /// Its value: that of its only blank as it is, or else a text. `Err` is the blank whose value is missing, empty,
    /// or not a text, number or truth value where one is needed.
    pub fn value(&self, get: &dyn Fn(&str) -> Option<Value>) -> Result<Value, String> {
        let first = |blank: &Blank| blank.names.iter().find_map(|name| get(name).filter(is_something));
        if let [Piece::Blank(blank)] = &self.pieces[..]
            && !blank.capital
        {
            return first(blank).ok_or_else(|| blank.names.join(" or "));
        }
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Words(words) => text.push_str(words),
                Piece::Blank(blank) => {
                    let value = first(blank).as_ref().and_then(scalar).ok_or_else(|| blank.names.join(" or "))?;
                    match blank.capital {
                        true => text.push_str(&capitalised(value.trim())),
                        false => text.push_str(value.trim()),
                    }
                }
            }
        }
        Ok(Value::String(text))
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether a value is there: not null, empty or the word `nan`.
pub(in crate::benchmark) fn is_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty() && !text.trim().eq_ignore_ascii_case("nan"),
        _ => true,
    }
}

/// The text of a string, number or boolean.
pub(in crate::benchmark) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_blank_alone_is_its_value_and_others_are_text() {
        let row = json!({"who": "mia", "n": 2, "list": ["a", "b"], "empty": " "});
        let get = |name: &str| row.get(name).cloned();
        let value = |text: &str| Template::parse(text, Blank::of_card).unwrap().value(&get);
        assert_eq!(value("{list}").unwrap(), json!(["a", "b"]));
        assert_eq!(value("{n}").unwrap(), json!(2));
        assert_eq!(value("{who:capital} has {n} {{b}}").unwrap(), json!("Mia has 2 {b}"));
        assert_eq!(value("{gone|empty|who}").unwrap(), json!("mia"));
        assert_eq!(value("to {empty}").unwrap_err(), "empty");
        assert_eq!(value("a {list}").unwrap_err(), "list");
        for text in ["a { b", "a } b"] {
            assert!(Template::parse(text, Blank::of_card).unwrap_err().contains("unmatched"));
        }
    }
}
