//! `tomeval score`: computes metrics of answers produced elsewhere.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::Context;
use indexmap::IndexMap;

use super::Outcome;
use super::reading::{ByArgs, ChangedDataArgs};
use super::report::{FormatArgs, ViewArgs, write};
use crate::annotate::{Export, Mode, is_export};
use crate::answer::{
    FailedRow, Imported, ImportedFile, ImportedProblem, KnownItems, ProblemKind, ReplyReading, RequestMap, TieRule,
    Ties, languages_left_out,
};
use crate::arguments::setup::{LimitArgs, SourceArgs};
use crate::arguments::stdin;
use crate::benchmark::{Benchmark, Item, LabelSet, LoadOptions, Loaded, joined};
use crate::extract::Rules;
use crate::metric::{Layout, Method, Respondent, Results, Setting, evaluate};
use crate::name::option_letter;
use crate::prompt::{Instructions, Pack, Scoring};
use crate::reopen::{AskedOf, languages, made_note};
use crate::report::{ItemOutcome, Report};
use crate::safe_text::for_terminal;
use crate::terminal::progress::Shown;
use crate::trial::Dataset;

/// Arguments of `tomeval score`.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Benchmark by name; `tomeval data list` shows all.
    #[arg(long, short)]
    benchmark: Benchmark,
    /// Answers: JSON lines with `id` (or `question` and `options`) and `choice` or `answer` (a zero-based option
    /// number, or the letter of the slot shown; a list for label sets and slots, or null), or instead `text`, `reply`,
    /// `response`, `output`, `completion` or `generation` (a reply to be read; with `labels` and `cut` where needed),
    /// or under a story's id `answers` (question ids with letters); and optionally `order`, `logprobs`, `style`,
    /// `condition`, `rater`. Several lines of one item are combined by vote, except those of different raters; an item
    /// without a line that `tomeval run` with the same limit and seed would ask counts as unanswered, unless raters
    /// answered or no line is in its language. Also accepts batch output of the OpenAI protocol, samples of
    /// lm-evaluation-harness (`--log_samples`), logs of inspect_ai (`.eval` or JSON), exports of
    /// `tomeval annotate answer`. May be repeated. - for stdin.
    #[arg(long, value_name = "FILE", required = true)]
    answers: Vec<PathBuf>,
    /// Map written by `tomeval prompts write`: finds answers by its `custom_id`, with their orders and styles.
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Filter to use, in samples of lm-evaluation-harness that have several.
    #[arg(long, value_name = "NAME")]
    filter: Option<String>,
    #[command(flatten)]
    source: SourceArgs,
    /// Rules for reading replies: this program's own, or those of the released ToMBench scripts.
    #[arg(long, default_value_t, value_name = "ours|released")]
    extract: Rules,
    /// Tie rule for votes: the higher mean probability and then a random draw, or the answer seen first.
    #[arg(long, default_value_t, value_name = "probability|first")]
    tie: TieRule,
    /// Name of these answers in the tables [default: the name of the answer file].
    #[arg(long, alias = "subject")]
    name: Option<String>,
    /// Each answer file is a model of its own, named like the file; tables show them side by side, with their means.
    #[arg(long, conflicts_with_all = ["name", "map"])]
    separate: bool,
    #[command(flatten)]
    by: ByArgs,
    #[command(flatten)]
    changed: ChangedDataArgs,
    #[command(flatten)]
    limit: LimitArgs,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    view: ViewArgs,
}

