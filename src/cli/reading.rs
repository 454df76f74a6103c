//! From the records of a run folder to its results and reports. Everything here can be done again at any time.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use anyhow::{Context, bail};
use clap::Args;
use indexmap::IndexMap;

use tomeval::answer::{Normalisation, Reread, TieRule, Ties, label_masses, outcomes, reread};
use tomeval::benchmark::{Benchmark, Item};
use tomeval::extract::{Reading, Rules};
use tomeval::metric::{LabelMassResult, Layout, Respondent, Results, Setting, evaluate};
use tomeval::name::option_letter;
use tomeval::prompt::Scoring;
use tomeval::record::TrialRecord;
use tomeval::report::{Format, ItemOutcome, Report, Screen, Unfinished, render};
use tomeval::run::{
    ATTENTION_PAGE, HowAsked, LoadedItems, Manifest, Mixture, Model, RecordedRun, RunFolder, Settings, read_run,
};

/// The report as Markdown, in a run's folder.
const REPORT: &str = "report.md";

/// How records are read.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadingArgs {
    /// Normalisation of log-likelihoods: sum, token, byte or pmi [default: sum for letters, token for texts].
    #[arg(long)]
    pub normalisation: Option<Normalisation>,
    /// Who wins among equally many votes over orders: the higher mean probability and then a draw, or the answer seen
    /// first as in ToMBench's scripts.
    #[arg(long, default_value_t, value_name = "probability|first")]
    pub tie: TieRule,
    #[command(flatten)]
    pub by: ByArgs,
}

/// Tables beside those of the benchmark's card.
#[derive(Debug, Clone, Default, Args)]
pub struct ByArgs {
    /// Add a table of accuracy by a facet, for instance task, or by several as order,task; may be given several times.
    /// `tomeval data check` lists the facets.
    #[arg(long, value_name = "FACET")]
    by: Vec<String>,
}

impl ByArgs {
    /// Refuse facets that no item has.
    pub fn check(&self, items: &[Item]) -> anyhow::Result<()> {
        for facet in self.by.iter().flat_map(|by| names(by)) {
            if !items.iter().any(|item| has_facet(item, &facet)) {
                let known: BTreeSet<&str> =
                    items.iter().flat_map(|item| item.facets.keys().map(String::as_str)).collect();
                let known = OF_EVERY_ITEM.into_iter().chain(known).collect::<Vec<_>>().join(", ");
                bail!("--by {facet}: no item has this facet; known are {known}");
            }
        }
        Ok(())
    }

    /// Add the tables that these items of one benchmark have facets for.
    pub fn add_to(&self, layout: &mut Layout, items: &[Item]) {
        for facets in self.by.iter().map(|by| names(by)) {
            if items.iter().any(|item| facets.iter().all(|facet| has_facet(item, facet))) {
                layout.add_accuracy_by(&facets);
            }
        }
    }
}

/// Facets that every outcome has.
const OF_EVERY_ITEM: [&str; 4] = ["language", "options", "style", "condition"];

fn has_facet(item: &Item, facet: &str) -> bool {
    OF_EVERY_ITEM.contains(&facet) || item.facet(facet).is_some()
}

fn names(by: &str) -> Vec<String> {
    by.split(',').map(|name| name.trim().to_string()).filter(|name| !name.is_empty()).collect()
}

impl ReadingArgs {
    /// Whether nothing was asked for, so that results are those that the run itself wrote.
    pub fn is_default(&self) -> bool {
        self.normalisation.is_none() && self.tie == TieRule::default() && self.by.by.is_empty()
    }

    /// Refuse what a run with these settings cannot be read by, before anything is computed.
    pub fn check(&self, settings: &Settings) -> anyhow::Result<()> {
        if self.normalisation == Some(Normalisation::Pmi) && !settings.unconditional {
            let why = match settings.scoring {
                Scoring::Letter => "letters are not; use --scoring text or hybrid, or another normalisation",
                _ => "--no-pmi leaves that out",
            };
            anyhow::bail!("--normalisation pmi needs scores after a neutral context: {why}");
        }
        Ok(())
    }

    fn normalisation(&self, scoring: Scoring) -> Normalisation {
        self.normalisation.unwrap_or(match scoring {
            Scoring::Letter => Normalisation::Sum,
            _ => Normalisation::Token,
        })
    }
}

/// Say what is odd about a run's folder.
pub fn tell_warnings(warnings: &[String]) {
    for warning in warnings {
        eprintln!("warning: {warning}");
    }
}

