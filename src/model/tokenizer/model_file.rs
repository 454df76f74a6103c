//! `tokenizer.model`: the messages of SentencePiece's protocol buffer that a tokenizer needs. Source:
//! `sentencepiece_model.proto` of google/sentencepiece, with its field numbers and defaults.

use prost::{Enumeration, Message};

/// A vocabulary with its settings.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ModelFile {
    #[prost(message, repeated, tag = "1")]
    pub pieces: Vec<PieceEntry>,
    #[prost(message, optional, tag = "2")]
    pub trainer: Option<TrainerSettings>,
    #[prost(message, optional, tag = "3")]
    pub normalizer: Option<NormalizerSettings>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct PieceEntry {
    #[prost(string, optional, tag = "1")]
    pub piece: Option<String>,
    #[prost(float, optional, tag = "2")]
    pub score: Option<f32>,
    /// As [`PieceKind`](super::sentencepiece::PieceKind) numbers kinds.
    #[prost(int32, optional, tag = "3", default = "1")]
    pub kind: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TrainerSettings {
    #[prost(enumeration = "ModelType", optional, tag = "3", default = "Unigram")]
    pub model_type: Option<i32>,
    #[prost(bool, optional, tag = "24")]
    pub treat_whitespace_as_suffix: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct NormalizerSettings {
    #[prost(bytes = "vec", optional, tag = "2")]
    pub precompiled_charsmap: Option<Vec<u8>>,
    #[prost(bool, optional, tag = "3", default = "true")]
    pub add_dummy_prefix: Option<bool>,
    #[prost(bool, optional, tag = "4", default = "true")]
    pub remove_extra_whitespaces: Option<bool>,
    #[prost(bool, optional, tag = "5", default = "true")]
    pub escape_whitespaces: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub(super) enum ModelType {
    Unigram = 1,
    Bpe = 2,
    Word = 3,
    Char = 4,
}
