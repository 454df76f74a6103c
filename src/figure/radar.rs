//! Values on axes around a centre, from 0 to 100.

use std::f64::consts::TAU;

use super::Theme;
use super::canvas::{Anchor, Canvas, Face, WIDTH};
use super::text::lines;

/// A radar chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Radar {
    /// Names of the axes, clockwise from the top.
    pub axes: Vec<String>,
    /// For each series, a value on each axis; a missing value interrupts the line.
    pub values: Vec<Vec<Option<f64>>>,
    /// Chance level on each axis.
    pub chance: Vec<Option<f64>>,
}

const RADIUS: f64 = 170.0;
const LEADING: f64 = 13.0;

pub(super) fn draw(canvas: &mut Canvas<'_>, radar: &Radar) {
    let Theme { ink, soft, line, .. } = *canvas.theme;
    let count = radar.axes.len();
    let size = if count > 16 { 10.0 } else { 12.0 };
    let names: Vec<Vec<String>> = radar.axes.iter().map(|name| lines(name, 130.0 / size)).collect();
    let most = names.iter().map(Vec::len).max().unwrap_or(1) as f64;
    let centre = (WIDTH / 2.0, canvas.y + RADIUS + 12.0 + LEADING * most);
    let place = |axis: usize, value: f64| {
        let angle = TAU * axis as f64 / count as f64;
        let far = RADIUS * value.clamp(0.0, 100.0) / 100.0;
        (centre.0 + far * angle.sin(), centre.1 - far * angle.cos())
    };
    for ring in [25.0, 50.0, 75.0, 100.0] {
        let points: Vec<String> =
            (0..count).map(|axis| place(axis, ring)).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        canvas.push(&format!("<polygon points=\"{}\" fill=\"none\" stroke=\"{line}\"/>", points.join(" ")));
    }
    for axis in 0..count {
        canvas.line(centre, place(axis, 100.0), line, "");
    }
    let chance: Vec<Option<(f64, f64)>> =
        radar.chance.iter().enumerate().map(|(axis, value)| value.map(|value| place(axis, value))).collect();
    for (from, to) in sides(&chance) {
        canvas.line(from, to, soft, "stroke-width=\"1.4\" stroke-dasharray=\"3 2\"");
    }
    for (series, values) in radar.values.iter().enumerate() {
        let points: Vec<Option<(f64, f64)>> =
            values.iter().enumerate().map(|(axis, value)| value.map(|value| place(axis, value))).collect();
        match points.iter().copied().collect::<Option<Vec<_>>>() {
            Some(all) => canvas.path(series, &all, true),
            None => sides(&points).into_iter().for_each(|(from, to)| canvas.path(series, &[from, to], false)),
        }
        points.iter().flatten().for_each(|&(x, y)| canvas.marker(series, x, y, 4.0));
    }
    for ring in [25.0, 50.0, 75.0, 100.0] {
        let (x, y) = place(0, ring);
        canvas.text(x + 3.0, y + 10.0, &format!("{ring:.0}"), Face::new(9.0, soft));
    }
    for (axis, name) in names.iter().enumerate() {
        let angle = TAU * axis as f64 / count as f64;
        let (x, y) = (centre.0 + (RADIUS + 12.0) * angle.sin(), centre.1 - (RADIUS + 12.0) * angle.cos());
        let anchor = match angle.sin() {
            right if right > 0.08 => Anchor::Start,
            left if left < -0.08 => Anchor::End,
            _ => Anchor::Middle,
        };
        // Names extend away from the circle.
        let tall = LEADING * name.len() as f64;
        let first = y + 4.0 - (tall - LEADING) * (1.0 + angle.cos()) / 2.0;
        for (number, text) in name.iter().enumerate() {
            canvas.text(x, first + LEADING * number as f64, text, Face::new(size, ink).at(anchor));
        }
    }
    canvas.y = centre.1 + RADIUS + 22.0 + LEADING * most;
    let mut key = "Rings: 25, 50, 75 and 100 percent.".to_string();
    if radar.chance.iter().any(Option::is_some) {
        key.push_str(" Dashed line without marks: guessing.");
    }
    canvas.text(WIDTH / 2.0, canvas.y, &key, Face::new(10.0, soft).at(Anchor::Middle));
    canvas.y += 6.0;
}

/// Sides of a polygon with both ends present.
fn sides(points: &[Option<(f64, f64)>]) -> Vec<((f64, f64), (f64, f64))> {
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).filter_map(|(from, to)| Some(((*from)?, (*to)?))).collect()
}
