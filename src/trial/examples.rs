//! Few-shot examples: selects the items shown with their answers before an item, by a rule that depends only on stated
//! properties.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;
use rand::Rng;
use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::ask::{AskKeeper, KeptAsk, TrialAsks, by_story};
use super::dataset::Dataset;
use super::dataset_error::{DatasetError, Problems};
use super::list::{Trial, style_of};
use super::paths::recorded_path;
use super::presented::Presented;
use super::settings::Settings;
use super::shots::{ShotFile, Shots};
use crate::benchmark::{Answer, Benchmark, Item, LoadOptions};
use crate::counted::counted;
use crate::language::Language;
use crate::model::sha256_bytes;
use crate::prompt::{
    Ask, Condition, Instructions, Order, Pack, PackError, Prompt, PromptError, Scoring, Shot, ShotForm, Style,
    with_shots,
};
use crate::record::Failure;
use crate::seed::seeded;

/// Column of an example file with the reasoning of each example.
const REASONING: &str = "reasoning";

/// Facets in which an example matches the item, if the item has them.
const ALIKE: [&str; 2] = ["task", "dimension"];

/// Examples that cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShotError {
    /// The file cannot be read.
    #[error("--shots-from {path}: {source}")]
    Unreadable { path: String, source: std::io::Error },
    /// Its rows are not valid items.
    #[error("--shots-from {path}: {source}")]
    Items { path: String, source: Box<DatasetError> },
    /// There are too few examples.
    #[error(
        "--shots {wanted}: of other stories with the language, kind of answer, task and dimension of `{item}`, {source_of} has {}; ask for fewer, or name a file with --shots-from", counted(*found, "item")
    )]
    TooFew {
        item: String,
        /// Number requested.
        wanted: usize,
        /// Number found.
        found: usize,
        /// Where they were searched.
        source_of: String,
    },
    /// A style that reasons, and examples without reasoning.
    #[error(
        "{style}: the style reasons before it answers, and `{example}` has no reasoning to show; name a file with --shots-from \
         whose rows have a text `reasoning`, or use a style that does not reason"
    )]
    NoReasoning { style: String, example: String },
    /// Sets of labels are asked label by label.
    #[error(
        "`{item}` has several right labels, which {scoring} scoring asks about one by one, without examples; use --scoring \
         generate, or leave out --shots"
    )]
    Labels { item: String, scoring: Scoring },
    /// Prompts with several questions.
    #[error(
        "--shots shows one question an example, and --questions-per-prompt asks several at once; leave out one of them"
    )]
    Several,
    /// No style fits an item.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// A prompt of an example cannot be built.
    #[error("an example before `{item}`: {source}")]
    Prompt {
        /// The item asked.
        item: String,
        source: PromptError,
    },
}

/// Reads an example file in the format of the user's own questions; returns its items and its manifest entry.
pub fn shots_in(path: &Path) -> Result<(Vec<Item>, ShotFile), ShotError> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|source| ShotError::Unreadable { path: name.clone(), source })?;
    let load = || {
        let loaded = Dataset::new(vec![Benchmark::Custom], Some(path.to_path_buf()), LoadOptions::default())?.load()?;
        match loaded.problems.into_values().flatten().collect::<Vec<_>>() {
            problems if problems.is_empty() => Ok(loaded.items),
            problems => Err(DatasetError::NothingRead { benchmark: Benchmark::Custom, problems: Problems(problems) }),
        }
    };
    let items = load().map_err(|source| ShotError::Items { path: name.clone(), source: Box::new(source) })?;
    let path = recorded_path(path).display().to_string();
    Ok((items, ShotFile { path, sha256: sha256_bytes(&bytes) }))
}

/// Properties shared by items that may be examples for each other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Alike {
    benchmark: Option<Benchmark>,
    language: Language,
    kind: &'static str,
    facets: [Option<String>; 2],
    style: String,
}

