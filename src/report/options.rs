//! Options shown before the reasoning, after it, or never, as a grid.

use super::Report;
use super::words::{self, PAIRED, named, paired};
use crate::benchmark::Benchmark;
use crate::metric::{OptionsAnswer, OptionsResult, options};
use crate::page::words::Said;
use crate::table::{Grid, cells};

/// Compares the items of one benchmark over reports side by side.
pub(super) fn compared(reports: &[Report], benchmark: Benchmark) -> Vec<OptionsResult> {
    let answers = reports.iter().enumerate().flat_map(|(run, report)| {
        let mine = report.items.iter().filter(move |item| item.benchmark == benchmark);
        mine.filter_map(move |item| {
            Some(OptionsAnswer {
                header: &item.header,
                run,
                language: item.language,
                item: [&item.id, &item.story, &item.parallel],
                when: item.when?,
                right: item.right,
            })
        })
    });
    options(benchmark, answers)
}

pub(super) fn grid(found: &[OptionsResult]) -> Option<Grid> {
    found.first()?;
    let several_styles = words::several_styles(found.iter().map(|each| &each.header));
    let header = ["language", "", "options", "answers"].into_iter().chain(PAIRED);
    let row = |each: &OptionsResult| {
        let mut cells = cells![&each.language, named(&each.header, several_styles), each.options.name(), &each.by];
        cells.extend(paired(&each.found));
        cells
    };
    let grid = Grid::new("Options shown before the reasoning, after it, or never", 4, header, found.iter().map(row));
    Some(grid.explained().with_notes([Said::new("note_options", [])]))
}
