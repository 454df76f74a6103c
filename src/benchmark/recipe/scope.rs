//! The values that a card can name for one question: those of its entry, of its row, of joined rows, and its place.

use std::collections::HashMap;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::template::scalar;
use super::text::Text;
use crate::benchmark::rows::DataRow;

/// The rows of a joined file by key.
#[derive(Debug)]
pub(super) struct Joined<'a> {
    /// The key that a row of another file has.
    pub on: &'a Text,
    pub rows: HashMap<String, Map<String, Value>>,
}

/// The values of one question.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub row: &'a DataRow,
    /// An entry of one of the row's lists, with its number from 0.
    pub entry: Option<(usize, &'a Value)>,
    pub joined: &'a IndexMap<&'a str, Joined<'a>>,
    /// The value of each choice.
    pub chosen: &'a IndexMap<&'a str, &'a str>,
}

impl Scope<'_> {
    /// The value of this name.
    ///
    /// Of an entry, a name is one of its fields, `entry` the whole and `n` its number, and of one with a single member
    /// `key` and `value`; a row's own fields then have `row.` in front. The value of a choice has `choice.` in front. A joined row's fields have the name of the join in front. `file` is the file's name without its
    /// extension, `index` the number of the row from 0 and `number` from 1, where the row has no fields of these names.
    pub fn value(&self, name: &str) -> Option<Value> {
        let own = match self.entry {
            None => in_object(&self.row.cells, name),
            Some((_, Value::Object(fields))) => in_object(fields, name),
            Some(_) => None,
        };
        if own.is_some() {
            return own.cloned();
        }
        match (name, self.entry) {
            ("entry", Some((_, entry))) => return Some(entry.clone()),
            ("n", Some((number, _))) => return Some(number.into()),
            ("key" | "value", Some((_, Value::Object(fields)))) if fields.len() == 1 => {
                let (key, value) = fields.iter().next()?;
                return Some(if name == "key" { key.as_str().into() } else { value.clone() });
            }
            _ => {}
        }
        match name.split_once('.') {
            Some(("row", field)) => in_object(&self.row.cells, field).cloned().or_else(|| self.of_place(field)),
            Some(("choice", name)) => self.chosen.get(name).map(|&value| value.into()),
            Some((join, field)) => {
                let joined = self.joined.get(join)?;
                let of_row = Scope { entry: None, ..*self };
                let key = joined.on.value(&|name| of_row.value(name)).ok()?;
                in_object(joined.rows.get(scalar(&key)?.trim())?, field).cloned()
            }
            None => self.of_place(name),
        }
    }

    fn of_place(&self, name: &str) -> Option<Value> {
        match name {
            "file" => Some(self.row.file.file_stem()?.to_string_lossy().into()),
            "index" => Some(self.row.index.into()),
            "number" => Some((self.row.index + 1).into()),
            _ => None,
        }
    }
}

/// The value at a path of keys and numbers of entries with full stops between them. A key may hold full stops itself.
fn in_object<'v>(fields: &'v Map<String, Value>, path: &str) -> Option<&'v Value> {
    if let Some(value) = fields.get(path) {
        return Some(value);
    }
    path.match_indices('.').find_map(|(at, _)| in_value(fields.get(&path[..at])?, &path[at + 1..]))
}

fn in_value<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    match value {
        Value::Object(fields) => in_object(fields, path),
        Value::Array(list) => {
            let (number, rest) = path.split_once('.').map_or((path, None), |(number, rest)| (number, Some(rest)));
            let entry = list.get(number.parse::<usize>().ok()?)?;
            rest.map_or(Some(entry), |rest| in_value(entry, rest))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_reach_entries_rows_and_joined_rows() {
        let Value::Object(cells) = json!({"k": "b", "in": {"x.y": 1, "list": [{"z": 2}]}, "file": "own"}) else {
            panic!("an object")
        };
        let row = DataRow { index: 4, line: 5, file: "rows/one.jsonl".into(), cells, nan_tokens: false };
        let on: Text = toml::Value::from("{k}").try_into().unwrap();
        let Value::Object(other) = json!({"name": "Bo"}) else { panic!("an object") };
        let joined = IndexMap::from([("who", Joined { on: &on, rows: [("b".to_string(), other)].into() })]);
        let entry = json!({"k": "of the entry"});
        let chosen = IndexMap::from([("part", "short")]);
        let of_row = Scope { row: &row, entry: None, joined: &joined, chosen: &chosen };
        let only = json!({"Bo enters": ["Bo"]});
        let of_only = Scope { entry: Some((0, &only)), ..of_row };
        let of_entry = Scope { entry: Some((3, &entry)), ..of_row };
        for (scope, name, expected) in [
            (of_row, "in.x.y", json!(1)),
            (of_row, "in.list.0.z", json!(2)),
            (of_row, "file", json!("own")),
            (of_row, "number", json!(5)),
            (of_row, "who.name", json!("Bo")),
            (of_entry, "k", json!("of the entry")),
            (of_entry, "row.k", json!("b")),
            (of_entry, "row.index", json!(4)),
            (of_entry, "n", json!(3)),
            (of_entry, "file", json!("one")),
            (of_entry, "who.name", json!("Bo")),
            (of_entry, "choice.part", json!("short")),
            (of_only, "key", json!("Bo enters")),
            (of_only, "value", json!(["Bo"])),
        ] {
            assert_eq!(scope.value(name), Some(expected), "{name}");
        }
        assert_eq!(of_entry.value("in.x.y"), None);
        assert_eq!(of_row.value("in.list.1.z"), None);
        assert_eq!(of_row.value("n"), None);
    }
}
