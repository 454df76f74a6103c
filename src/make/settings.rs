//! Social settings of stories, as people labelled them, and which of them a sample lacks.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Sample, StoryUnit};

/// Settings of the stories of a sample and of those it was drawn from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Settings {
    /// Stories of the quotas that have labels.
    pub labelled: usize,
    /// Drawn stories that have none, by id.
    pub unlabelled: Vec<String>,
    /// Settings that occur in a quota and not in its sample.
    pub gaps: Vec<Gap>,
}

/// A setting that a sample lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Gap {
    /// The quota.
    pub quota: String,
    /// The setting.
    pub setting: String,
    /// Stories of the quota with this setting, none of them drawn.
    pub stories: Vec<String>,
}

impl Settings {
    /// Compares the settings of a sample with those of its quotas; `labels` holds the settings of stories by id.
    pub fn of(sample: &Sample, stories: &[StoryUnit<'_>], labels: &BTreeMap<String, BTreeSet<String>>) -> Self {
        let drawn: BTreeSet<usize> = sample.drawn.iter().map(|drawn| drawn.story).collect();
        let of = |story: usize| labels.get(stories[story].id).into_iter().flatten();
        let mut found: BTreeMap<(usize, &str), Vec<usize>> = BTreeMap::new();
        let mut labelled = 0;
        for category in &sample.categories {
            for &story in &category.members {
                labelled += usize::from(labels.contains_key(stories[story].id));
                of(story).for_each(|setting| found.entry((category.quota, setting)).or_default().push(story));
            }
        }
        let gaps = found.into_iter().filter(|(_, there)| !there.iter().any(|story| drawn.contains(story)));
        let gap = |((quota, setting), there): ((usize, &str), Vec<usize>)| Gap {
            quota: sample.met[quota].quota.name.clone(),
            setting: setting.to_string(),
            stories: there.into_iter().map(|story| stories[story].id.to_string()).collect(),
        };
        let unlabelled = drawn.iter().filter(|&&story| !labels.contains_key(stories[story].id));
        Settings {
            labelled,
            unlabelled: unlabelled.map(|&story| stories[story].id.to_string()).collect(),
            gaps: gaps.map(gap).collect(),
        }
    }
}
