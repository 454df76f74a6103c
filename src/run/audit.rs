//! Audits: trials that are asked again under other conditions, beside the records and apart from everything that can be
//! compared byte for byte.
//!
//! A server is asked again with a cold and a warm prefix cache, alone and under the load of the run; of a run in shards
//! each machine scores the same few trials. The lines are in `audit.jsonl`, each written as it comes and sorted at the
//! end; [`AuditSummary`] is in `audit.json`, made from them and the records.

// Audits of servers; those of shards need no feature.
#![cfg_attr(not(feature = "server"), allow(dead_code))]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use rand::Rng;

use super::audit_line::{AuditLine, Cell};
use super::audit_summary::{Asked, AuditSummary, Conditions, summary};
use super::execute::{Run, RunError};
use super::folder::RunFolder;
use super::recorded::Recorded;
use super::written::reply_key;
use crate::answer::{Normalisation, Ties, TrialOutcome, read};
use crate::backend::{Local, Prepared, Replies, TrialReplies, score_all};
use crate::benchmark::{Answer, Item};
use crate::decoder::Decoder;
use crate::engine::{MemoryCosts, Packing, Plan, Request};
use crate::ledger::{FolderError, refused, replace_file};
use crate::record::{TrialKey, TrialRecord};
use crate::seed::seeded;
use crate::trial::Settings;

/// Lines of an audit in a run's folder.
pub(super) const AUDIT_LINES: &str = "audit.jsonl";

/// Summary of an audit in a run's folder.
pub(super) const AUDIT: &str = "audit.json";

/// Trials that each shard scores again.
const OF_SHARDS: usize = 8;

/// Largest summary that is read.
const MOST_BYTES: u64 = 1 << 20;

/// How records become choices, as a report without arguments reads them.
#[derive(Debug, Clone, Copy)]
struct Reading {
    normalisation: Normalisation,
    ties: Ties,
}

/// A record as it is read.
struct Answered {
    asked: Asked,
    /// Lead of the choice in nats: over the second best of an item's options or joint choices, from zero for the closest
    /// label of a set. `None` without scores.
    margin: Option<f64>,
    /// Why there is no answer, if so.
    failure: Option<String>,
}

impl Reading {
    fn new(settings: &Settings) -> Self {
        let normalisation = Normalisation::usual(settings.scoring, &settings.style);
        Reading { normalisation, ties: Ties { seed: settings.seed, ..Ties::default() } }
    }

    fn read(self, record: &TrialRecord, item: &Item) -> Answered {
        let mut outcome = match read(record, item, self.normalisation, self.ties) {
            Ok(outcome) => outcome,
            Err(error) => return Answered { asked: Asked::default(), margin: None, failure: Some(error.to_string()) },
        };
        outcome.logprobs = outcome.logprobs.filter(|scores| scores.iter().all(|score| score.is_finite()));
        let margin = outcome.choice.as_ref().and_then(|choice| outcome.margin(choice, item.options.len()));
        let reply = record.asks.first().and_then(|ask| ask.reply.as_ref()).map(|reply| reply.text.clone());
        let TrialOutcome { choice, logprobs: scores, failure, .. } = outcome;
        let failure = failure.or_else(|| record.failure.as_ref().map(|failure| failure.message.clone()));
        Answered { asked: Asked { scores, reply, choice: choice.as_ref().map(Answer::options) }, margin, failure }
    }
}

/// Records of a run, as an audit needs them.
#[derive(Debug, Default)]
struct Choices {
    /// Margin of each choice made from scores.
    margins: Vec<f64>,
    /// Answered trials.
    answered: HashMap<TrialKey, Asked>,
}

