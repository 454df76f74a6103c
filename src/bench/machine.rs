//! What the operating system says of memory, energy and clock policy; absent where it says nothing.

use std::fs;
use std::path::{Path, PathBuf};

/// The largest resident memory of this process so far, in bytes.
pub fn peak_resident_bytes() -> Option<u64> {
    high_water_mark(&fs::read_to_string("/proc/self/status").ok()?)
}

fn high_water_mark(status: &str) -> Option<u64> {
    let value = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// The clock policy of the first core, for instance `performance`.
pub fn governor() -> Option<String> {
    let text = fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").ok()?;
    Some(text.trim().to_string()).filter(|name| !name.is_empty())
}

/// Energy counters of the processor packages (RAPL), in microjoules.
#[derive(Debug)]
pub(super) struct EnergyMeter {
    zones: Vec<Zone>,
}

#[derive(Debug)]
struct Zone {
    counter: PathBuf,
    /// The counter starts again from zero after this value.
    range: u64,
}

impl EnergyMeter {
    /// The counters that may be read; `None` without any.
    pub fn find() -> Option<Self> {
        Self::in_folder(Path::new("/sys/class/powercap"))
    }

    fn in_folder(folder: &Path) -> Option<Self> {
        let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
        let zones: Vec<Zone> = entries.filter(|path| is_package(path)).filter_map(|path| Zone::open(&path)).collect();
        (!zones.is_empty()).then_some(EnergyMeter { zones })
    }

    /// All counters now; `None` where one cannot be read.
    pub fn read(&self) -> Option<Vec<u64>> {
        self.zones.iter().map(|zone| number(&zone.counter)).collect()
    }

    /// Joules between two readings less than one full turn of a counter apart.
    pub fn joules(&self, before: &[u64], after: &[u64]) -> f64 {
        let of_zone = |((zone, before), after): ((&Zone, &u64), &u64)| match after.checked_sub(*before) {
            Some(difference) => difference,
            None => (zone.range - (*before).min(zone.range)).saturating_add(*after),
        };
        self.zones.iter().zip(before).zip(after).map(of_zone).sum::<u64>() as f64 / 1e6
    }
}

impl Zone {
    fn open(folder: &Path) -> Option<Zone> {
        let counter = folder.join("energy_uj");
        number(&counter)?;
        let range = number(&folder.join("max_energy_range_uj"))?;
        Some(Zone { counter, range })
    }
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
    fn the_high_water_mark_is_read_in_bytes() {
        assert_eq!(high_water_mark("Name:\ttomeval\nVmHWM:\t    2048 kB\nVmRSS:\t 1024 kB\n"), Some(2 << 20));
        for status in ["", "VmRSS: 1 kB", "VmHWM: much", "VmHWM: 12"] {
            assert_eq!(high_water_mark(status), None, "{status}");
        }
    }

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
        let meter = EnergyMeter::in_folder(folder.path()).unwrap();
        let mut reading = meter.read().unwrap();
        reading.sort_unstable();
        assert_eq!(reading, [5, 900]);
        assert_eq!(meter.joules(&[900, 5], &[100, 105]), 300e-6);
        assert!(EnergyMeter::in_folder(&folder.path().join("absent")).is_none());
    }
}
