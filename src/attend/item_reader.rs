//! One model reading item after item.

use super::case::{CaseError, CaseSetting, Failure, ProbedPrompt};
use super::document::ModelRecord;
use super::experiment_error::ExperimentError;
use super::records::Reduction;
use super::settings::ExperimentSettings;
use super::versions::{Version, VersionError, versions};
use super::{HumanKeywords, Part, Probe, SelectedItem};
use crate::decoder::{Decoder, DecoderError};

/// What a model made of an item.
#[derive(Debug, Default)]
pub struct ItemRead {
    /// Its prompts: the one asked for, then those it is compared with.
    pub prompts: Vec<ProbedPrompt>,
    /// What could not be analysed.
    pub failures: Vec<Failure>,
}

/// A model set up to read items one after the other.
pub struct ItemReader<'a> {
    settings: &'a ExperimentSettings,
    human: &'a HumanKeywords,
    probe: &'a Probe<'a>,
    reduction: Reduction,
    knocked_out: Vec<(Part, Decoder)>,
    model: usize,
}

impl<'a> ItemReader<'a> {
    /// A reader for model number `number` of an analysis; the first also reads the versions that items are compared with.
    pub fn new(
        settings: &'a ExperimentSettings,
        human: &'a HumanKeywords,
        model: &ModelRecord,
        probe: &'a Probe<'a>,
        number: usize,
    ) -> Result<Self, ExperimentError> {
        let reduction = Reduction {
            keywords: settings.keywords,
            layers: settings.layers.resolve(model.layers)?,
            heads: settings.heads.resolve(model.heads)?,
        };
        let parts = settings.knock_out.iter();
        let knocked_out = parts
            .map(|part| Ok((part.clone(), probe.decoder.without(part.off().clone())?)))
            .collect::<Result<Vec<_>, DecoderError>>()?;
        Ok(ItemReader { settings, human, probe, reduction, knocked_out, model: number })
    }

    /// Read all prompts of an item; `done` is called after each.
    pub fn read(&self, chosen: &SelectedItem, mut done: impl FnMut()) -> ItemRead {
        let fail = |error: CaseError| Failure { item: chosen.item.id.clone(), error };
        let (versions, absent) = versions_read(chosen, self.settings, self.model);
        let failures = absent.into_iter().map(|error| fail(error.into())).collect();
        let mut read = ItemRead { prompts: Vec::new(), failures };
        let setting = CaseSetting {
            settings: self.settings,
            reduction: &self.reduction,
            human: self.human,
            model: self.model,
            probe: self.probe,
            knocked_out: &self.knocked_out,
        };
        for (index, version) in versions.iter().enumerate() {
            match setting.analyse(&chosen.style, version) {
                Ok(mut prompt) => {
                    prompt.case.compared_only = index > 0;
                    read.prompts.push(prompt);
                }
                Err(error) => read.failures.push(fail(error)),
            }
            done();
        }
        read
    }
}

/// The prompts of an item that model number `model` reads: versions of an item are compared within the first model alone.
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
