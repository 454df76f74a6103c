//! Accuracy by the length of written replies: over all replies, and among the replies to one prompt.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::figure::{Figure, adjust, percent};
use super::respondent::{Header, Respondent};
use super::ways::{Way, by_way};
use super::{Outcome, TrialOutcome};
use crate::benchmark::{Item, TiedStories};
use crate::prompt::{Budgeted, Order, TokenBudget};
use crate::stats::{FEWEST_STORIES_OF_SLOPE, NoSlope, Stratum, clustered_mean, clustered_wilson, conditional_logit};

/// Least number of replies to a prompt.
const FEWEST_REPLIES: usize = 8;

/// Accuracy by length of the replies of one way of asking in one language. Replies that a limit cut off have no length of
/// their own, and are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReplyLength {
    /// The respondent and the presentation.
    #[serde(flatten)]
    pub header: Header,
    /// Language of the items.
    pub language: String,
    /// Number of replies whose tokens are known and that ended by themselves.
    pub replies: usize,
    /// Number of replies that were cut off, and are left out.
    pub cut: usize,
    /// The quarters of the replies by length, from the shortest, without empty ones. Easy items may have shorter replies.
    pub quarters: Vec<LengthQuarter>,
    /// Number of items with right and wrong replies of different lengths among at least eight to one prompt (the item in one
    /// option order).
    pub items: usize,
    /// Number of their stories.
    pub stories: usize,
    /// Change in the log-odds of a right reply by each doubling of its tokens, among the replies to one prompt: conditional
    /// logistic regression over these prompts.
    pub per_doubling: Figure,
    /// Its 95 % interval, clustered by story.
    pub interval: Option<(f64, f64)>,
    /// P-value, from 0 to 1, of the test that it is zero, adjusted by Holm over the rows of a benchmark; null without a value.
    pub p: Option<f64>,
}

/// A quarter of replies by length. Replies of one length are in one quarter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LengthQuarter {
    /// Its number, from 1 for the shortest replies.
    pub quarter: usize,
    /// Tokens of its shortest reply, thoughts included.
    pub shortest: usize,
    /// Tokens of its longest reply.
    pub longest: usize,
    /// Number of replies.
    pub replies: usize,
    /// Share of right replies, in percent.
    pub accuracy: Figure,
    /// Its 95 % interval, clustered by story.
    pub accuracy_interval: Option<(f64, f64)>,
}

/// A reply that ended by itself.
struct Reply {
    tokens: usize,
    right: bool,
    story: usize,
}

/// The lengths of each way of asking in each language. Where replies are read at several budgets, those of the largest.
pub(super) fn reply_lengths<'a>(outcomes: &[&'a Outcome<'a>], by: Respondent<'_>) -> Vec<ReplyLength> {
    let budget = |outcome: &Outcome<'_>| {
        let found = TokenBudget::and_rest(outcome.condition.as_deref());
        found.map(|(budget, _)| budget).filter(|budget| budget.of == Budgeted::Reply)
    };
    let largest = outcomes.iter().filter_map(|outcome| budget(outcome)).map(|budget| budget.tokens).max();
    let split = |outcome: &'a Outcome<'a>| {
        let kept = budget(outcome).is_none_or(|budget| Some(budget.tokens) == largest);
        let kept = kept && outcome.trials.iter().any(|trial| length(trial).is_some());
        kept.then(|| ((), outcome.condition.clone()))
    };
    let ways = by_way(outcomes, split).into_iter();
    let mut rows: Vec<ReplyLength> = ways
        .map(|(way, outcomes)| row(&way, &outcomes.into_iter().map(|(_, outcome)| outcome).collect::<Vec<_>>(), by))
        .collect();
    adjust(rows.iter_mut().map(|row| &mut row.p));
    rows
}

