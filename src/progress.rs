//! Progress of long work: reported by the worker, read by the display, on any thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A stage of the work.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stage {
    /// Activity, for instance `tokenizing`.
    pub what: String,
    /// Unit counted, for instance `trials`; empty if nothing is counted.
    pub unit: &'static str,
    /// Total units, if known.
    pub total: Option<u64>,
    /// Units done before the stage began; excluded from the speed.
    pub from: u64,
    /// Extra information.
    pub note: String,
    /// Parts of the stage, if reported.
    pub parts: Vec<WorkPart>,
}

/// A part of a stage, for instance a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkPart {
    pub name: String,
    /// Units done.
    pub done: usize,
    /// Units in total.
    pub total: usize,
}

/// The current stage and its progress.
#[derive(Debug, Default)]
pub struct Tracker {
    /// Number of stages begun so far, and the current one.
    stage: Mutex<(u64, Option<Stage>)>,
    done: AtomicU64,
}

impl Tracker {
    /// Begins a stage and ends the one before.
    pub fn begin(&self, stage: Stage) {
        // A poisoned lock is safe: a thread that panicked leaves these plain values consistent.
        let mut current = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        self.done.store(stage.from, Ordering::Relaxed);
        *current = (current.0 + 1, Some(stage));
    }

    /// Begins a stage of `total` countable units.
    pub fn count(&self, what: &str, total: usize, unit: &'static str) {
        self.begin(Stage { what: what.to_string(), unit, total: Some(total as u64), ..Stage::default() });
    }

    /// Begins a stage of unknown length.
    pub fn say(&self, what: &str) {
        self.begin(Stage { what: what.to_string(), ..Stage::default() });
    }

    /// Adds units to those done.
    pub fn step(&self, pieces: usize) {
        self.done.fetch_add(pieces as u64, Ordering::Relaxed);
    }

    /// Sets the units done in total, with extra information.
    pub fn at(&self, done: u64, note: String) {
        self.done.store(done, Ordering::Relaxed);
        if let (_, Some(stage)) = &mut *self.stage.lock().unwrap_or_else(PoisonError::into_inner) {
            stage.note = note;
        }
    }

    /// Sets the progress of each part.
    pub fn parts(&self, parts: &[WorkPart]) {
        if let (_, Some(stage)) = &mut *self.stage.lock().unwrap_or_else(PoisonError::into_inner)
            && stage.parts != parts
        {
            stage.parts = parts.to_vec();
        }
    }

    /// Ends the current stage.
    pub fn end(&self) {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner).1 = None;
    }

    /// Number of the stage (from 1), the stage, and units done; `None` between stages.
    pub fn look(&self) -> Option<(u64, Stage, u64)> {
        let (number, stage) = self.stage.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Some((number, stage?, self.done.load(Ordering::Relaxed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_follow_one_another() {
        let tracker = Tracker::default();
        assert_eq!(tracker.look(), None);
        tracker.count("tokenizing", 8, "trials");
        std::thread::scope(|scope| {
            scope.spawn(|| tracker.step(2));
            scope.spawn(|| tracker.step(3));
        });
        let (first, stage, done) = tracker.look().unwrap();
        assert_eq!((stage.what.as_str(), stage.total, done), ("tokenizing", Some(8), 5));
        tracker.begin(Stage { from: 7, total: Some(9), ..Stage::default() });
        tracker.at(8, "1/2 trials".to_string());
        let (second, stage, done) = tracker.look().unwrap();
        assert_eq!((second, stage.note.as_str(), done), (first + 1, "1/2 trials", 8));
        tracker.parts(&[WorkPart { name: "demo".to_string(), done: 1, total: 2 }]);
        assert_eq!(tracker.look().unwrap().1.parts[0].done, 1);
        tracker.end();
        assert_eq!(tracker.look(), None);
    }
}
