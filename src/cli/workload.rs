//! From arguments to a workload. Shared by `run` and `plan`.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use indexmap::IndexMap;

use tomeval::engine::{Limits, Packing};
use tomeval::machine;
use tomeval::progress::Tracker;
use tomeval::prompt::Pack;
use tomeval::run::{
    Beginning, Begun, Cut, Inputs, LoadedItems, Machine, ModelIdentity, Settings, Workload, begin, packs,
};
use tomeval::untrusted::for_terminal;

use super::numbers::{TOKENS, within};
use super::progress::Shown;
use super::reading::ReadingArgs;
use super::setup::{ChoiceArgs, DataArgs, LoadedModel, ModelArgs, PromptArgs, settings};
use super::shots::ShotArgs;
use super::writing::WritingArgs;

/// How the work is cut.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Plan")]
pub struct PlanArgs {
    /// Most tokens in one pass [default: 512, on GPUs 4096, or what the budget allows].
    #[arg(long, value_name = "N", value_parser = within(TOKENS))]
    pub pass_tokens: Option<usize>,
    /// Tokens after which a batch ends at the next story: what is recorded whole or done again after a stop [default: 2048,
    /// on GPUs 16384].
    #[arg(long, value_name = "N", alias = "unit-tokens", value_parser = within(TOKENS))]
    pub batch_tokens: Option<usize>,
    /// Forward every prompt from its first token, one a pass, to compare.
    #[arg(long)]
    pub no_sharing: bool,
}

/// The arguments that decide a workload.
#[derive(Debug, Clone, clap::Args)]
pub struct WorkloadArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub data: DataArgs,
    #[command(flatten)]
    pub choice: ChoiceArgs,
    #[command(flatten)]
    pub prompts: PromptArgs,
    #[command(flatten)]
    pub shots: ShotArgs,
    #[command(flatten)]
    pub writing: WritingArgs,
    #[command(flatten)]
    pub plan: PlanArgs,
}

/// What the arguments stand for: settings, items, prompt packs and the small files of a model.
pub struct Gathered {
    pub settings: Settings,
    pub loaded: LoadedItems,
    pub packs: IndexMap<String, Pack>,
    pub model: LoadedModel,
    identity: ModelIdentity,
    machine: Machine,
    cut: Cut,
    tracker: Arc<Tracker>,
}

impl Gathered {
    /// Load items and open the model's small files. `reading` is how the results will be read, which must be possible.
    pub fn new(args: &WorkloadArgs, reading: Option<&ReadingArgs>) -> anyhow::Result<Self> {
        let WorkloadArgs { model, data, choice, prompts, shots, writing, plan } = args;
        let dataset = choice.of(data.dataset()?);
        let mut settings = settings(&dataset, prompts, writing)?;
        reading.map_or(Ok(()), |reading| reading.check(&settings))?;
        let mut packs = packs(&dataset.benchmarks, prompts.prompts.as_deref()).context("prompt packs")?;
        let computing = model.compute.begin()?;
        let mut loaded = Shown::during("reading items", || dataset.load())?;
        settings.shots = shots.shots(&mut loaded)?;
        reading.map_or(Ok(()), |reading| reading.by.check(loaded.in_data()))?;
        // A benchmark of which nothing is chosen has no part in the run.
        settings.benchmarks.retain(|name| loaded.items.iter().any(|item| &item.benchmark == name));
        packs.retain(|name, _| settings.benchmarks.contains(name));
        if let Some(unread) = loaded.unread() {
            eprintln!("{}", for_terminal(&unread));
        }
        for note in loaded.notes(&settings, &packs) {
            eprintln!("{}", for_terminal(&note));
        }
        let offline = model.offline;
        let mut model = LoadedModel::open_on(model, computing)?;
        model.choose_template(&prompts.template, offline)?;
        settings.chat_template.clone_from(&model.chosen);
        settings.template_variables = match &settings.writing {
            Some(writing) => prompts.template.writing(&model.files, &model.text, writing.thinking)?,
            None => prompts.template.scoring(&model.files, &model.text)?,
        };
        let identity = model.identity()?;
        let machine = Machine {
            device: model.computing.choice.to_string(),
            dtype: model.computing.precision.name().to_string(),
            cpu: machine::processor(),
            threads: model.computing.threads,
        };
        let batch_tokens = plan.batch_tokens.unwrap_or(Packing::on(model.computing.arithmetic).batch_tokens);
        let cut = Cut { pass_tokens: plan.pass_tokens, batch_tokens, sharing: !plan.no_sharing };
        let tracker = Arc::default();
        Ok(Gathered { settings, loaded, packs, model, identity, machine, cut, tracker })
    }

