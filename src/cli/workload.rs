//! From arguments to a workload. Shared by `run` and `plan`.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use indexmap::{IndexMap, IndexSet};

use super::reading::ReadingArgs;
use super::reminders::ReminderArgs;
use crate::arguments::adapters::Member;
use crate::arguments::numbers::{AUDITED, TOKENS, within};
use crate::arguments::place::{Place, check_with_server};
use crate::arguments::server_args::ServerArgs;
use crate::arguments::setup::{ChoiceArgs, DataArgs, LoadedModel, ModelArgs, PromptArgs, settings};
use crate::arguments::shots::ShotArgs;
use crate::arguments::swaps::SwapArgs;
use crate::arguments::template::TemplateArgs;
use crate::arguments::writing::WritingArgs;
use crate::benchmark::{AnchorTexts, Benchmark, Item, OwnData, joined};
use crate::counted::counted;
use crate::decoder::Decoder;
use crate::engine::{Limits, Packing};
use crate::machine;
use crate::model::{ChatTemplate, TemplateVariables};
use crate::progress::Tracker;
use crate::prompt::{OptionsShown, Pack, Scoring, anchored};
use crate::run::{
    Beginning, Begun, Cut, Inputs, LocalPreparation, LocalWorkload, Machine, Preparation, Workload, WorkloadError,
    begin,
};
use crate::safe_text::for_terminal;
use crate::terminal::progress::Shown;
use crate::trial::{
    EarlierTexts, GenerationSettings, LeftOut, LoadedItems, RunPart, Settings, ThinkingArgument, ThinkingChoice,
    Variant, Variants, left_out,
};

/// Partition of the work.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Plan")]
pub struct PlanArgs {
    /// Maximum tokens in one pass [default: 512, on GPUs 4096, or what the budget allows].
    #[arg(long, value_name = "N", value_parser = within(TOKENS))]
    pub pass_tokens: Option<usize>,
    /// Tokens after which a batch, recorded whole or redone after a stop, ends at the next story [default: 2048, on
    /// GPUs 16384].
    #[arg(long, value_name = "N", alias = "unit-tokens", value_parser = within(TOKENS))]
    pub batch_tokens: Option<usize>,
    /// Forward every prompt from its first token, one per pass, for comparison.
    #[arg(long)]
    pub no_sharing: bool,
}

/// Arguments that determine a workload.
#[derive(Debug, Clone, clap::Args)]
pub struct WorkloadArgs {
    /// Ask what a study file's tasks ask and print the tables they name: `paper` for the main tables of the papers
    /// (`tomeval presets`), or a file; --benchmark picks tasks, other arguments replace the file's.
    #[arg(long, value_name = "NAME|FILE", help_heading = "Data")]
    pub preset: Option<String>,
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub server: ServerArgs,
    #[command(flatten)]
    pub data: DataArgs,
    #[command(flatten)]
    pub choice: ChoiceArgs,
    #[command(flatten)]
    pub prompts: PromptArgs,
    #[command(flatten)]
    pub shots: ShotArgs,
    #[command(flatten)]
    pub swaps: SwapArgs,
    #[command(flatten)]
    pub reminders: ReminderArgs,
    #[command(flatten)]
    pub writing: WritingArgs,
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Ask N of the run's trials again after it, drawn by seed and item, with a cold and a warm cache, alone and loaded,
    /// and say how far its numbers move; 0 for none [default: 64, or all if fewer, of a server on this machine or its
    /// network (a loopback, private or link-local address, a name ending in .local or without a dot); of others none].
    #[arg(long, value_name = "N", help_heading = "Server (--model openai:URL#NAME)", value_parser = within(AUDITED))]
    pub audit: Option<usize>,
}

