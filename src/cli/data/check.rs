//! `tomeval data check`: compares counts with the card, and lists anomalies, shortcuts and unreadable rows.

use indexmap::{IndexMap, IndexSet};
use serde::Serialize;

use super::twins::versions_text;
use super::{Outcome, SourceArgs, read_all, rows_or_files, version};
use crate::benchmark::made::seed_of;
use crate::benchmark::{Benchmark, Card, Check, Item, LabelSet, OptionIx, ReasonCount};
use crate::cli::report::screen;
use crate::counted::counted;
use crate::language::Language;
use crate::metric::{
    FEWEST_STORIES_OF_CELL as FEWEST, Layout, Shortcut, TwinTextsOfVersion, shortcuts, twin_texts,
    twin_texts_by_version,
};
use crate::prompt::{Anchor, anchored};
use crate::safe_text::for_json;
use crate::table::hanging;
use crate::terminal::progress::Shown;
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

/// Content of `data check --json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::cli) struct Document {
    /// Format version, 1.
    version: u32,
    /// Gold answers in use.
    labels: LabelSet,
    /// The benchmarks checked.
    benchmarks: Vec<Checked>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Checked {
    #[serde(flatten)]
    check: Check,
    /// What rules that do not read for meaning get in each cell of at least 30 stories.
    shortcuts: Vec<Shortcut>,
    /// Options that refer to others or to none, by text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    anchored: Vec<AnchoredOption>,
    /// How the texts of twins differ from their original's; absent where the card names none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    twins: Vec<TwinTextsOfVersion>,
}

/// An option that refers to others or to none.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AnchoredOption {
    /// Its text.
    option: String,
    /// What it refers to.
    refers_to: Anchor,
    /// Language of the items.
    language: Language,
    /// Number of items that have it.
    items: usize,
    /// Id of the first.
    first: String,
}

fn anchored_options(items: &[Item], card: &Card) -> Vec<AnchoredOption> {
    let mut found: IndexMap<(&str, Language), AnchoredOption> = IndexMap::new();
    for item in items {
        for (OptionIx(at), refers_to) in anchored(item, &card.anchored) {
            let option = item.options[at].as_str();
            let (language, first) = (item.language, item.id.clone());
            let new = || AnchoredOption { option: option.to_string(), refers_to, language, items: 0, first };
            found.entry((option, language)).or_insert_with(new).items += 1;
        }
    }
    found.into_values().collect()
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let labels = args.source.labels;
    let own = args.source.own.own_data()?;
    let mut checks = Vec::new();
    for (benchmark, loaded) in read_all(&args.source, &args.benchmarks)? {
        let made = args.source.files().and_then(|files| seed_of(&files, benchmark, &loaded.items));
        let card = benchmark.card_with(&own);
        let shortcuts = Shown::during("looking for shortcuts", || shortcuts(&loaded.items, &card.strata));
        let twins = Layout::parse(&benchmark.card_text_with(&own))?.twins;
        let twins = twin_texts_by_version(&twin_texts(&loaded.items, &twins));
        let anchored = anchored_options(&loaded.items, &card);
        checks.push(Checked { anchored, check: Check::new(&card, loaded, labels, made)?, shortcuts, twins });
    }
    let sound = checks.iter().all(|checked| checked.check.is_sound());
    if args.json {
        let document = Document { version: 1, labels, benchmarks: checks };
        print(&format!("{}\n", for_json(&serde_json::to_string_pretty(&document)?)))?;
    } else {
        print_text(&checks.iter().map(|checked| text(checked, labels)).collect::<Vec<_>>().join("\n"))?;
    }
    Ok(if sound { Outcome::Done } else { Outcome::Incomplete })
}

fn listed(facets: &IndexMap<String, usize>) -> String {
    facets.iter().map(|(facet, values)| format!("{facet} ({values})")).collect::<Vec<_>>().join(", ")
}

