//! `tomeval compare`: runs beside each other on the same items.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use indexmap::IndexSet;

use tomeval::answer::{Normalisation, Outcome as Answered, TieRule, Ties, outcomes};
use tomeval::benchmark::{Benchmark, Item};
use tomeval::compare::published::published;
use tomeval::compare::{Between, Settings, Side, compare, split};
use tomeval::metric::Layout;
use tomeval::report::{Format, render_comparison, render_published};
use tomeval::run::{Dataset, LoadedItems, RecordedRun, RunFolder, read_run};
use tomeval::untrusted::for_json;

use super::Outcome;
use super::numbers::{ITEMS, within};
use super::progress::Shown;
use super::reading::tell_warnings;
use super::report::FormatArgs;

/// Arguments of `tomeval compare`.
#[derive(Debug, clap::Args)]
#[command(after_help = super::EXIT_CODES)]
pub struct Args {
    /// Run folders. Every other one is compared with the first, item by item; one is enough with --between.
    #[arg(required_unless_present = "published", value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// The data the runs were made from.
    #[arg(long, env = "TOMEVAL_DATA")]
    data: Option<PathBuf>,
    /// Compare the languages, variants, styles or conditions within the runs instead of the runs.
    #[arg(long, value_name = "language|variant|style|condition")]
    between: Option<Between>,
    /// Compare only what all sides were asked alike, and say what falls out.
    #[arg(long)]
    common: bool,
    /// Differences of accuracies below this many percentage points count as none.
    #[arg(long, value_name = "POINTS", default_value_t = 5.0, value_parser = points)]
    margin: f64,
    /// Rows for this facet instead of those of the benchmark's tables; may be given several times.
    #[arg(long, value_name = "FACET")]
    by: Vec<String>,
    /// List so many items that one side alone answers rightly, those whose probabilities differ most first.
    #[arg(long, value_name = "N", value_parser = within(ITEMS))]
    flips: Option<usize>,
    /// Test the published rows of a benchmark's tables instead, between languages or what --between names.
    #[arg(long, value_name = "BENCHMARK", conflicts_with_all = ["runs", "common", "by", "flips"])]
    published: Option<Benchmark>,
    /// Normalisation of log-likelihoods: sum, token, byte or pmi [default: sum for letters, token for texts].
    #[arg(long, help_heading = "Reading")]
    normalisation: Option<Normalisation>,
    /// Who wins among equally many votes over orders: the higher mean probability and then a draw, or the answer seen
    /// first as in ToMBench's scripts.
    #[arg(long, default_value_t, value_name = "probability|first", help_heading = "Reading")]
    tie: TieRule,
    #[command(flatten)]
    format: FormatArgs,
}

fn points(given: &str) -> Result<f64, String> {
    let number = given.trim().parse().ok().filter(|&points: &f64| points > 0.0 && points <= 100.0);
    number.ok_or_else(|| "give a number of percentage points above 0 and at most 100".to_string())
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let (format, screen) = args.format.of_tables()?;
    let print = |text: &str| match format {
        Format::Json => super::data::print(&for_json(text)),
        _ => super::data::print(text),
    };
    if let Some(benchmark) = args.published {
        let between = args.between.unwrap_or(Between::Language);
        let found = published(benchmark.name(), &Layout::parse(&benchmark.card_text())?, between.name());
        anyhow::ensure!(
            !found.tests.is_empty(),
            "--published {benchmark}: its card has no published rows of several values of `{between}`; \
             tombench and multi-tom have some by language"
        );
        print(&render_published(&found, format, screen))?;
        return Ok(Outcome::Done);
    }
    let runs = args.runs.iter().map(|path| Run::read(path, &args)).collect::<anyhow::Result<Vec<_>>>()?;
    let answered = runs.iter().map(|run| run.outcomes(&args)).collect::<anyhow::Result<Vec<_>>>()?;
    let sides = sides(&runs, &answered, args.between)?;
    let settings = Settings {
        margin: args.margin,
        common: args.common,
        facets: facets(&runs, &args.by)?,
        every_value: !args.by.is_empty(),
        flips: args.flips.unwrap_or(0),
    };
    let found = Shown::during("comparing", || compare(&sides, &settings))?;
    print(&render_comparison(&found, format, screen))?;
    let whole = runs.iter().all(|run| run.recorded.records.len() == run.recorded.manifest.trials);
    Ok(if whole && !found.has_failures() { Outcome::Done } else { Outcome::Incomplete })
}

