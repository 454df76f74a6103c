//! Charts of option-order effects, calibration and speed.

use indexmap::IndexMap;

use super::{NamedChart, titled};
use crate::figure::{Axis, Bar, Block, Body, Chart, Line, MOST_SERIES, Plane, Point};
use crate::metric::{Calibration, OrderEffects, Results};
use crate::name::option_letter;
use crate::report::label::file_name;
use crate::report::words::{self, counted_in_thousands, named};
use crate::report::{Report, sheets};
use crate::stats::wilson;

/// Share of trials that chose each slot when it held the gold option, by language and number of options.
pub(super) fn slot_charts(results: &Results) -> Vec<NamedChart> {
    let effects = &results.order_effects;
    let several_styles = words::several_styles(effects.iter().map(|each| &each.header));
    let name = |each: &OrderEffects| named(&each.header, several_styles);
    let mut groups: IndexMap<(&str, usize), Vec<&OrderEffects>> = IndexMap::new();
    for each in effects.iter().filter(|each| each.recall.iter().any(|figure| figure.value.is_some())) {
        groups.entry((&each.language, each.options)).or_default().push(each);
    }
    let mut all = Vec::new();
    for ((language, options), effects) in groups {
        for part in effects.chunks(MOST_SERIES) {
            let block = |slot: usize| Block {
                name: format!("slot {}", option_letter(slot)),
                bars: part
                    .iter()
                    .enumerate()
                    .map(|(series, each)| Bar {
                        series,
                        value: each.recall.get(slot).and_then(|figure| figure.value),
                        interval: None,
                        chance: Some(100.0 / options as f64),
                        published: None,
                        people: None,
                    })
                    .collect(),
            };
            let deviation = |each: &&OrderEffects| {
                let deviation = each.recall_deviation.value.map_or("-".to_string(), |value| format!("{value:.1}"));
                format!("{}: RStd {deviation} points over {}.", name(each), counted_in_thousands(each.items, "item"))
            };
            let of = format!("{language}, {options} options");
            let chart = Chart {
                title: titled(&format!("{}, recall by slot", results.title), &of),
                subtitle: "Percent: of the trials with the gold option in a slot, the share that chose it. Equal bars: no slot is \
                           preferred."
                    .to_string(),
                series: part.iter().map(|each| name(each)).collect(),
                body: Body::Bars((0..options).map(block).collect()),
                notes: part.iter().map(deviation).collect(),
            };
            all.push(NamedChart { name: format!("slots-{}", file_name(&of)), drawing: None, chart });
        }
    }
    all
}

/// Reliability diagrams: accuracy by confidence, by language.
pub(super) fn reliability_charts(results: &Results) -> Vec<NamedChart> {
    let all = &results.calibration;
    let several_styles = words::several_styles(all.iter().map(|each| &each.header));
    let name = |each: &Calibration| named(&each.header, several_styles);
    let mut groups: IndexMap<&str, Vec<&Calibration>> = IndexMap::new();
    for each in all.iter().filter(|each| !each.bins.is_empty()) {
        groups.entry(&each.language).or_default().push(each);
    }
    let mut charts = Vec::new();
    for (language, calibrations) in groups {
        for part in calibrations.chunks(MOST_SERIES) {
            let line = |(series, each): (usize, &&Calibration)| {
                let points = each.bins.iter().map(|bin| {
                    let right = (bin.accuracy / 100.0 * bin.items as f64).round() as usize;
                    let interval = wilson(right, bin.items).map(|(low, high)| (low * 100.0, high * 100.0));
                    Point { x: bin.confidence, y: bin.accuracy, interval }
                });
                Line { series, points: points.collect(), joined: true }
            };
            let error = |each: &&Calibration| {
                let error = each.calibration_error.value.map_or("-".to_string(), |value| format!("{value:.1}"));
                let calibrated = each
                    .calibration_error_if_calibrated
                    .map_or(String::new(), |calibrated| format!(" (calibrated answers would show {calibrated:.1})"));
                let items = counted_in_thousands(each.items, "item");
                format!("{}: expected calibration error {error} points over {items}{calibrated}.", name(each))
            };
            let plane = Plane {
                across: Axis::Numbers {
                    name: "confidence: probability of the chosen option, percent".into(),
                    to: 100.0,
                },
                up: "accuracy, percent".into(),
                lines: part.iter().enumerate().map(line).collect(),
                diagonal: true,
            };
            let chart = Chart {
                title: titled(&format!("{}, reliability", results.title), language),
                subtitle: "Accuracy of answers by confidence, in ten bins of equal width; 95 % intervals (Wilson). On the dashed \
                           line confidence is borne out; below it the model is too sure."
                    .to_string(),
                series: part.iter().map(|each| name(each)).collect(),
                body: Body::Plane(plane),
                notes: part.iter().map(error).collect(),
            };
            charts.push(NamedChart { name: format!("reliability-{}", file_name(language)), drawing: None, chart });
        }
    }
    charts
}

/// Speed of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Speed {
    /// Label of its rows.
    pub label: String,
    /// Tokens per second, excluding loading.
    pub tokens_per_second: f64,
    /// Whether these are generated tokens rather than forwarded ones.
    pub written: bool,
}

/// Accuracy against speed, for each benchmark and key of its first table; empty if fewer than two runs have a speed of
/// the same kind.
pub fn speed_charts(report: &Report, speeds: &[Speed]) -> Vec<NamedChart> {
    let mut charts = Vec::new();
    for results in &report.results {
        let Some((table, column)) = sheets::valued_headline(results) else { continue };
        let several_styles = sheets::several_styles(table);
        for (key, rows) in sheets::groups(table) {
            for written in [false, true] {
                let points: Vec<(String, Point)> = rows
                    .iter()
                    .filter_map(|row| {
                        let of = |speed: &&Speed| speed.label == row.header.label && speed.written == written;
                        let speed = speeds.iter().find(of)?;
                        let cell = &row.cells[column];
                        let point = Point { x: speed.tokens_per_second, y: cell.value?, interval: cell.interval };
                        Some((sheets::row_name(row, several_styles, true), point))
                    })
                    .collect();
                if points.len() < 2 {
                    continue;
                }
                for part in points.chunks(MOST_SERIES) {
                    let line = |(series, (_, point)): (usize, &(String, Point))| Line {
                        series,
                        points: vec![point.clone()],
                        joined: false,
                    };
                    let kind = if written { "written" } else { "forwarded" };
                    let plane = Plane {
                        across: Axis::Numbers { name: format!("tokens {kind} per second, excluding loading"), to: 0.0 },
                        up: format!("{}, percent", table.columns[column]),
                        lines: part.iter().enumerate().map(line).collect(),
                        diagonal: false,
                    };
                    let chart = Chart {
                        title: titled(&format!("{}, accuracy against speed", results.title), &key.join(", ")),
                        subtitle: "Percent, with 95 % intervals, by tokens per second from the runs' timings."
                            .to_string(),
                        series: part.iter().map(|(name, _)| name.clone()).collect(),
                        body: Body::Plane(plane),
                        notes: vec!["Speeds are comparable only if runs had one machine to themselves.".to_string()],
                    };
                    let of: String = key.iter().map(|part| format!("-{}", file_name(part))).collect();
                    let name = format!("{}-speed-{kind}{of}", file_name(results.benchmark.name()));
                    charts.push(NamedChart { name, drawing: None, chart });
                }
            }
        }
    }
    super::unique(&mut charts);
    charts
}
