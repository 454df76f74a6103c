//! `tomeval compare`: runs beside each other on the same items.

use std::path::{Path, PathBuf};

use anyhow::Context;
use indexmap::IndexMap;

use super::Outcome;
use super::reading::{open_run, read_run};
use super::report::{TableFormatArgs, print_as};
use crate::answer::{Normalisation, Outcome as Answered, TieRule};
use crate::arguments::numbers::{ITEMS, within};
use crate::arguments::paths::runs;
use crate::arguments::paths::{or_environment, run_path};
use crate::benchmark::{Benchmark, Item, OwnData};
use crate::compare::published::{published, published_values};
use crate::compare::{BenchmarkItems, Between, CompareError, Settings, Side, cells, compare, split};
use crate::metric::Layout;
use crate::reopen::{Facets, ItemLines, ReadOptions, ReadRun, ReadingError, table_facets};
use crate::report::{Nameable, labels, render_cells, render_comparison, render_published};
use crate::run::{Recorded, RunFolder};
use crate::terminal::progress::Shown;
use crate::trial::LoadedItems;

/// Arguments of `tomeval compare`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = super::EXIT_CODES, group = clap::ArgGroup::new("tested"))]
pub struct Args {
    /// Run folders, folders of such folders, bundles of `tomeval bundle`, or files that `--format items` of `report` or `score` wrote. Every other one is
    /// compared with the first, item by item; one is enough with --between.
    #[arg(required_unless_present = "published", value_name = "RUN", value_parser = run_path)]
    runs: Vec<PathBuf>,
    /// Data of runs of older versions, whose folders do not hold their items [default: the folder that the variable TOMEVAL_DATA names].
    #[arg(long)]
    data: Option<PathBuf>,
    /// Compare the languages, variants, styles or conditions within each model instead of the runs.
    #[arg(long, value_name = "language|variant|style|condition")]
    between: Option<Between>,
    /// Test the differences of --between over the cells of all models together: each task (column of the benchmark's
    /// main table) of each model, or each value of --by.
    #[arg(long, group = "tested", requires = "between", conflicts_with_all = ["published", "flips"])]
    cells: bool,
    /// Compare only what all sides were asked alike, and list the rest.
    #[arg(long)]
    common: bool,
    /// Differences of accuracies below this many percentage points count as none.
    #[arg(long, value_name = "POINTS", default_value_t = 5.0, value_parser = points)]
    margin: f64,
    /// Rows for this facet instead of those of the benchmark's tables, or for several as order,task; may be given several
    /// times.
    #[arg(long, value_name = "FACET")]
    by: Vec<String>,
    /// Number of items to list that only one side answers correctly, largest difference in probability first.
    #[arg(long, value_name = "N", value_parser = within(ITEMS))]
    flips: Option<usize>,
    /// Test the published rows of a benchmark's tables instead, between languages or what --between names.
    #[arg(long, group = "tested", value_name = "BENCHMARK", conflicts_with_all = ["runs", "common", "by", "flips"])]
    published: Option<Benchmark>,
    /// With --published or --cells: the value that all others are compared with [default: en between languages, else the
    /// first].
    #[arg(long, value_name = "VALUE", requires = "tested")]
    against: Option<String>,
    /// Normalisation of log-likelihoods: sum, token, byte or pmi [default: sum for letters, token for texts].
    #[arg(long, help_heading = "Reading")]
    normalisation: Option<Normalisation>,
    /// Tie rule for votes over orders: the higher mean probability and then a draw, or the answer seen
    /// first as in ToMBench's scripts.
    #[arg(long, default_value_t, value_name = "probability|first", help_heading = "Reading")]
    tie: TieRule,
    #[command(flatten)]
    format: TableFormatArgs,
}

