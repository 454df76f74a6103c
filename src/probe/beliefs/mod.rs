//! What can be decoded from the residual stream about who takes an object to be where.
//!
//! Texts end in a statement ("Anna thinks the apple is in the green_box."). Logistic regressions on the residual stream of
//! their last token are learned from made stories in which belief and reality are independent, and tested on released
//! stories in which they differ: for the label that the chain of minds has it so, and that it is so. After Zhu et al. 2024
//! ("Language Models Represent Beliefs of Self and Others", arXiv:2402.18496), who read the outputs of attention heads.
//! They say what can be decoded, not what the model uses.

mod figure;
mod judge;
mod learn;
mod statements;

use std::collections::BTreeSet;

use indexmap::{IndexMap, IndexSet};
use serde::Serialize;

use super::local::Scorer;
use super::score::{ProbeError, Skip, SkippedRow, skips};
use crate::benchmark::{Benchmark, Item};
use crate::language::Language;
use judge::{Set, judge};
use learn::Features;

pub use figure::chart;
pub use statements::Statement;

/// Settings of the probe.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Settings {
    /// `beliefs`: made stories to learn from, half of them with a true belief.
    pub stories: usize,
    /// Seed of all draws and of the made stories.
    pub seed: u64,
}

/// Results for a benchmark in a language.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Group {
    pub benchmark: Benchmark,
    pub language: Language,
    /// Skipped items, by reason.
    pub skipped: IndexMap<String, usize>,
    /// `beliefs`: made stories; two versions of a story count as two.
    pub made_stories: usize,
    /// `beliefs`: statements about made stories.
    pub made_statements: usize,
    /// `beliefs`: released stories in which belief and reality differ.
    pub released_stories: usize,
    /// `beliefs`: statements about released stories.
    pub released_statements: usize,
    /// `beliefs`: agents and containers that both made and released statements name.
    pub shared_names: Vec<String>,
    /// `beliefs`: how well statements are told apart, by what their scores come from.
    pub scores: Vec<Scored>,
    /// `beliefs`: the probes of each layer.
    pub layers: Vec<Layer>,
}

/// Where scores of statements come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The residual stream, learned from what the chain believes.
    BeliefProbe,
    /// The residual stream, learned from what is the case.
    RealityProbe,
    /// The layer and penalty of the belief probe, learned from its labels in random order.
    ShuffledBelief,
    /// The same of the reality probe.
    ShuffledReality,
    /// Counts of the words of story and statement, learned from what the chain believes.
    WordsBelief,
    /// The same, learned from what is the case.
    WordsReality,
    /// Whether the statement names the container that the story named last.
    LastNamed,
}

impl Source {
    /// The name in tables.
    pub fn label(self) -> &'static str {
        match self {
            Source::BeliefProbe => "belief probe",
            Source::RealityProbe => "reality probe",
            Source::ShuffledBelief => "belief, shuffled",
            Source::ShuffledReality => "reality, shuffled",
            Source::WordsBelief => "belief, words",
            Source::WordsReality => "reality, words",
            Source::LastNamed => "last named",
        }
    }
}

/// How well scores tell statements that hold from others.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Scored {
    pub by: Source,
    /// The layer, 0 for the embedding, chosen on made stories; null where none is read.
    pub layer: Option<usize>,
    /// The penalty chosen on made stories; null where nothing is learned.
    pub penalty: Option<f64>,
    /// Area on made stories by cross-validation, on the labels learned; null where nothing is learned or chosen.
    pub cross_validated: Option<f64>,
    /// On released stories, of statements that the chain believes against others.
    pub belief: Area,
    /// On released stories, of statements that are the case against others.
    pub reality: Area,
}

/// An area under the curve: the chance that a statement that holds has the higher score, ties counted one half.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Area {
    /// The area, 0 to 1; of shuffled labels, the mean over draws.
    pub auc: f64,
    /// 95 % interval over stories; of shuffled labels, the middle 95 % of the draws. Null for fewer than five stories,
    /// and where all pairs are on one side.
    pub interval: Option<(f64, f64)>,
}

/// The probes of a layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Layer {
    /// 0 for the embedding.
    pub layer: usize,
    /// The belief probe.
    pub belief: LayerProbe,
    /// The reality probe.
    pub reality: LayerProbe,
}

/// A probe of a layer, on its own labels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LayerProbe {
    /// The penalty chosen on made stories.
    pub penalty: f64,
    /// Area on made stories by cross-validation.
    pub cross_validated: f64,
    /// Area on released stories.
    pub released: Area,
}

/// Result for one released statement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BeliefRow {
    /// The item it is made of.
    pub id: String,
    pub benchmark: Benchmark,
    pub language: Language,
    /// The minds asked about, outermost first.
    pub chain: Vec<String>,
    pub object: String,
    pub statement: String,
    /// Whether the chain has it so.
    pub belief: bool,
    /// Whether it is so.
    pub reality: bool,
    /// Log-odds of the belief probe.
    pub belief_score: f64,
    /// Log-odds of the reality probe.
    pub reality_score: f64,
}

/// All results.
#[derive(Debug, Clone, PartialEq)]
pub struct Beliefs {
    /// By benchmark and language, in the order of the items.
    pub groups: Vec<Group>,
    /// Released statements.
    pub rows: Vec<BeliefRow>,
    /// Skipped items.
    pub skipped: Vec<SkippedRow>,
}

