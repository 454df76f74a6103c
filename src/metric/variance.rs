//! Sources of variance of answers that were asked for in several wordings, option orders or replies.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::figure::{Figure, adjust, percent};
use super::respondent::{Header, Respondent};
use super::ways::{Way, by_way_with_failed};
use super::{Outcome, TrialOutcome};
use crate::benchmark::{Item, TiedStories};
use crate::prompt::{Order, wording_and_rest};
use crate::seed::seeded;
use crate::stats::{Design, Variance, VarianceSources, clustered_mean, clustered_wilson, variance_sources, wordings_p};

/// Where the variance of right (1) and wrong (0) answers comes from, over the items of one language with an answer in every
/// wording, order and reply; and how far each source moves the accuracy of as many items that are asked once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sources {
    /// The respondent and the presentation, without the wording.
    #[serde(flatten)]
    pub header: Header,
    /// Language of the items.
    pub language: String,
    /// Number of items.
    pub items: usize,
    /// Number of their stories.
    pub stories: usize,
    /// Items left out: those without an answer in some wording, order or reply, or with another number of orders or replies.
    pub left_out: usize,
    /// Number of wordings of the instruction.
    pub wordings: usize,
    /// Number of option orders drawn for each item, equal draws counted as often as they were drawn.
    pub orders: usize,
    /// Number of replies to each prompt.
    pub replies: usize,
    /// Share of right answers, in percent.
    pub accuracy: Figure,
    /// The variances.
    pub variances: Vec<SourceVariance>,
    /// How far accuracy moves, by what is chosen or drawn anew.
    pub accuracies: Vec<AccuracySpread>,
    /// Accuracy in each wording; empty with one.
    pub by_wording: Vec<WordingAccuracy>,
    /// P-value, from 0 to 1, of the test that wordings do not matter: reassignments of each story's accuracies to the wordings,
    /// adjusted by Holm over the rows of a benchmark; null with one wording, or where none matters in any story.
    pub wordings_p: Option<f64>,
}

/// A source of variance of single answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Source {
    /// Items of unequal difficulty.
    Items,
    /// Wordings that suit all items more or less.
    Wordings,
    /// Wordings that suit some items.
    ItemsByWordings,
    /// Option orders of an item.
    Orders,
    /// Wordings that suit some orders of an item.
    WordingsByOrders,
    /// Replies to one prompt.
    Replies,
}

/// The variance of answers from a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SourceVariance {
    /// The source.
    pub source: Source,
    /// The estimate, where a right answer is 1 and a wrong one 0; it may be below zero.
    pub variance: Figure,
    /// Its 95 % interval, from resampling stories.
    pub interval: Option<(f64, f64)>,
    /// Its share of the sum of all, in percent.
    pub share: Option<f64>,
}

/// What is chosen or drawn anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Anew {
    /// One of the wordings, for all items.
    Wording,
    /// An option order for each item.
    Orders,
    /// A reply to each prompt.
    Replies,
    /// The stories with their items.
    Items,
    /// All of these.
    All,
}

/// How far the accuracy of as many items moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AccuracySpread {
    /// What is chosen or drawn anew, all else staying.
    pub anew: Anew,
    /// Standard deviation of the accuracy of items that are asked once (one wording, one order, one reply), in percentage
    /// points.
    pub asked_once: Figure,
    /// Its 95 % interval, from resampling stories.
    pub interval: Option<(f64, f64)>,
    /// Standard deviation over the wordings, draws of orders or numbers of replies of this run, each over all other answers,
    /// in percentage points; null for items.
    pub observed: Option<f64>,
}

/// Accuracy in one wording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WordingAccuracy {
    /// Number of the wording; 1 is that of the pack.
    pub wording: usize,
    /// Share of right answers, in percent.
    pub accuracy: Figure,
    /// Its 95 % interval, clustered by story.
    pub interval: Option<(f64, f64)>,
    /// Accuracy minus the mean over all wordings, in percentage points.
    pub difference: Figure,
    /// Its 95 % interval, clustered by story.
    pub difference_interval: Option<(f64, f64)>,
}

/// The sources of each way of asking in each language: where items were asked in several wordings, or `always`.
pub fn sources<'a>(outcomes: &[&'a Outcome<'a>], by: Respondent<'_>, seed: u64, always: bool) -> Vec<Sources> {
    let split = |outcome: &'a Outcome<'a>| Some(wording_and_rest(outcome.condition.as_deref()));
    let ways = by_way_with_failed(outcomes, split).into_iter();
    let mut found: Vec<Sources> =
        ways.filter_map(|(way, outcomes)| of_way(&way, &outcomes, by, seed, always)).collect();
    adjust(found.iter_mut().map(|found| &mut found.wordings_p));
    found
}

/// Answers to an item: right (1) or wrong (0) by wording, order and reply.
struct Answered<'a> {
    item: &'a Item,
    design: Design,
    answers: Vec<f64>,
}

