//! A run on a server's model.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::ending::{Asked, Ending, to_go_on, worked};
use super::{Args, Asker, Request, ask_all, check_shard};
use crate::backend::{ReplyDraws, Server, ServerSetup};
use crate::cli::Outcome;
use crate::cli::reading::{note_start, print_mixed, print_warnings};
use crate::cli::reminders::note_other_model;
use crate::cli::server::{Audited, ScoringRoute, Served, ServedWorkload, audit, audit_wanted, forgets};
use crate::ledger::FolderError;
use crate::run::{
    Answering, Audit, Beginning, Begun, Manifest, Model, RunError, RunFolder, ServerAtEnd, Shard, Timings,
    WorkloadError, begin, read_earlier,
};
use crate::safe_text::for_terminal;
use crate::server::Draws;
use crate::terminal::progress::{RunProgress, Shown};
use crate::terminal::say;
use crate::terminal::{interrupt, time_summary};
use crate::trial::{EarlierTexts, KeptAsk, RunPart, Settings};

pub fn run(request: &Request) -> anyhow::Result<Outcome> {
    let Request { args, shard, out, .. } = request;
    let shard = *shard;
    let mut served = Served::new(&args.workload, Some(&args.reading))?;
    served.questions.name.clone_from(&args.name);
    check_shard(shard, &served.questions.variants)?;
    let ending = Ending { request, questions: &served.questions };
    let stop = interrupt::stop_after("request");
    ask_all(&mut There { args, served: &served, ending, shard, stop, read_whole: 0 }, ending, &[None], out.as_deref())
}

/// A server's model.
struct There<'a> {
    args: &'a Args,
    served: &'a Served,
    ending: Ending<'a>,
    shard: Option<Shard>,
    stop: Arc<AtomicBool>,
    /// Bytes of the longest prompt that the server was seen to read whole.
    read_whole: usize,
}

