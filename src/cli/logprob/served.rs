//! `tomeval logprob` by a server.

use std::ops::ControlFlow;

use serde::Serialize;
use tomeval::backend::{
    AskKeeper, AskScores, Backend, ContinuationScores, PromptWriter, Route, Server, ServerSetup, TrialAsks,
};
use tomeval::model::TemplateVariables;
use tomeval::prompt::{Ask, Message, Prompt as Shown, Scoring};
use tomeval::record::Failure;

use super::rows::{Prompt, Row, RowProblem, read};
use super::{Args, Output};
use crate::cli::progress::Shown as ShownProgress;
use crate::cli::server::{Connected, ScoresFrom, Way};
use crate::cli::{Outcome, stdin};

#[derive(Serialize)]
struct OutputRow<'a> {
    id: &'a serde_json::Value,
    prompt_tokens: usize,
    /// Null, as the tokens of continuations are, where no tokenizer is known.
    prompt_ids: Option<Vec<u32>>,
    results: Vec<OutputResult>,
}

#[derive(Serialize)]
struct OutputResult {
    token_ids: Option<Vec<u32>>,
    logprobs: Vec<f32>,
    /// Null where the server gives none.
    sum: Option<f64>,
    /// What it is at most, then.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<f32>,
}

/// Scores of a row and the tokens of its prompt, or why there are none.
type Scored = Result<(AskScores, Option<Vec<u32>>), Failure>;

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let (rows, mut problems) = read(&args.input)?;
    let mut output = Output::open(args.output.as_deref())?;
    let connected = Connected::open(args.model.name(), args.model.offline, &args.server, &args.template)?;
    let from = args.server.scores_from.unwrap_or_default();
    let way = match from {
        ScoresFrom::Auto => Way::of(&connected, &args.server, Scoring::Text).or_else(|why| {
            eprintln!("note: {why:#}; continuations of one token alone are scored");
            Way::of(&connected, &args.server, Scoring::Letter)
        })?,
        ScoresFrom::Prompt => Way::of(&connected, &args.server, Scoring::Text)?,
        ScoresFrom::Named | ScoresFrom::Top => Way::of(&connected, &args.server, Scoring::Letter)?,
    };
    let (chats, texts): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| matches!(row.prompt, Prompt::Messages(_)));
    let mut scored: Vec<(usize, Scored)> = Vec::new();
    for (rows, raw) in [(chats, false), (texts, true)] {
        if rows.is_empty() {
            continue;
        }
        if raw && way.route == Route::Chat {
            let problem = "a `prompt` is continued as it stands, and the server is asked by chats; give `messages`, or --chat-template none";
            problems.extend(rows.iter().map(|row| RowProblem { line: row.line, problem: problem.to_string() }));
            continue;
        }
        let answers = ask(args, &connected, way, &rows, raw)?;
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
    eprintln!("{done} rows scored, {} failed", problems.len());
    Ok(Outcome::Incomplete)
}

/// The scores of rows, one each in their order.
fn ask(args: &Args, connected: &Connected, way: Way, rows: &[&Row], raw: bool) -> anyhow::Result<Vec<Scored>> {
    let mut keeper = AskKeeper::default();
    let asked: Vec<Result<TrialAsks, Failure>> = rows
        .iter()
        .map(|row| {
            let messages = match &row.prompt {
                Prompt::Messages(messages) => messages.clone(),
                Prompt::Text(text) => vec![Message::user(text)],
            };
            let prompt = Shown { messages, answer_prefix: row.answer_prefix.clone(), ..Shown::default() };
            let ask = keeper.keep(Ask { prompt, continuations: row.continuations.clone() });
            Ok(TrialAsks {
                story: String::new(),
                draws: 1,
                labels: keeper.list(Vec::new()),
                asks: vec![ask],
                most_tokens: 0,
                together: None,
            })
        })
        .collect();
    let template = connected.text.template.as_ref().filter(|_| !raw && way.route == Route::Completions);
    let variables: TemplateVariables = connected.variables.clone();
    let prompts = PromptWriter {
        route: way.route,
        template,
        variables: &variables,
        now: args.date.map(|date| date.at(0, 0, 0, 0)),
        tokenizer: connected.text.tokenizer.as_ref().map(|(tokenizer, _)| tokenizer),
        merge_system: way.route == Route::Chat && !connected.abilities.system,
        context_length: connected.listed().and_then(|listed| listed.context),
        server_begins: connected.server_begins(),
    };
    let shown = ShownProgress::new();
    let prepared = prompts.prepare(&asked, way.mode, shown.tracker());
    let setup = ServerSetup {
        client: connected.client.clone(),
        model: connected.model.clone(),
        mode: way.mode,
        draws: None,
        prompts,
        concurrency: connected.concurrency,
        answered: connected.abilities.answered.clone(),
        version: None,
        strict: args.server.strict_server,
    };
    let mut server = Server::new(setup, &asked, &prepared);
    let trials: Vec<usize> = prepared.batches.concat();
    let mut answers: Vec<Option<Result<AskScores, Failure>>> =
        prepared.failures.iter().map(|failure| failure.clone().map(Err)).collect();
    shown.tracker().count("asking", trials.len(), "rows");
    let mut on_reply = |replies: tomeval::backend::TrialReplies| {
        shown.tracker().step(1);
        let scores = replies.replies.map(|mut replies| replies.pop());
        answers[replies.trial] = match scores {
            Ok(reply) => reply.and_then(|reply| reply.scores("server").ok()).map(Ok),
            Err(failure) => Some(Err(failure)),
        };
        ControlFlow::Continue(())
    };
    let ended = server.answer_each(&trials, &mut on_reply, &mut |_| ControlFlow::Continue(()));
    let failed = ended.err().map(|error| error.to_string());
    let missing = || Failure {
        kind: tomeval::record::FailureKind::Server,
        message: failed.clone().unwrap_or_else(|| "the server gives no answer".to_string()),
    };
    let of_row = |(answer, asked): (Option<Result<AskScores, Failure>>, &Result<TrialAsks, Failure>)| {
        let prompt = asked.as_ref().ok().and_then(|asked| asked.asks.first());
        let prompt_ids = prompt.and_then(|ask| prompts.prompt_ids(ask));
        answer.unwrap_or_else(|| Err(missing())).map(|scores| (scores, prompt_ids))
    };
    Ok(answers.into_iter().zip(&asked).map(of_row).collect())
}

fn row_of(row: &Row, scores: AskScores, prompt_ids: Option<Vec<u32>>) -> OutputRow<'_> {
    let results =
        scores.continuations.into_iter().map(|ContinuationScores { token_ids, scores, at_most }| OutputResult {
            token_ids,
            sum: (!scores.logprobs.is_empty()).then(|| scores.sum()),
            logprobs: scores.logprobs,
            at_most,
        });
    OutputRow { id: &row.id, prompt_tokens: scores.prompt_tokens, prompt_ids, results: results.collect() }
}
