//! `tomeval logprob`: log-likelihoods of continuations for prompts from a JSON lines file.

mod rows;
#[cfg(feature = "server")]
mod served;

use std::borrow::Cow;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use rows::{LogprobRow, Prompt, RowProblem};
use serde::Serialize;

use super::Outcome;
use crate::arguments::place::Place;
use crate::arguments::server_args::ServerArgs;
use crate::arguments::setup::{LoadedModel, ModelArgs};
use crate::arguments::stdin;
use crate::arguments::template::TemplateArgs;
use crate::counted::counted;
use crate::decoder::Decoder;
use crate::engine::{self, ContextRequest, Request, TokenScores};
use crate::model::{RenderSettings, Rendered, TextParts, render_or_merge};
use crate::terminal::files::LinesFile;
use crate::terminal::progress::Shown;

/// Arguments of `tomeval logprob`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    server: ServerArgs,
    /// JSON lines with `id`, `messages` or `prompt`, optional `answer_prefix`, and `continuations`; - for stdin.
    #[arg(long, short, value_name = "FILE")]
    input: PathBuf,
    /// Write the results here, one JSON line per row [default: stdout].
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Date for chat templates with a clock, as YYYY-MM-DD [default: the template's own].
    #[arg(long, value_name = "DATE")]
    date: Option<jiff::civil::Date>,
    #[command(flatten)]
    template: TemplateArgs,
}

/// A row ready to be scored.
struct Prepared {
    line: usize,
    id: serde_json::Value,
    request: Request,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OutputRow<'a> {
    /// As in the input.
    id: &'a serde_json::Value,
    /// Number of tokens of the prompt.
    prompt_tokens: usize,
    /// Token ids of the prompt.
    prompt_ids: Cow<'a, [u32]>,
    /// One entry per continuation, in input order.
    results: Vec<OutputResult<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OutputResult<'a> {
    /// Token ids of the continuation.
    token_ids: &'a [u32],
    /// Natural log-probability of each token.
    logprobs: &'a [f32],
    /// Sum of the log-probabilities.
    sum: f64,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    if args.model.check_one("logprob", &args.server)? == Place::Server {
        #[cfg(feature = "server")]
        return served::run(&args);
    }
    let (rows, mut problems) = rows::read(&args.input)?;
    let mut output = Output::open(args.output.as_deref())?;
    let mut model = LoadedModel::open(&args.model)?;
    model.choose_template(&args.template, args.model.offline)?;
    let settings = RenderSettings {
        now: args.date.map(|date| date.at(0, 0, 0, 0)),
        variables: args.template.given(&model.files, &model.text)?,
        ..RenderSettings::for_generation()
    };

    let mut prepared = prepare(rows, &model.text, &settings, &mut problems);
    let limit = model.spec.max_position;
    prepared.retain(|row| {
        let fits = row.request.longest() <= limit;
        if !fits {
            let problem = format!("{} tokens, but the model takes {limit}; shorten the prompt", row.request.longest());
            problems.push(RowProblem { line: row.line, problem });
        }
        fits
    });

    let mut scored = 0;
    if !prepared.is_empty() {
        let requests: Vec<Request> = prepared.iter().map(|row| row.request.clone()).collect();
        let scores = score(&model.decoder()?, &requests, model.memory())?;
        for (row, scores) in prepared.iter().zip(&scores) {
            if scores.iter().flat_map(|scores| &scores.logprobs).all(|logprob| logprob.is_finite()) {
                output.write(&OutputRow::new(row, scores))?;
                scored += 1;
            } else {
                let problem = "a log-probability is not a finite number; try --dtype f32, or check the weights";
                problems.push(RowProblem { line: row.line, problem: problem.to_string() });
            }
        }
    }
    output.close()?;

    problems.sort_by_key(|problem| problem.line);
    for problem in &problems {
        eprintln!("{}, {problem}", stdin::name(&args.input));
    }
    if problems.is_empty() {
        return Ok(Outcome::Done);
    }
    eprintln!("{} scored, {} failed", counted(scored, "row"), problems.len());
    Ok(Outcome::Incomplete)
}

/// Renders and tokenizes rows; failures become problems.
fn prepare(
    rows: Vec<LogprobRow>,
    text: &TextParts,
    settings: &RenderSettings,
    problems: &mut Vec<RowProblem>,
) -> Vec<Prepared> {
    let (mut places, mut prompts, mut merged) = (Vec::new(), Vec::new(), 0);
    for row in rows {
        let rendered = match row.prompt {
            Prompt::Messages(messages) => render_or_merge(text.template.as_ref(), &messages, settings),
            Prompt::Text(text) => Ok(Rendered { text, system_merged: false, add_special: true }),
        };
        match rendered {
            Ok(Rendered { text, system_merged, add_special }) => {
                merged += usize::from(system_merged);
                places.push((row.line, row.id));
                let continuations = row.continuations;
                prompts.push(ContextRequest { context: text + &row.answer_prefix, continuations, add_special });
            }
            Err(error) => problems.push(RowProblem {
                line: row.line,
                problem: format!("`messages`: the chat template refuses them: {error}"),
            }),
        }
    }
    if merged > 0 {
        let rows = counted(merged, "row");
        eprintln!("note: the template takes no system message; in {rows} its text begins the first user turn");
    }
    let mut prepared = Vec::with_capacity(prompts.len());
    for ((line, id), request) in places.into_iter().zip(Request::encode_all(&text.tokenizer, &prompts)) {
        match request {
            Ok(request) => prepared.push(Prepared { line, id, request }),
            Err(error) => problems.push(RowProblem { line, problem: error.to_string() }),
        }
    }
    prepared
}

/// Scores all requests, in order.
fn score(decoder: &Decoder, requests: &[Request], memory: u64) -> anyhow::Result<Vec<Vec<TokenScores>>> {
    let shown = Shown::new();
    let mut known = false;
    Ok(engine::score(decoder, requests, memory, |forwarded, all| {
        if !std::mem::replace(&mut known, true) {
            shown.tracker().count("scoring", all, "tokens");
        }
        shown.tracker().at(forwarded as u64, String::new());
    })?)
}

impl<'a> OutputRow<'a> {
    fn new(row: &'a Prepared, scores: &'a [TokenScores]) -> Self {
        let results = row.request.continuations().zip(scores).map(|(token_ids, scores)| OutputResult {
            token_ids,
            logprobs: &scores.logprobs,
            sum: scores.sum(),
        });
        OutputRow {
            id: &row.id,
            prompt_tokens: row.request.context_tokens(),
            prompt_ids: row.request.context(),
            results: results.collect(),
        }
    }
}

/// Standard output, or a file that gets its name only when complete.
enum Output {
    Stdout(BufWriter<std::io::Stdout>),
    File(LinesFile),
}

impl Output {
    fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path else { return Ok(Output::Stdout(BufWriter::new(std::io::stdout()))) };
        Ok(Output::File(LinesFile::create(path)?))
    }

    fn write(&mut self, row: &impl Serialize) -> anyhow::Result<()> {
        match self {
            Output::Stdout(out) => writeln!(out, "{}", serde_json::to_string(row)?)?,
            Output::File(file) => file.write(row)?,
        }
        Ok(())
    }

    fn close(self) -> anyhow::Result<()> {
        match self {
            Output::Stdout(mut out) => Ok(out.flush()?),
            Output::File(file) => file.close(),
        }
    }
}
