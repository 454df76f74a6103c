//! Requests to models and their replies, recorded in a folder under the hash of the request.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::manifest::{MAKE, MakeManifest};
use crate::backend::{BackendError, GeneratedReply};
use crate::chat::Message;
use crate::ledger::{Claimed, FolderError, Ledger, LedgerLines, of_line, replace_file};
use crate::model::sha256_bytes;
use crate::parse_error::in_words;
use crate::record::{Failure, Served};

/// A prompt to be replied to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The step of the pipeline, for instance `translate`.
    pub step: String,
    /// The item, story or other thing that the reply is about.
    pub id: String,
    /// The turns shown.
    pub messages: Vec<Message>,
    /// Maximum tokens of the reply.
    pub most_tokens: usize,
    /// Number of the reply among several to the same prompt, from 0.
    pub sample: usize,
}

impl Request {
    /// Returns the SHA-256 of all that the reply depends on: the writer's identity, the turns, the maximum length and
    /// the number of the sample; not what the reply is for.
    pub fn sha256(&self, writer: &Value) -> String {
        let Request { messages, most_tokens, sample, .. } = self;
        let all = json!({"writer": writer, "messages": messages, "most_tokens": most_tokens, "sample": sample});
        sha256_bytes(all.to_string())
    }
}

/// A model's answer to a request as a writer hands it over: the reply, or why there is none, and the server that
/// answered if it said which.
pub struct Written {
    /// The reply, or why there is none.
    pub reply: Result<GeneratedReply, Failure>,
    /// Server configuration that answered, if reported.
    pub served: Option<Served>,
}

/// Receives the progress of a step, and may stop it.
pub struct Watch<'a> {
    /// Stops the work after the next reply.
    pub stop: &'a AtomicBool,
    /// Receives the numbers of answered and of all requests of a step.
    pub after: &'a mut dyn FnMut(usize, usize),
}

/// A model that writes replies, on this machine or on a server.
pub trait Writer {
    /// Returns the model's name.
    fn name(&self) -> &str;

    /// Returns all of the model and its sampling that a reply depends on.
    fn identity(&self) -> &Value;

    /// Writes a reply to each request and hands each over when it ends, in any order, with its number; `keys` are the
    /// hashes of the requests, from which draws are seeded. `on_reply` or `stop` may end the work early.
    ///
    /// # Errors
    /// The model cannot be used, or is not to be reached.
    fn write(
        &mut self,
        requests: &[&Request],
        keys: &[&str],
        stop: &AtomicBool,
        on_reply: &mut dyn FnMut(usize, Written) -> ControlFlow<()>,
    ) -> Result<(), WriterFault>;
}

/// Why a writer cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum WriterFault {
    /// The backend failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The model could not be made ready.
    #[error("{0}")]
    Model(String),
}

/// A reply as recorded, one line of `replies.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Reply {
    /// Step of the pipeline that asked first, for instance `translate`.
    pub step: String,
    /// What it is about, for instance the id of an item.
    pub id: String,
    /// SHA-256 of the request: the writer with its sampling, the turns, the maximum length and the sample's number.
    pub request: String,
    /// Name of the model that wrote it.
    pub model: String,
    /// The turns shown.
    pub messages: Vec<Message>,
    /// Maximum tokens of the reply.
    pub most_tokens: usize,
    /// Number of the reply among several to the same turns, from 0; absent for the first.
    #[serde(default, skip_serializing_if = "is_first")]
    pub sample: usize,
    /// The text, without thoughts before it; absent if there is none.
    pub text: Option<String>,
    /// The thoughts before it, if separate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    /// Whether the length limit ended it.
    pub cut: bool,
    /// Tokens written, if known.
    pub tokens: Option<usize>,
    /// Why there is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// The server that answered, as far as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<Served>,
}

fn is_first(sample: &usize) -> bool {
    *sample == 0
}

impl Reply {
    fn new(request: &Request, sha256: &str, model: &str, written: Written) -> Self {
        let (generated, failure) = match written.reply {
            Ok(reply) => (Some(reply), None),
            Err(failure) => (None, Some(failure)),
        };
        let (tokens, cut) = generated.as_ref().map_or((None, false), |reply| (reply.tokens, reply.cut));
        let (text, thinking) = generated.map(|reply| (reply.text, reply.thinking)).unzip();
        Reply {
            step: request.step.clone(),
            id: request.id.clone(),
            request: sha256.to_string(),
            model: model.to_string(),
            messages: request.messages.clone(),
            most_tokens: request.most_tokens,
            sample: request.sample,
            text,
            thinking: thinking.flatten(),
            cut,
            tokens,
            failure,
            served: written.served,
        }
    }

