//! `tomeval make subsample`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use anyhow::Context;

use super::Outcome;
use crate::annotate::Value;
use crate::arguments::setup::{ChoiceArgs, LoadedModel, ModelArgs, SourceArgs};
use crate::benchmark::{Benchmark, Item};
use crate::canary::CANARY;
use crate::cli::exports::exports;
use crate::cli::figures::FigureArgs;
use crate::cli::report::TableFormatArgs;
use crate::make::{
    Beside, Draw, Embedded, Embeddings, Origin, OwnItem, Parts, Quotas, Sample, SampleDocument, Settings, Spread,
    StoryUnit, chart, grids, mean_states, sample, story_units,
};
use crate::run::Program;
use crate::safe_text::{for_json, for_terminal};
use crate::table::render_grids;
use crate::terminal::files::save;
use crate::terminal::progress::Shown;
use crate::terminal::stdout::print;
use crate::trial::Dataset;

/// Arguments of `tomeval make subsample`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Benchmark to draw from [default: the one named by --data].
    #[arg(long, short, value_name = "NAME")]
    benchmark: Option<Benchmark>,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    /// Quotas of stories and questions: multi-tom (Table 3, along distances), xtom (300 stories at random), or a file
    /// (docs/sampling.md).
    #[arg(long, value_name = "NAME|FILE", default_value = "multi-tom")]
    quotas: String,
    /// Vectors of the stories: a .npy file (stories, dimensions) of f32 and, of the same name, a .json file with the stories
    /// of its rows; scripts/embed.py writes both.
    #[arg(long, value_name = "FILE", conflicts_with = "model")]
    embeddings: Option<PathBuf>,
    #[command(flatten)]
    model: ModelArgs,
    /// Exports of pages on which people labelled the settings of stories: lists those that the sample lacks.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    settings: Vec<PathBuf>,
    /// Random seed; the same seed gives the same sample.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Folder for items.jsonl, which `--data` reads, and sample.json, which tells how it was drawn.
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    figures: FigureArgs,
    #[command(flatten)]
    format: TableFormatArgs,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    args.figures.check()?;
    if args.embeddings.is_none() {
        args.model.check_local("make subsample")?;
    }
    let (format, screen) = args.format.chosen();
    let named: Vec<Benchmark> = args.benchmark.into_iter().collect();
    let benchmark = *args.source.benchmarks(&named)?.first().context("name the benchmark with --benchmark")?;
    let quotas = Quotas::named(&args.quotas, benchmark)?;
    let dataset = args.choice.of(args.source.dataset(vec![benchmark])?)?;
    let loaded = Shown::during("reading items", || dataset.load())?;
    if let Some(unread) = loaded.unread() {
        eprintln!("{unread}");
    }
    let items = &loaded.items;
    let language = items[0].language;
    anyhow::ensure!(
        items.iter().all(|item| item.language == language),
        "the items are in several languages; distances are of one: pass --language"
    );
    let stories = story_units(items);
    let labels = labels(&args.settings)?;
    let vectors = match quotas.draw {
        Draw::Random => None,
        Draw::Distance => Some(vectors(&args, &stories)?),
    };
    let sample = sample(&stories, vectors.as_ref(), &quotas, args.seed)?;
    let measured = vectors.is_some();
    let spread = measured.then(|| Spread::of_sample(&sample, args.seed));
    let beside = match quotas.beside.filter(|_| measured) {
        Some(other) => beside(other, &args, &stories, &sample)?,
        None => None,
    };
    let settings = labels.map(|labels| Settings::of(&sample, &stories, &labels));

    let lacks_settings = settings.as_ref().is_some_and(|settings| !settings.gaps.is_empty());
    let program = format!("tomeval {}", Program::this());
    save(&args.out.join("items.jsonl"), lines(&stories, &sample, &quotas, vectors.as_ref(), args.seed, &program)?)?;
    let grids = grids(&sample, spread.as_ref(), beside.as_ref(), settings.as_ref());
    let document = SampleDocument::new(Parts {
        program,
        benchmark,
        language,
        seed: args.seed,
        quotas: &quotas,
        vectors: vectors.as_ref(),
        stories: &stories,
        sample: &sample,
        spread: spread.as_ref(),
        beside: beside.as_ref(),
        settings,
    });
    let json = format!("{}\n", serde_json::to_string_pretty(&document)?);
    save(&args.out.join("sample.json"), &json)?;
    match args.format.is_json() {
        true => print(&for_json(&json))?,
        false => print(&for_terminal(&render_grids(&[], &grids, format, screen)))?,
    }
    if let Some(spread) = &spread {
        args.figures.write_charts([("sample-distances", &chart(spread, beside.as_ref()))].into_iter())?;
    }
    if stories.iter().flat_map(|story| &story.items).any(|item| OwnItem::<()>::joins_segments(item)) {
        eprintln!("note: parts of a context are joined as lines of one story in items.jsonl");
    }
    let lacking = lacks_settings || sample.met.iter().any(|met| met.unmet.is_some());
    Ok(if lacking || loaded.unread().is_some() { Outcome::Incomplete } else { Outcome::Done })
}

