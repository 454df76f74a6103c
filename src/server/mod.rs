//! Models on servers with the OpenAI protocol: vLLM, SGLang, TGI, llama.cpp's servers and many more.
//!
//! [`ServerName`] names a model on a server, [`Client`] sends bounded requests, and [`Abilities::probe`] finds out the
//! server's abilities. [`chat`], [`complete`] and [`Scored`] are the requests and results on which all of these servers
//! agree. A server's answers are not trusted: sizes, times and redirects are bounded, and every number is checked.

mod abilities;
mod cache;
mod client;
mod error;
mod key;
mod labels;
#[cfg(test)]
mod mutated;
mod name;
mod neutral;
mod program;
mod prompt_scores;
mod protocol;
mod reading;
mod retry;
mod thinking;
mod truncation;

pub use abilities::{Abilities, Answered, KnownTokens, Listed, ScoreMode, ServerFacts};
pub use client::{Answer, Client, ClientSettings};
pub use error::{Grade, ServerError};
pub use key::Key;
pub use labels::{Alternatives, Given, NotGiven};
pub use name::ServerName;
pub use neutral::with_neutral;
pub use program::Program;
pub use prompt_scores::{PromptScores, Scored, has_same_length};
pub use protocol::{Draws, Usage, chat, complete, named_ids, of_chat, of_completion, prompt_scores_of, top};
pub use retry::Patience;
pub use truncation::{ReadWhole, reads_whole};
