//! `tomeval data stats`: sizes, lengths and distribution of answers.

use indexmap::IndexMap;
use serde::Serialize;

use super::{Outcome, SourceArgs, read_all, rows_or_files};
use crate::benchmark::{Benchmark, PartStats, facet_name, stats};
use crate::cli::report::screen;
use crate::language::Language;
use crate::name::option_letter;
use crate::safe_text::for_json;
use crate::segment::segmenter;
use crate::table::{Format, Grid};
use crate::terminal::stdout::{print, print_text};

/// Arguments of `tomeval data stats`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Benchmark by name; may be repeated [default: all with files present].
    #[arg(long = "benchmark", short, num_args = 1.., value_name = "NAME")]
    benchmarks: Vec<Benchmark>,
    #[command(flatten)]
    source: SourceArgs,
    /// Facet to group by, for instance task or dimension [default: the benchmark's stratum].
    #[arg(long, value_name = "FACET")]
    by: Option<String>,
    /// Print one JSON document instead of tables.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document {
    version: u32,
    /// Word definition by language.
    word_segmentation: IndexMap<Language, &'static str>,
    groups: Vec<PartStats>,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let mut groups = Vec::new();
    let mut problems = 0;
    let own = args.source.own.own_data()?;
    for (benchmark, loaded) in read_all(&args.source, &args.benchmarks)? {
        problems += loaded.problems.len();
        let by = args.by.clone().unwrap_or_else(|| benchmark.card_with(&own).stratum);
        let by = facet_name(&by, &loaded.items).unwrap_or(by);
        groups.extend(stats(benchmark, &loaded.items, &by));
    }
    let word_segmentation = groups.iter().map(|group| (group.language, segmenter(group.language))).collect();
    if args.json {
        let document = Document { version: 1, word_segmentation, groups };
        print(&format!("{}\n", for_json(&serde_json::to_string_pretty(&document)?)))?;
    } else {
        print_text(&text(&groups, &word_segmentation))?;
    }
    if problems > 0 {
        eprintln!("tomeval: {} could not be read; `tomeval data check` lists them", rows_or_files(problems));
        return Ok(Outcome::Incomplete);
    }
    Ok(Outcome::Done)
}

fn text(groups: &[PartStats], word_segmentation: &IndexMap<Language, &str>) -> String {
    let by_ability = groups.iter().any(|group| group.stats.stories_by_ability.is_some());
    let rows = groups.iter().map(|group| {
        let version = match &group.variant {
            Some(variant) => format!("{} {variant}", group.language),
            None => group.language.to_string(),
        };
        let stats = &group.stats;
        let part = match (&group.value, &group.by) {
            (Some(value), _) => value.clone(),
            (None, Some(by)) => format!("all with {by}"),
            (None, None) => "all".to_string(),
        };
        let published = stats.stories_by_ability.map_or("-".to_string(), |stories| stories.to_string());
        let mut cells = vec![group.benchmark.to_string(), version, part, stats.stories.to_string()];
        cells.extend(by_ability.then_some(published));
        cells.extend([
            stats.questions.to_string(),
            format!("{:.2}", stats.mean_words),
            format!("{:.2}", stats.mean_pieces),
            format!("{:.2}", stats.mean_spaced_words),
            format!("{:.2}", stats.mean_characters),
            spread(&stats.options, |options| options.to_string()),
            spread(&stats.answers, option_letter),
        ]);
        cells
    });
    let mut header = vec!["benchmark", "version", "part", "#S"];
    header.extend(by_ability.then_some("#S/ability"));
    header.extend(["#Q", "words", "pieces", "spaced", "characters", "options", "answers"]);
    let mut text = Format::Terminal.table(&Grid::new("", 3, &header, rows), screen());
    text.push_str("\n#S different stories, #Q questions");
    if by_ability {
        text.push_str(", #S/ability counts a story once for each ability\nof its questions (as Tables 1 and 18 of ToMBench's paper)");
    }
    text.push_str(". Lengths are those of the context, averaged over questions: words by\n");
    for (language, name) in word_segmentation {
        text.push_str(&format!("  {}: {name},\n", language.name()));
    }
    text.push_str(
        "pieces: words and punctuation marks, in Chinese white space too; spaced: text between white space;\n\
         characters: Unicode scalar values.\n",
    );
    text
}

fn spread(counts: &IndexMap<usize, usize>, name: impl Fn(usize) -> String) -> String {
    counts.iter().map(|(key, count)| format!("{}:{count}", name(*key))).collect::<Vec<_>>().join(" ")
}
