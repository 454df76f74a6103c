//! SentencePiece vocabularies: pieces with scores, from `tokenizer.model` or GGUF metadata.
//!
//! Both kinds become pipelines of the `tokenizers` library, converted as in transformers: a BPE vocabulary's merges are
//! all pairs of pieces whose join is a piece, in the order of the join's score.
//! Source: Kudo and Richardson 2018, "SentencePiece"; Kudo 2018, "Subword Regularization" (Unigram).

use prost::Message;
use serde_json::Value;
use tokenizers::decoders::DecoderWrapper;
use tokenizers::decoders::byte_fallback::ByteFallback;
use tokenizers::decoders::fuse::Fuse;
use tokenizers::decoders::sequence::Sequence as Decoders;
use tokenizers::decoders::strip::Strip;
use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::models::unigram::Unigram;
use tokenizers::normalizers::replace::ReplacePattern;
use tokenizers::normalizers::{NormalizerWrapper, Precompiled, Prepend, Replace, Sequence};
use tokenizers::{AddedToken, ModelWrapper};

use super::model_file::{ModelFile, ModelType};
use super::pipeline::Pipeline;
use super::special::{SpecialTokens, added_tokens};
use super::{Tokenizer, TokenizerError, audit};

/// SentencePiece's spelling of a space.
const MARK: &str = "▁";

/// The tokens that ChatGLM2 and ChatGLM3 append to their SentencePiece vocabulary, in the order of their ids.
/// `sop` and `eop` are spelled with brackets here, so that no word of a prompt can become one.
const CHATGLM: [&str; 9] =
    ["[MASK]", "[gMASK]", "[sMASK]", "<sop>", "<eop>", "<|system|>", "<|user|>", "<|assistant|>", "<|observation|>"];

/// Maximum bytes of all merged pairs; a large vocabulary has ten million.
const MOST_MERGE_BYTES: usize = 256 << 20;

/// The use of a piece; numbers as in the SentencePiece and GGUF formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    Normal,
    Unknown,
    Control,
    UserDefined,
    Unused,
    Byte,
}

impl PieceKind {
    pub(super) fn from_number(number: i64) -> Option<Self> {
        use PieceKind::{Byte, Control, Normal, Unknown, Unused, UserDefined};
        let place = usize::try_from(number.checked_sub(1)?).ok()?;
        [Normal, Unknown, Control, UserDefined, Unused, Byte].get(place).copied()
    }
}

#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub text: String,
    /// BPE: minus the rank of its merge. Unigram: log-probability.
    pub score: f32,
    pub kind: PieceKind,
}

/// A whole vocabulary with its normalisation rules.
#[derive(Debug)]
pub(super) struct Pieces {
    pub pieces: Vec<Piece>,
    pub unigram: bool,
    /// Whether a space is put before each stretch of text.
    pub space_prefix: bool,
    /// Whether spaces at both ends are dropped and runs of them collapsed.
    pub trim_spaces: bool,
    /// Compiled character map, empty for none.
    pub charsmap: Vec<u8>,
}

impl Pieces {
    /// Read a `tokenizer.model`.
    pub(super) fn from_model_file(bytes: &[u8]) -> Result<Self, TokenizerError> {
        let unsupported = |problem: String| TokenizerError::SentencePiece { problem };
        let model =
            ModelFile::decode(bytes).map_err(|error| unsupported(format!("not a SentencePiece model: {error}")))?;
        let trainer = model.trainer.ok_or_else(|| unsupported("it has no trainer settings".to_string()))?;
        let unigram = match trainer.model_type() {
            ModelType::Unigram => true,
            ModelType::Bpe => false,
            other => return Err(unsupported(format!("type {other:?}; supported are Bpe and Unigram"))),
        };
        if trainer.treat_whitespace_as_suffix() {
            return Err(unsupported("spaces are marked at the end of words".to_string()));
        }
        let normalizer = model.normalizer.as_ref();
        if normalizer.is_some_and(|normalizer| !normalizer.escape_whitespaces()) {
            return Err(unsupported("spaces are not marked".to_string()));
        }
        let pieces = model.pieces.iter().map(|piece| {
            let kind = PieceKind::from_number(i64::from(piece.kind()));
            Ok(Piece {
                text: piece.piece().to_string(),
                score: piece.score(),
                kind: kind.ok_or_else(|| unsupported(format!("piece {:?} has an unknown kind", piece.piece())))?,
            })
        });
        Ok(Pieces {
            pieces: pieces.collect::<Result<_, TokenizerError>>()?,
            unigram,
            space_prefix: normalizer.is_none_or(|normalizer| normalizer.add_dummy_prefix()),
            trim_spaces: normalizer.is_none_or(|normalizer| normalizer.remove_extra_whitespaces()),
            charsmap: normalizer.map(|normalizer| normalizer.precompiled_charsmap().to_vec()).unwrap_or_default(),
        })
    }

