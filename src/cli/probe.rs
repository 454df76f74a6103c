//! `tomeval probe`: signs that a model met a benchmark in training.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use tomeval::benchmark::Benchmark;
use tomeval::canary::CANARY;
use tomeval::engine::GenerateProgress;
use tomeval::model::RenderSettings;
use tomeval::probe::recall::{self, Protocol, Speaker};
use tomeval::probe::{Document, Found, PROBE_VERSION, Scorer, SkippedRow, min_k, orders, render};
use tomeval::report::Format;
use tomeval::run::{Dataset, LoadedItems, Program, ThinkingChoice};
use tomeval::untrusted::{for_json, for_terminal};

use super::Outcome;
use super::numbers::{TURNS, within};
use super::progress::Shown;
use super::report::FormatArgs;
use super::setup::{ChoiceArgs, DataArgs, LoadedModel, ModelArgs};
use super::template::TemplateArgs;

/// Stories probed where no limit is given: as many as XToM's authors took (appendix A.4).
const STORIES: usize = 100;

/// Arguments of `tomeval probe`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Is the released order of options likelier than other orders of them?
    Orders(OrdersArgs),
    /// Are released stories likelier, token by token, than fresh ones of the same form (hi-tom, tomi)?
    MinK(MinKArgs),
    /// Can the model recite items, or the second half of a story (XToM, appendix A.4)?
    Recall(RecallArgs),
}

/// What every probe takes.
#[derive(Debug, clap::Args)]
struct CommonArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// At most 100 stories a benchmark are probed where no limit is given.
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    /// Also write what was found of each item, and which were left out, as JSON lines.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    out: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
struct OrdersArgs {
    /// Orders each released one is compared with; all where there are no more (23 for four options).
    #[arg(long, value_name = "K", default_value_t = 23, value_parser = within(TURNS))]
    orders: usize,
    /// Arrangements drawn for the joint test of all items, where not all can be gone through.
    #[arg(long, value_name = "N", default_value_t = 9999, value_parser = within(TURNS))]
    draws: usize,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Debug, clap::Args)]
struct MinKArgs {
    /// Per cent of a text's tokens that count: those least likely.
    #[arg(long = "percent", short = 'k', value_name = "K", default_value_t = 20.0, value_parser = percent)]
    percent: f64,
    /// Arrangements drawn for the test, where not all can be gone through.
    #[arg(long, value_name = "N", default_value_t = 9999, value_parser = within(TURNS))]
    draws: usize,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Debug, clap::Args)]
struct RecallArgs {
    /// Ask for an example of the dataset, or for the second half of each story; may be given twice [default: both].
    #[arg(long = "protocol", value_name = "example|completion")]
    protocols: Vec<Protocol>,
    /// How often an example is asked for in each language.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within(TURNS))]
    trials: usize,
    /// Draw tokens at this temperature; 0 always takes the likeliest.
    #[arg(long, value_name = "T", default_value_t = 0.0, value_parser = temperature)]
    temperature: f64,
    /// ROUGE-L from which a reply is a match.
    #[arg(long, value_name = "F", default_value_t = 0.75, value_parser = share)]
    rouge_l: f64,
    /// Share of the released words in one run from which a reply is a match.
    #[arg(long, value_name = "F", default_value_t = 0.5, value_parser = share)]
    run: f64,
    #[command(flatten)]
    template: TemplateArgs,
    #[command(flatten)]
    common: CommonArgs,
}

fn share(given: &str) -> Result<f64, String> {
    let number = given.trim().parse().ok().filter(|&share| share > 0.0 && share <= 1.0);
    number.ok_or_else(|| "give a number above 0 and at most 1".to_string())
}

fn temperature(given: &str) -> Result<f64, String> {
    let number = given.trim().parse().ok().filter(|&temperature: &f64| temperature >= 0.0 && temperature.is_finite());
    number.ok_or_else(|| "give a number from 0 up".to_string())
}

