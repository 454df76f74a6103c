//! Arguments for reminders, and the run whose answers they hold.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use indexmap::IndexMap;

use super::reading::{open_run, read_run};
use crate::arguments::paths::{run_path, runs};
use crate::arguments::setup::PromptArgs;
use crate::benchmark::Benchmark;
use crate::metric::Link;
use crate::prompt::Reminder;
use crate::reopen::{ReadOptions, first_answers, links_named};
use crate::run::{Manifest, Recorded};
use crate::safe_text::for_terminal;
use crate::trial::{Dataset, LoadedItems, Reminding, RunPart, Settings, Variant};

/// Reminders of answers to linked questions.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Prompts")]
pub struct ReminderArgs {
    /// Ask the items on the second side of this link of the benchmark's card, plainly and reminded of answers to the question
    /// of the first side, which the run of --from has. The table `links` of a report names links, as does the error for an
    /// unknown one.
    #[arg(long, value_name = "LINK", requires = "from")]
    pub remind: Option<String>,
    /// Run whose answers are used with --remind; of a folder of runs, the one in the same style and scoring.
    #[arg(long, value_name = "RUN", requires = "remind", value_parser = run_path)]
    pub from: Option<PathBuf>,
    /// Whose answers: that given to the linked question (own), another option of it (other), that given to a linked question
    /// of an unrelated story (unrelated) [default: all].
    #[arg(long, value_name = "own|other|unrelated", requires = "remind", value_delimiter = ',')]
    pub reminders: Vec<Reminder>,
}

/// A run whose answers are used, and the links that say which.
pub struct AnswerSource<'a> {
    args: &'a ReminderArgs,
    link: &'a str,
    from: PathBuf,
    links: IndexMap<Benchmark, Link>,
}

impl ReminderArgs {
    /// Checks the arguments against those of prompts, and finds the link and the run; `None` without reminders.
    pub fn check<'a>(
        &'a self,
        dataset: &Dataset,
        prompts: &PromptArgs,
        asked: &[Variant],
        several: bool,
    ) -> anyhow::Result<Option<AnswerSource<'a>>> {
        let (Some(link), Some(from)) = (&self.remind, &self.from) else { return Ok(None) };
        let [Variant { part: RunPart::Whole, .. }] = asked else {
            anyhow::bail!(
                "--remind asks in one style and one scoring, in one phase; run it once for each, without --after-reasoning and \
                 with one budget of thinking"
            );
        };
        anyhow::ensure!(
            prompts.conditions.iter().all(Option::is_none),
            "--remind asks items plainly and with reminders; leave out --condition"
        );
        anyhow::ensure!(!several, "--remind asks one question at a time; leave out --questions-per-prompt");
        let twice = self.reminders.iter().enumerate().find(|&(at, kind)| self.reminders[..at].contains(kind));
        if let Some((_, twice)) = twice {
            anyhow::bail!("--reminders names {twice} twice; name each once");
        }
        let links = links_named(link, &dataset.benchmarks, &dataset.options.own)?;
        let from = chosen(from, &asked[0])?;
        Ok(Some(AnswerSource { args: self, link, from, links }))
    }
}

/// Says that the answers are those of another model than the one asked.
pub fn note_other_model(Manifest { settings, model, .. }: &Manifest) {
    let reminders = settings.reminders.as_ref();
    let other = reminders.and_then(|reminders| reminders.of_another(model.name(), &model.base_sha256()));
    other.iter().for_each(|other| eprintln!("note: {}", for_terminal(other)));
}

/// The run in a folder that may hold several: the only one, the one in this style and scoring, or the one in this style.
fn chosen(folder: &Path, variant: &Variant) -> anyhow::Result<PathBuf> {
    let mut answering: Vec<(PathBuf, Settings)> = Vec::new();
    for run in runs(&[folder.to_path_buf()])? {
        let settings = Recorded::open(&run).with_context(|| format!("--from {}", folder.display()))?.manifest.settings;
        if !settings.is_first_phase() {
            answering.push((run, settings));
        }
    }
    let style = |settings: &Settings| settings.style == variant.style;
    let alike: [&dyn Fn(&Settings) -> bool; 3] =
        [&|settings| style(settings) && settings.scoring == variant.scoring, &style, &|_| true];
    for alike in alike {
        let found: Vec<&PathBuf> = answering.iter().filter(|(_, other)| alike(other)).map(|(run, _)| run).collect();
        match found[..] {
            [] => {}
            [run] => return Ok(run.clone()),
            _ => {
                let runs: Vec<String> = found.iter().map(|run| run.display().to_string()).collect();
                anyhow::bail!(
                    "--from {}: several runs could be meant; name one of {}",
                    folder.display(),
                    runs.join(", ")
                );
            }
        }
    }
    anyhow::bail!("--from {}: a run that states answers is needed", folder.display())
}

impl AnswerSource<'_> {
    /// Gives the items their reminders and leaves out the others; limits apply to those that are left. Returns what the
    /// manifest says of the answers.
    pub fn remind(&self, loaded: &mut LoadedItems, dataset: &Dataset) -> anyhow::Result<Reminding> {
        let AnswerSource { args, link, from, links } = self;
        let place = || format!("--from {}", from.display());
        let how = ReadOptions::default();
        let (recorded, asked) = open_run(from, dataset.files.as_deref(), &how)?;
        let asked = asked.with_context(|| format!("{}: its items are not in its folder; pass --data DIR", place()))?;
        asked.need_texts("--from").with_context(place)?;
        let read = read_run(recorded, &asked, &how)?;
        anyhow::ensure!(
            read.records.is_finished() && read.manifest().shard.is_none(),
            "{}: the run is not complete; finish it (or join its shards with `tomeval merge`) first",
            place()
        );
        anyhow::ensure!(
            read.records.changed().is_none(),
            "{}: its records changed since they were written, and answers are used only as written; ask again",
            place()
        );
        let firsts = first_answers(&read, links, loaded).with_context(place)?;
        let (left_out, drawn) = loaded.remind(&firsts, dataset)?;
        let model = &read.manifest().model;
        let reminding = Reminding {
            link: link.to_string(),
            kinds: if args.reminders.is_empty() { Reminder::ALL.to_vec() } else { args.reminders.clone() },
            model: model.name().to_string(),
            model_sha256: model.base_sha256(),
            style: read.manifest().settings.style.clone(),
            answers: read.manifest().settings.answers(),
            sha256: firsts.sha256(),
            left_out,
            drawn,
        };
        reminding.notes().iter().for_each(|note| eprintln!("{}", for_terminal(note)));
        Ok(reminding)
    }
}
