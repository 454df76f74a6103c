//! What the plain arithmetic hands to a device, counted as it is handed over, and the time that it takes there.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::{AddAssign, Sub};
use std::panic::Location;
use std::time::{Duration, Instant};

use candle_core::{Device, Result, Shape};
use serde::{Deserialize, Serialize};

/// Work handed to a device, by what candle 0.11's CUDA backend makes of each tensor operation. On the CPU the same
/// operations run, so that the numbers are those of a GPU without one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Kernels, products, and copies on the device.
    pub launches: u64,
    /// Those of them that only move values.
    pub copies: u64,
    /// Transfers to the device. Sizes and strides of an operand that is not contiguous are one of them.
    pub uploads: u64,
    /// Transfers from the device, for each of which the host waits.
    pub downloads: u64,
    /// Bytes of those.
    pub downloaded: u64,
    /// Bytes read and written on the device, each operand once.
    pub bytes: u64,
    /// Scores of attention that are computed, those of keys that a query does not see among them.
    pub scores: u64,
}

/// Time that a device spends on one operation, over all its calls of these shapes from one line of the source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OperationTime {
    /// The operation.
    pub operation: String,
    /// Shapes of its operands, for instance `4096x4096 4096x6144`.
    pub shape: String,
    /// File and line of the source that calls it.
    pub caller: String,
    /// How often it was called.
    pub calls: u64,
    /// Seconds of all calls, each from an idle device until it is idle again.
    pub seconds: f64,
}

/// Operation, shapes and caller, with the number of calls and their time.
type Times = HashMap<(&'static str, Vec<Vec<usize>>, &'static Location<'static>), (u64, Duration)>;

thread_local! {
    static WORK: Cell<Work> = Cell::default();
    static TIMES: RefCell<Option<Times>> = RefCell::default();
}

/// Run `compute` and time each operation that it hands to a device from this thread, the longest first. The device is waited
/// for after each, so that the whole takes longer than without.
pub fn profiled<T>(compute: impl FnOnce() -> T) -> (T, Vec<OperationTime>) {
    TIMES.set(Some(Times::new()));
    let computed = compute();
    let times = TIMES.take().unwrap_or_default();
    let row = |((operation, shapes, caller), (calls, time)): (_, (u64, Duration))| {
        let (shapes, caller): (Vec<Vec<usize>>, &Location<'_>) = (shapes, caller);
        let sizes = |shape: &Vec<usize>| shape.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
        OperationTime {
            operation: str::to_string(operation),
            shape: shapes.iter().map(sizes).collect::<Vec<_>>().join(" "),
            caller: format!("{}:{}", caller.file().rsplit(['/', '\\']).next().unwrap_or_default(), caller.line()),
            calls,
            seconds: time.as_secs_f64(),
        }
    };
    let mut rows: Vec<OperationTime> = times.into_iter().map(row).collect();
    let place = |row: &OperationTime| (row.operation.clone(), row.shape.clone(), row.caller.clone());
    rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then_with(|| place(a).cmp(&place(b))));
    (computed, rows)
}

/// Compute an operation, and time it where that is asked for.
#[track_caller]
pub(super) fn timed<T>(
    operation: &'static str,
    device: &Device,
    shapes: &[&Shape],
    compute: impl FnOnce() -> Result<T>,
) -> Result<T> {
    if TIMES.with_borrow(Option::is_none) {
        return compute();
    }
    device.synchronize()?;
    let started = Instant::now();
    let computed = compute()?;
    device.synchronize()?;
    let time = started.elapsed();
    let key = (operation, shapes.iter().map(|shape| shape.dims().to_vec()).collect(), Location::caller());
    TIMES.with_borrow_mut(|times| {
        if let Some(times) = times {
            let entry = times.entry(key).or_default();
            *entry = (entry.0 + 1, entry.1 + time);
        }
    });
    Ok(computed)
}

/// Run `compute` and count what it hands to a device from this thread.
pub fn counted<T>(compute: impl FnOnce() -> T) -> (T, Work) {
    let before = WORK.get();
    let computed = compute();
    (computed, WORK.get() - before)
}

/// Count some more.
pub(super) fn add(more: Work) {
    let mut work = WORK.get();
    work += more;
    WORK.set(work);
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Work) {
        self.launches += other.launches;
        self.copies += other.copies;
        self.uploads += other.uploads;
        self.downloads += other.downloads;
        self.downloaded += other.downloaded;
        self.bytes += other.bytes;
        self.scores += other.scores;
    }
}

impl Sub for Work {
    type Output = Work;

    fn sub(self, other: Work) -> Work {
        Work {
            launches: self.launches - other.launches,
            copies: self.copies - other.copies,
            uploads: self.uploads - other.uploads,
            downloads: self.downloads - other.downloads,
            downloaded: self.downloaded - other.downloaded,
            bytes: self.bytes - other.bytes,
            scores: self.scores - other.scores,
        }
    }
}
