//! Whether answers move when persons have other names, surnames, races or genders, beyond what any change of a name does.

use std::collections::HashMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::Outcome;
use super::figure::{Figure, adjust, percent};
use super::respondent::{Header, Respondent};
use super::ways::{Way, by_way, fits, keys};
use crate::benchmark::{Swap, SwapKind, SwapLeftOut, TiedStories};
use crate::stats::clustered_mean;

/// Differences within this are equivalent unless a report is given another margin, in percentage points.
pub const SWAP_MARGIN: f64 = 3.0;

/// The margin of results that do not name theirs.
fn three_points() -> f64 {
    SWAP_MARGIN
}

/// Level of the tests.
const LEVEL: f64 = 0.05;

/// Fewest items of a difference.
const FEWEST: usize = 10;

const NO_CONTROLS: &str = "no other name of the same group";

/// Answers to items as they are, with persons of another group, and with other names of the same group (controls), over the
/// items of one language asked in all these ways.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SwapResult {
    /// The respondent and the presentation, without the swap.
    #[serde(flatten)]
    pub header: Header,
    /// Language of the items.
    pub language: String,
    /// What is exchanged.
    pub swap: SwapKind,
    /// Facet values of the row; empty for all items.
    pub key: IndexMap<String, String>,
    /// Number of items.
    pub items: usize,
    /// Number of their stories.
    pub stories: usize,
    /// Number of controls; those of `race` have another surname of the same group.
    pub controls: usize,
    /// Items that are asked without the swap, by reason; empty in rows of a facet.
    pub left_out: Vec<SwapLeftOut>,
    /// Accuracy on the items as they are, in percent.
    pub plain: Figure,
    /// Accuracy with persons of another group.
    pub swapped: Figure,
    /// Its change, item by item, in percentage points.
    pub difference: Figure,
    /// Its 90 % interval, clustered by story.
    pub difference_interval: Option<(f64, f64)>,
    /// P-value, from 0 to 1, of the test that the change is zero, adjusted by Holm over the rows; null where no accuracy
    /// changes.
    pub p: Option<f64>,
    /// Changes within so many percentage points are equivalent.
    #[serde(default = "three_points")]
    pub margin: f64,
    /// P-value of the two one-sided tests that the change is beyond the margin, adjusted likewise.
    pub equivalence_p: Option<f64>,
    /// Accuracy with persons of another group minus the mean over the controls, in percentage points.
    pub beyond: Figure,
    /// Its 95 % interval, clustered by story.
    pub beyond_interval: Option<(f64, f64)>,
    /// P-value of the test that this is zero, adjusted likewise.
    pub beyond_p: Option<f64>,
    /// Share of the choices that change with persons of another group, in percent.
    pub changed: Figure,
    /// The share with another name of the same group, mean over the controls.
    pub changed_in_controls: Figure,
    /// What these tests say.
    pub conclusion: SwapConclusion,
}

/// What the tests of a swap say, at 5 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SwapConclusion {
    /// Accuracy differs from that of the controls, or without controls from that of the items as they are.
    Differs,
    /// The change of accuracy is within the margin.
    Equivalent,
    /// Neither.
    Undecided,
}

/// The items of one way of asking under a swap.
struct Asked<'a> {
    plain: &'a Outcome<'a>,
    swapped: &'a Outcome<'a>,
    controls: Vec<&'a Outcome<'a>>,
}

/// Outcomes of an item by swap; `None` for the item as it is.
type Versions<'a> = HashMap<Option<Swap>, &'a Outcome<'a>>;

/// The rows by way of asking, language and swap: all items first, then by value of `facet`.
///
/// Changes within `margin`, in percentage points, are equivalent.
pub fn swaps<'a>(
    outcomes: &[&'a Outcome<'a>],
    facet: Option<&str>,
    by: Respondent<'_>,
    margin: f64,
) -> Vec<SwapResult> {
    let split = |outcome: &'a Outcome<'a>| Some(Swap::and_rest(outcome.condition.as_deref()));
    if !outcomes.iter().any(|outcome| Swap::and_rest(outcome.condition.as_deref()).0.is_some()) {
        return Vec::new();
    }
    let facets: Vec<&str> = facet.into_iter().collect();
    let rows = |(way, outcomes): (Way<'a>, Vec<(Option<Swap>, &'a Outcome<'a>)>)| {
        let mut asked: Vec<Swap> = outcomes.iter().filter_map(|(swap, _)| *swap).collect();
        asked.sort_unstable();
        asked.dedup();
        let mut items: IndexMap<&str, Versions<'a>> = IndexMap::new();
        for (swap, outcome) in outcomes {
            items.entry(&outcome.item.id).or_default().insert(swap, outcome);
        }
        let mut rows = Vec::new();
        for &swap in asked.iter().filter(|swap| swap.control.is_none()) {
            let is_control = |other: &&Swap| other.control.is_some() && other.kind == swap.kind.controlled_by();
            let controls: Vec<Swap> = asked.iter().filter(is_control).copied().collect();
            let found: Vec<Asked<'a>> =
                items.values().filter_map(|versions| Asked::new(versions, swap, &controls)).collect();
            let keys = keys(found.iter().map(|each| each.plain.item), &facets);
            let header = way.header(by);
            rows.extend(
                keys.into_iter()
                    .map(|key| row(&found, (&header, way.language, margin), swap.kind, controls.len(), key)),
            );
        }
        rows
    };
    let mut rows: Vec<SwapResult> = by_way(outcomes, split).into_iter().flat_map(rows).collect();
    adjust(rows.iter_mut().map(|row| &mut row.p));
    adjust(rows.iter_mut().map(|row| &mut row.equivalence_p));
    adjust(rows.iter_mut().map(|row| &mut row.beyond_p));
    rows.iter_mut().for_each(|row| row.conclusion = row.conclusion());
    rows
}

