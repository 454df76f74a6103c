//! Reports for papers: tables with their remarks as comments above them.

use super::{Report, sheets};
use crate::table::{Format, Screen};

/// The tables of the report, each with a caption that says how its numbers came about.
pub(super) fn report(report: &Report) -> String {
    let (writer, mut text) = (Format::Latex.writer(), String::new());
    if let Some(part) = report.unfinished {
        text.push_str(&format!("% {part}: {}\n", part.advice()));
    }
    for (name, value) in &report.provenance {
        text.push_str(&writer.remark(&format!("{name}: {value}")));
    }
    for results in &report.results {
        for (heading, rows) in sheets::problems(results) {
            std::iter::once(heading).chain(rows).for_each(|line| text.push_str(&writer.remark(&line)));
        }
        for mut grid in sheets::grids(results) {
            // A table is copied into a paper without the comments above it.
            if let Some(caption) = &grid.caption {
                grid.title.push_str(&format!(". {caption}"));
            }
            let settings = settings(report);
            if !settings.is_empty() {
                grid.title.push_str(&format!(". {settings}"));
            }
            if let Some(part) = report.unfinished {
                grid.title.push_str(&format!(". {part}"));
            }
            text.push('\n');
            text.push_str(&writer.remark(&results.title));
            grid.notes.iter().for_each(|note| text.push_str(&writer.remark(note)));
            text.push_str(&writer.table(&grid, Screen::default()));
        }
    }
    writer.document(text)
}

/// Lines of the provenance that a table in a paper cannot do without.
const IN_CAPTIONS: [&str; 7] = ["answers", "style", "orders", "labels", "seed", "arithmetic", "tomeval"];

/// How the numbers came about, for a caption.
fn settings(report: &Report) -> String {
    let said = |name: &&str| report.provenance.get(*name).map(|value| format!("{name}: {value}"));
    IN_CAPTIONS.iter().filter_map(said).collect::<Vec<_>>().join("; ")
}
