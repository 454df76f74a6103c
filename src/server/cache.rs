//! Keys of a request that decide what it finds in a server's prefix cache.

use std::borrow::Cow;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Use of the prefix cache by the requests of a client.
#[derive(Debug, Clone, Default)]
pub(super) enum CacheUse {
    /// As the server does by itself.
    #[default]
    Usual,
    /// Each prompt only with itself within this series.
    Salted(String),
    /// Not read.
    Without,
}

impl CacheUse {
    /// Returns the body of a request with the keys that it needs.
    pub(super) fn applied<'a>(&self, body: &'a Value) -> Cow<'a, Value> {
        let (key, value) = match self {
            CacheUse::Usual => return Cow::Borrowed(body),
            CacheUse::Salted(series) => {
                let hash = Sha256::new().chain_update(series).chain_update(body.to_string()).finalize();
                ("cache_salt", json!(hash.iter().take(12).map(|byte| format!("{byte:02x}")).collect::<String>()))
            }
            CacheUse::Without => ("cache_prompt", json!(false)),
        };
        let mut body = body.clone();
        body[key] = value;
        Cow::Owned(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_salt_is_of_one_prompt_and_series() {
        let salt = |series: &str, prompt: &str| {
            CacheUse::Salted(series.to_string()).applied(&json!({ "prompt": prompt }))["cache_salt"].clone()
        };
        assert_eq!(salt("1", "a"), salt("1", "a"));
        assert_ne!(salt("1", "a"), salt("1", "b"));
        assert_ne!(salt("1", "a"), salt("2", "a"));
        assert_eq!(CacheUse::Without.applied(&json!({}))["cache_prompt"], json!(false));
        assert_eq!(*CacheUse::Usual.applied(&json!({"prompt": "a"})), json!({"prompt": "a"}));
    }
}
