//! Requests written for other programs, by the short id of their answers.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::problem::{ImportedProblem, ProblemKind};
use crate::benchmark::Item;
use crate::parse_error::in_words;
use crate::prompt::Order;

/// A line of `map.jsonl`, written by `prompts write`: the contents of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MappedRequest {
    /// Id of the request and its answer.
    pub custom_id: String,
    /// Id of the item.
    pub id: String,
    /// Prompt style, for instance `vanilla`.
    pub style: String,
    /// Changed presentation, for instance `no-profile`; absent for the unchanged one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The canonical option (from 0) that each slot shows.
    pub order: Order,
    /// How often the policy drew this order, at least once; it is requested once.
    pub count: usize,
    /// The labels shown, in slot order.
    pub labels: Vec<String>,
}

impl MappedRequest {
    /// Checks that the item has as many options as the request showed.
    pub(super) fn check(&self, item: &Item) -> Result<(), Box<ImportedProblem>> {
        let (found, expected) = (self.order.len(), item.options.len());
        if found == expected {
            return Ok(());
        }
        let message = format!(
            "request `{}` showed {found} options, but `{}` has {expected}; score with the data it was written from",
            self.custom_id, item.id
        );
        Err(ImportedProblem::mistake(None, message).of_kind(ProblemKind::Unmatched))
    }
}

/// Requests by short id.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestMap {
    requests: IndexMap<String, MappedRequest>,
}

impl RequestMap {
    /// Reads a map with one request per line.
    ///
    /// # Errors
    /// A line is not a request, or repeats a short id.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut requests = IndexMap::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let request: MappedRequest =
                serde_json::from_str(line).map_err(|error| format!("line {number}: {}", in_words(error)))?;
            if request.count == 0 {
                return Err(format!("line {number}, `count`: is 0; every requested order was drawn at least once"));
            }
            if let Some(twice) = requests.insert(request.custom_id.clone(), request) {
                return Err(format!("line {number}: duplicate request `{}`", twice.custom_id));
            }
        }
        Ok(RequestMap { requests })
    }

    /// The request with a short id.
    pub fn get(&self, custom_id: &str) -> Option<&MappedRequest> {
        self.requests.get(custom_id)
    }

    /// All requests, in the order of the file.
    pub fn all(&self) -> impl Iterator<Item = &MappedRequest> {
        self.requests.values()
    }
}
