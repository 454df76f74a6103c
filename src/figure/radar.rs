//! Values on axes around a centre, from 0 to 100.

use std::f64::consts::TAU;

use super::Theme;
use super::canvas::{Anchor, Canvas, Face};
use super::text::{lines, text_width};

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

/// Largest radius, and least.
const RADIUS: f64 = 170.0;
const LEAST: f64 = 50.0;
/// Gap between the circle and the names.
const GAP: f64 = 12.0;
const LEADING: f64 = 13.0;

pub(super) fn draw(canvas: &mut Canvas<'_>, radar: &Radar) {
    let Theme { ink, soft, line, .. } = *canvas.theme;
    let count = radar.axes.len();
    let size = if count > 16 || canvas.layout.is_narrow() { 10.0 } else { 12.0 };
    let half = canvas.layout.width() / 2.0;
    let beside = (half - GAP - canvas.left - LEAST).clamp(40.0, 130.0);
    let names: Vec<Vec<String>> = radar.axes.iter().map(|name| lines(name, beside / size)).collect();
    let radius = radius(&names, size, half - canvas.left);
    let most = names.iter().map(Vec::len).max().unwrap_or(1) as f64;
    let centre = (half, canvas.y + radius + GAP + LEADING * most);
    let place = |axis: usize, value: f64| {
        let angle = TAU * axis as f64 / count as f64;
        let far = radius * value.clamp(0.0, 100.0) / 100.0;
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
        let (x, y) = (centre.0 + (radius + GAP) * angle.sin(), centre.1 - (radius + GAP) * angle.cos());
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
    canvas.y = centre.1 + radius + LEADING * most + 4.0;
    if canvas.layout.is_titled() {
        canvas.y += 5.0;
        for line in lines(&key(radar), canvas.inner() / 10.0) {
            canvas.y += 13.0;
            canvas.text(half, canvas.y, &line, Face::new(10.0, soft).at(Anchor::Middle));
        }
        canvas.y += 6.0;
    }
}

/// What the rings and the dashed line are.
pub(super) fn key(radar: &Radar) -> String {
    let guessing = if radar.chance.iter().any(Option::is_some) { " Dashed line without marks: guessing." } else { "" };
    format!("Rings: 25, 50, 75 and 100 percent.{guessing}")
}

/// The largest radius at which every name beside the circle ends within `half` of the centre.
fn radius(names: &[Vec<String>], size: f64, half: f64) -> f64 {
    let fits = |(axis, name): (usize, &Vec<String>)| {
        let aside = (TAU * axis as f64 / names.len() as f64).sin().abs();
        let wide = name.iter().map(|line| text_width(line) * size).fold(0.0, f64::max);
        if aside > 0.08 { (half - wide) / aside - GAP } else { RADIUS }
    };
    names.iter().enumerate().map(fits).fold(RADIUS, f64::min).max(LEAST)
}

/// Sides of a polygon with both ends present.
fn sides(points: &[Option<(f64, f64)>]) -> Vec<((f64, f64), (f64, f64))> {
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).filter_map(|(from, to)| Some(((*from)?, (*to)?))).collect()
}