/// Reads an answer file; of an export, only the lines as the page wrote them.
fn answers_of(file: &Path, benchmark: Benchmark) -> anyhow::Result<Vec<u8>> {
    let name = stdin::name(file).to_string();
    let bytes = stdin::read(file)?;
    let Some(text) = std::str::from_utf8(&bytes).ok().filter(|text| is_export(text)) else { return Ok(bytes) };
    let export = Export::read(text).with_context(|| name.clone())?;
    let mode = export.header.mode;
    anyhow::ensure!(
        mode == Mode::Answer,
        "{name}: an export of `tomeval annotate {mode}`, which contains no answers; `tomeval annotate read` reads it"
    );
    anyhow::ensure!(
        export.header.benchmarks.contains(&benchmark),
        "{name}: contains answers to {}, not to {benchmark}; name the benchmark with --benchmark",
        joined(&export.header.benchmarks, ", ")
    );
    let (done, dealt) = (export.header.done, export.header.items);
    if done < dealt {
        eprintln!("note: {} answered {done} of the {dealt} items dealt to them", export.header.rater);
    }
    // Replaces the first line, which has no answer, so that line numbers stay those of the file.
    Ok(format!("\n{}", export.lines).into_bytes())
}

/// Maximum problems printed before the rest is only counted.
const PROBLEMS_SHOWN: usize = 10;

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let (format, _) = args.format.chosen();
    args.view.check(format)?;
    let dataset = args.limit.of(args.source.dataset(vec![args.benchmark])?);
    dataset.check_choices()?;
    let loaded = Shown::during("reading items", || dataset.read(args.benchmark))?;
    let scored = match args.separate {
        false => vec![scored(&args, &dataset, &loaded)?],
        true => {
            let of = |file: &PathBuf| scored(&Args { answers: vec![file.clone()], ..args.clone() }, &dataset, &loaded);
            args.answers.iter().map(of).collect::<anyhow::Result<_>>()?
        }
    };
    let all_used = scored.iter().all(|(_, all_used)| *all_used);
    let mut reports: Vec<Report> = scored.into_iter().map(|(report, _)| report).collect();
    let report = if reports.len() == 1 { reports.remove(0) } else { Report::merge(reports) };
    write(&report, format, &args.view, None)?;
    let whole = all_used && loaded.problems.is_empty() && !args.changed.refuses(&report);
    Ok(if whole { Outcome::Done } else { Outcome::Incomplete })
}

