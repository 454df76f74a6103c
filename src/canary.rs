//! Canary line that marks files with benchmark items, so that they can be kept out of training data and detected in it.

/// Written to every file with items whose format has room for it; `docs/formats.md` lists where.
pub const CANARY: &str =
    "tomeval canary 733ebafe-b3e8-4e15-98d3-42f0d71bcdc7: items of benchmarks, keep out of training data";
