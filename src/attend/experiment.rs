//! The experiment: chosen prompts are read by one model or several, checked, and compared.

use super::case::{Failure, ProbedPrompt};
use super::comparisons::{GroupedFinding, contrasts, groups};
use super::document::{Document, ModelRecord, QueryRecord, WordMass};
use super::experiment_error::{ExperimentError, MOST_ITEMS};
use super::item_reader::{ItemReader, versions_read};
use super::settings::ExperimentSettings;
use super::versions::Contrast;
use super::view::FULL_PAGE;
use super::{Capture, HumanKeywords, Probe, SelectedItem};

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
        self.items.iter().map(|chosen| versions_read(chosen, &self.settings, self.models.len()).0.len()).sum()
    }

    /// Have a model read every prompt; `done` is called after each.
    pub fn add_model(
        &mut self,
        model: ModelRecord,
        probe: &Probe<'_>,
        mut done: impl FnMut(),
    ) -> Result<(), ExperimentError> {
        let reader = ItemReader::new(&self.settings, &self.human, &model, probe, self.models.len())?;
        for chosen in &self.items {
            let mut read = reader.read(chosen, &mut done);
            self.failures.append(&mut read.failures);
            for prompt in read.prompts {
                self.probed.push(prompt);
                keep_what_is_shown(self.settings.keep_heads, &mut self.probed);
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
        let contrasts = contrasts(&settings, &models, &probed);
        let grouping = settings.grouping();
        let found: Vec<GroupedFinding> =
            probed.iter().filter_map(|prompt| GroupedFinding::of(&prompt.case, &grouping, &models)).collect();
        let (groups, shifts) = groups(&found);
        let (cases, captures) = probed.into_iter().map(|prompt| (prompt.case, prompt.captures)).unzip();
        let head = settings.document(models);
        let document = Document { cases, contrasts, groups, shifts, ..head };
        Ok(Analysis { document, captures, failures })
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
