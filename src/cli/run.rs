//! `tomeval run`: the main job.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args as ClapArgs;

use tomeval::backend::{Backend, Local, Writer, WritingSetup};
use tomeval::decoder::Decoder;
use tomeval::prompt::Scoring;
use tomeval::reading::page::PageRun;
use tomeval::report::{Report, file_name, names_of};
use tomeval::run::{Beginning, Begun, Reasoning, RunError, RunFolder, Settings, Shard, verify};
use tomeval::untrusted::for_terminal;

use super::members::Member;
use super::numbers::{ITEMS, within};
use super::progress::{RunProgress, Shown};
use super::reading::{PAGE, ReadingArgs, Reported, tell_mixed, tell_warnings, write_page, write_reports};
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
    /// What the run is called in tables and figures [default: its model, and where several stand side by side the
    /// settings that tell them apart].
    #[arg(long, help_heading = "Output", value_parser = name)]
    pub name: Option<String>,
    /// Folder for records and results; an unfinished run there is continued. Several styles, scorings or adapters have a
    /// folder each in it [default: --name, or a name made of the arguments, below runs/].
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
    /// Print all tables at the end, as `tomeval report` does, in the place of a summary.
    #[arg(long, help_heading = "Output")]
    pub tables: bool,
    #[command(flatten)]
    pub format: FormatArgs,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let shard = shard::chosen(args.shard)?;
    let mut gathered = Gathered::new(&args.workload, Some(&args.reading))?;
    gathered.name.clone_from(&args.name);
    let out = args.out.clone().or_else(|| args.name.as_deref().map(|name| folder_of(name, shard)));
    let variants = &gathered.variants;
    let names: Vec<&str> = gathered.members.iter().map(|member| member.identity.name.as_str()).collect();
    if let (None, Some((_, twice))) = (&out, names.iter().enumerate().find(|&(at, name)| names[..at].contains(name))) {
        anyhow::bail!(
            "two of the adapters make the model {}; pass --out DIR to have them run beside each other",
            twice
        );
    }
    anyhow::ensure!(
        args.verify_batching.is_none() || variants.iter().any(|(_, settings)| settings.writing.is_none()),
        "--verify-batching compares log-likelihoods, and written answers have none"
    );
    anyhow::ensure!(
        shard.is_none_or(|shard| shard.of == 1) || variants.iter().all(|(variant, _)| !variant.after_reasoning),
        "--after-reasoning needs all reasoning at once: write it in shards (--scoring generate), join them with `tomeval merge \
         --out DIR/generate-STYLE`, then run --after-reasoning --out DIR without --shard"
    );
    let stop = interrupt::stop_after("pass");
    let mut work = Work { args: &args, gathered: &gathered, shard, decoder: None, stop };
    if let ([(_, settings)], [member]) = (&variants[..], &gathered.members[..]) {
        let Some(done) = work.ask(member, settings, None, out.as_deref())? else { return Ok(Outcome::Stopped) };
        if let Some(report) = &done.report {
            args.format.print_end(&report.report, args.tables)?;
            eprintln!("\n{}", work.whats_next(&[&done]));
        }
        return Ok(done.outcome);
    }
    let mut all = Vec::new();
    for (number, member) in gathered.members.iter().enumerate() {
        let before = number * variants.len();
        let out = match (&out, &member.folder) {
            (Some(out), Some(folder)) => Some(out.join(folder)),
            (out, _) => out.clone(),
        };
        match work.ask_all_ways(member, before, out.as_deref())? {
            Some(done) => all.extend(done),
            None => return Ok(Outcome::Stopped),
        }
    }
    let outcome = match all.iter().all(|done| done.outcome == Outcome::Done) {
        true => Outcome::Done,
        false => Outcome::Incomplete,
    };
    let finished: Vec<&Asked<'_>> = all.iter().filter(|done| done.report.is_some()).collect();
    let reports: Vec<Report> = finished.iter().filter_map(|done| Some(done.report.as_ref()?.report.clone())).collect();
    if !reports.is_empty() {
        let names = names_of(&reports);
        let report = Report::merge(reports);
        args.format.print_end(&report, args.tables)?;
        eprintln!("\n{}", work.whats_next(&finished));
        if let Some(out) = &out {
            let place = out.join(PAGE);
            let read = finished.iter().filter_map(|done| Some(&done.report.as_ref()?.read));
            let runs: Vec<PageRun<'_>> =
                names.into_iter().zip(read).map(|(name, read)| PageRun { name, read }).collect();
            match write_page(&runs, &report, &place, true) {
                Ok(()) => eprintln!("All runs on one page: {}", typed(&place)),
                Err(error) => eprintln!("warning: {error:#}; `tomeval report --format html` writes the page again"),
            }
        }
    }
    Ok(outcome)
}

