//! Reads untrusted JSON into values, counting their memory during parsing and reporting duplicate keys: an entry of a
//! list of `{}` takes three bytes in a file and seventy in memory.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Memory limit in bytes for the values of an untrusted document.
pub const MOST_VALUES: usize = 192 << 20;

/// Initial capacity of a map, in entries.
const FIRST_ENTRIES: usize = 3;

/// Values in a chunk of a list.
const PIECE: usize = 1024;

/// Reading options for values.
#[derive(Clone, Copy)]
pub struct Counted<'a> {
    /// Receives the bytes that each value takes in memory, room for growth included; an error ends reading.
    pub count: &'a dyn Fn(usize) -> Result<(), String>,
    /// Keys whose values are skipped at any depth: they become `null`.
    pub passed_over: &'a [&'a str],
    /// Receives duplicate keys of an object; an error ends reading, otherwise the last value counts.
    pub twice: &'a dyn Fn(&str) -> Result<(), String>,
}

impl Counted<'_> {
    fn counted<E: Error>(self, bytes: usize, value: impl Into<Value>) -> Result<Value, E> {
        (self.count)(bytes).map_err(E::custom)?;
        Ok(value.into())
    }
}

/// Parses JSON into values of at most `most` bytes of memory.
///
/// # Errors
/// The text is not JSON, or its values take more memory.
pub fn within(text: &[u8], most: usize) -> serde_json::Result<Value> {
    within_without(text, most, &[])
}

/// Like [`within`], with the values of the given keys replaced by `null` at any depth.
///
/// # Errors
/// Same as [`within`].
pub fn within_without(text: &[u8], most: usize, passed_over: &[&str]) -> serde_json::Result<Value> {
    let left = Cell::new(most);
    let count = |bytes: usize| {
        let too_much = || format!("its values take more than {} MB of memory", most >> 20);
        left.set(left.get().checked_sub(bytes).ok_or_else(too_much)?);
        Ok(())
    };
    let mut json = serde_json::Deserializer::from_slice(text);
    let value = Counted { count: &count, passed_over, twice: &|_| Ok(()) }.deserialize(&mut json)?;
    json.end().map(|()| value)
}

/// Bytes of a map entry with its key.
const ENTRY: usize = size_of::<(u64, String, Value)>() + 2 * size_of::<usize>();

impl<'de> DeserializeSeed<'de> for Counted<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Counted<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        self.counted(0, Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        self.counted(0, value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        self.counted(0, value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        self.counted(0, value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        self.counted(0, Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        self.counted(value.len(), value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        // In chunks: allocators retain less memory for them than for one list that doubles again and again.
        let mut pieces: Vec<Vec<Value>> = Vec::new();
        let mut piece = Vec::new();
        while let Some(value) = list.next_element_seed(self)? {
            // Twice: all chunks are still in memory while they are joined into one list.
            (self.count)(2 * size_of::<Value>()).map_err(A::Error::custom)?;
            piece.push(value);
            if piece.len() == PIECE {
                pieces.push(std::mem::take(&mut piece));
            }
        }
        let mut values = Vec::with_capacity(pieces.len() * PIECE + piece.len());
        pieces.into_iter().chain([piece]).for_each(|piece| values.extend(piece));
        self.counted(0, Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            let entries = match values.len() {
                0 => FIRST_ENTRIES,
                few if few < FIRST_ENTRIES => 0,
                _ => 2,
            };
            (self.count)(entries * ENTRY + name.len()).map_err(A::Error::custom)?;
            let value = match self.passed_over.contains(&name.as_str()) {
                true => map.next_value::<IgnoredAny>().map(|_| Value::Null)?,
                false => map.next_value_seed(self)?,
            };
            if values.contains_key(&name) {
                (self.twice)(&name).map_err(A::Error::custom)?;
            }
            values.insert(name, value);
        }
        self.counted(0, Value::Object(values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, most: usize, keys_once: bool) -> serde_json::Result<Value> {
        let left = Cell::new(most);
        let count = |bytes: usize| {
            left.set(left.get().checked_sub(bytes).ok_or("too much")?);
            Ok(())
        };
        let mut json = serde_json::Deserializer::from_str(text);
        let twice = |name: &str| match keys_once {
            true => Err(format!("`{name}` is there twice")),
            false => Ok(()),
        };
        let value = Counted { count: &count, passed_over: &["vocab"], twice: &twice }.deserialize(&mut json)?;
        json.end().map(|()| value)
    }

    #[test]
    fn values_are_those_of_the_library() {
        for text in [r#"{"a": [1, -2, 3.5, null, true, "x\n"], "b": {"c": {}}, "d": []}"#, "3", r#""x""#, "[[], [[]]]"]
        {
            assert_eq!(read(text, 1 << 20, true).unwrap(), serde_json::from_str::<Value>(text).unwrap());
            assert_eq!(within(text.as_bytes(), 1 << 20).unwrap(), read(text, 1 << 20, true).unwrap());
        }
        assert_eq!(
            read(r#"{"vocab": {"a": [1]}, "b": 1}"#, 1 << 20, true).unwrap(),
            serde_json::json!({"vocab": null, "b": 1})
        );
        assert_eq!(read(r#"{"a": 1, "a": 2}"#, 1 << 20, false).unwrap(), serde_json::json!({"a": 2}));
        assert!(read(r#"{"a": 1, "a": 2}"#, 1 << 20, true).unwrap_err().to_string().contains("`a` is there twice"));
        assert!(read("{} x", 1 << 20, true).is_err());
    }

    #[test]
    fn no_more_is_counted_than_is_held_in_small_shapes_and_no_less_in_long_ones() {
        for (unit, least) in [
            ("{}", size_of::<Value>()),
            ("[]", size_of::<Value>()),
            ("0", size_of::<Value>()),
            (r#"{"":0}"#, 2 * size_of::<Value>()),
        ] {
            let text = format!("[{}]", vec![unit; 1000].join(","));
            assert!(read(&text, 1000 * least, true).is_err(), "{unit}");
            assert!(read(&text, 8 * 1000 * least, true).is_ok(), "{unit}");
        }
    }
}
