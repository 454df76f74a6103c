//! Exports runs to Parquet files, for data frames.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use indexmap::IndexSet;

use super::ReadRun;
use super::export::{ExportError, Staged};
use crate::answer::{ReadError, Ties, read, reread};
use crate::benchmark::Item;
use crate::metric::Respondent;
use crate::record::{ContinuationRecord, TrialRecord};
use crate::report::{
    Continuation, ItemOutcome, ParquetFiles, Recorded, Report, RunColumns, TrialRow, WrittenReply, labels_of,
};

/// File names.
const PARQUET: [&str; 2] = ["trials.parquet", "items.parquet"];

/// Writes the trials and the items of runs as Parquet into a folder, which is created if missing. `reports` has one
/// report per run.
pub fn write_parquet(
    runs: &[ReadRun<'_>],
    reports: &[Report],
    folder: &Path,
    with_texts: bool,
) -> Result<Vec<PathBuf>, ExportError> {
    let with_texts = with_texts && runs.iter().all(ReadRun::has_texts);
    let labels = labels_of(reports);
    let answers: Vec<String> = runs.iter().map(|run| run.respondent().1).collect();
    let facets: IndexSet<&str> = runs
        .iter()
        .flat_map(|run| &run.outcomes)
        .flat_map(|outcome| outcome.item.facets.keys())
        .map(String::as_str)
        .collect();
    let broken = |source| ExportError::Parquet { folder: folder.to_path_buf(), source };
    std::fs::create_dir_all(folder).map_err(ExportError::at(folder))?;
    let [trials, items] = PARQUET.map(|name| folder.join(name));
    let mut files =
        ParquetFiles::new(Staged::create(&trials)?, Staged::create(&items)?, &facets, with_texts).map_err(broken)?;
    for ((label, answers), run) in labels.iter().zip(&answers).zip(runs) {
        let settings = &run.manifest().settings;
        let columns =
            RunColumns { label, answers, model: run.manifest().model.name(), scoring: settings.scoring.name() };
        for outcome in &run.outcomes {
            let rendered = ItemOutcome::new(outcome, Respondent { label, answers });
            files.add_item(columns, outcome.item, rendered).map_err(broken)?;
        }
        let items: HashMap<&str, &Item> =
            run.outcomes.iter().map(|outcome| (outcome.item.id.as_str(), outcome.item)).collect();
        let normalisation = run.how.normalisation(settings);
        let ties = Ties { rule: run.how.tie, seed: settings.seed };
        run.recorded.each(|mut record, _| -> Result<(), ExportError> {
            let item = items.get(record.id.as_str()).copied();
            let item = item.ok_or_else(|| ReadError::UnknownItem { id: record.id.clone() })?;
            if let Some(rules) = run.how.rules {
                let shown = settings.shown_again(item, &record);
                reread(&mut record, &shown, rules)?;
            }
            let outcome = read(&record, item, normalisation, ties)?;
            let trial = TrialRow { run: columns, item, outcome, recorded: recorded(&record) };
            files.add_trial(&trial).map_err(broken)
        })?;
    }
    let (trials_file, items_file) = files.finish(&labels, reports).map_err(broken)?;
    trials_file.finish()?;
    items_file.finish()?;
    Ok(vec![trials, items])
}

fn recorded(record: &TrialRecord) -> Recorded {
    let reply = record.asks.first().and_then(|ask| ask.reply.as_ref());
    let continuation = |result: &ContinuationRecord| Continuation {
        text: result.text.clone(),
        tokens: result.logprobs.len(),
        loglikelihood: result.sum(),
    };
    Recorded {
        style: record.style.clone(),
        condition: record.condition.clone(),
        scoring: record.scoring.name(),
        sample: record.sample,
        labels: record.labels.clone(),
        prompt_tokens: record.asks.iter().map(|ask| ask.prompt_tokens).collect(),
        continuations: record.asks.iter().flat_map(|ask| &ask.results).map(continuation).collect(),
        reply: reply.map(|reply| WrittenReply {
            text: reply.text.clone(),
            thinking: reply.thinking.clone(),
            tokens: reply.tokens,
            end: reply.end(),
            part: reply.part.map(|part| (part.question, part.of)),
            span: reply.reading.as_ref().and_then(|reading| reading.start.zip(reading.end)),
        }),
        failure: record.failure.as_ref().map(|failure| failure.message.clone()),
    }
}