    /// The workload they make, to be planned only.
    pub fn workload(&self) -> anyhow::Result<Workload<'_>> {
        let _shown = Shown::of(Arc::clone(&self.tracker));
        Ok(Workload::gather(self.inputs())?)
    }

    /// The run they make; `out` may hold an earlier part of it.
    pub fn begin(&self, out: Option<&Path>, how: Beginning) -> anyhow::Result<Begun<'_>> {
        let _shown = Shown::of(Arc::clone(&self.tracker));
        Ok(begin(self.inputs(), out, how)?)
    }

    fn inputs(&self) -> Inputs<'_> {
        Inputs {
            settings: &self.settings,
            loaded: &self.loaded,
            packs: &self.packs,
            identity: &self.identity,
            spec: &self.model.spec,
            arithmetic: self.model.computing.arithmetic,
            tokenizer: &self.model.text.tokenizer,
            template: self.model.text.template.as_ref(),
            machine: &self.machine,
            memory_budget: self.model.memory(),
            cut: self.cut,
            tracker: &self.tracker,
        }
    }

    /// Bytes of memory the process will take at its peak: what it held already, or what it holds now, before the weights,
    /// with what is to come. When the metrics are computed the records are there twice, as text and as what it says.
    pub fn peak_bytes(&self, workload: &Workload<'_>) -> u64 {
        let so_far = machine::peak_resident_bytes().unwrap_or(0);
        let of_device = self.model.weight_bytes + workload.plan.counts.peak_bytes;
        let here = if self.model.computing.device.is_cpu() { of_device } else { 0 };
        let to_come = here + 2 * workload.record_bytes();
        so_far.max(machine::resident_bytes().unwrap_or(0) + to_come)
    }

    /// What replies may take at a time.
    pub fn limits(&self, replies: Option<usize>, workload: &Workload<'_>) -> Limits {
        let usual = Limits::default();
        Limits {
            pass_tokens: workload.plan.packing.pass_tokens,
            memory: self.model.memory(),
            replies: replies.unwrap_or(usual.replies),
        }
    }

    /// SHA-256 of the model's files.
    pub fn sha256(&self) -> &IndexMap<String, String> {
        &self.identity.sha256
    }

    /// What is about to be done, in two lines.
    pub fn description(&self, workload: &Workload<'_>) -> String {
        let counts = &workload.plan.counts;
        let how = match &self.settings.writing {
            Some(writing) => format!("written answers ({})", writing.described()),
            None => format!("{} scoring", self.settings.scoring),
        };
        let failures = match workload.failed_trials() {
            0 => String::new(),
            failed => format!(" ({failed} cannot be asked)"),
        };
        format!(
            "{} on {}: {} items, {} trials{failures}, {how}, orders {}.\n\
             {} tokens to forward instead of {} prompt by prompt ({:.1} times fewer), in {} passes.",
            self.identity.name,
            self.settings.benchmarks.join(", "),
            self.loaded.items.len(),
            workload.trials().len(),
            self.settings.orders,
            counts.forwarded,
            counts.prompt_by_prompt,
            counts.ratio(),
            counts.passes,
        )
    }
}
