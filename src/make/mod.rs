//! Making data: new sets of questions from those of benchmarks, each item with how it came about.
//!
//! - [`Embeddings`]: a vector for each story, imported or computed.
//! - [`Quotas`]: how many stories and questions of each part of a benchmark are wanted.
//! - [`sample()`]: draws whole stories along their distances to a baseline story, as Multi-ToM 3.1; [`Spread`] says how
//!   evenly a sample covers those distances.
//! - [`for_test`] divides stories for training and testing; [`examples()`] are prompts with their right answers.
//! - [`OwnItem`]: a made item as a line of a file of one's own questions.

mod document;
mod embeddings;
#[cfg(test)]
mod examples;
mod local;
mod npy;
mod own_item;
mod quotas;
mod sample;
mod settings;
mod split;
mod spread;
mod training;
mod units;

pub use document::{Beside, Parts, SampleDocument, chart, grids};
pub use embeddings::{Embedded, EmbeddedBy, Embeddings, cosine_distance};
pub use local::mean_states;
pub use own_item::{Origin, OwnItem};
pub use quotas::{Composition, Draw, Quota, Quotas};
pub use sample::{Category, Met, Sample, sample};
pub use settings::Settings;
pub use split::for_test;
pub use spread::Spread;
#[cfg(test)]
pub use training::Example;
pub use training::examples;
pub use units::{StoryUnit, story_units};
