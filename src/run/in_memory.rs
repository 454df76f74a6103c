//! Scoring in memory, for programs that need numbers without a folder.

use super::execute::Run;
use super::workload::{Preparing, WorkloadError};
use crate::backend::{Backend, BackendError, Local, TextSetup, score_all};
use crate::benchmark::Item;
use crate::decoder::Decoder;
use crate::engine::{MemoryCosts, Packing, Plan};
use crate::model::TextParts;
use crate::progress::Tracker;
use crate::prompt::Scoring;
use crate::record::TrialRecord;
use crate::trial::{PackFileError, Settings, asks_of, packs, trials};

/// Items that cannot be scored in memory.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScoreItemsError {
    /// Settings that require more than scores.
    #[error("{0} needs a run in a folder; use `tomeval run`")]
    Unfit(&'static str),
    /// The prompts cannot be read.
    #[error(transparent)]
    Packs(#[from] PackFileError),
    /// The trials cannot be built.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// The model cannot answer.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

/// Returns the log-likelihoods of the items' options under a local model, one record per trial (item, option order,
/// style), in the order of the items. The settings determine the prompts; the caller selects the items. Writes nothing;
/// use the command line for resumable runs.
///
/// A trial that cannot be asked (its prompt is longer than the model's context) has its reason in `failure`.
///
/// # Errors
/// Settings for written replies, examples before items or reasoning; a style missing from the benchmark's prompts; a
/// model failure.
///
/// ```
/// use tomeval::{Benchmark, Device, Language, LoadOptions, ModelFiles, Normalisation, OrderPolicy, Precision, Settings, Ties};
/// let files = ModelFiles::from_path("tests/fixtures/llama".as_ref())?;
/// let decoder = files.decoder(&Device::Cpu, Precision::F32)?;
/// let mut items = Benchmark::Demo.load("".as_ref(), &LoadOptions::default())?.items;
/// items.truncate(2);
/// let settings = Settings::letters(Benchmark::Demo, Language::En, OrderPolicy::Random(3));
/// let records = tomeval::score_items(&items, &settings, &files.text_parts()?, &decoder)?;
/// let outcomes = tomeval::outcomes(&records, &items, Normalisation::Sum, Ties::default())?;
/// // The tables of the benchmark's card.
/// let layout = tomeval::Layout::parse(Benchmark::Demo.card_text())?;
/// let by = tomeval::Respondent { label: "llama", answers: "letters" };
/// let setting = tomeval::Setting { benchmark: Benchmark::Demo, title: "Demo", by, items: &items, layout: &layout, seed: 0 };
/// let results = tomeval::evaluate(&setting, &outcomes);
/// assert_eq!((outcomes.len(), results.counts.items), (2, 2));
/// let report = tomeval::Report::new("llama", Default::default(), vec![results]);
/// assert!(tomeval::render(&report, tomeval::Format::Markdown, &tomeval::View::WHOLE).contains("|"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn score_items(
    items: &[Item],
    settings: &Settings,
    text: &TextParts,
    decoder: &Decoder,
) -> Result<Vec<TrialRecord>, ScoreItemsError> {
    let unfit = [
        (settings.scoring == Scoring::Generate, "scoring `generate`"),
        (settings.shots.is_some(), "examples before items"),
        (settings.earlier().is_some(), "replies of an earlier run in the prompts"),
    ];
    if let Some((_, what)) = unfit.into_iter().find(|(unfit, _)| *unfit) {
        return Err(ScoreItemsError::Unfit(what));
    }
    let packs = packs(&settings.benchmarks, None)?;
    let trials = trials(items, &packs, settings).map_err(WorkloadError::from)?;
    let untold = Tracker::default();
    let asked = asks_of(&trials, items, &packs, settings, None, &untold);
    let template = text.template.as_ref();
    let mut variables =
        template.map_or_else(Default::default, |own| own.without_thinking(&settings.template_variables));
    variables.extend(settings.template_variables.clone());
    let text = TextSetup {
        tokenizer: &text.tokenizer,
        template,
        variables: &variables,
        switched_off: &variables,
        now: jiff::Zoned::now().datetime(),
        context_length: decoder.spec().max_position,
    };
    if template.is_some() {
        let (trials, asked) = (&trials[..], &asked[..]);
        let of = Preparing { settings, trials, items, asked, now: text.now, existing: None, tracker: &untold };
        of.check_thinking(|ask, switched_off| text.open_thinking(ask, switched_off))?;
    }
    let prepared = text.prepare(&asked, &untold);
    let costs = MemoryCosts::new(decoder.spec(), decoder.arithmetic());
    let plan = Plan::new(&prepared.requests, Packing::on(decoder.arithmetic()), &costs);
    let mut backend = Local::new(decoder, &prepared, &plan);
    let answers = score_all(&mut backend)?;
    let run = Run {
        items,
        trials: &trials,
        asked: &asked,
        settings,
        shard: None,
        tokenizing: prepared.tokenizing,
        planning: Default::default(),
    };
    let refused: Vec<usize> = (0..trials.len()).filter(|&trial| backend.refusal(trial).is_some()).collect();
    let mut asked: Vec<usize> = answers.iter().map(|answer| answer.trial).collect();
    asked.sort_unstable();
    let mut records: Vec<_> = refused.iter().copied().zip(run.refused(&backend, &refused)).collect();
    records.extend(asked.into_iter().zip(run.records(&backend, answers)));
    records.sort_by_key(|(trial, _)| *trial);
    Ok(records.into_iter().map(|(_, record)| record).collect())
}