/// The vectors of all stories: imported, or of a model of this machine.
fn vectors(args: &Args, stories: &[StoryUnit<'_>]) -> anyhow::Result<Embedded> {
    if let Some(file) = &args.embeddings {
        let embeddings = Embeddings::read(file).context("--embeddings")?;
        return embeddings.of(stories).with_context(|| format!("--embeddings {}", file.display()));
    }
    let model = LoadedModel::open(&args.model)?;
    let decoder = model.decoder()?;
    let texts: Vec<String> = stories.iter().map(StoryUnit::text).collect();
    let shown = Shown::new();
    shown.tracker().count("embedding stories", texts.len(), "stories");
    let rows = mean_states(&decoder, &model.text.tokenizer, &texts, shown.tracker())?;
    drop(shown);
    let how = "mean of the last hidden states over all tokens".to_string();
    Ok(Embedded::new(model.files.name.clone(), how, stories, rows)?)
}

/// Settings of stories by id, all that any person chose; `None` without exports.
fn labels(files: &[PathBuf]) -> anyhow::Result<Option<BTreeMap<String, BTreeSet<String>>>> {
    if files.is_empty() {
        return Ok(None);
    }
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for record in exports(files).context("--settings")?.iter().filter_map(|export| export.judgements()).flatten() {
        let story = record.facts.get("story").with_context(|| format!("--settings: `{}` names no story", record.id))?;
        let settings = match record.judgements.get("setting") {
            Some(Value::Labels(labels)) => labels.clone(),
            Some(Value::Label(label)) => vec![label.clone()],
            _ => anyhow::bail!("--settings: `{}` has no answer to `setting`; use the scheme `settings`", record.id),
        };
        found.entry(story.clone()).or_default().extend(settings);
    }
    anyhow::ensure!(!found.is_empty(), "--settings: no judgements in these files");
    Ok(Some(found))
}

/// A released sample of the same data, found by the texts of its questions; `None` where its files are not there.
fn beside(other: Benchmark, args: &Args, stories: &[StoryUnit<'_>], sample: &Sample) -> anyhow::Result<Option<Beside>> {
    let mut dataset: Dataset = args.source.dataset(vec![other])?;
    dataset.options.choices.clear();
    let Ok(loaded) = dataset.load() else {
        eprintln!("note: no files of {other} beside these; its distances are not shown");
        return Ok(None);
    };
    let key = |item: &Item| (item.story_text(), item.question.clone(), item.options.clone());
    let mut known = HashMap::new();
    for (number, story) in stories.iter().enumerate() {
        for item in &story.items {
            known.entry(key(item)).or_insert(number);
        }
    }
    let found: Vec<Option<usize>> = loaded.items.iter().map(|item| known.get(&key(item)).copied()).collect();
    let there: BTreeSet<usize> = found.iter().flatten().copied().collect();
    let there: Vec<usize> = there.into_iter().collect();
    let (spread, without) = Spread::of_stories(&there, sample, args.seed);
    let unknown = found.iter().filter(|story| story.is_none()).count();
    Ok(Some(Beside { benchmark: other, questions: found.len(), stories: there, unknown, spread, without }))
}

/// The kept questions as lines.
fn lines(
    stories: &[StoryUnit<'_>],
    sample: &Sample,
    quotas: &Quotas,
    vectors: Option<&Embedded>,
    seed: u64,
    program: &str,
) -> anyhow::Result<String> {
    let mut lines = String::new();
    for drawn in &sample.drawn {
        let category = &sample.categories[drawn.category];
        for &question in &drawn.questions {
            let origin = Origin {
                program,
                quotas: &quotas.name,
                quotas_sha256: &quotas.sha256,
                quota: &sample.met[category.quota].quota.name,
                category: &category.name,
                seed,
                baseline: category.baseline.map(|story| stories[story].id),
                distance: drawn.distance,
                bin: drawn.bin.map(|(bin, _)| bin),
                bins: drawn.bin.map(|(_, bins)| bins),
                embeddings_sha256: vectors.map(|vectors| vectors.by.sha256.as_str()),
                embedded_by: vectors.map(|vectors| vectors.by.model.as_str()),
            };
            let canary = lines.is_empty().then_some(CANARY);
            let item = stories[drawn.story].items[question];
            let line = OwnItem { made: vec![origin], canary, ..OwnItem::new(item) };
            lines.push_str(&serde_json::to_string(&line)?);
            lines.push('\n');
        }
    }
    Ok(lines)
}
