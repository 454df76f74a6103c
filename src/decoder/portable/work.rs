//! What the plain arithmetic hands to a device, counted as it is handed over.

use std::cell::Cell;
use std::ops::{AddAssign, Sub};

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
}

thread_local! {
    static WORK: Cell<Work> = Cell::default();
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
        }
    }
}
