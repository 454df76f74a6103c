//! How much memory a command takes at most, and how long it runs.

use std::fs;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What a command did.
#[derive(Debug)]
pub struct Measured {
    pub status: ExitStatus,
    /// What it wrote on both streams.
    pub rendered: String,
    /// Most bytes it had resident.
    pub peak: u64,
    pub took: Duration,
    /// Time that its threads computed, to a hundredth of a second.
    pub computed: Duration,
}

/// Ticks of a second in the system's account of processes.
const TICKS: u64 = 100;

/// Run a command to its end. Its peak and the time it computed are read from the system's own account of the process, which only
/// grows, every two milliseconds.
pub fn measured(command: &mut Command) -> Measured {
    let rendered = tempfile::NamedTempFile::new().unwrap();
    let file = || Stdio::from(rendered.as_file().try_clone().unwrap());
    let began = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(file()).stderr(file()).spawn().unwrap();
    let (mut peak, mut computed) = (0, 0);
    let status = loop {
        peak = peak.max(peak_of(child.id()).unwrap_or(0));
        computed = computed.max(ticks_of(child.id()).unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let took = began.elapsed();
    let rendered = String::from_utf8_lossy(&fs::read(rendered.path()).unwrap()).into_owned();
    Measured { status, rendered, peak, took, computed: Duration::from_millis(computed * 1000 / TICKS) }
}

/// The peak of a process that has not ended.
fn peak_of(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? << 10)
}

/// Time that a process which has not ended computed, for itself and within the system.
fn ticks_of(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the name, which may hold anything: the state, ten numbers, the two times.
    let behind: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(behind.get(11)?.parse::<u64>().ok()? + behind.get(12)?.parse::<u64>().ok()?)
}
