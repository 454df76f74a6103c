//! Probed prompts against each other: the contrasts asked for, and groups of them.

use std::cmp::Reverse;

use super::aggregate::{Checked, Finding, aggregate};
use super::case::ProbedPrompt;
use super::deletion::chance_below_5_percent;
use super::document::{ContrastRecord, GroupRecord, ModelRecord, OptionRecord, ShiftRecord};
use super::records;
use super::settings::ExperimentSettings;
use super::versions::{Contrast, IN_REPLY};

/// Recurring keywords kept of each group, and shifts in each direction.
const GROUP_WORDS: usize = 20;
const SHIFT_WORDS: usize = 8;

/// The contrasts between the queries of all prompts.
pub fn contrasts(
    settings: &ExperimentSettings,
    models: &[ModelRecord],
    probed: &[ProbedPrompt],
) -> Vec<ContrastRecord> {
    let compare = |name: &str, first: (usize, usize), second: (usize, usize)| {
        let side = |(case, row): (usize, usize)| ((case, row), &probed[case].annotated, &probed[case].rankings[row]);
        records::contrast_record(name, side(first), side(second), settings.keywords.scope)
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

/// Right against wrong, language against language, model against model, and the values of the facet asked for.
pub fn groups(
    settings: &ExperimentSettings,
    models: &[ModelRecord],
    probed: &[ProbedPrompt],
) -> (Vec<GroupRecord>, Vec<ShiftRecord>) {
    let (mut groups, mut shifts) = (Vec::new(), Vec::new());
    let probed: Vec<&ProbedPrompt> = probed.iter().filter(|prompt| !prompt.compared_only).collect();
    if probed.len() < 2 {
        return (groups, shifts);
    }
    let findings: Vec<Finding> =
        probed.iter().map(|prompt| finding(prompt, settings.top, settings.deletion_draws)).collect();
    let names = |name: &dyn Fn(&ProbedPrompt) -> String| probed.iter().map(|prompt| name(prompt)).collect();
    let verdict = |prompt: &ProbedPrompt| match prompt.case.right {
        Some(true) => "right answers".to_string(),
        Some(false) => "wrong answers".to_string(),
        None => "not judged".to_string(),
    };
    let mut groupings: Vec<Vec<String>> = vec![
        names(&verdict),
        names(&|prompt| prompt.case.language.name().to_string()),
        names(&|prompt| models[prompt.case.model].name.clone()),
    ];
    if let Some(facet) = &settings.group {
        let value = |prompt: &ProbedPrompt| prompt.case.facets.get(facet).map_or("none", String::as_str).to_string();
        groupings.push(names(&|prompt| format!("{facet}: {}", value(prompt))));
    }
    for (index, names) in groupings.into_iter().enumerate() {
        let found = aggregate(names.into_iter().zip(&findings));
        if found.len() < 2 && index > 0 {
            continue;
        }
        let mut by_size: Vec<&_> = found.iter().collect();
        by_size.sort_by_key(|group| Reverse(group.items));
        if let [first, second, ..] = by_size[..]
            && index != 1
        {
            shifts.extend(records::shift_record(first, second, SHIFT_WORDS));
        }
        groups.extend(records::group_records(&found, GROUP_WORDS));
    }
    (groups, shifts)
}

fn finding(prompt: &ProbedPrompt, top: usize, draws: usize) -> Finding {
    let overlaps: Vec<f64> = prompt.case.humans.iter().filter_map(|human| human.overlap).collect();
    let overlap = (!overlaps.is_empty()).then(|| overlaps.iter().sum::<f64>() / overlaps.len() as f64);
    let deletion = prompt.case.deletion.as_ref().map(|check| Checked {
        keywords: check.without.fall,
        random: check.without.mean,
        p: check.without.p,
        below_by_chance: chance_below_5_percent(draws),
        flips: check.without.flips,
        random_flips: check.without.random_flips as f64 / check.without.described as f64,
    });
    let off = prompt.case.knocked_out.iter().map(|off| (off.parts.clone(), off.fall, off.flips));
    let finding = Finding::new(&prompt.rankings[0], top, &prompt.story);
    Finding { overlap, deletion, knocked_out: off.collect(), ..finding }
}
