//! Audits a `tokenizer.json` before the library builds a pipeline from it.
//!
//! The library accepts any number of steps, lets each replace a letter with a book, stops splitting where an expression
//! takes too long, and ignores settings with unknown names. All of this would silently change tokens, or exhaust memory
//! and time.

use std::cell::Cell;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::de::DeserializeSeed;
use serde_json::{Map, Value};

use super::expression;
use crate::json::Counted;

/// Maximum bytes in memory of everything except vocabulary and merges: an added token takes some thousand, and known
/// files have up to thirty thousand of them.
const MOST_BYTES: usize = 128 << 20;
/// Maximum steps of a section.
const MOST_STEPS: usize = 100;
/// Maximum bytes that one letter may become in the steps of a section.
const MOST_GROWTH: usize = 10_000;
/// Longest word that is looked up piece by piece, which takes time quadratic in its length.
const LONGEST_WORD: f64 = 10_000.0;

/// The sections whose steps are checked.
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

/// Check a `tokenizer.json` except for its vocabulary.
pub(super) fn check(bytes: &[u8]) -> Result<(), String> {
    let left = Cell::new(MOST_BYTES);
    let count = |bytes: usize| {
        let too_much = || format!("its settings take more than {} MB of memory", MOST_BYTES >> 20);
        left.set(left.get().checked_sub(bytes).ok_or_else(too_much)?);
        Ok(())
    };
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let twice = |name: &str| Err(format!("`{name}` occurs twice"));
    let counted = Counted { count: &count, passed_over: &["vocab", "merges"], twice: &twice };
    let file = counted.deserialize(&mut json).map_err(|error| error.to_string())?;
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
            return Err("added_tokens: an empty token would match everywhere".to_string());
        }
    }
    let Some(Value::Object(model)) = sections.get("model") else { return Err("it has no `model`".to_string()) };
    known(model, &SETTINGS)?;
    let number = |name: &str| model.get(name).and_then(Value::as_f64);
    if number("dropout").is_some_and(|dropout| dropout > 0.0) {
        return Err("model: `dropout` makes tokenization random; set it to null".to_string());
    }
    if number("max_input_chars_per_word").is_some_and(|most| most > LONGEST_WORD) {
        return Err(format!("model: `max_input_chars_per_word` is more than {LONGEST_WORD}"));
    }
    Ok(())
}

/// Check that SentencePiece's character map has its stated length: the library allocates it before reading any of it.
pub(super) fn check_charsmap(charsmap: &[u8]) -> Result<(), String> {
    let Some((length, rest)) = charsmap.split_first_chunk() else {
        return Err("its character map is cut short; fetch the file again".to_string());
    };
    let length = u32::from_le_bytes(*length) as usize;
    match length <= rest.len() {
        true => Ok(()),
        false => Err(format!(
            "its character map announces {length} bytes, but {} are left; fetch the file again",
            rest.len()
        )),
    }
}

/// Refuse names one letter away from a known name that is absent: the library ignores them.
fn known(settings: &Map<String, Value>, all: &[&str]) -> Result<(), String> {
    for name in settings.keys().filter(|name| !all.contains(&name.as_str())) {
        let near = |known: &&&str| known.len() > 2 && strsim::osa_distance(known, name) == 1;
        if let Some(meant) = all.iter().filter(near).find(|known| !settings.contains_key(**known)) {
            return Err(format!("unknown `{name}`; did you mean `{meant}`?"));
        }
    }
    Ok(())
}

/// Totals of a section's steps.
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
                // The tables of post-processors have tokens as keys.
                if step.is_some() {
                    known(object, &SETTINGS)?;
                }
                for (name, value) in object {
                    match (name.as_str(), value) {
                        ("Regex", Value::String(pattern)) => expression::check(pattern)?,
                        ("precompiled_charsmap", Value::String(text)) => {
                            let bytes = BASE64_STANDARD.decode(text);
                            check_charsmap(
                                &bytes.map_err(|error| format!("its character map is not base64 ({error})"))?,
                            )?;
                        }
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
    fn a_character_map_has_the_bytes_it_says() {
        let mut mapped = file();
        for (bytes, part) in [
            ([0xff; 4].to_vec(), "announces 4294967295 bytes, but 0 are left"),
            (vec![12, 0, 0, 0, 1, 2, 3, 4], "announces 12 bytes, but 4 are left"),
            (vec![1, 0], "cut short"),
        ] {
            mapped["normalizer"] =
                json!({"type": "Precompiled", "precompiled_charsmap": BASE64_STANDARD.encode(bytes)});
            refused(&mapped, part);
        }
        mapped["normalizer"]["precompiled_charsmap"] = json!("?");
        refused(&mapped, "not base64");
        mapped["normalizer"]["precompiled_charsmap"] = json!(BASE64_STANDARD.encode([4, 0, 0, 0, 1, 2, 3, 4, b'a', 0]));
        assert_eq!(check(mapped.to_string().as_bytes()), Ok(()));
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
        refused(&misspelt, "did you mean `invert`");
        let mut empty = file();
        empty["added_tokens"][0]["content"] = json!("");
        refused(&empty, "empty token");
        let mut slow = file();
        slow["pre_tokenizer"]["pattern"]["Regex"] = json!(r"(?:a+)+(?!b)");
        refused(&slow, "exponential");
    }
}
