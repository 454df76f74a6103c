//! Tokenizers from GGUF metadata (`tokenizer.ggml.*`).

use candle_core::quantized::gguf_file::{Content, Value};
use tokenizers::AddedToken;
use tokenizers::decoders::byte_level::ByteLevel as ByteLevelDecoder;
use tokenizers::models::bpe::{BPE, Vocab};

use super::pipeline::Pipeline;
use super::sentencepiece::{Piece, PieceKind, Pieces};
use super::{SpecialTokens, Tokenizer, TokenizerError, pretokenizer, unusable};
use crate::catch_panic::contained;

const TOKENS: &str = "tokenizer.ggml.tokens";
const TYPES: &str = "tokenizer.ggml.token_type";
const MERGES: &str = "tokenizer.ggml.merges";
const SCORES: &str = "tokenizer.ggml.scores";

impl Tokenizer {
    /// The tokenizer in the metadata of a GGUF file: byte-level BPE (`gpt2`) with the pre-tokenizer the file names, or
    /// a SentencePiece vocabulary with scores (`llama`).
    ///
    /// # Errors
    /// Absent or ill-typed metadata, or an unknown tokenizer or pre-tokenizer.
    pub fn from_gguf(content: &Content) -> Result<Self, TokenizerError> {
        let metadata = Metadata { content };
        let read = || match metadata.text("tokenizer.ggml.model")? {
            Some("gpt2") => byte_level(&metadata),
            Some("llama") => scored_pieces(&metadata),
            Some(name) => Err(TokenizerError::UnknownModel { name: name.to_string() }),
            None => Err(TokenizerError::metadata("tokenizer.ggml.model", "absent: the file holds no tokenizer")),
        };
        // The library trusts some settings, and panics later if they do not fit.
        contained(read).unwrap_or_else(|problem| Err(TokenizerError::metadata("tokenizer.ggml", unusable(&problem))))
    }
}

fn byte_level(metadata: &Metadata) -> Result<Tokenizer, TokenizerError> {
    let tokens = metadata.texts(TOKENS)?;
    let kinds = metadata.kinds(tokens.len())?;
    let vocabulary: Vocab = (0..).zip(&tokens).map(|(id, token)| (token.to_string(), id)).collect();
    let merges = metadata.texts(MERGES)?.into_iter().map(|merge| {
        merge
            .split_once(' ')
            .map(|(left, right)| (left.to_string(), right.to_string()))
            .ok_or_else(|| TokenizerError::metadata(MERGES, format!("`{merge}` is not a pair")))
    });
    let parts = pretokenizer::by_name(metadata.text("tokenizer.ggml.pre")?.unwrap_or("default"))?;
    let model = BPE::builder()
        .vocab_and_merges(vocabulary, merges.collect::<Result<Vec<_>, _>>()?)
        .ignore_merges(parts.whole_words)
        .build()
        .map_err(|error| TokenizerError::metadata(MERGES, error))?;
    let mut inner = Pipeline::new(model.into());
    inner.with_normalizer(parts.normalizer).map_err(TokenizerError::encode)?;
    inner.with_pre_tokenizer(Some(parts.pre_tokenizer));
    inner.with_decoder(Some(ByteLevelDecoder::default()));
    let added = tokens.iter().zip(kinds).filter_map(|(token, kind)| match kind {
        PieceKind::Control | PieceKind::Unknown => Some(AddedToken::from(*token, true)),
        PieceKind::UserDefined => Some(AddedToken::from(*token, false).normalized(false)),
        PieceKind::Normal | PieceKind::Unused | PieceKind::Byte => None,
    });
    inner.add_tokens(added).map_err(TokenizerError::encode)?;
    let leading = metadata.leading(parts.bos)?;
    Tokenizer::complete(inner, metadata.special(&tokens)?, metadata.stop_ids()?, Some(leading))
}

fn scored_pieces(metadata: &Metadata) -> Result<Tokenizer, TokenizerError> {
    let tokens = metadata.texts(TOKENS)?;
    let kinds = metadata.kinds(tokens.len())?;
    let scores = metadata.scores(tokens.len())?;
    let pieces = tokens.iter().zip(scores).zip(kinds);
    let pieces = Pieces {
        pieces: pieces.map(|((text, score), kind)| Piece { text: text.to_string(), score, kind }).collect(),
        unigram: false,
        space_prefix: metadata.flag("tokenizer.ggml.add_space_prefix")?.unwrap_or(true),
        trim_spaces: false,
        charsmap: Vec::new(),
    };
    let leading = metadata.leading(true)?;
    Tokenizer::complete(pieces.into_pipeline()?, metadata.special(&tokens)?, metadata.stop_ids()?, Some(leading))
}

struct Metadata<'a> {
    content: &'a Content,
}

