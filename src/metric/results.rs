//! Results of evaluation: the content of `results.json`. Keys keep the order of these types; values are percentages
//! unless stated otherwise; a value that cannot be computed is `null` with the reason beside it, never a NaN.

use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::across::Across;
use super::budgets::Budget;
use super::drawing::Drawing;
use super::figure::Figure;
use super::label_mass::LabelMassResult;
use super::linked_answers::Linked;
use super::method::Method;
use super::none_of_these::NoneOfThese;
use super::options::OptionsResult;
use super::perspective::Perspective;
use super::raters::Raters;
use super::reminders::Reminded;
use super::replies::ReplyResult;
use super::reply_length::ReplyLength;
use super::respondent::Header;
use super::shortcut::Shortcut;
use super::sums::RowSums;
use super::swaps::SwapResult;
use super::unseen::Unseen;
use super::variance::Sources;
use super::wrong_choices::WrongChoices;
use crate::benchmark::{Benchmark, Comparison, RowProblem};

/// Format version of the results that this program writes and reads.
pub const VERSION: u32 = 2;

/// All results of one benchmark for one respondent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// The benchmark's name.
    pub benchmark: Benchmark,
    /// The benchmark's name in running text.
    pub title: String,
    /// The respondent: the name of the run, its model, or the name of an answer file.
    #[serde(alias = "subject")]
    pub label: String,
    /// Numbers of items and trials.
    pub counts: Counts,
    /// The tables of the benchmark's card.
    pub tables: Vec<TableResult>,
    /// Effects of option order, by language and number of options.
    pub order_effects: Vec<OrderEffects>,
    /// How "none of these" is taken where it is right and where it is wrong; absent unless items were asked under both
    /// `drop-gold` and `drop-distractor`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub none_of_these: Vec<NoneOfThese>,
    /// What unseen events do to answers about false beliefs; absent unless items of tracked stories were asked plainly and
    /// under `seen-only`, `mention-kept` and `others-left-out`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<Unseen>,
    /// Accuracy by budget of tokens; absent unless answers follow thoughts, or are read from replies, cut to several numbers of
    /// tokens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<Budget>,
    /// Accuracy by length of written replies, by style, condition and language; absent unless their tokens are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reply_length: Vec<ReplyLength>,
    /// Sources of the variance of single answers; absent unless items were asked in several wordings, or the report was asked
    /// for its table `variance`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variance: Vec<Sources>,
    /// Accuracy with options shown before the reasoning, after it, and never; absent unless runs with options after or never
    /// stand side by side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<OptionsResult>,
    /// Answers to items with other persons; absent unless items were asked under a swap.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub swaps: Vec<SwapResult>,
    /// Accuracy with reminders of answers to linked questions; absent unless items were asked with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reminded: Vec<Reminded>,
    /// Whose place wrong answers about false beliefs name; absent without such answers to tracked stories that name two wrong
    /// containers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrong_choices: Vec<WrongChoices>,
    /// SimToM beside the tracker; absent unless items of tracked stories were asked in the style `simtom`, or in the style
    /// `vanilla` under `seen-only`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub perspective: Vec<Perspective>,
    /// Calibration over single-choice items, by style, condition and language; absent if there are neither
    /// log-probabilities nor several orders. Confidence is the probability of the voted option among the options (or
    /// their labels), averaged over orders: a share of the probability that the model gives them together
    /// (`label_mass`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calibration: Vec<Calibration>,
    /// Probability mass of the labels, by style and condition; empty if answers came from elsewhere. Absent if there is
    /// nothing to report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub label_mass: Vec<LabelMassResult>,
    /// Outcomes of written replies, by style, condition and language; empty if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<ReplyResult>,
    /// Agreement of written answers with choices by log-likelihood; empty unless both are present.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agreement: Vec<Agreement>,
    /// People who answered, by style and condition; absent if no answer names its `rater`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub raters: Vec<Raters>,
    /// Questions that belong together; absent if the card names none.
    #[serde(default, skip_serializing_if = "Linked::is_empty")]
    pub linked: Linked,
    /// Lists of items requested by measures.
    pub listings: Vec<Listing>,
    /// Notes on the data and on this run.
    pub notes: Vec<String>,
    /// Rules that do not read for meaning and yet are right at least 10 points more often than chance, on all items of the
    /// data; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shortcuts: Vec<Shortcut>,
    /// Rows of the data that could not be read and are not included above.
    #[serde(default)]
    pub unread_rows: Vec<RowProblem>,
    /// Row counts of the data that differ from the released files; absent if none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_data: Vec<Comparison>,
}

