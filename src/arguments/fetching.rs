//! Progress of downloads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::model::{Fetch, FetchEvent, ModelError, ModelFiles};
use crate::progress::Stage;
use crate::terminal::interrupt;
use crate::terminal::progress::{BYTES, Shown};

/// Set by Ctrl-C during a download.
static STOP: AtomicBool = AtomicBool::new(false);

/// Time between Ctrl-C and the end of the program for removing unfinished files.
const TIDYING: Duration = Duration::from_secs(1);

/// Shows the progress of each file during a download.
#[derive(Default)]
pub struct Fetching {
    shown: Mutex<Option<Shown>>,
}

impl Fetching {
    /// Resolves a model, showing download progress. Ctrl-C removes files that cannot be resumed and ends the program.
    pub fn resolve(&self, name: &str, offline: bool) -> Result<ModelFiles, ModelError> {
        let on_event = |event: FetchEvent| self.show(&event);
        let fetch = Fetch { offline, on_event: &on_event, stop: &STOP, ..Fetch::offline() };
        let files = crate::model::resolve(name, &fetch);
        self.show(&FetchEvent::End);
        if matches!(files, Err(ModelError::Stopped)) {
            interrupt::exit();
        }
        files
    }

    fn show(&self, event: &FetchEvent) {
        // A panic in another thread must not stop a download.
        let mut shown = self.shown.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let FetchEvent::Begin { .. } = event {
            interrupt::set(|| {
                STOP.store(true, Ordering::Relaxed);
                // A silent connection does not notice the flag.
                std::thread::sleep(TIDYING);
                interrupt::exit();
            });
        }
        match event {
            FetchEvent::Begin { file, bytes } => {
                let what = format!("fetching {file}");
                let stage = Stage { what, unit: BYTES, total: *bytes, ..Stage::default() };
                shown.get_or_insert_with(Shown::new).tracker().begin(stage);
            }
            FetchEvent::Advance { bytes } => {
                if let Some(shown) = shown.as_ref() {
                    shown.tracker().step(usize::try_from(*bytes).unwrap_or(usize::MAX));
                }
            }
            FetchEvent::End => *shown = None,
            FetchEvent::Note(text) => {
                *shown = None;
                eprintln!("note: {text}");
            }
        }
    }
}
