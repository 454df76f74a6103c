//! From a prompt to one weight per position: tokens and parts, captured rows, and their reduction.

mod capture;
mod probe;
pub mod reduce;
mod rollout;
mod versions;
mod written;

pub use capture::{Capture, CaptureError, ChoiceError, Heads, Layers, ParseChoiceError};
pub use probe::{Probe, ProbeError, TokenizedPrompt, TokensRead, Weighting};
pub use versions::{Contrast, IN_REPLY, Version, VersionError, versions};
pub use written::{Written, WrittenError};
