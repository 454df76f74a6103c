//! The experiment: one or more models read the chosen prompts, which are then checked and compared.

use super::SelectedItem;
use super::case::{Failure, ProbedPrompt};
use super::comparisons::contrasts;
use super::experiment_error::{ExperimentError, MOST_ITEMS};
use super::groups::Places;
use super::heads::{ChosenHeads, HeadFinding, choose};
use super::item_reader::{Estimate, ItemReader, versions_read};
use super::measure::{Capture, Contrast, Probe};
use super::over_cases::Collected;
use super::results::{Basis, Case, Document, ModelRecord, QueryRecord, WordMass, conclusions};
use super::settings::ExperimentSettings;
use super::view::FULL_PAGE;
use super::words::HumanKeywords;
use crate::decoder::{Decoder, DecoderError};

/// A finished analysis.
#[derive(Debug)]
pub struct Analysis {
    /// Data for the views.
    pub document: Document,
    /// Captured rows of each case by query, if kept.
    pub captures: Vec<Vec<(String, Capture)>>,
    /// Items that could not be analysed.
    pub failures: Vec<Failure>,
}

/// Chosen prompts and the results of the models so far.
#[derive(Debug)]
pub struct Experiment {
    settings: ExperimentSettings,
    items: Vec<SelectedItem>,
    human: HumanKeywords,
    models: Vec<ModelRecord>,
    probed: Vec<ProbedPrompt>,
    failures: Vec<Failure>,
    chosen_heads: Vec<ChosenHeads>,
    /// Why heads could not be chosen, in sentences.
    not_chosen: Vec<String>,
}

impl Experiment {
    /// Creates an experiment without models.
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
        Ok(Experiment {
            settings,
            items,
            human,
            models: Vec::new(),
            probed: Vec::new(),
            failures: Vec::new(),
            chosen_heads: Vec::new(),
            not_chosen: Vec::new(),
        })
    }

    /// Number of items.
    pub fn items(&self) -> usize {
        self.items.len()
    }

    /// Number of prompts the next model reads, including second readings without chosen heads. Versions of an item are
    /// compared within the first model only.
    pub fn prompts(&self) -> usize {
        let versions = |chosen| versions_read(chosen, &self.settings, self.models.len()).0.len();
        self.items.iter().map(|chosen| versions(chosen) + self.settings.inside.strongest.len()).sum()
    }

    /// Seconds that a model takes to read all prompts; `None` if unknown.
    pub fn estimate(&self, model: &ModelRecord, probe: &Probe<'_>) -> Option<Estimate> {
        ItemReader::new(&self.settings, &self.human, model, probe, self.models.len()).ok()?.estimate(&self.items)
    }

    /// Makes a model read every prompt; `done` is called after each. `keep` receives the residual stream of each prompt that
    /// was read, `(layers + 1, hidden)`, if it is kept.
    pub fn add_model(
        &mut self,
        model: ModelRecord,
        probe: &Probe<'_>,
        mut keep: impl FnMut(&SelectedItem, &Case, &[f32]) -> std::io::Result<()>,
        mut done: impl FnMut(),
    ) -> Result<(), ExperimentError> {
        let reader = ItemReader::new(&self.settings, &self.human, &model, probe, self.models.len())?;
        for chosen in &self.items {
            let mut read = reader.read(chosen, &mut done);
            self.failures.append(&mut read.failures);
            for mut prompt in read.prompts {
                if let Some(states) = prompt.states.take() {
                    keep(chosen, &prompt.case, &states)?;
                }
                self.probed.push(prompt);
                keep_what_is_shown(self.settings.keep_heads, &mut self.probed);
            }
        }
        let asked = &self.settings.inside.strongest;
        let quantities = self.settings.inside.quantities();
        let number = self.models.len();
        for asked in asked {
            let mut places = Places::default();
            let found: Vec<HeadFinding> = self
                .probed
                .iter()
                .filter_map(|prompt| {
                    HeadFinding::new(&prompt.case, places.add(&prompt.case, &self.models), &quantities)
                })
                .collect();
            let draws = (self.settings.inside.random_heads, self.settings.method.seed);
            let heads = match choose(asked, number, (&places.settled(), &found), &quantities, draws) {
                Ok(heads) => heads,
                Err(reason) => {
                    let name = &model.name;
                    self.not_chosen
                        .push(format!("--knock-out {asked}: no heads could be chosen for {name}: {reason}."));
                    continue;
                }
            };
            let without = heads.sets().into_iter().map(|set| probe.decoder.without(set));
            let without = without.collect::<Result<Vec<Decoder>, DecoderError>>()?;
            for chosen in &self.items {
                let own = |case: &Case| case.model == number && !case.compared_only && case.item == chosen.item.id;
                if let Some(prompt) = self.probed.iter_mut().find(|prompt| own(&prompt.case)) {
                    match reader.without_heads(chosen, &prompt.case, &without, &heads.name) {
                        Ok(record) => prompt.case.strongest.push(record),
                        Err(error) => self.failures.push(Failure { item: chosen.item.id.clone(), error }),
                    }
                }
                done();
            }
            self.chosen_heads.push(heads);
        }
        self.models.push(model);
        Ok(())
    }

    /// Compares the results.
    pub fn finish(self) -> Result<Analysis, ExperimentError> {
        let Experiment { settings, models, probed, failures, chosen_heads, not_chosen, .. } = self;
        if probed.is_empty() {
            return Err(ExperimentError::NothingAnalysed(failures));
        }
        let contrasts = contrasts(&settings, &models, &probed);
        let (cases, captures) = probed.into_iter().map(|prompt| (prompt.case, prompt.captures)).unzip();
        let mut head = settings.document(models);
        head.notes.extend(not_chosen);
        let mut document = Document { cases, contrasts, ..head };
        let mut collected = Collected::new(&settings.inside, settings.grouping());
        document.cases.iter().for_each(|case| collected.add(case, &document.models));
        let strips = collected.add_to(&mut document, &chosen_heads);
        document.cases.iter_mut().zip(strips).for_each(|(case, strip)| case.take_chances(strip.each));
        let basis = |case: &Case| Basis::new(case, settings.method.keywords);
        let bases: Vec<Option<Basis>> = document.cases.iter().map(basis).collect();
        document.cases.iter_mut().zip(conclusions(&bases)).for_each(|(case, found)| case.conclusion = found);
        Ok(Analysis { document, captures, failures })
    }
}

/// Drops per-word head masses unless the page needs them, and condenses those that do not fit in one page.
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