impl Results {
    /// Replaces the label of these results, which belong to one respondent.
    pub fn relabel(&mut self, label: &str) {
        let rows = self.tables.iter_mut().flat_map(|table| &mut table.rows);
        let headers = rows
            .map(|row| &mut row.header)
            .chain(self.order_effects.iter_mut().map(|effects| &mut effects.header))
            .chain(self.none_of_these.iter_mut().map(|found| &mut found.header))
            .chain(self.unseen.iter_mut().map(|found| &mut found.header))
            .chain(self.budgets.iter_mut().map(|found| &mut found.header))
            .chain(self.reply_length.iter_mut().map(|found| &mut found.header))
            .chain(self.variance.iter_mut().map(|found| &mut found.header))
            .chain(self.options.iter_mut().map(|found| &mut found.header))
            .chain(self.swaps.iter_mut().map(|found| &mut found.header))
            .chain(self.reminded.iter_mut().map(|found| &mut found.header))
            .chain(self.wrong_choices.iter_mut().map(|found| &mut found.header))
            .chain(self.perspective.iter_mut().map(|found| &mut found.header))
            .chain(self.calibration.iter_mut().map(|calibration| &mut calibration.header))
            .chain(self.label_mass.iter_mut().map(|mass| &mut mass.header))
            .chain(self.replies.iter_mut().map(|replies| &mut replies.header))
            .chain(self.raters.iter_mut().map(|raters| &mut raters.header))
            .chain(self.linked.headers())
            .chain(self.listings.iter_mut().map(|listing| &mut listing.header));
        let all = std::iter::once(&mut self.label)
            .chain(self.agreement.iter_mut().map(|agreement| &mut agreement.label))
            .chain(headers.map(|header| &mut header.label));
        all.for_each(|known| *known = label.to_string());
    }
}

/// Numbers of items and trials, including failures.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Items in the data, in the loaded languages.
    pub items_in_data: usize,
    /// Items with an outcome, counted once per style and condition.
    pub items: usize,
    /// Distinct questions: versions of one question in several languages, variants or prompting types count once; for
    /// runs side by side, the number of the run with most.
    #[serde(default)]
    pub questions: usize,
    /// Distinct option orders scored.
    pub trials: usize,
    /// Option orders drawn; equal ones are scored once.
    pub draws: usize,
    /// Items without a choice.
    pub unanswered: usize,
    /// Items whose trials all failed; they are included in those without a choice.
    #[serde(default)]
    pub failed_items: usize,
    /// Items whose vote was decided by the tie rule.
    pub ties: usize,
    /// Option orders under which several answers had the highest score, so that one was drawn at random.
    #[serde(default)]
    pub tied_trials: usize,
    /// Failed trials by kind.
    pub failures: IndexMap<String, usize>,
    /// Items by the name of their anomaly in the data.
    pub flags: IndexMap<String, usize>,
    /// Accuracy over all items in percent if every item without a choice were wrong, and if it were right. Null without
    /// items.
    pub accuracy_bounds: Option<(f64, f64)>,
}

