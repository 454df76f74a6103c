//! `tomeval annotate read`: reads the exports of pages.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::Outcome;
use crate::annotate::{Code, Export, Hand, Introduction, Judged, Marked, Mode, Page, Results, Scheme, Task, page};
use crate::benchmark::joined;
use crate::cli::exports::exports;
use crate::cli::figures::FigureArgs;
use crate::cli::report::TableFormatArgs;
use crate::counted::counted;
use crate::language::Language;
use crate::ledger::write_file;
use crate::prompt::Order;
use crate::safe_text::{for_json, for_terminal};
use crate::table::Grid;
use crate::terminal::files;
use crate::terminal::stdout::print;

/// Arguments of `tomeval annotate read`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Exports of pages, one file per person, including those of adjudicators.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Judgement scheme, if it is a file of your own.
    #[arg(long, value_name = "NAME|FILE")]
    scheme: Option<String>,
    /// Write the keywords of marks to this file, for `tomeval attend --human`.
    #[arg(long, value_name = "FILE")]
    keywords: Option<PathBuf>,
    #[command(flatten)]
    figures: FigureArgs,
    /// Write a page with progress, agreement and, of judgements, the units in dispute side by side for an adjudicator, whose
    /// file is read with the others.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The page that people worked on, whose texts `--html` shows beside what they said.
    #[arg(long, value_name = "FILE", requires = "html")]
    page: Option<PathBuf>,
    /// Code of the adjudicator.
    #[arg(long, value_name = "CODE", default_value = "adjudicator", requires = "html")]
    code: Code,
    #[command(flatten)]
    format: TableFormatArgs,
}

/// Arguments of `tomeval annotate schemes`.
#[derive(Debug, clap::Args)]
pub struct SchemesArgs {
    /// Print the file of this scheme, as a template for your own.
    name: Option<String>,
}

impl Args {
    /// Refuses arguments that exports of this kind do not have.
    fn check(&self, mode: Mode) -> anyhow::Result<()> {
        let of = |kind| format!("needs exports of `annotate {kind}`");
        anyhow::ensure!(self.keywords.is_none() || mode == Mode::Mark, "--keywords {}", of("mark"));
        anyhow::ensure!(!self.figures.wanted() || mode == Mode::Judge, "--figures {}", of("judge"));
        anyhow::ensure!(self.page.is_none() || mode != Mode::Mark, "--page {}", of("judge"));
        Ok(())
    }
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    args.figures.check()?;
    let exports = exports(&args.files)?;
    let mode = exports.first().map_or(Mode::Answer, |export| export.header.mode);
    args.check(mode)?;
    let (format, screen) = args.format.chosen();
    let show = |text: String| print(&if args.format.is_json() { for_json(&text) } else { for_terminal(&text) });
    let whole = exports.iter().all(|export| export.header.done == export.header.items);
    match mode {
        Mode::Answer => anyhow::bail!(
            "these files contain answers; score them with their items: `tomeval score --benchmark {} --answers {}`",
            joined(&exports[0].header.benchmarks, ","),
            crate::terminal::shell::path(&args.files[0])
        ),
        Mode::Mark => {
            let marked = Marked::from_exports(&exports);
            show(marked.render(format, screen)?)?;
            if let Some(file) = &args.html {
                write_page(file, &args.code, &Task::without_texts(mode, &exports), &exports, &marked.grids())?;
            }
            if let Some(file) = &args.keywords {
                write_file(file, marked.keywords())
                    .with_context(|| format!("{}: cannot be written", file.display()))?;
            }
        }
        Mode::Judge => judgements(&args, &exports, |text| Ok(show(text)?))?,
    }
    for Export { header, .. } in exports.iter().filter(|export| export.header.done < export.header.items) {
        eprintln!("note: {} has done {} of {}", header.rater, header.done, header.items);
    }
    Ok(if whole { Outcome::Done } else { Outcome::Incomplete })
}

fn judgements(args: &Args, exports: &[Export], show: impl Fn(String) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let named = exports.iter().find_map(|export| export.header.scheme.clone()).unwrap_or_default();
    let scheme = Scheme::named(args.scheme.as_deref().unwrap_or(&named))?;
    let judged = Judged::new(&scheme, exports)?;
    let (format, screen) = args.format.chosen();
    show(judged.render(&scheme, format, screen)?)?;
    if args.figures.wanted() {
        let charts = judged.charts(&scheme);
        args.figures.write_charts(charts.iter().map(|(name, chart)| (name.as_str(), chart)))?;
    }
    if let Some(file) = &args.html {
        let mut task = match &args.page {
            Some(page) => {
                let text = std::fs::read_to_string(page)
                    .with_context(|| format!("--page {}: cannot be read", page.display()))?;
                let task = Task::of_page(&text).with_context(|| format!("--page {}", page.display()))?;
                let fingerprint = task.fingerprint();
                anyhow::ensure!(
                    exports.iter().any(|export| export.header.page == fingerprint),
                    "--page {}: none of the files is from this page",
                    page.display()
                );
                task
            }
            None => Task::without_texts(Mode::Judge, exports),
        };
        task.scheme = Some(scheme.clone());
        task.adjudicate(&judged, exports).context("--page")?;
        if args.page.is_none() && !task.units.is_empty() {
            eprintln!("note: the page shows no texts; --page FILE, the page that people worked on, adds them");
        }
        write_page(file, &args.code, &task, exports, &judged.grids(&scheme))?;
    }
    Ok(())
}

/// Writes the page of an adjudicator.
fn write_page(file: &Path, code: &Code, task: &Task, exports: &[Export], grids: &[Grid]) -> anyhow::Result<()> {
    let units = (0..task.units.len()).map(|unit| (unit, Order::identity(task.units[unit].options.len()))).collect();
    let hand = Hand { code: code.clone(), units };
    let mut judges: HashMap<&str, usize> = HashMap::new();
    for record in exports.iter().filter(|export| !export.header.adjudicates).filter_map(Export::judgements).flatten() {
        *judges.entry(&record.id).or_default() += 1;
    }
    let results = Results { exports, grids, shared: judges.values().filter(|&&judges| judges > 1).count() };
    let html = page(&Page {
        program: &format!("tomeval {}", env!("CARGO_PKG_VERSION")),
        task,
        hands: &[hand],
        introduction: &Introduction::default(),
        interface: Language::En,
        results: Some(results),
    })?;
    files::write(file, &html)?;
    let (units, place) = (counted(task.units.len(), "unit"), file.display());
    match task.units.is_empty() {
        true => eprintln!("Progress and agreement: {place}"),
        false => eprintln!("Progress, agreement and {units} to adjudicate: {place}; read its file with the others."),
    }
    Ok(())
}

pub fn schemes(args: SchemesArgs) -> anyhow::Result<Outcome> {
    if let Some(name) = &args.name {
        let text = Scheme::text_of(name);
        let text =
            text.with_context(|| format!("{name}: not a built-in scheme; `tomeval annotate schemes` lists them"))?;
        print(text)?;
        return Ok(Outcome::Done);
    }
    let row = |scheme: Scheme| vec![scheme.name, scheme.of.name().to_string(), scheme.title.english().to_string()];
    print(&crate::terminal::stdout::table(&["scheme", "judges", "title"], Scheme::built_in().into_iter().map(row)))?;
    Ok(Outcome::Done)
}
