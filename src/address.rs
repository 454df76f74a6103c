//! Server addresses: whether two belong to the same server, and where a redirect leads. Decides which servers receive
//! API keys and tokens.

use std::net::IpAddr;

use ureq::http::{StatusCode, Uri};

/// Whether a status is a redirect.
pub fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Scheme, host and port: two addresses belong to the same server if all three are equal. `None` for schemes other than
/// http and https.
pub fn origin(at: &Uri) -> Option<(String, String, u16)> {
    let scheme = at.scheme_str()?.to_lowercase();
    let usual = match scheme.as_str() {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    let host = at.host().filter(|host| !host.is_empty())?.to_lowercase();
    Some((scheme, host, at.port_u16().unwrap_or(usual)))
}

/// Scheme, host and port for messages: a path may be long or contain a signature.
pub fn place(at: &Uri) -> String {
    origin(at).map_or_else(|| format!("{at:?}"), |(scheme, host, port)| format!("{scheme}://{host}:{port}"))
}

/// Resolves the target of a redirect.
///
/// # Errors
/// The address is invalid, is neither http nor https, or downgrades https to http.
pub fn target(from: &Uri, location: &str) -> Result<Uri, &'static str> {
    let (scheme, authority) =
        (from.scheme_str().unwrap_or_default(), from.authority().map_or("", |found| found.as_str()));
    let other_scheme = location.split(['/', '?', '#']).next().and_then(|first| first.split_once(':'));
    let absolute = if location.is_empty() {
        return Err("names no address");
    } else if let Some((other, _)) = other_scheme {
        if !["http", "https"].into_iter().any(|known| other.eq_ignore_ascii_case(known)) {
            return Err("is neither http:// nor https://");
        }
        location.to_string()
    } else if location.starts_with("//") {
        format!("{scheme}:{location}")
    } else if location.starts_with('/') {
        format!("{scheme}://{authority}{location}")
    } else if location.starts_with('?') {
        format!("{scheme}://{authority}{}{location}", from.path())
    } else {
        let folder = from.path().rsplit_once('/').map_or("", |(folder, _)| folder);
        format!("{scheme}://{authority}{folder}/{location}")
    };
    let to: Uri = absolute.parse().map_err(|_| "is not a valid address")?;
    match (origin(from), origin(&to)) {
        (_, None) => Err("is neither http:// nor https://"),
        (Some((from, ..)), Some((to, ..))) if from == "https" && to == "http" => {
            Err("leads from an encrypted connection to one that is not")
        }
        _ => Ok(to),
    }
}

/// Whether a host is this machine: `localhost` or a loopback address.
pub fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether a host is this machine or on its own network: a loopback, private (RFC 1918, RFC 4193) or link-local address,
/// a name that ends with `.local`, or one without a dot.
#[cfg_attr(not(feature = "server"), allow(dead_code))]
pub fn is_near(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_private() || address.is_link_local(),
        Ok(IpAddr::V6(address)) => {
            let first = address.segments()[0];
            address.is_loopback() || first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfe80
        }
        Err(_) => {
            let name = bare.trim_end_matches('.');
            !name.is_empty() && (!name.contains(['.', ':']) || name.to_ascii_lowercase().ends_with(".local"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_lead_where_a_browser_would_go() {
        let from: Uri = "https://hub.example:8443/a/resolve/main/x.json?y=1".parse().expect("an address");
        let check = |location: &str, expected: Result<&str, &str>| {
            let found = target(&from, location);
            assert_eq!(
                found.as_ref().map(ToString::to_string).map_err(|problem| *problem),
                expected.map(str::to_string)
            );
        };
        check("https://cdn.example/x?sign=a:b", Ok("https://cdn.example/x?sign=a:b"));
        check("//cdn.example/x", Ok("https://cdn.example/x"));
        check("/api/x:y", Ok("https://hub.example:8443/api/x:y"));
        check("y.json", Ok("https://hub.example:8443/a/resolve/main/y.json"));
        check("?z=2", Ok("https://hub.example:8443/a/resolve/main/x.json?z=2"));
        check("", Err("names no address"));
        check("http://hub.example:8443/x", Err("leads from an encrypted connection to one that is not"));
        check("file:///etc/passwd", Err("is neither http:// nor https://"));
        check("ftp://hub.example/x", Err("is neither http:// nor https://"));
        check("https://", Err("is not a valid address"));
    }

    #[test]
    fn servers_differ_by_scheme_host_and_port() {
        let of = |address: &str| origin(&address.parse().expect("an address"));
        assert_eq!(of("https://Hub.example/a"), of("https://hub.example:443/b"));
        assert_ne!(of("http://127.0.0.1:1/a"), of("http://127.0.0.1:2/a"));
        assert_ne!(of("http://hub.example:443/"), of("https://hub.example:443/"));
        assert_ne!(of("https://hub.example/"), of("https://hub.example.evil.example/"));
        assert_ne!(of("https://hub.example@evil.example/"), of("https://hub.example/"));
    }

    #[test]
    fn near_are_this_machine_and_its_network() {
        for host in
            ["localhost", "127.0.0.1", "[::1]", "10.1.2.3", "172.16.0.1", "172.31.9.9", "192.168.0.7", "169.254.1.1"]
        {
            assert!(is_near(host), "{host}");
        }
        for host in ["[fd00::1]", "[fe80::1]", "gpu-7", "box.local", "Box.LOCAL."] {
            assert!(is_near(host), "{host}");
        }
        for host in [
            "8.8.8.8",
            "172.32.0.1",
            "192.169.0.1",
            "[2001:db8::1]",
            "api.example.com",
            "local.example",
            "localhost.example",
            "",
        ] {
            assert!(!is_near(host), "{host}");
        }
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        for host in ["localhost", "LocalHost", "127.0.0.1", "127.8.0.1", "[::1]", "::1"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["localhost.example", "10.0.0.1", "0.0.0.0", "128.0.0.1", "::2", ""] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
