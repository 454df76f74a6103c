//! `tomeval data twins`: the texts of twins beside their original's, word by word.

use std::collections::HashSet;

use serde::Serialize;

use super::{Outcome, SourceArgs, read_chosen};
use crate::arguments::setup::ChoiceArgs;
use crate::benchmark::{Benchmark, Stretch};
use crate::cli::report::screen;
use crate::counted::counted;
use crate::metric::{Layout, TwinTexts, TwinTextsOfVersion, twin_texts, twin_texts_by_version};
use crate::safe_text::for_json;
use crate::table::hanging;
use crate::terminal::progress::Shown;
use crate::terminal::stdout::{print, print_text, table};

/// Letters of a stretch of both texts that are shown on either side of a difference.
const SHOWN: usize = 40;

/// Arguments of `tomeval data twins`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Benchmark by name; `tomeval data list` shows all [default: the one named by --data].
    #[arg(long, short)]
    benchmark: Option<Benchmark>,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    /// Print one JSON document instead of text.
    #[arg(long)]
    json: bool,
}

/// Content of `data twins --json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::cli) struct Document {
    /// Format version, 1.
    version: u32,
    /// The benchmark.
    benchmark: Benchmark,
    /// The pairs, in the order of the data.
    pairs: Vec<TwinTexts>,
    /// What the pairs of each version have in common.
    versions: Vec<TwinTextsOfVersion>,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let named: Vec<Benchmark> = args.benchmark.into_iter().collect();
    let benchmark = args.source.benchmarks(&named)?.first().copied().unwrap_or(Benchmark::Demo);
    let dataset = args.choice.of(args.source.dataset(vec![benchmark])?)?;
    let loaded = read_chosen(&dataset, benchmark)?;
    let twins = Layout::parse(&benchmark.card_text_with(&args.source.own.own_data()?))?.twins;
    anyhow::ensure!(!twins.is_empty(), "the card of {benchmark} names no twins (`[[twins]]`, datasets/README.md)");
    let chosen = loaded.items.iter().filter(|item| dataset.choice.takes(item)).map(|item| &item.id);
    let chosen: HashSet<&String> = chosen.collect();
    let mut pairs = Shown::during("comparing texts", || twin_texts(&loaded.items, &twins));
    pairs.retain(|pair| chosen.contains(&pair.item) || chosen.contains(&pair.original));
    anyhow::ensure!(!pairs.is_empty(), "none of the chosen items of {benchmark} has a twin");
    let versions = twin_texts_by_version(&pairs);
    if args.json {
        let document = Document { version: 1, benchmark, pairs, versions };
        print(&format!("{}\n", for_json(&serde_json::to_string_pretty(&document)?)))?;
    } else {
        let pairs: Vec<String> = pairs.iter().map(pair_text).collect();
        print_text(&format!("{}\n{}", pairs.join("\n"), versions_text(&versions)))?;
    }
    Ok(if loaded.problems.is_empty() { Outcome::Done } else { Outcome::Incomplete })
}

fn pair_text(pair: &TwinTexts) -> String {
    let edit = pair.edit.as_ref().map(|edit| format!(" ({edit})")).unwrap_or_default();
    let (words, version) = (counted(pair.words, "word"), &pair.version);
    let mut text =
        hanging("", &format!("{} -> {}, {version}{edit}: {words}", pair.original, pair.item), screen()) + "\n";
    for difference in &pair.differences {
        let last = difference.text.len().saturating_sub(1);
        let stretches = difference.text.iter().enumerate().map(|(at, stretch)| match stretch {
            Stretch::Both(text) => shortened(text, at == 0, at == last),
            Stretch::First(text) => marked("[-", text, "-]"),
            Stretch::Second(text) => marked("{+", text, "+}"),
        });
        let stretches = stretches.collect::<String>().replace('\n', " / ");
        text += &(hanging("  ", &format!("{}: {stretches}", difference.part.name()), screen()) + "\n");
    }
    text
}

/// Marks stand directly around the words.
fn marked(before: &str, text: &str, after: &str) -> String {
    let words = text.trim_end();
    format!("{before}{words}{after}{}", if words.len() < text.len() { " " } else { "" })
}

/// A stretch of both texts without its middle; at the beginning only its end, at the end only its beginning.
fn shortened(text: &str, is_first: bool, is_last: bool) -> String {
    let letters: Vec<char> = text.chars().collect();
    let shown = if is_first || is_last { SHOWN } else { 2 * SHOWN };
    if letters.len() <= shown + 1 {
        return text.to_string();
    }
    let mut head = if is_first { 0 } else { SHOWN };
    let mut tail = letters.len() - if is_last { 0 } else { SHOWN };
    // At a space, where one is near.
    head = letters[..head].iter().rposition(|letter| letter.is_whitespace()).map_or(head, |at| at + 1);
    tail = letters[tail..].iter().position(|letter| letter.is_whitespace()).map_or(tail, |at| tail + at);
    let of = |letters: &[char]| letters.iter().collect::<String>();
    format!("{}…{}", of(&letters[..head]), of(&letters[tail..]))
}

/// The table of all versions, and which differ in more than their edit says.
pub(super) fn versions_text(versions: &[TwinTextsOfVersion]) -> String {
    let rows = versions.iter().map(|version| {
        let TwinTextsOfVersion { pairs, median_words, most_words, .. } = version;
        let others = [version.other_context, version.other_question, version.other_options, version.beyond_edit];
        let numbers = [pairs.to_string(), format!("{median_words:.1}"), most_words.to_string()];
        let names = [version.twins.clone(), version.version.clone()];
        [&names[..], &numbers, &others.map(|count| count.to_string())].concat()
    });
    let header = [
        "twins",
        "version",
        "pairs",
        "words",
        "most",
        "other context",
        "other question",
        "other options",
        "beyond edit",
    ];
    let beyond: usize = versions.iter().map(|version| version.beyond_edit).sum();
    let pairs: usize = versions.iter().map(|version| version.pairs).sum();
    let mut legend =
        "Words: median of those that only one of a question and its original has. Beyond edit: pairs that differ \
        in a part (context, question, options) in which fewer than half of the version's pairs do."
            .to_string();
    if beyond > 0 {
        legend +=
            &format!(" {beyond} of {pairs} pairs differ in more than their edit says: they are no minimal pairs.");
    }
    format!("{}{}\n", table(&header, rows), hanging("", &legend, screen()))
}
