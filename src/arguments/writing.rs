//! Arguments for written answers.

use std::str::FromStr;

use anyhow::Context;
use clap::Args;

use super::numbers::{SEQUENCES, TOKENS, TURNS, within};
use crate::benchmark::{Benchmark, GroupSampling};
use crate::extract::Rules;
use crate::prompt::Scoring;
use crate::trial::{GenerationSettings, QuestionsPerPrompt, ThinkingArgument, ThinkingChoice};

/// Generation and reading of replies.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Written answers (--scoring generate; self-consistency: --samples N --temperature T)")]
pub struct WritingArgs {
    /// Replies to each item in each order; all of them vote [default: 1].
    #[arg(long, value_name = "N", value_parser = within(TURNS))]
    pub samples: Option<usize>,
    /// Maximum tokens of a reply, including thoughts [default: the limit of the style]. Several numbers (64,128,512):
    /// replies are written once, within the largest, and read cut to each of them.
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = within(TOKENS))]
    pub max_new_tokens: Vec<usize>,
    /// Sample as in the benchmark's paper: `paper` for its settings of models named like this one, `paper:NAME` for
    /// those of another group.
    #[arg(long, value_name = "paper[:NAME]", conflicts_with_all = ["temperature", "top_p"])]
    pub sampling: Option<Preset>,
    /// Sampling temperature; 0 always takes the most likely token [default: 0].
    #[arg(long, value_name = "T")]
    pub temperature: Option<f64>,
    /// Sample from the most likely tokens with this total probability [default: 1].
    #[arg(long, value_name = "P")]
    pub top_p: Option<f64>,
    /// Sample from this many of the most likely tokens [default: all].
    #[arg(long, value_name = "K", value_parser = within(TOKENS))]
    pub top_k: Option<usize>,
    /// Sample from tokens at least this likely, relative to the most likely token [default: 0].
    #[arg(long, value_name = "P")]
    pub min_p: Option<f64>,
    /// Divide logits of earlier tokens by this [default: 1].
    #[arg(long, value_name = "R")]
    pub repetition_penalty: Option<f64>,
    /// End a reply before this text; may be repeated.
    #[arg(long, value_name = "TEXT")]
    pub stop: Vec<String>,
    /// Let the model think before it replies: on, off, or the maximum number of tokens [default: off]. Several numbers
    /// (0,128,512): thoughts are written once, within the largest, and cut to each of them; answers follow each cut.
    #[arg(long, value_name = "on|off|N,...")]
    pub thinking: Option<ThinkingArgument>,
    /// Put up to N questions about the same context into one prompt, or all of them; the reply answers each by its number
    /// [default: one].
    #[arg(long, value_name = "N|all")]
    pub questions_per_prompt: Option<QuestionsPerPrompt>,
    /// Rules for reading replies: this program's (ours) or those of the released ToMBench scripts (released) [default:
    /// ours].
    #[arg(long, value_name = "ours|released")]
    pub extract: Option<Rules>,
    /// Maximum replies generated in parallel [default: 64].
    #[arg(long, value_name = "N", value_parser = within(SEQUENCES))]
    pub replies_at_once: Option<usize>,
}

impl WritingArgs {
    /// Refuses arguments for written answers if none are written.
    pub fn check(&self, scorings: &[Scoring]) -> anyhow::Result<()> {
        let given = [
            ("--samples", self.samples.is_some()),
            ("--max-new-tokens", !self.max_new_tokens.is_empty()),
            ("--sampling", self.sampling.is_some()),
            ("--temperature", self.temperature.is_some()),
            ("--top-p", self.top_p.is_some()),
            ("--top-k", self.top_k.is_some()),
            ("--min-p", self.min_p.is_some()),
            ("--repetition-penalty", self.repetition_penalty.is_some()),
            ("--stop", !self.stop.is_empty()),
            ("--thinking", self.thinking.is_some()),
            ("--questions-per-prompt", self.questions_per_prompt.is_some()),
            ("--extract", self.extract.is_some()),
            ("--replies-at-once", self.replies_at_once.is_some()),
        ];
        let mut several = self.max_new_tokens.clone();
        several.sort_unstable();
        several.dedup();
        anyhow::ensure!(
            several.len() == self.max_new_tokens.len(),
            "--max-new-tokens: several numbers must differ, as in 64,128,512"
        );
        match given.iter().find(|(_, given)| *given) {
            Some((name, _)) if !scorings.contains(&Scoring::Generate) => {
                let scorings: Vec<String> = scorings.iter().map(Scoring::to_string).collect();
                let scorings = scorings.join(",");
                anyhow::bail!("{name} needs written answers, but --scoring is {scorings}; add --scoring generate")
            }
            _ => Ok(()),
        }
    }

