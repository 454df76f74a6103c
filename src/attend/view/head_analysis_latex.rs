//! Tables of roles, group comparisons and matched pairs.

use super::differences::difference_grid;
use super::head_analysis_terminal::percents;
use crate::attend::results::{Document, MatchedPairsRecord};
use crate::table::{Grid, Value, cells};

/// A table of roles, tables of group comparisons, and one of each kind of matched pairs, if present.
pub(super) fn head_analysis_grids(document: &Document) -> Vec<Grid> {
    let of = |model: Option<usize>| {
        let names = document.models.iter().enumerate().filter(|(index, _)| model.is_none_or(|model| model == *index));
        names.map(|(_, model)| model.name.as_str()).collect::<Vec<_>>().join(" and ")
    };
    let prompts = document.differences.iter().map(|found| (found, format!("Prompts as read by {}", of(found.model))));
    let roles = document.findings.role_differences.iter();
    let roles = roles.map(|found| (found, format!("Attention on roles as read by {}", of(found.model))));
    let differences = prompts.chain(roles).filter_map(|(found, of)| difference_grid(found, &of));
    let twins = document.findings.twins.iter().map(|found| twins_grid(document, found));
    roles_grid(document).into_iter().chain(differences).chain(twins).collect()
}

fn roles_grid(document: &Document) -> Option<Grid> {
    let percent = |share: f64| Value::places(100.0 * share, 2);
    let rows = document.findings.roles.iter().map(|mean| {
        cells![
            mean.role.to_string(),
            mean.items,
            percent(mean.story),
            percents(mean.interval),
            percent(mean.per_mention),
            percent(mean.options),
        ]
    });
    let title = "Attention on roles: share of the row on their names in the story, intervals clustered by story. Where and how often \
                 a name stands differs between roles";
    let header = ["Role", "Items", "Story %", "95 %", "Per mention %", "Options %"];
    (!document.findings.roles.is_empty()).then(|| Grid::new(title, 1, header, rows))
}

fn twins_grid(document: &Document, found: &MatchedPairsRecord) -> Grid {
    let rows = found.quantities.iter().map(|quantity| {
        cells![
            &quantity.quantity,
            quantity.pairs,
            Value::places(100.0 * quantity.first, 2),
            Value::places(100.0 * quantity.second, 2),
            Value::signed(100.0 * quantity.difference, 2),
            Value::signed_range(quantity.interval.map(|(low, high)| (100.0 * low, 100.0 * high)), 2),
            Value::p(quantity.holm, 3),
        ]
    });
    let title = format!(
        "Twins of one {} read by {}: {} pairs, paired tests clustered by story, adjusted by Holm",
        found.kind, document.models[found.model].name, found.pairs
    );
    let header = ["% of row", "Pairs", &found.sides.0, &found.sides.1, "Difference", "95 %", "p (Holm)"];
    Grid::new(&title, 1, header, rows)
}

#[cfg(test)]
mod tests {
    use super::super::examples_head_analysis::with_findings;
    use super::*;
    use crate::table::{Format, Screen, render_grids};

    #[test]
    fn roles_and_twins_stand_in_tables() {
        let grids = head_analysis_grids(&with_findings());
        insta::assert_snapshot!(render_grids(&[], &grids, Format::Latex, Screen { width: None }));
    }
}
