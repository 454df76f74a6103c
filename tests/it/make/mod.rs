//! Pipelines that make data: models behind a server that replays recorded replies, stops and kills, planted faults.

mod adapt;
mod contexts;
#[cfg(unix)]
mod people;
mod planted;
mod planted_replies;
mod planted_words;
mod replay;
mod stories;
mod translate;
mod twins;
