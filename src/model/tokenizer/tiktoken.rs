//! tiktoken files: per line a token, in base64, and its rank. They define neither pre-tokenizer nor special tokens,
//! which follow the ranks; both depend on the family.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use tokenizers::AddedToken;

use super::ranks::{MOST_IDS, Ranks};
use super::special::{SpecialTokens, added_tokens};
use super::{Tokenizer, TokenizerError, pretokenizer};

/// Facts of a family that its file does not state.
struct Family {
    /// The file name that only this family uses.
    file: Option<&'static str>,
    /// `model_type` of its config.json.
    model_types: &'static [&'static str],
    /// `tokenizer_class` of its tokenizer_config.json.
    classes: &'static [&'static str],
    /// The pre-tokenizer, by its name in GGUF files.
    pre_tokenizer: &'static str,
    /// Special tokens in the order of their ids.
    special: fn() -> Vec<String>,
    /// Special tokens before each text.
    leading: &'static [&'static str],
    bos: Option<&'static str>,
    eos: &'static str,
    /// Tokens that end a reply, besides the end of text.
    stops: &'static [&'static str],
}

/// Sources: Qwen, `tokenization_qwen.py` of Qwen/Qwen-14B, and `qwen_generation_utils.py` for the ends of replies;
/// Llama 3, `llama/tokenizer.py` of meta-llama/llama3; GLM-4, `tokenization_chatglm.py` and `tokenizer_config.json` of
/// THUDM/glm-4-9b-chat.
const FAMILIES: [Family; 3] = [
    Family {
        file: Some("qwen.tiktoken"),
        model_types: &["qwen"],
        classes: &["QWenTokenizer"],
        pre_tokenizer: "qwen2",
        special: qwen,
        leading: &[],
        bos: None,
        eos: "<|endoftext|>",
        stops: &["<|im_end|>", "<|im_start|>"],
    },
    Family {
        file: None,
        model_types: &["llama"],
        classes: &[],
        pre_tokenizer: "llama3",
        special: llama3,
        leading: &["<|begin_of_text|>"],
        bos: Some("<|begin_of_text|>"),
        eos: "<|end_of_text|>",
        stops: &["<|eot_id|>"],
    },
    Family {
        file: None,
        model_types: &["chatglm", "glm", "glm4"],
        classes: &["ChatGLM4Tokenizer"],
        pre_tokenizer: "glm4",
        special: glm4,
        leading: &["[gMASK]", "<sop>"],
        bos: None,
        eos: "<|endoftext|>",
        stops: &["<|user|>", "<|observation|>"],
    },
];

fn qwen() -> Vec<String> {
    let named = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"].map(str::to_string);
    named.into_iter().chain((0..205).map(|number| format!("<|extra_{number}|>"))).collect()
}

fn llama3() -> Vec<String> {
    let reserved = |number: usize| format!("<|reserved_special_token_{number}|>");
    let mut tokens: Vec<String> = ["<|begin_of_text|>", "<|end_of_text|>"].map(str::to_string).into();
    tokens.extend((0..4).map(reserved));
    tokens.extend(["<|start_header_id|>", "<|end_header_id|>"].map(str::to_string));
    tokens.extend([reserved(4), "<|eot_id|>".to_string()]);
    tokens.extend((5..251).map(reserved));
    tokens
}

fn glm4() -> Vec<String> {
    let masks = ["<|endoftext|>", "[MASK]", "[gMASK]", "[sMASK]", "<sop>", "<eop>"];
    let roles = ["<|system|>", "<|user|>", "<|assistant|>", "<|observation|>"];
    let media = ["<|begin_of_image|>", "<|end_of_image|>", "<|begin_of_video|>", "<|end_of_video|>"];
    masks.into_iter().chain(roles).chain(media).map(str::to_string).collect()
}

/// Whether a `tokenizer.model` is a tiktoken file: its first line is plain letters, unlike in any SentencePiece model.
pub(super) fn is_tiktoken(bytes: &[u8]) -> bool {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    !line.is_empty() && line.len() < 10_000 && line.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ')
}

