//! Mistral's `tekken.json`: tokens in base64 by rank, with the expression that splits texts. Special tokens come first,
//! so ids are ranks offset by their number. Source: `tekken.py` of mistral-common.

use std::collections::HashSet;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::Value;
use tokenizers::AddedToken;

use super::ranks::{MOST_IDS, Ranks};
use super::special::SpecialTokens;
use super::{Tokenizer, TokenizerError, expression, pretokenizer};

/// The first special tokens of files that do not list them, as versions up to 7 may do.
const UNLISTED: [&str; 20] = [
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
];
/// The versions of such files.
const MAY_BE_UNLISTED: [&str; 4] = ["v1", "v2", "v3", "v7"];

#[derive(Deserialize)]
struct File {
    config: Config,
    vocab: Vec<Entry>,
    special_tokens: Option<Vec<Special>>,
}

#[derive(Deserialize)]
struct Config {
    pattern: String,
    default_vocab_size: usize,
    default_num_special_tokens: usize,
    version: String,
}

#[derive(Deserialize)]
struct Entry {
    rank: usize,
    token_bytes: String,
}

#[derive(Deserialize)]
struct Special {
    rank: usize,
    token_str: String,
}

/// The tokenizer of a `tekken.json`.
pub(super) fn tokenizer(
    bytes: &[u8],
    config: &Value,
    mut special: SpecialTokens,
    stop_ids: Vec<u32>,
) -> Result<Tokenizer, TokenizerError> {
    let file: File = serde_json::from_slice(bytes).map_err(TokenizerError::encode)?;
    let tokens = file.special().map_err(TokenizerError::encode)?;
    let first_id = u32::try_from(tokens.len()).map_err(TokenizerError::encode)?;
    expression::check(&file.config.pattern).map_err(|problem| TokenizerError::encode(format!("pattern: {problem}")))?;
    let parts = pretokenizer::by_expression(&file.config.pattern)?;
    let ranks = file.ranks().map_err(TokenizerError::encode)?;
    for (name, spelling) in [("bos_token", "<s>"), ("eos_token", "</s>")] {
        let known = tokens.iter().any(|token| token == spelling);
        if special.get(name).is_none() && known {
            special = special.with(name, Some(spelling.to_string()));
        }
    }
    let tokens = (0..).zip(tokens).map(|(id, token)| (id, AddedToken::from(token, true))).collect();
    let inner = ranks.into_pipeline(first_id, tokens, parts)?;
    let begins = config.get("add_bos_token").and_then(Value::as_bool).unwrap_or(true);
    let leading = special.bos().filter(|_| begins).and_then(|bos| inner.token_to_id(bos)).into_iter().collect();
    Tokenizer::complete(inner, special, stop_ids, Some(leading))
}

impl File {
    /// All special tokens in the order of their ids: the listed ones, then unnamed ones up to their number.
    fn special(&self) -> Result<Vec<String>, String> {
        let Config { version, default_num_special_tokens: wanted, .. } = &self.config;
        let mut tokens: Vec<String> = match &self.special_tokens {
            Some(listed) => {
                if let Some((place, token)) = listed.iter().enumerate().find(|(place, token)| token.rank != *place) {
                    return Err(format!(
                        "special_tokens: entry {place} ({:?}) has rank {}, expected {place}",
                        token.token_str, token.rank
                    ));
                }
                listed.iter().map(|token| token.token_str.clone()).collect()
            }
            None if MAY_BE_UNLISTED.contains(&version.as_str()) => UNLISTED.map(str::to_string).into(),
            None => {
                return Err(format!("version {version:?} without `special_tokens`, which files after v7 list"));
            }
        };
        if tokens.len() > *wanted || *wanted > MOST_IDS {
            return Err(format!("`default_num_special_tokens` is {wanted}, but {} are listed", tokens.len()));
        }
        tokens.extend((tokens.len()..*wanted).map(|id| format!("<SPECIAL_{id}>")));
        let mut seen = HashSet::new();
        match tokens.iter().find(|token| !seen.insert(token.as_str())) {
            Some(doubled) => Err(format!("special_tokens: {doubled:?} occurs twice")),
            None => Ok(tokens),
        }
    }

