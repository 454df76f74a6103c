//! A model given by its shape alone: random weights, no files, no tokenizer.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use indexmap::IndexMap;
use indicatif::HumanBytes;
use jiff::Timestamp;

use super::{MeasureArgs, steps};
use crate::arguments::compute::Computing;
use crate::bench::{self, Bench, CutCheck, Environment, Prompts, RandomWeights, Scored, Settings, Summary};
use crate::cli::Outcome;
use crate::decoder::{Decoder, DecoderSpec, Gpu, Precision, Weights};
use crate::engine::MemoryCosts;
use crate::model::{self, Card};
use crate::run::{ModelIdentity, Program};
use crate::terminal::progress::Shown;

/// Layers of the truncated model that is compared with the CPU.
const CUT: usize = 2;

/// Shape to measure, and how to draw its weights.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Without a model's files")]
pub struct ShapeArgs {
    /// Measure a model of this card's shape (`tomeval models list`) with random weights: needs no files and no
    /// tokenizer, and replaces the built-in questions by a synthetic trie.
    #[arg(long, value_name = "CARD", requires = "random", conflicts_with_all = ["model", "adapters"])]
    pub shape: Option<String>,
    /// Draw random weights.
    #[arg(long, requires = "shape")]
    random: bool,
    /// Seed of the random weights.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "shape")]
    seed: u64,
    /// First compare two layers of the shape with the CPU in f32; a difference is an error of the device.
    #[arg(long, requires = "shape")]
    check: bool,
    /// Score a run's prompts, by their lengths and shared prefixes from `tomeval plan --trie FILE`, instead of the
    /// synthetic trie.
    #[arg(long, value_name = "FILE", requires = "shape", conflicts_with = "no_score")]
    trie: Option<PathBuf>,
    /// Run each case once more and show where its time goes, by operation, shapes and source line. On a CPU this
    /// measures the tensor operations used on GPUs instead of the program's own arithmetic.
    #[arg(long, requires = "shape")]
    pub profile: bool,
}

pub fn measure(name: &str, args: &MeasureArgs) -> anyhow::Result<Outcome> {
    let card = model::card(name)?
        .with_context(|| format!("--shape {name}: unknown model; `tomeval models list` lists them"))?;
    let spec_of = |card: &Card| -> anyhow::Result<DecoderSpec> {
        let spec = card.spec().with_context(|| format!("--shape {name}: its card names no sizes"))?;
        Ok(spec?)
    };
    let spec = spec_of(card)?;
    let computing = args.model.compute.begin()?;
    let seed = args.shape.seed;
    let mut settings = args.settings(Some(RandomWeights { seed }));
    let scored = match (args.no_score, &args.shape.trie) {
        (true, _) => Err("left out with --no-score".to_string()),
        (false, None) => Ok(Scored::Prompts(bench::synthetic_trie(spec.vocab_size, settings.trie_tokens())?)),
        (false, Some(path)) => {
            let in_file = || path.display().to_string();
            let file = std::fs::File::open(path).with_context(in_file)?;
            let trials = bench::read_trie(file, spec.vocab_size, spec.max_position).with_context(in_file)?;
            settings.trie = Some(Prompts::new(&trials));
            Ok(Scored::Prompts(trials))
        }
    };
    check_room(name, &spec, &computing, &settings)?;

    let check = match args.shape.check {
        false => None,
        true => {
            let cut = spec_of(&first_layers(card))?;
            let longest = settings.prompt.iter().copied().max().unwrap_or(0);
            let work = || bench::check_cut(&cut, seed, &computing.device, computing.precision, longest);
            Some(Shown::during("comparing two layers", work)?)
        }
    };
    let started = Instant::now();
    let load = || match computing.device.is_cpu() && settings.profile {
        true => Decoder::load_portable(spec.clone(), Weights::random(seed), &computing.device, computing.precision),
        false => Decoder::random(spec.clone(), seed, &computing.device, computing.precision),
    };
    let decoder = Shown::during("drawing weights", load)?;
    let load_seconds = Summary::from_values(&[started.elapsed().as_secs_f64()]).context("no time was taken")?;

    let shown = Shown::new();
    shown.tracker().count("measuring", steps(&settings, &spec, scored.is_ok()), "steps");
    let mut step = 0;
    let to_score = scored.as_ref().map_err(String::clone);
    let measured = bench::measure(&decoder, computing.precision, &settings, to_score, |turn, case| {
        let what = if turn == 0 { "warming up".to_string() } else { format!("turn {turn}") };
        shown.tracker().at(step, format!("{what}: {}", case.name()));
        step += 1;
    })?;
    drop(shown);
    let passed = check.as_ref().is_none_or(|check: &CutCheck| check.passed);
    let bench = Bench {
        version: bench::VERSION,
        program: Program::this(),
        created: Timestamp::now().round(jiff::Unit::Second)?.to_string(),
        environment: Environment::new(
            computing.choice.to_string(),
            Gpu::from_device(&computing.device),
            computing.precision.name().to_string(),
            computing.threads,
        ),
        model: ModelIdentity {
            name: name.to_string(),
            source: format!("random weights, seed {seed}"),
            path: None,
            revision: None,
            family: spec.family.to_string(),
            sha256: IndexMap::new(),
            adapter: None,
        },
        settings,
        load_seconds,
        measured,
        check,
    };
    args.print(&bench)?;
    Ok(if passed { Outcome::Done } else { Outcome::Incomplete })
}

