//! Network permission, idle timeout and progress callback of downloads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::error::ModelError;

/// Progress of a download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchEvent<'a> {
    /// A file begins.
    Begin {
        file: &'a str,
        /// Its size in bytes, where known.
        bytes: Option<u64>,
    },
    /// More bytes have arrived.
    Advance {
        /// Bytes since the last event.
        bytes: u64,
    },
    /// The file is complete.
    End,
    /// A message, for instance that a source failed and another is tried.
    Note(&'a str),
}

/// Download settings.
#[derive(Clone, Copy)]
pub struct Fetch<'a> {
    /// Never use the network.
    pub offline: bool,
    /// Receives progress events.
    pub on_event: &'a (dyn Fn(FetchEvent) + Sync),
    /// When set to true, ends the download with [`ModelError::Stopped`]. Downloads that cannot be resumed are removed.
    pub stop: &'a AtomicBool,
    /// Timeouts.
    pub patience: Patience,
}

/// Timeouts for a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// To resolve its address, and again to connect to it.
    pub connect: Duration,
    /// From the request to the end of the response headers.
    pub answer: Duration,
    /// Within a response: maximum time for 1 KiB.
    pub stall: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Patience { connect: seconds(8), answer: seconds(30), stall: seconds(30) }
    }
}

impl Fetch<'_> {
    /// Silent and offline.
    pub fn offline() -> Fetch<'static> {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Fetch { offline: true, on_event: &|_| {}, stop: &NEVER, patience: Patience::default() }
    }

    /// An error if the download should stop.
    pub(super) fn go_on(&self) -> Result<(), ModelError> {
        if self.stop.load(Ordering::Relaxed) { Err(ModelError::Stopped) } else { Ok(()) }
    }

    /// Whether network use is disabled, by this setting or by the variable `HF_HUB_OFFLINE`.
    pub(super) fn is_offline(&self) -> bool {
        let by_variable = std::env::var("HF_HUB_OFFLINE")
            .is_ok_and(|value| matches!(value.to_lowercase().as_str(), "1" | "true" | "yes" | "on"));
        self.offline || by_variable
    }
}