    /// As many tokens as the model has; files may contain more.
    fn ranks(&self) -> Result<Ranks, String> {
        let Config { default_vocab_size: size, default_num_special_tokens: special, .. } = self.config;
        let wanted = size.checked_sub(special).filter(|wanted| *wanted <= self.vocab.len());
        let wanted = wanted.ok_or_else(|| {
            format!(
                "`default_vocab_size` is {size}, but there are {special} special tokens and {} others",
                self.vocab.len()
            )
        })?;
        let tokens = self.vocab.iter().take(wanted).enumerate().map(|(place, entry)| {
            if entry.rank != place {
                return Err(format!("vocab: entry {place} has rank {}, expected {place}", entry.rank));
            }
            BASE64_STANDARD
                .decode(&entry.token_bytes)
                .map_err(|error| format!("vocab: entry {place}: {:?} is not base64 ({error})", entry.token_bytes))
        });
        let tokens = tokens.collect::<Result<_, String>>()?;
        Ranks::new(tokens, |rank| format!("vocab: entry {rank}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn file() -> Value {
        let vocab = (0..=u8::MAX).map(|byte| json!({ "rank": byte, "token_bytes": BASE64_STANDARD.encode([byte]) }));
        json!({
            "config": {
                "pattern": r"\p{L}+|\P{L}", "num_vocab_tokens": 256, "default_vocab_size": 276,
                "default_num_special_tokens": 20, "version": "v3",
            },
            "vocab": vocab.collect::<Vec<_>>(),
        })
    }

    fn read(file: &Value) -> Result<Tokenizer, String> {
        tokenizer(file.to_string().as_bytes(), &Value::Null, SpecialTokens::default(), Vec::new())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn special_tokens_come_first() {
        let tokenizer = read(&file()).expect("sound");
        assert_eq!(tokenizer.encode("a</s>", true).ok(), Some(vec![1, 20 + 97, 2]));
        assert_eq!((tokenizer.stop_ids(), tokenizer.vocab_size()), (&[2][..], 276));
        let mut listed = file();
        listed["config"]["version"] = json!("v13");
        listed["special_tokens"] = json!([{"rank": 0, "token_str": "<unk>", "is_control": true}]);
        assert_eq!(read(&listed).expect("sound").encode("<SPECIAL_19>", true).ok(), Some(vec![19]));
    }

    #[test]
    fn damaged_files_are_refused_with_the_entry() {
        let changes: [(&str, Value, &str); 8] = [
            ("/vocab/7/rank", json!(9), "vocab: entry 7 has rank 9"),
            ("/vocab/7/token_bytes", json!("B*=="), "vocab: entry 7: \"B*==\" is not base64"),
            ("/vocab/7/token_bytes", json!("AA=="), "vocab: entry 7: the token occurs twice"),
            ("/config/default_vocab_size", json!(4), "`default_vocab_size` is 4"),
            ("/config/default_vocab_size", json!(999), "`default_vocab_size` is 999"),
            ("/config/default_num_special_tokens", json!(3), "`default_num_special_tokens` is 3"),
            ("/config/version", json!("v11"), "without `special_tokens`"),
            ("/config/pattern", json!("(?:a+)+(?!b)"), "pattern: the expression"),
        ];
        for (place, value, part) in changes {
            let mut file = file();
            *file.pointer_mut(place).expect("it is there") = value;
            let problem = read(&file).map(drop).expect_err("refused");
            assert!(problem.contains(part), "{problem}");
        }
        let mut doubled = file();
        doubled["special_tokens"] = json!([{"rank": 0, "token_str": "<s>"}, {"rank": 1, "token_str": "<s>"}]);
        assert!(read(&doubled).map(drop).is_err_and(|problem| problem.contains("occurs twice")));
    }
}
