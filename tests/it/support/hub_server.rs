//! A Hugging Face Hub with one repository, as far as downloads need it: an honest one, or one whose answers a test
//! changes as an attacker would.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The one commit there is.
pub const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// A running server; it ends with the test's process.
pub struct Server {
    address: String,
    log: Arc<Mutex<Vec<Request>>>,
}

/// What was asked.
#[derive(Debug, Clone)]
pub struct Request {
    pub path: String,
    headers: Vec<(String, String)>,
}

impl Request {
    /// A header's value; its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What is answered. Without `Content-Length` the body ends where the connection does.
#[derive(Debug, Clone)]
pub struct Reply {
    status: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    fn new(status: &str, body: Vec<u8>) -> Self {
        let headers = vec![("Content-Length".to_string(), body.len().to_string())];
        Reply { status: status.to_string(), headers, body }
    }

    /// To another address.
    pub fn redirect(location: &str) -> Self {
        Reply::new("302 Found", Vec::new()).with("Location", location)
    }

    /// As the Hub answers for a large file that is stored elsewhere.
    pub fn stored_at(self, location: &str) -> Self {
        let of = |name: &str| self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let size = of("Content-Range").unwrap_or_default().rsplit('/').next().unwrap_or_default().to_string();
        let etag = of("ETag").unwrap_or_default();
        let reply = Reply::redirect(location).with("x-repo-commit", COMMIT);
        reply.with("x-linked-etag", etag).with("x-linked-size", size)
    }

    /// With a header set, or changed.
    pub fn with(self, name: &str, value: impl ToString) -> Self {
        let mut changed = self.without(name);
        changed.headers.push((name.to_string(), value.to_string()));
        changed
    }

    /// Without a header.
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }
}

impl Server {
    /// For `HF_ENDPOINT`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// All requests so far.
    pub fn log(&self) -> Vec<Request> {
        self.log.lock().expect("no handler panics").clone()
    }

    /// How many requests came so far.
    pub fn requests(&self) -> usize {
        self.log().len()
    }

    /// The ranges asked of a file.
    pub fn ranges_of(&self, file: &str) -> Vec<String> {
        let log = self.log();
        let asked = log.iter().filter(|request| request.path.ends_with(file));
        asked.map(|request| request.header("range").unwrap_or_default().to_string()).collect()
    }
}

/// Serve a folder as a repository; `gated/model` is refused, every other name unknown.
pub fn serve(repo: &'static str, folder: PathBuf) -> Server {
    serve_changed(repo, folder, |_, honest| honest)
}

/// As [`serve`], with every answer as `change` makes it of the honest one.
pub fn serve_changed(
    repo: &'static str,
    folder: PathBuf,
    change: impl Fn(&Request, Reply) -> Reply + Send + Sync + 'static,
) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a local port is free");
    let address = format!("http://{}", listener.local_addr().expect("a bound listener has an address"));
    let log = Arc::new(Mutex::new(Vec::new()));
    let server = Server { address, log: Arc::clone(&log) };
    let change = Arc::new(change);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (folder, log, change) = (folder.clone(), Arc::clone(&log), Arc::clone(&change));
            // A client that goes away is no concern of the test.
            std::thread::spawn(move || answer(stream, repo, &folder, &log, &*change).ok());
        }
    });
    server
}

fn answer(
    mut stream: TcpStream,
    repo: &str,
    folder: &Path,
    log: &Mutex<Vec<Request>>,
    change: &dyn Fn(&Request, Reply) -> Reply,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let mut request = Request { path: first.split(' ').nth(1).unwrap_or_default().to_string(), headers: Vec::new() };
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            request.headers.push((name.to_lowercase(), value.trim().to_string()));
        }
    }
    log.lock().expect("no handler panics").push(request.clone());
    let reply = change(&request, honest(&request, repo, folder)?);
    write!(stream, "HTTP/1.1 {}\r\nConnection: close\r\n", reply.status)?;
    for (name, value) in &reply.headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    stream.write_all(b"\r\n")?;
    stream.write_all(&reply.body)
}

fn honest(request: &Request, repo: &str, folder: &Path) -> std::io::Result<Reply> {
    let path = &request.path;
    if *path == format!("/api/models/{repo}/revision/main") || *path == format!("/api/models/{repo}") {
        let names = fs::read_dir(folder)?.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let siblings: Vec<_> = names.map(|name| serde_json::json!({ "rfilename": name })).collect();
        let body = serde_json::json!({ "siblings": siblings, "sha": COMMIT }).to_string();
        return Ok(Reply::new("200 OK", body.into_bytes()));
    }
    let of_branch = path.strip_prefix(&format!("/{repo}/resolve/main/"));
    let Some(name) = of_branch.or_else(|| path.strip_prefix(&format!("/{repo}/resolve/{COMMIT}/"))) else {
        let status = if path.contains("gated/model") { "401 Unauthorized" } else { "404 Not Found" };
        return Ok(Reply::new(status, Vec::new()));
    };
    let Ok(bytes) = fs::read(folder.join(name)) else { return Ok(Reply::new("404 Not Found", Vec::new())) };
    let range = request.header("range").unwrap_or_default();
    let (first, last) = range.trim_start_matches("bytes=").split_once('-').unwrap_or(("0", ""));
    let first: usize = first.parse().unwrap_or(0);
    let last: usize = last.parse().unwrap_or(bytes.len() - 1);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let reply = Reply::new("206 Partial Content", bytes[first..=last].to_vec());
    Ok(reply
        .with("Content-Range", format!("bytes {first}-{last}/{}", bytes.len()))
        .with("ETag", format!("\"etag-{stem}\""))
        .with("x-repo-commit", COMMIT))
}
