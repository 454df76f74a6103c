//! `tomeval probe`: looks for signs that a model was trained on a benchmark, and for beliefs in its residual stream.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Outcome;
use super::figures::FigureArgs;
use super::report::TableFormatArgs;
#[cfg(feature = "server")]
use super::server::{Connected, ScoringRoute};
use super::states::{Row as StateRow, StatesFile};
use crate::arguments::numbers::{TURNS, within};
use crate::arguments::place::Place;
use crate::arguments::server_args::ServerArgs;
use crate::arguments::setup::{ChoiceArgs, DataArgs, LoadedModel, ModelArgs};
use crate::arguments::template::TemplateArgs;
#[cfg(feature = "server")]
use crate::backend::Route;
use crate::benchmark::{Benchmark, Item};
use crate::canary::CANARY;
use crate::figure::Chart;
use crate::model::RenderSettings;
#[cfg(feature = "server")]
use crate::probe::ServedModel;
use crate::probe::recall;
use crate::probe::{
    After, Document, Found, Generates, PROBE_VERSION, ProbeError, Probed, Prompts, Protocol, Scorer, Scores,
    SkippedRow, Speaker, beliefs, min_k, orders, render,
};
use crate::prompt::Scoring;
use crate::run::Program;
use crate::safe_text::{for_json, for_terminal};
use crate::table::Format;
use crate::terminal::files::LinesFile;
use crate::terminal::progress::Shown;
use crate::trial::{Dataset, LoadedItems, ThinkingChoice};

/// Made stories from which probes can be learned.
const STORIES_LEARNED: std::ops::RangeInclusive<usize> = 40..=100_000;

/// Default number of stories probed: as many as XToM's authors used (appendix A.4).
const STORIES: usize = 100;

/// Arguments of `tomeval probe`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Test whether the released option order is more likely than other orders.
    Orders(OrdersArgs),
    /// Test whether released stories are more likely, token by token, than new ones of the same form (hi-tom, tomi).
    MinK(MinKArgs),
    /// Test whether the model can recite items, the second half of a story (XToM, appendix A.4), or classic tests (ToMBench, appendix A).
    Recall(RecallArgs),
    /// Test what can be decoded from the residual stream about who takes an object to be where (hi-tom, tomi).
    Beliefs(BeliefsArgs),
}

/// Arguments of every probe.
#[derive(Debug, clap::Args)]
struct CommonArgs {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    server: ServerArgs,
    /// At most 100 stories per benchmark are probed by default.
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    /// Also write the findings for each item, and the items left out, as JSON lines.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    out: Option<PathBuf>,
    #[command(flatten)]
    format: TableFormatArgs,
}

#[derive(Debug, clap::Args)]
struct OrdersArgs {
    /// Orders to compare with each released order; all if there are no more (23 for four options).
    #[arg(long, value_name = "K", default_value_t = 23, value_parser = within(TURNS))]
    orders: usize,
    /// Permutations drawn for the joint test of all items, if there are too many to enumerate.
    #[arg(long, value_name = "N", default_value_t = 9999, value_parser = within(TURNS))]
    draws: usize,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Debug, clap::Args)]
struct MinKArgs {
    /// Percentage of a text's tokens to count, least likely first.
    #[arg(long = "percent", short = 'k', value_name = "K", default_value_t = 20.0, value_parser = percent)]
    percent: f64,
    /// Permutations drawn for the test, if there are too many to enumerate.
    #[arg(long, value_name = "N", default_value_t = 9999, value_parser = within(TURNS))]
    draws: usize,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Debug, clap::Args)]