/// The tokenizer of a tiktoken file; the file name and the model's and tokenizer's configurations give its family.
pub(super) fn tokenizer(
    bytes: &[u8],
    name: &str,
    [model, config]: [&Value; 2],
    mut special: SpecialTokens,
    mut stop_ids: Vec<u32>,
) -> Result<Tokenizer, TokenizerError> {
    let family = family(name, model, config).map_err(TokenizerError::encode)?;
    let ranks = ranks(bytes).map_err(TokenizerError::encode)?;
    let tokens = special_tokens(family, ranks.len(), config).map_err(TokenizerError::encode)?;
    for (name, spelling) in [("bos_token", family.bos), ("eos_token", Some(family.eos))] {
        if special.get(name).is_none() {
            special = special.with(name, spelling.map(str::to_string));
        }
    }
    let inner = ranks.into_pipeline(0, tokens, pretokenizer::by_name(family.pre_tokenizer)?)?;
    for id in family.stops.iter().filter_map(|stop| inner.token_to_id(stop)) {
        if !stop_ids.contains(&id) {
            stop_ids.push(id);
        }
    }
    let begins = family.bos.is_none() || config.get("add_bos_token").and_then(Value::as_bool).unwrap_or(true);
    let leading = family.leading.iter().filter(|_| begins).filter_map(|token| inner.token_to_id(token)).collect();
    Tokenizer::complete(inner, special, stop_ids, Some(leading))
}

fn family(file: &str, model: &Value, config: &Value) -> Result<&'static Family, String> {
    let name = |file: &Value, key: &str| file.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
    let (model_type, class) = (name(model, "model_type"), name(config, "tokenizer_class"));
    let by_file = FAMILIES.iter().find(|family| family.file == Some(file));
    let by_type = || FAMILIES.iter().find(|family| family.model_types.contains(&model_type.as_str()));
    let by_class = || FAMILIES.iter().find(|family| family.classes.contains(&class.as_str()));
    by_file.or_else(by_type).or_else(by_class).ok_or_else(|| {
        let known: Vec<&str> = FAMILIES.iter().flat_map(|family| family.model_types).copied().collect();
        let beside = match model_type.as_str() {
            "" => "no config.json beside it names a `model_type`".to_string(),
            name => format!("the `model_type` of the config.json beside it is {name:?}"),
        };
        format!(
            "a tiktoken file defines no pre-tokenizer or special tokens, and {beside}; \
             known are {}. For other models put a tokenizer.json beside it, as transformers writes with \
             `AutoTokenizer.from_pretrained(...).save_pretrained(...)`",
            known.join(", ")
        )
    })
}

/// The tokens of all lines.
fn ranks(bytes: &[u8]) -> Result<Ranks, String> {
    let mut found: Vec<(usize, usize, Vec<u8>)> = Vec::new();
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let line = std::str::from_utf8(line).map_err(|_| format!("line {number} is not text; fetch the file again"))?;
        let line = line.trim_ascii_end();
        if line.is_empty() {
            continue;
        }
        let expected = || format!("line {number}: {line:?} is not a token in base64, a space and its rank");
        let (token, rank) = line.split_once(' ').ok_or_else(expected)?;
        let token = BASE64_STANDARD.decode(token).map_err(|error| format!("{} ({error})", expected()))?;
        let rank: usize = rank.parse().map_err(|_| expected())?;
        if rank >= MOST_IDS {
            return Err(format!("line {number}: the rank {rank} is too large; the limit is {MOST_IDS}"));
        }
        found.push((rank, number, token));
    }
    found.sort_by_key(|&(rank, number, _)| (rank, number));
    for (expected, (rank, number, _)) in found.iter().enumerate() {
        if *rank > expected {
            return Err(format!("line {number}: found rank {rank}, but {expected} is missing; fetch the file again"));
        }
        if *rank < expected {
            return Err(format!("line {number}: the rank {rank} occurs twice; fetch the file again"));
        }
    }
    let (lines, tokens): (Vec<usize>, Vec<Vec<u8>>) =
        found.into_iter().map(|(_, number, token)| (number, token)).unzip();
    Ranks::new(tokens, |rank| format!("line {}", lines.get(rank).copied().unwrap_or_default()))
}

