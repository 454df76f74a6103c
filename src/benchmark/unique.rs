//! Refuses duplicates: ids within a benchmark, keys within a JSON object. If two contradict each other, neither can be
//! trusted; if they agree, one is a mistake somewhere else.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;

use super::{Item, Loaded, RowProblem};
use crate::json::Counted;

/// The ids of a benchmark's items so far, each with its place.
#[derive(Debug, Default)]
pub(super) struct Ids {
    files: Vec<PathBuf>,
    /// The number of the file, and the row.
    places: HashMap<Box<str>, (usize, Option<usize>)>,
}

impl Ids {
    /// Register an id; the problem at `file` and `row` names the earlier place where another row has the id.
    pub fn claim(&mut self, id: &str, file: &Path, row: Option<usize>) -> Result<(), RowProblem> {
        let Some((first_file, first_row)) = self.places.get(id) else {
            if self.files.last().is_none_or(|last| last != file) {
                self.files.push(file.to_path_buf());
            }
            self.places.insert(id.into(), (self.files.len() - 1, row));
            return Ok(());
        };
        let first = self.files[*first_file].clone();
        let first = RowProblem { file: first, row: *first_row, field: None, message: String::new() };
        let place = first.below(None).place();
        let message = format!("the id `{id}` is already used in {place}; make ids unique or remove the row");
        Err(RowProblem { file: file.to_path_buf(), row, field: Some("id".to_string()), message })
    }
}

impl Loaded {
    /// Add an item from this place in the data, or a problem if another has its id.
    pub(super) fn add(&mut self, item: Item, ids: &mut Ids, file: &Path, row: Option<usize>) {
        match ids.claim(&item.id, file, row) {
            Ok(()) => self.items.push(item),
            Err(problem) => self.problems.push(problem),
        }
    }
}

/// A JSON value, checked for duplicate keys in its objects. The check fails separately, so that one bad row of an array
/// does not make the others unreadable.
pub(super) struct UniqueKeys {
    value: Value,
    twice: Option<String>,
}

impl UniqueKeys {
    /// The value; an error on a duplicate key.
    pub fn checked<E: Error>(self) -> Result<Value, E> {
        match self.twice {
            Some(key) => Err(twice(&key)),
            None => Ok(self.value),
        }
    }
}

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let first = RefCell::new(None);
        let twice = |key: &str| {
            first.borrow_mut().get_or_insert_with(|| key.to_string());
            Ok(())
        };
        let value = Counted { count: &|_| Ok(()), passed_over: &[], twice: &twice }.deserialize(deserializer)?;
        Ok(UniqueKeys { value, twice: first.into_inner() })
    }
}

/// An ordered map that refuses duplicate keys; for `#[serde(deserialize_with)]`.
pub(super) fn unique_map<'de, D, T>(deserializer: D) -> Result<IndexMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct UniqueMap<T>(std::marker::PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for UniqueMap<T> {
        type Value = IndexMap<String, T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut given: A) -> Result<Self::Value, A::Error> {
            let mut map = IndexMap::with_capacity(given.size_hint().unwrap_or(0));
            while let Some(key) = given.next_key::<String>()? {
                if map.contains_key(&key) {
                    return Err(twice(&key));
                }
                map.insert(key, given.next_value()?);
            }
            Ok(map)
        }
    }
    deserializer.deserialize_map(UniqueMap(std::marker::PhantomData))
}

fn twice<E: Error>(key: &str) -> E {
    E::custom(format_args!("duplicate key `{}`; remove one", key.replace('\n', "\\n")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-1e300..1e300f64).prop_map(Value::from),
            ".{0,5}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(".{0,3}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_has_every_key_once_is_read_as_ever(value in values()) {
            let read: UniqueKeys = serde_json::from_str(&value.to_string()).unwrap();
            prop_assert_eq!(read.checked::<serde_json::Error>().unwrap(), value);
        }
    }

    #[test]
    fn a_key_that_stands_there_twice_is_named_at_any_depth() {
        for text in [r#"{"answer": "A", "answer": "B"}"#, r#"[{"x": {"answer": 1, "b": 2, "answer": 1}}]"#] {
            let read: UniqueKeys = serde_json::from_str(text).unwrap();
            let error = read.checked::<serde_json::Error>().unwrap_err().to_string();
            assert!(error.starts_with("duplicate key `answer`"), "{error}");
        }
    }

    #[test]
    fn the_second_row_with_an_id_names_the_first() {
        let mut ids = Ids::default();
        ids.claim("x/1", Path::new("a.csv"), Some(2)).unwrap();
        ids.claim("x/2", Path::new("a.csv"), Some(3)).unwrap();
        let problem = ids.claim("x/1", Path::new("b.csv"), Some(7)).unwrap_err();
        assert_eq!((problem.file.to_str(), problem.row), (Some("b.csv"), Some(7)));
        assert!(problem.message.contains("`x/1` is already used in a.csv, line 2"), "{problem}");
    }
}
