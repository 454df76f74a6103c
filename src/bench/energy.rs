//! Energy counters; absent if the operating system has no readable ones.

use std::fs;
use std::path::{Path, PathBuf};

/// Energy counters of the processor packages (RAPL) and, in builds for NVIDIA GPUs, of the GPUs (NVML).
#[derive(Debug)]
pub(super) struct EnergyMeter {
    counters: Vec<Counter>,
}

#[derive(Debug)]
enum Counter {
    /// A file of microjoules that wraps to zero after `range`.
    Package { file: PathBuf, range: u64 },
    /// A GPU; millijoules since the driver was loaded.
    #[cfg(feature = "cuda")]
    Gpu(Gpu),
}

impl EnergyMeter {
    /// The readable counters; `None` without any.
    pub fn find() -> Option<Self> {
        let counters = packages(Path::new("/sys/class/powercap"));
        #[cfg(feature = "cuda")]
        let counters = counters.into_iter().chain(Gpu::all().into_iter().map(Counter::Gpu)).collect();
        Self::from_counters(counters)
    }

    fn from_counters(counters: Vec<Counter>) -> Option<Self> {
        (!counters.is_empty()).then_some(EnergyMeter { counters })
    }

    /// Current values of all counters, in microjoules; `None` if one cannot be read.
    pub fn read(&self) -> Option<Vec<u64>> {
        self.counters.iter().map(Counter::read).collect()
    }

    /// Joules between two readings less than one wrap of a counter apart.
    pub fn joules(&self, before: &[u64], after: &[u64]) -> f64 {
        let of_counter = |((counter, before), after): ((&Counter, &u64), &u64)| match after.checked_sub(*before) {
            Some(difference) => difference,
            None => counter.left(*before).saturating_add(*after),
        };
        self.counters.iter().zip(before).zip(after).map(of_counter).sum::<u64>() as f64 / 1e6
    }
}

impl Counter {
    fn package(folder: &Path) -> Option<Counter> {
        let file = folder.join("energy_uj");
        number(&file)?;
        let range = number(&folder.join("max_energy_range_uj"))?;
        Some(Counter::Package { file, range })
    }

    fn read(&self) -> Option<u64> {
        match self {
            Counter::Package { file, .. } => number(file),
            #[cfg(feature = "cuda")]
            Counter::Gpu(gpu) => gpu.microjoules(),
        }
    }

    /// Amount left before the counter wrapped to zero.
    fn left(&self, before: u64) -> u64 {
        match self {
            Counter::Package { range, .. } => range.saturating_sub(before),
            #[cfg(feature = "cuda")]
            Counter::Gpu(_) => 0,
        }
    }
}

/// A GPU whose driver reports its energy.
#[cfg(feature = "cuda")]
#[derive(Debug)]
struct Gpu {
    driver: std::sync::Arc<nvml_wrapper::Nvml>,
    number: u32,
}

#[cfg(feature = "cuda")]
impl Gpu {
    /// All readable GPUs.
    fn all() -> Vec<Gpu> {
        let Ok(driver) = nvml_wrapper::Nvml::init().map(std::sync::Arc::new) else { return Vec::new() };
        let gpus = (0..driver.device_count().unwrap_or(0)).map(|number| Gpu { driver: driver.clone(), number });
        gpus.filter(|gpu| gpu.microjoules().is_some()).collect()
    }

    fn microjoules(&self) -> Option<u64> {
        let device = self.driver.device_by_index(self.number).ok()?;
        device.total_energy_consumption().ok()?.checked_mul(1000)
    }
}

/// Counters of the processor packages below a folder.
fn packages(folder: &Path) -> Vec<Counter> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| is_package(path)).filter_map(|path| Counter::package(&path)).collect()
}

/// `intel-rapl:0` is a package; `intel-rapl:0:1` is a part of it, already counted there.
fn is_package(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_prefix("intel-rapl:").is_some_and(|number| !number.contains(':'))
}

fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_counted_once_and_counters_may_wrap() {
        let folder = tempfile::tempdir().unwrap();
        for (zone, energy) in [("intel-rapl:0", "900"), ("intel-rapl:1", "5"), ("intel-rapl:0:0", "400"), ("dtpm", "1")]
        {
            let zone = folder.path().join(zone);
            fs::create_dir(&zone).unwrap();
            fs::write(zone.join("energy_uj"), energy).unwrap();
            fs::write(zone.join("max_energy_range_uj"), "1000\n").unwrap();
        }
        let meter = EnergyMeter::from_counters(packages(folder.path())).unwrap();
        let mut reading = meter.read().unwrap();
        reading.sort_unstable();
        assert_eq!(reading, [5, 900]);
        assert_eq!(meter.joules(&[900, 5], &[100, 105]), 300e-6);
        assert!(EnergyMeter::from_counters(packages(&folder.path().join("absent"))).is_none());
    }
}
