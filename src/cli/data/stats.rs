//! `tomeval data stats`: sizes, lengths and distribution of answers, beside what the papers print.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Context;
use indexmap::{IndexMap, IndexSet};
use serde::Serialize;

use super::{Outcome, SourceArgs, read_all, rows_or_files, version};
use crate::arguments::fetching::Fetching;
use crate::benchmark::made::seed_of;
use crate::benchmark::{
    Benchmark, CrossTable, Item, LabelSet, PartStats, PrintedFigure, Ruler, SetTable, cross_table, facet_name,
    set_tables, stats,
};
use crate::cli::report::screen;
use crate::language::Language;
use crate::model::Tokenizer;
use crate::name::option_letter;
use crate::reopen::Facets;
use crate::safe_text::for_json;
use crate::segment::segmenter;
use crate::table::{Format, Grid, Value, cells, hanging};
use crate::terminal::stdout::{print, print_text};

/// Arguments of `tomeval data stats`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Benchmark by name; may be repeated [default: all with files present].
    #[arg(long = "benchmark", short, num_args = 1.., value_name = "NAME")]
    benchmarks: Vec<Benchmark>,
    #[command(flatten)]
    source: SourceArgs,
    /// Facet to group by, for instance task or dimension; two facets A,B cross-tabulate questions [default: the
    /// benchmark's stratum].
    #[arg(long, value_name = "FACET", value_delimiter = ',')]
    by: Vec<String>,
    /// Also count tokens, by this tokenizer: a file, a folder that contains one, or a model by name.
    #[arg(long, value_name = "FILE")]
    tokenizer: Option<String>,
    /// Print one JSON document instead of tables.
    #[arg(long)]
    json: bool,
}

/// Content of `data stats --json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::cli) struct Document {
    /// Format version, 1.
    version: u32,
    /// Word definition by language.
    word_segmentation: IndexMap<Language, &'static str>,
    /// File of the tokenizer; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokenizer: Option<String>,
    /// Sizes by part; empty where two facets are crossed.
    groups: Vec<PartStats>,
    /// Questions by two facets; absent otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    crossed: Vec<CrossTable>,
    /// The papers' statistics, beside those of the files; absent where none is printed, and with two facets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    printed: Vec<SetTable>,
}

impl Args {
    fn check(&self) -> anyhow::Result<()> {
        anyhow::ensure!(self.by.len() <= 2, "--by {}: at most two facets can be crossed", self.by.join(","));
        Ok(())
    }
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    args.check()?;
    let own = args.source.own.own_data()?;
    let tokenizer = args.tokenizer.as_deref().map(tokenizer).transpose()?;
    let mut problems = 0;
    let (mut groups, mut crossed, mut printed) = (Vec::new(), Vec::new(), Vec::new());
    let all = read_all(&args.source, &args.benchmarks)?;
    let facets = Facets(args.by.clone());
    let mut unknown = all.iter().map(|(_, loaded)| facets.check(&loaded.items).err()).collect::<Vec<_>>();
    // Of several benchmarks one may have what others lack.
    if unknown.iter().all(Option::is_some)
        && let Some(error) = unknown.pop().flatten()
    {
        return Err(error.into());
    }
    for (benchmark, loaded) in all {
        problems += loaded.problems.len();
        let card = benchmark.card_with(&own);
        let named = |by: &String| facet_name(by, &loaded.items).unwrap_or_else(|| by.clone());
        if let [rows, columns] = &args.by[..] {
            crossed.extend(cross_table(benchmark, &loaded.items, &[named(rows), named(columns)]));
            continue;
        }
        let tokens = tokenizer.as_ref().map(|tokenizer| token_counts(tokenizer, &loaded.items)).transpose()?;
        let mut ruler = Ruler::with_tokens(tokens.unwrap_or_default());
        let by = named(args.by.first().unwrap_or(&card.stratum));
        groups.extend(stats(benchmark, &loaded.items, &by, &mut ruler));
        let made = args.source.files().and_then(|files| seed_of(&files, benchmark, &loaded.items));
        match (made, args.source.labels) {
            _ if card.statistics.is_empty() => {}
            (None, LabelSet::Published) => {
                printed.extend(set_tables(benchmark, &card.languages, &card.statistics, &loaded.items, &mut ruler));
            }
            _ => eprintln!("note: {benchmark}: the papers' statistics are of the released items and are not compared"),
        }
    }
    let languages = groups.iter().map(|group: &PartStats| group.language);
    let word_segmentation = languages.map(|language| (language, segmenter(language))).collect();
    let tokenizer = tokenizer.map(|tokenizer| tokenizer.file().to_string());
    let document = Document { version: 1, word_segmentation, tokenizer, groups, crossed, printed };
    if args.json {
        print(&format!("{}\n", for_json(&serde_json::to_string_pretty(&document)?)))?;
    } else {
        print_text(&text(&document))?;
    }
    if problems > 0 {
        eprintln!("tomeval: {} could not be read; `tomeval data check` lists them", rows_or_files(problems));
        return Ok(Outcome::Incomplete);
    }
    Ok(Outcome::Done)
}

/// Reads a tokenizer: of a file, of a folder, or of a model that is here.
fn tokenizer(given: &str) -> anyhow::Result<Tokenizer> {
    let path = Path::new(given);
    let of_model = |name: &str| -> anyhow::Result<Tokenizer> {
        Ok(Fetching::default().resolve(name, true)?.text_parts()?.tokenizer)
    };
    let found = match path.extension().is_some_and(|ending| ending == "gguf") {
        false if path.is_dir() => Tokenizer::from_folder(path).map_err(anyhow::Error::from),
        false if path.is_file() => Tokenizer::from_path(path).map_err(anyhow::Error::from),
        _ => of_model(given),
    };
    found.with_context(|| format!("--tokenizer {given}"))
}

