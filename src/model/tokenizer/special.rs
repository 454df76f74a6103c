//! Special tokens by name, and the tokens that a configuration adds to the vocabulary.

use indexmap::IndexMap;
use serde_json::Value;
use tokenizers::AddedToken;

/// Special tokens by the names that chat templates use: `bos_token`, `eos_token`, `pad_token` and so on. A name that
/// the configuration leaves empty is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpecialTokens {
    by_name: IndexMap<String, String>,
}

impl SpecialTokens {
    /// Name a token; an absent spelling names nothing.
    pub(in crate::model) fn with(mut self, name: &str, spelling: Option<String>) -> Self {
        if let Some(spelling) = spelling {
            self.by_name.insert(name.to_string(), spelling);
        }
        self
    }

    /// The spelling of the token that begins a text.
    pub(super) fn bos(&self) -> Option<&str> {
        self.get("bos_token")
    }

    /// The spelling of the token that ends a text or turn.
    pub(super) fn eos(&self) -> Option<&str> {
        self.get("eos_token")
    }

    /// The spelling of the token with that name, for instance `pad_token`.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.by_name.get(name).map(String::as_str)
    }

    /// Names and spellings, in the order of the configuration file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.by_name.iter().map(|(name, spelling)| (name.as_str(), spelling.as_str()))
    }

    /// Read the string or object values whose names end in `_token`; later configurations take precedence.
    pub(super) fn from_configs(configs: [&Value; 2]) -> Self {
        let entries = configs.into_iter().filter_map(Value::as_object).flatten();
        let by_name = entries
            .filter(|(name, _)| name.ends_with("_token"))
            .filter_map(|(name, value)| {
                let spelling = value.as_str().or_else(|| value.get("content").and_then(Value::as_str))?;
                Some((name.clone(), spelling.to_string()))
            })
            .collect();
        SpecialTokens { by_name }
    }
}

/// The entries of `added_tokens_decoder`.
pub(super) fn added_tokens(config: &Value) -> Vec<(u32, AddedToken)> {
    let entries = config.get("added_tokens_decoder").and_then(Value::as_object).into_iter().flatten();
    entries
        .filter_map(|(id, token)| {
            let flag = |name| token.get(name).and_then(Value::as_bool).unwrap_or(false);
            let content = token.get("content")?.as_str()?;
            let added = AddedToken::from(content, flag("special"))
                .lstrip(flag("lstrip"))
                .rstrip(flag("rstrip"))
                .single_word(flag("single_word"))
                .normalized(flag("normalized"));
            Some((id.parse().ok()?, added))
        })
        .collect()
}
