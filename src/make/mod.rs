//! Pipelines that make data by asking models.
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
pub mod check;
mod chrf;
mod correspondence;
pub mod flag;
mod manifest;
pub mod set;
pub mod texts;
pub mod translate;

pub use chrf::ChrF;
pub use correspondence::{Correspondence, MakeError, Reply, Request, Watch, Writer, WriterFault, Written};
pub use manifest::MakeManifest;
