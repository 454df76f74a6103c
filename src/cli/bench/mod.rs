//! `tomeval bench`: throughput of a model on this machine, compared with the machine's limits.

use std::path::{Path, PathBuf};

use anyhow::Context;
use jiff::Timestamp;

use crate::bench::{self, Bench, Drift, Environment, RandomWeights, Scored, ScoringSet, Settings};
use crate::decoder::{Decoder, DecoderSpec, ExpertPlacement, Gpu, Precision};
use crate::run::Program;
use crate::table::Format;

mod shape;

use super::Outcome;
use super::report::TableFormatArgs;
use crate::arguments::compute::Computing;
use crate::arguments::numbers::{ITEMS, SEQUENCES, TOKENS, TURNS, within};
use crate::arguments::setup::{LoadedModel, ModelArgs};
use crate::terminal::error_chain::error_chain;
use crate::terminal::progress::Shown;

/// Arguments of `tomeval bench`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    measure: MeasureArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Compare two measurements: ratios of medians, the second over the first.
    Compare(CompareArgs),
    /// Effect of --dtype quantized or --quantize on this model's answers: weights and 8-bit activations separately.
    Drift(DriftArgs),
}

#[derive(Debug, clap::Args)]
struct DriftArgs {
    /// Questions of the built-in English inventory, each in up to five orders [default: all].
    #[arg(long, value_name = "N", value_parser = within(ITEMS))]
    questions: Option<usize>,
    #[command(flatten)]
    format: TableFormatArgs,
    #[command(flatten)]
    model: ModelArgs,
}

#[derive(Debug, clap::Args)]
struct CompareArgs {
    /// Documents written by `tomeval bench --out` or `--json`.
    #[arg(value_name = "A.json")]
    first: PathBuf,
    #[arg(value_name = "B.json")]
    second: PathBuf,
    #[command(flatten)]
    format: TableFormatArgs,
}

#[derive(Debug, clap::Args)]
struct MeasureArgs {
    /// Prompt lengths in tokens; skips those beyond the model's context [default: 128,512,2048, with --shape 8192 too].
    #[arg(long, value_delimiter = ',', value_name = "N,...", value_parser = within(TOKENS))]
    prompt: Vec<usize>,
    /// Tokens to generate per sequence; 0 skips decoding.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = within(0..=*TOKENS.end()))]
    generate: usize,
    /// Decoding batch sizes.
    #[arg(long, value_delimiter = ',', value_name = "N,...", default_value = "1,4,16", value_parser = within(SEQUENCES))]
    batch: Vec<usize>,
    /// Timed repetitions, after one warm-up.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = within(TURNS))]
    repeat: usize,
    /// Skip scoring the built-in questions or the synthetic trie.
    #[arg(long)]
    no_score: bool,
    #[command(flatten)]
    shape: shape::ShapeArgs,
    /// Also save the JSON document here, for `tomeval bench compare`.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    format: TableFormatArgs,
    #[command(flatten)]
    model: ModelArgs,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.command {
        Some(Command::Compare(args)) => compare(&args),
        Some(Command::Drift(args)) => drift(&args),
        None => {
            args.measure.check()?;
            match &args.measure.shape.shape {
                Some(name) => shape::measure(name, &args.measure),
                None => measure(&args.measure),
            }
        }
    }
}

fn compare(args: &CompareArgs) -> anyhow::Result<Outcome> {
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        Bench::parse(&text).with_context(|| path.display().to_string())
    };
    let comparison = bench::compare(&read(&args.first)?, &read(&args.second)?);
    let (format, screen) = args.format.chosen();
    crate::terminal::stdout::print(&bench::render_comparison(&comparison, format, screen)?)?;
    // The other formats include the warnings.
    if format == Format::Csv {
        comparison.warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
    }
    Ok(Outcome::Done)
}

/// Scores the same questions as configured, with exact activations, and in f32.
fn drift(args: &DriftArgs) -> anyhow::Result<Outcome> {
    args.model.check_local("bench drift")?;
    let (format, screen) = args.format.chosen();
    let model = LoadedModel::open(&args.model)?;
    let Computing { precision, choice, device, threads, experts, .. } = &model.computing;
    anyhow::ensure!(
        precision.is_quantised(),
        "bench drift: {} is not quantised; name a precision to measure: --dtype quantized (GGUF files), or --quantize q8_0, q4_0 \
         or q4_k",
        precision.name()
    );
    let text = &model.text;
    let questions = args.questions.unwrap_or(usize::MAX);
    let set = ScoringSet::new(questions, &text.tokenizer, text.template.as_ref(), &model.spec, model.memory())?;
    let shown = Shown::new();
    shown.tracker().count("scoring", if *precision == Precision::Quantized { 2 } else { 3 }, "ways");
    let done = std::cell::Cell::new(0);
    let load = |precision: Precision, exact: bool| {
        let what = if exact { "weights rounded, activations exact".to_string() } else { precision.name().to_string() };
        shown.tracker().at(done.replace(done.get() + 1), what);
        let weights = model.files.open()?.1.with_experts(*experts);
        let weights = if exact { weights.with_exact_products() } else { weights };
        Ok::<_, anyhow::Error>(Decoder::load(model.spec.clone(), weights, device, precision)?)
    };
    let steps = bench::measure_drift(&set, *precision, load)?;
    drop(shown);
    let drift = Drift {
        version: bench::VERSION,
        program: Program::this(),
        model: model.identity()?,
        environment: Environment::new(
            choice.to_string(),
            Gpu::from_device(device),
            precision.name().to_string(),
            *threads,
        ),
        questions: set.items(),
        steps,
    };
    crate::terminal::stdout::print(&bench::render_drift(&drift, format, screen)?)?;
    Ok(Outcome::Done)
}