fn of_way<'a>(
    way: &Way<'a>,
    outcomes: &[(usize, &'a Outcome<'a>)],
    by: Respondent<'_>,
    seed: u64,
    always: bool,
) -> Option<Sources> {
    let mut wordings: Vec<usize> = outcomes.iter().map(|(wording, _)| *wording).collect();
    wordings.sort_unstable();
    wordings.dedup();
    if wordings.len() < 2 && !always {
        return None;
    }
    let of: HashMap<(&str, usize), &'a Outcome<'a>> =
        outcomes.iter().map(|(wording, outcome)| ((outcome.item.id.as_str(), *wording), *outcome)).collect();
    let mut seen = HashSet::new();
    let items = outcomes.iter().map(|(_, outcome)| outcome.item).filter(|item| seen.insert(item.id.as_str()));
    let in_all = |item: &'a Item| {
        let outcomes: Option<Vec<&'a Outcome<'a>>> =
            wordings.iter().map(|&wording| of.get(&(item.id.as_str(), wording)).copied()).collect();
        answered(item, &outcomes?)
    };
    let mut kept: Vec<Answered<'a>> = items.filter_map(in_all).collect();
    let of_all = seen.len();
    let mut designs: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    kept.iter().for_each(|it| *designs.entry((it.design.orders, it.design.replies)).or_default() += 1);
    // Of numbers that are as frequent, the largest.
    let most = designs.into_iter().max_by_key(|&(design, items)| (items, design)).map(|(design, _)| design);
    let (orders, replies) = most.unwrap_or((1, 1));
    kept.retain(|it| (it.design.orders, it.design.replies) == (orders, replies));
    let design = Design { wordings: wordings.len(), orders, replies };
    let (stories, of_stories) = TiedStories::of_items(kept.iter().map(|it| it.item));
    let answers: Vec<&[f64]> = kept.iter().map(|it| it.answers.as_slice()).collect();
    let header = way.header(by);
    let key = format!("{} {} {}", way.language, header.style, header.condition.as_deref().unwrap_or_default());
    let rng = |what: &str| seeded(seed, &format!("{what} {key}"), 0);
    let found = variance_sources(design, &answers, &stories, rng("sources of variance"));
    let all: Vec<f64> = answers.iter().map(|answers| answers.iter().sum::<f64>() / design.answers() as f64).collect();
    Some(Sources {
        language: way.language.to_string(),
        items: kept.len(),
        stories: of_stories,
        left_out: of_all - kept.len(),
        wordings: wordings.len(),
        orders,
        replies,
        accuracy: Figure::mean(&all, 1, "no item has all answers"),
        variances: variances(design, found.as_ref()),
        accuracies: spreads(design, found.as_ref(), &answers),
        by_wording: by_wording(design, &wordings, &answers, &stories),
        wordings_p: (wordings.len() > 1).then(|| wordings_p(design, &answers, &stories, rng("wordings"))).flatten(),
        header,
    })
}

/// The answers to an item in its outcomes of each wording; `None` where one is missing, or orders or replies differ.
fn answered<'a>(item: &'a Item, outcomes: &[&'a Outcome<'a>]) -> Option<Answered<'a>> {
    /// The replies in an order, and how often it was drawn.
    type InOrder<'t> = (Option<&'t Order>, usize, Vec<&'t TrialOutcome>);
    let in_orders = |outcome: &&'a Outcome<'a>| {
        let mut orders: Vec<InOrder<'a>> = Vec::new();
        for trial in &outcome.trials {
            match orders.iter_mut().find(|(order, ..)| *order == trial.order.as_ref()) {
                Some((.., replies)) => replies.push(trial),
                None => orders.push((trial.order.as_ref(), trial.count, vec![trial])),
            }
        }
        orders
    };
    let by_wording: Vec<Vec<InOrder<'a>>> = outcomes.iter().map(in_orders).collect();
    let first = by_wording.first()?;
    let replies = first.first()?.2.len();
    let mut answers = Vec::new();
    for of_wording in &by_wording {
        if of_wording.len() != first.len() {
            return None;
        }
        for (order, count, _) in first {
            let (.., trials) = of_wording.iter().find(|(other, drawn, _)| (other, drawn) == (order, count))?;
            if trials.len() != replies || trials.iter().any(|trial| trial.failure.is_some()) {
                return None;
            }
            let right = |trial: &&TrialOutcome| f64::from(u8::from(trial.choice.as_ref() == Some(&item.gold)));
            (0..*count).for_each(|_| answers.extend(trials.iter().map(right)));
        }
    }
    let orders = first.iter().map(|(_, count, _)| count).sum();
    Some(Answered { item, design: Design { wordings: outcomes.len(), orders, replies }, answers })
}

const ONE_WORDING: &str = "one wording; --paraphrase asks in several";
const ONE_ORDER: &str = "one order of each item; --orders draws several";
const ONE_REPLY: &str = "one answer to each prompt; --samples writes several";