struct RecallArgs {
    /// Ask for an example of the dataset, for the second half of each story, or for an example of the Sally-Anne and of the
    /// Smarties test; may be repeated [default: example and completion].
    #[arg(long = "protocol", value_name = "example|completion|classic")]
    protocols: Vec<Protocol>,
    /// File of prompts in place of the built-in ones (docs/probe.md).
    #[arg(long, value_name = "FILE")]
    prompts: Option<PathBuf>,
    /// Number of requests for an example, also of a classic test, in each language.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within(TURNS))]
    trials: usize,
    /// Sampling temperature; 0 always takes the most likely token.
    #[arg(long, value_name = "T", default_value_t = 0.0, value_parser = temperature)]
    temperature: f64,
    /// Minimum ROUGE-L of a match.
    #[arg(long, value_name = "F", default_value_t = 0.75, value_parser = share)]
    rouge_l: f64,
    /// Minimum share of the released words in one run for a match.
    #[arg(long, value_name = "F", default_value_t = 0.5, value_parser = share)]
    run: f64,
    #[command(flatten)]
    template: TemplateArgs,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Debug, clap::Args)]
struct BeliefsArgs {
    /// Made stories to learn from, half of them with a true belief.
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = within(STORIES_LEARNED))]
    stories: usize,
    /// Residual stream of each statement's last token after the embedding and each layer, before the final norm, as a file
    /// of numpy (FILE.npy); FILE.json names the rows.
    #[arg(long, value_name = "FILE.npy", help_heading = "Output")]
    states: Option<PathBuf>,
    #[command(flatten)]
    figures: FigureArgs,
    #[command(flatten)]
    common: CommonArgs,
}

fn share(given: &str) -> Result<f64, String> {
    let number = given.trim().parse().ok().filter(|&share| share > 0.0 && share <= 1.0);
    number.ok_or_else(|| "give a number above 0 and at most 1".to_string())
}

fn temperature(given: &str) -> Result<f64, String> {
    let number = given.trim().parse().ok().filter(|&temperature: &f64| temperature >= 0.0 && temperature.is_finite());
    number.ok_or_else(|| "give a number of at least 0".to_string())
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
            let begun = Begun::new(&args.common, args.common.check()?, &raw(), Scoring::Text)?;
            let found = begun.scored(|model, items, after| orders::probe(model, items, &settings, after))?;
            begun.finish(&found.rows, &found.skipped, Found::Orders { settings, groups: found.groups.clone() })
        }
        Command::MinK(args) => {
            let settings =
                min_k::Settings { percent: args.percent, draws: args.draws, seed: args.common.data.limit.seed };
            let begun = Begun::new(&args.common, args.common.check()?, &raw(), Scoring::Text)?;
            let found = begun.scored(|model, items, after| min_k::probe(model, items, &settings, after))?;
            begun.finish(&found.rows, &found.skipped, Found::MinK { settings, groups: found.groups.clone() })
        }
        Command::Recall(args) => recall(&args),
        Command::Beliefs(args) => beliefs(&args),
    }
}

fn beliefs(args: &BeliefsArgs) -> anyhow::Result<Outcome> {
    let common = &args.common;
    common.model.check_local("probe beliefs")?;
    args.figures.check()?;
    args.states.as_deref().map_or(Ok(()), StatesFile::check)?;
    let settings = beliefs::Settings { stories: args.stories, seed: common.data.limit.seed };
    let begun = Begun::new(common, common.check()?, &raw(), Scoring::Text)?;
    let mut states = args.states.as_deref().map(|path| begun.states_file(path));
    let mut keep = |state: beliefs::State<'_>| match &mut states {
        Some(file) => file.write(state_row(&state), state.values),
        None => Ok(()),
    };
    let found = begun.read(|scorer, items, after| beliefs::probe(scorer, items, &settings, &mut keep, after))?;
    if let (Some(file), Model::Local(model)) = (states, &begun.model) {
        file.close(model)?;
    }
    let charts: Vec<(String, Chart)> = found
        .groups
        .iter()
        .map(|group| {
            let name = format!("beliefs-{}-{}", group.benchmark, group.language);
            (name, beliefs::chart(group, common.model.name()))
        })
        .collect();
    args.figures.write_charts(charts.iter().map(|(name, chart)| (name.as_str(), chart)))?;
    begun.finish(&found.rows, &found.skipped, Found::Beliefs { settings, groups: found.groups.clone() })
}