    /// Returns the text where it is whole.
    ///
    /// # Errors
    /// There is none, or it was cut; the error says why.
    pub fn whole(&self) -> Result<&str, String> {
        match (&self.text, &self.failure) {
            (_, Some(failure)) => Err(format!("no reply: {}", failure.message)),
            (Some(_), None) if self.cut => Err(format!("the reply was cut at {} tokens", self.most_tokens)),
            (Some(text), None) if text.trim().is_empty() => Err("the reply is empty".to_string()),
            (Some(text), None) => Ok(text),
            (None, None) => Err("no reply".to_string()),
        }
    }
}

/// Work of a pipeline that could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MakeError {
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A model gave no more replies; those before are recorded.
    #[error("{model} was asked {} of {of} for the step {step}, then: {source}", .done)]
    Writer {
        /// Name of the model.
        model: String,
        /// The step.
        step: String,
        /// Replies recorded in this step.
        done: usize,
        /// Replies needed in this step.
        of: usize,
        /// The reason.
        source: Box<WriterFault>,
    },
    /// The work was stopped; replies so far are recorded.
    #[error("stopped in the step {step} with {done} of {of} replies")]
    Stopped {
        /// The step.
        step: String,
        /// Replies recorded in this step.
        done: usize,
        /// Replies needed in this step.
        of: usize,
    },
}

/// Asks a model, by its name, and returns a reply to each request, in order.
pub type Ask<'a> = dyn FnMut(&str, &[Request]) -> Result<Vec<Reply>, MakeError> + 'a;

/// The recorded replies of a folder, open for more.
#[derive(Debug)]
pub struct Correspondence {
    path: PathBuf,
    ledger: Ledger,
    /// Replies by request, in the order of the file.
    known: IndexMap<String, Reply>,
    /// Requests in the order in which this process needed them.
    needed: IndexSet<String>,
    /// Replies written by this process.
    fresh: usize,
}

impl Correspondence {
    /// Opens a folder, creating it if needed, and reads the replies in it. A line that a kill left unfinished is cut off.
    ///
    /// # Errors
    /// The folder holds something else or is in use, a pipeline with other settings began it, or a line was changed.
    pub fn open(folder: &Path, given: &MakeManifest) -> Result<Self, FolderError> {
        let claimed = Claimed::<MakeManifest>::claim(folder)?;
        if let Some(existing) = claimed.manifest() {
            existing.check_same(given, folder)?;
        }
        let settled = claimed.settle(given, &[])?;
        let (mut ledger, path) = (settled.ledger, settled.path);
        let file = path.join(MAKE.lines);
        let mut known = IndexMap::new();
        let (mut end, mut sums) = (0, Vec::new());
        {
            let mut lines = LedgerLines::new(&path, &MAKE, ledger.rewound()?)?;
            lines.sums_in_any_order();
            let unread = |source| FolderError::Io { path: file.clone(), action: "read", source };
            while let Some(bytes) = lines.next_line().map_err(unread)? {
                let line = lines.read();
                if !lines.as_written() {
                    return Err(FolderError::Altered { path: file, line, sums: MAKE.sums });
                }
                let bad = |message: String| FolderError::BadLine { path: file.clone(), line, message };
                let reply: Reply = serde_json::from_slice(lines.bytes()).map_err(|error| bad(in_words(error)))?;
                sums.push(of_line(&String::from_utf8_lossy(lines.bytes())));
                if known.insert(reply.request.clone(), reply).is_some() {
                    return Err(bad("the same request is answered twice".to_string()));
                }
                end += bytes;
            }
        }
        ledger.cut(end, &sums)?;
        Ok(Correspondence { path, ledger, known, needed: IndexSet::new(), fresh: 0 })
    }

    /// Returns the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of replies that this process had written, and of all it needed.
    pub fn counts(&self) -> (usize, usize) {
        (self.fresh, self.needed.len())
    }

    /// Returns how many of these requests have no recorded reply.
    pub fn unanswered(&self, writer: &dyn Writer, requests: &[Request]) -> usize {
        let hashes: IndexSet<String> = requests.iter().map(|request| request.sha256(writer.identity())).collect();
        hashes.iter().filter(|hash| !self.known.contains_key(*hash)).count()
    }

