//! Values that a card makes of a row: a text with blanks, or what a pattern, a map or a join makes of one.

use indexmap::IndexMap;
use regex::Regex;
use serde::Deserialize;
use serde_json::Value;
use toml::Value as Toml;

use super::draft::parsed;
use super::template::{Blank, Template, scalar};
use crate::counted::counted;
use crate::parse_error::in_words;

/// A value that a card makes of a row.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Toml")]
pub(super) struct Text {
    of: Template,
    /// What stands between the texts of a list.
    join: Option<String>,
    /// A list; the value is then `true` if it is in it, else `false`.
    among: Option<Template>,
    pattern: Option<Regex>,
    /// The text for each value.
    map: Option<IndexMap<String, Template>>,
    otherwise: Option<Template>,
}

/// The keys of a text that is more than a template.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Made {
    of: String,
    join: Option<String>,
    among: Option<String>,
    pattern: Option<String>,
    map: Option<IndexMap<String, Toml>>,
    otherwise: Option<Toml>,
}

/// Why a row does not have a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lack {
    /// The field at fault, if it is one.
    pub field: Option<String>,
    pub message: String,
}

impl Lack {
    fn empty(field: String) -> Self {
        Lack { field: Some(field), message: "missing or empty, or not a text where one is needed".to_string() }
    }

    fn because(message: String) -> Self {
        Lack { field: None, message }
    }
}

/// A text, number or truth value of a card as a template.
pub(super) fn template(value: &Toml) -> Result<Template, String> {
    match value {
        Toml::String(text) => Template::parse(text, Blank::of_card),
        Toml::Integer(number) => Ok(Template::words(number.to_string())),
        Toml::Boolean(truth) => Ok(Template::words(truth.to_string())),
        other => Err(format!("{} where a text is needed", other.type_str())),
    }
}

impl From<Template> for Text {
    fn from(of: Template) -> Self {
        Text { of, join: None, among: None, pattern: None, map: None, otherwise: None }
    }
}

impl TryFrom<Toml> for Text {
    type Error = String;

    fn try_from(value: Toml) -> Result<Self, String> {
        let Toml::Table(table) = value else {
            return Ok(template(&value)?.into());
        };
        let made = Made::deserialize(table).map_err(in_words)?;
        let pattern = made.pattern.as_deref().map(checked_pattern).transpose()?;
        let map = made.map.map(|map| {
            map.into_iter().map(|(key, text)| Ok((key, template(&text)?))).collect::<Result<IndexMap<_, _>, String>>()
        });
        if made.otherwise.is_some() && map.is_none() && pattern.is_none() {
            return Err("`otherwise` needs a `map` or a `pattern`".to_string());
        }
        Ok(Text {
            of: Template::parse(&made.of, Blank::of_card)?,
            join: made.join,
            among: made.among.map(|list| Template::parse(&list, Blank::of_card)).transpose()?,
            pattern,
            map: map.transpose()?,
            otherwise: made.otherwise.as_ref().map(template).transpose()?,
        })
    }
}

/// A regular expression of a card.
pub(super) fn checked_pattern(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|error| {
        let said = error.to_string();
        format!("the pattern `{pattern}` cannot be read: {}", said.lines().last().unwrap_or_default().trim())
    })
}

impl Text {
    /// A text without blanks.
    pub fn words(words: &str) -> Self {
        Template::words(words).into()
    }

