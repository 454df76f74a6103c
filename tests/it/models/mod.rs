//! Models as they lie in files: weights, configurations, tokenizers and adapters, and the commands that look at them.

mod adapter_runs;
mod adapters;
mod command;
mod config_keys;
mod fp8;
mod gguf_parts;
mod nested;
mod settings;
mod tokens;
mod weights;