impl Choices {
    /// Reads the records of a folder; keeps the answers of the trials that `wanted` accepts.
    fn read(
        folder: &Path,
        settings: &Settings,
        items: &[Item],
        wanted: impl Fn(&TrialKey) -> bool,
    ) -> Result<Self, FolderError> {
        let by_id: HashMap<&str, &Item> = items.iter().map(|item| (item.id.as_str(), item)).collect();
        let reading = Reading::new(settings);
        let mut choices = Choices::default();
        Recorded::open(folder)?.each(|record, _| -> Result<(), FolderError> {
            let Some(item) = by_id.get(record.id.as_str()) else { return Ok(()) };
            let Answered { asked, margin, failure } = reading.read(&record, item);
            choices.margins.extend(margin);
            let key = TrialKey::from_record(&record);
            if failure.is_none() && wanted(&key) {
                choices.answered.insert(key, asked);
            }
            Ok(())
        })?;
        Ok(choices)
    }
}

impl Run<'_> {
    /// Draws the trials of an audit among those that `can` be asked again, in the order of their numbers. A trial is
    /// drawn by the seed and its own key, so that the draw is the same on resume and in every shard. Of questions in one
    /// prompt the first stands for all.
    pub fn audited(&self, wanted: usize, can: impl Fn(usize) -> bool) -> Vec<usize> {
        let is_first = |trial: &usize| {
            let asked = self.asked[*trial].as_ref();
            asked.is_ok_and(|asked| asked.together.is_none_or(|together| together.first == *trial))
        };
        let draw = |trial: usize| -> u64 {
            let key = format!("audit\n{}", reply_key(&self.key(trial)));
            seeded(self.settings.seed, &key, self.trials[trial].sample.unwrap_or(0)).random()
        };
        let all = (0..self.trials.len()).filter(is_first).filter(|&trial| can(trial));
        let mut drawn: Vec<(u64, usize)> = all.map(|trial| (draw(trial), trial)).collect();
        drawn.sort_unstable();
        drawn.truncate(wanted);
        let mut trials: Vec<usize> = drawn.into_iter().map(|(_, trial)| trial).collect();
        trials.sort_unstable();
        trials
    }
}

impl Run<'_> {
    /// Scores the trials of the audit of a run in shards prompt by prompt, each shard the same, and writes the lines into
    /// its folder.
    pub fn audit_shard(&self, decoder: &Decoder, prepared: &Prepared, folder: &RunFolder) -> Result<(), RunError> {
        let trials = self.audited(OF_SHARDS, |trial| prepared.failures[trial].is_none());
        let mut audit = Audit::of_shard(self, folder, trials)?;
        let todo: Vec<usize> = audit.trials.iter().copied().filter(|&trial| !audit.has(Cell::Alone, trial)).collect();
        let prepared = prepared.some(&todo);
        let packing = Packing { sharing: false, ..Packing::default() };
        let plan = Plan::new(&prepared.requests, packing, &MemoryCosts::new(decoder.spec(), decoder.arithmetic()));
        for scored in score_all(&mut Local::new(decoder, &prepared, &plan))? {
            let TrialReplies { trial, system_merged, replies, served } = scored;
            let tokens = prepared.requests[trial].requests.iter().map(Request::longest).sum();
            let answer =
                TrialReplies { trial: todo[trial], system_merged, replies: replies.map(Replies::Scores), served };
            audit.add(Cell::Alone, None, prepared.is_chat(), answer, (tokens, None))?;
        }
        Ok(audit.write()?)
    }
}

/// An audit that is being made.
pub struct Audit<'a> {
    run: &'a Run<'a>,
    folder: PathBuf,
    choices: Choices,
    /// Trials to ask, in the order of their numbers.
    pub trials: Vec<usize>,
    /// Lines by condition and trial, as they stand in the file.
    lines: BTreeMap<(Cell, usize), String>,
}

