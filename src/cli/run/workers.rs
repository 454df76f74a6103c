//! A run by several workers: one process per device, each with a part of the work, and one merge at the end.
//!
//! A worker is this program with the same arguments and `--worker I/N,DEVICE,THREADS`. Its folder is
//! `OUT.workers/I-of-N`, an ordinary shard, so that an interrupted one continues like any run.
//!
//! Workers share only the folder. Each holds the reading end of a pipe that the first process keeps open, and ends when
//! it closes. This works without platform-specific signals and leaves no orphaned process.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use indexmap::IndexMap;

use super::Args;
use super::ending::to_go_on;
use super::worker::{Told, Worker, WorkerPart, last_lines, note};
use crate::arguments::compute::print_gpu_program;
use crate::arguments::devices::{DeviceChoice, Devices};
use crate::arguments::paths::{is_stdin_taken, runs_in};
use crate::arguments::place::Place;
use crate::cli::reading::{print_mixed, print_warnings};
use crate::counted::counted;
use crate::progress::{Stage, WorkPart};
use crate::run::{RunFolder, Shard, merge};
use crate::safe_text::for_terminal;
use crate::terminal::progress::Shown;
use crate::terminal::say;
use crate::terminal::{interrupt, shell};

/// Maximum restarts of a worker that dies.
const RESTARTS: usize = 1;

/// Exit code of a worker that could not run; restarting would not help.
const COULD_NOT_RUN: i32 = 2;

/// Log lines shown of a failed worker.
const LAST_LINES: usize = 5;

/// Interval of checks on the workers.
const LOOK: Duration = Duration::from_millis(100);

/// Returns the workers requested by the arguments; none if this process does all.
pub fn check(args: &Args, place: Place) -> anyhow::Result<Vec<WorkerPart>> {
    let compute = &args.workload.model.compute;
    let devices = match (&compute.device, args.workers) {
        (None, None) | (Some(Devices::One(_)), None) => return Ok(Vec::new()),
        (Some(devices), None) => devices.list()?,
        (devices, Some(workers)) => {
            let devices = devices.as_ref().map_or(Ok(vec![DeviceChoice::Cpu]), Devices::list)?;
            let several_on_one = devices.iter().any(|device| *device != DeviceChoice::Cpu) && workers > devices.len();
            anyhow::ensure!(
                !several_on_one,
                "--workers {workers}: each worker needs its own GPU; name as many devices, or fewer workers"
            );
            devices.iter().copied().cycle().take(workers).collect()
        }
    };
    if devices.len() == 1 && args.workers.is_none_or(|workers| workers == 1) {
        return Ok(Vec::new());
    }
    anyhow::ensure!(
        place == Place::Here,
        "--workers are processes on this machine; use --concurrency to send several trials to a server at a time"
    );
    anyhow::ensure!(args.shard.is_none(), "--shard and several workers cannot be combined; leave out one");
    anyhow::ensure!(
        args.verify_batching.is_none(),
        "--verify-batching compares within one process; run it on the finished folder without several workers"
    );
    anyhow::ensure!(!is_stdin_taken(), "several workers cannot all read standard input; name a file in its place");
    let here = devices.iter().filter(|device| **device == DeviceChoice::Cpu).count().max(1);
    let threads = compute.threads.unwrap_or_else(|| (crate::machine::cores() / here).max(1));
    let of = devices.len();
    let part = |(at, device)| WorkerPart { shard: Shard { index: at + 1, of }, device, threads };
    Ok(devices.into_iter().enumerate().map(part).collect())
}

/// Turns the arguments into those of a worker.
pub fn become_worker(args: &mut Args, out: &Path, part: WorkerPart) {
    args.out = Some(folder_of(out, part.shard));
    args.shard = Some(crate::arguments::shard::ShardChoice::Part(part.shard));
    args.workload.model.compute.device = Some(Devices::One(part.device));
    args.workload.model.compute.threads = Some(part.threads);
}

