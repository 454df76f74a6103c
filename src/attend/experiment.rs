//! The experiment: chosen prompts are read by one model or several, checked, and compared.

use super::case::{CaseError, CaseSetting, ProbedPrompt};
use super::comparisons::{contrasts, groups};
use super::document::{Document, FORMAT, ModelRecord, QueryRecord, WordMass};
use super::records::Reduction;
use super::settings::ExperimentSettings;
use super::versions::{Contrast, Version, VersionError, versions};
use super::view::FULL_PAGE;
use super::{Capture, ChoiceError, HumanKeywords, Probe, SelectedItem};
use crate::decoder::DecoderError;

/// An experiment that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// The model does not have the layers or heads asked for.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// Orders are to be compared and no item has two.
    #[error("--contrast orders needs two orders of an item; add --orders random:5")]
    OneOrder,
    /// More items than the rows of one analysis should fill memory with.
    #[error("{0} items are more than the {MOST_ITEMS} of one analysis; choose fewer with --item, --where or --limit")]
    TooMany(usize),
    /// The model does not have the parts that are to be switched off.
    #[error("--knock-out: {0}")]
    NoSuchPart(#[from] DecoderError),
    /// No prompt could be analysed.
    #[error("none of the prompts could be analysed")]
    NothingAnalysed(Vec<Failure>),
}

/// Items that one analysis may have.
const MOST_ITEMS: usize = 10_000;

/// A prompt that could not be analysed, or not as asked.
#[derive(Debug)]
pub struct Failure {
    /// The item's id.
    pub item: String,
    /// Why.
    pub error: CaseError,
}

/// A finished analysis.
#[derive(Debug)]
pub struct Analysis {
    /// What the views show.
    pub document: Document,
    /// Captured rows of each case by query, where they are kept.
    pub captures: Vec<Vec<(String, Capture)>>,
    /// What could not be analysed.
    pub failures: Vec<Failure>,
}

/// Chosen prompts, and what models made of them so far.
#[derive(Debug)]
pub struct Experiment {
    settings: ExperimentSettings,
    items: Vec<SelectedItem>,
    human: HumanKeywords,
    models: Vec<ModelRecord>,
    probed: Vec<ProbedPrompt>,
    failures: Vec<Failure>,
}

impl Experiment {
    /// An experiment that no model has taken part in yet.
    pub fn new(
        settings: ExperimentSettings,
        items: Vec<SelectedItem>,
        human: HumanKeywords,
    ) -> Result<Self, ExperimentError> {
        if items.len() > MOST_ITEMS {
            return Err(ExperimentError::TooMany(items.len()));
        }
        if settings.contrasts.contains(&Contrast::Orders) && !items.iter().any(|item| item.orders.len() > 1) {
            return Err(ExperimentError::OneOrder);
        }
        Ok(Experiment { settings, items, human, models: Vec::new(), probed: Vec::new(), failures: Vec::new() })
    }

    /// How many prompts the next model reads. Versions of an item are compared within the first model alone.
    pub fn prompts(&self) -> usize {
        self.items.iter().map(|chosen| self.versions(chosen).0.len()).sum()
    }

    /// Have a model read every prompt; `done` is called after each.
    pub fn add_model(
        &mut self,
        model: ModelRecord,
        probe: &Probe<'_>,
        mut done: impl FnMut(),
    ) -> Result<(), ExperimentError> {
        let reduction = Reduction {
            keywords: self.settings.keywords,
            layers: self.settings.layers.resolve(model.layers)?,
            heads: self.settings.heads.resolve(model.heads)?,
        };
        let number = self.models.len();
        let parts = self.settings.knock_out.iter();
        let knocked_out = parts
            .map(|part| Ok((part.clone(), probe.decoder.without(part.off().clone())?)))
            .collect::<Result<Vec<_>, DecoderError>>()?;
        for chosen in &self.items {
            let fail = |error: CaseError| Failure { item: chosen.item.id.clone(), error };
            let (versions, absent) = self.versions(chosen);
            self.failures.extend(absent.into_iter().map(|error| fail(error.into())));
            let setting = CaseSetting {
                settings: &self.settings,
                reduction: &reduction,
                human: &self.human,
                model: number,
                probe,
                knocked_out: &knocked_out,
            };
            for (index, version) in versions.iter().enumerate() {
                match setting.analyse(&chosen.style, version) {
                    Ok(prompt) => {
                        self.probed.push(ProbedPrompt { compared_only: index > 0, ..prompt });
                        keep_what_is_shown(self.settings.keep_heads, &mut self.probed);
                    }
                    Err(error) => self.failures.push(fail(error)),
                }
                done();
            }
        }
        self.models.push(model);
        Ok(())
    }

    /// Compare what was read.
    pub fn finish(self) -> Result<Analysis, ExperimentError> {
        let Experiment { settings, models, probed, failures, .. } = self;
        if probed.is_empty() {
            return Err(ExperimentError::NothingAnalysed(failures));
        }
        let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
        let title = format!("What {} looked at: {}", names.join(" and "), settings.benchmarks.join(", "));
        let contrasts = contrasts(&settings, &models, &probed);
        let (groups, shifts) = groups(&settings, &models, &probed);
        let (cases, captures) = probed.into_iter().map(|prompt| (prompt.case, prompt.captures)).unzip();
        let document = Document {
            format: FORMAT.to_string(),
            program: concat!("tomeval ", env!("CARGO_PKG_VERSION")).to_string(),
            canary: crate::canary::CANARY.to_string(),
            title,
            settings: settings.method(),
            models,
            cases,
            contrasts,
            groups,
            shifts,
            departures: settings.departures.clone(),
            notes: settings.notes(),
        };
        Ok(Analysis { document, captures, failures })
    }

    /// The prompts of an item that the next model reads.
    fn versions<'a>(&self, chosen: &'a SelectedItem) -> (Vec<Version<'a>>, Vec<VersionError>) {
        let SelectedItem { item, orders, written, .. } = chosen;
        match self.models.is_empty() {
            true => versions(item, orders, written.as_ref(), &self.settings.contrasts),
            false => versions(item, orders, None, &[]),
        }
    }
}

/// Only the page shows the mass of each head on each word, and only where it fits in one.
fn keep_what_is_shown(page: bool, probed: &mut [ProbedPrompt]) {
    let rows = || probed.iter().flat_map(|prompt| &prompt.case.rows);
    let held: usize = rows().map(QueryRecord::full_values).sum();
    let condensed =
        rows().filter_map(|row| row.heads_map.as_ref()).any(|map| matches!(map.words, WordMass::Means { .. }));
    let rows = probed.iter_mut().flat_map(|prompt| &mut prompt.case.rows);
    if !page {
        rows.filter_map(|row| row.heads_map.as_mut()).for_each(|map| map.words = WordMass::Absent);
    } else if held > FULL_PAGE || condensed {
        rows.for_each(QueryRecord::condense);
    }
}
