//! Reads a run's records; checks every line against the manifest before it is used.

use crate::ledger::{FolderError, FolderKind, LedgerLines};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::manifest::{Manifest, Model};
use crate::extract::{QuestionPart, Reading};
use crate::parse_error::in_words;
use crate::prompt::{Condition, DrawnOrder, Order, Scoring};
use crate::record::{AskRecord, ContinuationRecord, FailureKind, ReplyRecord, TrialRecord};
use crate::trial::Settings;

/// File with a checksum for each line of the records.
pub(super) const SUMS: &str = "trials.sha256";

/// File name of the records.
pub(super) const TRIALS: &str = "trials.jsonl";

/// Kind of a run's folder.
pub(super) const RUN: FolderKind = FolderKind {
    manifest: "manifest.json",
    lines: TRIALS,
    sums: SUMS,
    work: "run",
    folder: "run folder",
    command: "run",
};

/// Tolerance for log-probabilities above zero due to rounding.
const ROUNDING: f32 = 1e-3;

/// Marks a folder whose records are in the order in which replies ended.
pub(super) const DISORDERED: &str = "trials.unordered";

/// Expected trials of a folder's records, line by line: those that could not be asked first, then batch by batch.
pub(super) struct Expected {
    /// Trials in a batch, ascending.
    planned: Vec<usize>,
    /// Number of trials of the run.
    trials: usize,
    /// Whether this folder records the trials that could not be asked.
    refused: bool,
    /// Trials of this folder's batches, in the order of their lines.
    asked: Vec<usize>,
}

impl Expected {
    pub fn from_manifest(manifest: &Manifest) -> Self {
        let batches = manifest.model.batches();
        let holds = |batch: usize| manifest.shard.is_none_or(|shard| shard.holds(batch));
        let mut asked = Vec::new();
        for (_, batch) in batches.iter().enumerate().filter(|(number, _)| holds(*number)) {
            let from = asked.len();
            asked.extend_from_slice(batch);
            asked[from..].sort_unstable();
        }
        let mut planned: Vec<usize> = batches.iter().flat_map(|batch| batch.iter().copied()).collect();
        planned.sort_unstable();
        Expected { planned, trials: manifest.trials, refused: holds(0), asked }
    }

    /// Returns the number of lines of the complete folder.
    pub fn lines(&self) -> usize {
        self.refused_lines().saturating_add(self.asked.len())
    }

    fn refused_lines(&self) -> usize {
        if self.refused { self.trials.saturating_sub(self.planned.len()) } else { 0 }
    }

    /// Whether the trial of a line could be asked; `None` after the last line.
    fn asked_at(&self, line: usize) -> Option<bool> {
        match line.checked_sub(self.refused_lines()) {
            None => Some(false),
            Some(asked) => (asked < self.asked.len()).then_some(true),
        }
    }

    /// Returns the trials of all lines; only for a complete folder.
    pub fn trials(&self) -> Vec<usize> {
        let mut planned = self.planned.iter().peekable();
        let refused = (0..self.trials).filter(|trial| planned.next_if_eq(&trial).is_none());
        refused.take(self.refused_lines()).chain(self.asked.iter().copied()).collect()
    }
}

/// Returns the number of records of a complete folder.
pub(super) fn expected_lines(manifest: &Manifest) -> usize {
    Expected::from_manifest(manifest).lines()
}

/// Checks each record.
struct Checker<'a> {
    settings: &'a Settings,
    conditions: Vec<Option<String>>,
    /// Whether a server answered, which may refuse trials that could be asked.
    served: bool,
    /// Orders of the last item read, with its number of options.
    drawn: Option<(String, usize, Vec<DrawnOrder>)>,
    /// Trials seen, with their lines.
    seen: HashMap<u64, usize>,
}

impl<'a> Checker<'a> {
    fn new(manifest: &'a Manifest) -> Self {
        let settings = &manifest.settings;
        let served = matches!(manifest.model, Model::Server(_));
        Checker { settings, conditions: settings.presentations(), served, drawn: None, seen: HashMap::new() }
    }

