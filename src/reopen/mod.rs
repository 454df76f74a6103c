//! From the records of a run folder to its report. All of this can be repeated at any time.

pub mod bundle;
pub mod exchange;
pub mod export;
mod facets;
mod first_answers;
mod lines;
pub mod page;
#[cfg(feature = "parquet")]
pub mod parquet;
mod provenance;
mod published;
mod sides;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use indexmap::IndexMap;

use crate::answer::{
    LabelMass, LabelMasses, Normalisation, Outcome, OutcomeKey, Outcomes, ReadError, Reread, TieRule, Ties, reread,
};
use crate::benchmark::{Benchmark, Item};
use crate::counted::counted;
use crate::extract::Rules;
use crate::ledger::FolderError;
use crate::metric::{
    Cut, Cuts, FIRST_PHASE, LabelMassResult, Layout, LayoutError, Respondent, Results, Setting, WhenShown, cut,
    evaluate, perspectives, sources, swaps,
};
use crate::prompt::{Budgeted, Condition, OptionsShown, Scoring};
use crate::record::{Shown, TrialRecord};
use crate::report::{ItemOutcome, Report, ReportedModel, Unfinished};
use crate::run::{HowAsked, Manifest, Place, ReadToEnd, Recorded, audit_of, server_changes};
use crate::trial::{DatasetError, LoadedItems, Settings};

pub use facets::{Facets, UnknownFacet};
pub use first_answers::{first_answers, links_named};
pub use lines::ItemLines;
pub use provenance::languages;
pub use published::{AskedOf, made_note};
pub use sides::table_facets;

/// How records are read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadOptions {
    /// Normalisation of log-likelihoods; the default is the sum for letters and the mean over tokens for texts.
    pub normalisation: Option<Normalisation>,
    /// Tie rule for votes.
    pub tie: TieRule,
    /// Tables in addition to those of the benchmark's card.
    pub by: Facets,
    /// Rules for rereading written replies; by default the original readings are kept.
    pub rules: Option<Rules>,
    /// Items whose replies people judged, by the run's name, and whether the replies are irrelevant to the question.
    pub irrelevant: BTreeMap<(String, String), bool>,
    /// Whether sources of variance are estimated of items in one wording, too.
    pub variance: bool,
    /// Changes by other persons within so many percentage points are equivalent; by default three.
    pub margin: Option<f64>,
}

