//! Lists of records in JSON documents, read entry by entry.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Names of the list of records in a file that is one JSON object.
const LISTS: [&str; 4] = ["examples", "questions", "items", "data"];

/// Detects a text that is one JSON object, either over several lines or with a list of records: holds the name of that
/// list, if any. `None` for JSON lines.
pub(super) fn one_object(text: &[u8]) -> Option<Option<&'static str>> {
    let mut lines = text.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let is_whole = |line: &[u8]| serde_json::from_slice::<IgnoredAny>(line).is_ok();
    let first = lines.next().filter(|first| first.trim_ascii_start().starts_with(b"{"))?;
    match lines.next() {
        None => list_in(text).map(Some),
        Some(_) => (!is_whole(first)).then(|| list_in(text)),
    }
}

/// The name of the list of records in an object.
fn list_in(text: &[u8]) -> Option<&'static str> {
    struct Lists;
    impl<'de> Visitor<'de> for Lists {
        type Value = Option<&'static str>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = None;
            while let Some(key) = map.next_key::<Cow<'_, str>>()? {
                let list = LISTS.into_iter().find(|list| key == *list);
                match (list, map.next_value::<ListOrOther>()) {
                    (Some(list), Ok(ListOrOther(true))) => found = found.or(Some(list)),
                    (_, Ok(_)) => {}
                    // The list exists; errors in it are reported when it is read.
                    (Some(list), Err(_)) => return Ok(Some(list)),
                    (None, Err(error)) => return Err(error),
                }
            }
            Ok(found)
        }
    }
    let text = std::str::from_utf8(text).ok()?;
    serde_json::Deserializer::from_str(&nan_as_null(text)).deserialize_map(Lists).ok().flatten()
}

/// Whether a value is a list.
struct ListOrOther(bool);

impl<'de> serde::Deserialize<'de> for ListOrOther {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = bool;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<bool, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(true)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(false)
            }

            fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
                Ok(false)
            }

            fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
                Ok(false)
            }

            fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
                Ok(false)
            }

            fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
                Ok(false)
            }

            fn visit_str<E>(self, _: &str) -> Result<bool, E> {
                Ok(false)
            }

            fn visit_unit<E>(self) -> Result<bool, E> {
                Ok(false)
            }
        }
        deserializer.deserialize_any(Any).map(ListOrOther)
    }
}

/// Visit the entries of the list with this name in a JSON object.
pub(super) fn each_of_named<T: DeserializeOwned>(
    text: &str,
    name: &str,
    each: &mut dyn FnMut(usize, T),
) -> serde_json::Result<()> {
    struct Named<'a, T>(&'a str, &'a mut dyn FnMut(usize, T));
    impl<'de, T: DeserializeOwned> Visitor<'de> for Named<'_, T> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(key) = map.next_key::<Cow<'_, str>>()? {
                match key == self.0 {
                    true => map.next_value_seed(Entries(&mut *self.1))?,
                    false => map.next_value::<IgnoredAny>().map(|_| ())?,
                }
            }
            Ok(())
        }
    }
    let mut json = serde_json::Deserializer::from_str(text);
    json.deserialize_map(Named(name, each))?;
    json.end()
}

/// Visit the members of a JSON object, each with its number from 0 and its name.
pub(super) fn each_member<T: DeserializeOwned>(
    text: &str,
    each: &mut dyn FnMut(usize, String, T),
) -> serde_json::Result<()> {
    struct Members<'a, T>(&'a mut dyn FnMut(usize, String, T));
    impl<'de, T: DeserializeOwned> Visitor<'de> for Members<'_, T> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            let mut index = 0;
            while let Some((name, value)) = map.next_entry()? {
                (self.0)(index, name, value);
                index += 1;
            }
            Ok(())
        }
    }
    let mut json = serde_json::Deserializer::from_str(text);
    json.deserialize_map(Members(each))?;
    json.end()
}

/// Visit the entries of a JSON list, each with its number from 0.
pub(super) fn each_of_list<T: DeserializeOwned>(text: &str, each: &mut dyn FnMut(usize, T)) -> serde_json::Result<()> {
    let mut json = serde_json::Deserializer::from_str(text);
    Entries(each).deserialize(&mut json)?;
    json.end()
}

/// Receives each entry of a list with its number.
struct Entries<'a, T>(&'a mut dyn FnMut(usize, T));

impl<'de, T: DeserializeOwned> DeserializeSeed<'de> for Entries<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: DeserializeOwned> Visitor<'de> for Entries<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut index = 0;
        while let Some(entry) = list.next_element()? {
            (self.0)(index, entry);
            index += 1;
        }
        Ok(())
    }
}

/// The line with every `NaN` token outside of strings replaced by `null`; borrowed where none occurs.
pub(super) fn nan_as_null(line: &str) -> Cow<'_, str> {
    let bytes = line.as_bytes();
    let mut strict = String::new();
    let mut copied = 0;
    let (mut in_string, mut escaped) = (false, false);
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'N' if !in_string && bytes[at..].starts_with(b"NaN") => {
                let begins = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
                let ends = bytes.get(at + 3).is_none_or(|next| !next.is_ascii_alphanumeric());
                if begins && ends {
                    strict.push_str(&line[copied..at]);
                    strict.push_str("null");
                    copied = at + 3;
                }
            }
            _ => {}
        }
    }
    if copied == 0 {
        return Cow::Borrowed(line);
    }
    strict.push_str(&line[copied..]);
    Cow::Owned(strict)
}
