//! Arguments of written answers.

use std::str::FromStr;

use anyhow::Context;
use clap::Args;

use super::numbers::{SEQUENCES, TOKENS, TURNS, within};
use crate::benchmark::{Benchmark, GroupSampling};
use crate::extract::Rules;
use crate::prompt::Scoring;
use crate::trial::{GenerationSettings, QuestionsPerPrompt, ThinkingChoice};

/// How replies are written and read.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Written answers (--scoring generate; self-consistency: --samples N --temperature T)")]
pub struct WritingArgs {
    /// Replies to each item in each order, all of which vote [default: 1].
    #[arg(long, value_name = "N", value_parser = within(TURNS))]
    pub samples: Option<usize>,
    /// Most tokens of a reply, thoughts included [default: what the style allows].
    #[arg(long, value_name = "N", value_parser = within(TOKENS))]
    pub max_new_tokens: Option<usize>,
    /// Sample as in the benchmark's paper: `paper` for its settings of models named like this one,
    /// `paper:NAME` for those of another group.
    #[arg(long, value_name = "paper[:NAME]", conflicts_with_all = ["temperature", "top_p"])]
    pub sampling: Option<Preset>,
    /// Draw tokens at this temperature; 0 always takes the likeliest [default: 0].
    #[arg(long, value_name = "T")]
    pub temperature: Option<f64>,
    /// Draw among the likeliest tokens that together have this probability [default: 1].
    #[arg(long, value_name = "P")]
    pub top_p: Option<f64>,
    /// Draw among this many of the likeliest tokens [default: all].
    #[arg(long, value_name = "K", value_parser = within(TOKENS))]
    pub top_k: Option<usize>,
    /// Draw among tokens at least this likely, as a share of the likeliest one's probability [default: 0].
    #[arg(long, value_name = "P")]
    pub min_p: Option<f64>,
    /// Divide logits of earlier tokens by this [default: 1].
    #[arg(long, value_name = "R")]
    pub repetition_penalty: Option<f64>,
    /// End a reply before this text; may be given several times.
    #[arg(long, value_name = "TEXT")]
    pub stop: Vec<String>,
    /// Let the model think before it replies: on, off, or the most tokens it may take [default: off].
    #[arg(long, value_name = "on|off|N")]
    pub thinking: Option<ThinkingChoice>,
    /// Put up to N questions about the same context into one prompt, or all of them; the reply answers each by its number
    /// [default: one].
    #[arg(long, value_name = "N|all")]
    pub questions_per_prompt: Option<QuestionsPerPrompt>,
    /// Read replies by this program's rules (ours) or as the released ToMBench scripts do (released) [default: ours].
    #[arg(long, value_name = "ours|released")]
    pub extract: Option<Rules>,
    /// Maximum replies generated in parallel [default: 64].
    #[arg(long, value_name = "N", value_parser = within(SEQUENCES))]
    pub replies_at_once: Option<usize>,
}

impl WritingArgs {
    /// Refuse what is about written answers where none are written.
    pub fn check(&self, scorings: &[Scoring]) -> anyhow::Result<()> {
        let given = [
            ("--samples", self.samples.is_some()),
            ("--max-new-tokens", self.max_new_tokens.is_some()),
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
        match given.iter().find(|(_, given)| *given) {
            Some((name, _)) if !scorings.contains(&Scoring::Generate) => {
                let scorings: Vec<String> = scorings.iter().map(Scoring::to_string).collect();
                let scorings = scorings.join(",");
                anyhow::bail!("{name} needs written answers, but --scoring is {scorings}; add --scoring generate")
            }
            _ => Ok(()),
        }
    }

    /// How replies are written.
    pub fn writing(&self) -> anyhow::Result<GenerationSettings> {
        let usual = GenerationSettings::default();
        let writing = GenerationSettings {
            samples: self.samples.unwrap_or(usual.samples),
            max_new_tokens: self.max_new_tokens,
            temperature: self.temperature.unwrap_or(usual.temperature),
            top_p: self.top_p.unwrap_or(usual.top_p),
            top_k: self.top_k,
            min_p: self.min_p.unwrap_or(usual.min_p),
            repetition_penalty: self.repetition_penalty.unwrap_or(usual.repetition_penalty),
            stop: self.stop.clone(),
            thinking: self.thinking.unwrap_or(usual.thinking),
            questions_per_prompt: self.questions_per_prompt,
            extract: self.extract.unwrap_or(usual.extract),
            ..usual
        };
        if self.sampling.is_none() {
            writing.check()?;
        }
        Ok(writing)
    }

    /// Give `writing` what [`sampling`](Self::sampling) stands for: all benchmarks must have been asked alike.
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

/// `--sampling`: what a paper states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preset {
    /// Of which of its groups of models; of the one that the model belongs to by its name where there is none.
    group: Option<String>,
}

impl FromStr for Preset {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        match given.split_once(':') {
            None if given == "paper" => Ok(Preset { group: None }),
            Some(("paper", group)) if !group.is_empty() => Ok(Preset { group: Some(group.to_string()) }),
            _ => Err("write `paper`, or `paper:` with one of the groups of models of the benchmark's card".to_string()),
        }
    }
}
