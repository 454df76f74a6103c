//! Reads items with one model, one after the other.

use super::SelectedItem;
use super::case::{CaseError, CaseSetting, Failure, ProbedPrompt};
use super::experiment_error::ExperimentError;
use super::measure::{Probe, Version, VersionError, versions};
use super::results::{Case, ModelRecord, Reduction, TopHeadsCaseRecord, rounded};
use super::sensitivity::sensitivity;
use super::settings::ExperimentSettings;
use super::words::{HumanKeywords, ModelPart};
use crate::decoder::{Decoder, DecoderError};

/// Result of reading an item.
#[derive(Debug, Default)]
pub struct ItemRead {
    /// The item's prompts: the main one, then those it is compared with.
    pub prompts: Vec<ProbedPrompt>,
    /// Failed prompts.
    pub failures: Vec<Failure>,
}

/// A model prepared for reading items one after the other.
pub struct ItemReader<'a> {
    settings: &'a ExperimentSettings,
    human: &'a HumanKeywords,
    probe: &'a Probe<'a>,
    reduction: Reduction,
    knocked_out: Vec<(ModelPart, Decoder)>,
    model: usize,
}

impl<'a> ItemReader<'a> {
    /// Creates a reader for model number `number` of an analysis; the first also reads the versions that items are
    /// compared with.
    pub fn new(
        settings: &'a ExperimentSettings,
        human: &'a HumanKeywords,
        model: &ModelRecord,
        probe: &'a Probe<'a>,
        number: usize,
    ) -> Result<Self, ExperimentError> {
        let reduction = Reduction {
            keywords: settings.method.keywords,
            layers: settings.method.layers.resolve(model.layers)?,
            heads: settings.method.heads.resolve(model.heads)?,
        };
        let parts = settings.knock_out.iter();
        let knocked_out = parts
            .map(|part| Ok((part.clone(), probe.decoder.without(part.off().clone())?)))
            .collect::<Result<Vec<_>, DecoderError>>()?;
        if settings.inside.finds_contributions() {
            probe.decoder.check_contributions().map_err(ExperimentError::NoContributions)?;
        }
        Ok(ItemReader { settings, human, probe, reduction, knocked_out, model: number })
    }

    /// Compares the choice in an item's main prompt with the choices when each set of heads is switched off.
    pub fn without_heads(
        &self,
        chosen: &SelectedItem,
        case: &Case,
        sets: &[Decoder],
        name: &str,
    ) -> Result<TopHeadsCaseRecord, CaseError> {
        let found = self.setting().outcomes(chosen, case, sets)?;
        let (whole, own, random) = (found[0], found[1], &found[2..]);
        Ok(TopHeadsCaseRecord {
            chosen: name.to_string(),
            fall: rounded(whole.log_odds - own.log_odds),
            flips: own.differs_from(whole),
            random: random.iter().map(|other| rounded(whole.log_odds - other.log_odds)).collect(),
            random_flips: random.iter().filter(|other| other.differs_from(whole)).count(),
        })
    }

    fn setting(&self) -> CaseSetting<'_> {
        CaseSetting {
            settings: self.settings,
            reduction: &self.reduction,
            human: self.human,
            model: self.model,
            probe: self.probe,
            knocked_out: &self.knocked_out,
        }
    }

    /// Reads all prompts of an item; `done` is called after each.
    pub fn read(&self, chosen: &SelectedItem, mut done: impl FnMut()) -> ItemRead {
        let fail = |error: CaseError| Failure { item: chosen.item.id.clone(), error };
        let (versions, absent) = versions_read(chosen, self.settings, self.model);
        let failures = absent.into_iter().map(|error| fail(error.into())).collect();
        let mut read = ItemRead { prompts: Vec::new(), failures };
        let setting = self.setting();
        for (index, version) in versions.iter().enumerate() {
            match setting.analyse(&chosen.style, version) {
                Ok(mut prompt) => {
                    prompt.case.compared_only = index > 0;
                    if index == 0 && self.settings.inside.sensitivity {
                        let (position, ranking) = (prompt.case.rows[0].position, &prompt.rankings[0]);
                        match sensitivity(&setting, chosen, &prompt.annotated, position, ranking) {
                            Ok(records) => prompt.case.sensitivity = records,
                            Err(error) => read.failures.push(fail(error)),
                        }
                    }
                    read.prompts.push(prompt);
                }
                Err(error) => read.failures.push(fail(error)),
            }
            done();
        }
        read
    }
}

/// The prompts of an item that model number `model` reads: versions of an item are compared within the first model
/// only.
pub fn versions_read<'a>(
    chosen: &'a SelectedItem,
    settings: &ExperimentSettings,
    model: usize,
) -> (Vec<Version<'a>>, Vec<VersionError>) {
    let SelectedItem { item, orders, written, .. } = chosen;
    match model {
        0 => versions(item, orders, written.as_ref(), &settings.contrasts),
        _ => versions(item, orders, None, &[]),
    }
}
