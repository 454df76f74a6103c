//! The tables of a report by id, and which of them a view shows.

use indexmap::IndexMap;

use super::calibration::calibration_grid;
use super::sheets::{agreement_grid, headline, none_of_these_grid, order_effects_grid, replies_grid, table_grid};
use super::view::{self, Tables, UnknownTable, View};
use super::{Report, budgets, linked, options, people, perspective, reminders, reply_length, swaps, unseen, variance};
use crate::counted::counted;
use crate::metric::{BY, Results, TableResult};
use crate::name::nearest;
use crate::table::Grid;

/// A table of a report with the id that `--table` takes.
pub(super) struct Section {
    pub id: String,
    pub grid: Grid,
}

/// The tables of a benchmark, then reply outcomes, order effects and calibration.
pub(super) fn sections(results: &Results, view: &View) -> Vec<Section> {
    let named = |id: &'static str| move |grid| Section { id: id.to_string(), grid };
    let table = |table: &TableResult| Section { id: table.id.clone(), grid: table_grid(table, view) };
    let mut sections: Vec<Section> = results.tables.iter().map(table).collect();
    sections.extend(linked::grids(&results.linked).into_iter().map(|(id, grid)| named(id)(grid)));
    sections.extend(replies_grid(&results.replies).map(named("replies")));
    sections.extend(agreement_grid(&results.agreement).map(named("agreement")));
    sections.extend(results.raters.iter().flat_map(people::grids).map(named("people")));
    sections.extend(none_of_these_grid(&results.none_of_these).map(named("none-of-these")));
    sections.extend(unseen::grid(&results.unseen).map(named("unseen")));
    sections.extend(budgets::grid(&results.budgets).map(named("budgets")));
    sections.extend(reply_length::grids(&results.reply_length).into_iter().map(named("reply-length")));
    sections.extend(variance::grids(&results.variance).into_iter().map(named(variance::ID)));
    sections.extend(options::grid(&results.options).map(named("options")));
    sections.extend(swaps::grid(&results.swaps).map(named("swaps")));
    sections.extend(reminders::grids(&results.reminded).into_iter().map(named("reminders")));
    sections.extend(unseen::changes(&results.unseen).map(named("unseen-changes")));
    sections.extend(unseen::wrong_choices(&results.wrong_choices).map(named("wrong-choices")));
    sections.extend(perspective::grid(&results.perspective).map(named("perspective")));
    sections.extend(order_effects_grid(&results.order_effects).map(named("order-effects")));
    sections.extend(calibration_grid(&results.calibration, &results.label_mass).map(named("calibration")));
    sections
}

/// The tables of protocols that a report has, by the ids that `--table` takes.
pub fn protocol_tables(report: &Report) -> Vec<&'static str> {
    let slope = |results: &Results| results.reply_length.iter().any(|each| each.per_doubling.value.is_some());
    let known: [(&str, &dyn Fn(&Results) -> bool); 6] = [
        ("budgets", &|results| !results.budgets.is_empty()),
        ("reply-length", &slope),
        (variance::ID, &|results| !results.variance.is_empty()),
        ("options", &|results| !results.options.is_empty()),
        ("swaps", &|results| !results.swaps.is_empty()),
        ("reminders", &|results| !results.reminded.is_empty()),
    ];
    known.into_iter().filter(|(_, has)| report.results.iter().any(has)).map(|(id, _)| id).collect()
}

/// Index of a benchmark's further tables: ids and titles.
pub(super) fn index(results: &Results, further: &[Section]) -> Vec<(String, String)> {
    let mut index: IndexMap<String, String> = IndexMap::new();
    for Section { id, grid } in further {
        index.entry(id.clone()).or_insert_with(|| grid.title.clone());
    }
    let mut more = |id: &str, title: String| index.insert(id.to_string(), title);
    if !results.listings.is_empty() {
        more(view::LISTINGS, format!("{} to look at", counted(results.listings.len(), "list")));
    }
    more("notes,counts", "remarks on the data; counts of asked, failed and tied".to_string());
    more(view::SETTINGS, "all details of the run".to_string());
    more("all", "everything".to_string());
    index.into_iter().collect()
}

/// A benchmark's tables that the view shows, and the others.
pub(super) fn shown(view: &View, results: &Results) -> (Vec<Section>, Vec<Section>) {
    let main = match headline(results) {
        Some((table, _)) => Some(table),
        None => results.tables.first(),
    };
    let is_main =
        |id: &str| id.starts_with(BY) || id.starts_with(view::TRANSFER) || main.is_some_and(|table| table.id == id);
    let mains = view.tables == Tables::Main;
    let is_shown = |section: &Section| if mains { is_main(&section.id) } else { view.shows(&section.id) };
    sections(results, view).into_iter().partition(is_shown)
}

/// Check that every named table exists.
pub fn check(view: &View, report: &Report) -> Result<(), UnknownTable> {
    let Tables::Named(ids) = &view.tables else { return Ok(()) };
    let sections = report.results.iter().flat_map(|results| sections(results, view));
    let mut known: Vec<String> = sections.map(|section| section.id).collect();
    known.extend([view::LISTINGS, view::SETTINGS, view::COUNTS, view::NOTES].map(str::to_string));
    let mut seen = std::collections::HashSet::new();
    known.retain(|id| seen.insert(id.clone()));
    match ids.iter().find(|id| !known.contains(id)) {
        None => Ok(()),
        Some(given) => Err(UnknownTable {
            given: given.clone(),
            nearest: nearest(given, known.iter().map(String::as_str)).map(str::to_string),
            known,
        }),
    }
}
