//! The trials' files, from folders or straight from the archive.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use liblzma::read::XzDecoder;
use liblzma::stream::Stream;

use super::TOMVALLEY;
use crate::benchmark::LoadError;
use crate::benchmark::folder::absent;

/// The released archive; its paths are `trial<N>/story.json` and `trial<N>/question_new.json`.
const ARCHIVE: &str = "all_trials.tar.xz";

const STORY: &str = "story.json";
const QUESTIONS: &str = "question_new.json";

/// Trials per batch: enough to occupy all threads, few enough to need little memory (about 20 MB unpacked).
const BATCH: usize = 64;

/// Limits on what an archive may unpack to. The released one unpacks to 314 MiB, its largest file to 0.6 MiB, and it is
/// read in 9 MiB of memory; a file of that name that needs many times more is something else.
const MOST_UNPACKED: u64 = 1 << 30;
const MOST_OF_A_FILE: u64 = 16 << 20;
const MOST_MEMORY: u64 = 128 << 20;

/// Location of the trials.
pub(super) enum Source {
    /// A folder of folders `trial<N>`.
    Folder(PathBuf),
    /// The archive.
    Archive(PathBuf),
}

/// A file's bytes with the path they came from, for messages.
pub(super) struct FileBytes {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

/// Both files of one trial.
pub(super) struct TrialFiles {
    pub number: u32,
    pub story: FileBytes,
    pub questions: FileBytes,
}

impl Source {
    /// Looks in the folder itself and in its `tomvalley`: trial folders first, then the archive, then `sample/`.
    pub(super) fn find(data: &Path) -> Result<Self, LoadError> {
        let own = data.join("tomvalley");
        let looked_in = if own.is_dir() { &own } else { data };
        let absent = absent(&TOMVALLEY, looked_in.join(ARCHIVE));
        let folders = [data, &own];
        let holds_trials = |folder: &Path| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            entries.into_iter().any(|entry| trial_number(&entry.path()).is_some())
        };
        let found = folders.into_iter().find_map(|folder| {
            let (archive, sample) = (folder.join(ARCHIVE), folder.join("sample"));
            if holds_trials(folder) {
                Some(Source::Folder(folder.to_path_buf()))
            } else if archive.is_file() {
                Some(Source::Archive(archive))
            } else {
                holds_trials(&sample).then_some(Source::Folder(sample))
            }
        });
        found.ok_or(absent)
    }

    /// Passes the selected trials to `visit` in batches, in the order found.
    pub(super) fn for_each_batch(
        &self,
        wanted: &dyn Fn(u32) -> bool,
        visit: &mut dyn FnMut(&[TrialFiles]),
    ) -> Result<(), LoadError> {
        let mut batch = Vec::new();
        let mut give = |trial| {
            batch.push(trial);
            if batch.len() == BATCH {
                visit(&batch);
                batch.clear();
            }
        };
        match self {
            Source::Folder(folder) => read_folder(folder, wanted, &mut give)?,
            Source::Archive(path) => read_archive(path, wanted, &mut give)?,
        }
        visit(&batch);
        Ok(())
    }
}

/// The number in a path whose last part is `trial<N>`.
fn trial_number(path: &Path) -> Option<u32> {
    path.file_name()?.to_str()?.strip_prefix("trial")?.parse().ok()
}

fn read_folder(folder: &Path, wanted: &dyn Fn(u32) -> bool, give: &mut dyn FnMut(TrialFiles)) -> Result<(), LoadError> {
    let unreadable = |path: &Path| {
        let path = path.to_path_buf();
        move |source| LoadError::Unreadable { path, source }
    };
    let mut trials: Vec<(u32, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable(folder))? {
        let path = entry.map_err(unreadable(folder))?.path();
        trials.extend(trial_number(&path).filter(|&number| wanted(number)).map(|number| (number, path)));
    }
    trials.sort();
    for (number, path) in trials {
        let read = |name: &str| {
            let path = path.join(name);
            let bytes = std::fs::read(&path).map_err(unreadable(&path))?;
            Ok(FileBytes { path, bytes })
        };
        give(TrialFiles { number, story: read(STORY)?, questions: read(QUESTIONS)? });
    }
    Ok(())
}

/// A reader that fails beyond a limit of bytes.
struct Bounded<R> {
    reader: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer).map_err(|error| match xz_error(&error) {
            Some(liblzma::stream::Error::MemLimit) => io::Error::other(format!(
                "needs more than {} MiB of memory to unpack, which the released archive does not; fetch it again",
                MOST_MEMORY >> 20
            )),
            _ => error,
        })?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            io::Error::other(format!(
                "unpacks to more than {} MiB, which the released archive does not; fetch it again",
                MOST_UNPACKED >> 20
            ))
        })?;
        Ok(read)
    }
}

fn xz_error(error: &io::Error) -> Option<&liblzma::stream::Error> {
    error.get_ref()?.downcast_ref()
}

fn read_archive(
    archive: &Path,
    wanted: &dyn Fn(u32) -> bool,
    give: &mut dyn FnMut(TrialFiles),
) -> Result<(), LoadError> {
    let unreadable = |source| LoadError::Unreadable { path: archive.to_path_buf(), source };
    let file = BufReader::new(File::open(archive).map_err(unreadable)?);
    let stream = Stream::new_stream_decoder(MOST_MEMORY, 0).map_err(|error| unreadable(error.into()))?;
    let unpacked = Bounded { reader: XzDecoder::new_stream(file, stream), left: MOST_UNPACKED };
    let mut tar = tar::Archive::new(unpacked);
    let mut halves: BTreeMap<u32, (Option<FileBytes>, Option<FileBytes>)> = BTreeMap::new();
    // Raw: the library would read long names and other extensions into memory, however long they are.
    for entry in tar.entries().map_err(unreadable)?.raw(true) {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path().map_err(unreadable)?.into_owned();
        let Some(number) = path.parent().and_then(trial_number).filter(|&number| wanted(number)) else { continue };
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_string();
        if !entry.header().entry_type().is_file() || (name != STORY && name != QUESTIONS) {
            continue;
        }
        let path = archive.join(path);
        if entry.size() > MOST_OF_A_FILE {
            let message = format!("declares {} bytes, more than the limit of {MOST_OF_A_FILE}", entry.size());
            return Err(LoadError::Malformed { path, message });
        }
        let mut bytes = Vec::new();
        entry.take(MOST_OF_A_FILE).read_to_end(&mut bytes).map_err(unreadable)?;
        let file = FileBytes { path, bytes };
        let half = halves.entry(number).or_default();
        if name == STORY {
            half.0 = Some(file)
        } else {
            half.1 = Some(file)
        }
        if let (Some(_), Some(_)) = half
            && let Some((Some(story), Some(questions))) = halves.remove(&number)
        {
            give(TrialFiles { number, story, questions });
        }
    }
    match halves.into_iter().next() {
        None => Ok(()),
        Some((number, (story, _))) => Err(LoadError::Malformed {
            path: archive.to_path_buf(),
            message: format!(
                "trial{number} has no {}; the archive is cut off or incomplete, fetch it again",
                if story.is_some() { QUESTIONS } else { STORY }
            ),
        }),
    }
}
