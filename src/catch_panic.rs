//! Turns panics of third-party parsers into errors.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `call` and returns the message of a panic in it, printing nothing.
pub(crate) fn contained<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !CONTAINED.get() {
                others(panic);
            }
        }));
    });
    let before = CONTAINED.replace(true);
    // Half-changed state is dropped or never read again: callers give up on an error.
    let result = catch_unwind(AssertUnwindSafe(call));
    CONTAINED.set(before);
    result.map_err(|payload| match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => payload.downcast::<&str>().map_or_else(|_| "no reason given".into(), |text| text.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_become_messages() {
        assert_eq!(contained(|| 3), Ok(3));
        let number = "x".repeat(2);
        assert_eq!(contained(|| assert!(number.is_empty(), "not empty: {number}")), Err("not empty: xx".to_string()));
        assert_eq!(contained(|| contained(|| panic!("inner")).is_err()), Ok(true));
        assert!(contained(|| [0][number.len()]).is_err_and(|message| message.contains("out of bounds")));
    }
}
