//! Tokenizer errors.

use std::path::PathBuf;

/// A tokenizer that could not be read, or a text that could not be tokenized.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenizerError {
    /// The file cannot be read.
    #[error("tokenizer file {}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    /// The file has invalid content.
    #[error("tokenizer file {}: {reason}", path.display())]
    Parse {
        path: PathBuf,
        /// The problem.
        reason: String,
    },
    /// A folder without any tokenizer file.
    #[error("no tokenizer in {}: expected tokenizer.json, tekken.json, qwen.tiktoken or tokenizer.model", folder.display())]
    Absent {
        /// The folder searched.
        folder: PathBuf,
    },
    /// Required GGUF metadata that is absent or of another type.
    #[error("GGUF metadata `{key}`: {problem}")]
    Metadata {
        /// The metadata key.
        key: String,
        /// The problem.
        problem: String,
    },
    /// An unsupported kind of vocabulary.
    #[error("the GGUF file's tokenizer model `{name}` is not supported; supported are gpt2 and llama")]
    UnknownModel {
        /// Value of `tokenizer.ggml.model`.
        name: String,
    },
    /// An unknown pre-tokenizer; guessing would change every id.
    #[error(
        "the GGUF file's pre-tokenizer `{name}` is not known, and guessing it would change the tokens; known are {known}"
    )]
    UnknownPreTokenizer {
        /// Value of `tokenizer.ggml.pre`.
        name: String,
        /// The known names.
        known: String,
    },
    /// An unsupported feature of a SentencePiece model.
    #[error("SentencePiece model: {problem}")]
    SentencePiece {
        /// The feature.
        problem: String,
    },
    /// No token at all.
    #[error("the tokenizer's vocabulary is empty")]
    EmptyVocabulary,
    /// The post-processor changes the tokens of the text itself.
    #[error("the tokenizer's post-processor rewrites the text's own tokens, which is not supported")]
    PostProcessor,
    /// The model has fewer embedding rows than the tokenizer has ids.
    #[error("tokenizer and model do not match: the tokenizer has {tokenizer} ids, the model {model} embedding rows")]
    VocabularyMismatch {
        /// One more than the tokenizer's largest id.
        tokenizer: usize,
        /// Rows of the model's embedding.
        model: usize,
    },
    /// An id without a token.
    #[error("token id {id} is not in the vocabulary, whose largest id is {largest}")]
    UnknownId {
        id: u32,
        /// The largest known id.
        largest: u32,
    },
    /// The library panicked on a text, which never happens with a sound file.
    #[error("tokenizer file {file}: {reason}")]
    Broken {
        /// The file or other origin of the tokenizer.
        file: String,
        /// The failure.
        reason: String,
    },
    /// The library refused the text.
    #[error("could not tokenize: {reason}")]
    Encode {
        /// The library's reason.
        reason: String,
    },
    /// A continuation that adds no token to its context.
    #[error("the continuation {continuation:?} adds no token to its context, so there is nothing to score")]
    EmptyContinuation { continuation: String },
    /// A continuation whose first token is not preceded by any other.
    #[error(
        "no token precedes the continuation {continuation:?}; give a longer prompt or one with a beginning-of-text token"
    )]
    NoContext { continuation: String },
}

impl TokenizerError {
    pub(super) fn encode(reason: impl ToString) -> Self {
        TokenizerError::Encode { reason: reason.to_string() }
    }

    pub(super) fn metadata(key: &str, problem: impl ToString) -> Self {
        TokenizerError::Metadata { key: key.to_string(), problem: problem.to_string() }
    }
}
