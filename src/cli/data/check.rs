//! `tomeval data check`: compares counts with the card, and lists anomalies and unreadable rows.

use indexmap::IndexMap;
use serde::Serialize;

use super::{Outcome, SourceArgs, read_all, rows_or_files};
use crate::benchmark::made::seed_of;
use crate::benchmark::{Benchmark, Check, LabelSet};
use crate::cli::report::screen;
use crate::language::Language;
use crate::safe_text::for_json;
use crate::table::hanging;
use crate::terminal::stdout::{print, print_text, table};

/// Arguments of `tomeval data check`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Benchmark by name; may be repeated [default: all with files present].
    #[arg(long = "benchmark", short, num_args = 1.., value_name = "NAME")]
    benchmarks: Vec<Benchmark>,
    #[command(flatten)]
    source: SourceArgs,
    /// Print one JSON document instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document {
    version: u32,
    labels: LabelSet,
    benchmarks: Vec<Check>,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let labels = args.source.labels;
    let own = args.source.own.own_data()?;
    let mut checks = Vec::new();
    for (benchmark, loaded) in read_all(&args.source, &args.benchmarks)? {
        let made = args.source.files().and_then(|files| seed_of(&files, benchmark, &loaded.items));
        checks.push(Check::new(&benchmark.card_with(&own), loaded, labels, made)?);
    }
    let sound = checks.iter().all(Check::is_sound);
    if args.json {
        let document = Document { version: 1, labels, benchmarks: checks };
        print(&format!("{}\n", for_json(&serde_json::to_string_pretty(&document)?)))?;
    } else {
        print_text(&checks.iter().map(|check| text(check, labels)).collect::<Vec<_>>().join("\n"))?;
    }
    Ok(if sound { Outcome::Done } else { Outcome::Incomplete })
}

fn listed(facets: &IndexMap<String, usize>) -> String {
    facets.iter().map(|(facet, values)| format!("{facet} ({values})")).collect::<Vec<_>>().join(", ")
}

fn text(check: &Check, labels: LabelSet) -> String {
    let name = |language: Language, variant: &Option<String>| match variant {
        Some(variant) => format!("{language} {variant}"),
        None => language.to_string(),
    };
    let mut text = format!("{}\n\n", check.benchmark);
    let sizes = check.versions.iter().map(|size| {
        let numbers = [size.items, size.stories, size.flagged].map(|number| number.to_string());
        [vec![name(size.language, &size.variant)], numbers.to_vec()].concat()
    });
    text.push_str(&table(&["version", "items", "stories", "flagged items"], sizes));
    match (labels, check.counts.is_empty()) {
        _ if check.made.is_some() => {
            let seed = check.made.unwrap_or_default();
            text.push_str(&format!("\nMade by tomeval, seed {seed}; no published counts apply.\n"));
        }
        (LabelSet::Repaired, _) => {
            text.push_str("\nThe published counts apply to the published labels and are not compared here.\n");
        }
        (LabelSet::Published, true) => text.push_str("\nThe card expects no counts.\n"),
        (LabelSet::Published, false) => {
            let rows = check.counts.iter().map(|count| {
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
    if !check.facets.is_empty() {
        let facets = format!("Facets, with their numbers of values: {}", listed(&check.facets));
        text.push_str(&format!("\n{}\n", hanging("", &facets, screen())));
    }
    if !check.flags.is_empty() {
        let rows = check.flags.iter().map(|flag| {
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
    match check.problems.len() {
        0 => text.push_str("Every row was read.\n"),
        count => {
            text.push_str(&format!("{} could not be read:\n", rows_or_files(count)));
            for problem in &check.problems {
                text.push_str(&format!("  {problem}\n"));
            }
        }
    }
    text
}
