//! One worker: its process, its output, and its end when the parent process is gone.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use anyhow::Context;
use serde::Deserialize;

use crate::arguments::devices::DeviceChoice;
use crate::progress::WorkPart;
use crate::run::Shard;

/// Exit code of an orphaned worker: interrupted, can be continued.
const LEFT_ALONE: i32 = 3;

/// Identity of this worker process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerPart {
    /// Its shard of the work.
    pub shard: Shard,
    /// Its device.
    pub device: DeviceChoice,
    /// Its number of threads.
    pub threads: usize,
}

impl FromStr for WorkerPart {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let parts: Vec<&str> = given.split(',').collect();
        let [shard, device, threads] = parts[..] else { return Err("I/N,DEVICE,THREADS".to_string()) };
        Ok(WorkerPart {
            shard: shard.parse::<Shard>().map_err(|error| error.to_string())?,
            device: device.parse()?,
            threads: threads.parse().map_err(|_| "threads are a number".to_string())?,
        })
    }
}

/// Progress of a worker.
#[derive(Debug, Clone, Default)]
pub struct Told {
    pub benchmarks: Vec<WorkPart>,
}

/// A progress line of a worker.
#[derive(Deserialize)]
struct Line {
    benchmarks: Vec<LinePart>,
}

#[derive(Deserialize)]
struct LinePart {
    name: String,
    done: usize,
    total: usize,
}

/// A worker's process and the reader of its output. Its standard input stays open as long as this process lives.
pub struct Worker {
    child: Child,
    reader: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts this program once more as a worker. Its output goes to a log, and its progress to `rendered[at]`.
    pub fn start(
        part: WorkerPart,
        command_line: Option<&[OsString]>,
        log: &Path,
        at: usize,
        rendered: Arc<Mutex<Vec<Told>>>,
    ) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("finding this program")?;
        let WorkerPart { shard: Shard { index, of }, device, threads } = part;
        let mut arguments: Vec<OsString> =
            command_line.map_or_else(|| std::env::args_os().skip(1).collect(), <[OsString]>::to_vec);
        arguments.push(format!("--worker={index}/{of},{device},{threads}").into());
        let file = fs::OpenOptions::new().append(true).create(true).open(log);
        let mut file: File = file.with_context(|| format!("writing {}", log.display()))?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env("TOMEVAL_PROGRESS_SECONDS", "0.5")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        // A terminal's signal reaches this process, which passes it on once.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().context("starting a worker")?;
        let stderr = child.stderr.take();
        let read = move || {
            if let Some(stderr) = stderr {
                listen(stderr, &mut file, |benchmarks| {
                    rendered.lock().unwrap_or_else(PoisonError::into_inner)[at].benchmarks = benchmarks;
                });
            }
        };
        let reader = std::thread::Builder::new().name(format!("worker {index}")).spawn(read).ok();
        Ok(Worker { child, reader })
    }

    /// Asks the worker to stop after its current work.
    pub fn stop(&self) {
        let pid = sysinfo::Pid::from_u32(self.child.id());
        let mut system = sysinfo::System::new();
        system.refresh_processes(sysinfo::ProcessesToUpdate::Some(&[pid]), true);
        if let Some(process) = system.process(pid) {
            process.kill_with(sysinfo::Signal::Interrupt);
        }
    }

    /// Returns the exit status, with all output in the log; `None` if it still runs.
    pub fn ended(&mut self) -> anyhow::Result<Option<ExitStatus>> {
        let status = self.child.try_wait().context("waiting for a worker")?;
        if let (Some(_), Some(reader)) = (status, self.reader.take_if(|_| status.is_some())) {
            // The log has all output that could be read.
            let _ = reader.join();
        }
        Ok(status)
    }
}

/// Reads a worker's output to its end: reports progress and logs all else, whatever its encoding.
fn listen(said: impl Read, log: &mut impl Write, mut tell: impl FnMut(Vec<WorkPart>)) {
    for line in BufReader::new(said).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches('\r');
        match serde_json::from_str::<Line>(line) {
            Ok(Line { benchmarks }) if !benchmarks.is_empty() => {
                let part = |LinePart { name, done, total }| WorkPart { name, done, total };
                tell(benchmarks.into_iter().map(part).collect());
            }
            Ok(_) => {}
            // A failure to log must not end the work.
            Err(_) => drop(writeln!(log, "{line}")),
        }
    }
}

/// Ends this worker process as soon as its parent is gone: nobody would show, join or stop its work. Records are whole
/// lines on the disk by then, or are cut off when the work continues.
pub fn end_when_left_alone() -> anyhow::Result<()> {
    let wait = || {
        let mut nothing = [0; 64];
        let mut stdin = std::io::stdin().lock();
        while stdin.read(&mut nothing).is_ok_and(|read| read > 0) {}
        std::process::exit(LEFT_ALONE);
    };
    std::thread::Builder::new().name("left alone".to_string()).spawn(wait).context("starting a thread")?;
    Ok(())
}

/// Adds a note about a worker to its log.
pub fn note(log: &Path, WorkerPart { shard: Shard { index, of }, .. }: WorkerPart, what: &str) {
    let file = fs::OpenOptions::new().append(true).create(true).open(log);
    // The work does not depend on it.
    let _ = file.and_then(|mut file| writeln!(file, "worker {index}/{of} {what}"));
}

/// Returns the last non-empty lines of a log.
pub fn last_lines(log: &Path, most: usize) -> Vec<String> {
    let bytes = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(most)..].iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_do_not_end_the_reading() {
        let said = b"caf\xe9 is no UTF-8\n{\"stage\": \"s\", \"benchmarks\": []}\n\
                     {\"benchmarks\": [{\"name\": \"demo\", \"done\": 2, \"total\": 5}]}\r\nlast";
        let (mut log, mut rendered) = (Vec::new(), Vec::new());
        listen(&said[..], &mut log, |benchmarks| rendered.extend(benchmarks));
        assert_eq!(String::from_utf8(log).unwrap(), "caf\u{fffd} is no UTF-8\nlast\n");
        assert_eq!(rendered, [WorkPart { name: "demo".into(), done: 2, total: 5 }]);
    }

    #[test]
    fn parts_are_read_as_they_are_passed_on() {
        let part: WorkerPart = "2/3,cuda:1,4".parse().unwrap();
        assert_eq!(part, WorkerPart { shard: Shard { index: 2, of: 3 }, device: DeviceChoice::Cuda(1), threads: 4 });
        for text in ["2/3,cuda:1", "4/3,cpu,1", "1/2,gpu,1", "1/2,cpu,x"] {
            assert!(text.parse::<WorkerPart>().is_err(), "{text}");
        }
    }
}