/// The report of the answers in all files, and whether every row was used.
fn scored(args: &Args, dataset: &Dataset, loaded: &Loaded) -> anyhow::Result<(Report, bool)> {
    let map = args.map.as_deref().map(read_map).transpose()?;
    let files =
        args.answers.iter().map(|file| answers_of(file, args.benchmark)).collect::<anyhow::Result<Vec<Vec<u8>>>>()?;
    let by_facets = args.by.facets();
    by_facets.check(&loaded.items)?;
    let own = &dataset.options.own;
    let mut layout = Layout::parse(&args.benchmark.card_text_with(own))?;
    by_facets.add_to(&mut layout, &loaded.items);
    let pack = Pack::built_in(args.benchmark);
    let reading = ReplyReading { rules: args.extract, labels: Box::new(|item, style| labels(&pack, item, style)) };
    let known = KnownItems::new(&loaded.items, map.as_ref());
    let mut answers = Imported::default();
    let (mut all_used, mut answered, mut failed) = (true, HashSet::new(), Vec::new());
    for (file, bytes) in args.answers.iter().zip(&files) {
        let name = stdin::name(file);
        let read = ImportedFile::read(bytes, &known, &reading, args.filter.as_deref());
        let read = read.map_err(|message| anyhow::anyhow!("{name}: {message}"))?;
        for (shape, rows) in &read.shapes {
            eprintln!("{name}: {}, rows: {rows}", for_terminal(shape));
        }
        let problems = without_excluded(read.problems, dataset, args.benchmark)?;
        let (mistakes, unfound): (Vec<_>, Vec<_>) =
            problems.into_iter().partition(|problem| problem.kind == ProblemKind::Mistake);
        if !mistakes.is_empty() {
            anyhow::bail!("{name}: nothing was scored; correct these lines:{}", listed(&mistakes));
        }
        for (kind, what) in [(ProblemKind::Unmatched, "match no item"), (ProblemKind::Ambiguous, "are ambiguous")] {
            let rows: Vec<_> = unfound.iter().filter(|problem| problem.kind == kind).collect();
            if !rows.is_empty() {
                eprintln!("note: {name}: rows that {what} and are left out: {}{}", rows.len(), listed(&rows));
            }
        }
        all_used &= unfound.is_empty();
        answers.append(read.answers);
        answered.extend(read.answered);
        failed.push((name, read.failures));
    }
    for (name, rows) in &failed {
        // A request of the map that was sent again has its answer in another row.
        let is_answered = |row: &&FailedRow| map.is_some() && row.requests.iter().any(|id| answered.contains(id));
        let (sent_again, failed): (Vec<_>, Vec<_>) = rows.iter().partition(is_answered);
        if !sent_again.is_empty() {
            eprintln!("note: {name}: rows without an answer, whose request another row answers: {}", sent_again.len());
        }
        if !failed.is_empty() {
            eprintln!("note: {name}: rows without an answer: {}{}", failed.len(), listed(&failed));
            all_used = false;
        }
    }
    answered.extend(failed.into_iter().flat_map(|(_, rows)| rows).flat_map(|row| row.requests));
    let unanswered = map.iter().flat_map(RequestMap::all).filter(|request| known.has(&request.id));
    let unanswered: Vec<&str> =
        unanswered.map(|request| request.custom_id.as_str()).filter(|id| !answered.contains(*id)).collect();
    if !unanswered.is_empty() {
        eprintln!("note: requests of the map without a row: {}{}", unanswered.len(), listed(&unanswered));
        all_used = false;
    }
    let people = answers.raters().len();
    let mut outcomes = answers.outcomes(&loaded.items, Ties { rule: args.tie, seed: args.limit.seed });
    let unspoken = languages_left_out(&loaded.items, &outcomes);
    let drawn: HashSet<String> =
        dataset.limited(args.benchmark, loaded.items.clone()).into_iter().map(|item| item.id).collect();
    let left_out =
        outcomes.iter().filter(|outcome| !drawn.contains(&outcome.item.id) && !outcome.trials.is_empty()).count();
    if left_out > 0 {
        eprintln!(
            "note: {left_out} answered items are not among those drawn by --limit or --limit-stories, and are left out; \
             without the limit all are scored"
        );
    }
    outcomes.retain(|outcome| drawn.contains(&outcome.item.id));
    let label = args.name.clone().unwrap_or_else(|| match people {
        0 => names(&args.answers),
        1 => "1 person".to_string(),
        several => format!("{several} people"),
    });
    let replies = outcomes.iter().flat_map(|outcome| &outcome.trials).any(|trial| trial.reading.is_some());
    let by = Respondent { label: &label, answers: if replies { "imported replies" } else { "imported" } };
    let setting = Setting {
        benchmark: args.benchmark,
        title: &args.benchmark.card_with(own).title,
        by,
        items: &loaded.items,
        layout: &layout,
        seed: args.limit.seed,
    };
    let below = args.source.files();
    let unread_rows = loaded.problems.iter().map(|problem| problem.below(below.as_deref())).collect();
    let evaluated = Shown::during("computing metrics", || evaluate(&setting, &outcomes));
    let check = dataset.check(args.benchmark, &loaded.items)?;
    let changed_data = check.changed().to_vec();
    let mut results = Results { unread_rows, changed_data, ..evaluated };
    if !unspoken.is_empty() {
        let codes: Vec<&str> = unspoken.iter().map(|language| language.code()).collect();
        let note = format!("No answers in {}: left out of every table, and of all items.", codes.join(", "));
        eprintln!("note: {note}");
        results.notes.push(note);
    }
    let scoring = if replies { "written answers" } else { "imported answers" };
    let Dataset { options: LoadOptions { labels, choices, .. }, .. } = dataset;
    let asked_of = AskedOf { benchmark: args.benchmark, labels: *labels, choices, chosen: false };
    let asked_of = asked_of.of_made(check.made());
    if let Some(seed) = check.made() {
        results.notes = vec![made_note(seed)];
    }
    let method = Method { scoring: Some(scoring.to_string()), ..Method::default() };
    results.asked_by(&method, |table| asked_of.is_of_paper(&table.facets));
    let rendered = if args.format.wants_items() { &outcomes[..] } else { &[] };
    let items = rendered.iter().map(|outcome| ItemOutcome::new(outcome, by)).collect();
    let report = Report { items, ..Report::new(label.clone(), header(args, &loaded.items), vec![results]) };
    Ok((report, all_used))
}

