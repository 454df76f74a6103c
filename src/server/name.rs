//! Server and model name: `openai:URL#NAME`.

use std::fmt;
use std::str::FromStr;

use ureq::http::Uri;

use crate::address::{is_loopback, is_near, origin, place};

/// Prefix of server names.
pub const SCHEME: &str = "openai:";

/// Default path between the address of a server and its routes.
const USUAL_PATH: &str = "/v1";

/// A model on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerName {
    /// Base address of its routes, without a trailing slash.
    base: String,
    /// Scheme, host and port.
    place: String,
    /// Host alone.
    host: String,
    /// Name of the model on the server, if given.
    pub model: Option<String>,
}

/// A text that does not name a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid server `{given}`: {reason}; write openai:URL#NAME, for instance openai:http://127.0.0.1:8000#my-model"
)]
pub struct NotAServer {
    /// The text, without possible secrets.
    pub given: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl FromStr for ServerName {
    type Err = NotAServer;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let rest = given.strip_prefix(SCHEME).unwrap_or(given);
        let (url, model) = match rest.split_once('#') {
            Some((url, model)) => (url, Some(model.trim()).filter(|model| !model.is_empty())),
            None => (rest, None),
        };
        // A password in the address would be recorded in the manifest.
        let shown = match url.contains('@') {
            true => format!("{SCHEME}..."),
            false => given.to_string(),
        };
        let not = |reason| NotAServer { given: shown.clone(), reason };
        if url.contains('@') {
            return Err(not("a key or password in an address would be recorded; leave it out and see --api-key-env"));
        }
        if url.contains(',') {
            return Err(not("several servers are for `run` and `plan`; name one"));
        }
        if url.contains('?') {
            return Err(not("the address must not contain a query"));
        }
        let at: Uri = url.trim_end_matches('/').parse().map_err(|_| not("not a valid address"))?;
        let (_, host, _) = origin(&at).ok_or_else(|| not("it lacks http:// or https://, or a host"))?;
        let path = at.path().trim_end_matches('/');
        let place = place(&at);
        let base = format!("{place}{}", if path.is_empty() { USUAL_PATH } else { path });
        Ok(ServerName { base, place, host, model: model.map(str::to_string) })
    }
}

impl ServerName {
    /// Reads the names of servers with the same model: `openai:URL,URL,...#NAME`.
    ///
    /// # Errors
    /// One of them does not name a server, or two name the same.
    pub fn several(given: &str) -> Result<Vec<Self>, NotAServer> {
        let rest = given.strip_prefix(SCHEME).unwrap_or(given);
        let (urls, model) = rest.split_once('#').map_or((rest, None), |(urls, model)| (urls, Some(model)));
        let mut all: Vec<Self> = Vec::new();
        for url in urls.split(',') {
            let model = model.map(|model| format!("#{model}")).unwrap_or_default();
            let name: Self = format!("{SCHEME}{}{model}", url.trim()).parse()?;
            if all.iter().any(|known| known.base == name.base) {
                return Err(NotAServer { given: name.to_string(), reason: "it is named twice" });
            }
            all.push(name);
        }
        Ok(all)
    }

    /// Returns the base address of its routes.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns scheme, host and port.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Whether the server is this machine, so that nothing leaves it.
    pub fn is_here(&self) -> bool {
        is_loopback(&self.host)
    }

    /// Whether the server is this machine or on its own network, by its address: asking it costs nothing but time.
    pub fn is_near(&self) -> bool {
        is_near(&self.host)
    }

    /// Whether the connection is unencrypted.
    pub fn is_plain(&self) -> bool {
        self.place.starts_with("http://")
    }

    /// Returns the same server with this model.
    pub fn with_model(&self, model: &str) -> Self {
        ServerName { model: Some(model.to_string()), ..self.clone() }
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}", self.base)?;
        self.model.iter().try_for_each(|model| write!(f, "#{model}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        let read = |given: &str| given.parse::<ServerName>().map(|name| (name.to_string(), name.is_here()));
        let check = |given: &str, name: &str, here| assert_eq!(read(given), Ok((name.to_string(), here)), "{given}");
        check("openai:http://127.0.0.1:8000#m", "openai:http://127.0.0.1:8000/v1#m", true);
        check("openai:http://localhost:8000/v1/", "openai:http://localhost:8000/v1", true);
        check("openai:https://Example.org/api/v3#a/b", "openai:https://example.org:443/api/v3#a/b", false);
        check("openai:http://[::1]:80#m#n", "openai:http://[::1]:80/v1#m#n", true);
        for given in
            ["openai:", "openai:127.0.0.1:8000", "openai:ftp://x#m", "openai:http://#m", "openai:http://x/?k=1"]
        {
            assert!(read(given).is_err(), "{given}");
        }
    }

    #[test]
    fn several_servers_have_one_model() {
        let read = |given: &str| {
            let names = ServerName::several(given).map_err(|error| error.to_string())?;
            Ok::<_, String>(names.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        let both = ["openai:http://a:1/v1#m,n".to_string(), "openai:http://b:2/v2#m,n".to_string()];
        assert_eq!(read("openai:http://a:1,http://b:2/v2#m,n").unwrap(), both);
        assert_eq!(read("openai:http://a:1").unwrap(), ["openai:http://a:1/v1"]);
        let twice = read("openai:http://a:1,http://b:2,http://a:1/v1/#m").unwrap_err();
        assert!(twice.contains("http://a:1/v1") && twice.contains("named twice"), "{twice}");
        assert!(read("openai:http://a:1,b:2#m").unwrap_err().contains("http://"));
        let secret = read("openai:http://a:1,http://me:hunter22@b:2#m").unwrap_err();
        assert!(!secret.contains("hunter22"), "{secret}");
        assert!("openai:http://a:1,http://b:2#m".parse::<ServerName>().is_err());
    }

    #[test]
    fn passwords_in_addresses_are_refused_and_not_repeated() {
        let error = "openai:http://user:hunter22@host/v1#m".parse::<ServerName>().unwrap_err().to_string();
        assert!(!error.contains("hunter22") && error.contains("--api-key-env"), "{error}");
    }
}
