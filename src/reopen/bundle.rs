//! Runs as one file: a zip archive with a folder for each. An unpacked archive is read like any run folders.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::ledger::{FolderError, replace_with};
use crate::run::{Recorded, RunFolder};
use crate::trial::{LoadedItems, keep_items};

/// Limit on the unpacked size, as a multiple of the archive's size, in addition to `SPARE_BYTES`; run records compress
/// about tenfold.
const MOST_TIMES: u64 = 200;
const SPARE_BYTES: u64 = 64 << 20;

/// Most files in an archive to unpack.
const MOST_FILES: usize = 100_000;

/// Files of at least this size need Zip64.
const LARGE_FILE: u64 = u32::MAX as u64;

/// An archive that cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// An I/O error.
    #[error("{path}: cannot be {action}")]
    Io {
        path: PathBuf,
        /// `read` or `written`.
        action: &'static str,
        source: io::Error,
    },
    /// Not an archive written by this program, or a damaged one.
    #[error("{path}: {message}; obtain the file again")]
    Broken { path: PathBuf, message: String },
    /// A run's folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

fn at<'a>(path: &'a Path, action: &'static str) -> impl FnOnce(io::Error) -> BundleError + 'a {
    move |source| BundleError::Io { path: path.to_path_buf(), action, source }
}

/// Writes folders, each under its name, into an archive, atomically; equal folders give the same bytes. Returns its
/// size.
pub fn write_bundle(folders: &[(String, PathBuf)], out: &Path) -> Result<u64, BundleError> {
    let mut files = Vec::new();
    for (name, folder) in folders {
        list(folder, name, &mut files)?;
    }
    let write = |file: &mut File| {
        let mut archive = ZipWriter::new(BufWriter::new(file));
        for (name, path) in &files {
            let mut content = File::open(path)?;
            let large = content.metadata()?.len() >= LARGE_FILE;
            // These files are compressed already.
            let packed = name.ends_with(".gz") || name.ends_with(".png");
            let method = if packed { CompressionMethod::Stored } else { CompressionMethod::Deflated };
            let options = SimpleFileOptions::default().compression_method(method).large_file(large);
            archive.start_file(name.as_str(), options).map_err(io::Error::other)?;
            io::copy(&mut content, &mut archive)?;
        }
        archive.finish().map_err(io::Error::other)?.flush()
    };
    replace_with(out, write).map_err(at(out, "written"))?;
    Ok(out.metadata().map_err(at(out, "read"))?.len())
}

/// Lists the files below a folder by name, each with its name in the archive; skips links and unfinished files.
fn list(folder: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) -> Result<(), BundleError> {
    let entries = folder.read_dir().map_err(at(folder, "read"))?;
    let mut entries = entries.collect::<io::Result<Vec<_>>>().map_err(at(folder, "read"))?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type().map_err(at(folder, "read"))?);
        let file_name = entry.file_name();
        let Some(file_name) = file_name.to_str().filter(|name| !name.starts_with('.')) else { continue };
        let name = format!("{name}/{file_name}");
        if kind.is_dir() {
            list(&path, &name, files)?;
        } else if kind.is_file() {
            files.push((name, path));
        }
    }
    Ok(())
}

/// Unpacks an archive into a folder, and never writes outside of it.
pub fn unpack(bundle: &Path, into: &Path) -> Result<(), BundleError> {
    let broken = |message: String| BundleError::Broken { path: bundle.to_path_buf(), message };
    let file = File::open(bundle).map_err(at(bundle, "read"))?;
    let size = file.metadata().map_err(at(bundle, "read"))?.len();
    let mut archive =
        ZipArchive::new(BufReader::new(file)).map_err(|error| broken(format!("not a zip archive ({error})")))?;
    if archive.len() > MOST_FILES {
        return Err(broken(format!("contains {} files, more than the limit of {MOST_FILES}", archive.len())));
    }
    let most = size.saturating_mul(MOST_TIMES).saturating_add(SPARE_BYTES);
    let mut left = most;
    for number in 0..archive.len() {
        let mut member = archive.by_index(number).map_err(|error| broken(error.to_string()))?;
        if member.is_dir() {
            continue;
        }
        let name = member.enclosed_name().filter(|_| !member.is_symlink());
        let name = name.ok_or_else(|| broken(format!("file {} is a link or lies outside the folder", number + 1)))?;
        let path = into.join(&name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(at(folder, "written"))?;
        }
        let mut target = File::create(&path).map_err(at(&path, "written"))?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = member.read(&mut buffer).map_err(|error| broken(format!("{}: {error}", name.display())))?;
            if read == 0 {
                break;
            }
            left = left.checked_sub(read as u64).ok_or_else(|| broken(format!("unpacks to more than {most} bytes")))?;
            target.write_all(&buffer[..read]).map_err(at(&path, "written"))?;
        }
    }
    Ok(())
}

/// Copies a finished run to `to` without texts of items, prompts and replies. Reports and pages are not copied.
pub fn copy_without_texts(run: &Recorded, loaded: &LoadedItems, to: &Path) -> Result<RunFolder, BundleError> {
    let folder = crate::run::copy_without_texts(run, to)?;
    keep_items(to, &loaded.without_texts(), &[])?;
    Ok(folder)
}
