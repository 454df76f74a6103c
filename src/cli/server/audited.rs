//! Asks trials of a finished run again, to find how far the server's numbers move.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{SystemTime, UNIX_EPOCH};

use super::connect::Connected;
use super::served::ServedWorkload;
use crate::backend::{Answerer, Backend, BackendError, Peer, Replies, Server, ServerSetup, TrialReplies};
use crate::counted::counted;
use crate::run::{Audit, AuditSummary, Cell, Compared, Conditions, RunFolder, Shard};
use crate::safe_text::for_terminal;
use crate::server::{Client, Program};
use crate::terminal::progress::Shown;
use crate::trial::Settings;

/// Trials of an audit, unless another number is named.
const USUAL: usize = 64;

/// Consecutive trials without an answer that end an audit.
const IN_A_ROW: usize = 3;

/// Returns how many trials of a run to ask again; `Err` with the reason, if it is to be said, for none.
pub fn audit_wanted(given: Option<usize>, connected: &Connected, settings: &Settings) -> Result<usize, Option<String>> {
    let sampled = settings.writing.as_ref().is_some_and(|writing| writing.temperature > 0.0);
    let far = connected.clients().map(Client::server).find(|server| !server.is_near());
    match (given, far) {
        (Some(0), _) => Err(None),
        _ if sampled => Err(Some(
            "sampled replies are not audited: they differ by themselves (--temperature 0 is greedy)".to_string(),
        )),
        (Some(wanted), _) => Ok(wanted),
        (None, None) => Ok(USUAL),
        (None, Some(far)) => Err(Some(format!(
            "not audited: {} is not an address of this machine or its network, so that requests may cost money; --audit N asks \
             N trials again and says how far numbers move",
            far.place()
        ))),
    }
}

/// The end of an audit.
pub enum Audited {
    /// It is complete.
    Done(Box<AuditSummary>),
    /// It was interrupted; the same command continues.
    Stopped,
    /// The servers stopped answering, or never did, as this says; the same command continues.
    Broken(String),
}

/// One of the servers of a run.
struct Target<'a> {
    setup: ServerSetup<'a>,
    /// Its name in the lines, where there are several.
    named: Option<String>,
}

/// An answer, with its condition, the server that gave it, and the tokens and cached tokens it took.
struct Answer {
    cell: Cell,
    server: Option<String>,
    replies: TrialReplies<Replies>,
    tokens: (usize, Option<usize>),
}

/// What came of asking a server a trial under a condition; nothing where it was stopped.
type Outcome = (usize, Result<Option<Answer>, BackendError>);

