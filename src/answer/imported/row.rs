//! A row of another program's file in a common form, and its trials.

use super::known::{Found, KnownItems, Names, order_of_texts};
use super::line::{ImportedTrial, ReplyReading, read_reply};
use super::problem::{ImportedProblem, Place, ProblemKind};
use crate::benchmark::{Answer, Item};
use crate::counted::counted;
use crate::name::option_letter;
use crate::prompt::{Order, UNNAMED_STYLE};
use crate::record::FailureKind;

/// A row of another program's file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) place: Place,
    /// Identifies its item.
    pub(super) names: Names,
    /// Whether the slot labels are known to be letters; otherwise they are the labels of the style.
    pub(super) lettered: bool,
    /// Whether its options are in the order shown.
    pub(super) shown_so: bool,
    /// The answers, one or several.
    pub(super) said: Vec<Said>,
}

/// An answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    /// A reply; `cut` if a limit ended it.
    Reply { text: String, cut: bool },
    /// Log-likelihoods in nats of some continuations.
    Scores { continuations: Vec<String>, logprobs: Vec<f64> },
    /// No answer, with the reason.
    Failed { reason: String },
}

impl Row {
    /// Its trials, in row order.
    ///
    /// # Errors
    /// No item matches, or the answer does not fit the item's options.
    pub(super) fn trials(
        &self,
        known: &KnownItems<'_>,
        reading: &ReplyReading<'_>,
    ) -> Result<Vec<ImportedTrial>, Box<ImportedProblem>> {
        let request = known.requests.and_then(|requests| self.names.ids.iter().find_map(|id| requests.get(id)));
        let found = match request {
            Some(request) => {
                let ids = vec![request.id.clone()];
                Found { orders: vec![request.order.clone()], ..known.find(&Names { ids, ..Names::default() })? }
            }
            None => known.find(&self.names)?,
        };
        let item = &known.items[found.item];
        let options = item.options.len();
        if let Some(request) = request {
            request.check(item)?;
        }
        let style = request.map_or(UNNAMED_STYLE, |request| &request.style);
        let labels = match request {
            Some(request) => Some(request.labels.clone()),
            None => self.lettered.then(|| (0..options).map(option_letter).collect()),
        };
        let order = || match &found.orders[..] {
            [] => Ok(None),
            [order] => Ok(Some(order.clone())),
            _ => {
                let message = "two lists of the row contain the options in different orders";
                Err(ImportedProblem::mistake(None, message).of_kind(ProblemKind::Ambiguous))
            }
        };
        let trial = || ImportedTrial {
            style: style.to_string(),
            condition: request.and_then(|request| request.condition.clone()),
            count: request.map_or(1, |request| request.count),
            ..ImportedTrial::of(found.item)
        };
        let mut trials = Vec::new();
        for said in &self.said {
            trials.push(match said {
                Said::Failed { .. } => {
                    let order = order()?.filter(|_| self.shown_so);
                    ImportedTrial { order, failure: Some(FailureKind::Server.name()), ..trial() }
                }
                Said::Reply { text, cut } => {
                    let order = order()?;
                    let (choice, read) =
                        read_reply(text, *cut, labels.as_deref(), order.as_ref(), item, style, reading)?;
                    ImportedTrial { order: order.filter(|_| self.shown_so), choice, reading: Some(read), ..trial() }
                }
                Said::Scores { continuations, logprobs } => {
                    let order = order_of_scores(continuations, item, order)?;
                    if logprobs.len() != order.len() {
                        let message =
                            format!("has {} for {} options", counted(logprobs.len(), "log-likelihood"), order.len());
                        return Err(ImportedProblem::mistake(None, message));
                    }
                    let logprobs = Some(order.to_canonical(logprobs));
                    ImportedTrial { order: Some(order), logprobs, scored: true, ..trial() }
                }
            });
        }
        Ok(trials)
    }
}

/// The option of each scored continuation: continuations are the option texts, or the letters of the options shown.
fn order_of_scores(
    continuations: &[String],
    item: &Item,
    shown: impl Fn() -> Result<Option<Order>, Box<ImportedProblem>>,
) -> Result<Order, Box<ImportedProblem>> {
    let unmatched = |message: String| ImportedProblem::mistake(None, message).of_kind(ProblemKind::Unmatched);
    if !matches!(item.gold, Answer::Single(_)) {
        let message = format!("log-likelihoods of options select one, but `{}` takes {}", item.id, item.gold.kind());
        return Err(unmatched(message));
    }
    if let Some(order) = order_of_texts(continuations, item) {
        return Ok(order);
    }
    let letters = continuations.iter().enumerate().all(|(slot, text)| *text.trim() == option_letter(slot));
    match (letters && continuations.len() == item.options.len(), shown()?) {
        (true, Some(order)) => Ok(order),
        (true, None) => Err(unmatched(format!("it scores letters, but does not contain the options of `{}`", item.id))),
        (false, _) => {
            Err(unmatched(format!("its continuations are neither the options of `{}` nor their letters", item.id)))
        }
    }
}
