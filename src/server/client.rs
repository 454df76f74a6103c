//! Requests to a server: bounded in time and size, retried if that may help, and never with the key to another host.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use ureq::http::{Response, Uri};
use ureq::{Agent, Body, Timeout};

use super::cache::CacheUse;
use super::error::{Grade, ServerError};
use super::key::Key;
use super::name::ServerName;
use super::reading::{self, Budget};
use super::retry::{Pace, Patience};
use crate::address::{is_redirect, origin, place, target};

/// Maximum characters of a server's message that are repeated.
const MOST_SAID: usize = 300;

/// Maximum redirects within one server.
const MOST_REDIRECTS: usize = 3;

/// Maximum retries of a request whose answer is not a document. A gateway's error page may be gone at the next try;
/// callers retry unusable answers too.
const ODD_RETRIES: usize = 2;

/// Settings for requests.
#[derive(Debug, Clone, Default)]
pub struct ClientSettings {
    /// API key, if required.
    pub key: Option<Key>,
    /// Timeouts and retries.
    pub patience: Patience,
    /// Whether nothing may leave this machine.
    pub offline: bool,
    /// Number of concurrent requests.
    pub concurrency: usize,
}

/// Client of one server. Clones share connections and the earliest time of the next request.
#[derive(Debug, Clone)]
pub struct Client {
    agent: Agent,
    server: ServerName,
    key: Option<Key>,
    patience: Patience,
    pace: Arc<Pace>,
    budget: Arc<Budget>,
    cache: CacheUse,
}

/// Response of a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The document.
    pub json: Value,
    /// The server's program, according to its header.
    pub program: Option<String>,
}

impl Client {
    /// Creates a client; sends nothing yet.
    ///
    /// # Errors
    /// The server is on another machine and nothing may leave this one.
    pub fn new(server: ServerName, settings: &ClientSettings) -> Result<Self, ServerError> {
        if settings.offline && !server.is_here() {
            return Err(ServerError::Offline { place: server.place().to_string() });
        }
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // Redirects are followed below, only within the server.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("tomeval/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(settings.patience.connect))
            .timeout_connect(Some(settings.patience.connect))
            // Also ends answers that arrive byte by byte.
            .timeout_global(Some(settings.patience.answer))
            .max_idle_connections(settings.concurrency.max(1))
            .max_idle_connections_per_host(settings.concurrency.max(1));
        if server.is_here() {
            // A proxy from the environment is another machine.
            config = config.proxy(None);
        }
        let (key, patience) = (settings.key.clone(), settings.patience);
        let budget = Arc::new(Budget::new(settings.concurrency));
        Ok(Client {
            agent: config.build().new_agent(),
            server,
            key,
            patience,
            pace: Arc::default(),
            budget,
            cache: CacheUse::Usual,
        })
    }

    /// Returns the server.
    pub fn server(&self) -> &ServerName {
        &self.server
    }

    /// Returns a client with at most this many retries.
    pub fn with_retries(&self, most: usize) -> Self {
        let patience = Patience { retries: self.patience.retries.min(most), ..self.patience };
        Client { patience, ..self.clone() }
    }

    /// Returns a client whose requests use the server's prefix cache in this way.
    pub(super) fn with_cache(&self, cache: CacheUse) -> Self {
        Client { cache, ..self.clone() }
    }

    /// Cancels all waiting: requests in flight finish, nothing is retried.
    pub fn stop(&self) {
        self.pace.stop();
    }

    /// Resumes work after [`Client::stop`].
    pub fn go_on(&self) {
        self.pace.go_on();
    }

    /// Posts a document to a route of the server; retries if that may help.
    ///
    /// # Errors
    /// All tries failed, or one with an error that is not retried.
    pub fn post(&self, route: &str, body: &Value) -> Result<Answer, ServerError> {
        self.tried(self.server.base(), route, Some(&self.cache.applied(body)))
    }

    /// Posts a document to a path outside the routes, at the root of the server; retries if that may help.
    ///
    /// # Errors
    /// As [`Client::post`].
    pub fn post_beside(&self, path: &str, body: &Value) -> Result<Answer, ServerError> {
        self.tried(self.server.place(), path, Some(body))
    }