impl WorkloadArgs {
    /// Checks the arguments, and returns where the model is.
    pub fn check(&self) -> anyhow::Result<Place> {
        let WorkloadArgs { model, server, prompts, writing, plan, audit, .. } = self;
        let place = model.check(server)?;
        prompts.check()?;
        match place {
            Place::Here => {
                anyhow::ensure!(audit.is_none(), "--audit needs a server; write --model openai:URL#NAME");
            }
            Place::Server => {
                check_with_server(&[
                    ("--pass-tokens", plan.pass_tokens.is_some(), "a server partitions its own work"),
                    ("--batch-tokens", plan.batch_tokens.is_some(), "each trial is recorded on its own"),
                    ("--no-sharing", plan.no_sharing, "a server's own settings decide on prefix sharing"),
                    (
                        "--after-reasoning",
                        prompts.after_reasoning,
                        "answers after reasoning are scored only by local models",
                    ),
                    (
                        "--replies-at-once",
                        writing.replies_at_once.is_some(),
                        "--concurrency says how many trials are in flight",
                    ),
                ])?;
                anyhow::ensure!(
                    !matches!(
                        writing.thinking,
                        Some(ThinkingArgument::Once(ThinkingChoice::Tokens(_)) | ThinkingArgument::Budgets(_))
                    ),
                    "--thinking N: servers cannot limit thinking; use on or off"
                );
                anyhow::ensure!(
                    writing.max_new_tokens.len() < 2 || server.tokenizer.is_some(),
                    "--max-new-tokens with several numbers cuts replies between tokens, which servers do not show; name the \
                     model's tokenizer with --tokenizer, or give one number"
                );
            }
        }
        Ok(place)
    }

    /// Refuses arguments that apply to one model where `--model` is given several times: those of the model, and `more`
    /// (names, and whether they are given).
    pub fn check_several_models(&self, more: &[(&str, bool)]) -> anyhow::Result<()> {
        let of_one = [
            ("--adapter", !self.model.adapters.is_empty()),
            ("--tokenizer", self.server.tokenizer.is_some()),
            ("--remind", self.reminders.remind.is_some()),
            ("--chat-template and --template-var", self.prompts.template != TemplateArgs::default()),
        ];
        match of_one.iter().chain(more).find(|(_, given)| *given) {
            Some((name, _)) => anyhow::bail!(
                "{name} applies to one model, but --model is given several times; give each its own in a file for \
                 `tomeval study`"
            ),
            None => Ok(()),
        }
    }
}

/// All questions of a run, independent of the backend.
pub struct Questions {
    /// Run name given by the user.
    pub name: Option<String>,
    /// Variants with their settings; settings that depend on the model are still unset.
    pub variants: Vec<(Variant, Settings)>,
    pub loaded: LoadedItems,
    pub packs: IndexMap<Benchmark, Pack>,
    benchmarks: Vec<Benchmark>,
}

/// A variant for planning.
pub struct Planned<'a> {
    pub variant: &'a Variant,
    pub settings: Settings,
    /// Stand-ins for replies in its prompts.
    pub earlier: Option<EarlierTexts>,
}

impl Planned<'_> {
    /// States that the plan is an estimate, if it is.
    pub fn note(&self, name: &str) {
        if let Some(tokens) = self.assumed_tokens() {
            eprintln!(
                "note: {}: estimated, since the replies in its prompts are not written yet: each is taken as {}, the most \
                 it can have",
                for_terminal(name),
                counted(tokens, "token")
            );
        }
    }

    /// Returns the tokens assumed for each reply in its prompts, if any.
    pub fn assumed_tokens(&self) -> Option<usize> {
        self.earlier.as_ref()?.assumed_tokens()
    }
}

/// Resolved arguments: variants, items, prompt packs and the small files of a model.
pub struct Gathered {
    pub questions: Questions,
    /// The model, without any adapter if there are several.
    pub model: LoadedModel,
    /// Models that answer.
    pub members: Vec<Member>,
    pub machine: Machine,
    cut: Cut,
    tracker: Arc<Tracker>,
    /// Bytes of memory held by the process before loading weights.
    held: OnceLock<u64>,
}

/// Returns the most tokens that a style allows a reply.
fn longest_reply(packs: &IndexMap<Benchmark, Pack>, style: &str) -> usize {
    packs.values().flat_map(|pack| pack.named(style)).map(|style| style.max_new_tokens).max().unwrap_or_default()
}

