//! Facts about this machine: processor, memory, frequency governor. Unavailable facts are absent.

use std::fs;

use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};

/// The processor and its vector extensions, which determine the kernels used.
pub fn processor() -> String {
    format!("{} ({})", processor_name(), vector_extensions().join(", "))
}

/// The processor's name.
pub fn processor_name() -> String {
    let mut system = System::new();
    system.refresh_cpu_all();
    system.cpus().first().map(|cpu| cpu.brand().trim().to_string()).unwrap_or_default()
}

/// The relevant vector extensions of the processor.
#[cfg(target_arch = "x86_64")]
pub fn vector_extensions() -> Vec<&'static str> {
    macro_rules! detected {
        ($($name:tt),*) => { [$(($name, std::arch::is_x86_feature_detected!($name))),*] };
    }
    let all = detected!(
        "sse4.2",
        "avx",
        "f16c",
        "fma",
        "avx2",
        "avx512f",
        "avx512bw",
        "avx512vl",
        "avx512vnni",
        "avx512bf16"
    );
    all.into_iter().filter(|(_, found)| *found).map(|(name, _)| name).collect()
}

/// The relevant vector extensions of the processor.
#[cfg(target_arch = "aarch64")]
pub fn vector_extensions() -> Vec<&'static str> {
    macro_rules! detected {
        ($($name:tt),*) => { [$(($name, std::arch::is_aarch64_feature_detected!($name))),*] };
    }
    let all = detected!("neon", "fp16", "dotprod", "i8mm", "bf16", "sve");
    all.into_iter().filter(|(_, found)| *found).map(|(name, _)| name).collect()
}

/// The relevant vector extensions of the processor.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub fn vector_extensions() -> Vec<&'static str> {
    Vec::new()
}

/// Physical cores.
pub fn cores() -> usize {
    num_cpus::get_physical()
}

/// Logical cores.
pub fn threads() -> usize {
    num_cpus::get()
}

/// Total and available memory, in bytes.
pub fn memory() -> (u64, u64) {
    let mut system = System::new();
    system.refresh_memory();
    (system.total_memory(), system.available_memory())
}

/// Current resident memory of this process, in bytes.
pub fn resident_bytes() -> Option<u64> {
    let process = sysinfo::get_current_pid().ok()?;
    let mut system = System::new();
    let wanted = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[process]), false, wanted);
    Some(system.process(process)?.memory())
}

/// Peak resident memory of this process, in bytes.
pub fn peak_resident_bytes() -> Option<u64> {
    peak_of(&fs::read_to_string("/proc/self/status").ok()?)
}

fn peak_of(status: &str) -> Option<u64> {
    let value = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// The frequency governor of the first core, for instance `performance`.
pub fn governor() -> Option<String> {
    let text = fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").ok()?;
    Some(text.trim().to_string()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peak_memory_is_read_in_bytes() {
        assert_eq!(peak_of("Name:\ttomeval\nVmHWM:\t    2048 kB\nVmRSS:\t 1024 kB\n"), Some(2 << 20));
        for status in ["", "VmRSS: 1 kB", "VmHWM: much", "VmHWM: 12"] {
            assert_eq!(peak_of(status), None, "{status}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn resident_memory_is_below_its_peak() {
        let now = resident_bytes().unwrap();
        assert!(now > 1 << 20 && now <= peak_resident_bytes().unwrap(), "{now}");
    }
}