impl Counts {
    /// Adds the counts of another run. The bounds are weighted by items.
    pub fn add(&mut self, other: Counts) {
        let weighted = |left: f64, right: f64| {
            (left * self.items as f64 + right * other.items as f64) / (self.items + other.items) as f64
        };
        self.accuracy_bounds = match (self.accuracy_bounds, other.accuracy_bounds) {
            (Some(left), Some(right)) => Some((weighted(left.0, right.0), weighted(left.1, right.1))),
            (left, right) => left.or(right),
        };
        self.items_in_data = self.items_in_data.max(other.items_in_data);
        self.items += other.items;
        self.questions = self.questions.max(other.questions);
        self.trials += other.trials;
        self.draws += other.draws;
        self.unanswered += other.unanswered;
        self.failed_items += other.failed_items;
        self.ties += other.ties;
        self.tied_trials += other.tied_trials;
        for (mine, more) in [(&mut self.failures, other.failures), (&mut self.flags, other.flags)] {
            for (name, count) in more {
                *mine.entry(name).or_default() += count;
            }
            mine.sort_unstable_keys();
        }
    }
}

/// One table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TableResult {
    /// The table's id in the card.
    pub id: String,
    /// Heading.
    pub title: String,
    /// The paper's table or figure that this reproduces.
    pub paper: Option<String>,
    /// Facets that form the rows.
    pub facets: Vec<String>,
    /// Headings of the visible columns.
    pub columns: Vec<String>,
    /// Whether reports print columns downwards.
    pub transpose: bool,
    /// Kinds of figures requested by the card: `bars`, `radar`, `heat`, `lines`, `stack`; absent if they follow from
    /// the values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Drawing>,
    /// Parts of the columns that figures with an axis a column draw apart, each with its first column; absent if none.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub parts: IndexMap<String, usize>,
    /// What is computed across rows.
    #[serde(skip)]
    pub across: Across,
    /// Measured rows.
    pub rows: Vec<ResultRow>,
    /// Published rows shown with a measured one.
    pub published: Vec<PublishedRow>,
    /// Differences in method between the published rows and the measured ones; absent if none are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// A note on the table.
    pub note: Option<String>,
}

/// One measured row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ResultRow {
    /// The respondent and the presentation.
    #[serde(flatten)]
    pub header: Header,
    /// Further method of the answers, as far as known.
    #[serde(default, skip_serializing_if = "Method::is_unknown")]
    pub method: Method,
    /// True if the items are neither the paper's nor drawn from them, so that no published row is shown with it; absent
    /// otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub other_items: bool,
    /// Number of the row's items that were asked, if not all in the data; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<AskedPart>,
    /// Facet values of the row, in the order of the table's facets.
    pub key: IndexMap<String, String>,
    /// One cell per visible column.
    pub cells: Vec<Cell>,
    /// The rows that this one is computed from; absent for a row of one respondent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Over>,
    /// What its values are computed from, where rows are combined.
    #[serde(skip)]
    pub sums: Option<Arc<RowSums>>,
}

/// The rows that a row is computed from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Over {
    pub kind: Combined,
    /// Labels of the rows: of models, each once; of a change, those of the first row and of the second.
    pub labels: Vec<String>,
    /// Labels of rows left out because their model is there already, in another precision for instance; absent if none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// How rows are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Combined {
    /// Mean over all models.
    Models,
    /// Mean over the models that are best on average over all rows and columns.
    TopModels,
    /// The second row minus the first.
    Change,
}

/// A part of a row's items: it is shown with published figures that cover other items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AskedPart {
    /// Items asked.
    pub asked: usize,
    /// Items of the row in the data.
    pub of: usize,
}

