//! ToMValley (ICLR 2025 submission; published later as DynToM, Xiao et al. 2025).
//!
//! A *trial* is a social context: two profiles and a dialogue per scenario, with 71 questions where there are five
//! scenarios. Trials are read from folders `trial<N>` or straight from the archive `all_trials.tar.xz`. The mental state
//! sketch of a trial and the reasons of its options are answer keys: they are not even parsed.
//!
//! Ids: `tomvalley/<trial>/<question id>`. The context is the profile, then for each scenario its background and its
//! dialogue as segments of their own, each with the scenario's number, so that a condition can leave out one kind. (The
//! authors' evaluation code shows no backgrounds; the paper's printed case does.)
//!
//! Facets: `question_type` (`understanding`, `influence`, `transformation`), `item` (`belief`, `emotion`, `intention`,
//! `action`; for influence the last cause named, as in the paper's Table 3), `kind` (`what`, `influence`, `whether`, `why`,
//! `how`), `column` (`belief understanding` and so on: the columns of Table 3), `scenario` or `span` (`2-3`), `scenarios`
//! (how many the trial has), `variant` (`whole`, `first-four`) and, for whether, why and influence questions,
//! `depends`: the ids of the `what` questions it rests on, joined by `|`.
//!
//! Choices: `trials` = `headline` (default: 50 to 1149, the paper's 1,100), `all`, or ranges such as `50-59,1150`;
//! `scenarios` = `all` (default), `first-four` (Figure 22: contexts of more than four scenarios cut to the first four,
//! with the questions about those), or `both`. Cut items have `/first-four` after their id.

mod context;
mod source;

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use rayon::prelude::*;
use serde::Deserialize;

use self::context::Story;
use self::source::{Source, TrialFiles};
use super::choices::duplicate_options;
use super::definition::{Definition, card};
use super::unique::{Ids, unique_map};
use super::{
    Answer, Benchmark, Facets, Flag, Item, LoadError, LoadOptions, Loaded, OptionIx, RowProblem, Segment, files,
};
use crate::language::Language;
use crate::parse_error::in_words;
use crate::story::tomvalley::{QuestionKey, QuestionKind};

pub(super) static TOMVALLEY: Definition = Definition {
    benchmark: Benchmark::ToMValley,
    card: card!("tomvalley"),
    choices: &["trials", "scenarios"],
    is_at: |data| Source::find(data).is_ok(),
    load,
};

/// Trials of the paper's headline results.
const HEADLINE: std::ops::RangeInclusive<u32> = 50..=1149;

/// Scenarios kept of a cut context (Figure 22).
const KEPT_SCENARIOS: usize = 4;

