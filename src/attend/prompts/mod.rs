//! Tokenized prompts: their parts and words, and leaving words out.

pub mod annotated;
mod leaving_out;
mod parts;
mod word;

pub use annotated::{AnnotatedPrompt, Merge, PromptToken, WordIx};
pub use parts::{MessageParts, PartKind, PlaceError, PromptPart, place};
pub use word::WordKind;
