//! Heat maps: values from 0 to 100 as shades, each with its number.

use super::canvas::{Anchor, Canvas, Face, INNER, MARGIN};
use super::text::text_width;
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
/// Gap between panels.
const GAP: f64 = 24.0;

pub(super) fn draw(canvas: &mut Canvas<'_>, heat: &Heat) {
    let Theme { soft, heat: colour, line, .. } = *canvas.theme;
    let columns = heat.panels.iter().map(|panel| panel.columns.len()).max().unwrap_or(0);
    let across = if columns <= 6 && heat.panels.len() > 1 { 2 } else { 1 };
    let wide = (INNER - GAP * (across as f64 - 1.0)) / across as f64;
    for row in heat.panels.chunks(across) {
        let top = canvas.y;
        let mut lowest = top;
        for (number, one) in row.iter().enumerate() {
            canvas.y = top;
            panel(canvas, one, &heat.down, MARGIN + number as f64 * (wide + GAP), wide);
            lowest = lowest.max(canvas.y);
        }
        canvas.y = lowest + 18.0;
    }
    let steps = 20;
    let step = 160.0 / steps as f64;
    for number in 0..steps {
        canvas.push(&format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{step:.1}\" height=\"9\" fill=\"{colour}\" fill-opacity=\"{:.3}\"/>",
            MARGIN + number as f64 * step,
            canvas.y - 8.0,
            (number as f64 + 0.5) / steps as f64
        ));
    }
    let outline = format!("fill=\"none\" stroke=\"{line}\"");
    canvas.push(&format!("<rect x=\"{MARGIN}\" y=\"{:.1}\" width=\"160\" height=\"9\" {outline}/>", canvas.y - 8.0));
    canvas.text(MARGIN + 168.0, canvas.y, "0 to 100 percent", Face::new(10.0, soft));
    canvas.y += 6.0;
}

fn panel(canvas: &mut Canvas<'_>, panel: &Panel, down: &str, x: f64, wide: f64) {
    let Theme { ink, soft, heat, heat_ink, line, .. } = *canvas.theme;
    let names = panel.rows.iter().map(|(name, _)| name.as_str()).chain([down]);
    let named = names.map(|name| text_width(name) * 11.0).fold(24.0, f64::max).min(wide / 3.0) + 8.0;
    canvas.y += canvas.paragraph(x, canvas.y, &panel.title, wide, 15.0, Face::new(12.0, ink).bold());
    let cell = (wide - named) / panel.columns.len().max(1) as f64;
    canvas.text(x + named - 8.0, canvas.y, down, Face::new(10.0, soft).at(Anchor::End));
    for (column, name) in panel.columns.iter().enumerate() {
        let centre = x + named + cell * (column as f64 + 0.5);
        canvas.text(centre, canvas.y, name, Face::new(10.0, soft).at(Anchor::Middle));
    }
    canvas.y += 6.0;
    for (name, values) in &panel.rows {
        let middle = canvas.y + CELL / 2.0;
        canvas.text(x + named - 8.0, middle + 4.0, name, Face::new(11.0, ink).at(Anchor::End));
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
                    if let Some((low, high)) = interval {
                        let text = format!("{low:.0} to {high:.0}");
                        canvas.text(centre, middle + 11.0, &text, Face::new(8.5, colour).at(Anchor::Middle));
                    }
                }
            }
        }
        canvas.y += CELL;
    }
}