impl<'a> Audit<'a> {
    /// Whether a folder has a finished audit.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(AUDIT).is_file()
    }

    /// Whether a folder has lines of an audit.
    pub fn has_lines(folder: &Path) -> bool {
        folder.join(AUDIT_LINES).is_file()
    }

    /// Begins or continues the audit of a run whose records are complete. Lines of other trials are dropped.
    pub fn of_answered(run: &'a Run<'a>, folder: &RunFolder, wanted: usize) -> Result<Self, FolderError> {
        let choices = Choices::read(folder.path(), run.settings, run.items, |_| true)?;
        let trials = run.audited(wanted, |trial| choices.answered.contains_key(&run.key(trial)));
        Self::begin(run, folder, choices, trials)
    }

    /// Begins or continues the scoring of these trials by a shard, whether or not they are its own.
    fn of_shard(run: &'a Run<'a>, folder: &RunFolder, trials: Vec<usize>) -> Result<Self, FolderError> {
        Self::begin(run, folder, Choices::default(), trials)
    }

    fn begin(run: &'a Run<'a>, folder: &RunFolder, choices: Choices, trials: Vec<usize>) -> Result<Self, FolderError> {
        let mut audit = Audit { run, folder: folder.path().to_path_buf(), choices, trials, lines: BTreeMap::new() };
        let numbers: HashMap<TrialKey, usize> = audit.trials.iter().map(|&trial| (run.key(trial), trial)).collect();
        for line in lines(&audit.folder)? {
            if let Some(&trial) = numbers.get(&line.key()) {
                audit.lines.entry((line.cell, trial)).or_insert(text(&line));
            }
        }
        audit.write()?;
        Ok(audit)
    }

    /// Whether a trial was asked under a condition.
    pub fn has(&self, cell: Cell, trial: usize) -> bool {
        self.lines.contains_key(&(cell, trial))
    }

    /// Records the answer to a trial under a condition, with the tokens it took. `server` names who was asked, where there
    /// are several.
    pub fn add(
        &mut self,
        cell: Cell,
        server: Option<String>,
        chat: bool,
        answer: TrialReplies<Replies>,
        (tokens, cached_tokens): (usize, Option<usize>),
    ) -> Result<(), FolderError> {
        let trial = answer.trial;
        if self.has(cell, trial) {
            return Ok(());
        }
        let TrialKey { id, condition, order, count, sample } = self.run.key(trial);
        let item = &self.run.items[self.run.trials[trial].item];
        let mut found = Answered { asked: Asked::default(), margin: None, failure: Some("no answer".to_string()) };
        for record in self.run.answered_records(chat, answer, &[trial]) {
            found = Reading::new(self.run.settings).read(&record, item);
        }
        let Answered { asked: Asked { scores, reply, choice }, failure, .. } = found;
        let line = AuditLine {
            id,
            condition,
            order,
            count,
            sample,
            cell,
            server,
            scores,
            reply,
            choice,
            tokens,
            cached_tokens,
            failure,
        };
        let (path, line) = (self.folder.join(AUDIT_LINES), text(&line));
        let opened = OpenOptions::new().append(true).create(true).open(&path);
        opened
            .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()))
            .map_err(refused(&path, "written"))?;
        self.lines.insert((cell, trial), line);
        Ok(())
    }

    /// Sorts the lines by condition and trial.
    pub fn write(&self) -> Result<(), FolderError> {
        let path = self.folder.join(AUDIT_LINES);
        if self.lines.is_empty() && !path.exists() {
            return Ok(());
        }
        let all: String = self.lines.values().map(|line| format!("{line}\n")).collect();
        replace_file(&path, all).map_err(refused(&path, "written"))
    }

    /// Ends an audit of a server: sorts the lines, and compares them with the records. `None` where no trial was answered
    /// again, which tells nothing: the lines are removed, so that another audit asks all.
    pub fn finish(self, conditions: Conditions) -> Result<Option<AuditSummary>, FolderError> {
        self.write()?;
        let answered = |key: &TrialKey| self.choices.answered.get(key).cloned();
        let summary = summary(lines(&self.folder)?, self.trials.len(), &self.choices.margins, answered, conditions);
        if summary.choices == 0 && summary.trials > 0 {
            let path = self.folder.join(AUDIT_LINES);
            fs::remove_file(&path).map_err(refused(&path, "removed"))?;
            return Ok(None);
        }
        write_summary(&self.folder, &summary)?;
        Ok(Some(summary))
    }
}

