//! Finds the model and prompt packs of a finished run again.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use super::manifest::{Manifest, ModelIdentity};
use crate::benchmark::Benchmark;
use crate::model::{AdapterFolder, sha256_bytes};
use crate::prompt::{Pack, Placeholders};
use crate::trial::{PackFileError, PromptPack, kept_file, pack_in, read_pack, resolved_path};

/// The prompt packs of a run.
#[derive(Debug)]
pub struct PacksAgain {
    /// One pack per benchmark, by name.
    pub packs: IndexMap<Benchmark, Pack>,
    /// Packs that differ from the run's, one sentence each.
    pub departures: Vec<String>,
}

/// Packs of a run that cannot be found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgainError {
    /// Neither the built-in pack nor an available file is the pack of the run.
    #[error(
        "the run's prompt pack for {benchmark} was not found: {file}, SHA-256 {sha256}; pass --prompts with the \
         folder of this file, or another folder to use its prompts"
    )]
    NoPack {
        benchmark: Benchmark,
        /// File name from the manifest.
        file: String,
        /// SHA-256 of the file.
        sha256: String,
    },
    /// The manifest names no pack for one of its benchmarks.
    #[error("the manifest names no prompt pack for {0}; restore it, or pass --prompts with a folder of packs")]
    NotRecorded(Benchmark),
    /// A pack cannot be read.
    #[error(transparent)]
    Pack(#[from] PackFileError),
}

/// Finds the packs of the run in a folder by hash: in `folder` if given, else among the files kept with the run, the
/// built-in packs, or at the run's original paths. If the given folder lacks a pack of this hash, its own pack for the
/// benchmark is used, and reported as a departure.
pub fn packs_again(run: &Path, manifest: &Manifest, folder: Option<&Path>) -> Result<PacksAgain, AgainError> {
    let mut again = PacksAgain { packs: IndexMap::new(), departures: Vec::new() };
    for &benchmark in &manifest.settings.benchmarks {
        let (pack, departure) = pack_again(run, benchmark, manifest.prompts.get(&benchmark), folder)?;
        again.packs.insert(benchmark, pack);
        again.departures.extend(departure);
    }
    Ok(again)
}

