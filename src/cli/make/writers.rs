//! The models that a pipeline asks: local ones and those on servers, each under the name given.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use serde_json::{Map, Value, json};

use crate::arguments::compute::{Compute, Computing};
use crate::arguments::numbers::{TOKENS, within};
use crate::arguments::place::Place;
use crate::arguments::server_args::ServerArgs;
use crate::arguments::setup::{LoadedModel, ModelArgs};
use crate::arguments::template::TemplateArgs;
use crate::backend::{Answerer, BackendError, Generator, Replies, TextSetup, TrialReplies, WritingSetup};
use crate::decoder::Decoder;
use crate::engine::{GenerateProgress, Limits, MemoryCosts, Packing, Plan, fit_packing};
use crate::make::{Request, Writer, WriterFault, Written};
use crate::model::TemplateVariables;
use crate::progress::Tracker;
use crate::prompt::{Ask, Prompt};
use crate::record::Failure;
use crate::terminal::progress::Shown;
use crate::trial::{AskKeeper, GenerationSettings, ThinkingChoice, TrialAsks};

/// The date that chat templates print, so that the same command shows the same prompt on any day.
const DATE: jiff::civil::Date = jiff::civil::date(2025, 1, 1);

/// How the models of a pipeline write.
#[derive(Debug, Clone, clap::Args)]
pub struct WriterArgs {
    /// Maximum tokens of a reply.
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = within(TOKENS), help_heading = "Models")]
    pub max_new_tokens: usize,
    /// Sampling temperature; 0 always takes the most likely token.
    #[arg(long, value_name = "T", default_value_t = 0.0, help_heading = "Models")]
    pub temperature: f64,
    /// Use only files on this machine.
    #[arg(long, help_heading = "Models")]
    pub offline: bool,
    #[command(flatten)]
    pub compute: Compute,
    #[command(flatten)]
    pub server: ServerArgs,
    #[command(flatten)]
    pub template: TemplateArgs,
}

/// Open models by the names given, each once.
pub struct Writers {
    all: Vec<(String, Model)>,
}

/// An open model.
enum Model {
    Here(Box<Here>),
    #[cfg(feature = "server")]
    There(Box<there::There>),
}

impl Writers {
    /// Opens all models that a pipeline may ask: reads the small files of local ones, and asks servers what they can do.
    /// Weights are loaded when a model is first asked something that no reply is recorded for.
    pub fn open(args: &WriterArgs, names: &[&str], seed: u64) -> anyhow::Result<Self> {
        let mut writers = Writers { all: Vec::new() };
        let places = names.iter().map(|name| Place::from_name(name)).collect::<Result<Vec<_>, _>>()?;
        if places.iter().all(|place| *place == Place::Here) {
            args.server.check_without_server()?;
        }
        anyhow::ensure!(
            args.server.scores_from.is_none() && args.server.top_logprobs.is_none(),
            "--scores-from and --top-logprobs are for scores, but replies are written; leave them out"
        );
        let sampling = GenerationSettings { temperature: args.temperature, ..GenerationSettings::default() };
        sampling.check()?;
        for (&name, place) in names.iter().zip(places) {
            if writers.all.iter().any(|(known, _)| known == name) {
                continue;
            }
            let model = match place {
                Place::Here => {
                    let computing = writers.all.iter().find_map(|(_, model)| match model {
                        Model::Here(here) => Some(here.model.computing.clone()),
                        #[cfg(feature = "server")]
                        Model::There(_) => None,
                    });
                    Model::Here(Box::new(Here::open(args, name, seed, sampling.clone(), computing)?))
                }
                #[cfg(feature = "server")]
                Place::Server => Model::There(Box::new(there::There::open(args, name, seed)?)),
                #[cfg(not(feature = "server"))]
                Place::Server => anyhow::bail!("this build has no server support"),
            };
            writers.all.push((name.to_string(), model));
        }
        Ok(writers)
    }

    /// Returns the model of this name, which was given to [`Writers::open`]. The weights of other models are freed.
    pub fn of(&mut self, name: &str) -> anyhow::Result<&mut dyn Writer> {
        for (other, model) in &mut self.all {
            if let Model::Here(here) = model
                && other != name
            {
                here.decoder = None;
            }
        }
        let found = self.all.iter_mut().find(|(known, _)| known == name);
        match found.map(|(_, model)| model).with_context(|| format!("the model {name} was not opened"))? {
            Model::Here(here) => Ok(&mut **here),
            #[cfg(feature = "server")]
            Model::There(there) => Ok(&mut **there),
        }
    }

    /// Returns what a manifest says of the models in these roles, each with its name.
    pub fn identities(&mut self, roles: &[(&str, &str)]) -> anyhow::Result<Value> {
        let identity = |(role, name): &(&str, &str)| Ok((role.to_string(), self.of(name)?.identity().clone()));
        roles.iter().map(identity).collect::<anyhow::Result<Map<_, _>>>().map(Value::Object)
    }
}

