//! Resolves the arguments of a run on a server: variants, items, prompt packs, and the server.

use std::sync::Arc;

use super::connect::Connected;
use super::way::ScoringRoute;
use crate::arguments::server_args::ServerArgs;
use crate::backend::{Route, ServerSetup};
use crate::cli::reading::ReadingArgs;
use crate::cli::workload::{Questions, WorkloadArgs};
use crate::counted::counted;
use crate::model::ChatTemplate;
use crate::progress::Tracker;
use crate::prompt::Scoring;
use crate::run::{Inputs, OtherSource, ServedPreparation, ServerIdentity, Workload};
use crate::trial::{EarlierTexts, Settings, ThinkingChoice};

pub struct Served {
    pub questions: Questions,
    pub connected: Connected,
    pub tracker: Arc<Tracker>,
    server: ServerArgs,
}

impl Served {
    /// Loads items and queries the server's abilities. Checks that the results can be read as `reading` says.
    pub fn new(args: &WorkloadArgs, reading: Option<&ReadingArgs>) -> anyhow::Result<Self> {
        let WorkloadArgs { model, server, prompts, writing, .. } = args;
        let threads = || args.model.compute.set_threads();
        let (mut questions, _) = Questions::load(args, reading, threads)?;
        let connected = Connected::new(model, server, &prompts.template)?;
        let benchmarks: Vec<_> =
            questions.variants.iter().map(|(_, settings)| questions.benchmarks_of(settings)).collect();
        let mut writes_prompts = false;
        for ((_, settings), benchmarks) in questions.variants.iter_mut().zip(benchmarks) {
            if let Some(chosen) = &mut settings.writing {
                writing.choose_sampling(chosen, &benchmarks, &connected.model)?;
            }
            settings.chat_template.clone_from(&connected.text.chosen);
            let way = ScoringRoute::new(&connected, server, settings.scoring)?;
            writes_prompts |= way.route == Route::Completions;
            let thinking = settings.writing.as_ref().map_or(ThinkingChoice::Off, |writing| writing.thinking);
            let mut variables = match (way.route, &connected.text.template, thinking) {
                (Route::Completions, Some(template), ThinkingChoice::Off) => {
                    template.without_thinking(&Default::default())
                }
                (Route::Completions, Some(template), ThinkingChoice::On) => template.with_thinking(),
                (Route::Chat, _, ThinkingChoice::On)
                    if connected.abilities.thinks.is_none() && connected.variables.is_empty() =>
                {
                    anyhow::bail!(
                        "--thinking on: the server's template does not enable thinking by default; set it with --template-var, \
                         as enable_thinking=true"
                    )
                }
                _ => Default::default(),
            };
            variables.extend(connected.variables.clone());
            variables.sort_keys();
            settings.template_variables = variables;
        }
        let context = connected.context();
        for (variant, settings) in &questions.variants {
            let longest = settings.writing.as_ref().map_or(0, |writing| questions.longest_reply(variant, writing));
            if let Some(context) = context.filter(|&context| longest >= context) {
                anyhow::bail!(
                    "replies of up to {longest} tokens leave no room for a prompt in the server's context of {context}; give \
                     fewer by --max-new-tokens, or start the server with a longer context"
                );
            }
        }
        if writes_prompts {
            questions.check_system(prompts, connected.text.template.as_ref(), &connected.model)?;
        }
        let writes = questions.variants.iter().any(|(_, settings)| settings.writing.is_some());
        if writes && !connected.abilities.draws_plainly() {
            eprintln!(
                "note: {}: the server takes no repetition_penalty, so its default treatment of repeated tokens applies to these \
                 replies too",
                connected.model
            );
        }
        if let Some(mark) = connected.abilities.thinks {
            let written = questions.variants.iter().filter_map(|(_, settings)| settings.writing.as_ref());
            if written.clone().any(|writing| writing.thinking == ThinkingChoice::Off) && connected.text.chosen.is_none()
            {
                eprintln!(
                    "note: {}: the server's template has the model think before it replies ({mark}); --template-var switches that \
                     off, as enable_thinking=false",
                    connected.model
                );
            }
        }
        Ok(Served { questions, connected, tracker: Arc::default(), server: server.clone() })
    }

    /// Returns the route of trials with these settings.
    pub fn way(&self, settings: &Settings) -> anyhow::Result<ScoringRoute> {
        ScoringRoute::new(&self.connected, &self.server, settings.scoring)
    }

    fn template(&self, way: ScoringRoute) -> Option<&ChatTemplate> {
        self.connected.text.template.as_ref().filter(|_| way.route == Route::Completions)
    }

    /// Returns the settings by which trials are asked before the run, where they decide on its source.
    pub fn trying<'a>(&'a self, settings: &'a Settings, way: ScoringRoute) -> ServerSetup<'a> {
        let setup =
            way.setup(&self.connected, self.template(way), &settings.template_variables, self.server.strict_server);
        ServerSetup { version: self.connected.facts.version.clone(), ..setup }
    }

    /// Returns the inputs for the workload of one variant; `trying` has the settings for trials that are asked before it.
    pub fn inputs<'a>(
        &'a self,
        settings: &'a Settings,
        earlier: Option<&'a EarlierTexts>,
        way: ScoringRoute,
        identity: &'a ServerIdentity,
        trying: Option<&'a ServerSetup<'a>>,
    ) -> Inputs<'a, ServedPreparation<'a>> {
        let other = way.other.map(|mode| OtherSource { mode, setup: trying });
        let prompts = way.prompts(&self.connected, self.template(way), &settings.template_variables);
        let model = ServedPreparation { identity, mode: way.mode, other, prompts };
        self.questions.inputs(settings, earlier, model, &self.tracker)
    }

    /// Returns a description of the workload: two lines, and one on the choice of its source, if there was one.
    pub fn description(&self, settings: &Settings, way: ScoringRoute, workload: &ServedWorkload<'_>) -> String {
        let prepared = &workload.prepared;
        let tokens = prepared.tokens.map_or(String::new(), |tokens| format!(", {}", counted(tokens, "token")));
        let written = match settings.scoring {
            Scoring::Generate => format!(" At most {} to write.", counted(prepared.most_written, "token")),
            _ => String::new(),
        };
        let how = prepared.mode.map_or_else(|| format!("{} route", way.route_name()), |mode| mode.described());
        let Connected { name, others, .. } = &self.connected;
        let places = others.iter().map(|other| other.peer.client.server().place());
        let place = format!(" at {}", std::iter::once(name.place()).chain(places).collect::<Vec<_>>().join(", "));
        let each = if others.is_empty() { "at a time" } else { "at a time for each server" };
        let choice = prepared.choice.as_ref().map_or(String::new(), |choice| format!("\n{choice}"));
        format!(
            "{}\n{}{tokens}, {} {each}: {how}.{written}{choice}",
            self.questions.description(&self.connected.model, &place, settings, workload),
            counted(prepared.requests, "request"),
            counted(self.connected.concurrency, "trial"),
        )
    }
}

/// Workload for a server.
pub type ServedWorkload<'a> = Workload<'a, ServedPreparation<'a>>;
