//! The scoring engine: token sequences in, log-likelihoods out. It knows nothing of benchmarks.

mod request;
mod tokenizer;

pub use request::{Request, Sequence, TokenScores};
pub use tokenizer::{ContextRequest, EncodedContext, SpecialTokens, Tokenizer, TokenizerError, TokenizerKind};
