//! `tomeval annotate answer`, `mark` and `judge`: makes the pages.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::Context;
use indexmap::{IndexMap, IndexSet};

use super::Outcome;
use super::made::made_pairs;
use super::source::{Items, items, records};
use crate::annotate::{
    Code, Deal, Export, Hand, Introduction, Judged, Mode, Page, Recitation, ReplyUnits, Scheme, Subject, Task, Unit,
    answered, beside_sketches, deal, licensed, made_texts, marked_units, page, recitations, stories, translations,
};
use crate::answer::{Normalisation, Ties, read};
use crate::arguments::numbers::within;
use crate::arguments::paths::run_path;
use crate::arguments::setup::{ChoiceArgs, DataArgs};
use crate::benchmark::tomvalley::{TrialData, trial_files};
use crate::benchmark::{Answer, Benchmark, Item};
use crate::cli::exports::exports;
use crate::counted::counted;
use crate::language::Language;
use crate::record::TrialRecord;
use crate::safe_text::for_terminal;
use crate::story::tomvalley::{RELATION, Sketch};
use crate::terminal::files;
use crate::terminal::progress::Shown;

/// Arguments of `tomeval annotate answer` and `mark`.
#[derive(Debug, clap::Args)]
pub struct AnswerArgs {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    /// Use the items of this run.
    #[arg(long, value_name = "DIR", value_parser = run_path, conflicts_with_all = ["benchmarks", "languages", "labels", "choices", "seed"], help_heading = "Items")]
    run: Option<PathBuf>,
    #[command(flatten)]
    people: PeopleArgs,
    #[command(flatten)]
    shown: ShownArgs,
}

/// Arguments of `tomeval annotate judge`.
#[derive(Debug, clap::Args)]
pub struct JudgeArgs {
    /// A built-in scheme (`tomeval annotate schemes` lists them), or a TOML file of your own.
    #[arg(long, value_name = "NAME|FILE")]
    scheme: String,
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    /// Run whose answers or items are judged; may be given several times for runs on the same items.
    #[arg(long = "run", value_name = "DIR", value_parser = run_path, conflicts_with_all = ["benchmarks", "languages", "labels", "choices"], help_heading = "Items")]
    runs: Vec<PathBuf>,
    /// File that `tomeval probe recall --out` wrote: its replies are judged, beside the released texts; may be given
    /// several times.
    #[arg(long = "recited", value_name = "FILE", conflicts_with_all = ["runs", "benchmarks", "languages"], help_heading = "Items")]
    recited: Vec<PathBuf>,
    /// Translations that `tomeval make translate` wrote (its made.jsonl): each is shown beside its source and its
    /// translation back, and can be corrected; `tomeval make correct` reads the corrections.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["runs", "recited", "benchmarks", "languages"], help_heading = "Items")]
    made: Option<PathBuf>,
    /// Language of the originals shown beside translations.
    #[arg(long, value_name = "CODE", default_value = "en", help_heading = "Items")]
    beside: Language,
    /// Only units on which these exports disagree, shown with each judgement.
    #[arg(long = "adjudicate", value_name = "FILE", num_args = 1.., help_heading = "Items")]
    adjudicate: Vec<PathBuf>,
    #[command(flatten)]
    people: PeopleArgs,
    #[command(flatten)]
    shown: ShownArgs,
}

/// How units are dealt to people.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "People")]
struct PeopleArgs {
    /// Number of people, named p1, p2 and so on.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within(1..=10_000))]
    people: usize,
    /// Code of a person instead of p1, p2 and so on; once per person. Do not use names.
    #[arg(long = "code", value_name = "CODE", conflicts_with = "people")]
    codes: Vec<Code>,
    /// Number of people who see each item [default: all; where `answer` has versions of a question, such as languages,
    /// each person gets one of them].
    #[arg(long, value_name = "K", value_parser = within(1..=10_000))]
    per_item: Option<usize>,
    /// Deal whole stories: the same people get all questions of a story, one after the other.
    #[arg(long)]
    whole_stories: bool,
}

