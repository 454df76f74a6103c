//! Requested contrasts between probed prompts.

use super::case::ProbedPrompt;
use super::measure::{Contrast, IN_REPLY};
use super::results::{ContrastRecord, ModelRecord, OptionRecord, records};
use super::settings::ExperimentSettings;

/// Computes the contrasts between the queries of all prompts.
pub fn contrasts(
    settings: &ExperimentSettings,
    models: &[ModelRecord],
    probed: &[ProbedPrompt],
) -> Vec<ContrastRecord> {
    let compare = |name: &str, first: (usize, usize), second: (usize, usize)| {
        let side = |(case, row): (usize, usize)| ((case, row), &probed[case].annotated, &probed[case].rankings[row]);
        records::contrast_record(name, side(first), side(second), settings.method.keywords.scope)
    };
    let mut contrasts = Vec::new();
    for (index, prompt) in probed.iter().enumerate() {
        let case = &prompt.case;
        if settings.contrasts.contains(&Contrast::Options) {
            let row = |wanted: &OptionRecord| {
                case.rows.iter().position(|row| row.query == format!("option {}", wanted.label))
            };
            let right = case.options.iter().find(|option| option.gold);
            let wrong = case
                .options
                .iter()
                .filter(|option| !option.gold)
                .max_by(|a, b| a.logprob.unwrap_or(0.0).total_cmp(&b.logprob.unwrap_or(0.0)));
            if let (Some(right), Some(wrong)) = (right, wrong)
                && let (Some(first), Some(second)) = (row(right), row(wrong))
            {
                let name = format!("right option {} minus wrong option {}", right.label, wrong.label);
                contrasts.push(compare(&name, (index, first), (index, second)));
            }
        }
        let others = probed.iter().enumerate().filter(|(_, other)| other.case.item == case.item);
        let first_of_item = others.clone().next().is_some_and(|(first, _)| first == index);
        for (other, second) in others.filter(|(other, _)| first_of_item && *other != index) {
            let name = match second.case.model == case.model {
                true if second.case.variant == IN_REPLY => "scored letter minus written letter".to_string(),
                true if second.case.variant.starts_with("without") => format!("this minus {}", second.case.variant),
                true => format!("this order minus {}", second.case.variant),
                false => format!("{} minus {}", models[case.model].name, models[second.case.model].name),
            };
            contrasts.push(compare(&name, (index, 0), (other, 0)));
        }
    }
    contrasts
}