impl Questions {
    /// Loads items, after checking the arguments and calling `before`. Checks that the results can be read as `reading`
    /// says.
    pub fn load<T>(
        args: &WorkloadArgs,
        reading: Option<&ReadingArgs>,
        before: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<(Self, T)> {
        let WorkloadArgs { data, choice, prompts, shots, swaps, reminders, writing, .. } = args;
        let dataset = choice.of(data.dataset()?)?;
        let mut packs = prompts.packs(&dataset.benchmarks)?;
        let Variants { asked, left_out: skipped } = Variants::new(
            &prompts.scorings,
            &prompts.styles,
            &prompts.options,
            (prompts.after_reasoning, writing.budgets()),
            &packs,
        )?;
        let scorings: Vec<Scoring> = asked.iter().map(|variant| variant.scoring).collect();
        writing.check(&scorings)?;
        for after in asked.iter().filter(|variant| variant.written_by().is_some()) {
            let phases = match &after.part {
                RunPart::CutThoughts(_) => "--thinking with several budgets".to_string(),
                _ => format!("the style {}, which asks in two phases,", for_terminal(&after.style)),
            };
            let several = writing.questions_per_prompt.is_some();
            anyhow::ensure!(
                !several || after.part != RunPart::AfterReasoning,
                "--after-reasoning scores one question after its reasoning, but --questions-per-prompt reasons about \
                 several at once; leave out one of them"
            );
            anyhow::ensure!(!several, "{phases} asks one question at a time; leave out --questions-per-prompt");
            anyhow::ensure!(
                after.part.follows_replies() || shots.shots.is_none(),
                "{phases} would need replies to the first one for the examples of --shots too; leave out --shots"
            );
        }
        if writing.max_new_tokens.len() > 1 {
            let after = asked.iter().find(|variant| variant.written_by().is_some());
            let other = match (after, writing.questions_per_prompt) {
                (Some(Variant { part: RunPart::AfterReasoning, .. }), _) => Some("--after-reasoning"),
                (Some(Variant { part: RunPart::CutThoughts(_), .. }), _) => Some("several budgets of --thinking"),
                (Some(_), _) => Some("prompts that contain replies (styles in two phases, --options after and never)"),
                (None, several) => several.map(|_| "--questions-per-prompt"),
            };
            if let Some(other) = other {
                anyhow::bail!(
                    "--max-new-tokens with several numbers does not combine with {other}; leave out one of them"
                );
            }
        }
        if prompts.paraphrase.is_some() {
            let after = asked.iter().find(|variant| variant.written_by().is_some()).map(|variant| &variant.part);
            let other = match after {
                Some(RunPart::AfterReasoning) => Some("--after-reasoning"),
                Some(RunPart::CutThoughts(_)) => Some("--thinking with several budgets"),
                Some(_) if prompts.options.iter().any(|shown| *shown != OptionsShown::Before) => {
                    Some("--options after or never")
                }
                Some(_) => Some("a style in two phases"),
                None => writing.questions_per_prompt.map(|_| "--questions-per-prompt"),
            };
            if let Some(other) = other {
                anyhow::bail!("--paraphrase does not combine with {other}; leave out one of them");
            }
        }
        let reminders = reminders.check(&dataset, prompts, &asked, writing.questions_per_prompt.is_some())?;
        for variant in &skipped {
            eprintln!(
                "note: {} scoring skips the style {}, which reasons before it answers; --after-reasoning \
                 scores after its reasoning",
                variant.scoring,
                for_terminal(&variant.style)
            );
        }
        let mut variants = Vec::new();
        for variant in asked {
            let settings = settings(&dataset, prompts, writing, &variant)?;
            reading.map_or(Ok(()), |reading| reading.how(None).check(&settings))?;
            variants.push((variant, settings));
        }
        let done = before()?;
        // Limits are those of the items that have reminders.
        let read = if reminders.is_some() { dataset.unlimited() } else { dataset.clone() };
        let mut loaded = Shown::during("reading items", || read.load())?;
        let reminders = reminders.map(|source| source.remind(&mut loaded, &dataset)).transpose()?;
        let shots = shots.shots(&mut loaded)?;
        reading.map_or(Ok(()), |reading| reading.by.facets().check(loaded.in_data()))?;
        // A benchmark without selected items is not part of the run.
        packs.retain(|benchmark, _| loaded.items.iter().any(|item| item.benchmark == *benchmark));
        let anchored = kept_anchors(&loaded.items, &dataset.options.own, prompts.anchored_options.as_deref());
        let swaps = swaps.swaps(&loaded.items, dataset.seed)?;
        for (variant, settings) in &mut variants {
            settings.swaps.clone_from(&swaps);
            settings.shots.clone_from(&shots);
            settings.reminders.clone_from(&reminders);
            settings.anchored.clone_from(&anchored);
            // A thought of the largest budget leaves room for the answer.
            if let (Some(&most), Some(writing), RunPart::Whole) =
                (writing.budgets().last(), &mut settings.writing, &variant.part)
            {
                writing.max_new_tokens = writing.max_new_tokens.or(Some(most + longest_reply(&packs, &variant.style)));
            }
            settings.benchmarks.retain(|benchmark| packs.contains_key(benchmark));
            // Said before any other way of asking costs time.
            for &benchmark in &settings.benchmarks {
                let mine: Vec<&Item> = loaded.items.iter().filter(|item| item.benchmark == benchmark).collect();
                let left_out = left_out(mine.iter().copied(), &packs, settings);
                let all = left_out.iter().map(|each| each.items.len()).sum::<usize>() == mine.len();
                if let Some(left_out) = LeftOut::described(&left_out, mine.len()).filter(|_| all) {
                    return Err(WorkloadError::AllNeedOptions { benchmark, left_out }.into());
                }
            }
        }
        if let Some(unread) = loaded.unread() {
            eprintln!("{}", for_terminal(&unread));
        }
        let notes: IndexSet<String> =
            variants.iter().flat_map(|(_, settings)| loaded.notes(settings, &packs)).collect();
        notes.iter().for_each(|note| eprintln!("{}", for_terminal(note)));
        let benchmarks = dataset.benchmarks.clone();
        Ok((Questions { name: None, variants, loaded, packs, benchmarks }, done))
    }

    /// Checks that the template which writes the prompts shows system messages, if there are any.
    pub fn check_system(
        &self,
        prompts: &PromptArgs,
        template: Option<&ChatTemplate>,
        model: &str,
    ) -> anyhow::Result<()> {
        if !template.is_some_and(ChatTemplate::drops_system) {
            return Ok(());
        }
        anyhow::ensure!(
            prompts.system.is_none(),
            "--system: the chat template of {model} leaves out system messages; name another with --chat-template, or write \
             the text into the user's turn of a pack for --prompts"
        );
        let has_system = |style: &str| self.packs.values().any(|pack| pack.has_system(style));
        if self.variants.iter().any(|(variant, _)| has_system(&variant.style)) {
            eprintln!(
                "warning: the chat template of {} leaves out system messages, which these prompts have; --chat-template \
                 names another",
                for_terminal(model)
            );
        }
        Ok(())
    }

    /// Returns the most tokens of a reply.
    pub fn longest_reply(&self, variant: &Variant, writing: &GenerationSettings) -> usize {
        writing.max_new_tokens.unwrap_or_else(|| longest_reply(&self.packs, &variant.style))
    }

    /// Returns the variants for planning. Replies of one variant in the prompts of another are not written yet: stand-ins
    /// as long as they can become take their place, in settings that name them.
    pub fn planned(&self) -> Vec<Planned<'_>> {
        let planned = |(variant, settings): &'_ (Variant, Settings)| {
            let written_by = variant.written_by();
            let writer = written_by.and_then(|wanted| self.variants.iter().find(|(writer, _)| *writer == wanted));
            let writing = writer.and_then(|(_, settings)| settings.writing.as_ref());
            let assumed = writer.zip(writing).map(|((writer, _), writing)| {
                EarlierTexts::assumed(self.longest_reply(writer, writing), writing, variant.part.budgets())
            });
            let settings = match &assumed {
                Some(texts) => settings.after(texts.about.clone(), &variant.part),
                None => settings.clone(),
            };
            (settings, assumed)
        };
        let variants = self.variants.iter();
        variants
            .map(|each| {
                let (settings, earlier) = planned(each);
                Planned { variant: &each.0, settings, earlier }
            })
            .collect()
    }

    /// Returns the inputs for the workload of one variant.
    pub fn inputs<'a, P>(
        &'a self,
        settings: &'a Settings,
        earlier: Option<&'a EarlierTexts>,
        model: P,
        tracker: &'a Tracker,
    ) -> Inputs<'a, P> {
        let Questions { name, loaded, packs, .. } = self;
        Inputs { name: name.as_deref(), settings, loaded, earlier, packs, model, tracker }
    }

    /// Describes the model and its questions; `place` names a server.
    pub fn description<P: Preparation>(
        &self,
        model: &str,
        place: &str,
        settings: &Settings,
        workload: &Workload<'_, P>,
    ) -> String {
        let failures = match workload.failed_trials() {
            0 => String::new(),
            failed => format!(" ({failed} cannot be asked)"),
        };
        format!(
            "{model} on {}{place}: {}, {}, {}{failures}, style {}, {}, orders {}.",
            joined(&settings.benchmarks, ", "),
            counted(self.loaded.questions(), "question"),
            counted(self.loaded.items.len(), "item"),
            counted(workload.trials().len(), "trial"),
            settings.style,
            settings.answers_in_full(),
            settings.orders,
        )
    }

    /// Returns the benchmarks with items in one variant.
    pub fn benchmarks_of(&self, settings: &Settings) -> Vec<Benchmark> {
        self.benchmarks.iter().filter(|benchmark| settings.benchmarks.contains(benchmark)).copied().collect()
    }
}

