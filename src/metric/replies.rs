//! Outcomes of written replies, and the resulting bounds on accuracy.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::Outcome;
use super::respondent::{Header, Respondent};
use crate::extract;

/// Outcomes of the replies under one style and condition in one language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReplyResult {
    /// The respondent and the presentation.
    #[serde(flatten)]
    pub header: Header,
    /// Language of the items.
    pub language: String,
    /// Number of replies.
    pub replies: usize,
    /// Replies by outcome, always with all five.
    pub outcomes: IndexMap<String, usize>,
    /// Replies by the extraction rule that decided.
    pub rules: IndexMap<String, usize>,
    /// Items with replies.
    pub items: usize,
    /// Items without a choice, because no reply to them has an answer.
    pub items_without_answer: usize,
    /// Accuracy over these items in percent if those without an answer were all wrong, and if they were all right.
    pub accuracy_bounds: (f64, f64),
}

/// Whether an item has replies but none has an answer.
pub(super) fn is_unread(outcome: &Outcome<'_>) -> bool {
    outcome.choice.is_none() && has_replies(outcome)
}

fn has_replies(outcome: &Outcome<'_>) -> bool {
    outcome.trials.iter().any(|trial| trial.reading.is_some())
}

/// Outcomes of the replies to some items, by style, condition and language; empty if there are no replies.
pub(super) fn reply_results(outcomes: &[&Outcome<'_>], by: Respondent<'_>) -> Vec<ReplyResult> {
    let mut groups: IndexMap<(&str, Option<&str>, &str), Vec<&Outcome<'_>>> = IndexMap::new();
    for outcome in outcomes.iter().filter(|outcome| has_replies(outcome)) {
        let key = (outcome.style.as_str(), outcome.condition.as_deref(), outcome.item.language.code());
        groups.entry(key).or_default().push(outcome);
    }
    let result = |((style, condition, language), outcomes): ((&str, Option<&str>, &str), Vec<&Outcome<'_>>)| {
        let mut by_outcome: IndexMap<String, usize> =
            extract::Outcome::ALL.iter().map(|outcome| (outcome.name().to_string(), 0)).collect();
        let mut rules: IndexMap<String, usize> = IndexMap::new();
        for trial in outcomes.iter().flat_map(|outcome| &outcome.trials) {
            let Some(reading) = &trial.reading else { continue };
            *by_outcome.entry(reading.outcome.name().to_string()).or_default() += trial.count;
            if let Some(rule) = &reading.rule {
                *rules.entry(rule.clone()).or_default() += trial.count;
            }
        }
        rules.sort_by(|name, count, other, others| others.cmp(count).then(name.cmp(other)));
        let right = outcomes.iter().filter(|outcome| outcome.is_right()).count();
        let unread = outcomes.iter().filter(|outcome| is_unread(outcome)).count();
        let share = |part: usize| part as f64 / outcomes.len() as f64 * 100.0;
        ReplyResult {
            header: by.header(style, condition),
            language: language.to_string(),
            replies: by_outcome.values().sum(),
            outcomes: by_outcome,
            rules,
            items: outcomes.len(),
            items_without_answer: unread,
            accuracy_bounds: (share(right), share(right + unread)),
        }
    };
    groups.into_iter().map(result).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{answered, cells, item, results};
    use super::*;
    use crate::answer::TrialReading;
    use crate::benchmark::{Answer, Item, OptionIx};

    #[test]
    fn replies_are_counted_by_outcome_and_bound_the_accuracy() {
        let items: Vec<Item> = ["a", "b", "c", "d"].map(|id| item(id, id, &[])).to_vec();
        let read = |at: usize, choice: Option<usize>, outcome: extract::Outcome| {
            let mut found = answered(&items[at], choice.map(|option| Answer::Single(OptionIx(option))));
            let rule = Some("brackets".to_string());
            found.trials.iter_mut().for_each(|trial| {
                trial.reading = Some(TrialReading { outcome, rule: rule.clone(), tokens: None, cut: false });
            });
            found
        };
        let outcomes = [
            read(0, Some(0), extract::Outcome::Answer),
            read(1, Some(1), extract::Outcome::Answer),
            read(2, None, extract::Outcome::Refused),
            read(3, None, extract::Outcome::CutOff),
        ];
        let found = results(&items, &outcomes, "").replies;
        let [found] = &found[..] else { panic!("{found:?}") };
        assert_eq!((found.replies, found.items, found.items_without_answer), (4, 4, 2));
        assert_eq!(found.outcomes.values().copied().collect::<Vec<_>>(), [2, 0, 0, 1, 1]);
        assert_eq!((found.rules["brackets"], found.accuracy_bounds), (4, (25.0, 75.0)));
        let cells = cells(&items, &outcomes, "{name='all'}");
        assert_eq!((cells[0].value, cells[0].if_unread_right), (Some(25.0), Some(75.0)));
    }

    #[test]
    fn choices_that_came_without_replies_are_not_counted() {
        let items: Vec<Item> = vec![item("a", "a", &[])];
        assert!(results(&items, &[answered(&items[0], Some(items[0].gold.clone()))], "").replies.is_empty());
    }
}
