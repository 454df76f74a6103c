//! Exports runs to the files of Every Eval Ever (github.com/evaleval/every_eval_ever), an exchange format for results
//! of evaluation frameworks: one document for each run and benchmark, and a file beside it with one line per item.
//!
//! The files contain only what a run records. It does not record the evaluator or the availability of the weights, so
//! the required keys for these say `unknown` and `other`.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::export::{ExportError, Staged};
use super::{ReadOptions, ReadRun};
use crate::answer::{Outcome, TrialOutcome};
use crate::benchmark::{Answer, Item};
use crate::canary::CANARY;
use crate::metric::{Cell, ResultRow, Results, TableResult};
use crate::record::ReplyRecord;
use crate::report::{Report, file_name};
use crate::run::{LocalModel, Model, ServerIdentity};

/// Version of the schema, for documents and lines.
pub const SCHEMA: &str = "0.3.0";

/// The facet that splits the results over all items, and the table that contains them.
const LANGUAGE: &str = "language";
const OVERALL: &str = "by-language";

/// Adds the results over all items, which the lines of items refer to, to the read options.
pub fn with_overall(mut how: ReadOptions) -> ReadOptions {
    if !how.by.0.iter().any(|by| by == LANGUAGE) {
        how.by.0.push(LANGUAGE.to_string());
    }
    how
}

/// Writes runs that were read [`with_overall`] below a folder. `reports` has one report per run. Without texts no lines
/// of items are written, because the format requires texts.
pub fn write_exchange(
    runs: &[ReadRun<'_>],
    reports: &[Report],
    folder: &Path,
    with_texts: bool,
) -> Result<Vec<PathBuf>, ExportError> {
    let mut written = Vec::new();
    for (run, report) in runs.iter().zip(reports) {
        let with_texts = with_texts && run.has_texts();
        let replies = if with_texts { replies(run)? } else { Replies::new() };
        for results in &report.results {
            let evaluation = Evaluation::new(run, report, results);
            if evaluation.overall().next().is_some() {
                written.extend(evaluation.write(folder, with_texts.then_some(&replies))?);
            }
        }
    }
    Ok(written)
}

/// Replies by item, style and condition, in the order of their records; empty if options were scored.
type Replies = HashMap<(String, String, Option<String>), Vec<ReplyRecord>>;

fn replies(run: &ReadRun<'_>) -> Result<Replies, ExportError> {
    let mut replies = Replies::new();
    if run.manifest().settings.writing.is_some() {
        run.recorded.each(|mut record, _| -> Result<(), ExportError> {
            let reply = if record.asks.is_empty() { None } else { record.asks.swap_remove(0).reply };
            replies.entry((record.id, record.style, record.condition)).or_default().extend(reply);
            Ok(())
        })?;
    }
    Ok(replies)
}

/// A run on one benchmark.
struct Evaluation<'a> {
    run: &'a ReadRun<'a>,
    report: &'a Report,
    results: &'a Results,
    model: &'a Model,
    /// Developer and name of the model, if it is from the Hub.
    of_hub: Option<(&'a str, &'a str)>,
    /// Hash that identifies this evaluation.
    hash: [u8; 32],
}

impl<'a> Evaluation<'a> {
    fn new(run: &'a ReadRun<'a>, report: &'a Report, results: &'a Results) -> Self {
        let model = &run.manifest().model;
        let of_hub = model.local().and_then(|LocalModel { identity, .. }| {
            let (developer, name) = identity.source.split_once('/')?;
            let whole = identity.path.is_none() && identity.adapter.is_none() && !name.contains('/');
            whole.then_some((developer, name))
        });
        let of_run = run.manifest().sha256.as_ref().unwrap_or(&run.manifest().trials_sha256);
        let how = [results.benchmark.name(), of_run, report.provenance.get("scoring").map_or("", String::as_str)];
        let hash = Sha256::digest(how.join("\n")).into();
        Evaluation { run, report, results, model, of_hub, hash }
    }