/// What all ways of asking share: the weights of each model are loaded once, and those of one are in memory at a time.
struct Work<'a> {
    args: &'a Args,
    gathered: &'a Gathered,
    shard: Option<Shard>,
    /// The weights of the model that was asked last.
    decoder: Option<(&'a Member, Decoder)>,
    stop: Arc<AtomicBool>,
}

/// A way of asking whose trials are all recorded.
struct Asked<'a> {
    folder: PathBuf,
    /// The report; `None` for a shard, which has none.
    report: Option<Reported<'a>>,
    outcome: Outcome,
}

impl<'a> Work<'a> {
    /// Ask a model in all ways, below a folder of its own; `before` is how many runs came before. `None` where it was stopped.
    fn ask_all_ways(
        &mut self,
        member: &'a Member,
        before: usize,
        out: Option<&Path>,
    ) -> anyhow::Result<Option<Vec<Asked<'a>>>> {
        let gathered = self.gathered;
        let variants = &gathered.variants;
        let mut all = Vec::new();
        let mut reasoning: Option<Reasoning> = None;
        for (number, (variant, settings)) in variants.iter().enumerate() {
            let several = (variants.len() > 1).then(|| variant.name());
            let what = member.folder.iter().chain(&several).map(String::as_str).collect::<Vec<_>>().join(", ");
            let runs = gathered.members.len() * variants.len();
            eprintln!("\n{} of {runs}: {}", before + number + 1, for_terminal(&what));
            let settings = match (&reasoning, variant.after_reasoning) {
                (Some(Reasoning { about, .. }), true) => {
                    Settings { after_reasoning: Some(about.clone()), ..settings.clone() }
                }
                _ => settings.clone(),
            };
            let reasoned = reasoning.as_ref().filter(|_| variant.after_reasoning);
            let out = match (out, &several) {
                (Some(out), Some(name)) => Some(out.join(name)),
                (out, _) => out.map(Path::to_path_buf),
            };
            let Some(done) = self.ask(member, &settings, reasoned, out.as_deref())? else { return Ok(None) };
            let next = variants.get(number + 1).is_some_and(|(next, _)| next.after_reasoning);
            if next && variant.scoring == Scoring::Generate {
                let written = Reasoning::of_run(&done.folder)?;
                if written.without_answer > 0 {
                    eprintln!(
                        "{} replies state no answer; what is scored behind them stands behind the whole reply.",
                        written.without_answer
                    );
                }
                reasoning = Some(written);
            }
            all.push(done);
        }
        Ok(Some(all))
    }

    /// Ask a model all items one way; `None` where it was stopped.
    fn ask(
        &mut self,
        member: &'a Member,
        settings: &Settings,
        reasoning: Option<&Reasoning>,
        out: Option<&Path>,
    ) -> anyhow::Result<Option<Asked<'a>>> {
        let Work { args, gathered, shard, decoder: loaded, stop } = self;
        let (args, gathered, shard) = (*args, *gathered, *shard);
        // The weights of another model go before anything of this one is begun.
        if loaded.as_ref().is_some_and(|(of, _)| !std::ptr::eq(*of, member)) {
            *loaded = None;
        }
        let verified = args.verify_batching.filter(|_| settings.writing.is_none());
        let how = Beginning { shard, allow_mixed: args.allow_mixed, even_if_finished: verified.is_some() };
        let (workload, mut folder) = match gathered.begin(member, settings, reasoning, out, how)? {
            Begun::Ready(workload, folder) => (workload, folder),
            Begun::Finished(folder) => {
                tell_warnings(folder.warnings());
                eprintln!("{} is already complete; nothing was computed.", folder.path().display());
                return self.finish(&folder).map(Some);
            }
        };
        let out = folder.path().to_path_buf();
        tell_mixed(folder.mixed());
        workload.unasked().iter().for_each(|unasked| eprintln!("{}", for_terminal(unasked)));
        eprintln!("{}", for_terminal(&gathered.description(member, settings, &workload)));

        let announced = gathered.peak_bytes(member, &workload);
        let decoder = match loaded {
            Some((_, decoder)) => &*decoder,
            None => {
                let decoder = Shown::during("loading weights", || member.decoder(&gathered.model))?;
                &loaded.insert((member, decoder)).1
            }
        };
        let work = workload.run(shard);
        let mut scorer;
        let mut writer;
        let backend: &mut dyn Backend = match &settings.writing {
            None => {
                scorer = Local::new(decoder, &workload.prepared, &workload.plan);
                &mut scorer
            }
            Some(writing) => {
                let tokenizer = &gathered.model.text.tokenizer;
                let setup = WritingSetup {
                    tokenizer,
                    sampling: writing.sampling(settings.seed, tokenizer)?,
                    limits: gathered.limits(args.workload.writing.replies_at_once, &workload),
                    requests: work.reply_requests(),
                };
                writer = Writer::new(decoder, &workload.prepared, &workload.plan, setup);
                &mut writer
            }
        };
        let mut progress = RunProgress::new();
        let timings = work.execute(backend, &mut folder, stop, |now| progress.show(now));
        drop(progress);
        let timings = match timings {
            Err(error @ RunError::Broken { .. }) => {
                eprintln!("tomeval: {}", for_terminal(&error.to_string()));
                eprintln!("{}", to_go_on(&out));
                return Ok(None);
            }
            timings => timings?,
        };
        let costs = costs::kept(&member.identity.sha256, &gathered.model.computing);
        eprintln!("{}", spent::text(&workload.plan.counts, &timings, announced, costs));

        if !timings.finished {
            eprintln!("{}", to_go_on(&out));
            return Ok(None);
        }
        if let Some(wanted) = verified {
            let records = work.recorded(backend, &folder)?;
            let again = || verify(decoder, &workload.prepared, &records, wanted, settings.seed);
            let found = Shown::during("scoring again prompt by prompt", again)?;
            eprintln!("{}", super::progress::verification_text(&found));
        }
        tell_warnings(folder.warnings());
        self.finish(&folder).map(Some)
    }

    /// Where everything lies, and what may be done with it next.
    fn whats_next(&self, done: &[&Asked<'_>]) -> String {
        let folders: Vec<String> = done.iter().map(|done| typed(&done.folder)).collect();
        let data = self.gathered.loaded.files().map(|files| format!(" --data {}", typed(files))).unwrap_or_default();
        let all = folders.join(" ");
        let what = "Records, tables (report.md, report.csv, results.json) and all items on a page (report.html) are in";
        let next = match &folders[..] {
            [one] => {
                let written = self.gathered.variants.iter().all(|(_, settings)| settings.writing.is_some());
                let written = if written { " --written" } else { "" };
                format!("tomeval attend --run {one}{written}{data}    what the model looked at")
            }
            _ => format!("tomeval compare {all}{data}    paired on the same items, with tests"),
        };
        format!("{what}\n  {}\nNext:\n  tomeval report {all}{data}    all tables\n  {next}", folders.join("\n  "))
    }

    /// The results of a run that is complete, or what is to be done with a part of one.
    fn finish(&self, folder: &RunFolder) -> anyhow::Result<Asked<'a>> {
        let Work { args, gathered, .. } = *self;
        let (out, path) = (folder.path().display(), folder.path().to_path_buf());
        if folder.settled().shard.is_some_and(|shard| shard.of > 1) {
            eprintln!("Shard finished. Join all shards with `tomeval merge --out DIR {out} ...`.");
            return Ok(Asked { folder: path, report: None, outcome: Outcome::Done });
        }
        // Several ways of asking are compared item by item.
        let with_items = args.format.wants_items() || gathered.variants.len() > 1;
        let write = || write_reports(folder, &gathered.loaded, &args.reading, with_items);
        let report = Shown::during("writing reports", write)?;
        let whole = report.read.failed_trials == 0
            && !report.report.has_unread_rows()
            && !args.reading.changed.refuses(&report.report);
        Ok(Asked {
            folder: path,
            report: Some(report),
            outcome: if whole { Outcome::Done } else { Outcome::Incomplete },
        })
    }
}

/// The name of a run: one line of text.
fn name(given: &str) -> Result<String, String> {
    let name = given.trim();
    match name.is_empty() || name.chars().any(char::is_control) {
        true => Err("a name is one line of text".to_string()),
        false => Ok(name.to_string()),
    }
}

/// The folder of a run with a name, or of a part of it.
fn folder_of(name: &str, shard: Option<Shard>) -> PathBuf {
    let part = shard.map(|Shard { index, of }| format!("-{index}-of-{of}")).unwrap_or_default();
    Path::new("runs").join(file_name(name) + &part)
}

/// A path as it is typed in a shell.
fn typed(path: &Path) -> String {
    let path = path.display().to_string();
    match path.contains(|letter: char| !letter.is_alphanumeric() && !"/._-+:".contains(letter)) {
        true => format!("'{}'", path.replace('\'', r"'\''")),
        false => path,
    }
}

/// How work that was stopped is gone on with.
pub fn to_go_on(out: &Path) -> String {
    format!("Stopped. Finished work is in {}; run the same command again to continue.", out.display())
}
