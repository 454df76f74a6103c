//! Charts of accuracy against the budget of tokens.

use indexmap::IndexMap;

use super::{NamedChart, titled};
use crate::figure::{Axis, Body, Chart, Line, MOST_SERIES, Plane, Point};
use crate::metric::{Budget, Results};
use crate::report::words::{self, named};

/// Accuracy against the budget, a chart for each language and what is cut.
pub(super) fn budget_charts(results: &Results) -> Vec<NamedChart> {
    let found = &results.budgets;
    let several_styles = words::several_styles(found.iter().map(|each| &each.header));
    let mut languages: IndexMap<(&str, bool), IndexMap<String, Vec<&Budget>>> = IndexMap::new();
    for each in found.iter().filter(|each| each.found.accuracy.value.is_some()) {
        let lines = languages.entry((&each.language, each.is_of_replies())).or_default();
        lines.entry(named(&each.header, several_styles)).or_default().push(each);
    }
    let mut charts = Vec::new();
    for ((language, replies), lines) in languages {
        let (across, what, how) = match replies {
            false => ("most tokens of a thought", "budget of thinking", "Thoughts are written once and stopped early"),
            true => (
                "most tokens of a reply",
                "length of the reply",
                "Replies are written once and read as if stopped early",
            ),
        };
        let name = if replies { "reply" } else { "thinking" };
        let mut places: Vec<usize> = lines.values().flatten().map(|each| each.tokens).collect();
        places.sort_unstable();
        places.dedup();
        for part in lines.iter().collect::<Vec<_>>().chunks(MOST_SERIES) {
            let line = |(series, (_, rows)): (usize, &(&String, &Vec<&Budget>))| {
                let point = |each: &&Budget| {
                    let x = places.iter().position(|&tokens| tokens == each.tokens)? as f64;
                    Some(Point { x, y: each.found.accuracy.value?, interval: each.found.interval })
                };
                Line { series, points: rows.iter().filter_map(point).collect(), joined: true }
            };
            let plane = Plane {
                across: Axis::Places {
                    name: across.to_string(),
                    places: places.iter().map(usize::to_string).collect(),
                },
                up: "accuracy, percent".to_string(),
                lines: part.iter().enumerate().map(line).collect(),
                diagonal: false,
            };
            let without = lines.values().flatten().find_map(|each| each.without.filter(|share| *share > 0.0));
            let without = without
                .map(|share| format!("{share:.1} % of the replies have no thought; an empty one stands for it."));
            let chart = Chart {
                title: titled(&format!("{}, accuracy by {what}", results.title), language),
                subtitle: format!("{how}; bars are 95 % intervals over stories."),
                series: part.iter().map(|(name, _)| name.to_string()).collect(),
                body: Body::Plane(plane),
                notes: without.into_iter().collect(),
            };
            charts.push(NamedChart { name: format!("budgets-{name}-{language}"), drawing: None, chart });
        }
    }
    charts
}