    /// The tokenizer of a folder with a `tokenizer.model`. BOS comes first unless `add_bos_token` is false;
    /// ChatGLM's tokens are added after the vocabulary and its `[gMASK]<sop>` comes first.
    pub(super) fn into_tokenizer(
        self,
        config: &Value,
        mut special: SpecialTokens,
        stop_ids: Vec<u32>,
    ) -> Result<Tokenizer, TokenizerError> {
        let class = config.get("tokenizer_class").and_then(Value::as_str).unwrap_or_default();
        let control =
            |wanted: &str| self.pieces.iter().find(|piece| piece.kind == PieceKind::Control && piece.text == wanted);
        for (name, spelling) in [("bos_token", "<s>"), ("eos_token", "</s>")] {
            if special.get(name).is_none() {
                special = special.with(name, control(spelling).map(|piece| piece.text.clone()));
            }
        }
        let first_free = self.pieces.len();
        let mut inner = self.into_pipeline()?;
        let mut appended: Vec<AddedToken> = Vec::new();
        if class == "ChatGLMTokenizer" {
            appended.extend(CHATGLM.map(|token| AddedToken::from(token, true)));
        } else {
            let mut named = added_tokens(config);
            named.sort_by_key(|(id, _)| *id);
            appended.extend(named.into_iter().filter(|(id, _)| *id as usize >= first_free).map(|(_, token)| token));
        }
        inner.add_tokens(appended).map_err(TokenizerError::encode)?;
        let leading = if class == "ChatGLMTokenizer" {
            ["[gMASK]", "<sop>"].iter().filter_map(|token| inner.token_to_id(token)).collect()
        } else if config.get("add_bos_token").and_then(Value::as_bool).unwrap_or(true) {
            special.bos().and_then(|bos| inner.token_to_id(bos)).into_iter().collect()
        } else {
            Vec::new()
        };
        Tokenizer::complete(inner, special, stop_ids, Some(leading))
    }

    /// The pipeline for this vocabulary, without anything put in front of a text.
    pub(super) fn into_pipeline(self) -> Result<Pipeline, TokenizerError> {
        let mut inner = Pipeline::new(self.model()?);
        inner.with_normalizer(Some(self.normalizer()?)).map_err(TokenizerError::encode)?;
        inner.with_decoder(Some(decoder(self.space_prefix)?));
        let added = self.pieces.iter().filter_map(|piece| match piece.kind {
            PieceKind::Control | PieceKind::Unknown => Some(AddedToken::from(piece.text.as_str(), true)),
            PieceKind::UserDefined => Some(AddedToken::from(piece.text.as_str(), false).normalized(false)),
            PieceKind::Normal | PieceKind::Unused | PieceKind::Byte => None,
        });
        inner.add_tokens(added).map_err(TokenizerError::encode)?;
        Ok(inner)
    }

    fn model(&self) -> Result<ModelWrapper, TokenizerError> {
        let unknown = self.pieces.iter().position(|piece| piece.kind == PieceKind::Unknown);
        let bytes = self.pieces.iter().any(|piece| piece.kind == PieceKind::Byte);
        let failed = |error: Box<dyn std::error::Error + Send + Sync>| TokenizerError::SentencePiece {
            problem: error.to_string(),
        };
        if self.unigram {
            return Ok(Unigram::from(self.unigram_pieces(), unknown, bytes).map_err(failed)?.into());
        }
        let mut builder = BPE::builder()
            .vocab_and_merges(
                (0..).zip(&self.pieces).map(|(id, piece)| (piece.text.clone(), id)).collect::<Vocab>(),
                self.merges()?,
            )
            .fuse_unk(true)
            .byte_fallback(bytes);
        if let Some(unknown) = unknown {
            builder = builder.unk_token(self.pieces[unknown].text.clone());
        }
        Ok(builder.build().map_err(failed)?.into())
    }