/// Percentage points, as an argument gives them.
pub(super) fn points(given: &str) -> Result<f64, String> {
    let number = given.trim().parse().ok().filter(|&points: &f64| points > 0.0 && points <= 100.0);
    number.ok_or_else(|| "give a number of percentage points above 0 and at most 100".to_string())
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let args = Args { data: or_environment(args.data), ..args };
    let (format, screen) = args.format.chosen();
    if let Some(benchmark) = args.published {
        let between = args.between.unwrap_or(Between::Language);
        let layout = Layout::parse(benchmark.card_text())?;
        let against = args.against.as_deref();
        let values = published_values(&layout, between);
        anyhow::ensure!(
            values.len() > 1,
            "--published {benchmark}: its card has no published rows of several values of `{between}`; {}",
            with_published(between)?
        );
        if let Some(against) = against.filter(|against| !values.contains(against)) {
            let known = values.iter().copied().collect::<Vec<_>>().join(", ");
            anyhow::bail!("--against {against}: no published row of {benchmark} has this {between}; known are {known}");
        }
        let found = published(benchmark, &layout, between, against);
        anyhow::ensure!(
            !found.tests.is_empty(),
            "--published {benchmark}: the card has no row for two values of `{between}`; {}",
            with_published(between)?
        );
        print_as(format, &render_published(&found, format, screen))?;
        return Ok(Outcome::Done);
    }
    let how = ReadOptions {
        normalisation: args.normalisation,
        tie: args.tie,
        by: Facets(args.by.clone()),
        ..ReadOptions::default()
    };
    let mut runs = runs(&args.runs)?;
    runs.retain(|run| {
        let manifest = RunFolder::manifest(run).ok().flatten();
        let answers = manifest.is_none_or(|manifest| !manifest.settings.is_first_phase());
        if !answers {
            eprintln!("note: {}: left out, since the replies to a first phase state no answers", run.display());
        }
        answers
    });
    let mut given = Vec::new();
    for path in &runs {
        given.extend(Given::open(path, &args, &how)?.into_iter().map(|given| (path, given)));
    }
    let read = given.iter().map(|(path, given)| given.read(path, &how)).collect::<anyhow::Result<Vec<_>>>()?;
    let named = names(&read).into_iter().zip(&read);
    let sides: Vec<Side<'_>> = named.map(|(name, read)| read.side(name)).collect();
    let compared = read.iter().map(Read::compared).collect::<Result<Vec<_>, _>>()?;
    let more = if args.between.is_some() { items_of_all(&compared) } else { IndexMap::new() };
    // The first side's items are the data's as the first run loaded them; whichever run was limited, items were drawn.
    let mut benchmarks = compared.first().cloned().unwrap_or_default();
    for known in &mut benchmarks {
        let others = || compared.iter().flatten().filter(|other| other.benchmark == known.benchmark);
        known.drawn_by = others().find_map(|other| other.drawn_by.clone());
        known.items = more.get(&known.benchmark).map_or(known.items, Vec::as_slice);
    }
    if args.cells {
        benchmarks = by_facet(benchmarks, &args.by);
    }
    let settings = Settings {
        margin: args.margin,
        common: args.common,
        facets: if args.by.is_empty() { facets(&read)? } else { args.by.clone() },
        every_value: !args.by.is_empty(),
        within: args.between.is_some(),
        flips: args.flips.unwrap_or(0),
        benchmarks,
    };
    let comparing = || match args.between {
        Some(between) if args.cells => {
            let found = cells(&sides, between, args.against.as_deref(), &settings)?;
            Ok((render_cells(&found, format, screen), found.has_failures()))
        }
        between => {
            let sides = between.map_or_else(|| Ok(sides.clone()), |between| split(&sides, between))?;
            let found = compare(&sides, &settings)?;
            Ok((render_comparison(&found, format, screen), found.has_failures()))
        }
    };
    let (text, failures) = Shown::during("comparing", comparing).map_err(|error: CompareError| error)?;
    print_as(format, &text)?;
    let whole = read.iter().all(Read::is_finished);
    Ok(if whole && !failures { Outcome::Done } else { Outcome::Incomplete })
}

/// The items of all runs together, of benchmarks of which the first run has not loaded all, for instance another
/// language.
fn items_of_all(compared: &[Vec<BenchmarkItems<'_>>]) -> IndexMap<Benchmark, Vec<Item>> {
    let mut all: IndexMap<Benchmark, IndexMap<&str, &Item>> = IndexMap::new();
    for of in compared.iter().flatten() {
        all.entry(of.benchmark).or_default().extend(of.items.iter().map(|item| (item.id.as_str(), item)));
    }
    let of_first = |benchmark| compared.first().into_iter().flatten().find(|first| first.benchmark == benchmark);
    all.retain(|benchmark, items| of_first(*benchmark).is_some_and(|first| first.items.len() < items.len()));
    all.into_iter().map(|(benchmark, items)| (benchmark, items.into_values().cloned().collect())).collect()
}

/// The benchmarks with a table by each of these facets in place of their own; unchanged without facets.
fn by_facet<'a>(benchmarks: Vec<BenchmarkItems<'a>>, by: &[String]) -> Vec<BenchmarkItems<'a>> {
    if by.is_empty() {
        return benchmarks;
    }
    let tables = benchmarks.iter().flat_map(|benchmark| {
        by.iter().map(|facets| {
            let mut layout = Layout::default();
            Facets(vec![facets.clone()]).add_to(&mut layout, benchmark.items);
            BenchmarkItems { layout, ..benchmark.clone() }
        })
    });
    tables.filter(|benchmark| !benchmark.layout.tables.is_empty()).collect()
}