/// A run with the items it asked about.
struct Run<'a> {
    path: &'a Path,
    recorded: RecordedRun,
    loaded: LoadedItems,
}

impl<'a> Run<'a> {
    fn read(path: &'a Path, args: &Args) -> anyhow::Result<Self> {
        let manifest = RunFolder::manifest(path)?
            .with_context(|| format!("{} is no run folder; `tomeval run --out` makes one", path.display()))?;
        anyhow::ensure!(
            Dataset::of_run(&manifest.settings, args.data.clone())?.has_files(),
            "{}: comparing needs the data that the run was made from; pass --data DIR",
            path.display()
        );
        let load = || Dataset::load_again(&manifest, args.data.clone());
        let loaded = Shown::during("reading items", load).with_context(|| path.display().to_string())?;
        let recorded = Shown::during("reading records", || read_run(path))?;
        tell_warnings(&recorded.warnings);
        let (done, planned) = (recorded.records.len(), recorded.manifest.trials);
        if done < planned {
            eprintln!("warning: {}: UNFINISHED, {done} of {planned} trials are recorded", path.display());
        }
        Ok(Run { path, recorded, loaded })
    }

    fn outcomes(&self, args: &Args) -> anyhow::Result<Vec<Answered<'_>>> {
        let settings = &self.recorded.manifest.settings;
        let normalisation = args.normalisation.unwrap_or_else(|| Normalisation::usual(settings.scoring));
        let ties = Ties { rule: args.tie, seed: settings.seed };
        let read = outcomes(&self.recorded.records, &self.loaded.items, normalisation, ties);
        read.with_context(|| self.path.display().to_string())
    }

    fn name(&self) -> String {
        let name = self.path.file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| self.path.display().to_string())
    }
}

/// The runs as sides, or what they are split into.
fn sides<'a>(
    runs: &[Run<'_>],
    answered: &'a [Vec<Answered<'a>>],
    between: Option<Between>,
) -> anyhow::Result<Vec<Side<'a>>> {
    let names: Vec<String> = runs.iter().map(Run::name).collect();
    let distinct = names.iter().collect::<BTreeSet<_>>().len() == names.len();
    let side = |(run, (name, outcomes)): (&Run<'_>, (&String, &'a Vec<Answered<'a>>))| Side {
        label: if distinct { name.clone() } else { run.path.display().to_string() },
        answers: run.recorded.manifest.settings.answers(),
        outcomes: outcomes.iter().collect(),
    };
    let sides: Vec<Side<'a>> = runs.iter().zip(names.iter().zip(answered)).map(side).collect();
    Ok(match between {
        Some(between) => split(&sides, between)?,
        None => sides,
    })
}

/// The facets asked for, or those of the tables of the runs' benchmarks and what else outcomes differ in.
fn facets(runs: &[Run<'_>], by: &[String]) -> anyhow::Result<Vec<String>> {
    const OF_EVERY_ITEM: [&str; 5] = ["benchmark", "language", "style", "condition", "options"];
    let items = || runs.iter().flat_map(|run| &run.loaded.items);
    if !by.is_empty() {
        for facet in by {
            if !OF_EVERY_ITEM.contains(&facet.as_str()) && !items().any(|item| item.facet(facet).is_some()) {
                let known: BTreeSet<&str> =
                    items().flat_map(|item: &Item| item.facets.keys().map(String::as_str)).collect();
                let known = OF_EVERY_ITEM.into_iter().chain(known).collect::<Vec<_>>().join(", ");
                bail!("--by {facet}: no item has this facet; known are {known}");
            }
        }
        return Ok(by.to_vec());
    }
    let mut facets: IndexSet<String> = ["benchmark", "language", "style", "condition"].map(String::from).into();
    for run in runs {
        let settings = &run.recorded.manifest.settings;
        for name in &settings.benchmarks {
            let benchmark: Benchmark = name.parse()?;
            facets.extend(Layout::parse(&benchmark.card_text_with(&settings.own))?.facets());
        }
    }
    Ok(facets.into_iter().collect())
}
