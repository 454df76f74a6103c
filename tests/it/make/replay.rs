//! Recorded replies by the SHA-256 of the request, a server that replays them, and pipelines killed after each reply.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::support::context::TestContext;
use crate::support::model_server::{Asked, ModelServer, Reply, serve_chats};
use crate::support::tiny_models::shared_tiny_model;

/// Replies, and whether the length limit ended them, by the SHA-256 of the request.
pub type Recorded = HashMap<String, (String, bool)>;

fn sha256(asked: &Asked) -> String {
    hex::encode(Sha256::digest(asked.body.to_string()))
}

/// The system turn and the last turn of a request.
pub fn turns(asked: &Asked) -> (&str, &str) {
    let turns = asked.body["messages"].as_array().unwrap();
    let text = |at: usize| turns[at]["content"].as_str().unwrap();
    (text(0), text(turns.len() - 1))
}

/// Has scripted models reply to every request that comes, and keeps the replies.
pub fn record(
    scripted: impl Fn(&Asked) -> (String, bool) + Send + Sync + 'static,
) -> (ModelServer, Arc<Mutex<Recorded>>) {
    let recorded: Arc<Mutex<Recorded>> = Arc::default();
    let kept = Arc::clone(&recorded);
    let reply = move |asked: &Asked| {
        let reply = scripted(asked);
        kept.lock().unwrap().insert(sha256(asked), reply.clone());
        Ok(reply)
    };
    (serve_chats(shared_tiny_model(), reply, |_, honest| Reply::Json(honest)), recorded)
}

/// Replays recorded replies, the first `limit` of them; later ones do not come. An unknown request is an error.
fn replay(recorded: Recorded, limit: Arc<AtomicUsize>) -> ModelServer {
    let reply = move |asked: &Asked| {
        recorded.get(&sha256(asked)).cloned().ok_or_else(|| format!("unknown request {}", sha256(asked)))
    };
    let answered = AtomicUsize::new(0);
    let change = move |asked: &Asked, honest: Value| {
        let late = asked.is_of_a_trial() && answered.fetch_add(1, Ordering::SeqCst) >= limit.load(Ordering::SeqCst);
        if late {
            answered.fetch_sub(1, Ordering::SeqCst);
            return Reply::Late(honest, Duration::from_secs(60));
        }
        Reply::Json(honest)
    };
    serve_chats(shared_tiny_model(), reply, change)
}

/// Every file under a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().to_string_lossy().into_owned();
        match entry.path().is_dir() {
            true => all.extend(files(&entry.path()).into_iter().map(|(rest, text)| (format!("{name}/{rest}"), text))),
            false => {
                all.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    all
}

/// Runs a pipeline of `replies` replies once, then kills it after each of them in turn and runs it again: the folder has the
/// same bytes, and nothing that was answered is asked twice. `arguments` are those for a model and a folder, `code` is the
/// exit code of a whole run.
pub fn killed_after_each_reply(
    context: &TestContext,
    (server, recorded): (&ModelServer, &Mutex<Recorded>),
    arguments: &dyn Fn(&str, &str) -> Vec<String>,
    (replies, code): (usize, i32),
) {
    let run = |model: &str, out: &str| {
        let arguments = arguments(model, out);
        context.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).code(code);
    };
    run(&server.name(), "whole");
    let whole = files(&context.path("whole"));
    assert_eq!(server.of_trials(), replies);
    let recorded = recorded.lock().unwrap().clone();
    for kept in 0..replies {
        let limit = Arc::new(AtomicUsize::new(kept));
        let server = replay(recorded.clone(), Arc::clone(&limit));
        let (model, out) = (server.name(), format!("killed-{kept}"));
        let given = arguments(&model, &out);
        let mut child = context.command(&given.iter().map(String::as_str).collect::<Vec<_>>()).spawn().unwrap();
        let begun = Instant::now();
        while server.of_trials() <= kept {
            assert!(begun.elapsed() < Duration::from_secs(60), "the request after {kept} does not come");
            std::thread::sleep(Duration::from_millis(5));
        }
        // The reply before is recorded by now.
        std::thread::sleep(Duration::from_millis(100));
        child.kill().unwrap();
        child.wait().unwrap();
        limit.store(usize::MAX, Ordering::SeqCst);
        run(&model, &out);
        let found = files(&context.path(&out));
        assert_eq!(found.keys().collect::<Vec<_>>(), whole.keys().collect::<Vec<_>>(), "after {kept}");
        for (name, bytes) in &whole {
            assert!(&found[name] == bytes, "{name} after {kept}");
        }
        // The one request that was open at the kill is sent again; no answered one is.
        let log = server.log();
        let sent: Vec<String> = log.iter().filter(|asked| asked.is_of_a_trial()).map(sha256).collect();
        assert_eq!(sent.len(), replies + 1, "after {kept}");
        assert_eq!(sent.iter().collect::<HashSet<_>>().len(), replies);
        assert_eq!(sent[kept], sent[kept + 1], "after {kept}");
        assert!(sent.iter().all(|request| recorded.contains_key(request)));
    }
}