fn percent(given: &str) -> Result<f64, String> {
    let number = given.trim().parse().ok().filter(|&percent| percent > 0.0 && percent <= 100.0);
    number.ok_or_else(|| "give a number above 0 and at most 100".to_string())
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.command {
        Command::Orders(args) => {
            let settings =
                orders::Settings { orders: args.orders, draws: args.draws, seed: args.common.data.limit.seed };
            let begun = Begun::new(&args.common)?;
            let found =
                begun.scored(|scorer, items, after_pass| orders::probe(scorer, items, &settings, after_pass))?;
            begun.finish(&found.rows, &found.skipped, Found::Orders { settings, groups: found.groups.clone() })
        }
        Command::MinK(args) => {
            let settings =
                min_k::Settings { percent: args.percent, draws: args.draws, seed: args.common.data.limit.seed };
            let begun = Begun::new(&args.common)?;
            let found = begun.scored(|scorer, items, after_pass| min_k::probe(scorer, items, &settings, after_pass))?;
            begun.finish(&found.rows, &found.skipped, Found::MinK { settings, groups: found.groups.clone() })
        }
        Command::Recall(args) => recall(&args),
    }
}

fn recall(args: &RecallArgs) -> anyhow::Result<Outcome> {
    anyhow::ensure!(
        args.trials == 1 || args.temperature > 0.0,
        "--trials {}: the replies would all be the same, since the likeliest token is always taken; set --temperature \
         above 0, or leave out --trials",
        args.trials
    );
    let mut protocols = args.protocols.clone();
    protocols.sort_unstable();
    protocols.dedup();
    let settings = recall::Settings {
        protocols: if protocols.is_empty() { Protocol::ALL.to_vec() } else { protocols },
        trials: args.trials,
        temperature: args.temperature,
        rouge_l: args.rouge_l,
        run: args.run,
        seed: args.common.data.limit.seed,
    };
    let mut begun = Begun::new(&args.common)?;
    begun.model.choose_template(&args.template, args.common.model.offline)?;
    let model = &begun.model;
    let variables = args.template.writing(&model.files, &model.text, ThinkingChoice::Off)?;
    let decoder = Shown::during("loading weights", || model.decoder())?;
    let speaker = Speaker {
        scorer: Scorer { decoder: &decoder, tokenizer: &model.text.tokenizer, memory: model.memory() },
        template: model.text.template.as_ref(),
        render: RenderSettings { variables, ..RenderSettings::for_generation() },
    };
    let shown = Shown::new();
    let mut known = false;
    let mut after_step = |progress: &GenerateProgress| {
        if !std::mem::replace(&mut known, true) {
            let all = progress.ended + progress.live + progress.waiting;
            shown.tracker().count("writing replies", all, "replies");
        }
        shown.tracker().at(progress.ended as u64, String::new());
    };
    let (items, released) = (&begun.loaded.items, begun.loaded.in_data());
    let found = recall::probe(&speaker, items, released, &settings, &mut after_step)?;
    drop(shown);
    begun.finish(&found.rows, &found.skipped, Found::Recall { settings, groups: found.groups.clone() })
}

/// Items and model of a probe, its output checked.
struct Begun<'a> {
    args: &'a CommonArgs,
    loaded: LoadedItems,
    model: LoadedModel,
    rows: Option<Rows>,
}

impl<'a> Begun<'a> {
    fn new(args: &'a CommonArgs) -> anyhow::Result<Self> {
        let (format, _) = args.format.of_tables()?;
        anyhow::ensure!(
            matches!(format, Format::Terminal | Format::Markdown | Format::Json),
            "--format {format}: probes are written as terminal, markdown or json; --out has the items one by one"
        );
        args.model.refuse_several("probe")?;
        let dataset = args.choice.of(dataset(&args.data)?);
        let computing = args.model.compute.begin()?;
        let loaded = Shown::during("reading items", || dataset.load())?;
        if let Some(unread) = loaded.unread() {
            eprintln!("{}", for_terminal(&unread));
        }
        let rows = args.out.as_deref().map(Rows::open).transpose()?;
        let model = LoadedModel::open_on(&args.model, computing)?;
        Ok(Begun { args, loaded, model, rows })
    }

