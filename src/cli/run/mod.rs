//! `tomeval run`: evaluates a model.

mod ending;
#[cfg(feature = "server")]
mod served;
mod worker;
mod workers;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use clap::Args as ClapArgs;
use indexmap::IndexMap;

use crate::arguments::costs;
use crate::arguments::devices::Devices;
use crate::arguments::numbers::{ITEMS, THREADS, within};
use crate::arguments::place::Place;
use crate::arguments::shard::{self, ShardChoice};
use crate::backend::{Generator, Local, WritingSetup};
use crate::cli::Outcome;
use crate::cli::reading::{ReadingArgs, note_start, print_mixed, print_warnings};
use crate::cli::reminders::note_other_model;
use crate::cli::report::FormatArgs;
use crate::cli::workload::{Gathered, WorkloadArgs};
use crate::decoder::{Decoder, ExpertPlacement};
use crate::model::thinking_section;
use crate::report::file_name;
use crate::run::{Answering, Audit, Beginning, Begun, Machine, Shard, Timings, read_earlier, read_thoughts, verify};
use crate::safe_text::for_terminal;
use crate::terminal::progress::{RunProgress, Shown};
use crate::terminal::say;
use crate::terminal::{interrupt, time_summary};
use crate::trial::{EarlierTexts, RunPart, Settings, ThinkingFault, Variant};

pub use ending::to_go_on;
use ending::{Asked, Ending, worked};
use worker::WorkerPart;

/// Arguments of `tomeval run`.
#[derive(Debug, Clone, ClapArgs)]
#[command(after_long_help = crate::cli::EXIT_CODES)]
pub struct Args {
    #[command(flatten)]
    pub workload: WorkloadArgs,
    /// Name of the run in tables and figures [default: its model, and beside other runs the settings that distinguish
    /// it].
    #[arg(long, help_heading = "Output", value_parser = name)]
    pub name: Option<String>,
    /// Folder for records and results; continues an unfinished run there. Several styles, scorings or adapters get one
    /// subfolder each [default: --name, or a name made of the arguments, below runs/].
    #[arg(long, short, help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Do only part I of N (from 1); `auto` takes the part from the variables of Slurm arrays and tasks or Kubernetes
    /// indexed jobs. Join the folders with `tomeval merge`.
    #[arg(long, value_name = "I/N|auto", help_heading = "Output")]
    pub shard: Option<ShardChoice>,
    /// Continue a run begun with settings that change numbers by more than rounding: another model, arithmetic, kind of
    /// device or way of multiplying quantised weights (`tomeval doctor` shows it). The manifest records this.
    #[arg(long, help_heading = "Output")]
    pub allow_mixed: bool,
    /// Split the work over N processes, assigned to the devices of --device in turn, and join it at the end; needs
    /// --out or --name.
    #[arg(long, value_name = "N", help_heading = "Output", value_parser = within(THREADS))]
    pub workers: Option<usize>,
    /// Identity of this worker process.
    #[arg(long, hide = true, value_name = "I/N,DEVICE,THREADS")]
    pub worker: Option<WorkerPart>,
    /// Set where the run is part of a study, which reports at its end: each way of asking then has its folder in --out.
    #[arg(long, hide = true)]
    pub in_study: bool,
    /// The command line that stands for these arguments, where it is not this process's.
    #[arg(skip)]
    pub command_line: Option<Vec<OsString>>,
    /// Score N trials a second time, prompt by prompt, and print the differences.
    #[arg(long, value_name = "N", help_heading = "Output", value_parser = within(ITEMS))]
    pub verify_batching: Option<usize>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Print all tables at the end, as `tomeval report` does, instead of a summary.
    #[arg(long, help_heading = "Output")]
    pub tables: bool,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Checked arguments of a run.
pub struct Request {
    args: Args,
    /// Where the model is.
    place: Place,
    /// Processes that do the work; none if this one does all.
    workers: Vec<WorkerPart>,
    shard: Option<Shard>,
    out: Option<PathBuf>,
}

impl Args {
    /// Checks the arguments, and resolves which part of the work is done where.
    pub fn check(mut self) -> anyhow::Result<Request> {
        let place = self.workload.check()?;
        anyhow::ensure!(
            place == Place::Here || self.verify_batching.is_none(),
            "--verify-batching needs local weights, which a server does not give; leave it out"
        );
        let workers = if self.worker.is_some() { Vec::new() } else { workers::check(&self, place)? };
        if let (Some(part), Some(out)) = (self.worker, self.folder(None)) {
            workers::become_worker(&mut self, &out, part);
        }
        let shard = shard::chosen(self.shard)?;
        let out = self.folder(shard);
        anyhow::ensure!(
            workers.is_empty() || out.is_some(),
            "several workers need a folder to join their parts in: pass --out DIR, or --name NAME for one below runs/"
        );
        Ok(Request { args: self, place, workers, shard, out })
    }

