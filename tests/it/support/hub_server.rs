//! A Hugging Face Hub with one repository, as far as downloads need it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A running server; it ends with the test's process.
pub struct Server {
    address: String,
    log: Arc<Mutex<Vec<(String, String)>>>,
}

impl Server {
    /// For `HF_ENDPOINT`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// How many requests came so far.
    pub fn requests(&self) -> usize {
        self.log.lock().expect("no handler panics").len()
    }

    /// The ranges asked of a file.
    pub fn ranges_of(&self, file: &str) -> Vec<String> {
        let log = self.log.lock().expect("no handler panics");
        log.iter().filter(|(path, _)| path.ends_with(file)).map(|(_, range)| range.clone()).collect()
    }
}

/// Serve a folder as a repository; `gated/model` is refused, every other name unknown.
pub fn serve(repo: &'static str, folder: PathBuf) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a local port is free");
    let address = format!("http://{}", listener.local_addr().expect("a bound listener has an address"));
    let log = Arc::new(Mutex::new(Vec::new()));
    let server = Server { address, log: Arc::clone(&log) };
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (folder, log) = (folder.clone(), Arc::clone(&log));
            // A client that goes away is no concern of the test.
            std::thread::spawn(move || answer(stream, repo, &folder, &log).ok());
        }
    });
    server
}

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

fn answer(mut stream: TcpStream, repo: &str, folder: &Path, log: &Mutex<Vec<(String, String)>>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    let path = request.split(' ').nth(1).unwrap_or_default().to_string();
    let mut range = String::new();
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("range")
        {
            range = value.trim().to_string();
        }
    }
    log.lock().expect("no handler panics").push((path.clone(), range.clone()));
    let resolve = format!("/{repo}/resolve/main/");
    if path == format!("/api/models/{repo}/revision/main") || path == format!("/api/models/{repo}") {
        let names = fs::read_dir(folder)?.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let siblings: Vec<_> = names.map(|name| serde_json::json!({ "rfilename": name })).collect();
        let body = serde_json::json!({ "siblings": siblings, "sha": COMMIT }).to_string();
        return write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
    }
    let Some(name) = path.strip_prefix(&resolve) else {
        let status = if path.contains("gated/model") { "401 Unauthorized" } else { "404 Not Found" };
        return write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    };
    let bytes = fs::read(folder.join(name))?;
    let (first, last) = range.trim_start_matches("bytes=").split_once('-').unwrap_or(("0", ""));
    let first: usize = first.parse().unwrap_or(0);
    let last: usize = last.parse().unwrap_or(bytes.len() - 1);
    let body = &bytes[first..=last];
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    write!(
        stream,
        "HTTP/1.1 206 Partial Content\r\nContent-Length: {}\r\nContent-Range: bytes {first}-{last}/{}\r\nETag: \"etag-{stem}\"\r\nx-repo-commit: {COMMIT}\r\nConnection: close\r\n\r\n",
        body.len(),
        bytes.len()
    )?;
    stream.write_all(body)
}
