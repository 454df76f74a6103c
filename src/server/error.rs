//! Errors of requests to a server.

use std::time::Duration;

/// Scope of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    /// The same request may be answered later.
    Passing,
    /// The request will never be answered; others may be.
    Request,
    /// No request will be answered in the current state.
    Run,
}

/// Failed request to a server.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// Nothing may leave this machine.
    #[error("--offline allows only servers on this machine, and {place} is not one")]
    Offline {
        /// The server.
        place: String,
    },
    /// The connection failed, or the server did not respond.
    #[error("{place}: {reason}")]
    Unreachable {
        /// The server.
        place: String,
        /// The cause.
        reason: String,
    },
    /// The server cannot answer now.
    #[error("{place} returned status {status}{}", said(message))]
    Busy {
        /// The server.
        place: String,
        status: u16,
        /// Its message.
        message: String,
        /// Time after which it may be asked again.
        after: Option<Duration>,
    },
    /// The server refuses this request.
    #[error("the server refused the request with status {status}{}", said(message))]
    Refused {
        status: u16,
        /// Its message.
        message: String,
    },
    /// The prompt is longer than the server accepts.
    #[error("the prompt is too long for the server{}", said(message))]
    TooLong {
        /// Its message.
        message: String,
    },
    /// The key is missing or wrong.
    #[error(
        "{place} returned status {status}: it requires {}; set it in TOMEVAL_API_KEY, or name another variable with \
         --api-key-env or a file with --api-key-file",
        if *with_key { "a different key" } else { "a key" }
    )]
    NoAccess {
        /// The server.
        place: String,
        status: u16,
        /// Whether a key was sent.
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
        /// Its message.
        message: String,
    },
    /// The server redirects the request.
    #[error("{place} redirects to {to}, which was not named: not following; name it with --model if it is right")]
    Redirected {
        /// The server.
        place: String,
        /// Target of the redirect.
        to: String,
    },
    /// The answer is not the requested one.
    #[error("the server's answer is unusable: {reason}")]
    Odd {
        /// What is wrong with it.
        reason: String,
    },
    /// A different model answers than before.
    #[error("the server's model is now {found:?} but was {known:?}; another model's answers do not belong in this run")]
    OtherModel {
        /// Its name before.
        known: String,
        /// Its name now.
        found: String,
    },
    /// The server's program changed, and the run is set to stop then.
    #[error("the server's version is now {found:?} but was {known:?}; --strict-server stops the run")]
    OtherVersion {
        /// Version before.
        known: String,
        /// Version now.
        found: String,
    },
    /// The server reads part of a long prompt, and answers all the same.
    #[error(
        "the server answers a prompt of about {sent} tokens although it reads only {read} of them: it cuts longer prompts, and \
         would answer other questions than those asked; give it a longer context (Ollama: num_ctx or OLLAMA_CONTEXT_LENGTH)"
    )]
    Truncates {
        /// Tokens of the prompt, from those of shorter ones.
        sent: usize,
        /// Tokens read, by the server's count.
        read: usize,
    },
    /// The request was cancelled.
    #[error("stopped")]
    Stopped,
}

fn said(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

impl ServerError {
    /// Creates the error for an unusable answer.
    pub fn odd(reason: impl Into<String>) -> Self {
        ServerError::Odd { reason: reason.into() }
    }

    /// Returns the scope of the failure.
    pub fn grade(&self) -> Grade {
        match self {
            ServerError::Unreachable { .. } | ServerError::Busy { .. } | ServerError::Stopped => Grade::Passing,
            ServerError::Refused { .. } | ServerError::TooLong { .. } | ServerError::Odd { .. } => Grade::Request,
            ServerError::Offline { .. }
            | ServerError::NoAccess { .. }
            | ServerError::Absent { .. }
            | ServerError::Redirected { .. }
            | ServerError::OtherModel { .. }
            | ServerError::OtherVersion { .. }
            | ServerError::Truncates { .. } => Grade::Run,
        }
    }
}
