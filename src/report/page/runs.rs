//! The runs of a page, each with one letter, colour and pattern wherever it is named.

use indexmap::IndexSet;
use minijinja::context;
use minijinja::value::Value;

use crate::figure::MOST_SERIES;
use crate::metric::{Header, ResultRow};
use crate::name::option_letter;
use crate::report::Report;
use crate::report::words::named;

/// Names of the runs, in the order of the page's ways of asking.
pub(super) struct Runs(IndexSet<String>);

impl Runs {
    /// The ways of the items, then the respondents of results that came without items.
    pub fn new(ways: &[String], report: &Report) -> Self {
        let mut runs = Runs(ways.iter().cloned().collect());
        let rows = report.results.iter().flat_map(|results| &results.tables).flat_map(|table| &table.rows);
        for row in rows.filter(|row| row.over.is_none()) {
            if runs.position(&row.header).is_none() {
                runs.0.insert(named(&row.header, false));
            }
        }
        runs
    }

    fn position(&self, header: &Header) -> Option<usize> {
        let whole = named(header, false);
        let Some(condition) = &header.condition else { return self.0.get_index_of(&whole) };
        let plain = named(&Header { condition: None, ..header.clone() }, false);
        let names = [format!("{plain}, {condition}"), format!("{whole}, {condition}"), whole];
        names.iter().find_map(|name| self.0.get_index_of(name))
    }

    /// Whether there are several.
    pub fn several(&self) -> bool {
        self.0.len() > 1
    }

    /// Number of runs.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Letter and series (from 1) of a row; `None` for a single run, and for rows computed from rows.
    pub fn mark(&self, row: &ResultRow) -> Option<Value> {
        let position = self.position(&row.header).filter(|_| self.several() && row.over.is_none())?;
        Some(context! { letter => option_letter(position), series => position % MOST_SERIES + 1 })
    }
}
