//! Items that a style does not ask: those that need their options, where it hides them.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::settings::Settings;
use crate::benchmark::{Benchmark, Card, Item, OptionIx};
use crate::counted::counted;
use crate::prompt::{Anchor, Pack, Style, anchored};

/// Items left out for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// Why they are not asked with their options hidden.
    pub reason: String,
    /// Their ids.
    pub items: Vec<String>,
}

impl LeftOut {
    /// Describes all items left out of `items`, in one sentence; `None` if there are none.
    pub fn described(all: &[LeftOut], items: usize) -> Option<String> {
        let reason = |LeftOut { reason, items }: &LeftOut| {
            let first = items.first().map_or("", String::as_str);
            format!("{} (first {first}), since {reason}", counted(items.len(), "item"))
        };
        let reasons: Vec<String> = all.iter().map(reason).collect();
        let left: usize = all.iter().map(|each| each.items.len()).sum();
        (left > 0).then(|| format!("{left} of {} left out: {}", counted(items, "item"), reasons.join("; ")))
    }
}

/// What cards say of the items to be left out, by benchmark whose style hides options.
pub(super) struct Hidden(IndexMap<Benchmark, Card>);

impl Hidden {
    pub fn new(packs: &IndexMap<Benchmark, Pack>, settings: &Settings) -> Self {
        let hides = |pack: &Pack| pack.named(&settings.style).any(Style::hides_options);
        let hidden = packs.iter().filter(|(_, pack)| hides(pack));
        Hidden(hidden.map(|(&benchmark, _)| (benchmark, benchmark.card_with(&settings.own))).collect())
    }

    /// Returns why an item is left out; `None` if it is asked.
    pub fn reason(&self, item: &Item) -> Option<String> {
        let card = self.0.get(&item.benchmark)?;
        if let Some(closed) = card.needs_options.closed(item) {
            return Some(closed.reason());
        }
        let refers = |(_, anchor): &(OptionIx, Anchor)| matches!(anchor, Anchor::Place | Anchor::Letters);
        let (option, _) = anchored(item, &card.anchored).into_iter().find(refers)?;
        Some(format!("an option refers to others (\"{}\")", item.options[option.0]))
    }
}

/// Returns the items that a run leaves out, by reason in order of occurrence.
pub fn left_out<'i>(
    items: impl IntoIterator<Item = &'i Item>,
    packs: &IndexMap<Benchmark, Pack>,
    settings: &Settings,
) -> Vec<LeftOut> {
    let hidden = Hidden::new(packs, settings);
    let mut by_reason: IndexMap<String, Vec<String>> = IndexMap::new();
    for item in items {
        if let Some(reason) = hidden.reason(item) {
            by_reason.entry(reason).or_default().push(item.id.clone());
        }
    }
    by_reason.into_iter().map(|(reason, items)| LeftOut { reason, items }).collect()
}