/// Why a source has no variance, if it has one level.
fn reason(design: Design, of: &[Source]) -> &'static str {
    let is_one = |source| match source {
        Source::Wordings => design.wordings < 2,
        Source::Orders => design.orders < 2,
        _ => design.replies < 2,
    };
    match of.iter().find(|source| is_one(**source)) {
        Some(Source::Wordings) => ONE_WORDING,
        Some(Source::Orders) => ONE_ORDER,
        Some(_) if !of.is_empty() => ONE_REPLY,
        _ => "fewer than two stories have all answers",
    }
}

fn variances(design: Design, found: Option<&VarianceSources>) -> Vec<SourceVariance> {
    use Source::{Items, ItemsByWordings, Orders, Replies, Wordings, WordingsByOrders};
    let of = |of: fn(&VarianceSources) -> Option<Variance>| found.and_then(of);
    let each = [
        (Items, of(|it| it.items), &[][..]),
        (Wordings, of(|it| it.wordings), &[Wordings]),
        (ItemsByWordings, of(|it| it.items_by_wordings), &[Wordings]),
        (Orders, of(|it| it.orders), &[Orders]),
        (WordingsByOrders, of(|it| it.wordings_by_orders), &[Wordings, Orders]),
        (Replies, of(|it| it.replies), &[Replies]),
    ];
    let sum: f64 = each.iter().filter_map(|(_, variance, _)| *variance).map(|variance| variance.value).sum();
    let row = |(source, variance, needs): (Source, Option<Variance>, &[Source])| SourceVariance {
        source,
        variance: Figure::from(variance.map(|it| it.value).ok_or_else(|| reason(design, needs))),
        interval: variance.and_then(|it| it.interval),
        share: variance.filter(|_| sum > 0.0).map(|it| it.value / sum * 100.0),
    };
    each.into_iter().map(row).collect()
}

fn spreads(design: Design, found: Option<&VarianceSources>, answers: &[&[f64]]) -> Vec<AccuracySpread> {
    let Design { wordings, orders, replies } = design;
    let of_accuracy = found.map(|found| found.of_accuracy);
    let points = |variance: f64| variance.max(0.0).sqrt() * 100.0;
    let observed = |levels: usize, level: &dyn Fn(usize) -> usize| {
        let mut sums = vec![0.0; levels];
        answers
            .iter()
            .for_each(|answers| answers.iter().enumerate().for_each(|(at, answer)| sums[level(at)] += answer));
        let each = (answers.len() * design.answers() / levels) as f64;
        let mean = sums.iter().sum::<f64>() / levels as f64;
        let squares = sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>();
        (levels > 1 && !answers.is_empty()).then(|| (squares / (levels as f64 - 1.0)).sqrt() / each * 100.0)
    };
    let each = [
        (Anew::Wording, of_accuracy.and_then(|it| it.wording), &[Source::Wordings][..]),
        (Anew::Orders, of_accuracy.and_then(|it| it.orders), &[Source::Orders]),
        (Anew::Replies, of_accuracy.and_then(|it| it.replies), &[Source::Replies]),
        (Anew::Items, of_accuracy.and_then(|it| it.items), &[]),
        (Anew::All, of_accuracy.and_then(|it| it.all), &[]),
    ];
    let row = |(anew, variance, needs): (Anew, Option<Variance>, &[Source])| AccuracySpread {
        anew,
        asked_once: Figure::from(match variance {
            None => Err(reason(design, needs)),
            Some(variance) if variance.value < 0.0 => Err("its variance is estimated below zero"),
            Some(variance) => Ok(points(variance.value)),
        }),
        interval: variance.and_then(|it| it.interval).map(|(low, high)| (points(low), points(high))),
        observed: match anew {
            Anew::Wording => observed(wordings, &|at| at / (orders * replies)),
            Anew::Orders => observed(orders, &|at| at / replies % orders),
            Anew::Replies => observed(replies, &|at| at % replies),
            Anew::Items | Anew::All => None,
        },
    };
    each.into_iter().map(row).collect()
}

fn by_wording(design: Design, wordings: &[usize], answers: &[&[f64]], stories: &[usize]) -> Vec<WordingAccuracy> {
    if wordings.len() < 2 {
        return Vec::new();
    }
    let means: Vec<Vec<f64>> = answers.iter().map(|answers| design.by_wording(answers)).collect();
    let row = |(at, &wording): (usize, &usize)| {
        let of: Vec<f64> = means.iter().map(|means| means[at]).collect();
        let above = |means: &Vec<f64>| means[at] - means.iter().sum::<f64>() / wordings.len() as f64;
        let above: Vec<f64> = means.iter().map(above).collect();
        let no_items = "no item has all answers";
        WordingAccuracy {
            wording,
            accuracy: Figure::mean(&of, 1, no_items),
            interval: clustered_mean(&of, stories).and_then(|mean| clustered_wilson(&mean)).map(percent),
            difference: Figure::mean(&above, 1, no_items),
            difference_interval: clustered_mean(&above, stories).map(|mean| percent(mean.interval())),
        }
    };
    wordings.iter().enumerate().map(row).collect()
}