/// The family's special tokens after the ranks, except for ids and spellings given by the configuration.
fn special_tokens(family: &Family, ranks: usize, config: &Value) -> Result<Vec<(u32, AddedToken)>, String> {
    let mut tokens = added_tokens(config);
    tokens.sort_by_key(|(id, _)| *id);
    if let Some((id, token)) = tokens.iter().find(|(id, _)| (*id as usize) < ranks || *id as usize >= MOST_IDS) {
        return Err(format!(
            "`added_tokens_decoder` gives {:?} the id {id}, which does not fit the vocabulary of {ranks} tokens; \
             the two files do not match",
            token.content
        ));
    }
    let given = tokens.clone();
    let own = (ranks..).zip((family.special)()).filter_map(|(id, content)| {
        let id = u32::try_from(id).ok()?;
        let free = given.iter().all(|(other, token)| *other != id && token.content != content);
        free.then(|| (id, AddedToken::from(content, true)))
    });
    tokens.extend(own);
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(token: &[u8], rank: usize) -> String {
        format!("{} {rank}\n", BASE64_STANDARD.encode(token))
    }

    fn bytes() -> String {
        (0..=u8::MAX).map(|byte| line(&[byte], byte.into())).collect()
    }

    fn refused(text: &str) -> String {
        ranks(text.as_bytes()).map(drop).expect_err("refused")
    }

    #[test]
    fn damaged_lines_are_named() {
        assert_eq!(
            ranks(format!("{}\r\n\n", line(b"ab", 256) + &bytes()).as_bytes()).map(|ranks| ranks.len()),
            Ok(257)
        );
        for (more, part) in [
            ("a*b= 256\n", "line 257: \"a*b= 256\" is not a token in base64"),
            ("YWI=\n", "line 257: \"YWI=\" is not"),
            ("YWI= -1\n", "line 257"),
            ("YWI= 257\n", "line 257: found rank 257, but 256 is missing"),
            ("YWI= 99999999999\n", "line 257: the rank 99999999999 is too large"),
            ("YWI= 256\nYWM= 256\n", "line 258: the rank 256 occurs twice"),
            ("YWI= 256\nYWI= 257\n", "line 258: the token occurs twice"),
        ] {
            let problem = refused(&(bytes() + more));
            assert!(problem.starts_with(part) || problem.contains(part), "{problem}");
        }
        assert!(refused("").contains("no token for the byte 0x00"));
    }

    #[test]
    fn special_tokens_follow_the_ranks() {
        assert_eq!((qwen().len(), llama3().len(), glm4().len()), (208, 256, 14));
        assert_eq!(
            llama3()[6..10],
            ["<|start_header_id|>", "<|end_header_id|>", "<|reserved_special_token_4|>", "<|eot_id|>"]
        );
        let config = serde_json::json!({ "added_tokens_decoder": {
            "302": { "content": "<|im_start|>", "special": true }, "300": { "content": "<|end|>", "special": true },
        }});
        let tokens = special_tokens(&FAMILIES[0], 300, &config).expect("sound");
        let named: Vec<(u32, &str)> = tokens.iter().take(3).map(|(id, token)| (*id, token.content.as_str())).collect();
        assert_eq!(named, [(300, "<|end|>"), (302, "<|im_start|>"), (303, "<|extra_0|>")]);
        let problem = special_tokens(&FAMILIES[0], 400, &config).map(drop).expect_err("refused");
        assert!(problem.contains("`added_tokens_decoder`") && problem.contains("300"), "{problem}");
    }
}