/// One measured value.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// The value in percent (differences: percentage points); null with a `reason`.
    pub value: Option<f64>,
    /// 95 % interval in percent; null where there is none.
    pub interval: Option<(f64, f64)>,
    /// Basis of the interval: `units` (Wilson's formula), `stories` (the same with the effective number of items, if
    /// items share stories), `resampling` (of stories) or `people` (people and stories, each left out in turn); absent
    /// without an interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_by: Option<IntervalBy>,
    /// For `stories`: variance of the accuracy over that of independent items; absent if all stories are alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub design_effect: Option<f64>,
    /// Number of units.
    pub n: usize,
    /// Kind of units: `items`, `stories`, `sets` (of a story's questions) or `questions`; for means over models, `models`.
    pub unit: String,
    /// Standard deviation over models in percentage points (dividing by their number less one); absent for one
    /// respondent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    /// For a mean of cells, the cell with the fewest units; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest: Option<SmallestCell>,
    /// Value under uniform guessing, in percent; null if undefined. For F1 scores, computed from mean counts: single
    /// options are guessed uniformly, labels are chosen with probability 1/2.
    pub chance: Option<f64>,
    /// Value of the best constant answer, in percent: always the same option, text or set of labels, or the option that
    /// the story names first or last, whichever is best in this column over all items of the data as shown. Absent if more is
    /// not better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<f64>,
    /// That answer, for instance `option A`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant_answer: Option<String>,
    /// Expected value of joint answers, in percent, if each were right independently of the others, as often as answers
    /// of its kind (stratum, language, number of options) are; for a range over versions of the same questions, its
    /// mean if the versions of each story were exchanged at random. Absent for single answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<f64>,
    /// For a range, the value that 95 % of the ranges under exchanged versions do not exceed; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_up_to: Option<f64>,
    /// Reason why there is no value.
    pub reason: Option<String>,
    /// The value, in percent, if every failed item were right, if that differs; failed items count as wrong in `value`.
    /// Absent if there is nothing to report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_failed_right: Option<f64>,
    /// The same for items with written replies of which none has an answer. Absent if there is nothing to report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_unread_right: Option<f64>,
}

/// The cell of a mean with the fewest units; the first on ties.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SmallestCell {
    /// Its column.
    pub column: String,
    /// Its number of units.
    pub n: usize,
}

/// Basis of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum IntervalBy {
    /// Independent units: Wilson's formula.
    Units,
    /// Items that share stories: Wilson's formula with the effective number of items.
    Stories,
    /// Resampled stories.
    Resampling,
    /// People and stories, each left out in turn.
    People,
}

impl Cell {
    /// Creates a cell without a value.
    pub fn empty(unit: String, reason: String) -> Self {
        Cell { unit, reason: Some(reason), ..Cell::default() }
    }
}

/// One row of published figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PublishedRow {
    /// The subject.
    pub label: String,
    /// Whether the subject is people.
    pub human: bool,
    /// True if the figures are means over the paper's models; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub average: bool,
    /// The table in the paper.
    pub source: String,
    /// Prompt style; null for people, and if the paper does not state it.
    #[serde(default)]
    pub style: Option<String>,
    /// How the answers were produced.
    #[serde(default)]
    pub method: Method,
    /// Facet values of the measured rows that it is shown with; empty for all.
    pub key: IndexMap<String, String>,
    /// One value per visible column, in percent; null if the paper has none.
    pub values: Vec<Option<f64>>,
}

/// Effects of option order, over single-choice items with equally many options in one language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OrderEffects {
    /// The respondent and the presentation.
    #[serde(flatten)]
    pub header: Header,
    /// Language of the items.
    pub language: String,
    /// Number of options of each item.
    pub options: usize,
    /// Number of items; failed items are excluded from all these figures.
    pub items: usize,
    /// Accuracy of the vote, in percent.
    pub vote: Figure,
    /// Mean accuracy of single orders, weighted by how often each was drawn.
    pub single_order: Figure,
    /// Of the items with at least two distinct known orders, the share that is right in all of them.
    pub circular: Figure,
    /// Accuracy of the option with the highest mean probability.
    pub mean_probability: Figure,
    /// Accuracy after removing the prior of the slots (PriDe).
    pub debiased: Figure,
    /// The estimated prior of each slot in percent; empty if `debiased` has no value.
    pub prior: Vec<f64>,
    /// For each slot: of the trials whose gold option was there, the share that chose it.
    pub recall: Vec<Figure>,
    /// Standard deviation of the recalls (dividing by their number), in percentage points: RStd of Zheng et al. 2024.
    pub recall_deviation: Figure,
    /// P-value, from 0 to 1, of the test that recalls deviate no more than if the slot did not matter (each item's
    /// answers are randomly reassigned to its distinct orders, 999 times).
    #[serde(default = "Figure::not_tested")]
    pub recall_p: Figure,
}