/// Returns a card with the first layers of its model, including an expert layer if it has any.
fn first_layers(card: &Card) -> Card {
    let mut cut = card.clone();
    if let Some(shape) = &mut cut.shape {
        shape.layers = shape.layers.min(CUT);
        if let Some(experts) = &mut shape.experts {
            experts.dense_layers = experts.dense_layers.min(shape.layers - 1);
        }
    }
    cut
}

/// Refuses a shape that does not fit into memory, and names the needs of other precisions.
fn check_room(name: &str, spec: &DecoderSpec, computing: &Computing, settings: &Settings) -> anyhow::Result<()> {
    let longest = settings.prompt.iter().copied().filter(|&tokens| tokens <= spec.max_position).max().unwrap_or(0);
    let pass = MemoryCosts::new(spec, computing.arithmetic).pass_bytes(longest, longest);
    let bytes = |precision| Decoder::weight_bytes(spec, &Weights::random(0), &computing.device, precision);
    let weights = bytes(computing.precision)?;
    if !computing.device.is_cpu() {
        return computing.check_room(weights, pass);
    }
    let (_, free) = crate::machine::memory();
    let loading = Decoder::loading_bytes(spec, &computing.device, computing.precision);
    if weights.saturating_add(pass.max(loading)) <= free {
        return Ok(());
    }
    let mut others = Vec::new();
    for precision in [Precision::BF16, Precision::Q8_0, Precision::Q4K] {
        others.push(format!("--dtype {precision} takes {}", HumanBytes(bytes(precision)?)));
    }
    anyhow::bail!(
        "--shape {name} needs {} for the weights in {} and {} for a pass of {longest} tokens, but only {} of memory is \
         free; {}, and --prompt sets shorter passes",
        HumanBytes(weights),
        computing.precision,
        HumanBytes(pass),
        HumanBytes(free),
        others.join(", ")
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_layers_of_every_shape_are_a_model() {
        let mut cut = 0;
        for card in model::cards().unwrap().iter().filter(|card| card.shape.is_some() && card.obstacle().is_none()) {
            let spec = first_layers(card).spec().unwrap().unwrap();
            assert_eq!(spec.layers, CUT, "{}", card.name);
            let experts = card.shape.as_ref().is_some_and(|shape| shape.experts.is_some());
            let layers = spec.experts.as_ref().map(|experts| experts.layers.contains(&true));
            assert_eq!(layers.unwrap_or(false), experts, "{}", card.name);
            cut += 1;
        }
        assert!(cut > 40, "{cut}");
    }
}
