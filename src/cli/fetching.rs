//! Progress of downloads on a terminal.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tomeval::model::{Fetch, FetchEvent, ModelError, ModelFiles};

use super::interrupt;

/// Set by Ctrl-C while something is fetched.
static STOP: AtomicBool = AtomicBool::new(false);

/// The time between Ctrl-C and the end of the program in which unfinished files are removed.
const TIDYING: Duration = Duration::from_secs(1);

/// Shows one bar per file on stderr while it is fetched; nothing but notes where stderr is no terminal.
#[derive(Default)]
pub struct Fetching {
    bar: Mutex<Option<ProgressBar>>,
}

impl Fetching {
    /// Resolve a model, showing what is fetched. Ctrl-C removes what cannot be continued and ends the program.
    pub fn resolve(&self, name: &str, offline: bool) -> Result<ModelFiles, ModelError> {
        let on_event = |event: FetchEvent| self.show(&event);
        let fetch = Fetch { offline, on_event: &on_event, stop: &STOP, ..Fetch::offline() };
        let files = tomeval::model::resolve(name, &fetch);
        self.show(&FetchEvent::End);
        if matches!(files, Err(ModelError::Stopped)) {
            interrupt::exit();
        }
        files
    }

    fn show(&self, event: &FetchEvent) {
        // A bar that another thread left broken is no reason to stop a download.
        let mut bar = self.bar.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let FetchEvent::Begin { .. } = event {
            interrupt::set(|| {
                STOP.store(true, Ordering::Relaxed);
                // A connection that is silent does not hear of it.
                std::thread::sleep(TIDYING);
                interrupt::exit();
            });
        }
        match event {
            FetchEvent::Begin { file, bytes } => *bar = Some(new_bar(file, *bytes)),
            FetchEvent::Advance { bytes } => {
                if let Some(bar) = bar.as_ref() {
                    bar.inc(*bytes);
                }
            }
            FetchEvent::End => {
                if let Some(bar) = bar.take() {
                    bar.finish_and_clear();
                }
            }
            FetchEvent::Note(text) => {
                if let Some(bar) = bar.take() {
                    bar.finish_and_clear();
                }
                eprintln!("note: {text}");
            }
        }
    }
}

fn new_bar(file: &str, bytes: Option<u64>) -> ProgressBar {
    let template = "fetching {msg} {bar:24} {bytes}/{total_bytes} {bytes_per_sec} {eta} left";
    let bar = bytes.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    if bytes.is_some() {
        // The template is a constant; a default bar is no worse should it ever be wrong.
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    }
    bar.set_message(file.to_string());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