    /// The folder named, if any.
    fn folder(&self, shard: Option<Shard>) -> Option<PathBuf> {
        self.out.clone().or_else(|| self.name.as_deref().map(|name| folder_of(name, shard)))
    }
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    run_with(args.check()?, &mut Held::default())
}

/// Do a run of one model with weights that an earlier one may have left.
pub fn run_with(mut request: Request, held: &mut Held) -> anyhow::Result<Outcome> {
    if request.args.worker.is_some() {
        worker::end_when_left_alone()?;
    }
    if let ([first, ..], Some(out)) = (&request.workers[..], &request.out) {
        if !workers::is_joined(out) && workers::run(&request.args, out, &request.workers)?.is_none() {
            return Ok(Outcome::Stopped);
        }
        // The code below finds the work done, and reports it.
        let compute = &mut request.args.workload.model.compute;
        (compute.device, compute.threads) = (Some(Devices::One(first.device)), Some(first.threads));
    }
    let Request { args, place, shard, out, .. } = &request;
    let (shard, out) = (*shard, out.as_deref());
    if *place == Place::Server {
        #[cfg(feature = "server")]
        return served::run(&request);
    }
    let mut gathered = Gathered::new(&args.workload, Some(&args.reading))?;
    gathered.questions.name.clone_from(&args.name);
    let variants = &gathered.questions.variants;
    let names: Vec<&str> = gathered.members.iter().map(|member| member.identity.name.as_str()).collect();
    if let (None, Some((_, twice))) = (out, names.iter().enumerate().find(|&(at, name)| names[..at].contains(name))) {
        anyhow::bail!("two adapters give a model named {}; pass --out DIR to run them both", twice);
    }
    anyhow::ensure!(
        args.verify_batching.is_none() || variants.iter().any(|(_, settings)| settings.writing.is_none()),
        "--verify-batching compares log-likelihoods, and written answers have none"
    );
    check_shard(shard, variants)?;
    let ending = Ending { request: &request, questions: &gathered.questions };
    let folders: Vec<Option<&str>> = gathered.members.iter().map(|member| member.folder.as_deref()).collect();
    let stop = interrupt::stop_after("pass");
    let mut here = Here { args, gathered: &gathered, ending, shard, held, stop };
    ask_all(&mut here, ending, &folders, out)
}

/// Refuses shards of variants whose prompts contain replies of another one, which are needed all at once.
fn check_shard(shard: Option<Shard>, variants: &[(Variant, Settings)]) -> anyhow::Result<()> {
    let after = variants.iter().find_map(|(variant, _)| Some((variant, variant.written_by()?)));
    match after.filter(|_| shard.is_some_and(|shard| shard.of > 1)) {
        Some((variant, written_by)) if variant.part == RunPart::AfterReasoning => anyhow::bail!(
            "--after-reasoning needs all reasoning at once: write it in shards (--scoring generate), join them with `tomeval \
             merge --out DIR/{}`, then run --after-reasoning --out DIR without --shard",
            written_by.name()
        ),
        Some((variant, written_by)) if !variant.part.budgets().is_empty() => anyhow::bail!(
            "--thinking with several budgets needs all thoughts at once: write them in shards (--scoring generate, --thinking with \
             the largest, --max-new-tokens), join them with `tomeval merge --out DIR/{}`, then run it with all budgets and --out \
             DIR without --shard",
            written_by.name()
        ),
        Some((variant, written_by)) => anyhow::bail!(
            "the style {} needs all replies to its first phase at once: write them in shards (--style {} --scoring \
             generate), join them with `tomeval merge --out DIR/{}`, then run --style {} --out DIR without --shard",
            for_terminal(&variant.style),
            for_terminal(&written_by.style),
            written_by.name(),
            for_terminal(&variant.style)
        ),
        None => Ok(()),
    }
}

/// Models that answer, locally or on a server.
trait Asker<'a> {
    /// Asks one model all items in one variant; `None` if it was interrupted.
    fn ask(
        &mut self,
        member: usize,
        settings: &Settings,
        earlier: Option<&EarlierTexts>,
        out: Option<&Path>,
    ) -> anyhow::Result<Option<Asked<'a>>>;