impl<'a> Asked<'a> {
    fn new(versions: &Versions<'a>, swap: Swap, controls: &[Swap]) -> Option<Self> {
        let of = |swap| versions.get(&swap).copied();
        let controls = controls.iter().map(|&control| of(Some(control))).collect::<Option<_>>()?;
        Some(Asked { plain: of(None)?, swapped: of(Some(swap))?, controls })
    }
}

fn row(
    asked: &[Asked<'_>],
    (header, language, margin): (&Header, &str, f64),
    swap: SwapKind,
    controls: usize,
    key: IndexMap<String, String>,
) -> SwapResult {
    let own: Vec<&Asked<'_>> = asked.iter().filter(|each| fits(each.plain.item, &key)).collect();
    let (stories, of_stories) = TiedStories::of_items(own.iter().map(|each| each.plain.item));
    let right = |outcome: &Outcome<'_>| f64::from(u8::from(outcome.is_right()));
    let mean_of_controls = |each: &Asked<'_>, value: &dyn Fn(&Outcome<'_>) -> f64| {
        each.controls.iter().map(|control| value(control)).sum::<f64>() / controls as f64
    };
    let each = |value: &dyn Fn(&Asked<'_>) -> f64| -> Vec<f64> { own.iter().map(|each| value(each)).collect() };
    let figure = |values: &[f64]| Figure::mean(values, 1, "no item was asked in all these ways");
    let of_some = |values: &[f64]| Figure::mean(values, FEWEST, "fewer than ten items");
    let is_controlled = controls > 0;
    let controlled = |found: Figure| if is_controlled { found } else { Figure::from(Err(NO_CONTROLS)) };
    let mean = |values: &[f64]| clustered_mean(values, &stories).filter(|_| values.len() >= FEWEST);
    let changes = each(&|it| right(it.swapped) - right(it.plain));
    let beyond = each(&|it| right(it.swapped) - mean_of_controls(it, &right));
    let (change, difference) = (mean(&changes), of_some(&changes));
    let of_beyond = mean(&beyond).filter(|_| is_controlled);
    SwapResult {
        header: header.clone(),
        language: language.to_string(),
        swap,
        key,
        items: own.len(),
        stories: of_stories,
        controls,
        left_out: Vec::new(),
        plain: figure(&each(&|it| right(it.plain))),
        swapped: figure(&each(&|it| right(it.swapped))),
        difference,
        difference_interval: change.map(|mean| percent(mean.interval_90())),
        p: change.and_then(|mean| mean.p_value()),
        margin,
        equivalence_p: change.map(|mean| mean.equivalence(margin / 100.0)),
        beyond: controlled(of_some(&beyond)),
        beyond_interval: of_beyond.map(|mean| percent(mean.interval())),
        beyond_p: of_beyond.and_then(|mean| mean.p_value()),
        changed: figure(&each(&|it| changed(it.plain, it.swapped))),
        changed_in_controls: controlled(figure(&each(&|it| {
            mean_of_controls(it, &|control| changed(it.plain, control))
        }))),
        conclusion: SwapConclusion::Undecided,
    }
}

/// Share of the choices that are others in the same option order, each as often as the order was drawn.
fn changed(from: &Outcome<'_>, to: &Outcome<'_>) -> f64 {
    let (mut other, mut pairs) = (0.0, 0.0);
    for trial in &from.trials {
        for same in to.trials.iter().filter(|same| same.order == trial.order).take(1) {
            let drawn = trial.count as f64;
            pairs += drawn;
            other += if same.choice == trial.choice { 0.0 } else { drawn };
        }
    }
    if pairs > 0.0 { other / pairs } else { 0.0 }
}

impl SwapResult {
    fn conclusion(&self) -> SwapConclusion {
        let is_sure = |p: Option<f64>| p.is_some_and(|p| p < LEVEL);
        match if self.controls > 0 { self.beyond_p } else { self.p } {
            p if is_sure(p) => SwapConclusion::Differs,
            _ if is_sure(self.equivalence_p) => SwapConclusion::Equivalent,
            _ => SwapConclusion::Undecided,
        }
    }
}
