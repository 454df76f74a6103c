//! The respondent of results.

use serde::{Deserialize, Serialize};

/// A respondent, and how its answers were produced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Respondent<'a> {
    /// The name of a run, its model, or the name of an answer file.
    pub label: &'a str,
    /// For instance `letters` or `written, greedy`.
    pub answers: &'a str,
}

impl Respondent<'_> {
    /// The header of their answers in one style under one condition.
    pub(crate) fn header(self, style: &str, condition: Option<&str>) -> Header {
        Header {
            label: self.label.to_string(),
            answers: self.answers.to_string(),
            style: style.to_string(),
            condition: condition.map(str::to_string),
        }
    }
}

/// A model, or people, that answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Hash of its weights: sides with the same one are one model, whatever its name and precision. `None` if unknown;
    /// then the name identifies it.
    pub weights: Option<String>,
}

impl Subject {
    /// What identifies the model.
    pub fn key(&self) -> &str {
        self.weights.as_deref().unwrap_or(&self.name)
    }

    /// Whether it is the same model, whatever its precision: equal files, or names that differ in precision alone. Other
    /// files of one name are another model.
    pub fn is_same_as(&self, other: &Subject) -> bool {
        let names = [&self.name, &other.name].map(|name| without_folder(name));
        let named_alike = without_precision(&names[0]) == without_precision(&names[1]);
        match (&self.weights, &other.weights) {
            (Some(own), Some(others)) => own == others || (named_alike && names[0] != names[1]),
            _ => named_alike,
        }
    }
}

impl From<&str> for Subject {
    fn from(name: &str) -> Self {
        Subject { name: name.to_string(), weights: None }
    }
}

/// A model's name in lower case, without its folder.
fn without_folder(name: &str) -> String {
    name.trim_end_matches('/').rsplit('/').next().unwrap_or(name).to_lowercase()
}

/// The name without the precision that names of files end with (`.gguf`, `-q4_k_m`, `-f16`, `-awq`).
fn without_precision(name: &str) -> &str {
    let mut name = name.trim_end_matches(".gguf");
    while let Some((before, last)) = name.rsplit_once(['-', '.']) {
        let digits = last.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        let kind = &last[..last.len() - digits.len()];
        let is_precision = match kind {
            "q" | "iq" => digits.starts_with(|letter: char| letter.is_ascii_digit()),
            "f" | "bf" | "fp" | "int" => matches!(digits, "4" | "8" | "16" | "32"),
            "awq" | "gptq" => digits.is_empty(),
            _ => false,
        };
        if !is_precision {
            break;
        }
        name = before;
    }
    name
}

/// Common start of every result: the respondent and the presentation. Its keys are inlined in those of the result.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Header {
    /// The respondent.
    #[serde(alias = "subject")]
    pub label: String,
    /// How the answers were produced.
    #[serde(default)]
    pub answers: String,
    /// Prompt style.
    pub style: String,
    /// Changed presentation; null for the plain one.
    pub condition: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Listing;

    #[test]
    fn files_of_one_model_in_several_precisions_have_one_name() {
        for name in [
            "Org/Model-7B-Instruct",
            "model-7b-instruct.gguf",
            "Model-7B-Instruct-Q4_K_M.gguf",
            "model-7b-instruct.IQ2_XS.gguf",
            "Model-7B-Instruct-AWQ",
            "model-7b-instruct-f16",
            "model-7b-instruct-int4",
        ] {
            assert_eq!(without_precision(&without_folder(name)), "model-7b-instruct", "{name}");
        }
        for other in ["qwen2.5-7b", "phi-3", "gemma-3-4b-it", "glm-4"] {
            assert_eq!(without_precision(other), other);
        }
    }

    #[test]
    fn other_files_of_one_name_are_another_model() {
        let model = |name: &str, hash: Option<&str>| Subject { name: name.into(), weights: hash.map(str::to_string) };
        let same = |one: (&str, Option<&str>), other: (&str, Option<&str>)| {
            model(one.0, one.1).is_same_as(&model(other.0, other.1))
        };
        assert!(same(("one/qwen", Some("a")), ("other", Some("a"))));
        assert!(same(("one/qwen", Some("a")), ("Qwen-Q4_0.gguf", Some("b"))));
        assert!(!same(("one/qwen", Some("a")), ("two/qwen", Some("b"))), "two trainings");
        assert!(same(("qwen", Some("a")), ("qwen", None)));
        assert!(!same(("qwen", None), ("phi", None)));
    }

    #[test]
    fn a_header_stands_among_the_keys_of_its_result_and_unknown_ones_are_refused() {
        let text = r#"{"id":"a","title":"A","label":"m","answers":"letters","style":"s","condition":null,"ids":[]}"#;
        let parsed: Listing = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&parsed).unwrap(), text);
        let first_format = text.replace("label", "subject").replace(r#""answers":"letters","#, "");
        let parsed: Listing = serde_json::from_str(&first_format).unwrap();
        assert_eq!((parsed.header.label.as_str(), parsed.header.answers.as_str()), ("m", ""));
        let unknown = text.replace(r#""ids""#, r#""more":1,"ids""#);
        assert!(serde_json::from_str::<Listing>(&unknown).unwrap_err().to_string().contains("unknown field `more`"));
    }
}
