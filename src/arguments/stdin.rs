//! Standard input in place of a file: `-` on the command line.

use std::io::Read;
use std::path::Path;

use anyhow::Context;

/// Command-line name of standard input.
pub const DASH: &str = "-";

/// Name of standard input in messages.
pub const NAME: &str = "standard input";

/// Reads a file, or standard input if it is named `-`.
pub fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path != Path::new(DASH) {
        return std::fs::read(path).with_context(|| format!("{}: cannot be read", path.display()));
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).with_context(|| format!("{NAME}: cannot be read"))?;
    Ok(bytes)
}

/// Returns the name of a file in messages.
pub fn name(path: &Path) -> String {
    if path == Path::new(DASH) { NAME.to_string() } else { path.display().to_string() }
}
