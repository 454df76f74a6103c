//! Metrics: outcomes grouped by facets. This module is independent of models.
//!
//! A benchmark's card declares its tables ([`Layout`]): which facets form the rows, which filter and [`Measure`] form
//! each column, and which published figures are shown with them. [`evaluate`] fills them:
//!
//! 1. outcomes are grouped by row facets and column filter;
//! 2. a measure turns a group into units (items, stories, questions), each adding a few numbers to its story's sums;
//! 3. values are functions of the sums, chance levels are means over units, and intervals come from Wilson's formula
//!    (with the effective number of items if they share stories) or from resampling stories.

mod across;
mod beside;
mod budgets;
mod calibration;
mod compute;
mod constant;
mod drawing;
mod evaluate;
mod figure;
mod headline;
mod independence;
mod label_mass;
mod layout;
mod link;
mod linked;
mod linked_answers;
mod measure;
mod method;
mod none_of_these;
mod options;
mod order_effects;
mod paired_accuracy;
mod permuted;
mod perspective;
mod raters;
mod reminders;
mod replies;
mod reply_length;
mod respondent;
mod results;
mod shortcut;
mod sums;
mod swaps;
mod table;
#[cfg(test)]
mod tests;
mod unseen;
mod variance;
mod ways;
mod world;
mod wrong_choices;

pub use crate::answer::{Outcome, TrialOutcome};
pub use crate::benchmark::Filter;
pub use across::Across;
pub use budgets::Budget;
pub use drawing::Drawing;
pub use evaluate::{Setting, evaluate};
pub use figure::Figure;
pub use headline::{AVERAGE, HeadlinePair, UnitPair, cell_pairs, headline_pairs};
pub(crate) use independence::AnsweredInOrders;
pub use label_mass::LabelMassResult;
pub use layout::{BY, Layout, LayoutError, PaperTest, Published, Table};
pub use link::Link;
pub use linked::{TwinTexts, TwinTextsOfVersion, twin_texts, twin_texts_by_version};
pub use linked_answers::{Consistency, ConsistencyPart, LinkResult, Linked, TwinMoves, TwinResult};
pub use measure::Measure;
pub use method::{Method, OF_PAPER};
pub use none_of_these::NoneOfThese;
pub use options::{OptionsAnswer, OptionsResult, WhenShown, options};
pub use paired_accuracy::PairedAccuracy;
pub use perspective::{Cut, Cuts, Estimated, FIRST_PHASE, Perspective, cut, perspectives};
pub use raters::{
    RaterAgreement, RaterPair, RaterResult, Raters, rater_agreement, rater_agreement_among, rater_agreement_of_runs,
};
pub use reminders::{AskedWith, Reminded, Shift};
pub use replies::ReplyResult;
pub use reply_length::{LengthQuarter, ReplyLength};
pub use respondent::{Header, Respondent, Subject};
#[cfg(test)]
pub use results::CalibrationBin;
pub use results::{
    Agreement, AskedPart, Calibration, Cell, Combined, Counts, IntervalBy, Listing, OrderEffects, PublishedRow,
    ResultRow, Results, SmallestCell, TableResult, VERSION as RESULTS_VERSION,
};
pub use shortcut::{FEWEST_STORIES_OF_CELL, Shortcut, shortcuts, strongest};
pub use swaps::{SwapConclusion, SwapResult, swaps};
pub use unseen::{Changed, Pull, Unseen};
pub use variance::{Anew, Source, Sources, sources};
pub use wrong_choices::{WrongChoices, WrongPlace};
