//! Prompts as they are tokenised: their parts and words, and how words are left out of them.

pub mod annotated;
mod leaving_out;
mod parts;
mod word;

pub use annotated::{AnnotatedPrompt, Merge, PromptToken, WordIx};
pub use parts::{MessageParts, PartKind, PlaceError, PromptPart, place};
pub use word::WordKind;
