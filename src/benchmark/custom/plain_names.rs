//! Normalises column names for comparison.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::shape::holds_options;
use crate::benchmark::rows::DataRow;

/// A row with plain names: lower case, `_` for `-` and blanks. A value in an object is named after the object, a full
/// stop and its own key; the object stays as well. `Err` names two columns with the same plain name.
pub(super) fn with_plain_names(mut row: DataRow) -> Result<DataRow, String> {
    let mut cells = Map::new();
    let mut spelled: IndexMap<String, String> = IndexMap::new();
    for (name, value) in std::mem::take(&mut row.cells) {
        let plain = plain(&name);
        if let Some(other) = spelled.insert(plain.clone(), name.clone()) {
            return Err(format!(
                "line {}: `{other}` and `{name}` are the same column (case, `-` and `_` make no difference); rename one",
                row.line
            ));
        }
        flatten(&plain, value, &mut cells);
    }
    Ok(DataRow { cells, ..row })
}

fn flatten(name: &str, value: Value, cells: &mut Map<String, Value>) {
    if let Value::Object(inner) = &value {
        let whole = holds_options(name);
        for (key, value) in inner.iter().filter(|(_, value)| !whole || value.is_array()) {
            flatten(&format!("{name}.{}", plain(key)), value.clone(), cells);
        }
    }
    cells.insert(name.to_string(), value);
}

/// A column name normalised for comparison: lower case, `_` for `-` and blanks.
pub(in crate::benchmark) fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace(['-', ' '], "_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn two_spellings_of_one_column_are_refused() {
        let Value::Object(cells) = json!({"Option A": "x", "option_a": "y"}) else { panic!("an object") };
        let row = DataRow { index: 0, line: 2, file: "own.jsonl".into(), cells, nan_tokens: false };
        let message = with_plain_names(row).unwrap_err();
        assert!(message.contains("line 2: `Option A` and `option_a` are the same column"), "{message}");
    }
}
