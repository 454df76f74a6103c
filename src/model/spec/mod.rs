//! From a configuration to the [`DecoderSpec`] that the decoder computes by.

mod account;
mod check;
mod family;
mod gguf;
mod hub;
mod keys;

pub use account::UnreadTensor;
pub(super) use account::account;
pub(super) use gguf::read as of_gguf;
pub use hub::read as read_config;
