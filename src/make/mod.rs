//! Making data: new sets of questions from those of benchmarks, each item with how it came about.
//!
//! - [`Embeddings`]: a vector for each story, imported or computed.
//! - [`Quotas`]: how many stories and questions of each part of a benchmark are wanted.
//! - [`sample()`]: draws whole stories along their distances to a baseline story, as Multi-ToM 3.1; [`Spread`] says how
//!   evenly a sample covers those distances.
//! - [`for_test`] divides stories for training and testing; [`examples()`] are prompts with their right answers.
//! - [`OwnItem`]: a made item as a line of a file of one's own questions.
//!
//! Pipelines that ask models:
//!
//! A pipeline is a list of steps. Each step turns items and earlier replies into [`Request`]s, has a [`Writer`] reply to
//! them through a [`Correspondence`], and reads the replies; the last step writes a set. A correspondence records every
//! reply in a folder under the hash of what was asked. The same command therefore asks nothing twice: after a stop it
//! goes on where it was, and a request that was ever answered is not sent again. A pipeline must be a function of its
//! arguments and of the replies, so that a stopped one ends with the bytes of an unbroken one.
//!
//! Requests are built from texts ([`texts::Texts`]), which do not hold the right answers; these join the made texts
//! when the set is written ([`set`]).

pub mod adapt;
pub mod background;
pub mod check;
mod chrf;
pub mod contexts;
mod correspondence;
mod document;
mod embeddings;
pub mod entities;
#[cfg(test)]
mod examples;
pub mod flag;
mod local;
mod manifest;
mod npy;
mod own_item;
mod prompts;
mod quotas;
mod sample;
pub mod set;
mod settings;
pub mod sketches;
mod split;
mod spread;
pub mod texts;
mod training;
pub mod translate;
mod twins;
mod units;

pub use chrf::ChrF;
pub use correspondence::{Ask, Correspondence, MakeError, Reply, Request, Watch, Writer, WriterFault, Written};
pub use document::{Beside, Parts, SampleDocument, chart, grids};
pub use embeddings::{Embedded, EmbeddedBy, Embeddings, cosine_distance};
pub use local::mean_states;
pub use manifest::MakeManifest;
pub use own_item::{Origin, OwnItem};
pub use quotas::{Composition, Draw, Quota, Quotas};
pub use sample::{Category, Met, Sample, sample};
pub use settings::Settings;
pub use split::for_test;
pub use spread::Spread;
#[cfg(test)]
pub use training::Example;
pub use training::examples;
pub use twins::{TWINS_CARD, twin_lines};
pub use units::{StoryUnit, story_units};
