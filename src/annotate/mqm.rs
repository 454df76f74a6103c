//! The score of the Multidimensional Quality Metrics (XToM, appendix A.3, Table 2).

use super::{Question, SpanJudged};

/// The absolute penalty total of faults: the sum of severity multiplier times weight of the kind. Unknown faults are an
/// error that names them.
pub fn penalty(question: &Question, faults: &[SpanJudged]) -> Result<f64, String> {
    faults
        .iter()
        .map(|fault| {
            let label = question.labels.iter().find(|label| label.id == fault.label);
            let severity = question.severities.iter().find(|severity| severity.id == fault.severity);
            match (label, severity) {
                (Some(label), Some(severity)) => Ok(label.weight * severity.multiplier),
                (None, _) => Err(format!("`{}` is not a label of question `{}`", fault.label, question.id)),
                (_, None) => Err(format!("`{}` is not a severity of question `{}`", fault.severity, question.id)),
            }
        })
        .sum()
}

/// The overall quality score: one minus the penalty per word, times the maximum (100 if the scheme gives none). It may
/// be negative. `None` for a text without words.
pub fn overall_quality(question: &Question, penalty: f64, words: usize) -> Option<f64> {
    (words > 0).then(|| (1.0 - penalty / words as f64) * question.maximum.unwrap_or(100.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotate::{Place, Scheme};

    #[test]
    fn the_score_is_that_of_the_paper_s_table() {
        let scheme = Scheme::named("xtom-mqm").unwrap();
        let question = &scheme.questions[0];
        let fault = |label: &str, severity: &str| SpanJudged {
            place: Place { text: "x".into(), part: "story".into(), occurrence: 1, words: None },
            label: label.into(),
            severity: severity.into(),
        };
        // 1 + 5 in 120 words: 95; one more minor fault fails.
        let faults = vec![fault("accuracy", "minor"), fault("style", "major")];
        let score = |faults: &[SpanJudged]| overall_quality(question, penalty(question, faults).unwrap(), 120).unwrap();
        assert!((score(&faults) - 95.0).abs() < 1e-12);
        assert!(score(&[&faults[..], &[fault("locale", "minor")]].concat()) < question.pass.unwrap());
        assert_eq!(score(&[]), 100.0);
        assert!(penalty(question, &[fault("taste", "minor")]).unwrap_err().contains("taste"));
        assert_eq!(overall_quality(question, 0.0, 0), None);
    }
}
