//! Notes on a dataset for the user.

use indexmap::{IndexMap, IndexSet};

use super::loaded::LoadedItems;
use super::settings::Settings;
use crate::benchmark::Benchmark;
use crate::prompt::Pack;

impl LoadedItems {
    /// Describes the detected format of the user's own file, its facet columns, and languages asked with instructions
    /// in another one because the prompt pack lacks theirs: one line each.
    pub fn notes(&self, settings: &Settings, packs: &IndexMap<Benchmark, Pack>) -> Vec<String> {
        let own = self.items.iter().filter(|item| item.benchmark == Benchmark::Custom);
        let facets: IndexSet<&str> = own.flat_map(|item| item.facets.keys().map(String::as_str)).collect();
        let mut notes = self.read_as.clone();
        if !facets.is_empty() {
            let facets = facets.into_iter().collect::<Vec<_>>().join(", ");
            notes.push(format!(
                "Facets of your questions, from their other columns: {facets}; --by FACET reports by one."
            ));
        }
        let mut foreign: IndexSet<(&str, &str, &str)> = IndexSet::new();
        let instructions = settings.instructions.each();
        for item in &self.items {
            let Some(pack) = packs.get(&item.benchmark) else { continue };
            for &wanted in instructions {
                let Ok(style) = pack.style_for(item, &settings.style, settings.scoring, wanted) else { continue };
                let language = wanted.language(item.language);
                if style.language != language {
                    foreign.insert((item.benchmark.name(), language.name(), style.language.name()));
                }
            }
        }
        notes.extend(foreign.into_iter().map(|(benchmark, language, used)| {
            format!(
                "{benchmark}: the prompt pack has no style `{}` in {language}; its questions get {used} instructions. \
                 --prompts DIR selects other packs.",
                settings.style
            )
        }));
        notes
    }
}
