//! Presentation of a run's prompts, needed to interpret its numbers.

use std::path::Path;

use indexmap::{IndexMap, IndexSet};

use super::manifest::Manifest;
use super::pack_lookup::packs_again;
use crate::benchmark::{Benchmark, Item};
use crate::counted::counted;
use crate::language::Language;
use crate::prompt::{Instructions, Pack};

/// Presentation of a run's prompts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HowAsked {
    /// Whether the model was shown plain text because it has no chat template.
    pub raw: bool,
    /// Number of items with instructions in another language, keyed by the language of the instructions, then of the
    /// item. Also empty if the run's prompts are unavailable.
    pub foreign: IndexMap<(Language, Language), usize>,
    /// Sources of the wording of each benchmark's prompts, from its pack. Also empty if the run's prompts are
    /// unavailable.
    pub wordings: IndexMap<Benchmark, IndexSet<String>>,
    /// Text in front of every system turn, in one line; empty without one.
    pub system: String,
}

impl HowAsked {
    /// Describes how the run in a folder asked these items, each with its condition and style; `raw` if a record shows
    /// plain text.
    pub fn new<'a>(
        run: &Path,
        manifest: &Manifest,
        raw: bool,
        items: impl IntoIterator<Item = (&'a Item, Option<&'a str>, &'a str)>,
    ) -> Self {
        let mut asked = HowAsked { raw, ..HowAsked::default() };
        let Ok(again) = packs_again(run, manifest, None) else { return asked };
        let systems: IndexSet<&str> = again.packs.values().filter_map(Pack::system).collect();
        asked.system = systems.iter().flat_map(|text| text.split_whitespace()).collect::<Vec<_>>().join(" ");
        for (item, condition, style) in items {
            let named = condition.iter().flat_map(|condition| condition.split('+'));
            let english = named.into_iter().any(|part| Some(part) == Instructions::En.condition());
            let instructions = if english { Instructions::En } else { Instructions::Item };
            let style = again
                .packs
                .get(&item.benchmark)
                .and_then(|pack| pack.style_for(item, style, manifest.settings.scoring, instructions).ok());
            let Some(style) = style else { continue };
            asked.wordings.entry(item.benchmark).or_default().insert(style.source.clone());
            if style.language != item.language {
                *asked.foreign.entry((style.language, item.language)).or_default() += 1;
            }
        }
        asked.foreign.sort_unstable_keys();
        asked
    }

    /// The sources of the wording of a benchmark's prompts.
    pub fn wording(&self, benchmark: Benchmark) -> Option<String> {
        let sources = self.wordings.get(&benchmark)?;
        Some(sources.iter().map(String::as_str).collect::<Vec<_>>().join("; "))
    }

    /// Returns text to append to a line on the instructions; empty if all were in their item's language.
    pub fn foreign_instructions(&self) -> String {
        let rendered = self.foreign.iter().map(|((instructions, item), count)| {
            let items = counted(*count, "item");
            format!("; in {} for {items} in {}", instructions.name(), item.name())
        });
        rendered.collect()
    }
}