/// Calibration over single-choice items of one language. Confidence is the probability of the voted option among the
/// options (or their labels), averaged over the orders that have scores: a share of the probability that the model
/// gives them together, see [`LabelMassResult`], not of all possible continuations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The respondent and the presentation.
    #[serde(flatten)]
    pub header: Header,
    /// Language of the items.
    pub language: String,
    /// Items with a choice and scores.
    pub items: usize,
    /// Mean confidence in percent.
    pub confidence: Figure,
    /// Share of these items that is right.
    pub accuracy: Figure,
    /// Expected calibration error over ten bins of equal width, in percentage points.
    pub calibration_error: Figure,
    /// Expected value of that error, over the same bins, if every item were right with the probability given by its
    /// confidence; absent without scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration_error_if_calibrated: Option<f64>,
    /// Expected calibration error over ten bins with equally many items.
    pub calibration_error_equal_mass: Figure,
    /// Mean Brier score over all options, from 0 to 2.
    pub brier: Figure,
    /// The non-empty bins of equal width, from the lowest confidence.
    pub bins: Vec<CalibrationBin>,
    /// Accuracy of only the most confident items, the same share of the items of each number of options.
    pub selective: Vec<Selective>,
    /// Of the items with at least two distinct known orders, the share whose choice changes with the order.
    pub changing_with_order: Figure,
    /// Expected share if the answers were independent and right as often as they are; absent without two orders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changing_if_independent: Option<f64>,
}

/// The items whose confidence falls into one bin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CalibrationBin {
    /// Number of items.
    pub items: usize,
    /// Their mean confidence in percent.
    pub confidence: f64,
    /// Share of them that is right.
    pub accuracy: f64,
}

/// Accuracy of only the most confident answers, the same share of the items of each number of options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Selective {
    /// Share of the items included.
    pub coverage: f64,
    /// Share of these that is right.
    pub accuracy: f64,
}

/// Comparison of one way of writing answers with one way of scoring them, over the items of one benchmark in one
/// language that were asked both ways.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Agreement {
    /// The respondent.
    #[serde(alias = "subject")]
    pub label: String,
    /// Language of the items.
    pub language: String,
    /// Changed presentation; `None` for the plain one.
    pub condition: Option<String>,
    /// How answers were scored, with the style: for instance `letters, vanilla`.
    pub scored: String,
    /// How answers were written, with the style.
    pub written: String,
    /// Items asked both ways, excluding all failures.
    pub items: usize,
    /// Of these, items without a written answer; they are excluded from all following figures.
    pub without_answer: usize,
    /// Items with the same answer both ways.
    pub same: usize,
    /// Items where both are right.
    pub both_right: usize,
    /// Items where only the choice by log-likelihood is right.
    pub only_scored_right: usize,
    /// Items where only the written answer is right.
    pub only_written_right: usize,
    /// Items where neither is right.
    pub neither_right: usize,
}

impl Agreement {
    /// The share of items with the same answer, in percent; `None` without items.
    pub fn percent(&self) -> Option<f64> {
        let compared = self.items - self.without_answer;
        (compared > 0).then(|| self.same as f64 / compared as f64 * 100.0)
    }
}

/// Items listed by a measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Listing {
    /// Short name.
    pub id: String,
    /// Property that the items share.
    pub title: String,
    /// The respondent and the presentation.
    #[serde(flatten)]
    pub header: Header,
    /// Their ids.
    pub ids: Vec<String>,
}