/// Asks trials of a run again whose records are complete, unless that is done. Several servers are dealt the trials in
/// turn, whichever of them answered in the run; the trials of one that fails are asked at the others.
pub fn audit(
    connected: &Connected,
    setup: &ServerSetup<'_>,
    (workload, shard): (&ServedWorkload<'_>, Option<Shard>),
    folder: &RunFolder,
    wanted: usize,
    stop: &AtomicBool,
) -> anyhow::Result<Audited> {
    let run = workload.run(shard);
    let program = connected.program();
    let targets = targets(connected, setup);
    let mut failed: Vec<Option<String>> = targets.iter().map(|target| unreachable(target, targets.len())).collect();
    let mut audit = Audit::of_answered(&run, folder, wanted)?;
    let (in_flight, conditions) = connected.audit_load(audit.trials.len());
    let shown = Shown::new();
    shown.tracker().count("asking trials again", audit.trials.len() * conditions, "requests");
    for workers in [1, in_flight].into_iter().take(in_flight.min(2)) {
        let cells = cells(program, workers > 1);
        let is_open = |audit: &Audit<'_>, trial: usize| cells.iter().any(|cell| !audit.has(*cell, trial));
        let done = audit.trials.iter().filter(|&&trial| !is_open(&audit, trial)).count();
        shown.tracker().step(done * cells.len());
        let asking = Asking { targets: &targets, workload, program, cells: &cells, stop };
        loop {
            let mut queues = vec![VecDeque::new(); targets.len()];
            for (turn, &trial) in audit.trials.iter().enumerate().filter(|(_, trial)| is_open(&audit, **trial)) {
                let mut turns = (0..targets.len()).map(|next| (turn + next) % targets.len());
                if let Some(server) = turns.find(|&server| failed[server].is_none()) {
                    queues[server].push_back(trial);
                }
            }
            let mut took = |Answer { cell, server, replies, tokens }| {
                shown.tracker().step(1);
                audit.add(cell, server, workload.prepared.chat, replies, tokens)
            };
            let broken = asking.ask(queues, workers, &mut took)?;
            if stop.load(Ordering::Relaxed) {
                audit.write()?;
                return Ok(Audited::Stopped);
            }
            if broken.is_empty() {
                break;
            }
            broken.into_iter().for_each(|(server, error)| failed[server] = Some(error.to_string()));
        }
        let open = audit.trials.iter().any(|&trial| is_open(&audit, trial));
        if let Some(why) = failed.iter().flatten().next_back().filter(|_| open && failed.iter().all(Option::is_some)) {
            audit.write()?;
            return Ok(Audited::Broken(why.clone()));
        }
    }
    for (target, why) in targets.iter().zip(&failed) {
        if let (Some(server), Some(why)) = (&target.named, why) {
            eprintln!("warning: the audit leaves out {}: {}", for_terminal(server), for_terminal(why));
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
    Ok(summary.map_or_else(none, |summary| Audited::Done(Box::new(summary))))
}

fn targets<'a>(connected: &Connected, setup: &ServerSetup<'a>) -> Vec<Target<'a>> {
    let peers = connected.peers();
    let name = |client: &Client| (!peers.is_empty()).then(|| client.server().base().to_string());
    let first = Target { named: name(&setup.client), setup: setup.clone() };
    let others = peers.iter().map(|Peer { client, answered, version }| {
        let (named, client) = (name(client), client.clone());
        let (answered, version) = (answered.clone(), version.clone());
        Target { named, setup: ServerSetup { client, answered, version, ..setup.clone() } }
    });
    std::iter::once(first).chain(others).collect()
}

/// Says why one of several servers cannot be asked: one that died in the run would be tried again for long.
fn unreachable(target: &Target<'_>, servers: usize) -> Option<String> {
    if servers == 1 {
        return None;
    }
    let client = target.setup.client.with_retries(0);
    // One that the run left out is stopped.
    client.go_on();
    client.get("/models").err().map(|error| error.to_string())
}

/// The conditions of one load: first cold, then with what that left in the cache.
fn cells(program: Option<Program>, loaded: bool) -> Vec<Cell> {
    match (program, loaded) {
        (None, false) => vec![Cell::Alone],
        (None, true) => vec![Cell::Loaded],
        (Some(_), false) => vec![Cell::ColdAlone, Cell::CachedAlone],
        (Some(_), true) => vec![Cell::ColdLoaded, Cell::CachedLoaded],
    }
}

struct Asking<'a, 'w> {
    targets: &'a [Target<'a>],
    workload: &'a ServedWorkload<'w>,
    program: Option<Program>,
    cells: &'a [Cell],
    stop: &'a AtomicBool,
}

