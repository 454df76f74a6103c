//! Errors of talking to a server.

use std::time::Duration;

/// How far a failure reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    /// The same request may be answered later.
    Passing,
    /// The request is not answered, now or later; others may be.
    Request,
    /// No request will be answered as things are.
    Run,
}

/// An answer that could not be had.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// Nothing leaves this machine.
    #[error("--offline allows only servers on this machine, and {place} is not one")]
    Offline {
        /// The server.
        place: String,
    },
    /// The connection failed, or the server kept silent.
    #[error("{place}: {reason}")]
    Unreachable {
        /// The server.
        place: String,
        /// What happened.
        reason: String,
    },
    /// The server cannot answer now.
    #[error("{place} answers with status {status}{}", said(message))]
    Busy {
        /// The server.
        place: String,
        status: u16,
        /// What it says of it.
        message: String,
        /// How long it wants to be left alone.
        after: Option<Duration>,
    },
    /// The server does not take this request.
    #[error("the server refuses the request with status {status}{}", said(message))]
    Refused {
        status: u16,
        /// What it says of it.
        message: String,
    },
    /// The prompt is longer than the server takes.
    #[error("the prompt is too long for the server{}", said(message))]
    TooLong {
        /// What it says of it.
        message: String,
    },
    /// The key is missing or wrong.
    #[error(
        "{place} answers with status {status}: it requires {}; set it in TOMEVAL_API_KEY, or name another variable with \
         --api-key-env or a file with --api-key-file",
        if *with_key { "another key than the one given" } else { "a key" }
    )]
    NoAccess {
        /// The server.
        place: String,
        status: u16,
        /// Whether one was sent.
        with_key: bool,
    },
    /// The server knows no such route or model.
    #[error(
        "{place} has nothing at {route} (status {status}){}; check the address and the model's name",
        said(message)
    )]
    Absent {
        /// The server.
        place: String,
        route: String,
        status: u16,
        /// What it says of it.
        message: String,
    },
    /// The server sends the request elsewhere.
    #[error("{place} redirects to {to}, which was not named: not following; name it with --model if it is right")]
    Redirected {
        /// The server.
        place: String,
        /// Where to.
        to: String,
    },
    /// What came back is not what was asked for.
    #[error("the server's answer cannot be used: {reason}")]
    Odd {
        /// What is the matter with it.
        reason: String,
    },
    /// Another model answers than before.
    #[error("the server's model is now {found:?} but was {known:?}; another model's answers do not belong in this run")]
    OtherModel {
        /// What it was called before.
        known: String,
        /// What it is called now.
        found: String,
    },
    /// The program of the server changed, and that was to stop the run.
    #[error("the server's version is now {found:?} but was {known:?}; --strict-server stops the run")]
    OtherVersion {
        /// What it was before.
        known: String,
        /// What it is now.
        found: String,
    },
    /// Whoever asked does not want it any more.
    #[error("stopped")]
    Stopped,
}

fn said(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

impl ServerError {
    /// An answer that cannot be used.
    pub fn odd(reason: impl Into<String>) -> Self {
        ServerError::Odd { reason: reason.into() }
    }

    /// How far it reaches.
    pub fn grade(&self) -> Grade {
        match self {
            ServerError::Unreachable { .. } | ServerError::Busy { .. } | ServerError::Stopped => Grade::Passing,
            ServerError::Refused { .. } | ServerError::TooLong { .. } | ServerError::Odd { .. } => Grade::Request,
            ServerError::Offline { .. }
            | ServerError::NoAccess { .. }
            | ServerError::Absent { .. }
            | ServerError::Redirected { .. }
            | ServerError::OtherModel { .. }
            | ServerError::OtherVersion { .. } => Grade::Run,
        }
    }
}
