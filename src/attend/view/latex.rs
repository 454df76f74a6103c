//! LaTeX tables: keywords of prompts beside human keywords, groups, and head analyses.

use super::caption::read_from;
use super::group_tables::group_grid;
use super::head_analysis_latex::head_analysis_grids;
use crate::attend::results::{Case, Document};
use crate::canary::CANARY;
use crate::table::{Format, Grid, Screen, Value, render_grids};

/// A table per prompt with the answer position's keywords, and the tables of head analyses.
pub fn latex(document: &Document) -> String {
    let keywords = document.cases.iter().filter_map(|case| keyword_grid(document, case));
    written(keywords.chain(head_analysis_grids(document)).collect())
}

/// A table per group, and the tables of head analyses.
pub fn group_tables(document: &Document) -> String {
    let groups = document.groups.iter().map(|group| group_grid(document, group));
    written(groups.chain(head_analysis_grids(document)).collect())
}

fn written(grids: Vec<Grid>) -> String {
    format!("% {CANARY}\n{}", render_grids(&[], &grids, Format::Latex, Screen { width: None }))
}

fn keyword_grid(document: &Document, case: &Case) -> Option<Grid> {
    let row = case.rows.first()?;
    let people = &case.humans;
    let readers = people.iter().map(|person| person.reader.as_str());
    let header = ["#", &document.models[case.model].name, "%"].into_iter().chain(readers);
    let longest = people.iter().map(|person| person.keywords.len()).max().unwrap_or(0);
    let ranks = 0..document.settings.top.min(row.ranking.len().max(longest));
    let line = |rank: usize| {
        let word = row.ranking.get(rank);
        let of_model = [
            Value::from(rank + 1),
            word.map(|word| Value::from(&word.text)).unwrap_or_default(),
            word.map(|word| Value::places(100.0 * word.weight, 1)).unwrap_or_default(),
        ];
        let of_people = people.iter().map(|person| person.keywords.get(rank).map(Value::from).unwrap_or_default());
        of_model.into_iter().chain(of_people).collect::<Vec<_>>()
    };
    let title =
        format!("Keywords of {} ({}). Measure: {}", case.heading(), case.verdict(), read_from(&document.settings));
    Some(Grid::new(&title, 2, header, ranks.map(line)))
}

#[cfg(test)]
mod tests {
    use super::super::examples::document;
    use super::*;

    #[test]
    fn keywords_stand_beside_the_persons() {
        insta::assert_snapshot!(latex(&document()));
    }
}
