//! Work that the plain arithmetic submits to a device: counts at submission, and time spent on the device.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::{AddAssign, Sub};
use std::panic::Location;
use std::time::{Duration, Instant};

use candle_core::{Device, Result, Shape};
use serde::{Deserialize, Serialize};

/// Work submitted to a device, counted as candle 0.11's CUDA backend would execute each tensor operation. The same
/// operations run on the CPU, so that it reports the counts of a GPU.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Kernels, products, and copies on the device.
    pub launches: u64,
    /// Launches that only move values.
    pub copies: u64,
    /// Transfers to the device, including one for the sizes and strides of each non-contiguous operand.
    pub uploads: u64,
    /// Transfers from the device; the host waits for each.
    pub downloads: u64,
    /// Bytes transferred from the device.
    pub downloaded: u64,
    /// Bytes read and written on the device, each operand once.
    pub bytes: u64,
    /// Computed attention scores, including those of keys that a query does not see.
    pub scores: u64,
}

/// Device time of one operation, over all its calls with these shapes from one source line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OperationTime {
    /// The operation.
    pub operation: String,
    /// Shapes of its operands, for instance `4096x4096 4096x6144`.
    pub shape: String,
    /// Source file and line of the call.
    pub caller: String,
    /// Number of calls.
    pub calls: u64,
    /// Total seconds of all calls, each measured from an idle device until it is idle again.
    pub seconds: f64,
}

/// Number of calls and total time per operation, shapes and caller.
type Times = HashMap<(&'static str, Vec<Vec<usize>>, &'static Location<'static>), (u64, Duration)>;

thread_local! {
    static WORK: Cell<Work> = Cell::default();
    static TIMES: RefCell<Option<Times>> = RefCell::default();
}

/// Runs `compute` and times each operation that it submits to a device from this thread, slowest first. The device is
/// synchronised after each operation, so the whole takes longer than without.
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

/// Computes an operation, and times it if requested.
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

/// Runs `compute` and counts the work that it submits to a device from this thread.
pub fn counted<T>(compute: impl FnOnce() -> T) -> (T, Work) {
    let before = WORK.get();
    let computed = compute();
    (computed, WORK.get() - before)
}

/// Adds to the counts.
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