    /// Reads the texts of a finished run for the prompts of another part.
    fn earlier(&self, part: &RunPart, settings: &Settings, folder: &Path) -> anyhow::Result<EarlierTexts>;
}

/// Runs all models, one after the other, in all variants, each in its folder if it has one.
fn ask_all<'a>(
    asker: &mut impl Asker<'a>,
    ending: Ending<'a>,
    folders: &[Option<&str>],
    out: Option<&Path>,
) -> anyhow::Result<Outcome> {
    let variants = &ending.questions.variants;
    if let ([(_, settings)], [_], false) = (&variants[..], folders, ending.request.args.in_study) {
        let Some(done) = asker.ask(0, settings, None, out)? else { return Ok(Outcome::Stopped) };
        return ending.of_one(&done);
    }
    let mut all: Vec<Asked<'_>> = Vec::new();
    for (member, &folder) in folders.iter().enumerate() {
        let mut earlier: Option<(Variant, EarlierTexts)> = None;
        let before = all.len();
        for (variant, settings) in variants {
            let several = (variants.len() > 1 || ending.request.args.in_study).then(|| variant.name());
            let below: Vec<&str> = folder.into_iter().chain(several.as_deref()).collect();
            let runs = folders.len() * variants.len();
            if runs > 1 {
                say(format!("\n{} of {runs}: {}", all.len() + 1, for_terminal(&below.join(", "))));
            }
            earlier = match variant.written_by() {
                Some(wanted) if earlier.as_ref().is_none_or(|(writer, _)| *writer != wanted) => {
                    let writer = variants.iter().position(|(variant, _)| *variant == wanted);
                    let done = writer.and_then(|writer| all.get(before + writer));
                    let done = done.context("replies are written before they are needed")?;
                    let texts = asker.earlier(&variant.part, settings, &done.folder)?;
                    texts.note.iter().for_each(|note| eprintln!("{note}"));
                    Some((wanted, texts))
                }
                Some(_) => earlier,
                None => None,
            };
            let texts = earlier.as_ref().map(|(_, texts)| texts);
            let settings = match texts {
                Some(texts) => settings.after(texts.about.clone(), &variant.part),
                None => settings.clone(),
            };
            let out = out.map(|out| below.iter().fold(out.to_path_buf(), |out, name| out.join(name)));
            let Some(done) = asker.ask(member, &settings, texts, out.as_deref())? else {
                return Ok(Outcome::Stopped);
            };
            all.push(done);
        }
    }
    ending.of_all(&all, out)
}

/// Weights in memory, of one model at a time.
#[derive(Default)]
pub struct Held(Option<(WeightsKey, Decoder)>);

/// Identifies weights in memory: hashes of their files, device and precision, and placement of experts.
type WeightsKey = (IndexMap<String, String>, Machine, ExpertPlacement);

/// Local models: the weights of each are loaded once, and only one model is in memory at a time.
struct Here<'a> {
    args: &'a Args,
    gathered: &'a Gathered,
    ending: Ending<'a>,
    shard: Option<Shard>,
    held: &'a mut Held,
    stop: Arc<AtomicBool>,
}