    /// Returns the reply to each request, in their order. Only requests without a recorded reply are written, equal ones
    /// once; each reply is recorded when it ends.
    ///
    /// # Errors
    /// The writer failed or the work was stopped; replies until then are recorded.
    pub fn ask(
        &mut self,
        writer: &mut dyn Writer,
        requests: &[Request],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Reply>, MakeError> {
        let hashes: Vec<String> = requests.iter().map(|request| request.sha256(writer.identity())).collect();
        self.needed.extend(hashes.iter().cloned());
        let mut open: IndexMap<&str, &Request> = IndexMap::new();
        for (hash, request) in hashes.iter().zip(requests) {
            if !self.known.contains_key(hash) {
                open.entry(hash).or_insert(request);
            }
        }
        let (all, before) = (open.len(), requests.len() - open.len());
        (watch.after)(before, requests.len());
        if let Some(first) = open.values().next() {
            let step = first.step.clone();
            let model = writer.name().to_string();
            let (keys, asked): (Vec<&str>, Vec<&Request>) = open.iter().map(|(key, request)| (*key, *request)).unzip();
            let mut done = 0;
            let mut failed: Option<FolderError> = None;
            let mut on_reply = |number: usize, written: Written| {
                let reply = Reply::new(asked[number], keys[number], &model, written);
                if let Err(error) = self.record(reply) {
                    failed = Some(error);
                    return ControlFlow::Break(());
                }
                done += 1;
                (watch.after)(before + done, requests.len());
                if watch.stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let ended = match watch.stop.load(Ordering::Relaxed) {
                true => Ok(()),
                false => writer.write(&asked, &keys, watch.stop, &mut on_reply),
            };
            self.ledger.sync()?;
            if let Some(error) = failed {
                return Err(error.into());
            }
            if let Err(source) = ended.map_err(Box::new) {
                return Err(MakeError::Writer { model, step, done, of: all, source });
            }
            if done < all {
                return Err(MakeError::Stopped { step, done, of: all });
            }
        }
        Ok(hashes.iter().filter_map(|hash| self.known.get(hash).cloned()).collect())
    }

    fn record(&mut self, reply: Reply) -> Result<(), FolderError> {
        let line = serde_json::to_string(&reply).map_err(|error| FolderError::Io {
            path: self.path.join(MAKE.lines),
            action: "written",
            source: error.into(),
        })?;
        self.ledger.append(&[line])?;
        self.known.insert(reply.request.clone(), reply);
        self.fresh += 1;
        Ok(())
    }

    /// Puts the recorded replies into the order in which the pipeline needed them, after its last step, and writes files
    /// of results beside them, each by its name. Replies that were not needed come last.
    pub fn finish(mut self, files: &[(&str, String)]) -> Result<(), FolderError> {
        let places: HashMap<&str, usize> =
            self.needed.iter().enumerate().map(|(place, hash)| (hash.as_str(), place)).collect();
        let mut replies: Vec<&Reply> = self.known.values().collect();
        replies.sort_by_key(|reply| places.get(reply.request.as_str()).copied().unwrap_or(usize::MAX));
        let io = |path: PathBuf| move |source| FolderError::Io { path, action: "written", source };
        if !replies.iter().map(|reply| &reply.request).eq(self.known.keys()) {
            let line = |reply: &&Reply| serde_json::to_string(reply);
            let lines: Result<Vec<String>, _> = replies.iter().map(line).collect();
            let lines = lines.map_err(|error| io(self.path.join(MAKE.lines))(error.into()))?;
            self.ledger.replace(&lines)?;
        }
        for (name, text) in files {
            let path = self.path.join(name);
            replace_file(&path, text).map_err(io(path.clone()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::record::FailureKind;

    /// Replies in reverse order with the upper-case text of the last turn; fails after `left` replies.
    struct Shouts {
        identity: Value,
        asked: Vec<String>,
        left: usize,
    }

    impl Writer for Shouts {
        fn name(&self) -> &str {
            "shouts"
        }

        fn identity(&self) -> &Value {
            &self.identity
        }

        fn write(
            &mut self,
            requests: &[&Request],
            _: &[&str],
            _: &AtomicBool,
            on_reply: &mut dyn FnMut(usize, Written) -> ControlFlow<()>,
        ) -> Result<(), WriterFault> {
            for (number, request) in requests.iter().enumerate().rev() {
                if self.left == 0 {
                    return Err(WriterFault::Model("worn out".to_string()));
                }
                self.left -= 1;
                let text = request.messages[0].content.to_uppercase();
                self.asked.push(text.clone());
                let cut = text.ends_with('…');
                let reply = match text.is_empty() {
                    true => Err(Failure { kind: FailureKind::Prompt, message: "nothing to shout".to_string() }),
                    false => Ok(GeneratedReply {
                        prompt_tokens: 1,
                        text,
                        thinking: None,
                        tokens: None,
                        cut,
                        shorter: Vec::new(),
                    }),
                };
                if on_reply(number, Written { reply, served: None }).is_break() {
                    return Ok(());
                }
            }
            Ok(())
        }
    }

    fn request(step: &str, text: &str) -> Request {
        let (step, id) = (step.to_string(), format!("on {text}"));
        Request { step, id, messages: vec![Message::user(text)], most_tokens: 8, sample: 0 }
    }

    fn manifest(value: &str) -> MakeManifest {
        MakeManifest::new("shout", [("to", json!(value))])
    }

    /// Two steps over four texts, two of which are equal; the second step shouts at the replies of the first.
    fn pipeline(folder: &Path, writer: &mut Shouts, stop: &AtomicBool) -> Result<(), MakeError> {
        let mut all = Correspondence::open(folder, &manifest("zh"))?;
        let mut watch = Watch { stop, after: &mut |_, _| {} };
        let texts = ["a", "b", "a", "", "c…"];
        let first = all.ask(writer, &texts.map(|text| request("first", text)), &mut watch)?;
        assert_eq!(first.len(), texts.len());
        let next: Vec<Request> =
            first.iter().filter_map(|reply| Some(request("next", &format!("{}!", reply.whole().ok()?)))).collect();
        let next = all.ask(writer, &next, &mut watch)?;
        let set: String = next.iter().filter_map(|reply| reply.text.clone()).collect();
        Ok(all.finish(&[("set.txt", set)])?)
    }

    #[test]
    fn a_pipeline_broken_after_any_reply_asks_nothing_twice_and_ends_with_the_same_bytes() {
        let shouts = |left| Shouts { identity: json!({"name": "shouts"}), asked: Vec::new(), left };
        let go_on = AtomicBool::new(false);
        let files = ["replies.jsonl", "replies.sums", "set.txt", "make.json"];
        let bytes = |folder: &Path| files.map(|name| fs::read_to_string(folder.join(name)).unwrap());
        let whole = tempfile::tempdir().unwrap();
        let mut writer = shouts(100);
        pipeline(whole.path(), &mut writer, &go_on).unwrap();
        assert_eq!(writer.asked, ["C…", "", "B", "A", "B!", "A!"]);
        for left in 0..6 {
            let folder = tempfile::tempdir().unwrap();
            let mut broken = shouts(left);
            let error = pipeline(folder.path(), &mut broken, &go_on).unwrap_err();
            assert!(matches!(error, MakeError::Writer { .. }), "{error}");
            // A kill may also leave a line without its end.
            let lines = folder.path().join("replies.jsonl");
            let mut text = fs::read_to_string(&lines).unwrap();
            text.push_str("{\"step\":\"fir");
            fs::write(&lines, text).unwrap();
            let mut resumed = shouts(100);
            pipeline(folder.path(), &mut resumed, &go_on).unwrap();
            assert_eq!(bytes(folder.path()), bytes(whole.path()), "after {left}");
            assert_eq!(broken.asked.len() + resumed.asked.len(), writer.asked.len(), "after {left}");
            let mut again = shouts(0);
            pipeline(folder.path(), &mut again, &go_on).unwrap();
            assert_eq!(bytes(folder.path()), bytes(whole.path()), "after {left}");
        }
    }

    #[test]
    fn other_settings_a_changed_line_and_a_stop_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Shouts { identity: json!("shouts"), asked: Vec::new(), left: 100 };
        let stopped = pipeline(folder.path(), &mut writer, &AtomicBool::new(true)).unwrap_err();
        assert_eq!(stopped.to_string(), "stopped in the step first with 0 of 4 replies");
        pipeline(folder.path(), &mut writer, &AtomicBool::new(false)).unwrap();
        let error = Correspondence::open(folder.path(), &manifest("fr")).unwrap_err().to_string();
        assert!(error.contains("to is zh, not fr"), "{error}");
        let lines = folder.path().join("replies.jsonl");
        let text = fs::read_to_string(&lines).unwrap();
        fs::write(&lines, text.replace("\"A\"", "\"E\"")).unwrap();
        let error = Correspondence::open(folder.path(), &manifest("zh")).unwrap_err().to_string();
        assert!(error.contains("line 1: changed after it was written"), "{error}");
    }

    #[test]
    fn the_hash_is_that_of_the_request_and_not_of_its_purpose() {
        let one = request("first", "a");
        let other = Request { step: "next".to_string(), id: "else".to_string(), ..one.clone() };
        assert_eq!(one.sha256(&json!(1)), other.sha256(&json!(1)));
        assert_ne!(one.sha256(&json!(1)), one.sha256(&json!(2)));
        assert_ne!(one.sha256(&json!(1)), Request { sample: 1, ..one.clone() }.sha256(&json!(1)));
        assert_ne!(one.sha256(&json!(1)), Request { most_tokens: 9, ..one.clone() }.sha256(&json!(1)));
    }
}
