//! A run on a server's model.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::ending::{Asked, Ending, worked};
use super::{Args, Asker, ask_all, check_shard};
use crate::backend::{ReplyDraws, Server, ServerSetup};
use crate::cli::Outcome;
use crate::cli::reading::{note_start, print_mixed, print_warnings};
use crate::cli::server::{Served, ServedWorkload};
use crate::run::{Answering, Beginning, Begun, Manifest, Model, RunError, RunFolder, Shard, Timings, begin};
use crate::safe_text::for_terminal;
use crate::server::Draws;
use crate::terminal::progress::{RunProgress, Shown};
use crate::terminal::say;
use crate::terminal::{interrupt, time_summary};
use crate::trial::{EarlierTexts, Settings};

pub fn run(args: &Args, shard: Option<Shard>, out: Option<&Path>) -> anyhow::Result<Outcome> {
    anyhow::ensure!(
        args.verify_batching.is_none(),
        "--verify-batching needs local weights, which a server does not give; leave it out"
    );
    let mut served = Served::new(&args.workload, Some(&args.reading))?;
    served.questions.name.clone_from(&args.name);
    check_shard(shard, &served.questions.variants)?;
    let ending = Ending { args, questions: &served.questions };
    let stop = interrupt::stop_after("request");
    ask_all(&mut There { args, served: &served, ending, shard, stop }, ending, &[None], out)
}

/// A server's model.
struct There<'a> {
    args: &'a Args,
    served: &'a Served,
    ending: Ending<'a>,
    shard: Option<Shard>,
    stop: Arc<AtomicBool>,
}

impl<'a> Asker<'a> for There<'a> {
    fn ask(
        &mut self,
        _: usize,
        settings: &Settings,
        earlier: Option<&EarlierTexts>,
        out: Option<&Path>,
    ) -> anyhow::Result<Option<Asked<'a>>> {
        let There { args, served, ending, shard, .. } = &*self;
        let (served, shard) = (*served, *shard);
        let way = served.way(settings)?;
        let identity = way.identity(&served.connected);
        let trying = served.trying(settings, way);
        let how = Beginning { shard, allow_mixed: args.allow_mixed, even_if_finished: false };
        let begun = {
            let _shown = Shown::from_tracker(Arc::clone(&served.tracker));
            begin(served.inputs(settings, earlier, way, &identity, Some(&trying)), out, how)?
        };
        let (workload, mut folder) = match begun {
            Begun::Ready(workload, folder) => (workload, folder),
            Begun::Finished(folder) => return ending.of_complete(&folder, "asked"),
        };
        let out = folder.path().to_path_buf();
        note_start(&folder)?;
        print_mixed(folder.mixed());
        if args.workload.server.strict_server {
            served.is_as_begun(folder.settled())?;
        }
        workload.unasked().iter().for_each(|unasked| eprintln!("{}", for_terminal(unasked)));
        say(for_terminal(&served.description(settings, way, &workload)));
        let timings = self.execute(settings, &workload, &mut folder);
        if worked(timings, &out, time_summary::of_server)?.is_none() {
            return Ok(None);
        }
        print_warnings(folder.warnings());
        ending.finish(&folder)
    }
}

impl There<'_> {
    fn execute(
        &self,
        settings: &Settings,
        workload: &ServedWorkload<'_>,
        folder: &mut RunFolder,
    ) -> Result<Timings, RunError> {
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
        });
        let setup = ServerSetup {
            client: connected.client.clone(),
            model: connected.model.clone(),
            mode: workload.prepared.mode,
            draws,
            prompts: workload.prompts(),
            concurrency: connected.concurrency,
            answered: connected.abilities.answered.clone(),
            version: connected.facts.version.clone(),
            strict: self.args.workload.server.strict_server,
        };
        let mut server = Server::new(setup, &workload.asked, &workload.prepared);
        let mut progress = RunProgress::new();
        work.execute(Answering::Trials(&mut server), folder, &self.stop, |now| progress.show(now))
    }
}

impl Served {
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
