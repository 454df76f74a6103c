//! What a `tokenizer.json` may hold, looked at before the library builds a pipeline of it.
//!
//! The library takes any number of steps, lets each replace a letter by a book, stops splitting where an expression takes
//! too long, and passes over settings whose names it does not know. All of this would change tokens, or exhaust memory and
//! time, without a word.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::expression;

/// Most values beside vocabulary and merges; seven for each added token are usual.
const MOST_VALUES: usize = 1_000_000;
/// Most steps of a section.
const MOST_STEPS: usize = 100;
/// Bytes that one letter may become in the steps of a section.
const MOST_GROWTH: usize = 10_000;
/// Longest word that is looked up piece by piece, which takes its length times itself.
const LONGEST_WORD: f64 = 10_000.0;

/// The sections whose steps are looked at.
const SECTIONS: [&str; 4] = ["normalizer", "pre_tokenizer", "post_processor", "decoder"];

/// All settings of steps, models and added tokens.
const SETTINGS: [&str; 62] = [
    "add_prefix_space",
    "behavior",
    "byte_fallback",
    "clean_text",
    "cleanup",
    "cls",
    "content",
    "continuing_subword_prefix",
    "decoders",
    "dropout",
    "end_of_word_suffix",
    "fuse_unk",
    "handle_chinese_chars",
    "id",
    "ids",
    "ignore_merges",
    "individual_digits",
    "invert",
    "length",
    "lowercase",
    "lstrip",
    "max_input_chars_per_word",
    "merges",
    "normalized",
    "normalizers",
    "pad_token",
    "pair",
    "pattern",
    "precompiled_charsmap",
    "prefix",
    "prepend",
    "prepend_scheme",
    "pretokenizers",
    "processors",
    "replacement",
    "rstrip",
    "sep",
    "single",
    "single_word",
    "special",
    "special_tokens",
    "split",
    "start",
    "stop",
    "str_rep",
    "strip_accents",
    "strip_left",
    "strip_right",
    "suffix",
    "tokens",
    "trim_offsets",
    "type",
    "type_id",
    "unk_id",
    "unk_token",
    "use_regex",
    "vocab",
    "word_delimiter_token",
    "Regex",
    "Sequence",
    "SpecialToken",
    "String",
];

/// The sections of a file.
const NAMES: [&str; 9] = [
    "version",
    "truncation",
    "padding",
    "added_tokens",
    "normalizer",
    "pre_tokenizer",
    "post_processor",
    "decoder",
    "model",
];

/// Check a `tokenizer.json` but for its vocabulary.
pub(super) fn check(bytes: &[u8]) -> Result<(), String> {
    let left = Cell::new(MOST_VALUES);
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let file = Bounded(&left).deserialize(&mut json).map_err(|error| error.to_string())?;
    let Value::Object(sections) = &file else { return Err("expected a JSON object; fetch the file again".to_string()) };
    known(sections, &NAMES)?;
    for name in SECTIONS {
        let mut audit = Audit { steps: 0, growth: 1 };
        sections
            .get(name)
            .map_or(Ok(()), |section| audit.look(section).map_err(|problem| format!("{name}: {problem}")))?;
    }
    for token in sections.get("added_tokens").and_then(Value::as_array).into_iter().flatten() {
        let Value::Object(token) = token else { return Err("added_tokens: expected objects".to_string()) };
        known(token, &SETTINGS)?;
        if token.get("content").and_then(Value::as_str) == Some("") {
            return Err("added_tokens: one has no letters, and would be found everywhere".to_string());
        }
    }
    let Some(Value::Object(model)) = sections.get("model") else { return Err("it has no `model`".to_string()) };
    known(model, &SETTINGS)?;
    let number = |name: &str| model.get(name).and_then(Value::as_f64);
    if number("dropout").is_some_and(|dropout| dropout > 0.0) {
        return Err("model: `dropout` draws other tokens each time; set it to null".to_string());
    }
    if number("max_input_chars_per_word").is_some_and(|most| most > LONGEST_WORD) {
        return Err(format!("model: `max_input_chars_per_word` is more than {LONGEST_WORD}"));
    }
    Ok(())
}

/// JSON of so many values at most. Vocabularies and merges are passed over and become `null`.
#[derive(Clone, Copy)]
struct Bounded<'a>(&'a Cell<usize>);

