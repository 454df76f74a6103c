//! Notes on a dataset for the user.

use std::collections::HashMap;

use indexmap::{IndexMap, IndexSet};

use super::left_out::{LeftOut, left_out};
use super::loaded::LoadedItems;
use super::settings::Settings;
use crate::benchmark::{Benchmark, Item};
use crate::counted::counted;
use crate::prompt::{FIRST_ANSWER, Pack};

impl LoadedItems {
    /// Describes the detected format of the user's own file, its facet columns, languages asked with instructions in
    /// another one because the prompt pack lacks theirs, and items left out: one line each.
    pub fn notes(&self, settings: &Settings, packs: &IndexMap<Benchmark, Pack>) -> Vec<String> {
        let own = self.items.iter().filter(|item| item.benchmark == Benchmark::Custom);
        let mut facets: IndexSet<&str> = own.flat_map(|item| item.facets.keys().map(String::as_str)).collect();
        facets.shift_remove(FIRST_ANSWER);
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
        let left_out = LeftOut::described(&left_out(&self.items, packs, settings), self.items.len());
        notes
            .extend(left_out.map(|left_out| format!("Where options are hidden (--options after, never), {left_out}.")));
        // Chosen items may be single questions of stories by themselves.
        let is_chosen = settings.reminders.is_some()
            || !settings.items.is_empty()
            || !settings.facets.is_empty()
            || !settings.choices.is_empty();
        notes.extend(settings.limit.filter(|_| !is_chosen).and_then(|limit| self.cut_stories(limit)));
        notes
    }

    /// States that a limit of questions leaves most stories with one of their several questions, on which measures over
    /// whole stories are built.
    fn cut_stories(&self, limit: usize) -> Option<String> {
        let (left, all) = (questions_by_story(&self.items), questions_by_story(self.in_data()));
        let cut =
            left.iter().filter(|(story, left)| **left == 1 && all.get(*story).is_some_and(|all| *all > 1)).count();
        (2 * cut > left.len()).then(|| {
            format!(
                "--limit {limit} keeps only one of several questions in {cut} of {}; measures over whole stories need \
                 --limit-stories N, which asks all questions of N stories.",
                counted(left.len(), "story")
            )
        })
    }
}

fn questions_by_story(items: &[Item]) -> HashMap<&str, usize> {
    let mut questions = HashMap::new();
    items.iter().for_each(|item| *questions.entry(item.story.as_str()).or_default() += 1);
    questions
}