    /// The names in its blanks.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let others = self.map.iter().flat_map(|map| map.values()).chain(&self.otherwise).chain(&self.among);
        std::iter::once(&self.of).chain(others).flat_map(Template::names)
    }

    /// Its value for a row.
    pub fn value(&self, get: &dyn Fn(&str) -> Option<Value>) -> Result<Value, Lack> {
        let of = |template: &Template| template.value(get).map_err(Lack::empty);
        let value = of(&self.of)?;
        let value = match &self.join {
            None => value,
            Some(between) => Value::String(joined(value, between)?),
        };
        let value = match &self.among {
            None => value,
            Some(list) => match parsed(of(list)?) {
                Value::Array(list) => list.contains(&value).to_string().into(),
                other => return Err(Lack::because(format!("{other} where a list is needed"))),
            },
        };
        if self.pattern.is_none() && self.map.is_none() {
            return Ok(value);
        }
        let Some(text) = scalar(&value) else {
            return Err(Lack::because(format!("{value} where a text is needed")));
        };
        let found = match &self.pattern {
            None => Some(text.clone()),
            Some(pattern) => pattern
                .captures(&text)
                .and_then(|found| found.get(1).or_else(|| found.get(0)).map(|part| part.as_str().to_string())),
        };
        let otherwise = |why: String| match &self.otherwise {
            Some(text) => of(text),
            None => Err(Lack::because(why)),
        };
        let Some(found) = found else { return otherwise(format!("`{text}` does not fit the pattern")) };
        match &self.map {
            None => Ok(Value::String(found)),
            Some(map) => match map.get(found.trim()) {
                Some(text) => of(text),
                None => {
                    let known = map.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                    otherwise(format!("`{found}` is none of {known}"))
                }
            },
        }
    }

    /// Its value for a row as a text.
    pub fn text(&self, get: &dyn Fn(&str) -> Option<Value>) -> Result<String, Lack> {
        let value = self.value(get)?;
        let field = || Some(self.names().next().unwrap_or_default().to_string()).filter(|name| !name.is_empty());
        scalar(&value)
            .ok_or_else(|| Lack { field: field(), message: "a list or an object where a text is needed".to_string() })
    }
}

/// The texts of a list, also one in Python's notation, with this between them.
fn joined(value: Value, between: &str) -> Result<String, Lack> {
    match parsed(value) {
        Value::Array(list) => {
            let texts: Option<Vec<String>> = list.iter().map(scalar).collect();
            let texts = texts.ok_or_else(|| Lack::because("a list of other things than texts".to_string()))?;
            match texts.is_empty() {
                true => Err(Lack::because(format!("{} where texts are needed", counted(0, "text")))),
                false => Ok(texts.join(between)),
            }
        }
        other => Err(Lack::because(format!("{other} where a list of texts is needed"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(toml: &str) -> Result<Text, String> {
        #[derive(Deserialize)]
        struct Card {
            text: Text,
        }
        toml::from_str::<Card>(&format!("text = {toml}")).map(|card| card.text).map_err(in_words)
    }

    #[test]
    fn values_come_from_patterns_maps_and_lists() {
        let row = json!({"id": "12-4", "said": "['a', 'b']", "truth": "o2", "n": 3});
        let get = |name: &str| row.get(name).cloned();
        let value = |toml: &str| text(toml).unwrap().value(&get);
        for (toml, expected) in [
            ("{ of = '{id}', pattern = '^(\\d+)-' }", "12"),
            ("{ of = '{id}', pattern = '-\\d' }", "-4"),
            ("{ of = '{truth}', map = { o1 = 'A', o2 = 'B of {n}' } }", "B of 3"),
            ("{ of = '{n}', map = { 1 = 'one' }, otherwise = '{n} others' }", "3 others"),
            ("{ of = '{said}', join = '. ' }", "a. b"),
            ("{ of = 'b', among = '{said}' }", "true"),
            ("{ of = '{truth}', among = '{said}', map = { false = 'no' } }", "no"),
            ("7", "7"),
        ] {
            assert_eq!(value(toml).unwrap(), json!(expected), "{toml}");
        }
        assert_eq!(value("'{gone} {n}'").unwrap_err().field.as_deref(), Some("gone"));
        assert!(value("{ of = '{n}', map = { 1 = 'one' } }").unwrap_err().message.contains("`3` is none of 1"));
        assert!(value("{ of = '{id}', pattern = 'x' }").unwrap_err().message.contains("`12-4` does not fit"));
        for (toml, said) in [
            ("{ of = 'x', patern = 'y' }", "unknown key `patern`"),
            ("{ of = 'x', pattern = '(' }", "the pattern `(` cannot be read"),
            ("{ of = 'x', otherwise = 'y' }", "`otherwise` needs a `map` or a `pattern`"),
            ("'{x'", "unmatched `{`"),
            ("['x']", "array where a text is needed"),
        ] {
            let error = text(toml).unwrap_err();
            assert!(error.contains(said), "{toml}: {error}");
        }
    }
}