    /// Load the weights and let them score.
    fn scored<T, E>(
        &self,
        probe: impl FnOnce(&Scorer<'_>, &[tomeval::benchmark::Item], &mut dyn FnMut(usize, usize)) -> Result<T, E>,
    ) -> anyhow::Result<T>
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        let decoder = Shown::during("loading weights", || self.model.decoder())?;
        let scorer = Scorer { decoder: &decoder, tokenizer: &self.model.text.tokenizer, memory: self.model.memory() };
        let shown = Shown::new();
        let mut known = false;
        Ok(probe(&scorer, &self.loaded.items, &mut |forwarded, all| {
            if !std::mem::replace(&mut known, true) {
                shown.tracker().count("scoring", all, "tokens");
            }
            shown.tracker().at(forwarded as u64, String::new());
        })?)
    }

    /// Write the rows and print the document.
    fn finish<R: Serialize>(self, rows: &[R], skipped: &[SkippedRow], found: Found) -> anyhow::Result<Outcome> {
        if let Some(mut out) = self.rows {
            rows.iter().try_for_each(|row| out.write(row))?;
            skipped.iter().try_for_each(|row| out.write(row))?;
            out.close()?;
        }
        let computing = &self.model.computing;
        let document = Document {
            version: PROBE_VERSION,
            program: Program::this(),
            model: self.model.identity()?,
            device: computing.choice.to_string(),
            dtype: computing.precision.name().to_string(),
            found,
        };
        let (format, screen) = self.args.format.of_tables()?;
        let text = render(&document, format, screen)?;
        super::data::print(&if format == Format::Json { for_json(&text) } else { for_terminal(&text) })?;
        Ok(if self.loaded.unread().is_some() { Outcome::Incomplete } else { Outcome::Done })
    }
}

/// The items named, within a limit; the demo inventory where none is.
fn dataset(data: &DataArgs) -> anyhow::Result<Dataset> {
    let mut dataset = data.dataset()?;
    if dataset.made_stories.take().is_some() {
        // Stories made for the probe were never released.
        dataset.benchmarks = vec![Benchmark::Demo];
    }
    if dataset.limit.is_none() && dataset.limit_stories.is_none() {
        dataset.limit_stories = Some(STORIES);
    }
    Ok(dataset)
}

/// JSON lines in a file that has its name only when it is complete.
struct Rows {
    path: PathBuf,
    partial: PathBuf,
    file: BufWriter<File>,
    /// What the first line holds beside its row.
    canary: Option<&'static str>,
}

/// A row as it is written.
#[derive(Serialize)]
struct Line<'a, R> {
    #[serde(flatten)]
    row: &'a R,
    #[serde(skip_serializing_if = "Option::is_none")]
    canary: Option<&'static str>,
}

impl Rows {
    fn open(path: &Path) -> anyhow::Result<Self> {
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let file = File::create(&partial).with_context(|| format!("writing {}", partial.display()))?;
        Ok(Rows { path: path.to_path_buf(), partial, file: BufWriter::new(file), canary: Some(CANARY) })
    }

    fn write(&mut self, row: &impl Serialize) -> anyhow::Result<()> {
        let line = serde_json::to_string(&Line { row, canary: self.canary.take() })?;
        writeln!(self.file, "{line}").with_context(|| format!("writing {}", self.partial.display()))
    }

    fn close(mut self) -> anyhow::Result<()> {
        self.file.flush().with_context(|| format!("writing {}", self.partial.display()))?;
        std::fs::rename(&self.partial, &self.path).with_context(|| format!("writing {}", self.path.display()))
    }
}
