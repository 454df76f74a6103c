//! Items with other persons, in a run's settings.

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::benchmark::{Item, MOST_CONTROLS, NameLists, Segment, Swap, SwapKind, SwapLeftOut, SwapProblem, Swapper};
use crate::model::sha256_bytes;

/// Swaps in which each item is asked beside its presentation as it is, as stored in the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Swaps {
    /// What is exchanged.
    pub kinds: Vec<SwapKind>,
    /// Names of a file; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    names: Option<SwapNames>,
    /// Items that are asked without a swap, by reason; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<SwapLeftOut>,
}

/// Names of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SwapNames {
    /// Path as given.
    path: String,
    /// SHA-256 of its bytes.
    sha256: String,
    /// Its names, by kind and group.
    lists: NameLists,
}

impl Swaps {
    /// Sets the names of a file.
    pub fn named(&mut self, path: String, text: &str, lists: NameLists) {
        self.names = Some(SwapNames { path, sha256: sha256_bytes(text), lists });
    }

    /// Returns the swaps and their controls, each once.
    pub fn each(&self) -> Vec<Swap> {
        let mut all: Vec<Swap> = Vec::new();
        for swap in self.kinds.iter().flat_map(|&kind| self.with_controls(kind)) {
            if !all.contains(&swap) {
                all.push(swap);
            }
        }
        all
    }

    /// A swap with its controls.
    fn with_controls(&self, kind: SwapKind) -> impl Iterator<Item = Swap> {
        let controls = match (kind, &self.names) {
            (SwapKind::Names, Some(names)) => names.lists.controls(MOST_CONTROLS),
            _ => MOST_CONTROLS,
        };
        let of_control = move |number| Swap { kind: kind.controlled_by(), control: Some(number) };
        [Swap { kind, control: None }].into_iter().chain((1..=controls).map(of_control))
    }

    /// Describes what is exchanged, and the file of names.
    pub fn described(&self) -> String {
        let kinds = self.kinds.iter().map(|kind| match (kind, &self.names) {
            (SwapKind::Names, Some(SwapNames { path, sha256, .. })) => {
                format!("{kind} of {path} (SHA-256 {})", &sha256[..sha256.len().min(12)])
            }
            _ => kind.to_string(),
        });
        kinds.collect::<Vec<_>>().join(", ")
    }

    /// Sets the items that are left out.
    pub fn settle(&mut self, items: &[Item], seed: u64) {
        let mut left_out: IndexMap<(SwapKind, String), (usize, Vec<&str>)> = IndexMap::new();
        let mut swappers = Swappers::new(self, seed);
        for item in items {
            for (kind, problem) in swappers.of(item).problems {
                let (items, stories) = left_out.entry((kind, problem.to_string())).or_default();
                *items += 1;
                if !stories.contains(&item.story.as_str()) {
                    stories.push(&item.story);
                }
            }
        }
        left_out.sort_keys();
        let left_out = left_out.into_iter().map(|((swap, reason), (items, stories))| SwapLeftOut {
            swap,
            reason,
            items,
            stories: stories.len(),
        });
        self.left_out = left_out.collect();
    }

    /// Returns an item as shown in the presentation of a name.
    pub(super) fn shown<'i>(&self, item: &'i Item, presentation: Option<&str>, seed: u64) -> Cow<'i, Item> {
        let swapper = Swap::and_rest(presentation).0.map(|swap| self.swapper(swap, item, seed));
        match swapper {
            Some(Ok(swapper)) => swapper.swapped(item).map_or(Cow::Borrowed(item), Cow::Owned),
            _ => Cow::Borrowed(item),
        }
    }

    fn swapper(&self, swap: Swap, item: &Item, seed: u64) -> Result<Swapper, SwapProblem> {
        let none = NameLists::default();
        Swapper::new(swap, item, self.names.as_ref().map_or(&none, |names| &names.lists), seed)
    }
}

/// The other persons of items, drawn once for each story.
pub(super) struct Swappers<'s> {
    swaps: &'s Swaps,
    seed: u64,
    /// The last story, its text, and its persons.
    last: Option<(String, Vec<Segment>, Drawn)>,
}

type Drawn = IndexMap<Swap, Result<Arc<Swapper>, SwapProblem>>;

/// How an item can be asked.
#[derive(Default)]
pub(super) struct OtherPersons {
    /// Its swaps and their controls.
    pub swappers: Vec<Arc<Swapper>>,
    /// The swaps that it does not have.
    pub problems: Vec<(SwapKind, SwapProblem)>,
}

impl<'s> Swappers<'s> {
    pub fn new(swaps: &'s Swaps, seed: u64) -> Self {
        Swappers { swaps, seed, last: None }
    }

    /// Returns how an item can be asked: under a swap and all its controls, or under none of these.
    pub fn of(&mut self, item: &Item) -> OtherPersons {
        let swaps = self.swaps;
        // The names of a list may stand in the question alone.
        let by_item = swaps.kinds.contains(&SwapKind::Names);
        let is_last = |(story, context, _): &(String, Vec<Segment>, Drawn)| {
            !by_item && *story == item.story && *context == item.context
        };
        if !self.last.as_ref().is_some_and(is_last) {
            let draw = |swap| (swap, swaps.swapper(swap, item, self.seed).map(Arc::new));
            let drawn = swaps.each().into_iter().map(draw).collect();
            self.last = Some((item.story.clone(), item.context.clone(), drawn));
        }
        let mut found = OtherPersons::default();
        let Some((_, _, drawn)) = &self.last else { return found };
        let settled = |swapper: &Result<Arc<Swapper>, SwapProblem>| -> Result<Arc<Swapper>, SwapProblem> {
            let swapper = swapper.clone()?;
            swapper.swapped(item)?;
            Ok(swapper)
        };
        let drawn: Vec<(Swap, Result<Arc<Swapper>, SwapProblem>)> =
            drawn.iter().map(|(swap, swapper)| (*swap, settled(swapper))).collect();
        let mut asked: Vec<Swap> = Vec::new();
        for &kind in &swaps.kinds {
            let wanted: Vec<Swap> = swaps.with_controls(kind).collect();
            let problem = drawn.iter().filter(|(swap, _)| wanted.contains(swap)).find_map(|(_, it)| it.as_ref().err());
            match problem {
                Some(problem) => found.problems.push((kind, problem.clone())),
                None => asked.extend(wanted),
            }
        }
        let of_asked = drawn.into_iter().filter(|(swap, _)| asked.contains(swap));
        found.swappers = of_asked.filter_map(|(_, swapper)| swapper.ok()).collect();
        found
    }
}
