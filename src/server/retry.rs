//! Timeouts and retries.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rand::Rng;

use crate::seed::seeded;

/// Maximum wait between two tries.
const LONGEST: Duration = Duration::from_secs(30);

/// Maximum wait requested by a server; longer waits are up to the user.
const MOST_ASKED: Duration = Duration::from_secs(300);

/// Interval of checks for cancellation.
const LOOK: Duration = Duration::from_millis(50);

/// Timeouts and retries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patience {
    /// Timeout for connecting.
    pub connect: Duration,
    /// Timeout for a whole answer.
    pub answer: Duration,
    /// Maximum retries of a request.
    pub retries: usize,
    /// Wait before the first retry; doubled for each further one.
    pub first_wait: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            connect: Duration::from_secs(10),
            answer: Duration::from_secs(600),
            retries: 6,
            first_wait: Duration::from_millis(500),
        }
    }
}

impl Patience {
    /// Returns the wait before retry number `retry` (from 1): a random share of half to all of the doubled first one,
    /// so that requests refused together do not come back together. A server that names a time is not asked sooner.
    /// `None` if that is too long.
    pub(super) fn wait(&self, retry: usize, asked: Option<Duration>, draw: u64) -> Option<Duration> {
        let doubled = self.first_wait.saturating_mul(1 << (retry - 1).min(16)).min(LONGEST);
        let share = seeded(u64::from(std::process::id()), "back-off", draw as usize).random_range(0.5..1.0);
        let own = doubled.mul_f64(share);
        match asked {
            Some(asked) if asked > MOST_ASKED => None,
            Some(asked) => Some(asked.max(own)),
            None => Some(own),
        }
    }
}

/// Earliest time of the next request for all users of one server, and cancellation.
#[derive(Debug, Default)]
pub(super) struct Pace {
    not_before: Mutex<Option<Instant>>,
    waits: AtomicU64,
    stop: AtomicBool,
}

impl Pace {
    /// Returns a number unique to this wait.
    pub fn draw(&self) -> u64 {
        self.waits.fetch_add(1, Ordering::Relaxed)
    }

    /// Delays all requests by this time.
    pub fn hold(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let mut not_before = self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
        *not_before = not_before.map_or(Some(until), |known| Some(known.max(until)));
    }

    /// Waits until the next request is allowed; `false` if cancelled.
    pub fn wait(&self) -> bool {
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return false;
            }
            let until = *self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
            match until.and_then(|until| until.checked_duration_since(Instant::now())) {
                Some(left) if !left.is_zero() => std::thread::sleep(left.min(LOOK)),
                _ => return true,
            }
        }
    }

    /// Waits for a duration; `false` if cancelled.
    pub fn sleep(&self, wait: Duration) -> bool {
        let until = Instant::now() + wait;
        while let Some(left) = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
            if self.stop.load(Ordering::Relaxed) {
                return false;
            }
            std::thread::sleep(left.min(LOOK));
        }
        !self.stop.load(Ordering::Relaxed)
    }

    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub fn go_on(&self) {
        self.stop.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_within_bounds() {
        let patience = Patience::default();
        for retry in 1..40 {
            let most = Duration::from_millis(500).saturating_mul(1 << (retry - 1).min(16)).min(LONGEST);
            for draw in 0..5 {
                let wait = patience.wait(retry, None, draw).expect("no server asked for more");
                assert!(wait >= most / 2 && wait <= most, "{retry}: {wait:?}");
            }
        }
        let draws: std::collections::BTreeSet<Duration> =
            (0..8).filter_map(|draw| patience.wait(3, None, draw)).collect();
        assert_eq!(draws.len(), 8, "those who wait come back one by one");
    }

    #[test]
    fn a_server_is_left_alone_as_long_as_it_asks() {
        let patience = Patience::default();
        assert_eq!(patience.wait(1, Some(Duration::from_secs(7)), 0), Some(Duration::from_secs(7)));
        assert_eq!(patience.wait(1, Some(Duration::from_secs(3600)), 0), None);
    }
}
