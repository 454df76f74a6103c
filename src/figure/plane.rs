//! Points and lines over two axes.

use super::canvas::{Anchor, Canvas, Face};
use super::text::{lines, text_width};
use super::{Layout, Theme};

/// A plane chart. The vertical axis runs from 0 to 100 percent.
#[derive(Debug, Clone, PartialEq)]
pub struct Plane {
    /// Horizontal axis.
    pub across: Axis,
    /// Name of the vertical axis.
    pub up: String,
    pub lines: Vec<Line>,
    /// Whether to draw the diagonal where both axes are equal.
    pub diagonal: bool,
}

/// A horizontal axis.
#[derive(Debug, Clone, PartialEq)]
pub enum Axis {
    /// Named places; a point's `x` is an index of these.
    Places {
        /// Name of the axis; empty if the places' names suffice.
        name: String,
        /// Their names.
        places: Vec<String>,
    },
    /// Numbers from 0.
    Numbers {
        /// Quantity with its unit.
        name: String,
        /// Least upper end of the axis.
        to: f64,
    },
}

/// Points of one series.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub series: usize,
    /// The points, from left to right.
    pub points: Vec<Point>,
    /// Whether a line connects them.
    pub joined: bool,
}

/// A point.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Place or number on the horizontal axis.
    pub x: f64,
    /// Value in percent.
    pub y: f64,
    /// The interval of `y`.
    pub interval: Option<(f64, f64)>,
}

const HEIGHT: f64 = 300.0;
/// Length of a line of a name that is written upwards.
const UPWARDS: f64 = 120.0;
/// Text size at ticks and below them.
const TICK: f64 = 10.5;

pub(super) fn draw(canvas: &mut Canvas<'_>, plane: &Plane) {
    let Theme { soft, line, .. } = *canvas.theme;
    let beside = if canvas.layout == Layout::Page { 44.0 } else { 28.0 };
    let (left, right) = (canvas.left + beside, canvas.right - 8.0);
    canvas.text(canvas.left, canvas.y, &plane.up, Face::new(10.0, soft));
    let top = canvas.y + 12.0;
    let height = HEIGHT.min((right - left) * 0.7);
    let bottom = top + height;
    let up = |value: f64| bottom - height * value.clamp(0.0, 100.0) / 100.0;
    for tick in [0.0, 25.0, 50.0, 75.0, 100.0] {
        canvas.line((left, up(tick)), (right, up(tick)), line, "");
        canvas.text(left - 8.0, up(tick) + 4.0, &format!("{tick:.0}"), Face::new(10.0, soft).at(Anchor::End));
    }
    let (ticks, last, name): (Vec<(f64, String)>, f64, &str) = match &plane.across {
        Axis::Places { name, places } => {
            let named = places.iter().enumerate().map(|(at, name)| (at as f64, name.clone())).collect();
            (named, places.len() as f64 - 0.5, name)
        }
        Axis::Numbers { name, to } => {
            let most = plane.lines.iter().flat_map(|line| &line.points).map(|point| point.x).fold(*to, f64::max);
            let step = step(most);
            let count = (most / step).ceil().max(1.0);
            let ticks = (0..=count as usize).map(|number| number as f64 * step);
            (ticks.map(|tick| (tick, tick_text(tick, step))).collect(), count * step, name)
        }
    };
    let first = if matches!(plane.across, Axis::Places { .. }) { -0.5 } else { 0.0 };
    let over = |x: f64| left + (right - left) * (x - first) / (last - first);
    for (x, _) in &ticks {
        canvas.line((over(*x), bottom), (over(*x), bottom + 4.0), soft, "");
    }
    canvas.line((left, bottom), (right, bottom), soft, "");
    let apart = (right - left) / (last - first) * ticks.get(1).map_or(1.0, |second| second.0 - ticks[0].0);
    let places: Vec<(f64, &str)> = ticks.iter().map(|(x, text)| (over(*x), text.as_str())).collect();
    canvas.y = bottom + tick_names(canvas, &places, bottom, apart);
    for line in lines(name, (canvas.inner() - beside) / TICK).iter().filter(|line| !line.is_empty()) {
        canvas.y += 15.0;
        canvas.text((left + right) / 2.0, canvas.y, line, Face::new(TICK, soft).at(Anchor::Middle));
    }
    if plane.diagonal {
        canvas.line((over(0.0), up(0.0)), (over(100.0), up(100.0)), soft, "stroke-dasharray=\"3 3\"");
    }
    let several = plane.lines.len();
    for (number, drawn) in plane.lines.iter().enumerate() {
        // At the same place, series are drawn side by side, so that intervals do not hide one another.
        let aside = match &plane.across {
            Axis::Places { .. } => {
                (number as f64 - (several as f64 - 1.0) / 2.0) * (0.8 * apart / several as f64).min(9.0)
            }
            Axis::Numbers { .. } => 0.0,
        };
        let places: Vec<(f64, f64)> = drawn.points.iter().map(|point| (over(point.x) + aside, up(point.y))).collect();
        if drawn.joined {
            canvas.path(drawn.series, &places, false);
        }
        let colour = canvas.theme.series[drawn.series];
        for (point, &(x, y)) in drawn.points.iter().zip(&places) {
            if let Some((low, high)) = point.interval {
                canvas.whisker(x, up(low), up(high), colour);
            }
            canvas.marker(drawn.series, x, y, 4.5);
        }
    }
}