impl Asking<'_, '_> {
    /// Asks each server its queue of trials, each of them in all conditions, by so many workers; `took` receives each
    /// answer. Returns the servers that stopped answering, with the reason.
    fn ask<E>(
        &self,
        queues: Vec<VecDeque<usize>>,
        workers: usize,
        took: &mut dyn FnMut(Answer) -> Result<(), E>,
    ) -> Result<BTreeMap<usize, BackendError>, E> {
        let mut broken = BTreeMap::new();
        let mut in_a_row = vec![0; self.targets.len()];
        let ended: Vec<AtomicBool> = self.targets.iter().map(|_| AtomicBool::new(false)).collect();
        let queues: Vec<Mutex<VecDeque<usize>>> = queues.into_iter().map(Mutex::new).collect();
        let (sender, outcomes) = mpsc::channel::<Outcome>();
        std::thread::scope(|scope| {
            for (number, (target, queue)) in self.targets.iter().zip(&queues).enumerate() {
                if queue.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
                    continue;
                }
                // While others are in flight, a cache cannot be emptied.
                if workers > 1
                    && let Err(error) = self.flush(target)
                {
                    broken.insert(number, error);
                    continue;
                }
                let clients = self.clients(target, workers > 1);
                for _ in 0..workers {
                    let (sender, ended, clients) = (sender.clone(), &ended[number], clients.clone());
                    scope.spawn(move || self.work(number, queue, &clients, &sender, ended));
                }
            }
            drop(sender);
            for (number, outcome) in outcomes {
                match outcome {
                    Ok(answer) => {
                        in_a_row[number] = 0;
                        let took = answer.map_or(Ok(()), &mut *took);
                        took.inspect_err(|_| ended.iter().for_each(|ended| ended.store(true, Ordering::Relaxed)))?;
                    }
                    Err(error) => {
                        in_a_row[number] += 1;
                        broken.insert(number, error);
                        if in_a_row[number] >= IN_A_ROW {
                            ended[number].store(true, Ordering::Relaxed);
                        }
                    }
                }
            }
            Ok(())
        })?;
        Ok(broken)
    }

    /// Asks a server the trials of a queue, one after the other.
    fn work(
        &self,
        number: usize,
        queue: &Mutex<VecDeque<usize>>,
        clients: &[Client],
        sender: &mpsc::Sender<Outcome>,
        ended: &AtomicBool,
    ) {
        let target = &self.targets[number];
        let stopped = || ended.load(Ordering::Relaxed) || self.stop.load(Ordering::Relaxed);
        let server = |client: &Client| {
            let setup = ServerSetup { client: client.clone(), concurrency: 1, ..target.setup.clone() };
            Server::new(setup, &self.workload.asked, &self.workload.prepared)
        };
        let mut servers: Vec<Server<'_>> = clients.iter().map(server).collect();
        while !stopped() {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(trial) = next else { break };
            for (&cell, server) in self.cells.iter().zip(&mut servers) {
                let flushed = if cell == Cell::ColdAlone { self.flush(target) } else { Ok(()) };
                let found = flushed.and_then(|()| one(server, trial, &stopped));
                let answer = |(replies, tokens)| Answer { cell, server: target.named.clone(), replies, tokens };
                let outcome = found.map(|found| found.map(answer));
                let failed = outcome.is_err();
                if sender.send((number, outcome)).is_err() || failed {
                    break;
                }
            }
        }
    }

    fn flush(&self, target: &Target<'_>) -> Result<(), BackendError> {
        Ok(self.program.map_or(Ok(()), |program| program.flush(&target.setup.client))?)
    }

    /// Clients for the conditions, in their order.
    fn clients(&self, target: &Target<'_>, loaded: bool) -> Vec<Client> {
        let client = &target.setup.client;
        let Some(program) = self.program else { return vec![client.clone()] };
        // A server keeps its cache from one command to the next.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let (cold, cached) = program.clients(client, &format!("{now} {} {loaded}", std::process::id()));
        vec![cold, cached]
    }
}

/// What a server answered to a trial, with the tokens and cached tokens it took.
type Found = (TrialReplies<Replies>, (usize, Option<usize>));

/// Asks one trial; returns its answer, unless stopped.
fn one(server: &mut Server<'_>, trial: usize, stopped: &dyn Fn() -> bool) -> Result<Option<Found>, BackendError> {
    let before = server.timing();
    let mut answer = None;
    let mut on_reply = |reply| {
        answer = Some(reply);
        ControlFlow::Continue(())
    };
    let mut after_step = |_: &_| if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    server.answer(&[trial], &mut on_reply, &mut after_step).map(drop)?;
    let after = server.timing();
    let cached = after.cached_tokens.map(|cached| cached - before.cached_tokens.unwrap_or(0));
    Ok(answer.map(|answer| (answer, (after.tokens - before.tokens, cached))))
}