    /// Checks the record of a line, counted from 0.
    fn check(&mut self, line: usize, record: &TrialRecord, could_be_asked: bool) -> Result<(), String> {
        let Settings { style, scoring, unconditional, .. } = self.settings;
        if record.style != *style {
            return Err(format!("has style {}, but the run has {style}", record.style));
        }
        if record.scoring != *scoring {
            return Err(format!("was scored by {}, but the run by {scoring}", record.scoring));
        }
        if !self.conditions.contains(&record.condition) {
            let condition = record.condition.as_deref().unwrap_or("plain");
            return Err(format!("has condition {condition}, which the run lacks"));
        }
        self.check_order(record)?;
        let samples = self.settings.samples();
        match record.sample {
            None if samples > 1 => return Err(format!("has no reply number, but the run has {samples} replies")),
            Some(sample) if samples <= 1 || sample >= samples => {
                return Err(format!("is reply {sample} (from 0), but the run has {samples}"));
            }
            _ => {}
        }
        let mut key = DefaultHasher::new();
        (&record.id, &record.condition, record.order.as_slice(), record.sample).hash(&mut key);
        if let Some(first) = self.seen.insert(key.finish(), line) {
            return Err(format!("is the same trial as line {}", first + 1));
        }
        match (&record.failure, could_be_asked) {
            (None, false) => return Err("answers a trial that is not in the manifest's plan".to_string()),
            (Some(failure), true) if failure.kind != FailureKind::NotFinite && !self.served => {
                return Err(format!(
                    "says that a trial in the manifest's plan could not be asked: {}",
                    failure.message
                ));
            }
            (Some(_), _) => {
                let empty = record.asks.is_empty() && record.unconditional.is_none();
                return if empty { Ok(()) } else { Err("contains both a failure and scores".to_string()) };
            }
            (None, true) => {}
        }
        let several = self.settings.writing.as_ref().is_some_and(|writing| writing.questions_per_prompt.is_some());
        let reply = record.asks.first().and_then(|ask| ask.reply.as_ref());
        if reply.is_some_and(|reply| reply.part.is_some() != several) {
            return Err("disagrees with the run on several questions per prompt".to_string());
        }
        if reply.is_some_and(|reply| reply.reading.is_none() != self.settings.is_first_phase()) {
            return Err("disagrees with the run on whether its reply states an answer".to_string());
        }
        if record.unconditional.is_some() != *unconditional {
            return Err("disagrees with the run on scores after a neutral context".to_string());
        }
        check_shape(record)
    }

    /// Checks that the run draws this order for this item, and how often.
    fn check_order(&mut self, record: &TrialRecord) -> Result<(), String> {
        let TrialRecord { id, order, count, .. } = record;
        let Settings { orders, seed, .. } = self.settings;
        if *count == 1 && *order == Order::identity(order.len()) {
            return Ok(());
        }
        if self.drawn.as_ref().is_none_or(|(item, options, _)| item != id || *options != order.len()) {
            let drawn = self.settings.draw(id, order.len()).map_err(|error| error.to_string())?;
            self.drawn = Some((id.clone(), order.len(), drawn));
        }
        let condition = Condition::of_presentation(record.condition.as_deref());
        let mut drawn = self.drawn.iter().flat_map(|(_, _, drawn)| drawn);
        let drawn = match condition.is_some_and(Condition::exchanges) {
            true => drawn.find(|drawn| drawn.count == *count && drawn.order.is_one_exchange_from(order)),
            false => drawn.find(|drawn| drawn.order == *order),
        };
        match drawn {
            Some(drawn) if drawn.count == *count => Ok(()),
            Some(drawn) => Err(format!("counts its order {count} times, and {orders} draws it {} times", drawn.count)),
            None => Err(format!(
                "shows {id} in order {:?}, which {orders} with seed {seed} does not draw",
                order.as_slice()
            )),
        }
    }
}

/// Checks that the contents of a record are consistent.
fn check_shape(record: &TrialRecord) -> Result<(), String> {
    let TrialRecord { order, labels, asks, unconditional, .. } = record;
    if !labels.is_empty() && labels.len() != order.len() {
        return Err(format!("has {} labels for {} options", labels.len(), order.len()));
    }
    let Some(AskRecord { results: first, reply, .. }) = asks.first() else {
        return Err("contains neither scores nor a failure".to_string());
    };
    if (record.scoring == Scoring::Generate) != reply.is_some() {
        return Err("disagrees with the run on written replies".to_string());
    }
    if let Some(reply) = reply {
        return check_reply(reply, asks, order.len());
    }
    if asks.len() != 1 && asks.len() != order.len() {
        return Err(format!("has {} prompts for {} options", asks.len(), order.len()));
    }
    if asks.iter().any(|ask| ask.results.len() != first.len() || ask.results.is_empty() || ask.prompt_tokens == 0) {
        return Err("lacks scores of some of its continuations".to_string());
    }
    if unconditional.as_ref().is_some_and(|neutral| neutral.len() != first.len()) {
        return Err("has different numbers of scores after the neutral context and the prompt".to_string());
    }
    asks.iter().flat_map(|ask| &ask.results).chain(unconditional.iter().flatten()).try_for_each(check_scores)
}

