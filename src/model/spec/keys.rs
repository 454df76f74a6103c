//! Typed access to a configuration file: every error names the key, its value and the file.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::{Map, Value};
use strum::IntoEnumIterator;

use super::check::MOST_LAYERS;
use super::family::{ARCHITECTURES, Architecture, Family, what_is_not_computed};
use crate::model::ModelError;
use crate::model::bounded_read::{SETTINGS, read_small, settings};
use crate::parse_error::in_words;

/// The keys of one configuration object.
#[derive(Debug, Clone)]
pub(super) struct Keys {
    file: PathBuf,
    /// Prefix of the key in messages, for instance `rope_scaling.`.
    within: String,
    values: Map<String, Value>,
    /// Full names of the keys that were read, here or in a nested object.
    asked: Rc<RefCell<BTreeSet<String>>>,
}

/// Larger sizes would overflow their products.
const LARGEST_COUNT: usize = (1 << 31) - 1;

impl Keys {
    /// Read a JSON file that holds one object.
    pub fn read(file: &Path) -> Result<Keys, ModelError> {
        let bytes =
            read_small(file, SETTINGS).map_err(|source| ModelError::Read { path: file.to_path_buf(), source })?;
        let malformed = |problem: String| ModelError::Malformed { path: file.to_path_buf(), problem };
        let text = std::str::from_utf8(&bytes).map_err(|error| malformed(format!("not text: {error}")))?;
        match settings(text.trim_start_matches('\u{feff}').as_bytes()) {
            Ok(Value::Object(values)) => Ok(Keys::new(file, values)),
            Ok(_) => Err(malformed("expected a JSON object".to_string())),
            Err(error) => Err(malformed(format!("not JSON: {}; fetch the file again", in_words(error)))),
        }
    }

    /// Keys from a source other than a JSON file.
    pub fn new(file: &Path, values: Map<String, Value>) -> Keys {
        Keys { file: file.to_path_buf(), within: String::new(), values, asked: Rc::default() }
    }

    /// The same with defaults for absent keys.
    pub fn or(&self, unsaid: &Map<String, Value>) -> Keys {
        let mut keys = self.clone();
        for (key, value) in unsaid {
            keys.values.entry(key).or_insert_with(|| value.clone());
        }
        keys
    }

    /// The same without one of the keys.
    pub fn without(&self, key: &str) -> Keys {
        let mut keys = self.clone();
        keys.values.remove(key);
        keys
    }

