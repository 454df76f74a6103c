//! From the records of a run folder to its report. Everything here can be done again at any time.

pub mod exchange;
pub mod export;
mod facets;
mod lines;
pub mod page;
mod provenance;
mod sides;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use indexmap::IndexMap;

use crate::answer::{Normalisation, Outcome, ReadError, Reread, TieRule, Ties, label_masses, outcomes, reread};
use crate::benchmark::{Benchmark, Item, UnknownBenchmark};
use crate::extract::Rules;
use crate::metric::{LabelMassResult, Layout, LayoutError, Respondent, Results, Setting, evaluate};
use crate::prompt::Scoring;
use crate::record::TrialRecord;
use crate::report::{ItemOutcome, Report, Unfinished};
use crate::run::{FolderError, HowAsked, LoadedItems, Manifest, Model, RecordedRun, Settings, read_run};

pub use facets::{Facets, UnknownFacet};
pub use lines::{ItemLines, LineError, LineProblem};
pub use provenance::languages;
pub use sides::table_facets;

/// How records are read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct How {
    /// Normalisation of log-likelihoods; by default their sum for letters and their mean over tokens for texts.
    pub normalisation: Option<Normalisation>,
    /// Who wins among equally many votes.
    pub tie: TieRule,
    /// Tables beside those of the benchmark's card.
    pub by: Facets,
    /// Rules by which written replies are read again; by default they stay as they were read when they were written.
    pub rules: Option<Rules>,
}

/// A run that cannot be read as wanted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadingError {
    /// The folder cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Its records cannot be made sense of.
    #[error(transparent)]
    Records(#[from] ReadError),
    /// A facet that no item has.
    #[error(transparent)]
    Facet(#[from] UnknownFacet),
    /// A benchmark that this version does not know.
    #[error(transparent)]
    Benchmark(#[from] UnknownBenchmark),
    /// A card whose tables make no sense.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// No scores after a neutral context.
    #[error("--normalisation pmi needs scores after a neutral context: {why}")]
    NoNeutralScores {
        /// Why there are none, and what to do.
        why: &'static str,
    },
    /// Replies are to be read again, and there are none.
    #[error("--extract reads written replies again, and this run has none")]
    NoReplies,
}

impl How {
    /// Whether nothing was asked for, so that results are those that the run itself wrote.
    pub fn is_default(&self) -> bool {
        *self == How::default()
    }

    /// Refuse what a run with these settings cannot be read by, before anything is computed.
    pub fn check(&self, settings: &Settings) -> Result<(), ReadingError> {
        if self.normalisation == Some(Normalisation::Pmi) && !settings.unconditional {
            let why = match settings.scoring {
                Scoring::Letter => "letters are not; use --scoring text or hybrid, or another normalisation",
                _ => "--no-pmi leaves that out",
            };
            return Err(ReadingError::NoNeutralScores { why });
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

/// The records of a run, read.
pub struct ReadRun<'a> {
    /// What the run was.
    pub manifest: Manifest,
    /// Its records, in their order.
    pub records: Vec<TrialRecord>,
    /// What became of each item, in the order of the items.
    pub outcomes: Vec<Outcome<'a>>,
    /// What is odd about the folder.
    pub warnings: Vec<String>,
    /// Replies that were read again, all of them.
    pub reread: Vec<Reread>,
    loaded: &'a LoadedItems,
    how: How,
}

/// Read a run folder, whose items are given.
pub fn read_folder<'a>(folder: &Path, loaded: &'a LoadedItems, how: &How) -> Result<ReadRun<'a>, ReadingError> {
    let RecordedRun { manifest, mut records, warnings, .. } = read_run(folder)?;
    let settings = &manifest.settings;
    how.check(settings)?;
    how.by.check(loaded.in_data())?;
    let reread = match how.rules {
        Some(rules) => read_again(&mut records, &loaded.items, rules)?,
        None => Vec::new(),
    };
    let ties = Ties { rule: how.tie, seed: settings.seed };
    let outcomes = outcomes(&records, &loaded.items, how.normalisation(settings.scoring), ties)?;
    Ok(ReadRun { manifest, records, outcomes, warnings, reread, loaded, how: how.clone() })
}

/// Read the replies of records by other rules.
fn read_again(records: &mut [TrialRecord], items: &[Item], rules: Rules) -> Result<Vec<Reread>, ReadingError> {
    let by_id: HashMap<&str, &Item> = items.iter().map(|item| (item.id.as_str(), item)).collect();
    let mut read = Vec::new();
    for record in records {
        if let Some(item) = by_id.get(record.id.as_str()) {
            read.extend(reread(record, item, rules)?);
        }
    }
    if read.is_empty() { Err(ReadingError::NoReplies) } else { Ok(read) }
}

impl ReadRun<'_> {
    /// Trials without a result.
    pub fn failed_trials(&self) -> usize {
        self.records.iter().filter(|record| record.failure.is_some()).count()
    }

    /// What the run is called, its given name or its model, and how its answers came about.
    pub fn respondent(&self) -> (String, String) {
        let Model::Local(model) = &self.manifest.model;
        let label = self.manifest.name.as_ref().unwrap_or(&model.identity.name);
        (label.clone(), self.manifest.settings.answers())
    }

    /// What a report says of the run, line by line.
    pub fn provenance(&self) -> IndexMap<String, String> {
        let asked = HowAsked::of(&self.manifest, &self.records, &self.loaded.items);
        provenance::provenance(self, &asked)
    }

    /// The report, where it is wanted with each item on its own.
    pub fn report(&self, with_items: bool) -> Result<Report, ReadingError> {
        let ReadRun { manifest, records, outcomes, loaded, how, .. } = self;
        let settings = &manifest.settings;
        let (label, answers) = self.respondent();
        let by = Respondent { label: &label, answers: &answers };
        let mut results = Vec::new();
        for name in &settings.benchmarks {
            let benchmark: Benchmark = name.parse()?;
            let in_data: Vec<Item> = loaded.in_data().iter().filter(|item| &item.benchmark == name).cloned().collect();
            let mut layout = Layout::parse(&benchmark.card_text_with(&settings.own))?;
            how.by.add_to(&mut layout, &in_data);
            let mine: Vec<_> = outcomes.iter().filter(|outcome| &outcome.item.benchmark == name).cloned().collect();
            let mut title = benchmark.card_with(&settings.own).title.clone();
            if let (Benchmark::HiToM, Some(stories)) = (benchmark, settings.made_stories) {
                title.push_str(&format!(" ({stories} stories made for this run, not the released ones)"));
            }
            let setting = Setting {
                benchmark: benchmark.name(),
                title: &title,
                by,
                items: &in_data,
                layout: &layout,
                seed: settings.seed,
            };
            let ids: HashSet<&str> = in_data.iter().map(|item| item.id.as_str()).collect();
            let masses = label_masses(records.iter().filter(|record| ids.contains(record.id.as_str())));
            let label_mass = masses.into_iter().map(|mass| LabelMassResult::of(by, mass)).collect();
            let unread_rows = loaded.unread_rows(name);
            let changed_data = loaded.check(name).changed().to_vec();
            results.push(Results { label_mass, unread_rows, changed_data, ..evaluate(&setting, &mine) });
        }
        let unfinished = Unfinished::of(records.len(), manifest.trials);
        let told = if with_items { &outcomes[..] } else { &[] };
        let items = told.iter().map(|outcome| ItemOutcome::of(outcome, by)).collect();
        Ok(Report { unfinished, items, ..Report::new(label, self.provenance(), results) })
    }
}
