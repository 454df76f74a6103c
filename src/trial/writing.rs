//! Generation settings of a run's replies.

use serde::{Deserialize, Serialize};

use super::questions::QuestionsPerPrompt;
use crate::counted::counted;
use crate::engine::{Sampling, SamplingFault, ThinkingBudget};
use crate::extract::{RULES_VERSION, Rules};
use crate::model::{Tokenizer, TokenizerError};

/// Generation and reading of replies, as stored in the manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GenerationSettings {
    /// Replies to each item in each order.
    pub samples: usize,
    /// Maximum tokens of a reply; absent if the limit of its style applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_new_tokens: Option<usize>,
    /// Numbers of tokens to which each reply is cut and then read, ascending, the last being the maximum; absent if replies
    /// are read as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reply_budgets: Vec<usize>,
    /// Temperature; 0 always takes the most likely token.
    pub temperature: f64,
    /// Top-p: cumulative probability of the most likely tokens among which one was drawn.
    pub top_p: f64,
    /// Top-k: number of most likely tokens among which one was drawn; absent without a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_k: Option<usize>,
    /// Min-p: minimum probability of a token, relative to the most likely one.
    pub min_p: f64,
    /// Divisor of the logits of earlier tokens.
    pub repetition_penalty: f64,
    /// Texts that ended a reply; absent if none were set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Whether the model thought first: `off`, `on`, or `{"tokens": N}` for at most N tokens.
    pub thinking: ThinkingChoice,
    /// Text written when a thinking section has used up its tokens, as the chat template ends one; the closing mark
    /// alone if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_of_thought: Option<String>,
    /// Maximum questions about one context in a prompt; one if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions_per_prompt: Option<QuestionsPerPrompt>,
    /// Rules for reading replies: `ours` or `released`.
    pub extract: Rules,
    /// Version of the rules.
    pub rules_version: u32,
}

impl Default for GenerationSettings {
    /// One reply each, always the most likely token, without thinking.
    fn default() -> Self {
        GenerationSettings {
            samples: 1,
            max_new_tokens: None,
            reply_budgets: Vec::new(),
            temperature: 0.0,
            top_p: 1.0,
            top_k: None,
            min_p: 0.0,
            repetition_penalty: 1.0,
            stop: Vec::new(),
            thinking: ThinkingChoice::Off,
            end_of_thought: None,
            questions_per_prompt: None,
            extract: Rules::Ours,
            rules_version: RULES_VERSION,
        }
    }
}

/// Whether a model thinks before it replies, and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ThinkingChoice {
    /// The template's switch is off.
    #[default]
    Off,
    /// The template's switch is on.
    On,
    /// The switch is on, and a thinking section is closed after this many tokens.
    Tokens(usize),
}

/// The value of `--thinking`: whether the model thinks, or several budgets to which its thoughts are cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThinkingArgument {
    /// One way for all replies.
    Once(ThinkingChoice),
    /// Thoughts are written once, within the largest of these numbers of tokens, and cut to each; in rising order.
    Budgets(Vec<usize>),
}

impl std::str::FromStr for ThinkingArgument {
    type Err = NotAThinkingChoice;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        if !given.contains(',') {
            return given.parse().map(ThinkingArgument::Once);
        }
        let refused = || NotAThinkingChoice { given: given.to_string() };
        let budgets: Result<Vec<usize>, _> = given.split(',').map(|budget| budget.trim().parse()).collect();
        let mut budgets = budgets.map_err(|_| refused())?;
        let several = budgets.len();
        budgets.sort_unstable();
        budgets.dedup();
        if budgets.len() < several.max(2) { Err(refused()) } else { Ok(ThinkingArgument::Budgets(budgets)) }
    }
}

/// A text that is not a thinking choice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid thinking choice `{given}`; write on, off, a maximum number of tokens, or several different ones as 0,128,512"
)]
pub struct NotAThinkingChoice {
    /// The text given.
    pub given: String,
}

impl std::str::FromStr for ThinkingChoice {
    type Err = NotAThinkingChoice;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        match (given, given.parse()) {
            ("off", _) => Ok(ThinkingChoice::Off),
            ("on", _) => Ok(ThinkingChoice::On),
            (_, Ok(tokens)) if tokens > 0 => Ok(ThinkingChoice::Tokens(tokens)),
            _ => Err(NotAThinkingChoice { given: given.to_string() }),
        }
    }
}

impl std::fmt::Display for ThinkingChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ThinkingChoice::Off => f.write_str("off"),
            ThinkingChoice::On => f.write_str("on"),
            ThinkingChoice::Tokens(tokens) => write!(f, "at most {}", counted(*tokens, "token")),
        }
    }
}

impl GenerationSettings {
    /// Returns the sampling settings of the engine.
    ///
    /// # Errors
    /// A thinking budget for a model without an end-of-thinking token, and an end that cannot be tokenized.
    pub fn sampling(&self, seed: u64, tokenizer: &Tokenizer) -> Result<Sampling, ThinkingFault> {
        let budget = match self.thinking {
            ThinkingChoice::Tokens(tokens) => Some(tokens),
            ThinkingChoice::On | ThinkingChoice::Off => None,
        };
        let marks = crate::model::thinking_marks(tokenizer);
        let thinking = match (marks, budget) {
            (None, Some(_)) => return Err(ThinkingFault::NoMarks),
            (None, None) => None,
            (Some((open, close)), budget) => {
                let end = self.end_of_thought.as_deref().map(|end| tokenizer.encode(end, false)).transpose()?;
                // A template may end thoughts by another mark than the one for which this tokenizer has a token.
                let of_template = end.filter(|end| end.windows(close.len()).any(|tokens| tokens == close));
                Some(ThinkingBudget { open, forced: of_template.unwrap_or_else(|| close.clone()), close, budget })
            }
        };
        Ok(Sampling {
            temperature: self.temperature,
            top_p: self.top_p,
            top_k: self.top_k,
            min_p: self.min_p,
            repetition_penalty: self.repetition_penalty,
            seed,
            stop: tokenizer.stop_ids().to_vec(),
            stop_strings: self.stop.clone(),
            thinking,
        })
    }