    /// The file the keys are from.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The value of `key`; `null` counts as absent.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.asked.borrow_mut().insert(format!("{}{key}", self.within));
        self.values.get(key).filter(|value| !value.is_null())
    }

    /// An error about `key`.
    pub fn wrong(&self, key: &str, expected: impl Into<String>) -> ModelError {
        ModelError::Setting {
            file: self.file.clone(),
            key: format!("{}{key}", self.within),
            value: self.values.get(key).map_or_else(|| "missing".to_string(), |value| format!("`{value}`")),
            expected: expected.into(),
        }
    }

    /// The object under `key`.
    pub fn object(&self, key: &str) -> Result<Option<Keys>, ModelError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Object(values)) => {
                let within = format!("{}{key}.", self.within);
                let (file, asked) = (self.file.clone(), Rc::clone(&self.asked));
                Ok(Some(Keys { file, within, values: values.clone(), asked }))
            }
            Some(_) => Err(self.wrong(key, "expected an object")),
        }
    }

    /// A whole number, if present.
    pub fn maybe_count(&self, key: &str) -> Result<Option<usize>, ModelError> {
        let whole = |value: &Value| {
            let exact = value.as_f64().filter(|number| *number >= 0.0 && number.fract() == 0.0 && *number < 1e15);
            let number = value.as_u64().or(exact.map(|number| number as u64))?;
            usize::try_from(number).ok().filter(|number| *number <= LARGEST_COUNT)
        };
        match self.get(key) {
            None => Ok(None),
            Some(value) => whole(value)
                .map(Some)
                .ok_or_else(|| self.wrong(key, format!("expected a whole number up to {LARGEST_COUNT}"))),
        }
    }

    /// A required whole number.
    pub fn count(&self, key: &str) -> Result<usize, ModelError> {
        self.maybe_count(key)?.ok_or_else(|| self.wrong(key, "expected a whole number"))
    }

    /// A required number of layers.
    pub fn layers(&self, key: &str) -> Result<usize, ModelError> {
        match self.count(key)? {
            layers if layers <= MOST_LAYERS => Ok(layers),
            _ => Err(self.wrong(key, format!("expected at most {MOST_LAYERS}"))),
        }
    }

    /// A finite number, if present.
    pub fn maybe_number(&self, key: &str) -> Result<Option<f64>, ModelError> {
        match self.get(key) {
            None => Ok(None),
            Some(value) => match value.as_f64().filter(|number| number.is_finite()) {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong(key, "expected a number")),
            },
        }
    }

    /// A required finite number.
    pub fn number(&self, key: &str) -> Result<f64, ModelError> {
        self.maybe_number(key)?.ok_or_else(|| self.wrong(key, "expected a number"))
    }

    /// A boolean, with a default.
    pub fn flag(&self, key: &str, default: bool) -> Result<bool, ModelError> {
        match self.get(key) {
            None => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.wrong(key, "expected true or false")),
        }
    }

    /// A text, if present.
    pub fn maybe_text(&self, key: &str) -> Result<Option<&str>, ModelError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(key, "expected a text")),
        }
    }

    /// A list, if present.
    pub fn maybe_list<T>(&self, key: &str, read: impl Fn(&Value) -> Option<T>) -> Result<Option<Vec<T>>, ModelError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Array(values)) => match values.iter().map(read).collect() {
                Some(list) => Ok(Some(list)),
                None => Err(self.wrong(key, "expected a list of other values")),
            },
            Some(_) => Err(self.wrong(key, "expected a list")),
        }
    }

    /// The family under `key`.
    pub fn family(&self, key: &str) -> Result<Family, ModelError> {
        let known = || Family::iter().map(Family::into).collect();
        self.named(key, |name| name.parse().ok(), known)
    }

    /// The architecture under `key`, as GGUF files name it.
    pub fn architecture(&self, key: &str) -> Result<&'static Architecture, ModelError> {
        let known = || ARCHITECTURES.iter().map(|architecture| architecture.name).collect();
        self.named(key, |name| ARCHITECTURES.iter().find(|architecture| architecture.name == name), known)
    }

    fn named<T>(
        &self,
        key: &str,
        find: impl Fn(&str) -> Option<T>,
        known: impl Fn() -> Vec<&'static str>,
    ) -> Result<T, ModelError> {
        let name = self.maybe_text(key)?.ok_or_else(|| self.wrong(key, "expected a family name"))?;
        find(name).ok_or_else(|| ModelError::Family {
            file: self.file.clone(),
            family: name.to_string(),
            lacks: what_is_not_computed(name),
            known: known(),
        })
    }

    /// Refuse unread settings that may change the result: those for which `matters` holds, by name, and all in objects
    /// that were read. Values that enable nothing are accepted.
    pub fn refuse_unasked(&self, matters: &dyn Fn(&str) -> bool) -> Result<(), ModelError> {
        for (key, value) in &self.values {
            let asked = self.asked.borrow().contains(&format!("{}{key}", self.within));
            if let Some(meant) = self.meant(key).filter(|_| !asked) {
                return Err(self.wrong(key, format!("an unknown setting; did you mean `{meant}`?")));
            }
            match value {
                Value::Object(values) if asked => {
                    let within = format!("{}{key}.", self.within);
                    let inner = Keys { within, values: values.clone(), ..self.clone() };
                    inner.refuse_unasked(&|key| key != "finetuned")?;
                }
                _ if asked || is_neutral(value) || !matters(key) => {}
                _ => {
                    let expected = "an unknown setting for this family that may change the result; \
                                    if it does not, remove it from the file";
                    return Err(self.wrong(key, expected));
                }
            }
        }
        Ok(())
    }

    /// Unread settings, here and in objects that were read, by their full names.
    pub fn unread(&self) -> Vec<String> {
        let mut unread = Vec::new();
        for (key, value) in &self.values {
            let full = format!("{}{key}", self.within);
            let asked = self.asked.borrow().contains(&full);
            match value {
                Value::Object(values) if asked => {
                    let inner = Keys { within: format!("{full}."), values: values.clone(), ..self.clone() };
                    unread.extend(inner.unread());
                }
                _ if asked => {}
                _ => unread.push(full),
            }
        }
        unread
    }

    /// The absent setting that was read and differs from `key` by one letter.
    fn meant(&self, key: &str) -> Option<String> {
        let full = format!("{}{key}", self.within);
        let asked = self.asked.borrow();
        let near = |asked: &&String| asked.len() > 5 && strsim::osa_distance(asked, &full) == 1;
        let absent = |asked: &&String| {
            asked.strip_prefix(&self.within).is_some_and(|asked| self.values.get(asked).is_none_or(Value::is_null))
        };
        asked.iter().filter(|_| !key.starts_with('_')).filter(near).find(absent).cloned()
    }

    /// Refuse every value of `key` except those that have no effect.
    pub fn refuse(&self, key: &str, harmless: &[Value], instead: &str) -> Result<(), ModelError> {
        match self.get(key) {
            Some(value) if !harmless.contains(value) => Err(self.wrong(key, instead)),
            _ => Ok(()),
        }
    }
}

/// Whether a value disables a setting: false, null, empty, `none`, zero, or a factor of one.
fn is_neutral(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64().is_some_and(|number| number == 0.0 || number == 1.0),
        Value::String(text) => text.is_empty() || text == "none",
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => object.is_empty(),
    }
}
