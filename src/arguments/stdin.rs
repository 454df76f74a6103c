//! Standard input where a file is taken: `-` on the command line.

use std::io::Read;
use std::path::Path;

use anyhow::Context;

/// The name under which standard input is given.
pub const DASH: &str = "-";

/// What it is called in messages.
pub const NAME: &str = "standard input";

/// The bytes of a file, or of standard input where it is named `-`.
pub fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path != Path::new(DASH) {
        return std::fs::read(path).with_context(|| format!("{}: cannot be read", path.display()));
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).with_context(|| format!("{NAME}: cannot be read"))?;
    Ok(bytes)
}

/// What a file is called in messages.
pub fn name(path: &Path) -> String {
    if path == Path::new(DASH) { NAME.to_string() } else { path.display().to_string() }
}