    /// Checks that tokens can be drawn with these settings, and that several replies differ.
    pub fn check(&self) -> Result<(), WritingFault> {
        let sampling = Sampling {
            temperature: self.temperature,
            top_p: self.top_p,
            top_k: self.top_k,
            min_p: self.min_p,
            repetition_penalty: self.repetition_penalty,
            stop_strings: self.stop.clone(),
            ..Sampling::greedy(Vec::new())
        };
        sampling.check()?;
        match self.samples > 1 && sampling.is_greedy() {
            true => Err(WritingFault::SameReplies { samples: self.samples }),
            false => Ok(()),
        }
    }

    /// Returns the numbers of tokens to which replies are cut, other than the maximum.
    pub fn shorter_budgets(&self) -> Vec<usize> {
        self.reply_budgets.iter().copied().filter(|&tokens| Some(tokens) != self.max_new_tokens).collect()
    }

    /// Describes the settings for the label of a row: `written, greedy` or `written, sampled, 3 each`.
    pub fn named(&self) -> String {
        match (self.temperature == 0.0, self.samples) {
            (true, _) => "written, greedy".to_string(),
            (false, 1) => "written, sampled".to_string(),
            (false, samples) => format!("written, sampled, {samples} each"),
        }
    }

    /// Describes the settings in a few words, for instance `greedy` or
    /// `sampled at temperature 0.6, top-p 0.95, 3 replies each`.
    pub fn described(&self) -> String {
        let mut parts = vec![match self.temperature == 0.0 {
            true => "greedy".to_string(),
            false => format!("sampled at temperature {}", self.temperature),
        }];
        parts.extend((self.top_p < 1.0).then(|| format!("top-p {}", self.top_p)));
        parts.extend(self.top_k.map(|top_k| format!("top-k {top_k}")));
        parts.extend((self.min_p > 0.0).then(|| format!("min-p {}", self.min_p)));
        parts.extend(
            (self.repetition_penalty != 1.0).then(|| format!("repetition penalty {}", self.repetition_penalty)),
        );
        parts.extend((self.samples > 1).then(|| format!("{} replies each", self.samples)));
        parts.extend(self.questions_per_prompt.map(|questions| format!("{} in a prompt", questions.described())));
        parts.extend(self.max_new_tokens.map(|tokens| format!("at most {}", counted(tokens, "token"))));
        let budgets: Vec<String> = self.reply_budgets.iter().map(usize::to_string).collect();
        parts.extend((!budgets.is_empty()).then(|| format!("read cut to {} tokens", budgets.join(", "))));
        parts.extend((self.thinking != ThinkingChoice::Off).then(|| format!("thinking {}", self.thinking)));
        parts.join(", ")
    }
}

/// Invalid settings for replies.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WritingFault {
    /// The sampling settings are invalid.
    #[error(transparent)]
    Sampling(#[from] SamplingFault),
    /// All replies to a prompt would be identical.
    #[error(
        "{samples} replies to each prompt would all be identical under greedy decoding; set --temperature above 0, \
         or leave out --samples"
    )]
    SameReplies {
        /// Number requested.
        samples: usize,
    },
}

/// Thoughts that cannot be limited to a budget.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThinkingFault {
    /// The model has no end-of-thinking mark.
    #[error("--thinking N: the model's tokenizer has no end-of-thinking token; use on or off")]
    NoMarks,
    /// The end of a thought cannot be tokenized.
    #[error("--thinking N: the end of a thought cannot be tokenized: {0}")]
    End(#[from] TokenizerError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_about_thinking_are_read() {
        assert_eq!("on".parse(), Ok(ThinkingChoice::On));
        assert_eq!("off".parse(), Ok(ThinkingChoice::Off));
        assert_eq!("400".parse(), Ok(ThinkingChoice::Tokens(400)));
        for text in ["0", "-1", "maybe", ""] {
            assert!(text.parse::<ThinkingChoice>().is_err(), "{text}");
        }
        assert_eq!("512,0, 128".parse(), Ok(ThinkingArgument::Budgets(vec![0, 128, 512])));
        assert_eq!("on".parse(), Ok(ThinkingArgument::Once(ThinkingChoice::On)));
        for text in ["1,1", "1,", "on,2", "0"] {
            assert!(text.parse::<ThinkingArgument>().is_err(), "{text}");
        }
    }

    #[test]
    fn settings_are_told_in_a_few_words() {
        assert_eq!(GenerationSettings::default().described(), "greedy");
        let sampled = GenerationSettings {
            temperature: 0.6,
            top_p: 0.95,
            samples: 3,
            thinking: ThinkingChoice::Tokens(9),
            ..GenerationSettings::default()
        };
        assert_eq!(
            sampled.described(),
            "sampled at temperature 0.6, top-p 0.95, 3 replies each, thinking at most 9 tokens"
        );
    }
}