/// Contents of the page.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Page")]
struct ShownArgs {
    /// Leave the right answers out of the page's source.
    #[arg(long)]
    blind: bool,
    /// Initial language of the page's interface [default: that of the items, else English].
    #[arg(long, value_name = "CODE", value_parser = interface)]
    interface: Option<Language>,
    /// TOML file with the texts shown first (title, text) and last (end), each a text or texts by language.
    #[arg(long, value_name = "FILE")]
    introduction: Option<PathBuf>,
    /// Write the page to this file.
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
}

/// Size in bytes above which pages open slowly on phones.
const LARGE: usize = 2_000_000;

/// Parses a language of the page's words.
fn interface(given: &str) -> Result<Language, String> {
    let language: Language = given.parse().map_err(|unknown| format!("{unknown}"))?;
    let known = || Language::ALL.map(Language::code).join(", ");
    let found = Some(language).filter(|language| Language::ALL.contains(language));
    found.ok_or_else(|| format!("the page's words are in {}", known()))
}

impl ShownArgs {
    fn introduction(&self) -> anyhow::Result<Introduction> {
        Ok(self.introduction.as_deref().map(Introduction::read).transpose()?.unwrap_or_default())
    }

    /// Returns the interface language: that of all items if it is one of the nine supported.
    fn language(&self, task: &Task) -> Language {
        if let Some(language) = self.interface {
            return language;
        }
        let languages: HashSet<&str> = task.units.iter().map(|unit| unit.language.as_str()).collect();
        let only = languages.iter().next().filter(|_| languages.len() == 1);
        let only = only.and_then(|code| code.parse::<Language>().ok()).filter(|only| Language::ALL.contains(only));
        only.unwrap_or(Language::En)
    }
}

impl PeopleArgs {
    fn hands(&self, task: &Task, seed: u64) -> anyhow::Result<Vec<Hand>> {
        let people = match self.codes.is_empty() {
            true => (1..=self.people).map(Code::numbered).collect(),
            false => self.codes.clone(),
        };
        let (per_unit, whole_stories) = (self.per_item, self.whole_stories);
        Ok(deal(&Deal { people, per_unit, whole_stories, seed }, &task.units)?)
    }
}

pub fn answer(args: AnswerArgs) -> anyhow::Result<Outcome> {
    let Items { items, benchmarks } = items(&args.data, &args.choice, args.run.as_deref())?;
    let task = Task { benchmarks, ..answered(&items, args.shown.blind)? };
    write(&task, &args.people, &args.shown, args.data.limit.seed)
}

pub fn mark(args: AnswerArgs) -> anyhow::Result<Outcome> {
    let Items { items, benchmarks } = items(&args.data, &args.choice, args.run.as_deref())?;
    let task = Task { benchmarks, ..marked_units(&items, args.shown.blind)? };
    write(&task, &args.people, &args.shown, args.data.limit.seed)
}

impl JudgeArgs {
    /// Reads the scheme, and refuses arguments that it has no use for.
    fn check(&self) -> anyhow::Result<Scheme> {
        let scheme = Scheme::named(&self.scheme)?;
        anyhow::ensure!(
            self.made.is_none() || scheme.of == Subject::Translations,
            "--scheme {} judges {}, not translations; xtom-mqm judges those of --made",
            scheme.name,
            scheme.of
        );
        let of_replies = scheme.of == Subject::Replies;
        anyhow::ensure!(
            !of_replies || !self.runs.is_empty() || !self.recited.is_empty(),
            "--scheme {} judges answers of runs; name one with --run DIR, or replies of `probe recall` with --recited FILE",
            scheme.name
        );
        anyhow::ensure!(
            of_replies || self.recited.is_empty(),
            "--scheme {} judges {}, not replies; leave out --recited",
            scheme.name,
            scheme.of
        );
        anyhow::ensure!(
            of_replies || self.runs.len() < 2,
            "--scheme {} judges {}, not answers; pass a single --run",
            scheme.name,
            scheme.of
        );
        Ok(scheme)
    }
}

