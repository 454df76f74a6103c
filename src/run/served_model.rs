//! A server's model in the manifest.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// A server's model in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ServerModel {
    /// Identity of the model.
    #[serde(flatten)]
    pub identity: ServerIdentity,
    /// The order in which trials are sent; read on resume, never derived again.
    pub plan: ServedPlan,
}

/// Identity of a server's model, as far as known; only the server knows its weights.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ServerIdentity {
    /// Name of the model on the server.
    pub name: String,
    /// Base address of the server's routes.
    pub address: String,
    /// Whether the server is another machine, so that items left this one.
    pub elsewhere: bool,
    /// Model name in the server's answers; absent if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers_as: Option<String>,
    /// The server's program according to its answers; absent if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Version of that program, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Fingerprint in its answer when the run began, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Destination of prompts: `chat`, where the server's template writes them, or `completions`.
    pub route: String,
    /// Source of log-likelihoods: `prompt-logprobs`, `token-trie`, `echo`, `sglang-prompt-logprobs`, `named-ids`,
    /// `sglang-named-ids`, `top` or `chat-top`; absent if replies are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<String>,
    /// Number of most likely tokens requested from the server; absent if not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<usize>,
    /// Local tokenizer for prompts; absent if none was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<NamedTokenizer>,
}

/// A tokenizer named for a server's model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NamedTokenizer {
    /// Its model or folder.
    pub name: String,
    /// SHA-256 by file name, for the files that determine the tokens.
    pub sha256: IndexMap<String, String>,
}

/// The order in which trials are sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ServedPlan {
    /// Trial numbers in the order of sending, by story.
    pub batches: Vec<Vec<usize>>,
}

impl ServedPlan {
    /// Returns why this cannot be a plan for this number of trials, if so.
    pub(super) fn fault(&self, trials: usize) -> Option<String> {
        let mut seen = vec![false; trials];
        for &trial in self.batches.iter().flatten() {
            match seen.get_mut(trial) {
                None => return Some(format!("it asks trial {trial} of {trials}")),
                Some(true) => return Some(format!("it asks trial {trial} twice")),
                Some(seen) => *seen = true,
            }
        }
        None
    }
}