/// A run that cannot be read as requested.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadingError {
    /// The folder cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The run's records are invalid.
    #[error(transparent)]
    Records(#[from] ReadError),
    /// A facet that no item has.
    #[error(transparent)]
    Facet(#[from] UnknownFacet),
    /// The card's tables are invalid.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The run has no scores after a neutral context.
    #[error("--normalisation pmi needs scores after a neutral context: {why}")]
    NoNeutralScores {
        /// Why there are none, and the remedy.
        why: &'static str,
    },
    /// The items cannot be used this way.
    #[error(transparent)]
    Items(#[from] DatasetError),
    /// Replies are to be reread, but there are none.
    #[error("--extract rereads written replies, but this run has none")]
    NoReplies,
}

impl ReadOptions {
    /// Whether all options are defaults, so that results equal those written by the run itself.
    pub fn is_default(&self) -> bool {
        *self == ReadOptions::default()
    }

    /// Rejects options that do not fit a run's settings, before anything is computed.
    pub fn check(&self, settings: &Settings) -> Result<(), ReadingError> {
        if self.normalisation == Some(Normalisation::Pmi) && !settings.unconditional {
            let why = match settings.scoring {
                Scoring::Letter => "letters have none; use --scoring text or hybrid, or another normalisation",
                _ => "--no-pmi left them out",
            };
            return Err(ReadingError::NoNeutralScores { why });
        }
        Ok(())
    }

    fn normalisation(&self, settings: &Settings) -> Normalisation {
        self.normalisation.unwrap_or_else(|| Normalisation::usual(settings.scoring, &settings.style))
    }
}

/// A run whose records were read but not kept in memory.
pub struct ReadRun<'a> {
    /// Its folder and manifest.
    pub recorded: Recorded,
    /// Status of its records.
    pub records: ReadToEnd,
    /// Trials without a result.
    pub failed_trials: usize,
    /// Number of log-likelihoods that a server does not give, and the number requested.
    pub not_given: (usize, usize),
    /// Outcome of each item, in the order of the items.
    pub outcomes: Vec<Outcome<'a>>,
    /// Whether each of them is right by `pmi`; empty unless options are never shown.
    right_by_pmi: Vec<bool>,
    /// All reread replies.
    pub reread: Vec<Reread>,
    /// Places of the trial records of each outcome.
    places: Vec<Vec<Place>>,
    /// What the first phase of a style kept of each story, by benchmark.
    cuts: HashMap<Benchmark, Cuts>,
    /// Label masses by benchmark.
    label_masses: HashMap<Benchmark, Vec<LabelMass>>,
    /// Whether prompts were plain text without a chat template.
    raw: bool,
    /// Versions and fingerprints of the servers that answered.
    served: (BTreeSet<String>, BTreeSet<String>),
    loaded: &'a LoadedItems,
    how: ReadOptions,
}

/// Reads the records of a run, one after the other; its items are given.
pub fn read_records<'a>(
    recorded: Recorded,
    loaded: &'a LoadedItems,
    how: &ReadOptions,
) -> Result<ReadRun<'a>, ReadingError> {
    let settings = &recorded.manifest.settings;
    how.check(settings)?;
    how.by.check(loaded.in_data())?;
    if how.rules.is_some() {
        loaded.need_texts("reading replies again")?;
    }
    let ties = Ties { rule: how.tie, seed: settings.seed };
    let mut outcomes = Outcomes::new(&loaded.items, how.normalisation(settings), ties);
    let is_never = options_shown(settings) == Some(OptionsShown::Never);
    let mut by_pmi =
        (is_never && settings.unconditional).then(|| Outcomes::new(&loaded.items, Normalisation::Pmi, ties));
    let mut places: BTreeMap<OutcomeKey, Vec<Place>> = BTreeMap::new();
    let mut masses: HashMap<Benchmark, LabelMasses> = HashMap::new();
    let (mut cuts, mut cut_samples): (HashMap<Benchmark, Cuts>, _) = (HashMap::new(), HashSet::new());
    let keeps = settings.first_phase_style() == Some(FIRST_PHASE);
    let (mut again, mut failed_trials, mut raw, mut not_given) = (Vec::new(), 0, false, (0, 0));
    let mut served = (BTreeSet::new(), BTreeSet::new());
    let records = recorded.each(|mut record, place| -> Result<(), ReadingError> {
        let item = outcomes.item(&record)?;
        if let Some(rules) = how.rules {
            let shown = settings.shown_again(item, &record);
            again.extend(reread(&mut record, &shown, rules)?);
        }
        places.entry(outcomes.add(&record)?).or_default().push(place);
        by_pmi.as_mut().map_or(Ok(()), |by_pmi| by_pmi.add(&record).map(drop))?;
        masses.entry(item.benchmark).or_default().add(&record);
        // The first phase shows no options, so that all orders of an item show the same.
        let key = (record.style.clone(), record.condition.clone(), record.id.clone());
        if keeps
            && cut_samples.insert((key.clone(), record.sample))
            && let Some(cut) = cut_of(&record, item)
        {
            cuts.entry(item.benchmark).or_default().entry(key).or_default().push(cut);
        }
        failed_trials += usize::from(record.failure.is_some());
        for result in record.asks.iter().flat_map(|ask| &ask.results) {
            not_given.0 += usize::from(result.at_most.is_some());
            not_given.1 += 1;
        }
        if let Some(by) = record.served {
            served.0.extend(by.version);
            served.1.extend(by.fingerprint);
        }
        raw |= record.asks.iter().any(|ask| matches!(ask.shown, Shown::Text(_)));
        Ok(())
    })?;
    if how.rules.is_some() && again.is_empty() {
        return Err(ReadingError::NoReplies);
    }
    let mut outcomes = outcomes.finish();
    let by_pmi = by_pmi.map(Outcomes::finish).unwrap_or_default();
    let manifest = &recorded.manifest;
    let run = manifest.name.as_deref().unwrap_or(manifest.model.name()).to_string();
    for outcome in outcomes.iter_mut().filter(|_| !how.irrelevant.is_empty()) {
        outcome.irrelevant = how.irrelevant.get(&(run.clone(), outcome.item.id.clone())).copied();
    }
    Ok(ReadRun {
        recorded,
        records,
        failed_trials,
        not_given,
        outcomes,
        right_by_pmi: by_pmi.iter().map(Outcome::is_right).collect(),
        reread: again,
        places: places.into_values().collect(),
        label_masses: masses.into_iter().map(|(benchmark, masses)| (benchmark, masses.finish())).collect(),
        cuts,
        raw,
        served,
        loaded,
        how: how.clone(),
    })
}

