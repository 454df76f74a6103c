//! Reads items with one model, one after the other.

use std::time::Instant;

use super::SelectedItem;
use super::case::{CaseError, CaseSetting, Failure, ProbedPrompt};
use super::experiment_error::ExperimentError;
use super::measure::{Probe, Version, VersionError, versions};
use super::results::{Case, ModelRecord, Reduction, TopHeadsCaseRecord, rounded};
use super::sensitivity::sensitivity;
use super::settings::ExperimentSettings;
use super::witness::add_true_belief;
use super::words::{HumanKeywords, ModelPart, prompts_of_check};
use crate::decoder::{Decoder, DecoderError};

/// Result of reading an item.
#[derive(Debug, Default)]
pub struct ItemRead {
    /// The item's prompts: the main one, then those it is compared with.
    pub prompts: Vec<ProbedPrompt>,
    /// Failed prompts.
    pub failures: Vec<Failure>,
}

/// Seconds that reading items takes, extrapolated from one of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// All but the deletion check.
    pub reading: f64,
    /// The deletion check, if all tests end as early as they can and if none does.
    pub checks: (f64, f64),
    /// Items on which it is made.
    pub checked: usize,
}

/// Items among which the one is chosen from which an estimate extrapolates.
const LOOKED_AT: usize = 9;

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

    /// Reads an item of median length among a few, to tell how long all take; `None` if it cannot be read.
    pub fn estimate(&self, items: &[SelectedItem]) -> Option<Estimate> {
        let mut few: Vec<&SelectedItem> = items.iter().step_by(items.len().div_ceil(LOOKED_AT).max(1)).collect();
        few.sort_by_key(|chosen| chosen.item.story_text().len());
        let chosen = *few.get(few.len() / 2)?;
        let versions = versions_read(chosen, self.settings, self.model).0;
        let setting = self.setting();
        let begun = Instant::now();
        let case = setting.analyse(&chosen.style, &versions[0], false).ok()?.case;
        let reading = begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        setting.outcomes(chosen, &case, &[]).ok()?;
        let scoring = begun.elapsed().as_secs_f64();
        let (fewest, most) = prompts_of_check(self.settings.deletion_draws);
        let checked = || items.iter().filter(|chosen| chosen.checked);
        // The words of each reader are checked, too.
        let tests: usize = checked().map(|chosen| 1 + self.human.readers(&chosen.item.id).len()).sum();
        let of_checks = |prompts: usize| (versions.len() * tests * prompts) as f64 * scoring;
        Some(Estimate {
            reading: reading * (versions.len() * items.len()) as f64,
            checks: (of_checks(fewest), of_checks(most)),
            checked: checked().count(),
        })
    }

    /// Reads all prompts of an item; `done` is called after each.
    pub fn read(&self, chosen: &SelectedItem, mut done: impl FnMut()) -> ItemRead {
        let fail = |error: CaseError| Failure { item: chosen.item.id.clone(), error };
        let (versions, absent) = versions_read(chosen, self.settings, self.model);
        let failures = absent.into_iter().map(|error| fail(error.into())).collect();
        let mut read = ItemRead { prompts: Vec::new(), failures };
        let setting = self.setting();
        for (index, version) in versions.iter().enumerate() {
            match setting.analyse(&chosen.style, version, chosen.checked) {
                Ok(mut prompt) => {
                    prompt.case.compared_only = index > 0;
                    if prompt.case.deletion.is_some() && index == 0 {
                        match setting.orders(chosen, &prompt.case) {
                            Ok(orders) => prompt.case.orders = orders,
                            Err(error) => read.failures.push(fail(error)),
                        }
                    }
                    if index == 0 && self.settings.inside.witness {
                        add_true_belief(&setting, chosen, &mut prompt.case);
                    }
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