impl Bounded<'_> {
    fn one<E: Error>(self, value: Value) -> Result<Value, E> {
        let left = self.0.get().checked_sub(1);
        self.0.set(left.ok_or_else(|| E::custom(format!("more than {MOST_VALUES} values beside the vocabulary")))?);
        Ok(value)
    }
}

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        self.one(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        self.one(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        self.one(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        self.one(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        self.one(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        self.one(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(self)? {
            values.push(value);
        }
        self.one(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            let value = match name.as_str() {
                "vocab" | "merges" => map.next_value::<IgnoredAny>().map(|_| Value::Null)?,
                _ => map.next_value_seed(self)?,
            };
            if values.insert(name.clone(), value).is_some() {
                return Err(A::Error::custom(format!("`{name}` is there twice")));
            }
        }
        self.one(Value::Object(values))
    }
}

/// Refuse names that are one letter away from a known one that is not there: the library passes over them.
fn known(settings: &Map<String, Value>, all: &[&str]) -> Result<(), String> {
    for name in settings.keys().filter(|name| !all.contains(&name.as_str())) {
        let near = |known: &&&str| known.len() > 2 && strsim::osa_distance(known, name) == 1;
        if let Some(meant) = all.iter().filter(near).find(|known| !settings.contains_key(**known)) {
            return Err(format!("`{name}` is not known; perhaps `{meant}` is meant"));
        }
    }
    Ok(())
}

/// What the steps of a section come to.
struct Audit {
    steps: usize,
    growth: usize,
}

impl Audit {
    fn look(&mut self, value: &Value) -> Result<(), String> {
        match value {
            Value::Array(list) => list.iter().try_for_each(|value| self.look(value)),
            Value::Object(object) => {
                let step = object.get("type").and_then(Value::as_str);
                if let Some(step) = step {
                    self.step(step, object)?;
                }
                // The tables of post-processors have tokens as names.
                if step.is_some() {
                    known(object, &SETTINGS)?;
                }
                for (name, value) in object {
                    match (name.as_str(), value) {
                        ("Regex", Value::String(pattern)) => expression::check(pattern)?,
                        _ => self.look(value)?,
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn step(&mut self, step: &str, settings: &Map<String, Value>) -> Result<(), String> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(format!("it has more than {MOST_STEPS} steps"));
        }
        let longest = ["content", "prepend", "replacement", "prefix", "suffix"].into_iter();
        let longest = longest.filter_map(|name| settings.get(name)?.as_str()).map(str::len).max();
        self.growth = self.growth.saturating_mul(longest.unwrap_or(1).max(1));
        if self.growth > MOST_GROWTH {
            return Err(format!("with `{step}` one letter becomes more than {MOST_GROWTH} bytes"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused(file: &Value, part: &str) {
        let problem = check(file.to_string().as_bytes()).expect_err("refused");
        assert!(problem.contains(part), "{problem}");
    }

    fn file() -> Value {
        json!({
            "version": "1.0", "added_tokens": [{"id": 0, "content": "<s>", "special": true}],
            "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
            "pre_tokenizer": {"type": "Split", "pattern": {"Regex": r"\s+(?!\S)|\S+"}, "behavior": "Isolated", "invert": false},
            "post_processor": null, "decoder": null,
            "model": {"type": "BPE", "dropout": null, "vocab": {"a": 0}, "merges": []},
        })
    }

    #[test]
    fn honest_files_pass() {
        assert_eq!(check(file().to_string().as_bytes()), Ok(()));
        let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let mut seen = 0;
        for folder in std::fs::read_dir(fixtures).expect("fixtures").flatten() {
            if let Ok(bytes) = std::fs::read(folder.path().join("tokenizer.json")) {
                assert_eq!(check(&bytes), Ok(()), "{}", folder.path().display());
                seen += 1;
            }
        }
        assert!(seen > 10);
    }

    #[test]
    fn what_grows_draws_or_is_misspelt_is_refused() {
        let double = json!({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"});
        let mut grows = file();
        grows["normalizer"] = json!({"type": "Sequence", "normalizers": vec![double.clone(); 40]});
        refused(&grows, "one letter becomes");
        grows["normalizer"] = json!({"type": "Sequence", "normalizers": vec![json!({"type": "NFC"}); 200]});
        refused(&grows, "more than 100 steps");
        let mut draws = file();
        draws["model"]["dropout"] = json!(0.1);
        refused(&draws, "`dropout`");
        let mut misspelt = file();
        misspelt["pre_tokenizer"]["inver"] = misspelt["pre_tokenizer"]["invert"].take();
        misspelt["pre_tokenizer"].as_object_mut().expect("an object").remove("invert");
        refused(&misspelt, "`invert` is meant");
        let mut empty = file();
        empty["added_tokens"][0]["content"] = json!("");
        refused(&empty, "no letters");
        let mut slow = file();
        slow["pre_tokenizer"]["pattern"]["Regex"] = json!(r"(?:a+)+(?!b)");
        refused(&slow, "exponential");
    }
}
