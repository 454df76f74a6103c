//! `tomeval run`: the main job.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args as ClapArgs;

use tomeval::backend::{Backend, Local, Writer, WritingSetup};
use tomeval::run::{Beginning, Begun, RunError, RunFolder, verify};
use tomeval::untrusted::for_terminal;

use super::numbers::{ITEMS, within};
use super::progress::{RunProgress, Shown};
use super::reading::{ReadingArgs, tell_mixed, tell_warnings, write_reports};
use super::report::FormatArgs;
use super::shard::{self, ShardChoice};
use super::workload::{Gathered, WorkloadArgs};
use super::{Outcome, costs, interrupt, spent};

/// Arguments of `tomeval run`.
#[derive(Debug, ClapArgs)]
#[command(after_help = super::EXIT_CODES)]
pub struct Args {
    #[command(flatten)]
    pub workload: WorkloadArgs,
    /// Folder for records and results; an unfinished run there is continued [default: a name made of the arguments,
    /// below runs/].
    #[arg(long, short, help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Do only part I of N (from 1); `auto` takes the part from the variables of Slurm arrays and tasks or Kubernetes
    /// indexed jobs. Join the folders with `tomeval merge`.
    #[arg(long, value_name = "I/N|auto", help_heading = "Output")]
    pub shard: Option<ShardChoice>,
    /// Go on with a run that was begun with what moves numbers by more than rounding: another model, arithmetic or kind of
    /// device. The manifest then says so.
    #[arg(long, help_heading = "Output")]
    pub allow_mixed: bool,
    /// Score N trials a second time, prompt by prompt, and print how far the numbers are apart.
    #[arg(long, value_name = "N", help_heading = "Output", value_parser = within(ITEMS))]
    pub verify_batching: Option<usize>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    #[command(flatten)]
    pub format: FormatArgs,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let shard = shard::chosen(args.shard)?;
    let gathered = Gathered::new(&args.workload, Some(&args.reading))?;
    anyhow::ensure!(
        args.verify_batching.is_none() || gathered.settings.writing.is_none(),
        "--verify-batching compares log-likelihoods, and written answers have none"
    );
    let how = Beginning { shard, allow_mixed: args.allow_mixed, even_if_finished: args.verify_batching.is_some() };
    let (workload, mut folder) = match gathered.begin(args.out.as_deref(), how)? {
        Begun::Ready(workload, folder) => (workload, folder),
        Begun::Finished(folder) => {
            tell_warnings(folder.warnings());
            eprintln!("{} is already complete; nothing was computed.", folder.path().display());
            return finish(&folder, &gathered, &args);
        }
    };
    let out = folder.path().to_path_buf();
    tell_mixed(folder.mixed());
    workload.unasked().iter().for_each(|unasked| eprintln!("{}", for_terminal(unasked)));
    eprintln!("{}", for_terminal(&gathered.description(&workload)));

    let announced = gathered.peak_bytes(&workload);
    let decoder = Shown::during("loading weights", || gathered.model.decoder())?;
    let work = workload.run(shard);
    let mut scorer;
    let mut writer;
    let backend: &mut dyn Backend = match &gathered.settings.writing {
        None => {
            scorer = Local::new(&decoder, &workload.prepared, &workload.plan);
            &mut scorer
        }
        Some(writing) => {
            let tokenizer = &gathered.model.text.tokenizer;
            let setup = WritingSetup {
                tokenizer,
                sampling: writing.sampling(gathered.settings.seed, tokenizer)?,
                limits: gathered.limits(args.workload.writing.replies_at_once, &workload),
                requests: work.reply_requests(),
            };
            writer = Writer::new(&decoder, &workload.prepared, &workload.plan, setup);
            &mut writer
        }
    };
    let stop = Arc::new(AtomicBool::new(false));
    stop_on_signal(&stop);
    let mut progress = RunProgress::new();
    let timings = work.execute(backend, &mut folder, &stop, |now| progress.show(now));
    drop(progress);
    let timings = match timings {
        Err(error @ RunError::Broken { .. }) => {
            eprintln!("tomeval: {}", for_terminal(&error.to_string()));
            eprintln!("{}", to_go_on(&out));
            return Ok(Outcome::Stopped);
        }
        timings => timings?,
    };
    let costs = costs::kept(gathered.sha256(), &gathered.model.computing);
    eprintln!("{}", spent::text(&workload.plan.counts, &timings, announced, costs));

    if !timings.finished {
        eprintln!("{}", to_go_on(&out));
        return Ok(Outcome::Stopped);
    }
    if let Some(wanted) = args.verify_batching {
        let records = work.recorded(backend, &folder)?;
        let again = || verify(&decoder, &workload.prepared, &records, wanted, gathered.settings.seed);
        let found = Shown::during("scoring again prompt by prompt", again)?;
        eprintln!("{}", super::progress::verification_text(&found));
    }
    tell_warnings(folder.warnings());
    finish(&folder, &gathered, &args)
}

/// The results of a run that is complete, or what is to be done with a part of one.
fn finish(folder: &RunFolder, gathered: &Gathered, args: &Args) -> anyhow::Result<Outcome> {
    let out = folder.path().display();
    if folder.settled().shard.is_some_and(|shard| shard.of > 1) {
        eprintln!("Shard finished. Join all shards with `tomeval merge --out DIR {out} ...`.");
        return Ok(Outcome::Done);
    }
    let write = || write_reports(folder, &gathered.loaded, &args.reading, args.format.wants_items());
    let report = Shown::during("computing metrics", write)?;
    args.format.print(&report.report)?;
    eprintln!("Records and results are in {out}.");
    Ok(if report.failed_trials > 0 || report.report.has_unread_rows() { Outcome::Incomplete } else { Outcome::Done })
}

fn to_go_on(out: &Path) -> String {
    format!("Stopped. Finished work is in {}; run the same command again to continue.", out.display())
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