    /// Returns the numbers of tokens to which replies are cut, ascending; none if they are not.
    pub fn reply_budgets(&self) -> Vec<usize> {
        let mut budgets = if self.max_new_tokens.len() > 1 { self.max_new_tokens.clone() } else { Vec::new() };
        budgets.sort_unstable();
        budgets
    }

    /// Returns the numbers of tokens to which thoughts are cut; none if they are not.
    pub fn budgets(&self) -> &[usize] {
        match &self.thinking {
            Some(ThinkingArgument::Budgets(budgets)) => budgets,
            _ => &[],
        }
    }

    /// Returns the generation settings.
    pub fn writing(&self) -> anyhow::Result<GenerationSettings> {
        let usual = GenerationSettings::default();
        let writing = GenerationSettings {
            samples: self.samples.unwrap_or(usual.samples),
            max_new_tokens: self.max_new_tokens.iter().max().copied(),
            reply_budgets: self.reply_budgets(),
            temperature: self.temperature.unwrap_or(usual.temperature),
            top_p: self.top_p.unwrap_or(usual.top_p),
            top_k: self.top_k,
            min_p: self.min_p.unwrap_or(usual.min_p),
            repetition_penalty: self.repetition_penalty.unwrap_or(usual.repetition_penalty),
            stop: self.stop.clone(),
            thinking: match &self.thinking {
                Some(ThinkingArgument::Once(choice)) => *choice,
                Some(ThinkingArgument::Budgets(budgets)) => {
                    ThinkingChoice::Tokens(budgets.last().copied().unwrap_or_default())
                }
                None => usual.thinking,
            },
            questions_per_prompt: self.questions_per_prompt,
            extract: self.extract.unwrap_or(usual.extract),
            ..usual
        };
        if self.sampling.is_none() {
            writing.check()?;
        }
        Ok(writing)
    }

    /// Resolves [`sampling`](Self::sampling) in `writing`; the papers of all benchmarks must agree.
    pub fn choose_sampling(
        &self,
        writing: &mut GenerationSettings,
        benchmarks: &[Benchmark],
        model: &str,
    ) -> anyhow::Result<()> {
        let Some(Preset { group }) = &self.sampling else { return Ok(()) };
        let mut chosen: Option<(Benchmark, GroupSampling)> = None;
        for &benchmark in benchmarks {
            let Some(published) = benchmark.card().sampling else {
                anyhow::bail!(
                    "--sampling paper: the card of {benchmark} has no sampling settings of a paper; set --temperature and \
                     --top-p yourself"
                );
            };
            let found = published.of(group.as_deref(), model).context("--sampling paper")?;
            match &chosen {
                Some((first, other)) => anyhow::ensure!(
                    (other.temperature, other.top_p) == (found.temperature, found.top_p),
                    "--sampling paper: {first} and {benchmark} differ in sampling; run them one by one"
                ),
                None => chosen = Some((benchmark, found.clone())),
            }
        }
        if let Some((_, GroupSampling { temperature, top_p, .. })) = chosen {
            (writing.temperature, writing.top_p) = (temperature, top_p);
        }
        writing.check()?;
        Ok(())
    }
}

/// Value of `--sampling`: settings stated in a paper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preset {
    /// The paper's group of models; by default the one that matches the model's name.
    group: Option<String>,
}

impl FromStr for Preset {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        match given.split_once(':') {
            None if given == "paper" => Ok(Preset { group: None }),
            Some(("paper", group)) if !group.is_empty() => Ok(Preset { group: Some(group.to_string()) }),
            _ => Err("write `paper`, or `paper:NAME` with a model group of the benchmark's card".to_string()),
        }
    }
}
