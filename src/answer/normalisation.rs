//! Normalisations: turn the log-likelihood of a continuation into the score for comparing options.

use strum::{IntoStaticStr, VariantArray};

use crate::name::named;
use crate::prompt::{OptionsShown, Scoring};
use crate::record::ContinuationRecord;

/// Normalises log-likelihoods so that continuations of different lengths are comparable.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Normalisation {
    /// The sum over tokens, unchanged.
    #[default]
    Sum,
    /// Divided by the number of tokens.
    Token,
    /// Divided by the number of UTF-8 bytes of the text.
    Byte,
    /// Minus the log-likelihood after a neutral context (pointwise mutual information, Holtzman et al. 2021).
    Pmi,
}

named!(Normalisation, "normalisation");

impl Normalisation {
    /// The normalisation of reports without arguments: texts differ in length, letters do not; a text after a free reply is
    /// an answer as a whole.
    pub fn usual(scoring: Scoring, style: &str) -> Self {
        match (scoring, OptionsShown::of(style, scoring)) {
            (Scoring::Letter, _) | (_, Some(OptionsShown::Never)) => Normalisation::Sum,
            _ => Normalisation::Token,
        }
    }

    /// The score of a continuation in nats; `None` if undefined: an empty continuation, `pmi` without `unconditional`,
    /// or a non-finite log-probability.
    pub(super) fn score(
        self,
        continuation: &ContinuationRecord,
        unconditional: Option<&ContinuationRecord>,
    ) -> Option<f64> {
        let sum = continuation.sum()?;
        let score = match self {
            Normalisation::Sum => sum,
            Normalisation::Token => sum / continuation.logprobs.len() as f64,
            Normalisation::Byte => sum / continuation.bytes as f64,
            Normalisation::Pmi => sum - unconditional?.sum()?,
        };
        score.is_finite().then_some(score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn continuation(text: &str, logprobs: &[f32]) -> ContinuationRecord {
        ContinuationRecord {
            text: text.into(),
            token_ids: None,
            logprobs: logprobs.to_vec(),
            at_most: None,
            bytes: text.len(),
        }
    }

    #[test]
    fn each_normalisation_divides_by_its_own_length() {
        let given = continuation("blue box", &[-1.0, -3.0]);
        let neutral = continuation("blue box", &[-0.5, -1.0]);
        let score = |normalisation: Normalisation| normalisation.score(&given, Some(&neutral)).unwrap();
        assert_eq!(Normalisation::ALL.map(score), [-4.0, -2.0, -0.5, -2.5]);
    }

    #[test]
    fn undefined_scores_are_absent() {
        let empty = continuation("", &[]);
        assert!(Normalisation::ALL.into_iter().all(|each| each.score(&empty, Some(&empty)).is_none()));
        let given = continuation("a", &[-1.0]);
        assert_eq!(Normalisation::Pmi.score(&given, None), None);
        assert_eq!(Normalisation::Sum.score(&continuation("a", &[f32::NEG_INFINITY]), None), None);
    }

    #[test]
    fn names_parse_and_print_alike() {
        for each in Normalisation::ALL {
            assert_eq!(each.to_string().parse(), Ok(each));
        }
        assert!("mean".parse::<Normalisation>().is_err());
    }
}
