//! Sensitivity of keywords over all cases.

use indexmap::{IndexMap, IndexSet};

use super::places::{Place, distinct, mean_by_story};
use crate::attend::results::{Case, SensitivityGroupRecord, SensitivityRecord, rounded};
use crate::language::Language;

/// Sensitivity values of a case; uses that case only.
#[derive(Debug, Clone, PartialEq)]
pub struct SensitivityFinding {
    /// Index of its place.
    place: usize,
    records: Vec<SensitivityRecord>,
}

impl SensitivityFinding {
    /// Collects the values of a case; `None` if nothing was varied.
    pub fn new(case: &Case, place: usize) -> Option<Self> {
        let records = case.sensitivity.clone();
        (!records.is_empty()).then_some(SensitivityFinding { place, records })
    }
}

/// Means by model, language and view; word lists of two languages have no common mean.
pub fn sensitivity_groups(places: &[Place], findings: &[SensitivityFinding]) -> Vec<SensitivityGroupRecord> {
    let mut views: IndexMap<(usize, Language, &str, &str), Vec<(usize, &SensitivityRecord)>> = IndexMap::new();
    for finding in findings {
        let place = &places[finding.place];
        for record in &finding.records {
            let view = (place.model, place.language, record.way.as_str(), record.name.as_str());
            views.entry(view).or_default().push((place.story, record));
        }
    }
    let mut of_languages: IndexSet<(usize, Language)> = IndexSet::new();
    of_languages.extend(views.keys().map(|&(model, language, ..)| (model, language)));
    views.sort_by_key(|&(model, language, ..), _| of_languages.get_index_of(&(model, language)));
    let group =
        |((model, language, way, name), members): ((usize, Language, &str, &str), Vec<(usize, &SensitivityRecord)>)| {
            let stories: Vec<usize> = members.iter().map(|(story, _)| *story).collect();
            let values: Vec<f64> = members.iter().map(|(_, record)| record.jaccard).collect();
            let (jaccard, interval) = mean_by_story(&values, &stories);
            let count = members.len() as f64;
            SensitivityGroupRecord {
                model,
                language,
                way: way.to_string(),
                name: name.to_string(),
                items: members.len(),
                stories: distinct(&stories),
                jaccard,
                interval,
                least: values.iter().copied().fold(1.0, f64::min),
                rank_biased_overlap: rounded(
                    members.iter().map(|(_, record)| record.rank_biased_overlap).sum::<f64>() / count,
                ),
            }
        };
    views.into_iter().map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::super::within::tests::place;
    use super::*;

    #[test]
    fn views_are_averaged_over_cases() {
        let record = |jaccard| SensitivityRecord {
            way: "layers".into(),
            name: "layers 0-1".into(),
            shared: 5,
            jaccard,
            rank_biased_overlap: jaccard,
        };
        let finding = |place: usize, jaccard| SensitivityFinding { place, records: vec![record(jaccard)] };
        let mut places = [place("demo", 0, true), place("demo", 1, true), place("demo", 0, true)];
        places[2].language = Language::Zh;
        let found = sensitivity_groups(&places, &[finding(0, 0.5), finding(2, 1.0), finding(1, 0.25)]);
        let english = &found[0];
        assert_eq!((english.items, english.stories, english.jaccard, english.least), (2, 2, 0.375, 0.25));
        assert!(english.interval.unwrap().0 < 0.25);
        assert_eq!((found[1].language, found[1].items, found[1].interval), (Language::Zh, 1, None));
    }
}
