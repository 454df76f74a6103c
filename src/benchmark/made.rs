//! Marks of data that `tomeval make` wrote: not the released files, so no published count or figure applies to them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Benchmark, Item};

/// File beside made data.
const FILE: &str = "made.json";

/// Folders below a data folder in which the mark may be.
const DEEPEST: usize = 2;

/// Content of the mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Mark {
    /// Program that made the data.
    program: String,
    benchmark: Benchmark,
    seed: u64,
}

/// Returns the path and content of the mark for data in a folder.
pub fn mark(folder: &Path, benchmark: Benchmark, seed: u64) -> (PathBuf, String) {
    let mark = Mark { program: format!("tomeval {}", env!("CARGO_PKG_VERSION")), benchmark, seed };
    let json = serde_json::to_string(&mark).expect("a mark holds only strings and a number");
    (folder.join(FILE), json + "\n")
}

/// Returns the seed of a benchmark's data that `tomeval make` wrote; `None` for other data.
pub fn seed_of(files: &Path, benchmark: Benchmark, items: &[Item]) -> Option<u64> {
    match benchmark {
        // Its ids say so.
        Benchmark::HiToM => items.first()?.id.strip_prefix("hi-tom/made-")?.split('/').next()?.parse().ok(),
        Benchmark::ToMi | Benchmark::ToMValley => {
            let folder = if files.is_dir() { files } else { files.parent()? };
            find(folder, benchmark, DEEPEST)
        }
        _ => None,
    }
}

fn find(folder: &Path, benchmark: Benchmark, deepest: usize) -> Option<u64> {
    let read = |path: PathBuf| serde_json::from_str::<Mark>(&std::fs::read_to_string(path).ok()?).ok();
    let here = read(folder.join(FILE)).filter(|mark| mark.benchmark == benchmark).map(|mark| mark.seed);
    let below = || {
        let folders = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).filter(|path| path.is_dir());
        folders.filter_map(|path| find(&path, benchmark, deepest - 1)).min()
    };
    here.or_else(|| if deepest > 0 { below() } else { None })
}