impl Gathered {
    /// Loads items and opens the model's small files. Checks that the results can be read as `reading` says.
    pub fn new(args: &WorkloadArgs, reading: Option<&ReadingArgs>) -> anyhow::Result<Self> {
        let WorkloadArgs { model, prompts, writing, plan, .. } = args;
        let (mut questions, computing) = Questions::load(args, reading, || model.compute.begin())?;
        let variants = &questions.variants;
        let (offline, adapters) = (model.offline, &model.adapters);
        let mut model = LoadedModel::open_on(model, computing)?;
        model.choose_template(&prompts.template, offline)?;
        questions.check_system(prompts, model.text.template.as_ref(), &model.files.name)?;
        let scored =
            variants.iter().any(|(variant, _)| variant.scoring != Scoring::Generate && !variant.part.follows_replies());
        let of_scored = match scored {
            true => prompts.template.scoring(&model.files, &model.text)?,
            false => TemplateVariables::new(),
        };
        let thinking = variants.iter().find_map(|(_, settings)| Some(settings.writing.as_ref()?.thinking));
        let of_written = match thinking {
            Some(thinking) => prompts.template.writing(&model.files, &model.text, thinking)?,
            None => TemplateVariables::new(),
        };
        let switches = model.files.card()?.map(|card| card.thinking.clone()).unwrap_or_default();
        let benchmarks: Vec<Vec<Benchmark>> =
            variants.iter().map(|(_, settings)| questions.benchmarks_of(settings)).collect();
        for ((variant, settings), benchmarks) in questions.variants.iter_mut().zip(benchmarks) {
            if let Some(chosen) = &mut settings.writing {
                writing.choose_sampling(chosen, &benchmarks, &model.files.name)?;
                if let (ThinkingChoice::Tokens(_), Some(template)) = (chosen.thinking, &model.text.template) {
                    chosen.end_of_thought = template.end_of_thought(&switches);
                }
            }
            settings.chat_template.clone_from(&model.chosen);
            let written = variant.part.follows_replies() || settings.writing.is_some();
            settings.template_variables.clone_from(if written { &of_written } else { &of_scored });
            if let (RunPart::CutThoughts(_), Some(template)) = (&variant.part, &model.text.template) {
                let off = template.without_thinking(&switches);
                if !off.is_empty() {
                    settings.switched_off = of_written.clone();
                    settings.switched_off.extend(off);
                    settings.switched_off.sort_keys();
                }
            }
        }
        let members = Member::all(&model, adapters)?;
        let machine = model.machine();
        let batch_tokens = plan.batch_tokens.unwrap_or(Packing::on(model.computing.arithmetic).batch_tokens);
        let cut = Cut { pass_tokens: plan.pass_tokens, batch_tokens, sharing: !plan.no_sharing };
        let tracker = Arc::default();
        Ok(Gathered { questions, model, members, machine, cut, tracker, held: OnceLock::new() })
    }

