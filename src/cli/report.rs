//! `tomeval report`: prints the tables of finished runs again, or side by side.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context;
use strum::VariantArray;

use super::Outcome;
use super::export::{Files, FilesOf};
use super::exports::irrelevant;
use super::figures::{FigureArgs, speed};
use super::page::{PageArgs, PageOf};
use super::reading::{ChangedDataArgs, ReadingArgs, open_run, print_warnings, read_run};
use crate::arguments::paths::runs;
use crate::arguments::paths::{or_environment, run_path};
use crate::extract::Rules;
use crate::language::Language;
use crate::ledger::FolderError;
use crate::name::UnknownName;
use crate::reopen::ReadOptions;
use crate::report::{Published, Report, Tables, Unfinished, VARIANCE, View, check, labels_of, render, summary};
use crate::run::ATTENTION_PAGE;
use crate::safe_text::{for_json, for_terminal};
use crate::table::{Format, Screen};
use crate::terminal::files::save;
use crate::terminal::progress::Shown;

/// Arguments of `tomeval report`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = super::EXIT_CODES)]
pub struct Args {
    /// Run folders, folders of them, bundles of `tomeval bundle`, or `results.json` files; several are shown side by
    /// side.
    #[arg(required = true, value_name = "RUN", value_parser = run_path)]
    runs: Vec<PathBuf>,
    /// Data for runs of older versions, whose folders lack their items. Without it, such a run on files is reported
    /// from its `results.json` [default: the folder in the variable TOMEVAL_DATA].
    #[arg(long)]
    data: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Read written replies again by these rules, and print what changes: this program's own, or those of the released
    /// ToMBench scripts [default: as read when written].
    #[arg(long, value_name = "ours|released", help_heading = "Reading")]
    extract: Option<Rules>,
    /// Exports of `tomeval annotate judge --scheme xtom-irrelevant` for these runs: the replies unrelated to the
    /// question (XToM, Figure 20); may be given several times.
    #[arg(long, value_name = "FILE", help_heading = "Reading")]
    judged: Vec<PathBuf>,
    /// Format of the report; items is one JSON line per item (docs/formats.md), html one page, parquet one row per
    /// trial and per item, every-eval-ever an exchange format (docs/report.md).
    #[arg(
        long,
        default_value = "terminal",
        value_name = "terminal|markdown|csv|json|latex|items|html|parquet|every-eval-ever",
        conflicts_with = "json"
    )]
    format: Written,
    /// Short for --format json.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    view: ViewArgs,
    /// Only results in these languages; for terminal, markdown and latex.
    #[arg(long = "language", short, value_name = "CODE", value_delimiter = ',', help_heading = "Tables")]
    languages: Vec<Language>,
    /// In the table `swaps`, differences below this many percentage points count as none [default: 3].
    #[arg(long, value_name = "POINTS", value_parser = super::compare::points, help_heading = "Tables")]
    margin: Option<f64>,
    #[command(flatten)]
    page: PageArgs,
    #[command(flatten)]
    figures: FigureArgs,
}

/// What to write.
enum Output<'a> {
    Text(Format),
    /// Files in this folder.
    Files(Files, &'a Path),
}

impl Args {
    fn check(&self) -> anyhow::Result<Output<'_>> {
        let output = match self.format {
            _ if self.json => Output::Text(Format::Json),
            Written::Text(format) => Output::Text(format),
            Written::Files(files) => Output::Files(files, files.check(self.page.output.as_deref())?),
        };
        let has_tables = !matches!(output, Output::Text(Format::Html) | Output::Files(..));
        self.figures.check()?;
        anyhow::ensure!(
            has_tables || !self.figures.wanted(),
            "--figures needs tables: pages embed their figures, files for other programs have none"
        );
        anyhow::ensure!(!has_tables || !self.page.no_texts, "--no-texts needs --format html or parquet");
        anyhow::ensure!(
            matches!(output, Output::Text(format) if is_for_people(format))
                || self.languages.is_empty() && !self.view.is_asked(),
            "--table, --language, --published, --only-values and --wide need --format terminal, markdown or latex; other formats hold everything"
        );
        Ok(output)
    }

    /// Options for reading records.
    fn how(&self) -> anyhow::Result<ReadOptions> {
        let how = self.reading.how(self.extract);
        let variance = self.view.table.iter().any(|name| name == VARIANCE);
        Ok(ReadOptions { irrelevant: irrelevant(&self.judged)?, variance, margin: self.margin, ..how })
    }
}

/// Name of the results file in a run folder.
const RESULTS: &str = "results.json";

/// Output formats: text, or files in a folder.
#[derive(Debug, Clone, Copy)]
enum Written {
    Text(Format),
    Files(Files),
}