    /// Gets the document of a route of the server.
    ///
    /// # Errors
    /// As [`Client::post`].
    pub fn get(&self, route: &str) -> Result<Answer, ServerError> {
        self.tried(self.server.base(), route, None)
    }

    /// Gets a document outside the routes, at the root of the server; requested once, since many servers have nothing
    /// there.
    ///
    /// # Errors
    /// Anything except a document.
    pub fn get_beside(&self, path: &str) -> Result<Answer, ServerError> {
        self.once(&format!("{}{path}", self.server.place()), path, None)
    }

    fn tried(&self, base: &str, route: &str, body: Option<&Value>) -> Result<Answer, ServerError> {
        let address = format!("{base}{route}");
        let mut retry = 0;
        loop {
            if !self.pace.wait() {
                return Err(ServerError::Stopped);
            }
            let error = match self.once(&address, route, body) {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let most = match &error {
                // Half a document may have been truncated in transit.
                ServerError::Odd { .. } => self.patience.retries.min(ODD_RETRIES),
                error if error.grade() == Grade::Passing => self.patience.retries,
                _ => 0,
            };
            retry += 1;
            if retry > most {
                return Err(error);
            }
            let asked = if let ServerError::Busy { after, .. } = &error { *after } else { None };
            let Some(wait) = self.patience.wait(retry, asked, self.pace.draw()) else { return Err(error) };
            tracing::debug!(%error, retry, seconds = wait.as_secs_f64(), "asking again");
            if asked.is_some() {
                self.pace.hold(wait);
            } else if !self.pace.sleep(wait) {
                return Err(ServerError::Stopped);
            }
        }
    }

    fn once(&self, address: &str, route: &str, body: Option<&Value>) -> Result<Answer, ServerError> {
        let home = self.server.place().parse::<Uri>().ok().and_then(|at| origin(&at));
        let mut at: Uri = address.parse().map_err(|_| ServerError::odd(format!("{address:?} is not an address")))?;
        for _ in 0..=MOST_REDIRECTS {
            let response = self.send(&at, body).map_err(|error| self.not_answered(&error))?;
            if !is_redirect(response.status()) {
                return self.read(response, route);
            }
            let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
            let to = target(&at, location);
            let away = || {
                let to = to.as_ref().map_or_else(|_| format!("{location:?}"), place);
                // A server that redirects may put the key into the address.
                ServerError::Redirected { place: self.server.place().to_string(), to: self.hidden(to) }
            };
            // A redirect that changes the request (301 to 303) is not followed.
            let same = matches!(response.status().as_u16(), 307 | 308) || body.is_none();
            at = match &to {
                Ok(to) if same && origin(to) == home => to.clone(),
                _ => return Err(away()),
            };
        }
        Err(ServerError::Redirected {
            place: self.server.place().to_string(),
            to: format!("{}, and so on", place(&at)),
        })
    }

    fn send(&self, at: &Uri, body: Option<&Value>) -> Result<Response<Body>, ureq::Error> {
        let key = self.key.as_ref().map(Key::header);
        match body {
            Some(body) => {
                let mut request = self.agent.post(at).header(CONTENT_TYPE, "application/json");
                if let Some(key) = key {
                    request = request.header(AUTHORIZATION, key);
                }
                request.send(body.to_string())
            }
            None => {
                let mut request = self.agent.get(at);
                if let Some(key) = key {
                    request = request.header(AUTHORIZATION, key);
                }
                request.call()
            }
        }
    }

    /// Reads the document of an answer, or the error of its status.
    fn read(&self, response: Response<Body>, route: &str) -> Result<Answer, ServerError> {
        let status = response.status().as_u16();
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_string);
        let (program, after) = (header("server"), header(RETRY_AFTER.as_str()).and_then(|text| seconds(&text)));
        let reading::Body { json, beginning } = self.budget.read(response.into_body().into_reader());
        let parsed = match json {
            Err(error) if error.is_io() => {
                return Err(match io::Error::from(error) {
                    error if error.kind() == io::ErrorKind::FileTooLarge => ServerError::odd(error.to_string()),
                    error => self.not_answered(&ureq::Error::from(error)),
                });
            }
            parsed => parsed.map(|mut json| {
                self.key.iter().for_each(|key| key.hide(&mut json));
                json
            }),
        };
        let text = |bytes: &[u8]| self.hidden(String::from_utf8_lossy(bytes).into_owned());
        let shortened = |text: &str| self.hidden(shortened(text));
        let program = program.map(|program| self.hidden(program));
        if status == 200 {
            return match parsed {
                Ok(json) => Ok(Answer { json, program }),
                Err(error) => {
                    Err(ServerError::odd(format!("it is not JSON ({error}): {}", shortened(&text(&beginning)))))
                }
            };
        }
        let message = shortened(&match &parsed {
            Ok(json) => said(json).unwrap_or_else(|| json.to_string()),
            Err(_) => text(&beginning),
        });
        let place = self.server.place().to_string();
        Err(match status {
            401 | 403 => ServerError::NoAccess { place, status, with_key: self.key.is_some() },
            404 | 405 => ServerError::Absent { place, route: route.to_string(), status, message },
            408 | 425 | 429 | 500..=599 => ServerError::Busy { place, status, message, after },
            _ if is_too_long(status, &message) => ServerError::TooLong { message },
            _ => ServerError::Refused { status, message },
        })
    }

