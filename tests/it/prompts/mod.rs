//! What a model is shown: packs and styles, examples, chat templates, thinking, and what cannot be asked.

mod anchored;
mod chat_template;
mod command;
mod packs;
mod shots;
mod styles;
mod swaps;
mod thinking;
mod together;
mod unasked;
mod wordings;