impl FromStr for Written {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<Self, UnknownName> {
        let files = Files::VARIANTS.iter().find(|files| <&str>::from(*files) == given);
        match files {
            Some(files) => Ok(Written::Files(*files)),
            None => given.parse().map(Written::Text).map_err(|unknown: UnknownName| {
                let files = Files::VARIANTS.iter().map(<&str>::from).collect::<Vec<_>>();
                UnknownName { known: format!("{}, {}", unknown.known, files.join(", ")), ..unknown }
            }),
        }
    }
}

/// Selects what a report shows.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Tables")]
pub struct ViewArgs {
    /// Tables to show, by the names listed at the end of the report; all for everything [default: the main ones].
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    table: Vec<String>,
    /// Rows of the papers' models: none, the best on average, or all.
    #[arg(long, default_value_t, value_name = "none|best|all")]
    published: Published,
    /// Tables of values alone, as papers print them; chance stands below them once.
    #[arg(long)]
    only_values: bool,
    /// Tables at full width, not cut to the terminal (to 100 columns without one).
    #[arg(long)]
    wide: bool,
}

/// Width of reports printed without a terminal.
pub const COLUMNS: usize = 100;

impl ViewArgs {
    fn is_asked(&self) -> bool {
        !self.table.is_empty() || self.published != Published::default() || self.wide || self.only_values
    }

    /// Refuses a selection for a format that holds everything.
    pub fn check(&self, format: Format) -> anyhow::Result<()> {
        anyhow::ensure!(
            !self.is_asked() || is_for_people(format),
            "--table, --published, --only-values and --wide need --format terminal, markdown or latex; {format} holds everything"
        );
        Ok(())
    }

    /// The requested view.
    fn chosen(&self) -> View {
        let tables = match &self.table[..] {
            [] => Tables::Main,
            names if names.iter().any(|name| name == "all") => Tables::All,
            names => Tables::Named(names.to_vec()),
        };
        let width = (!self.wide).then(|| screen().width.unwrap_or(COLUMNS));
        let (published, only_values) = (self.published, self.only_values);
        View { tables, published, only_values, screen: Screen { width } }
    }
}

/// Whether a format has human-readable tables.
fn is_for_people(format: Format) -> bool {
    matches!(format, Format::Terminal | Format::Markdown | Format::Latex)
}

/// Output format; of tables alone unless they are of whole `RUNS`.
#[derive(Debug, Clone, clap::Args)]
pub struct FormatArgs<const RUNS: bool = true> {
    #[arg(
        long,
        help = if RUNS {
            "Format of the report; items is one JSON line per item (docs/formats.md), html one page (docs/report.md)"
        } else {
            "Format of the tables (docs/report.md)"
        },
        default_value = "terminal",
        value_name = if RUNS { "terminal|markdown|csv|json|latex|items|html" } else { "terminal|markdown|csv|json|latex" },
        value_parser = parse::<RUNS>,
        conflicts_with = "json"
    )]
    format: Format,
    /// Short for --format json.
    #[arg(long)]
    json: bool,
}

/// Output format of tables.
pub type TableFormatArgs = FormatArgs<false>;

fn parse<const RUNS: bool>(given: &str) -> Result<Format, String> {
    match given.parse().map_err(|unknown: UnknownName| unknown.to_string())? {
        Format::Items if !RUNS => Err("there are no items here; use another format".to_string()),
        Format::Html if !RUNS => Err("pages are of runs; use another format here".to_string()),
        format => Ok(format),
    }
}

impl<const RUNS: bool> FormatArgs<RUNS> {
    /// Requested format, and the terminal on stdout.
    pub fn chosen(&self) -> (Format, Screen) {
        (if self.json { Format::Json } else { self.format }, screen())
    }

    /// Whether the output is machine-readable.
    pub fn is_json(&self) -> bool {
        matches!(self.chosen().0, Format::Json | Format::Items)
    }
}

impl FormatArgs {
    /// Like [`chosen`](Self::chosen), for tables of several runs.
    pub fn check_tables(&self) -> anyhow::Result<(Format, Screen)> {
        parse::<false>(<&str>::from(self.format)).map_err(|why| anyhow::anyhow!("--format {}: {why}", self.format))?;
        Ok(self.chosen())
    }

    /// Whether the format lists individual items.
    pub fn wants_items(&self) -> bool {
        self.chosen().0 == Format::Items
    }

    /// Prints the end of a run to stdout: a summary unless all `tables` are requested, or everything for
    /// machine-readable formats.
    pub fn print_end(&self, report: &Report, tables: bool) -> anyhow::Result<()> {
        match self.chosen() {
            (Format::Terminal, screen) if !tables => Ok(crate::terminal::stdout::print(&summary(report, screen))?),
            (format, screen) => Ok(print_as(format, &render(report, format, &View { screen, ..View::WHOLE }))?),
        }
    }
}

