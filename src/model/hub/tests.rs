//! Servers that stall, with shorter timeouts than in use.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::*;
use crate::model::fetch::Patience;

const LISTING: &str =
    r#"{"sha": "0123456789abcdef0123456789abcdef01234567", "siblings": [{"rfilename": "config.json"}]}"#;
const HEADERS: &str = "Content-Range: bytes 0-0/1000000\r\nETag: \"tag\"\r\n";

/// A Hub with a valid list of files, whose files are written by `file`. Returns its address.
fn server(file: fn(&mut TcpStream)) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a local port is free");
    let address = format!("http://{}", listener.local_addr().expect("a bound listener has an address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                // To its end: a connection that closes with bytes unread is reset.
                let (mut request, mut reader) = (String::new(), BufReader::new(&stream));
                while !request.ends_with("\r\n\r\n") && reader.read_line(&mut request).is_ok_and(|read| read > 0) {}
                if request.starts_with("GET /api/") {
                    let length = LISTING.len();
                    let _ = write!(
                        stream,
                        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{LISTING}"
                    );
                } else if request.contains("bytes=0-0") {
                    let _ = write!(
                        stream,
                        "HTTP/1.1 206 Partial Content\r\nConnection: close\r\nContent-Length: 1\r\n{HEADERS}\r\n{{"
                    );
                } else {
                    file(&mut stream);
                }
            });
        }
    });
    address
}

fn fetch_from(endpoint: String, cache: &Path, stop: &AtomicBool) -> (ModelError, Duration) {
    let tenths = |count: u64| Duration::from_millis(100 * count);
    let patience = Patience { connect: tenths(10), answer: tenths(12), stall: tenths(4) };
    let fetch = Fetch { offline: false, stop, patience, ..Fetch::offline() };
    let access = Access { endpoint, token: None, cache: cache.to_path_buf() };
    let begun = Instant::now();
    let hub = Hub::open(&access, "tiny/model", "main", &fetch).expect("the address is in order");
    (hub.snapshot().expect_err("nothing can be fetched"), begun.elapsed())
}

fn check(file: fn(&mut TcpStream), expected: &str) {
    let cache = tempfile::tempdir().expect("a temporary folder can be made");
    let (error, time) = fetch_from(server(file), cache.path(), &AtomicBool::new(false));
    assert!(error.to_string().contains(expected), "{error}");
    assert!(time < Duration::from_secs(5), "{time:?}");
}

fn wait() {
    std::thread::sleep(Duration::from_secs(8));
}

#[test]
fn a_server_that_accepts_and_never_answers_is_given_up() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a local port is free");
    let address = format!("http://{}", silent.local_addr().expect("a bound listener has an address"));
    let cache = tempfile::tempdir().expect("a temporary folder can be made");
    let (error, time) = fetch_from(address, cache.path(), &AtomicBool::new(false));
    assert!(matches!(&error, ModelError::Unreachable { reason, .. } if reason.contains("no answer within")), "{error}");
    assert!(time < Duration::from_secs(5), "{time:?}");
}

#[test]
fn headers_without_end_are_given_up() {
    check(
        |stream| {
            let _ = write!(stream, "HTTP/1.1 200 OK\r\n");
            for _ in 0..80 {
                let _ = write!(stream, "x: y\r\n");
                std::thread::sleep(Duration::from_millis(100));
            }
        },
        "no answer within",
    );
}

#[test]
fn a_body_that_stops_is_given_up_and_can_be_continued() {
    check(
        |stream| {
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n{{\"a\": ");
            wait();
        },
        "it stalled: less than 1 KiB came within 0.4 seconds, at 6 of 1000000 bytes; the same command continues it",
    );
}

#[test]
fn a_body_that_comes_byte_by_byte_is_given_up() {
    check(
        |stream| {
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
            for _ in 0..160 {
                let _ = stream.write_all(b" ");
                std::thread::sleep(Duration::from_millis(50));
            }
        },
        "it stalled",
    );
}

#[test]
fn what_is_stopped_keeps_what_it_has() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let address = server(|stream| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
        for round in 0..400 {
            let _ = stream.write_all(&[b' '; 2000]);
            std::thread::sleep(Duration::from_millis(2));
            STOP.store(round > 3, Ordering::Relaxed);
        }
    });
    let cache = tempfile::tempdir().expect("a temporary folder can be made");
    let (error, _) = fetch_from(address, cache.path(), &STOP);
    assert!(matches!(error, ModelError::Stopped), "{error}");
    let part = cache.path().join("models--tiny--model/blobs/tag.part");
    assert!(part.metadata().is_ok_and(|part| part.len() >= 2000), "the part is kept");
}
