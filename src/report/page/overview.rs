//! Overview of the run and its results. Numbers are formatted as in the other formats.

use minijinja::context;
use minijinja::value::Value;

use super::bars;
use super::data::tsv;
use super::grid::{Lines, cell_of, mean_first, table};
use super::headline::headline;
use super::runs::Runs;
use super::warning::warning;
use super::{Figures, PageFacts, plain, said};
use crate::figure::{Body, Layout, Theme};
use crate::metric::{Drawing, Results};
use crate::report::figures::{NamedChart, effect_charts, table_charts};
use crate::report::sections::{Section, sections};
use crate::report::{Report, View, problems, sheets};

/// Data for the overview's template.
pub(super) fn overview(
    report: &Report,
    facts: &PageFacts,
    runs: &Runs,
    with_texts: bool,
    figures: &mut Figures,
) -> Value {
    let named = |(name, value): (&String, &String)| context! { name => cell_of(name), value => plain(value) };
    let header: Vec<Value> = report.provenance.iter().map(named).collect();
    let work: Vec<Value> = facts.facts.iter().map(|(name, value)| named((name, value))).collect();
    let unfinished = report.unfinished.is_some();
    let headline = headline(report, runs, &facts.tested);
    let results: Vec<Value> = report.results.iter().map(|each| benchmark(each, runs, with_texts, figures)).collect();
    context! {
        header, facts => work, unfinished, headline, results,
        warning => warning(report).iter().map(said).collect::<Vec<_>>(),
        renew => facts.renew.as_deref().map(plain),
    }
}

fn benchmark(results: &Results, runs: &Runs, with_texts: bool, figures: &mut Figures) -> Value {
    let lines: Vec<Value> = sheets::counts(results).iter().map(said).collect();
    // A reason may quote the row.
    let problem = |(heading, rows): (String, Vec<String>)| {
        let rows: Vec<String> = rows.iter().filter(|_| with_texts).map(|row| plain(row)).collect();
        context! { heading, rows }
    };
    let problems: Vec<Value> = problems::problems(results).map(problem).collect();
    let tables: Vec<Value> = sections(results, &View::WHOLE)
        .into_iter()
        .map(|Section { id, grid }| match results.tables.iter().find(|table| table.id == id) {
            Some(source) => {
                let (grid, lines) = mean_first(grid, source, runs);
                let bars = bars::figures(source, runs, figures);
                table(&id, &grid, lines, bars, drawn(table_charts(source, results), figures))
            }
            None => table(&id, &grid, Lines::default(), Vec::new(), Vec::new()),
        })
        .collect();
    let charts = drawn(effect_charts(results), figures);
    let listings: Vec<Value> = results
        .listings
        .iter()
        .map(|listing| {
            let ids: Vec<String> = listing.ids.iter().map(|id| plain(id)).collect();
            context! { heading => plain(&sheets::listing_heading(listing)), ids }
        })
        .collect();
    let notes: Vec<String> = results.notes.iter().map(|note| plain(note)).collect();
    let key = results.benchmark.name();
    context! { title => plain(&results.title), key, lines, problems, tables, charts, listings, notes }
}

/// Charts in the page's colours, except bars: the page has its own, which scale with it.
fn drawn(charts: Vec<NamedChart>, figures: &mut Figures) -> Vec<Value> {
    let is_drawn = |each: &&NamedChart| each.drawing != Some(Drawing::Bars);
    let one = |each: &NamedChart| {
        let is_radar = matches!(each.chart.body, Body::Radar(_));
        let number = figures.add(Some(each.svg(&Theme::PAGE, Layout::Page)), tsv(&each.chart));
        context! { number, name => each.name, is_radar }
    };
    charts.iter().filter(is_drawn).map(one).collect()
}
