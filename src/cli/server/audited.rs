//! Asks trials of a finished run again, to find how far the server's numbers move.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{SystemTime, UNIX_EPOCH};

use super::connect::Connected;
use super::served::ServedWorkload;
use crate::backend::{Answerer, Backend, BackendError, Replies, Server, ServerSetup, TrialReplies};
use crate::counted::counted;
use crate::run::{Audit, AuditSummary, Cell, Compared, Conditions, RunFolder, Shard};
use crate::server::{Client, Program, ServerName};
use crate::terminal::progress::Shown;
use crate::trial::Settings;

/// Trials of an audit, unless another number is named.
const USUAL: usize = 64;

/// Consecutive trials without an answer that end an audit.
const IN_A_ROW: usize = 3;

/// Returns how many trials of a run to ask again; `Err` with the reason, if it is to be said, for none.
pub fn audit_wanted(given: Option<usize>, name: &ServerName, settings: &Settings) -> Result<usize, Option<String>> {
    let sampled = settings.writing.as_ref().is_some_and(|writing| writing.temperature > 0.0);
    match given {
        Some(0) => Err(None),
        _ if sampled => Err(Some(
            "sampled replies are not audited: they differ by themselves (--temperature 0 is greedy)".to_string(),
        )),
        Some(wanted) => Ok(wanted),
        None if name.is_near() => Ok(USUAL),
        None => Err(Some(format!(
            "not audited: {} is not an address of this machine or its network, so that requests may cost money; --audit N asks \
             N trials again and says how far numbers move",
            name.place()
        ))),
    }
}

/// The end of an audit.
pub enum Audited {
    /// It is complete.
    Done(AuditSummary),
    /// It was interrupted; the same command continues.
    Stopped,
    /// The server stopped answering, or never did, as this says; the same command continues.
    Broken(String),
}

/// One way of asking a trial: its condition and the client for it.
type Step = (Cell, Client);

/// What came of asking a trial: its answer if any, and the tokens and cached tokens it took.
type Outcome = (Cell, Result<Option<TrialReplies<Replies>>, BackendError>, (usize, Option<usize>));

