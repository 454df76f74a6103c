//! The work of a pipeline: its models, its recorded replies, the progress on the screen, and stops.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context as _;

use super::writers::Writers;
use crate::cli::Outcome;
use crate::cli::run::to_go_on;
use crate::ledger::FolderError;
use crate::make::{Correspondence, MakeError, MakeManifest, Reply, Request, Watch, WriterFault};
use crate::safe_text::for_terminal;
use crate::terminal::interrupt;
use crate::terminal::progress::Shown;

/// Models with the folder that keeps their replies.
pub struct Work {
    writers: Writers,
    replies: Correspondence,
    stop: Arc<AtomicBool>,
}

impl Work {
    /// Opens the folder of a pipeline with these settings.
    pub fn open(folder: &Path, manifest: &MakeManifest, writers: Writers) -> Result<Self, FolderError> {
        let replies = Correspondence::open(folder, manifest)?;
        Ok(Work { writers, replies, stop: interrupt::stop_after("reply") })
    }

    /// Returns a reply of a model, by the name it was opened under, to each request; those recorded are not asked for.
    pub fn ask(&mut self, model: &str, requests: &[Request]) -> Result<Vec<Reply>, MakeError> {
        let step = requests.first().map_or("", |request| &request.step).to_string();
        let unopened = |error: anyhow::Error| MakeError::Writer {
            model: model.to_string(),
            step: step.clone(),
            done: 0,
            of: requests.len(),
            source: Box::new(WriterFault::Model(error.to_string())),
        };
        let writer = self.writers.of(model).map_err(unopened)?;
        let shown = (self.replies.unanswered(writer, requests) > 0).then(Shown::new);
        let mut counting = shown.as_ref().map(|shown| shown.counting(&step, "replies"));
        let mut after = |done: usize, all: usize| {
            if let Some(counting) = &mut counting {
                counting(done, all);
            }
        };
        self.replies.ask(writer, requests, &mut Watch { stop: &self.stop, after: &mut after })
    }

    /// Puts the replies in order and writes the results; returns how many replies this process had written, and needed.
    pub fn finish(self, files: &[(&str, String)]) -> Result<(usize, usize), FolderError> {
        let counts = self.replies.counts();
        self.replies.finish(files)?;
        Ok(counts)
    }
}

/// Reads the file of an argument; returns its name, without folders, and its text.
pub fn read_given(argument: &str, path: &Path) -> anyhow::Result<(String, String)> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{argument} {}", path.display()))?;
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    Ok((name, text))
}

/// Tells why a pipeline ended early: an error if it made no reply, else how to continue.
pub fn note_stop(error: MakeError, work: &Work) -> anyhow::Result<Outcome> {
    let none = work.replies.counts().0 == 0;
    match error {
        MakeError::Folder(error) => Err(error.into()),
        MakeError::Writer { .. } if none => anyhow::bail!("{}", for_terminal(&error.to_string())),
        error => {
            eprintln!("{}", to_go_on(work.replies.path()));
            eprintln!("tomeval: {}", for_terminal(&error.to_string()));
            Ok(Outcome::Stopped)
        }
    }
}