    fn not_answered(&self, error: &ureq::Error) -> ServerError {
        let Patience { connect, answer, .. } = self.patience;
        let reason = match error {
            ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => {
                format!("no connection within {} seconds", connect.as_secs_f64())
            }
            ureq::Error::Timeout(_) => format!("no complete answer within {} seconds", answer.as_secs_f64()),
            ureq::Error::HostNotFound => "no such host".to_string(),
            ureq::Error::Io(error) => error.to_string(),
            error => error.to_string(),
        };
        ServerError::Unreachable { place: self.server.place().to_string(), reason: self.hidden(reason) }
    }

    /// Removes the key from a text.
    fn hidden(&self, text: String) -> String {
        self.key.as_ref().map_or_else(|| text.clone(), |key| key.hidden_in(&text))
    }
}

/// Returns the message of an error document, from the usual places.
fn said(json: &Value) -> Option<String> {
    let error = json.get("error").unwrap_or(json);
    let place = [error.get("message"), json.get("message"), json.get("detail"), json.get("error")];
    place.into_iter().flatten().find_map(|value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Null | Value::Object(_) => None,
        other => Some(other.to_string()),
    })
}

/// Whether a refusal is about the length of the prompt, as worded by vLLM, SGLang, TGI, OpenAI and llama.cpp.
fn is_too_long(status: u16, message: &str) -> bool {
    let message = message.to_lowercase();
    let words = ["context length", "context size", "context window", "maximum context", "too long", "inputs tokens"];
    status == 413 || words.iter().any(|words| message.contains(words))
}

/// Returns the beginning of a text, on one line.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let kept: String = line.chars().filter(|letter| !letter.is_control()).take(MOST_SAID).collect();
    if kept.len() < line.len() { format!("{kept} ...") } else { kept }
}

/// Parses a time to wait, in seconds or as a date.
fn seconds(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.trim().parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = jiff::fmt::rfc2822::parse(text.trim()).ok()?.timestamp();
    Some(Duration::from_secs(u64::try_from(until.as_second() - Timestamp::now().as_second()).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_to_wait_are_read() {
        assert_eq!(seconds("3"), Some(Duration::from_secs(3)));
        assert_eq!(seconds(" 0.5 "), Some(Duration::from_millis(500)));
        assert_eq!(seconds("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        assert!(seconds("-1").is_none() && seconds("soon").is_none() && seconds("NaN").is_none());
    }

    #[test]
    fn what_servers_say_is_found() {
        let check = |text: &str, expected: &str| {
            let json = serde_json::from_str(text).unwrap();
            assert_eq!(said(&json).as_deref(), Some(expected));
        };
        check(r#"{"error":{"message":"a","type":"x"}}"#, "a");
        check(r#"{"object":"error","message":"b"}"#, "b");
        check(r#"{"detail":[{"msg":"c"}]}"#, r#"[{"msg":"c"}]"#);
        check(r#"{"error":"d"}"#, "d");
        assert!(is_too_long(400, "This model's maximum context length is 2048 tokens"));
        assert!(!is_too_long(400, "max_tokens must be at least 1"));
    }
}