pub fn judge(args: JudgeArgs) -> anyhow::Result<Outcome> {
    let scheme = args.check()?;
    if let Some(file) = &args.made {
        let task = made_texts(&made_pairs(file)?, &scheme)?;
        return write(&task, &args.people, &args.shown, args.data.limit.seed);
    }
    let Items { items, benchmarks } = match args.recited.is_empty() {
        true => items(&args.data, &args.choice, args.runs.first().map(PathBuf::as_path))?,
        false => Items { items: Vec::new(), benchmarks: Vec::new() },
    };
    let mut task = match scheme.of {
        Subject::Replies if !args.recited.is_empty() => recited(&args.recited, &scheme)?,
        Subject::Replies => replies(&items, &scheme, &args)?,
        Subject::Translations => {
            let (task, left_out) = translations(&items, &scheme, args.beside)?;
            if left_out > 0 {
                eprintln!("note: no original in {}: left out {}", args.beside, counted(left_out, "story"));
            }
            task
        }
        Subject::Items | Subject::Stories => stories(&items, &scheme, args.shown.blind)?,
    };
    if scheme.name == TOMVALLEY_CONTEXTS && items.iter().any(|item| item.benchmark == Benchmark::ToMValley) {
        let known = args.runs.is_empty().then(|| sketches(&args.data)).transpose()?.unwrap_or_default();
        if !beside_sketches(&mut task, &known) {
            eprintln!(
                "note: contexts without a sketch beside them; name the files of ToMValley with --data, not a run"
            );
        }
    }
    if args.recited.is_empty() {
        task.benchmarks = benchmarks;
    }
    if !args.adjudicate.is_empty() {
        adjudicate(&mut task, &scheme, &exports(&args.adjudicate)?)?;
    }
    write(&task, &args.people, &args.shown, args.data.limit.seed)
}

/// The scheme by which people judge contexts with the sketches they were written from.
const TOMVALLEY_CONTEXTS: &str = "tomvalley-contexts";

/// The sketches of ToMValley's contexts by id of the story.
fn sketches(data: &DataArgs) -> anyhow::Result<IndexMap<String, Vec<String>>> {
    let dataset = data.source.dataset(vec![Benchmark::ToMValley])?;
    let Some(files) = dataset.files.as_deref() else { return Ok(IndexMap::new()) };
    let read = |trial: TrialData| {
        let story: serde_json::Value = serde_json::from_slice(&trial.story).ok()?;
        let sketch = Sketch::from_release(&story).ok()?;
        let relation = story.pointer(RELATION).and_then(serde_json::Value::as_str).unwrap_or_default();
        let place = story.get("social setting").and_then(serde_json::Value::as_str).unwrap_or_default();
        Some((format!("tomvalley/{}", trial.number), sketch.told(place, relation)))
    };
    Ok(trial_files(files, &dataset.options)?.into_iter().filter_map(read).collect())
}

/// Builds a task from the replies of files that `probe recall --out` wrote.
fn recited(files: &[PathBuf], scheme: &Scheme) -> anyhow::Result<Task> {
    let mut read = Vec::new();
    for path in files {
        let at = |number: usize| format!("--recited {}, line {}", path.display(), number + 1);
        let text = std::fs::read_to_string(path).with_context(|| format!("--recited {}", path.display()))?;
        let mut rows = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let row: serde_json::Value = serde_json::from_str(line).with_context(|| at(number))?;
            if row.get("skipped").is_none() {
                let other = || format!("{}: not a line of `tomeval probe recall --out`", at(number));
                rows.push(serde_json::from_value::<Recitation>(row).with_context(other)?);
            }
        }
        read.push((path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), rows));
    }
    let used: IndexSet<Benchmark> = read.iter().flat_map(|(_, rows)| rows).map(|row| row.benchmark).collect();
    Ok(Task {
        benchmarks: used.into_iter().map(|each| licensed(each, each.card())).collect(),
        ..recitations(&read, scheme)?
    })
}