/// Returns the folder of the workers' parts.
fn workers_of(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_os_string();
    name.push(".workers");
    name.into()
}

fn folder_of(out: &Path, Shard { index, of }: Shard) -> PathBuf {
    workers_of(out).join(format!("{index}-of-{of}"))
}

/// Runs the workers and joins their work in `out`. `None` if it was interrupted.
pub fn run(args: &Args, out: &Path, parts: &[WorkerPart]) -> anyhow::Result<Option<()>> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    interrupt::set(move || {
        if asked.swap(true, Ordering::Relaxed) {
            interrupt::exit();
        }
        eprintln!("\nStopping the workers after their current work (once more to stop at once) ...");
    });
    fs::create_dir_all(workers_of(out)).with_context(|| format!("creating {}", workers_of(out).display()))?;
    let others = fs::read_dir(workers_of(out))?.flatten().find(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.split_once("-of-").is_some_and(|(_, of)| entry.path().is_dir() && of != parts.len().to_string())
    });
    if let Some(other) = others {
        anyhow::bail!(
            "{} has another number of workers; use as many as before, or remove {} to start over",
            other.path().display(),
            workers_of(out).display()
        );
    }
    if args.workload.model.compute.device.is_none() {
        print_gpu_program();
    }
    let described: Vec<String> = parts.iter().map(|part| part.device.to_string()).collect();
    say(format!(
        "{} on {}; the logs are in {}.",
        counted(parts.len(), "worker"),
        described.join(", "),
        shell::path(&workers_of(out))
    ));
    let failed = watch(args, parts, out, &stop)?;
    if let Some(Failed { part, how, could_not_run }) = failed {
        let lines = last_lines(&log_of(out, part), LAST_LINES);
        let worker = format!("worker {}/{} on {} {how}", part.shard.index, part.shard.of, part.device);
        anyhow::ensure!(!could_not_run, "{worker}\n{}", lines.join("\n"));
        eprintln!("tomeval: {worker}");
        lines.iter().for_each(|line| eprintln!("  {}", for_terminal(line)));
    }
    if stop.load(Ordering::Relaxed) || are_unfinished(parts, out) {
        eprintln!("{}", to_go_on(&workers_of(out)));
        return Ok(None);
    }
    let first = folder_of(out, parts[0].shard);
    for run in runs_below(&first) {
        let place = if run.as_os_str().is_empty() { out.to_path_buf() } else { out.join(&run) };
        let shards: Vec<PathBuf> = parts.iter().map(|part| folder_of(out, part.shard).join(&run)).collect();
        let joined = Shown::during("joining the parts", || merge(&shards, &place, args.allow_mixed))?;
        print_warnings(joined.warnings());
        print_mixed(&joined.settled().mixed);
    }
    say(format!("Joined {}; {} may be removed.", counted(parts.len(), "part"), shell::path(&workers_of(out))));
    Ok(Some(()))
}

/// Whether the work is already joined.
pub fn is_joined(out: &Path) -> bool {
    let joined =
        |path: &Path| RunFolder::manifest(path).ok().flatten().is_some_and(|manifest| manifest.shard.is_none());
    let below = runs_below(out);
    !below.is_empty() && below.iter().all(|run| joined(&out.join(run)))
}

/// Returns the run folders below a folder by relative path: the folder itself, or those of several variants or models.
fn runs_below(folder: &Path) -> Vec<PathBuf> {
    if RunFolder::is_at(folder) {
        return vec![PathBuf::new()];
    }
    let below = runs_in(folder, 2).unwrap_or_default();
    below.iter().filter_map(|run| Some(run.strip_prefix(folder).ok()?.to_path_buf())).collect()
}

