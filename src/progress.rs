//! Progress of long work: reported by the worker, read by the display, on any thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A stretch of work.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stage {
    /// What is done, for instance `tokenizing`.
    pub what: String,
    /// What is counted, for instance `trials`; nothing where it is empty.
    pub unit: &'static str,
    /// How much there is to do, where that is known.
    pub total: Option<u64>,
    /// How much was done before it began, which says nothing of the speed now.
    pub from: u64,
    /// What else is worth knowing.
    pub note: String,
    /// What it is made of, where that is told.
    pub parts: Vec<WorkPart>,
}

/// A part of a stretch of work, for instance a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkPart {
    pub name: String,
    /// How many of its pieces are done.
    pub done: usize,
    /// How many there are.
    pub total: usize,
}

/// The work at hand and how far it is.
#[derive(Debug, Default)]
pub struct Tracker {
    /// Stages begun so far, and the one that has not ended.
    stage: Mutex<(u64, Option<Stage>)>,
    done: AtomicU64,
}

impl Tracker {
    /// A stage begins, and with it the one before ends.
    pub fn begin(&self, stage: Stage) {
        // Numbers alone are kept here: a thread that broke off leaves them whole.
        let mut current = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        self.done.store(stage.from, Ordering::Relaxed);
        *current = (current.0 + 1, Some(stage));
    }

    /// A stage of so many countable pieces begins.
    pub fn count(&self, what: &str, total: usize, unit: &'static str) {
        self.begin(Stage { what: what.to_string(), unit, total: Some(total as u64), ..Stage::default() });
    }

    /// A stage begins whose length is not known.
    pub fn say(&self, what: &str) {
        self.begin(Stage { what: what.to_string(), ..Stage::default() });
    }

    /// So many pieces more are done.
    pub fn step(&self, pieces: usize) {
        self.done.fetch_add(pieces as u64, Ordering::Relaxed);
    }

    /// So many pieces are done in all, and what else is worth knowing.
    pub fn at(&self, done: u64, note: String) {
        self.done.store(done, Ordering::Relaxed);
        if let (_, Some(stage)) = &mut *self.stage.lock().unwrap_or_else(PoisonError::into_inner) {
            stage.note = note;
        }
    }

    /// How far each part is.
    pub fn parts(&self, parts: &[WorkPart]) {
        if let (_, Some(stage)) = &mut *self.stage.lock().unwrap_or_else(PoisonError::into_inner)
            && stage.parts != parts
        {
            stage.parts = parts.to_vec();
        }
    }

    /// The work is done.
    pub fn end(&self) {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner).1 = None;
    }

    /// The number of the stage, from 1, the stage, and how many pieces are done; `None` between stages.
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