    /// Pieces with their scores for the Unigram model. Only normal and user-defined pieces take part in a segmentation;
    /// the others get the lowest possible score, since the library cannot leave them out.
    fn unigram_pieces(&self) -> Vec<(String, f64)> {
        let normal = self.pieces.iter().filter(|piece| piece.kind == PieceKind::Normal);
        let least = normal.map(|piece| piece.score).fold(0.0, f32::min);
        let score = |piece: &Piece| match piece.kind {
            PieceKind::Normal | PieceKind::UserDefined => piece.score,
            PieceKind::Unknown | PieceKind::Control | PieceKind::Unused | PieceKind::Byte => least,
        };
        self.pieces.iter().map(|piece| (piece.text.clone(), f64::from(score(piece)))).collect()
    }

    /// All pairs of pieces whose join is a normal piece, best join first.
    fn merges(&self) -> Result<Vec<(String, String)>, TokenizerError> {
        let mergeable = |piece: &&Piece| matches!(piece.kind, PieceKind::Normal | PieceKind::UserDefined);
        let ids: std::collections::HashMap<&str, usize> = self
            .pieces
            .iter()
            .enumerate()
            .filter(|(_, piece)| mergeable(piece))
            .map(|(id, piece)| (piece.text.as_str(), id))
            .collect();
        let (mut merges, mut bytes) = (Vec::new(), 0);
        for piece in self.pieces.iter().filter(|piece| piece.kind == PieceKind::Normal) {
            let splits = piece.text.char_indices().skip(1).filter_map(|(at, _)| {
                let (left, right) = piece.text.split_at(at);
                Some((*ids.get(left)?, *ids.get(right)?, left, right))
            });
            let mut splits: Vec<_> = splits.collect();
            splits.sort_by_key(|&(left, right, ..)| (left, right));
            bytes += splits.len() * piece.text.len();
            if bytes > MOST_MERGE_BYTES {
                let problem = "its pieces have too many possible merges".to_string();
                return Err(TokenizerError::SentencePiece { problem });
            }
            merges.extend(
                splits.into_iter().map(|(_, _, left, right)| (piece.score, left.to_string(), right.to_string())),
            );
        }
        merges.sort_by(|(one, ..), (other, ..)| other.total_cmp(one));
        Ok(merges.into_iter().map(|(_, left, right)| (left, right)).collect())
    }

    fn normalizer(&self) -> Result<NormalizerWrapper, TokenizerError> {
        let mut steps: Vec<NormalizerWrapper> = Vec::new();
        if !self.charsmap.is_empty() {
            audit::check_charsmap(&self.charsmap).map_err(|problem| TokenizerError::SentencePiece { problem })?;
            let charsmap = Precompiled::from(&self.charsmap)
                .map_err(|error| TokenizerError::SentencePiece { problem: format!("character map: {error}") })?;
            steps.push(charsmap.into());
        }
        if self.trim_spaces {
            for (pattern, content) in [("^ +| +$", ""), (" {2,}", " ")] {
                let replace = Replace::new(ReplacePattern::Regex(pattern.to_string()), content);
                steps.push(replace.map_err(TokenizerError::encode)?.into());
            }
        }
        if self.space_prefix {
            steps.push(Prepend::new(MARK.to_string()).into());
        }
        steps.push(space_to_mark().into());
        Ok(Sequence::new(steps).into())
    }
}

/// The step that writes spaces as marks.
pub(super) fn space_to_mark() -> Replace {
    Replace::new(" ", MARK).expect("a literal pattern is valid")
}

fn decoder(space_prefix: bool) -> Result<DecoderWrapper, TokenizerError> {
    let mut steps: Vec<DecoderWrapper> = vec![
        Replace::new(MARK, " ").map_err(TokenizerError::encode)?.into(),
        ByteFallback::new().into(),
        Fuse::new().into(),
    ];
    if space_prefix {
        steps.push(Strip::new(' ', 1, 0).into());
    }
    Ok(Decoders::new(steps).into())
}