/// Asks trials of a run again whose records are complete, unless that is done.
pub fn audit(
    connected: &Connected,
    setup: &ServerSetup<'_>,
    (workload, shard): (&ServedWorkload<'_>, Option<Shard>),
    folder: &RunFolder,
    wanted: usize,
    stop: &AtomicBool,
) -> anyhow::Result<Audited> {
    let run = workload.run(shard);
    let program = connected.facts.controlled;
    let mut audit = Audit::of_answered(&run, folder, wanted)?;
    let in_flight = setup.concurrency.min(audit.trials.len()).max(1);
    let shown = Shown::new();
    let conditions = in_flight.min(2) * if program.is_some() { 2 } else { 1 };
    shown.tracker().count("asking trials again", audit.trials.len() * conditions, "requests");
    for workers in [1, in_flight].into_iter().take(in_flight.min(2)) {
        let steps = steps(program, &connected.client, workers > 1);
        let todo = audit.trials.iter().copied().filter(|&trial| steps.iter().any(|(cell, _)| !audit.has(*cell, trial)));
        let asking = Asking { setup, workload, steps: &steps, program, stop };
        let todo: VecDeque<usize> = todo.collect();
        shown.tracker().step((audit.trials.len() - todo.len()) * steps.len());
        let mut took = |outcome| {
            shown.tracker().step(1);
            let (cell, reply, tokens): (Cell, TrialReplies<Replies>, _) = outcome;
            audit.add(cell, workload.prepared.chat, reply, tokens)
        };
        let broken = asking.ask(todo, workers, &mut took)?;
        if broken.is_some() || stop.load(Ordering::Relaxed) {
            audit.write()?;
            return Ok(broken.map_or(Audited::Stopped, |error| Audited::Broken(error.to_string())));
        }
    }
    let trials = audit.trials.len();
    let summary = audit.finish(Conditions {
        compared: Compared::Server,
        cache: program.map(|program| program.control().to_string()),
        in_flight,
        remedy: program.map(|program| program.remedy().to_string()),
    })?;
    let none = || Audited::Broken(format!("of {} none was answered again", counted(trials, "trial")));
    Ok(summary.map_or_else(none, Audited::Done))
}

/// The conditions of one load: first cold, then with what that left in the cache.
fn steps(program: Option<Program>, client: &Client, loaded: bool) -> Vec<Step> {
    let cells = match loaded {
        false => [Cell::Alone, Cell::ColdAlone, Cell::CachedAlone],
        true => [Cell::Loaded, Cell::ColdLoaded, Cell::CachedLoaded],
    };
    let Some(program) = program else { return vec![(cells[0], client.clone())] };
    // A server keeps its cache from one command to the next.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let (cold, cached) = program.clients(client, &format!("{now} {} {loaded}", std::process::id()));
    vec![(cells[1], cold), (cells[2], cached)]
}

struct Asking<'a, 'w> {
    setup: &'a ServerSetup<'a>,
    workload: &'a ServedWorkload<'w>,
    steps: &'a [Step],
    program: Option<Program>,
    stop: &'a AtomicBool,
}

impl Asking<'_, '_> {
    /// Asks trials in turn, each in all steps, by so many workers; `took` receives each answer. Returns why it ended
    /// early, if the server stopped answering.
    fn ask<E>(
        &self,
        todo: VecDeque<usize>,
        workers: usize,
        took: &mut dyn FnMut((Cell, TrialReplies<Replies>, (usize, Option<usize>))) -> Result<(), E>,
    ) -> Result<Option<BackendError>, E> {
        let (todo, ended) = (Mutex::new(todo), AtomicBool::new(false));
        let (sender, outcomes) = mpsc::channel::<Outcome>();
        let (mut broken, mut in_a_row) = (None, 0);
        // While others are in flight, a cache cannot be emptied.
        let flush = |client: &Client| self.program.map_or(Ok(()), |program| program.flush(client));
        if workers > 1
            && let Err(error) = flush(&self.setup.client)
        {
            return Ok(Some(error.into()));
        }
        std::thread::scope(|scope| {
            for _ in 0..workers {
                let (sender, todo, ended) = (sender.clone(), &todo, &ended);
                scope.spawn(move || {
                    let stopped = || ended.load(Ordering::Relaxed) || self.stop.load(Ordering::Relaxed);
                    let mut servers: Vec<(Cell, Server<'_>)> =
                        self.steps.iter().map(|(cell, client)| (*cell, self.server(client))).collect();
                    while !stopped() {
                        let next = todo.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                        let Some(trial) = next else { break };
                        for (cell, server) in &mut servers {
                            let flushed = match cell {
                                Cell::ColdAlone => flush(&self.setup.client),
                                _ => Ok(()),
                            };
                            let answer = flushed.map_err(BackendError::from);
                            let (answer, tokens) = match answer {
                                Ok(()) => one(server, trial, &stopped),
                                Err(error) => (Err(error), (0, None)),
                            };
                            let failed = answer.is_err();
                            if sender.send((*cell, answer, tokens)).is_err() || failed {
                                break;
                            }
                        }
                    }
                });
            }
            drop(sender);
            for (cell, answer, tokens) in outcomes {
                match answer {
                    Ok(Some(reply)) => {
                        in_a_row = 0;
                        took((cell, reply, tokens)).inspect_err(|_| ended.store(true, Ordering::Relaxed))?;
                    }
                    Ok(None) => {}
                    Err(error) => {
                        in_a_row += 1;
                        broken = Some(error);
                        if in_a_row >= IN_A_ROW {
                            ended.store(true, Ordering::Relaxed);
                        }
                    }
                }
            }
            Ok(())
        })?;
        Ok(broken)
    }

    fn server(&self, client: &Client) -> Server<'_> {
        let setup = ServerSetup { client: client.clone(), concurrency: 1, ..self.setup.clone() };
        Server::new(setup, &self.workload.asked, &self.workload.prepared)
    }
}

/// Asks one trial; returns its answer, unless stopped, and the tokens it took.
fn one(
    server: &mut Server<'_>,
    trial: usize,
    stopped: &dyn Fn() -> bool,
) -> (Result<Option<TrialReplies<Replies>>, BackendError>, (usize, Option<usize>)) {
    let before = server.timing();
    let mut answer = None;
    let mut on_reply = |reply| {
        answer = Some(reply);
        ControlFlow::Continue(())
    };
    let mut after_step = |_: &_| if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let ended = server.answer(&[trial], &mut on_reply, &mut after_step);
    let after = server.timing();
    let cached = after.cached_tokens.map(|cached| cached - before.cached_tokens.unwrap_or(0));
    (ended.map(|_| answer), (after.tokens - before.tokens, cached))
}