/// Which cards have published rows that can be compared so, in words.
fn with_published(between: Between) -> anyhow::Result<String> {
    let mut names = Vec::new();
    for benchmark in Benchmark::ALL {
        let layout = Layout::parse(benchmark.card_text())?;
        if !published(benchmark, &layout, between, None).tests.is_empty() {
            names.push(benchmark.name());
        }
    }
    Ok(match names.is_empty() {
        true => format!("no card has some by {between}"),
        false => format!("cards that have rows by {between}: {}", names.join(", ")),
    })
}

/// What was named, before its answers are read.
enum Given {
    /// A run, and the items it asked about.
    Run(Box<Recorded>, Box<LoadedItems>),
    /// The content of a file.
    Lines(ItemLines),
}

/// What was named, read.
enum Read<'a> {
    Run(Box<ReadRun<'a>>),
    Lines(&'a ItemLines, Vec<Answered<'a>>),
}

impl Given {
    /// A run, or what each respondent of a file answered.
    fn open(path: &Path, args: &Args, how: &ReadOptions) -> anyhow::Result<Vec<Self>> {
        if path.is_file() {
            let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
            let read = ItemLines::read(&text).with_context(|| path.display().to_string());
            return Ok(read?.into_iter().map(Given::Lines).collect());
        }
        let (recorded, loaded) = open_run(path, args.data.as_deref(), how)?;
        let none =
            || format!("{}: comparing needs the data that the run was made from; pass --data DIR", path.display());
        Ok(vec![Given::Run(Box::new(recorded), Box::new(loaded.with_context(none)?))])
    }

    fn read(&self, path: &Path, how: &ReadOptions) -> anyhow::Result<Read<'_>> {
        let read = match self {
            Given::Run(recorded, loaded) => Read::Run(Box::new(read_run(Recorded::clone(recorded), loaded, how)?)),
            Given::Lines(lines) => {
                how.by.check(&lines.items)?;
                Read::Lines(lines, lines.outcomes())
            }
        };
        if !read.is_finished() {
            eprintln!("warning: {}: UNFINISHED, only part of its trials is recorded", path.display());
        }
        Ok(read)
    }
}

impl Read<'_> {
    fn side(&self, name: String) -> Side<'_> {
        match self {
            Read::Run(run) => run.side(name),
            Read::Lines(lines, outcomes) => lines.side(name, outcomes),
        }
    }

    fn compared(&self) -> Result<Vec<BenchmarkItems<'_>>, ReadingError> {
        match self {
            Read::Run(run) => run.compared(),
            Read::Lines(lines, _) => lines.compared(),
        }
    }

    fn is_finished(&self) -> bool {
        match self {
            Read::Run(run) => run.is_finished(),
            Read::Lines(lines, _) => !lines.unfinished,
        }
    }
}

/// The facets of the tables of all benchmarks.
fn facets(read: &[Read<'_>]) -> anyhow::Result<Vec<String>> {
    let none = OwnData::default();
    let benchmarks = read.iter().flat_map(|read| match read {
        Read::Run(run) => {
            let settings = &run.manifest().settings;
            settings.benchmarks.iter().map(|&benchmark| (benchmark, &settings.own)).collect::<Vec<_>>()
        }
        Read::Lines(lines, _) => lines.benchmarks().into_iter().map(|benchmark| (benchmark, &none)).collect(),
    });
    Ok(table_facets(benchmarks)?)
}

/// What each side is called beside the others: its name, or what tells it apart.
fn names(read: &[Read<'_>]) -> Vec<String> {
    let said = |read: &Read<'_>| match read {
        Read::Run(run) => (run.respondent(), run.provenance()),
        Read::Lines(lines, _) => {
            let (label, answers) = lines.respondent();
            let provenance = IndexMap::from([("answers".to_string(), answers.clone())]);
            ((label, answers), provenance)
        }
    };
    let said: Vec<_> = read.iter().map(said).collect();
    let runs: Vec<Nameable<'_>> =
        said.iter().map(|((label, answers), provenance)| Nameable { label, answers, provenance }).collect();
    labels(&runs)
}
