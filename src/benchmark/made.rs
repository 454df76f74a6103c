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
    /// Names of the models that wrote its texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    models: Vec<String>,
}

/// How data came about that `tomeval make` wrote.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MadeData {
    /// Its seed.
    pub seed: u64,
    /// Names of the models that wrote its texts, as in the manifests of runs.
    pub models: Vec<String>,
}

/// Returns the path and content of the mark for data in a folder, written by these models.
pub fn mark(folder: &Path, benchmark: Benchmark, seed: u64, models: &[String]) -> (PathBuf, String) {
    let program = format!("tomeval {}", env!("CARGO_PKG_VERSION"));
    let mark = Mark { program, benchmark, seed, models: models.to_vec() };
    let json = serde_json::to_string(&mark).expect("a mark holds only strings and numbers");
    (folder.join(FILE), json + "\n")
}

/// Returns the seed of a benchmark's data that `tomeval make` wrote; `None` for other data.
pub fn seed_of(files: &Path, benchmark: Benchmark, items: &[Item]) -> Option<u64> {
    made_data(files, benchmark, items).map(|made| made.seed)
}

/// Returns how a benchmark's data came about that `tomeval make` wrote; `None` for other data.
pub fn made_data(files: &Path, benchmark: Benchmark, items: &[Item]) -> Option<MadeData> {
    match benchmark {
        // Its ids say so.
        Benchmark::HiToM => {
            let seed = items.first()?.id.strip_prefix("hi-tom/made-")?.split('/').next()?.parse().ok()?;
            Some(MadeData { seed, models: Vec::new() })
        }
        Benchmark::ToMi | Benchmark::ToMValley => {
            let folder = if files.is_dir() { files } else { files.parent()? };
            find(folder, benchmark, DEEPEST)
        }
        _ => None,
    }
}

fn find(folder: &Path, benchmark: Benchmark, deepest: usize) -> Option<MadeData> {
    let read = |path: PathBuf| serde_json::from_str::<Mark>(&std::fs::read_to_string(path).ok()?).ok();
    let here = read(folder.join(FILE)).filter(|mark| mark.benchmark == benchmark);
    let here = here.map(|Mark { seed, models, .. }| MadeData { seed, models });
    let below = || {
        let folders = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).filter(|path| path.is_dir());
        folders.filter_map(|path| find(&path, benchmark, deepest - 1)).min()
    };
    here.or_else(|| if deepest > 0 { below() } else { None })
}
