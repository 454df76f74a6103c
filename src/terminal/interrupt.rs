//! What Ctrl-C and termination signals do: first the system's usual, then what the work at hand asks for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

type Action = Box<dyn FnMut() + Send>;

static ACTION: Mutex<Option<Action>> = Mutex::new(None);

/// Whether signals are caught.
static CAUGHT: AtomicBool = AtomicBool::new(false);

/// From now on a signal does this, and nothing of what was set before.
pub fn set(action: impl FnMut() + Send + 'static) {
    replace(action);
    if !CAUGHT.swap(true, Ordering::Relaxed)
        && let Err(error) = ctrlc::set_handler(act)
    {
        // Without it a signal ends the program at once, and everything still is in order afterwards.
        tracing::warn!(%error, "signals cannot be caught");
    }
}

/// The same, unless some signal is ignored, as by `nohup`: then none is caught.
pub fn set_unless_ignored(action: impl FnMut() + Send + 'static) {
    replace(action);
    CAUGHT.store(ctrlc::try_set_handler(act).is_ok(), Ordering::Relaxed);
}

fn replace(action: impl FnMut() + Send + 'static) {
    // An action that broke off on another thread is replaced like any other.
    *ACTION.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(action));
}

fn act() {
    if let Some(action) = ACTION.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        action();
    }
}

/// Whether a first Ctrl-C or termination signal has come, which ends the work after the piece at hand; a second one ends the
/// process.
pub fn stop_after(piece: &'static str) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let rendered = Arc::clone(&stop);
    set(move || {
        if rendered.swap(true, Ordering::Relaxed) {
            exit();
        }
        eprintln!("\nStopping after this {piece} (once more to stop at once) ...");
    });
    stop
}

/// End the program as shells expect it of one that was interrupted.
pub fn exit() -> ! {
    std::process::exit(130)
}