/// A local model; its weights are loaded when it is first asked.
struct Here {
    model: LoadedModel,
    variables: TemplateVariables,
    sampling: GenerationSettings,
    seed: u64,
    identity: Value,
    decoder: Option<Decoder>,
}

impl Here {
    fn open(
        args: &WriterArgs,
        name: &str,
        seed: u64,
        sampling: GenerationSettings,
        computing: Option<Computing>,
    ) -> anyhow::Result<Self> {
        let model_args = ModelArgs {
            models: vec![name.to_string()],
            adapters: Vec::new(),
            offline: args.offline,
            compute: args.compute.clone(),
        };
        let mut model = match computing {
            Some(computing) => LoadedModel::open_on(&model_args, computing)?,
            None => LoadedModel::open(&model_args)?,
        };
        model.choose_template(&args.template, args.offline)?;
        let variables = args.template.writing(&model.files, &model.text, ThinkingChoice::Off)?;
        let (known, machine) = (model.identity()?, model.machine());
        let identity = json!({
            "name": known.name,
            "source": known.source,
            "revision": known.revision,
            "sha256": known.sha256,
            "device": machine.device,
            "dtype": machine.dtype,
            "template": model.chosen,
            "template_variables": variables,
            "sampling": sampled(args.temperature, seed),
        });
        Ok(Here { model, variables, sampling, seed, identity, decoder: None })
    }
}

/// Sampling settings as recorded; the seed has no effect without a temperature.
fn sampled(temperature: f64, seed: u64) -> Value {
    if temperature > 0.0 { json!({"temperature": temperature, "seed": seed}) } else { json!({"temperature": 0.0}) }
}

impl Writer for Here {
    fn name(&self) -> &str {
        &self.model.files.name
    }

    fn identity(&self) -> &Value {
        &self.identity
    }

    fn write(
        &mut self,
        requests: &[&Request],
        keys: &[&str],
        stop: &AtomicBool,
        on_reply: &mut dyn FnMut(usize, Written) -> ControlFlow<()>,
    ) -> Result<(), WriterFault> {
        let fault = |error: anyhow::Error| WriterFault::Model(format!("{error:#}"));
        let model = &self.model;
        let tokenizer = &model.text.tokenizer;
        let text = TextSetup {
            tokenizer,
            template: model.text.template.as_ref(),
            variables: &self.variables,
            switched_off: &self.variables,
            now: DATE.at(0, 0, 0, 0),
            context_length: model.spec.max_position,
        };
        let asked = asked(requests);
        let tracker = Tracker::default();
        let prepared = text.prepare(&asked, &tracker);
        let arithmetic = model.computing.arithmetic;
        let costs = MemoryCosts::new(&model.spec, arithmetic);
        let memory = model.memory();
        let packing = fit_packing(&prepared.requests, Packing::on(arithmetic), &costs, memory)
            .map_err(|error| WriterFault::Model(error.to_string()))?;
        let plan = Plan::tracked(&prepared.requests, packing, &costs, &tracker);
        let sampling = self.sampling.sampling(self.seed, tokenizer).map_err(|error| fault(error.into()))?;
        let decoder = match &mut self.decoder {
            Some(decoder) => decoder,
            none => none.insert(Shown::during("loading weights", || model.decoder()).map_err(fault)?),
        };
        let limits = Limits { pass_tokens: plan.packing.pass_tokens, memory, ..Limits::default() };
        let setup = WritingSetup { tokenizer, sampling, limits, requests: draws(requests, keys), budgets: Vec::new() };
        let mut generator = Generator::new(decoder, &prepared, &plan, setup);
        Ok(answered(&mut generator, requests.len(), stop, on_reply)?)
    }
}

/// Returns the requests as trials.
fn asked(requests: &[&Request]) -> Vec<Result<TrialAsks, Failure>> {
    let mut keeper = AskKeeper::default();
    let trial = |request: &&Request| {
        let prompt = Prompt { messages: request.messages.clone(), ..Prompt::default() };
        Ok(TrialAsks {
            story: request.id.clone(),
            draws: 1,
            labels: keeper.list(Vec::new()),
            asks: vec![keeper.keep(Ask { prompt, continuations: Vec::new() })],
            most_tokens: request.most_tokens,
            together: None,
            switched_off: false,
        })
    };
    requests.iter().map(trial).collect()
}

/// Returns for each request the key of its draws, its sample's number and its maximum tokens.
fn draws(requests: &[&Request], keys: &[&str]) -> Vec<(String, usize, usize)> {
    let each = requests.iter().zip(keys);
    each.map(|(request, key)| ((*key).to_string(), request.sample, request.most_tokens)).collect()
}