/// Returns the labels of an item's slots in the built-in pack: under a style of this name, else under the first that
/// shows them.
fn labels(pack: &Pack, item: &Item, style: &str) -> Vec<String> {
    let options = item.options.len();
    let found = [style, "vanilla"].into_iter().find_map(|style| {
        let found = [Scoring::Generate, Scoring::Letter].into_iter();
        found.filter_map(|scoring| pack.style_for(item, style, scoring, Instructions::Item).ok()).find_map(|style| {
            let labels: Vec<String> = style.labels.iter().take(options).cloned().collect();
            (labels.len() == options).then_some(labels)
        })
    });
    found.unwrap_or_else(|| (0..options).map(option_letter).collect())
}

/// Removes answers to items excluded by the chosen languages, labels or choices; counts them and does not treat them as
/// mistakes.
fn without_excluded(
    problems: Vec<ImportedProblem>,
    dataset: &Dataset,
    benchmark: Benchmark,
) -> anyhow::Result<Vec<ImportedProblem>> {
    if problems.iter().all(|problem| problem.unknown_id.is_none()) {
        return Ok(problems);
    }
    let mut known = HashSet::new();
    for labels in [LabelSet::Published, LabelSet::Repaired] {
        let own = dataset.options.own.clone();
        let options = LoadOptions { labels, own, ..LoadOptions::default() };
        let all = Dataset { options, ..dataset.clone() }.read(benchmark)?;
        known.extend(all.items.into_iter().map(|item| item.id));
    }
    let left_out = |problem: &ImportedProblem| problem.unknown_id.as_ref().is_some_and(|id| known.contains(id));
    let (excluded, problems): (Vec<_>, Vec<_>) = problems.into_iter().partition(left_out);
    if let Some(first) = excluded.first().and_then(|problem| problem.unknown_id.as_ref()) {
        eprintln!(
            "note: answers not scored, because --language, --labels or --choose leave out their items: {}, the first \
             of {}",
            excluded.len(),
            for_terminal(first)
        );
    }
    Ok(problems)
}

/// Lists the first rows, one per line, and the number of the others.
fn listed<T: std::fmt::Display>(rows: &[T]) -> String {
    let shown = rows.iter().take(PROBLEMS_SHOWN).map(|row| format!("\n  {}", for_terminal(&row.to_string())));
    let more = match rows.len().saturating_sub(PROBLEMS_SHOWN) {
        0 => String::new(),
        more => format!("\n  and {more} more"),
    };
    shown.chain([more]).collect()
}

fn read_map(file: &Path) -> anyhow::Result<RequestMap> {
    let name = stdin::name(file);
    let text = String::from_utf8(stdin::read(file)?).with_context(|| format!("{name}: not UTF-8 text"))?;
    RequestMap::read(&text).map_err(|message| anyhow::anyhow!("{name}: {message}; `tomeval prompts write` writes maps"))
}

fn file_name(path: &Path) -> String {
    let stem = if path == Path::new(stdin::DASH) { None } else { path.file_stem() };
    stem.map_or_else(|| "answers".to_string(), |name| name.to_string_lossy().into_owned())
}

fn names(files: &[PathBuf]) -> String {
    files.iter().map(|file| file_name(file)).collect::<Vec<_>>().join(", ")
}

fn header(args: &Args, items: &[Item]) -> IndexMap<String, String> {
    let lines = [
        ("answers", names(&args.answers)),
        ("benchmark", args.benchmark.name().to_string()),
        ("languages", languages(items)),
        ("labels", args.source.labels.to_string()),
        ("ties", args.tie.name().to_string()),
        ("seed", args.limit.seed.to_string()),
    ];
    lines.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}
