//! A server's model in the manifest.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};

/// File of what a server says of itself at each end of a run.
pub(super) const SERVER: &str = "server.jsonl";

/// Maximum bytes read of `server.jsonl`, which has a short line for each end of a run.
const MOST_READ: u64 = 1 << 20;

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
    /// The same of further servers with the model; absent if the run has one server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
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
    /// Path or repository of the weights, according to the server, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Longest sequence in tokens, according to the server, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<usize>,
    /// Quantisation of the weights, according to the server, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantization: Option<String>,
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

/// What a server says of itself at the end of a run: a line of `server.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ServerAtEnd {
    /// When it was asked, in UTC.
    pub at: String,
    /// Whether it still lists the run's model; a server that lists none does.
    pub listed: bool,
    /// Model name in its answer.
    pub answers_as: Option<String>,
    /// Its program.
    pub program: Option<String>,
    /// Version of that program.
    pub version: Option<String>,
    /// Fingerprint in its answer.
    pub fingerprint: Option<String>,
    /// Path or repository of the weights.
    pub root: Option<String>,
    /// Longest sequence, in tokens.
    pub context: Option<usize>,
    /// Quantisation of the weights.
    pub quantization: Option<String>,
    /// What differs from the beginning of the run, each as `what: before, then after`; empty where nothing does.
    pub changed: Vec<String>,
}

#[cfg(feature = "server")]
impl ServerAtEnd {
    /// Notes what differs from the beginning. What either did not say is no difference.
    pub fn since(mut self, begun: &ServerIdentity) -> Self {
        let context = [begun.context, self.context].map(|context| context.map(|context| context.to_string()));
        let [context_before, context_now] = &context;
        let pairs = [
            ("model", &begun.answers_as, &self.answers_as),
            ("root", &begun.root, &self.root),
            ("context", context_before, context_now),
            ("quantisation", &begun.quantization, &self.quantization),
            ("program", &begun.program, &self.program),
            ("version", &begun.version, &self.version),
            ("fingerprint", &begun.fingerprint, &self.fingerprint),
        ];
        let changed = pairs.into_iter().filter_map(|(what, before, now)| match (before, now) {
            (Some(before), Some(now)) if before != now => Some(format!("{what}: {before}, then {now}")),
            _ => None,
        });
        let gone = (!self.listed).then(|| format!("model: {}, then no longer listed", begun.name));
        self.changed = gone.into_iter().chain(changed).collect();
        self
    }
}

/// Returns what differed at the end of a run from its beginning, each once; empty without such lines.
pub fn server_changes(folder: &Path) -> Vec<String> {
    let mut text = String::new();
    let read = File::open(folder.join(SERVER)).and_then(|file| file.take(MOST_READ).read_to_string(&mut text));
    if read.is_err() {
        return Vec::new();
    }
    // A kill may tear the last line.
    let lines = text.lines().filter_map(|line| serde_json::from_str::<ServerAtEnd>(line).ok());
    let mut changes = IndexSet::new();
    lines.for_each(|line| changes.extend(line.changed));
    changes.into_iter().collect()
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