/// Builds a task from the answers of all runs.
fn replies(items: &[Item], scheme: &Scheme, args: &JudgeArgs) -> anyhow::Result<Task> {
    let mut units = ReplyUnits::new(items, scheme, args.shown.blind, args.runs.len() > 1);
    let ties = Ties { seed: args.data.limit.seed, ..Ties::default() };
    let mut names = HashSet::new();
    for folder in &args.runs {
        let run = Shown::during("reading records", || records(folder))?;
        anyhow::ensure!(
            names.insert(run.name.clone()),
            "--run {}: a second run named {}; give one of them another name with `tomeval run --name`",
            folder.display(),
            run.name
        );
        let added = units.add(&run.name, &run.records, |record, item| choice(record, item, ties));
        if added == 0 {
            eprintln!("warning: --run {}: has no answers to these items", folder.display());
        }
    }
    Ok(units.task()?)
}

fn choice(record: &TrialRecord, item: &Item, ties: Ties) -> Option<Answer> {
    read(record, item, Normalisation::usual(record.scoring, &record.style), ties).ok()?.choice
}

/// Keeps only the units on which people disagree, with their judgements.
fn adjudicate(task: &mut Task, scheme: &Scheme, exports: &[Export]) -> anyhow::Result<()> {
    let judged = Judged::new(scheme, exports)?;
    anyhow::ensure!(!judged.disagreements.is_empty(), "nothing to adjudicate: all agree or are already adjudicated");
    task.adjudicate(&judged, exports).context("--adjudicate: select the same items and runs as for the first page")
}

fn write(task: &Task, people: &PeopleArgs, shown: &ShownArgs, seed: u64) -> anyhow::Result<Outcome> {
    let hands = people.hands(task, seed)?;
    let introduction = shown.introduction()?;
    let program = format!("tomeval {}", env!("CARGO_PKG_VERSION"));
    let interface = shown.language(task);
    let html =
        page(&Page { program: &program, task, hands: &hands, introduction: &introduction, interface, results: None })?;
    files::write(&shown.out, &html)?;
    print(task, &hands, shown, html.len());
    Ok(Outcome::Done)
}

fn print(task: &Task, hands: &[Hand], shown: &ShownArgs, bytes: usize) {
    let sizes = || hands.iter().map(|hand| hand.units.len());
    let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
    let each = if least == most { most.to_string() } else { format!("{least} to {most}") };
    let people = if hands.len() == 1 { "1 person".to_string() } else { format!("{} people", hands.len()) };
    let units = if task.units.len() == 1 { "1 unit".to_string() } else { format!("{} units", task.units.len()) };
    eprintln!("{units} for {people}, {each} each; {} kB: {}", bytes / 1000, shown.out.display());
    if hands.len() > 1 {
        let codes: Vec<&str> = hands.iter().take(4).map(|hand| hand.code.as_str()).collect();
        let more = if hands.len() > 4 { ", ..." } else { "" };
        eprintln!(
            "Each person picks a code: {}{more}; #{} after the address selects it directly.",
            codes.join(", "),
            codes[0]
        );
    }
    let questions: HashSet<&str> = task.units.iter().map(Unit::question_id).collect();
    if questions.len() < task.units.len() {
        let mut seen = vec![0; task.units.len()];
        hands.iter().flat_map(|hand| &hand.units).for_each(|(unit, _)| seen[*unit] += 1);
        let (least, most) = (seen.iter().min().unwrap_or(&0), seen.iter().max().unwrap_or(&0));
        let each = if least == most { most.to_string() } else { format!("{least} to {most}") };
        eprintln!(
            "note: {units} are versions of {}: each person gets one version of a question, so that each unit goes to \
             {each} of {people}",
            counted(questions.len(), "question")
        );
    }
    for (_, title, licence) in &task.benchmarks {
        eprintln!("The page contains texts of {}: {}.", for_terminal(title), for_terminal(licence));
    }
    if !shown.blind && task.mode == Mode::Answer {
        eprintln!("The page contains the gold answers and shows the score at its end; --blind leaves them out.");
    }
    if bytes > LARGE {
        eprintln!("warning: a page of more than 2 MB opens slowly on phones; --limit or several pages help");
    }
}
