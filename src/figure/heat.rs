//! Heat maps: values from 0 to 100 as shades, each with its number.

use super::canvas::{Anchor, Canvas, Face};
use super::text::{lines, text_width};
use super::{Theme, number};

/// Heat maps side by side, with the same scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Heat {
    /// Facet of the rows.
    pub down: String,
    /// The maps.
    pub panels: Vec<Panel>,
}

/// One map.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Heading.
    pub title: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Names of the rows, with a value and its interval for each column.
    pub rows: Vec<(String, Vec<Option<Shade>>)>,
}

/// A value with its interval.
pub type Shade = (f64, Option<(f64, f64)>);

const CELL: f64 = 34.0;
/// Text size of intervals.
const INTERVAL: f64 = 8.5;
/// Gap between panels.
const GAP: f64 = 24.0;

pub(super) fn draw(canvas: &mut Canvas<'_>, heat: &Heat) {
    let Theme { soft, heat: colour, line, .. } = *canvas.theme;
    let columns = heat.panels.iter().map(|panel| panel.columns.len()).max().unwrap_or(0);
    let half = (canvas.inner() - GAP) / 2.0;
    let most = |wide: f64| heat.panels.iter().map(|panel| columns_within(canvas, panel, heat, wide)).min().unwrap_or(0);
    let beside = columns <= 6 && heat.panels.len() > 1 && columns <= most(half);
    let (across, wide) = if beside { (2, half) } else { (1, canvas.inner()) };
    let parts: Vec<Panel> = heat.panels.iter().flat_map(|panel| parts_of(panel, most(wide))).collect();
    for row in parts.chunks(across) {
        let top = canvas.y;
        let mut lowest = top;
        for (number, one) in row.iter().enumerate() {
            canvas.y = top;
            panel(canvas, one, &heat.down, canvas.left + number as f64 * (wide + GAP), wide);
            lowest = lowest.max(canvas.y);
        }
        canvas.y = lowest + 18.0;
    }
    let steps = 20;
    let step = 160.0 / steps as f64;
    for number in 0..steps {
        canvas.push(&format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{step:.1}\" height=\"9\" fill=\"{colour}\" fill-opacity=\"{:.3}\"/>",
            canvas.left + number as f64 * step,
            canvas.y - 8.0,
            (number as f64 + 0.5) / steps as f64
        ));
    }
    let outline = format!("fill=\"none\" stroke=\"{line}\"");
    let left = canvas.left;
    canvas.push(&format!("<rect x=\"{left}\" y=\"{:.1}\" width=\"160\" height=\"9\" {outline}/>", canvas.y - 8.0));
    canvas.text(left + 168.0, canvas.y, "0 to 100 percent", Face::new(10.0, soft));
    canvas.y += 6.0;
}

/// Width of the names of a panel's rows.
fn names_width(panel: &Panel, down: &str, wide: f64) -> f64 {
    let names = panel.rows.iter().map(|(name, _)| name.as_str()).chain([down]);
    names.map(|name| text_width(name) * 11.0).fold(24.0, f64::max).min(wide / 3.0) + 8.0
}

/// Number of columns with room for their values in a panel of this width; at least one.
fn columns_within(canvas: &Canvas<'_>, panel: &Panel, heat: &Heat, wide: f64) -> usize {
    let small = canvas.layout.text(INTERVAL);
    let value = |shade: &Shade| {
        let interval = shade.1.map_or(0.0, |interval| text_width(&interval_text(interval)) * small);
        interval.max(text_width(&number(shade.0)) * 12.0)
    };
    let shades = panel.rows.iter().flat_map(|(_, values)| values).flatten();
    let cell = shades.map(value).fold(24.0, f64::max) + 3.0;
    ((wide - names_width(panel, &heat.down, wide)) / cell).max(1.0) as usize
}

/// A panel, or parts of it with at most `most` columns, of equal size.
fn parts_of(panel: &Panel, most: usize) -> Vec<Panel> {
    let count = panel.columns.len().div_ceil(most.max(1)).max(1);
    let size = panel.columns.len().div_ceil(count).max(1);
    let part = |number: usize| {
        let of = |length: usize| (number * size).min(length)..((number + 1) * size).min(length);
        Panel {
            title: panel.title.clone(),
            columns: panel.columns[of(panel.columns.len())].to_vec(),
            rows: panel.rows.iter().map(|(name, values)| (name.clone(), values[of(values.len())].to_vec())).collect(),
        }
    };
    (0..count).map(part).collect()
}

fn interval_text((low, high): (f64, f64)) -> String {
    format!("{low:.0} to {high:.0}")
}

fn panel(canvas: &mut Canvas<'_>, panel: &Panel, down: &str, x: f64, wide: f64) {
    let Theme { ink, soft, heat, heat_ink, line, .. } = *canvas.theme;
    let named = names_width(panel, down, wide);
    canvas.y += canvas.paragraph(x, canvas.y, &panel.title, wide, 15.0, Face::new(12.0, ink).bold());
    let cell = (wide - named) / panel.columns.len().max(1) as f64;
    let heads: Vec<Vec<String>> = panel.columns.iter().map(|name| lines(name, (cell - 3.0) / 10.0)).collect();
    canvas.y += 12.0 * (heads.iter().map(Vec::len).max().unwrap_or(1) as f64 - 1.0);
    canvas.text(x + named - 8.0, canvas.y, down, Face::new(10.0, soft).at(Anchor::End));
    for (column, head) in heads.iter().enumerate() {
        let centre = x + named + cell * (column as f64 + 0.5);
        for (above, line) in head.iter().rev().enumerate() {
            canvas.text(centre, canvas.y - 12.0 * above as f64, line, Face::new(10.0, soft).at(Anchor::Middle));
        }
    }
    canvas.y += 6.0;
    for (name, values) in &panel.rows {
        let middle = canvas.y + CELL / 2.0;
        let name = lines(name, (named - 7.9) / 11.0);
        let first = middle + 4.0 - 6.0 * (name.len() as f64 - 1.0);
        for (number, part) in name.iter().enumerate() {
            let y = first + 12.0 * number as f64;
            canvas.text(x + named - 8.0, y, part, Face::new(11.0, ink).at(Anchor::End));
        }
        for (column, value) in values.iter().enumerate() {
            let left = x + named + cell * column as f64;
            let centre = left + cell / 2.0;
            let strength = value.map_or(0.0, |(value, _)| value.clamp(0.0, 100.0) / 100.0);
            canvas.push(&format!(
                "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{heat}\" fill-opacity=\"{strength:.3}\" \
                 stroke=\"{line}\"/>",
                canvas.y,
                cell - 1.5,
                CELL - 1.5
            ));
            let colour = if strength > 0.5 { heat_ink } else { ink };
            match value {
                None => canvas.text(centre, middle + 4.0, "-", Face::new(12.0, soft).at(Anchor::Middle)),
                Some((value, interval)) => {
                    let up = if interval.is_some() { 1.0 } else { -4.0 };
                    let face = Face::new(12.0, colour).at(Anchor::Middle);
                    canvas.text(centre, middle - up, &number(*value), face);
                    if let Some(interval) = interval {
                        let text = interval_text(*interval);
                        canvas.text(centre, middle + 11.0, &text, Face::new(INTERVAL, colour).at(Anchor::Middle));
                    }
                }
            }
        }
        canvas.y += CELL;
    }
}
