//! Settings of a run: everything that determines which trials exist and what they show.

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::presented::{Presented, changed};
use super::reminding::Reminding;
use super::shots::Shots;
use super::swaps::Swaps;
use super::variant::RunPart;
use super::writing::GenerationSettings;
use crate::benchmark::{Benchmark, FacetRule, Item, LabelSet, LoadOptions, OwnData, Swapper};
use crate::language::Language;
use crate::model::{ChosenTemplate, TemplateVariables};
use crate::prompt::{
    Budgeted, Condition, DrawnOrder, InstructionChoice, Instructions, Order, OrderPolicy, Scoring, TokenBudget,
    TooManyOrders, lettered,
};
use crate::record::TrialRecord;

/// The settings of a run, as stored in its manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Benchmarks by name, in the order given.
    pub benchmarks: Vec<Benchmark>,
    /// Number of Hi-ToM stories generated for this run instead of released ones; absent if none were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_stories: Option<usize>,
    /// Languages; empty for all languages of a benchmark.
    pub languages: Vec<Language>,
    /// Gold answers used.
    pub labels: LabelSet,
    /// Benchmark-specific choices.
    pub choices: IndexMap<String, String>,
    /// Ids of the selected items; all if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<String>,
    /// Rules for the facets of the selected items.
    #[serde(default, skip_serializing_if = "Vec::is_empty", rename = "where")]
    pub facets: Vec<FacetRule>,
    /// Settings for reading a user's own file.
    #[serde(default, skip_serializing_if = "OwnData::is_empty")]
    pub own: OwnData,
    /// Maximum questions per benchmark.
    pub limit: Option<usize>,
    /// Maximum stories per benchmark.
    pub limit_stories: Option<usize>,
    /// Prompt style.
    pub style: String,
    /// Languages of the instructions.
    pub instructions: InstructionChoice,
    /// Number of wordings of the instruction in which each item is asked; absent if only in the pack's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wordings: Option<usize>,
    /// Presentations of each item; null is the plain one.
    pub conditions: Vec<Option<Condition>>,
    /// Other persons with whom each item is asked, too; absent if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swaps: Option<Swaps>,
    /// Scoring of options.
    pub scoring: Scoring,
    /// Generation and reading of replies; absent if options were scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writing: Option<GenerationSettings>,
    /// Items shown with their answers before each question, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shots: Option<Shots>,
    /// Answers to linked questions of which items are reminded, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reminders: Option<Reminding>,
    /// The model's own reasoning, if answers are scored after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_reasoning: Option<EarlierRun>,
    /// The phase of a style that asks in two: `first` for a run that writes the replies to the first one, which state no
    /// answer; the second one holds the description of those replies. Absent for other styles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// Whether continuations are also scored after a neutral context, for the `pmi` normalisation.
    pub unconditional: bool,
    /// Option orders.
    #[serde(with = "as_text")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub orders: OrderPolicy,
    /// Options that keep their slots in every order, since they refer to others or to none ("all of the above"), by item;
    /// absent if there are none.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub anchored: IndexMap<String, Vec<usize>>,
    /// Seed of every draw.
    pub seed: u64,
    /// Variables of the chat template, for instance to disable thinking.
    #[serde(default, skip_serializing_if = "TemplateVariables::is_empty")]
    pub template_variables: TemplateVariables,
    /// The variables with which thinking is switched off, where each item is also asked without a thought; absent if the
    /// template has no switch.
    #[serde(default, skip_serializing_if = "TemplateVariables::is_empty")]
    pub switched_off: TemplateVariables,
    /// Chat template used instead of the model's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat_template: Option<ChosenTemplate>,
}

/// A phase of a style that asks in two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The replies are texts for the prompts of a later run.
    First,
    /// The prompts contain the replies of an earlier run.
    Second(EarlierRun),
    /// Each item is asked behind the thoughts of an earlier run, cut to each of these numbers of tokens.
    #[serde(rename = "cut-thoughts")]
    CutThoughts(EarlierRun),
}

/// The replies of an earlier run that the prompts of this one contain, as stored in the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EarlierRun {
    /// Style of the first phase; absent for the reasoning of the same style.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<String>,
    /// Replies to each item in each order.
    pub samples: usize,
    /// Generation settings of the replies, in a few words.
    pub written: String,
    /// SHA-256 of all replies in the order of their records.
    pub sha256: String,
    /// Replies to the first phase that the length limit cut off; absent if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut: usize,
    /// Empty replies to the first phase; absent if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub empty: usize,
    /// Replies without a thought, whose answers follow an empty one; absent if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub without_thought: usize,
    /// How the thoughts were cut, by budget; absent if they were not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<ThoughtBudget>,
}