fn text(checked: &Checked, labels: LabelSet) -> String {
    let check = &checked.check;
    let mut text = format!("{}\n\n", check.benchmark);
    let sizes = check.versions.iter().map(|size| {
        let numbers = [size.items, size.stories, size.flagged].map(|number| number.to_string());
        [vec![version(size.language, &size.variant)], numbers.to_vec()].concat()
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
                    version(count.language, &count.variant),
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
                version(flag.language, &flag.variant),
                flag.items.to_string(),
                format!("{}: {}", flag.first, flag.detail),
            ]
        });
        text.push('\n');
        text.push_str(&table(&["anomaly", "version", "items", "the first"], rows));
    }
    text.push_str(&needs_options_text(&check.needs_options));
    text.push_str(&anchored_text(&checked.anchored));
    text.push_str(&shortcuts_text(&checked.shortcuts));
    if !checked.twins.is_empty() {
        text.push_str(&format!("\n{}`tomeval data twins` shows each pair.\n", versions_text(&checked.twins)));
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

/// The first reasons why items are not asked with their options hidden.
fn needs_options_text(found: &[ReasonCount]) -> String {
    const MOST: usize = 20;
    if found.is_empty() {
        return String::new();
    }
    let rows = found.iter().take(MOST).map(|each| {
        let first = format!("{}: {}", each.first, each.question);
        vec![each.reason.clone(), version(each.language, &each.variant), each.items.to_string(), first]
    });
    let more = match found.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" {} in --json.", counted(more, "more reason")),
    };
    let legend = format!(
        "Items left out where options are hidden (`tomeval run --options after`, `never`), beside those with an option that \
         refers to others; `[needs_options]` of a card adds phrases and items, or excepts some.{more}"
    );
    format!(
        "\n{}{}\n",
        table(&["needs its options", "version", "items", "the first"], rows),
        hanging("", &legend, screen())
    )
}

/// The first options that refer to others or to none.
fn anchored_text(found: &[AnchoredOption]) -> String {
    const MOST: usize = 20;
    if found.is_empty() {
        return String::new();
    }
    let rows = found.iter().take(MOST).map(|each| {
        let (language, refers_to) = (each.language.to_string(), <&str>::from(each.refers_to).to_string());
        vec![each.option.clone(), refers_to, language, each.items.to_string(), each.first.clone()]
    });
    let more = match found.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" {} in --json.", counted(more, "more option")),
    };
    let legend = format!(
        "Options that refer to others (place, letters) or to none (open): `tomeval run --anchored-options keep` leaves them in \
         their slots; `[anchored]` of a card names others. Items with options that refer to others are left out where options \
         are hidden (`--options after`, `never`).{more}"
    );
    let header = ["option", "refers to", "language", "items", "the first"];
    format!("\n{}{}\n", table(&header, rows), hanging("", &legend, screen()))
}

/// The shortcuts, the strongest of each cell first.
fn shortcuts_text(tested: &[Shortcut]) -> String {
    let cells: IndexSet<String> = tested.iter().map(Shortcut::cell).collect();
    if cells.is_empty() {
        return format!("\nNo shortcut was looked for: no part has {FEWEST} stories.\n");
    }
    let mut named: Vec<&Shortcut> = tested.iter().filter(|shortcut| shortcut.is_shortcut).collect();
    let place = |shortcut: &Shortcut| cells.get_index_of(&shortcut.cell());
    named.sort_by(|one, other| place(one).cmp(&place(other)).then(other.accuracy.total_cmp(&one.accuracy)));
    let looked =
        format!("{} in {} of at least {FEWEST} stories", counted(tested.len(), "rule"), counted(cells.len(), "part"));
    if named.is_empty() {
        return format!("\n{}\n", hanging("", &format!("No shortcut found ({looked})."), screen()));
    }
    let rows = named.iter().map(|shortcut| {
        let numbers = [shortcut.accuracy, shortcut.lower_bound, shortcut.chance].map(|number| format!("{number:.1}"));
        [vec![shortcut.cell(), shortcut.answer.clone()], numbers.to_vec(), vec![shortcut.items.to_string()]].concat()
    });
    let legend = format!(
        "Shortcuts: rules that do not read for meaning, at least 10 points above chance by the lower bound of their \
         accuracy (by stories, Holm over {looked}). What is fitted is fitted on other stories."
    );
    let header = ["shortcuts in", "answer", "accuracy", "at least", "chance", "items"];
    format!("\n{}{}\n", table(&header, rows), hanging("", &legend, screen()))
}
