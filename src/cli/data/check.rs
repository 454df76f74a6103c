//! `tomeval data check`: counts against the card, anomalies, unreadable rows.

use serde::Serialize;

use tomeval::benchmark::{Benchmark, Comparison, Item, LabelSet, RowProblem, Version, compare, versions};
use tomeval::language::Language;

use super::{Outcome, SourceArgs, print, read_all, table};

/// Arguments of `tomeval data check`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Benchmark by name; may be given several times [default: all whose files are there].
    #[arg(long = "benchmark", short, num_args = 1.., value_name = "NAME")]
    benchmarks: Vec<Benchmark>,
    #[command(flatten)]
    source: SourceArgs,
    /// One JSON document instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document {
    version: u32,
    labels: LabelSet,
    benchmarks: Vec<Report>,
}

/// What was found in the files of one benchmark.
#[derive(Serialize)]
struct Report {
    benchmark: String,
    versions: Vec<Size>,
    /// Counts of the card, where the labels are the published ones they hold for.
    counts: Vec<Comparison>,
    flags: Vec<FlagCount>,
    problems: Vec<RowProblem>,
}

/// How much there is of one language and variant.
#[derive(Serialize)]
struct Size {
    language: Language,
    variant: Option<String>,
    items: usize,
    stories: usize,
    flagged: usize,
}

/// How often a flag occurs in one language and variant.
#[derive(Serialize)]
struct FlagCount {
    flag: &'static str,
    language: Language,
    variant: Option<String>,
    items: usize,
    first: String,
    detail: String,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let labels = args.source.labels;
    let mut reports = Vec::new();
    for (benchmark, loaded) in read_all(&args.source, &args.benchmarks)? {
        let counts = match labels {
            LabelSet::Published => compare(&benchmark.card(), &loaded.items)?,
            LabelSet::Repaired => Vec::new(),
        };
        let versions = versions(&loaded.items);
        reports.push(Report {
            benchmark: benchmark.name().to_string(),
            versions: versions.iter().map(size).collect(),
            counts,
            flags: versions.iter().flat_map(flag_counts).collect(),
            problems: loaded.problems,
        });
    }
    let sound = reports.iter().all(Report::is_sound);
    if args.json {
        let document = Document { version: 1, labels, benchmarks: reports };
        print(&format!("{}\n", serde_json::to_string_pretty(&document)?))?;
    } else {
        print(&reports.iter().map(|report| report.text(labels)).collect::<Vec<_>>().join("\n"))?;
    }
    Ok(if sound { Outcome::Done } else { Outcome::Incomplete })
}

fn size(version: &Version<'_>) -> Size {
    let stories: std::collections::HashSet<&str> = version.items.iter().map(|item| item.story.as_str()).collect();
    Size {
        language: version.language,
        variant: version.variant.map(str::to_string),
        items: version.items.len(),
        stories: stories.len(),
        flagged: version.items.iter().filter(|item| !item.flags.is_empty()).count(),
    }
}

fn flag_counts(version: &Version<'_>) -> Vec<FlagCount> {
    let mut counts: Vec<FlagCount> = Vec::new();
    let flagged = |item: &&Item| item.flags.iter().map(|flag| (item.id.clone(), flag.clone())).collect::<Vec<_>>();
    for (id, flag) in version.items.iter().flat_map(flagged) {
        match counts.iter_mut().find(|count| count.flag == flag.name) {
            Some(count) => count.items += 1,
            None => counts.push(FlagCount {
                flag: flag.name,
                language: version.language,
                variant: version.variant.map(str::to_string),
                items: 1,
                first: id,
                detail: flag.detail,
            }),
        }
    }
    counts.sort_by_key(|count| count.flag);
    counts
}

impl Report {
    fn is_sound(&self) -> bool {
        self.problems.is_empty()
            && self.versions.iter().any(|size| size.items > 0)
            && self.counts.iter().all(|count| count.found == count.expected)
    }

    fn text(&self, labels: LabelSet) -> String {
        let name = |language: Language, variant: &Option<String>| match variant {
            Some(variant) => format!("{language} {variant}"),
            None => language.to_string(),
        };
        let mut text = format!("{}\n\n", self.benchmark);
        let sizes = self.versions.iter().map(|size| {
            let numbers = [size.items, size.stories, size.flagged].map(|number| number.to_string());
            [vec![name(size.language, &size.variant)], numbers.to_vec()].concat()
        });
        text.push_str(&table(&["version", "items", "stories", "flagged items"], sizes));
        match (labels, self.counts.is_empty()) {
            (LabelSet::Repaired, _) => {
                text.push_str("\nThe published counts hold for the published labels and are not compared here.\n");
            }
            (LabelSet::Published, true) => text.push_str("\nThe card expects no counts.\n"),
            (LabelSet::Published, false) => {
                let rows = self.counts.iter().map(|count| {
                    let verdict = if count.found == count.expected { "as published" } else { "DIFFERS" };
                    vec![
                        count.count.clone(),
                        name(count.language, &count.variant),
                        count.found.to_string(),
                        count.expected.to_string(),
                        verdict.to_string(),
                    ]
                });
                text.push('\n');
                text.push_str(&table(&["count", "version", "found", "expected", ""], rows));
            }
        }
        if !self.flags.is_empty() {
            let rows = self.flags.iter().map(|flag| {
                vec![
                    flag.flag.to_string(),
                    name(flag.language, &flag.variant),
                    flag.items.to_string(),
                    format!("{}: {}", flag.first, flag.detail),
                ]
            });
            text.push('\n');
            text.push_str(&table(&["anomaly", "version", "items", "the first"], rows));
        }
        text.push('\n');
        match self.problems.len() {
            0 => text.push_str("Every row was read.\n"),
            count => {
                text.push_str(&format!("{count} rows or files could not be read:\n"));
                for problem in &self.problems {
                    text.push_str(&format!("  {problem}\n"));
                }
            }
        }
        text
    }
}