/// Say what parts of a run were made with, where they were not all made with the same.
pub fn tell_mixed(mixed: &[Mixture]) {
    if !mixed.is_empty() {
        let keys: Vec<String> = mixed.iter().map(Mixture::to_string).collect();
        eprintln!("Not all parts of this run were made with the same {}; its manifest says so.", keys.join(", "));
    }
}

/// What was read.
pub struct ReadRun {
    /// The report.
    pub report: Report,
    /// Trials without a result.
    pub failed_trials: usize,
}

/// Read a finished run and write `results.json`, `report.md` and `report.csv` beside its records.
pub fn write_reports(
    folder: &RunFolder,
    loaded: &LoadedItems,
    args: &ReadingArgs,
    with_items: bool,
) -> anyhow::Result<ReadRun> {
    let read = read_report(folder.path(), loaded, args, None, with_items)?;
    let screen = Screen { width: None };
    folder.write("results.json", &read.report.to_json())?;
    folder.write(REPORT, &with_link(render(&read.report, Format::Markdown, screen), folder.path()))?;
    folder.write("report.csv", &render(&read.report, Format::Csv, screen))?;
    Ok(read)
}

/// A report as Markdown, ending with a link to the folder's attention page where it has one.
fn with_link(report: String, folder: &Path) -> String {
    let link = format!("[What the model looked at]({})\n", ATTENTION_PAGE);
    match folder.join(ATTENTION_PAGE).is_file() && !report.ends_with(&link) {
        true => format!("{}\n\n{link}", report.trim_end()),
        false => report,
    }
}

/// Let a finished run's report link to its attention page, after the page was made.
pub fn link_page(folder: &Path) -> anyhow::Result<()> {
    let path = folder.join(REPORT);
    if !path.is_file() {
        return Ok(());
    }
    let report = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    std::fs::write(&path, with_link(report, folder)).with_context(|| format!("{}: cannot be written", path.display()))
}

/// The report of a run folder over the given items, and where it is wanted of each item on its own. Replies are read `again`
/// by the rules given there.
pub fn read_report(
    folder: &Path,
    loaded: &LoadedItems,
    args: &ReadingArgs,
    again: Option<Rules>,
    with_items: bool,
) -> anyhow::Result<ReadRun> {
    let RecordedRun { manifest, mut records, warnings, .. } = read_run(folder)?;
    tell_warnings(&warnings);
    let Model::Local(model) = &manifest.model;
    let settings = &manifest.settings;
    let normalisation = args.normalisation(settings.scoring);
    let failed_trials = records.iter().filter(|record| record.failure.is_some()).count();
    let ties = Ties { rule: args.tie, seed: settings.seed };
    if let Some(rules) = again {
        read_again(folder, &mut records, &loaded.items, rules)?;
    }
    let outcomes = outcomes(&records, &loaded.items, normalisation, ties)?;
    args.by.check(loaded.in_data())?;
    let answers = settings.answers();
    let by = Respondent { subject: &model.identity.name, answers: &answers };
    let mut results = Vec::new();
    for name in &settings.benchmarks {
        let benchmark: Benchmark = name.parse()?;
        let in_data: Vec<Item> = loaded.in_data().iter().filter(|item| &item.benchmark == name).cloned().collect();
        let mut layout = Layout::parse(&benchmark.card_text_with(&settings.own))?;
        args.by.add_to(&mut layout, &in_data);
        let mine: Vec<_> = outcomes.iter().filter(|outcome| &outcome.item.benchmark == name).cloned().collect();
        let setting = Setting {
            benchmark: benchmark.name(),
            title: &benchmark.card_with(&settings.own).title,
            by,
            items: &in_data,
            layout: &layout,
            seed: settings.seed,
        };
        let ids: HashSet<&str> = in_data.iter().map(|item| item.id.as_str()).collect();
        let masses = label_masses(records.iter().filter(|record| ids.contains(record.id.as_str())));
        let label_mass = masses.into_iter().map(|mass| LabelMassResult::of(by, mass)).collect();
        let unread_rows = loaded.unread_rows(name);
        results.push(Results { label_mass, unread_rows, ..evaluate(&setting, &mine) });
    }
    let unfinished = Unfinished::of(records.len(), manifest.trials);
    let told = if with_items { &outcomes[..] } else { &[] };
    let items = told.iter().map(|outcome| ItemOutcome::of(outcome, by)).collect();
    let asked = HowAsked::of(&manifest, &records, &loaded.items);
    let header = header(&manifest, normalisation, args.tie, &asked);
    let report = Report { unfinished, items, ..Report::new(header, results) };
    Ok(ReadRun { report, failed_trials })
}

