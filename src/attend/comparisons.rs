//! Probed prompts against each other: the contrasts asked for, and groups of them.

use std::cmp::Reverse;

use super::aggregate::{Checked, Finding, Grouping, aggregate};
use super::case::ProbedPrompt;
use super::deletion::chance_below_5_percent;
use super::document::{Case, ContrastRecord, GroupRecord, ModelRecord, OptionRecord, QueryRecord, ShiftRecord};
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

/// What is counted of a case, and the groups it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupedFinding {
    /// One name for each way of grouping: verdict, language, model, and the facet asked for.
    names: Vec<String>,
    finding: Finding,
}

impl GroupedFinding {
    /// What a case adds to its groups; `None` for one that is there only to be compared.
    pub fn of(case: &Case, grouping: &Grouping, models: &[ModelRecord]) -> Option<Self> {
        let row = case.rows.first().filter(|_| !case.compared_only)?;
        let verdict = match case.right {
            Some(true) => "right answers",
            Some(false) => "wrong answers",
            None => "not judged",
        };
        let model = models.get(case.model).map_or("", |model| &model.name);
        let facet = grouping.facet.iter().map(|facet| {
            let value = case.facets.get(facet).map_or("none", String::as_str);
            format!("{facet}: {value}")
        });
        let names = [verdict.to_string(), case.language.name().to_string(), model.to_string()];
        Some(GroupedFinding { names: names.into_iter().chain(facet).collect(), finding: finding(case, row, grouping) })
    }
}

/// Right against wrong, language against language, model against model, and the values of the facet asked for.
pub fn groups(found: &[GroupedFinding]) -> (Vec<GroupRecord>, Vec<ShiftRecord>) {
    let (mut groups, mut shifts) = (Vec::new(), Vec::new());
    if found.len() < 2 {
        return (groups, shifts);
    }
    for way in 0..found[0].names.len() {
        let aggregated = aggregate(found.iter().map(|grouped| (grouped.names[way].clone(), &grouped.finding)));
        if aggregated.len() < 2 && way > 0 {
            continue;
        }
        let mut by_size: Vec<&_> = aggregated.iter().collect();
        by_size.sort_by_key(|group| Reverse(group.items));
        if let [first, second, ..] = by_size[..]
            && way != 1
        {
            shifts.extend(records::shift_record(first, second, SHIFT_WORDS));
        }
        groups.extend(records::group_records(&aggregated, GROUP_WORDS));
    }
    (groups, shifts)
}

fn finding(case: &Case, row: &QueryRecord, grouping: &Grouping) -> Finding {
    let overlaps: Vec<f64> = case.humans.iter().filter_map(|human| human.overlap).collect();
    let deletion = case.deletion.as_ref().map(|check| Checked {
        keywords: check.without.fall,
        random: check.without.mean,
        p: check.without.p,
        below_by_chance: chance_below_5_percent(grouping.deletion_draws),
        flips: check.without.flips,
        random_flips: check.without.random_flips as f64 / check.without.described as f64,
    });
    let keywords = row.ranking.iter().take(grouping.top);
    Finding {
        keywords: keywords.map(|word| (word.key.clone(), word.text.clone(), word.weight)).collect(),
        sink: row.sink,
        words: row.on_words,
        entropy_bits: row.entropy_bits,
        half_way: row.half_way,
        overlap: (!overlaps.is_empty()).then(|| overlaps.iter().sum::<f64>() / overlaps.len() as f64),
        deletion,
        story: case.story.clone(),
        knocked_out: case.knocked_out.iter().map(|off| (off.parts.clone(), off.fall, off.flips)).collect(),
    }
}