fn measure(args: &MeasureArgs) -> anyhow::Result<Outcome> {
    let model = LoadedModel::open(&args.model)?;
    let settings = args.settings(None);
    let set = match args.no_score {
        true => Err("left out with --no-score".to_string()),
        false => {
            let (text, memory) = (&model.text, model.memory());
            ScoringSet::new(QUESTIONS, &text.tokenizer, text.template.as_ref(), &model.spec, memory)
                .map(|set| Scored::Questions(Box::new(set)))
                .map_err(|error| error.to_string())
        }
    };
    let identity = model.identity()?;
    let load = || bench::time_loading(settings.repeat, || model.decoder());
    let (decoder, load_seconds) = Shown::during("loading weights", load)?;
    let shown = Shown::new();
    shown.tracker().count("measuring", steps(&settings, &model.spec, set.is_ok()), "steps");
    let mut step = 0;
    let measured = bench::measure(
        &decoder,
        model.computing.precision,
        &settings,
        set.as_ref().map_err(String::clone),
        |turn, case| {
            let what = if turn == 0 { "warming up".to_string() } else { format!("turn {turn}") };
            shown.tracker().at(step, format!("{what}: {}", case.name()));
            step += 1;
        },
    )?;
    drop(shown);
    // For later plans; the measurements above do not depend on it.
    if let Err(error) = crate::arguments::costs::measure(&decoder, &identity.sha256, &model.computing) {
        eprintln!("warning: cannot measure costs for `tomeval plan`: {}", error_chain(&error));
    }
    let bench = Bench {
        version: bench::VERSION,
        program: Program::this(),
        created: Timestamp::now().round(jiff::Unit::Second)?.to_string(),
        environment: Environment::new(
            model.computing.choice.to_string(),
            Gpu::from_device(&model.computing.device),
            model.computing.precision.name().to_string(),
            model.computing.threads,
        ),
        model: identity,
        settings,
        load_seconds,
        measured,
        check: None,
    };
    args.print(&bench)?;
    Ok(Outcome::Done)
}

/// Questions whose scoring is timed.
const QUESTIONS: usize = 4;

/// Default prompt lengths; a shape is also measured at the length of long prompts.
const PROMPTS: [usize; 3] = [128, 512, 2048];
const LONG_PROMPT: usize = 8192;

impl MeasureArgs {
    fn check(&self) -> anyhow::Result<()> {
        self.model.check_local("bench")?;
        anyhow::ensure!(
            self.shape.shape.is_none() || self.model.compute.experts != Some(ExpertPlacement::Mapped),
            "--experts mapped reads experts from files, and --shape has none; leave it out"
        );
        let Some(out) = &self.out else { return Ok(()) };
        let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        tempfile::tempfile_in(folder).with_context(|| format!("{}: cannot be written", out.display()))?;
        anyhow::ensure!(!out.is_dir(), "{}: is a folder; name a file", out.display());
        Ok(())
    }

    fn settings(&self, random: Option<RandomWeights>) -> Settings {
        let usual = || PROMPTS.into_iter().chain(random.map(|_| LONG_PROMPT)).collect();
        Settings {
            prompt: if self.prompt.is_empty() { usual() } else { self.prompt.clone() },
            generate: self.generate,
            batch: self.batch.clone(),
            repeat: self.repeat,
            random,
            trie: None,
            profile: self.shape.profile,
        }
    }

    /// Saves the document if requested, and prints it.
    fn print(&self, bench: &Bench) -> anyhow::Result<()> {
        if let Some(out) = &self.out {
            crate::terminal::files::save(out, bench.to_json()?)?;
        }
        let (format, screen) = self.format.chosen();
        crate::terminal::stdout::print(&bench::render(bench, format, screen)?)?;
        if format == Format::Csv && self.shape.profile {
            eprintln!("warning: CSV leaves out the results of --profile; use --json");
        }
        Ok(())
    }
}

/// Returns the number of measurements.
fn steps(settings: &Settings, spec: &DecoderSpec, scoring: bool) -> usize {
    let (cases, _) = bench::cases(settings, spec);
    let cases = cases.iter().filter(|case| scoring || !case.scores()).count();
    cases * (settings.repeat + 1 + usize::from(settings.profile))
}