/// Writes the requested part of a report to a file, or to stdout if none is given.
pub fn write(report: &Report, format: Format, view: &ViewArgs, file: Option<&Path>) -> anyhow::Result<()> {
    let view = view.chosen();
    check(&view, report)?;
    let text = render(report, format, &view);
    match file {
        Some(file) => save(file, escaped(format, &text).as_bytes()),
        None => Ok(print_as(format, &text)?),
    }
}

/// A report in a format, with terminal control sequences escaped in JSON.
fn escaped(format: Format, text: &str) -> Cow<'_, str> {
    match format {
        Format::Json | Format::Items => for_json(text),
        _ => text.into(),
    }
}

/// Prints a report to stdout. Terminal control sequences are escaped in JSON, and in CSV if stdout is a terminal.
pub fn print_as(format: Format, text: &str) -> std::io::Result<()> {
    crate::terminal::stdout::print(&match format {
        Format::Csv if std::io::stdout().is_terminal() => for_terminal(text),
        _ => escaped(format, text),
    })
}

/// Returns the terminal on stdout, if any.
pub fn screen() -> Screen {
    let terminal = std::io::stdout().is_terminal();
    let width = terminal.then(|| comfy_table::Table::new().width().map_or(80, usize::from));
    Screen { width }
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let args = Args { data: or_environment(args.data), ..args };
    let output = args.check()?;
    let runs = runs(&args.runs)?;
    let (data, how) = (args.data.as_deref(), args.how()?);
    let format = match output {
        Output::Files(files, folder) => {
            let report = FilesOf { runs: &runs, data, how }.write(files, folder, !args.page.no_texts)?;
            return Ok(outcome(&report, args.reading.changed));
        }
        Output::Text(Format::Html) => {
            let page = PageOf { runs: &runs, data, how };
            return Ok(outcome(&page.write(&args.page, |path| read(path, &args, false))?, args.reading.changed));
        }
        Output::Text(format) => format,
    };
    // Side by side, runs are compared item by item.
    let with_items = format == Format::Items || runs.len() > 1;
    let reports = runs.iter().map(|path| read(path, &args, with_items)).collect::<anyhow::Result<Vec<Report>>>()?;
    let labels = labels_of(&reports);
    let report = Report::merge(reports);
    let report = if args.languages.is_empty() { report } else { report.in_languages(&args.languages)? };
    write(&report, format, &args.view, args.page.output.as_deref())?;
    if args.figures.wanted() {
        let speeds: Vec<_> = runs.iter().zip(&labels).filter_map(|(path, label)| speed(path, label)).collect();
        args.figures.write(&report, &speeds)?;
    }
    for page in runs.iter().map(|run| run.join(ATTENTION_PAGE)).filter(|page| page.is_file()) {
        eprintln!("What the model looked at: {}", page.display());
    }
    Ok(outcome(&report, args.reading.changed))
}

/// Whether a report covers everything there was to answer.
fn outcome(report: &Report, changed: ChangedDataArgs) -> Outcome {
    let whole = report.unfinished.is_none()
        && !report.has_unread_rows()
        && !report.has_failed_trials()
        && !report.has_changed_records()
        && !changed.refuses(report);
    if whole { Outcome::Done } else { Outcome::Incomplete }
}

/// The report of one run: from its records where the items can be loaded, else from its `results.json`.
fn read(path: &Path, args: &Args, with_items: bool) -> anyhow::Result<Report> {
    let wants_items = matches!(args.format, Written::Text(Format::Items));
    if !path.is_dir() {
        anyhow::ensure!(!wants_items, "{}: contains no items; pass the run's folder to report them", path.display());
        return saved(path);
    }
    let how = args.how()?;
    let (recorded, loaded) = open_run(path, args.data.as_deref(), &how)?;
    let Some(loaded) = loaded else {
        anyhow::ensure!(
            how.is_default() && !wants_items,
            "{}: reading the records in another way, or item by item, needs the data; pass --data DIR",
            path.display()
        );
        let read = recorded.each(|_, _| Ok::<_, FolderError>(()))?;
        print_warnings(&read.warnings);
        let unfinished = Unfinished::from_counts(read.records, recorded.manifest.trials);
        let saved = saved(&path.join(RESULTS)).map_err(|error| match unfinished {
            Some(part) => error.context(format!("{}: {part}", path.display())),
            None => error,
        })?;
        return Ok(Report { unfinished, ..saved }.with_changed_records(read.changed()));
    };
    let read = read_run(recorded, &loaded, &how)?;
    Ok(Shown::during("computing metrics", || read.report(with_items))?)
}

fn saved(file: &Path) -> anyhow::Result<Report> {
    let text =
        std::fs::read_to_string(file).with_context(|| match file.parent().filter(|_| file.ends_with(RESULTS)) {
            Some(run) if run.is_dir() => {
                format!("{}: cannot be read; pass --data DIR to compute the results from the records", file.display())
            }
            _ => format!("{}: no such run or file", file.display()),
        })?;
    Report::parse(&text).with_context(|| file.display().to_string())
}