/// Number of tokens of every segment of a context, without those that the tokenizer puts in front of a text.
fn token_counts<'a>(tokenizer: &Tokenizer, items: &'a [Item]) -> anyhow::Result<HashMap<&'a str, usize>> {
    let mut counts = HashMap::new();
    for item in items {
        for segment in &item.context {
            if !counts.contains_key(&*segment.text) {
                let tokens = tokenizer.encode(&segment.text, false).with_context(|| item.id.clone())?;
                counts.insert(&*segment.text, tokens.len());
            }
        }
    }
    Ok(counts)
}

fn text(document: &Document) -> String {
    let crossed = document.crossed.iter().map(crossed_text);
    let sizes = (!document.groups.is_empty()).then(|| sizes(document));
    let printed = document.printed.iter().map(printed_text);
    let mut parts: Vec<String> = crossed.chain(sizes).chain(printed).collect();
    if !document.printed.is_empty() {
        parts.push("In brackets: the paper's figure.\n".to_string());
    }
    parts.join("\n")
}

fn crossed_text(table: &CrossTable) -> String {
    let [rows, columns] = &table.by;
    let title =
        format!("{}, {}: questions by {rows} and {columns}", table.benchmark, version(table.language, &table.variant));
    let line = |(name, counts): (&String, &Vec<usize>)| {
        let counted = counts.iter().copied().chain([counts.iter().sum()]).map(Value::from);
        std::iter::once(name.into()).chain(counted).collect::<Vec<_>>()
    };
    let sums: Vec<usize> = (0..table.columns.len()).map(|at| table.rows.values().map(|row| row[at]).sum()).collect();
    let last = line((&"all".to_string(), &sums));
    let columns = table.columns.iter().map(String::as_str);
    let header = std::iter::once("").chain(columns).chain(["all"]);
    let grid = Grid::new("", 1, header, table.rows.iter().map(line).chain([last]));
    format!("{title}\n{}", Format::Terminal.table(&grid, screen()))
}

/// A paper's statistics with the found ones, then the known reasons of differences.
fn printed_text(table: &SetTable) -> String {
    let cell = |figure: &PrintedFigure| {
        let PrintedFigure { found, printed, decimals, .. } = figure;
        match found {
            Some(found) => Value::places(*found, *decimals).unit(format!(" ({printed:.decimals$})")),
            None => format!("- ({printed:.decimals$})").into(),
        }
    };
    let all = || table.by.as_ref().map_or("all".to_string(), |by| format!("all with {by}"));
    let rows = table.rows.iter().map(|row| {
        let name = if row.name == "*" { all() } else { row.name.clone() };
        std::iter::once(name.into()).chain(row.figures.iter().map(cell)).collect::<Vec<_>>()
    });
    let header = std::iter::once("").chain(table.columns.iter().map(String::as_str));
    let mut notes: IndexSet<String> = IndexSet::new();
    for row in &table.rows {
        for (column, figure) in table.columns.iter().zip(&row.figures) {
            notes.extend(figure.reason.iter().map(|reason| format!("{column}: {reason}.")));
            notes.extend(figure.remarks.iter().cloned());
        }
    }
    let mut text = format!("{}: {} ({})\n", table.benchmark, table.title, table.source);
    text.push_str(&Format::Terminal.table(&Grid::new("", 1, header, rows), screen()));
    notes.iter().for_each(|note| text.push_str(&(hanging("- ", note, screen()) + "\n")));
    text
}

/// Sizes by part, and how lengths are counted.
fn sizes(document: &Document) -> String {
    let Document { groups, word_segmentation, tokenizer, .. } = document;
    let by_ability = groups.iter().any(|group| group.stats.stories_by_ability.is_some());
    let rows = groups.iter().map(|group| {
        let stats = &group.stats;
        let part = match (&group.value, &group.by) {
            (Some(value), _) => value.clone(),
            (None, Some(by)) => format!("all with {by}"),
            (None, None) => "all".to_string(),
        };
        let mean = |mean: f64| Value::places(mean, 2);
        let mut cells = cells![group.benchmark.name(), version(group.language, &group.variant), part, stats.stories];
        cells.extend(by_ability.then(|| Value::from(stats.stories_by_ability)));
        cells.push(stats.questions.into());
        cells.extend([stats.mean_words, stats.mean_pieces, stats.mean_spaced_words, stats.mean_characters].map(mean));
        cells.extend(stats.mean_tokens.map(mean));
        cells.extend(cells![
            mean(stats.mean_question_words),
            spread(&stats.options, |options| options.to_string()),
            spread(&stats.answers, option_letter),
        ]);
        cells
    });
    let mut header = vec!["benchmark", "version", "part", "#S"];
    header.extend(by_ability.then_some("#S/ability"));
    header.extend(["#Q", "words", "pieces", "spaced", "characters"]);
    header.extend(tokenizer.as_ref().map(|_| "tokens"));
    header.extend(["question", "options", "answers"]);
    let mut text = Format::Terminal.table(&Grid::new("", 3, header, rows), screen());
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
         characters: Unicode scalar values; question: question and options, spaced.\n",
    );
    if let Some(file) = tokenizer {
        text.push_str(&(hanging("", &format!("Tokens: by {file}, without special ones."), screen()) + "\n"));
    }
    text
}

fn spread(counts: &IndexMap<usize, usize>, name: impl Fn(usize) -> String) -> String {
    counts.iter().map(|(key, count)| format!("{}:{count}", name(*key))).collect::<Vec<_>>().join(" ")
}
