//! Requests to the Hub, with limits on time, redirects and the hosts that see the token.

use std::io::{self, ErrorKind, Read};
use std::time::Instant;

use ureq::http::header::{AUTHORIZATION, LOCATION, RANGE};
use ureq::http::{Response, Uri};
use ureq::{Agent, Body, Timeout};

use super::Access;
use crate::address::{is_redirect, origin, place, target};
use crate::model::error::ModelError;
use crate::model::fetch::Patience;

/// The Hub itself needs two: to the present name of a repository, and to the storage of its contents.
const MOST_REDIRECTS: usize = 8;

/// Minimum bytes within [`Patience::stall`].
const LEAST_BYTES: u64 = 1024;

/// Requests files of one repository.
pub(super) struct Client {
    agent: Agent,
    endpoint: Uri,
    /// As written by the user.
    address: String,
    token: Option<String>,
    pub(super) repo: String,
    patience: Patience,
}

/// The response after all redirects.
pub(super) struct Answer {
    pub(super) response: Response<Body>,
    /// The Hub's own headers for a large file, before it redirected the request.
    pub(super) linked: Linked,
    /// The host that responded, if not the Hub.
    stranger: Option<String>,
}

/// The Hub's headers for files that are stored elsewhere.
#[derive(Default)]
pub(super) struct Linked {
    pub(super) etag: Option<String>,
    pub(super) bytes: Option<u64>,
}

impl Client {
    pub(super) fn new(access: &Access, repo: &str, patience: Patience) -> Result<Self, ModelError> {
        let unusable = |reason: &str| ModelError::Unreachable {
            endpoint: access.endpoint.clone(),
            reason: format!("HF_ENDPOINT has to be an address such as https://huggingface.co ({reason})"),
        };
        let endpoint: Uri = access.endpoint.parse().map_err(|_| unusable("this is not one"))?;
        origin(&endpoint).ok_or_else(|| unusable("this one lacks http:// or https://, or a host"))?;
        let token = match access.token.as_deref() {
            Some(token) if !token.bytes().all(|byte| byte.is_ascii_graphic()) => {
                let reason = "the token (HF_TOKEN, or the file of `huggingface-cli login`) contains invalid \
                              characters; set it again";
                return Err(ModelError::Hub { repo: repo.to_string(), reason: reason.to_string() });
            }
            token => token.map(|token| format!("Bearer {token}")),
        };
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            // Redirects are followed here, since each may change who sees the token.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("tomeval/", env!("CARGO_PKG_VERSION")))
            // Lengths and ranges refer to the file itself.
            .accept_encoding("identity")
            .timeout_resolve(Some(patience.connect))
            .timeout_connect(Some(patience.connect))
            .timeout_send_request(Some(patience.answer))
            .timeout_recv_response(Some(patience.answer))
            .timeout_per_read(Some(patience.stall))
            .build()
            .new_agent();
        Ok(Client { agent, endpoint, address: access.endpoint.clone(), token, repo: repo.to_string(), patience })
    }

    /// The address of a path at the Hub.
    pub(super) fn address_of(&self, path: &str) -> String {
        format!("{}/{path}", self.address)
    }

    /// Request an address of the Hub, called `what` in messages.
    pub(super) fn get(&self, what: &str, address: &str, range: Option<&str>) -> Result<Answer, ModelError> {
        let mut at: Uri = address.parse().map_err(|_| self.refused(format!("{address:?} is not an address")))?;
        let home = origin(&self.endpoint);
        let mut linked = Linked::default();
        let mut at_home = true;
        for _ in 0..=MOST_REDIRECTS {
            // A request that has left the Hub once is not trusted again, even if it is redirected back.
            at_home &= origin(&at) == home;
            let mut request = self.agent.get(&at);
            if let Some(range) = range {
                request = request.header(RANGE, range);
            }
            if let Some(token) = self.token.as_ref().filter(|_| at_home) {
                request = request.header(AUTHORIZATION, token);
            }
            let response = request.call().map_err(|error| self.not_answered(&at, at_home, &error))?;
            let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
            if at_home && linked.etag.is_none() {
                linked.etag = header("x-linked-etag").map(str::to_string);
                linked.bytes = header("x-linked-size").and_then(|bytes| bytes.parse().ok());
            }
            let status = response.status();
            if !is_redirect(status) {
                let stranger = (!at_home).then(|| at.host().unwrap_or_default().to_string());
                return Ok(Answer { response, linked, stranger });
            }
            let location = header(LOCATION.as_str()).unwrap_or_default();
            at = target(&at, location).map_err(|problem| {
                self.refused(format!("the redirect of {what} from {} to {location:?} {problem}", place(&at)))
            })?;
        }
        Err(self.refused(format!("{what} is redirected more than {MOST_REDIRECTS} times, last to {}", place(&at))))
    }