fn row(way: &Way<'_>, outcomes: &[&Outcome<'_>], by: Respondent<'_>) -> ReplyLength {
    let (stories, _) = TiedStories::of_items(outcomes.iter().map(|outcome| outcome.item));
    let (mut replies, mut strata, mut cut, mut most) = (Vec::new(), Vec::new(), 0, 0);
    // The item of each stratum.
    let mut of_strata = Vec::new();
    for (outcome, &story) in outcomes.iter().zip(&stories) {
        for (all, ended) in prompts(outcome).into_values() {
            most = most.max(all);
            cut += all - ended.len();
            let case = |reply: &Reply| ((reply.tokens.max(1) as f64).log2(), reply.right);
            if all >= FEWEST_REPLIES {
                strata.push(Stratum { story, cases: ended.iter().map(case).collect() });
                of_strata.push(outcome.item);
            }
            replies.extend(ended.into_iter().map(|reply| Reply { story, ..reply }));
        }
    }
    let fitted = conditional_logit(&strata);
    let told: Vec<&Item> =
        strata.iter().zip(of_strata).filter(|(stratum, _)| stratum.tells()).map(|(_, item)| item).collect();
    let (_, of_stories) = TiedStories::of_items(told.iter().copied());
    let mut ids: Vec<&str> = told.iter().map(|item| item.id.as_str()).collect();
    ids.dedup();
    ReplyLength {
        header: way.header(by),
        language: way.language.to_string(),
        quarters: quarters(&mut replies),
        replies: replies.len(),
        cut,
        items: ids.len(),
        stories: of_stories,
        per_doubling: Figure::from(fitted.map(|found| found.slope).map_err(|why| reason(why, most))),
        interval: fitted.ok().map(|found| found.interval()),
        p: fitted.ok().map(|found| found.p_value()),
    }
}

/// The tokens of a trial's reply, and whether it was cut off; `None` without a reply, or where they are not known.
fn length(trial: &TrialOutcome) -> Option<(usize, bool)> {
    trial.reading.as_ref().and_then(|reading| Some((reading.tokens?, reading.cut)))
}

/// The replies in each order: their number, and those that ended by themselves, of the story 0.
fn prompts<'a>(outcome: &'a Outcome<'_>) -> IndexMap<Option<&'a [usize]>, (usize, Vec<Reply>)> {
    let mut prompts: IndexMap<Option<&[usize]>, (usize, Vec<Reply>)> = IndexMap::new();
    for (trial, (tokens, cut)) in outcome.trials.iter().filter_map(|trial| Some((trial, length(trial)?))) {
        let (all, ended) = prompts.entry(trial.order.as_ref().map(Order::as_slice)).or_default();
        *all += 1;
        let right = trial.choice.as_ref() == Some(&outcome.item.gold);
        ended.extend((!cut).then_some(Reply { tokens, right, story: 0 }));
    }
    prompts
}

fn quarters(replies: &mut [Reply]) -> Vec<LengthQuarter> {
    replies.sort_by_key(|reply| reply.tokens);
    let edges: Vec<usize> = (1..4)
        .filter_map(|part| replies.get((replies.len() * part).div_ceil(4).saturating_sub(1)))
        .map(|it| it.tokens)
        .collect();
    let quarter = |tokens: usize| edges.iter().filter(|&&edge| edge < tokens).count();
    let of_quarter = |replies: &[Reply]| {
        let (first, last) = (replies.first()?, replies.last()?);
        let right: Vec<f64> = replies.iter().map(|reply| f64::from(u8::from(reply.right))).collect();
        let stories: Vec<usize> = replies.iter().map(|reply| reply.story).collect();
        let accuracy = clustered_mean(&right, &stories);
        Some(LengthQuarter {
            quarter: quarter(first.tokens) + 1,
            shortest: first.tokens,
            longest: last.tokens,
            replies: replies.len(),
            accuracy: Figure::mean(&right, 1, "no reply"),
            accuracy_interval: accuracy.and_then(|mean| clustered_wilson(&mean)).map(percent),
        })
    };
    replies.chunk_by(|one, next| quarter(one.tokens) == quarter(next.tokens)).filter_map(of_quarter).collect()
}

fn reason(why: NoSlope, most: usize) -> String {
    match why {
        _ if most < FEWEST_REPLIES => {
            format!("needs {FEWEST_REPLIES} replies to a prompt (--samples {FEWEST_REPLIES} --temperature T)")
        }
        NoSlope::FewStories { stories } => {
            format!("stories with right and wrong replies to one prompt: {stories}, needs {FEWEST_STORIES_OF_SLOPE}")
        }
        NoSlope::Separated { rising } => {
            let end = if rising { "longest" } else { "shortest" };
            format!("infinite: the right replies to each prompt are the {end}")
        }
        NoSlope::NoVariation => "stories do not vary".to_string(),
    }
}
