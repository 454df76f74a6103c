//! Problems of the data that a report is based on, in sentences.

use super::words::thousands;
use crate::benchmark::RowProblem;
use crate::metric::Results;
use crate::page::words::english;

/// Problems of the data: headings, each with its lines.
pub(super) fn problems(results: &Results) -> impl Iterator<Item = (String, Vec<String>)> {
    unread(results).into_iter().chain(changed_data(results))
}

/// Name of what data are whose counts differ from those of the released files.
pub(super) const CHANGED_DATA: &str = "say_data_changed";

/// Counts that differ from the released files: a heading and a line each.
fn changed_data(results: &Results) -> Option<(String, Vec<String>)> {
    let heading = format!(
        "Warning: {}; figures next to published ones are for other items. Get the released files again, or \
         accept them with --allow-changed-data:",
        english(CHANGED_DATA).unwrap_or_default()
    );
    let lines: Vec<String> = results.changed_data.iter().map(ToString::to_string).collect();
    (!lines.is_empty()).then_some((heading, lines))
}

/// Most unreadable rows listed in human-readable reports; machine-readable ones list all.
const UNREAD_SHOWN: usize = 10;

/// Unreadable rows of the data: a heading, and a line each with place and reason.
fn unread(results: &Results) -> Option<(String, Vec<String>)> {
    let rows = &results.unread_rows;
    let heading = match rows.len() {
        0 => return None,
        1 => "1 row of the data could not be read and is left out:".to_string(),
        more => format!("{} rows of the data could not be read and are left out:", thousands(more)),
    };
    let mut lines: Vec<String> = rows.iter().take(UNREAD_SHOWN).map(RowProblem::to_string).collect();
    if rows.len() > UNREAD_SHOWN {
        lines.push(format!("and {} more; `tomeval data check` lists all", thousands(rows.len() - UNREAD_SHOWN)));
    }
    Some((heading, lines))
}
