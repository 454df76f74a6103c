//! Lists as Python prints them, which many CSV files hold: `['a', "it's", 2]`.

use serde_json::{Map, Number, Value};

/// The deepest list in a list that is read.
const DEEPEST: usize = 16;

/// A list or dictionary in Python's notation as JSON; `None` for anything else.
pub(in crate::benchmark) fn from_python(text: &str) -> Option<Value> {
    let text = text.trim();
    let mut reader = Reader { rest: text };
    let value = match text.as_bytes().first()? {
        b'[' | b'{' => reader.value(0)?,
        _ => return None,
    };
    reader.rest.trim().is_empty().then_some(value)
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    /// Whether this is next; it is then passed over.
    fn takes(&mut self, mark: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next()?;
        match first {
            '[' | '(' => {
                let close = if first == '[' { "]" } else { ")" };
                self.rest = &self.rest[1..];
                let mut list = Vec::new();
                while !self.takes(close) {
                    if depth >= DEEPEST || !list.is_empty() && !self.takes(",") {
                        return None;
                    }
                    // A comma may stand behind the last.
                    if !list.is_empty() && self.takes(close) {
                        break;
                    }
                    list.push(self.value(depth + 1)?);
                }
                Some(Value::Array(list))
            }
            '{' => {
                self.rest = &self.rest[1..];
                let mut members = Map::new();
                while !self.takes("}") {
                    if depth >= DEEPEST || !members.is_empty() && !self.takes(",") {
                        return None;
                    }
                    let Value::String(name) = self.value(depth + 1)? else { return None };
                    if !self.takes(":") {
                        return None;
                    }
                    // A key twice contradicts itself.
                    if members.insert(name, self.value(depth + 1)?).is_some() {
                        return None;
                    }
                }
                Some(Value::Object(members))
            }
            '\'' | '"' => self.text(first).map(Value::String),
            _ => {
                let end = self.rest.find([',', ']', ')', '}', ':', ' ', '\n']).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at(end);
                self.rest = rest;
                match word {
                    "True" => Some(Value::Bool(true)),
                    "False" => Some(Value::Bool(false)),
                    "None" => Some(Value::Null),
                    number => number.parse::<Number>().ok().map(Value::Number),
                }
            }
        }
    }

    fn text(&mut self, quote: char) -> Option<String> {
        let mut text = String::new();
        let mut letters = self.rest.char_indices().skip(1);
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' => {
                    let (_, next) = letters.next()?;
                    match next {
                        'n' => text.push('\n'),
                        't' => text.push('\t'),
                        'r' => text.push('\r'),
                        'x' | 'u' | 'U' => {
                            let digits = match next {
                                'x' => 2,
                                'u' => 4,
                                _ => 8,
                            };
                            let code: String = letters.by_ref().take(digits).map(|(_, digit)| digit).collect();
                            text.push(char::from_u32(u32::from_str_radix(&code, 16).ok()?)?);
                        }
                        '\\' | '\'' | '"' => text.push(next),
                        other => text.extend(['\\', other]),
                    }
                }
                letter if letter == quote => {
                    self.rest = &self.rest[at + letter.len_utf8()..];
                    return Some(text);
                }
                letter => text.push(letter),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_are_read_as_python_prints_them() {
        for (text, expected) in [
            ("['a', \"it's\", 2, 1.5]", json!(["a", "it's", 2, 1.5])),
            ("[['A'], ['']]", json!([["A"], [""]])),
            ("[{'x y': ['A', None]}, True]", json!([{"x y": ["A", null]}, true])),
            ("[('a',)]", json!([["a"]])),
            (" [] ", json!([])),
            (r"['it\'s \u00e9 \\ \d']", json!(["it's é \\ \\d"])),
        ] {
            assert_eq!(from_python(text), Some(expected), "{text}");
        }
        for text in
            ["['a'", "['a' 'b']", "a", "[a]", "['a'] b", "('a',)", "{'a': 1, 'a': 2}", "['a\\", "[,]", "['\\ud800']"]
        {
            assert_eq!(from_python(text), None, "{text}");
        }
        assert_eq!(from_python(&"[".repeat(100_000)), None);
    }
}