/// Read the replies of records by other rules, and say which of them say something else now.
fn read_again(folder: &Path, records: &mut [TrialRecord], items: &[Item], rules: Rules) -> anyhow::Result<()> {
    let by_id: IndexMap<&str, &Item> = items.iter().map(|item| (item.id.as_str(), item)).collect();
    let mut read = Vec::new();
    for record in records {
        if let Some(item) = by_id.get(record.id.as_str()) {
            read.extend(reread(record, item, rules)?);
        }
    }
    let place = folder.display();
    anyhow::ensure!(!read.is_empty(), "{place}: --extract reads written replies again, and this run has none");
    let changed: Vec<&Reread> = read.iter().filter(|reread| reread.is_other_answer()).collect();
    for reread in &changed {
        let said = |reading: &Reading| {
            let labels: Vec<String> = reading.slots.iter().map(|slot| option_letter(*slot)).collect();
            let answer = if labels.is_empty() { reading.outcome.name().to_string() } else { labels.join(", ") };
            reading.rule.as_ref().map_or(answer.clone(), |rule| format!("{answer} ({rule})"))
        };
        let condition = reread.condition.as_ref().map_or(String::new(), |condition| format!(", {condition}"));
        let sample = reread.sample.map_or(String::new(), |sample| format!(", sample {sample}"));
        eprintln!(
            "{} ({}{condition}, order {:?}{sample}): {} before, {} now",
            reread.id,
            reread.style,
            reread.order.as_slice(),
            said(&reread.before),
            said(&reread.after)
        );
    }
    eprintln!(
        "{place}: {} of {} replies say something else by the rules `{}`",
        changed.len(),
        read.len(),
        rules.name()
    );
    Ok(())
}

fn header(
    manifest: &Manifest,
    normalisation: Normalisation,
    tie: TieRule,
    asked: &HowAsked,
) -> IndexMap<String, String> {
    let settings = &manifest.settings;
    let Model::Local(model) = &manifest.model;
    let part = match (settings.limit, settings.limit_stories) {
        (Some(questions), _) => format!("at most {questions} questions a benchmark"),
        (None, Some(stories)) => format!("at most {stories} stories a benchmark"),
        (None, None) => "all".to_string(),
    };
    let choices = settings.choices.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
    let scoring = match settings.scoring {
        Scoring::Generate => {
            let rules = settings.writing.as_ref().map(|writing| (writing.extract.name(), writing.rules_version));
            rules.map_or_else(String::new, |(rules, version)| {
                format!("generate, read by the rules {rules}, version {version}")
            })
        }
        scoring => format!("{scoring}, normalised by {}", normalisation.name()),
    };
    let mut lines = vec![
        ("model", model.identity.name.clone()),
        ("source", model.identity.source.clone()),
        ("benchmarks", settings.benchmarks.join(", ")),
        ("items", part),
    ];
    let chosen: Vec<String> =
        settings.items.iter().cloned().chain(settings.facets.iter().map(ToString::to_string)).collect();
    if !chosen.is_empty() {
        lines.push(("only", chosen.join(", ")));
    }
    if !choices.is_empty() {
        lines.push(("choices", choices.join(", ")));
    }
    if !settings.own.is_empty() {
        lines.push(("file read with", settings.own.to_string()));
    }
    lines.extend([
        ("style", settings.style.clone()),
        ("instructions", format!("{}{}", settings.instructions.described(), asked.foreign_instructions())),
        ("answers", settings.answers_in_full()),
        ("scoring", scoring),
        ("orders", format!("{}, ties by {}", settings.orders, tie.name())),
        ("labels", settings.labels.to_string()),
        ("seed", settings.seed.to_string()),
        ("arithmetic", format!("{} on {}", model.machine.dtype, model.machine.device)),
        ("tomeval", manifest.program.version.clone()),
    ]);
    if let Some(shots) = &settings.shots {
        lines.push(("shots", shots.described()));
    }
    if let Some(questions) = settings.writing.as_ref().and_then(|writing| writing.questions_per_prompt) {
        lines.push(("questions", format!("{} in a prompt", questions.described())));
    }
    if !manifest.mixed.is_empty() {
        let keys: Vec<&str> = manifest.mixed.iter().map(|mixture| mixture.key.as_str()).collect();
        lines.push(("mixed", keys.join(", ")));
    }
    if asked.raw {
        let raw = "plain text: the model has no chat template, so it was asked raw, without turns";
        lines.push(("prompts", raw.to_string()));
    }
    lines.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}