/// Questions of one trial by id, in file order.
#[derive(Deserialize)]
struct Questions(#[serde(deserialize_with = "unique_map")] IndexMap<String, RawQuestion>);

#[derive(Debug, Deserialize)]
struct RawQuestion {
    question: String,
    options: Vec<String>,
    #[serde(rename = "true answer")]
    answer: String,
}

/// Load the selected trials.
pub(super) fn load(data: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let trials = Trials::from_options(options)?;
    let variants = match files::choose(options, &TOMVALLEY, "scenarios", &["all", "first-four", "both"])? {
        "first-four" => &[Variant::FirstFour][..],
        "both" => &[Variant::Whole, Variant::FirstFour],
        _ => &[Variant::Whole],
    };
    if !options.wants(Language::En) {
        return Ok(Loaded::default());
    }
    let mut parts: Vec<(u32, PathBuf, Loaded)> = Vec::new();
    let source = Source::find(data)?;
    let of_trial = |trial: &TrialFiles| (trial.number, trial.questions.path.clone(), load_trial(trial, variants));
    source.for_each_batch(&|trial| trials.hold(trial), &mut |batch| {
        parts.par_extend(batch.par_iter().map(of_trial));
    })?;
    parts.sort_by(|(number, path, _), (other, other_path, _)| number.cmp(other).then_with(|| path.cmp(other_path)));
    let mut loaded = Loaded::default();
    let mut ids = Ids::default();
    for (_, path, part) in parts {
        for item in part.items {
            loaded.add(item, &mut ids, &path, None);
        }
        loaded.problems.extend(part.problems);
    }
    Ok(loaded)
}

/// The files of a trial.
#[derive(Debug, Clone)]
pub struct TrialData {
    /// Its number.
    pub number: u32,
    /// Bytes of `story.json`.
    pub story: Vec<u8>,
    /// Bytes of `question_new.json`.
    pub questions: Vec<u8>,
}

/// The files of the trials that `options` select, by number.
pub fn trial_files(data: &Path, options: &LoadOptions) -> Result<Vec<TrialData>, LoadError> {
    let trials = Trials::from_options(options)?;
    let mut found = Vec::new();
    Source::find(data)?.for_each_batch(&|trial| trials.hold(trial), &mut |batch| {
        found.extend(batch.iter().map(|trial| TrialData {
            number: trial.number,
            story: trial.story.bytes.clone(),
            questions: trial.questions.bytes.clone(),
        }));
    })?;
    found.sort_by_key(|trial| trial.number);
    Ok(found)
}

/// The selected trials.
enum Trials {
    All,
    Ranges(Vec<std::ops::RangeInclusive<u32>>),
}

impl Trials {
    fn from_options(options: &LoadOptions) -> Result<Self, LoadError> {
        let given = options.choices.get("trials").map_or("headline", String::as_str);
        match given {
            "headline" => return Ok(Trials::Ranges(vec![HEADLINE])),
            "all" => return Ok(Trials::All),
            _ => {}
        }
        let range = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
        };
        let ranges = given.split(',').map(range).collect::<Option<_>>().map(Trials::Ranges);
        ranges.ok_or_else(|| {
            TOMVALLEY.unknown_choice("trials", given, "headline, all, or numbers and ranges such as 50-59,1150")
        })
    }

    fn hold(&self, trial: u32) -> bool {
        match self {
            Trials::All => true,
            Trials::Ranges(ranges) => ranges.iter().any(|range| range.contains(&trial)),
        }
    }
}

/// The part of a context that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variant {
    Whole,
    FirstFour,
}

impl Variant {
    fn name(self) -> &'static str {
        match self {
            Variant::Whole => "whole",
            Variant::FirstFour => "first-four",
        }
    }

    /// Appended to ids.
    fn suffix(self) -> &'static str {
        match self {
            Variant::Whole => "",
            Variant::FirstFour => "/first-four",
        }
    }
}

fn load_trial(trial: &TrialFiles, variants: &[Variant]) -> Loaded {
    let mut loaded = Loaded::default();
    let mut problem = |file: &Path, field: Option<String>, message: String| {
        loaded.problems.push(RowProblem { file: file.to_path_buf(), row: None, field, message });
    };
    let story: Story = match serde_json::from_slice(&trial.story.bytes) {
        Ok(story) => story,
        Err(error) => {
            problem(&trial.story.path, None, format!("{}; fetch the file again", in_words(error)));
            return loaded;
        }
    };
    let Questions(questions) = match serde_json::from_slice(&trial.questions.bytes) {
        Ok(questions) => questions,
        Err(error) => {
            problem(&trial.questions.path, None, format!("{}; fetch the file again", in_words(error)));
            return loaded;
        }
    };
    let scenarios = story.scenarios();
    let mut items = Vec::new();
    for &variant in variants {
        if variant == Variant::FirstFour && scenarios <= KEPT_SCENARIOS {
            continue;
        }
        let shown = if variant == Variant::FirstFour { KEPT_SCENARIOS } else { scenarios };
        let maker = ItemMaker { trial: trial.number, scenarios, variant, context: story.segments(shown) };
        for (id, raw) in &questions {
            let Some(key) = QuestionKey::parse(id, scenarios) else {
                problem(
                    &trial.questions.path,
                    Some(id.clone()),
                    format!("no question of {scenarios} scenarios has this id"),
                );
                continue;
            };
            if key.last_scenario(scenarios) > shown {
                continue;
            }
            match maker.item(id, key, raw) {
                Ok(item) => items.push(item),
                Err(message) => problem(&trial.questions.path, Some(id.clone()), message),
            }
        }
    }
    loaded.items = items;
    loaded
}