    pub(super) fn refused(&self, reason: String) -> ModelError {
        ModelError::Hub { repo: self.repo.clone(), reason }
    }

    fn not_answered(&self, at: &Uri, at_home: bool, error: &ureq::Error) -> ModelError {
        let reason = self.words(error);
        if at_home {
            ModelError::Unreachable { endpoint: self.address.clone(), reason }
        } else {
            self.refused(format!("{}, to which it redirects, cannot be reached: {reason}", place(at)))
        }
    }

    /// A network failure, described for the user.
    fn words(&self, error: &ureq::Error) -> String {
        let seconds = |time: std::time::Duration| time.as_secs_f64();
        match error {
            ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => {
                format!("no answer within {} seconds", seconds(self.patience.connect))
            }
            ureq::Error::Timeout(Timeout::PerRead) => {
                format!("no answer within {} seconds", seconds(self.patience.stall.min(self.patience.answer)))
            }
            ureq::Error::Timeout(_) => format!("no answer within {} seconds", seconds(self.patience.answer)),
            ureq::Error::HostNotFound => "no such host".to_string(),
            ureq::Error::Io(error) => error.to_string(),
            error => error.to_string(),
        }
    }

    /// An error unless the response contains the requested content.
    pub(super) fn check(&self, what: &str, revision: &str, answer: &Answer) -> Result<(), ModelError> {
        let status = answer.response.status();
        let page = self.address_of(&self.repo);
        Err(self.refused(match (status.as_u16(), &answer.stranger) {
            (200 | 206, _) => return Ok(()),
            (code, Some(host)) => format!("{host}, where it keeps {what}, answers with status {code}; try again later"),
            (401 | 403, None) => {
                format!("access refused; accept its licence at {page}, then set HF_TOKEN to a token of your account")
            }
            (404, None) => format!("no such repository, revision or file (revision {revision})"),
            (429, None) => {
                "too many requests; wait some minutes, or set HF_TOKEN to a token of your account".to_string()
            }
            (code, None) => format!("it answers with status {code} when asked for {what}; try again later"),
        }))
    }

    /// The body of a response, as long as it arrives fast enough.
    pub(super) fn body(&self, response: Response<Body>) -> Paced<impl Read + use<>> {
        let reader = response.into_body().into_reader();
        Paced { reader, patience: self.patience, since: Instant::now(), bytes: 0 }
    }
}

/// A reader that fails when less than [`LEAST_BYTES`] arrive within [`Patience::stall`], byte by byte or not at all.
pub(super) struct Paced<R> {
    reader: R,
    patience: Patience,
    since: Instant,
    bytes: u64,
}

impl<R: Read> Read for Paced<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let stalled = || {
            let seconds = self.patience.stall.as_secs_f64();
            io::Error::new(ErrorKind::TimedOut, format!("it stalled: less than 1 KiB came within {seconds} seconds"))
        };
        let read = match self.reader.read(buffer).map_err(ureq::Error::from) {
            Ok(read) => read,
            Err(ureq::Error::Timeout(_)) => return Err(stalled()),
            Err(error) => return Err(error.into_io()),
        };
        self.bytes += read as u64;
        if self.bytes >= LEAST_BYTES {
            (self.since, self.bytes) = (Instant::now(), 0);
        } else if read > 0 && self.since.elapsed() > self.patience.stall {
            return Err(stalled());
        }
        Ok(read)
    }
}