impl Alike {
    /// In a benchmark: all properties. From a file: language and kind of answer, since it has its own tasks.
    fn new(item: &Item, style: &Style) -> Alike {
        Alike {
            benchmark: Some(item.benchmark),
            facets: ALIKE.map(|facet| item.facet(facet).map(str::to_string)),
            style: style.to_string(),
            ..Alike::in_file(item)
        }
    }

    fn in_file(item: &Item) -> Alike {
        Alike {
            benchmark: None,
            language: item.language,
            kind: item.gold.kind(),
            facets: [None, None],
            style: String::new(),
        }
    }
}

/// Puts examples before every question.
///
/// The examples are K items drawn without replacement among those of the same benchmark (or of the file), language,
/// kind of answer and style, and of the same task and dimension if the item has them, but never of its own story. The
/// draw depends only on the seed, the story and these shared properties, so that all matching questions of a story, in
/// all their option orders, have the same examples in the same order, and share them as a prefix. Each example has its
/// own option order, drawn so that its right answer is in each slot in turn.
pub(crate) fn add_shots(
    asked: &mut [Result<TrialAsks, Failure>],
    trials: &[Trial],
    items: &[Item],
    pool: &[Item],
    packs: &IndexMap<Benchmark, Pack>,
    settings: &Settings,
) -> Result<(), ShotError> {
    let Some(shots) = &settings.shots else { return Ok(()) };
    if trials.iter().any(|trial| trial.presented.questions.is_some()) {
        return Err(ShotError::Several);
    }
    let draw = Draw { shots, pool, packs, settings, alike: RefCell::default() };
    let mut drawn: HashMap<(&str, Alike, &Presented), Arc<[Shot]>> = HashMap::new();
    let mut of_trials: Vec<Arc<[Shot]>> = Vec::with_capacity(trials.len());
    for trial in trials {
        let item = &items[trial.item];
        let style = style_of(&packs[&item.benchmark], item, trial.presented.instructions, settings)?;
        let alike = if shots.file.is_some() { Alike::in_file(item) } else { Alike::new(item, style) };
        let shown = match drawn.entry((&item.story, alike.clone(), &trial.presented)) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(new) => Arc::clone(new.insert(draw.before(item, trial, style, &alike)?)),
        };
        of_trials.push(shown);
    }
    let numbers: Vec<usize> = (0..trials.len()).collect();
    let same_story = |&one: &usize, &next: &usize| items[trials[one].item].story == items[trials[next].item].story;
    let with_examples = |numbers: &[usize]| {
        let mut keeper = AskKeeper::default();
        let one = |&number: &usize| {
            let asked = asked[number].as_ref().ok()?;
            // The neutral context, which is last, contains no item.
            let of_item = asked.asks.len() - usize::from(settings.unconditional);
            let kept = asked.asks.iter().enumerate().map(|(at, ask)| match at < of_item {
                true => with_examples(ask, &of_trials[number], shots.form, &mut keeper),
                false => ask.clone(),
            });
            Some(kept.collect::<Vec<KeptAsk>>())
        };
        numbers.iter().map(one).collect::<Vec<_>>()
    };
    let all: Vec<Option<Vec<KeptAsk>>> =
        by_story(&numbers, same_story).into_par_iter().flat_map_iter(with_examples).collect();
    for (asked, asks) in asked.iter_mut().zip(all) {
        if let (Ok(asked), Some(asks)) = (asked, asks) {
            asked.asks = asks;
        }
    }
    Ok(())
}

fn with_examples(ask: &KeptAsk, shots: &[Shot], form: ShotForm, keeper: &mut AskKeeper) -> KeptAsk {
    let messages = with_shots(ask.messages(), shots, form);
    let prompt = Prompt { messages, answer_prefix: ask.answer_prefix.clone(), spans: Vec::new() };
    keeper.keep(Ask { prompt, continuations: ask.continuations.to_vec() })
}

/// Pool for drawing examples.
struct Draw<'a> {
    shots: &'a Shots,
    pool: &'a [Item],
    packs: &'a IndexMap<Benchmark, Pack>,
    settings: &'a Settings,
    /// Matching items of the pool, by language of the instructions.
    alike: RefCell<HashMap<Instructions, HashMap<Alike, Vec<usize>>>>,
}

