//! The numbers of a chart as tab-separated lines.

use crate::figure::{Axis, Body, Chart};
use crate::safe_text::{for_cell, for_terminal};

/// A line of headings, then one line per value.
pub(super) fn tsv(chart: &Chart) -> String {
    let series = |at: usize| chart.series.get(at).map_or("", String::as_str).to_string();
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let ends =
        |interval: Option<(f64, f64)>| [number(interval.map(|ends| ends.0)), number(interval.map(|ends| ends.1))];
    let mut lines: Vec<Vec<String>> = Vec::new();
    let head: &[&str] = match &chart.body {
        Body::Bars(blocks) => {
            for (block, bar) in blocks.iter().flat_map(|block| block.bars.iter().map(move |bar| (block, bar))) {
                let [low, high] = ends(bar.interval);
                let beside = [bar.chance, bar.published, bar.people].map(number);
                let own = [block.name.clone(), series(bar.series), number(bar.value), low, high];
                lines.push(own.into_iter().chain(beside).collect());
            }
            &["group", "series", "value", "low", "high", "chance", "published", "people"]
        }
        Body::Radar(radar) => {
            for (at, values) in radar.values.iter().enumerate() {
                for ((axis, value), chance) in radar.axes.iter().zip(values).zip(&radar.chance) {
                    lines.push(vec![series(at), axis.clone(), number(*value), number(*chance)]);
                }
            }
            &["series", "axis", "value", "chance"]
        }
        Body::Heat(heat) => {
            for panel in &heat.panels {
                for (row, shades) in &panel.rows {
                    for (column, shade) in panel.columns.iter().zip(shades) {
                        let [low, high] = ends(shade.and_then(|shade| shade.1));
                        let value = number(shade.map(|shade| shade.0));
                        lines.push(vec![panel.title.clone(), row.clone(), column.clone(), value, low, high]);
                    }
                }
            }
            &["panel", "row", "column", "value", "low", "high"]
        }
        Body::Stack(stack) => {
            for bar in &stack.bars {
                for (at, share) in bar.shares.iter().enumerate() {
                    lines.push(vec![bar.name.clone(), series(at), share.to_string(), bar.rests_on.clone()]);
                }
            }
            &["bar", "series", "share", "n"]
        }
        Body::Plane(plane) => {
            for line in &plane.lines {
                for point in &line.points {
                    let x = match &plane.across {
                        Axis::Places { places, .. } => places.get(point.x as usize).cloned(),
                        Axis::Numbers { .. } => Some(point.x.to_string()),
                    };
                    let [low, high] = ends(point.interval);
                    lines.push(vec![series(line.series), x.unwrap_or_default(), point.y.to_string(), low, high]);
                }
            }
            &["series", "x", "y", "low", "high"]
        }
    };
    let head = head.iter().map(|name| name.to_string()).collect();
    joined(std::iter::once(head).chain(lines))
}

/// Cells in lines: tabs and line breaks within a cell become spaces, and formulas text.
pub(super) fn joined(lines: impl Iterator<Item = Vec<String>>) -> String {
    let cell = |cell: String| match cell.parse::<f64>() {
        Ok(_) => cell,
        Err(_) => for_cell(&for_terminal(&cell.replace(['\t', '\n', '\r'], " "))).into_owned(),
    };
    lines.map(|line| line.into_iter().map(cell).collect::<Vec<_>>().join("\t") + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Bar, Block};

    #[test]
    fn a_cell_cannot_leave_its_place() {
        let bar =
            Bar { series: 0, value: Some(50.0), interval: None, chance: Some(25.0), published: None, people: None };
        let blocks = vec![Block { name: "a\tb\nc".into(), bars: vec![bar] }];
        let chart = Chart {
            title: String::new(),
            subtitle: String::new(),
            series: vec!["m".into()],
            body: Body::Bars(blocks),
            notes: Vec::new(),
        };
        let text = tsv(&chart);
        assert_eq!(text.lines().count(), 2);
        assert!(text.lines().all(|line| line.split('\t').count() == 8), "{text}");
        assert!(text.contains("a b c\tm\t50\t\t\t25\t\t"), "{text}");
    }
}
