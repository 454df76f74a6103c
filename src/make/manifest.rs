//! The manifest of a folder of made data: the pipeline and its settings.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::canary::CANARY;
use crate::ledger::{FolderError, FolderKind, Kept, Mixture};
use crate::parse_error::in_words;

/// Folders of made data.
pub(super) const MAKE: FolderKind = FolderKind {
    manifest: "make.json",
    lines: "replies.jsonl",
    sums: "replies.sums",
    work: "pipeline",
    folder: "folder of made data",
    command: "make",
};

/// Format of the folders that this program writes.
const FORMAT: u32 = 1;

/// What a folder of made data was made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MakeManifest {
    /// Format of the folder, 1.
    pub format: u32,
    /// Program that began it.
    pub program: String,
    /// The pipeline, for instance `translate`.
    pub pipeline: String,
    /// Everything besides the replies that the made data depend on: models, prompts with their SHA-256, source items with
    /// theirs, and the arguments of the pipeline.
    pub settings: Map<String, Value>,
    /// Always empty: a pipeline is not continued with other settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mixed: Vec<Mixture>,
    /// The canary line; see the end of this page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<String>,
    /// SHA-256 of the other keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

impl MakeManifest {
    /// Returns the manifest of a pipeline of this program.
    pub fn new<'a>(pipeline: &str, settings: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        MakeManifest {
            format: FORMAT,
            program: format!("tomeval {}", env!("CARGO_PKG_VERSION")),
            pipeline: pipeline.to_string(),
            settings: settings.into_iter().map(|(key, value)| (key.to_string(), value)).collect(),
            mixed: Vec::new(),
            canary: None,
            sha256: None,
        }
    }

    /// Refuses to continue the work of `self` in `folder` as that of `given`.
    pub(super) fn check_same(&self, given: &MakeManifest, folder: &Path) -> Result<(), FolderError> {
        let mut differences = Vec::new();
        if self.pipeline != given.pipeline {
            differences.push(format!("pipeline is {}, not {}", self.pipeline, given.pipeline));
        }
        add_differences("", &self.settings, &given.settings, &mut differences);
        match differences.is_empty() {
            true => Ok(()),
            false => Err(FolderError::Other { path: folder.to_path_buf(), kind: &MAKE, differences }),
        }
    }
}

/// Adds the settings that differ, of nested ones the innermost.
fn add_differences(within: &str, was: &Map<String, Value>, is: &Map<String, Value>, found: &mut Vec<String>) {
    let shown = |value: Option<&Value>| match value {
        Some(Value::String(text)) => text.clone(),
        // What is added or left out as a whole is told by its name.
        Some(Value::Object(whole)) if whole.contains_key("name") => whole["name"].to_string(),
        Some(value) => value.to_string(),
        None => "absent".to_string(),
    };
    for key in was.keys().chain(is.keys().filter(|key| !was.contains_key(*key))) {
        match (was.get(key), is.get(key)) {
            (was, is) if was == is => {}
            (Some(Value::Object(was)), Some(Value::Object(is))) => {
                add_differences(&format!("{within}{key}."), was, is, found);
            }
            (was, is) => found.push(format!("{within}{key} is {}, not {}", shown(was), shown(is))),
        }
    }
}

impl Kept for MakeManifest {
    const KIND: &'static FolderKind = &MAKE;

    fn parse(text: &str, json: Value) -> Result<Self, String> {
        match json.get("format").and_then(Value::as_u64) {
            Some(format) if format == u64::from(FORMAT) => serde_json::from_str(text).map_err(in_words),
            Some(format) => Err(format!("format {format}, this program reads {FORMAT}")),
            None => Err("not a manifest: it names no format".to_string()),
        }
    }

    fn mixed(&mut self) -> &mut Vec<Mixture> {
        &mut self.mixed
    }

    fn unsigned(&self) -> Self {
        MakeManifest { sha256: None, canary: Some(CANARY.to_string()), ..self.clone() }
    }
}
