//! Handling of Ctrl-C and termination signals: by default that of the system, then the action of the current work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

type Action = Box<dyn FnMut() + Send>;

static ACTION: Mutex<Option<Action>> = Mutex::new(None);

/// Sets the action on a signal, replacing any earlier one.
pub fn set(action: impl FnMut() + Send + 'static) {
    // An action that panicked on another thread is replaced like any other.
    let mut current = ACTION.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let first = current.is_none();
    *current = Some(Box::new(action));
    drop(current);
    if first {
        let installed = ctrlc::set_handler(|| {
            let mut action = ACTION.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if let Some(action) = action.as_mut() {
                action();
            }
        });
        if let Err(error) = installed {
            // Without the handler a signal ends the program at once, which leaves all data in order.
            tracing::warn!(%error, "signals cannot be caught");
        }
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
