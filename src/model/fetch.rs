//! Network permission, idle timeout and progress callback of downloads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::error::ModelError;

/// What happens while files are fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchEvent<'a> {
    /// A file begins; its size where known.
    Begin {
        file: &'a str,
        /// Its size in bytes.
        bytes: Option<u64>,
    },
    /// So many more bytes have come.
    Advance {
        /// Bytes since the last event.
        bytes: u64,
    },
    /// The file is complete.
    End,
    /// A source failed and another is tried, or the like.
    Note(&'a str),
}

/// Whether and how files may be fetched.
#[derive(Clone, Copy)]
pub struct Fetch<'a> {
    /// Never use the network.
    pub offline: bool,
    /// Told of all that happens.
    pub on_event: &'a (dyn Fn(FetchEvent) + Sync),
    /// Once true, what is being fetched ends with [`ModelError::Stopped`]. What cannot be continued is removed.
    pub stop: &'a AtomicBool,
    /// How long to wait for others.
    pub patience: Patience,
}

/// How long a server may keep this program waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// To find its address, and again to connect to it.
    pub connect: Duration,
    /// From the request to the end of the answer's headers.
    pub answer: Duration,
    /// Within an answer: the time in which 1 KiB has to come.
    pub stall: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Patience { connect: seconds(8), answer: seconds(30), stall: seconds(30) }
    }
}

impl Fetch<'_> {
    /// Silent, from this machine only.
    pub fn offline() -> Fetch<'static> {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Fetch { offline: true, on_event: &|_| {}, stop: &NEVER, patience: Patience::default() }
    }

    /// An error once everything shall stop.
    pub(super) fn go_on(&self) -> Result<(), ModelError> {
        if self.stop.load(Ordering::Relaxed) { Err(ModelError::Stopped) } else { Ok(()) }
    }

    /// Whether the network may not be used, by this setting or by the variable `HF_HUB_OFFLINE`.
    pub(super) fn is_offline(&self) -> bool {
        let by_variable = std::env::var("HF_HUB_OFFLINE")
            .is_ok_and(|value| matches!(value.to_lowercase().as_str(), "1" | "true" | "yes" | "on"));
        self.offline || by_variable
    }
}
