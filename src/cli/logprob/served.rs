//! `tomeval logprob` on a server.

use serde::Serialize;

use super::rows::{LogprobRow, Prompt, RowProblem, read};
use super::{Args, Output};
use crate::arguments::server_args::ScoresFrom;
use crate::arguments::stdin;
use crate::backend::{AskScores, ContinuationScores, Inquiry, PromptWriter, Route, ServerSetup};
use crate::chat::Message;
use crate::cli::Outcome;
use crate::cli::server::{Connected, ScoringRoute};
use crate::counted::counted;
use crate::prompt::{Ask, Prompt as Shown, Scoring};
use crate::record::Failure;
use crate::terminal::progress::Shown as ShownProgress;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OutputRow<'a> {
    id: &'a serde_json::Value,
    prompt_tokens: usize,
    /// Null, like the tokens of continuations, if no tokenizer is known.
    prompt_ids: Option<Vec<u32>>,
    results: Vec<OutputResult>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OutputResult {
    token_ids: Option<Vec<u32>>,
    logprobs: Vec<f32>,
    /// Null if the server does not return it.
    sum: Option<f64>,
    /// Upper bound if `sum` is null.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<f32>,
}

/// Scores of a row and the tokens of its prompt, or the failure.
type Scored = Result<(AskScores, Option<Vec<u32>>), Failure>;

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let (rows, mut problems) = read(&args.input)?;
    let mut output = Output::open(args.output.as_deref())?;
    let connected = Connected::one(args.model.name(), args.model.offline, &args.server, &args.template)?;
    let from = args.server.scores_from.unwrap_or_default();
    let way = match from {
        ScoresFrom::Auto => ScoringRoute::new(&connected, &args.server, Scoring::Text).or_else(|why| {
            eprintln!("note: {why:#}; only single-token continuations are scored");
            ScoringRoute::new(&connected, &args.server, Scoring::Letter)
        })?,
        ScoresFrom::Prompt | ScoresFrom::Trie => ScoringRoute::new(&connected, &args.server, Scoring::Text)?,
        ScoresFrom::Named | ScoresFrom::Top => ScoringRoute::new(&connected, &args.server, Scoring::Letter)?,
    };
    let (chats, texts): (Vec<&LogprobRow>, Vec<&LogprobRow>) =
        rows.iter().partition(|row| matches!(row.prompt, Prompt::Messages(_)));
    let mut scored: Vec<(usize, Scored)> = Vec::new();
    for (rows, raw) in [(chats, false), (texts, true)] {
        if rows.is_empty() {
            continue;
        }
        if raw && way.route == Route::Chat {
            let problem = "a raw `prompt` cannot be sent to the server as a chat; give `messages`, or --chat-template \
                           none";
            problems.extend(rows.iter().map(|row| RowProblem { line: row.line, problem: problem.to_string() }));
            continue;
        }
        let answers = ask(args, &connected, way, &rows, raw);
        scored.extend(rows.iter().map(|row| row.line).zip(answers));
    }
    scored.sort_by_key(|(line, _)| *line);
    let mut done = 0;
    for (line, scores) in scored {
        let Some(row) = rows.iter().find(|row| row.line == line) else { continue };
        match scores {
            Ok((scores, prompt_ids)) => {
                output.write(&row_of(row, scores, prompt_ids))?;
                done += 1;
            }
            Err(failure) => problems.push(RowProblem { line, problem: failure.message }),
        }
    }
    output.close()?;
    problems.sort_by_key(|problem| problem.line);
    problems.iter().for_each(|problem| eprintln!("{}, {problem}", stdin::name(&args.input)));
    if problems.is_empty() {
        return Ok(Outcome::Done);
    }
    eprintln!("{} scored, {} failed", counted(done as usize, "row"), problems.len());
    Ok(Outcome::Incomplete)
}

/// Scores rows, with one result per row in order.
fn ask(args: &Args, connected: &Connected, way: ScoringRoute, rows: &[&LogprobRow], raw: bool) -> Vec<Scored> {
    let ask = |row: &&LogprobRow| {
        let messages = match &row.prompt {
            Prompt::Messages(messages) => messages.clone(),
            Prompt::Text(text) => vec![Message::user(text)],
        };
        let prompt = Shown { messages, answer_prefix: row.answer_prefix.clone(), ..Shown::default() };
        Ask { prompt, continuations: row.continuations.clone() }
    };
    let inquiry = Inquiry::new(rows.iter().map(ask));
    let template = connected.text.template.as_ref().filter(|_| !raw && way.route == Route::Completions);
    let setup = way.setup(connected, template, &connected.variables, args.server.strict_server);
    let setup = ServerSetup {
        prompts: PromptWriter { now: args.date.map(|date| date.at(0, 0, 0, 0)), ..setup.prompts },
        ..setup
    };
    let prompts = setup.prompts;
    let shown = ShownProgress::new();
    let answers = inquiry.scores(setup, shown.tracker(), &mut shown.counting("asking", "rows"));
    let of_row =
        |(number, answer): (usize, Result<AskScores, Failure>)| Ok((answer?, inquiry.prompt_ids(number, &prompts)));
    answers.into_iter().enumerate().map(of_row).collect()
}

fn row_of(row: &LogprobRow, scores: AskScores, prompt_ids: Option<Vec<u32>>) -> OutputRow<'_> {
    let results =
        scores.continuations.into_iter().map(|ContinuationScores { token_ids, scores, at_most }| OutputResult {
            token_ids,
            sum: (!scores.logprobs.is_empty()).then(|| scores.sum()),
            logprobs: scores.logprobs,
            at_most,
        });
    OutputRow { id: &row.id, prompt_tokens: scores.prompt_tokens, prompt_ids, results: results.collect() }
}
