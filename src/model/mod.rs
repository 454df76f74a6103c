//! Reads everything from a model's files except its weights: the folder, settings, tokenizer, template, hashes.
//!
//! [`resolve`] turns a model name into [`ModelFiles`]: local paths first, then the caches, then (unless offline) the
//! network. [`Card`]s hold facts known before any file is read; [`Summary`] describes the files.

mod adapter;
mod bounded_read;
mod cache;
mod card;
mod error;
mod fetch;
mod files;
mod hash;
#[cfg(feature = "hub")]
mod hub;
mod paper;
mod pinned;
mod resolve;
mod shape;
mod spec;
mod spec_summary;
mod summary;
mod template;
mod template_override;
mod tokenizer;
mod unfinished;
mod wheel;

pub use adapter::{AdapterChoice, AdapterFolder, AdapterSummary, NamedAdapter};
pub use cache::{cache_dir, hub_cache_dir};
pub use card::{Card, card, cards, nearest};
pub use error::ModelError;
pub use fetch::{Fetch, FetchEvent};
pub use files::{ModelFiles, ModelFormat, ModelSource, TextParts};
pub use hash::sha256_bytes;
pub use paper::Paper;
pub use resolve::{is_cached, resolve};
pub use shape::Shape;
pub use spec::{UnreadTensor, read_config};
pub use spec_summary::SpecSummary;
pub use summary::Summary;
pub use template::{
    ChatTemplate, RenderSettings, Rendered, TemplateCapabilities, TemplateError, TemplateFileError, TemplateOrigin,
    TemplateVariable, TemplateVariables, marks_of, open_thinking, render_or_merge, split_thinking, thinking_marks,
    thinking_section, thought_of,
};
pub use template_override::ChosenTemplate;
pub(crate) use tokenizer::common_length;
pub use tokenizer::{EncodedContext, Sequence, SpecialTokens, Tail, Tokenizer, TokenizerError};

/// The card of the default model.
pub const DEMO: &str = "smollm2-135m-instruct";
