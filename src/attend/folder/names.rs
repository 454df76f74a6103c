//! What the files of a folder are called.

use crate::run::LedgerNames;

/// The files that an analysis is kept in.
pub const NAMES: LedgerNames = LedgerNames { manifest: "attention.json", lines: "items.jsonl", sums: "items.sha256" };