/// When a run shows its options; `None` where it is not one of the ways that are compared with each other.
fn options_shown(settings: &Settings) -> Option<OptionsShown> {
    let shown = OptionsShown::of(&settings.style, settings.scoring);
    shown.filter(|shown| shown.style().is_some() || settings.phase.is_none())
}

/// What a record's prompt has in the place of the item's story, compared with what those asked about perceive. `None` where
/// it tells another version, or the story is not tracked.
fn cut_of(record: &TrialRecord, item: &Item) -> Option<Cut> {
    let condition = Condition::of_presentation(record.condition.as_deref());
    if condition.is_some_and(|condition| condition.version().is_some()) {
        return None;
    }
    let text = match &record.asks.first()?.shown {
        Shown::Messages(turns) => &turns.last()?.content,
        Shown::Text(text) => text,
    };
    // What was kept stands before the question, which may itself be quoted in it.
    let end = text.rfind(item.question.trim())?;
    cut(item, text[..end].rsplit_once('\n').map_or("", |(before, _)| before))
}

impl ReadRun<'_> {
    /// The run's manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.recorded.manifest
    }

    /// Label of the run (its given name or its model), and how its answers were produced.
    pub fn respondent(&self) -> (String, String) {
        let label = self.manifest().name.as_deref().unwrap_or(self.manifest().model.name());
        (label.to_string(), self.manifest().settings.answers())
    }

    /// The model, which identifies runs with the same base.
    fn reported_model(&self) -> ReportedModel {
        let model = &self.manifest().model;
        let adapter = model.adapter();
        ReportedModel {
            base: adapter.map_or(model.name(), |adapter| &adapter.base).to_string(),
            base_sha256: model.base_sha256(),
            adapter: adapter.map(|adapter| adapter.name.clone()),
            trained_in: adapter.map(|adapter| adapter.trained_in.clone()).unwrap_or_default(),
        }
    }

    /// Warning that the numbers of the run do not repeat themselves: of its audit, or that it cannot be read, and of a
    /// server that changed.
    fn unsteady(&self) -> Option<String> {
        let audited = match audit_of(self.recorded.folder()) {
            None => None,
            Some(Ok(summary)) => summary.warning(),
            Some(Err(why)) => {
                Some(format!("audit.json cannot be read: {why}; delete it, and run the same command again"))
            }
        };
        let changes = self.server_changes();
        let changed =
            (!changes.is_empty()).then(|| format!("the server changed during the run ({})", changes.join("; ")));
        let both: Vec<String> = audited.into_iter().chain(changed).collect();
        (!both.is_empty()).then(|| both.join("; "))
    }

    /// What changed in the server during the run, by its answers and by what it said at the end.
    pub fn server_changes(&self) -> Vec<String> {
        let several = |what: &str, values: &BTreeSet<String>| {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            (values.len() > 1).then(|| format!("answers by {what} {}", values.join(", ")))
        };
        let (versions, fingerprints) = &self.served;
        let answered = several("version", versions).into_iter().chain(several("fingerprint", fingerprints));
        answered.chain(server_changes(self.recorded.folder())).collect()
    }

    /// Provenance of the run, line by line.
    pub fn provenance(&self) -> IndexMap<String, String> {
        provenance::provenance(self, &self.how_asked())
    }

    /// Whether the folder has the texts of items, prompts and replies.
    pub fn has_texts(&self) -> bool {
        self.loaded.has_texts()
    }

    fn how_asked(&self) -> HowAsked {
        let items = self.outcomes.iter().map(|outcome| (outcome.item, outcome.condition.as_deref(), &*outcome.style));
        HowAsked::new(self.recorded.folder(), self.manifest(), self.raw, items)
    }

    /// The report, with each item if `with_items`. That of a first phase has no results and items: it states no answers.
    pub fn report(&self, with_items: bool) -> Result<Report, ReadingError> {
        let ReadRun { outcomes, loaded, how, .. } = self;
        let settings = &self.manifest().settings;
        let (label, answers) = self.respondent();
        let by = Respondent { label: &label, answers: &answers };
        let asked = self.how_asked();
        let mut results = Vec::new();
        let benchmarks = if settings.is_first_phase() { &[] } else { &settings.benchmarks[..] };
        let with_items = with_items && !settings.is_first_phase();
        for &benchmark in benchmarks {
            let in_data = loaded.in_data_of(benchmark);
            let mut layout = Layout::parse(&benchmark.card_text_with(&settings.own))?;
            how.by.add_to(&mut layout, in_data);
            let mine = outcomes.iter().filter(|outcome| outcome.item.benchmark == benchmark);
            let mut title = benchmark.card_with(&settings.own).title.clone();
            if let (Benchmark::HiToM, Some(stories)) = (benchmark, settings.made_stories) {
                title.push_str(&format!(" ({} made for this run, not the released ones)", counted(stories, "story")));
            }
            let setting =
                Setting { benchmark, title: &title, by, items: in_data, layout: &layout, seed: settings.seed };
            let method = published::method(settings, asked.wording(benchmark).as_deref(), &benchmark.card().paper);
            let made = loaded.check(benchmark).made();
            let asked_of = AskedOf::run(settings, benchmark).of_made(made);
            let masses = self.label_masses.get(&benchmark).into_iter().flatten();
            let label_mass = masses.map(|mass| LabelMassResult::new(by, mass.clone())).collect();
            let unread_rows = loaded.unread_rows(benchmark);
            let changed_data = loaded.check(benchmark).changed().to_vec();
            let mine: Vec<&Outcome<'_>> = mine.collect();
            let no_cuts = Cuts::new();
            let perspective = perspectives(&mine, self.cuts.get(&benchmark).unwrap_or(&no_cuts), by, settings.seed);
            let mut found = Results {
                label_mass,
                perspective,
                unread_rows,
                changed_data,
                ..evaluate(&setting, mine.iter().copied())
            };
            if how.variance {
                found.variance = sources(&mine, by, settings.seed, true);
            }
            if let Some(margin) = how.margin {
                found.swaps = swaps(&mine, layout.stratum.as_deref(), by, margin);
            }
            for row in found.budgets.iter_mut().filter(|row| row.of == Budgeted::Thinking) {
                let cut =
                    settings.earlier().and_then(|earlier| earlier.budgets.iter().find(|cut| cut.tokens == row.tokens));
                let per_reply = |count: usize, of: usize| (of > 0).then(|| count as f64 / of as f64);
                row.cut = cut.and_then(|cut| per_reply(cut.cut, cut.replies)).map(|share| share * 100.0);
                row.used = cut.and_then(|cut| per_reply(cut.used, cut.replies));
                let without = settings.earlier().map_or(0, |earlier| earlier.without_thought);
                row.without = cut.and_then(|cut| per_reply(without, cut.replies)).map(|share| share * 100.0);
            }
            for row in found.swaps.iter_mut().filter(|row| row.key.is_empty()) {
                let left_out = settings.swaps.iter().flat_map(|swaps| &swaps.left_out);
                row.left_out = left_out.filter(|left_out| left_out.swap == row.swap).cloned().collect();
            }
            if let (Some(reminders), Some(row)) = (&settings.reminders, found.reminded.first_mut()) {
                let model = &self.manifest().model;
                row.notes = reminders.notes();
                row.notes.extend(reminders.of_another(model.name(), &model.base_sha256()));
            }
            found.asked_by(&method, |table| asked_of.is_of_paper(&table.facets));
            if let Some(seed) = made {
                found.notes = vec![made_note(seed)];
            }
            let writers = loaded.check(benchmark).writers().to_vec();
            found.notes.extend(published::writers_note(&writers, self.manifest().model.name()));
            results.push(found);
        }
        let unfinished = Unfinished::from_counts(self.records.records, self.manifest().trials);
        let rendered = if with_items { &outcomes[..] } else { &[] };
        let shown = options_shown(settings);
        let item = |(at, outcome)| {
            let right_by_pmi = self.right_by_pmi.get(at).copied();
            let normalisation = (shown == Some(OptionsShown::Never)).then(|| how.normalisation(settings));
            let when = shown.map(|options| WhenShown { options, normalisation, right_by_pmi });
            ItemOutcome::new(outcome, by).shown(when)
        };
        let items = rendered.iter().enumerate().map(item).collect();
        Ok(Report {
            unfinished,
            items,
            model: Some(self.reported_model()),
            ..Report::new(label, provenance::provenance(self, &asked), results)
                .with_changed_records(self.records.changed())
                .with_unsteady(self.unsteady())
        })
    }
}