impl<'a> Asker<'a> for Here<'a> {
    fn earlier(&self, part: &RunPart, settings: &Settings, folder: &Path) -> anyhow::Result<EarlierTexts> {
        let RunPart::CutThoughts(budgets) = part else { return Ok(read_earlier(folder)?) };
        let tokenizer = &self.gathered.model.text.tokenizer;
        let (_, mark) = thinking_section(tokenizer).ok_or(ThinkingFault::NoMarks)?;
        Ok(read_thoughts(folder, budgets, (mark, !settings.switched_off.is_empty()), tokenizer)?)
    }

    fn ask(
        &mut self,
        member: usize,
        settings: &Settings,
        earlier: Option<&EarlierTexts>,
        out: Option<&Path>,
    ) -> anyhow::Result<Option<Asked<'a>>> {
        let Here { args, gathered, ending, shard, held: Held(held), stop } = self;
        let (args, gathered, shard) = (*args, *gathered, *shard);
        let member = &gathered.members[member];
        let key = (member.identity.sha256.clone(), gathered.machine.clone(), gathered.model.computing.experts);
        // Frees the weights of another model before anything of this one begins.
        held.take_if(|(of, _)| *of != key);
        let verified = args.verify_batching.filter(|_| settings.writing.is_none());
        // Machines that share a run score the same few trials, which `merge` compares.
        let audited = shard.filter(|shard| shard.of > 1 && args.worker.is_none() && settings.writing.is_none());
        let needed = |folder: &Path| verified.is_some() || audited.is_some() && !Audit::has_lines(folder);
        let how = Beginning { shard, allow_mixed: args.allow_mixed, even_if_finished: Some(&needed) };
        let (workload, mut folder) = match gathered.begin(member, settings, earlier, out, how)? {
            Begun::Ready(workload, folder) | Begun::Again(workload, folder) => (workload, folder),
            Begun::Finished(folder) => return ending.of_complete(&folder, "computed"),
        };
        let out = folder.path().to_path_buf();
        note_start(&folder)?;
        note_other_model(folder.settled());
        print_mixed(folder.mixed());
        workload.unasked().iter().for_each(|unasked| eprintln!("{}", for_terminal(unasked)));
        say(for_terminal(&gathered.description(member, settings, &workload)));

        let announced = gathered.peak_bytes(member, &workload);
        let decoder = match held {
            Some((_, decoder)) => &*decoder,
            None => {
                let decoder = Shown::during("loading weights", || member.decoder(&gathered.model))?;
                &held.insert((key, decoder)).1
            }
        };
        let work = workload.run(shard);
        let mut scorer;
        let mut writer;
        let answering = match &settings.writing {
            None => {
                scorer = Local::new(decoder, &workload.prepared, &workload.plan);
                Answering::Batches(&mut scorer)
            }
            Some(writing) => {
                let tokenizer = &gathered.model.text.tokenizer;
                let setup = WritingSetup {
                    tokenizer,
                    sampling: writing.sampling(settings.seed, tokenizer)?,
                    limits: gathered.limits(args.workload.writing.replies_at_once, &workload),
                    requests: work.reply_requests(),
                    budgets: writing.shorter_budgets(),
                };
                writer = Generator::new(decoder, &workload.prepared, &workload.plan, setup);
                Answering::Trials(&mut writer)
            }
        };
        let mut progress = RunProgress::new();
        let timings = work.execute(answering, &mut folder, stop, |now| progress.show(now));
        drop(progress);
        let rendered = |timings: &Timings| {
            let costs = costs::kept(&member.identity.sha256, &gathered.model.computing);
            time_summary::text(&workload.plan.counts, timings, announced, costs)
        };
        if worked(timings, &out, rendered)?.is_none() {
            return Ok(None);
        }
        if audited.is_some() {
            Shown::during("scoring the trials of all shards", || {
                work.audit_shard(decoder, &workload.prepared, &folder)
            })?;
        }
        if let Some(wanted) = verified {
            let records = work.recorded(&Local::new(decoder, &workload.prepared, &workload.plan), &folder)?;
            let again = || verify(decoder, &workload.prepared, &records, wanted, settings.seed);
            let found = Shown::during("scoring again prompt by prompt", again)?;
            eprintln!("{}", crate::terminal::progress::verification_text(&found));
        }
        print_warnings(folder.warnings());
        ending.finish(&folder)
    }
}

/// Parses the name of a run: one line of text.
fn name(given: &str) -> Result<String, String> {
    let name = given.trim();
    match name.is_empty() || name.chars().any(char::is_control) {
        true => Err("a name must be one line of text".to_string()),
        false => Ok(name.to_string()),
    }
}

/// Returns the folder of a named run, or of one shard.
fn folder_of(name: &str, shard: Option<Shard>) -> PathBuf {
    let part = shard.map(|Shard { index, of }| format!("-{index}-of-{of}")).unwrap_or_default();
    Path::new("runs").join(file_name(name) + &part)
}