impl Draw<'_> {
    /// Returns the examples before the questions of a story that match this one.
    fn before(&self, item: &Item, trial: &Trial, style: &Style, alike: &Alike) -> Result<Arc<[Shot]>, ShotError> {
        let Draw { shots, pool, settings, .. } = self;
        if matches!(item.gold, Answer::Labels(_)) && settings.scoring != Scoring::Generate {
            return Err(ShotError::Labels { item: item.id.clone(), scoring: settings.scoring });
        }
        let mut by_instructions = self.alike.borrow_mut();
        let instructions = trial.presented.instructions;
        let groups = by_instructions.entry(instructions).or_insert_with(|| self.groups(instructions));
        let others = groups.get(alike).into_iter().flatten().copied();
        let is_other = |other: &Item| match &shots.file {
            None => other.story != item.story,
            // Every file numbers its stories from the first.
            Some(_) if item.context.is_empty() => other.question != item.question,
            Some(_) => other.context != item.context,
        };
        let mut others: Vec<usize> = others.filter(|&other| is_other(&pool[other])).collect();
        if others.len() < shots.count {
            let source_of = shots.file.as_ref().map_or_else(|| item.benchmark.to_string(), |file| file.path.clone());
            let (item, wanted, found) = (item.id.clone(), shots.count, others.len());
            return Err(ShotError::TooFew { item, wanted, found, source_of });
        }
        let facets = alike.facets.each_ref().map(|facet| facet.as_deref().unwrap_or_default());
        let key = format!("shots\n{}\n{}\n{}", item.story, alike.kind, facets.join("\n"));
        let mut random = seeded(settings.seed, &key, 0);
        let (chosen, _) = others.partial_shuffle(&mut random, shots.count);
        let first: u32 = random.random();
        let shot = |(number, &chosen): (usize, &usize)| {
            let example = &pool[chosen];
            let order = match style.takes_orders(example, settings.scoring) {
                true => order_with_gold_at(first as usize + number, example, &mut random),
                false => Order::identity(example.options.len()),
            };
            let reasoning = example.facet(REASONING);
            if style.reasoning && reasoning.is_none_or(|reasoning| reasoning.trim().is_empty()) {
                return Err(ShotError::NoReasoning { style: style.to_string(), example: example.id.clone() });
            }
            // Examples keep their options: "none of these" in them would tell how often it is right.
            let omits = trial.presented.condition.filter(|condition| condition.leaves_out().is_some());
            let shown = Condition::shown(omits, example);
            let reasoning = reasoning.filter(|_| style.reasoning);
            Shot::new(style, &shown, &order, settings.scoring, reasoning)
                .map_err(|source| ShotError::Prompt { item: item.id.clone(), source })
        };
        chosen.iter().enumerate().map(shot).collect()
    }

    fn groups(&self, instructions: Instructions) -> HashMap<Alike, Vec<usize>> {
        let of_file = self.shots.file.is_some();
        let mut groups: HashMap<Alike, Vec<usize>> = HashMap::new();
        for (number, item) in self.pool.iter().enumerate() {
            // An item from a file uses the style of the question before which it is shown.
            let alike = match self.packs.get(&item.benchmark) {
                _ if of_file => Alike::in_file(item),
                Some(pack) => match style_of(pack, item, instructions, self.settings) {
                    Ok(style) => Alike::new(item, style),
                    Err(_) => continue,
                },
                None => continue,
            };
            groups.entry(alike).or_default().push(number);
        }
        groups
    }
}

/// Returns a random order that shows a single right answer in the slot of this number, modulo the options.
fn order_with_gold_at(slot: usize, item: &Item, random: &mut impl Rng) -> Order {
    let options = item.options.len();
    let mut order: Vec<usize> = (0..options).collect();
    order.shuffle(random);
    if let Answer::Single(gold) = &item.gold
        && let Some(at) = order.iter().position(|&option| option == gold.0)
    {
        order.swap(at, slot % options);
    }
    Order::try_from(order).unwrap_or_else(|_| Order::identity(options))
}
