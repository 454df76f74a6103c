//! Total probability of all labels: near one if the model is about to write a label, near zero if it would rather write
//! something else, so that its choice between labels means little.

use indexmap::IndexMap;

use crate::prompt::Scoring;
use crate::record::{AskRecord, TrialRecord};

/// Mass below which a model would rather write something other than a label.
pub const LOW_LABEL_MASS: f64 = 0.5;

/// The label mass of the prompts of one style and condition.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelMass {
    /// Prompt style.
    pub style: String,
    /// Changed presentation; `None` for the unchanged one.
    pub condition: Option<String>,
    /// Prompts with a mass: failed trials and scored option texts have none.
    pub prompts: usize,
    /// Median mass, between 0 and 1 except for rounding; the mean of the middle two for an even number. `None` without
    /// prompts.
    pub median: Option<f64>,
}

/// The sum of the probabilities of all labels after one prompt: letters for a single choice, joint choices for slots,
/// yes and no for a label of a set. `None` if option texts were scored, which are not mutually exclusive, and for a
/// prompt without results, with non-finite values, or with values that a server does not return.
pub fn label_mass(ask: &AskRecord, scoring: Scoring) -> Option<f64> {
    if scoring != Scoring::Letter || ask.results.is_empty() {
        return None;
    }
    let mass = ask.results.iter().map(|result| result.sum().map(f64::exp)).sum::<Option<f64>>()?;
    mass.is_finite().then_some(mass)
}

/// Collects the label mass of each style and condition, in the order of their first record. Every prompt counts once,
/// regardless of how often its order was drawn.
#[derive(Debug, Clone, Default)]
pub struct LabelMasses {
    presentations: IndexMap<(String, Option<String>), Vec<f64>>,
}

impl LabelMasses {
    /// Adds the prompts of a record.
    pub fn add(&mut self, record: &TrialRecord) {
        let masses = record.asks.iter().filter_map(|ask| label_mass(ask, record.scoring));
        let of_record = |(style, condition): &(String, Option<String>)| {
            (style, condition.as_deref()) == (&record.style, record.condition.as_deref())
        };
        match self.presentations.keys().position(of_record) {
            Some(known) => self.presentations[known].extend(masses),
            None => {
                let presentation = (record.style.clone(), record.condition.clone());
                self.presentations.insert(presentation, masses.collect());
            }
        }
    }

    /// The label masses of all records added.
    pub fn finish(self) -> Vec<LabelMass> {
        let of_presentation = |((style, condition), masses): ((String, Option<String>), Vec<f64>)| LabelMass {
            style,
            condition,
            prompts: masses.len(),
            median: median(masses),
        };
        self.presentations.into_iter().map(of_presentation).collect()
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.get(values.len().checked_sub(1)? / 2)?, values.get(values.len() / 2)?);
    Some((low + high) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::prompt::Order;
    use crate::record::{self, ContinuationRecord, Shown};

    fn ask(probabilities: &[f64]) -> AskRecord {
        let result = |p: &f64| ContinuationRecord {
            text: "A".into(),
            token_ids: None,
            // Two tokens: a label's likelihood is the likelihood of all its tokens.
            logprobs: vec![p.ln() as f32, 0.0],
            at_most: None,
            bytes: 1,
        };
        AskRecord {
            shown: Shown::Text("?".into()),
            answer_prefix: String::new(),
            prompt_tokens: 1,
            results: probabilities.iter().map(result).collect(),
            reply: None,
        }
    }

    fn record(condition: Option<&str>, scoring: Scoring, asks: &[&[f64]]) -> TrialRecord {
        TrialRecord {
            version: record::VERSION,
            id: "q".into(),
            style: "vanilla".into(),
            condition: condition.map(str::to_string),
            language: Language::En,
            order: Order::identity(2),
            count: 5,
            sample: None,
            scoring,
            labels: Vec::new(),
            system_merged: false,
            asks: asks.iter().map(|probabilities| ask(probabilities)).collect(),
            unconditional: None,
            failure: None,
            served: None,
        }
    }

    #[test]
    fn the_mass_is_the_sum_of_the_labels() {
        let mass = label_mass(&ask(&[0.5, 0.25, 0.125]), Scoring::Letter).expect("letters have a mass");
        assert!((mass - 0.875).abs() < 1e-6, "{mass}");
        assert_eq!(label_mass(&ask(&[]), Scoring::Letter), None);
        for texts in [Scoring::Text, Scoring::Hybrid] {
            assert_eq!(label_mass(&ask(&[0.5, 0.25]), texts), None);
        }
    }

    #[test]
    fn each_presentation_has_its_median() {
        let letter = |condition, asks: &[&[f64]]| record(condition, Scoring::Letter, asks);
        let records = [
            letter(None, &[&[0.5, 0.25]]),
            letter(Some("no-profile"), &[&[0.25, 0.25], &[0.5, 0.5]]),
            letter(None, &[&[0.0625, 0.0625]]),
            letter(None, &[&[0.5, 0.5]]),
            letter(None, &[]),
            record(Some("texts"), Scoring::Text, &[&[0.5, 0.5]]),
        ];
        let mut masses = LabelMasses::default();
        records.iter().for_each(|record| masses.add(record));
        let found = masses.finish();
        let seen: Vec<_> = found.iter().map(|mass| (mass.condition.as_deref(), mass.prompts, mass.median)).collect();
        assert_eq!(seen.len(), 3);
        for ((condition, prompts, median), expected) in
            seen.into_iter().zip([(None, 3, Some(0.75)), (Some("no-profile"), 2, Some(0.75)), (Some("texts"), 0, None)])
        {
            assert_eq!((condition, prompts), (expected.0, expected.1));
            assert_eq!(median.is_some(), expected.2.is_some());
            assert!((median.unwrap_or(0.0) - expected.2.unwrap_or(0.0)).abs() < 1e-6, "{condition:?} {median:?}");
        }
    }
}