    /// Rows over all items of a language, each under one condition.
    fn overall(&self) -> impl Iterator<Item = (&'a TableResult, &'a ResultRow)> {
        let tables = self.results.tables.iter().filter(|table| table.id == OVERALL);
        tables.flat_map(|table| table.rows.iter().map(move |row| (table, row)))
    }

    fn model_id(&self) -> &'a str {
        match self.model.local().filter(|_| self.of_hub.is_some()) {
            Some(model) => &model.identity.source,
            None => self.model.name(),
        }
    }

    /// Identifier of the evaluation, always the same for the same run.
    fn id(&self) -> String {
        let created = &self.run.manifest().created;
        format!("{}/{}/{created}-{}", self.results.benchmark, self.model_id(), hex::encode(&self.hash[..4]))
    }

    /// A UUID of version 4, as the format's file names require, derived from the evaluation, so that its files replace
    /// older ones.
    fn uuid(&self) -> String {
        let mut bytes = self.hash;
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let digits = hex::encode(&bytes[..16]);
        [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
    }

    /// Path of its files, relative to the given folder.
    fn place(&self) -> String {
        let (developer, name) = self.of_hub.unwrap_or(("unknown", self.model.name()));
        format!("data/{}/{}/{}", file_name(self.results.benchmark.name()), file_name(developer), file_name(name))
    }

    fn write(&self, folder: &Path, replies: Option<&Replies>) -> Result<Vec<PathBuf>, ExportError> {
        let (place, uuid) = (self.place(), self.uuid());
        let within = folder.join(&place);
        std::fs::create_dir_all(&within).map_err(ExportError::at(&within))?;
        let mut written = Vec::new();
        let mut document = self.document();
        if let Some(replies) = replies {
            let name = format!("{uuid}_samples.jsonl");
            let path = within.join(&name);
            let mut file = Staged::create(&path)?;
            let (mut sum, mut rows) = (Sha256::new(), 0);
            let mut put = |line: String| -> io::Result<()> {
                sum.update(&line);
                rows += 1;
                file.write_all(line.as_bytes())
            };
            for outcome in self.run.outcomes.iter().filter(|outcome| outcome.item.benchmark == self.results.benchmark) {
                let key = (outcome.item.id.clone(), outcome.style.clone(), outcome.condition.clone());
                let replies = replies.get(&key).map_or(&[][..], Vec::as_slice);
                put(format!("{}\n", self.sample(outcome, replies))).map_err(ExportError::at(&path))?;
            }
            file.finish()?;
            document["detailed_evaluation_results"] = json!({
                "format": "jsonl",
                "file_path": format!("{place}/{name}"),
                "hash_algorithm": "sha256",
                "checksum": hex::encode(sum.finalize()),
                "total_rows": rows,
            });
            written.push(path);
        }
        let path = within.join(format!("{uuid}.json"));
        let mut file = Staged::create(&path)?;
        writeln!(file, "{document:#}").map_err(ExportError::at(&path))?;
        file.finish()?;
        written.push(path);
        Ok(written)
    }

    fn document(&self) -> Value {
        let program = &self.run.manifest().program;
        let library = match &program.commit {
            Some(commit) => {
                json!({ "name": "tomeval", "version": program.version, "additional_details": { "commit": commit } })
            }
            None => json!({ "name": "tomeval", "version": program.version }),
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let rows = self.results.tables.iter().flat_map(|table| table.rows.iter().map(move |row| (table, row)));
        let cells = rows.flat_map(|(table, row)| {
            table.columns.iter().zip(&row.cells).map(move |(column, cell)| (table, row, column.as_str(), cell))
        });
        let results: Vec<Value> =
            cells.filter_map(|(table, row, column, cell)| self.result(table, row, column, cell)).collect();
        json!({
            "schema_version": SCHEMA,
            "evaluation_id": self.id(),
            "evaluation_timestamp": self.run.manifest().created,
            "retrieved_timestamp": now.to_string(),
            "source_metadata": {
                "source_name": "tomeval",
                "source_type": "evaluation_run",
                "source_organization_name": "unknown",
                "evaluator_relationship": "other",
            },
            "eval_library": library,
            "model_info": self.model_info(),
            "evaluation_results": results,
        })
    }

    fn model_info(&self) -> Value {
        let (identity, machine) = match self.model {
            Model::Local(model) => (&model.identity, &model.machine),
            Model::Server(model) => return self.served_model_info(&model.identity),
        };
        let mut details = strings([
            ("deployment_type", "self_deployed"),
            ("model_availability", "unknown"),
            ("family", &identity.family),
            ("arithmetic", &machine.dtype),
            ("device", &machine.device),
        ]);
        details.extend(identity.revision.iter().map(|revision| ("revision".to_string(), json!(revision))));
        details.extend(identity.sha256.iter().map(|(file, sum)| (format!("sha256 of {file}"), json!(sum))));
        json!({
            "name": identity.name,
            "id": self.model_id(),
            "inference_engine": { "name": "tomeval", "version": self.run.manifest().program.version },
            "additional_details": details,
        })
    }

    /// Model information for a model on a server, where only the server's own information is known.
    fn served_model_info(&self, model: &ServerIdentity) -> Value {
        let mut details =
            strings([("deployment_type", "unknown"), ("model_availability", "unknown"), ("address", &model.address)]);
        details.extend(
            (!model.others.is_empty()).then(|| ("other_addresses".to_string(), json!(model.others.join(", ")))),
        );
        details.extend(model.fingerprint.iter().map(|fingerprint| ("fingerprint".to_string(), json!(fingerprint))));
        json!({
            "name": model.name,
            "id": self.model_id(),
            "inference_engine": {
                "name": model.program.as_deref().unwrap_or("unknown"),
                "version": model.version.as_deref().unwrap_or("unknown"),
            },
            "additional_details": details,
        })
    }

    /// The result of a cell over all items, or of a cell with a chance level: a share of right answers or an F1 score.
    /// `None` for differences and cells without a value.
    fn result(&self, table: &TableResult, row: &ResultRow, column: &str, cell: &Cell) -> Option<Value> {
        let score = cell.value?;
        let overall = table.id == OVERALL;
        if !overall && cell.chance.is_none() {
            return None;
        }
        let mut details = strings([("unit", cell.unit.as_str()), ("level", if overall { "overall" } else { "part" })]);
        details.extend(cell.chance.map(|chance| ("chance".to_string(), json!(chance.to_string()))));
        details.extend(row.key.iter().map(|(facet, value)| (facet.clone(), json!(value))));
        let mut uncertainty = json!({ "num_samples": cell.n });
        if let Some((lower, upper)) = cell.interval {
            let method = cell.interval_by.map_or("", |by| by.into());
            uncertainty["confidence_interval"] =
                json!({ "lower": lower, "upper": upper, "confidence_level": 0.95, "method": method });
        }
        let kind =
            if overall { "accuracy".to_string() } else { format!("tomeval.{}.{}", self.results.benchmark, table.id) };
        let mut metric = json!({
            "evaluation_description": table.paper.as_ref().map_or(table.title.clone(), |paper| format!("{} ({paper})", table.title)),
            "metric_id": kind,
            "metric_name": if overall { "Accuracy" } else { &table.title },
            "metric_unit": "percent",
            "lower_is_better": false,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 100.0,
        });
        if overall {
            metric["metric_kind"] = json!("accuracy");
        }
        Some(json!({
            "evaluation_result_id": result_id(&table.id, row, column),
            "evaluation_name": self.evaluation_name(table, row, column),
            "source_data": self.source_data(),
            "metric_config": metric,
            "score_details": { "score": score, "details": details, "uncertainty": uncertainty },
            "generation_config": self.generation(row),
        }))
    }

    fn evaluation_name(&self, table: &TableResult, row: &ResultRow, column: &str) -> String {
        let key = row.key.values().map(String::as_str);
        let parts = [self.results.benchmark.name(), table.id.as_str()]
            .into_iter()
            .chain(key)
            .chain(row.header.condition.as_deref());
        parts.chain((table.id != OVERALL).then_some(column)).collect::<Vec<_>>().join(", ")
    }

    /// Data source. The data are on the user's machine; the benchmark's card gives the origin of such files.
    fn source_data(&self) -> Value {
        let (manifest, benchmark) = (self.run.manifest(), self.results.benchmark);
        let card = benchmark.card_with(&manifest.settings.own);
        let mut details = Map::new();
        details.extend(strings([
            ("paper", card.paper.as_str()),
            ("source", card.source.trim()),
            ("licence", &card.licence),
        ]));
        if let Some(data) = manifest.data.get(&benchmark) {
            details.insert("items".into(), json!(data.items.to_string()));
            details.insert("sha256 of the items".into(), json!(data.sha256));
        }
        json!({ "dataset_name": self.results.title, "source_type": "other", "additional_details": details })
    }

    /// How answers were produced, in the terms of the report.
    fn generation(&self, row: &ResultRow) -> Value {
        let provenance = self.report.provenance.iter().map(|(name, value)| (name.clone(), json!(value)));
        let mut details: Map<String, Value> = provenance.collect();
        details.extend(row.header.condition.iter().map(|condition| ("condition".to_string(), json!(condition))));
        details
            .extend(row.part.map(|part| ("part".to_string(), json!(format!("{} of {} items", part.asked, part.of)))));
        details.extend(self.report.unfinished.map(|part| ("unfinished".to_string(), json!(part.to_string()))));
        let mut config = json!({ "additional_details": details });
        if let Some(writing) = &self.run.manifest().settings.writing {
            let mut arguments =
                json!({ "temperature": writing.temperature, "top_p": writing.top_p, "top_k": writing.top_k });
            if let Some(most) = writing.max_new_tokens {
                arguments["max_tokens"] = json!(most);
            }
            config["generation_args"] = arguments;
        }
        config
    }

    /// The line of an item.
    fn sample(&self, outcome: &Outcome<'_>, replies: &[ReplyRecord]) -> Value {
        let item = outcome.item;
        let mine = |(_, row): &(&TableResult, &ResultRow)| {
            row.header.style == outcome.style
                && row.header.condition == outcome.condition
                && row.key.values().any(|value| value == item.language.code())
        };
        let overall = self.overall().find(mine);
        let name = overall
            .map_or_else(|| self.results.benchmark.to_string(), |(table, row)| self.evaluation_name(table, row, ""));
        let context = item.context.iter().map(|segment| segment.text.as_ref());
        let raw = context.chain([item.question.as_str()]).collect::<Vec<_>>().join("\n\n");
        let reference = texts(item, &item.gold);
        let right = outcome.is_right();
        let mut output = json!({ "raw": output(outcome, replies) });
        if replies.iter().any(|reply| reply.thinking.is_some()) {
            output["reasoning_trace"] =
                replies.iter().map(|reply| reply.thinking.clone().unwrap_or_default()).collect();
        }
        let mut line = json!({
            "schema_version": SCHEMA,
            "evaluation_id": self.id(),
            "model_id": self.model_id(),
            "evaluation_name": name,
            "sample_id": item.id,
            "sample_hash": sample_hash(&raw, &reference),
            "interaction_type": "single_turn",
            "input": { "raw": raw, "reference": reference, "choices": item.options },
            "output": output,
            "answer_attribution": attribution(outcome),
            "evaluation": { "score": f64::from(u8::from(right)), "is_correct": right },
            "metadata": metadata(outcome),
        });
        if let Some((table, row)) = overall {
            let column = table.columns.first().map_or("", String::as_str);
            line["evaluation_result_id"] = json!(result_id(&table.id, row, column));
        }
        let failures: Vec<&str> = outcome.trials.iter().filter_map(|trial| trial.failure.as_deref()).collect();
        if outcome.failed() {
            line["error"] = json!(format!("not asked: {}", failures.join(", ")));
        }
        line
    }
}

/// Identifier of a result within its document.
fn result_id(table: &str, row: &ResultRow, column: &str) -> String {
    let key = row.key.iter().map(|(facet, value)| format!("{facet}={value}"));
    let condition = row.header.condition.iter().map(|condition| format!("condition={condition}"));
    std::iter::once(table.to_string())
        .chain(key)
        .chain(condition)
        .chain([column.to_string()])
        .collect::<Vec<_>>()
        .join("/")
}

/// The written replies or, if options were scored, the text of the chosen option.
fn output(outcome: &Outcome<'_>, replies: &[ReplyRecord]) -> Vec<String> {
    if replies.is_empty() {
        outcome.choice.iter().map(|choice| texts(outcome.item, choice).join("; ")).collect()
    } else {
        replies.iter().map(|reply| reply.text.clone()).collect()
    }
}

/// How the answer was derived from the model's output: an entry for each order that has one, and a last one for the
/// vote.
fn attribution(outcome: &Outcome<'_>) -> Vec<Value> {
    let entry = |answer: &Answer, method: String, last: bool| {
        json!({
            "turn_idx": 0,
            "source": "output.raw",
            "extracted_value": texts(outcome.item, answer).join("; "),
            "extraction_method": method,
            "is_terminal": last,
        })
    };
    let method = |trial: &TrialOutcome| match &trial.reading {
        Some(reading) => reading.rule.clone().unwrap_or_default(),
        None => "highest log-likelihood".to_string(),
    };
    let only = outcome.trials.len() == 1;
    let of_trials = outcome.trials.iter().filter_map(|trial| Some(entry(trial.choice.as_ref()?, method(trial), only)));
    let vote =
        outcome.choice.as_ref().filter(|_| !only).map(|choice| entry(choice, "vote over orders".to_string(), true));
    of_trials.chain(vote).collect()
}

fn metadata(outcome: &Outcome<'_>) -> Map<String, Value> {
    let item = outcome.item;
    let facets = item.facets.iter().map(|(name, value)| (name.clone(), json!(value)));
    let mut metadata: Map<String, Value> = facets.collect();
    let (votes, draws) = (outcome.votes().to_string(), outcome.draws().to_string());
    metadata.extend(strings([
        ("language", item.language.code()),
        ("story", &item.story),
        ("style", &outcome.style),
        ("votes", &votes),
        ("draws", &draws),
        ("canary", CANARY),
    ]));
    metadata.extend(outcome.condition.iter().map(|condition| ("condition".to_string(), json!(condition))));
    metadata
}

/// Texts of the options of an answer.
fn texts(item: &Item, answer: &Answer) -> Vec<String> {
    answer.options().into_iter().filter_map(|option| item.options.get(option).cloned()).collect()
}

fn strings<const N: usize>(pairs: [(&str, &str); N]) -> Map<String, Value> {
    pairs.into_iter().map(|(name, value)| (name.to_string(), json!(value))).collect()
}

/// Hash that identifies questions across frameworks: of question and references as ASCII JSON with keys in order.
fn sample_hash(raw: &str, reference: &[String]) -> String {
    let json = json!({ "raw": raw, "reference": reference });
    let keys =
        [("raw", &json["raw"]), ("reference", &json["reference"])].map(|(key, value)| format!("\"{key}\":{value}"));
    let mut ascii = String::new();
    for letter in format!("{{{}}}", keys.join(",")).chars() {
        match letter {
            ' '..='~' => ascii.push(letter),
            _ => ascii.extend(letter.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}"))),
        }
    }
    hex::encode(Sha256::digest(ascii))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_hashed_as_elsewhere() {
        // Computed with Python: sha256(json.dumps({"raw": ..., "reference": [...]}, sort_keys=True, separators=(",",
        // ":")))
        let found = sample_hash("Where \"is\" it?\n信 \u{1f600}\u{7f}", &["é".to_string(), "b/c".to_string()]);
        assert_eq!(found, "02ee1bdc5ed423ef54f3a3ff3c53d02ececb5161d8431624dbfb559ac0dbeb89");
    }
}