/// Thoughts cut to a number of tokens.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ThoughtBudget {
    /// The number; at 0 the template's switch is off, or the section is empty.
    pub tokens: usize,
    /// Thoughts that were longer.
    pub cut: usize,
    /// Tokens of all thoughts, as cut.
    pub used: usize,
    /// Replies, with and without a thought.
    pub replies: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl EarlierRun {
    /// How many replies to the first phase were cut off or are empty; `None` if none are.
    pub(super) fn unusual(&self) -> Option<String> {
        let parts = [(self.cut, "cut off at the length limit"), (self.empty, "empty")];
        let some = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = some.map(|(count, what)| format!("{count} {what}")).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

impl Settings {
    /// Returns settings for letter scoring in the plain style, every item of one benchmark in one language, seed 0, for
    /// measurements.
    pub fn letters(benchmark: Benchmark, language: Language, orders: OrderPolicy) -> Settings {
        Settings {
            benchmarks: vec![benchmark],
            made_stories: None,
            languages: vec![language],
            labels: LabelSet::Published,
            choices: IndexMap::new(),
            items: Vec::new(),
            facets: Vec::new(),
            own: OwnData::default(),
            limit: None,
            limit_stories: None,
            style: "vanilla".to_string(),
            instructions: InstructionChoice::Item,
            wordings: None,
            conditions: vec![None],
            swaps: None,
            scoring: Scoring::Letter,
            writing: None,
            shots: None,
            reminders: None,
            after_reasoning: None,
            phase: None,
            unconditional: false,
            orders,
            anchored: IndexMap::new(),
            seed: 0,
            template_variables: TemplateVariables::new(),
            switched_off: TemplateVariables::new(),
            chat_template: None,
        }
    }

    /// Returns the names under which answers may be reported: of each condition with each language of instructions.
    pub fn presentations(&self) -> Vec<Option<String>> {
        let instructions: Vec<Instructions> =
            [Instructions::Item].into_iter().chain(self.instructions.each().iter().copied()).collect();
        let questions = self.writing.as_ref().and_then(|writing| writing.questions_per_prompt);
        let shots = self.shots.clone().map(Arc::new);
        let nobody = |swap| Arc::new(Swapper::of_nobody(swap));
        let swappers: Vec<Arc<Swapper>> = self.swaps.iter().flat_map(Swaps::each).map(nobody).collect();
        let mut names = Vec::new();
        for &condition in &self.conditions {
            for &instructions in &instructions {
                let base =
                    Presented { condition, instructions, questions, shots: shots.clone(), ..Presented::default() };
                names.extend(self.each_way(&base, &swappers).iter().map(Presented::name));
            }
        }
        names
    }

    /// Returns the ways in which an item is presented besides what `base` says: with its own persons and others, in each
    /// wording, within each budget, with each reminder.
    pub(super) fn each_way(&self, base: &Presented, others: &[Arc<Swapper>]) -> Vec<Presented> {
        let persons = std::iter::once(None).chain(others.iter().cloned().map(Some));
        let wordings: Vec<Option<usize>> =
            std::iter::once(None).chain((2..=self.wordings.unwrap_or(1)).map(Some)).collect();
        let mut reminders = vec![None];
        reminders.extend(self.reminders.iter().flat_map(Reminding::each).map(Some));
        let mut ways = Vec::new();
        for swap in persons {
            for &wording in &wordings {
                for budget in self.budgets() {
                    let with = |reminder: &Option<_>| {
                        let (swap, reminder) = (swap.clone(), reminder.clone());
                        Presented { swap, wording, reminder, budget, ..base.clone() }
                    };
                    ways.extend(reminders.iter().map(with));
                }
            }
        }
        ways
    }

    /// Returns an item as the model was shown it in a trial.
    pub fn shown_again<'i>(&self, item: &'i Item, record: &TrialRecord) -> Cow<'i, Item> {
        let TrialRecord { condition, order, labels, .. } = record;
        let name = condition.as_deref();
        let swapped = self.swaps.as_ref().map_or(Cow::Borrowed(item), |swaps| swaps.shown(item, name, self.seed));
        self.lettered(changed(Condition::of_presentation(name), swapped), order, labels)
    }

    /// Returns the distinct orders drawn for an item with this many options.
    pub fn draw(&self, id: &str, options: usize) -> Result<Vec<DrawnOrder>, TooManyOrders> {
        self.orders.draw_around(self.seed, id, options, self.anchored_in(id))
    }

    /// Returns the options of an item that keep their slots.
    fn anchored_in(&self, id: &str) -> &[usize] {
        self.anchored.get(id).map_or(&[], Vec::as_slice)
    }

    /// Returns an item as presented in an order, whose options name others by the labels shown.
    pub fn lettered<'i>(&self, presented: Cow<'i, Item>, order: &Order, labels: &[String]) -> Cow<'i, Item> {
        let anchored = self.anchored_in(&presented.id);
        lettered(presented, anchored, order, labels)
    }

    /// Describes the scoring, for the label of a row.
    pub fn answers(&self) -> String {
        let written;
        let scored = match self.scoring {
            Scoring::Letter => "letters",
            Scoring::Text => "texts",
            Scoring::Hybrid => "texts of options shown",
            Scoring::Generate => {
                written = self.writing.as_ref().map_or_else(String::new, GenerationSettings::named);
                &written
            }
        };
        match (&self.after_reasoning, &self.phase) {
            (Some(_), _) => format!("{scored} after reasoning"),
            (_, Some(Phase::CutThoughts(_))) => format!("{scored} behind cut thoughts"),
            _ => scored.to_string(),
        }
    }

    /// Describes the scoring, for the header of a report.
    pub fn answers_in_full(&self) -> String {
        let written;
        let scored = match self.scoring {
            Scoring::Letter => "log-likelihood of letters",
            Scoring::Text => "log-likelihood of option texts",
            Scoring::Hybrid => "log-likelihood of option texts, options shown",
            Scoring::Generate => {
                let how = self.writing.as_ref().map_or_else(String::new, GenerationSettings::described);
                written = format!("written, {how}");
                &written
            }
        };
        match (&self.after_reasoning, &self.phase) {
            (Some(after), _) => format!("{scored} behind the model's own reasoning ({})", after.written),
            (_, Some(Phase::CutThoughts(earlier))) => {
                let budgets: Vec<String> = earlier.budgets.iter().map(|budget| budget.tokens.to_string()).collect();
                let budgets = budgets.join(", ");
                format!("{scored} behind the model's own thoughts ({}), cut to {budgets} tokens", earlier.written)
            }
            _ => scored.to_string(),
        }
    }

    /// Returns the number of replies in each option order.
    pub fn samples(&self) -> usize {
        let written = self.writing.as_ref().map(|writing| writing.samples);
        written.or(self.earlier().map(|earlier| earlier.samples)).unwrap_or(1)
    }

    /// Returns the budgets to which thoughts are cut before each answer, or replies; `None` alone if they are not.
    fn budgets(&self) -> Vec<Option<TokenBudget>> {
        let some = |of| move |tokens| Some(TokenBudget::new(of, tokens));
        match (&self.phase, &self.writing) {
            (Some(Phase::CutThoughts(earlier)), _) => {
                earlier.budgets.iter().map(|budget| budget.tokens).map(some(Budgeted::Thinking)).collect()
            }
            (_, Some(writing)) if !writing.reply_budgets.is_empty() => {
                writing.reply_budgets.iter().copied().map(some(Budgeted::Reply)).collect()
            }
            _ => vec![None],
        }
    }

    /// Whether the replies are texts for the prompts of a later run, and state no answer.
    pub fn is_first_phase(&self) -> bool {
        self.phase == Some(Phase::First)
    }

    /// Returns the replies of an earlier run that the prompts contain, if any.
    pub fn earlier(&self) -> Option<&EarlierRun> {
        match &self.phase {
            Some(Phase::Second(first) | Phase::CutThoughts(first)) => Some(first),
            _ => self.after_reasoning.as_ref(),
        }
    }

    /// Returns the settings of the same run with these replies in its prompts.
    pub fn after(&self, earlier: EarlierRun, part: &RunPart) -> Settings {
        match part {
            RunPart::Second(_) => Settings { phase: Some(Phase::Second(earlier)), ..self.clone() },
            RunPart::CutThoughts(_) => Settings { phase: Some(Phase::CutThoughts(earlier)), ..self.clone() },
            _ => Settings { after_reasoning: Some(earlier), ..self.clone() },
        }
    }

    /// Style of the first phase whose replies the prompts contain, if any.
    pub fn first_phase_style(&self) -> Option<&str> {
        match &self.phase {
            Some(Phase::Second(earlier)) => earlier.style.as_deref(),
            _ => None,
        }
    }

    /// Describes the phase in a few words; `None` for a style that asks once.
    pub fn phase_described(&self) -> Option<String> {
        Some(match self.phase.as_ref()? {
            Phase::First => {
                "the first of two: its replies are texts for the prompts of later runs and state no answer, so \
                             there are no tables"
                    .to_string()
            }
            Phase::CutThoughts(_) => return None,
            Phase::Second(first) => {
                let EarlierRun { style, written, .. } = first;
                let style = style.as_deref().unwrap_or_default();
                let unusual = first.unusual().map(|unusual| format!("; {unusual}")).unwrap_or_default();
                format!(
                    "the second of two: its prompts contain the model's own replies in the style {style} ({written}{unusual})"
                )
            }
        })
    }

    /// Returns the loader options of the settings.
    pub fn load_options(&self) -> LoadOptions {
        LoadOptions {
            languages: self.languages.clone(),
            labels: self.labels,
            choices: self.choices.clone(),
            own: self.own.clone(),
        }
    }
}

/// Serialises values as their `Display` text and reads them with `FromStr`.
mod as_text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer, de};

    pub fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr,
        T::Err: Display,
        D: Deserializer<'de>,
    {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
