//! Sensitivity of keywords over all cases.

use indexmap::IndexMap;

use super::document::Case;
use super::records::rounded;
use super::sensitivity_records::{SensitivityGroupRecord, SensitivityRecord};
use super::stories::Stories;
use crate::metric::stats::clustered_mean;

/// What a case adds to the means: everything is from the case alone.
#[derive(Debug, Clone, PartialEq)]
pub struct SensitivityFinding {
    model: usize,
    story: String,
    records: Vec<SensitivityRecord>,
}

impl SensitivityFinding {
    /// What a case adds; `None` where nothing was changed.
    pub fn of(case: &Case) -> Option<Self> {
        let records = case.sensitivity.clone();
        (!records.is_empty()).then(|| SensitivityFinding { model: case.model, story: case.story.clone(), records })
    }
}

/// Means by model and view.
pub fn sensitivity_groups(findings: &[SensitivityFinding]) -> Vec<SensitivityGroupRecord> {
    let mut views: IndexMap<(usize, &str, &str), Vec<(&str, &SensitivityRecord)>> = IndexMap::new();
    for finding in findings {
        for record in &finding.records {
            views.entry((finding.model, &record.way, &record.name)).or_default().push((&finding.story, record));
        }
    }
    let group = |((model, way, name), members): ((usize, &str, &str), Vec<(&str, &SensitivityRecord)>)| {
        let mut stories = Stories::default();
        let numbers: Vec<usize> = members.iter().map(|(story, _)| stories.number(story)).collect();
        let values: Vec<f64> = members.iter().map(|(_, record)| record.jaccard).collect();
        let interval = clustered_mean(&values, &numbers).map(|mean| mean.unbounded_interval());
        let count = members.len() as f64;
        SensitivityGroupRecord {
            model,
            way: way.to_string(),
            name: name.to_string(),
            items: members.len(),
            stories: numbers.iter().max().map_or(0, |last| last + 1),
            jaccard: rounded(values.iter().sum::<f64>() / count),
            interval: interval.map(|(low, high)| (rounded(low), rounded(high))),
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
        let finding =
            |story: &str, jaccard| SensitivityFinding { model: 0, story: story.into(), records: vec![record(jaccard)] };
        let found = sensitivity_groups(&[finding("a", 0.5), finding("b", 0.25)]);
        assert_eq!((found[0].items, found[0].stories, found[0].jaccard, found[0].least), (2, 2, 0.375, 0.25));
        assert!(found[0].interval.unwrap().0 < 0.25);
    }
}
