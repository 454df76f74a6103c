//! Handling of Ctrl-C and termination signals: by default that of the system, then the action of the current work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

type Action = Box<dyn FnMut() + Send>;

static ACTION: Mutex<Option<Action>> = Mutex::new(None);

/// Whether signals are caught.
static CAUGHT: AtomicBool = AtomicBool::new(false);

/// Sets the action on a signal, replacing any earlier one.
pub fn set(action: impl FnMut() + Send + 'static) {
    replace(action);
    if !CAUGHT.swap(true, Ordering::Relaxed)
        && let Err(error) = ctrlc::set_handler(act)
    {
        // Without the handler a signal ends the program at once, which leaves all data in order.
        tracing::warn!(%error, "signals cannot be caught");
    }
}

/// Sets the action unless a signal is ignored, as by `nohup`; then none is caught.
pub fn set_unless_ignored(action: impl FnMut() + Send + 'static) {
    replace(action);
    CAUGHT.store(ctrlc::try_set_handler(act).is_ok(), Ordering::Relaxed);
}

fn replace(action: impl FnMut() + Send + 'static) {
    // An action that panicked on another thread is replaced like any other.
    *ACTION.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(action));
}

fn act() {
    if let Some(action) = ACTION.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        action();
    }
}

/// Returns a flag that is set by the first Ctrl-C or termination signal, which ends the work after the current piece; a
/// second one ends the process.
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

/// Exits with the code that shells expect of an interrupted program.
pub fn exit() -> ! {
    std::process::exit(130)
}