/// What the state of a statement is of.
fn state_row(state: &beliefs::State<'_>) -> StateRow {
    let beliefs::State { statement, is_released, tokens, .. } = *state;
    StateRow {
        token: tokens - 1,
        chain: Some(statement.question.chain.clone()),
        object: Some(statement.question.object.clone()),
        statement: Some(statement.statement.clone()),
        set: Some(if is_released { "released" } else { "made" }),
        belief: Some(statement.belief),
        reality: Some(statement.reality),
        ..StateRow::new(&statement.id, statement.language)
    }
}

impl CommonArgs {
    /// Checks the arguments, and returns where the model is.
    fn check(&self) -> anyhow::Result<Place> {
        let (format, _) = self.format.chosen();
        anyhow::ensure!(
            matches!(format, Format::Terminal | Format::Markdown | Format::Json),
            "--format {format}: probes are written as terminal, markdown or json; --out writes the single items"
        );
        self.model.check_one("probe", &self.server)
    }
}

impl RecallArgs {
    fn check(&self) -> anyhow::Result<Place> {
        anyhow::ensure!(
            self.trials == 1 || self.temperature > 0.0,
            "--trials {}: all replies would be identical under greedy decoding; set --temperature \
             above 0, or leave out --trials",
            self.trials
        );
        self.common.check()
    }
}

/// Scores texts as they would stand in training text.
fn raw() -> TemplateArgs {
    TemplateArgs { chat_template: Some("none".to_string()), ..TemplateArgs::default() }
}

fn recall(args: &RecallArgs) -> anyhow::Result<Outcome> {
    let place = args.check()?;
    let mut protocols = args.protocols.clone();
    protocols.sort_unstable();
    protocols.dedup();
    let (prompts, wording) = match &args.prompts {
        Some(path) => Prompts::read(path).map(|(prompts, wording)| (prompts, Some(wording)))?,
        None => (Prompts::built_in(), None),
    };
    let known = prompts.protocols();
    if let (Some(path), Some(missing)) = (&args.prompts, protocols.iter().find(|asked| !known.contains(asked))) {
        anyhow::bail!("--protocol {missing}: {} has no prompt called `{missing}`", path.display());
    }
    if protocols.is_empty() {
        protocols = known.into_iter().filter(|protocol| *protocol != Protocol::Classic).collect();
    }
    let settings = recall::Settings {
        protocols,
        wording,
        prompts,
        trials: args.trials,
        temperature: args.temperature,
        rouge_l: args.rouge_l,
        run: args.run,
        seed: args.common.data.limit.seed,
    };
    let mut begun = Begun::new(&args.common, place, &args.template, Scoring::Generate)?;
    let found = begun.spoken(&args.template, |model, items, released, after| {
        recall::probe(model, items, released, &settings, after)
    })?;
    begun.finish(&found.rows, &found.skipped, Found::Recall { settings, groups: found.groups.clone() })
}

/// Items, model and checked output of a probe.
struct Begun<'a> {
    args: &'a CommonArgs,
    loaded: LoadedItems,
    model: Model,
    rows: Option<Rows>,
}

/// The probed model.
enum Model {
    /// A model on this machine.
    Local(Box<LoadedModel>),
    /// A model on a server, and the route to it.
    #[cfg(feature = "server")]
    Server(Box<Connected>, ScoringRoute),
}

impl<'a> Begun<'a> {
    fn new(args: &'a CommonArgs, place: Place, template: &TemplateArgs, scoring: Scoring) -> anyhow::Result<Self> {
        let dataset = args.choice.of(dataset(&args.data)?)?;
        let load = || -> anyhow::Result<LoadedItems> {
            let loaded = Shown::during("reading items", || dataset.load())?;
            if let Some(unread) = loaded.unread() {
                eprintln!("{}", for_terminal(&unread));
            }
            Ok(loaded)
        };
        #[cfg(feature = "server")]
        if place == Place::Server {
            let loaded = load()?;
            let rows = args.out.as_deref().map(Rows::open).transpose()?;
            let connected = Connected::one(args.model.name(), args.model.offline, &args.server, template)?;
            if let (Scoring::Text, Err(why)) = (scoring, &connected.abilities.prompt) {
                anyhow::bail!(
                    "this probe needs log-probabilities of whole prompts, which the server does not give: {}; `probe \
                     recall` needs only replies",
                    for_terminal(why)
                );
            }
            let way = ScoringRoute::new(&connected, &args.server, scoring)?;
            return Ok(Begun { args, loaded, model: Model::Server(Box::new(connected), way), rows });
        }
        #[cfg(not(feature = "server"))]
        let _ = (template, scoring, place);
        let computing = args.model.compute.begin()?;
        let loaded = load()?;
        let rows = args.out.as_deref().map(Rows::open).transpose()?;
        let model = Model::Local(Box::new(LoadedModel::open_on(&args.model, computing)?));
        Ok(Begun { args, loaded, model, rows })
    }