fn text(line: &AuditLine) -> String {
    serde_json::to_string(line).expect("a line holds only strings, numbers and lists")
}

fn write_summary(folder: &Path, summary: &AuditSummary) -> Result<(), FolderError> {
    let path = folder.join(AUDIT);
    let text = serde_json::to_string_pretty(summary).map_err(|error| refused(&path, "written")(error.into()))?;
    replace_file(&path, text + "\n").map_err(refused(&path, "written"))
}

/// Reads the lines of an audit; a torn last line is dropped, as are lines that this program cannot read: they are asked
/// again.
fn lines(folder: &Path) -> Result<Vec<AuditLine>, FolderError> {
    let path = folder.join(AUDIT_LINES);
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let bytes = fs::read(&path).map_err(refused(&path, "read"))?;
    let text = String::from_utf8_lossy(&bytes);
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    Ok(whole.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// Reads the summary of a folder's audit; `None` if there is none. One that cannot be read is an error in words.
pub fn audit_of(folder: &Path) -> Option<Result<AuditSummary, String>> {
    let path = folder.join(AUDIT);
    if !path.is_file() {
        return None;
    }
    let mut text = String::new();
    let found = fs::File::open(&path).and_then(|file| file.take(MOST_BYTES).read_to_string(&mut text));
    let found = found.map_err(|error| error.to_string());
    Some(found.and_then(|_| serde_json::from_str(&text).map_err(|error| error.to_string())))
}

/// Compares the audits of shards after they were joined in `folder`, whose items are these, and writes the joined
/// summary; `None` if fewer than two shards have one. Shards of a local model scored the same trials; those of a server
/// audited their own.
pub fn join_audits(
    shards: &[PathBuf],
    folder: &RunFolder,
    items: &[Item],
) -> Result<Option<AuditSummary>, FolderError> {
    let choices = |wanted: &HashSet<TrialKey>| {
        Choices::read(folder.path(), &folder.settled().settings, items, |key| wanted.contains(key))
    };
    let own: Vec<(&PathBuf, AuditSummary)> =
        shards.iter().filter_map(|shard| Some((shard, audit_of(shard)?.ok()?))).collect();
    let joined = match own.first() {
        Some((_, first)) => {
            let all = own.iter().map(|(shard, _)| lines(shard)).collect::<Result<Vec<_>, _>>()?.concat();
            let Choices { margins, answered } = choices(&all.iter().map(AuditLine::key).collect())?;
            let conditions = Conditions {
                compared: first.compared,
                cache: first.cache.clone(),
                in_flight: own.iter().map(|(_, one)| one.in_flight).max().unwrap_or(0),
                remedy: first.remedy.clone(),
            };
            let trials = own.iter().map(|(_, one)| one.trials).sum();
            summary(all, trials, &margins, |key| answered.get(key).cloned(), conditions)
        }
        None => {
            let mut each = shards.iter().map(|shard| lines(shard)).collect::<Result<Vec<_>, _>>()?;
            each.retain(|lines| !lines.is_empty());
            let [first, others @ ..] = &each[..] else { return Ok(None) };
            if others.is_empty() {
                return Ok(None);
            }
            let of_first: HashMap<TrialKey, Asked> =
                first.iter().map(|line| (line.key(), Asked::from_line(line))).collect();
            let margins = choices(&HashSet::new())?.margins;
            let conditions = Conditions::shards(each.len());
            summary(others.concat(), of_first.len(), &margins, |key| of_first.get(key).cloned(), conditions)
        }
    };
    write_summary(folder.path(), &joined)?;
    Ok(Some(joined))
}