/// Has a backend answer all trials and hands over each reply.
fn answered(
    backend: &mut dyn Answerer,
    trials: usize,
    stop: &AtomicBool,
    on_reply: &mut dyn FnMut(usize, Written) -> ControlFlow<()>,
) -> Result<(), BackendError> {
    let (refused, sent): (Vec<usize>, Vec<usize>) = (0..trials).partition(|&trial| backend.refusal(trial).is_some());
    for trial in refused {
        let failure = backend.refusal(trial).cloned();
        if let Some(failure) = failure
            && on_reply(trial, Written { reply: Err(failure), served: None }).is_break()
        {
            return Ok(());
        }
    }
    if sent.is_empty() {
        return Ok(());
    }
    let mut hand_over = |TrialReplies { trial, replies, served, .. }: TrialReplies<Replies>| match replies {
        Ok(Replies::Text(reply)) => on_reply(trial, Written { reply: Ok(reply), served }),
        Ok(Replies::Scores(_)) => ControlFlow::Continue(()),
        Err(failure) => on_reply(trial, Written { reply: Err(failure), served }),
    };
    let mut after_step = |_: &GenerateProgress| match stop.load(Ordering::Relaxed) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    backend.answer(&sent, &mut hand_over, &mut after_step).map(|_| ())
}

#[cfg(feature = "server")]
mod there {
    //! A model on a server.

    use std::ops::ControlFlow;
    use std::sync::atomic::AtomicBool;

    use serde_json::{Value, json};

    use super::{DATE, WriterArgs, answered, asked, draws, sampled};
    use crate::backend::{PromptWriter, ReplyDraws, Route, Server, ServerSetup};
    use crate::cli::server::{Connected, ScoringRoute};
    use crate::make::{Request, Writer, WriterFault, Written};
    use crate::model::TemplateVariables;
    use crate::progress::Tracker;
    use crate::prompt::Scoring;
    use crate::server::Draws;

    /// A model on a server.
    pub struct There {
        connected: Connected,
        way: ScoringRoute,
        variables: TemplateVariables,
        temperature: f64,
        seed: u64,
        strict: bool,
        identity: Value,
    }

    impl There {
        pub fn open(args: &WriterArgs, name: &str, seed: u64) -> anyhow::Result<Self> {
            let connected = Connected::open(name, args.offline, &args.server, &args.template)?;
            let way = ScoringRoute::new(&connected, &args.server, Scoring::Generate)?;
            let mut variables = match (way.route, &connected.text.template) {
                (Route::Completions, Some(template)) => template.without_thinking(&TemplateVariables::new()),
                _ => TemplateVariables::new(),
            };
            variables.extend(connected.variables.clone());
            variables.sort_keys();
            let known = way.identity(&connected);
            // Neither the address nor the version: a server may be started anew, and each reply says who wrote it.
            let identity = json!({
                "name": known.name,
                "program": known.program,
                "root": known.root,
                "quantization": known.quantization,
                "route": known.route,
                "template": connected.text.chosen,
                "template_variables": variables,
                "sampling": sampled(args.temperature, seed),
            });
            let (temperature, strict) = (args.temperature, args.server.strict_server);
            Ok(There { connected, way, variables, temperature, seed, strict, identity })
        }
    }

    impl Writer for There {
        fn name(&self) -> &str {
            &self.connected.model
        }

        fn identity(&self) -> &Value {
            &self.identity
        }

        fn write(
            &mut self,
            requests: &[&Request],
            keys: &[&str],
            stop: &AtomicBool,
            on_reply: &mut dyn FnMut(usize, Written) -> ControlFlow<()>,
        ) -> Result<(), WriterFault> {
            let There { connected, way, variables, temperature, seed, strict, .. } = &*self;
            let asked = asked(requests);
            let template = connected.text.template.as_ref().filter(|_| way.route == Route::Completions);
            let setup = way.setup(connected, template, variables, *strict);
            let draws = ReplyDraws {
                all: Draws { temperature: *temperature, ..Draws::one_token() },
                neutral: connected.abilities.neutral.clone(),
                seed: (*temperature > 0.0).then_some(*seed),
                requests: draws(requests, keys),
                budgets: Vec::new(),
            };
            let prompts = PromptWriter { now: Some(DATE.at(0, 0, 0, 0)), ..setup.prompts };
            let version = connected.facts.version.clone();
            let setup = ServerSetup { draws: Some(draws), prompts, version, ..setup };
            let mut prepared = prompts.prepare(&asked, None, &Tracker::default());
            // A reply takes longer than its prompt, so none waits for a shared beginning.
            prepared.prefixes = Default::default();
            let peers = connected.peers();
            let left_out = |why: &str| tracing::warn!("{why}; its requests are sent elsewhere");
            let server = Server::new(setup, &asked, &prepared);
            let mut server = server.with_peers(&peers, !peers.is_empty(), &left_out);
            Ok(answered(&mut server, requests.len(), stop, on_reply)?)
        }
    }
}
