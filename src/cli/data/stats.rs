//! `tomeval data stats`: how much there is, how long it is, how answers are spread.

use std::collections::HashMap;

use indexmap::IndexMap;
use serde::Serialize;

use tomeval::attend::segment;
use tomeval::benchmark::{Benchmark, Item, Length, Stats, stats, versions};
use tomeval::language::Language;

use tomeval::name::option_letter;

use super::{Outcome, SourceArgs, print, read_all, table};

/// Arguments of `tomeval data stats`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Benchmark by name; may be given several times [default: all whose files are there].
    #[arg(long = "benchmark", short, num_args = 1.., value_name = "NAME")]
    benchmarks: Vec<Benchmark>,
    #[command(flatten)]
    source: SourceArgs,
    /// Facet to divide by, for instance task or dimension [default: the benchmark's stratum].
    #[arg(long, value_name = "FACET")]
    by: Option<String>,
    /// One JSON document instead of tables.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document {
    version: u32,
    /// What counts as a word, by language.
    word_segmentation: IndexMap<Language, &'static str>,
    groups: Vec<Group>,
}

#[derive(Serialize)]
struct Group {
    benchmark: String,
    language: Language,
    variant: Option<String>,
    /// The facet divided by; absent in the total.
    by: Option<String>,
    value: Option<String>,
    #[serde(flatten)]
    stats: Stats,
}

/// The word segmenter of a language.
fn segmenter(language: Language) -> &'static str {
    match language {
        Language::Zh => "jieba (jieba-rs)",
        _ => "ICU word segmenter (icu_segmenter)",
    }
}

/// Measures texts, each once: the questions of a story share it.
#[derive(Default)]
struct Ruler {
    known: HashMap<(Language, String), Length>,
}

impl Ruler {
    fn length(&mut self, item: &Item, text: &str) -> Length {
        *self.known.entry((item.language, text.to_string())).or_insert_with(|| {
            let pieces = segment(text, item.language);
            let count = |holds: fn(char) -> bool| {
                pieces.iter().filter(|range| text[(*range).clone()].chars().any(holds)).count()
            };
            // jieba makes a piece of every character of white space, a line end of two characters counting once.
            let blanks = match item.language {
                Language::Zh => text.replace("\r\n", "\n").chars().filter(|letter| letter.is_whitespace()).count(),
                _ => 0,
            };
            Length { words: count(char::is_alphanumeric), pieces: count(|letter| !letter.is_whitespace()) + blanks }
        })
    }
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let mut groups = Vec::new();
    let mut problems = 0;
    let mut ruler = Ruler::default();
    let mut word_segmentation = IndexMap::new();
    for (benchmark, loaded) in read_all(&args.source, &args.benchmarks)? {
        problems += loaded.problems.len();
        let by = args.by.clone().unwrap_or_else(|| benchmark.card().stratum);
        for version in versions(&loaded.items) {
            word_segmentation.entry(version.language).or_insert_with(|| segmenter(version.language));
            let mut parts: IndexMap<&str, Vec<&Item>> = IndexMap::new();
            for item in &version.items {
                if let Some(value) = item.facet(&by) {
                    parts.entry(value).or_default().push(item);
                }
            }
            let mut push = |by: Option<&str>, value: Option<&str>, items: &[&Item]| {
                groups.push(Group {
                    benchmark: benchmark.name().to_string(),
                    language: version.language,
                    variant: version.variant.map(str::to_string),
                    by: by.map(str::to_string),
                    value: value.map(str::to_string),
                    stats: stats(items, |item, text| ruler.length(item, text)),
                });
            };
            for (value, items) in &parts {
                push(Some(&by), Some(value), items);
            }
            push(None, None, &version.items);
        }
    }
    if args.json {
        let document = Document { version: 1, word_segmentation, groups };
        print(&format!("{}\n", serde_json::to_string_pretty(&document)?))?;
    } else {
        print(&text(&groups, &word_segmentation))?;
    }
    if problems > 0 {
        eprintln!("tomeval: {problems} rows or files could not be read; `tomeval data check` lists them");
        return Ok(Outcome::Incomplete);
    }
    Ok(Outcome::Done)
}

fn text(groups: &[Group], word_segmentation: &IndexMap<Language, &str>) -> String {
    let rows = groups.iter().map(|group| {
        let version = match &group.variant {
            Some(variant) => format!("{} {variant}", group.language),
            None => group.language.to_string(),
        };
        let stats = &group.stats;
        vec![
            group.benchmark.clone(),
            version,
            group.value.clone().unwrap_or_else(|| "all".to_string()),
            stats.stories.to_string(),
            stats.questions.to_string(),
            format!("{:.2}", stats.mean_words),
            format!("{:.2}", stats.mean_pieces),
            format!("{:.2}", stats.mean_spaced_words),
            format!("{:.2}", stats.mean_characters),
            spread(&stats.options, |options| options.to_string()),
            spread(&stats.answers, option_letter),
        ]
    });
    let header =
        ["benchmark", "version", "part", "#S", "#Q", "words", "pieces", "spaced", "characters", "options", "answers"];
    let mut text = table(&header, rows);
    text.push_str("\n#S stories, #Q questions. Lengths are those of the context, averaged over questions: words by\n");
    for (language, name) in word_segmentation {
        text.push_str(&format!("  {}: {name},\n", language.name()));
    }
    text.push_str(
        "pieces: words and punctuation marks, in Chinese white space too; spaced: what stands between white space;\n\
         characters: Unicode scalar values.\n",
    );
    text
}

fn spread(counts: &IndexMap<usize, usize>, name: impl Fn(usize) -> String) -> String {
    counts.iter().map(|(key, count)| format!("{}:{count}", name(*key))).collect::<Vec<_>>().join(" ")
}
