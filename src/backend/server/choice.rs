//! What was found of two sources of the same log-likelihoods, and which was taken.

use std::fmt;

use crate::server::{SAME, ScoreMode};

/// The source that was chosen, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceChoice {
    /// The source for the run.
    pub taken: ScoreMode,
    /// What was found of both, the first of which is taken unless the other is faster.
    pub tried: [Tried; 2],
    /// Largest difference between log-probabilities of a token in nats, if both sources gave some.
    pub apart: Option<f64>,
}

/// Trials asked by one source.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// The source.
    pub mode: ScoreMode,
    /// Median seconds a trial, all in flight together, or why there is none.
    pub seconds: Result<f64, String>,
    /// Tokens of all prompts that were not in the server's cache, as far as it tells.
    pub tokens: usize,
    /// Number of requests.
    pub requests: usize,
}

impl fmt::Display for SourceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "log-likelihoods from {}, by trials asked both ways:", self.taken.name().0)?;
        for (at, Tried { mode, seconds, tokens, requests }) in self.tried.iter().enumerate() {
            write!(f, "{} {} ", if at == 0 { "" } else { ";" }, mode.name().0)?;
            match seconds {
                Ok(seconds) => write!(f, "{seconds:.3} s (median), {requests} requests, {tokens} tokens forwarded")?,
                Err(why) => write!(f, "fails: {why}")?,
            }
        }
        match self.apart {
            Some(apart) if apart > f64::from(SAME) => {
                write!(f, "; they differ by {apart:.3} nats, more than the {SAME} that two sources of one model may")
            }
            Some(apart) => write!(f, "; at most {apart:.1e} nats apart"),
            None => Ok(()),
        }
    }
}