fn are_unfinished(parts: &[WorkerPart], out: &Path) -> bool {
    parts.iter().any(|part| {
        let folder = folder_of(out, part.shard);
        let runs = runs_below(&folder);
        let finished = |run: &PathBuf| crate::run::read_run(&folder.join(run)).is_ok_and(|run| run.read.is_finished());
        runs.is_empty() || !runs.iter().all(finished)
    })
}

/// A worker that failed permanently.
struct Failed {
    part: WorkerPart,
    how: String,
    could_not_run: bool,
}

/// Starts the workers and waits for them. Returns the first that failed permanently.
fn watch(args: &Args, parts: &[WorkerPart], out: &Path, stop: &AtomicBool) -> anyhow::Result<Option<Failed>> {
    let shown = Shown::new();
    shown.tracker().say(&format!("starting {}", counted(parts.len(), "worker")));
    let rendered: Arc<Mutex<Vec<Told>>> = Arc::new(Mutex::new(vec![Told::default(); parts.len()]));
    let command_line = args.command_line.as_deref();
    let start = |at: usize| Worker::start(parts[at], command_line, &log_of(out, parts[at]), at, Arc::clone(&rendered));
    let mut running: Vec<(usize, Worker, usize)> = Vec::new();
    for at in 0..parts.len() {
        running.push((at, start(at)?, 0));
    }
    let mut failed = None;
    let mut stopped = false;
    let mut total = None;
    while !running.is_empty() {
        std::thread::sleep(LOOK);
        if stop.load(Ordering::Relaxed) && !stopped {
            running.iter().for_each(|(_, worker, _)| worker.stop());
            stopped = true;
        }
        let mut still = Vec::new();
        for (at, mut worker, restarts) in running {
            let Some(status) = worker.ended()? else {
                still.push((at, worker, restarts));
                continue;
            };
            // The report lists failed items.
            if matches!(status.code(), Some(0 | 1)) || stopped {
                continue;
            }
            let part = parts[at];
            if status.code() == Some(COULD_NOT_RUN) {
                failed.get_or_insert(Failed { part, how: "could not run:".to_string(), could_not_run: true });
            } else if restarts < RESTARTS {
                note(&log_of(out, part), part, &format!("ended ({status}); restarting it"));
                still.push((at, start(at)?, restarts + 1));
            } else {
                let how = format!("ended twice ({status}); end of its log:");
                failed.get_or_insert(Failed { part, how, could_not_run: false });
            }
        }
        running = still;
        show(&shown, &rendered, &mut total);
    }
    Ok(failed)
}

fn show(shown: &Shown, rendered: &Mutex<Vec<Told>>, known: &mut Option<u64>) {
    let rendered = rendered.lock().unwrap_or_else(PoisonError::into_inner);
    let mut all: IndexMap<&str, WorkPart> = IndexMap::new();
    for part in rendered.iter().flat_map(|rendered| &rendered.benchmarks) {
        let of_all =
            all.entry(&part.name).or_insert_with(|| WorkPart { name: part.name.clone(), ..WorkPart::default() });
        of_all.done += part.done;
        of_all.total += part.total;
    }
    let parts: Vec<WorkPart> = all.into_values().collect();
    let (done, total) = parts.iter().fold((0, 0), |(done, total), part| (done + part.done, total + part.total));
    let reporting = rendered.iter().filter(|rendered| !rendered.benchmarks.is_empty()).count();
    if total == 0 {
        return;
    }
    if *known != Some(total as u64) {
        *known = Some(total as u64);
        let stage = Stage {
            what: counted(rendered.len(), "worker"),
            unit: "trials",
            total: *known,
            from: done as u64,
            ..Stage::default()
        };
        shown.tracker().begin(stage);
    }
    shown.tracker().parts(&parts);
    shown.tracker().at(done as u64, format!("{reporting} of {} at work", rendered.len()));
}

fn log_of(out: &Path, WorkerPart { shard: Shard { index, of }, .. }: WorkerPart) -> PathBuf {
    workers_of(out).join(format!("{index}-of-{of}.log"))
}