impl<'a> Asker<'a> for There<'a> {
    fn earlier(&self, _: &RunPart, _: &Settings, folder: &Path) -> anyhow::Result<EarlierTexts> {
        Ok(read_earlier(folder)?)
    }

    fn ask(
        &mut self,
        _: usize,
        settings: &Settings,
        earlier: Option<&EarlierTexts>,
        out: Option<&Path>,
    ) -> anyhow::Result<Option<Asked<'a>>> {
        let There { args, served, ending, shard, .. } = &*self;
        let (args, served, ending, shard) = (*args, *served, *ending, *shard);
        let way = served.way(settings)?;
        let identity = way.identity(&served.connected);
        let trying = served.trying(settings, way);
        let audited = audit_wanted(args.workload.audit, &served.connected, settings);
        let needed = |folder: &Path| audited.is_ok() && !Audit::is_at(folder);
        let how = Beginning { shard, allow_mixed: args.allow_mixed, even_if_finished: Some(&needed) };
        let begun = {
            let _shown = Shown::from_tracker(Arc::clone(&served.tracker));
            begin(served.inputs(settings, earlier, way, &identity, Some(&trying)), out, how)
        };
        let begun = match begun {
            Err(WorkloadError::Folder(error)) if is_of_server(&error) => {
                eprintln!("tomeval: {}", for_terminal(&error.to_string()));
                if let FolderError::Mixed { path, .. } = &error {
                    eprintln!("{}", to_go_on(path));
                }
                return Ok(None);
            }
            begun => begun?,
        };
        let (workload, mut folder, asked) = match begun {
            Begun::Ready(workload, folder) => (workload, folder, false),
            // The trials are all there; those of the audit are not.
            Begun::Again(workload, folder) => (workload, folder, true),
            Begun::Finished(folder) => return ending.of_complete(&folder, "asked"),
        };
        let out = folder.path().to_path_buf();
        note_start(&folder)?;
        note_other_model(folder.settled());
        print_mixed(folder.mixed());
        if args.workload.server.strict_server
            && let Err(error) = served.is_as_begun(folder.settled())
        {
            eprintln!("tomeval: {error}");
            eprintln!("{}", to_go_on(&out));
            return Ok(None);
        }
        workload.unasked().iter().for_each(|unasked| eprintln!("{}", for_terminal(unasked)));
        say(for_terminal(&served.description(settings, way, &workload)));
        let setup = self.setup(settings, &workload);
        if !asked {
            self.check_lengths(settings, way, &workload)?;
            let timings = self.execute(&setup, &workload, &mut folder);
            if let Err(error @ RunError::Broken { done: 0, reason, .. }) = &timings
                && matches!(**reason, RunError::Backend(_))
            {
                anyhow::bail!("{}", for_terminal(&error.to_string()));
            }
            if worked(timings, &out, time_summary::of_server)?.is_none() {
                return Ok(None);
            }
        }
        let mut whole = true;
        match audited {
            Err(None) => {}
            Err(Some(why)) => eprintln!("note: {}", for_terminal(&why)),
            Ok(wanted) => match audit(&served.connected, &setup, (&workload, shard), &folder, wanted, &self.stop)? {
                Audited::Done(summary) => say(for_terminal(&summary.report())),
                Audited::Stopped => {
                    eprintln!("{}", to_go_on(&out));
                    return Ok(None);
                }
                Audited::Broken(why) => {
                    let why = for_terminal(&why);
                    eprintln!("warning: the audit is not complete: {why}; the same command continues it");
                    whole = false;
                }
            },
        }
        print_warnings(folder.warnings());
        served.note_end(&folder)?;
        let mut done = ending.finish(&folder)?;
        if let Some(done) = done.as_mut() {
            let changes = done.report.as_ref().map(|report| report.read.server_changes()).unwrap_or_default();
            for change in &changes {
                eprintln!("warning: the server changed during the run: {}", for_terminal(change));
            }
            if !whole || !changes.is_empty() {
                done.outcome = Outcome::Incomplete;
            }
        }
        Ok(done)
    }
}

impl There<'_> {
    /// Checks once that the server reads prompts as long as the longest trial.
    fn check_lengths(
        &mut self,
        settings: &Settings,
        way: ScoringRoute,
        workload: &ServedWorkload<'_>,
    ) -> anyhow::Result<()> {
        let asked = workload.asked.iter().zip(&workload.prepared.failures).filter(|(_, failure)| failure.is_none());
        let asks = asked.filter_map(|(asked, _)| asked.as_ref().ok()).flat_map(|asked| &asked.asks);
        let longest = asks.map(KeptAsk::text_bytes).max().unwrap_or(0);
        if longest > self.read_whole {
            let check = || self.served.connected.reads_whole(way.route, &settings.template_variables, longest);
            let found = Shown::during("checking that long prompts are read whole", check)?;
            if found.repeats == Some(false) {
                eprintln!("note: {}", for_terminal(&forgets(&found)));
            }
            self.read_whole = longest;
        }
        Ok(())
    }

    fn execute(
        &self,
        setup: &ServerSetup<'_>,
        workload: &ServedWorkload<'_>,
        folder: &mut RunFolder,
    ) -> Result<Timings, RunError> {
        let peers = self.served.connected.peers();
        let begun = matches!(&folder.settled().model, Model::Server(model) if !model.identity.others.is_empty());
        let left_out = |why: &str| eprintln!("warning: {}; its trials are asked elsewhere", for_terminal(why));
        let mut server = Server::new(setup.clone(), &workload.asked, &workload.prepared).with_peers(
            &peers,
            begun || !peers.is_empty(),
            &left_out,
        );
        let mut progress = RunProgress::new();
        let work = workload.run(self.shard);
        work.execute(Answering::Trials(&mut server), folder, &self.stop, |now| progress.show(now))
    }

    fn setup<'w>(&self, settings: &Settings, workload: &'w ServedWorkload<'_>) -> ServerSetup<'w> {
        let connected = &self.served.connected;
        let work = workload.run(self.shard);
        let draws = settings.writing.as_ref().map(|writing| ReplyDraws {
            all: Draws {
                max_tokens: 0,
                temperature: writing.temperature,
                top_p: (writing.top_p < 1.0).then_some(writing.top_p),
                top_k: writing.top_k,
                min_p: (writing.min_p > 0.0).then_some(writing.min_p),
                repetition_penalty: (writing.repetition_penalty != 1.0).then_some(writing.repetition_penalty),
                stop: writing.stop.clone(),
                seed: None,
            },
            neutral: connected.abilities.neutral.clone(),
            seed: (writing.temperature > 0.0).then_some(settings.seed),
            requests: work.reply_requests(),
            budgets: writing.shorter_budgets(),
        });
        ServerSetup {
            client: connected.client.clone(),
            model: connected.model.clone(),
            mode: workload.prepared.mode,
            draws,
            prompts: workload.prompts(),
            concurrency: connected.concurrency,
            answered: connected.abilities.answered.clone(),
            version: connected.facts.version.clone(),
            strict: self.args.workload.server.strict_server,
        }
    }
}