    /// Runs a probe on scored items.
    fn scored<T>(
        &self,
        probe: impl FnOnce(&dyn Scores, &[Item], After<'_>) -> Result<T, ProbeError>,
    ) -> anyhow::Result<T> {
        let items = &self.loaded.items;
        match &self.model {
            Model::Local(model) => {
                let decoder = Shown::during("loading weights", || model.decoder())?;
                let scorer = Scorer { decoder: &decoder, tokenizer: &model.text.tokenizer, memory: model.memory() };
                let shown = Shown::new();
                Ok(probe(&scorer, items, &mut shown.counting("scoring", "tokens"))?)
            }
            #[cfg(feature = "server")]
            Model::Server(connected, way) => {
                let setup = way.setup(connected, None, &connected.variables, self.args.server.strict_server);
                let model = ServedModel { setup, neutral: connected.abilities.neutral.clone() };
                let shown = Shown::new();
                Ok(probe(&model, items, &mut shown.counting("asking", "texts"))?)
            }
        }
    }

    /// Runs a probe on states of a model on this machine.
    fn read<T>(
        &self,
        probe: impl FnOnce(&Scorer<'_>, &[Item], beliefs::AfterStage<'_>) -> Result<T, ProbeError>,
    ) -> anyhow::Result<T> {
        let model = match &self.model {
            Model::Local(model) => model,
            #[cfg(feature = "server")]
            Model::Server(..) => anyhow::bail!("a server gives no residual stream"),
        };
        let decoder = Shown::during("loading weights", || model.decoder())?;
        let scorer = Scorer { decoder: &decoder, tokenizer: &model.text.tokenizer, memory: model.memory() };
        let shown = Shown::new();
        let mut begun = String::new();
        let mut after = |what: &str, unit, done: usize, total| {
            if what != begun {
                shown.tracker().count(what, total, unit);
                begun = what.to_string();
            }
            shown.tracker().at(done as u64, String::new());
        };
        Ok(probe(&scorer, &self.loaded.items, &mut after)?)
    }

    /// A file of the model's residual streams.
    fn states_file(&self, path: &Path) -> StatesFile {
        let (layers, hidden) = match &self.model {
            Model::Local(model) => (model.spec.layers, model.spec.hidden),
            #[cfg(feature = "server")]
            Model::Server(..) => (0, 0),
        };
        StatesFile::new(path, layers, hidden)
    }

    /// Runs a probe on written replies.
    fn spoken<T>(
        &mut self,
        template: &TemplateArgs,
        probe: impl FnOnce(&dyn Generates, &[Item], &[Item], After<'_>) -> Result<T, ProbeError>,
    ) -> anyhow::Result<T> {
        let (items, released) = (&self.loaded.items, self.loaded.in_data());
        match &mut self.model {
            Model::Local(model) => {
                model.choose_template(template, self.args.model.offline)?;
                let variables = template.writing(&model.files, &model.text, ThinkingChoice::Off)?;
                let decoder = Shown::during("loading weights", || model.decoder())?;
                let speaker = Speaker {
                    scorer: Scorer { decoder: &decoder, tokenizer: &model.text.tokenizer, memory: model.memory() },
                    template: model.text.template.as_ref(),
                    render: RenderSettings { variables, ..RenderSettings::for_generation() },
                };
                let shown = Shown::new();
                Ok(probe(&speaker, items, released, &mut shown.counting("writing replies", "replies"))?)
            }
            #[cfg(feature = "server")]
            Model::Server(connected, way) => {
                let template = connected.text.template.as_ref().filter(|_| way.route == Route::Completions);
                let mut variables =
                    template.map_or_else(Default::default, |template| template.without_thinking(&Default::default()));
                variables.extend(connected.variables.clone());
                let abilities = &connected.abilities;
                if let (Route::Chat, Some(mark)) = (way.route, abilities.thinks) {
                    eprintln!(
                        "note: {}: the server's template has the model think before it replies ({mark}); --template-var switches \
                         that off, as enable_thinking=false",
                        connected.model
                    );
                }
                if connected.text.tokenizer.is_none() {
                    eprintln!(
                        "note: without --tokenizer the token count of a story's second half is unknown, so replies \
                         may be longer than it"
                    );
                }
                let setup = way.setup(connected, template, &variables, self.args.server.strict_server);
                let model = ServedModel { setup, neutral: abilities.neutral.clone() };
                let shown = Shown::new();
                Ok(probe(&model, items, released, &mut shown.counting("asking", "replies"))?)
            }
        }
    }

    /// Writes the rows and prints the document.
    fn finish<R: Serialize>(self, rows: &[R], skipped: &[SkippedRow], found: Found) -> anyhow::Result<Outcome> {
        if let Some(mut out) = self.rows {
            rows.iter().try_for_each(|row| out.write(row))?;
            skipped.iter().try_for_each(|row| out.write(row))?;
            out.close()?;
        }
        let (model, computing) = match self.model {
            Model::Local(model) => (Probed::Local(model.identity()?), Some(model.computing)),
            #[cfg(feature = "server")]
            Model::Server(connected, way) => (Probed::Server(way.identity(&connected)), None),
        };
        let document = Document {
            version: PROBE_VERSION,
            program: Program::this(),
            model,
            device: computing.as_ref().map(|computing| computing.choice.to_string()),
            dtype: computing.as_ref().map(|computing| computing.precision.name().to_string()),
            found,
        };
        let (format, screen) = self.args.format.chosen();
        let text = render(&document, format, screen)?;
        crate::terminal::stdout::print(&if format == Format::Json { for_json(&text) } else { for_terminal(&text) })?;
        let unanswered: Vec<&SkippedRow> = skipped.iter().filter(|row| row.unanswered).collect();
        if let Some(first) = unanswered.first() {
            let have = if unanswered.len() == 1 { "question has" } else { "questions have" };
            eprintln!(
                "warning: {} {have} no answer; the first, {}: {}",
                unanswered.len(),
                for_terminal(&first.id),
                for_terminal(&first.skipped)
            );
        }
        let complete = self.loaded.unread().is_none() && unanswered.is_empty();
        Ok(if complete { Outcome::Done } else { Outcome::Incomplete })
    }
}

/// Returns the named items, within a limit; by default the demo inventory.
fn dataset(data: &DataArgs) -> anyhow::Result<Dataset> {
    let mut dataset = data.dataset()?;
    if dataset.made_stories.take().is_some() {
        // Stories generated for the probe were never released.
        dataset.benchmarks = vec![Benchmark::Demo];
    }
    if dataset.limit.is_none() && dataset.limit_stories.is_none() {
        dataset.limit_stories = Some(STORIES);
    }
    Ok(dataset)
}

/// Output file of rows.
struct Rows {
    file: LinesFile,
    /// Canary written with the first row.
    canary: Option<&'static str>,
}

/// A row of the output.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Line<'a, R> {
    #[serde(flatten)]
    row: &'a R,
    #[serde(skip_serializing_if = "Option::is_none")]
    canary: Option<&'static str>,
}

impl Rows {
    fn open(path: &Path) -> anyhow::Result<Self> {
        Ok(Rows { file: LinesFile::create(path)?, canary: Some(CANARY) })
    }

    fn write(&mut self, row: &impl Serialize) -> anyhow::Result<()> {
        self.file.write(&Line { row, canary: self.canary.take() })
    }

    fn close(self) -> anyhow::Result<()> {
        self.file.close()
    }
}
