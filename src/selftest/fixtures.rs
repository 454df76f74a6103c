//! Lists and locates the tiny models.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Skipped, built_in};

/// Tiny models with the reference outputs of transformers, laid out as in `tests/fixtures`: a folder for each family,
/// and `gguf` with files.
#[derive(Debug)]
pub struct Fixtures {
    folder: PathBuf,
    /// Temporary folder of the built-in fixtures, kept while in use.
    unpacked: Option<TempDir>,
}

/// Fixtures that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FixturesError {
    /// A file or folder cannot be read or written.
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    /// The folder has no fixtures.
    #[error(
        "{folder}: no fixtures here; give a folder with families (config.json, model.safetensors, \
         expected.safetensors) or gguf/*.gguf, as in tests/fixtures of the sources"
    )]
    None { folder: PathBuf },
    /// Invalid data on transformers' own 16-bit arithmetic.
    #[error("{path}: {problem}")]
    Precisions { path: PathBuf, problem: String },
}

/// A model with its reference data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fixture {
    /// Its name in the table.
    pub name: String,
    /// The folder or file with the model.
    pub model: PathBuf,
    /// Its reference data.
    pub expected: Expected,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expected {
    /// All data that [`super::references`] reads, in one file; the family's name.
    Family { file: PathBuf, family: String },
    /// Logits of one sequence: the ids in one file, the logits under `name` in another.
    Logits { ids: PathBuf, logits: PathBuf, name: &'static str, blocks: bool },
}

impl Fixtures {
    /// The fixtures embedded in the program.
    ///
    /// # Errors
    /// Unpacking them into a temporary folder may fail.
    pub fn built_in() -> Result<Fixtures, FixturesError> {
        let failed = |source| FixturesError::Io { path: std::env::temp_dir(), source };
        let unpacked = tempfile::tempdir().map_err(failed)?;
        built_in::write(unpacked.path()).map_err(failed)?;
        Ok(Fixtures { folder: unpacked.path().to_path_buf(), unpacked: Some(unpacked) })
    }

    /// The fixtures in a folder.
    pub fn within(folder: PathBuf) -> Fixtures {
        Fixtures { folder, unpacked: None }
    }

    /// Describes their location.
    pub(super) fn place(&self) -> String {
        match &self.unpacked {
            Some(_) => "built in".to_string(),
            None => self.folder.display().to_string(),
        }
    }

    /// The file with the data on transformers' own 16-bit arithmetic.
    pub(super) fn precisions(&self) -> PathBuf {
        self.folder.join("precisions.json")
    }

    /// Lists all fixtures by name, and those without reference data.
    pub(super) fn list(&self) -> Result<(Vec<Fixture>, Vec<Skipped>), FixturesError> {
        let mut fixtures = Vec::new();
        for folder in sorted(&self.folder)?.into_iter().filter(|path| path.join("config.json").is_file()) {
            let (family, file) = (name_of(&folder), folder.join("expected.safetensors"));
            if file.is_file() {
                let expected = Expected::Family { file, family: family.clone() };
                fixtures.push(Fixture { name: family, model: folder, expected });
            }
        }
        let (gguf, mut skipped) = (self.folder.join("gguf"), Vec::new());
        let files = if gguf.is_dir() { sorted(&gguf)? } else { Vec::new() };
        for model in files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "gguf")) {
            let name = name_of(&model);
            match self.expected_of_gguf(&name) {
                Some(expected) => fixtures.push(Fixture { name, model, expected }),
                None => {
                    skipped.push(Skipped { fixture: name, reason: "any type: there are no reference results".into() })
                }
            }
        }
        match fixtures.is_empty() {
            true => Err(FixturesError::None { folder: self.folder.clone() }),
            false => Ok((fixtures, skipped)),
        }
    }

    /// Reference data of a GGUF file, whose name consists of its model and type: its own logits if there are any beside
    /// it, or else those of the family's folder.
    fn expected_of_gguf(&self, file: &str) -> Option<Expected> {
        let (model, kind) = file.strip_suffix(".gguf")?.rsplit_once('-')?;
        let beside = self.folder.join("gguf").join(format!("{model}.expected.safetensors"));
        let of_family = self.folder.join(model).join("expected.safetensors");
        let of_blocks = self.folder.join("gguf").join(format!("{model}-{kind}.expected.safetensors"));
        let name = if kind == "f16" { "logits_f16" } else { "logits" };
        let (ids, logits, blocks) = match kind {
            "f32" | "f16" if beside.is_file() => (beside.clone(), beside, false),
            "f32" => (of_family.clone(), of_family, false),
            _ => (of_family, of_blocks, true),
        };
        (ids.is_file() && logits.is_file()).then_some(Expected::Logits { ids, logits, name, blocks })
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Paths in a folder, sorted by name.
fn sorted(folder: &Path) -> Result<Vec<PathBuf>, FixturesError> {
    let failed = |source| FixturesError::Io { path: folder.to_path_buf(), source };
    let entries = fs::read_dir(folder).map_err(failed)?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>, _>>().map_err(failed)?;
    paths.sort();
    Ok(paths)
}