/// Keys of a manifest that only a server's own word decides.
const SAID_BY_SERVER: [&str; 4] = ["model.answers_as", "model.root", "model.context", "model.quantization"];

/// Whether a run cannot be continued only because the server is another one now.
fn is_of_server(error: &FolderError) -> bool {
    let FolderError::Mixed { differences, .. } = error else { return false };
    let said = |difference: &String| {
        SAID_BY_SERVER.iter().any(|key| difference.strip_prefix(key).is_some_and(|rest| !rest.starts_with('_')))
    };
    differences.iter().all(said)
}

impl Served {
    /// Records what the server says of itself at the end. One that no longer answers is noted on stderr: the run is
    /// complete.
    fn note_end(&self, folder: &RunFolder) -> anyhow::Result<()> {
        let Model::Server(model) = &folder.settled().model else { return Ok(()) };
        let (facts, answered) = match self.connected.again() {
            Ok(again) => again,
            Err(error) => {
                let error = error.to_string();
                eprintln!("note: the server does not say who it is at the end: {}", for_terminal(&error));
                return Ok(());
            }
        };
        let listed = facts.models.iter().find(|listed| listed.name == self.connected.model).cloned();
        let said = ServerAtEnd {
            at: jiff::Timestamp::now().round(jiff::Unit::Second)?.to_string(),
            listed: facts.models.is_empty() || listed.is_some() || self.connected.listed().is_none(),
            answers_as: answered.model,
            program: facts.program,
            version: facts.version,
            fingerprint: answered.fingerprint,
            root: listed.as_ref().and_then(|listed| listed.root.clone()),
            context: listed.as_ref().and_then(|listed| listed.context),
            quantization: listed.and_then(|listed| listed.quantization),
            changed: Vec::new(),
        };
        Ok(folder.note_server(&said.since(&model.identity))?)
    }

    /// Checks that the server is the one with which the run began.
    fn is_as_begun(&self, begun: &Manifest) -> anyhow::Result<()> {
        let Model::Server(model) = &begun.model else { return Ok(()) };
        let begun = &model.identity;
        let (facts, answered) = (&self.connected.facts, &self.connected.abilities.answered);
        let pairs =
            [("version", &begun.version, &facts.version), ("fingerprint", &begun.fingerprint, &answered.fingerprint)];
        for (what, before, now) in pairs {
            let shown = |value: &Option<String>| value.clone().unwrap_or("none".to_string());
            anyhow::ensure!(
                before == now,
                "the server's {what} is now {} but was {} when the run began; --strict-server stops the run",
                for_terminal(&shown(now)),
                for_terminal(&shown(before))
            );
        }
        Ok(())
    }
}
