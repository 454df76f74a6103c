//! File names of an analysis folder.

use crate::ledger::FolderKind;

/// The folder of an analysis.
pub static ANALYSIS: FolderKind = FolderKind {
    manifest: "attention.json",
    lines: "items.jsonl",
    sums: "items.sha256",
    work: "analysis",
    folder: "folder of an analysis",
    command: "attend",
};