/// What a text's end is of, and its residual stream, `(layers + 1, hidden)`.
pub struct State<'a> {
    pub statement: &'a Statement,
    pub is_released: bool,
    /// Number of the text's tokens; the state is that of the last.
    pub tokens: usize,
    pub values: &'a [f32],
}

/// Receives each state as it is read.
pub type Keep<'a> = &'a mut dyn FnMut(State<'_>) -> std::io::Result<()>;

/// Receives what is being done, in which units, how many are done, and how many there are.
pub type AfterStage<'a> = &'a mut dyn FnMut(&str, &'static str, usize, usize);

/// Learns probes from made stories of the form of the items' benchmarks, and tests them on the items about false beliefs.
///
/// # Errors
/// A benchmark without a generator, no items to probe, and errors of the model and of `keep`.
pub fn probe(
    model: &Scorer<'_>,
    items: &[Item],
    settings: &Settings,
    keep: Keep<'_>,
    after: AfterStage<'_>,
) -> Result<Beliefs, ProbeError> {
    let (released, mut skipped) = statements::released(items);
    let mut by_group: IndexMap<(Benchmark, Language), Vec<Statement>> = IndexMap::new();
    for statement in released {
        by_group.entry((statement.benchmark, statement.language)).or_default().push(statement);
    }
    let (mut groups, mut rows) = (Vec::new(), Vec::new());
    for ((benchmark, language), released) in by_group {
        let of_items = items.iter().filter(|item| (item.benchmark, item.language) == (benchmark, language));
        let deceptive: BTreeSet<bool> = of_items.map(|item| item.facet("deception") == Some("yes")).collect();
        let kinds: Vec<bool> = deceptive.into_iter().collect();
        let made = statements::made(benchmark, language, &kinds, settings.stories, settings.seed)?;
        let mut reading = Reading { model, keep: &mut *keep, after: &mut *after };
        let (made, _) = reading.read("reading made stories", made, false)?;
        let (released, too_long) = reading.read("reading released stories", released, true)?;
        let too_long: IndexSet<&str> = too_long.iter().map(|statement| statement.id.as_str()).collect();
        let too_long = items.iter().filter(|item| too_long.contains(item.id.as_str()));
        skipped.extend(too_long.map(|item| SkippedRow::new(item, Skip::TooLong)));
        let judged = judge(&made, &released, settings.seed, |done, all| after("learning probes", "layers", done, all));
        let (scores, layers, of_group) = judged.ok_or(ProbeError::TooFewStatements {
            benchmark,
            language,
            made: made.statements.len(),
            released: released.statements.len(),
        })?;
        groups.push(Group {
            skipped: IndexMap::new(),
            made_stories: made.texts(),
            made_statements: made.statements.len(),
            released_stories: released.texts(),
            released_statements: released.statements.len(),
            shared_names: made.names().intersection(&released.names()).map(|name| name.to_string()).collect(),
            scores,
            layers,
            benchmark,
            language,
        });
        rows.extend(of_group);
    }
    for group in &mut groups {
        let own = |row: &&SkippedRow| (row.benchmark, row.language) == (group.benchmark, group.language);
        group.skipped = skips(skipped.iter().filter(own));
    }
    if groups.is_empty() { Err(ProbeError::Nothing(skips(&skipped))) } else { Ok(Beliefs { groups, rows, skipped }) }
}

/// Reads the ends of texts.
struct Reading<'a, 'm> {
    model: &'a Scorer<'m>,
    keep: Keep<'a>,
    after: AfterStage<'a>,
}

impl Reading<'_, '_> {
    /// The statements with their states, and those whose text is longer than the model's context.
    fn read(
        &mut self,
        what: &str,
        statements: Vec<Statement>,
        is_released: bool,
    ) -> Result<(Set, Vec<Statement>), ProbeError> {
        let spec = self.model.decoder.spec();
        let mut features = Features { layers: spec.layers + 1, width: spec.hidden, values: Vec::new() };
        let numbers = statements.len() * features.layers * features.width;
        if features.values.try_reserve_exact(numbers).is_err() {
            let why =
                format!("{numbers} numbers of {} texts do not fit in memory; use fewer --stories", statements.len());
            return Err(ProbeError::States(std::io::Error::other(why)));
        }
        let mut is_read = vec![false; statements.len()];
        let texts: Vec<String> = statements.iter().map(Statement::text).collect();
        self.model.states(
            &texts,
            &mut |done, all| (self.after)(what, "texts", done, all),
            &mut |text, tokens, values| {
                if !values.iter().all(|value| value.is_finite()) {
                    let why =
                        "a number of the residual stream is infinite or NaN; try --dtype f32, or check the weights";
                    return Err(ProbeError::States(std::io::Error::other(why)));
                }
                is_read[text] = true;
                features.values.extend_from_slice(values);
                let statement = &statements[text];
                (self.keep)(State { statement, is_released, tokens, values }).map_err(ProbeError::States)
            },
        )?;
        let mut is_read = is_read.into_iter();
        let (statements, others) = statements.into_iter().partition(|_| is_read.next() == Some(true));
        Ok((Set { statements, features }, others))
    }
}
