//! Reading what a server answers: from the connection into values as it comes, within one budget for all answers in flight.
//!
//! A short body can become much: by compression, and by values that take more memory than bytes on the line. So what is counted
//! is what comes out of the decompression, and the memory of the values.

use std::cell::{Cell, RefCell};
use std::io::{self, BufReader, Read};
use std::sync::{Mutex, PoisonError};

use serde::de::DeserializeSeed;
use serde_json::Value;

use crate::json::Counted;

/// Bytes of an answer, decompressed: more than any has. One with the log-probabilities of a whole prompt has some hundred bytes a
/// token.
const MOST_BYTES: u64 = 256 << 20;

/// Bytes of memory that the values of all answers in flight take together, but for those of one that is large.
const SHARED: usize = 96 << 20;

/// The same of a large one: so much, or so many times its length where that is more.
const LARGE: usize = 160 << 20;
const TIMES: usize = 11;

/// Bytes of the beginning that are kept, to be repeated where they are no document.
const KEPT: usize = 4096;

/// What all answers in flight share.
#[derive(Debug)]
pub(super) struct Budget {
    /// Bytes of memory that each may take without asking.
    share: usize,
    /// Held by the one answer that takes more.
    large: Mutex<()>,
}

/// What came back.
pub(super) struct Body {
    /// The document, or why it is none; errors of the connection are [`io::Error`]s within.
    pub json: Result<Value, serde_json::Error>,
    /// The beginning of the text.
    pub beginning: Vec<u8>,
}

impl Budget {
    /// For so many answers at a time.
    pub fn new(concurrency: usize) -> Self {
        Budget { share: SHARED / concurrency.max(1), large: Mutex::new(()) }
    }

    /// Read a body to its end. Who needs more than a share waits until no other does.
    pub fn read(&self, body: impl Read) -> Body {
        let (length, beginning) = (Cell::new(0_usize), RefCell::new(Vec::new()));
        let (taken, large) = (Cell::new(0_usize), RefCell::new(None));
        let count = |bytes: usize| {
            taken.set(taken.get().saturating_add(bytes));
            if taken.get() > self.share && large.borrow().is_none() {
                *large.borrow_mut() = Some(self.large.lock().unwrap_or_else(PoisonError::into_inner));
            }
            match taken.get() > self.share + LARGE.max(length.get().saturating_mul(TIMES)) {
                true => Err(format!("its values take more than {} MB of memory", taken.get() >> 20)),
                false => Ok(()),
            }
        };
        let passing = Passing { body, length: &length, beginning: &beginning };
        let mut json = serde_json::Deserializer::from_reader(BufReader::new(passing));
        let read = Counted { count: &count, passed_over: &[], keys_once: false }.deserialize(&mut json);
        let json = read.and_then(|value| json.end().map(|()| value));
        let mut beginning = beginning.take();
        // Half a word may be half a key, which nobody would know to hide.
        if beginning.len() == KEPT {
            let words = beginning.iter().rposition(u8::is_ascii_whitespace);
            words.into_iter().for_each(|words| beginning.truncate(words));
        }
        Body { json, beginning }
    }
}

/// A reader that counts what passes, and keeps the beginning.
struct Passing<'a, R> {
    body: R,
    length: &'a Cell<usize>,
    beginning: &'a RefCell<Vec<u8>>,
}

impl<R: Read> Read for Passing<'_, R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.body.read(to)?;
        self.length.set(self.length.get() + read);
        if self.length.get() as u64 > MOST_BYTES {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it has no end"));
        }
        let mut beginning = self.beginning.borrow_mut();
        let room = KEPT.saturating_sub(beginning.len());
        beginning.extend(&to[..read.min(room)]);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Bytes repeated without end.
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
        for unit in [&b"{},"[..], b"[],", b"0,", b"{\"\":0},"] {
            let error = budget.read(endless(unit)).json.unwrap_err().to_string();
            assert!(error.contains("MB of memory"), "{error}");
        }
        let blanks = budget.read(endless(b" "));
        assert!(blanks.json.unwrap_err().to_string().contains("no end"));
        assert_eq!(blanks.beginning.len(), KEPT - 1);
    }

    #[test]
    fn one_large_answer_is_read_at_a_time_and_small_ones_beside_it() {
        let budget = Budget::new(8);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        // Counts those who read the end of a large body, which nobody does before the permit.
        let body = || {
            let text = format!("[{}0]", "{},".repeat(SHARED / 8 / 144 + 100_000));
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
