//! Streams server responses into values, within one memory budget for all responses in flight.
//!
//! A short body can expand: by compression, and by values that take more memory than bytes in transit. So the limits
//! apply to the decompressed bytes and the memory of the values.

use std::cell::{Cell, RefCell};
use std::io::{self, BufReader, Read};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::de::DeserializeSeed;
use serde_json::Value;

use crate::json::Counted;

/// Maximum bytes of an answer, decompressed: more than any has. One with the log-probabilities of a whole prompt has
/// some hundred bytes per token.
const MOST_BYTES: u64 = 256 << 20;

/// Bytes of memory shared by all answers in flight, except a large one.
const SHARED: usize = 32 << 20;

/// Bytes of memory for one large answer.
const LARGE: usize = 144 << 20;

/// Memory factor of a text while it is read: it grows by doubling, and is copied.
const GROWING: usize = 4;

/// Bytes of the beginning to keep for messages about invalid documents.
const KEPT: usize = 4096;

/// Memory budget of all answers in flight.
#[derive(Debug)]
pub(super) struct Budget {
    /// Bytes of memory that each may use without the lock.
    share: usize,
    /// Held by the one answer that uses more.
    large: Mutex<()>,
}

/// A response body.
pub(super) struct Body {
    /// The document, or why it is invalid; connection errors are [`io::Error`]s within.
    pub json: Result<Value, serde_json::Error>,
    /// The beginning of the text.
    pub beginning: Vec<u8>,
}

impl Budget {
    /// Creates a budget for this number of concurrent answers.
    pub fn new(concurrency: usize) -> Self {
        Budget { share: SHARED / concurrency.max(1), large: Mutex::new(()) }
    }

    /// Reads a body to its end. A body that needs more than its share waits until no other does.
    pub fn read(&self, body: impl Read) -> Body {
        let held = Held {
            budget: self,
            length: Cell::new(0),
            rendered: Cell::new(0),
            values: Cell::new(0),
            large: RefCell::new(None),
        };
        let mut beginning = Vec::new();
        let json = {
            let passing = Passing { body, held: &held, beginning: &mut beginning };
            let mut json = serde_json::Deserializer::from_reader(BufReader::new(passing));
            let count = |bytes: usize| held.count(bytes);
            let read = Counted { count: &count, passed_over: &[], twice: &|_| Ok(()) }.deserialize(&mut json);
            read.and_then(|value| json.end().map(|()| value))
        };
        // Half a word may be half a key, which would not be recognised and removed.
        if beginning.len() == KEPT {
            let words = beginning.iter().rposition(u8::is_ascii_whitespace);
            words.into_iter().for_each(|words| beginning.truncate(words));
        }
        Body { json, beginning }
    }
}

/// Memory used by one answer.
struct Held<'a> {
    budget: &'a Budget,
    /// Bytes received.
    length: Cell<usize>,
    /// Bytes received at the last complete value: later bytes are an incomplete text, or blanks.
    rendered: Cell<usize>,
    /// Bytes of the values.
    values: Cell<usize>,
    large: RefCell<Option<MutexGuard<'a, ()>>>,
}

impl Held<'_> {
    fn count(&self, bytes: usize) -> Result<(), String> {
        self.values.set(self.values.get().saturating_add(bytes));
        self.rendered.set(self.length.get());
        self.check()
    }

    fn check(&self) -> Result<(), String> {
        let growing = (self.length.get() - self.rendered.get()).saturating_mul(GROWING);
        let taken = self.values.get().saturating_add(growing);
        if taken > self.budget.share && self.large.borrow().is_none() {
            let large = self.budget.large.lock().unwrap_or_else(PoisonError::into_inner);
            *self.large.borrow_mut() = Some(large);
        }
        match taken > self.budget.share + LARGE {
            true => Err(format!("it takes more than {} MB of memory", (self.budget.share + LARGE) >> 20)),
            false => Ok(()),
        }
    }
}

/// A reader that counts bytes, and keeps the beginning.
struct Passing<'a, 'b, R> {
    body: R,
    held: &'a Held<'b>,
    beginning: &'a mut Vec<u8>,
}

impl<R: Read> Read for Passing<'_, '_, R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.body.read(to)?;
        let length = self.held.length.get() + read;
        self.held.length.set(length);
        let too_large = |reason: String| io::Error::new(io::ErrorKind::FileTooLarge, reason);
        if length as u64 > MOST_BYTES {
            return Err(too_large("it has no end".to_string()));
        }
        self.held.check().map_err(too_large)?;
        let room = KEPT.saturating_sub(self.beginning.len());
        self.beginning.extend(&to[..read.min(room)]);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Repeats bytes without end.
    fn endless(unit: &'static [u8]) -> impl Read {
        struct Endless(&'static [u8], usize);
        impl Read for Endless {
            fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
                for to in to.iter_mut() {
                    *to = self.0[self.1 % self.0.len()];
                    self.1 += 1;
                }
                Ok(to.len())
            }
        }
        b"[".chain(Endless(unit, 0))
    }

    #[test]
    fn what_has_no_end_is_refused_by_memory_or_by_length() {
        let budget = Budget::new(8);
        for unit in [&b"{},"[..], b"[],", b"0,", b"{\"\":0},", b" "] {
            let found = budget.read(endless(unit));
            let error = found.json.unwrap_err().to_string();
            assert!(error.contains("MB of memory"), "{error}");
            assert!(found.beginning.len() <= KEPT);
        }
        let text = budget.read(b"\"".chain(endless(b"x")));
        assert!(text.json.unwrap_err().to_string().contains("MB of memory"));
        assert!(text.beginning.starts_with(b"\"[xx"));
        let text = format!("{{\"a\": \"{}\"}}", "x".repeat(1 << 20));
        assert_eq!(budget.read(text.as_bytes()).json.unwrap()["a"].as_str().map(str::len), Some(1 << 20));
    }

    #[test]
    fn one_large_answer_is_read_at_a_time_and_small_ones_beside_it() {
        let budget = Budget::new(8);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        // Counts readers at the end of a large body, which none reaches before the permit.
        let body = || {
            let text = format!("[{}0]", "{},".repeat(SHARED / 8 / 216 + 100_000));
            let length = text.len();
            let end = 100_000;
            let (first, last) = (text[..length - end].to_string(), text[length - end..].to_string());
            io::Cursor::new(first).chain(Last { text: io::Cursor::new(last), now: &now, most: &most, begun: false })
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert!(budget.read(body()).json.is_ok()));
            }
            scope.spawn(|| assert!(budget.read(&b"{\"a\": 1}"[..]).json.is_ok()));
        });
        assert_eq!(most.load(Ordering::SeqCst), 1);
    }

    struct Last<'a> {
        text: io::Cursor<String>,
        now: &'a AtomicUsize,
        most: &'a AtomicUsize,
        begun: bool,
    }

    impl Read for Last<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let end = self.text.position() as usize == self.text.get_ref().len();
            if !self.begun {
                self.begun = true;
                let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
                self.most.fetch_max(now, Ordering::SeqCst);
            } else if end {
                self.now.fetch_sub(1, Ordering::SeqCst);
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
            self.text.read(to)
        }
    }
}