/// Checks that a reply is the only answer and that its reading fits it.
fn check_reply(reply: &ReplyRecord, asks: &[AskRecord], options: usize) -> Result<(), String> {
    if asks.len() != 1 || !asks[0].results.is_empty() {
        return Err("has both a reply and other answers".to_string());
    }
    if let Some(QuestionPart { question, of }) = reply.part.filter(|part| !(1..=part.of).contains(&part.question)) {
        return Err(format!("is about question {question} of the {of} in its prompt"));
    }
    let Some(Reading { slots, start, end, .. }) = &reply.reading else { return Ok(()) };
    if let Some(slot) = slots.iter().find(|slot| **slot >= options) {
        return Err(format!("reads slot {slot} in its reply, but {options} were shown"));
    }
    let place = start.unwrap_or(0)..end.unwrap_or(0);
    match reply.text.get(place) {
        Some(_) => Ok(()),
        None => Err("reads an answer outside its reply's text".to_string()),
    }
}

fn check_scores(result: &ContinuationRecord) -> Result<(), String> {
    let ContinuationRecord { text, token_ids, logprobs, at_most, bytes } = result;
    if let Some(bound) = at_most.filter(|bound| !bound.is_finite() || !logprobs.is_empty()) {
        return Err(format!("has an invalid log-probability bound {bound} for {text:?}"));
    }
    if let Some(logprob) = logprobs.iter().find(|logprob| !logprob.is_finite() || **logprob > ROUNDING) {
        return Err(format!("has an invalid log-probability {logprob} for {text:?}"));
    }
    if (logprobs.is_empty() && at_most.is_none())
        || token_ids.as_ref().is_some_and(|tokens| tokens.len() != logprobs.len())
    {
        return Err(format!("does not have one log-probability per token of {text:?}"));
    }
    // A bundle without texts keeps only the length.
    if *bytes != text.len() && !text.is_empty() {
        return Err(format!("says that {text:?} has {bytes} bytes"));
    }
    Ok(())
}

/// Iterates over the lines of a folder's records.
pub(super) struct RecordLines<'a, R> {
    lines: LedgerLines<R>,
    file: PathBuf,
    expected: Expected,
    checker: Checker<'a>,
}

/// A record read from a file.
pub(super) struct RecordLine {
    pub record: TrialRecord,
    /// Bytes of its line.
    pub length: u64,
    /// Whether it is known to be as written, as far as checksums tell.
    pub as_written: bool,
}

impl<'a, R: Read> RecordLines<'a, R> {
    pub fn new(folder: &Path, manifest: &'a Manifest, reader: R) -> Result<Self, FolderError> {
        Ok(RecordLines {
            lines: LedgerLines::new(folder, &RUN, reader)?,
            file: folder.join(TRIALS),
            expected: Expected::from_manifest(manifest),
            checker: Checker::new(manifest),
        })
    }

    /// Accepts a line's checksum at any position.
    pub fn sums_in_any_order(&mut self) {
        self.lines.sums_in_any_order();
    }

    /// Returns the number of lines read so far.
    pub fn read(&self) -> usize {
        self.lines.read()
    }

    /// Returns the number of lines of the complete folder.
    pub fn planned(&self) -> usize {
        self.expected.lines()
    }

    /// Returns the number of lines once written, as far as known.
    pub fn written(&self) -> usize {
        self.lines.written()
    }

    /// Returns the last line read, without its end.
    pub fn text(&self) -> &str {
        std::str::from_utf8(self.lines.bytes()).unwrap_or_default()
    }

    /// Returns an error about the last line read.
    pub fn bad(&self, message: String) -> FolderError {
        FolderError::BadLine { path: self.file.clone(), line: self.lines.read(), message }
    }

    /// Returns the next record; `None` after the last full line.
    pub fn next(&mut self) -> Result<Option<RecordLine>, FolderError> {
        let io = |source| FolderError::Io { path: self.file.clone(), action: "read", source };
        let Some(length) = self.lines.next_line().map_err(io)? else { return Ok(None) };
        let index = self.lines.read() - 1;
        let text = std::str::from_utf8(self.lines.bytes()).map_err(|error| self.bad(in_words(error)))?;
        let record = TrialRecord::parse(text).map_err(|error| self.bad(in_words(error)))?;
        let Some(asked) = self.expected.asked_at(index) else {
            return Err(self.bad(format!("exceeds the {} trials of this folder", self.planned())));
        };
        let checked = self.checker.check(index, &record, asked);
        checked.map_err(|message| self.bad(message))?;
        Ok(Some(RecordLine { record, length, as_written: self.lines.as_written() }))
    }
}

/// Returns the error for a line, from 1, that differs from what was written.
pub(super) fn altered_line(folder: &Path, line: usize) -> FolderError {
    FolderError::Altered { path: folder.join(TRIALS), line, sums: SUMS }
}
