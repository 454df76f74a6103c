//! Arguments for servers, refused without a server.

use std::path::PathBuf;
use std::str::FromStr;
#[cfg(feature = "server")]
use std::time::Duration;

use clap::Args;

use super::numbers::{SEQUENCES, within};

/// Maximum tokens that may be requested: more than any vocabulary has.
const TOPS: std::ops::RangeInclusive<usize> = 1..=1_000_000;

/// Maximum retries of a request.
const RETRIES: std::ops::RangeInclusive<usize> = 0..=100;

/// Arguments for servers.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Server (--model openai:URL#NAME)")]
pub struct ServerArgs {
    /// Environment variable with the server's API key [default: TOMEVAL_API_KEY, if set]; of several servers one for
    /// all, or one each, separated by commas.
    #[arg(long, value_name = "VARIABLE", conflicts_with = "api_key_file")]
    pub api_key_env: Option<String>,
    /// File with the API key.
    #[arg(long, value_name = "FILE")]
    pub api_key_file: Option<PathBuf>,
    /// Trials in flight at a time, at each server [default: 8].
    #[arg(long, value_name = "N", value_parser = within(SEQUENCES))]
    pub concurrency: Option<usize>,
    /// Model or folder with the tokenizer of the server's model: scored prompts are then rendered here with its
    /// template, and tokens are compared with the server's.
    #[arg(long, value_name = "MODEL")]
    pub tokenizer: Option<String>,
    /// Source of log-likelihoods: prompt (log-probabilities of the prompt), trie (tokens by id along the token trie of
    /// the options), named (tokens by id), top (the most likely first tokens), or the best that the server supports
    /// (auto): of prompt and trie the faster one, by three trials [default: auto].
    #[arg(long, value_name = "auto|prompt|trie|named|top")]
    pub scores_from: Option<ScoresFrom>,
    /// Number of most likely first tokens to request [default: the largest of 100, 20 and 5 that the server supports].
    #[arg(long, value_name = "N", value_parser = within(TOPS))]
    pub top_logprobs: Option<usize>,
    /// Retry a request up to N times if the server is busy, silent or sends an invalid answer [default: 6].
    #[arg(long, value_name = "N", value_parser = within(RETRIES))]
    pub retries: Option<usize>,
    /// Seconds before the first retry; doubled for each further one [default: 0.5].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub retry_wait: Option<f64>,
    /// Timeout of a whole answer in seconds [default: 600].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub request_timeout: Option<f64>,
    /// Wait up to this long for a server that does not answer yet, as while it loads its model [default: 0].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub wait: Option<f64>,
    /// Stop if the server's version or fingerprint differs from that at the start of the run.
    #[arg(long)]
    pub strict_server: bool,
}

/// Source of log-likelihoods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScoresFrom {
    /// The best available.
    #[default]
    Auto,
    /// Log-probabilities of the prompt.
    Prompt,
    /// Tokens by id along the token trie of the continuations.
    Trie,
    /// Tokens by id.
    Named,
    /// The most likely first tokens.
    Top,
}

impl FromStr for ScoresFrom {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        match given {
            "auto" => Ok(ScoresFrom::Auto),
            "prompt" => Ok(ScoresFrom::Prompt),
            "trie" => Ok(ScoresFrom::Trie),
            "named" => Ok(ScoresFrom::Named),
            "top" => Ok(ScoresFrom::Top),
            _ => Err("use auto, prompt, trie, named or top".to_string()),
        }
    }
}

fn seconds(given: &str) -> Result<f64, String> {
    let number = given.trim().parse().ok().filter(|&seconds: &f64| (0.001..=86_400.0).contains(&seconds));
    number.ok_or_else(|| "give a number of seconds from 0.001 to 86400".to_string())
}

impl ServerArgs {
    /// Refuses server arguments without a server.
    pub fn check_without_server(&self) -> anyhow::Result<()> {
        let given = [
            ("--api-key-env", self.api_key_env.is_some()),
            ("--api-key-file", self.api_key_file.is_some()),
            ("--concurrency", self.concurrency.is_some()),
            ("--tokenizer", self.tokenizer.is_some()),
            ("--scores-from", self.scores_from.is_some()),
            ("--top-logprobs", self.top_logprobs.is_some()),
            ("--retries", self.retries.is_some()),
            ("--retry-wait", self.retry_wait.is_some()),
            ("--request-timeout", self.request_timeout.is_some()),
            ("--wait", self.wait.is_some()),
            ("--strict-server", self.strict_server),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((name, _)) => {
                anyhow::bail!("{name} needs a server; write --model openai:URL#NAME")
            }
            None => Ok(()),
        }
    }

    /// Returns how long to wait for a server's first answer.
    #[cfg(feature = "server")]
    pub fn wait(&self) -> Duration {
        self.wait.map_or(Duration::ZERO, Duration::from_secs_f64)
    }

    /// Returns the timeouts and the number of retries.
    #[cfg(feature = "server")]
    pub fn patience(&self) -> crate::server::Patience {
        let usual = crate::server::Patience::default();
        let time = |given: Option<f64>, usual| given.map_or(usual, Duration::from_secs_f64);
        crate::server::Patience {
            answer: time(self.request_timeout, usual.answer),
            retries: self.retries.unwrap_or(usual.retries),
            first_wait: time(self.retry_wait, usual.first_wait),
            ..usual
        }
    }
}