    /// Builds the workload of one variant, for planning only.
    pub fn workload<'a>(
        &'a self,
        member: &'a Member,
        settings: &'a Settings,
        earlier: Option<&'a EarlierTexts>,
    ) -> anyhow::Result<LocalWorkload<'a>> {
        let _shown = Shown::from_tracker(Arc::clone(&self.tracker));
        Ok(Workload::gather(self.inputs(member, settings, earlier))?)
    }

    /// Begins the run of one variant; `out` may contain an earlier part of it.
    pub fn begin<'a>(
        &'a self,
        member: &'a Member,
        settings: &'a Settings,
        earlier: Option<&'a EarlierTexts>,
        out: Option<&Path>,
        how: Beginning<'_>,
    ) -> anyhow::Result<Begun<'a, LocalPreparation<'a>>> {
        let _shown = Shown::from_tracker(Arc::clone(&self.tracker));
        Ok(begin(self.inputs(member, settings, earlier), out, how)?)
    }

    fn inputs<'a>(
        &'a self,
        member: &'a Member,
        settings: &'a Settings,
        earlier: Option<&'a EarlierTexts>,
    ) -> Inputs<'a, LocalPreparation<'a>> {
        let model = LocalPreparation {
            identity: &member.identity,
            spec: &self.model.spec,
            arithmetic: self.model.computing.arithmetic,
            tokenizer: &self.model.text.tokenizer,
            template: self.model.text.template.as_ref(),
            machine: &self.machine,
            memory_budget: self.model.memory(),
            cut: self.cut,
        };
        self.questions.inputs(settings, earlier, model, &self.tracker)
    }

    /// Returns the peak memory of the process in bytes: the larger of the peak so far, and the memory held before the
    /// weights plus later needs. Records count twice: as text, and parsed for metrics.
    pub fn peak_bytes(&self, member: &Member, workload: &LocalWorkload<'_>) -> u64 {
        let so_far = machine::peak_resident_bytes().unwrap_or(0);
        let computing = &self.model.computing;
        // Loading ends before keys, values and activations are allocated.
        let loading = Decoder::loading_bytes(&self.model.spec, &computing.device, computing.precision);
        let of_device = member.weighed.weight_bytes + workload.peak_bytes().max(loading);
        let here = if computing.device.is_cpu() { of_device } else { 0 };
        let to_come = here + 2 * workload.record_bytes();
        // Memory held later includes weights, or space freed by other models.
        let held = *self.held.get_or_init(|| machine::resident_bytes().unwrap_or(0));
        so_far.max(held + to_come)
    }

    /// Returns the memory limits of concurrent replies.
    pub fn limits(&self, replies: Option<usize>, workload: &LocalWorkload<'_>) -> Limits {
        let usual = Limits::default();
        Limits {
            pass_tokens: workload.plan.packing.pass_tokens,
            memory: self.model.memory(),
            replies: replies.unwrap_or(usual.replies),
        }
    }

    /// Returns a two-line description of the workload.
    pub fn description(&self, member: &Member, settings: &Settings, workload: &LocalWorkload<'_>) -> String {
        let counts = &workload.plan.counts;
        let written = match workload.most_written() {
            0 => String::new(),
            tokens => format!(" At most {} to write.", counted(tokens, "token")),
        };
        format!(
            "{}\n{} tokens to forward instead of {} prompt by prompt ({:.1} times fewer), in {}.{written}",
            self.questions.description(&member.identity.name, "", settings, workload),
            counts.forwarded,
            counts.prompt_by_prompt,
            counts.ratio(),
            counted(counts.passes, "pass"),
        )
    }
}

