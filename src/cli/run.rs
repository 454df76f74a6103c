//! `tomeval run`: the main job.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args as ClapArgs;

use tomeval::backend::Local;
use tomeval::run::{RunFolder, Shard, verify};

use super::numbers::{ITEMS, within};
use super::progress::{RunProgress, Shown};
use super::reading::{ReadingArgs, write_reports};
use super::report::FormatArgs;
use super::workload::{Gathered, WorkloadArgs};
use super::{Outcome, costs, interrupt, spent};

/// Arguments of `tomeval run`.
#[derive(Debug, ClapArgs)]
pub struct Args {
    #[command(flatten)]
    pub workload: WorkloadArgs,
    /// Folder for records and results; an unfinished run there is continued [default: a name made of the arguments,
    /// below runs/].
    #[arg(long, short, help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Do only part I of N (from 1); join the folders with `tomeval merge`.
    #[arg(long, value_name = "I/N", help_heading = "Output")]
    pub shard: Option<Shard>,
    /// Score N trials a second time, prompt by prompt, and print how far the numbers are apart.
    #[arg(long, value_name = "N", help_heading = "Output", value_parser = within(ITEMS))]
    pub verify_batching: Option<usize>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    #[command(flatten)]
    pub format: FormatArgs,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let shard = args.shard.or_else(shard_of_environment);
    let gathered = Gathered::new(&args.workload)?;
    args.reading.by.check(gathered.loaded.in_data())?;
    let workload = gathered.workload(args.out.as_deref())?;
    let out = &workload.folder;
    let mut folder = RunFolder::open(out, &workload.manifest(shard))?;
    eprintln!("{}", gathered.description(&workload));

    let announced = gathered.peak_bytes(&workload);
    let decoder = Shown::during("loading weights", || gathered.model.decoder())?;
    let mut backend = Local::new(&decoder, &workload.prepared, &workload.plan);
    let stop = Arc::new(AtomicBool::new(false));
    stop_on_signal(&stop);
    let work = workload.run(shard);
    let mut progress = RunProgress::new();
    let timings = work.execute(&mut backend, &mut folder, &stop, |now| progress.show(now));
    drop(progress);
    let timings = timings?;
    let costs = costs::kept(gathered.sha256(), &gathered.model.computing);
    eprintln!("{}", spent::text(&workload.plan.counts, &timings, announced, costs));

    if !timings.finished {
        eprintln!("Stopped. Finished work is in {}; run the same command again to continue.", out.display());
        return Ok(Outcome::Incomplete);
    }
    if let Some(wanted) = args.verify_batching {
        let records = work.recorded(&backend, &folder)?;
        let again = || verify(&decoder, &workload.prepared, &records, wanted, gathered.settings.seed);
        let found = Shown::during("scoring again prompt by prompt", again)?;
        eprintln!("{}", super::progress::verification_text(&found));
    }
    if shard.is_some_and(|shard| shard.of > 1) {
        eprintln!("Shard finished. Join all shards with `tomeval merge --out DIR {} ...`.", out.display());
        return Ok(Outcome::Done);
    }
    let report = Shown::during("computing metrics", || write_reports(&folder, &gathered.loaded, &args.reading))?;
    args.format.print(&report.report)?;
    eprintln!("Records and results are in {}.", out.display());
    Ok(if report.failed_trials > 0 || report.report.has_unread_rows() { Outcome::Incomplete } else { Outcome::Done })
}

/// A first Ctrl-C or termination signal ends the run after the pass at hand; a second one ends the process.
fn stop_on_signal(stop: &Arc<AtomicBool>) {
    let stop = Arc::clone(stop);
    interrupt::set(move || {
        if stop.swap(true, Ordering::Relaxed) {
            interrupt::exit();
        }
        eprintln!("\nStopping after this pass (once more to stop at once) ...");
    });
}

/// The part named by a Slurm array or a Kubernetes indexed job, where this runs in one.
fn shard_of_environment() -> Option<Shard> {
    let number = |name: &str| std::env::var(name).ok()?.parse::<usize>().ok();
    let slurm = || {
        let first = number("SLURM_ARRAY_TASK_MIN")?;
        Some(Shard {
            index: number("SLURM_ARRAY_TASK_ID")?.checked_sub(first)? + 1,
            of: number("SLURM_ARRAY_TASK_COUNT")?,
        })
    };
    let kubernetes = || Some(Shard { index: number("JOB_COMPLETION_INDEX")? + 1, of: number("JOB_COMPLETIONS")? });
    slurm().or_else(kubernetes).filter(|shard| (1..=shard.of).contains(&shard.index))
}