/// Draws the names of ticks `apart` from one another: in lines, or upwards where a word is wider than its place. Returns
/// their depth below the axis.
fn tick_names(canvas: &mut Canvas<'_>, ticks: &[(f64, &str)], bottom: f64, apart: f64) -> f64 {
    let face = Face::new(TICK, canvas.theme.ink);
    let widest = |words: &str| words.split_whitespace().map(text_width).fold(0.0, f64::max) * TICK;
    let level = ticks.iter().all(|(_, name)| widest(name) <= apart - 3.0);
    let wide = if level { apart - 3.0 } else { UPWARDS };
    let mut depth: f64 = 16.0;
    for (x, name) in ticks {
        let lines = lines(name, wide / TICK);
        for (number, line) in lines.iter().enumerate() {
            if level {
                canvas.text(*x, bottom + 16.0 + 12.0 * number as f64, line, face.at(Anchor::Middle));
                depth = depth.max(16.0 + 12.0 * number as f64);
            } else {
                let x = x + 4.0 + 11.0 * (number as f64 - (lines.len() as f64 - 1.0) / 2.0);
                canvas.upwards(x, bottom + 7.0, line, face.at(Anchor::End));
                depth = depth.max(10.0 + text_width(line) * TICK);
            }
        }
    }
    depth
}

/// A round tick distance that gives about five ticks up to `most`.
fn step(most: f64) -> f64 {
    if most <= 0.0 || !most.is_finite() {
        return 1.0;
    }
    let rough = most / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let round = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|round| round * power >= rough).unwrap_or(10.0);
    round * power
}

fn tick_text(tick: f64, step: f64) -> String {
    let decimals = if step >= 1.0 && step.fract() == 0.0 { 0 } else { (-step.log10().floor()).max(1.0) as usize };
    format!("{tick:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        for (most, wanted) in [(100.0, 20.0), (1632.0, 500.0), (3.0, 1.0), (0.07, 0.02), (47.0, 10.0), (0.0, 1.0)] {
            assert!((step(most) - wanted).abs() < 1e-9 * wanted, "{most}: {}", step(most));
        }
        assert_eq!(tick_text(500.0, 500.0), "500");
        assert_eq!(tick_text(0.04, 0.02), "0.04");
        assert_eq!(tick_text(2.5, 2.5), "2.5");
    }
}