fn pack_again(
    run: &Path,
    benchmark: Benchmark,
    recorded: Option<&PromptPack>,
    folder: Option<&Path>,
) -> Result<(Pack, Option<String>), AgainError> {
    let is_it = |path: &Path| recorded.is_some_and(|recorded| is_file_of(path, &recorded.sha256));
    let read =
        |path: &Path| -> Result<Pack, AgainError> { Ok(read_pack(path, Placeholders::OfItems)?.serving(benchmark)) };
    if let Some(folder) = folder {
        if let Some(path) = packs_below(folder).iter().find(|path| is_it(path)) {
            return Ok((read(path)?, None));
        }
        match pack_in(folder, benchmark) {
            Ok(pack) => {
                let run = recorded.map_or("unknown", |recorded| &recorded.file);
                let departure = format!("The run's prompts for {benchmark} are {run}; here they are {}.", pack.file());
                return Ok((pack, Some(departure)));
            }
            // A folder need not contain a pack for every benchmark if the run's own is available.
            Err(PackFileError::Unreadable { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let recorded = recorded.ok_or(AgainError::NotRecorded(benchmark))?;
    let built_in = Pack::built_in(benchmark);
    if built_in.sha256() == recorded.sha256 {
        return Ok((built_in, None));
    }
    let kept = kept_file(run, &recorded.sha256);
    let file = kept.or_else(|| Some(resolved_path(Path::new(&recorded.file))).filter(|file| is_it(file)));
    match file {
        Some(file) => Ok((read(&file)?, None)),
        None => Err(AgainError::NoPack { benchmark, file: recorded.file.clone(), sha256: recorded.sha256.clone() }),
    }
}

/// Returns the TOML files of a folder by name; empty if it cannot be listed.
fn packs_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    found.sort();
    found
}

fn is_file_of(path: &Path, sha256: &str) -> bool {
    std::fs::read(path).is_ok_and(|bytes| sha256_bytes(&bytes) == sha256)
}

impl ModelIdentity {
    /// Returns names by which the model may be found again, the most likely first; empty if only the hashes of its
    /// weights are known.
    pub fn names(&self) -> Vec<String> {
        if let Some(path) = &self.path {
            return vec![resolved_path(path).display().to_string()];
        }
        let name = self.adapter.as_ref().map_or(&self.name, |adapter| &adapter.base);
        let on_hub = name.split('@').next() == Some(self.source.as_str());
        match &self.revision {
            Some(revision) if on_hub => vec![format!("{}@{revision}", self.source), name.clone()],
            _ if self.source == LOCAL_FILES => Vec::new(),
            _ => vec![name.clone()],
        }
    }

    /// Returns the SHA-256 over the hashes of its files except its adapter, whatever the files are called.
    pub fn base_sha256(&self) -> String {
        self.sha256_over(|file| self.adapter.is_none() || !AdapterFolder::FILES.contains(&file))
    }

    /// Returns the SHA-256 over the hashes of all its files: two runs with the same one have the same weights.
    pub fn whole_sha256(&self) -> String {
        self.sha256_over(|_| true)
    }

    fn sha256_over(&self, keep: impl Fn(&str) -> bool) -> String {
        let own = self.sha256.iter().filter(|(file, _)| keep(file));
        let mut hashes: Vec<&str> = own.map(|(_, hash)| hash.as_str()).collect();
        hashes.sort_unstable();
        sha256_bytes(hashes.join("\n").as_bytes())
    }

    /// Whether these are the hashes of its files, whatever the files are called.
    pub fn has_files(&self, sha256: &IndexMap<String, String>) -> bool {
        let sorted = |hashes: &IndexMap<String, String>| {
            let mut hashes: Vec<String> = hashes.values().cloned().collect();
            hashes.sort();
            hashes
        };
        sorted(&self.sha256) == sorted(sha256)
    }
}

/// The [`ModelIdentity::source`] of a model from a path.
pub const LOCAL_FILES: &str = "local files";

#[cfg(test)]
mod tests {
    use super::super::manifest::AdapterIdentity;
    use super::*;

    fn identity(name: &str, source: &str) -> ModelIdentity {
        ModelIdentity {
            name: name.into(),
            source: source.into(),
            path: None,
            revision: None,
            family: "llama".into(),
            sha256: [("a".to_string(), "1".to_string()), ("b".to_string(), "2".to_string())].into(),
            adapter: None,
        }
    }

    #[test]
    fn a_model_is_called_by_what_finds_it() {
        let path = Some(PathBuf::from("/models/tiny"));
        assert_eq!(ModelIdentity { path, ..identity("tiny", LOCAL_FILES) }.names(), ["/models/tiny"]);
        assert!(identity("tiny", LOCAL_FILES).names().is_empty(), "an older manifest");
        let revision = Some("c0ffee".to_string());
        let hub = ModelIdentity { revision, ..identity("org/name", "org/name") };
        assert_eq!(hub.names(), ["org/name@c0ffee", "org/name"], "the branch may have moved on");
        let branch = ModelIdentity { name: "org/name@main".into(), ..hub.clone() };
        assert_eq!(branch.names()[0], "org/name@c0ffee");
        let card = ModelIdentity { name: "smol".into(), ..hub };
        assert_eq!(card.names(), ["smol"]);
        let adapter = AdapterIdentity {
            name: "en".into(),
            path: PathBuf::from("/adapters/en"),
            base: "smol".into(),
            rank: 4,
            alpha: 8.into(),
            trained_in: Vec::new(),
        };
        let adapted = ModelIdentity { name: "smol + en".into(), adapter: Some(adapter), ..card };
        assert_eq!(adapted.names(), ["smol"], "without its adapter");
    }

    #[test]
    fn a_model_is_known_by_the_contents_of_its_files() {
        let model = identity("tiny", LOCAL_FILES);
        let files =
            |list: &[(&str, &str)]| list.iter().map(|(name, hash)| (name.to_string(), hash.to_string())).collect();
        assert!(model.has_files(&files(&[("renamed", "2"), ("a", "1")])));
        assert!(!model.has_files(&files(&[("a", "1"), ("b", "3")])));
        assert!(!model.has_files(&files(&[("a", "1")])));
    }

    #[test]
    fn packs_are_found_by_their_hash() {
        let folder = tempfile::tempdir().unwrap();
        let text = "benchmark = \"demo\"\nsource = \"s\"\n[[style]]\nname = \"vanilla\"\nlanguage = \"en\"\nuser = \"{question}\"\n";
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let file = write("mine.toml", text);
        let recorded = |file: &str, text: &str| PromptPack { file: file.into(), sha256: sha256_bytes(text.as_bytes()) };
        let find = |recorded: &PromptPack, folder: Option<&Path>| {
            pack_again(Path::new(""), Benchmark::Demo, Some(recorded), folder)
        };

        let built_in = Pack::built_in(Benchmark::Demo);
        let of_program = PromptPack { file: built_in.file().into(), sha256: built_in.sha256().into() };
        assert_eq!(find(&of_program, None).unwrap().0, built_in);

        let (pack, departure) = find(&recorded("elsewhere/demo.toml", text), Some(folder.path())).unwrap();
        assert_eq!((pack.file(), departure), (file.as_str(), None), "in the folder named, under any name");
        assert_eq!(find(&recorded(&file, text), None).unwrap().0.file(), file, "where the run had it");

        let lost = recorded("gone/demo.toml", "other");
        let error = find(&lost, None).unwrap_err().to_string();
        assert!(
            error.contains("gone/demo.toml") && error.contains(&lost.sha256) && error.contains("--prompts"),
            "{error}"
        );
        assert!(find(&lost, Some(folder.path())).is_err(), "a folder with packs of others");
        let named = write("demo.toml", text);
        let (pack, departure) = find(&lost, Some(folder.path())).unwrap();
        assert!(pack.sha256() == sha256_bytes(text.as_bytes()));
        let departure = departure.unwrap();
        assert!(departure.contains("gone/demo.toml") && departure.contains(&named), "{departure}");
    }
}
