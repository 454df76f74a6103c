//! What Ctrl-C and termination signals do: first the system's usual, then what the work at hand asks for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

type Action = Box<dyn FnMut() + Send>;

static ACTION: Mutex<Option<Action>> = Mutex::new(None);

/// From now on a signal does this, and nothing of what was set before.
pub fn set(action: impl FnMut() + Send + 'static) {
    // An action that broke off on another thread is replaced like any other.
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
            // Without it a signal ends the program at once, and everything still is in order afterwards.
            tracing::warn!(%error, "signals cannot be caught");
        }
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