impl<'a> Metadata<'a> {
    fn value(&self, key: &str) -> Option<&'a Value> {
        self.content.metadata.get(key)
    }

    fn text(&self, key: &str) -> Result<Option<&'a str>, TokenizerError> {
        let text = |value: &'a Value| match value {
            Value::String(text) => Ok(text.as_str()),
            _ => Err(TokenizerError::metadata(key, "not a string")),
        };
        self.value(key).map(text).transpose()
    }

    fn flag(&self, key: &str) -> Result<Option<bool>, TokenizerError> {
        let flag = |value: &Value| value.to_bool().map_err(|_| TokenizerError::metadata(key, "not a boolean"));
        self.value(key).map(flag).transpose()
    }

    fn list(&self, key: &str) -> Result<&'a [Value], TokenizerError> {
        match self.value(key) {
            Some(Value::Array(list)) => Ok(list),
            Some(_) => Err(TokenizerError::metadata(key, "not an array")),
            None => Err(TokenizerError::metadata(key, "absent")),
        }
    }

    fn texts(&self, key: &str) -> Result<Vec<&'a str>, TokenizerError> {
        let text = |value: &'a Value| match value {
            Value::String(text) => Ok(text.as_str()),
            _ => Err(TokenizerError::metadata(key, "holds an entry that is not a string")),
        };
        self.list(key)?.iter().map(text).collect()
    }

    fn id(&self, key: &str) -> Result<Option<u32>, TokenizerError> {
        self.value(key)
            .map(|value| number(value).and_then(|id| u32::try_from(id).ok()))
            .map(|id| id.ok_or_else(|| TokenizerError::metadata(key, "not a token id")))
            .transpose()
    }

    /// Kinds of all tokens; without the key all tokens are normal.
    fn kinds(&self, tokens: usize) -> Result<Vec<PieceKind>, TokenizerError> {
        if self.value(TYPES).is_none() {
            return Ok(vec![PieceKind::Normal; tokens]);
        }
        let kind = |value: &Value| {
            number(value)
                .and_then(PieceKind::from_number)
                .ok_or_else(|| TokenizerError::metadata(TYPES, format!("holds {value:?}; kinds are 1 to 6")))
        };
        let kinds: Vec<PieceKind> = self.list(TYPES)?.iter().map(kind).collect::<Result<_, _>>()?;
        same_length(TYPES, kinds.len(), tokens)?;
        Ok(kinds)
    }

    fn scores(&self, tokens: usize) -> Result<Vec<f32>, TokenizerError> {
        let score = |value: &Value| value.to_f32().map_err(|_| TokenizerError::metadata(SCORES, "not float32"));
        let scores: Vec<f32> = self.list(SCORES)?.iter().map(score).collect::<Result<_, _>>()?;
        same_length(SCORES, scores.len(), tokens)?;
        Ok(scores)
    }

    /// BOS if the file requires it, or does not say and `by_default` holds.
    fn leading(&self, by_default: bool) -> Result<Vec<u32>, TokenizerError> {
        let wanted = self.flag("tokenizer.ggml.add_bos_token")?.unwrap_or(by_default);
        let bos = self.id("tokenizer.ggml.bos_token_id")?;
        Ok(bos.filter(|_| wanted).into_iter().collect())
    }

    fn special(&self, tokens: &[&str]) -> Result<SpecialTokens, TokenizerError> {
        let names = [
            ("bos_token", "tokenizer.ggml.bos_token_id"),
            ("eos_token", "tokenizer.ggml.eos_token_id"),
            ("unk_token", "tokenizer.ggml.unknown_token_id"),
            ("pad_token", "tokenizer.ggml.padding_token_id"),
        ];
        let mut special = SpecialTokens::default();
        for (name, key) in names {
            let spelling = match self.id(key)? {
                Some(id) => Some(tokens.get(id as usize).ok_or_else(|| {
                    TokenizerError::metadata(key, format!("names id {id}, but there are {} tokens", tokens.len()))
                })?),
                None => None,
            };
            special = special.with(name, spelling.map(|spelling| spelling.to_string()));
        }
        Ok(special)
    }

    fn stop_ids(&self) -> Result<Vec<u32>, TokenizerError> {
        let mut ids = Vec::new();
        for key in ["tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"] {
            ids.extend(self.id(key)?.filter(|id| !ids.contains(id)));
        }
        Ok(ids)
    }
}

fn same_length(key: &str, found: usize, tokens: usize) -> Result<(), TokenizerError> {
    if found != tokens {
        return Err(TokenizerError::metadata(key, format!("has {found} entries for {tokens} tokens")));
    }
    Ok(())
}

fn number(value: &Value) -> Option<i64> {
    match *value {
        Value::U8(number) => Some(number.into()),
        Value::I8(number) => Some(number.into()),
        Value::U16(number) => Some(number.into()),
        Value::I16(number) => Some(number.into()),
        Value::U32(number) => Some(number.into()),
        Value::I32(number) => Some(number.into()),
        Value::U64(number) => i64::try_from(number).ok(),
        Value::I64(number) => Some(number),
        _ => None,
    }
}
