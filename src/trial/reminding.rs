//! Reminders of items, in a run's settings.

use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::counted::counted;
use crate::prompt::Reminder;

/// The reminders of a run, as stored in the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Reminding {
    /// The card's link, to whose first questions the answers are.
    pub link: String,
    /// Whose answers items are asked with, beside being asked plainly.
    pub kinds: Vec<Reminder>,
    /// The model that gave the answers.
    pub model: String,
    /// SHA-256 that identifies it regardless of its name, as far as known.
    pub model_sha256: String,
    /// Style in which it was asked.
    pub style: String,
    /// How it answered, in a few words.
    pub answers: String,
    /// SHA-256 of the answers, in the order of their items.
    pub sha256: String,
    /// Items of the second side that are not asked, by the reason.
    pub left_out: IndexMap<String, usize>,
    /// Items linked to several questions, of which one was drawn; absent if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub drawn: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Reminding {
    /// Returns the reminders with which each item is asked, each with the link.
    pub(super) fn each(&self) -> impl Iterator<Item = (Reminder, Arc<str>)> {
        let link: Arc<str> = Arc::from(self.link.as_str());
        self.kinds.iter().map(move |&kind| (kind, Arc::clone(&link)))
    }

    /// Says whose answers these are, and which items have none.
    pub fn notes(&self) -> Vec<String> {
        let Reminding { link, model, style, answers, left_out, drawn, .. } = self;
        let mut notes = vec![format!("answers of {model} in the style {style}, {answers}.")];
        if !left_out.is_empty() {
            notes.push(format!("not asked: {}.", reasons(left_out)));
        }
        if *drawn > 0 {
            let items = counted(*drawn, "item");
            notes.push(format!("{items} linked to several answered questions, of which one was drawn."));
        }
        notes.into_iter().map(|note| format!("Reminders ({link}): {note}")).collect()
    }

    /// Says that the answers are not those of the model of this name and hash; `None` if they are.
    pub fn of_another(&self, name: &str, sha256: &str) -> Option<String> {
        let Reminding { link, model, model_sha256, .. } = self;
        if (model.as_str(), model_sha256.as_str()) == (name, sha256) {
            return None;
        }
        let other = match model == name {
            true => format!("another model of the name {model}"),
            false => format!("{model}, not of {name}"),
        };
        Some(format!("Reminders ({link}): what is called the model's own answer is that of {other}."))
    }
}

/// Counts of items by the reason why they are left out, in words.
pub(super) fn reasons(left_out: &IndexMap<String, usize>) -> String {
    let of = |(why, &items): (&String, &usize)| format!("{} ({why})", counted(items, "item"));
    left_out.iter().map(of).collect::<Vec<_>>().join(", ")
}
