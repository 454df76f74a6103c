//! What a model is shown: packs and styles, examples, chat templates, thinking, and what cannot be asked.

mod chat_template;
mod command;
pub mod packs;
mod shots;
mod styles;
pub mod thinking;
mod together;
pub mod unasked;
