//! Assigns cases to strata, stories and groups.

use std::collections::BTreeSet;

use crate::attend::results::{Case, ModelRecord, rounded, rounded_ends};
use crate::benchmark::{Facets, TiedStories};
use crate::language::Language;
use crate::stats::clustered_mean;

/// Data of a case for comparisons of groups. Everything except the story's index depends on that case only.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    pub model: usize,
    /// The model's name.
    pub model_name: String,
    /// Index of its story; stories that hold versions of one question share an index.
    pub story: usize,
    /// Stratum within which it is compared, by facet name.
    pub stratum: Facets,
    /// Language of the item.
    pub language: Language,
    /// Whether the choice is right.
    pub right: Option<bool>,
    /// Whether the belief asked about is true.
    pub belief: Option<bool>,
    /// The item's facets.
    pub facets: Facets,
}

/// Places of cases, read one after the other.
#[derive(Debug, Default)]
pub struct Places {
    places: Vec<Place>,
    stories: TiedStories,
}

impl Places {
    /// Adds a case; returns the index of its place.
    pub fn add(&mut self, case: &Case, models: &[ModelRecord]) -> usize {
        let benchmark = case.stratum.get("benchmark").map_or("", String::as_str);
        self.places.push(Place {
            model: case.model,
            model_name: models.get(case.model).map_or_else(String::new, |model| model.name.clone()),
            story: self.stories.add(benchmark, &case.story, &case.parallel),
            stratum: case.stratum.clone(),
            language: case.language,
            right: case.right,
            belief: case.roles.as_ref().and_then(|roles| roles.belief),
            facets: case.facets.clone(),
        });
        self.places.len() - 1
    }

    /// All places with the final indices of their stories, which a later case may change.
    pub fn settled(&self) -> Vec<Place> {
        let nodes: Vec<usize> = self.places.iter().map(|place| place.story).collect();
        let numbers = self.stories.clone().numbers(&nodes);
        self.places.iter().zip(numbers).map(|(place, story)| Place { story, ..place.clone() }).collect()
    }

    /// Indices of stories if the stories of each pair of places are joined.
    pub fn tied(&self, pairs: &[(usize, usize)]) -> Vec<usize> {
        let mut stories = self.stories.clone();
        pairs.iter().for_each(|&(one, other)| stories.tie(self.places[one].story, self.places[other].story));
        let nodes: Vec<usize> = self.places.iter().map(|place| place.story).collect();
        stories.numbers(&nodes)
    }
}

/// Number of distinct stories.
pub fn distinct(stories: &[usize]) -> usize {
    stories.iter().collect::<BTreeSet<_>>().len()
}

/// The mean of values and its 95 % interval, clustered by story; the interval is `None` for fewer than two stories.
pub fn mean_by_story(values: &[f64], stories: &[usize]) -> (f64, Option<(f64, f64)>) {
    let interval = clustered_mean(values, stories).map(|mean| mean.unbounded_interval());
    (rounded(values.iter().sum::<f64>() / values.len() as f64), interval.map(rounded_ends))
}
