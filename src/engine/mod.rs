//! The scoring engine: token sequences in, log-likelihoods out. It knows nothing of benchmarks.

mod request;

pub use request::{Request, Sequence, TokenScores};
