//! What a manifest says of a model on a server.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// A model on a server that a run asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ServerModel {
    /// Which model.
    #[serde(flatten)]
    pub identity: ServerIdentity,
    /// The order in which trials are sent; read on resume, never derived again.
    pub plan: ServedPlan,
}

/// Which model on a server, as far as that tells: what it is made of is known there alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ServerIdentity {
    /// Name of the model on the server.
    pub name: String,
    /// Where the server's routes are.
    pub address: String,
    /// Whether the server is another machine, so that items left this one.
    pub elsewhere: bool,
    /// What the server calls the model in its answers; absent where it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers_as: Option<String>,
    /// The server's program, as its answers say; absent where they do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Version of that program, where it tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The fingerprint that it answered with when the run was begun, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Where prompts go: `chat`, where the server's template writes them, or `completions`.
    pub route: String,
    /// Where log-likelihoods come from: `prompt-logprobs`, `echo`, `named-ids`, `top` or `chat-top`; absent where
    /// replies are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<String>,
    /// How many of the likeliest tokens the server was asked for; absent where it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<usize>,
    /// The tokenizer that cuts prompts here; absent where none was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<NamedTokenizer>,
}

/// A tokenizer that was named for a server's model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NamedTokenizer {
    /// The model or folder it is of.
    pub name: String,
    /// SHA-256 by file name, as far as they decide which tokens there are.
    pub sha256: IndexMap<String, String>,
}

/// The order in which trials are sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ServedPlan {
    /// The numbers of trials in the order in which they are sent, by story.
    pub batches: Vec<Vec<usize>>,
}

impl ServedPlan {
    /// What makes it none of so many trials, if anything does.
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
