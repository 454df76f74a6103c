//! Stories with their questions, the units of samples and splits.

use indexmap::IndexMap;

use crate::benchmark::Item;

/// A story with all its questions in one language.
#[derive(Debug, Clone)]
pub struct StoryUnit<'a> {
    /// Id of the story.
    pub id: &'a str,
    /// Its questions, in the order of the data.
    pub items: Vec<&'a Item>,
}

impl StoryUnit<'_> {
    /// The context of its first question, a segment a line: what is embedded. The story of a later question may differ.
    pub fn text(&self) -> String {
        let segments = self.items.iter().take(1).flat_map(|item| &item.context);
        segments.map(|segment| &*segment.text).collect::<Vec<_>>().join("\n")
    }

    /// The values of a facet over its questions, each once, in order.
    pub fn values(&self, facet: &str) -> Vec<String> {
        let mut values = Vec::new();
        for value in self.items.iter().filter_map(|item| item.grouped_by(facet)) {
            if !values.iter().any(|known| *known == *value) {
                values.push(value.into_owned());
            }
        }
        values
    }
}

/// The stories of some items, in the order of their first questions.
pub fn story_units(items: &[Item]) -> Vec<StoryUnit<'_>> {
    let mut stories: IndexMap<&str, Vec<&Item>> = IndexMap::new();
    for item in items {
        stories.entry(&item.story).or_default().push(item);
    }
    stories.into_iter().map(|(id, items)| StoryUnit { id, items }).collect()
}
