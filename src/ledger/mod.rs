//! Append-only folders of a manifest and record lines: locked by their writer, checksummed, resumable after a kill.
//! Callers interpret the lines.

mod checksums;
mod claimed;
mod difference;
mod error;
mod files;
mod lines;
mod mixture;

pub use checksums::of_line;
pub use claimed::{Claimed, Kept, Settled, present_manifest, read_manifest, write_manifest};
pub use difference::{Difference, Weight, between};
pub use error::{FolderError, FolderKind};
pub use files::{own_folder, replace_file, replace_with, sync_folder, write_file};
pub use lines::{Ledger, LedgerLines, lines_of, refused};
pub use mixture::Mixture;