struct ItemMaker {
    trial: u32,
    scenarios: usize,
    variant: Variant,
    context: Vec<Segment>,
}

impl ItemMaker {
    fn item(&self, id: &str, key: QuestionKey, raw: &RawQuestion) -> Result<Item, String> {
        let parallel = self.parallel(id);
        let options: Vec<String> =
            raw.options.iter().enumerate().map(|(at, option)| without_label(option, at)).collect::<Result<_, _>>()?;
        let gold = match raw.answer.trim().as_bytes() {
            [letter @ b'a'..=b'z'] if usize::from(letter - b'a') < options.len() => usize::from(letter - b'a'),
            _ => return Err(format!("the answer `{}` is not a label of the {} options", raw.answer, options.len())),
        };
        Ok(Item {
            id: format!("{parallel}{}", self.variant.suffix()),
            benchmark: Benchmark::ToMValley,
            language: Language::En,
            parallel,
            story: format!("tomvalley/{}{}", self.trial, self.variant.suffix()),
            context: self.context.clone(),
            question: raw.question.trim().into(),
            flags: flags(&options, gold),
            options,
            gold: Answer::Single(OptionIx(gold)),
            facets: self.facets(key),
            fields: IndexMap::new(),
        })
    }

    fn parallel(&self, id: &str) -> String {
        format!("tomvalley/{}/{id}", self.trial)
    }

    fn facets(&self, key: QuestionKey) -> Facets {
        let question_type = key.kind.question_type();
        let mut facets = Facets::with_capacity(8);
        let mut add = |facet: &str, value: String| facets.insert(facet.into(), value);
        add("question_type", question_type.into());
        add("item", key.item.name().into());
        add("kind", key.kind.name().into());
        add("column", format!("{} {question_type}", key.item.name()));
        match key.kind {
            QuestionKind::What | QuestionKind::Influence => add("scenario", key.scenario.to_string()),
            QuestionKind::Whether | QuestionKind::Why => add("span", format!("{}-{}", key.scenario, key.scenario + 1)),
            QuestionKind::How => add("span", format!("1-{}", self.scenarios)),
        };
        add("scenarios", self.scenarios.to_string());
        add("variant", self.variant.name().into());
        let depends: Vec<String> = key
            .rests_on()
            .map(|what| format!("{}{}", self.parallel(&what.id(self.scenarios)), self.variant.suffix()))
            .collect();
        if !depends.is_empty() {
            add("depends", depends.join("|"));
        }
        facets
    }
}

/// Strips `a. ` from the first option, `b. ` from the second and so on.
fn without_label(option: &str, at: usize) -> Result<String, String> {
    let label = char::from(b'a' + u8::try_from(at).unwrap_or(u8::MAX - b'a'));
    option
        .trim()
        .strip_prefix(label)
        .and_then(|rest| rest.strip_prefix('.'))
        .map(|rest| rest.trim().to_string())
        .ok_or_else(|| format!("option {} must begin with `{label}. `: `{option}`", at + 1))
}

fn flags(options: &[String], gold: usize) -> Vec<Flag> {
    let mut flags: Vec<Flag> = duplicate_options(options).into_iter().collect();
    if let Some(at) = options.iter().position(|option| is_clipped(option)) {
        let detail = format!("option {} begins in the middle of the word `Scenario`", at + 1);
        flags.push(Flag { name: "clipped-option".into(), detail });
    }
    if options.iter().enumerate().any(|(at, option)| at != gold && *option == options[gold]) {
        let detail = "another option has the right option's text; choosing it counts as wrong".to_string();
        flags.push(Flag { name: "gold-text-twice".into(), detail });
    }
    flags
}

/// Where a sketch wrote `Scenario 1->2: reason` instead of `1->2: reason`, the release cut off as many characters as
/// precede the reason in the shorter form.
fn is_clipped(option: &str) -> bool {
    option.strip_prefix("rio ").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}
