//! Reading large runs: time and peak memory of `report`, `compare` and the page over runs of so many trials.
//!
//! `cargo bench --bench large` measures 20,000 and 200,000 trials, `cargo bench --bench large -- 5000` others. The runs are made
//! once and stay in `target/tmp`, so that a command can be tried on them by hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

mod data;
mod made;

/// Trials of the runs that are made where no number is given.
const TRIALS: [usize; 2] = [20_000, 200_000];

/// How often each command is timed.
const REPEATS: usize = 3;

fn main() {
    let given: Vec<usize> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if given.is_empty() { TRIALS.to_vec() } else { given };
    println!("| trials | command | seconds, each time | peak memory |\n|---|---|---|---|");
    for trials in sizes {
        measure(trials);
    }
}

fn measure(trials: usize) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("large-{trials}"));
    let questions = folder.join("questions.jsonl");
    let runs = ["a", "b"].map(|name| folder.join(name));
    if !runs.iter().all(|run| run.join("trials.jsonl").is_file()) {
        fs::create_dir_all(&folder).expect("the folder for measurements can be made");
        let count = (trials as f64 / made::TRIALS_OF_A_QUESTION).ceil() as usize;
        fs::write(&questions, data::questions(count)).expect("there is room for the questions");
        runs.iter().for_each(|run| made::run(&questions, run));
    }
    let (page, [one, other]) = (folder.join("page.html"), &runs);
    let data = |command: &str| vec![PathBuf::from(command), "--data".into(), questions.clone()];
    let with =
        |command: &str, more: &[&Path]| data(command).into_iter().chain(more.iter().map(PathBuf::from)).collect();
    let commands: [(&str, Vec<PathBuf>); 5] = [
        ("report", with("report", &[one])),
        ("report, two runs", with("report", &[one, other])),
        ("report --format items", with("report", &[one, "--format".as_ref(), "items".as_ref()])),
        ("compare", with("compare", &[one, other])),
        ("page", with("report", &[one, "--format".as_ref(), "html".as_ref(), "--output".as_ref(), &page])),
    ];
    for (name, arguments) in commands {
        let measured: Vec<Measured> = (0..REPEATS).map(|_| Measured::of(&arguments)).collect();
        let seconds: Vec<String> = measured.iter().map(|each| format!("{:.1}", each.time.as_secs_f64())).collect();
        let peak = measured.iter().filter_map(|each| each.peak_kb).max();
        let peak = peak.map_or("unknown".to_string(), |peak| format!("{} MB", peak / 1000));
        println!("| {trials} | {name} | {} | {peak} |", seconds.join(" "));
    }
}

/// What a command took.
struct Measured {
    time: Duration,
    peak_kb: Option<u64>,
}

impl Measured {
    fn of(arguments: &[PathBuf]) -> Self {
        let started = Instant::now();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tomeval"));
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        let mut peak_kb = None;
        loop {
            peak_kb = peak_kb.max(peak_of(child.id()));
            if let Some(status) = child.try_wait().expect("the program can be waited for") {
                assert!(status.success(), "{arguments:?}: {status}");
                return Measured { time: started.elapsed(), peak_kb };
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The most memory that a process had so far, in kB, where the system tells.
fn peak_of(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
