//! A sample as a document, as tables and as a chart.

use serde::Serialize;

use super::{Embedded, EmbeddedBy, Quotas, Sample, Settings, Spread, StoryUnit};
use crate::benchmark::Benchmark;
use crate::figure::{Axis, Body, Chart, Line, Plane, Point};
use crate::language::Language;
use crate::table::{Grid, Value, cells};

/// A released sample of the same data.
#[derive(Debug, Clone)]
pub struct Beside {
    /// The benchmark it was released as.
    pub benchmark: Benchmark,
    /// Its questions.
    pub questions: usize,
    /// Its stories, by their place in the data.
    pub stories: Vec<usize>,
    /// Its questions that are not in the data.
    pub unknown: usize,
    /// Deciles of its stories by the baselines of the sample.
    pub spread: Spread,
    /// Its stories that have no distance: baselines of the sample, and those of categories without one.
    pub without: usize,
}

/// A sample.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SampleDocument {
    /// `tomeval-sample/1`.
    format: &'static str,
    /// Program and version.
    program: String,
    /// The benchmark drawn from.
    benchmark: Benchmark,
    /// Its language.
    language: Language,
    /// Seed of all draws.
    seed: u64,
    /// Name of the table of quotas.
    table: String,
    /// SHA-256 of that table.
    table_sha256: String,
    /// Source of its numbers.
    table_source: String,
    /// The vectors that distances are of; absent in random draws.
    #[serde(skip_serializing_if = "Option::is_none")]
    embeddings: Option<EmbeddedBy>,
    /// What became of each quota.
    quotas: Vec<QuotaMet>,
    /// Categories with drawn stories.
    categories: Vec<CategoryDrawn>,
    /// Deciles of distance; absent in random draws.
    #[serde(skip_serializing_if = "Option::is_none")]
    spread: Option<SpreadShown>,
    /// The same of a released sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<BesideShown>,
    /// Settings that people labelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<Settings>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct QuotaMet {
    /// Name of the quota.
    name: String,
    /// Stories that it could draw from.
    available: usize,
    /// Wanted stories.
    wanted_stories: usize,
    /// Drawn stories.
    stories: usize,
    /// Wanted questions.
    wanted_questions: Option<usize>,
    /// Questions of the drawn stories that are kept.
    questions: usize,
    /// Why it is not met; `null` where it is.
    unmet: Option<String>,
    /// Categories of which no story was drawn.
    left_out: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CategoryDrawn {
    /// The quota.
    quota: String,
    /// Values of the table's facets.
    name: String,
    /// The baseline story.
    baseline: Option<String>,
    /// Drawn stories.
    stories: Vec<StoryDrawn>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct StoryDrawn {
    /// Id of the story.
    id: String,
    /// Distance to the baseline.
    distance: Option<f64>,
    /// Quantile bin, from 1.
    bin: Option<usize>,
    /// Number of bins.
    bins: Option<usize>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SpreadShown {
    /// Stories with a distance; baselines have none.
    stories: usize,
    /// Stories in each decile of distance, nearest first.
    deciles: Vec<usize>,
    /// Expected number of each in random draws.
    expected: Vec<f64>,
    /// The middle 95 % of 1,000 random draws.
    random: Vec<(f64, f64)>,
    /// Cramer-von Mises statistic of the stories' ranks of distance against even ones, summed over the groups that are drawn
    /// from.
    unevenness: f64,
    /// Share of random draws that are at least as even, the sample counted as one of them.
    evener: f64,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct BesideShown {
    /// The benchmark.
    benchmark: Benchmark,
    /// Its questions.
    questions: usize,
    /// Its stories among those of the data.
    stories: usize,
    /// Its questions that are not in the data.
    unknown: usize,
    /// Its stories without a distance.
    without: usize,
    /// Deciles of the others, by the baselines of the sample.
    spread: SpreadShown,
}

impl From<&Spread> for SpreadShown {
    fn from(spread: &Spread) -> Self {
        SpreadShown {
            stories: spread.stories,
            deciles: spread.deciles.iter().map(|decile| decile.stories).collect(),
            expected: spread.deciles.iter().map(|decile| decile.expected).collect(),
            random: spread.deciles.iter().map(|decile| decile.random).collect(),
            unevenness: spread.unevenness,
            evener: spread.evener,
        }
    }
}

/// All that a document tells.
pub struct Parts<'a> {
    pub program: String,
    pub benchmark: Benchmark,
    pub language: Language,
    pub seed: u64,
    pub quotas: &'a Quotas,
    pub vectors: Option<&'a Embedded>,
    pub stories: &'a [StoryUnit<'a>],
    pub sample: &'a Sample,
    pub spread: Option<&'a Spread>,
    pub beside: Option<&'a Beside>,
    pub settings: Option<Settings>,
}

impl SampleDocument {
    /// The document of a sample.
    pub fn new(parts: Parts<'_>) -> Self {
        let Parts { quotas, vectors, stories, sample, .. } = parts;
        let met = sample.met.iter().map(|met| QuotaMet {
            name: met.quota.name.clone(),
            available: met.available,
            wanted_stories: met.quota.stories,
            stories: met.stories,
            wanted_questions: met.quota.questions,
            questions: met.questions,
            unmet: met.unmet.clone(),
            left_out: met.left_out.clone(),
        });
        let categories = sample.categories.iter().enumerate().map(|(number, category)| {
            let drawn = sample.drawn.iter().filter(|drawn| drawn.category == number);
            CategoryDrawn {
                quota: sample.met[category.quota].quota.name.clone(),
                name: category.name.clone(),
                baseline: category.baseline.map(|story| stories[story].id.to_string()),
                stories: drawn
                    .map(|drawn| StoryDrawn {
                        id: stories[drawn.story].id.to_string(),
                        distance: drawn.distance,
                        bin: drawn.bin.map(|(bin, _)| bin),
                        bins: drawn.bin.map(|(_, bins)| bins),
                    })
                    .collect(),
            }
        });
        SampleDocument {
            format: "tomeval-sample/1",
            program: parts.program,
            benchmark: parts.benchmark,
            language: parts.language,
            seed: parts.seed,
            table: quotas.name.clone(),
            table_sha256: quotas.sha256.clone(),
            table_source: quotas.source.clone(),
            embeddings: vectors.map(|vectors| vectors.by.clone()),
            quotas: met.collect(),
            categories: categories.filter(|category| !category.stories.is_empty()).collect(),
            spread: parts.spread.map(SpreadShown::from),
            beside: parts.beside.map(|beside| BesideShown {
                benchmark: beside.benchmark,
                questions: beside.questions,
                stories: beside.stories.len(),
                unknown: beside.unknown,
                without: beside.without,
                spread: SpreadShown::from(&beside.spread),
            }),
            settings: parts.settings,
        }
    }
}

/// The tables of a sample: quotas, deciles of distance, and settings that it lacks.
pub fn grids(
    sample: &Sample,
    spread: Option<&Spread>,
    beside: Option<&Beside>,
    settings: Option<&Settings>,
) -> Vec<Grid> {
    let mut grids = vec![quotas_grid(sample)];
    if let Some(spread) = spread {
        grids.push(spread_grid(spread, beside));
    }
    if let Some(settings) = settings {
        grids.push(settings_grid(settings));
    }
    grids
}

fn quotas_grid(sample: &Sample) -> Grid {
    let wanted = |number: usize, wanted: Option<usize>| match wanted {
        Some(wanted) => format!("{number} of {wanted}"),
        None => number.to_string(),
    };
    let row = |met: &super::Met| {
        let (stories, questions) = (Some(met.quota.stories), met.quota.questions);
        cells![&met.quota.name, wanted(met.stories, stories), wanted(met.questions, questions), met.available]
    };
    let sum = |of: &dyn Fn(&super::Met) -> usize| sample.met.iter().map(of).sum::<usize>();
    let all = cells!["all", sum(&|met| met.stories), sum(&|met| met.questions), sum(&|met| met.available)];
    let header = ["quota", "stories", "questions", "available stories"];
    let mut grid = Grid::new("Quotas", 1, header, sample.met.iter().map(row).chain([all]));
    for met in &sample.met {
        let name = &met.quota.name;
        grid.notes.extend(met.quota.note.iter().map(|note| format!("{name}: {note}.").into()));
        grid.notes.extend(met.unmet.iter().map(|why| format!("{name}: not met: {why}.").into()));
        if !met.left_out.is_empty() {
            grid.notes.push(format!("{name}: no story of {}.", met.left_out.join(", ")).into());
        }
    }
    grid
}

fn spread_grid(spread: &Spread, beside: Option<&Beside>) -> Grid {
    let mut header = vec!["decile", "sample"];
    header.extend(beside.map(|beside| beside.benchmark.name()));
    header.push("random draws, 95 %");
    let rows = (0..10).map(|at| {
        let decile = &spread.deciles[at];
        let mut row = cells![at + 1, decile.stories];
        row.extend(beside.map(|beside| Value::from(beside.spread.deciles[at].stories)));
        row.push(Value::places(decile.expected, 1).within(Some(decile.random), 1));
        row
    });
    let mut grid = Grid::new("Stories by decile of distance to the baseline of their category", 1, header, rows);
    let told = |name: &str, spread: &Spread| {
        format!(
            "{name}: {} stories with a distance; unevenness {:.2}; of it and 1,000 random draws of as many, {:.1} % are at least as even.",
            spread.stories,
            spread.unevenness,
            spread.evener * 100.0
        )
    };
    grid.notes.push(told("Sample", spread).into());
    if let Some(beside) = beside {
        grid.notes.push(told(beside.benchmark.name(), &beside.spread).into());
        grid.notes.push(format!(
            "{}: {} questions, {} of them not in the data; {} stories, {} of them without a distance to a baseline of this sample.",
            beside.benchmark.name(),
            beside.questions,
            beside.unknown,
            beside.stories.len(),
            beside.without
        ).into());
    }
    grid
}

fn settings_grid(settings: &Settings) -> Grid {
    let row = |gap: &super::settings::Gap| cells![&gap.quota, &gap.setting, gap.stories.len(), gap.stories.first()];
    let rows = settings.gaps.iter().map(row);
    let header = ["quota", "setting", "stories with it", "for instance"];
    let mut grid = Grid::new("Settings that the sample lacks", 2, header, rows);
    grid.notes.push(
        format!(
            "{} stories of the quotas are labelled; {} drawn stories are not.",
            settings.labelled,
            settings.unlabelled.len()
        )
        .into(),
    );
    grid
}

/// Shares of stories by decile of distance: the sample, a released one, and random draws with their middle 95 %.
pub fn chart(spread: &Spread, beside: Option<&Beside>) -> Chart {
    let share = |number: f64, stories: usize| 100.0 * number / stories.max(1) as f64;
    let mut series = vec!["this sample".to_string()];
    let plain = |spread: &Spread, at: usize| Point {
        x: at as f64,
        y: share(spread.deciles[at].stories as f64, spread.stories),
        interval: None,
    };
    let line = |series: usize, points: Vec<Point>| Line { series, points, joined: true };
    let mut lines = vec![line(0, (0..10).map(|at| plain(spread, at)).collect())];
    if let Some(beside) = beside {
        series.push(format!("{}, released", beside.benchmark.name()));
        lines.push(line(1, (0..10).map(|at| plain(&beside.spread, at)).collect()));
    }
    let random = spread.deciles.iter().enumerate().map(|(at, decile)| Point {
        x: at as f64,
        y: share(decile.expected, spread.stories),
        interval: Some((share(decile.random.0, spread.stories), share(decile.random.1, spread.stories))),
    });
    lines.push(line(series.len(), random.collect()));
    series.push("1,000 random draws".to_string());
    Chart {
        title: "Stories by distance to the baseline of their category".to_string(),
        subtitle: "Percent of stories in each decile of cosine distance; bars hold 95 % of random draws".to_string(),
        series,
        body: Body::Plane(Plane {
            across: Axis::Places {
                name: "Decile of distance, nearest first".to_string(),
                places: (1..=10).map(|decile| decile.to_string()).collect(),
            },
            up: "%".to_string(),
            lines,
            diagonal: false,
        }),
        notes: Vec::new(),
    }
}
