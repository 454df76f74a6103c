//! Whether the network may be used, and who is told what happens on it.

/// What happens while files are fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchEvent<'a> {
    /// A file begins; its size where known.
    Begin {
        /// Its name.
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
}

impl Fetch<'_> {
    /// Silent, from this machine only.
    pub fn offline() -> Fetch<'static> {
        Fetch { offline: true, on_event: &|_| {} }
    }

    /// Whether the network may not be used, by this setting or by the variable `HF_HUB_OFFLINE`.
    pub(super) fn is_offline(&self) -> bool {
        let by_variable = std::env::var("HF_HUB_OFFLINE")
            .is_ok_and(|value| matches!(value.to_lowercase().as_str(), "1" | "true" | "yes" | "on"));
        self.offline || by_variable
    }
}