/// The options that keep their slots, by item, as cards and the argument say; a note tells of those found.
fn kept_anchors(items: &[Item], own: &OwnData, asked: Option<&str>) -> IndexMap<String, Vec<usize>> {
    let mut cards: HashMap<Benchmark, AnchorTexts> = HashMap::new();
    let (mut kept, mut shuffled) = (IndexMap::new(), 0);
    for item in items {
        let card = cards.entry(item.benchmark).or_insert_with(|| item.benchmark.card_with(own).anchored);
        let keeps = asked.map_or(card.keep, |asked| asked == "keep");
        // Papers shuffle theirs.
        let is_told = asked.is_none() && item.benchmark == Benchmark::Custom;
        if !keeps && !is_told {
            continue;
        }
        let found: Vec<usize> = anchored(item, card).into_iter().map(|(option, _)| option.0).collect();
        match (found.is_empty(), keeps) {
            (true, _) => {}
            (false, true) => drop(kept.insert(item.id.clone(), found)),
            (false, false) => shuffled += 1,
        }
    }
    let (listed, which) =
        ("`tomeval data check` lists them", "that refer to others or to none (as \"all of the above\")");
    if !kept.is_empty() {
        eprintln!("note: options {which} keep their slots in {}; {listed}", counted(kept.len(), "item"));
    }
    if shuffled > 0 {
        eprintln!(
            "note: options {which} are shuffled as all others in {}; --anchored-options keep leaves them in their slots; \
             {listed}",
            counted(shuffled, "item")
        );
    }
    kept
}
