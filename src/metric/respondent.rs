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
}

impl From<&str> for Subject {
    fn from(name: &str) -> Self {
        Subject { name: name.to_string(), weights: None }
    }
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
    use crate::metric::Listing;

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
